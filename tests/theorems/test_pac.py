"""PAC sizes are those worked by hand, and the smallest that their criteria allow."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate, permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln

from littlestone import theorems
from littlestone.errors import PremiseError
from littlestone.theorems import sizes
from littlestone.theorems._tails import (
    _PI,
    _chernoff_up,
    at_most_up,
    ln_factorial_bounds,
    upper_limit,
)
from tries import tried

chances = st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=100)


# Numbers worked by hand --------------------------------------------------------------


def test_sizes_worked_by_hand() -> None:
    """Work out the examples of the sheet.

    The logarithms are ln 10 = 2.302585, ln 20 = 2.995732 and ln 2 = 0.693147.

    - 8 concepts, epsilon 1/10, delta 1/10: 10 (ln 8 + ln 10) = 10 ln 80 = 43.82.
    - Decision lists on 3 features: 3! 4^3 = 384 = 2^7 3, and ln 3 = 1.098612, so
      10 (7 * 0.693147 + 1.098612 + 2.302585) = 82.53.
    - Without a target: 2 * 100 (ln 8 + ln 20) = 200 * 5.075174 = 1015.03.
    - 9 mistakes: s = 10 ln(10 * 10) = 46.05, so 47, and 10 * 47 examples at most.
    - Fast, 9 mistakes: max(36, 16 * 2.995732 = 47.93) * 10 = 479.3 to learn from,
      320 ln(2 * 11 * 10) = 320 * (ln 10 + ln 22 = 3.091042) = 1725.96 to choose by.
    - An estimate from 50 examples: sqrt(ln 20 / 100) = 0.173082.
    """
    tenth = {"epsilon": Fraction(1, 10), "delta": Fraction(1, 10)}
    assert math.ceil(theorems.PAC_FINITE.formula(size=8, **tenth)) == 44
    lists = sizes.ln_decision_lists(3)[1]
    assert math.ceil(theorems.PAC_FINITE.formula(log_size=lists, **tenth)) == 83
    assert math.ceil(theorems.PAC_AGNOSTIC.formula(size=8, **tenth)) == 1016
    assert theorems.survival_length(9, **tenth) == 47
    assert theorems.MB2PAC_SURVIVE.bound(mistakes=9, **tenth) == 470
    assert theorems.fast_sizes(9, **tenth, exact=False) == (480, 1726)
    assert theorems.MB2PAC_FAST.bound(mistakes=9, **tenth) == 480 + 1726
    estimate = theorems.EST.bound(examples=50, delta=Fraction(1, 10))
    assert estimate == pytest.approx(0.173082, abs=1e-6)


def test_runs_worked_by_hand() -> None:
    # delta / (1 * 2) = 1/4, and two rounds: 1 - sqrt(1/4).
    half = theorems.MB2PAC_RUN.bound(before=0, survived=2, delta=0.5)
    assert half == pytest.approx(0.5, abs=1e-15)
    assert theorems.MB2PAC_RUN.bound(before=3, survived=0, delta=0.5) == 1
    # 1/4 + sqrt(ln 10 / 200) = 0.25 + 0.107298
    mean = theorems.MB2PAC_MEAN.bound(mistakes=25, rounds=100, delta=0.1)
    assert mean == pytest.approx(0.357298, abs=1e-6)
    assert theorems.MB2PAC_MEAN.bound(mistakes=9, rounds=9, delta=0.1) == 1


@pytest.mark.parametrize(
    ("bounds", "size"),
    [
        (sizes.ln_conjunctions(5), 3**5 + 1),
        (sizes.ln_conjunctions(300), 3**300 + 1),
        (sizes.ln_conjunctions(300, monotone=True), 2**300),
        (sizes.ln_normal_forms(4, 2), 2 ** (8 + 24)),
        (sizes.ln_normal_forms(3, 9), 2**26),  # clauses of 3 literals are the largest
        (sizes.ln_decision_lists(700), math.factorial(700) * 4**700),
        (sizes.ln_decision_lists(3, 2), math.factorial(19) * 2**19),
        (sizes.ln_finite(10**40), 10**40),
    ],
)
def test_logarithms_of_sizes_enclose_them(
    bounds: tuple[Fraction, Fraction], size: int
) -> None:
    low, high = bounds
    assert high - low < 10**-40
    ahead = sizes.ln_finite(size)
    assert low <= ahead[1]
    assert high >= ahead[0]


def test_a_million_features_are_no_trouble() -> None:
    n, terms = 10**6, sizes.terms(10**6, 3)
    assert terms == 1 + 2 * n + 2 * n * (n - 1) + 4 * n * (n - 1) * (n - 2) // 3
    low, high = sizes.ln_decision_lists(n, 3)
    # N ln N - N + N ln 2, up to ln(2 pi N)/2, which is about 22
    about = terms * (math.log(terms) - 1 + math.log(2))
    assert float(low) == pytest.approx(about, rel=1e-14)
    assert high - low < 10**-30
    low, high = sizes.ln_conjunctions(n)
    assert low < high
    assert float(low) == pytest.approx(n * math.log(3), rel=1e-15)


def _lists(n: int) -> set[tuple[bool, ...]]:
    """Return every function that is a list of tests of single features."""
    points = list(product([False, True], repeat=n))
    found = set()
    rules = list(product(range(n), [False, True], [False, True]))
    for length in range(n + 1):
        for chosen in permutations(rules, length):
            for default in (False, True):
                found.add(
                    tuple(
                        next((v for j, s, v in chosen if x[j] == s), default)
                        for x in points
                    )
                )
    return found


@pytest.mark.parametrize("n", [1, 2, 3])
def test_there_are_no_more_decision_lists_than_counted(n: int) -> None:
    count = len(_lists(n))
    assert count <= math.factorial(n) * 4**n
    assert n > 1 or count == 4  # all functions of one feature: it is attained


# Chances that add up -----------------------------------------------------------------


def test_pi_is_right_to_its_last_digit() -> None:
    def arctangent(inverse: int) -> Fraction:
        return sum(
            (
                Fraction((-1) ** k, (2 * k + 1) * inverse ** (2 * k + 1))
                for k in range(60)
            ),
            Fraction(0),
        )

    machin = 16 * arctangent(5) - 4 * arctangent(239)  # off by less than 10^-80
    assert 0 < machin - _PI < Fraction(1, 10**60)


@pytest.mark.parametrize("number", [0, 1, 2, 499, 500, 501, 502, 1000, 3000])
def test_factorials_are_enclosed(number: int) -> None:
    low, high = ln_factorial_bounds(number)
    inside = sizes.ln_finite(math.factorial(number))
    assert low <= inside[1]
    assert high >= inside[0]
    assert high - low < 10**-40
    assert float(low) == pytest.approx(gammaln(number + 1), rel=1e-12, abs=1e-12)


def _tail(trials: int, chance: Fraction, most: int) -> Fraction:
    return sum(
        (
            math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k)
            for k in range(most + 1)
        ),
        Fraction(0),
    )


@tried(2)
@given(st.integers(0, 40), chances, st.integers(-1, 41))
def test_tails_are_rounded_up_and_only_just(
    trials: int, chance: Fraction, most: int
) -> None:
    truth = _tail(trials, chance, min(most, trials))
    found = at_most_up(trials, chance, most)
    assert truth <= found
    if most < trials * chance:
        assert found <= truth * (1 + Fraction(1, 10**15))
        assert truth <= _chernoff_up(trials, chance, max(most, 0))
    else:
        assert found == 1
        assert truth >= Fraction(1, 2)


@pytest.mark.parametrize(
    ("trials", "chance", "most"),
    [(5000, 0.1, 450), (10**6, 0.003, 2700), (10**5, 0.5, 49_000), (10**9, 1e-6, 900)],
)
def test_long_tails_agree_with_scipy(trials: int, chance: float, most: int) -> None:
    found = float(at_most_up(trials, Fraction(chance), most))
    assert found == pytest.approx(stats.binom.cdf(most, trials, chance), rel=1e-6)
    assert found <= float(_chernoff_up(trials, Fraction(chance), most))


def test_a_variance_beyond_counting_is_bounded() -> None:
    huge = at_most_up(10**10, Fraction(1, 2), 5 * 10**9 - 200_000)
    assert 0 < huge <= Fraction(1, 2000)  # e^-8 = 1/2981 by Hoeffding


# The fast conversion -----------------------------------------------------------------


@pytest.mark.parametrize("mistakes", [0, 1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(1, 5)])
@pytest.mark.parametrize("delta", [Fraction(1, 2), Fraction(1, 20)])
def test_fast_sizes_are_the_smallest_that_suffice(
    mistakes: int, epsilon: Fraction, delta: Fraction
) -> None:
    half = epsilon / 2

    def good_and_bad(trials: int) -> tuple[list[Fraction], list[Fraction]]:
        # P[X <= c] for c = -1, 0, ..., trials, in whole numbers over one denominator.
        tails = []
        for chance in (half, epsilon):
            top, bottom = chance.numerator, chance.denominator
            terms = (
                math.comb(trials, k) * top**k * (bottom - top) ** (trials - k)
                for k in range(trials + 1)
            )
            whole = bottom**trials
            tails.append([Fraction(s, whole) for s in accumulate(terms, initial=0)])
        return tails[0], tails[1]

    first, second = theorems.fast_sizes(mistakes, epsilon, delta)

    def learned(trials: int) -> bool:
        tail = good_and_bad(trials)[0]
        return tail[min(mistakes, trials) + 1] <= delta / 2

    def chosen(trials: int) -> bool:
        good, bad = good_and_bad(trials)
        pairs = zip(good, bad, strict=True)
        return min(1 - g + mistakes * b for g, b in pairs) <= delta / 2

    assert learned(first)
    assert chosen(second)
    assert not any(map(learned, range(first - 3, first)))
    assert not any(map(chosen, range(max(0, second - 3), second)))
    assert first <= theorems.fast_sizes(mistakes, epsilon, delta, exact=False)[0]
    assert second <= theorems.fast_sizes(mistakes, epsilon, delta, exact=False)[1]


@pytest.mark.parametrize("mistakes", [1, 4, 30])
def test_the_least_confusion_falls_with_every_example(mistakes: int) -> None:
    # Bisection needs this; it is proved by a test that ignores an example.
    counts = np.arange(-1, 401)
    best = [
        min(
            stats.binom.sf(counts[: m + 2], m, 0.1)
            + mistakes * stats.binom.cdf(counts[: m + 2], m, 0.2)
        )
        for m in range(400)
    ]
    assert (np.diff(best) <= 1e-12).all()


@pytest.mark.parametrize(("mistakes", "epsilon"), [(5, 0.1), (40, 0.05), (300, 0.2)])
def test_the_best_on_fresh_examples_is_good_enough(
    mistakes: int, epsilon: float
) -> None:
    delta, draws = 0.2, 10_000
    size = theorems.choosing_size(mistakes, epsilon, delta)
    rng = np.random.default_rng(mistakes)
    good = rng.binomial(size, epsilon / 2, draws)
    bad = rng.binomial(size, epsilon, (draws, mistakes)).min(axis=1)
    failures = int((bad <= good).sum())
    assert float(upper_limit(failures, draws, Fraction(1, 1000))) < delta / 2


def test_fast_sizes_of_many_mistakes_stay_below_the_formula() -> None:
    for mistakes in (10, 10**3, 10**6):
        numbers = (mistakes, 0.05, 0.01)
        exact = theorems.fast_sizes(*numbers)
        closed = theorems.fast_sizes(*numbers, exact=False)
        assert all(a < b for a, b in zip(exact, closed, strict=True))
        assert exact[0] >= 2 * mistakes / 0.05  # the mean must exceed the mistakes


# Estimates ---------------------------------------------------------------------------


@pytest.mark.parametrize("delta", [0.05, 0.5])
def test_clopper_and_pearson_are_the_limits_of_scipy(delta: float) -> None:
    for n in (1, 7, 30, 1000):
        for k in sorted({0, 1, n // 3, n - 1, n}):
            low, high = theorems.clopper_pearson(k, n, delta)
            below = stats.beta.ppf(delta / 2, k, n - k + 1) if k else 0.0
            above = stats.beta.ppf(1 - delta / 2, k + 1, n - k) if k < n else 1.0
            assert float(low) == pytest.approx(below, rel=1e-9, abs=1e-15)
            assert float(high) == pytest.approx(above, rel=1e-9)
            if n <= 30:  # few enough for exact fractions
                assert k == 0 or _tail(n, 1 - low, n - k) <= Fraction(delta) / 2
                assert k == n or _tail(n, high, k) <= Fraction(delta) / 2


# What is refused, and which way numbers go -------------------------------------------


@tried(0.5)
@given(st.integers(0, 50), chances, chances)
def test_more_is_asked_for_more(
    mistakes: int, epsilon: Fraction, delta: Fraction
) -> None:
    exact = theorems.fast_sizes(mistakes, epsilon, delta)
    for harder in (
        (mistakes + 1, epsilon, delta),
        (mistakes, epsilon / 2, delta),
        (mistakes, epsilon, delta / 2),
    ):
        more = theorems.fast_sizes(*harder)
        assert all(a <= b for a, b in zip(exact, more, strict=True))
        assert theorems.survival_length(*harder) >= theorems.survival_length(
            mistakes, epsilon, delta
        )


def test_senseless_numbers_are_refused() -> None:
    sound = {"epsilon": 0.1, "delta": 0.1}
    with pytest.raises(PremiseError, match="either size or log_size must be given"):
        theorems.PAC_FINITE.bound(**sound)
    with pytest.raises(PremiseError, match="either size or log_size must be given"):
        theorems.PAC_AGNOSTIC.bound(size=2, log_size=1, **sound)
    with pytest.raises(PremiseError, match="epsilon must lie between 0 and 1, got 0"):
        theorems.PAC_FINITE.bound(size=2, epsilon=0, delta=0.1)
    with pytest.raises(PremiseError, match="delta must lie between 0 and 1, got 1"):
        theorems.MB2PAC_FAST.bound(mistakes=2, epsilon=0.1, delta=1)
    with pytest.raises(PremiseError, match="mistakes must be at least 0, got -1"):
        theorems.MB2PAC_SURVIVE.bound(mistakes=-1, **sound)
    with pytest.raises(PremiseError, match="mistakes must be at most examples"):
        theorems.clopper_pearson(3, 2, 0.1)
    with pytest.raises(PremiseError, match="mistakes must be at most rounds"):
        theorems.MB2PAC_MEAN.bound(mistakes=3, rounds=2, delta=0.1)
    with pytest.raises(PremiseError, match="k must be a whole number above 0, got 0"):
        sizes.ln_normal_forms(3, 0)
