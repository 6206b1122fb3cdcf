"""The writer: one thread owns a served model, and commits for all waiting requests."""

from __future__ import annotations

import asyncio
import queue
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from littlestone.errors import LittlestoneError
from littlestone.logs import LOG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from littlestone.service._served import ServedModel

__all__ = ["StoppedError", "Writer"]

Done = TypeVar("Done")

_PATIENCE = 1.0  # seconds between two looks at what has expired


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
        self._closing = False
        self.fault: BaseException | None = None
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)

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
        if self.fault is not None or self._closing:
            raise StoppedError
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Done] = loop.create_future()
        self._waiting.put((work, ids, done, loop))
        return await done

    def _work(self) -> None:
        try:
            while self._round():
                pass
            self._save()
        except BaseException as fault:  # noqa: BLE001 - nothing may be answered after it
            self.fault = fault
            LOG.critical("the writer has stopped: %s", fault)
        finally:
            self._model.ledger.close()
            self._closing = True
            self._give_up()

    def _round(self) -> bool:
        """Do what waits, in one commit; return whether there may be more."""
        group = self._next()
        more = None not in group
        tasks = [task for task in group if task is not None]
        done = []
        try:
            with self._model.ledger.commit():
                self._model.tidy()
                with self._model.ledger.known(
                    {id_ for task in tasks for id_ in task[1]}
                ):
                    for work, _, future, loop in tasks:
                        done.append((future, loop, work(self._model)))
        except BaseException as fault:
            self.fault = fault
            _deliver([(future, loop, StoppedError()) for *_, future, loop in tasks])
            raise
        _deliver(done)
        self.committed = self._model.seq
        if self._model.seq - self._saved >= self._every:
            self._save()
        return more

    def _save(self) -> None:
        self._saved = self._model.seq
        try:
            self._model.save()
        except LittlestoneError as error:  # the ledger has everything
            LOG.error("no snapshot: %s", error)

    def _next(self) -> list[Any]:
        """Wait for a request, and return it with all that came meanwhile."""
        try:
            group = [self._waiting.get(timeout=_PATIENCE)]
        except queue.Empty:
            return []
        while len(group) < self._group and group[-1] is not None:
            try:
                group.append(self._waiting.get_nowait())
            except queue.Empty:
                break
        return group

    def _give_up(self) -> None:
        while True:
            try:
                task = self._waiting.get_nowait()
            except queue.Empty:
                return
            if task is not None:
                _deliver([(task[2], task[3], StoppedError())])


def _deliver(done: list[tuple[Any, Any, Any]]) -> None:
    """Give waiting requests their results, waking each event loop once."""
    loops: dict[Any, list[tuple[Any, Any]]] = {}
    for future, loop, result in done:
        loops.setdefault(loop, []).append((future, result))
    for loop, results in loops.items():
        with suppress(RuntimeError):  # nothing waits in a loop that is closed
            loop.call_soon_threadsafe(_resolve, results)


def _resolve(results: list[tuple[asyncio.Future[Any], Any]]) -> None:
    for future, result in results:
        if future.done():
            continue
        if isinstance(result, StoppedError):
            future.set_exception(result)
        else:
            future.set_result(result)
