"""What people look at beside the mistakes, counted as a stream flows.

Each metric is counted from batches of rounds in memory that does not grow with them.
"""

from littlestone.metrics.auc import Auc
from littlestone.metrics.chances import Bin, Chances
from littlestone.metrics.confusion import ByClass, Confusion
from littlestone.metrics.coverage import Coverage
from littlestone.metrics.errors import Errors

__all__ = ["Auc", "Bin", "ByClass", "Chances", "Confusion", "Coverage", "Errors"]
