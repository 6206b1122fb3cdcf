"""What data frames have in common: those of pandas and polars, and Arrow tables."""

from __future__ import annotations

from typing import Any

from littlestone.errors import ParameterError, did_you_mean

__all__ = ["check_label", "columns_in_words", "columns_of", "is_frame", "split"]

_SHOWN = 20


def is_frame(given: Any) -> bool:
    """Return whether something is a data frame or a table.

    Examples
    --------
    >>> import pandas
    >>> from littlestone.streams._frames import is_frame
    >>> is_frame(pandas.DataFrame()), is_frame([{"a": 1}])
    (True, False)
    """
    framed = hasattr(given, "columns") and hasattr(given, "to_numpy")
    return framed or (hasattr(given, "__arrow_c_stream__") and hasattr(given, "schema"))


def columns_of(frame: Any) -> list[Any]:
    """Return the names of the columns of a frame or table."""
    arrow = hasattr(frame, "column_names")
    if arrow or hasattr(frame, "columns"):
        return list(frame.column_names if arrow else frame.columns)
    return list(frame.schema.names)


def columns_in_words(frame: Any) -> str:
    """Return the names of the columns, of many the first.

    Examples
    --------
    >>> import pandas
    >>> from littlestone.streams._frames import columns_in_words
    >>> columns_in_words(pandas.DataFrame({"a": [1], "b": [2]}))
    "'a', 'b'"
    """
    names = columns_of(frame)
    more = len(names) - _SHOWN
    shown = ", ".join(map(repr, names[:_SHOWN])) or "none"
    return f"{shown} and {more} more" if more > 0 else shown


def check_label(owner: str, frame: Any, label: Any) -> None:
    """Refuse a label that is not a column of the frame."""
    names = columns_of(frame)
    if names.count(label) == 1:
        return
    shown = columns_in_words(frame)
    raise ParameterError(
        f"label must be a column of the {type(frame).__name__}, which has {shown}, "
        f"got {label!r}" + did_you_mean(label, set(names) - {label}),
        owner=owner,
    )


def split(frame: Any, label: Any) -> tuple[Any, Any]:
    """Return a frame without a column, and that column."""
    if hasattr(frame, "iloc"):
        return frame.drop(columns=[label]), frame[label]
    if hasattr(frame, "to_pylist"):  # Arrow has no frames with rows
        rest = frame.drop_columns([label])
        return rest.to_pylist(), frame.column(label).to_pylist()
    return frame.drop(label), frame[label]
