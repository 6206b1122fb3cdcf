"""The best cut of a run into the lives of copies, for `Restarting`."""

from __future__ import annotations

import math
from itertools import chain, islice, repeat
from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.certifying._parameters import restarted
from littlestone.errors import ParameterError
from littlestone.witnesses._candidate import Candidate, needs_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.experts import Restarting
    from littlestone.running import Record

__all__ = ["best_cut", "restarting"]


def restarting(record: Record, witness: Any, stream: Any) -> list[Candidate]:
    """Return the bound `RESTART` with the cut that makes it smallest.

    The run is played again, and it is noted how many mistakes each copy had made at the
    end of each batch. The best cut then follows by dynamic programming.
    """
    if witness is not None:
        raise ParameterError(
            f"Restarting takes no witness, got {witness!r}", owner="certify"
        )
    if stream is None:
        raise needs_stream(record, "for what each copy said")
    learner = restarted(record.learner.parameters)
    write, numbers = best_cut(learner, stream, record.passes)
    return [Candidate.of(theorems.RESTART, write, numbers)]


def best_cut(
    learner: Restarting, stream: Any, passes: int
) -> tuple[Callable[[], dict[str, Any]], dict[str, Any]]:
    """Return what writes the cut with the smallest bound, and its numbers."""
    ends = _mistakes(learner, chain.from_iterable(repeat(stream, passes)))
    batches = len(ends)
    price, each = math.log(1 / float(learner.beta)), math.log(batches)
    cost, came = [0.0], [(0, 0)]  # of the best cut before a batch, and its last piece
    for alive in ends:
        found = [
            (cost[b] + each + price * lost, (b, lost)) for b, lost in alive.items()
        ]
        least, piece = min(found)
        cost.append(least)
        came.append(piece)
    starts, best, end = [], 0, batches
    while end > 0:
        end, lost = came[end]
        starts.append(end)
        best += lost
    numbers = {
        "best": best,
        "pieces": len(starts),
        "batches": batches,
        "beta": float(learner.beta),
    }

    def write() -> dict[str, Any]:
        size = int(learner.shortest)
        switches = [[begun * size, begun] for begun in reversed(starts)]
        return {"kind": "sequence", "switches": switches}

    return write, numbers


def _mistakes(learner: Restarting, rounds: Any) -> list[dict[int, int]]:
    """Return for each batch the mistakes of its copies so far, by when they began."""
    found: list[dict[int, int]] = []
    while True:
        alive = learner.alive()
        batch = list(islice(rounds, int(learner.shortest)))
        for x, y in batch:
            learner.play_one(x, y)
        if batch or not found:
            found.append({each.begun: each.mistakes for each in alive})
        if len(batch) < int(learner.shortest):
            return found
