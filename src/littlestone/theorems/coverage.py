"""A theorem about intervals that are corrected as outcomes come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["ACI"]

_GIBBS = (
    "Gibbs, Candes (2021), Adaptive conformal inference under distribution shift, "
    "Advances in Neural Information Processing Systems 34"
)


def _corrected(*, level: Number, rate: Number) -> Fraction:
    share, gamma = above_zero("level", level), above_zero("rate", rate)
    if share >= 1:
        raise PremiseError(f"level must be below 1, got {level!r}")
    return (max(share, 1 - share) + gamma) / gamma


ACI = Theorem(
    id="ACI",
    statement=(
        "at most (max(c, 1 - c) + gamma) / gamma excess misses, more or less than the "
        "share 1 - c of the rounds"
    ),
    latex=(r"\left| M - (1 - c) T \right| \leq \frac{\max(c, 1 - c) + \gamma}{\gamma}"),
    premises=(
        "an interval at a share of 0 or below covers everything, of 1 or above nothing",
        "the share starts at alpha; each round adds gamma (alpha - err)",
    ),
    counts="excess misses",
    reference=_GIBBS,
    tight=(
        "Outcomes that are as forecast are no misses until the share is 1 or above: "
        "then there are about c/gamma too few, 0.94 of the bound for c = 0.9 and gamma "
        "= 0.05. Outcomes beyond every interval are about (1 - c)/gamma too many."
    ),
    formula=_corrected,
)
