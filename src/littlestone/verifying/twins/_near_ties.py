"""Sums so small beside their terms that rounding may have made all of them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from littlestone.verifying.twins._logarithm import log

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["NEAR", "cancelled", "settled", "unless_rounding"]

NEAR = 2.0**-36  # relative to the sizes of the terms
_SMALL = 2.0**-30  # scores above are never ties
_POWERS = 4096  # from the lowest to the highest


def unless_rounding(score: float, products: Iterable[float]) -> float:
    """Return the score of these products, or 0 if rounding may have made all of it.

    Examples
    --------
    >>> from littlestone.verifying.twins._near_ties import unless_rounding
    >>> unless_rounding(0.1 + 0.2 - 0.3, [0.1, 0.2, -0.3])
    0.0
    >>> unless_rounding(1e-20, [1e-20])
    1e-20
    """
    if abs(score) >= _SMALL:
        return score
    size = 0.0
    for product in products:
        size += abs(product)
    return 0.0 if abs(score) <= NEAR * size else score


def settled(
    score: float, threshold: float, beta: float, pairs: Sequence[tuple[float, float]]
) -> float:
    """Return a weighted sum less the threshold with the sign of the exact one.

    That is if every weight is a whole power of beta, up to rounding; the pairs are
    weights and values.

    Examples
    --------
    >>> from littlestone.verifying.twins._near_ties import settled
    >>> settled(-2.0**-52, 1.0, 1.5, [(1 / 1.5, 1.0), (1 / 1.5, 0.5)])
    0.0
    """
    if abs(score) > NEAR * threshold or _short(threshold, pairs):
        return score
    log_beta, found = log(beta), []
    for weight, value in pairs:
        if weight and value:
            size = log(weight)
            power = round(size / log_beta)
            if abs(size - power * log_beta) > NEAR:
                return score
            found.append((power, value))
    powers = [0, *(power for power, _ in found)]
    if not found or max(powers) - min(powers) > _POWERS:
        return score
    exact = sum(Fraction(beta) ** k * Fraction(value) for k, value in found)
    gap = exact - Fraction(threshold)
    if not gap or ((gap > 0) == (score > 0) and score):
        return score if gap else 0.0
    return math.copysign(2.0**-960, gap)


def _short(threshold: float, pairs: Sequence[tuple[float, float]]) -> bool:
    """Return whether all numbers are so short that nothing was rounded."""
    shift = 1.5 * 2.0**42
    return threshold < 2.0**40 and all(
        (weight * value + shift) - shift == weight * value for weight, value in pairs
    )


def cancelled(shares: Iterable[tuple[float, float, float]]) -> float:
    """Return the sum of weights times values, equal weights first.

    A share is what its weight belongs to, the weight, and the value.

    Examples
    --------
    >>> from littlestone.verifying.twins._near_ties import cancelled
    >>> cancelled([(1.0, 0.1, 1.0), (2.0, 0.2, 3.0), (1.0, 0.1, -1.0)])
    0.6000000000000001
    """
    total = 0.0
    for _, group in groupby(sorted(shares, key=itemgetter(0)), key=itemgetter(0)):
        alike = list(group)
        total += alike[0][1] * _without_rounding(value for _, _, value in alike)
    return total


def _without_rounding(values: Iterable[float]) -> float:
    """Return a sum that is rounded only when its parts are put together."""
    parts: list[float] = []
    for value in values:
        left, x = [], value
        for part in parts:
            large, small = (part, x) if abs(x) < abs(part) else (x, part)
            x = large + small
            if rest := small - (x - large):
                left.append(rest)
        parts = [*left, x] if x else left
    total = 0.0
    for part in parts:
        total += part
    return total
