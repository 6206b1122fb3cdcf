"""Theorems about votes among experts that say yes or no.

Every expert starts with a weight, its prior: a share of the whole, 1/N each unless
priors are given. `experts` = N means equal shares; `prior` is the share of the expert
compared with. m counts the mistakes of that expert.
"""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import between, count, inverse_prior, whole
from littlestone.theorems._rounding import floor_lg, ln_bounds, sqrt_up
from littlestone.theorems._theorem import Condition, Number, Theorem

__all__ = [
    "HALV",
    "HALV_LB",
    "HALV_R",
    "RWM",
    "RWM_TUNED",
    "WM",
    "WM_FLOOR",
    "WM_FLOOR_START",
]

_BARZDIN = (
    "Barzdin, Freivald (1972), On the prediction of general recursive functions, "
    "Soviet Mathematics Doklady 13:1224-1228; Littlestone (1988), Learning quickly "
    "when irrelevant attributes abound, Machine Learning 2:285-318, "
    "https://doi.org/10.1007/BF00116827"
)
_LITTLESTONE_WARMUTH = (
    "Littlestone, Warmuth (1994), The weighted majority algorithm, Information and "
    "Computation 108:212-261, https://doi.org/10.1006/inco.1994.1009"
)


def _halving(*, experts: Number | None = None, prior: Number | None = None) -> Fraction:
    return Fraction(floor_lg(inverse_prior(experts, prior)))


def _again(
    *,
    best: Number,
    experts: Number | None = None,
    prior: Number | None = None,
    lightest: Number | None = None,
) -> Fraction:
    m, last = count("best", best), floor_lg(inverse_prior(experts, prior))
    if prior is not None and lightest is None:
        raise PremiseError("lightest must be given with prior, got none")
    if lightest is not None and (prior is None or lightest > prior):
        raise PremiseError(
            "lightest must be at most prior, got "
            f"lightest={lightest!r} and prior={prior!r}"
        )
    most = last if lightest is None else floor_lg(inverse_prior(None, lightest))
    return Fraction(m * (most + 1) + last)


def _lower(*, experts: Number) -> Fraction:
    return Fraction(floor_lg(whole("experts", experts)))


def _majority(
    *,
    best: Number,
    beta: Number = Fraction(1, 2),
    experts: Number | None = None,
    prior: Number | None = None,
) -> Fraction:
    m, factor = count("best", best), between("beta", beta)
    start = ln_bounds(inverse_prior(experts, prior))[1]
    return (m * ln_bounds(1 / factor)[1] + start) / ln_bounds(2 / (1 + factor))[0]


def _floor(
    *, best: Number, experts: Number | None = None, prior: Number | None = None
) -> Fraction:
    return _of_floor(count("best", best), 8 * inverse_prior(experts, prior))


def _floor_start(
    *, best: Number, experts: Number | None = None, prior: Number | None = None
) -> Fraction:
    return _of_floor(count("best", best), inverse_prior(experts, prior))


def _of_floor(best: Fraction, start: Fraction) -> Fraction:
    """Return the bound for an expert with the share 1/start at the start.

    That is (m + lg start) / lg(8/7), with both logarithms natural.
    """
    fallen = best * ln_bounds(Fraction(2))[1] + ln_bounds(start)[1]
    return fallen / ln_bounds(Fraction(8, 7))[0]


def _randomized(
    *,
    best: Number,
    epsilon: Number,
    experts: Number | None = None,
    prior: Number | None = None,
) -> Fraction:
    m, rate = count("best", best), between("epsilon", epsilon)
    start = ln_bounds(inverse_prior(experts, prior))[1]
    return (m * ln_bounds(1 / (1 - rate))[1] + start) / rate


def _randomized_tuned(
    *, best: Number, experts: Number | None = None, prior: Number | None = None
) -> Fraction:
    m = count("best", best)
    low, high = ln_bounds(inverse_prior(experts, prior))
    if 4 * low > m:
        raise PremiseError(
            "best must be at least 4 ln N, or 4 ln(1/prior), for an epsilon of at most "
            f"1/2, got {best!r}"
        )
    return m + 2 * sqrt_up(m * high)


HALV = Theorem(
    id="HALV",
    statement="at most lg N mistakes, rounded down; or lg(1/prior)",
    latex=r"M \leq \lfloor \lg N \rfloor",
    premises=(
        "some expert is never wrong",
        (
            "the prediction is that of the majority of the experts never wrong, each "
            "counting as its prior"
        ),
    ),
    counts="mistakes",
    reference=_BARZDIN,
    tight="HalvingAdversary attains it where N is a power of 2: HALV-LB.",
    formula=_halving,
    needs=frozenset({Condition.AWAKE}),
)

HALV_R = Theorem(
    id="HALV-R",
    statement=(
        "at most (m + 1)(lg N + 1) - 1 mistakes, for every expert, wrong m times, with "
        "lg N rounded down; m (lg(1/least prior) + 1) + lg(1/prior) for priors"
    ),
    latex=r"M \leq (m + 1)(\lfloor \lg N \rfloor + 1) - 1",
    premises=(
        (
            "the prediction is that of the majority of the experts not wrong since the "
            "last restart, each counting as its prior"
        ),
        "when none is left, all restart",
    ),
    counts="mistakes",
    reference=_BARZDIN,
    tight=(
        "It is attained where N is a power of 2, all labels are no, half of the "
        "experts left say yes, in the end the only one left, and the others say no."
    ),
    formula=_again,
    needs=frozenset({Condition.AWAKE}),
)

HALV_LB = Theorem(
    id="HALV-LB",
    statement=(
        "at least lg N mistakes, rounded down, for every deterministic learner, "
        "while one of the N experts is never wrong"
    ),
    latex=r"M \geq \lfloor \lg N \rfloor",
    premises=(
        (
            "expert i votes bit t of i in round t, and the label is the "
            "opposite of the prediction"
        ),
        "lg N rounds are played",
    ),
    counts="mistakes",
    reference=_BARZDIN,
    tight="Halving makes no more: HALV.",
    formula=_lower,
    lower=True,
)

WM = Theorem(
    id="WM",
    statement=(
        "at most (m ln(1/beta) + ln N) / ln(2/(1 + beta)) mistakes, for every expert, "
        "wrong m times; ln(1/prior) in place of ln N"
    ),
    latex=r"M \leq \frac{m \ln(1/\beta) + \ln N}{\ln(2/(1 + \beta))}",
    premises=(
        "the prediction is that of the larger weight",
        (
            "the weight of a wrong expert is multiplied by beta, 0 < beta < 1: on "
            "every round; or on every round with a mistake, and m counts only those"
        ),
    ),
    counts="mistakes",
    reference=_LITTLESTONE_WARMUTH,
    tight=(
        "Advice that splits the weight evenly, with the label against the vote, "
        "reaches 0.97 of it for two experts and beta = 0.99."
    ),
    formula=_majority,
    needs=frozenset({Condition.AWAKE}),
)

WM_FLOOR = Theorem(
    id="WM-FLOOR",
    statement=(
        "at most (m + lg N + 3) / lg(8/7) mistakes on every interval of rounds, for "
        "every expert, wrong m times in it; lg(1/prior) in place of lg N"
    ),
    latex=r"M_I \leq \frac{m_I + \lg N + 3}{\lg(8/7)}",
    premises=(
        "the prediction is that of the larger weight",
        (
            "the weight of a wrong expert is halved while it is at least prior/4 of "
            "the whole, 1/(4N) for equal ones"
        ),
    ),
    counts="mistakes",
    reference=_LITTLESTONE_WARMUTH,
    formula=_floor,
    needs=frozenset({Condition.AWAKE}),
)

WM_FLOOR_START = Theorem(
    id="WM-FLOOR-START",
    statement=(
        "at most (m + lg N) / lg(8/7) mistakes from the start, for every expert, wrong "
        "m times; lg(1/prior) in place of lg N"
    ),
    latex=r"M \leq \frac{m + \lg N}{\lg(8/7)}",
    premises=WM_FLOOR.premises,
    counts="mistakes",
    reference=_LITTLESTONE_WARMUTH,
    formula=_floor_start,
    needs=frozenset({Condition.AWAKE}),
)

RWM = Theorem(
    id="RWM",
    statement=(
        "at most (m ln(1/(1 - epsilon)) + ln N) / epsilon expected mistakes, for every "
        "expert, wrong m times; ln(1/prior) in place of ln N"
    ),
    latex=r"\mathbb{E}\, M \leq \frac{m \ln(1/(1 - \varepsilon)) + \ln N}{\varepsilon}",
    premises=(
        "an expert is drawn with the weights as probabilities, and followed",
        (
            "on every round the weight of a wrong expert is multiplied by 1 - epsilon, "
            "0 < epsilon < 1"
        ),
        "an expected mistake is the probability of one, given the rounds before",
    ),
    counts="expected mistakes",
    reference=_LITTLESTONE_WARMUTH,
    tight=(
        "One expert that is always right among others that never are approaches it as "
        "epsilon falls to 0."
    ),
    formula=_randomized,
    needs=frozenset({Condition.AWAKE}),
)

RWM_TUNED = Theorem(
    id="RWM-TUNED",
    statement=(
        "at most m + 2 sqrt(m ln N) expected mistakes, for every expert, wrong at most "
        "m times; ln(1/prior) in place of ln N"
    ),
    latex=r"\mathbb{E}\, M \leq m + 2 \sqrt{m \ln N}",
    premises=(
        *RWM.premises,
        "epsilon = sqrt(ln N / m) is at most 1/2",
    ),
    counts="expected mistakes",
    reference=_LITTLESTONE_WARMUTH,
    tight=(
        "RandomExperts forces nearly half of the regret that it allows, as the numbers "
        "of rounds and experts grow."
    ),
    formula=_randomized_tuned,
    needs=frozenset({Condition.AWAKE, Condition.TUNED}),
)
