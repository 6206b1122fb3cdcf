"""The averaged Perceptron in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["AveragedPerceptron"]


class AveragedPerceptron:
    """The twin of `littlestone.linear.AveragedPerceptron`.

    Examples
    --------
    >>> from littlestone.verifying.twins import AveragedPerceptron
    >>> twin = AveragedPerceptron()
    >>> [twin.play({"a": 1.0}, y) for y in (True, False, True)]
    [True, True, False]
    >>> twin.weights
    {'a': -0.3333333333333333}
    """

    def __init__(self, bias: float = 0.0) -> None:
        self.bias, self.round, self.updates = bias, 0, 0
        self.scored = 0.0  # the latest score, for `Auto`
        self.latest: dict[object, float] = {}
        self.moments: dict[object, float] = {}

    def _mean(self, weight: float, moment: float) -> float:
        return ((self.round + 1) * weight - moment) / max(self.round, 1)

    @property
    def weights(self) -> dict[object, float]:
        """The mean weights, without the constant feature."""
        return {
            name: self._mean(weight, self.moments[name])
            for name, weight in self.latest.items()
            if name is not self
        }

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict by the mean, then learn as the Perceptron does."""
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        latest = moment = 0.0
        for name, value in x.items():
            latest += self.latest.get(name, 0.0) * value
            moment += self.moments.get(name, 0.0) * value
        self.scored = self._mean(latest, moment)
        self.round += 1
        if (latest >= 0) != y:
            self.updates += 1
            sign = 1.0 if y else -1.0
            for name, value in x.items():
                self.latest[name] = self.latest.get(name, 0.0) + sign * value
                change = sign * value * self.round
                self.moments[name] = self.moments.get(name, 0.0) + change
        return self.scored >= 0
