"""A theorem about labels that come late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.theorems._premises import at_least_zero, count
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["DELAY"]

_MESTERHARM = (
    "after Mesterharm (2005), On-line learning with delayed label feedback, "
    "Algorithmic Learning Theory, 399-413"
)


def _delayed(*, delay: Number, updates: Number) -> Fraction:
    return (count("delay", delay) + 1) * at_least_zero("updates", updates)


DELAY = Theorem(
    id="DELAY",
    statement=(
        "at most (k + 1) B mistakes, where B bounds the updates of the learner if no "
        "label is late"
    ),
    latex=r"M \leq (k + 1)\, B",
    premises=(
        "the learner changes only on a mistake, and B holds for any order of rounds",
        (
            "a late label is learned from exactly if the learner, as it is then, errs "
            "on its example"
        ),
        "when a label comes, at most k other predictions wait for theirs",
    ),
    counts="mistakes",
    reference=_MESTERHARM,
    tight=(
        "The unit vectors of PERC-LB attain it, each shown k + 1 times before its "
        "labels come."
    ),
    formula=_delayed,
)
