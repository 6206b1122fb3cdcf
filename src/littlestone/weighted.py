"""A label whose round counts more or less than once."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from littlestone.errors import ParameterError

__all__ = ["Weighted", "unweighted"]


class Weighted:
    """A label and the weight of its round, by which the loss is multiplied.

    Streams have it in the place of a label where the weight is not 1. Learners that
    follow the slope of a loss take any weight above 0. The others count whole rounds,
    so that no theorem of theirs allows another weight than 1; they refuse it.

    Parameters
    ----------
    label
        The label.
    weight
        A finite number above 0. An example that does not count is left out instead.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import GradientDescent
    >>> from littlestone.streams import Weighted
    >>> learner = GradientDescent("square", rate=0.5, bias=0)
    >>> run(learner, [({"a": 1.0}, Weighted(2.0, 0.5)), ({"a": 1.0}, 2.0)]).loss
    3.0
    """

    __slots__ = ("label", "weight")
    # Labels of classes are hashable, and this must never be taken for one.
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, label: Any, weight: float) -> None:
        plain = hasattr(weight, "__float__") and not isinstance(weight, bool)
        try:
            number = float(weight) if plain else math.nan
        except OverflowError:  # of a whole number
            number = math.inf
        if not 0.0 < number < math.inf:
            raise ParameterError(
                f"weight must be a finite number above 0, got {weight!r}",
                owner="Weighted",
            )
        self.label, self.weight = label, number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weighted):
            return NotImplemented
        return (self.label, self.weight) == (other.label, other.weight)

    def __repr__(self) -> str:
        return f"Weighted({self.label!r}, {self.weight!r})"


def unweighted(y: Any) -> tuple[Any, float]:
    """Return a label and how often its round counts.

    Examples
    --------
    >>> from littlestone.weighted import Weighted, unweighted
    >>> unweighted(True), unweighted(Weighted(True, 2.5))
    ((True, 1.0), (True, 2.5))
    """
    return (y.label, y.weight) if type(y) is Weighted else (y, 1.0)
