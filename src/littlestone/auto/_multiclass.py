"""MulticlassAuto: the untuned committee of learners of many classes."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.auto._chances import Chances
from littlestone.auto._team import PATIENCE, Team, checked, ours
from littlestone.errors import ExampleError, ParameterError
from littlestone.experts import Restarting
from littlestone.experts._plurality import WeightedPlurality
from littlestone.learner import as_class, objects, one_by_one
from littlestone.learner.advice import Advice
from littlestone.learner.packing import check
from littlestone.learner.parameters import finite, whole
from littlestone.learner.rows import as_rows, is_mappings
from littlestone.linear import (
    MulticlassAdaGrad,
    MulticlassAROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    MulticlassSecondOrder,
)
from littlestone.linear._multiclass import checked_classes
from littlestone.maps import Fourier, Mapped, Standardized
from littlestone.outcome import Outcome
from littlestone.verifying.twins.multiclass_auto import MEMBERS

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.learner.moment import Looks
    from littlestone.learner.rows import Example
    from littlestone.linear._multiclass import MulticlassLearner

    Member = MulticlassLearner | Mapped | Restarting

__all__ = ["MulticlassAuto", "multiclass_pool"]

_OWNER = "MulticlassAuto"
_ROOM = 2**18  # scores that are kept for the calibrator at once


def multiclass_pool(
    bias: float = 1.0, classes: Iterable[Hashable] | None = None
) -> dict[str, Member]:
    """Return the members that `MulticlassAuto` has unless others are given.

    Examples
    --------
    >>> from littlestone.auto import multiclass_pool
    >>> list(multiclass_pool())[:2]
    ['passive-aggressive', 'passive-aggressive C=0.01']
    """
    given: dict[str, Any] = {"bias": bias, "classes": classes}
    fourier = MulticlassAROW(r=0.1, diagonal=False, classes=classes)
    return {
        # The pool of models that were saved before pools had names comes first.
        "passive-aggressive": MulticlassPassiveAggressive(**given),
        "passive-aggressive C=0.01": MulticlassPassiveAggressive(C=0.01, **given),
        "perceptron": MulticlassPerceptron(**given),
        "arow": MulticlassAROW(**given),
        "arow r=10": MulticlassAROW(r=10.0, **given),
        "second-order": MulticlassSecondOrder(**given),
        "arow full": MulticlassAROW(diagonal=False, **given),
        "second-order full": MulticlassSecondOrder(diagonal=False, **given),
        "arow fourier": Mapped(fourier, Standardized() | Fourier(dim=100)),
        "arow full r=10": MulticlassAROW(r=10.0, diagonal=False, **given),
        "ada-grad": MulticlassAdaGrad(**given),
        "ada-grad standardized": Mapped(MulticlassAdaGrad(**given), Standardized()),
        "arow restarting": Restarting(MulticlassAROW(**given)),
    }


class MulticlassAuto(Team[Any]):
    r"""Play many learners of classes at once, and follow those that do well here.

    What `Auto` is for two labels, for three and more: nothing needs to be tuned. Every
    example is read once and played natively by every member, and the class with the
    most weight behind it is predicted, of equals the one seen first. A member that is
    wrong weighs `beta` times as much from then on. Classes are any hashable labels and
    may appear at any time.

    Learners with a full matrix are members while there are at most `narrow` features,
    and so are those behind a map. A member that refuses an example which the first one
    takes is dropped, and those behind a map with it: they abstain from then on. Copies
    that start anew are dropped if the first of them has weights for more than 4,096
    features after 64, 128, 256, ... rounds.

    Parameters
    ----------
    members
        A mapping from name to linear learner of classes, newborn, in place of the pool.
        The first decides which examples are refused.
    classes
        Classes known from the start, in the order in which equal votes are decided;
        also those of the members that are given.
    bias
        The value of the constant feature of the members in the pool.
    beta
        By what a mistake multiplies a member's weight; between 0 and 1.
    narrow
        How many features a learner with a full matrix takes at most, the constant one
        included. Each of its updates costs the square, for every class, so that beyond
        100 it takes no more than eight for each feature of the example that is not 0.

    Attributes
    ----------
    members_
        The members by name, with what they have learned here.
    classes_
        The classes known, in order of appearance.
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
        What makes probabilities of votes and scores: `predict_proba`.
    dropped_
        For each member that was dropped, after how many rounds.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `WM`: at most $(m \ln(1/\beta) + \ln N)/\ln(2/(1 + \beta))$ mistakes, with $m$ those
    of any of the $N$ members, however many classes there are. A theorem of that member
    bounds its $m$ in turn. `FS-XC` bounds the log loss of the probabilities, by that of
    the best reading of the best member, of the votes, or of a stack of all members.

    References
    ----------
    Littlestone, Warmuth (1994), The weighted majority algorithm, Information and
    Computation 108:212-261, https://doi.org/10.1006/inco.1994.1009

    Examples
    --------
    >>> from littlestone import MulticlassAuto, run
    >>> zoo = [({"fins": 1}, "fish"), ({"wings": 1}, "bird"), ({"legs": 4}, "dog")]
    >>> record = run(MulticlassAuto(), zoo * 20)
    >>> record.mistakes, record.best_expert
    (3, 'arow')
    """

    outcome = Outcome.CLASS

    def __init__(
        self,
        members: Mapping[str, Member] | None = None,
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 1.0,
        beta: float = 0.8,
        narrow: int = 300,
    ) -> None:
        known = checked_classes(_OWNER, classes)
        self.members = members
        self.classes = classes
        self.bias = finite(_OWNER, "bias", bias)
        self.beta = beta
        self.narrow = whole(_OWNER, "narrow", narrow)
        if members is None:
            pool = multiclass_pool(self.bias, classes)
            # Copies share no list of classes, as they would not after a pickle.
            given = {name: copy.deepcopy(member) for name, member in pool.items()}
        else:
            given = checked(_OWNER, members, MEMBERS, self.outcome, taken=("",))
            for name, member in given.items():
                copied: Any = getattr(member, "learner", member)
                found = list(copied.classes_)
                if found != known:
                    raise ParameterError(
                        f"member {name!r} must know the classes {known}, got {found}",
                        owner=_OWNER,
                    )
        self._numbers = {label: number for number, label in enumerate(known)}
        self._begin(given)

    def _begin(self, given: Mapping[str, Member]) -> None:
        self._gather(given)
        self._rule = WeightedPlurality(beta=self.beta, experts=self.experts_)
        self._calibrator = self._chances()
        # Votes, scores, the right class and how many were known, for the calibrator.
        self._waiting: list[tuple[list[float], list[list[float]], int, int]] = []

    def _chances(self, *, by_scores: bool = True) -> Chances:
        return Chances(len(self._members), float(self.beta), by_scores=by_scores)

    def _every(self) -> dict[str, Member]:
        return multiclass_pool(self.bias, self.classes)

    @property
    def classes_(self) -> tuple[Hashable, ...]:
        """The classes known, in order of appearance."""
        return tuple(self._numbers)

    @property
    def calibrator_(self) -> Chances:
        """What makes probabilities of the votes and scores."""
        self._settle()
        return self._calibrator

    def _settle(self) -> None:
        """Let the calibrator learn from rounds that were played one by one."""
        if self._waiting:
            votes, scores, classes, known = zip(*self._waiting, strict=True)
            self._waiting.clear()
            told = [np.array(each, dtype=np.int64) for each in (votes, classes, known)]
            cube = _cube(scores, len(self._members), max(known))
            self._calibrator.play(told[0], told[1], told[2], cube)

    # Rounds --------------------------------------------------------------------------

    def predict_one(self, x: Example) -> Any:
        """Ask all members, and follow the most weight; change nothing."""
        return self._class(self._rule.predict_one(self._asked_one(x)[0]))

    def score_one(self, x: Example) -> dict[Hashable, float]:
        """Return the share of the weight that each class has; the largest wins."""
        shares = self._shares(np.array([self._asked_one(x)[0]]))[0]
        return dict(zip(self._numbers, shares.tolist(), strict=True))

    def predict_proba_one(self, x: Example) -> dict[Hashable, float]:
        """Return the calibrated probability of each class known."""
        votes, scores = self._asked_one(x)
        known = len(self._numbers)
        cube = _cube([scores], len(votes), known)
        chances = self.calibrator_.predict(np.array([votes], np.int64), known, cube)[0]
        return dict(zip(self._numbers, chances.tolist(), strict=True))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the calibrated probability of each class, a row an example."""
        votes, scores = self._asked(X, scored=True)
        known = len(self._numbers)
        return self.calibrator_.predict(votes.astype(np.int64), known, scores)

    def play_one(self, x: Example, y: Hashable, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted.

        A sample weight of k is k such rounds; the first prediction is returned.
        """
        return super().play_one(x, as_class(y), sample_weight)

    def _round(self, x: Example, label: Hashable) -> Any:
        def teach(member: Any) -> dict[Any, float]:
            if isinstance(member, (Mapped, Restarting)):
                found: dict[Any, float] = member.play_scored_one(x, label)
                return found
            found = member.score_one(x)
            member.learn_one(x, label)
            return found

        votes, scores = self._said(self._teach_each(teach, {}))
        number = self._numbers.get(label, len(self._numbers))
        self._waiting.append((votes, scores, number, len(self._numbers)))
        if len(self._waiting) == PATIENCE:
            self._settle()
        predicted = self._class(self._rule.play_one(votes, float(number)))
        self._numbers.setdefault(label, number)
        return predicted

    def _asked_one(self, x: Example) -> tuple[list[float], list[list[float]]]:
        """Return what each member says and scores of an example; change nothing."""
        return self._said(self._ask_each(lambda member: member.score_one(x), {}))

    def _said(
        self, asked: list[dict[Any, float]]
    ) -> tuple[list[float], list[list[float]]]:
        """Return the class that each member says, by number, and its scores.

        A member says the class that it scores most, of equals the first.
        """
        said = [max(each, key=each.__getitem__, default=None) for each in asked]
        votes = [float(self._number(each)) for each in said]
        return votes, [[each.get(c, 0.0) for c in self._numbers] for each in asked]

    def _number(self, label: Any) -> int:
        return -1 if label is None else self._numbers[label]

    def _class(self, number: float) -> Any:
        return None if number < 0 else list(self._numbers)[int(number)]

    def _play_block(  # noqa: PLR0917 - as the base class has it
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        first: int,
        last: int,
        looks: Looks | None,
    ) -> ExampleError | None:
        # Numbers in the order of first appearance; those that are not reached, because
        # a row is refused, are forgotten again.
        numbers = dict(self._numbers)
        told = labels[first:last].tolist()
        for label in dict.fromkeys(told):
            numbers.setdefault(label, len(numbers))
        classes = list(numbers)
        wanted = np.zeros(len(rows), dtype=np.int32)
        wanted[first:last] = np.fromiter(map(numbers.__getitem__, told), np.int32)
        votes = np.full((len(self._members), len(rows)), -1, dtype=np.int32)
        self._settle()
        size = max(1, _ROOM // (len(self._members) * max(1, len(classes))))
        refused: ExampleError | None = None
        for begin in range(first, last, size):
            end = min(begin + size, last)
            try:
                refused = self._play_some(
                    rows, wanted, votes, classes, first, begin, end
                )
            except ExampleError as error:
                if begin == first:
                    raise
                refused = error
            if refused is not None:
                refused.rounds = (refused.rounds or 0) + begin - first
                last = first + refused.rounds
                break
        here = slice(first, last)
        told = wanted[here].astype(np.float64)
        said = self._vote(votes[:, here], told, looks)
        predictions[here] = objects([*classes, None])[said.astype(np.int64)]
        known = max(len(self._numbers), int(wanted[here].max(initial=-1)) + 1)
        self._numbers = {label: number for number, label in enumerate(classes[:known])}
        return refused

    def _play_some(  # noqa: PLR0917 - what is known of a block
        self,
        rows: _core.Rows,
        wanted: NDArray[np.int32],
        votes: NDArray[np.int32],
        classes: list[Hashable],
        first: int,
        begin: int,
        end: int,
    ) -> ExampleError | None:
        """Play some rows of a block with every member and the calibrator."""
        scores = np.zeros((len(self._members), end - begin, len(classes)))

        def play(at: int, member: Member, until: int) -> None:
            member.play_numbered(
                rows, wanted, votes[at], begin, until, classes, scores=scores[at]
            )

        def silence(at: int, row: int) -> None:
            votes[at, row:] = -1  # and its scores stay 0

        refused = self._play_each(begin, end, play, silence, later=begin - first)
        if refused is not None:
            end = begin + (refused.rounds or 0)
        told = wanted[begin:end].astype(np.int64)
        earlier = wanted[first:begin].max(initial=-1) + 1
        known = np.append(max(len(self._numbers), earlier), told + 1)
        known = np.maximum.accumulate(known)[:-1].astype(np.int64)
        said = votes[:, begin:end].T.astype(np.int64)
        self._calibrator.play(said, told, known, scores[:, : end - begin])
        return refused

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row; change nothing."""
        said = self._follow(self._votes(X))
        return objects([*self._numbers, None])[said]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the share of the weight of each class, a row an example."""
        return self._shares(self._votes(X))

    def _follow(self, votes: NDArray[np.float64]) -> NDArray[np.int64]:
        if not len(votes):
            return np.empty(0, dtype=np.int64)
        advice = Advice(votes, tuple(self.experts_), False)
        return self._rule.predict(advice).astype(np.int64)

    def _shares(self, votes: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the share of the weight of each class; the first largest wins."""
        shares = np.zeros((len(votes), len(self._numbers)))
        if not self._numbers:
            return shares
        every = np.arange(len(votes))
        for column, weight in zip(votes.T, np.asarray(self.weights_), strict=True):
            said = column >= 0
            shares[every[said], column[said].astype(np.int64)] += weight
        winners = self._follow(votes)
        # Rounding may turn a vote that is all but tied, and the vote is exact.
        turned = (winners >= 0) & (shares.argmax(axis=1) != winners)
        above = np.nextafter(shares.max(axis=1), np.inf)
        shares[every[turned], winners[turned]] = above[turned]
        return shares

    def _votes(self, X: Any) -> NDArray[np.float64]:
        """Return the number of the class that each member says of each row."""
        return self._asked(X)[0]

    def _asked(
        self, X: Any, *, scored: bool = False
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the votes of members for each row; change nothing.

        If `scored`, also the scores, by member, row and class.
        """
        if is_mappings(X):
            asked = one_by_one(self._asked_one, X)
        else:
            rows = as_rows(X)
            found = self._asked_rows(rows, scored=scored)
            if found is not None:
                return found
            asked = [self._asked_one(rows.row(t)) for t in range(len(rows))]
        votes = np.array([said for said, _ in asked], dtype=np.float64)
        scores = [each for _, each in asked] if scored else []
        cube = _cube(scores, len(self._members), len(self._numbers))
        return votes.reshape(-1, len(self._members)), cube

    def _asked_rows(
        self, rows: _core.Rows, *, scored: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the votes and scores of rows; None if they must be asked singly."""
        size, known = len(rows), len(self._numbers)
        votes = np.full((len(self._members), size), -1.0)
        cube = np.zeros((len(self._members), size if scored else 0, known))
        for at, (name, member) in enumerate(self._members.items()):
            if name in self._dropped:
                continue
            try:
                found = member.decision_function(rows)
            except ExampleError as error:
                if at == 0:
                    ours(self, error)
                    raise
                # It is dropped only when it learns, so some rows may still fit.
                return None
            if not known * size:
                continue
            if isinstance(member, Restarting):  # in the order of its copies
                said = [max(each, key=each.__getitem__) for each in found]
                votes[at] = [self._number(each) for each in said]
                found = [[each.get(c, 0.0) for c in self._numbers] for each in found]
            else:
                votes[at] = np.argmax(found, axis=1)
            if scored:
                cube[at] = found
        return votes.T, cube

    # What is saved -------------------------------------------------------------------

    def save_state(self) -> dict[str, Any]:
        """Return what the members and the rule have learned, and the classes."""
        return super().save_state() | {
            "classes": list(self._numbers),
            "calibrator": self.calibrator_.save_state(),
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        super().load_state(state)
        classes = [as_class(label) for label in state["classes"]]
        first: Any = next(iter(self._members.values()))
        if isinstance(first, Restarting):  # its first copy has seen all
            first = first.alive()[0].learner
        check(_OWNER, list(first.classes_) == classes, "the classes of its members")
        self._numbers = {label: number for number, label in enumerate(classes)}
        if "calibrator" in state:  # not in the first models
            if "stacks" not in state["calibrator"]:  # they read votes alone
                self._calibrator = self._chances(by_scores=False)
            self._calibrator.load_state(state["calibrator"])


def _cube(
    rounds: Sequence[list[list[float]]], members: int, classes: int
) -> NDArray[np.float64]:
    """Return scores by member, round and class; those not known yet are 0."""
    cube = np.zeros((members, len(rounds), classes))
    for t, scores in enumerate(rounds):
        for member, each in enumerate(scores):
            cube[member, t, : len(each)] = each
    return cube
