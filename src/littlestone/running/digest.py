"""The digest of what a run plays: written natively where rounds come in blocks."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone import _core
from littlestone.learner import told, without_weights
from littlestone.verifying._digest import (
    FORMAT,
    Digest,
    beginning,
    feature_key,
    format_of,
    written_class,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.learner.advice import Advice
    from littlestone.learner.rows import Example
    from littlestone.outcome import Outcome

__all__ = ["RunDigest"]

# Bytes of advice written at a time: few enough to stay in the cache.
_ENOUGH = 1 << 18


class RunDigest:
    """The digest of a stream, taken as it is played.

    It is that of `Digest`, which writes the rounds that are played one by one; blocks
    are written natively.

    Parameters
    ----------
    of, outcome
        As in `Digest`.

    Examples
    --------
    >>> from littlestone.outcome import Outcome
    >>> from littlestone.running.digest import RunDigest
    >>> from littlestone.verifying import Digest
    >>> plain, ours = Digest(), RunDigest("features", Outcome.LABEL)
    >>> plain.add({"a": 1.0}, True)
    >>> ours.add(ours.encode({"a": 1.0}, True))
    >>> str(ours) == str(plain)
    True
    """

    def __init__(self, of: Literal["features", "advice"], outcome: Outcome) -> None:
        self._of, self._outcome = of, outcome
        self._plain = Digest(of, outcome)
        self.encode = self._plain.encode
        self._native = _core.StreamDigest(beginning(of))
        self.add = self._native.add
        self._templates: dict[Any, _Template] = {}
        self._older: Digest | None = None  # in the format of an older checkpoint

    def __str__(self) -> str:
        return self._plain.prefix + self._native.digest().hex()

    def add_one(self, x: Example, y: Any) -> None:
        """Add a round."""
        self.add(self.encode(x, y))
        if self._older is not None:
            self._older.add(x, y)

    def add_rows(self, rows: _core.Rows, labels: NDArray[Any], played: range) -> None:
        """Add rows of a block."""
        first, last = played.start, played.stop
        if self._older is not None:
            for at in played:
                self._older.add(rows.row(at), told(labels[at : at + 1])[0])
        plain, weights = without_weights(labels)
        counts = None if weights is None else (weights[first:last] != 1)
        if plain.dtype == np.bool_ and (counts is None or not counts.any()):
            self._native.add_rows(rows, plain, first, last)
            return
        known: dict[Any, bytes] = {}
        written = [b""] * first
        for label in plain[first:last].tolist():
            # Equal labels need not have the same bytes: 1 and True are equal.
            key = (type(label), label)
            if key not in known:
                known[key] = written_class(label)
            written.append(known[key])
        if weights is not None and counts is not None:
            for at in np.flatnonzero(counts).tolist():
                weight = struct.pack("<cd", b"w", weights[first + at])
                written[first + at] = weight + written[first + at]
        self._native.add_written(rows, written, first, last)

    def add_advice(self, advice: Advice, outcomes: NDArray[Any], played: range) -> None:
        """Add rounds of advice of a block."""
        if not played:
            return
        if self._older is not None:
            for at in played:
                self._older.add(advice.row(at), outcomes[at])
        values = advice.values
        names = range(values.shape[1]) if advice.names is None else advice.names
        width = values.shape[2] if values.ndim > 2 else None  # noqa: PLR2004 - of a distribution
        form = (tuple(names), values.dtype == np.bool_, width)
        template = self._templates.get(form)
        if template is None:
            template = _Template(*form, numbers=self._outcome.charged)
            self._templates = {form: template}
        some = max(1, _ENOUGH // template.size)
        for first in range(played.start, played.stop, some):
            here = slice(first, min(first + some, played.stop))
            self.add(
                template.fill(values[here], outcomes[here], sleepy=advice.may_sleep)
            )

    # A run that is resumed --------------------------------------------------------

    def expect(self, digest: str | None) -> None:
        """Prepare to compare the rounds skipped with the digest of a checkpoint."""
        number = format_of(digest)
        if number is not None and number != FORMAT:
            self._older = Digest(self._of, self._outcome, number)

    def is_expected(self, digest: str | None) -> bool:
        """Return whether the rounds so far have this digest; the rest follows."""
        found = str(self if self._older is None else self._older)
        self._older = None
        return found == digest


class _Template:
    """The bytes of a round of advice, with gaps for what changes between rounds.

    Parameters
    ----------
    names
        The experts.
    truth
        Whether they say yes or no.
    width
        How many outcomes each distribution covers; None if experts say one number.
    numbers
        Whether outcomes are numbers.
    """

    def __init__(
        self, names: tuple[Any, ...], truth: bool, width: int | None, *, numbers: bool
    ) -> None:
        head = b"b" if truth else b"d"
        if width is not None:
            head = b"v" + struct.pack("<I", width)
        room = 1 if truth else 8 * (width or 1)
        pieces, ends = bytearray(), []
        self._places: list[int] = []
        for name in names:
            pieces += feature_key(name) + head
            self._places += range(len(pieces), len(pieces) + room)
            pieces += bytes(room)
            ends.append(len(pieces))
        self._lengths = np.diff(ends, prepend=0)
        pieces += b"r" if numbers else b"y"
        self._label = slice(len(pieces), len(pieces) + (8 if numbers else 1))
        pieces += bytes(self._label.stop - self._label.start)
        self._bytes = np.frombuffer(bytes(pieces), dtype=np.uint8)
        self._numbers = numbers
        self.size = len(pieces)

    def fill(
        self, values: NDArray[Any], outcomes: NDArray[Any], *, sleepy: bool
    ) -> bytes:
        """Return the bytes of some rounds."""
        rounds = len(values)
        filled = np.tile(self._bytes, (rounds, 1))
        filled[:, self._places] = _raw(values, truth=values.dtype == np.bool_)
        filled[:, self._label] = _raw(outcomes, truth=not self._numbers)
        if not sleepy:
            return filled.tobytes()
        awake = ~np.isnan(values)
        awake = awake.any(axis=2) if awake.ndim > 2 else awake  # noqa: PLR2004 - of a distribution
        there = np.ones(filled.shape, dtype=np.bool_)
        there[:, : self._lengths.sum()] = np.repeat(awake, self._lengths, axis=1)
        return filled[there].tobytes()


def _raw(numbers: NDArray[Any], *, truth: bool) -> NDArray[np.uint8]:
    """Return the bytes of truth values or doubles, one row per round."""
    plain = np.ascontiguousarray(numbers, dtype=np.uint8 if truth else "<f8")
    return plain.view(np.uint8).reshape(len(numbers), -1)
