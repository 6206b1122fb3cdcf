"""Adversaries: streams that answer the learner, each the proof of a lower bound."""

from littlestone.adversaries._base import Adversary
from littlestone.adversaries.alternating import AlternatingLabels
from littlestone.adversaries.halving import HalvingLowerBound
from littlestone.adversaries.perceptron import PerceptronLowerBound
from littlestone.adversaries.random_experts import RandomExperts

__all__ = [
    "Adversary",
    "AlternatingLabels",
    "HalvingLowerBound",
    "PerceptronLowerBound",
    "RandomExperts",
]
