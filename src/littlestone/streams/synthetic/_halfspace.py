"""Halfspaces with a margin."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.concepts import Halfspace
from littlestone.errors import ParameterError
from littlestone.learner.parameters import positive, whole
from littlestone.streams.synthetic._base import (
    MOST_FEATURES,
    Synthetic,
    rows_a_block,
)
from littlestone.theorems import PERC_SEP, PERC_TD, Theorem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["halfspace"]

# Values are multiples of this, so that their sums with integer weights are exact.
_GRID = 2.0**-30
_UNIT = 2.0**30
_HEAVIEST = 4
# More than the rounding errors of a few operations.
_ABOVE = 1 + 2.0**-40


def halfspace(
    rounds: int | None,
    features: int,
    margin: float,
    *,
    noise: float = 0.0,
    sparsity: int | None = None,
    seed: int = 0,
) -> HalfspaceStream:
    """Stream examples on both sides of a hyperplane, none of them near it.

    The weights of the target are whole numbers from 1 to 4, with either sign. An
    example is drawn from a cube, labelled, and pushed away from the hyperplane. No
    example is longer than 1, and each is at least `margin` away from the hyperplane, in
    exact arithmetic. Features are column numbers.

    Parameters
    ----------
    rounds
        How many rounds; None for an endless stream.
    features
        How many features there are.
    margin
        How far the examples are from the hyperplane, without noise. With few features
        they cannot be far.
    noise
        The probability that a label is flipped, at most one half.
    sparsity
        How many features an example has; by default all of them.
    seed
        The seed of the random numbers.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.streams import synthetic
    >>> stream = synthetic.halfspace(1_000, features=20, margin=0.125, seed=1)
    >>> stream.theorem.id, stream.numbers
    ('PERC-SEP', {'radius': 1, 'margin': 0.125})
    >>> bound = stream.theorem.bound(**stream.numbers)
    >>> run(Perceptron(), stream).mistakes <= bound == 64
    True
    >>> all(stream.target(x) == y for x, y in stream)
    True
    """
    return HalfspaceStream(**locals())


class HalfspaceStream(Synthetic):
    """Both sides of a hyperplane; made by `streams.synthetic.halfspace`.

    Attributes
    ----------
    features, margin, sparsity
        As given.
    """

    _owner = "halfspace"

    def __init__(
        self, *, features: int, margin: float, sparsity: int | None, **shared: Any
    ) -> None:
        super().__init__(**shared)
        self.features = whole(self._owner, "features", features, 1, MOST_FEATURES)
        self.margin = positive(self._owner, "margin", margin)
        self.sparsity = sparsity
        entries = self.features
        if sparsity is not None:
            entries = whole(self._owner, "sparsity", sparsity, 1, self.features + 1)
        self._entries = entries
        self._size = rows_a_block(entries)
        draws = self._draws("target")
        weights = 1.0 + draws.below(_HEAVIEST, self.features)
        self._norm = math.sqrt(float(np.sum(weights**2)))
        # The features with the smallest weights leave the least room for the margin.
        least = np.sum(np.sort(weights)[:entries] ** 2)
        most = math.sqrt(float(least)) / self._norm
        pushed = self.margin / most * _UNIT * _ABOVE + math.sqrt(entries) + 1
        self._reach = math.floor((_UNIT - pushed) / math.sqrt(entries))
        if self._reach < 1:
            raise ParameterError(
                f"margin must be below {most:.4g} with {entries} of {self.features} "
                f"features in an example, got {margin!r}",
                owner="halfspace",
            )
        self._weights = np.where(draws.coins(self.features), weights, -weights)

    @cached_property
    def target(self) -> Halfspace:
        """The halfspace; its weights are a witness for `certify`."""
        return Halfspace(dict(enumerate(self._weights.tolist())), 0)

    @property
    def theorem(self) -> Theorem:
        """`PERC-SEP`; with noise `PERC-TD`."""
        return PERC_TD if self.noise else PERC_SEP

    @property
    def numbers(self) -> dict[str, Any]:
        """The radius and the margin; with noise also the deviation of all rounds."""
        numbers: dict[str, Any] = {"radius": 1, "margin": self.margin}
        if self.noise:
            self._finite("the deviation")
            numbers["deviation"] = self._deviation
        return numbers

    @cached_property
    def _deviation(self) -> Fraction:
        """By how much flipped rounds fall short of the margin in total, rounded up."""
        total, flipped = 0, 0
        for number, first in enumerate(range(0, len(self), self._size)):
            turned = self._flips(number)[: len(self) - first]
            _, _, distances = self._examples(number)
            # Multiples of the grid, exact, and few enough for 64 bits in a block.
            short = distances[: len(turned)][turned].astype(np.int64)
            total += int(np.sum(short))
            flipped += len(short)
        square = int(np.sum(self._weights**2))
        norm = Fraction(math.isqrt(square << 64), 1 << 32)  # rounded down
        return flipped * Fraction(self.margin) + Fraction(total, 1 << 30) / norm

    def _block(self, number: int) -> tuple[_core.Rows, NDArray[np.bool_]]:
        rows, labels, _ = self._examples(number)
        return rows, labels

    def _examples(
        self, number: int
    ) -> tuple[_core.Rows, NDArray[np.bool_], NDArray[np.float64]]:
        """Return rows, labels, and the weighted sums without signs, on the grid."""
        draws = self._draws("examples", number)
        rows, entries = self._size, self._entries
        weights = self._weights[None, :]
        columns = None
        if self.sparsity is not None:
            columns = draws.subsets(rows, entries, self.features)
            weights = self._weights[columns]
        values = draws.below(2 * self._reach + 1, rows, entries).astype(np.float64)
        values -= self._reach
        scores = _dot(values, weights)
        labels = scores >= 0
        # Along the weights, far enough for the margin despite rounding.
        push = self.margin * _UNIT * _ABOVE * self._norm / np.sum(weights**2, axis=1)
        pushes = np.copysign(np.ceil(push[:, None] * np.abs(weights)), weights)
        distances = np.abs(scores) + np.sum(pushes * weights, axis=1)
        values += np.where(labels, 1.0, -1.0)[:, None] * pushes
        values *= _GRID
        if columns is None:
            return _core.dense(values), labels, distances
        made = _core.csr(
            np.arange(0, rows * entries + 1, entries, dtype=np.int32),
            columns.reshape(-1),
            values.reshape(-1),
            width=self.features,
        )
        return made, labels, distances


def _dot(
    values: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weighted sums of rows; they are exact, in whatever order."""
    if len(weights) == 1:
        scores: NDArray[np.float64] = values @ weights[0]
        return scores
    summed: NDArray[np.float64] = np.einsum("ij,ij->i", values, weights)
    return summed
