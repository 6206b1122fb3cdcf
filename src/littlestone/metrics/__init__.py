"""What people look at beside the mistakes, counted as a stream flows.

Each metric is counted from batches of rounds in memory that does not grow with them.
"""

from littlestone.metrics.auc import Auc
from littlestone.metrics.confusion import ByClass, Confusion

__all__ = ["Auc", "ByClass", "Confusion"]
