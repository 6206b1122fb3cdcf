"""Halving over a class in plain Python."""

from __future__ import annotations

from littlestone.verifying.twins._version_space import VersionSpace

__all__ = ["VersionSpaceLearner"]


class VersionSpaceLearner(VersionSpace):
    """The twin of `littlestone.boolean.VersionSpaceLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import VersionSpaceLearner
    >>> twin = VersionSpaceLearner([bool, lambda x: x > 1, lambda x: x > 2])
    >>> twin.play(1, True), twin.left
    (False, [0])
    """

    def says(self, yes: list[int], no: list[int]) -> bool:
        """Follow the majority, yes at a tie."""
        return len(yes) >= len(no)
