"""Bernstein online aggregation in plain Python."""

from __future__ import annotations

import math
from typing import Any

from littlestone.verifying.twins._logarithm import log
from littlestone.verifying.twins._regrets import STEP, Regrets, exponentials
from littlestone.verifying.twins._sums import Exact, lanes

__all__ = ["BOA"]


class BOA(Regrets):
    """The twin of `littlestone.experts.BOA`.

    Examples
    --------
    >>> from littlestone.verifying.twins import BOA
    >>> twin = BOA("absolute")
    >>> [twin.play([0.0, 1.0], y) for y in (0.5, 0.5)]
    [0.5, 0.5]
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.sums: list[Exact] = []
        self.squares: list[float] = []
        self.surprises: list[float] = []  # ln of 1 over the prior
        self.rates: list[float] = []
        self.units: list[float] = []
        super().__init__(*arguments, **options)

    def enter(self, share: float) -> None:
        """Add an expert."""
        self.sums.append(Exact())
        self.squares.append(0.0)
        self.surprises.append(log(1.0 / share))
        self.rates.append(0.0 if self.opera else 0.5)
        self.units.append(1.0)

    def admit(self, share: float) -> None:
        """Add an expert that begins with this share of the prior."""
        more = log(1.0 / (1.0 - share))  # the priors of the others shrink
        self.surprises = [surprise + more for surprise in self.surprises]
        super().admit(share)

    def rate(self, i: int) -> float:
        """Return the rate of an expert, from its sums."""
        v = self.squares[i]
        if self.opera:
            return 1.0 / math.sqrt(2.2 * v) if v > 0 else 0.0
        return min(0.5, math.sqrt(self.surprises[i] / v)) if v > 0 else 0.5

    def raw(self, awake: list[bool]) -> list[float]:
        """Weigh by the rate times an exponential."""
        logarithms = [-math.inf] * len(awake)
        for i, eta in enumerate(self.rates):
            if awake[i] and eta > 0:
                tilted = eta * self.sums[i].value()
                logarithms[i] = log(eta) - log(self.units[i]) + tilted
        return exponentials(logarithms)

    def prioritised(self, raw: list[float], awake: list[bool]) -> list[float]:
        """Return weights times priors; experts new to opera weigh their priors."""
        weights = super().prioritised(raw, awake)
        known = [eta > 0 and a for eta, a in zip(self.rates, awake, strict=True)]
        total, mass = lanes(weights), 0.0
        for prior, is_known in zip(self.priors, known, strict=True):
            mass += prior if is_known else 0.0
        if self.opera and mass > 0:
            for i, prior in enumerate(self.priors):
                weights[i] = weights[i] / total * mass if known[i] else awake[i] * prior
        return weights

    def regret(self, regrets: list[float]) -> None:
        """Add up the regrets, less their squares times the rate."""
        for i, regret in enumerate(regrets):
            if abs(regret) / self.units[i] >= 2.0**500:
                self.units[i] *= STEP
                self.squares[i] = self.squares[i] / STEP / STEP
                total = self.sums[i]
                self.sums[i] = Exact(total.high / STEP, total.low / STEP)
            r, old = regret / self.units[i], self.rates[i]
            self.squares[i] += r * r
            self.rates[i] = self.rate(i) if self.opera else min(old, self.rate(i))
            self.sums[i].add(r - (self.rates[i] if self.opera else old) * (r * r))
