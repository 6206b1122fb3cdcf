"""Numbers and counts in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "NONE",
    "TAUTOLOGICAL",
    "VACUOUS",
    "aligned",
    "clipped",
    "counted",
    "duration",
    "figure",
    "listed",
    "whole_or_figure",
]

NONE = "\N{EN DASH}"
_SHORT = 0.01  # seconds
VACUOUS = "vacuous: says nothing about this run"
TAUTOLOGICAL = "tautological: its witness says no more than the mistakes themselves"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun: 1 round, 2 rounds.

    Examples
    --------
    >>> from littlestone.display.words import counted
    >>> counted(1, "round"), counted(1200, "mistake")
    ('1 round', '1,200 mistakes')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """Return a time in seconds, or in milliseconds if it is below 10 of them.

    Examples
    --------
    >>> from littlestone.display.words import duration
    >>> duration(1.234), duration(0.01), duration(0.0042), duration(0.0)
    ('1.23 s', '0.01 s', '4.2 ms', '0.0 ms')
    """
    if round(seconds, 5) < _SHORT:
        return f"{seconds * 1000:.1f} ms"
    return f"{seconds:.2f} s"


def figure(number: float | None, digits: int = 5) -> str:
    """Return a number in few digits, a dash for none.

    Examples
    --------
    >>> from littlestone.display.words import figure
    >>> figure(1234567.8), figure(0.1234567), figure(None)
    ('1,234,568', '0.12346', '–')
    """
    if number is None or math.isnan(number):
        return NONE
    if math.isfinite(number) and 10 ** (digits - 1) <= abs(number) < 10**15:
        return f"{number:,.0f}"
    return f"{number:.{digits}g}"


def whole_or_figure(number: float, what: str) -> str:
    """Return a bound as people read it: the whole part, if whole things are counted.

    Examples
    --------
    >>> from littlestone.display.words import whole_or_figure
    >>> whole_or_figure(12.7, "mistakes"), whole_or_figure(12.7, "regret")
    ('12', '12.7')
    """
    if what in ("mistakes", "updates", "demotions") and math.isfinite(number):
        return f"{math.floor(number):,}"
    return figure(number)


def clipped(text: str, most: int = 300) -> str:
    """Return at most that many characters of a text.

    Examples
    --------
    >>> from littlestone.display.words import clipped
    >>> clipped("a long story", 7)
    'a long…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    r"""Return rows of text as lines, the first column to the left, others to the right.

    An empty row ends a table; the next one has its own widths.

    Examples
    --------
    >>> from littlestone.display.words import aligned
    >>> print("\n".join(aligned([("name", "n"), ("ann", "10")])))
    name   n
    ann   10
    """
    lines: list[str] = []
    tables: list[list[Sequence[str]]] = [[]]
    for row in rows:
        tables[-1].append(row) if row else tables.append([])
    for table in tables:
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for first, *rest in table:
            cells = zip(rest, widths[1:], strict=True)
            ends = (each.rjust(width) for each, width in cells)
            lines.append("  ".join([first.ljust(widths[0]), *ends]))
    return lines


def listed(names: Sequence[str]) -> str:
    """Return names in a sentence.

    Examples
    --------
    >>> from littlestone.display.words import listed
    >>> listed(["Winnow"]), listed(["AROW", "Perceptron", "Winnow"])
    ('Winnow', 'AROW, Perceptron and Winnow')
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
