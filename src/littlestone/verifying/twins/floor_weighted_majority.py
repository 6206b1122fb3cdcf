"""Weighted majority with a floor in plain Python."""

from __future__ import annotations

from typing import Any

from littlestone.verifying.twins._roster import Roster
from littlestone.verifying.twins._sums import lanes, yes_wins

__all__ = ["FloorWeightedMajority"]


class FloorWeightedMajority(Roster):
    """The twin of `littlestone.experts.FloorWeightedMajority`.

    Examples
    --------
    >>> from littlestone.verifying.twins import FloorWeightedMajority
    >>> twin = FloorWeightedMajority(experts=["ann", "bob"])
    >>> for _ in range(8):
    ...     _ = twin.play([True, False], True)
    >>> twin.weights["bob"]
    0.1111111111111111
    """

    def begin(self, experts: Any) -> None:
        """Take the experts, with their priors as weights."""
        super().begin(experts)
        self.each = dict(self.priors)
        self.started = dict(self.priors)
        self.scaled = 0

    def play(self, advice: Any, y: bool) -> bool:
        """Predict what weighs more, then halve wrong experts that are not too light."""
        said = self.read(advice)
        votes = [float(said.get(expert, False)) for expert in self.each]
        awake = [w if expert in said else 0.0 for expert, w in self.each.items()]
        predicted = yes_wins(awake, votes)
        total, parts = lanes(self.each.values()), 4.0 * lanes(self.started.values())
        for expert in self.charge(said, y):
            if self.each[expert] / self.started[expert] * parts >= total:
                self.each[expert] *= 0.5
        # Scaling by a power of two changes no share.
        if lanes(self.each.values()) < 2.0**-400:
            self.each = {e: weight * 2.0**400 for e, weight in self.each.items()}
            self.scaled += 1
        return self.tell(predicted, y)

    def join(self, expert: Any = None, prior: float | None = None) -> None:
        """Add an expert with this share of the weight."""
        total, whole = lanes(self.each.values()), lanes(self.started.values())
        equal = set(self.started.values()) == {1.0}
        equal &= prior in (None, 1 / (len(self.each) + 1))
        expert, odds = self.newcomer(expert, prior)
        self.each[expert] = odds * total
        self.started[expert] = 1.0 if equal else odds * whole

    @property
    def weights(self) -> dict[Any, float]:
        """The weights, which sum to one."""
        total = lanes(self.each.values())
        return {expert: weight / total for expert, weight in self.each.items()}
