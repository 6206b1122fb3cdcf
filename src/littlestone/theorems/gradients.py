"""Theorems about learners that follow the slopes of convex losses.

They bound the regret: how much more the learner has lost than any fixed vector u would
have, on the same examples. g is the gradient of a loss in the weights: its slope at the
score, times the example. Only rounds with a slope count; in the others the learner lost
as little as is possible.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._rounding import Number, ln_bounds, sqrt_up
from littlestone.theorems._theorem import Theorem

__all__ = [
    "ADAGRAD",
    "AIOLI",
    "COIN",
    "EG",
    "FTRL_L1",
    "MCADAGRAD",
    "OGD",
    "VAW",
    "coin_regret",
]

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
_MCMAHAN = (
    "McMahan (2017), A survey of algorithms and analysis for adaptive online learning, "
    "Journal of Machine Learning Research 18:1-50"
)
_GHAI = (
    "Ghai, Hazan, Singer (2020), Exponentiated gradient meets gradient descent, "
    "Algorithmic Learning Theory, 386-407"
)
_JEZEQUEL = (
    "Jezequel, Gaillard, Rudi (2020), Efficient improper learning for online logistic "
    "regression, Conference on Learning Theory, PMLR 125:2085-2108"
)
_VOVK = (
    "Vovk (2001), Competitive on-line statistics, International Statistical Review "
    "69:213-248, https://doi.org/10.1111/j.1751-5823.2001.tb00457.x"
)


def _descent(*, rate: Number, squares: Number, norm: Number) -> Fraction:
    eta, length = above_zero("rate", rate), at_least_zero("norm", norm)
    return length**2 / (2 * eta) + eta * at_least_zero("squares", squares) / 2


def _adaptive(*, drift: Number, energy: Number) -> Fraction:
    return (at_least_zero("drift", drift) + at_least_zero("energy", energy)) / 2


def _betting(*, wealth: Number, bets: Number, excess: Number = 0) -> Fraction:
    won = at_least_zero("wealth", wealth) + at_least_zero("bets", bets)
    return won + at_least_zero("excess", excess)


def _proximal(
    *,
    rate: Number,
    l1: Number,
    l2: Number,
    size: Number,
    norm: Number,
    drift: Number,
    energy: Number,
) -> Fraction:
    eta, length = above_zero("rate", rate), at_least_zero("norm", norm)
    start = at_least_zero("l1", l1) * at_least_zero("size", size)
    start += (at_least_zero("l2", l2) + 1 / eta) * length**2 / 2
    return start + _adaptive(drift=drift, energy=energy)


def _mirrored(*, rate: Number, entropy: Number, jumps: Number) -> Fraction:
    eta = above_zero("rate", rate)
    return (at_least_zero("entropy", entropy) + at_least_zero("jumps", jumps)) / eta


def _vovk(*, a: Number, norm: Number, spread: Number) -> Fraction:
    ridge = above_zero("a", a) * at_least_zero("norm", norm) ** 2
    return ridge + at_least_zero("spread", spread)


def _cautious(*, a: Number, norm: Number, gain: Number, excess: Number) -> Fraction:
    ridge = above_zero("a", a) * at_least_zero("norm", norm) ** 2 / 2
    return ridge + at_least_zero("gain", gain) + at_least_zero("excess", excess)


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
    35.2
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
        "at most |u|^2 / (2 eta) + eta G / 2 regret to u, where G adds up the "
        "squared lengths of the gradients"
    ),
    latex=(
        r"R \leq \frac{\|u\|^2}{2 \eta} + \frac{\eta G}{2}, \quad G = \sum_t "
        r"\|g_t\|^2"
    ),
    premises=(
        "u is any vector",
        "losses are convex in the score w.x",
        "w starts at 0, and every round subtracts eta g from it",
    ),
    counts="regret",
    reference=_ZINKEVICH,
    tight=(
        "Attained: by one feature that is always 1, the absolute loss, outcomes beyond "
        "all weights, and u the weight after the last round."
    ),
    formula=_descent,
)

ADAGRAD = Theorem(
    id="ADAGRAD",
    statement=(
        "at most (P + E) / 2 regret to u, where D_i is the root of the sum of "
        "g_i^2 over the rate, P adds up the rises of D_i times (u_i - w_i)^2, and "
        "E g_i^2 / D_i"
    ),
    latex=(
        r"R \leq \frac{P + E}{2}, \quad P = \sum_{t,i} (D_{t,i} - D_{t-1,i})_+ (u_i "
        r"- w_{t,i})^2, \quad E = \sum_{t,i} \frac{g_{t,i}^2}{D_{t,i}}, \quad "
        r"D_{t,i} = \frac{1}{\eta_t} \sqrt{\sum_{s \leq t} g_{s,i}^2}"
    ),
    premises=(
        "u is any vector, of examples as the learner normalizes them",
        "losses are convex in the score w.x",
        "w starts at 0, and every round subtracts g_i / D_i from w_i",
    ),
    counts="regret",
    reference=_DUCHI,
    tight=(
        "Attained: by one feature that is always 1, the absolute loss, outcomes beyond "
        "all weights, and u the weight after the last round."
    ),
    formula=_adaptive,
)

MCADAGRAD = Theorem(
    id="MCADAGRAD",
    statement=(
        "at most (P + E) / 2 regret in log loss to vectors u_c, one a class, where D "
        "is the root of the sum of g^2 over the rate, for each class and feature, P "
        "adds up the rises of D times (u - w)^2, and E g^2 / D"
    ),
    latex=(
        r"R \leq \frac{P + E}{2}, \quad P = \sum_{t,c,i} (D_{t,c,i} - D_{t-1,c,i})_+ "
        r"(u_{c,i} - w_{t,c,i})^2, \quad E = \sum_{t,c,i} \frac{g_{t,c,i}^2}"
        r"{D_{t,c,i}}, \quad D_{t,c,i} = \frac{1}{\eta_t} \sqrt{\sum_{s \leq t} "
        r"g_{s,c,i}^2}"
    ),
    premises=(
        "u_c are any vectors, of examples as the learner normalizes them",
        (
            "the loss is minus the logarithm of the probability that softmax of the "
            "scores gives to the class, among the classes that have come by then"
        ),
        "all w_c start at 0, and every round subtracts g / D from each weight",
    ),
    counts="regret",
    reference=_DUCHI,
    tight=(
        "Two classes in turn, no feature but the constant one: after 200 rounds the "
        "regret to the best vectors is 0.94 of the bound."
    ),
    formula=_adaptive,
)

COIN = Theorem(
    id="COIN",
    statement=(
        "at most W + B + X regret to u, where W is what all features started with, "
        "B adds up |u_i| h_i sqrt(n_i ln(1 + 24 n_i^2 u_i^2 h_i^2 / e_i^2)), n_i "
        "is the sizes of the gradients over the largest, h_i, e_i the wealth at "
        "the start over the root of the growth of h_i, and X the part of gradients "
        "beyond all before, times |w_i| + |u_i|"
    ),
    latex=(
        r"R \leq W + B + X, \quad W = \sum_i \varepsilon_i, \quad B = \sum_i |u_i| "
        r"h_i \sqrt{n_i \ln\left(1 + \frac{24 n_i^2 u_i^2 h_i^2}{\varepsilon_i^2} "
        r"\frac{h_i}{h_{1,i}}\right)}, \quad X = \sum_{t,i} |g_{t,i} - c_{t,i}| "
        r"(|w_{t,i}| + |u_i|)"
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
        "One feature that is always 1, the absolute loss, and outcomes beyond all "
        "weights: after 18 rounds the regret to the last weight is 0.73 of the bound."
    ),
    formula=_betting,
)

FTRL_L1 = Theorem(
    id="FTRL-L1",
    statement=(
        "at most l1 |u|_1 + (l2 + 1/eta) |u|^2 / 2 + (P + E) / 2 regret to u, "
        "where D_i is (1 + the root of the sum of g_i^2) / eta + l2, P adds up the "
        "rises of D_i times (u_i - w_i)^2, and E g_i^2 / D_i"
    ),
    latex=(
        r"R \leq \lambda_1 \|u\|_1 + \frac{\lambda_2 + 1/\eta}{2} \|u\|^2 + \frac{P "
        r"+ E}{2}, \quad P = \sum_{t,i} (D_{t,i} - D_{t-1,i}) (u_i - w_{t,i})^2, "
        r"\quad E = \sum_{t,i} \frac{g_{t,i}^2}{D_{t,i}}"
    ),
    premises=(
        "u is any vector, of examples as the learner normalizes them",
        "losses are convex in the score w.x",
        (
            "w is least for the tangents of the losses so far, plus l1 |w|_1, (l2 + "
            "1/eta) |w|^2 / 2, and the rises of D_i times (w_i - w_{t,i})^2 / 2"
        ),
    ),
    counts="regret",
    reference=_MCMAHAN,
    tight=(
        "Attained by the game of ADAGRAD with l1 = 0; with l1 = 0.2 and l2 = 0.1 the "
        "regret after 400 rounds is above 0.9999 of the bound."
    ),
    formula=_proximal,
)

EG = Theorem(
    id="EG",
    statement=(
        "at most (F + J) / eta regret to u, where F adds up u_i asinh(u_i/b) - "
        "sqrt(u_i^2 + b^2) + b, and J the divergences of each weight from the "
        "next, b (sinh(a) (a - a') - cosh(a) + cosh(a')) for weights b sinh(a)"
    ),
    latex=(
        r"R \leq \frac{F + J}{\eta}, \quad F = \sum_i u_i \sinh^{-1} "
        r"\frac{u_i}{\beta} - \sqrt{u_i^2 + \beta^2} + \beta, \quad J = \beta "
        r"\sum_{t,i} (a_{t,i} - a_{t+1,i}) \sinh a_{t,i} - \cosh a_{t,i} + \cosh "
        r"a_{t+1,i}"
    ),
    premises=(
        "u is any vector",
        "losses are convex in the score w.x",
        "a weight is b sinh(a), where a is -eta times the sum of its gradients",
    ),
    counts="regret",
    reference=_GHAI,
    tight=(
        "It is an identity for losses that are linear, less the divergence of u from "
        "the last weights; so the game of OGD attains it."
    ),
    formula=_mirrored,
)

VAW = Theorem(
    id="VAW",
    statement=(
        "at most a |u|^2 + S regret to u, where S adds up y^2 x'A^-1 x, with A = a "
        "I + the sum of xx' up to and including the round"
    ),
    latex=(
        r"R \leq a \|u\|^2 + S, \quad S = \sum_t y_t^2\, x_t^\top A_t^{-1} x_t, "
        r"\quad A_t = a I + \sum_{s \leq t} x_s x_s^\top"
    ),
    premises=(
        "u is any vector",
        "the loss is the square",
        "it predicts x'A^-1 b, where b is the sum of yx before the round",
    ),
    counts="regret",
    reference=_VOVK,
    tight=(
        "Outcomes of 1 and -1 in turn on one feature that is always 1, with a = 1: "
        "after 200 rounds the regret to the best weight is 0.985 of the bound."
    ),
    formula=_vovk,
)

AIOLI = Theorem(
    id="AIOLI",
    statement=(
        "at most a |u|^2 / 2 + G + X regret in log loss to u, where G adds up (q^2 v / "
        "(1 + h v) - (2p - 1)^2 v) / 2, with p the probability of yes, q that of the "
        "label, v = x'A^-1 x before the round and h the bend of its quadratic, and X "
        "adds up by how much the quadratics are above the losses of u"
    ),
    latex=(
        r"R \leq \frac{a}{2} \|u\|^2 + G + X, \quad G = \frac{1}{2} \sum_t "
        r"\frac{q_t^2 v_t}{1 + h_t v_t} - (2 p_t - 1)^2 v_t, \quad v_t = x_t^\top "
        r"A_{t-1}^{-1} x_t, \quad A_t = a I + \sum_{s \leq t} h_s x_s x_s^\top, \quad "
        r"X = \sum_t (\hat{\ell}_t(u) - \ell_t(u))_+"
    ),
    premises=(
        "u is any vector",
        "the loss is the log loss of the probability that a score stands for",
        (
            "a score is that of the w least for a |w|^2 / 2, the quadratics so far, "
            "and the losses of both labels of the example at hand"
        ),
        "a quadratic has the loss and the slope of its round at its score",
    ),
    counts="regret",
    reference=_JEZEQUEL,
    tight=(
        "It is an identity, less the distance of u from the last weights and what the "
        "quadratics are below the losses of u."
    ),
    formula=_cautious,
)
