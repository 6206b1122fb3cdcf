"""What the twins of learners that follow slopes share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._scores import prediction_of, price_of

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Charged"]


class Charged(ABC):
    """A learner that scores an example, pays for the score, and follows the slope.

    Attributes
    ----------
    scored, paid, slope
        Of the latest round.
    counts
        How often it counts, by the weight of its class.
    used, before
        The values of its example as they were scored, without those of 0, and the
        weights that scored them.
    """

    def __init__(self, loss: Any, bias: float, class_weight: Any = None) -> None:
        self.loss, self.bias = loss, bias
        self.class_weight: dict[Any, float] = dict(class_weight or ())
        self.counts = 1.0
        self.updates, self.own = 0, 0.0
        self.scored = self.paid = self.slope = 0.0
        self.used: dict[object, float] = {}
        self.before: dict[object, float] = {}

    @abstractmethod
    def look(self, name: object, value: float) -> tuple[float, float]:
        """Return a value as it is scored, and the weight that scores it."""

    @abstractmethod
    def learn(self, x: Mapping[object, float]) -> None:
        """Follow the slope."""

    def play(self, x: Mapping[object, float], y: Any, weight: float = 1.0) -> Any:
        """Predict, then follow the slope of the loss."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        self.used, self.before, self.scored = {}, {}, 0.0
        for name, v in x.items():
            if v != 0.0:
                self.used[name], self.before[name] = self.look(name, v)
                self.scored += self.before[name] * self.used[name]
        paid, slope = price_of(self.loss, self.scored, y)
        self.counts = weight = weight * self.class_weight.get(y, 1.0)
        self.paid, self.slope = paid * weight, slope * weight
        self.own += self.paid
        if self.slope != 0.0:
            self.updates += 1
            self.learn(x)
        return prediction_of(self.loss, self.scored)
