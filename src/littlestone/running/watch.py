"""Samples a learner while it plays, for the curve and the live bound of its run."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone.learner.packing import check, is_array
from littlestone.running.bounds import Known, Look, Promises, Shares, Standing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.learner.moment import Moment
    from littlestone.running.hindsight import Found

__all__ = ["Watch"]


class Watch:
    """Samples a learner at the points of a run's curve.

    A curve has a point at each multiple of its stride, which doubles whenever there
    would be too many points. A sample costs little; bounds are computed when somebody
    reads them. Learners without a bound or experts are not sampled.

    If it is known how many rounds to expect, the stride is the last one from the start:
    the same points remain, and no sample is thrown away.
    """

    POINTS: ClassVar[int] = 512
    LOOKS: ClassVar[int] = 256  # fewer, as each takes some microseconds
    SHARES: ClassVar[int] = 390  # weights per sample, so that a run keeps 100,000
    CROWD: ClassVar[int] = 1024  # experts, from which looks are taken less often
    _NEVER: ClassVar[int] = 2**63

    def __init__(self, learner: Any, promises: Promises) -> None:
        self._learner = learner
        self.promises = promises
        self._before = self._read()
        self.watching = bool(promises.candidates) or self._before is not None
        self.points = self.LOOKS if self.watching else self.POINTS
        self.rounds = 0
        self._stride = 1
        self.left = 1 if self.watching else self._NEVER  # rounds until the next look
        self._finest = 1  # the least distance between looks
        self._looks: dict[int, Look] = {}
        self._marks: dict[int, Look] = {}  # at rounds 1, 2, 4, 8 and so on

    def expect(self, rounds: int) -> None:
        """Prepare for so many rounds; called before the first."""
        while rounds // self._stride > self.points:
            self._stride *= 2

    def played(self, rounds: int) -> None:
        """Count rounds that were played, at most `left`, and sample if it is time."""
        if self.rounds == 0:
            self.meet(len(getattr(self._learner, "experts_", ())))
        self.rounds += rounds
        self.left -= rounds
        if not self.left:
            self._keep(self._look())

    def meet(self, experts: int) -> None:
        """Prepare for so many experts: of a crowd, fewer looks are taken.

        A look costs about as much as a few rounds.
        """
        if self.rounds == 0 and self.watching:
            while self._finest * self.CROWD < experts:
                self._finest *= 2
            self._stride = max(self._stride, self._finest)
            self.left = self._until_look()

    def ahead(self, rounds: int) -> Iterator[int]:
        """Yield after how many of the next rounds the learner must be looked at."""
        at, stride = self.rounds, self._stride
        while self.watching:
            at += self._distance(at, stride)
            if at > self.rounds + rounds:
                return
            yield at - self.rounds
            while at // stride > self.points:
                stride *= 2

    def seen(self, moments: Sequence[Moment], rounds: int) -> None:
        """Count rounds that were played, with what was seen where `ahead` said."""
        last = self.rounds + rounds
        for look in self._looks_at(moments):
            self.rounds += self.left
            self._keep(look)
        self.left -= last - self.rounds
        self.rounds = last

    def _keep(self, look: Look) -> None:
        """Keep a look at the learner, and find out when the next is due."""
        if self.rounds & (self.rounds - 1) == 0:
            self._marks[self.rounds] = look
        if self.rounds % self._stride == 0:
            self._looks[self.rounds] = look
        while len(self._looks) > self.points:
            self._stride *= 2
            kept = self._looks.items()
            self._looks = {at: look for at, look in kept if at % self._stride == 0}
        self.left = self._until_look()

    def _until_look(self) -> int:
        """Return how far the next point or mark is."""
        return self._distance(self.rounds, self._stride)

    def _distance(self, at: int, stride: int) -> int:
        to_point = stride - at % stride
        return min(to_point, max(1 << at.bit_length(), self._finest) - at)

    def save(self) -> dict[str, Any]:
        """Return what was sampled so far, to be restored later."""
        looks = [
            [
                at,
                None if look.known is None else dict(look.known.numbers),
                None if look.known is None else sorted(look.known.silent),
                look.regret,
            ]
            for at, look in self._looks.items()
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
            self.left = self._until_look()

    def standing(self, rounds: int, seen: Found | None = None) -> Standing:
        """Return how the run compared with its bound after so many rounds."""
        look = self._marks.get(rounds) or self._looks.get(rounds)
        if look is None and rounds == self.rounds and self.watching:
            look = self._look()
        return self.promises.standing(look, rounds, seen)

    def looks(self) -> dict[int, Look]:
        """Return the samples at the points of the curve, including the last round."""
        looks = dict(self._looks)
        if self.watching and self.rounds:
            looks.setdefault(self.rounds, self._look())
        return looks

    def _look(self) -> Look:
        if hasattr(self._learner, "moment"):
            (look,) = self._looks_at([self._learner.moment()])
            return look
        known = None
        if self.promises.candidates:
            known = self.promises.known(self._learner)
        return Look(known, self._regret(self._read()), self._shares())

    def _looks_at(self, moments: Sequence[Moment]) -> Iterator[Look]:
        learner, promises = self._learner, self.promises
        silent = {
            slept: promises.silent(learner.unmet_at(slept=slept))
            for slept in {moment.slept for moment in moments}
        }
        for moment, regret in zip(moments, self._regrets(moments), strict=True):
            known, shares = None, None
            if promises.candidates:
                known = Known(learner.known_at(moment), silent[moment.slept])
            if regret is not None:
                shares = self._heaviest(moment.weights.copy())
            yield Look(known, regret, shares)

    def _read(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return the losses of the experts, and of the learner beside each."""
        learner = self._learner
        if getattr(learner, "keeps_losses_", False) and hasattr(learner, "books"):
            books: tuple[NDArray[np.float64], NDArray[np.float64]] = learner.books()
            return books
        return None

    def _shares(self) -> Shares | None:
        """Return the weights of the experts, of many only the heaviest."""
        if self._before is None or not hasattr(self._learner, "weights_"):
            return None
        return self._heaviest(np.asarray(self._learner.weights_, dtype=np.float64))

    def _heaviest(self, weights: NDArray[np.float64]) -> Shares:
        """Return the weights, of many only the largest."""
        if len(weights) <= self.SHARES:
            return Shares(None, weights)
        heaviest = np.sort(np.argpartition(weights, -self.SHARES)[-self.SHARES :])
        return Shares(heaviest, weights[heaviest])

    def _regrets(self, moments: Sequence[Moment]) -> Sequence[float | None]:
        """Return the largest regret at each moment, of few experts all at once."""
        books = [(moment.losses, moment.own) for moment in moments]
        sizes = {-1 if theirs is None else len(theirs) for theirs, _ in books}
        if len(sizes) != 1 or not 0 < max(sizes) <= self.SHARES:
            return [self._regret(both) for both in books]
        theirs, own = np.array(books, dtype=np.float64).transpose(1, 0, 2)
        if self._before is not None and (size := len(self._before[0])):
            theirs[:, :size] -= self._before[0]
            own[:, :size] -= self._before[1]
        regrets: list[float | None] = (own - theirs).max(axis=1).tolist()
        return regrets

    def _regret(
        self,
        books: tuple[NDArray[np.float64] | None, NDArray[np.float64] | None] | None,
    ) -> float | None:
        """Return the largest regret since the run began; the books are left alone."""
        theirs, own = books or (None, None)
        if theirs is None or own is None or not len(theirs):
            return None
        if self._before is None or not len(self._before[0]):
            return float((own - theirs).max())
        before, size = self._before, len(self._before[0])
        regrets = own - theirs
        regrets[:size] = (own[:size] - before[1]) - (theirs[:size] - before[0])
        return float(regrets.max())
