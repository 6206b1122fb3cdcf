"""AIOLI in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._full_matrix import FullMatrix
from littlestone.verifying.twins._scores import price_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AIOLI"]

_MOST_STEPS = 64


class AIOLI:
    """The twin of `littlestone.linear.AIOLI`.

    Attributes
    ----------
    scored, paid, slope, bend, spread, counts
        Of the latest round; the spread is x'S x before it.

    Examples
    --------
    >>> from littlestone.verifying.twins import AIOLI
    >>> twin = AIOLI(1.0, reach=0.0, bias=0.0)
    >>> twin.play({"a": 1.0}, True)
    True
    >>> twin.weights
    {'a': 0.4}
    """

    def __init__(
        self,
        a: float = 0.1,
        reach: float = 3.0,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        self.reach, self.bias = reach, bias
        self.class_weight: dict[Any, float] = dict(class_weight or ())
        self.matrix = FullMatrix(1.0 / a, 1.0)
        self.updates, self.own, self.counts = 0, 0.0, 1.0
        self.scored = self.paid = self.slope = self.bend = self.spread = 0.0
        self.used: dict[object, float] = {}

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        named = self.matrix.weights.items()
        return {name: weight for name, weight in named if name is not self}

    def play(self, x: Mapping[object, float], y: Any, weight: float = 1.0) -> bool:
        """Predict after weighing both labels, then learn that of the example."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        self.used = x = {name: v for name, v in x.items() if v != 0.0}
        ridge, self.spread = self.matrix.look(x)
        self.scored = settled(ridge, self.spread)
        paid, slope = price_of("logistic", self.scored, y)
        self.counts = weight = weight * self.class_weight.get(y, 1.0)
        self.paid, self.slope = paid * weight, slope * weight
        self.own += self.paid
        e = exp(-abs(self.scored))
        self.bend = weight * (e / ((1.0 + e) * (1.0 + e))) / (1.0 + self.reach)
        if self.slope != 0.0 and x:
            self.updates += 1
            pull, spread = self.matrix.pull(x)
            divisor = 1.0 + self.bend * spread
            step = -(self.slope + self.bend * (ridge - self.scored)) / divisor
            self.matrix.step_by(step, pull)
            if self.bend > 0.0:
                self.matrix.take_by(divisor / self.bend, pull)
        return self.scored >= 0.0


def settled(r: float, v: float) -> float:
    """Return the z with z + v tanh(z/2) = r, by Newton's steps from 0.

    Examples
    --------
    >>> from littlestone.verifying.twins.aioli import settled
    >>> settled(0.0, 3.0), settled(2.0, 0.0)
    (0.0, 2.0)
    """
    size, z = abs(r), 0.0
    for _ in range(_MOST_STEPS):
        e = exp(-z)
        above = 1.0 + e
        left = size - (z + v * ((1.0 - e) / above))
        further = z + left / (1.0 + 2.0 * v * (e / (above * above)))
        if not further > z:
            break
        z = further
    return -z if r < 0.0 else z
