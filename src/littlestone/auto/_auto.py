"""Auto: the untuned committee of linear learners, played natively in one reading."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.auto._team import PATIENCE, Team, checked, ours
from littlestone.errors import ExampleError
from littlestone.experts import Calibrator, Restarting, WeightedMajority
from littlestone.learner import one_by_one
from littlestone.learner.advice import Advice
from littlestone.learner.parameters import finite, whole
from littlestone.learner.rows import as_rows, is_mappings
from littlestone.linear import (
    AIOLI,
    AROW,
    AdaGrad,
    AveragedPerceptron,
    CoinBetting,
    PassiveAggressive,
    SecondOrderPerceptron,
)
from littlestone.maps import Fourier, Mapped, Standardized
from littlestone.outcome import Outcome
from littlestone.verifying.twins.auto import MEMBERS, STACKS, sums

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.learner.moment import Looks
    from littlestone.learner.rows import Example
    from littlestone.linear._base import NativeLearner

    Member = NativeLearner | Mapped | Restarting

__all__ = ["Auto", "pool", "pools"]

_LEAST = 5e-324  # above 0
_PART = 4096  # rounds whose scores are learned from at once
_MOST_ODDS = 16.0
# The names of members that learn from the scores of the others.
STACK, LOGISTIC = STACKS


def pool(bias: float = 1.0) -> dict[str, Member]:
    """Return the members that `Auto` has unless others are given.

    Examples
    --------
    >>> from littlestone.auto import pool
    >>> list(pool())[:3]
    ['passive-aggressive bias=0', 'passive-aggressive C=0.01 bias=0', 'averaged-perceptron']
    """  # noqa: E501 - a list is one line
    members = _first_pool(bias)
    for name in ("passive-aggressive", "passive-aggressive C=0.01", "arow fourier"):
        del members[name]
    return {
        # The first refuses rows for all, so it is the one that checks most. Where rows
        # have length one, a constant feature of 1 would be half of each.
        "passive-aggressive bias=0": PassiveAggressive(),
        "passive-aggressive C=0.01 bias=0": PassiveAggressive(C=0.01),
        **members,
        "arow restarting": Restarting(AROW(bias=bias)),
        "ada-grad standardized": Mapped(AdaGrad(bias=bias), Standardized()),
        "arow fourier 300": Mapped(
            AROW(r=0.1, diagonal=False), Standardized() | Fourier(dim=300)
        ),
    }


def pools(bias: float = 1.0) -> dict[str, Member]:
    """Return the members of this pool and of those that saved models may have.

    Examples
    --------
    >>> from littlestone.auto import pool, pools
    >>> [name for name in pools() if name not in pool()]
    ['passive-aggressive', 'passive-aggressive C=0.01', 'arow fourier']
    """
    return _first_pool(bias) | pool(bias)


def _first_pool(bias: float) -> dict[str, Member]:
    """Return the pool of models that were saved before pools had names."""
    return {
        # The first refuses rows for all, so it is the one that checks most.
        "passive-aggressive": PassiveAggressive(bias=bias),
        "passive-aggressive C=0.01": PassiveAggressive(C=0.01, bias=bias),
        "averaged-perceptron": AveragedPerceptron(bias=bias),
        "arow": AROW(bias=bias),
        "arow r=10": AROW(r=10.0, bias=bias),
        "second-order-perceptron": SecondOrderPerceptron(bias=bias),
        "ada-grad": AdaGrad(bias=bias),
        "coin-betting": CoinBetting(bias=bias),
        "arow full": AROW(diagonal=False, bias=bias),
        "second-order-perceptron full": SecondOrderPerceptron(
            diagonal=False, bias=bias
        ),
        "arow fourier": Mapped(
            AROW(r=0.1, diagonal=False), Standardized() | Fourier(dim=100)
        ),
    }


class Auto(Team[np.bool_]):
    r"""Play many linear learners at once, and follow those that do well here.

    The first thing to try on a stream, as nothing needs to be tuned. Every example is
    read once and played natively by every member. Two more members learn how to combine
    the scores of the others: the `stack` is a full-matrix `AROW` of each score squashed
    to $s/(1 + |s|)$, and the `logistic stack` is `AIOLI` of these, and of the scores as
    log odds. A weighted majority of all of them predicts: a member that is wrong weighs
    `beta` times as much from then on. `predict_proba` has calibrated probabilities,
    which a `Calibrator` mixes from the scores of all members.

    Learners with a full matrix are members while there are at most `narrow` features,
    and so are those behind a map. A member that refuses an example which the first one
    takes, as a full matrix does when there are more features, is dropped, and those
    behind a map with it: they say no from then on. Copies that start anew are dropped
    if the first of them has weights for more than 4,096 features after 64, 128, 256,
    ... rounds.

    Parameters
    ----------
    members
        A mapping from name to linear learner of two labels, newborn, in place of the
        pool. The first decides which examples are refused.
    bias
        The value of the constant feature of the members in the pool, of which the
        passive-aggressive ones have none.
    beta
        By what a mistake multiplies a member's weight; between 0 and 1.
    narrow
        How many features a learner with a full matrix takes at most, the constant one
        included. Each of its updates costs the square, so that beyond 100 it takes no
        more than eight for each feature of the example that is not 0.

    Attributes
    ----------
    members_
        The members by name, with what they have learned here; the stacks are last.
    weights_
        The weight of each member.
    losses_
        The mistakes of each member.
    loss_
        The mistakes of the committee itself.
    regret_
        How many mistakes more than each member.
    best_expert_
        The best member so far.
    calibrator_
        What makes probabilities of the scores of all members, in their order.
    dropped_
        For each member that was dropped, after how many rounds.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `WM`: at most $(m \ln(1/\beta) + \ln N)/\ln(2/(1 + \beta))$ mistakes, with $m$ those
    of any of the $N$ members, the stacks included: about $2.12 m + 9.5 \ln N$ for the
    default. A theorem of that member bounds its $m$ in turn, for whatever weights are
    best in hindsight. `FS-XC` bounds the log loss of the probabilities, by that of the
    best reading of the best member; `AIOLI` bounds that of the logistic stack, by the
    best weighted sum of what the members score.

    References
    ----------
    Littlestone, Warmuth (1994), The weighted majority algorithm, Information and
    Computation 108:212-261, https://doi.org/10.1006/inco.1994.1009

    Examples
    --------
    >>> from littlestone import Auto, run
    >>> stream = [({"cheap": 1, "pills": 1}, True), ({"lunch": 1}, False)] * 20
    >>> record = run(Auto(), stream)
    >>> record.mistakes, record.best_expert
    (1, 'passive-aggressive bias=0')
    """

    _summing = True  # unless a model was saved before

    def __init__(
        self,
        members: Mapping[str, Member] | None = None,
        *,
        bias: float = 1.0,
        beta: float = 0.8,
        narrow: int = 300,
    ) -> None:
        self.members = members
        self.bias = finite("Auto", "bias", bias)
        self.beta = beta
        self.narrow = whole("Auto", "narrow", narrow)
        given = (
            pool(self.bias)
            if members is None
            else checked("Auto", members, MEMBERS, Outcome.LABEL, taken=STACKS)
        )
        self._begin(given)

    def _begin(self, given: Mapping[str, Member]) -> None:
        self._gather(given)
        self._stack = AROW(diagonal=False, bias=1.0)
        summed = self._summing and sums(len(given))
        self._sum = AIOLI() if summed else None
        self._rule = WeightedMajority(beta=self.beta, experts=self.experts_)
        self._calibrator = Calibrator(len(self.experts_))
        self._waiting: list[tuple[list[float], bool]] = []  # for the calibrator

    def _every(self) -> dict[str, Member]:
        return pools(self.bias)

    @property
    def members_(self) -> dict[str, Member]:
        """The members, with what they have learned here; the stacks are last."""
        summed = {} if self._sum is None else {LOGISTIC: self._sum}
        return {**self._members, STACK: self._stack, **summed}

    @property
    def calibrator_(self) -> Calibrator:
        """What makes probabilities of the scores of all members."""
        self._settle()
        return self._calibrator

    def _settle(self) -> None:
        """Let the calibrator learn from rounds that were played one by one.

        Some at once take it a small part of the time.
        """
        if self._waiting:
            scores, labels = zip(*self._waiting, strict=True)
            self._waiting.clear()
            self._calibrate(np.array(scores), np.array(labels))

    def _calibrate(
        self, scores: NDArray[np.float64], labels: NDArray[np.bool_]
    ) -> None:
        for at in range(0, len(scores), _PART):
            self._calibrator.play(scores[at : at + _PART], labels[at : at + _PART])

    # Rounds --------------------------------------------------------------------------

    def predict_one(self, x: Example) -> bool:
        """Ask all members, and follow the weighted majority; change nothing."""
        return bool(self._rule.predict_one(self._votes_one(x)))

    def score_one(self, x: Example) -> float:
        """Return by how much of the weight yes wins; 0 and above mean yes."""
        return float(self._margins([self._votes_one(x)])[0])

    def predict_proba_one(self, x: Example) -> dict[bool, float]:
        """Return the calibrated probability of a no and of a yes."""
        scores = _heard(np.array([self._asked_one(x)]))
        yes = float(self.calibrator_.predict(scores)[0])
        return {False: 1.0 - yes, True: yes}

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the calibrated probabilities of no and yes, a row an example."""
        yes = self.calibrator_.predict(_heard(self._asked(X)))
        return np.stack([1.0 - yes, yes], axis=1)

    def _votes_one(self, x: Example) -> list[bool]:
        """Return what each member says of an example; change nothing."""
        return [score >= 0 for score in self._asked_one(x)]

    def _asked_one(self, x: Example) -> list[float]:
        """Return the score of each member, NaN if it was dropped or cannot score."""
        scores = self._ask_each(lambda member: member.score_one(x), math.nan)
        heard = _heard(np.array(scores))
        scores.append(self._stack.score_one(_squashed(heard)))
        if self._sum is not None:
            scores.append(self._sum.score_one(_inputs(np.append(heard, scores[-1]))))
        return scores

    def _round(self, x: Example, label: bool) -> bool:
        def teach(member: Member) -> float:
            if isinstance(member, (Mapped, Restarting)):
                return float(member.play_scored_one(x, label))
            score: float = member.score_one(x)
            member.learn_one(x, label)
            return score

        said = self._teach_each(teach, math.nan)
        votes = [score >= 0 for score in said]
        heard = _heard(np.array(said))
        inputs = _squashed(heard)
        scores = [*heard.tolist(), self._stack.score_one(inputs)]
        votes.append(self._stack.play_one(inputs, label))
        if self._sum is not None:
            inputs = _inputs(np.array(scores))
            scores.append(self._sum.score_one(inputs))
            votes.append(self._sum.play_one(inputs, label))
        self._waiting.append((scores, label))
        if len(self._waiting) == PATIENCE:
            self._settle()
        return bool(self._rule.play_one(votes, label))

    def _play_block(  # noqa: PLR0917 - as the base class has it
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        first: int,
        last: int,
        looks: Looks | None,
    ) -> ExampleError | None:
        scores = np.zeros((len(self.experts_), len(rows)))
        votes = np.zeros(scores.shape, dtype=np.bool_)

        def play(at: int, member: Member, until: int) -> None:
            member.play_scored(rows, labels, votes[at], scores[at], first, until)

        def silence(at: int, row: int) -> None:
            scores[at, row:] = 0.0
            votes[at, row:] = False

        refused = self._play_each(first, last, play, silence)
        if refused is not None:
            last = first + (refused.rounds or 0)
        for at in range(first, last, _PART):
            self._sum_up(labels, votes, scores, slice(at, min(at + _PART, last)))
        self._settle()
        self._calibrate(scores[:, first:last].T, labels[first:last])
        predictions[first:last] = self._vote(
            votes[:, first:last], labels[first:last], looks
        )
        return refused

    def _sum_up(
        self,
        labels: NDArray[np.bool_],
        votes: NDArray[np.bool_],
        scores: NDArray[np.float64],
        here: slice,
    ) -> None:
        """Let those play some rows that learn from the scores of the others."""
        size, told = here.stop - here.start, labels[here]
        at = len(self._members)
        inputs = np.ascontiguousarray(_squashed(scores[:at, here]).T)
        room = votes[at, here], scores[at, here]
        self._stack.play_scored(as_rows(inputs), told, *room, 0, size)
        if self._sum is not None:
            inputs = _inputs(scores[: at + 1, here].T)
            room = votes[at + 1, here], scores[at + 1, here]
            self._sum.play_scored(as_rows(inputs), told, *room, 0, size)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Predict the label of each row; change nothing."""
        return self._follow(self._votes(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return by how much of the weight yes wins each row; 0 and above mean yes."""
        return self._margins(self._votes(X))

    def _follow(self, votes: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if not len(votes):
            return np.empty(0, dtype=np.bool_)
        return self._rule.predict(Advice(votes, tuple(self.experts_), False))

    def _margins(self, votes: Any) -> NDArray[np.float64]:
        """Return the weight of yes less that of no, with the sign of the vote."""
        votes = np.asarray(votes, dtype=np.bool_).reshape(-1, len(self.experts_))
        weights = np.asarray(self.weights_)
        # Rounding may turn a vote that is all but tied, and the vote is exact.
        margins: NDArray[np.float64] = np.where(votes, weights, -weights).sum(axis=1)
        yes = self._follow(votes)
        margins[yes] = np.maximum(margins[yes], 0.0)
        margins[~yes] = np.minimum(margins[~yes], -_LEAST)
        return margins

    def _votes(self, X: Any) -> NDArray[np.bool_]:
        """Return what each member says of each row; change nothing."""
        return np.ascontiguousarray(self._asked(X) >= 0)

    def _asked(self, X: Any) -> NDArray[np.float64]:
        """Return the scores of each member, a row an example; change nothing.

        They are NaN if the member was dropped or cannot score.
        """
        if is_mappings(X):
            asked = one_by_one(self._asked_one, X)
            return np.array(asked, dtype=np.float64).reshape(-1, len(self.experts_))
        return self._asked_rows(as_rows(X))

    def _asked_rows(self, rows: _core.Rows) -> NDArray[np.float64]:
        scores = np.full((len(self._members), len(rows)), math.nan)
        for at, (name, member) in enumerate(self._members.items()):
            if name in self._dropped:
                continue
            try:
                scores[at] = member.decision_function(rows)
            except ExampleError as error:
                if at == 0:
                    ours(self, error)
                    raise
                # It is dropped only when it learns, so some rows may still fit.
                each = [self._asked_one(rows.row(t)) for t in range(len(rows))]
                return np.array(each)
        heard = _heard(scores.T)
        last = [self._stack.decision_function(_squashed(heard))]
        if self._sum is not None:
            inputs = _inputs(np.column_stack([heard, *last]))
            last.append(self._sum.decision_function(inputs))
        return np.ascontiguousarray(np.column_stack([scores.T, *last]))

    # What is saved -------------------------------------------------------------------

    def save_state(self) -> dict[str, Any]:
        """Return what the members, the stacks and the rule have learned."""
        calibrator = self.calibrator_.save_state()
        summed = {} if self._sum is None else {"sum": self._sum.save_state()}
        stack = {"stack": self._stack.save_state(), "calibrator": calibrator}
        return super().save_state() | stack | summed

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        self._summing = "sum" in state  # not in the first models
        self._begin(self._members)
        super().load_state(state)
        self._stack.load_state(state["stack"])
        if self._sum is not None:
            self._sum.load_state(state["sum"])
        self._calibrator.load_state(state["calibrator"])


def _heard(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores, with 0 for a member that is silent."""
    return np.where(np.isnan(scores), 0.0, scores)


def _squashed(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return scores between -1 and 1, with the same sign."""
    return scores / (1.0 + np.abs(scores))


def _inputs(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what `AIOLI` sums: scores squashed, and as log odds of 16 at most."""
    odds = np.clip(scores, -_MOST_ODDS, _MOST_ODDS) / 4.0
    return np.concatenate([_squashed(scores), odds], axis=-1, dtype=np.float64)
