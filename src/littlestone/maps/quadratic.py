"""Products of two features, so that weights make a quadratic rule."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone import _core
from littlestone.learner.parameters import whole
from littlestone.maps._map import Map

__all__ = ["Quadratic"]

_MOST_BITS = 24


@dataclass(frozen=True)
class Quadratic(Map):
    """All products of two features, squares included, beside the features themselves.

    Features with names keep them, and the product of `a` and `b` is `a*b`. Of columns,
    counted from 1, the product of i <= j is column j (j + 1) / 2 + i, and column j
    itself is column j (j + 1) / 2, so that d columns become (d + 1) (d + 2) / 2. Of a
    column and a name the product is named like `3*a`.

    An example of n features has n (n + 3) / 2 then, and may have at most 2048 before.

    Parameters
    ----------
    bits
        Hash the features into `2**bits` columns, with bits from 1 to 24, so that memory
        is bounded; values in one column are added. None keeps every product apart.

    Examples
    --------
    >>> from littlestone.maps import Quadratic
    >>> Quadratic().apply([2.0, 3.0])
    {1: 2.0, 3: 3.0, 2: 4.0, 4: 6.0, 5: 9.0}
    >>> len(Quadratic(bits=10).apply([2.0, 3.0]))
    5
    """

    bits: int | None = None

    def __post_init__(self) -> None:
        if self.bits is not None:
            whole("Quadratic", "bits", self.bits, low=1, high=_MOST_BITS + 1)

    def native(self) -> _core.Map:
        """Return a new native map."""
        return _core.quadratic_map(bits=int(self.bits or 0))

    def size(self, features: int) -> int:
        """Return how many features it makes of so many."""
        return features * (features + 3) // 2
