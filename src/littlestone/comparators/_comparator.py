"""A comparator: the best fixed choice in hindsight."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from littlestone.display import Displayed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from littlestone.losses import Loss

    Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Comparator(Displayed):
    """The best fixed choice in hindsight.

    Attributes
    ----------
    kind
        "expert", "convex", "linear" or "shifting".
    charged
        The loss for which it is the best.
    loss, mean, rounds
        Its total loss, its loss per round, and the number of rounds.
    rmse
        The root of the mean for square loss; None for other losses.
    weights
        The coefficient of each expert; None for a shifting choice.
    sequence
        The expert of each round, for a shifting choice; None for others.
    switches
        How often the sequence changes its expert; None for others.
    predictions
        What it would have predicted in each round; NaN where its expert sleeps.
    gap
        At most this much above the smallest possible loss, proved by a dual bound; None
        if nothing is proved.
    how
        How it was found.

    Examples
    --------
    >>> from littlestone.comparators import best_expert
    >>> best = best_expert([[1.0, 3.0], [2.0, 2.0]], [3.0, 3.0])
    >>> best
    Comparator(expert: square loss 1 over 2 rounds, rmse 0.7071)
    >>> best.weights, best.predictions.tolist()
    ({0: 0.0, 1: 1.0}, [3.0, 2.0])
    """

    kind: Literal["expert", "convex", "linear", "shifting"]
    charged: Loss
    loss: float
    rounds: int
    weights: Mapping[Any, float] | None
    sequence: tuple[Any, ...] | None
    predictions: Floats
    gap: float | None
    how: str

    @property
    def mean(self) -> float:
        """The loss per round."""
        return self.loss / self.rounds

    @property
    def rmse(self) -> float | None:
        """The root of the mean square loss; None for other losses."""
        return math.sqrt(self.mean) if self.charged.name == "square" else None

    @property
    def switches(self) -> int | None:
        """How often the sequence changes its expert; None without a sequence."""
        if self.sequence is None:
            return None
        return sum(1 for _ in self._stretches()) - 1

    def __repr__(self) -> str:
        plural = "" if self.rounds == 1 else "s"
        parts = [f"{self.charged.name} loss {self.loss:.6g} over {self.rounds:,} round"]
        parts[0] += plural
        if self.rmse is not None:
            parts.append(f"rmse {self.rmse:.4g}")
        if self.switches is not None:
            parts.append(f"{self.switches} switch{'' if self.switches == 1 else 'es'}")
        if self.gap is not None and self.kind == "convex":
            parts.append(f"gap {self.gap:.1e}")
        return f"Comparator({self.kind}: {', '.join(parts)})"

    def __str__(self) -> str:
        titles = {
            "expert": "best expert",
            "convex": "best convex combination",
            "linear": "best linear combination",
            "shifting": "best sequence of experts",
        }
        facts = [f"loss {self.loss:.6g}", f"mean {self.mean:.6g}"]
        if self.rmse is not None:
            facts.append(f"rmse {self.rmse:.6g}")
        facts.append(f"{self.rounds:,} rounds" if self.rounds != 1 else "1 round")
        proof = "no gap proved" if self.gap is None else f"gap at most {self.gap:.1e}"
        return "\n".join(
            [
                f"{titles[self.kind]}, {self.charged.name} loss",
                f"  {', '.join(facts)}",
                f"  {proof} ({self.how})",
                *self._lines(),
            ]
        )

    def _lines(self, most: int = 10) -> Iterator[str]:
        """Yield the largest weights, or the first stretches of the sequence."""
        if self.weights is not None:
            used = [(name, weight) for name, weight in self.weights.items() if weight]
            used.sort(key=lambda pair: -abs(pair[1]))
            lines = [f"  {name}: {weight:.6g}" for name, weight in used]
        else:
            lines = [
                f"  rounds {first} to {last}: {name}"
                for name, first, last in self._stretches()
            ]
        yield from lines[:most]
        if len(lines) > most:
            yield f"  and {len(lines) - most} more"

    def _stretches(self) -> Iterator[tuple[Any, int, int]]:
        sequence, first = self.sequence or (), 0
        for t in range(1, len(sequence) + 1):
            if t == len(sequence) or sequence[t] != sequence[first]:
                yield sequence[first], first, t - 1
                first = t
