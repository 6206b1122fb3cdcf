"""Features from Arrow columns: which column is what, and rows from batches.

Everything is done on whole arrays, mostly without a copy, and nothing row by row.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from littlestone import _core
from littlestone.errors import Hint, ParameterError, did_you_mean
from littlestone.streams._arrow_arrays import (
    as_numbers,
    codes_of,
    encoded,
    is_list,
    is_number,
    is_sparse,
    is_text,
    nulls_of,
    prefixed,
    rows_with,
    without_text,
)
from littlestone.streams._names import end_to_end
from littlestone.streams._options import one_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Plan", "Refused", "Wanted"]

_CHOOSE = Hint("columns", does="chooses others")
_SHOWN = 80
_MOST_COLUMNS = 2**32
# Small matrices stay in the cache; larger blocks share more names.
_ROWS_OF_NUMBERS, _ROWS_OF_NAMES = 1 << 13, 1 << 15
# A small file can declare long lists, so neither names nor rows are made without limit.
_MOST_PLACES = 1 << 20
_MOST_CELLS = 1 << 24

Kind: TypeAlias = Literal["number", "category", "fixed", "list", "sparse"]


class Refused(Exception):  # noqa: N818 - the stream turns it into an error
    """Rows that cannot be read, and why."""

    def __init__(
        self,
        rows: NDArray[np.bool_],
        must: str,
        shown: Any = None,
        *,
        skippable: bool = True,
        hints: tuple[Hint, ...] = (),
    ) -> None:
        self.rows, self.skippable, self.hints = rows, skippable, hints
        self._must, self._shown = must, shown

    def what(self, row: int) -> str:
        """Return what a row must be like, and what it is instead."""
        if self._shown is None:
            return self._must
        value = self._shown[row]
        text = repr(value.item() if hasattr(value, "item") else value)
        return f"{self._must}, got {text[:_SHOWN]}"


class Wanted:
    """Which columns are wanted, and as what."""

    def __init__(
        self,
        *,
        label: str,
        columns: Any,
        types: Any,
        indices: Any,
        values: Any,
        missing: str,
        unlabelled: str,
        weight: Any = None,
    ) -> None:
        for name, column in (
            ("weight", weight),
            ("label", label),
            ("indices", indices),
            ("values", values),
        ):
            if not isinstance(column, str) and (column is not None or name == "label"):
                raise ParameterError(
                    f"{name} must be the name of a column, got {column!r}",
                    owner="arrow",
                )
        if missing not in ("leave out", "refuse", "literal"):
            raise ParameterError(
                f"missing must be 'leave out', 'refuse' or 'literal', got {missing!r}",
                owner="arrow",
            )
        if (indices is None) != (values is None):
            raise ParameterError(
                "indices and values must be given together, got "
                f"{indices!r} and {values!r}",
                owner="arrow",
            )
        one_of("arrow", "unlabelled", unlabelled, ("refuse", "skip", "keep"))
        self.label, self.missing, self.unlabelled = label, missing, unlabelled
        self.pair = None if indices is None else (indices, values)
        self.columns = None if columns is None else _listed(columns, label)
        self.weight = weight
        beside = {label, *(self.columns or ()), *(self.pair or ())}
        if weight in beside:
            raise ParameterError(
                "weight must be a column beside the label and the features, got "
                f"{weight!r}",
                owner="arrow",
            )
        if self.pair is not None:
            if self.columns is not None or len({label, *self.pair}) < 3:  # noqa: PLR2004 - all different
                raise ParameterError(
                    "indices and values must be two columns beside the label, "
                    f"without columns, got {indices!r}, {values!r} and {columns!r}",
                    owner="arrow",
                )
            self.columns = list(self.pair)
        self.types = _checked_types(types)

    def kept(self, schema: Any) -> list[str] | None:
        """Return the columns to read, or None for all of them."""
        counts = Counter(schema.names)
        label = [self.label] if self.is_labelled(schema.names) else []
        if self.is_weighted(schema.names):
            label.append(self.weight)
        needed = [*label, *(self.columns or ()), *self.types]
        for name in needed:
            if counts[name] != 1:
                shown = ", ".join(map(repr, schema.names))[:_SHOWN]
                raise ParameterError(
                    f"there must be one column {name!r}, got {shown}"
                    + did_you_mean(name, set(schema.names) - {name}),
                    owner="arrow",
                )
        return None if self.columns is None else [*label, *self.columns]

    def is_labelled(self, names: Sequence[str]) -> bool:
        """Return whether there must be a column of labels, or may be and is."""
        return self.unlabelled != "keep" or self.label in names

    def is_weighted(self, names: Sequence[str]) -> bool:
        """Return whether there must be a column of weights, or may be and is."""
        return self.weight is not None and (
            self.unlabelled != "keep" or self.weight in names
        )

    def is_text(self, field: Any) -> bool:
        """Return whether a column contains texts that can be read as a dictionary."""
        return str(field.type) in ("string", "large_string")


def _listed(columns: Any, label: str) -> list[str]:
    listed = [columns] if isinstance(columns, str) else list(columns)
    if (
        not listed
        or not all(isinstance(column, str) for column in listed)
        or len({label, *listed}) <= len(listed)
    ):
        raise ParameterError(
            "columns must be one or more names, each once and none the label, "
            f"got {columns!r}",
            owner="arrow",
        )
    return listed


def _checked_types(types: Any) -> dict[str, str]:
    if types is None:
        return {}
    if isinstance(types, Mapping) and set(types.values()) <= {"number", "category"}:
        return dict(types)
    raise ParameterError(
        f"types must be 'number' or 'category' by the names of columns, got {types!r}",
        owner="arrow",
    )


@dataclass(frozen=True)
class _Column:
    """A column of features: its place, its name, and what it contains."""

    index: int
    name: str
    kind: Kind
    size: int = 1  # how many features it gives at most, except texts and lists

    @property
    def features(self) -> list[str]:
        """The names of its features, if they are known in advance."""
        if self.kind == "number":
            return [self.name]
        if self.kind == "fixed":
            return [f"{self.name}[{place}]" for place in range(self.size)]
        return []


class Plan:
    """How batches of one schema become rows.

    Attributes
    ----------
    label
        The number of the label's column; None if there is none, which may be.
    kinds
        The columns of features, and what they contain.
    most
        How many rows to hand over at once.
    """

    def __init__(self, schema: Any, wanted: Wanted) -> None:
        wanted.kept(schema)  # refuses columns that are not there
        names = list(schema.names)
        labelled = wanted.is_labelled(names)
        self.label = names.index(wanted.label) if labelled else None
        weighted = wanted.is_weighted(names)
        self.weight = names.index(wanted.weight) if weighted else None
        self.most = _ROWS_OF_NUMBERS
        self._missing, self._pair = wanted.missing, None
        apart = (wanted.label, wanted.weight)
        used = wanted.columns or [name for name in names if name not in apart]
        if wanted.pair is not None:
            self._pair = tuple(names.index(name) for name in wanted.pair)
            self._columns: list[_Column] = []
            for name in wanted.pair:
                kind = schema.field(name).type
                if not is_list(kind) or not is_number(kind.value_type):
                    raise ParameterError(
                        f"column {name!r} must contain lists of numbers, got {kind}",
                        owner="arrow",
                    )
            return
        if not used:
            raise ParameterError(
                "there must be a column beside the label", owner="arrow"
            )
        for name, count in Counter(names).items():
            if count > 1 and name in used:
                raise ParameterError(
                    f"each column must have a name of its own, got {name!r} twice",
                    owner="arrow",
                )
        places = {name: place for place, name in enumerate(names)}
        self._columns = [
            _column(places[name], schema.field(places[name]), wanted.types.get(name))
            for name in used
        ]
        _check_names(self._columns)
        kinds = {column.kind for column in self._columns}
        if "sparse" in kinds:
            if len(self._columns) > 1:
                raise ParameterError(
                    "features known by numbers must be the only ones, got "
                    f"{', '.join(repr(column.name) for column in self._columns)}",
                    owner="arrow",
                    hints=[_CHOOSE],
                )
            if self._missing == "literal":
                raise ParameterError(
                    "missing must not be 'literal' where features are known by numbers",
                    owner="arrow",
                )
        width = _width(self._columns)
        self._dense = kinds <= {"number", "fixed"}
        rows = _ROWS_OF_NUMBERS if self._dense else _ROWS_OF_NAMES
        self.most = max(1, min(rows, _MOST_CELLS // width))
        self._features = [name for each in self._columns for name in each.features]
        self._fixed = end_to_end(self._features)

    @property
    def kinds(self) -> dict[str, str]:
        """What the columns of numbers and texts contain, by name."""
        return {column.name: column.kind for column in self._columns}

    def weights(self, batch: Any) -> NDArray[np.float64] | None:
        """Return how much each row counts, or raise `Refused`; None if all once."""
        if self.weight is None:
            return None
        name, cells = batch.schema.names[self.weight], batch.column(self.weight)
        if not is_number(cells.type):
            raise ParameterError(
                f"weight {name!r} must be a column of numbers, got {cells.type}",
                owner="arrow",
            )
        found = as_numbers(cells).astype(np.float64)
        sound = (found >= 0) & (found < math.inf)  # null is NaN
        if not sound.all():
            must = f"weight {name!r} must be a finite number, 0 or more"
            raise Refused(~sound, must, found)
        return found

    def rows(self, batch: Any) -> _core.Rows:
        """Return the rows of a batch, or raise `Refused`."""
        if self._pair is not None:
            first, second = (batch.column(at) for at in self._pair)
            return self._sparse_rows(first, second)
        if self._columns[0].kind == "sparse":
            both = batch.column(self._columns[0].index)
            if both.null_count and self._missing == "refuse":
                self._refuse(nulls_of(both), self._columns[0].name)
            first, second = both.flatten()  # null where the pair is
            return self._sparse_rows(first, second)
        matrix = self._matrix(batch)
        if self._dense and (np.isfinite(matrix.sum()) or np.isfinite(matrix).all()):
            return _core.named(matrix, self._features)
        return self._words(batch, matrix)

    # Numbers.

    def _matrix(self, batch: Any) -> NDArray[Any]:
        """Return the numbers of a batch, NaN where they are missing."""
        numbers = [
            (column, _as_matrix(batch.column(column.index), column))
            for column in self._columns
            if column.kind in ("number", "fixed")
        ]
        small = numbers and all(each.dtype == np.float32 for _, each in numbers)
        shape = batch.num_rows, len(self._features)
        matrix = np.empty(shape, dtype=np.float32 if small else np.float64)
        at = 0
        for column, values in numbers:
            if values.ndim == 1:
                matrix[:, at] = values
            else:
                matrix[:, at : at + column.size] = values
            at += column.size
        return matrix

    # Numbers and texts together.

    def _words(self, batch: Any, matrix: NDArray[Any]) -> _core.Rows:
        """Return sparse rows with named features."""
        infinite = np.isinf(matrix)
        if infinite.any():
            row, at = np.argwhere(infinite)[0]
            raise Refused(
                infinite.any(axis=1),
                f"column {self._features[at]!r} must contain finite numbers, got "
                f"{matrix[row, at]}",
            )
        absent = np.isnan(matrix)
        some = absent.any(axis=0)
        if self._missing == "refuse" and some.any():
            at = int(some.argmax())
            self._refuse(absent[:, at], self._features[at])
        pieces = _Pieces(batch.num_rows)
        names = _core.NameTable()
        names.add(*self._fixed)
        literals = -1
        if self._missing == "literal" and some.any():
            literals = names.add(*end_to_end([f"{name}=?" for name in self._features]))
        at = 0
        for column in self._columns:
            if column.kind == "category":
                codes, valid = self._category(batch.column(column.index), column, names)
                pieces.add(codes, None, valid)
            elif column.kind == "list":
                self._list(batch.column(column.index), column, names, pieces)
            for place in range(at, at + len(column.features)):
                ids: Any = np.uint32(place)
                values, kept = matrix[:, place], matrix[:, place] != 0
                if some[place]:
                    if literals < 0:
                        kept &= ~absent[:, place]
                    else:
                        ids = np.where(absent[:, place], literals + place, place)
                        values = np.where(absent[:, place], 1.0, values)
                pieces.add(ids, values, None if kept.all() else kept)
            at += len(column.features)
        return pieces.rows(names)

    def _category(
        self, cells: Any, column: _Column, names: _core.NameTable
    ) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
        """Return the name of each text by its number, and which rows have one."""
        coded = encoded(cells)
        absent = None
        if coded.null_count or coded.dictionary.null_count:
            absent = without_text(coded)
            if self._missing == "refuse":
                self._refuse(absent, column.name)
            if self._missing == "literal":
                decoded = coded.dictionary_decode().fill_null("?")
                coded, absent = decoded.dictionary_encode(), None
        codes, texts = codes_of(coded, absent)
        try:
            first = names.add(*prefixed(f"{column.name}=", texts))
        except KeyError:  # a dictionary may hold a text twice
            again = coded.dictionary_decode().dictionary_encode()
            codes, texts = codes_of(again, absent)
            first = names.add(*prefixed(f"{column.name}=", texts))
        return codes + first, None if absent is None else ~absent

    def _list(
        self, cells: Any, column: _Column, names: _core.NameTable, pieces: _Pieces
    ) -> None:
        """Add the numbers of lists, each named by its place."""
        lengths, numbers = self._lists(cells, column.name)
        longest = int(lengths.max(initial=0))
        first = names.add(
            *end_to_end([f"{column.name}[{at}]" for at in range(longest)])
        )
        rows = np.repeat(np.arange(len(lengths)), lengths)
        starts = np.cumsum(lengths) - lengths
        places = np.arange(len(numbers)) - np.repeat(starts, lengths)
        kept = (numbers != 0) & ~np.isnan(numbers)
        pieces.add_many(rows[kept], first + places[kept], numbers[kept])
        if self._missing == "literal" and cells.null_count:
            missing = np.flatnonzero(nulls_of(cells))
            literal = names.add(*end_to_end([f"{column.name}=?"]))
            pieces.add_many(missing, literal, 1.0)

    def _lists(
        self, cells: Any, name: str
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the lengths of lists, and their numbers end to end."""
        if cells.null_count and self._missing == "refuse":
            self._refuse(nulls_of(cells), name)
        if str(cells.type.value_type) == "null" and len(cells.flatten()) > _MOST_CELLS:
            every = np.ones(len(cells), dtype=np.bool_)
            raise Refused(every, f"column {name!r} must contain numbers, got nulls")
        lengths = cells.value_lengths().fill_null(0).to_numpy().astype(np.int64)
        numbers = as_numbers(cells.flatten()).astype(np.float64, copy=False)
        infinite = np.isinf(numbers)
        absent = np.isnan(numbers)
        if infinite.any():
            rows = rows_with(infinite, lengths)
            raise Refused(rows, f"column {name!r} must contain finite numbers, got inf")
        if self._missing == "refuse" and absent.any():
            self._refuse(rows_with(absent, lengths), name)
        return lengths, numbers

    # Features known by numbers.

    def _sparse_rows(self, indices: Any, values: Any) -> _core.Rows:
        lengths, numbers = self._lists(values, "values")
        places = indices.value_lengths().fill_null(0).to_numpy().astype(np.int64)
        if (lengths != places).any():
            raise Refused(
                lengths != places, "a row must have as many indices as values"
            )
        flat = indices.flatten()
        columns = as_numbers(flat)
        if columns.dtype.kind not in "iu":
            bad = ~(columns == np.floor(columns))
            if bad.any():  # null is NaN, which equals nothing
                raise Refused(
                    rows_with(bad, lengths), "an index must be a whole number"
                )
        outside = (columns < 0) | (columns >= _MOST_COLUMNS)
        if outside.any():
            raise Refused(
                rows_with(outside, lengths), "an index must be from 0 to 2**32 - 1"
            )
        columns = columns.astype(np.int64)
        absent = np.isnan(numbers)
        if absent.any():
            rows = np.repeat(np.arange(len(lengths)), lengths)[~absent]
            lengths = np.bincount(rows, minlength=len(lengths))
            columns, numbers = columns[~absent], numbers[~absent]
        offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
        np.cumsum(lengths, out=offsets[1:])
        width = int(columns.max(initial=0)) + 1
        return _core.csr(offsets, columns, np.ascontiguousarray(numbers), width=width)

    def _refuse(self, rows: NDArray[np.bool_], name: str) -> None:
        hint = Hint("missing", "leave out", "leaves it out")
        raise Refused(rows, f"column {name!r} must have no missing cell", hints=(hint,))


class _Pieces:
    """Entries of rows, column by column."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._cells: list[tuple[Any, Any, NDArray[np.bool_] | None]] = []
        self._lists: list[tuple[int, Any, Any, Any]] = []

    def add(self, ids: Any, values: Any, kept: NDArray[np.bool_] | None) -> None:
        """Add a column with at most one entry per row; values of None are 1."""
        self._cells.append((ids, values, kept))

    def add_many(self, rows: Any, ids: Any, values: Any) -> None:
        """Add the entries of a column that can have several in a row."""
        self._lists.append((len(self._cells), rows, ids, values))

    def rows(self, names: _core.NameTable) -> _core.Rows:
        """Return the rows, each with its entries in the order of the columns."""
        shape = self._size, len(self._cells)
        ids = np.empty(shape, dtype=np.uint32)
        values = np.ones(shape)
        whole = all(kept is None for _, _, kept in self._cells)
        keeps = None if whole else np.ones(shape, dtype=np.bool_)
        for at, (codes, numbers, kept) in enumerate(self._cells):
            ids[:, at] = codes
            if numbers is not None:
                values[:, at] = numbers
            if kept is not None and keeps is not None:
                keeps[:, at] = kept
        if self._lists:
            return self._with_lists(ids, values, keeps, names)
        if keeps is None:
            offsets = np.arange(0, ids.size + 1, max(1, shape[1]), dtype=np.uint64)
            return _core.words(offsets, ids.reshape(-1), values.reshape(-1), names)
        offsets = np.zeros(self._size + 1, dtype=np.uint64)
        np.cumsum(np.count_nonzero(keeps, axis=1), out=offsets[1:])
        return _core.words(offsets, ids[keeps], values[keeps], names)

    def _with_lists(
        self,
        ids: NDArray[np.uint32],
        values: NDArray[np.float64],
        keeps: NDArray[np.bool_] | None,
        names: _core.NameTable,
    ) -> _core.Rows:
        """Return the rows if there are lists between the columns."""
        parts: list[tuple[Any, Any, Any]] = []
        lists = iter([*self._lists, (-1, None, None, None)])
        after, *entries = next(lists)
        for at in range(len(self._cells) + 1):
            while after == at:
                rows, codes, numbers = entries
                parts.append(
                    (
                        rows,
                        np.broadcast_to(codes, rows.shape),
                        np.broadcast_to(numbers, rows.shape),
                    )
                )
                after, *entries = next(lists)
            if at < len(self._cells):
                kept = np.arange(self._size)
                if keeps is not None:
                    kept = np.flatnonzero(keeps[:, at])
                parts.append((kept, ids[kept, at], values[kept, at]))
        rows, codes, numbers = (
            np.concatenate([part[k] for part in parts]) for k in range(3)
        )
        order = np.argsort(rows, kind="stable")
        offsets = np.zeros(self._size + 1, dtype=np.uint64)
        np.cumsum(np.bincount(rows, minlength=self._size), out=offsets[1:])
        return _core.words(
            offsets,
            codes[order].astype(np.uint32),
            numbers[order].astype(np.float64),
            names,
        )


def _column(index: int, field: Any, given: str | None) -> _Column:
    kind, name = field.type, field.name
    written = str(kind)
    size = kind.list_size if written.startswith("fixed_size_list<") else 1
    fits: dict[Kind, bool] = {
        "number": is_number(kind) or (given == "number" and is_text(kind)),
        "category": is_text(kind)
        or (given == "category" and written.startswith(("int", "uint", "bool"))),
        "fixed": written.startswith("fixed_size_list<") and is_number(kind.value_type),
        "list": is_list(kind) and is_number(kind.value_type),
        "sparse": is_sparse(kind),
    }
    for each, does in fits.items():
        if does and given in (None, each):
            return _Column(index, name, each, size)
    must = {
        "number": "numbers or texts to be read as numbers",
        "category": "texts, whole numbers or truth values to be categories",
        None: "numbers, truth values, texts or lists of numbers",
    }[given]
    raise ParameterError(
        f"column {name!r} must contain {must}, got {kind}",
        owner="arrow",
        hints=[_CHOOSE],
    )


def _check_names(columns: list[_Column]) -> None:
    """Refuse names with which two columns could give the same feature."""
    names = sorted(column.name for column in columns)
    for column in columns:
        ends = ("=", "[") if column.kind in ("fixed", "list") else ("=",)
        for begin in (column.name + end for end in ends):
            # Names that begin so are next to each other, and this is the first.
            at = bisect_left(names, begin)
            if at < len(names) and names[at].startswith(begin):
                raise ParameterError(
                    "no column name may begin with another one and '=' or '[', "
                    f"got {names[at]!r} and {column.name!r}",
                    owner="arrow",
                )


def _width(columns: list[_Column]) -> int:
    """Return how many cells a row has, if those of lists are not too many."""
    fixed = sum(each.size for each in columns if each.kind == "fixed")
    if fixed > _MOST_PLACES:
        raise ParameterError(
            "lists of a fixed size must have at most 2**20 numbers in a row, got "
            f"{fixed}",
            owner="arrow",
            hints=[_CHOOSE],
        )
    return len(columns) + fixed


def _as_matrix(cells: Any, column: _Column) -> NDArray[Any]:
    if column.kind != "fixed":
        return as_numbers(cells)
    first = cells.offset * column.size
    # The cells of null rows exist, but mean nothing.
    flat = as_numbers(cells.values.slice(first, len(cells) * column.size))
    matrix = flat.reshape(len(cells), column.size)
    if cells.null_count:
        matrix = matrix.astype(np.float64)
        matrix[nulls_of(cells)] = np.nan
    return matrix
