"""Fixed Share in plain Python."""

from __future__ import annotations

import sys
from typing import Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._forecaster import Forecaster
from littlestone.verifying.twins._losses import range_of
from littlestone.verifying.twins._sums import lanes

__all__ = ["FixedShare"]


class FixedShare(Forecaster):
    """The twin of `littlestone.experts.FixedShare`.

    Examples
    --------
    >>> from littlestone.verifying.twins import FixedShare
    >>> twin = FixedShare(eta=1000.0, alpha=0.5, loss="absolute")
    >>> twin.play({"ann": 0.0, "bob": 1.0}, 1.0)
    0.5
    >>> twin.weights
    {'ann': 0.25, 'bob': 0.75}
    """

    def __init__(
        self,
        eta: float = 0.5,
        alpha: float = 0.01,
        loss: Any = "square",
        *,
        gradient: bool = False,
        range: tuple[float, float] | None = None,  # noqa: A002 - the learner's name for it
        experts: Any = None,
    ) -> None:
        self.eta, self.alpha = eta, alpha
        limits = range or (None if gradient else range_of(loss))
        super().__init__(loss, limits, gradient=gradient, experts=experts)

    def start(self, shares: list[float]) -> None:
        """Begin with these shares."""
        self.shares = shares

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the shares of the experts awake."""
        return [
            s if is_awake else 0.0
            for s, is_awake in zip(self.shares, awake, strict=True)
        ]

    def charge(self, awake: list[bool], charges: list[float]) -> None:
        """Share the total of the experts awake among them."""
        least = min(c for c, is_awake in zip(charges, awake, strict=True) if is_awake)
        before = self.weigh(awake)
        pairs = zip(before, charges, strict=True)
        kept = [s * exp(-self.eta * (c - least)) if s else 0.0 for s, c in pairs]
        mass = 1.0 if all(awake) else lanes(before)
        total = lanes(kept)
        given = max(self.alpha * mass / sum(awake), sys.float_info.min)
        for i, is_awake in enumerate(awake):
            if is_awake:
                part = (1.0 - self.alpha) * mass * (kept[i] / total)
                self.shares[i] = part + given

    def admit(self, share: float) -> None:
        """Add an expert; the other shares shrink."""
        self.shares = [other * (1.0 - share) for other in self.shares] + [share]
