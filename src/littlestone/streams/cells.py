"""CSV whose cells are texts: one example a record, a category in each column."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import LineError, ParameterError
from littlestone.outcome import Outcome
from littlestone.streams._base import Block, Mappings
from littlestone.streams._joined import each_file
from littlestone.streams._tables import Layout, MakeBlock, TableStream, Where

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Sequence

    from littlestone.streams._records import Record

__all__ = ["cells"]

_LABELS_SHOWN = 8


@each_file
def cells(
    path: str | os.PathLike[str],
    *,
    label: str | int,
    positive: str | int | Collection[str | int],
    negative: str | int | Collection[str | int] | None = None,
    columns: str | int | Sequence[str | int] | None = None,
    delimiter: str = ",",
    on_error: Literal["raise", "skip"] = "raise",
) -> CellsStream:
    r"""Stream the cells of a CSV file as texts: one example a record.

    An example is a mapping from column to text, and `streams.onehot` makes literals of
    it. Texts are taken as they are written, spaces included. A cell may stand in
    quotation marks, and a record so reach over several lines; the text must be UTF-8
    without NUL. Blank lines are passed over.

    Plain, gzip and zstd files are told apart by their content. However long the file,
    memory holds a few thousand records.

    Parameters
    ----------
    path
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names.
    label
        The column of the label: its name, and then the first record is a header, or its
        number from 0, and then there is none and columns are known by number.
    positive, negative
        The labels that mean yes and those that mean no: one or several, each a text or
        a whole number. Without `negative` every other text means no, but not the empty
        one: a label is never missing.
    columns
        The columns to keep, by name or number; all but the label if not given.
    delimiter
        The character between cells.
    on_error
        What to do with a record that cannot be read: `"raise"`, or `"skip"` it and
        count it in `skipped`. After quotation marks that do not match, reading goes on
        at the next line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mushrooms.csv"
    >>> _ = path.write_text("class,odor,bruises\np,foul,no\ne,none,yes\n")
    >>> list(streams.cells(path, label="class", positive="p", negative="e"))
    [({'odor': 'foul', 'bruises': 'no'}, True), ({'odor': 'none', 'bruises': 'yes'}, False)]
    """  # noqa: E501 - what is printed is one line
    return CellsStream(
        path,
        label=label,
        positive=positive,
        negative=negative,
        columns=columns,
        delimiter=delimiter,
        on_error=on_error,
    )


class CellsStream(TableStream):
    """The cells of a CSV file as texts; made by `streams.cells`.

    Attributes
    ----------
    skipped
        How many records the latest reading could not read and left out.
    """

    of_mappings = True
    outcome = Outcome.LABEL
    _owner, _others = "cells", "columns"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        positive: str | int | Collection[str | int],
        negative: str | int | Collection[str | int] | None,
        delimiter: str,
        **shared: Any,
    ) -> None:
        if (
            not isinstance(delimiter, str)
            or len(delimiter) != 1
            or delimiter in '"\r\n\0'
        ):
            raise ParameterError(
                "cells: delimiter must be one character that is no quotation mark and "
                f"no line end, got {delimiter!r}"
            )
        super().__init__(path, delimiter=delimiter, **shared)
        self._meaning = dict.fromkeys(_texts("positive", positive), True)
        self._closed = negative is not None
        if negative is not None:
            for text in _texts("negative", negative):
                if self._meaning.setdefault(text, False):
                    raise ParameterError(
                        "cells: a label must mean either yes or no, got "
                        f"{text!r} for both"
                    )

    def _begin(self) -> MakeBlock:
        return self._block

    def _block(
        self, records: list[Record], layout: Layout, done: float | None
    ) -> tuple[Block | None, LineError | None]:
        rows: list[Any] = []
        labels: list[bool] = []
        lines: list[int] = []
        error: LineError | None = None
        names = [layout.name(column) for column in layout.columns]
        # With the label, so that what is taken is a tuple even of one column.
        take = itemgetter(*layout.columns, layout.label)
        for record in records:
            written = record.cells[layout.label]
            label = self._meaning.get(written)
            if label is None:
                if self._closed or not written:
                    if not self._skips:
                        error = self._bad_label(record, layout)
                        break
                    self.skipped += 1
                    continue
                label = False
            rows.append(dict(zip(names, take(record.cells), strict=False)))
            labels.append(label)
            lines.append(record.line)
        if not rows:
            return None, error
        where = Where(self._source.name, lines)
        block = Block(Mappings(rows), np.array(labels), 0, len(rows), where, done)
        return block, error

    def _bad_label(self, record: Record, layout: Layout) -> LineError:
        column = layout.label
        must = "must not be empty"
        if self._closed:
            known = [repr(text) for text in self._meaning]
            more = ", …" if len(known) > _LABELS_SHOWN else ""
            must = f"must be one of {', '.join(known[:_LABELS_SHOWN])}{more}"
        what = f"label {layout.name(column)!r} {must}"
        return self._cell_error(what, "", record, column, layout)


def _texts(name: str, given: object) -> list[str]:
    """Return labels as they are written."""
    listed = [given] if isinstance(given, (str, int, bytes)) else given
    try:
        texts = [_text(label) for label in listed]  # type: ignore[attr-defined]  # tried
    except TypeError:
        texts = []
    if not texts or len(set(texts)) < len(texts):
        raise ParameterError(
            f"cells: {name} must be one or more texts or whole numbers, each once, "
            f"got {given!r}"
        )
    return texts


def _text(label: object) -> str:
    if isinstance(label, str):
        return label
    if isinstance(label, int) and not isinstance(label, bool):
        return str(label)
    raise TypeError
