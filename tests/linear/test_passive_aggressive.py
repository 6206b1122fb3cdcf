"""Passive-Aggressive moves just as far as its paper says, and errs no more often."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone.errors import ExampleError, ParameterError
from littlestone.linear import PassiveAggressive
from littlestone.theorems import PA1, PA2, PA_ORDER, PA_SEP, PA_STEPS
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


def test_without_a_mode_one_step_brings_the_margin_to_one() -> None:
    learner = PassiveAggressive(mode=None)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)  # loss 1, square 2
    assert learner.weights_ == {"a": -0.5, "b": -0.5}
    learner.learn_one({"a": 2.0}, y=True)  # score -1, loss 2, square 4
    assert learner.weights_ == {"a": 0.5, "b": -0.5}
    assert learner.score_one({"a": 2.0}) == 1.0


def test_mode_one_goes_no_further_than_c() -> None:
    learner = PassiveAggressive(0.25)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)  # 0.25 < 1/2
    assert learner.weights_ == {"a": -0.25, "b": -0.25}
    learner.learn_one({"a": 4.0}, y=True)  # score -1, 2/16 < 0.25
    assert learner.weights_ == {"a": 0.25, "b": -0.25}


def test_mode_two_is_damped_by_c() -> None:
    learner = PassiveAggressive(0.25, "II")
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)  # 1/(2 + 2)
    assert learner.weights_ == {"a": -0.25, "b": -0.25}
    learner.learn_one({"a": 2.0}, y=True)  # score -1/2, (3/2)/(4 + 2)
    assert learner.weights_ == {"a": 0.25, "b": -0.25}


def test_a_right_answer_within_the_margin_is_learned_from() -> None:
    learner = PassiveAggressive(mode=None)
    assert learner.play_one({"a": 2.0}, y=True)
    assert learner.weights_ == {"a": 0.5}
    assert learner.play_one({"a": 1.0}, y=True)  # score 1/2
    assert learner.weights_ == {"a": 1.0}
    assert learner.play_one({"a": 1.0}, y=True)  # the margin is 1: nothing to do
    assert learner.play_one({"a": 3.0}, y=True)
    assert learner.weights_ == {"a": 1.0}
    assert learner.updates_ == 2


def test_the_constant_feature_counts_in_the_square() -> None:
    learner = PassiveAggressive(mode=None, bias=2.0)
    learner.learn_one({"a": 1.0, "b": -1.0}, y=False)  # square 1 + 1 + 4
    assert learner.weights_ == {"a": -1 / 6, "b": 1 / 6}
    assert learner.intercept_ == -2 / 6 * 2


@pytest.mark.parametrize("mode", [None, "I", "II"])
@pytest.mark.parametrize("x", [{}, {"a": 0.0}])
def test_no_step_can_mend_a_zero_example(mode: Any, x: Any) -> None:
    learner = PassiveAggressive(mode=mode)
    assert learner.play_one(x, y=False)
    assert learner.play_one(x, y=True)
    assert learner.updates_ == 0
    assert learner.weights_ == {}


@given(worlds(), st.sampled_from([0.0, 0.7]))
def test_without_a_mode_the_margin_is_one_after_every_step(
    world: World, bias: float
) -> None:
    learner = PassiveAggressive(mode=None, bias=bias)
    for x, y in zip(world.X, signs(world.y), strict=True):
        before = learner.updates_
        learner.learn_one(x, y)
        if learner.updates_ > before:
            assert y * learner.score_one(x) == pytest.approx(1.0)
        elif x.any() or bias:
            assert y * learner.score_one(x) >= 1.0


@given(
    worlds(), st.sampled_from([None, "I", "II"]), st.sampled_from([0.0, 0.7]), st.data()
)
def test_it_equals_the_formula(
    world: World, mode: Any, bias: float, data: st.DataObject
) -> None:
    C = data.draw(st.sampled_from([0.01, 0.3, 5.0]))
    learner = PassiveAggressive(C, mode, bias=bias)
    rows = with_constant(world.X, bias)
    w = np.zeros(rows.shape[1])
    for t, (x, y) in enumerate(zip(rows, signs(world.y), strict=True)):
        assert learner.score_one(world.X[t]) == pytest.approx(float(w @ x), abs=1e-9)
        learner.learn_one(world.X[t], y)
        loss, square = max(0.0, 1 - y * float(w @ x)), float(x @ x)
        if square:
            steps = {None: loss / square, "I": min(C, loss / square)}
            w += steps.get(mode, loss / (square + 1 / (2 * C))) * y * x
    assert learner.intercept_ == pytest.approx(w[-1] * bias, abs=1e-9)
    found = [learner.weights_.get(j, 0.0) for j in range(len(w) - 1)]
    assert found == pytest.approx(w[:-1].tolist(), abs=1e-9)


# What the theorem says ------------------------------------------------------------


def test_each_mode_names_its_theorem() -> None:
    for mode, theorem in ((None, PA_SEP), ("I", PA1), ("II", PA2)):
        learner = PassiveAggressive(mode=mode)  # type: ignore[arg-type]  # each is one
        assert learner.guarantees == (theorem, PA_STEPS, PA_ORDER)


@given(
    worlds(),
    st.sampled_from(["I", "II"]),
    st.sampled_from([0.0, 0.7]),
    vectors(7),
    st.floats(0.001, 100),
)
def test_mistakes_never_exceed_the_bound_of_any_vector(
    world: World, mode: Any, bias: float, u: np.ndarray[Any, Any], C: float
) -> None:
    world = twice(world)
    history = played(PassiveAggressive(C, mode, bias=bias), world.X, world.y)
    X = with_constant(world.X, bias)
    u = u[: X.shape[1]]
    # The rounds with a loss are those that enter, zero vectors among them.
    loss = 1 - signs(world.y) * np.array(history.scores)
    assert not (history.changed & (loss <= 0)).any()
    X, y = X[loss > 0], world.y[loss > 0]
    short = losses(X, y, u)
    numbers = {"radius": longest(X), "aggressiveness": C, "norm": length(u)}
    mistakes = int(np.count_nonzero(history.wrong))
    if mode == "I":
        assert mistakes <= PA1.bound(**numbers, hinge=math.fsum(short) * UP)
    else:
        squares = math.fsum(d * d for d in short) * UP
        assert mistakes <= PA2.bound(**numbers, hinge_squares=squares)


@given(worlds(), st.sampled_from([0.0, 0.7]), vectors(7))
def test_without_a_mode_mistakes_never_exceed_the_bound(
    world: World, bias: float, u: np.ndarray[Any, Any]
) -> None:
    X = with_constant(world.X, bias)
    u = u[: X.shape[1]]
    scores = X @ u
    kept = np.abs(scores) > 0.05
    assume(kept.any())
    # Label by u, and stretch it so that every margin is at least 1.
    u = u / np.abs(scores[kept]).min() * UP
    X, y = X[kept], scores[kept] > 0
    learner = PassiveAggressive(mode=None, bias=bias)
    mistakes = 0
    for _ in range(4):
        mistakes += int(np.count_nonzero(learner.play(world.X[kept], y) != y))
    assert mistakes <= PA_SEP.bound(radius=longest(X), norm=length(u))


def against_unit_vectors(learner: PassiveAggressive, n: int) -> int:
    """Show unit vectors, each labelled against what is said; count the mistakes."""
    for i in range(n):
        said = learner.predict_one({i: 1.0})
        assert learner.play_one({i: 1.0}, not said) == said
    return n


@pytest.mark.parametrize("n", [1, 9, 100])
def test_unit_vectors_attain_the_bound_without_a_mode(n: int) -> None:
    mistakes = against_unit_vectors(PassiveAggressive(mode=None), n)
    # u has the entries y_i, which make every margin 1.
    assert mistakes == PA_SEP.bound(radius=1, norm=math.sqrt(n))


@pytest.mark.parametrize("n", [1, 9, 100])
@pytest.mark.parametrize("C", [1.0, 8.0])
def test_unit_vectors_attain_the_bound_of_mode_one(n: int, C: float) -> None:
    mistakes = against_unit_vectors(PassiveAggressive(C), n)
    assert mistakes == PA1.bound(radius=1, aggressiveness=C, norm=math.sqrt(n), hinge=0)


@pytest.mark.parametrize("C", [0.5, 0.125])
def test_unit_vectors_come_within_one_half_of_the_bound_of_mode_one(C: float) -> None:
    # The best u has the entries C y_i: each loses 1 - C, and n (2 - C) is the bound.
    n = 16
    mistakes = against_unit_vectors(PassiveAggressive(C), n)
    bound = PA1.bound(radius=1, aggressiveness=C, norm=C * 4, hinge=n * (1 - C))
    assert bound == n * (2 - C)
    assert bound / 2 <= mistakes <= bound


@pytest.mark.parametrize("C", [0.5, 1.5, 0.125])
def test_unit_vectors_attain_the_bound_of_mode_two(C: float) -> None:
    # The best u has the entries s y_i for s = 2C/(1 + 2C): each loses 1 - s.
    n, s = 16, 2 * C / (1 + 2 * C)
    mistakes = against_unit_vectors(PassiveAggressive(C, "II"), n)
    bound = PA2.bound(
        radius=1, aggressiveness=C, norm=s * 4, hinge_squares=n * (1 - s) ** 2
    )
    assert mistakes == pytest.approx(bound)


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must exceed 0, got 0"),
        ({"C": -1.0}, "C must exceed 0, got -1.0"),
        ({"C": math.nan}, "C must be a finite number, got nan"),
        ({"C": math.inf}, "C must be a finite number, got inf"),
        ({"C": "1"}, "C must be a finite number, got '1'"),
        ({"mode": "III"}, "mode must be 'I', 'II' or None, got 'III'"),
        ({"mode": 1}, "mode must be 'I', 'II' or None, got 1"),
        ({"mode": np.array(["I", "II"])}, "mode must be 'I', 'II' or None"),
        ({"bias": math.inf}, "bias must be a finite number, got inf"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^PassiveAggressive: {message}"):
        PassiveAggressive(**parameters)


def test_a_score_that_overflows_is_refused() -> None:
    learner = PassiveAggressive(1e200)
    learner.learn_one({"a": 1e-100}, y=False)
    before = learner.updates_
    assert learner.weights_ == {"a": -1e100}
    with pytest.raises(ExampleError, match="the score must be a finite number"):
        learner.learn_one({"a": 1e250}, y=True)
    with pytest.raises(ExampleError, match="row 1: .*; 1 round played"):
        learner.play([[0.0], [math.nan]], [True, True])
    assert learner.weights_ == {"a": -1e100}
    assert learner.updates_ == before
