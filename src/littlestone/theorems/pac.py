"""Theorems about examples drawn independently from one distribution.

The risk of a hypothesis is the probability that it errs on one more example. A bound
holds with probability 1 - delta over the draw. Sizes are numbers of examples.
"""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import at_least_zero, between, count, whole
from littlestone.theorems._rounding import exp_bounds, ln_bounds, sqrt_up
from littlestone.theorems._tails import at_most_up, upper_limit
from littlestone.theorems._theorem import Number, Theorem

__all__ = [
    "EST",
    "EST_EXACT",
    "MB2PAC_FAST",
    "MB2PAC_MEAN",
    "MB2PAC_RUN",
    "MB2PAC_SURVIVE",
    "PAC_AGNOSTIC",
    "PAC_FINITE",
    "PAC_OCCAM",
    "choosing_size",
    "clopper_pearson",
    "fast_sizes",
    "learning_size",
    "survival_length",
]

_BLUMER = (
    "Blumer, Ehrenfeucht, Haussler, Warmuth (1987), Occam's razor, Information "
    "Processing Letters 24:377-380, https://doi.org/10.1016/0020-0190(87)90114-1"
)
_HAUSSLER = (
    "Haussler (1992), Decision theoretic generalizations of the PAC model for neural "
    "net and other learning applications, Information and Computation 100:78-150, "
    "https://doi.org/10.1016/0890-5401(92)90010-D"
)
_ANGLUIN = (
    "Angluin (1988), Queries and concept learning, Machine Learning 2:319-342, "
    "https://doi.org/10.1023/A:1022821128753; Kearns, Li, Pitt, Valiant (1987), Recent "
    "results on Boolean concept learning, International Workshop on Machine Learning "
    "337-352"
)
_FROM_ONLINE = (
    "Littlestone (1989), From on-line to batch learning, Workshop on Computational "
    "Learning Theory 269-284"
)
_CESA_BIANCHI = (
    "Cesa-Bianchi, Conconi, Gentile (2004), On the generalization ability of on-line "
    "learning algorithms, IEEE Transactions on Information Theory 50:2050-2057, "
    "https://doi.org/10.1109/TIT.2004.833339"
)
_HOEFFDING = (
    "Hoeffding (1963), Probability inequalities for sums of bounded random variables, "
    "Journal of the American Statistical Association 58:13-30, "
    "https://doi.org/10.1080/01621459.1963.10500830"
)
_CLOPPER = (
    "Clopper, Pearson (1934), The use of confidence or fiducial limits illustrated in "
    "the case of the binomial, Biometrika 26:404-413, "
    "https://doi.org/10.1093/biomet/26.4.404"
)

_DRAWN = "the examples are drawn independently from one distribution"


# Sample sizes ------------------------------------------------------------------------


def _ln_size(size: Number | None, log_size: Number | None) -> Fraction:
    """Return ln |H| or slightly more, from the size or its logarithm."""
    if size is not None and log_size is None:
        return ln_bounds(whole("size", size))[1]
    if log_size is not None and size is None:
        return at_least_zero("log_size", log_size)
    raise PremiseError(
        "either size or log_size must be given, and not both, got "
        f"size={size!r} and log_size={log_size!r}"
    )


def _finite(
    *,
    epsilon: Number,
    delta: Number,
    size: Number | None = None,
    log_size: Number | None = None,
) -> Fraction:
    rate, chance = between("epsilon", epsilon), between("delta", delta)
    return (_ln_size(size, log_size) + ln_bounds(1 / chance)[1]) / rate


def _agnostic(
    *,
    epsilon: Number,
    delta: Number,
    size: Number | None = None,
    log_size: Number | None = None,
) -> Fraction:
    rate, chance = between("epsilon", epsilon), between("delta", delta)
    return 2 * (_ln_size(size, log_size) + ln_bounds(2 / chance)[1]) / rate**2


def _occam(
    *,
    mistakes: Number,
    examples: Number,
    delta: Number,
    size: Number | None = None,
    log_size: Number | None = None,
) -> Fraction:
    wrong, drawn = int(count("mistakes", mistakes)), int(whole("examples", examples))
    if wrong > drawn:
        raise PremiseError(
            f"mistakes must be at most examples, got {mistakes!r} and {examples!r}"
        )
    part = exp_bounds(-_ln_size(size, log_size))[0]
    return upper_limit(wrong, drawn, between("delta", delta) * part)


# From mistakes to PAC ----------------------------------------------------------------


def survival_length(mistakes: Number, epsilon: Number, delta: Number) -> int:
    """Return s = ln((M + 1) / delta) / epsilon, rounded up, of MB2PAC-SURVIVE.

    Examples
    --------
    >>> from littlestone.theorems import survival_length
    >>> survival_length(mistakes=22, epsilon=0.05, delta=0.01)  # ln 2300 = 7.74066
    155
    """
    bad = (count("mistakes", mistakes) + 1) / between("delta", delta)
    return math.ceil(ln_bounds(bad)[1] / between("epsilon", epsilon))


def learning_size(
    mistakes: Number, epsilon: Number, delta: Number, *, exact: bool = True
) -> int:
    """Return m1 of MB2PAC-FAST: with m1 examples some hypothesis has half the risk.

    If every hypothesis in use has a risk above epsilon/2, then the mistakes on m1
    examples stochastically dominate a binomial number with that rate, so at most M of
    them have a probability of at most P[Binomial(m1, epsilon/2) <= M]. The exact size
    is the smallest for which that is at most delta/2; the other is
    max(4 M, 16 ln(2/delta)) / epsilon.

    Examples
    --------
    >>> from littlestone.theorems import learning_size
    >>> learning_size(mistakes=10, epsilon=0.1, delta=0.1, exact=False)
    480
    >>> learning_size(mistakes=10, epsilon=0.1, delta=0.1)
    336
    """
    most, rate = int(count("mistakes", mistakes)), between("epsilon", epsilon)
    chance = between("delta", delta)
    enough = max(Fraction(4 * most), 16 * ln_bounds(2 / chance)[1]) / rate
    if not exact:
        return math.ceil(enough)
    # More draws make few mistakes less likely, so bisection finds the smallest.
    low, high = most, math.ceil(enough)
    while high - low > 1:
        middle = (low + high) // 2
        if at_most_up(middle, rate / 2, most) <= chance / 2:
            high = middle
        else:
            low = middle
    return high


def choosing_size(
    mistakes: Number, epsilon: Number, delta: Number, *, exact: bool = True
) -> int:
    """Return m2 of MB2PAC-FAST: m2 fresh examples find a good hypothesis.

    Of M + 1 hypotheses one has a risk of at most epsilon/2, and M may have more than
    epsilon. If the one with the fewest mistakes is bad, then for every c the good one
    has more than c, or a bad one has at most c. The exact size is the smallest for
    which some c makes P[Binomial(m2, epsilon/2) > c] + M P[Binomial(m2, epsilon) <= c]
    at most delta/2; the other is 32 ln(2 (M + 2) / delta) / epsilon.

    Examples
    --------
    >>> from littlestone.theorems import choosing_size
    >>> choosing_size(mistakes=10, epsilon=0.1, delta=0.1, exact=False)
    1754
    >>> choosing_size(mistakes=10, epsilon=0.1, delta=0.1)
    624
    """
    most, rate = int(count("mistakes", mistakes)), between("epsilon", epsilon)
    chance = between("delta", delta)
    enough = math.ceil(32 * ln_bounds(2 * (most + 2) / chance)[1] / rate)
    if not exact:
        return enough
    if most == 0:  # nothing to choose from
        return 0
    # At its best c the sum is the smallest error of any test between the two rates, as
    # the likelihood ratio rises with the count; and a test may ignore an example. So
    # the sum falls with m2, and bisection finds the smallest.
    low, high = 0, enough
    while high - low > 1:
        middle = (low + high) // 2
        if _confusion(middle, rate, most) <= chance / 2:
            high = middle
        else:
            low = middle
    return high


def _confusion(trials: int, rate: Fraction, bad: int) -> Fraction:
    """Bound the probability that a bad hypothesis looks as good as the good one."""
    # A count k favours the good one while 2^-k r^(m-k) >= M, where
    # r = (1 - epsilon/2) / (1 - epsilon). Any cut is valid, so it may be rounded.
    growth = ln_bounds((1 - rate / 2) / (1 - rate))[0]
    surplus = trials * growth - ln_bounds(Fraction(bad))[0]
    cut = math.floor(surplus / (ln_bounds(Fraction(2))[0] + growth))
    return at_most_up(trials, 1 - rate / 2, trials - cut - 1) + bad * at_most_up(
        trials, rate, cut
    )


def fast_sizes(
    mistakes: Number, epsilon: Number, delta: Number, *, exact: bool = True
) -> tuple[int, int]:
    """Return (m1, m2) of MB2PAC-FAST: examples to learn from, and to choose with.

    Examples
    --------
    >>> from littlestone.theorems import fast_sizes
    >>> fast_sizes(mistakes=10, epsilon=0.1, delta=0.1, exact=False)
    (480, 1754)
    >>> fast_sizes(mistakes=10, epsilon=0.1, delta=0.1)
    (336, 624)
    """
    return (
        learning_size(mistakes, epsilon, delta, exact=exact),
        choosing_size(mistakes, epsilon, delta, exact=exact),
    )


def _survive(*, mistakes: Number, epsilon: Number, delta: Number) -> Fraction:
    return (count("mistakes", mistakes) + 1) * survival_length(mistakes, epsilon, delta)


def _fast(*, mistakes: Number, epsilon: Number, delta: Number) -> Fraction:
    return Fraction(sum(fast_sizes(mistakes, epsilon, delta, exact=False)))


# Finished runs -----------------------------------------------------------------------


def _survived(*, before: Number, survived: Number, delta: Number) -> Fraction:
    number, rounds = count("before", before), count("survived", survived)
    chance = between("delta", delta)
    if rounds == 0:
        return Fraction(1)
    # The shares 1/((i+1)(i+2)) of delta add up to one over i = 0, 1, 2, ...
    rare = ln_bounds((number + 1) * (number + 2) / chance)[1]
    return 1 - exp_bounds(-rare / rounds)[0]


def _mean(*, mistakes: Number, rounds: Number, delta: Number) -> Fraction:
    wrong, played = count("mistakes", mistakes), whole("rounds", rounds)
    if wrong > played:
        raise PremiseError(
            f"mistakes must be at most rounds, got {mistakes!r} and {rounds!r}"
        )
    spread = sqrt_up(ln_bounds(1 / between("delta", delta))[1] / (2 * played))
    return min(Fraction(1), wrong / played + spread)


# Estimates ---------------------------------------------------------------------------


def _hoeffding(*, examples: Number, delta: Number) -> Fraction:
    drawn = whole("examples", examples)
    return sqrt_up(ln_bounds(2 / between("delta", delta))[1] / (2 * drawn))


def clopper_pearson(
    mistakes: Number, examples: Number, delta: Number
) -> tuple[Fraction, Fraction]:
    """Return the limits of EST-EXACT, the lower one rounded down and the upper one up.

    Examples
    --------
    >>> from littlestone.theorems import clopper_pearson
    >>> [round(float(limit), 6) for limit in clopper_pearson(0, 10, delta=0.05)]
    [0.0, 0.308497]
    """
    wrong, drawn = int(count("mistakes", mistakes)), int(whole("examples", examples))
    if wrong > drawn:
        raise PremiseError(
            f"mistakes must be at most examples, got {mistakes!r} and {examples!r}"
        )
    share = between("delta", delta) / 2
    return 1 - upper_limit(drawn - wrong, drawn, share), upper_limit(
        wrong, drawn, share
    )


def _exact(*, mistakes: Number, examples: Number, delta: Number) -> Fraction:
    return clopper_pearson(mistakes, examples, delta)[1]


PAC_FINITE = Theorem(
    id="PAC-FINITE",
    statement=(
        "(ln |H| + ln(1/delta)) / epsilon examples suffice: every hypothesis of H that "
        "is consistent with them has a risk of at most epsilon"
    ),
    latex=r"m \geq \frac{\ln |H| + \ln(1/\delta)}{\varepsilon}",
    premises=(
        _DRAWN,
        "the class H is finite and was chosen before the examples were drawn",
        "the learner returns a hypothesis of H that errs on none of them",
    ),
    counts="examples",
    reference=_BLUMER,
    formula=_finite,
)

PAC_AGNOSTIC = Theorem(
    id="PAC-AGNOSTIC",
    statement=(
        "(2 / epsilon^2) ln(2 |H| / delta) examples suffice: the hypothesis of H that "
        "errs on the fewest of them has a risk within epsilon of the least in H"
    ),
    latex=r"m \geq \frac{2}{\varepsilon^2} \ln \frac{2 |H|}{\delta}",
    premises=(
        _DRAWN,
        "the class H is finite and was chosen before the examples were drawn",
        "the learner returns a hypothesis of H with the fewest mistakes on them",
    ),
    counts="examples",
    reference=_HAUSSLER,
    formula=_agnostic,
)

PAC_OCCAM = Theorem(
    id="PAC-OCCAM",
    statement=(
        "error probability at most the p for which k or fewer mistakes on n examples "
        "have probability delta/|H|"
    ),
    latex=(
        r"p \leq \max \left\{ q : \Pr[\mathrm{Bin}(n, q) \leq k] \geq \delta/|H| "
        r"\right\}"
    ),
    premises=(
        _DRAWN,
        "the class H is finite and was chosen before the examples were drawn",
        "the hypothesis is any one of H, and errs on k of them",
    ),
    counts="error probability",
    reference=_BLUMER,
    formula=_occam,
)

MB2PAC_SURVIVE = Theorem(
    id="MB2PAC-SURVIVE",
    statement=(
        "at most (M + 1) s examples, s = ln((M + 1) / delta) / epsilon rounded up, "
        "until one hypothesis survives s in a row; its risk is at most epsilon"
    ),
    latex=(
        r"m \leq (M + 1)\, s, \quad s = \left\lceil \frac{1}{\varepsilon} \ln \frac{M "
        r"+ 1}{\delta} \right\rceil"
    ),
    premises=(
        _DRAWN,
        "the hypothesis changes only on a mistake",
        "there are at most M mistakes",
    ),
    counts="examples",
    reference=_ANGLUIN,
    formula=_survive,
)

MB2PAC_FAST = Theorem(
    id="MB2PAC-FAST",
    statement=(
        "m1 + m2 examples suffice, m1 = max(4 M, 16 ln(2/delta)) / epsilon to learn "
        "from and m2 = 32 ln(2 (M + 2) / delta) / epsilon to choose with, both rounded "
        "up: the hypothesis with the fewest mistakes on the m2 has a risk of at most "
        "epsilon"
    ),
    latex=(
        r"m = m_1 + m_2, \quad m_1 = \left\lceil \frac{\max(4 M, 16 "
        r"\ln(2/\delta))}{\varepsilon} \right\rceil, \quad m_2 = \left\lceil "
        r"\frac{32}{\varepsilon} \ln \frac{2 (M + 2)}{\delta} \right\rceil"
    ),
    premises=(
        _DRAWN,
        "the hypothesis changes only on a mistake",
        "there are at most M mistakes on the first m1 examples",
    ),
    counts="examples",
    reference=_FROM_ONLINE,
    formula=_fast,
)

MB2PAC_RUN = Theorem(
    id="MB2PAC-RUN",
    statement=(
        "error probability at most 1 - (delta / ((i + 1) (i + 2)))^(1/s), for every "
        "hypothesis of a run at once, with i mistakes before it, that survived s "
        "rounds"
    ),
    latex=(
        r"\Pr[\hat{y} \neq y] \leq 1 - \left(\frac{\delta}{(i + 1)(i + 2)}\right)^{1/s}"
    ),
    premises=(
        _DRAWN,
        "the hypothesis changes only on a mistake",
        "each example is played once",
    ),
    counts="error probability",
    reference=_ANGLUIN,
    formula=_survived,
)

MB2PAC_MEAN = Theorem(
    id="MB2PAC-MEAN",
    statement=(
        "error probability at most M/T + sqrt(ln(1/delta) / (2 T)), on average over "
        "the hypotheses that were in use in T rounds with M mistakes"
    ),
    latex=r"\Pr[\hat{y} \neq y] \leq \frac{M}{T} + \sqrt{\frac{\ln(1/\delta)}{2 T}}",
    premises=(
        _DRAWN,
        "each example is played once, and predicted before it is learned from",
        "the number of rounds T was chosen before",
    ),
    counts="error probability",
    reference=_CESA_BIANCHI,
    formula=_mean,
)

EST = Theorem(
    id="EST",
    statement=(
        "distance at most sqrt(ln(2/delta) / (2 n)) between the share of n examples "
        "on which a hypothesis errs and its risk"
    ),
    latex=r"|\hat{p} - p| \leq \sqrt{\frac{\ln(2/\delta)}{2 n}}",
    premises=(_DRAWN, "the hypothesis was chosen before the examples were drawn"),
    counts="distance",
    reference=_HOEFFDING,
    formula=_hoeffding,
)

EST_EXACT = Theorem(
    id="EST-EXACT",
    statement=(
        "error probability at most the p for which k or fewer mistakes on n examples "
        "have probability delta/2, and no less than the p for which k or more have it"
    ),
    latex=(
        r"p \leq \max \left\{ q : \Pr[\mathrm{Bin}(n, q) \leq k] \geq \delta/2 \right\}"
    ),
    premises=EST.premises,
    counts="error probability",
    reference=_CLOPPER,
    formula=_exact,
)
