"""Options that several formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["names_of", "one_of"]


def one_of(owner: str, name: str, value: object, allowed: tuple[str, ...]) -> None:
    """Refuse what is not one of the ways there are."""
    if value not in allowed:
        *others, last = (repr(way) for way in allowed)
        raise ParameterError(
            f"{owner}: {name} must be {', '.join(others)} or {last}, got {value!r}"
        )


def names_of(owner: str, name: str, given: str | Sequence[str]) -> list[str]:
    """Return the names that were given, one or several."""
    listed = [given] if isinstance(given, str) else list(given)
    if not all(isinstance(one, str) and one for one in listed):
        raise ParameterError(
            f"{owner}: {name} must be names, each of a character or more, got {given!r}"
        )
    return listed
