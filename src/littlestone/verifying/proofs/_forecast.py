"""What the proofs about weighted experts share: a ledger, and a witness in it.

Losses are computed exactly from the stream and from the predictions, which are doubles,
so no rounding of the run can hide: the exact loss or regret is compared with the bound.
In addition, each proof follows its potential.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.theorems._rounding import float_down, float_up
from littlestone.verifying.proofs._ledger import Ledger, width_of
from littlestone.verifying.proofs._proof import (
    Proof,
    Unsound,
    above_zero,
    brief,
    real,
    truth,
)
from littlestone.verifying.twins._losses import kind_of, range_of

if TYPE_CHECKING:
    from littlestone.verifying.proofs._ledger import Account, Round
    from littlestone.verifying.proofs._spans import Span

__all__ = [
    "CHARGED",
    "DRIFT",
    "Case",
    "Forecast",
    "experts",
    "interval",
    "known_loss",
    "limits",
    "outcomes",
]

# The run's weights are rounded, and so is what follows from them. A potential may be
# off by this share of its terms; what is counted must be exact.
DRIFT = Fraction(1, 2**40)

_KNOWN = ("square", "absolute", "log", "brier", "percentage", "zero-one", "pinball")
_PAIR = 2
_MOST_EXPERTS = 10**6  # if they are only counted; more would take too long

# What arithmetic may raise on a value that is not a finite number.
_FAULTS = (ArithmeticError, LookupError, TypeError, ValueError)


def known_loss(value: Any) -> bool:
    """Return whether a certificate can state a loss.

    Examples
    --------
    >>> from littlestone.verifying.proofs._forecast import known_loss
    >>> known_loss("square"), known_loss("pinball"), known_loss(abs)
    (True, False, False)
    """
    if kind_of(value) == "pinball":
        return above_zero(getattr(value, "tau", None)) and value.tau < 1
    return kind_of(value) in _KNOWN


def limits(value: Any) -> bool:
    """Return whether a parameter is a range of losses, or None.

    Examples
    --------
    >>> from littlestone.verifying.proofs._forecast import limits
    >>> limits(None), limits((0, float("inf"))), limits((1, 0))
    (True, True, False)
    """
    if value is None:
        return True
    if not isinstance(value, Sequence) or len(value) != _PAIR:
        return False
    low, high = value
    fine = all(real(end) or end in (-math.inf, math.inf) for end in value)
    return fine and bool(low < high)


def interval(value: Any) -> bool:
    """Return whether a parameter is an interval of numbers, or None.

    Examples
    --------
    >>> from littlestone.verifying.proofs._forecast import interval
    >>> interval(None), interval((0, 10)), interval((0, float("inf")))
    (True, True, False)
    """
    if value is None:
        return True
    if not limits(value) or not all(map(real, value)):
        return False
    # The rate, 2 over the square of the width, must be a double.
    wide = Fraction(value[1]) - Fraction(value[0])
    return Fraction(1, 2**1000) < wide**2 < 2**1000


def experts(value: Any) -> bool:
    """Return whether a parameter lists the experts, or leaves them open.

    Examples
    --------
    >>> from littlestone.verifying.proofs._forecast import experts
    >>> experts(None), experts(3), experts(["a", "b"]), experts({"a": 0})
    (True, True, True, False)
    """
    if value is None or isinstance(value, (bool, int)):
        return value is None or (type(value) is int and 0 < value <= _MOST_EXPERTS)
    if isinstance(value, Mapping):
        return bool(value) and all(map(above_zero, value.values()))
    return isinstance(value, (list, tuple, range)) and bool(value) and not _twice(value)


def outcomes(value: Any) -> bool:
    """Return whether there are at least two named outcomes, or None.

    Examples
    --------
    >>> from littlestone.verifying.proofs._forecast import outcomes
    >>> outcomes(None), outcomes(("no", "yes")), outcomes(("no", "no"))
    (True, True, False)
    """
    if value is None:
        return True
    return isinstance(value, (list, tuple)) and len(value) > 1 and not _twice(value)


def _twice(names: Sequence[Any]) -> bool:
    """Return whether a name is repeated, or is not a name."""
    plain = all(isinstance(name, (str, int, float)) for name in names)
    return not plain or len(set(names)) < len(names)


CHARGED = {
    "loss": known_loss,
    "gradient": truth,
    "range": limits,
    "experts": experts,
}


@dataclass(frozen=True)
class Case:
    """A learner, a witness, and the ledger of a run."""

    parameters: Mapping[str, Any]
    witness: Mapping[str, Any]
    ledger: Any

    @property
    def account(self) -> Account:
        """The account of the expert that is the witness."""
        found: Account = self.ledger.of(self.witness["expert"])
        return found

    @property
    def prior(self) -> Fraction:
        """The prior of the witness."""
        shares = self.ledger.priors(self.parameters)
        if self.witness["expert"] not in shares:
            raise Unsound("witness must be one of the experts")
        share: Fraction = shares[self.witness["expert"]]
        return share

    @property
    def equal(self) -> bool:
        """Whether all have the same prior."""
        return len(set(self.ledger.priors(self.parameters).values())) == 1

    @property
    def rate(self) -> Fraction:
        """The learner's rate, divided by the width of the range of losses.

        The learner scales losses to [0, 1]; this is the rate for unscaled losses.
        """
        given = self.parameters
        spread = given["range"]
        if spread is None and not given["gradient"]:
            spread = range_of(given["loss"])
        low, high = spread or (-math.inf, math.inf)
        return Fraction(given["eta"]) / width_of(low, high)


class Forecast(Proof):
    """A theorem about the expert that the learner is compared with.

    A subclass measures its numbers on the ledger, and says on which side each may be
    stated: 1 is above, -1 below, and 0 is neither.
    """

    kinds = ("expert",)
    sides: ClassVar[Mapping[str, int]] = {}
    optional: ClassVar[tuple[str, ...]] = ()  # numbers that may be left out

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        needed = {n: number for n, number in numbers.items() if n not in self.optional}
        super().__init__(parameters, witness, needed)
        self.numbers = numbers
        self.ledger = self.open()
        self.case = Case(parameters, witness, self.ledger)
        self.check_parameters()

    @staticmethod
    def open() -> Ledger:
        """Return an empty ledger."""
        return Ledger()

    def check_parameters(self) -> None:
        """Check the numbers that follow from the parameters, before any round."""

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:  # noqa: ARG002 - only the rounds show it
        """Return None: only the rounds show it."""
        return None

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the twin has them as they were played
        """Charge all experts, and follow the potential."""
        try:
            self.follow(self.ledger.add(said, twin), twin)
        except _FAULTS as error:
            raise Unsound(f"all losses must be finite numbers: {error}") from None

    def follow(self, played: Round, twin: Any) -> None:
        """Follow the potential."""

    @classmethod
    @abstractmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the true numbers; raise if a premise fails."""

    @classmethod
    def count(cls, case: Case) -> Span:
        """Return what is bounded: the regret, unless a subclass overrides it."""
        return case.account.behind

    def settle(self, counted: Span) -> None:
        """Check the final potential."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check that every number is safe, and that the count is exact."""
        if not self.ledger.rounds:
            raise Unsound("there must be rounds, or there is nothing to compare")
        try:
            self._close(counts["counted"])
        except _FAULTS as error:
            raise Unsound(f"all sums must be finite: {error}") from None

    def _close(self, stated: Fraction) -> None:
        self.settle_numbers(self.measure(self.case), self.count(self.case), stated)

    def settle_numbers(
        self, measured: Mapping[str, Fraction], counted: Span, stated: Fraction
    ) -> None:
        """Check the numbers, what is counted, and the final potential."""
        check = {1: self.at_least, -1: self.at_most, 0: self.equal}
        if not set(measured) <= set(self.numbers):
            raise Unsound(f"numbers must have {', '.join(measured)}")
        for name, true in measured.items():
            check[self.sides[name]](name, true, "its value on this stream")
        if not counted.high <= stated <= Fraction(float_up(counted.high)):
            raise Unsound(
                f"counted must be {float_up(counted.high)!r}, rounded up from the "
                f"losses, got {brief(stated)}"
            )
        self.settle(counted)

    @classmethod
    def stated(cls, measured: Mapping[str, Fraction]) -> dict[str, float | Fraction]:
        """Return the numbers to state: as doubles on the safe side."""
        return {name: _stated(cls.sides[name], n) for name, n in measured.items()}


def _stated(side: int, number: Fraction) -> float | Fraction:
    if side == 0 or number.denominator == 1 or _is_one_over(number):
        return number
    return float_up(number) if side > 0 else float_down(number)


def _is_one_over(number: Fraction) -> bool:
    """Return whether a number is 1/N, an equal share, which is stated exactly."""
    return number.numerator == 1 and number.denominator < 2**32
