"""Theorems about the passive-aggressive learners.

A round with loss l = max(0, 1 - y w.x) > 0 adds tau y x to w, where tau is l/|x|^2, or
min(C, l/|x|^2) (PA-I), or l/(|x|^2 + 1/(2C)) (PA-II). All bound mistakes, and may be
evaluated on the rounds with l > 0 alone. R is the largest |x|.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._shares import of_hinge, of_hinge_squares, of_mean
from littlestone.theorems._theorem import Number, Theorem

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["PA1", "PA2", "PA_SEP", "PA_STEPS"]

_CRAMMER = (
    "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), Online passive-aggressive "
    "algorithms, Journal of Machine Learning Research 7:551-585"
)


def _separable(*, radius: Number, norm: Number) -> Fraction:
    return (at_least_zero("radius", radius) * at_least_zero("norm", norm)) ** 2


def _first(
    *, radius: Number, aggressiveness: Number, norm: Number, hinge: Number
) -> Fraction:
    square = at_least_zero("radius", radius) ** 2
    return _first_of_square(
        square, aggressiveness=aggressiveness, norm=norm, hinge=hinge
    )


def _first_of_square(
    square: Fraction, *, aggressiveness: Number, norm: Number, hinge: Number
) -> Fraction:
    """Return PA1 from R^2, as R may be irrational."""
    c, u = above_zero("aggressiveness", aggressiveness), at_least_zero("norm", norm)
    return max(square, 1 / c) * (u**2 + 2 * c * at_least_zero("hinge", hinge))


def _second(
    *, radius: Number, aggressiveness: Number, norm: Number, hinge_squares: Number
) -> Fraction:
    square = at_least_zero("radius", radius) ** 2
    return _second_of_square(
        square, aggressiveness=aggressiveness, norm=norm, hinge_squares=hinge_squares
    )


def _second_of_square(
    square: Fraction, *, aggressiveness: Number, norm: Number, hinge_squares: Number
) -> Fraction:
    """Return PA2 from R^2, as R may be irrational."""
    c, u = above_zero("aggressiveness", aggressiveness), at_least_zero("norm", norm)
    losses = at_least_zero("hinge_squares", hinge_squares)
    return (square + 1 / (2 * c)) * (u**2 + 2 * c * losses)


def _by_steps(
    *, norm: Number, steps: Number, mean_loss: Number, gained: Number, gain: Number
) -> Fraction:
    return of_steps(
        at_least_zero("norm", norm) ** 2,
        steps=steps,
        mean_loss=mean_loss,
        gained=gained,
        gain=gain,
    )


def of_steps(
    start: Fraction, *, steps: Number, mean_loss: Number, gained: Number, gain: Number
) -> Fraction:
    """Return how many mistakes may gain so much, from the squared distance at first."""
    lost = at_least_zero("steps", steps) * at_least_zero("mean_loss", mean_loss)
    left = start + 2 * lost - at_least_zero("gained", gained)
    if left < 0:
        raise PremiseError(
            "gained must be at most the squared distance at first and twice what u "
            f"loses, as in every run, got {gained!r}"
        )
    return left / above_zero("gain", gain)


PA_SEP = Theorem(
    id="PA-SEP",
    statement="at most R^2 |u|^2 mistakes",
    latex=r"M \leq R^2 \|u\|^2",
    premises=(
        "y u.x >= 1 on every round, for some vector u",
        "the step is l/|x|^2, unlimited",
    ),
    counts="mistakes",
    reference=_CRAMMER,
    tight="PerceptronAdversary attains it: u has the entries y_i.",
    formula=_separable,
)

PA1 = Theorem(
    id="PA1",
    statement=(
        "at most max(R^2, 1/C) (|u|^2 + 2 C H) mistakes, where H adds up the hinge "
        "losses max(0, 1 - y u.x)"
    ),
    latex=(
        r"M \leq \max\left(R^2, \frac{1}{C}\right) \left(\|u\|^2 + 2 C H\right), \quad "
        r"H = \sum_t \max(0, 1 - y_t\, u \cdot x_t)"
    ),
    premises=("u is any vector", "the step is min(C, l/|x|^2), C > 0"),
    counts="mistakes",
    reference=_CRAMMER,
    tight=(
        "PerceptronAdversary attains it for C of at least 1, where u has the entries "
        "y_i; for a smaller C it forces more than half of it."
    ),
    formula=_first,
    share=of_hinge,
)

PA2 = Theorem(
    id="PA2",
    statement=(
        "at most (R^2 + 1/(2C)) (|u|^2 + 2 C H2) mistakes, where H2 adds up the "
        "squares of the hinge losses max(0, 1 - y u.x)"
    ),
    latex=(
        r"M \leq \left(R^2 + \frac{1}{2C}\right) \left(\|u\|^2 + 2 C H_2\right), \quad "
        r"H_2 = \sum_t \max(0, 1 - y_t\, u \cdot x_t)^2"
    ),
    premises=("u is any vector", "the step is l/(|x|^2 + 1/(2C)), C > 0"),
    counts="mistakes",
    reference=_CRAMMER,
    tight="PerceptronAdversary attains it: u has the entries 2C/(1 + 2C) y_i.",
    formula=_second,
    share=of_hinge_squares,
)

PA_STEPS = Theorem(
    id="PA-STEPS",
    statement=(
        "at most (|u|^2 + 2 T h - G)/g mistakes, where T adds up the run's own steps, "
        "h is the mean of max(0, 1 - y u.x), weighted by the steps, and a step tau "
        "with loss l gains 2 tau l - tau^2 |x|^2: G in all without a mistake, g on "
        "average with one"
    ),
    latex=(
        r"M \leq \frac{\|u\|^2 + 2 T h - G}{g}, \quad T = \sum_t \tau_t, \quad h = "
        r"\frac{1}{T} \sum_t \tau_t \max(0, 1 - y_t\, u \cdot x_t), \quad G = "
        r"\sum_{\hat y_t = y_t} a_t, \quad g = \frac{1}{M} \sum_{\hat y_t \neq y_t} "
        r"a_t, \quad \text{where } a_t \text{ is } 2 \tau_t \ell_t - \tau_t^2 \|x_t\|^2"
    ),
    premises=(
        "u is any vector",
        "the steps are any: tau y x is added on each round with a step",
        "a zero example counts as a step of C with loss 1",
    ),
    counts="mistakes",
    reference=_CRAMMER,
    tight="PerceptronAdversary attains it: u has the entries y_i.",
    formula=_by_steps,
    share=of_mean,
)
