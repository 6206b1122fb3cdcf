"""Concepts that change over time."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learner.parameters import whole
from littlestone.streams._base import Block, Stream, examples
from littlestone.streams.synthetic._base import Round, Synthetic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from littlestone.learner.rows import Example

__all__ = ["drifting"]


def drifting(
    rounds: int | None,
    every: int,
    make: Callable[..., Synthetic],
    *,
    seed: int = 0,
    **options: Any,
) -> DriftingStream:
    """Stream examples of a concept that changes at regular intervals.

    Parameters
    ----------
    rounds
        How many rounds; None for an endless stream.
    every
        How many rounds a concept lasts.
    make
        Another function of `streams.synthetic`, which makes the parts.
    seed
        The seed from which those of the parts are drawn.
    options
        The other arguments of `make`, besides rounds and seed.

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
        # Keep a few, since the same part is often needed again.
        self.part = lru_cache(maxsize=8)(self._part)
        first = self.part(0)
        if not isinstance(first, Synthetic):
            raise ParameterError(
                "make must be a function of streams.synthetic for one concept, "
                f"got {make!r}",
                owner="drifting",
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
        """The rounds at which the concept changes, counted from 0."""
        if self.rounds is None:
            raise ParameterError(
                "rounds must be a number to know all changes, got None",
                owner="drifting",
            )
        return range(self.every, self.rounds, self.every)

    def target_at(self, at: int) -> Any:
        """Return the concept behind the label of a round."""
        return self.part(at // self.every).target

    def _part(self, number: int) -> Synthetic:
        """Return the stream of one concept, counted from 0."""
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
