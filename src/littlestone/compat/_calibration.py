"""How opera chooses a rate: it tries many, and uses the one with the least loss."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone.errors import ExampleError
from littlestone.experts import ExponentialWeights, FixedShare

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from littlestone.experts._forecaster import Forecaster
    from littlestone.losses import Loss

    Floats: TypeAlias = NDArray[np.float64]
    # Makes a learner with this rate and share, and these priors of the experts.
    Maker: TypeAlias = Callable[[float, float, Floats], Forecaster]

__all__ = ["Calibrated", "play_round", "weights_awake"]

_STEPS = (1, 2, 3)  # how many rates are added at an end of the grid, as powers
_SMALLEST, _LARGEST = 1e-290, 1e290  # beyond, rates or their products are no doubles


def play_round(learner: Forecaster, row: Floats, outcome: float) -> float:
    """Play one round as opera does; NaN in the row is an expert asleep.

    opera gives sleepers no regret, as do the rules that learn from regrets. For
    exponential weights and Fixed Share, a sleeper predicts what the learner predicts:
    that does not change the prediction, and makes the regret 0.
    """
    asleep = np.isnan(row)
    if not asleep.any():
        return float(learner.play_one(row.tolist(), outcome))
    awake = _awake(learner, row)
    if not isinstance(learner, (ExponentialWeights, FixedShare)):
        return float(learner.play_one(awake, outcome))
    said = float(learner.predict_one(awake))
    learner.play_one(np.where(asleep, said, row).tolist(), outcome)
    return said


def weights_awake(learner: Forecaster, row: Floats) -> Floats:
    """Return the weights of those awake in a round, which sum to one."""
    return learner.weights_of(~np.isnan(row))


def _awake(learner: Forecaster, row: Floats) -> dict[Any, float]:
    """Return what those awake say."""
    pairs = zip(learner.experts_, row.tolist(), strict=True)
    return {name: said for name, said in pairs if not math.isnan(said)}


class _Candidate:
    """One rate and one share, the learner that has them, and what it has lost.

    Rates so large that one expert has all the weight lose the same but for rounding,
    and which of them loses least would then be an accident. `noise` is what one unit
    in the last place of every prediction and of every sum would make of the loss.
    """

    def __init__(
        self,
        make: Callable[[], Forecaster],
        loss: Loss,
        eta: float,
        alpha: float,
        *,
        first: int = 0,
        before: float = 0.0,
    ) -> None:
        self.eta, self.alpha = eta, alpha
        self._make, self._loss = make, loss
        self._first = first  # the round its learner begins with
        self._before = before  # what was lost in the rounds before
        self.lost, self.noise = before, 0.0
        self.learner = make()

    def play(self, row: Floats, outcome: float) -> float:
        said = play_round(self.learner, row, outcome)
        self._charge(np.array([said]), np.array([outcome]))
        return said

    def catch_up(self, rows: Floats, outcomes: Floats) -> None:
        """Begin again, and play all rounds there were."""
        self.learner, self.lost, self.noise = self._make(), self._before, 0.0
        rows, outcomes = rows[self._first :], outcomes[self._first :]
        if np.isnan(rows).any():
            for row, outcome in zip(rows, outcomes.tolist(), strict=True):
                self.play(row, outcome)
        elif len(rows):
            self._charge(self.learner.play(rows, outcomes), outcomes)

    def _charge(self, said: Floats, outcomes: Floats) -> None:
        value, slope = self._loss.value, self._loss.slope
        for p, y in zip(said.tolist(), outcomes.tolist(), strict=True):
            self.lost += float(value(p, y))
            steep = 0.0 if slope is None else abs(float(slope(p, y)))
            self.noise += steep * math.ulp(p) + math.ulp(self.lost)


def _lost(candidate: _Candidate) -> float:
    return candidate.lost


class Calibrated:
    """A grid of rates, which grows if the best of them is at an end of it.

    A new rate plays all rounds so far again, so all of them must be kept. Exponential
    weights are the case of a single share, 0.
    """

    def __init__(
        self,
        make: Maker,
        loss: Loss,
        priors: Floats,
        *,
        gradient: bool,
        etas: Sequence[float] | None = None,
        alphas: Sequence[float] = (0.0,),
        gamma: float = 2.0,
    ) -> None:
        self._make, self._loss, self._priors = make, loss, priors
        self._gradient, self._alphas, self._gamma = gradient, alphas, gamma
        self._given = etas is not None
        rates = [1.0] if etas is None else sorted(etas)
        self._grid = [
            [self._candidate(eta, alpha, priors) for alpha in alphas] for eta in rates
        ]
        self._best = len(rates) // 2, len(alphas) // 2
        self._rows: list[Floats] = []
        self._outcomes: list[float] = []

    @property
    def best(self) -> _Candidate:
        """The candidate that is followed."""
        return self._grid[self._best[0]][self._best[1]]

    @property
    def etas(self) -> list[float]:
        """The rates of the grid."""
        return [row[0].eta for row in self._grid]

    def play(self, row: Floats, outcome: float) -> float:
        """Play one round with every candidate; return what the best one predicts."""
        grid, best, rounds = (
            [list(line) for line in self._grid],
            self._best,
            self.rounds,
        )
        try:
            return self._play(row, outcome)
        except BaseException as error:
            if isinstance(error, ExampleError):  # the row of a replay means nothing
                error.row, error.where, error.rounds = None, "", None
            # Some candidates have played the round that is refused, others have not.
            del self._rows[rounds:], self._outcomes[rounds:]
            self._grid, self._best = grid, best
            for line in grid:
                for candidate in line:
                    candidate.catch_up(*self._history())
            raise

    @property
    def rounds(self) -> int:
        """How many rounds were played."""
        return len(self._rows)

    def _play(self, row: Floats, outcome: float) -> float:
        said = math.nan
        for line in self._grid:
            for candidate in line:
                predicted = candidate.play(row, outcome)
                if candidate is self.best:
                    said = predicted
        self._rows.append(row)
        self._outcomes.append(outcome)
        if self.rounds == 1 and not self._given:
            self._find_first_rate(row, outcome, said)
        self._choose()
        self._extend()
        return said

    def _choose(self) -> None:
        """Follow the first that is least: by its share, then by its rate."""
        columns = list(enumerate(zip(*self._grid, strict=True)))
        least = min((one for line in self._grid for one in line), key=_lost)
        self._best = next(
            (eta, alpha)
            for alpha, column in columns
            for eta, one in enumerate(column)
            if one.lost <= least.lost + least.noise
        )

    def _candidate(
        self,
        eta: float,
        alpha: float,
        priors: Floats,
        first: int = 0,
        before: float = 0.0,
    ) -> _Candidate:
        make = partial(self._make, eta, alpha, priors)
        return _Candidate(make, self._loss, eta, alpha, first=first, before=before)

    def _find_first_rate(self, row: Floats, outcome: float, said: float) -> None:
        """Take the first rate from the size of the regrets of the first round.

        opera adds the logarithms of the priors to them as if the rate had been 1. For
        every share it begins with the rate of the share before, and keeps the last.
        """
        regrets = self._regrets(row, outcome, said)
        lost = self._grid[0][0].lost
        rate, shares = 1.0, []
        for alpha in self._alphas:
            totals = np.log(self._priors) / rate + regrets
            size = float(np.mean(np.abs(totals)))
            rate = 1 / size if size > 0 else rate  # 0 if there is only one expert
            weights = np.exp(rate * (totals - totals.max()))
            mixed = alpha / len(row) + (1 - alpha) * weights / weights.sum()
            # No prior may be 0; one that is too small for a double is as good as that.
            shares.append(np.maximum(mixed, np.finfo(np.float64).tiny))
        self._grid = [
            [
                self._candidate(rate, alpha, share, first=1, before=lost)
                for alpha, share in zip(self._alphas, shares, strict=True)
            ]
        ]

    def _regrets(self, row: Floats, outcome: float, said: float) -> Floats:
        """Return the learner's charge less that of each expert; 0 for sleepers."""
        regrets = np.zeros(len(row))
        for expert in np.flatnonzero(~np.isnan(row)).tolist():
            advice = float(row[expert])
            if self._gradient and self._loss.slope is not None:
                slope = self._loss.slope(said, outcome)
                regrets[expert] = slope * said - slope * advice
            else:
                value = self._loss.value
                regrets[expert] = value(said, outcome) - value(advice, outcome)
        return regrets

    def _extend(self) -> None:
        """Add rates at the end of the grid where the best one is, or at both."""
        eta, alpha = self._best
        if eta == len(self._grid) - 1:
            base = self._grid[-1][0].eta
            self._grid += self._lines([base * self._gamma**k for k in _STEPS])
        if eta == 0:
            base = self._grid[0][0].eta
            lines = self._lines([base / self._gamma**k for k in _STEPS])
            self._grid = lines[::-1] + self._grid
            self._best = len(lines), alpha

    def _lines(self, etas: list[float]) -> list[list[_Candidate]]:
        lines = [
            [self._candidate(eta, alpha, self._priors) for alpha in self._alphas]
            for eta in etas
            if _SMALLEST < eta < _LARGEST
        ]
        for line in lines:
            for candidate in line:
                candidate.catch_up(*self._history())
        return lines

    def _history(self) -> tuple[Floats, Floats]:
        size = len(self._priors)
        return np.array(self._rows).reshape(-1, size), np.array(self._outcomes)
