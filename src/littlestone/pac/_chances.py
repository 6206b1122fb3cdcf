"""Chances: read from what users give, and written for them."""

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
    # Theorems know no numbers but Python's own.
    return value if isinstance(value, (float, Fraction)) else float(value)


def complement(delta: float) -> str:
    """Write 1 - delta as people do, whatever floats make of it."""
    if isinstance(delta, Fraction):
        return str(1 - delta)
    return str(1 - Decimal(str(delta)))


def round_up(number: float, digits: int = 4) -> str:
    """Write a number to a few digits that are never less than it is."""
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(number)
    return f"{float(rounded):.{digits}g}"


def round_down(number: float) -> str:
    """Write a number from 0 on to a few digits that are never more than it is."""
    return round_up(-number).removeprefix("-")
