"""CSV: one round a record, what each expert predicts in a column of its own."""

from __future__ import annotations

import math
import re
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.advice import Advice, check_missing
from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.streams._base import Block, Stream, examples
from littlestone.streams._records import Fault, Record, Records, printable
from littlestone.streams._source import Source

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from littlestone.rows import Example

__all__ = ["csv"]

_RECORDS_A_BLOCK = 4096
_TEXT_SHOWN = 200  # how much of a bad line is kept to show
_VALUE_SHOWN = 80

# Text of these characters is a number for `float` only if it is one for us: without
# others there are no names such as inf, no spaces, underscores or foreign digits.
_OF_NUMBERS = b"0123456789+-.eE"
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MISSING = re.compile(r"([+-]?(nan|inf|infinity))?", re.IGNORECASE | re.ASCII)
# The usual ways to write what is missing, to be told quickly; `_MISSING` tells all.
_USUAL_MISSING = dict.fromkeys(["", "nan", "NaN", "NAN", "inf", "-inf"], math.nan)


def csv(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    experts: str | int | Sequence[str | int] | None = None,
    missing: Literal["refuse", "sleep"] = "refuse",
    delimiter: str = ",",
    outcome: Literal["number", "label"] = "number",
    on_error: Literal["raise", "skip"] = "raise",
) -> CsvStream:
    r"""Stream the advice of experts from a CSV file: one round a record.

    A cell may stand in quotation marks, and a record so reach over several lines.
    Numbers are decimal, such as `-1.5e3`, and correctly rounded; there are no spaces
    around them. Columns that are neither the label nor an expert may hold anything, but
    the text must be UTF-8 without NUL. Blank lines are passed over.

    Plain, gzip and zstd files are told apart by their content. However long the file,
    memory holds a few thousand records.

    Parameters
    ----------
    path
        A file, or "-" for standard input.
    label
        The column of the outcome: its name, and then the first record is a header, or
        its number from 0, and then there is none.
    experts
        The columns of the experts, by name or number; all but the label if not given.
    missing
        What an expert's cell means that is empty, nan or inf: `"refuse"` refuses the
        record, `"sleep"` lets the expert sleep. An outcome is never missing.
    delimiter
        The character between cells.
    outcome
        `"number"` for finite numbers; `"label"` for 1 against 0 or against -1, which
        are read as truth values.
    on_error
        What to do with a record that cannot be read: `"raise"`, or `"skip"` it and
        count it in `skipped`. After quotation marks that do not match, reading goes on
        at the next line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "load.csv"
    >>> _ = path.write_text("day,gam,forest,load\nMonday,51.5,50,52\nTuesday,49,,48\n")
    >>> stream = streams.csv(
    ...     path, label="load", experts=("gam", "forest"), missing="sleep"
    ... )
    >>> list(stream)
    [({'gam': 51.5, 'forest': 50.0}, 52.0), ({'gam': 49.0}, 48.0)]
    """
    return CsvStream(
        path,
        label=label,
        experts=experts,
        missing=missing,
        delimiter=delimiter,
        outcome=outcome,
        on_error=on_error,
    )


class CsvStream(Stream):
    """The advice of experts in a CSV file; made by `streams.csv`.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and left out.
    """

    of_advice = True

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | int,
        experts: str | int | Sequence[str | int] | None,
        missing: str,
        delimiter: str,
        outcome: str,
        on_error: str,
    ) -> None:
        check_missing("csv", missing)
        if outcome not in ("number", "label"):
            raise ParameterError(
                f"csv: outcome must be 'number' or 'label', got {outcome!r}"
            )
        if on_error not in ("raise", "skip"):
            raise ParameterError(
                f"csv: on_error must be 'raise' or 'skip', got {on_error!r}"
            )
        if (
            not isinstance(delimiter, str)
            or len(delimiter) != 1
            or delimiter in '0123456789+-.eE"\r\n\0'
        ):
            raise ParameterError(
                "csv: delimiter must be one character that stands in no number, no "
                f"quotation mark and no line end, got {delimiter!r}"
            )
        self._source = Source(path)
        self._sleeps, self._skips = missing == "sleep", on_error == "skip"
        self._as_labels, self._delimiter = outcome == "label", delimiter
        self._has_header = isinstance(label, str)
        self._label = self._checked("label", label)
        self._experts: list[str | int] | None = None
        if experts is not None:
            listed = [experts] if isinstance(experts, (str, int)) else list(experts)
            self._experts = [self._checked("experts", column) for column in listed]
            if not listed or len({label, *listed}) <= len(listed):
                raise ParameterError(
                    "csv: experts must be one or more, each once and none the label, "
                    f"got {experts!r}"
                )
        self.skipped = 0

    def __repr__(self) -> str:
        return f"csv({self._source.name!r})"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once; a pipe cannot."""
        return self._source.repeatable

    def blocks(self) -> Iterator[Block]:
        """Yield the rounds in blocks, in order, then raise what stops the reading."""
        self.skipped = 0
        total = 0
        layout: _Layout | None = None
        alphabet = _Alphabet()
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
                rounds, error = self._rounds(found, layout)
                if self._as_labels:
                    mixed = alphabet.mixed_at(rounds.outcomes)
                    if mixed is not None:
                        error = self._error(
                            "labels must be 0 and 1 or -1 and +1, never mixed in one "
                            "file",
                            rounds.records[mixed],
                        )
                        rounds = rounds.until(mixed)
                total += len(rounds.records)
                if rounds.records:
                    yield self._block(rounds, layout, records.done)
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
        """Yield the rounds one by one, as mappings from expert to prediction."""
        return examples(self.blocks())

    def _checked(self, name: str, column: object) -> str | int:
        if isinstance(column, str) and self._has_header:
            return column
        if isinstance(column, int) and not isinstance(column, bool) and column >= 0:
            return column
        raise ParameterError(
            f"csv: {name} must be column numbers from 0, or names if label is one, "
            f"got {column!r}"
        )

    def _error(self, what: str, at: Record | Fault) -> LineError:
        name = self._source.name
        error = LineError(what, where=f"{name}:{at.line}")
        error.path, error.line = name, at.line
        error.text = printable(at.text.rstrip("\r\n"), _TEXT_SHOWN)
        return error

    # Which column is what.

    def _layout_from(self, found: list[Record | Fault]) -> _Layout | None:
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

    def _layout(self, first: Record) -> _Layout:
        width = len(first.cells)
        label = self._place(self._label, first)
        if self._experts is None:
            experts = [column for column in range(width) if column != label]
            if not experts:
                raise self._error(
                    "there must be a column beside the label, got only "
                    + self._shown_columns(first),
                    first,
                )
        else:
            experts = [self._place(column, first) for column in self._experts]
        used = [label, *experts]
        if len(set(used)) < len(used):
            raise self._error(
                "experts must be columns each once and none the label, got "
                + self._shown_columns(first),
                first,
            )
        if not self._has_header:
            return _Layout(width, label, tuple(experts), None)
        for column in used:
            if first.cells.count(first.cells[column]) > 1:
                raise self._error(
                    "the header must name each column once, got "
                    f"{printable(first.cells[column], _VALUE_SHOWN)!r} twice",
                    first,
                )
        return _Layout(width, label, tuple(experts), tuple(first.cells))

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

    # From cells to numbers.

    def _rounds(
        self, found: list[Record | Fault], layout: _Layout
    ) -> tuple[_Rounds, LineError | None]:
        """Return the rounds before the first error, and that; or all sound rounds."""
        error: LineError | None = None
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
                error = self._error(what, item)
                break
            self.skipped += 1
        rounds = self._all_at_once(sound, layout)
        if rounds is not None:
            return rounds, error
        rounds, cell_error = self._one_by_one(sound, layout)
        return rounds, cell_error or error  # a bad cell comes before what stopped us

    def _all_at_once(self, records: list[Record], layout: _Layout) -> _Rounds | None:
        """Read records in which there is nothing to refuse; None if there may be."""
        rows = [record.cells for record in records]
        cells = [row[column] for row in rows for column in layout.experts]
        written = [row[layout.label] for row in rows]
        numbers: list[Any] = cells
        if self._sleeps:
            numbers = [_USUAL_MISSING.get(cell, cell) for cell in cells]
            cells = [cell for cell in cells if cell not in _USUAL_MISSING]
        characters = ("".join(cells) + "".join(written)).encode()
        if characters.translate(None, _OF_NUMBERS):
            return None
        try:
            values = np.array(list(map(float, numbers)))
            outcomes = np.array(list(map(float, written)))
        except ValueError:
            return None
        values = values.reshape(len(records), len(layout.experts))
        if (
            np.isinf(values).any()
            or np.isnan(values).all(axis=1).any()
            or not np.isfinite(outcomes).all()
            or (self._as_labels and not np.isin(outcomes, (0.0, 1.0, -1.0)).all())
        ):
            return None
        return _Rounds(records, values, outcomes)

    def _one_by_one(
        self, records: list[Record], layout: _Layout
    ) -> tuple[_Rounds, LineError | None]:
        """Read the records before the first to refuse, or all that are sound."""
        kept: list[Record] = []
        values: list[list[float]] = []
        outcomes: list[float] = []
        error: LineError | None = None
        for record in records:
            try:
                predictions = [
                    self._prediction(record, column, layout)
                    for column in layout.experts
                ]
                if all(map(math.isnan, predictions)):
                    raise self._error("at least one expert must be awake", record)
                outcomes.append(self._outcome(record, layout))
            except LineError as refused:
                if not self._skips:
                    error = refused
                    break
                self.skipped += 1
                continue
            values.append(predictions)
            kept.append(record)
        shape = len(kept), len(layout.experts)
        return _Rounds(kept, np.array(values).reshape(shape), np.array(outcomes)), error

    def _prediction(self, record: Record, column: int, layout: _Layout) -> float:
        cell = record.cells[column]
        number = _as_number(cell)
        if number is not None:
            return number
        missing = _MISSING.fullmatch(cell) is not None
        if missing and self._sleeps:
            return math.nan
        hint = "; missing='sleep' would let the expert sleep" if missing else ""
        what = f"expert {layout.name(column)!r} must predict a finite number"
        raise self._cell_error(what, hint, record, column, layout)

    def _outcome(self, record: Record, layout: _Layout) -> float:
        column = layout.label
        number = _as_number(record.cells[column])
        if number is not None and (not self._as_labels or number in (0.0, 1.0, -1.0)):
            return number
        must = "1, 0 or -1" if self._as_labels else "a finite number"
        what = f"outcome {layout.name(column)!r} must be {must}"
        raise self._cell_error(what, "", record, column, layout)

    def _cell_error(
        self, what: str, hint: str, record: Record, column: int, layout: _Layout
    ) -> LineError:
        value = printable(record.cells[column], _VALUE_SHOWN)
        error = self._error(f"{what}, got {value!r}{hint}", record)
        error.column, error.value = layout.name(column), value
        return error

    def _block(self, rounds: _Rounds, layout: _Layout, done: float | None) -> Block:
        names = None
        if layout.names is not None:
            names = tuple(layout.names[column] for column in layout.experts)
        lines = [record.line for record in rounds.records]
        return Block(
            Advice(rounds.values, names, may_sleep=self._sleeps),
            rounds.outcomes > 0 if self._as_labels else rounds.outcomes,
            0,
            len(rounds.records),
            _Where(self._source.name, lines),
            done,
        )


@dataclass(frozen=True)
class _Layout:
    """Which columns a record has, and what they are."""

    width: int
    label: int
    experts: tuple[int, ...]
    names: tuple[str, ...] | None

    def name(self, column: int) -> str | int:
        return column if self.names is None else self.names[column]


@dataclass(frozen=True)
class _Rounds:
    """Records and the numbers that stand in them."""

    records: list[Record]
    values: NDArray[np.float64]
    outcomes: NDArray[np.float64]

    def until(self, last: int) -> _Rounds:
        return _Rounds(self.records[:last], self.values[:last], self.outcomes[:last])


@dataclass
class _Alphabet:
    """Remembers from block to block whether no is written 0 or -1."""

    no: float | None = None

    def mixed_at(self, labels: NDArray[np.float64]) -> int | None:
        """Return the row where the second way of saying no is met, if it is."""
        said = np.flatnonzero(labels <= 0)
        if self.no is None and len(said):
            self.no = float(labels[said[0]])
        mixed = said[labels[said] != self.no]
        return int(mixed[0]) if len(mixed) else None


@dataclass(frozen=True)
class _Where:
    """Names a row by file and line."""

    name: str
    lines: list[int]

    def __call__(self, row: int) -> str:
        return f"{self.name}:{self.lines[row]}"


def _as_number(cell: str) -> float | None:
    """Return a finite number that is written as such, else None."""
    if _NUMBER.fullmatch(cell) is None:
        return None
    number = float(cell)
    return number if math.isfinite(number) else None
