"""Kill a real Dask scheduler in the middle of a run, start another one, and resume.

`python tests/cluster/kill_scheduler.py` starts a scheduler and 7 workers as processes
on this machine, and ends them. The learner must be the one that one process makes, to
the last bit. `make soak` runs it.
"""

from __future__ import annotations

import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import distributed
import numpy as np

from littlestone import cluster
from littlestone.cluster._travel import packed
from littlestone.errors import ClusterError
from littlestone.linear import Perceptron

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKERS, SHARDS, EPOCHS, ROWS = 7, 14, 40, 40_000


@contextmanager
def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program of Dask, and end it."""
    process = subprocess.Popen(  # our own command
        [sys.executable, "-m", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def clustered(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Start a scheduler with its workers."""
    address = f"tcp://127.0.0.1:{port}"
    with ExitStack() as stack:
        scheduler = stack.enter_context(
            started(
                "distributed.cli.dask_scheduler",
                *("--host", "127.0.0.1", "--port", str(port), "--no-dashboard"),
            )
        )
        for _ in range(WORKERS):
            words = ("--no-nanny", "--nthreads", "1", "--no-dashboard")
            stack.enter_context(started("distributed.cli.dask_worker", address, *words))
        yield scheduler


def free_port() -> int:
    """Return a port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    """Lose the scheduler after the first epoch, and resume with another."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(ROWS, 20))
    y = (X @ rng.normal(size=20) + rng.normal(size=ROWS) > 0).astype(int)
    alone = Perceptron()
    cluster.run(alone, (X, y), shards=SHARDS, epochs=EPOCHS, workers=0)
    with tempfile.TemporaryDirectory() as folder:
        path, port = Path(folder, "m.lst"), free_port()
        with clustered(port) as scheduler:

            def kill() -> None:
                while not path.exists():
                    time.sleep(0.01)
                scheduler.kill()

            threading.Thread(target=kill, daemon=True).start()
            try:
                _run(Perceptron(), (X, y), port, path)
            except ClusterError as error:
                print(f"without its scheduler: {type(error).__name__}: {error}")  # noqa: T201 - a script
            else:
                raise SystemExit("the run was over before its scheduler was killed")
        port = free_port()
        with clustered(port):
            learner = Perceptron()
            record = _run(learner, (X, y), port, path, resume=True)
    if packed(learner) != packed(alone) or len(record.epochs) != EPOCHS:
        raise SystemExit("the resumed learner is not that of one process")
    print(f"resumed on another scheduler with {WORKERS} workers: equal bits")  # noqa: T201 - a script


def _run(
    learner: Perceptron, data: object, port: int, path: Path, *, resume: bool = False
) -> cluster.ClusterRecord:
    dask: Any = distributed
    with dask.Client(f"tcp://127.0.0.1:{port}", timeout=120) as client:
        client.wait_for_workers(WORKERS)
        return cluster.run(
            learner,
            data,
            client=client,
            shards=SHARDS,
            epochs=EPOCHS,
            save=path,
            resume=resume,
        )


if __name__ == "__main__":
    main()
