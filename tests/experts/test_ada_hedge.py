"""AdaHedge: by hand, as its theorems say, as its twin does, and what is refused."""

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
from littlestone.errors import ExampleError
from littlestone.experts import AdaHedge
from littlestone.verifying import twins
from tries import tried


class Watch:
    """What the theorems on AdaHedge speak of, added up round by round."""

    def __init__(self, learner: AdaHedge) -> None:
        self.learner = learner
        self.variance = self.scale = self.lowest = self.highest = 0.0

    def add(self, weights: Array, lost: Array) -> None:
        """Add a round: the weights of those awake before it, and what they lost."""
        share = weights / weights.sum()
        mean = float(share @ lost)
        self.variance += float(share @ np.square(lost - mean))
        self.scale = max(self.scale, float(np.ptp(lost)))
        self.lowest += float(lost.min())
        self.highest += float(lost.max())

    def hold(self, priors: list[float] | None = None) -> None:
        """Hold every expert's regret to ADAHEDGE, and the best's to the other."""
        n, losses = len(self.learner.experts_), self.learner.losses_
        known: dict[str, Any] = {"experts": n, "scale": self.scale * (1 + 1e-12)}
        spread = self.variance * (1 + 1e-9)
        for i, regret in enumerate(self.learner.regret_.values()):
            prior = {} if priors is None else {"prior": priors[i] * (1 - 1e-12)}
            holds(regret, theorems.ADAHEDGE, variance=spread, **known, **prior)
        if priors is None:
            best = min(losses.values())
            low, high = min(self.lowest, best), max(self.highest, best)
            more = {"best": best, "lowest": low, "highest": high}
            regret = self.learner.loss_ - best
            holds(regret, theorems.ADAHEDGE_FIRST, **known, **more)


# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=str)
def test_experts_who_agree_are_followed(loss: Any) -> None:
    assert AdaHedge(loss=loss).predict_one([1.0, 1.0, 1.0]) == 1.0


def test_the_first_gap_makes_the_rate() -> None:
    # The mean of the losses is 1/2, the mix loss at an infinite rate 0: the gap is 1/2
    # and the rate 2 ln 2, so that a loss of 1 costs a factor 1/4.
    learner = AdaHedge(loss="absolute")
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5
    assert list(learner.weights_.values()) == pytest.approx([1 / 5, 4 / 5])
    # Then both lose 1 more or less: mean 4/5, mix -ln(1/5 + 4/5 / 4) / (2 ln 2).
    learner.learn_one([0.0, 1.0], 0.0)
    gap = 0.5 + 0.8 + math.log(0.4) / (2 * math.log(2))
    assert list(learner.weights_.values()) == [0.5, 0.5]
    learner.learn_one([0.0, 1.0], 1.0)
    gap += 0.5 + math.log((1 + math.exp(-math.log(2) / gap)) / 2) * gap / math.log(2)
    ratio = math.exp(-math.log(2) / gap)
    assert learner.weights_[0] == pytest.approx(ratio / (1 + ratio), rel=1e-14)


def test_while_there_is_no_gap_the_leaders_share() -> None:
    learner = AdaHedge(loss="absolute", experts={"a": 1, "b": 1, "c": 2})
    learner.learn_one([0.5, 0.5, 0.5], 1.0)
    assert list(learner.weights_.values()) == [0.25, 0.25, 0.5]


def test_one_expert_alone_is_followed() -> None:
    learner = AdaHedge(experts=1)
    for said, y in ((0.25, 1.0), (-50.0, 1e9), (1.0, 1.0)):
        assert learner.play_one([said], y) == said
    assert dict(learner.weights_) == {0: 1.0}
    assert learner.regret_[0] == 0.0


def test_a_sleeper_keeps_its_share() -> None:
    learner = AdaHedge("absolute", experts=["a", "b", "c"])
    learner.learn_one([0.0, 1.0, 0.5], 1.0)
    before = learner.weights_["c"]
    state = learner.clone()
    assert state.updates_ == 0
    learner.learn_one({"a": 0.5, "b": 0.5}, 1.0)
    # There is no gap where all awake lose the same, so that the rate stays as well.
    assert learner.weights_["c"] == pytest.approx(before, rel=1e-14)
    assert learner.own_losses_["c"] == 0.5
    assert learner.losses_["c"] == 0.5


def test_a_newcomer_begins_with_its_prior() -> None:
    learner = AdaHedge(experts=["a", "b"])
    learner.join("c", prior=0.2)
    assert list(learner.weights_.values()) == pytest.approx([0.4, 0.4, 0.2])


@given(seed=seeds, scale=st.sampled_from([2.0**-40, 2.0**30]))
def test_scale_does_not_matter(seed: int, scale: float) -> None:
    # Powers of two change no digit.
    learner, other = AdaHedge("absolute"), AdaHedge("absolute")
    for advice, y in crowd("absolute", seed):
        said = learner.play_one(advice, y)
        larger = {i: f * scale for i, f in advice.items()}
        assert other.play_one(larger, y * scale) == said * scale
        assert dict(learner.weights_) == dict(other.weights_)


# What the theorems say ----------------------------------------------------------------


@pytest.mark.parametrize("loss", ["absolute", "square"])
@pytest.mark.parametrize("scale", [1.0, 1e6])
@tried(0.5)
@given(seed=seeds)
def test_every_prefix_of_a_random_stream(loss: str, scale: float, seed: int) -> None:
    rounds = crowd(loss, seed, rounds=80, spread=scale)
    learner = AdaHedge(loss, experts=rounds.start)
    watch = Watch(learner)
    for advice, y in rounds:
        lost = np.abs(np.array([*advice.values()]) - y)
        watch.add(np.asarray(learner.weights_), lost**2 if loss == "square" else lost)
        learner.learn_one(advice, y)
        watch.hold()


@given(rows=st.lists(st.lists(st.floats(-9, 9), min_size=4, max_size=4), max_size=25))
def test_every_prefix_of_any_stream(rows: list[list[float]]) -> None:
    learner = AdaHedge("absolute", experts=3)
    watch = Watch(learner)
    for y, *advice in rows:
        watch.add(np.asarray(learner.weights_), np.abs(np.array(advice) - y))
        learner.learn_one(advice, y)
        watch.hold()


@given(seed=seeds)
def test_sleepers_and_priors(seed: int) -> None:
    rounds = crowd("absolute", seed, sleep=True, rounds=60, most=6)
    n = max(2, rounds.start)
    shares = np.arange(1.0, n + 1)
    learner = AdaHedge("absolute", experts=dict(enumerate(shares)))
    watch, priors = Watch(learner), (shares / shares.sum()).tolist()
    for advice, y in rounds:
        awake = [*advice]
        lost = np.abs(np.array([*advice.values()]) - y)
        weights = np.asarray(learner.weights_)[awake]
        if weights.sum() > 0:
            watch.add(weights, lost)
        else:  # too small to tell: whatever they are, no more than this
            watch.variance += float(np.ptp(lost)) ** 2 / 4
            watch.scale = max(watch.scale, float(np.ptp(lost)))
        learner.learn_one(advice, y)
        watch.hold(priors)


@pytest.mark.parametrize("loss", ["absolute", "zero-one"])
def test_every_prefix_against_a_greedy_adversary(loss: str) -> None:
    rng = np.random.default_rng(5)
    learner = AdaHedge(loss, experts=4)
    watch = Watch(learner)

    def draw(_: int) -> list[Any]:
        bits: list[bool] = (rng.random(4) < 0.5).tolist()
        return bits if loss == "zero-one" else rng.random(4).tolist()

    weights, before = np.asarray(learner.weights_), np.zeros(4)
    for _ in greedy(learner, draw, [0, 1], 60):
        after = np.asarray(learner.losses_)
        watch.add(weights, after - before)
        weights, before = np.asarray(learner.weights_), after
        watch.hold()


def test_every_prefix_of_random_experts() -> None:
    learner = AdaHedge("zero-one", experts=8)
    watch = Watch(learner)
    for advice, y in RandomExperts(8, 300, seed=1).stream():
        watch.add(np.asarray(learner.weights_), (np.array(advice) != y) * 1.0)
        learner.learn_one(advice, y)
        watch.hold()


@pytest.mark.soak
def test_every_prefix_of_real_streams() -> None:
    for (experts, F, y), loss in (
        (electric_load(), "square"),
        (approval(), "absolute"),
    ):
        learner = AdaHedge(loss, experts=experts)
        watch = Watch(learner)
        each = np.abs(F - y[:, None]) ** (2 if loss == "square" else 1)
        for row, z, lost in zip(F, y, each, strict=True):
            watch.add(np.asarray(learner.weights_), lost)
            learner.learn_one(row, z)
            watch.hold()
        assert learner.loss_ <= 1.05 * min(learner.losses_.values())


# What the twin does -------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("gradient", [False, True])
@tried(0.5)
@given(seed=seeds, sleep=st.booleans(), join=st.booleans(), given_priors=st.booleans())
def test_it_equals_its_twin(
    *, loss: Any, gradient: bool, seed: int, sleep: bool, join: bool, given_priors: bool
) -> None:
    if gradient and loss == "zero-one":
        return
    rounds = crowd(loss, seed, sleep=sleep, join=join)
    priors = {i: 1.0 + (seed + i) % 5 for i in range(rounds.start)}
    learner = AdaHedge(
        loss, gradient=gradient, experts=priors if given_priors else rounds.start
    )
    same_as_twin(learner, twins.AdaHedge(**learner.get_params()), rounds)


@pytest.mark.parametrize("loss", NUMBERS[:3], ids=str)
@given(seed=seeds, sleep=st.booleans(), limits=st.sampled_from([None, (-7.5, 1e10)]))
def test_it_equals_its_twin_in_any_range(
    loss: Any, seed: int, sleep: bool, limits: Any
) -> None:
    rounds = crowd(loss, seed, sleep=sleep, spread=1e5)
    learner = AdaHedge(loss, range=limits, experts=rounds.start)
    same_as_twin(learner, twins.AdaHedge(**learner.get_params()), rounds)


@pytest.mark.parametrize("loss", CHANCES)
@pytest.mark.parametrize("gradient", [False, True])
@given(seed=seeds, sleep=st.booleans(), join=st.booleans(), k=st.integers(2, 6))
def test_it_equals_its_twin_on_distributions(
    *, loss: str, gradient: bool, seed: int, sleep: bool, join: bool, k: int
) -> None:
    rounds = crowd(loss, seed, outcomes=k, sleep=sleep, join=join)
    learner = AdaHedge(loss, gradient=gradient, experts=rounds.start)
    same_as_twin(learner, twins.AdaHedge(**learner.get_params()), rounds)


def square(p: float, y: float) -> float:
    return (p - y) * (p - y)


@given(seed=seeds, sleep=st.booleans())
def test_a_function_equals_the_native_loss(seed: int, sleep: bool) -> None:
    rounds = crowd("square", seed, sleep=sleep)
    ours = AdaHedge(square, experts=rounds.start)
    native = AdaHedge("square", experts=rounds.start)
    assert block(ours, rounds).tolist() == block(native, rounds).tolist()
    assert dict(ours.weights_) == dict(native.weights_)
    assert dict(ours.regret_) == dict(native.regret_)


# Numbers at their limits --------------------------------------------------------------


def test_losses_of_any_size() -> None:
    for size in (1e-300, 1e-160, 1.0, 1e150, 1e300):
        learner = AdaHedge("absolute")
        for _ in range(40):
            learner.learn_one([0.0, size], 0.0)
        assert learner.weights_[0] > 0.99, size
        for _ in range(90):
            learner.learn_one([size, 0.0], 0.0)
        assert learner.weights_[1] > 0.99, size


def test_losses_too_small_for_a_rate() -> None:
    # ln N over a gap below 1e-308 would be infinite.
    learner = AdaHedge("absolute")
    for _ in range(40):
        learner.learn_one([0.0, 1e-310], 0.0)
    assert 0.5 < learner.weights_[0] < 1
    learner.learn_one([0.0, 1.0], 0.0)
    assert learner.weights_[0] > 0.5


@pytest.mark.parametrize("seed", range(10))
def test_a_huge_outcome_does_no_harm(seed: int) -> None:
    # All lose 1e300 at once: their losses are 0 apart, and so nothing is learned.
    rng = np.random.default_rng(seed)
    learner, other = AdaHedge("absolute"), AdaHedge("absolute")
    for t in range(60):
        advice, y = rng.random(3), rng.random()
        if t % 10 == 9:
            learner.learn_one(advice, 1e300 if t % 20 == 9 else -1e300)
        said = learner.play_one(advice, y)
        assert said == pytest.approx(other.play_one(advice, y), rel=1e-9)
    assert dict(learner.weights_) == pytest.approx(dict(other.weights_), rel=1e-9)


def test_a_huge_outcome_leaves_a_sleeper_its_share() -> None:
    learner = AdaHedge("absolute", experts=3)
    learner.learn_one([0.0, 0.5, 1.0], 1.0)
    before = learner.weights_[2]
    for y in (1e300, -1e300):
        learner.learn_one({0: 0.25, 1: 0.5}, y)
        assert learner.weights_[2] == pytest.approx(before, rel=1e-9)


def test_an_expert_far_behind_comes_back() -> None:
    T = 250_000
    F = np.tile([1.0, 0.0], (T, 1))
    learner = AdaHedge("absolute")
    learner.play(F, np.zeros(T))
    assert dict(learner.losses_) == {0: T, 1: 0.0}
    assert learner.weights_[0] == 0.0
    learner.play(F, np.ones(T))
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}


@pytest.mark.soak
def test_a_million_rounds_are_added_up_exactly() -> None:
    T, blocks = 100_000, 10
    rng = np.random.default_rng(13)
    F = rng.random((T, 2)) * 2.0 ** rng.integers(-30, 1, size=(T, 2))
    learner, own = AdaHedge("absolute"), Fraction(0)
    for _ in range(blocks):
        own += exact_sum(learner.play(F, np.zeros(T)))
    for i in range(2):
        assert learner.losses_[i] == float(blocks * exact_sum(F[:, i]))
    assert learner.loss_ == float(own)


@given(seed=seeds, spread=st.sampled_from([1e-200, 1.0, 1e100]))
def test_weights_always_sum_to_one(seed: int, spread: float) -> None:
    rounds = crowd("absolute", seed, sleep=True, join=True, most=40, spread=spread)
    learner = AdaHedge("absolute", experts=rounds.start)
    for t, (advice, y) in enumerate(rounds):
        if t in rounds.joins:
            learner.join(prior=rounds.joins[t])
        learner.learn_one(advice, y)
        weights = np.asarray(learner.weights_)
        assert abs(weights.sum() - 1) <= 1e-12
        assert (weights >= 0).all()


# What is refused ----------------------------------------------------------------------


def test_a_loss_that_no_double_holds_changes_nothing() -> None:
    learner = AdaHedge(experts=3)
    learner.learn_one([1, 0, 1], 1)
    message = "loss of expert 1 must be a finite"
    refuses(learner, ExampleError, message, {0: 0.5, 1: 1e200}, 1)
