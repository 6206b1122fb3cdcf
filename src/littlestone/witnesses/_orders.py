r"""Witnesses for bounds on every order of a stream: `PA-ORDER` and the like.

Such a bound is $\lambda \Phi + \sum_t \max(0, 1 - \lambda a_t, \lambda b_t)$, with the
potential $\Phi$ at first, $a_t$ the least that a mistake on a round gains, and $b_t$
the most that the round costs without one. It is convex and piecewise linear in
$\lambda$, so the best one is where some round turns: $\lambda = 1/(a_t + b_t)$. The
vectors to try come from support vector machines of many prices, at many lengths; for
Balanced Winnow, from descending the bound itself by exponentiated gradients.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.witnesses._examples import Examples

    Floats = NDArray[np.float64]

__all__ = ["Priced", "aggressive_order", "balanced_order", "second_order"]

# More than the rounding of the sums below.
_SLACK = 1 + 1e-9
_PRICES = np.geomspace(1e-4, 1e2, 7)
_LENGTHS = np.geomspace(0.25, 16, 19)
_WIDE_LENGTHS = np.geomspace(0.05, 8, 20)
_PORTIONS = (1.0, 0.3, 0.1, 0.03)
_MARGINS = np.geomspace(0.02, 0.9, 10)
_SHARES = np.geomspace(0.1, 1, 6)  # of the weight that goes to one side
_STEPS = 150
_FEW_STEPS = 80  # on the mistakes of a run, which are searched several times
_LOOK = 10  # steps between two evaluations
_MOST_VALUES = 2_000_000  # beyond which no path is worth its time


class Priced(NamedTuple):
    """What was minimised, the vector, and the numbers of the theorem."""

    bound: float
    v: Floats
    numbers: dict[str, float]


def _cheapest(
    potential: float, gains: Floats, raises: Floats | float = 0.0
) -> tuple[float, float]:
    """Return the best price and what the rounds then cost."""
    turns = gains + raises
    raises = np.broadcast_to(np.asarray(raises, dtype=np.float64), turns.shape)
    order = np.argsort(turns, kind="stable")
    sorted_, gained, raised = turns[order], gains[order], raises[order]
    first = int(np.searchsorted(sorted_, 0.0, side="right"))
    if first == len(turns):
        return 0.0, math.inf
    # At the turn of round k all before it are mistakes, and it and the rest are not.
    lost = np.concatenate([[0.0], np.cumsum(gained)])[first:-1]
    kept = np.cumsum(raised[::-1])[::-1][first:]
    prices = 1 / sorted_[first:]
    counts = np.arange(first, len(turns))
    with np.errstate(over="ignore", invalid="ignore"):
        bounds = prices * (potential + kept - lost) + counts
    bounds[~np.isfinite(bounds)] = math.inf
    price = float(prices[int(np.argmin(bounds))])
    owed = np.maximum(np.maximum(1 - price * gains, price * raises), 0.0)
    return price, float(owed.sum())


def _better(
    best: Priced | None,
    v: Floats,
    potential: float,
    gains: Floats,
    raises: Floats | float = 0.0,
    *,
    times: float = 1.0,
) -> Priced | None:
    price, owed = _cheapest(potential / times, gains, raises)
    bound = price * potential + times * owed
    if not 0 < bound < (math.inf if best is None else best.bound):
        return best
    slack = _SLACK * owed + 1e-9 * (1 + len(gains) * 1e-6)
    numbers = {"price": price, "potential": potential * _SLACK, "owed": slack}
    fine = all(map(math.isfinite, numbers.values())) and price > 0
    return Priced(bound, v, numbers) if fine else best


def aggressive_order(
    examples: Examples,
    parameters: Mapping[str, Any],
    given: Floats | None = None,
    rivals: int = 1,
    *,
    prices: Floats = _PRICES,
    lengths: Floats = _LENGTHS,
) -> Priced | None:
    """Return the best vector found for `PA-ORDER`, or None.

    Each round has as many rows as it has `rivals`, one after another. The vectors are
    those of support vector machines with these `prices`, at these `lengths`.
    """
    mode, C = parameters["mode"], float(parameters["C"])
    C = math.inf if mode is None else C
    squares = examples.squares[::rivals]
    sizes, some = np.maximum(squares, 1e-300), squares > 0
    best: Priced | None = None
    for v in _path(examples, prices) if given is None else [given]:
        margins = examples.margins(v).reshape(-1, rivals).min(axis=1)
        length = float((v * v).sum())
        if not 0 < length < math.inf:
            continue
        for times in lengths.tolist() if given is None else (1.0,):
            short = 1 - times * margins
            gains, raises = _extremes(short, sizes, C, squared=mode == "II")
            gains, raises = np.where(some, gains, 0.0), np.where(some, raises, 0.0)
            best = _better(best, times * v, times**2 * length, gains, raises)
    return best


def _path(examples: Examples, prices: Floats) -> list[Floats]:
    found = []
    for price in prices.tolist():
        found += [examples.soft(square=price)[0], examples.soft(hinge=price)[0]]
    return found


def _extremes(
    short: Floats, sizes: Floats, C: float, *, squared: bool
) -> tuple[Floats, Floats]:
    """Return the least that a mistake gains, and the most that no mistake costs."""
    if squared:
        whole = sizes + 0.5 / C
        bend, slope = (2 * whole - sizes) / whole**2, short / whole
        low = np.clip(slope / bend, 0.0, 1.0)
        high = np.maximum(slope / bend, 1.0)
        return bend * high**2 - 2 * slope * high, 2 * slope * low - bend * low**2
    low = np.minimum(np.clip(short, 0.0, 1.0), C * sizes)
    high = np.maximum(np.minimum(short, C * sizes), 1.0)
    steps = np.minimum(C, high / sizes)
    gains = steps * (2 * high - steps * sizes - 2 * short)
    return gains, (2 * low * short - low**2) / sizes


def second_order(examples: Examples, r: float) -> Priced | None:
    """Return the best vector found for `SOP-ORDER`, or None."""
    squares = examples.column_sums(examples.values**2)
    best: Priced | None = None
    for portion in _PORTIONS:
        grown = r + portion * squares
        growth = float((np.log(grown / r) + r / grown - 1).sum())
        spread = _by_row(examples, examples.values**2 / grown[examples.columns]) / 2
        lengths = np.sqrt(grown)
        whitened = examples.scaled(1 / lengths)
        for price in _PRICES.tolist():
            v = whitened.soft(hinge=price * 10)[0] / lengths
            margins, length = examples.margins(v), float((v * v).sum())
            drag = _by_row(examples, (examples.values * v[examples.columns]) ** 2) / 2
            for times in _WIDE_LENGTHS.tolist():
                start = (r * times**2 * length + growth) / 2
                gains = times * margins - times**2 * drag - spread
                better = _better(best, times * v, start, gains)
                if better is not best and better is not None:
                    best = better._replace(
                        numbers={**better.numbers, "portion": portion}
                    )
    return best


def _by_row(examples: Examples, values: Floats) -> Floats:
    """Add up one number per value, by row."""
    rows = np.repeat(np.arange(len(examples)), np.diff(examples.offsets))
    sums = np.bincount(rows, weights=values, minlength=len(examples))
    return np.asarray(sums, dtype=np.float64)


def balanced_order(
    examples: Examples,
    rate: float,
    tried: list[Floats],
    times: float = 1.0,
    *,
    descends: bool = True,
    grown: float | None = None,
) -> Priced | None:
    """Return the best vector found for `BWIN-ORDER`, or None.

    With what the logarithm of the sum of the weights has grown by, for `BWIN-STEPS`.

    `tried` are vectors of any length; unless it descends, there are no others. What
    rounds cost counts so many times: on the mistakes of a run the least bound is often
    that of 0, which only repeats them.
    """
    n = examples.width
    largest = examples.sizes
    spent = (rate * largest) ** 2 / 2 if grown is None else 0.0 * largest
    best: Priced | None = None

    def look(best: Priced | None, u: Floats) -> Priced | None:
        size = float(np.abs(u).sum())
        if not size > 0:
            return best
        u = u * ((1 - 2.0**-50) / size)
        margins = rate * examples.margins(u)
        for share in _SHARES.tolist():
            small, gains = share * u, share * margins - spent
            start = _entropy(small) + (grown or 0.0)
            best = _better(best, small, start, gains, times=times)
        return best

    for u in tried:
        best = look(best, u)
    if not (descends and 0 < len(examples.values) <= _MOST_VALUES):
        return best
    signed = examples.values * np.repeat(examples.signs, np.diff(examples.offsets))
    top = float(spent.max())
    margins_tried, steps = _MARGINS, _STEPS
    if times > 1:
        margins_tried, steps = _MARGINS[1::2], _FEW_STEPS
    for margin in (margins_tried * largest.max()).tolist():
        price = 1 / max(rate * margin - top, 1e-9 * rate * margin)
        logs, total = np.zeros(2 * n), 0.0
        for step in range(steps):
            weights = np.exp(logs - logs.max())
            weights /= weights.sum()
            u = weights[:n] - weights[n:]
            if step % _LOOK == 0:
                best = look(best, u)
            margins = _by_row(examples, signed * u[examples.columns])
            erring = 1 - price * (rate * margins - spent) > 0
            pull = examples.column_sums(
                signed * np.repeat(erring, np.diff(examples.offsets))
            )
            pull *= times * price * rate
            slope = price * np.log(np.maximum(weights * 2 * n, 1e-300))
            slope += np.concatenate([-pull, pull])
            slope -= slope.min()
            total += float(slope.max()) ** 2
            logs -= slope * (2 * math.sqrt(math.log(2 * n + 1) / max(total, 1e-300)))
    return best


def _entropy(u: Floats) -> float:
    """Return the relative entropy of a vector to equal weights, or slightly more."""
    n, sizes = max(len(u), 1), np.abs(u)
    rest = max(1 - float(sizes.sum()), 0.0) / (2 * n)
    shares = np.concatenate([sizes + rest, np.full(len(u), rest)])
    shares = shares[shares > 0]
    return max(float((shares * np.log(2 * n * shares)).sum()), 0.0) + 1e-9
