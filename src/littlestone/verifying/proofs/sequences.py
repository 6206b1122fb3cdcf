"""The proofs about sequences of experts: Fixed Share follows all of them at once.

Its weights are exponential weights with one expert for each sequence, whose prior is
the probability of the sequence under a chain that switches with alpha. So the proof is
that of exponential weights, with that prior.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import theorems
from littlestone.verifying.proofs._forecast import CHARGED
from littlestone.verifying.proofs._ledger import Ledger, difference
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero
from littlestone.verifying.proofs._spans import NOTHING, Span
from littlestone.verifying.proofs.weights import Mixing, curved

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.verifying.proofs._forecast import Case
    from littlestone.verifying.proofs._ledger import Round

__all__ = ["PROOFS", "Rounds"]

_ONE = Fraction(1)


class Rounds(Ledger):
    """A ledger that keeps all rounds, to charge sequences of experts."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[Round] = []

    def learn(self, played: Round, twin: Any) -> None:  # noqa: ARG002 - the charges are enough
        """Keep the round."""
        self.kept.append(played)

    def regret(self, switches: Any) -> Span:
        """Return the regret to a sequence of experts."""
        starts, total = dict(switches), NOTHING
        expert: Any = None
        for t, played in enumerate(self.kept):
            expert = starts.get(t, expert)
            if expert not in played.charges:
                raise Unsound(f"witness: {expert!r:.80} must be one of the experts")
            total += difference(played.own, played.charges[expert]).tidy()
        return total


class Shifting(Mixing):
    """`FS`."""

    learners = ("FixedShare",)
    kinds = ("sequence",)
    schemas = (
        {
            "eta": above_zero,
            "alpha": lambda value: above_zero(value) and value < 1,
            **CHARGED,
        },
    )
    names: ClassVar[tuple[str, ...]] = (
        *("eta", "share", "switches", "rounds", "experts"),
        "scale",
    )
    sides: ClassVar[Mapping[str, int]] = dict.fromkeys(names, 0) | {"scale": 1}

    @staticmethod
    def open() -> Ledger:
        """Return an empty ledger."""
        return Rounds()

    def check_parameters(self) -> None:
        """Check the rate, the share, and that the witness is a sequence."""
        self.rate = self.case.rate
        self.equal("eta", self.rate, "the learner's, over the width of the range")
        self.equal("share", Fraction(self.parameters["alpha"]), "the learner's")
        switches = self.witness["switches"]
        times = [t for t, _ in switches]
        if not times or times[0] != 0 or times != sorted(times):
            raise Unsound("witness must list rounds in order, from 0 on")
        if any(one == two for (_, one), (_, two) in pairwise(switches)):
            raise Unsound("witness must name another expert at each switch")
        self.equal("switches", Fraction(len(times) - 1), "those of the witness")
        if times[-1] >= self.numbers["rounds"]:
            raise Unsound("witness must switch within the rounds played")
        self.starts, self.expert = dict(switches), None
        self.costs = NOTHING
        given = {name: self.numbers[name] for name in theorems.FS_XC.numbers}
        self.price = theorems.FS_XC.formula(**given) * self.rate

    def follow(self, played: Round, twin: Any) -> None:
        """Move to the expert of the round."""
        self.expert = self.starts.get(self.ledger.rounds - 1, self.expert)
        if self.expert not in played.charges:
            raise Unsound(
                f"witness: {self.expert!r:.80} must be one of the experts, and awake"
            )
        self.costs += played.charges[self.expert].tidy()
        super().follow(played, twin)

    def follows(self) -> Any:
        """Return the expert of the round."""
        return self.expert

    def lost(self) -> Fraction:
        """Return the loss of the sequence."""
        return self.costs.high

    def most(self, mixed: Fraction) -> Fraction:
        """Return the most that Hoeffding's lemma allows."""
        return mixed + self.rate * self.numbers["scale"] ** 2 / 8

    @classmethod
    def count(cls, case: Case) -> Span:
        """Return the regret against the sequence."""
        regret: Span = case.ledger.regret(case.witness["switches"])
        return regret

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the numbers, from the parameters, the witness and the rounds."""
        ledger = case.ledger
        if ledger.sleepy:
            raise Unsound("no expert may sleep")
        if not case.equal:
            raise Unsound("the priors must be equal")
        apart = max(each.spread for each in ledger.accounts.values())
        return {
            "eta": case.rate,
            "share": Fraction(case.parameters["alpha"]),
            "switches": Fraction(len(case.witness["switches"]) - 1),
            "rounds": Fraction(ledger.rounds),
            "experts": Fraction(len(ledger.accounts)),
            "scale": apart or _ONE,
        }


class CurvedShifting(Shifting):
    """`FS-XC`."""

    names = ("eta", "share", "switches", "rounds", "experts")

    def most(self, mixed: Fraction) -> Fraction:
        """Return the mix loss."""
        return mixed

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Check that the loss is curved enough for the rate."""
        numbers = super().measure(case)
        accounts = case.ledger.accounts.values()
        curved(case.ledger, case.rate, max(each.largest for each in accounts))
        return {name: numbers[name] for name in cls.names}


PROOFS: dict[str, type[Proof]] = {"FS": Shifting, "FS-XC": CurvedShifting}
