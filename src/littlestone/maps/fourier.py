"""Random Fourier features: a Gaussian kernel for learners of weights."""

from __future__ import annotations

from dataclasses import dataclass

from littlestone import _core
from littlestone.learner.parameters import positive, whole
from littlestone.maps._map import Map

__all__ = ["Fourier"]

_MOST = 1 << 16


@dataclass(frozen=True)
class Fourier(Map):
    r"""Random Fourier features, whose products approximate a Gaussian kernel.

    Feature $j$ of an example is $\sqrt{2/D}\cos(\omega_j \cdot x / \sigma + b_j)$, with
    normal frequencies $\omega_j$ and uniform phases $b_j$. The product of two mapped
    examples is about $\exp(-\|x - x'\|^2 / 2\sigma^2)$, so that a learner of weights
    learns what a kernel learner would, at a cost that does not grow. Every mapped
    example has a length of at most $\sqrt 2$.

    The frequencies of a feature are drawn from its name or column number and the seed,
    and are the same on every machine. Columns of different scales should be put on one
    scale first, for example `Standardized() | Fourier(dim=300)`.

    Parameters
    ----------
    width
        The kernel's width $\sigma$: how far apart examples are that differ. None takes
        for each example the root of the number of its features that are not 0, which
        fits columns of variance 1.
    dim
        How many features to make, at most 65536.
    seed
        For the frequencies and phases.

    References
    ----------
    Rahimi, Recht (2007), Random features for large-scale kernel machines, NeurIPS
    20:1177-1184,
    https://papers.nips.cc/paper/3182-random-features-for-large-scale-kernel-machines

    Examples
    --------
    The product of an example with itself is about 1, and with one far away about 0:

    >>> from littlestone.maps import Fourier
    >>> fourier = Fourier(width=1.0, dim=2000)
    >>> near, far = fourier.apply([1.0, 2.0]), fourier.apply([9.0, 9.0])
    >>> round(sum(near[j] * near[j] for j in near), 1)
    1.0
    >>> abs(round(sum(near[j] * far[j] for j in near), 1))
    0.0
    """

    width: float | None = None
    dim: int = 300
    seed: int = 0

    def __post_init__(self) -> None:
        if self.width is not None:
            positive("Fourier", "width", self.width)
        whole("Fourier", "dim", self.dim, low=1, high=_MOST + 1)
        whole("Fourier", "seed", self.seed)

    def native(self) -> _core.Map:
        """Return a new native map."""
        width = 0.0 if self.width is None else float(self.width)
        return _core.fourier_map(dim=int(self.dim), width=width, seed=int(self.seed))

    def size(self, features: int) -> int:  # noqa: ARG002 - it does not depend on them
        """Return how many features it makes."""
        return int(self.dim)
