"""The second-order Perceptron in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying.twins._full_matrix import FullMatrix
from littlestone.verifying.twins._near_ties import unless_rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SecondOrderPerceptron"]


class SecondOrderPerceptron:
    """The twin of `littlestone.linear.SecondOrderPerceptron`.

    Examples
    --------
    >>> from littlestone.verifying.twins import SecondOrderPerceptron
    >>> twin = SecondOrderPerceptron()
    >>> twin.play({"a": 1.0}, False)
    True
    >>> twin.weights
    {'a': -0.5}
    """

    def __init__(
        self, r: float = 1.0, diagonal: bool = True, bias: float = 0.0
    ) -> None:
        self.r, self.bias = r, bias
        self.matrix = None if diagonal else FullMatrix(1.0 / r, 1.0)
        self.sums: dict[object, float] = {}
        self.squares: dict[object, float] = {}
        self.updates = 0
        self.scored = 0.0  # the latest score, for `Auto`

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        named = (
            self.matrix.weights
            if self.matrix
            else {n: s / (self.r + self.squares[n]) for n, s in self.sums.items()}
        )
        return {name: weight for name, weight in named.items() if name is not self}

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then add the example if that was wrong."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        sign, score = 1.0 if y else -1.0, 0.0
        if self.matrix:
            score = self.scored = self.matrix.score(x)
            if (score >= 0) != y:
                self.updates += 1
                self.matrix.update(x, sign - score)
            return score >= 0
        shares = [
            self.sums.get(name, 0.0)
            * v
            / (self.r + self.squares.get(name, 0.0) + v * v)
            for name, v in x.items()
        ]
        for share in shares:
            score += share
        score = self.scored = unless_rounding(score, shares)
        if (score >= 0) != y:
            self.updates += 1
            for name, v in x.items():
                self.sums[name] = self.sums.get(name, 0.0) + sign * v
                self.squares[name] = self.squares.get(name, 0.0) + v * v
        return score >= 0
