"""The Aggregating Algorithm in plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from littlestone.theorems._rounding import float_down
from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._logarithm import log
from littlestone.verifying.twins._losses import kind_of
from littlestone.verifying.twins._sums import weighted
from littlestone.verifying.twins.exponential_weights import Weighing

__all__ = ["AggregatingAlgorithm"]


class AggregatingAlgorithm(Weighing):
    """The twin of `littlestone.experts.AggregatingAlgorithm`.

    Examples
    --------
    >>> from littlestone.verifying.twins import AggregatingAlgorithm
    >>> twin = AggregatingAlgorithm("log", outcomes=("no", "yes"))
    >>> twin.play({"ann": [0.5, 0.5], "bob": [0.25, 0.75]}, "yes")
    [0.375, 0.625]
    """

    def __init__(
        self,
        loss: Any = "brier",
        *,
        outcomes: Any = None,
        interval: Any = None,
        experts: Any = None,
    ) -> None:
        self.eta, self.outcomes = 1.0, outcomes
        self.ends = low, high = tuple(map(float, interval or (0.0, 1.0)))
        if kind_of(loss) == "square":
            self.eta = float_down(2 / (Fraction(high) - Fraction(low)) ** 2)
        super().__init__(loss, experts=experts)

    def play(self, x: Any, y: Any) -> Any:
        """Predict, then charge the experts awake."""
        x = x if isinstance(x, Mapping) else dict(enumerate(x))
        if kind_of(self.loss) == "square":
            for number in (*x.values(), y):
                if not self.ends[0] <= number <= self.ends[1]:
                    raise ValueError(f"{number!r} must lie in the interval")
            return super().play(x, y)
        spread = {
            name: p if isinstance(p, list) else [1.0 - p, p] for name, p in x.items()
        }
        return super().play(spread, y if self.outcomes is None else self._number(y))

    def combine(self, weights: list[float], advice: list[Any]) -> Any:
        """Return what loses no more than the mix on any outcome."""
        if kind_of(self.loss) == "square":
            return self._number_of(weights, advice)
        if kind_of(self.loss) != "brier":
            return super().combine(weights, advice)
        mix = []
        for k in range(len(advice[0])):
            left = []
            for p in advice:
                squares = 0.0
                for chance in p:
                    squares += chance * chance
                left.append(exp(-(squares + (1.0 - 2.0 * p[k]))))
            total, moment = weighted(weights, left)
            mix.append(-log(moment / total))
        ranked, below, level = sorted(mix), 0.0, 0.0
        for count, loss in enumerate(ranked, start=1):
            below += loss
            level = (2.0 + below) / count
            if count == len(ranked) or level <= ranked[count]:
                break
        return [max(0.0, level - loss) / 2.0 for loss in mix]

    def _number_of(self, weights: list[float], advice: list[float]) -> float:
        low, high = self.ends
        left = []
        for end in low, high:
            terms = []
            for f in advice:
                apart = f - end
                terms.append(exp(-self.eta * (apart * apart)))
            left.append(weighted(weights, terms)[1])
        middle = 0.5 * low + 0.5 * high
        said = middle + log(left[1] / left[0]) / (2.0 * self.eta * (high - low))
        advised = [f for w, f in zip(weights, advice, strict=True) if w > 0]
        return min(max(said, min(advised)), max(advised))

    def _number(self, outcome: Any) -> int:
        return list(self.outcomes).index(outcome)
