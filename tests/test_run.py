"""Running keeps the record straight, whichever way the rounds are played."""

from __future__ import annotations

import json
import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from littlestone import Record, run, streams
from littlestone.errors import BusyError, FeatureError, LabelError, ParameterError
from littlestone.learner import Learner, objects
from littlestone.linear import MulticlassPerceptron, Perceptron, VotedPerceptron
from littlestone.run import LearnerCard, Turn


class Majority(Learner):
    """Says what it was told more often: a learner in plain Python."""

    def __init__(self, *, start: int = 0) -> None:
        self.start = start
        self._balance = start

    @property
    def updates_(self) -> int:
        """Every round counts."""
        return abs(self._balance - self.start)

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Say yes unless no leads."""
        return self._balance >= 0

    def learn_one(self, x: Any, y: object, sample_weight: int = 1) -> None:  # noqa: ARG002 - it does not look
        """Count the label."""
        self._balance += sample_weight if y else -sample_weight


class Stranger:
    """Not ours: predicts and learns, and at first has nothing to say."""

    def __init__(self) -> None:
        self.last: bool | None = None

    def predict_one(self, x: Any) -> bool | None:  # noqa: ARG002 - it does not look
        """Repeat the last label."""
        return self.last

    def learn_one(self, x: Any, y: bool) -> None:  # noqa: ARG002 - it does not look
        """Remember the label."""
        self.last = y


def alternating(rounds: int) -> list[tuple[dict[str, float], bool]]:
    return [({"a": 1.0}, t % 2 == 0) for t in range(rounds)]


def test_the_record_says_what_happened() -> None:
    record = run(Perceptron(bias=1), alternating(5))
    assert record.rounds == 5
    assert record.mistakes == 4
    assert record.updates == 4
    assert record.mistake_rounds is not None
    assert record.mistake_rounds.tolist() == [1, 2, 3, 4]
    assert record.curve == ((1, 0), (2, 1), (3, 2), (4, 3), (5, 4))
    assert record.rate == 0.8
    assert record.learner == LearnerCard(
        "Perceptron", {"update": "mistake", "normalize": False, "bias": 1}
    )
    assert (
        repr(record) == "Record(Perceptron: 5 rounds, 4 mistakes (80.00%), 4 updates)"
    )
    assert json.loads(json.dumps(record.to_dict())) == record.to_dict()


def test_an_empty_stream_gives_an_empty_record() -> None:
    record = run(Perceptron(), [])
    assert (record.rounds, record.mistakes, record.updates) == (0, 0, 0)
    assert record.curve == ()
    assert record.rate == 0.0


def test_updates_are_counted_from_where_the_learner_stands() -> None:
    learner = Perceptron()
    first = run(learner, alternating(10))
    second = run(learner, alternating(10))
    assert first.updates is not None
    assert second.updates is not None
    assert learner.updates_ == first.updates + second.updates


@pytest.mark.parametrize("rounds", [1, 511, 512, 513, 1_024, 5_000, 100_000])
def test_the_curve_has_a_few_hundred_points_and_ends_at_the_end(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    X, y = rng.normal(size=(rounds, 2)), rng.integers(2, size=rounds)
    record = run(Perceptron(), streams.arrays(X, y))
    assert record.mistake_rounds is not None
    assert len(record.curve) <= 513
    assert len(record.curve) >= min(rounds, 256)
    assert record.curve[-1] == (rounds, record.mistakes)
    for at, mistakes in record.curve:
        assert mistakes == np.count_nonzero(record.mistake_rounds < at)


def test_passes_number_the_rounds_on() -> None:
    stream = alternating(7)
    twice = run(Perceptron(), stream, passes=2)
    joined = run(Perceptron(), stream + stream)
    assert twice.passes == 2
    assert twice.to_dict() == joined.to_dict() | {"passes": 2}


def test_memory_need_not_grow() -> None:
    record = run(Perceptron(), alternating(10), keep="nothing")
    assert record.mistake_rounds is None
    assert record.mistakes == 9
    assert record.to_dict()["mistake_rounds"] is None


def test_a_learner_in_plain_python_runs_as_well() -> None:
    record = run(Majority(), alternating(6))
    assert record.mistakes == 3
    assert record == run(
        Majority(), streams.arrays(np.ones((6, 1)), [1, 0, 1, 0, 1, 0])
    )
    learner = Majority(start=2)
    assert learner.play([[1.0], [1.0]], [0, 0]).tolist() == [True, True]
    assert learner.predict([[1.0]]).tolist() == [True]
    assert repr(learner.clone()) == "Majority(start=2)"


def test_anything_that_predicts_and_learns_runs() -> None:
    record = run(Stranger(), alternating(6))
    assert record.mistakes == 6  # silence counts as no
    assert record.updates is None
    assert repr(record) == "Record(Stranger: 6 rounds, 6 mistakes (100.00%))"


def test_who_observes_sees_every_round_in_order() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40_000, 3)), rng.integers(2, size=40_000)
    for stream in (streams.arrays(X, y), list(zip(X, y, strict=True))):
        turns: list[tuple[int, int]] = []
        predictions: list[bool] = []

        def observe(turn: Any) -> None:
            turns.append((turn.first, len(turn)))  # noqa: B023 - called at once
            predictions.extend(turn.predictions.tolist())  # noqa: B023 - called at once

        record = run(Perceptron(), stream, observe=observe)
        assert len(turns) > 2
        assert [first for first, _ in turns] == [
            sum(size for _, size in turns[:k]) for k in range(len(turns))
        ]
        assert predictions == Perceptron().play(X, y).tolist()
        assert record.rounds == 40_000


def test_progress_lines_double(capsys: pytest.CaptureFixture[str]) -> None:
    run(Perceptron(), alternating(9), progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[2] for line in lines[2:]] == ["1", "2", "4", "8"]
    assert lines[-1].split() == ["0.875000", "1.000000", "8", "7", "0", "1", "1"]


def test_a_refused_example_is_named_by_its_round() -> None:
    stream = [*alternating(3), ({"a": float("nan")}, True)]
    seen = []
    learner = Perceptron()
    with pytest.raises(FeatureError) as caught:
        run(learner, stream, observe=lambda turn: seen.append(len(turn)))
    assert str(caught.value) == (
        "round 3: Perceptron: feature 'a' must be a finite number, got nan; "
        "3 rounds played"
    )
    assert seen == [3]
    with pytest.raises(
        LabelError, match=r"round 1: a label must be .*, got 2; 1 round"
    ):
        run(learner, [({"a": 1.0}, True), ({"a": 1.0}, 2)])
    with pytest.raises(
        LabelError, match="never mixed, got -1 as well; 2 rounds played"
    ):
        run(learner, [({"a": 1.0}, 0), ({"a": 1.0}, 1), ({"a": 1.0}, -1)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"passes": 0}, "passes must be a whole number above 0, got 0"),
        ({"passes": 1.5}, "passes must be a whole number above 0, got 1.5"),
        ({"keep": "everything"}, "keep must be 'mistakes', 'nothing' or 'updates'"),
    ],
)
def test_illegal_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        run(Perceptron(), alternating(1), **options)


def test_a_generator_cannot_be_read_twice() -> None:
    with pytest.raises(ParameterError, match="readable again for 2 passes"):
        run(Perceptron(), iter(alternating(3)), passes=2)


def test_control_c_stops_a_block_at_a_round(request: pytest.FixtureRequest) -> None:
    # A shell that starts the tests in the background has them ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    # Column numbers this large are looked up one by one, so the block takes a while.
    rows, width = 100_000, 50
    columns = np.tile(np.arange(2**30, 2**30 + width, dtype=np.int32), rows)
    offsets = np.arange(0, rows * width + 1, width, dtype=np.int32)
    X = sp.csr_matrix((rows, 2**31 - 1))
    X.indptr, X.indices, X.data = offsets, columns, np.ones(rows * width)
    learner = Perceptron()

    def interrupt() -> None:
        while True:
            try:
                learner.predict_one({})
            except BusyError:  # now it is playing
                os.kill(os.getpid(), signal.SIGINT)
                return

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        learner.play(X, np.arange(rows) % 2 == 1)
    thread.join()
    # Every round is a mistake that takes back the one before it, so the weights follow
    # from the count of updates, if it stopped at the end of a round.
    assert 0 < learner.updates_ < rows
    expected = {2**30 + j: -1.0 for j in range(width)} if learner.updates_ % 2 else {}
    assert learner.weights_ == expected


def test_two_threads_cannot_use_one_learner_at_once() -> None:
    rows, y = np.ones((2_000_000, 16)), np.zeros(2_000_000, dtype=bool)
    learner = Perceptron()
    started = threading.Event()
    refused = []

    def meddle() -> None:
        started.wait()
        for _ in range(2_000):
            try:
                learner.predict_one([1.0])
            except BusyError as error:
                refused.append(str(error))
                return

    thread = threading.Thread(target=meddle)
    thread.start()
    started.set()
    while thread.is_alive():
        try:
            learner.play(rows, y)
        except BusyError:
            continue
    thread.join()
    assert refused == ["Perceptron: one thread at a time may use a learner"]


def test_what_a_learner_keeps_cannot_be_read_while_it_plays() -> None:
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(4000, 20)), rng.random(4000) < 0.5
    learner = VotedPerceptron(bias=1.0)
    thread = threading.Thread(target=learner.play, args=(rows, y))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            assert isinstance(learner.intercept_, float)
        except BusyError:
            refused += 1
    thread.join()
    assert refused > 0


def test_records_compare_by_what_happened() -> None:
    record = run(Perceptron(), alternating(4))
    assert record == run(Perceptron(), alternating(4))
    assert record != run(Perceptron(), alternating(5))
    assert record != run(Perceptron(update="margin"), alternating(4))
    assert isinstance(record, Record)


# Labels of any kind ---------------------------------------------------------------

CLASSES = ["hat", ("a", 1), 7, "hat", 7, ("a", 1)]


def test_classes_are_played_the_same_in_blocks_and_one_by_one() -> None:
    X = np.eye(3)[[0, 1, 2, 0, 2, 1]]
    stream = streams.arrays(X, objects(CLASSES), labels="any")
    turns: list[Turn] = []
    blocks, singles = MulticlassPerceptron(), MulticlassPerceptron()
    record = run(blocks, stream, observe=turns.append)
    assert run(singles, list(zip(X, CLASSES, strict=True))) == record
    assert record.mistakes == 3
    assert [*turns[0].predictions] == [None, "hat", "hat", "hat", 7, ("a", 1)]
    assert blocks.weights_ == singles.weights_
    assert blocks.classes_ == ("hat", ("a", 1), 7)


def test_yes_and_no_are_classes_too() -> None:
    stream = streams.arrays([[1.0], [-1.0], [1.0]], [1, -1, 1])
    learner = MulticlassPerceptron()
    assert run(learner, stream).rounds == 3
    assert learner.classes_ == (True, False)


def test_a_learner_of_two_labels_refuses_others_with_the_row() -> None:
    stream = streams.arrays([[1.0], [1.0]], [1, 3], labels="any")
    with pytest.raises(LabelError, match="row 1: a label must be True/1"):
        run(Perceptron(), stream)
    assert run(Perceptron(), streams.arrays([[1.0]], [1], labels="any")).rounds == 1


def test_a_missing_class_is_refused_at_its_round() -> None:
    learner = MulticlassPerceptron()
    with pytest.raises(LabelError, match="round 1: a label must not be missing"):
        run(learner, [([1.0], "a"), ([1.0], None)])
    assert learner.classes_ == ("a",)
