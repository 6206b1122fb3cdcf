"""The Perceptron does what its sources say, and updates no more than they allow."""

from __future__ import annotations

import math
import sys
from collections import OrderedDict
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone import certify, run, streams, verify
from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.linear import Perceptron
from littlestone.theorems import PERC_FS, PERC_HINGE, PERC_SEP, PERC_TD
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_it_says_yes_to_a_tie_and_subtracts_a_false_alarm() -> None:
    learner = Perceptron()
    assert learner.play_one({"a": 1, "b": 2}, y=False)
    assert learner.weights_ == {"a": -1.0, "b": -2.0}
    assert learner.updates_ == 1


def test_it_adds_a_missed_yes() -> None:
    learner = Perceptron()
    learner.learn_one({"a": 1}, y=False)
    assert not learner.play_one({"a": 2, "b": 1}, y=True)
    assert learner.weights_ == {"a": 1.0, "b": 1.0}


def test_a_right_answer_changes_nothing() -> None:
    learner = Perceptron()
    learner.learn_one({"a": 1}, y=True)
    assert learner.weights_ == {}
    assert learner.updates_ == 0


def test_the_margin_rule_updates_on_a_correct_tie() -> None:
    learner = Perceptron(update="margin")
    assert learner.play_one({"a": 1}, y=True)
    assert learner.weights_ == {"a": 1.0}
    learner.learn_one({"a": 1}, y=True)
    assert learner.updates_ == 1


def test_a_strict_one_says_no_to_a_tie_and_learns_from_a_missed_yes() -> None:
    learner = Perceptron(strict=True)
    assert not learner.play_one({"a": 1}, y=False)
    assert learner.updates_ == 0
    assert not learner.play_one({"a": 1}, y=True)
    assert learner.weights_ == {"a": 1.0}
    assert not learner.predict_one({"b": 1})
    assert learner.predict_one({"a": 1})


@pytest.mark.parametrize("normalize", [False, True])
def test_a_strict_one_updates_on_a_tie_of_either_label_by_the_margin_rule(
    normalize: bool,
) -> None:
    for y in (False, True):
        learner = Perceptron(update="margin", normalize=normalize, strict=True)
        assert not learner.play_one({"a": 1}, y=y)
        assert learner.weights_ == {"a": 1.0 if y else -1.0}


def test_by_the_margin_rule_ties_are_all_that_a_strict_one_changes() -> None:
    stream = [({i % 3: 1, i % 5: -1}, i % 2 == 0) for i in range(1, 60)]
    usual = Perceptron(update="margin")
    strict = Perceptron(update="margin", strict=True)
    said = [(usual.score_one(x), usual.play_one(x, y)) for x, y in stream]
    answers = [strict.play_one(x, y) for x, y in stream]
    assert strict.weights_ == usual.weights_
    assert answers == [yes and score > 0 for score, yes in said]
    assert answers != [yes for _, yes in said]


@pytest.mark.parametrize("normalize", [False, True])
def test_a_strict_tie_is_a_no_wherever_it_is_asked_for(normalize: bool) -> None:
    learner = Perceptron(normalize=normalize, strict=True)
    learner.learn_one({0: 1, 1: 1}, y=True)
    X = np.array([[1.0, -1.0], [0.0, 0.0], [1.0, 0.0]])
    assert learner.predict(X).tolist() == [False, False, True]
    assert (learner.decision_function(X) >= 0).tolist() == [False, False, True]
    assert learner.predict(sp.csr_array(X)).tolist() == [False, False, True]
    assert learner.score_one({0: 1, 1: -1}) == -(2.0**-1074)
    assert learner.play(X, [False, False, True]).tolist() == [False, False, True]
    assert learner.updates_ == 1


def test_without_strict_a_perceptron_reads_as_it_always_did() -> None:
    assert list(Perceptron().get_params()) == ["update", "normalize", "bias"]
    assert repr(Perceptron(strict=True)).endswith("bias=0.0, strict=True)")
    assert Perceptron(strict=True).clone().get_params()["strict"]
    assert Perceptron().set_params(strict=True).get_params()["strict"]


@pytest.mark.parametrize("update", ["mistake", "margin"])
def test_a_strict_run_is_certified_and_its_forgery_is_not(update: Any) -> None:
    stream = [({i % 3: 1, 3 + i % 4: 1}, i % 3 == 0) for i in range(30)]
    certificate = certify(Perceptron(update=update, strict=True), stream)
    assert verify(certificate, stream).accepted
    learner = {**certificate.learner}
    learner["parameters"] = {**learner["parameters"], "strict": False}
    assert not verify(replace(certificate, learner=learner), stream).accepted


def test_normalize_adds_examples_of_length_one() -> None:
    learner = Perceptron(normalize=True)
    learner.learn_one({"a": 3, "b": 4}, y=False)
    assert learner.weights_ == {"a": -0.6, "b": -0.8}


def test_normalize_leaves_a_zero_example_as_it_is() -> None:
    learner = Perceptron(normalize=True)
    assert learner.score_one({"a": 0}) == 0
    assert learner.play_one([0.0, 0.0], y=False)  # a mistake no update can mend
    assert learner.weights_ == {}
    assert learner.updates_ == 1


def test_the_constant_feature_is_appended_and_not_scaled() -> None:
    learner = Perceptron(normalize=True, bias=2.0)
    learner.learn_one([3.0, 4.0], y=False)
    assert learner.coef_.tolist() == [-0.6, -0.8]
    assert learner.intercept_ == -4.0  # weight -2 times value 2
    assert learner.score_one({}) == -4.0


def test_names_and_columns_may_be_fed_in_turn() -> None:
    learner = Perceptron()
    learner.learn_one({1: 1, "1": 5}, y=False)
    learner.play([[0, 3]], [True])
    assert learner.weights_ == {1: 2.0, "1": -5.0}
    assert learner.coef_.tolist() == [0.0, 2.0]
    assert list(learner.weights_) == [1, "1"]


def test_a_column_of_four_billion_costs_no_array() -> None:
    learner = Perceptron()
    learner.learn_one({4_294_967_295: 1.5, 3: 1}, y=False)
    assert learner.weights_ == {3: -1.0, 4_294_967_295: -1.5}
    assert learner.weights_[4_294_967_295] == -1.5
    assert learner.score_one(([4_294_967_295], [2.0])) == -3.0


def test_values_of_any_number_type_are_taken() -> None:
    learner = Perceptron()
    x: dict[str, Any] = {"a": np.float32(0.5), "b": np.int64(2), "c": np.True_, "d": 1}
    learner.learn_one(x, y=False)
    assert learner.weights_ == {"a": -0.5, "b": -2.0, "c": -1.0, "d": -1.0}


def test_equal_names_of_different_type_are_one_feature_twice() -> None:
    class Odd(str):
        __slots__ = ()

        def __hash__(self) -> int:
            return 1

    learner = Perceptron()
    with pytest.raises(
        ExampleError, match="each feature must appear once, got 'a' twice"
    ):
        learner.learn_one({"a": 1.0, Odd("a"): 1.0}, y=False)
    assert learner.weights_ == {}


def test_mappings_are_read_in_their_own_order() -> None:
    learner = Perceptron()
    learner.learn_one({"a": -1.0, "b": -1.0, "c": -1.0}, y=True)
    learner.learn_one({"a": -1.0, "b": -1.0, "c": -1.0}, y=False)
    x = OrderedDict([("a", 1e16), ("b", 1.0), ("c", -1e16)])
    x.move_to_end("b")
    assert learner.score_one(x) == 1.0
    assert learner.score_one(MappingProxyType(x)) == 1.0


def test_new_names_with_odd_values_are_not_compared_one_by_one() -> None:
    x = {f"n{i}": np.int64(1) for i in range(100_000)}  # minutes, if they were
    assert Perceptron().predict_one(x)


def test_one_sparse_row_is_what_its_offsets_say() -> None:
    row = sp.csr_array(np.ones((1, 3)))
    row.indptr = np.array([0, 2], dtype=np.int32)
    learner = Perceptron()
    learner.learn_one(row, y=False)
    assert learner.weights_ == {0: -1.0, 1: -1.0}


def test_a_value_that_changes_the_mapping_while_it_is_read_does_no_harm() -> None:
    class Tricky:
        def __float__(self) -> float:
            x.clear()
            return 1.0

    x: dict[str, Any] = {"b": Tricky(), "c": 2.0}
    learner = Perceptron()
    learner.learn_one(x, y=False)
    assert learner.weights_ == {"b": -1.0, "c": -2.0}


def test_a_value_far_into_a_mapping_may_change_it_too() -> None:
    class Tricky:
        def __float__(self) -> float:
            x.clear()
            return 1.0

    x: dict[str, Any] = {f"n{i}": float(i) for i in range(150)} | {"n100": Tricky()}
    learner = Perceptron()
    learner.learn_one(x, y=False)
    others = {f"n{i}": -float(i) for i in range(1, 150) if i != 100}
    assert learner.weights_ == others | {"n100": -1.0}


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 127, 128, 129, 200])
def test_a_mapping_of_any_size_is_read_to_its_end(size: int) -> None:
    x = {f"n{i}": float(i + 1) for i in range(size)}
    learner = Perceptron()
    learner.learn_one(x, y=False)
    assert learner.weights_ == {name: -value for name, value in x.items()}
    for _ in range(3):
        assert learner.score_one(x) == -sum(value * value for value in x.values())


def test_a_name_is_the_same_in_whichever_string_it_comes() -> None:
    learner = Perceptron()
    learner.learn_one({f"n{i}": float(i + 1) for i in range(5000)}, y=False)
    copies = [[f"n{i}" for i in range(5000)] for _ in range(3)]
    for names in copies * 2:
        scores = [learner.score_one({name: 1.0}) for name in names]
        assert scores == [-float(i + 1) for i in range(5000)]


def test_a_learner_lets_go_of_the_strings_it_was_shown() -> None:
    names = [f"n{i}" for i in range(5000)]
    before = [sys.getrefcount(name) for name in names]
    learner = Perceptron()
    for i in [*range(5000)] * 3:
        learner.learn_one({names[i]: 1.0}, y=False)
    assert [sys.getrefcount(name) for name in names] != before
    del learner
    assert [sys.getrefcount(name) for name in names] == before


# What the theorem says ------------------------------------------------------------


def margins(world: World, u: np.ndarray[Any, Any]) -> list[float]:
    signs = np.where(world.y, 1.0, -1.0)
    return [float(margin) for margin in signs * (world.X @ u)]


@given(worlds(), st.sampled_from(["mistake", "margin"]), st.data())
def test_updates_never_exceed_any_bound(
    world: World, update: Any, data: st.DataObject
) -> None:
    direction = data.draw(st.lists(st.floats(-3, 3), min_size=6, max_size=6))
    u = np.array(direction[: world.X.shape[1]])
    assume(np.linalg.norm(u) > 0.1)
    u /= np.linalg.norm(u) * (1 + 1e-12)
    gamma = data.draw(st.floats(0.01, 3))
    radius = float(np.linalg.norm(world.X, axis=1).max(initial=0.0)) * (1 + 1e-12)
    short = [max(0.0, gamma - m) * (1 + 1e-12) for m in margins(world, u)]
    record = run(Perceptron(update=update), streams.arrays(world.X, world.y))
    assert record.updates is not None
    assert record.mistakes <= record.updates
    total, square = math.fsum(short), math.fsum(d * d for d in short)
    numbers: dict[str, float] = {"radius": radius, "margin": gamma}
    assert record.updates <= PERC_TD.bound(**numbers, deviation=total)
    assert record.updates <= PERC_HINGE.bound(**numbers, hinge=total / gamma * 1.000001)
    assert record.updates <= PERC_FS.bound(
        **numbers, deviation_norm=math.sqrt(square) * (1 + 1e-12)
    )
    if total == 0:
        assert record.updates <= PERC_SEP.bound(**numbers)


@pytest.mark.parametrize("n", [1, 4, 25, 100])
def test_the_adversary_of_unit_vectors_attains_the_bound(n: int) -> None:
    learner = Perceptron()
    for i in range(n):
        said = learner.predict_one({i: 1.0})
        learner.learn_one({i: 1.0}, y=not said)
    # The separator with entries y_i / sqrt(n) has margin 1/sqrt(n).
    assert (
        learner.updates_ == n == PERC_SEP.bound(radius=1, margin=1, norm=math.sqrt(n))
    )


def test_with_a_constant_feature_the_bound_is_that_of_the_longer_examples() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(2_000, 5))
    u = np.array([1.0, -1.0, 0.5, 0.0, 2.0])
    scores = X @ u - 0.4
    X, scores = X[np.abs(scores) > 0.3], scores[np.abs(scores) > 0.3]
    record = run(Perceptron(bias=1.0), streams.arrays(X, scores > 0), passes=5)
    radius = float(np.sqrt((X**2).sum(axis=1).max() + 1)) * (1 + 1e-12)
    norm = math.sqrt(float(u @ u) + 0.4**2) * (1 + 1e-12)
    margin = float(np.abs(scores).min()) * (1 - 1e-12)
    assert (
        0 < record.mistakes <= PERC_SEP.bound(radius=radius, margin=margin, norm=norm)
    )


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"strict": 1}, "strict must be True or False, got 1"),
        ({"update": "always"}, "update must be 'mistake' or 'margin', got 'always'"),
        ({"normalize": "yes"}, "normalize must be True or False, got 'yes'"),
        ({"bias": math.nan}, "bias must be a finite number, got nan"),
        ({"bias": math.inf}, "bias must be a finite number, got inf"),
        ({"bias": "1"}, "bias must be a finite number, got '1'"),
        ({"bias": 10**400}, "bias must be a finite number, got 1000"),
        ({"update": np.array(["a", "b"])}, "update must be 'mistake' or 'margin'"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Perceptron(**parameters)


@pytest.mark.parametrize(
    ("learner", "x"),
    [
        (Perceptron(), {"a": 1e200}),
        (Perceptron(normalize=True), {"a": 1e200, "b": 1.0}),
        (Perceptron(normalize=True), {"a": 1e-200}),
    ],
)
def test_a_score_that_overflows_is_refused(learner: Perceptron, x: Any) -> None:
    learner = learner.clone()
    if not learner.normalize:
        learner.learn_one(x, y=False)
    before = dict(learner.weights_)
    with pytest.raises(ExampleError, match="the score must be a finite number"):
        learner.learn_one(x, y=True)
    assert learner.weights_ == before


def test_coef_is_refused_if_one_column_makes_it_too_wide() -> None:
    learner = Perceptron()
    learner.learn_one({2**32 - 1: 1.0}, False)
    with pytest.raises(FeatureError, match="`weights_` has those that were learned"):
        _ = learner.coef_
    assert learner.weights_ == {2**32 - 1: -1.0}
