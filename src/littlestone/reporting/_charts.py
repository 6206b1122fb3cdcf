"""What reports are made of, however they are shown: plots and tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Chart", "Line", "Role", "Table", "Values"]

Role = Literal["own", "recent", "bound", "certified", "rival"]
Values = tuple[float | None, ...]


@dataclass(frozen=True)
class Line:
    """One line of a plot, or one layer of a stack.

    Attributes
    ----------
    name, values
        Its name, and a number for each of the chart's rounds; None if unknown.
    role
        What it shows, which decides its colour and dashes.
    """

    name: str
    values: Values
    role: Role = "own"


@dataclass(frozen=True)
class Chart:
    """A plot.

    Attributes
    ----------
    kind
        Lines over the rounds, layers that add up to one, or bars.
    title, says
        Its title, and a sentence on what it shows.
    scale
        The unit of its numbers.
    rounds, lines
        The data of lines and stacks.
    bars
        The data of bars: a name and a number each.
    ceiling
        Where the plot is cut off; None if it is not.
    percent
        Whether the numbers are shares of one.
    """

    kind: Literal["lines", "stack", "bars"]
    title: str
    says: str
    scale: str
    rounds: tuple[int, ...] = ()
    lines: tuple[Line, ...] = ()
    bars: tuple[tuple[str, float], ...] = ()
    ceiling: float | None = None
    percent: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of text; the first column names the row."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
