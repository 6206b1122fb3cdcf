"""A plain twin of each learner, which the native rule must equal bit for bit.

A twin takes examples as mappings from feature to number and labels as booleans, checks
nothing, and keeps its weights in a dict. It is how the judge replays a run, and the
definition that the tests hold the fast path to.
"""

from __future__ import annotations

from typing import Any

from littlestone.verifying.twins.ada_hedge import AdaHedge
from littlestone.verifying.twins.aggregating_algorithm import AggregatingAlgorithm
from littlestone.verifying.twins.arow import AROW
from littlestone.verifying.twins.averaged_perceptron import AveragedPerceptron
from littlestone.verifying.twins.balanced_winnow import BalancedWinnow
from littlestone.verifying.twins.boa import BOA
from littlestone.verifying.twins.conjunction import ConjunctionLearner
from littlestone.verifying.twins.consistent import ConsistentLearner
from littlestone.verifying.twins.cover import Cover
from littlestone.verifying.twins.decision_list import DecisionListLearner
from littlestone.verifying.twins.disjunction import DisjunctionLearner
from littlestone.verifying.twins.exponential_weights import ExponentialWeights
from littlestone.verifying.twins.fixed_share import FixedShare
from littlestone.verifying.twins.floor_weighted_majority import FloorWeightedMajority
from littlestone.verifying.twins.follow_the_majority import FollowTheMajority
from littlestone.verifying.twins.halving import Halving
from littlestone.verifying.twins.kcnf import KCNFLearner
from littlestone.verifying.twins.kdnf import KDNFLearner
from littlestone.verifying.twins.kernel_perceptron import KernelPerceptron
from littlestone.verifying.twins.ml_poly import MLPoly
from littlestone.verifying.twins.ml_prod import MLProd
from littlestone.verifying.twins.multiclass_passive_aggressive import (
    MulticlassPassiveAggressive,
)
from littlestone.verifying.twins.multiclass_perceptron import MulticlassPerceptron
from littlestone.verifying.twins.passive_aggressive import PassiveAggressive
from littlestone.verifying.twins.perceptron import Perceptron
from littlestone.verifying.twins.randomized_weighted_majority import (
    RandomizedWeightedMajority,
)
from littlestone.verifying.twins.second_order_perceptron import SecondOrderPerceptron
from littlestone.verifying.twins.standard_optimal import StandardOptimalLearner
from littlestone.verifying.twins.version_space import VersionSpaceLearner
from littlestone.verifying.twins.voted_perceptron import VotedPerceptron
from littlestone.verifying.twins.weighted_majority import WeightedMajority
from littlestone.verifying.twins.winnow import Winnow

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
