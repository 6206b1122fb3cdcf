"""What is proved of the Perceptron.

All four bound the number of updates U, and mistakes are at most U. They may be
evaluated on the update rounds alone, which is valid and tighter: the Perceptron behaves
the same on the subsequence of rounds that changed it. R is the largest |x|; examples
are those the Perceptron adds, scaled and with the constant feature if so asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._rounding import exact, sqrt_up
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["PERC_FS", "PERC_HINGE", "PERC_SEP", "PERC_TD"]

_NOVIKOFF = (
    "Novikoff (1962), On convergence proofs on perceptrons, Symposium on the "
    "Mathematical Theory of Automata 12:615-622"
)
_FREUND_SCHAPIRE = (
    "Freund, Schapire (1999), Large margin classification using the perceptron "
    "algorithm, Machine Learning 37:277-296, https://doi.org/10.1023/A:1007662407062"
)


def _checked(radius: Number, margin: Number, **at_least_zero: Number) -> list[Fraction]:
    numbers = [exact("radius", radius), exact("margin", margin)]
    numbers += [exact(name, number) for name, number in at_least_zero.items()]
    if numbers[0] < 0:
        raise PremiseError(f"radius must be at least 0, got {radius!r}")
    if not numbers[1] > 0:
        raise PremiseError(f"margin must exceed 0, got {margin!r}")
    for name, number in zip(at_least_zero, numbers[2:], strict=True):
        if number < 0:
            raise PremiseError(
                f"{name} must be at least 0, got {at_least_zero[name]!r}"
            )
    return numbers


def _separable(*, radius: Number, margin: Number, norm: Number = 1) -> Fraction:
    r, gamma, u = _checked(radius, margin, norm=norm)
    return (u * r / gamma) ** 2


def _total_deviation(*, radius: Number, margin: Number, deviation: Number) -> Fraction:
    r, gamma, total = _checked(radius, margin, deviation=deviation)
    return ((r + sqrt_up(r**2 + 4 * gamma * total)) / (2 * gamma)) ** 2


def _hinge(*, radius: Number, margin: Number, hinge: Number) -> Fraction:
    r, gamma, total = _checked(radius, margin, hinge=hinge)
    return (r / gamma) ** 2 + 2 * total


def _freund_schapire(
    *, radius: Number, margin: Number, deviation_norm: Number
) -> Fraction:
    r, gamma, d = _checked(radius, margin, deviation_norm=deviation_norm)
    return ((r + d) / gamma) ** 2


PERC_SEP = Theorem(
    id="PERC-SEP",
    statement="at most |u|^2 R^2 / gamma^2 updates",
    premises=("y u.x >= gamma > 0 on every round, for some vector u",),
    counts="updates",
    reference=_NOVIKOFF,
    formula=_separable,
)

PERC_TD = Theorem(
    id="PERC-TD",
    statement=(
        "at most ((R + sqrt(R^2 + 4 gamma TD)) / (2 gamma))^2 updates, where TD adds "
        "up by how much each round falls short of the margin, max(0, gamma - y u.x)"
    ),
    premises=("u is a vector of length 1", "gamma > 0"),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    formula=_total_deviation,
)

PERC_HINGE = Theorem(
    id="PERC-HINGE",
    statement=(
        "at most R^2 / gamma^2 + 2 H updates, where H is the total hinge loss, the sum "
        "of max(0, 1 - y u.x / gamma)"
    ),
    premises=("u is a vector of length 1", "gamma > 0"),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    formula=_hinge,
)

PERC_FS = Theorem(
    id="PERC-FS",
    statement=(
        "at most ((R + D) / gamma)^2 updates, where D^2 adds up the squares of "
        "max(0, gamma - y u.x)"
    ),
    premises=("u is a vector of length 1", "gamma > 0"),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    formula=_freund_schapire,
)
