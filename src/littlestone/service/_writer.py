"""The writer: one thread owns a served model, and commits for all waiting requests."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from littlestone.errors import LittlestoneError
from littlestone.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from littlestone.service._served import ServedModel

__all__ = ["StoppedError", "Writer"]

Done = TypeVar("Done")
# What to do, what it is about, and who waits for it in which loop.
_Task: TypeAlias = "tuple[Callable[[ServedModel], Any], Iterable[str], Callable[[Any], None], asyncio.AbstractEventLoop]"  # noqa: E501 - one type

_PATIENCE = 1.0  # seconds between two looks at what has expired
_SLOW = 5.0  # seconds after which the log says how long a commit or snapshot took


class StoppedError(RuntimeError):
    """The writer has stopped, so nothing can be done; what was answered is safe."""


class Writer:
    """Does what requests ask of a model, in the order in which they come.

    All requests that wait are done one after another and committed together; only then
    are they answered. If anything but a refusal is raised, such as by a full disk,
    nothing is answered any more: the learner may have learned what the ledger does not
    have. After a restart it continues from the ledger.

    Parameters
    ----------
    model
        The model; only this thread uses it from now on.
    group
        How many requests to commit together at most.
    snapshot_every
        After how many rows to save the model.

    Attributes
    ----------
    committed
        The number of the latest row that is on the disk.
    fault
        What has stopped it; None while it works.
    """

    def __init__(
        self, model: ServedModel, *, group: int = 4096, snapshot_every: int = 100_000
    ) -> None:
        self._model, self._group, self._every = model, group, snapshot_every
        self._waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._saved = self.committed = model.seq
        self._coming: list[_Task] = []  # in this turn of the loop
        self._rest: list[_Task] = []  # more than one commit takes
        self._latest = 0  # how many requests the latest commit had,
        self._worth = 0.0  # and how many seconds it is worth to wait for as many
        self._closing = self._over = False
        self.fault: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)

    @property
    def works(self) -> bool:
        """Whether it takes requests."""
        return self.fault is None and not self._closing

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Finish what waits, save the model, and close the ledger."""
        self._closing = True
        self._waiting.put(None)
        if self._thread.is_alive():
            self._thread.join()

    async def ask(
        self, work: Callable[[ServedModel], Done], ids: Iterable[str] = ()
    ) -> Done:
        """Have something done with the model, and return the result once it is safe.

        What is known about `ids` is looked up for all waiting requests at once.
        """
        done: asyncio.Future[Done] = asyncio.get_running_loop().create_future()
        self.ask_soon(work, ids, partial(_resolve, done))
        return await done

    def ask_soon(
        self,
        work: Callable[[ServedModel], Done],
        ids: Iterable[str],
        done: Callable[[Done | StoppedError], None],
    ) -> None:
        """Have something done, and call `done` in the loop with the result.

        What comes in one turn of the loop is handed over at once.
        """
        if not self.works:
            raise StoppedError
        loop = asyncio.get_running_loop()
        if not self._coming:
            loop.call_soon(self._hand_over)
        self._coming.append((work, ids, done, loop))

    def _hand_over(self) -> None:
        coming, self._coming = self._coming, []
        self._waiting.put(coming)
        if self._over:  # nobody may look into the queue any more
            self._give_up()

    def _work(self) -> None:
        try:
            while self._round():
                pass
            self._save()
        except BaseException as fault:  # noqa: BLE001 - nothing may be answered after it
            self.fault = fault
            LOG.critical("the writer has stopped: %s", fault)
        finally:
            try:
                self._model.ledger.close()
            finally:
                self._waiting.put(self._rest)
                self._closing = self._over = True
                self._give_up()

    def _round(self) -> bool:
        """Do what waits, in one commit; return whether there may be more."""
        tasks, more = self._next()
        done = []
        try:
            spent = time.thread_time()
            with _told_if_slow("a commit"), self._model.ledger.commit():
                self._model.tidy()
                ids = {id_ for task in tasks for id_ in task[1]}
                with self._model.knowing(ids):
                    for work, _, answer, loop in tasks:
                        done.append((answer, loop, work(self._model)))
                spent, begun = time.thread_time() - spent, time.perf_counter()
            took = time.perf_counter() - begun
            self._latest, self._worth = len(tasks), took if took > spent else 0.0
        except BaseException as fault:
            self.fault = fault
            _deliver([(answer, loop, StoppedError()) for *_, answer, loop in tasks])
            raise
        _deliver(done)
        self.committed = self._model.seq
        if self._model.seq - self._saved >= self._every:
            self._save()
        return more

    def _save(self) -> None:
        self._saved = self._model.seq
        try:
            with _told_if_slow("a snapshot"):
                self._model.save()
        except LittlestoneError as error:  # the ledger has everything
            LOG.error("no snapshot: %s", error)

    def _next(self) -> tuple[list[_Task], bool]:
        """Wait for requests; return those that came, and whether more may come.

        Who was answered last may be about to ask again, one after another. To leave
        them to the next commit would take longer than to wait for them as long as a
        commit takes, so while fewer wait than the latest commit had, more are awaited:
        where the disk takes longer than the work.
        """
        tasks, more = self._rest, True
        due = time.perf_counter() + self._worth
        while more and len(tasks) < self._group:
            left = _PATIENCE
            if tasks:
                few = len(tasks) < self._latest
                left = max(0.0, due - time.perf_counter()) if few else 0.0
            try:
                came = self._waiting.get(left > 0, left)
            except queue.Empty:
                break
            if not tasks:
                due = time.perf_counter() + self._worth
            more = came is not None
            tasks = tasks + (came or [])
        self._rest = tasks[self._group :]
        if self._rest and not more:  # its end comes again
            self._waiting.put(None)
            more = True
        return tasks[: self._group], more

    def _give_up(self) -> None:
        tasks: list[_Task] = []
        with suppress(queue.Empty):
            while True:
                tasks = tasks + (self._waiting.get_nowait() or [])
        _deliver([(answer, loop, StoppedError()) for *_, answer, loop in tasks])


@contextmanager
def _told_if_slow(what: str) -> Iterator[None]:
    """Log how long something took: little processor time means a slow machine."""
    begun, spent = time.perf_counter(), time.thread_time()
    yield
    took, spent = time.perf_counter() - begun, time.thread_time() - spent
    if took > _SLOW:
        LOG.warning("%s took %.1f s, %.1f s of it processor time", what, took, spent)


def _deliver(done: list[tuple[Callable[[Any], None], Any, Any]]) -> None:
    """Give waiting requests their results, waking each event loop once."""
    loops: dict[Any, list[tuple[Callable[[Any], None], Any]]] = {}
    for answer, loop, result in done:
        loops.setdefault(loop, []).append((answer, result))
    for loop, results in loops.items():
        with suppress(RuntimeError):  # nothing waits in a loop that is closed
            loop.call_soon_threadsafe(_answer, results)


def _answer(results: list[tuple[Callable[[Any], None], Any]]) -> None:
    for answer, result in results:
        try:
            answer(result)
        except Exception:  # noqa: BLE001 - the others must have their answers
            LOG.exception("a request could not be answered")


def _resolve(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():
        return
    if isinstance(result, StoppedError):
        future.set_exception(result)
    else:
        future.set_result(result)
