"""Online gradient descent in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._charged import Charged

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["GradientDescent"]


class GradientDescent(Charged):
    """The twin of `littlestone.linear.GradientDescent`.

    Examples
    --------
    >>> from littlestone.verifying.twins import GradientDescent
    >>> twin = GradientDescent("square", rate=0.25, bias=0.0)
    >>> twin.play({"a": 2.0}, 3.0)
    0.0
    >>> twin.weights, twin.own
    ({'a': 3.0}, 9.0)
    """

    def __init__(
        self,
        loss: Any = "logistic",
        rate: float = 0.1,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        super().__init__(loss, bias, class_weight)
        self.rate = rate
        self.all: dict[object, float] = {}

    @property
    def weights(self) -> dict[object, float]:
        """The weights, without the constant feature."""
        return {name: w for name, w in self.all.items() if name is not self}

    def look(self, name: object, value: float) -> tuple[float, float]:
        """Return the value as it is, and its weight."""
        return value, self.all.get(name, 0.0)

    def learn(self, x: Mapping[object, float]) -> None:  # noqa: ARG002 - used as it is
        """Step against the slope."""
        step = self.rate * self.slope
        for name, v in self.used.items():
            self.all[name] = self.before[name] - step * v
