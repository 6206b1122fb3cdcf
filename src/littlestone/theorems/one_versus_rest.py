"""Theorems about learners with one second-order learner a class, against the rest.

The learner of a class says yes to that class, and the class with the largest score is
predicted. If that is wrong, the learner of the right class or that of the class
predicted was wrong: the scores of both are on one side of 0 otherwise, and the right
one would be larger. So the mistakes are at most those of all learners together, and
their bounds are added. In the space that joins the classes they are one learner, whose
matrix has a block a class, and the numbers of its theorem are sums over the classes.

A class that is not known has no learner yet: such a round may be a mistake without
any of theirs. N counts those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import at_least_zero
from littlestone.theorems._shares import of_mean
from littlestone.theorems._theorem import Number, Theorem
from littlestone.theorems.second_order import AROW, AROW_STEPS, SOP

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["MCAROW", "MCAROW_STEPS", "MCSOP"]

_JOINED = (
    "each class has a learner, which says yes to it; the class with the largest score "
    "is predicted, and every learner learns from every round since its class is known"
)


def _strangers(number: Number) -> Fraction:
    strangers = at_least_zero("strangers", number)
    if strangers.denominator != 1:
        raise PremiseError(f"strangers must be a whole number, got {number!r}")
    return strangers


def _second_order(
    *,
    margin: Number,
    deviation: Number,
    energy: Number,
    log_det: Number,
    strangers: Number = 0,
) -> Fraction:
    alone = SOP.formula(
        margin=margin, deviation=deviation, energy=energy, log_det=log_det
    )
    return alone + _strangers(strangers)


def _arow(
    *,
    energy: Number,
    log_det: Number,
    hinge: Number,
    margin_updates: Number,
    strangers: Number = 0,
) -> Fraction:
    alone = AROW.formula(
        energy=energy, log_det=log_det, hinge=hinge, margin_updates=margin_updates
    )
    return alone + _strangers(strangers)


def _by_steps(
    *,
    norm: Number,
    drift: Number,
    steps: Number,
    mean_loss: Number,
    gained: Number,
    gain: Number,
    strangers: Number = 0,
) -> Fraction:
    alone = AROW_STEPS.formula(
        norm=norm,
        drift=drift,
        steps=steps,
        mean_loss=mean_loss,
        gained=gained,
        gain=gain,
    )
    return alone + _strangers(strangers)


MCSOP = Theorem(
    id="MCSOP",
    statement=(
        "at most (TD + sqrt(energy log_det)) / gamma + N mistakes, where TD, energy "
        "and log_det are those of SOP, added up over the learners of all classes, and "
        "N counts mistakes in rounds whose class was new"
    ),
    latex=(
        r"M \leq \frac{\mathrm{TD} + \sqrt{E\, \Lambda}}{\gamma} + N, \quad "
        r"\mathrm{TD} = \sum_c \mathrm{TD}_c, \quad E = \sum_c E_c, \quad \Lambda = "
        r"\sum_c \Lambda_c"
    ),
    premises=("u_c is any vector, gamma > 0", _JOINED, "the learners are those of SOP"),
    counts="mistakes",
    reference=SOP.reference,
    tight=(
        "Labels that contradict the prediction of two known classes on unit vectors "
        "force n mistakes where the bound is n sqrt((r + 1) ln(1 + 1/r))."
    ),
    formula=_second_order,
)

MCAROW = Theorem(
    id="MCAROW",
    statement=(
        "at most sqrt(energy (log_det + U)) + H - U + N mistakes, where energy, "
        "log_det, H and U are those of AROW, added up over the learners of all "
        "classes, and N counts mistakes in rounds whose class was new"
    ),
    latex=(
        r"M \leq \sqrt{E\, (\Lambda + U)} + H - U + N, \quad E = \sum_c E_c, \quad "
        r"\Lambda = \sum_c \Lambda_c, \quad H = \sum_c H_c, \quad U = \sum_c U_c"
    ),
    premises=("u_c is any vector", _JOINED, "the learners are those of AROW"),
    counts="mistakes",
    reference=AROW.reference,
    tight=(
        "With two classes whose learners say the opposite of each other every mistake "
        "counts twice, so it is at least twice the mistakes then."
    ),
    formula=_arow,
)

MCAROW_STEPS = Theorem(
    id="MCAROW-STEPS",
    statement=(
        "at most (|U|^2 + drift + 2 T h - G)/g + N mistakes, where |U|^2 adds up the "
        "|u_c|^2, the others are those of AROW-STEPS over the learners of all classes "
        "together, and N counts mistakes in rounds whose class was new"
    ),
    latex=(
        r"M \leq \frac{\|U\|^2 + \sum_t \sum_i \frac{x_{t,i}^2 (\mu_{t,i} - "
        r"u_i)^2}{r} + 2 T h - G}{g} + N, \quad \|U\|^2 = \sum_c \|u_c\|^2"
    ),
    premises=("u_c is any vector", _JOINED, "the learners are those of AROW-STEPS"),
    counts="mistakes",
    reference=AROW.reference,
    tight=(
        "With two classes whose learners say the opposite of each other every mistake "
        "counts twice, so it is at least twice the mistakes then."
    ),
    formula=_by_steps,
    share=of_mean,
)
