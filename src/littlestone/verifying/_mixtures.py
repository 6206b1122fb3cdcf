"""What a certificate states about shards: their shares, weighted counts, one digest."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["digest_of_shards", "shares", "weighted"]


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


def shares(weights: list[int]) -> list[Fraction]:
    """Return the shares of shards in a mixture, which sum to one, or are all 0."""
    whole = sum(weights) or 1
    return [Fraction(weight, whole) for weight in weights]


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
            shares(epoch["weights"]),
            epoch["updates"],
            epoch["mistakes"],
            shards["rounds"],
            strict=True,
        ):
            counts["updates"] += share * updates
            counts["mistakes"] += share * mistakes
            counts["rounds"] += share * rounds
    return {f"weighted {name}": count for name, count in counts.items()}
