"""Scores of classes are read as probabilities, bit for bit as in plain Python."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from data import data_file
from littlestone import MulticlassAuto, _core, models, run, streams
from littlestone.auto import _multiclass
from littlestone.errors import FeatureError
from littlestone.experts import Restarting
from littlestone.linear import (
    MulticlassAdaGrad,
    MulticlassAROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
)
from littlestone.maps import Mapped, Standardized
from littlestone.verifying.twins._exponential import exp

RATES = (0.1, 0.3, 1.0)


class Twin:
    """The readings in plain Python: their probabilities of each class, by reading."""

    def __init__(self, members: int) -> None:
        self.weights = [[0.0] * (2 * members) for _ in RATES]
        self.squares = [[0.0] * (2 * members) for _ in RATES]
        self.inputs: list[list[float]] = []  # of each class

    def read(self, scores: list[list[float]]) -> list[list[float]]:
        """Return a distribution for each reading; `scores` has a row a member."""
        known = len(scores[0])
        planes: list[list[list[float]]] = [[] for _ in range(6)]
        self.inputs = [[0.0] * (2 * len(scores)) for _ in range(known)]
        for m, given in enumerate(scores):
            row = [min(max(s, -1e100), 1e100) for s in given]
            mean = 0.0
            for s in row:
                mean += s
            mean /= known
            squashed = [s / (1.0 + abs(s)) for s in row]
            for c, s in enumerate(row):
                above = s - mean
                self.inputs[c][m] = squashed[c]
                self.inputs[c][len(scores) + m] = above / (1.0 + abs(above))
            odds = [exp(z) for z in squashed]
            for plane in planes[:5]:
                plane.append(shared(odds))
                odds = [each * each for each in odds]
            planes[5].append(shared([exp(max(s - max(row), -16.0)) for s in row]))
        stacks = [self.stack(weights) for weights in self.weights]
        return [chances for plane in planes for chances in plane] + stacks

    def stack(self, weights: list[float]) -> list[float]:
        """Return the distribution of a stack."""
        odds = []
        for row in self.inputs:
            sums = [0.0] * 4
            for j, (weight, each) in enumerate(zip(weights, row, strict=True)):
                sums[j % 4] += weight * each
            odds.append((sums[0] + sums[1]) + (sums[2] + sums[3]))
        return shared([exp(max(each - max(odds), -16.0)) for each in odds])

    def learn(self, label: int) -> None:
        """Let the stacks learn which class the latest row had."""
        for rate, weights, squares in zip(
            RATES, self.weights, self.squares, strict=True
        ):
            chances = self.stack(weights)
            slopes = [0.0] * len(weights)
            for c, row in enumerate(self.inputs):
                over = chances[c] - (c == label)
                for j, each in enumerate(row):
                    slopes[j] += over * each
            for j, slope in enumerate(slopes):
                squares[j] += slope * slope
                if squares[j] > 0.0:
                    weights[j] -= rate * slope / math.sqrt(squares[j])


def shared(odds: list[float]) -> list[float]:
    total = 0.0
    for each in odds:
        total += each
    return [each / total for each in odds]


def noisy(rows: int = 400, columns: int = 5, classes: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.integers(-2, 3, (rows, columns)).astype(np.float64)
    scores = X @ rng.normal(size=(columns, classes)) + rng.normal(size=(rows, classes))
    return X, np.array(list("abcdefgh"))[scores.argmax(axis=1)]


def members() -> dict[str, Any]:
    return {
        "pa": MulticlassPassiveAggressive(bias=1.0),
        "full": MulticlassAROW(diagonal=False),
        "ada": MulticlassAdaGrad(),
        "copies": Restarting(MulticlassAROW(), shortest=16),
        "scaled": Mapped(MulticlassAdaGrad(), Standardized()),
    }


# What they are -----------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3, 6])
def test_readings_are_those_of_the_twin_bit_for_bit(count: int) -> None:
    rng = np.random.default_rng(count)
    scores = rng.normal(scale=3.0, size=(count, 60, 5)) ** 3
    scores[0, 20] = [1e308, 1e308, -1e308, 0.0, 5e-324]
    scores[-1, 30] = 0.0
    labels = rng.integers(0, 5, 60)
    known = np.maximum(np.minimum(np.arange(60), 5), 1)
    known[40] = labels[40]  # so that this one is new
    native, twin = _core.ClassReadings("", count), Twin(count)
    chances = np.empty((60, native.size))
    native.play(scores, labels, known, chances)
    for t, label in enumerate(labels.tolist()):
        if label >= known[t]:
            assert (chances[t] == 1.0).all()
            continue
        read = twin.read(scores[:, t, : known[t]].tolist())
        assert chances[t].tolist() == [each[label] for each in read]
        twin.learn(label)
    stacks = zip(twin.weights, twin.squares, strict=True)
    assert native.state() == [each for stack in stacks for each in stack]
    each_alone = np.zeros((60, 5))
    alone = np.zeros((1, native.size))
    alone[0, -1] = 1.0
    native.mix(scores, alone, each_alone)
    for row, given in zip(each_alone.tolist(), scores.swapaxes(0, 1), strict=True):
        assert row == twin.read(given.tolist())[-1]


def test_rounds_are_mixed_by_weights_of_their_own_and_learned_like_those_played() -> (
    None
):
    rng = np.random.default_rng(0)
    scores = rng.normal(scale=3.0, size=(2, 60, 3))
    labels = rng.integers(0, 4, 60)  # 3 is new, and teaches nothing
    native, other, twin = (
        _core.ClassReadings("", 2),
        _core.ClassReadings("", 2),
        Twin(2),
    )
    weights = np.zeros((60, native.size))
    which = rng.integers(0, native.size, 60)
    weights[np.arange(60), which] = 1.0
    found = np.zeros((60, 3))
    native.mix(scores, weights, found, labels)
    for t, label in enumerate(labels.tolist()):
        expected = twin.read(scores[:, t].tolist())[which[t]]
        assert found[t].tolist() == pytest.approx(expected, rel=1e-14)
        if label < 3:
            twin.learn(label)
    chances = np.empty((60, native.size))
    other.play(scores, labels, np.full(60, 3), chances)
    assert native.state() == other.state()


def test_arrays_that_do_not_fit_are_refused() -> None:
    native = _core.ClassReadings("", 2)
    ones, whole = np.ones((2, 3, 4)), np.zeros(3, np.int64)
    with pytest.raises(ValueError, match="room for each"):
        native.play(ones[:1], whole, whole, np.ones((3, native.size)))
    with pytest.raises(ValueError, match="an entry for each round"):
        native.play(ones, whole[:2], whole, np.ones((3, native.size)))
    with pytest.raises(ValueError, match="room for each"):
        native.mix(ones, np.ones((1, native.size)), np.ones((3, 3)))
    for shape in ((1, 2), (2, native.size)):
        with pytest.raises(ValueError, match="a weight for each reading"):
            native.mix(ones, np.ones(shape), np.ones((3, 4)))
    with pytest.raises(ValueError, match="an entry for each round"):
        native.mix(ones, np.ones((1, native.size)), np.ones((3, 4)), whole[:2])
    for saved in (np.zeros((6, 3)), np.full((6, 4), np.nan), np.full((6, 4), -1.0)):
        with pytest.raises(ValueError, match="weights and squares"):
            native.restore(saved)


# What the theorem says, and more ------------------------------------------------------


def test_the_log_loss_is_near_that_of_the_best_member_and_far_below_the_votes() -> None:
    X, y = noisy(2000)
    learner = MulticlassAuto()
    learner.play(X, y)
    losses = np.asarray(learner.calibrator_.rule_.losses_)
    (theorem,) = learner.calibrator_.guarantees
    extra = theorem.bound(
        eta=1, share=0.001, switches=0, rounds=2000, experts=len(losses)
    )
    assert learner.calibrator_.loss_ <= losses.min() + extra
    assert learner.calibrator_.loss_ < 0.9 * losses[:10].min()
    alone = run(MulticlassAdaGrad(bias=1.0), streams.arrays(X, y, outcome="class"))
    assert alone.chances is not None
    fresh = math.log(2000) + 4 * math.log(10)  # four classes in the first ten rounds
    assert losses.min() < alone.chances.log_loss * 2000 + fresh


@pytest.mark.parametrize(
    ("file", "label", "rows"),
    [
        ("dna-statlog/dna_statlog.csv.gz", "Class", 3186),
        ("covtype/covtype.csv.gz", "Cover_Type", 3000),
    ],
)
def test_real_probabilities_are_better_than_those_of_one_member(
    file: str, label: str, rows: int
) -> None:
    stream = list(
        islice(streams.open(data_file(file), label=label, outcome="class"), rows)
    )
    order = np.random.default_rng(0).permutation(rows)
    shuffled = [stream[at] for at in order]
    learner = MulticlassAuto()
    run(learner, shuffled, keep="nothing")
    alone = run(MulticlassAdaGrad(bias=1.0), shuffled, keep="nothing")
    assert alone.chances is not None
    assert learner.calibrator_.loss_ < 0.95 * alone.chances.log_loss * rows


def test_a_class_that_is_new_costs_what_is_said() -> None:
    learner = MulticlassAuto({"p": MulticlassPerceptron()})
    for label in "aaab":
        learner.learn_one({"x": 1.0}, label)
    # 1, then 1 - 1/3, 1 - 1/4, and 1/5 for the new one in round 4.
    scored = np.asarray(learner.calibrator_.rule_.losses_)[10:]
    assert scored == pytest.approx(-math.log(2 / 3 * 3 / 4 / 5))


# Paths -------------------------------------------------------------------------------


def blocks_of(X: Any, y: Any, size: int) -> MulticlassAuto:
    learner = MulticlassAuto(members())
    for at in range(0, len(X), size):
        learner.play(X[at : at + size], y[at : at + size])
    return learner


@pytest.mark.parametrize("room", [1, 70, 2**18])
def test_probabilities_have_equal_bits_however_rows_are_cut(
    room: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    X, y = noisy()
    expected = blocks_of(X, y, 400)
    monkeypatch.setattr(_multiclass, "_ROOM", room)
    single = MulticlassAuto(members())
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        single.learn_one(x, label)
    models.save(single, tmp_path / "m.lst")
    chances = expected.predict_proba(X)
    for other in (blocks_of(X, y, 400), blocks_of(X, y, 33), single):
        assert other.losses_ == expected.losses_
        assert other.calibrator_.loss_ == expected.calibrator_.loss_
        assert (other.predict_proba(X) == chances).all()
    loaded: Any = models.load(tmp_path / "m.lst")
    for learner in (loaded, expected):
        learner.play(sp.csr_matrix(X), y)
    assert (loaded.predict_proba(X) == expected.predict_proba(X)).all()
    named = [dict(enumerate(x)) for x in X[:9].tolist()]
    found = loaded.predict_proba(named)
    assert (found == loaded.predict_proba(X[:9])).all()
    assert found.tolist() == [[*loaded.predict_proba_one(x).values()] for x in named]


def test_columns_of_any_number_and_members_that_are_dropped() -> None:
    X, y = noisy(120)
    wide = sp.csr_matrix(X)
    places = np.array([1, 2**30, 2**25, 7, 2**31 - 1], dtype=np.int64)
    wide = sp.csr_matrix(
        (wide.data, places[wide.indices], wide.indptr.astype(np.int64)),
        shape=(120, 2**31),
    )
    blocks, single = (MulticlassAuto(members(), narrow=3) for _ in range(2))
    blocks.play(wide, y)
    for row, label in zip(X, y.tolist(), strict=True):
        cells = zip(places.tolist(), row.tolist(), strict=True)
        single.learn_one({at: value for at, value in cells if value}, label)
    assert set(blocks.dropped_) == {"full", "scaled"} == set(single.dropped_)
    assert blocks.calibrator_.loss_ == single.calibrator_.loss_
    assert (blocks.predict_proba(wide) == single.predict_proba(wide)).all()


def test_members_are_dropped_after_as_many_rounds_however_rows_are_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = noisy(120)
    X[:61, 3:] = 0.0  # so that a matrix of three features has room until row 61
    expected, cut = (MulticlassAuto(members(), narrow=4) for _ in range(2))
    expected.play(sp.csr_matrix(X), y)
    monkeypatch.setattr(_multiclass, "_ROOM", 1)
    cut.play(sp.csr_matrix(X), y)
    assert expected.dropped_ == cut.dropped_
    assert min(expected.dropped_.values()) >= 61
    assert expected.calibrator_.loss_ == cut.calibrator_.loss_


def test_a_row_refused_in_a_later_part_leaves_what_was_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = noisy(50)
    X[30, 2] = np.inf
    expected, learner = MulticlassAuto(members()), MulticlassAuto(members())
    expected.play(X[:30], y[:30])
    # A part of 10 rows begins with the bad one.
    monkeypatch.setattr(_multiclass, "_ROOM", 10 * len(set(y)) * len(members()))
    with pytest.raises(FeatureError, match="row 30: MulticlassAuto: .* 30 rounds"):
        learner.play(X, y)
    assert learner.losses_ == expected.losses_
    assert learner.classes_ == expected.classes_
    assert (learner.predict_proba(X[:30]) == expected.predict_proba(X[:30])).all()
    assert learner.calibrator_.loss_ == expected.calibrator_.loss_
