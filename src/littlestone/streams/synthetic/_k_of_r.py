"""Disjunctions, and k out of r features."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.concepts import Disjunction, Halfspace
from littlestone.errors import ParameterError
from littlestone.learner.parameters import whole
from littlestone.streams.synthetic._base import (
    MOST_FEATURES,
    Synthetic,
    rows_a_block,
)
from littlestone.theorems import WIN2_DISJ, WIN2_KOFR, Theorem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["disjunction", "k_of_r"]


def disjunction(
    rounds: int | None,
    features: int,
    relevant: int,
    active: int,
    *,
    noise: float = 0.0,
    seed: int = 0,
) -> DisjunctionStream:
    """Stream examples of a disjunction of a few features among many.

    An example has `active` features with the value 1. With equal probability one of
    them is relevant and the label is yes, or none is. Features are column numbers.

    Parameters
    ----------
    rounds
        How many rounds; None for an endless stream.
    features
        How many features there are.
    relevant
        How many features the disjunction has.
    active
        How many features an example has.
    noise
        The probability that a label is flipped, at most one half.
    seed
        The seed of the random numbers.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Winnow
    >>> from littlestone.streams import synthetic
    >>> stream = synthetic.disjunction(10_000, features=500, relevant=4, active=20)
    >>> print(stream.target)
    x24 or x50 or x256 or x346
    >>> bound = stream.theorem.bound(**stream.numbers)
    >>> run(Winnow(threshold=500, promotion=1.5), stream).mistakes <= bound
    True
    """
    return DisjunctionStream(**locals())


def k_of_r(
    rounds: int | None,
    features: int,
    relevant: int,
    active: int,
    k: int,
    *,
    noise: float = 0.0,
    seed: int = 0,
) -> KOfRStream:
    """Stream examples that are positive if at least k of r relevant features are on.

    An example has `active` features with the value 1. With equal probability `k` of
    them are relevant and the label is yes, or one fewer is. Features are column
    numbers.

    Parameters
    ----------
    rounds
        How many rounds; None for an endless stream.
    features
        How many features there are.
    relevant
        How many features are relevant, $r$.
    active
        How many features an example has.
    k
        How many relevant features must be on.
    noise
        The probability that a label is flipped, at most one half.
    seed
        The seed of the random numbers.

    Examples
    --------
    >>> from littlestone.streams import synthetic
    >>> stream = synthetic.k_of_r(100, features=50, relevant=3, active=9, k=2)
    >>> print(stream.target)
    x19 + x29 + x44 >= 2
    >>> all(stream.target(x) == y for x, y in stream)
    True
    >>> stream.theorem.id, stream.numbers
    ('WIN2-KOFR', {'features': 50, 'relevant': 3, 'k': 2})
    """
    return KOfRStream(**locals())


class KOfRStream(Synthetic):
    """At least k of r features; made by `streams.synthetic.k_of_r`.

    Attributes
    ----------
    features, relevant, active, k
        As given.
    """

    _owner = "k_of_r"

    def __init__(
        self, *, features: int, relevant: int, active: int, k: int, **shared: Any
    ) -> None:
        super().__init__(**shared)
        owner = self._owner
        self.features = whole(owner, "features", features, 1, MOST_FEATURES)
        self.relevant = whole(owner, "relevant", relevant, 1, self.features + 1)
        self.k = whole(owner, "k", k, 1, self.relevant + 1)
        self.active = whole(owner, "active", active, self.k, self.features + 1)
        most = self.features - self.relevant + self.k - 1
        if self.active > most:
            raise ParameterError(
                f"active must be at most {most}, so that an example can have "
                f"{self.k - 1} of the relevant features, got {active!r}",
                owner=owner,
            )
        self._size = rows_a_block(self.active)
        self._chosen = self._draws("target").subsets(1, self.relevant, self.features)[0]

    @cached_property
    def target(self) -> Any:
        """The halfspace; its weights are a witness for `certify`."""
        return Halfspace(dict.fromkeys(self._chosen.tolist(), 1), self.k)

    @property
    def theorem(self) -> Theorem | None:
        """`WIN2-KOFR`; None with noise."""
        return None if self.noise else WIN2_KOFR

    @property
    def numbers(self) -> dict[str, Any]:
        """The features, those that are relevant, and k."""
        return {"features": self.features, "relevant": self.relevant, "k": self.k}

    def _block(self, number: int) -> tuple[_core.Rows, NDArray[np.bool_]]:
        draws = self._draws("examples", number)
        rows, few = self._size, self.active - self.k + 1
        labels = draws.coins(rows)
        # One feature too many, of which one is dropped, relevant or not.
        columns = np.empty((rows, self.active + 1), dtype=np.int32)
        picked = draws.subsets(rows, self.k, self.relevant)
        columns[:, : self.k] = self._chosen[picked]
        others = draws.subsets(rows, few, self.features - self.relevant)
        columns[:, self.k :] = self._irrelevant(others)
        away = np.where(
            labels, self.k + draws.below(few, rows), draws.below(self.k, rows)
        )
        columns[np.arange(rows), away] = columns[:, -1]
        columns = np.sort(columns[:, :-1], axis=1)
        made = _core.csr(
            np.arange(0, columns.size + 1, self.active, dtype=np.int32),
            columns.reshape(-1),
            np.ones(columns.size, dtype=np.float32),
            width=self.features,
        )
        return made, labels

    def _irrelevant(self, numbers: NDArray[np.int32]) -> NDArray[Any]:
        """Return the columns of irrelevant features by their numbers.

        The number of column c is c minus the number of relevant columns before it.
        """
        before = self._chosen - np.arange(self.relevant)
        return numbers + np.searchsorted(before, numbers, side="right")


class DisjunctionStream(KOfRStream):
    """A disjunction; made by `streams.synthetic.disjunction`.

    Attributes
    ----------
    features, relevant, active
        As given.
    """

    _owner = "disjunction"

    def __init__(self, **given: Any) -> None:
        super().__init__(k=1, **given)

    @cached_property
    def target(self) -> Disjunction:
        """The disjunction."""
        return Disjunction(*self._chosen.tolist())

    @property
    def theorem(self) -> Theorem | None:
        """`WIN2-DISJ`; None with noise."""
        return None if self.noise else WIN2_DISJ

    @property
    def numbers(self) -> dict[str, Any]:
        """The features, and those that are relevant."""
        return {"features": self.features, "relevant": self.relevant}
