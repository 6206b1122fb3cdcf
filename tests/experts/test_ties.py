"""Votes at ties: every learner that counts or weighs agrees with exact rationals."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ballots import Ballots, large, small
from littlestone.boolean import VersionSpaceLearner
from littlestone.experts import (
    FloorWeightedMajority,
    FollowTheMajority,
    Halving,
    WeightedMajority,
)
from littlestone.linear import VotedPerceptron
from littlestone.verifying import twins

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# The oracles: weights are fractions, and nothing is ever rounded ----------------------


class Weighted:
    """Weighted majority; a wrong expert keeps `beta` of its weight."""

    def __init__(self, priors: Iterable[Any], beta: Fraction = Fraction(1, 2)) -> None:
        self.weights, self.beta = [Fraction(prior) for prior in priors], beta

    def play(self, votes: Mapping[int, bool], y: bool) -> bool:
        """Predict, then charge the wrong experts."""
        yes = sum(self.weights[i] for i, vote in votes.items() if vote)
        said = 2 * yes >= sum(self.weights[i] for i in votes)
        for i in self.falling([i for i, vote in votes.items() if vote != y]):
            self.weights[i] *= self.beta
        return said

    def falling(self, wrong: list[int]) -> list[int]:
        """Return the wrong experts that lose weight."""
        return wrong


class Floored(Weighted):
    """The same, but only what weighs at least a quarter of its first share falls."""

    def __init__(self, priors: Iterable[int]) -> None:
        super().__init__(priors)
        whole = sum(self.weights)
        self.shares = [Fraction(prior) / whole for prior in self.weights]

    def falling(self, wrong: list[int]) -> list[int]:
        """Return those above the floor."""
        total = sum(self.weights)
        return [i for i in wrong if 4 * self.weights[i] >= total * self.shares[i]]


class Counted(Weighted):
    """Halving: what is wrong weighs nothing from then on."""

    def __init__(self, priors: Iterable[int], restart: bool = False) -> None:
        super().__init__(priors, Fraction(0))
        self.first, self.restart = list(self.weights), restart

    def play(self, votes: Mapping[int, bool], y: bool) -> bool:
        """Predict, then drop the wrong experts; start again if none is left."""
        said = super().play(votes, y)
        if self.restart and not any(self.weights):
            self.weights = list(self.first)
        return said


def hold(learner: Any, oracle: Any, ballots: Ballots) -> None:
    """Play both and compare each prediction; and the same rounds as one block."""
    fresh = learner.clone()
    said = []
    for x, y in ballots.rounds():
        votes = x if isinstance(x, dict) else dict(enumerate(x))
        said.append(oracle.play(votes, y))
        assert learner.play_one(x, y) is said[-1]
    if len(ballots):
        block = fresh.play(ballots.votes, ballots.labels, awake=ballots.awake)
        assert block.tolist() == said


whole = st.lists(st.integers(1, 40), min_size=80, max_size=80)


def alike(priors: list[int], n: int) -> dict[int, int]:
    return dict(enumerate(priors[:n]))


# Weighted votes ---------------------------------------------------------------------


@given(st.one_of(small(80), large(sleepy=True), large(rounds=90)))
def test_weighted_majority_breaks_ties_as_fractions_do(ballots: Ballots) -> None:
    hold(
        WeightedMajority(experts=ballots.first), Weighted([1] * ballots.first), ballots
    )


@given(st.one_of(small(80), large(sleepy=True), large(rounds=90)))
def test_the_floor_breaks_ties_as_fractions_do(ballots: Ballots) -> None:
    oracle = Floored([1] * ballots.first)
    hold(FloorWeightedMajority(experts=ballots.first), oracle, ballots)


@given(st.one_of(small(80), large(sleepy=True)), whole)
@pytest.mark.parametrize(
    ("learner", "oracle"),
    [
        (WeightedMajority, Weighted),
        (FloorWeightedMajority, Floored),
        (partial(Halving, True), partial(Counted, restart=True)),
    ],
)
def test_whole_priors_break_ties_as_fractions_do(
    learner: Any, oracle: Any, ballots: Ballots, priors: list[int]
) -> None:
    given_priors = alike(priors, ballots.first)
    hold(learner(experts=given_priors), oracle(given_priors.values()), ballots)


@given(small(30), st.sampled_from([0.25, 0.75, 0.875]))
def test_other_short_binary_fractions_do_as_well(ballots: Ballots, beta: float) -> None:
    oracle = Weighted([1] * ballots.first, Fraction(beta))
    hold(WeightedMajority(beta, experts=ballots.first), oracle, ballots)


@pytest.mark.parametrize("learner", [WeightedMajority, FloorWeightedMajority])
def test_long_runs_of_any_size_break_ties_as_fractions_do(learner: Any) -> None:
    rng = np.random.default_rng(1)
    for n in [*range(3, 20), 70]:
        labels = rng.random(120) < 0.5
        votes = (rng.random((120, n)) < 0.55) == labels[:, None]
        oracle = (Floored if learner is FloorWeightedMajority else Weighted)([1] * n)
        hold(learner(experts=n), oracle, Ballots(votes, votes | True, labels))


@pytest.mark.parametrize("learner", [WeightedMajority, FloorWeightedMajority])
def test_one_expert_ties_with_as_many_as_its_prior(learner: Any) -> None:
    # Shares such as 1/98 would be rounded, and their sums are not what they should be.
    for weight in range(2, 60):
        others = dict.fromkeys(range(weight), 1)
        voter = learner(experts=others | {"ann": weight})
        assert voter.predict_one([True] * weight + [False]) is True
        assert voter.predict_one([False] * weight + [True]) is True


@pytest.mark.parametrize("mistakes", [10, 52, 53, 60, 1000])
@pytest.mark.parametrize("awake", [3, 4])
def test_a_light_expert_decides_between_equal_ones(mistakes: int, awake: int) -> None:
    # 1 + 2^-60 rounds to 1, and the vote would be a tie, which says yes.
    learner = WeightedMajority(experts=awake + 1)
    twin = twins.WeightedMajority(**learner.get_params())
    for _ in range(mistakes):
        votes = [True, True, *[False] * (awake - 2), True]
        learner.learn_one(votes, True)
        twin.play(votes, True)
    against = {0: True, 1: False} | dict.fromkeys(range(2, awake), False)
    assert learner.predict_one(against) is False
    assert learner.predict_one(against | {2: True}) is True
    assert learner.predict_one([*against.values(), True]) is True
    assert twin.play(against, False) is False


@given(st.permutations([0, 0, 1, 1, 2, 3, 5, 5, 8, 13, 13]), st.integers(2, 1000))
@example([0, 0, 1, 1, 2, 3, 5, 5, 8, 13, 13], 10)
def test_equal_weights_on_both_sides_tie_whatever_beta(
    mistakes: list[int], tenths: int
) -> None:
    # Each weight speaks once for yes and once for no, in any order of the experts.
    beta = tenths / 1001
    learner = WeightedMajority(beta, experts=2 * len(mistakes))
    both = [*mistakes, *sorted(mistakes)]
    for t in range(max(both)):
        learner.learn_one([t >= m for m in both], True)
    half = len(mistakes)
    assert learner.predict_one([True] * half + [False] * half) is True
    assert learner.predict_one([False] * half + [True] * half) is True


# Counted votes ----------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning")
@given(st.one_of(small(80), large(sleepy=True)), st.booleans())
def test_halving_breaks_ties_as_fractions_do(ballots: Ballots, restart: bool) -> None:
    learner = Halving(restart=restart, experts=ballots.first)
    hold(learner, Counted([1] * ballots.first, restart), ballots)


@given(st.lists(st.booleans(), max_size=60))
def test_follow_the_majority_says_yes_at_a_tie(labels: list[bool]) -> None:
    learner, yes = FollowTheMajority(), 0
    for t, y in enumerate(labels):
        assert learner.play_one({}, y) is (t == 0 or Fraction(yes, t) >= Fraction(1, 2))
        yes += y


@given(small(20))
def test_a_version_space_votes_as_halving_does(ballots: Ballots) -> None:
    # Feature i is what concept i says, and the first concept is the truth.
    n = ballots.first
    learner = VersionSpaceLearner([itemgetter(i) for i in range(n)])
    oracle = Counted([1] * n)
    for votes in ballots.votes.tolist():
        said = oracle.play(dict(enumerate(votes)), votes[0])
        assert learner.play_one(dict(enumerate(votes)), votes[0]) is said


@given(st.integers(0, 2**32 - 1))
def test_the_voted_perceptron_breaks_ties_as_fractions_do(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, Y = rng.integers(-2, 3, size=(40, 3)), rng.random(40) < 0.5
    learner = VotedPerceptron()
    vectors, votes = [np.zeros(3, int)], [0]
    for x, y in zip(X, Y.tolist(), strict=True):
        sides = [v if w @ x >= 0 else -v for w, v in zip(vectors, votes, strict=True)]
        share = Fraction(sum(sides), max(1, sum(votes)))
        assert learner.predict_one(x.tolist()) is (share >= 0)
        learner.learn_one(x.tolist(), y)
        if (vectors[-1] @ x >= 0) == y:
            votes[-1] += 1
        else:
            vectors.append(vectors[-1] + (x if y else -x))
            votes.append(1)
