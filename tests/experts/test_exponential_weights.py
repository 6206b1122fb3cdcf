"""ExponentialWeights: by hand, as its theorems say, as its twin does, and refused."""

from __future__ import annotations

import math
import pickle
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
    unchanged,
)
from littlestone import losses, theorems
from littlestone.adversaries import RandomExperts
from littlestone.errors import (
    BusyError,
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.experts import ExponentialWeights
from littlestone.verifying import twins
from tries import tried

# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES)
def test_experts_who_agree_are_followed(loss: Any) -> None:
    assert ExponentialWeights(loss=loss).predict_one([1.0, 1.0, 1.0]) == 1.0


def test_weights_are_powers_of_e() -> None:
    # ann loses 1 and 0, bob 0 and 1/4: e^-1/2 beside e^-1/8.
    learner = ExponentialWeights(eta=0.5)
    assert learner.play_one({"ann": 0.0, "bob": 1.0}, 1.0) == 0.5
    learner.learn_one({"ann": 0.0, "bob": 0.5}, 0.0)
    ann, bob = math.exp(-1 / 2), math.exp(-1 / 8)
    assert learner.weights_["ann"] == pytest.approx(ann / (ann + bob), rel=1e-15)
    assert dict(learner.losses_) == {"ann": 1.0, "bob": 0.25}
    # Before the second round bob weighs 1/(1 + e^-1/2), and says 1/2.
    said = 0.5 / (1 + math.exp(-0.5))
    assert learner.loss_ == pytest.approx(0.25 + said**2, rel=1e-15)
    assert learner.regret_["bob"] == pytest.approx(said**2, rel=1e-15)
    assert learner.best_expert_ == "bob"
    assert learner.updates_ == 2


def test_one_expert_alone_is_followed() -> None:
    learner = ExponentialWeights(eta=3.0, loss="absolute", experts=1)
    for said, y in ((0.25, 1.0), (0.5, 0.0), (1.0, 1.0)):
        assert learner.play_one([said], y) == said
    assert dict(learner.weights_) == {0: 1.0}
    assert learner.loss_ == learner.losses_[0] == 1.25
    assert learner.regret_[0] == 0.0


def test_a_vote_is_charged_the_weight_of_those_who_were_wrong() -> None:
    learner = ExponentialWeights(eta=math.log(2), loss="zero-one")
    assert learner.play_one([True, False, False], 1) is False
    assert learner.loss_ == pytest.approx(2 / 3)
    assert list(learner.weights_.values()) == pytest.approx([1 / 2, 1 / 4, 1 / 4])
    assert learner.expected_mistakes_ == learner.loss_


def test_the_slope_charges_what_it_multiplies() -> None:
    # The mean is 1/2 and y = 1: the slope is -1, and experts are charged -f.
    learner = ExponentialWeights(eta=1.0, gradient=True)
    learner.learn_one([0.0, 1.0], 1.0)
    assert learner.weights_[1] == pytest.approx(1 / (1 + math.exp(-1)))
    assert dict(learner.losses_) == {0: 1.0, 1: 0.0}  # the books keep the loss itself


def test_a_range_rescales() -> None:
    # Losses 0 and 9 in [-1, 9] are 0.1 and 1.
    learner = ExponentialWeights(eta=1.0, range=(-1, 9))
    learner.learn_one([0.0, 3.0], 0.0)
    assert learner.weights_[1] == pytest.approx(1 / (1 + math.exp(0.9)))
    assert dict(learner.losses_) == {0: 0.0, 1: 9.0}


def test_a_sleeper_keeps_its_share() -> None:
    learner = ExponentialWeights(eta=1.0, loss="absolute", experts=["a", "b", "c"])
    assert learner.play_one({"a": 0.0, "b": 1.0}, 1.0) == 0.5
    assert learner.weights_["c"] == pytest.approx(1 / 3, rel=1e-15)
    assert learner.weights_["b"] == pytest.approx(2 / 3 / (1 + math.exp(-1)))
    assert dict(learner.own_losses_) == {"a": 0.5, "b": 0.5, "c": 0.0}
    assert dict(learner.losses_) == {"a": 1.0, "b": 0.0, "c": 0.0}
    assert learner.regret_["c"] == 0.0


def test_a_newcomer_begins_with_its_prior() -> None:
    learner = ExponentialWeights(eta=1.0, experts={"a": 3, "b": 1})
    assert dict(learner.weights_) == {"a": 0.75, "b": 0.25}
    learner.learn_one([0.0, 1.0], 1.0)
    before = dict(learner.weights_)
    learner.join("c", prior=0.2)
    assert learner.weights_["c"] == pytest.approx(0.2, rel=1e-15)
    for old, weight in before.items():
        assert learner.weights_[old] == pytest.approx(0.8 * weight, rel=1e-15)
    assert learner.losses_["c"] == learner.own_losses_["c"] == 0.0
    learner.join("d")
    assert learner.weights_["d"] == pytest.approx(1 / 4, rel=1e-15)


def test_rates_for_what_is_known() -> None:
    assert ExponentialWeights.for_horizon(50, 3).eta == pytest.approx(
        math.sqrt(8 * math.log(3) / 50)
    )
    assert ExponentialWeights.tuned(7.0, 3).eta == pytest.approx(
        math.log(1 + math.sqrt(2 * math.log(3) / 7))
    )
    assert ExponentialWeights.tuned(7.0, 3, loss="absolute").loss == "absolute"


def test_distributions_are_averaged() -> None:
    learner = ExponentialWeights(eta=1.0, loss="log")
    said = learner.play_one([[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]], 0)
    assert said.tolist() == [0.375, 0.25, 0.375]
    assert learner.loss_ == pytest.approx(-math.log(0.375))
    assert list(learner.weights_.values()) == pytest.approx([2 / 3, 1 / 3])


# What the theorems say ----------------------------------------------------------------


def _prefixes_hold(learner: ExponentialWeights, T: int, eta: float) -> None:
    """Hold losses in [0, 1] to EWA and EWA-T after T rounds."""
    n, best = len(learner.experts_), min(learner.losses_.values())
    holds(learner.loss_, theorems.EWA, eta=eta, best=best, experts=n)
    holds(learner.loss_ - best, theorems.EWA_T, eta=eta, rounds=T, experts=n)


@given(seed=seeds, eta=st.floats(0.01, 5), loss=st.sampled_from(["absolute", "square"]))
def test_every_prefix_of_a_random_stream(seed: int, eta: float, loss: str) -> None:
    learner = ExponentialWeights(eta, loss)
    for t, (advice, y) in enumerate(crowd(loss, seed, rounds=80), start=1):
        learner.learn_one(advice, y)
        _prefixes_hold(learner, t, eta)


@given(
    rows=st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), max_size=25),
    eta=st.sampled_from([0.1, 0.5, 2.0]),
)
def test_every_prefix_of_any_stream(rows: list[list[float]], eta: float) -> None:
    learner = ExponentialWeights(eta, "absolute")
    for t, (y, *advice) in enumerate(rows, start=1):
        learner.learn_one(advice, y)
        _prefixes_hold(learner, t, eta)


@pytest.mark.parametrize("loss", ["absolute", "square", "zero-one"])
@pytest.mark.parametrize("eta", [0.2, 1.0])
def test_every_prefix_against_a_greedy_adversary(loss: str, eta: float) -> None:
    rng = np.random.default_rng(3)
    learner = ExponentialWeights(eta, loss, experts=4)

    def draw(_: int) -> list[Any]:
        bits: list[bool] = (rng.random(4) < 0.5).tolist()
        return bits if loss == "zero-one" else rng.random(4).tolist()

    for t, _ in enumerate(greedy(learner, draw, [0, 1], 60), start=1):
        _prefixes_hold(learner, t, eta)


@given(seed=seeds)
def test_the_tuned_rate(seed: int) -> None:
    rounds = crowd("absolute", seed, rounds=80)
    plain = ExponentialWeights(1.0, "absolute")
    for advice, y in rounds:
        plain.learn_one(advice, y)
    # Bounds of the best loss that are and are not reached: on every prefix it is less.
    for guess in (min(plain.losses_.values()) + 1e-9, 30.0):
        learner = ExponentialWeights.tuned(guess, rounds.start, loss="absolute")
        for advice, y in rounds:
            learner.learn_one(advice, y)
            if min(learner.losses_.values()) <= guess:
                n = max(2, rounds.start)
                holds(learner.loss_, theorems.EWA_TUNED, best=guess, experts=n)


@pytest.mark.parametrize(
    ("loss", "eta", "curved"),
    [("square", 0.5, 0.5), ("log", 1.0, 1.0), ("brier", 0.5, 0.25)],
)
@pytest.mark.parametrize("outcomes", [0, 3])
@given(seed=seeds)
def test_curved_losses_regret_little(
    loss: str, eta: float, curved: float, outcomes: int, seed: int
) -> None:
    # Brier losses go up to 2 and are halved, and the rate with them.
    k = 0 if loss == "square" else outcomes
    learner = ExponentialWeights(eta, loss)
    rounds = crowd(loss, seed, outcomes=k, rounds=60)
    for advice, y in rounds:
        learner.learn_one(advice, y)
        regret = max(learner.regret_.values())
        holds(regret, theorems.EWA_XC, eta=curved, experts=rounds.start)


@pytest.mark.parametrize("loss", ["square", "absolute"])
@tried(0.5)
@given(seed=seeds, eta=st.sampled_from([0.1, 0.5, 1.0]))
def test_sleepers_and_late_joiners(loss: str, seed: int, eta: float) -> None:
    rounds = crowd(loss, seed, sleep=True, join=True, rounds=60)
    weights = {i: float(i + 1) for i in range(rounds.start)}
    total = sum(weights.values())
    priors = [weight / total for weight in weights.values()]
    learner = ExponentialWeights(eta, loss, experts=weights)
    awake = [0] * len(priors)
    for t, (advice, y) in enumerate(rounds):
        if t in rounds.joins:
            learner.join(len(priors), rounds.joins[t])
            priors = [p * (1 - rounds.joins[t]) for p in priors] + [rounds.joins[t]]
            awake.append(0)
        learner.learn_one(advice, y)
        for i in advice:
            awake[i] += 1
        for i, prior in enumerate(priors):
            if not awake[i]:
                continue
            share = prior * (1 - 1e-12)
            own, best = learner.own_losses_[i], learner.losses_[i]
            regret = learner.regret_[i]
            assert regret == own - best
            holds(own, theorems.SLEEP, eta=eta, best=best, prior=share)
            holds(regret, theorems.SLEEP_T, eta=eta, rounds=awake[i], prior=share)
            if loss == "square" and eta <= 0.5:
                holds(regret, theorems.SLEEP_XC, eta=eta, prior=share)


def test_random_experts_come_close_to_the_bound() -> None:
    T, n, attained = 1000, 256, []
    for seed in range(4):
        stream = RandomExperts(n, T, seed).stream()
        learner = ExponentialWeights.for_horizon(T, n, loss="zero-one")
        learner.play(np.array([advice for advice, _ in stream]), [y for _, y in stream])
        regret = max(learner.regret_.values())
        bound = theorems.EWA_T.bound(rounds=T, experts=n)
        assert regret <= bound
        attained.append(regret / bound)
    assert np.mean(attained) > 0.75


def test_every_prefix_of_the_electric_load() -> None:
    experts, F, y = electric_load()
    highest = float(((F - y[:, None]) ** 2).max())
    for eta in (0.1, 1.0, 8.0):
        learner = ExponentialWeights(eta, range=(0, highest), experts=experts)
        for t, row in enumerate(F, start=1):
            learner.learn_one(row, y[t - 1])
            best = min(learner.losses_.values())
            regret = (learner.loss_ - best) / highest
            scaled = best / highest
            holds(
                learner.loss_ / highest, theorems.EWA, eta=eta, best=scaled, experts=3
            )
            holds(regret, theorems.EWA_T, eta=eta, rounds=t, experts=3)
    rmse = {e: math.sqrt(v / len(y)) for e, v in learner.losses_.items()}
    published = {"gam": 1479.796, "ar": 1697.604, "gbm": 2334.390}
    assert rmse == pytest.approx(published, abs=1e-3)


@pytest.mark.parametrize(
    ("eta", "rmse", "weights"),
    [
        (1e-8, 1496.67722616, [0.67266440750, 0.30986502196, 0.01747057053]),
        (1e-7, 1476.98113681, [0.9995699151, 0.0004300849, 1.4e-16]),
        (1e-6, 1505.54674041, [1.0, 2.2e-34, 2.8e-159]),
    ],
)
def test_the_published_errors_on_the_electric_load(
    eta: float, rmse: float, weights: list[float]
) -> None:
    _, F, y = electric_load()
    learner = ExponentialWeights(eta, range=(0, math.inf))
    learner.play(F, y)
    assert math.sqrt(learner.loss_ / len(y)) == pytest.approx(rmse, abs=5e-9)
    assert list(learner.weights_.values()) == pytest.approx(weights, rel=0.03, abs=0)
    assert list(learner.weights_.values()) == pytest.approx(weights, abs=5e-11)


def test_every_prefix_of_an_approval() -> None:
    experts, F, y = approval()
    highest = float(np.abs(F - y[:, None]).max())
    learner = ExponentialWeights.for_horizon(
        len(y), 5, loss="absolute", range=(0, highest), experts=experts
    )
    for t, row in enumerate(F, start=1):
        learner.learn_one(row, y[t - 1])
        regret = max(learner.regret_.values()) / highest
        holds(regret, theorems.EWA_T, eta=learner.eta, rounds=t, experts=5)
    mean = {e: v / len(y) for e, v in learner.losses_.items()}
    published = {
        "you_gov": 1.1106,
        "ipsos": 1.3757,
        "gallup": 1.3994,
        "rasmussen": 1.4726,
        "morning_consult": 2.3914,
    }
    assert mean == pytest.approx(published, abs=5e-5)


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
    learner = ExponentialWeights(
        eta=0.1 + seed % 7,
        loss=loss,
        gradient=gradient,
        experts=priors if given_priors else rounds.start,
    )
    same_as_twin(learner, twins.ExponentialWeights(**learner.get_params()), rounds)


@pytest.mark.parametrize("loss", NUMBERS[:3], ids=str)
@pytest.mark.parametrize("gradient", [False, True])
@given(seed=seeds, sleep=st.booleans(), low=st.sampled_from([0.0, -7.5]))
def test_it_equals_its_twin_in_any_range(
    loss: Any, gradient: bool, seed: int, sleep: bool, low: float
) -> None:
    rounds = crowd(loss, seed, sleep=sleep, spread=1e5)
    limits = (-1e11, 3e11) if gradient else (low, 1e10)
    learner = ExponentialWeights(
        3.0, loss, gradient=gradient, range=limits, experts=rounds.start
    )
    same_as_twin(learner, twins.ExponentialWeights(**learner.get_params()), rounds)


@pytest.mark.parametrize("loss", CHANCES)
@pytest.mark.parametrize("gradient", [False, True])
@given(seed=seeds, sleep=st.booleans(), join=st.booleans(), k=st.integers(2, 6))
def test_it_equals_its_twin_on_distributions(
    *, loss: str, gradient: bool, seed: int, sleep: bool, join: bool, k: int
) -> None:
    rounds = crowd(loss, seed, outcomes=k, sleep=sleep, join=join)
    learner = ExponentialWeights(0.7, loss, gradient=gradient, experts=rounds.start)
    same_as_twin(learner, twins.ExponentialWeights(**learner.get_params()), rounds)


@pytest.mark.parametrize("n", [7, 8, 9, 64, 1023, 1024, 1025, 2100])
def test_it_equals_its_twin_in_a_large_crowd(n: int) -> None:
    rng = np.random.default_rng(n)
    F, y = rng.random((6, n)), rng.random(6)
    learner, twin = ExponentialWeights(2.0), twins.ExponentialWeights(2.0)
    said = learner.play(F, y)
    assert said.tolist() == [
        twin.play(row, z) for row, z in zip(F.tolist(), y, strict=True)
    ]
    assert dict(learner.weights_) == twin.weights


@given(seed=seeds, sleep=st.booleans())
def test_a_block_is_its_rounds(seed: int, sleep: bool) -> None:
    rounds = crowd("square", seed, sleep=sleep)
    one = ExponentialWeights(experts=rounds.start)
    said = [one.play_one(advice, y) for advice, y in rounds]
    whole = ExponentialWeights(experts=rounds.start)
    assert block(whole, rounds).tolist() == said
    assert dict(whole.weights_) == dict(one.weights_)
    assert dict(whole.regret_) == dict(one.regret_)
    assert whole.clone().updates_ == 0


def absolute(p: float, y: float) -> float:
    return abs(p - y)


def square(p: float, y: float) -> float:
    return (p - y) * (p - y)


def square_slope(p: float, y: float) -> float:
    return 2.0 * (p - y)


@pytest.mark.parametrize(
    ("given_loss", "name", "gradient"),
    [
        (absolute, "absolute", False),
        (square, "square", False),
        (losses.custom(square, square_slope), "square", True),
    ],
)
@given(seed=seeds, sleep=st.booleans())
def test_a_function_equals_the_native_loss(
    given_loss: Any, name: str, gradient: bool, seed: int, sleep: bool
) -> None:
    rounds = crowd(name, seed, sleep=sleep)
    ours = ExponentialWeights(0.9, given_loss, gradient=gradient, experts=rounds.start)
    native = ExponentialWeights(0.9, name, gradient=gradient, experts=rounds.start)
    for advice, y in rounds:
        assert ours.play_one(advice, y) == native.play_one(advice, y)
        assert dict(ours.weights_) == dict(native.weights_)
        assert dict(ours.losses_) == dict(native.losses_)
    assert ours.loss_ == native.loss_
    whole = ours.clone()
    assert block(whole, rounds).tolist() == block(native.clone(), rounds).tolist()
    assert dict(whole.weights_) == dict(native.weights_)
    same_as_twin(ours.clone(), twins.ExponentialWeights(**ours.get_params()), rounds)


def test_a_pickle_goes_on_as_it_would_have() -> None:
    rounds = crowd("square", 5, sleep=True, join=True, rounds=30)
    learner = ExponentialWeights(experts=rounds.start)
    for t, (advice, y) in enumerate(rounds):
        if t in rounds.joins:
            learner.join(prior=rounds.joins[t])
        copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
        assert copy.play_one(advice, y) == learner.play_one(advice, y)
        assert dict(copy.weights_) == dict(learner.weights_)
        assert dict(copy.own_losses_) == dict(learner.own_losses_)


# Numbers at their limits --------------------------------------------------------------


def test_a_huge_loss_does_no_harm() -> None:
    learner = ExponentialWeights(0.5, "absolute", range=(0, math.inf))
    other = learner.clone()
    learner.learn_one([1.0, 2.0, 1e300], 0.0)
    other.learn_one([1.0, 2.0, 1e3], 0.0)
    for _ in range(5):
        assert learner.play_one([1.0, 1.5, 0.0], 1.0) == pytest.approx(
            other.play_one([1.0, 1.5, 0.0], 1.0), rel=1e-14
        )
    assert dict(learner.weights_) == pytest.approx(dict(other.weights_), abs=1e-15)


def test_a_huge_outcome_does_no_harm() -> None:
    # Everyone loses 1e300 at once, after and before many losses of ordinary size.
    learner = ExponentialWeights(0.5, "absolute", range=(0, math.inf))
    other = learner.clone()
    for y in [0.0] * 3000 + [1e300] + [0.0] * 3000:
        advice = [2.0, 2.001]
        said = learner.play_one(advice, y)
        if y == 0:
            assert said == pytest.approx(other.play_one(advice, y), rel=1e-12)
    assert dict(learner.weights_) == pytest.approx(dict(other.weights_), rel=1e-9)
    assert learner.weights_[0] == pytest.approx(1 / (1 + math.exp(-3)), rel=1e-9)


@pytest.mark.parametrize("size", [1.0, 1e16, 1e17, 1e300])
def test_a_huge_loss_leaves_a_sleeper_its_share(size: float) -> None:
    # Doubles near 1e17 are 16 apart: the mix loss lies between two of them.
    learner = ExponentialWeights(0.05, "absolute", range=(0, math.inf))
    learner.learn_one([0.0, 16.0, 8.0], 0.0)
    before = learner.weights_[2]
    for _ in range(5):
        learner.learn_one({0: size, 1: size + 16}, 0.0)
        assert learner.weights_[2] == pytest.approx(before, rel=1e-9)


def test_an_expert_a_million_rounds_behind_comes_back() -> None:
    T = 1_000_000
    F = np.tile([1.0, 0.0], (T, 1))
    learner = ExponentialWeights(0.5, "absolute")
    learner.play(F, np.zeros(T))
    assert dict(learner.losses_) == {0: 1e6, 1: 0.0}
    assert learner.weights_[0] == 0.0
    learner.play(F, np.ones(T))
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}
    learner.play(F[:20], np.ones(20))
    assert learner.weights_[0] == pytest.approx(1 / (1 + math.exp(-10)), rel=1e-12)


def test_an_expert_far_behind_by_large_losses_comes_back() -> None:
    learner = ExponentialWeights(0.5, "absolute", range=(0, math.inf))
    for _ in range(1000):
        learner.learn_one([1e12, 0.0], 0.0)
    for _ in range(1000):
        learner.learn_one([0.0, 1e12], 0.0)
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}


def test_a_million_rounds_are_added_up_exactly() -> None:
    T, blocks = 100_000, 10
    rng = np.random.default_rng(11)
    F = rng.random((T, 2)) * 2.0 ** rng.integers(-30, 1, size=(T, 2))
    learner, own = ExponentialWeights(1e-3, "absolute"), Fraction(0)
    for _ in range(blocks):
        own += exact_sum(learner.play(F, np.zeros(T)))
    assert learner.updates_ == T * blocks
    for i in range(2):
        assert learner.losses_[i] == float(blocks * exact_sum(F[:, i]))
    assert learner.loss_ == float(own)


@given(seed=seeds, eta=st.sampled_from([1e-9, 1.0, 1e3, 1e9]))
def test_weights_always_sum_to_one(seed: int, eta: float) -> None:
    rounds = crowd("square", seed, sleep=True, join=True, most=40, spread=30.0)
    learner = ExponentialWeights(eta, range=(0, math.inf), experts=rounds.start)
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
        ({"eta": 0}, "ExponentialWeights: eta must exceed 0, got 0"),
        ({"eta": -1.0}, "eta must exceed 0, got -1.0"),
        ({"eta": math.inf}, "eta must be a finite number, got inf"),
        ({"eta": "1"}, "eta must be a finite number, got '1'"),
        ({"loss": "pinball"}, "the pinball loss needs its level"),
        ({"loss": "hinge"}, "loss must charge what experts predict, got 'hinge'"),
        ({"loss": 3}, "loss must be .*, got 3"),
        ({"gradient": 1}, "gradient must be True or False, got 1"),
        (
            {"loss": "zero-one", "gradient": True},
            "gradient=True needs a loss with a slope, got 'zero-one'",
        ),
        ({"loss": absolute, "gradient": True}, "needs a loss with a slope"),
        ({"range": (1, 0)}, "range must be a pair .*, got \\(1, 0\\)"),
        ({"range": (0, 0)}, "range must be a pair"),
        ({"range": 3}, "range must be a pair .*, got 3"),
        ({"range": (0, math.nan)}, "range must be a pair"),
        ({"experts": 0}, "there must be at least one expert, got 0"),
        ({"experts": []}, "there must be at least one expert, got none"),
        ({"experts": ["a", "a"]}, "each expert must appear once, got 'a' twice"),
        ({"experts": {"a": 0.0}}, "a prior must exceed 0, got 0.0"),
        ({"experts": {"a": math.inf}}, "a prior must exceed 0, got inf"),
        ({"experts": {"a": "1"}}, "a prior must exceed 0, got '1'"),
        ({"experts": True}, "experts must be a number, names, .*, got True"),
        ({"experts": "ab"}, "experts must be a number, names, .*, got 'ab'"),
    ],
)
def test_refused_at_birth(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        ExponentialWeights(**parameters)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ExponentialWeights.tuned(0, 3), "best_loss must exceed 0, got 0"),
        (lambda: ExponentialWeights.tuned(1, 0), "n must be a whole number .*, got 0"),
        (lambda: ExponentialWeights.for_horizon(0, 3), "T must be a whole number"),
        (lambda: ExponentialWeights.for_horizon(9, -1), "n must be a whole number"),
    ],
)
def test_refused_rates(call: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


REFUSED: list[tuple[dict[str, Any], Any, Any, type[LittlestoneError], str]] = [
    ({}, [0.5, math.nan], 1, FeatureError, "expert 1 must predict a finite number"),
    ({}, [0.5, math.inf], 1, FeatureError, "expert 1 must predict a finite number"),
    ({}, [0.5, "x"], 1, FeatureError, "expert 1 must predict a finite number, got 'x'"),
    ({}, [0.5, None], 1, FeatureError, "expert 1 must predict a finite number"),
    ({}, [0.5], 1, FeatureError, "one prediction for each of 2 experts, got 1"),
    ({}, [0.5] * 3, 1, FeatureError, "one prediction for each of 2 experts, got 3"),
    ({}, {0: 0.5, 2: 0.5}, 1, FeatureError, "each expert must be known, got 2"),
    ({}, {0: 0.5, "b": 0.5}, 1, FeatureError, "each expert must be known, got 'b'"),
    ({}, {}, 1, ExampleError, "at least one expert must be awake"),
    ({}, 0.5, 1, ExampleError, "advice must be a sequence .*, got float"),
    ({}, "ab", 1, ExampleError, "advice must be a sequence .*, got str"),
    ({}, [0.5, 0.5], math.nan, LabelError, "an outcome must be a finite number"),
    ({}, [0.5, 0.5], math.inf, LabelError, "an outcome must be a finite number"),
    ({}, [0.5, 0.5], "y", LabelError, "an outcome must be a finite number, got 'y'"),
    ({}, [0.5, 0.5], None, LabelError, "an outcome must be a finite number"),
    ({}, [0.5, 3.0], 1, ExampleError, "loss of expert 1 must lie in \\[0, 1\\], got 4"),
    ({}, {1: 3.0}, 1, ExampleError, "loss of expert 1 must lie in \\[0, 1\\], got 4"),
    (
        {"range": (0.5, 2)},
        [0.0, 1.0],
        1,
        ExampleError,
        "loss of expert 1 must lie in \\[0.5, 2\\], got 0.0",
    ),
    (
        {"gradient": True, "range": (-1, 1)},
        [0.0, 4.0],
        0,
        ExampleError,
        "loss of expert 1 must lie in \\[-1, 1\\], got 16",
    ),
    ({"range": (0, math.inf)}, [1e200, 0], 0, ExampleError, "loss of expert 0 must be"),
    (
        {"loss": "absolute", "range": (0, math.inf)},
        [1.7e308, 1.7e308],
        0,
        ExampleError,
        "must stay finite, but the numbers are too large",
    ),
    ({"loss": "log"}, [0.5, 1.5], 1, FeatureError, "probabilities in \\[0, 1\\]"),
    ({"loss": "log"}, [0.5, 0.0], 1, ExampleError, "loss of expert 1 must be a finite"),
    ({"loss": "log"}, [0.5, 0.5], 2, LabelError, "got 2"),
    ({"loss": "log"}, [[0.5, 0.6], [0.5, 0.5]], 0, FeatureError, "0 must sum to one"),
    ({"loss": "log"}, [[0.5, 0.5], [-1.0, 2.0]], 0, FeatureError, "got -1.0"),
    ({"loss": "brier"}, [[0.5, 0.5], [0.5, 0.5]], 2, LabelError, "got 2"),
    ({"loss": "brier"}, [[0.5, 0.5], [0.5, 0.5]], 0.5, LabelError, "got 0.5"),
    ({"loss": "zero-one"}, [True, 2], 1, FeatureError, "expert 1 must predict True/1"),
    (
        {"loss": "zero-one"},
        [True, 0.5],
        1,
        FeatureError,
        "expert 1 must predict True/1",
    ),
    ({"loss": "zero-one"}, [True, False], 2, LabelError, "a label must be"),
    ({"loss": "percentage"}, [0.5, 0.5], 0, LabelError, "must not be 0"),
]


def _ordinary(parameters: dict[str, Any], x: Any) -> tuple[Any, Any]:
    """Return a round like the refused one, but sound."""
    loss = parameters.get("loss", "square")
    if loss == "zero-one":
        return [True, False], True
    if loss in ("log", "brier") and isinstance(x[0], list):
        return [[0.25, 0.75], [0.5, 0.5]], 1
    return [0.125, 0.25], 1


@pytest.mark.parametrize(("parameters", "x", "y", "error", "message"), REFUSED)
@pytest.mark.parametrize("rounds", [0, 3])
def test_a_refused_round_changes_nothing(
    *,
    parameters: dict[str, Any],
    x: Any,
    y: Any,
    error: type[LittlestoneError],
    message: str,
    rounds: int,
) -> None:
    learner = ExponentialWeights(**parameters, experts=2)
    if "range" not in parameters or parameters["range"][0] == 0:
        for _ in range(rounds):
            learner.learn_one(*_ordinary(parameters, x))
    refuses(learner, error, message, x, y)


def test_a_refused_round_with_sleepers_changes_nothing() -> None:
    learner = ExponentialWeights(experts=3)
    learner.learn_one([0.0, 0.5, 1.0], 1.0)
    with unchanged(learner), pytest.raises(ExampleError, match="expert 1 must lie in"):
        learner.learn_one({0: 0.5, 1: 9.0}, 1.0)
    with unchanged(learner):
        learner.predict_one({0: 0.5, 1: 0.25})
    with unchanged(learner):
        learner.predict([[0.5, 1.0, 0.0]], awake=[[True, True, False]])


@pytest.mark.parametrize("loss", ["square", square])
def test_a_refused_row_is_named_and_those_before_it_count(loss: Any) -> None:
    F = np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 7.0], [0.0, 0.0]])
    learner, other = ExponentialWeights(loss=loss), ExponentialWeights(loss=loss)
    message = "row 2: ExponentialWeights: the loss of expert 1 .* got 36.*; 2 rounds"
    with pytest.raises(ExampleError, match=message) as caught:
        learner.play(F, [1, 1, 1, 1])
    assert caught.value.row == caught.value.rounds == 2
    other.play(F[:2], [1, 1])
    assert pickle.dumps(learner) == pickle.dumps(other)


@pytest.mark.parametrize("loss", ["square", square])
def test_a_refused_first_round_leaves_nobody_behind(loss: Any) -> None:
    learner = ExponentialWeights(loss=loss)
    with unchanged(learner), pytest.raises(ExampleError, match="expert 1 must lie in"):
        learner.learn_one([0.5, 7.0], 1.0)
    with unchanged(learner), pytest.raises(ExampleError, match="row 0: .* 0 rounds"):
        learner.play([[0.5, 7.0], [0.5, 1.0]], [1.0, 1.0])
    with unchanged(learner), pytest.raises(LabelError, match="finite number, got 'y'"):
        learner.learn_one([0.5, 1.0], "y")
    learner.learn_one([0.5, 1.0, 0.5], 1.0)
    assert learner.experts_ == [0, 1, 2]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (lambda *_: math.nan, "loss of expert 0 must be a finite number, got nan"),
        (lambda *_: "x", "loss of expert 0 must be a finite number"),
        (lambda *_: None, "loss of expert 0 must be a finite number"),
        (lambda *_: 5.0, "loss of expert 0 must lie in \\[0, 1\\], got 5.0"),
        (
            lambda p, _: math.nan if p == 0.5 else 0.5,
            "must be a finite number, got nan",
        ),
        (
            lambda p, _: math.inf if p == 0.5 else 0.5,
            "must be a finite number, got inf",
        ),
    ],
)
def test_a_function_that_gives_no_loss_is_refused(bad: Any, message: str) -> None:
    learner = ExponentialWeights(loss=bad, experts=2)
    # Its pickle would need the function: the books tell instead.
    for _ in range(2):
        with pytest.raises(ExampleError, match=message):
            learner.learn_one([0.0, 1.0], 1.0)
        assert learner.updates_ == learner.loss_ == 0
        assert dict(learner.weights_) == {0: 0.5, 1: 0.5}


@pytest.mark.parametrize(
    ("name", "prior", "message"),
    [
        ("a", 0.5, "a new expert must have a name of its own, got 'a'"),
        (None, 0.5, "a new expert must have a name of its own, got None"),
        ("c", 0, "prior must lie between 0 and 1, got 0"),
        ("c", 1.0, "prior must lie between 0 and 1, got 1.0"),
        ("c", math.nan, "prior must lie between 0 and 1, got nan"),
        ("c", "1", "prior must lie between 0 and 1, got '1'"),
    ],
)
def test_a_newcomer_who_is_refused_changes_nothing(
    name: Any, prior: Any, message: str
) -> None:
    learner = ExponentialWeights(experts=["a", "b"])
    learner.learn_one([0.0, 1.0], 1.0)
    with unchanged(learner), pytest.raises(ParameterError, match=message):
        learner.join(name, prior)
    with pytest.raises(ParameterError, match="an expert can only join others"):
        ExponentialWeights().join("a")
    with pytest.raises(ParameterError, match="the next must be 2, got 5"):
        ExponentialWeights(experts=2).join(5)


def test_a_loss_that_uses_the_learner_finds_it_busy() -> None:
    learner: ExponentialWeights

    def teach(prediction: float, outcome: float) -> float:
        learner.learn_one([0.0, 0.0], 0.0)
        return abs(prediction - outcome)

    def enlarge(prediction: float, outcome: float) -> float:
        learner.join()
        return abs(prediction - outcome)

    for loss in (teach, enlarge):
        learner = ExponentialWeights(0.5, loss, experts=2)
        with pytest.raises(BusyError):
            learner.learn_one([0.0, 1.0], 1.0)
        assert learner.updates_ == 0
        assert learner.experts_ == [0, 1]
        with pytest.raises(BusyError):  # also a second time
            learner.learn_one([0.0, 1.0], 1.0)


@pytest.mark.parametrize("y", [2, -1, 0.5])
def test_an_outcome_beyond_the_distributions_is_named(y: float) -> None:
    learner = ExponentialWeights(0.5, "brier", experts=2)
    with pytest.raises(LabelError, match=f"whole number from 0 to 1, got {y}"):
        learner.learn_one([[0.5, 0.5], [0.1, 0.9]], y)
    with pytest.raises(LabelError, match="row 0: .*whole number from 0 to 1"):
        learner.play([[0.5, 0.1]], [y])
    with pytest.raises(LabelError, match="row 0: .*whole number from 0 to 2"):
        learner.play([[[0.5, 0.5, 0.0], [0.1, 0.8, 0.1]]], [y + 1 if y > 1 else y])


@pytest.mark.parametrize("at", range(21))
@pytest.mark.parametrize("value", [3.0, math.nan, math.inf])
def test_a_loss_out_of_range_is_seen_wherever_it_stands(at: int, value: float) -> None:
    learner = ExponentialWeights(0.5, loss="absolute")
    learner.play(np.full((2, 21), 0.5), [0.0, 1.0])
    F = np.full((1, 21), 0.5)
    F[0, at] = value
    with unchanged(learner), pytest.raises(ExampleError, match=f"expert {at} must"):
        learner.play(F, [0.0])


@pytest.mark.parametrize("zero", [0.0, -0.0])
@pytest.mark.parametrize("value", [3.0, math.nan, math.inf])
def test_zeros_of_either_sign_hide_no_loss_out_of_range(
    value: float, zero: float
) -> None:
    learner = ExponentialWeights(0.5, loss="absolute")
    learner.play(np.full((2, 80), 0.5), [0.0, 1.0])
    F = np.full((1, 80), zero)
    F[0, 41] = value
    with unchanged(learner), pytest.raises(ExampleError, match="expert 41 must"):
        learner.play(F, [0.0])
