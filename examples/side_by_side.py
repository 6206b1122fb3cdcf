"""Two ways to do one job, side by side: what both return, and how long both take."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Done(NamedTuple):
    """What a way returned, and the shortest time that it took, in seconds."""

    output: Any
    seconds: float


def race(
    theirs: Callable[[], Any], ours: Callable[[], Any], repeats: int = 3
) -> tuple[Done, Done]:
    """Do the job both ways in turn, a few times."""
    ways = (theirs, ours)
    outputs: list[Any] = [None, None]
    seconds = [float("inf"), float("inf")]
    for _ in range(repeats):
        for way, work in enumerate(ways):
            started = time.perf_counter()
            outputs[way] = work()
            seconds[way] = min(seconds[way], time.perf_counter() - started)
    before, after = map(Done, outputs, seconds)
    return before, after


def tell(title: str, peer: str, rows: dict[str, tuple[object, object]]) -> None:
    """Print a table: a line a row, first theirs, then ours."""
    print(f"{title:38} {peer:>16} {'littlestone':>16}")
    for name, (theirs, ours) in rows.items():
        print(f"{name:38} {_shown(theirs):>16} {_shown(ours):>16}")
    print()


def times(before: Done, after: Done) -> dict[str, tuple[object, object]]:
    """Return the rows of a table that tell how long it took."""
    ratio = before.seconds / after.seconds
    return {
        "seconds, best of a few": (before.seconds, after.seconds),
        "as many times as long": (ratio, 1.0),
    }


def _shown(value: object) -> str:
    return f"{value:,.4g}" if isinstance(value, float) else f"{value}"
