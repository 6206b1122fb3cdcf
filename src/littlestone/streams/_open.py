"""A file of any format, told by its name and its content."""

from __future__ import annotations

import csv
import inspect
import json
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError, StreamError
from littlestone.streams._arrow import arrow, is_arrow, is_parquet
from littlestone.streams._joined import Path, Paths, read_each
from littlestone.streams._jsonl import jsonl
from littlestone.streams._source import Source
from littlestone.streams._svmlight import svmlight
from littlestone.streams._text import text
from littlestone.streams._vw import vw
from littlestone.streams.table import table

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.streams._base import Stream

__all__ = ["FORMATS", "Format", "format_of", "open"]

_PACKED = (".gz", ".zst", ".zstd")
_LOOKED_AT = 1 << 16  # bytes
_LINES = 100
_SHOWN = 60


@dataclass(frozen=True)
class Format:
    """What there is to know of a format.

    Attributes
    ----------
    name
        What `format=` calls it.
    endings
        How names of such files end.
    fits
        Tells from the first bytes whether a file is one; None where nothing tells.
    make
        Returns the stream of such a file.
    """

    name: str
    endings: tuple[str, ...]
    fits: Callable[[bytes], bool] | None
    make: Callable[..., Stream]


# What the first lines look like -------------------------------------------------------

_NUMBER = rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_SVMLIGHT = re.compile(
    rb"[^\s:|#]+([ \t]+qid:\d+)?([ \t]+\d+:" + _NUMBER + rb")*[ \t]*(#.*)?"
)
# Numbers, then a tag that may touch the bar.
_VW = re.compile(
    rb"(" + _NUMBER + rb"([ \t]+" + _NUMBER + rb"){0,2})?[ \t]*('?[^\s|]*)?\|"
)
_PAIR = re.compile(rb"[ \t]\d+:" + _NUMBER + rb"([ \t]|$)")


def _lines(head: bytes) -> list[bytes]:
    """Return the whole lines at the start of a file, without those that are blank."""
    whole = head.removeprefix(b"\xef\xbb\xbf")
    if len(head) >= _LOOKED_AT:
        whole = whole[: whole.rfind(b"\n") + 1]
    lines = [line.strip() for line in whole.split(b"\n")]
    return [line for line in lines if line and line[:1] != b"#"][:_LINES]


def _is_svmlight(head: bytes) -> bool:
    lines = _lines(head)
    return all(map(_SVMLIGHT.fullmatch, lines)) and any(map(_PAIR.search, lines))


def _is_vw(head: bytes) -> bool:
    lines = _lines(head)
    return bool(lines) and all(map(_VW.match, lines))


def _is_jsonl(head: bytes) -> bool:
    lines = _lines(head)
    try:
        return bool(lines) and all(isinstance(json.loads(each), dict) for each in lines)
    except ValueError:
        return False


def _is_table(head: bytes) -> bool:
    """Tell whether every line has as many columns, two or more."""
    lines = [line.decode(errors="replace") for line in _lines(head)]
    for delimiter in ",;\t|":
        widths = {len(cells) for cells in csv.reader(lines, delimiter=delimiter)}
        if len(lines) > 1 and len(widths) == 1 and widths != {1}:
            return True
    return False


# The formats; the first that fits is taken --------------------------------------------

FORMATS: tuple[Format, ...] = (
    Format("parquet", (".parquet", ".pq"), is_parquet, arrow),
    Format("arrow", (".arrow", ".arrows", ".feather", ".ipc"), is_arrow, arrow),
    Format("svmlight", (".svm", ".svmlight", ".libsvm"), _is_svmlight, svmlight),
    Format("vw", (".vw",), _is_vw, vw),
    Format("jsonl", (".jsonl", ".ndjson"), _is_jsonl, jsonl),
    Format("table", (".csv", ".tsv", ".tab"), _is_table, table),
    Format("text", (), None, text),
)


def open(  # noqa: A001 - `streams.open` reads best
    path: Paths,
    *,
    format: str | None = None,  # noqa: A002 - so does `format=`
    **options: Any,
) -> Stream:
    r"""Stream the examples of a file, in the format that its name or its content tells.

    The ending of the name is asked first, without .gz or .zst, and then the first
    lines.

    Parameters
    ----------
    path
        A file, "-" for standard input, or several of them, or a pattern such as
        `"logs/*.gz"`, to be read one after another in the order of the names; each of
        them is told by itself. A folder must hold Parquet or Arrow files.
    format
        The name of the format, if nothing tells it, as with standard input.
    options
        What the reader of the format takes: see `streams.svmlight` and the others.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "a1a"
    >>> _ = path.write_text("-1 3:1 11:1\n+1 5:1\n")
    >>> list(streams.open(path))
    [({3: 1.0, 11: 1.0}, False), ({5: 1.0}, True)]
    >>> _ = path.write_text("Call me Ishmael.\n")
    >>> streams.open(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    littlestone.errors.StreamError: ... the first lines must tell a format, or ...
    """
    named = None if format is None else _named(format)

    def read(path: Path, **options: Any) -> Stream:
        found = named or format_of(path)
        _check(found, options)
        return found.make(path, **options)

    return read_each(read, path, **options)


def format_of(path: Path) -> Format:
    """Return the format of a file, as its name or its content tells.

    Examples
    --------
    >>> from littlestone.streams._open import format_of
    >>> format_of("mail.svm.gz").name
    'svmlight'
    """
    by_name = format_by_name(path)
    if by_name is not None:
        return by_name
    source = Source(path)
    if source.is_stdin:
        raise ParameterError(
            "open: format must be told for standard input, one of "
            f"{', '.join(each.name for each in FORMATS)}"
        )
    if source.path.is_dir():
        return _named("arrow")
    head = _head(source)
    for each in FORMATS:
        if each.fits is not None and each.fits(head):
            return each
    first = head.lstrip().split(b"\n", 1)[0]
    shown = first[:_SHOWN].decode(errors="backslashreplace")
    raise StreamError(
        "the name or the first lines must tell a format, or format= must name one: "
        + ", ".join(f"{each.name}{_endings(each)}" for each in FORMATS)
        + f"; got {shown!r}",
        where=source.name,
    )


def format_by_name(path: Path) -> Format | None:
    """Return the format that the ending of a name tells, if it tells one.

    Examples
    --------
    >>> from littlestone.streams._open import format_by_name
    >>> format_by_name("logs/*.svm.zst").name, format_by_name("log")
    ('svmlight', None)
    """
    name = os.fspath(path).lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return next((each for each in FORMATS if name.endswith(each.endings)), None)


def _endings(each: Format) -> str:
    return f" ({' '.join(each.endings)})" if each.endings else ""


def _named(name: object) -> Format:
    for each in FORMATS:
        if each.name == name:
            return each
    raise ParameterError(
        f"open: format must be one of {', '.join(each.name for each in FORMATS)}, "
        f"got {name!r}"
    )


def _check(found: Format, options: dict[str, Any]) -> None:
    """Refuse options that the reader does not have, and ask for those it needs."""
    _, *parameters = inspect.signature(found.make).parameters.values()
    there = {each.name for each in parameters}
    for name in options:
        if name not in there:
            raise ParameterError(
                f"open: {name} is no option of {found.name}, which has "
                f"{', '.join(sorted(there))}"
            )
    for each in parameters:
        if each.default is each.empty and each.name not in options:
            raise ParameterError(f"open: {found.name} needs {each.name}=, got none")


def _head(source: Source) -> bytes:
    """Return the first bytes of a file, without what it is packed in."""
    head = bytearray(_LOOKED_AT)
    filled = 0
    with source.explained():
        reader = source.open()
        try:
            while count := reader.readinto(memoryview(head)[filled:]):
                filled += count
        finally:
            reader.close()
    return bytes(head[:filled])
