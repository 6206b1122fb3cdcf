"""By how much vectors separate the rounds that changed a learner."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from littlestone import theorems
from littlestone.verifying import as_number
from littlestone.witnesses._examples import Examples
from littlestone.witnesses._winnow import linear_program

if TYPE_CHECKING:
    from littlestone.counsel._trials import Played
    from littlestone.verifying import Certificate

__all__ = ["SLOWEST", "Margin", "absolute", "euclidean", "separating", "soft_share"]

# A linear program with more numbers than this takes longer than it is worth.
_LARGEST = 200_000
# Rates of Balanced Winnow, for values of size 1: the smallest, and the largest if no
# vector separates, so that the margin is a guess.
SLOWEST, _GUESSED = 0.01, 0.3


@dataclass(frozen=True)
class Margin:
    """By how much a vector separates the rounds that changed a learner.

    Attributes
    ----------
    kind
        `"euclidean"`: vector and examples are measured by their lengths, as in the
        theorems of the Perceptron; `"absolute"`: a vector is measured by the sum of its
        absolute values and an example by its largest, as in those of Winnow.
    share
        The margin of the best vector found, divided by both measures.
    short
        By what share rounds fall short of that margin, on average; 0 if none does.
    updates
        How many rounds were measured.

    Examples
    --------
    >>> from littlestone import advise
    >>> stream = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 3
    >>> advise(stream, bias=0.0, bounds=True).euclidean
    Margin(kind='euclidean', share=1.0, short=0.0, updates=1)
    """

    kind: str
    share: float
    short: float
    updates: int

    @property
    def separates(self) -> bool:
        """Whether no round falls short."""
        return self.short == 0


def euclidean(played: Played) -> Margin | None:
    """Return the hard margin if there is one, else the best soft one."""
    updates = played.record.updates or 0
    hard = played.numbers(theorems.PERC_SEP)
    if hard is not None:
        size = hard["norm"] * hard["radius"]
        share = hard["margin"] / size if size else 1.0
        return Margin("euclidean", min(share, 1.0), 0.0, updates)
    soft = played.numbers(theorems.PERC_TD)
    if soft is None or not soft["radius"]:
        return None
    return _soft("euclidean", soft, soft["radius"], updates)


def separating(played: Played, bias: float) -> Margin | None:
    """Return the largest margin of a vector with absolute values that add up to 1.

    None if there is none, or it would take long, or SciPy is not installed.
    """
    kept = played.record.examples
    if kept is None or not len(kept.values) or len(kept.values) > _LARGEST:
        return None
    examples = Examples.of(kept, bias=bias)
    # The program has no negative weights, so every feature has two.
    width = examples.width
    both = Examples(
        2 * examples.offsets,
        np.stack([examples.columns, examples.columns + width], axis=1).ravel(),
        np.stack([examples.values, -examples.values], axis=1).ravel(),
        examples.signs,
        2 * width,
    )
    nothing, levels = np.zeros((len(both), 0)), np.ones(len(both))
    found = linear_program(both, np.ones(2 * width), nothing, levels)
    if found is None:
        return None
    u = found[:width] - found[width:]
    size = float(np.abs(u).sum() * np.abs(examples.values).max())
    share = float(examples.margins(u).min()) / size if size else 0.0
    return Margin("absolute", share, 0.0, len(examples)) if share > 0 else None


def absolute(played: Played) -> Margin | None:
    """Return the best soft margin of such a vector, or None."""
    found = played.numbers(theorems.BWIN_ANY)
    if found is None:
        return None
    return _soft("absolute", found, found["scale"], played.record.mistakes)


def _soft(kind: str, numbers: dict[str, float], measure: float, rounds: int) -> Margin:
    margin, deviation = numbers["margin"], numbers["deviation"]
    short = deviation / (margin * rounds) if margin * rounds > 0 else 0.0
    return Margin(kind, margin / measure, short, rounds)


def soft_share(certificate: Certificate | None, scale: float) -> float:
    """Guess the absolute margin from the Perceptron's witness."""
    if certificate is None or certificate.witness["kind"] != "vector":
        return SLOWEST
    texts = [text for _, text in certificate.witness["entries"]]
    texts += [certificate.witness["bias"] or "0"]
    size = float(sum((abs(as_number(text)) for text in texts), Fraction(0)))
    margin = certificate.numbers.get("margin", 0.0)
    return min(margin / (size * scale), _GUESSED) if size else SLOWEST
