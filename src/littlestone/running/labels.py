"""Labels as a record keeps them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from littlestone.errors import refusal
from littlestone.learner import as_class, as_label
from littlestone.outcome import Outcome, outcome_of

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["label_reader"]


def label_reader(learner: Any) -> Callable[[Any], Any]:
    """Return what reads a label or outcome as the record keeps it."""
    outcome = outcome_of(learner)
    if outcome is Outcome.CLASS:
        return as_class
    if outcome is Outcome.LABEL:
        return _Labels()
    as_outcomes = getattr(learner, "as_outcomes", None)
    if as_outcomes is None:
        return _outcome
    return lambda y: as_outcomes([y], 1)[0].item()


def _outcome(y: Any) -> float:
    """Return an outcome that is a finite number, and not a text of one."""
    try:
        number = math.nan if isinstance(y, (str, bytes)) else float(y)
    except (OverflowError, TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise refusal("outcome", value=y)
    return number


class _Labels:
    """Reads labels, which must all write no in the same way: 0 or -1."""

    def __init__(self) -> None:
        self._no: bool | None = None  # whether no is written -1

    def __call__(self, y: Any) -> bool:
        label = as_label(y)
        if not label:
            if self._no is not None and self._no != (y == -1):
                raise refusal("alphabet", value=y)
            self._no = bool(y == -1)
        return label
