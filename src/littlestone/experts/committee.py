"""A committee: other learners are the experts."""

from __future__ import annotations

import copy
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from littlestone.errors import ExampleError, MemberError, ParameterError, in_row
from littlestone.experts._base import ExpertLearner
from littlestone.experts.aggregating_algorithm import AggregatingAlgorithm
from littlestone.experts.weighted_majority import WeightedMajority
from littlestone.learner import (
    Learner,
    as_label,
    as_labels,
    as_repeats,
    as_times,
    one_by_one,
    read_labels,
)
from littlestone.learner.advice import as_outcomes
from littlestone.learner.members import Member, as_member
from littlestone.learner.packing import alike, check
from littlestone.learner.parameters import finite, truth, whole
from littlestone.learner.rows import single_rows
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from littlestone.learner.by_expert import ByExpert
    from littlestone.learner.moment import Moment
    from littlestone.theorems import Condition, Number, Theorem

__all__ = ["Committee"]

_CLIP = 1e-6  # how far from 0 and 1 probabilities are kept
# The prediction while no member can predict, by what the rule predicts.
_UNADVISED: dict[Outcome, bool | float] = {
    Outcome.LABEL: True,
    Outcome.NUMBER: 0.0,
    Outcome.DISTRIBUTION: 0.5,
}


class Committee(Learner):
    r"""Let learners of any kind predict, and a rule combine what they say.

    In each round all members predict, the rule weighs their advice, and when the
    outcome comes the rule learns from that same advice; then every member learns.
    Members may be learners of littlestone, River's (`predict_one`, `learn_one`) and
    scikit-learn's (`predict`, `partial_fit`), side by side.

    A member that cannot predict yet sleeps: one of scikit-learn before its first
    example, or one that says None. While everyone sleeps the committee says yes, or the
    number 0, or the probability 1/2; then no member is charged, and all learn.

    Parameters
    ----------
    learners
        A mapping from name to learner, or a list of learners, known by position. They
        are copied, with all they know already; those given are never taught.
    rule
        Any learner of `littlestone.experts` that takes advice, newborn.
        `WeightedMajority()` if not given, which is for labels. For numbers take one
        such as `AdaHedge()` or `MLPoly()`. With log or Brier loss members give
        the probability of a yes, if they can.
    clip
        With log loss, probabilities of members are moved into `[clip, 1 - clip]`, so
        that no member that is sure and wrong loses infinitely much; at least 0 and
        below 1/2. With 0 such a round is refused.

    Attributes
    ----------
    members_
        The learners, by name, with what they have learned here.
    rule_
        The rule, with what it has learned here.
    weights_
        The weight of each member.
    losses_
        What each member has lost while awake.
    loss_
        What the committee itself has lost.
    regret_
        What it has lost more than each member while that one was awake.
    best_expert_
        The member that it regrets most not to have followed.
    experts_
        The names of the members.
    unadvised_
        In how many rounds everyone slept.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    Those of the rule. They hold for any experts, so also for experts that learn: the
    best member is the one that was best while learning. A rule whose theorem needs
    every member awake has no bound once one sleeps. `certify` certifies the rule, and
    the judge plays the members too, if it can; see `advice`.

    With log loss that is what they said after clipping, which costs a member at most
    $\ln(1/(1 - \text{clip}))$ a round: after $T$ rounds the loss is at most that of the
    best member as it is, plus what the theorem of the rule states, plus $T$ times that,
    about $10^{-6}\,T$ for the default.

    Notes
    -----
    Members of River get mappings, those of scikit-learn a row of numbers. For these the
    features of the first example are fixed, with 0 for what a later mapping leaves out.
    Labels are taught as True and False, to scikit-learn as 0 and 1, or as it was taught
    before.

    If a member cannot predict, or the rule refuses a round, no member learns from it.
    The first round is rehearsed on copies, so the same holds if a member cannot learn
    from it. In a later round all others learn before a `MemberError` is raised.

    References
    ----------
    Cesa-Bianchi, Lugosi (2006), Prediction, Learning, and Games, Cambridge University
    Press, https://doi.org/10.1017/CBO9780511546921

    Examples
    --------
    >>> from littlestone.experts import Committee
    >>> from littlestone.linear import Perceptron, Winnow
    >>> members = {"perceptron": Perceptron(), "winnow": Winnow(threshold=2)}
    >>> committee = Committee(members)
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False), ({"b": 1}, False)]:
    ...     committee.learn_one(x, y)
    >>> committee.losses_
    {'perceptron': 1.0, 'winnow': 1.0}
    >>> committee.predict_one({"b": 1})
    False
    """

    def __init__(
        self,
        learners: Mapping[Any, Any] | Sequence[Any],
        rule: ExpertLearner | None = None,
        *,
        clip: float = _CLIP,
    ) -> None:
        self.learners = learners
        self.rule = rule
        self.clip = clip
        self._least = _share(clip)
        named = _named(learners)
        self.rule_ = _begun(rule, learners, list(named))
        # All at once: what learners share stays shared.
        self._members: dict[Any, Member] = {
            name: as_member(f"member {name!r}", learner, self.outcome)
            for name, learner in copy.deepcopy(named).items()
        }
        self._rounds = 0
        self._unadvised = 0
        self._charged = False  # in the latest round

    # The books, which the rule keeps -------------------------------------------

    @property
    def guarantees(self) -> tuple[Theorem, ...]:
        """The theorems of the rule."""
        return self.rule_.guarantees

    def moment(self) -> Moment:
        """Return the books and weights of the rule as they are now."""
        return self.rule_.moment()

    @property
    def known_(self) -> dict[str, Number]:
        """What the rule knows; nothing once everyone has slept in a round."""
        return self.known_at(self.moment())

    def known_at(self, moment: Moment) -> dict[str, Number]:
        """Return what the rule knew at that moment."""
        return {} if self._unadvised else self.rule_.known_at(moment)

    @property
    def unmet_(self) -> frozenset[Condition]:
        """The conditions that the rule, or the rounds so far, do not meet."""
        return self.rule_.unmet_

    def unmet_at(self, *, slept: bool) -> frozenset[Condition]:
        """Return the conditions that the rule did not meet by then."""
        return self.rule_.unmet_at(slept=slept)

    @property
    def outcome(self) -> Outcome:
        """What is predicted, which the rule says; of a distribution that of a yes."""
        return self.rule_.outcome

    @property
    def spread_(self) -> float:
        """How far apart two losses may be, which the rule says."""
        return getattr(self.rule_, "spread_", math.inf)

    @property
    def members_(self) -> dict[Any, Any]:
        """The learners, with what they have learned here."""
        return {name: member.learner for name, member in self._members.items()}

    @property
    def experts_(self) -> list[Any]:
        """The names of the members, or their positions."""
        return list(self._members)

    @property
    def updates_(self) -> int:
        """How many rounds it has learned from."""
        return self._rounds

    @property
    def unadvised_(self) -> int:
        """In how many rounds everyone slept."""
        return self._unadvised

    @property
    def weights_(self) -> ByExpert:
        """The weight of each member; they sum to one."""
        return self.rule_.weights_

    @property
    def losses_(self) -> ByExpert:
        """What each member has lost while awake."""
        return self.rule_.losses_

    @property
    def own_losses_(self) -> ByExpert:
        """What the committee has lost while each member was awake."""
        return self.rule_.own_losses_

    def books(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what each member has lost, and what the committee has beside it."""
        return self.rule_.books()

    @property
    def loss_(self) -> float:
        """What the committee itself has lost."""
        return self.rule_.loss_

    @property
    def last_loss_(self) -> float:
        """What it has lost in the latest round; 0 if everyone slept."""
        rule: Any = self.rule_
        return rule.last_loss_ if self._charged else 0.0

    @property
    def keeps_losses_(self) -> bool:
        """Whether the rule knows what each member has lost."""
        return bool(getattr(self.rule_, "keeps_losses_", True))

    @property
    def regret_(self) -> ByExpert:
        """What it has lost more than each member while that one was awake."""
        return self.rule_.regret_

    @property
    def best_expert_(self) -> Any:
        """The member that it regrets most not to have followed."""
        return self.rule_.best_expert_

    @property
    def expected_mistakes_(self) -> float | None:
        """The mistakes to be expected of the rule's draws; None if it does not draw."""
        return self.rule_.expected_mistakes_

    # Rounds ----------------------------------------------------------------------

    def predict_one(self, x: Any) -> Any:
        """Ask all members, and combine what they say; change nothing."""
        advice = self._ask(x)
        return self._said(self.rule_.predict_one(advice)) if advice else self._guess

    def learn_one(self, x: Any, y: Any, sample_weight: int = 1) -> None:
        """Teach the rule what the members say, then teach the members."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Any, y: Any, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted.

        A sample weight of k is k such rounds; the first prediction is returned.
        """
        outcome = self._outcome(y)
        times = as_times(sample_weight)
        if times == 0:
            return self.predict_one(x)
        predicted = self._round(x, self._ask(x), outcome)
        for _ in range(times - 1):
            self._round(x, self._ask(x), outcome)
        return predicted

    def play(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> NDArray[Any]:
        """Play the rows in order, each predicted before it is learned from."""
        rows = list(_rows(X))
        outcomes = self.as_outcomes(y, len(rows)).tolist()
        weights = (
            [1] * len(rows)
            if sample_weight is None
            else as_repeats(sample_weight, len(rows)).tolist()
        )
        said: list[Any] = []
        try:
            for x, outcome, times in zip(rows, outcomes, weights, strict=True):
                said.append(self.play_one(x, outcome, times))
        except ExampleError as error:
            in_row(error, len(said), len(said))
            raise
        except MemberError as error:
            error.where, error.rounds = f"row {len(said)}", len(said)
            raise
        return self._array(said)

    def advice(
        self, stream: Iterable[tuple[Any, Any]]
    ) -> Iterator[tuple[dict[Any, Any], bool | float]]:
        """Return the rounds that its rule plays on a stream, from the first one on.

        Each is what the members say, and the outcome; members asleep are left out. A
        fresh copy plays, so the committee itself does not change. Where a member is of
        another library, has several classes or experts of its own, or had learned
        before, a certificate of the committee is one of its rule on these rounds, and
        is verified with them.

        Examples
        --------
        >>> from littlestone import certify, verify
        >>> from littlestone.experts import Committee
        >>> from littlestone.linear import Perceptron, Winnow
        >>> members = {"perceptron": Perceptron(), "winnow": Winnow(threshold=2)}
        >>> committee = Committee(members)
        >>> stream = [({"a": 1}, True), ({"b": 1}, False), ({"b": 1}, False)]
        >>> for said, y in committee.advice(stream):
        ...     print(said, y)
        {'perceptron': True, 'winnow': False} True
        {'perceptron': True, 'winnow': False} False
        {'perceptron': False, 'winnow': False} False
        >>> certificate = certify(committee, stream)
        >>> verify(certificate, stream).accepted
        True
        >>> said = certify(committee.rule_.clone(), list(committee.advice(stream)))
        >>> verify(said, committee.advice(stream)).accepted
        True
        """
        fresh = self.clone()
        for x, y in stream:
            outcome, said = fresh._outcome(y), fresh._ask(x)  # noqa: SLF001 - a copy
            fresh._round(x, said, outcome)  # noqa: SLF001 - a copy
            yield said, fresh._charged_by(outcome)  # noqa: SLF001 - a copy

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict each row; change nothing."""
        return self._array(one_by_one(self.predict_one, _rows(X)))

    def as_outcomes(self, y: ArrayLike, length: int) -> NDArray[Any]:
        """Return `length` outcomes as the rule needs them."""
        if self.outcome is Outcome.DISTRIBUTION:  # of a yes and a no
            return as_labels(y, length).astype(np.float64)
        return read_labels(self.outcome, y, length)

    def _round(self, x: Any, advice: dict[Any, Any], outcome: bool | float) -> Any:
        if self._rounds == 0:
            # Most of what can go wrong goes wrong in the first round, so rehearse it.
            members = copy.deepcopy(self._members)
            failed = _teach(members, x, outcome)
            if failed:
                raise _failure(failed, None)
            predicted = self._advised(advice, outcome)
            self._members = members
        else:
            predicted = self._advised(advice, outcome)
            failed = _teach(self._members, x, outcome)
        self._rounds += 1
        self._unadvised += not advice
        self._charged = bool(advice)
        if failed:
            raise _failure(failed, self._rounds)
        return predicted

    def _advised(self, advice: dict[Any, Any], outcome: bool | float) -> Any:
        """Let the rule play the round, if anyone is awake."""
        if not advice:
            return self._guess
        return self._said(self.rule_.play_one(advice, self._charged_by(outcome)))

    def _charged_by(self, outcome: bool | float) -> bool | float:
        """Return the outcome as the rule takes it."""
        return float(outcome) if self.outcome is Outcome.DISTRIBUTION else outcome

    def _ask(self, x: Any) -> dict[Any, Any]:
        """Return the predictions of the members that are awake."""
        advice = {}
        for name, member in self._members.items():
            try:
                said = member.predict(x)
            except Exception as error:
                raise _wrapped(name, "predict", error) from error
            if said is not None:
                advice[name] = self._clipped(said)
        return advice

    def _clipped(self, said: Any) -> Any:
        """Return what a member says, away from a log loss that is infinite."""
        charged = getattr(self.rule_, "_charged", None)
        sure = charged is not None and charged.name == "log" and 0 <= said <= 1
        return min(max(said, self._least), 1.0 - self._least) if sure else said

    @property
    def _guess(self) -> bool | float:
        return _UNADVISED[self.outcome]

    def _said(self, predicted: Any) -> Any:
        """Return one number also where the rule gives both probabilities."""
        return float(predicted[-1]) if isinstance(predicted, np.ndarray) else predicted

    def _outcome(self, y: Any) -> bool | float:
        if self.outcome is Outcome.NUMBER:
            return float(as_outcomes([y], 1)[0])
        return as_label(y)

    # What is saved ----------------------------------------------------------------

    def save_state(self) -> dict[str, Any]:
        """Return the rule and the members, with what they have learned."""
        state = {
            "rule": self.rule_,
            "members": list(self.members_.values()),
            "rounds": self._rounds,
            "unadvised": self._unadvised,
            "charged": self._charged,
        }
        columns = [member.save_columns() for member in self._members.values()]
        return state | {"columns": columns} if any(columns) else state

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner, rule, members = type(self).__name__, state["rule"], state["members"]
        check(
            owner,
            alike(rule, self.rule_)
            and rule.experts_ == self.rule_.experts_
            and len(members) == len(self._members),
            "a rule for its members",
        )
        before = [type(member.learner) for member in self._members.values()]
        check(owner, before == [*map(type, members)], "the original members")
        self.rule_ = rule
        self._members = {
            name: as_member(f"member {name!r}", learner, self.outcome)
            for name, learner in zip(self._members, members, strict=True)
        }
        if "columns" in state:
            for member, columns in zip(
                self._members.values(), state["columns"], strict=True
            ):
                member.load_columns(columns)
        self._rounds = whole(owner, "rounds", state["rounds"])
        self._unadvised = whole(owner, "unadvised", state["unadvised"])
        self._charged = truth(owner, "charged", state["charged"])

    # Parameters ------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the arguments it was made with.

        With `deep` also those of the rule, as `rule__eta`, and of each member that
        tells them, as `name__margin`.
        """
        given: dict[str, Any] = {
            "learners": self.learners,
            "rule": self.rule,
            "clip": self.clip,
        }
        if deep:
            owners = {**_named(self.learners), "rule": self.rule or WeightedMajority()}
            for owner, learner in owners.items():
                if _can_be_set(learner):
                    inner = learner.get_params().items()
                    given.update({f"{owner}__{name}": value for name, value in inner})
        return given

    def set_params(self, **parameters: Any) -> Self:
        """Make this committee anew, some arguments changed; it forgets all it knew."""
        given = self.get_params(deep=False)
        deep: dict[str, dict[str, Any]] = {}
        for name, value in parameters.items():
            owner, nested, inner = name.partition("__")
            if nested:
                deep.setdefault(owner, {})[inner] = value
            elif name in given:
                given[name] = value
            else:
                raise ParameterError(
                    "a parameter must be one of learners, rule, clip, rule__... or the "
                    f"name of a member and __..., got {name!r}",
                    owner=type(self).__name__,
                )
        for owner, inner_given in deep.items():
            _set_inside(given, owner, inner_given)
        newborn = type(self)(**given)
        self.__dict__.clear()
        self.__dict__.update(newborn.__dict__)
        return self

    def clone(self) -> Self:
        """Return a newborn committee of the same learners, as they were given."""
        return type(self)(**self.get_params(deep=False))

    def __repr__(self) -> str:
        clip = "" if self.clip == _CLIP else f", clip={self.clip!r}"
        return f"{type(self).__name__}({self.learners!r}, rule={self.rule!r}{clip})"


def _share(clip: Any) -> float:
    """Return how far from 0 and 1 probabilities are kept, at least 0 and below 1/2."""
    value = finite("Committee", "clip", clip)
    if not 0 <= value < 0.5:  # noqa: PLR2004 - above it there is no room
        raise ParameterError(
            f"clip must be at least 0 and below 1/2, got {clip!r}", owner="Committee"
        )
    return value


def _named(learners: Any) -> dict[Any, Any]:
    """Return the learners by name, or by position."""
    if isinstance(learners, Mapping):
        named = dict(learners)
    elif isinstance(learners, Sequence) and not isinstance(learners, (str, bytes)):
        named = dict(enumerate(learners))
    else:
        raise ParameterError(
            "learners must be a mapping from name to learner, or a list, got "
            f"{learners!r}",
            owner="Committee",
        )
    if not named:
        raise ParameterError(
            "learners must be at least one, got none", owner="Committee"
        )
    if "rule" in named:
        raise ParameterError("a member must not be named 'rule'", owner="Committee")
    return named


def _begun(rule: Any, learners: Any, names: list[Any]) -> ExpertLearner:
    """Return a copy of the rule whose experts are the members."""
    if rule is None:
        rule = WeightedMajority()
    if not isinstance(rule, ExpertLearner):
        raise ParameterError(
            "rule must be a learner of littlestone.experts that takes advice, got "
            f"{rule!r}",
            owner="Committee",
        )
    if rule.updates_:
        raise ParameterError(
            f"rule must be newborn, got one that has learned from {rule.updates_} "
            "rounds; rule.clone() is newborn",
            owner="Committee",
        )
    if isinstance(rule, AggregatingAlgorithm) and rule.outcomes is not None:
        raise ParameterError(
            f"outcomes must be yes and no, got outcomes={rule.outcomes!r}",
            owner="Committee",
        )
    if rule.experts is None:
        everyone: Any = names if isinstance(learners, Mapping) else len(names)
        return rule.clone().set_params(experts=everyone)
    if set(rule.experts_) != set(names):
        raise ParameterError(
            f"the experts of the rule must be the members {names}, got {rule.experts_}",
            owner="Committee",
        )
    return rule.clone()


def _teach(
    members: dict[Any, Member], x: Any, outcome: bool | float
) -> dict[Any, Exception]:
    """Teach every member; return which failed, and why."""
    failed: dict[Any, Exception] = {}
    for name, member in members.items():
        try:
            member.learn(x, outcome)
        except Exception as error:  # noqa: BLE001 - any error is reported
            failed[name] = error
    return failed


def _failure(failed: dict[Any, Exception], rounds: int | None) -> Exception:
    """Make the exception for members that could not learn; later than round 1."""
    first, cause = next(iter(failed.items()))
    if rounds is None:
        error: Any = _wrapped(first, "learn", cause)
        error.what += "; no member has learned"
    else:
        listed = ", ".join(repr(name) for name in failed)
        error = MemberError(
            f"member {first!r} could not learn: {_told(cause)}; the rule and all "
            f"members but {listed} have learned from this round",
            owner="Committee",
        )
        error.members = tuple(failed)
    error.__cause__ = cause
    return error  # type: ignore[no-any-return]  # one of the two


def _wrapped(name: Hashable, verb: str, cause: Exception) -> ExampleError:
    """Make the exception for a member's, of the same kind where that is one of ours."""
    kind = type(cause) if isinstance(cause, ExampleError) else ExampleError
    error = kind(f"Committee: member {name!r} could not {verb}: {_told(cause)}")
    if isinstance(cause, ExampleError):
        error.feature, error.value = cause.feature, cause.value
    return error


def _told(cause: Exception) -> str:
    if isinstance(cause, ExampleError):
        return f"{cause.owner}: {cause.what}" if cause.owner else cause.what
    return f"{type(cause).__name__}: {cause}"


def _rows(X: Any) -> Iterator[Any]:
    """Yield the rows; of a sparse matrix as matrices of one row, which tell the width.

    Examples
    --------
    >>> from littlestone.experts.committee import _rows
    >>> list(_rows([[1, 0], [0, 1]]))
    [[1, 0], [0, 1]]
    """
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        yield from (X[row : row + 1] for row in range(X.shape[0]))
    else:
        yield from single_rows(X)


def _can_be_set(learner: Any) -> bool:
    return hasattr(learner, "get_params") and hasattr(learner, "set_params")


def _set_inside(given: dict[str, Any], owner: str, inner: dict[str, Any]) -> None:
    """Change parameters of the rule or a member, in a copy of it."""
    if owner == "rule":
        rule = given["rule"] or WeightedMajority()
        given["rule"] = copy.deepcopy(rule).set_params(**inner)
        return
    named = _named(given["learners"])
    spelled = {str(name): name for name in named}
    if owner not in spelled or not _can_be_set(named[spelled[owner]]):
        raise ParameterError(
            "what comes before __ must be 'rule' or a member with set_params, got "
            f"{owner!r}",
            owner="Committee",
        )
    name = spelled[owner]
    named[name] = copy.deepcopy(named[name]).set_params(**inner)
    given["learners"] = (
        named if isinstance(given["learners"], Mapping) else list(named.values())
    )
