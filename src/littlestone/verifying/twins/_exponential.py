"""The exponential by elementary operations alone: the same bits everywhere."""

from __future__ import annotations

import math

__all__ = ["exp", "sinh"]


def exp(z: float) -> float:
    """Return e**z, 0 far below 0.

    Examples
    --------
    >>> from littlestone.verifying.twins._exponential import exp
    >>> exp(0.0), exp(-1000.0)
    (1.0, 0.0)
    >>> abs(exp(1.0) - 2.718281828459045) < 1e-15
    True
    """
    if z < -708:  # noqa: PLR2004 - where doubles end
        return 0.0
    k, more = _power(z)
    return math.ldexp(1.0 + more, k)


def _power(z: float) -> tuple[int, float]:
    """Return k and m such that e**z = 2**k (1 + m)."""
    shift = 6755399441055744.0  # 1.5 * 2**52: adding it rounds to a whole number
    k = (z * 1.4426950408889634 + shift) - shift
    x = (z - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    x2 = x * x
    x4 = x2 * x2
    p = (0.1666666666666666 + -0.0027777777777564404 * x2) + (
        (6.613756471622828e-05 + -1.6534060033836456e-06 * x2)
        + 4.1437662804024295e-08 * x4
    ) * x4
    c = x - x2 * p
    return int(k), x + x * c / (2.0 - c)


def sinh(z: float) -> float:
    """Return the hyperbolic sine, at most that of 708.

    Examples
    --------
    >>> from littlestone.verifying.twins._exponential import sinh
    >>> sinh(0.0), sinh(-1e-20)
    (0.0, -1e-20)
    """
    k, more = _power(min(abs(z), 708.0))
    less_1 = math.ldexp(more, k) + (math.ldexp(1.0, k) - 1.0)
    return math.copysign(0.5 * (less_1 + less_1 / (less_1 + 1.0)), z)
