"""Labels of any kind: as they are written in a file, or as they stand in a list."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.errors import ParameterError, refusal

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

__all__ = ["WrittenLabels", "any_labels", "check_labels", "label_rule", "object_array"]

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")  # Python reads no more digits than 4300
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MOST_KEPT = 1 << 16


def check_labels(owner: str, labels: object) -> None:
    """Refuse a way of reading labels that there is not."""
    if labels not in ("two", "any"):
        raise ParameterError(f"{owner}: labels must be 'two' or 'any', got {labels!r}")


def label_rule(owner: str, labels: str, positive: object) -> _core.LabelRule:
    """Return the rule by which the labels of a file are read."""
    if labels == "any":
        if positive is not None:
            raise ParameterError(
                f"{owner}: positive must be left out with labels='any', "
                f"got {positive!r}"
            )
        return _core.LabelRule.any()
    if positive is None:
        return _core.LabelRule()
    # True and 1 are written 1.
    return _core.LabelRule(str(1 if positive is True else positive))


class WrittenLabels:
    """The labels of native blocks, one object for each way a label is written."""

    def __init__(self) -> None:
        self._kept: dict[str, int | float | str] = {}

    def __call__(self, block: _core.LineBlock) -> NDArray[Any]:
        table = object_array([self._read(name) for name in block.label_names])
        return table[block.label_codes]

    def _read(self, name: str) -> int | float | str:
        if name not in self._kept:
            if len(self._kept) >= _MOST_KEPT:  # as with a number that never comes twice
                self._kept.clear()
            self._kept[name] = _as_written(name)
        return self._kept[name]


def _as_written(name: str) -> int | float | str:
    if _WHOLE.fullmatch(name):
        return int(name)
    if _NUMBER.fullmatch(name) and math.isfinite(float(name)):
        return float(name)
    return name


def any_labels(y: Any, length: int) -> NDArray[Any]:
    """Return `length` labels as they are, in an array of objects."""
    if isinstance(y, np.ma.MaskedArray):
        raise ParameterError("y must have no masked labels, got a masked array")
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if y.ndim != 1:
            raise ParameterError(
                f"y must hold one label for each of {length} rows, got shape {y.shape}"
            )
        y = y.tolist()
    labels = [y.item() if isinstance(y, np.generic) else y for y in y]
    if len(labels) != length:
        raise ParameterError(
            f"y must hold one label for each of {length} rows, got {len(labels)}"
        )
    for row, label in enumerate(labels):
        check_label(label, row)
    return object_array(labels)


def check_label(label: Hashable, row: int | None = None) -> None:
    """Refuse a label that is missing, or cannot be compared."""
    try:
        hash(label)
    except TypeError:
        raise refusal("unhashable", row=row, value=label) from None
    try:
        missing = label is None or bool(label != label)  # noqa: PLR0124 - as NaN does
    except (TypeError, ValueError):  # pandas.NA does not know
        missing = True
    if missing:
        raise refusal("missing", row=row, value=label)


def object_array(items: list[Any]) -> NDArray[Any]:
    """Return an array of these very objects."""
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array
