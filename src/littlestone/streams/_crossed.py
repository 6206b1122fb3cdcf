"""Products of features, of one group with another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError
from littlestone.maps import Crossed
from littlestone.streams._base import Stream
from littlestone.streams._mapped import MappedStream

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["crossed"]


def crossed(stream: Any, pairs: Sequence[tuple[str | int, str | int]]) -> MappedStream:
    r"""Stream the examples of another stream with products of their features.

    The group `a` is the feature `a` and every feature whose name begins with `a=` or
    `a^`, as those of a column of categories or of a namespace. The originals stay, and
    the product of `a` and `b` is named `a*b`. To keep the products with a model, put
    the learner behind `maps.Crossed` instead.

    Parameters
    ----------
    stream
        A stream of `littlestone.streams` with features.
    pairs
        Pairs of groups; a pair of a group with itself takes each product once.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from littlestone import streams
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "flats.vw"
    >>> _ = path.write_text("1 |town Ulm |kind flat\n")
    >>> stream = streams.crossed(streams.vw(path), [("town", "kind")])
    >>> [sorted(x) for x, _ in stream]
    [['kind^flat', 'town^Ulm', 'town^Ulm*kind^flat']]
    """
    if not isinstance(stream, Stream) or stream.of_advice:
        raise ParameterError(
            f"a stream of littlestone with features is needed, got {stream!r}",
            owner="crossed",
        )
    return MappedStream(stream, Crossed(pairs))
