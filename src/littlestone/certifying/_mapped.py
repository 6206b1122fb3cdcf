"""Certify a learner behind a map: its theorems hold on the mapped examples."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from littlestone.certifying._parameters import behind
from littlestone.conformal import Adaptive
from littlestone.errors import PremiseError
from littlestone.experts import Committee
from littlestone.running import run
from littlestone.streams import Stream
from littlestone.streams._mapped import MappedStream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.maps import Map, Mapped
    from littlestone.verifying import Certificate

__all__ = ["mapped_certificate"]


def mapped_certificate(
    learner: Mapped,
    stream: Any,
    passes: int,
    certify: Callable[..., Certificate],
    **wanted: Any,
) -> Certificate:
    """Certify a run of a mapped learner.

    The learner behind the map is certified on the mapped examples. The certificate
    names the map, and has the digest of the stream as it is, so that the judge maps it
    again.
    """
    blocks = isinstance(stream, Stream) and not stream.of_mappings
    made: Any = (MappedStream if blocks else _Examples)(stream, learner.map, passes)
    found = certify(learner.learner.clone(), made, **wanted)
    inner = learner.learner
    around = isinstance(inner, Adaptive) and inner.forecaster is not None
    said = (
        isinstance(inner, Committee) and "committee" not in found.learner["parameters"]
    )
    if around or said:  # what is certified is not what the map makes
        raise PremiseError(
            "behind a map the judge must be able to play what is certified, but cannot "
            f"play what {type(inner).__name__} gets from its learners; put the map "
            "before these",
            owner="certify",
        )
    played = run(learner.clone(), stream, passes=passes, keep="nothing", digest=True)
    parameters = behind(learner.map, found.learner["parameters"])
    return replace(
        found,
        learner={**found.learner, "parameters": parameters},
        passes=passes,
        digest=played.digest or "",
    )


class _Examples:
    """The mapped examples of a stream that is not read in blocks, over and over."""

    def __init__(self, stream: Any, chosen: Map, passes: int) -> None:
        self._stream, self._map, self._passes = stream, chosen, passes

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        repeated = (each for _ in range(self._passes) for each in self._stream)
        return self._map.examples(repeated)
