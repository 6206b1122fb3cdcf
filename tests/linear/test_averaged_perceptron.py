"""The averaged Perceptron learns as the Perceptron and answers with the mean."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone.errors import ExampleError, ParameterError
from littlestone.linear import AveragedPerceptron, Perceptron
from littlestone.theorems import (
    PERC_BIAS,
    PERC_FS,
    PERC_GAP,
    PERC_HINGE,
    PERC_RMS,
    PERC_SEP,
    PERC_TD,
)
from witness import (
    DOWN,
    DYADIC,
    UP,
    check_perceptron_bounds,
    longest,
    played,
    signs,
    twice,
    vectors,
    with_constant,
)
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_the_mean_is_of_the_vectors_after_each_round() -> None:
    learner = AveragedPerceptron()
    assert learner.play_one({"a": 1, "b": 2}, y=False)  # then (-1, -2)
    assert learner.weights_ == {"a": -1.0, "b": -2.0}
    assert not learner.play_one({"a": 1}, y=True)  # then (0, -2)
    assert learner.weights_ == {"a": -0.5, "b": -2.0}
    assert not learner.play_one({"b": 1}, y=False)  # still (0, -2)
    assert not learner.play_one({"b": 0.5}, y=False)
    assert learner.weights_ == {"a": -0.25, "b": -2.0}
    assert learner.score_one({"a": 2, "b": -1}) == 1.5
    assert learner.updates_ == 2


def test_before_the_first_round_the_mean_is_zero() -> None:
    assert AveragedPerceptron().score_one({"a": 1.0}) == 0.0
    assert AveragedPerceptron(bias=2.0).intercept_ == 0.0


def test_the_latest_vector_decides_what_is_learned() -> None:
    learner = AveragedPerceptron()
    learner.play([[1.0], [1.0]], [False, True])  # the latest is 0, the mean -1/2
    assert not learner.play_one([1.0], y=True)  # the mean errs, the latest does not
    assert learner.updates_ == 2
    assert learner.coef_.tolist() == [-1 / 3]


def test_the_constant_feature_is_averaged_too() -> None:
    learner = AveragedPerceptron(bias=2.0)
    learner.play([[1.0], [0.0], [0.0]], [False, False, False])
    assert learner.intercept_ == -4.0  # weight -2 times value 2
    assert not learner.play_one([0.0], y=True)  # the latest is now (-1, 0)
    assert learner.intercept_ == -3.0
    assert learner.coef_.tolist() == [-1.0]


@given(worlds(DYADIC), st.sampled_from([0.0, -1.5]))
def test_it_equals_a_plain_average_of_all_vectors(world: World, bias: float) -> None:
    learner = AveragedPerceptron(bias=bias)
    rows = with_constant(world.X, bias)
    latest, total = np.zeros(rows.shape[1]), np.zeros(rows.shape[1])
    y = signs(world.y)
    for t, x in enumerate(rows):
        assert learner.play_one(world.X[t], y[t]) == (total @ x >= 0)
        if (latest @ x >= 0) != world.y[t]:
            latest = latest + y[t] * x
        total += latest
        mean = total / (t + 1)  # the one rounding, also in the learner
        assert learner.score_one(world.X[t]) == pytest.approx(mean @ x, abs=1e-12)
        weights = [learner.weights_.get(j, 0.0) for j in range(world.X.shape[1])]
        assert weights == mean[:-1].tolist()


@given(worlds(), st.sampled_from([0.0, 0.7]))
def test_its_updates_are_those_of_the_perceptron(world: World, bias: float) -> None:
    averaged = played(AveragedPerceptron(bias=bias), world.X, world.y)
    plain = played(Perceptron(bias=bias), world.X, world.y)
    assert averaged.changed.tolist() == plain.changed.tolist()
    assert plain.wrong.tolist() == plain.changed.tolist()


def test_a_long_stream_keeps_a_mean_of_all_of_it() -> None:
    # After one mistake the vector lasts for a million rounds.
    rng = np.random.default_rng(2)
    X = rng.integers(1, 5, size=(1_000_000, 1)).astype(float)
    learner = AveragedPerceptron().partial_fit(X, np.zeros(len(X), bool))
    assert learner.weights_ == {0: -X[0, 0]}
    learner.learn_one([1.0], y=True)
    latest = -X[0, 0] + 1
    expected = (1_000_000 * -X[0, 0] + latest) / 1_000_001
    assert learner.weights_[0] == expected


# What the theorem says ----------------------------------------------------------


def test_it_names_what_bounds_its_updates() -> None:
    named = {PERC_SEP, PERC_TD, PERC_HINGE, PERC_FS, PERC_BIAS, PERC_GAP, PERC_RMS}
    assert set(AveragedPerceptron().guarantees) == named


@given(worlds(), st.sampled_from([0.0, 0.7]), vectors(7), st.floats(0.01, 3))
def test_updates_never_exceed_any_bound(
    world: World, bias: float, direction: np.ndarray[Any, Any], gamma: float
) -> None:
    world = twice(world)
    learner = AveragedPerceptron(bias=bias).partial_fit(world.X, world.y)
    longer = World(with_constant(world.X, bias), world.y)
    u = direction[: longer.X.shape[1]]
    assume(np.linalg.norm(u) > 0.1)
    check_perceptron_bounds(learner.updates_, longer, u, gamma)


@given(worlds(), vectors(6), st.floats(-2, 2), st.sampled_from([0.5, -1.0, 2.0]))
def test_with_a_threshold_updates_never_exceed_the_bound(
    world: World, u: np.ndarray[Any, Any], threshold: float, bias: float
) -> None:
    u = u[: world.X.shape[1]]
    assume(np.linalg.norm(u) > 0.1)
    u /= np.linalg.norm(u)
    scores = world.X @ u - threshold
    kept = np.abs(scores) > 0.2
    X, y = world.X[kept], scores[kept] > 0
    margin = float(np.abs(scores[kept]).min(initial=1.0)) * DOWN - 1e-12
    learner = AveragedPerceptron(bias=bias)
    for _ in range(4):
        learner.partial_fit(X, y)
    assert learner.updates_ <= PERC_BIAS.bound(
        radius=longest(X), margin=margin, threshold=threshold, bias=bias
    )


@given(worlds(), vectors(6), st.floats(-2, 2))
def test_with_a_gap_updates_never_exceed_the_bound(
    world: World, u: np.ndarray[Any, Any], threshold: float
) -> None:
    u = u[: world.X.shape[1]]
    scores = world.X @ u
    kept = np.abs(scores - threshold) > 0.2
    X, y = world.X[kept], scores[kept] > threshold
    assume(y.any() and not y.all())
    gap = float(scores[kept][y].min() - scores[kept][~y].max()) * DOWN - 1e-12
    learner = AveragedPerceptron(bias=longest(X))
    for _ in range(4):
        learner.partial_fit(X, y)
    norm = float(np.linalg.norm(u)) * UP
    assert learner.updates_ <= PERC_GAP.bound(radius=longest(X), gap=gap, norm=norm)


@pytest.mark.parametrize("n", [1, 4, 100])
def test_the_adversary_of_unit_vectors_attains_the_bound(n: int) -> None:
    learner = AveragedPerceptron()
    for i in range(n):
        learner.learn_one({i: 1.0}, y=not learner.predict_one({i: 1.0}))
    bound = PERC_SEP.bound(radius=1, margin=1, norm=math.sqrt(n))
    assert learner.updates_ == n == bound


def test_its_own_mistakes_may_exceed_what_bounds_its_updates() -> None:
    # Two updates are all that the latest vector ever needs. The mean has 99 vectors of
    # -1 in it and no positive one, so it never says yes again.
    X = np.array([[1.0]] * 400)
    y = np.array([False] * 99 + [True] * 301)
    learner = AveragedPerceptron()
    said = learner.play(X, y)
    assert learner.updates_ == 2
    assert np.count_nonzero(said != y) == 302


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize("bias", [math.nan, math.inf, "1", None, 10**400])
def test_illegal_parameters(bias: Any) -> None:
    message = "^AveragedPerceptron: bias must be a finite number, got "
    with pytest.raises(ParameterError, match=message):
        AveragedPerceptron(bias=bias)


def test_a_score_that_overflows_is_refused() -> None:
    learner = AveragedPerceptron()
    learner.learn_one({"a": 1e200}, y=False)
    before = dict(learner.weights_)
    with pytest.raises(ExampleError, match="the score must be a finite number"):
        learner.learn_one({"a": 1e200}, y=True)
    assert learner.weights_ == before
    assert learner.updates_ == 1
