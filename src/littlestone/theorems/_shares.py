"""What a witness loses of the rounds it is measured on: 1 for u = 0.

Bounds with losses hold for every vector, and u = 0 loses 1 on each round. Measured on
the mistakes, that turns a bound into the number of mistakes, on any stream: it says
nothing. So how far a witness is from it is stated with the bound.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "NEARLY_ALL",
    "of_deviation",
    "of_deviation_norm",
    "of_exceptions",
    "of_hinge",
    "of_hinge_squares",
    "of_mean",
    "of_owed",
    "of_residual",
    "of_slack",
]

# From this share on, a witness measured on the mistakes says no more than they do.
NEARLY_ALL = Fraction(9, 10)


def of_hinge(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return the mean hinge loss.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_hinge
    >>> of_hinge({"hinge": Fraction(3)}, 4)
    Fraction(3, 4)
    """
    return numbers["hinge"] / rounds


def of_hinge_squares(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return the mean of the squared hinge losses.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_hinge_squares
    >>> of_hinge_squares({"hinge_squares": Fraction(3)}, 4)
    Fraction(3, 4)
    """
    return numbers["hinge_squares"] / rounds


def of_deviation(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return the mean shortfall from the margin, in margins.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_deviation
    >>> of_deviation({"deviation": Fraction(3), "margin": Fraction(2)}, 4)
    Fraction(3, 8)
    """
    return numbers["deviation"] / (numbers["margin"] * rounds)


def of_deviation_norm(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return the mean of the squared shortfalls, in squared margins.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_deviation_norm
    >>> of_deviation_norm({"deviation_norm": Fraction(3), "margin": Fraction(3)}, 4)
    Fraction(1, 4)
    """
    return (numbers["deviation_norm"] / numbers["margin"]) ** 2 / rounds


def of_exceptions(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return the share of the rounds that a concept gets wrong.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_exceptions
    >>> of_exceptions({"exceptions": Fraction(3)}, 4)
    Fraction(3, 4)
    """
    return numbers["exceptions"] / rounds


def of_mean(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:  # noqa: ARG001 - it is a mean already
    """Return the mean loss, weighted by the steps.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_mean
    >>> of_mean({"mean_loss": Fraction(3, 4)}, 4)
    Fraction(3, 4)
    """
    return numbers["mean_loss"]


def of_owed(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return what the rounds cost on average, where a mistake costs 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_owed
    >>> of_owed({"owed": Fraction(3)}, 4)
    Fraction(3, 4)
    """
    return numbers["owed"] / rounds


def of_residual(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return the mean squared distance of y u.x from 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_residual
    >>> of_residual({"residual": Fraction(3)}, 4)
    Fraction(3, 4)
    """
    return numbers["residual"] / rounds


def of_slack(numbers: Mapping[str, Fraction], rounds: int) -> Fraction:
    """Return what the slack alone adds to Winnow's bound, in rounds.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.theorems._shares import of_slack
    >>> of_slack({"slack": Fraction(2), "promotion": Fraction(3, 2)}, 10)
    Fraction(1, 2)
    """
    return (1 + numbers["promotion"]) * numbers["slack"] / rounds
