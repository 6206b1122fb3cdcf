"""Counts rounds, mistakes and losses, and reads what the learner counts itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.learner import objects
from littlestone.learner.by_expert import ByExpert
from littlestone.learner.packing import check, is_array
from littlestone.metrics.auc import AucCounts
from littlestone.metrics.chances import ChanceCounts
from littlestone.metrics.counting import counts_for
from littlestone.metrics.coverage import Coverage
from littlestone.metrics.errors import ErrorCounts
from littlestone.outcome import Outcome
from littlestone.running.batch import may_lack_labels
from littlestone.running.beforehand import priced
from littlestone.theorems import ACI

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.learner.moment import Seen
    from littlestone.metrics import Auc, Chances, Confusion, Errors
    from littlestone.running.batch import Batch

__all__ = ["Books", "Counted", "Tally"]

_COLUMNS = 2  # of a saved curve: rounds and mistakes


@dataclass(frozen=True, eq=False)
class Counted:
    """What was counted at each point of a curve, which few ask for."""

    _stride: int
    _counts: NDArray[np.int64]
    _losses: NDArray[np.float64] | None
    _last: tuple[int, int, float | None]

    @cached_property
    def points(self) -> list[tuple[int, int, float | None]]:
        """The rounds, the mistakes and the loss at each point and the last round."""
        counts, losses = self._counts.tolist(), self._losses
        # Of blocks with a missing label there are no losses.
        lost = [None] * len(counts) if losses is None else losses.tolist()
        ends = range(self._stride, self._stride * (len(lost) + 1), self._stride)
        points = [*zip(ends, counts, lost, strict=False)]
        rounds = self._last[0]
        if rounds and (not points or points[-1][0] < rounds):
            points.append(self._last)
        return points

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counted) and self.points == other.points

    __hash__ = None  # type: ignore[assignment]  # like the records that have it


class _Series:
    """Numbers at the points of a curve, which come one by one or many at once."""

    def __init__(self, kind: type, numbers: Iterable[NDArray[Any]] = ()) -> None:
        self._kind = kind
        self._pieces: list[Any] = [*numbers]  # arrays, or lists of single numbers

    def append(self, number: float) -> None:
        """Add one."""
        if not self._pieces or type(self._pieces[-1]) is not list:
            self._pieces.append([])
        self._pieces[-1].append(number)

    def extend(self, numbers: NDArray[Any]) -> None:
        """Add many, in an array that is not changed any more."""
        self._pieces.append(numbers)

    @property
    def numbers(self) -> NDArray[Any]:
        """All of them."""
        if len(self._pieces) != 1 or type(self._pieces[0]) is list:
            none: NDArray[Any] = np.empty(0, self._kind)
            self._pieces = [np.concatenate([none, *self._pieces], dtype=self._kind)]
        numbers: NDArray[Any] = self._pieces[0]
        return numbers

    def thin(self, each: int) -> None:
        """Keep one number of so many, the last of them."""
        if self._pieces:
            self._pieces = [self.numbers[each - 1 :: each].copy()]


class Tally:
    """Counts rounds and mistakes, and keeps the curve at a few hundred points."""

    def __init__(
        self,
        outcome: Outcome,
        *,
        points: int,
        keep_rounds: bool,
        scores: bool = False,
        chances: bool = False,
        by_loss: bool = True,
        levels: Sequence[float] = (),
        weights_of: Callable[[NDArray[Any]], NDArray[np.float64] | None] | None = None,
    ) -> None:
        self._points = points
        self._weights_of = weights_of
        self.rounds = 0
        self.mistakes = 0
        self.unlabelled = 0  # not saved: a run with checkpoints learns, so it needs all
        self.lost = 0.0
        self._answers = counts_for(outcome)
        self._scores = AucCounts() if scores else None
        # Of probabilities, whose log loss may be what the learner is charged.
        self._chances: ChanceCounts | None = None
        self._by_loss = chances and by_loss
        if chances:
            self._chances = ChanceCounts(binary=outcome is Outcome.LABEL)
        self._errors = ErrorCounts(levels) if outcome is Outcome.NUMBER else None
        self._mistake_rounds: list[NDArray[np.int64]] | None = (
            [] if keep_rounds else None
        )
        self._single: list[int] = []  # mistake rounds that were added one by one
        self._stride = 1
        # The curve: the mistakes after each multiple of the stride, and the losses if
        # there are any.
        self._counts = _Series(np.int64)
        self._losses: _Series | None = None

    def expect(self, rounds: int) -> None:
        """Prepare for so many rounds: the points of the curve are the same."""
        self._thin(rounds)

    def save(self) -> dict[str, Any]:
        """Return what was counted so far."""
        counts = self._counts.numbers
        ends = np.arange(1, len(counts) + 1) * self._stride
        curve = np.column_stack((ends, counts))
        losses = None if self._losses is None else self._losses.numbers
        return {
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "mistake_rounds": self.mistake_rounds(),
            "lost": self.lost,
            "stride": self._stride,
            "curve": curve,
            "losses": losses,
            "answers": None if self._answers is None else self._answers.save(),
            "chances": None if self._chances is None else self._chances.save(),
            "errors": None if self._errors is None else self._errors.save(),
        }

    def restore(self, counted: Mapping[str, Any]) -> None:
        """Continue from what was counted before."""
        curve, losses, rounds = (
            counted[name] for name in ("curve", "losses", "mistake_rounds")
        )
        numbers = [counted[name] for name in ("rounds", "mistakes", "stride")]
        check(
            "run",
            all(type(number) is int and number >= 0 for number in numbers)
            and counted["stride"] > 0
            and isinstance(counted["lost"], float)
            and is_array(curve, np.int64, _COLUMNS)
            and curve.shape[1] == _COLUMNS
            and (np.diff(curve[:, 0], prepend=0) == counted["stride"]).all()
            and (losses is None or is_array(losses, np.float64))
            and (losses is None or len(losses) == len(curve))
            and (rounds is None) == (self._mistake_rounds is None)
            and (rounds is None or is_array(rounds, np.int64)),
            "counts",
        )
        self.rounds, self.mistakes = counted["rounds"], counted["mistakes"]
        self.lost, self._stride = counted["lost"], counted["stride"]
        self._counts = _Series(np.int64, [curve[:, 1].copy()])
        self._losses = None if losses is None else _Series(np.float64, [losses])
        if self._mistake_rounds is not None:
            self._mistake_rounds = [rounds]
        if self._answers is not None:
            self._answers.restore(counted["answers"])
        # Runs that were saved by an older version have not counted these.
        if self._chances is not None and counted.get("chances") is not None:
            self._chances.restore(counted["chances"])
        if self._errors is not None and counted.get("errors") is not None:
            self._errors.restore(counted["errors"])

    def confusion(self) -> Confusion | None:
        """Return which answers were given to which labels; None for numbers."""
        return None if self._answers is None else self._answers.confusion()

    def auc(self) -> Auc | None:
        """Return the area under the curve; None if there are no scores of both."""
        return None if self._scores is None else self._scores.auc()

    def chances(self) -> Chances | None:
        """Return how good probabilities were; None if there were none."""
        return None if self._chances is None else self._chances.chances()

    def errors(self) -> Errors | None:
        """Return how far numbers were off; None unless numbers are predicted."""
        return None if self._errors is None else self._errors.errors()

    def add(self, batch: Batch) -> None:
        """Count the rounds of a batch."""
        wrong = batch.wrong_at
        last = self.rounds + len(batch)
        self._thin(last)
        next_point = (self.rounds // self._stride + 1) * self._stride
        ends = np.arange(next_point, last + 1, self._stride)
        counts = self.mistakes + wrong.searchsorted(ends - self.rounds)
        self._counts.extend(counts)
        if batch.losses is not None:
            # Summed in order, so that it does not matter where batches end.
            lost = np.empty(len(ends))
            self.lost = _core.sum_through(
                self.lost, batch.losses, ends - self.rounds, lost
            )
            self._losses = self._losses or _Series(np.float64)
            self._losses.extend(lost)
        if self._mistake_rounds is not None and len(wrong):
            self._merge_single()
            rounds = wrong + self.rounds if self.rounds else wrong
            self._mistake_rounds.append(rounds)
        self.mistakes += len(wrong)
        if may_lack_labels(batch.labels):
            self.unlabelled += int(np.count_nonzero(batch.unlabelled))
        if self._answers is not None:
            self._answers.add(*_labelled(batch, wrong))
        if self._scores is not None and batch.scores is not None:
            scored = ~batch.unlabelled
            self._scores.add(batch.labels[scored], batch.scores[scored])
        told: Any = ~batch.unlabelled if may_lack_labels(batch.labels) else slice(None)
        weights = None if batch.weights is None else batch.weights[told]
        if self._by_loss and batch.losses is not None:
            self._add_chances(batch.labels[told], batch.losses[told], weights)
        elif self._chances is not None and batch.chances is not None:
            self._chances.add(*priced(batch.labels[told], batch.chances[told], weights))
        if self._errors is not None:
            self._errors.add(batch.labels[told], batch.predictions[told], weights)
        self.rounds = last

    def add_one(
        self, label: Any, said: Any, *, wrong: bool, loss: float | None = None
    ) -> None:
        """Count one round, as `add` counts a batch of one; a label may be None."""
        if wrong:
            self.mistakes += 1
            if self._mistake_rounds is not None:
                self._single.append(self.rounds)
        self.unlabelled += label is None
        if self._answers is not None and label is not None:
            self._answers.add_one(label, said)
        if self._by_loss and label is not None and loss is not None:
            self._add_chances(objects([label]), np.array([loss]))
        if self._errors is not None and label is not None:
            self._errors.add(np.array([label]), np.array([said]))
        self.rounds += 1
        self._thin(self.rounds)
        if loss is not None:
            self.lost += loss
            self._losses = self._losses or _Series(np.float64)
        if self.rounds % self._stride == 0:
            self._counts.append(self.mistakes)
            if self._losses is not None:
                self._losses.append(self.lost)

    def tested(self) -> dict[str, float]:
        """Return what numbers cost that a learner predicted without learning."""
        known = self._errors is not None and self._losses is not None
        return {"loss": self.lost} if known else {}

    def _add_chances(
        self,
        labels: NDArray[Any],
        losses: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Count log losses by the weights of rounds, whatever those of classes."""
        if self._chances is None:
            return
        shares = None if self._weights_of is None else self._weights_of(labels)
        for multiplied_by in (shares, weights):
            losses = losses if multiplied_by is None else losses / multiplied_by
        self._chances.add(labels, losses, weights)

    def _thin(self, last: int) -> None:
        """Double the distance of the curve's points until they are few enough."""
        each = 1
        while last // (self._stride * each) > self._points:
            each *= 2
        if each > 1:
            self._stride *= each
            self._counts.thin(each)
            if self._losses is not None:
                self._losses.thin(each)

    def _merge_single(self) -> None:
        if self._single and self._mistake_rounds is not None:
            self._mistake_rounds.append(np.array(self._single, dtype=np.int64))
            self._single = []

    def mistake_rounds(self) -> NDArray[np.int64] | None:
        """Return the rounds with a mistake; None if they are not kept."""
        if self._mistake_rounds is None:
            return None
        self._merge_single()
        if len(self._mistake_rounds) != 1:
            pieces = [np.empty(0, dtype=np.int64), *self._mistake_rounds]
            self._mistake_rounds = [np.concatenate(pieces)]
        return self._mistake_rounds[0]

    def counted(self) -> Counted:
        """Return what the curve is made of, including the last round."""
        losses = None if self._losses is None else self._losses.numbers
        last = self.rounds, self.mistakes, None if losses is None else self.lost
        return Counted(self._stride, self._counts.numbers, losses, last)


def _labelled(
    batch: Batch, wrong: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return labels, predictions and mistakes of the rounds that have a label."""
    labels, said = batch.labels, batch.predictions
    if not may_lack_labels(labels) or not (missing := batch.unlabelled).any():
        return labels, said, wrong
    return labels[~missing], said[~missing], wrong - np.cumsum(missing)[wrong]


@dataclass(frozen=True)
class _Entries:
    """What the books of a learner say at some round."""

    loss: float | None = None
    expected_mistakes: float | Fraction | None = None
    expert_losses: Mapping[Any, float] = field(default_factory=dict)
    own_losses: Mapping[Any, float] = field(default_factory=dict)
    intervals: Sequence[float] = ()


class Books:
    """What a learner itself counts: losses, intervals, whether a concept still fits."""

    def __init__(self, learner: Any, *, fresh: bool = False) -> None:
        self._learner = learner
        # The experts of a newborn learner have lost nothing.
        self._before = self._read(fresh=fresh)
        self._rounds = getattr(learner, "rounds_", 0)

    def save(self) -> dict[str, Any]:
        """Return what the books said when the run began."""
        before = self._before
        return {
            "before": [
                before.loss,
                before.expected_mistakes,
                dict(before.expert_losses),
                dict(before.own_losses),
            ],
            "rounds": self._rounds,
            "intervals": list(before.intervals),
        }

    def restore(self, said: Mapping[str, Any]) -> None:
        """Continue a run that began earlier."""
        loss, expected, theirs, own = said["before"]
        intervals = said.get("intervals", [])
        known = (loss, expected, *theirs.values(), *own.values(), *intervals)
        check(
            "run",
            all(x is None or isinstance(x, (int, float, Fraction)) for x in known)
            and type(said["rounds"]) is int,
            "books of numbers",
        )
        self._before = _Entries(loss, expected, dict(theirs), dict(own), intervals)
        self._rounds = said["rounds"]

    def facts(self, seen: Seen | None) -> dict[str, Any]:
        """Return the fields of a record that the books of the run give.

        `seen` has those of a learner from advice, if somebody has read them.
        """
        now, then = self._read(seen), self._before
        facts: dict[str, Any] = {}
        unrealizable = getattr(self._learner, "unrealizable_", None)
        if unrealizable is not None:
            facts["unrealizable"] = max(0, unrealizable.round - self._rounds)
        if now.loss is not None:
            facts["loss"] = now.loss - (then.loss or 0.0)
        if now.expected_mistakes is not None:
            before = then.expected_mistakes or 0
            facts["expected_mistakes"] = now.expected_mistakes - before
        if now.intervals:
            begun = then.intervals or [0] * len(now.intervals)
            rounds, misses, widths, wide = (
                b - a for a, b in zip(begun, now.intervals, strict=True)
            )
            learner = self._learner
            allowed = None  # a test without learning corrects nothing
            if hasattr(learner, "rate"):
                allowed = ACI.bound(level=learner.level, rate=learner.rate)
                if begun[0]:  # the share began elsewhere, between -rate and 1 + rate
                    allowed = (1 + 2 * learner.rate) / learner.rate
            width = widths / wide if wide else math.nan
            facts["coverage"] = Coverage(
                int(rounds), int(misses), float(learner.level), width, allowed
            )
            facts["band"] = learner.band_
        if now.expert_losses:
            lost = _since(now.expert_losses, then.expert_losses)
            own = _since(now.own_losses, then.own_losses)
            facts["expert_losses"] = lost
            facts["regrets"] = lost.regrets(own.numbers)
            facts["weights"] = (
                lost.with_values(seen.weights[0]) if seen else self._learner.weights_
            )
        return facts

    def _read(self, seen: Seen | None = None, *, fresh: bool = False) -> _Entries:
        learner = self._learner
        loss = getattr(learner, "loss_", None)
        expected = getattr(learner, "expected_mistakes_", None)
        if fresh or not getattr(learner, "keeps_losses_", False):
            intervals = getattr(learner, "intervals_", ())
            return _Entries(loss, expected, intervals=intervals)
        if seen is not None:
            theirs, own = (ByExpert(seen.names, x[0]) for x in (seen.losses, seen.own))
            return _Entries(loss, expected, theirs, own)
        return _Entries(loss, expected, learner.losses_, learner.own_losses_)


def _since(now: Mapping[Any, float], then: Mapping[Any, float]) -> ByExpert:
    """Return what each expert has added since then."""
    added = ByExpert.of(now)
    if not then:
        return added
    before = np.zeros(len(added))
    if isinstance(then, ByExpert):  # experts only join, so these come first
        before[: len(then)] = then.numbers
    else:
        before[:] = [then.get(expert, 0.0) for expert in added]
    return added.with_values(added.numbers - before)
