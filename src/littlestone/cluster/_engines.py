"""Engines: where tasks run. One for the processes of this machine, one for none."""

from __future__ import annotations

import pickle
import shutil
import tempfile
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import current_process, get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from littlestone import cores
from littlestone.errors import ClusterError, Hint, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["Engine", "Here", "Processes", "Task", "engine_for", "gathered"]

_RETRIES = 3  # how often a task is tried again after its worker died
_FREED = 31 << 20  # bytes, which are not touched; glibc heeds less than 32 MiB
_AHEAD = 2  # tasks for each process that a pool is given ahead


@dataclass(eq=False)
class Task:
    """A pure function and its arguments, which an engine calls once or more.

    Attributes
    ----------
    name
        What dashboards and messages call it.
    urgent
        Whether it goes before those that only wait for a worker.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    urgent: bool = False
    tries: int = field(default=0, repr=False)


class Engine(Protocol):
    """Runs tasks somewhere, and yields what they return as they are ready."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def hold(self, value: Any) -> Any:
        """Keep a value near the workers; return what stands for it in arguments."""

    def share(self, state: bytes) -> Any:
        """Send a state to all workers once; return what stands for it in arguments."""

    def results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        """Yield each task with its result, or the exception that it raised.

        More tasks may be added while results come.
        """


def engine_for(client: Any, workers: int | None) -> Engine:
    """Return the engine for a Dask client or address, or for so many processes.

    Examples
    --------
    >>> from littlestone.cluster._engines import engine_for
    >>> type(engine_for(None, 0)).__name__, type(engine_for(None, 2)).__name__
    ('Here', 'Processes')
    """
    if client is not None and workers is not None:
        raise ParameterError(
            f"workers are those of the client, got workers={workers!r} as well",
            owner="cluster",
        )
    if isinstance(client, Processes):
        return client
    if client is not None:
        from littlestone.cluster._dask import Dask  # noqa: PLC0415 - optional

        return Dask(client)
    if workers is None:
        workers = cores.usable()
    if type(workers) is not int or workers < 0:
        raise ParameterError(
            f"workers must be a whole number from 0 on, got {workers!r}",
            owner="cluster",
        )
    return Processes(workers) if workers else Here()


def gathered(engine: Engine, tasks: Mapping[Task, int]) -> list[Any]:
    """Return the results of tasks, in the order of their numbers."""
    found: dict[int, Any] = {}
    for task, result in engine.results(deque(tasks)):
        if isinstance(result, BaseException):
            raise result
        found[tasks[task]] = result
    return [found[at] for at in range(len(tasks))]


class Here:
    """Runs tasks in this process, one after another."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def hold(self, value: Any) -> Any:
        """Return the value itself."""
        return value

    def share(self, state: bytes) -> Any:
        """Return the state itself."""
        return state

    def results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        """Run each task, and yield what it returns or raises."""
        while tasks:
            task = tasks.popleft()
            try:
                result = task.function(*task.arguments)
            except Exception as error:  # noqa: BLE001 - for the caller to judge
                result = error
            yield task, result


@dataclass(frozen=True)
class _File:
    """Stands for a value that is in a file, in the arguments of a task."""

    path: str
    state: bool  # the bytes themselves, not a pickle of this program


class Processes:
    """Processes of this machine, which several runs may use one after another.

    States are written to files once, and each process reads them. A process that dies
    is replaced, and its tasks run again.

    Parameters
    ----------
    workers
        How many processes.

    Examples
    --------
    >>> from littlestone import cluster
    >>> from littlestone.linear import Perceptron
    >>> examples = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 4
    >>> with cluster.Processes(1) as pool:
    ...     one = cluster.run(Perceptron(), examples, client=pool, shards=2)
    ...     two = cluster.run(Perceptron(), examples, client=pool, shards=4)
    >>> one.mistakes, two.mistakes
    (2, 4)
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool: ProcessPoolExecutor | None = None
        self._folder: str | None = None
        self._files = 0
        self._states: list[Path] = []
        self._users = 0

    def __enter__(self) -> Self:
        if getattr(current_process(), "_inheriting", False):
            # It imports the program that has started it, which says what is wrong.
            raise SystemExit(1)
        if not self._users:
            self._folder = tempfile.mkdtemp(prefix="littlestone-")
        self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._users -= 1
        if self._users:
            return
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def hold(self, value: Any) -> Any:
        """Write a value to a file, unless it is small."""
        if value is None:
            return None
        raw = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
        if len(raw) < _SMALL:
            return value
        return _File(str(self._write(raw)), state=False)

    def share(self, state: bytes) -> Any:
        """Write a state to a file; those of earlier epochs are no longer needed."""
        for old in self._states:
            old.unlink(missing_ok=True)
        self._states = [self._write(state)]
        return _File(str(self._states[0]), state=True)

    def results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        """Run the tasks, and yield each as it is ready."""
        waiting: dict[Future[Any], Task] = {}
        while tasks or waiting:
            # A pool keeps the order, so what comes later must not wait behind all.
            while tasks and len(waiting) < _AHEAD * self._workers:
                task = tasks.popleft()
                waiting[self._submit(task)] = task
            ready, _ = wait(waiting, return_when=FIRST_COMPLETED)
            died: list[Task] = []
            for future in ready:
                task = waiting.pop(future)
                error = future.exception()
                if isinstance(error, BrokenProcessPool):
                    died.append(task)
                else:
                    yield task, future.result() if error is None else error
            if died:
                # The pool is lost with the process; all that waits must start again.
                died += waiting.values()
                waiting.clear()
                self._replace()
                if not self._begun.exists():
                    here = Hint("workers", 0, "plays in this process")
                    raise ClusterError(_UNGUARDED, owner="cluster", hints=[here])
                for task in died:
                    task.tries += 1
                    if task.tries > _RETRIES:
                        what = f"{task.name}: {task.tries} processes died of it"
                        yield task, ClusterError(what, owner="cluster")
                    else:
                        waiting[self._submit(task)] = task

    def _submit(self, task: Task) -> Future[Any]:
        if self._pool is None:
            self._pool = ProcessPoolExecutor(
                self._workers,
                mp_context=get_context("spawn"),
                initializer=_begin,
                initargs=(cores.usable() // self._workers, self._begun),
            )
        try:
            return self._pool.submit(_called, task.function, task.arguments)
        except BrokenProcessPool:
            self._replace()
            return self._submit(task)

    def _replace(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _write(self, raw: bytes) -> Path:
        self._files += 1
        path = self._at(str(self._files))
        path.write_bytes(raw)
        return path

    @property
    def _begun(self) -> Path:
        """The file that says that a process has begun."""
        return self._at("begun")

    def _at(self, name: str) -> Path:
        assert self._folder is not None  # noqa: S101 - it is entered before
        return Path(self._folder, name)


_SMALL = 1 << 16
_UNGUARDED = (
    "processes must be able to start, got none that came to its first task; they "
    "import the script that starts them, which must be a file with the call under "
    'if __name__ == "__main__":'
)


def _begin(most: int, begun: Path) -> None:
    """Let a process use so many cores, since they share them, and keep its memory.

    The C library of Linux gives blocks back to the system until it has freed larger
    ones, and each shard would meet them anew: 4 ms of 57 for 52 MB of svmlight.
    """
    cores.limit(most)
    np.empty(_FREED, np.uint8)
    begun.touch()


def _called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function in a worker process."""
    return function(*map(_resolved, arguments))


def _resolved(argument: Any) -> Any:
    if not isinstance(argument, _File):
        return argument
    if argument.state:
        return Path(argument.path).read_bytes()
    return _unpickled(argument.path)


@lru_cache(maxsize=64)
def _unpickled(path: str) -> Any:
    """Return a value that the program which started this process has written."""
    return pickle.loads(Path(path).read_bytes())  # noqa: S301 - our own, in our folder
