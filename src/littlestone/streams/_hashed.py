"""Feature hashing: any features as columns below a power of two."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import ParameterError, refusal
from littlestone.learner import as_class, as_label, objects
from littlestone.outcome import Outcome
from littlestone.streams._base import Block, DerivedStream, Stream
from littlestone.streams._hashing import Hashing, HashingStream
from littlestone.streams._labels import as_outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from littlestone import _core
    from littlestone.learner.rows import Example
    from littlestone.streams._reading import Reading

__all__ = ["hashed"]


def hashed(
    stream: Stream | Iterable[tuple[Example, Any]],
    bits: int = 18,
    *,
    outcome: Outcome | Literal["label", "class"] | None = None,
) -> HashedStream:
    """Hash the features of a stream into `2**bits` columns.

    This bounds memory, however many features there are; in return, features in the same
    bucket share a weight. Within a row their values are added up, in the place of the
    first. Names and column numbers differ: column 7 and the name "7" are two features.
    A value of 0 uses no bucket. What learners refuse in any row (a value that is not
    finite, a duplicate feature) is refused here, where it still has its name.

    The hash never changes and has no seed. Let c be 0x9E3779B97F4A7C15. The hash of a
    column number is the finaliser of splitmix64, applied to the number plus c. The
    UTF-8 bytes of a name are cut into groups of eight, each a little-endian number, the
    last perhaps of fewer bytes; f(a, b) is the lower half of the 128-bit product, xor
    the upper half. Then h starts as 0xCBF29CE484222325 and becomes f(h ^ group, c) for
    all but the last group, and the hash is f(h ^ last, (2 * bytes + 1) * c). The lowest
    `bits` bits are the bucket.

    Parameters
    ----------
    stream
        One of `littlestone.streams`, hashed in blocks, or any iterable of `(x, y)`,
        hashed one example at a time.
    bits
        From 1 to 24.
    outcome
        For an iterable: `"label"` for yes and no, which is the default, or `"class"` to
        keep labels as they are. A stream has this option itself.

    Examples
    --------
    >>> from littlestone import streams
    >>> stream = streams.hashed([({"free": 1, "money": 1}, True)], bits=10)
    >>> list(stream)
    [({566: 1.0, 166: 1.0}, True)]
    >>> stream.bucket("money"), stream.buckets, stream.collisions
    (166, 2, 0.0)
    """
    return HashedStream(stream, bits, outcome)


class HashedStream(DerivedStream, HashingStream):
    """A stream whose features are hashed; made by `streams.hashed`.

    Attributes
    ----------
    collisions
        The share of entries in the latest reading whose bucket was first used by
        another feature.
    buckets
        How many buckets the latest reading used.
    """

    _hashing: Hashing

    def __init__(
        self,
        stream: Stream | Iterable[tuple[Example, Any]],
        bits: int,
        outcome: str | None,
    ) -> None:
        self._in_blocks = isinstance(stream, Stream) and not stream.of_mappings
        if isinstance(stream, Stream) and self._in_blocks:
            if outcome is not None:
                raise ParameterError(
                    "outcome must be given to the stream that is hashed, "
                    f"got {str(outcome)!r} for {stream!r}",
                    owner="hashed",
                )
            self.outcome = stream.outcome
        else:
            self.outcome = as_outcome("hashed", outcome or Outcome.LABEL)
        self._hashing, self._stream = Hashing("hashed", bits), stream

    def __repr__(self) -> str:
        return f"hashed({self._stream!r}, bits={self._hashing.bits})"

    @property
    def reading(self) -> Reading | None:
        """How its source is read, and into how many columns it is hashed."""
        source = self._stream.reading if isinstance(self._stream, Stream) else None
        if source is None:
            return None
        return replace(
            source, options={**source.options, "hash_bits": self._hashing.bits}
        )

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        return super().blocks() if self._in_blocks else self._one_by_one(self._stream)

    def _blocks(self) -> Iterator[Block]:
        return self._stream.blocks()  # type: ignore[no-any-return]  # of a stream

    def _one_by_one(self, stream: Iterable[tuple[Example, Any]]) -> Iterator[Block]:
        """Yield blocks of one example: the next may depend on what was learned."""
        hasher = self._hashing.begin()
        label_of = _as_it_is if self.outcome is Outcome.CLASS else _OneAlphabet()
        for x, y in stream:
            labels = label_of(y)
            rows = _hash_one(hasher, x).rows()
            yield Block(rows, labels, 0, 1, _nowhere)


def _nowhere(_: int) -> str:
    """Return nothing, so that `run` names the round."""
    return ""


def _as_it_is(y: Any) -> NDArray[Any]:
    return objects([as_class(y)])


class _OneAlphabet:
    """Labels yes and no, with only one way to write no."""

    def __init__(self) -> None:
        self._minus: bool | None = None

    def __call__(self, y: Any) -> NDArray[np.bool_]:
        label = as_label(y)
        if not label:
            if self._minus not in (None, y == -1):
                raise refusal("alphabet", value=y)
            self._minus = bool(y == -1)
        return np.array([label])


def _hash_one(hasher: _core.Hasher, x: Example) -> _core.HashedBlock:
    features, cells = _entries(x)
    if len(set(features)) < len(features):
        twice = next(f for k, f in enumerate(features) if f in features[:k])
        raise refusal("duplicate", feature=twice)
    values = [_number(f, cell) for f, cell in zip(features, cells, strict=True)]
    made = hasher.hash_one(features, values)
    if made.fault is not None:
        kind, position = made.fault
        raise refusal(kind, feature=features[position], value=values[position])
    return made


def _entries(x: Example) -> tuple[list[Any], list[Any]]:
    """Return the features of one example and their values."""
    if hasattr(x, "keys"):
        x = dict(x)
        return list(x), list(x.values())
    if hasattr(x, "tocsr"):
        row = x.tocsr()
        if len(row.indptr) == 2:  # noqa: PLR2004 - where one row begins and ends
            x = (row.indices[slice(*row.indptr)], row.data[slice(*row.indptr)])
    if (
        isinstance(x, tuple)
        and len(x) == 2  # noqa: PLR2004 - columns and values
        and isinstance(x[0], (list, tuple, np.ndarray))
    ):
        columns, values = list(x[0]), list(x[1])
        if len(columns) == len(values) and not any(isinstance(c, str) for c in columns):
            return columns, values
    elif isinstance(x, (list, tuple)) or (
        isinstance(x, np.ndarray)
        and x.ndim == 1
        and not isinstance(x, np.ma.MaskedArray)
    ):
        return list(range(len(x))), list(x)
    raise refusal("example", value=x)


def _number(feature: object, cell: Any) -> float:
    try:
        if isinstance(cell, (str, bytes, complex)):
            raise TypeError  # noqa: TRY301 - float("1") would accept text
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        raise refusal("number", feature=feature, value=cell) from None
