"""Halving in plain Python."""

from __future__ import annotations

import math
from typing import Any

from littlestone.verifying.twins._roster import Roster
from littlestone.verifying.twins._sums import yes_wins

__all__ = ["Halving"]


class Halving(Roster):
    """The twin of `littlestone.experts.Halving`.

    Examples
    --------
    >>> from littlestone.verifying.twins import Halving
    >>> twin = Halving()
    >>> twin.play({"ann": True, "bob": False, "cyd": False}, True)
    False
    >>> twin.alive, twin.losses
    (['ann'], {'ann': 0.0, 'bob': 1.0, 'cyd': 1.0})
    """

    def __init__(
        self, restart: bool = False, experts: Any = None, keep_losses: bool = True
    ) -> None:
        self.restart, self.keep_losses = restart, keep_losses
        self.restarts = 0
        super().__init__(experts)

    def begin(self, experts: Any) -> None:
        """Take the experts, all alive; each counts as its prior."""
        super().begin(experts)
        self.alive = list(self.priors)

    def play(self, advice: Any, y: bool) -> bool:
        """Predict by the majority of the experts alive, then drop the wrong ones."""
        said = self.read(advice)
        voters = [expert for expert in self.alive if expert in said]
        predicted = yes_wins(
            [self.priors[expert] for expert in voters],
            [float(said[expert]) for expert in voters],
        )
        wrong = set(self.charge(said, y))
        self.alive = [expert for expert in self.alive if expert not in wrong]
        if not self.alive and self.restart:
            self.alive = list(self.priors)
            self.restarts += 1
        return self.tell(predicted, y)

    def join(self, expert: Any = None) -> None:
        """Add an expert, alive."""
        expert = self.newcomer(expert, None)[0]
        self.priors[expert] = 1.0
        self.alive.append(expert)

    @property
    def weights(self) -> dict[Any, float]:
        """The share of each expert alive; of all if none is."""
        alive = set(self.alive or self.priors)
        if len(set(self.priors.values())) == 1:
            return {e: 1 / len(alive) if e in alive else 0.0 for e in self.priors}
        whole = math.fsum(self.priors.values())
        left = {e: p / whole if e in alive else 0.0 for e, p in self.priors.items()}
        total = math.fsum(left.values())
        return {e: share / total for e, share in left.items()}
