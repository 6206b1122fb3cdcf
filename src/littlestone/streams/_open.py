"""A file of any format, recognised by its name or content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from littlestone.errors import Hint, ParameterError, StreamError
from littlestone.streams._formats import HEAD, Format
from littlestone.streams._joined import Path, Paths, read_each
from littlestone.streams._source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.streams._base import Stream

__all__ = ["check", "format_of", "named", "open"]

_SHOWN = 60


def open(  # noqa: A001 - `streams.open` reads best
    path: Paths,
    *,
    format: str | None = None,  # noqa: A002 - so does `format=`
    **options: Any,
) -> Stream:
    r"""Stream the examples of a file, recognising its format by name or content.

    The ending of the name, without .gz or .zst, decides; otherwise the first lines do.

    Parameters
    ----------
    path
        A file, "-" for standard input, several of them, or a pattern such as
        `"logs/*.gz"`, whose files are read in the order of their names; each may have a
        format of its own. A folder must contain Parquet or Arrow files.
    format
        The name of the format, if it cannot be recognised, as for standard input:
        svmlight, vw, jsonl, csv, forecasts, text, parquet or arrow.
    options
        The options of the reader of that format: see `streams.svmlight` and the others.

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
    littlestone.errors.StreamError: ... the format must be recognisable by ...
    """
    given = None if format is None else named(format)

    def read(path: Path, **options: Any) -> Stream:
        form = given or format_of(path)
        check(form, options)
        return form.reader(path, **options)

    return read_each(read, path, **options)


def format_of(path: Path) -> Format:
    """Return the format of a file by its name or content.

    Examples
    --------
    >>> from littlestone.streams._open import format_of
    >>> format_of("mail.svm.gz")
    <Format.SVMLIGHT: 'svmlight'>
    """
    by_name = Format.by_name(path)
    if by_name is not None:
        return by_name
    source = Source(path)
    if source.is_stdin:
        raise ParameterError(
            f"format must be given for standard input, one of {', '.join(Format)}",
            owner="open",
        )
    if source.path.is_dir():
        tables = [s for f in (Format.PARQUET, Format.ARROW) for s in f.facts.endings]
        if any(each.suffix in tables for each in source.path.rglob("*")):
            return Format.ARROW
        raise StreamError(
            f"a folder must have files of Arrow or Parquet ({', '.join(tables)}), got "
            "none; a pattern in quotes reads others, such as "
            f"'{os.path.join(source.name, '*.csv')}'",  # noqa: PTH118 - as it was given
            where=source.name,
        )
    head = source.head(HEAD)
    by_content = Format.by_content(head)
    if by_content is not None:
        return by_content
    first = head.lstrip().split(b"\n", 1)[0]
    shown = first[:_SHOWN].decode(errors="backslashreplace")
    raise StreamError(
        "the format must be recognisable by the name or the first lines, "
        f"got {shown!r}",
        where=source.name,
        hints=[Hint("format", does=f"names one: {Format.listed()}")],
    )


def named(name: object) -> Format:
    """Return the format of a name.

    Examples
    --------
    >>> from littlestone.streams._open import named
    >>> named("csv")
    <Format.CSV: 'csv'>
    """
    for form in Format:
        if form == name:
            return form
    raise ParameterError(
        f"format must be one of {', '.join(Format)}, got {name!r}",
        owner="open",
    )


def check(form: Format, given: Mapping[str, Any]) -> None:
    """Refuse options that the reader does not have, or a lack of those it needs."""
    options = form.options
    for name in given:
        if name not in options:
            raise ParameterError(
                f"{form} has no option {name}, only {', '.join(sorted(options))}",
                owner="open",
            )
    for name, option in options.items():
        if option.default is option.empty and name not in given:
            raise ParameterError(f"{form} needs {name}=, got none", owner="open")
