"""AdaGrad in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._charged import Charged

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AdaGrad"]


class AdaGrad(Charged):
    """The twin of `littlestone.linear.AdaGrad`.

    Examples
    --------
    >>> from littlestone.verifying.twins import AdaGrad
    >>> twin = AdaGrad("square", rate=0.5, bias=0.0)
    >>> twin.play({"a": 100.0}, 3.0)
    0.0
    >>> twin.weights
    {'a': 0.005}
    """

    def __init__(
        self,
        loss: Any = "logistic",
        rate: float = 1.0,
        normalize: bool = True,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        super().__init__(loss, bias, class_weight)
        self.rate, self.normalize = rate, normalize
        self.all: dict[object, float] = {}  # of values divided by their scale
        self.squares: dict[object, float] = {}
        self.scales: dict[object, float] = {}
        self.lengths, self.rows = 0.0, 0.0
        self.step = rate

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        return {
            name: w / self.scales[name] if self.normalize else w
            for name, w in self.all.items()
            if name is not self
        }

    def look(self, name: object, value: float) -> tuple[float, float]:
        """Return the value over the largest of its feature so far, and its weight."""
        if self.normalize:
            value = value / max(self.scales.get(name, 0.0), abs(value))
        return value, self.all.get(name, 0.0)

    def learn(self, x: Mapping[object, float]) -> None:
        """Step against the slope, each feature by a rate of its own."""
        if self.normalize:
            length = 0.0
            for v in self.used.values():
                length += v * v
            self.lengths += length
            self.rows += 1.0
            if self.lengths > 0.0:
                self.step = self.rate / math.sqrt(self.lengths / self.rows)
        for name, v in self.used.items():
            self.scales[name] = max(self.scales.get(name, 0.0), abs(x[name]))
            g = self.slope * v
            self.squares[name] = squares = self.squares.get(name, 0.0) + g * g
            moved = self.step * g / math.sqrt(squares) if squares > 0.0 else 0.0
            self.all[name] = self.before[name] - moved
