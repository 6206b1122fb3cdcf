"""A theorem about the voted Perceptron on random examples."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.theorems._premises import whole
from littlestone.theorems._theorem import Number, Theorem
from littlestone.theorems.perceptron import PERC_FS

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["VOTE_FS"]


def _voted(
    *, rounds: Number, radius: Number, margin: Number, deviation_norm: Number
) -> Fraction:
    mistakes = PERC_FS.formula(
        radius=radius, margin=margin, deviation_norm=deviation_norm
    )
    return 2 * mistakes / (whole("rounds", rounds) + 1)


VOTE_FS = Theorem(
    id="VOTE-FS",
    statement=(
        "error probability at most 2/(n + 1) ((R + D) / gamma)^2 on the last of n + 1 "
        "examples, where D^2 adds up the squares of max(0, gamma - y u.x) over all "
        "n + 1"
    ),
    latex=(
        r"\Pr[\hat{y} \neq y] \leq \frac{2}{n + 1} \left(\frac{R + "
        r"D}{\gamma}\right)^2, \quad D^2 = \sum_t \max(0, \gamma - y_t\, u \cdot x_t)^2"
    ),
    premises=(
        "the n + 1 examples are drawn independently from one distribution",
        (
            "the weight vectors after 0, 1, ..., n examples of one pass have one "
            "vote each; the first, which says yes, needs none if a tie is a yes"
        ),
        (
            "R and D are never exceeded, for any draw; u, of length 1, may depend "
            "on the draw, and gamma > 0"
        ),
    ),
    counts="error probability",
    reference=PERC_FS.reference,
    formula=_voted,
)
