"""Losses of a score in plain Python: what it costs, and how fast that rises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._logarithm import log1p
from littlestone.verifying.twins._losses import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["LABELLED", "prediction_of", "price_of", "steepest_of"]

# The losses of yes and no; those of numbers are the others.
LABELLED = ("logistic", "hinge")


def price_of(loss: Any, score: float, y: float) -> tuple[float, float]:
    """Return the loss of a score and its slope.

    Examples
    --------
    >>> from littlestone.verifying.twins._scores import price_of
    >>> price_of("square", 3.0, 1.0), price_of("hinge", 0.5, True)
    ((4.0, 4.0), (0.5, -1.0))
    """
    kind = kind_of(loss)
    if kind in LABELLED:
        sign = 1.0 if y else -1.0
        paid, slope = _PRICES[kind](sign * score)
        return paid, -sign * slope
    if kind == "poisson":
        mean = exp(score)
        return mean - y * score, mean - y
    miss = score - y
    if kind == "pinball":
        above = 1.0 - loss.tau
        return (above * miss, above) if miss > 0 else (loss.tau * -miss, -loss.tau)
    if kind == "huber" and abs(miss) > loss.delta:
        slope = loss.delta if miss > 0.0 else -loss.delta
        return loss.delta * (abs(miss) - 0.5 * loss.delta), slope
    return _PRICES[kind](miss)


def _logistic(margin: float) -> tuple[float, float]:
    e = exp(-abs(margin))
    if margin >= 0.0:
        return log1p(e), e / (1.0 + e)
    return log1p(e) - margin, 1.0 / (1.0 + e)


# The loss of a margin and how fast it falls, or of a miss and how fast it rises.
_PRICES: dict[str, Callable[[float], tuple[float, float]]] = {
    "logistic": _logistic,
    "hinge": lambda margin: (1.0 - margin, 1.0) if margin < 1.0 else (0.0, 0.0),
    "absolute": lambda miss: (abs(miss), float(miss > 0.0) - float(miss < 0.0)),
    "square": lambda miss: (miss * miss, 2.0 * miss),
    "huber": lambda miss: (0.5 * miss * miss, miss),
}


def prediction_of(loss: Any, score: float) -> Any:
    """Return what a score predicts.

    Examples
    --------
    >>> from littlestone.verifying.twins._scores import prediction_of
    >>> prediction_of("logistic", -1.0), prediction_of("poisson", 0.0)
    (False, 1.0)
    """
    kind = kind_of(loss)
    if kind in LABELLED:
        return score >= 0.0
    return exp(min(score, 708.0)) if kind == "poisson" else score


def steepest_of(loss: Any) -> float:
    """Return the largest size of a slope, or 0 if there is none.

    Examples
    --------
    >>> from littlestone.verifying.twins._scores import steepest_of
    >>> steepest_of("logistic"), steepest_of("square")
    (1.0, 0.0)
    """
    kind = kind_of(loss)
    if kind == "pinball":
        return float(max(loss.tau, 1.0 - loss.tau))
    if kind == "huber":
        return float(loss.delta)
    return 0.0 if kind in ("square", "poisson") else 1.0
