"""What a run keeps of its stream: examples, and a digest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.errors import refusal
from littlestone.learner import dtype_of, with_weights, without_weights
from littlestone.learner.labels import joined, untold
from littlestone.learner.packing import (
    check,
    is_array,
    packed_features,
    unpacked_features,
)
from littlestone.outcome import Outcome, outcome_of
from littlestone.running.advice import AdviceNotes
from littlestone.running.digest import RunDigest
from littlestone.running.entries import nonzero_entries
from littlestone.running.marks import is_mark, until_mark
from littlestone.weighted import Weighted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.learner.advice import Advice
    from littlestone.learner.rows import Example
    from littlestone.running.advice import KeptAdvice

__all__ = ["KeptExamples", "Notes"]

# Where each example ends, its columns, its values.
_Piece: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]"


@dataclass(frozen=True, eq=False)
class KeptExamples:
    """The examples of the rounds that changed the learner, or of all rounds.

    The values of example `k` are `values[offsets[k]:offsets[k + 1]]`, and `columns`
    gives for each of them the position of its feature in `features`. They are in the
    order of the example; values of 0 are left out.

    Attributes
    ----------
    rounds
        The numbers of the rounds, counted from 0.
    labels
        Their labels: truth values, or classes in an array of objects.
    features
        Every feature, in order of first appearance.
    offsets, columns, values
        The examples as compressed sparse rows.
    changed
        Of all rounds, those that changed the learner; None if only these are kept.
    weights
        How much each of the rounds counts; None if all count once.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> stream = [({"a": 1, "b": 0}, True), ({"b": 2, "c": 1}, False)]
    >>> kept = run(Perceptron(), stream, keep="updates").examples
    >>> kept
    KeptExamples(1 round, 2 features)
    >>> kept.rounds.tolist(), kept.features, kept.values.tolist()
    ([1], ('b', 'c'), [2.0, 1.0])
    >>> list(kept)
    [({'b': 2.0, 'c': 1.0}, False)]
    >>> every = run(Perceptron(), stream, keep="rounds").examples
    >>> every, every.updates()
    (KeptExamples(2 rounds, 3 features), KeptExamples(1 round, 3 features))
    """

    rounds: NDArray[np.int64]
    labels: NDArray[Any]
    features: tuple[Feature, ...]
    offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    changed: NDArray[np.bool_] | None = None
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.rounds)

    def updates(self) -> KeptExamples:
        """Return the examples of the rounds that changed the learner."""
        if self.changed is None:
            return self
        sizes = np.diff(self.offsets)
        inside = np.repeat(self.changed, sizes)
        ends = np.cumsum(sizes[self.changed])
        return KeptExamples(
            self.rounds[self.changed],
            self.labels[self.changed],
            self.features,
            np.concatenate([np.zeros(1, dtype=np.int64), ends]),
            self.columns[inside],
            self.values[inside],
            weights=None if self.weights is None else self.weights[self.changed],
        )

    def through(self, rounds: int) -> KeptExamples:
        """Return those of the first so many rounds, with the features they have.

        Examples
        --------
        >>> from littlestone import run
        >>> from littlestone.linear import Perceptron
        >>> stream = [({"a": 1}, False), ({"b": 1}, False), ({"c": 1}, False)]
        >>> kept = run(Perceptron(), stream, keep="rounds").examples
        >>> kept.through(2).features
        ('a', 'b')
        """
        count = int(self.rounds.searchsorted(rounds))
        offsets = self.offsets[: count + 1]
        columns = self.columns[: offsets[-1]]
        first = np.full(len(self.features), len(columns), dtype=np.int64)
        first[columns[::-1]] = np.arange(len(columns))[::-1]  # the last one stays
        order = np.argsort(first, kind="stable")
        there = order[: np.count_nonzero(first < len(columns))].tolist()
        return KeptExamples(
            self.rounds[:count],
            self.labels[:count],
            tuple(self.features[at] for at in there),
            offsets,
            np.argsort(order).astype(np.int32)[columns],
            self.values[: offsets[-1]],
            None if self.changed is None else self.changed[:count],
            None if self.weights is None else self.weights[:count],
        )

    def example(self, at: int) -> tuple[dict[Feature, float], Any]:
        """Return the features and the label of one of the examples."""
        here = slice(self.offsets[at], self.offsets[at + 1])
        names = [self.features[column] for column in self.columns[here].tolist()]
        values = self.values[here].tolist()
        label = self.labels[at : at + 1].tolist()[0]
        if self.weights is not None and self.weights[at] != 1:
            label = Weighted(label, self.weights[at])
        return dict(zip(names, values, strict=True)), label

    def __iter__(self) -> Iterator[tuple[dict[Feature, float], Any]]:
        return (self.example(at) for at in range(len(self)))

    def __repr__(self) -> str:
        rounds, features = len(self), len(self.features)
        return (
            f"KeptExamples({rounds:,} round{'' if rounds == 1 else 's'}, "
            f"{features:,} feature{'' if features == 1 else 's'})"
        )


class Notes:
    """Notes what a record keeps of its stream, round by round.

    Parameters
    ----------
    learner
        The learner that plays.
    updates
        Whether to keep the examples of the rounds that change the learner. It keeps no
        advice, as learners that take it learn from every round.
    every
        Whether to keep those of all rounds.
    advice
        Whether to keep the advice of every round.
    digest
        Whether to take the digest of the stream.
    affords
        Asked after 16, 32, 64, ... rounds, with the rounds, examples and values so far,
        whether to keep examples any longer; None if always.

    Examples
    --------
    >>> from littlestone.running.examples import Notes
    >>> from littlestone.linear import Perceptron
    >>> learner = Perceptron()
    >>> notes = Notes(learner, updates=True, digest=False)
    >>> notes.begin_round({"a": 1.0}, False)
    >>> learner.learn_one({"a": 1.0}, False)
    >>> notes.end_round({"a": 1.0}, False)
    >>> notes.examples()
    KeptExamples(1 round, 1 feature)
    """

    def __init__(
        self,
        learner: Any,
        *,
        updates: bool,
        digest: bool,
        advice: bool = False,
        every: bool = False,
        affords: Callable[[int, int, int], bool] | None = None,
    ) -> None:
        self._learner = learner
        advised = hasattr(learner, "play_advice")
        self._outcome = outcome_of(learner)
        self._digest: RunDigest | None = None
        if digest:
            of: Literal["advice", "features"] = "advice" if advised else "features"
            self._digest = RunDigest(of, self._outcome)
        self._examples = None
        self._every = every
        self._moved: list[NDArray[np.int64]] = []  # if all rounds are kept
        if (updates or every) and not advised:
            self._examples = _core.KeptExamples()
        self._advice = AdviceNotes(learner) if advice else None
        self.stopped: int | None = None  # after how many rounds it kept no more
        self._updates = learner.updates_ if self._keeps else 0
        self._played = 0
        self._affords = affords
        self._rounds: list[NDArray[np.int64]] = []
        self._labels: list[NDArray[Any]] = []
        self._lone: list[tuple[int, Any]] = []  # round and label, of one by one
        self._pieces: list[_Piece] = []  # taken from the native core already
        self._whole: tuple[int, KeptExamples] | None = None  # the updates, and when
        self._encoded = b""  # of the round that has begun

    # A run that is interrupted ------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return what was noted so far, to be restored later."""
        noted: dict[str, Any] = {"played": self._played, "digest": self.digest()}
        if self._examples is None:
            return noted
        ends, columns, values = self._taken()
        [rounds], (labels, weights) = self._rounds, without_weights(*self._labels)
        return noted | {
            "stopped": self.stopped,
            "rounds": rounds,
            "labels": labels.tolist() if self._outcome is Outcome.CLASS else labels,
            "weights": weights,
            "features": packed_features(self._examples.features()),
            "ends": ends,
            "columns": columns,
            "values": values,
            "moved": _joined(self._moved),
        }

    def restore(self, noted: Mapping[str, Any]) -> None:
        """Continue from what was noted before; `skip` restores the digest."""
        if self._digest is not None:
            self._digest.expect(noted["digest"])
        if self._examples is None:
            return
        parts = zip(
            ("rounds", "ends", "columns", "values", "moved"),
            (np.int64, np.int64, np.int32, np.float64, np.int64),
            strict=True,
        )
        sound = all(is_array(noted[name], kind) for name, kind in parts)
        self.stopped = noted.get("stopped")
        sound &= type(self.stopped) in (int, type(None))
        check("run", sound, "kept examples")
        features = unpacked_features("run", noted["features"])
        # The core numbers features as they appear, so they must appear in order.
        self._examples.add_one(features, [1.0] * len(features))
        self._examples.take()
        self._rounds, self._moved = [noted["rounds"]], [noted["moved"]]
        self._labels = [untold(list(noted["labels"]), self._outcome)]
        weights = noted.get("weights")  # older runs have none
        if weights is not None:
            sound = is_array(weights, np.float64) and bool((weights > 0).all())
            check("run", sound, "kept examples")
            self._labels = [with_weights(self._labels[0], weights)]
        self._pieces = [(noted["ends"], noted["columns"], noted["values"])]
        ends = noted["ends"]
        check(
            "run",
            len(set(features)) == len(features)
            and len(self._rounds[0]) == len(self._labels[0]) == len(ends)
            and len(noted["columns"]) == len(noted["values"])
            and (ends[-1] if len(ends) else 0) == len(noted["values"])
            and bool((np.diff(ends, prepend=0) >= 0).all())
            and bool((noted["columns"] < len(features)).all())
            and bool((noted["columns"] >= 0).all()),
            "kept examples",
        )
        self._updates = self._learner.updates_

    def skip(self, x: Example, y: Any, label: Any) -> None:
        """Note a round that was played before."""
        if self._digest is not None:
            self._digest.add_one(x, y)
        if self._advice is not None:
            self._advice.add_one(x, label)
        self._played += 1

    def skip_rows(self, rows: _core.Rows, labels: NDArray[Any], played: range) -> None:
        """Note rows that were played before."""
        if self._digest is not None:
            self._digest.add_rows(rows, labels, played)
        self._played += len(played)

    # One round at a time ----------------------------------------------------------

    def begin_round(self, x: Example, y: Any) -> None:
        """Refuse what cannot be noted, before the round is played."""
        if self._digest is not None:
            self._encoded = self._digest.encode(x, y)
        if self._examples is not None and isinstance(x, (bool, int, float, str)):
            raise refusal("example", value=x)  # a value that is not made of features

    def end_round(self, x: Example, label: Any, weight: float = 1.0) -> None:
        """Note the same round after it was played."""
        if self._digest is not None:
            self._digest.add(self._encoded)
        if self._advice is not None:
            self._advice.add_one(x, label)
        if self._examples is not None and self.stopped is None:
            updates = self._learner.updates_
            changed = updates != self._updates
            if changed or self._every:
                self._updates = updates
                self._examples.add_one(*nonzero_entries(x))
                kept = label if weight == 1 else Weighted(label, weight)
                self._lone.append((self._played, kept))
                if changed and self._every:
                    self._moved.append(np.array([self._played], dtype=np.int64))
        self._played += 1
        if is_mark(self._played):
            self._ask()

    # Blocks -----------------------------------------------------------------------

    def room(self, rows: int) -> NDArray[np.bool_] | None:
        """Return an array for which rows change the learner; None if not kept."""
        return np.empty(rows, np.bool_) if self._keeps else None

    def rows(
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        played: range,
        changed: NDArray[np.bool_] | None,
    ) -> None:
        """Note rows that have been played."""
        if self._digest is not None:
            self._digest.add_rows(rows, labels, played)
        at = played.start
        while at < played.stop:
            end = played.stop
            if self._affords is not None:
                end = min(end, at + until_mark(self._played))
            if self._keeps and changed is not None:
                self._keep_rows(rows, labels, range(at, end), changed)
            self._played += end - at
            if is_mark(self._played):
                self._ask()
            at = end

    def _keep_rows(
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        played: range,
        changed: NDArray[np.bool_],
    ) -> None:
        first, last = played.start, played.stop
        if self._every:
            self._moved.append(np.flatnonzero(changed[first:last]) + self._played)
            changed = np.ones(len(changed), dtype=np.bool_)
        which = np.flatnonzero(changed[first:last])
        if self._examples is None or not len(which):
            return
        self._gather()
        self._examples.add(rows, changed, first, last)
        self._rounds.append(which + self._played)
        chosen = labels[first:last][which]
        if chosen.dtype.names is None and chosen.dtype != dtype_of(self._outcome):
            chosen = untold(chosen.tolist(), self._outcome)
        self._labels.append(chosen)
        self._updates = self._learner.updates_

    @property
    def _keeps(self) -> bool:
        """Whether examples are kept from now on."""
        return self._examples is not None and self.stopped is None

    def _ask(self) -> None:
        """Ask at a mark whether to keep more."""
        if self._affords is None or not self._keeps:
            return
        self._take()
        examples = sum(len(ends) for ends, _, _ in self._pieces)
        values = sum(len(values) for _, _, values in self._pieces)
        if not self._affords(self._played, examples, values):
            self.stopped = self._played

    def advice(self, advice: Advice, outcomes: NDArray[Any], played: range) -> None:
        """Note rounds of advice that have been played."""
        self._played += len(played)
        if self._advice is not None:
            self._advice.add(advice, outcomes, played)
        if self._digest is not None:
            self._digest.add_advice(advice, outcomes, played)

    # What was noted --------------------------------------------------------

    def examples(self) -> KeptExamples | None:
        """Return the kept examples; None if they were not requested."""
        if self._examples is None:
            return None
        ends, columns, values = self._taken()
        [rounds], moved = self._rounds, _joined(self._moved)
        labels, weights = without_weights(*self._labels)
        return KeptExamples(
            rounds,
            labels,
            tuple(self._examples.features()),
            np.concatenate([np.zeros(1, dtype=np.int64), ends]),
            columns,
            values,
            np.isin(rounds, moved, assume_unique=True) if self._every else None,
            weights,
        )

    def updates(self) -> KeptExamples:
        """Return the kept examples of rounds that changed the learner."""
        if self._whole is None or self._whole[0] != self._played:
            kept: Any = self.examples()  # the caller has asked to keep them
            self._whole = self._played, kept.updates()
        return self._whole[1]

    def kept_advice(self) -> KeptAdvice | None:
        """Return the kept advice; None if it was not requested."""
        return None if self._advice is None else self._advice.kept()

    def _gather(self) -> None:
        """Put the rounds that came one by one behind the others."""
        if self._lone:
            rounds, labels = zip(*self._lone, strict=True)
            self._rounds.append(np.array(rounds, dtype=np.int64))
            self._labels.append(untold(list(labels), self._outcome))
            self._lone = []

    def _take(self) -> None:
        """Take the examples that are new in the native core."""
        assert self._examples is not None  # noqa: S101 - callers have checked
        fresh = self._examples.take()
        if len(fresh[0]) or not self._pieces:
            self._pieces.append(fresh)

    def _taken(self) -> _Piece:
        """Return all kept examples; their rounds and labels are in one piece each."""
        self._gather()
        self._rounds = [_joined(self._rounds)]
        if len(self._labels) != 1:
            self._labels = [joined([untold([], self._outcome), *self._labels])]
        self._take()
        pieces = self._pieces
        if len(pieces) == 1:
            return pieces[0]
        starts = np.cumsum([0, *(len(values) for _, _, values in pieces)])
        ends = [end + start for (end, _, _), start in zip(pieces, starts, strict=False)]
        whole = (
            np.concatenate(ends),
            np.concatenate([columns for _, columns, _ in pieces]),
            np.concatenate([values for _, _, values in pieces]),
        )
        self._pieces = [whole]
        return whole

    def digest(self) -> str | None:
        """Return the digest of the rounds played; None if it was not requested."""
        return None if self._digest is None else str(self._digest)

    def resumes(self, digest: str | None) -> bool:
        """Return whether the rounds skipped are those that a checkpoint has."""
        return self._digest is not None and self._digest.is_expected(digest)


def _joined(pieces: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, dtype=np.int64), *pieces])
