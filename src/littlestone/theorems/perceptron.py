"""What is proved of the Perceptron.

All bound the number of updates U, and mistakes are at most U. They may be
evaluated on the update rounds alone, which is valid and tighter: the Perceptron behaves
the same on the subsequence of rounds that changed it. R is the largest |x|; examples
are those the Perceptron adds, scaled and with the constant feature if so asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._rounding import exact, sqrt_up
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["PERC_BIAS", "PERC_FS", "PERC_GAP", "PERC_HINGE", "PERC_SEP", "PERC_TD"]

_NOVIKOFF = (
    "Novikoff (1962), On convergence proofs on perceptrons, Symposium on the "
    "Mathematical Theory of Automata 12:615-622"
)
_FREUND_SCHAPIRE = (
    "Freund, Schapire (1999), Large margin classification using the perceptron "
    "algorithm, Machine Learning 37:277-296, https://doi.org/10.1023/A:1007662407062"
)


def _separable(*, radius: Number, margin: Number, norm: Number = 1) -> Fraction:
    r, gamma = at_least_zero("radius", radius), above_zero("margin", margin)
    return (at_least_zero("norm", norm) * r / gamma) ** 2


def _total_deviation(*, radius: Number, margin: Number, deviation: Number) -> Fraction:
    r = at_least_zero("radius", radius)
    return _of_square(r**2, margin=margin, deviation=deviation)


def _of_square(square: Fraction, *, margin: Number, deviation: Number) -> Fraction:
    """Return PERC-TD for the square of R, which need not be that of a rational."""
    gamma, total = above_zero("margin", margin), at_least_zero("deviation", deviation)
    root = sqrt_up(square**2 + 4 * gamma * total * square)
    return (square + 2 * gamma * total + root) / (2 * gamma**2)


def _hinge(*, radius: Number, margin: Number, hinge: Number) -> Fraction:
    return _separable(radius=radius, margin=margin) + 2 * at_least_zero("hinge", hinge)


def _freund_schapire(
    *, radius: Number, margin: Number, deviation_norm: Number
) -> Fraction:
    r, gamma = at_least_zero("radius", radius), above_zero("margin", margin)
    return ((r + at_least_zero("deviation_norm", deviation_norm)) / gamma) ** 2


def _bias(
    *, radius: Number, margin: Number, threshold: Number, bias: Number
) -> Fraction:
    r, gamma = at_least_zero("radius", radius), above_zero("margin", margin)
    b, constant = exact("threshold", threshold), exact("bias", bias)
    if constant == 0:
        raise PremiseError(f"bias must not be 0, got {bias!r}")
    return (1 + (b / constant) ** 2) * (r**2 + constant**2) / gamma**2


def _gap(*, radius: Number, gap: Number, norm: Number = 1) -> Fraction:
    # With the constant feature, R^2 and the square of the norm at most double, and the
    # margin is half the gap.
    return 4 * _separable(radius=radius, margin=above_zero("gap", gap) / 2, norm=norm)


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

PERC_BIAS = Theorem(
    id="PERC-BIAS",
    statement=(
        "at most (1 + b^2/B^2) (R^2 + B^2) / gamma^2 updates with a constant feature "
        "of value B, where R is the largest |x| without that feature"
    ),
    premises=(
        "y (u.x - b) >= gamma > 0 on every round, for some vector u of length 1",
        "the constant feature `bias` = B is not 0",
    ),
    counts="updates",
    reference=_NOVIKOFF,
    formula=_bias,
)

PERC_GAP = Theorem(
    id="PERC-GAP",
    statement=(
        "at most 16 |u|^2 R^2 / gamma^2 updates with a constant feature of value R"
    ),
    premises=(
        "u.x >= c on positives and u.x <= c - gamma on negatives, gamma > 0",
        "the constant feature `bias` = R is at least every |x| without that feature",
        "both classes occur",
    ),
    counts="updates",
    reference=_NOVIKOFF,
    formula=_gap,
)
