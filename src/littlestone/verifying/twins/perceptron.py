"""The Perceptron in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from littlestone.verifying.twins._near_ties import unless_rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Perceptron"]


class Perceptron:
    """The twin of `littlestone.linear.Perceptron`.

    Examples
    --------
    >>> from littlestone.verifying.twins import Perceptron
    >>> twin = Perceptron()
    >>> twin.play({"a": 2.0}, False)
    True
    >>> twin.weights
    {'a': -2.0}
    """

    def __init__(
        self,
        update: str = "mistake",
        normalize: bool = False,
        bias: float = 0.0,
        strict: bool = False,
    ) -> None:
        self.update, self.normalize, self.bias = update, normalize, bias
        self.tie = -(2.0**-1074) if strict else 0.0  # a no scores below 0
        self.weights: dict[object, float] = {}
        self.bias_weight = 0.0
        self.updates = 0
        self.scored = 0.0  # the latest score, for `Auto`

    def score(self, x: Mapping[object, float]) -> float:
        """Return w.x, the constant feature last."""
        total = 0.0
        for name, value in x.items():
            total += self.weights.get(name, 0.0) * value
        return total + self.bias_weight * self.bias

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then add the example if that was wrong."""
        score = self.scored = self._score(x)
        short = score <= 0 if y else score >= self.tie
        wrong = short if self.update == "margin" else (score >= 0) != y
        if wrong:
            self.add(x, y)
        return score >= 0

    def predict(self, x: Mapping[object, float]) -> bool:
        """Predict, and learn nothing."""
        return self._score(x) >= 0

    def add(self, x: Mapping[object, float], y: bool) -> None:
        """Add the example, whatever would be predicted."""
        sign = 1.0 if y else -1.0
        self.updates += 1
        for name, value in self._scaled(x).items():
            self.weights[name] = self.weights.get(name, 0.0) + sign * value
        self.bias_weight += sign * self.bias

    def _score(self, x: Mapping[object, float]) -> float:
        """Return the score of a row as it comes, that of a tie if it is one."""
        score = self._settled(x)
        return self.tie if self.tie and score == 0 else score

    def _settled(self, x: Mapping[object, float]) -> float:
        """Return w.x; 0 if only the rounding of lengths keeps it from there."""
        if not self.normalize:
            return self.score(x)
        scaled = self._scaled(x)
        products = [self.weights.get(name, 0.0) * v for name, v in scaled.items()]
        # The last: a weight that should be 0 has the rounding errors of examples.
        products += [self.bias_weight * self.bias, 2.0**-10]
        return unless_rounding(self.score(scaled), products)

    def _scaled(self, x: Mapping[object, float]) -> Mapping[object, float]:
        if not self.normalize:
            return x
        squares = 0.0
        for value in x.values():
            squares += value * value
        length = math.sqrt(squares) or 1.0
        return {name: value / length for name, value in x.items()}
