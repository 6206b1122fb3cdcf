r"""Witnesses for a Perceptron, kernel or not, that learns from what it has served.

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
from littlestone.certifying._kernel import Space, has_space, nothing
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
    from littlestone.running.examples import KeptExamples

__all__ = ["served"]

_PRICES = (0.25, 1.0, 4.0, 16.0)  # of the length of v, in units of 1 / R^2


def served(record: Record, witness: Any, _: Any) -> list[Candidate]:
    """Return the bound on the mistakes of a run that learned from what it served."""
    kept, parameters = record.examples, record.learner.parameters
    if kept is None or record.square is None:
        return []
    if record.learner.name == "KernelPerceptron":
        return (
            [] if witness is not None else _of_kernel(kept, parameters, record.square)
        )
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


def _of_kernel(
    kept: KeptExamples, parameters: Mapping[str, Any], square: float
) -> list[Candidate]:
    """Return the same in the space of a kernel, unless there are too many mistakes."""
    if not has_space(kept, parameters):
        return []
    if not len(kept.labels):
        numbers = {"square": 0.0, "margin": 1.0, "deviation": 0.0, "norm": 0.0}
        return [nothing(theorems.DELAY_SERVED, **numbers)]
    space = Space(kept, parameters)
    if not 0 < space.radius < math.inf:
        return []
    # Q is a sum of values of the kernel, each of which may be off.
    square += space.slack * len(kept.labels) ** 2
    square += 2.0**-40 * float(np.abs(space.products).sum())
    found = []
    for factor in _PRICES:
        c = space.search(factor * space.radius**-2, 0.0)
        margins, norm = space.margins(c), space.length(c)
        margin = _best_margin(margins, norm, square)
        short = add_up(fall_short(margin, margins))
        numbers = {"square": square, "margin": margin, "deviation": short, "norm": norm}
        found.append(Candidate.of(theorems.DELAY_SERVED, space.witness(c), numbers))
    return best_of(found)


def _searched(examples: Examples) -> list[Any]:
    if not examples.radius:
        return [np.zeros(examples.width)]
    price = examples.price
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
    margin = _best_margin(margins, norm, square)
    numbers: Mapping[str, float] = {
        "square": square,
        "margin": margin,
        "deviation": add_up(fall_short(margin, margins)),
        "norm": norm,
    }
    witness = vector(v, features, constant=constant)
    return Candidate.of(theorems.DELAY_SERVED, witness, numbers)


def _best_margin(margins: Any, norm: float, square: float) -> float:
    """Return that of the examples' margins which makes the bound smallest."""
    ordered = np.sort(margins[margins > 0])
    if not len(ordered):
        return 1.0
    below = np.concatenate([[0.0], np.cumsum(np.sort(margins))])
    count = np.searchsorted(np.sort(margins), ordered, side="right")
    short = ordered * count - below[count]
    bounds = (norm * math.sqrt(square) + short) / ordered
    return float(ordered[int(np.argmin(bounds))])
