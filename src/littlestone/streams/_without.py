"""A stream without some of its examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.streams._base import Block, DerivedStream, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from littlestone.streams._reading import Reading

__all__ = ["without"]


def without(stream: Stream, places: ArrayLike) -> WithoutStream:
    """Leave out the examples in some places of a stream, counted from 0.

    A certificate of a run that left out what the learner refused is about the other
    examples: verify it with `streams.without(stream, record.refused_at)`.

    Parameters
    ----------
    stream
        The stream.
    places
        The places to leave out.

    Examples
    --------
    >>> from littlestone import run, streams
    >>> from littlestone.linear import Winnow
    >>> stream = streams.arrays([[1.0], [7.0], [0.5]], [1, 0, 1])
    >>> record = run(Winnow(threshold=1), stream, on_error="skip")
    >>> record.refused_at.tolist()
    [1]
    >>> fewer = streams.without(stream, record.refused_at)
    >>> run(Winnow(threshold=1), fewer).rounds
    2
    """
    if not isinstance(stream, Stream):
        raise ParameterError(
            f"the stream must be one of littlestone.streams, got {stream!r}",
            owner="without",
        )
    found = np.unique(np.asarray(places, dtype=np.int64))
    if len(found) and found[0] < 0:
        raise ParameterError(
            f"places must be counted from 0, got {found[0]}", owner="without"
        )
    return WithoutStream(stream, found.tolist())


class WithoutStream(DerivedStream):
    """A stream without some of its examples; made by `streams.without`."""

    _stream: Stream

    def __init__(self, stream: Stream, places: list[int]) -> None:
        self._stream, self._places = stream, places
        self.outcome = stream.outcome
        self.of_advice = stream.of_advice  # type: ignore[misc]  # as the stream is
        self.of_mappings = stream.of_mappings  # type: ignore[misc]  # as the stream is
        self.in_memory = stream.in_memory  # type: ignore[misc]  # as the stream is

    def __repr__(self) -> str:
        return f"{self._stream!r} without {len(self._places)} examples"

    @property
    def reading(self) -> Reading | None:
        """How the stream is read."""
        return self._stream.reading

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        place, left = 0, iter([*self._places, -1])
        out = next(left)
        for block in self._stream.blocks():
            first, end = block.first, place + block.last - block.first
            while place <= out < end:
                row = block.last - (end - out)
                if row > first:
                    yield replace(block, first=first, last=row)
                first, out = row + 1, next(left)
            if first < block.last:
                yield replace(block, first=first)
            place = end

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield the examples one by one, as the stream does."""
        out = frozenset(self._places)
        for place, example in enumerate(self._stream):
            if place not in out:
                yield example
