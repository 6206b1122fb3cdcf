"""What users hand in as rows, made into rows the native core can borrow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.errors import ParameterError, refusal

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Example",
    "as_matrix",
    "as_rows",
    "column_names",
    "is_mappings",
    "single_rows",
]

# The numbers a column can have.
_MOST_COLUMNS = 2**32

# A mapping from name or column number to value, a dense row, a one-row CSR matrix, or a
# pair (columns, values). Mapping keys are invariant, so Any means str | int.
Example: TypeAlias = Mapping[Any, Any] | Sequence[Any] | Any


def is_mappings(X: Any) -> bool:
    """Tell whether X is a sequence of mappings, to be played one by one."""
    return isinstance(X, Sequence) and len(X) > 0 and isinstance(X[0], Mapping)


def as_rows(X: Any) -> _core.Rows:
    """Borrow the rows of a matrix, a sparse matrix or a frame; copy only if they must.

    float32 and float64 in C order, and CSR with either, are used where they lie.

    Examples
    --------
    >>> from littlestone.learner.rows import as_rows
    >>> len(as_rows([[1, 0], [0, 1], [1, 1]]))
    3
    """
    if isinstance(X, _core.Rows):
        return X
    if hasattr(X, "tocsr"):
        X = X.tocsr()
        if X.ndim != 2:  # noqa: PLR2004 - rows and columns
            raise ParameterError(f"X must have two dimensions, got {X.ndim}")
        offsets, columns = X.indptr, X.indices
        if offsets.dtype != columns.dtype or columns.dtype not in (np.int32, np.int64):
            offsets, columns = offsets.astype(np.int64), columns.astype(np.int64)
        arrays = np.ascontiguousarray(offsets), np.ascontiguousarray(columns)
        width = min(X.shape[1], _MOST_COLUMNS)
        values = _as_floats(X.data)
        try:
            return _core.csr(*arrays, values, width=width)
        except ValueError as error:
            raise ParameterError(f"a CSR matrix must be sound: {error}") from None
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        values = as_matrix(X.to_numpy(), list(X.columns))
        names = column_names(X)
        return _core.dense(values) if names is None else _core.named(values, names)
    return _core.dense(as_matrix(X))


def column_names(frame: Any) -> list[str] | None:
    """Return the names of a frame's columns, or None where they are 0, 1, 2, ….

    Examples
    --------
    >>> import pandas
    >>> from littlestone.learner.rows import column_names
    >>> column_names(pandas.DataFrame({"a": [1], "b": [0]}))
    ['a', 'b']
    """
    names = list(frame.columns)
    if names == list(range(len(names))):
        return None
    seen: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise refusal("feature", feature=name)
        if name in seen:
            raise refusal("duplicate", feature=name)
        seen.add(name)
    return names


def single_rows(X: Any) -> Iterator[Example]:
    """Yield the rows one at a time, as `predict_one` takes them.

    Examples
    --------
    >>> from littlestone.learner.rows import single_rows
    >>> [list(row) for row in single_rows([[1, 0], [0, 1]])]
    [[1, 0], [0, 1]]
    """
    if is_mappings(X):
        yield from X
    elif hasattr(X, "tocsr"):
        X = X.tocsr()
        for first, last in zip(X.indptr[:-1], X.indptr[1:], strict=True):
            yield X.indices[first:last], X.data[first:last]
    elif hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names = list(X.columns)
        for row in X.to_numpy():
            yield dict(zip(names, row, strict=True))
    else:
        yield from X


def as_matrix(X: Any, names: list[Any] | None = None) -> NDArray[Any]:
    """Return rows of numbers as a matrix of floats; names are used in refusals.

    Examples
    --------
    >>> from littlestone.learner.rows import as_matrix
    >>> as_matrix([[True, False], [0, 1]]).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    if isinstance(X, np.ma.MaskedArray):
        raise ParameterError("X must have no masked cells, got a masked array")
    try:
        array = np.asarray(X)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
        lengths = [len(row) for row in X]
        row = next(t for t, length in enumerate(lengths) if length != lengths[0])
        raise ParameterError(
            f"rows must be equally long, got {lengths[row]} after {lengths[0]}",
            where=f"row {row}",
        ) from None
    if array.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ParameterError(
            f"X must have two dimensions, got {array.ndim}; "
            "a single example goes to predict_one or learn_one"
        )
    if array.dtype.kind not in "biuf":
        array = _numbers(array, names)
    return _as_floats(array)


def _as_floats(array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype not in (np.float32, np.float64) or not array.dtype.isnative:
        # Truth values and short integers are the same numbers in half the room.
        short = array.dtype.itemsize < 4 and np.can_cast(array.dtype, np.float32)  # noqa: PLR2004 - bytes of a float32
        array = array.astype(np.float32 if short else np.float64)
    return np.ascontiguousarray(array)


def _numbers(array: NDArray[Any], names: list[Any] | None) -> NDArray[Any]:
    """Convert a matrix of objects, or name the first cell that is not a number."""
    numbers = np.empty(array.shape)
    for row, cells in enumerate(array.tolist()):
        for column, cell in enumerate(cells):
            try:
                if isinstance(cell, (str, bytes)):
                    raise TypeError  # noqa: TRY301 - float("1") would repair quietly
                numbers[row, column] = float(cell)
            except (TypeError, ValueError):
                feature = column if names is None else names[column]
                raise refusal("number", row=row, feature=feature, value=cell) from None
    return numbers
