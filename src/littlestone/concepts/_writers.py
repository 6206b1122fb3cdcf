"""Concepts in other languages: Python and SQL."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from littlestone.concepts._concept import Feature

__all__ = ["PythonWriter", "SQLWriter", "Writer"]

_CELL = re.compile(r"(.+?)(>=|<=|<|>|=)(.*)", re.DOTALL)
_DECIMAL = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_OPPOSITE = {"=": "<>", ">=": "<", "<=": ">", "<": ">=", ">": "<="}
_MISSING = ("=", "'?'")
# SQLite takes expressions up to a depth of 1000, and each operator is one deeper.
_OPERANDS = 100


class Writer(Protocol):
    """Writes the conditions that concepts are made of."""

    def answer(self, answer: bool) -> str:
        """Write yes or no."""

    def literal(self, feature: Feature, positive: bool) -> str:
        """Write that a feature is true, or that it is false."""

    def both(self, parts: Sequence[str]) -> str:
        """Write that every part holds."""

    def either(self, parts: Sequence[str]) -> str:
        """Write that some part holds."""


class PythonWriter:
    r"""Writes Python; the example is the mapping x.

    Examples
    --------
    >>> from littlestone.concepts._writers import PythonWriter
    >>> PythonWriter().literal("it's", positive=False)
    'not x.get("it\'s", False)'
    """

    def answer(self, answer: bool) -> str:
        """Write yes or no."""
        return str(answer)

    def literal(self, feature: Feature, positive: bool) -> str:
        """Write that a feature is true, or that it is false."""
        return f"{'' if positive else 'not '}x.get({feature!r}, False)"

    def both(self, parts: Sequence[str]) -> str:
        """Write that every part holds."""
        return " and ".join(parts)

    def either(self, parts: Sequence[str]) -> str:
        """Write that some part holds."""
        return " or ".join(parts)


class SQLWriter:
    """Writes SQL conditions that are never null.

    Examples
    --------
    >>> from littlestone.concepts._writers import SQLWriter
    >>> SQLWriter("Conjunction", cells=False).literal("a", positive=True)
    'COALESCE("a", 0) = 1'
    """

    def __init__(self, owner: str, *, cells: bool) -> None:
        self._owner = owner
        self._cells = cells
        self._features: dict[str, Feature] = {}  # by the name of their column

    def answer(self, answer: bool) -> str:
        """Write yes or no."""
        return "TRUE" if answer else "FALSE"

    def literal(self, feature: Feature, positive: bool) -> str:
        """Write that a feature is true, or that it is false."""
        cell = self._cell(feature)
        if cell is None:
            return f"{self.value(feature)} = {int(positive)}"
        column, sign, value = cell
        if (sign, value) == _MISSING:
            asked = "IN" if positive else "NOT IN"
            return f"COALESCE({column} {asked} ('', '?'), {self.answer(positive)})"
        sign = sign if positive else _OPPOSITE[sign]
        return f"COALESCE({column} {sign} {value}, {self.answer(not positive)})"

    def both(self, parts: Sequence[str]) -> str:
        """Write that every part holds."""
        return _balanced(parts, " AND ")

    def either(self, parts: Sequence[str]) -> str:
        """Write that some part holds."""
        return _balanced(parts, " OR ")

    def total(self, parts: Sequence[str]) -> str:
        """Write the sum of the parts."""
        return _balanced(parts, " + ")

    def value(self, feature: Feature) -> str:
        """Write the number that a feature is, 0 where it is null."""
        if self._cell(feature) is not None:
            return f"CASE WHEN {self.literal(feature, positive=True)} THEN 1 ELSE 0 END"
        name = feature if isinstance(feature, str) else f"x{feature}"
        if self._features.setdefault(name, feature) != feature:
            raise ParameterError(
                f"in SQL each feature must have a name of its own, got {name!r} for "
                "a name and a column",
                owner=self._owner,
            )
        return f"COALESCE({self._identifier(name)}, 0)"

    def _cell(self, feature: Feature) -> tuple[str, str, str] | None:
        """Return the column, the sign and the value that a name is made of."""
        if not self._cells or isinstance(feature, int):
            return None
        parts = _CELL.fullmatch(feature)
        if parts is None:
            return None
        column, sign, value = parts.groups()
        if sign == "=":
            return self._identifier(column), sign, self._quoted(value, "'")
        if not _DECIMAL.fullmatch(value):
            raise ParameterError(
                f"with cells=True a number must follow {sign}, got {feature!r}",
                owner=self._owner,
            )
        return self._identifier(column), sign, value

    def _identifier(self, name: str) -> str:
        if not name:
            raise ParameterError(
                "a SQL name must not be empty, got ''", owner=self._owner
            )
        return self._quoted(name, '"')

    def _quoted(self, text: str, quote: str) -> str:
        if "\0" in text:
            raise ParameterError(
                f"SQL has no name or text with a zero byte, got {text!r}",
                owner=self._owner,
            )
        return f"{quote}{text.replace(quote, 2 * quote)}{quote}"


def _balanced(parts: Sequence[str], operator: str) -> str:
    """Join parts, in groups of groups where there are very many."""
    while len(parts) > _OPERANDS:
        starts = range(0, len(parts), _OPERANDS)
        groups = (operator.join(parts[start : start + _OPERANDS]) for start in starts)
        parts = [f"({group})" for group in groups]
    return operator.join(parts)
