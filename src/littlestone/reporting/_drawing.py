"""A report as a drawing, by Matplotlib, for those without a browser."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from littlestone.display.words import figure
from littlestone.outputs import replacing
from littlestone.reporting._looks import ABOVE, BELOW, color_of, key_of

if TYPE_CHECKING:
    from pathlib import Path

    from littlestone.reporting._charts import Chart
    from littlestone.reporting._story import Story

__all__ = ["draw"]

_INCHES = 9.0
_STYLES: dict[str, Any] = {
    "own": "-",
    "recent": "-",
    "bound": (0, (5, 2.5)),
    "certified": (0, (1, 1.5)),
    "rival": (0, (5, 2, 1, 2)),
}


def draw(story: Story, path: Path) -> None:
    """Write the plots, one below the other, with the headline above them."""
    from matplotlib import rc_context  # noqa: PLC0415 - where needed
    from matplotlib.figure import Figure  # noqa: PLC0415 - where needed

    words = textwrap.wrap(_plain(story.headline), 92)
    heights = [0.45 + 0.22 * len(words), *(_height(chart) for chart in story.charts)]
    # A dollar sign in a name must not begin a formula.
    with rc_context({"text.parse_math": False, "font.size": 9.5}):
        page = Figure((_INCHES, sum(heights)), dpi=120, layout="constrained")
        rows = page.subplots(
            len(heights), squeeze=False, gridspec_kw={"height_ratios": heights}
        )[:, 0]
        head, *places = rows
        head.axis("off")
        title = textwrap.shorten(_plain(story.title), 70, placeholder="…")
        head.text(0, 1, title, fontsize=16, weight="bold", va="top")
        head.text(0, 0.62, "\n".join(words), va="top", linespacing=1.35, wrap=False)
        for axes, chart in zip(places, story.charts, strict=True):
            _fill(axes, chart)
        with replacing(path) as file:
            page.savefig(file, format=path.suffix[1:].lower())


def _height(chart: Chart) -> float:
    return 0.9 + 0.24 * len(chart.bars) if chart.kind == "bars" else 2.9


def _plain(text: str) -> str:
    """Return a text in one line."""
    return " ".join(text.split())


def _fill(axes: Any, chart: Chart) -> None:
    """Draw one plot."""
    axes.set_title(chart.title, loc="left", weight="bold")
    axes.spines[["top", "right"]].set_visible(b=False)
    if chart.kind == "bars":
        _bars(axes, chart)
        return
    if chart.kind == "stack":
        layers = [[value or 0.0 for value in line.values] for line in chart.lines]
        colors = [color_of(chart, number) for number in range(len(layers))]
        names = [_label(line.name) for line in chart.lines]
        axes.stackplot(chart.rounds, layers, colors=colors, labels=names)
        axes.set_ylim(0, 1)
    else:
        axes.grid(color="#e3e7ec")
        for number, line in enumerate(chart.lines):
            axes.plot(
                chart.rounds,
                [math.nan if value is None else value for value in line.values],
                color=color_of(chart, number),
                linestyle=_STYLES[line.role],
                marker="o" if len(chart.rounds) == 1 else None,
                label=_label(key_of(chart, number)),
            )
        low = min((v for line in chart.lines for v in line.values if v), default=0.0)
        axes.set_ylim(min(0.0, low) or 0.0, chart.ceiling)
    axes.set_xlim(0, chart.rounds[-1])
    axes.set_xlabel("rounds")
    axes.set_ylabel(chart.scale)
    if chart.percent:
        axes.yaxis.set_major_formatter(lambda share, _: f"{100 * share:.3g}%")
    axes.xaxis.set_major_formatter(lambda at, _: f"{at:,.0f}")
    axes.legend(
        loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8.5
    )


def _label(name: str) -> str:
    """Return a name for the key; Matplotlib leaves out one with a line before it."""
    wrapped = "\n".join(textwrap.wrap(name, 22))
    return f" {wrapped}" if wrapped.startswith("_") else wrapped


def _bars(axes: Any, chart: Chart) -> None:
    places = range(len(chart.bars))
    values = [value if math.isfinite(value) else 0.0 for _, value in chart.bars]
    colors = [ABOVE if value >= 0 else BELOW for value in values]
    drawn = axes.barh(places, values, color=colors)
    told = [figure(value, 4) for _, value in chart.bars]
    axes.bar_label(drawn, told, padding=3, fontsize=8)
    axes.margins(x=0.12)
    axes.set_yticks(places, [name for name, _ in chart.bars])
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.axvline(0, color="#aab3bd", linewidth=1)
    axes.set_xlabel(chart.scale)
