"""One number for each expert, as a mapping that costs nothing until it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ByExpert", "Regrets", "places"]


class ByExpert(Mapping[Any, float]):
    """One number for each expert, by name or position.

    Parameters
    ----------
    names
        The position of each expert by its name, in order; None if experts have none.
        Those that join later may be added to it.
    values
        The numbers.

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> weights = WeightedMajority(experts=["ann", "bob"]).weights_
    >>> weights["bob"], list(weights)
    (0.5, ['ann', 'bob'])
    """

    def __init__(
        self, names: Mapping[Any, int] | None, values: NDArray[np.float64]
    ) -> None:
        self._names, self._values = names, values

    @classmethod
    def of(cls, numbers: Mapping[Any, float]) -> ByExpert:
        """Return the numbers of any mapping."""
        if isinstance(numbers, ByExpert):
            return numbers
        values = np.fromiter(numbers.values(), np.float64, len(numbers))
        return cls(places(numbers), values)

    def with_values(self, values: NDArray[np.float64]) -> ByExpert:
        """Return other numbers of the same experts."""
        return ByExpert(self._names, values)

    def regrets(self, own: NDArray[np.float64]) -> Regrets:
        """Return how much more a learner has lost, if these are the experts' losses."""
        return Regrets(self._names, own, self._values)

    def __getitem__(self, expert: object) -> float:
        if self._names is not None:
            at = self._names.get(expert)
        else:
            at = int(expert) if isinstance(expert, (int, np.integer)) else None
        if at is None or not 0 <= at < len(self._values):
            raise KeyError(expert)
        return float(self._values[at])

    def __iter__(self) -> Iterator[Any]:
        return iter(self.names)

    @property
    def names(self) -> Sequence[Any]:
        """The experts, in order."""
        size = len(self)
        return range(size) if self._names is None else [*islice(self._names, size)]

    @property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers themselves, in that order; not to be changed."""
        return self._values

    def __len__(self) -> int:
        return len(self._values)

    def __array__(
        self, dtype: Any = None, copy: bool | None = None
    ) -> NDArray[np.float64]:
        return np.array(self._values, dtype=dtype, copy=copy is not False)

    def __repr__(self) -> str:
        return repr(dict(zip(self, self._values.tolist(), strict=True)))


class Regrets(ByExpert):
    """How much more a learner has lost than each expert, computed when it is read.

    Parameters
    ----------
    names
        As of `ByExpert`.
    own, theirs
        What the learner lost while each expert was awake, and what that one lost.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.learner.by_expert import Regrets
    >>> Regrets({"ann": 0, "bob": 1}, np.array([1.5, 1.5]), np.array([1.0, 0.0]))
    {'ann': 0.5, 'bob': 1.5}
    """

    def __init__(
        self,
        names: Mapping[Any, int] | None,
        own: NDArray[np.float64],
        theirs: NDArray[np.float64],
    ) -> None:
        self._names, self._lost = names, (own, theirs)

    @cached_property
    def _values(self) -> NDArray[np.float64]:  # type: ignore[override]  # read alike
        own, theirs = self._lost
        return own - theirs


def places(names: Iterable[Any] | None) -> dict[Any, int] | None:
    """Return the position of each name.

    Examples
    --------
    >>> from littlestone.learner.by_expert import places
    >>> places(["ann", "bob"])
    {'ann': 0, 'bob': 1}
    """
    return None if names is None else {name: at for at, name in enumerate(names)}
