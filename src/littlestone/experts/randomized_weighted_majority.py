"""Randomized weighted majority: follow an expert drawn by weight."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from littlestone import theorems
from littlestone.experts._base import SaysLabels
from littlestone.experts._forecaster import Forecaster
from littlestone.experts._parameters import Experts, between, logarithm
from littlestone.learner import as_label
from littlestone.learner.parameters import whole

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone.learner.moment import Moment

__all__ = ["RandomizedWeightedMajority"]


class RandomizedWeightedMajority(SaysLabels, Forecaster):
    r"""Follow an expert drawn by weight; a wrong one weighs $1 - \varepsilon$ times less.

    To draw halves what the deterministic vote must pay. What is drawn in a round is a
    function of the seed, the round and the weights, so `predict_one` changes nothing
    and says what `play_one` would say.

    Parameters
    ----------
    epsilon
        The part of its weight that a wrong expert loses; between 0 and 1.
    seed
        Of the draws.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, they are taken from the first advice.

    Attributes
    ----------
    weights_
        The chance of each expert to be followed; they sum to one.
    losses_
        The mistakes of each expert while awake.
    loss_
        The mistakes that the learner made, by its draws.
    expected_mistakes_
        The expected mistakes: in each round, the weight of the experts that were wrong.
    regret_
        How many mistakes more than each expert, on the rounds on which it was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `RWM`: with $N$ experts, of which the best errs $m$ times, at most $(m \ln(1/(1 -
    \varepsilon)) + \ln N) / \varepsilon$ expected mistakes, if no expert sleeps.
    `RWM-TUNED`: $m + 2\sqrt{m \ln N}$ for $\varepsilon = \sqrt{\ln N / m} \le 1/2$.

    References
    ----------
    Littlestone, Warmuth (1994), The weighted majority algorithm, Information and
    Computation 108:212-261, https://doi.org/10.1006/inco.1994.1009

    Examples
    --------
    >>> from littlestone.experts import RandomizedWeightedMajority
    >>> learner = RandomizedWeightedMajority(0.5, seed=1, experts=4)
    >>> learner.learn_one([True, True, True, False], True)
    >>> learner.expected_mistakes_
    0.25
    """  # noqa: E501 - the rule in one line

    def __init__(
        self, epsilon: float = 0.5, seed: int = 0, *, experts: Experts = None
    ) -> None:
        owner = type(self).__name__
        lost = between(owner, "epsilon", epsilon, 0, 1)
        self.epsilon = epsilon
        self.seed = whole(owner, "seed", seed)
        self.experts = experts
        kept = 1 - lost
        self._make(
            "powers",
            (kept, logarithm(kept)),
            loss="zero-one",
            combine="draw",
            hedge=False,
            seed=self.seed,
            experts=experts,
        )

    def known_at(self, moment: Moment) -> dict[str, theorems.Number]:
        """Beside the experts and the mistakes of the best, its epsilon."""
        known = super().known_at(moment)
        return known | {"epsilon": self.epsilon} if known else known

    def unmet_at(self, *, slept: bool) -> frozenset[theorems.Condition]:
        """Also that epsilon is tuned, which takes the best expert's mistakes."""
        return super().unmet_at(slept=slept) | {theorems.Condition.TUNED}

    def probability_one(self, x: Any) -> float:
        """Return the probability of saying yes to the advice of one round.

        Examples
        --------
        >>> from littlestone.experts import RandomizedWeightedMajority
        >>> learner = RandomizedWeightedMajority(0.5, experts=["ann", "bob"])
        >>> learner.learn_one({"ann": True, "bob": False}, True)
        >>> learner.probability_one({"ann": True, "bob": False})
        0.6666666666666666
        """
        if not self.experts_:
            newborn = self.clone()
            newborn._meet(x)  # noqa: SLF001 - of a copy of its own
            return newborn.probability_one(x)
        names = self.experts_
        advice = x if isinstance(x, Mapping) else dict(zip(names, x, strict=True))
        weights = self.weights_of([name in advice for name in names])
        return math.fsum(
            weight
            for name, weight in zip(names, weights.tolist(), strict=True)
            if name in advice and as_label(advice[name])
        )

    def rivals(
        self,
        losses: NDArray[np.float64],
        own: NDArray[np.float64],  # noqa: ARG002 - what it lost itself is no matter
    ) -> Any:
        """Return the position of the expert that bounds the mistakes best."""
        return self._cheapest(losses, -math.log1p(-self.epsilon))

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorems that bound its expected mistakes."""
        return theorems.RWM, theorems.RWM_TUNED

    @property
    def expected_mistakes_(self) -> float:
        """The mistakes to be expected over its own draws."""
        return self._native.expected
