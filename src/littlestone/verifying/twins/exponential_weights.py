"""Exponential weights in plain Python."""

from __future__ import annotations

from typing import Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._forecaster import Forecaster
from littlestone.verifying.twins._logarithm import log
from littlestone.verifying.twins._losses import range_of
from littlestone.verifying.twins._sums import Exact, lanes

__all__ = ["ExponentialWeights", "Weighing"]


class Weighing(Forecaster):
    """Weights that fall exponentially with an expert's charges."""

    eta: float

    def start(self, shares: list[float]) -> None:
        """Begin with these shares; equal ones are ignored."""
        equal = len(set(shares)) == 1
        self.priors = [1.0] * len(shares) if equal else shares
        self.totals = [Exact() for _ in shares]
        self.base = Exact()  # near the smallest total: weights are relative to it

    def smallest(self, awake: list[bool]) -> Exact:
        """Return the smallest total awake."""
        some = [t for t, is_awake in zip(self.totals, awake, strict=True) if is_awake]
        return min(some, key=lambda total: (total.high, total.low))

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the weights of the experts awake."""
        base = self.base if all(awake) else self.smallest(awake)
        return [
            prior * exp(-self.eta * total.minus(base)) if is_awake else 0.0
            for prior, total, is_awake in zip(
                self.priors, self.totals, awake, strict=True
            )
        ]

    def charge(self, awake: list[bool], charges: list[float]) -> None:
        """Charge the experts awake, and the others what keeps their shares."""
        best, mass = self.smallest(awake), lanes(self.weigh(awake))
        mixed = Exact(-best.high, -best.low)
        self.add(awake, charges)
        best = self.smallest(awake)
        if all(awake):
            huge = self.eta * abs(best.high) > 2.0**53  # then the second doubles matter
            self.base = Exact(best.high, best.low if huge else 0.0)
            return
        left = lanes(self.weigh(awake)) / mass
        for part in best.high, best.low, -log(left) / self.eta:
            mixed.add(part)
        self.excuse(awake, mixed)

    def excuse(self, awake: list[bool], mixed: Exact) -> None:
        """Charge the experts asleep the mix loss of the others."""
        for total, is_awake in zip(self.totals, awake, strict=True):
            if not is_awake:
                total.add(mixed.high)
                total.add(mixed.low)
        best = self.smallest([True] * len(awake))
        self.base = Exact(best.high, best.low)

    def add(self, awake: list[bool], charges: list[float]) -> None:
        """Add the charges of the experts awake to their totals."""
        for total, is_awake, charge in zip(self.totals, awake, charges, strict=True):
            if is_awake:
                total.add(charge)

    def admit(self, share: float) -> None:
        """Add an expert, with the total of the best."""
        whole = lanes(self.weigh([True] * len(self.totals)))
        self.priors = [*self.priors, share / (1.0 - share) * whole]
        self.totals.append(Exact(self.base.high, self.base.low))


class ExponentialWeights(Weighing):
    """The twin of `littlestone.experts.ExponentialWeights`.

    Examples
    --------
    >>> from littlestone.verifying.twins import ExponentialWeights
    >>> twin = ExponentialWeights(eta=0.5, loss="square")
    >>> twin.play({"ann": 0.0, "bob": 1.0}, 1.0)
    0.5
    >>> twin.weights["bob"]
    0.6224593312018546
    """

    def __init__(
        self,
        eta: float = 0.5,
        loss: Any = "square",
        *,
        gradient: bool = False,
        range: tuple[float, float] | None = None,  # noqa: A002 - the learner's name for it
        experts: Any = None,
    ) -> None:
        self.eta = eta
        limits = range or (None if gradient else range_of(loss))
        super().__init__(loss, limits, gradient=gradient, experts=experts)
