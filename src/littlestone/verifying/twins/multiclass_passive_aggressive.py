"""Passive-Aggressive for many classes in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying._spending import spend

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

__all__ = ["MulticlassPassiveAggressive"]


class MulticlassPassiveAggressive:
    """The twin of `littlestone.linear.MulticlassPassiveAggressive`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MulticlassPassiveAggressive
    >>> twin = MulticlassPassiveAggressive(classes="ab")
    >>> twin.play({"x": 1.0}, "b")
    'a'
    >>> twin.weights
    {'a': {'x': -0.5}, 'b': {'x': 0.5}}
    """

    def __init__(
        self,
        C: float = 1.0,
        mode: str | None = "I",
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        self.C, self.mode, self.bias = C, mode, bias
        self.weights: dict[Hashable, dict[object, float]] = {
            label: {} for label in classes or ()
        }
        self.updates = 0
        # The latest, for the proof.
        self.step = 0.0
        self.rival: Hashable = None

    def play(self, x: Mapping[object, float], y: Hashable) -> Hashable:
        """Predict the class with the largest score, then move it and its rival."""
        spend(len(self.weights) * (1 + len(x)))
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        scores = {}
        for label, weights in self.weights.items():
            scores[label] = 0.0
            for name, value in x.items():
                scores[label] += weights.get(name, 0.0) * value
        said = max(scores, key=scores.__getitem__) if scores else None
        self.weights.setdefault(y, {})
        others = {label: score for label, score in scores.items() if label != y}
        square = 0.0
        for value in x.values():
            square += value * value
        if others and square:
            rival = max(others, key=others.__getitem__)
            loss = 1.0 - (scores.get(y, 0.0) - others[rival])
            if loss > 0:
                damping = 0.5 / self.C if self.mode == "II" else 0.0
                step = loss / (2.0 * square + damping)
                step = min(self.C, step) if self.mode == "I" else step
                self.updates += 1
                self.step, self.rival = step, rival
                self._move(y, x, step)
                self._move(rival, x, -step)
        return said

    def _move(self, label: Hashable, x: Mapping[object, float], step: float) -> None:
        weights = self.weights[label]
        for name, value in x.items():
            weights[name] = weights.get(name, 0.0) + step * value
