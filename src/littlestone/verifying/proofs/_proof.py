"""The base of proofs: numbers that are safe, and inequalities that hold on a run."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.theorems._rounding import sqrt_up

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from fractions import Fraction

__all__ = [
    "Proof",
    "Unsound",
    "above_zero",
    "at_least_one",
    "brief",
    "real",
    "truth",
]


class Unsound(Exception):  # noqa: N818 - a finding, not a fault
    """What is wrong with a certificate, in a sentence."""


class Proof(ABC):
    """The proof of a theorem, replayed on the rounds of a run in exact rationals.

    A subclass lists its learners, the numbers that the theorem takes and the kinds of
    witness. It may check the witness and the parameters when it is created, gets each
    round, and is closed with the counts. It raises `Unsound` if anything is wrong;
    otherwise what was counted is within the bound.
    """

    # The names of the learners, of the theorem's numbers, and of the witness's kinds.
    learners: ClassVar[tuple[str, ...]] = ()
    names: ClassVar[tuple[str, ...]] = ()
    kinds: ClassVar[tuple[str, ...]] = ("none",)
    # Whether the witness may be measured on all rounds, so that the bound holds for
    # every order of the stream; and whether it is.
    orderless: ClassVar[bool] = False
    every: ClassVar[bool] = False
    # Whether it is about labels that come late, of a stream of `Late` examples.
    late: ClassVar[bool] = False
    # A check for each parameter, one mapping for each set of names that learners have.
    schemas: ClassVar[tuple[Mapping[str, Callable[[Any], bool]], ...]] = ()

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        self.parameters, self.witness, self.numbers = parameters, witness, numbers
        if self.schemas:
            self._check_parameters()
        if set(numbers) != set(self.names):
            raise Unsound(
                f"numbers must be {', '.join(self.names) or 'none'}, "
                f"got {', '.join(numbers) or 'none'}"
            )
        if witness["kind"] not in self.kinds:
            raise Unsound(
                f"witness must be of kind {' or '.join(self.kinds)}, "
                f"got {witness['kind']}"
            )

    @abstractmethod
    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Take a round that the twin has just played."""

    @abstractmethod
    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check what can be checked at the end, given the counts.

        `counts` has `rounds`, `mistakes`, `updates`, `loss` and `expected mistakes`, if
        the learner has them, and `counted`, the number that is bounded.
        """

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Return the number that is bounded; None if only the rounds show it."""
        if what not in counts and what != "regret":
            raise Unsound(f"{what} must be stated, as the theorem bounds them")
        return counts.get(what)

    def at_least(self, name: str, true: Fraction, what: str) -> None:
        """Refuse a number that is stated too low."""
        if self.numbers[name] < true:
            raise Unsound(
                f"{name} must be at least {what}, {brief(true)}, {self._got(name)}"
            )

    def at_most(self, name: str, true: Fraction, what: str) -> None:
        """Refuse a number that is stated too high."""
        if self.numbers[name] > true:
            raise Unsound(
                f"{name} must be at most {what}, {brief(true)}, {self._got(name)}"
            )

    def equal(self, name: str, true: Fraction, what: str) -> None:
        """Refuse a number that is not the true one."""
        if self.numbers[name] != true:
            raise Unsound(f"{name} must be {what}, {brief(true)}, {self._got(name)}")

    def covers(self, name: str, square: Fraction, what: str) -> None:
        """Refuse a number that is stated below the root of a square."""
        number = self.numbers[name]
        if number < 0 or number * number < square:
            size = brief(sqrt_up(square))
            raise Unsound(f"{name} must be at least {what}, {size}, {self._got(name)}")

    def _check_parameters(self) -> None:
        names = set(self.parameters)
        schema = next((each for each in self.schemas if set(each) == names), None)
        if schema is None:
            raise Unsound(
                f"learner: parameters must be {', '.join(self.schemas[0])}, "
                f"got {', '.join(sorted(names)) or 'none'}"
            )
        for name, fine in schema.items():
            if not fine(self.parameters[name]):
                raise Unsound(
                    f"learner: {name} must be one that the learner takes, "
                    f"got {self.parameters[name]!r:.80}"
                )

    def _got(self, name: str) -> str:
        return f"got {brief(self.numbers[name])}"


def real(value: Any) -> bool:
    """Return whether a parameter is a number within the range of doubles.

    Examples
    --------
    >>> from littlestone.verifying.proofs._proof import real
    >>> real(0.5), real(2**60), real(True)
    (True, False, False)
    """
    if type(value) is int:
        return abs(value) <= 2**53
    return type(value) is float and math.isfinite(value)


def above_zero(value: Any) -> bool:
    """Return whether a parameter is a number above 0.

    Examples
    --------
    >>> from littlestone.verifying.proofs._proof import above_zero
    >>> above_zero(0.5), above_zero(0)
    (True, False)
    """
    return real(value) and value > 0


def at_least_one(value: Any) -> bool:
    """Return whether a parameter is a whole number from 1 on.

    Examples
    --------
    >>> from littlestone.verifying.proofs._proof import at_least_one
    >>> at_least_one(2), at_least_one(True), at_least_one(0)
    (True, False, False)
    """
    whole = hasattr(value, "__index__") and not isinstance(value, bool)
    return whole and value >= 1


def truth(value: Any) -> bool:
    """Return whether a parameter is True or False.

    Examples
    --------
    >>> from littlestone.verifying.proofs._proof import truth
    >>> truth(False), truth(0)
    (True, False)
    """
    return type(value) is bool


def brief(number: Fraction) -> str:
    """Return a number as people read it, with enough digits to compare close ones.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._proof import brief
    >>> brief(Fraction(3)), brief(Fraction(1, 3))
    ('3', '0.3333333333333333')
    """
    if number.denominator == 1 and abs(number) < 10**17:
        return str(number)
    try:
        return repr(float(number))
    except OverflowError:
        return "a huge number"
