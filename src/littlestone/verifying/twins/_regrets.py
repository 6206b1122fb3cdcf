"""What the twins that learn from regrets share: a form, and the priors."""

from __future__ import annotations

import math
from typing import Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._forecaster import Forecaster
from littlestone.verifying.twins._sums import lanes

__all__ = ["STEP", "Regrets", "exponentials"]

STEP = 2.0**600  # the unit of regrets whose squares no double could hold


class Regrets(Forecaster):
    """Weights by regrets and priors; what regrets do is for others to say.

    They define `enter`, for an expert who is new; `raw`, which returns weights of any
    scale before the priors; and `regret`, which takes one for each expert.
    """

    def __init__(
        self,
        loss: Any = "square",
        form: str = "opera",
        *,
        gradient: bool = False,
        range: tuple[float, float] | None = None,  # noqa: A002 - as the learner calls it
        experts: Any = None,
    ) -> None:
        self.opera = form == "opera"
        limits = range or (None if self.opera else (0.0, 1.0))
        super().__init__(loss, limits, gradient=gradient, experts=experts)

    def enter(self, share: float) -> None:
        """Let one more in, with this share of the prior."""
        raise NotImplementedError

    def raw(self, awake: list[bool]) -> list[float]:
        """Return weights of any scale before the priors, 0 for those asleep."""
        raise NotImplementedError

    def regret(self, regrets: list[float]) -> None:
        """Learn from the regrets of a round."""
        raise NotImplementedError

    def start(self, shares: list[float]) -> None:
        """Begin with these shares; equal priors are as good as none."""
        self.shares = shares  # of all, which decide where no weight does
        same = len(set(shares)) == 1
        self.priors = [1.0] * len(shares) if same else shares  # of the weights
        for share in shares:
            self.enter(share)

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the weights of those awake."""
        weights = self.prioritised(self.raw(awake), awake)
        if lanes(weights) > 0:
            return weights
        return [s if a else 0.0 for s, a in zip(self.shares, awake, strict=True)]

    def prioritised(self, raw: list[float], awake: list[bool]) -> list[float]:  # noqa: ARG002 - for those who ask
        """Return weights times priors."""
        return [w * p for w, p in zip(raw, self.priors, strict=True)]

    def settle(self, awake: list[bool], charges: list[float], own: float) -> None:
        """Learn from what those awake were charged less than the learner."""
        pairs = zip(charges, awake, strict=True)
        self.regret([own - charge if a else 0.0 for charge, a in pairs])

    def admit(self, share: float) -> None:
        """Let one more in, who begins with this share of the prior."""
        others = 0.0
        for p in self.priors:
            others += p
        self.priors = [*self.priors, share / (1.0 - share) * others]
        self.shares = [*(other * (1.0 - share) for other in self.shares), share]
        self.enter(share)


def exponentials(logarithms: list[float]) -> list[float]:
    """Return weights by their logarithms, of which the largest weighs 1.

    Examples
    --------
    >>> from littlestone.verifying.twins._regrets import exponentials
    >>> exponentials([5.0, float("-inf"), 5.0])
    [1.0, 0.0, 1.0]
    """
    most = max(logarithms)
    return [exp(z - most) if z > -math.inf else 0.0 for z in logarithms]
