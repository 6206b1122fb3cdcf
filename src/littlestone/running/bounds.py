"""The live bound: what a theorem guarantees for a run while it is being played.

A theorem takes numbers. Some of them the learner knows: its parameters, and what it has
counted so far. Others only you can know, such as how many features matter; you may
declare them. Where both together are enough, the theorem bounds the run up to the
current round, without hindsight.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from littlestone.errors import ParameterError, PremiseError
from littlestone.learner import Learner
from littlestone.learner.parameters import finite
from littlestone.theorems._rounding import float_up

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from littlestone.running.hindsight import Found
    from littlestone.theorems import Condition, Number, Theorem

__all__ = [
    "Bounded",
    "Candidate",
    "Known",
    "Look",
    "Promises",
    "Shares",
    "Standing",
    "declarable",
    "live_bound",
    "theorems_of",
]

Counts = Literal["mistakes", "expected mistakes", "regret"]


class Candidate(NamedTuple):
    """A theorem that may bound a run, with the numbers that were declared for it."""

    theorem: Theorem
    declared: Mapping[str, Number]  # in the terms of the theorem


class Bounded(NamedTuple):
    """A theorem, and the bound that it gives, rounded up."""

    theorem: Theorem
    bound: float


class Known(NamedTuple):
    """The numbers for theorems that a learner knows at some round.

    Attributes
    ----------
    numbers
        The numbers by name, from `Learner.known_`.
    silent
        The ids of its theorems that need a condition which is not met.
    """

    numbers: Mapping[str, Number]
    silent: frozenset[str]


class Look(NamedTuple):
    """The state of a learner at one round of a run."""

    known: Known | None
    regret: float | None
    shares: Shares | None = None


class Shares(NamedTuple):
    """The weights of the experts at one round.

    Attributes
    ----------
    positions
        The positions of the heaviest experts, in order; None if all are listed.
    weights
        The weight of each of them.
    """

    positions: NDArray[np.intp] | None
    weights: NDArray[np.float64]


class Standing(NamedTuple):
    """How a run compares with its bound at some round.

    Attributes
    ----------
    theorem, bound
        The id of the theorem with the smallest bound, and that bound; None if no
        theorem gives one.
    regret
        How much more the learner has lost than the best expert so far; None without
        experts.
    vacuous
        Whether there is a bound, but one that says nothing, as by `Theorem.is_vacuous`.
    tautological
        Whether its witness says no more than the mistakes, as by
        `Theorem.is_tautological`.
    witnessed
        Whether the bound is by a witness that was searched for.
    """

    theorem: str | None = None
    bound: float | None = None
    regret: float | None = None
    vacuous: bool = False
    tautological: bool = False
    witnessed: bool = False

    @property
    def emptiness(self) -> str:
        """`"vacuous"` or `"tautological"` if the bound says nothing, else empty."""
        if self.vacuous:
            return "vacuous"
        return "tautological" if self.tautological else ""


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
    candidates: tuple[Candidate, ...]
    spread: Number = math.inf  # how far apart two losses may be
    _found: dict[Any, Bounded | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, learner: Any, declared: Mapping[str, Number] | None = None) -> Promises:
        """Return the theorems for a learner, with the numbers that were declared."""
        given = _checked(learner, declared or {})
        if not isinstance(learner, Learner):
            return cls("mistakes", ())
        known = learner.known_
        about = tuple(learner.guarantees), _draws(learner), _errs(learner)
        if given:
            counts, theorems = _bounding(*about)
            fitting = _fitting(theorems, known, given)
        else:
            kinds = tuple(map(type, known.values()))
            counts, fitting = _undeclared(*about, tuple(known.items()), kinds)
        spread = min(
            getattr(learner, "spread_", math.inf), given.get("scale", math.inf)
        )
        return cls(counts, fitting, spread)

    def known(self, learner: Learner) -> Known:
        """Return what a learner knows by now."""
        return Known(learner.known_, self.silent(learner.unmet_))

    def silent(self, unmet: frozenset[Condition]) -> frozenset[str]:
        """Return the ids of the theorems that need what is not met."""
        return frozenset(
            theorem.id for theorem, _ in self.candidates if theorem.needs & unmet
        )

    def bound(self, known: Known) -> Bounded | None:
        """Return the smallest bound so far, with its theorem."""
        key = (known.silent, *known.numbers.items())
        if key not in self._found:
            self._found[key] = self._smallest(known)
        return self._found[key]

    def standing(
        self, look: Look | None, rounds: int, seen: Found | None = None
    ) -> Standing:
        """Compute the bound for the state of a learner after so many rounds.

        With `seen`, what a search for a witness found then, it is the smaller one.
        """
        look = look or Look(None, None)
        found = None if look.known is None else self.bound(look.known)
        if seen is not None and (found is None or seen.bound < found.bound):
            vacuous = seen.theorem.is_vacuous(seen.bound, rounds)
            return Standing(
                seen.theorem.id,
                seen.bound,
                look.regret,
                vacuous,
                seen.tautological,
                witnessed=True,
            )
        if found is None:
            return Standing(regret=look.regret)
        theorem, bound = found
        vacuous = theorem.is_vacuous(bound, rounds, self.spread)
        return Standing(theorem.id, bound, look.regret, vacuous)

    def numbers(self, look: Look | None) -> dict[str, Number]:
        """Return the numbers that make the bound, by name; none without a bound."""
        found = None if look is None or look.known is None else self.bound(look.known)
        if look is None or look.known is None or found is None:
            return {}
        theorem = found.theorem
        declared = next(it.declared for it in self.candidates if it.theorem is theorem)
        return _given(theorem, look.known.numbers, declared) or {}

    def _smallest(self, known: Known) -> Bounded | None:
        best: Bounded | None = None
        for theorem, declared in self.candidates:
            if theorem.id in known.silent:
                continue
            value = _value(theorem, known.numbers, declared)
            if value is not None and (best is None or value < best.bound):
                best = Bounded(theorem, value)
        return best


def live_bound(
    learner: Any, declared: Mapping[str, Number] | None = None
) -> Bounded | None:
    """Return the smallest bound that a learner's theorems give so far, if any does.

    It bounds what the learner has done since it was made: its mistakes, the expected
    mistakes of a learner that draws at random, or the regret to the best expert of a
    learner with a loss. A theorem counts if the learner knows every number it takes, or
    you declare it, and if it holds for the learner's parameters. What you declare is
    taken as true.

    Parameters
    ----------
    learner
        A learner of littlestone; for any other there is no bound.
    declared
        Numbers that you know about the stream or the truth behind it, by the names in
        `Theorem.numbers`.

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
    >>> live_bound(Winnow(threshold=8, eliminate=True), known).bound  # 2 lg 8 + 1
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
        known.discard("features")  # there may be more than it has seen
    return {
        name: what
        for theorem in _theorems(learner)
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
                f"declare takes {named} for {type(learner).__name__}, got {name!r}",
                owner="run",
            )
        if not isinstance(number, Fraction):
            finite("run", f"declared {name}", number)
    return dict(declared)


def _draws(learner: Learner) -> bool:
    return getattr(learner, "expected_mistakes_", None) is not None


def _errs(learner: Learner) -> bool:
    """Return whether every mistake updates: no more mistakes than updates are made."""
    return learner.conservative or getattr(learner, "update", None) == "margin"


def _bounding(
    guarantees: Iterable[Theorem], draws: bool, errs: bool
) -> tuple[Counts, list[Theorem]]:
    """Return what the bounds of a learner limit, and the theorems that bound it."""
    counted = {theorem.counts for theorem in guarantees if not theorem.lower}
    counts: Counts = "expected mistakes" if draws else "mistakes"
    fitting: set[str] = {counts}
    if counted & {"regret", "loss"}:
        counts = "regret"
        fitting = {"regret", "loss"}  # minus the loss of the best expert
    elif errs and not draws:
        fitting.add("updates")
    return counts, [t for t in guarantees if t.counts in fitting and not t.lower]


def _theorems(learner: Learner) -> list[Theorem]:
    return _bounding(learner.guarantees, _draws(learner), _errs(learner))[1]


def _fitting(
    theorems: Iterable[Theorem],
    known: Mapping[str, Number],
    given: Mapping[str, Number],
) -> tuple[Candidate, ...]:
    """Return the theorems that may give a bound, with what was declared for each."""
    fitting = ((theorem, theorem.fit(known, given)) for theorem in theorems)
    return tuple(
        Candidate(theorem, numbers)
        for theorem, numbers in fitting
        if numbers is not None and _awaited(theorem) <= known.keys() | numbers.keys()
    )


@lru_cache
def _undeclared(
    guarantees: tuple[Theorem, ...],
    draws: bool,
    errs: bool,
    known: tuple[tuple[str, Number], ...],
    kinds: tuple[type, ...],  # of these numbers, as 1 and 1.0 are equal
) -> tuple[Counts, tuple[Candidate, ...]]:
    """Return the counts and theorems where nothing is declared, as in most runs."""
    del kinds
    counts, theorems = _bounding(guarantees, draws, errs)
    return counts, _fitting(theorems, dict(known), {})


def theorems_of(learner: Learner) -> list[Theorem]:
    """Return the theorems that may bound a run of a learner.

    Examples
    --------
    >>> from littlestone.linear import Winnow
    >>> from littlestone.running.bounds import theorems_of
    >>> [theorem.id for theorem in theorems_of(Winnow(threshold=8, eliminate=True))]
    ['WIN1']
    """
    return _theorems(learner)


class _Asked(NamedTuple):
    """The numbers that a theorem must and may be given."""

    must: frozenset[str]
    may: frozenset[str]
    either: bool  # it takes the number of experts or the prior of one


@lru_cache
def _asked(theorem: Theorem) -> _Asked:
    """Return what a theorem takes."""
    taken = inspect.signature(theorem.formula).parameters
    must = {name for name, it in taken.items() if it.default is inspect.Parameter.empty}
    must |= {"scale"} & taken.keys()  # the learner must say that it is 1
    either = {"experts", "prior"} <= taken.keys() - must
    return _Asked(frozenset(must), frozenset(taken), either)


@lru_cache
def _awaited(theorem: Theorem) -> frozenset[str]:
    """Return the numbers a theorem needs that no learner finds out later."""
    found = {"scale"} | {n for n, from_ in theorem.sources.items() if from_ == "known"}
    return _asked(theorem).must - found


def _given(
    theorem: Theorem, known: Mapping[str, Number], declared: Mapping[str, Number]
) -> dict[str, Number] | None:
    """Return the numbers that a theorem takes, or None where one is missing."""
    must, may, either = _asked(theorem)
    numbers = {**declared, **known}
    if "features" in declared and "features" in known:
        numbers["features"] = max(declared["features"], known["features"])
    if not must <= numbers.keys():
        return None
    given = {name: number for name, number in numbers.items() if name in may}
    if either:
        if not given.keys() & {"experts", "prior"}:
            return None
        if "prior" in given:
            given.pop("experts", None)
    return given


def _value(
    theorem: Theorem, known: Mapping[str, Number], declared: Mapping[str, Number]
) -> float | None:
    """Return the bound of a theorem, or None where a number is missing or unfit."""
    given = _given(theorem, known, declared)
    if given is None:
        return None
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
