"""Learners whose hypothesis is a rule that a person can read."""

from littlestone.boolean._exceptions import Fit, FitsSoFar, RuleKind, fit_rule
from littlestone.boolean._fit import (
    fit_conjunction,
    fit_decision_list,
    fit_disjunction,
    fit_kcnf,
    fit_kdnf,
)
from littlestone.boolean._reasons import Dropped, Shown, Unrealizable
from littlestone.boolean.conjunction import ConjunctionLearner
from littlestone.boolean.consistent import ConsistentLearner
from littlestone.boolean.decision_list import DecisionListLearner
from littlestone.boolean.disjunction import DisjunctionLearner
from littlestone.boolean.kcnf import KCNFLearner
from littlestone.boolean.kdnf import KDNFLearner
from littlestone.boolean.standard_optimal import (
    StandardOptimalLearner,
    littlestone_dimension,
)
from littlestone.boolean.version_space import VersionSpaceLearner
from littlestone.boolean.winnow_dnf import WinnowDNF

__all__ = [
    "ConjunctionLearner",
    "ConsistentLearner",
    "DecisionListLearner",
    "DisjunctionLearner",
    "Dropped",
    "Fit",
    "FitsSoFar",
    "KCNFLearner",
    "KDNFLearner",
    "RuleKind",
    "Shown",
    "StandardOptimalLearner",
    "Unrealizable",
    "VersionSpaceLearner",
    "WinnowDNF",
    "fit_conjunction",
    "fit_decision_list",
    "fit_disjunction",
    "fit_kcnf",
    "fit_kdnf",
    "fit_rule",
    "littlestone_dimension",
]
