"""A stream from arrays and frames in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from littlestone.errors import ParameterError
from littlestone.learner import as_weights, read_labels, told, with_weights
from littlestone.learner.rows import Example, as_rows, single_rows
from littlestone.outcome import Outcome
from littlestone.streams._base import Block, Stream
from littlestone.streams._labels import as_outcome

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["arrays"]

# Small enough for a smooth progress bar, large enough to cost nothing: at most so many
# rows, and about so many entries.
_ROWS_A_BLOCK = 1 << 17
_ENTRIES_A_BLOCK = 1 << 22
_KNOWN = (Outcome.LABEL, Outcome.CLASS, Outcome.NUMBER)


def arrays(
    X: Any,
    y: ArrayLike,
    *,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    weights: ArrayLike | None = None,
) -> Stream:
    """Stream the rows of a matrix or frame, in order.

    Parameters
    ----------
    X
        A NumPy matrix, a SciPy sparse matrix, or a pandas or polars frame, whose
        columns then give the names. float32 and float64 are used without a copy.
    y
        One label per row: True or 1 for yes, False, 0 or -1 for no.
    outcome
        `"label"` for yes and no; `"class"` to keep labels of any kind as they are: they
        must be hashable, and none may be missing; `"number"` for finite numbers.
    weights
        How much each row counts: a number above 0, by which its loss is multiplied. For
        learners that follow the slope of a loss; the labels are `Weighted` then.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> run(Perceptron(), streams.arrays([[1.0, 0.0], [0.0, 1.0]], [1, -1])).mistakes
    1
    >>> [y for _, y in streams.arrays([[1.0], [2.0]], ["hat", 7], outcome="class")]
    ['hat', 7]
    >>> [y for _, y in streams.arrays([[1.0], [2.0]], [1, -1], weights=[1, 0.5])]
    [True, Weighted(False, 0.5)]
    """
    return ArrayStream(X, y, as_outcome("arrays", outcome, _KNOWN), weights)


class ArrayStream(Stream):
    """The rows of a matrix or frame; made by `streams.arrays`."""

    in_memory = True

    def __init__(
        self, X: Any, y: ArrayLike, outcome: Outcome, weights: ArrayLike | None = None
    ) -> None:
        self._X, self.outcome = X, outcome
        self._rows = as_rows(X)
        self._labels = read_labels(outcome, y, len(self._rows))
        if weights is not None:
            self._labels = with_weights(self._labels, _above_zero(weights, len(self)))

    def __repr__(self) -> str:
        return f"arrays({len(self)} rows)"

    def __len__(self) -> int:
        return len(self._rows)

    def blocks(self) -> Iterator[Block]:
        """Yield the rows in blocks, in order."""
        size, nonzeros = len(self), getattr(self._X, "nnz", None)
        if nonzeros is None:
            nonzeros = size * self._rows.nonzeros(0) if size else 0
        some = max(1, _ENTRIES_A_BLOCK * size // max(1, nonzeros))
        some = min(some, _ROWS_A_BLOCK)
        for first in range(0, size, some):
            last = min(size, first + some)
            yield Block(
                self._rows, self._labels, first, last, "row {}".format, last / size
            )

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the rows one by one."""
        return zip(single_rows(self._X), told(self._labels), strict=True)


def _above_zero(weights: ArrayLike, length: int) -> NDArray[np.float64]:
    """Return the weights of rows, or refuse them."""
    found = as_weights(weights, length)
    if not found.all():
        raise ParameterError(
            "a weight must be above 0, got 0.0; leave such rows out",
            owner="arrays",
            where=f"row {int((found == 0).argmax())}",
        )
    return found
