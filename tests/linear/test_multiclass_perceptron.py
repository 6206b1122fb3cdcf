"""The Perceptron for many classes is that of two, and updates no more often."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone import run, streams
from littlestone.errors import FeatureError, LabelError, ParameterError
from littlestone.linear import (
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    Perceptron,
)
from littlestone.theorems import MCPERC_RMS, MCPERC_SEP, MCPERC_TD
from witness import DYADIC, UP, longest, played, vectors, with_constant
from worlds import World, worlds

# What holds of classes with any step is checked with both learners.
both = pytest.mark.parametrize(
    "kind", [MulticlassPerceptron, MulticlassPassiveAggressive]
)


def state(learner: Any) -> bytes:
    return pickle.dumps(learner)


# What the source says -----------------------------------------------------------


def test_the_right_class_moves_towards_and_the_said_one_away() -> None:
    learner = MulticlassPerceptron(["x", "y", "z"])
    assert learner.play_one({"a": 1.0, "b": 2.0}, "y") == "x"
    assert learner.weights_ == {
        "x": {"a": -1.0, "b": -2.0},
        "y": {"a": 1.0, "b": 2.0},
        "z": {},
    }
    assert learner.play_one({"a": 3.0}, "z") == "y"
    assert learner.weights_ == {
        "x": {"a": -1.0, "b": -2.0},
        "y": {"a": -2.0, "b": 2.0},
        "z": {"a": 3.0},
    }
    assert learner.score_one({"b": 1.0}) == {"x": -2.0, "y": 2.0, "z": 0.0}
    assert learner.play_one({"b": 1.0}, "y") == "y"
    assert learner.updates_ == 2


def test_the_constant_feature_has_a_weight_a_class() -> None:
    learner = MulticlassPerceptron(["x", "y"], bias=2.0)
    learner.learn_one([1.0], "y")
    assert learner.intercept_.tolist() == [-4.0, 4.0]
    assert learner.coef_.tolist() == [[-1.0], [1.0]]


@both
def test_before_any_class_is_known_it_says_none(kind: Any) -> None:
    learner = kind()
    assert learner.predict_one({"a": 1.0}) is None
    assert learner.score_one({"a": 1.0}) == {}
    assert learner.predict([[1.0], [2.0]]).tolist() == [None, None]
    assert learner.predict([{"a": 1.0}]).tolist() == [None]
    assert learner.decision_function([[1.0], [2.0]]).shape == (2, 0)
    assert learner.decision_function([{"a": 1.0}]).shape == (1, 0)
    assert learner.classes_ == ()
    assert learner.coef_.shape == (0, 0)
    assert learner.play([[1.0], [1.0]], ["a", "a"]).tolist() == [None, "a"]
    assert learner.updates_ == 0
    assert learner.classes_ == ("a",)


@both
def test_of_equal_scores_the_class_met_first_wins(kind: Any) -> None:
    learner = kind()
    learner.play([[0.0], [0.0], [0.0]], ["late", "early", "mid"])
    assert learner.classes_ == ("late", "early", "mid")
    assert learner.predict_one([5.0]) == "late"
    assert kind(classes=["mid", "late"]).predict_one([5.0]) == "mid"
    assert kind(classes=["late", "mid"]).predict_one([5.0]) == "late"
    learner = kind(classes=["a", "b", "c", "d"])
    learner.learn_one([1.0], "c")
    learner.learn_one([1.0], "c")
    assert learner.predict([[1.0], [0.0], [-1.0]]).tolist()[:2] == ["c", "a"]


@both
def test_labels_are_any_hashable_values(kind: Any) -> None:
    labels = ["text", (1, 2), 7, 2.5, frozenset({1}), b"bytes", (3, 4), True]
    learner = kind()
    X = np.eye(8)
    for _ in range(12):
        learner.play(X, labels)
    assert learner.classes_ == tuple(labels)
    assert learner.predict(X).tolist() == labels
    assert [learner.predict_one(x) for x in X] == labels
    assert list(learner.score_one(X[0])) == labels


@both
def test_equal_labels_of_different_type_are_one_class(kind: Any) -> None:
    learner = kind()
    learner.play([[1.0], [1.0], [1.0]], [1, True, 1.0])
    learner.learn_one([1.0], np.int64(1))
    learner.play([[1.0], [1.0]], np.array([1, 2]))
    assert learner.classes_ == (1, 2)
    assert type(learner.classes_[1]) is int
    learner = kind()
    learner.play([[1.0], [1.0]], np.array(["a", "b"]))
    learner.learn_one([1.0], np.str_("a"))
    assert learner.classes_ == ("a", "b")


@both
def test_a_class_may_appear_at_any_time(kind: Any) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 4))
    names = np.array([f"c{i}" for i in range(100)], dtype=object)
    y = names[np.minimum(rng.integers(0, 100, 300), np.arange(300) // 3)]
    late, early = kind(), kind()
    early.play(np.zeros((0, 4)), [])
    said = late.play(X, y)
    for t in range(300):
        known = set(y[:t])
        assert said[t] in (known or {None})
        assert early.play_one(X[t], y[t]) == said[t]
    assert late.classes_ == early.classes_ == tuple(dict.fromkeys(y))
    assert late.weights_ == early.weights_
    assert len(late.classes_) > 60


@both
def test_a_hundred_classes_are_told_apart(kind: Any) -> None:
    X = np.eye(100)
    labels = [f"class {i}" for i in range(100)]
    learner = kind(bias=0.5)
    mistakes = [int((learner.play(X, labels) != labels).sum()) for _ in range(40)]
    assert mistakes[-1] == 0
    assert learner.decision_function(X).shape == (100, 100)
    assert learner.coef_.shape == (100, 100)
    assert learner.intercept_.shape == (100,)


@both
@given(worlds(DYADIC), st.data())
def test_the_class_weights_add_up_to_zero(
    kind: Any, world: World, data: st.DataObject
) -> None:
    size = len(world.y)
    y = data.draw(st.lists(st.integers(0, 6), min_size=size, max_size=size))
    learner = kind(bias=0.5)
    learner.play(world.X, y)
    exact = 0.0 if kind is MulticlassPerceptron else 1e-9
    assert np.abs(learner.coef_.sum(axis=0)).max(initial=0.0) <= exact
    assert abs(learner.intercept_.sum()) <= exact
    # So the best score is never below 0, and a new class may start at 0.
    if y:
        assert (learner.decision_function(world.X).max(axis=1) >= -exact).all()


@given(worlds(DYADIC), st.sampled_from([0.0, -1.5]), st.data())
def test_it_equals_the_formula(world: World, bias: float, data: st.DataObject) -> None:
    size = len(world.y)
    y = data.draw(st.lists(st.integers(0, 8), min_size=size, max_size=size))
    learner = MulticlassPerceptron(range(9), bias=bias)
    W = np.zeros((9, world.X.shape[1] + 1))
    for t, x in enumerate(with_constant(world.X, bias)):
        said = int(np.argmax(W @ x))  # exact, and the first of equals
        assert learner.play_one(world.X[t], y[t]) == said
        if said != y[t]:
            W[y[t]] += x
            W[said] -= x
    assert learner.coef_.tolist() == W[:, : learner.coef_.shape[1]].tolist()
    assert learner.intercept_.tolist() == (W[:, -1] * bias).tolist()


@given(worlds(DYADIC), st.sampled_from([0.0, -1.5]))
def test_two_classes_are_the_perceptron_twice(world: World, bias: float) -> None:
    many, two = MulticlassPerceptron([True, False], bias=bias), Perceptron(bias=bias)
    for x, y in zip(world.X, world.y.tolist(), strict=True):
        scores = many.score_one(x)
        assert scores[True] - scores[False] == 2 * two.score_one(x)
        assert many.play_one(x, y) == two.play_one(x, y)
        assert many.updates_ == two.updates_
    difference = many.coef_[0] - many.coef_[1]
    width = len(difference)
    assert difference.tolist() == [2 * two.weights_.get(j, 0.0) for j in range(width)]
    assert many.intercept_[0] - many.intercept_[1] == 2 * two.intercept_


Feed = Callable[[Any, Any, Any], list[Any]]


def feed_mappings(learner: Any, X: Any, y: Any) -> list[Any]:
    rows = [{j: v for j, v in enumerate(x.tolist()) if v} for x in X]
    said = list(learner.play(rows, y))
    assert learner.predict(rows).tolist() == learner.predict(X).tolist()
    assert (learner.decision_function(rows) == learner.decision_function(X)).all()
    return said


def feed_one_by_one(learner: Any, X: Any, y: Any) -> list[Any]:
    said = []
    for x, label in zip(X, y, strict=True):
        said.append(learner.predict_one(x))
        learner.learn_one(x, label)
    return said


def feed_played_one_by_one(learner: Any, X: Any, y: Any) -> list[Any]:
    return [learner.play_one(x, label) for x, label in zip(X, y, strict=True)]


def feed_csr(learner: Any, X: Any, y: Any) -> list[Any]:
    return list(learner.play(sp.csr_array(X), pd.Series(y)))


def feed_run(learner: Any, X: Any, y: Any) -> list[Any]:
    said: list[Any] = []
    stream = streams.arrays(X, y, outcome="class")
    record = run(learner, stream, observe=lambda batch: said.extend(batch.predictions))
    assert record.mistakes == sum(a != b for a, b in zip(said, y, strict=True))
    return said


def feed_pickled(learner: Any, X: Any, y: Any) -> list[Any]:
    said = list(learner.play(X[:70], y[:70]))
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert copy.classes_ == learner.classes_
    said += list(copy.play(X[70:], y[70:]))
    learner.__setstate__(copy.__getstate__())
    return said


@both
@pytest.mark.parametrize(
    "feed",
    [
        feed_mappings,
        feed_one_by_one,
        feed_played_one_by_one,
        feed_csr,
        feed_run,
        feed_pickled,
    ],
)
def test_every_way_of_feeding_gives_equal_bits(kind: Any, feed: Feed) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 5)) * (rng.random((200, 5)) < 0.7)
    y = [f"c{label}" for label in np.argmax(X @ rng.normal(size=(5, 9)), axis=1)]
    expected, learner = kind(bias=0.7), kind(bias=0.7)
    said = expected.play(X, y).tolist()
    assert feed(learner, X, y) == said
    assert learner.weights_ == expected.weights_
    assert learner.classes_ == expected.classes_
    assert learner.updates_ == expected.updates_
    assert learner.intercept_.tolist() == expected.intercept_.tolist()


# What the theorem says ------------------------------------------------------------


def test_it_names_what_bounds_its_updates() -> None:
    assert MulticlassPerceptron().guarantees == (
        MCPERC_SEP,
        MCPERC_TD,
        MCPERC_RMS,
    )


@given(worlds(), st.booleans(), st.data(), st.floats(0.01, 3))
def test_updates_never_exceed_any_bound(
    world: World, known: bool, data: st.DataObject, gamma: float
) -> None:
    size = len(world.y)
    y = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size)) * 2
    rows, X = np.vstack([world.X, world.X]), with_constant(world.X, 0.7)
    X = np.vstack([X, X])
    U = data.draw(vectors(4 * X.shape[1])).reshape(4, -1)
    assume(np.linalg.norm(U) > 0.1)
    U /= np.linalg.norm(U) * UP
    learner = MulticlassPerceptron(range(4) if known else None, bias=0.7)
    history = played(learner, rows, y)
    # A first round with no class known is a mistake and no update.
    assert np.count_nonzero(history.wrong) - learner.updates_ == (
        size > 0 and not known
    )
    short = []
    for t in np.flatnonzero(history.changed):
        margin = float((U[y[t]] - U[history.said[t]]) @ X[t])
        slack = 1e-12 * (1 + float(np.abs(X[t]).sum()))
        short.append(max(0.0, gamma - margin + slack))
    total = math.fsum(short) * UP
    numbers = {"radius": longest(X[history.changed]), "margin": gamma}
    assert learner.updates_ <= MCPERC_TD.bound(**numbers, deviation=total)
    if total == 0:
        assert learner.updates_ <= MCPERC_SEP.bound(**numbers)


@given(worlds(), st.data())
def test_separable_streams_never_exceed_the_bound(
    world: World, data: st.DataObject
) -> None:
    U = data.draw(vectors(3 * world.X.shape[1])).reshape(3, -1)
    scores = world.X @ U.T
    ranked = np.sort(scores, axis=1)
    gaps = ranked[:, -1] - ranked[:, -2]
    kept = gaps > 0.2
    assume(kept.any())
    X, y = world.X[kept], scores[kept].argmax(axis=1)
    learner = MulticlassPerceptron()
    for _ in range(4):
        learner.play(X, y)
    assert learner.updates_ <= MCPERC_SEP.bound(
        radius=longest(X),
        margin=float(gaps[kept].min()) * (1 - 1e-9),
        norm=float(np.linalg.norm(U)) * UP,
    )


@pytest.mark.parametrize(("classes", "share"), [(2, 1.0), (3, 0.75), (10, 0.55)])
def test_unit_vectors_come_within_half_of_the_bound(classes: int, share: float) -> None:
    # Each unit vector is labelled against what is said. With k classes the best u has
    # 1 for the right class and -1/(k - 1) for the others: 2n (k - 1)/k is the bound.
    n = 36
    learner = MulticlassPerceptron(range(classes))
    U = np.full((classes, n), -1 / (classes - 1))
    for i in range(n):
        label = (learner.predict_one({i: 1.0}) + 1) % classes
        assert learner.play_one({i: 1.0}, label) != label
        U[label, i] = 1.0
    norm, margin = float(np.linalg.norm(U)) * UP, classes / (classes - 1)
    bound = MCPERC_SEP.bound(radius=1, margin=margin * (1 - 1e-12), norm=norm)
    assert bound == pytest.approx(2 * n * (classes - 1) / classes)
    assert learner.updates_ == n
    assert share * bound * (1 - 1e-9) <= n <= bound
    # Against the class that was said alone, as MCPERC-TD counts, it is attained.
    joined = math.sqrt(n / 2)  # 1/2 for the right class, -1/2 for the said one
    bound = MCPERC_TD.bound(radius=1, margin=1 / joined, deviation=0)
    assert n == pytest.approx(bound)


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"classes": "ab"}, "classes must be a sequence of labels or None, got 'ab'"),
        ({"classes": 3}, "classes must be a sequence of labels or None, got 3"),
        ({"classes": iter("ab")}, "classes must be a sequence of labels or None"),
        ({"classes": []}, "classes must be one or more different labels, got \\[\\]"),
        ({"classes": [1, 2, True]}, "classes must be one or more different labels"),
        ({"classes": np.array([1, 1])}, "classes must be one or more different"),
        ({"bias": math.nan}, "bias must be a finite number, got nan"),
    ],
)
@both
def test_illegal_parameters(
    kind: Any, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=f"^{kind.__name__}: {message}"):
        kind(**parameters)


@both
@pytest.mark.parametrize("label", [None, math.nan, np.nan, [1], {"a": 1}, {1}])
def test_labels_that_cannot_be_told_apart_are_refused(kind: Any, label: Any) -> None:
    message = "a label must (be hashable, such as .*|not be missing), got "
    with pytest.raises(LabelError, match=message):
        kind(classes=["a", label])
    learner = kind()
    learner.play([[1.0], [2.0]], ["a", "b"])
    before = state(learner)
    with pytest.raises(LabelError, match=f"^{message}"):
        learner.learn_one([1.0], label)
    assert state(learner) == before
    y = np.empty(3, dtype=object)
    y[:] = ["a", label, "c"]
    with pytest.raises(LabelError, match=f"^row 1: {message}") as seen:
        learner.play([[1.0], [1.0], [1.0]], y)
    assert seen.value.row == 1
    assert state(learner) == before  # labels are looked at before any row is played
    assert learner.classes_ == ("a", "b")


@both
def test_a_refused_row_forgets_the_classes_first_met_after_it(kind: Any) -> None:
    X = np.array([[1.0], [2.0], [math.nan], [1.0]])
    learner, expected = kind(), kind()
    with pytest.raises(FeatureError, match="row 2: .*feature 0 must .*; 2 rounds"):
        learner.play(X, ["a", "b", "c", "d"])
    expected.play(X[:2], ["a", "b"])
    assert learner.classes_ == ("a", "b")
    assert state(learner) == state(expected)
    with pytest.raises(FeatureError, match="feature 'x' must be a finite number"):
        learner.learn_one({"x": math.inf}, "e")
    assert learner.classes_ == ("a", "b")
    assert state(learner) == state(expected)
    learner.play(X[3:], ["d"])
    assert learner.classes_ == ("a", "b", "d")


@both
def test_a_bad_value_is_refused_before_any_class_is_known(kind: Any) -> None:
    learner = kind()
    with pytest.raises(FeatureError, match="feature 'x' must be a finite number"):
        learner.learn_one({"x": math.nan}, "a")
    with pytest.raises(FeatureError, match="row 0: .*; 0 rounds played"):
        learner.play([[math.inf]], ["a"])
    assert learner.classes_ == ()


@both
def test_labels_must_be_as_many_as_rows(kind: Any) -> None:
    learner = kind()
    message = "y must hold one label for each of "
    for y in (["a"], ["a", "b", "c"], np.array([["a"], ["b"]])):
        with pytest.raises(ParameterError, match=message):
            learner.play([[1.0], [2.0]], y)
        with pytest.raises(ParameterError, match=message):
            learner.play([{"x": 1.0}, {"x": 2.0}], y)
    assert learner.classes_ == ()


@both
def test_a_large_column_does_not_cost_memory_for_every_class(kind: Any) -> None:
    before = _resident()
    learner, last = kind(), 2**24 - 1
    for c in range(40):
        learner.learn_one({last - 1000 * c: 1.0, 0: 1.0}, c)
    assert learner.weights_
    # With numbers for every column and class this would be five gigabytes.
    assert _resident() - before < 1 << 30


def _resident() -> int:
    """Return how much memory this process has, if the system tells."""
    told = Path("/proc/self/statm")
    return int(told.read_text().split()[1]) * 4096 if told.exists() else 0


@both
def test_a_large_column_leaves_no_room_for_coef(kind: Any) -> None:
    learner = kind()
    for c in range(3):
        learner.learn_one({2**26: 1.0}, c)
    with pytest.raises(FeatureError, match="numbers, got 3 times 67108865"):
        _ = learner.coef_
