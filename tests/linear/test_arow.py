"""AROW is what its paper says, and errs no more often than is proved."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.linear import AROW
from littlestone.verifying import twins
from witness import (
    UP,
    length,
    longest,
    losses,
    played,
    signs,
    twice,
    vectors,
    with_constant,
)
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_the_diagonal_form_by_hand() -> None:
    learner = AROW(2.0)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)  # loss 1, spread 2
    assert learner.weights_ == {"a": -0.25, "b": -0.25}
    # The variances are 1/(1 + 1/2) = 2/3; the score is -1/2, the loss 3/2.
    learner.learn_one({"a": 2.0}, y=True)  # spread 4 2/3
    step = 1.5 / (8 / 3 + 2)
    assert learner.weights_ == pytest.approx({"a": -0.25 + step * 4 / 3, "b": -0.25})


def test_the_full_form_by_hand() -> None:
    learner = AROW(1.0, diagonal=False)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)  # 1/(2 + 1)
    assert learner.weights_ == pytest.approx({"a": -1 / 3, "b": -1 / 3})
    # Sigma = [[2, -1], [-1, 2]]/3; loss 4/3, spread 2/3, step (4/3)/(5/3) = 4/5.
    learner.learn_one({"a": 1.0}, y=True)
    assert learner.weights_ == pytest.approx(
        {"a": -1 / 3 + 8 / 15, "b": -1 / 3 - 4 / 15}
    )


@pytest.mark.parametrize("diagonal", [True, False])
def test_a_margin_of_one_changes_nothing(diagonal: bool) -> None:
    learner = AROW(1.0, diagonal)
    assert learner.play_one({"a": 1.0}, y=True)
    assert learner.weights_ == {"a": 0.5}
    assert learner.play_one({"a": 1.0}, y=True)  # loss 1/2: right, but within
    assert learner.updates_ == 2
    weight = learner.weights_["a"]
    assert learner.play_one({"a": 1.0 / weight}, y=True)
    assert learner.updates_ == 2


@pytest.mark.parametrize("bias", [0.0, 0.7])
@pytest.mark.parametrize("r", [0.1, 1.0, 20.0])
@pytest.mark.parametrize("diagonal", [True, False])
def test_it_equals_the_inverse_of_the_matrix(
    diagonal: bool, r: float, bias: float
) -> None:
    rng = np.random.default_rng(12)
    X = rng.normal(size=(400, 8)) * (rng.random((400, 8)) < 0.6)
    y = X @ rng.normal(size=8) + rng.normal(size=400) > 0.3
    learner = AROW(r, diagonal, bias=bias)
    rows = with_constant(X, bias)
    precision, mean = np.eye(9), np.zeros(9)
    for t, (x, sign) in enumerate(zip(rows, signs(y), strict=True)):
        score = float(mean @ x)
        assert learner.score_one(X[t]) == pytest.approx(score, abs=1e-9)
        before = learner.updates_
        assert learner.play_one(X[t], y[t]) == (score >= 0)
        loss = 1 - sign * score
        if x.any():
            assert (learner.updates_ > before) == (loss > 0)
        if loss > 0:
            sigma = np.linalg.inv(precision)
            mean = mean + loss * sign * sigma @ x / (x @ sigma @ x + r)
            added = np.outer(x, x) / r
            precision = precision + (np.diag(np.diag(added)) if diagonal else added)
    assert learner.updates_ > 100
    assert learner.coef_ == pytest.approx(mean[:-1], abs=1e-9)
    assert learner.intercept_ == pytest.approx(mean[-1] * bias, abs=1e-9)


def test_sure_weights_move_little() -> None:
    learner = AROW()
    for _ in range(50):
        learner.learn_one({"often": 0.1}, y=True)
    before = learner.weights_["often"]
    learner.learn_one({"often": 0.1, "rare": 0.1}, y=False)
    assert 0 < before - learner.weights_["often"] < -learner.weights_["rare"]


# What the theorem says ------------------------------------------------------------


def test_each_form_names_its_theorem() -> None:
    assert AROW().guarantees == (theorems.AROW_DIAG, theorems.AROW_STEPS)
    assert AROW(diagonal=False).guarantees == (theorems.AROW, theorems.AROW_ORDER)


def full_bound(
    X: np.ndarray[Any, Any],
    y: np.ndarray[Any, Any],
    u: np.ndarray[Any, Any],
    r: float,
    margin_updates: int,
) -> float:
    """Return the bound for these rounds with a loss, every number rounded up."""
    log_det = float(np.linalg.slogdet(np.eye(len(u)) + X.T @ X / r)[1])
    return theorems.AROW.bound(
        energy=float(r * u @ u + ((X @ u) ** 2).sum()) * (1 + 1e-9),
        log_det=max(log_det, 0.0) * (1 + 1e-9) + 1e-9,
        hinge=math.fsum(losses(X, y, u)) * UP + 1e-9,
        margin_updates=margin_updates,
    )


@given(worlds(), st.sampled_from([0.0, 0.7]), vectors(7), st.floats(0.05, 50))
def test_the_full_form_never_exceeds_the_bound_of_any_vector(
    world: World, bias: float, u: np.ndarray[Any, Any], r: float
) -> None:
    world = twice(world)
    learner = AROW(r, diagonal=False, bias=bias)
    history = played(learner, world.X, world.y)
    rows = with_constant(world.X, bias)
    # A zero vector has a loss too, though no step can mend it.
    used = history.changed | ~rows.any(axis=1)
    X, y = rows[used], world.y[used]
    mistakes = int(np.count_nonzero(history.wrong))
    within = len(y) - mistakes
    assert not (history.wrong & ~used).any()
    u = u[: X.shape[1]]
    assert mistakes <= full_bound(X, y, u, r, within)
    found = np.zeros(X.shape[1])  # the vector that the run itself has found
    for j, weight in learner.weights_.items():
        found[j] = weight
    assert mistakes <= full_bound(X, y, found, r, within)


def diagonal_bound(
    X: np.ndarray[Any, Any], y: np.ndarray[Any, Any], u: np.ndarray[Any, Any], r: float
) -> tuple[int, float]:
    """Replay with the twin; return its mistakes, and the bound rounded up."""
    twin = twins.AROW(r)
    drift, used, mistakes = 0.0, [], 0
    for x, label in zip(X, y, strict=True):
        named: dict[object, float] = {j: float(v) for j, v in enumerate(x) if v}
        score = sum(twin.means.get(j, 0.0) * v for j, v in named.items())
        mistakes += twin.play(named, bool(label)) != label
        # A zero vector with a loss is such a round too, though nothing moves.
        used.append((1.0 if label else -1.0) * score < 1)
        if used[-1]:
            after = np.array([twin.means.get(j, 0.0) for j in range(len(x))])
            drift += float(x * x @ (after - u) ** 2) / r
    mask = np.array(used, bool)
    squares = math.fsum(d * d for d in losses(X[mask], y[mask], u))
    return mistakes, theorems.AROW_DIAG.bound(
        radius=longest(X[mask]),
        r=r,
        norm=length(u),
        hinge_squares=squares * UP,
        drift=drift * (1 + 1e-9),
    )


@given(worlds(), st.sampled_from([0.0, 0.7]), vectors(7), st.floats(0.05, 50))
def test_the_diagonal_form_never_exceeds_the_bound_of_any_vector(
    world: World, bias: float, u: np.ndarray[Any, Any], r: float
) -> None:
    world = twice(world)
    learner = AROW(r, bias=bias)
    said = learner.play(world.X, world.y)
    X = with_constant(world.X, bias)
    found = np.zeros(X.shape[1])  # the vector that the run itself has found
    for j, weight in learner.weights_.items():
        found[j] = weight
    for witness in (u[: X.shape[1]], found):
        mistakes, bound = diagonal_bound(X, world.y, witness, r)
        assert mistakes == np.count_nonzero(said != world.y)
        assert mistakes <= bound


def against_unit_vectors(learner: AROW, n: int) -> np.ndarray[Any, Any]:
    """Show unit vectors, each labelled against what is said; return the labels."""
    y = np.zeros(n, dtype=bool)
    for i in range(n):
        y[i] = not learner.predict_one({i: 1.0})
        assert learner.play_one({i: 1.0}, y[i]) != y[i]
    return y


@pytest.mark.parametrize(("r", "share"), [(1.0, 0.84), (10.0, 0.97), (1000.0, 0.999)])
def test_unit_vectors_come_close_to_the_bound_of_the_full_form(
    r: float, share: float
) -> None:
    # u has the entries y_i, and the bound is n sqrt((r + 1) ln(1 + 1/r)).
    n = 64
    y = against_unit_vectors(AROW(r, diagonal=False), n)
    bound = full_bound(np.eye(n), y, signs(y), r, 0)
    assert bound == pytest.approx(n * math.sqrt((r + 1) * math.log1p(1 / r)))
    assert share * bound <= n <= bound


@pytest.mark.parametrize("r", [0.25, 1.0, 10.0])
def test_unit_vectors_attain_the_bound_of_the_diagonal_form(r: float) -> None:
    # u is the mean that the run ends with, y_i/(1 + r): no drift, each round loses
    # r/(1 + r), and (1 + r) n (1/(1 + r)^2 + r/(1 + r)^2) is n.
    n = 64
    y = against_unit_vectors(AROW(r), n)
    mistakes, bound = diagonal_bound(np.eye(n), y, signs(y) / (1 + r), r)
    assert mistakes == n == pytest.approx(bound)


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
    with pytest.raises(ParameterError, match=f"^AROW: {message}"):
        AROW(**parameters)


@pytest.mark.soak
def test_a_full_matrix_has_room_for_4096_features() -> None:
    learner = AROW(diagonal=False)
    rows = np.zeros((2, 4097))
    rows[0, :4096] = 1.0
    rows[1, 4096] = 1.0
    message = (
        "row 1: AROW: a full matrix must have at most 4096 features, "
        "got 4096 as one more; 1 round played"
    )
    with pytest.raises(FeatureError, match=f"^{message}$"):
        learner.play(rows, [True, True])
    assert learner.updates_ == 1
    assert len(learner.weights_) == 4096
    assert learner.weights_[4095] == pytest.approx(1 / 4097)


@pytest.mark.parametrize("diagonal", [True, False])
def test_values_whose_squares_overflow_are_refused(diagonal: bool) -> None:
    learner = AROW(1.0, diagonal)
    learner.learn_one({"a": 1.0}, y=False)
    before = pickle.dumps(learner)
    for label in (True, False):
        with pytest.raises(ExampleError, match="the score must be a finite number"):
            learner.learn_one({"a": 1e200}, label)
        with pytest.raises(ExampleError, match="row 1: .*; 1 round played"):
            learner.clone().play([[0.0], [1e200]], [True, label])
    with pytest.raises(FeatureError, match="feature 'a' must be a finite number"):
        learner.learn_one({"a": math.inf}, y=True)
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("diagonal", [True, False])
def test_a_zero_example_is_no_update(diagonal: bool) -> None:
    learner = AROW(diagonal=diagonal)
    assert learner.play_one([0.0, 0.0], y=False)
    assert learner.updates_ == 0
