"""Weighted majority with a floor errs little on every interval of rounds."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ballots import (
    Ballots,
    bits,
    evenly,
    greedy,
    hold_to_twin,
    large,
    mistakes_of,
    seeds,
    small,
)
from littlestone import run
from littlestone.adversaries import HalvingAdversary, RandomExperts
from littlestone.experts import FloorWeightedMajority, WeightedMajority
from littlestone.theorems import WM_FLOOR, WM_FLOOR_START
from littlestone.verifying import twins

# By hand ----------------------------------------------------------------------------


def test_a_mistake_halves_down_to_the_floor_and_no_further() -> None:
    learner = FloorWeightedMajority(experts=["ann", "bob"])
    assert learner.play_one([True, False], False) is True  # a tie says yes
    assert bits(learner.weights_.values()) == bits([1 / 3, 2 / 3])
    assert learner.play_one([True, False], True) is False
    assert dict(learner.weights_) == {"ann": 0.5, "bob": 0.5}
    # Bob weighs 1/2, 1/3, 1/5 and 1/9 of the whole; 1/8 is the floor.
    for share in (1 / 3, 1 / 5, 1 / 9, 1 / 9, 1 / 9):
        learner.learn_one([True, False], True)
        assert learner.weights_["bob"] == share
    assert dict(learner.losses_) == {"ann": 1, "bob": 6}
    assert (learner.loss_, learner.updates_) == (2, 7)


def test_at_the_floor_itself_a_mistake_still_halves() -> None:
    # Bob's floor is a quarter of his share, 3/4. He weighs 3, of 4; 3/2, of 5/2; 3/4,
    # of 7/4; 3/8, of 11/8, where the floor is 33/128.
    learner = FloorWeightedMajority(experts={"ann": 1, "bob": 3})
    for share in (3 / 5, 3 / 7, 3 / 11, 3 / 19, 3 / 19):
        learner.learn_one([True, False], True)
        assert learner.weights_["bob"] == share


def test_the_floor_is_that_of_the_weights_before_the_round() -> None:
    # All are wrong: a floor that fell with the first of them would be another.
    learner = FloorWeightedMajority(experts={"ann": 4, "bob": 4, "cyd": 1})
    learner.learn_one([False, False, False], True)
    assert bits(learner.weights_.values()) == bits([4 / 9, 4 / 9, 1 / 9])


def test_who_was_bad_for_long_comes_back_soon() -> None:
    floored, plain = FloorWeightedMajority(experts=2), WeightedMajority(experts=2)
    for learner in (floored, plain):
        learner.play([[True, False]] * 1000, [True] * 1000)
        learner.play([[True, False]] * 1000, [False] * 1000)
    # Eight times as heavy, three halvings and a tie; or one for each of the thousand.
    assert floored.loss_ == 4
    assert plain.loss_ == 1000


def test_a_sleeper_neither_votes_nor_pays() -> None:
    learner = FloorWeightedMajority(experts=["ann", "bob", "cyd"])
    assert learner.play_one({"ann": False, "bob": True}, False) is True
    assert dict(learner.weights_) == {"ann": 0.4, "bob": 0.2, "cyd": 0.4}
    assert dict(learner.losses_) == {"ann": 0, "bob": 1, "cyd": 0}
    assert dict(learner.own_losses_) == {"ann": 1, "bob": 1, "cyd": 0}


def test_a_newcomer_has_its_share_and_the_others_shrink() -> None:
    learner = FloorWeightedMajority(experts=["ann", "bob"])
    learner.learn_one([True, False], True)
    learner.join("cyd", prior=0.25)
    assert dict(learner.weights_) == {"ann": 0.5, "bob": 0.25, "cyd": 0.25}
    assert (learner.losses_["cyd"], learner.own_losses_["cyd"]) == (0, 0)


def test_weights_never_vanish() -> None:
    # All are wrong: after some 400 rounds everything is scaled up again.
    learner = FloorWeightedMajority(experts=3)
    learner.learn_one([True, False, False], True)
    before = bits(learner.weights_.values())
    learner.play([[False] * 3] * 5000, [True] * 5000)
    assert bits(learner.weights_.values()) == before
    assert learner.losses_[0] == 5000


@pytest.mark.parametrize("sleepers", [[], ["dan"]])
def test_the_floor_is_scaled_up_with_the_weights(sleepers: list[str]) -> None:
    # In the 401st of these rounds everything is scaled up. Who is light from the start
    # has a floor that is as low, and falls as the others do.
    priors = {"ann": 1, "bob": 1, "cyd": 2.0**-420, "dan": 2.0**-430}
    learner = FloorWeightedMajority(experts=priors)
    for _ in range(410):
        learner.learn_one({e: False for e in priors if e not in sleepers}, True)
    assert learner.weights_["cyd"] / learner.weights_["ann"] == 2.0**-420
    fallen = 2.0**-20 if sleepers else 2.0**-430
    assert learner.weights_["dan"] / learner.weights_["ann"] == fallen


# What the theorem says --------------------------------------------------------------


@given(large(sleepy=False), st.data())
def test_with_priors_the_bound_holds_on_every_interval(
    ballots: Ballots, data: st.DataObject
) -> None:
    n = ballots.first
    each = st.lists(st.integers(1, 60), min_size=n, max_size=n)
    priors = dict(enumerate(data.draw(each)))
    learner = FloorWeightedMajority(experts=priors)
    shares = [Fraction(prior, sum(priors.values())) for prior in priors.values()]
    said = learner.play(ballots.votes, ballots.labels)
    counts = mistakes_of(ballots)
    own = np.concatenate([[0], np.cumsum(said != ballots.labels)])
    for first in range(0, len(ballots), 5):
        mine = int(own[-1] - own[first])
        for m, share in zip((counts[-1] - counts[first]).tolist(), shares, strict=True):
            assert mine <= WM_FLOOR.bound(best=int(m), prior=share)
            assert first or mine <= WM_FLOOR_START.bound(best=int(m), prior=share)


@cache
def on_an_interval(best: int, experts: int) -> float:
    return WM_FLOOR.bound(best=best, experts=experts)


@cache
def from_the_start(best: int, experts: int) -> float:
    return WM_FLOOR_START.bound(best=best, experts=experts)


def hold_to_bound(said: Any, ballots: Ballots) -> None:
    """Hold the bound on every interval, against the expert that is best there."""
    n, counts = ballots.votes.shape[1], mistakes_of(ballots)
    own = np.concatenate([[0], np.cumsum(np.asarray(said) != ballots.labels)])
    for first in range(len(ballots)):
        best = (counts[first + 1 :] - counts[first]).min(axis=1).tolist()
        mine = (own[first + 1 :] - own[first]).tolist()
        for mistakes, m in zip(mine, best, strict=True):
            assert mistakes <= on_an_interval(m, n)
            assert first or mistakes <= from_the_start(m, n)


@given(small())
def test_the_bound_holds_on_every_interval(ballots: Ballots) -> None:
    learner = FloorWeightedMajority()
    hold_to_bound([learner.play_one(x, y) for x, y in ballots.rounds()], ballots)
    assert learner.guarantees == (WM_FLOOR, WM_FLOOR_START)


@given(large(rounds=80))
def test_the_bound_holds_for_a_crowd(ballots: Ballots) -> None:
    said = FloorWeightedMajority().play(ballots.votes, ballots.labels)
    hold_to_bound(said, ballots)


@given(st.sampled_from([2, 5, 8, 33]), seeds, st.integers(5, 60))
def test_the_bound_holds_where_the_best_expert_changes(
    n: int, seed: int, turn: int
) -> None:
    # The interval bound is for this: a new expert is never wrong, all others often.
    rng = np.random.default_rng(seed)
    y = rng.random(120) < 0.5
    votes = (rng.random((120, n)) < 0.3) == y[:, None]
    for t in range(120):
        votes[t, t // turn % n] = y[t]
    ballots = Ballots(votes, np.ones_like(votes), y)
    hold_to_bound(FloorWeightedMajority().play(votes, y), ballots)


@given(st.sampled_from([1, 2, 5, 8, 33]), seeds)
def test_the_bound_holds_where_every_label_is_against_the_vote(
    n: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    learner = FloorWeightedMajority(experts=n)
    ballots = greedy(learner, 80, lambda _: (rng.random(n) < 0.5).tolist())
    assert learner.loss_ == 80
    hold_to_bound(~ballots.labels, ballots)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_the_bound_holds_against_the_adversary_of_halving(n: int) -> None:
    learner = FloorWeightedMajority()
    assert run(learner, HalvingAdversary(n)).mistakes == n
    assert n <= WM_FLOOR_START.bound(best=0, experts=2**n)


def test_the_bound_holds_where_nothing_can_be_learned() -> None:
    stream = RandomExperts(20, rounds=300, seed=4).stream()
    votes = np.array([advice for advice, _ in stream])
    y = np.array([label for _, label in stream])
    ballots = Ballots(votes, np.ones_like(votes), y)
    hold_to_bound(FloorWeightedMajority().play(votes, y), ballots)


@pytest.mark.parametrize(("n", "part"), [(2, 0.38), (8, 0.38), (32, 0.45)])
def test_an_even_split_comes_within_a_factor_of_the_bound(n: int, part: float) -> None:
    # Half the weight is wrong in every round. The proof allows that half of it lies
    # below the floor, which no votes bring about round after round.
    learner = FloorWeightedMajority(experts=n)
    greedy(learner, 1000, lambda _: evenly(learner))
    best = int(min(learner.losses_.values()))
    assert learner.loss_ == 1000
    assert part * from_the_start(best, n) < 1000 <= from_the_start(best, n)


# What the twin says -----------------------------------------------------------------


@given(st.booleans(), st.data())
def test_it_equals_its_twin(sleepy: bool, data: st.DataObject) -> None:
    ballots = data.draw(st.one_of(small(), large(sleepy=sleepy)))
    learner = FloorWeightedMajority(experts=ballots.first if sleepy else None)
    hold_to_twin(learner, twins.FloorWeightedMajority(**learner.get_params()), ballots)


@given(large(sleepy=True, late=True), st.booleans(), st.data())
def test_it_equals_its_twin_with_priors_and_newcomers(
    ballots: Ballots, equal: bool, data: st.DataObject
) -> None:
    priors = st.floats(0.001, 1000)
    experts: Any = {i: data.draw(priors) for i in range(ballots.first)}
    learner = FloorWeightedMajority(experts=ballots.first if equal else experts)
    hold_to_twin(learner, twins.FloorWeightedMajority(**learner.get_params()), ballots)


@pytest.mark.parametrize("n", [2, 9])
def test_it_equals_its_twin_when_weights_are_scaled_up(n: int) -> None:
    # The last expert is always wrong and hovers at the floor.
    rng = np.random.default_rng(n)
    learner = FloorWeightedMajority(experts=n)
    twin = twins.FloorWeightedMajority(**learner.get_params())
    scaled = 0
    for votes in (rng.random((4000, n)) < 0.4).tolist():
        votes[-1] = False
        before = twin.each[n - 1]
        assert learner.play_one(votes, True) is twin.play(votes, True)
        assert bits(learner.weights_.values()) == bits(twin.weights.values())
        scaled += twin.each[n - 1] > before
    assert scaled > 2
    assert dict(learner.losses_) == twin.losses
