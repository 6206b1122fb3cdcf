"""Witnesses for linear learners, found after the fact.

Each function takes the examples of a run's updates and the learner's parameters, and
returns the theorems that speak of the run, each with the best witness found and what it
then promises, the least first. A theorem for which no witness was found is left out.
"""

from __future__ import annotations

from littlestone.certify._aggressive import passive_aggressive
from littlestone.certify._balanced import balanced_winnow
from littlestone.certify._classes import (
    multiclass_passive_aggressive,
    multiclass_perceptron,
)
from littlestone.certify._examples import Candidate
from littlestone.certify._kernel import kernel_perceptron
from littlestone.certify._perceptron import perceptron
from littlestone.certify._second_order import arow, second_order_perceptron
from littlestone.certify._winnow import winnow

__all__ = [
    "Candidate",
    "arow",
    "balanced_winnow",
    "kernel_perceptron",
    "multiclass_passive_aggressive",
    "multiclass_perceptron",
    "passive_aggressive",
    "perceptron",
    "second_order_perceptron",
    "winnow",
]
