"""A rule in one line, or its first parts in a line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from littlestone.concepts._finite_class import Rule

__all__ = ["Pieces", "rule_lines"]

_WIDTH = 78  # of a rule that fits in one line
_MOST = 8  # parts of a rule that does not


class Pieces(NamedTuple):
    """What a long rule is made of.

    Attributes
    ----------
    texts
        The parts.
    joint
        The word between two of them.
    noun
        What they are called.
    last
        What ends the rule, whatever is left out before; empty for nothing.
    """

    texts: list[str]
    joint: str = ""
    noun: str = "parts"
    last: str = ""


def rule_lines(rule: Rule, most: int = _MOST, width: int = _WIDTH) -> list[str]:
    """Return a rule in one line, or else its first parts, each in a line.

    Examples
    --------
    >>> from littlestone.concepts import Disjunction
    >>> from littlestone.concepts._lines import rule_lines
    >>> rule_lines(Disjunction("a", "b"))
    ['a or b']
    >>> for line in rule_lines(Disjunction(*(f"flavour={i:03}" for i in range(100)))):
    ...     print(line)
    flavour=000
    or flavour=001
    or flavour=002
    or flavour=003
    or flavour=004
    or flavour=005
    or flavour=006
    or flavour=007
    … and 92 more literals
    """
    whole = str(rule)
    pieces_of = getattr(rule, "_pieces", None)  # any callable may be a rule
    if len(whole) <= width or pieces_of is None:
        return [whole]
    pieces: Pieces = pieces_of()
    texts = pieces.texts[:most]
    lines = [*texts[:1], *(f"{pieces.joint} {text}" for text in texts[1:])]
    more = len(pieces.texts) - most
    if more > 0:
        lines.append(f"… and {more:,} more {pieces.noun}")
    return [*lines, pieces.last] if pieces.last else lines
