"""ML-Poly in plain Python."""

from __future__ import annotations

import math
import sys
from typing import Any

from littlestone.verifying.twins._regrets import STEP, Regrets
from littlestone.verifying.twins._sums import Exact

__all__ = ["MLPoly"]


class MLPoly(Regrets):
    """The twin of `littlestone.experts.MLPoly`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MLPoly
    >>> twin = MLPoly("absolute")
    >>> [twin.play([0.0, 1.0], y) for y in (1.0, 1.0, 0.0)]
    [0.5, 1.0, 1.0]
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.sums: list[Exact] = []
        self.squares: list[float] = []
        self.unit = 1.0
        super().__init__(*arguments, **options)
        self.largest = 0.0 if self.opera else 1.0

    def enter(self, share: float) -> None:  # noqa: ARG002 - all begin the same
        """Add an expert."""
        self.sums.append(Exact())
        self.squares.append(0.0)

    def raw(self, awake: list[bool]) -> list[float]:
        """Weigh by regrets above 0, over the largest square plus the sum of squares."""
        positive = [
            max(total.value(), 0.0) if is_awake else 0.0
            for total, is_awake in zip(self.sums, awake, strict=True)
        ]
        near, far = _power(max(positive)), _power(self.largest)
        over = [max(self.largest + v, sys.float_info.min) for v in self.squares]
        return [r / near / (a / far) for r, a in zip(positive, over, strict=True)]

    def regret(self, regrets: list[float]) -> None:
        """Add up the regrets and their squares."""
        if max(map(abs, regrets)) / self.unit >= 2.0**500:
            self.unit *= STEP
            self.sums = [Exact(s.high / STEP, s.low / STEP) for s in self.sums]
            self.squares = [v / STEP / STEP for v in self.squares]
            self.largest = self.largest / STEP / STEP
        for i, regret in enumerate(regrets):
            r = regret / self.unit
            self.sums[i].add(r)
            self.squares[i] += r * r
            if self.opera:
                self.largest = max(self.largest, r * r)


def _power(x: float) -> float:
    """Return the power of two below a number, within the range of doubles."""
    return math.ldexp(1.0, min(max(math.frexp(x)[1] - 1, -1000), 1000) if x else -1000)
