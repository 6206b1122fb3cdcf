"""The proof of `MulticlassAuto`: the class with the most weight is predicted.

If it is wrong, the right class had no more weight than that one, so at most half of the
total, and the members that were wrong had at least half: the proof of two labels holds.
"""

from __future__ import annotations

from typing import Any, ClassVar

from littlestone.verifying.proofs._crowd import between, seed
from littlestone.verifying.proofs._proof import Proof, real
from littlestone.verifying.proofs.auto import team
from littlestone.verifying.proofs.majorities import Weighed
from littlestone.verifying.proofs.multiclass import classes
from littlestone.verifying.twins.multiclass_auto import MEMBERS

__all__ = ["PROOFS"]


class Followed(Weighed):
    """`WM` for `MulticlassAuto`. The members are only replayed, as for `Auto`."""

    learners = ("MulticlassAuto",)
    schemas: ClassVar[Any] = (
        {
            "members": team(MEMBERS, taken=("",)),
            "classes": classes,
            "bias": real,
            "beta": between,
            "narrow": seed,
        },
    )

    @property
    def experts(self) -> Any:
        """The members."""
        return list(self.parameters["members"])

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the advice is what the members say
        """Count the mistakes of the witness in what the members said."""
        self.best += twin.votes[self.who] != y
        self.twin = twin


PROOFS: dict[str, type[Proof]] = {"WM": Followed}
