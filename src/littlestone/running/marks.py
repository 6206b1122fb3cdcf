"""The marks of a run: 16, 32, 64, ... rounds, after which it may be bounded."""

from __future__ import annotations

__all__ = ["is_mark", "marks_through", "until_mark"]

_FIRST = 16


def is_mark(rounds: int) -> bool:
    """Return whether so many rounds are 16, 32, 64, ...

    Examples
    --------
    >>> from littlestone.running.marks import is_mark
    >>> [rounds for rounds in range(100) if is_mark(rounds)]
    [16, 32, 64]
    """
    return rounds >= _FIRST and rounds & (rounds - 1) == 0


def marks_through(rounds: int) -> list[int]:
    """Return the marks up to so many rounds.

    Examples
    --------
    >>> from littlestone.running.marks import marks_through
    >>> marks_through(64)
    [16, 32, 64]
    """
    return [at for at in (1 << k for k in range(rounds.bit_length())) if is_mark(at)]


def until_mark(rounds: int) -> int:
    """Return how many rounds there are until the next mark.

    Examples
    --------
    >>> from littlestone.running.marks import until_mark
    >>> until_mark(0), until_mark(31), until_mark(32)
    (16, 1, 32)
    """
    return max(_FIRST, 1 << rounds.bit_length()) - rounds
