"""What shows well in a notebook, and where that is made."""

from __future__ import annotations

from importlib import import_module

__all__ = ["Shown"]


class Shown:
    """Whoever a notebook shows as a small table.

    Words for people are written above all rooms, in `littlestone.notebook`, which is
    loaded when a notebook asks.

    Examples
    --------
    >>> from littlestone.theorems import PERC_SEP
    >>> "at most |u|^2 R^2 / gamma^2 updates" in PERC_SEP._repr_html_()
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        made: str = import_module("littlestone.notebook").html(self)
        return made
