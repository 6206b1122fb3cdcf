"""What learners that follow the slope of a loss share, whatever their rule."""

from __future__ import annotations

import math
import pickle
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import experts, linear, losses, run, streams
from littlestone.errors import ExampleError, LabelError, ParameterError
from littlestone.linear._charged import ChargedLearner
from littlestone.outcome import Outcome
from littlestone.verifying import twins
from littlestone.verifying.twins._scores import price_of
from tries import tried
from worlds import ENTRIES, Entry, fixed_world

CHARGED = [entry for entry in ENTRIES if isinstance(entry.made, ChargedLearner)]
every = pytest.mark.parametrize("entry", CHARGED, ids=str)
LOSSES: list[Any] = [
    "logistic",
    "hinge",
    "square",
    "absolute",
    "poisson",
    losses.pinball(0.2),
    losses.huber(1.5),
]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=str)
RULES = [linear.GradientDescent, linear.AdaGrad, linear.CoinBetting]
every_rule = pytest.mark.parametrize("rule", RULES)


def world(loss: Any, rounds: int = 200) -> tuple[Any, Any]:
    """Return rows of very different scales, and outcomes that the loss takes."""
    rng = np.random.default_rng(11)
    X = rng.normal(size=(rounds, 5)) * [1.0, 1e-4, 1e4, 3.0, 0.0]
    score = X[:, 0] - X[:, 2] / 1e4 + 0.3 * rng.normal(size=rounds)
    if losses.as_loss(loss).outcome is Outcome.LABEL:
        return X, score > 0
    return X, rng.poisson(np.exp(score)) if loss == "poisson" else 3 * score + 1


# What the loss says ---------------------------------------------------------------


@every_loss
@every_rule
def test_the_total_is_what_the_rounds_cost(loss: Any, rule: Any) -> None:
    X, y = world(loss)
    X = X / np.abs(X).max(axis=0).clip(1e-9)
    learner, total = rule(loss), 0.0
    for x, label in zip(X, y.tolist(), strict=True):
        cost = losses.as_loss(loss).value(learner.score_one(x), label)
        learner.learn_one(x, label)
        assert learner.last_loss_ == pytest.approx(cost, rel=1e-12, abs=1e-14)
        total += learner.last_loss_
    assert learner.loss_ == total
    record = run(rule(loss), (X, y))
    assert record.loss == total
    assert record.outcome is losses.as_loss(loss).outcome
    assert record.curve[-1].loss == pytest.approx(total)


@every_loss
@tried(1.0)
@given(st.floats(-30, 30), st.sampled_from([0, 1, 3]))
def test_the_twin_prices_as_the_table_does(loss: Any, score: float, y: int) -> None:
    known = losses.as_loss(loss)
    label = bool(y) if known.outcome is Outcome.LABEL else float(y)
    paid, slope = price_of(loss, score, label)
    assert paid == pytest.approx(known.value(score, label), rel=1e-13, abs=1e-13)
    assert known.slope is not None
    assert slope == pytest.approx(known.slope(score, label), rel=1e-13, abs=1e-13)


@every_rule
def test_probabilities_are_those_of_the_scores(rule: Any) -> None:
    X, y = world("logistic")
    X = X / np.abs(X).max(axis=0).clip(1e-9)
    learner = rule("logistic", bias=0.5)
    learner.play(X, y)
    scores, chances = learner.decision_function(X), learner.predict_proba(X)
    assert np.allclose(chances[:, 1], 1 / (1 + np.exp(-scores)), rtol=1e-14)
    assert (chances.sum(axis=1) == 1).all()
    assert ((chances[:, 1] >= 0.5) == learner.predict(X)).all()
    one = learner.predict_proba_one(X[3])
    assert [one[False], one[True]] == chances[3].tolist()


def test_probabilities_stay_probabilities_far_from_0() -> None:
    learner = linear.GradientDescent("hinge", rate=1e6)
    with pytest.raises(ParameterError, match="probabilities need loss='logistic'"):
        learner.predict_proba([[1.0]])
    learner = linear.GradientDescent("logistic", rate=1e6)
    learner.learn_one({"a": 1.0}, y=False)
    assert learner.predict_proba_one({"a": 1e6}) == {False: 1.0, True: 0.0}


@every_rule
def test_they_learn_what_is_there(rule: Any) -> None:
    X, y = world("square", 2000)
    if rule is linear.GradientDescent:  # it has one rate for all columns
        X = X / np.abs(X).max(axis=0).clip(1e-9)
    late = rule("square")
    late.play(X, y)
    before = late.loss_
    late.play(X, y)
    assert (late.loss_ - before) / len(y) < 0.6 * np.var(y)


@pytest.mark.parametrize("rule", [linear.AdaGrad, linear.CoinBetting])
@every_loss
def test_the_scale_of_a_column_does_not_matter(loss: Any, rule: Any) -> None:
    X, y = world(loss)
    first, second = rule(loss), rule(loss)
    powers = np.array([2.0**20, 2.0**-20, 1.0, 2.0**-3, 1.0])  # exact
    assert (first.play(X, y) == second.play(X * powers, y)).all()
    assert first.loss_ == second.loss_


# Weights of examples ----------------------------------------------------------------


@every
def test_a_sample_weight_multiplies_the_loss(entry: Entry) -> None:
    play = fixed_world(entry, rows=60)
    weights = np.random.default_rng(3).choice([0.0, 0.25, 1.0, 1.3], len(play.y))
    made: Any = entry.made
    if isinstance(made, linear.VovkAzouryWarmuth):  # which learns a round or does not
        with pytest.raises(
            ParameterError, match="row 0: .* must be 0 or 1, .* got 1.3"
        ):
            made.clone().play(play.X, play.y, weights)
        weights = np.minimum(np.ceil(weights), 1.0)
    by_rows, one_by_one, mapped = (made.clone() for _ in range(3))
    twin = entry.twin(**entry.made.get_params())
    said = by_rows.play(play.X, play.y, sample_weight=weights)
    rows = [x for x, _ in play.examples()]
    assert (mapped.play(rows, play.y, weights) == said).all()
    for t, (x, label) in enumerate(play.examples()):
        weight = float(weights[t])
        assert one_by_one.play_one(x, label, weight) == said[t]
        assert twin.play(x, label, weight) == said[t]
    found: list[Any] = [by_rows, one_by_one, mapped]
    for each in found:
        assert dict(each.weights_) == dict(by_rows.weights_)
        assert each.loss_ == twin.own
        assert each.updates_ == twin.updates


@every
def test_a_bad_sample_weight_is_refused(entry: Entry) -> None:
    learner: Any = entry.made.clone()
    x, y = [1.0, 0.0], True
    for weight in (-1, math.nan, math.inf, "1", None):
        several = np.array([weight], dtype=object)
        for call in (
            partial(learner.play, [x], [y], several),
            partial(learner.learn_one, x, y, weight),
        ):
            with pytest.raises(ParameterError, match="a sample weight must be a fin"):
                call()
    assert learner.newborn_


# What is refused ----------------------------------------------------------------------


def refused(learner: Any, x: Any, y: Any, kind: Any, message: str) -> None:
    before = pickle.dumps(learner)
    with pytest.raises(kind, match=message):
        learner.learn_one(x, y)
    with pytest.raises(kind, match=f"row 1: .*{message}"):
        learner.clone().play([x if isinstance(x, list) else [0.0], x], [0.0, y])
    assert pickle.dumps(learner) == before


@every_rule
def test_outcomes_that_are_not_numbers_are_refused(rule: Any) -> None:
    learner = rule("square")
    learner.learn_one([1.0], 2.0)
    for y in (math.nan, math.inf, "2", None):
        refused(learner, [1.0], y, LabelError, "an outcome must be a finite number")
    counting = rule("poisson")
    refused(counting, [1.0], -1.0, LabelError, "an outcome must be at least 0, got -1")


@every_rule
def test_a_loss_that_overflows_is_refused(rule: Any) -> None:
    learner = rule("square")
    message = (
        "the loss of a round and its step must be finite numbers, but its score is"
    )
    refused(learner, [1.0], 1e200, ExampleError, message)


def test_exponentials_that_overflow_are_refused() -> None:
    learner = linear.GradientDescent("poisson", rate=1.0, bias=0)
    learner.learn_one([1.0], 1000.0)
    message = "finite numbers, but its score is 999.0"
    with pytest.raises(ExampleError, match=message):
        learner.learn_one([1.0], 1.0)
    assert learner.weights_[0] == 999.0
    assert math.isfinite(learner.predict_one([1.0]))


def test_a_gradient_beyond_the_declared_scale_is_refused() -> None:
    learner = linear.CoinBetting("absolute", scale=2.0)
    learner.learn_one([1.0, 2.0], 7.0)
    message = "the gradient of feature 1 must be at most the scale in size, got -2.5"
    refused(learner, [1.0, 2.5], 100.0, ExampleError, message)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_coins_are_bet_alike_on_columns_of_any_scale(size: float) -> None:
    usual, scaled, twin = (
        linear.CoinBetting(),
        linear.CoinBetting(),
        twins.CoinBetting(),
    )
    for t in range(40):
        x, label = 1.0 + t % 5, t % 3 == 0
        score = scaled.score_one([x * size, -2.0])
        assert score == pytest.approx(usual.score_one([x, -2.0]), rel=1e-9, abs=1e-12)
        usual.learn_one([x, -2.0], label)
        scaled.learn_one([x * size, -2.0], label)
        twin.play({0: x * size, 1: -2.0}, label)
    assert twin.weights == scaled.weights_


@every_rule
def test_parameters_that_void_the_theorem_are_refused(rule: Any) -> None:
    for loss in ("log", "brier", "zero-one", "percentage", losses.custom(max), 3):
        with pytest.raises(ParameterError, match="loss must"):
            rule(loss)
    with pytest.raises(ParameterError, match="bias must be a finite number"):
        rule("square", bias=math.inf)
    with pytest.raises(ParameterError, match="must exceed 0, got -1"):
        rule("square", -1)


def test_experts_refuse_losses_of_scores() -> None:
    with pytest.raises(ParameterError, match="got 'logistic', which charges a score"):
        experts.AdaHedge("logistic")


# Streams of numbers ----------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["svm", "vw", "jsonl", "csv"])
def test_numbers_are_read_from_files(tmp_path: Any, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    rows = [(1.5, 2.0, 0.25), (-3e-2, 1.0, 4.0), (7.0, 0.5, 1.0)]
    lines = {
        "svm": [f"{y} 1:{a} 2:{b}" for y, a, b in rows],
        "vw": [f"{y} | 1:{a} 2:{b}" for y, a, b in rows],
        "jsonl": [f'{{"label": {y}, "1": {a}, "2": {b}}}' for y, a, b in rows],
        "csv": ["label,1,2", *(f"{y},{a},{b}" for y, a, b in rows)],
    }
    path.write_text("\n".join(lines[suffix]) + "\n")
    more = {"label": "label"} if suffix == "csv" else {}
    stream = streams.open(path, outcome="number", **more)
    assert [y for _, y in stream] == [y for y, _, _ in rows]
    learner, direct = linear.CoinBetting("square"), linear.CoinBetting("square")
    run(learner, stream)
    for y, a, b in rows:
        direct.learn_one([a, b], y)
    assert learner.loss_ == direct.loss_
    wrong = '"seven"' if suffix == "jsonl" else "seven"
    bad = path.read_text().replace("7.0", wrong)
    path.write_text(bad)
    with pytest.raises(Exception, match="must be a finite number"):
        list(streams.open(path, outcome="number", **more))


def test_the_twins_are_those_of_the_entries() -> None:
    assert {entry.twin for entry in CHARGED} >= {
        twins.GradientDescent,
        twins.AdaGrad,
        twins.CoinBetting,
    }
