"""Theorems about the Perceptron.

All bound the number of updates U, and mistakes are at most U. They may be evaluated on
the updates alone, which gives smaller bounds: the Perceptron behaves the same on the
subsequence of rounds that changed it. R is the largest |x|, for the examples as the
Perceptron adds them: scaled, and with the constant feature, if it has these options.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero
from littlestone.theorems._rounding import exact, sqrt_up
from littlestone.theorems._shares import of_deviation, of_deviation_norm, of_hinge
from littlestone.theorems._theorem import Number, Numbers, Theorem

__all__ = [
    "PERC_BIAS",
    "PERC_FS",
    "PERC_GAP",
    "PERC_HINGE",
    "PERC_LB",
    "PERC_RMS",
    "PERC_SEP",
    "PERC_TD",
]

_NOVIKOFF = (
    "Novikoff (1962), On convergence proofs on perceptrons, Symposium on the "
    "Mathematical Theory of Automata 12:615-622"
)
_FREUND_SCHAPIRE = (
    "Freund, Schapire (1999), Large margin classification using the perceptron "
    "algorithm, Machine Learning 37:277-296, https://doi.org/10.1023/A:1007662407062"
)
_SHALEV_SHWARTZ = (
    "Shalev-Shwartz, Ben-David (2014), Understanding machine learning, Cambridge "
    "University Press, https://doi.org/10.1017/CBO9781107298019"
)


def _separable(*, radius: Number, margin: Number, norm: Number = 1) -> Fraction:
    r, gamma = at_least_zero("radius", radius), above_zero("margin", margin)
    return (at_least_zero("norm", norm) * r / gamma) ** 2


def _total_deviation(*, radius: Number, margin: Number, deviation: Number) -> Fraction:
    r = at_least_zero("radius", radius)
    return _of_square(r**2, margin=margin, deviation=deviation)


def _of_square(square: Fraction, *, margin: Number, deviation: Number) -> Fraction:
    """Return PERC-TD from R^2, as R may be irrational."""
    gamma, total = above_zero("margin", margin), at_least_zero("deviation", deviation)
    root = sqrt_up(square**2 + 4 * gamma * total * square)
    return (square + 2 * gamma * total + root) / (2 * gamma**2)


def _root_mean_square(
    *, mean_radius: Number, margin: Number, deviation: Number
) -> Fraction:
    q = at_least_zero("mean_radius", mean_radius)
    return _of_square(q**2, margin=margin, deviation=deviation)


def _hinge(*, radius: Number, margin: Number, hinge: Number) -> Fraction:
    return _separable(radius=radius, margin=margin) + 2 * at_least_zero("hinge", hinge)


def _freund_schapire(
    *, radius: Number, margin: Number, deviation_norm: Number
) -> Fraction:
    r, gamma = at_least_zero("radius", radius), above_zero("margin", margin)
    return ((r + at_least_zero("deviation_norm", deviation_norm)) / gamma) ** 2


def _bias(
    *, radius: Number, margin: Number, threshold: Number, bias: Number
) -> Fraction:
    r, gamma = at_least_zero("radius", radius), above_zero("margin", margin)
    b, constant = exact("threshold", threshold), exact("bias", bias)
    if constant == 0:
        raise PremiseError(f"bias must not be 0, got {bias!r}")
    return (1 + (b / constant) ** 2) * (r**2 + constant**2) / gamma**2


def _gap(*, radius: Number, gap: Number, norm: Number = 1) -> Fraction:
    # With the constant feature, R^2 and the squared norm at most double, and the margin
    # is half the gap.
    return 4 * _separable(radius=radius, margin=above_zero("gap", gap) / 2, norm=norm)


def _apart(known: Numbers, declared: Numbers) -> Numbers | None:
    """Take the radius without the constant feature, if nothing scales the two."""
    return None if "radius" in known else declared


def _as_large(known: Numbers, declared: Numbers) -> Numbers | None:
    """Take the constant feature as the radius, if it is large enough."""
    radius = declared.get("radius", 0)
    if radius <= 0 or "radius" in known:
        return None
    constant: Number = abs(exact("bias", known.get("bias", 0)))
    return {**declared, "radius": constant} if constant >= radius else None


def _unit_vectors(*, margin: Number) -> Fraction:
    return Fraction(1 / above_zero("margin", margin) ** 2 // 1)


PERC_SEP = Theorem(
    id="PERC-SEP",
    statement="at most |u|^2 R^2 / gamma^2 updates",
    latex=r"U \leq \frac{\|u\|^2 R^2}{\gamma^2}",
    premises=("y u.x >= gamma > 0 on every round, for some vector u",),
    counts="updates",
    reference=_NOVIKOFF,
    tight="PerceptronAdversary attains it where 1/gamma^2 is whole: PERC-LB.",
    formula=_separable,
)

PERC_TD = Theorem(
    id="PERC-TD",
    statement=(
        "at most ((R + sqrt(R^2 + 4 gamma TD)) / (2 gamma))^2 updates, where TD is "
        "the total by which rounds fall short of the margin, max(0, gamma - y u.x)"
    ),
    latex=(
        r"U \leq \left(\frac{R + \sqrt{R^2 + 4 \gamma\, \mathrm{TD}}}{2 "
        r"\gamma}\right)^2, \quad \mathrm{TD} = \sum_t \max(0, \gamma - y_t\, u \cdot "
        "x_t)"
    ),
    premises=("u is a vector of length 1", "gamma > 0"),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    tight=(
        "PerceptronAdversary attains it with TD = 0; labels that alternate on one "
        "example approach it as the number of rounds grows."
    ),
    formula=_total_deviation,
    share=of_deviation,
)

PERC_RMS = Theorem(
    id="PERC-RMS",
    statement=(
        "at most ((Q + sqrt(Q^2 + 4 gamma TD)) / (2 gamma))^2 updates, where Q is the "
        "root mean square of |x| over the updates, and TD adds up "
        "max(0, gamma - y u.x)"
    ),
    latex=(
        r"U \leq \left(\frac{Q + \sqrt{Q^2 + 4 \gamma\, \mathrm{TD}}}{2 "
        r"\gamma}\right)^2, \quad Q^2 = \frac{1}{U} \sum_t \|x_t\|^2, \quad "
        r"\mathrm{TD} = \sum_t \max(0, \gamma - y_t\, u \cdot x_t)"
    ),
    premises=(
        "u is a vector of length 1",
        "gamma > 0",
        (
            "for every order of a stream: no B + 1 rounds, where B is the bound, "
            "rounded down, have a larger mean square"
        ),
    ),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    tight="PerceptronAdversary attains it with TD = 0, as all its examples are unit.",
    formula=_root_mean_square,
    share=of_deviation,
)

PERC_HINGE = Theorem(
    id="PERC-HINGE",
    statement=(
        "at most R^2 / gamma^2 + 2 H updates, where H is the total hinge loss, the sum "
        "of max(0, 1 - y u.x / gamma)"
    ),
    latex=(
        r"U \leq \frac{R^2}{\gamma^2} + 2 H, \quad H = \sum_t \max(0, 1 - y_t\, u "
        r"\cdot x_t / \gamma)"
    ),
    premises=("u is a vector of length 1", "gamma > 0"),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    tight=(
        "PerceptronAdversary attains it with H = 0; labels that alternate on one "
        "example reach half of it."
    ),
    formula=_hinge,
    share=of_hinge,
)

PERC_FS = Theorem(
    id="PERC-FS",
    statement=(
        "at most ((R + D) / gamma)^2 updates, where D^2 adds up the squares of "
        "max(0, gamma - y u.x)"
    ),
    latex=(
        r"U \leq \left(\frac{R + D}{\gamma}\right)^2, \quad D^2 = \sum_t \max(0, "
        r"\gamma - y_t\, u \cdot x_t)^2"
    ),
    premises=("u is a vector of length 1", "gamma > 0"),
    counts="updates",
    reference=_FREUND_SCHAPIRE,
    tight=(
        "PerceptronAdversary attains it with D = 0; on any stream it tends to the "
        "number of rounds that it is evaluated on as gamma grows."
    ),
    formula=_freund_schapire,
    share=of_deviation_norm,
)

PERC_BIAS = Theorem(
    id="PERC-BIAS",
    statement=(
        "at most (1 + b^2/B^2) (R^2 + B^2) / gamma^2 updates with a constant feature "
        "of value B, where R is the largest |x| without that feature"
    ),
    latex=r"U \leq \left(1 + \frac{b^2}{B^2}\right) \frac{R^2 + B^2}{\gamma^2}",
    premises=(
        "y (u.x - b) >= gamma > 0 on every round, for some vector u of length 1",
        "the constant feature `bias` = B is not 0",
    ),
    counts="updates",
    reference=_NOVIKOFF,
    tight=(
        "PerceptronAdversary forces n updates where the bound is n (1 + B^2), with "
        "b = 0."
    ),
    formula=_bias,
    fit=_apart,
)

PERC_GAP = Theorem(
    id="PERC-GAP",
    statement=(
        "at most 16 |u|^2 R^2 / gamma^2 updates with a constant feature of value R"
    ),
    latex=r"U \leq \frac{16\, \|u\|^2 R^2}{\gamma^2}",
    premises=(
        "u.x >= c on positives and u.x <= c - gamma on negatives, gamma > 0",
        "the constant feature `bias` = R is at least every |x| without that feature",
        "both classes occur",
    ),
    counts="updates",
    reference=_NOVIKOFF,
    tight="PerceptronAdversary forces a quarter of it.",
    formula=_gap,
    fit=_as_large,
)

PERC_LB = Theorem(
    id="PERC-LB",
    statement=(
        "at least 1/gamma^2 mistakes, rounded down, for every deterministic learner, "
        "while some vector of length 1 has the margin gamma"
    ),
    latex=r"M \geq \left\lfloor \frac{1}{\gamma^2} \right\rfloor",
    premises=(
        (
            "each of 1/gamma^2 rounds, rounded down, shows another unit vector, and "
            "the label is the opposite of the prediction"
        ),
    ),
    counts="mistakes",
    reference=_SHALEV_SHWARTZ,
    tight="The Perceptron makes no more: PERC-SEP.",
    formula=_unit_vectors,
    lower=True,
)
