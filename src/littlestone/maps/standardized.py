"""Online standardization: every feature on one scale, without a look ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from littlestone import _core
from littlestone.learner.parameters import truth
from littlestone.maps._map import Map

__all__ = ["Standardized"]


@dataclass(frozen=True)
class Standardized(Map):
    r"""Give each feature mean 0 and variance 1, by the examples so far.

    The value $x$ becomes $(x - m)/s$, where the mean $m$ and the standard deviation $s$
    are those of its feature in the examples so far, this one included; a feature that
    an example does not have is 0 there. A feature that has always been the same becomes
    0. So no value in round $t$ is larger than $\sqrt{t - 1}$ in size, whatever comes.

    **What it does to a theorem.** The bound holds on the mapped examples, whichever
    they are: for every comparator of these. But this map changes from round to round
    while $m$ and $s$ settle, so a halfspace of the original features need not be one
    fixed halfspace of the mapped ones; a margin or a radius that you know or declare
    must be that of the mapped examples. A certificate of a run holds as always, since
    the judge replays the map; in another order it maps otherwise, so none is for every
    order.

    Parameters
    ----------
    center
        Subtract the mean. Then an example has a value for every feature met so far,
        which at most 4096 may be. False only divides, so that sparse examples stay
        sparse.

    References
    ----------
    Welford (1962), Note on a method for calculating corrected sums of squares and
    products, Technometrics 4:419-420, https://doi.org/10.1080/00401706.1962.10490022

    Examples
    --------
    >>> from littlestone.maps import Standardized
    >>> stream = [([1.0, 5.0], 1), ([3.0, 5.0], 0), ([5.0, 8.0], 1)]
    >>> for x, _ in Standardized().examples(stream):
    ...     print(x)
    {}
    {0: 1.0}
    {0: 1.224744871391589, 1: 1.414213562373095}
    """

    center: bool = True
    learns: ClassVar[bool] = True

    def __post_init__(self) -> None:
        truth("Standardized", "center", self.center)

    def native(self) -> _core.Map:
        """Return a new native map."""
        return _core.standardized_map(center=bool(self.center))
