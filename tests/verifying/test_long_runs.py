"""Certificates of long runs: one for every theorem and learner that has a proof."""

from __future__ import annotations

import pytest

from littlestone.verifying import PROOFS, STREAM_PROOFS
from long_runs import LONG_RUNS, LongRun
from long_runs_of_examples import LONG_RUNS_OF_EXAMPLES
from tries import some

ALL = [*LONG_RUNS, *LONG_RUNS_OF_EXAMPLES]

# Theorems whose certificates other calls make, and their tests; those of a run for
# every order are made by hand alone, as the steps of the run say more.
ELSEWHERE: dict[tuple[str, str], str] = {
    **{
        pair: "test_orders.py"
        for pair in PROOFS.keys() & STREAM_PROOFS.keys()
        if pair[1].endswith("-ORDER") and pair[1] != "BWIN-ORDER"
    },
    **{
        (name, theorem): "tests/cluster/test_certificates.py"
        for name, theorem in PROOFS
        if theorem.startswith("MIX-")
    },
    ("Fit", "PAC-OCCAM"): "test_fitted.py",
}


def test_there_is_a_long_run_for_every_proof() -> None:
    for scope, proofs in (("run", PROOFS), ("stream", STREAM_PROOFS)):
        there = {
            (type(each.learner(9)).__name__, each.theorem)
            for each in ALL
            if each.scope == scope
        }
        known = ELSEWHERE if scope == "run" else ()
        assert there == proofs.keys() - known


@pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")
@pytest.mark.parametrize("long", some(ALL), ids=str)
def test_a_long_run_is_accepted(long: LongRun) -> None:
    """`make soak` plays 10,000 rounds of each."""
    assert long.wrong(120) is None
