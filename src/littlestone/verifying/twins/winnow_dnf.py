"""Winnow over terms in plain Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend
from littlestone.verifying.twins._near_ties import settled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["WinnowDNF"]

_MOST = 200_000  # terms that are true in one example; more would take too long
_USUAL = 2.0**16  # the threshold for features that are not declared


class WinnowDNF:
    """The twin of `littlestone.boolean.WinnowDNF`.

    A term is a tuple of pairs (feature, whether it must be true), in the order in which
    the features were met: each in the first mistake in which it is true.

    Examples
    --------
    >>> from littlestone.verifying.twins import WinnowDNF
    >>> twin = WinnowDNF(1, features=["a"])
    >>> twin.play({"a": 1}, True)
    False
    >>> twin.weights
    {(): 1.5, (('a', True),): 1.5}
    """

    def __init__(
        self,
        k: int = 2,
        features: int | Iterable[Any] | None = None,
        threshold: float | None = None,
        promotion: float = 1.5,
    ) -> None:
        declared = range(features) if isinstance(features, int) else features
        self.features: list[Any] = [] if declared is None else list(declared)
        self.k, self.promotion, self.updates = k, float(promotion), 0
        n, usual = len(self.features), _USUAL
        if declared is not None:
            usual = float(sum(math.comb(n, i) << i for i in range(min(k, n) + 1)))
        self.threshold = usual if threshold is None else float(threshold)
        self.weights: dict[tuple[tuple[Any, bool], ...], float] = {}

    def play(self, x: Mapping[Any, object], y: bool) -> bool:
        """Predict, then promote or demote the terms that are true if that was wrong."""
        true = {feature for feature, value in x.items() if value}
        new = true.difference(self.features)
        met = self.features + sorted(new, key=lambda f: (isinstance(f, str), f))
        n = len(met)
        terms = sum(math.comb(n, i) for i in range(min(self.k, n) + 1))
        if terms > _MOST:
            raise ValueError(f"there must be at most {_MOST:,} terms in one example")
        spend(terms)
        literals = [(feature, feature in true) for feature in met]
        active = list(self.terms(literals, self.k))
        total = 0.0
        for term in active:
            total += self.weights.get(term, 1.0)
        pairs = [(self.weights.get(term, 1.0), 1.0) for term in active]
        score = total - self.threshold
        predicted = settled(score, self.threshold, self.promotion, pairs) >= 0
        if predicted != y:
            self.updates += 1
            self.features = met
            for term in active:
                weight = self.weights.get(term, 1.0)
                weight = weight * self.promotion if y else weight / self.promotion
                self.weights[term] = max(weight, 2.0**-960)
        return predicted

    def terms(
        self, literals: list[tuple[Any, bool]], k: int
    ) -> Iterator[tuple[tuple[Any, bool], ...]]:
        """Yield the terms of at most k literals, by the last literal, then the rest."""
        yield ()
        for last in range(len(literals) if k else 0):
            for rest in self.terms(literals[:last], k - 1):
                yield (*rest, literals[last])
