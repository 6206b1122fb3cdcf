"""A plain twin of each learner, which the native rule must equal bit for bit.

A twin takes examples as mappings from feature to number and labels as booleans, checks
nothing, and keeps its weights in a dict. The judge replays runs with it, and the tests
compare the native learners with it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from littlestone.outcome import Outcome
from littlestone.verifying.twins._losses import kind_of, range_of
from littlestone.verifying.twins._scores import LABELLED
from littlestone.verifying.twins.ada_grad import AdaGrad
from littlestone.verifying.twins.ada_hedge import AdaHedge
from littlestone.verifying.twins.adaptive import Adaptive
from littlestone.verifying.twins.aggregating_algorithm import AggregatingAlgorithm
from littlestone.verifying.twins.aioli import AIOLI
from littlestone.verifying.twins.arow import AROW
from littlestone.verifying.twins.auto import Auto
from littlestone.verifying.twins.averaged_perceptron import AveragedPerceptron
from littlestone.verifying.twins.balanced_winnow import BalancedWinnow
from littlestone.verifying.twins.boa import BOA
from littlestone.verifying.twins.coin_betting import CoinBetting
from littlestone.verifying.twins.conjunction import ConjunctionLearner
from littlestone.verifying.twins.consistent import ConsistentLearner
from littlestone.verifying.twins.cover import Cover
from littlestone.verifying.twins.decision_list import DecisionListLearner
from littlestone.verifying.twins.disjunction import DisjunctionLearner
from littlestone.verifying.twins.exponential_weights import ExponentialWeights
from littlestone.verifying.twins.exponentiated_gradient import (
    ExponentiatedGradient,
)
from littlestone.verifying.twins.fit import Fit
from littlestone.verifying.twins.fixed_share import FixedShare
from littlestone.verifying.twins.floor_weighted_majority import FloorWeightedMajority
from littlestone.verifying.twins.follow_the_majority import FollowTheMajority
from littlestone.verifying.twins.ftrl import FTRL
from littlestone.verifying.twins.gradient_descent import GradientDescent
from littlestone.verifying.twins.halving import Halving
from littlestone.verifying.twins.kcnf import KCNFLearner
from littlestone.verifying.twins.kdnf import KDNFLearner
from littlestone.verifying.twins.kernel_perceptron import KernelPerceptron
from littlestone.verifying.twins.ml_poly import MLPoly
from littlestone.verifying.twins.ml_prod import MLProd
from littlestone.verifying.twins.multiclass_ada_grad import MulticlassAdaGrad
from littlestone.verifying.twins.multiclass_arow import MulticlassAROW
from littlestone.verifying.twins.multiclass_auto import MulticlassAuto
from littlestone.verifying.twins.multiclass_passive_aggressive import (
    MulticlassPassiveAggressive,
)
from littlestone.verifying.twins.multiclass_perceptron import MulticlassPerceptron
from littlestone.verifying.twins.multiclass_second_order import MulticlassSecondOrder
from littlestone.verifying.twins.passive_aggressive import PassiveAggressive
from littlestone.verifying.twins.perceptron import Perceptron
from littlestone.verifying.twins.randomized_weighted_majority import (
    RandomizedWeightedMajority,
)
from littlestone.verifying.twins.restarting import Restarting
from littlestone.verifying.twins.second_order_perceptron import SecondOrderPerceptron
from littlestone.verifying.twins.standard_optimal import StandardOptimalLearner
from littlestone.verifying.twins.version_space import VersionSpaceLearner
from littlestone.verifying.twins.voted_perceptron import VotedPerceptron
from littlestone.verifying.twins.vovk_azoury_warmuth import VovkAzouryWarmuth
from littlestone.verifying.twins.weighted_majority import WeightedMajority
from littlestone.verifying.twins.winnow import Winnow
from littlestone.verifying.twins.winnow_dnf import WinnowDNF

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "AIOLI",
    "AROW",
    "BOA",
    "FTRL",
    "TWINS",
    "AdaGrad",
    "AdaHedge",
    "Adaptive",
    "AggregatingAlgorithm",
    "Auto",
    "AveragedPerceptron",
    "BalancedWinnow",
    "CoinBetting",
    "ConjunctionLearner",
    "ConsistentLearner",
    "Cover",
    "DecisionListLearner",
    "DisjunctionLearner",
    "ExponentialWeights",
    "ExponentiatedGradient",
    "Fit",
    "FixedShare",
    "FloorWeightedMajority",
    "FollowTheMajority",
    "GradientDescent",
    "Halving",
    "KCNFLearner",
    "KDNFLearner",
    "KernelPerceptron",
    "MLPoly",
    "MLProd",
    "MulticlassAROW",
    "MulticlassAdaGrad",
    "MulticlassAuto",
    "MulticlassPassiveAggressive",
    "MulticlassPerceptron",
    "MulticlassSecondOrder",
    "PassiveAggressive",
    "Perceptron",
    "RandomizedWeightedMajority",
    "Reads",
    "Restarting",
    "SecondOrderPerceptron",
    "StandardOptimalLearner",
    "VersionSpaceLearner",
    "VotedPerceptron",
    "VovkAzouryWarmuth",
    "WeightedMajority",
    "Winnow",
    "WinnowDNF",
    "outcome_of",
    "reads_of",
    "spread_of",
]

# What a learner reads.
Reads: TypeAlias = Literal["features", "advice"]

# Those that say yes or no, from features or from earlier labels alone.
_LABELLERS = (
    AIOLI,
    AROW,
    Auto,
    AveragedPerceptron,
    BalancedWinnow,
    ConjunctionLearner,
    ConsistentLearner,
    Cover,
    DecisionListLearner,
    DisjunctionLearner,
    Fit,
    FollowTheMajority,
    KCNFLearner,
    KDNFLearner,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    StandardOptimalLearner,
    VersionSpaceLearner,
    VotedPerceptron,
    Winnow,
    WinnowDNF,
)
# Those that a loss of their score charges.
_CHARGED = (
    FTRL,
    AdaGrad,
    CoinBetting,
    ExponentiatedGradient,
    GradientDescent,
    VovkAzouryWarmuth,
)
# Those with several classes.
_CLASSIFIERS = (
    MulticlassAROW,
    MulticlassAdaGrad,
    MulticlassAuto,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    MulticlassSecondOrder,
)
# Those with experts that say yes or no.
_VOTERS = (
    FloorWeightedMajority,
    Halving,
    RandomizedWeightedMajority,
    WeightedMajority,
)
# Those with experts that predict what their loss charges.
_FORECASTERS = (
    AdaHedge,
    AggregatingAlgorithm,
    BOA,
    ExponentialWeights,
    FixedShare,
    MLPoly,
    MLProd,
)

# By the name of the learner, as a certificate has it.
TWINS: dict[str, type[Any]] = {
    twin.__name__: twin
    for twin in (
        *_LABELLERS,
        Adaptive,
        *_CHARGED,
        *_CLASSIFIERS,
        *_VOTERS,
        *_FORECASTERS,
        Restarting,
    )
}


def reads_of(learner: str) -> Reads:
    """Return what a learner reads: features, or the advice of experts.

    Examples
    --------
    >>> from littlestone.verifying.twins import reads_of
    >>> reads_of("Perceptron"), reads_of("Halving")
    ('features', 'advice')
    """
    twin = TWINS.get(learner)
    return "advice" if twin in _VOTERS or twin in _FORECASTERS else "features"


def outcome_of(learner: str, parameters: Mapping[str, Any]) -> Outcome:
    """Return what a learner with these parameters predicts.

    Examples
    --------
    >>> from littlestone.verifying.twins import outcome_of
    >>> outcome_of("Perceptron", {}), outcome_of("FixedShare", {"loss": "square"})
    (<Outcome.LABEL: 'label'>, <Outcome.NUMBER: 'number'>)
    """
    twin = TWINS.get(learner)
    if twin is Restarting:
        return _within(parameters.get("learner"))
    if twin in _CLASSIFIERS:
        return Outcome.CLASS
    if twin is Adaptive:
        return Outcome.NUMBER
    if twin in _CHARGED:
        usual = "square" if twin is VovkAzouryWarmuth else "logistic"
        kind = kind_of(parameters.get("loss", usual))
        return Outcome.LABEL if kind in LABELLED else Outcome.NUMBER
    if twin not in _FORECASTERS:
        return Outcome.LABEL
    charged = {
        "zero-one": Outcome.LABEL,
        "log": Outcome.DISTRIBUTION,
        "brier": Outcome.DISTRIBUTION,
    }
    return charged.get(kind_of(parameters.get("loss")), Outcome.NUMBER)


def _within(learner: Any) -> Outcome:
    """Return what the learner within another predicts, which is never restarted."""
    match learner:
        case (str(name), {}) if name != "Restarting":
            return outcome_of(name, learner[1])
    return Outcome.LABEL


def spread_of(learner: str, parameters: Mapping[str, Any]) -> float:
    """Return how far apart two losses of a learner may be; infinite if unlimited.

    Examples
    --------
    >>> from littlestone.verifying.twins import spread_of
    >>> spread_of("AdaHedge", {"loss": "square", "range": (1.0, 5.0)})
    4.0
    >>> spread_of("BOA", {"loss": "zero-one"}), spread_of("BOA", {"loss": "square"})
    (1.0, inf)
    """
    loss = parameters.get("loss")
    most = {"zero-one": 1.0, "brier": 2.0}.get(kind_of(loss), math.inf)
    limits = parameters.get("range")
    if TWINS.get(learner) is AggregatingAlgorithm and kind_of(loss) == "square":
        return _squared(parameters.get("interval") or (0.0, 1.0))
    if limits is None and parameters.get("form") == "published":
        limits = 0.0, 1.0
    elif limits is None and TWINS.get(learner) in (ExponentialWeights, FixedShare):
        limits = (0.0, math.inf) if parameters.get("gradient") else range_of(loss)
    try:
        low, high = limits or (0.0, math.inf)
        return min(most, float(high) - float(low))
    except (TypeError, ValueError):  # nobody can have played with this range
        return most


def _squared(interval: Any) -> float:
    """Return the largest square loss of numbers in an interval."""
    try:
        low, high = map(float, interval)
        return (high - low) ** 2
    except (TypeError, ValueError, OverflowError):
        return math.inf
