"""The best fixed choice in hindsight; regret is the distance to it."""

from __future__ import annotations

from littlestone.comparators._comparator import Comparator
from littlestone.comparators._fixed import best_convex, best_expert, best_linear
from littlestone.comparators._objective import hinge_objective
from littlestone.comparators._records import regret
from littlestone.comparators._shifting import ShiftingCurve, best_shifting

__all__ = [
    "Comparator",
    "ShiftingCurve",
    "best_convex",
    "best_expert",
    "best_linear",
    "best_shifting",
    "hinge_objective",
    "regret",
]
