"""A stream whose examples a map has changed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from littlestone.errors import ExampleError, ParameterError
from littlestone.learner.advice import Advice
from littlestone.streams._base import Block, Chosen, DerivedStream, Stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from littlestone.maps import Map

__all__ = ["MappedStream"]


class MappedStream(DerivedStream):
    """The examples of a stream as a learner behind a map gets them.

    Each reading begins the map anew, and reads the stream `passes` times.
    """

    def __init__(self, stream: Stream, chosen: Map, passes: int = 1) -> None:
        self._stream, self._map, self._passes = stream, chosen, passes
        self.outcome = stream.outcome

    def __repr__(self) -> str:
        return f"MappedStream({self._stream!r}, {self._map!r})"

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        begun = self._map.begin()
        for _ in range(self._passes):
            for block in self._stream.blocks():
                if isinstance(block.rows, Advice):
                    raise ParameterError(
                        "a stream must have features to map, got forecasts of experts",
                        owner="mapped",
                    )
                yield from _mapped(begun, block)


def _mapped(begun: Any, block: Block) -> Iterator[Block]:
    at = block.first
    while at < block.last:
        to = begun.end(block.rows, at, block.last)
        made = begun.block(block.rows, at, to, learn=True)
        if made.rows is None:
            raise ParameterError(
                "mapped features must be all names or all column numbers, got both",
                owner="mapped",
            )
        if made.count:
            yield replace(
                block,
                rows=made.rows,
                labels=block.labels[at : at + made.count],
                first=0,
                last=made.count,
                where=Chosen(block.where, range(at, at + made.count)),
            )
        at += made.count
        if made.refuse is not None:
            try:
                made.refuse(at, at)
            except ExampleError as error:
                error.where = block.where(at)
                raise
