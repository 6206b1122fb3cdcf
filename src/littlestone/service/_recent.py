"""The latest open predictions: a label that comes soon needs no look at the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Asked", "Recent", "size_of"]

_MOST = 32 << 20  # bytes


def size_of(body: bytes) -> int:
    """Return about how many bytes an example and what was said take as objects."""
    return 4 * len(body) + 700


class Asked(NamedTuple):
    """A prediction that waits for its label.

    Attributes
    ----------
    seq, at
        The number and the time of its row.
    x
        The example, or the body of its row if it was played natively.
    said
        What was answered; then as JSON.
    size
        About how many bytes all of this takes.
    """

    seq: int
    at: int
    x: Any
    said: Mapping[str, Any] | str
    size: int


class Recent:
    """Open predictions by id; the oldest are dropped for new ones.

    Attributes
    ----------
    kept
        What `Asked` has, by id. Whoever changes it calls `grew`.
    size
        About how many bytes it takes.

    Examples
    --------
    >>> from littlestone.service._recent import Recent
    >>> recent = Recent(most=8)
    >>> recent.add_many({id_: (seq, 0, {}, {}, 4) for seq, id_ in enumerate("abc")})
    >>> recent.find("b"), recent.find("c").seq, sorted(recent.without({"b", "c"}))
    (None, 2, ['b'])
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most, self.size = most, 0
        self.kept: dict[str, tuple[Any, ...]] = {}  # made faster than `Asked`

    def add(self, id_: str, asked: tuple[int, int, Any, Any, int]) -> None:
        """Keep a prediction: what `Asked` has."""
        self.kept[id_] = asked
        self.grew(asked[4])

    def add_many(self, asked: Mapping[str, tuple[int, int, Any, Any, int]]) -> None:
        """Keep predictions by id."""
        self.kept.update(asked)
        self.grew(sum([each[4] for each in asked.values()]))

    def grew(self, size: int) -> None:
        """Note by how many bytes the kept predictions grew."""
        self.size += size
        self._shrink()

    def _shrink(self) -> None:
        """Drop the older half: to find the oldest one takes as long as to find many."""
        if self.size > self._most:
            for id_ in list(self.kept):
                self.drop(id_)
                if 2 * self.size <= self._most:
                    break

    def find(self, id_: str) -> Asked | None:
        """Return an open prediction, if it is kept."""
        found = self.kept.get(id_)
        return None if found is None else Asked(*found)

    def drop(self, id_: str) -> None:
        """Keep a prediction no longer, as when its label has come."""
        found = self.kept.pop(id_, None)
        if found is not None:
            self.size -= found[4]

    def without(self, ids: set[str]) -> set[str]:
        """Return those of some ids that are not kept."""
        return {id_ for id_ in ids if id_ not in self.kept}
