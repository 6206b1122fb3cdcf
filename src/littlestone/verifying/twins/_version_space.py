"""The concepts of a class that were never wrong."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["VersionSpace"]


class VersionSpace(ABC):
    """The base of the twins of learners of a finite class.

    Examples
    --------
    >>> from littlestone.verifying.twins import VersionSpaceLearner
    >>> twin = VersionSpaceLearner([lambda x: True, lambda x: False])
    >>> twin.play("a", True), twin.left, twin.outside
    (True, [0], None)
    >>> twin.play("b", False), twin.left, twin.outside
    (True, [0], 1)
    """

    def __init__(self, concepts: Sequence[Callable[[Any], Any]]) -> None:
        self.concepts = concepts
        self.left = list(range(len(concepts)))
        self.rounds = self.updates = 0
        self.outside: int | None = None  # the first round that no concept fits

    @abstractmethod
    def says(self, yes: list[int], no: list[int]) -> bool:
        """Predict, given the numbers of the concepts left that say yes and no."""

    def play(self, x: Any, y: bool) -> bool:
        """Predict, then drop the concepts that are wrong, unless all are."""
        said = {i: bool(self.concepts[i](x)) for i in self.left}
        yes = [i for i in self.left if said[i]]
        no = [i for i in self.left if not said[i]]
        predicted = self.says(yes, no)
        right = yes if y else no
        if right:
            self.updates += len(right) < len(self.left)
            self.left = right
        elif self.outside is None:
            self.outside = self.rounds
        self.rounds += 1
        return predicted
