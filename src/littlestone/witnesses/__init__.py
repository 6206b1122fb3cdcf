"""Searches for the witnesses of linear learners, on the examples that a run keeps.

`certify` searches as long as it is worth; the live bound of a run takes what `QUICK`
finds in a few passes on the updates, or what `EARLY` finds on the first rounds.
"""

from littlestone.witnesses._early import EARLY, Early, EarlySearch, Lost
from littlestone.witnesses._quick import QUICK, Quick

__all__ = ["EARLY", "QUICK", "Early", "EarlySearch", "Lost", "Quick"]
