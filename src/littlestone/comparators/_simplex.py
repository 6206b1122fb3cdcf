r"""The smallest loss over the simplex of weights, with a proof of how close it is.

Weights $u$ are at least 0 and sum to 1. For a convex $f$ and any point $u$,

$$\min_v f(v) \ge f(u) + \min_i \nabla f(u)_i - \nabla f(u) \cdot u,$$

so the lower bound does not depend on the solver that found $u$. An allowance for
rounding is subtracted.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.errors import LittlestoneError, MissingPackageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

__all__ = [
    "Place",
    "Solution",
    "kinked",
    "kinked_bound",
    "kinked_line",
    "nearest",
    "nearest_bound",
    "optimize",
    "place",
    "smooth",
]

# Relative to the loss: getting closer is not worth another round.
_CLOSE = 1e-13
_EPSILON = 2.0**-52
_ROUNDS = 200
_CUTS = 400


@dataclass(frozen=True)
class Solution:
    """Weights, a proved lower bound on every loss, and how they were found."""

    weights: Floats
    below: float | None
    how: str


def optimize(owner: str) -> Any:
    """Import SciPy's optimizers, or say what is missing."""
    try:
        from scipy import optimize as loaded  # noqa: PLC0415 - only where it is needed
    except ImportError:
        raise MissingPackageError(
            "this loss needs SciPy, which is not installed: pip install "
            "'littlestone[solvers]'",
            owner=owner,
        ) from None
    return loaded


# Square and Brier loss ------------------------------------------------------


def nearest(points: Floats, how: str = "active set") -> Solution:
    """Minimise the squared length of `points @ u`, one point a column.

    Wolfe (1976), Finding the nearest point in a polytope: exact after finitely many
    rounds, up to rounding.
    """
    # A rotation into fewer dimensions keeps all lengths and angles.
    small = points
    if len(points) > points.shape[1]:
        small = np.asarray(np.linalg.qr(points, mode="r"), dtype=np.float64)
    lengths = np.einsum("ti,ti->i", small, small)
    chosen = [int(np.argmin(lengths))]
    weights = np.ones(1)
    length = math.inf
    for _ in range(10 * points.shape[1] + 10):
        x = small[:, chosen] @ weights
        inner = x @ small
        entering = int(np.argmin(inner))
        shorter = float(x @ x)
        if entering in chosen or inner[entering] >= shorter or shorter >= length:
            break
        length = shorter
        kept = chosen, weights
        chosen, weights = _entered(small, [*chosen, entering], np.append(weights, 0.0))
        if (rest := small[:, chosen] @ weights) @ rest > length:  # rounding won
            chosen, weights = kept
            break
    u = np.zeros(points.shape[1])
    u[chosen] = weights / weights.sum()
    return Solution(u, nearest_bound(points, points @ u), how)


def nearest_bound(points: Floats, x: Floats) -> float:
    """Return the lower bound on all squared lengths that the vector `x` proves."""
    bound = 2.0 * float(np.min(x @ points)) - float(x @ x)
    return max(bound - 2.0 * _rounding(x, points), 0.0)


def _rounding(prices: Floats, columns: Floats) -> float:
    """Return how much rounding can hide in `prices @ columns`."""
    terms = sum(columns.shape) + 4
    return 2.0 * terms * _EPSILON * float(np.max(np.abs(prices) @ np.abs(columns)))


def _entered(
    points: Floats, chosen: list[int], weights: Floats
) -> tuple[list[int], Floats]:
    """Move to the best weights on the chosen points, dropping those that reach 0."""
    while True:
        first = points[:, chosen[0]]
        others = points[:, chosen[1:]] - first[:, np.newaxis]
        rest = np.linalg.lstsq(others, -first, rcond=None)[0]
        target = np.concatenate([[1.0 - rest.sum()], rest])
        if (target > 0).all() or len(chosen) == 1:
            return chosen, target
        falling = target <= 0
        ratios = np.full(len(chosen), math.inf)
        # A point that enters for nothing, as twins do, leaves at once.
        away = np.maximum(weights - target, 1e-300)
        ratios[falling] = weights[falling] / away[falling]
        weights += ratios.min() * (target - weights)
        weights[int(np.argmin(ratios))] = 0.0
        keep = weights > 0
        chosen = [i for i, kept in zip(chosen, keep, strict=True) if kept]
        weights = weights[keep]


# Losses without kinks -------------------------------------------------------

# Takes the predictions, one a round; gives losses, slopes and curvatures.
Curves = Callable[["Floats"], tuple["Floats", "Floats", "Floats"]]


def smooth(
    owner: str,
    columns: Floats,
    curves: Curves,
    *,
    rounds: int = _ROUNDS,
    cuts: int = _CUTS,
) -> Solution:
    """Minimise the loss of `columns @ u` by Newton's method on the simplex.

    Each round minimises the second-order model, which is a nearest point, and walks
    towards it as far as the loss falls. What kinks leave open, cutting planes close.
    """
    here = place(columns, curves, np.full(columns.shape[1], 1.0 / columns.shape[1]))
    below = here.bound()
    for _ in range(rounds):
        if here.gap <= _CLOSE * abs(here.loss):
            break
        root = np.sqrt(np.maximum(here.curvatures, 1e-300))
        model = root[:, np.newaxis] * here.centred
        model += (here.slopes / root)[:, np.newaxis]
        if not np.isfinite(model).all():
            break
        there = _walk(columns, curves, here, nearest(model).weights)
        if there is None:
            break
        here = there
        below = max(below, here.bound())
    wide = here.loss - below - here.slack > 1e-9 * abs(here.loss)
    if wide and math.isfinite(here.loss):
        return _cut(owner, columns, curves, Solution(here.u, below, ""), cuts)
    return Solution(here.u, below, "Newton's method")


def _walk(columns: Floats, curves: Curves, here: Place, aim: Floats) -> Place | None:
    """Go towards the aim as far as it pays; None if it does not pay at all."""
    away = aim - here.u
    drop = float(here.gradient @ away)
    stride = 1.0
    while stride > 1e-12:  # noqa: PLR2004 - a stride that moves nothing
        there = place(columns, curves, here.u + stride * away)
        if there.loss < here.loss and there.loss <= here.loss + 1e-4 * stride * drop:
            return there
        # At the end losses differ by less than rounding, and only the gap can decide.
        level = there.loss <= here.loss + 1e-13 * abs(here.loss)
        if level and there.gap < 0.5 * here.gap:
            return there
        stride /= 2.0
    return None


@dataclass(frozen=True)
class Place:
    """Weights, and what the loss does there."""

    u: Floats
    loss: float
    size: float  # the sum of the losses without signs
    slopes: Floats
    curvatures: Floats
    centred: Floats  # less the prediction: the same for the gap, with less rounding

    @property
    def gradient(self) -> Floats:
        return np.asarray(self.slopes @ self.centred)

    @property
    def gap(self) -> float:
        """How far above the bound the loss is, before rounding is allowed for."""
        return -float(self.gradient.min())

    @property
    def slack(self) -> float:
        """How much rounding can hide, if a loss is right to a few bits."""
        terms = (len(self.slopes) + 8) * _EPSILON * self.size
        return _rounding(self.slopes, self.centred) + terms

    def bound(self) -> float:
        """Return a lower bound on every loss, if the losses are convex."""
        return self.loss - self.gap - self.slack


def place(columns: Floats, curves: Curves, u: Floats) -> Place:
    """Return what the loss of `columns @ u` does at these weights."""
    p = columns @ u
    losses, slopes, curvatures = curves(p)
    total = float(losses.sum())
    total = math.inf if math.isnan(total) else total
    size = float(np.abs(losses).sum())
    return Place(u, total, size, slopes, curvatures, columns - p[:, np.newaxis])


def _cut(
    owner: str, columns: Floats, curves: Curves, start: Solution, most: int
) -> Solution:
    """Minimise by Kelley's cutting planes: each slope seen bounds the loss below."""
    solver = optimize(owner)
    size = columns.shape[1]
    best = here = place(columns, curves, start.weights)
    below, slack = start.below or -math.inf, 0.0
    # A cut says: the loss at v is at least tilt . v + base.
    tilts: list[Floats] = []
    bases: list[float] = []
    for _ in range(most):
        if here.loss < best.loss:
            best = here
        if not math.isfinite(here.loss):  # the slopes may be infinite too
            break
        gradient = here.gradient
        slack = max(slack, here.slack)
        tilts.append(gradient)
        bases.append(here.loss - float(gradient @ here.u))
        scale = max(abs(best.loss), 1e-300)
        found = solver.linprog(
            np.append(np.zeros(size), 1.0),
            A_ub=np.column_stack([np.array(tilts) / scale, -np.ones(len(tilts))]),
            b_ub=-np.array(bases) / scale,
            A_eq=np.append(np.ones(size), 0.0)[np.newaxis],
            b_eq=[1.0],
            bounds=[(0, None)] * size + [(None, None)],
        )
        if found.status != 0:
            break
        # The solver's own value is only as good as its tolerances; its prices, made
        # to add up to 1, give a mean of cuts, which bounds the loss whatever they are.
        prices = np.maximum(-found.ineqlin.marginals, 0.0)
        prices /= prices.sum()
        lowest = (prices @ np.array(tilts)).min() + prices @ np.array(bases)
        below = max(below, float(lowest) - slack)
        if best.loss - below - slack <= 1e-10 * scale:
            break
        here = place(columns, curves, _tidy(found.x[:size]))
    return Solution(best.u, below, "cutting planes")


# Absolute, pinball and percentage loss --------------------------------------


def kinked(owner: str, misses: Floats, over: Floats, under: Floats) -> Solution:
    """Minimise what `misses @ u` costs: `over` a unit above 0, `under` a unit below.

    The dual prices prove the bound: a loss is at least price times miss, whatever the
    price between -under and over.
    """
    found, size = _program(owner, misses, None, over, under), misses.shape[1]
    u = _tidy(found.x[:size])
    # Whichever sign the solver gives its prices.
    prices = found.eqlin.marginals[: len(misses)]
    below = max(kinked_bound(misses, over, under, s * prices) for s in (1.0, -1.0))
    return Solution(u, below, "linear programming")


def kinked_bound(misses: Floats, over: Floats, under: Floats, prices: Floats) -> float:
    """Return the lower bound on all costs that the prices prove."""
    prices = np.clip(prices, -under, over)
    return max(float(np.min(prices @ misses)) - _rounding(prices, misses), 0.0)


def kinked_line(
    owner: str, columns: Floats, y: Floats, over: Floats, under: Floats
) -> Solution:
    """Minimise what `columns @ u - y` costs over all real weights."""
    found = _program(owner, columns, y, over, under)
    return Solution(found.x[: columns.shape[1]], None, "linear programming")


def _program(
    owner: str, columns: Floats, y: Floats | None, over: Floats, under: Floats
) -> Any:
    solver = optimize(owner)
    from scipy import sparse  # noqa: PLC0415 - only where it is needed

    rounds, size = columns.shape
    # Numbers near 1: the solver's tolerances are absolute.
    scale = float(np.abs(columns).max()) or 1.0
    price = float(max(over.max(), under.max()))
    eye = sparse.eye_array(rounds)
    rows = sparse.hstack([sparse.csr_array(columns / scale), -eye, eye])
    right = np.zeros(rounds) if y is None else y / scale
    if y is None:  # the weights add up to 1
        total = sparse.csr_array(
            np.append(np.ones(size), np.zeros(2 * rounds))[np.newaxis]
        )
        rows, right = sparse.vstack([rows, total]), np.append(right, 1.0)
    found = solver.linprog(
        np.concatenate([np.zeros(size), over / price, under / price]),
        A_eq=rows.tocsc(),
        b_eq=right,
        bounds=[(0 if y is None else None, None)] * size + [(0, None)] * (2 * rounds),
        options={
            "primal_feasibility_tolerance": 1e-10,
            "dual_feasibility_tolerance": 1e-10,
        },
    )
    if found.status != 0:
        raise LittlestoneError(
            f"the linear program failed: {found.message}", owner=owner
        )
    found.eqlin.marginals = found.eqlin.marginals * price
    return found


def _tidy(u: Floats) -> Floats:
    u = np.maximum(u, 0.0)
    return np.asarray(u / u.sum())
