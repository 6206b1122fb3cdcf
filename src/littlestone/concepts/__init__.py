"""Concepts: fixed rules that could be the truth, as values.

They are called on an example, printed, parsed back from what was printed, compared, and
written as Python and SQL. They need nothing but Python.
"""

from __future__ import annotations

from littlestone.concepts._concept import Concept, Example, Feature
from littlestone.concepts._decision_list import DecisionList
from littlestone.concepts._finite_class import FiniteClass
from littlestone.concepts._halfspace import Halfspace
from littlestone.concepts._literals import Conjunction, Disjunction, Literal
from littlestone.concepts._normal_forms import KCNF, KDNF

__all__ = [
    "KCNF",
    "KDNF",
    "Concept",
    "Conjunction",
    "DecisionList",
    "Disjunction",
    "Example",
    "Feature",
    "FiniteClass",
    "Halfspace",
    "Literal",
]
