"""Bytes with something wrong in them."""

from __future__ import annotations

import random

__all__ = ["damaged"]


def damaged(raw: bytes, other: bytes, draw: random.Random) -> bytes:
    """Return the bytes with something wrong in them."""
    kind = draw.randrange(6)
    at = draw.randrange(len(raw))
    if kind == 0:  # one bit
        return raw[:at] + bytes([raw[at] ^ 1 << draw.randrange(8)]) + raw[at + 1 :]
    if kind == 1:  # the end is missing
        return raw[:at]
    if kind == 2:  # a piece of another file
        end = draw.randrange(at, len(raw) + 1)
        begin = draw.randrange(len(other))
        return raw[:at] + other[begin : begin + end - at] + raw[end:]
    if kind == 3:  # a piece twice, or missing
        end = min(len(raw), at + draw.randrange(1, 64))
        return raw[:at] + raw[at:end] * draw.choice((0, 2)) + raw[end:]
    if kind == 4:  # some bytes
        some = bytearray(raw)
        for _ in range(draw.randrange(1, 9)):
            some[draw.randrange(len(some))] = draw.randrange(256)
        return bytes(some)
    return raw + other[:at]  # something after the end
