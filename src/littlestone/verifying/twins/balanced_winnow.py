"""Balanced Winnow in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from littlestone.verifying.twins._exponential import exp, sinh

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
    >>> twin.logs
    {'a': -0.5}
    """

    def __init__(self, rate: float, scale: float = 1.0, bias: float = 0.0) -> None:
        self.rate, self.scale, self.bias = rate, scale, bias
        self.logs: dict[object, float] = {}
        self.updates = 0
        self.scored = 0.0  # the latest score, for `Auto`

    @property
    def weights(self) -> dict[object, float]:
        """Half the differences of the two weights, without the constant feature."""
        return {n: sinh(log) for n, log in self.logs.items() if n is not self}

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then change the logarithms if that was wrong."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        logs = {name: self.logs.get(name, 0.0) for name, value in x.items() if value}
        most = max(map(abs, logs.values()), default=0.0)
        score = 0.0
        for name, log in logs.items():
            if most <= 600:  # noqa: PLR2004 - larger ones are relative to the largest
                score += sinh(log) * x[name]
            else:
                size = exp(abs(log) - most) - exp(-abs(log) - most)
                score += math.copysign(size, log) * x[name]
        self.scored = score
        if (score >= 0) != y:
            self.updates += 1
            for name, value in x.items():
                change = self.rate * (1.0 if y else -1.0) * value
                self.logs[name] = self.logs.get(name, 0.0) + change
        return score >= 0
