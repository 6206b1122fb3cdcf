"""Workers die, shards cannot be read, runs are interrupted: nothing is lost."""

from __future__ import annotations

import os
import signal
from collections import deque
from pathlib import Path
from threading import Condition, Timer
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from littlestone import cluster, models
from littlestone.cluster._dask import Dask
from littlestone.cluster._engines import Here, Task
from littlestone.cluster._shards import MemoryShard
from littlestone.cluster._travel import packed
from littlestone.errors import (
    ClusterError,
    LineError,
    MissingFileError,
    ModelError,
    ParameterError,
)
from littlestone.linear import AveragedPerceptron, PassiveAggressive, Perceptron
from littlestone.models._models import read_model, write_model

RNG = np.random.default_rng(2)
X = RNG.normal(size=(60, 5))
Y = (X[:, 0] > X[:, 1]).astype(int)


class _Deadly(MemoryShard):
    """Kills the process that opens it, once: a file says whether it has."""

    def open(self, learner: Any) -> Any:
        marker = Path(str(self.label))
        if not marker.exists():
            marker.write_text("")
            os.kill(os.getpid(), signal.SIGKILL)
        shown = MemoryShard(self.number, self.data)
        return shown.open(learner)


def _here(**options: Any) -> bytes:
    learner = Perceptron()
    cluster.run(learner, (X, Y), shards=3, workers=0, **options)
    return packed(learner)


def _deadly(tmp_path: Path, name: str) -> list[Any]:
    parts: list[Any] = [
        MemoryShard(k, (X[20 * k : 20 * k + 20], Y[20 * k : 20 * k + 20]))
        for k in range(3)
    ]
    parts[1] = _Deadly(1, parts[1].data, str(tmp_path / name))
    return parts


def test_a_process_killed_in_mid_epoch_is_replaced(
    tmp_path: Path, pool: cluster.Processes
) -> None:
    learner = Perceptron()
    data = _deadly(tmp_path, "killed")
    cluster.run(learner, data, client=pool, epochs=2)
    assert (tmp_path / "killed").exists()
    assert packed(learner) == _here(epochs=2)


def test_a_worker_of_dask_killed_in_mid_epoch_is_replaced(
    tmp_path: Path, client: Any
) -> None:
    learner = Perceptron()
    data = _deadly(tmp_path, "killed too")
    cluster.run(learner, data, client=client, epochs=2)
    assert (tmp_path / "killed too").exists()
    assert packed(learner) == _here(epochs=2)


def test_a_task_that_kills_every_process_is_given_up() -> None:
    with cluster.Processes(1) as pool:
        found = list(pool.results(deque([Task("deadly", os._exit, (1,), tries=3)])))
    assert isinstance(found[0][1], ClusterError)


# Shards that cannot be read ------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "0.svm").write_text("1 1:1\n0 2:1\n")
    (tmp_path / "1.svm").write_text("1 1:1\n0 oops\n")
    (tmp_path / "2.svm").write_text("0 2:1\n1 1:1\n")
    return tmp_path


class _Refusing(MemoryShard):
    """Counts in a file how often it was opened, and refuses."""

    def open(self, learner: Any) -> Any:  # noqa: ARG002 - it does not come to that
        with Path(str(self.label)).open("a") as tries:
            tries.write("x")
        raise ParameterError("rows must be rows", owner="table")


def test_what_cannot_be_read_is_not_tried_again(tmp_path: Path, client: Any) -> None:
    data = [_Refusing(0, None, str(tmp_path / "tries"))]
    with pytest.raises(ParameterError, match="part 0: table: rows must be rows"):
        cluster.run(Perceptron(), data, client=client)
    assert (tmp_path / "tries").read_text() == "x"


def test_an_error_of_a_partition_is_raised_or_skips_it(client: Any) -> None:
    delayed = pytest.importorskip("dask").delayed
    parts = [delayed((X, Y)), delayed(int)("three")]
    with pytest.raises(ValueError, match="invalid literal for int"):
        cluster.run(Perceptron(), parts, client=client)
    record = cluster.run(Perceptron(), parts, client=client, on_error="skip")
    assert list(record.skipped) == ["delayed 1"]


def test_a_shard_that_cannot_be_read_is_named(
    folder: Path, pool: cluster.Processes
) -> None:
    learner = Perceptron()
    with pytest.raises(LineError, match=r"1\.svm:2: ") as refused:
        cluster.run(learner, str(folder / "*.svm"), client=pool)
    assert refused.value.line == 2
    assert learner.newborn_


def test_shards_may_be_skipped_and_the_record_says_so(folder: Path) -> None:
    learner = Perceptron()
    files = str(folder / "*.svm")
    record = cluster.run(learner, files, workers=0, epochs=2, on_error="skip")
    assert list(record.skipped) == [str(folder / "1.svm")]
    assert "oops" in record.skipped[str(folder / "1.svm")]
    assert [epoch.weights[1] for epoch in record.epochs] == [0, 0]
    assert "1 skipped" in repr(record)
    rest = [folder / "0.svm", folder / "2.svm"]
    cluster.run(other := Perceptron(), rest, workers=0, epochs=2)
    assert packed(other) == packed(learner)
    record = cluster.run(
        Perceptron(), files, workers=0, keep="updates", on_error="skip"
    )
    with pytest.raises(ParameterError, match="covers all shards, got 1 skipped"):
        cluster.certify(record)


def test_a_shard_of_a_later_stretch_may_be_skipped(folder: Path) -> None:
    files = [folder / f"{part}.svm" for part in (0, 2, 1)]  # the last is wrong
    options: dict[str, Any] = {"shards": 3, "workers": 0, "on_error": "skip"}
    record = cluster.run(Perceptron(), files, mixes=2, epochs=2, **options)
    wrong = [name for name in record.shards if str(files[2]) in name]
    assert set(record.skipped) <= set(wrong)
    assert record.skipped
    assert all("oops" in why for why in record.skipped.values())


def test_a_shard_that_is_not_there_may_be_skipped(folder: Path) -> None:
    files = [folder / "0.svm", folder / "nowhere.svm", folder / "2.svm"]
    with pytest.raises(MissingFileError, match=r"nowhere\.svm: .* got no such file"):
        cluster.run(Perceptron(), files, workers=0)
    record = cluster.run(Perceptron(), files, workers=0, shards=4, on_error="skip")
    assert list(record.skipped) == [str(folder / "nowhere.svm")]
    assert record.rounds == sum(
        len(each.read_text().splitlines()) for each in files[::2]
    )


# Checkpoints -----------------------------------------------------------------------


class _GoneError(Exception):
    """The scheduler is gone."""


def _interrupted(monkeypatch: pytest.MonkeyPatch, after: int, path: Path) -> None:
    """Run until some epochs are over, then lose the engine."""
    results, epochs = Here.results, []

    def failing(self: Here, tasks: Any) -> Any:
        epochs.append(1)
        if len(epochs) > after:
            raise _GoneError
        return results(self, tasks)

    monkeypatch.setattr(Here, "results", failing)
    with pytest.raises(_GoneError):
        cluster.run(
            PassiveAggressive(), (X, Y), shards=3, epochs=4, workers=0, save=path,
            keep="updates",
        )  # fmt: skip
    monkeypatch.undo()


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_resumes_after_the_last_epoch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    path = tmp_path / "m.lst"
    _interrupted(monkeypatch, after, path)
    assert path.exists() == (after > 0)
    options: dict[str, Any] = {"shards": 3, "epochs": 4, "workers": 0}
    options["keep"] = "updates"
    learner = PassiveAggressive()
    resumed = cluster.run(learner, (X, Y), save=path, resume=True, **options)
    whole = PassiveAggressive()
    record = cluster.run(whole, (X, Y), **options)
    assert packed(learner) == packed(whole)
    assert resumed.mistakes == record.mistakes
    assert packed(models.load(path)) == packed(whole)
    assert cluster.certify(resumed) == cluster.certify(record)


def test_a_run_that_mixes_often_resumes_with_the_mean_of_its_epoch(
    tmp_path: Path,
) -> None:
    path = tmp_path / "m.lst"
    options: dict[str, Any] = {"shards": 3, "mixes": 2, "workers": 0, "save": path}
    learner, whole = AveragedPerceptron(), AveragedPerceptron()
    cluster.run(learner, (X, Y), epochs=1, **options)
    resumed = cluster.run(learner.clone(), (X, Y), epochs=3, resume=True, **options)
    record = cluster.run(whole, (X, Y), epochs=3, **options)
    assert packed(models.load(path)) == packed(whole)
    assert resumed.epochs[2].weights == record.epochs[2].weights


def test_a_run_resumes_with_as_many_mixtures_as_it_began_with(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    rows = [({k % 7: 1.0}, k % 3 > 0) for k in range(600)]
    options: dict[str, Any] = {"shards": 2, "workers": 0, "save": path, "epochs": 1}
    cluster.run(learner := Perceptron(), rows, mixes=1, **options)
    options |= {"epochs": 2, "resume": True}
    again = cluster.run(learner.clone(), rows, **options)  # unasked it would be four
    assert [epoch.mixes for epoch in again.epochs] == [1, 1]


def test_a_mean_of_all_epochs_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    options: dict[str, Any] = {"shards": 3, "workers": 0, "save": path}
    cluster.run(AveragedPerceptron(), (X, Y), **options)
    learner, saved = read_model(path)
    assert saved is not None
    del saved["cluster"]["setting"]["mixes"]
    write_model(learner, path, saved)
    with pytest.raises(ModelError, match="whose mean begins with each epoch"):
        cluster.run(AveragedPerceptron(), (X, Y), epochs=2, resume=True, **options)


def test_a_run_resumes_with_the_same_settings(tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    cluster.run(Perceptron(), (X, Y), shards=3, workers=0, save=path)
    again: dict[str, Any] = {"workers": 0, "save": path, "resume": True, "shards": 3}
    with pytest.raises(ParameterError, match="mix must be 'mistakes'"):
        cluster.run(Perceptron(), (X, Y), mix="uniform", **again)
    with pytest.raises(ParameterError, match="mixes must be 1, as in the run"):
        cluster.run(Perceptron(), (X, Y), mixes=2, **again)
    with pytest.raises(ParameterError, match="shards must be"):
        cluster.run(Perceptron(), (X, Y), **{**again, "shards": 4})
    with pytest.raises(ModelError, match="must resume with"):
        cluster.run(Perceptron(bias=1.0), (X, Y), **again)
    models.save(Perceptron(), path)
    with pytest.raises(ModelError, match="from a file that one has written"):
        cluster.run(Perceptron(), (X, Y), **again)
    more = cluster.run(
        Perceptron(), (X, Y), shards=3, workers=0, save=tmp_path / "n.lst", epochs=2
    )
    assert len(more.epochs) == 2


# Where a checkpoint is damaged, and what stands there then.
DAMAGES: list[tuple[tuple[Any, ...], Any]] = [
    (("setting",), 7),
    (("epochs",), 7),
    (("epochs", 0), {}),
    (("epochs", 0, "weights"), [1]),
    (("epochs", 0, "seconds"), "long"),
    (("epochs", 0, "tallies", 0, "rounds"), -1),
    (("epochs", 0, "tallies", 0, "shard"), None),
    (("epochs", 0, "tallies", 0, "examples", "columns", 0), 99),
    (("epochs", 0, "tallies", 0, "examples", "offsets", -1), 1),
    (("epochs", 0, "tallies", 0, "examples", "values"), []),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: str(damage[0]))
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, damage: Any) -> None:
    path, (places, value) = tmp_path / "m.lst", damage
    options: dict[str, Any] = {"shards": 3, "workers": 0, "keep": "updates"}
    cluster.run(Perceptron(), (X, Y), save=path, **options)
    learner, state = read_model(path)
    assert state is not None
    at = state["cluster"]
    for place in places[:-1]:
        at = at[place]
        if isinstance(at, dict):
            at |= {k: v.copy() for k, v in at.items() if hasattr(v, "dtype")}
    at[places[-1]] = value
    write_model(learner, path, state)
    with pytest.raises(ModelError, match="the checkpoint is damaged"):
        cluster.run(Perceptron(), (X, Y), save=path, resume=True, epochs=2, **options)


def test_progress_has_a_line_an_epoch(capsys: pytest.CaptureFixture[str]) -> None:
    cluster.run(Perceptron(), (X, Y), shards=3, epochs=2, workers=0, progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["epoch 1 of 2", "epoch 2 of 2"]
    assert "3 shards, 60 rounds" in lines[0]


def test_tasks_have_names_for_the_dashboard(monkeypatch: pytest.MonkeyPatch) -> None:
    names: list[str] = []
    results = Here.results

    def noting(self: Here, tasks: Any) -> Any:
        names.extend(task.name for task in tasks)
        return results(self, tasks)

    monkeypatch.setattr(Here, "results", noting)
    cluster.run(Perceptron(), (X, Y), shards=2, epochs=2, workers=0)
    assert names[2:] == ["littlestone-epoch-2-shard-0", "littlestone-epoch-2-shard-1"]


def test_a_scheduler_that_is_lost_is_one_of_our_errors(client: Any) -> None:
    other = type(client)(client.scheduler.address)
    other.close()
    with pytest.raises(ClusterError, match=r"must answer until .*resume= continues"):
        cluster.run(Perceptron(), (X, Y), client=other)


def test_a_client_that_gives_up_its_scheduler_ends_the_run(client: Any) -> None:
    other = type(client)(client.scheduler.address)
    never = SimpleNamespace(has_ready=lambda: False, thread_condition=Condition())
    Timer(0.2, other.close).start()
    with pytest.raises(ConnectionError, match="the connection was lost"):
        Dask(other)._next(never)  # noqa: SLF001 - as a run would wait


def test_an_address_that_nobody_answers_is_refused() -> None:
    dask = pytest.importorskip("dask")
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "100ms"}),
        pytest.raises(ClusterError, match="a scheduler must answer"),
    ):
        cluster.run(Perceptron(), (X, Y), client="tcp://127.0.0.1:1")


def test_a_matrix_that_is_not_sound_is_refused() -> None:
    rows = sp.csr_matrix(X)
    rows.indptr[7] = 2**30  # SciPy would read there
    with pytest.raises(ParameterError, match="a CSR matrix must be sound"):
        cluster.run(Perceptron(), (rows, Y), shards=3, workers=0)
