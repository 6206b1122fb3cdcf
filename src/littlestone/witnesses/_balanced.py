r"""Witnesses for Balanced Winnow: vectors with $\|u\|_1 = 1$.

As for the Perceptron, the search minimises the form of `BWIN-ANY` in which a shortfall
counts twice: otherwise an ever larger margin would turn the bound into the number of
mistakes. On all rounds of a stream it counts once. With $s = 1/(\eta\gamma - \kappa)$,
$\kappa = \eta^2 X^2/2$, $q = \eta s u$, that is
$s \ln 2n + 2 \sum_t \max(0, 1 + s\kappa - y_t\,q \cdot x_t)$: piecewise linear in $s$
and $q$, where $\|q\|_1 \le \eta s$.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.theorems._rounding import float_down
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    LOST,
    Examples,
    add_up,
    fall_short,
    on_average,
    vector,
)
from littlestone.witnesses._orders import balanced_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples
    from littlestone.theorems._rounding import Number

    Floats = NDArray[np.float64]

__all__ = ["Game", "balanced_winnow", "of_size_one"]

# A larger linear program takes longer than it is worth.
_LARGEST = 200_000


def balanced_winnow(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    u: Mapping[Feature | None, float] | None = None,
    *,
    passes: int | None = None,
) -> list[Candidate]:
    """Return the bounds on the mistakes of Balanced Winnow, the smallest first.

    Parameters
    ----------
    kept
        The examples of the updates, or of all rounds for bounds in every order.
    parameters
        The parameters of the learner.
    u
        A vector to use in place of a search; the entry of the constant feature is
        under None.
    passes
        How often to go through the examples; None for as often as it is worth, with a
        linear program.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import balanced_winnow
    >>> from littlestone.linear import BalancedWinnow
    >>> stream = [({"a": 1.0, "b": -1.0}, False), ({"a": 0.5, "c": 1.0}, True)] * 5
    >>> record = run(BalancedWinnow(rate=0.5), stream, keep="updates")
    >>> record.mistakes, balanced_winnow(record.examples, record.learner.parameters)[0]
    (2, Candidate(BWIN-ORDER: 5.06765))
    """
    rate, bias = float(parameters["rate"]), float(parameters["bias"])
    examples = Examples.of(kept, bias=bias, passes=passes)
    times = 2 if kept.changed is None else 1  # on all rounds u = 0 is no way out
    # Without any value, any scale and any vector are fine.
    scale = float(np.abs(examples.values).max(initial=0.0)) or parameters["scale"]
    if not len(examples.values):
        tried = [np.zeros(examples.width)]
    elif u is not None:
        entries = [float(u.get(name, 0.0)) for name in kept.features]
        tried = [np.array([*entries, float(u.get(None, 0.0))] if bias else entries)]
    else:
        tried = _directions(examples, rate, scale, times)
    game = Game(examples, rate, scale, kept.features, bias, times=times)
    best: dict[str, Candidate] = {}
    found = [candidate for v in tried for candidate in game.evaluate(v)]
    for candidate in sorted(found, key=lambda candidate: candidate.bound):
        best.setdefault(candidate.theorem.id, candidate)
    found = list(best.values())
    orders: tuple[float, ...] = (1.0,)
    if kept.changed is None:  # the theorem for every order, measured on the mistakes
        orders = tuple(2 * more for more in examples.times) if passes is None else ()
    for more in orders:
        priced = balanced_order(examples, rate, tried, more, descends=u is None)
        if priced is None:
            break
        witness = vector(priced.v, kept.features, constant=bool(bias))
        found.append(Candidate.of(theorems.BWIN_ORDER, witness, priced.numbers))
        if not found[-1].repeats(len(kept)):
            break
    found.sort(key=lambda candidate: candidate.bound)
    searched = u is None and kept.changed is None and passes is None
    some = len(examples.values) and found
    if searched and some and found[0].repeats(len(kept)):
        solved = _program(examples, rate, scale, 1, most=LOST)
        if solved is not None and math.isfinite(solved[1]):
            found += game.evaluate(*solved)
    return sorted(found, key=lambda candidate: candidate.bound)


def _directions(
    examples: Examples, rate: float, scale: float, times: int
) -> list[Floats]:
    """Return the vectors to try."""
    signed = examples.values * np.repeat(examples.signs, np.diff(examples.offsets))
    logs = rate * examples.column_sums(signed)  # what the learner ends with
    most = float(np.abs(logs).max())
    tried = [
        logs,
        np.sign(logs) * (np.exp(np.abs(logs) - most) - np.exp(-np.abs(logs) - most)),
        examples.soft(hinge=examples.radius**-2)[0],
    ]
    if examples.passes is not None:
        return tried
    tried.append(examples.separator(1e-3 * examples.radius)[0])
    solved = _program(examples, rate, scale, times)
    return tried if solved is None else [*tried, solved[0]]


def _program(
    examples: Examples,
    rate: float,
    scale: float,
    times: int,
    most: float | None = None,
) -> tuple[Floats, float] | None:
    r"""Return the best vector, up to its scale, and its margin, or None.

    Of many rounds, it is the best one for every so many of them. It falls short of the
    margin by at most a share of the rounds, if that is given: as $s\gamma\eta = 1 +
    s\kappa$, the losses add up to at most that share of $1 + s\kappa$ for each.
    """
    try:
        from scipy import optimize, sparse  # noqa: PLC0415 - only where it is needed
    except ImportError:
        return None
    whole, examples = len(examples), examples.at_most(_LARGEST)
    table = examples.signed(sparse)
    m, n = table.shape
    kappa = (rate * scale) ** 2 / 2
    # q for, q against, the losses, s.
    rows = sparse.hstack([table, -table, sparse.identity(m), np.full((m, 1), -kappa)])
    size = sparse.hstack(
        [sparse.csr_matrix(-np.ones((1, 2 * n))), sparse.csr_matrix((1, m)), [[rate]]]
    )
    losses = np.full(m, times * whole / m)
    costs = np.concatenate([np.zeros(2 * n), losses, [math.log(2 * n)]])
    limits, levels = [-rows, -size], np.append(-np.ones(m), 0.0)
    if most is not None:
        losses = np.concatenate([np.zeros(2 * n), np.ones(m), [-most * m * kappa]])
        limits.append(sparse.csr_matrix(losses))
        levels = np.append(levels, most * m)
    answer = optimize.linprog(
        costs,
        A_ub=sparse.vstack(limits).tocsr(),
        b_ub=levels,
        bounds=(0, None),
        method="highs",
        options={"time_limit": 5.0},
    )
    if answer.x is None:
        return None
    v, s = answer.x[:n] - answer.x[n : 2 * n], float(answer.x[-1])
    margin = (1 / s + kappa) / rate if s > 0 else math.inf
    return np.asarray(v, dtype=np.float64), margin


class Game:
    """The mistakes of a run, or all its rounds, on which vectors are evaluated.

    A round counts so many `times`.
    """

    def __init__(
        self,
        examples: Examples,
        rate: float,
        scale: float,
        features: tuple[Feature, ...],
        bias: float,
        *,
        times: int,
    ) -> None:
        self.examples, self.rate, self.scale = examples, rate, scale
        self.features, self.bias, self.times = features, bias, times
        ends = examples.offsets[:-1]
        largest = np.zeros(len(examples))
        some = np.diff(examples.offsets) > 0
        if some.any():
            sizes = np.abs(examples.values)
            largest[some] = np.maximum.reduceat(sizes, ends[some])
        self.squares = np.nextafter(largest**2, math.inf)

    def evaluate(self, v: Floats, margin: float | None = None) -> list[Candidate]:
        """Return the bound of each theorem in the direction of v.

        Unless it is given, the margin is the best one.
        """
        u = of_size_one(v)
        margins = self.examples.margins(u)
        witness = vector(u, self.features, constant=bool(self.bias))
        found = []
        margin = self._margin(margins) if margin is None else margin
        deviation = add_up(fall_short(margin, margins))
        if math.isfinite(deviation) and self._drop(margin) > 0:
            numbers: dict[str, Number] = {
                "features": max(self.examples.width, 1),
                "margin": margin,
                "deviation": deviation,
                "rate": self.rate,
                "scale": self.scale,
            }
            found.append(Candidate.of(theorems.BWIN_ANY, witness, numbers))
            del numbers["scale"]
            found += on_average(
                theorems.BWIN_RMS,
                witness,
                numbers,
                "mean_scale",
                self.squares,
                every=self.times == 1,
                least=self.scale,
            )
        norm = add_up(np.abs(u))
        # The margin that this rate is tuned to, if the vector reaches it.
        tuned = Fraction(self.rate) * Fraction(norm) * Fraction(self.scale) ** 2
        if norm and tuned <= Fraction(float(margins.min())):
            about: dict[str, Number] = {
                "features": max(self.examples.width, 1),
                "margin": tuned,
                "scale": self.scale,
                "norm": norm,
            }
            found.append(Candidate.of(theorems.BWIN_SEP, witness, about))
        return found + self._gap(v)

    def _gap(self, v: Floats) -> list[Candidate]:
        """Evaluate the theorem with a threshold, if the constant feature fits it."""
        n = len(self.features)
        if not self.bias or abs(self.bias) < self.scale or not n:
            return []
        u = of_size_one(v[:n])
        yes = self.examples.signs > 0
        if not u.any() or yes.all() or not yes.any():
            return []
        low, high = self.examples.scores(np.append(u, 0.0))
        gap = float_down(Fraction(float(low[yes].min())) - Fraction(high[~yes].max()))
        norm, scale = add_up(np.abs(u)), abs(self.bias)
        tuned = 4 * Fraction(self.rate) * Fraction(norm) * Fraction(scale) ** 2
        if tuned > Fraction(gap):
            return []
        numbers: dict[str, Number] = {
            "features": n,
            "gap": tuned,
            "scale": scale,
            "norm": norm,
        }
        witness = vector(u, self.features, constant=False)
        return [Candidate.of(theorems.BWIN_GAP, witness, numbers)]

    def _drop(self, margin: float) -> Fraction:
        eta = Fraction(self.rate)
        return eta * Fraction(margin) - (eta * Fraction(self.scale)) ** 2 / 2

    def _margin(self, margins: Floats) -> float:
        """Return the margin that minimises the sum form: one of the margins."""
        kappa = (self.rate * self.scale) ** 2 / 2
        gains = np.sort(self.rate * margins - kappa)[::-1]
        # From one margin to the next lower one, as s grows, one round less counts.
        slopes = math.log(2 * max(self.examples.width, 1)) - self.times * (
            gains.sum() - np.cumsum(gains)
        )
        reached = np.flatnonzero((slopes >= 0) & (gains > 0))
        if not len(reached):
            return self.rate * self.scale**2
        return float(np.sort(margins)[::-1][reached[0]])


def of_size_one(v: Floats) -> Floats:
    """Return the vector scaled to |u|_1 = 1 or slightly less; or zeros."""
    most = float(np.abs(v).max(initial=0.0))
    if not 0 < most < math.inf:
        return np.zeros(len(v))
    v = np.where(np.abs(v) > 1e-12 * most, v / most, 0.0)
    return np.asarray(v / math.fsum(np.abs(v).tolist()) * (1 - 2.0**-50))
