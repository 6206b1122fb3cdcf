"""Race several learners over one pass of one stream, and rank them.

The stream is read once. Each part of it goes to every learner, whose run plays it and
pauses; the next part is handed out when all are done with it. So each record is that of
a run alone. As many learners play side by side as there are processors, or one after
another where the processors have enough to read: both are tried.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from itertools import islice
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import numpy as np

from littlestone.adversaries import Adversary
from littlestone.errors import ExampleError, ParameterError, StreamError
from littlestone.outcome import outcome_of
from littlestone.running._run import running
from littlestone.running.bounds import declarable
from littlestone.running.notebook import race_html
from littlestone.running.ranking import Place, ranked, ranker, table
from littlestone.streams import Block, Stream
from littlestone.streams._base import examples

if TYPE_CHECKING:
    from littlestone.rows import Example
    from littlestone.running._run import Fits, Plays, Record, Turn
    from littlestone.running.ranking import Ranker
    from littlestone.theorems import Number

__all__ = ["Race", "race"]

_SOME = 1024  # examples that are handed out at once where there are no blocks
_PATIENCE = 0.1  # seconds after which what has come must do
_TRIED = 6  # parts that are played in each way, to choose one
_KEPT = 64  # parts that are then played in that way
_GAIN = 0.8  # of the time, or less, makes it worth while to play side by side


class Race(Mapping[str, "Record"]):
    """A ranking: the records by the learners' names, the best first.

    It is a mapping, and its text is a table. Labels are ranked by mistakes, numbers by
    loss; equals stand as they were given.

    Attributes
    ----------
    records
        The record of each learner that played to the end, the best first.
    left
        Why a learner left the race: the example that it refused.
    seconds
        The processor time that each learner took itself.
    elapsed
        The time that the race took, reading included.

    Examples
    --------
    >>> from littlestone import race
    >>> from littlestone.linear import Perceptron, Winnow
    >>> stream = [({"a": 1, "b": 1}, True), ({"b": 1}, False)] * 10
    >>> ranking = race([Perceptron(), Winnow(threshold=2)], stream)
    >>> ranking.winner
    'Winnow'
    >>> ranking["Perceptron"]
    Record(Perceptron: 20 rounds, 3 mistakes (15.00%), 3 updates)
    >>> print(ranking)  # doctest: +ELLIPSIS
       learner     mistakes    rate    time
    1  Winnow             0   0.00%  ... s
    2  Perceptron         3  15.00%  ... s
    """

    def __init__(
        self,
        records: Mapping[str, Record],
        left: Mapping[str, ExampleError] | None = None,
        seconds: Mapping[str, float] | None = None,
        elapsed: float = 0.0,
    ) -> None:
        self.left: dict[str, ExampleError] = dict(left or {})
        self.seconds: dict[str, float] = dict(seconds or {})
        self.elapsed = elapsed
        order = ranked([self._place(*named) for named in records.items()])
        self.records: dict[str, Record] = {
            place.name: records[place.name] for place in order
        }

    def __getitem__(self, name: str) -> Record:
        return self.records[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def winner(self) -> str:
        """The name of the best learner; of equals, the one that was given first."""
        return next(iter(self.records))

    @property
    def places(self) -> tuple[Place, ...]:
        """How each learner did, the best first, those who left at the end."""
        stayed = [self._place(*named) for named in self.records.items()]
        return (*stayed, *(self._gone(*named) for named in self.left.items()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {
            "elapsed": self.elapsed,
            "ranking": [
                {"name": name, "seconds": self.seconds.get(name, 0.0)}
                | record.to_dict()
                for name, record in self.records.items()
            ],
            "left": {name: str(error) for name, error in self.left.items()},
        }

    def __str__(self) -> str:
        return table(self.places)

    def _repr_html_(self) -> str:
        return race_html(self.places)

    def __repr__(self) -> str:
        told = (f"{name} {_counted(record)}" for name, record in self.records.items())
        return f"Race({', '.join(told)})"

    def _place(self, name: str, record: Record) -> Place:
        return Place(
            name,
            record.rounds,
            record.mistakes,
            loss=record.loss if record.outcome.charged else None,
            seconds=self.seconds.get(name, 0.0),
            regret=record.regret,
            bound=record.bound,
            bound_of=record.bound_of,
            exceeded=record.exceeded,
        )

    def _gone(self, name: str, error: ExampleError) -> Place:
        seconds = self.seconds.get(name, 0.0)
        return Place(name, error.rounds or 0, 0, seconds=seconds, left=str(error))


def _counted(record: Record) -> str:
    return f"{record.loss:.6g}" if record.outcome.charged else f"{record.mistakes:,}"


def race(
    learners: Mapping[str, Plays | Fits] | Iterable[Plays | Fits],
    stream: Iterable[tuple[Example, object]],
    *,
    passes: int = 1,
    progress: bool = False,
    keep: Literal["mistakes", "nothing", "updates"] = "mistakes",
    declare: Mapping[str, Number] | None = None,
) -> Race:
    """Play one stream with several learners at once, and rank them.

    The stream is read once for all of them, and each record equals that of the learner
    alone. A learner that refuses an example leaves the race, and the others go on.

    Parameters
    ----------
    learners
        Those of `run`, by names of yours, or as they come: then each is known by its
        class, and where two are of one class by the parameters too.
    stream
        One of `littlestone.streams`, or any iterable of `(x, y)`. An adversary answers
        one learner only, and is none.
    passes
        How often to read the stream.
    progress
        Show a ranking that moves on a terminal, a few lines elsewhere.
    keep
        As in `run`.
    declare
        As in `run`; each learner is told what its theorems take.

    Examples
    --------
    >>> from littlestone import race, run
    >>> from littlestone.linear import PassiveAggressive, Perceptron
    >>> stream = [({"cheap": 1}, True), ({"lunch": 1}, False)] * 5
    >>> ranking = race({"old": Perceptron(), "new": PassiveAggressive()}, stream)
    >>> ranking
    Race(old 1, new 1)
    >>> ranking["old"] == run(Perceptron(), stream)
    True
    """
    named = _named(learners)
    _check(stream, passes)
    told = _declared(named, declare or {})
    started = time.perf_counter()
    options: dict[str, Any] = {"passes": passes, "keep": keep}
    lanes = [
        _Lane(name, learner, stream, shown=progress, declare=told[name], **options)
        for name, learner in named.items()
    ]
    with ranker() if progress else nullcontext(None) as show, _Crew(len(lanes)) as crew:
        _Course(lanes, crew, show).play(stream, passes)
    left = {
        lane.name: lane.error for lane in lanes if isinstance(lane.error, ExampleError)
    }
    if len(left) == len(lanes):
        raise next(iter(left.values()))
    return Race(
        {lane.name: lane.record for lane in lanes if lane.record is not None},
        left,
        {lane.name: lane.seconds for lane in lanes},
        time.perf_counter() - started,
    )


# What is given ------------------------------------------------------------------------


def _named(learners: Any) -> dict[str, Any]:
    """Return the learners by name, and refuse those that cannot race."""
    if isinstance(learners, Mapping):
        named = {str(name): learner for name, learner in learners.items()}
    elif isinstance(learners, Iterable):
        named = _names(list(learners))
    else:
        raise ParameterError(f"race: learners must be several, got {learners!r}")
    if not named:
        raise ParameterError("race: learners must be at least one, got none")
    for name, learner in named.items():
        if isinstance(learner, type) or not any(
            all(callable(getattr(learner, method, None)) for method in pair)
            for pair in (("predict_one", "learn_one"), ("predict", "partial_fit"))
        ):
            raise ParameterError(
                f"race: {name} must have predict_one and learn_one, or predict and "
                f"partial_fit, got {learner!r}"
            )
    if len({id(learner) for learner in named.values()}) < len(named):
        raise ParameterError(
            "race: learners must be different objects, got one of them twice"
        )
    numbers = {_measure(learner) for learner in named.values()}
    if len(numbers) > 1:
        one, two, *_ = sorted(numbers)
        raise ParameterError(
            f"race: learners must be charged alike to be ranked, got {one} and {two}"
        )
    return named


def _measure(learner: Any) -> str:
    """Return what a learner is ranked by."""
    if not outcome_of(learner).charged:
        return "mistakes"
    return f"{getattr(learner, 'loss', 'its own')} loss"


def _names(learners: Sequence[Any]) -> dict[str, Any]:
    """Name learners by class, by parameters too, or at last by number."""
    short = [type(learner).__name__ for learner in learners]
    named: dict[str, Any] = {}
    for learner, name in zip(learners, short, strict=True):
        whole = name if short.count(name) == 1 else repr(learner)
        number, free = 1, whole
        while free in named:
            number += 1
            free = f"{whole} #{number}"
        named[free] = learner
    return named


def _check(stream: Any, passes: int) -> None:
    if isinstance(stream, Adversary):
        raise ParameterError(
            "race: an adversary answers one learner only, so that each must be run "
            f"alone, got {stream!r}"
        )
    if not isinstance(passes, int) or passes < 1:
        raise ParameterError(
            f"race: passes must be a whole number above 0, got {passes!r}"
        )
    again = stream.repeatable if isinstance(stream, Stream) else stream
    if passes > 1 and (again is False or isinstance(again, Iterator)):
        raise ParameterError(
            f"race: a stream must be readable again for {passes} passes, "
            f"got one that is not: {stream!r}"
        )


def _declared(
    named: Mapping[str, Any], declare: Mapping[str, Number]
) -> dict[str, dict[str, Number]]:
    """Return what each learner is told of what was declared."""
    if not isinstance(declare, Mapping):
        raise ParameterError(
            f"race: declare must map names to numbers, got {declare!r}"
        )
    if not declare:
        return {name: {} for name in named}
    may = {name: declarable(learner) for name, learner in named.items()}
    known = list(dict.fromkeys(number for those in may.values() for number in those))
    for number in declare:
        if number not in known:
            raise ParameterError(
                "race: what may be declared for these learners is "
                f"{', '.join(known) or 'nothing'}, got {number!r}"
            )
    return {
        name: {number: declare[number] for number in declare if number in those}
        for name, those in may.items()
    }


# The course ---------------------------------------------------------------------------

# Some of a stream: a block of it, or examples where there are no blocks.
_Part = Block | list[tuple[Any, Any]]


class _End:
    """Stands where a pass has ended."""


_END = _End()


class _Course:
    """Reads the stream, and hands each part of it to all who are in the race."""

    def __init__(self, lanes: list[_Lane], crew: _Crew, show: Ranker | None) -> None:
        self._lanes, self._crew, self._show = lanes, crew, show
        self._next = 1  # the round that the next line tells of
        self._ways = self._tried()
        self._handed_out = 0  # examples

    def play(self, stream: Any, passes: int) -> None:
        """Play all passes, or raise what went wrong."""
        try:
            for number in range(passes):
                with closing(_parts(stream)) as parts:
                    # All are done with a part before it is taken back.
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
        """Have a part played by all who are in the race, and tell whether any is."""
        racing = [lane for lane in self._lanes if lane.racing]
        for lane in racing:
            lane.part = part
        self._crew.step(racing, together=next(self._ways))
        if not isinstance(part, _End):
            self._handed_out += _size(part)
        for lane in self._lanes:
            # Who refuses an example has left; anything else stops all.
            if lane.error is not None and not isinstance(lane.error, ExampleError):
                raise lane.error
        return bool(racing)

    def _tried(self) -> Iterator[bool]:
        """Yield whether to play side by side: if it is much quicker, with reading."""
        while True:
            pace = {}
            for together in (False, True):
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
                break  # nobody has come so far
            self._show.mark(marked)
            self._next *= 2
        self._show([lane.place for lane in self._lanes], done)


class _Crew:
    """Moves lanes on: this thread, and one for each other processor if it can help."""

    def __init__(self, lanes: int) -> None:
        self._waiting: SimpleQueue[_Lane | None] = SimpleQueue()
        self._moved: SimpleQueue[_Lane] = SimpleQueue()
        self._helpers = [
            threading.Thread(target=self._help, name="littlestone-race", daemon=True)
            for _ in range(min(lanes, os.cpu_count() or 1) - 1)
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        started = [helper for helper in self._helpers if helper.is_alive()]
        for _helper in started:
            self._waiting.put(None)
        for helper in started:
            helper.join()

    def step(self, lanes: list[_Lane], *, together: bool) -> None:
        """Move each lane on by a step; those of a crew do so at the same time."""
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
                lane = cast("_Lane", self._waiting.get_nowait())
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
        for x, y in stream:
            # Who makes examples may use the same object for the next.
            some.append((x.copy() if type(x) in _CHANGEABLE else x, y))
            if len(some) == _SOME or time.monotonic() - began > _PATIENCE:
                yield some
                some = []
                began = time.monotonic()
    except Exception as error:  # noqa: BLE001 - raised when what came before is played
        failed = error
    if some:
        yield some
    if failed is not None:
        raise failed


_CHANGEABLE = (dict, list, np.ndarray)


def _size(part: _Part) -> int:
    return part.last - part.first if isinstance(part, Block) else len(part)


class _Lane(Stream):
    """What one learner sees of the stream, and its run, which moves on step by step."""

    def __init__(
        self, name: str, learner: Any, stream: Any, *, shown: bool, **options: Any
    ) -> None:
        self.name = name
        self._stream, self._shown = stream, shown
        self.of_advice = getattr(stream, "of_advice", False)  # type: ignore[misc]  # as the stream is
        of_mappings = getattr(stream, "of_mappings", not isinstance(stream, Stream))
        self.of_mappings = of_mappings  # type: ignore[misc]  # as the stream is
        self.part: _Part | _End | None = None  # what is to be played next
        self._steps = running(learner, self, observe=self._note, **options)
        self.racing = True
        self.record: Record | None = None
        self.error: BaseException | None = None
        self.seconds = 0.0
        self.rounds = 0
        self.place = Place(name, 0, 0)  # and marks: for those who watch the race
        self.marks: dict[int, Place] = {}

    def step(self) -> None:
        """Play the part, on whatever thread."""
        began = time.thread_time()
        try:
            next(self._steps)
        except StopIteration as over:
            self.record = over.value
            self.racing = False
        except BaseException as error:  # noqa: BLE001 - raised by who reads the stream
            self.error = error
            self.place = self.place._replace(left=str(error))
            self.racing = False
        self.seconds += time.thread_time() - began
        if self._shown:
            self.place = self.place._replace(seconds=self.seconds)

    # Called by the run.

    def blocks(self) -> Iterator[Block]:
        return cast("Iterator[Block]", self._parts())

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        return cast("Iterator[tuple[Any, Any]]", self._examples())

    def _examples(self) -> Iterator[tuple[Any, Any] | None]:
        # Rows in memory are given as they are; others were made for their block.
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
        """Yield the parts of a pass, and None while there is nothing yet."""
        while True:
            part, self.part = self.part, None
            if isinstance(part, _End):
                return
            yield part

    def _note(self, turn: Turn) -> None:
        """Keep how the learner stands."""
        self.rounds = turn.first + len(turn)
        if not self._shown:
            return
        mark = 1 << turn.first.bit_length()  # the first that is beyond it
        while mark <= self.rounds:
            self.marks[mark] = self._stands(turn, mark - turn.first - 1)
            mark *= 2
        self.place = self._stands(turn, len(turn) - 1)

    def _stands(self, turn: Turn, at: int) -> Place:
        stands = turn.standing(at)
        return Place(
            self.name,
            turn.first + at + 1,
            turn.mistakes_through(at),
            loss=turn.loss_through(at) if turn.outcome.charged else None,
            seconds=self.seconds,
            regret=stands.regret,
            bound=stands.bound,
            bound_of=turn.bound_of,
        )
