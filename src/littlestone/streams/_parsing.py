"""Files of lines: read and parsed natively on several threads, in order."""

from __future__ import annotations

import atexit
import os
import threading
import zlib
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from weakref import WeakSet

import numpy as np

from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.outcome import Outcome
from littlestone.streams._base import Block, Stream, examples
from littlestone.streams._hashing import Hashes, Hashing
from littlestone.streams._labels import WrittenLabels, as_outcome, label_rule
from littlestone.streams._source import Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.rows import Example
    from littlestone.streams._source import Reader

__all__ = ["BOM", "LONGEST_LINE", "FileStream", "Parser", "Part"]

_Native: TypeAlias = (
    "_core.SvmlightBlock | _core.TextBlock | _core.VwBlock | _core.JsonLinesBlock "
    "| _core.TableBlock"
)

_BUFFER = 1 << 20
_AT_ONCE = 1 << 19  # what is read in one go, and lost if that fails
LONGEST_LINE = 1 << 23
_SHOWN = 200  # how much of a bad line is kept to show
BOM = b"\xef\xbb\xbf"

# What can be wrong with a line of any format.
_FAULTS = {
    "label": (
        "the label must be 1, 0 or -1 (positive= names the label that means yes in a "
        "file with others)"
    ),
    "no label": "a line must have a label",
    "encoding": "what is read must be UTF-8",
    "mixed": "labels must be 0 and 1 or -1 and +1, never mixed in one file",
    "long": f"a line must be shorter than {LONGEST_LINE} bytes",
}


class FileStream(Hashes, Stream):
    """The examples of a file of lines, parsed natively while the learner learns.

    A format names its native block, its rule and its faults; `hash_bits` has the
    features hashed on the way.

    Attributes
    ----------
    skipped
        How many lines the latest reading could not read and left out.
    left_out
        How many it could read but left out, since they are no examples.
    """

    _native: type[_Native]
    outcome: Outcome
    _outcomes: tuple[Outcome, ...] = (Outcome.LABEL, Outcome.CLASS)
    _has_header = False

    def __init__(
        self,
        owner: str,
        path: str | os.PathLike[str],
        *,
        positive: object,
        outcome: str,
        hash_bits: int | None,
        on_error: str,
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise ParameterError(
                f"{owner}: on_error must be 'raise' or 'skip', got {on_error!r}"
            )
        self.outcome = as_outcome(owner, outcome, self._outcomes, positive=positive)
        self._label_rule = label_rule(self.outcome, positive)
        self._hashing = None if hash_bits is None else Hashing(owner, hash_bits)
        self._owner, self._source = owner, Source(path)
        self._skip = on_error == "skip"
        classes = self.outcome is Outcome.CLASS
        self._labels = WrittenLabels() if classes else None
        self._sure = positive is not None or classes
        self.skipped = self.left_out = 0

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
        """Yield the examples in blocks, in order, parsing ahead on other threads."""
        blocks = self._blocks()
        return blocks if self._hashing is None else self._hashing.blocks(blocks)

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, as mappings from feature to value."""
        return examples(self.blocks())

    def _rule(self, header: bytes | None) -> Any:  # noqa: ARG002 - where there is one
        """Return the rule of the native block; None stands for a header too long."""
        return self._label_rule

    def _fault(self, kind: str) -> str:
        """Return what must hold of a line, in words."""
        return _FAULTS[kind]

    def _blocks(self) -> Iterator[Block]:
        for block, where, done in self._parsed():
            yield Block(
                block.rows(), self._labels_of(block), 0, len(block), where, done
            )

    def _labels_of(self, block: Any) -> NDArray[Any]:
        """Return the labels of a native block."""
        return self._labels(block) if self._labels else block.labels

    def _parser(self, reader: Reader) -> Parser:
        """Return what reads and parses the file."""
        return Parser(
            reader,
            self._native,
            self._rule,
            skip=self._skip,
            has_header=self._has_header,
        )

    def _refusal(self, block: Any, lines_before: int) -> LineError:
        """Return the error for what stopped the parsing of a block."""
        kind, at, text = block.fault
        return self._error(kind, lines_before + at + 1, text, block.fault_place)

    def _parsed(self) -> Iterator[tuple[_Native, _Where, float | None]]:
        """Yield native blocks that hold rows, then raise what stops the reading."""
        self.skipped = self.left_out = 0
        lines_before = total = 0
        alphabet = _Alphabet(sure=self._sure)
        with ExitStack() as stack:
            stack.enter_context(self._source.explained())
            parser = stack.enter_context(self._parser(self._source.open()))
            for part in parser:
                block = part.block
                lines_before += part.passed
                where = _Where(self._source.name, lines_before, block.lines)
                mixed = alphabet.mixed_at(block)
                if mixed is not None:
                    mixed_line = where.line(mixed)
                    block.truncate(mixed)
                total += len(block)
                if len(block):
                    yield block, where, part.done
                if mixed is not None:
                    raise self._error("mixed", mixed_line)
                if block.fault is not None:
                    raise self._refusal(block, lines_before)
                lines_before += block.line_count
                self.skipped += block.skipped
                self.left_out += block.left_out
                if part.too_long is not None:
                    if not self._skip:
                        raise self._error("long", lines_before + 1, part.too_long)
                    lines_before += 1
                    self.skipped += 1
                parser.give_back(part)
        if total == 0:
            raise StreamError(
                "a stream must hold at least one example, got none"
                + (f" ({self.skipped} lines skipped)" if self.skipped else "")
                + (f" ({self.left_out} lines left out)" if self.left_out else ""),
                where=self._source.name,
            )

    def _error(
        self,
        kind: str,
        line: int,
        text: bytes = b"",
        place: tuple[int, bytes] | None = None,
    ) -> LineError:
        shown = text.decode("utf-8", "backslashreplace").rstrip("\r")
        got = f", got {shown!r}" if shown else ""
        if place is not None:
            character, token = place
            value = token.decode("utf-8", "backslashreplace")
            what = repr(value) if value else "its end"
            got = f", got {what} at character {character}"
        error = LineError(self._fault(kind) + got, where=f"{self._source.name}:{line}")
        error.path, error.line, error.text = self._source.name, line, shown
        if place is not None:
            error.column, error.value = character, value
        return error


@dataclass
class _Where:
    """Names a row by file and line."""

    name: str
    before: int
    lines: NDArray[np.uint32]

    def line(self, row: int) -> int:
        return self.before + int(self.lines[row]) + 1

    def __call__(self, row: int) -> str:
        return f"{self.name}:{self.line(row)}"


@dataclass
class _Alphabet:
    """Remembers from block to block whether no is written 0 or -1."""

    sure: bool
    zero: bool = False
    minus: bool = False

    def mixed_at(self, block: _core.LineBlock) -> int | None:
        """Return the row where the second way of saying no is met, if it is."""
        if self.sure:
            return None
        zero, minus = block.first_zero, block.first_minus
        if zero is not None and (self.minus or (minus is not None and minus < zero)):
            return zero
        if minus is not None and (self.zero or zero is not None):
            return minus
        self.zero |= zero is not None
        self.minus |= minus is not None
        return None


@dataclass
class Part:
    """Some whole lines and what was parsed from them; used again and again."""

    block: _Native
    buffer: bytearray = field(default_factory=bytearray)  # of the thread that parses
    first: int = 0  # where the lines begin
    size: int = 0  # where they end
    passed: int = 0  # how many lines stand before those, such as a header
    done: float | None = None
    too_long: bytes | None = None  # the start of a line too long to keep
    parsed: threading.Lock = field(default_factory=threading.Lock)  # held until it is
    error: BaseException | None = None  # what kept it from being parsed

    def wait(self) -> None:
        """Wait until it has been parsed."""
        with self.parsed:
            pass


_at_work: WeakSet[Parser] = WeakSet()


@atexit.register
def _stop_all() -> None:
    """Let no thread be within native code when the interpreter goes."""
    for parser in list(_at_work):
        parser.stop()


class Parser:
    """Reads and parses on several threads; gives the parts back in order.

    Parsing costs ten times what learning does, so what helps is to parse several
    buffers at once, not to parse beside the learner. A thread parses what it has read
    itself, which is then in the cache of its core. They read in turn: that is the order
    of the queue.

    Who learns reads and parses too, rather than wait, where reading itself never waits:
    then no more threads are at work than there are processors, and a file that fits one
    buffer needs no other thread.
    """

    def __init__(
        self,
        reader: Reader,
        native: type[_Native],
        make_rule: Callable[[bytes | None], Any],
        *,
        skip: bool,
        has_header: bool,
    ) -> None:
        workers = min(4, os.cpu_count() or 1)
        self._reader, self._skip = reader, skip
        self._buffer: bytearray | None = None  # of who learns, if that reads too
        self._make_rule, self._has_header = make_rule, has_header
        self._rule: Any = None
        self._rest = b""  # of the latest buffer: half a line
        self._starts = self._more = True
        self._parts = workers + 2
        self._free: SimpleQueue[Part | None] = SimpleQueue()
        self._parsed: SimpleQueue[Part | BaseException | None] = SimpleQueue()
        for _ in range(self._parts):
            self._free.put(Part(native()))
        self._end: BaseException | None = None
        self._turn = threading.Lock()  # to read
        self._door = threading.Lock()  # to what is parsed
        self._closed = False
        # Daemons: one may be waiting for input that never comes.
        self._threads = [
            threading.Thread(target=self._work, name="littlestone-parse", daemon=True)
            for _ in range(workers - reader.prompt)
        ]

    def __enter__(self) -> Self:
        _at_work.add(self)
        if not self._reader.prompt:
            self._start()
        return self

    def _start(self) -> None:
        for thread in self._threads:
            thread.start()
        self._threads = []

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Read no more, and wait for what is being parsed, which ends by itself."""
        _at_work.discard(self)
        with self._door:
            self._closed = True
        self._free.put(None)
        if self._turn.acquire(blocking=False):  # nobody reads who would close it
            self._more = False
            self._reader.close()
            self._turn.release()
        while not self._parsed.empty():
            item = self._parsed.get()
            if isinstance(item, Part):
                item.wait()

    def __iter__(self) -> Iterator[Part]:
        while (item := self._earliest()) is not None:
            if isinstance(item, Part):
                item = item.error or item
            if isinstance(item, BaseException):
                raise item
            yield item

    def give_back(self, part: Part) -> None:
        """Let a part be filled again."""
        self._free.put(part)

    def _earliest(self) -> Part | BaseException | None:
        """Return what comes next, parsed; while it is not, parse what comes later."""
        while self._parsed.empty() and self._help():
            pass
        item = self._parsed.get()
        if isinstance(item, Part):
            while item.parsed.locked() and self._help():
                pass
            item.wait()
        return item

    def _help(self) -> bool:
        """Read a part and parse it, if it is to be had; tell whether it was."""
        if not self._reader.prompt or not self._turn.acquire(blocking=False):
            return False
        try:
            if not self._more or self._free.empty():
                return False
            if self._buffer is None:
                self._buffer = bytearray(_BUFFER)
            taken = self._next(self._buffer)
        finally:
            self._turn.release()
        if taken is None:
            return False
        if self._more:
            self._start()
        self._parse(*taken)
        return True

    def _work(self) -> None:
        """Read a part and parse it, again and again."""
        buffer = bytearray(_BUFFER)
        while True:
            with self._turn:
                taken = self._next(buffer, wait=True) if self._more else None
            if taken is None:
                return
            try:
                self._parse(*taken)
            finally:
                taken[0].parsed.release()

    def _next(
        self, buffer: bytearray, *, wait: bool = False
    ) -> tuple[Part, Any] | None:
        """Read the next part, and give it its place in the queue.

        Others must `wait` for it to be parsed.
        """
        part = None
        try:
            part = self._free.get()
            if part is None:
                self._more = False
            else:
                part.buffer = buffer
                self._more, self._rest = self._fill(part, self._rest)
                part.first = part.passed = 0
                if self._starts:
                    self._starts = not self._begin(part)
        except BaseException as error:  # noqa: BLE001 - raised by who consumes
            self._end = self._end or error  # what could not be read comes first
            self._more, part = False, None
        with self._door:
            if self._closed:
                self._more, part = False, None
            elif part is not None:
                if wait:
                    part.parsed.acquire()
                self._parsed.put(part)
            if not self._more:
                self._parsed.put(self._end)
        if not self._more:
            self._reader.close()
        return None if part is None else (part, self._rule)

    def _begin(self, part: Part) -> bool:
        """Make the rule, and find where the lines begin; tell whether it is made."""
        mark = part.buffer.startswith(BOM) and part.size >= len(BOM)
        part.first = len(BOM) if mark else 0
        if not self._has_header:
            self._rule = self._make_rule(b"")
            return True
        if part.too_long is not None:
            self._rule = self._make_rule(None)
        end = part.buffer.find(b"\n", part.first, part.size)
        end = part.size if end < 0 else end
        self._rule = self._make_rule(bytes(part.buffer[part.first : end]))
        part.first, part.passed = min(end + 1, part.size), 1
        return True

    def _cut(self, buffer: bytearray, cut: int, filled: int, end: int) -> int:
        """Return where the last whole line ends; up to `filled`, that was at `cut`."""
        return buffer.rfind(b"\n", filled, end) + 1 or cut

    def _enough(self, buffer: bytearray, cut: int) -> bool:  # noqa: ARG002 - for others
        """Tell whether whole lines up to `cut` are enough to go on with."""
        return True

    def _parse(self, part: Part, rule: Any) -> None:
        text = np.frombuffer(part.buffer, dtype=np.uint8)
        part.buffer = bytearray()  # what was parsed needs its text no more
        try:
            part.block.parse(text, part.first, part.size, rule, self._skip)
        except Exception as error:  # noqa: BLE001 - raised when its turn comes
            part.error = error

    def _fill(self, part: Part, rest: bytes) -> tuple[bool, bytes]:
        """Fill a part with whole lines; tell whether there is more, and the rest."""
        part.too_long = None
        part.buffer[: len(rest)] = rest
        filled = len(rest)
        cut = self._cut(part.buffer, 0, 0, filled)
        while True:
            if filled == len(part.buffer):
                if cut:
                    break
                if filled >= LONGEST_LINE:
                    part.too_long = bytes(part.buffer[:_SHOWN])
                    part.size = 0
                    return self._pass_over_line(part, filled)
                part.buffer = part.buffer + bytes(filled)  # the worker keeps its own
            count = self._take(memoryview(part.buffer)[filled : filled + _AT_ONCE])
            if count == 0:
                # Half a line at the end is a line, unless reading has failed.
                part.size = cut if self._end else filled
                part.done = self._reader.done
                return False, b""
            cut = self._cut(part.buffer, cut, filled, filled + count)
            filled += count
            # While nothing else is under way the learner waits: what has come must do,
            # unless more is there at once.
            alone = self._free.qsize() == self._parts - 1
            waits = alone and not self._reader.prompt
            if cut and waits and self._enough(part.buffer, cut):
                break
        part.size, part.done = cut, self._reader.done
        return True, bytes(part.buffer[cut:filled])

    def _pass_over_line(self, part: Part, filled: int) -> tuple[bool, bytes]:  # noqa: ARG002 - for others
        """Read on to the end of a line that is too long."""
        buffer = bytearray(_BUFFER)
        while count := self._take(memoryview(buffer)):
            newline = buffer.find(b"\n", 0, count)
            if newline >= 0:
                return True, bytes(buffer[newline + 1 : count])
        return False, b""

    def _take(self, buffer: memoryview) -> int:
        """Read some bytes; a failure is kept until the lines before it are parsed."""
        try:
            return self._reader.readinto(buffer)
        except (OSError, EOFError, zlib.error) as error:
            self._end = error
            return 0
