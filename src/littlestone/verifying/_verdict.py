"""The answer of the judge."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone.display.markup import block, facts
from littlestone.errors import printable

__all__ = ["Verdict"]


@dataclass(frozen=True)
class Verdict:
    """The judge's answer to a certificate.

    Attributes
    ----------
    accepted
        Whether all that was checked is right.
    checked
        What was found right, in order.
    wrong
        The first thing that is wrong; None if nothing is.

    Examples
    --------
    >>> from littlestone.verifying import Verdict
    >>> print(Verdict(False, ("the theorem",), "bound must be 4, got 3"))
    Rejected: bound must be 4, got 3. Right before that: the theorem.
    """

    accepted: bool
    checked: tuple[str, ...]
    wrong: str | None = None

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        right = ", ".join(self.checked) or "nothing"
        if self.accepted:
            return f"Accepted: {right}."
        return printable(f"Rejected: {self.wrong}. Right before that: {right}.")

    def _repr_html_(self) -> str:
        rows = [("right", each) for each in self.checked]
        rows += [] if self.wrong is None else [("wrong", self.wrong)]
        return block("Accepted" if self.accepted else "Rejected", facts(rows))
