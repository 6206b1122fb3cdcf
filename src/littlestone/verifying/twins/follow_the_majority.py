"""Following the majority in plain Python."""

from __future__ import annotations

__all__ = ["FollowTheMajority"]


class FollowTheMajority:
    """The twin of `littlestone.experts.FollowTheMajority`.

    Examples
    --------
    >>> from littlestone.verifying.twins import FollowTheMajority
    >>> twin = FollowTheMajority()
    >>> [twin.play(None, y) for y in (False, True, True)]
    [True, False, True]
    """

    def __init__(self) -> None:
        self.yes = self.updates = 0

    def play(self, x: object, y: bool) -> bool:  # noqa: ARG002 - it ignores the example
        """Predict, then count the label."""
        predicted = 2 * self.yes >= self.updates
        self.yes += y
        self.updates += 1
        return predicted
