"""Theorems about shards that are played apart and mixed after each epoch.

An epoch in which shards are mixed several times is here several epochs, each over a
stretch of the data.

In an epoch each of S shards is played in order from the mixed state; then the states
are mixed with shares mu >= 0 that sum to one. Where the proof of a learner follows a
potential that is convex in its state, Jensen's inequality says that mixing only lowers
it. So the theorem of one machine holds for weighted sums: each round of shard i in
epoch e counts mu_{i,e} times. They may be evaluated on the updates alone.

The price is the step from weighted sums to plain ones. With equal shares, and also with
shares in proportion to the updates, the plain count of an epoch is at most S times the
weighted one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import PremiseError
from littlestone.theorems._premises import (
    above_zero,
    at_least_zero,
    inverse_prior,
)
from littlestone.theorems._rounding import ln_bounds, sqrt_up
from littlestone.theorems._theorem import Condition, Number, Theorem
from littlestone.theorems.balanced import BWIN_ANY
from littlestone.theorems.passive_aggressive import PA1, PA2, PA_SEP

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["MIX_BWIN", "MIX_EWA", "MIX_PA", "MIX_PERC"]

_MCDONALD = (
    "after McDonald, Hall, Mann (2010), Distributed training strategies for the "
    "structured perceptron, Human Language Technologies: NAACL, 456-464, for separable "
    "data; otherwise here"
)
_CRAMMER = (
    "after Crammer, Dekel, Keshet, Shalev-Shwartz, Singer (2006), Online "
    "passive-aggressive algorithms, Journal of Machine Learning Research 7:551-585; "
    "mixing as for MIX-PERC"
)
_GROVE = (
    "after Grove, Littlestone, Schuurmans (2001), General convergence results for "
    "linear discriminant updates, Machine Learning 43:173-210, "
    "https://doi.org/10.1023/A:1010844028087; mixing as for MIX-PERC"
)
_CESA_BIANCHI_LUGOSI = (
    "after Cesa-Bianchi, Lugosi (2006), Prediction, learning, and games, Cambridge "
    "University Press, https://doi.org/10.1017/CBO9780511546921; mixing as for MIX-PERC"
)


def _perceptron(
    *, radius: Number, margin: Number, deviation: Number = 0, norm: Number = 1
) -> Fraction:
    # K is the largest with gamma K - D <= R |u| sqrt(K).
    size = (at_least_zero("radius", radius) * at_least_zero("norm", norm)) ** 2
    gamma, total = above_zero("margin", margin), at_least_zero("deviation", deviation)
    root = sqrt_up(size**2 + 4 * gamma * total * size)
    return (size + 2 * gamma * total + root) / (2 * gamma**2)


def _aggressive(
    *,
    radius: Number,
    norm: Number,
    aggressiveness: Number | None = None,
    hinge: Number | None = None,
    hinge_squares: Number | None = None,
) -> Fraction:
    if aggressiveness is None:
        if hinge or hinge_squares:
            raise PremiseError(
                "hinge must be 0 where steps have no limit, got a loss; PA-I and PA-II "
                "take one"
            )
        return PA_SEP.formula(radius=radius, norm=norm)
    given = {"radius": radius, "aggressiveness": aggressiveness, "norm": norm}
    if hinge_squares is not None:
        return PA2.formula(**given, hinge_squares=hinge_squares)
    return PA1.formula(**given, hinge=0 if hinge is None else hinge)


def _balanced(
    *,
    features: Number,
    margin: Number,
    rate: Number,
    scale: Number = 1,
    deviation: Number = 0,
) -> Fraction:
    return BWIN_ANY.formula(
        features=features, margin=margin, deviation=deviation, rate=rate, scale=scale
    )


def _exponential(
    *,
    eta: Number,
    experts: Number | None = None,
    prior: Number | None = None,
    rounds: Number = 0,
    scale: Number = 1,
) -> Fraction:
    rate, b = above_zero("eta", eta), above_zero("scale", scale)
    start = ln_bounds(inverse_prior(experts, prior))[1]
    return start / rate + rate * at_least_zero("rounds", rounds) * b**2 / 8


_MIXED = (
    "in each epoch every shard is played from the mixed state, and the {what} are "
    "mixed with shares mu >= 0 that sum to one"
)

MIX_PERC = Theorem(
    id="MIX-PERC",
    statement=(
        "at most ((R |u| + sqrt(R^2 |u|^2 + 4 gamma D)) / (2 gamma))^2 weighted "
        "updates K, so |u|^2 R^2 / gamma^2 if D = 0, where D is the weighted sum of "
        "max(0, gamma - y u.x); all updates are at most S K"
    ),
    latex=(
        r"\sum_{e, i} \mu_{i,e}\, k_{i,e} \leq \left(\frac{R \|u\| + \sqrt{R^2 \|u\|^2 "
        r"+ 4 \gamma D}}{2 \gamma}\right)^2"
    ),
    premises=(
        "u is any vector, gamma > 0",
        _MIXED.format(what="weights"),
        "for S K: the shares are equal, or in proportion to the updates",
    ),
    counts="weighted updates",
    reference=_MCDONALD,
    tight=(
        "S shards with the same unit vectors, all labelled no, make S/gamma^2 mistakes "
        "in the first epoch: S times the bound."
    ),
    formula=_perceptron,
)

MIX_PA = Theorem(
    id="MIX-PA",
    statement=(
        "PA-SEP, PA1 and PA2 of weighted mistakes: at most R^2 |u|^2, or "
        "max(R^2, 1/C) (|u|^2 + 2 C H), or (R^2 + 1/(2C)) (|u|^2 + 2 C H2), with H and "
        "H2 the weighted sums of the hinge losses of u and of their squares"
    ),
    latex=(
        r"\sum_{e, i} \mu_{i,e}\, m_{i,e} \leq \max\left(R^2, \frac{1}{C}\right) "
        r"\left(\|u\|^2 + 2 C H\right)"
    ),
    premises=(
        "u is any vector; with unlimited steps y u.x >= 1 on every round",
        _MIXED.format(what="weights"),
    ),
    counts="weighted mistakes",
    reference=_CRAMMER,
    tight=(
        "S shards with the same unit vectors, all labelled no, attain PA-SEP, and make "
        "S times as many mistakes."
    ),
    formula=_aggressive,
)

MIX_BWIN = Theorem(
    id="MIX-BWIN",
    statement=(
        "at most (ln(2n) + eta D) / (eta gamma - eta^2 X^2/2) weighted mistakes, where "
        "D is the weighted sum of max(0, gamma - y u.x)"
    ),
    latex=(
        r"\sum_{e, i} \mu_{i,e}\, m_{i,e} \leq \frac{\ln(2n) + \eta D}{\eta \gamma - "
        r"\eta^2 X^2 / 2}"
    ),
    premises=(
        "u is a vector with |u|_1 = 1",
        "gamma > 0",
        "0 < eta < 2 gamma/X^2, eta the rate, and every |x_i| at most X",
        _MIXED.format(what="logarithms of the weights"),
    ),
    counts="weighted mistakes",
    reference=_GROVE,
    tight=(
        "S equal shards behave as one, which BWIN-SEP shows to come within 0.72 of the "
        "bound, and make S times as many mistakes."
    ),
    formula=_balanced,
)

MIX_EWA = Theorem(
    id="MIX-EWA",
    statement=(
        "weighted regret at most ln N / eta + eta T B^2 / 8, for every expert, where T "
        "is the weighted number of rounds; ln N / eta if exp(-eta loss) is concave in "
        "the prediction, as for the log loss; ln(1/prior) in place of ln N"
    ),
    latex=(
        r"\sum_{e, i} \mu_{i,e} (L_{i,e} - L^j_{i,e}) \leq \frac{\ln N}{\eta} + "
        r"\frac{\eta\, T B^2}{8}, \quad T = \sum_{e, i} \mu_{i,e}\, T_{i,e}"
    ),
    premises=(
        "the loss is convex in the prediction; losses of a round are at most B apart",
        "the prediction is the average of the advice, weighted by prior exp(-eta L)",
        "no expert sleeps",
        _MIXED.format(what="cumulative losses L"),
    ),
    counts="weighted regret",
    reference=_CESA_BIANCHI_LUGOSI,
    tight=(
        "S shards of one round with log loss, in which one expert is certain of the "
        "outcome and all others of the opposite, attain it, with S times the regret."
    ),
    formula=_exponential,
    needs=frozenset({Condition.AWAKE}),
)
