"""Cover's learner expects exactly the mistakes that were chosen, on every sequence."""

from __future__ import annotations

import hashlib
import itertools
import math
import pickle
import random
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import ExampleError, LabelError, ParameterError
from littlestone.experts import Cover
from littlestone.experts.cover import _drawn_below
from littlestone.verifying import twins
from tries import often

HALF = Fraction(1, 2)


def told(learner: Cover, bits: Sequence[int]) -> Cover:
    for bit in bits:
        learner.learn_one(None, bit)
    return learner


def walk(n: int) -> Fraction:
    """Return the mean of |S_n|, the sum of n random signs, by its definition."""
    return Fraction(sum(math.comb(n, k) * abs(2 * k - n) for k in range(n + 1)), 2**n)


def regret_to_constants(bits: Sequence[int]) -> Fraction:
    """Return n phi(y) for the phi that Cover takes by default."""
    return min(sum(bits), len(bits) - sum(bits)) + walk(len(bits)) / 2


def sequences(n: int) -> list[tuple[int, ...]]:
    return list(itertools.product((0, 1), repeat=n))


def first_bit(bits: tuple[int, ...]) -> Fraction:
    """Aim for fewer mistakes after a first bit of 0: stable, and 1/2 in the mean."""
    return HALF + Fraction(2 * bits[0] - 1, 2 * len(bits))


def seldom_changing(bits: tuple[int, ...]) -> Fraction:
    """Aim for fewer mistakes on sequences that seldom change, in thirds of 1/n."""
    changes = sum(a != b for a, b in itertools.pairwise(bits))
    return HALF + Fraction(2 * changes - (len(bits) - 1), 6 * len(bits))


def by_ones(n: int, seed: int) -> list[Fraction]:
    """Return a random phi of the number of ones, stable and 1/2 in the mean."""
    rng = random.Random(seed)  # noqa: S311 - a test
    values = [Fraction(0)]
    for _ in range(n):
        values.append(values[-1] + Fraction(rng.randint(-7, 7), 7 * n))
    mean = sum(math.comb(n, k) * v for k, v in enumerate(values)) / 2**n
    return [v - mean + HALF for v in values]


# By hand ----------------------------------------------------------------------------


def test_one_round_is_a_fair_coin() -> None:
    assert Cover(1).probability_ == HALF
    assert told(Cover(1), [1]).expected_mistakes_ == HALF
    assert told(Cover(1), [0]).expected_mistakes_ == HALF


@pytest.mark.parametrize(
    ("bits", "chances"),
    [
        # n = 2: after a one the ones cannot lose; after a zero they cannot win.
        ((1, 1), (HALF, 1)),
        ((0, 1), (HALF, 0)),
        # n = 3: after a one, two of the last two coins must be 0 for ones to lose, and
        # this coin counts too.
        ((1, 0, 1), (HALF, Fraction(3, 4), HALF)),
        ((1, 1, 0), (HALF, Fraction(3, 4), 1)),
        ((0, 0, 1), (HALF, Fraction(1, 4), 0)),
        # n = 4: after a one, P[B >= 1] of two coins; then P[B >= 1] of one.
        ((1, 0, 0, 1), (HALF, Fraction(3, 4), HALF, 0)),
    ],
)
def test_the_chance_that_ones_win(
    bits: tuple[int, ...], chances: tuple[Fraction, ...]
) -> None:
    learner = Cover(len(bits))
    for bit, chance in zip(bits, chances, strict=True):
        assert learner.probability_ == chance
        assert isinstance(learner.probability_, Fraction)
        learner.learn_one({}, bit)


def test_once_all_is_decided_it_says_so() -> None:
    learner = told(Cover(9), [1] * 5)
    for _ in range(4):
        assert learner.probability_ == 1
        assert learner.play_one(None, False) is True
    learner = told(Cover(8), [0] * 5)
    for _ in range(3):
        assert learner.probability_ == 0
        assert learner.play_one(None, True) is False


def test_phi_by_the_number_of_ones() -> None:
    learner = Cover(2, phi=[0.25, 0.5, 0.75])
    assert learner.probability_ == Fraction(1, 4)  # 1/2 + 2 (3/8 - 5/8)/2
    assert told(learner, [0, 0]).expected_mistakes_ == HALF


def test_phi_that_is_always_a_half_flips_coins() -> None:
    learner = Cover(5, phi=[HALF] * 6)
    for _ in range(5):
        assert learner.probability_ == HALF
        learner.learn_one(None, True)
    assert learner.expected_mistakes_ == Fraction(5, 2)


def test_phi_that_knows_the_first_bit() -> None:
    learner = Cover(3, phi=first_bit)
    assert learner.probability_ == 0  # sure to be right on 0, to be wrong on 1
    assert told(learner, [0]).probability_ == HALF
    assert learner.expected_mistakes_ == 0


# What the theorem says --------------------------------------------------------------


@pytest.mark.parametrize("n", range(1, 11))
def test_expected_mistakes_are_exact_on_every_sequence(n: int) -> None:
    for bits in sequences(n):
        learner = told(Cover(n), bits)
        assert learner.expected_mistakes_ == regret_to_constants(bits)


@pytest.mark.parametrize("n", range(1, 9))
def test_phi_of_ones_is_exact_on_every_sequence(n: int) -> None:
    phi = by_ones(n, seed=n)
    for bits in sequences(n):
        learner = told(Cover(n, phi), bits)
        assert learner.expected_mistakes_ == n * phi[sum(bits)]


@pytest.mark.parametrize("n", often(range(1, 9), lambda n: n <= 6))
@pytest.mark.parametrize("phi", [first_bit, seldom_changing])
def test_phi_of_sequences_is_exact_on_every_sequence(n: int, phi: Any) -> None:
    for bits in sequences(n):
        assert told(Cover(n, phi), bits).expected_mistakes_ == n * phi(bits)


@given(n=st.integers(11, 300), data=st.data())
def test_expected_mistakes_are_exact_on_long_sequences(
    n: int, data: st.DataObject
) -> None:
    share = data.draw(st.floats(0, 1))
    rng = random.Random(data.draw(st.integers()))  # noqa: S311 - a test
    bits = [int(rng.random() < share) for _ in range(n)]
    learner = Cover(n)
    for bit in bits:
        assert 0 <= learner.probability_ <= 1
        learner.learn_one(None, bit)
    assert learner.expected_mistakes_ == regret_to_constants(bits)


@given(n=st.integers(9, 120), seed=st.integers(0, 2**20))
def test_phi_of_ones_is_exact_on_long_sequences(n: int, seed: int) -> None:
    phi = by_ones(n, seed)
    rng = random.Random(seed)  # noqa: S311 - a test
    bits = [rng.randint(0, 1) for _ in range(n)]
    assert told(Cover(n, phi), bits).expected_mistakes_ == n * phi[sum(bits)]


def test_the_constant_of_the_exercise() -> None:
    # E|S_n|/(2 sqrt n) is 1/2 at n = 1 and tends to 1/sqrt(2 pi) = 0.39894.
    constants = []
    for n in (1, 2, 50, 5_000):
        bits = [t % 2 for t in range(n)]
        more = told(Cover(n), bits).expected_mistakes_ - n // 2
        constants.append(float(more) / math.sqrt(n))
    assert constants[0] == 0.5
    assert constants[1] == pytest.approx(0.5 / math.sqrt(2))
    assert constants[3] == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-4)


@pytest.mark.soak
def test_mistakes_are_as_many_as_expected_on_average() -> None:
    n, runs = 40, 400
    bits = [t % 3 == 0 for t in range(n)]
    expected = regret_to_constants([int(bit) for bit in bits])
    stream = [(None, y) for y in bits]
    mistakes = [run(Cover(n, seed=seed), stream).mistakes for seed in range(runs)]
    # Rounds are drawn independently, so the variance of a run is at most n/4.
    slack = 4 * math.sqrt(n / 4 / runs)
    assert abs(sum(mistakes) / runs - expected) < slack


# Drawing ------------------------------------------------------------------------------


@given(
    n=st.integers(1, 40),
    seed=st.integers(0, 2**70),
    bits=st.lists(st.booleans(), min_size=40, max_size=40),
)
def test_a_draw_depends_on_seed_and_round_alone(
    n: int, seed: int, bits: list[bool]
) -> None:
    learner, other = Cover(n, seed=seed), Cover(n, seed=seed)
    for bit in bits[:n]:
        before = pickle.dumps(learner)
        said = learner.predict_one(None)
        assert learner.predict_one({"a": 1.0}) is said
        assert pickle.dumps(learner) == before
        assert learner.play_one([1.0], bit) is said
        assert other.play_one(None, bit) is said


def test_seeds_draw_differently() -> None:
    says = [
        [Cover(60, phi=[HALF] * 61, seed=seed).play_one(None, True)]
        for seed in range(40)
    ]
    assert [True] in says
    assert [False] in says


@pytest.mark.parametrize(
    "chance", [Fraction(0), Fraction(1, 7), Fraction(1, 2), Fraction(9, 10), 1]
)
def test_a_draw_says_yes_as_often_as_it_should(chance: Fraction) -> None:
    a, b = chance.numerator, chance.denominator
    draws = 4_000
    yes = sum(_drawn_below(a, b, seed=1, at=at) for at in range(draws))
    assert abs(yes - draws * chance) <= 4 * math.sqrt(draws * chance * (1 - chance))


def test_a_draw_is_compared_to_the_last_digit() -> None:
    # Close in on the number that is drawn, far beyond the 128 digits looked at first.
    low, high = 0, 1
    for digits in range(1, 1_001):
        low, high = 2 * low, 2 * high
        if _drawn_below(low + 1, 2**digits, seed=5, at=3):
            high = low + 1
        else:
            low += 1
    drawn = hashlib.shake_128(b"littlestone Cover 5 3").digest(125)
    assert low == high - 1 == int.from_bytes(drawn, "big")
    assert not _drawn_below(3 * low, 3 * 2**1_000, seed=5, at=3)


# What the twin says -----------------------------------------------------------------

PHIS: list[Any] = [None, "ones", first_bit, seldom_changing]


@pytest.mark.parametrize("phi", PHIS)
@given(n=st.integers(1, 8), seed=st.integers(0, 99), data=st.data())
def test_it_equals_its_twin(phi: Any, n: int, seed: int, data: st.DataObject) -> None:
    given_phi = by_ones(n, seed) if phi == "ones" else phi
    learner = Cover(n, given_phi, seed)
    twin = twins.Cover(**learner.get_params())
    for y in data.draw(st.lists(st.booleans(), min_size=n, max_size=n)):
        assert learner.probability_ == twin.probability()
        assert learner.play_one(None, y) == twin.play(None, y)
        assert learner.expected_mistakes_ == twin.expected_mistakes
        assert learner.updates_ == twin.updates


@given(n=st.integers(9, 90), seed=st.integers(0, 99), data=st.data())
def test_it_equals_its_twin_for_long(n: int, seed: int, data: st.DataObject) -> None:
    learner, twin = Cover(n, seed=seed), twins.Cover(n, seed=seed)
    for y in data.draw(st.lists(st.booleans(), min_size=n, max_size=n)):
        assert learner.probability_ == twin.probability()
        assert learner.play_one(None, y) == twin.play(None, y)
    assert learner.expected_mistakes_ == twin.expected_mistakes


# What every learner does --------------------------------------------------------------


@pytest.mark.parametrize("phi", [None, (0.5, 0.5, 0.5, 0.5, 0.5), first_bit])
def test_it_is_a_learner_like_others(phi: Any) -> None:
    learner = Cover(4, phi=phi, seed=7)
    learner.play([{}, {}], [True, False])
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert copy.probability_ == learner.probability_
    rest = copy.play([{}, {}], [True, True])
    assert learner.play([{}, {}], [True, True]).tolist() == rest.tolist()
    assert copy.expected_mistakes_ == learner.expected_mistakes_
    assert copy.updates_ == 4
    assert learner.get_params() == {"horizon": 4, "phi": phi, "seed": 7}
    assert learner.clone().updates_ == 0
    assert learner.set_params(seed=8).updates_ == 0
    assert learner.seed == 8
    with pytest.raises(AttributeError, match="fixed at birth"):
        learner.horizon = 9


def test_the_repr_makes_it_again() -> None:
    learner = Cover(2, phi=[0.25, 0.5, 0.75], seed=3)
    assert repr(learner) == "Cover(horizon=2, phi=[0.25, 0.5, 0.75], seed=3)"
    whole: Any = np.int64(5)
    assert repr(Cover(whole)) == "Cover(horizon=5, phi=None, seed=0)"


def test_a_weight_counts_as_that_many_rounds() -> None:
    weighted = Cover(6)
    weighted.learn_one(None, True, 2)
    weighted.learn_one(None, False, 0)
    weighted.learn_one(None, False, 4)
    assert weighted.updates_ == 6
    assert weighted.expected_mistakes_ == regret_to_constants([1, 1, 0, 0, 0, 0])


@pytest.mark.parametrize(
    "phi",
    [
        (0.25, 0.5, 0.75),
        [Fraction(1, 4), Decimal("0.5"), 0.75],
        np.array([0.25, 0.5, 0.75]),
        np.array([0.25, 0.5, 0.75], dtype=np.float32),
        [np.float32(0.25), np.float64(0.5), Fraction(3, 4)],
        lambda bits: (1 + sum(bits)) / 4,
        lambda bits: np.float32(1 + sum(bits)) / 4,
    ],
)
def test_phi_may_be_given_in_many_ways(phi: Any) -> None:
    learner = told(Cover(2, phi=phi), [1, 1])
    assert learner.expected_mistakes_ == Fraction(3, 2)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize("phi", [None, [HALF] * 4, first_bit])
def test_a_round_after_the_horizon_changes_nothing(phi: Any) -> None:
    learner = told(Cover(3, phi), [1, 0])
    before = pickle.dumps(learner)
    message = "Cover: there must be at most horizon = 3 rounds, got 2 more after 2"
    with pytest.raises(ExampleError, match=message):
        learner.learn_one(None, True, 2)
    assert pickle.dumps(learner) == before
    learner.learn_one(None, True)
    before = pickle.dumps(learner)
    for refused in (
        lambda: learner.predict_one(None),
        lambda: learner.learn_one(None, True),
        lambda: learner.play_one(None, True),
        lambda: learner.probability_,
    ):
        with pytest.raises(ExampleError, match="got 1 more after 3"):
            refused()
    with pytest.raises(ExampleError, match="row 0: Cover: .*; 0 rounds played"):
        learner.play([{}], [True])
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("label", [2, "yes", None])
def test_a_label_that_is_neither_yes_nor_no_changes_nothing(label: Any) -> None:
    learner = Cover(3)
    before = pickle.dumps(learner)
    with pytest.raises(LabelError, match="a label must be True/1 or False/0/-1"):
        learner.learn_one(None, label)
    with pytest.raises(ParameterError, match="a sample weight must be a whole"):
        learner.learn_one(None, True, -1)
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"horizon": 0}, "horizon must be a whole number of at least 1, got 0"),
        ({"horizon": 2.0}, "horizon must be .*, got 2.0"),
        ({"horizon": True}, "horizon must be .*, got True"),
        ({"horizon": "3"}, "horizon must be .*, got '3'"),
        ({"horizon": 3, "seed": -1}, "seed must be a whole number of at least 0"),
        ({"horizon": 3, "seed": None}, "seed must be .*, got None"),
        ({"horizon": 3, "phi": 0.5}, "phi must be None, a sequence .*, got 0.5"),
        ({"horizon": 3, "phi": "half"}, "phi must be None, .*, got 'half'"),
        ({"horizon": 3, "phi": {0.5}}, "phi must be None, a sequence"),
        (
            {"horizon": 3, "phi": [0.5] * 3},
            "phi must hold horizon \\+ 1 = 4 numbers, .* got 3",
        ),
        (
            {"horizon": 1, "phi": [0.5, "0.5"]},
            "phi must be a number from 0 to 1, got '0.5' for 1 ones",
        ),
        ({"horizon": 1, "phi": [0.5, math.nan]}, "got nan for 1 ones"),
        ({"horizon": 1, "phi": [-0.1, 0.5]}, "got -0.1 for 0 ones"),
        ({"horizon": 1, "phi": [0.5, 1.5]}, "got 1.5 for 1 ones"),
        (
            {"horizon": 2, "phi": [0.25, 0.25, 0.875]},
            "at most 1/horizon = 1/2 with one bit, got 0.25 for 1 ones and 0.875 for 2",
        ),
        (
            {"horizon": 2, "phi": [0.25, 0.5, 0.5]},
            "mean of phi over all sequences must be exactly 1/2, got 7/16",
        ),
        (
            {"horizon": 21, "phi": first_bit},
            "horizon must be at most 20 for phi of whole sequences, got 21",
        ),
        (
            {"horizon": 2, "phi": lambda bits: bits[0] * bits[1]},
            r"1/2 with one bit, got 0 for \(1, 0\) and 1 for \(1, 1\)",
        ),
        (
            {"horizon": 2, "phi": lambda bits: 0.25 + bits[0] / 4},
            "must be exactly 1/2, got 3/8",
        ),
        (
            {"horizon": 2, "phi": lambda bits: 2 * bits[1]},
            r"from 0 to 1, got 2 for \(0, 1\)",
        ),
        (
            {"horizon": 2, "phi": lambda _: None},
            r"from 0 to 1, got None for \(0, 0\)",
        ),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^Cover: .*({message})"):
        Cover(**parameters)


def test_stability_is_exact() -> None:
    # A third is no float: both of these miss 1/3 by less than 1e-16.
    assert Cover(3, phi=[0, Fraction(1, 3), Fraction(2, 3), 1]).probability_ == 0
    with pytest.raises(ParameterError, match="at most 1/horizon = 1/3"):
        Cover(3, phi=[0, 1 / 3, 2 / 3, 1])


def test_numbers_that_would_take_a_second_a_round_are_refused() -> None:
    with pytest.raises(ParameterError, match="at most 32,768 for phi of numbers"):
        Cover(2**16, phi=[0.5] * (2**16 + 1))
    long = [Fraction(1, 2) + Fraction(k % 2, 10**9000 + k) for k in range(2**10 + 1)]
    with pytest.raises(ParameterError, match="denominator of at most 261,888 bits"):
        Cover(2**10, phi=long)
