"""Checks of numbers that theorems share; a number that fails is a PremiseError."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._rounding import Number, exact

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["above_zero", "at_least_zero", "between", "count", "inverse_prior", "whole"]


def at_least_zero(name: str, number: Number) -> Fraction:
    """Return a number as a rational, if it is at least 0.

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
    """Return a number as a rational, if it exceeds 0.

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
    """Return a number as a rational, if it is 1, 2, 3 and so on.

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


def count(name: str, number: Number) -> Fraction:
    """Return a number as a rational, if it is 0, 1, 2 and so on.

    Examples
    --------
    >>> from littlestone.theorems._premises import count
    >>> count("best", 0)
    Fraction(0, 1)
    """
    value = at_least_zero(name, number)
    if value.denominator != 1:
        raise PremiseError(f"{name} must be a whole number, got {number!r}")
    return value


def between(name: str, number: Number) -> Fraction:
    """Return a number as a rational, if it lies between 0 and 1.

    Examples
    --------
    >>> from littlestone.theorems._premises import between
    >>> between("beta", 0.5)
    Fraction(1, 2)
    """
    value = exact(name, number)
    if not 0 < value < 1:
        raise PremiseError(f"{name} must lie between 0 and 1, got {number!r}")
    return value


def inverse_prior(experts: Number | None, prior: Number | None) -> Fraction:
    """Return 1/prior, or the number of experts, which is the same for equal priors.

    Examples
    --------
    >>> from littlestone.theorems._premises import inverse_prior
    >>> inverse_prior(8, None) == inverse_prior(None, 0.125) == 8
    True
    """
    if experts is not None and prior is None:
        return whole("experts", experts)
    if prior is not None and experts is None:
        share = exact("prior", prior)
        if not 0 < share <= 1:
            raise PremiseError(f"prior must lie in (0, 1], got {prior!r}")
        return 1 / share
    raise PremiseError(
        "either experts or prior must be given, and not both, got "
        f"experts={experts!r} and prior={prior!r}"
    )
