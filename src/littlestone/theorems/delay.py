"""Theorems about labels that come late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.theorems._premises import above_zero, at_least_zero, count
from littlestone.theorems._rounding import sqrt_up
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["DELAY", "DELAY_PAIRS", "DELAY_SERVED"]

_MESTERHARM = (
    "after Mesterharm (2005), On-line learning with delayed label feedback, "
    "Algorithmic Learning Theory, 399-413"
)


def _delayed(*, delay: Number, updates: Number) -> Fraction:
    return (count("delay", delay) + 1) * at_least_zero("updates", updates)


def _served(
    *, square: Number, margin: Number, deviation: Number = 0, norm: Number = 1
) -> Fraction:
    q, gamma = at_least_zero("square", square), above_zero("margin", margin)
    length = at_least_zero("norm", norm) * sqrt_up(q)
    return (length + at_least_zero("deviation", deviation)) / gamma


def _paired(
    *,
    radius: Number,
    margin: Number,
    pairs: Number,
    deviation: Number = 0,
    norm: Number = 1,
) -> Fraction:
    # The larger root of (gamma M - D)^2 = a (M + 2 P).
    gamma, short = above_zero("margin", margin), at_least_zero("deviation", deviation)
    a = (at_least_zero("norm", norm) * at_least_zero("radius", radius)) ** 2
    twice = a + 2 * gamma * short
    root = sqrt_up(
        a**2 + 4 * gamma * short * a + 8 * gamma**2 * a * count("pairs", pairs)
    )
    return (twice + root) / (2 * gamma**2)


_SERVED = (
    "the learner adds an example to its weights exactly if what it had predicted when "
    "it was asked was not the label, at the time when the label comes"
)


DELAY = Theorem(
    id="DELAY",
    statement=(
        "at most (k + 1) B mistakes, where B bounds the updates of the learner if no "
        "label is late"
    ),
    latex=r"M \leq (k + 1)\, B",
    premises=(
        "the learner changes only on a mistake, and B holds for any order of rounds",
        (
            "a late label is learned from exactly if the learner, as it is then, errs "
            "on its example"
        ),
        "when a label comes, at most k other predictions wait for theirs",
    ),
    counts="mistakes",
    reference=_MESTERHARM,
    tight=(
        "The unit vectors of PERC-LB attain it, each shown k + 1 times before its "
        "labels come."
    ),
    formula=_delayed,
)

DELAY_SERVED = Theorem(
    id="DELAY-SERVED",
    statement=(
        "at most (|u| sqrt(Q) + D) / gamma mistakes, where Q adds up |x|^2 over the "
        "mistakes, and 2 y y' x.x' over the pairs of them of which one was served "
        "before the label of the other had come"
    ),
    latex=(
        r"M \leq \frac{\|u\| \sqrt{Q} + D}{\gamma}, \quad Q = \sum_{t \in M} "
        r"\|x_t\|^2 + 2 \sum_{t \in M} \sum_{s \in O_t} y_s y_t\, x_s \cdot x_t"
    ),
    premises=(
        _SERVED,
        (
            "D adds up max(0, gamma - y u.x) over the mistakes, for some vector u, "
            "gamma > 0"
        ),
    ),
    counts="mistakes",
    reference=_MESTERHARM,
    tight=(
        "The unit vectors of PERC-LB attain it, each shown k + 1 times before its "
        "labels come."
    ),
    formula=_served,
)

DELAY_PAIRS = Theorem(
    id="DELAY-PAIRS",
    statement=(
        "at most (a + 2 gamma D + sqrt(a^2 + 4 gamma D a + 8 gamma^2 a P)) / "
        "(2 gamma^2) mistakes, where a = |u|^2 R^2 and P counts the pairs of mistakes "
        "of which one was served before the label of the other had come"
    ),
    latex=(
        r"M \leq \frac{a + 2 \gamma D + \sqrt{a^2 + 4 \gamma D a + 8 \gamma^2 a P}}"
        r"{2 \gamma^2}, \quad a = \|u\|^2 R^2"
    ),
    premises=(
        _SERVED,
        (
            "D adds up max(0, gamma - y u.x) over the mistakes, for some vector u, "
            "gamma > 0"
        ),
    ),
    counts="mistakes",
    reference=_MESTERHARM,
    tight=(
        "The unit vectors of PERC-LB attain it, each shown k + 1 times before its "
        "labels come."
    ),
    formula=_paired,
)
