"""How twins report work that the size of an example does not show."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["spend", "spending"]

_JUDGE: ContextVar[Callable[[int], None] | None] = ContextVar("judge", default=None)


def spend(steps: int) -> None:
    """Report steps of work before they are done; the judge may refuse them.

    Outside of a judgement twins may take any time.

    Examples
    --------
    >>> from littlestone.verifying._spending import spend, spending
    >>> steps = []
    >>> with spending(steps.append):
    ...     spend(3)
    >>> spend(4)
    >>> steps
    [3]
    """
    judge = _JUDGE.get()
    if judge is not None:
        judge(steps)


@contextmanager
def spending(judge: Callable[[int], None]) -> Iterator[None]:
    """Report the work that twins do in this context to a judge."""
    token = _JUDGE.set(judge)
    try:
        yield
    finally:
        _JUDGE.reset(token)
