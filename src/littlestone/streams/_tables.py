"""CSV files as tables: which column is what, and blocks of sound records."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.streams._base import Block, Stream, examples
from littlestone.streams._records import Fault, Record, Records, printable
from littlestone.streams._source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Sequence

    from littlestone.rows import Example

__all__ = ["Layout", "MakeBlock", "TableStream", "Where"]

_RECORDS_A_BLOCK = 4096
_TEXT_SHOWN = 200  # how much of a bad line is kept to show
_VALUE_SHOWN = 80


@dataclass(frozen=True)
class Layout:
    """Which columns a record has, and what they are."""

    width: int
    label: int
    columns: tuple[int, ...]
    names: tuple[str, ...] | None

    def name(self, column: int) -> str | int:
        """Return the name of a column, or its number where there is no header."""
        return column if self.names is None else self.names[column]


@dataclass(frozen=True)
class Where:
    """Names a row by file and line."""

    name: str
    lines: list[int]

    def __call__(self, row: int) -> str:
        return f"{self.name}:{self.lines[row]}"


# What makes a block of sound records. It returns the block of those before the first
# that it refuses, or of all that it does not, and the error to be raised after that.
MakeBlock: TypeAlias = (
    "Callable[[list[Record], Layout, float | None], "
    "tuple[Block | None, LineError | None]]"
)


class TableStream(Stream):
    """Records of a CSV file with a column for the label and others beside it.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and left out.
    """

    # What it is called, and how the columns beside the label are asked for.
    _owner: str
    _others: str

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | int,
        columns: str | int | Sequence[str | int] | None,
        delimiter: str,
        on_error: str,
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise ParameterError(
                f"{self._owner}: on_error must be 'raise' or 'skip', got {on_error!r}"
            )
        self._source = Source(path)
        self._skips, self._delimiter = on_error == "skip", delimiter
        self._has_header = isinstance(label, str)
        self._label = self._checked("label", label)
        self._columns: list[str | int] | None = None
        if columns is not None:
            listed = [columns] if isinstance(columns, (str, int)) else list(columns)
            self._columns = [self._checked(self._others, column) for column in listed]
            if not listed or len({label, *listed}) <= len(listed):
                raise ParameterError(
                    f"{self._owner}: {self._others} must be one or more, each once and "
                    f"none the label, got {columns!r}"
                )
        self.skipped = 0

    def __repr__(self) -> str:
        return f"{self._owner}({self._source.name!r})"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once; a pipe cannot."""
        return self._source.repeatable

    @property
    def extent(self) -> int | None:
        """How many bytes the file has, where that is known."""
        return self._source.size

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order, then raise what stops the reading."""
        self.skipped = 0
        total = 0
        layout: Layout | None = None
        make_block = self._begin()
        with ExitStack() as stack:
            stack.enter_context(self._source.explained())
            reader = self._source.open()
            stack.callback(reader.close)
            records = Records(reader, self._delimiter)
            while found := records.take(_RECORDS_A_BLOCK):
                if layout is None:
                    layout = self._layout_from(found)
                    if layout is None:
                        continue
                sound, error = self._sound(found, layout)
                block, refused = make_block(sound, layout, records.done)
                if block is not None:
                    total += block.last
                    yield block
                if refused is not None:  # a bad cell comes before what stopped us
                    raise refused
                if error is not None:
                    raise error
        if layout is None and self._has_header:
            raise self._error(
                "the first line must be a header, got nothing", Fault("", 1, "")
            )
        if total == 0:
            raise StreamError(
                "a stream must hold at least one example, got none"
                + (f" ({self.skipped} records skipped)" if self.skipped else ""),
                where=self._source.name,
            )

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, in order."""
        return examples(self.blocks())

    @abstractmethod
    def _begin(self) -> MakeBlock:
        """Begin a reading: return what makes a block of sound records."""

    def _checked(self, name: str, column: object) -> str | int:
        if isinstance(column, str) and self._has_header:
            return column
        if isinstance(column, int) and not isinstance(column, bool) and column >= 0:
            return column
        raise ParameterError(
            f"{self._owner}: {name} must be column numbers from 0, or names if label "
            f"is one, got {column!r}"
        )

    def _error(self, what: str, at: Record | Fault) -> LineError:
        name = self._source.name
        error = LineError(what, where=f"{name}:{at.line}")
        error.path, error.line = name, at.line
        error.text = printable(at.text.rstrip("\r\n"), _TEXT_SHOWN)
        return error

    def _cell_error(
        self, what: str, hint: str, record: Record, column: int, layout: Layout
    ) -> LineError:
        value = printable(record.cells[column], _VALUE_SHOWN)
        error = self._error(f"{what}, got {value!r}{hint}", record)
        error.column, error.value = layout.name(column), value
        return error

    # Which column is what.

    def _layout_from(self, found: list[Record | Fault]) -> Layout | None:
        """Learn it from the header, or else from the first sound record.

        Headers and faults are taken away; None if nothing is left to learn from.
        """
        while found:
            first = found[0]
            if isinstance(first, Record):
                if self._has_header:
                    del found[0]
                return self._layout(first)
            if self._has_header or not self._skips:
                raise self._error(first.what, first)
            self.skipped += 1
            del found[0]
        return None

    def _layout(self, first: Record) -> Layout:
        width = len(first.cells)
        label = self._place(self._label, first)
        if self._columns is None:
            columns = [column for column in range(width) if column != label]
            if not columns:
                raise self._error(
                    "there must be a column beside the label, got only "
                    + self._shown_columns(first),
                    first,
                )
        else:
            columns = [self._place(column, first) for column in self._columns]
        used = [label, *columns]
        if len(set(used)) < len(used):
            raise self._error(
                f"{self._others} must be columns each once and none the label, got "
                + self._shown_columns(first),
                first,
            )
        if not self._has_header:
            return Layout(width, label, tuple(columns), None)
        for column in used:
            if first.cells.count(first.cells[column]) > 1:
                raise self._error(
                    "the header must name each column once, got "
                    f"{printable(first.cells[column], _VALUE_SHOWN)!r} twice",
                    first,
                )
        return Layout(width, label, tuple(columns), tuple(first.cells))

    def _place(self, column: str | int, first: Record) -> int:
        if isinstance(column, int):
            if column < len(first.cells):
                return column
            raise self._error(
                f"the {'header' if self._has_header else 'first record'} must have a "
                f"column {column}, got {self._shown_columns(first)}",
                first,
            )
        if column not in first.cells:
            raise self._error(
                f"the header must name the column {column!r}, got "
                + self._shown_columns(first),
                first,
            )
        return first.cells.index(column)

    def _shown_columns(self, first: Record) -> str:
        if not self._has_header:
            return f"{len(first.cells)} columns"
        return printable(", ".join(map(repr, first.cells)), _TEXT_SHOWN)

    def _sound(
        self, found: list[Record | Fault], layout: Layout
    ) -> tuple[list[Record], LineError | None]:
        """Return the records before the first that is none, and what is wrong there.

        With `on_error="skip"`, all records that are some.
        """
        sound: list[Record] = []
        for item in found:
            if isinstance(item, Fault):
                what = item.what
            elif len(item.cells) == layout.width:
                sound.append(item)
                continue
            else:
                what = (
                    f"a record must have {layout.width} columns, as the "
                    f"{'header' if self._has_header else 'first record'} has, "
                    f"got {len(item.cells)}"
                )
            if not self._skips:
                return sound, self._error(what, item)
            self.skipped += 1
        return sound, None
