"""Losses of a score between two rationals."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.theorems._rounding import exp_bounds, float_up
from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._logarithm import log1p
from littlestone.verifying.twins._losses import kind_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

__all__ = ["loss_bounds", "softmax_bounds"]

# The twins' exponential and logarithm are right to a few units in the last place.
_OFF = 2.0**-48
_FAR = 600  # beyond this size of a score, e to its power is off the range of doubles


def loss_bounds(loss: Any, score: Fraction, y: Any) -> tuple[Fraction, Fraction]:
    """Return rationals at or below, and at or above, the loss of a score.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._bounds import loss_bounds
    >>> loss_bounds("square", Fraction(1, 3), 0.0)
    (Fraction(1, 9), Fraction(1, 9))
    >>> low, high = loss_bounds("logistic", Fraction(0), True)
    >>> float(low) < 0.6931471805599453 < float(high), float(high - low) < 1e-13
    (True, True)
    """
    kind = kind_of(loss)
    if kind in ("logistic", "hinge"):
        margin = score if y else -score
        if kind == "hinge":
            short = max(Fraction(0), 1 - margin)
            return short, short
        return _logistic(margin)
    miss = score - Fraction(y)
    size = abs(miss)
    if kind == "poisson":
        low, high = _exp(score)
        return low - Fraction(y) * score, high - Fraction(y) * score
    exact = miss * miss
    if kind == "absolute":
        exact = size
    elif kind == "pinball":
        tau = Fraction(loss.tau)
        exact = (1 - tau) * miss if miss > 0 else -tau * miss
    elif kind == "huber":
        bend = Fraction(loss.delta)
        exact = exact / 2 if size <= bend else bend * (size - bend / 2)
    return exact, exact


def _logistic(margin: Fraction) -> tuple[Fraction, Fraction]:
    """Bound ln(1 + e^-z): the loss falls with z by at most 1 for each unit."""
    extra = max(Fraction(0), -margin)
    size = abs(margin)
    if size > _FAR:
        return extra, extra + exp_bounds(Fraction(-_FAR))[1]
    z = float(size)
    value = log1p(exp(-z))
    slack = value * _OFF + z * 2.0**-52 * value  # of the functions, and of z
    return extra + Fraction(value - slack), extra + Fraction(value + slack)


def _exp(score: Fraction) -> tuple[Fraction, Fraction]:
    if score <= 0:
        return exp_bounds(score)
    low, high = exp_bounds(-score)
    return 1 / high, Fraction(float_up(1 / low)) if score < _FAR else 1 / low


def softmax_bounds(
    scores: Mapping[Any, Fraction], y: Hashable
) -> tuple[Fraction, Fraction]:
    """Return rationals at or below, and at or above, -ln of the softmax share of y.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._bounds import softmax_bounds
    >>> low, high = softmax_bounds({"a": Fraction(0), "b": Fraction(0)}, "a")
    >>> float(low) < 0.6931471805599453 < float(high), float(high - low) < 1e-12
    (True, True)
    >>> softmax_bounds({"a": Fraction(3)}, "a")
    (Fraction(0, 1), Fraction(0, 1))
    """
    best = max(scores, key=scores.__getitem__)
    others, far = 0.0, 0
    for label, score in scores.items():
        if label == best:
            continue
        behind = scores[best] - score
        if behind > _FAR:
            far += 1
        else:
            others += exp(-float(behind))
    value = log1p(others)
    # Of the functions and the sum, and of each score: the logarithm of one more than a
    # number is off by no larger a share than the number.
    slack = value * (_OFF + (len(scores) + _FAR) * 2.0**-51)
    extra = scores[best] - scores[y]
    beyond = far * exp_bounds(Fraction(-_FAR))[1]
    return extra + Fraction(value - slack), extra + Fraction(value + slack) + beyond
