"""Categories as literals: a feature for each column and value, true or false."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import (
    ExampleError,
    FeatureError,
    ParameterError,
)
from littlestone.learner import objects
from littlestone.rows import is_mappings
from littlestone.streams._base import Block, Mappings, Shifted, Stream, examples
from littlestone.streams._joined import JoinedStream
from littlestone.streams._labels import NUMBER
from littlestone.streams.cells import CellsStream

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from littlestone.rows import Example

__all__ = ["onehot"]

_ROWS_A_BLOCK = 4096
_KEPT = frozenset({str, int, float, bool})  # cells whose literals are remembered
_MOST_KEPT = 1 << 14  # by column: a number need never come twice
_SHOWN = 80
_MISSING = "?"


def onehot(
    stream: Stream | Iterable[tuple[Mapping[Any, Any], Any]] | Any,
    y: Any = None,
    *,
    thresholds: Mapping[Any, float | Iterable[float]] | None = None,
    missing: Literal["literal", "refuse"] = "literal",
    missing_values: str | Collection[str | float] = ("", "?"),
    columns: str | int | Sequence[str | int] | None = None,
) -> OnehotStream:
    """Turn columns of categories into named literals, such as `odor=foul`.

    An example then names the literals that are true, each with the value 1.0, in the
    order of its columns. The literal of a cell is its column, `=` and its text; a
    column that is known by its number, such as 4, is called `x4`. Text is taken as it
    is written. A number is written as Python does, but a whole one without a point: 3
    and 3.0 are both `a=3`. Truth values are `a=True` and `a=False`.

    A literal stands for one column and one value. Where two would share a name, such
    as the value `b=c` of column `a` and the value `c` of column `a=b`, the example is
    refused.

    Parameters
    ----------
    stream
        A stream of mappings from column to cell, such as `streams.cells`; any iterable
        of such `(x, y)`; or, with `y`, a pandas or polars frame or a list of mappings.
        A cell is a text, a number or a truth value.
    y
        One label a row, where `stream` holds no labels.
    thresholds
        Numbers for columns that hold numbers: `{"age": [30, 50]}` gives `age>=30` and
        `age>=50` instead of a literal for each age. Cells may be decimal numbers
        written as text. All numbers are compared as they are written.
    missing
        `"literal"` gives a missing cell a literal of its own, such as `age=?`, and
        makes its thresholds false; `"refuse"` refuses the example.
    missing_values
        The texts and numbers that mean that a cell is missing. The empty text, None
        and NaN always do.
    columns
        The columns to use, in this order; all if not given. A column that is named
        here or has thresholds, and that a mapping leaves out, is missing there; others
        that it leaves out have no literal. A file or a frame must have them.

    Examples
    --------
    >>> from littlestone import streams
    >>> staff = [({"job": "cook", "age": 41}, True), ({"job": "?", "age": "29"}, False)]
    >>> stream = streams.onehot(staff, thresholds={"age": [30, 50]})
    >>> list(stream)
    [({'job=cook': 1.0, 'age>=30': 1.0}, True), ({'job=?': 1.0}, False)]
    >>> stream.literals()
    ('job=cook', 'age>=30', 'job=?')
    """
    return OnehotStream(
        stream,
        y,
        thresholds=thresholds,
        missing=missing,
        missing_values=missing_values,
        columns=columns,
    )


class OnehotStream(Stream):
    """A stream whose features are literals; made by `streams.onehot`."""

    of_mappings = True

    def __init__(
        self,
        stream: Any,
        y: Any,
        *,
        thresholds: Mapping[Any, float | Iterable[float]] | None,
        missing: str,
        missing_values: str | Collection[str | float],
        columns: str | int | Sequence[str | int] | None,
    ) -> None:
        if missing not in ("literal", "refuse"):
            raise ParameterError(
                f"onehot: missing must be 'literal' or 'refuse', got {missing!r}"
            )
        self._refuses = missing == "refuse"
        self._columns = _as_columns(columns)
        self._thresholds = _as_thresholds(thresholds, self._columns)
        self._missing = _as_missing(missing_values)
        self._stream = stream
        self._labels: list[Any] | None = None
        self._is_frame = hasattr(stream, "columns") and hasattr(stream, "to_numpy")
        if self._is_frame or y is not None:
            self._labels = self._as_labels(y)
        else:
            self.outcome = getattr(stream, "outcome", None)
        if self._is_frame:
            names = _as_names(stream.columns)
            self._check_named(names)
            self._names = self._columns or names
        elif getattr(stream, "of_advice", False):
            raise ParameterError(
                "onehot: a stream must have columns of categories, got the advice of "
                f"experts: {stream!r}"
            )

    def __repr__(self) -> str:
        if self._labels is None:
            return f"onehot({self._stream!r})"
        return f"onehot({type(self._stream).__name__} of {len(self._labels)} rows)"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once: as the stream it is made from."""
        if isinstance(self._stream, Stream):
            return self._stream.repeatable
        return not isinstance(self._stream, Iterator)

    @property
    def skipped(self) -> int:
        """How many records the latest reading left out, where the stream has any."""
        return getattr(self._stream, "skipped", 0)

    @property
    def extent(self) -> int | None:
        """How much there is to read: as of the stream it is made from."""
        return self._stream.extent if isinstance(self._stream, Stream) else None

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        literals = _Literals(
            self._columns, self._thresholds, self._missing, refuses=self._refuses
        )
        of_files = isinstance(self._stream, (CellsStream, JoinedStream))
        for block in self._raw_blocks():
            rows: list[Any] = []
            refused: ExampleError | None = None
            if of_files:  # all records of a file, and so of a block, have the same
                self._check_named(block.rows.row(block.first))
            try:
                for row in range(block.first, block.last):
                    rows.append(literals.of(block.rows.row(row)))  # noqa: PERF401 - those before a refusal are kept
            except ExampleError as error:
                refused = error
                refused.where = block.where(block.first + len(rows))
            if rows:
                labels = block.labels[block.first : block.first + len(rows)]
                where = Shifted(block)
                yield Block(Mappings(rows), labels, 0, len(rows), where, block.done)
            if refused is not None:
                raise refused

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, as mappings from true literals to 1.0."""
        return examples(self.blocks())

    def literals(self) -> tuple[str, ...]:
        """Read the stream once, and return its literals in the order they are met.

        Learners take them as `features`. A threshold that no example reaches is none.
        """
        if not self.repeatable:
            raise ParameterError(
                "onehot: a stream must be readable again to list its literals first, "
                f"got one that is not: {self._stream!r}"
            )
        met: dict[str, None] = {}
        for block in self.blocks():
            for row in range(block.last):
                met |= dict.fromkeys(block.rows.row(row))
        return tuple(met)

    def _raw_blocks(self) -> Iterator[Block]:
        if isinstance(self._stream, Stream):
            yield from self._stream.blocks()
        elif self._is_frame:
            yield from self._frame_blocks()
        elif self._labels is not None:
            yield from _blocks_of_one(
                zip(self._stream, self._labels, strict=True), "row {}"
            )
        else:
            yield from _blocks_of_one(self._stream, "example {}")

    def _frame_blocks(self) -> Iterator[Block]:
        frame, labels = self._stream, objects(self._labels or [])
        for first in range(0, len(frame), _ROWS_A_BLOCK):
            last = min(len(frame), first + _ROWS_A_BLOCK)
            some = (
                frame.iloc[first:last] if hasattr(frame, "iloc") else frame[first:last]
            )
            cells = [some[name].to_list() for name in self._names]
            rows = [
                dict(zip(self._names, row, strict=True))
                for row in zip(*cells, strict=True)
            ]
            yield Block(
                Mappings(rows),
                labels[first:last],
                0,
                last - first,
                partial(_row, first),
                last / len(frame),
            )

    def _as_labels(self, y: Any) -> list[Any]:
        X = self._stream
        if isinstance(X, Stream) or not (self._is_frame or is_mappings(X) or X == []):
            raise ParameterError(
                "onehot: y must be left out where the stream holds labels, "
                f"got {type(y).__name__}"
            )
        if y is None:
            raise ParameterError("onehot: a frame must come with its labels, y")
        labels = y.tolist() if hasattr(y, "tolist") else list(y)
        if len(labels) != len(X):
            raise ParameterError(
                f"onehot: y must hold one label for each of {len(X)} rows, "
                f"got {len(labels)}"
            )
        return labels

    def _check_named(self, there: Iterable[str | int]) -> None:
        """Refuse to read a table without the columns that were asked for."""
        there = list(there)
        for column in (*(self._columns or ()), *self._thresholds):
            if column not in there:
                shown = ", ".join(map(repr, there))[:_SHOWN]
                raise ParameterError(
                    f"onehot: the column {column!r} must be there, got {shown}"
                )


class _Literals:
    """Turns examples into their true literals, and remembers whose they are."""

    def __init__(
        self,
        columns: tuple[str | int, ...] | None,
        thresholds: Mapping[str | int, tuple[str, ...]],
        missing: frozenset[str],
        *,
        refuses: bool,
    ) -> None:
        self._columns, self._thresholds = columns, thresholds
        self._missing, self._refuses = missing, refuses
        # By column the literals of cells that have come before, to be quick.
        self._known: dict[str | int, dict[Any, tuple[str, ...]]] = {}
        # The column and the value that a literal stands for, None if it is missing.
        self._owners: dict[str, tuple[str | int, str | None]] = {}
        # By column the thresholds: rounded, as they are written, and their literals.
        self._numbers = {
            column: [
                (float(least), least, self._own(column, ">=" + least, ">=" + least))
                for least in numbers
            ]
            for column, numbers in thresholds.items()
        }

    def of(self, x: Any) -> dict[str, float]:
        """Return the true literals of one example, each with the value 1.0."""
        if not isinstance(x, Mapping):
            raise ExampleError(
                "onehot: an example must be a mapping from column to cell, "
                f"got {type(x).__name__}"
            )
        names: list[str] = []
        for column, cell in self._cells(x):
            known = self._known.get(column)
            if known is None:
                known = self._known[_as_column(column)] = {}
            kind = type(cell)
            # 1 and True are equal, but not the same category.
            key = cell if kind is str else (kind, cell)
            found = known.get(key) if kind in _KEPT else None
            if found is None:
                found = self._read(column, cell)
                if kind in _KEPT:
                    if len(known) >= _MOST_KEPT:
                        known.clear()
                    known[key] = found
            names += found
        return dict.fromkeys(names, 1.0)

    def _cells(self, x: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
        if self._columns is not None:
            return [(column, x.get(column)) for column in self._columns]
        absent = [column for column in self._thresholds if column not in x]
        return [*x.items(), *dict.fromkeys(absent).items()] if absent else x.items()

    def _read(self, column: str | int, cell: Any) -> tuple[str, ...]:
        try:
            text = _written(cell)
        except (TypeError, ValueError):
            must = "a text, a finite number or a truth value"
            raise _refusal(column, f"must hold {must}", cell) from None
        if not text or text in self._missing:
            if self._refuses:
                hint = "; missing='literal' would give that a literal of its own"
                raise _refusal(column, "must not be missing", cell, hint)
            return (self._own(column, "=" + _MISSING, None),)
        numbers = self._numbers.get(column)
        if numbers is None:
            return (self._own(column, "=" + text, text),)
        if isinstance(cell, (bool, np.bool_)) or not _is_number(text):
            raise _refusal(column, "has thresholds and must hold a number", cell)
        number = float(text)
        return tuple(
            literal
            for bound, least, literal in numbers
            # Rounding never turns the order around, but may make equals.
            if number > bound or (number == bound and Decimal(text) >= Decimal(least))
        )

    def _own(self, column: str | int, ending: str, value: str | None) -> str:
        """Return the name of a literal, which must stand for nothing else."""
        name = _prefix(column) + ending
        owner = self._owners.setdefault(name, (column, value))
        if owner != (column, value):
            error = FeatureError(
                f"onehot: a literal must stand for one column and value, got {name!r} "
                f"for {_pair(owner)} and {_pair((column, value))}"
            )
            error.feature, error.value = column, value
            raise error
        return name


def _blocks_of_one(pairs: Iterable[tuple[Any, Any]], where: str) -> Iterator[Block]:
    """Yield blocks of one example: the next may depend on what was learned."""
    for number, (x, y) in enumerate(pairs):
        yield Block(
            Mappings([x]), objects([y]), 0, 1, partial(_numbered, where, number)
        )


def _prefix(column: str | int) -> str:
    """Return how a column is called in literals."""
    return column if isinstance(column, str) else f"x{column}"


def _pair(owner: tuple[str | int, str | None]) -> str:
    column, value = owner
    if value is None:
        return f"a missing cell of column {column!r}"
    return f"{value[:_SHOWN]!r} of column {column!r}"


def _row(first: int, row: int) -> str:
    return f"row {first + row}"


def _numbered(where: str, number: int, _: int) -> str:
    return where.format(number)


def _refusal(column: str | int, must: str, cell: Any, hint: str = "") -> FeatureError:
    shown = repr(cell)
    if len(shown) > _SHOWN:
        shown = shown[:_SHOWN] + "…"
    error = FeatureError(f"onehot: column {column!r} {must}, got {shown}{hint}")
    error.feature, error.value = column, cell
    return error


# What cells are.


def _written(cell: Any) -> str | None:
    """Return a cell as text, or None if it is missing.

    Raises TypeError or ValueError if it is no text, finite number or truth value.
    """
    if isinstance(cell, str):
        return str.__str__(cell)  # the text itself, also of a member of an Enum
    if cell is None or type(cell).__name__ == "NAType":  # pandas.NA, not imported
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


def _is_number(text: str) -> bool:
    """Tell whether a text is a decimal number that can be compared."""
    if NUMBER.fullmatch(text) is None:
        return False
    try:
        return "e" not in text.lower() or Decimal(text).is_finite()
    except InvalidOperation:  # an exponent of twenty digits
        return False


# What is asked for.


def _as_column(column: Any) -> str | int:
    if isinstance(column, str) or (
        isinstance(column, int) and not isinstance(column, bool) and column >= 0
    ):
        return column
    error = FeatureError(
        f"onehot: a column must be a name or a number from 0, got {column!r}"
    )
    error.feature = column
    raise error


def _as_columns(columns: Any) -> tuple[str | int, ...] | None:
    if columns is None:
        return None
    listed = [columns] if isinstance(columns, (str, int)) else list(columns)
    if not listed or len(set(listed)) < len(listed):
        raise ParameterError(
            f"onehot: columns must be one or more, each once, got {columns!r}"
        )
    return tuple(map(_asked_column, listed))


def _asked_column(column: Any) -> str | int:
    try:
        return _as_column(column)
    except FeatureError as error:
        raise ParameterError(error.what, owner=error.owner) from None


def _as_names(columns: Iterable[Any]) -> tuple[str | int, ...]:
    """Return the columns of a frame."""
    names = tuple(map(_asked_column, columns))
    if not names or len(set(names)) < len(names):
        raise ParameterError(
            "onehot: a frame must have one column or more, each once, got "
            + (", ".join(map(repr, names)) or "none")
        )
    return names


def _as_thresholds(
    thresholds: Any, columns: tuple[str | int, ...] | None
) -> dict[str | int, tuple[str, ...]]:
    """Return the thresholds of each column, as they are written."""
    if thresholds is None:
        return {}
    if not isinstance(thresholds, Mapping):
        raise ParameterError(
            "onehot: thresholds must be a mapping from column to numbers, got "
            f"{thresholds!r}"
        )
    made = {}
    for column, given in thresholds.items():
        if columns is not None and column not in columns:
            raise ParameterError(
                f"onehot: thresholds must be for the columns that are used, got "
                f"{column!r}"
            )
        numbers = given if isinstance(given, Iterable) else [given]
        try:
            written = tuple(map(_as_threshold, numbers))
        except (TypeError, ValueError):
            written = ()
        if not written or len(set(map(Decimal, written))) < len(written):
            raise ParameterError(
                "onehot: thresholds of a column must be one or more finite numbers, "
                f"each once, got {given!r} for {column!r}"
            )
        made[_asked_column(column)] = written
    return made


def _as_threshold(number: Any) -> str:
    text = None if isinstance(number, (str, bool, np.bool_)) else _written(number)
    if text is None:
        raise TypeError
    return text


def _as_missing(values: Any) -> frozenset[str]:
    """Return how it is written that a cell is missing."""
    alone = isinstance(values, str) or not isinstance(values, Iterable)
    try:
        texts = [_written(value) for value in ([values] if alone else values)]
    except (TypeError, ValueError):
        raise ParameterError(
            f"onehot: missing_values must be texts or numbers, got {values!r}"
        ) from None
    return frozenset(text for text in texts if text is not None)
