"""Tasks whose data one worker has are scheduled as one, and fail one by one."""

from __future__ import annotations

from collections import deque
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from littlestone import cluster
from littlestone.cluster._dask import Dask, Home, grouped
from littlestone.cluster._engines import Task
from littlestone.cluster._travel import packed
from littlestone.errors import ClusterError, ParameterError
from littlestone.linear import Perceptron

RNG = np.random.default_rng(25)
X = RNG.normal(size=(120, 6))
Y = (X @ np.arange(-2.0, 4.0) + RNG.normal(size=120) > 0).astype(int)
CHUNK = 10


def _task(name: str, function: Any = max, *arguments: Any) -> Task:
    return Task(name, function, arguments)


TASKS = [_task(name) for name in "abcdefgh"]


def _names(groups: list[list[Task]]) -> list[str]:
    return ["".join(task.name for task in group) for group in groups]


def _homes(workers: list[list[str]], size: int = 1) -> dict[Task, Home]:
    return {task: Home(some, size) for task, some in zip(TASKS, workers, strict=False)}


def test_each_thread_has_one_group() -> None:
    homes = _homes([["one"]] * 5 + [["two"]] * 3)
    assert _names(grouped(homes, {"one": 1, "two": 1})) == ["abcde", "fgh"]
    assert _names(grouped(homes, {"one": 2, "two": 4})) == ["ab", "cde", "f", "g", "h"]
    assert _names(grouped(homes, {})) == ["abcde", "fgh"]  # workers may have gone


def test_large_data_are_more_groups() -> None:
    homes = _homes([["one"]] * 8, size=1 << 25)  # 2 ** 27 bytes a group
    assert _names(grouped(homes, {"one": 1})) == ["abcd", "efgh"]
    homes = _homes([["one"]] * 8, size=1 << 40)
    assert _names(grouped(homes, {"one": 1})) == list("abcdefgh")


def test_copies_are_shared_out() -> None:
    homes = _homes([["one", "two"]] * 8)
    assert _names(grouped(homes, {"one": 1, "two": 1})) == ["aceg", "bdfh"]


# On a cluster ------------------------------------------------------------------------


@pytest.fixture
def submitted(monkeypatch: pytest.MonkeyPatch) -> list[list[Task]]:
    """Note the groups that are submitted."""
    noted: list[list[Task]] = []
    submit = Dask._submit  # noqa: SLF001 - what is noted

    def noting(self: Dask, groups: Any) -> Any:
        noted.extend(groups)
        return submit(self, groups)

    monkeypatch.setattr(Dask, "_submit", noting)
    return noted


def _persisted(client: Any) -> Any:
    array = pytest.importorskip("dask.array")
    rows = array.from_array(X, chunks=(CHUNK, 6))
    labels = array.from_array(Y, chunks=CHUNK)
    pair = tuple(client.persist([rows, labels]))
    pytest.importorskip("distributed").wait(pair)
    return pair


@pytest.mark.parametrize("keep", ["mistakes", "updates"])
def test_chunks_of_one_worker_are_played_together(
    client: Any, submitted: list[list[Task]], keep: Any
) -> None:
    here, there = Perceptron(), Perceptron()
    expected = cluster.run(here, (X, Y), shards=12, epochs=2, workers=0, keep=keep)
    record = cluster.run(there, _persisted(client), client=client, epochs=2, keep=keep)
    assert packed(there) == packed(here)
    assert len(submitted) <= 4  # at most a task for each of two workers and epochs
    assert sorted(chain(*map(_shards, submitted))) == sorted([*range(12)] * 2)
    assert record.shards == tuple(f"array {k}" for k in range(12))
    for one, two in zip(record.epochs, expected.epochs, strict=True):
        assert one.weights == two.weights
        assert [each.digest for each in one.tallies] == [
            each.digest for each in two.tallies
        ]


def _shards(group: list[Task]) -> list[int]:
    return [int(task.name.rsplit("-", 1)[1]) for task in group]


def test_what_was_persisted_is_not_computed_again(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = _persisted(client)
    monkeypatch.setattr(type(client), "compute", None)
    cluster.run(Perceptron(), data, client=client)
    with pytest.raises(TypeError):
        cluster.run(Perceptron(), (data[0] + 1, data[1]), client=client)


def test_a_race_over_the_same_data_stays_apart(
    client: Any, submitted: list[list[Task]]
) -> None:
    learners = [Perceptron(), Perceptron(bias=1.0), Perceptron(bias=2.0)]
    cluster.race(learners, _persisted(client), client=client)
    assert [len(group) for group in submitted] == [1, 1, 1]


def _played(part: int, marker: str | None = None) -> int:
    """Refuse or fail, and note that it was called."""
    if marker is not None:
        with Path(marker).open("a") as tries:
            tries.write(f"{part} ")
    if part == 1:
        raise ParameterError("a part must not be 1", owner="test")
    if part == 2:
        raise OSError("no such disk")
    if part == 3:  # as Dask says of a task that killed several workers
        last = SimpleNamespace(address="tcp://there")
        raise pytest.importorskip("distributed").KilledWorker("part", last, 4)
    return part


def _results(client: Any, parts: list[int], marker: Path) -> dict[str, Any]:
    worker = min(client.nthreads())
    with Dask(client) as engine:
        held = client.map(
            int, parts, workers=[worker], allow_other_workers=True, pure=False
        )
        client.gather(held)
        tasks = deque(
            _task(f"part-{part}", _played, future, str(marker))
            for part, future in zip(parts, held, strict=True)
        )
        return {task.name: result for task, result in engine.results(tasks)}


def test_of_a_group_each_fails_by_itself(
    client: Any, submitted: list[list[Task]], tmp_path: Path
) -> None:
    found = _results(client, [0, 1, 4], tmp_path / "called")
    assert [found["part-0"], found["part-4"]] == [0, 4]
    assert isinstance(found["part-1"], ParameterError)
    assert _names(submitted) == ["part-0part-1part-4"]
    assert (tmp_path / "called").read_text() == "0 1 4 "  # ours are not tried again
    submitted.clear()
    found = _results(client, [0, 1, 2, 4], tmp_path / "called")
    assert [found["part-0"], found["part-4"]] == [0, 4]
    assert isinstance(found["part-1"], ParameterError)
    assert isinstance(found["part-2"], OSError)
    assert [len(group) for group in submitted] == [4, 1, 1, 1, 1]


def test_a_task_that_kills_its_workers_leaves_the_others(
    client: Any, tmp_path: Path
) -> None:
    found = _results(client, [0, 3, 4], tmp_path / "called")
    assert [found["part-0"], found["part-4"]] == [0, 4]
    assert isinstance(found["part-3"], ClusterError)
    assert "part-3: its workers died" in str(found["part-3"])
