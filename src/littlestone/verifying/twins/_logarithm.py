"""The logarithm by plain arithmetic alone: the same bits everywhere."""

from __future__ import annotations

import math

__all__ = ["log", "log1p"]


def log(x: float) -> float:
    """Return ln x of a number above 0.

    Examples
    --------
    >>> from littlestone.verifying.twins._logarithm import log
    >>> log(1.0), abs(log(10.0) - 2.302585092994046) < 1e-15
    (0.0, True)
    """
    m, k = math.frexp(x)
    if m < 0.7071067811865476:  # noqa: PLR2004 - sqrt(1/2)
        m, k = 2 * m, k - 1
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    z2 = z * z
    z4 = z2 * z2
    a = (1 / 3 + 1 / 5 * z) + (1 / 7 + 1 / 9 * z) * z2
    b = (1 / 11 + 1 / 13 * z) + (1 / 15 + 1 / 17 * z) * z2
    c = (1 / 19 + 1 / 21 * z) + 1 / 23 * z2
    more = 2.0 * s * (z * ((a + b * z4) + c * (z4 * z4)))
    return k * 0.6931471803691238 + (2.0 * s + (more + k * 1.9082149292705877e-10))


def log1p(u: float) -> float:
    """Return ln(1 + u), precise also for small u.

    Examples
    --------
    >>> from littlestone.verifying.twins._logarithm import log1p
    >>> log1p(1e-20)
    1e-20
    """
    total = 1.0 + u
    return log(total) + (u - (total - 1.0)) / total
