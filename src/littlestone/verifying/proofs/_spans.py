"""Numbers enclosed by two rationals, and losses as such numbers.

Most losses of doubles are rationals, and exact. Logarithms, and quotients that are
added up over many rounds, are enclosed by two rationals of a few dozen digits whose
denominators are powers of two, so that sums stay short.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

from littlestone.theorems._rounding import ln_bounds
from littlestone.verifying.proofs._proof import Unsound
from littlestone.verifying.twins._losses import kind_of

__all__ = [
    "NOTHING",
    "Span",
    "chance",
    "down",
    "exponential",
    "logarithm",
    "loss",
    "slope",
    "up",
]

_BITS = 160  # of a rounded number
UNIT = 2**320  # of exponentials
_CONTEXT = Context(prec=50)
_DECIMAL_UNIT = Context(prec=120).create_decimal(UNIT)
_DEEP = -300  # below which nothing of the unit is left
_CLOSE = 10**44


def down(number: Fraction) -> Fraction:
    """Return a number of 160 bits at or just below another.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._spans import down, up
    >>> down(Fraction(3, 4)), down(Fraction(1, 3)) < Fraction(1, 3) < up(Fraction(1, 3))
    (Fraction(3, 4), True)
    """
    top, bottom = number.numerator, number.denominator
    shift = _BITS - top.bit_length() + bottom.bit_length()
    if shift >= 0:
        return Fraction((top << shift) // bottom, 1 << shift)
    return Fraction(top // (bottom << -shift) << -shift)


def up(number: Fraction) -> Fraction:
    """Return a number of 160 bits at or just above another.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._spans import up
    >>> up(Fraction(-7))
    Fraction(-7, 1)
    """
    return -down(-number)


@dataclass(frozen=True, slots=True)
class Span:
    """A number known to lie between two rationals, or known exactly.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._spans import Span
    >>> third = Span.of(Fraction(1)).over(Fraction(3)).tidy()
    >>> (third - third).largest < 1e-40, (third + third).low < Fraction(2, 3)
    (True, True)
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, number: Fraction) -> Span:
        """Return the span of an exact number."""
        return cls(number, number)

    def __add__(self, other: Span) -> Span:
        low = self.low + other.low
        exact = self.low is self.high and other.low is other.high
        return Span(low, low if exact else self.high + other.high)

    def __sub__(self, other: Span) -> Span:
        low = self.low - other.high
        exact = self.low is self.high and other.low is other.high
        return Span(low, low if exact else self.high - other.low)

    def over(self, number: Fraction) -> Span:
        """Return the quotient by a number above 0."""
        if number == 1:
            return self
        low = self.low / number
        return Span(low, low if self.low is self.high else self.high / number)

    def tidy(self) -> Span:
        """Return it between short numbers, unless it is exact and short."""
        bottom = self.low.denominator
        if self.low is self.high and bottom & (bottom - 1) == 0:
            return self
        return Span(down(self.low), up(self.high))

    def at_least(self, number: Fraction) -> Span:
        """Return the larger one of it and this number."""
        return Span(max(self.low, number), max(self.high, number))

    @property
    def middle(self) -> Fraction:
        """A number inside."""
        return self.low if self.low is self.high else (self.low + self.high) / 2

    @property
    def largest(self) -> Fraction:
        """The largest possible absolute value."""
        return max(-self.low, self.high)

    @property
    def least(self) -> Fraction:
        """The smallest possible absolute value."""
        return max(self.low, -self.high, Fraction(0))

    @property
    def square(self) -> Span:
        """The square."""
        if self.low is self.high:
            return Span.of(self.low**2)
        return Span(down(self.least**2), up(self.largest**2))


NOTHING = Span.of(Fraction(0))


def logarithm(number: Fraction) -> Span:
    """Return the logarithm of a number above 0.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._spans import logarithm
    >>> logarithm(Fraction(1)), round(float(logarithm(Fraction(2)).low), 6)
    (Span(low=Fraction(0, 1), high=Fraction(0, 1)), 0.693147)
    """
    low, high = ln_bounds(number)
    return Span(down(low), up(high))


def exponential(number: Fraction) -> tuple[int, int]:
    """Return whole numbers below and above 2^320 times the exponential.

    The number is at most 0.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._spans import UNIT, exponential
    >>> low, high = exponential(Fraction(-1))
    >>> round(low / UNIT, 6), 0 < high - low < UNIT >> 120
    (0.367879, True)
    """
    if number < _DEEP:
        return 0, 1
    top, bottom = Decimal(number.numerator), Decimal(number.denominator)
    power = _CONTEXT.exp(_CONTEXT.divide(top, bottom))
    value = int(_CONTEXT.multiply(power, _DECIMAL_UNIT))
    # Each of the three has a relative error of 10^-49, the first 300 times that.
    slack = value // _CLOSE + 2
    return max(value - slack, 0), value + slack


def chance(p: Any, y: Any) -> Fraction:
    """Return the probability that a prediction gave to the outcome.

    Examples
    --------
    >>> from littlestone.verifying.proofs._spans import chance
    >>> chance(0.25, 0.0), chance([0.5, 0.25, 0.25], 2)
    (Fraction(3, 4), Fraction(1, 4))
    """
    if isinstance(p, list):
        return Fraction(p[int(y)])
    return Fraction(p) if y else 1 - Fraction(p)


def loss(charged: Any, p: Any, y: Any) -> Span:
    """Return the loss of a prediction: a number, or a distribution.

    Examples
    --------
    >>> from littlestone.verifying.proofs._spans import loss
    >>> loss("square", 0.5, 1.0).low, loss("brier", [0.5, 0.25, 0.25], 0).low
    (Fraction(1, 4), Fraction(3, 8))
    """
    kind = kind_of(charged)
    if kind == "log":
        ln = logarithm(_above_zero(chance(p, y)))
        return Span(-ln.high, -ln.low)
    if isinstance(p, list):
        misses = (Fraction(part) - (k == y) for k, part in enumerate(p))
        return Span.of(sum((miss**2 for miss in misses), Fraction(0)))
    miss = Fraction(p) - Fraction(y)
    if kind == "pinball":
        tau = Fraction(charged.tau)
        return Span.of(-miss * tau if miss <= 0 else miss * (1 - tau))
    if kind == "percentage":
        return Span.of(abs(miss)).over(abs(Fraction(y)))
    return Span.of(
        {
            "zero-one": Fraction(miss != 0),
            "absolute": abs(miss),
            "square": miss**2,
            "brier": 2 * miss**2,
        }[kind]
    )


def slope(charged: Any, p: Any, y: Any, f: Any) -> Span:
    """Return the slope of the loss at p, times the prediction f.

    Examples
    --------
    >>> from littlestone.verifying.proofs._spans import slope
    >>> slope("square", 3.0, 1.0, 10.0).low, slope("absolute", 3.0, 3.0, 10.0).low
    (Fraction(40, 1), Fraction(0, 1))
    """
    kind = kind_of(charged)
    if kind == "log":
        said = Fraction(f[int(y)]) if isinstance(p, list) else Fraction(f)
        rises = not isinstance(p, list) and not y
        return Span.of(said if rises else -said).over(_above_zero(chance(p, y)))
    if isinstance(p, list):
        terms = (
            2 * (Fraction(part) - (k == y)) * Fraction(f[k]) for k, part in enumerate(p)
        )
        return Span.of(sum(terms, Fraction(0)))
    said, miss = Fraction(f), Fraction(p) - Fraction(y)
    sign = (miss > 0) - (miss < 0)
    if kind == "percentage":
        return Span.of(sign * said).over(abs(Fraction(y)))
    if kind == "pinball":
        return Span.of((Fraction(miss > 0) - Fraction(charged.tau)) * said)
    steep = {"absolute": Fraction(sign), "square": 2 * miss, "brier": 4 * miss}[kind]
    return Span.of(steep * said)


def _above_zero(number: Fraction) -> Fraction:
    if not number > 0:
        raise Unsound("every loss must be finite, got the logarithm of 0")
    return number
