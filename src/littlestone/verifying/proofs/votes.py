"""The proofs of votes: the experts, and how halving leaves half of them.

Halving counts, without rounding: a mistake leaves at most half of the experts alive,
or of their priors, and the witness is one of them, or errs before each restart.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying.proofs._crowd import crowd
from littlestone.verifying.proofs._exact import dot
from littlestone.verifying.proofs._proof import Proof, Unsound, brief, truth
from littlestone.verifying.twins._roster import Roster

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PROOFS", "Votes"]


class Votes(Proof):
    """The base of these proofs: the experts, and the witness among them."""

    kinds = ("expert",)
    # The numbers in the place of `experts` if priors differ.
    by_prior: ClassVar[tuple[str, ...]] = ("prior",)

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        if "prior" in numbers:
            kept = (name for name in self.names if name != "experts")
            self.names = (*kept, *self.by_prior)  # type: ignore[misc]  # the theorem takes either
        super().__init__(parameters, witness, numbers)
        self.who = witness["expert"]
        self.best = 0  # the mistakes of the witness
        self.twin: Any = None
        if self.experts is not None:
            self.meet(Roster(self.experts).priors)

    @property
    def experts(self) -> Any:
        """The experts that the learner was made with; None if advice names them."""
        return self.parameters["experts"]

    def meet(self, priors: Mapping[Any, float]) -> None:
        """Check the number of experts, or the share of the witness."""
        if self.who not in priors:
            raise Unsound(f"witness must be one of the experts, got {self.who!r:.80}")
        if "prior" in self.numbers:
            whole = dot((prior, 1.0) for prior in priors.values())
            share = Fraction(priors[self.who]) / whole
            self.at_most("prior", share, "the share of the witness")
            if "lightest" in self.numbers:
                least = Fraction(min(priors.values())) / whole
                self.at_most("lightest", least, "the smallest share")
            return
        if len(set(priors.values())) > 1:
            raise Unsound("priors must be equal if the number of experts is stated")
        self.equal("experts", Fraction(len(priors)), "the number of experts")

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - every round changes them
        """Count the witness's mistakes; refuse sleepers in rounds that count."""
        votes = twin.read(x)
        if len(votes) < len(x):
            raise Unsound("all experts must be present from the start")
        if not all(vote in (0, 1, -1) for vote in x.values()):
            raise Unsound("an expert must say yes or no")
        if len(votes) < len(twin.priors) and self.costs(votes, y, said):
            raise Unsound("every expert must be awake in a round that costs something")
        if votes.get(self.who, y) != y:
            self.best += 1
        self.twin = twin

    def costs(self, votes: Mapping[Any, bool], y: bool, said: bool) -> bool:  # noqa: ARG002 - used by learners that draw
        """Return whether a round adds to the count."""
        return said != y

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Check the common counts, and return what is bounded."""
        if counts.get("updates") != counts["rounds"]:
            raise Unsound(
                "updates must equal rounds, as every round updates the learner"
            )
        if counts.get("loss", counts["mistakes"]) != counts["mistakes"]:
            raise Unsound("loss must equal mistakes")
        return super().counted(counts, what)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the numbers, then the weight that is left."""
        if self.twin is not None:
            self.meet(self.twin.priors)
        elif self.experts is None:
            raise Unsound("witness must be one of the experts, got no experts")
        if "best" in self.numbers:
            self.count()
        if self.twin is not None:
            self.settle(counts)

    def count(self) -> None:
        """Check the mistakes of the witness."""
        self.equal("best", Fraction(self.best), "the mistakes of the witness")

    def settle(self, counts: Mapping[str, Fraction]) -> None:
        """Check the weight that is left, given the count."""


class Halved(Votes):
    """`HALV`."""

    learners = ("Halving",)
    names: ClassVar[tuple[str, ...]] = ("experts",)
    schemas = ({"restart": truth, "experts": crowd, "keep_losses": truth},)
    restarts: ClassVar[bool] = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.parameters["restart"] is not self.restarts:
            raise Unsound(f"learner: restart must be {self.restarts}")
        self.alive: Fraction | None = None  # what is left of the priors
        self.starts = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Check that a mistake leaves at most half."""
        super().round(x, y, said, changed, twin)
        before = _counted(twin, twin.priors) if self.alive is None else self.alive
        self.alive = _counted(twin, twin.alive)
        left = Fraction(0) if twin.restarts > self.starts else self.alive
        self.starts = twin.restarts
        if said != y and 2 * left > before:
            raise Unsound(
                f"a mistake must leave half of {brief(before)}, got {brief(left)} left"
            )
        self.judge()

    def judge(self) -> None:
        """Check that the witness is still alive."""
        if self.best:
            raise Unsound("witness must never be wrong")


class HalvedAgain(Halved):
    """`HALV-R`."""

    names = ("best", "experts")
    by_prior = ("prior", "lightest")
    restarts = True

    def judge(self) -> None:
        """Check that the witness erred before every restart."""
        if self.starts > self.best:
            raise Unsound("witness must have been wrong before every restart")


def _counted(twin: Any, experts: Iterable[Any]) -> Fraction:
    """Return how much some experts count together."""
    if len(set(twin.priors.values())) == 1:
        return Fraction(sum(1 for _ in experts))
    return dot((twin.priors[expert], 1.0) for expert in experts)


PROOFS: dict[str, type[Proof]] = {"HALV": Halved, "HALV-R": HalvedAgain}
