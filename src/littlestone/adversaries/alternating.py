"""FTM-LB: following the majority can be wrong in every round."""

from __future__ import annotations

from typing import Any

from littlestone.adversaries._base import Numbered, said, whole
from littlestone.concepts import Conjunction
from littlestone.theorems import FTM_LB, Theorem

__all__ = ["AlternatingAdversary"]


class AlternatingAdversary(Numbered):
    r"""No features at all, and a label against the prediction.

    A learner that follows the majority of past labels is answered no, yes, no, yes: the
    majority says yes whenever the two are even, and no whenever no leads by one.
    `stream` is that sequence by itself, without a game.

    Parameters
    ----------
    rounds
        How many rounds to play, $T$.

    Attributes
    ----------
    rounds, forces
        $T$, and so many mistakes does every learner make.
    theorem, numbers
        `FTM-LB`, and the number it takes.
    concept_
        The better of the two constants, always or never; always where both are even.
    best_
        Mistakes of the better of the two constants: at most half of the rounds, and
        exactly $\lfloor T/2 \rfloor$ where the labels alternate.

    Guarantees
    ----------
    `FTM-LB`: following the majority errs in every round, where the best constant errs
    in $\lfloor T/2 \rfloor$. Every other deterministic learner errs as often, where
    the best constant errs in at most that many. So none is sure to err less than twice
    as often as the best constant; drawing at random, as `experts.Cover` does, helps.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import AlternatingAdversary
    >>> from littlestone.experts import FollowTheMajority
    >>> adversary = AlternatingAdversary(7)
    >>> run(FollowTheMajority(), adversary).mistakes
    7
    >>> adversary.best_
    3
    """

    def __init__(self, rounds: int) -> None:
        self.rounds = whole("AlternatingAdversary", "rounds", rounds, 1)
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return FTM_LB

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `rounds`."""
        return {"rounds": self.rounds}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: one a round."""
        return self.rounds

    @property
    def features(self) -> tuple[()]:
        """What the examples are made of: nothing."""
        return ()

    @property
    def concept_(self) -> Conjunction:
        """The better of the two constants so far; always where both are even."""
        yes = 2 * self._yes >= self._round
        return Conjunction() if yes else Conjunction.never()

    comparator_ = concept_

    @property
    def best_(self) -> int:
        """Mistakes of the better of the two constants so far."""
        return min(self._yes, self._round - self._yes)

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._yes = 0

    def stream(self) -> list[tuple[dict[Any, float], bool]]:
        """Return the plain sequence no, yes, no, yes, whatever is predicted.

        Examples
        --------
        >>> from littlestone.adversaries import AlternatingAdversary
        >>> AlternatingAdversary(3).stream()
        [({}, False), ({}, True), ({}, False)]
        """
        return [({}, at % 2 == 1) for at in range(self.rounds)]

    def _example(self, at: int) -> dict[Any, float]:  # noqa: ARG002 - all are alike
        return {}

    def _label(self, at: int, prediction: Any) -> bool:  # noqa: ARG002 - all are alike
        label = not said(prediction)
        self._yes += label
        return label
