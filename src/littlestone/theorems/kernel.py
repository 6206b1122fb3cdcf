"""A theorem about the kernel Perceptron with a limited number of examples.

Without a limit, the theorems of the Perceptron hold with R^2 the largest K(x, x).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import at_least_zero, whole
from littlestone.theorems._rounding import float_up, sqrt_up
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["KPERC_BUDGET"]

_CAVALLANTI = (
    "Cavallanti, Cesa-Bianchi, Gentile (2007), Tracking the best hyperplane with a "
    "simple budget perceptron, Machine Learning 69:143-167, "
    "https://doi.org/10.1007/s10994-007-5003-0"
)


def _budget(*, radius: Number, budget: Number, norm: Number, hinge: Number) -> Fraction:
    r, u = at_least_zero("radius", radius), at_least_zero("norm", norm)
    b, losses = whole("budget", budget), at_least_zero("hinge", hinge)
    square = (r * u) ** 2 / b
    if not square < 1:
        raise PremiseError(
            f"budget must exceed (radius norm)^2 = {float_up((r * u) ** 2):g}, "
            f"got {budget!r}"
        )
    # With a = R |u| / sqrt(B) the bound is (H + a B) / (1 - a); a root rounded up would
    # round that denominator down, to 0 or below if a is near 1, but 1 - a^2 is exact.
    a = sqrt_up(square)
    return (losses + a * b) * (1 + a) / (1 - square)


KPERC_BUDGET = Theorem(
    id="KPERC-BUDGET",
    statement=(
        "at most (H + R |u| sqrt(B)) / (1 - R |u|/sqrt(B)) expected mistakes, where "
        "R^2 is the largest K(x, x) and H the expected sum of max(0, 1 - y u(x)) over "
        "the rounds with a mistake"
    ),
    latex=(
        r"\mathbb{E}\, M \leq \frac{H + R \|u\| \sqrt{B}}{1 - R \|u\| / \sqrt{B}}, "
        r"\quad H = \mathbb{E} \sum_t \max(0, 1 - y_t\, u(x_t))"
    ),
    premises=(
        "u is any function in the kernel's space with R |u| < sqrt(B)",
        "a mistake adds its example with coefficient y, and nothing else changes",
        "when B are kept, one of them drawn uniformly at random is dropped first",
        "no example depends on the draws that follow it",
    ),
    counts="expected mistakes",
    reference=_CAVALLANTI,
    formula=_budget,
)
