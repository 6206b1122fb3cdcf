"""Lanes: the stream of a race is read once, and each part goes to every learner.

Each learner's run plays a part and pauses; the next part is handed out when all are
done with it. As many learners play side by side as there are processors, or one after
another where the processors are busy reading: both are tried, and the faster is kept.
"""

from __future__ import annotations

import threading
import time
from contextlib import closing
from itertools import islice
from operator import length_hint
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np

from littlestone import cores
from littlestone.errors import ExampleError, StreamError
from littlestone.running.driver import steps
from littlestone.running.inputs import paired
from littlestone.running.ranking import Place
from littlestone.streams import Block, Stream
from littlestone.streams._base import examples

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from littlestone.running.batch import Batch
    from littlestone.running.ranking import Ranker
    from littlestone.running.record import Record

__all__ = ["Course", "Crew", "Lane"]

_SOME = 1024  # examples handed out at once where there are no blocks
_PATIENCE = 0.1  # seconds after which fewer are handed out
_SETTLED = 4  # parts played in a way before it is timed: some were parsed meanwhile
_TRIED = 6  # parts that are played in each way, to choose one
_KEPT = 256  # parts that are then played in that way
_GAIN = 0.8  # of the time, or less, is worth playing side by side

# A part of a stream: a block, or a list of examples where there are no blocks.
_Part = Block | list[tuple[Any, Any]]


class _End:
    """Marks the end of a pass."""


_END = _End()


class Course:
    """Reads the stream, and hands each part to every learner still in the race."""

    def __init__(self, lanes: list[Lane], crew: Crew, show: Ranker | None) -> None:
        self._lanes, self._crew, self._show = lanes, crew, show
        self._next = 1  # the round of the next line
        self._ways = self._tried()
        self._handed_out = 0  # examples

    def play(self, stream: Any, passes: int) -> None:
        """Play all passes, or raise the error that stopped them."""
        try:
            for number in range(passes):
                with closing(_parts(stream)) as parts:
                    # All learners are done with a part before the stream reuses it.
                    self._pass(parts, (number, passes))
        except (ExampleError, StreamError) as error:
            error.rounds = max(lane.rounds for lane in self._lanes)
            raise
        self._tell(1.0)

    def _pass(self, parts: Iterator[_Part], pass_of: tuple[int, int]) -> None:
        number, passes = pass_of
        for part in parts:
            if not self._step(part):
                return
            done = part.done if isinstance(part, Block) else None
            self._tell(None if done is None else (number + done) / passes)
        self._step(_END)

    def _step(self, part: _Part | _End) -> bool:
        """Let every learner in the race play a part; return whether there is any."""
        racing = [lane for lane in self._lanes if lane.racing]
        for lane in racing:
            lane.part = part
        self._crew.step(racing, together=next(self._ways))
        if not isinstance(part, _End):
            self._handed_out += _size(part)
        for lane in self._lanes:
            # A learner that refuses an example leaves; any other error stops all.
            if lane.error is not None and not isinstance(lane.error, ExampleError):
                raise lane.error
        return bool(racing)

    def _tried(self) -> Iterator[bool]:
        """Yield whether to play side by side: if much faster, reading included."""
        while True:
            pace = {}
            for together in (False, True):
                for _ in range(_SETTLED):
                    yield together
                began, before = time.perf_counter(), self._handed_out
                for _ in range(_TRIED):
                    yield together
                spent = time.perf_counter() - began
                pace[together] = spent / max(1, self._handed_out - before)
            for _ in range(_KEPT):
                yield pace[True] < _GAIN * pace[False]

    def _tell(self, done: float | None) -> None:
        if self._show is None:
            return
        while all(self._next in lane.marks for lane in self._lanes if lane.racing):
            marked = [lane.marks.pop(self._next, lane.place) for lane in self._lanes]
            if all(place.rounds < self._next for place in marked):
                break  # no learner has come that far
            self._show.mark(marked)
            self._next *= 2
        self._show([lane.place for lane in self._lanes], done)


class Crew:
    """Steps the lanes: on this thread, and on one for each other processor."""

    def __init__(self, lanes: int) -> None:
        self._waiting: SimpleQueue[Lane | None] = SimpleQueue()
        self._moved: SimpleQueue[Lane] = SimpleQueue()
        self._helpers = [
            threading.Thread(target=self._help, name="littlestone-race", daemon=True)
            for _ in range(min(lanes, cores.usable()) - 1)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        started = [helper for helper in self._helpers if helper.is_alive()]
        for _helper in started:
            self._waiting.put(None)
        for helper in started:
            helper.join()

    def step(self, lanes: list[Lane], *, together: bool) -> None:
        """Step each lane, one after another or together."""
        if not together:
            for lane in lanes:
                lane.step()
            return
        for helper in self._helpers:
            if helper.ident is None:
                helper.start()
        moving = len(lanes)
        for lane in lanes:
            self._waiting.put(lane)
        try:
            while True:
                lane = cast("Lane", self._waiting.get_nowait())
                moving -= 1
                lane.step()
        except Empty:
            pass
        finally:
            for _lane in range(moving):
                self._moved.get()

    def _help(self) -> None:
        while (lane := self._waiting.get()) is not None:
            lane.step()
            self._moved.put(lane)


def _parts(stream: Any) -> Generator[_Part, None, None]:
    """Yield the stream in blocks, or in lists of examples where it has none."""
    if isinstance(stream, Stream):
        yield from stream.blocks()
        return
    some: list[tuple[Any, Any]] = []
    failed: Exception | None = None
    began = time.monotonic()
    try:
        for x, y in map(paired, stream):
            # A generator may reuse the same object for the next example.
            some.append((x.copy() if type(x) in _CHANGEABLE else x, y))
            if len(some) == _SOME or time.monotonic() - began > _PATIENCE:
                yield some
                some = []
                began = time.monotonic()
    except Exception as error:  # noqa: BLE001 - raised after the examples before it are played
        failed = error
    if some:
        yield some
    if failed is not None:
        raise failed


_CHANGEABLE = (dict, list, np.ndarray)


def _size(part: _Part) -> int:
    return part.last - part.first if isinstance(part, Block) else len(part)


class Lane(Stream):
    """The stream as one learner sees it, and the run of that learner, in steps."""

    def __init__(
        self, name: str, learner: Any, stream: Any, *, shown: bool, **options: Any
    ) -> None:
        self.name = name
        self._stream, self._shown = stream, shown
        self.of_advice = getattr(stream, "of_advice", False)  # type: ignore[misc]  # as the stream is
        of_mappings = getattr(stream, "of_mappings", not isinstance(stream, Stream))
        self.of_mappings = of_mappings  # type: ignore[misc]  # as the stream is
        self.part: _Part | _End | None = None  # to be played next
        self._steps = steps(learner, self, observe=self._note, **options)
        self.racing = True
        self.record: Record | None = None
        self.error: BaseException | None = None
        self.seconds = 0.0
        self.rounds = 0
        self.place = Place(name, 0, 0)  # and marks: for the progress display
        self.marks: dict[int, Place] = {}

    def __length_hint__(self) -> int:
        return length_hint(self._stream)

    def step(self) -> None:
        """Play the part, on any thread."""
        began = time.thread_time()
        try:
            next(self._steps)
        except StopIteration as over:
            self.record = over.value
            self.racing = False
        except BaseException as error:  # noqa: BLE001 - raised where the stream is read
            self.error = error
            self.place = self.place._replace(left=str(error))
            self.racing = False
        self.seconds += time.thread_time() - began
        if self._shown:
            self.place = self.place._replace(seconds=self.seconds)

    # Called by the run.

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of a pass."""
        return cast("Iterator[Block]", self._parts())

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return cast("Iterator[tuple[Any, Any]]", self._examples())

    def _examples(self) -> Iterator[tuple[Any, Any] | None]:
        # Rows in memory are handed out as they are; others were made for their block.
        held = getattr(self._stream, "in_memory", False)
        own = iter(self._stream) if held else iter(())
        for part in self._parts():
            if part is None:
                yield None
            elif not isinstance(part, Block):
                yield from part
            elif held:
                yield from islice(own, part.last - part.first)
            else:
                yield from examples([part])

    def _parts(self) -> Iterator[_Part | None]:
        """Yield the parts of a pass, and None while the next is not there."""
        while True:
            part, self.part = self.part, None
            if isinstance(part, _End):
                return
            yield part

    def _note(self, batch: Batch) -> None:
        """Note how the learner does."""
        self.rounds = batch.first + len(batch)
        if not self._shown:
            return
        mark = 1 << batch.first.bit_length()  # the first that is beyond it
        while mark <= self.rounds:
            self.marks[mark] = self._standing(batch, mark - batch.first - 1)
            mark *= 2
        self.place = self._standing(batch, len(batch) - 1)

    def _standing(self, batch: Batch, at: int) -> Place:
        now = batch.standing(at)
        return Place(
            self.name,
            batch.first + at + 1,
            batch.mistakes_through(at),
            loss=batch.loss_through(at) if batch.outcome.charged else None,
            seconds=self.seconds,
            regret=now.regret,
            bound=now.bound,
            bound_of=batch.bound_of,
            vacuous=now.vacuous,
        )
