"""The engine for Dask: tasks run on the workers of a `distributed.Client`."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from itertools import count
from typing import TYPE_CHECKING, Any, Self

from littlestone.errors import (
    ClusterError,
    Hint,
    LittlestoneError,
    MissingPackageError,
    ParameterError,
)

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from littlestone.cluster._engines import Task

__all__ = ["Dask", "collected", "is_collection"]

_RETRIES = 3
_SMALL = 1 << 16
_RUNS = count()  # so that tasks of two runs have different names


def _distributed() -> Any:
    try:
        import distributed  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingPackageError(
            "clusters need the distributed package: pip install 'littlestone[dask]'"
        ) from None
    return distributed


class Dask:
    """Runs tasks on a cluster.

    Parameters
    ----------
    client
        A `distributed.Client`, or the address of a scheduler.
    """

    def __init__(self, client: Any) -> None:
        distributed = _distributed()
        self._own = isinstance(client, str)
        if self._own:
            try:
                client = distributed.Client(client)
            except (OSError, ValueError) as error:
                raise ClusterError(
                    f"a scheduler must answer at {client}: {error}", owner="cluster"
                ) from error
        if not hasattr(client, "submit"):
            raise ParameterError(
                f"client must be a distributed.Client or an address, got {client!r}",
                owner="cluster",
            )
        self.client = client
        self._run = next(_RUNS)
        self._sent: dict[str, tuple[Any, bool]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._own:
            with suppress(OSError):  # the error that ended the run says so already
                self.client.close()

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Tell of a scheduler that is lost as an error of ours."""
        client = _distributed().client
        closed = getattr(client, "ClosedClientError", OSError)
        try:
            yield
        except ClusterError:
            raise
        except (OSError, RuntimeError, closed, client.CancelledError) as error:
            raise ClusterError(
                "the scheduler must answer until the run is over, got "
                f"{type(error).__name__}: {error}",
                owner="cluster",
                hints=[Hint("resume", does="continues from what save= has kept")],
            ) from error

    def hold(self, value: Any) -> Any:
        """Send a value to one worker, where the tasks that need it run."""
        if value is None or isinstance(value, _distributed().Future):
            return value
        return self._scattered(value, broadcast=False)

    def share(self, state: bytes) -> Any:
        """Send a state to all workers; a small one goes with each task."""
        if len(state) < _SMALL:
            return state
        return self._scattered(state, broadcast=True)

    def _scattered(self, value: Any, *, broadcast: bool) -> Any:
        # In a list, as a list or a pair would be scattered item by item.
        with self._connected():
            (future,) = self.client.scatter([value], broadcast=broadcast, hash=False)
        self._sent[future.key] = value, broadcast
        return future

    def results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        """Submit the tasks, and yield each as it is ready."""
        with self._connected():
            yield from self._results(tasks)

    def _results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        distributed = _distributed()
        waiting: dict[Any, Task] = {}
        # Results come along with what is ready, rather than each when it is asked for.
        ready = distributed.as_completed(with_results=True, raise_errors=False)
        while tasks or waiting:
            if tasks:
                some = list(tasks)
                tasks.clear()
                futures = self._submit(some)
                waiting.update(zip(futures, some, strict=True))
                ready.update(futures)
            future, result = next(ready)
            task = waiting.pop(future)
            # What was sent to a worker is lost with it, and so are tasks that need it.
            if future.cancelled() and task.tries < _RETRIES:
                task.tries += 1
                task.arguments = tuple(map(self._sent_again, task.arguments))
                tasks.append(task)
                continue
            if future.status == "error":
                _, result, _ = result
            if future.cancelled() or isinstance(result, distributed.KilledWorker):
                result = ClusterError(f"{task.name}: its workers died", owner="cluster")
            yield task, result

    def _submit(self, tasks: Sequence[Task]) -> list[Any]:
        """Send tasks to the scheduler, in one message."""
        futures: list[Any] = self.client.map(
            _called,
            [task.function for task in tasks],
            [task.arguments for task in tasks],
            key=[f"{task.name}-{self._run}-{next(_KEYS)}" for task in tasks],
            pure=False,
            retries=_RETRIES,
            priority=max(int(task.urgent) for task in tasks),
        )
        return futures

    def _sent_again(self, argument: Any) -> Any:
        """Return what stands for a value, sent again if it was lost."""
        if not isinstance(argument, _distributed().Future) or not argument.cancelled():
            return argument
        if argument.key not in self._sent:
            return argument
        value, broadcast = self._sent[argument.key]
        return self._scattered(value, broadcast=broadcast)


_KEYS = count()


def _called(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function on a worker; return errors of ours, as to try again is no use."""
    try:
        return function(*arguments)
    except LittlestoneError as error:
        return error


def is_collection(data: Any) -> bool:
    """Return whether data is a collection of Dask, or delayed values."""
    several = isinstance(data, (list, tuple)) and bool(data)
    return hasattr(data, "__dask_graph__") or (
        several and any(hasattr(each, "__dask_graph__") for each in data)
    )


def collected(client: Any, data: Any, label: str | int | None) -> tuple[str, list[Any]]:
    """Return what to call the parts of a collection, and futures of their values.

    A bag has examples; a dataframe has `label`; a pair `(X, y)` has arrays with the
    same chunks, or dataframes with the same partitions; delayed values are any of what
    `run` takes.
    """
    from dask.delayed import Delayed  # noqa: PLC0415 - optional

    # A delayed value seems to have any attribute, so it is asked for nothing.
    given = list(data) if isinstance(data, (list, tuple)) else [data]
    if any(isinstance(each, Delayed) for each in given):
        return "delayed", _computed(client, given)
    pair = isinstance(data, tuple) and len(data) == 2  # noqa: PLR2004 - X and y
    name = type(given[0]).__name__.lower()
    if pair and all(hasattr(each, "chunks") for each in data):
        return name, _arrays(client, *data)
    if pair and all(hasattr(each, "npartitions") for each in data):
        X, y = data
        if X.npartitions != y.npartitions:
            raise ParameterError(
                f"X and y must have the same partitions, got {X.npartitions} and "
                f"{y.npartitions}",
                owner="cluster",
            )
        return name, _pairs(client, X.to_delayed(), y.to_delayed())
    if name == "dataframe" and label is None:
        raise ParameterError(
            "a DataFrame needs label=, the column of its labels", owner="cluster"
        )
    if not hasattr(data, "to_delayed"):
        raise ParameterError(
            "collections of Dask must be bags, dataframes, pairs of arrays or delayed "
            f"values, got {data!r:.80}",
            owner="cluster",
        )
    return name, _computed(client, list(data.to_delayed()))


def _computed(client: Any, parts: list[Any]) -> list[Any]:
    """Return futures of parts, asked for in one message."""
    futures: list[Any] = client.compute(parts)
    return futures


def _pairs(client: Any, X: Iterable[Any], y: Iterable[Any]) -> list[Any]:
    flat = _computed(client, [each for pair in zip(X, y, strict=True) for each in pair])
    return list(zip(flat[::2], flat[1::2], strict=True))


def _arrays(client: Any, X: Any, y: Any) -> list[Any]:
    if len(X.chunks) > 1 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    if X.chunks[0] != y.chunks[0]:
        raise ParameterError(
            "X and y must have the same chunks of rows, got "
            f"{X.chunks[0]!r:.80} and {y.chunks[0]!r:.80}; y.rechunk(...) changes them",
            owner="cluster",
        )
    rows = [row[0] for row in X.to_delayed()] if len(X.chunks) > 1 else X.to_delayed()
    labels = y.to_delayed().ravel().tolist()
    return _pairs(client, rows, labels)
