"""The best witness so far: a live bound for linear learners, with nothing declared.

A theorem about a linear learner holds for every vector, and the examples that changed
the learner say which vector makes its bound small. So they are kept while a run is
played. A vector is searched for among them when the bound is read, after 16, 32,
64, ... rounds or the last.

Examples are kept while that takes no more than a millisecond, or a tenth of the work of
playing rows in memory. A search is made if it takes no more than some milliseconds, or
a twentieth of the work of reading a file and playing it, so that all of them together
take a tenth. Work is counted, in nanoseconds as once measured, and no clock is read;
nor does it matter which bounds are read. Where many rounds are mistakes it costs too
much. Then there is a bound only for a stream that is read while it is played, by a
witness of its first rounds: `EarlyWitness`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from littlestone.learner.packing import check, is_array
from littlestone.running.bounds import theorems_of
from littlestone.running.early import EarlyWitness
from littlestone.running.marks import is_mark, marks_through
from littlestone.witnesses import QUICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from littlestone.running.batch import Batch
    from littlestone.running.examples import KeptExamples, Notes
    from littlestone.theorems import Number, Theorem

__all__ = ["Findings", "Found", "Hindsight"]


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
    """Searches for witnesses of a run, when they are asked for.

    Parameters
    ----------
    learner
        A learner that has learned nothing before.
    notes
        Those of the run, which keep the examples of updates while `affords` says so.
    reads
        Whether the stream is read or made while it is played, in blocks of rows.

    Attributes
    ----------
    early
        The witness of the first rounds; None if there is none for this stream.
    """

    LARGEST: ClassVar[int] = 2**22  # values that are kept at most
    # The work of a round and each of its values: to keep it, to play it in memory, and
    # to read it from a file and play it.
    KEPT: ClassVar[tuple[float, float]] = (50.0, 8.0)
    PLAYED: ClassVar[tuple[float, float]] = (12.0, 1.0)
    READ: ClassVar[tuple[float, float]] = (250.0, 15.0)
    # What a search takes in any case, and what keeping and a search may take.
    SEARCH: ClassVar[float] = 5e5
    FREE_KEPT: ClassVar[float] = 8e5
    FREE: ClassVar[float] = 1e7
    SHARE: ClassVar[float] = 0.1

    def __init__(self, learner: Any, notes: Notes, *, reads: bool = False) -> None:
        self._parameters = learner.get_params(deep=False)
        self._notes = notes
        self._quick = QUICK[type(learner).__name__]
        self._fitting = {theorem.id for theorem in theorems_of(learner)}
        self._wrong: list[NDArray[np.int64]] = []
        self._lone: list[int] = []  # mistakes that came one by one
        self._found: dict[int, Found | None] = {}
        self._searched: dict[tuple[int, int], list[Found]] = {}
        self.early: EarlyWitness | None = None
        if reads and EarlyWitness.knows(learner):
            self.early = EarlyWitness(learner)

    @staticmethod
    def knows(learner: Any) -> bool:
        """Return whether a witness can be searched for."""
        return type(learner).__name__ in QUICK and any(
            theorem.counts in ("mistakes", "updates")
            for theorem in theorems_of(learner)
        )

    @classmethod
    def affords(cls, rounds: int, updates: int, values: int) -> bool:
        """Return whether to keep the updates of as many rounds again."""
        played = _long(cls.PLAYED, 2 * rounds, updates, values)
        most = max(cls.FREE_KEPT, cls.SHARE * played)
        return 2 * _work(cls.KEPT, updates, values) <= most and values <= cls.LARGEST

    def heard(self, batch: Batch) -> None:
        """Take the mistakes of rounds that were noted."""
        if self._needs(batch.first) and len(batch.wrong_at):
            self._wrong.append(batch.first + batch.wrong_at)

    def told(self, rounds: int, *, wrong: bool) -> None:
        """Take the last of so many rounds, which was noted."""
        if wrong and self._needs(rounds - 1):
            self._lone.append(rounds - 1)

    def _needs(self, at: int) -> bool:
        """Return whether examples were kept up to a round or beyond."""
        return self._notes.stopped is None or at < self._notes.stopped

    def found(self, rounds: int) -> Found | None:
        """Return the bound after so many rounds, if the search is worth it."""
        if rounds not in self._found:
            self._found[rounds] = self._look(rounds)
        return self._found[rounds]

    def found_at_mark(self, rounds: int) -> Found | None:
        """Return the bound after 16, 32, 64, ... rounds; None for other numbers."""
        return self.found(rounds) if is_mark(rounds) else None

    def _look(self, rounds: int) -> Found | None:
        found = [*self._among_updates(rounds), *self._charged(rounds)]

        def worth(each: Found) -> tuple[bool, float]:
            empty = each.tautological or each.theorem.is_vacuous(each.bound, rounds)
            return empty, each.bound

        return min(found, key=worth, default=None)

    def _charged(self, rounds: int) -> list[Found]:
        """Return the bound by what an early witness has lost."""
        early = self.early
        best = None if early is None else early.found(rounds)
        if early is None or best is None:
            return []
        theorem, (bound, numbers) = early.theorem, best
        return [
            Found(theorem, bound, numbers, theorem.is_tautological(numbers, rounds))
        ]

    def _among_updates(self, rounds: int) -> list[Found]:
        """Return the bounds by the best witness for the updates, if they were kept."""
        kept, wrong = self._notes.updates(), self._mistakes()
        for at in marks_through(rounds - 1):
            updates = int(kept.rounds.searchsorted(at))
            if not self.affords(at, updates, int(kept.offsets[updates])):
                return []
        updates = int(kept.rounds.searchsorted(rounds))
        mistakes = int(wrong.searchsorted(rounds))
        values = int(kept.offsets[updates])
        cost = self.SEARCH + _work(self._quick[1:], updates, values)
        read = _long(self.READ, rounds, updates, values)
        if cost > self.FREE + self.SHARE / 2 * read:
            return []
        if (updates, mistakes) not in self._searched:  # else nothing new was kept
            found = self._search(kept.through(rounds), wrong[:mistakes])
            self._searched[updates, mistakes] = found
        return self._searched[updates, mistakes]

    def _search(self, kept: KeptExamples, wrong: NDArray[np.int64]) -> list[Found]:
        mended = np.isin(kept.rounds, wrong, assume_unique=True)
        unmended = len(wrong) - int(mended.sum())
        return [
            Found(
                each.theorem,
                each.bound,
                each.numbers,
                each.theorem.is_tautological(each.numbers, len(kept)),
            )
            for each in self._quick.find(kept, self._parameters, mended, unmended)
            if each.theorem.id in self._fitting
        ]

    def _mistakes(self) -> NDArray[np.int64]:
        lone = np.array(self._lone, dtype=np.int64)
        self._wrong, self._lone = [np.concatenate([*self._wrong, lone])], []
        return self._wrong[0]

    # A run that is interrupted ------------------------------------------------------

    @staticmethod
    def may_resume(run: Mapping[str, Any] | None) -> bool:
        """Return whether a run is new, or was saved with what its bounds need.

        Up to version 0.1 examples were forgotten once there were many.
        """
        saved = None if run is None else run.get("hindsight")
        return run is None or (isinstance(saved, Mapping) and not saved.get("over"))

    def save(self) -> dict[str, Any]:
        """Return what is needed beside the notes, to be restored later."""
        saved: dict[str, Any] = {"wrong": self._mistakes()}
        return saved if self.early is None else saved | {"early": self.early.save()}

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was saved."""
        check("run", is_array(saved["wrong"], np.int64), "live bounds")
        self._wrong = [saved["wrong"]]
        if self.early is not None and "early" in saved:
            self.early.restore(saved["early"])
        else:
            self.early = None  # it began without


class Findings(Mapping[int, Found]):
    """What searches find for a run, by rounds, each made when it is read."""

    def __init__(self, hindsight: Hindsight, rounds: int) -> None:
        self._hindsight = hindsight
        if hindsight.early is not None:
            hindsight.early.look()
        self._asked = dict.fromkeys([*marks_through(rounds), rounds])

    def __getitem__(self, rounds: int) -> Found:
        found = self._hindsight.found(rounds) if rounds in self._asked else None
        if found is None:
            raise KeyError(rounds)
        return found

    def __iter__(self) -> Iterator[int]:
        return (at for at in self._asked if at in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


def _work(each: tuple[float, float], rounds: int, values: int) -> float:
    """Return the work of so many rounds with so many values."""
    return each[0] * rounds + each[1] * values


def _long(each: tuple[float, float], rounds: int, updates: int, values: int) -> float:
    """Return the work of rounds that are as long as the updates on average."""
    return rounds * (each[0] + each[1] * values / max(updates, 1))
