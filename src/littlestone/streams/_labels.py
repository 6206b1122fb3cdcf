"""How the labels of a file are read."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from littlestone import _core
from littlestone.errors import Hint, ParameterError
from littlestone.learner import objects
from littlestone.outcome import Outcome
from littlestone.streams._options import one_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "LABEL_HINTS",
    "NUMBER",
    "WrittenLabels",
    "as_outcome",
    "label_hints",
    "label_rule",
]

# What helps with labels that are not 1 against 0 or -1.
LABEL_HINTS = (
    Hint("positive", does="names the label that means yes"),
    Hint("outcome", "class", "tells more than two apart"),
)

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}")  # Python reads at most 4300 digits
# A decimal number without spaces.
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MOST_KEPT = 1 << 16


def label_hints(written: str) -> tuple[Hint, ...]:
    """Return what helps with a label that is not 1 against 0 or -1.

    Examples
    --------
    >>> from littlestone.streams._labels import label_hints
    >>> print(*label_hints(""))
    unlabelled='skip' leaves out examples without a label
    >>> print(*label_hints("43.75"))
    outcome='number' is for numbers
    >>> print(label_hints("spam")[0])
    positive= names the label that means yes
    """
    if not written:
        return (Hint("unlabelled", "skip", "leaves out examples without a label"),)
    if NUMBER.fullmatch(written) and not _WHOLE.fullmatch(written):
        return (Hint("outcome", "number", "is for numbers"),)
    return LABEL_HINTS


def as_outcome(
    owner: str,
    given: str,
    known: tuple[Outcome, ...] = (Outcome.LABEL, Outcome.CLASS),
    *,
    positive: object = None,
) -> Outcome:
    """Return what the labels are, if the format can read that.

    Examples
    --------
    >>> from littlestone.streams._labels import as_outcome
    >>> as_outcome("text", "class")
    <Outcome.CLASS: 'class'>
    """
    one_of(owner, "outcome", given, tuple(each.value for each in known))
    if positive is not None and given != Outcome.LABEL:
        raise ParameterError(
            f"positive must be left out with outcome={str(given)!r}, got {positive!r}",
            owner=owner,
        )
    return Outcome(given)


def label_rule(outcome: Outcome, positive: object, unlabelled: str) -> _core.LabelRule:
    """Return the rule by which the labels of a file are read."""
    # True and 1 are written 1.
    written = None if positive is None else str(1 if positive is True else positive)
    return _core.LabelRule(outcome, written, unlabelled=unlabelled)


class WrittenLabels:
    """The labels of native blocks, one object for each way a label is written."""

    def __init__(self) -> None:
        self._kept: dict[str, int | float | str] = {}

    def __call__(self, block: _core.LineBlock) -> NDArray[Any]:
        table = objects([self._read(name) for name in block.label_names])
        return table[block.label_codes]

    def _read(self, name: str) -> int | float | str:
        if name not in self._kept:
            if len(self._kept) >= _MOST_KEPT:  # as when every label is another number
                self._kept.clear()
            self._kept[name] = _as_written(name)
        return self._kept[name]


def _as_written(name: str) -> int | float | str:
    if _WHOLE.fullmatch(name):
        return int(name)
    if NUMBER.fullmatch(name) and math.isfinite(float(name)):
        return float(name)
    return name
