"""AROW in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying.twins._full_matrix import FullMatrix
from littlestone.verifying.twins._near_ties import unless_rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AROW"]


class AROW:
    """The twin of `littlestone.linear.AROW`.

    Examples
    --------
    >>> from littlestone.verifying.twins import AROW
    >>> twin = AROW()
    >>> twin.play({"a": 1.0}, False)
    True
    >>> twin.weights
    {'a': -0.5}
    """

    def __init__(
        self, r: float = 1.0, diagonal: bool = True, bias: float = 0.0
    ) -> None:
        self.r, self.bias = r, bias
        self.matrix = None if diagonal else FullMatrix(1.0, r)
        self.means: dict[object, float] = {}
        self.variances: dict[object, float] = {}
        self.updates = 0
        self.scored = 0.0  # the latest score, for `Auto`
        self.step = 0.0  # the latest, for the proof

    @property
    def weights(self) -> dict[object, float]:
        """The mean weights, without the constant feature."""
        named = self.matrix.weights if self.matrix else self.means
        return {name: weight for name, weight in named.items() if name is not self}

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then move the mean and shrink the variance if the margin is low."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        sign, score, spread = 1.0 if y else -1.0, 0.0, 0.0
        if self.matrix:
            score = self.scored = self.matrix.score(x)
            if sign * score < 1.0 and any(
                x.values()
            ):  # no step changes the score of a zero example
                self.updates += 1
                self.matrix.update(x, sign - score)
            return score >= 0
        products = [self.means.get(name, 0.0) * v for name, v in x.items()]
        for product in products:
            score += product
        for name, v in x.items():
            spread += v * v * self.variances.get(name, 1.0)
        score = self.scored = unless_rounding(score, products)
        loss = 1.0 - sign * score
        if loss > 0 and spread > 0:
            self.updates += 1
            self.step = loss / (spread + self.r)
            step = self.step * sign
            for name, v in x.items():
                variance = self.variances.get(name, 1.0)
                pull = variance * v
                self.means[name] = self.means.get(name, 0.0) + step * pull
                self.variances[name] = variance * (self.r / (self.r + pull * v))
        return score >= 0
