"""Littlestone's trees: how many mistakes a finite class can force."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Trees"]

_Splits = tuple[tuple[int, int], ...]


class Trees:
    """The Littlestone dimension of the subsets of a finite class.

    A subset is a whole number, whose bit i is 1 if concept i is in it. A tree of depth
    d asks for d points, each of which may depend on the labels so far; a class shatters
    it if every sequence of labels is that of some concept. The dimension is the depth
    of the deepest shattered tree; that of the empty class is -1.

    Parameters
    ----------
    points
        For each point the concepts that say yes to it.
    size
        How many concepts there are.

    Examples
    --------
    Three concepts on two points: "only the first", "only the second", "neither".

    >>> from littlestone.theorems.trees import Trees
    >>> trees = Trees([0b001, 0b010], size=3)
    >>> trees.dimension(0b111), trees.dimension(0b011), trees.dimension(0b100)
    (1, 1, 0)
    """

    def __init__(self, points: Iterable[int], size: int) -> None:
        self._points = tuple(points)
        # Concepts that agree on all points count once: the first of them represents
        # all, so that subsets stay small.
        self._first = self._told_apart(size)
        # What is known of a subset: a depth that it shatters, and one that it does not.
        self._shattered: dict[int, int] = {}
        self._refuted: dict[int, int] = {}

    def dimension(self, subset: int) -> int:
        """Return the dimension of a subset."""
        if not subset:
            return -1
        subset = self._distinct(subset)
        depth = self._shattered.get(subset, 0)
        while self._shatters(subset, depth + 1, self._points):
            depth += 1
        return depth

    def shatters(self, subset: int, depth: int) -> bool:
        """Return whether a subset shatters a tree of this depth."""
        return bool(subset) and self._shatters(
            self._distinct(subset), depth, self._points
        )

    def root(self, subset: int, depth: int) -> int | None:
        """Return the number of the first point at the root of a tree of this depth.

        None if the subset shatters no such tree.
        """
        for number, yes in enumerate(self._points):
            if self.shatters(subset & yes, depth - 1) and self.shatters(
                subset & ~yes, depth - 1
            ):
                return number
        return None

    def __getstate__(self) -> dict[str, Any]:
        # Known results can be found again.
        return self.__dict__ | {"_shattered": {}, "_refuted": {}}

    def _told_apart(self, size: int) -> dict[int, int]:
        """Return the groups of concepts that agree on all points, by their first."""
        groups = [(1 << size) - 1]
        for yes in self._points:
            halves = [(group & yes, group & ~yes) for group in groups]
            groups = [half for pair in halves for half in pair if half]
        return {group & -group: group for group in groups if group & (group - 1)}

    def _distinct(self, subset: int) -> int:
        """Keep the first concept of each group."""
        for first, group in self._first.items():
            if subset & group:
                subset = subset & ~group | first
        return subset

    def _shatters(self, subset: int, depth: int, points: Iterable[int]) -> bool:
        # 2^d sequences of labels need as many concepts, all different.
        if subset.bit_count() < 1 << depth:
            return False
        if depth <= 1 or depth <= self._shattered.get(subset, 0):
            return True
        if depth >= self._refuted.get(subset, depth + 1):
            return False
        splits = self._splits(subset, points)
        left = tuple(yes for yes, _ in splits)
        half = 1 << depth - 1
        for yes, smaller in splits:
            if smaller < half:
                break
            if self._shatters(subset & yes, depth - 1, left) and self._shatters(
                subset & ~yes, depth - 1, left
            ):
                self._shattered[subset] = depth
                return True
        self._refuted[subset] = depth
        return False

    @staticmethod
    def _splits(subset: int, points: Iterable[int]) -> _Splits:
        """Return the ways in which points split a subset, the most even first.

        Each is the side with the first concept, and the size of the smaller side.
        """
        first, total = subset & -subset, subset.bit_count()
        sides = set()
        for yes in points:
            side = subset & yes
            sides.add(side if side & first else subset ^ side)
        sizes = ((side, side.bit_count()) for side in sides if side != subset)
        even = [(side, min(size, total - size)) for side, size in sizes]
        return tuple(sorted(even, key=lambda split: -split[1]))
