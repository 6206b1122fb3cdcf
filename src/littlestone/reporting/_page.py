"""A report as one self-contained page of HTML."""

from __future__ import annotations

import json
import math
from html import escape
from typing import TYPE_CHECKING, Any

from littlestone.display.words import TAUTOLOGICAL, VACUOUS, figure
from littlestone.errors import MissingPackageError
from littlestone.reporting._looks import (
    ABOVE,
    BELOW,
    DASHES,
    DAY,
    NIGHT,
    PLOTLY_DASHES,
    ROLES,
    color_of,
    key_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.reporting._charts import Chart, Line, Table
    from littlestone.reporting._story import Story

__all__ = ["page_of"]

_HEIGHT = 320
_BAR = 24  # pixels of one bar, with the space around it
_FEW = 6  # mistakes, so that each has a grid line
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"

# Nothing may be fetched: opening the page must not be seen by any server.
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:"
)

_STYLE = """
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font-family: system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
}
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.25rem 4rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 0 0 .35rem; }
.kicker {
  color: var(--faint); font-size: .85rem; letter-spacing: .06em; margin: 0 0 .35rem;
  text-transform: uppercase;
}
.headline { font-size: 1.1rem; max-width: 46rem; margin: 0 0 1.5rem; }
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr));
  gap: .75rem; margin: 0 0 1.75rem; padding: 0;
}
.figures div { border: 1px solid var(--edge); border-radius: 8px; padding: .7rem; }
.figures dt { color: var(--faint); font-size: .85rem; }
.figures dd { margin: 0; }
.figures .value {
  font-size: 1.55rem; font-weight: 600; line-height: 1.25;
  font-variant-numeric: tabular-nums;
}
.figures .more { color: var(--faint); font-size: .85rem; overflow-wrap: anywhere; }
section { margin: 0 0 2.25rem; }
.words {
  border: 1px solid var(--edge); border-left: 5px solid var(--side); border-radius: 6px;
  padding: .9rem 1.1rem;
}
.words.holds { border-left-color: var(--green); background: var(--green-paper); }
.words.broken { border-left-color: var(--red); background: var(--red-paper); }
.broken h2, .loud { color: var(--red); }
.words p { margin: .25rem 0 0; overflow-wrap: anywhere; }
.rule {
  margin: 0; padding: .9rem 1.1rem; background: var(--panel); border-radius: 6px;
  font: .95rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  white-space: pre-wrap; overflow-wrap: anywhere;
}
figure { margin: 0 0 2.25rem; }
figcaption p { color: var(--faint); margin: 0 0 .4rem; }
.key {
  display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none;
  margin: 0 0 .25rem; padding: 0; font-size: .9rem;
}
.key svg { margin-right: .45rem; vertical-align: middle; }
.plot { width: 100%; overflow: hidden; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: left; font-weight: 600; font-size: 1.2rem; padding: 0 0 .35rem; }
th, td {
  border-bottom: 1px solid var(--grid); padding: .35rem .6rem; text-align: right;
  font-variant-numeric: tabular-nums;
}
thead th { border-bottom: 2px solid var(--zero); }
th:first-child, td:first-child { text-align: left; }
tbody th { font-weight: 400; }
.facts { table-layout: fixed; }
.facts th { font-weight: 600; vertical-align: top; width: 12rem; }
.facts td { text-align: left; overflow-wrap: anywhere; }
@media (max-width: 36rem) {
  main { padding-top: 1.25rem; }
  .facts th { width: 7rem; }
}
@page { margin: 15mm; }
@media print {
  body { font-size: 10.5pt; }
  main { max-width: none; padding: 0; }
  figure, table, .words, .figures, .rule { break-inside: avoid; }
  section, figure { margin-bottom: 1.25rem; }
  h2, caption, thead { break-after: avoid; }
  .figures { grid-template-columns: repeat(auto-fit, minmax(6.5rem, 1fr)); }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
}
"""

# Paper is narrower than the screen, and plots keep their width unless redrawn; it is
# white, also where screens are dark.
_SCRIPT = """
const read = at => JSON.parse(document.getElementById(at).textContent);
const charts = read("charts"), night = read("night");
const dark = matchMedia("screen and (prefers-color-scheme: dark)");
const painted = (part, darkly) => JSON.parse(JSON.stringify(part), (key, value) =>
  darkly && /color$/.test(key) && key != "fillcolor" && night[value] || value);
const heights = charts.map(chart => chart.layout.height);
const plots = charts.map((chart, at) => {
  const plot = document.getElementById("plot-" + at);
  Plotly.newPlot(plot, painted(chart.data, dark.matches),
    painted(chart.layout, dark.matches),
    {displayModeBar: false, responsive: true, showTips: false, doubleClick: false,
     typesetMath: false});
  return plot;
});
const paint = darkly => plots.forEach((plot, at) => {
  const {autosize, width, height} = plot.layout;
  Plotly.react(plot, painted(charts[at].data, darkly),
    {...painted(charts[at].layout, darkly), autosize, width, height});
});
const sized = (width, share) => plots.forEach((plot, at) => {
  const bars = charts[at].data[0].type == "bar";
  const height = Math.round(heights[at] * (bars ? 1 : share));
  plot.style.height = height + "px";
  Plotly.relayout(plot, {autosize: !width, width: width, height: height});
});
dark.addEventListener("change", () => paint(dark.matches));
window.addEventListener("beforeprint", () => { paint(false); sized(660, 0.67); });
window.addEventListener("afterprint", () => { paint(dark.matches); sized(null, 1); });
"""


def page_of(story: Story) -> str:
    """Return the page."""
    script = _plotly()
    charts = _in_script([_spec(chart) for chart in story.charts])
    night = {DAY[name]: color for name, color in NIGHT.items()}
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="generator" content="littlestone">',
            f"<title>{escape(story.title)}</title>",
            '<link rel="icon" href="data:,">',
            f"<style>{_colors()}{_STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            *_head(story),
            *_words(story),
            *(_figure(at, chart) for at, chart in enumerate(story.charts)),
            *(_table(table) for table in story.tables),
            _facts(story),
            "</main>",
            f"<script>{script}</script>",
            f'<script type="application/json" id="charts">{charts}</script>',
            f'<script type="application/json" id="night">{_in_script(night)}</script>',
            f"<script>{_SCRIPT}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _colors() -> str:
    """Return the colours as variables of the style."""
    day, night = (
        " ".join(f"--{name}: {color};" for name, color in colors.items())
        for colors in (DAY, NIGHT)
    )
    return (
        f"\n:root {{ color-scheme: only light; {day} }}"
        "\n@media screen and (prefers-color-scheme: dark) {"
        f"\n  :root {{ color-scheme: only dark; {night} }}\n}}"
    )


def _plotly() -> str:
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415 - where needed
    except ImportError:
        raise MissingPackageError(
            "a page needs Plotly, which is not installed: pip install "
            "'littlestone[reports]'",
            owner="report",
        ) from None
    script: str = get_plotlyjs()
    return script


def _in_script(data: Any) -> str:
    """Return JSON that is safe within a script, whatever names are in it."""
    return json.dumps(data, allow_nan=False).replace("<", "\\u003c")


# Words and tables ---------------------------------------------------------------------


def _head(story: Story) -> Iterator[str]:
    yield "<header>"
    yield '<p class="kicker">Report of a run</p>'
    yield f"<h1>{escape(story.title)}</h1>"
    loud = " loud" if story.holds is False else ""
    yield f'<p class="headline{loud}">{escape(story.headline)}</p>'
    yield '<dl class="figures">'
    for name, value, more in story.figures:
        yield (
            f'<div><dt>{escape(name)}</dt><dd class="value">{escape(value)}</dd>'
            f'<dd class="more">{escape(more)}</dd></div>'
        )
    yield "</dl>"
    yield "</header>"


def _words(story: Story) -> Iterator[str]:
    if story.certificate is not None:
        heading, words = story.certificate
        kind = "" if heading.endswith((TAUTOLOGICAL, VACUOUS)) else " holds"
        kind = " broken" if heading.isupper() else kind
        yield f'<section class="words{kind}"><h2>{escape(heading)}</h2>'
        yield f"<p>{escape(words)}</p></section>"
    elif story.note is not None:
        yield '<section class="words"><h2>There is no certificate</h2>'
        yield f"<p>{escape(story.note)}</p></section>"
    if story.rule is not None:
        yield "<section><h2>The rule that was learned</h2>"
        rule = "\n".join(escape(line) for line in story.rule)
        yield f'<pre class="rule">{rule}</pre></section>'


def _figure(at: int, chart: Chart) -> str:
    """Return the place of a plot, with its key in words."""
    described = escape(f"{chart.title}. {chart.says} {_ends(chart)}", quote=True)
    key = "".join(_key(chart, number) for number in range(len(chart.lines)))
    place = f'class="plot" id="plot-{at}" style="height: {_height(chart)}px"'
    return "\n".join(
        [
            "<figure>",
            f"<figcaption><h2>{escape(chart.title)}</h2>",
            f"<p>{escape(chart.says)}</p></figcaption>",
            f'<ul class="key">{key}</ul>' if key else "",
            f'<div {place} role="img" aria-label="{described}"></div>',
            "</figure>",
        ]
    )


def _ends(chart: Chart) -> str:
    """Return the final values of a plot in words, for screen readers."""
    if chart.kind == "bars":
        told = [f"{name}: {figure(value)}" for name, value in chart.bars]
    else:
        told = [f"{line.name}: {figure(line.values[-1])}" for line in chart.lines]
    return f"At the end, {'; '.join(told)}."


def _key(chart: Chart, number: int) -> str:
    line = chart.lines[number]
    if chart.kind == "stack":
        color = color_of(chart, number)
        shape = f'<rect y="2" width="14" height="10" fill="{color}"/>'
    else:
        dashes = f' stroke-dasharray="{DASHES[line.role]}"' * bool(DASHES[line.role])
        shape = (
            '<line x1="0" y1="7" x2="26" y2="7" stroke-width="2.5"'
            f'{dashes} style="stroke: var(--{ROLES[line.role]})"/>'
        )
    width = 14 if chart.kind == "stack" else 26
    return (
        f'<li><svg width="{width}" height="14" aria-hidden="true">{shape}</svg>'
        f"{escape(key_of(chart, number))}</li>"
    )


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.head)
    rows = "\n".join(
        f'<tr><th scope="row">{escape(row[0])}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in table.rows
    )
    return (
        f'<section class="scroll"><table><caption>{escape(table.title)}</caption>'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></section>"
    )


def _facts(story: Story) -> str:
    rows = "\n".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>'
        for name, value in story.facts
    )
    return (
        '<section><table class="facts"><caption>What was run</caption>\n'
        f"<tbody>\n{rows}\n</tbody></table></section>"
    )


# Plots --------------------------------------------------------------------------------


def _height(chart: Chart) -> int:
    return 70 + _BAR * len(chart.bars) if chart.kind == "bars" else _HEIGHT


def _spec(chart: Chart) -> dict[str, Any]:
    """Return what Plotly is given for a plot."""
    traces = _bars(chart) if chart.kind == "bars" else _traces(chart)
    numbers: dict[str, Any] = {
        "title": {"text": chart.scale, "standoff": 10},
        "gridcolor": DAY["grid"],
        "zeroline": True,
        "zerolinecolor": DAY["zero"],
        "fixedrange": True,
        "automargin": True,
        "separatethousands": True,
    }
    if chart.percent:
        numbers["tickformat"] = ".0%" if chart.kind == "stack" else ".2~%"
    if chart.kind == "stack":
        numbers["range"] = [0, 1]
    elif chart.ceiling is not None:
        least = min(v for line in chart.lines for v in line.values if v is not None)
        numbers["range"] = [min(0.0, least), chart.ceiling]
    elif chart.kind == "lines":
        numbers["rangemode"] = "tozero"
    if chart.scale == "mistakes" and max(_tops(chart)) < _FEW:
        numbers["dtick"] = 1  # whole mistakes only
    other: dict[str, Any] = {"fixedrange": True, "automargin": True}
    if chart.kind == "bars":
        # The first bar is on top.
        names = [_literal(name) for name, _ in chart.bars]
        other |= {"autorange": "reversed", "tickvals": list(range(len(names)))}
        other |= {"ticktext": names, "ticks": ""}
        numbers["range"] = _room(chart)
        axes = {"xaxis": numbers, "yaxis": other}
    else:
        other |= {
            "title": {"text": "rounds", "standoff": 8},
            "gridcolor": DAY["grid"],
            "range": [0, chart.rounds[-1]],
            "tickformat": ",d",
            "ticklabeloverflow": "allow",
            "zeroline": False,
        }
        axes = {"xaxis": other, "yaxis": numbers}
    layout = {
        "autosize": True,
        "height": _height(chart),
        "margin": {"l": 64, "r": 18, "t": 10, "b": 48},
        "paper_bgcolor": DAY["paper"],
        "plot_bgcolor": DAY["paper"],
        "font": {"family": _FONT, "size": 13, "color": DAY["ink"]},
        "showlegend": False,
        "hovermode": "closest" if chart.kind == "bars" else "x unified",
        "hoverlabel": {"bgcolor": DAY["paper"], "bordercolor": DAY["faint"]},
        "dragmode": False,
        "separators": ".,",
        **axes,
    }
    return {"data": traces, "layout": layout}


def _tops(chart: Chart) -> list[float]:
    """Return the highest visible value of each line."""
    most = math.inf if chart.ceiling is None else chart.ceiling
    tops = [max((v for v in line.values if v), default=0.0) for line in chart.lines]
    return [min(top, most) for top in tops]


def _room(chart: Chart) -> list[float]:
    """Return the range of a scale with room for numbers beside their bars."""
    values = [_finite(value) or 0.0 for _, value in chart.bars]
    low, high = min([0.0, *values]), max([0.0, *values])
    beside = 0.16 * ((high - low) or 1.0)
    return [low - beside * (low < 0), high + beside * (high > 0 or low == 0)]


def _traces(chart: Chart) -> list[dict[str, Any]]:
    return [_trace(chart, number, line) for number, line in enumerate(chart.lines)]


def _trace(chart: Chart, number: int, line: Line) -> dict[str, Any]:
    color = color_of(chart, number)
    form = ":.1%" if chart.kind == "stack" else ":.2%" if chart.percent else ":,.6~g"
    trace: dict[str, Any] = {
        "type": "scatter",
        "mode": "lines",
        "name": _literal(line.name),
        "x": list(chart.rounds),
        "y": [_finite(value) for value in line.values],
        "hovertemplate": f"%{{y{form}}}",
        "line": {
            "color": color,
            "width": 2,
            "dash": PLOTLY_DASHES[line.role],
        },
    }
    if chart.kind == "stack":
        trace |= {"stackgroup": "weights", "fillcolor": color, "line": {"width": 0}}
    elif len(chart.rounds) == 1:
        trace |= {"mode": "markers", "marker": {"color": color, "size": 8}}
    return trace


def _bars(chart: Chart) -> list[dict[str, Any]]:
    # Clipped names may be equal, so bars are placed by number.
    return [
        {
            "type": "bar",
            "orientation": "h",
            "name": chart.scale,
            "x": [_finite(value) for _, value in chart.bars],
            "y": list(range(len(chart.bars))),
            "text": [figure(value, 4) for _, value in chart.bars],
            "textposition": "outside",
            "textangle": 0,
            "cliponaxis": False,
            "hovertext": [_literal(name) for name, _ in chart.bars],
            "hovertemplate": "%{hovertext}: %{x:,.6~g}<extra></extra>",
            "marker": {
                "color": [ABOVE if value >= 0 else BELOW for _, value in chart.bars]
            },
        }
    ]


def _finite(value: float | None) -> float | None:
    """Return the number, or None for one that JSON cannot write."""
    return value if value is not None and math.isfinite(value) else None


def _literal(text: str) -> str:
    """Return a text escaped for Plotly, which reads some HTML."""
    return escape(text, quote=False)
