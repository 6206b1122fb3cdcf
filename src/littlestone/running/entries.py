"""An example as the native core takes it: its features and their values."""

from __future__ import annotations

from contextlib import suppress
from operator import index
from typing import TYPE_CHECKING

from littlestone.verifying._digest import entries, number_of

if TYPE_CHECKING:
    from littlestone.concepts import Feature
    from littlestone.learner.rows import Example

__all__ = ["nonzero_entries"]

_NAMES, _NUMBERS = frozenset({str}), frozenset({float, int, bool})


def nonzero_entries(x: Example) -> tuple[list[Feature], list[float]]:
    """Return the features of an example and their values, as the native core takes.

    Examples
    --------
    >>> from littlestone.running.entries import nonzero_entries
    >>> nonzero_entries({"a": 2, "b": 0, "c": True})
    (['a', 'c'], [2.0, 1.0])
    """
    if type(x) is dict and _NAMES.issuperset(map(type, x)):  # usual, so made fast
        cells = x.values()
        if _NUMBERS.issuperset(map(type, cells)):
            with suppress(OverflowError):  # which is refused below
                names = [*x] if all(cells) else [name for name in x if x[name]]
                return names, [float(cell) for cell in cells if cell]
    features: list[Feature] = []
    values: list[float] = []
    for feature, cell in () if x is None else entries(x):
        value = number_of(feature, cell)
        if value:
            features.append(feature if isinstance(feature, str) else index(feature))
            values.append(value)
    return features, values
