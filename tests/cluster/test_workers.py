"""What a process is like that plays shards."""

from __future__ import annotations

import platform
import resource
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from littlestone import cores
from littlestone.cluster._engines import Processes, Task

if TYPE_CHECKING:
    from collections.abc import Callable


def in_a_process(function: Callable[[], Any]) -> Any:
    """Call a function where shards are played."""
    with Processes(1) as engine:
        [(_, result)] = engine.results(deque([Task("asked", function, ())]))
    return result


def faults() -> int:
    """Return how often new memory was met by an array like the one before it."""
    counts = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        np.ones(250_000)
        counts.append(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
    return counts[1]


def test_processes_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cores, "usable", lambda: 1)
    assert in_a_process(_usable) == 1


def _usable() -> int:
    return cores.usable()


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="other C libraries keep memory their way"
)
def test_processes_keep_the_memory_that_they_free() -> None:
    assert in_a_process(faults) < 50  # of 488
