"""Adversaries: streams that answer the learner, each the proof of a lower bound."""

from littlestone.adversaries._base import Adversary
from littlestone.adversaries.alternating import AlternatingLabels
from littlestone.adversaries.conjunction import (
    ConjunctionAdversary,
    DisjunctionAdversary,
)
from littlestone.adversaries.halving import HalvingLowerBound
from littlestone.adversaries.perceptron import PerceptronLowerBound
from littlestone.adversaries.random_experts import RandomExperts
from littlestone.adversaries.singleton import SingletonAdversary
from littlestone.adversaries.tree import TreeAdversary

__all__ = [
    "Adversary",
    "AlternatingLabels",
    "ConjunctionAdversary",
    "DisjunctionAdversary",
    "HalvingLowerBound",
    "PerceptronLowerBound",
    "RandomExperts",
    "SingletonAdversary",
    "TreeAdversary",
]
