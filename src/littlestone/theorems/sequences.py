"""Theorems about predicting yes or no from earlier labels alone, without experts."""

from __future__ import annotations

import math
from fractions import Fraction

from littlestone.errors import PremiseError
from littlestone.theorems._premises import at_least_zero, count, whole
from littlestone.theorems._rounding import float_up, sqrt_up
from littlestone.theorems._theorem import Number, Theorem

__all__ = ["COVER", "COVER_PHI", "FTM", "FTM_LB", "cover_constant"]

_COVER = (
    "Cover (1967), Behavior of sequential predictors of binary sequences, Transactions "
    "of the Fourth Prague Conference on Information Theory, Statistical Decision "
    "Functions, Random Processes, 263-272"
)
_CESA_BIANCHI_LUGOSI = (
    "Cesa-Bianchi, Lugosi (2006), Prediction, learning, and games, Cambridge "
    "University Press, https://doi.org/10.1017/CBO9780511546921"
)


def _mean_walk(n: int) -> Fraction:
    """Return the mean of |S_n|, the distance after n random steps of 1 or -1."""
    return Fraction(n * math.comb(n - 1, (n - 1) // 2), 2 ** (n - 1))


def cover_constant(rounds: Number) -> float:
    """Return C_n of COVER: n min(p, 1-p) + C_n sqrt(n) expected mistakes, rounded up.

    It is 1/2 for one round and tends to 1/sqrt(2 pi) = 0.39894.

    Examples
    --------
    >>> from littlestone.theorems import cover_constant
    >>> cover_constant(1)
    0.5
    >>> round(cover_constant(10000), 5)
    0.39893
    """
    n = int(whole("rounds", rounds))
    # C_n is sqrt(n) c / 2^n. The first digits of c, rounded up, are enough.
    ways = math.comb(n - 1, (n - 1) // 2)
    cut = max(0, ways.bit_length() - 200)
    ways = (ways >> cut) + (1 if cut else 0)
    return float_up(sqrt_up(Fraction(n * ways**2, 4 ** (n - cut))))


def _cover(*, rounds: Number, ones: Number) -> Fraction:
    n, k = whole("rounds", rounds), count("ones", ones)
    if k > n:
        raise PremiseError(f"ones must be at most rounds, got {ones!r} of {rounds!r}")
    return min(k, n - k) + _mean_walk(int(n)) / 2


def _cover_phi(*, rounds: Number, phi: Number) -> Fraction:
    n, value = whole("rounds", rounds), at_least_zero("phi", phi)
    if value > 1:
        raise PremiseError(f"phi must be at most 1, got {phi!r}")
    return n * value


def _majority(*, best: Number, ties: Number | None = None) -> Fraction:
    m = count("best", best)
    return m + (m + 1 if ties is None else min(count("ties", ties), m + 1))


def _alternating(*, rounds: Number) -> Fraction:
    return count("rounds", rounds)


COVER = Theorem(
    id="COVER",
    statement=(
        "exactly min(k, n - k) + E|S_n|/2 expected mistakes after n rounds with k "
        "ones, where S_n is the sum of n coin flips of 1 or -1"
    ),
    latex=r"\mathbb{E}\, M = \min(k, n - k) + \frac{1}{2}\, \mathbb{E} |S_n|",
    premises=(
        "n is known before the first round, and n rounds are played",
        (
            "1 is predicted with the probability that ones would win if the rest were "
            "coin flips, where a draw counts half"
        ),
    ),
    counts="expected mistakes",
    reference=_COVER,
    tight="It is an equality, on every sequence of n labels.",
    formula=_cover,
)

COVER_PHI = Theorem(
    id="COVER-PHI",
    statement="exactly n phi(y) expected mistakes after n rounds with the labels y",
    latex=r"\mathbb{E}\, M = n\, \varphi(y_1, \ldots, y_n)",
    premises=(
        "n is known before the first round, and n rounds are played",
        "the mean of phi over all sequences of n labels is 1/2",
        "phi changes by at most 1/n when one label does",
        (
            "1 is predicted with probability 1/2 + n (mean of phi if the label is 0 - "
            "mean of phi if it is 1)/2, over coin flips for the rest"
        ),
    ),
    counts="expected mistakes",
    reference=_COVER,
    tight="It is an equality, on every sequence of n labels.",
    formula=_cover_phi,
)

FTM = Theorem(
    id="FTM",
    statement=(
        "at most m + min(ties, m + 1) mistakes, and so at most 2 m + 1, where m counts "
        "those of the better constant and ties the rounds before which both labels "
        "were equally frequent"
    ),
    latex=r"M \leq m + \min(z, m + 1) \leq 2 m + 1",
    premises=("the more frequent label is predicted, and 1 at a tie",),
    counts="mistakes",
    reference=_CESA_BIANCHI_LUGOSI,
    tight="AlternatingAdversary attains it in an odd number of rounds.",
    formula=_majority,
)

FTM_LB = Theorem(
    id="FTM-LB",
    statement=(
        "at least n mistakes, one on each of n rounds, while the better constant errs "
        "on at most half of them"
    ),
    latex=r"M \geq n",
    premises=(
        (
            "the labels are 0, 1, 0, 1 and so on, and the more frequent label is "
            "predicted, 1 at a tie"
        ),
        (
            "or the learner is any deterministic one, and the label is the opposite of "
            "its prediction"
        ),
    ),
    counts="mistakes",
    reference=_CESA_BIANCHI_LUGOSI,
    tight="It is an equality: there is at most one mistake per round.",
    formula=_alternating,
    lower=True,
)
