"""What may go wrong with a certificate that nothing can be computed with."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from littlestone.errors import LittlestoneError, WorkError
from littlestone.verifying.proofs import Unsound

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["FAULTS", "faults", "is_wrong"]

# What twins, proofs and theorems may raise if they get what no learner would have.
FAULTS = (
    *(ArithmeticError, AttributeError, LookupError, TypeError, ValueError),
    *(MemoryError, RecursionError),
)


@contextmanager
def faults(what: str) -> Iterator[None]:
    """Find a certificate unsound whose values nothing can be computed with."""
    try:
        yield
    except WorkError:
        raise
    except (LittlestoneError, *FAULTS) as error:
        raise Unsound(f"{what}: {error}") from None


def is_wrong(said: Any, y: Any) -> bool:
    """Return whether a round was a mistake; of a distribution the likeliest counts.

    Examples
    --------
    >>> from littlestone.verifying._faults import is_wrong
    >>> is_wrong([0.2, 0.8], 1), is_wrong(True, False)
    (False, True)
    """
    if isinstance(said, list):
        said = said.index(max(said))
    return bool(said != y)
