"""The proof about intervals: the misses are counted, and need no witness."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]

_MOST = 10**6  # errors that the judge sorts


class Coverage(Proof):
    """`ACI`."""

    learners = ("Adaptive",)
    names = ("level", "rate")
    schemas = (
        {
            "forecaster": lambda value: value is None,
            "level": lambda value: above_zero(value) and value < 1,
            "rate": above_zero,
            "window": lambda value: type(value) is int and 0 < value <= _MOST,
        },
    )

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        for name in self.names:
            self.equal(name, Fraction(parameters[name]), f"the {name}")
        self.misses = self.rounds = 0

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Return None: only the rounds show the misses."""
        if what != "excess misses":
            raise Unsound(f"counts must be excess misses, got {what!r:.80}")
        return counts.get(what)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the twin counts
        """Take a round that the twin has just played."""
        self.misses, self.rounds = twin.misses, self.rounds + 1

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the misses."""
        true = excess(self.parameters["level"], self.misses, self.rounds)
        if counts["counted"] != true:
            raise Unsound(f"counted must be {true}, got {counts['counted']}")


def excess(level: float, misses: int, rounds: int) -> Fraction:
    """Return how far the number of misses is from the one asked for.

    Examples
    --------
    >>> from littlestone.verifying.proofs.coverage import excess
    >>> excess(0.75, 3, 20)
    Fraction(2, 1)
    """
    return abs(misses - (1 - Fraction(level)) * rounds)


PROOFS = {"ACI": Coverage}
