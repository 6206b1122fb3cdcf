"""Vovk, Azoury and Warmuth's forecaster in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying.twins._full_matrix import FullMatrix

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VovkAzouryWarmuth"]


class VovkAzouryWarmuth:
    """The twin of `littlestone.linear.VovkAzouryWarmuth`.

    Examples
    --------
    >>> from littlestone.verifying.twins import VovkAzouryWarmuth
    >>> twin = VovkAzouryWarmuth(bias=0.0)
    >>> twin.play({"a": 1.0}, 3.0), twin.play({"a": 1.0}, 3.0)
    (0.0, 1.0)
    """

    def __init__(self, a: float = 1.0, bias: float = 1.0) -> None:
        self.bias = bias
        self.matrix = FullMatrix(1.0 / a, 1.0)
        self.updates, self.own = 0, 0.0
        self.scored = self.paid = self.slope = 0.0
        self.used: dict[object, float] = {}
        self.spread = 0.0  # x'S x of the latest round

    @property
    def weights(self) -> dict[object, float]:
        """The weights of ridge regression, without the constant feature."""
        named = self.matrix.weights.items()
        return {name: weight for name, weight in named if name is not self}

    def play(self, x: Mapping[object, float], y: float, weight: float = 1.0) -> float:
        """Predict with the example in the matrix, then learn its outcome."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        self.used = x = {name: v for name, v in x.items() if v != 0.0}
        ridge, self.spread = self.matrix.look(x)
        self.scored = ridge / (1.0 + self.spread)
        miss = self.scored - float(y)
        self.paid, self.slope = miss * miss * weight, 2.0 * miss * weight
        self.own += self.paid
        if weight and x:
            self.updates += 1
            self.matrix.update(x, float(y) - ridge)
        return self.scored
