"""Running keeps the record straight, whichever way the rounds are played."""

from __future__ import annotations

import itertools
import json
import os
import pickle
import signal
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from river.linear_model import PAClassifier
from sklearn.linear_model import SGDClassifier

from littlestone import Record, certify, run, streams
from littlestone.adversaries import DisjunctionAdversary, SingletonAdversary
from littlestone.boolean import ConjunctionLearner, VersionSpaceLearner
from littlestone.errors import (
    BusyError,
    ExampleError,
    FeatureError,
    LabelError,
    ParameterError,
    StreamError,
)
from littlestone.experts import AdaHedge, Committee, MLPoly, WeightedMajority
from littlestone.learner import Learner, objects
from littlestone.learner.moment import Moment
from littlestone.linear import (
    AveragedPerceptron,
    KernelPerceptron,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from littlestone.running import Batch, KeptExamples, LearnerCard, Point
from littlestone.streams import _arrays


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
    at = [(1, 0), (2, 1), (3, 2), (4, 3), (5, 4)]
    assert record.curve == tuple(Point(*point) for point in at)
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


def test_an_example_that_is_none_is_refused() -> None:
    stream: Any = [([1.0], 1), None]
    with pytest.raises(StreamError, match="pairs of an example and a label, got None"):
        run(Perceptron(), stream)


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
    assert record.curve[-1] == Point(rounds, record.mistakes)
    for at, mistakes, *_ in record.curve:
        assert mistakes == np.count_nonzero(record.mistake_rounds < at)


def test_the_curve_of_losses_does_not_tell_when_batches_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds = [({"a": i % 7 / 10, "b": 0.3}, 1.0) for i in range(100)]
    whole = run(AdaHedge("absolute"), rounds)
    # A clock that leaps ends a turn whenever it is looked at.
    monkeypatch.setattr("time.monotonic", itertools.count(0.0, 60.0).__next__)
    batches: list[Batch] = []
    assert run(AdaHedge("absolute"), rounds, observe=batches.append) == whole
    assert len(batches) > 5


@pytest.mark.parametrize("rounds", [255, 256, 257, 1_000, 1_024])
def test_the_curve_is_the_same_whether_or_not_its_length_is_known(rounds: int) -> None:
    stream = [({"a": i % 7 / 10, "b": 0.3}, 1.0) for i in range(rounds)]
    looks = Counter[int]()

    class Looked(AdaHedge):
        def known_at(self, moment: Moment) -> dict[str, Any]:
            looks[moment.rounds] += 1
            return super().known_at(moment)

    known = run(Looked("absolute", experts=["a", "b"]), stream)
    needed = {1 << k for k in range(rounds.bit_length())} | {
        point.rounds for point in known.curve
    }
    assert looks.keys() - {0} == needed  # none is thrown away
    endless = run(AdaHedge("absolute", experts=["a", "b"]), (pair for pair in stream))
    assert known.curve == endless.curve
    assert known.weight_curve() == endless.weight_curve()


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


def test_who_observes_sees_every_round_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_arrays, "_ROWS_A_BLOCK", 1 << 14)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40_000, 3)), rng.integers(2, size=40_000)
    for stream in (streams.arrays(X, y), list(zip(X, y, strict=True))):
        batches: list[tuple[int, int]] = []
        predictions: list[bool] = []

        def observe(batch: Any) -> None:
            batches.append((batch.first, len(batch)))  # noqa: B023 - called at once
            predictions.extend(batch.predictions.tolist())  # noqa: B023 - called at once

        record = run(Perceptron(), stream, observe=observe)
        assert len(batches) > 2
        assert [first for first, _ in batches] == [
            sum(size for _, size in batches[:k]) for k in range(len(batches))
        ]
        assert predictions == Perceptron().play(X, y).tolist()
        assert record.rounds == 40_000


def test_progress_lines_double(capsys: pytest.CaptureFixture[str]) -> None:
    run(Perceptron(), alternating(9), progress=True)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split()[2] for line in lines[2:]] == ["1", "2", "4", "8"]
    assert lines[-1].split() == ["0.875000", "1.000000", "8", "7", "-", "0", "1", "1"]


def test_a_refused_example_is_named_by_its_round() -> None:
    stream = [*alternating(3), ({"a": float("nan")}, True)]
    seen = []
    learner = Perceptron()
    with pytest.raises(FeatureError) as caught:
        run(learner, stream, observe=lambda batch: seen.append(len(batch)))
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
        ({"keep": "everything"}, "keep must be 'mistakes', 'nothing', 'updates', "),
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
    stream = streams.arrays(X, objects(CLASSES), outcome="class")
    batches: list[Batch] = []
    blocks, singles = MulticlassPerceptron(), MulticlassPerceptron()
    record = run(blocks, stream, observe=batches.append)
    assert run(singles, list(zip(X, CLASSES, strict=True))) == record
    assert record.mistakes == 3
    assert [*batches[0].predictions] == [None, "hat", "hat", "hat", 7, ("a", 1)]
    assert blocks.weights_ == singles.weights_
    assert blocks.classes_ == ("hat", ("a", 1), 7)


def test_yes_and_no_are_classes_too() -> None:
    stream = streams.arrays([[1.0], [-1.0], [1.0]], [1, -1, 1])
    learner = MulticlassPerceptron()
    assert run(learner, stream).rounds == 3
    assert learner.classes_ == (True, False)


def test_a_learner_of_two_labels_refuses_others_with_the_row() -> None:
    stream = streams.arrays([[1.0], [1.0]], [1, 3], outcome="class")
    with pytest.raises(LabelError, match="row 1: a label must be True/1"):
        run(Perceptron(), stream)
    assert run(Perceptron(), streams.arrays([[1.0]], [1], outcome="class")).rounds == 1


def test_a_missing_class_is_refused_at_its_round() -> None:
    learner = MulticlassPerceptron()
    with pytest.raises(LabelError, match="round 1: a label must not be missing"):
        run(learner, [([1.0], "a"), ([1.0], None)])
    assert learner.classes_ == ("a",)


# What is kept of a stream ---------------------------------------------------------


def kept_of(record: Record) -> KeptExamples:
    assert record.examples is not None
    return record.examples


def test_the_examples_of_updates_are_kept_when_asked_for() -> None:
    stream: list[Any] = [
        ({"a": 1.0}, True),
        ({"b": 2.0, "zero": 0, "a": 1}, False),
        ({7: 0.5, "a": -3.0}, False),
        ({}, True),
    ]
    record = run(Perceptron(), stream, keep="updates")
    kept = kept_of(record)
    assert kept.rounds.tolist() == [1, 2]
    assert kept.labels.tolist() == [False, False]
    assert kept.features == ("b", "a", 7)
    assert kept.offsets.tolist() == [0, 2, 4]
    assert kept.columns.tolist() == [0, 1, 2, 1]
    assert kept.values.tolist() == [2.0, 1.0, 0.5, -3.0]
    kinds = [kept.rounds, kept.labels, kept.offsets, kept.columns, kept.values]
    assert [a.dtype.str[1:] for a in kinds] == ["i8", "b1", "i8", "i4", "f8"]
    assert list(kept) == [
        ({"b": 2.0, "a": 1.0}, False),
        ({7: 0.5, "a": -3.0}, False),
    ]
    assert repr(kept) == "KeptExamples(2 rounds, 3 features)"
    assert record.digest is not None
    assert record.to_dict()["digest"] == record.digest
    assert record.mistake_rounds is not None
    copy = pickle.loads(pickle.dumps(record))  # noqa: S301 - our own bytes
    assert list(copy.examples) == list(kept)
    assert run(Perceptron(), stream).examples is None
    assert run(Perceptron(), stream, digest=True).examples is None


def test_nothing_to_keep() -> None:
    kept = kept_of(run(Perceptron(), [], keep="updates"))
    assert (len(kept), kept.features, list(kept)) == (0, (), [])
    assert kept.offsets.tolist() == [0]
    kept = kept_of(run(Perceptron(bias=1), [(None, True)] * 0, keep="updates"))
    assert repr(kept) == "KeptExamples(0 rounds, 0 features)"


def test_updates_of_later_passes_and_blocks_are_numbered_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    monkeypatch.setattr(_arrays, "_ROWS_A_BLOCK", 1000)
    X, y = rng.normal(size=(5_000, 3)), rng.random(5_000) < 0.5
    blocks = run(Perceptron(), streams.arrays(X, y), keep="updates", passes=2)
    kept = kept_of(blocks)
    singles = kept_of(run(Perceptron(), [*zip(X, y, strict=True)] * 2, keep="updates"))
    assert kept.rounds[-1] > 5_000
    assert np.array_equal(kept.rounds, singles.rounds)
    assert np.array_equal(kept.values, singles.values)
    assert np.array_equal(kept.labels, singles.labels)
    assert blocks.mistake_rounds is not None
    assert np.array_equal(kept.rounds, blocks.mistake_rounds)


def test_words_buckets_and_categories_are_kept(tmp_path: Path) -> None:
    words = tmp_path / "mail.tsv"
    lines = [f"{t % 2}\tcheap wörd{t % 7} pills {t % 5}" for t in range(60)]
    words.write_text("\n".join(lines))
    cells = tmp_path / "cells.csv"
    cells.write_text(
        "odor,y\n" + "\n".join(f"{'abc'[t % 3]},{t % 2}" for t in range(9))
    )
    for stream in (
        streams.text(words, label=0),
        streams.text(words, label=0, hash_bits=3),
        streams.hashed(streams.text(words, label=0), 6),
        streams.csv(cells, label="y", literals=True),
    ):
        learner, expected = Perceptron(), []
        for x, y in stream:
            before = learner.updates_
            learner.learn_one(x, y)
            if learner.updates_ > before:
                expected.append((x, y))
        assert expected
        assert list(kept_of(run(Perceptron(), stream, keep="updates"))) == expected


def test_columns_beyond_what_is_kept_directly() -> None:
    far = [({2**32 - 1: 1.0, 3: 1.0}, False), ({2**24: 2.0, 2**32 - 1: 1.0}, True)]
    kept = kept_of(run(Perceptron(), far, keep="updates"))
    assert kept.features == (2**32 - 1, 3, 2**24)
    assert kept.columns.tolist() == [0, 1, 2, 0]


def test_updates_against_an_adversary_are_kept() -> None:
    adversary = DisjunctionAdversary(6)
    record = run(Perceptron(), adversary, keep="updates")
    kept = kept_of(record)
    assert len(kept) == record.updates == record.mistakes > 0
    assert kept.example(0)[0] == {0: 1.0}


def test_classes_are_kept_as_they_are() -> None:
    X, labels = np.eye(3)[[0, 1, 1, 1, 0]], ["hat", 7, "hat", 7, True]
    stream = streams.arrays(X, objects(labels), outcome="class")
    blocks = run(MulticlassPerceptron(), stream, keep="updates")
    singles = run(
        MulticlassPerceptron(), list(zip(X, labels, strict=True)), keep="updates"
    )
    for record in (blocks, singles):
        assert kept_of(record).rounds.tolist() == [1, 2, 3, 4]
        assert kept_of(record).labels.tolist() == [7, "hat", 7, True]
        assert record.updates == 4
    assert blocks.digest == singles.digest


def test_a_kernel_in_python_tells_its_updates() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [False, True, True, False]

    def kernel(x: Any, z: Any) -> float:
        return 1.0 + float(sum(v * z.get(f, 0.0) for f, v in x.items()))

    record = run(KernelPerceptron(kernel), streams.arrays(X, y), keep="updates")
    assert record.updates == len(kept_of(record))
    assert kept_of(record).rounds.tolist() == record.mistake_rounds.tolist()  # type: ignore[union-attr]  # kept


def test_a_committee_learns_from_every_round() -> None:
    stream = [({"a": 1.0, "b": t % 2}, t % 3 == 0) for t in range(10)]
    record = run(Committee([Perceptron(), Stranger()]), stream, keep="updates")
    assert kept_of(record).rounds.tolist() == list(range(10))
    assert [y for _, y in kept_of(record)] == [y for _, y in stream]
    numbers = Committee([Stranger(), Stranger()], rule=AdaHedge())
    kept = kept_of(run(numbers, [({"a": 1.0}, 2.5)], keep="updates"))
    assert kept.labels.tolist() == [2.5]


def test_advice_is_not_kept_but_has_a_digest() -> None:
    stream = streams.advice([[True, False]] * 5, [True] * 5)
    record = run(WeightedMajority(), stream, keep="updates")
    assert record.examples is None
    assert record.digest == run(WeightedMajority(), list(stream), digest=True).digest


class Duck:
    """Not ours, but it counts its updates."""

    def __init__(self) -> None:
        self.updates_ = 0

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Say no."""
        return False

    def learn_one(self, x: Any, y: bool) -> None:  # noqa: ARG002 - it does not look
        """Count what was yes."""
        self.updates_ += y


def test_who_counts_no_updates_cannot_have_them_kept() -> None:
    river_learner = PAClassifier()
    strangers: list[Any] = [Stranger(), river_learner, SGDClassifier()]
    for learner in strangers:
        with pytest.raises(ParameterError, match="a learner that counts its updates"):
            run(learner, alternating(3), keep="updates")
    record = run(river_learner, alternating(3), digest=True)
    assert record.digest == run(Perceptron(), alternating(3), digest=True).digest
    assert not record.fresh
    duck = run(Duck(), alternating(5), keep="updates")
    assert kept_of(duck).rounds.tolist() == [0, 2, 4]


def test_examples_that_are_no_features_are_not_kept() -> None:
    concepts = [bool, (lambda x: x > 1)]
    stream: list[Any] = [(1, True), (0, False)]
    assert run(VersionSpaceLearner(concepts), stream, digest=True).digest is not None
    learner = VersionSpaceLearner(concepts)
    with pytest.raises(ExampleError, match="round 0: an example must be a mapping"):
        run(learner, stream, keep="updates")
    assert learner.newborn_


def test_a_record_tells_whether_it_is_of_a_whole_life() -> None:
    yes: list[Any] = [({"a": 1.0}, True)]
    no: list[Any] = [({"a": 1.0}, False)]
    for learner in (Perceptron(), AveragedPerceptron(), VotedPerceptron()):
        assert run(learner, no).fresh
        assert not run(learner, no).fresh
    unchanged = Perceptron()
    assert run(unchanged, yes).fresh
    assert run(unchanged, no).fresh  # it is still as it was at birth
    # They count the rounds that change no weight, so these have changed them.
    for counting in (AveragedPerceptron(), VotedPerceptron()):
        assert run(counting, yes).fresh
        assert not run(counting, yes).fresh
    concepts = VersionSpaceLearner([bool])
    assert run(concepts, [(1, True)]).fresh
    assert not run(concepts, [(1, True)]).fresh


def test_a_sparse_row_can_be_played_alone() -> None:
    X = sp.csr_array([[1.0, 0.0, 2.0]])
    record = run(Perceptron(), [(X, False)], keep="updates")
    assert list(kept_of(record)) == [({0: 1.0, 2: 2.0}, False)]


# A test ---------------------------------------------------------------------------


def test_who_is_only_asked_says_what_it_would_say_and_stays_as_it_is() -> None:
    generator = np.random.default_rng(3)
    X = generator.integers(0, 2, (300, 5)).astype(float)
    y = X[:, 0] + X[:, 1] > 1
    classes = np.array(["no", "yes"], dtype=object)[y.astype(int)]
    for learner, labels in (
        (Perceptron(bias=1), y),
        (VotedPerceptron(), y),
        (Winnow(threshold=3), y),
        (KernelPerceptron(), y),
        (ConjunctionLearner(), y),
        (MulticlassPerceptron(), classes),
    ):
        learner.partial_fit(X[:20], labels[:20])
        before = learner.updates_
        said = learner.predict(X)
        pairs = list(zip(X, labels, strict=True))
        wrong = int(np.count_nonzero(said != labels))
        for stream in (streams.arrays(X, labels, outcome=learner.outcome), pairs):
            batches: list[Batch] = []
            record = run(
                learner,
                stream,
                learn=False,
                passes=2,
                keep="updates",
                observe=batches.append,
            )
            told = [each for batch in batches for each in batch.predictions]
            assert told == [*said, *said]
            assert (record.rounds, record.mistakes) == (600, 2 * wrong)
            assert (record.updates, record.bound, record.fresh) == (0, None, False)
            assert record.learner.name == type(learner).__name__
        assert learner.updates_ == before


def test_a_row_that_is_refused_in_a_test_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n0 2:1\n1 1:-1\n")
    seen: list[bool] = []
    with pytest.raises(FeatureError, match="rows.svm:3: Winnow: .* 2 rounds played"):
        run(
            Winnow(threshold=2),
            streams.svmlight(path),
            learn=False,
            observe=lambda batch: seen.extend(batch.predictions.tolist()),
        )
    assert seen == [False, False]


def test_learners_of_others_can_be_asked_too() -> None:
    class Parrot:
        def predict_one(self, x: Any) -> Any:
            return x.get("say")

        def learn_one(self, *_: Any) -> None:
            raise AssertionError

    record = run(Parrot(), [({"say": 1}, 1), ({}, 0), ({"say": 0}, 1)], learn=False)
    assert (record.rounds, record.mistakes) == (3, 1)


def test_who_follows_experts_is_not_tested() -> None:
    with pytest.raises(ParameterError, match="needs a learner from features"):
        run(MLPoly(), [([0.0, 1.0], 1.0)], learn=False)


def test_whoever_says_nothing_to_an_adversary_is_wrong() -> None:
    # It knows no class at first; its first label is no, which it did not say.
    learner = MulticlassPerceptron()
    record = run(learner, SingletonAdversary(4), keep="updates")
    assert learner.classes_[0] is False
    assert record.mistake_rounds is not None
    assert record.mistake_rounds.tolist()[0] == 0
    with pytest.raises(ParameterError, match="needs the stream"):
        certify(record)


class Compared(str):
    """A name that counts how often it is compared."""

    __slots__ = ()
    times = 0

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize("size", [50, 400])
def test_no_expert_is_searched_for_among_the_others(size: int) -> None:
    names = [Compared(f"e{at}") for at in range(size)]
    advice = {name: at / size for at, name in enumerate(names)}
    Compared.times = 0
    learner = MLPoly("square")
    record = run(learner, [(dict(advice), 1.0)] * 3)
    assert record.weights is not None
    assert record.regrets is not None
    for at, name in enumerate(names):
        # Equal texts that are not the same object are compared once.
        assert learner.weights_[Compared(name)] == record.weights[name]
        assert record.regrets[name] == record.regrets[f"e{at}"]
    learner.join("new")
    assert len(record.weights) == size  # as it was then
    assert "new" not in record.weights
    assert Compared.times < 20 * size


def test_the_points_of_a_curve_have_names_in_plain_data() -> None:
    facts = run(Perceptron(), [({"a": 1.0}, False)]).to_dict()
    point = {"rounds": 1, "mistakes": 1, "loss": None, "bound": None, "regret": None}
    assert facts["curve"] == [point]


def test_numbers_are_not_counted_as_mistakes_in_plain_data() -> None:
    advice = streams.advice([[0.5, 1.0], [0.25, 0.0]], [0.7, 0.1])
    facts = run(MLPoly(), advice).to_dict()
    assert (facts["rounds"], facts["mistakes"], facts["mistake_rounds"]) == (
        2,
        None,
        None,
    )
    assert [point["mistakes"] for point in facts["curve"]] == [None, None]
    assert facts["curve"][-1]["loss"] == facts["loss"] > 0
    votes = streams.advice([[1, 0], [1, 0]], [True, False])
    assert run(WeightedMajority(), votes).to_dict()["mistakes"] == 1
