"""Concepts that change from time to time."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.parameters import whole
from littlestone.streams._base import Block, Stream, examples
from littlestone.streams.synthetic._base import Round, Synthetic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.rows import Example

__all__ = ["drifting"]


def drifting(
    rounds: int | None,
    every: int,
    make: Callable[..., Synthetic],
    *,
    seed: int = 0,
    **options: Any,
) -> DriftingStream:
    """Stream examples of a concept that changes every so many rounds.

    Parameters
    ----------
    rounds
        How many; None for an endless stream.
    every
        How many rounds a concept lasts.
    make
        Another function of `streams.synthetic`, which makes the parts.
    seed
        What the seeds of the parts are drawn from.
    options
        What `make` takes besides rounds and seed.

    Examples
    --------
    >>> from littlestone.streams import synthetic
    >>> stream = synthetic.drifting(
    ...     500, 200, synthetic.disjunction, features=50, relevant=2, active=5
    ... )
    >>> stream.changes
    range(200, 500, 200)
    >>> for at in (199, 200, 499):
    ...     print(stream.target_at(at))
    x21 or x34
    x17 or x36
    x21 or x31
    >>> all(stream.target_at(at)(x) == y for at, (x, y) in enumerate(stream))
    True
    """
    return DriftingStream(rounds, every, make, seed=seed, options=options)


class DriftingStream(Stream):
    """A concept that changes; made by `streams.synthetic.drifting`.

    Attributes
    ----------
    rounds, every, seed
        As given.
    """

    def __init__(
        self,
        rounds: int | None,
        every: int,
        make: Callable[..., Synthetic],
        *,
        seed: int,
        options: dict[str, Any],
    ) -> None:
        self.rounds = None if rounds is None else whole("drifting", "rounds", rounds, 1)
        self.every = whole("drifting", "every", every, 1)
        self.seed = whole("drifting", "seed", seed, 0)
        self._make, self._options = make, dict(options)
        # A few are kept, since many are asked for more than once.
        self.part = lru_cache(maxsize=8)(self._part)
        first = self.part(0)
        if not isinstance(first, Synthetic):
            raise ParameterError(
                "drifting: make must be a function of streams.synthetic that makes a "
                f"stream of one concept, got {make!r}"
            )
        self.of_advice = first.of_advice  # type: ignore[misc]  # as the parts are
        self.outcome = first.outcome

    def __repr__(self) -> str:
        length = "endless" if self.rounds is None else f"{self.rounds:,} rounds"
        return f"drifting({length}, every={self.every}, seed={self.seed})"

    def __len__(self) -> int:
        if self.rounds is None:
            raise TypeError(f"an endless stream has no length: {self!r}")
        return self.rounds

    @property
    def changes(self) -> range:
        """The rounds at which the concept changes, the first being 0."""
        if self.rounds is None:
            raise ParameterError(
                "drifting: rounds must be a number to know all changes, got None"
            )
        return range(self.every, self.rounds, self.every)

    def target_at(self, at: int) -> Any:
        """Return the concept behind the label of a round."""
        return self.part(at // self.every).target

    def _part(self, number: int) -> Synthetic:
        """Return the stream that a concept is the target of, the first being 0."""
        key = (*b"drifting", number)
        drawn = np.random.SeedSequence(self.seed, spawn_key=key)
        seed = int(drawn.generate_state(1, np.uint64)[0])
        return self._make(rounds=self.every, seed=seed, **self._options)

    def blocks(self) -> Iterator[Block]:
        """Yield the examples in blocks, in order."""
        rounds = self.rounds
        first = 0
        for number in count():
            for block in self._part(number).blocks():
                last, done = block.last, None
                if rounds is not None:
                    last = min(last, rounds - first)
                    done = (first + last) / rounds
                yield replace(block, last=last, where=Round(first), done=done)
                first += last
                if first == rounds:
                    return

    def __iter__(self) -> Iterator[tuple[Example, Any]]:
        """Yield the examples one by one."""
        return examples(self.blocks())
