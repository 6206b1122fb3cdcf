"""FixedShare: by hand, as its theorems say, as its twin does, and refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import (
    CHANCES,
    LOSSES,
    NUMBERS,
    Array,
    approval,
    block,
    crowd,
    electric_load,
    exact_sum,
    greedy,
    holds,
    refuses,
    same_as_twin,
    seeds,
)
from littlestone import theorems
from littlestone.adversaries import RandomExperts
from littlestone.errors import ExampleError, ParameterError
from littlestone.experts import ExponentialWeights, FixedShare
from littlestone.verifying import twins

SWITCHES = 6  # sequences with fewer than so many switches are compared with


class Shifting:
    """The least loss of any sequence of experts, by the number of its switches."""

    def __init__(self, experts: int) -> None:
        self.least = np.full((SWITCHES, experts), math.inf)
        self.least[0] = 0.0
        self.rounds = 0

    def add(self, losses: Array) -> None:
        """Add a round: stay, or come from the best with one switch less."""
        if self.rounds:
            came = self.least[:-1].min(axis=1, keepdims=True)
            self.least[1:] = np.minimum(self.least[1:], came)
        self.least += losses
        self.rounds += 1

    def best(self) -> list[float]:
        """Return the least losses with 0, 1, 2... switches, as far as they exist."""
        least: list[float] = self.least.min(axis=1)[: self.rounds].tolist()
        return least


def _hold(learner: FixedShare, best: Shifting, scale: float = 1.0) -> None:
    """Hold the regret against sequences to FS; losses are in units of `scale`."""
    for switches, loss in enumerate(best.best()):
        holds(
            (learner.loss_ - loss) / scale,
            theorems.FS,
            eta=learner.eta,
            share=learner.alpha,
            switches=switches,
            rounds=best.rounds,
            experts=len(learner.experts_),
        )


# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_experts_who_agree_are_followed(loss: Any) -> None:
    assert FixedShare(loss=loss).predict_one([1.0, 1.0, 1.0]) == 1.0


def test_everyone_gives_and_gets_a_part() -> None:
    # e^-ln 3 = 1/3: 1/4 and 3/4; of which a fifth is shared out equally.
    learner = FixedShare(eta=math.log(3), alpha=0.2, loss="absolute")
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5
    assert list(learner.weights_.values()) == pytest.approx([0.3, 0.7])
    assert learner.play_one([1.0, 0.0], 0.0) == pytest.approx(0.3)
    assert learner.loss_ == pytest.approx(0.8)
    assert dict(learner.losses_) == {0: 2.0, 1: 0.0}


def test_nobody_falls_below_a_part() -> None:
    learner = FixedShare(eta=100.0, alpha=0.1, loss="absolute", experts=4)
    for _ in range(50):
        learner.learn_one([1.0, 0.0, 1.0, 1.0], 0.0)
        assert min(learner.weights_.values()) >= 0.1 / 4 * (1 - 1e-15)


def test_one_expert_alone_is_followed() -> None:
    learner = FixedShare(experts=1)
    for said, y in ((0.25, 1.0), (0.5, 0.0), (1.0, 1.0)):
        assert learner.play_one([said], y) == said
    assert dict(learner.weights_) == {0: 1.0}
    assert learner.regret_[0] == 0.0


def test_a_sleeper_keeps_its_share() -> None:
    learner = FixedShare(math.log(3), 0.2, "absolute", experts=["a", "b", "c"])
    assert learner.play_one({"a": 0.0, "b": 1.0}, 1.0) == 0.5
    assert list(learner.weights_.values()) == pytest.approx([0.2, 1.4 / 3, 1 / 3])
    assert learner.weights_["c"] == pytest.approx(1 / 3, rel=1e-15)


def test_a_newcomer_begins_with_its_prior() -> None:
    learner = FixedShare(experts={"a": 3, "b": 1})
    assert dict(learner.weights_) == {"a": 0.75, "b": 0.25}
    learner.join("c", prior=0.2)
    assert list(learner.weights_.values()) == pytest.approx([0.6, 0.2, 0.2])


# What the theorems say ----------------------------------------------------------------


@pytest.mark.parametrize("loss", ["absolute", "square"])
@given(seed=seeds, eta=st.floats(0.05, 4), alpha=st.floats(1e-4, 0.5))
def test_every_prefix_of_a_random_stream(
    loss: str, seed: int, eta: float, alpha: float
) -> None:
    rounds = crowd(loss, seed, rounds=60, most=5)
    learner, best = FixedShare(eta, alpha, loss), Shifting(rounds.start)
    before = np.zeros(rounds.start)
    for advice, y in rounds:
        learner.learn_one(advice, y)
        after = np.asarray(learner.losses_)
        best.add(after - before)
        before = after
        _hold(learner, best)


@given(
    rows=st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), max_size=20),
    alpha=st.sampled_from([0.01, 0.1, 0.5]),
)
def test_every_prefix_of_any_stream(rows: list[list[float]], alpha: float) -> None:
    learner, best = FixedShare(1.0, alpha, "absolute"), Shifting(3)
    for y, *advice in rows:
        learner.learn_one(advice, y)
        best.add(np.abs(np.array(advice) - y))
        _hold(learner, best)


@given(seed=seeds, alpha=st.floats(1e-3, 0.3))
def test_a_curved_loss_regrets_little(seed: int, alpha: float) -> None:
    rounds = crowd("square", seed, rounds=60, most=5)
    learner, best = FixedShare(0.5, alpha), Shifting(rounds.start)
    for advice, y in rounds:
        learner.learn_one(advice, y)
        best.add(np.square(np.array([*advice.values()]) - y))
        for switches, loss in enumerate(best.best()):
            holds(
                learner.loss_ - loss,
                theorems.FS_XC,
                eta=0.5,
                share=alpha,
                switches=switches,
                rounds=best.rounds,
                experts=rounds.start,
            )


@pytest.mark.parametrize("loss", ["absolute", "zero-one"])
def test_every_prefix_against_a_greedy_adversary(loss: str) -> None:
    rng = np.random.default_rng(4)
    learner, best = FixedShare(0.8, 0.05, loss, experts=3), Shifting(3)
    before = np.zeros(3)

    def draw(_: int) -> list[Any]:
        bits: list[bool] = (rng.random(3) < 0.5).tolist()
        return bits if loss == "zero-one" else rng.random(3).tolist()

    for _ in greedy(learner, draw, [0, 1], 50):
        after = np.asarray(learner.losses_)
        best.add(after - before)
        before = after
        _hold(learner, best)


def test_every_prefix_of_random_experts() -> None:
    learner, best = FixedShare(0.3, 0.02, "zero-one"), Shifting(6)
    for advice, y in RandomExperts(6, 300, seed=2).stream():
        learner.learn_one(advice, y)
        best.add((np.array(advice) != y).astype(np.float64))
        _hold(learner, best)


def test_it_follows_a_best_expert_that_changes() -> None:
    # Twenty stretches of fifty rounds: whoever was best is worst in the next.
    T, stretch = 1000, 50
    y = (np.arange(T) // stretch % 2).astype(np.float64)
    F = np.tile([0.0, 1.0], (T, 1))
    fixed = ExponentialWeights.for_horizon(T, 2, loss="absolute")
    fixed.play(F, y)
    learner = FixedShare(1.0, 19 / 999, "absolute")
    learner.play(F, y)
    assert fixed.loss_ > 400
    assert learner.loss_ < 150
    holds(
        learner.loss_,
        theorems.FS,
        eta=1.0,
        share=19 / 999,
        switches=19,
        rounds=T,
        experts=2,
    )


@pytest.mark.soak
def test_every_prefix_of_real_streams() -> None:
    for (experts, F, y), loss in (
        (electric_load(), "square"),
        (approval(), "absolute"),
    ):
        each = np.abs(F - y[:, None]) ** (2 if loss == "square" else 1)
        highest = float(each.max())
        learner = FixedShare(2.0, 0.02, loss, range=(0, highest), experts=experts)
        best = Shifting(len(experts))
        for row, z, lost in zip(F, y, each, strict=True):
            learner.learn_one(row, z)
            best.add(lost)
            _hold(learner, best, scale=highest)


# What the twin does -------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("gradient", [False, True])
@given(seed=seeds, sleep=st.booleans(), join=st.booleans(), given_priors=st.booleans())
def test_it_equals_its_twin(
    *, loss: Any, gradient: bool, seed: int, sleep: bool, join: bool, given_priors: bool
) -> None:
    if gradient and loss == "zero-one":
        return
    rounds = crowd(loss, seed, sleep=sleep, join=join)
    priors = {i: 1.0 + (seed + i) % 5 for i in range(rounds.start)}
    learner = FixedShare(
        eta=0.1 + seed % 7,
        alpha=(1 + seed % 9) / 20,
        loss=loss,
        gradient=gradient,
        experts=priors if given_priors else rounds.start,
    )
    same_as_twin(learner, twins.FixedShare(**learner.get_params()), rounds)


@pytest.mark.parametrize("loss", NUMBERS[:3], ids=str)
@given(seed=seeds, sleep=st.booleans(), low=st.sampled_from([0.0, -7.5]))
def test_it_equals_its_twin_in_any_range(
    loss: Any, seed: int, sleep: bool, low: float
) -> None:
    rounds = crowd(loss, seed, sleep=sleep, spread=1e5)
    learner = FixedShare(3.0, 0.1, loss, range=(low, 1e10), experts=rounds.start)
    same_as_twin(learner, twins.FixedShare(**learner.get_params()), rounds)


@pytest.mark.parametrize("loss", CHANCES)
@pytest.mark.parametrize("gradient", [False, True])
@given(seed=seeds, sleep=st.booleans(), join=st.booleans(), k=st.integers(2, 6))
def test_it_equals_its_twin_on_distributions(
    *, loss: str, gradient: bool, seed: int, sleep: bool, join: bool, k: int
) -> None:
    rounds = crowd(loss, seed, outcomes=k, sleep=sleep, join=join)
    learner = FixedShare(0.7, 0.1, loss, gradient=gradient, experts=rounds.start)
    same_as_twin(learner, twins.FixedShare(**learner.get_params()), rounds)


def square(p: float, y: float) -> float:
    return (p - y) * (p - y)


@given(seed=seeds, sleep=st.booleans())
def test_a_function_equals_the_native_loss(seed: int, sleep: bool) -> None:
    rounds = crowd("square", seed, sleep=sleep)
    ours = FixedShare(0.9, loss=square, experts=rounds.start)
    native = FixedShare(0.9, loss="square", experts=rounds.start)
    assert block(ours, rounds).tolist() == block(native, rounds).tolist()
    assert dict(ours.weights_) == dict(native.weights_)
    assert dict(ours.regret_) == dict(native.regret_)


# Numbers at their limits --------------------------------------------------------------


@pytest.mark.parametrize("advice", [[1.0, 2.0, 1e300], [1e300, 1e300, 1e300]])
def test_a_huge_loss_does_no_harm(advice: list[float]) -> None:
    learner = FixedShare(0.5, 0.01, "absolute", range=(0, math.inf))
    learner.learn_one(advice, 0.0)
    for _ in range(60):
        learner.learn_one([1.0, 1.0, 0.0], 0.0)
    assert learner.weights_[2] > 0.9
    assert abs(sum(learner.weights_.values()) - 1) <= 1e-12


def test_an_expert_a_million_rounds_behind_comes_back_at_once() -> None:
    T = 1_000_000
    F = np.tile([1.0, 0.0], (T, 1))
    learner = FixedShare(1.0, 0.001, "absolute")
    learner.play(F, np.zeros(T))
    assert dict(learner.losses_) == {0: 1e6, 1: 0.0}
    learner.play(F[:30], np.ones(30))
    assert learner.weights_[0] > 0.99


def test_a_million_rounds_are_added_up_exactly() -> None:
    T, blocks = 100_000, 10
    rng = np.random.default_rng(12)
    F = rng.random((T, 2)) * 2.0 ** rng.integers(-30, 1, size=(T, 2))
    learner, own = FixedShare(1e-3, 1e-5, "absolute"), Fraction(0)
    for _ in range(blocks):
        own += exact_sum(learner.play(F, np.zeros(T)))
        assert abs(sum(learner.weights_.values()) - 1) <= 1e-12
    for i in range(2):
        assert learner.losses_[i] == float(blocks * exact_sum(F[:, i]))
    assert learner.loss_ == float(own)


def test_the_smallest_part_is_enough_to_come_back() -> None:
    learner = FixedShare(1e9, 5e-324, "absolute", experts=3)
    for y in (0.0, 1.0, 0.0, 1.0):
        learner.learn_one([0.0, 1.0, 0.5], y)
        assert learner.weights_[int(y)] == 1.0
        learner.learn_one({0: 0.0, 2: 0.5}, 0.5)
        learner.learn_one({1: 1.0, 2: 0.5}, 1.0)


@given(
    seed=seeds,
    alpha=st.sampled_from([5e-324, 1e-200, 0.3]),
    eta=st.sampled_from([1.0, 1e9]),
)
def test_it_equals_its_twin_with_the_smallest_parts(
    seed: int, alpha: float, eta: float
) -> None:
    rounds = crowd("square", seed, sleep=True, spread=30.0)
    learner = FixedShare(eta, alpha, range=(0, math.inf), experts=rounds.start)
    same_as_twin(learner, twins.FixedShare(**learner.get_params()), rounds)


@given(
    seed=seeds,
    eta=st.sampled_from([1e-9, 1.0, 1e3, 1e9]),
    alpha=st.sampled_from([1e-300, 1e-12, 0.5, 1 - 1e-16]),
)
def test_weights_always_sum_to_one(seed: int, eta: float, alpha: float) -> None:
    rounds = crowd("square", seed, join=True, most=40, spread=30.0)
    learner = FixedShare(eta, alpha, range=(0, math.inf), experts=rounds.start)
    for t, (advice, y) in enumerate(rounds):
        if t in rounds.joins:
            learner.join(prior=rounds.joins[t])
        learner.learn_one(advice, y)
        weights = np.asarray(learner.weights_)
        assert abs(weights.sum() - 1) <= 1e-12
        assert (weights >= 0).all()


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"eta": 0}, "FixedShare: eta must exceed 0, got 0"),
        ({"alpha": 0}, "FixedShare: alpha must lie between 0 and 1, got 0"),
        ({"alpha": 1}, "FixedShare: alpha must lie between 0 and 1, got 1"),
        ({"alpha": math.nan}, "alpha must lie between 0 and 1, got nan"),
        ({"alpha": "0.1"}, "alpha must lie between 0 and 1, got '0.1'"),
    ],
)
def test_refused_at_birth(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        FixedShare(**parameters)


def test_a_loss_above_1_changes_nothing() -> None:
    learner = FixedShare(experts=3)
    learner.learn_one([1, 0, 1], 1)
    message = "expert 1 must lie in \\[0, 1\\]"
    refuses(learner, ExampleError, message, {0: 0.5, 1: 9.0}, 1)
