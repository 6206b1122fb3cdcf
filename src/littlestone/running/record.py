"""What happened in a run: the record, its curve and its weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone.display.words import TAUTOLOGICAL, VACUOUS
from littlestone.errors import ParameterError
from littlestone.outcome import Outcome
from littlestone.running.notebook import record_html
from littlestone.running.weights import weight_curve

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from littlestone.errors import ExampleError
    from littlestone.metrics import Auc, Chances, Confusion, Coverage, Errors
    from littlestone.running.advice import KeptAdvice
    from littlestone.running.bounds import Counts, Look, Promises, Standing
    from littlestone.running.card import LearnerCard
    from littlestone.running.examples import KeptExamples
    from littlestone.running.hindsight import Found
    from littlestone.running.tally import Counted
    from littlestone.running.weights import WeightCurve
    from littlestone.theorems import Number

__all__ = ["Point", "Record", "Trail"]

_LABELS_ALONE = ("FollowTheMajority", "Cover")  # compared with constant answers
_ROUNDED = 1e-9  # losses are rounded when they are summed


class Point(NamedTuple):
    """One point of a curve: the state of a run after some rounds.

    Attributes
    ----------
    rounds, mistakes
        The rounds played so far, and the mistakes made in them.
    loss
        The learner's loss so far; None for a learner without a loss.
    bound
        The live bound on what `Record.bound_of` names; None if no theorem gave one.
    regret
        How much more the learner has lost than the best expert so far; None for a
        learner without experts.

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


class Trail(NamedTuple):
    """What a curve is made of; its bounds are computed when they are read."""

    counted: Counted
    looks: Mapping[int, Look]
    promises: Promises
    found: Mapping[int, Found]  # by searches for a witness

    def standing(self, rounds: int) -> Standing:
        """Return how the run compared with its bound after so many rounds."""
        look, seen = self.looks.get(rounds), self.found.get(rounds)
        return self.promises.standing(look, rounds, seen)


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
        How many rounds changed the learner; None if the learner does not count them.
    mistake_rounds
        The numbers of the rounds with a mistake, counted from 0; None if not kept.
    curve
        A few hundred `Point`s, including the last round: mistakes, loss, live bound and
        regret so far.
    bound, theorem, bound_of
        The live bound, from what the learner knows and what was declared, or by the
        best witness so far with `live=True`; the id of its theorem; and what it limits:
        `"mistakes"`, `"expected mistakes"`, or the `"regret"` to the best expert. None
        where no theorem gives a bound, and for a learner that had learned before.
    passes
        How often the stream was read.
    outcome
        What was predicted. Numbers and distributions are charged by a loss, which says
        more than the mistakes.
    loss
        The learner's loss; None for a learner without a loss.
    expected_mistakes
        The expected number of mistakes over the learner's own random draws; None for a
        learner that does not draw.
    expert_losses, regrets
        The loss of each expert while awake, and how much more the learner lost in the
        same rounds; None for a learner without experts.
    weights
        The weight of each expert after the last round; None for a learner without
        experts.
    unrealizable
        The first round after which no concept of the learner's class fits, 0 if none
        did before the run; None while one does, and for a learner of no concept.
    fresh
        Whether the learner had learned nothing before the run, so that the record
        covers its whole life, as theorems do.
    digest
        The SHA-256 of the stream, in the order played; None if not requested.
    examples
        The examples of the rounds that changed the learner, if requested; None for a
        learner that takes the advice of experts.
    advice
        The advice and the outcome of every round, if requested, for
        `littlestone.comparators`.
    unlabelled
        The number of rounds without a label, in which there is no mistake to make.
    confusion
        Which answers were given to which labels, with precision, recall, F1, balanced
        error and the mistakes of always giving the commoner answer; None where numbers
        are predicted.
    auc
        The area under the ROC curve, and how far it may be off; None unless `metrics`
        names it.
    chances
        How good the probabilities were: log loss, Brier score and calibration; None for
        learners without probabilities.
    errors
        How far predicted numbers were off: mean absolute error, root of the mean
        square, and the share that is explained; None unless numbers are predicted.
    coverage
        How often outcomes were inside the intervals of `conformal.Adaptive`, and how
        wide these were; None for other learners.
    band
        Outcome minus forecast, and half the width of the interval, in the latest rounds
        of `conformal.Adaptive`; empty for other learners.
    late
        The number of rounds whose prediction was given out before the learner had seen
        the labels of earlier rounds, and would have been another with them. Always 0 in
        `run`; see `Recorder`.
    square
        Q of `DELAY-SERVED`, rounded up, if late labels were learned by the rule
        `"served"`; None otherwise.
    refused, first_refusal, refused_at
        The number of examples that the learner refused and `on_error="skip"` left out,
        the error of the first one, and their places in what was read, counted from 0.

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
    expert_losses: Mapping[Any, float] | None = None
    regrets: Mapping[Any, float] | None = None
    weights: Mapping[Any, float] | None = None
    unrealizable: int | None = None
    fresh: bool = False
    digest: str | None = None
    examples: KeptExamples | None = field(default=None, compare=False)
    advice: KeptAdvice | None = field(default=None, compare=False)
    unlabelled: int = 0
    confusion: Confusion | None = field(default=None, repr=False)
    auc: Auc | None = None
    chances: Chances | None = None
    errors: Errors | None = None
    coverage: Coverage | None = None
    band: tuple[tuple[float, float], ...] = field(default=(), compare=False, repr=False)
    late: int = 0
    square: float | None = None
    refused: int = 0
    first_refusal: ExampleError | None = field(default=None, compare=False)
    refused_at: NDArray[np.int64] = field(
        default_factory=lambda: np.zeros(0, np.int64), compare=False, repr=False
    )

    @cached_property
    def curve(self) -> tuple[Point, ...]:
        """A few hundred points of the run, including the last round."""
        points = []
        for rounds, mistakes, loss in self.trail.counted.points:
            now = self.trail.standing(rounds)
            points.append(Point(rounds, mistakes, loss, now.bound, now.regret))
        return tuple(points)

    @cached_property
    def _standing(self) -> Standing:
        return self.trail.standing(self.rounds)

    @property
    def bound(self) -> float | None:
        """What a theorem guarantees for this run, as far as is known by its end."""
        return self._standing.bound

    @property
    def theorem(self) -> str | None:
        """The id of the theorem that gives the bound."""
        return self._standing.theorem

    @property
    def bound_of(self) -> Counts | None:
        """What the bound limits."""
        return None if self.bound is None else self.trail.promises.counts

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers that the theorem takes for the bound, by name.

        Examples
        --------
        >>> from littlestone import run
        >>> from littlestone.experts import Halving
        >>> run(Halving(), [([True, False], True)]).numbers
        {'experts': 2}
        """
        if self.witnessed:
            return dict(self.trail.found[self.rounds].numbers)
        return self.trail.promises.numbers(self.trail.looks.get(self.rounds))

    @property
    def vacuous(self) -> bool:
        """Whether there is a bound, but one that says nothing about this run.

        It is not below the rounds, or, of a regret, not below the rounds times the
        range of losses.
        """
        return self._standing.vacuous

    @property
    def tautological(self) -> bool:
        """Whether there is a bound whose witness says no more than the mistakes."""
        return self._standing.tautological

    @property
    def emptiness(self) -> str:
        """Why the bound says nothing, in words; empty if it says something."""
        if self.vacuous:
            return VACUOUS
        return TAUTOLOGICAL if self.tautological else ""

    @property
    def witnessed(self) -> bool:
        """Whether the bound is by the best witness so far, found with `live=True`."""
        return self._standing.witnessed

    @property
    def exceeded(self) -> bool:
        """Whether the run exceeds its bound, so that a premise must be broken.

        Either what was declared is not true, or no concept fits; otherwise it is a bug.
        """
        counted = {
            "mistakes": self.mistakes,
            "expected mistakes": self.expected_mistakes,
            "regret": self.regret,
        }.get(self.bound_of or "")
        if self.bound is None or counted is None:
            return False
        return float(counted) > self.bound + _ROUNDED * max(1.0, abs(self.loss or 0.0))

    @property
    def best_expert(self) -> Any:
        """The expert with the largest regret: the best one to have followed.

        For learners that look at labels alone it is `"always yes"` or `"always no"`.
        """
        if self.regrets:
            return max(self.regrets, key=self.regrets.__getitem__)
        if self.regret is None or self.confusion is None:
            return None
        yes = next((one.rounds for one in self.confusion.by_class if one.label), 0)
        return "always yes" if 2 * yes >= self.confusion.rounds else "always no"

    @property
    def regret(self) -> float | None:
        """How much more the learner lost than the best expert.

        For `FollowTheMajority` and `Cover`, which look at labels alone: how many more
        mistakes it made, or was expected to make, than the better constant.
        """
        if self.regrets:
            return max(self.regrets.values())
        if self.learner.name not in _LABELS_ALONE or self.confusion is None:
            return None
        own = self.expected_mistakes
        return float(self.mistakes if own is None else own) - self.confusion.hindsight

    @property
    def rate(self) -> float:
        """Mistakes per labelled round; 0 before the first."""
        labelled = self.rounds - self.unlabelled
        return self.mistakes / labelled if labelled else 0.0

    def weight_curve(self, experts: int = 12) -> WeightCurve | None:
        """Return the weights of the experts over the course of the run.

        Memory is bounded: of more than 390 experts only the 390 heaviest are kept at
        each point. Any other counts as 0 there, which is at most 1/391 too little; the
        difference is part of `others`.

        Parameters
        ----------
        experts
            How many experts to list by name, the heaviest overall; the rest are summed.

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
                f"experts must be a whole number above 0, got {experts!r}",
                owner="weight_curve",
            )
        return weight_curve(self.trail.looks, self.weights, experts)

    def _repr_html_(self) -> str:
        return record_html(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON.

        Where numbers or distributions are predicted, mistakes are None: hardly any
        prediction is exactly the outcome, and the loss is what counts.
        """
        points = [point._asdict() for point in self.curve]
        if self.outcome.charged:
            points = [point | {"mistakes": None} for point in points]
        return {
            "learner": {
                "name": self.learner.name,
                "parameters": dict(self.learner.parameters),
            },
            "passes": self.passes,
            "rounds": self.rounds,
            "mistakes": None if self.outcome.charged else self.mistakes,
            "outcome": self.outcome.value,
            "updates": self.updates,
            "metrics": self._metrics(),
            "mistake_rounds": None
            if self.mistake_rounds is None or self.outcome.charged
            else self.mistake_rounds.tolist(),
            "curve": points,
        } | self._of_some()

    def _metrics(self) -> dict[str, Any] | None:
        if self.errors is not None:
            inside = {} if self.coverage is None else self.coverage.to_dict()
            return self.errors.to_dict() | inside
        if self.confusion is None:
            return None
        found: dict[str, Any] = {}
        if self.auc is not None:
            found["auc"] = self.auc._asdict()
        if self.chances is not None:
            found |= self.chances.to_dict()
        return self.confusion.to_dict() | found

    def _of_some(self) -> dict[str, Any]:
        """Return what only some records have."""
        facts: dict[str, Any] = {}
        if self.late:
            facts["late"] = self.late
        if self.unlabelled:
            facts["unlabelled"] = self.unlabelled
        if self.refused:
            facts["refused"] = self.refused
        if self.digest is not None:
            facts["digest"] = self.digest
        if self.bound is not None:
            facts |= {
                "bound": self.bound,
                "bound_of": self.bound_of,
                "theorem": self.theorem,
                "numbers": {name: _plain(x) for name, x in self.numbers.items()},
                "vacuous": self.vacuous,
                "tautological": self.tautological,
                "exceeded": self.exceeded,
            }
        if self.unrealizable is not None:
            facts["unrealizable"] = self.unrealizable
        if self.loss is not None:
            facts["loss"] = self.loss
        if self.expected_mistakes is not None:
            facts["expected_mistakes"] = float(self.expected_mistakes)
        return facts | self._of_experts()

    def _of_experts(self) -> dict[str, Any]:
        """Return what the learner was compared with, if with anything."""
        if self.regret is None and self.regrets is None:
            return {}
        facts = {"best_expert": self.best_expert, "regret": self.regret}
        if self.regrets is None:
            return facts
        return facts | {
            "expert_losses": dict(self.expert_losses or {}),
            "regrets": dict(self.regrets),
            "weights": dict(self.weights or {}),
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]  # it holds an array

    def __repr__(self) -> str:
        parts = [_counted(self.rounds, "round")]
        if self.unlabelled:
            parts.append(f"{self.unlabelled:,} without a label")
        if not self.outcome.charged:
            made = f"{_counted(self.mistakes, 'mistake')} ({self.rate:.2%})"
            parts.append(made + self._of_at_most("mistakes"))
        elif self.loss is not None:  # in a test, outcomes may be missing
            parts.append(f"loss {self.loss:.6g}")
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
        if self.refused:
            parts.append(f"{_counted(self.refused, 'example')} refused")
        return f"Record({self.learner.name}: {', '.join(parts)})"

    def _of_at_most(self, counted: Counts) -> str:
        """Return the bound in words, if this is what it limits."""
        if self.bound is None or self.bound_of != counted:
            return ""
        most = f"{math.floor(self.bound):,}" if counted == "mistakes" else None
        most = most or f"{self.bound:.6g}"
        if self.exceeded:
            return f", MORE THAN {most}, so a premise of {self.theorem} is broken"
        empty = f" ({self.emptiness})" if self.emptiness else ""
        return f" of at most {most}{empty}"


def _plain(number: Number) -> float:
    """Return a number that JSON can hold."""
    return number if isinstance(number, (int, float)) else float(number)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
