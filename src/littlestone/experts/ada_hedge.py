"""AdaHedge: exponential weights that need no rate."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from littlestone import theorems
from littlestone.experts._forecaster import Forecaster
from littlestone.learner.parameters import truth

if TYPE_CHECKING:
    from littlestone.experts._parameters import Experts, LossSpec, Range
    from littlestone.learner.moment import Moment

__all__ = ["AdaHedge"]


class AdaHedge(Forecaster):
    r"""Exponential weights whose rate is $\ln N$ over what mixing has cost so far.

    The mixability gap of a round is by how much the weighted mean of the losses exceeds
    the mix loss $-\ln(\sum w e^{-\eta \ell}) / \eta$. While no gap has been paid the
    rate is infinite, and only the leaders count. Losses may be of any size: nothing has
    to be known beforehand. An expert that sleeps keeps its share by the rate of that
    round; the next rate weighs everyone anew.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    gradient
        Charge experts by the slope of the loss at the learner's own prediction: then it
        competes with the best mixture of experts, not only with the best of them.
    range
        What losses may be, `(low, high)`: one outside is refused. Any, if not given.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, they are taken from the first advice.

    Attributes
    ----------
    weights_
        The weight of each expert; they sum to one.
    losses_
        What each expert has lost while awake.
    loss_
        What the learner itself has lost.
    regret_
        What the learner has lost more than each expert while that one was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `ADAHEDGE`: where the losses of a round are at most $S$ apart, regret at most $2
    \sqrt{V \ln N} + S (\frac43 \ln N + 2)$, with $V$ the sum of the variances of the
    losses under the weights. `ADAHEDGE-FIRST`: a bound by the losses alone.

    References
    ----------
    de Rooij, van Erven, Grünwald, Koolen (2014), Follow the leader if you can, hedge if
    you must, Journal of Machine Learning Research 15:1281-1316.

    Examples
    --------
    >>> from littlestone.experts import AdaHedge
    >>> learner = AdaHedge(loss="absolute")
    >>> for y in (50_000.0, 52_000.0, 51_000.0):
    ...     learner.learn_one({"high": y + 900, "low": y - 100}, y)
    >>> learner.best_expert_
    'low'
    >>> learner.weights_
    {'high': 0.033142296590697395, 'low': 0.9668577034093025}
    """

    def __init__(
        self,
        loss: LossSpec = "square",
        *,
        gradient: bool = False,
        range: Range = None,  # noqa: A002 - what it is
        experts: Experts = None,
    ) -> None:
        self.loss = loss
        self.gradient = truth(type(self).__name__, "gradient", gradient)
        self.range = range
        self.experts = experts
        self._make(
            "ada-hedge", loss=loss, gradient=gradient, range=range, experts=experts
        )

    def known_at(self, moment: Moment) -> dict[str, theorems.Number]:
        """Beside the experts, how far losses may be apart, and how much they vary.

        The variances, and the smallest and largest losses, are what they can be at the
        most, where the range of losses is known.
        """
        known = super().known_at(moment)
        spread = self.spread_
        if not known or not math.isfinite(spread):
            return known
        rounds = moment.rounds
        known["scale"] = spread
        known["variance"] = rounds * Fraction(spread) ** 2 / 4
        if self.gradient:  # then it is not charged what experts lose
            del known["best"]
        elif "prior" not in known:
            low = max(self._limits[0], self._charged.low)
            known["lowest"] = rounds * Fraction(low)
            known["highest"] = rounds * (Fraction(low) + Fraction(spread))
        return known

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its regret."""
        return theorems.ADAHEDGE, theorems.ADAHEDGE_FIRST
