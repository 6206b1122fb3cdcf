"""What a theorem is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, TypeAlias

from littlestone.theorems._rounding import float_up

__all__ = ["Number", "Theorem"]

Number: TypeAlias = int | float | Fraction


@dataclass(frozen=True)
class Theorem:
    """A statement with its premises, and the number it promises.

    Attributes
    ----------
    id
        The name by which everything refers to it, such as `PERC-SEP`.
    statement
        What it says, in a sentence.
    premises
        What must hold for it to say so.
    counts
        What the number bounds: `"updates"`, and so mistakes too, or `"mistakes"`.
    reference
        Who proved it.

    Examples
    --------
    >>> from littlestone.theorems import PERC_SEP
    >>> print(PERC_SEP)
    PERC-SEP: at most |u|^2 R^2 / gamma^2 updates
    >>> PERC_SEP.bound(radius=3, margin=1)
    9.0
    """

    id: str
    statement: str
    premises: tuple[str, ...]
    counts: Literal["updates", "mistakes"]
    reference: str
    # The formula: takes plain numbers by name, returns a rational no less than the bound.
    formula: Callable[..., Fraction] = field(repr=False)

    def bound(self, **numbers: Number) -> float:
        """Return the bound for these numbers, rounded up to a float."""
        return float_up(self.formula(**numbers))

    def __str__(self) -> str:
        return f"{self.id}: {self.statement}"
