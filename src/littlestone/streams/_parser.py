"""Reads a file and parses it natively on several threads, in order."""

from __future__ import annotations

import atexit
import sys
import threading
import zlib
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TypeAlias
from weakref import WeakSet

import numpy as np

from littlestone import _core, cores

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.streams._source import Reader

__all__ = ["BOM", "LONGEST_LINE", "Native", "Parser", "Part"]

Native: TypeAlias = (
    "_core.SvmlightBlock | _core.TextBlock | _core.VwBlock | _core.JsonLinesBlock "
    "| _core.TableBlock"
)

_BUFFER = 1 << 20
_SMALL = 1 << 25  # bytes of a file that is read in smaller parts,
_SMALL_BUFFER = 1 << 19  # of this size;
_LARGE = 1 << 27  # and of one that is read in parts of twice the size
_AT_ONCE = 1 << 19  # bytes per read; they are lost if it fails
LONGEST_LINE = 1 << 23
_UNSHARED = 2  # references to the block of a part: its own, and the argument
_SHOWN = 200  # how much of a line that is too long an error shows
BOM = b"\xef\xbb\xbf"


@dataclass
class Part:
    """Some whole lines and what was parsed from them; parts are reused."""

    block: Native
    buffer: bytearray = field(
        default_factory=bytearray
    )  # owned by the thread that parses, or `room`
    room: bytearray | None = None  # its own buffer, where another thread parses
    first: int = 0  # where the lines begin
    size: int = 0  # where they end
    passed: int = 0  # lines before them, such as a header
    done: float | None = None
    too_long: bytes | None = None  # the start of a line that is too long
    parsed: threading.Lock = field(
        default_factory=threading.Lock
    )  # held while it is not
    error: BaseException | None = None  # why it could not be parsed

    def wait(self) -> None:
        """Wait until it has been parsed."""
        with self.parsed:
            pass


_at_work: WeakSet[Parser] = WeakSet()


@atexit.register
def _stop_all() -> None:
    """Make sure that no thread runs native code when the interpreter exits."""
    for parser in list(_at_work):
        parser.stop()


class Parser:
    """Reads and parses on several threads; yields the parts in order.

    Parsing takes ten times as long as learning, so it pays to parse several buffers at
    once, not just to parse while the learner learns. A thread parses what it has read
    itself, which is then in the cache of its core. Threads read one at a time, which
    gives the order of the queue.

    To decompress is the slowest part where it is needed, and it refers to what came
    before, which would have to move from core to core. There one thread does nothing
    else unless it is far ahead, and others parse.

    For files that never block, the consumer reads and parses too instead of waiting, so
    that there are no more threads than processors, and a file that fits into one buffer
    needs no other thread.

    A part is reused once nothing refers to what was parsed from it: when it is given
    back, the consumer still has the block, so its turn comes with the part after it.
    """

    def __init__(
        self,
        reader: Reader,
        native: type[Native],
        make_rule: Callable[[bytes | None], Any],
        *,
        skip: bool,
        is_header: Callable[[bytes], bool],
        hashes: bool = False,
    ) -> None:
        workers = min(4, cores.usable())
        # Small parts cost less memory, which is new for each file, and are shared out
        # better. Large ones cost less to hand over, but do not fit the cache with a
        # hash of each feature. Sparse text has features whose weights a learner, and
        # above all a committee, must fetch again for each part.
        self._size = _BUFFER
        small, large = _SMALL, _LARGE
        if native is not _core.TableBlock:
            small, large = _SMALL // 4, _LARGE // 8
        if reader.prompt and reader.size < small:
            self._size = min(_BUFFER, _SMALL_BUFFER)
        elif reader.size >= large and not hashes:
            self._size = 2 * _BUFFER
        self._reader, self._skip = reader, skip
        self._buffer: bytearray | None = None  # of the consumer, if it reads too
        self._make_rule, self._is_header = make_rule, is_header
        self._rule: Any = None
        self._rest = b""  # of the latest buffer: part of a line
        self._starts = self._more = True
        self._parts = workers + 3
        self._latest: Part | None = None  # was given back, and is looked at next time
        self._free: SimpleQueue[Part | None] = SimpleQueue()
        self._parsed: SimpleQueue[Part | BaseException | None] = SimpleQueue()
        # What was read by a thread that reads on, and None at the end.
        self._unparsed: SimpleQueue[tuple[Part, Any] | None] = SimpleQueue()
        for _ in range(self._parts):
            self._free.put(Part(native()))
        self._end: BaseException | None = None
        self._turn = threading.Lock()  # held by the thread that reads
        self._door = threading.Lock()  # guards the queue of parts
        self._closed = False
        work = [self._work] * workers
        if reader.compressed:
            work = [self._read_on, *[self._parse_on] * (workers - 1)]
        # Daemons, since one may be waiting for input that never comes.
        self._threads = [
            threading.Thread(target=target, name="littlestone-parse", daemon=True)
            for target in work[: workers - reader.prompt]
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
        """Stop reading, and wait for the parts that are being parsed."""
        _at_work.discard(self)
        with self._door:
            self._closed = True
        self._free.put(None)
        while (taken := self._to_parse()) is not None:
            taken[0].parsed.release()
        if self._turn.acquire(
            blocking=False
        ):  # no thread is reading, which would close it
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
        """Let a part be reused; blocks that are kept elsewhere stay as they are."""
        earlier, self._latest = self._latest, part
        if earlier is not None:
            if sys.getrefcount(earlier.block) > _UNSHARED:
                earlier.block = type(earlier.block)()
            self._free.put(earlier)

    def _earliest(self) -> Part | BaseException | None:
        """Return the next part once it is parsed; until then, parse later ones."""
        while self._parsed.empty() and self._help():
            pass
        item = self._parsed.get()
        if isinstance(item, Part):
            while item.parsed.locked() and self._help():
                pass
            item.wait()
        return item

    def _help(self) -> bool:
        """Parse a part, or read one too if it is free; return whether it did."""
        if self._parse_next():
            return True
        if not self._reader.prompt or not self._turn.acquire(blocking=False):
            return False
        try:
            if not self._more or self._free.empty():
                return False
            if self._buffer is None:
                self._buffer = bytearray(self._size)
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
        """Read and parse parts until there are no more."""
        buffer = bytearray(self._size)
        while True:
            with self._turn:
                taken = self._next(buffer, wait=True) if self._more else None
            if taken is None:
                return
            self._finish(*taken)

    def _read_on(self) -> None:
        """Read parts until there are no more, and parse only while none is free."""
        with self._turn:
            while self._more:
                while self._free.empty() and self._parse_next():
                    pass
                self._next(None, wait=True)
        self._unparsed.put(None)

    def _parse_on(self) -> None:
        """Parse what another thread has read."""
        while (taken := self._unparsed.get()) is not None:
            self._finish(*taken)
        self._unparsed.put(None)  # for the next thread

    def _parse_next(self) -> bool:
        """Parse what was read earliest, if there is any; return whether there was."""
        taken = self._to_parse()
        if taken is None:
            return False
        self._finish(*taken)
        return True

    def _to_parse(self) -> tuple[Part, Any] | None:
        """Return what was read earliest of what nobody parses yet."""
        try:
            taken = self._unparsed.get_nowait()
        except Empty:
            return None
        if taken is None:
            self._unparsed.put(None)
        return taken

    def _finish(self, part: Part, rule: Any) -> None:
        """Parse a part for which the consumer may be waiting."""
        try:
            self._parse(part, rule)
        finally:
            part.parsed.release()

    def _next(
        self, buffer: bytearray | None, *, wait: bool = False
    ) -> tuple[Part, Any] | None:
        """Read the next part and put it into the queue.

        With `wait`, its lock is held, so that the consumer waits until it is parsed.
        Without a buffer of the caller, any thread may parse it.
        """
        part = None
        try:
            part = self._free.get()
            if part is None:
                self._more = False
            else:
                part.buffer = self._room_of(part) if buffer is None else buffer
                self._more, self._rest = self._fill(part, self._rest)
                part.first = part.passed = 0
                if self._starts:
                    self._starts = not self._begin(part)
        except BaseException as error:  # noqa: BLE001 - raised by the consumer
            self._end = self._end or error  # a failure to read comes first
            self._more, part = False, None
        with self._door:
            if self._closed:
                self._more, part = False, None
            elif part is not None:
                if wait:
                    part.parsed.acquire()
                if buffer is None:  # known before the consumer waits for it
                    self._unparsed.put((part, self._rule))
                self._parsed.put(part)
            if not self._more:
                self._parsed.put(self._end)
        if not self._more:
            self._reader.close()
        return None if part is None else (part, self._rule)

    def _room_of(self, part: Part) -> bytearray:
        """Return the buffer that a part keeps."""
        if part.room is None:
            part.room = bytearray(self._size)
        return part.room

    def _begin(self, part: Part) -> bool:
        """Make the rule and find where the lines begin; return whether it is made."""
        mark = part.buffer.startswith(BOM) and part.size >= len(BOM)
        part.first = len(BOM) if mark else 0
        end = part.buffer.find(b"\n", part.first, part.size)
        end = part.size if end < 0 else end
        line = bytes(part.buffer[part.first : end])
        if not self._is_header(line):
            self._rule = self._make_rule(b"")
            return True
        self._rule = self._make_rule(line if part.too_long is None else None)
        part.first, part.passed = min(end + 1, part.size), 1
        return True

    def _cut(self, buffer: bytearray, cut: int, filled: int, end: int) -> int:
        """Return where the last whole line ends; before `filled` it was `cut`."""
        return buffer.rfind(b"\n", filled, end) + 1 or cut

    def _enough(self, buffer: bytearray, cut: int) -> bool:  # noqa: ARG002 - for subclasses
        """Return whether the whole lines up to `cut` are enough to start with."""
        return True

    def _parse(self, part: Part, rule: Any) -> None:
        text = np.frombuffer(part.buffer, dtype=np.uint8)
        part.buffer = bytearray()  # what was parsed does not need the text
        try:
            part.block.parse(text, part.first, part.size, rule, self._skip)
        except Exception as error:  # noqa: BLE001 - raised in order
            part.error = error

    def _fill(self, part: Part, rest: bytes) -> tuple[bool, bytes]:
        """Fill a part with whole lines; return whether there is more, and the rest."""
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
                part.buffer = part.buffer + bytes(filled)  # the thread keeps its buffer
            count = self._take(memoryview(part.buffer)[filled : filled + _AT_ONCE])
            if count == 0:
                # The last line may lack its end, unless reading has failed.
                part.size = cut if self._end else filled
                part.done = self._reader.done
                return False, b""
            cut = self._cut(part.buffer, cut, filled, filled + count)
            filled += count
            if cut and self._waits() and self._enough(part.buffer, cut):
                break
        part.size, part.done = cut, self._reader.done
        return True, bytes(part.buffer[cut:filled])

    def _waits(self) -> bool:
        """Return whether to hand over what there is, since reading more may block."""
        if self._reader.prompt:
            return False
        idle = self._reader.idle()
        if idle is None:  # unless other parts keep the learner busy
            free = self._free.qsize() + (self._latest is not None)
            return free == self._parts - 1
        return idle

    def _pass_over_line(self, part: Part, filled: int) -> tuple[bool, bytes]:  # noqa: ARG002 - for subclasses
        """Skip to the end of a line that is too long."""
        buffer = bytearray(_BUFFER)
        while count := self._take(memoryview(buffer)):
            newline = buffer.find(b"\n", 0, count)
            if newline >= 0:
                return True, bytes(buffer[newline + 1 : count])
        return False, b""

    def _take(self, buffer: memoryview) -> int:
        """Read some bytes; a failure is raised after the lines before it."""
        try:
            return self._reader.readinto(buffer)
        except (OSError, EOFError, zlib.error) as error:
            self._end = error
            return 0
