"""Probabilities of sums of many draws, rounded to the safe side."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from littlestone.theorems._rounding import exp_bounds, ln_bounds

__all__ = ["at_most_up", "ln_factorial_bounds", "upper_limit"]

# Factorials up to here are computed exactly; Stirling's series is used beyond.
_SMALL = 500

# 60 digits of pi, truncated: one more in the last place is too large.
_PI = Fraction(3_141592653589793238462643383279502884197169399375105820974944, 10**60)
_BERNOULLI = (
    Fraction(1, 6),
    Fraction(-1, 30),
    Fraction(1, 42),
    Fraction(-1, 30),
    Fraction(5, 66),
    Fraction(-691, 2730),
    Fraction(7, 6),
    Fraction(-3617, 510),
    Fraction(43867, 798),
    Fraction(-174611, 330),
    Fraction(854513, 138),
)

# A tail is summed in units of its first term over 2^160, and the terms left out are at
# most 2^-60 of it. Beyond this variance there would be too many terms to add.
_UNIT = 1 << 160
_NEGLIGIBLE = 60
_LARGEST_VARIANCE = 10**8

# A single term is computed in integers of up to this many bits, and kept to 200.
_WORKED_OUT = 30_000
_DIGITS = 200

# The limits of an interval are found in steps of this size.
_STEP_BITS = 64


# Searching for a limit or a size takes the same few factorials again and again.
@lru_cache(maxsize=1024)
def ln_factorial_bounds(number: int) -> tuple[Fraction, Fraction]:
    """Return rationals below and above the natural logarithm of number!.

    Examples
    --------
    >>> from littlestone.theorems._tails import ln_factorial_bounds
    >>> low, high = ln_factorial_bounds(10**18)
    >>> float(low), high - low < 10**-30
    (4.044653167389282e+19, True)
    """
    if number <= _SMALL:
        return ln_bounds(Fraction(math.factorial(number)))
    # ln n! = (n + 1/2) ln n - n + ln(2 pi)/2 + sum_j B_2j / (2j (2j-1) n^(2j-1)), where
    # the error of the sum up to j is less than the next term, and has its sign.
    logarithm = ln_bounds(Fraction(number))
    circle = (
        ln_bounds(2 * _PI)[0],
        ln_bounds(2 * (_PI + Fraction(1, 10**60)))[1],
    )
    terms = [
        bernoulli / (2 * j * (2 * j - 1) * Fraction(number) ** (2 * j - 1))
        for j, bernoulli in enumerate(_BERNOULLI, start=1)
    ]
    series, left = sum(terms[:-1], Fraction(0)), terms[-1]
    low, high = (
        (number + Fraction(1, 2)) * log - number + half / 2 + series
        for log, half in zip(logarithm, circle, strict=True)
    )
    return low + min(left, Fraction(0)), high + max(left, Fraction(0))


def at_most_up(trials: int, chance: Fraction, most: int) -> Fraction:
    """Return a rational at or just above P[X <= most], X ~ Binomial(trials, chance).

    A tail that reaches the mean is at least 1/2, and 1 is returned for it. A variance
    beyond 10^8 is bounded by the exponential inequality of Chernoff instead.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._tails import at_most_up
    >>> tail = at_most_up(4, Fraction(1, 2), 1)  # (1 + 4) / 16
    >>> 0 <= tail - Fraction(5, 16) < 10**-15
    True
    """
    if most < 0:
        return Fraction(0)
    # A median of X is the mean, rounded up or down: from the mean on it is over 1/2.
    if most >= trials * chance:
        return Fraction(1)
    if chance == 1:
        return Fraction(0)
    if trials * chance * (1 - chance) > _LARGEST_VARIANCE:
        return _chernoff_up(trials, chance, most)
    top = _term_up(trials, chance, most)
    # P[X = k-1] / P[X = k] = k (1-p) / ((n-k+1) p), below 1 for k below the mean, and
    # falling as k falls: what is left out is less than a geometric series.
    odds = (1 - chance) / chance
    term = total = _UNIT
    for k in range(most, 0, -1):
        above, below = k * odds.numerator, (trials - k + 1) * odds.denominator
        left = -(-term * above // (below - above))
        if left < total >> _NEGLIGIBLE:
            total += left
            break
        term = -(-term * above // below)
        total += term
    return min(Fraction(1), top * Fraction(total, _UNIT))


def _term_up(trials: int, chance: Fraction, k: int) -> Fraction:
    """Return a rational at or just above P[X = k]."""
    top, bottom = chance.numerator, chance.denominator
    if trials * bottom.bit_length() <= _WORKED_OUT:
        above = math.comb(trials, k) * top**k * (bottom - top) ** (trials - k)
        below = bottom**trials
        bits = below.bit_length() - above.bit_length() + _DIGITS
        return Fraction(-(-(above << bits) // below), 1 << bits)
    logarithm = (
        ln_factorial_bounds(trials)[1]
        - ln_factorial_bounds(k)[0]
        - ln_factorial_bounds(trials - k)[0]
        + k * ln_bounds(chance)[1]
        + (trials - k) * ln_bounds(1 - chance)[1]
    )
    return exp_bounds(min(logarithm, Fraction(0)))[1]


def _chernoff_up(trials: int, chance: Fraction, most: int) -> Fraction:
    """Return exp(-n KL(k/n || p)), rounded up: never below the tail up to k < np."""
    rest = trials - most
    divergence = rest * ln_bounds(Fraction(rest, trials) / (1 - chance))[0]
    if most:
        divergence += most * ln_bounds(Fraction(most, trials) / chance)[0]
    return exp_bounds(min(-divergence, Fraction(0)))[1]


def upper_limit(count: int, trials: int, share: Fraction) -> Fraction:
    """Return the chance beyond which `count` or fewer out of `trials` is too rare.

    That is the smallest p with P[X <= count] <= share, rounded up.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._tails import upper_limit
    >>> round(float(upper_limit(0, 2, Fraction(1, 4))), 9)  # (1-p)^2 = 1/4
    0.5
    """
    if count == trials:
        return Fraction(1)
    scale = 1 << _STEP_BITS
    low, high = count * scale // trials, scale
    while high - low > 1:
        middle = (low + high) // 2
        if at_most_up(trials, Fraction(middle, scale), count) <= share:
            high = middle
        else:
            low = middle
    return Fraction(high, scale)
