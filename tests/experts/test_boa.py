"""What is BOA's own: sums of regrets, in opera's form and as published."""

from __future__ import annotations

import math

import pytest

from littlestone import theorems
from littlestone.experts import BOA
from regretful import holds_against

# By hand ------------------------------------------------------------------------------


def test_the_published_rate_is_the_one_before() -> None:
    learner = BOA("absolute", form="published")
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5  # regrets -1/2 and 1/2
    # Both have the rate 1/2, and are 1 apart.
    share = 1 / (1 + math.exp(-0.5))
    assert learner.weights_[1] == pytest.approx(share, rel=1e-14)


def test_operas_rate_is_the_one_after() -> None:
    learner = BOA("absolute")
    learner.play_one([0.0, 1.0], 1.0)
    share = 1 / (1 + math.exp(-1 / math.sqrt(2.2 / 4)))
    assert learner.weights_[1] == pytest.approx(share, rel=1e-14)


def test_sums_are_less_by_squares_times_the_rate() -> None:
    learner = BOA("absolute", form="published", experts={"a": 1, "b": 3})
    for _ in range(9):
        learner.play_one({"a": 1.0, "b": 0.0}, 1.0)
    squares, sums, rates = [0.0, 0.0], [0.0, 0.0], [0.5, 0.5]
    priors = (0.25, 0.75)

    def share() -> float:
        pairs = zip(priors, rates, sums, strict=True)
        a, b = (p * eta * math.exp(eta * q) for p, eta, q in pairs)
        return a / (a + b)

    for _ in range(9):
        first = share()
        for i, r in enumerate((1 - first, -first)):
            squares[i] += r * r
            sums[i] += r - rates[i] * r * r
            rates[i] = min(0.5, math.sqrt(math.log(1 / priors[i]) / squares[i]))
    assert rates[1] < 0.5  # or nothing was tested
    assert learner.weights_["a"] == pytest.approx(share(), rel=1e-13)


def test_opera_leaves_those_without_a_regret_their_prior() -> None:
    learner = BOA("absolute", experts=["a", "b", "c", "d"])
    for _ in range(30):
        learner.play_one({"a": 0.0, "b": 1.0}, 0.0)
    assert learner.weights_["c"] == learner.weights_["d"] == 0.25
    assert learner.weights_["a"] == pytest.approx(0.5, abs=0.01)


def test_of_those_asleep_opera_counts_no_prior() -> None:
    learner = BOA("absolute", experts=["a", "b", "c"])
    for _ in range(3):
        learner.play_one({"a": 0.0, "b": 1.0}, 0.0)
    assert learner.predict_one({"b": 0.0, "c": 1.0}) == 0.5


def test_no_rate_rises_when_others_join() -> None:
    learner = BOA("absolute", form="published", experts=2)
    for _ in range(400):
        learner.play_one([0.0, 1.0], 0.25)
    ratio = learner.weights_[0] / learner.weights_[1]
    for name in range(2, 30):
        learner.join(name, 0.1)
    learner.play_one({2: 0.5}, 0.5)  # with 28 more, who have nothing to do with them
    after = learner.weights_[0] / learner.weights_[1]
    assert after == pytest.approx(ratio, rel=1e-12)


# What the theorem says ----------------------------------------------------------------


def test_each_form_names_its_theorem() -> None:
    assert BOA().guarantees == (theorems.BOA,)
    assert BOA(form="published").guarantees == (theorems.BOA_PUB,)


def test_an_adversary_comes_close_to_the_published_bound() -> None:
    near = holds_against(BOA, "published", "one is right", "steady", [1.0] * 40)
    assert near > 0.93
