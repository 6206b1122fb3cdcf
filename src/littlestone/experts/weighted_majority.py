"""Weighted majority: a vote in which every mistake costs weight."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import theorems
from littlestone.experts._base import SaysLabels
from littlestone.experts._forecaster import Forecaster
from littlestone.experts._parameters import Experts, between, logarithm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone.learner.moment import Moment

__all__ = ["WeightedMajority"]


class WeightedMajority(SaysLabels, Forecaster):
    r"""Follow the weighted majority; a wrong expert weighs $\beta$ times as much.

    Every expert's weight is $\beta$ to the power of its mistakes, whole numbers that
    are counted exactly, so that no expert is ever lost. A tied vote says yes.

    Parameters
    ----------
    beta
        By what a mistake multiplies an expert's weight; between 0 and 1.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, they are taken from the first advice.

    Attributes
    ----------
    weights_
        The weight of each expert; they sum to one.
    losses_
        The mistakes of each expert while awake.
    loss_
        The mistakes of the learner itself.
    regret_
        How many mistakes more than each expert, on the rounds on which it was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `WM`: with $N$ experts, of which the best errs $m$ times, at most $(m \ln(1/\beta) +
    \ln N) / \ln(2/(1 + \beta))$ mistakes, if no expert sleeps.

    References
    ----------
    Littlestone, Warmuth (1994), The weighted majority algorithm, Information and
    Computation 108:212-261, https://doi.org/10.1006/inco.1994.1009

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> learner = WeightedMajority()
    >>> learner.play_one({"ann": True, "bob": False, "cyd": False}, True)
    False
    >>> learner.weights_
    {'ann': 0.5, 'bob': 0.25, 'cyd': 0.25}
    """

    _combine: ClassVar[str] = "vote"

    def __init__(self, beta: float = 0.5, *, experts: Experts = None) -> None:
        owner = type(self).__name__
        kept = between(owner, "beta", beta, 0, 1)
        self.beta = beta
        self.experts = experts
        self._make(
            "powers",
            (kept, logarithm(kept)),
            loss="zero-one",
            combine=self._combine,
            hedge=False,
            experts=experts,
        )

    def known_at(self, moment: Moment) -> dict[str, theorems.Number]:
        """Beside the experts and the mistakes of the best, its beta."""
        known = super().known_at(moment)
        return known | {"beta": self.beta} if known else known

    def rivals(
        self,
        losses: NDArray[np.float64],
        own: NDArray[np.float64],  # noqa: ARG002 - what it lost itself is no matter
    ) -> Any:
        """Return the position of the expert that bounds the mistakes best."""
        return self._cheapest(losses, -math.log(self.beta))

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its mistakes."""
        return (theorems.WM,)
