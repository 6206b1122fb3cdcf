"""Bytes from a path or standard input, decompressed where they need to be."""

from __future__ import annotations

import gzip
import io
import os
import select
import stat
import sys
import zlib
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from littlestone.errors import (
    MissingFileError,
    MissingPackageError,
    StreamError,
    TruncatedError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Part", "Source", "file_system", "is_remote", "open_any", "size_of"]

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 16  # compressed bytes at a time; what follows a frame is copied


class Part:
    r"""Some bytes of a file, which are read as a file of its own.

    Parameters
    ----------
    path
        A file, or an address such as `"s3://logs/may.svm"`, which fsspec opens.
    begin, end
        The first byte, and the byte after the last one; by default the whole file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> from littlestone.streams._source import Part
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.svm"
    >>> _ = path.write_bytes(b"1 3:1\n0 4:1\n")
    >>> list(streams.svmlight(Part(str(path), 6)))
    [({4: 1.0}, False)]
    """

    def __init__(self, path: str, begin: int = 0, end: int | None = None) -> None:
        self.path, self.begin, self.end = path, begin, end

    def __fspath__(self) -> str:
        if self.begin == 0 and self.end is None:
            return self.path
        end = "" if self.end is None else self.end
        return f"{self.path}[{self.begin}:{end}]"

    def size(self) -> int:
        """Return how many bytes there are."""
        whole = self.end if self.end is not None else size_of(self.path)
        return max(0, whole - self.begin)

    def open(self) -> BinaryIO:
        """Open it for reading."""
        size = self.size()
        return cast("BinaryIO", _Window(open_any(self.path), self.begin, size))


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is an address that fsspec opens.

    Examples
    --------
    >>> from littlestone.streams._source import is_remote
    >>> is_remote("s3://logs/may.svm"), is_remote("logs/may.svm")
    (True, False)
    """
    return "://" in os.fspath(path)


def file_system(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    try:
        import fsspec  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingPackageError(
            "addresses such as s3:// need the fsspec package: "
            "pip install 'littlestone[dask]'"
        ) from None
    try:
        found: tuple[Any, str] = fsspec.core.url_to_fs(address)
    except (ImportError, ValueError) as error:  # a package or a protocol is missing
        raise StreamError(f"cannot be opened: {error}", where=address) from error
    return found


def open_any(path: str) -> BinaryIO:
    """Open a file or an address for reading, without a buffer if possible."""
    if not is_remote(path):
        return Path(path).open("rb", buffering=0)
    system, there = file_system(path)
    opened: BinaryIO = system.open(there, "rb")
    return opened


def size_of(path: str) -> int:
    """Return the size of a file or an address in bytes."""
    if not is_remote(path):
        return Path(path).stat().st_size
    system, there = file_system(path)
    return int(system.size(there) or 0)


class _Window(io.RawIOBase):
    """So many bytes of a file, from a place on."""

    def __init__(self, raw: BinaryIO, begin: int, size: int) -> None:
        self._raw, self.size, self._at = raw, size, 0
        if begin:
            raw.seek(begin)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        room = memoryview(buffer)[: self.size - self._at]
        count = self._raw.readinto(room) or 0  # type: ignore[attr-defined]  # BinaryIO does not say so
        self._at += count
        return int(count)

    def tell(self) -> int:
        return self._at

    def close(self) -> None:
        self._raw.close()
        super().close()


class Source:
    """A file, or standard input for "-"; gzip and zstd are recognised by content."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        # One example in memory, which `Reading.features` reads as a file.
        self._memory = path if isinstance(path, io.BytesIO) else None
        if self._memory is not None:
            path = "<example>"
        self._part = path if isinstance(path, Part) else None
        self.is_stdin = os.fspath(path) == "-"
        self.path = Path(path)
        self.name = "<stdin>" if self.is_stdin else os.fspath(path)

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once: a pipe cannot."""
        if self._part is not None:
            return True
        return not self.is_stdin and (self.path.is_file() or not self.path.exists())

    @property
    def size(self) -> int | None:
        """Its size in bytes, where that is known."""
        if self.is_stdin or self._memory is not None:
            return None
        with self.explained():
            if self._part is not None:
                return self._part.size()
            status = self.path.stat()
            return status.st_size if stat.S_ISREG(status.st_mode) else None

    def open(self) -> Reader:
        """Open it for reading; within `explained`."""
        raw = self._raw()
        try:
            return Reader(raw, closes=not self.is_stdin)
        except BaseException:
            raw.close()
            raise

    def head(self, size: int) -> bytes:
        """Return its first bytes, decompressed."""
        head = bytearray(size)
        filled = 0
        with self.explained():
            reader = self.open()
            try:
                # Into no space, some readers would read for ever.
                while filled < size:
                    count = reader.readinto(memoryview(head)[filled:])
                    if not count:
                        break
                    filled += count
            finally:
                reader.close()
        return bytes(head[:filled])

    def _raw(self) -> BinaryIO:
        if self._memory is not None:
            return io.BytesIO(self._memory.getbuffer())
        if self.is_stdin:
            if sys.stdin is None:
                raise StreamError("standard input is closed", where=self.name)
            # Unbuffered, so that what has come is available without waiting for more.
            return getattr(sys.stdin.buffer, "raw", sys.stdin.buffer)
        if self._part is not None:
            return self._part.open()
        return self.path.open("rb", buffering=0)

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn failures to open or read into errors that name the file."""
        try:
            yield
        except FileNotFoundError:
            raise MissingFileError(
                "a stream must be an existing file or '-', got no such file",
                where=self.name,
            ) from None
        except EOFError as error:
            if isinstance(error, StreamError):
                raise
            raise TruncatedError(
                "the compressed data must be complete, but the file ends too early",
                where=self.name,
            ) from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise StreamError(
                f"the compressed data is damaged: {error}", where=self.name
            ) from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise StreamError(
                f"the file could not be read: {reason}", where=self.name
            ) from error


class Reader:
    """Reads into buffers, and knows what share of the file that was.

    It is closed by the thread that reads. If another thread closed it during a read,
    its descriptor could be reused by the next file that is opened.
    """

    def __init__(self, raw: BinaryIO, *, closes: bool) -> None:
        self._raw, self._closes = raw, closes
        part = raw.size if isinstance(raw, _Window) else None
        in_memory = isinstance(raw, io.BytesIO) or part is not None
        status = os.fstat(raw.fileno()) if closes and not in_memory else None
        # In bytes, as they are in the file; 0 if it is not known.
        self.size = part or 0 if status is None else status.st_size
        # Whether a read never waits for another program to write.
        self.prompt = in_memory or (status is not None and stat.S_ISREG(status.st_mode))
        head = raw.read(4) or b""
        while 0 < len(head) < len(_ZSTD) and (more := raw.read(4 - len(head))):
            head += more
        self.compressed = head.startswith((_GZIP, _ZSTD))
        if not self.compressed:
            self._head, self._from = head, raw
            return
        joined = io.BufferedReader(_Joined(head, raw), 1 << 18)
        self._head = b""
        if head.startswith(_GZIP):
            # isal waits for more of a pipe than there may be.
            isal = _isal_library() if self.prompt else None
            self._from = _Gzip(joined) if isal is None else _Isal(isal, joined)  # type: ignore[assignment]  # they have readinto
        else:
            self._from = _Zstd(_zstd_library(), joined)  # type: ignore[assignment]  # it has readinto

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; return 0 at the end."""
        if self._head:
            count = min(len(self._head), len(buffer))
            buffer[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        return self._from.readinto(buffer) or 0  # type: ignore[attr-defined]  # BinaryIO does not say so

    def idle(self) -> bool | None:
        """Return whether a read would have to wait; None if that is not known."""
        if self._head:
            return False
        if self.compressed:
            return None
        try:
            return not select.select([self._raw], [], [], 0)[0]
        except (OSError, TypeError, ValueError):  # not everything can be asked
            return None

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self._closes:
            self._raw.close()

    @property
    def done(self) -> float | None:
        """The share of the file that has been read, where the size is known."""
        try:
            return min(1.0, self._raw.tell() / self.size) if self.size else None
        except OSError:
            return None


class _Joined(io.RawIOBase):
    """The bytes that were already read, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head:
            count = min(len(self._head), len(buffer))
            buffer[:count] = self._head[:count]
            self._head = self._head[count:]
            return count
        return self._rest.readinto(buffer)  # type: ignore[attr-defined, no-any-return]  # BinaryIO does not say so


def _isal_library() -> Any | None:
    """Return the module that reads gzip in a third of the time, if it is there."""
    try:
        return import_module("isal.igzip_lib")
    except ImportError:
        return None


class _Unpacked:
    """Decompresses no more than fits into the buffer, however small the file is.

    A file may have several members, or frames.
    """

    _padding = b""  # what may be between them

    def __init__(
        self, raw: Any, fresh: Callable[[], Any], damaged: type[Exception]
    ) -> None:
        self._raw, self._fresh, self._damaged = raw, fresh, damaged
        self._member = fresh()

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; return 0 at the end."""
        while True:
            chunk = b""
            if self._member.eof:
                chunk = self._next()
                if not chunk:
                    return 0
                self._member = self._fresh()
            elif self._member.needs_input:
                chunk = self._raw.read1(_CHUNK)
                if not chunk:
                    raise EOFError
            try:
                ready = self._member.decompress(chunk, len(buffer))
            except self._damaged as error:
                raise zlib.error(str(error)) from error
            if ready:
                buffer[: len(ready)] = ready
                return len(ready)

    def _next(self) -> bytes:
        """Return the start of the next member; empty if there is none."""
        chunk: bytes = self._member.unused_data.lstrip(self._padding)
        while not chunk and (read := self._raw.read1(_CHUNK)):
            chunk = read.lstrip(self._padding)
        return chunk


class _Isal(_Unpacked):
    """Reads gzip with isal.

    Its GzipFile would lose what it has read before the place where a file is cut.
    """

    _padding = b"\0"

    def __init__(self, isal: Any, raw: Any) -> None:
        fresh = partial(isal.IgzipDecompressor, flag=isal.DECOMP_GZIP)
        super().__init__(raw, fresh, isal.error)


class _Gzip:
    """Reads gzip with Python's own module."""

    def __init__(self, raw: Any) -> None:
        self._from = gzip.GzipFile(fileobj=raw)

    def readinto(self, buffer: memoryview) -> int:
        """Fill some of the buffer; return 0 at the end."""
        # readinto would read on until the buffer is full, and lose what it has read if
        # the file is cut.
        return self._from.readinto1(buffer)


def _zstd_library() -> Any:
    """Return the module that reads zstd, of Python or from the package index."""
    try:
        if sys.version_info >= (3, 14):
            from compression import zstd  # noqa: PLC0415 - only where it is used
        else:
            from backports import zstd  # noqa: PLC0415 - optional
    except ImportError:
        raise MissingPackageError(
            "zstd files need the backports.zstd package: "
            "pip install 'littlestone[zstd]'"
        ) from None
    return zstd


class _Zstd(_Unpacked):
    """Reads zstd."""

    def __init__(self, zstd: Any, raw: Any) -> None:
        super().__init__(raw, zstd.ZstdDecompressor, zstd.ZstdError)
