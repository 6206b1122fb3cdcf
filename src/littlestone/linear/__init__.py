"""Learners that weigh features and say yes when the weighted sum is large enough."""

from littlestone.linear.perceptron import Perceptron
from littlestone.linear.winnow import Winnow

__all__ = ["Perceptron", "Winnow"]
