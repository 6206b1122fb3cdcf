"""Thresholds of columns of numbers: the literals `age>=30` and `age>=50`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.streams._labels import NUMBER

__all__ = ["Thresholds", "as_text", "thresholds_of"]


class Thresholds:
    """The thresholds of one column, as they are written.

    Numbers are compared as they are written, since rounding could make a number reach a
    threshold that it is just below.

    Examples
    --------
    >>> from littlestone.streams._thresholds import Thresholds
    >>> ages = Thresholds(["30", "50"])
    >>> ages.reached("41.5"), ages.reached("forty")
    (['>=30'], None)
    """

    def __init__(self, written: Iterable[str]) -> None:
        self._bounds = [(float(each), each) for each in written]

    def reached(self, text: str) -> list[str] | None:
        """Return `>=` and each threshold that a number reaches; None if it is none."""
        if not _is_number(text):
            return None
        number = float(text)
        return [
            f">={written}"
            for bound, written in self._bounds
            # Rounding never swaps two numbers, but may make them equal.
            if number > bound or (number == bound and Decimal(text) >= Decimal(written))
        ]

    @property
    def literals(self) -> list[str]:
        """`>=` and each threshold."""
        return [f">={written}" for _, written in self._bounds]


def thresholds_of(owner: str, given: Any) -> dict[Any, Thresholds]:
    """Return the thresholds of each column."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"thresholds must be a mapping from column to numbers, got {given!r}",
            owner=owner,
        )
    made = {}
    for column, one_or_more in given.items():
        several = isinstance(one_or_more, Iterable)
        try:
            written = [
                _threshold(each) for each in (one_or_more if several else [one_or_more])
            ]
        except (TypeError, ValueError):
            written = []
        if not written or len(set(map(Decimal, written))) < len(written):
            raise ParameterError(
                "the thresholds of a column must be one or more finite numbers without "
                f"duplicates, got {one_or_more!r} for {column!r}",
                owner=owner,
            )
        made[column] = Thresholds(written)
    return made


def as_text(cell: Any) -> str | None:
    """Return a cell as text, or None if it is missing.

    A whole number is written without a decimal point. Raises TypeError or ValueError if
    the cell is not a text, a finite number or a truth value.
    """
    if isinstance(cell, str):
        return str.__str__(cell)  # the text itself, even of a member of an Enum
    if cell is None or type(cell).__name__ == "NAType":  # pandas.NA, without pandas
        return None
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell))
    if isinstance(cell, (int, np.integer)):
        return str(int(cell))
    if isinstance(cell, (float, np.floating, Decimal)):
        if math.isnan(cell):
            return None
        if math.isinf(cell):
            raise ValueError
        return str(int(cell)) if cell == int(cell) else str(cell)
    raise TypeError


def _threshold(number: Any) -> str:
    text = None if isinstance(number, (str, bool, np.bool_)) else as_text(number)
    if text is None:
        raise TypeError
    return text


def _is_number(text: str) -> bool:
    """Return whether a text is a decimal number that can be compared."""
    if NUMBER.fullmatch(text) is None:
        return False
    try:
        return "e" not in text.lower() or Decimal(text).is_finite()
    except InvalidOperation:  # an exponent of twenty digits
        return False
