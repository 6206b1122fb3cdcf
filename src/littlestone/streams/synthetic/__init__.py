"""Streams that are made up: the concept behind them is known, and what it promises.

Each tells its `target`, the concept or expert behind the labels, and where there is no
noise the `theorem` that holds on it and its `numbers`, so that a bound can be set
beside the mistakes. Each is endless with `rounds=None`, and the same each time it is
read; fewer rounds are the first of more.

What is drawn comes from the 64-bit words of NumPy's PCG64, seeded with a SeedSequence
of `seed`. From there on there are whole numbers and exact sums alone, so that a seed
gives equal bits on every machine.
"""

from littlestone.streams.synthetic._base import Synthetic
from littlestone.streams.synthetic._decision_list import decision_list
from littlestone.streams.synthetic._drifting import drifting
from littlestone.streams.synthetic._experts import experts
from littlestone.streams.synthetic._halfspace import halfspace
from littlestone.streams.synthetic._k_of_r import disjunction, k_of_r

__all__ = [
    "Synthetic",
    "decision_list",
    "disjunction",
    "drifting",
    "experts",
    "halfspace",
    "k_of_r",
]
