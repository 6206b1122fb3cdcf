"""Following the majority says what was true more often, and can be wrong throughout."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import LabelError, ParameterError
from littlestone.experts import FollowTheMajority
from littlestone.verifying import twins

labels = st.lists(st.booleans(), max_size=60)

# By hand ----------------------------------------------------------------------------


def test_it_says_yes_at_birth_and_at_every_tie() -> None:
    learner = FollowTheMajority()
    assert learner.predict_one(None) is True
    learner.learn_one(None, False)
    assert learner.predict_one(None) is False
    learner.learn_one(None, True)
    assert learner.predict_one(None) is True
    assert (learner.lead_, learner.updates_) == (0, 2)


@pytest.mark.parametrize("x", [None, {}, [], {"a": 1.0}, [1.0, 2.0], "anything", 7])
def test_it_does_not_look_at_the_example(x: Any) -> None:
    learner = FollowTheMajority()
    assert learner.play_one(x, False) is True
    assert learner.play_one(x, False) is False
    assert learner.lead_ == -2


def test_a_weight_counts_that_often() -> None:
    learner = FollowTheMajority()
    learner.learn_one(None, True, 3)
    learner.learn_one(None, False, 0)
    learner.learn_one(None, False, 2)
    assert (learner.lead_, learner.updates_) == (1, 5)
    learner.learn_one(None, False, 2**32 - 1)
    assert learner.updates_ == 2**32 + 4


def test_it_plays_blocks() -> None:
    learner = FollowTheMajority()
    assert learner.play(np.zeros((3, 2)), [0, 0, 1]).tolist() == [True, False, False]
    assert learner.predict([None, None]).tolist() == [False, False]
    assert learner.fit([None], [1]).lead_ == 1


# What the theorem says --------------------------------------------------------------


@given(labels)
def test_it_errs_as_the_best_constant_does_and_once_a_tie_that_no_follows(
    told: list[bool],
) -> None:
    record = run(FollowTheMajority(), [(None, y) for y in told])
    best = min(told.count(True), told.count(False))
    ties = [t for t in range(len(told)) if 2 * told[:t].count(True) == t]
    assert record.mistakes == best + sum(not told[t] for t in ties)
    assert record.mistakes <= 2 * best + 1


@given(st.integers(1, 60))
def test_it_errs_in_every_round_of_an_alternating_sequence(rounds: int) -> None:
    record = run(FollowTheMajority(), [(None, t % 2 == 1) for t in range(rounds)])
    assert record.mistakes == rounds
    assert rounds % 2 == 0 or record.mistakes == 2 * (rounds // 2) + 1


# What the twin says -----------------------------------------------------------------


@given(labels)
def test_it_equals_its_twin(told: list[bool]) -> None:
    learner, twin = FollowTheMajority(), twins.FollowTheMajority()
    for y in told:
        said = learner.predict_one(None)
        assert learner.play_one(None, y) == said == twin.play(None, y)
    assert learner.updates_ == twin.updates == len(told)
    assert learner.lead_ == 2 * told.count(True) - len(told)


# What every learner does --------------------------------------------------------------


def test_it_is_a_learner_like_others() -> None:
    learner = FollowTheMajority()
    learner.play([{}] * 3, [0, 0, 1])
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert (copy.lead_, copy.updates_) == (-1, 3)
    assert repr(learner) == "FollowTheMajority()"
    assert learner.get_params() == {}
    assert learner.clone().updates_ == 0
    assert learner.set_params().updates_ == 0
    with pytest.raises(ParameterError, match="got 'nonsense'"):
        learner.set_params(nonsense=1)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize("label", [2, "yes", None, 0.5])
def test_a_label_that_is_neither_yes_nor_no_changes_nothing(label: Any) -> None:
    learner = FollowTheMajority()
    with pytest.raises(LabelError, match="a label must be True/1 or False/0/-1"):
        learner.learn_one(None, label)
    with pytest.raises(LabelError, match="a label must be True/1 or False/0/-1"):
        learner.play_one(None, label)
    assert learner.updates_ == 0


@pytest.mark.parametrize("weight", [-1, 0.5, 2**32, float("nan")])
def test_a_weight_that_is_no_number_of_repetitions(weight: Any) -> None:
    learner = FollowTheMajority()
    with pytest.raises(ParameterError, match="a sample weight must be a whole"):
        learner.learn_one(None, True, weight)
    assert learner.updates_ == 0
