"""Searches for the witnesses of linear learners, on the examples that a run keeps.

`certify` searches as long as it is worth; the live bound of a run takes what `QUICK`
finds in a few passes.
"""

from littlestone.witnesses._quick import QUICK, Quick

__all__ = ["QUICK", "Quick"]
