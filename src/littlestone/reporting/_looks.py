"""Colours and dashes, the same on a page and in a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from littlestone.reporting._charts import Chart

__all__ = [
    "ABOVE",
    "BELOW",
    "DASHES",
    "DAY",
    "NIGHT",
    "PLOTLY_DASHES",
    "ROLES",
    "color_of",
    "key_of",
]

# The colours of a page by day, on paper and in drawings, and by night.
DAY = {
    "paper": "#fff",
    "ink": "#1c2530",
    "faint": "#5a6673",
    "grid": "#e3e7ec",
    "edge": "#d5dae1",
    "zero": "#aab3bd",
    "side": "#8a94a0",
    "panel": "#f6f7f9",
    "green": "#1a7f4b",
    "green-paper": "#f4fbf7",
    "red": "#b3261e",
    "red-paper": "#fdf3f2",
    "blue": "#1f5fa8",
    "pale": "#7fb2e5",
}
NIGHT = {
    "paper": "#14191f",
    "ink": "#dfe5ec",
    "faint": "#9aa7b5",
    "grid": "#2b333c",
    "edge": "#3a444f",
    "zero": "#5d6875",
    "side": "#6b7682",
    "panel": "#1c232b",
    "green": "#4cc38a",
    "green-paper": "#12251b",
    "red": "#ff8a80",
    "red-paper": "#2b1715",
    "blue": "#6aa9ef",
    "pale": "#3c6ea3",
}
# Lines also differ in their dashes, for readers who are colour-blind.
ROLES = {
    "own": "blue",
    "recent": "pale",
    "bound": "red",
    "certified": "red",
    "rival": "faint",
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
        return DAY[ROLES[line.role]]
    return _OTHERS if line.role == "rival" else _LAYERS[number % len(_LAYERS)]


def key_of(chart: Chart, number: int) -> str:
    """Return the name of a line in the key, and whether it is off the plot."""
    line = chart.lines[number]
    known = [value for value in line.values if value is not None]
    if chart.ceiling is not None and known and min(known) > chart.ceiling:
        return f"{line.name}, above the plot"
    return line.name
