r"""Witnesses for the passive-aggressive learners.

Up to a factor, the bound is $\|u\|^2$ plus the losses of $u$, weighted by the learner's
C: the sum that a support vector machine minimises.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.certifying._candidate import Candidate
from littlestone.certifying._examples import (
    Examples,
    add_up,
    fall_short,
    size_up,
    squares_up,
    vector,
)
from littlestone.certifying._perceptron import placed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["aggressive", "passive_aggressive"]

_THEOREMS = {None: theorems.PA_SEP, "I": theorems.PA1, "II": theorems.PA2}


def passive_aggressive(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    unmended: int = 0,
    u: Mapping[Feature | None, float] | None = None,
) -> list[Candidate]:
    """Return the bound on the mistakes of a passive-aggressive learner.

    Parameters
    ----------
    kept
        The examples of the updates.
    parameters
        The parameters of the learner.
    unmended
        How many mistakes changed nothing: those on examples without a value. Every
        vector loses 1 on them.
    u
        A vector to use in place of a search; the entry of the constant feature is
        under None.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import passive_aggressive
    >>> from littlestone.linear import PassiveAggressive
    >>> stream = [({"a": 1.0}, False), ({"b": 2.0}, False)]
    >>> record = run(PassiveAggressive(mode=None), stream, keep="updates")
    >>> record.mistakes, passive_aggressive(record.examples, record.learner.parameters)
    (2, [Candidate(PA-SEP: 5)])
    """
    bias = float(parameters["bias"])
    examples = Examples.of(kept, bias=bias)
    given = None if u is None else placed(u, kept.features, constant=bool(bias))
    found = aggressive(examples, parameters, unmended, given)
    if found is None:
        return []
    v, numbers = found
    witness = vector(v, kept.features, constant=bool(bias))
    return [Candidate.of(_THEOREMS[parameters["mode"]], witness, numbers)]


def aggressive(
    examples: Examples,
    parameters: Mapping[str, Any],
    unmended: int,
    given: Floats | None = None,
) -> tuple[Floats, dict[str, float]] | None:
    """Return v and the numbers for the theorem of the learner's mode, or None."""
    mode, C = parameters["mode"], float(parameters["C"])
    if mode is None:
        v = examples.separator()[0] if given is None else given
        reached = examples.reaching(v)
        if unmended or reached is None:
            return None
        return reached, {"radius": examples.radius, "norm": size_up(reached)}
    v = _softest(examples, C, squares=mode == "II") if given is None else given
    lost = np.append(fall_short(1.0, examples.margins(v)), np.ones(unmended))
    numbers = {"radius": examples.radius, "aggressiveness": C, "norm": size_up(v)}
    if mode == "I":
        numbers["hinge"] = add_up(lost)
    else:
        numbers["hinge_squares"] = squares_up(lost)
    return (v, numbers) if all(map(math.isfinite, numbers.values())) else None


def _softest(examples: Examples, C: float, *, squares: bool) -> Floats:
    v = (examples.soft(square=C) if squares else examples.soft(hinge=C))[0]
    # The best length in this direction, exactly: the search stops a little short.
    length = float(np.sqrt(v @ v))
    price = 2 * C if squares else C
    scale = _core.best_scale(examples.margins(v), length / math.sqrt(price), squares)
    return v * scale if length and math.isfinite(scale) else v
