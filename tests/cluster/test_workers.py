"""What a process is like that plays shards."""

from __future__ import annotations

import subprocess
import sys
from collections import deque
from pathlib import Path

import pytest

from littlestone import cores
from littlestone.cluster._engines import Processes, Task


def test_processes_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable", lambda: 1)
    with Processes(1) as engine:
        [(_, result)] = engine.results(deque([Task("asked", _usable, ())]))
    assert result == 1


def _usable() -> int:
    return cores.usable()


UNGUARDED = """
from pathlib import Path

from littlestone import cluster
from littlestone.linear import Perceptron

with Path("imported").open("a") as times:
    times.write("x")
mail = [({"free": 1.0}, True), ({"lunch": 1.0}, False)] * 4
cluster.run(Perceptron(), mail, shards=2, workers=1, on_error="skip")
"""


def test_a_script_that_its_processes_cannot_import_is_told_at_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "script.py").write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.count("Traceback") == 1  # none of the process
    last = done.stderr.splitlines()[-1]
    assert "ClusterError" in last
    assert 'under if __name__ == "__main__":; workers=0 plays in this' in last
    assert (tmp_path / "imported").read_text() == "xx"  # it was not tried again
