"""Ctrl-C as the end of a stream, so that what was played is saved and shown."""

from __future__ import annotations

import shlex
import signal
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn, Self

from littlestone.display.words import counted
from littlestone.errors import printable
from littlestone.streams import Block, Stream

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence
    from types import FrameType

    from littlestone.streams import Reading

__all__ = ["INTERRUPTED", "Interrupt", "Stoppable", "interrupted", "this_command"]

INTERRUPTED = 130  # the convention of shells: 128 plus the number of the signal

_FEW = 1024  # rows of which the time is taken first
_SOON = 0.25  # seconds within which a run should stop


class Stoppable(Stream):
    """A stream that ends at Ctrl-C; a second Ctrl-C raises KeyboardInterrupt.

    The learner plays to the end what it has begun, so that it agrees with its record.
    Blocks that take long are cut. Use it as a context manager.

    Examples
    --------
    >>> import signal
    >>> from littlestone import run, streams
    >>> from littlestone.cli._stopping import Stoppable
    >>> from littlestone.linear import Perceptron
    >>> stream = streams.arrays([[1.0]] * 10_000, [1] * 10_000)
    >>> with Stoppable(stream) as stoppable:
    ...     def stop(batch):
    ...         signal.raise_signal(signal.SIGINT)
    ...
    ...     print(run(Perceptron(), stoppable, observe=stop).rounds)
    1024
    >>> stoppable.stopped
    True
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._reading = False
        self.outcome = stream.outcome
        self.of_advice = stream.of_advice  # type: ignore[misc]  # as the stream is
        self.of_mappings = stream.of_mappings  # type: ignore[misc]  # as the stream is
        self.in_memory = stream.in_memory  # type: ignore[misc]  # as the stream is

    def __repr__(self) -> str:
        return repr(self._stream)

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    @property
    def reading(self) -> Reading | None:
        """How the stream is read."""
        return self._stream.reading

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def _interrupt(self, _: int, __: FrameType | None) -> None:
        again, self.stopped = self.stopped, True
        if again or self._reading:
            raise KeyboardInterrupt

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once."""
        return self._stream.repeatable

    @property
    def extent(self) -> int | None:
        """How much there is to read, where that is known."""
        return self._stream.extent

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order, until Ctrl-C."""
        most = _FEW
        for block in self._until_stopped(self._stream.blocks):
            first = block.first
            while first < block.last and not self.stopped:
                last = min(block.last, first + most)
                began = time.monotonic()
                whole = (first, last) == (block.first, block.last)
                yield block if whole else replace(block, first=first, last=last)
                spent = max(time.monotonic() - began, 1e-6)
                most = max(1, min(8 * most, int((last - first) * _SOON / spent)))
                first = last

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return self._until_stopped(self._stream.__iter__)

    def _until_stopped(self, read: Any) -> Generator[Any, None, None]:
        if self.stopped:
            return
        parts = read()
        while True:
            self._reading = True
            try:
                if self.stopped:  # while the part before was played
                    return
                part = next(parts, None)
            except KeyboardInterrupt:
                return
            finally:
                self._reading = False
            if part is None or self.stopped:
                return
            yield part


class Interrupt:
    """Lets Ctrl-C end a search soon; a second Ctrl-C raises KeyboardInterrupt.

    Examples
    --------
    >>> import signal
    >>> from littlestone.cli._stopping import Interrupt
    >>> with Interrupt() as interrupt:
    ...     signal.raise_signal(signal.SIGINT)
    >>> interrupt.came
    True
    """

    came = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _interrupt(self, _: int, __: FrameType | None) -> None:
        if self.came:
            raise KeyboardInterrupt
        self.came = True


def interrupted(count: int, *more: str, noun: str = "round") -> NoReturn:
    """Say after how many rounds Ctrl-C came, and exit."""
    if sys.stderr is not None:
        told = "; ".join((f"interrupted after {counted(count, noun)}", *more))
        sys.stderr.write(f"littlestone: {printable(told)}\n")
    raise SystemExit(INTERRUPTED)


def this_command(*more: str, without: Sequence[str] = ()) -> str:
    """Return the command that was given, with more words, to be given again.

    Parameters
    ----------
    more
        Words to add, if they are not there.
    without
        The names of an option to leave out with its value.

    Examples
    --------
    >>> import sys
    >>> from littlestone.cli._stopping import this_command
    >>> given, sys.argv = sys.argv, ["littlestone", "run", "my mail.svm", "-p", "out"]
    >>> this_command("--resume", without=["-p"])
    "littlestone run 'my mail.svm' --resume"
    >>> sys.argv = given
    """
    words: list[str] = []
    given = iter(sys.argv[1:])
    for word in given:
        if word in without:
            next(given, None)
        elif not word.startswith(tuple(f"{name}=" for name in without)):
            words.append(word)
    return shlex.join(["littlestone", *words, *(w for w in more if w not in words)])
