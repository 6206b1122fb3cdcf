"""Rounding to the safe side: rationals at or above the real number."""

from __future__ import annotations

import math
import sys
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from littlestone.errors import PremiseError

__all__ = [
    "Number",
    "ceil_log",
    "exact",
    "exp_bounds",
    "float_down",
    "float_up",
    "floor_lg",
    "ln_bounds",
    "sqrt_up",
]

Number: TypeAlias = int | float | Fraction

_DIGITS = 60
_DEEP = Fraction(-(10**6))
_LONGEST_POWER = 10**6  # bits; a longer one takes too long to compute


def exact(name: str, number: Number) -> Fraction:
    """Return a plain number as a rational; every finite float is one.

    Examples
    --------
    >>> from littlestone.theorems._rounding import exact
    >>> exact("margin", 0.5)
    Fraction(1, 2)
    """
    # A whole number of NumPy would stay one inside, and overflow.
    plain = number.item() if hasattr(number, "item") else number
    try:
        return Fraction(plain)
    except (TypeError, ValueError, OverflowError):
        raise PremiseError(f"{name} must be a finite number, got {number!r}") from None


def float_up(number: Fraction) -> float:
    """Return the smallest float that is at least `number`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import float_up
    >>> float_up(Fraction(1, 10)) >= Fraction(1, 10)
    True
    """
    try:
        nearest = number.numerator / number.denominator
    except OverflowError:
        return math.inf if number > 0 else -sys.float_info.max
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)


def float_down(number: Fraction) -> float:
    """Return the largest float that is at most `number`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import float_down
    >>> float_down(Fraction(1, 10)) <= Fraction(1, 10)
    True
    """
    return 0.0 - float_up(-number)  # never -0.0


def sqrt_up(number: Fraction) -> Fraction:
    """Return a rational at or just above the square root.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import sqrt_up
    >>> sqrt_up(Fraction(9, 4))
    Fraction(3, 2)
    """
    top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
    if top * top == number.numerator and bottom * bottom == number.denominator:
        return Fraction(top, bottom)
    # sqrt(p/q) = sqrt(p q 4^k) / (q 2^k), and isqrt(m) + 1 exceeds sqrt(m).
    scaled = number.numerator * number.denominator << 2 * 200
    return Fraction(math.isqrt(scaled) + 1, number.denominator << 200)


# Bounds along a run take the logarithms of the same few numbers again and again.
@lru_cache(maxsize=1024)
def ln_bounds(number: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above the natural logarithm of a number above 0.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import ln_bounds
    >>> ln_bounds(Fraction(1))
    (Fraction(0, 1), Fraction(0, 1))
    """
    if number == 1:
        return Fraction(0), Fraction(0)
    # Context.ln is correctly rounded: the error is below one unit in the last digit.
    context = Context(prec=_DIGITS)
    top = Fraction(context.ln(Decimal(number.numerator)))
    bottom = Fraction(context.ln(Decimal(number.denominator)))
    slack = (abs(top) + abs(bottom)) / Fraction(10) ** (_DIGITS - 2)
    return top - bottom - slack, top - bottom + slack


def exp_bounds(number: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals below and above the exponential of a number at most 0.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import exp_bounds
    >>> low, high = exp_bounds(Fraction(-1))
    >>> round(float(low), 6), low < high
    (0.367879, True)
    """
    if number == 0:
        return Fraction(1), Fraction(1)
    if number < _DEEP:  # so small that Decimal would underflow
        return Fraction(0), exp_bounds(_DEEP)[1]
    # Context.exp is correctly rounded: the error is less than one unit in the last
    # digit, as is that of its argument, which is rounded outward.
    top, bottom = Decimal(number.numerator), Decimal(number.denominator)
    down = Context(prec=_DIGITS, rounding=ROUND_FLOOR)
    up = Context(prec=_DIGITS, rounding=ROUND_CEILING)
    slack = 1 / Fraction(10) ** (_DIGITS - 2)
    low = Fraction(down.exp(down.divide(top, bottom)))
    high = Fraction(up.exp(up.divide(top, bottom)))
    return low * (1 - slack), high * (1 + slack)


def floor_lg(number: Fraction) -> int:
    """Return the largest whole j >= 0 with 2**j <= number, for a number of at least 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import floor_lg
    >>> floor_lg(Fraction(9))
    3
    """
    return math.floor(number).bit_length() - 1


def ceil_log(base: Fraction, number: Fraction) -> int:
    """Return the smallest whole j >= 0 with base**j >= number, for a base above 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._rounding import ceil_log
    >>> ceil_log(Fraction(2), Fraction(9))
    4
    """
    if number <= 1:
        return 0
    (low, high), (least, most) = ln_bounds(number), ln_bounds(base)
    if least <= 0:
        raise PremiseError("a base must exceed 1 by more than 1e-50, got one nearer")
    j, sure = math.ceil(low / most), math.ceil(high / least)
    # Logarithms tell j, except where base**j is number or very near to it.
    short = j * max(base.as_integer_ratio()).bit_length() < _LONGEST_POWER
    return j if j == sure or (short and base**j >= number) else sure
