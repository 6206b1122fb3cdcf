"""Halving follows the majority of the blameless, and halves them with each mistake."""

from __future__ import annotations

import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ballots import Ballots, hold_to_twin, large, mistakes_of, small, snapshot
from littlestone import run
from littlestone.adversaries import HalvingAdversary
from littlestone.errors import FeatureError, NobodyLeftWarning, ParameterError
from littlestone.experts import Halving, PackedAdvice
from littlestone.theorems import HALV, HALV_R
from littlestone.verifying import twins

quiet = pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning")

# By hand ----------------------------------------------------------------------------


def test_the_majority_of_the_blameless_is_followed_and_a_tie_says_yes() -> None:
    learner = Halving(experts=["ann", "bob", "cyd"])
    assert learner.predict_one([True, False, False]) is False
    assert learner.predict_one({"ann": True, "bob": False}) is True  # a tie
    assert learner.play_one([True, False, False], True) is False
    assert learner.alive_ == ["ann"]
    assert learner.living_ == 1
    assert learner.play_one([False, True, True], False) is False  # ann alone votes
    assert dict(learner.losses_) == {"ann": 0, "bob": 2, "cyd": 2}
    assert dict(learner.weights_) == {"ann": 1, "bob": 0, "cyd": 0}
    assert dict(learner.regret_) == {"ann": 1, "bob": -1, "cyd": -1}
    assert (learner.loss_, learner.updates_, learner.best_expert_) == (1, 2, "ann")


def test_the_wrong_go_also_when_the_majority_is_right() -> None:
    learner = Halving(experts=3)
    assert learner.play_one([1, 1, 0], 1) is True
    assert learner.alive_ == [0, 1]
    assert learner.loss_ == 0


def test_a_sleeper_neither_votes_nor_falls() -> None:
    learner = Halving(experts=["ann", "bob", "cyd"])
    assert learner.play_one({"ann": False, "bob": False}, True) is False
    assert learner.alive_ == ["cyd"]
    # The only one alive sleeps: nobody votes, which is a tie.
    assert learner.play_one({"ann": False}, False) is True
    assert learner.alive_ == ["cyd"]
    assert dict(learner.losses_) == {"ann": 1, "bob": 1, "cyd": 0}
    assert dict(learner.own_losses_) == {"ann": 2, "bob": 1, "cyd": 0}


def test_one_expert_is_followed_until_it_is_wrong() -> None:
    learner = Halving()
    assert learner.play_one([False], False) is False
    with pytest.warns(NobodyLeftWarning):
        assert learner.play_one([False], True) is False
    assert learner.play_one([False], False) is True


def test_when_nobody_is_left_it_warns_once_and_says_yes() -> None:
    learner = Halving(experts=2)
    message = "Halving: every expert has been wrong after 2 rounds"
    learner.learn_one([True, False], False)
    with pytest.warns(NobodyLeftWarning, match=message) as caught:
        learner.learn_one([True, False], True)
    assert len(caught) == 1
    assert (learner.living_, learner.alive_) == (0, [])
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert learner.play([[False, False]] * 2, [False, True]).all()


all_ways = pytest.mark.parametrize(
    "play",
    [
        lambda learner: learner.play_one([True], False),
        lambda learner: learner.learn_one([True], False),
        lambda learner: learner.play([[True]], [False]),
        lambda learner: learner.play(PackedAdvice.of([[True]]), [False]),
        lambda learner: run(learner, [([True], False)]),
    ],
)


@all_ways
def test_the_warning_points_at_the_caller(play: Any) -> None:
    with pytest.warns(NobodyLeftWarning) as caught:
        play(Halving())
    assert [warning.filename for warning in caught] == [__file__]


@all_ways
def test_a_warning_made_an_exception_does_not_undo_the_round(play: Any) -> None:
    learner = Halving()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(NobodyLeftWarning):
            play(learner)
    assert (learner.updates_, learner.living_, learner.loss_) == (1, 0, 1)


def test_with_restart_all_begin_again() -> None:
    learner = Halving(restart=True, experts=2)
    learner.learn_one([True, False], False)
    learner.learn_one([True, False], True)
    assert (learner.restarts_, learner.alive_) == (1, [0, 1])
    assert dict(learner.losses_) == {0: 1, 1: 1}


@quiet
def test_a_late_expert_has_a_clean_sheet() -> None:
    learner = Halving(experts=64)
    learner.play(np.ones((5, 64), dtype=bool), [False] * 5)
    learner.join()
    assert learner.alive_ == [64]
    assert (learner.losses_[64], learner.own_losses_[64]) == (0, 0)
    assert learner.play_one([True] * 64 + [False], True) is False
    assert (learner.losses_[64], learner.own_losses_[64]) == (1, 1)
    assert (learner.losses_[0], learner.own_losses_[0], learner.regret_[0]) == (5, 6, 1)


def test_a_large_crowd_is_played_without_books() -> None:
    plain, bare = Halving(), Halving(keep_losses=False)
    F = np.random.default_rng(1).random((50, 130)) < 0.5
    F[:, 77] = y = F[:, 0] | F[:, 1]
    assert plain.play(F, y).tolist() == bare.play(F, y).tolist()
    assert plain.alive_ == bare.alive_
    assert plain.loss_ == bare.loss_ > 0
    bare.join()
    assert bare.living_ == plain.living_ + 1
    for name in ("losses_", "own_losses_", "regret_", "best_expert_"):
        with pytest.raises(ParameterError, match="with keep_losses=True only"):
            getattr(bare, name)


# Packed advice ----------------------------------------------------------------------


@quiet
@given(large(), st.booleans())
def test_packed_advice_is_the_same_advice(ballots: Ballots, restart: bool) -> None:
    packed = PackedAdvice.of(ballots.votes)
    assert len(packed) == len(ballots)
    learners = [Halving(restart) for _ in range(4)]
    signs = np.where(ballots.votes, 1, -1)
    said = [
        learners[0].play(ballots.votes, ballots.labels),
        learners[1].play(packed, ballots.labels),
        learners[2].play(PackedAdvice.of(signs), ballots.labels),
        np.array([learners[3].play_one(x, y) for x, y in ballots.rounds()]),
    ]
    for other, learner in zip(said[1:], learners[1:], strict=True):
        assert other.tolist() == said[0].tolist()
        assert snapshot(learner) == snapshot(learners[0])
    again = learners[0].predict(ballots.votes).tolist()
    assert learners[0].predict(packed).tolist() == again
    assert [learners[0].predict_one(x) for x, _ in ballots.rounds()] == again
    assert (
        Halving().predict(packed).tolist() == Halving().predict(ballots.votes).tolist()
    )


def test_bits_beyond_the_experts_do_not_vote() -> None:
    votes = np.full((3, 2), 2**64 - 1, dtype=np.uint64)
    clean = PackedAdvice.of(np.ones((3, 70), dtype=bool))
    one, other = Halving(restart=True), Halving(restart=True)
    labels = [False, True, False]
    assert one.play(PackedAdvice(votes, 70), labels).tolist() == [True] * 3
    assert other.play(clean, labels).tolist() == [True] * 3
    assert snapshot(one) == snapshot(other)
    assert sum(one.losses_.values()) == 140


def test_bytes_are_filled_up_to_words() -> None:
    rows = np.packbits([[1, 0, 1], [0, 1, 1]], axis=1, bitorder="little")
    assert PackedAdvice(rows, 3).rows.tolist() == [[5], [6]]
    assert PackedAdvice(np.zeros((2, 9), np.uint8), 65).rows.shape == (2, 2)
    assert len(PackedAdvice.of(np.ones((0, 3), dtype=bool))) == 0


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: PackedAdvice(np.zeros((2, 1)), 3), "got 2 dimensions of float64"),
        (lambda: PackedAdvice(np.zeros(2, np.uint64), 3), "got 1 dimensions of uint64"),
        (lambda: PackedAdvice(np.zeros((2, 1), np.uint64), 65), "1 words must hold"),
        (lambda: PackedAdvice(np.zeros((2, 2), np.uint64), 64), "2 words must hold"),
        (lambda: PackedAdvice(np.zeros((2, 1), np.uint64), 0), "whole number .* got 0"),
        (lambda: PackedAdvice(np.zeros((2, 1), np.uint64), 3.0), "got 3.0"),  # type: ignore[arg-type]  # refused
        (lambda: PackedAdvice.of([True, False]), "must have two dimensions"),
        (lambda: PackedAdvice.of([[[1.0, 0.0]]]), "experts must predict labels"),
        (lambda: PackedAdvice.of([{"a": 1}, {"b": 1}]), "no expert may sleep"),
    ],
)
def test_bits_that_are_no_advice(made: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made()


def test_only_labels_are_packed() -> None:
    with pytest.raises(
        FeatureError, match="row 1: PackedAdvice: expert 0 must predict"
    ):
        PackedAdvice.of([[0, 1], [0.5, 1]])
    with pytest.raises(FeatureError, match="got nan"):
        PackedAdvice.of([[0, float("nan")]])


def test_packed_advice_that_is_refused_changes_nothing() -> None:
    learner, packed = Halving(experts=3), PackedAdvice.of([[True, False]])
    before = snapshot(learner)
    everyone = PackedAdvice.of([[True] * 3])
    refused = "neither sample_weight nor awake"
    with pytest.raises(FeatureError, match="for each of 3 experts, got 2"):
        learner.play(packed, [True])
    with pytest.raises(FeatureError, match="for each of 3 experts, got 2"):
        learner.predict(packed)
    with pytest.raises(ParameterError, match="one label for each of 1 rows"):
        learner.play(everyone, [True, False])
    with pytest.raises(ParameterError, match=refused):
        learner.play(everyone, [True], [1])
    with pytest.raises(ParameterError, match=refused):
        learner.play(everyone, [True], awake=[[1] * 3])
    with pytest.raises(ParameterError, match="packed advice takes no awake"):
        learner.predict(everyone, awake=[[1] * 3])
    assert snapshot(learner) == before
    newborn = Halving()
    with pytest.raises(ParameterError, match="one label for each of 1 rows"):
        newborn.play(packed, [True, False])
    assert snapshot(newborn) == snapshot(Halving())


# What the theorem says --------------------------------------------------------------


def hold_to_bound(learner: Halving, ballots: Ballots) -> None:
    """Hold the bound on every prefix, as long as there is one."""
    best = mistakes_of(ballots).min(axis=1)
    n, mistakes = ballots.votes.shape[1], 0
    for t, (x, y) in enumerate(ballots.rounds()):
        mistakes += learner.play_one(x, y) != y
        if learner.restart:
            assert mistakes <= HALV_R.bound(best=int(best[t + 1]), experts=n)
            assert learner.restarts_ <= best[t + 1]
        elif best[t + 1] == 0:
            assert mistakes <= HALV.bound(experts=n)
    assert mistakes == learner.loss_


@quiet
@given(small(), st.booleans())
def test_the_bound_holds_on_every_prefix(ballots: Ballots, restart: bool) -> None:
    hold_to_bound(Halving(restart), ballots)


@quiet
@given(large(rounds=120), st.booleans())
def test_the_bound_holds_for_a_crowd(ballots: Ballots, restart: bool) -> None:
    hold_to_bound(Halving(restart), ballots)


@given(large(rounds=120), st.data())
def test_the_bound_holds_where_one_is_never_wrong(
    ballots: Ballots, data: st.DataObject
) -> None:
    perfect = data.draw(st.integers(0, ballots.votes.shape[1] - 1))
    ballots.votes[:, perfect] = ballots.labels
    learner = Halving()
    hold_to_bound(learner, ballots)
    assert perfect in learner.alive_
    assert learner.guarantees == (HALV,)


@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("n", range(1, 12))
def test_the_adversary_forces_exactly_the_bound(n: int, restart: bool) -> None:
    learner, adversary = Halving(restart), HalvingAdversary(n)
    record = run(learner, adversary)
    assert record.mistakes == HALV.bound(experts=2**n) == n
    assert learner.alive_ == [adversary.best_expert_]
    assert HALV_R.bound(best=0, experts=2**n) == n


@pytest.mark.parametrize("m", [0, 1, 5])
@pytest.mark.parametrize("n", [1, 3, 6])
def test_the_bound_with_restarts_is_attained(n: int, m: int) -> None:
    # Ties say yes and the label is no, so expert 0, whose bits are all 0, is the last
    # one left. Then it says yes too: wrong once in each pass, as nobody is less often.
    learner = Halving(restart=True, experts=2**n)
    for _ in range(m):
        for t in range(n):
            learner.learn_one([bool(i >> t & 1) for i in range(2**n)], False)
        assert learner.alive_ == [0]
        learner.learn_one([True] * 2**n, False)
    for t in range(n):
        learner.learn_one([bool(i >> t & 1) for i in range(2**n)], False)
    assert min(learner.losses_.values()) == learner.restarts_ == m
    assert learner.loss_ == learner.updates_ == HALV_R.bound(best=m, experts=2**n)
    assert learner.guarantees == (HALV_R,)


def test_priors_count_as_votes_do() -> None:
    # By hand: 3 against 1 + 1; then ann is gone, and the others tie.
    learner = Halving(experts={"ann": 3, "bob": 1, "cyd": 1})
    assert dict(learner.weights_) == {"ann": 0.6, "bob": 0.2, "cyd": 0.2}
    assert learner.play_one([False, True, True], True) is False
    assert learner.alive_ == ["bob", "cyd"]
    assert dict(learner.weights_) == {"ann": 0.0, "bob": 0.5, "cyd": 0.5}
    assert learner.play_one([True, True, False], False) is True
    assert learner.loss_ == 2 == HALV.bound(prior=Fraction(1, 5))


@quiet
@given(large(sleepy=False), st.booleans(), st.data())
def test_priors_hold_the_bound_and_the_twin(
    ballots: Ballots, restart: bool, data: st.DataObject
) -> None:
    n = ballots.first
    each = st.lists(st.integers(1, 60), min_size=n, max_size=n)
    priors = dict(enumerate(data.draw(each)))
    learner = Halving(restart, experts=priors)
    twin = twins.Halving(**learner.get_params())
    learner = hold_to_twin(
        learner, twin, ballots, alive_="alive", restarts_="restarts", weights_="weights"
    )
    whole, light = sum(priors.values()), min(priors.values())
    for expert, prior in priors.items() if len(set(priors.values())) > 1 else ():
        m, share = int(learner.losses_[expert]), Fraction(prior, whole)
        if restart:
            least = Fraction(light, whole)
            most = HALV_R.bound(best=m, prior=share, lightest=least)
            assert learner.loss_ <= most
        elif not m:
            assert learner.loss_ <= HALV.bound(prior=share)


# What the twin says -----------------------------------------------------------------


@quiet
@given(st.booleans(), st.booleans(), st.data())
def test_it_equals_its_twin(restart: bool, sleepy: bool, data: st.DataObject) -> None:
    ballots = data.draw(st.one_of(small(), large(sleepy=sleepy)))
    learner = Halving(restart, experts=ballots.first if sleepy else None)
    hold_to_twin(
        learner,
        twins.Halving(**learner.get_params()),
        ballots,
        alive_="alive",
        restarts_="restarts",
    )


@quiet
@given(large(sleepy=True, late=True), st.booleans())
def test_it_equals_its_twin_with_newcomers(ballots: Ballots, restart: bool) -> None:
    ballots.joins.update(dict.fromkeys(ballots.joins))  # type: ignore[attr-defined]  # a dict
    learner = Halving(restart, experts=ballots.first)
    hold_to_twin(
        learner,
        twins.Halving(**learner.get_params()),
        ballots,
        alive_="alive",
        restarts_="restarts",
    )


@quiet
@pytest.mark.parametrize("sleepy", [False, True])
def test_thousands_of_mistakes_are_counted(sleepy: bool) -> None:
    rng = np.random.default_rng(3)
    votes, y = rng.random((5000, 130)) < 0.7, rng.random(5000) < 0.5
    awake = rng.random(votes.shape) < (0.6 if sleepy else 1)
    learner = Halving(restart=True)
    said = learner.play(votes, y, awake=awake)
    wrong = (votes != y[:, None]) & awake
    mistaken = (said != y)[:, None] & awake
    assert np.asarray(learner.losses_).tolist() == wrong.sum(axis=0).tolist()
    assert np.asarray(learner.own_losses_).tolist() == mistaken.sum(axis=0).tolist()
    copy = pickle.loads(snapshot(learner))  # noqa: S301 - our own bytes
    assert dict(copy.losses_) == dict(learner.losses_)
    assert snapshot(copy) == snapshot(learner)


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"restart": "yes"}, "restart must be True or False, got 'yes'"),
        ({"keep_losses": 1}, "keep_losses must be True or False, got 1"),
        ({"experts": {"a": 1, "b": 0}}, "a prior must exceed 0, got 0"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^Halving: {message}"):
        Halving(**parameters)


def test_equal_priors_are_no_priors() -> None:
    assert Halving(experts={"a": 0.1, "b": 0.1, "c": 0.1}).alive_ == ["a", "b", "c"]


def test_a_newcomer_brings_no_prior() -> None:
    learner = Halving(experts=2)
    before = snapshot(learner)
    with pytest.raises(ParameterError, match="begin alike if one joins, got the prior"):
        learner.join(prior=0.3)
    assert snapshot(learner) == before
    learner = Halving(experts={"ann": 2, "bob": 1})
    with pytest.raises(ParameterError, match="begin alike if one joins, got a new one"):
        learner.join("cyd")


def test_the_latest_loss_is_that_of_the_last_round() -> None:
    learner = Halving(restart=True, experts=2)
    learner.play([[True, True], [True, True]], [True, False])
    assert learner.last_loss_ == 1.0
    learner.play(PackedAdvice.of([[True, True]]), [True])
    assert learner.last_loss_ == 0.0
