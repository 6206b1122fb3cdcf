"""The theorem of copies that start anew, on every cover of time by their lives.

Time is cut into batches. At batch j = 1, 2, ... a copy joins with the share 1/(j + 1)
of the weight, and what all others have is multiplied by j/(j + 1); the copy of batch 0
had all. So a copy that was followed from its start to before batch e has lost at most
a factor of e to those that joined, its own start included.
"""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.theorems._premises import between, count, whole
from littlestone.theorems._rounding import ln_bounds
from littlestone.theorems._theorem import Number, Theorem
from littlestone.theorems.votes import WM

__all__ = ["RESTART", "WM_RESTART"]


def _restarting(
    *, best: Number, pieces: Number, batches: Number, beta: Number = Fraction(1, 2)
) -> Fraction:
    m, k = count("best", best), whole("pieces", pieces)
    factor, joined = between("beta", beta), ln_bounds(whole("batches", batches))[1]
    return (m * ln_bounds(1 / factor)[1] + k * joined) / ln_bounds(2 / (1 + factor))[0]


def _member(
    *,
    best: Number,
    pieces: Number,
    batches: Number,
    copy_beta: Number = Fraction(1, 2),
    beta: Number = Fraction(4, 5),
    experts: Number,
) -> Fraction:
    copies = _restarting(best=best, pieces=pieces, batches=batches, beta=copy_beta)
    return WM.formula(best=math.floor(copies), beta=beta, experts=experts)


RESTART = Theorem(
    id="RESTART",
    statement=(
        "at most (m ln(1/beta) + k ln J) / ln(2/(1 + beta)) mistakes, where the rounds "
        "are cut into k pieces, each begins where a copy does and ends within its "
        "life, m counts the mistakes of those copies, and J is the number of batches"
    ),
    latex=(
        r"M \leq \frac{m \ln \frac{1}{\beta} + k \ln J}{\ln \frac{2}{1 + \beta}}, "
        r"\quad m = \sum_{i=1}^k m_i, \quad m_i \text{ the mistakes of the copy begun "
        r"at piece } i"
    ),
    premises=(
        "a weighted vote of the copies is predicted",
        (
            "after a mistake, and only then, the weight of each wrong copy is "
            "multiplied by beta, and the weights are scaled to sum to one"
        ),
        "the copy of batch j joins with the share 1/(j + 1)",
    ),
    counts="mistakes",
    reference=(
        "Hazan, Seshadhri (2009), Efficient learning algorithms for changing "
        "environments, ICML, https://doi.org/10.1145/1553374.1553425; Littlestone, "
        "Warmuth (1994), The weighted majority algorithm, Information and Computation "
        "108:212-261, https://doi.org/10.1006/inco.1994.1009"
    ),
    tight=(
        "With one copy it is the mistakes times ln(1/beta)/ln(2/(1 + beta)), 2.41 for "
        "beta = 1/2: what any vote pays for its best member."
    ),
    formula=_restarting,
)

WM_RESTART = Theorem(
    id="WM-RESTART",
    statement=(
        "at most (R ln(1/beta) + ln N) / ln(2/(1 + beta)) mistakes, where one of the N "
        "experts lets copies start anew and R, rounded down, is what RESTART allows "
        "it: (m ln(1/c) + k ln J) / ln(2/(1 + c)), with c its own beta"
    ),
    latex=(
        r"M \leq \frac{R \ln(1/\beta) + \ln N}{\ln(2/(1 + \beta))}, \quad "
        r"R = \left\lfloor \frac{m \ln(1/c) + k \ln J}{\ln(2/(1 + c))} \right\rfloor"
    ),
    premises=(
        "the premises of WM, for the vote of the experts",
        "those of RESTART, for the vote of the copies of one expert",
    ),
    counts="mistakes",
    reference=RESTART.reference,
    tight=(
        "It is WM with what RESTART allows the expert, so never below WM with what "
        "that expert lost."
    ),
    formula=_member,
)
