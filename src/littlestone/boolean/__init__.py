"""Learners whose hypothesis is a rule that a person can read."""

from littlestone.boolean._fit import (
    fit_conjunction,
    fit_decision_list,
    fit_disjunction,
    fit_kcnf,
    fit_kdnf,
)
from littlestone.boolean._reasons import Dropped, Shown, Unrealizable

__all__ = [
    "Dropped",
    "Shown",
    "Unrealizable",
    "fit_conjunction",
    "fit_decision_list",
    "fit_disjunction",
    "fit_kcnf",
    "fit_kdnf",
]
