"""What is proved of Winnow."""

from __future__ import annotations

from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._rounding import ceil_log, exact, ln_bounds
from littlestone.theorems._theorem import Number, Theorem

__all__ = ["WIN1", "WIN2_SEP"]

_LITTLESTONE = (
    "Littlestone (1988), Learning quickly when irrelevant attributes abound, "
    "Machine Learning 2:285-318, https://doi.org/10.1007/BF00116827"
)


def _count(name: str, number: Number) -> Fraction:
    value = exact(name, number)
    if value < 1 or value.denominator != 1:
        raise PremiseError(f"{name} must be a whole number above 0, got {number!r}")
    return value


def _parameters(threshold: Number, promotion: Number) -> tuple[Fraction, Fraction]:
    theta, beta = exact("threshold", threshold), exact("promotion", promotion)
    if theta < 1:
        raise PremiseError(f"threshold must be at least 1, got {threshold!r}")
    if not beta > 1:
        raise PremiseError(f"promotion must exceed 1, got {promotion!r}")
    return theta, beta


def _elimination(
    *,
    features: Number,
    relevant: Number,
    threshold: Number | None = None,
    promotion: Number = 2,
) -> Fraction:
    n, r = _count("features", features), _count("relevant", relevant)
    theta, beta = _parameters(n if threshold is None else threshold, promotion)
    if r > n:
        raise PremiseError(f"relevant must be at most features, got {r} of {n}")
    # A relevant weight is never dropped, and promoted only while it is below theta.
    # Each false alarm drops at least theta of the total, each promotion adds less than
    # (beta - 1) theta to it.
    promotions = r * ceil_log(beta, theta)
    return beta * promotions + n / theta


def _demotion(
    *,
    features: Number,
    weight: Number,
    gap: Number,
    threshold: Number,
    promotion: Number | None = None,
    smallest: Number = 1,
) -> Fraction:
    n = _count("features", features)
    s, delta = exact("weight", weight), exact("gap", gap)
    x_min = exact("smallest", smallest)
    if s < 0:
        raise PremiseError(f"weight must be at least 0, got {weight!r}")
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
    large_n = beta / (beta - 1) * n / theta
    # How far, in powers of beta, a weight can grow. It is promoted by x only while
    # w x < theta, so it ends below theta beta^x / x, whose largest value over
    # [x_min, 1] is at one of the two ends.
    ln_beta = ln_bounds(beta)[0]
    ln_theta = ln_bounds(theta)[1]
    ln_small = ln_bounds(1 / x_min)[1]
    growth = ln_theta / ln_beta + max(Fraction(1), x_min + ln_small / ln_beta)
    promotions = (s * growth + (1 - delta) * large_n) / kappa
    return (1 + beta) * promotions + large_n


WIN1 = Theorem(
    id="WIN1",
    statement=(
        "at most beta r ceil(log_beta theta) + n / theta mistakes; with promotion "
        "beta = 2 and threshold theta = n that is 2 r ceil(lg n) + 1"
    ),
    premises=(
        "the label is the disjunction of r of n features",
        "every feature is 0 or 1",
        "false alarms eliminate",
    ),
    counts="mistakes",
    reference=_LITTLESTONE,
    formula=_elimination,
)

WIN2_SEP = Theorem(
    id="WIN2-SEP",
    statement=(
        "at most (1 + beta) u + N mistakes, where N = beta/(beta - 1) n/theta, "
        "u = (S G + (1 - delta) N) / (1 - (1 - delta) beta), and "
        "G = 1 + ln theta/ln beta for features that are 0 or 1; if the smallest value "
        "above 0 is x, G = ln theta/ln beta + max(1, x + ln(1/x)/ln beta)"
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
    formula=_demotion,
)
