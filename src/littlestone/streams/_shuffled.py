"""The examples of a stream in a random order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.errors import ParameterError
from littlestone.learner.labels import joined
from littlestone.streams._base import Block, DerivedStream, Stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from littlestone.streams._reading import Reading

__all__ = ["shuffled"]

_ROWS_A_BLOCK = 1 << 13


def shuffled(stream: Stream, seed: int = 0) -> ShuffledStream:
    """Play the examples of a stream in a random order, which the seed determines.

    A file that is sorted by label makes few mistakes whatever is learned: the answer is
    that of the example before. This reads it whole, and keeps it in memory.

    Parameters
    ----------
    stream
        A stream of `littlestone.streams`.
    seed
        The same seed gives the same order, on every machine and in every process.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> X = [[1.0, number] for number in range(8)]
    >>> stream = streams.arrays(X, [0, 0, 0, 0, 1, 1, 1, 1])
    >>> [int(y) for _, y in streams.shuffled(stream, seed=2)]
    [1, 0, 1, 0, 0, 1, 1, 0]
    >>> run(Perceptron(), stream).mistakes
    2
    >>> run(Perceptron(), streams.shuffled(stream, seed=2)).mistakes
    5
    """
    if not isinstance(stream, Stream):
        raise ParameterError(
            f"the stream must be one of littlestone.streams, got {stream!r}",
            owner="shuffled",
        )
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(
            f"seed must be a whole number from 0 on, got {seed!r}", owner="shuffled"
        )
    return ShuffledStream(stream, seed)


class ShuffledStream(DerivedStream):
    """A stream in a random order; made by `streams.shuffled`."""

    _stream: Stream

    def __init__(self, stream: Stream, seed: int) -> None:
        self._stream, self._seed = stream, seed
        self._read: list[Block] | None = None
        self.outcome = stream.outcome
        self.of_advice = stream.of_advice  # type: ignore[misc]  # as the stream is
        self.of_mappings = stream.of_mappings  # type: ignore[misc]  # as the stream is

    def __repr__(self) -> str:
        return f"shuffled({self._stream!r}, seed={self._seed})"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once: always, as it is kept."""
        return True

    @property
    def reading(self) -> Reading | None:
        """How the stream is read."""
        return self._stream.reading

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # none of ours, and not yet made in a copy
            raise AttributeError(name)
        return getattr(self._stream, name)

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in the random order."""
        if self._read is None:
            self._read = _in_order(list(self._stream.blocks()), self._seed)
        yield from self._read


def _in_order(blocks: list[Block], seed: int) -> list[Block]:
    """Return blocks of these examples in a random order."""
    which = np.repeat(np.arange(len(blocks)), [b.last - b.first for b in blocks])
    rows = np.concatenate(
        [np.empty(0, dtype=np.int64), *(np.arange(b.first, b.last) for b in blocks)]
    )
    order = _order(len(rows), seed)
    which, rows = which[order], rows[order]
    made = _native(blocks, order)
    if made is None:
        return [
            replace(blocks[block], first=row, last=row + 1, done=(at + 1) / len(rows))
            for at, (block, row) in enumerate(
                zip(which.tolist(), rows.tolist(), strict=True)
            )
        ]
    labels = joined([b.labels[b.first : b.last] for b in blocks])[order]
    where = _Where([block.where for block in blocks], which, rows)
    return [
        Block(made, labels, first, last, where, last / len(rows))
        for first in range(0, len(rows), _ROWS_A_BLOCK)
        for last in [min(len(rows), first + _ROWS_A_BLOCK)]
    ]


def _order(many: int, seed: int) -> NDArray[np.int64]:
    """Return the numbers below `many` in a random order.

    By raw draws, since what NumPy makes of them may change from version to version.
    """
    draws = np.random.PCG64(seed).random_raw(many)
    return np.argsort(draws, kind="stable")


def _native(blocks: list[Block], order: NDArray[np.int64]) -> _core.Rows | None:
    """Return native rows in this order; None if rows are of another kind."""
    if not blocks or not all(isinstance(b.rows, _core.Rows) for b in blocks):
        return None
    kept = _core.KeptExamples()
    for block in blocks:
        all_of_them = np.ones(block.last, dtype=np.bool_)
        kept.add(block.rows, all_of_them, block.first, block.last)
    features = kept.features()
    names = [feature for feature in features if isinstance(feature, str)]
    if names and len(names) < len(features):  # files of two kinds, joined
        return None
    ends, columns, values = kept.take()
    begins = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    lengths = np.diff(begins)[order]
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    at = np.repeat(begins[order] - offsets[:-1], lengths) + np.arange(offsets[-1])
    ids, values = columns[at], values[at]
    if not names:
        numbers = np.array(features, dtype=np.int64)
        width = int(numbers.max(initial=-1)) + 1
        return _core.csr(offsets, numbers[ids], values, width)
    table = _core.NameTable()
    texts = [name.encode() for name in names]
    lines = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    table.add(np.frombuffer(b"".join(texts), dtype=np.uint8), lines)
    return _core.words(offsets.astype(np.uint64), ids.astype(np.uint32), values, table)


class _Where:
    """Names a row as the block does that it comes from."""

    def __init__(
        self,
        blocks: list[Callable[[int], str]],
        which: NDArray[np.int64],
        rows: NDArray[np.int64],
    ) -> None:
        self._blocks, self._which, self._rows = blocks, which, rows

    def __call__(self, row: int) -> str:
        where = self._blocks[int(self._which[row])]
        return where(int(self._rows[row]))

    @property
    def tag(self) -> Callable[[int], str] | None:
        """Returns the tag of a row; None if rows have no tags."""
        tags: list[Any] = [getattr(block, "tag", None) for block in self._blocks]
        if any(tag is None for tag in tags):
            return None
        return lambda row: str(tags[int(self._which[row])](int(self._rows[row])))
