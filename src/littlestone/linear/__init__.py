"""Learners that weigh features: for yes and no, for classes, and for numbers."""

from littlestone.linear.ada_grad import AdaGrad
from littlestone.linear.aioli import AIOLI
from littlestone.linear.arow import AROW
from littlestone.linear.averaged_perceptron import AveragedPerceptron
from littlestone.linear.balanced_winnow import BalancedWinnow
from littlestone.linear.coin_betting import CoinBetting
from littlestone.linear.exponentiated_gradient import ExponentiatedGradient
from littlestone.linear.ftrl import FTRL
from littlestone.linear.gradient_descent import GradientDescent
from littlestone.linear.kernel_perceptron import KernelPerceptron
from littlestone.linear.multiclass_ada_grad import MulticlassAdaGrad
from littlestone.linear.multiclass_arow import MulticlassAROW
from littlestone.linear.multiclass_passive_aggressive import MulticlassPassiveAggressive
from littlestone.linear.multiclass_perceptron import MulticlassPerceptron
from littlestone.linear.multiclass_second_order import MulticlassSecondOrder
from littlestone.linear.passive_aggressive import PassiveAggressive
from littlestone.linear.perceptron import Perceptron
from littlestone.linear.second_order_perceptron import SecondOrderPerceptron
from littlestone.linear.voted_perceptron import VotedPerceptron
from littlestone.linear.vovk_azoury_warmuth import VovkAzouryWarmuth
from littlestone.linear.winnow import Winnow

__all__ = [
    "AIOLI",
    "AROW",
    "FTRL",
    "AdaGrad",
    "AveragedPerceptron",
    "BalancedWinnow",
    "CoinBetting",
    "ExponentiatedGradient",
    "GradientDescent",
    "KernelPerceptron",
    "MulticlassAROW",
    "MulticlassAdaGrad",
    "MulticlassPassiveAggressive",
    "MulticlassPerceptron",
    "MulticlassSecondOrder",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "VovkAzouryWarmuth",
    "Winnow",
]
