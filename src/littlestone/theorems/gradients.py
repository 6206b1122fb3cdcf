"""Theorems about learners that follow the slopes of convex losses.

They bound the regret: how much more the learner has lost than any fixed vector u would
have, on the same examples. g is the gradient of a loss in the weights: its slope at the
score, times the example. Only rounds with a slope count; in the others the learner lost
as little as anybody can.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._rounding import Number, ln_bounds, sqrt_up
from littlestone.theorems._theorem import Theorem

__all__ = ["ADAGRAD", "COIN", "OGD", "coin_regret"]

_ZINKEVICH = (
    "Zinkevich (2003), Online convex programming and generalized infinitesimal "
    "gradient ascent, International Conference on Machine Learning, 928-936"
)
_DUCHI = (
    "Duchi, Hazan, Singer (2011), Adaptive subgradient methods for online learning and "
    "stochastic optimization, Journal of Machine Learning Research 12:2121-2159"
)
_ORABONA = (
    "Orabona, Pal (2016), Coin betting and parameter-free online learning, Advances in "
    "Neural Information Processing Systems 29"
)


def _descent(*, rate: Number, squares: Number, norm: Number) -> Fraction:
    eta, length = above_zero("rate", rate), at_least_zero("norm", norm)
    return length**2 / (2 * eta) + eta * at_least_zero("squares", squares) / 2


def _adaptive(*, drift: Number, energy: Number) -> Fraction:
    return (at_least_zero("drift", drift) + at_least_zero("energy", energy)) / 2


def _betting(*, wealth: Number, bets: Number, excess: Number = 0) -> Fraction:
    won = at_least_zero("wealth", wealth) + at_least_zero("bets", bets)
    return won + at_least_zero("excess", excess)


def coin_regret(
    weight: Number, turns: Number, wealth: Number, growth: Number = 1
) -> Fraction:
    r"""Return what one feature adds to the bets of `COIN`, rounded up.

    $|v| \sqrt{n \ln(1 + 24 n^2 v^2 h/\epsilon^2)}$, the most by which a bettor with
    wealth $\epsilon$ can fall behind $v$ in $n$ turns.

    Parameters
    ----------
    weight
        $v = u_i h_i$, the weight compared with, times the largest gradient.
    turns
        $n$, the sum of the sizes of the gradients, over the largest.
    wealth
        $\epsilon$, what the feature started with.
    growth
        $h$, by how much the largest gradient has grown since it started.

    Examples
    --------
    >>> from littlestone.theorems import coin_regret
    >>> round(float(coin_regret(1, 100, 1)), 2)
    35.19
    >>> float(coin_regret(0, 100, 1))
    0.0
    """
    v, n = at_least_zero("weight", weight), at_least_zero("turns", turns)
    start, grown = above_zero("wealth", wealth), above_zero("growth", growth)
    if v == 0 or n == 0:
        return Fraction(0)
    inside = 1 + 24 * (n * v / start) ** 2 * grown
    return v * sqrt_up(n * ln_bounds(inside)[1])


OGD = Theorem(
    id="OGD",
    statement=(
        "at most |u|^2 / (2 eta) + eta G / 2 more loss than u, where G adds up the "
        "squared lengths of the gradients"
    ),
    latex=(
        r"\sum_t \ell_t(w_t) - \ell_t(u) \leq \frac{\|u\|^2}{2\eta} + \frac{\eta}{2} "
        r"\sum_t \|g_t\|^2"
    ),
    premises=(
        "u is any vector",
        "losses are convex in the score w.x",
        "w starts at 0, and every round subtracts eta g from it",
    ),
    counts="regret",
    reference=_ZINKEVICH,
    tight=(
        "With the absolute loss of one feature that is always 1 and outcomes of random "
        "sign beyond all weights, the regret to |u| = eta sqrt(T) is the bound in the "
        "mean of the better of u and -u, less a constant factor."
    ),
    formula=_descent,
)

ADAGRAD = Theorem(
    id="ADAGRAD",
    statement=(
        "at most (drift + energy) / 2 more loss than u, where D_i is the root of the "
        "sum of g_i^2 over the rate, drift adds up the rises of D_i times (u_i - "
        "w_i)^2, and energy g_i^2 / D_i"
    ),
    latex=(
        r"\sum_t \ell_t(w_t) - \ell_t(u) \leq \frac12 \sum_i \sum_t \left[ (D_{t,i} - "
        r"D_{t-1,i})_+ (u_i - w_{t,i})^2 + \frac{g_{t,i}^2}{D_{t,i}} \right], \quad "
        r"D_{t,i} = \frac{1}{\eta_t} \sqrt{\textstyle\sum_{s \leq t} g_{s,i}^2}"
    ),
    premises=(
        "u is any vector, of examples as the learner normalizes them",
        "losses are convex in the score w.x",
        "w starts at 0, and every round subtracts g_i / D_i from w_i",
    ),
    counts="regret",
    reference=_DUCHI,
    tight=(
        "A feature that is always 1, the absolute loss, and outcomes beyond all "
        "weights: the regret to u is then u T less what was learned, and the bound "
        "half of it more."
    ),
    formula=_adaptive,
)

COIN = Theorem(
    id="COIN",
    statement=(
        "at most wealth + bets + excess more loss than u, where wealth is what all "
        "features started with, bets adds up |u_i| h_i sqrt(n_i ln(1 + 24 n_i^2 u_i^2 "
        "h_i^2 / e_i^2)), n_i is the sizes of the gradients over the largest, h_i, e_i "
        "the wealth at the start over the root of the growth of h_i, and excess the "
        "part of gradients beyond all before, times |w_i| + |u_i|"
    ),
    latex=(
        r"\sum_t \ell_t(w_t) - \ell_t(u) \leq \sum_i \epsilon_i + |u_i| h_i \sqrt{n_i "
        r"\ln\left(1 + \frac{24 n_i^2 u_i^2 h_i^2}{\epsilon_i^2} "
        r"\frac{h_i}{h_{1,i}}\right)} + \sum_{t,i} |g_{t,i} - c_{t,i}| (|w_{t,i}| + "
        r"|u_i|)"
    ),
    premises=(
        "u is any vector",
        "losses are convex in the score w.x",
        (
            "a weight is the share (up - down) / (up + down + h) of the wealth over h, "
            "where no gradient that counts exceeds h"
        ),
    ),
    counts="regret",
    reference=_ORABONA,
    tight=(
        "Gradients of random signs come within a constant factor: no learner without "
        "a rate can have less than |u| sqrt(T ln(|u| T))."
    ),
    formula=_betting,
)
