"""Another thread that changes arrays may spoil the result, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from change_arrays import Scenario, outcome_of, scenarios, sparse_rows
from littlestone import _core
from littlestone.learner.rows import as_rows

SOME = [each for at, each in enumerate(scenarios()) if at % 8 == 0]


@pytest.mark.parametrize(
    "scenario", [each for _, each in SOME], ids=[n for n, _ in SOME]
)
def test_arrays_may_change_while_they_are_read(scenario: Scenario) -> None:
    assert outcome_of(scenario, np.random.default_rng(3))


@pytest.mark.parametrize("offset", [-(2**31), -1, 2**31 - 1])
def test_offsets_that_change_stay_inside_the_values(offset: int) -> None:
    X, y = sparse_rows(np.random.default_rng(2), np.float64, np.int32)
    rows = as_rows(X)
    X.indptr[7] = offset
    assert all(rows.nonzeros(row) <= X.data.size for row in range(len(rows)))
    digest = _core.StreamDigest(b"")
    digest.add_rows(rows, y, 0, len(rows))
    assert digest.digest() != _core.StreamDigest(b"").digest()
