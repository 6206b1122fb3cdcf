"""Auto in plain Python: the twins of its members, stacks, and a weighted majority."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._member import Member
from littlestone.verifying.twins._team import room
from littlestone.verifying.twins.ada_grad import AdaGrad
from littlestone.verifying.twins.aioli import AIOLI
from littlestone.verifying.twins.arow import AROW
from littlestone.verifying.twins.averaged_perceptron import AveragedPerceptron
from littlestone.verifying.twins.balanced_winnow import BalancedWinnow
from littlestone.verifying.twins.coin_betting import CoinBetting
from littlestone.verifying.twins.passive_aggressive import PassiveAggressive
from littlestone.verifying.twins.perceptron import Perceptron
from littlestone.verifying.twins.restarting import Restarting
from littlestone.verifying.twins.second_order_perceptron import SecondOrderPerceptron
from littlestone.verifying.twins.weighted_majority import WeightedMajority
from littlestone.verifying.twins.winnow import Winnow

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MEMBERS", "STACKS", "Auto", "sums"]

STACKS = ("stack", "logistic stack")  # members that learn from the scores of others
_MOST = 127  # members of whom the second stack learns, which costs the square

# The learners that may be members.
MEMBERS: dict[str, type[Any]] = {
    twin.__name__: twin
    for twin in (
        AROW,
        AdaGrad,
        AveragedPerceptron,
        BalancedWinnow,
        CoinBetting,
        PassiveAggressive,
        Perceptron,
        Restarting,
        SecondOrderPerceptron,
        Winnow,
    )
}


def sums(members: int) -> bool:
    """Return whether so many members have a logistic stack.

    Examples
    --------
    >>> from littlestone.verifying.twins.auto import sums
    >>> sums(127), sums(128)
    (True, False)
    """
    return members <= _MOST


class Auto(WeightedMajority):
    """The twin of `littlestone.Auto`; members are stated by class and parameters.

    Examples
    --------
    >>> from littlestone.verifying.twins import Auto
    >>> twin = Auto({"p": ("Perceptron", {}), "a": ("AROW", {})})
    >>> twin.play({"a": 1.0}, False), twin.play({"a": 1.0}, False)
    (True, False)
    >>> twin.mistakes
    {'p': 1, 'a': 1, 'stack': 1}

    The first certificates know one stack; the others say that there are two.
    """

    def __init__(
        self,
        members: Mapping[str, tuple[str, Mapping[str, Any]]],
        bias: float = 1.0,  # noqa: ARG002 - of a pool that is stated
        beta: float = 0.8,
        narrow: int = 300,
        summed: bool = False,
    ) -> None:
        self.members = {
            name: Member(MEMBERS[kind], **given)
            for name, (kind, given) in members.items()
        }
        self.stack, self.narrow = AROW(diagonal=False, bias=1.0), narrow
        self.dropped: set[str] = set()
        self.votes: dict[str, bool] = {}  # the latest, for the proof
        self.sum = AIOLI() if summed else None
        super().__init__(beta, [*self.members, *STACKS[: 1 + summed]])

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Let the members play, the stack play their scores, and all of them vote."""
        self.votes, scores, narrow = {}, list[float](), self.narrow
        for name, member in self.members.items():
            # Members behind a map are dropped when a full matrix has no room.
            if self.dropped if member.maps else not room(x, member.twin, narrow):
                self.dropped.add(name)
            gone = name in self.dropped
            self.votes[name] = not gone and member.play(x, y)
            scores.append(0.0 if gone else member.twin.scored)
        first, second = STACKS
        squashed = [score / (1.0 + abs(score)) for score in scores]
        self.votes[first] = self.stack.play(dict(enumerate(squashed)), y)
        if self.sum:
            scores.append(self.stack.scored)
            squashed.append(scores[-1] / (1.0 + abs(scores[-1])))
            odds = [min(max(score, -16.0), 16.0) / 4.0 for score in scores]
            self.votes[second] = self.sum.play(dict(enumerate(squashed + odds)), y)
        return super().play(self.votes, y)
