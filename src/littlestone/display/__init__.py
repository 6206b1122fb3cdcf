"""What people see: numbers in words, tables for notebooks, progress."""

from __future__ import annotations

from littlestone.display.markup import block, written

__all__ = ["Displayed"]


class Displayed:
    """Something that a notebook shows well, by default as it prints.

    A class that looks better as a table overrides `_repr_html_`, and builds it from
    `littlestone.display.markup`.

    Examples
    --------
    >>> from littlestone.pac import estimate
    >>> "<pre" in estimate(0, n=100, delta=0.05)._repr_html_()
    True
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return block(type(self).__name__, written(str(self)))
