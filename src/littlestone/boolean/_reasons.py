"""Why a rule is what it is: examples that were shown, and what they ruled out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.concepts import Literal
from littlestone.errors import ParameterError

if TYPE_CHECKING:
    from littlestone.concepts import Feature

__all__ = ["Dropped", "Shown", "Unrealizable"]


@dataclass(frozen=True)
class Shown:
    """An example that was shown, by the features that were true in it.

    Attributes
    ----------
    round
        Its number, counted from 0: the learner's own, or the row of a batch.
    x
        The features that were true; all others were false.
    y
        Its label.

    Examples
    --------
    >>> from littlestone.boolean import Shown
    >>> print(Shown(41, ("odor=foul", "ring=one"), True))
    round 41, labelled yes: odor=foul, ring=one
    """

    round: int
    x: tuple[Feature, ...]
    y: bool

    def __str__(self) -> str:
        true = ", ".join(map(_named, self.x)) or "nothing is true"
        return f"round {self.round}, labelled {'yes' if self.y else 'no'}: {true}"


def _named(feature: Any) -> str:
    """Write a feature as rules do, so that it can be found in them."""
    try:
        return str(Literal(feature))
    except ParameterError:  # examples of a finite class may have any keys
        return repr(feature)


@dataclass(frozen=True)
class Dropped:
    """What was dropped, or moved, and the example that did it.

    Attributes
    ----------
    what
        The literal, clause, term or rule.
    by
        The example.

    Examples
    --------
    >>> from littlestone.boolean import Dropped, Shown
    >>> print(Dropped("not x7", Shown(41, (7, 8), True)))
    not x7: dropped in round 41, labelled yes: x7, x8
    """

    what: Any
    by: Shown

    def __str__(self) -> str:
        return f"{self.what}: dropped in {self.by}"


@dataclass(frozen=True)
class Unrealizable:
    """The round from which on no concept of the class fits, and why.

    Attributes
    ----------
    round
        The round that was one too many.
    examples
        Examples that together rule out every concept of the class, the last that of
        this round.

    Examples
    --------
    >>> from littlestone.boolean import Shown, Unrealizable
    >>> both = Shown(0, ("a",), True), Shown(1, ("a",), False)
    >>> print(Unrealizable(1, both))
    no concept fits since round 1:
      round 0, labelled yes: a
      round 1, labelled no: a
    """

    round: int
    examples: tuple[Shown, ...]

    def __str__(self) -> str:
        lines = [f"no concept fits since round {self.round}:"]
        return "\n  ".join([*lines, *map(str, self.examples)])
