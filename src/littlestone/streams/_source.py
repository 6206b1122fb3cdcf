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
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from littlestone.errors import (
    MissingFileError,
    MissingPackageError,
    StreamError,
    TruncatedError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Source"]

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 14  # compressed bytes at a time; what follows a frame is copied


class Source:
    """A file, or standard input for "-"; gzip and zstd are recognised by content."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        # One example in memory, which `Reading.features` reads as a file.
        self._memory = path if isinstance(path, io.BytesIO) else None
        if self._memory is not None:
            path = "<example>"
        self.is_stdin = os.fspath(path) == "-"
        self.path = Path(path)
        self.name = "<stdin>" if self.is_stdin else os.fspath(path)

    @property
    def repeatable(self) -> bool:
        """Whether it can be read more than once: a pipe cannot."""
        return not self.is_stdin and (self.path.is_file() or not self.path.exists())

    @property
    def size(self) -> int | None:
        """Its size in bytes, where that is known."""
        if self.is_stdin or self._memory is not None:
            return None
        with self.explained():
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
                while count := reader.readinto(memoryview(head)[filled:]):
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
        in_memory = isinstance(raw, io.BytesIO)
        status = os.fstat(raw.fileno()) if closes and not in_memory else None
        self._size = 0 if status is None else status.st_size
        # Whether a read never waits for another program to write.
        self.prompt = in_memory or (status is not None and stat.S_ISREG(status.st_mode))
        head = raw.read(4) or b""
        while 0 < len(head) < len(_ZSTD) and (more := raw.read(4 - len(head))):
            head += more
        self._compressed = head.startswith((_GZIP, _ZSTD))
        if not self._compressed:
            self._head, self._from = head, raw
            return
        joined = io.BufferedReader(_Joined(head, raw), 1 << 18)
        self._head = b""
        if head.startswith(_GZIP):
            self._from = gzip.GzipFile(fileobj=joined)  # type: ignore[assignment]  # it has readinto
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
        if self._compressed:
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
            return min(1.0, self._raw.tell() / self._size) if self._size else None
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


class _Zstd:
    """Decompresses no more than fits into the buffer, however small the file is."""

    def __init__(self, zstd: Any, raw: Any) -> None:
        self._zstd, self._raw = zstd, raw
        self._frame = zstd.ZstdDecompressor()

    def readinto(self, buffer: memoryview) -> int:
        while True:
            chunk = b""
            if self._frame.eof:  # a file may have several frames
                chunk = self._frame.unused_data or self._raw.read1(_CHUNK)
                if not chunk:
                    return 0
                self._frame = self._zstd.ZstdDecompressor()
            elif self._frame.needs_input:
                chunk = self._raw.read1(_CHUNK)
                if not chunk:
                    raise EOFError
            try:
                ready = self._frame.decompress(chunk, len(buffer))
            except self._zstd.ZstdError as error:
                raise zlib.error(str(error)) from error
            if ready:
                buffer[: len(ready)] = ready
                return len(ready)
