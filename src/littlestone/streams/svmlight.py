"""svmlight files, parsed natively while the learner learns."""

from __future__ import annotations

import os
import threading
import zlib
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Literal, Self

import numpy as np

from littlestone import _core
from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.streams._base import Block, Stream
from littlestone.streams._source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from littlestone.rows import Example
    from littlestone.streams._source import Reader

__all__ = ["svmlight"]

_BUFFER = 1 << 20
_LONGEST_LINE = 1 << 23
_SHOWN = 200  # how much of a bad line is kept to show
_BOM = b"\xef\xbb\xbf"

_FAULTS = {
    "label": (
        "the label must be 1, 0 or -1 (positive= names the label that means yes in a "
        "file with others)"
    ),
    "pair": "features must be written index:value",
    "index": "a feature's index must be below 2**32",
    "finite": "a feature's value must be a finite number",
    "duplicate": "each index may stand once in a line",
    "mixed": "labels must be 0 and 1 or -1 and +1, never mixed in one file",
    "long": f"a line must be shorter than {_LONGEST_LINE} bytes",
}


def svmlight(
    path: str | os.PathLike[str],
    positive: str | float | None = None,
    *,
    on_error: Literal["raise", "skip"] = "raise",
) -> SvmlightStream:
    r"""Stream the examples of an svmlight file: `label index:value … # comment`.

    Plain, gzip and zstd files are told apart by their content. Indices keep the number
    they are written with, so files counting from 0 and from 1 both read as they are.
    Blank lines, comments and `qid:` are passed over; indices may come in any order, but
    not twice in a line. However long the file, memory holds a few buffers.

    Parameters
    ----------
    path
        A file, or "-" for standard input.
    positive
        The label that means yes, in a file whose labels are not 1 against 0 or -1;
        every other label then means no.
    on_error
        What to do with a line that cannot be read: `"raise"`, or `"skip"` it and count
        it in `skipped`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.svm"
    >>> _ = path.write_text("ham 3:1 7:0.5\nspam 3:2  # buy now\n")
    >>> list(streams.svmlight(path, positive="spam"))
    [({3: 1.0, 7: 0.5}, False), ({3: 2.0}, True)]
    >>> run(Perceptron(), streams.svmlight(path, positive="spam")).mistakes
    2
    """
    return SvmlightStream(path, positive, on_error=on_error)


class SvmlightStream(Stream):
    """The examples of an svmlight file; made by `streams.svmlight`.

    Attributes
    ----------
    skipped
        How many lines the latest reading could not read and left out.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        positive: str | float | None = None,
        *,
        on_error: Literal["raise", "skip"] = "raise",
    ) -> None:
        if on_error not in ("raise", "skip"):
            raise ParameterError(
                f"svmlight: on_error must be 'raise' or 'skip', got {on_error!r}"
            )
        self._source = Source(path)
        self._skip = on_error == "skip"
        # True and 1 are written 1.
        self._label_rule = (
            _core.LabelRule()
            if positive is None
            else _core.LabelRule(str(int(positive) if positive is True else positive))
        )
        self._sure = positive is not None
        self.skipped = 0

    def __repr__(self) -> str:
        return f"svmlight({self._source.name!r})"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once; a pipe cannot."""
        return self._source.repeatable

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order, parsing ahead on other threads."""
        for block, where, done in self._parsed():
            yield Block(block.rows(), block.labels, 0, len(block), where, done)

    def __iter__(self) -> Iterator[tuple[Example, bool]]:
        """Yield the examples one by one, as mappings from index to value."""
        for block, _, _ in self._parsed():
            for row, label in enumerate(block.labels.tolist()):
                yield block.row(row), label

    def _parsed(self) -> Iterator[tuple[_core.SvmlightBlock, _Where, float | None]]:
        """Yield native blocks that hold rows, then raise what stops the reading."""
        self.skipped = 0
        lines_before = 0
        examples = 0
        alphabet = _Alphabet(sure=self._sure)
        with ExitStack() as stack:
            stack.enter_context(self._source.explained())
            parser = stack.enter_context(
                _Parser(self._source.open(), self._label_rule, skip=self._skip)
            )
            for part in parser:
                block = part.block
                where = _Where(self._source.name, lines_before, block.lines)
                mixed = alphabet.mixed_at(block)
                if mixed is not None:
                    mixed_line = where.line(mixed)
                    block.truncate(mixed)
                examples += len(block)
                if len(block):
                    yield block, where, part.done
                if mixed is not None:
                    raise self._error("mixed", mixed_line)
                if block.fault is not None:
                    kind, at, text = block.fault
                    raise self._error(kind, lines_before + at + 1, text)
                lines_before += block.line_count
                self.skipped += block.skipped
                if part.too_long is not None:
                    if not self._skip:
                        raise self._error("long", lines_before + 1, part.too_long)
                    lines_before += 1
                    self.skipped += 1
                parser.give_back(part)
        if examples == 0:
            raise StreamError(
                "a stream must hold at least one example, got none"
                + (f" ({self.skipped} lines skipped)" if self.skipped else ""),
                where=self._source.name,
            )

    def _error(self, kind: str, line: int, text: bytes = b"") -> LineError:
        shown = text.decode("utf-8", "backslashreplace").rstrip("\r")
        error = LineError(
            _FAULTS[kind] + (f", got {shown!r}" if shown else ""),
            where=f"{self._source.name}:{line}",
        )
        error.path, error.line, error.text = self._source.name, line, shown
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

    def mixed_at(self, block: _core.SvmlightBlock) -> int | None:
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
class _Part:
    """One buffer of whole lines and what was parsed from it; used again and again."""

    buffer: bytearray = field(default_factory=lambda: bytearray(_BUFFER))
    block: _core.SvmlightBlock = field(default_factory=_core.SvmlightBlock)
    size: int = 0
    done: float | None = None
    too_long: bytes | None = None  # the start of a line too long to keep


class _Parser:
    """Reads on one thread and parses on several; gives the parts back in order.

    Parsing costs ten times what learning does, so what helps is to parse several
    buffers at once, not to parse beside the learner. The order is that of the queue.
    """

    def __init__(
        self, reader: Reader, label_rule: _core.LabelRule, *, skip: bool
    ) -> None:
        workers = min(4, os.cpu_count() or 1)
        self._reader, self._label_rule, self._skip = reader, label_rule, skip
        self._parts = workers + 2
        self._free: SimpleQueue[_Part | None] = SimpleQueue()
        self._parsed: SimpleQueue[Future[_Part] | BaseException | None] = SimpleQueue()
        for _ in range(self._parts):
            self._free.put(_Part())
        self._end: BaseException | None = None
        self._pool = ThreadPoolExecutor(workers, "littlestone-parse")
        # A daemon: it may be waiting for input that never comes.
        self._thread = threading.Thread(
            target=self._read, name="littlestone-read", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._free.put(None)
        self._pool.shutdown(cancel_futures=True)

    def __iter__(self) -> Iterator[_Part]:
        while (item := self._parsed.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item.result()

    def give_back(self, part: _Part) -> None:
        """Let a part be filled again."""
        self._free.put(part)

    def _read(self) -> None:
        """Cut the input into parts of whole lines, and have them parsed."""
        rest = b""
        more = start = True
        try:
            while more:
                part = self._free.get()
                if part is None:
                    return
                more, rest = self._fill(part, rest)
                if start and part.buffer.startswith(_BOM):
                    part.buffer[: len(_BOM)] = b" " * len(_BOM)
                start = False
                self._parsed.put(self._pool.submit(self._parse, part))
        except BaseException as error:  # noqa: BLE001 - raised by who consumes
            self._end = error
        finally:
            self._reader.close()
            self._parsed.put(self._end)

    def _parse(self, part: _Part) -> _Part:
        text = np.frombuffer(part.buffer, dtype=np.uint8)
        part.block.parse(text, part.size, self._label_rule, self._skip)
        return part

    def _fill(self, part: _Part, rest: bytes) -> tuple[bool, bytes]:
        """Fill a part with whole lines; tell whether there is more, and the rest."""
        part.too_long = None
        part.buffer = part.buffer if len(part.buffer) == _BUFFER else bytearray(_BUFFER)
        part.buffer[: len(rest)] = rest
        filled = len(rest)
        cut = rest.rfind(b"\n") + 1
        while True:
            if filled == len(part.buffer):
                if cut:
                    break
                if filled >= _LONGEST_LINE:
                    part.too_long = bytes(part.buffer[:_SHOWN])
                    part.size = 0
                    return self._pass_over_line()
                part.buffer.extend(bytes(filled))
            count = self._take(memoryview(part.buffer)[filled:])
            if count == 0:
                # Half a line at the end is a line, unless reading has failed.
                part.size = cut if self._end else filled
                part.done = self._reader.done
                return False, b""
            newline = part.buffer.rfind(b"\n", filled, filled + count)
            cut = newline + 1 or cut
            filled += count
            # While nothing else is under way the learner waits: what has come must do.
            if cut and self._free.qsize() == self._parts - 1:
                break
        part.size, part.done = cut, self._reader.done
        return True, bytes(part.buffer[cut:filled])

    def _pass_over_line(self) -> tuple[bool, bytes]:
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
