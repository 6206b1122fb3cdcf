"""The voted Perceptron in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["VotedPerceptron"]


class VotedPerceptron:
    """The twin of `littlestone.linear.VotedPerceptron`.

    Examples
    --------
    >>> from littlestone.verifying.twins import VotedPerceptron
    >>> twin = VotedPerceptron()
    >>> [twin.play({"a": 1.0}, y) for y in (True, False, False, True)]
    [True, True, True, False]
    """

    def __init__(self, bias: float = 0.0) -> None:
        self.bias = bias
        self.latest: dict[object, float] = {}
        self.changes: list[tuple[float, dict[object, float]]] = []
        self.votes = [0.0]

    @property
    def updates(self) -> int:
        """How many rounds have led to a new vector."""
        return len(self.changes)

    @property
    def weights(self) -> dict[object, float]:
        """The weights of the latest vector, without the constant feature."""
        return {name: w for name, w in self.latest.items() if name is not self}

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Let every vector vote, then learn as the Perceptron does."""
        score, balance = 0.0, self.votes[0]
        for (sign, change), votes in zip(self.changes, self.votes[1:], strict=True):
            product = 0.0
            for name, value in x.items():
                product += change.get(name, 0.0) * value
            score += sign * (product + self.bias * self.bias)
            balance += votes if score >= 0 else -votes
        latest = 0.0
        for name, value in x.items():
            latest += self.latest.get(name, 0.0) * value
        latest += self.latest.get(self, 0.0) * self.bias
        if (latest >= 0) == y:
            self.votes[-1] += 1
        else:
            sign = 1.0 if y else -1.0
            # The twin itself names the constant feature, which occurs in no example.
            for name, value in {**x, self: self.bias}.items():
                self.latest[name] = self.latest.get(name, 0.0) + sign * value
            self.changes.append((sign, dict(x)))
            self.votes.append(1.0)
        return balance >= 0
