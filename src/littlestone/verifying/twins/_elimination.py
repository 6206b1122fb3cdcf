"""Elimination in plain Python, without a list of the clauses that are left.

A clause is left as long as it held in every lesson, a lesson being a missed yes. A
clause that is false in an example held in a lesson exactly if the lesson differs from
the example in one of its features. So a clause of at most k literals is left and false
exactly if at most k features distinguish the example from every lesson.
"""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Elimination"]

_MOST = 200_000  # steps for one example; more would take too long
_AT_ONCE = 32  # lessons that take one step together


class Elimination:
    """A conjunction of clauses, or its dual, a disjunction of terms."""

    dual = False
    asks = True  # features themselves are among the literals
    forbids = True  # their negations are

    def __init__(self, k: int, features: int | Iterable[Any] | None) -> None:
        self.k = k
        self.closed = features is not None
        declared = range(features) if isinstance(features, int) else features
        self.features: Any = [] if declared is None else declared
        self.lessons: list[frozenset[Any]] = []
        self.rounds = self.looks = 0
        self.unrealizable: int | None = None

    @property
    def updates(self) -> int:
        """How many examples have changed it."""
        return len(self.lessons)

    def play(self, x: Mapping[Any, float], y: bool) -> bool:
        """Predict, then keep the example if the rule was too strict."""
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
        """Return whether no remaining clause is false here."""
        if not self.lessons:  # all are left; features never met are false
            some_false = not self.closed or len(true) < len(self.features)
            return not ((self.forbids and true) or (self.asks and some_false))
        self.looks = 0
        spend(len(self.lessons) * (1 + len(true)) // _AT_ONCE)
        nothing: frozenset[Any] = frozenset()
        differing = [
            (true - lesson if self.forbids else nothing)
            | (lesson - true if self.asks else nothing)
            for lesson in self.lessons
        ]
        return not self.told_apart(differing, self.k)

    def told_apart(self, differing: list[frozenset[Any]], k: int) -> bool:
        """Return whether some set of at most k features meets each of these sets."""
        if not differing or not k:
            return not differing
        self.looks += 1
        spend(1 + len(differing) // _AT_ONCE)
        if self.looks > _MOST:
            raise ValueError(f"there must be fewer clauses of {self.k} literals")
        return any(
            self.told_apart([d for d in differing if feature not in d], k - 1)
            for feature in min(differing, key=len)
        )

    def parts(self) -> set[frozenset[tuple[Any, bool]]]:
        """Return every remaining clause or term: features, each with its sign."""
        found = set()
        for some in self._sets(self.features):
            # The clause that is false where exactly these features are true.
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
