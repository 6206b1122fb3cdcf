"""How far predicted numbers are off."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import _core
from littlestone.metrics.counting import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["ErrorCounts", "Errors"]

# Rounds; of errors, their sizes and squares; of outcomes less the first one, and their
# squares; the first outcome.
_SUMS = 7


class Errors(NamedTuple):
    """How far predicted numbers were off, each predicted before its outcome was seen.

    Attributes
    ----------
    rounds
        How many numbers were predicted, or what they weigh where rounds have weights.
    mean_absolute
        The mean size of an error.
    root_mean_square
        The root of the mean squared error.
    mean
        The mean of prediction minus outcome: above 0 if predictions are too high.
    explained
        1 minus the squared errors over those of the mean outcome in hindsight; None if
        all outcomes were equal, or squares are beyond all numbers.
    levels
        The levels of the pinball losses reported: that of the learner's own loss, and
        those that metrics name.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import CoinBetting
    >>> errors = run(CoinBetting("square"), [([1.0], 3.0), ([1.0], 3.0)]).errors
    >>> errors.rounds, round(errors.mean_absolute, 3)
    (2, 2.764)
    """

    rounds: float
    mean_absolute: float
    root_mean_square: float
    mean: float
    explained: float | None
    levels: tuple[float, ...] = ()

    def pinball(self, level: float) -> float:
        """Return the mean pinball loss of predictions, as quantiles at this level.

        Examples
        --------
        >>> from littlestone.metrics import Errors
        >>> Errors(4, mean_absolute=2.0, root_mean_square=2.0, mean=-2.0,
        ...     explained=None).pinball(0.75)  # each is 2 too low
        1.5
        """
        return (self.mean_absolute + (1 - 2 * level) * self.mean) / 2

    @property
    def pinballs(self) -> dict[str, float]:
        """The pinball losses at the levels that were asked for, by their names."""
        return {f"pinball:{level:g}": self.pinball(level) for level in self.levels}

    def to_dict(self) -> dict[str, float | None]:
        """Return the figures by the names that people know; None for infinite ones."""
        figures = {
            "mae": self.mean_absolute,
            "rmse": self.root_mean_square,
            "mean_error": self.mean,
            "r2": self.explained,
        } | self.pinballs
        return {
            name: None if figure is None or math.isinf(figure) else figure
            for name, figure in figures.items()
        }


class ErrorCounts:
    """Adds up the errors of predicted numbers."""

    def __init__(self, levels: Sequence[float] = ()) -> None:
        self._sums = np.zeros(_SUMS)
        self._levels = tuple(levels)

    def add(
        self,
        outcomes: NDArray[Any],
        said: NDArray[Any],
        weights: NDArray[np.float64] | None = None,
    ) -> None:
        """Add rounds, each as often as its weight says."""
        y = outcomes.astype(np.float64, copy=False)
        guess = said.astype(np.float64, copy=False)
        _core.add_errors(y, guess, self._sums, weights)

    def save(self) -> list[float]:
        """Return the sums so far."""
        saved: list[float] = self._sums.tolist()
        return saved

    def restore(self, saved: Sequence[float]) -> None:
        """Continue from sums of before; a ValueError if they are damaged."""
        # Those of earlier versions were of the outcomes themselves.
        sums = np.array([*saved, *[0.0] * (len(saved) == _SUMS - 1)], dtype=np.float64)
        if sums.shape != (_SUMS,):
            raise ValueError("expected the sums of errors")
        self._sums = sums

    def errors(self) -> Errors | None:
        """Return the figures; None before the first round."""
        rounds, total, size, square, above, squares, _ = self._sums.tolist()
        if not rounds:
            return None
        spread = squares - above * above / rounds
        told = spread > 0 and math.isfinite(square + spread)
        explained = 1 - square / spread if told else None
        mean_square = square / rounds
        return Errors(
            counted(rounds),
            size / rounds,
            math.sqrt(mean_square),
            total / rounds,
            explained,
            self._levels,
        )
