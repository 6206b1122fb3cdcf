"""CSV and TSV files: one example per record, from numbers and categories."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.errors import Hint, LineError, ParameterError, ReadingWarning
from littlestone.learner import warn
from littlestone.outcome import Outcome
from littlestone.streams._base import Chosen
from littlestone.streams._joined import each_file
from littlestone.streams._labels import LABEL_HINTS
from littlestone.streams._names import end_to_end
from littlestone.streams._options import column_of, one_of
from littlestone.streams._tables import Layout, TableStream
from littlestone.streams._thresholds import Thresholds, thresholds_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator

    from littlestone.streams._base import Block
    from littlestone.streams._records import FirstRecords

__all__ = ["csv"]

ColumnType: TypeAlias = Literal["number", "category"]
Written: TypeAlias = str | float

_TYPES = ("number", "category")
# How a number is written that is missing, as the native reader has it.
_MISSING = frozenset({"", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?"})
_WIDE = 1000  # columns of categories, in which nobody looks for texts
_MOST_KEPT = 1 << 16  # cells whose literals are remembered


@each_file
def csv(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    positive: Written | Collection[Written] | None = None,
    negative: Written | Collection[Written] | None = None,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    weight: str | None = None,
    columns: str | int | Sequence[str | int] | None = None,
    types: ColumnType | Mapping[str | int, ColumnType] | None = None,
    literals: bool = False,
    thresholds: Mapping[Any, float | Iterable[float]] | None = None,
    missing: Literal["leave out", "refuse", "literal"] | None = None,
    delimiter: str | None = None,
    header: bool | Sequence[str] | None = None,
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> CsvStream:
    r"""Stream the features of a CSV or TSV file: one example per record.

    A column of numbers gives the feature `name`, whose value is the number; 0 is left
    out. A column of categories gives the feature `name=text` with the value 1. Features
    come in the order of the columns in the file.

    Cells may be quoted, and may then contain the delimiter, line ends, and quotation
    marks that are doubled. Numbers are decimal, such as `-1.5e3`, and correctly
    rounded; spaces around them do not matter. Texts are kept as they are, with their
    spaces. The file must be UTF-8 without NUL, and may be compressed with gzip or zstd.
    Blank lines are ignored. However long the file, memory holds a few buffers.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names.
    label
        The column of the label: its name if the first record is a header, or its number
        from 0 if there is no header. Without a header the columns are called `x0`, `x1`
        and so on.
    positive, negative
        The labels that mean yes and those that mean no, one or several. By default, 1
        means yes and 0 or -1 means no. If only `positive` is given, every other label
        means no, except the empty one: a label must not be missing.
    outcome
        `"label"` for yes and no; `"class"` to keep labels as they are written, as in
        `streams.svmlight`; `"number"` for labels that are finite numbers.
    unlabelled
        What to do with a record without a label: `"refuse"` it, `"skip"` it and count
        it in `left_out`, or `"keep"` it with the label None, so that `run(learn=False)`
        predicts it. With `"keep"` the column of the label may be missing.
    weight
        The name of a column of numbers that multiply the losses of rounds, for learners
        that follow the slope of a loss: labels are `Weighted` then. A record of weight
        0 is not an example, and is counted in `left_out`.
    columns
        The columns to read, by name or number; by default all but the label and the
        weight.
    types
        What columns contain: `"number"` or `"category"`, for all columns or, in a
        mapping, for some. Untyped columns are numeric if their first 1,000 records (of
        the first MB) contain only numbers; a later cell that does not fit is an error.
        Give the type of codes that only look like numbers, such as postal codes.
    literals
        Read cells as literals, which are true or false, for learners of rules: untyped
        columns are categories, numbers included, and a missing cell is `name=?`.
    thresholds
        For columns of numbers, the thresholds that make literals of them:
        `{"age": [30, 50]}` gives `age>=30` and `age>=50`. Numbers are compared as they
        are written.
    missing
        What to do with missing cells: `"leave out"` the feature, `"refuse"` the record,
        or make it the `"literal"` feature `name=?`, which is the default with
        `literals=True`. A cell is missing if it is empty; a number also if it is
        NA, N/A, NaN, null, None or `?` in any case; and a category also if it is `?`,
        where missing cells are refused.
    delimiter
        The character between cells. By default a tab for a file called .tsv, otherwise
        the one of `,`, `;`, tab and `|` that is most frequent in the first line.
    header
        Whether the first record is a header, if `label` does not say so; or the names
        of the columns, for a file without one.
    hash_bits
        Hash the features into `2**hash_bits` columns, as `streams.hashed` does.
    on_error
        What to do with a record that cannot be read: `"raise"`, or `"skip"` it and
        count it in `skipped`. After unmatched quotation marks, reading resumes at the
        next line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flats.csv"
    >>> _ = path.write_text("rooms,city,let\n2,Ghent,yes\n3.5,Bruges,no\n,Ghent,yes\n")
    >>> stream = streams.csv(path, label="let", positive="yes")
    >>> for example in stream:
    ...     print(example)
    ({'rooms': 2.0, 'city=Ghent': 1.0}, True)
    ({'rooms': 3.5, 'city=Bruges': 1.0}, False)
    ({'city=Ghent': 1.0}, True)
    >>> run(Perceptron(), stream).mistakes
    1

    A learner of rules needs literals:

    >>> stream = streams.csv(
    ...     path, label="let", positive="yes", literals=True, thresholds={"rooms": 3}
    ... )
    >>> [list(x) for x, _ in stream]
    [['city=Ghent'], ['rooms>=3', 'city=Bruges'], ['rooms=?', 'city=Ghent']]
    """
    return CsvStream(**locals())


class CsvStream(TableStream):
    """The features of a CSV file; made by `streams.csv`.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and skipped.
    types
        What the columns contain, by name, as of the latest reading.
    """

    _owner = "csv"
    _outcomes = (Outcome.LABEL, Outcome.CLASS, Outcome.NUMBER)
    _cell_faults = {  # noqa: RUF012 - declared in the base class
        "number": "column {name} must contain numbers, as its first cells do",
        "finite": "column {name} must contain finite numbers",
        "missing": "column {name} must have no missing cell",
        "outcome": "outcome {name} must be a finite number",
        "label": "label {name} must be 1, 0 or -1",
        "no label": "label {name} must {must}",
        "weight": "weight {name} must be a finite number, 0 or more",
    }
    _hints = {  # noqa: RUF012 - declared in the base class
        "missing": (Hint("missing", "leave out", "leaves it out"),),
        "label": LABEL_HINTS,
    }

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        types: object,
        literals: bool,
        thresholds: object,
        missing: str | None,
        **shared: Any,
    ) -> None:
        if missing is None:
            missing = "literal" if literals else "leave out"
        one_of("csv", "missing", missing, ("leave out", "refuse", "literal"))
        super().__init__(path, missing=missing, **shared)
        self._types = self._checked_types(types)
        self._untyped = "category" if literals else ""
        self._thresholds = {
            column_of("csv", "thresholds", column, named=self._named): bounds
            for column, bounds in thresholds_of("csv", thresholds).items()
        }
        self._guessed: set[int] = set()
        self._doubts: list[str] = []  # what may not be meant to be read so

    @property
    def types(self) -> dict[str, str]:
        """What the columns contain, by name, as of the latest reading."""
        if self._learned is None:
            return {}
        layout = self._layout
        numeric = self._places(layout)
        return {
            layout.names[column]: "number"
            if column in numeric
            else layout.kinds[column]
            for column in sorted(layout.used)
        }

    def _found(self) -> dict[str, Any]:
        if self._learned is None:
            return {}
        layout = self._layout
        keys: dict[str, str | int] = {
            layout.names[place]: layout.names[place]
            if layout.head.names is not None
            else layout.head.number(place)
            for place in layout.used
        }
        found: dict[str, Any] = {"columns": list(keys.values())}
        if self._guessed:
            bounded = {layout.names[place] for place in self._places(layout)}
            found["types"] = {
                keys[name]: kind
                for name, kind in self.types.items()
                if name not in bounded
            }
        return found

    def _checked_types(self, types: object) -> str | dict[str | int, str]:
        if types is None:
            return {}
        if isinstance(types, str):
            if types in _TYPES:
                return types
        elif isinstance(types, Mapping) and set(types.values()) <= set(_TYPES):
            return {
                column_of("csv", "types", column, named=self._named): kind
                for column, kind in types.items()
            }
        raise ParameterError(
            "types must be 'number' or 'category', for all columns or for each, "
            f"got {types!r}",
            owner="csv",
        )

    # Which column is what.

    def _needs_records(self) -> bool:
        if self._untyped or isinstance(self._types, str):
            return False
        known = {*self._types, *self._thresholds}
        return self._columns is None or not set(self._columns) <= known

    def _assign(self, layout: Layout, records: FirstRecords) -> None:
        head, types = layout.head, self._types
        for column in layout.used:
            layout.kinds[column] = types if isinstance(types, str) else self._untyped
        given = {} if isinstance(types, str) else types
        used, typed = set(layout.used), set[int]()
        # The cells of columns with thresholds are read as texts, and compared as such.
        with_thresholds = dict.fromkeys(self._thresholds, "category")
        for option, those in (("types", given), ("thresholds", with_thresholds)):
            for key, kind in those.items():
                column = self._place(key, head)
                if column not in used or column in typed:
                    raise self._error(
                        "types and thresholds must be given for columns that are read, "
                        f"and once for each, got {option} for {key!r}",
                        head.line,
                    )
                typed.add(column)
                layout.kinds[column] = kind
        self._check_names(layout)
        self._guessed = {c for c in layout.used if not layout.kinds[c]}
        numeric = records.numeric(head.width) if self._guessed else []
        for column in self._guessed:
            layout.kinds[column] = "number" if numeric[column] else "category"
        unread = sorted(c for c in self._guessed if layout.kinds[c] == "category")
        texts = records.texts(unread) if 0 < len(unread) < _WIDE else []
        self._doubts = [
            f"column {layout.names[column]!r} looks like text, but each of its cells "
            "becomes a single feature; the format text reads words, from columns "
            "separated by tabs"
            for column in texts[:1]
        ]
        odd = records.disguised(unread) if 0 < len(unread) < _WIDE else {}
        self._doubts += [
            f"column {layout.names[column]!r} has numbers such as {cell!r}, but each "
            "is read as a word, a feature of its own; only digits, a point and an "
            "exponent are read as a number"
            for column, cell in odd.items()
        ]
        days = records.dates(unread) if 0 < len(unread) < _WIDE else {}
        self._doubts += [
            f"column {layout.names[column]!r} has dates such as {cell!r}, and each is "
            "read as a word, which tells nothing about later ones; what matters of it, "
            "such as the weekday, needs a column of its own"
            for column, cell in days.items()
        ]
        if head.names is None and records.has_header(unread):
            label = records.first_cells[layout.label or 0]
            doubt = (
                "the first line looks like a header, but is read as an example, as the "
                f"label is given by its number; its name is perhaps {label!r}"
            )
            self._doubts = [doubt]

    def _places(self, layout: Layout) -> dict[int, Thresholds]:
        """Return the thresholds by the number of the column."""
        return {
            self._place(column, layout.head): bounds
            for column, bounds in self._thresholds.items()
        }

    def _check_names(self, layout: Layout) -> None:
        """Refuse names with which two columns could give the same feature."""
        if layout.head.names is None:
            return
        names = {layout.names[column] for column in layout.used}
        literals = {
            layout.names[column] + literal
            for column, bounds in self._places(layout).items()
            for literal in bounds.literals
        }
        # In order, names that begin alike are neighbours.
        ordered = sorted(names | literals)
        clashes = [(name, "") for name in names & literals]
        for name in names:
            after = bisect_left(ordered, name + "=")
            if after < len(ordered) and ordered[after].startswith(name + "="):
                clashes.append((ordered[after], f" and {name!r}"))
        if clashes:
            name, other = min(clashes)
            raise self._error(
                "no column name may begin with another one and '=' or be one of the "
                f"thresholds, got {name!r}{other}",
                layout.head.line,
            )

    def _reason(self, kind: str, column: int) -> tuple[str, tuple[Hint, ...]]:
        if kind == "number" and column not in self._guessed:
            return "column {name} must contain numbers, as types says", ()
        what, hints = super()._reason(kind, column)
        if kind == "number":
            name = self._layout.names[column]
            hints = (Hint("types", {name: "category"}, "reads texts"),)
        return what, hints

    # Thresholds.

    def _blocks(self) -> Iterator[Block]:
        blocks = super()._blocks()
        if self._thresholds:
            blocks = self._with_thresholds(blocks)
        return self._doubted(blocks) if self._needs_records() else blocks

    def _doubted(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Yield blocks; before the first, warn of what may be meant otherwise."""
        for number, block in enumerate(blocks):
            for doubt in self._doubts if number == 0 else ():
                warn(doubt, ReadingWarning)
            yield block

    def _with_thresholds(self, blocks: Iterator[Block]) -> Iterator[Block]:
        """Yield blocks in which numbers are replaced by the thresholds they reach."""
        literals: _Literals | None = None
        total = 0
        for block in blocks:
            if literals is None:
                names, places = self._layout.names, self._places(self._layout)
                bounds = {names[column]: each for column, each in places.items()}
                numbers = "number" in self._layout.kinds
                literals = _Literals(bounds, self._missing, numbers=numbers)
            made = literals.rows(block, skip=self._skip)
            self.skipped += made.skipped
            total += len(made.kept)
            if made.kept:
                yield replace(
                    block,
                    rows=made.rows,
                    labels=block.labels[made.kept],
                    last=len(made.kept),
                    where=Chosen(block.where, made.kept),
                )
            if made.refused is not None:
                raise self._bad_cell(block, *made.refused)
        if total == 0:
            raise self._empty()

    def _bad_cell(self, block: Block, row: int, refused: _RefusedError) -> LineError:
        where: Any = block.where
        what = "column {name} has thresholds and must contain numbers"
        hints: tuple[Hint, ...] = ()
        if refused.missing:
            what, hints = self._cell_faults["missing"], self._hints["missing"]
        what = f"{what.format(name=repr(refused.column))}, got {refused.text!r}"
        error = self._error(what, where.line(row), hints=hints)
        error.column, error.value = refused.column, refused.text
        return error


class _RefusedError(Exception):
    """A cell with thresholds that is not a number."""

    def __init__(self, column: str, text: str, *, missing: bool) -> None:
        self.column, self.text, self.missing = column, text, missing


class _Made(NamedTuple):
    """Rows with thresholds, and which rows of the block they are."""

    rows: _core.Rows
    kept: list[int]
    skipped: int
    refused: tuple[int, _RefusedError] | None


class _Literals:
    """Replaces the features of cells with thresholds by the thresholds they reach."""

    def __init__(
        self, thresholds: Mapping[str, Thresholds], missing: str, *, numbers: bool
    ) -> None:
        self._thresholds, self._missing = thresholds, missing
        self._numbers = numbers  # whether other columns contain numbers, not only texts
        self._known: dict[str, list[str]] = {}  # literals by feature, such as `age=41`

    def rows(self, block: Block, *, skip: bool) -> _Made:
        """Return the rows of a block up to the first that must be refused."""
        codes = _Codes(self)
        offsets, kept = [0], []
        ids: list[int] = []
        values: list[float] = []
        skipped, refused = 0, None
        for row in range(block.first, block.last):
            x = block.rows.row(row)
            try:
                ids.extend(chain.from_iterable(map(codes.__getitem__, x)))
            except _RefusedError as error:
                del ids[offsets[-1] :]
                if not skip:
                    refused = row, error
                    break
                skipped += 1
                continue
            if self._numbers:
                for feature, value in x.items():
                    values += [value] * len(codes[feature])
            offsets.append(len(ids))
            kept.append(row)
        table = _core.NameTable()
        table.add(*end_to_end(list(codes.names)))
        rows = _core.words(
            np.array(offsets, dtype=np.uint64),
            np.array(ids, dtype=np.uint32),
            np.array(values) if values else np.ones(len(ids)),
            table,
        )
        return _Made(rows, kept, skipped, refused)

    def of(self, feature: str) -> list[str]:
        """Return the literals of a feature, or the feature itself."""
        found = self._known.get(feature)
        if found is None:
            found = self._read(feature)
            if len(self._known) >= _MOST_KEPT:
                self._known.clear()
            self._known[feature] = found
        return found

    def _read(self, feature: str) -> list[str]:
        # No column name begins with another one and "=", so at most one fits.
        parts = (feature[:at] for at, each in enumerate(feature) if each == "=")
        column = next((part for part in parts if part in self._thresholds), None)
        if column is None:
            return [feature]
        text = feature[len(column) + 1 :]
        bare = text.strip(" \t")
        missing = bare.lower() in _MISSING
        if missing and self._missing != "refuse":
            return [f"{column}=?"] if self._missing == "literal" else []
        reached = self._thresholds[column].reached(bare)
        if reached is None:
            raise _RefusedError(column, text, missing=missing)
        return [column + literal for literal in reached]


class _Codes(dict[str, tuple[int, ...]]):
    """The numbers of the literals of each feature, as they are met in a block."""

    def __init__(self, literals: _Literals) -> None:
        super().__init__()
        self._literals = literals
        self.names: dict[str, int] = {}

    def __missing__(self, feature: str) -> tuple[int, ...]:
        literals, names = self._literals.of(feature), self.names
        codes = tuple(names.setdefault(name, len(names)) for name in literals)
        self[feature] = codes
        return codes
