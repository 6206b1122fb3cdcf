"""Weighted majority in plain Python."""

from __future__ import annotations

from typing import Any

from littlestone.verifying.twins._powers import Powers
from littlestone.verifying.twins._sums import yes_wins

__all__ = ["WeightedMajority"]


class WeightedMajority(Powers):
    """The twin of `littlestone.experts.WeightedMajority`.

    Examples
    --------
    >>> from littlestone.verifying.twins import WeightedMajority
    >>> twin = WeightedMajority()
    >>> twin.play({"ann": True, "bob": False, "cyd": False}, True)
    False
    >>> twin.weights
    {'ann': 0.5, 'bob': 0.25, 'cyd': 0.25}
    """

    def __init__(self, beta: float = 0.5, experts: Any = None) -> None:
        super().__init__(beta, experts)

    def play(self, advice: Any, y: bool) -> bool:
        """Predict what weighs more, then count the wrong experts."""
        said = self.read(advice)
        votes = [float(said.get(expert, False)) for expert in self.priors]
        predicted = yes_wins(self.weigh(said).values(), votes)
        self.count(self.charge(said, y))
        return self.tell(predicted, y)
