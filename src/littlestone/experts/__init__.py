"""Learners that follow experts, or only the labels so far.

Advice takes the place of the example: a sequence of predictions, one an expert, or a
mapping from expert to prediction; absent experts sleep.
"""

from littlestone.experts.ada_hedge import AdaHedge
from littlestone.experts.aggregating_algorithm import AggregatingAlgorithm
from littlestone.experts.boa import BOA
from littlestone.experts.calibrator import Calibrator
from littlestone.experts.committee import Committee
from littlestone.experts.cover import Cover
from littlestone.experts.exponential_weights import ExponentialWeights
from littlestone.experts.fixed_share import FixedShare
from littlestone.experts.floor_weighted_majority import FloorWeightedMajority
from littlestone.experts.follow_the_majority import FollowTheMajority
from littlestone.experts.halving import Halving, PackedAdvice
from littlestone.experts.ml_poly import MLPoly
from littlestone.experts.ml_prod import MLProd
from littlestone.experts.randomized_weighted_majority import RandomizedWeightedMajority
from littlestone.experts.restarting import Restarting
from littlestone.experts.weighted_majority import WeightedMajority

__all__ = [
    "BOA",
    "AdaHedge",
    "AggregatingAlgorithm",
    "Calibrator",
    "Committee",
    "Cover",
    "ExponentialWeights",
    "FixedShare",
    "FloorWeightedMajority",
    "FollowTheMajority",
    "Halving",
    "MLPoly",
    "MLProd",
    "PackedAdvice",
    "RandomizedWeightedMajority",
    "Restarting",
    "WeightedMajority",
]
