"""CONSISTENT-LB: following any concept that fits may cost a mistake for each."""

from __future__ import annotations

from typing import Any

from littlestone.adversaries._base import Numbered, said, whole
from littlestone.concepts import Conjunction
from littlestone.theorems import CONSISTENT_LB, Theorem

__all__ = ["SingletonAdversary"]


class SingletonAdversary(Numbered):
    r"""Points one by one, and the singleton is never the one that was expected.

    The class holds the singletons: concept $i$ says yes to point $i$ and to no other.
    Point $i$ is the example in which feature $i$ alone is true, shown in round
    $i = 0, \dots, |H| - 2$, and the label is no. Only in the last round, when two
    singletons are left, is it what was not predicted.

    A learner that follows the first concept that fits says yes each time: the concept
    followed is just that of the point shown, and a no drops it and no other. The
    majority says no: of $k$ concepts left, $k - 1$ do. So halving errs in the last
    round only.

    Parameters
    ----------
    size
        How many singletons there are, $|H| \ge 2$.

    Attributes
    ----------
    rounds
        $|H| - 1$.
    theorem, numbers
        `CONSISTENT-LB`, and the number it takes.
    forces
        1: the mistake that no learner avoids. A consistent learner that is given
        `concepts` is forced to `rounds` of them.
    concepts
        The class, in the order in which a consistent learner is to be given it.
    best_
        Mistakes of the best singleton: always 0.
    concept_
        A singleton that fits all answers so far.

    Guarantees
    ----------
    `CONSISTENT-LB`: $|H| - 1$ mistakes of `littlestone.boolean.ConsistentLearner` on
    `concepts`, where `VersionSpaceLearner` makes one. Every deterministic learner makes
    at least one.

    References
    ----------
    Littlestone (1988), Learning quickly when irrelevant attributes abound, Machine
    Learning 2:285-318, https://doi.org/10.1007/BF00116827

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.adversaries import SingletonAdversary
    >>> from littlestone.boolean import ConsistentLearner, VersionSpaceLearner
    >>> adversary = SingletonAdversary(32)
    >>> run(ConsistentLearner(adversary.concepts), adversary).mistakes
    31
    >>> run(VersionSpaceLearner(adversary.concepts), adversary).mistakes
    1
    """

    def __init__(self, size: int) -> None:
        self.size = whole("SingletonAdversary", "size", size, 2)
        self.rounds = self.size - 1
        self.concepts = tuple(map(Conjunction, range(self.size)))
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary proves."""
        return CONSISTENT_LB

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `concepts`."""
        return {"concepts": self.size}

    @property
    def forces(self) -> int:
        """The mistakes that no learner avoids: the one of the last round."""
        return 1

    @property
    def features(self) -> range:
        """What the examples are made of: a column for each singleton."""
        return range(self.size)

    @property
    def best_(self) -> int:
        """Mistakes of the best singleton: none, as `concept_` has been right."""
        return 0

    @property
    def concept_(self) -> Conjunction:
        """A singleton that fits all answers so far."""
        return self.concepts[self._hidden]

    comparator_ = concept_

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._hidden = self.size - 1

    def _example(self, at: int) -> dict[int, int]:
        return {at: 1}

    def _label(self, at: int, prediction: Any) -> bool:
        label = not said(prediction) and at == self.rounds - 1
        if label:
            self._hidden = at
        return label
