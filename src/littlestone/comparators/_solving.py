"""The best weights of a game, by the method that its loss allows."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from littlestone.comparators import _simplex
from littlestone.comparators._game import CUBE
from littlestone.errors import ExampleError, ParameterError

if TYPE_CHECKING:
    from littlestone.comparators._game import Floats, Game
    from littlestone.losses import Charge

_KINKED = ("absolute", "pinball", "percentage")


def convex(game: Game) -> _simplex.Solution:
    """Return the best weights if no expert sleeps."""
    game.table()  # refuses what has no finite loss
    return _solve(game, _lines(game))


def _lines(game: Game) -> Floats:
    """Return columns that the prediction, or what matters of it, is linear in."""
    if not game.distributions:
        if game.loss.name == "log":  # the probability of what happened
            yes = (game.y == 1)[:, np.newaxis]
            return np.where(yes, game.F, 1.0 - game.F)
        return game.F
    outcomes = game.y.astype(np.int64)
    if game.loss.name == "log":
        return game.F[np.arange(len(outcomes)), :, outcomes]
    return game.F.transpose(0, 2, 1)


def _solve(game: Game, lines: Floats) -> _simplex.Solution:
    name, y = game.loss.name, game.y[:, np.newaxis]
    if name == "square":
        return _simplex.nearest(lines - y)
    if name == "brier":
        if game.distributions:
            happened = (y == np.arange(lines.shape[1]))[..., np.newaxis]
            points = (lines - happened).reshape(-1, lines.shape[2])
        else:
            points = math.sqrt(2.0) * (lines - y)
        return _simplex.nearest(points)
    if name == "log":
        if not (lines > 0).any(axis=1).all():
            # Some round has an infinite loss whatever the weights.
            size = lines.shape[1]
            how = "every weighted mean has an infinite loss"
            return _simplex.Solution(np.full(size, 1.0 / size), math.inf, how)
        # Scaled rows have the same best weights, and probabilities near 0 no say.
        largest = lines.max(axis=1)
        found = _simplex.smooth(game.owner, lines / largest[:, np.newaxis], _log_curves)
        shift = -np.log(largest)
        slack = 2.0**-52 * (len(shift) + 8) * float(np.abs(shift).sum())
        below = (found.below or 0.0) + float(shift.sum()) - slack
        return _simplex.Solution(found.weights, below, found.how)
    if name in _KINKED and game.loss.native >= 0:
        over, under = _prices(game)
        return _simplex.kinked(game.owner, lines - y, over, under)
    return _simplex.smooth(game.owner, lines, partial(_curves, game))


def _prices(game: Game) -> tuple[Floats, Floats]:
    """Return what a unit above and a unit below the outcome costs."""
    ones = np.ones(len(game.y))
    if game.loss.tau is not None:
        return (1.0 - game.loss.tau) * ones, game.loss.tau * ones
    prices = 1.0 / np.abs(game.y) if game.loss.name == "percentage" else ones
    return prices, prices


def _curves(game: Game, p: Floats) -> tuple[Floats, Floats, Floats]:
    slope = _slope(game)
    width = 1e-5 * max(float(np.ptp(game.F)), 1e-300)
    rise = game.call(slope, p + width, game.y)
    rise = rise - game.call(slope, p - width, game.y)
    # Flat rounds get some curvature, so that the model has a least point.
    curvatures = rise / (2 * width)
    curvatures = np.maximum(curvatures, 1e-10 * max(curvatures.max(), 1e-200))
    value = game.call(game.loss.value, p, game.y)
    return value, game.call(slope, p, game.y), curvatures


def _slope(game: Game) -> Charge:
    if game.loss.slope is None:
        raise ParameterError(
            "a loss of your own needs its slope, as in losses.custom(value, slope), "
            f"got {game.loss!r}",
            owner=game.owner,
        )
    return game.loss.slope


def convex_sleeping(game: Game) -> _simplex.Solution:
    """Search for good weights where some sleep, and the others are scaled up.

    Near weights u the scaled mean of round t is linear in u up to second order, so
    each move solves a game without sleepers, and walks there as far as it pays.
    """
    game.table()
    asleep = np.flatnonzero(~game.awake.any(axis=1))
    if len(asleep):
        raise ExampleError(
            "some expert must be awake in every round, got none",
            owner=game.owner,
            where=f"row {asleep[0]}",
        )
    size = len(game.experts)
    uniform = np.full(size, 1.0 / size)
    starts = [uniform]
    starts += [0.1 * uniform + 0.9 * row for row in np.eye(size)[:16]]
    ends = [_descend(game, start) for start in starts]
    best = min(ends, key=lambda end: end[1])[0]
    return _simplex.Solution(best, None, f"local search, {len(starts)} starts")


def _total(game: Game, weights: Floats) -> float:
    if not (game.awake @ weights > 0).all():
        return math.inf
    return float(game.charge(game.mix(weights)).sum())


def _descend(game: Game, u: Floats) -> tuple[Floats, float]:
    lines = _lines(game)
    three = lines.ndim == CUBE  # rounds x outcomes x experts
    awake = game.awake[:, np.newaxis] if three else game.awake
    loss = _total(game, u)
    for _ in range(100):
        weight = awake @ u
        centre = (np.where(awake, lines, 0.0) @ u / weight)[..., np.newaxis]
        tangent = np.where(awake, lines - centre, 0.0) / weight[..., np.newaxis]
        aim = _solve(game, centre + tangent).weights
        stride, moved = 1.0, u
        while stride > 1e-9:  # noqa: PLR2004 - a stride that moves nothing
            moved = u + stride * (aim - u)
            there = _total(game, moved)
            if there < loss:
                break
            stride /= 2.0
        else:
            break
        saved, u, loss = loss - there, moved, there
        if saved <= 1e-10 * abs(loss):
            break
    return u, loss


def linear(game: Game, ridge: float) -> _simplex.Solution:
    """Return the best weights of any size and sign."""
    F, y, size = game.F, game.y, len(game.experts)
    if game.loss.name == "square":
        if ridge:
            F = np.vstack([F, math.sqrt(ridge) * np.eye(size)])
            y = np.append(y, np.zeros(size))
        u = np.asarray(np.linalg.lstsq(F, y, rcond=None)[0], dtype=np.float64)
        return _simplex.Solution(u, None, "least squares")
    if game.loss.name in _KINKED and game.loss.native >= 0:
        if ridge:
            raise ParameterError(
                "ridge must be 0 unless the loss is square or your own, got "
                f"{ridge!r} with {game.loss.name}",
                owner="best_linear",
            )
        over, under = _prices(game)
        return _simplex.kinked_line(game.owner, F, y, over, under)
    slope, solver = _slope(game), _simplex.optimize(game.owner)

    def charged(u: Floats) -> tuple[float, Floats]:
        p = F @ u
        total = float(game.call(game.loss.value, p, y).sum() + ridge * (u @ u))
        return total, game.call(slope, p, y) @ F + 2.0 * ridge * u

    found = solver.minimize(charged, np.full(size, 1.0 / size), jac=True)
    return _simplex.Solution(np.asarray(found.x), None, f"BFGS: {found.message}")


def _log_curves(p: Floats) -> tuple[Floats, Floats, Floats]:
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        value = np.where(p > 0, -np.log(p), math.inf)
        return value, -1.0 / p, 1.0 / np.square(p)
