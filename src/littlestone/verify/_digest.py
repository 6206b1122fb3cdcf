"""The digest of a stream: what was played, in the order it was played."""

from __future__ import annotations

import hashlib
import struct
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Digest"]


class Digest:
    """Adds up a stream, example by example, to one SHA-256.

    Features of value 0 do not count, so a dense row equals the sparse one; experts who
    advise 0 do.

    Parameters
    ----------
    kind
        `"f"` for the features of examples, `"a"` for the advice of experts.

    Examples
    --------
    >>> from littlestone.verify._digest import Digest
    >>> one, two = Digest("f"), Digest("f")
    >>> one.add({"a": 1.0, "b": 0.0}, True)
    >>> two.add({"a": 1.0}, True)
    >>> one.hex() == two.hex()
    True
    """

    def __init__(self, kind: Literal["f", "a"]) -> None:
        self._advice = kind == "a"
        self._hash = hashlib.sha256(b"littlestone stream 1\n" + kind.encode())

    def add(self, x: Mapping[Any, Any], y: Any) -> None:
        """Add a round: features or advice by name or column, and the label."""
        parts = []
        for key, value in x.items():
            if self._advice or value:
                parts += [_key(key), _value(value) if self._advice else _double(value)]
        parts.append(_label(y))
        self._hash.update(b"".join(parts))

    def hex(self) -> str:
        """Return what has been added so far, as `sha256:` and 64 digits."""
        return "sha256:" + self._hash.hexdigest()


def _key(key: Any) -> bytes:
    if isinstance(key, str):
        name = key.encode()
        return b"n" + struct.pack("<I", len(name)) + name
    return b"c" + struct.pack("<Q", key)


def _double(value: Any) -> bytes:
    return b"d" + struct.pack("<d", value)


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return b"b" + bytes([value])
    if isinstance(value, (list, tuple)):
        return b"v" + struct.pack(f"<I{len(value)}d", len(value), *value)
    return _double(value)


def _label(y: Any) -> bytes:
    if isinstance(y, bool):
        return b"y" + bytes([y])
    if isinstance(y, float):
        return b"r" + struct.pack("<d", y)
    if isinstance(y, str):
        name = y.encode()
        return b"ks" + struct.pack("<I", len(name)) + name
    return b"ki" + struct.pack("<q", y)
