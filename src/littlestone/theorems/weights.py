"""Theorems about weights that fall exponentially with the loss.

Every expert starts with a weight, its prior: a share of the whole, 1/N each unless
priors are given. `experts` = N means equal shares; `prior` is the share of the expert
compared with. The prior of an expert that joins later is its share at that time, and
the shares of the others shrink to make room.
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
from littlestone.theorems._rounding import exact, exp_bounds, ln_bounds, sqrt_up
from littlestone.theorems._theorem import Condition, Number, Theorem

__all__ = [
    "AA",
    "EWA",
    "EWA_T",
    "EWA_TUNED",
    "EWA_XC",
    "FS",
    "FS_XC",
    "SLEEP",
    "SLEEP_T",
    "SLEEP_XC",
]

_CESA_BIANCHI_LUGOSI = (
    "Cesa-Bianchi, Lugosi (2006), Prediction, learning, and games, Cambridge "
    "University Press, https://doi.org/10.1017/CBO9780511546921"
)
_KIVINEN_WARMUTH = (
    "Kivinen, Warmuth (1999), Averaging expert predictions, Computational Learning "
    "Theory, 153-167, https://doi.org/10.1007/3-540-49097-3_13"
)
_VOVK = (
    "Vovk (1998), A game of prediction with expert advice, Journal of Computer and "
    "System Sciences 56:153-173, https://doi.org/10.1006/jcss.1997.1556; Vovk, Zhdanov "
    "(2009), Prediction with expert advice for the Brier game, Journal of Machine "
    "Learning Research 10:2445-2471"
)
_HERBSTER_WARMUTH = (
    "Herbster, Warmuth (1998), Tracking the best expert, Machine Learning 32:151-178, "
    "https://doi.org/10.1023/A:1007424614876"
)
_FREUND = (
    "Freund, Schapire, Singer, Warmuth (1997), Using and combining predictors that "
    "specialize, Symposium on Theory of Computing, 334-343, "
    "https://doi.org/10.1145/258533.258616"
)

_TINY = Fraction(1, 10**20)


def _one_minus_exp_down(eta: Fraction) -> Fraction:
    """Return a rational above 0, at or below 1 - exp(-eta)."""
    # For a tiny eta the exponential is 1 in all its digits, and the series is better.
    return eta - eta**2 / 2 if eta < _TINY else 1 - exp_bounds(-eta)[1]


def _exponential(
    *,
    eta: Number,
    best: Number,
    experts: Number | None = None,
    prior: Number | None = None,
    scale: Number = 1,
) -> Fraction:
    rate, loss = above_zero("eta", eta), at_least_zero("best", best)
    b = above_zero("scale", scale)
    start = ln_bounds(inverse_prior(experts, prior))[1]
    return b * (rate * loss + start) / _one_minus_exp_down(rate * b)


def _tuned(
    *,
    best: Number,
    experts: Number | None = None,
    prior: Number | None = None,
    scale: Number = 1,
) -> Fraction:
    loss, b = at_least_zero("best", best), above_zero("scale", scale)
    start = b * ln_bounds(inverse_prior(experts, prior))[1]
    return loss + start + sqrt_up(2 * loss * start)


def _horizon(
    *,
    rounds: Number,
    eta: Number | None = None,
    experts: Number | None = None,
    prior: Number | None = None,
    scale: Number = 1,
) -> Fraction:
    t, b = count("rounds", rounds), above_zero("scale", scale)
    start = ln_bounds(inverse_prior(experts, prior))[1]
    if eta is None:
        return b * sqrt_up(t * start / 2)
    rate = above_zero("eta", eta)
    return start / rate + rate * t * b**2 / 8


def _mixed(
    *, eta: Number, experts: Number | None = None, prior: Number | None = None
) -> Fraction:
    rate = above_zero("eta", eta)
    return ln_bounds(inverse_prior(experts, prior))[1] / rate


def _aggregating(
    *, eta: Number = 1, experts: Number | None = None, prior: Number | None = None
) -> Fraction:
    return _mixed(eta=eta, experts=experts, prior=prior)


def _shifting(
    *, eta: Number, share: Number, switches: Number, rounds: Number, experts: Number
) -> Fraction:
    rate, alpha = above_zero("eta", eta), exact("share", share)
    s, t = count("switches", switches), whole("rounds", rounds)
    n = whole("experts", experts)
    stays = t - s - 1
    if stays < 0:
        raise PremiseError(f"switches must be below rounds, got {s} in {t}")
    if not 0 <= alpha <= 1:
        raise PremiseError(f"share must lie in [0, 1], got {share!r}")
    if s and alpha == 0:
        raise PremiseError(f"share must exceed 0 if experts switch, got {share!r}")
    if stays and alpha == 1:
        raise PremiseError(f"share must be below 1 if experts stay, got {share!r}")
    price = (s + 1) * ln_bounds(n)[1]
    if s:
        price += s * ln_bounds(1 / alpha)[1]
    if stays:
        price += stays * ln_bounds(1 / (1 - alpha))[1]
    return price / rate


def _fixed_share(
    *,
    eta: Number,
    share: Number,
    switches: Number,
    rounds: Number,
    experts: Number,
    scale: Number = 1,
) -> Fraction:
    price = _shifting(
        eta=eta, share=share, switches=switches, rounds=rounds, experts=experts
    )
    spread = above_zero("scale", scale) ** 2 / 8
    return price + exact("eta", eta) * exact("rounds", rounds) * spread


_AVERAGE = (
    "the prediction is the average of the advice, weighted by prior exp(-eta L), where "
    "L is the total loss of the expert"
)
_CONVEX = "the loss is convex in the prediction, with values in [0, B], `scale` = B"
_CURVED = (
    "exp(-eta loss) is concave in the prediction: eta at most 1/(2 B^2) for the square "
    "loss of numbers at most B apart, 1 for the log loss, 1/4 for the Brier loss"
)
_ASLEEP = (
    "on each round the experts awake share the weight they had together, in proportion "
    "to weight exp(-eta loss); those asleep keep theirs, and are ignored"
)

EWA = Theorem(
    id="EWA",
    statement=(
        "loss at most B (eta L + ln N) / (1 - exp(-eta B)), for every expert, with the "
        "loss L; ln(1/prior) in place of ln N"
    ),
    latex=r"L \leq B\, \frac{\eta L_i + \ln N}{1 - e^{-\eta B}}",
    premises=(_CONVEX, _AVERAGE),
    counts="loss",
    reference=_CESA_BIANCHI_LUGOSI,
    tight=(
        "Two experts, of which the heavier one loses 1 on every round, approach it as "
        "eta falls to 0 and the number of rounds grows."
    ),
    formula=_exponential,
    needs=frozenset({Condition.AWAKE, Condition.CHARGED}),
)

EWA_TUNED = Theorem(
    id="EWA-TUNED",
    statement=(
        "loss at most L + B ln N + sqrt(2 L B ln N), for every expert with a loss of "
        "at most L; ln(1/prior) in place of ln N"
    ),
    latex=r"L \leq L^* + B \ln N + \sqrt{2 L^* B \ln N}",
    premises=(_CONVEX, _AVERAGE, "eta = ln(1 + sqrt(2 B ln N / L)) / B"),
    counts="loss",
    reference=_CESA_BIANCHI_LUGOSI,
    formula=_tuned,
    needs=frozenset({Condition.AWAKE, Condition.CHARGED, Condition.TUNED}),
)

EWA_T = Theorem(
    id="EWA-T",
    statement=(
        "regret at most ln N / eta + eta T B^2 / 8 after T rounds, for every expert, "
        "and so B sqrt(T ln N / 2) for the best eta; ln(1/prior) in place of ln N"
    ),
    latex=r"L - L_i \leq \frac{\ln N}{\eta} + \frac{\eta\, T B^2}{8}",
    premises=(
        (
            "the loss is convex in the prediction, and in each round the losses of the "
            "experts are at most B = `scale` apart"
        ),
        _AVERAGE,
        "without `eta` given, eta = sqrt(8 ln N / T) / B",
    ),
    counts="regret",
    reference=_CESA_BIANCHI_LUGOSI,
    tight=(
        "RandomExperts approaches it, for the best eta, as the numbers of rounds and "
        "experts grow."
    ),
    formula=_horizon,
    needs=frozenset({Condition.AWAKE}),
)

EWA_XC = Theorem(
    id="EWA-XC",
    statement=(
        "regret at most ln N / eta, for every expert, so 2 ln N for the square loss on "
        "[0, 1] and ln N for the log loss; ln(1/prior) in place of ln N"
    ),
    latex=r"L - L_i \leq \frac{\ln N}{\eta}",
    premises=(_CURVED, _AVERAGE),
    counts="regret",
    reference=_KIVINEN_WARMUTH,
    tight=(
        "The log loss attains it in one round, if one expert is certain of the outcome "
        "and all others are certain of the opposite."
    ),
    formula=_mixed,
    needs=frozenset({Condition.AWAKE, Condition.CURVED}),
)

AA = Theorem(
    id="AA",
    statement="regret at most ln N / eta, for every expert; ln(1/prior) for ln N",
    latex=r"L - L_i \leq \frac{\ln N}{\eta}",
    premises=(
        (
            "the loss of the prediction is at most -ln(sum of weight exp(-eta loss)) / "
            "eta for every outcome, with the weights prior exp(-eta L) of sum 1"
        ),
        (
            "such a prediction exists: eta is at most 2/B^2 for the square loss of "
            "numbers at most B apart, 1 for the log loss, 1 for the Brier loss"
        ),
    ),
    counts="regret",
    reference=_VOVK,
    tight=(
        "The log loss attains it in one round, if one expert is certain of the outcome "
        "and all others are certain of the opposite."
    ),
    formula=_aggregating,
)

FS = Theorem(
    id="FS",
    statement=(
        "regret at most ((s + 1) ln N + s ln(1/alpha) + (T - s - 1) ln(1/(1 - alpha))) "
        "/ eta + eta T B^2 / 8 after T rounds, against every sequence of experts that "
        "switches s times"
    ),
    latex=(
        r"L - L_s \leq \frac{(s + 1) \ln N + s \ln(1/\alpha) + (T - s - 1) \ln(1/(1 - "
        r"\alpha))}{\eta} + \frac{\eta\, T B^2}{8}"
    ),
    premises=(
        (
            "the loss is convex in the prediction, and in each round the losses of the "
            "experts are at most B = `scale` apart"
        ),
        (
            "the prediction is the average of the advice by weights that start equal, "
            "are multiplied by exp(-eta loss), and then each give away the share "
            "alpha, equally to all or to all others"
        ),
    ),
    counts="regret",
    reference=_HERBSTER_WARMUTH,
    tight=(
        "Without switches and with alpha = 0 it is EWA-T, which RandomExperts "
        "approaches."
    ),
    formula=_fixed_share,
    needs=frozenset({Condition.AWAKE}),
)

FS_XC = Theorem(
    id="FS-XC",
    statement=(
        "regret at most ((s + 1) ln N + s ln(1/alpha) + (T - s - 1) ln(1/(1 - alpha))) "
        "/ eta after T rounds, against every sequence of experts that switches s times"
    ),
    latex=(
        r"L - L_s \leq \frac{(s + 1) \ln N + s \ln(1/\alpha) + (T - s - 1) \ln(1/(1 - "
        r"\alpha))}{\eta}"
    ),
    premises=(_CURVED, FS.premises[1]),
    counts="regret",
    reference=_HERBSTER_WARMUTH,
    tight=(
        "Without switches and with alpha = 0 it is EWA-XC, which the log loss attains."
    ),
    formula=_shifting,
    needs=frozenset({Condition.AWAKE, Condition.CURVED}),
)

SLEEP = Theorem(
    id="SLEEP",
    statement=(
        "loss at most B (eta L + ln(1/prior)) / (1 - exp(-eta B)) on the rounds on "
        "which an expert is awake, for every expert, with the loss L on them"
    ),
    latex=r"L \leq B\, \frac{\eta L_i + \ln(1/p_i)}{1 - e^{-\eta B}}",
    premises=(_CONVEX, _ASLEEP),
    counts="loss",
    reference=_FREUND,
    tight="If no expert sleeps it is EWA, which two experts approach.",
    formula=_exponential,
    needs=frozenset({Condition.ASLEEP, Condition.CHARGED}),
)

SLEEP_T = Theorem(
    id="SLEEP-T",
    statement=(
        "regret at most ln(1/prior) / eta + eta T B^2 / 8 on the T rounds on which an "
        "expert is awake, for every expert"
    ),
    latex=r"L - L_i \leq \frac{\ln(1/p_i)}{\eta} + \frac{\eta\, T B^2}{8}",
    premises=(
        EWA_T.premises[0],
        _ASLEEP,
        (
            "or else an expert asleep is charged what the learner loses, and T counts "
            "all rounds"
        ),
        "without `eta` given, eta = sqrt(8 ln(1/prior) / T) / B",
    ),
    counts="regret",
    reference=_FREUND,
    tight="If no expert sleeps it is EWA-T, which RandomExperts approaches.",
    formula=_horizon,
    needs=frozenset({Condition.ASLEEP}),
)

SLEEP_XC = Theorem(
    id="SLEEP-XC",
    statement=(
        "regret at most ln(1/prior) / eta on the rounds on which an expert is awake, "
        "for every expert"
    ),
    latex=r"L - L_i \leq \frac{\ln(1/p_i)}{\eta}",
    premises=(
        _CURVED,
        _ASLEEP + "; or else they are charged what the learner loses",
    ),
    counts="regret",
    reference=_FREUND,
    tight="If no expert sleeps it is EWA-XC, which the log loss attains.",
    formula=_mixed,
    needs=frozenset({Condition.ASLEEP, Condition.CURVED}),
)
