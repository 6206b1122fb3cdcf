"""Samples a learner while it plays, for the curve and the live bound of its run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from littlestone.learner.moment import Looks, Moment, Seen
from littlestone.learner.packing import check, is_array
from littlestone.running.bounds import Known, Look, Promises, Shares, Standing
from littlestone.running.hindsight import Findings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from littlestone.running.batch import Batch
    from littlestone.running.hindsight import Found, Hindsight

__all__ = ["Trailing", "Watch"]


class Watch:
    """Samples a learner at the points of a run's curve.

    A curve has a point at each multiple of its stride, which doubles whenever there
    would be too many points. A sample costs little; bounds are computed when they are
    read. Learners without a bound or experts are not sampled.

    If it is known how many rounds to expect, the stride is the last one from the start:
    the same points remain, and no sample is thrown away.

    Players ask it how many rounds they may play before it must look at the learner, and
    tell it which were played. The search for witnesses, if there is one, hears from it
    of mistakes.
    """

    POINTS: ClassVar[int] = 512
    LOOKS: ClassVar[int] = 128  # fewer, as each takes some microseconds
    SHARES: ClassVar[int] = 780  # weights per sample, so that a run keeps 100,000
    CROWD: ClassVar[int] = 128  # experts, from which looks are taken less often
    _NEVER: ClassVar[int] = 2**63

    def __init__(
        self,
        learner: Any,
        promises: Promises,
        hindsight: Hindsight | None = None,
        *,
        fresh: bool = False,
    ) -> None:
        self._learner = learner
        self.promises = promises
        self.hindsight = hindsight
        # The experts of a newborn learner have lost nothing.
        newborn = fresh and self._keeps_books
        self._before = _NONE_LOST if newborn else self._read()
        self.watching = bool(promises.candidates) or self._before is not None
        self.points = self.LOOKS if self.watching else self.POINTS
        self.rounds = 0
        self._stride = 1
        self._left = 1 if self.watching else self._NEVER  # rounds until the next look
        self._finest = 1  # the least distance between looks
        self._looks: dict[int, Look | _Later] = {}
        self._marks: dict[int, Look | _Later] = {}  # at rounds 1, 2, 4, 8 and so on
        # Looks of the last block, and after which rounds: most are never read.
        self._last: list[_Glance] = []

    @property
    def left(self) -> int:
        """How many rounds may be played before the learner must be looked at."""
        self._settle()
        return self._left

    def expect(self, rounds: int) -> None:
        """Prepare for so many rounds; called before the first."""
        while rounds // self._stride > self.points:
            self._stride *= 2

    def played(self, rounds: int) -> None:
        """Count rounds that were played, at most `left`, and sample if it is time."""
        if self.rounds == 0:
            self._meet(len(getattr(self._learner, "experts_", ())))
        self._settle()
        self.rounds += rounds
        self._left -= rounds
        if not self._left:
            self._keep([self.rounds], [self._look()])
            self._left = self._until_look()

    def told(self, rounds: int, *, wrong: bool) -> None:
        """Count the last of so many rounds, which was noted."""
        self.played(1)
        if self.hindsight is not None:
            self.hindsight.told(rounds, wrong=wrong)

    def heard(self, batch: Batch) -> None:
        """Take rounds that have been counted and noted."""
        if self.hindsight is not None:
            self.hindsight.heard(batch)

    def play(
        self,
        play: Callable[..., None],
        rows: Any,
        labels: NDArray[Any],
        first: int,
        last: int,
    ) -> int:
        """Play rows until the learner must be looked at; return how many were played.

        The witness of the first rounds, if there is one, is charged for them.
        """
        count = min(last - first, self._left)
        early = None if self.hindsight is None else self.hindsight.early
        if early is None:
            play(first, first + count)
        else:
            count = early.play(play, rows, labels, range(first, first + count))
        self.played(count)
        return count

    def _meet(self, experts: int) -> None:
        """Prepare for so many experts: of a crowd, fewer looks are taken.

        A look costs about as much as a few rounds.
        """
        if self.rounds == 0 and self.watching:
            while self._finest * self.CROWD < experts:
                self._finest *= 2
            self._stride = max(self._stride, self._finest)
            self._left = self._until_look()

    def looks(self, rounds: int, experts: int) -> Looks:
        """Return after which of the next rounds the learner must be looked at."""
        self._settle()
        self._meet(experts)
        return Looks(self._ahead(rounds))

    def _ahead(self, rounds: int) -> NDArray[np.int64]:
        if not self.watching:
            return _NONE
        at, stride, last = self.rounds, self._stride, self.rounds + rounds
        begin = max(at.bit_length(), self._finest.bit_length() - 1)
        looks = {1 << k for k in range(begin, last.bit_length())}
        while at < last:
            # From the point after this one on, the stride is twice as long.
            until = min(last, (self.points + 1) * stride)
            looks.update(range(at // stride * stride + stride, until + 1, stride))
            at = until
            while at // stride > self.points:
                stride *= 2
        return np.array(sorted(looks), np.int64) - self.rounds

    def seen(self, looks: Looks, rounds: int) -> None:
        """Count rounds that were played, with what was seen where `looks` said."""
        at = self.rounds + looks.after
        for seen in looks.seen:
            here, at = at[: len(seen.rounds)], at[len(seen.rounds) :]
            unread = self._unread(seen)
            # The books of many experts are too long to keep.
            few = seen.losses.shape[1] <= self.SHARES
            self._last.append(_Glance(here, unread if few else unread.sight))
        if looks.features is not None:
            many = looks.after.searchsorted(rounds, "right")
            self._keep(at[:many].tolist(), self._grown(looks.features[:many].tolist()))
        self.rounds += rounds
        if self.watching:
            self._left = self._until_look()

    def _settle(self) -> None:
        """Keep what was seen while the last block was played."""
        if self._last:
            for glance in self._last:
                self._keep(*glance.looks())
            self._last = []
            self._left = self._until_look()

    def _grown(self, features: list[int]) -> list[Look]:
        """Return what was seen of a learner of rules while it had so many features."""
        learner, silent = self._learner, self.promises.silent(self._learner.unmet_)
        known = {
            count: Look(
                Known({} if count < 0 else learner.known_of(count), silent), None
            )
            for count in set(features)
        }
        return [known[count] for count in features]

    def _keep(self, rounds: Iterable[int], looks: Iterable[Look | _Later]) -> None:
        """Keep what was seen of the learner after some rounds."""
        kept, stride = dict(zip(rounds, looks, strict=True)), self._stride
        self._marks.update((at, kept[at]) for at in kept if at & (at - 1) == 0)
        self._looks.update((at, kept[at]) for at in kept if at % stride == 0)
        while len(self._looks) > self.points:
            self._stride *= 2
            fewer = self._looks.items()
            self._looks = {at: look for at, look in fewer if at % self._stride == 0}

    def _until_look(self) -> int:
        """Return how far the next point or mark is."""
        at = self.rounds
        to_point = self._stride - at % self._stride
        return min(to_point, max(1 << at.bit_length(), self._finest) - at)

    def save(self) -> dict[str, Any]:
        """Return what was sampled so far, to be restored later."""
        self._settle()
        looks = [
            [
                at,
                None if look.known is None else dict(look.known.numbers),
                None if look.known is None else sorted(look.known.silent),
                look.regret,
            ]
            for at, look in Trailing(self._looks).items()
        ]
        before = None if self._before is None else list(self._before)
        facts = {"rounds": self.rounds, "stride": self._stride}
        return facts | {"before": before, "looks": looks}

    def restore(self, seen: Mapping[str, Any]) -> None:
        """Continue from what was sampled before."""
        self.rounds, self._stride = seen["rounds"], seen["stride"]
        self._before = None if seen["before"] is None else tuple(seen["before"])
        check(
            "run",
            type(self.rounds) is int
            and type(self._stride) is int
            and self._stride > 0
            and (self._before is None or len(self._before) == 2)  # noqa: PLR2004 - a pair
            and all(is_array(part, np.float64) for part in self._before or ()),
            "rounds seen",
        )
        now = getattr(self._learner, "known_", {})
        for at, numbers, silent, regret in seen["looks"]:
            known_to_be = [] if numbers is None else [*numbers.values()]
            check(
                "run",
                type(at) is int
                and (regret is None or isinstance(regret, float))
                and all(isinstance(x, (int, float, Fraction)) for x in known_to_be)
                # Counts only grow.
                and all(
                    type(x) is not int or 0 <= x <= now.get(name, x)
                    for name, x in (numbers or {}).items()
                ),
                "rounds seen",
            )
            known = None if numbers is None else Known(numbers, frozenset(silent))
            self._looks[at] = Look(known, regret)
        if self.watching:
            self._left = self._until_look()

    def standing(self, rounds: int) -> Standing:
        """Return how the run compared with its bound after so many rounds."""
        self._settle()
        behind = self.hindsight
        seen = None if behind is None else behind.found_at_mark(rounds)
        look = self._marks.get(rounds) or self._looks.get(rounds)
        if look is None and rounds == self.rounds and self.watching:
            look = self._look()
        return self.promises.standing(look and _found(look), rounds, seen)

    def found(self, rounds: int) -> Mapping[int, Found]:
        """Return what is found in hindsight, including the last round."""
        return {} if self.hindsight is None else Findings(self.hindsight, rounds)

    def samples(self) -> tuple[Mapping[int, Look], Seen | None]:
        """Return the samples at the points of the curve, including the last round.

        With them come the books of a learner from advice, as they are now: those of
        many experts are long, so they are read once for all who need them.
        """
        books, looks = self._books(), dict(self._looks)
        if not self.watching or not self.rounds:
            return Trailing(looks), books
        if self._last:
            now, then = self._look_later(books), self._as_it_is()
            return Trailing(partial(then.settled, now)), books
        if self.rounds not in looks:
            looks[self.rounds] = self._look_later(books)
        return Trailing(looks), books

    def _as_it_is(self) -> Watch:
        """Return a copy that tells what was seen so far, whatever is seen later."""
        copy = object.__new__(Watch)
        copy.__dict__.update(self.__dict__, _looks=dict(self._looks), _marks={})
        return copy

    def settled(self, now: Look | _Later) -> dict[int, Look | _Later]:
        """Return all looks, and the last one unless there is one of that round."""
        self._settle()
        self._looks.setdefault(self.rounds, now)
        return self._looks

    def _look(self) -> Look:
        return _found(self._look_later(self._books()))

    def _books(self) -> Seen | None:
        """Return the books and weights of a learner from advice; None of any other."""
        if self._before is None or not hasattr(self._learner, "seen"):
            return None
        seen: Seen = self._learner.seen()
        return seen if seen.losses.size else None

    def _look_later(self, books: Seen | None) -> Look | _Later:
        if books is not None:
            return self._unread(books), 0
        known = None
        if self.promises.candidates:
            known = self.promises.known(self._learner)
        return Look(known, self._regret(), self._shares())

    def _unread(self, seen: Seen) -> _Unread:
        return _Unread(self._learner.at_rest(), self.promises, self._before, seen)

    @property
    def _keeps_books(self) -> bool:
        learner = self._learner
        return getattr(learner, "keeps_losses_", False) and hasattr(learner, "books")

    def _read(self) -> _Losses | None:
        """Return the losses of the experts, and of the learner beside each."""
        if not self._keeps_books:
            return None
        books: _Losses = self._learner.books()
        return books

    def _shares(self) -> Shares | None:
        """Return the weights of the experts, of many only the heaviest."""
        if self._before is None or not hasattr(self._learner, "weights_"):
            return None
        return _heaviest(np.asarray(self._learner.weights_, dtype=np.float64))

    def _regret(self) -> float | None:
        """Return the largest regret since the run began; None without experts."""
        books = self._read()
        if books is None or not len(books[0]):
            return None
        return float(_regrets(self._before, *books))


_NONE = np.empty(0, dtype=np.int64)


def _heaviest(weights: NDArray[np.float64]) -> Shares:
    """Return the weights, of many only the largest."""
    if len(weights) <= Watch.SHARES:
        return Shares(None, weights)
    heaviest = np.sort(np.argpartition(weights, -Watch.SHARES)[-Watch.SHARES :])
    return Shares(heaviest, weights[heaviest])


def _regrets(
    before: _Losses | None, theirs: NDArray[np.float64], own: NDArray[np.float64]
) -> Any:
    """Return the largest regrets by books, whose last axis is that of experts."""
    regrets = own - theirs
    if before is not None and (size := len(before[0])):
        lost, mine = before
        since = (own[..., :size] - mine) - (theirs[..., :size] - lost)
        regrets[..., :size] = since
    return regrets.max(axis=-1)


class _Glance(NamedTuple):
    """Looks that were taken while a block was played."""

    rounds: NDArray[np.int64]
    seen: _Sight | _Unread

    def looks(self) -> tuple[list[int], list[_Later]]:
        """Return the rounds, and the look at each."""
        return self.rounds.tolist(), [(self.seen, k) for k in range(len(self.rounds))]


class _Sight(NamedTuple):
    """What was seen of a learner from advice while it played a block."""

    learner: Any  # at rest
    experts: int
    promises: Promises
    rounds: NDArray[np.int64]
    slept: NDArray[np.bool_]
    rivals: NDArray[np.int64]
    lost: NDArray[np.float64]  # by the rivals
    regrets: NDArray[np.float64]
    shares: Any

    def look(self, at: int) -> Look:
        """Return one of the looks."""
        known, shares = None, self.shares[at]
        if self.promises.candidates:
            slept = bool(self.slept[at])
            unmet = self.learner.unmet_at(slept=slept)
            moment = Moment(
                int(self.rounds[at]),
                self.experts,
                int(self.rivals[at]),
                float(self.lost[at]),
                slept,
            )
            known = Known(self.learner.known_at(moment), self.promises.silent(unmet))
        if not isinstance(shares, Shares):
            shares = Shares(None, shares)
        return Look(known, float(self.regrets[at]), shares)


@dataclass
class _Unread:
    """The books of a learner from advice that nobody has read yet."""

    learner: Any  # at rest
    promises: Promises
    before: _Losses | None  # when the run began
    seen: Seen

    def look(self, at: int) -> Look:
        """Return one of the looks."""
        return self.sight.look(at)

    @cached_property
    def sight(self) -> _Sight:
        """Read the books, and keep what looks show of them."""
        learner, seen = self.learner, self.seen
        losses, own, weights = seen.losses, seen.own, seen.weights
        few = weights.shape[1] <= Watch.SHARES
        shares = weights.copy() if few else [_heaviest(each) for each in weights]
        return _Sight(
            learner=learner,
            experts=weights.shape[1],
            promises=self.promises,
            rounds=seen.rounds,
            slept=seen.slept,
            rivals=(at := learner.rivals(losses, own)),
            lost=losses[np.arange(len(losses)), at],
            regrets=_regrets(self.before, losses, own),
            shares=shares,
        )


# Of the experts, and of the learner beside each.
_Losses: TypeAlias = "tuple[NDArray[np.float64], NDArray[np.float64]]"
_NONE_LOST: _Losses = np.empty(0), np.empty(0)
_Later: TypeAlias = tuple[_Sight | _Unread, int]


def _found(look: Look | _Later) -> Look:
    """Return a look that may have to be made."""
    return look if isinstance(look, Look) else look[0].look(look[1])


class Trailing(Mapping[int, Look]):
    """Looks by round, each made when it is read; they may be gathered then."""

    def __init__(
        self,
        looks: dict[int, Look | _Later] | Callable[[], dict[int, Look | _Later]],
    ) -> None:
        self._given = looks

    @cached_property
    def _looks(self) -> dict[int, Look | _Later]:
        return self._given if isinstance(self._given, dict) else self._given()

    def __getitem__(self, rounds: int) -> Look:
        look = _found(self._looks[rounds])
        self._looks[rounds] = look
        return look

    def __iter__(self) -> Iterator[int]:
        return iter(self._looks)

    def __len__(self) -> int:
        return len(self._looks)

    def __reduce__(self) -> tuple[Any, ...]:
        return Trailing, (dict(self.items()),)
