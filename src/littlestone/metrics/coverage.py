"""How often outcomes were inside their intervals, and how wide these were."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Coverage"]


class Coverage(NamedTuple):
    """How often outcomes were inside intervals, each given before the outcome was seen.

    Attributes
    ----------
    rounds, misses
        How many intervals there were, and how many outcomes were outside.
    level
        How often an outcome should be inside.
    mean_width
        The mean width of the intervals that are finite and not empty; NaN if none is.
    allowed
        By how much the misses may differ from the share asked for, by the theorem
        `ACI`, on every sequence; None if no theorem is known.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.conformal import Adaptive
    >>> coverage = run(Adaptive(level=0.5), [(0.0, y) for y in (1, 3, 2, 2)]).coverage
    >>> coverage
    Coverage(rounds=4, misses=1, level=0.5, mean_width=4.0, allowed=11.0)
    >>> coverage.share
    0.75
    """

    rounds: int
    misses: int
    level: float
    mean_width: float
    allowed: float | None = None

    @property
    def share(self) -> float:
        """The share of outcomes that were inside; NaN before the first round."""
        return 1.0 - self.misses / self.rounds if self.rounds else math.nan

    @property
    def excess(self) -> float:
        """By how much the misses differ from the share asked for.

        Examples
        --------
        >>> from littlestone.metrics import Coverage
        >>> round(Coverage(200, 26, 0.9, 1.5, 10.0).excess, 9)
        6.0
        """
        return abs(self.misses - (1.0 - self.level) * self.rounds)

    @property
    def off(self) -> float | None:
        """By how much the share of misses may be off, by the theorem.

        Examples
        --------
        >>> from littlestone.metrics import Coverage
        >>> Coverage(200, 26, 0.9, 1.5, 10.0).off
        0.05
        """
        if self.allowed is None or not self.rounds:
            return None
        return self.allowed / self.rounds

    @property
    def vacuous(self) -> bool:
        """Whether any number of misses would be within what the theorem allows."""
        most = max(self.level, 1.0 - self.level)
        return self.off is not None and self.off >= most

    def to_dict(self) -> dict[str, float | None]:
        """Return plain data, fit for JSON."""
        return {
            "coverage": self.share if self.rounds else None,
            "misses": self.misses,
            "level": self.level,
            "mean_width": None if math.isnan(self.mean_width) else self.mean_width,
            "excess_misses": self.excess,
            "excess_allowed": self.allowed,
        }
