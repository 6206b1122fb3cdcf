"""The logarithm of the number of concepts in a class, enclosed by rationals.

With a million features the numbers themselves would be too large. They are the usual
ones, which count some concepts more than once: that can only make a bound larger.
"""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.theorems._premises import count, whole
from littlestone.theorems._rounding import Number, float_up, ln_bounds
from littlestone.theorems._tails import ln_factorial_bounds

__all__ = [
    "ln_conjunctions",
    "ln_decision_lists",
    "ln_finite",
    "ln_lists_of",
    "ln_normal_forms",
    "ln_rules_of",
    "terms",
]

Bounds = tuple[Fraction, Fraction]

# From here on the 1 of 3^n + 1 adds less than 3^-n < 10^-100 to the logarithm.
_MANY = 256


def terms(features: Number, k: Number) -> int:
    """Return N_k, the number of terms of at most k literals, the empty one included.

    Examples
    --------
    >>> from littlestone.theorems.sizes import terms
    >>> terms(3, 1), terms(3, 2)  # 1 + 6, and 3 * 4 more
    (7, 19)
    """
    n, most = int(whole("features", features)), int(whole("k", k))
    total = block = 1
    for i in range(1, min(n, most) + 1):  # C(n, i) 2^i from the previous one
        block = block * (n - i + 1) * 2 // i
        total += block
    return total


def ln_finite(size: Number) -> Bounds:
    """Return the logarithm of a number of concepts.

    Examples
    --------
    >>> from littlestone.theorems.sizes import ln_finite
    >>> [round(float(bound), 6) for bound in ln_finite(8)]
    [2.079442, 2.079442]
    """
    return ln_bounds(whole("size", size))


def ln_conjunctions(features: Number, *, monotone: bool = False) -> Bounds:
    """Return ln(3^n + 1), or n ln 2 for conjunctions without negations.

    Each feature occurs as it is, negated, or not at all; one more concept is "never".
    There are as many disjunctions.

    Examples
    --------
    >>> from littlestone.theorems.sizes import ln_conjunctions
    >>> [round(float(bound), 6) for bound in ln_conjunctions(2)]  # ln 10
    [2.302585, 2.302585]
    """
    n = int(whole("features", features))
    if monotone:
        return _times(n, ln_bounds(Fraction(2)))
    if n <= _MANY:
        return ln_bounds(Fraction(3**n + 1))
    low, high = _times(n, ln_bounds(Fraction(3)))
    return low, high + Fraction(1, 3**_MANY)


def ln_normal_forms(features: Number, k: Number) -> Bounds:
    """Return the logarithm of 2^(C(n,1) 2 + ... + C(n,k) 2^k): k-CNFs, or k-DNFs.

    Each clause, or term, of 1 to k literals is present or not.

    Examples
    --------
    >>> from littlestone.theorems.sizes import ln_normal_forms
    >>> [round(float(bound), 6) for bound in ln_normal_forms(2, 2)]  # 8 ln 2
    [5.545177, 5.545177]
    """
    return _times(terms(features, k) - 1, ln_bounds(Fraction(2)))


def ln_decision_lists(features: Number, k: Number = 1) -> Bounds:
    """Return ln(n! 4^n) for k = 1, and ln(N! 2^N) with the N_k terms for larger k.

    A list of literals needs each feature once, with its sign and a label; a term of
    more literals has its signs already, and needs a label.

    Examples
    --------
    >>> from littlestone.theorems.sizes import ln_decision_lists
    >>> [round(float(bound), 6) for bound in ln_decision_lists(3)]  # ln 384
    [5.950643, 5.950643]
    """
    n, most = int(whole("features", features)), int(whole("k", k))
    tests = n if most == 1 else terms(n, most)
    low, high = ln_factorial_bounds(tests)
    ways = _times(tests, ln_bounds(Fraction(4 if most == 1 else 2)))
    return low + ways[0], high + ways[1]


def ln_rules_of(features: Number, k: Number, parts: Number) -> float:
    """Return the logarithm of the rules with so many terms or clauses, or more.

    Of N terms of at most k literals that is C(N, r); (r + 1)(r + 2) more pays for the
    choice of r, since 1/((r + 1)(r + 2)) sums to 1.

    Examples
    --------
    >>> from littlestone.theorems.sizes import ln_rules_of
    >>> round(ln_rules_of(3, 1, 2), 6)  # ln(C(7, 2) 3 4)
    5.529429
    """
    n, r = terms(features, k), int(count("parts", parts))
    ways = ln_bounds(Fraction(math.comb(n, min(r, n)) * (r + 1) * (r + 2)))
    return float_up(ways[1])


def ln_lists_of(features: Number, k: Number, parts: Number) -> float:
    """Return the logarithm of the lists with so many rules, or slightly more.

    A rule is one of N terms and a label, and no term comes twice; there is a default.

    Examples
    --------
    >>> from littlestone.theorems.sizes import ln_lists_of
    >>> round(ln_lists_of(3, 1, 2), 6)  # ln(7 6 2^3 3 4)
    8.302018
    """
    n, r = terms(features, k), int(count("parts", parts))
    ways = math.perm(n, min(r, n)) << (r + 1)
    return float_up(ln_bounds(Fraction(ways * (r + 1) * (r + 2)))[1])


def _times(number: int, bounds: Bounds) -> Bounds:
    return number * bounds[0], number * bounds[1]
