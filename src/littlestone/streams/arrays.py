"""A stream from arrays and frames in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.learner import as_labels
from littlestone.rows import Example, as_rows, single_rows
from littlestone.streams._base import Block, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

__all__ = ["arrays"]

# Small enough for a lively progress bar, large enough to cost nothing.
_ROWS_A_BLOCK = 1 << 14


def arrays(X: Any, y: ArrayLike) -> Stream:
    """Stream the rows of a matrix or frame, in order.

    Parameters
    ----------
    X
        A NumPy matrix, a SciPy sparse matrix, or a pandas or polars frame, whose
        columns are then known by name. float32 and float64 are used where they lie.
    y
        One label a row: True/1 against False/0 or against -1.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> run(Perceptron(), streams.arrays([[1.0, 0.0], [0.0, 1.0]], [1, -1])).mistakes
    1
    """
    return _Arrays(X, y)


class _Arrays(Stream):
    def __init__(self, X: Any, y: ArrayLike) -> None:
        self._X = X
        self._rows = as_rows(X)
        self._labels = as_labels(y, len(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    def blocks(self) -> Iterator[Block]:
        for first in range(0, len(self), _ROWS_A_BLOCK):
            last = min(len(self), first + _ROWS_A_BLOCK)
            yield Block(
                self._rows, self._labels, first, last, "row {}".format, last / len(self)
            )

    def __iter__(self) -> Iterator[tuple[Example, bool]]:
        return zip(single_rows(self._X), self._labels.tolist(), strict=True)
