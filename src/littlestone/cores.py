"""How many cores this process may use."""

from __future__ import annotations

import os

__all__ = ["limit", "usable"]

_most: int | None = None


def usable() -> int:
    """Return how many cores this process may use, at least 1.

    Examples
    --------
    >>> from littlestone.cores import usable
    >>> usable() >= 1
    True
    """
    there = (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )
    return there if _most is None else min(there, _most)


def limit(most: int) -> None:
    """Let this process use no more than so many, since others use the rest."""
    global _most  # noqa: PLW0603 - one number for the process
    _most = max(1, most)
