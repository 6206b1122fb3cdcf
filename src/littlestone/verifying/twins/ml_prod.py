"""ML-Prod in plain Python."""

from __future__ import annotations

import math
from typing import Any

from littlestone.verifying.twins._logarithm import log, log1p
from littlestone.verifying.twins._regrets import STEP, Regrets, exponentials

__all__ = ["MLProd"]


class MLProd(Regrets):
    """The twin of `littlestone.experts.MLProd`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MLProd
    >>> twin = MLProd("absolute")
    >>> [twin.play([0.0, 1.0], y) for y in (0.5, 0.5)]
    [0.5, 0.5]
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.products: list[float] = []  # their logarithms
        self.squares: list[float] = []
        self.largest: list[float] = []
        self.rates: list[float] = []
        self.units: list[float] = []
        super().__init__(*arguments, **options)

    def enter(self, share: float) -> None:  # noqa: ARG002 - all begin the same
        """Add an expert; one that was alone until now gets a rate."""
        for numbers in (self.products, self.squares, self.largest, self.rates):
            numbers.append(0.0)
        self.units.append(1.0)
        self.rates = [eta or self.rate(i) for i, eta in enumerate(self.rates)]

    def rate(self, i: int) -> float:
        """Return the rate of an expert, from its sums."""
        one = 1.0 / self.units[i] / self.units[i]
        even = math.sqrt(log(float(len(self.names))) / (one + self.squares[i]))
        if not self.opera:
            return min(0.5, even)
        return min(1.0 / (2.0 * self.largest[i]), even) if self.largest[i] else even

    def raw(self, awake: list[bool]) -> list[float]:
        """Weigh by rate times product."""
        logarithms = [-math.inf] * len(awake)
        for i, eta in enumerate(self.rates):
            if awake[i] and eta > 0:
                logarithms[i] = log(eta) - log(self.units[i]) + self.products[i]
        return exponentials(logarithms)

    def regret(self, regrets: list[float]) -> None:
        """Multiply by 1 + eta r, and take the power by which the rate falls."""
        for i, regret in enumerate(regrets):
            old = self.rates[i]
            if abs(regret) / self.units[i] >= 2.0**500:
                self.units[i] *= STEP
                self.squares[i] = self.squares[i] / STEP / STEP
                self.largest[i] /= STEP
                old *= STEP
            r = regret / self.units[i]
            self.squares[i] += r * r
            self.largest[i] = max(self.largest[i], abs(r))
            new = min(old, self.rate(i)) if old > 0 else self.rate(i)
            kept = new / old if old > 0 else 0.0
            if self.opera:
                self.products[i] = kept * self.products[i] + log1p(new * r)
            else:
                self.products[i] = kept * (self.products[i] + log1p(old * r))
            self.rates[i] = new
