"""Passive-Aggressive for many classes is that of two, and errs no more than is proved.

What holds of classes with any step is checked beside the Perceptron for many classes.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone.errors import ExampleError, ParameterError
from littlestone.linear import MulticlassPassiveAggressive, PassiveAggressive
from littlestone.theorems import MCPA1, MCPA2, MCPA_ORDER, MCPA_SEP, MCPA_STEPS
from witness import UP, longest, played, vectors, with_constant
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_without_a_mode_one_step_brings_the_margin_to_one() -> None:
    learner = MulticlassPassiveAggressive(mode=None, classes=["x", "y", "z"])
    assert learner.play_one({"a": 1.0, "b": 1.0}, "y") == "x"  # 1/(2 2)
    assert learner.weights_ == {
        "x": {"a": -0.25, "b": -0.25},
        "y": {"a": 0.25, "b": 0.25},
        "z": {},
    }
    assert learner.play_one({"a": 2.0}, "z") == "y"  # loss 3/2, square 4
    assert learner.weights_["y"] == {"a": 0.25 - 0.375, "b": 0.25}
    assert learner.weights_["z"] == {"a": 0.375}
    scores = learner.score_one({"a": 2.0})
    assert scores == {"x": -0.5, "y": -0.25, "z": 0.75}


def test_mode_one_goes_no_further_than_c() -> None:
    learner = MulticlassPassiveAggressive(0.125, classes=["x", "y"])
    learner.learn_one({"a": 1.0}, "y")  # 1/8 < 1/2
    assert learner.weights_ == {"x": {"a": -0.125}, "y": {"a": 0.125}}
    learner.learn_one({"a": 4.0}, "x")  # loss 2, 2/32 < 1/8
    assert learner.weights_ == {"x": {"a": 0.125}, "y": {"a": -0.125}}


def test_mode_two_is_damped_by_c() -> None:
    learner = MulticlassPassiveAggressive(0.25, "II", classes=["x", "y"])
    learner.learn_one({"a": 1.0}, "y")  # 1/(2 + 2)
    assert learner.weights_ == {"x": {"a": -0.25}, "y": {"a": 0.25}}


def test_a_right_answer_within_the_margin_is_learned_from() -> None:
    learner = MulticlassPassiveAggressive(mode=None, classes=["x", "y"])
    assert learner.play_one({"a": 1.0}, "x") == "x"
    assert learner.weights_ == {"x": {"a": 0.5}, "y": {"a": -0.5}}
    assert learner.play_one({"a": 1.0}, "x") == "x"  # the margin is 1
    assert learner.updates_ == 1


def test_the_rival_is_the_best_of_the_other_classes() -> None:
    learner = MulticlassPassiveAggressive(mode=None, classes=["x", "y", "z"])
    learner.learn_one({"a": 1.0}, "x")  # from y, the first of the others
    learner.learn_one({"b": 1.0}, "z")  # from x, the first of the others
    before = learner.weights_
    assert learner.play_one({"a": 0.5, "b": 0.5}, "x") == "z"  # scores 0, -1/4, 1/4
    assert learner.weights_["y"] == before["y"]
    assert learner.weights_["z"]["a"] < 0 < learner.weights_["x"]["a"]


def test_the_only_class_has_no_rival() -> None:
    learner = MulticlassPassiveAggressive(mode=None)
    assert learner.play([[1.0], [2.0]], ["x", "x"]).tolist() == [None, "x"]
    assert learner.weights_ == {"x": {}}
    assert learner.updates_ == 0


@pytest.mark.parametrize("mode", [None, "I", "II"])
def test_no_step_can_mend_a_zero_example(mode: Any) -> None:
    learner = MulticlassPassiveAggressive(mode=mode, classes=["x", "y"])
    assert learner.play_one({"a": 0.0}, "y") == "x"
    assert learner.play_one({}, "y") == "x"
    assert learner.updates_ == 0


@given(worlds(), st.sampled_from([None, "I", "II"]), st.sampled_from([0.0, 0.7]))
def test_two_classes_are_passive_aggressive_with_twice_the_c(
    world: World, mode: Any, bias: float
) -> None:
    many = MulticlassPassiveAggressive(0.1, mode, classes=[True, False], bias=bias)
    two = PassiveAggressive(0.2, mode, bias=bias)
    for x, y in zip(world.X, world.y.tolist(), strict=True):
        scores = many.score_one(x)
        score = two.score_one(x)
        assert scores[True] - scores[False] == pytest.approx(score, abs=1e-9)
        said = many.play_one(x, y)
        assert said == two.play_one(x, y) or abs(score) < 1e-9
    difference = many.coef_[0] - many.coef_[1]
    weights = [two.weights_.get(j, 0.0) for j in range(len(difference))]
    assert difference.tolist() == pytest.approx(weights, abs=1e-9)
    assert many.intercept_[0] - many.intercept_[1] == pytest.approx(
        two.intercept_, abs=1e-9
    )


def step(mode: str | None, C: float, loss: float, square: float) -> float:
    if mode == "II":
        return loss / (2 * square + 1 / (2 * C))
    return min(C if mode else math.inf, loss / (2 * square))


@pytest.mark.parametrize("mode", [None, "I", "II"])
def test_it_equals_the_formula(mode: Any) -> None:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 5))
    y = np.argmax(X @ rng.normal(size=(5, 4)) + rng.normal(size=(300, 4)), axis=1)
    learner = MulticlassPassiveAggressive(0.2, mode, classes=range(4), bias=0.5)
    W = np.zeros((4, 6))
    for t, x in enumerate(with_constant(X, 0.5)):
        scores = W @ x
        assert learner.play_one(X[t], int(y[t])) == scores.argmax()
        others = np.where(np.arange(4) == y[t], -np.inf, scores)
        rival = int(others.argmax())
        loss = 1 - (scores[y[t]] - scores[rival])
        if loss > 0:
            tau = step(mode, 0.2, loss, x @ x)
            W[y[t]] += tau * x
            W[rival] -= tau * x
    assert learner.coef_ == pytest.approx(W[:, :-1], abs=1e-9)
    assert learner.intercept_ == pytest.approx(W[:, -1] * 0.5, abs=1e-9)


# What the theorem says ------------------------------------------------------------


def test_each_mode_names_its_theorem() -> None:
    for mode, theorem in ((None, MCPA_SEP), ("I", MCPA1), ("II", MCPA2)):
        learner = MulticlassPassiveAggressive(mode=mode)  # type: ignore[arg-type]  # each is one
        assert learner.guarantees == (theorem, MCPA_STEPS, MCPA_ORDER)


@given(
    worlds(),
    st.sampled_from(["I", "II"]),
    st.booleans(),
    st.floats(0.001, 100),
    st.data(),
)
def test_mistakes_never_exceed_the_bound_of_any_vectors(
    world: World, mode: Any, known: bool, C: float, data: st.DataObject
) -> None:
    size = len(world.y)
    y = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)) * 2
    rows, X = np.vstack([world.X, world.X]), with_constant(world.X, 0.7)
    X = np.vstack([X, X])
    U = data.draw(vectors(4 * X.shape[1])).reshape(4, -1)
    learner = MulticlassPassiveAggressive(
        C, mode, classes=range(4) if known else None, bias=0.7
    )
    history = played(learner, rows, y)
    short = []
    for t in np.flatnonzero(history.changed):
        scores = {c: s for c, s in history.scores[t].items() if c != y[t]}
        lost = max(scores, key=scores.__getitem__)
        margin = float((U[y[t]] - U[lost]) @ X[t])
        slack = 1e-12 * (1 + float(np.abs(X[t]) @ np.abs(U).sum(axis=0)))
        short.append(max(0.0, 1 - margin + slack))
    numbers = {
        "radius": longest(X[history.changed]),
        "aggressiveness": C,
        "norm": float(np.linalg.norm(U)) * UP,
    }
    if mode == "I":
        bound = MCPA1.bound(**numbers, hinge=math.fsum(short) * UP)
    else:
        squares = math.fsum(d * d for d in short) * UP
        bound = MCPA2.bound(**numbers, hinge_squares=squares)
    # The first round, with no class known, is one mistake more.
    assert np.count_nonzero(history.wrong) <= bound + (not known)


@given(worlds(), st.data())
def test_without_a_mode_mistakes_never_exceed_the_bound(
    world: World, data: st.DataObject
) -> None:
    U = data.draw(vectors(3 * world.X.shape[1])).reshape(3, -1)
    scores = world.X @ U.T
    ranked = np.sort(scores, axis=1)
    gaps = ranked[:, -1] - ranked[:, -2]
    kept = gaps > 0.1
    assume(kept.any())
    X, y = world.X[kept], scores[kept].argmax(axis=1)
    U = U / gaps[kept].min() * (1 + 1e-9)
    learner = MulticlassPassiveAggressive(mode=None, classes=range(3))
    mistakes = sum(int(np.count_nonzero(learner.play(X, y) != y)) for _ in range(4))
    norm = float(np.linalg.norm(U)) * UP
    assert mistakes <= MCPA_SEP.bound(radius=longest(X), norm=norm)


def against_unit_vectors(learner: MulticlassPassiveAggressive, n: int) -> int:
    """Show unit vectors, each labelled against what is said; count the mistakes."""
    for i in range(n):
        label = "y" if learner.predict_one({i: 1.0}) == "x" else "x"
        assert learner.play_one({i: 1.0}, label) != label
    return n


@pytest.mark.parametrize("n", [2, 8, 98])
def test_unit_vectors_attain_the_bounds_with_two_classes(n: int) -> None:
    # 1/2 for the right class and -1/2 for the other make every margin 1.
    norm = math.sqrt(n / 2)
    learner = MulticlassPassiveAggressive(mode=None, classes=["x", "y"])
    assert against_unit_vectors(learner, n) == MCPA_SEP.bound(radius=1, norm=norm)
    for C in (0.5, 4.0):
        learner = MulticlassPassiveAggressive(C, classes=["x", "y"])
        bound = MCPA1.bound(radius=1, aggressiveness=C, norm=norm, hinge=0)
        assert against_unit_vectors(learner, n) == bound
        # In mode II the best are s times as long, for s = 4C/(1 + 4C).
        s = 4 * C / (1 + 4 * C)
        learner = MulticlassPassiveAggressive(C, "II", classes=["x", "y"])
        bound = MCPA2.bound(
            radius=1, aggressiveness=C, norm=s * norm, hinge_squares=n * (1 - s) ** 2
        )
        assert against_unit_vectors(learner, n) == pytest.approx(bound)


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"C": 0}, "C must exceed 0, got 0"),
        ({"C": math.inf}, "C must be a finite number, got inf"),
        ({"C": "1"}, "C must be a finite number, got '1'"),
        ({"mode": "III"}, "mode must be 'I', 'II' or None, got 'III'"),
        ({"mode": np.array(["I", "II"])}, "mode must be 'I', 'II' or None"),
        ({"bias": math.inf}, "bias must be a finite number, got inf"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    owner = "MulticlassPassiveAggressive"
    with pytest.raises(ParameterError, match=f"^{owner}: {message}"):
        MulticlassPassiveAggressive(**parameters)


def test_a_score_that_overflows_is_refused() -> None:
    learner = MulticlassPassiveAggressive(1e200, classes=["x", "y"])
    learner.learn_one({"a": 1e-100}, "y")
    before = learner.weights_
    for label in ("x", "new"):
        with pytest.raises(ExampleError, match="the score must be a finite number"):
            learner.learn_one({"a": 1e250}, label)
    assert learner.weights_ == before
    assert learner.classes_ == ("x", "y")
    assert learner.updates_ == 1
