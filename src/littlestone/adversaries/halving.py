"""HALV-LB: no deterministic learner can do with fewer than lg N mistakes."""

from __future__ import annotations

from typing import Any

from littlestone.adversaries._base import Numbered, said, whole
from littlestone.theorems import HALV_LB, Theorem

__all__ = ["HalvingAdversary"]


class HalvingAdversary(Numbered):
    r"""Experts that vote in every possible way, and a label against the prediction.

    There are $N = 2^b$ experts, and in round $t = 0, \dots, b - 1$ expert $i$ votes bit
    $t$ of the number $i$. The label is never what was predicted. Every sequence of $b$
    labels is the votes of one expert, so one is right throughout.

    Parameters
    ----------
    bits
        How many rounds to play, $b$, from 1 to 24; a round shows $2^b$ votes.

    Attributes
    ----------
    rounds, forces
        $b$, and so many mistakes does every learner make.
    experts
        $N = 2^b$, how many experts there are.
    theorem, numbers
        `HALV-LB`, and the number it takes.
    best_
        Mistakes of the best expert: always 0.
    best_expert_
        The number of the expert that has been right; after all rounds, the only one.

    Guarantees
    ----------
    `HALV-LB`: every deterministic learner makes exactly $\lg N$ mistakes, and one
    expert makes none. So the $\lfloor \lg N \rfloor$ of halving cannot be improved.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound: a new
    linear-threshold algorithm, Machine Learning 2:285-318,
    https://doi.org/10.1007/BF00116827

    Examples
    --------
    A learner that always says yes is answered no three times, as expert 0 votes:

    >>> from littlestone import run
    >>> from littlestone.adversaries import HalvingAdversary
    >>> class Yes:
    ...     def predict_one(self, x):
    ...         return True
    ...     def learn_one(self, x, y):
    ...         pass
    >>> adversary = HalvingAdversary(3)
    >>> run(Yes(), adversary)
    Record(Yes: 3 rounds, 3 mistakes (100.00%))
    >>> adversary.best_expert_, adversary.best_
    (0, 0)
    """

    def __init__(self, bits: int) -> None:
        self.bits = self.rounds = whole("HalvingAdversary", "bits", bits, 1, 24)
        self.experts = 1 << self.bits
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return HALV_LB

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `experts`."""
        return {"experts": self.experts}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: one a round."""
        return self.rounds

    @property
    def features(self) -> range:
        """What the examples are made of: a vote of each expert."""
        return range(self.experts)

    @property
    def best_(self) -> int:
        """Mistakes of the best expert: none, as `best_expert_` has been right."""
        return 0

    @property
    def best_expert_(self) -> int:
        """The number of the expert that has been right, the first if several."""
        return self._perfect

    comparator_ = best_expert_

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._perfect = 0

    def _example(self, at: int) -> list[bool]:
        half = 1 << at
        return ([False] * half + [True] * half) * (self.experts // (2 * half))

    def _label(self, at: int, prediction: Any) -> bool:
        label = not said(prediction)
        self._perfect |= label << at
        return label
