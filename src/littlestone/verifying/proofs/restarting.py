"""The proof for copies that start anew: whose mistakes count in which piece."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from littlestone.verifying.proofs._proof import Proof, Unsound, real
from littlestone.verifying.twins.restarting import ends

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]


def _learner(value: Any) -> bool:
    match value:
        case (str(name), {}):
            return name != "Restarting"
    return False


def _batch(value: Any) -> bool:
    return type(value) is int and value >= 1


def _share(value: Any) -> bool:
    return real(value) and 0 < value < 1


class Restarts(Proof):
    """`RESTART`."""

    learners = ("Restarting",)
    names = ("best", "pieces", "batches", "beta")
    kinds = ("sequence",)
    schemas = ({"learner": _learner, "shortest": _batch, "beta": _share},)

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.shortest = parameters["shortest"]
        self.equal("beta", Fraction(parameters["beta"]), "the learner's")
        # Each piece begins with a copy, in the round in which that begins.
        self.pieces = list(witness["switches"])
        for at, begun in self.pieces:
            if type(begun) is not int or begun * self.shortest != at:
                raise Unsound("witness: each piece must begin where a copy does")
        starts = [begun for _, begun in self.pieces]
        if not starts or starts[0] != 0 or starts != sorted(set(starts)):
            raise Unsound("witness: the pieces must follow each other, from 0 on")
        for begun, following in pairwise(starts):
            if begun and following > ends(begun):
                raise Unsound("witness: each piece must be within the life of its copy")
        self.equal("pieces", Fraction(len(starts)), "the number of pieces")
        self.starts, self.best, self.rounds = starts[::-1], 0, 0
        self.followed = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the copies are enough
        """Count the mistakes of the copy that is followed."""
        batch = self.rounds // self.shortest
        while self.starts and self.starts[-1] <= batch:
            self.followed = self.starts.pop()
        if self.followed not in twin.said:
            raise Unsound("witness: each piece must be within the life of its copy")
        self.best += twin.said[self.followed] != y
        self.rounds += 1

    def close(self, counts: Mapping[str, Fraction]) -> None:  # noqa: ARG002 - the theorem has them
        """Check the mistakes and the batches."""
        self.equal("best", Fraction(self.best), "the mistakes of the copies followed")
        batches = max(1, -(-self.rounds // self.shortest))
        self.at_least("batches", Fraction(batches), "the number of batches")
        if self.starts:
            raise Unsound("witness: every piece must begin within the run")


PROOFS: dict[str, type[Proof]] = {"RESTART": Restarts}
