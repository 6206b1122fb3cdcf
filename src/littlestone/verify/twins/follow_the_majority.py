"""Following the majority in plain Python."""

from __future__ import annotations

__all__ = ["FollowTheMajority"]


class FollowTheMajority:
    """The twin of `littlestone.experts.FollowTheMajority`.

    Examples
    --------
    >>> from littlestone.verify.twins import FollowTheMajority
    >>> twin = FollowTheMajority()
    >>> [twin.play(None, y) for y in (False, True, True)]
    [True, False, True]
    """

    def __init__(self) -> None:
        self.labels: list[bool] = []

    def play(self, x: object, y: bool) -> bool:  # noqa: ARG002 - it does not look
        """Predict, then remember the label."""
        predicted = 2 * self.labels.count(True) >= len(self.labels)
        self.labels.append(y)
        return predicted
