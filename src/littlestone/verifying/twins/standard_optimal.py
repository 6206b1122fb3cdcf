"""The standard optimal algorithm in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying._spending import spend
from littlestone.verifying.twins._version_space import VersionSpace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["StandardOptimalLearner"]

_MOST = 200_000  # subsets to search; more would take too long
_AT_ONCE = 32  # concepts that take one step together


class StandardOptimalLearner(VersionSpace):
    """The twin of `littlestone.boolean.StandardOptimalLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import StandardOptimalLearner
    >>> twin = StandardOptimalLearner([lambda x: x == 0, lambda x: x == 1], [0, 1])
    >>> twin.dimension(frozenset({0, 1})), twin.dimension(frozenset({1}))
    (1, 0)
    """

    def __init__(
        self, concepts: Sequence[Callable[[Any], Any]], domain: Sequence[Any]
    ) -> None:
        super().__init__(concepts)
        self.yes = {frozenset(i for i in self.left if concepts[i](x)) for x in domain}
        self.known: dict[tuple[frozenset[int], int], bool] = {}

    def dimension(self, left: frozenset[int]) -> int:
        """Return the depth of the deepest shattered tree."""
        depth = -1
        while self.shatters(left, depth + 1):
            depth += 1
        return depth

    def shatters(self, left: frozenset[int], depth: int) -> bool:
        """Return whether some point has a tree one level less deep on either side."""
        # 2^d sequences of labels need as many concepts.
        if len(left) < 1 << depth:
            return False
        if depth == 0:
            return True
        if (left, depth) not in self.known:
            if len(self.known) == _MOST:
                raise ValueError(f"there must be at most {_MOST:,} subsets to search")
            self.known[left, depth] = any(
                self.splits(left, yes, depth) for yes in self.yes
            )
        return self.known[left, depth]

    def splits(self, left: frozenset[int], yes: frozenset[int], depth: int) -> bool:
        """Return whether a point has such trees on either side."""
        spend(1 + len(left) // _AT_ONCE)
        return self.shatters(left & yes, depth - 1) and self.shatters(
            left - yes, depth - 1
        )

    def says(self, yes: list[int], no: list[int]) -> bool:
        """Follow the larger dimension, yes at a tie."""
        return self.dimension(frozenset(yes)) >= self.dimension(frozenset(no))
