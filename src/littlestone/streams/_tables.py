"""CSV files as tables: which column is what, and what is wrong with a record."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import _core
from littlestone.errors import (
    Hint,
    LineError,
    ParameterError,
    StreamError,
    did_you_mean,
)
from littlestone.outcome import Outcome
from littlestone.streams._file import FileStream
from littlestone.streams._labels import as_outcome, label_hints
from littlestone.streams._options import column_of, columns_of, name_of
from littlestone.streams._parser import LONGEST_LINE
from littlestone.streams._records import (
    FirstRecords,
    FoundRecord,
    RecordParser,
    printable,
)

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from littlestone.streams._parser import Parser
    from littlestone.streams._source import Reader

__all__ = ["Head", "Layout", "TableStream"]

_TAB_ENDINGS = tuple(
    f".{ending}{packed}" for ending in ("tsv", "tab") for packed in ("", ".gz", ".zst")
)
_VALUE_SHOWN = 80
_HEADER_SHOWN = 200
_LABELS_SHOWN = 8

_FAULTS = {
    "nul": "a record must not contain a NUL byte",
    "open": "a quotation mark must be closed, but the file ends",
    "return": "a line must end in LF or CR LF, got a CR alone",
    "long": (
        f"a line or record must be shorter than {LONGEST_LINE} bytes (is a quotation "
        "mark missing?)"
    ),
}


@dataclass(frozen=True)
class Head:
    """How a file begins: the names of its columns, or how many there are."""

    names: list[str] | None
    width: int
    line: int
    absent: int | None = None  # the number of the label's column, if records lack it

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of each column that has a name."""
        return {name: column for column, name in enumerate(self.names or ())}

    @property
    def shown(self) -> str:
        """The columns, for a message."""
        if self.names is None:
            return f"{self.width} columns"
        return printable(", ".join(map(repr, self.names)), _HEADER_SHOWN)

    @property
    def what(self) -> str:
        """The record that decides the columns."""
        return "first record" if self.names is None else "header"

    def number(self, place: int) -> int:
        """Return the number of the column in a place; they differ if one is absent."""
        return place + (self.absent is not None and place >= self.absent)

    def place(self, number: int) -> int:
        """Return the place of a column."""
        return number - (self.absent is not None and number > self.absent)


@dataclass
class Layout:
    """What each column of a file is called, and what it contains."""

    head: Head
    delimiter: str
    label: int | None  # None if records have none
    used: list[int]  # the other columns that are read, in the order they were given
    kinds: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.kinds = ["ignored"] * self.head.width
        if self.label is not None:
            self.kinds[self.label] = "label"

    @cached_property
    def names(self) -> list[str]:
        """The names of all columns."""
        return self.head.names or [
            name_of(self.head.number(place)) for place in range(self.head.width)
        ]


class TableStream(FileStream):
    """The records of a CSV file, with a column for the label and others beside it."""

    _native = _core.TableBlock
    _faults = _FAULTS
    _cell_faults: ClassVar[Mapping[str, str]]  # what a cell must be like
    _others = "columns"  # the option that chooses the columns beside the label
    _dense = False  # whether every number is an entry, 0 and missing ones included

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        label: str | int,
        columns: object,
        positive: object = None,
        negative: object = None,
        outcome: str,
        missing: str,
        delimiter: str | None,
        header: bool | Sequence[str] | None,
        unlabelled: str,
        weight: str | None = None,
        hash_bits: int | None = None,
        on_error: str,
    ) -> None:
        owner = self._owner
        as_outcome(owner, outcome, self._outcomes, positive=positive)
        super().__init__(
            path,
            outcome=outcome,
            unlabelled=unlabelled,
            hash_bits=hash_bits,
            on_error=on_error,
        )
        self._meaning = _meaning(owner, positive, negative)
        self._may_mix = bool(self._meaning[0]) or self.outcome is not Outcome.LABEL
        self._missing = missing
        self._delimiter = self._checked_delimiter(delimiter)
        self._has_header, self._given_names = _checked_header(owner, header, label)
        self._named = self._has_header or self._given_names is not None
        self._label = column_of(owner, "label", label, named=self._named)
        self._columns: list[str | int] | None = None
        if columns is not None:
            self._columns = columns_of(
                owner, self._others, columns, named=self._named, label=label
            )
        if weight is not None and (not isinstance(weight, str) or not self._named):
            raise ParameterError(
                f"weight must be the name of a column in the header, got {weight!r}",
                owner=owner,
            )
        self._weight, self._weighs = weight, weight is not None
        self._learned: Layout | None = None

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
            "delimiter must be one ASCII character that is not part of a number, a "
            f"quotation mark or a line end, got {delimiter!r}",
            owner=self._owner,
        )

    # Which column is what.

    @property
    def _layout(self) -> Layout:
        """The layout that the latest reading has learned."""
        if self._learned is None:
            raise AssertionError("no record has been read")
        return self._learned

    @abstractmethod
    def _assign(self, layout: Layout, records: FirstRecords) -> None:
        """Set what each column that is used contains."""

    @abstractmethod
    def _needs_records(self) -> bool:
        """Return whether the first records decide what columns contain."""

    def _parser(self, reader: Reader) -> Parser:
        self._learned = None
        return RecordParser(
            reader,
            begin=self._begin,
            delimiter=self._delimiter,
            looks=self._needs_records(),
            width=len(self._given_names or ()),
            skip=self._skip,
            has_header=self._has_header,
        )

    def _begin(
        self, records: FirstRecords, *, too_long: bool
    ) -> _core.TableRule | None:
        """Learn the layout from the first records, and pass over a header.

        Returns None if there is no record to learn from.
        """
        first = self._first(records, too_long=too_long)
        if first is None:
            return None
        names = first.cells if self._has_header else self._given_names
        width = len(names or first.cells)
        head = Head(names, width, first.line, self._absent(names, width))
        weight = self._weight_in(head)
        label, used = self._used(head, weight)
        self._learned = layout = Layout(head, records.delimiter, label, used)
        self._assign(layout, records)
        if weight is not None:
            layout.kinds[weight] = "weight"
        yes, no = self._meaning
        return _core.TableRule(
            columns=list(zip(layout.kinds, layout.names, strict=True)),
            delimiter=records.delimiter,
            missing=self._missing,
            labels="named" if yes else self.outcome,
            positive=yes,
            negative=no,
            unlabelled=self._unlabelled,
            dense=self._dense,
        )

    def _first(self, records: FirstRecords, *, too_long: bool) -> FoundRecord | None:
        """Return the first record without a fault, which may be the header."""
        if too_long:
            if self._has_header:
                raise self._error(self._fault("long"), 1)
            return None
        for found in records:
            if found.fault and (self._has_header or not self._skip):
                what = f"{self._fault(found.fault)}, got {found.text!r}"
                raise self._error(what, found.line, found.text)
            if not found.fault:
                if self._has_header:
                    records.pass_over(found)
                return found
        return None

    def _empty(self) -> StreamError:
        if self._has_header and self._learned is None:
            return self._error("the first line must be a header, got nothing", 1)
        return super()._empty()

    def _absent(self, names: list[str] | None, width: int) -> int | None:
        """Return the number of the label's column, if records are without it.

        Without names that shows in their width: they have one cell too few.
        """
        if names is not None or self._unlabelled != "keep":
            return None
        numbers = [int(column) for column in (self._label, *(self._columns or ()))]
        return numbers[0] if max(numbers) == width else None

    def _weight_in(self, head: Head) -> int | None:
        """Return the column of the weight; what is only predicted may have none."""
        lacks = self._unlabelled == "keep" and self._weight not in (head.names or ())
        if self._weight is None or lacks:
            self._weighs = False
            return None
        self._weighs = True
        return self._place(self._weight, head)

    def _used(self, head: Head, weight: int | None) -> tuple[int | None, list[int]]:
        """Return the column of the label and those that are read beside it."""
        lacks = self._unlabelled == "keep" and (
            head.absent is not None
            or (isinstance(self._label, str) and self._label not in (head.names or ()))
        )
        label = None if lacks else self._place(self._label, head)
        apart = [at for at in (label, weight) if at is not None]
        used = [column for column in range(head.width) if column not in apart]
        what = "" if used else "there must be a column beside the label"
        if self._columns is not None:
            used = [self._place(column, head) for column in self._columns]
        if len({*apart, *used}) < len(apart) + len(used):
            apart_from = " and the label" if weight is None else ", label and weight"
            what = f"{self._others} must be without duplicates{apart_from}"
        if what:
            raise self._error(f"{what}, got {head.shown}", head.line)
        times = Counter(head.names)
        for column in (*apart, *used):
            if head.names is not None and times[head.names[column]] > 1:
                name = printable(head.names[column], _VALUE_SHOWN)
                raise self._error(
                    f"the header must name each column once, got {name!r} twice",
                    head.line,
                )
        return label, used

    def _place(self, column: str | int, head: Head) -> int:
        """Return the number of a column that was asked for."""
        if isinstance(column, int):
            if head.place(column) < head.width:
                return head.place(column)
        elif column in head.places:
            return head.places[column]
        raise self._error(
            f"the {head.what} must have a column {column!r}, got {head.shown}"
            + did_you_mean(column, head.names or ()),
            head.line,
        )

    # What is wrong.

    def _fault(self, kind: str) -> str:
        if kind == "quoted":
            delimiter = self._learned.delimiter if self._learned else self._delimiter
            return (
                f"a quoted cell must be followed by {delimiter or ','!r} or the end of "
                "the line"
            )
        return super()._fault(kind)

    def _refusal(self, block: Any, lines_before: int) -> LineError:
        layout = self._layout
        kind, at, raw_text = block.fault
        column, count, raw = block.fault_cell
        shown = raw_text.rstrip(b"\r").decode(errors="surrogateescape")
        text, line = printable(shown, len(shown)), lines_before + at + 1
        if kind == "columns":
            head = layout.head
            must = f"a record must have {head.width} columns, as the {head.what} has"
            return self._error(f"{must}, got {count}", line, text)
        if kind not in self._cell_faults:
            return self._error(self._fault(kind), line, text, self._marks(kind))
        value = printable(raw.decode(errors="surrogateescape"), _VALUE_SHOWN)
        name = layout.names[column]
        what, hints = self._reason(kind, column)
        what = what.format(name=repr(name), must=self._label_must())
        if layout.head.names is None and line == layout.head.line and kind == "label":
            hints = (Hint("label", does="by its name reads the line as a header"),)
        elif kind == "label" and hints:
            hints = label_hints(value)
        error = self._error(f"{what}, got {value!r}", line, text, hints)
        error.column, error.value = name, value
        return error

    def _marks(self, kind: str) -> tuple[Hint, ...]:
        """Return what helps with stray quotation marks: texts are not quoted."""
        texts = kind in ("quoted", "open") and self._layout.delimiter == "\t"
        return (Hint("format", "text", "reads the words of texts"),) if texts else ()

    def _reason(self, kind: str, column: int) -> tuple[str, tuple[Hint, ...]]:  # noqa: ARG002 - for subclasses
        """Return what a cell of a column must be like, and what would help."""
        return self._cell_faults[kind], self._hints.get(kind, ())

    def _label_must(self) -> str:
        """Return what a label must be where its meaning was given."""
        yes, no = self._meaning
        if not no:
            return "not be empty"
        known = [repr(text) for text in (*yes, *no)]
        more = ", …" if len(known) > _LABELS_SHOWN else ""
        return f"be one of {', '.join(known[:_LABELS_SHOWN])}{more}"

    def _written(self, block: _core.TableBlock) -> NDArray[Any]:
        if self.outcome is Outcome.NUMBER:
            return block.outcomes
        return super()._written(block)


def _checked_header(
    owner: str, header: object, label: object
) -> tuple[bool, list[str] | None]:
    """Return whether the first record is a header, and the names that were given."""
    if header is None:
        return isinstance(label, str), None
    if isinstance(header, bool):
        if isinstance(label, str) and not header:
            raise ParameterError(
                f"label must be a column number if there is no header, got {label!r}",
                owner=owner,
            )
        return header, None
    names = list(header) if isinstance(header, Sequence) else []
    if isinstance(header, str) or not names or {type(name) for name in names} != {str}:
        raise ParameterError(
            f"header must be True, False or the names of the columns, got {header!r}",
            owner=owner,
        )
    return False, names


def _meaning(
    owner: str, positive: object, negative: object
) -> tuple[list[str], list[str]]:
    """Return the labels that mean yes and those that mean no, as text."""
    yes = [] if positive is None else _texts(owner, "positive", positive)
    no = [] if negative is None else _texts(owner, "negative", negative)
    if no and not yes:
        raise ParameterError(
            f"positive must be given if negative is, got {negative!r} alone",
            owner=owner,
        )
    both = set(yes) & set(no)
    if both:
        raise ParameterError(
            f"a label must mean either yes or no, got {min(both)!r} for both",
            owner=owner,
        )
    return yes, no


def _texts(owner: str, name: str, given: object) -> list[str]:
    if isinstance(given, (str, int, float)):
        given = [given]
    listed: Iterable[object] = given if isinstance(given, Collection) else ()
    texts = [
        # True and 1 are written 1.
        str(int(label)) if isinstance(label, bool) else str(label)
        for label in listed
        if isinstance(label, (str, int, float))
    ]
    valid = isinstance(given, Collection) and len(texts) == len(given)
    if not texts or not valid or len(set(texts)) < len(texts) or "" in texts:
        raise ParameterError(
            f"{name} must be one or more labels without duplicates, none of them "
            f"empty, got {given!r}",
            owner=owner,
        )
    return texts
