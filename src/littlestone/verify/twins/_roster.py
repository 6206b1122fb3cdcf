"""Who the experts are, and what each of them brings and has lost."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Roster"]


class Roster:
    """What the twins of learners with advice share.

    Examples
    --------
    >>> from littlestone.verify.twins._roster import Roster
    >>> roster = Roster({"ann": 1, "bob": 3})
    >>> roster.priors
    {'ann': 0.25, 'bob': 0.75}
    >>> roster.read([True, False]), roster.read({"bob": True})
    ({'ann': True, 'bob': False}, {'bob': True})
    """

    def __init__(self, experts: Any = None) -> None:
        self.priors: dict[Any, float] = {}
        self.losses: dict[Any, float] = {}
        if experts is not None:
            self.begin(range(experts) if isinstance(experts, int) else experts)

    def begin(self, experts: Iterable[Any]) -> None:
        """Meet the experts, who bring equal shares unless their priors are given."""
        if not isinstance(experts, Mapping):
            names = list(experts)
            experts = dict.fromkeys(names, 1 / len(names))
        total = math.fsum(experts.values())
        self.priors = {expert: prior / total for expert, prior in experts.items()}
        self.losses = dict.fromkeys(experts, 0.0)

    def read(self, advice: Any) -> dict[Any, bool]:
        """Return what those awake say, by expert; the first advice tells who is who."""
        if not self.priors:
            self.begin(
                list(advice) if isinstance(advice, Mapping) else range(len(advice))
            )
        if isinstance(advice, Mapping):
            return {e: advice[e] for e in self.priors if e in advice}
        return dict(zip(self.priors, advice, strict=True))

    def charge(self, said: dict[Any, bool], y: bool) -> list[Any]:
        """Charge those who are wrong, and return them."""
        wrong = [expert for expert, vote in said.items() if vote != y]
        for expert in wrong:
            self.losses[expert] += 1.0
        return wrong

    def newcomer(self, expert: Any, prior: float | None) -> tuple[Any, float]:
        """Enter one more; return the name, and the weight for each unit of the others'.

        The name is that of the next position if none is given.
        """
        share = 1 / (len(self.priors) + 1) if prior is None else prior
        expert = len(self.priors) if expert is None else expert
        self.priors[expert] = share
        self.losses[expert] = 0.0
        return expert, share / (1 - share)
