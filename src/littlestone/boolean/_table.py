"""Examples as a table of bits: for each feature, the rows in which it is true.

A set of rows is a Python integer whose bit r is row r. One operation on such
integers looks at all rows at once, and a term's rows are the `&` of its literals' rows.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.boolean._base import as_universe
from littlestone.boolean._reasons import Shown
from littlestone.errors import ParameterError, refusal
from littlestone.learner import as_labels
from littlestone.learner.rows import as_matrix, column_names, is_mappings

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from littlestone.concepts import Feature

__all__ = ["Table", "joined", "packed", "read", "unpacked"]

_PLAIN = (float, int, bool)
# The numbers a column can have.
_MOST_COLUMNS = 2**32
# How many cells are unpacked at a time to list those that are true.
_CELLS = 1 << 24


@dataclass(frozen=True)
class Table:
    """Labelled examples, by the rows in which each feature is true.

    Attributes
    ----------
    features
        The features, in order.
    true
        For each feature, the rows in which it is true.
    yes
        The rows that are labelled yes.
    numbers
        The number of each row where it came from.
    flipped
        The table of which this is the dual, if it is one.
    """

    features: tuple[Feature, ...]
    true: tuple[int, ...]
    yes: int
    numbers: Sequence[int]
    flipped: Table | None = None

    @property
    def everything(self) -> int:
        """All the rows."""
        return (1 << len(self.numbers)) - 1

    @property
    def no(self) -> int:
        """The rows that are labelled no."""
        return self.everything ^ self.yes

    def dual(self) -> Table:
        """Flip all features and all labels.

        A conjunction of clauses fits a table if and only if the disjunction of terms
        with the same literals fits its dual: that is De Morgan's rule.
        """
        everything = self.everything
        true = tuple(everything ^ rows for rows in self.true)
        return Table(self.features, true, self.no, self.numbers, self)

    def only(self, rows: int) -> Table:
        """Keep these rows."""
        if rows == self.everything and isinstance(self.numbers, range):
            return self
        count = len(self.numbers)
        kept = np.flatnonzero(unpacked([rows], count)[0])
        true = packed(unpacked(self.true, count)[:, kept])
        yes = packed(unpacked([self.yes], count)[:, kept])
        return Table(
            self.features,
            tuple(true),
            yes[0],
            [self.numbers[row] for row in kept.tolist()],
        )

    def satisfying(self, term: Iterable[int]) -> int:
        """Return the rows that satisfy a term, given by the numbers of its literals."""
        rows, count = self.everything, len(self.true)
        for literal in term:
            true = self.true[literal % count]
            rows &= true if literal < count else ~true
        return rows

    def shown(self, row: int) -> Shown:
        """Return an example as it was given."""
        pairs = zip(self.features, self.true, strict=True)
        true = tuple(feature for feature, rows in pairs if rows >> row & 1)
        return Shown(self.numbers[row], true, bool(self.yes >> row & 1))

    def placed(self, rows: int) -> int:
        """Return rows of a part as rows of the whole table."""
        if isinstance(self.numbers, range):
            return rows
        whole = 0
        for row in self.places(rows).tolist():
            whole |= 1 << self.numbers[row]
        return whole

    def places(self, rows: int) -> NDArray[np.intp]:
        """Return the numbers of the rows of a set."""
        return np.flatnonzero(unpacked([rows], len(self.numbers))[0])

    @cached_property
    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The features that are true in each row: where they begin, and which."""
        count, counts, columns = len(self.numbers), [], []
        held = _bytes_of(self.true, count)
        step = max(_CELLS // max(len(self.true), 1) // 8, 1)  # bytes of each feature
        for first in range(0, held.shape[1], step):
            bits = np.unpackbits(
                held[:, first : first + step],
                axis=1,
                count=min(8 * step, count - 8 * first),
                bitorder="little",
            )
            rows, features = np.nonzero(bits.T)
            counts.append(np.bincount(rows, minlength=bits.shape[1]))
            columns.append(features.astype(np.int32))
        offsets = np.zeros(count + 1, dtype=np.int64)
        if count:
            np.cumsum(np.concatenate(counts), out=offsets[1:])
        return offsets, np.concatenate([*columns, np.empty(0, dtype=np.int32)])

    def frequencies(self, rows: int) -> NDArray[np.int64]:
        """Count for each feature the rows of a set in which it is true."""
        if self.flipped is not None:
            return rows.bit_count() - self.flipped.frequencies(rows)
        offsets, columns = self.entries
        places = self.places(rows)
        lengths = offsets[places + 1] - offsets[places]
        ends = np.cumsum(lengths)
        within = np.repeat(offsets[places] - (ends - lengths), lengths)
        chosen = columns[within + np.arange(len(within))]
        return np.bincount(chosen, minlength=len(self.true))

    def contradiction(self, rows: int) -> int:
        """Return two of these rows that differ only in the label; 0 if none do."""
        if self.flipped is not None:
            return self.flipped.contradiction(rows)
        offsets, columns = self.entries
        seen: tuple[dict[bytes, int], dict[bytes, int]] = ({}, {})
        yes = unpacked([self.yes], len(self.numbers))[0]
        row: int
        for row in self.places(rows).tolist():
            key = columns[offsets[row] : offsets[row + 1]].tobytes()
            label = int(yes[row])
            twin = seen[1 - label].get(key)
            if twin is not None:
                return 1 << row | 1 << twin
            seen[label].setdefault(key, row)
        return 0


def read(owner: str, X: Any, y: ArrayLike, features: object) -> Table:
    """Read a matrix, a sparse matrix, a frame, or a sequence of mappings or rows.

    A table is returned as it is.
    """
    if isinstance(X, Table):
        return X
    _, declared = as_universe(owner, features)
    known = None if declared is None else dict.fromkeys(declared)
    if hasattr(X, "tocsr"):
        count, met, columns = _of_sparse(owner, X.tocsr())
    elif is_mappings(X) or (isinstance(X, Sequence) and not X):
        count, met, columns = _of_mappings(owner, X, known)
    else:
        count, met, columns = _of_matrix(owner, X)
    labels = as_labels(y, count)
    if known is not None:
        for feature in met:
            if feature not in known:
                raise refusal("undeclared", owner=owner, feature=feature)
        column_of = dict(zip(met, columns, strict=True))
        met = known
        columns = [column_of.get(feature, 0) for feature in known]
    if not met:
        raise ParameterError(
            "examples must have at least one feature, got 0", owner=owner
        )
    yes = packed(labels[np.newaxis])[0]
    return Table(tuple(met), tuple(columns), yes, range(count))


def joined(tables: Sequence[Table]) -> Table:
    """Return tables one below the other; a feature that one lacks is false there.

    Examples
    --------
    >>> from littlestone.boolean._table import joined, read
    >>> one = read("", [{"a": 1}], [1], None)
    >>> both = joined([one, read("", [{"b": 1}, {}], [0, 1], None)])
    >>> both.features, both.true, both.yes
    (('a', 'b'), (1, 2), 5)
    """
    true: dict[Feature, int] = {}
    yes = rows = 0
    for table in tables:
        for feature, found in zip(table.features, table.true, strict=True):
            true[feature] = true.get(feature, 0) | found << rows
        yes |= table.yes << rows
        rows += len(table.numbers)
    return Table(tuple(true), tuple(true.values()), yes, range(rows))


def unpacked(sets: Iterable[int], count: int) -> NDArray[np.bool_]:
    """Return sets of rows as the rows of a matrix of truth values."""
    matrix = _bytes_of(sets, count)
    bits = np.unpackbits(matrix, axis=1, count=count, bitorder="little")
    return bits.view(np.bool_)


def _bytes_of(sets: Iterable[int], count: int) -> NDArray[np.uint8]:
    """Return sets of rows as the rows of a matrix, eight to a byte."""
    width = (count + 7) // 8
    held = [rows.to_bytes(width, "little") for rows in sets]
    return np.frombuffer(b"".join(held), np.uint8).reshape(len(held), width)


def packed(matrix: NDArray[np.bool_]) -> list[int]:
    """Return the rows of a matrix of truth values as sets."""
    packed = np.packbits(matrix, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _feature(owner: str, given: object, row: int | None = None) -> Feature:
    """Return a feature, which must be a name or the number of a column."""
    if isinstance(given, str):
        return given
    number = isinstance(given, (int, np.integer)) and not isinstance(given, bool)
    if number and 0 <= int(given) < _MOST_COLUMNS:  # type: ignore[call-overload]  # checked
        return int(given)  # type: ignore[call-overload, no-any-return]  # checked
    raise refusal("feature", owner=owner, row=row, feature=given)


_Read = tuple[int, "Iterable[Feature]", list[int]]


def _of_matrix(owner: str, X: Any) -> _Read:
    """Read rows of equal length."""
    names: Sequence[Feature] | None = None
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):
        names = column_names(X)
        X = X.to_numpy()
    matrix = as_matrix(X, None if names is None else list(names))
    if names is None:
        names = range(matrix.shape[1])
    true = matrix == 1
    refused = np.flatnonzero(~true & (matrix != 0))
    if len(refused):
        row, column = divmod(int(refused[0]), matrix.shape[1])
        value = matrix[row, column].item()
        raise refusal(
            "boolean", owner=owner, row=row, feature=names[column], value=value
        )
    return len(matrix), names, packed(true.T)


def _of_sparse(owner: str, X: Any) -> _Read:
    """Read a CSR matrix."""
    if X.ndim != 2:  # noqa: PLR2004 - rows and columns
        raise ParameterError(f"X must have two dimensions, got {X.ndim}", owner=owner)
    count, width = X.shape
    rows = np.repeat(np.arange(count), np.diff(X.indptr))
    refused = np.flatnonzero((X.data != 1) & (X.data != 0))
    if len(refused):
        at = int(refused[0])
        feature, value = int(X.indices[at]), X.data[at].item()
        row = int(rows[at])
        raise refusal("boolean", owner=owner, row=row, feature=feature, value=value)
    order = np.lexsort((rows, X.indices))
    rows, columns, data = rows[order], X.indices[order], X.data[order]
    twice = np.flatnonzero((rows[1:] == rows[:-1]) & (columns[1:] == columns[:-1]))
    if len(twice):
        row, feature = int(rows[twice[0]]), int(columns[twice[0]])
        raise refusal("duplicate", owner=owner, row=row, feature=feature)
    rows, columns = rows[data == 1], columns[data == 1]
    ends = np.searchsorted(columns, np.arange(width + 1)).tolist()
    held = (rows[first:last] for first, last in itertools.pairwise(ends))
    return count, range(width), list(_gathered(held, count))


def _of_mappings(owner: str, X: Any, known: Mapping[Feature, None] | None) -> _Read:
    """Read mappings; a feature that is not named is false."""
    rows_of: dict[Feature, list[int]] = {}
    for row, x in enumerate(X):
        if not isinstance(x, Mapping):
            raise refusal("example", owner=owner, row=row, value=x)
        for given, value in x.items():
            rows = rows_of.get(given) if type(given) in (str, int) else None
            if rows is None:  # seen for the first time, or of another type
                feature = _feature(owner, given, row)
                if known is not None and feature not in known:
                    raise refusal("undeclared", owner=owner, row=row, feature=feature)
                rows = rows_of.setdefault(feature, [])
            # Most values are of these types, and to ask what a Real is takes long.
            plain = type(value) in _PLAIN or isinstance(value, (Real, np.bool_))
            if not plain or value not in (0, 1):
                raise refusal(
                    "boolean", owner=owner, row=row, feature=given, value=value
                )
            if value:
                rows.append(row)
    return len(X), rows_of, list(_gathered(rows_of.values(), len(X)))


def _gathered(columns: Iterable[Any], count: int) -> Iterator[int]:
    """Turn lists of rows into sets."""
    for rows in columns:
        bits = np.zeros(count, dtype=np.bool_)
        bits[rows] = True
        packed = np.packbits(bits, bitorder="little")
        yield int.from_bytes(packed.tobytes(), "little")
