"""Passive-Aggressive in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying.twins._near_ties import unless_rounding

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PassiveAggressive"]


class PassiveAggressive:
    """The twin of `littlestone.linear.PassiveAggressive`.

    Examples
    --------
    >>> from littlestone.verifying.twins import PassiveAggressive
    >>> twin = PassiveAggressive(mode=None)
    >>> twin.play({"a": 2.0}, False)
    True
    >>> twin.weights
    {'a': -0.5}
    """

    def __init__(
        self, C: float = 1.0, mode: str | None = "I", bias: float = 0.0
    ) -> None:
        self.C, self.mode, self.bias = C, mode, bias
        self.weights: dict[object, float] = {}
        self.bias_weight = 0.0
        self.updates = 0
        self.step = 0.0  # the latest, for the proof
        self.scored = 0.0  # the latest score, for `Auto`

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then move as far as the loss requires."""
        score = square = 0.0
        products = [self.weights.get(name, 0.0) * value for name, value in x.items()]
        products.append(self.bias_weight * self.bias)
        for product in products:
            score += product
        score = unless_rounding(score, products)
        for value in x.values():
            square += value * value
        square += self.bias * self.bias
        self.scored = score
        sign = 1.0 if y else -1.0
        loss = 1.0 - sign * score
        if loss > 0 and square > 0:
            step = loss / (square + 0.5 / self.C if self.mode == "II" else square)
            if self.mode == "I":
                step = min(self.C, step)
            self.updates += 1
            self.step = step
            for name, value in x.items():
                change = step * sign * value
                self.weights[name] = self.weights.get(name, 0.0) + change
            self.bias_weight += step * sign * self.bias
        return score >= 0
