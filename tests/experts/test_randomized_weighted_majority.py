"""Randomized weighted majority draws by weight, and pays half of what a vote must."""

from __future__ import annotations

import math
import pickle
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
    hold_to_twin,
    large,
    mistakes_of,
    seeds,
    small,
    snapshot,
)
from littlestone import run
from littlestone.adversaries import HalvingAdversary, RandomExperts
from littlestone.errors import ParameterError
from littlestone.experts import RandomizedWeightedMajority, WeightedMajority
from littlestone.theorems import RWM, RWM_TUNED
from littlestone.verifying import twins

epsilons = st.sampled_from([0.001, 0.25, 0.5, 0.7, 0.99])


def one_hot(n: int, i: int) -> list[bool]:
    return [j == i for j in range(n)]


def followed(learner: RandomizedWeightedMajority) -> int:
    """Return whom the learner will follow: who alone says yes when it does."""
    n = len(learner.experts_)
    (expert,) = [i for i in range(n) if learner.predict_one(one_hot(n, i))]
    return expert


# By hand ----------------------------------------------------------------------------


def test_a_mistake_takes_its_part_of_the_weight() -> None:
    learner = RandomizedWeightedMajority(0.75, experts=["ann", "bob", "cyd"])
    learner.learn_one([True, False, False], True)
    assert bits(learner.weights_.values()) == bits([2 / 3, 1 / 6, 1 / 6])
    assert learner.expected_mistakes_ == 2 / 3
    learner.learn_one([False, True, True], True)
    assert bits(learner.weights_.values()) == bits([1 / 3, 1 / 3, 1 / 3])
    assert learner.expected_mistakes_ == 4 / 3
    assert dict(learner.losses_) == {"ann": 1, "bob": 1, "cyd": 1}


def test_all_agreed_it_says_what_they_say() -> None:
    learner = RandomizedWeightedMajority(experts=5)
    for y in (True, False, True):
        assert learner.play_one([True] * 5, y) is True
        assert learner.play_one([False] * 5, y) is False
    assert learner.loss_ == learner.expected_mistakes_ == 3


def test_whoever_sleeps_is_not_followed() -> None:
    learner = RandomizedWeightedMajority(experts=["ann", "bob", "cyd"])
    for _ in range(20):
        assert learner.play_one({"bob": True}, True) is True
    learner.learn_one({"ann": True, "bob": False}, True)
    assert learner.expected_mistakes_ == 0.5
    assert dict(learner.weights_) == {"ann": 0.4, "bob": 0.2, "cyd": 0.4}


def test_who_weighs_nothing_is_not_followed() -> None:
    learner = RandomizedWeightedMajority(0.9, experts=3)
    learner.play([[False, True, False]] * 400, [True] * 400)
    assert dict(learner.weights_) == {0: 0.0, 1: 1.0, 2: 0.0}
    for _ in range(100):
        assert learner.play_one([False, True, False], True) is True


# The draws --------------------------------------------------------------------------


def test_to_predict_draws_nothing_from_anywhere() -> None:
    learner = RandomizedWeightedMajority(0.1, seed=7, experts=6)
    rng = np.random.default_rng(1)
    for votes, y in zip(rng.random((200, 6)) < 0.5, rng.random(200) < 0.5, strict=True):
        before = snapshot(learner)
        said = [learner.predict_one(votes.tolist()) for _ in range(3)]
        said += learner.predict(np.tile(votes, (3, 1))).tolist()
        assert snapshot(learner) == before
        copy = pickle.loads(before)  # noqa: S301 - our own bytes
        assert {*said} == {learner.play_one(votes.tolist(), y)}
        assert copy.play(votes[None], [y]).tolist() == said[:1]
        assert snapshot(copy) == snapshot(learner)


def test_seeds_and_rounds_differ() -> None:
    def draws(seed: int) -> tuple[int, ...]:
        learner = RandomizedWeightedMajority(seed=seed, experts=4)
        whom = []
        for _ in range(30):
            whom.append(followed(learner))
            learner.learn_one([True] * 4, True)
        return tuple(whom)

    assert draws(3) == draws(3)
    assert len({draws(seed) for seed in range(50)}) == 50
    assert {*draws(0)} == {0, 1, 2, 3}


@pytest.mark.soak
@pytest.mark.parametrize("seed", [0, 2**64 - 1])
def test_experts_are_followed_as_often_as_they_weigh(seed: int) -> None:
    # In rounds on which all agree, the weights stay; 20,000 draws from them follow.
    priors = {0: 5, 1: 1, 2: 0.5, 3: 2, 4: 1.5}
    learner = RandomizedWeightedMajority(0.5, seed=seed, experts=priors)
    learner.learn_one([False, True, True, False, True], True)
    weights = np.asarray(learner.weights_)
    counts = np.zeros(5)
    rounds = 20_000
    for _ in range(rounds):
        counts[followed(learner)] += 1
        learner.learn_one([True] * 5, True)
    assert np.asarray(learner.weights_).tolist() == weights.tolist()
    chi = float(((counts - rounds * weights) ** 2 / (rounds * weights)).sum())
    assert 0.2 < chi < 13.3  # 99 of 100 such sums of four squares lie between


def test_the_mistakes_drawn_are_near_those_expected() -> None:
    rng = np.random.default_rng(5)
    votes, y = rng.random((20_000, 7)) < 0.5, rng.random(20_000) < 0.5
    for seed in range(5):
        learner = RandomizedWeightedMajority(0.01, seed=seed)
        said = learner.play(votes, y)
        assert learner.loss_ == np.count_nonzero(said != y)
        # Four standard deviations of 20,000 fair coins
        assert abs(learner.loss_ - learner.expected_mistakes_) < 283


# What the theorem says --------------------------------------------------------------


@cache
def bound(best: int, epsilon: float, experts: int) -> float:
    return RWM.bound(best=best, epsilon=epsilon, experts=experts)


def hold_to_bound(learner: RandomizedWeightedMajority, ballots: Ballots) -> None:
    """Hold the bound on every prefix, against the best expert of that prefix."""
    best = mistakes_of(ballots).min(axis=1)[1:].tolist()
    n = ballots.votes.shape[1]
    for (x, y), m in zip(ballots.rounds(), best, strict=True):
        learner.learn_one(x, y)
        # Added up in floats: the last digits may be too large.
        most = bound(m, learner.epsilon, n) * (1 + 1e-9) + 1e-9
        assert learner.expected_mistakes_ <= most


@given(small(), epsilons)
def test_the_bound_holds_on_every_prefix(ballots: Ballots, epsilon: float) -> None:
    learner = RandomizedWeightedMajority(epsilon)
    hold_to_bound(learner, ballots)
    assert learner.guarantees == (RWM, RWM_TUNED)


@given(large(rounds=120), epsilons)
def test_the_bound_holds_for_a_crowd(ballots: Ballots, epsilon: float) -> None:
    hold_to_bound(RandomizedWeightedMajority(epsilon), ballots)


@given(small(), epsilons, st.data())
def test_the_bound_holds_for_every_expert_by_its_prior(
    ballots: Ballots, epsilon: float, data: st.DataObject
) -> None:
    n = ballots.votes.shape[1]
    shares = data.draw(st.lists(st.integers(1, 50), min_size=n, max_size=n))
    learner = RandomizedWeightedMajority(epsilon, experts=dict(enumerate(shares)))
    counts = mistakes_of(ballots)[1:].tolist()
    for (x, y), row in zip(ballots.rounds(), counts, strict=True):
        learner.learn_one(x, y)
        for m, share in zip(row, shares, strict=True):
            prior = Fraction(share, sum(shares))
            most = RWM.bound(best=m, epsilon=epsilon, prior=prior)
            assert learner.expected_mistakes_ <= most * (1 + 1e-9) + 1e-9


@given(st.sampled_from([1, 2, 8, 33]), epsilons)
def test_the_bound_holds_where_the_heavier_side_is_wrong(
    n: int, epsilon: float
) -> None:
    # Of all labels the worst for the expected mistakes: half of the weight or more.
    learner = RandomizedWeightedMajority(epsilon, experts=n)
    votes, labels = [], []
    for _ in range(80):
        votes.append(evenly(learner))
        weights = np.asarray(learner.weights_)
        labels.append(bool(weights[votes[-1]].sum() < 0.5))
        before = learner.expected_mistakes_
        learner.learn_one(votes[-1], labels[-1])
        assert learner.expected_mistakes_ - before > 0.5 - 1e-12
    array = np.array(votes)
    ballots = Ballots(array, np.ones_like(array), np.array(labels))
    hold_to_bound(RandomizedWeightedMajority(epsilon, seed=1), ballots)


def test_the_bound_holds_against_the_adversary_of_halving() -> None:
    learner = RandomizedWeightedMajority(0.5, seed=2)
    record = run(learner, HalvingAdversary(8))
    assert record.mistakes == learner.loss_ == 8  # it hears the draws
    assert 4 <= learner.expected_mistakes_ <= bound(0, 0.5, 256)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [2, 20])
def test_the_tuned_bound_holds_where_nothing_can_be_learned(n: int, seed: int) -> None:
    adversary = RandomExperts(n, rounds=1000, seed=seed)
    stream = adversary.stream()
    votes = np.array([advice for advice, _ in stream])
    y = np.array([label for _, label in stream])
    m = int((votes != y[:, None]).sum(axis=0).min())
    learner = RandomizedWeightedMajority(math.sqrt(math.log(n) / m))
    most = RWM_TUNED.bound(best=m, experts=n)
    for advice, label in stream:
        learner.learn_one(advice, label)
        assert learner.expected_mistakes_ <= most
    assert learner.expected_mistakes_ > 0.8 * most


@given(large(rounds=200))
def test_the_tuned_bound_holds_for_a_crowd(ballots: Ballots) -> None:
    n, m = ballots.votes.shape[1], int(mistakes_of(ballots)[-1].min())
    if n == 1 or m < 4 * math.log(n) + 1e-9:
        return
    learner = RandomizedWeightedMajority(math.sqrt(math.log(n) / m))
    for x, y in ballots.rounds():
        learner.learn_one(x, y)
        assert learner.expected_mistakes_ <= RWM_TUNED.bound(best=m, experts=n)


@pytest.mark.parametrize(("epsilon", "part"), [(0.1, 0.95), (0.01, 0.995)])
def test_one_expert_against_all_nearly_attains_the_bound(
    epsilon: float, part: float
) -> None:
    # Nothing is lost in the proof where epsilon times the wrong weight is small.
    learner = RandomizedWeightedMajority(epsilon, experts=16)
    learner.play([one_hot(16, 3)] * 5000, [True] * 5000)
    most = bound(0, epsilon, 16)
    assert part * most < learner.expected_mistakes_ <= most


def test_draws_pay_half_of_what_a_vote_must() -> None:
    vote = WeightedMajority(0.95, experts=32)
    drawn = RandomizedWeightedMajority(0.05, experts=32)
    for _ in range(500):
        votes = evenly(vote)
        label = not vote.predict_one(votes)
        vote.learn_one(votes, label)
        drawn.learn_one(votes, label)
    assert vote.loss_ == 500
    assert drawn.expected_mistakes_ == pytest.approx(250, abs=5)


# What the twin says -----------------------------------------------------------------


def hold(learner: RandomizedWeightedMajority, ballots: Ballots) -> None:
    twin = twins.RandomizedWeightedMajority(**learner.get_params())
    learner = hold_to_twin(learner, twin, ballots)
    assert learner.expected_mistakes_ == twin.expected.value()


@given(epsilons, st.integers(0, 2**64 - 1), st.booleans(), st.data())
def test_it_equals_its_twin(
    epsilon: float, seed: int, sleepy: bool, data: st.DataObject
) -> None:
    ballots = data.draw(st.one_of(small(), large(sleepy=sleepy)))
    experts = ballots.first if sleepy else None
    hold(RandomizedWeightedMajority(epsilon, seed, experts=experts), ballots)


@given(epsilons, seeds, large(sleepy=True, late=True), st.booleans(), st.data())
def test_it_equals_its_twin_with_priors_and_newcomers(
    epsilon: float, seed: int, ballots: Ballots, equal: bool, data: st.DataObject
) -> None:
    priors = st.floats(0.001, 1000)
    given_: Any = {i: data.draw(priors) for i in range(ballots.first)}
    experts = ballots.first if equal else given_
    hold(RandomizedWeightedMajority(epsilon, seed, experts=experts), ballots)


@pytest.mark.parametrize("epsilon", [0.5, 0.001])
def test_it_equals_its_twin_5200_mistakes_apart(epsilon: float) -> None:
    learner = RandomizedWeightedMajority(epsilon, seed=3, experts=4)
    twin = twins.RandomizedWeightedMajority(**learner.get_params())
    for t in range(10_400):
        x = [t < 5200, t >= 5200, t % 2 == 0, t % 3 == 0]
        assert learner.play_one(x, True) is twin.play(x, True)
        if t % 50 == 0 or 4090 < t < 4100:
            assert bits(learner.weights_.values()) == bits(twin.weights.values())
            assert learner.expected_mistakes_ == twin.expected.value()
    assert dict(learner.losses_) == twin.losses


def test_a_crowd_larger_than_a_tile_equals_its_twin() -> None:
    # Beyond 1024 experts weights are found tile by tile, also to draw from them.
    rng = np.random.default_rng(8)
    n = 2100
    learner = RandomizedWeightedMajority(0.3, seed=5, experts=n)
    twin = twins.RandomizedWeightedMajority(**learner.get_params())
    for t in range(12):
        votes = (rng.random(n) < rng.random()).tolist()
        x = {i: votes[i] for i in range(0, n, 3)} if t % 7 == 3 else votes
        foreseen = learner.predict_one(x)
        assert foreseen is learner.play_one(x, t % 2 == 0)
        assert foreseen is twin.play(x, t % 2 == 0)
        assert bits(learner.weights_.values()) == bits(twin.weights.values())
        assert learner.expected_mistakes_ == twin.expected.value()


# What is refused --------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0, 1, -0.5, 2, math.nan, math.inf, "0.5", None])
def test_an_epsilon_that_is_no_part(epsilon: Any) -> None:
    message = "^RandomizedWeightedMajority: epsilon must lie between 0 and 1, got "
    with pytest.raises(ParameterError, match=message):
        RandomizedWeightedMajority(epsilon)


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "1", None, True])
def test_a_seed_that_is_no_whole_number(seed: Any) -> None:
    message = "^RandomizedWeightedMajority: seed must be (a whole number|below)"
    with pytest.raises(ParameterError, match=message):
        RandomizedWeightedMajority(seed=seed)
