"""How good probabilities of a yes, or of classes, are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import _core
from littlestone.metrics.counting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["Bin", "ChanceCounts", "Chances"]

_BINS = 10


class Bin(NamedTuple):
    """The rounds whose probability of a yes lay in one tenth.

    Attributes
    ----------
    rounds
        How many they are, or what they weigh.
    mean
        The mean of their probabilities.
    share
        The share that turned out to be a yes; with good calibration, near the mean.
    """

    rounds: float
    mean: float
    share: float


class Chances(NamedTuple):
    """How good probabilities were, each given before the label was seen.

    Attributes
    ----------
    rounds
        How many there were, or what they weigh where rounds have weights.
    log_loss
        The mean of minus the logarithm of the probability of the label.
    brier
        The mean square of the probability of the other label; None for classes.
    bins
        The calibration curve: the rounds by tenths of the probability of a yes, empty
        tenths left out; none for classes.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import GradientDescent
    >>> chances = run(GradientDescent(), [({"a": 1.0}, True)] * 3).chances
    >>> chances.rounds, round(chances.log_loss, 3), round(chances.brier, 3)
    (3, 0.646, 0.226)
    >>> chances.bins[0].share
    1.0
    """

    rounds: float
    log_loss: float
    brier: float | None
    bins: tuple[Bin, ...]

    @property
    def calibration_error(self) -> float:
        """The mean distance of a bin's probabilities from its share of yes.

        Examples
        --------
        >>> from littlestone.metrics import Bin, Chances
        >>> Chances(4, 0.0, 0.0, (Bin(4, 0.5, 0.25),)).calibration_error
        0.25
        """
        off = sum(each.rounds * abs(each.mean - each.share) for each in self.bins)
        return off / (self.rounds or 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by the names that people know."""
        if self.brier is None:
            return {"log_loss": self.log_loss}
        return {
            "log_loss": self.log_loss,
            "brier": self.brier,
            "calibration_error": self.calibration_error,
            "calibration": [each._asdict() for each in self.bins],
        }


class ChanceCounts:
    """Adds up what probabilities cost, of yes and no, or of classes."""

    def __init__(self, *, binary: bool = True) -> None:
        self._binary = binary
        self._sums = np.zeros(3)  # rounds, log losses, Brier scores
        self._bins = np.zeros((3, _BINS))  # rounds, probabilities, yeses

    def add(
        self,
        labels: NDArray[Any],
        losses: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Add rounds by their log losses, each as often as its weight says."""
        # Of classes only the log losses count.
        yes = labels.astype(np.bool_, copy=False) if self._binary else losses >= 0
        _core.add_chances(yes, losses, self._sums, self._bins, weights)

    def save(self) -> list[float]:
        """Return the sums so far."""
        saved: list[float] = [*self._sums.tolist(), *self._bins.ravel().tolist()]
        return saved

    def restore(self, saved: Sequence[float]) -> None:
        """Continue from sums of before; a ValueError if they are damaged."""
        sums = np.array(saved, dtype=np.float64)
        if sums.shape != (3 + 3 * _BINS,):
            raise ValueError("expected the sums of probabilities")
        self._sums, self._bins = sums[:3].copy(), sums[3:].reshape(3, _BINS).copy()

    def chances(self) -> Chances | None:
        """Return the figures; None before the first round."""
        rounds, lost, brier = self._sums.tolist()
        if not rounds:
            return None
        if not self._binary:
            return Chances(counted(rounds), lost / rounds, None, ())
        bins = tuple(
            Bin(counted(many), total / many, yes / many)
            for many, total, yes in self._bins.T.tolist()
            if many
        )
        return Chances(counted(rounds), lost / rounds, brier / rounds, bins)
