"""Samples a learner while it plays, for the curve and the live bound of its run."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone.learner.packing import check, is_array
from littlestone.running.bounds import Known, Look, Promises, Shares, Standing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

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
        self._looks: dict[int, Look] = {}
        self._marks: dict[int, Look] = {}  # at rounds 1, 2, 4, 8 and so on

    def expect(self, rounds: int) -> None:
        """Prepare for so many rounds; called before the first."""
        while rounds // self._stride > self.points:
            self._stride *= 2

    def played(self, rounds: int) -> None:
        """Count rounds that were played, at most `left`, and sample if it is time."""
        self.rounds += rounds
        self.left -= rounds
        if self.left:
            return
        look = self._look()
        if self.rounds & (self.rounds - 1) == 0:
            self._marks[self.rounds] = look
        if self.rounds % self._stride == 0:
            self._looks[self.rounds] = look
        if len(self._looks) > self.points:
            self._stride *= 2
            kept = self._looks.items()
            self._looks = {at: look for at, look in kept if at % self._stride == 0}
        self.left = self._until_look()

    def _until_look(self) -> int:
        """Return how far the next point or mark is."""
        to_point = self._stride - self.rounds % self._stride
        return min(to_point, (1 << self.rounds.bit_length()) - self.rounds)

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

    def standing(self, rounds: int) -> Standing:
        """Return how the run compared with its bound after so many rounds."""
        look = self._marks.get(rounds) or self._looks.get(rounds)
        if look is None and rounds == self.rounds and self.watching:
            look = self._look()
        return self.promises.standing(look, rounds)

    def looks(self) -> dict[int, Look]:
        """Return the samples at the points of the curve, including the last round."""
        looks = dict(self._looks)
        if self.watching and self.rounds:
            looks.setdefault(self.rounds, self._look())
        return looks

    def _look(self) -> Look:
        known = None
        if self.promises.candidates:
            known = self.promises.known(self._learner)
        return Look(known, self._regret(), self._shares())

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
        weights = np.asarray(self._learner.weights_, dtype=np.float64)
        if len(weights) <= self.SHARES:
            return Shares(None, weights)
        heaviest = np.sort(np.argpartition(weights, -self.SHARES)[-self.SHARES :])
        return Shares(heaviest, weights[heaviest])

    def _regret(self) -> float | None:
        books = self._read()
        if books is None or not len(books[0]):
            return None
        theirs, own = books
        if self._before is not None and (size := len(self._before[0])):
            theirs[:size] -= self._before[0]
            own[:size] -= self._before[1]
        return float((own - theirs).max())
