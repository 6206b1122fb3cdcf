"""Halving in plain Python."""

from __future__ import annotations

from typing import Any

from littlestone.verifying.twins._roster import Roster

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
        """Take the experts, all alive."""
        super().begin(experts)
        self.alive = list(self.priors)

    def play(self, advice: Any, y: bool) -> bool:
        """Predict by the majority of the experts alive, then drop the wrong ones."""
        said = self.read(advice)
        votes = [said[expert] for expert in self.alive if expert in said]
        predicted = 2 * votes.count(True) >= len(votes)
        wrong = set(self.charge(said, y))
        self.alive = [expert for expert in self.alive if expert not in wrong]
        if not self.alive and self.restart:
            self.alive = list(self.priors)
            self.restarts += 1
        return self.tell(predicted, y)

    def join(self, expert: Any = None) -> None:
        """Add an expert, alive."""
        self.alive.append(self.newcomer(expert, None)[0])

    @property
    def weights(self) -> dict[Any, float]:
        """An equal weight for each expert alive; for all if none is."""
        alive = set(self.alive or self.priors)
        return {e: 1 / len(alive) if e in alive else 0.0 for e in self.priors}
