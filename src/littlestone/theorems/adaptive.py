"""Theorems about learners that find their own rates.

The regret r to an expert on a round is the learner's loss minus the expert's, 0 while
it sleeps; or the same for the linearised loss, which is no less. All hold for every
expert, on the rounds on which it is awake.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import (
    above_zero,
    at_least_zero,
    count,
    inverse_prior,
    whole,
)
from littlestone.theorems._rounding import exact, ln_bounds, sqrt_up
from littlestone.theorems._theorem import Condition, Number, Theorem

__all__ = [
    "ADAHEDGE",
    "ADAHEDGE_FIRST",
    "BOA",
    "BOA_PUB",
    "ML_POLY",
    "ML_PROD",
    "ML_PROD_PUB",
]

_DE_ROOIJ = (
    "de Rooij, van Erven, Grünwald, Koolen (2014), Follow the leader if you can, hedge "
    "if you must, Journal of Machine Learning Research 15:1281-1316"
)
_GAILLARD = (
    "after Gaillard, Stoltz, van Erven (2014), A second-order bound with excess "
    "losses, Conference on Learning Theory 35:176-196"
)
_WINTENBERGER = (
    "after Wintenberger (2017), Optimal learning with Bernstein online aggregation, "
    "Machine Learning 106:119-141, https://doi.org/10.1007/s10994-016-5592-6"
)

# The most by which the total weight may grow on a jump, 1 + eta r.
_PROD_JUMP = Fraction(3, 2)
_BOA_JUMP = Fraction(1675, 1000)  # slightly above 1 + 1/sqrt(2.2) = 1.6742
_BOA_RATE = Fraction(22, 10)
_POLY_GROWTH = Fraction(506, 100)
_FASTEST = Fraction(1, 2)  # the first rate of the published forms
_EULER = Fraction(2718281828, 10**9)  # at most e


def _adahedge(
    *, variance: Number, experts: Number, scale: Number = 1, prior: Number | None = None
) -> Fraction:
    v, s = at_least_zero("variance", variance), at_least_zero("scale", scale)
    size = ln_bounds(whole("experts", experts))
    gap = sqrt_up(v * size[1]) + s * (Fraction(2, 3) * size[1] + 1)
    return _times(gap, size, prior)


def _first_order(
    *,
    best: Number,
    lowest: Number,
    highest: Number,
    experts: Number,
    scale: Number = 1,
) -> Fraction:
    loss, low, high = (
        exact("best", best),
        exact("lowest", lowest),
        exact("highest", highest),
    )
    if not low <= loss <= high:
        raise PremiseError(
            f"best must lie between lowest and highest, got {best!r} outside of "
            f"{lowest!r} to {highest!r}"
        )
    s, size = at_least_zero("scale", scale), ln_bounds(whole("experts", experts))[1]
    inside = (loss - low) * (high - loss) / (high - low) if high > low else Fraction(0)
    return 2 * sqrt_up(s * inside * size) + s * (Fraction(16, 3) * size + 2)


def _times(
    gap: Fraction, size: tuple[Fraction, Fraction], prior: Number | None
) -> Fraction:
    """Return twice the gap, or (1 + ln(1/prior)/ln N) times for another prior."""
    if prior is None:
        return 2 * gap
    if size[0] <= 0:
        raise PremiseError("experts must be at least 2 if a prior is given, got 1")
    return gap * (1 + ln_bounds(inverse_prior(None, prior))[1] / size[0])


def _poly(
    *,
    squares: Number,
    rounds: Number,
    scale: Number = 1,
    first: Number | None = None,
    experts: Number | None = None,
    prior: Number | None = None,
) -> Fraction:
    v, t = at_least_zero("squares", squares), count("rounds", rounds)
    largest = above_zero("scale", scale)
    start = largest if first is None else above_zero("first", first)
    if start > largest:
        raise PremiseError(f"first must be at most scale, got {first!r} and {scale!r}")
    growth = 1 + ln_bounds(1 + t)[1] + _POLY_GROWTH * ln_bounds(largest / start)[1]
    return sqrt_up((largest**2 + v) * inverse_prior(experts, prior) * growth)


def _prod(
    *,
    squares: Number,
    rounds: Number,
    experts: Number,
    scale: Number = 1,
    jumps: Number = 0,
    prior: Number | None = None,
    start: Number | None = None,
) -> Fraction:
    v, t = at_least_zero("squares", squares), count("rounds", rounds)
    n, largest = whole("experts", experts), at_least_zero("scale", scale)
    extra, least = count("jumps", jumps), _least(n, start)
    if n == 1:
        return Fraction(0)
    low, high = ln_bounds(least)[0], ln_bounds(n)[1]
    price = high if prior is None else _ln_up(inverse_prior(None, prior))
    # How far a rate can fall after the first round, and the inverse of the last rate.
    fall = 2 * largest * sqrt_up(high)
    drift = 1 if least == n else high / low
    fall = max(fall, sqrt_up(drift * (1 + t * largest**2)))
    inverse = max(2 * largest, sqrt_up((1 + v) / low))
    growth = (extra + 1) * ln_bounds(_PROD_JUMP)[1] + _ln_up(1 + _ln_up(fall))
    return inverse * (price + growth) + 2 * sqrt_up(high * (1 + v))


def _boa(
    *,
    squares: Number,
    growth: Number,
    jumps: Number = 0,
    experts: Number | None = None,
    prior: Number | None = None,
) -> Fraction:
    v, ratio = at_least_zero("squares", squares), exact("growth", growth)
    if ratio < 1:
        raise PremiseError(f"growth must be at least 1, got {growth!r}")
    price = ln_bounds(inverse_prior(experts, prior))[1]
    price += (count("jumps", jumps) + 1) * ln_bounds(_BOA_JUMP)[1]
    price += _ln_up(1 + _ln_up(ratio) / 2)
    return sqrt_up(_BOA_RATE * v) * price + 2 * sqrt_up(v / _BOA_RATE)


def _prod_published(
    *,
    squares: Number,
    rounds: Number,
    experts: Number,
    prior: Number | None = None,
    start: Number | None = None,
) -> Fraction:
    v, t = _regrets_of_rounds(squares, rounds)
    n = whole("experts", experts)
    least = _least(n, start)
    if n == 1:
        return Fraction(0)
    low, high = ln_bounds(least)[0], ln_bounds(n)[1]
    price = high if prior is None else _ln_up(inverse_prior(None, prior))
    spent = min(v * _FASTEST, 2 * sqrt_up((1 + v) * high))
    return _published(price, v=(1 + v) / low, fall=(1 + t) / low) + spent


def _boa_published(
    *,
    squares: Number,
    rounds: Number,
    experts: Number | None = None,
    prior: Number | None = None,
    start: Number | None = None,
    heaviest: Number | None = None,
) -> Fraction:
    v, t = _regrets_of_rounds(squares, rounds)
    inverse = inverse_prior(experts, prior)
    first = inverse if start is None else inverse_prior(None, start)
    if first > inverse:
        raise PremiseError(f"start must be at least the prior, got {start!r}")
    # Any prior is at most this one, or the rest that it leaves.
    most = max(1 / first, 1 - 1 / inverse) if experts is None else 1 / inverse
    if heaviest is not None:
        most = _share("heaviest", heaviest)
        if most < 1 / first:
            raise PremiseError(
                f"heaviest must be at least this expert's prior, got {heaviest!r}"
            )
    if inverse == 1:
        return Fraction(0)
    if most == 1:
        raise PremiseError("an expert with a prior of 1 must be the only one")
    price = ln_bounds(inverse)[1]
    spent = min(v * _FASTEST, 2 * sqrt_up(v * price) + _FASTEST)
    low, lowest = ln_bounds(first)[0], ln_bounds(1 / most)[0]
    return _published(price, v=v / low, fall=t / lowest) + spent


def _published(price: Fraction, *, v: Fraction, fall: Fraction) -> Fraction:
    """Return the price over the last rate, by squares over ln N and their maximum."""
    growth = 1 + _ln_up(max(fall / 4, Fraction(1))) / (2 * _EULER)
    return max(1 / _FASTEST, sqrt_up(v)) * (price + _ln_up(growth))


def _regrets_of_rounds(squares: Number, rounds: Number) -> tuple[Fraction, Fraction]:
    v, t = at_least_zero("squares", squares), count("rounds", rounds)
    if v >= t + 1:  # tolerates the rounding of a sum
        raise PremiseError(
            f"squares must be at most rounds, as no regret exceeds 1, got {squares!r} "
            f"in {rounds!r}"
        )
    return v, t


def _least(n: Fraction, start: Number | None) -> Fraction:
    """Return the smallest number of experts at which a rate was set."""
    least = n if start is None else whole("start", start)
    if least > n:
        raise PremiseError(f"start must be at most experts, got {start!r} of {n}")
    return max(least, Fraction(2))


def _share(name: str, number: Number) -> Fraction:
    share = exact(name, number)
    if not 0 < share <= 1:
        raise PremiseError(f"{name} must lie in (0, 1], got {number!r}")
    return share


def _ln_up(number: Fraction) -> Fraction:
    return ln_bounds(number)[1]


_DOWNHILL = (
    "the loss is convex in the prediction, which is an average of the advice; or r is "
    "the slope of the loss there times the difference to the advice"
)

ADAHEDGE = Theorem(
    id="ADAHEDGE",
    statement=(
        "regret at most 2 sqrt(V ln N) + S (4/3 ln N + 2), where V adds up the "
        "variances of the losses under the weights, and in each round the losses are "
        "at most S apart; for another prior, (1 + ln(1/prior)/ln N)/2 times as much"
    ),
    latex=r"R_i \leq 2 \sqrt{V \ln N} + S \left(\frac{4}{3} \ln N + 2\right)",
    premises=(
        (
            "the loss is convex in the prediction, which is the average of the advice "
            "by weights prior exp(-eta L)"
        ),
        (
            "eta = ln N / D, where D adds up the mixability gaps so far; only the "
            "leaders count while D = 0"
        ),
        "an expert asleep is charged the mix loss of those awake, whose gap is added",
    ),
    counts="regret",
    reference=_DE_ROOIJ,
    formula=_adahedge,
)

ADAHEDGE_FIRST = Theorem(
    id="ADAHEDGE-FIRST",
    statement=(
        "regret at most 2 sqrt(S ln N (L - L-) (L+ - L) / (L+ - L-)) + S (16/3 ln N + "
        "2), where L is the loss of the best expert, L- and L+ add up the smallest and "
        "the largest loss of each round, and in each round the losses are at most S "
        "apart"
    ),
    latex=(
        r"R_i \leq 2 \sqrt{S \ln N\, \frac{(L^* - L^-)(L^+ - L^*)}{L^+ - L^-}} + S "
        r"\left(\frac{16}{3} \ln N + 2\right)"
    ),
    premises=(
        *ADAHEDGE.premises[:2],
        "the experts have equal priors, and none is asleep",
    ),
    counts="regret",
    reference=_DE_ROOIJ,
    formula=_first_order,
    needs=frozenset({Condition.AWAKE}),
)

ML_POLY = Theorem(
    id="ML-POLY",
    statement=(
        "regret at most sqrt(N (E^2 + V) (1 + ln(1 + T) + 5.06 ln(E/E1))) after T "
        "rounds, where V adds up the squares r^2 of the expert, E is the largest |r| "
        "of all, E1 that of the first round with one; 1/prior in place of N"
    ),
    latex=(
        r"R_i \leq \sqrt{N (E^2 + V_i) \left(1 + \ln(1 + T) + 5.06 \ln "
        r"\frac{E}{E_1}\right)}"
    ),
    premises=(
        _DOWNHILL,
        (
            "the weight is prior max(R, 0) / (E^2 + V), with the regret R, E and V so "
            "far, and any where no R awake exceeds 0"
        ),
        "without `first` given, E1 = E: the scale was known before the first round",
    ),
    counts="regret",
    reference=_GAILLARD,
    tight="Losses against the heavier of two experts reach 0.35 of it.",
    formula=_poly,
)

ML_PROD = Theorem(
    id="ML-PROD",
    statement=(
        "regret at most max(2 E, sqrt((1 + V)/ln N)) (ln N + (J + 1) ln 1.5 + "
        "ln(1 + ln F)) + 2 sqrt((1 + V) ln N) with F = max(2 E sqrt(ln N), "
        "sqrt(1 + T E^2)) after T rounds, where V adds up the squares r^2 of the "
        "expert and E is the largest |r| of all"
    ),
    latex=(
        r"R_i \leq \max\left(2 E, \sqrt{\frac{1 + V_i}{\ln N}}\right) \left(\ln N + (J "
        r"+ 1) \ln 1.5 + \ln(1 + \ln F)\right) + 2 \sqrt{(1 + V_i) \ln N}, \quad F = "
        r"\max\left(2 E \sqrt{\ln N}, \sqrt{1 + T E^2}\right)"
    ),
    premises=(
        _DOWNHILL,
        (
            "the rate of an expert is eta = min(1/(2 E), sqrt(ln N/(1 + V))) by its "
            "own E and V, the round just played within"
        ),
        (
            "its weight is eta w, where w is 1 + eta r after the first round, and "
            "after each other one w^(eta/eta') (1 + eta r), eta' the rate before"
        ),
        "J counts the later rounds on which some eta' r is below -2/3",
        (
            "with priors the weight is prior eta w, and ln(1/prior) the first ln N; "
            "while experts join no rate rises, and `start` is how many there were first"
        ),
    ),
    counts="regret",
    reference=_GAILLARD,
    formula=_prod,
)

BOA = Theorem(
    id="BOA",
    statement=(
        "regret at most sqrt(2.2 V) (ln N + (J + 1) ln 1.675 + ln(1 + ln(G)/2)) + "
        "2 sqrt(V/2.2), where V adds up the squares r^2 of the expert, and G is the "
        "largest quotient of such a V and its first summand above 0; ln(1/prior) in "
        "place of ln N"
    ),
    latex=(
        r"R_i \leq \sqrt{2.2\, V_i} \left(\ln N + (J + 1) \ln 1.675 + \ln\left(1 + "
        r"\frac{1}{2} \ln G\right)\right) + 2 \sqrt{V_i / 2.2}"
    ),
    premises=(
        _DOWNHILL,
        "the rate of an expert is eta = 1/sqrt(2.2 V), the round just played within",
        (
            "its weight is prior eta exp(eta Q), where each round adds r - eta r^2 to "
            "Q; experts with V = 0 have their prior, and the others share the rest"
        ),
        (
            "J counts the rounds, after the first with an r not 0, on which some eta' "
            "r is below -2/3, eta' the rate before, or the first r not 0 of some "
            "expert comes"
        ),
    ),
    counts="regret",
    reference=_WINTENBERGER,
    formula=_boa,
)

_WITHIN = "every regret r lies in [-1, 1]: losses, or what takes their place, in [0, 1]"

ML_PROD_PUB = Theorem(
    id="ML-PROD-PUB",
    statement=(
        "regret at most max(2, sqrt((1 + V)/ln N)) (ln N + ln(1 + G)) + min(V/2, "
        "2 sqrt((1 + V) ln N)) with G = ln(max(1, (1 + T)/(4 ln N)))/(2 e) after T "
        "rounds, where V adds up the squares r^2 of the expert; ln(1/prior) in place "
        "of the second ln N"
    ),
    latex=(
        r"R_i \leq \max\left(2, \sqrt{\frac{1 + V_i}{\ln N}}\right) \left(\ln N + "
        r"\ln(1 + G)\right) + \min\left(\frac{V_i}{2}, 2 \sqrt{(1 + V_i) \ln "
        r"N}\right), \quad G = \frac{1}{2 e} \ln \max\left(1, \frac{1 + T}{4 \ln "
        r"N}\right)"
    ),
    premises=(
        _DOWNHILL,
        _WITHIN,
        (
            "the rate of an expert is eta = min(1/2, sqrt(ln N/(1 + V))), by its V "
            "before the round"
        ),
        (
            "its weight is prior eta w, where w = 1 at first, and each round makes it "
            "(w (1 + eta r))^(eta'/eta), eta' the rate after"
        ),
        (
            "while experts join no rate rises, and `start` is how many there were "
            "first, which is then the N under the roots of quotients"
        ),
    ),
    counts="regret",
    reference=_GAILLARD,
    tight="One expert that is always right among six that never are reaches 0.8 of it.",
    formula=_prod_published,
    needs=frozenset({Condition.UNIT}),
)

BOA_PUB = Theorem(
    id="BOA-PUB",
    statement=(
        "regret at most max(2, sqrt(V/ln N)) (ln N + ln(1 + G)) + min(V/2, "
        "2 sqrt(V ln N) + 1/2) with G = ln(max(1, T/(4 ln(1/P))))/(2 e) after T "
        "rounds, where V adds up the squares r^2 of the expert, and P is the largest "
        "prior of any; ln(1/prior) in place of ln N"
    ),
    latex=(
        r"R_i \leq \max\left(2, \sqrt{\frac{V_i}{\ln N}}\right) \left(\ln N + \ln(1 + "
        r"G)\right) + \min\left(\frac{V_i}{2}, 2 \sqrt{V_i \ln N} + "
        r"\frac{1}{2}\right), \quad G = \frac{1}{2 e} \ln \max\left(1, \frac{T}{4 "
        r"\ln(1/P)}\right)"
    ),
    premises=(
        _DOWNHILL,
        _WITHIN,
        (
            "the rate of an expert is eta = min(1/2, sqrt(ln(1/prior)/V)), by its V "
            "before the round, 1/2 while V = 0"
        ),
        (
            "its weight is prior eta exp(eta Q), where each round adds r - eta r^2 to "
            "Q, and eta in the weight is the rate after"
        ),
        (
            "while experts join, priors shrink but no rate rises: `prior` is the last "
            "one, `start` the first by which a rate was set, and `heaviest` the "
            "largest such first prior of any expert"
        ),
    ),
    counts="regret",
    reference=_WINTENBERGER,
    tight="One expert that is always right among 39 that never are reaches 0.9 of it.",
    formula=_boa_published,
    needs=frozenset({Condition.UNIT}),
)
