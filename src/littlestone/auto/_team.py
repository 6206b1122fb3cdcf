"""What the untuned committees share: members that play natively, and a rule's books."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from littlestone.errors import ExampleError, ParameterError, in_row
from littlestone.experts import Restarting
from littlestone.learner import RoundLearner
from littlestone.learner.advice import Advice
from littlestone.learner.packing import check
from littlestone.learner.parameters import whole
from littlestone.maps import Mapped
from littlestone.verifying.twins._team import COPIED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.auto._chances import Chances
    from littlestone.experts import Calibrator, WeightedMajority
    from littlestone.learner.by_expert import ByExpert
    from littlestone.learner.moment import Looks, Moment
    from littlestone.outcome import Outcome
    from littlestone.theorems import Condition, Number, Theorem

__all__ = ["PATIENCE", "Team", "checked", "mapped_last", "ours"]

PATIENCE = 256  # rounds played one by one, before the calibrator learns from them
Said = TypeVar("Said", bound=np.generic)


class Team(RoundLearner[Said]):
    """Members that play every example, and a weighted vote that follows them."""

    takes_looks = True  # `play_rows` is looked at while it plays
    members: Mapping[str, Any] | None
    narrow: int
    _members: dict[str, Any]
    _rule: WeightedMajority
    _dropped: dict[str, int]

    def _gather(self, given: Mapping[str, Any]) -> None:
        """Take newborn members; those with a full matrix refuse more features."""
        self._members = mapped_last(given)
        for member in self._members.values():
            if isinstance(member, Restarting):
                member.limit_features(COPIED)
            elif native := getattr(member, "_native", None):
                native.limit_features(self.narrow)
        self._dropped = {}

    @abstractmethod
    def _begin(self, given: Mapping[str, Any]) -> None:
        """Begin with newborn members, and a newborn rule to follow them."""

    @abstractmethod
    def _every(self) -> dict[str, Any]:
        """Return the members of this and earlier pools, newborn."""

    # The books, which the rule keeps -------------------------------------------------

    @property
    def guarantees(self) -> tuple[Theorem, ...]:
        """The theorem of the weighted majority."""
        return self._rule.guarantees

    @property
    def updates_(self) -> int:
        """How many rounds it has learned from."""
        return self._rule.updates_

    def moment(self) -> Moment:
        """Return what theorems ask of it now."""
        return self._rule.moment()

    def rivals(self, losses: NDArray[np.float64], own: NDArray[np.float64]) -> Any:
        """Return the member to which bounds compare it, at each of some moments."""
        return self._rule.rivals(losses, own)

    def at_rest(self) -> WeightedMajority:
        """Return what can answer `known_at`, whatever is learned later."""
        return self._rule.at_rest()

    @property
    def known_(self) -> dict[str, Number]:
        """What the weighted majority knows: how many members, the best's mistakes."""
        return self._rule.known_

    def known_at(self, moment: Moment) -> dict[str, Number]:
        """Return what the weighted majority knew at that moment."""
        return self._rule.known_at(moment)

    @property
    def unmet_(self) -> frozenset[Condition]:
        """The conditions of theorems that are not met."""
        return self._rule.unmet_

    def unmet_at(self, *, slept: bool) -> frozenset[Condition]:
        """Return the conditions that were not met by then."""
        return self._rule.unmet_at(slept=slept)

    @property
    def members_(self) -> dict[str, Any]:
        """The members, with what they have learned here."""
        return dict(self._members)

    @property
    def experts_(self) -> list[str]:
        """The names of the members."""
        return list(self.members_)

    @property
    def weights_(self) -> ByExpert:
        """The weight of each member; they sum to one."""
        return self._rule.weights_

    @property
    def losses_(self) -> ByExpert:
        """The mistakes of each member."""
        return self._rule.losses_

    @property
    def own_losses_(self) -> ByExpert:
        """The mistakes of the committee, once for each member."""
        return self._rule.own_losses_

    def books(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mistakes of each member, and those of the committee."""
        return self._rule.books()

    def knows(self, feature: object) -> bool:
        """Return whether a member has learned a weight for a feature."""
        first = next(iter(self._members.values()))
        return bool(getattr(first, "knows", lambda _: True)(feature))

    @property
    def loss_(self) -> float:
        """The mistakes of the committee itself."""
        return self._rule.loss_

    @property
    def last_loss_(self) -> float:
        """Whether the latest round was a mistake."""
        return self._rule.last_loss_

    @property
    def keeps_losses_(self) -> bool:
        """Whether the mistakes of members are counted, as they are."""
        return True

    @property
    def regret_(self) -> ByExpert:
        """How many mistakes more than each member."""
        return self._rule.regret_

    @property
    def best_expert_(self) -> str:
        """The best member so far."""
        best: str = self._rule.best_expert_
        return best

    @property
    def dropped_(self) -> dict[str, int]:
        """For each member that was dropped, after how many rounds."""
        return dict(self._dropped)

    # Rounds --------------------------------------------------------------------------

    def _ask_each(self, ask: Callable[[Any], Any], silent: Any) -> list[Any]:
        """Ask each member, as if the round were played: change nothing."""
        refused = False

        def asked(member: Any) -> Any:
            nonlocal refused
            mapped = isinstance(member, Mapped)
            if mapped and refused:  # it would be dropped with the one that refuses
                return silent
            try:
                return ask(member)
            except ExampleError:
                refused = refused or not mapped
                raise

        return self._each(asked, silent)

    def _each(self, call: Callable[[Any], Any], silent: Any) -> list[Any]:
        """Call for each member; the first refuses for all, another one stays silent."""
        said: list[Any] = []
        for name, member in self._members.items():
            try:
                said.append(silent if name in self._dropped else call(member))
            except ExampleError as error:
                if not said:
                    ours(self, error)
                    raise
                said.append(silent)
        return said

    def _teach_each(self, teach: Callable[[Any], Any], silent: Any) -> list[Any]:
        """Let each member play; one that refuses what the first takes is dropped."""

        def play(member: Any) -> Any:
            if isinstance(member, Mapped) and self._widened is not None:
                self._drop(member, self.updates_)
                return silent
            try:
                return teach(member)
            except ExampleError:
                if member is not first:
                    self._drop(member, self.updates_)
                raise

        first = next(iter(self._members.values()))
        return self._each(play, silent)

    def _drop(self, member: Any, after: int) -> None:
        name = next(name for name, each in self._members.items() if each is member)
        self._dropped[name] = after

    @property
    def _widened(self) -> int | None:
        """After how many rounds a full matrix had no room; None while all have."""
        found = (
            after
            for name, after in self._dropped.items()
            if not isinstance(self._members[name], Mapped)
        )
        return min(found, default=None)

    def _play(  # noqa: PLR0917 - as the base class has it
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        looks: Looks | None = None,
    ) -> None:
        if repeats is not None:
            self._play_repeated(rows, labels, predictions, repeats, range(first, last))
            return
        refused = self._play_block(rows, labels, predictions, first, last, looks)
        if changed is not None:
            changed[first : last if refused is None else first + _done(refused)] = True
        if refused is not None:
            raise refused

    @abstractmethod
    def _play_block(  # noqa: PLR0917 - as `_play` has it
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        first: int,
        last: int,
        looks: Looks | None,
    ) -> ExampleError | None:
        """Play some rows; return the refusal of the first that is not played."""

    def _play_repeated(
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32],
        played: range,
    ) -> None:
        """Play some rows one by one, each as often as `repeats` says."""
        for at in played:
            label = labels[at : at + 1].tolist()[0]
            try:
                predictions[at] = self.play_one(rows.row(at), label, int(repeats[at]))
            except ExampleError as error:
                in_row(error, at, at - played.start)
                raise

    def _play_each(
        self,
        first: int,
        last: int,
        play: Callable[[int, Any, int], None],
        silence: Callable[[int, int], None],
        *,
        later: int = 0,
    ) -> ExampleError | None:
        """Let every member play some rows; return what the first one refuses.

        `play` plays those before the last; `silence` makes a member say nothing from a
        row on. The rule is to hear of `later` rounds before them.
        """
        refused: ExampleError | None = None
        before = self.updates_ + later
        for at, (name, member) in enumerate(self._members.items()):
            if name in self._dropped:
                continue
            until = last
            if isinstance(member, Mapped) and self._widened is not None:
                self._dropped[name] = max(before, self._widened)
                until = min(last, first + self._dropped[name] - before)
            try:
                play(at, member, until)
            except ExampleError as error:
                played = _done(error)
                if at == 0:  # the first refuses for all
                    refused, last = ours(self, error), first + played
                    if not played:
                        raise
                    continue
                self._dropped[name] = before + played
                silence(at, first + played)
        return refused

    def _vote(
        self,
        votes: NDArray[Any],
        labels: NDArray[Any],
        looks: Looks | None,
    ) -> NDArray[np.float64]:
        """Let the rule play what the members said, a row a member."""
        count = votes.shape[1]
        advice = Advice(np.ascontiguousarray(votes.T), tuple(self.experts_), False)
        more = {} if looks is None else {"looks": looks}
        said = np.empty(count)
        self._rule.play_advice(
            advice, labels, said, np.empty(count), range(count), **more
        )
        return said

    @property
    @abstractmethod
    def calibrator_(self) -> Calibrator | Chances:
        """What makes probabilities of what the members score."""

    @abstractmethod
    def _settle(self) -> None:
        """Let the calibrator learn from rounds that were played one by one."""

    @contextmanager
    def listening(self) -> Iterator[list[NDArray[np.float64]]]:
        """Give the probabilities of the rounds that are played meanwhile.

        They are those of `predict_proba` before each round, but cost little. Each array
        is of some rounds; of classes, it has a row for each.

        Examples
        --------
        >>> from littlestone import Auto
        >>> learner = Auto()
        >>> with learner.listening() as heard:
        ...     learner.learn_one({"a": 1.0}, True)
        >>> [some.round(2).tolist() for some in heard]
        [[0.52]]
        """
        with self.calibrator_.listening() as heard:
            try:
                yield heard
            finally:
                self._settle()

    # What is saved -------------------------------------------------------------------

    def save_state(self) -> dict[str, Any]:
        """Return what the members and the rule have learned."""
        named = {"pool": list(self._members)} if self.members is None else {}
        return named | {
            "members": [member.save_state() for member in self._members.values()],
            "rule": {**self._rule.save_state(), "names": None},
            "dropped": [self._dropped.get(name) for name in self._members],
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner, size = type(self).__name__, len(self._members)
        members, dropped = state["members"], state["dropped"]
        if self.members is None:  # a model keeps the pool with which it began
            every = self._every()
            names = state.get("pool", list(every)[: len(members)])
            check(owner, set(names) <= set(every), "members of a pool")
            self._begin({name: every[name] for name in names})
            size = len(self._members)
        check(owner, len(members) == len(dropped) == size, "a state for each member")
        for member, learned in zip(self._members.values(), members, strict=True):
            member.load_state(learned)
        names = self.experts_
        self._rule.load_state({**state["rule"], "names": names})
        check(owner, len(self._rule.experts_) == len(names), "a weight for each member")
        self._dropped = {
            name: whole(owner, "dropped", after)
            for name, after in zip(self._members, dropped, strict=True)
            if after is not None
        }


def _done(error: ExampleError) -> int:
    """Return how many rounds were played before one was refused."""
    return error.rounds or 0


def ours(team: Any, error: ExampleError) -> ExampleError:
    """Say that the committee refuses what its first member does."""
    error.owner = type(team).__name__
    return error


def mapped_last(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members; those behind a map last, as a full matrix drops them."""
    return dict(sorted(given.items(), key=lambda pair: isinstance(pair[1], Mapped)))


def checked(
    owner: str,
    members: Any,
    known: Mapping[str, Any],
    outcome: Outcome,
    *,
    taken: tuple[str, ...],
) -> dict[str, Any]:
    """Return copies of the members, if they can be."""
    if not isinstance(members, Mapping) or not members:
        raise ParameterError(
            f"members must map names to linear learners, got {members!r}", owner=owner
        )
    for name, member in members.items():
        if not isinstance(name, str) or name in taken:
            others = " and ".join(map(repr, taken))
            raise ParameterError(
                f"the name of a member must be a text other than {others}, got "
                f"{name!r}",
                owner=owner,
            )
        inner = member.learner if isinstance(member, Mapped) else member
        fits = type(inner).__name__ in known and inner.outcome is outcome
        if fits and isinstance(inner, Restarting):
            copied = inner.learner  # a full matrix for each copy would cost too much
            full = getattr(copied, "diagonal", True) is False
            fits = member is inner and type(copied).__name__ in known and not full
        if not fits or not member.newborn_:
            raise ParameterError(
                f"member {name!r} must be a newborn {' or '.join(known)} of "
                f"{'labels' if outcome == 'label' else 'classes'}, got {member!r}",
                owner=owner,
            )
    return copy.deepcopy(dict(members))
