"""The matrix of second-order learners in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying._spending import spend
from littlestone.verifying.twins._near_ties import unless_rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FullMatrix"]

_MOST = 4096  # features; the learners take no more
_USUAL = 512  # features; in a larger matrix each number is a step
_AT_ONCE = 32  # numbers that take one step together in a usual one


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

    def look(self, x: Mapping[object, float]) -> tuple[float, float]:
        """Return w.x and x'S x of an example that may have features never met."""
        ridge, fresh = 0.0, 0.0
        for name, value in x.items():
            if name in self.weights:
                ridge += self.weights[name] * value
            else:
                fresh += value * value * self.start
        known = {name: value for name, value in x.items() if name in self.weights}
        self._spend(len(known) * len(self.weights))
        return ridge, self._pull(known)[1] + fresh

    def pull(self, x: Mapping[object, float]) -> tuple[dict[object, float], float]:
        """Enter the features of an example, and return S x and x'S x."""
        fresh = [name for name in x if name not in self.weights]
        size = len(self.weights) + len(fresh)
        if size > _MOST:
            raise ValueError(f"a full matrix must have at most {_MOST:,} features")
        self._spend(size**2)
        for name in fresh:
            self.inverse[name] = dict.fromkeys(self.weights, 0.0)
            for row in self.inverse.values():
                row[name] = 0.0
            self.inverse[name][name] = self.start
            self.weights[name] = 0.0
        return self._pull(x)

    def _spend(self, numbers: int) -> None:
        """Report that so many numbers of the matrix will be handled."""
        spend(numbers // (_AT_ONCE if numbers <= _USUAL**2 else 1))

    def _pull(self, x: Mapping[object, float]) -> tuple[dict[object, float], float]:
        pull = dict.fromkeys(self.weights, 0.0)
        for name, value in x.items():
            for other, entry in self.inverse[name].items():
                pull[other] += value * entry
        spread = 0.0
        for name, value in x.items():
            spread += value * pull[name]
        return pull, spread

    def step_by(self, step: float, pull: Mapping[object, float]) -> None:
        """Add a multiple of the pull to the weights."""
        for name in self.weights:
            self.weights[name] += step * pull[name]

    def take_by(self, divisor: float, pull: Mapping[object, float]) -> None:
        """Take the square of the pull over a divisor from the matrix."""
        for name in self.weights:
            share = pull[name] / divisor
            for other in self.weights:
                self.inverse[name][other] -= share * pull[other]

    def update(self, x: Mapping[object, float], miss: float) -> None:
        """Add an example to the matrix, and move the weights by the error."""
        pull, spread = self.pull({name: value for name, value in x.items() if value})
        divisor = self.damping + spread
        self.step_by(miss / divisor, pull)
        self.take_by(divisor, pull)
