"""What synthetic streams share: random numbers, blocks, noise."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learner.parameters import finite, whole
from littlestone.outcome import Outcome
from littlestone.streams._base import Block, Stream, examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from littlestone.learner.rows import Example
    from littlestone.theorems import Theorem

__all__ = ["MOST_FEATURES", "Draws", "Round", "Synthetic", "chance", "rows_a_block"]

MOST_FEATURES = 2**31  # column numbers are signed 32-bit integers
_CELLS_A_BLOCK = 1 << 18
_MOST_ROWS = 1 << 12


def rows_a_block(cells: int) -> int:
    """Return how many rows of that many cells a block has."""
    return max(1, min(_MOST_ROWS, _CELLS_A_BLOCK // max(1, cells)))


def chance(owner: str, name: str, value: object) -> float:
    """Return a parameter that is a probability from 0 to one half."""
    number = finite(owner, name, value)
    if not 0 <= number <= 0.5:  # noqa: PLR2004 - beyond it, most labels would be flipped
        raise ParameterError(f"{name} must lie in [0, 1/2], got {value!r}", owner=owner)
    return number


class Draws:
    """Random numbers for one purpose, equal on every machine."""

    def __init__(self, seed: int, purpose: str, *number: int) -> None:
        key = (*purpose.encode(), *number)
        sequence = np.random.SeedSequence(seed, spawn_key=key)
        self._words = np.random.PCG64(sequence)

    def words(self, *shape: int) -> NDArray[np.uint32]:
        """Return words of 32 bits."""
        size = int(np.prod(shape))
        # Words of 64 bits are split in halves, the lower one first.
        drawn = np.asarray(self._words.random_raw((size + 1) // 2))
        halves = drawn.astype("<u8", copy=False).view("<u4")
        return halves[:size].astype(np.uint32, copy=False).reshape(shape)

    def below(self, bound: int, *shape: int) -> NDArray[np.int64]:
        """Return whole numbers from 0 to bound - 1; a bound is at most 2**32."""
        wide = self.words(*shape).astype(np.uint64) * np.uint64(bound)
        return (wide >> np.uint64(32)).astype(np.int64)

    def coins(self, *shape: int) -> NDArray[np.bool_]:
        """Return truth values, both equally likely."""
        size = int(np.prod(shape))
        drawn = self.words((size + 31) // 32).astype("<u4", copy=False)
        bits = np.unpackbits(drawn.view(np.uint8), count=size)
        return bits.astype(np.bool_).reshape(shape)

    def events(self, likely: float, *shape: int) -> NDArray[np.bool_]:
        """Return truth values that are true with a probability, to 32 bits."""
        return self.words(*shape) < likely * 2**32

    def subsets(self, rows: int, size: int, of: int) -> NDArray[np.int32]:
        """Return in each row `size` different numbers below `of`, in order.

        All sets are equally likely.
        """
        if 2 * size > of:
            some = self.orders(rows, of)[:, :size].astype(np.int32)
            return np.sort(some, axis=1)
        found = np.sort(self.below(of, rows, size).astype(np.int32), axis=1)
        at = np.arange(rows)  # rows that may have duplicates
        while len(at):
            some = found[at]
            twice = np.zeros(some.shape, dtype=np.bool_)
            np.equal(some[:, 1:], some[:, :-1], out=twice[:, 1:])
            again = twice.any(axis=1)
            at, some, twice = at[again], some[again], twice[again]
            some[twice] = self.below(of, int(np.count_nonzero(twice)))
            found[at] = np.sort(some, axis=1)
        return found

    def orders(self, rows: int, size: int) -> NDArray[np.int64]:
        """Return in each row the numbers below size, in a random order."""
        drawn = np.asarray(self._words.random_raw(rows * size)).reshape(rows, size)
        return np.argsort(drawn, axis=1, kind="stable")


@dataclass(frozen=True)
class Round:
    """Names a row by its round."""

    first: int

    def __call__(self, row: int) -> str:
        return f"round {self.first + row}"


class Synthetic(Stream):
    """A synthetic stream, and what is known about it.

    Attributes
    ----------
    rounds
        How many rounds; None for an endless stream.
    noise
        The probability that a label is flipped.
    seed
        The seed of the random numbers.
    """

    outcome: Outcome | None = Outcome.LABEL

    _owner: str
    # How many rows a block has; the random numbers of a block depend on it.
    _size: int

    def __init__(self, *, rounds: int | None, noise: float, seed: int) -> None:
        owner = self._owner
        self.rounds = None if rounds is None else whole(owner, "rounds", rounds, 1)
        self.noise = chance(owner, "noise", noise)
        self.seed = whole(owner, "seed", seed, 0)

    def __repr__(self) -> str:
        length = "endless" if self.rounds is None else f"{self.rounds:,} rounds"
        return f"{self._owner}({length}, seed={self.seed})"

    def __len__(self) -> int:
        if self.rounds is None:
            raise TypeError(f"an endless stream has no length: {self!r}")
        return self.rounds

    @property
    @abstractmethod
    def target(self) -> Any:
        """The concept behind the labels, or the number of the best expert."""

    @property
    @abstractmethod
    def theorem(self) -> Theorem | None:
        """The theorem with the best bound on such streams; None if there is none."""

    @property
    @abstractmethod
    def numbers(self) -> dict[str, Any]:
        """What the theorem takes."""

    @cached_property
    def flipped(self) -> int:
        """How many labels of a finite stream are flipped by the noise."""
        if self.noise == 0:
            return 0
        total = 0
        for number, first in enumerate(range(0, self._finite("flipped"), self._size)):
            last = min(self._size, len(self) - first)
            total += int(np.count_nonzero(self._flips(number)[:last]))
        return total

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        rounds = self.rounds
        for number in count():
            first = number * self._size
            if rounds is not None and first >= rounds:
                return
            last, done = self._size, None
            if rounds is not None:
                last = min(last, rounds - first)
                done = (first + last) / rounds
            rows, labels = self._block(number)
            if self.noise:
                labels = labels ^ self._flips(number)
            yield Block(rows, labels, 0, last, Round(first), done)

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one."""
        return examples(self.blocks())

    @abstractmethod
    def _block(self, number: int) -> tuple[Any, NDArray[Any]]:
        """Return the rows of a block, and the labels without noise."""

    def _draws(self, purpose: str, *number: int) -> Draws:
        return Draws(self.seed, f"{self._owner} {purpose}", *number)

    def _flips(self, number: int) -> NDArray[np.bool_]:
        return self._draws("noise", number).events(self.noise, self._size)

    def _finite(self, what: str) -> int:
        """Return the number of rounds, or refuse an endless stream."""
        if self.rounds is None:
            raise ParameterError(
                f"rounds must be a number to know {what}, got None", owner=self._owner
            )
        return self.rounds
