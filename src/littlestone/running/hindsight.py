"""The best witness so far: a live bound for linear learners, with nothing declared.

A theorem about a linear learner holds for every vector, and the examples that changed
the learner say which vector makes its bound small. So they are kept while a run is
played, and after 16, 32, 64, ... rounds, and the last, a vector is searched for.

A search is made only while all searches, and keeping the examples, take no more than a
tenth of the work of the rounds that were played, and a few milliseconds. Work is
counted, in nanoseconds as once measured, and no clock is read: the same run has the
same bounds everywhere. Where many rounds are mistakes it costs too much, so there is no
bound, and in the end no example is kept; the bound would say little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from littlestone import theorems
from littlestone.learner.packing import check, is_array
from littlestone.logs import LOG
from littlestone.running.bounds import theorems_of
from littlestone.witnesses import QUICK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.running.batch import Batch
    from littlestone.running.examples import KeptExamples, Notes
    from littlestone.theorems import Number, Theorem

__all__ = ["Found", "Hindsight"]


class Found(NamedTuple):
    """What a search found after some rounds.

    Attributes
    ----------
    theorem, bound
        The theorem and its bound for the rounds so far.
    numbers
        The numbers that the theorem takes, measured for the witness.
    tautological
        Whether the witness says no more than the mistakes themselves, as by
        `Theorem.is_tautological`.
    """

    theorem: Theorem
    bound: float
    numbers: Mapping[str, Number]
    tautological: bool


class Hindsight:
    """Searches for a witness now and then while a learner plays.

    Parameters
    ----------
    learner
        A learner that has learned nothing before.
    notes
        Those of the run, which keep the examples of updates.
    keeps
        Whether the record shows these examples; otherwise they are forgotten once
        searches are over.
    """

    FIRST: ClassVar[int] = 16  # the round of the first search
    LARGEST: ClassVar[int] = 2**22  # values that are kept at most
    # The cost of a round and each of its values, to play it and to keep it.
    ROUND: ClassVar[float] = 250.0
    VALUE: ClassVar[float] = 15.0
    KEPT_ROUND: ClassVar[float] = 500.0
    KEPT_VALUE: ClassVar[float] = 15.0
    # The cost of a search in any case, and what is free.
    SEARCH: ClassVar[float] = 5e5
    FREE: ClassVar[float] = 5e6
    SHARE: ClassVar[float] = 0.1

    def __init__(self, learner: Any, notes: Notes, *, keeps: bool) -> None:
        self._learner = learner
        self._notes, self._keeps = notes, keeps
        self._quick = QUICK[type(learner).__name__]
        self._fitting = {theorem.id for theorem in theorems_of(learner)}
        self._wrong: list[NDArray[np.int64]] = []
        self._spent = 0.0
        self._last = (0, 0, 0)  # updates, mistakes and rounds at the last search
        self.found: dict[int, Found | None] = {}
        self.left = self.FIRST  # rounds until the next search
        self.over = False  # whether too many values were kept

    @staticmethod
    def knows(learner: Any) -> bool:
        """Return whether a witness can be searched for."""
        return type(learner).__name__ in QUICK and any(
            theorem.counts in ("mistakes", "updates")
            for theorem in theorems_of(learner)
        )

    def played(self, rounds: int) -> None:
        """Count rounds, at most `left`, before they are noted."""
        self.left -= rounds

    def heard(self, batch: Batch) -> None:
        """Take the mistakes of rounds that were noted, and search if it is time."""
        self._wrong.append(batch.first + np.flatnonzero(batch.wrong))
        self._search_at(batch.first + len(batch))

    def told(self, rounds: int, *, wrong: bool) -> None:
        """Take the last of so many rounds, and search if it is time."""
        if wrong:
            self._wrong.append(np.array([rounds - 1], dtype=np.int64))
        self.left -= 1
        self._search_at(rounds)

    def _search_at(self, rounds: int) -> None:
        if not self.left:
            self.look(rounds)
        self._forget()

    def _forget(self) -> None:
        """Keep no examples for searches that will not be made."""
        if self.over and not self._keeps:
            self._notes.forget()

    def look(self, rounds: int) -> Found | None:
        """Return the bound after so many rounds, if the search is worth it."""
        if rounds >= self.FIRST:
            self.left = (1 << rounds.bit_length()) - rounds
        if rounds not in self.found and not self.over:
            kept = self._notes.examples()
            assert kept is not None  # noqa: S101 - notes keep the updates
            self.found[rounds] = self._search(rounds, kept.updates())
            if self.over:
                LOG.info("too many mistakes for a live bound")
        return self.found.get(rounds)

    def _search(self, rounds: int, kept: KeptExamples) -> Found | None:
        updates, values = len(kept), len(kept.values)
        wrong = np.concatenate([np.empty(0, dtype=np.int64), *self._wrong])
        self._wrong = [wrong]
        if (updates, len(wrong)) == self._last[:2] and self._last[2]:
            return self.found.get(self._last[2])  # the same rounds, so the same bound
        cost = self.SEARCH + updates * self._quick.row + values * self._quick.value
        keeping = updates * self.KEPT_ROUND + values * self.KEPT_VALUE
        played = rounds * (self.ROUND + self.VALUE * values / max(updates, 1))
        left = self.FREE + self.SHARE * played - keeping - self._spent
        self.over = left < 0 or values > self.LARGEST
        if not rounds or cost > left:
            return None
        self._spent += cost
        self._last = updates, len(wrong), rounds
        mended = np.isin(kept.rounds, wrong, assume_unique=True)
        parameters = self._learner.get_params(deep=False)
        candidates = self._quick.find(
            kept, parameters, mended, len(wrong) - int(mended.sum())
        )
        found = [
            Found(
                each.theorem,
                each.bound,
                each.numbers,
                each.theorem.is_tautological(each.numbers, updates),
            )
            for each in candidates
            if each.theorem.id in self._fitting
        ]

        def says_nothing(each: Found) -> bool:
            return each.tautological or each.theorem.is_vacuous(each.bound, rounds)

        return min(found, key=lambda it: (says_nothing(it), it.bound), default=None)

    def bounds(self) -> dict[int, Found]:
        """Return what was found, by rounds."""
        return {at: found for at, found in self.found.items() if found is not None}

    # A run that is interrupted ------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return what was found so far, to be restored later."""
        return {
            "spent": self._spent,
            "left": self.left,
            "over": self.over,
            "last": list(self._last),
            "wrong": np.concatenate([np.empty(0, dtype=np.int64), *self._wrong]),
            "found": [
                [at, one.theorem.id, dict(one.numbers), one.tautological]
                for at, one in self.bounds().items()
            ],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was found before."""
        self._spent, self.left, self.over = saved["spent"], saved["left"], saved["over"]
        self._wrong = [saved["wrong"]]
        updates, mistakes, at = saved["last"]
        self._last = updates, mistakes, at
        check(
            "run",
            isinstance(self._spent, float)
            and type(self.left) is int
            and self.left > 0
            and isinstance(self.over, bool)
            and is_array(self._wrong[0], np.int64)
            and all(type(count) is int for count in self._last),
            "live bounds",
        )
        for at, name, numbers, tautological in saved["found"]:
            theorem = theorems.get(name)
            bound = theorem.bound(**numbers)
            self.found[at] = Found(theorem, bound, numbers, bool(tautological))
        self._forget()
