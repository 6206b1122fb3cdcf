"""The matrix of second-order learners in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying.twins._near_ties import unless_rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FullMatrix"]


class FullMatrix:
    """Weights, and the inverse of a matrix to which examples are added."""

    def __init__(self, start: float, damping: float) -> None:
        self.start, self.damping = start, damping
        self.weights: dict[object, float] = {}
        self.inverse: dict[object, dict[object, float]] = {}

    def score(self, x: Mapping[object, float]) -> float:
        """Return the weighted sum."""
        total = 0.0
        products = [self.weights.get(name, 0.0) * value for name, value in x.items()]
        for product in products:
            total += product
        return unless_rounding(total, products)

    def update(self, x: Mapping[object, float], miss: float) -> None:
        """Add an example to the matrix, and move the weights by the error."""
        x = {name: value for name, value in x.items() if value}
        for name in x:
            if name not in self.weights:
                self.inverse[name] = dict.fromkeys(self.weights, 0.0)
                for row in self.inverse.values():
                    row[name] = 0.0
                self.inverse[name][name] = self.start
                self.weights[name] = 0.0
        pull = dict.fromkeys(self.weights, 0.0)
        for name, value in x.items():
            for other, entry in self.inverse[name].items():
                pull[other] += value * entry
        spread = 0.0
        for name, value in x.items():
            spread += value * pull[name]
        divisor = self.damping + spread
        for name in self.weights:
            self.weights[name] += miss / divisor * pull[name]
            share = pull[name] / divisor
            for other in self.weights:
                self.inverse[name][other] -= share * pull[other]
