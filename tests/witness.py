"""Witnesses: what a run has done, and numbers for a theorem, rounded against us."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone.theorems import PERC_FS, PERC_HINGE, PERC_SEP, PERC_TD
from worlds import World

UP = 1 + 1e-12  # more than a sum of a few dozen doubles can lose
DOWN = 1 - 1e-12

# Their products and sums are exact, so that two orders of adding give equal bits.
DYADIC = (-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 3.0)


@dataclass(frozen=True)
class Played:
    """What each round of a run has done; a score is the one before the round."""

    said: list[Any]
    wrong: NDArray[np.bool_]
    changed: NDArray[np.bool_]
    scores: list[Any]


def played(learner: Any, X: Any, y: Any) -> Played:
    """Play round by round, and watch."""
    said, wrong, changed, scores = [], [], [], []
    for x, label in zip(X, y, strict=True):
        before = learner.updates_
        scores.append(learner.score_one(x))
        said.append(learner.play_one(x, label))
        wrong.append(said[-1] != label)
        changed.append(learner.updates_ > before)
    return Played(said, np.array(wrong, bool), np.array(changed, bool), scores)


def signs(y: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return labels as -1 and +1."""
    return np.where(y, 1.0, -1.0)


def with_constant(X: NDArray[np.float64], bias: float) -> NDArray[np.float64]:
    """Return the rows with the constant feature appended."""
    return np.column_stack([X, np.full(len(X), bias)])


def longest(X: NDArray[np.float64]) -> float:
    """Return the length of the longest row, or slightly more."""
    return float(np.linalg.norm(X, axis=1).max(initial=0.0)) * UP


def length(u: NDArray[np.float64]) -> float:
    """Return the length of a vector, or slightly more."""
    return float(np.linalg.norm(u)) * UP


def losses(
    X: NDArray[np.float64],
    y: NDArray[np.bool_],
    u: NDArray[np.float64],
    margin: float = 1.0,
) -> list[float]:
    """Return by how much each round falls short of the margin, or slightly more."""
    slack = 1e-12 * (margin + np.abs(X) @ np.abs(u))
    short = margin - signs(y) * (X @ u)
    return [float(d + s) if d > -s else 0.0 for d, s in zip(short, slack, strict=True)]


@st.composite
def vectors(draw: st.DrawFn, size: int, most: float = 3.0) -> NDArray[np.float64]:
    """Draw a vector."""
    entry = st.floats(-most, most)
    return np.array(draw(st.lists(entry, min_size=size, max_size=size)))


def twice(world: World) -> World:
    """Return a world that is played twice over."""
    return World(np.vstack([world.X, world.X]), np.concatenate([world.y, world.y]))


def check_perceptron_bounds(
    updates: int, world: World, u: NDArray[np.float64], gamma: float
) -> None:
    """Hold updates to the bounds that any vector of length 1 gives."""
    u = u / (np.linalg.norm(u) * UP)
    short = losses(world.X, world.y, u, gamma)
    numbers = {"radius": longest(world.X), "margin": gamma}
    total = math.fsum(short) * UP
    norm = math.sqrt(math.fsum(d * d for d in short)) * UP
    assert updates <= PERC_TD.bound(**numbers, deviation=total)
    assert updates <= PERC_HINGE.bound(**numbers, hinge=total / gamma * UP)
    assert updates <= PERC_FS.bound(**numbers, deviation_norm=norm)
    if total == 0:
        assert updates <= PERC_SEP.bound(**numbers)
