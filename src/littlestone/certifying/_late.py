r"""Witnesses for a Perceptron that learns from what it has served.

With $v = u/\gamma$ the bound of `DELAY-SERVED` is
$\sqrt{Q}\,\|v\| + \sum_t \max(0, 1 - y_t\,v \cdot x_t)$. For large $\gamma$ it tends to
the number of mistakes, on any stream, so the search looks among margins that mistakes
have.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    size_up,
    vector,
)
from littlestone.witnesses._perceptron import best_of, placed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.concepts import Feature
    from littlestone.running import Record

__all__ = ["served"]

_PRICES = (0.25, 1.0, 4.0, 16.0)  # of the length of v, in units of 1 / R^2


def served(record: Record, witness: Any, _: Any) -> list[Candidate]:
    """Return the bound on the mistakes of a run that learned from what it served."""
    kept, parameters = record.examples, record.learner.parameters
    if kept is None or record.square is None:
        return []
    bias, normalize = float(parameters["bias"]), bool(parameters["normalize"])
    examples = Examples.of(kept, bias=bias, normalize=normalize)
    if not len(examples):
        numbers = {"square": 0.0, "margin": 1.0, "deviation": 0.0, "norm": 0.0}
        nothing = vector(np.zeros(0), (), constant=False)
        return [Candidate.of(theorems.DELAY_SERVED, nothing, numbers)]
    constant = bool(bias)
    given = (
        _searched(examples)
        if witness is None
        else [placed(witness, kept.features, constant=constant)]
    )
    found = [
        _at_best(examples, v, record.square, kept.features, constant=constant)
        for v in given
    ]
    return best_of(found)


def _searched(examples: Examples) -> list[Any]:
    if not examples.radius:
        return [np.zeros(examples.width)]
    price = examples.radius**-2
    return [examples.soft(hinge=factor * price)[0] for factor in _PRICES]


def _at_best(
    examples: Examples,
    v: Any,
    square: float,
    features: tuple[Feature, ...],
    *,
    constant: bool,
) -> Candidate:
    """Evaluate the theorem at the best margin for a vector."""
    margins, norm = examples.margins(v), size_up(v)
    ordered = np.sort(margins[margins > 0])
    margin = 1.0
    if len(ordered):
        below = np.concatenate([[0.0], np.cumsum(np.sort(margins))])
        count = np.searchsorted(np.sort(margins), ordered, side="right")
        short = ordered * count - below[count]
        bounds = (norm * math.sqrt(square) + short) / ordered
        margin = float(ordered[int(np.argmin(bounds))])
    numbers: Mapping[str, float] = {
        "square": square,
        "margin": margin,
        "deviation": add_up(fall_short(margin, margins)),
        "norm": norm,
    }
    witness = vector(v, features, constant=constant)
    return Candidate.of(theorems.DELAY_SERVED, witness, numbers)
