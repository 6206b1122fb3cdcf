"""Follow the proximally regularized leader, in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._charged import Charged

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FTRL"]


class FTRL(Charged):
    """The twin of `littlestone.linear.FTRL`.

    Examples
    --------
    >>> from littlestone.verifying.twins import FTRL
    >>> twin = FTRL("square", bias=0.0)
    >>> twin.play({"a": 1.0}, 1.0)
    0.0
    >>> round(twin.weights["a"], 3)
    0.333
    """

    def __init__(  # noqa: PLR0917 - those of the learner
        self,
        loss: Any = "logistic",
        rate: float = 1.0,
        l1: float = 1.0,
        l2: float = 0.0,
        normalize: bool = True,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        super().__init__(loss, bias, class_weight)
        self.rate, self.l1, self.l2, self.normalize = rate, l1, l2, normalize
        self.sums: dict[object, float] = {}
        self.squares: dict[object, float] = {}
        self.scales: dict[object, float] = {}
        self.steps: dict[object, float] = {}  # of the latest round

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        return {
            name: self.weight(name) / self.scales[name]
            if self.normalize and self.weight(name)
            else self.weight(name)
            for name in self.sums
            if name is not self
        }

    def weight(self, name: object) -> float:
        """Return the weight of a value as it is scored."""
        total = self.sums.get(name, 0.0)
        size = abs(total)
        if size <= self.l1:
            return 0.0
        beyond = self.l1 - size if total > 0.0 else size - self.l1
        root = math.sqrt(self.squares.get(name, 0.0))
        return beyond / ((1.0 + root) / self.rate + self.l2)

    def look(self, name: object, value: float) -> tuple[float, float]:
        """Return the value over the largest of its feature so far, and its weight."""
        if self.normalize:
            value = value / max(self.scales.get(name, 0.0), abs(value))
        return value, self.weight(name)

    def learn(self, x: Mapping[object, float]) -> None:
        """Add the tangent and its regularization."""
        for name, v in self.used.items():
            g = self.slope * v
            self.scales[name] = max(self.scales.get(name, 0.0), abs(x[name]))
            before = self.squares.get(name, 0.0)
            self.squares[name] = before + g * g
            step = (math.sqrt(self.squares[name]) - math.sqrt(before)) / self.rate
            self.steps[name] = step
            self.sums[name] = self.sums.get(name, 0.0) + (g - step * self.before[name])
