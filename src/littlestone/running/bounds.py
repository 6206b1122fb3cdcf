"""The live bound: what a theorem promises of a run while it is being played.

A theorem takes numbers. Some the learner knows as it goes: its parameters, and what its
books say so far. Some only whoever brings the stream can know, such as how many
features matter; they may be declared. Where both together are enough, the theorem
bounds the run up to this very round, without hindsight.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import numpy as np

from littlestone.errors import ParameterError, PremiseError
from littlestone.learner import Learner
from littlestone.packing import check, is_array
from littlestone.parameters import finite
from littlestone.theorems._rounding import float_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.theorems import Number, Theorem

__all__ = [
    "Known",
    "Look",
    "Promises",
    "Shares",
    "Standing",
    "Watch",
    "declarable",
    "live_bound",
]

Counts = Literal["mistakes", "expected mistakes", "regret"]


class Known(NamedTuple):
    """What a learner knows at some round of the numbers that theorems take.

    Attributes
    ----------
    numbers
        They, by name; `Learner.known_`.
    silent
        The ids of its theorems that need a condition which is not met.
    """

    numbers: Mapping[str, Number]
    silent: frozenset[str]


class Look(NamedTuple):
    """What a look at a learner found, at one round of a run."""

    known: Known | None
    regret: float | None
    shares: Shares | None = None


class Shares(NamedTuple):
    """What the experts weighed at a look.

    Attributes
    ----------
    positions
        Those of the heaviest of a large crowd, in order; None if all are here.
    weights
        The weight of each of them.
    """

    positions: NDArray[np.intp] | None
    weights: NDArray[np.float64]


class Standing(NamedTuple):
    """How a run stands against its bound at some round.

    Attributes
    ----------
    theorem, bound
        The id of the theorem that promises most by now, and its bound; None if none
        gives one.
    regret
        What the learner has lost more than the best expert so far; None without
        experts.
    """

    theorem: str | None = None
    bound: float | None = None
    regret: float | None = None


@dataclass
class Promises:
    """The theorems that may bound a learner's run, with what was declared.

    Attributes
    ----------
    counts
        What they bound: `"mistakes"`, `"expected mistakes"`, or the `"regret"` to the
        best expert.

    Examples
    --------
    >>> from littlestone.experts import Halving
    >>> from littlestone.running.bounds import Promises
    >>> promises = Promises.of(Halving(experts=8))
    >>> theorem, bound = promises.bound(promises.known(Halving(experts=8)))
    >>> theorem.id, bound
    ('HALV', 3.0)
    """

    counts: Counts
    # Each theorem with the numbers that were declared, in the terms of the theorem.
    candidates: tuple[tuple[Theorem, Mapping[str, Number]], ...]
    _found: dict[Any, tuple[Theorem, float] | None] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def of(cls, learner: Any, declared: Mapping[str, Number] | None = None) -> Promises:
        """Return what a learner and those who know its stream are promised."""
        given = _checked(learner, declared or {})
        if not isinstance(learner, Learner):
            return cls("mistakes", ())
        counts = _counts(learner)
        known = learner.known_
        fitting = (
            (theorem, theorem.fit(known, given))
            for theorem in _theorems(learner, counts)
        )
        return cls(
            counts,
            tuple(
                (theorem, numbers)
                for theorem, numbers in fitting
                if numbers is not None
                and _awaited(theorem) <= known.keys() | numbers.keys()
            ),
        )

    def known(self, learner: Learner) -> Known:
        """Return what a learner knows by now."""
        unmet = learner.unmet_
        silent = (theorem.id for theorem, _ in self.candidates if theorem.needs & unmet)
        return Known(learner.known_, frozenset(silent))

    def bound(self, known: Known) -> tuple[Theorem, float] | None:
        """Return the theorem that promises most by now, and its bound."""
        key = (known.silent, *known.numbers.items())
        if key not in self._found:
            self._found[key] = self._smallest(known)
        return self._found[key]

    def standing(self, look: Look | None) -> Standing:
        """Work out what a look at a learner has found."""
        if look is None:
            return Standing()
        found = None if look.known is None else self.bound(look.known)
        if found is None:
            return Standing(regret=look.regret)
        return Standing(found[0].id, found[1], look.regret)

    def _smallest(self, known: Known) -> tuple[Theorem, float] | None:
        best: tuple[Theorem, float] | None = None
        for theorem, declared in self.candidates:
            if theorem.id in known.silent:
                continue
            value = _value(theorem, known.numbers, declared)
            if value is not None and (best is None or value < best[1]):
                best = theorem, value
        return best


def live_bound(
    learner: Any, declared: Mapping[str, Number] | None = None
) -> tuple[Theorem, float] | None:
    """Return the smallest bound that a learner's theorems give by now, if any does.

    It bounds what the learner has done since birth: its mistakes, the mistakes to be
    expected of one that draws lots, or the regret to the best expert so far of one that
    is charged by a loss. A theorem counts if every number it takes is known to the
    learner or declared, and if it holds for the learner's parameters. What is declared
    is believed.

    Parameters
    ----------
    learner
        A learner of littlestone; of another nothing is known.
    declared
        Numbers that you know of the stream or of the truth behind it, by the names that
        `Theorem.numbers` tells.

    Returns
    -------
    tuple or None
        The theorem, and its bound, rounded up.

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> from littlestone.linear import Winnow
    >>> from littlestone.running.bounds import live_bound
    >>> learner = WeightedMajority(experts=4)
    >>> theorem, bound = live_bound(learner)
    >>> print(theorem.id, round(bound, 2))  # ln 4 / ln(4/3), while one is never wrong
    WM 4.82
    >>> live_bound(Winnow(threshold=8, eliminate=True)) is None
    True
    >>> known = {"features": 8, "relevant": 1}
    >>> live_bound(Winnow(threshold=8, eliminate=True), known)[1]  # 2 lg 8 + 1
    7.0
    """
    if not isinstance(learner, Learner):
        _checked(learner, declared or {})
        return None
    promises = Promises.of(learner, declared)
    return promises.bound(promises.known(learner))


def declarable(learner: Any) -> dict[str, str]:
    """Return the numbers that may be declared for a learner, and what each is.

    Examples
    --------
    >>> from littlestone.linear import Winnow
    >>> from littlestone.running.bounds import declarable
    >>> for name, what in declarable(Winnow(threshold=8, eliminate=True)).items():
    ...     print(f"{name}: {what}")
    features: n, how many features there are
    relevant: r, how many of the features matter
    """
    if not isinstance(learner, Learner):
        return {}
    given = learner.get_params(deep=False)
    known = given.keys() | learner.known_.keys()
    if given.get("features") is None:
        known.discard("features")  # those it has met may not be all
    return {
        name: what
        for theorem in _theorems(learner, _counts(learner))
        for name, what in theorem.numbers.items()
        if name not in known and theorem.sources[name] == "declared"
    }


def _checked(learner: Any, declared: Mapping[str, Number]) -> dict[str, Number]:
    """Refuse what may not be declared."""
    if not isinstance(declared, Mapping):
        raise ParameterError(
            f"declare must map names to numbers, got {declared!r}", owner="run"
        )
    may = declarable(learner) if declared else {}
    for name, number in declared.items():
        if name not in may:
            named = ", ".join(may) or "nothing"
            raise ParameterError(
                f"what may be declared for {type(learner).__name__} is {named}, got "
                f"{name!r}",
                owner="run",
            )
        if not isinstance(number, Fraction):
            finite("run", f"declared {name}", number)
    return dict(declared)


def _counts(learner: Learner) -> Counts:
    """Return what a learner is judged by."""
    counted = {theorem.counts for theorem in learner.guarantees if not theorem.lower}
    if counted & {"regret", "loss"}:
        return "regret"
    drawn = getattr(learner, "expected_mistakes_", None) is not None
    return "expected mistakes" if drawn else "mistakes"


def _theorems(learner: Learner, counts: Counts) -> list[Theorem]:
    """Return those of a learner's theorems that bound what it is judged by."""
    fitting: set[str] = {counts}
    if counts == "regret":
        fitting.add("loss")  # minus that of the best expert
    # Where every mistake updates, no more mistakes than updates are made.
    erring = learner.conservative or getattr(learner, "update", None) == "margin"
    if counts == "mistakes" and erring:
        fitting.add("updates")
    return [t for t in learner.guarantees if t.counts in fitting and not t.lower]


@lru_cache
def _asked(theorem: Theorem) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return what a theorem must and may be given, and if experts are 1/prior to it."""
    taken = inspect.signature(theorem.formula).parameters
    must = {name for name, it in taken.items() if it.default is inspect.Parameter.empty}
    must |= {"scale"} & taken.keys()  # that it is 1 is for the learner to say
    either = {"experts", "prior"} <= taken.keys() - must
    return frozenset(must), frozenset(taken), either


@lru_cache
def _awaited(theorem: Theorem) -> frozenset[str]:
    """Return what a theorem must be given that no learner finds out later."""
    found = {"scale"} | {n for n, from_ in theorem.sources.items() if from_ == "known"}
    return _asked(theorem)[0] - found


def _value(
    theorem: Theorem, known: Mapping[str, Number], declared: Mapping[str, Number]
) -> float | None:
    """Return the bound of a theorem, or None where a number is missing or unfit."""
    must, may, either = _asked(theorem)
    numbers = {**declared, **known}
    if "features" in declared and "features" in known:
        numbers["features"] = max(declared["features"], known["features"])
    if not must <= numbers.keys():
        return None
    given = {name: numbers[name] for name in may & numbers.keys()}
    if either:
        if not given.keys() & {"experts", "prior"}:
            return None
        if "prior" in given:
            given.pop("experts", None)
    try:
        value = theorem.formula(**given)
    except PremiseError:
        return None
    if theorem.counts == "loss":
        if "best" not in known:
            return None
        value -= Fraction(known["best"])
    bound = float_up(value)
    return bound if math.isfinite(bound) else None


class Watch:
    """Looks at a learner at the points of a run's curve, and when it is asked to.

    A curve has a point at each multiple of its stride, which doubles whenever there
    would be too many. A look costs little; bounds are worked out when they are asked
    for. Nobody is looked at who promises nothing and has no experts.
    """

    POINTS: ClassVar[int] = 512
    LOOKS: ClassVar[int] = 256  # fewer, as each takes some microseconds
    SHARES: ClassVar[int] = 390  # weights of a look, so that a run keeps 100,000
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

    def played(self, rounds: int) -> None:
        """Note that rounds were played, no more than were left to the next look."""
        self.rounds += rounds
        self.left -= rounds
        if self.left:
            return
        look = self._looks[self.rounds] = self._look()
        if self.rounds & (self.rounds - 1) == 0:
            self._marks[self.rounds] = look
        if len(self._looks) > self.points:
            self._stride *= 2
            kept = self._looks.items()
            self._looks = {at: look for at, look in kept if at % self._stride == 0}
        self.left = self._stride - self.rounds % self._stride

    def save(self) -> dict[str, Any]:
        """Return what was seen so far, so that another run can go on with it."""
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
        """Go on with what another run has seen."""
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
                # What is counted grows, and nothing counts down.
                and all(
                    type(x) is not int or 0 <= x <= now.get(name, x)
                    for name, x in (numbers or {}).items()
                ),
                "rounds seen",
            )
            known = None if numbers is None else Known(numbers, frozenset(silent))
            self._looks[at] = Look(known, regret)
        if self.watching:
            self.left = self._stride - self.rounds % self._stride

    def standing(self, rounds: int) -> Standing:
        """Tell how the run stood after so many rounds, where that was looked at."""
        look = self._marks.get(rounds) or self._looks.get(rounds)
        if look is None and rounds == self.rounds and self.watching:
            look = self._look()
        return self.promises.standing(look)

    def looks(self) -> dict[int, Look]:
        """Return what was seen at the points of the curve, the last round within."""
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
        """Return what experts have lost, and the learner beside each."""
        learner = self._learner
        if getattr(learner, "keeps_losses_", False) and hasattr(learner, "books"):
            books: tuple[NDArray[np.float64], NDArray[np.float64]] = learner.books()
            return books
        return None

    def _shares(self) -> Shares | None:
        """Return what the experts weigh, of a large crowd the heaviest."""
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
