"""Numbers, rules and facts in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone import concepts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.concepts import Concept

NONE = "\N{EN DASH}"

__all__ = ["NONE", "clipped", "counted", "figure", "rule_lines", "whole_or_figure"]

_WIDTH = 78  # of a rule that is told in one line
_PARTS = 8  # of a rule that is told in several


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: 1 round, 2 rounds.

    Examples
    --------
    >>> from littlestone.reporting._words import counted
    >>> counted(1, "round"), counted(1200, "mistake")
    ('1 round', '1,200 mistakes')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def figure(number: float | None, digits: int = 5) -> str:
    """Return a number in few digits, a dash for none.

    Examples
    --------
    >>> from littlestone.reporting._words import figure
    >>> figure(1234567.8), figure(0.1234567), figure(None)
    ('1,234,568', '0.12346', '–')
    """
    if number is None or math.isnan(number):
        return NONE
    if math.isfinite(number) and 10 ** (digits - 1) <= abs(number) < 10**15:
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


def whole_or_figure(number: float, what: str) -> str:
    """Return a bound as it is told: of whole things, the whole part.

    Examples
    --------
    >>> from littlestone.reporting._words import whole_or_figure
    >>> whole_or_figure(12.7, "mistakes"), whole_or_figure(12.7, "regret")
    ('12', '12.7')
    """
    if what in ("mistakes", "updates", "demotions") and math.isfinite(number):
        return f"{math.floor(number):,}"
    return figure(number)


def clipped(text: str, most: int = 300) -> str:
    """Return a text that is no longer than that.

    Examples
    --------
    >>> from littlestone.reporting._words import clipped
    >>> clipped("a long story", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def rule_lines(concept: Concept, most: int = _PARTS, width: int = _WIDTH) -> list[str]:
    """Return a rule in one line, or else its first parts, each in a line.

    Examples
    --------
    >>> from littlestone.reporting._words import rule_lines
    >>> from littlestone.concepts import Disjunction
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
    whole = str(concept)
    if len(whole) <= width:
        return [whole]
    parts, joint, noun, last = _parts(concept)
    shown = [*parts[:1], *(f"{joint} {part}" for part in parts[1:most])]
    more = len(parts) - most
    if more > 0:
        shown.append(f"… and {more:,} more {noun}")
    return shown + last


def _parts(concept: Any) -> tuple[list[str], str, str, list[str]]:
    """Return the parts of a rule, what joins them, their name, and what ends it."""
    if isinstance(concept, concepts.DecisionList):
        answers = {True: "yes", False: "no"}
        rules = [f"if {term} then {answers[said]}," for term, said in concept.rules]
        return rules, "else", "rules", [f"else {answers[concept.default]}"]
    if isinstance(concept, concepts.KCNF):
        return _shortest_first(concepts.KCNF, concept.clauses), "and", "clauses", []
    if isinstance(concept, concepts.KDNF):
        return _shortest_first(concepts.KDNF, concept.terms), "or", "terms", []
    joint = "and" if isinstance(concept, concepts.Conjunction) else "or"
    if not hasattr(concept, "literals"):  # one of a class of somebody's own
        return [str(concept)], joint, "literals", []
    return [str(literal) for literal in concept.literals], joint, "literals", []


def _shortest_first(kind: Any, parts: Iterable[Any]) -> list[str]:
    """Return clauses or terms in brackets; the shortest say most."""
    return [str(kind(part)) for part in sorted(parts, key=lambda part: part.size)]
