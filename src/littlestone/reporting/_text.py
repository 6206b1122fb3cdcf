"""A report as plain text, and the plots that a terminal can show."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from littlestone.display.words import counted, figure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from littlestone.reporting._charts import Chart
    from littlestone.reporting._story import Story

__all__ = ["area", "bars", "text_of"]

_HEIGHT, _WIDTH = 8, 60
_LINE = 78
_BLOCKS = " ▁▂▃▄▅▆▇█"
_LEFT = 24  # columns of a name beside its bar


def text_of(story: Story) -> str:
    """Return the report as plain text."""
    return "\n".join(_lines(story)) + "\n"


def _lines(story: Story) -> Iterator[str]:
    yield story.title
    yield "=" * min(_LINE, len(story.title))
    yield from textwrap.wrap(story.headline, _LINE)
    for chart in story.charts:
        yield ""
        yield from _chart(chart)
    if story.rule is not None:
        yield ""
        yield "The rule that was learned"
        yield from (f"  {line}" for line in story.rule)
    told = story.certificate
    if told is None and story.note is not None:
        told = ("There is no certificate", story.note)
    if told is not None:
        yield ""
        yield told[0]
        for line in textwrap.wrap(told[1], _LINE - 2):
            yield f"  {line}"
    yield ""
    width = max(len(name) for name, _ in story.facts)
    for name, fact in story.facts:
        first, *more = textwrap.wrap(fact, _LINE - width - 2) or [""]
        yield f"{name:{width}}  {first}"
        yield from (f"{'':{width}}  {line}" for line in more)


def _chart(chart: Chart) -> Iterator[str]:
    yield chart.title
    if chart.kind == "bars":
        yield from bars(chart.bars)
    elif chart.kind == "stack":
        # Text cannot show layers, so the final shares are drawn as bars.
        told = [(line.name, line.values[-1] or 0.0) for line in chart.lines]
        yield from bars(told, percent=True)
    else:
        own = chart.lines[0]
        bounds = [line for line in chart.lines if line.role in ("bound", "certified")]
        # Text has room for one line, so only the smaller bound is drawn.
        bound = min(bounds, key=lambda line: line.values[-1] or math.inf, default=None)
        ends = _columns(chart.rounds)
        yield from area(
            [own.values[at] or 0.0 for at in ends],
            chart.rounds[-1],
            bound=[bound.values[at] for at in ends] if bound else (),
            ceiling=chart.ceiling,
            percent=chart.percent,
        )
        if bound is not None:
            last = bound.values[-1] or 0.0
            where = "the line"
            if chart.ceiling is not None and last > chart.ceiling:
                where = f"{figure(last)}, far above"
            yield f"  {own.name}: the blocks; {bound.name}: {where}"


def _columns(rounds: Sequence[int]) -> list[int]:
    """Return which point of a curve each column of a plot shows."""
    columns = min(_WIDTH, rounds[-1])
    found, at = [], 0
    for column in range(columns):
        end = rounds[-1] * (column + 1) // columns
        while rounds[at] < end:
            at += 1
        found.append(at)
    return found


def area(
    values: Sequence[float],
    rounds: int,
    *,
    bound: Sequence[float | None] = (),
    ceiling: float | None = None,
    percent: bool = False,
) -> list[str]:
    r"""Draw how a count grew over the rounds, with a bound as a line.

    Parameters
    ----------
    values
        A number for each column.
    rounds
        The round at which the last column ends.
    bound
        The line, a number for each column; empty for none.
    ceiling
        Where the plot is cut off; None if it is not.
    percent
        Whether the numbers are shares of one.

    Examples
    --------
    >>> from littlestone.reporting._text import area
    >>> print("\n".join(area([1, 2, 3], 3)))
    3 |  █
      | ██
      |███
    0 +---
       3 rounds
    >>> print("\n".join(area([1.0, 1.5, 2.0], 30, bound=[3, 3, 4])))
    4 |  ─
      |──
      | ▄█
      |███
    0 +---
       30 rounds
    """
    drawn = [value for value in bound if value is not None and math.isfinite(value)]
    reach = [value for value in values if math.isfinite(value)]
    top = max([0.0, *reach, *drawn])
    top = top if ceiling is None else min(top, ceiling)
    low = min([0.0, *reach])
    whole = all(float(value).is_integer() for value in (*values, *drawn))
    span = top - low
    height = _HEIGHT
    if whole or span.is_integer():
        height = int(min(_HEIGHT, max(1, span)))
    step = span / height if span else 1.0
    columns = []
    for at, value in enumerate(values):
        line = bound[at] if at < len(bound) else None
        columns.append(_column(value - low, (line or math.nan) - low, step, height))
    ends = [_tick(top, percent=percent), _tick(low, percent=percent)]
    margin = max(len(end) for end in ends)
    lines = [
        f"{(ends[0] if level == height - 1 else ''):>{margin}} |"
        + "".join(column[level] for column in columns).rstrip()
        for level in reversed(range(height))
    ]
    width = len(columns)
    return [
        *lines,
        f"{ends[1]:>{margin}} +{'-' * width}",
        f"{'':{margin}}  {counted(rounds, 'round'):>{width}}",
    ]


def _column(value: float, bound: float, step: float, height: int) -> str:
    """Return the characters of a column, the lowest first."""
    eighths = round(8 * value / step) if math.isfinite(value) else 8 * height
    eighths = max(eighths, 1 if value > 0 else 0)
    cells = [_BLOCKS[max(0, min(8, eighths - 8 * level))] for level in range(height)]
    if math.isfinite(bound):
        level = math.ceil(bound / step - 1e-9) - 1
        if 0 <= level < height and cells[level] == " ":
            cells[level] = "─"
    return "".join(cells)


def _tick(number: float, *, percent: bool) -> str:
    if percent:
        return f"{100 * number:.3g}%"
    return f"{number:,.0f}" if float(number).is_integer() else figure(number, 4)


def bars(told: Sequence[tuple[str, float]], *, percent: bool = False) -> list[str]:
    r"""Draw a number for each name as a bar, to the left of 0 if it is below.

    Examples
    --------
    >>> from littlestone.reporting._text import bars
    >>> print("\n".join(bars([("ann", 0.75), ("bob", 0.25)])))
      ann  ███████████████████████████████████ 0.75
      bob  ████████████ 0.25
    >>> print("\n".join(bars([("cheap", 2.0), ("lunch", -1.0)])))
      cheap              │███████████████████████ 2
      lunch  ████████████│ -1
    """
    width = min(_LEFT, max((len(name) for name, _ in told), default=0))
    finite = [value if math.isfinite(value) else 0.0 for _, value in told]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    step = (high - low) / 35 or 1.0
    left = round(-low / step)
    lines = []
    for (name, value), drawn in zip(told, finite, strict=True):
        length = round(abs(drawn) / step)
        short = name if len(name) <= width else name[: width - 1] + "…"
        if not left:
            bar = "█" * length
        elif drawn < 0:
            bar = " " * (left - length) + "█" * length + "│"
        else:
            bar = " " * left + "│" + "█" * length
        number = f"{value:.1%}" if percent else figure(value, 4)
        lines.append(f"  {short:{width}}  {bar} {number}")
    return lines
