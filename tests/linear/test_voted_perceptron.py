"""The voted Perceptron learns as the Perceptron and lets every vector vote."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone.errors import ExampleError, ParameterError
from littlestone.linear import Perceptron, VotedPerceptron
from littlestone.theorems import (
    PERC_BIAS,
    PERC_FS,
    PERC_GAP,
    PERC_HINGE,
    PERC_RMS,
    PERC_SEP,
    PERC_TD,
    VOTE_FS,
)
from witness import (
    DYADIC,
    UP,
    check_perceptron_bounds,
    played,
    signs,
    twice,
    vectors,
    with_constant,
)
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_a_vector_votes_for_as_long_as_it_lasted() -> None:
    learner = VotedPerceptron()
    assert learner.play_one({"a": 1.0}, y=True)  # the zero vector: 1 vote
    assert learner.score_one({"a": 1.0}) == 1.0
    assert learner.play_one({"a": 1.0}, y=False)  # -1: 1 vote, so a tie
    assert learner.score_one({"a": 1.0}) == 0.0
    assert learner.play_one({"a": 1.0}, y=False)  # -1: 2 votes
    assert learner.score_one({"a": 1.0}) == -1 / 3
    assert learner.score_one({"a": -1.0}) == 1.0
    assert not learner.play_one({"a": 2.0}, y=True)  # 1: 1 vote
    assert learner.score_one({"a": 3.0}) == 0.0
    assert learner.weights_ == {"a": 1.0}
    assert learner.updates_ == 2


def test_a_vector_that_never_lasted_has_no_vote() -> None:
    learner = VotedPerceptron()
    learner.learn_one({"a": 1.0}, y=False)
    assert learner.score_one({"a": 1.0}) == -1.0


def test_before_the_first_round_it_says_yes() -> None:
    assert VotedPerceptron().score_one({"a": 1.0}) == 0.0
    assert VotedPerceptron().predict_one({"a": -1.0})


def test_every_vector_has_the_constant_feature() -> None:
    learner = VotedPerceptron(bias=2.0)
    learner.learn_one({"a": 1.0}, y=False)  # (-1, -2)
    assert learner.intercept_ == -4.0  # of the latest vector
    assert learner.score_one({"a": -3.0}) == -1.0  # 3 - 4 < 0
    assert learner.score_one({"a": -4.0}) == 1.0
    learner.learn_one({}, y=True)  # (-1, 0)
    assert learner.intercept_ == 0.0
    assert learner.score_one({"a": -3.0}) == 0.0


@given(worlds(DYADIC), st.sampled_from([0.0, -1.5]))
def test_it_equals_a_plain_vote_of_all_vectors(world: World, bias: float) -> None:
    learner = VotedPerceptron(bias=bias)
    rows, y = with_constant(world.X, bias), signs(world.y)
    latest, voters = np.zeros(rows.shape[1]), np.zeros((0, rows.shape[1]))
    for t, x in enumerate(rows):
        yes = int(np.count_nonzero(voters @ x >= 0))
        balance = yes - (t - yes)
        assert learner.score_one(world.X[t]) == balance / max(t, 1)
        assert learner.play_one(world.X[t], world.y[t]) == (balance >= 0)
        if (latest @ x >= 0) != world.y[t]:
            latest = latest + y[t] * x
        voters = np.vstack([voters, latest])
    assert [learner.weights_.get(j, 0.0) for j in range(len(latest) - 1)] == (
        latest[:-1].tolist()
    )


@given(worlds(), st.sampled_from([0.0, 0.7]))
def test_its_updates_are_those_of_the_perceptron(world: World, bias: float) -> None:
    voted = played(VotedPerceptron(bias=bias), world.X, world.y)
    plain = played(Perceptron(bias=bias), world.X, world.y)
    assert voted.changed.tolist() == plain.changed.tolist()
    assert plain.wrong.tolist() == plain.changed.tolist()


# What the theorem says ----------------------------------------------------------


def test_it_names_what_bounds_its_updates_and_its_vote() -> None:
    named = {PERC_SEP, PERC_TD, PERC_HINGE, PERC_FS, PERC_BIAS, PERC_GAP}
    named |= {PERC_RMS, VOTE_FS}
    assert set(VotedPerceptron().guarantees) == named


@given(worlds(), st.sampled_from([0.0, 0.7]), vectors(7), st.floats(0.01, 3))
def test_updates_never_exceed_any_bound(
    world: World, bias: float, direction: np.ndarray[Any, Any], gamma: float
) -> None:
    world = twice(world)
    learner = VotedPerceptron(bias=bias).partial_fit(world.X, world.y)
    longer = World(with_constant(world.X, bias), world.y)
    u = direction[: longer.X.shape[1]]
    assume(np.linalg.norm(u) > 0.1)
    check_perceptron_bounds(learner.updates_, longer, u, gamma)


@pytest.mark.parametrize("n", [1, 4, 100])
def test_the_adversary_of_unit_vectors_attains_the_bound_on_updates(n: int) -> None:
    learner = VotedPerceptron()
    for i in range(n):
        learner.learn_one({i: 1.0}, y=not learner.predict_one({i: 1.0}))
    bound = PERC_SEP.bound(radius=1, margin=1, norm=math.sqrt(n))
    assert learner.updates_ == n == bound


def exact_error(support: World, n: int) -> tuple[float, float]:
    """Return how often the vote errs on the last of n + 1, and the mean updates.

    The examples are drawn uniformly from a few: all the draws there are get played.
    """
    errors = updates = draws = 0
    for drawn in itertools.product(range(len(support.y)), repeat=n):
        learner = VotedPerceptron()
        learner.partial_fit(support.X[list(drawn)], support.y[list(drawn)])
        said = learner.predict(support.X)
        errors += int(np.count_nonzero(said != support.y))
        latest = learner.coef_
        wrong = (support.X @ latest >= 0) != support.y
        updates += len(support.y) * learner.updates_ + int(np.count_nonzero(wrong))
        draws += len(support.y)
    return errors / draws, updates / draws


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("world", range(4))
def test_the_vote_errs_no_more_often_than_the_mean_updates_allow(
    n: int, world: int
) -> None:
    # What the bound rests on, with the updates themselves in the place of a bound on
    # them, and no chance: every draw from four examples is played. The zero vector
    # votes only if it lasted; in a tie, which is a yes, it would have erred too.
    rng = np.random.default_rng(world)
    X = rng.integers(-2, 3, size=(4, 3)).astype(float)
    error, updates = exact_error(World(X, rng.random(4) < 0.5), n)
    assert error <= 2 / (n + 1) * updates * UP


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_vote_errs_no_more_often_than_the_bound_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, draws, margin = 100, 300, 0.4
    u = np.array([0.6, -0.8, 0.0])
    errors = 0
    for _ in range(draws):
        X = rng.uniform(-1, 1, size=(20 * n, 3))
        X = X[np.abs(X @ u) > margin][: n + 1]
        y = X @ u > 0
        learner = VotedPerceptron().partial_fit(X[:n], y[:n])
        errors += int(learner.predict(X[n:])[0] != y[n])
    bound = VOTE_FS.bound(
        rounds=n, radius=math.sqrt(3) * UP, margin=margin, deviation_norm=0
    )
    assert bound < 0.5
    assert errors / draws <= bound  # about a twentieth of it


def test_unit_vectors_make_the_vote_err_a_quarter_as_often_as_the_bound_says() -> None:
    # Unit vectors that are all a no, drawn uniformly from k = 3: the vote errs on one
    # that was met in the second half only, or never.
    k, n = 3, 5
    error, updates = exact_error(World(np.eye(k), np.zeros(k, bool)), n)
    bound = VOTE_FS.bound(
        rounds=n, radius=1, margin=1 / math.sqrt(k) * (1 - 1e-12), deviation_norm=0
    )
    assert updates <= k
    # Not met in the first three of five: (2/3)^3 = 8/27, where the bound is 1.
    assert error == pytest.approx((2 / 3) ** 3)
    assert bound == pytest.approx(1.0)
    assert error >= bound / 4


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize("bias", [math.nan, math.inf, "1", None, 10**400])
def test_illegal_parameters(bias: Any) -> None:
    message = "^VotedPerceptron: bias must be a finite number, got "
    with pytest.raises(ParameterError, match=message):
        VotedPerceptron(bias=bias)


def test_values_whose_products_overflow_are_refused() -> None:
    learner = VotedPerceptron()
    learner.learn_one({"a": 1e200}, y=False)
    learner.learn_one({"a": 1.0}, y=True)
    before = pickle.dumps(learner)
    with pytest.raises(ExampleError, match="the score must be a finite number"):
        learner.learn_one({"a": 1e200}, y=True)
    assert pickle.dumps(learner) == before
