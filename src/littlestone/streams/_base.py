"""What a stream is: examples one by one, and blocks of them for who can play blocks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.outcome import Outcome
    from littlestone.rows import Example

__all__ = ["Block", "Mappings", "Shifted", "Stream", "examples"]


@dataclass(frozen=True)
class Block:
    """Rows `first` to `last - 1` with their labels, good until the next block comes.

    Attributes
    ----------
    rows, labels
        The rows, borrowed, or the `Advice` of experts, or mappings; and for each a
        truth value, an object where labels may be any, or a float64 where outcomes are
        numbers.
    first, last
        Which of the rows belong to this block.
    where
        Names a row for people: its number, or its file and line.
    done
        The share of the stream that has been read, where that is known.
    """

    rows: Any  # _core.Rows for features, Advice for experts, or Mappings
    labels: NDArray[Any]
    first: int
    last: int
    where: Callable[[int], str]
    done: float | None = None


class Shifted:
    """Names a row of a block as the row of the block it was made from."""

    def __init__(self, block: Block) -> None:
        self._where, self._first = block.where, block.first

    def __call__(self, row: int) -> str:
        return self._where(self._first + row)

    @property
    def tag(self) -> Callable[[int], str] | None:
        """What returns the tag of a row; None where rows have no tags."""
        tag: Callable[[int], str] | None = getattr(self._where, "tag", None)
        return None if tag is None else lambda row: tag(self._first + row)


class Mappings:
    """Rows that are mappings of Python, for streams that no native code reads."""

    def __init__(self, rows: Sequence[Mapping[Any, Any]]) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, row: int) -> Mapping[Any, Any]:
        """Return one row."""
        return self._rows[row]

    def nonzeros(self, row: int) -> int:
        """Return how many entries a row has."""
        return len(self._rows[row])


class Stream(ABC):
    """Examples one after another, from the start again for each iteration."""

    # What its labels are; None where it does not know.
    outcome: Outcome | None = None
    # Whether its examples are what experts advise.
    of_advice: ClassVar[bool] = False
    # Whether its blocks hold mappings, which learners are given one by one.
    of_mappings: ClassVar[bool] = False
    # Whether its examples lie in memory, so that nothing is read again for them.
    in_memory: ClassVar[bool] = False

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once."""
        return True

    @property
    def extent(self) -> int | None:
        """How much there is to read, such as the bytes of a file, where that is known.

        Shares of streams that are joined are told by it.
        """
        return None

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, in order."""


def examples(blocks: Iterable[Block]) -> Iterator[tuple[Example, Any]]:
    """Yield the examples of blocks one by one, as mappings from feature to value."""
    for block in blocks:
        labels = block.labels[block.first : block.last].tolist()
        for row, label in enumerate(labels, block.first):
            yield block.rows.row(row), label
