"""Probabilities: checked when given, and rounded to the safe side when printed."""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from typing import Any

from littlestone.errors import ParameterError


def as_chances(owner: str, epsilon: float, delta: float) -> dict[str, Any]:
    return {
        "epsilon": as_chance(owner, "epsilon", epsilon),
        "delta": as_chance(owner, "delta", delta),
    }


def as_chance(owner: str, name: str, value: Any) -> Any:
    try:
        sound = 0 < value < 1
    except TypeError:
        sound = False
    if not sound:
        raise ParameterError(
            f"{name} must lie between 0 and 1, got {value!r}", owner=owner
        )
    # Theorems take Python's own numbers only.
    return value if isinstance(value, (float, Fraction)) else float(value)


def complement(delta: float) -> str:
    """Return 1 - delta as text, in decimals: 0.9, not 0.8999999999999999."""
    if isinstance(delta, Fraction):
        return str(1 - delta)
    return str(1 - Decimal(str(delta)))


def round_up(number: float, digits: int = 4) -> str:
    """Return a number as text, with a few digits, rounded up."""
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(number)
    return f"{float(rounded):.{digits}g}"


def round_down(number: float) -> str:
    """Return a number of at least 0 as text, with a few digits, rounded down."""
    return round_up(-number).removeprefix("-")
