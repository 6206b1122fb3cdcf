"""The engine for Dask: tasks run on the workers of a `distributed.Client`."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager, suppress
from itertools import chain, count, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from littlestone.errors import (
    ClusterError,
    Hint,
    LittlestoneError,
    MissingPackageError,
    ParameterError,
)

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from littlestone.cluster._engines import Task

__all__ = ["Dask", "collected", "is_collection"]

_RETRIES = 3
_TOGETHER = 1 << 27  # bytes of data that tasks of one group have at most, nearly
_SMALL = 1 << 16
_LOST = object()  # in place of a result
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
        self._sent: dict[str, Any] = {}
        self._again: dict[str, Any] = {}  # what stands for what was lost

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
        small = isinstance(value, bytes) and len(value) < _SMALL
        return value if small else self._kept(value)

    def share(self, state: bytes) -> Any:
        """Send a state to the workers that need it; a small one goes with each task."""
        # Those of earlier epochs are no longer needed.
        sent = self._sent.items()
        self._sent = {k: each for k, each in sent if not isinstance(each, bytes)}
        return state if len(state) < _SMALL else self._kept(state)

    def _kept(self, value: Any) -> Any:
        """Return a future of a value, which can be sent again if it is lost."""
        with self._connected():
            if isinstance(value, bytes):
                future = self._computed(value)
            else:  # in a list, as a list or a pair would be scattered item by item
                (future,) = self.client.scatter([value], hash=False)
        self._sent[future.key] = value
        return future

    def _computed(self, state: bytes) -> Any:
        """Return a state as what a task returns, which Dask itself makes again.

        To scatter it to all workers waits for ever if one of them dies meanwhile.
        """
        import dask  # noqa: PLC0415 - optional

        key = f"littlestone-state-{self._run}-{next(_KEYS)}"
        limit = "distributed.admin.large-graph-warning-threshold"
        with dask.config.set({limit: sys.maxsize}):
            return self.client.submit(bytes, state, key=key, pure=False)

    def results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        """Submit the tasks, and yield each as it is ready."""
        with self._connected():
            yield from self._results(tasks)

    def _results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        distributed = _distributed()
        waiting: dict[Any, list[Task]] = {}
        ready = distributed.as_completed()
        while tasks or waiting:
            if tasks:
                groups = self._grouped(tasks)
                tasks.clear()
                futures = self._submit(groups)
                waiting.update(zip(futures, groups, strict=True))
                ready.update(futures)
            for future, result in self._fetched(self._next(ready)):
                group = waiting.pop(future)
                lost, failed = result is _LOST, future.status == "error"
                # What was sent to a worker is lost with it, and so are tasks that need
                # it; and where one of a group failed, each is tried by itself.
                if (lost and group[0].tries < _RETRIES) or (failed and len(group) > 1):
                    for task in group:
                        task.tries += 1
                        task.arguments = tuple(map(self._sent_again, task.arguments))
                    tasks.extend(group)
                    continue
                results = [result] * len(group) if lost or failed else result
                if lost or isinstance(result, distributed.KilledWorker):
                    what = f"{group[0].name}: its workers died, or its data were lost"
                    results = [ClusterError(what, owner="cluster")] * len(group)
                yield from zip(group, results, strict=True)

    def _fetched(self, futures: Sequence[Any]) -> list[tuple[Any, Any]]:
        """Return each future with its result, which is an error where it failed.

        What `as_completed` fetches itself never comes if fetching fails.
        """
        done = [each for each in futures if each.status == "finished"]
        found: list[Any] = [_LOST] * len(done)
        # As where a worker dies that has results; without its scheduler a client is
        # closed in the end.
        with suppress(OSError, _distributed().client.CancelledError):
            found = self.client.gather(done)
        failed = [
            (each, each.exception() if each.status == "error" else _LOST)
            for each in futures
            if each not in done
        ]
        return [*zip(done, found, strict=True), *failed]

    def _next(self, ready: Any) -> list[Any]:
        """Return the next futures that are ready."""
        while not ready.has_ready():
            # Futures of a client that has given up its scheduler are never ready.
            if self.client.status in {"closing", "closed"}:
                raise ConnectionError("the connection was lost")
            with ready.thread_condition:
                ready.thread_condition.wait(timeout=0.1)
        found: list[Any] = ready.next_batch()
        return found

    def _grouped(self, tasks: Iterable[Task]) -> list[list[Task]]:
        """Return tasks in groups that a worker plays one task after another."""
        homes = self._homes(tasks)
        alone = [[task] for task in tasks if task not in homes]
        return alone + (grouped(homes, self.client.nthreads()) if homes else [])

    def _homes(self, tasks: Iterable[Task]) -> dict[Task, Home]:
        """Return which workers have the data of tasks, where they are ready.

        What several tasks need, as a state or the data of a race, is no reason to keep
        them together.
        """
        distributed = _distributed()
        needs = {
            task: {each.key: each for each in distributed.futures_of([*task.arguments])}
            for task in tasks
            if not task.tries  # what was lost or failed goes alone
        }
        often = Counter(chain(*needs.values()))
        own = {
            task: [key for key in needed if often[key] == 1]
            for task, needed in needs.items()
        }
        asked = [needs[task][key] for task, keys in own.items() for key in keys]
        if len(asked) <= 1:
            return {}
        try:
            holders = self.client.who_has(asked)
            ready = [key for key, workers in holders.items() if workers]
            sizes = self.client.nbytes(ready, summary=False)
        except (KeyError, distributed.CancelledError):  # some are lost meanwhile
            return {}
        homes = {}
        for task, keys in own.items():
            if keys and all(key in sizes for key in keys):
                largest = max(keys, key=lambda key: sizes[key])
                homes[task] = Home(holders[largest], sum(sizes[key] for key in keys))
        return homes

    def _submit(self, groups: Sequence[Sequence[Task]]) -> list[Any]:
        """Send groups of tasks to the scheduler, in one message."""
        futures: list[Any] = self.client.map(
            _called,
            [[(task.function, task.arguments) for task in group] for group in groups],
            key=[f"{_named(group)}-{self._run}-{next(_KEYS)}" for group in groups],
            pure=False,
            retries=_RETRIES,
            priority=max(int(task.urgent) for group in groups for task in group),
        )
        return futures

    def _sent_again(self, argument: Any) -> Any:
        """Return what stands for a value, sent again if it was lost."""
        if not isinstance(argument, _distributed().Future) or not argument.cancelled():
            return argument
        if argument.key not in self._sent:
            return argument
        again = self._again.get(argument.key)
        if again is None or again.cancelled():
            again = self._again[argument.key] = self._kept(self._sent[argument.key])
        return again


_KEYS = count()


class Home(NamedTuple):
    """Which workers have the data of a task, and how many bytes they are."""

    workers: Sequence[str]
    size: int


def grouped(homes: Mapping[Task, Home], threads: Mapping[str, int]) -> list[list[Task]]:
    """Return tasks in groups that Dask schedules as one.

    To schedule a task takes as long as to play thousands of rows. So the tasks whose
    data one worker has are as many groups as it has threads, or more if they are large.

    Examples
    --------
    >>> from littlestone.cluster._dask import Home, grouped
    >>> homes = {name: Home(["one" if name < "d" else "two"], 8) for name in "abcdef"}
    >>> grouped(homes, {"one": 2, "two": 1})
    [['a'], ['b', 'c'], ['d', 'e', 'f']]
    """
    at: dict[str, list[Task]] = {}
    load: Counter[str] = Counter()
    for task, home in homes.items():
        worker = min(home.workers, key=lambda worker: (load[worker], worker))
        at.setdefault(worker, []).append(task)
        load[worker] += home.size
    groups = []
    for worker, some in at.items():
        many = len(some)
        parts = max(threads.get(worker, 1), -(-load[worker] // _TOGETHER))
        cuts = [many * k // parts for k in range(parts + 1)]
        groups += [some[begin:end] for begin, end in pairwise(cuts) if begin < end]
    return groups


def _named(group: Sequence[Task]) -> str:
    """Return what the dashboard calls a group."""
    more = len(group) - 1
    return f"{group[0].name}-and-{more}-more" if more else group[0].name


def _called(calls: Sequence[tuple[Callable[..., Any], tuple[Any, ...]]]) -> list[Any]:
    """Call functions on a worker; return errors of ours, as to try again is no use."""
    results: list[Any] = []
    for function, arguments in calls:
        try:
            results.append(function(*arguments))
        except LittlestoneError as error:
            results.append(error)
    return results


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
        return name, _pairs(client, X, y)
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
    return name, _persisted(client, data) or _computed(client, _delayed(data))


def _computed(client: Any, parts: list[Any]) -> list[Any]:
    """Return futures of parts, asked for in one message."""
    futures: list[Any] = client.compute(parts)
    return futures


def _persisted(client: Any, collection: Any) -> list[Any] | None:
    """Return the futures that a collection has for its parts; None if some are not."""
    found = _distributed().futures_of(collection)
    futures = {each.key: each for each in found if each.client is client}
    keys = chain.from_iterable(
        key if isinstance(key, list) else [key] for key in collection.__dask_keys__()
    )
    held = [futures.get(key) for key in keys]
    return None if None in held else held


def _delayed(collection: Any) -> list[Any]:
    parts = collection.to_delayed()
    return parts.ravel().tolist() if hasattr(parts, "ravel") else list(parts)


def _pairs(client: Any, X: Any, y: Any) -> list[Any]:
    rows, labels = _persisted(client, X), _persisted(client, y)
    if rows is None or labels is None:
        pairs = zip(_delayed(X), _delayed(y), strict=True)
        flat = _computed(client, list(chain.from_iterable(pairs)))
        rows, labels = flat[::2], flat[1::2]
    return list(zip(rows, labels, strict=True))


def _arrays(client: Any, X: Any, y: Any) -> list[Any]:
    if len(X.chunks) > 1 and len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    if X.chunks[0] != y.chunks[0]:
        raise ParameterError(
            "X and y must have the same chunks of rows, got "
            f"{X.chunks[0]!r:.80} and {y.chunks[0]!r:.80}; y.rechunk(...) changes them",
            owner="cluster",
        )
    return _pairs(client, X, y)
