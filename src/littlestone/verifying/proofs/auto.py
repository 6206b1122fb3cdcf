"""The proof of `Auto`: a weighted vote of learners, which are played as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import theorems
from littlestone.verifying.proofs._crowd import between, seed
from littlestone.verifying.proofs._proof import Proof, Unsound, real
from littlestone.verifying.proofs.majorities import Weighed
from littlestone.verifying.proofs.restarting import Restarts
from littlestone.verifying.twins.auto import MEMBERS, STACKS, sums

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["PROOFS", "team"]

_MOST = 1024  # members, more than anyone plays with
_PAIR = 2  # of a class and its parameters


def team(known: Mapping[str, Any], taken: tuple[str, ...]) -> Callable[[Any], bool]:
    """Return what tells members stated by name, as their class and parameters.

    Examples
    --------
    >>> from littlestone.verifying.proofs.auto import team
    >>> known = team({"AROW": None}, taken=("stack",))
    >>> known({"a": ("AROW", {"r": 1.0})}), known({"stack": ("AROW", {})})
    (True, False)
    """

    def check(value: Any) -> bool:
        return (
            isinstance(value, Mapping)
            and 0 < len(value) <= _MOST
            and all(type(name) is str and name not in taken for name in value)
            and all(
                isinstance(stated, tuple)
                and len(stated) == _PAIR
                and stated[0] in known
                and isinstance(stated[1], Mapping)
                for stated in value.values()
            )
        )

    return check


_ALONE: dict[str, Callable[[Any], bool]] = {
    "members": team(MEMBERS, taken=STACKS[:1]),
    "bias": real,
    "beta": between,
    "narrow": seed,
}


def _summed(members: Any) -> bool:
    return team(MEMBERS, taken=STACKS)(members) and sums(len(members))


class Followed(Weighed):
    """`WM` for `Auto`. It holds whatever the members are, so they are only replayed."""

    learners = ("Auto",)
    schemas: ClassVar[Any] = (
        {**_ALONE, "members": _summed, "summed": lambda value: value is True},
        _ALONE,  # as in the first certificates, and where there are many members
    )

    @property
    def experts(self) -> Any:
        """The members, and the stacks last."""
        stacks = STACKS[: 1 + ("summed" in self.parameters)]
        return [*self.parameters["members"], *stacks]

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the advice is what the members say
        """Count the mistakes of the witness in what the members said."""
        super().round(twin.votes, y, said, changed, twin)


class Restarted(Followed):
    """`WM-RESTART`: the vote is compared with copies of the first that restarts."""

    names = ("best", "pieces", "batches", "copy_beta", "beta", "experts")
    kinds = ("sequence",)
    theorem = theorems.WM_RESTART

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        stated = parameters.get("members")
        members = stated.items() if isinstance(stated, Mapping) else ()
        found = ((name, each[1]) for name, each in members if each[0] == "Restarting")
        name, given = next(found, (None, {}))
        super().__init__(parameters, {**witness, "expert": name}, numbers)
        beta = {"beta": numbers["copy_beta"]}
        inner = {each: numbers[each] for each in ("best", "pieces", "batches")} | beta
        self.copies = Restarts(given, witness, inner)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Count the mistakes of the member, and of the copies that are followed."""
        super().round(x, y, said, changed, twin)
        if self.who in twin.dropped:
            raise Unsound("the member must not be dropped")
        self.copies.round(x, y, said, changed, twin.members[self.who].twin)

    def count(self) -> None:
        """Check the copies, and that the member lost no more than they allow."""
        self.copies.close({})
        allowed = theorems.RESTART.formula(**self.copies.numbers)
        if self.best > allowed:
            raise Unsound(
                "the member must not exceed RESTART: rounding broke the proof"
            )


PROOFS: dict[str, type[Proof]] = {"WM": Followed, "WM-RESTART": Restarted}
