"""The experts, their priors and their losses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Roster"]

Said = TypeVar("Said")


class Roster:
    """The base of the twins with expert advice.

    Examples
    --------
    >>> from littlestone.verifying.twins._roster import Roster
    >>> roster = Roster({"ann": 1, "bob": 3})
    >>> roster.priors
    {'ann': 0.25, 'bob': 0.75}
    >>> roster.read([True, False]), roster.read({"bob": True})
    ({'ann': True, 'bob': False}, {'bob': True})
    >>> roster.read({0: 1.0, 1: -1.0})
    {'ann': True, 'bob': False}
    """

    def __init__(self, experts: Any = None) -> None:
        self.priors: dict[Any, float] = {}
        self.losses: dict[Any, float] = {}
        self.own = 0.0  # the mistakes of the learner itself
        self.updates = 0
        if experts is not None:
            self.begin(range(experts) if isinstance(experts, int) else experts)

    def begin(self, experts: Iterable[Any]) -> None:
        """Take the experts; equal ones start from 1, others from their priors.

        Priors are scaled by a power of two, which does not round, so that their sum is
        at least 1 and below 2.
        """
        self.priors = dict.fromkeys(experts, 1.0)
        if isinstance(experts, Mapping):
            given = {expert: float(prior) for expert, prior in experts.items()}
            if len(set(given.values())) > 1:
                places = 1 - math.frexp(math.fsum(given.values()))[1]
                self.priors = {e: math.ldexp(p, places) for e, p in given.items()}
        self.losses = dict.fromkeys(self.priors, 0.0)

    def read(self, advice: Any) -> dict[Any, bool]:
        """Return whether each expert awake says yes; the first advice names them.

        A row may come as a mapping from positions, even if experts have names.
        """
        if not self.priors:
            self.begin(
                list(advice) if isinstance(advice, Mapping) else range(len(advice))
            )
        if isinstance(advice, Mapping):
            said = {e: advice[e] == 1 for e in self.priors if e in advice}
            if said or list(advice) != list(range(len(self.priors))):
                return said
            advice = advice.values()
        yes = [vote == 1 for vote in advice]
        return dict(zip(self.priors, yes, strict=True))

    def charge(self, said: dict[Any, bool], y: bool) -> list[Any]:
        """Charge the experts that are wrong, and return them."""
        wrong = [expert for expert, vote in said.items() if vote != y]
        for expert in wrong:
            self.losses[expert] += 1.0
        return wrong

    def tell(self, predicted: Said, y: Any) -> Said:
        """Charge the learner for a prediction, and return it."""
        self.own += predicted != y
        self.updates += 1
        return predicted

    def newcomer(self, expert: Any, prior: float | None) -> tuple[Any, float]:
        """Add an expert; return its name, and its weight per unit of the others'.

        Without a name it takes the next position.
        """
        share = 1 / (len(self.priors) + 1) if prior is None else prior
        expert = len(self.priors) if expert is None else expert
        self.priors[expert] = share
        self.losses[expert] = 0.0
        return expert, share / (1 - share)
