"""Winnow does what Littlestone's paper says, and errs no more than it allows."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run, streams
from littlestone.errors import FeatureError, ParameterError
from littlestone.linear import Winnow
from littlestone.theorems import WIN1, WIN2_SEP
from worlds import World, worlds

# What the source says -------------------------------------------------------------


def test_it_says_yes_from_the_threshold_on() -> None:
    learner = Winnow(threshold=2)
    assert not learner.predict_one({"a": 1})
    assert learner.predict_one({"a": 1, "b": 1})
    assert learner.score_one({"a": 1, "b": 1}) == 0


def test_a_missed_yes_promotes_the_active_weights_only() -> None:
    learner = Winnow(threshold=2, promotion=3)
    learner.learn_one({"a": 1, "b": 0}, y=True)
    assert learner.weights_ == {"a": 3.0}


def test_a_false_alarm_demotes_the_active_weights() -> None:
    learner = Winnow(threshold=2, promotion=4)
    learner.learn_one({"a": 1, "b": 1, "c": 0}, y=False)
    assert learner.weights_ == {"a": 0.25, "b": 0.25}


def test_a_false_alarm_eliminates_if_asked_to() -> None:
    learner = Winnow(threshold=2, eliminate=True)
    learner.learn_one({"a": 1, "b": 1, "c": 0}, y=False)
    assert learner.weights_ == {"a": 0.0, "b": 0.0}


def test_a_right_answer_changes_nothing() -> None:
    learner = Winnow(threshold=1)
    learner.learn_one({"a": 1, "b": 1}, y=True)
    assert learner.weights_ == {}


def test_half_a_feature_counts_half() -> None:
    learner = Winnow(threshold=2, promotion=4)
    learner.learn_one({"a": 0.5}, y=True)
    assert learner.weights_ == {"a": 2.0}  # 4 ** 0.5


def test_a_feature_not_met_before_weighs_one() -> None:
    learner = Winnow(threshold=3)
    learner.play([[1, 0, 0]], [True])
    assert learner.coef_.tolist() == [2.0, 1.0, 1.0]
    assert learner.score_one({0: 1, "new": 1}) == 0


def test_a_demoted_weight_never_vanishes() -> None:
    learner = Winnow(threshold=1, promotion=1e100)
    learner.learn_one({"a": 1, "b": 1}, y=False)
    for _ in range(8):
        learner.learn_one({"b": 1}, y=True)
        learner.learn_one({"a": 1, "b": 1}, y=False)
    assert learner.weights_["a"] == sys.float_info.min


# What the theorem says --------------------------------------------------------------


@given(worlds((0.0, 1.0)), st.data(), st.floats(1, 20), st.floats(1.05, 5))
def test_elimination_never_exceeds_its_bound(
    world: World, data: st.DataObject, threshold: float, promotion: float
) -> None:
    n = world.X.shape[1]
    relevant = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    y = world.X[:, sorted(relevant)].any(axis=1)
    numbers = {"features": n, "relevant": len(relevant)}
    learner = Winnow(threshold=n, eliminate=True)
    record = run(learner, streams.arrays(world.X, y), passes=3)
    assert record.mistakes <= WIN1.bound(**numbers)
    learner = Winnow(threshold=threshold, promotion=promotion, eliminate=True)
    record = run(learner, streams.arrays(world.X, y), passes=3)
    assert record.mistakes <= WIN1.bound(
        **numbers, threshold=threshold, promotion=promotion
    )


@given(worlds((0.0, 0.25, 0.5, 1.0)), st.data())
def test_demotion_never_exceeds_its_bound(world: World, data: st.DataObject) -> None:
    n = world.X.shape[1]
    weights = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])
    mu = np.array(data.draw(st.lists(weights, min_size=n, max_size=n)))
    gap = data.draw(st.sampled_from([0.25, 0.5, 1.0]))
    scores = world.X @ mu  # exact: small multiples of 1/16
    kept = (scores >= 1) | (scores <= 1 - gap)
    X, y = world.X[kept], scores[kept] >= 1
    threshold = data.draw(st.floats(1, 30))
    learner = Winnow(threshold=threshold, promotion=1 + gap / 2)
    record = run(learner, streams.arrays(X, y), passes=3)
    assert record.mistakes <= WIN2_SEP.bound(
        features=n,
        weight=float(mu.sum()),
        gap=gap,
        threshold=threshold,
        smallest=float(X[X > 0].min(initial=1.0)),
    )


def test_a_small_feature_alone_nearly_attains_the_bound() -> None:
    # One feature, always 1/100 and always a yes: the weight must grow to 100 theta.
    record = run(Winnow(threshold=1, promotion=1.5), [({"a": 0.01}, True)] * 5_000)
    numbers = {"features": 1, "weight": 100, "gap": 1, "threshold": 1}
    assert record.mistakes == 1_136
    assert record.mistakes > WIN2_SEP.bound(**numbers)  # of boolean features only
    # G = 0.01 + ln 100 / ln 1.5, u = 100 G = 1136.8, and M <= 2.5 u + 3
    assert 2_844 < WIN2_SEP.bound(**numbers, smallest=0.01) < 2_846


@pytest.mark.parametrize(("n", "r"), [(8, 1), (64, 3), (1024, 5)])
def test_an_adversary_comes_within_a_factor_of_the_elimination_bound(
    n: int, r: int
) -> None:
    # The relevant features come alone, so that each must climb to the threshold; then
    # all the others together raise a false alarm.
    learner = Winnow(threshold=n, eliminate=True)
    stream: list[tuple[Any, bool]] = []
    for i in range(r):
        stream += [({i: 1.0}, True)] * n.bit_length()
    stream.append((dict.fromkeys(range(r, n), 1.0), False))
    record = run(learner, stream)
    bound = WIN1.bound(features=n, relevant=r)
    assert bound / 2 - 1 <= record.mistakes <= bound


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"threshold": 0.5}, "threshold must be at least 1, got 0.5"),
        ({"threshold": math.nan}, "got nan"),
        ({"threshold": math.inf}, "got inf"),
        ({"threshold": "4"}, "threshold must be a finite number, got '4'"),
        ({"threshold": 1, "promotion": 1}, "promotion must exceed 1, got 1"),
        (
            {"threshold": 1, "promotion": math.inf},
            "promotion must be a finite number, got inf",
        ),
        ({"threshold": 1e300, "promotion": 1e300}, "threshold times promotion"),
        ({"threshold": 1, "eliminate": "no"}, "eliminate must be True or False"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Winnow(**parameters)


@pytest.mark.parametrize("value", [-0.1, 1.5, -1])
def test_values_outside_the_unit_interval(value: float) -> None:
    learner = Winnow(threshold=1)
    message = f"feature 'a' must lie in \\[0, 1\\], got {float(value)}"
    with pytest.raises(FeatureError, match=message):
        learner.learn_one({"b": 1, "a": value}, y=False)
    with pytest.raises(FeatureError, match="row 1: Winnow: feature 0 must lie"):
        learner.play([[1.0], [value]], [True, True])
    assert learner.weights_ == {}


def test_elimination_takes_booleans_only() -> None:
    learner = Winnow(threshold=1, eliminate=True)
    with pytest.raises(FeatureError, match="feature 'a' must be 0 or 1, got 0.5"):
        learner.learn_one({"a": 0.5}, y=True)
    assert learner.weights_ == {}
