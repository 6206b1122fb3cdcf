"""Sample sizes, and online learners turned into PAC learners.

Everything here assumes examples drawn independently from one distribution. The risk of
a hypothesis is the probability that it is wrong on one more of them.

- `sample_size` returns how many examples a consistent learner needs, for a class such
  as `Conjunctions(n)` or `DecisionLists(n, k)`.
- `convert` plays an online learner on a stream until its hypothesis is guaranteed to
  have a small risk.
- `risk_bound` bounds the risk of the hypotheses of a finished run.
- `estimate` bounds a risk from the mistakes on fresh examples.
"""

from __future__ import annotations

from littlestone.pac._classes import (
    KCNF,
    KDNF,
    ConceptClass,
    Conjunctions,
    DecisionLists,
    Disjunctions,
    Finite,
    sample_size,
)
from littlestone.pac._conversions import Conversion, Promise, convert
from littlestone.pac._estimates import Estimate, estimate
from littlestone.pac._risks import RiskBound, Survivor, risk_bound

__all__ = [
    "KCNF",
    "KDNF",
    "ConceptClass",
    "Conjunctions",
    "Conversion",
    "DecisionLists",
    "Disjunctions",
    "Estimate",
    "Finite",
    "Promise",
    "RiskBound",
    "Survivor",
    "convert",
    "estimate",
    "risk_bound",
    "sample_size",
]
