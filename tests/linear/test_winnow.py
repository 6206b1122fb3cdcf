"""Winnow does what Littlestone's paper says, and errs no more than it allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run, streams
from littlestone.errors import FeatureError, ParameterError
from littlestone.linear import Winnow
from littlestone.theorems import WIN1, WIN2_DISJ, WIN2_GAP, WIN2_KOFR, WIN2_SEP
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
    assert learner.weights_["a"] == 2.0**-960


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


@given(worlds((0.0, 1.0)), st.data())
def test_the_disjunction_learner_never_exceeds_its_bound(
    world: World, data: st.DataObject
) -> None:
    n = world.X.shape[1]
    relevant = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    y = world.X[:, sorted(relevant)].any(axis=1)
    learner = Winnow.for_disjunction(n)
    record = run(learner, streams.arrays(world.X, y), passes=3)
    assert record.mistakes <= WIN2_DISJ.bound(features=n, relevant=len(relevant))


@given(worlds((0.0, 1.0)), st.data())
def test_the_threshold_learner_never_exceeds_its_bound(
    world: World, data: st.DataObject
) -> None:
    n = world.X.shape[1]
    relevant = data.draw(st.sets(st.integers(0, n - 1), min_size=1))
    k = data.draw(st.integers(1, len(relevant)))
    y = world.X[:, sorted(relevant)].sum(axis=1) >= k
    learner = Winnow.for_threshold(n, k)
    record = run(learner, streams.arrays(world.X, y), passes=3)
    assert record.mistakes <= WIN2_KOFR.bound(features=n, relevant=len(relevant), k=k)


@given(worlds((0.0, 0.25, 0.5, 1.0)), st.data())
def test_the_gap_learner_never_exceeds_its_bound(
    world: World, data: st.DataObject
) -> None:
    n = world.X.shape[1]
    weights = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0])
    w = np.array(data.draw(st.lists(weights, min_size=n, max_size=n)))
    level = data.draw(st.sampled_from([0.25, 0.5, 2.0]))
    gap = level * data.draw(st.sampled_from([0.25, 0.5, 1.0]))
    scores = world.X @ w  # exact: small multiples of 1/16
    kept = (scores >= level) | (scores <= level - gap)
    X, y = world.X[kept], scores[kept] >= level
    learner = Winnow.for_gap(n, level, gap)
    record = run(learner, streams.arrays(X, y), passes=3)
    assert record.mistakes <= WIN2_GAP.bound(
        features=n,
        weight=float(w.sum()),
        level=level,
        gap=gap,
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


@pytest.mark.parametrize(
    ("n", "r"),
    [(8, 1), (64, 3), pytest.param(1024, 5, marks=pytest.mark.soak)],
)
def test_a_greedy_adversary_comes_within_three_fifths_of_the_disjunction_bound(
    n: int, r: int
) -> None:
    # The first r features are the disjunction. Every row weighs as close to the
    # threshold as can be, so a promotion adds the most and a false alarm costs least.
    learner = Winnow.for_disjunction(n)

    def weight(feature: int) -> float:
        return learner.weights_.get(feature, 1.0)

    def just_below(row: dict[int, float]) -> dict[int, float]:
        total = sum(weight(i) for i in row)
        for i in sorted(range(r, n), key=weight, reverse=True):
            if total + weight(i) < n:
                row[i], total = 1.0, total + weight(i)
        return row

    mistakes = 0
    while True:
        row = just_below({})
        left_out = [i for i in range(r, n) if i not in row]
        if left_out:  # the lightest of them makes it a false alarm
            row[min(left_out, key=weight)] = 1.0
        else:
            lightest = min(range(r), key=weight)
            if weight(lightest) >= n:
                break
            row = just_below({lightest: 1.0})
        mistakes += learner.play_one(row, not left_out) is bool(left_out)
    bound = WIN2_DISJ.bound(features=n, relevant=r)
    assert mistakes == learner.updates_
    assert 3 / 5 * bound <= mistakes <= bound


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


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: Winnow.for_disjunction(0), "features must be a whole number above 0"),
        (lambda: Winnow.for_disjunction(2.5), "whole number above 0, got 2.5"),  # type: ignore[arg-type]  # refused
        (lambda: Winnow.for_disjunction("4"), "features must be a finite number"),  # type: ignore[arg-type]  # refused
        (lambda: Winnow.for_threshold(4, 0), "k must be a whole number above 0, got 0"),
        (lambda: Winnow.for_threshold(4, 5), "k must be at most features = 4, got 5"),
        (lambda: Winnow.for_gap(0, 1, 1), "features must be a whole number above 0"),
        (lambda: Winnow.for_gap(4, 1, 0), "gap must exceed 0 .* level = 1, got 0"),
        (lambda: Winnow.for_gap(4, 1, 1.5), "at most level = 1, got 1.5"),
        (lambda: Winnow.for_gap(4, math.nan, 1), "level must be a finite number"),
        (lambda: Winnow.for_gap(4, 1, 1e-17), "promotion must exceed 1, got 1.0"),
    ],
)
def test_targets_that_make_no_sense(made: Callable[[], Winnow], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^Winnow: .*{message}"):
        made()


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
