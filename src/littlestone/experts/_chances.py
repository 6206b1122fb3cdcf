r"""How likely Cover's learner is to say yes, exactly, round after round.

With $n$ rounds in all, $m$ of them after this one, and $\Phi(b)$ the mean of $\phi$
over coin flips for those $m$ if this round's bit is $b$, the chance is

$$q = \frac12 + \frac n2 (\Phi(0) - \Phi(1)).$$

Each class keeps it as `numerator` over `scale * 2**flips`, and `tell` moves on to the
next round. They trust: $\phi$ was checked before.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Protocol

if TYPE_CHECKING:
    from fractions import Fraction

__all__ = ["Chances", "Counts", "Leaves", "Tails", "scaled"]


class Chances(Protocol):
    """The chance of saying yes in this round, and in the next ones.

    `saved` names what a model file keeps of it.
    """

    saved: ClassVar[tuple[str, ...]]
    scale: int
    numerator: int
    flips: int

    def tell(self, bit: bool) -> None:
        """Move to the next round."""


class Tails:
    r"""For $\phi = \min(k, n - k)/n$ and a constant: the chance that ones win.

    For even $n$ the chance is $P[B \ge n/2 - k]$ with $B$ the ones among the $m$ flips
    to come, and for odd $n$ it is $P[B \ge (n + 1)/2 - k]$ with this round flipped as
    well. Both are $S(f, j)/2^f$ with $S(f, j) = \sum_{i \ge j} \binom fi$, where $f$
    starts at the odd one of $n - 1$ and $n$, and $j$ at $(f + 1)/2$. As

    $$S(f, j) = 2 S(f - 1, j) + \binom{f-1}{j-1},$$

    a round costs a few operations on whole numbers of $n$ bits.
    """

    saved: ClassVar[tuple[str, ...]] = ("flips", "needed", "numerator", "term")
    scale = 1

    def __init__(self, horizon: int) -> None:
        self.flips = horizon if horizon % 2 else horizon - 1
        self.needed = (self.flips + 1) // 2
        self.numerator = 1 << (self.flips - 1)  # S(flips, needed), by symmetry

    @cached_property
    def term(self) -> int:
        """C(flips - 1, needed - 1); slow for many flips, and a loaded one has it."""
        return math.comb(self.flips - 1, self.needed - 1)

    def tell(self, bit: bool) -> None:
        """Move to the next round."""
        flips, needed, term = self.flips, self.needed, self.term
        self.flips, self.needed = flips - 1, needed - bit
        if not 1 <= needed <= flips:  # ones have won, or cannot win any more
            self.numerator >>= 1
            return
        self.numerator = ((self.numerator - term) >> 1) + term * bit
        # From C(f - 1, j - 1) to C(f - 2, j - 2) or C(f - 2, j - 1).
        self.term = term * (needed - 1 if bit else flips - needed) // max(flips - 1, 1)


class Counts:
    r"""For $\phi$ that depends on the number of ones alone.

    `drops` holds $n (\phi(k) - \phi(k + 1))$ times `scale`, for each number of ones $k$
    that the other rounds can still come to.
    """

    saved: ClassVar[tuple[str, ...]] = ("scale", "drops", "flips", "numerator")

    def __init__(self, values: list[int], scale: int) -> None:
        self.scale = scale
        horizon = len(values) - 1
        self.drops = [
            horizon * (values[ones] - values[ones + 1]) for ones in range(horizon)
        ]
        self._count()

    def tell(self, bit: bool) -> None:
        """Move to the next round."""
        self.drops = self.drops[1:] if bit else self.drops[:-1]
        if self.drops:
            self._count()

    def _count(self) -> None:
        self.flips = len(self.drops)
        total, ways = 0, 1
        for ones, drop in enumerate(self.drops):
            total += ways * drop
            ways = ways * (self.flips - 1 - ones) // (ones + 1)
        self.numerator = (self.scale << (self.flips - 1)) + total


class Leaves:
    r"""For any $\phi$: its values on all sequences that can still come, in order."""

    saved: ClassVar[tuple[str, ...]] = (
        "scale",
        "horizon",
        "values",
        "flips",
        "numerator",
    )

    def __init__(self, values: list[int], scale: int, horizon: int) -> None:
        self.scale = scale
        self.horizon = horizon
        self.values = values
        self._add()

    def tell(self, bit: bool) -> None:
        """Move to the next round."""
        half = len(self.values) // 2
        self.values = self.values[half:] if bit else self.values[:half]
        if half > 1:
            self._add()

    def _add(self) -> None:
        half = len(self.values) // 2
        self.flips = half.bit_length()
        difference = sum(self.values[:half]) - sum(self.values[half:])
        self.numerator = self.scale * half + self.horizon * difference


def scaled(values: list[Fraction]) -> tuple[list[int], int]:
    """Return numerators over one common denominator, and that denominator.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.experts._chances import scaled
    >>> scaled([Fraction(1, 2), Fraction(2, 3)])
    ([3, 4], 6)
    """
    scale = math.lcm(*{value.denominator for value in values})
    return [value.numerator * (scale // value.denominator) for value in values], scale
