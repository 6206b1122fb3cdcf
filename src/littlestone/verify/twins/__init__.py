"""A plain twin of each learner, which the native rule must equal bit for bit.

A twin takes examples as mappings from feature to number and labels as booleans, checks
nothing, and keeps its weights in a dict. It is how the judge replays a run, and the
definition that the tests hold the fast path to.
"""

from littlestone.verify.twins.perceptron import Perceptron
from littlestone.verify.twins.winnow import Winnow

__all__ = ["Perceptron", "Winnow"]
