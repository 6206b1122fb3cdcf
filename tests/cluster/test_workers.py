"""What a process is like that plays shards."""

from __future__ import annotations

from collections import deque

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
