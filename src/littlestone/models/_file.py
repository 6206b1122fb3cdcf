"""The file: safetensors with a digest, written completely or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError, deserialize

from littlestone.errors import MissingFileError, ModelError, OutputError
from littlestone.outputs import replacing

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from numpy.typing import NDArray

__all__ = ["FORMAT", "dump", "parse", "read", "write"]

FORMAT = 1

_NO_DIGEST = "sha256:" + "0" * 64
_DIGEST = re.compile(rb'"digest":"sha256:([0-9a-f]{64})"')
_MOST_HEADER = 100_000_000  # as safetensors has it
_START = 9  # bytes: the size of the header, and its brace
_LARGE = 1 << 22  # bytes that are worth a thread of their own
_DTYPES: dict[str, str] = {
    "<f8": "F64",
    "<u8": "U64",
    "<i8": "I64",
    "<u4": "U32",
    "<i4": "I32",
    "|u1": "U8",
    "|b1": "BOOL",
}
_KINDS = {name: np.dtype(kind) for kind, name in _DTYPES.items()}


def write(
    path: str | Path, metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]
) -> str:
    """Write a file, and return its digest; an older file stays until it is complete."""
    try:
        head, parts, size = _laid_out(metadata, tensors)
        place = _place_of_digest(head)
        with replacing(path) as file:
            digest = _written(file, [head, *parts], size)
            file.seek(place)
            file.write(digest.encode())
    except OutputError as error:
        raise ModelError(error.what, where=error.where) from error
    except ModelError as error:
        error.where = error.where or str(path)
        raise
    return f"sha256:{digest}"


def dump(metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the bytes that `write` would write."""
    head, parts, _ = _laid_out(metadata, tensors)
    whole = bytearray(b"".join([head, *parts]))
    place = _place_of_digest(head)
    digest = hashlib.sha256(whole).hexdigest().encode()
    whole[place : place + len(digest)] = digest
    return bytes(whole)


def _laid_out(
    metadata: Mapping[str, str], tensors: Mapping[str, NDArray[Any]]
) -> tuple[bytes, list[memoryview], int]:
    """Return the header without its digest, the arrays, and the size of these."""
    # Larger numbers first, so that every array is aligned.
    order = sorted(tensors, key=lambda name: (-tensors[name].itemsize, name))
    arrays = [_plain(name, tensors[name]) for name in order]
    header: dict[str, Any] = {
        "__metadata__": {**metadata, "format": str(FORMAT), "digest": _NO_DIGEST}
    }
    end = 0
    for name, array in zip(order, arrays, strict=True):
        begin, end = end, end + array.nbytes
        header[name] = {
            "dtype": _DTYPES[array.dtype.str],
            "shape": array.shape,
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    if len(text) > _MOST_HEADER:
        raise ModelError(
            f"the header must take at most {_MOST_HEADER:,} bytes, got {len(text):,}"
        )
    head = struct.pack("<Q", len(text)) + text
    return head, [_bytes_of(array) for array in arrays], end


def _place_of_digest(head: bytes) -> int:
    place = re.search(_DIGEST, head)
    assert place is not None  # noqa: S101 - it was just written
    return place.start(1)


def _plain(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as it is written: contiguous, little-endian."""
    little = array.dtype.newbyteorder("<")
    plain = np.ascontiguousarray(array, dtype=little)
    if plain.dtype.str not in _DTYPES:
        raise ModelError(f"{name} must be numbers of a known kind, got {array.dtype}")
    return plain.reshape(array.shape)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def _written(file: BinaryIO, parts: list[Any], size: int) -> str:
    """Write the parts, and return their digest, computed at the same time."""
    sha = hashlib.sha256()

    def take() -> None:
        for part in parts:
            sha.update(part)

    if size < _LARGE:
        take()
        file.writelines(parts)
        return sha.hexdigest()
    aside = threading.Thread(target=take)
    aside.start()
    try:
        file.writelines(parts)
        # The disk is busy while the digest is computed.
        file.flush()
        os.fsync(file.fileno())
    finally:
        aside.join()
    return sha.hexdigest()


def read(path: str | Path) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Return the metadata and the arrays of a file whose digest is right."""
    try:
        raw = _bytes(Path(path))
    except FileNotFoundError as error:
        raise MissingFileError("there is no such file", where=str(path)) from error
    except OSError as error:
        raise ModelError(
            f"cannot be read: {error.strerror}", where=str(path)
        ) from error
    except ModelError as error:
        error.where = str(path)
        raise
    try:
        return parse(raw)
    except ModelError as error:
        error.where = str(path)
        raise


def _bytes(path: Path) -> bytes:
    """Return the bytes of a file that begins as a model does, and has its size."""
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe would block, a device never end
        raise ModelError("a model must be a regular file, got another kind")
    with path.open("rb") as file:
        start = file.read(_START)
        head = start + file.read(max(0, _header_size(start) - 1))
        # A file may have holes, and be larger than the memory.
        size, whole = os.fstat(file.fileno()).st_size, _whole_size(head)
        if 0 < whole < size:
            raise ModelError(f"a model file must have {whole} bytes, got {size}")
        # What has no size is no model, which shows in its header.
        return head + file.read(size - len(head)) if whole > 0 else head


def parse(raw: bytes) -> tuple[dict[str, str], dict[str, NDArray[Any]]]:
    """Return what the bytes of a file hold, if their digest is right."""
    size = _header_size(raw)
    head = raw[: 8 + size]
    if len(head) < 8 + size:
        raise ModelError(
            "a model file must be complete, got "
            f"{len(raw)} of at least {8 + size} bytes"
        )
    digests = list(_DIGEST.finditer(head))
    if len(digests) != 1:
        raise ModelError(
            "a model file must be one of littlestone, with a digest, "
            f"got a header with {len(digests)}"
        )
    _check_digest(raw, *digests[0].span(1))
    # From here on the file is as it was written, if not necessarily by us.
    metadata = _header(head).get("__metadata__")
    if not isinstance(metadata, dict) or not all(
        isinstance(value, str) for value in metadata.values()
    ):
        raise ModelError(f"the metadata must be texts, got {metadata!r}")
    _check_format(metadata.get("format"))
    try:
        found: Any = deserialize(raw)  # type: ignore[no-untyped-call]  # so it is
    except (SafetensorError, ValueError, OverflowError) as error:
        raise ModelError(f"the arrays must be those of safetensors: {error}") from error
    return metadata, {name: _array(name, tensor) for name, tensor in found}


def _header_size(raw: bytes) -> int:
    """Return the size of the header from the first bytes of a file."""
    size = int(struct.unpack("<Q", raw[:8])[0]) if len(raw) >= _START else -1
    if not 0 <= size <= _MOST_HEADER or raw[8:_START] != b"{":
        raise ModelError("a model file must be one of littlestone, got another file")
    return size


def _check_digest(raw: bytes, first: int, last: int) -> None:
    view = memoryview(raw)
    sha = hashlib.sha256(view[:first])
    sha.update(b"0" * (last - first))
    sha.update(view[last:])
    told = raw[first:last].decode()
    if sha.hexdigest() == told:
        return
    whole = _whole_size(raw)
    if len(raw) < whole:
        raise ModelError(
            f"a model file must be complete, got {len(raw)} of {whole} bytes"
        )
    raise ModelError(
        f"the digest of the file must be sha256:{told}, got sha256:{sha.hexdigest()}: "
        "it was changed or damaged after it was written"
    )


def _whole_size(raw: bytes) -> int:
    """Return how large a file claims to be; 0 if unknown."""
    with suppress(ModelError, ArithmeticError, LookupError, TypeError, ValueError):
        size = int(struct.unpack("<Q", raw[:8])[0])
        header = _header(raw[: 8 + size])
        del header["__metadata__"]
        ends = [int(tensor["data_offsets"][1]) for tensor in header.values()]
        return 8 + size + max(ends, default=0)
    return 0


def _header(head: bytes) -> dict[str, Any]:
    try:
        header = json.loads(head[8:])
    except (ValueError, RecursionError) as error:
        raise ModelError(f"the header must be JSON: {error}") from error
    if not isinstance(header, dict):
        raise ModelError(f"the header must be an object, got {header!r}")
    return header


def _check_format(told: object) -> None:
    number = (
        int(told) if isinstance(told, str) and re.fullmatch("[0-9]{1,9}", told) else 0
    )
    if number > FORMAT:
        raise ModelError(
            f"the format must be {FORMAT}, got {number}: "
            "the file was made by a newer littlestone"
        )
    if number != FORMAT:
        raise ModelError(f"the format must be {FORMAT}, got {told!r}")


def _array(name: str, tensor: Mapping[str, Any]) -> NDArray[Any]:
    kind = _KINDS.get(tensor["dtype"])
    if kind is None:
        raise ModelError(
            f"array {name!r}: the kind of number must be one of {', '.join(_KINDS)}, "
            f"got {tensor['dtype']}"
        )
    if kind == np.bool_ and not set(bytes(tensor["data"])) <= {0, 1}:
        raise ModelError(f"array {name!r}: truth values must be 0 or 1, got others")
    try:
        return np.frombuffer(tensor["data"], dtype=kind).reshape(tensor["shape"])
    except (OverflowError, ValueError) as error:  # no numbers, but a huge shape
        raise ModelError(f"array {name!r}: the shape must be valid: {error}") from error
