"""Run a learner over a stream, and keep the record."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from littlestone.adversaries import Adversary
from littlestone.errors import (
    ExampleError,
    LittlestoneError,
    ParameterError,
    StreamError,
    refusal,
)
from littlestone.learner import as_class, as_label, as_labels, objects
from littlestone.progress import reporter
from littlestone.streams import Stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.rows import Example

__all__ = ["LearnerCard", "Plays", "Record", "Turn", "run"]


class Plays(Protocol):
    """What `run` needs of a learner."""

    def predict_one(self, x: Any, /) -> Any:
        """Predict the label of one example."""

    def learn_one(self, x: Any, y: Any, /) -> Any:
        """Learn from one example and its label."""


@dataclass(frozen=True)
class LearnerCard:
    """A learner's name and parameters, which travel where the learner does not.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Winnow
    >>> print(run(Winnow(threshold=3), []).learner)
    Winnow(threshold=3, promotion=2.0, eliminate=False)
    """

    name: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        given = ", ".join(
            f"{name}={value!r}" for name, value in self.parameters.items()
        )
        return f"{self.name}({given})"


@dataclass(frozen=True)
class Record:
    """What happened in a run.

    Attributes
    ----------
    learner
        The learner's name and parameters.
    rounds, mistakes
        How many rounds were played, and in how many the prediction was not the label.
    updates
        How many rounds changed the learner; None for a learner that does not tell.
    mistake_rounds
        The numbers of the rounds with a mistake, counted from 0; None if not kept.
    curve
        Pairs (rounds, mistakes so far), a few hundred of them, the last one included.
    passes
        How often the stream was read.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> record = run(Perceptron(), [({"a": 1}, True), ({"b": 1}, False)])
    >>> record
    Record(Perceptron: 2 rounds, 1 mistake (50.00%), 1 update)
    >>> record.mistake_rounds.tolist()
    [1]
    """

    learner: LearnerCard
    rounds: int
    mistakes: int
    updates: int | None
    mistake_rounds: NDArray[np.int64] | None = field(compare=False)
    curve: tuple[tuple[int, int], ...]
    passes: int = 1

    @property
    def rate(self) -> float:
        """Mistakes a round; 0 before the first."""
        return self.mistakes / self.rounds if self.rounds else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {
            "learner": {
                "name": self.learner.name,
                "parameters": dict(self.learner.parameters),
            },
            "passes": self.passes,
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "mistake_rounds": None
            if self.mistake_rounds is None
            else self.mistake_rounds.tolist(),
            "curve": [list(point) for point in self.curve],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it holds an array

    def __repr__(self) -> str:
        parts = [
            f"{_counted(self.rounds, 'round')}",
            f"{_counted(self.mistakes, 'mistake')} ({self.rate:.2%})",
        ]
        if self.updates is not None:
            parts.append(_counted(self.updates, "update"))
        return f"Record({self.learner.name}: {', '.join(parts)})"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


@dataclass(frozen=True)
class Turn:
    """Some rounds that have just been played, for those who watch a run.

    Attributes
    ----------
    first
        The number of the first of them.
    labels, predictions
        One of each a round.
    before
        The mistakes made before these rounds.
    features
        Tells how many features the example of a round has, counted from `first`.
    done
        The share of the stream that has been played, where that is known.
    """

    first: int
    labels: NDArray[Any]
    predictions: NDArray[Any]
    before: int
    features: Callable[[int], int]
    done: float | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def mistakes_through(self, at: int) -> int:
        """Return the mistakes made up to and including round `first + at`."""
        wrong = self.labels[: at + 1] != self.predictions[: at + 1]
        return self.before + int(np.count_nonzero(wrong))


def run(
    learner: Plays,
    stream: Iterable[tuple[Example, object]] | Adversary,
    *,
    passes: int = 1,
    progress: bool = False,
    observe: Callable[[Turn], object] | None = None,
    keep: Literal["mistakes", "nothing"] = "mistakes",
) -> Record:
    """Play a stream with a learner: predict, be told, learn, round by round.

    Blocks are played natively where stream and learner can; the record is the same.

    Parameters
    ----------
    learner
        A learner of littlestone, or anything with `predict_one` and `learn_one`.
    stream
        One of `littlestone.streams`, any iterable of `(x, y)`, or one of
        `littlestone.adversaries`, which starts afresh and hears each prediction.
    passes
        How often to read the stream; the rounds are numbered on.
    progress
        Show a bar on a terminal, or a few lines where standard error is none.
    observe
        Called with each `Turn` as it has been played.
    keep
        `"mistakes"` keeps the numbers of the rounds with a mistake; `"nothing"` keeps
        memory constant on an endless stream.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> run(Perceptron(), streams.arrays([[1.0], [-1.0]], [1, -1]), passes=3)
    Record(Perceptron: 6 rounds, 1 mistake (16.67%), 1 update)
    """
    if not isinstance(passes, int) or passes < 1:
        raise ParameterError(
            f"run: passes must be a whole number above 0, got {passes!r}"
        )
    if keep not in ("mistakes", "nothing"):
        raise ParameterError(f"run: keep must be 'mistakes' or 'nothing', got {keep!r}")
    if passes > 1 and not _repeatable(stream):
        raise ParameterError(
            f"run: a stream must be readable again for {passes} passes, "
            f"got one that is not: {stream!r}"
        )
    before = getattr(learner, "updates_", None)
    tally = _Tally(keep_rounds=keep == "mistakes")
    with reporter() if progress else nullcontext(None) as report:
        for number in range(passes):
            for turn in _turns(learner, stream, tally, number, passes):
                tally.add(turn)
                if report is not None:
                    report(turn)
                if observe is not None:
                    observe(turn)
    return Record(
        learner=_card(learner),
        rounds=tally.rounds,
        mistakes=tally.mistakes,
        updates=None if before is None else learner.updates_ - before,  # type: ignore[attr-defined]
        mistake_rounds=tally.mistake_rounds(),
        curve=tally.curve(),
        passes=passes,
    )


def _repeatable(stream: Iterable[object] | Adversary) -> bool:
    if isinstance(stream, Stream):
        return stream.repeatable
    return not isinstance(stream, (Adversary, Iterator))


def _card(learner: Plays) -> LearnerCard:
    get_params = getattr(learner, "get_params", dict)
    return LearnerCard(type(learner).__name__, dict(get_params()))


def _turns(
    learner: Plays,
    stream: Iterable[tuple[Example, object]] | Adversary,
    tally: _Tally,
    number: int,
    passes: int,
) -> Iterator[Turn]:
    """Yield the turns of one pass, then raise what stopped it."""
    if isinstance(stream, Adversary):
        duel = _Duel(learner, stream)
        played = _play_examples(duel, duel)
    elif isinstance(stream, Stream) and hasattr(learner, "play_rows"):
        played = _play_blocks(learner, stream)
    else:
        played = _play_examples(learner, stream)
    try:
        for labels, predictions, features, done in played:
            share = None if done is None else (number + done) / passes
            yield Turn(
                tally.rounds, labels, predictions, tally.mistakes, features, share
            )
    except (ExampleError, StreamError) as error:
        error.rounds = tally.rounds
        if isinstance(error, ExampleError) and not error.where:
            error.where = f"round {tally.rounds}"
        raise


_Played = tuple["NDArray[Any]", "NDArray[Any]", Callable[[int], int], float | None]


def _any_labels(learner: Any) -> bool:
    """Tell whether a learner takes labels of any kind, not only yes and no."""
    return getattr(learner, "any_labels", False)


def _play_blocks(learner: Any, stream: Stream) -> Iterator[_Played]:
    kind = object if _any_labels(learner) else np.bool_
    for block in stream.blocks():
        rows, first, last = block.rows, block.first, block.last
        labels = block.labels
        if kind is np.bool_ and labels.dtype != kind:
            labels = as_labels(labels, len(labels))
        predictions = np.empty(len(rows), dtype=kind)
        refused = None
        try:
            learner.play_rows(rows, labels, predictions, first, last)
        except ExampleError as error:
            refused = error
            last = first + (error.rounds or 0)
            error.where = block.where(last)
        if last > first:
            features = partial(_nonzeros, rows, first)
            yield labels[first:last], predictions[first:last], features, block.done
        if refused is not None:
            raise refused


def _nonzeros(rows: _core.Rows, first: int, at: int) -> int:
    return rows.nonzeros(first + at)


def _play_examples(
    learner: Any, stream: Iterable[tuple[Example, object]]
) -> Iterator[_Played]:
    play_one = getattr(learner, "play_one", None) or _PlayOne(learner)
    any_labels = _any_labels(learner)
    labels: list[Any] = []
    predictions: list[Any] = []
    features: list[int] = []

    def played() -> _Played:
        made = objects if any_labels else np.array
        turn = made(labels), made(predictions), list(features).__getitem__, None
        labels.clear()
        predictions.clear()
        features.clear()
        return turn

    no: bool | None = None  # whether no is written -1
    shown = time.monotonic()
    refused = None
    try:
        for x, y in stream:
            label: Any = as_class(y) if any_labels else as_label(y)
            if not (label or any_labels):
                if no is not None and no != (y == -1):
                    raise refusal("alphabet", value=y)
                no = bool(y == -1)
            predictions.append(play_one(x, label))
            labels.append(label)
            features.append(len(x) if hasattr(x, "__len__") else 0)
            # A slow stream is shown as it comes, a fast one in larger turns.
            if len(labels) == _ROUNDS_A_TURN or (
                len(labels) % 16 == 0 and time.monotonic() - shown > _PATIENCE
            ):
                yield played()
                shown = time.monotonic()
    except LittlestoneError as error:
        refused = error
    if labels:
        yield played()
    if refused is not None:
        raise refused


_ROUNDS_A_TURN = 1024
_PATIENCE = 0.1


class _PlayOne:
    """One round with a learner that only predicts and learns; silence means no."""

    def __init__(self, learner: Plays) -> None:
        self._learner = learner

    def __call__(self, x: Example, label: bool) -> bool:
        predicted = self._learner.predict_one(x)
        self._learner.learn_one(x, label)
        return predicted is not None and as_label(predicted)


class _Duel:
    """A learner against an adversary, as a stream and as the one who plays it.

    The prediction is asked for once, since not everybody would repeat it.
    """

    def __init__(self, learner: Plays, adversary: Adversary) -> None:
        self._learner = learner
        self._adversary = adversary
        self._said = False

    def __iter__(self) -> Iterator[tuple[Example, bool]]:
        self._adversary.restart()
        while (x := self._adversary.ask()) is not None:
            predicted = self._learner.predict_one(x)
            self._said = predicted is not None and as_label(predicted)
            yield x, self._adversary.answer(self._said)

    def play_one(self, x: Example, label: bool) -> bool:
        self._learner.learn_one(x, label)
        return self._said


class _Tally:
    """Counts rounds and mistakes, and keeps the curve at a few hundred points."""

    _POINTS = 512

    def __init__(self, *, keep_rounds: bool) -> None:
        self.rounds = 0
        self.mistakes = 0
        self._kept: list[NDArray[np.int64]] | None = [] if keep_rounds else None
        self._stride = 1
        self._curve: list[tuple[int, int]] = []

    def add(self, turn: Turn) -> None:
        wrong = np.flatnonzero(turn.labels != turn.predictions)
        last = self.rounds + len(turn)
        points = range(self.rounds // self._stride + 1, last // self._stride + 1)
        ends = np.array([point * self._stride for point in points], dtype=np.int64)
        counts = self.mistakes + np.searchsorted(wrong, ends - self.rounds)
        self._curve += zip(ends.tolist(), counts.tolist(), strict=True)
        while len(self._curve) > self._POINTS:
            self._stride *= 2
            self._curve = self._curve[1::2]
        if self._kept is not None and len(wrong):
            self._kept.append(wrong + self.rounds)
        self.mistakes += len(wrong)
        self.rounds = last

    def mistake_rounds(self) -> NDArray[np.int64] | None:
        if self._kept is None:
            return None
        return np.concatenate([np.empty(0, dtype=np.int64), *self._kept])

    def curve(self) -> tuple[tuple[int, int], ...]:
        ends = {rounds for rounds, _ in self._curve}
        final = [] if self.rounds in ends or not self.rounds else [self.rounds]
        return (*self._curve, *((rounds, self.mistakes) for rounds in final))
