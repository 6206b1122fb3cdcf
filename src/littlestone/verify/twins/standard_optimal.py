"""The standard optimal algorithm in plain Python."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from littlestone.verify.twins._version_space import VersionSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["StandardOptimalLearner"]


class StandardOptimalLearner(VersionSpace):
    """The twin of `littlestone.boolean.StandardOptimalLearner`.

    Examples
    --------
    >>> from littlestone.verify.twins import StandardOptimalLearner
    >>> twin = StandardOptimalLearner([lambda x: x == 0, lambda x: x == 1], [0, 1])
    >>> twin.dimension(frozenset({0, 1})), twin.dimension(frozenset({1}))
    (1, 0)
    """

    def __init__(
        self, concepts: Sequence[Callable[[Any], Any]], domain: Sequence[Any]
    ) -> None:
        super().__init__(concepts)
        labels = [frozenset(i for i in self.left if concepts[i](x)) for x in domain]

        @cache
        def dimension(left: frozenset[int]) -> int:
            if not left:
                return -1
            halves = [(left & yes, left - yes) for yes in labels]
            deeper = [1 + min(map(dimension, pair)) for pair in halves if all(pair)]
            return max(deeper, default=0)

        self.dimension = dimension

    def says(self, yes: list[int], no: list[int]) -> bool:
        """Follow the larger dimension, yes at a tie."""
        return self.dimension(frozenset(yes)) >= self.dimension(frozenset(no))
