"""Cover's learner in plain Python, by direct sums."""

from __future__ import annotations

import hashlib
import itertools
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
        self.labels: tuple[int, ...] = ()
        self.expected_mistakes = Fraction(0)

    @property
    def updates(self) -> int:
        """How many labels it has counted."""
        return len(self.labels)

    def play(self, x: object, y: bool) -> bool:  # noqa: ARG002 - it ignores the example
        """Predict, then remember the label."""
        chance = self.probability()
        key = f"littlestone Cover {self.seed} {len(self.labels)}".encode()
        # 4096 binary digits decide, unless a fraction agrees with all of them.
        drawn = int.from_bytes(hashlib.shake_128(key).digest(512), "big")
        self.expected_mistakes += 1 - chance if y else chance
        self.labels += (int(y),)
        return Fraction(drawn, 2**4096) < chance

    def probability(self) -> Fraction:
        """Return the probability of saying yes in the next round."""
        n, half = self.horizon, Fraction(1, 2)
        if self.phi is not None:
            return half + n * (self._mean(0) - self._mean(1)) / 2
        left, ones, difference = n - len(self.labels) - 1, sum(self.labels), 0
        for more, ways in enumerate(_ways(left)):
            if 2 * (ones + more) >= n:
                difference += ways
            elif 2 * (ones + more) <= n - 2:
                difference -= ways
        return half + Fraction(difference, 2 << left)

    def _mean(self, bit: int) -> Fraction:
        """Return the mean of phi over all continuations of this bit."""
        start, total = (*self.labels, bit), Fraction(0)
        left = self.horizon - len(start)
        if callable(self.phi):
            for rest in itertools.product((0, 1), repeat=left):
                total += Fraction(self.phi(start + rest))
        else:
            ones = sum(start)
            for more, ways in enumerate(_ways(left)):
                total += ways * Fraction(self.phi[ones + more])
        return total / (1 << left)


def _ways(flips: int) -> Iterator[int]:
    """Yield in how many ways this many coins show no heads, one, two and so on."""
    ways = 1
    for heads in range(flips + 1):
        yield ways
        ways = ways * (flips - heads) // (heads + 1)
