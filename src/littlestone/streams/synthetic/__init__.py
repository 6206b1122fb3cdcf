"""Synthetic streams: the concept behind the labels is known, and a bound with it.

Each has a `target`, the concept or expert behind the labels, and without noise the
`theorem` that holds on it with its `numbers`, so that mistakes can be compared with a
bound. Each is endless with `rounds=None`, and the same each time it is read; a shorter
stream is the start of a longer one.

Random numbers are the 64-bit words of NumPy's PCG64, seeded with a SeedSequence of
`seed`. Everything else is integers and exact sums, so that a seed gives the same bits
on every machine.
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
