"""Options that several formats share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["column_of", "columns_of", "name_of", "names_of", "one_of"]


def one_of(owner: str, name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is not one of those allowed."""
    if value not in allowed:
        *others, last = (repr(way) for way in allowed)
        listed = f"{', '.join(others)} or {last}" if others else last
        raise ParameterError(f"{name} must be {listed}, got {value!r}", owner=owner)


def names_of(owner: str, name: str, given: str | Sequence[str]) -> list[str]:
    """Return one name or several as a list."""
    listed = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(one, str) and one for one in listed):
        raise ParameterError(
            f"{name} must be names, none of them empty, got {given!r}", owner=owner
        )
    return listed


def name_of(column: str | int) -> str:
    """Return the name of a column, such as `x4` for one that has only a number."""
    return column if isinstance(column, str) else f"x{column}"


def column_of(owner: str, name: str, column: object, *, named: bool) -> str | int:
    """Return a column given by its number or, if `named`, by its name."""
    if isinstance(column, str) and named:
        return column
    if isinstance(column, int) and not isinstance(column, bool) and column >= 0:
        return column
    raise ParameterError(
        f"{name} must be column numbers from 0, or names if there is a header, got "
        f"{column!r}",
        owner=owner,
    )


def columns_of(
    owner: str, name: str, given: object, *, named: bool, label: object
) -> list[str | int]:
    """Return one column or several as a list; none of them may be the label."""
    several = isinstance(given, Iterable) and not isinstance(given, str)
    listed = list(given) if several else [given]  # type: ignore[call-overload]  # it is
    columns = [column_of(owner, name, column, named=named) for column in listed]
    if not columns or len({label, *columns}) <= len(columns):
        raise ParameterError(
            f"{name} must be one or more columns without duplicates and without the "
            f"label, got {given!r}",
            owner=owner,
        )
    return columns
