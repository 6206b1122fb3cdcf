"""What a search returns: a theorem with a witness; and what it raises for a stream."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from littlestone.errors import Hint, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from littlestone.theorems import Number, Theorem

__all__ = ["Candidate", "needs_stream"]


@dataclass(frozen=True)
class Candidate:
    """A theorem with a witness and its numbers, and the bound for them.

    A witness may have many entries, so it is written out only on demand. `counted` is
    set where what is counted depends on the witness, as regret does.

    Examples
    --------
    >>> from littlestone.witnesses._candidate import Candidate
    >>> from littlestone.theorems import PERC_SEP
    >>> numbers = {"radius": 1.0, "margin": 0.5, "norm": 1.0}
    >>> candidate = Candidate.of(PERC_SEP, lambda: {"kind": "none"}, numbers)
    >>> candidate, candidate.witness
    (Candidate(PERC-SEP: 4), {'kind': 'none'})
    """

    theorem: Theorem
    write: Callable[[], dict[str, Any]]
    numbers: dict[str, Number]
    bound: float
    counted: Number | None = None

    @classmethod
    def of(
        cls,
        theorem: Theorem,
        write: Callable[[], dict[str, Any]],
        numbers: Mapping[str, Number],
        counted: Number | None = None,
    ) -> Candidate:
        """Evaluate a theorem."""
        given = dict(numbers)
        return cls(theorem, write, given, theorem.bound(**given), counted)

    def repeats(self, updates: int) -> bool:
        """Return whether it says no more than so many updates do."""
        return self.theorem.is_tautological(self.numbers, updates)

    @cached_property
    def witness(self) -> dict[str, Any]:
        """The witness, as a certificate holds it."""
        return self.write()

    def __repr__(self) -> str:
        return f"Candidate({self.theorem.id}: {self.bound:.6g})"


def needs_stream(record: Any, why: str) -> ParameterError:
    """Return what to raise if a search must read the stream and has none."""
    return ParameterError(
        f"{record.learner.name} needs the stream, {why}, got none",
        owner="certify",
        hints=[Hint("stream", does="gives it")],
    )
