"""Hashes the features of blocks into buckets, and counts collisions."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from littlestone import _core
from littlestone.errors import ParameterError, refusal
from littlestone.learner.advice import Advice
from littlestone.streams._base import Block, Chosen, Stream, examples

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from littlestone.learner.rows import Example

__all__ = ["Hashing", "HashingStream"]

_MOST_BITS = 24


class Hashing:
    """Hashes the features of blocks; each reading starts with empty buckets."""

    def __init__(self, owner: str, bits: int) -> None:
        if (
            not isinstance(bits, int)
            or isinstance(bits, bool)
            or not 1 <= bits <= _MOST_BITS
        ):
            name = "bits" if owner == "hashed" else "hash_bits"
            raise ParameterError(
                f"{name} must be a whole number from 1 to {_MOST_BITS}, got {bits!r}",
                owner=owner,
            )
        self.bits = bits
        self.latest: _core.Hasher | None = None

    def begin(self) -> _core.Hasher:
        """Start a reading."""
        self.latest = _core.Hasher(self.bits)
        return self.latest

    def blocks(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the hashed blocks, then raise what stopped the hashing."""
        hasher = self.begin()
        for block in blocks:
            if isinstance(block.rows, Advice):
                raise ParameterError(
                    "a stream must have features to hash, got forecasts of experts",
                    owner="hashed",
                )
            made = hasher.hash(block.rows, block.first, block.last)
            last = block.first + len(made)
            if len(made):
                yield replace(
                    block,
                    rows=made.rows(),
                    labels=block.labels[block.first : last],
                    first=0,
                    last=len(made),
                    where=Chosen(block.where, range(block.first, last)),
                )
            if made.fault is not None:
                kind, position = made.fault
                if position >= block.rows.nonzeros(last):
                    raise refusal("changed")
                feature, value = block.rows.entry(last, position)
                error = refusal(kind, row=last, feature=feature, value=value)
                error.where = block.where(last)
                raise error


class HashingStream(Stream):
    """A stream of features that are read: it can hash them, and read more like them."""

    _hashing: Hashing | None

    @abstractmethod
    def _blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order, before they are hashed."""

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        blocks = self._blocks()
        return blocks if self._hashing is None else self._hashing.blocks(blocks)

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one, as mappings from feature to value."""
        return examples(self.blocks())

    def features(self, example: str | Mapping[str, Any]) -> Example:
        r"""Return the features of one example without a label, read as the stream is.

        Parameters
        ----------
        example
            A text, for a stream of texts; a line, or a mapping from column to cell.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from littlestone import streams
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "mail.tsv"
        >>> _ = path.write_text("spam\tfree money\n")
        >>> stream = streams.text(path, label=0, positive="spam")
        >>> stream.features("Money, money!")
        {'money': 1.0}
        """
        reading = self.reading
        if reading is None:
            raise ParameterError(
                f"a stream must be read from a file to read more, got {self!r}",
                owner="features",
            )
        return reading.features(example)

    @property
    def collisions(self) -> float:
        """The share of entries whose bucket was first used by another feature.

        Of the latest reading; 0 before anything is read.
        """
        hasher = self._hashing and self._hashing.latest
        return hasher.collided / hasher.occurrences if hasher and self.buckets else 0.0

    @property
    def buckets(self) -> int:
        """How many buckets the latest reading used."""
        hasher = self._hashing and self._hashing.latest
        return hasher.buckets if hasher else 0

    def bucket(self, feature: str | int) -> int:
        """Return the column that a feature, a name or a number, is hashed to."""
        if self._hashing is None:
            raise ParameterError(
                f"the stream must be hashed, got {self!r}", owner="bucket"
            )
        return _core.bucket(feature, self._hashing.bits)
