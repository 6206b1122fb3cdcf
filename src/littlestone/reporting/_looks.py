"""Colours and dashes, the same on a page and in a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from littlestone.reporting._charts import Chart

__all__ = ["ABOVE", "BELOW", "DASHES", "PLOTLY_DASHES", "color_of", "key_of"]

# Lines also differ in their dashes, for readers who are colour-blind.
_COLORS = {
    "own": "#1f5fa8",
    "recent": "#7fb2e5",
    "bound": "#b3261e",
    "certified": "#b3261e",
    "rival": "#5a6673",
}
DASHES = {
    "own": "",
    "recent": "",
    "bound": "8 4",
    "certified": "2 3",
    "rival": "8 3 2 3",
}
PLOTLY_DASHES = {
    "own": "solid",
    "recent": "solid",
    "bound": "dash",
    "certified": "dot",
    "rival": "dashdot",
}
ABOVE, BELOW = "#2f6db3", "#c4622d"  # bars on either side of 0

# Neighbours in a stack are far apart in lightness or hue.
_LAYERS = (
    "#1f5fa8",
    "#f2a33a",
    "#2c8c6b",
    "#c65b4b",
    "#8fc1ea",
    "#7b5ea7",
    "#b9d66b",
    "#8c5a3c",
    "#e79ac1",
    "#3aa6b5",
    "#e3cf57",
    "#5c6f82",
)
_OTHERS = "#ccd2d9"


def color_of(chart: Chart, number: int) -> str:
    """Return the colour of a line or layer."""
    line = chart.lines[number]
    if chart.kind != "stack":
        return _COLORS[line.role]
    return _OTHERS if line.role == "rival" else _LAYERS[number % len(_LAYERS)]


def key_of(chart: Chart, number: int) -> str:
    """Return the name of a line in the key, and whether it is off the plot."""
    line = chart.lines[number]
    known = [value for value in line.values if value is not None]
    if chart.ceiling is not None and known and min(known) > chart.ceiling:
        return f"{line.name}, above the plot"
    return line.name
