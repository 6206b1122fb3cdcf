"""AdaGrad for many classes in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend
from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._logarithm import log1p

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

__all__ = ["MulticlassAdaGrad"]

_STEPS = 16  # for a number and a class, with the exponentials of its proof


class MulticlassAdaGrad:
    """The twin of `littlestone.linear.MulticlassAdaGrad`.

    Attributes
    ----------
    scored, slopes
        By class, of the latest round, its own class included.
    used, before
        The values of its example as they were scored, without those of 0, and by class
        the weights that scored them.

    Examples
    --------
    >>> from littlestone.verifying.twins import MulticlassAdaGrad
    >>> twin = MulticlassAdaGrad(0.5, classes="ab", bias=0.0)
    >>> twin.play({"x": 2.0}, "b")
    'a'
    >>> twin.weights
    {'a': {'x': -0.25}, 'b': {'x': 0.25}}
    """

    def __init__(
        self,
        rate: float = 1.0,
        normalize: bool = True,
        classes: Iterable[Hashable] | None = None,
        bias: float = 1.0,
        class_weight: Any = None,
    ) -> None:
        self.class_weight: dict[Any, float] = dict(class_weight or ())
        self.counts = 1.0
        self.rate, self.normalize, self.bias = rate, normalize, bias
        # Of values divided by their scale.
        self.all: dict[Hashable, dict[object, float]] = {c: {} for c in classes or ()}
        self.squares: dict[Hashable, dict[object, float]] = {c: {} for c in self.all}
        self.scales: dict[object, float] = {}
        self.lengths, self.rows, self.step = 0.0, 0.0, rate
        self.updates, self.own, self.paid = 0, 0.0, 0.0
        self.scored: dict[Hashable, float] = {}
        self.slopes: dict[Hashable, float] = {}
        self.used: dict[object, float] = {}
        self.before: dict[Hashable, dict[object, float]] = {}

    @property
    def weights(self) -> dict[Hashable, dict[object, float]]:
        """The weights, without the constant feature."""
        return {
            label: {
                name: w / self.scales[name] if self.normalize else w
                for name, w in weights.items()
                if name is not self
            }
            for label, weights in self.all.items()
        }

    def play(
        self, x: Mapping[object, float], y: Hashable, weight: float = 1.0
    ) -> Hashable:
        """Predict the class with the largest score, then step against the slopes."""
        spend(_STEPS * len(self.all) * (1 + len(x)))
        # The twin itself names the constant feature, which occurs in no example.
        x = {**x, self: self.bias} if self.bias else x
        self.used = {name: self._share(name, v) for name, v in x.items() if v != 0.0}
        scores = {label: self._score(weights) for label, weights in self.all.items()}
        said = max(scores, key=scores.__getitem__) if scores else None
        self.counts = weight = weight * self.class_weight.get(y, 1.0)
        if weight == 0.0:
            self.paid, self.slopes = 0.0, {}
            return said
        fresh = y not in self.all
        for kept in (self.all, self.squares):
            kept.setdefault(y, {})
        self.scored = {**scores, y: scores.get(y, 0.0)}
        paid, slopes = price_of(self.scored, y)
        self.paid = weight * paid
        self.own += self.paid
        self.slopes = {label: slope * weight for label, slope in slopes.items()}
        moves = any(slope != 0.0 for slope in self.slopes.values())
        self.updates += moves or fresh
        self.before = {
            label: {name: weights.get(name, 0.0) for name in self.used}
            for label, weights in self.all.items()
        }
        if moves:
            self._learn(x)
        return said

    def _share(self, name: object, value: float) -> float:
        if self.normalize:
            return value / max(self.scales.get(name, 0.0), abs(value))
        return value

    def _score(self, weights: Mapping[object, float]) -> float:
        score = 0.0
        for name, v in self.used.items():
            score += weights.get(name, 0.0) * v
        return score

    def _learn(self, x: Mapping[object, float]) -> None:
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
            for label, slope in self.slopes.items():
                g = slope * v
                squares = self.squares[label].get(name, 0.0) + g * g
                self.squares[label][name] = squares
                moved = self.step * g / math.sqrt(squares) if squares > 0.0 else 0.0
                self.all[label][name] = self.before[label][name] - moved


def price_of(
    scores: Mapping[Hashable, float], y: Hashable
) -> tuple[float, dict[Hashable, float]]:
    """Return the log loss of softmax probabilities, and its slope in each score.

    Examples
    --------
    >>> from littlestone.verifying.twins.multiclass_ada_grad import price_of
    >>> price_of({"a": 0.0, "b": 0.0}, "b")
    (0.6931471805599453, {'a': 0.5, 'b': -0.5})
    """
    best = max(scores, key=scores.__getitem__)
    sizes, others = {}, 0.0
    for label, score in scores.items():
        sizes[label] = 1.0 if label == best else exp(score - scores[best])
        others += 0.0 if label == best else sizes[label]
    chances = {label: size / (1.0 + others) for label, size in sizes.items()}
    rest = 0.0
    for label, chance in chances.items():
        rest += 0.0 if label == y else chance
    paid = log1p(others) + (scores[best] - scores[y])
    return paid, chances | {y: -rest}
