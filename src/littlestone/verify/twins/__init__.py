"""A plain twin of each learner, which the native rule must equal bit for bit.

A twin takes examples as mappings from feature to number and labels as booleans, checks
nothing, and keeps its weights in a dict. It is how the judge replays a run, and the
definition that the tests hold the fast path to.
"""

from __future__ import annotations

from typing import Any

from littlestone.verify.twins.ada_hedge import AdaHedge
from littlestone.verify.twins.aggregating_algorithm import AggregatingAlgorithm
from littlestone.verify.twins.arow import AROW
from littlestone.verify.twins.averaged_perceptron import AveragedPerceptron
from littlestone.verify.twins.balanced_winnow import BalancedWinnow
from littlestone.verify.twins.boa import BOA
from littlestone.verify.twins.conjunction import ConjunctionLearner
from littlestone.verify.twins.consistent import ConsistentLearner
from littlestone.verify.twins.cover import Cover
from littlestone.verify.twins.decision_list import DecisionListLearner
from littlestone.verify.twins.disjunction import DisjunctionLearner
from littlestone.verify.twins.exponential_weights import ExponentialWeights
from littlestone.verify.twins.fixed_share import FixedShare
from littlestone.verify.twins.floor_weighted_majority import FloorWeightedMajority
from littlestone.verify.twins.follow_the_majority import FollowTheMajority
from littlestone.verify.twins.halving import Halving
from littlestone.verify.twins.kcnf import KCNFLearner
from littlestone.verify.twins.kdnf import KDNFLearner
from littlestone.verify.twins.kernel_perceptron import KernelPerceptron
from littlestone.verify.twins.ml_poly import MLPoly
from littlestone.verify.twins.ml_prod import MLProd
from littlestone.verify.twins.multiclass_passive_aggressive import (
    MulticlassPassiveAggressive,
)
from littlestone.verify.twins.multiclass_perceptron import MulticlassPerceptron
from littlestone.verify.twins.passive_aggressive import PassiveAggressive
from littlestone.verify.twins.perceptron import Perceptron
from littlestone.verify.twins.randomized_weighted_majority import (
    RandomizedWeightedMajority,
)
from littlestone.verify.twins.second_order_perceptron import SecondOrderPerceptron
from littlestone.verify.twins.standard_optimal import StandardOptimalLearner
from littlestone.verify.twins.version_space import VersionSpaceLearner
from littlestone.verify.twins.voted_perceptron import VotedPerceptron
from littlestone.verify.twins.weighted_majority import WeightedMajority
from littlestone.verify.twins.winnow import Winnow

__all__ = [
    "ADVISED",
    "AROW",
    "BOA",
    "OF_CLASSES",
    "OF_NUMBERS",
    "TWINS",
    "AdaHedge",
    "AggregatingAlgorithm",
    "AveragedPerceptron",
    "BalancedWinnow",
    "ConjunctionLearner",
    "ConsistentLearner",
    "Cover",
    "DecisionListLearner",
    "DisjunctionLearner",
    "ExponentialWeights",
    "FixedShare",
    "FloorWeightedMajority",
    "FollowTheMajority",
    "Halving",
    "KCNFLearner",
    "KDNFLearner",
    "KernelPerceptron",
    "MLPoly",
    "MLProd",
    "MulticlassPassiveAggressive",
    "MulticlassPerceptron",
    "PassiveAggressive",
    "Perceptron",
    "RandomizedWeightedMajority",
    "SecondOrderPerceptron",
    "StandardOptimalLearner",
    "VersionSpaceLearner",
    "VotedPerceptron",
    "WeightedMajority",
    "Winnow",
]

# By the name of the learner, as a certificate has it.
TWINS: dict[str, type[Any]] = {
    twin.__name__: twin
    for twin in (
        AdaHedge,
        AggregatingAlgorithm,
        AROW,
        AveragedPerceptron,
        BalancedWinnow,
        BOA,
        ConjunctionLearner,
        ConsistentLearner,
        Cover,
        DecisionListLearner,
        DisjunctionLearner,
        ExponentialWeights,
        FixedShare,
        FloorWeightedMajority,
        FollowTheMajority,
        Halving,
        KCNFLearner,
        KDNFLearner,
        KernelPerceptron,
        MLPoly,
        MLProd,
        MulticlassPassiveAggressive,
        MulticlassPerceptron,
        PassiveAggressive,
        Perceptron,
        RandomizedWeightedMajority,
        SecondOrderPerceptron,
        StandardOptimalLearner,
        VersionSpaceLearner,
        VotedPerceptron,
        WeightedMajority,
        Winnow,
    )
}

# Who is given the advice of experts, and not the features of an example.
ADVISED = frozenset(
    {
        "AdaHedge",
        "AggregatingAlgorithm",
        "BOA",
        "ExponentialWeights",
        "FixedShare",
        "FloorWeightedMajority",
        "Halving",
        "MLPoly",
        "MLProd",
        "RandomizedWeightedMajority",
        "WeightedMajority",
    }
)

# Whose labels are classes of any kind, and whose are numbers; all others say yes or no.
OF_CLASSES = frozenset({"MulticlassPassiveAggressive", "MulticlassPerceptron"})
OF_NUMBERS = frozenset(
    {
        "AdaHedge",
        "AggregatingAlgorithm",
        "BOA",
        "ExponentialWeights",
        "FixedShare",
        "MLPoly",
        "MLProd",
    }
)
