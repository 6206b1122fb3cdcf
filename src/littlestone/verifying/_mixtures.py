"""What a certificate states about shards: their shares, weighted counts, one digest."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

__all__ = ["digest_of_shards", "shares", "together", "weighted"]


def digest_of_shards(digests: Iterable[str]) -> str:
    """Return one digest for the digests of shards, in order.

    Examples
    --------
    >>> from littlestone.verifying._mixtures import digest_of_shards
    >>> digest_of_shards(["sha256:" + 64 * "0"])[:15]
    'sha256:e191bc1a'
    """
    text = "\n".join(digests).encode()
    return "sha256:" + hashlib.sha256(text).hexdigest()


def together(shards: int, mixes: int) -> list[range]:
    """Return which shards of an epoch are mixed together, in order.

    Examples
    --------
    >>> from littlestone.verifying._mixtures import together
    >>> together(5, 2)
    [range(0, 2), range(2, 5)]
    """
    ends = [shards * mix // mixes for mix in range(mixes + 1)]
    return [range(*pair) for pair in pairwise(ends)]


def shares(weights: Sequence[int], mixes: int = 1) -> list[Fraction]:
    """Return the shares of shards; those of each mixture sum to one, or are all 0.

    Examples
    --------
    >>> from littlestone.verifying._mixtures import shares
    >>> shares([1, 3, 0, 2], mixes=2)
    [Fraction(1, 4), Fraction(3, 4), Fraction(0, 1), Fraction(1, 1)]
    """
    found = []
    for mixed in together(len(weights), mixes):
        some = weights[mixed.start : mixed.stop]
        whole = sum(some) or 1
        found += [Fraction(weight, whole) for weight in some]
    return found


def weighted(shards: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the weighted counts of a cluster.

    Examples
    --------
    >>> from littlestone.verifying._mixtures import weighted
    >>> epoch = {"mistakes": [1, 3], "updates": [1, 3], "weights": [1, 1]}
    >>> weighted({"rounds": [4, 4], "epochs": [epoch]})["weighted mistakes"]
    Fraction(2, 1)
    """
    counts = dict.fromkeys(("updates", "mistakes", "rounds"), Fraction(0))
    for epoch in shards["epochs"]:
        for share, updates, mistakes, rounds in zip(
            shares(epoch["weights"], shards.get("mixes", 1)),
            epoch["updates"],
            epoch["mistakes"],
            shards["rounds"],
            strict=True,
        ):
            counts["updates"] += share * updates
            counts["mistakes"] += share * mistakes
            counts["rounds"] += share * rounds
    return {f"weighted {name}": count for name, count in counts.items()}
