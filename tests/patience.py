"""Waiting for what other threads do, however busy the machine is."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

__all__ = ["no_thread_more_than", "soon"]


def soon(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Wait until a condition holds, and return whether it ever did."""
    last = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > last:
            return False
        time.sleep(0.01)
    return True


def no_thread_more_than(before: int) -> bool:
    """Return whether soon no more threads are alive than before.

    There may be fewer, if one that an earlier test had started has ended.
    """
    return soon(lambda: threading.active_count() <= before)
