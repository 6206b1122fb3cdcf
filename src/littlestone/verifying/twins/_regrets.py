"""The base of the twins that learn from regrets: a form, and the priors."""

from __future__ import annotations

import math
from typing import Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._forecaster import Forecaster
from littlestone.verifying.twins._sums import lanes

__all__ = ["STEP", "Regrets", "exponentials"]

STEP = 2.0**600  # the unit of regrets whose squares would overflow


class Regrets(Forecaster):
    """Weights by regrets and priors; subclasses say how regrets count.

    They define `enter`, for a new expert; `raw`, which returns weights of any scale
    before the priors; and `regret`, which takes a regret for each expert.
    """

    def __init__(
        self,
        loss: Any = "square",
        form: str = "opera",
        *,
        gradient: bool = False,
        range: tuple[float, float] | None = None,  # noqa: A002 - the learner's name for it
        experts: Any = None,
    ) -> None:
        self.opera = form == "opera"
        limits = range or (None if self.opera else (0.0, 1.0))
        super().__init__(loss, limits, gradient=gradient, experts=experts)

    def enter(self, share: float) -> None:
        """Add an expert with this share of the prior."""
        raise NotImplementedError

    def raw(self, awake: list[bool]) -> list[float]:
        """Return weights of any scale before the priors, 0 for experts asleep."""
        raise NotImplementedError

    def regret(self, regrets: list[float]) -> None:
        """Learn from the regrets of a round."""
        raise NotImplementedError

    def start(self, shares: list[float]) -> None:
        """Begin with these shares; equal priors are ignored."""
        self.shares = shares  # of all, which decide if no weight does
        same = len(set(shares)) == 1
        self.priors = [1.0] * len(shares) if same else shares  # of the weights
        for share in shares:
            self.enter(share)

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the weights of the experts awake."""
        weights = self.prioritised(self.raw(awake), awake)
        if lanes(weights) > 0:
            return weights
        return [s if a else 0.0 for s, a in zip(self.shares, awake, strict=True)]

    def prioritised(self, raw: list[float], awake: list[bool]) -> list[float]:  # noqa: ARG002 - some subclasses use it
        """Return weights times priors."""
        return [w * p for w, p in zip(raw, self.priors, strict=True)]

    def settle(self, awake: list[bool], charges: list[float], own: float) -> None:
        """Learn from the regrets to the experts awake."""
        pairs = zip(charges, awake, strict=True)
        self.regret([own - charge if a else 0.0 for charge, a in pairs])

    def admit(self, share: float) -> None:
        """Add an expert that begins with this share of the prior."""
        others = 0.0
        for p in self.priors:
            others += p
        self.priors = [*self.priors, share / (1.0 - share) * others]
        self.shares = [*(other * (1.0 - share) for other in self.shares), share]
        self.enter(share)


def exponentials(logarithms: list[float]) -> list[float]:
    """Return weights from their logarithms, scaled so that the largest is 1.

    Examples
    --------
    >>> from littlestone.verifying.twins._regrets import exponentials
    >>> exponentials([5.0, float("-inf"), 5.0])
    [1.0, 0.0, 1.0]
    """
    most = max(logarithms)
    return [exp(z - most) if z > -math.inf else 0.0 for z in logarithms]
