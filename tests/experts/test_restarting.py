"""Copies start anew, the vote follows them, and no interval costs more than allowed."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import Auto, certify, models, run, streams, theorems, verify
from littlestone.errors import FeatureError, ParameterError, PremiseError
from littlestone.experts import Halving, Restarting
from littlestone.learner.rows import as_rows
from littlestone.linear import (
    AROW,
    AdaGrad,
    MulticlassAROW,
    MulticlassPerceptron,
    Perceptron,
    Winnow,
)
from littlestone.maps import Mapped, Quadratic, Standardized
from littlestone.streams import synthetic
from littlestone.verifying import twins
from littlestone.verifying.twins.restarting import ends

WRONG: Any = 3


def rows(size: int = 150) -> tuple[Any, Any]:
    """Return rows, and labels that turn round in the middle."""
    X = np.random.default_rng(3).normal(size=(size, 4))
    turned = np.where(np.arange(size) < size // 2, 1, -1)
    return X, X[:, 0] * turned > 0


# What it says -----------------------------------------------------------------------


def test_a_copy_begins_with_each_batch_and_ends_with_its_dyadic_interval() -> None:
    learner = Restarting(Perceptron(), shortest=3)
    for batch in range(40):
        alive = {begun // 3 for begun in learner.copies_}
        expected = {0} | {b for b in range(1, batch + 1) if ends(b) > batch}
        assert alive == expected
        for _ in range(3):
            learner.learn_one([1.0], True)
    assert len(learner.copies_) <= 1 + math.log2(40) + 1


@pytest.mark.parametrize("beta", [1e-30, 1e-200, 5e-324])
def test_no_weight_is_lost_to_rounding(beta: float) -> None:
    X = np.random.default_rng(5).normal(size=(300, 3))
    y = np.random.default_rng(6).random(300) < 0.5
    stream = streams.arrays(X, y)
    learner = Restarting(Perceptron(), shortest=4, beta=beta)
    classes = Restarting(MulticlassPerceptron([0, 1]), shortest=4, beta=beta)
    one = learner.clone()
    said = [one.play_one(x, t) for x, t in zip(X, y.tolist(), strict=True)]
    assert learner.play(X, y).tolist() == said
    classes.play(X, y.astype(int))
    for played in (one, learner, classes):
        assert min(played.copies_.values()) > 0
    assert one.copies_ == learner.copies_
    assert verify(certify(learner.clone(), stream), stream).accepted


def test_weights_by_hand() -> None:
    learner = Restarting(Perceptron(), shortest=2, beta=0.5)
    learner.learn_one([1.0], False)  # the only copy is wrong, and stays alone
    assert learner.copies_ == {0: 1.0}
    learner.learn_one([1.0], False)
    assert learner.copies_ == {0: 0.5, 2: 0.5}  # batch 1 begins with half
    # The old copy says no, the new one yes; a tie is a yes, and it is wrong.
    assert learner.predict_one([1.0]) is True
    learner.learn_one([1.0], False)
    assert learner.copies_ == {0: 2 / 3, 2: 1 / 3}


def test_labels_that_turn_round_are_followed() -> None:
    stream = [({"a": 1.0}, True)] * 400 + [({"a": 1.0}, False)] * 400
    assert run(AROW(), stream).mistakes == 400
    assert run(Restarting(AROW(), shortest=50), stream).mistakes < 20


def test_ten_concepts() -> None:
    stream = synthetic.drifting(
        10_000, 1000, synthetic.halfspace, features=10, margin=0.02
    )
    plain = run(AROW(bias=1.0), stream)
    again = run(Restarting(AROW(bias=1.0)), stream)
    assert again.mistakes < plain.mistakes / 2


def test_rounds_of_classes_are_counted_alike_in_blocks() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0.7, "far", np.where(X[:, 1] > 0, "up", "down"))
    y[150:] = "up"  # the copies agree for long, and then do not
    y[280] = "down"
    alone, whole, scored = (Restarting(MulticlassAROW(), shortest=16) for _ in range(3))
    said, moved, weights = [], [], []
    for x, label in zip(X, y.tolist(), strict=True):
        before = alone.updates_
        said.append(alone.predict_one(x))
        weights.append(alone.play_scored_one(x, label))
        moved.append(alone.updates_ > before)
    predictions = np.empty(300, dtype=object)
    changed = np.empty(300, dtype=np.bool_)
    for first, last in ((0, 5), (5, 201), (201, 300)):
        labels = y.astype(object)
        whole.play_rows(as_rows(X), labels, predictions, first, last, changed)
    assert predictions.tolist() == said
    assert changed.tolist() == moved
    classes = ["far", "up", "down"]
    wanted = np.array([classes.index(label) for label in y.tolist()], dtype=np.int32)
    numbers, scores = np.empty(300, dtype=np.int32), np.zeros((300, 3))
    scored.play_numbered(as_rows(X), wanted, numbers, 0, 300, classes, scores)
    for row, weight in zip(scores.tolist(), weights, strict=True):
        assert row == [weight.get(label, 0.0) for label in classes]
    assert whole.updates_ == alone.updates_
    assert whole.copies_ == alone.copies_
    assert [each.mistakes for each in whole.alive()] == [
        each.mistakes for each in alone.alive()
    ]


def test_classes_are_voted_for_too() -> None:
    X, y = rows()
    learner = Restarting(MulticlassPerceptron(), shortest=20)
    said = learner.play(X, np.where(y, "up", "down").astype(object))
    assert said[0] is None
    assert set(said[1:]) <= {"up", "down"}
    assert learner.predict(X[:2]).tolist() == [learner.predict_one(x) for x in X[:2]]


# All ways, and the twin -------------------------------------------------------------


@pytest.mark.parametrize("made", [Perceptron(), AROW(bias=1.0)])
@pytest.mark.parametrize("shortest", [1, 7, 64])
def test_all_ways_to_play_agree_with_the_twin(made: Any, shortest: int) -> None:
    X, y = rows()
    learner = Restarting(made, shortest)
    one, blocks, csr = learner.clone(), learner.clone(), learner.clone()
    said = [one.play_one(x, label) for x, label in zip(X, y, strict=True)]
    assert [*blocks.play(X[:50], y[:50]), *blocks.play(X[50:], y[50:])] == said
    assert csr.play(sp.csr_matrix(X), y).tolist() == said
    stated = (type(made).__name__, made.get_params())
    twin = twins.Restarting(stated, shortest)
    examples = [dict(enumerate(x)) for x in X.tolist()]
    assert [twin.play(x, bool(t)) for x, t in zip(examples, y, strict=True)] == said
    expected = {begun * shortest: weight for begun, weight in twin.weights.items()}
    assert one.copies_ == blocks.copies_ == csr.copies_ == expected
    assert one.updates_ == blocks.updates_ == csr.updates_ == twin.updates
    assert one.predict(X).tolist() == [one.predict_one(x) for x in X]
    assert one.decision_function(X).tolist() == [one.score_one(x) for x in X]
    scored, found, scores = learner.clone(), np.empty(150, bool), np.empty(150)
    scored.play_scored(as_rows(X), y, found, scores, 0, 150)
    assert found.tolist() == (scores >= 0).tolist() == said
    assert scored.copies_ == expected
    assert scores[-1] == twin.scored


def test_it_is_saved_and_continues(tmp_path: Any) -> None:
    X, y = rows()
    learner = Restarting(AROW(), shortest=10)
    learner.play(X[:83], y[:83])
    models.save(learner, tmp_path / "m.lst")
    loaded: Any = models.load(tmp_path / "m.lst")
    assert loaded.copies_ == learner.copies_
    assert loaded.play(X[83:], y[83:]).tolist() == learner.play(X[83:], y[83:]).tolist()
    assert loaded.copies_ == learner.copies_


def test_a_weight_is_so_many_rounds() -> None:
    X, y = rows(60)
    times = np.arange(60) % 3
    learner, other = (Restarting(AROW(), shortest=5) for _ in range(2))
    learner.play(X, y, times)
    for x, label, often in zip(X, y, times, strict=True):
        for _ in range(often):
            other.learn_one(x, label)
    assert learner.copies_ == other.copies_


# What the theorem says --------------------------------------------------------------


def test_the_bound_of_a_member_is_that_of_a_vote_with_what_it_may_lose() -> None:
    cut: dict[str, int] = {"best": 20, "pieces": 3, "batches": 100}
    allowed = math.floor(theorems.RESTART.bound(**cut, beta=0.25))
    expected = theorems.WM.bound(best=allowed, beta=0.75, experts=13)
    found = theorems.WM_RESTART.bound(**cut, copy_beta=0.25, beta=0.75, experts=13)
    assert found == expected


@given(
    st.lists(st.tuples(st.sampled_from("ab"), st.booleans()), min_size=1, max_size=60),
    st.integers(1, 9),
    st.sampled_from([0.1, 0.5, 0.9]),
)
def test_mistakes_never_exceed_the_bound(
    rounds: list[tuple[str, bool]], shortest: int, beta: float
) -> None:
    stream = [({name: 1.0}, label) for name, label in rounds]
    learner = Restarting(Perceptron(), shortest, beta)
    certificate = certify(learner, stream)
    assert certificate.holds
    assert verify(certificate, stream).accepted
    # So it does on every piece that begins with a copy and lasts as long as it lives.
    record = run(learner.clone(), stream)
    wrong = set(record.mistake_rounds.tolist())  # type: ignore[union-attr]
    batches = -(-len(stream) // shortest)
    for begun in range(batches):
        end = min(ends(begun) if begun else batches, batches)
        piece = range(begun * shortest, min(end * shortest, len(stream)))
        fresh = run(Perceptron(), [stream[t] for t in piece])
        bound = theorems.RESTART.bound(
            best=fresh.mistakes, pieces=1, batches=max(end, 1), beta=beta
        )
        assert len(wrong.intersection(piece)) <= bound


def test_the_cut_follows_the_concepts() -> None:
    stream = [({"a": 1.0}, True)] * 640 + [({"a": 1.0}, False)] * 640
    certificate = certify(Restarting(AROW()), stream)
    assert certificate.numbers["best"] <= 4
    assert [640, 10] in [list(each) for each in certificate.witness["switches"]]
    assert verify(certificate, stream).accepted
    record = run(Restarting(AROW()), stream)
    assert certify(record, stream=stream) == certificate


def test_an_adversary_makes_every_vote_wrong_and_stays_within_the_bound() -> None:
    learner = Restarting(Perceptron(), shortest=8)
    stream = []
    for t in range(64):
        x = {t % 3: 1.0}
        stream.append((x, not learner.predict_one(x)))
        learner.learn_one(*stream[-1])
    certificate = certify(Restarting(Perceptron(), shortest=8), stream)
    assert certificate.mistakes == 64
    assert 64 <= certificate.bound <= 3 * 64


@pytest.mark.parametrize(
    "switches",
    [
        ((0, 0), (64, 1), (128, 2), (256, 4)),
        ((0, 0), (65, 1)),
        ((64, 1),),
        ((0, 0), (64, 1), (320, 5)),
    ],
)
def test_forged_cuts_are_rejected(switches: Any) -> None:
    X, y = rows(400)
    stream = streams.arrays(X, y)
    found = certify(Restarting(Perceptron()), stream)
    fields = {name: getattr(found, name) for name in found.__dataclass_fields__}
    fields["witness"] = {"kind": "sequence", "switches": switches}
    assert not verify(type(found)(**fields), stream).accepted


@pytest.mark.parametrize(
    "made",
    [
        Mapped(AROW(), Standardized()),
        Mapped(Mapped(AdaGrad(), Quadratic()), Standardized()),
        AdaGrad(class_weight={True: 2.0}),
    ],
    ids=repr,
)
def test_copies_of_what_is_behind_a_map_or_weighs_labels(made: Any) -> None:
    X, y = rows(100)
    stream = streams.arrays(X, y)
    learner = Restarting(made, shortest=20)
    certificate = certify(learner, stream)
    record = run(learner, stream)
    assert certificate.mistakes == record.mistakes
    assert verify(certificate, stream).accepted
    assert certify(record, stream=stream) == certificate


def test_copies_of_a_committee_have_no_certificate() -> None:
    X, y = rows(20)
    with pytest.raises(PremiseError, match="must be of a linear learner .* of Auto"):
        certify(Restarting(Auto()), streams.arrays(X, y))


def test_behind_a_map() -> None:
    X, y = rows(100)
    stream = streams.arrays(X, y)
    learner = Mapped(Restarting(AROW(), shortest=20), Quadratic())
    certificate = certify(learner, stream)
    assert certificate.theorem == "RESTART"
    assert verify(certificate, stream).accepted


# What is refused --------------------------------------------------------------------


def test_a_refused_row_changes_nothing() -> None:
    X, y = rows(80)
    bad = X.copy()
    bad[33, 2] = math.nan
    learner, other = (Restarting(AROW(), shortest=10) for _ in range(2))
    with pytest.raises(FeatureError, match=r"row 33: .*feature 2 .*33 rounds played"):
        learner.play(bad, y)
    with pytest.raises(FeatureError, match="feature 'a'"):
        learner.learn_one({"a": math.inf}, True)
    other.play(X[:33], y[:33])
    assert learner.copies_ == other.copies_
    assert learner.play(X[33:], y[33:]).tolist() == other.play(X[33:], y[33:]).tolist()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Restarting(WRONG), "learner must be a learner of features"),
        (lambda: Restarting(Halving()), "learner must be a learner of features"),
        (lambda: Restarting(Restarting(AROW())), "learner must be a learner of feat"),
        (lambda: Restarting(AROW().fit([[1.0]], [1])), "learner must be newborn"),
        (
            lambda: Restarting(AROW(), 0),
            "shortest must be a whole number of at least 1",
        ),
        (lambda: Restarting(AROW(), beta=1.0), "beta must be between 0 and 1, got 1.0"),
        (lambda: Restarting(AROW(), beta=math.nan), "beta must be a finite number"),
    ],
)
def test_what_cannot_be_made(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=f"Restarting: {message}"):
        make()


def test_a_state_that_was_not_saved_is_refused() -> None:
    learner = Restarting(Perceptron(), shortest=4)
    learner.play(*rows(30))
    state = learner.save_state()
    for wrong in (
        {"learners": state["learners"][1:]},
        {"weights": state["weights"] * 3},
        {"begun": state["begun"][::-1]},
        {"learners": [Winnow(threshold=2) for _ in state["learners"]]},
        {"rounds": 3},
    ):
        with pytest.raises(ParameterError, match="saved state is invalid"):
            Restarting(Perceptron(), shortest=4).load_state({**state, **wrong})
    begun = [0, 1.5, *state["begun"][2:]]
    with pytest.raises(ParameterError, match="begun must be a whole number"):
        Restarting(Perceptron(), shortest=4).load_state({**state, "begun": begun})
