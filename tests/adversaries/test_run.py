"""A run against an adversary is recorded as one over a stream is."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from littlestone import run
from littlestone.adversaries import (
    Adversary,
    AlternatingAdversary,
    PerceptronAdversary,
    RandomExperts,
)
from littlestone.errors import ExampleError, FeatureError, LabelError, ParameterError
from littlestone.experts import Cover, FollowTheMajority
from littlestone.linear import MulticlassPerceptron, Perceptron, Winnow
from littlestone.running import Batch


class Moody:
    """Not ours: says something else each time it is asked."""

    def __init__(self) -> None:
        self.random = random.Random(0)  # noqa: S311 - moods, not secrets
        self.asked = 0

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Flip a coin."""
        self.asked += 1
        return self.random.random() < 0.5

    def learn_one(self, x: Any, y: bool) -> None:
        """Learn nothing."""


class Silent:
    """Not ours: has nothing to say until it was told something, and keeps a log."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def predict_one(self, x: Any) -> bool | None:
        """Repeat the last label."""
        self.log.append(("predict", x))
        return self.log[-2][2] if len(self.log) > 1 else None

    def learn_one(self, x: Any, y: bool) -> None:
        """Remember the label."""
        self.log.append(("learn", x, y))


class Signs(Adversary):
    """Somebody else's adversary: it says -1 and 1, and stops when it likes."""

    rounds = 3

    def __init__(self) -> None:
        self.restart()

    @property
    def best_(self) -> int:
        """Nobody asks."""
        return 0

    def restart(self) -> None:
        """Begin again."""
        self.at = 0

    def ask(self) -> Any:
        """Show the number of the round."""
        return None if self.at == self.rounds else {"round": float(self.at)}

    def answer(self, prediction: bool) -> Any:
        """Contradict."""
        assert isinstance(prediction, bool)
        self.at += 1
        return -1 if prediction else 1


def test_the_record_is_that_of_the_stream_it_became() -> None:
    adversary = PerceptronAdversary(0.2)
    batches: list[Batch] = []
    record = run(Perceptron(), adversary, observe=batches.append)
    labels = np.concatenate([batch.labels for batch in batches])
    assert labels.dtype == np.bool_
    stream = [({i: 1.0}, bool(y)) for i, y in enumerate(labels)]
    assert run(Perceptron(), stream) == record
    assert record.mistake_rounds is not None
    assert record.mistake_rounds.tolist() == list(range(24))
    assert record.curve[-1][:2] == (24, 24)
    assert record.passes == 1
    assert [batch.features(0) for batch in batches] == [1]
    assert record.learner.name == "Perceptron"


def test_an_oblivious_adversary_is_a_stream() -> None:
    adversary = RandomExperts(3, rounds=3_000)
    batches: list[Batch] = []
    learner = FollowTheMajority()
    record = run(learner, adversary, observe=batches.append)
    assert len(batches[0]) <= 1_024
    assert sum(map(len, batches)) == 3_000
    assert record == run(FollowTheMajority(), adversary.stream())
    assert 0 < record.mistakes < 3_000
    assert learner.updates_ == 3_000


def test_predict_comes_before_the_label_and_is_asked_once() -> None:
    learner = Silent()
    record = run(learner, AlternatingAdversary(3))
    assert learner.log == [
        ("predict", {}),
        ("learn", {}, True),  # silence means no
        ("predict", {}),
        ("learn", {}, False),
        ("predict", {}),
        ("learn", {}, True),
    ]
    assert record.mistakes == 3
    assert repr(record) == "Record(Silent: 3 rounds, 3 mistakes (100.00%))"


def test_who_never_repeats_itself_is_held_to_what_it_said() -> None:
    learner = Moody()
    assert run(learner, AlternatingAdversary(100)).mistakes == 100
    assert learner.asked == 100


def test_who_draws_lots_is_held_to_what_it_drew() -> None:
    learner, adversary = Cover(50), AlternatingAdversary(50)
    assert run(learner, adversary).mistakes == 50
    # Its theorem speaks of sequences that do not hear the draws.
    assert learner.expected_mistakes_ < 50


def test_a_learner_of_classes_is_told_yes_and_no() -> None:
    learner = MulticlassPerceptron()
    record = run(learner, AlternatingAdversary(4))
    assert record.mistakes == 4
    assert set(learner.classes_) == {True, False}


def test_anybodys_adversary_plays() -> None:
    batches: list[Batch] = []
    record = run(Perceptron(), Signs(), observe=batches.append)
    assert record.rounds == 3
    assert record.mistakes == 3
    # The first example is 0 and the second has weight 0: both say yes, and then no.
    assert batches[0].labels.tolist() == [False, False, True]
    assert batches[0].labels.dtype == np.bool_


def test_memory_need_not_grow() -> None:
    record = run(FollowTheMajority(), AlternatingAdversary(10), keep="nothing")
    assert record.mistake_rounds is None
    assert record.mistakes == 10


# What is refused ----------------------------------------------------------------------


def test_an_adversary_is_met_once() -> None:
    with pytest.raises(ParameterError, match="2 passes, got .* AlternatingAdversary"):
        run(FollowTheMajority(), AlternatingAdversary(3), passes=2)


def test_a_question_that_is_refused_is_named_by_its_round() -> None:
    class Steep(PerceptronAdversary):
        """Shows 2 in round 3, which Winnow refuses."""

        def _example(self, at: int) -> dict[int, float]:
            return {at: 2.0 if at == 3 else 1.0}

    learner = Winnow(threshold=2)
    with pytest.raises(FeatureError, match=r"round 3: .* \[0, 1\], got 2.0; 3 rounds"):
        run(learner, Steep(0.2))
    assert learner.updates_ == 3


def test_a_learner_that_has_no_rounds_left_is_named() -> None:
    learner, batches = Cover(horizon=5), list[Batch]()
    message = "round 5: Cover: there must be at most horizon = 5 rounds"
    with pytest.raises(ExampleError, match=message) as caught:
        run(learner, AlternatingAdversary(9), observe=batches.append)
    assert caught.value.rounds == 5
    assert sum(map(len, batches)) == 5
    assert learner.updates_ == 5


def test_a_prediction_must_be_yes_or_no() -> None:
    class Undecided(Silent):
        """Says a half."""

        def predict_one(self, x: Any) -> Any:  # noqa: ARG002 - it does not look
            """Say a half."""
            return 0.5

    learner = Undecided()
    with pytest.raises(LabelError, match="round 0: .* got 0.5"):
        run(learner, AlternatingAdversary(3))
    assert learner.log == []
