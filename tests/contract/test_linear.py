"""What linear learners promise beyond the contract: scores, weights, exact sums."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from families import bits, snapshot
from families import learned_linear as learned
from littlestone import linear
from littlestone.errors import ExampleError, FeatureError
from littlestone.linear._base import LinearLearner
from littlestone.outcome import Outcome
from tries import some
from worlds import ENTRIES, Entry, fixed_world


def of(entries: list[Entry]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", entries, ids=str)


every = of(ENTRIES)
every_linear = of([e for e in ENTRIES if isinstance(e.made, LinearLearner)])
every_weighing = of([entry for entry in ENTRIES if hasattr(entry.made, "coef_")])
every_exact = of([entry for entry in ENTRIES if entry.exact])


def newborn(entry: Entry) -> Any:
    return entry.made.clone()


@every
def test_scores_and_features_never_seen_change_nothing(entry: Entry) -> None:
    world = fixed_world(entry)
    learner = newborn(entry)
    learner.play(world.X, world.y)
    before = snapshot(learner)
    learner.decision_function(world.X)
    learner.predict_one({"never seen": 1.0, 4_000_000_000: 1.0})
    learner.score_one([1.0] * 50)
    assert snapshot(learner) == before


@every
def test_float32_and_float64_of_the_same_values_give_equal_bits(entry: Entry) -> None:
    world = fixed_world(entry)
    single = world.X.astype(np.float32)
    first, second, third = newborn(entry), newborn(entry), newborn(entry)
    first.play(single.astype(np.float64), world.y)
    second.play(single, world.y)
    third.play(sp.csr_array(single), world.y)
    assert learned(first) == learned(second) == learned(third)


def shuffled(X: NDArray[np.float64], kind: Any, index: Any) -> sp.csr_matrix:
    """Return the cells that are not zero as CSR, the columns of a row in any order."""
    rng = np.random.default_rng(1)
    rows = [rng.permutation(np.flatnonzero(x)) for x in X]
    made = sp.csr_matrix(X.shape, dtype=kind)
    made.indices = np.concatenate(rows).astype(index)
    made.indptr = np.cumsum([0, *map(len, rows)]).astype(index)
    made.data = np.concatenate([x[row] for x, row in zip(X, rows, strict=True)])
    made.data = made.data.astype(kind)
    return made


@pytest.mark.parametrize("entry", some(ENTRIES, 2), ids=str)
def test_columns_in_any_order_and_of_any_type_give_equal_bits(entry: Entry) -> None:
    world = fixed_world(entry)
    single = world.X.astype(np.float32).astype(np.float64)
    one_by_one = newborn(entry)
    predictions = []
    for x, y in zip(shuffled(single, np.float64, np.int32), world.y, strict=True):
        predictions.append(one_by_one.predict_one(x))
        one_by_one.learn_one(x, y)
    for kind in (np.float32, np.float64):
        for index in (np.int32, np.int64):
            X = shuffled(single, kind, index)
            learner = newborn(entry)
            assert learner.play(X, world.y).tolist() == predictions
            assert learned(learner) == learned(one_by_one)
            scores = learner.decision_function(X)
            assert bits(scores) == bits(one_by_one.decision_function(X))


@every_exact
def test_the_order_of_columns_does_not_matter_to_sums_that_are_exact(
    entry: Entry,
) -> None:
    world = fixed_world(entry)
    first, second = newborn(entry), newborn(entry)
    first.play(sp.csr_array(world.X), world.y)
    second.play(shuffled(world.X, np.float64, np.int64), world.y)
    assert learned(first) == learned(second)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_bad_columns_are_found_late_among_rows_out_of_order(index: Any) -> None:
    # More rows than there are stamps; twice, because stamps outlive a refusal.
    rows, width = 70_000, 5
    columns = np.tile(np.array([4, 0, 3], dtype=index), rows)
    X = sp.csr_matrix((rows, width))
    X.indptr = np.arange(0, 3 * rows + 1, 3, dtype=index)
    X.indices, X.data = columns, np.ones(3 * rows)
    y = np.zeros(rows, dtype=bool)
    learner = linear.Perceptron()
    learner.play(X, y)
    for row in (1, 2, 65_534, 65_535, 65_536, rows - 1):
        for at, column, message in (
            (1, 4, "got 4 twice"),
            (2, 4, "got 4 twice"),
            (2, 0, "got 0 twice"),
            (1, 5, "within the declared width .*, got 5"),
            (1, -1, "within the declared width .*, got -1"),
            (1, np.iinfo(index).min, "within the declared width"),
            (2, np.iinfo(index).max, "within the declared width"),
        ):
            good = columns[3 * row + at]
            columns[3 * row + at] = column
            for _ in range(2):
                with pytest.raises(FeatureError, match=f"row {row}: .*{message}"):
                    learner.play(X, y)
            columns[3 * row + at] = good
    learner.play(X, y)


@pytest.mark.parametrize("before", [0, 1], ids=["in order", "after another order"])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_bad_columns_are_found_wherever_they_are(index: Any, before: int) -> None:
    # Longer than two of the widest registers, and not a multiple.
    size = 39
    X = sp.csr_matrix((1 + before, size))
    X.indptr = np.arange(0, size * (1 + before) + 1, size, dtype=index)
    X.data = np.ones(size * (1 + before))
    for at in range(size):
        for column in (-1, np.iinfo(index).min, np.iinfo(index).max, size):
            X.indices = np.tile(np.arange(size, dtype=index), 1 + before)
            if before:
                X.indices[[0, 1]] = 1, 0
            X.indices[before * size + at] = column
            with pytest.raises(FeatureError, match=f"row {before}: .*, got {column}"):
                linear.Perceptron().play(X, [False] * (1 + before))
        other = (at + 7) % size
        X.indices[before * size + at] = other
        with pytest.raises(FeatureError, match=f"row {before}: .* got {other} twice"):
            linear.Perceptron().play(X, [False] * (1 + before))


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
    elif entry.made.outcome is Outcome.NUMBER:
        means = entry.made.get_params().get("loss") == "poisson"
        expected = np.exp(scores) if means else scores
        assert np.allclose(learner.predict(world.X), expected, rtol=1e-15, atol=0)
        expected = [learner.predict_one(x) for x in world.X]
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
        v for v in entry.values if (v if powers else v * 4) in (0, *range(-12, 13))
    )
    world = fixed_world(replace(entry, values=exact))
    forward, backward = newborn(entry), newborn(entry)
    for x, label in world.examples():
        forward.learn_one(x, label)
        backward.learn_one(dict(reversed(x.items())), label)
    assert learned(forward) == learned(backward)


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


DIVIDES_BY_SQUARES = (
    linear.PassiveAggressive,
    linear.SecondOrderPerceptron,
    linear.AROW,
    linear.MulticlassPassiveAggressive,
)


@of([entry for entry in ENTRIES if isinstance(entry.made, DIVIDES_BY_SQUARES)])
def test_values_whose_squares_are_no_numbers_are_refused(entry: Entry) -> None:
    # A full matrix starts large enough for small ones.
    small = [1e-160, 5e-324] if getattr(entry.made, "diagonal", True) else []
    learner = newborn(entry)
    learner.play([[1.0, 1.0], [1.0, 0.5]], [False, True])
    before = snapshot(learner)
    for value in (1e160, -1e308, *small):
        for x in ({0: value}, [0.0, value], ([1], [value])):
            with pytest.raises(ExampleError, match="values are too large or too small"):
                learner.learn_one(x, y=False)
        for block in (np.array([[0.0, value]]), sp.csr_array([[0.0, value]])):
            with pytest.raises(ExampleError, match="row 0: .*too large or too small"):
                learner.play(block, [False])
    assert snapshot(learner) == before
    for value in small:
        learner.learn_one([1.0, value], y=False)  # beside a larger one it is no harm
