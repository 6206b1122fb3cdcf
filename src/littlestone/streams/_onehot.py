"""Categories in memory as literals: a feature for each column and value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import (
    ExampleError,
    FeatureError,
    Hint,
    ParameterError,
    did_you_mean,
)
from littlestone.learner import objects
from littlestone.learner.rows import is_mappings
from littlestone.streams._base import Block, Chosen, DerivedStream, Mappings, Stream
from littlestone.streams._options import name_of, one_of
from littlestone.streams._thresholds import Thresholds, as_text, thresholds_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


__all__ = ["onehot"]

_ROWS_A_BLOCK = 4096
_KEPT = frozenset({str, int, float, bool})  # types of cells that are remembered
_MOST_KEPT = 1 << 14  # cells per column, since a number may never come twice
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
    """Turn columns of categories in memory into literals, such as `odor=foul`.

    Files are read in this way by `streams.csv(..., literals=True)`.

    An example contains the literals that are true, each with the value 1.0, in the
    order of its columns. The literal of a cell is its column, `=` and its text; a
    column that has only a number, such as 4, is called `x4`. A number is written as
    Python does, but a whole one without a decimal point: 3 and 3.0 are both `a=3`.
    Truth values are `a=True` and `a=False`.

    A literal means one column and one value. An example is refused if two would
    get the same name, such as the value `b=c` of column `a` and the value `c` of column
    `a=b`.

    Parameters
    ----------
    stream
        A pandas or polars frame or a list of mappings, with `y`; or an iterable of
        `(x, y)` in which x is a mapping from column to cell. A cell is a text, a number
        or a truth value.
    y
        One label per row, if `stream` does not contain labels.
    thresholds
        Thresholds for columns of numbers: `{"age": [30, 50]}` gives `age>=30` and
        `age>=50` instead of a literal for each age. Cells may be decimal numbers
        written as text. Numbers are compared as they are written.
    missing
        `"literal"` gives a missing cell a literal of its own, such as `age=?`, and
        makes its thresholds false; `"refuse"` refuses the example.
    missing_values
        The texts and numbers that mean that a cell is missing. The empty text, None
        and NaN always do.
    columns
        The columns to use, in this order; by default all. A column that is given here
        or has thresholds is missing in a mapping that leaves it out; other columns that
        are left out give no literal. A frame must have all of them.

    Examples
    --------
    >>> from littlestone import streams
    >>> staff = [({"job": "cook", "age": 41}, True), ({"job": "?", "age": "29"}, False)]
    >>> stream = streams.onehot(staff, thresholds={"age": [30, 50]})
    >>> list(stream)
    [({'job=cook': 1.0, 'age>=30': 1.0}, True), ({'job=?': 1.0}, False)]
    >>> stream.feature_names()
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


class OnehotStream(DerivedStream):
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
        one_of("onehot", "missing", missing, ("literal", "refuse"))
        self._refuses = missing == "refuse"
        self._columns = _as_columns(columns)
        self._thresholds = {
            _asked_column(column): bounds
            for column, bounds in thresholds_of("onehot", thresholds).items()
        }
        for column in self._thresholds:
            if self._columns is not None and column not in self._columns:
                raise ParameterError(
                    f"thresholds must be for columns that are used, got {column!r}",
                    owner="onehot",
                )
        self._missing = _as_missing(missing_values)
        self._stream = stream
        self._labels: list[Any] | None = None
        self._is_frame = hasattr(stream, "columns") and hasattr(stream, "to_numpy")
        if self._is_frame or y is not None:
            self._labels = self._as_labels(y)
        else:
            self.outcome = getattr(stream, "outcome", None)
        if self._is_frame:
            self._names = self._columns or _as_names(stream.columns)
            self._check_frame(_as_names(stream.columns))
        elif getattr(stream, "of_advice", False):
            raise ParameterError(
                "a stream must have columns of categories, got forecasts of "
                f"experts: {stream!r}",
                owner="onehot",
            )

    def __repr__(self) -> str:
        if self._labels is None:
            return f"onehot({self._stream!r})"
        return f"onehot({type(self._stream).__name__} of {len(self._labels)} rows)"

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        literals = _Literals(
            self._columns, self._thresholds, self._missing, refuses=self._refuses
        )
        for block in self._raw_blocks():
            rows: list[Any] = []
            refused: ExampleError | None = None
            try:
                for row in range(block.first, block.last):
                    rows.append(literals.of(block.rows.row(row)))  # noqa: PERF401 - those before a refusal are kept
            except ExampleError as error:
                refused = error
                refused.where = block.where(block.first + len(rows))
            if rows:
                last = block.first + len(rows)
                labels = block.labels[block.first : last]
                where = Chosen(block.where, range(block.first, last))
                yield Block(Mappings(rows), labels, 0, len(rows), where, block.done)
            if refused is not None:
                raise refused

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
                "y must be left out if the stream contains labels, "
                f"got {type(y).__name__}",
                owner="onehot",
            )
        if y is None:
            raise ParameterError(
                "a frame needs its labels as y, got none", owner="onehot"
            )
        labels = y.tolist() if hasattr(y, "tolist") else list(y)
        if len(labels) != len(X):
            raise ParameterError(
                f"y must hold one label for each of {len(X)} rows, got {len(labels)}",
                owner="onehot",
            )
        return labels

    def _check_frame(self, names: Sequence[str | int]) -> None:
        """Refuse a frame without the columns that were asked for."""
        for column in (*(self._columns or ()), *self._thresholds):
            if column not in names:
                shown = ", ".join(map(repr, names))[:_SHOWN]
                raise ParameterError(
                    f"the frame must have a column {column!r}, got {shown}"
                    + did_you_mean(column, names),
                    owner="onehot",
                )


class _Literals:
    """Turns examples into their true literals, and remembers what each means."""

    def __init__(
        self,
        columns: tuple[str | int, ...] | None,
        thresholds: Mapping[str | int, Thresholds],
        missing: frozenset[str],
        *,
        refuses: bool,
    ) -> None:
        self._columns, self._thresholds = columns, thresholds
        self._missing, self._refuses = missing, refuses
        # By column the literals of cells that came before, for speed.
        self._known: dict[str | int, dict[Any, list[str]]] = {}
        # The column and the value that a literal means; None for a missing cell.
        self._owners: dict[str, tuple[str | int, str | None]] = {}
        for column, bounds in thresholds.items():
            for literal in bounds.literals:
                self._own(column, literal, literal)

    def of(self, x: Any) -> dict[str, float]:
        """Return the true literals of one example, each with the value 1.0."""
        if not isinstance(x, Mapping):
            raise ExampleError(
                "an example must be a mapping from column to cell, "
                f"got {type(x).__name__}",
                owner="onehot",
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

    def _read(self, column: str | int, cell: Any) -> list[str]:
        try:
            text = as_text(cell)
        except (TypeError, ValueError):
            must = "a text, a finite number or a truth value"
            raise _refusal(column, f"must contain {must}", cell) from None
        if not text or text in self._missing:
            if self._refuses:
                hint = Hint("missing", "literal", "gives it a literal of its own")
                raise _refusal(column, "must have no missing cell", cell, hint)
            return [self._own(column, "=" + _MISSING, None)]
        bounds = self._thresholds.get(column)
        if bounds is None:
            return [self._own(column, "=" + text, text)]
        is_truth = isinstance(cell, (bool, np.bool_))
        reached = None if is_truth else bounds.reached(text)
        if reached is None:
            must = "has thresholds and must contain numbers"
            raise _refusal(column, must, cell)
        return [name_of(column) + literal for literal in reached]

    def _own(self, column: str | int, ending: str, value: str | None) -> str:
        """Return the name of a literal, which must mean nothing else."""
        name = name_of(column) + ending
        owner = self._owners.setdefault(name, (column, value))
        if owner != (column, value):
            error = FeatureError(
                f"a literal must mean one column and value, got {name!r} "
                f"for {_pair(owner)} and {_pair((column, value))}",
                owner="onehot",
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


def _pair(owner: tuple[str | int, str | None]) -> str:
    column, value = owner
    if value is None:
        return f"a missing cell of column {column!r}"
    return f"{value[:_SHOWN]!r} of column {column!r}"


def _row(first: int, row: int) -> str:
    return f"row {first + row}"


def _numbered(where: str, number: int, _: int) -> str:
    return where.format(number)


def _refusal(column: str | int, must: str, cell: Any, *hints: Hint) -> FeatureError:
    shown = repr(cell)
    if len(shown) > _SHOWN:
        shown = shown[:_SHOWN] + "…"
    what = f"column {column!r} {must}, got {shown}"
    error = FeatureError(what, owner="onehot", hints=hints)
    error.feature, error.value = column, cell
    return error


# The options --------------------------------------------------------------------------


def _as_column(column: Any) -> str | int:
    if isinstance(column, str) or (
        isinstance(column, int) and not isinstance(column, bool) and column >= 0
    ):
        return column
    error = FeatureError(
        f"a column must be a name or a number from 0, got {column!r}",
        owner="onehot",
    )
    error.feature = column
    raise error


def _asked_column(column: Any) -> str | int:
    try:
        return _as_column(column)
    except FeatureError as error:
        raise ParameterError(error.what, owner=error.owner) from None


def _as_columns(columns: Any) -> tuple[str | int, ...] | None:
    if columns is None:
        return None
    listed = [columns] if isinstance(columns, (str, int)) else list(columns)
    if not listed or len(set(listed)) < len(listed):
        raise ParameterError(
            f"columns must be one or more without duplicates, got {columns!r}",
            owner="onehot",
        )
    return tuple(map(_asked_column, listed))


def _as_names(columns: Iterable[Any]) -> tuple[str | int, ...]:
    """Return the columns of a frame."""
    names = tuple(map(_asked_column, columns))
    if not names or len(set(names)) < len(names):
        shown = ", ".join(map(repr, names)) or "none"
        raise ParameterError(
            f"a frame must have one or more columns without duplicates, got {shown}",
            owner="onehot",
        )
    return names


def _as_missing(values: Any) -> frozenset[str]:
    """Return the texts that mean that a cell is missing."""
    alone = isinstance(values, str) or not isinstance(values, Iterable)
    try:
        texts = [as_text(value) for value in ([values] if alone else values)]
    except (TypeError, ValueError):
        raise ParameterError(
            f"missing_values must be texts or numbers, got {values!r}",
            owner="onehot",
        ) from None
    return frozenset(text for text in texts if text is not None)
