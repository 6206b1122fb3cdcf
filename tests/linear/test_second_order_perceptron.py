"""The second-order Perceptron is what its paper says, and errs no more often."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.linear import Perceptron, SecondOrderPerceptron
from littlestone.theorems import SOP, SOP_ORDER
from witness import DYADIC, UP, losses, played, signs, twice, vectors, with_constant
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_the_diagonal_form_by_hand() -> None:
    learner = SecondOrderPerceptron(2.0)
    assert learner.play_one({"a": 1.0, "b": 2.0}, y=False)  # v = (-1, -2)
    assert learner.weights_ == {"a": -1 / 3, "b": -2 / 6}  # A = (2 + 1, 2 + 4)
    # The example counts in the matrix before it is scored: A = (2 + 1 + 1, 6).
    assert learner.score_one({"a": 1.0}) == -1 / 4
    assert not learner.play_one({"a": 1.0}, y=True)
    assert learner.weights_ == {"b": -2 / 6}
    assert learner.updates_ == 2


def test_the_full_form_by_hand() -> None:
    learner = SecondOrderPerceptron(1.0, diagonal=False)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)
    # A = [[2, 1], [1, 2]], whose inverse is [[2, -1], [-1, 2]]/3; v = (-1, -1).
    assert learner.weights_ == pytest.approx({"a": -1 / 3, "b": -1 / 3})
    learner.learn_one({"a": 1.0}, y=True)
    # A = [[3, 1], [1, 2]], whose inverse is [[2, -1], [-1, 3]]/5; v = (0, -1).
    assert learner.weights_ == pytest.approx({"a": 1 / 5, "b": -3 / 5})


def test_a_right_answer_changes_nothing() -> None:
    for diagonal in (True, False):
        learner = SecondOrderPerceptron(diagonal=diagonal)
        assert learner.play_one({"a": 1.0}, y=True)
        assert learner.weights_ == {}
        assert learner.updates_ == 0


@pytest.mark.parametrize("bias", [0.0, 0.7])
@pytest.mark.parametrize("r", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("diagonal", [True, False])
def test_it_equals_the_inverse_of_the_matrix(
    diagonal: bool, r: float, bias: float
) -> None:
    rng = np.random.default_rng(11)
    X = rng.normal(size=(400, 8)) * (rng.random((400, 8)) < 0.6)
    y = X @ rng.normal(size=8) + rng.normal(size=400) > 0.3
    learner = SecondOrderPerceptron(r, diagonal, bias=bias)
    rows = with_constant(X, bias)
    A, v = r * np.eye(9), np.zeros(9)
    for t, x in enumerate(rows):
        if diagonal:
            score = float(v @ np.linalg.inv(A + np.diag(x * x)) @ x)
        else:
            score = float(v @ np.linalg.inv(A) @ x)
        assert learner.score_one(X[t]) == pytest.approx(score, abs=1e-9)
        # The example at hand never changes what is said.
        after = np.diag(x * x) if diagonal else np.outer(x, x)
        said = learner.play_one(X[t], y[t])
        assert said == (v @ np.linalg.inv(A + after) @ x >= 0)
        if said != y[t]:
            A, v = A + after, v + (1.0 if y[t] else -1.0) * x
    assert learner.updates_ > 50
    weights = np.linalg.inv(A) @ v
    assert learner.coef_ == pytest.approx(weights[:-1], abs=1e-9)
    found = learner.score_one({}) if diagonal else learner.intercept_
    square = A[-1, -1] + (bias**2 if diagonal else 0)
    assert found == pytest.approx(
        v[-1] * bias / square if diagonal else weights[-1] * bias
    )


@given(worlds(DYADIC), st.booleans(), st.sampled_from([0.0, -1.5]))
def test_with_a_huge_r_it_says_what_the_perceptron_says(
    world: World, diagonal: bool, bias: float
) -> None:
    # r + sums of squares is r in doubles, and what is of the order of 1/r^2 vanishes,
    # so every score is the Perceptron's over r.
    learner = SecondOrderPerceptron(2.0**600, diagonal, bias=bias)
    plain = Perceptron(bias=bias)
    for x, y in zip(world.X, world.y, strict=True):
        assert learner.play_one(x, y) == plain.play_one(x, y)
    assert learner.updates_ == plain.updates_
    found = {name: w * 2.0**600 for name, w in learner.weights_.items()}
    assert found == plain.weights_


def test_features_may_be_met_late_and_the_matrix_grows() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 40)) * np.tri(60, 40)  # row t has the first t + 1
    y = rng.random(60) < 0.5
    late, early = (SecondOrderPerceptron(diagonal=False) for _ in range(2))
    for t in range(60):
        x = {j: X[t, j] for j in range(min(t + 1, 40))}
        assert late.play_one(x, y[t]) == early.play_one(X[t], y[t])
    assert late.updates_ > 15
    assert dict(late.weights_) == pytest.approx(dict(early.weights_))


# What the theorem says ------------------------------------------------------------


def bound_of(
    X: np.ndarray[Any, Any],
    y: np.ndarray[Any, Any],
    u: np.ndarray[Any, Any],
    gamma: float,
    learner: SecondOrderPerceptron,
) -> float:
    """Return the bound for these rounds with a mistake, every number rounded up."""
    r = learner.r
    if learner.diagonal:
        squares = (X * X).sum(axis=0)
        energy = float(u * u @ (r + squares))
        log_det = float(np.log1p(squares / r).sum())
    else:
        energy = float(r * u @ u + ((X @ u) ** 2).sum())
        log_det = float(np.linalg.slogdet(np.eye(len(u)) + X.T @ X / r)[1])
    return SOP.bound(
        margin=gamma,
        deviation=math.fsum(losses(X, y, u, gamma)) * UP,
        energy=energy * (1 + 1e-9),
        log_det=max(log_det, 0.0) * (1 + 1e-9) + 1e-9,
    )


@given(
    worlds(),
    st.booleans(),
    st.sampled_from([0.0, 0.7]),
    vectors(7),
    st.floats(0.01, 3),
    st.floats(0.05, 50),
)
def test_mistakes_never_exceed_the_bound_of_any_vector(  # noqa: PLR0917 - hypothesis hands them in by position
    world: World,
    diagonal: bool,
    bias: float,
    u: np.ndarray[Any, Any],
    gamma: float,
    r: float,
) -> None:
    world = twice(world)
    learner = SecondOrderPerceptron(r, diagonal, bias=bias)
    assert learner.guarantees == ((SOP, SOP_ORDER) if diagonal else (SOP,))
    wrong = played(learner, world.X, world.y).wrong
    X, y = with_constant(world.X, bias)[wrong], world.y[wrong]
    u = u[: X.shape[1]]
    assert len(y) <= bound_of(X, y, u, gamma, learner)
    # The vector that the run itself has found is often a better one.
    found = np.zeros(X.shape[1])
    for j, weight in learner.weights_.items():
        found[j] = weight
    assert len(y) <= bound_of(X, y, found, gamma, learner)


@pytest.mark.parametrize("diagonal", [True, False])
@pytest.mark.parametrize(("r", "share"), [(1.0, 0.84), (10.0, 0.97), (1000.0, 0.999)])
def test_unit_vectors_come_close_to_the_bound(
    diagonal: bool, r: float, share: float
) -> None:
    # u has the entries y_i: energy = n (r + 1) and log_det = n ln(1 + 1/r), so the
    # bound is n sqrt((r + 1) ln(1 + 1/r)), which is n and a little for a large r.
    n = 64
    learner = SecondOrderPerceptron(r, diagonal)
    y = np.zeros(n, dtype=bool)
    for i in range(n):
        y[i] = not learner.predict_one({i: 1.0})
        assert learner.play_one({i: 1.0}, y[i]) != y[i]
    bound = bound_of(np.eye(n), y, signs(y), 1.0, learner)
    assert bound == pytest.approx(n * math.sqrt((r + 1) * math.log1p(1 / r)))
    assert share * bound <= n <= bound


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"r": 0}, "r must exceed 0, got 0"),
        ({"r": -1.0}, "r must exceed 0, got -1.0"),
        ({"r": math.nan}, "r must be a finite number, got nan"),
        ({"r": "1"}, "r must be a finite number, got '1'"),
        ({"diagonal": "no"}, "diagonal must be True or False, got 'no'"),
        ({"diagonal": 1}, "diagonal must be True or False, got 1"),
        ({"bias": math.inf}, "bias must be a finite number, got inf"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^SecondOrderPerceptron: {message}"):
        SecondOrderPerceptron(**parameters)


@pytest.mark.soak
@pytest.mark.parametrize("bias", [0.0, 1.0])
def test_a_full_matrix_has_room_for_4096_features(bias: float) -> None:
    learner = SecondOrderPerceptron(diagonal=False, bias=bias)
    room = 4096 - (bias != 0)  # the constant feature is one of them
    rows = np.zeros((2, 5000))
    rows[0, :room] = 1.0
    rows[1, [0, room, room + 5]] = 1.0
    with pytest.raises(FeatureError) as caught:
        learner.play(rows, [False, False])
    assert str(caught.value) == (
        "row 1: SecondOrderPerceptron: a full matrix must have at most 4096 features, "
        f"got {room} as one more; 1 round played"
    )
    assert (caught.value.row, caught.value.feature) == (1, room)
    before = dict(learner.weights_)
    assert len(before) == room
    assert before[0] == pytest.approx(-1 / 4097)  # A = I + xx', so A x = 4097 x
    with pytest.raises(FeatureError, match="4096 features, got 'one more' as one more"):
        learner.learn_one({0: 1.0, "one more": 1.0}, y=True)
    with pytest.raises(FeatureError, match="got 'one more' as one more"):
        learner.predict_one({"one more": 1.0})
    assert (dict(learner.weights_), learner.updates_) == (before, 1)
    # Zeros need no room, and what is known has some.
    assert learner.predict_one({1: -1.0, 2: -1.0, "one more": 0.0})
    message = f"row 0: .*, got {room} as one more; 0 rounds"
    with pytest.raises(FeatureError, match=message):
        learner.clone().play(np.ones((1, room + 1)), [False])


def test_values_whose_squares_overflow_the_full_matrix_are_refused() -> None:
    learner = SecondOrderPerceptron(1e-3, diagonal=False)
    learner.learn_one({"a": 1.0}, y=False)
    before = pickle.dumps(learner)
    with pytest.raises(ExampleError, match="the score must be a finite number"):
        learner.learn_one({"a": 1e200}, y=True)
    with pytest.raises(FeatureError, match="feature 'a' must be a finite number"):
        learner.learn_one({"a": math.inf}, y=True)
    assert pickle.dumps(learner) == before
