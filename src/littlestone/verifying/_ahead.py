"""What is ahead of a learner: maps, and the members of a committee."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying._committee import Members
from littlestone.verifying._faults import faults
from littlestone.verifying.proofs import Unsound
from littlestone.verifying.twins import reads_of
from littlestone.verifying.twins.maps import LEARNING, mapping_of

if TYPE_CHECKING:
    from littlestone.verifying._certificate import Certificate
    from littlestone.verifying.proofs import Proof
    from littlestone.verifying.twins import Reads

__all__ = ["Ahead", "alone", "refuse_other_rounds"]


def alone(given: Certificate) -> dict[str, Any]:
    """Return the parameters of the learner, without what is before it."""
    parameters = given.learner["parameters"].items()
    return {n: value for n, value in parameters if n not in ("map", "committee")}


class Ahead:
    """What is ahead of a learner: maps, and the members of a committee."""

    def __init__(self, given: Certificate) -> None:
        name, parameters = given.learner["name"], given.learner["parameters"]
        self._maps = mapping_of(parameters.get("map", ()))
        self._members: Members | None = None
        if "committee" in parameters:
            self._members = Members(parameters["committee"], name, alone(given))
        self.reads: Reads = "features" if self else reads_of(name)

    def __bool__(self) -> bool:
        return bool(self._maps) or self._members is not None

    def play(self, x: Any, y: Any) -> tuple[Any, Any]:
        """Return a round as the learner gets it."""
        for each in self._maps:
            x = each(x)
        return (x, y) if self._members is None else self._members.advise(x, y)


def refuse_other_rounds(given: Certificate, proof: Proof) -> None:
    """Refuse passes and orders in which the learner would play other rounds."""
    if proof.late and given.passes > 1:
        raise Unsound("passes must be 1, as labels come late at other times in another")
    with faults("learner: its map must be one that it can have"):
        maps = [name for name, _ in given.learner["parameters"].get("map", ())]
    if given.scope == "stream" and not LEARNING.isdisjoint(maps):
        raise Unsound(
            "scope must be 'run' behind a map that learns, as it maps the examples "
            "otherwise in another order"
        )
