"""Theorems about all orders of a stream, by what each round may cost.

The potential of a proof falls by some amount in each round and never below 0. In
another order the learner would meet each example with other weights. So of each round
only the extremes count: a, the least that a mistake on it brings the potential down,
and b, the most by which the round may raise it without a mistake. For every price
lambda > 0, the mistakes are then at most lambda times the potential at first plus, for
each round, the larger of 1 - lambda a and lambda b, or 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._shares import of_owed, of_residual
from littlestone.theorems._theorem import Condition, Number, Theorem
from littlestone.theorems.balanced import BWIN_ANY
from littlestone.theorems.passive_aggressive import PA1
from littlestone.theorems.second_order import AROW, SOP

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["AROW_ORDER", "BWIN_ORDER", "MCPA_ORDER", "PA_ORDER", "SOP_ORDER"]


def _priced(*, price: Number, potential: Number, owed: Number) -> Fraction:
    start = above_zero("price", price) * at_least_zero("potential", potential)
    return start + at_least_zero("owed", owed)


def _damped(
    *, price: Number, potential: Number, owed: Number, portion: Number
) -> Fraction:
    if above_zero("portion", portion) > 1:
        raise PremiseError(f"portion must be at most 1, got {portion!r}")
    return _priced(price=price, potential=potential, owed=owed)


def _ridge(*, r: Number, norm: Number, residual: Number, log_det: Number) -> Fraction:
    start = above_zero("r", r) * at_least_zero("norm", norm) ** 2
    losses = at_least_zero("residual", residual)
    return start + losses + at_least_zero("log_det", log_det)


PA_ORDER = Theorem(
    id="PA-ORDER",
    statement=(
        "at most lambda Phi + P mistakes in every order of the rounds, where Phi is "
        "|u|^2, and P adds up max(0, 1 - lambda a, lambda b): with h = 1 - y u.x, a is "
        "the least of tau (2 l - tau |x|^2 - 2 h) over the losses l >= 1 of a mistake, "
        "and b the most of its negative over those below 1, tau the step that l takes"
    ),
    latex=(
        r"M \leq \lambda \Phi + P, \quad \Phi = \|u\|^2, \quad P = \sum_t \max(0,\, 1 "
        r"- \lambda a_t,\, \lambda b_t), \quad a_t = \min_{\ell \geq 1} \tau (2 "
        r"\ell - \tau \|x_t\|^2 - 2 h_t), \quad b_t = \max_{0 \leq \ell \leq 1} "
        r"\tau (\tau \|x_t\|^2 + 2 h_t - 2 \ell), \quad h_t = 1 - y_t\, u "
        r"\cdot x_t"
    ),
    premises=(
        "u is any vector, lambda > 0",
        "the step tau of a loss l is l/|x|^2, min(C, l/|x|^2) or l/(|x|^2 + 1/(2C))",
        "a zero example costs 1",
    ),
    counts="mistakes",
    reference=PA1.reference,
    tight="PerceptronAdversary attains it: u has the entries y_i, and lambda = 1.",
    formula=_priced,
    share=of_owed,
)

MCPA_ORDER = Theorem(
    id="MCPA-ORDER",
    statement=(
        "at most lambda Phi + P mistakes in every order of the rounds, where Phi is "
        "|U|^2, and P adds up what a round may cost as in PA-ORDER, with 2 |x|^2 for "
        "|x|^2, and h = 1 - (u_y - u_c).x for the class c for which it is largest"
    ),
    latex=(
        r"M \leq \lambda \Phi + P, \quad \Phi = \|U\|^2, \quad P = \sum_t \max(0,\, 1 "
        r"- \lambda a_t,\, \lambda b_t), \quad a_t = \min_{\ell \geq 1} 2 \tau (\ell "
        r"- \tau \|x_t\|^2 - h_t), \quad b_t = \max_{0 \leq \ell \leq 1} 2 \tau "
        r"(\tau \|x_t\|^2 + h_t - \ell), \quad h_t = \max_{c \neq y_t} (1 - (u_{y_t} "
        r"- u_c) \cdot x_t)"
    ),
    premises=(
        "U is any vector, lambda > 0",
        "the step of a loss l is that of PA-ORDER for 2 |x|^2",
        "all classes are known from the start, or there are two",
    ),
    counts="mistakes",
    reference=PA1.reference,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with two "
        "classes, both known."
    ),
    formula=_priced,
    share=of_owed,
    needs=frozenset({Condition.CLASSES}),
)

SOP_ORDER = Theorem(
    id="SOP-ORDER",
    statement=(
        "at most lambda Phi + P mistakes in every order of the rounds, where, with D_i "
        "the sum of x_i^2 over all rounds, A_i = r + rho D_i, Phi is half of r |u|^2 + "
        "sum of ln(A_i/r) + r/A_i - 1, and P adds up max(0, 1 - lambda a), a = y u.x - "
        "sum of x_i^2 (u_i^2 + 1/A_i)/2"
    ),
    latex=(
        r"M \leq \lambda \Phi + P, \quad \Phi = \frac{1}{2} \left(r \|u\|^2 + \sum_i "
        r"\left(\ln \frac{A_i}{r} + \frac{r}{A_i} - 1\right)\right), \quad P = "
        r"\sum_t \max(0,\, 1 - \lambda a_t), \quad a_t = y_t\, u \cdot x_t - "
        r"\frac{1}{2} \sum_i x_{t,i}^2 \left(u_i^2 + \frac{1}{A_i}\right), \quad A_i "
        r"= r + \rho \sum_t x_{t,i}^2"
    ),
    premises=(
        "u is any vector, lambda > 0, 0 < rho <= 1",
        "a mistake adds yx to v and the squares of x to A, which starts at r",
        "x is added to A before it is scored by v.x/A",
    ),
    counts="mistakes",
    reference=SOP.reference,
    tight=(
        "PerceptronAdversary forces n mistakes, to which the bound tends as r grows, "
        "for rho = 1."
    ),
    formula=_damped,
    share=of_owed,
)

AROW_ORDER = Theorem(
    id="AROW-ORDER",
    statement=(
        "at most r |u|^2 + S + ln det(I + sum of xx'/r) mistakes in every order of the "
        "rounds, where S adds up (1 - y u.x)^2, both over all rounds"
    ),
    latex=(
        r"M \leq r \|u\|^2 + S + \Lambda, \quad S = \sum_t (1 - y_t\, u \cdot x_t)^2, "
        r"\quad \Lambda = \ln \det\left(I + \frac{1}{r} \sum_t x_t x_t^\top\right)"
    ),
    premises=AROW.premises,
    counts="mistakes",
    reference=AROW.reference,
    tight=(
        "PerceptronAdversary forces n mistakes where the bound is n (r/(1 + r) + "
        "ln(1 + 1/r)), which tends to n as r grows."
    ),
    formula=_ridge,
    share=of_residual,
)

BWIN_ORDER = Theorem(
    id="BWIN-ORDER",
    statement=(
        "at most lambda Phi + P mistakes in every order of the rounds, where P adds up "
        "max(0, 1 - lambda a), a = eta y u.x - eta^2 X^2/2, with X the largest |x_i| "
        "of the round, and Phi adds up q ln(2n q) over q = |u_i| + d and q = d for "
        "each of n features, d = (1 - |u|_1)/(2n)"
    ),
    latex=(
        r"M \leq \lambda \Phi + P, \quad \Phi = \sum_i \left((|u_i| + d) \ln(2n "
        r"(|u_i| + d)) + d \ln(2n d)\right), \quad P = \sum_t \max(0,\, 1 - \lambda "
        r"a_t), \quad a_t = \eta\, y_t\, u \cdot x_t - \frac{\eta^2}{2} "
        r"\|x_t\|_\infty^2, \quad d = \frac{1 - \|u\|_1}{2n}"
    ),
    premises=("u is a vector with |u|_1 <= 1", "lambda > 0", "eta is the rate"),
    counts="mistakes",
    reference=BWIN_ANY.reference,
    tight="For a u of one entry and features of one size it is BWIN-ANY.",
    formula=_priced,
    share=of_owed,
)
