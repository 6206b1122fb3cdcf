"""Exponentiated gradient in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._charged import Charged
from littlestone.verifying.twins._exponential import sinh

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ExponentiatedGradient"]


class ExponentiatedGradient(Charged):
    """The twin of `littlestone.linear.ExponentiatedGradient`.

    Examples
    --------
    >>> from littlestone.verifying.twins import ExponentiatedGradient
    >>> twin = ExponentiatedGradient("absolute", rate=0.5, scale=1.0, bias=0.0)
    >>> twin.play({"a": 1.0}, 3.0)
    0.0
    >>> twin.logs
    {'a': 0.5}
    """

    def __init__(
        self,
        loss: Any = "logistic",
        rate: float = 0.1,
        scale: float = 0.1,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        super().__init__(loss, bias, class_weight)
        self.rate, self.scale = rate, scale
        self.logs: dict[object, float] = {}
        self.all: dict[object, float] = {}
        self.moves: dict[object, tuple[float, float]] = {}  # of the latest round

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        return {name: w for name, w in self.all.items() if name is not self}

    def look(self, name: object, value: float) -> tuple[float, float]:
        """Return the value as it is, and its weight."""
        return value, self.all.get(name, 0.0)

    def learn(self, x: Mapping[object, float]) -> None:  # noqa: ARG002 - used as it is
        """Step in the logarithms."""
        step = self.rate * self.slope
        for name, v in self.used.items():
            before = self.logs.get(name, 0.0)
            self.logs[name] = before - step * v
            self.moves[name] = before, self.logs[name]
            self.all[name] = self.scale * sinh(self.logs[name])
