"""The formats of files: how each is recognised, and what reads it.

This is the only list of formats: `streams.open` and the command line both use it. It
imports no reader until one is needed, so that the command line starts quickly.
"""

from __future__ import annotations

import csv
import inspect
import json
import os
import re
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from littlestone.streams._base import Stream

__all__ = ["HEAD", "Format", "is_arrow", "is_arrow_file", "is_parquet"]

HEAD = 1 << 16  # bytes at the start of a file that are enough to recognise it
_LINES = 100
_COMPRESSED = (".gz", ".zst", ".zstd")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # and the start of a text in it
_ZEROS = 16  # more than a text has by accident

# What the first bytes look like -------------------------------------------------------

_NUMBER = rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
_SVMLIGHT = re.compile(
    rb"[^\s:|#]+([ \t]+qid:\d+)?([ \t]+\d+:" + _NUMBER + rb")*[ \t]*(#.*)?"
)
# Numbers, then a tag that may touch the bar.
_VW = re.compile(
    rb"(" + _NUMBER + rb"([ \t]+" + _NUMBER + rb"){0,2})?[ \t]*('?[^\s|]*)?\|"
)
_PAIR = re.compile(rb"[ \t]\d+:" + _NUMBER + rb"([ \t]|$)")


def is_parquet(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is Parquet."""
    return head.startswith(b"PAR1")


def is_arrow_file(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is in Arrow's file format."""
    return head.startswith(b"ARROW1")


def is_arrow(head: bytes) -> bool:
    """Return whether a file that starts with these bytes is Arrow, file or stream."""
    return is_arrow_file(head) or head.startswith(b"\xff\xff\xff\xff")


def _lines(head: bytes) -> list[bytes]:
    """Return the first whole lines of a file without blank ones and comments."""
    whole = head.removeprefix(b"\xef\xbb\xbf")
    if len(head) >= HEAD:
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
    except (RecursionError, ValueError):
        return False


def _is_csv(head: bytes) -> bool:
    """Return whether all lines have the same number of columns, two or more."""
    lines = [line.decode(errors="replace") for line in _lines(head)]
    for delimiter in ",;\t|":
        try:
            widths = {len(cells) for cells in csv.reader(lines, delimiter=delimiter)}
        except csv.Error:  # a file of bytes, not of lines
            return False
        if len(lines) > 1 and len(widths) == 1 and widths != {1}:
            return True
    return False


# The formats --------------------------------------------------------------------------

_OF_FEATURES = ("leave out", "refuse", "literal")


class _Facts(NamedTuple):
    """What there is to know about a format.

    Attributes
    ----------
    reader
        The function of `littlestone.streams` that reads it.
    endings
        How the names of such files end.
    fits
        Recognises such a file by its first bytes; None if that is not possible.
    numbered
        Whether columns can be given by number.
    missing
        What can be done with missing cells, the default first.
    """

    reader: str
    endings: tuple[str, ...] = ()
    fits: Callable[[bytes], bool] | None = None
    numbered: bool = False
    missing: tuple[str, ...] = ()


class Format(StrEnum):
    """A format of files. Of those that fit a file, the first is used.

    Examples
    --------
    >>> from littlestone.streams._formats import Format
    >>> Format.by_name("logs/*.svm.zst"), Format.by_name("log")
    (<Format.SVMLIGHT: 'svmlight'>, None)
    >>> Format.CSV.facts.endings
    ('.csv', '.tsv', '.tab')
    """

    facts: _Facts

    def __new__(cls, name: str, facts: _Facts) -> Self:
        """Make a member, whose value is its name alone."""
        member = str.__new__(cls, name)
        member._value_ = name
        member.facts = facts
        return member

    PARQUET = (
        "parquet",
        _Facts("arrow", (".parquet", ".pq"), is_parquet, missing=_OF_FEATURES),
    )
    ARROW = (
        "arrow",
        _Facts(
            "arrow",
            (".arrow", ".arrows", ".feather", ".ipc"),
            is_arrow,
            missing=_OF_FEATURES,
        ),
    )
    SVMLIGHT = (
        "svmlight",
        _Facts("svmlight", (".svm", ".svmlight", ".libsvm"), _is_svmlight),
    )
    VW = "vw", _Facts("vw", (".vw",), _is_vw)
    JSONL = "jsonl", _Facts("jsonl", (".jsonl", ".ndjson"), _is_jsonl)
    CSV = (
        "csv",
        _Facts(
            "csv",
            (".csv", ".tsv", ".tab"),
            _is_csv,
            numbered=True,
            missing=_OF_FEATURES,
        ),
    )
    # Nothing distinguishes forecasts from other CSV files, or text from other lines.
    FORECASTS = (
        "forecasts",
        _Facts("forecasts", numbered=True, missing=("refuse", "sleep")),
    )
    TEXT = "text", _Facts("text", numbered=True)

    @property
    def reader(self) -> Callable[..., Stream]:
        """The function that returns the stream of a file."""
        from littlestone import streams  # noqa: PLC0415 - only when it is needed

        found: Callable[..., Stream] = getattr(streams, self.facts.reader)
        return found

    @property
    def options(self) -> Mapping[str, inspect.Parameter]:
        """The options of the reader, by name."""
        _, *options = inspect.signature(self.reader).parameters.values()
        return {option.name: option for option in options}

    @classmethod
    def by_name(cls, path: str | os.PathLike[str]) -> Format | None:
        """Return the format of a file by the ending of its name, if it has one."""
        name = os.fspath(path).lower()
        for ending in _COMPRESSED:
            name = name.removesuffix(ending)
        return next((each for each in cls if name.endswith(each.facts.endings)), None)

    @classmethod
    def by_content(cls, head: bytes) -> Format | None:
        """Return the format of a file by its first bytes, if it is recognised."""
        fitting = (each for each in cls if each.facts.fits and each.facts.fits(head))
        return next(fitting, None)

    @classmethod
    def guess(cls, head: bytes) -> str:
        """Return in words what a file with these first bytes is; empty if unknown.

        Examples
        --------
        >>> from littlestone.streams._formats import Format
        >>> Format.guess(b"PAR1"), Format.guess(b"1 3:1"), Format.guess(bytes(99))
        ('parquet', 'svmlight', 'binary data')
        """
        found = cls.by_content(head)
        if found is not None:
            return found.value
        of_lines = head.startswith(_UTF_16) or head.count(b"\0") < _ZEROS
        return "" if of_lines else "binary data"

    @classmethod
    def listed(cls) -> str:
        """Return all formats with their endings, for a message."""
        return ", ".join(
            f"{each.value} ({' '.join(each.facts.endings)})"
            if each.facts.endings
            else each.value
            for each in cls
        )
