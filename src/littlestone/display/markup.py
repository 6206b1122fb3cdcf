"""The pieces that notebooks show: small tables, readable on light and dark pages.

Text is escaped, colours are those of the page, and nothing is loaded or run.
"""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from littlestone.display.words import clipped
from littlestone.errors import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["block", "facts", "paragraph", "sparkline", "table", "written"]

_WIDE, _HIGH = 240, 48  # of a sparkline
_HEADROOM = 4  # a bound beyond so many times the largest count is out of sight


def block(title: str, *parts: str, beside: str = "") -> str:
    """Return a title, a few words beside it, and parts that are HTML already.

    Examples
    --------
    >>> from littlestone.display.markup import block, paragraph
    >>> block("a < b", paragraph("so"))
    '<div class="littlestone"><div><strong>a &lt; b</strong></div><p style="margin: 0.3em 0">so</p></div>'
    """  # noqa: E501 - HTML is one line
    beside = f" {_words(beside)}" if beside else ""
    head = f"<div><strong>{_words(title)}</strong>{beside}</div>"
    return f'<div class="littlestone">{head}{"".join(parts)}</div>'


def written(text: str, most: int = 2000) -> str:
    """Return a text with its line breaks, at most that many characters of it.

    Examples
    --------
    >>> from littlestone.display.markup import written
    >>> written("a and b", 5)
    '<pre style="white-space: pre-wrap; margin: 0.3em 0">a an…</pre>'
    """
    style = "white-space: pre-wrap; margin: 0.3em 0"
    return f'<pre style="{style}">{_words(text, most)}</pre>'


def paragraph(text: str) -> str:
    """Return a paragraph.

    Examples
    --------
    >>> from littlestone.display.markup import paragraph
    >>> paragraph("1 < 2")
    '<p style="margin: 0.3em 0">1 &lt; 2</p>'
    """
    return f'<p style="margin: 0.3em 0">{_words(text, 2000)}</p>'


def facts(rows: Iterable[tuple[str, str]]) -> str:
    """Return a table of names and values.

    Examples
    --------
    >>> from littlestone.display.markup import facts
    >>> facts([("rounds", "2")]).count("<tr>"), facts([])
    (1, '')
    """
    return table((), [*rows])


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose first column names the row; nothing if it has no rows.

    Examples
    --------
    >>> from littlestone.display.markup import table
    >>> table(("feature", "weight"), [("a", "2")]).count("<th ")
    3
    """
    left = 'style="text-align: left"'
    names = "".join(f'<th scope="col" {left}>{_words(name)}</th>' for name in head)
    lines = [
        f'<tr><th scope="row" {left}>{_words(row[0])}</th>'
        + "".join(f"<td {left}>{_words(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    ]
    if not lines:
        return ""
    top = f"<thead><tr>{names}</tr></thead>" if names else ""
    return f'<table style="color: inherit">{top}<tbody>{"".join(lines)}</tbody></table>'


def sparkline(
    rounds: Sequence[int],
    counts: Sequence[float],
    bounds: Sequence[float | None],
    caption: str,
) -> str:
    """Return a small plot: what was counted after each round, and its bound, dashed.

    Examples
    --------
    >>> from littlestone.display.markup import sparkline
    >>> sparkline([1, 2], [0, 1], [None, 2.0], "mistakes").count("<polyline")
    2
    """
    known = [bound for bound in bounds if bound is not None and math.isfinite(bound)]
    most = max(counts, default=0.0)
    low = min(0.0, *counts)
    room = low + _HEADROOM * max(most - low, 1.0)
    top = max(most, min(max(known, default=0.0), room)) or 1.0

    def line(values: Iterable[float | None]) -> str:
        return " ".join(
            f"{_WIDE * at / rounds[-1]:.1f},"
            f"{_HIGH - (_HIGH - 2) * (value - low) / (top - low) - 1:.1f}"
            for at, value in zip(rounds, values, strict=True)
            if value is not None and math.isfinite(value)
        )

    drawn = 'fill="none" stroke="currentColor" stroke-width="1.5"'
    label = _words(caption)
    return (
        f'<svg role="img" aria-label="{label}" width="{_WIDE}" height="{_HIGH}" '
        f'viewBox="0 0 {_WIDE} {_HIGH}"><title>{label}</title>'
        f'<polyline {drawn} points="{line(counts)}"/>'
        f'<polyline {drawn} stroke-dasharray="4 3" opacity="0.6" '
        f'points="{line(bounds)}"/></svg>'
    )


def _words(text: str, most: int = 300) -> str:
    """Return a text as HTML, shortened if it is long; unprintable characters show."""
    return escape(printable(clipped(text, most), lines=True), quote=True)
