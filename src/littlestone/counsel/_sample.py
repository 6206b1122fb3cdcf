"""Some examples of a stream in a random order, to see whether its own order matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from littlestone import streams

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from littlestone.streams import Stream

__all__ = ["Sample"]


class Sample:
    """Examples drawn evenly from a stream of any length, at most `most` of them.

    Each gets a random number. Those with a number below a limit are kept, and the limit
    is halved whenever they are too many; sorted by it, they are in a random order. The
    numbers are the same in every process. All examples are kept as well, while they
    have at most `values` entries.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.counsel._sample import Sample
    >>> sample = Sample(most=3)
    >>> ends, ones = np.arange(1, 5), np.ones(4)
    >>> sample.add(ends, np.arange(4, dtype=np.int32), ones, ones == 1)
    >>> [columns.tolist() for (columns, _), _ in sample.stream()]
    [[3], [2], [1]]
    """

    def __init__(self, most: int = 10_000, values: int = 2_000_000) -> None:
        self._most, self._values = most, values
        self._random = np.random.default_rng(0)
        self._limit = 1.0
        # Joined only when they are asked for, or too many.
        self._all: list[_Drawn] | None = []
        self._pieces = [
            _Drawn(
                np.empty(0),
                np.empty(0, dtype=np.bool_),
                np.zeros(0, dtype=np.int64),
                np.empty(0, dtype=np.int32),
                np.empty(0),
            )
        ]

    def __len__(self) -> int:
        return sum(len(piece.keys) for piece in self._pieces)

    @property
    def _kept(self) -> _Drawn:
        if len(self._pieces) > 1:
            self._pieces = [_joined(self._pieces)]
        return self._pieces[0]

    def add(
        self,
        ends: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float64],
        labels: NDArray[np.bool_],
    ) -> None:
        """Draw from examples, given as sparse rows and where each of them ends."""
        keys = self._random.random(len(labels))
        lengths = np.diff(ends, prepend=0)
        drawn = _Drawn(keys, labels, lengths, columns, values)
        if self._all is not None:
            self._all.append(drawn)
            self._values -= len(values)
            if self._values < 0:
                self._all = None
        self._pieces.append(drawn.below(self._limit))
        while len(self) > self._most:
            self._limit /= 2
            self._pieces = [self._kept.below(self._limit)]

    def whole(self) -> Stream | None:
        """Return all examples in their own order; None if they were too many."""
        if not self._all:
            return None
        kept = _joined(self._all)
        indptr = np.concatenate([[0], np.cumsum(kept.lengths)])
        rows = _Rows(indptr, kept.columns.astype(np.int64), kept.values)
        return streams.arrays(rows, kept.labels)

    def stream(self, most: int | None = None) -> Stream:
        """Return the examples that were drawn, or some of them, in a random order."""
        kept = self._kept
        if most is not None and most < len(kept.keys):
            kept = kept.below(float(np.partition(kept.keys, most)[most]))
        return streams.arrays(kept.shuffled(), kept.labels[np.argsort(kept.keys)])


def _joined(pieces: Iterable[_Drawn]) -> _Drawn:
    parts: Iterable[Any] = zip(*pieces, strict=True)
    return _Drawn(*map(np.concatenate, parts))


class _Drawn(NamedTuple):
    """Examples with their random numbers; `lengths` says how many entries each has."""

    keys: NDArray[np.float64]
    labels: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]

    def below(self, limit: float) -> _Drawn:
        mask = self.keys < limit
        if mask.all():
            return self
        entries = np.repeat(mask, self.lengths)
        return _Drawn(
            self.keys[mask],
            self.labels[mask],
            self.lengths[mask],
            self.columns[entries],
            self.values[entries],
        )

    def shuffled(self) -> _Rows:
        """Return the rows in the order of their random numbers."""
        order = np.argsort(self.keys)
        lengths = self.lengths[order]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        begins = (np.cumsum(self.lengths) - self.lengths)[order]
        entries = np.repeat(begins - indptr[:-1], lengths) + np.arange(indptr[-1])
        columns = self.columns[entries].astype(np.int64)
        return _Rows(indptr, columns, self.values[entries])


class _Rows(NamedTuple):
    """Sparse rows, named as SciPy names them, which need not be installed."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.float64]

    @property
    def ndim(self) -> int:
        return 2

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.indptr) - 1, int(self.indices.max(initial=-1)) + 1

    def tocsr(self) -> Self:
        return self
