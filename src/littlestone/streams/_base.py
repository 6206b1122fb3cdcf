"""What a stream is: examples one by one, or in blocks for native learners."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from littlestone.learner.rows import Example
    from littlestone.outcome import Outcome
    from littlestone.streams._reading import Reading

__all__ = ["Block", "Chosen", "DerivedStream", "Mappings", "Stream", "examples"]


@dataclass(frozen=True)
class Block:
    """Rows `first` to `last - 1` with their labels.

    A block may be kept; its memory is reused only when nothing refers to it any more.

    Attributes
    ----------
    rows, labels
        The rows (borrowed native rows, the `Advice` of experts, or mappings), and for
        each a truth value, any object where labels may be anything, or a float64 where
        outcomes are numbers; together with weights where rows may count more or less
        than once, as `learner.with_weights` makes them.
    first, last
        Which of the rows belong to this block.
    where
        Names a row in messages: by its number, or its file and line.
    done
        The share of the stream that has been read, where that is known.
    """

    rows: Any  # _core.Rows for features, Advice for experts, or Mappings
    labels: NDArray[Any]
    first: int
    last: int
    where: Callable[[int], str]
    done: float | None = None


class Chosen:
    """Names rows that were chosen from a block as the block does."""

    def __init__(self, where: Callable[[int], str], rows: Sequence[int]) -> None:
        self._where, self._rows = where, rows

    def __call__(self, row: int) -> str:
        return self._where(self._rows[row])

    @property
    def tag(self) -> Callable[[int], str] | None:
        """Returns the tag of a row; None if rows have no tags."""
        tag: Callable[[int], str] | None = getattr(self._where, "tag", None)
        return None if tag is None else lambda row: tag(self._rows[row])


class Mappings:
    """Rows that are Python mappings, for streams that are not read natively."""

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
    """Examples one after another, from the start for each iteration."""

    # What its labels are; None if it does not know.
    outcome: Outcome | None = None
    # Whether its examples are forecasts of experts.
    of_advice: ClassVar[bool] = False
    # Whether its blocks hold mappings, which are played one by one.
    of_mappings: ClassVar[bool] = False
    # Whether its examples are in memory, so that iterating again reads nothing.
    in_memory: ClassVar[bool] = False
    # Whether reading was stopped before the end.
    stopped: bool = False
    # The reader that made it, and the options given to it.
    _made_by: tuple[str, Mapping[str, Any]] | None = None
    # What no is called where yes has a name, if it has one name in all that was read.
    _no: str | None = None

    @property
    def reading(self) -> Reading | None:
        """How it is read, so that other files can be; None if it is made otherwise.

        Columns and types that the reader finds out itself are known once it was read.
        """
        if self._made_by is None:
            return None
        from littlestone.streams._reading import read_as  # noqa: PLC0415 - when asked

        return read_as(*self._made_by, self._found(), self._no)

    def _found(self) -> Mapping[str, Any]:
        """Return the options that the latest reading found out itself."""
        return {}

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once."""
        return True

    @property
    def extent(self) -> int | None:
        """How much there is to read, such as the bytes of a file, where that is known.

        Joined streams use it to compute what share of them has been read.
        """
        return None

    @abstractmethod
    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""

    @abstractmethod
    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, in order."""

    def feature_names(self) -> tuple[Any, ...]:
        """Read the stream once, and return its features in the order they appear.

        Some learners take them as `features`.
        """
        if not self.repeatable:
            raise ParameterError(
                f"the stream must be readable more than once, got {self!r}",
                owner="feature_names",
            )
        found: dict[Any, None] = {}
        for block in self.blocks():
            for row in range(block.first, block.last):
                found |= dict.fromkeys(block.rows.row(row))
        return tuple(found)


class DerivedStream(Stream):
    """A stream that is made from another one, or from an iterable."""

    _stream: Any

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once: if its source can."""
        if isinstance(self._stream, Stream):
            return self._stream.repeatable
        return not isinstance(self._stream, Iterator)

    @property
    def skipped(self) -> int:
        """How many lines the source skipped in the latest reading, if it can."""
        return getattr(self._stream, "skipped", 0)

    @property
    def extent(self) -> int | None:
        """How much there is to read, as the source says."""
        return self._stream.extent if isinstance(self._stream, Stream) else None

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, as mappings from feature to value."""
        return examples(self.blocks())


def examples(blocks: Iterable[Block]) -> Iterator[tuple[Example, Any]]:
    """Yield the examples of blocks one by one, as mappings from feature to value."""
    from littlestone.learner import told  # noqa: PLC0415 - it waits for NumPy

    for block in blocks:
        labels = told(block.labels[block.first : block.last])
        for row, label in enumerate(labels, block.first):
            yield block.rows.row(row), label
