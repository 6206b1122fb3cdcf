"""The Perceptron for many classes in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.verifying._spending import spend

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

__all__ = ["MulticlassPerceptron"]


class MulticlassPerceptron:
    """The twin of `littlestone.linear.MulticlassPerceptron`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MulticlassPerceptron
    >>> twin = MulticlassPerceptron(classes="ab")
    >>> twin.play({"x": 1.0}, "b")
    'a'
    >>> twin.weights
    {'a': {'x': -1.0}, 'b': {'x': 1.0}}
    """

    def __init__(
        self, classes: Iterable[Hashable] | None = None, bias: float = 0.0
    ) -> None:
        self.bias = bias
        self.weights: dict[Hashable, dict[object, float]] = {
            label: {} for label in classes or ()
        }
        self.updates = 0

    def play(self, x: Mapping[object, float], y: Hashable) -> Hashable:
        """Predict the class with the largest score, then move it and the right one."""
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
        if said is not None and said != y:
            self.updates += 1
            self._move(y, x, 1.0)
            self._move(said, x, -1.0)
        return said

    def _move(self, label: Hashable, x: Mapping[object, float], step: float) -> None:
        weights = self.weights[label]
        for name, value in x.items():
            weights[name] = weights.get(name, 0.0) + step * value
