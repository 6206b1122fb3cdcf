"""What all learners that vote share: ways to be fed, books, and what they refuse."""

from __future__ import annotations

import math
import pickle
from collections import OrderedDict
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given

from ballots import Ballots, large, snapshot
from littlestone import run
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.experts import (
    FloorWeightedMajority,
    Halving,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from littlestone.learner.advice import as_advice

LEARNERS = [
    Halving(),
    Halving(restart=True),
    Halving(restart=True, keep_losses=False),
    WeightedMajority(0.3),
    FloorWeightedMajority(),
    RandomizedWeightedMajority(0.3, seed=5),
]
NAMES = ["ann", "bob", "cyd"]

every = pytest.mark.parametrize("made", LEARNERS, ids=str)
pytestmark = pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning")


def newborn(made: Any, **parameters: Any) -> Any:
    return type(made)(**{**made.get_params(), **parameters})


def taught(made: Any) -> Any:
    """Return a learner of three experts after two rounds, one with a sleeper."""
    learner = newborn(made, experts=NAMES)
    learner.learn_one([True, False, True], True)
    learner.learn_one({"ann": False, "cyd": True}, False)
    return learner


# Ways to be fed ---------------------------------------------------------------------


@every
@given(ballots=large(sleepy=True))
def test_rounds_one_by_one_and_in_blocks_are_the_same(
    made: Any, ballots: Ballots
) -> None:
    single, block, blocks, rows = (newborn(made, experts=ballots.first) for _ in "1234")
    said = [single.play_one(x, y) for x, y in ballots.rounds()]
    votes, y, awake = ballots.votes, ballots.labels, ballots.awake
    assert block.play(votes, y, awake=awake).tolist() == said
    for part in (slice(7), slice(7, 8), slice(8, None)):
        blocks.play(votes[part].astype(float), y[part], awake=awake[part])
    numbers = np.where(awake, np.where(votes, 1.0, -1.0), np.nan)
    rows.play(as_advice(numbers, missing="sleep"), np.where(y, 1, -1))
    for other in (block, blocks, rows):
        assert snapshot(other) == snapshot(single)
    again = [single.predict_one(x) for x, _ in ballots.rounds()]
    assert single.predict(votes, awake=awake).tolist() == again
    assert snapshot(single) == snapshot(block)


@every
@given(ballots=large())
def test_a_record_counts_the_same_mistakes(made: Any, ballots: Ballots) -> None:
    learner = newborn(made)
    record = run(learner, list(ballots.rounds()))
    assert (record.mistakes, record.rounds) == (learner.loss_, len(ballots))
    assert record.updates == learner.updates_ == len(ballots)


@every
def test_advice_comes_in_many_shapes(made: Any) -> None:
    expected = newborn(made, experts=NAMES)
    expected.learn_one([True, False, False], True)
    named = {"ann": True, "bob": False, "cyd": False}
    shapes: list[Any] = [
        (True, False, False),
        [1, 0, 0],
        [1, -1, -1],
        [1.0, 0.0, -1.0],
        np.array([True, False, False]),
        np.array([1, 0, 0]),
        named,
        dict(reversed(named.items())),
        OrderedDict(named),
        MappingProxyType(named),
        pd.Series(named),
    ]
    for x in shapes:
        for y in (True, 1, 1.0, np.True_, np.int8(1)):
            learner = newborn(made, experts=NAMES)
            said = learner.predict_one(x)
            assert learner.play_one(x, y) is said
            assert snapshot(learner) == snapshot(expected), (x, y)


@every
def test_frames_name_their_columns(made: Any) -> None:
    F = {"ann": [1, 0], "bob": [0, 0], "cyd": [0, 1]}
    expected = newborn(made, experts=NAMES)
    said = expected.play([[1, 0, 0], [0, 0, 1]], [1, 1]).tolist()
    for frame in (pd.DataFrame(F), pl.DataFrame(F)):
        learner = newborn(made)
        assert learner.play(frame, [1, 1]).tolist() == said
        assert learner.experts_ == NAMES
        shuffled = newborn(made, experts=NAMES)
        assert shuffled.play(frame[["cyd", "ann", "bob"]], [1, 1]).tolist() == said
        assert snapshot(shuffled) == snapshot(expected)
        absent = newborn(made, experts=NAMES)
        absent.play(frame[["cyd", "ann"]], [1, 1])  # bob sleeps
        assert absent.weights_["bob"] >= expected.weights_["bob"]


@every
def test_the_first_advice_tells_who_the_experts_are(made: Any) -> None:
    learner = newborn(made)
    assert (learner.experts_, learner.updates_) == ([], 0)
    x = {"bob": True, "ann": False}
    foreseen = learner.predict_one(x)
    assert snapshot(learner) == snapshot(newborn(made))  # to ask is not to meet
    assert learner.play_one(x, True) is foreseen
    assert learner.experts_ == ["bob", "ann"]
    by_position = newborn(made)
    by_position.learn_one([True, False], True)
    assert by_position.experts_ == [0, 1]
    assert list(by_position.weights_.values()) == list(learner.weights_.values())


@every
def test_a_weight_is_a_number_of_repetitions(made: Any) -> None:
    once, often = newborn(made, experts=3), newborn(made, experts=3)
    for _ in range(3):
        once.learn_one([True, False, False], True)
    often.play([[True, False, False]] * 2, [True, True], [3, 0])
    assert snapshot(often) == snapshot(once)
    often.play_one([True, False, False], True, 0)
    assert snapshot(often) == snapshot(once)


@every
def test_one_expert_alone_is_always_followed(made: Any) -> None:
    learner = newborn(made, restart=True) if "restart" in made.get_params() else made
    learner = newborn(learner)
    for x, y in [(True, False), (False, True), (True, True), (False, False)]:
        assert learner.play_one([x], y) is x
    assert dict(learner.weights_) == {0: 1.0}
    assert learner.loss_ == 2


@every
def test_no_rounds_are_no_rounds(made: Any) -> None:
    learner = taught(made)
    before = snapshot(learner)
    assert learner.play(np.empty((0, 3)), []).tolist() == []
    assert learner.play(np.empty((0, 3), dtype=bool), []).tolist() == []
    assert learner.predict(np.empty((0, 3))).tolist() == []
    assert snapshot(learner) == before


@every
@pytest.mark.parametrize("size", [1, 8, 64, 70, 1025])
def test_weights_sum_to_one(made: Any, size: int) -> None:
    learner = newborn(made)
    rng = np.random.default_rng(size)
    learner.play(rng.random((100, size)) < 0.6, rng.random(100) < 0.6)
    weights = np.asarray(learner.weights_)
    assert len(weights) == size
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1, abs=1e-12)


# What every learner does ------------------------------------------------------------


@every
def test_it_is_a_learner_like_others(made: Any) -> None:
    learner = taught(made)
    copy = pickle.loads(snapshot(learner))  # noqa: S301 - our own bytes
    assert snapshot(copy) == snapshot(learner)
    assert dict(copy.weights_) == dict(learner.weights_)
    x = [False, True, True]
    assert copy.play_one(x, False) is learner.play_one(x, False)
    assert snapshot(copy) == snapshot(learner)
    copy.join("dan")
    assert learner.experts_ == NAMES  # the copy went its own way
    assert copy.experts_ == [*NAMES, "dan"]
    again = pickle.loads(snapshot(copy))  # noqa: S301 - our own bytes
    assert again.play_one({"dan": True}, False) is copy.play_one({"dan": True}, False)
    assert snapshot(again) == snapshot(copy)
    assert learner.clone().updates_ == 0
    assert snapshot(learner.clone()) == snapshot(newborn(made, experts=NAMES))
    assert eval(repr(learner)).get_params() == learner.get_params()  # noqa: S307 - our own repr
    assert learner.set_params().updates_ == 0


# What is refused --------------------------------------------------------------------

NAN, INF = math.nan, math.inf

REFUSED: list[tuple[Any, Any, type[LittlestoneError], str]] = [
    ([True, False], True, FeatureError, "for each of 3 experts, got 2"),
    ([True] * 4, True, FeatureError, "for each of 3 experts, got 4"),
    ([], True, FeatureError, "for each of 3 experts, got 0"),
    ([True, 2, True], True, FeatureError, "expert 'bob' must predict .* got 2"),
    ([True, 0.5, True], True, FeatureError, "expert 'bob' must predict .* got 0.5"),
    ([True, NAN, True], True, FeatureError, "expert 'bob' must predict .* got nan"),
    ([True, True, INF], True, FeatureError, "expert 'cyd' must predict .* got inf"),
    ([True, None, True], True, FeatureError, "expert 'bob' must predict .* got None"),
    ([True, "no", True], True, FeatureError, "expert 'bob' must predict .* got 'no'"),
    ({"ann": True, "bob": 7}, True, FeatureError, "expert 'bob' must predict"),
    ({"ann": True, "dan": True}, True, FeatureError, "must be known, got 'dan'"),
    ({"ann": True, 0: True}, True, FeatureError, "must be known, got 0"),
    ({}, True, ExampleError, "at least one expert must be awake"),
    ("yes", True, ExampleError, "advice must be a sequence"),
    (7, True, ExampleError, "advice must be a sequence"),
    (None, True, ExampleError, "advice must be a sequence"),
]
BAD_LABELS: list[Any] = [2, 0.5, NAN, None, "yes", [True]]


def refuses(learner: Any, error: Any, message: str, call: Any, *given: Any) -> None:
    """Check that a call is refused, and that the learner stays as it was."""
    before = snapshot(learner)
    with pytest.raises(error, match=message):
        call(*given)
    assert snapshot(learner) == before


@every
@pytest.mark.parametrize(("x", "y", "error", "message"), REFUSED, ids=str)
def test_advice_that_is_refused_changes_nothing(
    made: Any, x: Any, y: Any, error: type[LittlestoneError], message: str
) -> None:
    learner = taught(made)
    message = f"^{type(made).__name__}: .*{message}"
    refuses(learner, error, message, learner.play_one, x, y)
    refuses(learner, error, message, learner.learn_one, x, y, 2)
    refuses(learner, error, message, learner.predict_one, x)


@every
@pytest.mark.parametrize("y", BAD_LABELS, ids=str)
def test_a_label_that_is_refused_changes_nothing(made: Any, y: Any) -> None:
    learner, message = taught(made), "a label must be True/1 or False/0/-1"
    for x in ([True, False, True], {"ann": True}, {"bob": False, "cyd": True}):
        refuses(learner, LabelError, message, learner.play_one, x, y)
        refuses(learner, LabelError, message, learner.learn_one, x, y, 2)
    new = newborn(made)
    refuses(new, LabelError, message, new.play_one, [True, False], y)
    assert new.experts_ == []


@every
@pytest.mark.parametrize("x", [[True, 2], {"ann": 0.5}, {}, [], "yes", None], ids=str)
def test_a_refused_first_round_leaves_nobody_behind(made: Any, x: Any) -> None:
    learner = newborn(made)
    refuses(learner, LittlestoneError, ".", learner.play_one, x, True)
    refuses(learner, LittlestoneError, ".", learner.predict_one, x)
    refuses(learner, LittlestoneError, ".", learner.play, [x], [True])
    refuses(learner, LittlestoneError, ".", learner.predict, [x])
    assert learner.experts_ == []
    assert learner.play_one([True] * 5, True) is True  # others may come


@every
@pytest.mark.parametrize(
    ("F", "y", "error", "message"),
    [
        ([[1, 0, 2]], [1], FeatureError, "row 0: .*expert 'cyd' must predict .* got 2"),
        ([[1, 0.5, 0]], [1], FeatureError, "row 0: .*expert 'bob' .* got 0.5"),
        ([[1, NAN, 0]], [1], FeatureError, "row 0: expert 1 must predict .* got nan"),
        ([[1, 0, 1], [1, INF, 0]], [1, 1], FeatureError, "row 1: expert 1 .* got inf"),
        ([[1, 0]], [1], FeatureError, "for each of 3 experts, got 2"),
        ([[1, 0, 1]], [2], LabelError, "row 0: a label must be .* got 2"),
        ([[1, 0, 1]] * 2, [1, 0.5], LabelError, "row 1: a label must be"),
        ([[1, 0, 1]] * 3, [1, 0, -1], LabelError, "row 2: labels must be"),
        ([[1, 0, 1]], [1, 0], ParameterError, "one label for each of 1 rows"),
        ([1, 0, 1], [1], ParameterError, "must have two dimensions"),
        ([{"dan": 1}], [1], FeatureError, "must be known, got 'dan'"),
        ([{"ann": 1}, {}], [1, 1], ExampleError, "row 1: at least one expert"),
        (np.ma.masked_array([[1, 0, 1]]), [1], ParameterError, "no masked cells"),
    ],
    ids=str,
)
def test_a_block_that_is_refused_changes_nothing(
    made: Any, F: Any, y: Any, error: Any, message: str
) -> None:
    learner = taught(made)
    refuses(learner, error, message, learner.play, F, y)
    new = newborn(made)
    if "for each of 3" not in message and "must be known" not in message:
        unnamed = message.replace("'bob'", "1").replace("'cyd'", "2")
        refuses(new, error, unnamed, new.play, F, y)


@every
def test_a_row_that_is_refused_is_named_and_never_half_learned(made: Any) -> None:
    F = np.array([[1, 0, 1], [0, 1, 1], [1, 3, 0], [0, 0, 1]])
    learner = taught(made)
    with pytest.raises(
        FeatureError, match="row 2: .*expert 'bob' .* got 3.0"
    ) as caught:
        learner.play(F, [1, 0, 1, 1])
    played = caught.value.rounds or 0
    expected = taught(made)
    expected.play(F[:played], [1, 0, 1, 1][:played])
    assert snapshot(learner) == snapshot(expected)


@every
def test_a_mask_that_is_refused_changes_nothing(made: Any) -> None:
    learner = taught(made)
    F, y = [[1, 0, 1], [0, 1, 1]], [1, 0]
    for awake, message in [
        ([[1, 1, 1]], "in the shape"),
        ([[1, 1, 1], [0, 0, 0]], "row 1: at least one expert must be awake"),
        ([[1, 2, 1], [1, 1, 1]], "must be truth values"),
    ]:
        play = partial(learner.play, F, y, awake=awake)
        refuses(learner, LittlestoneError, message, play)


@every
@pytest.mark.parametrize("weight", [-1, 0.5, 2**32, NAN])
def test_a_weight_that_is_no_number_of_repetitions(made: Any, weight: Any) -> None:
    learner, message = taught(made), "a sample weight must be"
    refuses(learner, ParameterError, message, learner.play_one, [1, 0, 1], 1, weight)
    refuses(learner, ParameterError, message, learner.play, [[1, 0, 1]], [1], [weight])


@every
@pytest.mark.parametrize(
    ("experts", "message"),
    [
        (0, "there must be at least one expert, got 0"),
        (-1, "there must be at least one expert, got -1"),
        ([], "there must be at least one expert, got none"),
        ({}, "there must be at least one expert, got none"),
        (["ann", "bob", "ann"], "each expert must appear once, got 'ann' twice"),
        ("ann", "experts must be a number, names, or names with priors, got 'ann'"),
        (2.5, "experts must be a number, names, or names with priors, got 2.5"),
        (True, "experts must be a number, names, or names with priors, got True"),
        ({"ann": 0}, "a prior must exceed 0, got 0"),
        ({"ann": -1}, "a prior must exceed 0, got -1"),
        ({"ann": NAN}, "a prior must exceed 0, got nan"),
        ({"ann": INF}, "a prior must exceed 0, got inf"),
        ({"ann": "1"}, "a prior must exceed 0, got '1'"),
    ],
    ids=str,
)
def test_experts_that_make_no_sense(made: Any, experts: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"^{type(made).__name__}: {message}"):
        newborn(made, experts=experts)


@every
def test_a_newcomer_that_is_refused_changes_nothing(made: Any) -> None:
    named, numbered, new = taught(made), newborn(made, experts=3), newborn(made)
    refuses(named, ParameterError, "a name of its own, got 'bob'", named.join, "bob")
    refuses(named, ParameterError, "a name of its own, got None", named.join)
    message = "the next must be 3, got "
    refuses(numbered, ParameterError, message + "5", numbered.join, 5)
    refuses(numbered, ParameterError, message + "'dan'", numbered.join, "dan")
    refuses(new, ParameterError, "got none yet", new.join)
    for prior in (0, 1, -0.5, 1.5, NAN, "0.5"):
        refuses(named, ParameterError, "prior", named.join, "dan", prior)


@every
def test_newcomers_are_known_by_name_or_by_the_next_position(made: Any) -> None:
    named, numbered = newborn(made, experts=NAMES), newborn(made, experts=3)
    assert named.join("dan") is named
    assert numbered.join().join(4).experts_ == [0, 1, 2, 3, 4]
    assert named.experts_ == [*NAMES, "dan"]
    assert dict(named.weights_) == pytest.approx(dict.fromkeys(named.experts_, 0.25))
    assert named.play_one({"dan": False}, False) is False
    assert numbered.play_one({4: False}, False) is False
    with pytest.raises(FeatureError, match="for each of 4 experts, got 3"):
        named.predict_one([True] * 3)
