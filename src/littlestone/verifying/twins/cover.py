"""Cover's learner in plain Python, in whole numbers."""

from __future__ import annotations

import hashlib
import itertools
import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Cover"]


class Cover:
    """The twin of `littlestone.experts.Cover`.

    Examples
    --------
    >>> from littlestone.verifying.twins import Cover
    >>> twin = Cover(horizon=2)
    >>> twin.probability(), twin.play(None, False), twin.probability()
    (Fraction(1, 2), False, Fraction(0, 1))
    """

    def __init__(self, horizon: int, phi: Any = None, seed: int = 0) -> None:
        self.horizon, self.phi, self.seed = horizon, phi, seed
        self.labels: list[int] = []
        self.ones = 0
        self.scale = 1  # times a power of two, the denominator of every chance
        self.wrong = 0  # expected mistakes, over scale * 2^horizon
        if phi is None:
            # In how many ways the other rounds, if they were coins, come to half of the
            # ones or more, and in how many to one less.
            ways = list(_ways(horizon - 1))
            needed = (horizon + 1) // 2
            self.enough = sum(ways[needed:])
            self.short = ways[needed - 1]
        else:
            given = phi
            if callable(phi):
                every = itertools.product((0, 1), repeat=horizon)
                given = [phi(bits) for bits in every]
            shares = [Fraction(share) for share in given]
            self.scale = math.lcm(*{share.denominator for share in shares})
            self.values = [int(share * self.scale) for share in shares]

    @property
    def updates(self) -> int:
        """How many labels it has counted."""
        return len(self.labels)

    @property
    def expected_mistakes(self) -> Fraction:
        """The expected mistakes so far."""
        return Fraction(self.wrong, self.scale << self.horizon)

    def play(self, x: object, y: bool) -> bool:  # noqa: ARG002 - it ignores the example
        """Predict, then remember the label."""
        told, left = len(self.labels), self.horizon - len(self.labels) - 1
        chance, whole = self._chance(), self.scale << left + 1
        key = f"littlestone Cover {self.seed} {told}".encode()
        # 4096 binary digits decide, unless a fraction agrees with all of them.
        drawn = int.from_bytes(hashlib.shake_128(key).digest(512), "big")
        self.wrong += (whole - chance if y else chance) << told
        if self.phi is None and left:
            self._tell(left, int(y))
        self.labels.append(int(y))
        self.ones += y
        return drawn * whole < chance << 4096

    def probability(self) -> Fraction:
        """Return the probability of saying yes in the next round."""
        left = self.horizon - len(self.labels) - 1
        return Fraction(self._chance(), self.scale << left + 1)

    def _chance(self) -> int:
        """Return the probability, over the scale times 2^(rounds left)."""
        left = self.horizon - len(self.labels) - 1
        if self.phi is None:
            draws = self.short if self.horizon % 2 else 0
            return 2 * self.enough + draws
        lead = self._total(0, left) - self._total(1, left)
        return (self.scale << left) + self.horizon * lead

    def _tell(self, left: int, y: int) -> None:
        """Count the ways of one flip less, of which `y` more need not be ones."""
        needed = (self.horizon + 1) // 2 - self.ones
        # C(l - 1, k) of C(l, k), and Pascal's rule.
        same = self.short * (left - needed + 1) // left if 0 < needed <= left else 0
        self.enough = (self.enough - same) // 2
        if y:
            self.enough += same
            self.short -= same
        else:
            self.short = same

    def _total(self, bit: int, left: int) -> int:
        """Return the sum of phi over all continuations of this bit, in units."""
        if callable(self.phi):
            start = 0
            for each in (*self.labels, bit):
                start = 2 * start + each
            return sum(self.values[start << left : start + 1 << left])
        total = 0
        for ones, ways in enumerate(_ways(left), self.ones + bit):
            total += ways * self.values[ones]
        return total


def _ways(flips: int) -> Iterator[int]:
    """Yield in how many ways this many coins show no heads, one, two and so on."""
    ways = 1
    for heads in range(flips + 1):
        yield ways
        ways = ways * (flips - heads) // (heads + 1)
