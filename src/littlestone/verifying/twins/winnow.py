"""Winnow in plain Python."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._near_ties import settled

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Winnow"]


class Winnow:
    """The twin of `littlestone.linear.Winnow`.

    Examples
    --------
    >>> from littlestone.verifying.twins import Winnow
    >>> twin = Winnow(threshold=2.0)
    >>> twin.play({"a": 1.0}, True)
    False
    >>> twin.weights
    {'a': 2.0}
    """

    initial = 1.0  # the weight of a feature that has taught nothing

    def __init__(
        self, threshold: float, promotion: float = 2.0, eliminate: bool = False
    ) -> None:
        self.threshold, self.promotion = threshold, promotion
        self.eliminate = eliminate
        self.log = float(Decimal(promotion).ln())
        self.weights: dict[object, float] = {}
        self.updates = 0
        self.scored = 0.0  # the latest score, for `Auto`

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then promote or demote the active weights if that was wrong."""
        total = 0.0
        for name, value in x.items():
            total += self.weights.get(name, 1.0) * value
        pairs = [(self.weights.get(name, 1.0), value) for name, value in x.items()]
        self.scored = settled(
            total - self.threshold, self.threshold, self.promotion, pairs
        )
        predicted = self.scored >= 0
        if predicted != y:
            self.updates += 1
            for name, value in x.items():
                weight = self.weights.get(name, 1.0)
                if 0 < value < 1:
                    weight *= exp(value * (self.log if y else -self.log))
                elif value:
                    weight = weight * self.promotion if y else weight / self.promotion
                if self.eliminate:
                    self.weights[name] = 0.0 if value and not y else weight
                else:
                    self.weights[name] = max(weight, 2.0**-960)
        return predicted
