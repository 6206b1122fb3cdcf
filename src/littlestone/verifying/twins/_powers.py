"""Weights that are whole powers of one number, by counting mistakes."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

from littlestone.verifying.twins._exponential import exp
from littlestone.verifying.twins._roster import Roster
from littlestone.verifying.twins._sums import lanes

__all__ = ["Powers"]

_TABLED = 4096  # powers computed as products; later ones are exponentials


class Powers(Roster):
    """Experts whose weight is their prior times beta to the power of their mistakes.

    Examples
    --------
    >>> from littlestone.verifying.twins._powers import Powers
    >>> twin = Powers(0.5, experts=["ann", "bob"])
    >>> twin.count(["bob"])
    >>> twin.weigh(twin.priors), twin.weights
    ({'ann': 1.0, 'bob': 0.5}, {'ann': 0.6666666666666666, 'bob': 0.3333333333333333})
    """

    def __init__(self, beta: float, experts: Any = None) -> None:
        self.log = float(Context(prec=40).ln(Decimal(beta)))
        self.table = [1.0]
        for _ in range(1, _TABLED):
            power = self.table[-1] * beta
            self.table.append(power if power >= 2.0**-1022 else 0.0)
        super().__init__(experts)

    def begin(self, experts: Any) -> None:
        """Take the experts, without mistakes."""
        super().begin(experts)
        self.mistakes = dict.fromkeys(self.priors, 0)

    def weigh(self, awake: Any) -> dict[Any, float]:
        """Return all weights; the fewest mistakes awake count as power 0."""
        fewest = min(self.mistakes[expert] for expert in awake)
        return {
            expert: self.power(self.mistakes[expert] - fewest) * prior
            if expert in awake
            else 0.0
            for expert, prior in self.priors.items()
        }

    def power(self, k: int) -> float:
        """Return beta to the power of k."""
        return self.table[k] if k < _TABLED else exp(k * self.log)

    def count(self, wrong: list[Any]) -> None:
        """Count the mistakes of the experts."""
        for expert in wrong:
            self.mistakes[expert] += 1

    def join(self, expert: Any = None, prior: float | None = None) -> None:
        """Add an expert, with the fewest mistakes so far."""
        total = lanes(self.weigh(self.priors).values())
        fewest = min(self.mistakes.values())
        expert, odds = self.newcomer(expert, prior)
        self.priors[expert] = odds * total
        self.mistakes[expert] = fewest

    @property
    def weights(self) -> dict[Any, float]:
        """The weights, which sum to one."""
        weights = self.weigh(self.priors)
        total = lanes(weights.values())
        return {expert: weight / total for expert, weight in weights.items()}
