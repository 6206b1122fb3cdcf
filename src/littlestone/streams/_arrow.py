"""Parquet files, Arrow files and tables in memory, through PyArrow."""

from __future__ import annotations

import os
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import (
    EmptyStreamError,
    LineError,
    MissingPackageError,
    ParameterError,
    StreamError,
)
from littlestone.learner import with_weights
from littlestone.streams._arrow_columns import Plan, Refused, Wanted
from littlestone.streams._arrow_labels import ArrowLabels
from littlestone.streams._base import Block, examples
from littlestone.streams._formats import is_arrow, is_arrow_file, is_parquet
from littlestone.streams._hashing import Hashing, HashingStream
from littlestone.streams._joined import read_each
from littlestone.streams._options import one_of
from littlestone.streams._source import Source

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path as FilePath
    from pathlib import PurePath

    from numpy.typing import NDArray

    from littlestone.learner.rows import Example
    from littlestone.outcome import Outcome
    from littlestone.streams._joined import Paths

__all__ = ["arrow"]

_ROWS_A_BATCH = 1 << 16
_AHEAD = 2  # batches that are decoded ahead


def arrow(
    source: Paths | Any,
    *,
    label: str,
    positive: str | float | Collection[str | float] | None = None,
    negative: str | float | Collection[str | float] | None = None,
    outcome: Outcome | Literal["label", "class", "number"] = "label",
    unlabelled: Literal["refuse", "skip", "keep"] = "refuse",
    weight: str | None = None,
    columns: str | Sequence[str] | None = None,
    types: Mapping[str, Literal["number", "category"]] | None = None,
    indices: str | None = None,
    values: str | None = None,
    missing: Literal["leave out", "refuse", "literal"] = "leave out",
    hash_bits: int | None = None,
    on_error: Literal["raise", "skip"] = "raise",
) -> ArrowStream:
    """Stream the rows of a Parquet or Arrow file, or of a table in memory.

    What a column gives depends on its type:

    - numbers and truth values: the feature `name`, whose value is the number, if that
      is not 0;
    - texts and dictionaries: the feature `name=text` with the value 1;
    - lists of numbers: the features `name[0]`, `name[1]` and so on;
    - a struct of two lists, `indices` and `values`: features known by their numbers.
      There must be no other features then.

    Features come in the order of the columns. Record batches are decoded ahead on other
    threads, and no row becomes a Python object. Needs PyArrow:
    `pip install 'littlestone[arrow]'`.

    Parameters
    ----------
    source
        A Parquet, Arrow IPC or Feather file, or a folder of them; several paths, or a
        pattern; or a PyArrow table, reader or data set, a polars or pandas frame, or
        anything else with `__arrow_c_stream__`. "-" reads an Arrow stream from standard
        input.
    label
        The column of the label.
    positive, negative
        The labels that mean yes and those that mean no, one or several. By default, 1
        or True means yes and 0, -1 or False means no. If only `positive` is given,
        every other label means no.
    outcome
        `"label"` for yes and no; `"class"` to keep labels as they are; `"number"` for
        labels that are finite numbers.
    unlabelled
        What to do with a row whose label is null: `"refuse"` it, `"skip"` it and count
        it in `left_out`, or `"keep"` it with the label None, so that `run(learn=False)`
        predicts it. With `"keep"` the column of the label may be missing.
    weight
        A column of numbers that multiply the losses of rounds, for learners that follow
        the slope of a loss: labels are `Weighted` then. A row of weight 0 is not an
        example, and is counted in `left_out`.
    columns
        The columns to read; by default all but the label and the weight.
    types
        How to read columns, `"number"` or `"category"`, if not by their own type:
        `{"zip": "category"}` gives `zip=94110`.
    indices, values
        Two columns of lists that contain the features of a row: their numbers and
        their values.
    missing
        What to do with null and NaN: `"leave out"` the feature, `"refuse"` the row, or
        make it the `"literal"` feature `name=?`.
    hash_bits
        Hash the features into `2**hash_bits` columns, as `streams.hashed` does.
    on_error
        What to do with a row that cannot be read: `"raise"`, or `"skip"` it and count
        it in `skipped`.

    Examples
    --------
    >>> import pyarrow
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> table = pyarrow.table(
    ...     {
    ...         "rooms": [2.0, 3.5, None],
    ...         "city": ["Ghent", "Bruges", "Ghent"],
    ...         "let": [True, False, True],
    ...     }
    ... )
    >>> stream = streams.arrow(table, label="let")
    >>> for example in stream:
    ...     print(example)
    ({'rooms': 2.0, 'city=Ghent': 1.0}, True)
    ({'rooms': 3.5, 'city=Bruges': 1.0}, False)
    ({'city=Ghent': 1.0}, True)
    >>> run(Perceptron(), stream).mistakes
    1
    """
    options: dict[str, Any] = {
        "label": label,
        "positive": positive,
        "negative": negative,
        "outcome": outcome,
        "unlabelled": unlabelled,
        "weight": weight,
        "columns": columns,
        "types": types,
        "indices": indices,
        "values": values,
        "missing": missing,
        "hash_bits": hash_bits,
        "on_error": on_error,
    }
    if isinstance(source, (list, tuple, str, os.PathLike)):
        return read_each(ArrowStream, source, **options)  # type: ignore[return-value]  # or several, joined
    return ArrowStream(source, **options)


class ArrowStream(HashingStream):
    """The rows of Parquet, Arrow or a table in memory; made by `streams.arrow`.

    Attributes
    ----------
    skipped
        How many rows the latest reading could not read and skipped.
    left_out
        How many rows it left out because they have no label or the weight 0.
    """

    def __init__(
        self,
        source: Any,
        *,
        positive: Any,
        negative: Any,
        outcome: str,
        hash_bits: int | None,
        on_error: str,
        **wanted: Any,
    ) -> None:
        one_of("arrow", "on_error", on_error, ("raise", "skip"))
        asked = {
            **wanted,
            "positive": positive,
            "negative": negative,
            "outcome": outcome,
            "hash_bits": hash_bits,
            "on_error": on_error,
        }
        self._wanted = Wanted(**wanted)
        self._make_labels = ArrowLabels(self._wanted.label, positive, negative, outcome)
        self.outcome = self._make_labels.outcome
        self._hashing = None if hash_bits is None else Hashing("arrow", hash_bits)
        self._skips = on_error == "skip"
        self._opened = _as_opened(source)
        self.skipped = self.left_out = 0
        self._plan: Plan | None = None
        self._made_by = "arrow", asked

    def __repr__(self) -> str:
        return f"arrow({self._opened.name!r})"

    @property
    def _source(self) -> Source | None:
        """The file or the folder, if it is not in memory."""
        return self._opened.source if isinstance(self._opened, _Files) else None

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once; a pipe or a reader cannot."""
        return self._opened.repeatable

    @property
    def extent(self) -> int | None:
        """The size of the file in bytes, if it is one."""
        return self._opened.extent

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, as mappings from feature to value."""
        for x, y in examples(self.blocks()):
            yield {feature: value for feature, value in x.items() if value}, y  # type: ignore[union-attr]  # a row of ours

    def _blocks(self) -> Iterator[Block]:
        """Yield the rows in blocks, decoding ahead on another thread."""
        self.skipped = self.left_out = 0
        read = total = 0
        labels = self._make_labels.begin()
        with self._opened.explained(), self._opened.open(self._wanted) as reading:
            self._plan = plan = Plan(reading.schema, self._wanted)
            for batch, done in reading.batches:
                for first in range(0, batch.num_rows, plan.most):
                    part = batch.slice(first, plan.most)
                    end = (first + part.num_rows) / batch.num_rows
                    made, error = self._made(part, plan, labels, read)
                    if made is not None:
                        rows, found, where = made
                        others = labels.others
                        self._no = next(iter(others)) if len(others) == 1 else None
                        total += len(found)
                        share = None if done is None else done(end)
                        yield Block(rows, found, 0, len(found), where, share)
                    if error is not None:
                        raise error
                    read += part.num_rows
        if total == 0:
            raise EmptyStreamError(
                "a stream must hold at least one example, got none"
                + (f" ({self.skipped} rows skipped)" if self.skipped else ""),
                where=self._opened.name,
            )

    def _found(self) -> dict[str, Any]:
        if self._plan is None or not self._plan.kinds:
            return {}
        kinds = self._plan.kinds
        known = {
            name: kind for name, kind in kinds.items() if kind in ("number", "category")
        }
        return {"columns": list(kinds), "types": known}

    def _made(
        self, part: Any, plan: Plan, labels: Any, before: int
    ) -> tuple[tuple[Any, NDArray[Any], _Where] | None, LineError | None]:
        """Return the rows and labels before the first refused one, and its error."""
        error: LineError | None = None
        numbers: NDArray[np.int64] = np.arange(before, before + part.num_rows)
        keeps = self._wanted.unlabelled == "keep"
        if self._wanted.unlabelled == "skip" and part.column(plan.label).null_count:
            labelled = part.column(plan.label).is_valid()
            numbers = numbers[labelled.to_numpy(zero_copy_only=False)]
            self.left_out += part.num_rows - len(numbers)
            part = part.filter(labelled)
        while part.num_rows:
            try:
                weights = plan.weights(part)
                if weights is not None and not weights.all():  # no examples
                    counts = weights > 0
                    self.left_out += int(np.count_nonzero(~counts))
                    part, numbers = part.filter(_mask(counts)), numbers[counts]
                    continue
                rows = plan.rows(part)
                found: NDArray[Any] = (
                    np.full(part.num_rows, None, dtype=object)
                    if plan.label is None
                    else labels(part.column(plan.label), keep=keeps)
                )
            except Refused as refused:
                if self._skips and refused.skippable:
                    kept = ~refused.rows
                    self.skipped += int(np.count_nonzero(refused.rows))
                    part, numbers = part.filter(_mask(kept)), numbers[kept]
                else:
                    first = int(refused.rows.argmax())
                    error = self._error(refused, first, int(numbers[first]))
                    part, numbers = part.slice(0, first), numbers[:first]
            else:
                if weights is not None:
                    found = with_weights(found, weights)
                return (rows, found, _Where(self._opened.name, numbers)), error
        return None, error

    def _error(self, refused: Refused, at: int, row: int) -> LineError:
        name = self._opened.name
        where, hints = _Where.of(name, row), refused.hints
        error = LineError(refused.what(at), where=where, hints=hints)
        error.path, error.line = name, row
        return error


class _Where:
    """Names a row by its table and number."""

    def __init__(self, name: str, numbers: NDArray[np.int64]) -> None:
        self._name, self._numbers = name, numbers

    def __call__(self, row: int) -> str:
        return self.of(self._name, int(self._numbers[row]))

    @staticmethod
    def of(name: str, row: int) -> str:
        return f"{name}, row {row}"


def _mask(kept: NDArray[np.bool_]) -> Any:
    return pyarrow().array(kept)


def pyarrow() -> Any:
    """Return PyArrow, or say how to install it."""
    try:
        import pyarrow as pa  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingPackageError(
            "Parquet and Arrow need the pyarrow package: "
            "pip install 'littlestone[arrow]'"
        ) from None
    return pa


# Where batches come from --------------------------------------------------------------


class _Reading:
    """Batches with their schema; each has a function that returns the share read."""

    def __init__(self, schema: Any, batches: Iterable[tuple[Any, Any]]) -> None:
        self.schema, self.batches = schema, batches


class _Memory:
    """A table, a reader or anything else that provides Arrow batches."""

    extent: int | None = None

    def __init__(self, source: Any) -> None:
        self._source = source
        self.name = type(source).__name__
        # A reader can be read only once.
        self.repeatable = not hasattr(source, "read_next_batch")

    @contextmanager
    def explained(self) -> Iterator[None]:
        try:
            yield
        except (pyarrow().ArrowException, UnicodeDecodeError) as error:
            raise StreamError(
                f"the table is damaged: {error}", where=self.name
            ) from error

    @contextmanager
    def open(self, wanted: Wanted) -> Iterator[_Reading]:
        pa, source = pyarrow(), self._source
        if isinstance(source, pa.RecordBatch):
            source = pa.Table.from_batches([source])
        if hasattr(source, "scanner"):  # a data set
            yield _of_dataset(source, wanted)
            return
        if isinstance(source, pa.Table):
            kept = wanted.kept(source.schema)
            table = source if kept is None else source.select(kept)
            batches = _checked(table.to_batches())
            yield _Reading(table.schema, _shared(batches, table.num_rows, known=True))
            return
        reader = source
        if not hasattr(source, "read_next_batch"):
            reader = pa.RecordBatchReader.from_stream(source)
        yield _Reading(reader.schema, _shared(_checked(reader), 0, known=False))


class _Files:
    """A file or a folder."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.source = Source(path)
        self.name = self.source.name
        self._is_folder = self.source.path.is_dir() and not self.source.is_stdin

    @property
    def repeatable(self) -> bool:
        return self._is_folder or self.source.repeatable

    @property
    def extent(self) -> int | None:
        if self._is_folder:
            files = (each for each in self.source.path.rglob("*") if each.is_file())
            return sum(each.stat().st_size for each in files)
        return self.source.size

    @contextmanager
    def explained(self) -> Iterator[None]:
        try:
            with self.source.explained():
                yield
        except (pyarrow().ArrowException, UnicodeDecodeError) as error:
            raise StreamError(
                f"the file is damaged: {error}", where=self.name
            ) from error

    @contextmanager
    def open(self, wanted: Wanted) -> Iterator[_Reading]:
        pa = pyarrow()
        if self._is_folder:
            yield _of_dataset(_folder(self.source.path), wanted)
            return
        if self.source.is_stdin:
            reader = pa.ipc.open_stream(sys.stdin.buffer)
            yield _Reading(reader.schema, _shared(_checked(reader), 0, known=False))
            return
        with self.source.path.open("rb") as file:
            head = file.read(8)
        if is_parquet(head):
            with self._parquet(wanted) as reading:
                yield reading
        elif is_arrow(head):
            # A mapped file that becomes shorter would end the process.
            with (
                pa.OSFile(str(self.source.path)) as file,
                _of_ipc(file, head) as reading,
            ):
                yield reading
        else:
            raise StreamError(
                f"the file must be Parquet or Arrow, got one that starts with {head!r}",
                where=self.name,
            )

    @contextmanager
    def _parquet(self, wanted: Wanted) -> Iterator[_Reading]:
        from pyarrow import parquet  # noqa: PLC0415 - optional

        path = str(self.source.path)
        schema = parquet.read_schema(path)
        kept = wanted.kept(schema)
        # Keep texts as the dictionaries that they are in the file.
        texts = [each.name for each in schema if wanted.is_text(each)]
        with (
            parquet.ParquetFile(path, read_dictionary=texts, pre_buffer=True) as file,
            _ahead(
                _checked(file.iter_batches(batch_size=_ROWS_A_BATCH, columns=kept))
            ) as batches,
        ):
            rows = file.metadata.num_rows
            shown = file.schema_arrow
            if kept is not None:
                shown = pyarrow().schema([shown.field(name) for name in kept])
            yield _Reading(shown, _shared(batches, rows, known=True))


def _as_opened(source: Any) -> _Files | _Memory:
    if isinstance(source, (str, os.PathLike)):
        return _Files(source)
    if hasattr(source, "__arrow_c_stream__") or hasattr(source, "scanner"):
        return _Memory(source)
    raise ParameterError(
        "source must be a path or hold Arrow data, as tables and frames with "
        f"__arrow_c_stream__ do, got {type(source).__name__}",
        owner="arrow",
    )


def tables_in(path: FilePath) -> list[FilePath]:
    """Return the files of a folder, in order."""
    return sorted(each for each in path.rglob("*") if each.is_file() and is_table(each))


def is_table(path: PurePath) -> bool:
    """Return whether a file of a folder is data, not what writers say about them."""
    return not path.name.startswith((".", "_"))


def _folder(path: FilePath) -> Any:
    """Return the data set of a folder, whose first file decides the format."""
    from pyarrow import dataset  # noqa: PLC0415 - optional

    files = tables_in(path)
    form = "parquet"
    if files:
        with files[0].open("rb") as file:
            form = "parquet" if is_parquet(file.read(4)) else "ipc"
    return dataset.dataset([str(each) for each in files], format=form)


def _of_dataset(dataset: Any, wanted: Wanted) -> _Reading:
    kept = wanted.kept(dataset.schema)
    scanner = dataset.scanner(columns=kept, batch_size=_ROWS_A_BATCH)
    rows = dataset.count_rows()
    return _Reading(
        scanner.projected_schema,
        _shared(_checked(scanner.to_batches()), rows, known=True),
    )


@contextmanager
def _of_ipc(opened: Any, head: bytes) -> Iterator[_Reading]:
    ipc = pyarrow().ipc
    if not is_arrow_file(head):
        reader = ipc.open_stream(opened)
        with _ahead(_checked(reader)) as batches:
            yield _Reading(reader.schema, _shared(batches, 0, known=False))
        return
    file = ipc.open_file(opened)
    count = file.num_record_batches
    with _ahead(_checked(map(file.get_batch, range(count)))) as batches:
        shared = ((batch, _Share(k, 1, count)) for k, batch in enumerate(batches))
        yield _Reading(file.schema, shared)


def _checked(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield batches; damaged ones would have places outside their buffers."""
    for batch in batches:
        batch.validate(full=True)
        yield batch


class _Share:
    """Returns the share that has been read, given the share of the current batch."""

    def __init__(self, before: int, size: int, total: int) -> None:
        self._before, self._size, self._total = before, size, total

    def __call__(self, part: float) -> float:
        return min(1.0, (self._before + part * self._size) / self._total)


def _shared(
    batches: Iterable[Any], rows: int, *, known: bool
) -> Iterator[tuple[Any, Any]]:
    """Yield batches, each with its share if the number of rows is known."""
    before = 0
    for batch in batches:
        yield batch, _Share(before, batch.num_rows, rows) if known and rows else None
        before += batch.num_rows


@contextmanager
def _ahead(batches: Iterator[Any]) -> Iterator[Iterator[Any]]:
    """Let another thread read from an iterator, a little ahead."""
    with ThreadPoolExecutor(1, "littlestone-arrow") as pool:

        def taken() -> Iterator[Any]:
            waiting = deque(pool.submit(next, batches, None) for _ in range(_AHEAD))
            while (batch := waiting.popleft().result()) is not None:
                waiting.append(pool.submit(next, batches, None))
                yield batch

        try:
            yield taken()
        finally:
            pool.shutdown(cancel_futures=True)
