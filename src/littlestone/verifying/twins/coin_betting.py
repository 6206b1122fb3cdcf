"""Coin betting in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._charged import Charged
from littlestone.verifying.twins._scores import steepest_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CoinBetting"]

_LEAST = 2.0**-900  # products beyond it lose digits


class CoinBetting(Charged):
    """The twin of `littlestone.linear.CoinBetting`.

    Examples
    --------
    >>> from littlestone.verifying.twins import CoinBetting
    >>> twin = CoinBetting("absolute", bias=0.0)
    >>> twin.play({"a": 1.0}, 5.0)
    0.0
    >>> twin.weights
    {'a': 2.0}
    """

    def __init__(
        self,
        loss: Any = "logistic",
        wealth: float = 4.0,
        scale: float | None = None,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        super().__init__(loss, bias, class_weight)
        self.start, self.scale = wealth, scale
        self.wealth: dict[object, float] = {}
        self.up: dict[object, float] = {}
        self.down: dict[object, float] = {}
        self.largest: dict[object, float] = {}
        self.steepest = steepest_of(loss)
        self.held = 0.0  # the slope of the latest round, as far as it counts

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        return {
            name: self.bet(name, self.largest[name])
            for name in self.wealth
            if name is not self
        }

    def bet(self, name: object, largest: float) -> float:
        """Return the weight of a feature whose values have at most this size."""
        if name not in self.wealth:
            return 0.0
        most = self.scale or self.steepest * largest
        up, down = self.up[name], self.down[name]
        bets = up + down + most
        if _LEAST <= bets * most < 1.0 / _LEAST:
            return (up - down) * self.wealth[name] / (bets * most)
        return (up - down) / bets * (self.wealth[name] / most)

    def look(self, name: object, value: float) -> tuple[float, float]:
        """Return the value as it is, and its weight."""
        return value, self.bet(name, max(self.largest.get(name, 0.0), abs(value)))

    def learn(self, x: Mapping[object, float]) -> None:
        """Settle the bets."""
        length = 0.0
        for name, v in self.used.items():
            share = v / max(self.largest.get(name, 0.0), abs(v))
            length += share * share
        self.steepest = self.steepest or abs(self.slope)
        self.held = self.slope
        if self.scale is None:
            self.held = min(max(self.slope, -self.steepest), self.steepest)
        for name in self.used:
            g = self.held * x[name]
            if g == 0.0:
                continue
            if name in self.wealth:
                self.wealth[name] -= g * self.before[name]
            else:
                self.wealth[name] = self.start / math.sqrt(length)
                self.up[name] = self.down[name] = 0.0
            if g < 0.0:
                self.up[name] -= g
            else:
                self.down[name] += g
            self.largest[name] = max(self.largest.get(name, 0.0), abs(x[name]))
        self.steepest = max(self.steepest, abs(self.slope))
