"""Experts and outcomes of coin flips: regret that no learner can avoid."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from littlestone.adversaries._base import Numbered, whole
from littlestone.theorems import EWA_T, Theorem

__all__ = ["RandomExperts"]


class RandomExperts(Numbered):
    r"""Experts that flip coins, and outcomes that are coin flips too.

    It is oblivious: nothing depends on what is predicted, and `stream` is the same
    sequence by itself. The coins of a round depend on the seed and the round alone.

    Parameters
    ----------
    n
        How many experts there are, $N$.
    rounds
        How many rounds to play, $T$.
    seed
        What the coins start from.

    Attributes
    ----------
    n, rounds
        $N$ and $T$.
    forces
        $T/2$: the mistakes that every learner expects.
    regret
        How many of them every learner expects more than the best expert makes.
    theorem, numbers
        `EWA-T`, the theorem that it shows to be tight, and the numbers it takes.
    best_, best_expert_
        Mistakes of the best expert so far, and its number, the first of equals.

    Guarantees
    ----------
    `EWA-T` cannot be beaten by a constant factor. Every learner, also one that draws
    lots, expects $T/2$ mistakes, while the best of $N$ experts expects
    $\frac T2 - \frac12 \mathbb E \max_i S_i$, where each $S_i$ adds up $T$ random signs
    $\pm 1$. The difference is the regret, and divided by $\sqrt{T \ln N / 2}$ it tends
    to 1 as first $T$ and then $N$ grow.

    References
    ----------
    Cesa-Bianchi, Freund, Haussler, Helmbold, Schapire, Warmuth (1997), How to use
    expert advice, Journal of the ACM 44:427-485, https://doi.org/10.1145/258128.258179

    Examples
    --------
    Expert 2 is right in the last round as well, and so errs once:

    >>> from littlestone import run
    >>> from littlestone.adversaries import RandomExperts
    >>> from littlestone.experts import FollowTheMajority
    >>> adversary = RandomExperts(3, rounds=4)
    >>> for advice, outcome in adversary.stream():
    ...     print(advice, outcome)
    [False, False, False] False
    [True, True, True] False
    [True, False, True] True
    [False, False, True] True
    >>> run(FollowTheMajority(), adversary).mistakes, adversary.best_
    (3, 1)
    >>> adversary.forces, adversary.best_expert_, round(adversary.regret, 3)
    (Fraction(2, 1), 2, 0.82)
    """

    def __init__(self, n: int, rounds: int, seed: int = 0) -> None:
        owner = type(self).__name__
        self.n = whole(owner, "n", n, 1, 2**24)
        self.rounds = whole(owner, "rounds", rounds, 1)
        self.seed = whole(owner, "seed", seed, 0)
        super().__init__()

    @property
    def theorem(self) -> Theorem:
        """The theorem that this adversary shows to be tight."""
        return EWA_T

    @property
    def numbers(self) -> dict[str, int]:
        """What the theorem takes: `rounds` and `experts`."""
        return {"rounds": self.rounds, "experts": self.n}

    @property
    def forces(self) -> Fraction:
        """The mistakes that every learner expects: half of the rounds."""
        return Fraction(self.rounds, 2)

    @cached_property
    def regret(self) -> float:
        """The mistakes that every learner expects more than the best expert makes."""
        # The best of N makes k mistakes or more if each does, and each with the chance
        # that k or more of T coins show heads; these chances add up to its mean.
        flips, heads, ways, mean = self.rounds, 0, 1, 0.0
        tail = whole_ = 1 << flips
        while heads < flips and (chance := ((tail - ways) / whole_) ** self.n):
            mean += chance
            tail -= ways
            ways = ways * (flips - heads) // (heads + 1)
            heads += 1
        return flips / 2 - mean

    @property
    def features(self) -> range:
        """What the examples are made of: a vote of each expert."""
        return range(self.n)

    @property
    def best_(self) -> int:
        """Mistakes of the best expert so far."""
        return int(self._mistakes.min())

    @property
    def best_expert_(self) -> int:
        """The number of the best expert so far, the first of equals."""
        return int(self._mistakes.argmin())

    comparator_ = best_expert_

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        super().restart()
        self._mistakes = np.zeros(self.n, dtype=np.int64)

    def stream(self) -> list[tuple[list[bool], bool]]:
        """Return the whole sequence of advice and outcomes.

        Examples
        --------
        >>> from littlestone.adversaries import RandomExperts
        >>> len(RandomExperts(3, rounds=5).stream())
        5
        """
        return [
            (coins[1:].tolist(), bool(coins[0]))
            for coins in map(self._coins, range(self.rounds))
        ]

    def _example(self, at: int) -> list[bool]:
        advice: list[bool] = self._coins(at)[1:].tolist()
        return advice

    def _label(self, at: int, prediction: Any) -> bool:  # noqa: ARG002 - oblivious
        coins = self._coins(at)
        self._mistakes += coins[1:] != coins[0]
        return bool(coins[0])

    def _coins(self, at: int) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Return the outcome of a round and, after it, the advice."""
        # A hash needs no state, and is the same on every machine.
        flips = self.n + 1
        key = f"littlestone RandomExperts {self.seed} {at}".encode()
        drawn = hashlib.shake_128(key).digest((flips + 7) // 8)
        bits = np.unpackbits(np.frombuffer(drawn, dtype=np.uint8), count=flips)
        return bits.astype(np.bool_)
