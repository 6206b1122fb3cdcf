"""Every learner keeps the contract: each check is crossed with each learner."""

from __future__ import annotations

import inspect
import math
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone import linear, run, streams, theorems
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.learner import Learner
from littlestone.linear._base import LinearLearner
from littlestone.outcome import Outcome
from littlestone.verifying import twins
from ways import WAYS, Way
from worlds import ENTRIES, Entry, fixed_world, worlds

TOPICS = (linear,)


def of(entries: list[Entry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", entries, ids=str)


every = of(ENTRIES)
every_binary = of([entry for entry in ENTRIES if not entry.many])
every_linear = of([e for e in ENTRIES if isinstance(e.made, LinearLearner)])
every_weighing = of([entry for entry in ENTRIES if hasattr(entry.made, "coef_")])
every_exact = of([entry for entry in ENTRIES if entry.exact])


def newborn(entry: Entry) -> Any:
    return entry.made.clone()


def snapshot(learner: Any) -> bytes:
    return pickle.dumps(learner)


def bits(values: Any) -> list[str]:
    """Floats so that -0.0, 0.0 and NaN are told apart."""
    return [float(value).hex() for value in np.asarray(list(values)).ravel()]


def learned(learner: Any, name: Callable[[Any], Any] = lambda feature: feature) -> Any:
    """Return what was learned, bit for bit, whatever way it was fed."""
    if isinstance(learner, linear.KernelPerceptron):
        return [
            (y, {name(f): v.hex() for f, v in x.items()}) for y, x in learner.supports_
        ]
    if learner.outcome is Outcome.CLASS:
        return {
            label: {name(f): w.hex() for f, w in weights.items()}
            for label, weights in learner.weights_.items()
        }
    return {name(f): weight.hex() for f, weight in learner.weights_.items()}


def learned_by(twin: Any, initial: float) -> Any:
    """Return the same of a twin, whose constant feature is known by the twin itself."""
    if isinstance(twin, twins.KernelPerceptron):
        return [(sign > 0, {f: v.hex() for f, v in x.items()}) for sign, x in twin.kept]
    if isinstance(
        twin, (twins.MulticlassPerceptron, twins.MulticlassPassiveAggressive)
    ):
        return {
            label: {f: w.hex() for f, w in weights.items() if w and f is not twin}
            for label, weights in twin.weights.items()
        }
    return {f: w.hex() for f, w in twin.weights.items() if w != initial}


# Who is checked ---------------------------------------------------------------


def test_every_exported_learner_is_listed() -> None:
    exported = {getattr(topic, name) for topic in TOPICS for name in topic.__all__}
    assert exported == {type(entry.made) for entry in ENTRIES}


@every
def test_every_learner_is_documented(entry: Entry) -> None:
    doc = inspect.getdoc(type(entry.made)) or ""
    for section in ("Parameters", "Guarantees", "References", "Examples"):
        assert f"\n{section}\n---" in doc


# Birth, parameters, copies ----------------------------------------------------


@every
def test_predicts_before_it_has_learned(entry: Entry) -> None:
    assert newborn(entry).predict_one({"a": 1.0}) in (True, False)
    assert newborn(entry).predict_one({}) in (True, False)
    assert not any(learned(newborn(entry)).values() if entry.many else [])
    assert entry.many or not learned(newborn(entry))
    assert newborn(entry).updates_ == 0


@every
def test_parameters_survive_repr_and_clone(entry: Entry) -> None:
    learner = newborn(entry)
    made = eval(repr(learner), vars(linear))  # noqa: S307 - our own repr
    assert made.get_params() == learner.get_params() == entry.made.get_params()
    assert type(made) is type(learner)


@every
def test_a_clone_is_fresh_and_independent(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X, world.y)
    before = snapshot(learner)
    clone = learner.clone()
    assert learned(clone) == learned(newborn(entry))
    clone.play(world.X, ~world.y)
    assert snapshot(learner) == before


@every
def test_set_params_starts_afresh_and_refuses_unknown_names(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X, world.y)
    assert learner.set_params(**learner.get_params()) is learner
    assert snapshot(learner) == snapshot(newborn(entry))
    with pytest.raises(ParameterError, match="got 'nonsense'"):
        learner.set_params(nonsense=1)


@every
def test_parameters_cannot_be_changed_behind_its_back(entry: Entry) -> None:
    learner = newborn(entry)
    for name, value in learner.get_params().items():
        with pytest.raises(AttributeError, match="fixed at birth"):
            setattr(learner, name, value)


@every
def test_a_pickle_goes_on_identically(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X[:100], world.y[:100])
    learner.learn_one({"name": 1.0, 2**24 + 3: 1.0}, y=False)
    learner.learn_one({"name": 1.0, 2**24 + 3: 1.0}, y=True)
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert snapshot(copy) == snapshot(learner)
    assert (
        copy.play(world.X, world.y).tolist() == learner.play(world.X, world.y).tolist()
    )
    assert learned(copy) == learned(learner)
    assert copy.updates_ == learner.updates_


@every
def test_every_guarantee_is_a_theorem_of_the_sheet(entry: Entry) -> None:
    assert entry.made.guarantees
    for theorem in entry.made.guarantees:
        assert theorems.get(theorem.id) is theorem


# Predicting is pure, learning is order-exact ------------------------------------


@every
def test_predicting_changes_nothing(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X, world.y)
    before = snapshot(learner)
    learner.predict(world.X)
    learner.decision_function(world.X)
    learner.predict_one({"never seen": 1.0, 4_000_000_000: 1.0})
    learner.score_one([1.0] * 50)
    assert snapshot(learner) == before


@every
@given(data=st.data())
def test_the_native_rule_equals_its_twin(entry: Entry, data: st.DataObject) -> None:
    world = data.draw(worlds(entry.values))
    learner = newborn(entry)
    twin = entry.twin(**entry.made.get_params())
    for x, label in world.examples():
        assert learner.play_one(x, label) == twin.play(x, label)
    initial = getattr(learner, "initial_weight", 0.0)
    assert learned(learner) == learned_by(twin, initial)
    assert learner.updates_ == twin.updates


@every
@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_feeding_gives_equal_bits(entry: Entry, way: Way) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    expected = learner.play(world.X, world.y)
    other = newborn(entry)
    assert way(other, world) == expected.tolist()
    assert learned(other) == learned(learner)
    assert other.updates_ == learner.updates_
    assert bits(other.decision_function(world.X)) == bits(
        learner.decision_function(world.X)
    )


@every
def test_float32_and_float64_of_the_same_values_give_equal_bits(entry: Entry) -> None:
    world = fixed_world(entry)
    single = world.X.astype(np.float32)
    first, second, third = newborn(entry), newborn(entry), newborn(entry)
    first.play(single.astype(np.float64), world.y)
    second.play(single, world.y)
    third.play(sp.csr_array(single), world.y)
    assert learned(first) == learned(second) == learned(third)


@every
def test_scores_and_predictions_agree(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X, world.y)
    scores = learner.decision_function(world.X)
    one_by_one = [learner.score_one(x) for x in world.X]
    if entry.many:
        one_by_one = [list(row.values()) for row in one_by_one]
        expected = [learner.classes_[best] for best in scores.argmax(axis=1)]
    else:
        expected = (scores >= 0).tolist()
    assert bits(scores) == bits(one_by_one)
    assert learner.predict(world.X).tolist() == expected
    assert [learner.predict_one(x) for x in world.X] == expected


@every
def test_names_may_be_chosen_freely(entry: Entry) -> None:
    world = fixed_world(entry)
    by_column, by_name = newborn(entry), newborn(entry)
    for x, label in world.examples():
        by_column.learn_one(x, label)
        by_name.learn_one({f"n{j}": v for j, v in x.items()}, label)
    assert learned(by_name) == learned(by_column, lambda j: f"n{j}")
    if hasattr(by_name, "coef_"):
        assert by_name.coef_.size == 0


@every_exact
def test_the_order_of_features_does_not_matter(entry: Entry) -> None:
    # Small multiples of 1/4 add up exactly in any order; Winnow raises to powers.
    powers = isinstance(entry.made, linear.Winnow)
    exact = tuple(
        v
        for v in entry.values  # noqa: PD011 - no frame
        if (v if powers else v * 4) in (0, *range(-12, 13))
    )
    world = fixed_world(replace(entry, values=exact))
    forward, backward = newborn(entry), newborn(entry)
    for x, label in world.examples():
        forward.learn_one(x, label)
        backward.learn_one(dict(reversed(x.items())), label)
    assert learned(forward) == learned(backward)


@every
def test_features_may_come_and_go(entry: Entry) -> None:
    learner = newborn(entry)
    for t in range(50):
        learner.play_one({f"f{t}": 1.0, "stays": 1.0}, t % 2 == 0)
        learner.play_one({}, t % 2 == 0)
    assert learner.predict_one({"f3": 1.0}) in (True, False)


@every_binary
def test_labels_true_1_and_plus_1_agree(entry: Entry) -> None:
    world = fixed_world(entry)
    ways: list[NDArray[Any] | list[Any]] = [
        world.y,
        world.y.astype(np.int8),
        world.y.astype(np.float32),
        np.where(world.y, 1, -1),
        np.where(world.y, 1.0, -1.0).astype(">f8"),
        world.y.astype(np.float16),
        world.y.tolist(),
        world.y.astype(object),
    ]
    expected = newborn(entry)
    expected.play(world.X, world.y)
    for labels in ways:
        learner = newborn(entry)
        learner.play(world.X, labels)
        assert learned(learner) == learned(expected)
    singles = [(True, False), (1, 0), (1, -1), (1.0, -1.0), (np.True_, np.False_)]
    for yes, no in singles:
        learner = newborn(entry)
        for x, label in zip(world.X, world.y, strict=True):
            learner.learn_one(x, yes if label else no)
        assert learned(learner) == learned(expected)


@every
def test_fit_forgets_and_partial_fit_goes_on(entry: Entry) -> None:
    world = fixed_world(entry)
    learner, fitted = newborn(entry), newborn(entry)
    learner.play(world.X, world.y)
    fitted.partial_fit(world.X, ~world.y)
    assert fitted.fit(world.X, world.y) is fitted
    assert snapshot(fitted) == snapshot(learner)
    learner.play(world.X, world.y)
    assert snapshot(fitted.partial_fit(world.X, world.y)) == snapshot(learner)


@every
def test_a_sample_weight_repeats_the_learning(entry: Entry) -> None:
    world = fixed_world(entry)
    times = np.random.default_rng(5).integers(0, 4, len(world.y))
    weighted, one_by_one = newborn(entry), newborn(entry)
    repeated, mappings = newborn(entry), newborn(entry)
    said = weighted.play(world.X, world.y, sample_weight=times)
    for t, (x, label) in enumerate(zip(world.X, world.y, strict=True)):
        assert one_by_one.play_one(x, label, int(times[t])) == said[t]
        for _ in range(times[t]):
            repeated.learn_one(x, label)
    rows = [x for x, _ in world.examples()]
    assert mappings.play(rows, world.y, times.astype(float)).tolist() == said.tolist()
    assert learned(weighted) == learned(one_by_one) == learned(repeated)
    assert learned(weighted) == learned(mappings)
    assert weighted.updates_ == repeated.updates_ > 0
    assert bits(weighted.decision_function(world.X)) == bits(
        repeated.decision_function(world.X)
    )


@every
@pytest.mark.parametrize("weight", [-1, 0.5, math.nan, 2**32, "1", None])
def test_a_sample_weight_is_a_number_of_repetitions(entry: Entry, weight: Any) -> None:
    learner = newborn(entry)
    before = snapshot(learner)
    with pytest.raises(ParameterError, match="row 0: a sample weight must be a whole"):
        learner.play([[1.0]], [True], sample_weight=np.array([weight], dtype=object))
    with pytest.raises(ParameterError, match="a sample weight must be a whole"):
        learner.learn_one([1.0], True, weight)
    with pytest.raises(ParameterError, match="one weight for each of 1 rows"):
        learner.play([[1.0]], [True], sample_weight=[1, 1])
    assert snapshot(learner) == before


@every
def test_it_updates_only_on_rounds_it_counts(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    for x, label in zip(world.X, world.y, strict=True):
        before, count = learned(learner), learner.updates_
        wrong = learner.play_one(x, label) != label
        changed = learner.updates_ - count
        assert changed in (0, 1)
        assert changed or not entry.latest or learned(learner) == before
        assert changed or not entry.latest or not wrong


@every_weighing
def test_coef_is_dense_and_equals_weights(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X, world.y)
    assert learner.coef_.shape[-1] == world.X.shape[1]
    if entry.many:
        for row, weights in zip(learner.coef_, learner.weights_.values(), strict=True):
            assert row.tolist() == [weights.get(j, 0.0) for j in range(len(row))]
        return
    for column, weight in enumerate(learner.coef_):
        assert learner.weights_.get(column, learner.initial_weight) == weight


@every_linear
def test_weights_cannot_be_written(entry: Entry) -> None:
    with pytest.raises(TypeError):
        newborn(entry).weights_["a"] = 1.0
    with pytest.raises(AttributeError):
        newborn(entry).weights_ = {}


# What is refused, and that nothing is lost ----------------------------------------

BAD_EXAMPLES: list[tuple[Any, str]] = [
    ({"a": math.nan}, "feature 'a' must be a finite number, got nan"),
    ({"a": math.inf}, "feature 'a' must be a finite number, got inf"),
    ({"b": 1.0, "a": -math.inf}, "feature 'a' must be a finite number, got -inf"),
    ({"a": "1"}, "feature 'a' must be a number, got '1'"),
    ({"a": None}, "feature 'a' must be a number, got None"),
    ({"a": np.complex128(1 + 2j)}, "feature 'a' must be a number, got"),
    ({"a": 10**400}, "feature 'a' must be a number, got 1000"),
    ([1.0, math.nan], "feature 1 must be a finite number, got nan"),
    (np.array([0.0, math.inf]), "feature 1 must be a finite number, got inf"),
    (["x"], "feature 0 must be a number, got 'x'"),
    (([3, 3], [1.0, 1.0]), "each feature may stand once, got 3 twice"),
    (([2**30, 2**30], [1.0, 1.0]), f"may stand once, got {2**30} twice"),
    (([0, 1], [1.0]), "an example must be a mapping"),
    ({-1: 1.0}, "name or a column number below 2\\*\\*32, got -1"),
    ({2**32: 1.0}, f"got {2**32}"),
    ({1.5: 1.0}, "got 1.5"),
    ({("a", "b"): 1.0}, "got \\('a', 'b'\\)"),
    ({"\ud800": 1.0}, "name or a column number"),
    ("abc", "an example must be a mapping"),
    (b"abc", "an example must be a mapping"),
    (3.0, "an example must be a mapping"),
    (None, "an example must be a mapping"),
    (sp.csr_array(np.ones((2, 3))), "an example must be a mapping"),
]


@every
@pytest.mark.parametrize(("x", "message"), BAD_EXAMPLES, ids=range(len(BAD_EXAMPLES)))
def test_a_bad_example_is_refused_and_nothing_changes(
    entry: Entry, x: Any, message: str
) -> None:
    learner = newborn(entry)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=True)
    before = snapshot(learner)
    calls: tuple[Callable[[], object], ...] = (
        lambda: learner.learn_one(x, y=True),
        lambda: learner.play_one(x, y=False),
        lambda: learner.predict_one(x),
        lambda: learner.score_one(x),
    )
    for call in calls:
        with pytest.raises(ExampleError, match=message):
            call()
        assert snapshot(learner) == before


@every_binary
@pytest.mark.parametrize("y", [2, -2, 0.5, math.nan, "1", "yes", None, [1], 10**400])
def test_a_bad_label_is_refused_and_nothing_changes(entry: Entry, y: Any) -> None:
    learner = newborn(entry)
    before = snapshot(learner)
    with pytest.raises(LabelError, match="a label must be True/1 or False/0/-1, got"):
        learner.learn_one({"a": 1.0}, y)
    labels = np.empty(1, dtype=object)
    labels[0] = y
    with pytest.raises(LabelError, match="row 0"):
        learner.play([[1.0]], labels)
    assert snapshot(learner) == before


@every
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_bad_row_stops_the_block_after_the_rows_before_it(
    entry: Entry, bad: float, sparse: bool
) -> None:
    world = fixed_world(entry)
    X = world.X.copy()
    X[150, 4] = bad
    block: Any = sp.csr_array(X) if sparse else X
    learner, expected = newborn(entry), newborn(entry)
    with pytest.raises(FeatureError) as caught:
        learner.play(block, world.y)
    assert str(caught.value) == (
        f"row 150: {type(learner).__name__}: feature 4 must be a finite number, "
        f"got {bad}; 150 rounds played"
    )
    assert (caught.value.row, caught.value.rounds) == (150, 150)
    assert caught.value.feature == 4
    expected.play(world.X[:150], world.y[:150])
    assert snapshot(learner) == snapshot(expected)
    with pytest.raises(FeatureError, match="row 150"):
        learner.predict(block)


@every
def test_bad_sparse_columns_stop_the_block(entry: Entry) -> None:
    data, offsets = np.ones(3), np.array([0, 1, 3], dtype=np.int32)
    for columns, message in (
        ([0, 2, 2], "row 1: .*each feature may stand once, got 2 twice"),
        ([0, 1, 7], "row 1: .*within the declared width .*, got 7"),
        ([0, -1, 1], "row 1: .*within the declared width .*, got -1"),
        ([0, 5, -3], "row 1: .*within the declared width .*, got -3"),
    ):
        X = sp.csr_matrix((2, 6))
        X.indptr, X.data = offsets, data
        X.indices = np.array(columns, dtype=np.int32)
        learner = newborn(entry)
        with pytest.raises(FeatureError, match=message):
            learner.play(X, [True, True])
        assert pickle.loads(snapshot(learner)).__getstate__()["width"] == 6  # noqa: S301 - our own bytes


@every
@pytest.mark.parametrize("at", range(1, 12))
def test_a_column_twice_is_found_wherever_it_stands(entry: Entry, at: int) -> None:
    columns = np.arange(12, dtype=np.int32)
    columns[at] = columns[at - 1]
    X = sp.csr_matrix((1, 12))
    X.indptr, X.indices, X.data = np.array([0, 12], np.int32), columns, np.ones(12)
    learner = newborn(entry)
    with pytest.raises(FeatureError, match=f"row 0: .*, got {at - 1} twice"):
        learner.play(X, [False])
    with pytest.raises(FeatureError, match=f"got {at - 1} twice"):
        learner.learn_one(X, y=False)
    assert learned(learner) == learned(newborn(entry))


DIVIDES_BY_SQUARES = (
    linear.PassiveAggressive,
    linear.SecondOrderPerceptron,
    linear.AROW,
    linear.MulticlassPassiveAggressive,
)


@of([entry for entry in ENTRIES if isinstance(entry.made, DIVIDES_BY_SQUARES)])
@pytest.mark.parametrize("value", [1e160, -1e308, 1e-160, 5e-324])
def test_values_whose_squares_are_no_numbers_are_refused(
    entry: Entry, value: float
) -> None:
    full = not getattr(entry.made, "diagonal", True)
    if full and abs(value) < 1:
        return  # a full matrix starts large enough
    learner = newborn(entry)
    learner.play([[1.0, 1.0], [1.0, 0.5]], [False, True])
    before = snapshot(learner)
    for x in ({0: value}, [0.0, value], ([1], [value])):
        with pytest.raises(ExampleError, match="values are too large or too small"):
            learner.learn_one(x, y=False)
    for block in (np.array([[0.0, value]]), sp.csr_array([[0.0, value]])):
        with pytest.raises(ExampleError, match="row 0: .*too large or too small"):
            learner.play(block, [False])
    assert snapshot(learner) == before
    if abs(value) < 1:
        learner.learn_one([1.0, value], y=False)  # beside a larger one it is no harm


@every
def test_offsets_changed_behind_our_back_do_no_harm(entry: Entry) -> None:
    X = sp.csr_array(np.eye(3))
    stream = streams.arrays(X, [1, 0, 1])
    X.indptr[:] = [0, 10**9, 10**9, 10**9]
    assert run(newborn(entry), stream).rounds == 3


@every
def test_columns_are_below_four_billion_in_blocks_too(entry: Entry) -> None:
    far = np.array([2**32], dtype=np.int64)
    X = sp.csr_array((np.ones(1), far, np.array([0, 1])), shape=(1, 2**33))
    with pytest.raises(FeatureError, match="row 0: .*2\\*\\*32, got 4294967296"):
        newborn(entry).play(X, [False])


@every
def test_masked_arrays_are_refused(entry: Entry) -> None:
    masked = np.ma.masked_array([1.0, 1.0], mask=[False, True])
    learner = newborn(entry)
    with pytest.raises(ExampleError, match="an example must be"):
        learner.learn_one(masked, y=False)
    with pytest.raises(ParameterError, match="no masked cells"):
        learner.play(masked.reshape(1, 2), [False])
    with pytest.raises(ParameterError, match="no masked labels"):
        learner.play([[1.0], [1.0]], masked)


@every
def test_malformed_matrices_are_refused(entry: Entry) -> None:
    learner = newborn(entry)
    before = snapshot(learner)
    for X, y, message in (
        ([1.0, 0.0], [True], "two dimensions, got 1"),
        ([[1.0], [1.0, 0.0]], [True, True], "equally long, got 2 after 1"),
        ([[1.0]], [True, False], "one label for each of 1 rows"),
        ([["x"]], [True], "row 0: feature 0 must be a number, got 'x'"),
        ([[1.0], [1.0], [1.0]], [1, 0, -1], "row 2: .*never mixed, got -1 as well"),
    ):
        if entry.many and "mixed" in message:
            continue
        with pytest.raises(LittlestoneError, match=message):
            learner.play(X, y)
    offsets = sp.csr_matrix(np.eye(3))
    offsets.indptr = np.array([0, 2, 1, 3], dtype=np.int32)
    with pytest.raises(ValueError, match="offsets"):
        learner.play(offsets, [True] * 3)
    assert snapshot(learner) == before


@every
def test_the_learner_base_gives_the_same_without_native_blocks(entry: Entry) -> None:
    world = fixed_world(entry)
    native, plain = newborn(entry), newborn(entry)
    expected = native.play(world.X, world.y)
    assert Learner.play(plain, world.X, world.y).tolist() == expected.tolist()
    assert Learner.predict(plain, world.X).tolist() == native.predict(world.X).tolist()
    assert learned(plain) == learned(native)


@every
@pytest.mark.parametrize("bad", [False, True])
def test_names_of_which_no_row_is_played_do_no_harm(entry: Entry, bad: bool) -> None:
    # Far more than there is room for.
    names = [f"n{j}" for j in range(20_000)]
    learner = newborn(entry)
    if bad:
        frame = pd.DataFrame(
            np.zeros((1, len(names) + 1)),
            columns=pd.Index([*names, "\ud800"], dtype=object),
        )
        with pytest.raises(FeatureError, match="a feature must be a name"):
            learner.play(frame, [True])
    else:
        learner.play(pd.DataFrame(np.empty((0, len(names))), columns=names), [])
    assert snapshot(learner) == snapshot(newborn(entry))
    if hasattr(learner, "weights_"):
        assert names[-1] not in learner.weights_
    learner.learn_one({names[-1]: 1.0}, y=True)


@every
def test_a_bad_mapping_is_told_its_row(entry: Entry) -> None:
    learner, expected = newborn(entry), newborn(entry)
    block: list[Any] = [{"a": 1.0}, {"b": 1.0}, {"a": math.nan}, {"a": 1.0}]
    with pytest.raises(FeatureError) as caught:
        learner.play(block, [True, False, True, False])
    assert str(caught.value) == (
        f"row 2: {type(learner).__name__}: feature 'a' must be a finite number, "
        "got nan; 2 rounds played"
    )
    assert (caught.value.row, caught.value.rounds) == (2, 2)
    expected.play(block[:2], [True, False])
    assert snapshot(learner) == snapshot(expected)
    for call in (learner.predict, learner.decision_function):
        with pytest.raises(FeatureError, match="^row 2: "):
            call(block)
