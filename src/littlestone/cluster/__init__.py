"""Many machines: shards of a stream played by many workers, with the price stated."""

from __future__ import annotations

from littlestone.cluster._certify import certify
from littlestone.cluster._core import Tally, merge, play_block
from littlestone.cluster._engines import Processes
from littlestone.cluster._race import estimate, fit_rule, race, search
from littlestone.cluster._record import ClusterRecord, Epoch
from littlestone.cluster._run import run

__all__ = [
    "ClusterRecord",
    "Epoch",
    "Processes",
    "Tally",
    "certify",
    "estimate",
    "fit_rule",
    "merge",
    "play_block",
    "race",
    "run",
    "search",
]
