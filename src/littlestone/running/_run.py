"""Run a learner over a stream, and keep the record."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, NoReturn, Protocol

import numpy as np

from littlestone.adversaries import Adversary
from littlestone.advice import Advice
from littlestone.display.progress import reporter
from littlestone.errors import (
    ExampleError,
    LittlestoneError,
    ParameterError,
    StreamError,
    refusal,
)
from littlestone.learner import Learner, as_class, as_label, as_labels, objects
from littlestone.members import as_player
from littlestone.outcome import Outcome, outcome_of
from littlestone.packing import check, is_array
from littlestone.parameters import truth, whole
from littlestone.running.bounds import Look, Promises, Standing, Watch
from littlestone.running.examples import Kept, Notes
from littlestone.running.notebook import record_html
from littlestone.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.rows import Example
    from littlestone.running.bounds import Counts
    from littlestone.streams._base import Block
    from littlestone.theorems import Number

__all__ = [
    "Fits",
    "Keeper",
    "Kept",
    "LearnerCard",
    "Plays",
    "Point",
    "Record",
    "Trail",
    "Turn",
    "WeightCurve",
    "run",
]


class Plays(Protocol):
    """What `run` needs of a learner."""

    def predict_one(self, x: Any, /) -> Any:
        """Predict the label of one example."""

    def learn_one(self, x: Any, y: Any, /) -> Any:
        """Learn from one example and its label."""


class Fits(Protocol):
    """What `run` needs of a learner of matrices, such as one of scikit-learn."""

    def predict(self, X: Any, /) -> Any:
        """Predict the label of each row."""

    def partial_fit(self, X: Any, y: Any, /) -> Any:
        """Learn from some rows and their labels."""


class Keeper(Protocol):
    """Who keeps a run now and then, so that another can go on with it."""

    every: int
    resumed: Mapping[str, Any] | None  # what was kept of the run that is to go on

    def keep(self, learner: Any, progress: dict[str, Any], /) -> None:
        """Keep a learner, and how far the run has come: plain values and arrays."""


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


class Point(NamedTuple):
    """One point of a curve: how a run stood after some rounds.

    Attributes
    ----------
    rounds, mistakes
        How many rounds had been played, and the mistakes made in them.
    loss
        What the learner had lost; None for a learner that is charged by no loss.
    bound
        The live bound, on what `Record.bound_of` names; None where no theorem gave one.
    regret
        What the learner had lost more than the best expert so far; None for a learner
        without experts.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.experts import Halving
    >>> stream = [([True, False], True), ([True, True], True)]
    >>> for point in run(Halving(), stream).curve:
    ...     print(point)
    Point(rounds=1, mistakes=0, loss=0.0, bound=1.0, regret=0.0)
    Point(rounds=2, mistakes=0, loss=0.0, bound=1.0, regret=0.0)
    """

    rounds: int
    mistakes: int
    loss: float | None = None
    bound: float | None = None
    regret: float | None = None


class WeightCurve(NamedTuple):
    """What experts weighed in the course of a run.

    Attributes
    ----------
    rounds
        After how many rounds it was looked at, a few hundred times.
    weights
        By expert, one weight a look; who weighed most on the whole comes first.
    others
        What all other experts weighed together; None if there are none.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.experts import Halving
    >>> stream = [([True, False, True], True), ([True, True, False], True)]
    >>> run(Halving(), stream).weight_curve(experts=1)
    WeightCurve(rounds=(1, 2), weights={0: (0.5, 1.0)}, others=(0.5, 0.0))
    """

    rounds: tuple[int, ...]
    weights: dict[Any, tuple[float, ...]]
    others: tuple[float, ...] | None


class Trail(NamedTuple):
    """What a curve is made of; its bounds are worked out when it is asked for."""

    points: tuple[tuple[int, int, float | None], ...]
    looks: Mapping[int, Look]
    promises: Promises


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
        A few hundred `Point`s, the last round included: mistakes, loss, live bound and
        regret so far.
    bound, theorem, bound_of
        What a theorem promises of the run by what the learner knows and what was
        declared, the id of that theorem, and what it bounds: `"mistakes"`, `"expected
        mistakes"`, or the `"regret"` to the best expert. None where no theorem says so
        without hindsight, and for a learner that had learned before.
    passes
        How often the stream was read.
    outcome
        What was predicted; the loss of numbers tells more than the mistakes.
    loss
        What the learner lost; None for a learner that is charged by no loss.
    expected_mistakes
        The mistakes to be expected over the learner's own draws; None for others.
    expert_losses, regrets
        What each expert lost while awake, and what the learner lost more than that on
        the same rounds; None for a learner without experts.
    weights
        The weight of each expert after the last round; None for a learner without.
    unrealizable
        The round from which on no concept of the learner's class fits, 0 if none did
        before; None while one does, and for a learner that learns no concept.
    fresh
        Whether the learner had learned nothing before the run, so that the record tells
        of its whole life, as theorems do.
    digest
        The SHA-256 of the stream, in the order played; None if it was not asked for.
    kept
        The examples of the rounds that changed the learner, if they were asked for;
        None for a learner that takes the advice of experts.
    unlabelled
        In how many rounds nobody told a label, so that there was no mistake to make.

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
    trail: Trail = field(repr=False)
    passes: int = 1
    outcome: Outcome = Outcome.LABEL
    loss: float | None = None
    expected_mistakes: float | Fraction | None = None
    expert_losses: dict[Any, float] | None = None
    regrets: dict[Any, float] | None = None
    weights: dict[Any, float] | None = None
    unrealizable: int | None = None
    fresh: bool = False
    digest: str | None = None
    kept: Kept | None = field(default=None, compare=False)
    unlabelled: int = 0

    @cached_property
    def curve(self) -> tuple[Point, ...]:
        """How the run stood after a few hundred rounds of it, the last one included."""
        points, looks, promises = self.trail
        stood = [promises.standing(looks.get(rounds)) for rounds, _, _ in points]
        return tuple(
            Point(*point, bound=now.bound, regret=now.regret)
            for point, now in zip(points, stood, strict=True)
        )

    @cached_property
    def _standing(self) -> Standing:
        return self.trail.promises.standing(self.trail.looks.get(self.rounds))

    @property
    def bound(self) -> float | None:
        """What a theorem promises of this run, without hindsight."""
        return self._standing.bound

    @property
    def theorem(self) -> str | None:
        """The id of the theorem whose bound is told."""
        return self._standing.theorem

    @property
    def bound_of(self) -> Counts | None:
        """What the bound is a bound of."""
        return None if self.bound is None else self.trail.promises.counts

    @property
    def exceeded(self) -> bool:
        """Whether the run is beyond its bound, so that a premise must be broken.

        What was declared is not so, or no concept fits; if not, it is a bug.
        """
        counted = {
            "mistakes": self.mistakes,
            "expected mistakes": self.expected_mistakes,
            "regret": self.regret,
        }.get(self.bound_of or "")
        if self.bound is None or counted is None:
            return False
        # Losses are rounded when they are added up.
        return float(counted) > self.bound + _ROUNDED * max(1.0, abs(self.loss or 0.0))

    @property
    def best_expert(self) -> Any:
        """The expert that the learner regrets most not to have followed."""
        return max(self.regrets, key=self.regrets.__getitem__) if self.regrets else None

    @property
    def regret(self) -> float | None:
        """What the learner lost more than the best expert."""
        return max(self.regrets.values()) if self.regrets else None

    @property
    def rate(self) -> float:
        """Mistakes a round whose label was told; 0 before the first."""
        told = self.rounds - self.unlabelled
        return self.mistakes / told if told else 0.0

    def weight_curve(self, experts: int = 12) -> WeightCurve | None:
        """Return what the experts weighed in the course of the run.

        Memory is bounded: of a crowd of more than 390 only the 390 heaviest are kept
        at each look. One that is not among them counts as 0 there, so that it weighs up
        to 1/391 more than is told; the others have what is missing.

        Parameters
        ----------
        experts
            How many are told by name, those who weighed most on the whole; the rest is
            lumped together.

        Returns
        -------
        WeightCurve or None
            None for a learner that has no experts, or does not count their losses.

        Examples
        --------
        >>> from littlestone import run
        >>> from littlestone.experts import WeightedMajority
        >>> stream = [({"ann": True, "bob": False}, True)] * 2
        >>> curve = run(WeightedMajority(), stream).weight_curve()
        >>> for expert, weights in curve.weights.items():
        ...     print(expert, [round(weight, 3) for weight in weights])
        ann [0.667, 0.8]
        bob [0.333, 0.2]
        """
        if type(experts) is not int or experts < 1:
            raise ParameterError(
                f"weight_curve: experts must be a whole number above 0, got {experts!r}"
            )
        looks = sorted(self.trail.looks.items())
        seen = [(at, look.shares) for at, look in looks if look.shares is not None]
        if not seen or self.weights is None:
            return None
        sums = np.zeros(len(self.weights))
        for _, (positions, weights) in seen:
            sums[_places(positions, weights)] += weights
        heaviest = np.argsort(-sums, kind="stable")[:experts]
        table = np.zeros((len(seen), len(heaviest)))
        full = np.zeros(len(self.weights))
        for row, (_, (positions, weights)) in zip(table, seen, strict=True):
            full[:] = 0.0
            full[_places(positions, weights)] = weights
            row[:] = full[heaviest]
        names = list(self.weights)
        rest = np.maximum(0.0, 1.0 - table.sum(axis=1))
        return WeightCurve(
            tuple(at for at, _ in seen),
            {
                names[at]: tuple(line)
                for at, line in zip(heaviest.tolist(), table.T.tolist(), strict=True)
            },
            tuple(rest.tolist()) if len(heaviest) < len(names) else None,
        )

    def _repr_html_(self) -> str:
        return record_html(self)

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
            "outcome": self.outcome.value,
            "updates": self.updates,
            "mistake_rounds": None
            if self.mistake_rounds is None
            else self.mistake_rounds.tolist(),
            "curve": [list(point) for point in self.curve],
        } | self._of_some()

    def _of_some(self) -> dict[str, Any]:
        """Return what only some learners tell."""
        facts: dict[str, Any] = {}
        if self.unlabelled:
            facts["unlabelled"] = self.unlabelled
        if self.digest is not None:
            facts["digest"] = self.digest
        if self.bound is not None:
            facts |= {
                "bound": self.bound,
                "bound_of": self.bound_of,
                "theorem": self.theorem,
                "exceeded": self.exceeded,
            }
        if self.unrealizable is not None:
            facts["unrealizable"] = self.unrealizable
        if self.loss is not None:
            facts["loss"] = self.loss
        if self.expected_mistakes is not None:
            facts["expected_mistakes"] = float(self.expected_mistakes)
        if self.regrets is not None:
            facts |= {
                "best_expert": self.best_expert,
                "regret": self.regret,
                "expert_losses": self.expert_losses,
                "regrets": self.regrets,
                "weights": self.weights,
            }
        return facts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it holds an array

    def __repr__(self) -> str:
        parts = [_counted(self.rounds, "round")]
        if self.unlabelled:
            parts.append(f"{self.unlabelled:,} without a label")
        if self.outcome.charged:
            parts.append(f"loss {self.loss:.6g}")
        else:
            made = f"{_counted(self.mistakes, 'mistake')} ({self.rate:.2%})"
            parts.append(made + self._of_at_most("mistakes"))
        if self.expected_mistakes is not None:
            expected = f"{float(self.expected_mistakes):.6g} expected"
            parts.append(expected + self._of_at_most("expected mistakes"))
        if self.regret is not None:
            regret = f"regret {self.regret:.6g} to {self.best_expert!r}"
            parts.append(regret + self._of_at_most("regret"))
        elif self.updates is not None:
            parts.append(_counted(self.updates, "update"))
        if self.unrealizable is not None:
            parts.append(f"no concept fits since round {self.unrealizable:,}")
        return f"Record({self.learner.name}: {', '.join(parts)})"

    def _of_at_most(self, counted: Counts) -> str:
        """Return the bound in words, if this is what it is of."""
        if self.bound is None or self.bound_of != counted:
            return ""
        most = f"{math.floor(self.bound):,}" if counted == "mistakes" else None
        most = most or f"{self.bound:.6g}"
        if self.exceeded:
            return f", MORE THAN {most}, so a premise of {self.theorem} is broken"
        return f" of at most {most}"


_ROUNDED = 1e-9  # of a loss


def _may_be_untold(labels: NDArray[Any]) -> bool:
    """Tell whether some labels may be missing."""
    return labels.dtype == object


def _untold(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where labels are missing."""
    if not _may_be_untold(labels):
        return np.zeros(len(labels), dtype=np.bool_)
    untold: NDArray[np.bool_] = labels == np.array(None)
    return untold


def _places(
    positions: NDArray[np.intp] | None, weights: NDArray[np.float64]
) -> NDArray[np.intp] | slice:
    """Return where weights stand among those of all experts."""
    return slice(len(weights)) if positions is None else positions


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
        One of each a round; a label is None where none was told, as it may be with
        `learn=False`.
    before
        The mistakes made before these rounds.
    features
        Tells how many features the example of a round has, counted from `first`.
    done
        The share of the stream that has been played, where that is known.
    losses, lost
        What the learner lost on each of these rounds, and what before them; None for a
        learner that is charged by no loss.
    outcome
        What is predicted; the loss of numbers tells more than the mistakes.
    standings
        Tells how the run stands against its bound, by the rounds played; asked by
        `standing`.
    bound_of
        What the bound is a bound of.
    tag
        Tells the tag of a round, counted from `first`; None where there are no tags, as
        in all but Vowpal Wabbit text.
    """

    first: int
    labels: NDArray[Any]
    predictions: NDArray[Any]
    before: int
    features: Callable[[int], int]
    done: float | None = None
    losses: NDArray[np.float64] | None = None
    lost: float = 0.0
    outcome: Outcome = Outcome.LABEL
    standings: Callable[[int], Standing] | None = None
    bound_of: Counts = "mistakes"
    tag: Callable[[int], str] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """The rounds whose prediction was not the label, if one was told.

        Of a distribution its likeliest outcome counts, the first of equals.
        """
        said = self.predictions
        said = said.argmax(axis=1) if said.ndim > 1 else said
        wrong: NDArray[np.bool_] = self.labels != said
        return wrong & ~self.untold if _may_be_untold(self.labels) else wrong

    @property
    def untold(self) -> NDArray[np.bool_]:
        """The rounds whose label is None, as nobody has told it."""
        return _untold(self.labels)

    def mistakes_through(self, at: int) -> int:
        """Return the mistakes made up to and including round `first + at`."""
        return self.before + int(np.count_nonzero(self.wrong[: at + 1]))

    def standing(self, at: int) -> Standing:
        """Tell how the run stood against its bound after round `first + at`.

        That is known of the last of these rounds, and after 1, 2, 4, 8 rounds and so
        on; of most others it is not.
        """
        if self.standings is None:
            return Standing()
        return self.standings(self.first + at + 1)

    def loss_through(self, at: int) -> float:
        """Return what was lost up to and including round `first + at`."""
        return self.lost + float(np.sum(self.losses[: at + 1]))  # type: ignore[index]  # asked where there are losses


def run(
    learner: Plays | Fits,
    stream: Iterable[tuple[Example, object]] | Adversary,
    *,
    passes: int = 1,
    progress: bool = False,
    observe: Callable[[Turn], object] | None = None,
    keep: Literal["mistakes", "nothing", "updates"] = "mistakes",
    digest: bool = False,
    declare: Mapping[str, Number] | None = None,
    keeper: Keeper | None = None,
    learn: bool = True,
) -> Record:
    """Play a stream with a learner: predict, be told, learn, round by round.

    Blocks are played natively where stream and learner can; the record is the same.

    Parameters
    ----------
    learner
        A learner of littlestone, or anything with `predict_one` and `learn_one`, or
        with `predict` and `partial_fit`, which is given one row at a time.
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
        memory constant on an endless stream; `"updates"` keeps also the examples of the
        rounds that change the learner, and takes the digest.
    digest
        Take the SHA-256 of the stream, which tells it from every other: the examples,
        their order, and the order of their features.
    declare
        What you know of the stream or of the truth behind it, by the names of numbers
        of the learner's theorems: `{"features": 100, "relevant": 3}` for a disjunction
        and `Winnow`, `{"margin": 0.1, "radius": 1}` for the `Perceptron`, `{"length":
        5}` for a decision list. It is believed, and may be what a live bound lacks.
    keeper
        Who keeps the learner and the run now and then, so that another run can go on
        with them: see `littlestone.models.run`.
    learn
        False asks a learner of examples and teaches it nothing, as on a test; then no
        theorem speaks of the run, and a label may be None, which is no mistake.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> run(Perceptron(), streams.arrays([[1.0], [-1.0]], [1, -1]), passes=3)
    Record(Perceptron: 6 rounds, 1 mistake (16.67%), 1 update)
    >>> record = run(Perceptron(), streams.arrays([[-1.0]], [0]), keep="updates")
    >>> record.kept
    Kept(1 round, 1 feature)
    >>> margin = {"margin": 0.5, "radius": 1}
    >>> run(Perceptron(), [([-1.0], 0), ([1.0], 1)], declare=margin)
    Record(Perceptron: 2 rounds, 1 mistake (50.00%) of at most 4, 1 update)
    >>> run(Perceptron(), [([-1.0], 0), ([-2.0], 0)], learn=False)
    Record(Perceptron: 2 rounds, 2 mistakes (100.00%), 0 updates)
    """
    steps = running(
        learner,
        stream,
        passes=passes,
        progress=progress,
        observe=observe,
        keep=keep,
        digest=digest,
        declare=declare,
        keeper=keeper,
        learn=learn,
    )
    try:
        next(steps)
    except StopIteration as over:
        record: Record = over.value
        return record
    raise StreamError("a stream must hold pairs of an example and a label, got None")


def running(
    learner: Any,
    stream: Any,
    *,
    passes: int = 1,
    progress: bool = False,
    observe: Callable[[Turn], object] | None = None,
    keep: Literal["mistakes", "nothing", "updates"] = "mistakes",
    digest: bool = False,
    declare: Mapping[str, Number] | None = None,
    keeper: Keeper | None = None,
    learn: bool = True,
) -> Generator[None, None, Record]:
    """Do as `run` does, and pause wherever the stream says None: nothing yet."""
    taught = learner
    if not learn:
        learner = _Asked.of(learner, kept=keeper is not None)
    _check(learner, stream, passes, keep, kept=keeper is not None)
    asked = {"passes": passes, "keep": keep, "digest": digest}
    begun = _Begun.of(learner, asked | {"declare": dict(declare or {})}, keeper)
    watch = Watch(learner, _promises(learner, declare, fresh=begun.fresh))
    # What scikit-learn calls loss_ is none of these books.
    books = _Books(learner if hasattr(learner, "predict_one") else None)
    notes = None
    digested = digest or keep == "updates"
    if digested or keeper is not None:
        notes = Notes(learner, updates=keep == "updates", digest=True)
    tally = _Tally(points=watch.points, keep_rounds=keep != "nothing")
    parts = _Parts(learner, keeper, tally, notes)
    begun.go_on(watch=watch, books=books, notes=notes, tally=tally)
    with reporter() if progress else nullcontext(None) as report:
        for number in range(passes):
            turns = _turns(
                learner, stream, tally, watch, parts=parts, pass_of=(number, passes)
            )
            for turn in turns:
                if turn is None:
                    yield
                    continue
                tally.add(turn)
                if report is not None:
                    report(turn)
                if observe is not None:
                    observe(turn)
                begun.keep(learner)
    parts.end()
    begun.keep(learner, over=True)
    before = begun.updates
    return Record(
        learner=_card(taught),
        rounds=tally.rounds,
        mistakes=tally.mistakes,
        updates=None if before is None else learner.updates_ - before,
        mistake_rounds=tally.mistake_rounds(),
        trail=Trail(tally.points(), watch.looks(), watch.promises),
        passes=passes,
        outcome=outcome_of(learner),
        fresh=begun.fresh,
        digest=notes.digest() if notes is not None and digested else None,
        kept=None if notes is None else notes.kept(),
        unlabelled=tally.unlabelled,
        **books.close(),
    )


def _check(
    learner: Any,
    stream: Iterable[object] | Adversary,
    passes: object,
    keep: object,
    *,
    kept: bool,
) -> None:
    """Refuse what cannot be run."""
    if not isinstance(passes, int) or passes < 1:
        raise ParameterError(
            f"run: passes must be a whole number above 0, got {passes!r}"
        )
    if keep not in ("mistakes", "nothing", "updates"):
        raise ParameterError(
            f"run: keep must be 'mistakes', 'nothing' or 'updates', got {keep!r}"
        )
    if passes > 1 and not _repeatable(stream):
        raise ParameterError(
            f"run: a stream must be readable again for {passes} passes, "
            f"got one that is not: {stream!r}"
        )
    if keep == "updates" and getattr(learner, "updates_", None) is None:
        raise ParameterError(
            "run: keep='updates' needs a learner that counts its updates in updates_, "
            f"got {learner!r}"
        )
    if kept and isinstance(stream, Adversary):
        raise ParameterError(
            f"run: a run against an adversary cannot be kept, got {stream!r}"
        )


@dataclass
class _Begun:
    """How a run began, and what another needs to go on with it.

    Attributes
    ----------
    setting
        What was asked for.
    updates, fresh
        How often the learner had updated before, and whether it was newborn.
    """

    setting: dict[str, Any]
    updates: int | None
    fresh: bool
    keeper: Keeper | None
    parts: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, learner: Any, setting: dict[str, Any], keeper: Keeper | None) -> _Begun:
        """Return how a run begins, or has begun that is to go on."""
        updates = getattr(learner, "updates_", None)
        fresh = isinstance(learner, Learner) and learner.newborn_
        if keeper is not None and keeper.resumed is not None:
            begun = keeper.resumed
            for name, value in setting.items():
                then = begun["setting"].get(name)
                if value != then:
                    raise ParameterError(
                        f"run: {name} must be {then!r}, as in the run that is to go "
                        f"on, got {value!r}"
                    )
            fresh = truth("run", "fresh", begun["fresh"])
            if updates is not None:
                updates = whole("run", "updates", begun["updates"])
        return cls(setting, updates, fresh, keeper)

    def go_on(self, **parts: Any) -> None:
        """Take the parts that are to be kept, and put back what was kept of them."""
        self.parts = parts
        if self.keeper is None or self.keeper.resumed is None:
            return
        try:
            for name, part in parts.items():
                part.restore(self.keeper.resumed[name])
        except LittlestoneError:
            raise
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise ParameterError(
                "run: what is to go on must be as it was kept: "
                f"{type(error).__name__}: {error}"
            ) from error

    def keep(self, learner: Any, *, over: bool = False) -> None:
        """Keep all there is, if it is time to."""
        if self.keeper is None:
            return
        tally = self.parts["tally"]
        if over or tally.rounds % self.keeper.every == 0:
            counted = {"rounds": tally.rounds, "mistakes": tally.mistakes, "over": over}
            begun = {
                "setting": self.setting,
                "updates": self.updates,
                "fresh": self.fresh,
            }
            parts = {name: part.save() for name, part in self.parts.items()}
            self.keeper.keep(learner, counted | begun | parts)


def _promises(
    learner: Any, declared: Mapping[str, Number] | None, *, fresh: bool
) -> Promises:
    """Return what a learner promises of its whole life, if the run is all of it."""
    if not isinstance(learner, Learner):
        return Promises.of(learner, declared)
    if fresh:  # or it was, when a run began that now goes on
        return Promises.of(learner if learner.newborn_ else learner.clone(), declared)
    if declared:
        raise ParameterError(
            "run: declare needs a learner that has learned nothing before, as bounds "
            f"are of a whole life, got {learner!r}"
        )
    return Promises("mistakes", ())


def _repeatable(stream: Iterable[object] | Adversary) -> bool:
    if isinstance(stream, Stream):
        return stream.repeatable
    return not isinstance(stream, (Adversary, Iterator))


def _card(learner: object) -> LearnerCard:
    given: dict[str, Any] = {}
    if isinstance(learner, Learner):
        given = learner.get_params(deep=False)  # learners within are told as they are
    elif hasattr(learner, "get_params"):
        given = learner.get_params()
    return LearnerCard(type(learner).__name__, dict(given))


def _turns(
    learner: Any,
    stream: Iterable[tuple[Example, object]] | Adversary,
    tally: _Tally,
    watch: Watch,
    *,
    parts: _Parts,
    pass_of: tuple[int, int],
) -> Iterator[Turn | None]:
    """Yield the turns of one pass, then raise what stopped it."""
    number, passes = pass_of
    if isinstance(stream, Adversary):
        duel = _Duel(learner, stream)
        played = _play_examples(duel, duel, watch, parts)
    elif (
        isinstance(stream, Stream)
        and not stream.of_mappings
        and hasattr(learner, _BLOCKS[stream.of_advice])
    ):
        play = _play_advice if stream.of_advice else _play_blocks
        played = play(learner, stream, watch, parts)
    else:
        played = _play_examples(learner, stream, watch, parts)
    try:
        for some in played:
            if some is None:
                yield None
                continue
            labels, predictions, features, done, losses, tag = some
            yield Turn(
                tally.rounds,
                labels,
                predictions,
                tally.mistakes,
                features,
                None if done is None else (number + done) / passes,
                losses,
                tally.lost,
                outcome_of(learner),
                watch.standing,
                watch.promises.counts,
                tag,
            )
    except (ExampleError, StreamError) as error:
        error.rounds = tally.rounds
        if isinstance(error, ExampleError) and not error.where:
            error.where = f"round {tally.rounds}"
        raise


# What a learner that plays whole blocks is asked for, by whether they are advice.
_BLOCKS = {False: "play_rows", True: "play_advice"}

_Played = tuple[
    "NDArray[Any]",
    "NDArray[Any]",
    Callable[[int], int],
    float | None,
    "NDArray[np.float64] | None",
    Callable[[int], str] | None,
]


class _Parts:
    """A stream in parts that end where a run is kept, without what was played before.

    What was played before is read again, so that its digest can be compared.
    """

    def __init__(
        self, learner: Any, keeper: Keeper | None, tally: _Tally, notes: Notes | None
    ) -> None:
        self._learner, self._keeper, self._tally = learner, keeper, tally
        self.notes = notes
        self._digest: str | None = None
        self.left = 0  # rounds that were played before
        if keeper is not None and keeper.resumed is not None:
            self.left = keeper.resumed["rounds"]
            self._digest = keeper.resumed["notes"]["digest"]
            self._compare()

    @property
    def most(self) -> int:
        """How many rounds to play until the run is to be kept."""
        if self._keeper is None:
            return _ALL
        return self._keeper.every - self._tally.rounds % self._keeper.every

    def blocks(self, stream: Any) -> Iterator[Block | None]:
        """Yield the blocks, or parts of them, that are to be played."""
        for block in stream.blocks():
            if block is None:
                yield None
                continue
            first = block.first
            if self.left:
                first = min(block.last, first + self.left)
                self._skip(block, range(block.first, first), advice=stream.of_advice)
            while first < block.last:
                last = min(block.last, first + self.most)
                whole = (first, last) == (block.first, block.last)
                yield block if whole else replace(block, first=first, last=last)
                first = last

    def examples(
        self, stream: Iterable[tuple[Example, Any]], read: Callable[[Any], object]
    ) -> Iterator[tuple[Example, Any]]:
        """Yield the examples that are to be played; read the labels of others too."""
        for x, y in stream:
            if self.left and self.notes is not None:
                read(y)
                self.notes.skip(x, y)
                self.left -= 1
                self._compare()
            else:
                yield x, y

    def end(self) -> None:
        """Refuse a stream that ended before it came to where it had come before."""
        if self.left:
            self._refuse(f"{self.left} fewer")

    def _skip(self, block: Block, played: range, *, advice: bool) -> None:
        assert self.notes is not None  # noqa: S101 - who resumes notes the stream
        if advice:
            outcomes = block.labels
            if not outcome_of(self._learner).charged:
                outcomes = self._learner.as_outcomes(block.labels, len(block.labels))
            self.notes.advice(block.rows, outcomes, played)
        else:
            self.notes.skip_rows(block.rows, _labels_for(self._learner, block), played)
        self.left -= len(played)
        self._compare()

    def _compare(self) -> None:
        if self.left == 0 and self.notes is not None:
            digest = self.notes.digest()
            if self._tally.rounds and digest != self._digest:
                self._refuse(f"others, whose digest is {digest}")

    def _refuse(self, got: str) -> NoReturn:
        rounds = self._tally.rounds
        raise StreamError(
            f"the stream must begin with the {rounds:,} rounds that were played before "
            f"(digest {self._digest}), got {got}"
        )


def _labels_for(learner: Any, block: Block) -> NDArray[Any]:
    """Return the labels of a block as a learner takes them."""
    of_classes = outcome_of(learner) is Outcome.CLASS
    if of_classes or block.labels.dtype == np.bool_:
        return block.labels
    if isinstance(learner, _Asked) and _untold(block.labels).any():
        return block.labels  # where none is told, none is needed
    return as_labels(block.labels, len(block.labels))


def _play_blocks(
    learner: Any, stream: Stream, watch: Watch, parts: _Parts
) -> Iterator[_Played | None]:
    kind = object if outcome_of(learner) is Outcome.CLASS else np.bool_
    notes = parts.notes
    for block in parts.blocks(stream):
        if block is None:
            yield None
            continue
        rows, first, last = block.rows, block.first, block.last
        if not isinstance(learner, _Asked):
            _check_told(block)
        labels = _labels_for(learner, block)
        predictions = np.empty(len(rows), dtype=kind)
        changed = None if notes is None else notes.room(len(rows))
        more = () if changed is None else (changed,)
        refused = None
        at = first
        try:
            while at < last:
                to = min(last, at + watch.left)
                learner.play_rows(rows, labels, predictions, at, to, *more)
                watch.played(to - at)
                at = to
        except ExampleError as error:
            refused = error
            watch.played(error.rounds or 0)
            last = at + (error.rounds or 0)
            error.where = block.where(last)
        if last > first:
            if notes is not None and refused is None:
                notes.rows(rows, labels, range(first, last), changed)
            features = partial(_nonzeros, rows, first)
            said = predictions[first:last]
            tag = getattr(block.where, "tag", None)
            if tag is not None:
                tag = partial(_shifted, tag, first)
            yield labels[first:last], said, features, block.done, None, tag
        if refused is not None:
            raise refused


def _check_told(block: Block) -> None:
    """Refuse a block in which a label is missing, before any of it is played."""
    if not _may_be_untold(block.labels):
        return
    missing = np.flatnonzero(_untold(block.labels[block.first : block.last]))
    if len(missing):
        error = refusal("missing", value=None)
        error.where = block.where(block.first + int(missing[0]))
        raise error


def _play_advice(
    learner: Any, stream: Stream, watch: Watch, parts: _Parts
) -> Iterator[_Played | None]:
    notes = parts.notes
    for block in parts.blocks(stream):
        if block is None:
            yield None
            continue
        advice, first, last = block.rows, block.first, block.last
        outcomes = learner.as_outcomes(block.labels, len(advice))
        predictions = learner.room_for(advice, len(advice))
        losses = np.empty(len(advice))
        refused = None
        at = first
        try:
            while at < last:
                to = min(last, at + watch.left)
                # A whole block is looked through before it is played, so it is cut.
                some, here = advice, range(at, to)
                if len(here) < len(advice):
                    cut = slice(at, to)
                    values = advice.values[cut]
                    some = Advice(values, advice.names, advice.may_sleep)
                    here = range(to - at)
                else:
                    cut = slice(None)
                learner.play_advice(
                    some, outcomes[cut], predictions[cut], losses[cut], here
                )
                watch.played(to - at)
                at = to
        except ExampleError as error:
            refused = error
            watch.played(error.rounds or 0)
            last = at + (error.rounds or 0)
            error.where = block.where(last)
        if last > first:
            played = slice(first, last)
            if notes is not None and refused is None:
                numbers = outcome_of(learner).charged
                told = block.labels if numbers else outcomes
                notes.advice(advice, told, range(first, last))
            yield (
                outcomes[played],
                predictions[played],
                partial(_awake, advice, first),
                block.done,
                losses[played],
                None,
            )
        if refused is not None:
            raise refused


def _awake(advice: Advice, first: int, at: int) -> int:
    return len(advice.row(first + at))


def _nonzeros(rows: _core.Rows, first: int, at: int) -> int:
    return rows.nonzeros(first + at)


def _shifted(tag: Callable[[int], str], first: int, at: int) -> str:
    return tag(first + at)


def _play_examples(
    learner: Any,
    stream: Iterable[tuple[Example, object]],
    watch: Watch,
    parts: _Parts,
) -> Iterator[_Played | None]:
    notes = parts.notes
    play_one: Any = getattr(learner, "play_one", None) or _PlayOne(learner)
    outcome = outcome_of(learner)
    numbers = outcome.charged
    read = _reader(learner)
    charged, asked = hasattr(learner, "last_loss_"), isinstance(learner, _Asked)
    look: Callable[[int], object] = watch.played if watch.watching else bool
    rounds: tuple[list[Any], ...] = [], [], [], []
    labels, predictions, features, losses = rounds
    played = partial(
        _taken, rounds, of_classes=outcome is Outcome.CLASS, charged=charged
    )
    shown = time.monotonic()
    refused = None
    most = min(_ROUNDS_A_TURN, parts.most)
    try:
        for example in parts.examples(stream, read) if parts.left else stream:
            if example is None:
                yield None
                continue
            x, y = example
            label = None if y is None and asked else read(y)
            if notes is not None:
                notes.ask(x, y)
            predictions.append(play_one(x, y if numbers else label))
            if notes is not None:
                notes.tell(x, label)
            labels.append(label)
            losses.append(learner.last_loss_ if charged else 0.0)
            features.append(_size(x))
            look(1)
            # A slow stream is shown as it comes, a fast one in larger turns.
            if len(labels) == most or (
                len(labels) % 16 == 0 and time.monotonic() - shown > _PATIENCE
            ):
                yield played()
                shown = time.monotonic()
                most = min(_ROUNDS_A_TURN, parts.most)
    except LittlestoneError as error:
        refused = error
    if labels:
        yield played()
    if refused is not None:
        raise refused


def _taken(rounds: Any, *, of_classes: bool, charged: bool) -> _Played:
    """Return the rounds that were played one by one, and forget them."""
    labels, predictions, features, losses = rounds
    made = objects if of_classes else np.array
    lost = np.array(losses) if charged else None
    shown = list(features).__getitem__
    turn = made(labels), made(predictions), shown, None, lost, None
    for kept in rounds:
        kept.clear()
    return turn


def _size(x: Example) -> int:
    """Return how many features an example has, where it tells."""
    try:
        return len(x)
    except TypeError:  # a number, or a sparse array
        return int(getattr(x, "nnz", 0))


def _reader(learner: Any) -> Callable[[Any], Any]:
    """Return what makes of a label or outcome what the record keeps."""
    outcome = outcome_of(learner)
    if outcome is Outcome.CLASS:
        return as_class
    if outcome is Outcome.LABEL:
        return _Labels()
    as_outcomes = getattr(learner, "as_outcomes", None)
    if as_outcomes is None:
        return float
    return lambda y: as_outcomes([y], 1)[0].item()


class _Labels:
    """Reads labels, which say no in one way only."""

    def __init__(self) -> None:
        self._no: bool | None = None  # whether no is written -1

    def __call__(self, y: Any) -> bool:
        label = as_label(y)
        if not label:
            if self._no is not None and self._no != (y == -1):
                raise refusal("alphabet", value=y)
            self._no = bool(y == -1)
        return label


class _Books:
    """What a learner itself keeps: losses, and whether a concept still fits."""

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        self._before = self._read()
        self._rounds = getattr(learner, "rounds_", 0)

    def save(self) -> dict[str, Any]:
        """Return what they said when the run began."""
        return {"before": list(self._before), "rounds": self._rounds}

    def restore(self, said: Mapping[str, Any]) -> None:
        """Go on with a run that began earlier."""
        loss, expected, theirs, own = said["before"]
        known = (loss, expected, *theirs.values(), *own.values())
        check(
            "run",
            all(x is None or isinstance(x, (int, float, Fraction)) for x in known)
            and type(said["rounds"]) is int,
            "books of numbers",
        )
        self._before = (loss, expected, dict(theirs), dict(own))
        self._rounds = said["rounds"]

    def close(self) -> dict[str, Any]:
        """Return what the books say of the run."""
        loss, expected, theirs, own = self._read()
        first_loss, first_expected, first_theirs, first_own = self._before
        facts: dict[str, Any] = {}
        unrealizable = getattr(self._learner, "unrealizable_", None)
        if unrealizable is not None:
            facts["unrealizable"] = max(0, unrealizable.round - self._rounds)
        if loss is not None:
            facts["loss"] = loss - (first_loss or 0.0)
        if expected is not None:
            facts["expected_mistakes"] = expected - (first_expected or 0)
        if theirs:
            lost = {who: x - first_theirs.get(who, 0.0) for who, x in theirs.items()}
            beside = {who: x - first_own.get(who, 0.0) for who, x in own.items()}
            facts["expert_losses"] = lost
            facts["regrets"] = {who: beside[who] - x for who, x in lost.items()}
            facts["weights"] = dict(self._learner.weights_)
        return facts

    def _read(self) -> tuple[Any, Any, dict[Any, float], dict[Any, float]]:
        learner = self._learner
        theirs: dict[Any, float] = {}
        own: dict[Any, float] = {}
        if getattr(learner, "keeps_losses_", False):
            theirs, own = dict(learner.losses_), dict(learner.own_losses_)
        loss = getattr(learner, "loss_", None)
        return loss, getattr(learner, "expected_mistakes_", None), theirs, own


_ROUNDS_A_TURN = 1024
_ALL = 2**63
_PATIENCE = 0.1


class _PlayOne:
    """One round with a learner that only predicts and learns; silence means no."""

    def __init__(self, learner: Any) -> None:
        self._player = as_player(learner)

    def __call__(self, x: Example, label: bool) -> bool:
        predicted = self._player.predict(x)
        self._player.learn(x, label)
        return predicted is not None and as_label(predicted)


class _Asked:
    """A learner that is asked, and taught nothing."""

    updates_ = 0

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        self._player = as_player(learner)
        self.outcome = outcome_of(learner)

    @staticmethod
    def of(learner: Any, *, kept: bool) -> _Asked:
        """Return a learner as one that is only asked."""
        if kept:
            raise ParameterError("run: learn=False has nothing to keep, got a keeper")
        if hasattr(learner, "play_advice") or outcome_of(learner).charged:
            raise ParameterError(
                "run: learn=False needs a learner of examples, as one that follows "
                f"experts is charged while it learns, got {learner!r}"
            )
        return (_AskedRows if hasattr(learner, "play_rows") else _Asked)(learner)

    def predict_one(self, x: Example) -> Any:
        return self._player.predict(x)

    def learn_one(self, x: Example, y: object) -> None:
        """Learn nothing."""

    def play_one(self, x: Example, _: object) -> Any:
        said = self.predict_one(x)
        if self.outcome is Outcome.CLASS:
            return said
        return said is not None and as_label(said)


class _AskedRows(_Asked):
    """The same for a learner that plays rows natively."""

    def play_rows(
        self,
        rows: _core.Rows,
        _: NDArray[Any],
        predictions: NDArray[Any],
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
    ) -> None:
        if changed is not None:
            changed[first:last] = False
        if last - first > 1:
            # A row that is refused is met again below, after those before it.
            with suppress(ExampleError):
                predictions[first:last] = self._learner.predict(rows)[first:last]
                return
        for at in range(first, last):
            try:
                predictions[at] = self._learner.predict_one(rows.row(at))
            except ExampleError as error:
                error.rounds = at - first
                raise


class _Duel:
    """A learner against an adversary, as a stream and as the one who plays it.

    The prediction is asked for once, since not everybody would repeat it. Whoever says
    nothing is wrong, and is answered as if he had said no.
    """

    def __init__(self, learner: Any, adversary: Adversary) -> None:
        self._player = as_player(learner, adversary.features)
        self._adversary = adversary
        self._said: bool | None = None

    def __iter__(self) -> Iterator[tuple[Example, bool]]:
        self._adversary.restart()
        while (x := self._adversary.ask()) is not None:
            predicted = self._player.predict(x)
            self._said = None if predicted is None else as_label(predicted)
            yield x, self._adversary.answer(bool(self._said))

    def play_one(self, x: Example, label: bool) -> bool:
        self._player.learn(x, label)
        return not label if self._said is None else self._said


class _Tally:
    """Counts rounds and mistakes, and keeps the curve at a few hundred points."""

    def __init__(self, *, points: int, keep_rounds: bool) -> None:
        self._points = points
        self.rounds = 0
        self.mistakes = 0
        self.unlabelled = 0  # none where rounds are kept: nobody learns from those
        self._kept: list[NDArray[np.int64]] | None = [] if keep_rounds else None
        self.lost = 0.0
        self._stride = 1
        self._curve: list[tuple[int, int]] = []
        self._losses: list[float] | None = None

    def save(self) -> dict[str, Any]:
        """Return what was counted so far."""
        curve = np.array(self._curve, dtype=np.int64).reshape(-1, 2)
        losses = None if self._losses is None else np.array(self._losses)
        return {
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "mistake_rounds": self.mistake_rounds(),
            "lost": self.lost,
            "stride": self._stride,
            "curve": curve,
            "losses": losses,
        }

    def restore(self, counted: Mapping[str, Any]) -> None:
        """Go on with what was counted before."""
        curve, losses, rounds = (
            counted[name] for name in ("curve", "losses", "mistake_rounds")
        )
        numbers = [counted[name] for name in ("rounds", "mistakes", "stride")]
        check(
            "run",
            all(type(number) is int and number >= 0 for number in numbers)
            and counted["stride"] > 0
            and isinstance(counted["lost"], float)
            and is_array(curve, np.int64, 2)
            and curve.shape[1] == 2  # noqa: PLR2004 - rounds and mistakes
            and (losses is None or is_array(losses, np.float64))
            and (losses is None or len(losses) == len(curve))
            and (rounds is None) == (self._kept is None)
            and (rounds is None or is_array(rounds, np.int64)),
            "counts",
        )
        self.rounds, self.mistakes = counted["rounds"], counted["mistakes"]
        self.lost, self._stride = counted["lost"], counted["stride"]
        self._curve = [(at, count) for at, count in curve.tolist()]
        self._losses = None if losses is None else losses.tolist()
        if self._kept is not None:
            self._kept = [rounds]

    def add(self, turn: Turn) -> None:
        (wrong,) = turn.wrong.nonzero()
        last = self.rounds + len(turn)
        while last // self._stride > self._points:
            self._stride *= 2
            self._curve = self._curve[1::2]
            self._losses = self._losses and self._losses[1::2]
        next_point = (self.rounds // self._stride + 1) * self._stride
        ends = np.arange(next_point, last + 1, self._stride)
        counts = self.mistakes + wrong.searchsorted(ends - self.rounds)
        self._curve += zip(ends.tolist(), counts.tolist(), strict=True)
        if turn.losses is not None:
            # One after another, so that it does not matter where turns end.
            lost = np.cumsum(np.concatenate(([self.lost], turn.losses)))[1:]
            self._losses = self._losses or []
            self._losses += lost[ends - self.rounds - 1].tolist()
            self.lost = float(lost[-1])
        if self._kept is not None and len(wrong):
            self._kept.append(wrong + self.rounds)
        self.mistakes += len(wrong)
        if _may_be_untold(turn.labels):
            self.unlabelled += int(np.count_nonzero(turn.untold))
        self.rounds = last

    def mistake_rounds(self) -> NDArray[np.int64] | None:
        if self._kept is None:
            return None
        return np.concatenate([np.empty(0, dtype=np.int64), *self._kept])

    def points(self) -> tuple[tuple[int, int, float | None], ...]:
        """Return rounds, mistakes and loss at the points, the last round included."""
        losses: list[Any] = [None] * len(self._curve)
        if self._losses is not None:
            losses = self._losses
        points = [(*at, lost) for at, lost in zip(self._curve, losses, strict=True)]
        if self.rounds and (not points or points[-1][0] < self.rounds):
            lost = None if self._losses is None else self.lost
            points.append((self.rounds, self.mistakes, lost))
        return tuple(points)
