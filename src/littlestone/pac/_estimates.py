"""Intervals for a risk, from mistakes on fresh examples."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone import theorems
from littlestone.display import Displayed
from littlestone.errors import ParameterError
from littlestone.learner.parameters import whole
from littlestone.pac._chances import as_chance, complement, round_down, round_up


@dataclass(frozen=True)
class Estimate(Displayed):
    """A confidence interval for a risk.

    Attributes
    ----------
    low, high
        The exact interval.
    hoeffding, exact
        The intervals of Hoeffding and of Clopper and Pearson; each contains the risk
        with probability at least 1 - delta.
    delta
        The probability of failure.

    Examples
    --------
    >>> from littlestone.pac import estimate
    >>> found = estimate(0, n=100, delta=0.05)
    >>> found.low, round(found.high, 5)
    (0.0, 0.03622)
    """

    low: float
    high: float
    hoeffding: tuple[float, float]
    exact: tuple[float, float]
    delta: float

    def __str__(self) -> str:
        return (
            f"with probability at least {complement(self.delta)} the risk is between "
            f"{round_down(self.low)} and {round_up(self.high)} (EST-EXACT)"
        )


def estimate(p_hat: float | Fraction, n: int, delta: float) -> Estimate:
    """Bound a risk from the share of mistakes on fresh examples.

    Parameters
    ----------
    p_hat
        The share of the examples on which the hypothesis was wrong: a whole number of
        mistakes over `n`, as `mistakes / n` or `Fraction(mistakes, n)`.
    n
        The number of examples.
    delta
        The probability of failure, between 0 and 1.

    Examples
    --------
    >>> from littlestone.pac import estimate
    >>> found = estimate(3 / 200, n=200, delta=0.05)
    >>> print(found)
    with probability at least 0.95 the risk is between 0.003104 and 0.04321 (EST-EXACT)
    >>> [round(limit, 4) for limit in found.hoeffding]
    [0.0, 0.111]
    """
    chance = as_chance("estimate", "delta", delta)
    examples = whole("estimate", "n", n, low=1)
    mistakes = _mistakes(p_hat, examples)
    share = Fraction(mistakes, examples)
    radius = Fraction(theorems.EST.bound(examples=examples, delta=chance))
    hoeffding = _outward(
        max(share - radius, Fraction(0)), min(share + radius, Fraction(1))
    )
    exact = _outward(*theorems.clopper_pearson(mistakes, examples, chance))
    return Estimate(*exact, hoeffding=hoeffding, exact=exact, delta=delta)


def _mistakes(p_hat: Any, examples: int) -> int:
    """Return the whole number of mistakes behind a share."""
    try:
        mistakes = round(Fraction(p_hat) * examples)
    except (TypeError, ValueError, OverflowError):
        mistakes = -1
    if not 0 <= mistakes <= examples:
        raise ParameterError(
            f"p_hat must lie in [0, 1], got {p_hat!r}", owner="estimate"
        )
    # 7/100 is not a float; division gives the nearest one.
    if p_hat not in (Fraction(mistakes, examples), mistakes / examples):
        raise ParameterError(
            "p_hat must be a whole number of mistakes over n, such as "
            f"{mistakes}/{examples}, got {p_hat!r}",
            owner="estimate",
        )
    return mistakes


def _outward(low: Fraction, high: Fraction) -> tuple[float, float]:
    """Return floats around an interval."""
    below, above = float(low), float(high)
    if Fraction(below) > low:
        below = math.nextafter(below, -math.inf)
    if Fraction(above) < high:
        above = math.nextafter(above, math.inf)
    return below, above
