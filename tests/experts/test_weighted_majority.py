"""Weighted majority counts mistakes, and errs little more than the best expert."""

from __future__ import annotations

import math
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
    small,
)
from littlestone import run
from littlestone.adversaries import HalvingAdversary, RandomExperts
from littlestone.errors import ParameterError
from littlestone.experts import WeightedMajority
from littlestone.theorems import WM
from littlestone.verifying import twins

betas = st.sampled_from([0.001, 0.25, 0.5, 0.7, 0.99, 1 - 2**-30])

# By hand ----------------------------------------------------------------------------


def test_a_mistake_multiplies_the_weight_by_beta() -> None:
    learner = WeightedMajority(0.25, experts=["ann", "bob", "cyd"])
    assert dict(learner.weights_) == dict.fromkeys(["ann", "bob", "cyd"], 1 / 3)
    assert learner.play_one([True, False, False], True) is False
    assert bits(learner.weights_.values()) == bits([2 / 3, 1 / 6, 1 / 6])
    # ann weighs more than the two others together
    assert learner.play_one([True, False, False], False) is True
    assert bits(learner.weights_.values()) == bits([1 / 3, 1 / 3, 1 / 3])
    assert dict(learner.losses_) == {"ann": 1, "bob": 1, "cyd": 1}
    assert (learner.loss_, learner.updates_) == (2, 2)
    assert dict(learner.regret_) == {"ann": 1, "bob": 1, "cyd": 1}
    assert learner.expected_mistakes_ is None


def test_a_tie_says_yes() -> None:
    learner = WeightedMajority(experts=4)
    assert learner.predict_one([True, True, False, False]) is True
    learner.learn_one([True, False, False, True], True)
    assert learner.predict_one([True, False, True, False]) is True
    assert learner.predict_one([False, True, True, False]) is False


def test_priors_are_weights_to_begin_with() -> None:
    learner = WeightedMajority(experts={"ann": 3, "bob": 1})
    assert dict(learner.weights_) == {"ann": 0.75, "bob": 0.25}
    learner.learn_one([False, True], True)
    learner.learn_one([False, True], True)
    assert bits(learner.weights_.values()) == bits([0.75 / 4 / 0.4375, 0.25 / 0.4375])


def test_a_sleeper_neither_votes_nor_pays() -> None:
    learner = WeightedMajority(experts=["ann", "bob", "cyd"])
    assert learner.play_one({"ann": False, "bob": True}, False) is True
    assert dict(learner.weights_) == {"ann": 0.4, "bob": 0.2, "cyd": 0.4}
    assert dict(learner.losses_) == {"ann": 0, "bob": 1, "cyd": 0}
    assert dict(learner.own_losses_) == {"ann": 1, "bob": 1, "cyd": 0}


def test_a_newcomer_has_its_share_and_the_others_shrink() -> None:
    learner = WeightedMajority(experts=["ann", "bob"])
    learner.learn_one([True, False], True)
    learner.join("cyd", prior=0.25)
    assert dict(learner.weights_) == {"ann": 0.5, "bob": 0.25, "cyd": 0.25}
    assert (learner.losses_["cyd"], learner.own_losses_["cyd"]) == (0, 0)
    learner.join("dan")
    shares = {"ann": 0.375, "bob": 0.1875, "cyd": 0.1875, "dan": 0.25}
    assert dict(learner.weights_) == pytest.approx(shares, rel=1e-15)


def test_an_expert_far_behind_comes_back() -> None:
    learner = WeightedMajority(experts=2)
    learner.play([[True, False]] * 2000, [True] * 2000)
    assert dict(learner.weights_) == {0: 1.0, 1: 0.0}
    learner.play([[True, False]] * 1999, [False] * 1999)
    assert bits(learner.weights_.values()) == bits([2 / 3, 1 / 3])
    assert learner.predict_one([False, True]) is False
    learner.learn_one([True, False], False)
    assert bits(learner.weights_.values()) == bits([0.5, 0.5])


@pytest.mark.parametrize("behind", [1000, 2000, 5000])
def test_those_awake_are_weighed_by_the_best_of_them(behind: int) -> None:
    # Beside the first both others weigh nothing; while it sleeps, 2/3 and 1/3.
    learner = WeightedMajority(experts=3)
    learner.play([[True, False, False]] * behind, [True] * behind)
    learner.learn_one([True, True, False], True)
    assert learner.predict_one({1: True, 2: False}) is True
    assert learner.predict_one({1: False, 2: True}) is False
    assert learner.predict_one([False, True, True]) is False
    learner.learn_one({1: False, 2: True}, True)
    assert learner.predict_one({1: False, 2: True}) is True  # a tie again


# What the theorem says --------------------------------------------------------------


@cache
def bound(best: int, beta: float, **start: float) -> float:
    return WM.bound(best=best, beta=beta, **start)


def hold_to_bound(said: Any, ballots: Ballots, beta: float) -> None:
    """Hold the bound on every prefix, against the best expert of that prefix."""
    best = mistakes_of(ballots).min(axis=1)
    mistakes = np.cumsum(np.asarray(said) != ballots.labels)
    for count, m in zip(mistakes.tolist(), best[1:].tolist(), strict=True):
        assert count <= bound(m, beta, experts=ballots.votes.shape[1])


@given(small(), betas)
def test_the_bound_holds_on_every_prefix(ballots: Ballots, beta: float) -> None:
    learner = WeightedMajority(beta)
    hold_to_bound([learner.play_one(x, y) for x, y in ballots.rounds()], ballots, beta)
    assert learner.guarantees == (WM,)


@given(large(rounds=120), betas)
def test_the_bound_holds_for_a_crowd(ballots: Ballots, beta: float) -> None:
    said = WeightedMajority(beta).play(ballots.votes, ballots.labels)
    hold_to_bound(said, ballots, beta)


@given(small(), betas, st.data())
def test_the_bound_holds_for_every_expert_by_its_prior(
    ballots: Ballots, beta: float, data: st.DataObject
) -> None:
    n = ballots.votes.shape[1]
    shares = data.draw(st.lists(st.integers(1, 50), min_size=n, max_size=n))
    learner = WeightedMajority(beta, experts=dict(enumerate(shares)))
    mistakes = 0
    counts = mistakes_of(ballots)[1:].tolist()
    for (x, y), row in zip(ballots.rounds(), counts, strict=True):
        mistakes += learner.play_one(x, y) != y
        for m, share in zip(row, shares, strict=True):
            prior = Fraction(share, sum(shares))
            assert mistakes <= WM.bound(best=m, beta=beta, prior=prior)


@given(st.sampled_from([1, 2, 5, 8, 16, 33]), betas, st.integers(0, 2**32 - 1))
def test_the_bound_holds_where_every_label_is_against_the_vote(
    n: int, beta: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    learner = WeightedMajority(beta, experts=n)
    ballots = greedy(learner, 80, lambda _: (rng.random(n) < 0.5).tolist())
    assert learner.loss_ == 80
    hold_to_bound(~ballots.labels, ballots, beta)


@pytest.mark.parametrize("n", [1, 4, 9])
def test_the_bound_holds_against_the_adversary_of_halving(n: int) -> None:
    learner = WeightedMajority(1e-9)
    assert run(learner, HalvingAdversary(n)).mistakes == n
    # As beta vanishes, weighted majority becomes halving and its bound lg N.
    assert n <= WM.bound(best=0, beta=1e-9, experts=2**n) < n + 1e-6 * n


def test_the_bound_holds_where_nothing_can_be_learned() -> None:
    adversary = RandomExperts(20, rounds=400, seed=4)
    learner = WeightedMajority(0.8)
    record = run(learner, adversary)
    assert record.mistakes == learner.loss_
    assert adversary.best_ == min(learner.losses_.values())
    assert record.mistakes <= WM.bound(best=adversary.best_, beta=0.8, experts=20)


@pytest.mark.parametrize("beta", [0.25, 0.5, 0.9])
def test_an_even_split_nearly_attains_the_bound(beta: float) -> None:
    # Half the weight is wrong in every round, and every round is a mistake.
    learner = WeightedMajority(beta, experts=32)
    ballots = greedy(learner, 1000, lambda _: evenly(learner))
    hold_to_bound(~ballots.labels, ballots, beta)
    best = int(min(learner.losses_.values()))
    assert learner.loss_ == 1000
    assert learner.loss_ > 0.91 * WM.bound(best=best, beta=beta, experts=32)


# What the twin says -----------------------------------------------------------------


@given(betas, st.booleans(), st.data())
def test_it_equals_its_twin(beta: float, sleepy: bool, data: st.DataObject) -> None:
    ballots = data.draw(st.one_of(small(), large(sleepy=sleepy)))
    learner = WeightedMajority(beta, experts=ballots.first if sleepy else None)
    hold_to_twin(learner, twins.WeightedMajority(**learner.get_params()), ballots)


@given(betas, large(sleepy=True, late=True), st.booleans(), st.data())
def test_it_equals_its_twin_with_priors_and_newcomers(
    beta: float, ballots: Ballots, equal: bool, data: st.DataObject
) -> None:
    priors = st.floats(0.001, 1000)
    experts: Any = {i: data.draw(priors) for i in range(ballots.first)}
    learner = WeightedMajority(beta, experts=ballots.first if equal else experts)
    hold_to_twin(learner, twins.WeightedMajority(**learner.get_params()), ballots)


@pytest.mark.parametrize("beta", [0.5, 1 - 2**-20])
@pytest.mark.parametrize("sleepy", [False, True])
def test_it_equals_its_twin_5200_mistakes_apart(beta: float, sleepy: bool) -> None:
    # Beyond 4096 mistakes powers are no longer looked up; with beta = 1/2 they vanish
    # after 1022. The second half goes the other way, until all is even again.
    learner = WeightedMajority(beta, experts=4)
    twin = twins.WeightedMajority(**learner.get_params())
    for t in range(10_400):
        right = t < 5200
        x: Any = [right, not right, t % 2 == 0, t % 3 == 0]
        if sleepy and t % 5 == 0:
            x = dict(enumerate(x[:3]))
        assert learner.play_one(x, True) is twin.play(x, True)
        if t % 50 == 0 or 4090 < t < 4100:
            assert bits(learner.weights_.values()) == bits(twin.weights.values())
        if t == 5199:
            assert learner.losses_[1] - learner.losses_[0] == 5200
            assert (learner.weights_[1] == 0) == (beta <= 0.75)
    assert learner.losses_[0] == learner.losses_[1] == 5200
    assert learner.weights_[0] == learner.weights_[1] > 0
    assert dict(learner.losses_) == twin.losses


def test_powers_beyond_the_table_are_right_to_many_digits() -> None:
    learner = WeightedMajority(0.999, experts=2)
    learner.play([[True, False]] * 5000, [True] * 5000)
    odds = learner.weights_[1] / learner.weights_[0]
    assert odds == pytest.approx(math.exp(5000 * math.log(0.999)), rel=1e-12)


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize("beta", [0, 1, -0.5, 2, math.nan, math.inf, "0.5", None, True])
def test_a_beta_that_is_no_factor(beta: Any) -> None:
    message = "^WeightedMajority: beta must lie between 0 and 1, got "
    with pytest.raises(ParameterError, match=message):
        WeightedMajority(beta)
