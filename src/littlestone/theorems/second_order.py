"""Theorems about the second-order Perceptron and AROW.

The numbers are sums over the examples that changed the learner, in the geometry that it
has learned, and for AROW also over zero examples, whose loss no step can change. They
must be rounded up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._rounding import sqrt_up
from littlestone.theorems._shares import (
    of_deviation,
    of_hinge,
    of_hinge_squares,
    of_mean,
)
from littlestone.theorems._theorem import Number, Theorem
from littlestone.theorems.passive_aggressive import of_steps

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["AROW", "AROW_DIAG", "AROW_STEPS", "SOP"]

_CESA_BIANCHI = (
    "Cesa-Bianchi, Conconi, Gentile (2005), A second-order perceptron algorithm, SIAM "
    "Journal on Computing 34:640-668, https://doi.org/10.1137/S0097539703432542"
)
_CRAMMER = (
    "Crammer, Kulesza, Dredze (2013), Adaptive regularization of weight vectors, "
    "Machine Learning 91:155-187, https://doi.org/10.1007/s10994-013-5327-x"
)


def _second_order(
    *, margin: Number, deviation: Number, energy: Number, log_det: Number
) -> Fraction:
    gamma, total = above_zero("margin", margin), at_least_zero("deviation", deviation)
    square = at_least_zero("energy", energy) * at_least_zero("log_det", log_det)
    return (total + sqrt_up(square)) / gamma


def _arow(
    *, energy: Number, log_det: Number, hinge: Number, margin_updates: Number
) -> Fraction:
    updates = at_least_zero("margin_updates", margin_updates)
    if updates.denominator != 1:
        raise PremiseError(
            f"margin_updates must be a whole number, got {margin_updates!r}"
        )
    growth = at_least_zero("log_det", log_det) + updates
    progress = sqrt_up(at_least_zero("energy", energy) * growth)
    bound = progress + at_least_zero("hinge", hinge) - updates
    if bound < 0:
        raise PremiseError(
            "margin_updates must be at most sqrt(energy (log_det + margin_updates)) + "
            f"hinge, as in every run, got {margin_updates!r}"
        )
    return bound


def _diagonal(
    *, radius: Number, r: Number, norm: Number, hinge_squares: Number, drift: Number
) -> Fraction:
    square, slack = at_least_zero("radius", radius) ** 2, above_zero("r", r)
    start = at_least_zero("norm", norm) ** 2
    losses = at_least_zero("hinge_squares", hinge_squares) / slack
    return (square + slack) * (start + losses + at_least_zero("drift", drift))


def _by_steps(
    *,
    norm: Number,
    drift: Number,
    steps: Number,
    mean_loss: Number,
    gained: Number,
    gain: Number,
) -> Fraction:
    start = at_least_zero("norm", norm) ** 2 + at_least_zero("drift", drift)
    return of_steps(start, steps=steps, mean_loss=mean_loss, gained=gained, gain=gain)


SOP = Theorem(
    id="SOP",
    statement=(
        "at most (TD + sqrt(energy log_det)) / gamma mistakes, where over the rounds "
        "with a mistake TD adds up max(0, gamma - y u.x), energy = r |u|^2 + sum of "
        "(u.x)^2, and log_det = ln det(I + sum of xx'/r); for the diagonal form, with "
        "D_i the sum of x_i^2, energy = sum of u_i^2 (r + D_i) and log_det = sum of "
        "ln(1 + D_i/r)"
    ),
    latex=(
        r"M \leq \frac{\mathrm{TD} + \sqrt{E\, \Lambda}}{\gamma}, \quad E = r \|u\|^2 "
        r"+ \sum_t (u \cdot x_t)^2, \quad \Lambda = \ln \det\left(I + \frac{1}{r} "
        r"\sum_t x_t x_t^\top\right), \quad \mathrm{TD} = \sum_t \max(0, \gamma - "
        r"y_t\, u \cdot x_t)"
    ),
    premises=(
        "u is any vector, gamma > 0",
        "a mistake adds yx to v and xx', or its diagonal, to A, which starts at rI",
        "the diagonal form adds x to A before it scores x by v.x/A",
    ),
    counts="mistakes",
    reference=_CESA_BIANCHI,
    tight=(
        "PerceptronAdversary forces n mistakes where the bound is n sqrt((r + 1) "
        "ln(1 + 1/r)), which tends to n as r grows."
    ),
    formula=_second_order,
    share=of_deviation,
)

AROW = Theorem(
    id="AROW",
    statement=(
        "at most sqrt(energy (log_det + U)) + H - U mistakes, where over the rounds "
        "with a loss energy = r |u|^2 + sum of (u.x)^2, log_det = ln det(I + sum of "
        "xx'/r), H adds up max(0, 1 - y u.x), and U counts those without a mistake"
    ),
    latex=(
        r"M \leq \sqrt{E\, (\Lambda + U)} + H - U, \quad E = r \|u\|^2 + \sum_t (u "
        r"\cdot x_t)^2, \quad \Lambda = \ln \det\left(I + \frac{1}{r} \sum_t x_t "
        r"x_t^\top\right), \quad H = \sum_t \max(0, 1 - y_t\, u \cdot x_t)"
    ),
    premises=(
        "u is any vector",
        "it updates exactly when y mu.x < 1",
        (
            "the covariance Sigma is a full matrix and starts as I; an update adds "
            "xx'/r to its inverse and yx/r to its inverse times mu"
        ),
    ),
    counts="mistakes",
    reference=_CRAMMER,
    tight=(
        "PerceptronAdversary forces n mistakes where the bound is n sqrt((r + 1) "
        "ln(1 + 1/r)), which tends to n as r grows."
    ),
    formula=_arow,
    share=of_hinge,
)

AROW_DIAG = Theorem(
    id="AROW-DIAG",
    statement=(
        "at most (R^2 + r) (|u|^2 + H2/r + drift) mistakes, where over the rounds with "
        "an update H2 adds up the squares of max(0, 1 - y u.x), and drift adds up "
        "x_i^2 (mu_i - u_i)^2 / r, with mu the mean after the update"
    ),
    latex=(
        r"M \leq (R^2 + r) \left(\|u\|^2 + \frac{H_2}{r} + \sum_t \sum_i "
        r"\frac{x_{t,i}^2 (\mu_{t,i} - u_i)^2}{r}\right), \quad H_2 = \sum_t \max(0, 1 "
        r"- y_t\, u \cdot x_t)^2"
    ),
    premises=(
        "u is any vector",
        "it updates exactly when l = 1 - y mu.x > 0",
        (
            "the covariance Sigma is diagonal and starts as I; an update adds "
            "y l Sigma x / (x'Sigma x + r) to mu, then x_i^2/r to each 1/Sigma_i"
        ),
    ),
    counts="mistakes",
    reference=_CRAMMER,
    tight="PerceptronAdversary attains it: u has the entries y_i/(1 + r).",
    formula=_diagonal,
    share=of_hinge_squares,
)

AROW_STEPS = Theorem(
    id="AROW-STEPS",
    statement=(
        "at most (|u|^2 + drift + 2 T h - G)/g mistakes, where T adds up the run's own "
        "steps tau = l/(x'Sigma x + r), h is the mean of max(0, 1 - y u.x), weighted "
        "by the steps, drift adds up x_i^2 (mu_i - u_i)^2 / r, with mu the mean after "
        "the update, and a step gains 2 tau l - tau^2 x'Sigma x: G in all without a "
        "mistake, g on average with one"
    ),
    latex=(
        r"M \leq \frac{\|u\|^2 + \sum_t \sum_i \frac{x_{t,i}^2 (\mu_{t,i} - "
        r"u_i)^2}{r} + 2 T h - G}{g}, \quad T = \sum_t \tau_t, \quad h = \frac{1}{T} "
        r"\sum_t \tau_t \max(0, 1 - y_t\, u \cdot x_t), \quad G = \sum_{\hat y_t = "
        r"y_t} a_t, \quad g = \frac{1}{M} \sum_{\hat y_t \neq y_t} a_t, \quad "
        r"\text{where } a_t \text{ is } 2 \tau_t \ell_t - \tau_t^2\, x_t^\top \Sigma_t "
        r"x_t"
    ),
    premises=(
        "u is any vector",
        (
            "the covariance Sigma is diagonal and starts as I; an update adds "
            "y tau Sigma x to mu, then x_i^2/r to each 1/Sigma_i"
        ),
        "a zero example counts as a step of 1 with loss 1",
    ),
    counts="mistakes",
    reference=_CRAMMER,
    tight="PerceptronAdversary attains it: u has the entries y_i/(1 + r).",
    formula=_by_steps,
    share=of_mean,
)
