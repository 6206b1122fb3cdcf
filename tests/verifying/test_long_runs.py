"""Certificates of long runs: one for every theorem and learner that has a proof."""

from __future__ import annotations

import csv
import gzip
from typing import Any

import pytest

from data import data_file
from littlestone import certify, verify
from littlestone.experts import (
    BOA,
    AdaHedge,
    AggregatingAlgorithm,
    ExponentialWeights,
    MLPoly,
    MLProd,
)
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


# Real sleepers ----------------------------------------------------------------------


def polls() -> list[tuple[dict[str, float], float]]:
    """Return American races: the share that each pollster gave the first candidate."""
    races: dict[tuple[str, str], tuple[dict[str, float], float]] = {}
    path = data_file("fivethirtyeight/raw-polls-2023.csv.gz")
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = row["year"], row["race_id"]
            known, _ = races.setdefault(key, ({}, float(row["cand1_actual"]) / 100))
            known.setdefault(row["pollster"], float(row["cand1_pct"]) / 100)
    return [races[key] for key in sorted(races)]


def _pollsters(rounds: list[tuple[dict[str, float], float]]) -> list[str]:
    return sorted({name for said, _ in rounds for name in said})


POLLED: dict[str, Any] = {
    "SLEEP-XC": lambda names: ExponentialWeights(0.5, experts=names),
    "SLEEP-T": lambda names: ExponentialWeights(5.0, "absolute", experts=names),
    "AA": lambda names: AggregatingAlgorithm("square", experts=names),
    "ADAHEDGE": lambda names: AdaHedge("absolute", experts=names),
    "ML-POLY": lambda names: MLPoly(experts=names),
    "ML-PROD": lambda names: MLProd(experts=names),
    "BOA": lambda names: BOA(experts=names),
}


@pytest.mark.parametrize("theorem", POLLED)
@pytest.mark.parametrize("races", [60, pytest.param(None, marks=pytest.mark.soak)])
def test_pollsters_that_sleep_in_most_races_are_judged(
    theorem: str, races: int | None
) -> None:
    """All but four of 517 pollsters sleep in the average race."""
    rounds = polls()
    assert (len(rounds), len(_pollsters(rounds))) == (2113, 517)
    rounds = rounds[:races]
    certificate = certify(POLLED[theorem](_pollsters(rounds)), rounds)
    assert certificate.theorem == theorem
    assert certificate.holds
    assert races or not certificate.emptiness
    assert verify(certificate, rounds).wrong is None
