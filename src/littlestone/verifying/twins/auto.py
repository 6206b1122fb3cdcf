"""Auto in plain Python: the twins of its members, a stack, and a weighted majority."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._team import Member, room
from littlestone.verifying.twins.ada_grad import AdaGrad
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

__all__ = ["MEMBERS", "Auto"]

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
    """

    def __init__(
        self,
        members: Mapping[str, tuple[str, Mapping[str, Any]]],
        bias: float = 1.0,  # noqa: ARG002 - of a pool that is stated
        beta: float = 0.8,
        narrow: int = 300,
    ) -> None:
        self.members = {
            name: Member(MEMBERS[kind], **given)
            for name, (kind, given) in members.items()
        }
        self.stack, self.narrow = AROW(diagonal=False, bias=1.0), narrow
        self.dropped: set[str] = set()
        self.votes: dict[str, bool] = {}  # the latest, for the proof
        super().__init__(beta, [*self.members, "stack"])

    def play(self, x: Mapping[object, float], y: bool) -> bool:
        """Let the members play, the stack play their scores, and all of them vote."""
        self.votes, scores, narrow = {}, dict[object, float](), self.narrow
        for at, (name, member) in enumerate(self.members.items()):
            # Members behind a map are dropped when a full matrix has no room.
            if self.dropped if member.maps else not room(x, member.twin, narrow):
                self.dropped.add(name)
            gone = name in self.dropped
            self.votes[name] = not gone and member.play(x, y)
            score = 0.0 if gone else member.twin.scored
            scores[at] = score / (1.0 + abs(score))
        self.votes["stack"] = self.stack.play(scores, y)
        return super().play(self.votes, y)
