"""Theorems about Winnow."""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import above_zero, at_least_zero, count, whole
from littlestone.theorems._rounding import ceil_log, exact, ln_bounds
from littlestone.theorems._shares import of_slack
from littlestone.theorems._theorem import Number, Numbers, Theorem
from littlestone.theorems.sizes import terms

__all__ = [
    "WIN1",
    "WIN2_DISJ",
    "WIN2_DNF",
    "WIN2_GAP",
    "WIN2_KOFR",
    "WIN2_LEMMA",
    "WIN2_SEP",
    "WIN2_SLACK",
    "promotion_for",
]

_LITTLESTONE = (
    "Littlestone (1988), Learning quickly when irrelevant attributes abound, "
    "Machine Learning 2:285-318, https://doi.org/10.1007/BF00116827"
)


def _parameters(threshold: Number, promotion: Number) -> tuple[Fraction, Fraction]:
    theta, beta = exact("threshold", threshold), exact("promotion", promotion)
    if theta < 1:
        raise PremiseError(f"threshold must be at least 1, got {threshold!r}")
    if not beta > 1:
        raise PremiseError(f"promotion must exceed 1, got {promotion!r}")
    return theta, beta


def _at_most_features(relevant: Fraction, features: Fraction) -> None:
    if relevant > features:
        raise PremiseError(
            f"relevant must be at most features, got {relevant} of {features}"
        )


def _elimination(
    *,
    features: Number,
    relevant: Number,
    threshold: Number | None = None,
    promotion: Number = 2,
) -> Fraction:
    n, r = whole("features", features), whole("relevant", relevant)
    theta, beta = _parameters(n if threshold is None else threshold, promotion)
    _at_most_features(r, n)
    # A relevant weight is never dropped, and promoted only while it is below theta.
    # Each false alarm drops at least theta of the total, each promotion adds less than
    # (beta - 1) theta to it.
    promotions = r * ceil_log(beta, theta)
    return beta * promotions + n / theta


def _room(n: Fraction, theta: Fraction, beta: Fraction) -> Fraction:
    """Return N, the demotions that the initial weights allow."""
    return beta / (beta - 1) * n / theta


def _demotions(
    *, features: Number, promotions: Number, threshold: Number, promotion: Number
) -> Fraction:
    n, u = whole("features", features), count("promotions", promotions)
    theta, beta = _parameters(threshold, promotion)
    return _room(n, theta, beta) + beta * u


def _demotion(
    *,
    features: Number,
    weight: Number,
    gap: Number,
    threshold: Number,
    promotion: Number | None = None,
    smallest: Number = 1,
) -> Fraction:
    return _with_slack(
        features=features,
        weight=weight,
        gap=gap,
        threshold=threshold,
        promotion=promotion,
        smallest=smallest,
        slack=0,
    )


def _with_slack(
    *,
    features: Number,
    weight: Number,
    gap: Number,
    threshold: Number,
    promotion: Number | None,
    slack: Number,
    smallest: Number = 1,
) -> Fraction:
    missing = at_least_zero("slack", slack)
    n = whole("features", features)
    s, delta = at_least_zero("weight", weight), exact("gap", gap)
    x_min = exact("smallest", smallest)
    if not 0 < delta <= 1:
        raise PremiseError(f"gap must lie in (0, 1], got {gap!r}")
    if not 0 < x_min <= 1:
        raise PremiseError(f"smallest must lie in (0, 1], got {smallest!r}")
    theta, beta = _parameters(
        threshold, 1 + delta / 2 if promotion is None else promotion
    )
    kappa = 1 - (1 - delta) * beta
    if not kappa > 0:
        raise PremiseError(
            f"promotion must be below 1/(1 - gap) = {float(1 / (1 - delta)):g}, "
            f"got {promotion!r}"
        )
    large_n = _room(n, theta, beta)
    # How far, in powers of beta, a weight can grow. It is promoted by x only while
    # w x < theta, so it ends below theta beta^x / x, whose largest value over
    # [x_min, 1] is at one of the two ends.
    ln_beta = ln_bounds(beta)[0]
    ln_theta = ln_bounds(theta)[1]
    ln_small = ln_bounds(1 / x_min)[1]
    growth = ln_theta / ln_beta + max(Fraction(1), x_min + ln_small / ln_beta)
    promotions = (s * growth + (1 - delta) * large_n + missing) / kappa
    return (1 + beta) * promotions + large_n


def _disjunction(*, features: Number, relevant: Number) -> Fraction:
    return _k_of_r(features=features, relevant=relevant, k=1)


def _k_of_r(*, features: Number, relevant: Number, k: Number) -> Fraction:
    r, least = whole("relevant", relevant), whole("k", k)
    _at_most_features(r, whole("features", features))
    if least > r:
        raise PremiseError(f"k must be at most relevant, got {least} of {r}")
    return _weighed(features=features, weight=r, level=least, gap=1)


def _weighed(
    *,
    features: Number,
    weight: Number,
    level: Number,
    gap: Number,
    threshold: Number | None = None,
    smallest: Number = 1,
) -> Fraction:
    c, gamma = above_zero("level", level), above_zero("gap", gap)
    if gamma > c:
        raise PremiseError(f"gap must be at most level = {level!r}, got {gap!r}")
    return _demotion(
        features=features,
        weight=at_least_zero("weight", weight) / c,
        gap=gamma / c,
        threshold=features if threshold is None else threshold,
        smallest=smallest,
    )


def _over_terms(
    *,
    features: Number,
    k: Number,
    relevant: Number,
    threshold: Number,
    promotion: Number,
    deviation: Number = 0,
) -> Fraction:
    n, r = terms(features, k), count("relevant", relevant)
    theta, beta = _parameters(threshold, promotion)
    spared = at_least_zero("deviation", deviation)
    # As in `_demotion` with a gap of 1; what falls short of it counts as promotions.
    growth = 1 + ln_bounds(theta)[1] / ln_bounds(beta)[0]
    return (1 + beta) * (r * growth + spared) + _room(Fraction(n), theta, beta)


def promotion_for(level: Number, gap: Number) -> float:
    """Return the promotion of `WIN2-GAP`, 1 + gap/(2 level); 0 if there is none.

    Examples
    --------
    >>> from littlestone.theorems.winnow import promotion_for
    >>> promotion_for(level=1, gap=1), promotion_for(level=2, gap=3)
    (1.5, 0.0)
    """
    return 1 + float(Fraction(gap) / Fraction(level)) / 2 if 0 < gap <= level else 0.0


def _of_level(known: Numbers, declared: Numbers) -> Numbers | None:
    asked = promotion_for(declared.get("level", 0), declared.get("gap", 0))
    return declared if known.get("promotion") == asked else None


def _of_k(known: Numbers, declared: Numbers) -> Numbers | None:
    usual = known.get("threshold") == declared.get("features")
    asked = promotion_for(declared.get("k", 0), 1)
    return declared if usual and known.get("promotion") == asked else None


def _of_one(known: Numbers, declared: Numbers) -> Numbers | None:
    return declared if _of_k(known, {**declared, "k": 1}) is not None else None


WIN1 = Theorem(
    id="WIN1",
    statement=(
        "at most beta r ceil(log_beta theta) + n / theta mistakes; with promotion "
        "beta = 2 and threshold theta = n that is 2 r ceil(lg n) + 1"
    ),
    latex=r"M \leq \beta\, r \lceil \log_\beta \theta \rceil + \frac{n}{\theta}",
    premises=(
        "the label is the disjunction of r of n features",
        "every feature is 0 or 1",
        "false alarms eliminate",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight=(
        "Relevant features shown alone, and then all the others together, force nearly "
        "half of it."
    ),
    formula=_elimination,
)

WIN2_LEMMA = Theorem(
    id="WIN2-LEMMA",
    statement="at most beta/(beta - 1) n/theta + beta u demotions, u the promotions",
    latex=r"v \leq \frac{\beta}{\beta - 1} \cdot \frac{n}{\theta} + \beta\, u",
    premises=(
        "every feature lies in [0, 1]",
        "false alarms demote",
    ),
    counts="demotions",
    reference=_LITTLESTONE,
    formula=_demotions,
)

WIN2_SEP = Theorem(
    id="WIN2-SEP",
    statement=(
        "at most (1 + beta) u + N mistakes, where N = beta/(beta - 1) n/theta, "
        "u = (S G + (1 - delta) N) / (1 - (1 - delta) beta), and "
        "G = 1 + ln theta/ln beta for features that are 0 or 1; if the smallest value "
        "above 0 is x, G = ln theta/ln beta + max(1, x + ln(1/x)/ln beta)"
    ),
    latex=(
        r"M \leq (1 + \beta)\, u + N, \quad u = \frac{S\, G + (1 - \delta) N}{1 - (1 - "
        r"\delta) \beta}, \quad N = \frac{\beta}{\beta - 1} \cdot \frac{n}{\theta}, "
        r"\quad G = \frac{\ln \theta}{\ln \beta} + \max\left(1, x + "
        r"\frac{\ln(1/x)}{\ln \beta}\right)"
    ),
    premises=(
        (
            "mu >= 0 with mu.x >= 1 on positives and mu.x <= 1 - delta on negatives, "
            "0 < delta <= 1, S the sum of mu"
        ),
        "every feature is 0 or at least `smallest`, and at most 1",
        "(1 - delta) beta < 1",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight=(
        "On a disjunction the greedy adversary of WIN2-DISJ forces three fifths of it."
    ),
    formula=_demotion,
)

WIN2_SLACK = Theorem(
    id="WIN2-SLACK",
    statement=(
        "at most (1 + beta) u + N mistakes, where N = beta/(beta - 1) n/theta, "
        "u = (S G + (1 - delta) N + X) / (1 - (1 - delta) beta), G is that of "
        "WIN2-SEP, and X adds up what mu.x misses of 1 on positives, and exceeds "
        "1 - delta by on negatives"
    ),
    latex=(
        r"M \leq (1 + \beta)\, u + N, \quad u = \frac{S\, G + (1 - \delta) N + X}{1 - "
        r"(1 - \delta) \beta}, \quad N = \frac{\beta}{\beta - 1} \cdot "
        r"\frac{n}{\theta}, \quad G = \frac{\ln \theta}{\ln \beta} + \max\left(1, x + "
        r"\frac{\ln(1/x)}{\ln \beta}\right)"
    ),
    premises=(
        "mu >= 0, S the sum of mu, 0 < delta <= 1",
        "every feature is 0 or at least `smallest`, and at most 1",
        "(1 - delta) beta < 1",
        "false alarms demote",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="With X = 0 it is WIN2-SEP.",
    formula=_with_slack,
    share=of_slack,
)

WIN2_DISJ = Theorem(
    id="WIN2-DISJ",
    statement="at most 5/2 r (1 + ln n/ln(3/2)) + 3 mistakes",
    latex=r"M \leq \frac{5}{2}\, r \left(1 + \frac{\ln n}{\ln(3/2)}\right) + 3",
    premises=(
        "the label is the disjunction of r of n features",
        "every feature is 0 or 1",
        "false alarms demote, promotion is 3/2 and threshold is n",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight=(
        "A greedy adversary, whose rows weigh as close to the threshold as possible, "
        "forces three fifths of it."
    ),
    formula=_disjunction,
    fit=_of_one,
)

WIN2_KOFR = Theorem(
    id="WIN2-KOFR",
    statement=(
        "at most as many mistakes as WIN2-SEP says for delta = 1/k, S = r/k, "
        "beta = 1 + 1/(2k) and theta = n"
    ),
    latex=(
        r"M \leq \left(2 + \frac{1}{2k}\right) u + 2k + 1, \quad u = \frac{2k}{k + 1} "
        r"\left(r \left(1 + \frac{\ln n}{\ln(1 + 1/(2k))}\right) + (k - 1)(2k + "
        r"1)\right)"
    ),
    premises=(
        "the label says whether at least k of r of the n features are on",
        "every feature is 0 or 1",
        "false alarms demote, promotion is 1 + 1/(2k) and threshold is n",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="For k = 1 it is WIN2-DISJ, three fifths of which can be forced.",
    formula=_k_of_r,
    fit=_of_k,
)

WIN2_GAP = Theorem(
    id="WIN2-GAP",
    statement=(
        "at most as many mistakes as WIN2-SEP says for mu = w/c, delta = gamma/c and "
        "beta = 1 + delta/2; the threshold is n unless another is given"
    ),
    latex=(
        r"M \leq (1 + \beta)\, u + N, \quad u = \frac{S\, G + (1 - \delta) N}{1 - (1 - "
        r"\delta) \beta}, \quad \delta = \frac{\gamma}{c}, \quad S = \frac{1}{c} "
        r"\sum_i w_i, \quad \beta = 1 + \frac{\delta}{2}"
    ),
    premises=(
        (
            "w >= 0 with w.x >= c on positives and w.x <= c - gamma on negatives, "
            "0 < gamma <= c; `weight` is the sum of w"
        ),
        "every feature is 0 or at least `smallest`, and at most 1",
        "false alarms demote, and promotion is 1 + gamma/(2c)",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="For a disjunction it is WIN2-DISJ, three fifths of which can be forced.",
    formula=_weighed,
    fit=_of_level,
)

WIN2_DNF = Theorem(
    id="WIN2-DNF",
    statement=(
        "at most (1 + beta) (r (1 + ln theta/ln beta) + D) + beta/(beta - 1) N/theta "
        "mistakes, for every k-DNF of r terms that is wrong D times, where N is the "
        "number of terms of at most k literals"
    ),
    latex=(
        r"M \leq (1 + \beta) \left(r \left(1 + \frac{\ln \theta}{\ln \beta}\right) "
        r"+ D\right) + \frac{\beta}{\beta - 1} \cdot \frac{N_k}{\theta}, \quad N_k = "
        r"\sum_{i=0}^k \binom{n}{i} 2^i"
    ),
    premises=(
        (
            "D is at least the missed yes rounds in which no term is true, plus the "
            "terms that are true in each false alarm"
        ),
        "every feature is 0 or 1",
        "a term is false until its features are declared, or were true in a mistake",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    tight="For k = 1 and D = 0 it is WIN2-DISJ, three fifths of which can be forced.",
    formula=_over_terms,
)
