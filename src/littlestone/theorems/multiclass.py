"""Theorems about learners with one weight vector per class.

U joins the vectors u_c of all classes, and |U|^2 is the sum of their |u_c|^2. An update
adds tau x to the weights of the right class and takes it from those of one other class:
in the joined space that is a step of length tau sqrt(2) |x|, so the bounds for two
classes hold with 2 R^2 for R^2. Only the rounds with an update matter.

The class weights always add up to 0, so the best score is never negative, and a class
not met before may start with weight 0. If no class is known, the first round is a
mistake that changes nothing: mistakes are at most one more than the bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.theorems._premises import at_least_zero
from littlestone.theorems._shares import (
    of_deviation,
    of_hinge,
    of_hinge_squares,
    of_mean,
)
from littlestone.theorems._theorem import Condition, Number, Theorem
from littlestone.theorems.passive_aggressive import (
    PA_SEP,
    PA_STEPS,
    _first_of_square,
    _second_of_square,
)
from littlestone.theorems.perceptron import PERC_SEP, _of_square

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = [
    "MCPA1",
    "MCPA2",
    "MCPA_SEP",
    "MCPA_STEPS",
    "MCPERC_RMS",
    "MCPERC_SEP",
    "MCPERC_TD",
]

_CRAMMER_SINGER = (
    "Crammer, Singer (2003), Ultraconservative online algorithms for multiclass "
    "problems, Journal of Machine Learning Research 3:951-991"
)
_PERCEPTRON = (
    "a mistake adds x to the weights of the right class and takes it from those of the "
    "class predicted, one with the highest score"
)
_PASSIVE_AGGRESSIVE = (
    "the step is that of {} for the difference of the right class y and the best other "
    "class c: l = max(0, 1 - (w_y - w_c).x), with 2 |x|^2 for |x|^2"
)
_NEW_CLASS = (
    "a class not met before has weight 0; a round when no class is known yet changes "
    "nothing and is not counted"
)


def _doubled(radius: Number) -> Fraction:
    return 2 * at_least_zero("radius", radius) ** 2


def _separable(*, radius: Number, margin: Number, norm: Number = 1) -> Fraction:
    return 2 * PERC_SEP.formula(radius=radius, margin=margin, norm=norm)


def _total_deviation(*, radius: Number, margin: Number, deviation: Number) -> Fraction:
    return _of_square(_doubled(radius), margin=margin, deviation=deviation)


def _root_mean_square(
    *, mean_radius: Number, margin: Number, deviation: Number
) -> Fraction:
    q = at_least_zero("mean_radius", mean_radius)
    return _total_deviation(radius=q, margin=margin, deviation=deviation)


def _unlimited(*, radius: Number, norm: Number) -> Fraction:
    return 2 * PA_SEP.formula(radius=radius, norm=norm)


def _first(
    *, radius: Number, aggressiveness: Number, norm: Number, hinge: Number
) -> Fraction:
    return _first_of_square(
        _doubled(radius), aggressiveness=aggressiveness, norm=norm, hinge=hinge
    )


def _second(
    *, radius: Number, aggressiveness: Number, norm: Number, hinge_squares: Number
) -> Fraction:
    return _second_of_square(
        _doubled(radius),
        aggressiveness=aggressiveness,
        norm=norm,
        hinge_squares=hinge_squares,
    )


MCPERC_SEP = Theorem(
    id="MCPERC-SEP",
    statement="at most 2 R^2 |U|^2 / gamma^2 updates",
    latex=(
        r"\mathrm{updates} \leq \frac{2 R^2 \|U\|^2}{\gamma^2}, \quad \|U\|^2 = \sum_c "
        r"\|u_c\|^2"
    ),
    premises=(
        "(u_y - u_c).x >= gamma > 0 for every class c other than y, on every round",
        _PERCEPTRON,
        _NEW_CLASS,
    ),
    counts="updates",
    reference=_CRAMMER_SINGER,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with two "
        "classes, both known; with k of them they force k/(2k - 2) of it."
    ),
    formula=_separable,
    needs=frozenset({Condition.CLASSES}),
)

MCPERC_TD = Theorem(
    id="MCPERC-TD",
    statement=(
        "at most ((Q + sqrt(Q^2 + 4 gamma TD)) / (2 gamma))^2 updates, where "
        "Q^2 = 2 R^2, and TD adds up max(0, gamma - (u_y - u_c).x), c the class "
        "predicted"
    ),
    latex=(
        r"\mathrm{updates} \leq \left(\frac{Q + \sqrt{Q^2 + 4 \gamma\, \mathrm{TD}}}{2 "
        r"\gamma}\right)^2, \quad Q^2 = 2 R^2, \quad \mathrm{TD} = \sum_t \max(0, "
        r"\gamma - (u_{y_t} - u_{c_t}) \cdot x_t)"
    ),
    premises=("|U| = 1", "gamma > 0", _PERCEPTRON, _NEW_CLASS),
    counts="updates",
    reference=_CRAMMER_SINGER,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with TD = 0, "
        "with any number of classes, all known."
    ),
    formula=_total_deviation,
    share=of_deviation,
    needs=frozenset({Condition.CLASSES}),
)

MCPERC_RMS = Theorem(
    id="MCPERC-RMS",
    statement=(
        "at most ((P + sqrt(P^2 + 4 gamma TD)) / (2 gamma))^2 updates, where "
        "P^2 = 2 Q^2, Q is the root mean square of |x| over the updates, and TD adds "
        "up max(0, gamma - (u_y - u_c).x), c the class predicted"
    ),
    latex=(
        r"\mathrm{updates} \leq \left(\frac{P + \sqrt{P^2 + 4 \gamma\, \mathrm{TD}}}{2 "
        r"\gamma}\right)^2, \quad P^2 = 2 Q^2, \quad \mathrm{TD} = \sum_t \max(0, "
        r"\gamma - (u_{y_t} - u_{c_t}) \cdot x_t)"
    ),
    premises=("|U| = 1", "gamma > 0", _PERCEPTRON, _NEW_CLASS),
    counts="updates",
    reference=_CRAMMER_SINGER,
    tight="On examples of one length it is MCPERC-TD.",
    formula=_root_mean_square,
    needs=frozenset({Condition.CLASSES}),
    share=of_deviation,
)

MCPA_SEP = Theorem(
    id="MCPA-SEP",
    statement="at most 2 R^2 |U|^2 mistakes",
    latex=r"M \leq 2 R^2 \|U\|^2, \quad \|U\|^2 = \sum_c \|u_c\|^2",
    premises=(
        "(u_y - u_c).x >= 1 for every class c other than y, on every round",
        _PASSIVE_AGGRESSIVE.format("PA-SEP"),
        _NEW_CLASS,
    ),
    counts="mistakes",
    reference=PA_SEP.reference,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with two "
        "classes, both known."
    ),
    formula=_unlimited,
    needs=frozenset({Condition.CLASSES}),
)

MCPA1 = Theorem(
    id="MCPA1",
    statement=(
        "at most max(2 R^2, 1/C) (|U|^2 + 2 C H) mistakes, where H adds up "
        "max(0, 1 - (u_y - u_c).x), c the class that lost"
    ),
    latex=(
        r"M \leq \max\left(2 R^2, \frac{1}{C}\right) \left(\|U\|^2 + 2 C H\right), "
        r"\quad H = \sum_t \max(0, 1 - (u_{y_t} - u_{c_t}) \cdot x_t)"
    ),
    premises=("U is any vector", _PASSIVE_AGGRESSIVE.format("PA1"), _NEW_CLASS),
    counts="mistakes",
    reference=PA_SEP.reference,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with two "
        "classes, both known, for C of at least 1/2."
    ),
    formula=_first,
    share=of_hinge,
    needs=frozenset({Condition.CLASSES}),
)

MCPA2 = Theorem(
    id="MCPA2",
    statement=(
        "at most (2 R^2 + 1/(2C)) (|U|^2 + 2 C H2) mistakes, where H2 adds up the "
        "squares of max(0, 1 - (u_y - u_c).x), c the class that lost"
    ),
    latex=(
        r"M \leq \left(2 R^2 + \frac{1}{2C}\right) \left(\|U\|^2 + 2 C H_2\right), "
        r"\quad H_2 = \sum_t \max(0, 1 - (u_{y_t} - u_{c_t}) \cdot x_t)^2"
    ),
    premises=("U is any vector", _PASSIVE_AGGRESSIVE.format("PA2"), _NEW_CLASS),
    counts="mistakes",
    reference=PA_SEP.reference,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with two "
        "classes, both known: the entries of u are 2C/(1 + 4C) and its opposite."
    ),
    formula=_second,
    share=of_hinge_squares,
    needs=frozenset({Condition.CLASSES}),
)

MCPA_STEPS = Theorem(
    id="MCPA-STEPS",
    statement=(
        "at most (|U|^2 + 2 T h - G)/g mistakes, where T adds up the run's own steps, "
        "h is the mean of max(0, 1 - (u_y - u_c).x), c the class that lost, weighted "
        "by the steps, and a step tau with loss l gains 2 tau l - 2 tau^2 |x|^2: G in "
        "all without a mistake, g on average with one"
    ),
    latex=(
        r"M \leq \frac{\|U\|^2 + 2 T h - G}{g}, \quad T = \sum_t \tau_t, \quad h = "
        r"\frac{1}{T} \sum_t \tau_t \max(0, 1 - (u_{y_t} - u_{c_t}) \cdot x_t), \quad "
        r"G = \sum_{\hat y_t = y_t} a_t, \quad g = \frac{1}{M} \sum_{\hat y_t \neq "
        r"y_t} a_t, \quad \text{where } a_t \text{ is } 2 \tau_t \ell_t - 2 \tau_t^2 "
        r"\|x_t\|^2"
    ),
    premises=(
        "U is any vector",
        "the steps are any: tau x is added to the right class and taken from another",
        "a zero example counts as a step of C with loss 1",
        _NEW_CLASS,
    ),
    counts="mistakes",
    reference=PA_SEP.reference,
    tight=(
        "Labels that contradict the prediction on unit vectors attain it with two "
        "classes, both known."
    ),
    formula=PA_STEPS.formula,
    needs=frozenset({Condition.CLASSES}),
    share=of_mean,
)
