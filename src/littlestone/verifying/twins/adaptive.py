"""Adaptive conformal intervals in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Adaptive"]


class Adaptive:
    """The twin of `littlestone.conformal.Adaptive` where examples are forecasts.

    Examples
    --------
    >>> from littlestone.verifying.twins import Adaptive
    >>> twin = Adaptive(level=0.5, rate=0.25)
    >>> [twin.play({"forecast": 0.0}, y) for y in (1.0, -2.0, 3.0)], twin.misses
    ([0.0, 0.0, 0.0], 2)
    """

    def __init__(
        self,
        forecaster: None = None,
        level: float = 0.9,
        rate: float = 0.05,
        window: int = 1000,
    ) -> None:
        if forecaster is not None:
            raise ValueError("examples must be forecasts")
        self.alpha = self.share = 1.0 - level
        self.rate, self.window = rate, window
        self.errors: list[float] = []
        self.updates = self.misses = 0
        self.own = 0.0

    def play(self, x: Mapping[object, float], y: float) -> float:
        """Forecast what the example says, then correct the share."""
        forecast, kept = x.get("forecast", 0.0), sorted(self.errors)
        reach = math.ceil((len(kept) + 1) * (1.0 - self.share))
        if self.share <= 0.0 or reach > len(kept):
            missed = False
        elif self.share >= 1.0 or reach < 1:
            missed = True
        else:
            size = kept[reach - 1]
            missed = not forecast - size <= y <= forecast + size
        self.misses += missed
        self.updates += 1
        self.share += self.rate * (self.alpha - missed)
        self.own += abs(y - forecast)
        self.errors = [*self.errors, abs(y - forecast)][-self.window :]
        return forecast
