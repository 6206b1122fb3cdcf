"""AdaHedge in plain Python."""

from __future__ import annotations

import sys
from typing import Any

from littlestone.verifying.twins._logarithm import log
from littlestone.verifying.twins._sums import Exact, lanes, weighted
from littlestone.verifying.twins.exponential_weights import Weighing

__all__ = ["AdaHedge"]


class AdaHedge(Weighing):
    """The twin of `littlestone.experts.AdaHedge`.

    Examples
    --------
    >>> from littlestone.verifying.twins import AdaHedge
    >>> twin = AdaHedge(loss="absolute")
    >>> twin.play({"ann": 0.0, "bob": 1.0}, 1.0), twin.play({"ann": 0.0, "bob": 1.0}, 1)
    (0.5, 0.8)
    """

    def __init__(
        self,
        loss: Any = "square",
        *,
        gradient: bool = False,
        range: tuple[float, float] | None = None,  # noqa: A002 - the learner's name for it
        experts: Any = None,
    ) -> None:
        self.gap = Exact()
        super().__init__(loss, range, gradient=gradient, experts=experts)

    def start(self, shares: list[float]) -> None:
        """Begin with these shares; the rate depends on their number."""
        self.log_n = log(max(2.0, len(shares)))
        super().start(shares)

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the weights awake; before a gap only the leaders count."""
        if self.gap.value() > 0:
            rate = self.log_n / self.gap.value()
            self.eta = min(rate, sys.float_info.max)
            return super().weigh(awake)
        best = self.smallest(awake)
        return [
            prior if is_awake and total.minus(best) == 0 else 0.0
            for prior, total, is_awake in zip(
                self.priors, self.totals, awake, strict=True
            )
        ]

    def charge(self, awake: list[bool], charges: list[float]) -> None:
        """Charge the experts awake, the others the mix loss, and add to the gap."""
        least = min(c for c, is_awake in zip(charges, awake, strict=True) if is_awake)
        more = [
            c - least if is_awake else 0.0
            for c, is_awake in zip(charges, awake, strict=True)
        ]
        best = self.smallest(awake)
        mixed = Exact(-best.high, -best.low)
        mass, moment = weighted(self.weigh(awake), more)
        self.add(awake, charges)
        best = self.smallest(awake)
        for part in best.high, best.low, -least:
            mixed.add(part)
        if self.gap.value() > 0:
            self.base = Exact(best.high, best.low)
            mixed.add(-log(lanes(self.weigh(awake)) / mass) / self.eta)
        for total, is_awake in zip(self.totals, awake, strict=True):
            if not is_awake:
                total.add(least)
        self.excuse(awake, mixed)
        if moment / mass > mixed.value():
            self.gap.add(moment / mass - mixed.value())
