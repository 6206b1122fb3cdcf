"""A bound that says nothing about a run is called vacuous wherever it is shown."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import advise, certify, experts, linear, race, report, run, theorems
from littlestone.verifying.twins import spread_of

WORDS = "vacuous: says nothing about this run"


def spite(rounds: int = 60) -> list[tuple[dict[int, float], bool]]:
    """Return examples on which every linear learner errs again and again."""
    return [({1: 2.0}, False), ({1: 2.0}, True)] * (rounds // 2)


def sense(rounds: int = 60) -> list[tuple[dict[str, float], bool]]:
    """Return examples that one update is enough for."""
    return [({"a": 1.0}, True), ({"b": 1.0}, False)] * (rounds // 2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "spite.svm"
    path.write_text("0 1:2\n1 1:2\n" * 30)
    return path


# The rule ---------------------------------------------------------------------------


@pytest.mark.parametrize("theorem", [theorems.PERC_SEP, theorems.WM, theorems.RWM])
def test_counts_are_held_against_the_rounds(theorem: theorems.Theorem) -> None:
    assert theorem.is_vacuous(10, 10)
    assert theorem.is_vacuous(Fraction(21, 2), 10, spread=100)
    assert not theorem.is_vacuous(9.999, 10, spread=Fraction(1, 100))


@pytest.mark.parametrize("theorem", [theorems.EWA, theorems.BOA])
def test_losses_are_held_against_their_range(theorem: theorems.Theorem) -> None:
    assert theorem.is_vacuous(5.0, 10, spread=0.5)
    assert not theorem.is_vacuous(4.9, 10, spread=0.5)
    assert not theorem.is_vacuous(1e9, 10, spread=math.inf)


def test_a_lower_bound_must_be_above_zero() -> None:
    assert theorems.HALV_LB.is_vacuous(0, 10)
    assert not theorems.HALV_LB.is_vacuous(1, 1)


@pytest.mark.parametrize(
    ("made", "spread"),
    [
        (lambda: experts.AdaHedge("absolute"), math.inf),
        (lambda: experts.AdaHedge("absolute", range=(1.0, 4.0)), 3.0),
        (lambda: experts.AdaHedge("zero-one"), 1.0),
        (lambda: experts.AggregatingAlgorithm("brier"), 2.0),
        (lambda: experts.AggregatingAlgorithm("log"), math.inf),
        (lambda: experts.AggregatingAlgorithm("square"), 1.0),
        (lambda: experts.AggregatingAlgorithm("square", interval=(1, 3)), 4.0),
        (lambda: experts.BOA("square"), math.inf),
        (lambda: experts.MLProd("square", form="published"), 1.0),
        (lambda: experts.MLPoly("square", form="published", range=(0, 9)), 9.0),
        (lambda: experts.ExponentialWeights(0.5, "absolute"), 1.0),
        (lambda: experts.ExponentialWeights(0.5, "brier"), 2.0),
        (lambda: experts.ExponentialWeights(0.5, "absolute", gradient=True), math.inf),
        (lambda: experts.FixedShare(0.5, 0.1, "square", range=(0, 4)), 4.0),
    ],
)
def test_learner_and_judge_agree_on_the_range(made: Any, spread: float) -> None:
    learner = made()
    given = learner.get_params(deep=False)
    assert learner.spread_ == spread_of(type(learner).__name__, given) == spread


def test_no_range_that_a_forger_writes_stops_the_judge() -> None:
    for limits in ("ab", 7, ("x", "y"), (1, 2, 3), (None, 1)):
        assert spread_of("AdaHedge", {"loss": "zero-one", "range": limits}) == 1.0


# Certificates -----------------------------------------------------------------------


def test_a_certificate_says_so() -> None:
    idle, telling = (
        certify(linear.Perceptron(), spite()),
        certify(linear.Perceptron(), sense()),
    )
    assert idle.vacuous
    assert idle.bound >= idle.rounds
    assert f"it holds, but it is {WORDS}." in str(idle)
    assert "to spare" not in str(idle)
    assert f"holds, but is {WORDS}" in idle._repr_html_()
    assert not telling.vacuous
    assert "to spare" in str(telling)
    assert "vacuous" not in str(telling)
    assert "vacuous" not in telling._repr_html_()


def test_a_regret_is_held_against_the_range_of_losses() -> None:
    rng = np.random.default_rng(3)
    stream = [(row, float(row[0])) for row in rng.random((400, 3)).tolist()]
    learner = experts.AdaHedge("absolute", range=(0.0, 1.0))
    assert certify(learner, stream[:4]).vacuous
    assert not certify(learner, stream).vacuous
    # Without a range, the largest difference that was met.
    assert certify(experts.AdaHedge("absolute"), stream[:4]).vacuous


def test_the_commands_say_so(file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "cert.json"
    done = call("certify", file, "-q", "-l", "perceptron", "-o", kept)
    assert WORDS in done.stdout
    assert done.stderr == ""
    done = call("certify", file, "-q", "-l", "perceptron", "--json")
    assert done.stdout == kept.read_text()
    assert WORDS in done.stderr
    assert f"The bound is {WORDS}.\n" in call("verify", kept, file, "-q").stdout
    facts = json.loads(call("verify", kept, "--json").stdout)
    assert facts["vacuous"]
    assert facts["bound"] >= 60


# Records ----------------------------------------------------------------------------


def test_a_record_says_so_until_there_are_rounds_enough() -> None:
    stream = [({"ann": True, "bob": False}, True)] * 3
    early = run(experts.WeightedMajority(), stream[:2])
    later = run(experts.WeightedMajority(), stream)
    assert early.bound == later.bound == pytest.approx(math.log(2) / math.log(4 / 3))
    assert (early.vacuous, later.vacuous) == (True, False)
    assert f"of at most 2 ({WORDS})" in repr(early)
    assert "of at most 2, regret" in repr(later)
    assert early.to_dict()["vacuous"]
    assert not later.to_dict()["vacuous"]
    assert WORDS in early._repr_html_()
    assert "vacuous" not in later._repr_html_()
    assert not run(linear.Perceptron(), sense()).vacuous  # there is no bound


def test_the_live_bound_of_a_regret_has_the_range_of_its_losses() -> None:
    stream = [([0.0, 1.0], 0.0)] * 3
    wide = run(experts.ExponentialWeights(0.5, "absolute", range=(0, 8)), stream)
    narrow = run(experts.ExponentialWeights(0.5, "absolute"), stream[:1])
    assert wide.bound is not None
    assert 3 < wide.bound < 24  # 3 rounds, losses 8 apart
    assert not wide.vacuous
    assert narrow.vacuous


def test_a_race_says_so_in_its_table() -> None:
    known = {"features": 4, "relevant": 1}
    named = {"winnow": linear.Winnow(threshold=4, eliminate=True)}
    ranking = race(named, sense(4), declare=known)
    assert "5 vacuous" in str(ranking)
    assert str(ranking).endswith(f"\n{WORDS}")
    assert WORDS in ranking._repr_html_()
    assert ranking.to_dict()["ranking"][0]["vacuous"]
    named = {"winnow": linear.Winnow(threshold=4, eliminate=True)}
    ranking = race(named, sense(6), declare=known)
    assert "vacuous" not in str(ranking) + ranking._repr_html_()


# Reports and advice -----------------------------------------------------------------


def test_a_report_is_green_only_where_something_is_said() -> None:
    for stream, idle in ((spite(), True), (sense(), False)):
        record = run(linear.Perceptron(), stream, keep="updates")
        made = report(record, certificate=certify(record))
        assert made.story.holds is (None if idle else True)
        assert ('class="words holds"' in made.html) is not idle
        assert (WORDS in made.story.headline) is idle
        assert ("vacuous" in made.text) is idle


def test_a_report_as_json_says_so(file: Path) -> None:
    facts = json.loads(call("report", file, "-q", "-l", "perceptron", "--json").stdout)
    assert facts["certificate_vacuous"]


def test_advice_does_not_sell_it() -> None:
    # On more rounds the experts of `Auto` that repeat labels say something.
    counsel = advise(spite(24), bounds=True)
    assert counsel.choice.vacuous
    assert WORDS in counsel.reasons[0]
    assert counsel.to_dict()["choice"]["vacuous"]
    said = "\n".join(advise(spite(8), bounds=True).reasons)
    assert "All bounds are vacuous" in said
    assert "has the smallest bound" not in said
    counsel = advise(sense(), bounds=True)
    assert not counsel.choice.vacuous
    assert "vacuous" not in counsel.reasons[0]


def test_a_regret_that_lets_it_lose_what_zero_loses_is_vacuous() -> None:
    noise = certify(linear.GradientDescent(rate=5.0), spite())
    assert noise.holds
    assert noise.vacuous
    assert WORDS in str(noise)
    good = certify(linear.AIOLI(), sense())
    assert not good.vacuous
    numbers = certify(linear.VovkAzouryWarmuth(), [({"a": 1.0}, 3.0)] * 2)
    assert numbers.vacuous  # it may lose more than it did


def test_a_spread_beyond_every_float_is_compared() -> None:
    assert not theorems.ADAHEDGE.is_vacuous(9.0, rounds=10, spread=10**400)
    assert not theorems.ADAHEDGE.is_vacuous(9.0, rounds=10, spread=math.inf)
