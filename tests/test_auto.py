"""Auto plays all its members, follows the best of them, and is judged with them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given

from littlestone import Auto, certify, models, race, run, streams, theorems, verify
from littlestone.auto import STACKS, pool, pools
from littlestone.errors import (
    ExampleError,
    FeatureError,
    ParameterError,
    PremiseError,
)
from littlestone.experts import Restarting
from littlestone.linear import (
    AIOLI,
    AROW,
    KernelPerceptron,
    PassiveAggressive,
    Perceptron,
)
from littlestone.maps import Crossed, Mapped
from worlds import World, worlds

MEMBERS: dict[str, Any] = {
    "pa": PassiveAggressive(bias=1.0),
    "p": Perceptron(),
    "full": AROW(diagonal=False),
}


def noisy(rows: int = 400, columns: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.integers(-2, 3, (rows, columns)).astype(np.float64)
    return X, X @ rng.normal(size=columns) + rng.normal(size=rows) > 0


# What it says it does ----------------------------------------------------------------


def test_the_members_learn_as_they_do_alone() -> None:
    X, y = noisy()
    learner = Auto()
    learner.play(X, y)
    learners: dict[str, Any] = dict(pool())
    for name, member in learners.items():
        alone = member.play(X, y)
        assert learner.losses_[name] == np.count_nonzero(alone != y)
        inside: Any = learner.members_[name]
        known = "copies_" if isinstance(member, Restarting) else "weights_"
        assert getattr(inside, known) == getattr(member, known)


def test_the_stacks_learn_from_scores_and_all_vote() -> None:
    X, y = noisy(60, 3)
    learner, alone = (
        Auto(MEMBERS, beta=0.5),
        [each.clone() for each in MEMBERS.values()],
    )
    stack, logistic, weights = AROW(diagonal=False, bias=1.0), AIOLI(), np.ones(5)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        scores = np.array([member.score_one(x) for member in alone])
        for member in alone:
            member.learn_one(x, label)
        inputs = (scores / (1 + abs(scores))).tolist()
        scores = np.array([*scores, stack.score_one(inputs)])
        stack.learn_one(inputs, label)
        odds = np.clip(scores, -16, 16) / 4
        inputs = [*(scores / (1 + abs(scores))), *odds]
        votes = np.array([*(scores >= 0), logistic.play_one(inputs, label)])
        assert learner.predict_one(x) == (weights[votes].sum() >= weights.sum() / 2)
        learner.learn_one(x, label)
        weights[votes != label] /= 2
    shares = [learner.weights_[name] for name in STACKS]
    assert shares == pytest.approx(weights[-2:] / weights.sum())


@pytest.mark.parametrize("narrow", [1, 3, 128])
def test_a_full_matrix_is_dropped_at_the_first_feature_too_many(narrow: int) -> None:
    learner = Auto(MEMBERS, narrow=narrow)
    X = np.eye(6)
    X[3] = 0  # needs no room
    y = [False, True, True, False, True, False]
    learner.play(X, y)
    expected = {1: 1, 3: 4, 128: None}[narrow]
    assert learner.dropped_.get("full") == expected
    one_by_one = Auto(MEMBERS, narrow=narrow)
    for x, label in zip(X.tolist(), y, strict=True):
        one_by_one.learn_one(x, label)
    assert one_by_one.losses_ == learner.losses_
    assert one_by_one.dropped_ == learner.dropped_
    if expected is not None:  # it says no from then on
        said = sum(y[expected:])
        before = AROW(diagonal=False).play(X[:expected], y[:expected])
        assert learner.losses_["full"] == said + sum(before != y[:expected])


@pytest.mark.parametrize(("nonzeros", "after"), [(10, 10), (15, 12), (16, None)])
def test_examples_with_many_values_may_bring_more_features(
    nonzeros: int, after: int | None
) -> None:
    # Each of 12 examples brings 10 new features, and repeats some of the first.
    stream = []
    for t in range(13):
        fresh = range(10 * t, 10 * t + 10) if t < 12 else range(120, 125)
        old = range(nonzeros - len(fresh))
        stream.append((dict.fromkeys([*old, *fresh], 1.0), t % 2 == 0))
    members = {"pa": PassiveAggressive(), "full": AROW(diagonal=False)}
    learner = Auto(members)
    record = run(learner, stream)
    # A hundred always fit, and eight for each value of the example that is not 0.
    assert learner.dropped_ == ({} if after is None else {"full": after})
    certificate = certify(Auto(members), stream)
    assert certificate.mistakes == record.mistakes
    assert verify(certificate, stream).accepted
    fewer = Auto(members, narrow=100)
    fewer.play(*_arrays(stream))
    assert fewer.dropped_ == {"full": 10}


def _arrays(stream: list[tuple[dict[int, float], bool]]) -> tuple[Any, list[bool]]:
    X = np.zeros((len(stream), 125))
    for t, (x, _) in enumerate(stream):
        X[t, list(x)] = 1.0
    return X, [y for _, y in stream]


@pytest.mark.parametrize(
    ("fresh", "after"), [(64, None), (65, 64), (40, 128), (25, 256)]
)
def test_copies_are_dropped_where_a_batch_begins_with_too_many_features(
    fresh: int, after: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each example brings new features; the first copy may have weights for 4096, and
    # they are counted after 64, 128 and 256 rounds.
    rounds = 64 if after is None else after + 6
    stream = [
        (dict.fromkeys([f"w{fresh * t + k}" for k in range(fresh)], 1.0), t % 3 == 0)
        for t in range(rounds)
    ]
    stream += [(stream[0][0], True), ({}, False)]
    members: dict[str, Any] = {"p": Perceptron(), "copies": Restarting(AROW())}
    learner, one_by_one = Auto(members), Auto(members)
    record = run(learner, stream, keep="nothing")
    assert learner.dropped_ == ({} if after is None else {"copies": after})
    for x, label in stream:
        said = one_by_one.predict_one(x)
        assert one_by_one.predict([x]) == [said]
        assert one_by_one.play_one(x, label) == said
    assert one_by_one.losses_ == learner.losses_ == record.expert_losses
    assert one_by_one.dropped_ == learner.dropped_
    given: dict[str, Any] = {"witness": "copies"}
    assert verify(certify(Auto(members), stream, **given), stream).accepted
    given["theorem"] = "WM-RESTART"
    if after is None:
        assert verify(certify(Auto(members), stream, **given), stream).accepted
    else:  # it is not played to the end
        with pytest.raises(PremiseError, match="WM-RESTART"):
            certify(Auto(members), stream, **given)
        monkeypatch.setattr("littlestone.certifying._votes.COPIED", 10**6)
        verdict = verify(certify(Auto(members), stream, **given), stream)
        assert not verdict.accepted
        assert "must not be dropped" in str(verdict)


def test_what_a_member_refuses_it_denies_before_it_is_dropped() -> None:
    # Only the matrix copes with the noise in column 1, so its vote is what counts.
    given: dict[str, Any] = {"p": Perceptron(), "full": AROW(diagonal=False)}
    learner = Auto(given, narrow=2, beta=0.5)
    rng = np.random.default_rng(0)
    for _ in range(60):
        label = bool(rng.random() < 0.5)
        learner.play_one([1.0 if label else -1.0, 10 * rng.normal()], label)
    assert learner.weights_["full"] > 0.5
    asked = [1.0, 0.0, 1.0]  # there is no room for column 2
    said = [learner.predict_one(asked), *learner.predict(np.array([asked]))]
    assert said == [learner.play_one(asked, True)] * 2 == [False] * 2
    assert learner.dropped_ == {"full": 60}


def test_what_is_predicted_is_what_the_round_would_say() -> None:
    # Only products tell the labels, so what is said behind the map is what counts.
    behind = Mapped(Perceptron(), Crossed([(0, 1)]))
    full = AROW(diagonal=False)
    learner = Auto({"p": Perceptron(), "full": full, "map": behind}, narrow=2, beta=0.1)
    for x in [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]] * 10:
        learner.learn_one(x, x[0] * x[1] > 0)
    assert learner.weights_["map"] > 0.4
    assert learner.predict_one([1.0, 1.0])
    asked = [1.0, 1.0, 0.0, 1.0]  # there is no room for column 3 in the matrix
    said = [learner.predict_one(asked), *learner.predict([asked])]
    scored = [learner.score_one(asked), *learner.decision_function([asked])]
    assert said == [learner.play_one(asked, True)] * 2
    assert scored[0] == scored[1] < 0
    assert learner.dropped_ == {"full": 40, "map": 40}


def test_a_sample_weight_is_a_number_of_rounds() -> None:
    X, y = noisy(30)
    times = np.arange(30) % 3
    weighed, repeated = Auto(), Auto()
    weighed.play(X, y, times)
    repeated.play(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert weighed.losses_ == repeated.losses_


def test_scores_have_the_sign_of_the_prediction() -> None:
    X, y = noisy()
    learner = Auto()
    learner.play(X[:200], y[:200])
    scores = learner.decision_function(X)
    assert ((scores >= 0) == learner.predict(X)).all()
    assert scores[5] == learner.score_one(X[5].tolist())
    assert np.abs(scores).max() <= 1 + 1e-12


# What the theorem says ---------------------------------------------------------------


@given(worlds())
def test_mistakes_never_exceed_the_bound(world: World) -> None:
    record = run(Auto(beta=0.7), streams.arrays(world.X, world.y))
    if record.rounds:
        best = int(min((record.expert_losses or {}).values()))
        bound = theorems.WM.bound(best=best, beta=0.7, experts=len(pool()) + 2)
        assert record.bound == bound
        assert record.mistakes <= bound


def test_labels_against_the_vote_come_close_to_the_bound() -> None:
    # Members that know their own feature only: half of the weight says yes.
    learner = Auto({str(k): Perceptron() for k in range(15)}, beta=0.9)
    mistakes = 0
    for _ in range(400):
        said = learner.predict_one({})
        mistakes += 1
        learner.learn_one({}, not said)
    bound = theorems.WM.bound(
        best=int(min(learner.losses_.values())), beta=0.9, experts=16
    )
    assert 0.4 * bound <= mistakes <= bound


def test_the_record_says_which_member_had_the_weight_when() -> None:
    X, y = noisy()
    record = run(Auto(MEMBERS), (X, y))
    curve = record.weight_curve()
    assert curve is not None
    assert {*curve.weights} == {*MEMBERS, *STACKS}
    assert record.best_expert in curve.weights
    ranking = race({"auto": Auto(), "p": Perceptron()}, streams.arrays(X, y))
    assert ranking.winner == "auto"


# What the judge says -----------------------------------------------------------------


@pytest.mark.parametrize(
    "learner", [Auto(), Auto(narrow=3), Auto(MEMBERS, beta=0.5)], ids=str
)
def test_the_judge_replays_the_members(learner: Auto) -> None:
    X, y = noisy(40)
    named = [
        (dict(zip("abcde", x, strict=True)), t)
        for x, t in zip(X.tolist(), y.tolist(), strict=True)
    ]
    certificate = certify(learner, named)
    assert verify(certificate, named).accepted
    record = run(learner.clone(), named)
    assert certify(record, stream=named) == certificate
    other = "p" if learner.members else "arow"
    assert certify(learner, named, witness=other).witness["expert"] == other
    fewer = {**certificate.numbers_exact, "best": "1"}
    bound = theorems.WM.bound(best=1, beta=learner.beta, experts=len(learner.experts_))
    forged = replace(certificate, numbers_exact=fewer, bound_exact=bound.hex())
    assert not verify(forged, named).accepted
    parameters = dict(certificate.learner["parameters"])
    members = dict(parameters["members"])
    del members[next(iter(members))]
    forged = replace(
        certificate,
        learner={"name": "Auto", "parameters": parameters | {"members": members}},
    )
    assert not verify(forged, named).accepted


def test_a_vote_is_compared_with_copies_that_began_at_the_right_time() -> None:
    stream = [({"a": 1.0}, t < 160) for t in range(320)]
    members: dict[str, Any] = {
        "p": Perceptron(),
        "restarting": Restarting(AROW(), shortest=16),
    }
    wanted: dict[str, Any] = {"witness": "restarting", "theorem": "WM-RESTART"}
    certificate = certify(Auto(members), stream, **wanted)
    assert certificate.witness["switches"][:2] == ((0, 0), (160, 10))
    assert certificate.mistakes <= certificate.bound
    assert verify(certificate, stream).accepted
    plain = certify(Auto(members), stream, witness="restarting")
    assert plain.theorem == "WM"
    assert plain.others["WM-RESTART"]["bound"] == certificate.bound
    for name in ("best", "pieces", "batches"):
        bound = theorems.WM_RESTART.bound(**{**certificate.numbers, name: 1})
        fewer = {**certificate.numbers_exact, name: "1"}
        forged = replace(certificate, numbers_exact=fewer, bound_exact=bound.hex())
        assert not verify(forged, stream).accepted


def test_a_model_continues_where_it_was_saved(tmp_path: Any) -> None:
    X, y = noisy()
    half = Auto(narrow=4)
    half.play(X[:200], y[:200])
    models.save(half, tmp_path / "auto.model")
    again = models.load(tmp_path / "auto.model")
    assert isinstance(again, Auto)
    for learner in (half, again):
        learner.play(sp.csr_matrix(X[200:]), y[200:])
    assert again.losses_ == half.losses_
    assert (
        again.dropped_
        == half.dropped_
        == dict.fromkeys(
            (
                *("arow full", "second-order-perceptron full"),
                *("ada-grad standardized", "arow fourier 300"),
            ),
            0,
        )
    )


# What is refused ---------------------------------------------------------------------


def test_rows_that_only_some_members_can_score() -> None:
    learner = Auto({"p": Perceptron(), "pa": PassiveAggressive(mode=None)})
    learner.play([[1e-100], [-1e-100], [1e-100]], [False, True, False])
    assert not learner.dropped_
    X = [[1e250], [1e-100]]
    assert learner.predict(X).tolist() == [learner.predict_one(x) for x in X]
    assert learner.decision_function(X).tolist() == [learner.score_one(x) for x in X]
    chances = [list(learner.predict_proba_one(x).values()) for x in X]
    assert learner.predict_proba(X).tolist() == chances
    alone = Auto({"pa": PassiveAggressive(mode=None)})
    alone.play([[1e-100], [-1e-100]], [False, True])
    with pytest.raises(ExampleError, match="row 0: Auto: the score must"):
        alone.predict(X)


def test_a_refused_row_stops_every_member_at_the_same_round() -> None:
    X, y = noisy(10)
    X[6, 2] = np.inf
    learner, expected = Auto(), Auto()
    with pytest.raises(FeatureError, match="row 6: Auto: .* 6 rounds played"):
        learner.play(X, y)
    with pytest.raises(FeatureError, match="row 6: Auto: .* 6 rounds played"):
        Auto().play(X, y, [1, 2, 1, 0, 1, 1, 1, 1, 1, 1])
    expected.play(X[:6], y[:6])
    assert learner.losses_ == expected.losses_
    assert [m.updates_ for m in learner.members_.values()] == [
        m.updates_ for m in expected.members_.values()
    ]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"members": {}}, "members must map names to linear learners, got {}"),
        ({"members": [Perceptron()]}, "members must map names"),
        ({"members": {"stack": Perceptron()}}, "must be a text other than 'stack'"),
        (
            {"members": {"k": KernelPerceptron()}},
            "member 'k' must be a newborn AROW or",
        ),
        (
            {"members": {"full": Restarting(AROW(diagonal=False))}},
            "member 'full' must be a newborn AROW or",
        ),
        ({"beta": 1.0}, "beta must"),
        ({"narrow": -1}, "narrow must"),
        ({"bias": float("nan")}, "bias must"),
    ],
)
def test_illegal_parameters(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Auto(**given)


def test_a_record_of_an_earlier_pool_is_certified_with_its_members() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(60, 3))
    stream = list(zip(X.tolist(), (X[:, 0] > 0.3).tolist(), strict=True))
    names = [name for name in pools() if name not in pool()]
    state = Auto({name: pools()[name] for name in names}).save_state()
    for keep in ("mistakes", "updates"):
        old = Auto()
        old.load_state({**state, "pool": names})  # as from a file of that time
        certificate = certify(run(old, stream, keep=keep), stream=stream)
        assert list(certificate.learner["parameters"]["members"]) == names
        assert verify(certificate, stream).accepted


def test_a_certificate_names_some_members_and_counts_the_others() -> None:
    told = str(certify(Auto(), [([1.0, 0.5], True), ([0.5, 1.0], False)] * 40))
    assert "Auto(members=<13: passive-aggressive bias=0, " in told
    assert " and 10 more>, bias=1.0" in told
    assert "…, bias" not in told
