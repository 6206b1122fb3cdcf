"""Theorems about Balanced Winnow, the normalised Winnow with signs.

It keeps a distribution p over the 2n features z = (x, -x), uniform at first, says yes
exactly when p.z >= 0, and on a mistake multiplies each p_i by exp(eta y z_i) and
normalises. The bounds may be evaluated on the mistakes alone.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero, whole
from littlestone.theorems._rounding import exact, float_up, ln_bounds
from littlestone.theorems._shares import of_deviation, of_owed
from littlestone.theorems._theorem import Number, Numbers, Theorem

__all__ = ["BWIN_ANY", "BWIN_GAP", "BWIN_RMS", "BWIN_SEP", "BWIN_STEPS"]

_GROVE = (
    "Grove, Littlestone, Schuurmans (2001), General convergence results for linear "
    "discriminant updates, Machine Learning 43:173-210, "
    "https://doi.org/10.1023/A:1010844028087; Littlestone (1989), Mistake bounds and "
    "logarithmic linear-threshold learning algorithms, PhD thesis, University of "
    "California, Santa Cruz"
)


def _any(
    *,
    features: Number,
    margin: Number,
    deviation: Number,
    rate: Number,
    scale: Number = 1,
) -> Fraction:
    n, gamma = whole("features", features), above_zero("margin", margin)
    total, eta = at_least_zero("deviation", deviation), above_zero("rate", rate)
    x = above_zero("scale", scale)
    drop = eta * gamma - (eta * x) ** 2 / 2
    if not drop > 0:
        raise PremiseError(
            f"rate must be below 2 margin/scale^2 = {float_up(2 * gamma / x**2):g}, "
            f"got {rate!r}"
        )
    return (ln_bounds(2 * n)[1] + eta * total) / drop


def _root_mean_square(
    *,
    features: Number,
    margin: Number,
    deviation: Number,
    rate: Number,
    mean_scale: Number,
) -> Fraction:
    return _any(
        features=features,
        margin=margin,
        deviation=deviation,
        rate=rate,
        scale=above_zero("mean_scale", mean_scale),
    )


def _separable(
    *, features: Number, margin: Number, scale: Number = 1, norm: Number = 1
) -> Fraction:
    # With the separator scaled to norm 1, this rate is the best one.
    gamma = above_zero("margin", margin) / above_zero("norm", norm)
    rate = gamma / above_zero("scale", scale) ** 2
    return _any(features=features, margin=gamma, deviation=0, rate=rate, scale=scale)


def _gap(
    *, features: Number, gap: Number, scale: Number = 1, norm: Number = 1
) -> Fraction:
    # One more feature, at most twice the norm, and half the gap as margin.
    return _separable(
        features=whole("features", features) + 1,
        margin=above_zero("gap", gap) / 2,
        scale=scale,
        norm=2 * above_zero("norm", norm),
    )


def _by_steps(
    *, price: Number, potential: Number, grown: Number, owed: Number
) -> Fraction:
    left = at_least_zero("potential", potential) + at_least_zero("grown", grown)
    return above_zero("price", price) * left + at_least_zero("owed", owed)


_NEAR = Fraction(1, 10**12)


def _with_constant(known: Numbers, declared: Numbers) -> Numbers | None:
    """Count the constant feature."""
    if known.get("bias", 0) and "features" in declared:
        return {**declared, "features": declared["features"] + 1}
    return declared


def _tuned(known: Numbers, margin: Number, norm: Number) -> bool:
    """Return whether the rate is margin/(norm X^2), up to the rounding of doubles."""
    rate, x = (exact(name, known[name]) for name in ("rate", "scale"))
    product, asked = rate * Fraction(norm) * x**2, Fraction(margin)
    return abs(product - asked) <= _NEAR * max(abs(product), abs(asked))


def _of_margin(known: Numbers, declared: Numbers) -> Numbers | None:
    tuned = _tuned(known, declared.get("margin", 0), declared.get("norm", 1))
    return _with_constant(known, declared) if tuned else None


def _of_gap(known: Numbers, declared: Numbers) -> Numbers | None:
    # Its formula counts the constant feature.
    tuned = _tuned(known, declared.get("gap", 0), 4 * declared.get("norm", 1))
    return declared if tuned and known.get("bias") == known["scale"] else None


BWIN_SEP = Theorem(
    id="BWIN-SEP",
    statement="at most 2 (|u|_1 X/alpha)^2 ln(2n) mistakes",
    latex=r"M \leq 2 \left(\frac{\|u\|_1 X}{\alpha}\right)^2 \ln(2n)",
    premises=(
        "y u.x >= alpha > 0 on every round, for some vector u",
        "the rate is alpha/(|u|_1 X^2), and every |x_i| at most X",
    ),
    counts="mistakes",
    reference=_GROVE,
    tight=(
        "Rows that halve the features never wrong so far force lg(2n) mistakes, where "
        "the bound is 2 ln(2n): 0.72 of it."
    ),
    formula=_separable,
    fit=_of_margin,
)

BWIN_ANY = Theorem(
    id="BWIN-ANY",
    statement=(
        "at most (ln(2n) + eta TD) / (eta gamma - eta^2 X^2/2) mistakes, where TD is "
        "the total by which rounds fall short of the margin, max(0, gamma - y u.x)"
    ),
    latex=(
        r"M \leq \frac{\ln(2n) + \eta\, \mathrm{TD}}{\eta \gamma - \eta^2 X^2 / 2}, "
        r"\quad \mathrm{TD} = \sum_t \max(0, \gamma - y_t\, u \cdot x_t)"
    ),
    premises=(
        "u is a vector with |u|_1 = 1",
        "gamma > 0",
        "0 < eta < 2 gamma/X^2, eta the rate, and every |x_i| at most X",
    ),
    counts="mistakes",
    reference=_GROVE,
    tight="With TD = 0 and the best rate it is BWIN-SEP, 0.72 of which can be forced.",
    formula=_any,
    share=of_deviation,
    fit=_with_constant,
)

BWIN_RMS = Theorem(
    id="BWIN-RMS",
    statement=(
        "at most (ln(2n) + eta TD) / (eta gamma - eta^2 Q^2 / 2) mistakes, where Q is "
        "the root mean square of the largest |x_i| of each mistake, and TD adds up "
        "max(0, gamma - y u.x)"
    ),
    latex=(
        r"M \leq \frac{\ln(2n) + \eta\, \mathrm{TD}}{\eta \gamma - \eta^2 Q^2 / 2}, "
        r"\quad Q^2 = \frac{1}{M} \sum_t \|x_t\|_\infty^2, \quad \mathrm{TD} = \sum_t "
        r"\max(0, \gamma - y_t\, u \cdot x_t)"
    ),
    premises=(
        "|u|_1 = 1, gamma > 0",
        "0 < eta < 2 gamma/Q^2",
        (
            "for every order of a stream: no B + 1 rounds, where B is the bound, "
            "rounded down, have a larger mean square"
        ),
    ),
    counts="mistakes",
    reference=_GROVE,
    tight="On features of one size it is BWIN-ANY.",
    formula=_root_mean_square,
    share=of_deviation,
)

BWIN_GAP = Theorem(
    id="BWIN-GAP",
    statement=(
        "at most 32 (|u|_1 X/alpha)^2 ln(2n + 2) mistakes with a constant feature of "
        "value X besides the n"
    ),
    latex=r"M \leq 32 \left(\frac{\|u\|_1 X}{\alpha}\right)^2 \ln(2n + 2)",
    premises=(
        "u.x >= c on positives and u.x <= c - alpha on negatives, alpha > 0",
        "the constant feature is X, at least every |x_i|",
        "the rate is alpha/(4 |u|_1 X^2)",
        "both classes occur",
    ),
    counts="mistakes",
    reference=_GROVE,
    formula=_gap,
    fit=_of_gap,
)

BWIN_STEPS = Theorem(
    id="BWIN-STEPS",
    statement=(
        "at most lambda (Phi + ln Z) + P mistakes, where Phi is the relative entropy "
        "of u to equal weights, Z what the run made of the mean weight, 1 at first, "
        "and P adds up max(0, 1 - lambda eta y u.x) over the mistakes"
    ),
    latex=(
        r"M \leq \lambda (\Phi + \ln Z) + P, \quad \Phi = \sum_i q_i \ln(2n q_i), "
        r"\quad Z = \frac{1}{2n} \sum_i e^{\eta \sum_t y_t z_{t,i}}, \quad P = \sum_t "
        r"\max(0,\, 1 - \lambda \eta\, y_t\, u \cdot x_t)"
    ),
    premises=(
        "u is a vector with |u|_1 <= 1, split into a distribution q over both signs",
        "lambda > 0, and eta is the rate",
    ),
    counts="mistakes",
    reference=_GROVE,
    tight=(
        "One mistake on one feature, of value 1, has (ln 2 + ln cosh eta)/eta, which "
        "tends to 1 as eta grows."
    ),
    formula=_by_steps,
    share=of_owed,
)
