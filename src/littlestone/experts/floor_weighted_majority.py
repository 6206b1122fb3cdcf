"""Weighted majority with a floor: good on every interval of rounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.experts._base import SaysLabels
from littlestone.experts._forecaster import Forecaster

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone.experts._parameters import Experts

__all__ = ["FloorWeightedMajority"]


class FloorWeightedMajority(SaysLabels, Forecaster):
    r"""Follow the weighted majority; halve wrong experts, but never below a floor.

    A wrong expert is halved only while it weighs at least $W / (4N)$, where $W$ is the
    weight of all $N$ together; with priors $p$, while it weighs at least $W p / 4$. So
    no expert falls so far behind that it could not come back, and the bound holds on
    every interval of rounds, against the expert that is best there. A tied vote says
    yes. Every weight is its prior, or 1, times a power of two, so whole priors are
    never rounded, and no tie is decided by rounding.

    Parameters
    ----------
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
    `WM-FLOOR`: on every interval on which some expert errs $m$ times, at most $(m + \lg
    N + 3) / \lg(8/7)$ mistakes. `WM-FLOOR-START`: from the first round on, without
    the 3. Both if no expert sleeps; with priors $\lg(1/p)$ takes the place of $\lg N$.

    References
    ----------
    Littlestone, Warmuth (1994), The weighted majority algorithm, Information and
    Computation 108:212-261, https://doi.org/10.1006/inco.1994.1009

    Examples
    --------
    Bob is wrong eight times, but halved only until he weighs an eighth of the whole:

    >>> from littlestone.experts import FloorWeightedMajority
    >>> learner = FloorWeightedMajority(experts=["ann", "bob"])
    >>> for _ in range(8):
    ...     learner.learn_one([True, False], True)
    >>> learner.weights_["bob"]
    0.1111111111111111
    """

    def __init__(self, *, experts: Experts = None) -> None:
        self.experts = experts
        self._make("floored", loss="zero-one", hedge=False, experts=experts)

    def rivals(
        self,
        losses: NDArray[np.float64],
        own: NDArray[np.float64],  # noqa: ARG002 - what it lost itself is no matter
    ) -> Any:
        """Return the position of the expert that bounds the mistakes best."""
        return self._cheapest(losses, math.log(2))

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its mistakes."""
        return theorems.WM_FLOOR, theorems.WM_FLOOR_START
