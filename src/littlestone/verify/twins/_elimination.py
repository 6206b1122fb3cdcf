"""Elimination in plain Python, without a list of what is left.

A clause of at most k literals is left as long as no missed yes made it false. Over a
set of features exactly one clause is false in an example, and it is false in another
example too if the two agree on these features. So all that is left holds exactly if,
for every set of at most k features, some missed yes agrees with the example on it.
Features that nobody has met are false everywhere; one of them stands for all.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Elimination"]

_UNMET = object()


class Elimination:
    """A conjunction of clauses, or turned over, a disjunction of terms."""

    dual = False
    asks = True  # features themselves are among the literals
    forbids = True  # their negations are

    def __init__(self, k: int, features: int | Iterable[Any] | None) -> None:
        self.k = k
        self.closed = features is not None
        declared = range(features) if isinstance(features, int) else features
        self.features: list[Any] = list(declared or ())
        self.lessons: list[frozenset[Any]] = []
        self.rounds = 0
        self.unrealizable: int | None = None

    def play(self, x: Mapping[Any, float], y: bool) -> bool:
        """Predict, then keep the example if it shows that the rule asks too much."""
        true = frozenset(feature for feature, value in x.items() if value)
        predicted = self.holds(true) != self.dual
        if not self.closed:
            self.features += [f for f in true if f not in self.features]
        if predicted != y:
            if y != self.dual:
                self.lessons.append(true)
            elif self.unrealizable is None:
                self.unrealizable = self.rounds
        self.rounds += 1
        return predicted

    def holds(self, true: frozenset[Any]) -> bool:
        """Tell whether every clause that is false here was false in some lesson."""
        universe = [*self.features, *(true - set(self.features))]
        if not self.closed:
            universe.append(_UNMET)
        return all(
            any(
                all((f in lesson) == (f in true) for f in some)
                for lesson in self.lessons
            )
            for some in self._sets(universe)
            if all(self.forbids if f in true else self.asks for f in some)
        )

    def parts(self) -> set[frozenset[tuple[Any, bool]]]:
        """Return every clause that is left, or term: features, each with its sign."""
        found = set()
        for some in self._sets(self.features):
            # The one clause that is false where exactly these features are true.
            for true in map(
                frozenset,
                chain.from_iterable(
                    combinations(some, size) for size in range(len(some) + 1)
                ),
            ):
                if not all(self.forbids if f in true else self.asks for f in some):
                    continue
                if not any(lesson & set(some) == true for lesson in self.lessons):
                    found.add(frozenset((f, (f in true) == self.dual) for f in some))
        return found

    def _sets(self, universe: list[Any]) -> Iterator[tuple[Any, ...]]:
        return chain.from_iterable(
            combinations(universe, size) for size in range(1, self.k + 1)
        )
