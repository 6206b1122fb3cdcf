"""The weights of experts over the course of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.running.bounds import Look

__all__ = ["WeightCurve", "weight_curve"]


class WeightCurve(NamedTuple):
    """The weights of experts over the course of a run.

    Attributes
    ----------
    rounds
        The rounds after which the weights were read, a few hundred.
    weights
        For each expert, its weight at each of these rounds; the heaviest expert overall
        comes first.
    others
        The weight of all other experts together; None if there are none.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.experts import Halving
    >>> stream = [([True, False, True], True), ([True, True, False], True)]
    >>> run(Halving(), stream).weight_curve(experts=1)
    WeightCurve(rounds=(1, 2), weights={0: (0.5, 1.0)}, others=(0.5, 0.0))
    """

    rounds: tuple[int, ...]
    weights: dict[Any, tuple[float, ...]]
    others: tuple[float, ...] | None


def weight_curve(
    looks: Mapping[int, Look], last: Mapping[Any, float] | None, experts: int
) -> WeightCurve | None:
    """Return the curve of the heaviest experts, from the weights that were seen.

    `last` has the weights of all experts after the last round.
    """
    seen = [
        (at, look.shares)
        for at, look in sorted(looks.items())
        if look.shares is not None
    ]
    if not seen or last is None:
        return None
    sums = np.zeros(len(last))
    for _, (positions, weights) in seen:
        sums[_places(positions, weights)] += weights
    heaviest = np.argsort(-sums, kind="stable")[:experts]
    table = np.zeros((len(seen), len(heaviest)))
    full = np.zeros(len(last))
    for row, (_, (positions, weights)) in zip(table, seen, strict=True):
        full[:] = 0.0
        full[_places(positions, weights)] = weights
        row[:] = full[heaviest]
    names = list(last)
    rest = np.maximum(0.0, 1.0 - table.sum(axis=1))
    return WeightCurve(
        tuple(at for at, _ in seen),
        {
            names[at]: tuple(line)
            for at, line in zip(heaviest.tolist(), table.T.tolist(), strict=True)
        },
        tuple(rest.tolist()) if len(heaviest) < len(names) else None,
    )


def _places(
    positions: NDArray[np.intp] | None, weights: NDArray[np.float64]
) -> NDArray[np.intp] | slice:
    """Return the positions of weights among those of all experts."""
    return slice(len(weights)) if positions is None else positions
