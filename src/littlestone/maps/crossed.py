"""Products of chosen features: interactions of columns or namespaces."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any

from littlestone import _core
from littlestone.errors import ParameterError
from littlestone.maps._map import Map

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Crossed"]

_PAIR = 2


@dataclass(frozen=True)
class Crossed(Map):
    """Products of each feature of one group with each of another.

    The group `a` is the feature `a`, and every feature whose name begins with `a=`, as
    those of a column of categories, or with `a^`, as those of a namespace. A column
    number is a group of one. The original features stay, and the product of `a` and `b`
    is `a*b`. Of columns i <= j, counted from 1, it is column 2**31 + j (j + 1) / 2 + i.

    Parameters
    ----------
    pairs
        Pairs of groups; a pair of a group with itself takes each product once.

    Examples
    --------
    >>> from littlestone.maps import Crossed
    >>> crossed = Crossed([("town", "kind")])
    >>> crossed.apply({"town=Ulm": 1.0, "kind=flat": 1.0, "rooms": 3.0})
    {'town=Ulm': 1.0, 'kind=flat': 1.0, 'rooms': 3.0, 'town=Ulm*kind=flat': 1.0}
    """

    pairs: Sequence[tuple[str | int, str | int]]

    def __post_init__(self) -> None:
        given = self.pairs
        sound = isinstance(given, (list, tuple)) and len(given) > 0
        if not sound or not all(map(_is_pair, given)):
            raise ParameterError(
                f"pairs must be pairs of names or column numbers, got {given!r}",
                owner="Crossed",
            )
        pairs = tuple((_plain(left), _plain(right)) for left, right in given)
        if len({frozenset(pair) for pair in pairs}) < len(pairs):
            raise ParameterError(
                f"pairs must differ, got one twice in {given!r}", owner="Crossed"
            )
        object.__setattr__(self, "pairs", pairs)

    def native(self) -> _core.Map:
        """Return a new native map."""
        return _core.crossed_map(list(self.pairs))

    def size(self, features: int) -> int:
        """Return how many features it makes of so many, if no groups overlap."""
        if all(isinstance(each, int) for pair in self.pairs for each in pair):
            return features + len(self.pairs)
        return features * (features + 3) // 2


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, (list, tuple))
        and len(pair) == _PAIR
        and all(isinstance(each, str) or _is_column(each) for each in pair)
    )


def _is_column(each: Any) -> bool:
    if isinstance(each, bool) or not hasattr(each, "__index__"):
        return False
    return 0 <= index(each) < 1 << 32


def _plain(each: Any) -> str | int:
    return str(each) if isinstance(each, str) else index(each)
