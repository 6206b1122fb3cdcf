"""A real scheduler and workers as processes, some of which are killed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import models
from littlestone.cluster._travel import packed

dask = pytest.importorskip("dask")
pytest.importorskip("distributed")

WORKERS = 2
WORDS = ("--no-dashboard",)


class _Cluster:
    """A scheduler and its workers on this machine."""

    def __init__(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start all processes."""
        port = ("--host", "127.0.0.1", "--port", str(self.port))
        self._start("dask_scheduler", *port)
        for _ in range(WORKERS):
            words = ("--no-nanny", "--nthreads", "1", "--memory-limit", "0")
            self._start("dask_worker", self.address, *words)

    def _start(self, name: str, *words: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.{name}", *words, *WORDS]
        silent = subprocess.DEVNULL
        self.processes.append(
            # In another folder, as the workers of a real cluster.
            subprocess.Popen(command, stdout=silent, stderr=silent, cwd="/")
        )

    def kill(self, *which: int) -> None:
        """Kill some processes: the scheduler is the first."""
        for at in which:
            self.processes[at].kill()
            self.processes[at].wait()

    def end(self) -> None:
        """Kill all of them."""
        self.kill(*range(len(self.processes)))
        self.processes = []


@pytest.fixture
def real() -> Iterator[_Cluster]:
    """Start a cluster, and end it."""
    made = _Cluster()
    made.start()
    yield made
    made.end()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write files of either kind; of the svmlight files one is empty."""
    rng = np.random.default_rng(25)
    u = rng.normal(size=12_000)
    for part in range(5):
        with (tmp_path / f"{part}.svm").open("w") as out:
            for row in np.sort(rng.integers(12_000, size=(400 * (part != 2), 20))):
                columns = sorted(set(row.tolist()))
                text = " ".join(f"{j + 1}:1" for j in columns)
                out.write(f"{int(u[columns].sum() > 0)} {text}\n")
        with (tmp_path / f"{part}.csv").open("w") as out:
            out.write("kind,length,links\n")
            for length, links in rng.normal(size=(50, 2)):
                kind = "spam" if length > links else "ham"
                out.write(f"{kind},{length:.3f},{links:.3f}\n")
    return tmp_path


CSV = ("--label", "kind", "--positive", "spam")


def test_the_command_line_on_real_processes(
    real: _Cluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    where = ("--dask", real.address)
    for files, words in (("*.svm", ()), ("*.csv", CSV)):
        here, there = (
            json.loads(
                call(
                    "run", files, *words, "-l", "perceptron", "--json", "-q", *each
                ).stdout
            )
            for each in (where, ("--workers", "0"))
        )
        assert here["epochs"][0]["shards"] == there["epochs"][0]["shards"]
        place = folder / "c.json"
        done = call(
            "certify", files, *words, *where, "-l", "perceptron", "--passes", "2",
            "-q", "-o", place,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert call("verify", place, files, *words).returncode == 0
        learners = ("-l", "perceptron", "-l", "arow", "--json", "-q")
        one, two = (
            json.loads(call("race", files, *words, *learners, *each).stdout)["ranking"]
            for each in (where, ())
        )
        assert [each["mistakes"] for each in one] == [each["mistakes"] for each in two]


def _killing(path: Path, action: Any) -> threading.Thread:
    """Do something as soon as the first epoch is over."""

    def watching() -> None:
        while not path.exists():
            time.sleep(0.002)
        action()

    thread = threading.Thread(target=watching, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("what", ["a worker", "the scheduler"])
def test_what_is_killed_is_made_up_for(real: _Cluster, folder: Path, what: str) -> None:
    files, path, other = f"{folder}/*.svm", folder / "m.lst", folder / "n.lst"
    words = ("run", files, "-l", "perceptron", "--passes", "30", "-q", "--save")

    def restart() -> None:
        real.end()
        real.start()

    thread = _killing(
        path, restart if what == "the scheduler" else lambda: real.kill(1)
    )
    # On a busy machine a scheduler starts slowly.
    with dask.config.set({"distributed.comm.timeouts.connect": "300s"}):
        done = call(*words, path, "--dask", real.address)
    thread.join()
    assert done.returncode == 0, done.stderr
    assert call(*words, other, "--workers", "0").returncode == 0
    one, two = models.load(path), models.load(other)
    assert packed(one) == packed(two)
    assert len(packed(one)) > 1 << 16  # it does not travel within the tasks
