"""The theorems on expert advice: by hand, against plain learners, and what is refused.

The learners are written out here, a few lines each, from the premises alone. Each bound
is held against every prefix of what they suffer, from lots and from adversaries.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import PremiseError
from littlestone.theorems import Number, Theorem
from littlestone.theorems._rounding import exp_bounds, float_down, floor_lg

Array = npt.NDArray[np.float64]
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(2, 7)
LN2, LN3 = math.log(2), math.log(3)


def _holds(value: float, theorem: Theorem, **numbers: Number) -> None:
    """Hold a number, added up in floats, against a bound."""
    bound = theorem.bound(**numbers)
    assert value <= bound + 1e-9 * (1 + abs(bound)), (theorem.id, value, bound)


# By hand -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "numbers", "bound"),
    [
        ("HALV", {"experts": 8}, 3),
        ("HALV", {"experts": 9}, 3),
        ("HALV", {"experts": 1}, 0),
        ("HALV", {"prior": 0.125}, 3),
        ("HALV", {"prior": Fraction(2, 9)}, 2),  # lg 4.5
        # Twice lg 10 rounded down and 1 more, then lg 4.5.
        ("HALV-R", {"best": 2, "prior": Fraction(2, 9), "lightest": 0.1}, 10),
        ("HALV-R", {"best": 0, "experts": 8}, 3),
        ("HALV-R", {"best": 2, "experts": 15}, 3 * 4 - 1),
        ("HALV-LB", {"experts": 8}, 3),
        ("HALV-LB", {"experts": 15}, 3),
        ("WM", {"best": 5, "experts": 16, "beta": 0.5}, 9 / math.log2(4 / 3)),
        ("WM", {"best": 5, "experts": 16}, 9 / math.log2(4 / 3)),
        ("WM", {"best": 5, "prior": 0.0625}, 9 / math.log2(4 / 3)),
        ("WM", {"best": 1, "experts": 1, "beta": 0.25}, 2 * LN2 / math.log(1.6)),
        ("WM-FLOOR", {"best": 5, "experts": 16}, 12 / math.log2(8 / 7)),
        ("WM-FLOOR", {"best": 5, "prior": 0.25}, 10 / math.log2(8 / 7)),
        ("WM-FLOOR-START", {"best": 5, "experts": 16}, 9 / math.log2(8 / 7)),
        ("RWM", {"best": 3, "experts": 4, "epsilon": 0.5}, 10 * LN2),
        (
            "RWM",
            {"best": 10, "prior": 0.5, "epsilon": 0.25},
            4 * math.log(2 / 0.75**10),
        ),
        ("RWM-TUNED", {"best": 100, "experts": 3}, 100 + 20 * math.sqrt(LN3)),
        ("RWM-TUNED", {"best": 7, "experts": 1}, 7),
        ("COVER", {"rounds": 1, "ones": 0}, 0.5),
        ("COVER", {"rounds": 3, "ones": 2}, 1.75),  # E|S_3| = (3 * 2 + 1 * 6)/8
        ("COVER", {"rounds": 4, "ones": 4}, 0.75),
        ("COVER-PHI", {"rounds": 8, "phi": 0.375}, 3),
        ("FTM", {"best": 4}, 9),
        ("FTM", {"best": 4, "ties": 2}, 6),
        ("FTM", {"best": 4, "ties": 7}, 9),
        ("FTM-LB", {"rounds": 7}, 7),
        (
            "EWA",
            {"eta": 0.5, "best": 3.25, "experts": 10},
            (1.625 + math.log(10)) / (1 - math.exp(-0.5)),
        ),
        (
            "EWA",
            {"eta": 0.25, "best": 6, "prior": 0.5, "scale": 4},
            4 * (1.5 + LN2) / (1 - math.exp(-1)),
        ),
        ("EWA-TUNED", {"best": 0, "experts": 3}, LN3),
        ("EWA-TUNED", {"best": 50, "experts": 3}, 50 + LN3 + 10 * math.sqrt(LN3)),
        (
            "EWA-TUNED",
            {"best": 25, "prior": 0.5, "scale": 2},
            25 + 2 * LN2 + 10 * math.sqrt(LN2),
        ),
        ("EWA-T", {"rounds": 200, "experts": 3}, 10 * math.sqrt(LN3)),
        ("EWA-T", {"rounds": 200, "experts": 3, "scale": 3}, 30 * math.sqrt(LN3)),
        ("EWA-T", {"rounds": 80, "experts": 2, "eta": 0.5}, 2 * LN2 + 5),
        ("EWA-T", {"rounds": 80, "prior": 0.5, "eta": 0.5, "scale": 2}, 2 * LN2 + 20),
        ("EWA-XC", {"eta": 0.5, "experts": 3}, 2 * LN3),
        ("EWA-XC", {"eta": 1, "prior": 0.5}, LN2),
        ("AA", {"experts": 3}, LN3),
        ("AA", {"experts": 3, "eta": 2}, LN3 / 2),
        (
            "FS",
            {"eta": 0.5, "share": 0.25, "switches": 2, "rounds": 16, "experts": 3},
            2 * (3 * LN3 + 4 * LN2 + 13 * math.log(4 / 3)) + 1,
        ),
        (
            "FS",
            {
                "eta": 1,
                "share": 0,
                "switches": 0,
                "rounds": 8,
                "experts": 3,
                "scale": 2,
            },
            LN3 + 4,
        ),
        (
            "FS-XC",
            {"eta": 0.5, "share": 1, "switches": 2, "rounds": 3, "experts": 2},
            6 * LN2,
        ),
        ("SLEEP", {"eta": 1, "best": 2, "prior": 0.5}, (2 + LN2) / (1 - math.exp(-1))),
        ("SLEEP-T", {"rounds": 80, "prior": 0.5, "eta": 0.5}, 2 * LN2 + 5),
        ("SLEEP-XC", {"eta": 0.5, "prior": 0.5}, 2 * LN2),
        (
            "ADAHEDGE",
            {"variance": 25, "experts": 3, "scale": 2},
            10 * math.sqrt(LN3) + 8 / 3 * LN3 + 4,
        ),
        (
            "ADAHEDGE",  # ln(1/prior) = 2 ln N
            {"variance": 25, "experts": 3, "prior": Fraction(1, 9)},
            15 * math.sqrt(LN3) + 2 * LN3 + 3,
        ),
        ("ADAHEDGE", {"variance": 0, "experts": 1}, 2),
        (
            "ADAHEDGE-FIRST",  # 20 * 30 / 50 = 12
            {"best": 30, "lowest": 10, "highest": 60, "experts": 3, "scale": 3},
            12 * math.sqrt(LN3) + 16 * LN3 + 6,
        ),
        (
            "ADAHEDGE-FIRST",
            {"best": 3, "lowest": 3, "highest": 3, "experts": 1},
            2,
        ),
        (
            "ML-POLY",
            {"squares": 7, "rounds": 8, "experts": 2, "scale": 3},
            math.sqrt(16 * 2 * (1 + math.log(9))),
        ),
        (
            "ML-POLY",
            {"squares": 7, "rounds": 8, "prior": 0.125, "scale": 3, "first": 1},
            math.sqrt(16 * 8 * (1 + 7.06 * LN3)),
        ),
        ("ML-PROD", {"squares": 7, "rounds": 8, "experts": 1}, 0),
        (
            "ML-PROD",  # F = sqrt(1 + 8)
            {"squares": 7, "rounds": 8, "experts": 3, "jumps": 2},
            math.sqrt(8 / LN3) * (LN3 + 3 * math.log(1.5) + math.log(1 + LN3))
            + 2 * math.sqrt(8 * LN3),
        ),
        (
            "ML-PROD",  # 2 E and F = 2 E sqrt(ln 3)
            {"squares": 16, "rounds": 1, "experts": 3, "scale": 4},
            8 * (LN3 + math.log(1.5) + math.log(1 + math.log(8 * math.sqrt(LN3))))
            + 2 * math.sqrt(17 * LN3),
        ),
        (
            "BOA",
            {"squares": 55, "growth": 9, "experts": 4, "jumps": 1},
            11 * (2 * LN2 + 2 * math.log(1.675) + math.log(1 + LN3)) + 10,
        ),
        ("BOA", {"squares": 55, "growth": 1, "prior": 1}, 11 * math.log(1.675) + 10),
    ],
)
def test_numbers_worked_by_hand(
    identifier: str, numbers: dict[str, Number], bound: float
) -> None:
    found = theorems.get(identifier).bound(**numbers)
    assert found == pytest.approx(bound, rel=1e-14)
    if bound == int(bound):
        assert found == bound


def test_the_published_constants_are_rounded_up() -> None:
    # At beta = 1/2 the factor is 2.4094..., so the 2.4 of a lecture note is no bound.
    assert theorems.WM.bound(best=1, experts=1) == pytest.approx(2.40942083965)
    # (1/epsilon) ln(1/(1 - epsilon)) at 1/2, 1/4, 1/8 and at 1/3.
    for inverse, factor in ((2, 1.39), (4, 1.16), (8, 1.07), (3, 1.2164)):
        found = theorems.RWM.bound(best=1, experts=1, epsilon=Fraction(1, inverse))
        assert found == pytest.approx(factor, abs=0.01)


def test_a_bound_is_never_below_what_it_means() -> None:
    getcontext().prec = 50
    for eta in ("0.001", "0.5", "3", "40"):
        rate, loss = Decimal(eta), Decimal("3.25")
        meant = (rate * loss + Decimal(10).ln()) / (1 - (-rate).exp())
        found = theorems.EWA.bound(eta=Fraction(eta), best=Fraction(13, 4), experts=10)
        assert Decimal(math.nextafter(found, 0)) < meant <= Decimal(found)


def test_a_rate_too_small_or_too_large_for_the_exponential() -> None:
    tiny = Fraction(1, 10**40)
    assert theorems.EWA.bound(eta=tiny, best=1, experts=2) == pytest.approx(LN2 * 1e40)
    assert theorems.EWA.bound(eta=10**9, best=1, experts=1) == math.nextafter(
        1e9, math.inf
    )


def test_priors_stand_in_for_the_number_of_experts() -> None:
    rest: dict[str, dict[str, Number]] = {
        "HALV": {},
        "WM": {"best": 3},
        "WM-FLOOR": {"best": 3},
        "WM-FLOOR-START": {"best": 3},
        "RWM": {"best": 3, "epsilon": 0.5},
        "RWM-TUNED": {"best": 30},
        "EWA": {"best": 3, "eta": 0.5},
        "EWA-TUNED": {"best": 3},
        "EWA-T": {"rounds": 9},
        "EWA-XC": {"eta": 0.5},
        "AA": {},
        "SLEEP": {"best": 3, "eta": 0.5},
        "SLEEP-T": {"rounds": 9},
        "SLEEP-XC": {"eta": 0.5},
        "ML-POLY": {"squares": 3, "rounds": 9},
        "BOA": {"squares": 3, "growth": 9},
    }
    for identifier, numbers in rest.items():
        theorem = theorems.get(identifier)
        equal = theorem.bound(**numbers, experts=5)
        assert theorem.bound(**numbers, prior=Fraction(1, 5)) == equal
        assert theorem.bound(**numbers, prior=Fraction(1, 50)) > equal
        for neither_nor in ({}, {"experts": 5, "prior": 0.2}):
            with pytest.raises(PremiseError, match="either experts or prior must be"):
                theorem.bound(**numbers, **neither_nor)
        with pytest.raises(PremiseError, match=r"prior must lie in \(0, 1\], got 0"):
            theorem.bound(**numbers, prior=0)
    adahedge = theorems.ADAHEDGE
    assert adahedge.bound(variance=3, experts=5, prior=Fraction(1, 5)) == pytest.approx(
        adahedge.bound(variance=3, experts=5)
    )


def test_only_the_lower_bounds_are_marked_so() -> None:
    lower = {theorem.id for theorem in theorems.all() if theorem.lower}
    assert lower == {t.id for t in theorems.all() if t.id.endswith("-LB")}
    for theorem in theorems.all():
        assert ("at least" in theorem.statement) == theorem.lower


# Rounding ----------------------------------------------------------------------------


@given(st.fractions(-(10**5), 0))
def test_exponentials_are_enclosed(number: Fraction) -> None:
    getcontext().prec = 80
    quotient = Decimal(number.numerator) / Decimal(number.denominator)
    low, high = exp_bounds(number)
    assert low <= Fraction(quotient.exp()) <= high
    assert high - low <= high / 10**50


def test_an_exponential_far_down_is_nearly_0() -> None:
    assert exp_bounds(Fraction(0)) == (Fraction(1), Fraction(1))
    low, high = exp_bounds(Fraction(-(10**30)))
    assert low == 0 < high < Fraction(1, 10**1000)


@given(st.fractions(-(10**6), 10**6))
def test_floats_are_rounded_down_to_the_next(number: Fraction) -> None:
    down = float_down(number)
    assert Fraction(down) <= number < Fraction(math.nextafter(down, math.inf))


def test_a_lower_bound_too_large_for_a_float_is_finite() -> None:
    assert theorems.FTM_LB.bound(rounds=10**400) == math.nextafter(math.inf, 0)


@given(st.fractions(1, 10**6))
def test_the_whole_logarithm_to_the_base_2(number: Fraction) -> None:
    assert 2 ** floor_lg(number) <= number < 2 ** (floor_lg(number) + 1)


# Votes -------------------------------------------------------------------------------


def _priors(rng: np.random.Generator, n: int) -> list[Fraction]:
    """Draw shares that add up to 1, some of them small."""
    parts = [int(part) for part in rng.integers(1, 50, n) ** 2]
    return [Fraction(part, sum(parts)) for part in parts]


def _advice(
    rng: np.random.Generator, rounds: int, n: int
) -> Iterator[tuple[list[int], float]]:
    """Draw votes, split somehow, and how willing the label is to hurt."""
    malice = rng.choice([0.0, 0.7, 1.0])
    for _ in range(rounds):
        yes = rng.choice([0.5, 0.5, rng.random()])
        yield [int(vote) for vote in rng.random(n) < yes], malice


@given(seeds, sizes)
def test_halving_errs_at_most_lg_n_times(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    priors, left, mistakes = _priors(rng, n), set(range(n)), 0
    for votes, malice in _advice(rng, 30, n):
        yes = sum(priors[i] for i in left if votes[i])
        said = int(2 * yes >= sum(priors[i] for i in left))
        labels = {votes[i] for i in left}  # so that one expert stays right
        label = 1 - said if 1 - said in labels and rng.random() < malice else said
        if label not in labels:
            label = 1 - label
        mistakes += said != label
        left = {i for i in left if votes[i] == label}
        for i in left:
            assert mistakes <= theorems.HALV.bound(prior=priors[i])


@given(seeds, sizes)
def test_halving_again_and_again(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    left, wrong, mistakes = set(range(n)), [0] * n, 0
    for votes, malice in _advice(rng, 60, n):
        said = int(2 * sum(votes[i] for i in left) >= len(left))
        label = 1 - said if rng.random() < malice else int(rng.integers(2))
        mistakes += said != label
        left = {i for i in left if votes[i] == label} or set(range(n))
        wrong = [w + (vote != label) for w, vote in zip(wrong, votes, strict=True)]
        assert mistakes <= theorems.HALV_R.bound(best=min(wrong), experts=n)


@pytest.mark.parametrize(("passes", "lg"), [(0, 3), (1, 1), (4, 2), (3, 4)])
def test_halving_again_and_again_is_attained(passes: int, lg: int) -> None:
    # The label is always 0. Half of those left say 1, then the last one alone: the vote
    # is 1, and who was dropped before is right.
    n, mistakes, wrong = 2**lg, 0, [0] * 2**lg
    for turn in range(passes + 1):
        left = list(range(n))
        while left and not (turn == passes and len(left) == 1):
            against = left[: max(1, len(left) // 2)]
            assert 2 * len(against) >= len(left)
            mistakes += 1
            for i in against:
                wrong[i] += 1
            left = left[len(against) :]
    assert mistakes == theorems.HALV_R.bound(best=min(wrong), experts=n)


@pytest.mark.parametrize("lg", [0, 1, 3, 5])
def test_no_learner_errs_less_than_lg_n_times(lg: int) -> None:
    n = 2**lg
    for learner in (lambda _: 1, lambda votes: votes[0], lambda v: 2 * sum(v) >= n):
        left, mistakes = set(range(n)), 0
        for t in range(lg):
            votes = [i >> t & 1 for i in range(n)]
            label = 1 - int(learner(votes))
            mistakes += 1
            left = {i for i in left if votes[i] == label}
        assert len(left) == 1
        assert mistakes == theorems.HALV_LB.bound(experts=n)
        assert mistakes == theorems.HALV.bound(experts=n)


@given(seeds, sizes, st.sampled_from([0.05, 0.5, 0.9]), st.booleans())
def test_weighted_majority(seed: int, n: int, beta: float, conservative: bool) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    weights, wrong, mistakes = list(priors), [0] * n, 0
    for votes, malice in _advice(rng, 40, n):
        said = int(2 * sum(w for w, v in zip(weights, votes, strict=True) if v)
                   >= sum(weights))  # fmt: skip
        label = 1 - said if rng.random() < malice else int(rng.integers(2))
        mistakes += said != label
        if said != label or not conservative:
            for i in range(n):
                if votes[i] != label:
                    weights[i] *= Fraction(beta)
                    wrong[i] += 1
        for i in range(n):
            _holds(mistakes, theorems.WM, best=wrong[i], prior=priors[i], beta=beta)


def test_weighted_majority_is_nearly_attained() -> None:
    # Two experts who never agree, the label against the heavier one.
    weights, wrong, mistakes, beta = [1.0, 1.0], [0, 0], 0, 0.99
    for _ in range(5000):
        i = int(weights[1] > weights[0])
        weights[i] *= beta
        wrong[i] += 1
        mistakes += 1
    bound = theorems.WM.bound(best=min(wrong), experts=2, beta=beta)
    assert 0.97 * bound < mistakes <= bound


@given(seeds, sizes)
def test_weighted_majority_with_a_floor(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    weights, wrong, mistakes = list(priors), [[0] * n], [0]
    for votes, malice in _advice(rng, 40, n):
        total = sum(weights)
        yes = sum(w for w, vote in zip(weights, votes, strict=True) if vote)
        said = int(2 * yes >= total)
        label = 1 - said if rng.random() < malice else int(rng.integers(2))
        mistakes.append(mistakes[-1] + (said != label))
        wrong.append([w + (v != label) for w, v in zip(wrong[-1], votes, strict=True)])
        for i in range(n):
            if votes[i] != label and weights[i] >= priors[i] * total / 4:
                weights[i] /= 2
    ends = range(len(mistakes))
    for i in range(n):
        caps = [theorems.WM_FLOOR.bound(best=m, prior=priors[i]) for m in ends]
        from_start = theorems.WM_FLOOR_START
        for end in ends:
            _holds(mistakes[end], from_start, best=wrong[end][i], prior=priors[i])
            for begin in range(end):
                suffered = mistakes[end] - mistakes[begin]
                assert suffered <= caps[wrong[end][i] - wrong[begin][i]]


@given(seeds, sizes, st.sampled_from([0.05, 0.3, 0.9]))
def test_randomized_weighted_majority(seed: int, n: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    for expected, wrong in _randomized(rng, priors, epsilon, 40):
        for i in range(n):
            numbers: dict[str, Number] = {
                "best": int(wrong[i]),
                "prior": priors[i],
                "epsilon": epsilon,
            }
            _holds(expected, theorems.RWM, **numbers)


@given(seeds, sizes, st.integers(0, 60))
def test_randomized_weighted_majority_tuned(seed: int, n: int, extra: int) -> None:
    rng = np.random.default_rng(seed)
    best = math.ceil(4 * math.log(n)) + extra
    epsilon = math.sqrt(math.log(n) / best)
    for expected, wrong in _randomized(rng, [Fraction(1, n)] * n, epsilon, 120):
        if wrong.min() <= best:
            _holds(expected, theorems.RWM_TUNED, best=best, experts=n)


def _randomized(
    rng: np.random.Generator, priors: list[Fraction], epsilon: float, rounds: int
) -> Iterator[tuple[float, Array]]:
    """Play the randomized weighted majority: chances of mistakes, and the experts'."""
    weights, wrong = np.array(priors, float), np.zeros(len(priors))
    expected = 0.0
    for votes, malice in _advice(rng, rounds, len(priors)):
        chance = float(weights @ votes / weights.sum())  # of saying 1
        label = int(chance < 0.5) if rng.random() < malice else int(rng.integers(2))
        expected += 1 - chance if label else chance
        err = np.array(votes) != label
        weights, wrong = weights * (1 - epsilon * err), wrong + err
        weights /= weights.sum()
        yield expected, wrong


# Sequences ---------------------------------------------------------------------------


def _expected(phi: dict[tuple[int, ...], Fraction], n: int) -> None:
    """Hold the mistakes of the learner of COVER-PHI against n phi, on all sequences."""
    means = dict(phi)
    for length in range(n - 1, -1, -1):
        for y in itertools.product((0, 1), repeat=length):
            means[y] = (means[(*y, 0)] + means[(*y, 1)]) / 2
    assert means[()] == Fraction(1, 2)
    for y in itertools.product((0, 1), repeat=n):
        mistakes = Fraction(0)
        for t in range(n):
            says_1 = Fraction(1, 2)
            says_1 += n * (means[(*y[:t], 0)] - means[(*y[:t], 1)]) / 2
            assert 0 <= says_1 <= 1
            mistakes += 1 - says_1 if y[t] else says_1
        assert mistakes == theorems.COVER_PHI.formula(rounds=n, phi=phi[y])


def _sum(numbers: Iterator[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0))


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_cover_attains_every_stable_phi(n: int) -> None:
    everything = list(itertools.product((0, 1), repeat=n))
    half = Fraction(1, 2)
    slopes = [Fraction((-1) ** i, i + 1) for i in range(n)]
    _expected(
        {
            y: half + _sum(c * (b - half) for c, b in zip(slopes, y, strict=True)) / n
            for y in everything
        },
        n,
    )
    switches = {y: sum(a != b for a, b in itertools.pairwise(y)) for y in everything}
    _expected(
        {y: half + (s - half * (n - 1)) / (2 * n) for y, s in switches.items()}, n
    )
    cover = {y: theorems.COVER.formula(rounds=n, ones=sum(y)) / n for y in everything}
    _expected(cover, n)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 10])
def test_cover_is_exact_on_every_sequence(n: int) -> None:
    chance = {}
    for t, ones in itertools.product(range(1, n + 1), range(n)):
        # Twice the chance that k + B beats n/2, the first k ones known, a draw half.
        rest = n - t
        ways = [math.comb(rest, b) for b in range(rest + 1)]
        above = sum(w for b, w in enumerate(ways) if 2 * (ones + b) >= n)
        below = sum(w for b, w in enumerate(ways) if 2 * (ones + b) <= n - 2)
        chance[t, ones] = Fraction(1, 2) + Fraction(above - below, 2 * 2**rest)
    for y in itertools.product((0, 1), repeat=n):
        mistakes, ones = Fraction(0), 0
        for t in range(1, n + 1):
            mistakes += 1 - chance[t, ones] if y[t - 1] else chance[t, ones]
            ones += y[t - 1]
        assert mistakes == theorems.COVER.formula(rounds=n, ones=ones)


def test_the_constant_of_cover() -> None:
    for n in (1, 2, 5, 12):
        walks = itertools.product((-1, 1), repeat=n)
        mean = Fraction(sum(abs(sum(walk)) for walk in walks), 2**n)
        assert theorems.COVER.formula(rounds=n, ones=0) == mean / 2
        constant = float(mean) / (2 * math.sqrt(n))
        assert theorems.cover_constant(n) == pytest.approx(constant, rel=1e-15)
    assert theorems.cover_constant(1) == 0.5
    assert theorems.cover_constant(10**5) == pytest.approx(0.3989413, abs=2e-7)


def test_following_the_majority_on_every_sequence() -> None:
    attained = set()
    for n in range(12):
        for y in itertools.product((0, 1), repeat=n):
            lead = mistakes = ties = at_ties = 0
            for label in y:
                wrong = (lead >= 0) != label
                mistakes += wrong
                ties += lead == 0
                at_ties += wrong and lead == 0
                lead += 2 * label - 1
            best = min(sum(y), n - sum(y))
            assert mistakes == best + at_ties
            assert mistakes <= theorems.FTM.bound(best=best, ties=ties)
            if mistakes == theorems.FTM.bound(best=best):
                attained.add(best)
    assert attained == set(range(6))


@pytest.mark.parametrize("n", [0, 1, 2, 9, 50])
def test_following_the_majority_errs_always_when_labels_alternate(n: int) -> None:
    lead = mistakes = 0
    for t in range(n):
        mistakes += (lead >= 0) != t % 2
        lead += 2 * (t % 2) - 1
    assert mistakes == theorems.FTM_LB.bound(rounds=n) == n
    assert mistakes <= theorems.FTM.bound(best=n // 2) <= n + 1


# Exponential weights -----------------------------------------------------------------

Adversary = Callable[[Array], Array]
ADVERSARIES = ("uniform", "bits", "leader", "heavy half", "good one", "turns", "rare")
adversaries = st.sampled_from(ADVERSARIES)


def _losses(kind: str, rng: np.random.Generator, n: int) -> Adversary:
    """Make an adversary: from the weights to the losses of the experts, in [0, 1]."""
    rounds = itertools.count()
    good = int(rng.integers(n))

    def losses(weights: Array) -> Array:
        everyone, t = np.arange(n), next(rounds)
        choices: dict[str, Callable[[], npt.NDArray[np.generic]]] = {
            "uniform": lambda: rng.random(n),
            "bits": lambda: rng.integers(0, 2, n),
            "leader": lambda: everyone == weights.argmax(),
            "heavy half": lambda: weights >= np.median(weights),
            "good one": lambda: (everyone != good) * rng.random(n),
            "turns": lambda: everyone != t // 7 % n,  # each in turn is the good one
            "rare": lambda: rng.random(n) < 0.1,
        }
        return choices[kind]().astype(float)

    return losses


def _weights(priors: Array, exponent: Array) -> Array:
    weights = priors * np.exp(exponent - exponent.max())
    return np.asarray(weights / weights.sum())


@given(seeds, sizes, adversaries, st.sampled_from([0.01, 0.3, 2, 20]))
def test_exponential_weights(seed: int, n: int, kind: str, eta: float) -> None:
    rng = np.random.default_rng(seed)
    priors, scale = _priors(rng, n), float(rng.choice([1, 0.25, 7]))
    suffer = _losses(kind, rng, n)
    own, sums = 0.0, np.zeros(n)
    for t in range(40):
        weights = _weights(np.array(priors, float), -eta * sums)
        losses = scale * suffer(weights)
        own, sums = own + float(weights @ losses), sums + losses
        for i in range(n):
            numbers: dict[str, Number] = {
                "eta": eta,
                "prior": priors[i],
                "scale": scale,
            }
            _holds(own, theorems.EWA, best=sums[i], **numbers)
            _holds(own - sums[i], theorems.EWA_T, rounds=t + 1, **numbers)


@given(seeds, sizes, adversaries, st.sampled_from([0.5, 4, 30]))
def test_exponential_weights_tuned(seed: int, n: int, kind: str, best: float) -> None:
    rng = np.random.default_rng(seed)
    scale = float(rng.choice([1, 0.25, 7]))
    suffer = _losses(kind, rng, n)
    eta = math.log(1 + math.sqrt(2 * scale * math.log(n) / best)) / scale
    own, sums = 0.0, np.zeros(n)
    for _ in range(80):
        weights = _weights(np.ones(n), -eta * sums)
        losses = scale * suffer(weights)
        own, sums = own + float(weights @ losses), sums + losses
        if sums.min() <= best:
            _holds(own, theorems.EWA_TUNED, best=best, experts=n, scale=scale)


def test_exponential_weights_are_nearly_attained_by_lots() -> None:
    n, rounds, rng = 2000, 8000, np.random.default_rng(1)
    eta = math.sqrt(8 * math.log(n) / rounds)
    own, sums = 0.0, np.zeros(n)
    for _ in range(rounds):
        weights = _weights(np.ones(n), -eta * sums)
        losses = rng.integers(0, 2, n).astype(float)
        own, sums = own + float(weights @ losses), sums + losses
    bound = theorems.EWA_T.bound(rounds=rounds, experts=n)
    assert 0.8 * bound < own - sums.min() <= bound


def test_exponential_weights_nearly_attain_the_bound_without_a_perfect_expert() -> None:
    # The heavier of two suffers: the loss, 1/2 and more a round, is nearly the bound.
    eta, own, sums = 0.02, 0.0, np.zeros(2)
    for _ in range(20000):
        weights = _weights(np.ones(2), -eta * sums)
        losses = (np.arange(2) == weights.argmax()).astype(float)
        own, sums = own + float(weights @ losses), sums + losses
    bound = theorems.EWA.bound(eta=eta, best=sums.min(), experts=2)
    assert 0.99 * bound < own <= bound


def _square(prediction: Array, outcome: float) -> Array:
    return (prediction - outcome) ** 2


def _log(prediction: Array, outcome: float) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log(prediction if outcome else 1 - prediction))


def _worst(rng: np.random.Generator, said: float, advice: Array, good: int) -> int:
    """Choose the outcome that hurts the learner, and the good expert less."""
    if rng.random() < 0.2:
        return int(rng.integers(2))
    return int(
        (said - 0) ** 2 - advice[good] ** 2 < (said - 1) ** 2 - (advice[good] - 1) ** 2
    )


@given(seeds, sizes, st.sampled_from([("square", 0.5), ("log", 1.0)]))
def test_exponential_weights_for_curved_losses(
    seed: int, n: int, loss: tuple[str, float]
) -> None:
    rng = np.random.default_rng(seed)
    priors, eta = _priors(rng, n), loss[1]
    value = _square if loss[0] == "square" else _log
    own, sums, good = 0.0, np.zeros(n), int(rng.integers(n))
    for _ in range(40):
        weights = _weights(np.array(priors, float), -eta * sums)
        advice = rng.choice([rng.random(n), rng.integers(0, 2, n) * 0.9998 + 0.0001])
        said = float(weights @ advice)
        y = _worst(rng, said, advice, good)
        own, sums = own + float(value(np.array(said), y)), sums + value(advice, y)
        for i in range(n):
            _holds(own - sums[i], theorems.EWA_XC, eta=eta, prior=priors[i])


def test_curved_losses_attain_the_bound() -> None:
    # All but one say the wrong outcome for sure: the log loss is ln N, his is 0.
    n = 8
    regret = float(_log(np.full(n, 1 / n) @ np.eye(n)[0:1].T, 1)[0])
    assert regret == pytest.approx(theorems.EWA_XC.bound(eta=1, experts=n))
    assert regret == pytest.approx(theorems.AA.bound(experts=n))


def test_a_rate_too_large_for_the_curve_breaks_the_bound() -> None:
    # The premise is needed: all but one say 1, the outcome is always 0.
    advice, regrets = np.arange(100) > 0, []
    for eta in (3, 0.5):
        sums, own = np.zeros(100), 0.0
        for _ in range(9):
            own += float(_weights(np.ones(100), -eta * sums) @ advice) ** 2
            sums += advice
        regrets.append(own)
    assert regrets[0] > 1.1 * theorems.EWA_XC.bound(eta=3, experts=100)
    assert regrets[1] <= theorems.EWA_XC.bound(eta=0.5, experts=100)


def _brier(prediction: Array, outcome: int) -> Array:
    """Return the Brier losses of distributions, along the last axis."""
    target = np.eye(prediction.shape[-1])[outcome]
    return np.asarray(((prediction - target) ** 2).sum(-1))


def _substitute(generalised: Array) -> Array:
    """Return the distribution whose Brier losses are at most these, shifted alike."""
    low, high = generalised.min(), generalised.max() + 2
    for _ in range(100):
        middle = (low + high) / 2
        if np.maximum(middle - generalised, 0).sum() < 2:
            low = middle
        else:
            high = middle
    return np.asarray(np.maximum(high - generalised, 0) / 2)


@given(seeds, sizes, st.integers(2, 4), st.sampled_from(["aa", "average"]))
def test_the_brier_game(seed: int, n: int, k: int, way: str) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    eta, theorem = (1.0, theorems.AA) if way == "aa" else (0.25, theorems.EWA_XC)
    own, sums, good = 0.0, np.zeros(n), int(rng.integers(n))
    for _ in range(30):
        weights = _weights(np.array(priors, float), -eta * sums)
        advice = rng.dirichlet(np.full(k, rng.choice([0.1, 1])), n)
        if way == "aa":
            mixed = [-math.log(weights @ np.exp(-_brier(advice, y))) for y in range(k)]
            said = _substitute(np.array(mixed))
            assert all(_brier(said, y) <= mixed[y] + 1e-9 for y in range(k))
        else:
            said = weights @ advice
        harm = [float(_brier(said, y) - _brier(advice[good], y)) for y in range(k)]
        y = int(np.argmax(harm)) if rng.random() < 0.8 else int(rng.integers(k))
        own, sums = own + float(_brier(said, y)), sums + _brier(advice, y)
        for i in range(n):
            _holds(own - sums[i], theorem, eta=eta, prior=priors[i])


@given(seeds, sizes)
def test_the_aggregating_algorithm_for_the_square_loss(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    own, sums, good = 0.0, np.zeros(n), int(rng.integers(n))
    for _ in range(40):
        weights = _weights(np.ones(n), -2 * sums)
        advice = rng.choice([rng.random(n), rng.integers(0, 2, n).astype(float)])
        low, high = (
            -math.log(weights @ np.exp(-2 * _square(advice, y))) / 2 for y in (0, 1)
        )
        said = min(max((1 + low - high) / 2, 0.0), 1.0)
        y = _worst(rng, said, advice, good)
        own, sums = own + (said - y) ** 2, sums + _square(advice, y)
        _holds(own - sums.min(), theorems.AA, eta=2, experts=n)


# Switching and sleeping experts ------------------------------------------------------


def _best_with_switches(losses: Array, most: int) -> Array:
    """Return the smallest loss of a sequence of experts, for 0, 1, .. most switches."""
    costs = np.full((most + 1, losses.shape[1]), np.inf)
    costs[0] = losses[0]
    for row in losses[1:]:
        # From another expert, whichever it is: the best one is no worse than that.
        moved = np.vstack([np.full(losses.shape[1], np.inf), costs.min(1)[:-1, None]
                           .repeat(losses.shape[1], 1)])  # fmt: skip
        costs = np.minimum(costs, moved) + row
    return np.asarray(costs.min(1))


@given(
    seeds,
    sizes,
    adversaries,
    st.sampled_from([0.05, 0.5, 3]),
    st.sampled_from([0.001, 0.05, 0.4]),
    st.booleans(),
)
def test_fixed_share(  # noqa: PLR0917 - hypothesis hands them in by position
    seed: int, n: int, kind: str, eta: float, share: float, others: bool
) -> None:
    rng = np.random.default_rng(seed)
    suffer, weights, own = _losses(kind, rng, n), np.full(n, 1 / n), 0.0
    played: list[Array] = []
    for t in range(36):
        losses = suffer(weights)
        played.append(losses)
        own += float(weights @ losses)
        weights = _weights(weights, -eta * losses)
        given_away = share * ((1 - weights) / (n - 1) if others else 1 / n)
        weights = (1 - share) * weights + given_away
        best = _best_with_switches(np.array(played), min(t, 5))
        for switches, loss in enumerate(best):
            _holds(
                own - loss,
                theorems.FS,
                eta=eta,
                share=share,
                switches=switches,
                rounds=t + 1,
                experts=n,
            )


@given(seeds, sizes, st.sampled_from([0.001, 0.05, 0.4]))
def test_fixed_share_for_the_square_loss(seed: int, n: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    weights, own = np.full(n, 1 / n), 0.0
    played: list[Array] = []
    for t in range(36):
        advice = rng.integers(0, 2, n).astype(float)
        said = float(weights @ advice)
        y = _worst(rng, said, advice, t // 9 % n)
        played.append(_square(advice, y))
        own += (said - y) ** 2
        weights = (1 - share) * _weights(weights, -played[-1] / 2) + share / n
        for switches, loss in enumerate(
            _best_with_switches(np.array(played), min(t, 5))
        ):
            numbers: dict[str, Number] = {
                "switches": switches,
                "rounds": t + 1,
                "experts": n,
            }
            _holds(own - loss, theorems.FS_XC, eta=0.5, share=share, **numbers)


def _awake(rng: np.random.Generator, n: int) -> npt.NDArray[np.bool_]:
    """Draw who is awake, at least one."""
    awake = np.asarray(rng.random(n) < rng.choice([0.3, 0.7, 1]))
    awake[rng.integers(n)] = True
    return awake


@given(seeds, sizes, adversaries, st.sampled_from([0.05, 0.5, 3]))
def test_sleeping_experts(seed: int, n: int, kind: str, eta: float) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    suffer, weights = _losses(kind, rng, n), np.array(priors, float)
    own, sums, rounds = np.zeros(n), np.zeros(n), np.zeros(n)
    for _ in range(40):
        awake = _awake(rng, n)
        among = awake * weights / (awake @ weights)
        losses = suffer(among)
        loss = float(among @ losses)
        mixed = float(among @ np.exp(-eta * losses))
        weights = np.where(awake, weights * np.exp(-eta * losses) / mixed, weights)
        own, sums = own + awake * loss, sums + awake * losses
        rounds += awake
        for i in range(n):
            numbers: dict[str, Number] = {"prior": priors[i], "eta": eta}
            _holds(own[i], theorems.SLEEP, best=sums[i], **numbers)
            regret = own[i] - sums[i]
            _holds(regret, theorems.SLEEP_T, rounds=int(rounds[i]), **numbers)


@given(seeds, sizes, adversaries, st.sampled_from([0.05, 0.5, 3]))
def test_sleeping_experts_charged_what_the_learner_loses(
    seed: int, n: int, kind: str, eta: float
) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    suffer, regrets = _losses(kind, rng, n), np.zeros(n)
    for t in range(40):
        awake = _awake(rng, n)
        among = awake * _weights(np.array(priors, float), eta * regrets)
        among /= among.sum()
        losses = suffer(among)
        regrets += awake * (among @ losses - losses)
        for i in range(n):
            numbers: dict[str, Number] = {
                "prior": priors[i],
                "eta": eta,
                "rounds": t + 1,
            }
            _holds(regrets[i], theorems.SLEEP_T, **numbers)


@given(seeds, sizes, st.booleans())
def test_sleeping_experts_and_a_curved_loss(seed: int, n: int, mix: bool) -> None:
    rng = np.random.default_rng(seed)
    priors, eta = _priors(rng, n), 0.5
    weights, regrets, good = np.array(priors, float), np.zeros(n), int(rng.integers(n))
    for _ in range(40):
        awake = _awake(rng, n)
        among = awake * weights / (awake @ weights)
        advice = rng.integers(0, 2, n).astype(float)
        said = float(among @ advice)
        y = _worst(rng, said, advice, good)
        losses = _square(advice, y)
        charged = -math.log(among @ np.exp(-eta * losses)) / eta
        if not mix:
            charged = (said - y) ** 2
        weights = np.where(awake, weights * np.exp(eta * (charged - losses)), weights)
        regrets += awake * ((said - y) ** 2 - losses)
        for i in range(n):
            _holds(regrets[i], theorems.SLEEP_XC, eta=eta, prior=priors[i])


@given(seeds, sizes, st.sampled_from([0.05, 0.5, 0.9]), st.booleans())
def test_sleeping_voters(seed: int, n: int, beta: float, lots: bool) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    weights, wrong, own = np.array(priors, float), np.zeros(n), np.zeros(n)
    for votes, malice in _advice(rng, 40, n):
        awake = _awake(rng, n)
        among = awake * weights / (awake @ weights)
        yes = float(among @ votes)
        said = int(yes >= 0.5)
        label = 1 - said if rng.random() < malice else int(rng.integers(2))
        err = awake & (np.array(votes) != label)
        share = float(among @ err)
        own += awake * (share if lots else float(said != label))
        wrong += err
        left = 1 - (1 - beta) * share  # of the weight of those awake
        weights = np.where(awake, weights * np.where(err, beta, 1) / left, weights)
        for i in range(n):
            numbers: dict[str, Number] = {"best": int(wrong[i]), "prior": priors[i]}
            if lots:
                _holds(own[i], theorems.RWM, epsilon=1 - beta, **numbers)
            else:
                _holds(own[i], theorems.WM, beta=beta, **numbers)


@given(seeds, adversaries, st.sampled_from([0.05, 0.5, 3]))
def test_experts_who_join_late(seed: int, kind: str, eta: float) -> None:
    # A newcomer gets a share of all weight, and its prior is that share; what is left
    # of the others' shares is theirs.
    rng = np.random.default_rng(seed)
    n, here = 6, 2
    suffer, weights = _losses(kind, rng, n), np.zeros(n)
    weights[:here] = 1 / here
    priors, own, sums = weights.copy(), np.zeros(n), np.zeros(n)
    for t in range(48):
        if t % 8 == 7 and here < n:
            share = float(rng.choice([0.5, 0.1, 0.01]))
            weights, priors = weights * (1 - share), priors * (1 - share)
            weights[here] = priors[here] = share
            here += 1
        losses = suffer(weights)
        joined = np.arange(n) < here
        own, sums = own + joined * (weights @ losses), sums + joined * losses
        weights = weights * np.exp(-eta * losses)
        weights /= weights.sum()
        for i in range(here):
            _holds(own[i], theorems.SLEEP, best=sums[i], prior=priors[i], eta=eta)


# Rates of their own ------------------------------------------------------------------


@given(seeds, sizes, adversaries, st.booleans(), st.booleans())
def test_adahedge(seed: int, n: int, kind: str, sleepy: bool, unequal: bool) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n) if unequal else [Fraction(1, n)] * n
    start, scale = np.array(priors, float), float(rng.choice([1, 0.25, 7]))
    suffer = _losses(kind, rng, n)
    charged, regrets = np.zeros(n), np.zeros(n)
    gaps = variance = widest = lowest = highest = 0.0
    sums = np.zeros(n)
    for _ in range(60):
        awake = _awake(rng, n) if sleepy else np.ones(n, bool)
        among = start * awake * _adahedge_weights(charged, awake, n, gaps)
        among /= among.sum()
        losses = scale * suffer(among) * (10.0 ** rng.integers(-2, 1))
        losses += rng.normal()  # only differences matter
        mean = float(among @ losses)
        mixed = _mix(losses, charged, start * awake, n, gaps)
        gaps += max(mean - mixed, 0.0)
        charged += np.where(awake, losses, mixed)
        regrets += awake * (mean - losses)
        sums += losses
        variance += float(among @ (losses - mean) ** 2)
        inside = losses[awake]
        widest = max(widest, float(np.ptp(inside)))
        lowest, highest = lowest + inside.min(), highest + inside.max()
        for i in range(n):
            numbers: dict[str, Number] = {"variance": variance, "scale": widest}
            if unequal:
                numbers["prior"] = priors[i]
            _holds(regrets[i], theorems.ADAHEDGE, experts=n, **numbers)
        if not sleepy and not unequal:
            _holds(
                regrets.max(),
                theorems.ADAHEDGE_FIRST,
                best=min(max(sums.min(), lowest), highest),
                lowest=lowest,
                highest=highest,
                scale=widest,
                experts=n,
            )


def _adahedge_weights(
    charged: Array, awake: npt.NDArray[np.bool_], n: int, gaps: float
) -> Array:
    behind = np.maximum(charged - charged[awake].min(), 0)  # of no matter if asleep
    if gaps == 0:
        return np.asarray(behind <= 0, float)
    return np.asarray(np.exp(-math.log(n) / gaps * behind))


def _mix(losses: Array, charged: Array, start: Array, n: int, gaps: float) -> float:
    """Return the mix loss of the experts with a share in `start`."""
    here = start > 0
    before, after = charged[here], (charged + losses)[here]
    if gaps == 0:
        return float(after.min() - before.min())
    eta, shares = math.log(n) / gaps, start[here]
    floors = after.min(), before.min()
    top = float(shares @ np.exp(-eta * (after - floors[0])))
    bottom = float(shares @ np.exp(-eta * (before - floors[1])))
    return float(floors[0] - floors[1] - math.log(top / bottom) / eta)


def test_adahedge_is_within_a_factor_of_its_bound() -> None:
    n, rng = 2, np.random.default_rng(3)
    charged, gaps, variance, own = np.zeros(n), 0.0, 0.0, 0.0
    every = np.ones(n, bool)
    for _ in range(4000):
        among = _adahedge_weights(charged, every, n, gaps)
        among /= among.sum()
        losses = np.eye(2)[int(among.argmax()) if among[0] != among[1] else 0]
        losses = losses if rng.random() < 0.98 else np.eye(2)[int(rng.integers(2))]
        mean = float(among @ losses)
        gaps += mean - _mix(losses, charged, np.full(n, 0.5), n, gaps)
        own += mean
        charged += losses
        variance += float(among @ (losses - mean) ** 2)
    bound = theorems.ADAHEDGE.bound(variance=variance, experts=n)
    assert 0.4 * bound < own - charged.min() <= bound


SCALES = ("steady", "growing", "wild", "one spike")


def _regrets(
    rng: np.random.Generator, n: int, kind: str, scales: str, rounds: int
) -> Iterator[Adversary]:
    """Make adversaries of changing scale: from all weights to the regrets r."""
    suffer = _losses(kind, rng, n)
    unit = 10.0 ** rng.integers(-3, 4)
    for t in range(rounds):
        scale = (
            unit
            * {
                "steady": 1.0,
                "growing": 1.3**t,
                "wild": 10.0 ** rng.uniform(-3, 3),
                "one spike": 1000.0 if t == rounds // 2 else 1.0,
            }[scales]
        )
        awake = _awake(rng, n) if rng.random() < 0.5 else np.ones(n, bool)

        def regrets(
            weights: Array,
            scale: float = scale,
            awake: npt.NDArray[np.bool_] = awake,
        ) -> Array:
            among = weights * awake
            among = among / among.sum() if among.sum() > 0 else awake / awake.sum()
            losses = scale * suffer(among)
            return np.asarray(awake * (among @ losses - losses))

        yield regrets


scales = st.sampled_from(SCALES)
# All regrets so far, the sums of their squares, and what else the theorem asks for.
Played = Iterator[tuple[Array, Array, dict[str, Number]]]


def _ml_poly(rounds: Iterator[Adversary], start: Array, scale: float = 0.0) -> Played:
    n = len(start)
    total, squares, largest, first, active = np.zeros(n), np.zeros(n), scale, scale, 0
    for regrets in rounds:
        positive = np.maximum(total, 0)
        weights = np.ones(n)
        if positive.any():
            weights = start * positive / (largest**2 + squares)
        r = regrets(weights)
        total, squares = total + r, squares + r**2
        largest = max(largest, float(abs(r).max()))
        first = first or largest
        active += bool(r.any())
        if largest:
            yield (
                total,
                squares,
                {"scale": largest, "first": first, "rounds": active},
            )


def _ml_prod(rounds: Iterator[Adversary], start: Array) -> Played:
    n = len(start)
    total, squares, largest = np.zeros(n), np.zeros(n), np.zeros(n)
    logs, rates, jumps = np.zeros(n), np.ones(n), 0
    for t, regrets in enumerate(rounds):
        exponent = np.log(rates) + logs
        r = regrets(np.exp(exponent - exponent.max()))
        total, squares = total + r, squares + r**2
        largest = np.maximum(largest, abs(r))
        with np.errstate(divide="ignore"):
            new = np.minimum(1 / (2 * largest), np.sqrt(math.log(n) / (1 + squares)))
        if t:
            jumps += bool((rates * r < -2 / 3).any())
        logs = new / rates * logs + np.log1p(new * r)
        rates = new
        most = float(largest.max())
        yield total, squares, {"rounds": t + 1, "scale": most, "jumps": jumps}


def _boa(rounds: Iterator[Adversary], start: Array) -> Played:
    n = len(start)
    total, squares, tilted = np.zeros(n), np.zeros(n), np.zeros(n)
    first, jumps = np.zeros(n), -1  # the first round with an r counts as none
    for regrets in rounds:
        weights, known = start.copy(), squares > 0
        if known.any():
            eta = 1 / np.sqrt(2.2 * squares[known])
            raw = _weights(start[known] * eta, eta * tilted[known])
            weights[known] = start[known].sum() * raw
        r = regrets(weights)
        new = (first == 0) & (r != 0)
        jump = r < -2 / 3 * np.sqrt(2.2 * squares)
        jumps += bool((new | jump).any())
        first = np.where(new, r**2, first)
        total, squares = total + r, squares + r**2
        known = squares > 0
        tilted[known] += r[known] - r[known] ** 2 / np.sqrt(2.2 * squares[known])
        if known.any():
            growth = max(1.0, float((squares[known] / first[known]).max()))
            yield total, squares, {"growth": growth, "jumps": jumps}


@given(seeds, sizes, adversaries, scales, st.booleans())
def test_ml_poly(seed: int, n: int, kind: str, scale: str, known: bool) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    rounds = _regrets(rng, n, kind, scale, 40)
    start, most = np.array(priors, float), 1e9 if known else 0.0
    for total, squares, rest in _ml_poly(rounds, start, most):
        for i in range(n):
            numbers: dict[str, Number] = {"squares": squares[i], "prior": priors[i]}
            _holds(total[i], theorems.ML_POLY, **numbers, **rest)


@given(seeds, sizes, adversaries, scales)
def test_ml_prod(seed: int, n: int, kind: str, scale: str) -> None:
    rng = np.random.default_rng(seed)
    rounds = _regrets(rng, n, kind, scale, 40)
    for total, squares, rest in _ml_prod(rounds, np.ones(n)):
        for i in range(n):
            numbers: dict[str, Number] = {"squares": squares[i], "experts": n}
            _holds(total[i], theorems.ML_PROD, **numbers, **rest)


@given(seeds, sizes, adversaries, scales)
def test_boa(seed: int, n: int, kind: str, scale: str) -> None:
    rng = np.random.default_rng(seed)
    priors = _priors(rng, n)
    rounds = _regrets(rng, n, kind, scale, 40)
    for total, squares, rest in _boa(rounds, np.array(priors, float)):
        for i in range(n):
            numbers: dict[str, Number] = {"squares": squares[i], "prior": priors[i]}
            _holds(total[i], theorems.BOA, **numbers, **rest)


@pytest.mark.parametrize(
    ("play", "theorem", "n", "good", "fraction"),
    [
        (_ml_poly, theorems.ML_POLY, 2, False, 0.3),
        (_ml_prod, theorems.ML_PROD, 2, False, 0.3),
        (_ml_prod, theorems.ML_PROD, 100, True, 0.35),
        (_boa, theorems.BOA, 2, False, 0.25),
        (_boa, theorems.BOA, 100, True, 0.5),
    ],
)
def test_rates_of_their_own_come_within_a_factor_of_their_bounds(
    play: Callable[[Iterator[Adversary], Array], Played],
    theorem: Theorem,
    n: int,
    good: bool,
    fraction: float,
) -> None:
    # By lots; or by one expert who never loses, while all others always do.
    rng = np.random.default_rng(0)

    def regrets(weights: Array) -> Array:
        losses = np.arange(n) > 0 if good else rng.integers(0, 2, n)
        return np.asarray(weights @ losses / weights.sum() - losses)

    rounds = itertools.repeat(regrets, 3000)
    for total, squares, rest in play(rounds, np.full(n, 1 / n)):  # noqa: B007 - the last
        pass
    i = int(total.argmax())
    bound = theorem.bound(squares=squares[i], experts=n, **rest)
    assert fraction * bound < total[i] <= bound


@given(
    st.floats(1, 50),
    st.floats(-0.6743, 0.6743),
    st.floats(-700, 700),
)
def test_the_lemma_behind_ml_prod_and_boa(ratio: float, x: float, ln_w: float) -> None:
    # w^(1/a) (1 + x) <= w (1 + a x) + ln a, for a x from -2/3 on.
    x = max(x, -2 / (3 * ratio))
    left = math.exp(ln_w / ratio) * (1 + x)
    right = math.exp(ln_w) * (1 + ratio * x) + math.log(ratio)
    assert left <= right + 1e-12 * (1 + abs(left) + abs(right))
    assert math.exp(x - x * x) <= 1 + x + 1e-15


# What is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("identifier", "numbers", "message"),
    [
        ("HALV", {"experts": 0}, "experts must be a whole number above 0, got 0"),
        ("HALV", {"prior": 1.5}, r"prior must lie in \(0, 1\], got 1.5"),
        ("HALV-R", {"best": -1, "experts": 2}, "best must be at least 0, got -1"),
        ("HALV-R", {"best": 0.5, "experts": 2}, "best must be a whole number, got 0.5"),
        ("HALV-LB", {"experts": 2.5}, "experts must be a whole number above 0"),
        ("WM", {"best": 1, "experts": 2, "beta": 1}, "beta must lie between 0 and 1"),
        ("WM", {"best": 1, "experts": 2, "beta": 0}, "beta must lie between 0 and 1"),
        ("WM-FLOOR", {"best": -1, "experts": 2}, "best must be at least 0"),
        ("WM-FLOOR-START", {"best": -1, "experts": 2}, "best must be at least 0"),
        ("RWM", {"best": 1, "experts": 2, "epsilon": 1}, "epsilon must lie between 0"),
        ("RWM-TUNED", {"best": 2, "experts": 2}, "best must be at least 4 ln N"),
        ("COVER", {"rounds": 0, "ones": 0}, "rounds must be a whole number above 0"),
        ("COVER", {"rounds": 2, "ones": 3}, "ones must be at most rounds, got 3 of 2"),
        ("COVER-PHI", {"rounds": 2, "phi": 1.5}, "phi must be at most 1, got 1.5"),
        ("COVER-PHI", {"rounds": 2, "phi": -1}, "phi must be at least 0, got -1"),
        ("FTM", {"best": 0.5}, "best must be a whole number, got 0.5"),
        ("FTM", {"best": 1, "ties": -1}, "ties must be at least 0, got -1"),
        ("FTM-LB", {"rounds": -1}, "rounds must be at least 0, got -1"),
        ("EWA", {"eta": 0, "best": 1, "experts": 2}, "eta must exceed 0, got 0"),
        ("EWA", {"eta": 1, "best": -1, "experts": 2}, "best must be at least 0"),
        ("EWA", {"eta": 1, "best": math.inf, "experts": 2}, "best must be a finite"),
        (
            "EWA",
            {"eta": 1, "best": 1, "experts": 2, "scale": 0},
            "scale must exceed 0, got 0",
        ),
        ("EWA-TUNED", {"best": -1, "experts": 2}, "best must be at least 0, got -1"),
        ("EWA-T", {"rounds": -1, "experts": 2}, "rounds must be at least 0, got -1"),
        ("EWA-T", {"rounds": 1, "experts": 2, "eta": 0}, "eta must exceed 0, got 0"),
        ("EWA-XC", {"eta": 0, "experts": 2}, "eta must exceed 0, got 0"),
        ("AA", {"eta": -1, "experts": 2}, "eta must exceed 0, got -1"),
        (
            "FS",
            {"eta": 1, "share": 0.5, "switches": 3, "rounds": 3, "experts": 2},
            "switches must be below rounds, got 3 in 3",
        ),
        (
            "FS",
            {"eta": 1, "share": 0, "switches": 1, "rounds": 3, "experts": 2},
            "share must exceed 0 if experts switch, got 0",
        ),
        (
            "FS-XC",
            {"eta": 1, "share": 1, "switches": 1, "rounds": 3, "experts": 2},
            "share must be below 1 if experts stay, got 1",
        ),
        (
            "FS-XC",
            {"eta": 1, "share": 1.5, "switches": 1, "rounds": 3, "experts": 2},
            r"share must lie in \[0, 1\], got 1.5",
        ),
        ("SLEEP", {"eta": 0, "best": 1, "prior": 0.5}, "eta must exceed 0, got 0"),
        ("SLEEP-T", {"rounds": 0.5, "prior": 0.5}, "rounds must be a whole number"),
        ("SLEEP-XC", {"eta": 0, "prior": 0.5}, "eta must exceed 0, got 0"),
        ("ADAHEDGE", {"variance": -1, "experts": 2}, "variance must be at least 0"),
        (
            "ADAHEDGE",
            {"variance": 1, "experts": 1, "prior": 0.5},
            "experts must be at least 2 if a prior is given, got 1",
        ),
        (
            "ADAHEDGE-FIRST",
            {"best": 1, "lowest": 2, "highest": 3, "experts": 2},
            "best must lie between lowest and highest, got 1",
        ),
        (
            "ML-POLY",
            {"squares": 1, "rounds": 1, "experts": 2, "first": 2},
            "first must be at most scale, got 2 and 1",
        ),
        (
            "ML-POLY",
            {"squares": 1, "rounds": 1, "experts": 2, "scale": 0},
            "scale must exceed 0, got 0",
        ),
        ("ML-PROD", {"squares": -1, "rounds": 1, "experts": 2}, "squares must be at"),
        (
            "ML-PROD",
            {"squares": 1, "rounds": 1, "experts": 2, "jumps": -1},
            "jumps must be at least 0, got -1",
        ),
        ("BOA", {"squares": 1, "growth": 0.5, "experts": 2}, "growth must be at least"),
        (
            "BOA",
            {"squares": 1, "growth": 1, "experts": 2, "jumps": 0.5},
            "jumps must be a whole number, got 0.5",
        ),
    ],
)
def test_premises_that_cannot_hold(
    identifier: str, numbers: dict[str, Number], message: str
) -> None:
    with pytest.raises(PremiseError, match=message):
        theorems.get(identifier).bound(**numbers)


def test_the_constant_of_cover_needs_rounds() -> None:
    with pytest.raises(PremiseError, match="rounds must be a whole number above 0"):
        theorems.cover_constant(0)
