"""MulticlassAuto in plain Python: twins of its members, and a weighted plurality."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._member import Member
from littlestone.verifying.twins._powers import Powers
from littlestone.verifying.twins._team import room
from littlestone.verifying.twins.multiclass_ada_grad import MulticlassAdaGrad
from littlestone.verifying.twins.multiclass_arow import MulticlassAROW
from littlestone.verifying.twins.multiclass_passive_aggressive import (
    MulticlassPassiveAggressive,
)
from littlestone.verifying.twins.multiclass_perceptron import MulticlassPerceptron
from littlestone.verifying.twins.multiclass_second_order import MulticlassSecondOrder
from littlestone.verifying.twins.restarting import Restarting

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

__all__ = ["MEMBERS", "MulticlassAuto"]

# The learners that may be members.
MEMBERS: dict[str, type[Any]] = {
    twin.__name__: twin
    for twin in (
        MulticlassAROW,
        MulticlassAdaGrad,
        MulticlassPassiveAggressive,
        MulticlassPerceptron,
        MulticlassSecondOrder,
        Restarting,
    )
}


class MulticlassAuto(Powers):
    """The twin of `littlestone.MulticlassAuto`; members are stated as for `Auto`.

    Examples
    --------
    >>> from littlestone.verifying.twins import MulticlassAuto
    >>> twin = MulticlassAuto({"p": ("MulticlassPerceptron", {})})
    >>> twin.play({"a": 1.0}, "x"), twin.play({"a": 1.0}, "x")
    (None, 'x')
    """

    def __init__(
        self,
        members: Mapping[str, tuple[str, Mapping[str, Any]]],
        classes: Iterable[Hashable] | None = None,
        bias: float = 1.0,  # noqa: ARG002 - of a pool that is stated
        beta: float = 0.8,
        narrow: int = 300,
    ) -> None:
        self.members = {
            name: Member(MEMBERS[kind], **given)
            for name, (kind, given) in members.items()
        }
        self.known = dict.fromkeys(classes or ())  # in order of appearance
        self.narrow = narrow
        self.dropped: set[str] = set()
        self.votes: dict[str, Hashable] = {}  # the latest, for the proof
        super().__init__(beta, list(self.members))

    def play(self, x: Mapping[object, float], y: Hashable) -> Hashable:
        """Let the members play, and follow the class with the most weight."""
        self.votes = {}
        for name, member in self.members.items():
            # Members behind a map are dropped when a full matrix has no room.
            if self.dropped if member.maps else not self.fits(x, member.twin):
                self.dropped.add(name)
            self.votes[name] = None if name in self.dropped else member.play(x, y)
        weights = self.weigh(self.priors)
        leader: Hashable = None
        for rival in self.known:
            lead = (
                weights[name] * ((vote == leader) - (vote == rival))
                for name, vote in self.votes.items()
                if vote is not None
            )
            voted = rival in self.votes.values()
            # A sum that is rounded once, at the end, has the sign of the exact one.
            if voted and (leader is None or math.fsum(lead) < 0):
                leader = rival
        self.known[y] = None
        self.count([name for name, vote in self.votes.items() if vote != y])
        return self.tell(leader, y)

    def fits(self, x: Mapping[object, float], member: Any) -> bool:
        """Return whether copies, or the full matrix of each class, have room."""
        if isinstance(member, Restarting):
            return room(x, member, self.narrow)
        blocks = getattr(member, "blocks", None)
        if blocks is None or member.given[1]:
            return True
        newborn = type(member).block(*member.given)
        return all(room(x, block, self.narrow) for block in (newborn, *blocks.values()))
