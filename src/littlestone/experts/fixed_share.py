"""Fixed Share: exponential weights for a best expert that changes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import theorems
from littlestone.experts._parameters import Experts, LossSpec, Range, between
from littlestone.experts._rates import RatedLearner
from littlestone.experts.exponential_weights import bounds_of
from littlestone.learner.parameters import positive, truth

if TYPE_CHECKING:
    from littlestone.learner.moment import Moment

__all__ = ["FixedShare"]


class FixedShare(RatedLearner):
    r"""Exponential weights of which a part $\alpha$ is shared out after every round.

    So no expert falls below $\alpha / N$, and another can take over within a few
    rounds. Sleeping experts keep their shares; those awake share among themselves.

    Parameters
    ----------
    eta
        The rate, above 0.
    alpha
        The part that everyone gives away after a round, equally to all; between 0
        and 1. About the number of switches over the number of rounds is good.
    loss
        `"square"`, `"absolute"`, `"log"`, `"brier"`, `"percentage"`, `"zero-one"`,
        `losses.pinball(tau)`, or a function of a prediction and an outcome.
    gradient
        Charge experts by the slope of the loss at the learner's own prediction: then it
        competes with the best mixture of experts, not only with the best of them.
    range
        What losses may be, as for `ExponentialWeights`.
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
    `FS`: for losses in $[0, 1]$, against every sequence of experts with $s$ switches,
    regret at most $\frac1\eta \bigl((s+1) \ln N + s \ln\frac1\alpha + (T-s-1)
    \ln\frac1{1-\alpha}\bigr) + \frac{\eta T}8$. `FS-XC`: without the last term where
    $e^{-\eta \ell}$ is concave. Both for equal priors and all experts awake.

    References
    ----------
    Herbster, Warmuth (1998), Tracking the best expert, Machine Learning 32:151-178,
    https://doi.org/10.1023/A:1007424614876

    Examples
    --------
    >>> from littlestone.experts import FixedShare
    >>> learner = FixedShare(eta=2.0, alpha=0.1)
    >>> for y in [0.0] * 50 + [1.0] * 5:
    ...     learner.learn_one({"nil": 0.0, "one": 1.0}, y)
    >>> learner.weights_["one"] > 0.9
    True
    """

    def __init__(
        self,
        eta: float = 0.5,
        alpha: float = 0.01,
        loss: LossSpec = "square",
        *,
        gradient: bool = False,
        range: Range = None,  # noqa: A002 - what it is
        experts: Experts = None,
    ) -> None:
        owner = type(self).__name__
        rate = positive(owner, "eta", eta)
        share = between(owner, "alpha", alpha, 0, 1)
        self.eta = eta
        self.alpha = alpha
        self.loss = loss
        self.gradient = truth(owner, "gradient", gradient)
        self.range = range
        self.experts = experts
        self._make(
            "fixed-share",
            (rate, share),
            loss=loss,
            gradient=gradient,
            range=range,
            bounds=bounds_of(loss, gradient=gradient),
            experts=experts,
        )

    def known_at(self, moment: Moment) -> dict[str, theorems.Number]:
        """As for exponential weights, and that one expert is compared with."""
        known = super().known_at(moment)
        if not known or "prior" in known:  # its theorems are of equal priors
            return {}
        return known | {"share": self.alpha, "switches": 0}

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its regret against sequences of experts."""
        return theorems.FS, theorems.FS_XC
