"""Winnow in plain Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Winnow"]


class Winnow:
    """The twin of `littlestone.linear.Winnow`.

    Examples
    --------
    >>> from littlestone.verify.twins import Winnow
    >>> twin = Winnow(threshold=2.0)
    >>> twin.play({"a": 1.0}, True)
    False
    >>> twin.weights
    {'a': 2.0}
    """

    def __init__(
        self, threshold: float, promotion: float = 2.0, eliminate: bool = False
    ) -> None:
        self.threshold, self.promotion = threshold, promotion
        self.eliminate = eliminate
        self.weights: dict[object, float] = {}

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Predict, then promote or demote the active weights if that was wrong."""
        total = 0.0
        for name, value in x.items():
            total += self.weights.get(name, 1.0) * value
        predicted = total - self.threshold >= 0
        if predicted != y:
            for name, value in x.items():
                if value == 0:
                    continue
                weight, factor = self.weights.get(name, 1.0), self.promotion**value
                if y:
                    self.weights[name] = weight * factor
                elif self.eliminate:
                    self.weights[name] = 0.0
                else:
                    self.weights[name] = max(weight / factor, sys.float_info.min)
        return predicted
