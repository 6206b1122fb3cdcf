"""Adversaries: streams that answer the learner, each the proof of a lower bound."""

from littlestone.adversaries._base import Adversary
from littlestone.adversaries.alternating import AlternatingAdversary
from littlestone.adversaries.conjunction import (
    ConjunctionAdversary,
    DisjunctionAdversary,
)
from littlestone.adversaries.halving import HalvingAdversary
from littlestone.adversaries.perceptron import PerceptronAdversary
from littlestone.adversaries.random_experts import RandomExperts
from littlestone.adversaries.singleton import SingletonAdversary
from littlestone.adversaries.threshold import (
    ShrinkingAdversary,
    ThresholdAdversary,
)
from littlestone.adversaries.tree import TreeAdversary

__all__ = [
    "Adversary",
    "AlternatingAdversary",
    "ConjunctionAdversary",
    "DisjunctionAdversary",
    "HalvingAdversary",
    "PerceptronAdversary",
    "RandomExperts",
    "ShrinkingAdversary",
    "SingletonAdversary",
    "ThresholdAdversary",
    "TreeAdversary",
]
