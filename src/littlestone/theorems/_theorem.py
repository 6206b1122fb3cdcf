"""The class of theorems, and the conditions that they need."""

from __future__ import annotations

import inspect
import math
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

from littlestone.display.markup import block, facts, paragraph
from littlestone.errors import PremiseError
from littlestone.theorems._numbers import Source, meaning, source
from littlestone.theorems._rounding import Number, float_down, float_up
from littlestone.theorems._shares import NEARLY_ALL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Condition", "Number", "Numbers", "Theorem", "with_constant"]

Numbers: TypeAlias = "Mapping[str, Number]"


class Condition(Enum):
    """A premise of a theorem that a learner can check by itself.

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> from littlestone.theorems import WM
    >>> learner = WeightedMajority(experts=["ann", "bob"])
    >>> learner.learn_one({"ann": True}, True)  # bob is asleep
    >>> WM.needs & learner.unmet_
    frozenset({<Condition.AWAKE: 'no expert has been asleep'>})
    """

    AWAKE = "no expert has been asleep"
    ASLEEP = "some expert has been asleep"
    CHARGED = "the losses of the experts are charged as they are, and are at least 0"
    CURVED = "exp(-eta loss) is concave in the prediction"
    UNIT = "losses lie in a range of length 1"
    TUNED = "the rate is tuned to the losses of the best expert"
    CLASSES = "the classes are given before the first round"


def with_constant(known: Numbers, declared: Numbers) -> Numbers | None:
    """Return what was declared, with the radius of examples with a constant feature.

    Examples
    --------
    >>> from littlestone.theorems._theorem import with_constant
    >>> numbers = with_constant({"bias": 4.0}, {"radius": 3, "margin": 1})
    >>> round(numbers["radius"], 9), numbers["margin"]
    (5.0, 1)
    """
    bias = known.get("bias", 0)
    if "radius" in known:  # of examples scaled together with the constant feature
        return None if bias else declared
    if bias == 0 or "radius" not in declared:
        return declared
    longer = math.hypot(float(declared["radius"]), float(bias))
    return {**declared, "radius": math.nextafter(longer, math.inf)}


@dataclass(frozen=True)
class Theorem:
    r"""A statement with its premises, and the bound that it gives.

    Attributes
    ----------
    id
        Its unique name, such as `PERC-SEP`.
    statement
        The statement, in a sentence.
    latex
        The statement as a LaTeX formula, without dollars.
    premises
        What must hold for the bound to hold.
    counts
        What is bounded: `"updates"`, and so mistakes if every mistake updates;
        `"demotions"` of Winnow's weights; `"mistakes"`; `"expected mistakes"`, over the
        learner's draws; `"loss"`, the learner's total; `"regret"`, that loss minus the
        loss of the expert it is compared with; `"weighted updates"`, `"weighted
        mistakes"` and `"weighted regret"`, those of shards, each times its share in the
        mixture; `"error probability"` on one more example; `"examples"`, how many
        suffice; `"distance"` of an estimate from the truth; or `"excess misses"`, how
        far the misses of intervals are from the number asked for.
    reference
        The publication with the proof.
    lower
        Whether it is a lower bound.
    tight
        The adversary or stream that attains the bound or comes close, in a sentence;
        empty if none is known.
    needs
        The premises that a learner can check by itself.

    Examples
    --------
    >>> from littlestone.theorems import PERC_SEP
    >>> print(PERC_SEP)
    PERC-SEP: at most |u|^2 R^2 / gamma^2 updates
    >>> PERC_SEP.bound(radius=3, margin=1)
    9.0
    >>> print(PERC_SEP.latex)
    U \leq \frac{\|u\|^2 R^2}{\gamma^2}
    >>> PERC_SEP.tight
    'PerceptronAdversary attains it where 1/gamma^2 is whole: PERC-LB.'
    """

    id: str
    statement: str
    latex: str
    premises: tuple[str, ...]
    counts: Literal[
        "updates",
        "demotions",
        "mistakes",
        "expected mistakes",
        "loss",
        "regret",
        "weighted updates",
        "weighted mistakes",
        "weighted regret",
        "error probability",
        "examples",
        "distance",
        "excess misses",
    ]
    reference: str
    # Takes numbers by name; returns a rational at or above the proved bound, or at or
    # below a lower bound.
    formula: Callable[..., Fraction] = field(repr=False)
    lower: bool = False
    tight: str = ""
    needs: frozenset[Condition] = frozenset()
    # Takes the learner's parameters and what was declared of the stream, by name;
    # returns what was declared as the formula takes it, or None if the theorem is about
    # a learner with other parameters.
    fit: Callable[[Numbers, Numbers], Numbers | None] = field(
        default=with_constant, repr=False
    )
    # Takes the numbers and how many rounds the witness was measured on; returns what it
    # loses of them, 1 for u = 0. None if no witness loses anything.
    share: Callable[[Mapping[str, Fraction], int], Fraction] | None = field(
        default=None, repr=False
    )

    @property
    def numbers(self) -> Mapping[str, str]:
        """The numbers that `bound` takes: their names and meanings.

        Examples
        --------
        >>> from littlestone.theorems import PERC_FS
        >>> for name, what in PERC_FS.numbers.items():
        ...     print(f"{name}: {what}")
        radius: R, the largest |x|
        margin: gamma, the margin of u
        deviation_norm: D, the root of the sum of the squared shortfalls
        """
        names = inspect.signature(self.formula).parameters
        return MappingProxyType({name: meaning(self.id, name) for name in names})

    @property
    def sources(self) -> Mapping[str, Source]:
        """Where each number comes from, by name.

        `"known"` numbers are the learner's parameters, or counted by it;
        `"declared"` ones depend on the stream, so you declare them beforehand or
        `certify` finds them afterwards; only a finished run gives `"hindsight"` ones.

        Examples
        --------
        >>> from littlestone.theorems import EWA, ML_POLY, PERC_SEP
        >>> dict(PERC_SEP.sources)
        {'radius': 'declared', 'margin': 'declared', 'norm': 'declared'}
        >>> EWA.sources["eta"], EWA.sources["scale"], ML_POLY.sources["first"]
        ('known', 'declared', 'hindsight')
        """
        names = inspect.signature(self.formula).parameters
        return MappingProxyType({name: source(self.id, name) for name in names})

    def bound(self, **numbers: Number) -> float:
        """Return the bound, rounded up to a float; a lower bound is rounded down."""
        try:
            value = self.formula(**numbers)
        except PremiseError as error:
            error.owner = error.owner or self.id
            raise
        return float_down(value) if self.lower else float_up(value)

    def is_vacuous(self, bound: Number, rounds: Number, spread: Number = 1) -> bool:
        """Return whether a bound says nothing about a run: it holds of any.

        No run has more mistakes or updates than rounds, nor more regret than the rounds
        times the range of losses. A coin errs with probability 1/2. A lower bound says
        nothing if it is not above 0.

        Parameters
        ----------
        bound
            The bound of this theorem.
        rounds
            How many rounds were played.
        spread
            For theorems on losses and regrets, how far apart two losses may be;
            infinite if unknown.

        Examples
        --------
        >>> from littlestone.theorems import ADAHEDGE, PERC_SEP
        >>> PERC_SEP.is_vacuous(9.0, rounds=9), PERC_SEP.is_vacuous(9.0, rounds=10)
        (True, False)
        >>> ADAHEDGE.is_vacuous(9.0, rounds=10, spread=0.5)
        True
        """
        if self.lower:
            return bound <= 0
        if self.counts == "error probability":
            return 2 * bound >= 1
        if self.counts not in ("loss", "regret", "weighted regret"):
            return bound >= rounds
        # A forged number may be beyond every float.
        return -math.inf < spread < math.inf and bound >= rounds * Fraction(spread)

    def loss_share(self, numbers: Numbers, rounds: int) -> Fraction | None:
        """Return what the witness loses of the rounds that it was measured on.

        A witness of 0 loses 1 on each; None if no loss is among the numbers, if there
        were no rounds, or if the margin is 0, as a forger may write.

        Examples
        --------
        >>> from littlestone.theorems import PERC_HINGE
        >>> PERC_HINGE.loss_share({"radius": 1, "margin": 0.1, "hinge": 3}, rounds=4)
        Fraction(3, 4)
        """
        if self.share is None or not rounds or not numbers.get("margin", 1):
            return None
        return self.share({name: Fraction(n) for name, n in numbers.items()}, rounds)

    def is_tautological(self, numbers: Numbers, updates: int | None) -> bool:
        """Return whether a bound measured on the updates says no more than they do.

        Any vector is a witness; one that loses nine tenths of what 0 loses on these
        rounds hardly explains them.

        Examples
        --------
        >>> from littlestone.theorems import PERC_HINGE
        >>> PERC_HINGE.is_tautological({"radius": 1, "margin": 9, "hinge": 3}, 3)
        True
        """
        share = self.loss_share(numbers, updates or 0)
        return share is not None and share >= NEARLY_ALL

    def __hash__(self) -> int:
        return hash(self.id)  # that of all fields takes microseconds, in every run

    def __str__(self) -> str:
        return f"{self.id}: {self.statement}"

    def _repr_html_(self) -> str:
        rows = [("says", self.statement)]
        rows += [("if", premise) for premise in self.premises]
        rows += self.numbers.items()
        rows += [("tight", self.tight)] if self.tight else []
        beside = f"{'a lower' if self.lower else 'an upper'} bound on {self.counts}"
        return block(self.id, facts(rows), paragraph(self.reference), beside=beside)
