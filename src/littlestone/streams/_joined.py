"""Several streams, one after another, as one."""

from __future__ import annotations

import glob
import inspect
import io
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeAlias, TypeVar, cast

from littlestone.errors import EmptyStreamError, MissingFileError, ParameterError
from littlestone.streams._base import Block, Stream, examples
from littlestone.streams._hashed import hashed
from littlestone.streams._source import Part

if TYPE_CHECKING:
    from littlestone.learner.rows import Example
    from littlestone.streams._reading import Reading

__all__ = [
    "JoinedStream",
    "Path",
    "Paths",
    "each_file",
    "expanded",
    "joined",
    "read_each",
]

_P = ParamSpec("_P")
_S = TypeVar("_S", bound=Stream)

Path: TypeAlias = str | os.PathLike[str]
Paths: TypeAlias = Path | Iterable[Path]


def joined(streams: Iterable[Stream]) -> JoinedStream:
    r"""Read streams one after another, as one.

    The readers of files do so themselves when they get several paths, or a pattern such
    as `"logs/*.svm.gz"`.

    Parameters
    ----------
    streams
        One or more of `littlestone.streams`, all with features or all with forecasts.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Perceptron
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "monday.svm").write_text("1 3:1\n")
    >>> _ = (folder / "tuesday.svm").write_text("0 3:2 4:1\n")
    >>> list(streams.svmlight(folder / "*.svm"))
    [({3: 1.0}, True), ({3: 2.0, 4: 1.0}, False)]
    >>> stream = streams.joined(
    ...     [streams.svmlight(folder / "*.svm"), streams.arrays([[0.5, 1.0]], [1])]
    ... )
    >>> run(Perceptron(), stream).rounds
    3
    """
    return JoinedStream(streams)


class JoinedStream(Stream):
    """Streams one after another; made by `streams.joined`.

    Attributes
    ----------
    parts
        The streams that are joined.
    """

    def __init__(self, streams: Iterable[Stream]) -> None:
        self.parts = tuple(streams)
        for part in self.parts:
            if not isinstance(part, Stream):
                raise ParameterError(
                    f"streams must be littlestone streams, got {part!r}",
                    owner="joined",
                )
        kinds = {(part.of_advice, part.of_mappings) for part in self.parts}
        if len(kinds) != 1:
            raise ParameterError(
                "streams must be one or more, all with features, all with "
                f"forecasts or all with mappings, got {list(self.parts)!r}",
                owner="joined",
            )
        ((self.of_advice, self.of_mappings),) = kinds  # type: ignore[misc]  # as the parts are
        outcomes = {part.outcome for part in self.parts}
        self.outcome = outcomes.pop() if len(outcomes) == 1 else None

    def __repr__(self) -> str:
        return f"joined({list(self.parts)!r})"

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once: if all of the streams can."""
        return all(part.repeatable for part in self.parts)

    @property
    def reading(self) -> Reading | None:
        """How the first of the streams is read, if all have the same format."""
        readings = [part.reading for part in self.parts]
        first = readings[0]
        if first is None or {each and each.format for each in readings} != {
            first.format
        }:
            return None
        called = {each.no for each in readings if each is not None}
        return replace(first, no=first.no if len(called) == 1 else None)

    @property
    def skipped(self) -> int:
        """How many lines the streams skipped in the latest reading."""
        return sum(getattr(part, "skipped", 0) for part in self.parts)

    @property
    def extent(self) -> int | None:
        """How much there is to read, if all of the streams know."""
        extents = [part.extent for part in self.parts]
        known = [extent for extent in extents if extent is not None]
        return sum(known) if len(known) == len(extents) else None

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order; some of the streams may be empty."""
        total = self.extent
        before = 0
        none: list[EmptyStreamError] = []
        for part in self.parts:
            extent = part.extent or 0
            try:
                for block in part.blocks():
                    done = None
                    if total and block.done is not None:
                        done = min(1.0, (before + block.done * extent) / total)
                    yield replace(block, done=done)
            except EmptyStreamError as error:  # as of a day without mail
                none.append(error)
            before += extent
        if len(none) == len(self.parts):
            raise none[0]

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one."""
        return examples(self.blocks())


def each_file(
    read: Callable[Concatenate[Path, _P], _S],
) -> Callable[Concatenate[Paths, _P], _S]:
    """Let the reader of one file read several, or those that a pattern matches.

    It then returns a `JoinedStream`, hashed as a whole if `hash_bits` is given.
    """
    signature = inspect.signature(read)

    def remembered(path: Path, *args: Any, **options: Any) -> Stream:
        stream = read(path, *args, **options)
        asked = signature.bind(path, *args, **options).arguments
        asked.pop("path")
        stream._made_by = read.__name__, asked  # noqa: SLF001 - as it was made here
        return stream

    @wraps(read)
    def called(path: Paths, *args: Any, **options: Any) -> Stream:
        return read_each(remembered, path, *args, **options)

    # Typed as positional only, which is how a path is given, but it works by name too.
    return cast("Callable[Concatenate[Paths, _P], _S]", called)


def read_each(
    read: Callable[..., Stream], path: Paths, *args: Any, **options: Any
) -> Stream:
    """Read the files of a path, several paths or a pattern, one after another."""
    paths = expanded(path)
    if len(paths) == 1:
        return read(paths[0], *args, **options)
    bits = options.get("hash_bits")
    if bits is not None:
        options["hash_bits"] = None
    stream = joined([read(each, *args, **options) for each in paths])
    return stream if bits is None else hashed(stream, bits)


def expanded(path: Paths) -> list[Path]:
    """Return a path as a list: one, several, or all that a pattern matches.

    Examples
    --------
    >>> from littlestone.streams._joined import expanded
    >>> expanded(["a.svm", "-"])
    ['a.svm', '-']
    >>> expanded("no/such/*.svm")
    Traceback (most recent call last):
    littlestone.errors.MissingFileError: no/such/*.svm: a pattern must match at least one file, got none
    """  # noqa: E501 - a message is one line
    if isinstance(path, (io.BytesIO, Part)):  # read as a file, but not found by name
        return [cast("Path", path)]
    if not isinstance(path, (str, os.PathLike)):
        try:
            listed = list(path)
        except TypeError:
            listed = []
        paths = [each for one in listed for each in expanded(one)]
        if not paths:
            raise ParameterError(
                f"a stream must have a path, one or more of them, got {path!r}"
            )
        return paths
    name = os.fspath(path)
    if not glob.has_magic(name) or os.path.lexists(name):
        return [path]
    found = glob.glob(name, recursive=True)  # noqa: PTH207 - absolute or not
    matched = sorted(each for each in found if not os.path.isdir(each))  # noqa: PTH112 - of text
    if not matched:
        raise MissingFileError(
            "a pattern must match at least one file, got none", where=name
        )
    return list(matched)
