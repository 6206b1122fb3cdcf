"""Tables: CSV and TSV, one example a record, numbers and categories its features."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.errors import LineError, ParameterError
from littlestone.outcome import Outcome
from littlestone.streams._joined import each_file
from littlestone.streams._labels import as_outcome
from littlestone.streams._parsing import (
    BOM,
    LONGEST_LINE,
    FileStream,
    Parser,
    Part,
)
from littlestone.streams._records import printable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator

    from numpy.typing import NDArray

    from littlestone.streams._source import Reader

__all__ = ["table"]

ColumnType: TypeAlias = Literal["number", "category"]
Written: TypeAlias = str | float

_TYPES = ("number", "category")
_LOOKED_AT = 1000  # how many records tell the types of the columns
_DELIMITERS = ",;\t|"  # those that are recognised
_TAB_ENDINGS = tuple(
    f".{ending}{packed}" for ending in ("tsv", "tab") for packed in ("", ".gz", ".zst")
)
_VALUE_SHOWN = 80
_HEADER_SHOWN = 200
_LABELS_SHOWN = 8

# What the native core calls labels that are not named one by one.
_WRITTEN = {Outcome.LABEL: "two", Outcome.CLASS: "any", Outcome.NUMBER: "number"}

_FAULTS = {
    "encoding": "what is read must be UTF-8",
    "nul": "a record must hold no NUL byte",
    "open": "a quotation mark must be closed, but the file ends",
    "return": "a line must end in LF or CR LF, got a CR alone",
    "long": (
        f"a line or record must be shorter than {LONGEST_LINE} bytes (is a quotation "
        "mark left open?)"
    ),
}
# The same where a cell is to blame, and what would help.
_CELL_FAULTS = {
    "number": (
        "column {name} must hold numbers, as its first cells do",
        "; types={{{name}: 'category'}} would read texts",
    ),
    "finite": ("column {name} must hold finite numbers", ""),
    "missing": (
        "column {name} must have a cell that is not missing",
        "; missing='leave out' would leave it out",
    ),
    "outcome": ("outcome {name} must be a finite number", ""),
    "label": (
        "label {name} must be 1, 0 or -1",
        "; positive= names the labels that mean yes",
    ),
    "no label": ("label {name} must {must}", ""),
}


@each_file
def table(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    positive: Written | Collection[Written] | None = None,
    negative: Written | Collection[Written] | None = None,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    columns: str | int | Sequence[str | int] | None = None,
    types: ColumnType | Mapping[str | int, ColumnType] | None = None,
    delimiter: str | None = None,
    header: bool | Sequence[str] | None = None,
    missing: Literal["leave out", "refuse", "literal"] = "leave out",
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> TableFileStream:
    r"""Stream the features of a CSV or TSV file: one example a record.

    A column of numbers gives the feature `name` with the number as its value; 0 is left
    out. A column of categories gives the feature `name=text` of value 1. Features come
    in the order of the columns in the file.

    A cell may stand in quotation marks, and a record so reach over several lines; two
    marks in a row then stand for one. Numbers are decimal, such as `-1.5e3`, correctly
    rounded, with blanks around them or none; texts are taken as they are written,
    blanks included. What is read must be UTF-8 without NUL. Blank lines are passed
    over. Plain, gzip and zstd files are told apart by their content. However long the
    file, memory holds a few buffers and what the learner learns.

    Parameters
    ----------
    path
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names.
    label
        The column of the label: its name, and then the first record is a header, or its
        number from 0, and then there is none. Without a header the columns are called
        "0", "1" and so on.
    positive, negative
        The labels that mean yes and those that mean no, one or several; without them, 1
        means yes and 0 or -1 no. Without `negative` every other label means no, but not
        the empty one: a label is never missing.
    outcome
        `"label"` for yes and no; `"class"` for labels as they are written, as in
        `streams.svmlight`; `"number"` for labels that are finite numbers.
    columns
        The columns to read, by name or number; all but the label if not given.
    types
        What columns hold: `"number"` or `"category"` for all of them, or a mapping from
        names or numbers of columns. A column that is not told holds numbers if the
        first 1000 records hold nothing else there, or those of the first MB; a cell
        that does not fit later is an error. A code that only looks like a number, such
        as a postal code, must be told.
    delimiter
        The character between cells. If not given, a tab for a file called .tsv, else
        the one of `,`, `;`, tab and `|` that the first line has most of.
    header
        Whether the first record is a header, if the label does not tell; or the names
        of the columns, of a file that has none.
    missing
        What a missing cell means: `"leave out"` leaves its feature out, `"refuse"`
        refuses the record, `"literal"` makes it the feature `name=?`. Missing is the
        empty cell, and among numbers NA, N/A, NaN, null, None and `?` in any case.
    hash_bits
        Hash the features into `2**hash_bits` columns, as `streams.hashed` does.
    on_error
        What to do with a record that cannot be read: `"raise"`, or `"skip"` it and
        count it in `skipped`. After quotation marks that do not match, reading goes on
        at the next line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flats.csv"
    >>> _ = path.write_text("rooms,city,let\n2,Ghent,yes\n3.5,Bruges,no\n,Ghent,yes\n")
    >>> stream = streams.table(path, label="let", positive="yes")
    >>> for example in stream:
    ...     print(example)
    ({'rooms': 2.0, 'city=Ghent': 1.0}, True)
    ({'rooms': 3.5, 'city=Bruges': 1.0}, False)
    ({'city=Ghent': 1.0}, True)
    >>> run(Perceptron(), stream).mistakes
    1
    """
    return TableFileStream(
        path,
        label=label,
        positive=positive,
        negative=negative,
        outcome=outcome,
        columns=columns,
        types=types,
        delimiter=delimiter,
        header=header,
        missing=missing,
        hash_bits=hash_bits,
        on_error=on_error,
    )


class TableFileStream(FileStream):
    """The features of a table; made by `streams.table`.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and left out.
    types
        What the columns of the latest reading hold, by name.
    """

    _native = _core.TableBlock
    _outcomes = (Outcome.LABEL, Outcome.CLASS, Outcome.NUMBER)

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | int,
        positive: Written | Collection[Written] | None,
        negative: Written | Collection[Written] | None,
        outcome: str,
        columns: str | int | Sequence[str | int] | None,
        types: ColumnType | Mapping[str | int, ColumnType] | None,
        delimiter: str | None,
        header: bool | Sequence[str] | None,
        missing: str,
        hash_bits: int | None,
        on_error: str,
    ) -> None:
        if missing not in ("leave out", "refuse", "literal"):
            raise ParameterError(
                "table: missing must be 'leave out', 'refuse' or 'literal', "
                f"got {missing!r}"
            )
        as_outcome("table", outcome, self._outcomes, positive=positive)
        super().__init__(
            "table",
            path,
            positive=None,
            outcome=outcome,
            hash_bits=hash_bits,
            on_error=on_error,
        )
        self._meaning = _meaning(positive, negative)
        self._sure = bool(self._meaning[0]) or self.outcome is not Outcome.LABEL
        self._missing = missing
        self._delimiter = self._checked_delimiter(delimiter)
        self._has_header, self._given_names = _checked_header(header, label)
        self._label = self._column("label", label)
        self._columns: list[str | int] | None = None
        if columns is not None:
            listed = [columns] if isinstance(columns, (str, int)) else list(columns)
            self._columns = [self._column("columns", column) for column in listed]
            if not listed or len({label, *listed}) <= len(listed):
                raise ParameterError(
                    "table: columns must be one or more, each once and none the label, "
                    f"got {columns!r}"
                )
        self._types = self._checked_types(types)
        self._layout: _Layout | None = None

    @property
    def types(self) -> dict[str, str]:
        """What the columns of the latest reading hold, by name."""
        layout = self._layout
        if layout is None:
            return {}
        pairs = zip(layout.feature_names, layout.kinds, strict=True)
        return {name: kind for name, kind in pairs if kind in _TYPES}

    # What is given.

    def _checked_delimiter(self, delimiter: object) -> str | None:
        if delimiter is None:
            tabs = self._source.name.lower().endswith(_TAB_ENDINGS)
            return "\t" if tabs else None
        if (
            isinstance(delimiter, str)
            and len(delimiter) == 1
            and delimiter.isascii()
            and delimiter not in '0123456789+-.eE"\r\n\0'
        ):
            return delimiter
        raise ParameterError(
            "table: delimiter must be one character of ASCII that stands in no number, "
            f"no quotation mark and no line end, got {delimiter!r}"
        )

    def _column(self, name: str, column: object) -> str | int:
        if isinstance(column, str) and (self._has_header or self._given_names):
            return column
        if isinstance(column, int) and not isinstance(column, bool) and column >= 0:
            return column
        raise ParameterError(
            f"table: {name} must be column numbers from 0, or names if there is a "
            f"header, got {column!r}"
        )

    def _checked_types(self, types: object) -> str | dict[str | int, str]:
        if types is None:
            return {}
        if isinstance(types, str):
            if types in _TYPES:
                return types
        elif isinstance(types, Mapping) and set(types.values()) <= set(_TYPES):
            return {self._column("types", key): kind for key, kind in types.items()}
        raise ParameterError(
            "table: types must be 'number' or 'category', for all columns or for each, "
            f"got {types!r}"
        )

    # Which column is what.

    def _parser(self, reader: Reader) -> Parser:
        return _RecordParser(
            reader,
            begin=self._begin,
            delimiter=self._delimiter,
            # Where every type is told, nothing is waited for.
            looks=not self._all_known(),
            width=len(self._given_names or ()),
            skip=self._skip,
            has_header=self._has_header,
        )

    def _all_known(self) -> bool:
        if isinstance(self._types, str):
            return True
        return self._columns is not None and set(self._columns) <= set(self._types)

    def _begin(self, records: _Records, *, too_long: bool) -> _core.TableRule | None:
        """Learn the layout from the first records; None if there is none to learn from.

        A header is passed over.
        """
        first = self._first(records, too_long=too_long)
        if first is None:
            return None
        names = first if self._has_header else self._given_names
        width = len(names or first)
        kinds = self._kinds(_Head(names, width, records.passed or 1))
        layout = _Layout(names, kinds, records.delimiter)
        numbers = records.numbers(width)
        for column, kind in enumerate(kinds):
            if not kind:
                kinds[column] = "number" if numbers[column] else "category"
                layout.guessed.add(column)
        self._layout = layout
        yes, no = self._meaning
        return _core.TableRule(
            columns=list(zip(kinds, layout.feature_names, strict=True)),
            delimiter=records.delimiter,
            missing=self._missing,
            labels="named" if yes else _WRITTEN[self.outcome],
            positive=yes,
            negative=no,
        )

    def _first(self, records: _Records, *, too_long: bool) -> list[str] | None:
        """Return the cells of the first sound record, the header if there is one."""
        if too_long:
            if self._has_header:
                raise self._bad(self._fault("long"), 1)
            return None
        for found in records:
            if found.fault and (self._has_header or not self._skip):
                raise self._bad(self._fault(found.fault), found.line, found.text)
            if not found.fault:
                if self._has_header:
                    records.pass_over(found)
                return found.cells
        if self._has_header:
            raise self._bad("the first line must be a header, got nothing", 1)
        return None

    def _kinds(self, head: _Head) -> list[str]:
        """Return what each column is, and the empty text where nobody has told."""
        label, used = self._used(head)
        kinds = ["ignored"] * head.width
        kinds[label] = "label"
        told = self._types
        for column in used:
            kinds[column] = told if isinstance(told, str) else ""
        for key, kind in () if isinstance(told, str) else told.items():
            column = self._place(key, head)
            if kinds[column]:
                raise self._bad(
                    "types must be told of columns that are read, each once, got "
                    f"{key!r}",
                    head.line,
                )
            kinds[column] = kind
        return kinds

    def _used(self, head: _Head) -> tuple[int, list[int]]:
        """Return the column of the label and those that are read beside it."""
        label = self._place(self._label, head)
        used = [column for column in range(head.width) if column != label]
        what = "" if used else "there must be a column beside the label"
        if self._columns is not None:
            used = [self._place(column, head) for column in self._columns]
            if len({label, *used}) <= len(used):
                what = "columns must each be told once and none be the label"
        if what:
            raise self._bad(what, head.line, head.shown)
        if head.names is not None:
            self._check_names(head.names, label, used, head.line)
        return label, used

    def _place(self, column: str | int, head: _Head) -> int:
        if isinstance(column, int):
            if column < head.width:
                return column
        elif head.names is not None and column in head.names:
            return head.names.index(column)
        what = "first record" if head.names is None else "header"
        raise self._bad(
            f"the {what} must have a column {column!r}", head.line, head.shown
        )

    def _check_names(
        self, names: list[str], label: int, used: list[int], line: int
    ) -> None:
        """Refuse names by which two columns could make the same feature."""
        for column in (label, *used):
            if names.count(names[column]) > 1:
                name = printable(names[column], _VALUE_SHOWN)
                raise self._bad(
                    f"the header must name each column once, got {name!r} twice", line
                )
        owners = {names[column] for column in used}
        for name in sorted(owners):
            for at, character in enumerate(name):
                if character == "=" and name[:at] in owners:
                    raise self._bad(
                        "no column's name may begin with another's and '=', got "
                        f"{name!r} and {name[:at]!r}",
                        line,
                    )

    # What is wrong.

    def _bad(self, what: str, line: int, text: str = "") -> LineError:
        name = self._source.name
        error = LineError(
            what + (f", got {text}" if text else ""), where=f"{name}:{line}"
        )
        error.path, error.line, error.text = name, line, text
        return error

    def _fault(self, kind: str) -> str:
        if kind == "quoted":
            delimiter = self._layout.delimiter if self._layout else self._delimiter
            return (
                f"after a quoted cell must come {delimiter or ','!r} or the end of the "
                "line, got something else"
            )
        return _FAULTS.get(kind) or super()._fault(kind)

    def _refusal(self, block: _core.TableBlock, lines_before: int) -> LineError:
        fault, layout = block.fault, self._layout
        if fault is None or layout is None:
            raise AssertionError(fault)
        kind, at, text = fault
        column, count, raw = block.fault_cell
        value = printable(raw.decode(errors="surrogateescape"), _VALUE_SHOWN)
        what, hint = self._reason(kind, column, layout)
        if kind == "columns":
            what = f"{what}, got {count}"
        elif hint is not None:
            what = f"{what}, got {value!r}{hint}"
        line = lines_before + at + 1
        error = LineError(what, where=f"{self._source.name}:{line}")
        error.path, error.line = self._source.name, line
        shown = text.rstrip(b"\r").decode(errors="surrogateescape")
        error.text = printable(shown, len(shown))
        if hint is not None:
            error.column, error.value = layout.name(column), value
        return error

    def _reason(
        self, kind: str, column: int, layout: _Layout
    ) -> tuple[str, str | None]:
        """Return what must hold and, where a cell is to blame, what would help."""
        if kind == "columns":
            first = "first record" if layout.names is None else "header"
            must = f"have {len(layout.kinds)} columns, as the {first} has"
            return f"a record must {must}", None
        if kind not in _CELL_FAULTS:
            return self._fault(kind), None
        what, hint = _CELL_FAULTS[kind]
        told = {"name": repr(layout.name(column)), "must": "not be empty"}
        if kind == "number" and column not in layout.guessed:
            what, hint = "column {name} must hold numbers, as types says", ""
        yes, no = self._meaning
        if no:
            known = [repr(text) for text in (*yes, *no)]
            more = ", …" if len(known) > _LABELS_SHOWN else ""
            told["must"] = f"be one of {', '.join(known[:_LABELS_SHOWN])}{more}"
        return what.format(**told), hint.format(**told)

    def _labels_of(self, block: _core.TableBlock) -> NDArray[Any]:
        if self.outcome is Outcome.NUMBER:
            return block.outcomes
        return super()._labels_of(block)


@dataclass
class _Layout:
    """What each column is called and holds, and of which that was guessed."""

    names: list[str] | None
    kinds: list[str]
    delimiter: str

    def __post_init__(self) -> None:
        self.guessed: set[int] = set()

    @property
    def feature_names(self) -> list[str]:
        return self.names or [str(column) for column in range(len(self.kinds))]

    def name(self, column: int) -> str | int:
        return column if self.names is None else self.names[column]


class _Head(NamedTuple):
    """What a file begins with: the names of its columns, or how many there are."""

    names: list[str] | None
    width: int
    line: int

    @property
    def shown(self) -> str:
        if self.names is None:
            return f"{self.width} columns"
        return printable(", ".join(map(repr, self.names)), _HEADER_SHOWN)


class _Found(NamedTuple):
    """A record, or what is wrong with it; where it is and the next one begins."""

    cells: list[str]
    fault: str
    line: int
    text: str
    next_line: int
    next_at: int


@dataclass
class _Records:
    """The first records of a file, to learn from."""

    buffer: bytearray
    first: int
    last: int
    delimiter: str
    passed: int = 0  # lines up to the end of the header

    def __iter__(self) -> Iterator[_Found]:
        text = np.frombuffer(self.buffer, dtype=np.uint8)
        at, line = self.first, 1
        while at < self.last:
            raw, next_at, lines, fault = _core.read_record(
                text, at, self.last, self.delimiter
            )
            cells: list[str] = []
            try:
                cells = [cell.decode() for cell in raw]
            except UnicodeDecodeError:
                fault = "encoding"
            if any("\0" in cell for cell in cells):
                fault = "nul"
            if cells or fault:  # not a blank line
                yield _Found(cells, fault, line, self._line(at), line + lines, next_at)
            at, line = next_at, line + lines

    def _line(self, at: int) -> str:
        end = self.buffer.find(b"\n", at, self.last)
        raw = bytes(self.buffer[at : self.last if end < 0 else end]).rstrip(b"\r")
        return repr(printable(raw.decode(errors="surrogateescape"), _HEADER_SHOWN))

    def pass_over(self, header: _Found) -> None:
        """Let the records begin after this one."""
        self.first, self.passed = header.next_at, header.next_line - 1

    def numbers(self, width: int) -> list[bool]:
        """Tell which columns hold nothing but numbers in the first records."""
        text = np.frombuffer(self.buffer, dtype=np.uint8)
        return _core.columns_of_numbers(
            text, self.first, self.last, self.delimiter, width, _LOOKED_AT
        )


class _RecordParser(Parser):
    """Cuts the input between records, which quotation marks may lead over lines."""

    def __init__(
        self,
        reader: Reader,
        *,
        begin: Callable[..., _core.TableRule | None],
        delimiter: str | None,
        looks: bool,
        width: int,
        skip: bool,
        has_header: bool,
    ) -> None:
        super().__init__(
            reader, _core.TableBlock, _no_rule, skip=skip, has_header=has_header
        )
        self._learn, self._delimiter = begin, delimiter
        self._looks = _LOOKED_AT + int(has_header) if looks else 0
        self._width = width
        self._fresh = True  # whether nothing has been handed over yet

    def _mark(self, buffer: bytearray, end: int) -> int:
        """Return where the text begins: after the mark of its encoding."""
        marked = self._fresh and end >= len(BOM) and buffer.startswith(BOM)
        return len(BOM) if marked else 0

    def _cut(self, buffer: bytearray, cut: int, filled: int, end: int) -> int:
        if buffer.find(b"\n", filled, end) < 0:
            return cut
        first = cut or self._mark(buffer, end)
        if self._delimiter is None:
            newline = buffer.find(b"\n", first, end)
            self._delimiter = _sniffed(bytes(buffer[first:newline]))
        text = np.frombuffer(buffer, dtype=np.uint8)
        found = _core.whole_records(text, first, end, self._delimiter)
        return found if cut or found > first else 0

    def _enough(self, buffer: bytearray, cut: int) -> bool:
        if not self._fresh or not self._looks or self._delimiter is None:
            return True
        text = np.frombuffer(buffer, dtype=np.uint8)
        first = self._mark(buffer, cut)
        count = _core.count_records(
            text, first, cut, self._delimiter, self._width, self._looks
        )
        return count >= self._looks

    def _begin(self, part: Part) -> bool:
        first = self._mark(part.buffer, part.size)
        self._fresh = False
        if self._delimiter is None:
            self._delimiter = _sniffed(bytes(part.buffer[first : part.size]))
        records = _Records(part.buffer, first, part.size, self._delimiter)
        rule = self._learn(records, too_long=part.too_long is not None)
        part.first, part.passed = records.first, records.passed
        # Of what holds no sound record, all is at fault whatever the rule.
        self._rule = rule or _core.TableRule(
            columns=[],
            delimiter=self._delimiter,
            missing="leave out",
            labels="two",
            positive=[],
            negative=[],
        )
        return rule is not None

    def _pass_over_line(self, part: Part, filled: int) -> tuple[bool, bytes]:
        newline = part.buffer.find(b"\n", 0, filled)
        if newline < 0:
            return super()._pass_over_line(part, filled)
        return True, bytes(part.buffer[newline + 1 : filled])


def _no_rule(_: bytes | None) -> None:
    """Stand where other formats make their rule: here it takes more than a line."""


def _sniffed(line: bytes) -> str:
    """Return the delimiter that a line has most of, outside quotation marks."""
    outside = b"".join(line.partition(b"\n")[0].split(b'"')[::2]).decode("latin-1")
    return max(_DELIMITERS, key=outside.count)


def _checked_header(header: object, label: object) -> tuple[bool, list[str] | None]:
    """Return whether the first record is a header, and the names that were given."""
    if header is None:
        return isinstance(label, str), None
    if isinstance(header, bool):
        if isinstance(label, str) and not header:
            raise ParameterError(
                "table: label must be a column's number if there is no header, "
                f"got {label!r}"
            )
        return header, None
    names = list(header) if isinstance(header, Sequence) else []
    if isinstance(header, str) or not names or {type(name) for name in names} != {str}:
        raise ParameterError(
            "table: header must be whether there is one, or the names of the columns, "
            f"got {header!r}"
        )
    return False, names


def _meaning(positive: object, negative: object) -> tuple[list[str], list[str]]:
    """Return the labels that mean yes and those that mean no, as they are written."""
    yes = [] if positive is None else _texts("positive", positive)
    no = [] if negative is None else _texts("negative", negative)
    if no and not yes:
        raise ParameterError(
            f"table: positive must be given if negative is, got {negative!r} alone"
        )
    both = set(yes) & set(no)
    if both:
        raise ParameterError(
            f"table: a label must mean either yes or no, got {min(both)!r} for both"
        )
    return yes, no


def _texts(name: str, given: object) -> list[str]:
    if isinstance(given, (str, int, float)):
        given = [given]
    listed: Iterable[object] = given if isinstance(given, Collection) else ()
    texts = [
        # True and 1 are written 1.
        str(int(label)) if isinstance(label, bool) else str(label)
        for label in listed
        if isinstance(label, (str, int, float))
    ]
    sound = isinstance(given, Collection) and len(texts) == len(given)
    if not texts or not sound or len(set(texts)) < len(texts) or "" in texts:
        raise ParameterError(
            f"table: {name} must be one or more labels, each once and none empty, "
            f"got {given!r}"
        )
    return texts
