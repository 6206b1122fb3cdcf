"""Restarting in plain Python."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from littlestone.outcome import Outcome
from littlestone.verifying.twins._member import Member

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

__all__ = ["Restarting", "is_power"]

# No mistake makes a weight less, so that none is lost to rounding.
_LEAST = sys.float_info.min


class Restarting:
    """The twin of `littlestone.experts.Restarting`.

    The learner is stated by its name and parameters.

    Examples
    --------
    >>> from littlestone.verifying.twins import Restarting
    >>> twin = Restarting(("AROW", {}), shortest=1)
    >>> twin.play({"a": 1.0}, False)
    True
    >>> twin.weights
    {0: 0.5, 1: 0.5}
    """

    def __init__(
        self,
        learner: tuple[str, Mapping[str, Any]],
        shortest: int = 64,
        beta: float = 0.5,
    ) -> None:
        # The table of twins holds this one too.
        from littlestone.verifying.twins import TWINS, outcome_of  # noqa: PLC0415

        name, given = learner
        self._twin, self._given = TWINS[name], given
        self.classes = outcome_of(name, given) is Outcome.CLASS
        self.shortest, self.beta = shortest, beta
        # By the batch they began with.
        self.copies: dict[int, Member] = {0: self._newborn()}
        self.weights = {0: 1.0}
        self.said: dict[int, Any] = {}  # in the latest round
        self.updates = self.rounds = 0
        self.scored = 0.0  # the latest score, for `Auto`

    def _newborn(self) -> Member:
        return Member(self._twin, **self._given)

    def known(self) -> int:
        """Return for how many features the first copy has learned a weight."""
        first = self.copies[0].twin
        initial = getattr(first, "initial", 0.0)
        each = first.weights.values() if self.classes else [first.weights]
        return len({name for ws in each for name, w in ws.items() if w != initial})

    def play(self, x: Mapping[Any, float], y: Hashable) -> Any:
        """Let the copies vote, teach them, and weigh them if the vote was wrong."""
        before = [copy.updates for copy in self.copies.values()]
        self.said = {begun: copy.play(x, y) for begun, copy in self.copies.items()}
        votes: dict[Any, float] = {} if self.classes else {True: 0.0}
        for begun, its in self.said.items():
            votes[its] = votes.get(its, 0.0) + self.weights[begun]
        if not self.classes:
            self.scored = votes[True] - votes.get(False, 0.0)
        said = max(votes, key=votes.__getitem__)
        if said != y:
            for begun, its in self.said.items():
                if its != y:
                    self.weights[begun] = max(self.weights[begun] * self.beta, _LEAST)
            self._scale()
        after = [copy.updates for copy in self.copies.values()]
        self.updates += said != y or after != before
        self.rounds += 1
        if self.rounds % self.shortest == 0:
            self._begin(self.rounds // self.shortest)
        return said

    def _scale(self) -> None:
        total = 0.0
        for weight in self.weights.values():
            total += weight
        for begun in self.weights:
            self.weights[begun] /= total

    def _begin(self, batch: int) -> None:
        over = [begun for begun in self.copies if begun and ends(begun) == batch]
        for begun in over:
            del self.copies[begun], self.weights[begun]
        if over:
            self._scale()
        for begun in self.weights:
            self.weights[begun] *= batch / (batch + 1)
        self.copies[batch], self.weights[batch] = self._newborn(), 1 / (batch + 1)


def ends(begun: int) -> int:
    """Return the batch before which a copy ends.

    Examples
    --------
    >>> from littlestone.verifying.twins.restarting import ends
    >>> ends(12), ends(7)
    (16, 8)
    """
    return begun + (begun & -begun)


def is_power(rounds: int, shortest: int) -> bool:
    """Return whether a batch begins after 1, 2, 4, 8, ... of them.

    Examples
    --------
    >>> from littlestone.verifying.twins.restarting import is_power
    >>> [rounds for rounds in range(1, 100) if is_power(rounds, 10)]
    [10, 20, 40, 80]
    """
    batch, rest = divmod(rounds, shortest)
    return rest == 0 and batch.bit_count() == 1
