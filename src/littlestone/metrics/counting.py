"""Counts answers and labels from batches of rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from littlestone import _core
from littlestone.metrics.confusion import ByClass, Confusion
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import NDArray

__all__ = ["ClassCounts", "Counts", "LabelCounts", "counted", "counts_for"]

_NOWHERE = np.empty(0, dtype=np.int64)


def counted(rounds: float) -> float:
    """Return a sum of rounds: a whole number, unless they have weights.

    Examples
    --------
    >>> from littlestone.metrics.counting import counted
    >>> counted(3.0), counted(2.5)
    (3, 2.5)
    """
    return int(rounds) if rounds.is_integer() else rounds


class Counts(Protocol):
    """Counts the answers of a learner."""

    def add(
        self, labels: NDArray[Any], said: NDArray[Any], wrong: NDArray[np.int64]
    ) -> None:
        """Count rounds with labels; `wrong` are the positions of the mistakes."""

    def add_one(self, label: Any, said: Any) -> None:
        """Count one round, as `add` does."""

    def save(self) -> dict[str, Any]:
        """Return what was counted so far, as plain values."""

    def restore(self, counted: Mapping[str, Any]) -> None:
        """Continue from what was counted before; a ValueError if it is damaged."""

    def confusion(self) -> Confusion:
        """Return what was counted so far."""


def counts_for(outcome: Outcome) -> Counts | None:
    """Return what counts the answers of a learner; None where numbers are predicted.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.metrics.counting import counts_for
    >>> from littlestone.outcome import Outcome
    >>> counts = counts_for(Outcome.LABEL)
    >>> labels, said = np.array([True, False, False]), np.array([True, True, False])
    >>> counts.add(labels, said, np.flatnonzero(labels != said))
    >>> counts.confusion().counts
    ((1, 1), (0, 1))
    >>> counts_for(Outcome.NUMBER) is None
    True
    """
    if outcome.charged:
        return None
    return ClassCounts() if outcome is Outcome.CLASS else LabelCounts()


class _Changes:
    """Counts how often a label is another one than the label before."""

    def __init__(self) -> None:
        self._last: int | None = None
        self.count: int | None = 0  # None if not all rounds were counted

    def add(self, labels: NDArray[Any]) -> None:
        """Count in the labels of rounds, as numbers or truth values."""
        if not len(labels) or self.count is None:
            return
        self.add_one(labels[0])
        if labels.dtype == np.bool_:
            self.count += _core.changes(labels)
        else:
            self.count += int(np.count_nonzero(labels[1:] != labels[:-1]))
        self._last = int(labels[-1])

    def add_one(self, label: int) -> None:
        """Count one label, as `add` does."""
        if self.count is not None:
            number = int(label)
            self.count += self._last is not None and self._last != number
            self._last = number

    def save(self) -> list[int | None]:
        """Return what was counted so far."""
        return [self.count, self._last]

    def restore(self, counted: Any) -> None:
        """Continue from what was counted before, if it was."""
        if counted is None:
            self.count = None
            return
        self.count, self._last = counted
        _whole(*(n for n in (self.count, self._last) if n is not None))


class LabelCounts:
    """Counts where yes or no is predicted."""

    _TOGETHER: ClassVar[int] = 256  # labels, as each call takes a microsecond or two

    def __init__(self) -> None:
        self._changes = _Changes()
        # How often the label was no and yes, and how often a no came when there had
        # been as many of each; how often each was missed.
        self._told, self._missed = np.zeros(3, dtype=np.int64), [0, 0]
        self._single: list[bool] = []  # labels that came alone, not yet counted

    def add(
        self,
        labels: NDArray[np.bool_],
        said: NDArray[Any],  # noqa: ARG002 - what is wrong is the other one
        wrong: NDArray[np.int64],
    ) -> None:
        """Count rounds with labels; `wrong` are the positions of the mistakes."""
        labels = labels.astype(np.bool_, copy=False)
        self._count_single()
        missed = _core.add_labels(labels, wrong, self._told)
        self._changes.add(labels)
        self._missed[1] += missed
        self._missed[0] += len(wrong) - missed

    def add_one(self, label: bool, said: bool) -> None:
        """Count one round, as `add` does."""
        self._changes.add_one(label)
        self._single.append(label)
        if len(self._single) == self._TOGETHER:
            self._count_single()
        self._missed[label] += said != label

    def _count_single(self) -> None:
        if self._single:
            _core.add_labels(
                np.array(self._single, dtype=np.bool_), _NOWHERE, self._told
            )
            self._single = []

    def save(self) -> dict[str, Any]:
        """Return what was counted so far, as plain values."""
        self._count_single()
        no, yes, ties = self._told.tolist()
        return {
            "rounds": [no, yes],
            "missed": list(self._missed),
            "ties": ties,
            "changes": self._changes.save(),
        }

    def restore(self, counted: Mapping[str, Any]) -> None:
        """Continue from what was counted before; a ValueError if it is damaged."""
        (no, yes), (missed_no, missed_yes) = counted["rounds"], counted["missed"]
        _whole(no, yes, missed_no, missed_yes, counted["ties"])
        if missed_no > no or missed_yes > yes:
            raise ValueError("more mistakes than rounds")
        self._told = np.array([no, yes, counted["ties"]], dtype=np.int64)
        self._missed = [missed_no, missed_yes]
        self._changes.restore(counted.get("changes"))

    def confusion(self) -> Confusion:
        """Return what was counted so far."""
        self._count_single()
        (no, yes, ties), (wrong_no, wrong_yes) = self._told.tolist(), self._missed
        matrix = ((no - wrong_no, wrong_no), (wrong_yes, yes - wrong_yes))
        by_class = (
            ByClass(False, no, matrix[0][0] + matrix[1][0], matrix[0][0]),
            ByClass(True, yes, matrix[0][1] + matrix[1][1], matrix[1][1]),
        )
        # The commoner label so far errs whenever the rarer one comes, and once more
        # each time that a no follows a tie, when it still says yes.
        baseline = min(no, yes) + ties
        return Confusion(by_class, matrix, baseline, changes=self._changes.count)


class ClassCounts:
    """Counts where one of several classes is predicted."""

    CLASSES: ClassVar[int] = 100  # of a matrix; of more classes only the counts
    _NAMES: ClassVar[tuple[str, ...]] = ("rounds", "missed", "false")

    def __init__(self) -> None:
        self._changes = _Changes()
        self._codes: dict[Hashable, int] = {None: 0}  # None where nothing was said
        # By code: how often it was the label, was missed, and was wrongly predicted.
        self._rounds, self._missed, self._false = np.zeros((3, 1), dtype=np.int64)
        # How often each label was missed for each prediction; None for many classes.
        self._matrix: NDArray[np.int64] | None = np.zeros((1, 1), dtype=np.int64)
        self._met: list[int] = []  # the labels, in the order in which they came
        self._baseline = 0
        self._leader = 0  # the commonest label so far

    def add(
        self, labels: NDArray[Any], said: NDArray[Any], wrong: NDArray[np.int64]
    ) -> None:
        """Count rounds with labels; `wrong` are the positions of the mistakes."""
        true, false = self._coded(labels), self._coded(said[wrong])
        missed, size = true[wrong], len(self._codes)
        self._grow(size)
        self._leader, lost, new = _core.add_classes(true, self._rounds, self._leader)
        self._baseline += lost
        self._met += new
        self._changes.add(true)
        self._missed += np.bincount(missed, minlength=size)
        self._false += np.bincount(false, minlength=size)
        if self._matrix is not None:
            pairs = np.bincount(missed * size + false, minlength=size * size)
            self._matrix += pairs.reshape(size, size)

    def add_one(self, label: Hashable, said: Hashable) -> None:
        """Count one round, as `add` does."""
        wrong = np.arange(int(said != label))
        self.add(_alone(label), _alone(said), wrong)

    def _coded(self, labels: NDArray[Any]) -> NDArray[np.int64]:
        """Return labels as numbers, in the order in which they were met."""
        coded = np.empty(len(labels), dtype=np.int64)
        _core.number_objects(labels.astype(object, copy=False), self._codes, coded)
        return coded

    def _grow(self, size: int) -> None:
        """Make room for so many codes."""
        more = size - len(self._rounds)
        if not more:
            return
        for name in self._NAMES:
            setattr(self, f"_{name}", np.pad(getattr(self, f"_{name}"), (0, more)))
        if size - 1 > self.CLASSES:
            self._matrix = None
        elif self._matrix is not None:
            self._matrix = np.pad(self._matrix, (0, more))

    def save(self) -> dict[str, Any]:
        """Return what was counted so far, as plain values and arrays."""
        return {
            "classes": list(self._codes)[1:],
            "met": list(self._met),
            "matrix": None if self._matrix is None else self._matrix.copy(),
            "baseline": self._baseline,
            "leader": self._leader,
            "changes": self._changes.save(),
        } | {name: getattr(self, f"_{name}").copy() for name in self._NAMES}

    def restore(self, counted: Mapping[str, Any]) -> None:
        """Continue from what was counted before; a ValueError if it is damaged."""
        self._codes = {label: n for n, label in enumerate([None, *counted["classes"]])}
        size, matrix = len(self._codes), counted["matrix"]
        arrays = [counted[name].astype(np.int64) for name in self._NAMES]
        shapes = [array.shape for array in arrays]
        _whole(counted["baseline"], counted["leader"], *counted["met"])
        if (
            shapes != [(size,)] * len(arrays)
            or (matrix is not None and matrix.shape != (size, size))
            or size != len(counted["classes"]) + 1
            or max(counted["leader"], *counted["met"], 0) >= size
        ):
            raise ValueError("counts of other classes")
        self._rounds, self._missed, self._false = arrays
        self._matrix, self._met = matrix, list(counted["met"])
        self._baseline, self._leader = counted["baseline"], counted["leader"]
        self._changes.restore(counted.get("changes"))

    def confusion(self) -> Confusion:
        """Return what was counted so far."""
        names = list(self._codes)
        # Classes that were predicted but never came are the last.
        only_said = np.flatnonzero((self._rounds == 0) & (self._false > 0)).tolist()
        codes = [*self._met, *(code for code in only_said if code)]
        hits = self._rounds - self._missed
        by_class = tuple(
            ByClass(
                names[code],
                int(self._rounds[code]),
                int(hits[code] + self._false[code]),
                int(hits[code]),
            )
            for code in codes
        )
        matrix = None
        if self._matrix is not None:
            whole = self._matrix + np.diag(hits)
            matrix = tuple(map(tuple, whole[np.ix_(codes, codes)].tolist()))
        return Confusion(
            by_class,
            matrix,
            self._baseline,
            binary=False,
            changes=self._changes.count,
        )


def _alone(label: Hashable) -> NDArray[Any]:
    """Return an array of one label, whatever it is."""
    array = np.empty(1, dtype=object)
    array[0] = label
    return array


def _whole(*counts: Any) -> None:
    """Refuse what is no count."""
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ValueError("a count must be a whole number from 0 on")
