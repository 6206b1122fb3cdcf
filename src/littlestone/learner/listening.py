"""Hearing the probabilities that are made while rounds are played."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Listening"]


class Listening:
    """Makes probabilities while it plays, and keeps them where somebody listens."""

    _heard: list[NDArray[np.float64]] | None = None

    @contextmanager
    def listening(self) -> Iterator[list[NDArray[np.float64]]]:
        """Give the probabilities of the rounds that are played meanwhile.

        They are those of before each round, but cost little. Each array is of some
        rounds; of classes, it has a row for each, with those known before it.

        Examples
        --------
        >>> from littlestone.linear import MulticlassAdaGrad
        >>> learner = MulticlassAdaGrad(classes=["a", "b"])
        >>> with learner.listening() as heard:
        ...     learner.learn_one({"x": 1.0}, "b")
        >>> [some.tolist() for some in heard]
        [[[0.5, 0.5]]]
        """
        heard: list[NDArray[np.float64]] = []
        self._heard = heard
        try:
            yield heard
        finally:
            del self._heard
