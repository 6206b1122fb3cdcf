"""Arrow types and arrays, as NumPy has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "as_numbers",
    "as_texts",
    "codes_of",
    "encoded",
    "is_list",
    "is_number",
    "is_sparse",
    "is_text",
    "nulls_of",
    "prefixed",
    "rows_with",
    "without_text",
]

_FEW = 256  # so few texts of a dictionary need not be looked through
_SORTED = 64  # from so many texts per row on, sorting is faster


_NUMBERS = ("int", "uint", "float", "half", "double", "bool", "decimal", "null")
_TEXTS = ("string", "large_string", "string_view")


def is_number(kind: Any) -> bool:
    """Return whether a type is of numbers or truth values."""
    return str(kind).startswith(_NUMBERS)


def is_text(kind: Any) -> bool:
    """Return whether a type is of texts, or a dictionary."""
    return str(kind) in _TEXTS or str(kind).startswith("dictionary<")


def is_list(kind: Any) -> bool:
    """Return whether a type is of lists."""
    return str(kind).startswith(("list<", "large_list<"))


def is_sparse(kind: Any) -> bool:
    """Return whether a type is a pair of lists, `indices` and `values`."""
    if not str(kind).startswith("struct<") or kind.num_fields != 2:  # noqa: PLR2004 - a pair
        return False
    pair = kind.field(0), kind.field(1)
    return [each.name for each in pair] == ["indices", "values"] and all(
        is_list(each.type) and is_number(each.type.value_type) for each in pair
    )


# Arrays of Arrow as arrays of NumPy ---------------------------------------------------


def as_numbers(cells: Any) -> NDArray[Any]:
    """Return the numbers of a column, NaN where they are missing."""
    written = str(cells.type)
    if written.startswith("dictionary<"):
        cells = cells.dictionary_decode()
        written = str(cells.type)
    if written == "bool":
        cells = cells.cast("uint8")
    elif not written.startswith(("int", "uint", "float", "double")):
        if written == "string_view":
            cells = cells.cast("large_string")
        cells = cells.cast("double" if written != "halffloat" else "float")
    found: NDArray[Any] = cells.to_numpy(zero_copy_only=False)
    return found


def nulls_of(cells: Any) -> NDArray[np.bool_]:
    """Return which cells are null."""
    found: NDArray[np.bool_] = cells.is_null().to_numpy(zero_copy_only=False)
    return found


def rows_with(entries: NDArray[np.bool_], lengths: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which rows have one of these entries."""
    rows = np.repeat(np.arange(len(lengths)), lengths)[entries]
    found = np.zeros(len(lengths), dtype=np.bool_)
    found[rows] = True
    return found


def encoded(cells: Any) -> Any:
    """Return a column of categories as a dictionary of texts."""
    written = str(cells.type)
    if written.startswith("dictionary<"):
        texts = cells.dictionary
        if str(texts.type) in ("string", "large_string"):
            return cells
        return type(cells).from_arrays(cells.indices, texts.cast("large_string"))
    if written == "bool":
        from pyarrow import compute  # noqa: PLC0415 - optional

        cells = compute.if_else(cells, "True", "False")
    elif written not in ("string", "large_string"):
        cells = cells.cast("large_string")
    return cells.dictionary_encode()


def as_texts(cells: Any) -> tuple[NDArray[Any], Any]:
    """Return for each row the number of its text, and the texts, without nulls."""
    return codes_of(encoded(cells), None)


def codes_of(coded: Any, absent: NDArray[np.bool_] | None) -> tuple[NDArray[Any], Any]:
    """Return for each row the number of its text, and the texts that occur."""
    indices, texts = coded.indices, coded.dictionary
    if indices.null_count:
        indices = indices.fill_null(0)
    codes: NDArray[Any] = indices.to_numpy(zero_copy_only=False).astype(np.int64)
    if texts.null_count or len(texts) > _FEW:
        met = codes if absent is None else codes[~absent]
        found = _distinct(met, len(texts))
        places = np.zeros(len(texts), dtype=np.int64)
        places[found] = np.arange(len(found))
        codes, texts = places[codes], texts.take(_array(found))
    return codes, texts


def without_text(coded: Any) -> NDArray[np.bool_]:
    """Return which rows of a dictionary have no text: no code, or that of a null."""
    absent = nulls_of(coded.indices)
    if coded.dictionary.null_count:
        codes = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)
        absent |= nulls_of(coded.dictionary)[codes]
    return absent


def _distinct(codes: NDArray[Any], bound: int) -> NDArray[Any]:
    """Return the different codes below a bound, in order."""
    if bound > _SORTED * len(codes):
        return np.unique(codes)
    met = np.zeros(bound, dtype=np.bool_)
    met[codes] = True
    return np.flatnonzero(met)


def _array(numbers: NDArray[Any]) -> Any:
    from pyarrow import array  # noqa: PLC0415 - optional

    return array(numbers)


def prefixed(prefix: str, texts: Any) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return the bytes of texts with a prefix end to end, and where each begins."""
    from pyarrow import compute, scalar  # noqa: PLC0415 - optional

    kind = texts.type
    joined = compute.binary_join_element_wise(
        scalar(prefix, kind), texts, scalar("", kind)
    )
    _, ends, text = joined.buffers()
    form = np.int64 if str(kind) == "large_string" else np.int32
    first, last = joined.offset, joined.offset + len(joined) + 1
    if not len(joined):
        return np.empty(0, dtype=np.uint8), np.zeros(1, dtype=form)
    offsets = np.frombuffer(ends, dtype=form)[first:last]
    return np.frombuffer(text or b"", dtype=np.uint8), offsets
