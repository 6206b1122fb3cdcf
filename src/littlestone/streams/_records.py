"""The records of a CSV file, each with the line where it starts."""

from __future__ import annotations

import io
import re
import zlib
from csv import Error as CsvError
from csv import field_size_limit
from csv import reader as csv_reader
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from littlestone.streams._source import Reader

__all__ = ["Fault", "Record", "Records", "printable"]

_BUFFER = 1 << 18
_LONGEST = 1 << 23  # of a line, and of a record
_SHOWN = 200  # how much of a line too long is kept to show
_BOM = b"\xef\xbb\xbf"
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what `surrogateescape` makes of such bytes


class Record(NamedTuple):
    """The cells of a record, the number of its first line, and that line."""

    cells: list[str]
    line: int
    text: str


class Fault(NamedTuple):
    """What must hold of a record and does not, and the line where it starts."""

    what: str
    line: int
    text: str


class Records:
    """Cuts what a reader reads into records; quoting is left to Python's `csv`."""

    def __init__(self, reader: Reader, delimiter: str) -> None:
        self._reader = reader
        self._delimiter = delimiter
        self._csv = csv_reader(self, delimiter=delimiter, strict=True)
        self._buffer = memoryview(bytearray(_BUFFER))
        self._carry = bytearray()  # the half line at the end of what has been read
        self._begun = self._ended = self._passing = False
        self._failure: BaseException | None = None
        self._lines: list[str] = []
        self._before = 0  # how many lines went before those at hand
        self._start = 0  # where among them the record starts
        self._at = 0  # the line that `csv` takes next
        self._size = 0  # of the record so far
        self._suspect = False  # some line at hand holds NUL or is not UTF-8
        self._too_long: set[int] = (
            set()
        )  # numbers of lines of which only a part is kept

    @property
    def done(self) -> float | None:
        """The share of the file that has been read, where the size is known."""
        return self._reader.done

    def take(self, most: int) -> list[Record | Fault]:
        """Return some records in order, at most so many; none at the end.

        What has come is handed over, without waiting for more. A failure in reading is
        raised when the records before it have been taken.
        """
        found: list[Record | Fault] = []
        while len(found) < most:
            if self._at == len(self._lines):
                self._start = self._at
                if found or not self._more():
                    break
            record = self._next()
            if record is not None:
                found.append(record)
        if not found and self._failure is not None:
            raise self._failure
        return found

    def _next(self) -> Record | Fault | None:
        """Return the next record, or None for a blank line."""
        self._start, self._size = self._at, 0
        try:
            cells = next(self._csv)
        except (CsvError, _TooLongError) as error:
            if self._failure is not None and self._at == len(self._lines):
                return None  # it may be sound, but its end could not be read
            # Nobody knows where a record with a fault ends: go on at the next line.
            self._at = self._start + 1
            text = self._lines[self._start]
            return self._fault(_bytes_fault(text) or self._explained(error))
        if self._suspect:
            for text in self._lines[self._start : self._at]:
                what = _bytes_fault(text)
                if what is not None:
                    return self._fault(what)
        if not cells:
            return None
        return Record(cells, self._before + self._start + 1, self._lines[self._start])

    def _fault(self, what: str) -> Fault:
        return Fault(what, self._before + self._start + 1, self._lines[self._start])

    def _explained(self, error: Exception) -> str:
        if isinstance(error, _TooLongError):
            return f"a line or record must be shorter than {_LONGEST} bytes"
        reason = str(error)
        if reason.startswith("unexpected end"):
            return "a quotation mark must be closed, but the file ends"
        if reason.startswith("field larger"):
            return (
                f"a cell must have at most {field_size_limit()} characters, got more; "
                "is a quotation mark left open?"
            )
        if reason.startswith("new-line"):
            return "a line must end in LF or CR LF, got a CR alone"
        if "expected after" in reason:
            return (
                f"after a quoted cell must come {self._delimiter!r} or the end of the "
                "line, got something else"
            )
        return f"a record must be sound CSV: {reason}"

    # The lines, for `csv` to take.

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        if self._at == len(self._lines) and not self._more():
            raise StopIteration
        line = self._lines[self._at]
        self._at += 1
        self._size += len(line)
        if self._size > _LONGEST or self._before + self._at in self._too_long:
            raise _TooLongError
        return line

    def _more(self) -> bool:
        """Read until there is one more line at least; those of the record stay."""
        del self._lines[: self._start]
        self._before += self._start
        self._at -= self._start
        self._start = 0
        if not self._lines:
            self._suspect = False
            self._too_long.clear()
        while not self._ended:
            count = self._fill()
            if count == 0:
                self._ended = True
                # Half a line at the end is a line, unless reading has failed.
                whole = b"" if self._failure else bytes(self._carry)
                self._carry.clear()
            else:
                new = bytes(self._buffer[:count])
                if self._passing:
                    _, newline, new = new.partition(b"\n")
                    self._passing = not newline
                cut = new.rfind(b"\n") + 1
                whole = bytes(self._carry) + new[:cut] if cut else b""
                if cut:
                    self._carry.clear()
                self._carry += new[cut:]
            if whole:
                self._add(whole)
            if len(self._carry) > _LONGEST:
                self._add(bytes(self._carry[:_SHOWN]) + b"\n")
                self._too_long.add(self._before + len(self._lines))
                self._carry.clear()
                self._passing = True
            if self._at < len(self._lines):
                return True
        return False

    def _add(self, whole: bytes) -> None:
        if not self._begun:
            whole = whole.removeprefix(_BOM)
            self._begun = True
        try:
            text = whole.decode()
            self._suspect |= "\0" in text
        except UnicodeDecodeError:
            text = whole.decode(errors="surrogateescape")
            self._suspect = True
        # Lines end in \n alone, as in every other format; `splitlines` knows more ends.
        self._lines += io.StringIO(text, newline="\n")

    def _fill(self) -> int:
        """Read some bytes; a failure is kept until the records before it are taken."""
        try:
            return self._reader.readinto(self._buffer)
        except (OSError, EOFError, zlib.error) as error:
            self._failure = error
            return 0


class _TooLongError(Exception):
    """A line or a record that is too long to keep."""


def _bytes_fault(text: str) -> str | None:
    if _NOT_UTF8.search(text):
        return "what is read must be UTF-8"
    return "a record must hold no NUL byte" if "\0" in text else None


def printable(text: str, most: int) -> str:
    """Return text fit to be shown, cut if it is long."""
    raw = text[:most].encode(errors="surrogateescape")
    shown = raw.decode(errors="backslashreplace")
    return shown + "…" if len(text) > most else shown
