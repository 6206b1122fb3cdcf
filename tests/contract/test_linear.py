"""What linear learners promise beyond the contract: scores, weights, exact sums."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from families import bits, snapshot
from families import learned_linear as learned
from littlestone import linear
from littlestone.errors import (
    ExampleError,
)
from littlestone.linear._base import LinearLearner
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
