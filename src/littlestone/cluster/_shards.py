"""Shards: the parts of the data that are played in order, each by one worker.

They are fixed by the data and `shards=`, never by how many workers there are.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from littlestone.errors import MissingFileError, ParameterError, StreamError
from littlestone.outcome import Outcome
from littlestone.running.inputs import Needs, as_stream
from littlestone.streams import Stream
from littlestone.streams._arrow import is_table, tables_in
from littlestone.streams._formats import HEAD, Format
from littlestone.streams._frames import is_frame
from littlestone.streams._hashed import HashedStream
from littlestone.streams._joined import JoinedStream, expanded
from littlestone.streams._open import check, format_of, named
from littlestone.streams._source import (
    Part,
    Source,
    file_system,
    is_remote,
    open_any,
    size_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from littlestone.learner import Learner

__all__ = [
    "FileShard",
    "MemoryShard",
    "Shard",
    "cut_finer",
    "is_paths",
    "joined_shards",
    "meaning_of",
    "shards_of",
]

# Formats whose files can be cut at the end of any line.
_OF_LINES = (Format.SVMLIGHT, Format.VW, Format.JSONL)
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
_PARTS_OF_MEMORY = 8
_FEW = 5_000  # examples that are worth a shard: see docs/explanation/cluster-costs.md
_LARGE = 1 << 28  # bytes of a file that is cut unasked


class Shard(Protocol):
    """A part of the data, which any worker can open."""

    @property
    def name(self) -> str:
        """What messages and dashboards call it."""

    def open(self, learner: Learner) -> Any:
        """Return its examples as a stream that the learner can play."""


@dataclass(frozen=True)
class FileShard:
    """A file, or some of its lines; read where it is opened.

    Attributes
    ----------
    path
        A path that all workers can read, or an address that fsspec opens.
    reader, options
        The function of `littlestone.streams` that reads it, and its options.
    begin, end
        Which of its bytes belong to the shard.
    folder
        Where a path begins that is not absolute; by default where a worker runs.
    """

    path: str
    reader: str
    options: Mapping[str, Any] = field(default_factory=dict)
    begin: int = 0
    end: int | None = None
    folder: str = ""

    @property
    def name(self) -> str:
        """The path, and which bytes of it."""
        return os.fspath(Part(self.path, self.begin, self.end))

    def open(self, learner: Learner) -> Stream:  # noqa: ARG002 - the options say enough
        """Return its examples as a stream."""
        from littlestone import streams  # noqa: PLC0415 - on the worker

        remote = is_remote(self.path)
        path = self.path if remote else os.path.join(self.folder, self.path)  # noqa: PTH118 - of text
        source: Any = path
        if remote or self.begin or self.end is not None:
            source = Part(path, self.begin, self.end)
            if self.reader == "arrow":
                source = _arrow_table(path)
        opened: Stream = getattr(streams, self.reader)(source, **self.options)
        return opened


@dataclass(frozen=True)
class MemoryShard:
    """Rows, a frame or examples in memory, which travel to the worker once.

    Attributes
    ----------
    number
        Which of the shards it is.
    data
        A pair `(X, y)`, a frame, or a list of examples.
    label
        The column of a frame that has the labels.
    positive
        The label that means yes, or several.
    """

    number: int
    data: Any
    label: str | int | None = None
    place: str = "part"
    positive: Any = None

    @property
    def name(self) -> str:
        """Its number."""
        return f"{self.place} {self.number}"

    def open(self, learner: Learner) -> Any:
        """Return its examples as a stream that the learner can play."""
        needs = Needs.of(learner)
        return as_stream("cluster", self.data, self.label, needs, self.positive)


def shards_of(
    data: Any,
    *,
    shards: int | None = None,
    label: str | int | None = None,
    format: str | None = None,  # noqa: A002 - as `streams.open` calls it
    options: Mapping[str, Any] | None = None,
) -> list[Shard]:
    """Return the shards of data in files or in memory, in order.

    Examples
    --------
    >>> from littlestone.cluster._shards import shards_of
    >>> found = shards_of(([[1.0], [2.0], [3.0]], [0, 1, 1]), shards=2)
    >>> [shard.data for shard in found]
    [([[1.0]], [0]), ([[2.0], [3.0]], [1, 1])]
    """
    if shards is not None and (type(shards) is not int or shards < 1):
        raise ParameterError(
            f"shards must be a whole number above 0, got {shards!r}", owner="cluster"
        )
    given = dict(options or {})
    if isinstance(data, _SHARDS):
        return [data]
    if (
        isinstance(data, (list, tuple))
        and data
        and all(isinstance(each, _SHARDS) for each in data)
    ):
        return list(data)
    if isinstance(data, Stream):
        return _of_stream(data, shards)
    if is_paths(data):
        if label is not None:  # the column of a table
            given["label"] = label
        return _of_files(data, shards, format, given)
    positive = meaning_of(data, format, given)
    found = _of_memory(data, shards, label, positive)
    return [replace(shard, positive=positive) for shard in found]


def cut_finer(shards: Sequence[Shard], by: int) -> list[Shard]:
    """Cut each shard into so many, in order, where it can be cut.

    Examples
    --------
    >>> from littlestone.cluster._shards import cut_finer, shards_of
    >>> found = cut_finer(shards_of(([[1.0], [2.0], [3.0]], [0, 1, 1]), shards=1), 2)
    >>> [(shard.name, shard.data) for shard in found]
    [('part 0', ([[1.0]], [0])), ('part 1', ([[2.0], [3.0]], [1, 1]))]
    """
    found: list[Shard] = []
    for shard in shards:
        if isinstance(shard, FileShard):
            found += _parts(shard, by if _cuttable(shard) else 1)
        elif isinstance(shard, MemoryShard):
            for data in _slices(shard.data, by):
                found.append(replace(shard, number=len(found), data=data))
        else:
            found.append(shard)
    return found


def few_in_memory(shards: Sequence[Shard], least: int, few: int) -> bool:
    """Return whether all are in memory, with so many examples each on the mean."""
    if not all(isinstance(shard, MemoryShard) for shard in shards):
        return False
    lengths = (_examples(shard.data) for shard in shards)  # type: ignore[attr-defined]  # it is in memory
    return least <= sum(lengths) / len(shards) < few


def _examples(data: Any) -> int:
    return _length(data[1] if _is_pair(data) else data)


def meaning_of(data: Any, format: str | None, options: Mapping[str, Any]) -> Any:  # noqa: A002 - as `streams.open` calls it
    """Return which label means yes, which is all that may be said of other data."""
    others = [name for name in options if name != "positive"]
    if format is not None:
        others.append("format")
    if others:
        raise ParameterError(
            f"options of a reader are for files, got {', '.join(others)} for "
            f"{type(data).__name__}",
            owner="cluster",
        )
    return options.get("positive")


def joined_shards(shards: Sequence[Shard], learner: Learner) -> Any:
    """Return all shards as one stream, in order: what one machine would play."""
    opened = [shard.open(learner) for shard in shards]
    if len(opened) == 1:
        return opened[0]
    if all(isinstance(each, Stream) for each in opened):
        return JoinedStream(opened)
    return _Chained(opened)


class _Chained:
    """Examples of several iterables, one after another, as often as asked."""

    def __init__(self, parts: Sequence[Iterable[Any]]) -> None:
        self._parts = parts

    def __iter__(self) -> Iterator[Any]:
        for part in self._parts:
            yield from part


_SHARDS = (FileShard, MemoryShard)


# Files --------------------------------------------------------------------------------


def is_paths(data: Any) -> bool:
    """Return whether data are a path or several."""
    if isinstance(data, (str, os.PathLike)):
        return True
    return (
        isinstance(data, (list, tuple))
        and bool(data)
        and all(isinstance(each, (str, os.PathLike)) for each in data)
    )


def _of_files(
    data: Any, shards: int | None, name: str | None, options: Mapping[str, Any]
) -> list[Shard]:
    listed = [data] if isinstance(data, (str, os.PathLike)) else list(data)
    paths = [path for each in listed for path in _found(os.fspath(each))]
    found: list[FileShard] = []
    for path in paths:
        form = named(name) if name else _format(path)
        check(form, options)
        found += _files_of(path, form.facts.reader, options)
    return _cut(found, shards)


def _files_of(
    path: str, reader: str, options: Mapping[str, Any]
) -> Iterator[FileShard]:
    """Yield a file, or those of a folder, which only the reader of tables takes."""
    whole = FileShard(path, reader, options)
    if reader != "arrow" or not _is_folder(path):
        yield whole
        return
    for each in _tables(path):
        yield replace(whole, path=each)


def _is_folder(path: str) -> bool:
    if not is_remote(path):
        return Path(path).is_dir()
    system, there = file_system(path)
    return bool(system.isdir(there))


def _tables(folder: str) -> list[str]:
    """Return the files of a folder, in order."""
    if not is_remote(folder):
        return [str(each) for each in tables_in(Path(folder))]
    system, there = file_system(folder)
    found = sorted(map(PurePosixPath, system.find(there)))
    return [system.unstrip_protocol(str(each)) for each in found if is_table(each)]


def _found(path: str) -> list[str]:
    """Return the files of a path, a pattern or an address."""
    if not is_remote(path):
        return [os.fspath(each) for each in expanded(path)]
    if not any(sign in path for sign in "*?["):
        return [path]
    system, there = file_system(path)
    matched = sorted(system.glob(there))
    if not matched:
        raise MissingFileError(
            "a pattern must match at least one file, got none", where=path
        )
    return [system.unstrip_protocol(each) for each in matched]


def _format(path: str) -> Format:
    if not is_remote(path):
        return format_of(path)
    by_name = Format.by_name(path)
    if by_name is not None:
        return by_name
    if _is_folder(path):
        return Format.ARROW
    by_content = Format.by_content(Source(Part(path)).head(HEAD))
    if by_content is None:
        raise StreamError(
            "the format must be recognisable by the name or the first lines; format= "
            "names one",
            where=path,
        )
    return by_content


def _cut(files: Sequence[FileShard], shards: int | None) -> list[Shard]:
    """Cut large files at line ends, if there are fewer files than shards."""
    if shards is None:
        return [part for file in files for part in _parts(file, _parts_of_large(file))]
    if shards < len(files):
        return list(files)  # whole files stay whole
    sizes = [size_of(file.path) if _cuttable(file) else 0 for file in files]
    whole, rest = sum(sizes), shards - len(files)
    parts = [
        1 + (rest * sum(sizes[: k + 1]) // whole - rest * sum(sizes[:k]) // whole)
        if whole
        else 1
        for k in range(len(files))
    ]
    return [
        part
        for file, many in zip(files, parts, strict=True)
        for part in _parts(file, many)
    ]


def _parts_of_large(file: FileShard) -> int:
    if not _cuttable(file):
        return 1
    return max(1, size_of(file.path) // _LARGE)


def _cuttable(file: FileShard) -> bool:
    if file.reader not in {form.facts.reader for form in _OF_LINES}:
        return False
    try:
        with Source(Part(file.path)).explained(), open_any(file.path) as raw:
            return not raw.read(4).startswith(_COMPRESSED)
    except StreamError:  # which the shard says, or is left out for
        return False


def _parts(file: FileShard, many: int) -> Iterator[FileShard]:
    """Yield so many parts of a file, or fewer if its lines are long."""
    if many == 1:
        yield file
        return
    first, last = file.begin, size_of(file.path) if file.end is None else file.end
    size = last - first
    with open_any(file.path) as raw:
        ends = {_line_end(raw, first + size * k // many, last) for k in range(1, many)}
    for begin, end in pairwise(sorted({first, *ends, last})):
        yield replace(file, begin=begin, end=end)


def _line_end(raw: BinaryIO, place: int, size: int) -> int:
    """Return where the line ends that a place is in."""
    raw.seek(place)
    while place < size:
        some = raw.read(1 << 16)
        at = some.find(b"\n")
        if at >= 0:
            return place + at + 1
        if not some:
            break
        place += len(some)
    return size


def _arrow_table(path: str) -> Any:
    """Return the table of an address, which the reader of Arrow takes as it is."""
    from pyarrow import feather, ipc, parquet  # noqa: PLC0415 - optional

    form = Format.by_name(path)
    with open_any(path) as raw:
        if form is Format.PARQUET:
            return parquet.read_table(raw)
        try:
            return feather.read_table(raw)
        except ValueError:
            raw.seek(0)
            return ipc.open_stream(raw).read_all()


def _of_stream(stream: Stream, shards: int | None) -> list[Shard]:
    """Return the shards of a stream of files, by the way it was made."""
    bits: dict[str, Any] = {}
    read: Any = stream
    if isinstance(stream, HashedStream):
        read, bits = stream._stream, {"hash_bits": stream._hashing.bits}  # noqa: SLF001 - of a neighbour
    files: list[FileShard] = []
    for part in getattr(read, "parts", [read]):
        made, source = getattr(part, "_made_by", None), getattr(part, "_source", None)
        if made is None or source is None or source.is_stdin:
            return [*_of_memory(stream, shards)]
        reader, options = made
        files += _files_of(source.name, reader, {**options, **bits})
    return _cut(files, shards)


# Memory -------------------------------------------------------------------------------


def _of_memory(
    data: Any, shards: int | None, label: str | int | None = None, positive: Any = None
) -> list[MemoryShard]:
    if is_frame(data):
        as_stream("cluster", data, label, _NOTHING, positive)  # says what is missing
        frames = _slices(data, _asked(data, shards))
        return [MemoryShard(k, rows, label) for k, rows in enumerate(frames)]
    if label is None and _is_pair(data):
        X, y = data
        if _length(X) != _length(y):
            raise ParameterError(
                f"there must be one label per row, got {_length(X)} rows and "
                f"{_length(y)} labels",
                owner="cluster",
            )
        if hasattr(X, "tocsr"):  # of which not all formats can be cut
            X = X.tocsr()
        pairs = _slices((X, y), _asked(X, shards))
        return [MemoryShard(k, pair) for k, pair in enumerate(pairs)]
    as_stream("cluster", data, label, _NOTHING, positive)
    examples = list(data)
    parts = _slices(examples, _asked(examples, shards))
    return [MemoryShard(k, part) for k, part in enumerate(parts)]


_NOTHING = Needs(Outcome.LABEL)  # where only the form of the data is checked


def _is_pair(data: Any) -> bool:
    pair = isinstance(data, tuple) and len(data) == 2  # noqa: PLR2004 - X and y
    return pair and not isinstance(data[0], tuple) and hasattr(data[1], "__len__")


def _length(rows: Any) -> int:
    shape = getattr(rows, "shape", None)
    return int(shape[0]) if shape else len(rows)


def _asked(rows: Any, shards: int | None) -> int:
    """Return how many parts are asked for; few rows are one part unasked."""
    return min(_PARTS_OF_MEMORY, _length(rows) // _FEW) if shards is None else shards


def _slices(data: Any, asked: int) -> Iterator[Any]:
    """Yield parts of rows, a frame, or a pair of rows and labels, in order."""
    if _is_pair(data):
        yield from zip(*(_sliced(each, asked) for each in data), strict=True)
    else:
        yield from _sliced(data, asked)


def _sliced(rows: Any, asked: int) -> Iterator[Any]:
    """Yield parts of nearly equal length, in order."""
    length = _length(rows)
    parts = max(1, min(asked, length))
    for k in range(parts):
        begin, end = length * k // parts, length * (k + 1) // parts
        if hasattr(rows, "iloc"):
            yield rows.iloc[begin:end]
        elif getattr(rows, "format", None) == "csr":
            yield _csr_part(rows, begin, end)
        else:
            yield rows[begin:end]


def _csr_part(rows: Any, begin: int, end: int) -> Any:
    """Return some rows of a CSR matrix, as views.

    SciPy counts the entries and then copies them, and would write outside if another
    thread changed them meanwhile. These are checked when they are played.
    """
    offsets = rows.indptr[begin : end + 1].copy()
    part = type(rows)((end - begin, rows.shape[1]), dtype=rows.dtype)
    part.indptr = offsets - offsets[0]
    part.indices = rows.indices[offsets[0] : offsets[-1]]
    part.data = rows.data[offsets[0] : offsets[-1]]
    return part
