"""Balanced Winnow in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from littlestone.verifying.twins._exponential import exp, sinh
from littlestone.verifying.twins._near_ties import NEAR, cancelled

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["BalancedWinnow"]


class BalancedWinnow:
    """The twin of `littlestone.linear.BalancedWinnow`.

    Examples
    --------
    >>> from littlestone.verifying.twins import BalancedWinnow
    >>> twin = BalancedWinnow(rate=0.5)
    >>> twin.play({"a": 1.0}, False)
    True
    >>> twin.sums
    {'a': -1.0}
    """

    def __init__(self, rate: float, scale: float = 1.0, bias: float = 0.0) -> None:
        self.rate, self.scale, self.bias = rate, scale, bias
        self.sums: dict[object, float] = {}  # of y x over the mistakes
        self.updates = 0
        self.scored = 0.0  # the latest score, for `Auto`

    @property
    def weights(self) -> dict[object, float]:
        """Half the differences of the two weights, without the constant feature."""
        return {n: sinh(self.rate * s) for n, s in self.sums.items() if n is not self}

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then add the example to the sums if that was wrong."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        sums = {name: self.sums.get(name, 0.0) for name, value in x.items() if value}
        most = max((abs(self.rate * s) for s in sums.values()), default=0.0)
        score = size = 0.0
        shares = []
        for name, s in sums.items():
            log = abs(self.rate * s)
            # Where some would overflow, all are relative to the largest.
            large = most > 600  # noqa: PLR2004
            weight = exp(log - most) - exp(-log - most) if large else sinh(log)
            shares.append((abs(s), weight, math.copysign(1.0, s) * x[name]))
            score += weight * shares[-1][2]
            size += abs(weight * x[name])
        if abs(score) < NEAR * size:
            score = cancelled(shares)
        self.scored = score
        if (score >= 0) != y:
            self.updates += 1
            for name, value in x.items():
                change = (1.0 if y else -1.0) * value
                self.sums[name] = self.sums.get(name, 0.0) + change
        return score >= 0
