"""Randomized weighted majority in plain Python."""

from __future__ import annotations

from typing import Any

from littlestone.verifying.twins._powers import Powers
from littlestone.verifying.twins._sums import Exact, weighted

__all__ = ["RandomizedWeightedMajority"]

_GOLDEN = 0x9E3779B97F4A7C15  # the constants of Steele, Lea and Flood (2014)


class RandomizedWeightedMajority(Powers):
    """The twin of `littlestone.experts.RandomizedWeightedMajority`.

    Examples
    --------
    >>> from littlestone.verifying.twins import RandomizedWeightedMajority
    >>> twin = RandomizedWeightedMajority(0.5, seed=1)
    >>> twin.play([True, True, True, False], True)
    True
    >>> twin.expected.value()
    0.25
    """

    def __init__(
        self, epsilon: float = 0.5, seed: int = 0, experts: Any = None
    ) -> None:
        self.seed, self.rounds = seed, 0
        self.expected = Exact()
        super().__init__(1 - epsilon, experts)

    def play(self, advice: Any, y: bool) -> bool:
        """Follow an expert drawn by weight; count the wrong ones."""
        said = self.read(advice)
        weights = self.weigh(said)
        wrong = self.charge(said, y)
        losses = [float(expert in wrong) for expert in self.priors]
        total, lost = weighted([*weights.values()], losses)
        point, passed = self.draw() * total, 0.0
        followed = None
        for expert, weight in weights.items():
            passed += weight
            followed = expert if weight else followed
            if weight and passed > point:
                break
        self.expected.add(lost / total)
        self.count(wrong)
        self.rounds += 1
        return self.tell(said[followed], y)

    def draw(self) -> float:
        """Return a number from 0 to 1 that is this round's own."""
        z = (self.seed + (self.rounds + 1) * _GOLDEN) % 2**64
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53
