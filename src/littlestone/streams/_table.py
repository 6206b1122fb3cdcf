"""Streams of data frames and tables in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from littlestone.errors import LineError, ParameterError
from littlestone.streams._arrow import ArrowStream, pyarrow
from littlestone.streams._frames import check_label, is_frame

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from littlestone.outcome import Outcome
    from littlestone.streams._base import Block

__all__ = ["table"]

_SHOWN = 200


def table(
    frame: Any,
    y: Any = None,
    *,
    label: str | int | None = None,
    positive: str | float | Collection[str | float] | None = None,
    negative: str | float | Collection[str | float] | None = None,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    weight: str | None = None,
    columns: str | Sequence[str] | None = None,
    types: Mapping[str, Literal["number", "category"]] | None = None,
    missing: Literal["leave out", "refuse", "literal"] = "leave out",
    hash_bits: int | None = None,
) -> FrameStream:
    """Stream the rows of a data frame: of pandas, of polars, or an Arrow table.

    Numbers and truth values give the feature `name`, texts and categories the feature
    `name=text`, as in `streams.arrow`, which also lists other types of columns. The
    index of a pandas frame is not a feature. Needs PyArrow:
    `pip install 'littlestone[arrow]'`.

    Parameters
    ----------
    frame
        A pandas or polars frame, an Arrow table or record batch, or anything else with
        `__arrow_c_stream__`.
    y
        One label per row, if they are not in a column of the frame.
    label
        The column of the labels, if they are.
    positive, negative, outcome, unlabelled, weight, columns, types, missing, hash_bits
        As in `streams.arrow`.

    Examples
    --------
    >>> import pandas
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> flats = pandas.DataFrame(
    ...     {"rooms": [2.0, 3.5], "city": ["Ghent", "Bruges"], "let": ["yes", "no"]}
    ... )
    >>> stream = streams.table(flats, label="let", positive="yes")
    >>> list(stream)
    [({'rooms': 2.0, 'city=Ghent': 1.0}, True), ({'rooms': 3.5, 'city=Bruges': 1.0}, False)]
    >>> run(Perceptron(), stream).mistakes
    1
    """  # noqa: E501 - what is printed
    name = type(frame).__name__
    if not is_frame(frame):
        raise ParameterError(
            "frame must be a pandas or polars frame, or an Arrow table, got " + name,
            owner="table",
        )
    if (y is None) == (label is None):
        got = "neither" if y is None else "both"
        raise ParameterError(
            f"label, a column of the {name}, or y must be given, got {got}",
            owner="table",
        )
    held = _as_arrow(frame)
    if label is not None and unlabelled != "keep":
        check_label("table", frame, label)
    if y is not None:
        held, label = _with_labels(held, y)
    with_options: dict[str, Any] = {
        "label": str(label),
        "positive": positive,
        "negative": negative,
        "outcome": outcome,
        "unlabelled": unlabelled,
        "weight": weight,
        "columns": columns,
        "types": types,
        "indices": None,
        "values": None,
        "missing": missing,
        "hash_bits": hash_bits,
        "on_error": "raise",
    }
    try:
        return FrameStream(held, name, **with_options)
    except ParameterError as error:
        raise _owned(error, name) from None


class FrameStream(ArrowStream):
    """The rows of a data frame; made by `streams.table`.

    Attributes
    ----------
    owner
        The function that was called with the frame, in whose name errors are raised.
    """

    owner = "table"

    def __init__(self, held: Any, name: str, **options: Any) -> None:
        super().__init__(held, **options)
        self._opened.name = name
        self._rows: int = held.num_rows

    def __len__(self) -> int:
        return self._rows

    def __repr__(self) -> str:
        return f"table({self._opened.name} of {len(self)} rows)"

    def _blocks(self) -> Iterator[Block]:
        try:
            yield from super()._blocks()
        except (LineError, ParameterError) as error:
            if isinstance(error, ParameterError):
                _owned(error, self._opened.name, self.owner)
            if self.owner != "table":  # of whose arguments the others have one
                error.hints = tuple(h for h in error.hints if h.argument == "positive")
            raise


def _as_arrow(frame: Any) -> Any:
    pa = pyarrow()
    if hasattr(frame, "iloc"):
        # Without the index, which would be a feature.
        try:
            return pa.Table.from_pandas(frame, preserve_index=False)
        except (pa.ArrowException, NotImplementedError, TypeError, ValueError) as error:
            raise _unreadable(frame, error) from None
    if isinstance(frame, pa.Table):
        return frame
    return pa.table(frame)


def _unreadable(frame: Any, error: Exception) -> ParameterError:
    """Return the error for a pandas frame that is not a table, with the column."""
    pa, name = pyarrow(), type(frame).__name__
    names = list(frame.columns)
    twice = next((each for each in names if names.count(each) > 1), None)
    if twice is not None:
        what = f"each column must have a name of its own, got {twice!r} twice"
        return ParameterError(what, owner="table", where=name)
    for place, column in enumerate(names):
        cells = frame.iloc[:, place]
        try:
            pa.array(cells, from_pandas=True)
        except (pa.ArrowException, NotImplementedError, TypeError, ValueError):
            kinds = sorted({type(cell).__name__ for cell in cells})
            return ParameterError(
                f"column {column!r} must contain numbers, truth values or texts, all "
                f"of one kind, got {cells.dtype} of {' and '.join(kinds)[:_SHOWN]}",
                owner="table",
                where=name,
            )
    return ParameterError(str(error), owner="table", where=name)


def _with_labels(held: Any, y: Any) -> tuple[Any, str]:
    """Return the table with the labels as a column of their own, and its name."""
    pa = pyarrow()
    streams = hasattr(y, "__arrow_c_stream__")
    try:
        labels = pa.chunked_array(y) if streams else pa.array(y, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise ParameterError(
            f"y must be labels of one kind, one per row, got {type(y).__name__}: "
            f"{error}",
            owner="table",
        ) from None
    if len(labels) != held.num_rows:
        raise ParameterError(
            f"y must hold one label for each of {held.num_rows} rows, got "
            f"{len(labels)}",
            owner="table",
        )
    name = "y"
    while name in held.column_names:
        name += "_"
    return held.append_column(name, labels), name


def _owned(error: ParameterError, name: str, owner: str = "table") -> ParameterError:
    """Return an error of the Arrow reader as one of the function that was called."""
    if error.owner == "arrow":
        error.owner, error.where = owner, error.where or name
    return error
