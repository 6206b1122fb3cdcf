"""CSV: one round a record, what each expert predicts in a column of its own."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.advice import Advice, check_missing
from littlestone.errors import LineError, ParameterError
from littlestone.outcome import Outcome
from littlestone.streams._base import Block
from littlestone.streams._joined import each_file
from littlestone.streams._labels import NUMBER, as_outcome
from littlestone.streams._tables import Layout, MakeBlock, TableStream, Where

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from littlestone.streams._records import Record

__all__ = ["csv"]

# Text of these characters is a number for `float` only if it is one for us: without
# others there are no names such as inf, no spaces, underscores or foreign digits.
_OF_NUMBERS = b"0123456789+-.eE"
_MISSING = re.compile(r"([+-]?(nan|inf|infinity))?", re.IGNORECASE | re.ASCII)
# The usual ways to write what is missing, to be told quickly; `_MISSING` tells all.
_USUAL_MISSING = dict.fromkeys(["", "nan", "NaN", "NAN", "inf", "-inf"], math.nan)


@each_file
def csv(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    experts: str | int | Sequence[str | int] | None = None,
    missing: Literal["refuse", "sleep"] = "refuse",
    delimiter: str = ",",
    outcome: Outcome | Literal["number", "label"] = "number",
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
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names.
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


class CsvStream(TableStream):
    """The advice of experts in a CSV file; made by `streams.csv`.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and left out.
    """

    of_advice = True
    _owner, _others = "csv", "experts"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        missing: str,
        delimiter: str,
        outcome: str,
        experts: str | int | Sequence[str | int] | None,
        **shared: Any,
    ) -> None:
        check_missing("csv", missing)
        if (
            not isinstance(delimiter, str)
            or len(delimiter) != 1
            or delimiter in '0123456789+-.eE"\r\n\0'
        ):
            raise ParameterError(
                "csv: delimiter must be one character that stands in no number, no "
                f"quotation mark and no line end, got {delimiter!r}"
            )
        super().__init__(path, columns=experts, delimiter=delimiter, **shared)
        self.outcome = as_outcome("csv", outcome, (Outcome.NUMBER, Outcome.LABEL))
        self._sleeps = missing == "sleep"
        self._as_labels = self.outcome is Outcome.LABEL

    def _begin(self) -> MakeBlock:
        return partial(self._block, _Alphabet())

    def _block(
        self,
        alphabet: _Alphabet,
        records: list[Record],
        layout: Layout,
        done: float | None,
    ) -> tuple[Block | None, LineError | None]:
        error: LineError | None = None
        rounds = self._all_at_once(records, layout)
        if rounds is None:
            rounds, error = self._one_by_one(records, layout)
        if self._as_labels:
            mixed = alphabet.mixed_at(rounds.outcomes)
            if mixed is not None:
                error = self._error(
                    "labels must be 0 and 1 or -1 and +1, never mixed in one file",
                    rounds.records[mixed],
                )
                rounds = rounds.until(mixed)
        if not rounds.records:
            return None, error
        names = None
        if layout.names is not None:
            names = tuple(layout.names[column] for column in layout.columns)
        block = Block(
            Advice(rounds.values, names, may_sleep=self._sleeps),
            rounds.outcomes > 0 if self._as_labels else rounds.outcomes,
            0,
            len(rounds.records),
            Where(self._source.name, [record.line for record in rounds.records]),
            done,
        )
        return block, error

    # From cells to numbers.

    def _all_at_once(self, records: list[Record], layout: Layout) -> _Rounds | None:
        """Read records in which there is nothing to refuse; None if there may be."""
        rows = [record.cells for record in records]
        cells = [row[column] for row in rows for column in layout.columns]
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
        values = values.reshape(len(records), len(layout.columns))
        if (
            np.isinf(values).any()
            or np.isnan(values).all(axis=1).any()
            or not np.isfinite(outcomes).all()
            or (self._as_labels and not np.isin(outcomes, (0.0, 1.0, -1.0)).all())
        ):
            return None
        return _Rounds(records, values, outcomes)

    def _one_by_one(
        self, records: list[Record], layout: Layout
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
                    for column in layout.columns
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
        shape = len(kept), len(layout.columns)
        return _Rounds(kept, np.array(values).reshape(shape), np.array(outcomes)), error

    def _prediction(self, record: Record, column: int, layout: Layout) -> float:
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

    def _outcome(self, record: Record, layout: Layout) -> float:
        column = layout.label
        number = _as_number(record.cells[column])
        if number is not None and (not self._as_labels or number in (0.0, 1.0, -1.0)):
            return number
        must = "1, 0 or -1" if self._as_labels else "a finite number"
        what = f"outcome {layout.name(column)!r} must be {must}"
        raise self._cell_error(what, "", record, column, layout)


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


def _as_number(cell: str) -> float | None:
    """Return a finite number that is written as such, else None."""
    if NUMBER.fullmatch(cell) is None:
        return None
    number = float(cell)
    return number if math.isfinite(number) else None
