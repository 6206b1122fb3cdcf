"""The proofs about learners that look at labels alone: counting, without rounding.

Cover's learner attains its bound exactly, so its expected mistakes must equal the bound
as fractions. Following the majority errs as often as the better constant, and once more
for each mistake at a tie.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.theorems import COVER
from littlestone.verifying.proofs._crowd import seed
from littlestone.verifying.proofs._proof import Proof, Unsound, real

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["LONGEST", "PROOFS"]

# After more rounds, the expected mistakes have too many digits for a certificate.
LONGEST = 2**14


def _horizon(value: Any) -> bool:
    return type(value) is int and 1 <= value <= LONGEST


def _table(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(
        (real(each) or isinstance(each, Fraction)) and 0 <= each <= 1 for each in value
    )


def _nothing(value: Any) -> bool:
    return value is None


class _Counting(Proof):
    """The base of these proofs: counts the labels."""

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.rounds = self.ones = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only the label counts
        """Count the label."""
        self.rounds += 1
        self.ones += y

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Check that every round updated the learner, and return what is bounded."""
        if counts.get("updates") != counts["rounds"]:
            raise Unsound(
                "updates must equal rounds, as every round updates the learner"
            )
        return super().counted(counts, what)


class Covered(_Counting):
    """`COVER`."""

    learners = ("Cover",)
    names = ("rounds", "ones")
    schemas = ({"horizon": _horizon, "phi": _nothing, "seed": seed},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.horizon = Fraction(self.parameters["horizon"])
        self.equal("rounds", self.horizon, "the learner's horizon")

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Check that all rounds were played."""
        if counts["rounds"] != self.horizon:
            raise Unsound(f"rounds must be the whole horizon, {self.horizon}")
        return super().counted(counts, what)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check that the expected mistakes equal the bound."""
        if counts["counted"] != self.promise():
            raise Unsound("expected mistakes must equal the bound exactly")

    def promise(self) -> Fraction:
        """Return the bound."""
        self.equal("ones", Fraction(self.ones), "the number of labels that are yes")
        return COVER.formula(rounds=self.horizon, ones=self.ones)


class CoveredByPhi(Covered):
    """`COVER-PHI`."""

    names = ("rounds", "phi")
    schemas = ({"horizon": _horizon, "phi": _table, "seed": seed},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.phi = [Fraction(share) for share in self.parameters["phi"]]
        _refuse_phi(self.phi, int(self.horizon))

    def promise(self) -> Fraction:
        """Return the bound."""
        self.equal("phi", self.phi[self.ones], "the value of phi on the labels")
        return self.horizon * self.numbers["phi"]


def _refuse_phi(phi: Sequence[Fraction], n: int) -> None:
    """Check that there are n + 1 numbers, that they are stable, and their mean."""
    if len(phi) != n + 1:
        raise Unsound(f"learner: phi must have {n + 1} numbers, got {len(phi)}")
    unit = math.lcm(*(share.denominator for share in phi))
    whole = [int(share * unit) for share in phi]
    total, ways = whole[0], 1
    for ones in range(1, n + 1):
        if abs(whole[ones] - whole[ones - 1]) * n > unit:
            raise Unsound(f"learner: phi must change by at most 1/{n} with one label")
        ways = ways * (n - ones + 1) // ones
        total += ways * whole[ones]
    if 2 * total != unit << n:
        raise Unsound("learner: the mean of phi must be exactly 1/2")


class Followed(_Counting):
    """`FTM`."""

    learners = ("FollowTheMajority",)
    names = ("best", "ties")
    schemas = ({},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.ties = self.at_ties = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Also count the ties, and the mistakes at ties."""
        tie = 2 * self.ones == self.rounds
        self.ties += tie
        self.at_ties += tie and said != y
        super().round(x, y, said, changed, twin)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the counts, and that the mistakes are those of the proof."""
        best = min(self.ones, self.rounds - self.ones)
        self.equal("best", Fraction(best), "the mistakes of the better constant")
        self.equal("ties", Fraction(self.ties), "the number of ties")
        if counts["mistakes"] != best + self.at_ties:
            raise Unsound(
                f"mistakes must be those of the better constant, {best}, and those at "
                f"ties, {self.at_ties}"
            )


class Alternated(_Counting):
    """`FTM-LB`."""

    learners = ("FollowTheMajority",)
    names = ("rounds",)
    schemas = ({},)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Check that labels alternate, and that each is a mistake."""
        if y != self.rounds % 2:
            raise Unsound("labels must be no, yes, no, yes and so on")
        if said == y:
            raise Unsound("every round must be a mistake")
        super().round(x, y, said, changed, twin)

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Check the number of rounds."""
        self.equal("rounds", counts["rounds"], "the rounds played")
        return super().counted(counts, what)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Do nothing: each round was checked."""


PROOFS: dict[str, type[Proof]] = {
    "COVER": Covered,
    "COVER-PHI": CoveredByPhi,
    "FTM": Followed,
    "FTM-LB": Alternated,
}
