"""The records of a CSV file: read natively, cut between records, not lines."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from littlestone import _core
from littlestone.outcome import Outcome
from littlestone.streams._labels import NUMBER
from littlestone.streams._parser import BOM, Parser, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from littlestone.streams._source import Reader

__all__ = ["FirstRecords", "FoundRecord", "RecordParser", "printable"]

_LOOKED_AT = 1000  # how many records decide the types of the columns
_READ_AS_TEXT = 50  # how many records show whether a column is text
_WORDS = 4  # words of a text on average, at least
_DIFFERENT = 0.8  # of the texts
_DELIMITERS = ",;\t|"  # those that are recognised
# A day, with the year first or last, and a time after it.
_DATE = re.compile(
    r"(\d{4}([-/.])\d{1,2}\2\d{1,2}|\d{1,2}([-/.])\d{1,2}\3\d{2}(\d{2})?)([T ].*)?"
)
# Numbers with marks for thousands, a decimal comma, a currency or a percent sign.
_DISGUISED = re.compile(
    r"[+-]?[$€£¥]? ?(\d{1,3}([,.' ]\d{3})+([.,]\d+)?|\d+([.,]\d+)?) ?[%$€£¥]?"
)
_LINE = re.compile(rb"[^\r\n][^\n]*")  # that is not blank
_SHOWN = 200


def printable(text: str, most: int) -> str:
    """Return text that can be printed, cut if it is long."""
    raw = text[:most].encode(errors="surrogateescape")
    shown = raw.decode(errors="backslashreplace")
    return shown + "…" if len(text) > most else shown


class FoundRecord(NamedTuple):
    """A record or what is wrong with it, its line, and where the next one begins."""

    cells: list[str]
    fault: str
    line: int
    text: str
    next_line: int
    next_at: int


@dataclass
class FirstRecords:
    """The records at the start of a file, from which its layout is learned."""

    buffer: bytearray
    first: int
    last: int
    delimiter: str
    line: int  # of the first record
    passed: int = 0  # lines up to the end of the header

    def __iter__(self) -> Iterator[FoundRecord]:
        text = np.frombuffer(self.buffer, dtype=np.uint8)
        at, line = self.first, self.line
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
                shown, next_line = self._line_at(at), line + lines
                yield FoundRecord(cells, fault, line, shown, next_line, next_at)
            at, line = next_at, line + lines

    def _line_at(self, at: int) -> str:
        end = self.buffer.find(b"\n", at, self.last)
        raw = bytes(self.buffer[at : self.last if end < 0 else end]).rstrip(b"\r")
        return printable(raw.decode(errors="surrogateescape"), _SHOWN)

    def pass_over(self, header: FoundRecord) -> None:
        """Let the records begin after the header."""
        self.first, self.passed = header.next_at, header.next_line - self.line

    def numeric(self, width: int) -> list[bool]:
        """Return which columns contain only numbers in the first records."""
        text = np.frombuffer(self.buffer, dtype=np.uint8)
        return _core.columns_of_numbers(
            text, self.first, self.last, self.delimiter, width, _LOOKED_AT
        )

    @property
    def first_cells(self) -> list[str]:
        """The cells of the first record without a fault."""
        return next(record.cells for record in self if not record.fault)

    def has_header(self, columns: Iterable[int]) -> bool:
        r"""Return whether only the first record keeps a column from being numeric.

        Examples
        --------
        >>> from littlestone.streams._records import FirstRecords
        >>> lines = bytearray(b"age,town\n41,Ulm\n29,Bonn\n")
        >>> FirstRecords(lines, 0, len(lines), ",", 1).has_header([0, 1])
        True
        """
        head = next((record for record in self if not record.fault), None)
        if head is None:
            return False
        others = replace(self, first=head.next_at).numeric(len(head.cells))
        return any(others[column] for column in columns) and head.next_at < self.last

    def texts(self, columns: Iterable[int]) -> list[int]:
        r"""Return which columns look like texts: long cells, hardly one of them twice.

        Examples
        --------
        >>> from littlestone.streams._records import FirstRecords
        >>> lines = b"".join(b"%d,day %d of 365,a b c d\n" % (i, i) for i in range(50))
        >>> FirstRecords(bytearray(lines), 0, len(lines), ",", 1).texts([0, 1, 2])
        [1]
        """
        first = self._sound
        if len(first) < _READ_AS_TEXT:
            return []
        found = []
        for column in columns:
            cells = [record[column] for record in first if column < len(record)]
            words = sum(cell.count(" ") + 1 for cell in cells if cell)
            few = len(set(cells)) < _DIFFERENT * len(first)
            if not few and words >= _WORDS * len(first):
                found.append(column)
        return found

    def disguised(self, columns: Iterable[int]) -> dict[int, str]:
        r"""Return columns whose cells are numbers for people alone, and such a cell.

        Examples
        --------
        >>> from littlestone.streams._records import FirstRecords
        >>> lines = bytearray(b"10%;1.234,5;7\n2.5%;;a\n")
        >>> FirstRecords(lines, 0, len(lines), ";", 1).disguised([0, 1, 2])
        {0: '10%', 1: '1.234,5'}
        """
        found = {}
        for column, cells in self._cells(columns):
            odd = [cell for cell in cells if not NUMBER.fullmatch(cell.strip())]
            if odd and all(_DISGUISED.fullmatch(cell.strip()) for cell in cells):
                found[column] = odd[0]
        return found

    def dates(self, columns: Iterable[int]) -> dict[int, str]:
        r"""Return columns whose cells are dates, and such a cell.

        Examples
        --------
        >>> from littlestone.streams._records import FirstRecords
        >>> lines = bytearray(b"2026-11-18,18.11.26 07:54,7-8\n2026-11-19,,\n")
        >>> FirstRecords(lines, 0, len(lines), ",", 1).dates([0, 1, 2])
        {0: '2026-11-18', 1: '18.11.26 07:54'}
        """
        return {
            column: cells[0]
            for column, cells in self._cells(columns)
            if cells and all(_DATE.fullmatch(cell.strip()) for cell in cells)
        }

    def _cells(self, columns: Iterable[int]) -> Iterator[tuple[int, list[str]]]:
        """Yield columns with those of their first cells that are not empty."""
        for column in columns:
            cells = [record[column] for record in self._sound if column < len(record)]
            yield column, [cell for cell in cells if cell.strip()]

    @cached_property
    def _sound(self) -> list[list[str]]:
        """The cells of the first records without a fault, after any header."""
        sound = (record.cells for record in self if not record.fault)
        return list(islice(sound, _READ_AS_TEXT))


class RecordParser(Parser):
    """Cuts the input between records, which may span lines within quotes.

    Parameters
    ----------
    reader, skip
        As in `Parser`.
    has_header
        Whether the first record is a header.
    begin
        Learns the layout from the first records, and returns the rule to read by; None
        if none of them is without a fault.
    delimiter
        The character between cells; None to recognise it.
    looks
        Whether to wait for the records that decide the types of the columns.
    width
        How many columns a record has, or 0 if the first record decides that.
    """

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
        super().__init__(reader, _core.TableBlock, _no_rule, skip=skip, is_header=bool)
        self._learn, self._delimiter = begin, delimiter
        self._looks = _LOOKED_AT + int(has_header) if looks else 0
        self._width = width
        self._fresh = True  # whether nothing has been handed over yet
        self._line = 1  # of the first record of the next part, while there is no rule

    def _mark(self, buffer: bytearray, end: int) -> int:
        """Return where the text begins: after a byte order mark."""
        marked = self._fresh and end >= len(BOM) and buffer.startswith(BOM)
        return len(BOM) if marked else 0

    def _cut(self, buffer: bytearray, cut: int, filled: int, end: int) -> int:
        if buffer.find(b"\n", filled, end) < 0:
            return cut
        first = cut or self._mark(buffer, end)
        if self._delimiter is None:
            last = buffer.rfind(b"\n", first, end)
            self._delimiter = _recognised(buffer, first, last)
        text = np.frombuffer(buffer, dtype=np.uint8)
        found = _core.whole_records(text, first, end, self._delimiter or ",")
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
            self._delimiter = _recognised(part.buffer, first, part.size)
        delimiter = self._delimiter or ","
        records = FirstRecords(part.buffer, first, part.size, delimiter, self._line)
        rule = self._learn(records, too_long=part.too_long is not None)
        part.first, part.passed = records.first, records.passed
        # Without a fault-free record everything is a fault, whatever the rule.
        self._rule = rule or _core.TableRule(
            columns=[],
            delimiter=delimiter,
            missing="leave out",
            labels=Outcome.LABEL,
            positive=[],
            negative=[],
        )
        if rule is None:
            self._line += part.buffer.count(b"\n", 0, part.size)
        return rule is not None

    def _pass_over_line(self, part: Part, filled: int) -> tuple[bool, bytes]:
        newline = part.buffer.find(b"\n", 0, filled)
        if newline < 0:
            return super()._pass_over_line(part, filled)
        return True, bytes(part.buffer[newline + 1 : filled])


def _no_rule(_: bytes | None) -> None:
    """Make no rule from the header line alone: `begin` needs whole records."""


def _recognised(text: bytearray, first: int, last: int) -> str | None:
    """Return the delimiter that is most frequent in the first line, outside quotes.

    None if there are only blank lines.
    """
    start = _LINE.search(text, first, last)
    if start is None:
        return None
    outside = b"".join(start[0].split(b'"')[::2]).decode("latin-1")
    return max(_DELIMITERS, key=outside.count)
