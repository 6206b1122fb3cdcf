"""Premises that any theorem may have: what must hold of a number, or a PremiseError."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._rounding import Number, exact

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["above_zero", "at_least_zero", "whole"]


def at_least_zero(name: str, number: Number) -> Fraction:
    """Return the rational that a number is, if it is at least 0.

    Examples
    --------
    >>> from littlestone.theorems._premises import at_least_zero
    >>> at_least_zero("deviation", 0.25)
    Fraction(1, 4)
    """
    value = exact(name, number)
    if value < 0:
        raise PremiseError(f"{name} must be at least 0, got {number!r}")
    return value


def above_zero(name: str, number: Number) -> Fraction:
    """Return the rational that a number is, if it exceeds 0.

    Examples
    --------
    >>> from littlestone.theorems._premises import above_zero
    >>> above_zero("margin", 0.5)
    Fraction(1, 2)
    """
    value = exact(name, number)
    if not value > 0:
        raise PremiseError(f"{name} must exceed 0, got {number!r}")
    return value


def whole(name: str, number: Number) -> Fraction:
    """Return the rational that a number is, if it is 1, 2, 3 and so on.

    Examples
    --------
    >>> from littlestone.theorems._premises import whole
    >>> whole("features", 3)
    Fraction(3, 1)
    """
    value = exact(name, number)
    if value < 1 or value.denominator != 1:
        raise PremiseError(f"{name} must be a whole number above 0, got {number!r}")
    return value
