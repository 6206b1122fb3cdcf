"""The consistent learner in plain Python."""

from __future__ import annotations

from littlestone.verifying.twins._version_space import VersionSpace

__all__ = ["ConsistentLearner"]


class ConsistentLearner(VersionSpace):
    """The twin of `littlestone.boolean.ConsistentLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import ConsistentLearner
    >>> twin = ConsistentLearner([bool, lambda x: x > 1])
    >>> twin.play(1, False), twin.play(1, False)
    (True, False)
    """

    def says(self, yes: list[int], no: list[int]) -> bool:
        """Follow the first that is left."""
        return min(yes + no) in yes
