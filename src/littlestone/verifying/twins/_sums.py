"""Sums over experts in eight lanes, and sums over rounds in two doubles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Exact", "lanes", "weighted", "yes_wins"]


def lanes(values: Iterable[float]) -> float:
    """Return the sum, added up in eight lanes that are joined at the end.

    Examples
    --------
    >>> from littlestone.verifying.twins._sums import lanes
    >>> lanes([0.5] * 20)
    10.0
    """
    s = [0.0] * 8
    for i, value in enumerate(values):
        s[i % 8] += value
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]))


def weighted(weights: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return the sum of the weights, and of the weights times values.

    Examples
    --------
    >>> from littlestone.verifying.twins._sums import weighted
    >>> weighted([1.0, 3.0], [2.0, 4.0])
    (4.0, 14.0)
    """
    pairs = zip(weights, values, strict=True)
    return lanes(weights), lanes(weight * value for weight, value in pairs)


def yes_wins(weights: Iterable[float], votes: Iterable[float]) -> bool:
    """Return whether yes has at least half of the weight; no rounding decides.

    Examples
    --------
    >>> from littlestone.verifying.twins._sums import yes_wins
    >>> yes_wins([1.0, 1.0], [1.0, 0.0]), yes_wins([1.0, 1.0, 1e-30], [1.0, 0.0, 0.0])
    (True, False)
    """
    pairs = zip(weights, votes, strict=True)
    # A sum that is rounded once, at the end, has the sign of the exact one.
    return math.fsum(w if vote else -w for w, vote in pairs) >= 0


class Exact:
    """A sum in two doubles: the second holds the rounding error of the first.

    Examples
    --------
    >>> from littlestone.verifying.twins._sums import Exact
    >>> total = Exact()
    >>> for number in (1e300, 0.1, -1e300):
    ...     total.add(number)
    >>> total.value()
    0.1
    """

    def __init__(self, high: float = 0.0, low: float = 0.0) -> None:
        self.high, self.low = high, low

    def add(self, x: float) -> None:
        """Add a number."""
        total = self.high + x
        part = total - self.high
        self.low += (self.high - (total - part)) + (x - part)
        self.high = total + self.low
        self.low -= self.high - total

    def value(self) -> float:
        """Return the sum in one double."""
        return self.high + self.low

    def minus(self, other: Exact) -> float:
        """Return the difference in one double."""
        return (self.high - other.high) + (self.low - other.low)
