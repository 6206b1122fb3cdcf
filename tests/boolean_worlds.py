"""Worlds of yes and no, and every learner of Boolean rules to try on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from littlestone import boolean
from littlestone.boolean._base import BooleanLearner
from littlestone.verifying import twins
from worlds import World

COLUMNS = 12


@dataclass(frozen=True)
class BooleanEntry:
    """A learner with parameters of its own choice, and its twin."""

    made: BooleanLearner
    twin: type[Any]

    def __str__(self) -> str:
        return repr(self.made)

    @property
    def closed(self) -> bool:
        """Whether its features are declared."""
        return self.made.get_params()["features"] is not None


# Every learner, in every mode that reads differently. A learner that is exported but
# not listed here fails the contract tests.
BOOLEAN_ENTRIES = [
    BooleanEntry(boolean.ConjunctionLearner(), twins.ConjunctionLearner),
    BooleanEntry(boolean.ConjunctionLearner(monotone=True), twins.ConjunctionLearner),
    BooleanEntry(
        boolean.ConjunctionLearner(monotone=True, features=COLUMNS),
        twins.ConjunctionLearner,
    ),
    BooleanEntry(boolean.DisjunctionLearner(), twins.DisjunctionLearner),
    BooleanEntry(boolean.DisjunctionLearner(monotone=True), twins.DisjunctionLearner),
    BooleanEntry(
        boolean.DisjunctionLearner(features=range(COLUMNS)), twins.DisjunctionLearner
    ),
    BooleanEntry(boolean.KCNFLearner(1), twins.KCNFLearner),
    BooleanEntry(boolean.KCNFLearner(2), twins.KCNFLearner),
    BooleanEntry(boolean.KCNFLearner(3, features=COLUMNS), twins.KCNFLearner),
    BooleanEntry(boolean.KDNFLearner(2), twins.KDNFLearner),
    BooleanEntry(boolean.KDNFLearner(3), twins.KDNFLearner),
    BooleanEntry(boolean.KDNFLearner(2, features=COLUMNS), twins.KDNFLearner),
    BooleanEntry(boolean.DecisionListLearner(), twins.DecisionListLearner),
    BooleanEntry(boolean.DecisionListLearner(2), twins.DecisionListLearner),
    BooleanEntry(
        boolean.DecisionListLearner(3, features=COLUMNS), twins.DecisionListLearner
    ),
    BooleanEntry(boolean.WinnowDNF(1, threshold=8), twins.WinnowDNF),
    BooleanEntry(boolean.WinnowDNF(2, threshold=40, promotion=2), twins.WinnowDNF),
    BooleanEntry(boolean.WinnowDNF(3, features=COLUMNS), twins.WinnowDNF),
]


@st.composite
def boolean_worlds(draw: st.DrawFn, most: int = 4) -> World:
    """Draw up to 30 rows of up to `most` columns, labelled at random."""
    n = draw(st.integers(1, most))
    rows = draw(st.lists(st.integers(0, 2**n - 1), max_size=30))
    X = np.array([[row >> j & 1 for j in range(n)] for row in rows], dtype=np.float64)
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return World(X.reshape(len(rows), n), np.array(labels, dtype=np.bool_))


def boolean_world(rows: int = 300, columns: int = COLUMNS) -> World:
    """Return a larger world, the same each time; a simple rule with a little noise."""
    rng = np.random.default_rng(11)
    X = (rng.random((rows, columns)) < 0.4).astype(np.float64)
    y = ((X[:, 1] > 0) | (X[:, 7] == 0)) & (X[:, 4] == 0)
    return World(X, y ^ (rng.random(rows) < 0.05))
