"""A live bound where mistakes are many: an early witness, charged for all rounds.

What the updates say is too much to keep where mistakes are many, and on them hardly a
vector loses less than 0 does. So the first rounds of a stream that is read are kept and
searched once, and what is found is charged for every round from the first on, natively,
right after some rows were played. That takes one inner product a round, a tenth of what
it takes to read a long round and play it, and a fifth of a short one. Where features
are words, and many, those of each block are looked up, and it takes longer: there it
ends after a million values, which take some ten milliseconds. It also ends where the
bound is vacuous and grows as fast as the rounds do. It is not done for rows in memory,
which are played nearly as fast as they are charged.

To charge the mistakes alone would cost little and say nothing: on them an early vector
loses about as much as 0 does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from littlestone import _core
from littlestone.errors import ExampleError
from littlestone.learner.packing import (
    check,
    is_array,
    packed_features,
    unpacked_features,
)
from littlestone.running.bounds import theorems_of
from littlestone.running.examples import KeptExamples
from littlestone.running.marks import is_mark, until_mark
from littlestone.witnesses import EARLY, Early, Lost

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from littlestone.theorems import Number, Theorem

__all__ = ["EarlyWitness"]

_FOREVER = 2**62  # rounds


class EarlyWitness:
    """Finds a witness on the first rounds of a run, and charges it for all of them.

    Parameters
    ----------
    learner
        A learner for which `knows` says that there is such a search.
    """

    FIRST: ClassVar[int] = 1024  # rounds that are searched
    LATEST: ClassVar[int] = 4096  # if they have no witness: up to here
    LARGEST: ClassVar[int] = 2**18  # values in them
    MOST: ClassVar[int] = 2**20  # values that are charged, if words are many
    FEW: ClassVar[float] = 4.0  # words for each value of a row, at most
    FAIR: ClassVar[int] = 2**14  # rounds after which a bound must promise something

    def __init__(self, learner: Any) -> None:
        self._search = EARLY[type(learner).__name__]
        self._parameters = learner.get_params(deep=False)
        self._rounds = 0
        self._kept = _core.KeptExamples()  # the first rounds, until they are searched
        self._labels: list[NDArray[np.bool_]] = []
        self._pieces: list[tuple[Any, Any, Any]] = []
        self._over = False  # nothing was found, or enough was charged
        self._until = 0  # how many rounds are charged
        self._early: Early | None = None
        self._losses: _core.Losses | None = None
        self._lost: dict[int, Lost] = {}
        self._found: dict[int, tuple[float, Mapping[str, Number]] | None] = {}

    @staticmethod
    def knows(learner: Any) -> bool:
        """Return whether a witness can be searched for early."""
        search = EARLY.get(type(learner).__name__)
        return search is not None and search.theorem in theorems_of(learner)

    @property
    def theorem(self) -> Theorem:
        """The theorem that bounds the run."""
        return self._search.theorem

    def play(
        self,
        play: Callable[..., None],
        rows: _core.Rows,
        labels: NDArray[np.bool_],
        some: range,
    ) -> int:
        """Play some rows, or only the first, which are kept or charged.

        Return how many were played.
        """
        losses = self._losses
        if self._over:
            play(some.start, some.stop)
            return len(some)
        left, charged = until_mark(self._rounds), {}
        if losses is not None:
            left, charged = min(left, self._until - self._rounds), {"witness": losses}
        played = some[:left]
        try:
            play(played.start, played.stop, **charged)
        except ExampleError as error:
            self._heard(rows, labels, played[: error.rounds or 0])
            raise
        self._heard(rows, labels, played)
        return len(played)

    def _heard(
        self, rows: _core.Rows, labels: NDArray[np.bool_], played: range
    ) -> None:
        """Take rows that have been played."""
        if self._losses is None:
            first, last = played.start, played.stop
            self._kept.add(rows, np.ones(len(rows), np.bool_), first, last)
            self._labels.append(labels[first:last].copy())
        self._rounds += len(played)
        if is_mark(self._rounds):
            self._pass_mark()
        self._over |= self._losses is not None and self._rounds >= self._until

    def _pass_mark(self) -> None:
        if self._losses is None and self._rounds >= self.FIRST:
            self._find()
        self.look()
        self._over |= self._hopeless()

    def _hopeless(self) -> bool:
        """Return whether the bound is vacuous, and grows as fast as the rounds do."""
        rounds = self._rounds
        if rounds < self.FAIR:
            return False
        now, before = self.found(rounds), self.found(rounds // 2)
        if now is None or before is None:
            return False
        return now[0] >= rounds and now[0] - before[0] >= rounds - rounds // 2

    def look(self) -> None:
        """Remember what was lost up to now."""
        losses = self._losses
        if losses is not None:
            self._lost[self._rounds] = Lost(
                self._rounds,
                losses.sums(),
                losses.largest(),
                losses.smallest(),
                losses.met(),
            )

    def found(self, rounds: int) -> tuple[float, Mapping[str, Number]] | None:
        """Return the bound and its numbers after rounds that were looked at."""
        lost = self._lost.get(rounds)
        if self._early is None or lost is None:
            return None
        if rounds not in self._found:
            found = self._search.smallest(self._early, self._parameters, lost)
            self._found[rounds] = found
        return self._found[rounds]

    def _find(self) -> None:
        """Search the first rounds, and charge what is found for them."""
        ends, columns, values = self._taken()
        offsets = np.concatenate([np.zeros(1, np.int64), ends])
        labels = np.concatenate(self._labels)
        kept = KeptExamples(
            np.arange(len(labels)),
            labels,
            tuple(self._kept.features()),
            offsets,
            columns,
            values,
            np.zeros(len(labels), np.bool_),
        )
        many = len(values) > self.LARGEST
        early = None if many else self._search.find(kept, self._parameters)
        if early is not None:
            self._charge(early)
            self._until = _FOREVER
            rare = len(kept.features) * len(labels) > self.FEW * len(values)
            if rare and str in set(map(type, kept.features)):  # if rounds are alike
                self._until = self._rounds * self.MOST // len(values)
            assert self._losses is not None  # noqa: S101 - just made
            # The same rows, whose columns count the features.
            width = len(kept.features)
            own = early._replace(features=tuple(range(width)))
            first = self._search.losses(own, self._parameters)
            rows = _core.csr(offsets, columns.astype(np.int64), values, width)
            first.add(rows, labels, 0, len(labels))
            self._losses.restore(first.sums(), first.largest(), first.smallest())
        self._over = early is None and (many or self._rounds >= self.LATEST)
        if self._over or early is not None:
            self._kept = _core.KeptExamples()
            self._labels, self._pieces = [], []

    def _charge(self, early: Early) -> None:
        self._early = early
        self._losses = self._search.losses(early, self._parameters)

    def _taken(self) -> tuple[Any, Any, Any]:
        """Return the examples that are kept, in one piece."""
        fresh = self._kept.take()
        if not self._pieces or len(fresh[0]):
            self._pieces.append(fresh)
        ends, columns, values = zip(*self._pieces, strict=True)
        starts = np.cumsum([0, *map(len, values)])
        shifted = [end + start for end, start in zip(ends, starts, strict=False)]
        whole = tuple(map(np.concatenate, (shifted, columns, values)))
        self._pieces = [whole]  # type: ignore[list-item]  # it has three parts
        return whole  # type: ignore[return-value]  # the same

    # A run that is interrupted ------------------------------------------------------

    def save(self) -> dict[str, Any]:
        """Return what is needed to continue, as plain values and arrays."""
        saved: dict[str, Any] = {"rounds": self._rounds, "over": self._over}
        early, losses = self._early, self._losses
        if early is None or losses is None:
            # What is kept of the first rounds, none if nothing was found there.
            ends, columns, values = self._taken()
            labels = np.concatenate([np.empty(0, np.bool_), *self._labels])
            return saved | {
                "features": packed_features(self._kept.features()),
                "labels": labels,
                "ends": ends,
                "columns": columns,
                "values": values,
            }
        self.look()
        met = losses.features() if self._search.counts else list(early.features)
        weights = dict(zip(early.features, early.weights.tolist(), strict=True))
        return saved | {
            "features": packed_features(met),
            "weights": np.array([weights.get(name, 0.0) for name in met]),
            "at_constant": early.at_constant,
            "levels": np.array(early.levels),
            "facts": early.facts,
            "until": self._until,
            "lost": [
                [at, np.array(it.sums), it.largest, it.smallest, it.features]
                for at, it in self._lost.items()
            ],
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was saved."""
        self._rounds, self._over = saved["rounds"], saved["over"]
        features = unpacked_features("run", saved["features"])
        sound = type(self._rounds) is int and type(self._over) is bool
        check("run", sound and len(set(features)) == len(features), "first rounds")
        if "lost" in saved:
            self._resume(tuple(features), saved)
            return
        ends, columns, values = saved["ends"], saved["columns"], saved["values"]
        labels = saved["labels"]
        parts = zip(
            (labels, ends, columns, values),
            (np.bool_, np.int64, np.int32, np.float64),
            strict=True,
        )
        check(
            "run",
            all(is_array(part, kind) for part, kind in parts)
            and len(labels) == len(ends) == (0 if self._over else self._rounds)
            and len(columns) == len(values) == (ends[-1] if len(ends) else 0)
            and bool((np.diff(ends, prepend=0) >= 0).all())
            and bool(((columns >= 0) & (columns < len(features))).all()),
            "first rounds",
        )
        self._kept.add_one(features, [1.0] * len(features))  # which numbers them
        self._kept.take()
        self._labels, self._pieces = [labels], [(ends, columns, values)]

    def _resume(self, features: tuple[Any, ...], saved: Mapping[str, Any]) -> None:
        """Continue to charge a witness."""
        weights, levels = saved["weights"], saved["levels"]
        check(
            "run",
            is_array(weights, np.float64)
            and is_array(levels, np.float64, axes=2)
            and levels.shape[1:] == (2,)
            and len(weights) == len(features)
            and all(
                type(at) is int
                and is_array(sums, np.float64)
                and len(sums) == len(levels)
                and type(count) is int
                for at, sums, _, _, count in saved["lost"]
            )
            and all(type(at) is float for at in saved["facts"].values())
            and type(saved["until"]) is int,
            "an early witness",
        )
        self._until = saved["until"]
        pairs = tuple((yes, no) for yes, no in levels.tolist())
        at_constant, facts = float(saved["at_constant"]), dict(saved["facts"])
        self._charge(Early(features, weights, at_constant, pairs, facts))
        for at, sums, largest, smallest, count in saved["lost"]:
            self._lost[at] = Lost(at, sums.tolist(), largest, smallest, count)
        last = self._lost[self._rounds]
        assert self._losses is not None  # noqa: S101 - just made
        self._losses.restore(list(last.sums), last.largest, last.smallest)
