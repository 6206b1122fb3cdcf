"""MulticlassAuto plays all its members, follows the most weight, and is judged."""

from __future__ import annotations

import copy
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import (
    MulticlassAuto,
    certify,
    models,
    run,
    streams,
    theorems,
    verify,
)
from littlestone.auto import multiclass_pool
from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.experts import Restarting
from littlestone.experts._plurality import WeightedPlurality
from littlestone.linear import (
    AROW,
    MulticlassAdaGrad,
    MulticlassAROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
)
from littlestone.maps import Mapped, Quadratic
from littlestone.verifying import twins

MEMBERS: dict[str, Any] = {
    "pa": MulticlassPassiveAggressive(bias=1.0),
    "p": MulticlassPerceptron(),
    "full": MulticlassAROW(diagonal=False),
    "ada": MulticlassAdaGrad(),
    "copies": Restarting(MulticlassAROW(), shortest=16),
    "squares": Mapped(MulticlassPerceptron(), Quadratic()),
}


def noisy(rows: int = 300, columns: int = 5, classes: int = 4) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.integers(-2, 3, (rows, columns)).astype(np.float64)
    scores = X @ rng.normal(size=(columns, classes)) + rng.normal(size=(rows, classes))
    return X, np.array(list("abcdefgh"))[scores.argmax(axis=1)]


# What it says it does ----------------------------------------------------------------


def test_the_members_learn_as_they_do_alone() -> None:
    X, y = noisy()
    learner = MulticlassAuto()
    learner.play(X, y)
    for name, member in multiclass_pool().items():
        alone: Any = member
        assert learner.losses_[name] == np.count_nonzero(alone.play(X, y) != y)
        inside: Any = learner.members_[name]
        known = "copies_" if isinstance(member, Restarting) else "weights_"
        assert getattr(inside, known) == getattr(alone, known)
    assert learner.classes_ == tuple(dict.fromkeys(y.tolist()))


def test_the_class_with_the_most_weight_is_said_and_the_first_of_equals() -> None:
    X, y = noisy(80)
    learner = MulticlassAuto(MEMBERS, beta=0.5)
    alone = [member.clone() for member in MEMBERS.values()]
    weights, known = [Fraction(1)] * len(alone), dict[Any, None]()
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        votes = [member.play_one(x, label) for member in alone]
        totals = {
            c: sum(w for w, vote in zip(weights, votes, strict=True) if vote == c)
            for c in known
        }
        expected = max(totals, key=totals.__getitem__) if totals else None
        assert learner.predict_one(x) == expected
        assert learner.play_one(x, label) == expected
        known[label] = None
        weights = [
            w / (1 if vote == label else 2)
            for w, vote in zip(weights, votes, strict=True)
        ]


@pytest.mark.parametrize("narrow", [3, 6])
def test_every_path_gives_equal_bits(narrow: int) -> None:
    X, y = noisy()
    learners = [MulticlassAuto(MEMBERS, narrow=narrow) for _ in range(4)]
    said = learners[0].play(X, y).tolist()
    assert learners[1].play(sp.csr_matrix(X), y).tolist() == said
    pairs = list(zip(X.tolist(), y.tolist(), strict=True))
    assert [learners[2].play_one(x, label) for x, label in pairs] == said
    for at in range(0, 300, 77):
        learners[3].play(X[at : at + 77], y[at : at + 77])
    assert len({str(learner.losses_) for learner in learners}) == 1
    assert len({str(learner.dropped_) for learner in learners}) == 1
    assert ("full" in learners[0].dropped_) == (narrow == 3)
    asked = learners[0].predict(X)
    assert asked.tolist() == [learners[2].predict_one(x) for x in X.tolist()]
    scores = learners[0].decision_function(X)
    named = np.array(learners[0].classes_)
    assert (named[scores.argmax(axis=1)] == asked).all()
    first = learners[2].score_one(X[0].tolist())
    assert scores[0].tolist() == list(first.values())


def test_copies_are_dropped_where_there_are_too_many_features() -> None:
    # 65 new features a round, and room for 4096 after 64 rounds.
    stream = [
        (dict.fromkeys([f"w{65 * t + k}" for k in range(65)], 1.0), "abc"[t % 3])
        for t in range(70)
    ]
    members = {name: MEMBERS[name] for name in ("p", "copies")}
    learner, one_by_one = MulticlassAuto(members), MulticlassAuto(members)
    run(learner, stream, keep="nothing")
    for x, label in stream:
        one_by_one.learn_one(x, label)
    assert learner.dropped_ == one_by_one.dropped_ == {"copies": 64}
    assert learner.losses_ == one_by_one.losses_
    certificate = certify(MulticlassAuto(members), stream, witness="copies")
    assert verify(certificate, stream).accepted


def test_copies_that_start_anew_follow_classes_that_change_places() -> None:
    X, y = noisy(2000)
    turned = np.where(
        np.arange(2000) < 1000, y, np.roll([*"abcd"], 1)[y.view("i4") - 97]
    )
    learner = MulticlassAuto()
    learner.play(X, turned)
    assert learner.losses_["arow restarting"] < 0.8 * learner.losses_["arow"]


def test_probabilities_are_read_from_votes_and_scores() -> None:
    # One member, which first says nothing and then "b": 1/(0 + 1), 1/(e^a + 1). By
    # scores, the first class is certain, and another one has 1/3 in the second round.
    learner = MulticlassAuto({"p": MulticlassPerceptron()})
    learner.learn_one({"x": 1.0}, "b")
    learner.learn_one({"x": 1.0}, "a")
    rule = learner.calibrator_.rule_
    for at, scale in enumerate((1, 2, 4, 8, 16)):
        expected = math.log(1 + math.exp(scale))
        assert rule.losses_[at] == pytest.approx(expected)
        assert rule.losses_[at + 5] == pytest.approx(expected)
    assert np.asarray(rule.losses_)[10:] == pytest.approx(math.log(3))
    # Its scores are now -1 and 1, which are squashed to -1/2 and 1/2; the stacks have
    # learned nothing.
    assert learner.members_["p"].score_one({"x": 1.0}) == {"b": -1.0, "a": 1.0}
    odds = np.exp(np.array([1.0, 2.0, 4.0, 8.0, 16.0] * 2))
    said = learner.predict_one({"x": 1.0})
    found = learner.predict_proba_one({"x": 1.0})
    weights = np.asarray(rule.weights_)
    share, rest = weights[:10] / (odds + 2), (1 - 1 / 4) * weights[10:]
    by_scores = np.append(
        odds[:5] / (odds[:5] + 1), [1 / (1 + math.exp(-2)), *[0.5] * 3]
    )
    assert said == "a"
    assert found["a"] == pytest.approx(
        (odds @ share + by_scores @ rest) / ((odds + 1) @ share + rest.sum())
    )


def test_probabilities_are_equal_on_every_path_and_within_their_theorem(
    tmp_path: Any,
) -> None:
    X, y = noisy()
    blocks, single = MulticlassAuto(MEMBERS), MulticlassAuto(MEMBERS)
    blocks.play(X[:120], y[:120])
    blocks.play(X[120:], y[120:])
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        single.learn_one(x, label)
    models.save(single, tmp_path / "m.lst")
    loaded: Any = models.load(tmp_path / "m.lst")
    chances = blocks.predict_proba(X)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    for other in (single, loaded):
        assert (other.predict_proba(X) == chances).all()
        assert other.calibrator_.loss_ == blocks.calibrator_.loss_
    assert list(single.predict_proba_one(X[3].tolist()).values()) == chances[3].tolist()
    rule = blocks.calibrator_.rule_
    size = len(rule.losses_)
    assert size == 10 + 6 * len(MEMBERS) + 3
    bound = theorems.FS_XC.bound(
        eta=1, share=0.001, switches=0, rounds=300, experts=size
    )
    assert rule.loss_ <= min(rule.losses_.values()) + bound
    assert blocks.calibrator_.guarantees == (theorems.FS_XC,)
    assert MulticlassAuto().predict_proba(X[:2]).shape == (2, 0)


def test_a_sample_weight_is_a_number_of_rounds() -> None:
    X, y = noisy(30)
    times = np.arange(30) % 3
    weighed, repeated = MulticlassAuto(), MulticlassAuto()
    weighed.play(X, y, times)
    repeated.play(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighed.losses_ == repeated.losses_


# What the theorem says ---------------------------------------------------------------

VOTES = st.lists(
    st.tuples(st.lists(st.integers(-1, 3), min_size=5, max_size=5), st.integers(0, 4)),
    max_size=40,
)


@given(VOTES, st.sampled_from([0.1, 0.5, 0.9]))
def test_a_plurality_keeps_the_bound_and_equals_its_twin(
    rounds: list[tuple[list[int], int]], beta: float
) -> None:
    rule, twin = WeightedPlurality(beta, experts=5), twins.WeightedMajority(beta, 5)
    mistakes = 0
    for votes, y in rounds:
        weights = twin.weigh(twin.priors)
        totals = {
            c: sum(Fraction(weights[k]) for k in range(5) if votes[k] == c)
            for c in sorted({*votes} - {-1})
        }
        expected = max(totals, key=totals.__getitem__) if totals else -1
        said = rule.play_one([float(vote) for vote in votes], float(y))
        assert said == expected
        twin.count([k for k in range(5) if votes[k] != y])
        mistakes += said != y
    assert rule.loss_ == mistakes
    best = int(min(np.asarray(rule.losses_), default=0))
    assert mistakes <= theorems.WM.bound(best=best, beta=beta, experts=5)


def test_labels_against_the_vote_come_close_to_the_bound() -> None:
    # Of three classes in turn, two have half of the weight each: the other is right.
    rule = WeightedPlurality(0.5, experts=64)
    for turn in range(100):
        votes = np.full(64, turn % 3, dtype=np.float64)
        votes[np.argsort(np.asarray(rule.losses_), kind="stable")[::2]] = (turn + 1) % 3
        said = rule.predict_one(votes.tolist())
        rule.learn_one(votes.tolist(), ({*votes.tolist()} - {said}).pop())
    best = int(np.asarray(rule.losses_).min())
    bound = theorems.WM.bound(best=best, beta=0.5, experts=64)
    assert rule.loss_ == 100
    assert 0.7 * bound <= rule.loss_ <= bound


def test_the_bound_is_live_and_the_record_names_the_best() -> None:
    X, y = noisy()
    record = run(MulticlassAuto(), streams.arrays(X, y, outcome="class"))
    best = int(min((record.expert_losses or {}).values()))
    assert record.bound == theorems.WM.bound(best=best, beta=0.8, experts=13)
    assert record.mistakes <= (record.bound or 0)
    curve = record.weight_curve()
    assert curve is not None
    assert record.best_expert in curve.weights


# What the judge says -----------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [
        MulticlassAuto(),
        MulticlassAuto(narrow=3),
        MulticlassAuto(
            {"p": MulticlassPerceptron(classes=["d", "c"])}, classes=["d", "c"]
        ),
        MulticlassAuto(MEMBERS, beta=0.5),
    ],
    ids=str,
)
def test_the_judge_replays_the_members(learner: MulticlassAuto) -> None:
    X, y = noisy(60 if learner.members else 15)
    named = [
        (dict(zip("uvwxz", x, strict=True)), label)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]
    certificate = certify(learner, named)
    assert verify(certificate, named).accepted
    record = run(learner.clone(), named)
    assert certify(record, stream=named) == certificate
    fewer = {**certificate.numbers_exact, "best": "1"}
    size = len(learner.experts_)
    bound = theorems.WM.bound(best=1, beta=learner.beta, experts=size)
    forged = replace(certificate, numbers_exact=fewer, bound_exact=bound.hex())
    assert not verify(forged, named).accepted
    parameters = dict(certificate.learner["parameters"])
    members = dict(parameters["members"])
    del members[next(iter(members))]
    stated = parameters | {"members": members}
    forged = replace(
        certificate, learner={"name": "MulticlassAuto", "parameters": stated}
    )
    assert not verify(forged, named).accepted


def test_the_twin_decides_ties_of_two_members_alike() -> None:
    X, y = noisy(80)
    stated: dict[str, Any] = {
        "p": ("MulticlassPerceptron", {}),
        "a": ("MulticlassAROW", {}),
    }
    members: dict[str, Any] = {"p": MulticlassPerceptron(), "a": MulticlassAROW()}
    twin, learner = twins.MulticlassAuto(stated), MulticlassAuto(members)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        said = twin.play(dict(enumerate(x)), label)
        assert learner.play_one(x, label) == said


def test_a_model_continues_where_it_was_saved(tmp_path: Any) -> None:
    X, y = noisy()
    half = MulticlassAuto(narrow=4)
    half.play(X[:200], y[:200])
    models.save(half, tmp_path / "auto.model")
    again: Any = models.load(tmp_path / "auto.model")
    assert again.dropped_.keys() == {
        *("arow full", "arow full r=10", "second-order full"),
        *("ada-grad standardized", "arow fourier"),
    }
    said = [learner.play(sp.csr_matrix(X[200:]), y[200:]) for learner in (half, again)]
    assert (said[0] == said[1]).all()
    assert again.losses_ == half.losses_
    alone = MulticlassAuto({"copies": MEMBERS["copies"]})
    alone.play(X[:50], y[:50])
    assert copy.deepcopy(alone).losses_ == alone.losses_  # by its state


def test_probabilities_that_none_has_saved_are_refused() -> None:
    learner = MulticlassAuto({"a": MulticlassAROW(), "p": MulticlassPerceptron()})
    learner.play(np.eye(3), [0, 1, 2])
    state = learner.save_state()
    chances = state["calibrator"]
    infinite = [np.array(each) for each in chances["state"]]
    infinite[-1][0] = math.inf  # the weight of a reading
    for wrong in ({"mistakes": np.array([1, 4])}, {"state": infinite}):
        broken = {**state, "calibrator": {**chances, **wrong}}
        with pytest.raises(ParameterError, match="saved state is invalid"):
            learner.clone().load_state(broken)
    learner.clone().load_state(state)


def test_no_rows_before_the_first_class() -> None:
    learner = MulticlassAuto()
    for none in (np.empty((0, 3)), sp.csr_array((0, 3))):
        assert learner.play(none, []).tolist() == []
        assert learner.predict(none).tolist() == []
    assert learner.newborn_


# What is refused ---------------------------------------------------------------------


def test_rows_that_only_some_members_can_score() -> None:
    aggressive = MulticlassPassiveAggressive(1e300)
    learner = MulticlassAuto({"p": MEMBERS["p"], "pa": aggressive})
    learner.play([[1e-100], [-1e-100], [1e-100]], ["a", "b", "a"])
    assert not learner.dropped_
    X = [[1e250], [1e-100]]
    assert learner.predict(X).tolist() == [learner.predict_one(x) for x in X]
    chances = [list(learner.predict_proba_one(x).values()) for x in X]
    assert learner.predict_proba(X).tolist() == chances
    with pytest.raises(ExampleError, match="row 0: MulticlassAuto: the score must"):
        MulticlassAuto({"pa": aggressive}).partial_fit(
            [[1e-100], [-1e-100], [1e-100]], ["a", "b", "a"]
        ).predict(X)


def test_a_refused_row_stops_every_member_and_its_classes_are_forgotten() -> None:
    X, y = noisy(10)
    X[6, 2] = np.inf
    y[7] = "h"
    learner, expected = MulticlassAuto(), MulticlassAuto()
    with pytest.raises(FeatureError, match="row 6: MulticlassAuto: .* 6 rounds played"):
        learner.play(X, y)
    expected.play(X[:6], y[:6])
    assert learner.losses_ == expected.losses_
    assert learner.classes_ == expected.classes_
    for name, member in learner.members_.items():
        assert member.updates_ == expected.members_[name].updates_
        copies = member.alive() if isinstance(member, Restarting) else []
        for each in [each.learner for each in copies] or [member]:
            assert each.classes_ == expected.classes_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"members": {}}, "members must map names to linear learners, got {}"),
        ({"members": {"": MulticlassAROW()}}, "must be a text other than ''"),
        ({"members": {"a": AROW()}}, "member 'a' must be a newborn MulticlassAROW or"),
        (
            {"members": MEMBERS, "classes": ["x"]},
            r"member 'pa' must know the classes \['x'\], got \[\]",
        ),
        ({"classes": "ab"}, "classes must"),
        ({"beta": 1.0}, "beta must"),
        ({"narrow": -1}, "narrow must"),
        ({"bias": float("nan")}, "bias must"),
    ],
)
def test_illegal_parameters(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        MulticlassAuto(**given)
