"""Learners whose hypothesis is a rule that a person can read."""

from littlestone.boolean._reasons import Dropped, Shown, Unrealizable
from littlestone.boolean.consistent import ConsistentLearner
from littlestone.boolean.standard_optimal import (
    StandardOptimalLearner,
    littlestone_dimension,
)
from littlestone.boolean.version_space import VersionSpaceLearner

__all__ = [
    "ConsistentLearner",
    "Dropped",
    "Shown",
    "StandardOptimalLearner",
    "Unrealizable",
    "VersionSpaceLearner",
    "littlestone_dimension",
]
