"""Learners whose hypothesis is a rule that a person can read."""

from littlestone.boolean._reasons import Dropped, Shown, Unrealizable
from littlestone.boolean.conjunction import ConjunctionLearner
from littlestone.boolean.disjunction import DisjunctionLearner
from littlestone.boolean.kcnf import KCNFLearner
from littlestone.boolean.kdnf import KDNFLearner

__all__ = [
    "ConjunctionLearner",
    "DisjunctionLearner",
    "Dropped",
    "KCNFLearner",
    "KDNFLearner",
    "Shown",
    "Unrealizable",
]
