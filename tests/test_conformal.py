"""Adaptive conformal intervals: what the source says, what the theorem says."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from river import linear_model
from sklearn.linear_model import SGDRegressor

from command import call
from littlestone import certify, linear, models, report, run, theorems, verify
from littlestone.conformal import Adaptive
from littlestone.display.answers import inside, measured
from littlestone.errors import ExampleError, LabelError, ParameterError, PremiseError
from littlestone.verifying import twins
from tries import tried


def bound(learner: Adaptive) -> float:
    return theorems.ACI.bound(**learner.known_)


def excess(learner: Adaptive) -> float:
    return abs(learner.misses_ - (1 - learner.level) * learner.rounds_)


# What the source says -----------------------------------------------------------


def test_the_share_is_corrected_as_the_paper_says() -> None:
    learner = Adaptive(level=0.75, rate=0.5)
    shares, missed = [], []
    for outcome in (1.0, -5.0, 2.0, 9.0, 0.0, 0.0, 0.0):
        shares.append(learner.alpha_)
        before = learner.misses_
        expected = learner.predict_interval_one(0.0)
        learner.learn_one(0.0, outcome)
        missed.append(learner.misses_ - before)
        assert missed[-1] == (outcome not in expected)
    for here, after, err in zip(shares, shares[1:], missed, strict=False):
        assert after == here + 0.5 * (0.25 - err)


def test_an_interval_reaches_as_far_as_the_errors_did() -> None:
    learner = Adaptive(level=0.5, rate=1e-9)
    for size in range(1, 100):
        learner.learn_one(7.0, 7.0 + size * (-1) ** size)
    low, high = learner.predict_interval_one(100.0)
    assert (low, high) in ((50.0, 150.0), (49.0, 151.0))  # the share moves a little


# What the theorem says -------------------------------------------------------------


@tried(1.0)
@given(
    st.lists(st.floats(-1e3, 1e3), max_size=60),
    st.sampled_from([0.1, 0.5, 0.9, 0.99]),
    st.sampled_from([0.005, 0.05, 0.7, 3.0]),
)
def test_misses_are_as_many_as_asked_on_every_sequence(
    outcomes: list[float], level: float, rate: float
) -> None:
    learner = Adaptive(level=level, rate=rate, window=7)
    for outcome in outcomes:
        learner.learn_one(0.0, outcome)
        assert excess(learner) <= bound(learner)


def test_an_adversary_comes_close() -> None:
    learner = Adaptive(level=0.5, rate=0.01)
    worst = 0.0
    for _ in range(500):  # an outcome beyond the interval, wherever that is possible
        _, high = learner.predict_interval_one(0.0)
        learner.learn_one(0.0, 0.0 if math.isinf(high) else high + 1)
        worst = max(worst, excess(learner))
    assert 0.9 * bound(learner) < worst <= bound(learner)


def test_outcomes_as_forecast_come_close_at_high_levels() -> None:
    learner = Adaptive(level=0.9, rate=0.05)
    for _ in range(179):
        learner.learn_one(0.0, 0.0)
    assert learner.misses_ == 0
    assert 0.94 * bound(learner) < excess(learner) <= bound(learner)


# What the twin says, and the judge --------------------------------------------------


def test_the_twin_misses_the_same_rounds() -> None:
    rng = np.random.default_rng(3)
    learner, twin = Adaptive(level=0.8, window=50), twins.Adaptive(level=0.8, window=50)
    for t in range(400):
        forecast, outcome = float(rng.normal()), float(rng.normal() * (1 + t / 100))
        learner.learn_one(forecast, outcome)
        twin.play({"forecast": forecast}, outcome)
        assert (learner.misses_, learner.alpha_) == (twin.misses, twin.share)


def world(rounds: int = 600) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rounds, 3))
    noise = rng.normal(size=rounds) * (1 + np.arange(rounds) / 200)
    return X, X @ [1.0, -2.0, 0.5] + noise


@pytest.mark.parametrize(
    "forecaster",
    [linear.CoinBetting("square"), linear.VovkAzouryWarmuth()],
    ids=lambda made: type(made).__name__,
)
def test_any_forecaster_is_covered_and_certified(forecaster: Any) -> None:
    X, y = world()
    stream = list(zip(X.tolist(), y.tolist(), strict=True))
    learner = Adaptive(forecaster, level=0.8)
    record = run(learner, stream)
    assert record.errors is not None
    assert abs(learner.coverage_ - 0.8) < 0.05
    assert learner.mean_width_ > 0
    certificate = certify(Adaptive(forecaster, level=0.8), stream)
    assert certificate.theorem == "ACI"
    assert certificate.holds
    assert certificate.counted == pytest.approx(excess(learner))
    forecasts = list(Adaptive(forecaster, level=0.8).forecasts(stream))
    assert verify(certificate, forecasts).accepted
    other = [(x, outcome + 1) for x, outcome in forecasts]
    assert not verify(certificate, other).accepted


def test_forecasts_that_are_numbers_are_certified() -> None:
    stream = [(float(t % 3), float(t % 7)) for t in range(200)]
    learner = Adaptive(level=0.8, rate=0.1)
    certificate = certify(learner, stream)
    named = [({"forecast": forecast}, outcome) for forecast, outcome in stream]
    assert certificate == certify(learner, named)
    assert verify(certificate, learner.forecasts(stream)).accepted


def test_learners_of_other_libraries_are_taken() -> None:
    X, y = world(300)
    for made in (linear_model.LinearRegression(), SGDRegressor(random_state=1)):
        learner = Adaptive(made, level=0.7, rate=0.1)
        for x, outcome in zip(X, y.tolist(), strict=True):
            learner.learn_one(dict(enumerate(x)), outcome)
        assert excess(learner) <= bound(learner)
        assert learner.rounds_ == 300


def test_a_record_counts_the_intervals_of_its_own_rounds() -> None:
    learner = Adaptive(level=0.8, rate=0.1)
    run(learner, [(0.0, float(y % 7)) for y in range(50)])
    missed, before = learner.misses_, learner.intervals_
    record = run(learner, [(0.0, float(y % 11)) for y in range(80)])
    found = record.coverage
    assert found is not None
    assert (found.rounds, found.misses) == (80, learner.misses_ - missed)
    widths, wide = learner.intervals_[2] - before[2], learner.intervals_[3] - before[3]
    assert found.mean_width == widths / wide
    shown = record.to_dict()["metrics"]
    assert shown["coverage"] == found.share == 1 - found.misses / 80
    assert "asked 80%" in dict(measured(record))["Intervals"]
    assert run(linear.Perceptron(), [([1.0], True)]).coverage is None


def test_a_copy_goes_on_alike() -> None:
    learner = Adaptive(linear.CoinBetting("square"))
    learner.learn_one([1.0], 2.0)
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    for one in (learner, copy):
        one.learn_one([2.0], 3.0)
    assert copy.alpha_ == learner.alpha_
    assert copy.predict_one([1.0]) == learner.predict_one([1.0])
    assert learner.clone().rounds_ == 0


# What is refused -----------------------------------------------------------------


def test_what_voids_the_theorem_is_refused() -> None:
    for level in (0.0, 1.0, math.nan, "0.9"):
        with pytest.raises(ParameterError, match="level must"):
            Adaptive(level=level)  # type: ignore[arg-type]  # that is tested
    with pytest.raises(ParameterError, match="rate must exceed 0"):
        Adaptive(rate=0)
    for forecaster in (linear.Perceptron(), linear.AdaGrad()):
        with pytest.raises(ParameterError, match="forecaster must predict numbers"):
            Adaptive(forecaster)
    learner = Adaptive()
    for y in (math.nan, math.inf, "3", None, 10**400):
        with pytest.raises(LabelError, match="an outcome must be a finite number"):
            learner.learn_one(0.0, y)
    for x in ({"other": 1.0}, math.inf, math.nan, "3", 10**400):
        with pytest.raises(ExampleError, match="a forecast must be a finite number"):
            learner.learn_one(x, 2.0)
    with pytest.raises(ExampleError, match="differ from its forecast by a finite"):
        learner.learn_one(-1.7e308, 1.7e308)
    with pytest.raises(ExampleError, match="feature 0 must be a number"):
        Adaptive(SGDRegressor()).learn_one([10**400], 1.0)
    assert learner.newborn_


@pytest.mark.parametrize("bad", [math.nan, -math.inf, "3", [1.0], 1.7e308])
def test_a_forecaster_that_fails_is_refused_before_it_learns(bad: Any) -> None:
    class Failing:
        rounds = 0

        def predict_one(self, x: Any) -> Any:
            return bad if "bad" in x else 0.0

        def learn_one(self, x: Any, y: Any) -> None:  # noqa: ARG002 - it does not look
            self.rounds += 1

    wrong: tuple[Any, float] = ({"bad": 1.0}, -1.7e308)
    stream: list[tuple[Any, float]] = [({"a": 1.0}, y) for y in (1.0, 2.0, 3.0)]
    learner, other = (Adaptive(Failing(), level=0.5, rate=0.25) for _ in "ab")
    record = run(learner, [*stream[:2], wrong, *stream[2:]], on_error="skip")
    run(other, stream)
    assert (record.rounds, record.refused, learner.forecaster_.rounds) == (3, 1, 3)
    assert learner.intervals_ == other.intervals_
    assert learner.band_ == other.band_
    with pytest.raises(ExampleError, match=r"round 0: Adaptive: an? .* must .*, got "):
        run(learner, [wrong])


def test_a_width_beyond_all_numbers_is_not_averaged() -> None:
    learner = Adaptive(level=0.5, rate=0.01)
    for outcome in (1e308, 0.0, 0.0, 0.0, 5e307):
        learner.learn_one(0.0, outcome)
    assert 0 <= learner.mean_width_ < math.inf


def test_what_the_theorem_allows_is_live_in_the_record() -> None:
    rng = np.random.default_rng(8)
    stream = [(0.0, float(y)) for y in rng.normal(size=300)]
    learner = Adaptive(level=0.8, rate=0.1)
    coverage = run(learner, stream).coverage
    assert coverage is not None
    assert coverage.allowed is not None
    assert coverage.allowed == pytest.approx(bound(learner))
    assert coverage.excess == pytest.approx(excess(learner))
    assert coverage.excess <= coverage.allowed
    assert not coverage.vacuous
    # Later the share begins elsewhere, between -0.1 and 1.1.
    later = run(learner, [(0.0, 99.0)] * 50).coverage
    assert later is not None
    assert later.allowed is not None
    assert later.allowed == pytest.approx(1.2 / 0.1)
    assert later.excess <= later.allowed
    early = run(Adaptive(level=0.8, rate=0.1), stream[:5]).coverage
    assert early is not None
    assert early.vacuous
    assert "vacuous" in inside(early)
    assert "by ACI within 3.00%" in inside(coverage)


def test_the_report_draws_the_band() -> None:
    stream = [(0.0, (-1.0) ** t * (t % 7)) for t in range(230)]
    record = run(Adaptive(level=0.9, rate=0.05), stream)
    chart = report(record).story.charts[-1]
    assert chart.title == "Outcomes within their intervals"
    outcome, upper, lower = chart.lines
    assert len(chart.rounds) == len(outcome.values) == 200
    assert outcome.values[-1] == stream[-1][1]
    assert lower.values == tuple(None if u is None else -u for u in upper.values)
    inside_it = [
        abs(y) <= u
        for y, u in zip(outcome.values, upper.values, strict=True)
        if y is not None and u is not None
    ]
    assert 0.8 < np.mean(inside_it) < 1.0


def test_a_test_without_learning_counts_intervals_that_stay_as_they_are() -> None:
    rng = np.random.default_rng(4)
    stream = [([1.0], y) for y in rng.normal(5.0, 1.0, 200).tolist()]
    learner = Adaptive(linear.VovkAzouryWarmuth(), level=0.8, rate=0.1)
    run(learner, stream)
    low, high = learner.predict_interval_one([1.0])
    before = learner.save_state()
    held_out = [*stream[:50], ([1.0], 99.0)]
    record = run(learner, [*held_out, ([1.0], None)], learn=False, metrics=["coverage"])
    assert "52 rounds, 1 without a label" in repr(record)
    found = record.coverage
    assert found is not None
    assert record.errors is not None
    assert record.rounds == 52
    assert (found.rounds, found.level, found.allowed) == (51, 0.8, None)
    assert found.misses == sum(not low <= y <= high for _, y in held_out)
    assert found.mean_width == pytest.approx(high - low)
    assert record.band[-1] == (99.0 - (low + high) / 2, (high - low) / 2)
    assert repr(learner.save_state()) == repr(before)
    assert "by ACI" not in inside(found)
    assert run(Adaptive(), [(0.0, 1.0)], learn=False).coverage is not None


# What is saved, and shown elsewhere ---------------------------------------------------


def test_a_record_around_a_forecaster_says_how_it_is_certified() -> None:
    stream = [([1.0], 2.0)] * 5
    record = run(Adaptive(linear.VovkAzouryWarmuth()), stream)
    with pytest.raises(PremiseError, match=r"learner\.forecasts\(stream\)"):
        certify(record, stream=stream)


@pytest.mark.parametrize(
    "change",
    [
        {"errors": [1.0, -1.0, 2.0]},
        {"errors": [1.0, 2.0]},
        {"misses": 4},
        {"alpha": 1.5},
        {"band": []},
        {"losses": [math.nan, 0.0]},
        {"forecaster": None},
        {"forecaster": linear.CoinBetting("absolute")},
        {"columns": ["a"]},
    ],
    ids=str,
)
def test_a_state_that_no_intervals_have_is_refused(change: dict[str, Any]) -> None:
    learner = Adaptive(linear.CoinBetting("square"))
    for _ in range(3):
        learner.learn_one([1.0], 2.0)
    state = learner.save_state()
    newborn = learner.clone()
    with pytest.raises(ParameterError, match="Adaptive|Committee"):
        newborn.load_state(state | change)


def test_the_command_line_keeps_intervals(tmp_path: Path) -> None:
    path, model = tmp_path / "flats.csv", tmp_path / "flats.lst"
    path.write_text("size,rent\n30,410\n45,560\n60,690\n75,880\n90,1010\n")
    words = ("--label", "rent", "--passes", 9)
    made = ("-l", "vovk-azoury-warmuth", "--intervals", 0.5)
    done = call("run", path, *words, *made, "--save", model)
    assert "of outcomes inside, asked 50%" in done.stdout
    learner: Any = models.load(model)
    assert learner.rounds_ == 45
    said, low, high = call("predict", model, path, "--intervals").stdout.split()[:3]
    x = {"size": 30.0}
    assert float(said) == learner.predict_one(x)
    assert (float(low), float(high)) == learner.predict_interval_one(x)
    told = call("run", "-t", "-i", model, path, "--metrics", "coverage").stdout
    assert "of outcomes inside, asked 50%; mean width" in told
    shown = call("predict", model, path, "--intervals", "--json").stdout.splitlines()
    assert json.loads(shown[0])["interval"] == [float(low), float(high)]
    raced = [f"vovk-azoury-warmuth:intervals={level}" for level in (0.5, 0.25)]
    table = call("race", path, *words, "-l", raced[0], "-l", raced[1]).stdout
    names, *rows = (line.split() for line in table.splitlines())
    assert names[-3:-1] == ["inside", "width"]
    assert f"{learner.coverage_:.2%}" in rows[0] + rows[1]
    done = call("certify", path, "--label", "rent", *made)
    assert (done.returncode, "intervals are certified from Python" in done.stderr) == (
        2,
        True,
    )
    for wrong, why in (
        (("-l", "perceptron", "--intervals", 0.5), "is for learners of numbers"),
        (("-l", "vovk-azoury-warmuth", "--intervals", 2), "between 0 and 1, got 2.0"),
    ):
        assert why in call("run", path, *words, *wrong).stderr
    call("run", path, *words, *made[:2], "--save", model)
    assert "saved with --intervals" in call("predict", model, "--intervals").stderr
