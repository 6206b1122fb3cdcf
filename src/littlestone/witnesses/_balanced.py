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
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.theorems._rounding import float_down
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    on_average,
    vector,
)
from littlestone.witnesses._orders import balanced_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.running.examples import KeptExamples
    from littlestone.theorems._rounding import Number

    Floats = NDArray[np.float64]

__all__ = ["Game", "balanced_winnow", "of_size_one"]

# A larger linear program takes longer than it is worth.
_LARGEST = 200_000

# Of smaller steps no bound is finite, or nearly none, nor what the search computes.
_LEAST = 1e-100


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
    (2, Candidate(BWIN-STEPS: 2.1727))
    """
    rate, bias = float(parameters["rate"]), float(parameters["bias"])
    examples = Examples.of(kept, bias=bias, passes=passes)
    times = 2 if kept.changed is None else 1  # on all rounds u = 0 is no way out
    # Without any value, any scale and any vector are fine.
    scale = float(np.abs(examples.values).max(initial=0.0)) or parameters["scale"]
    if rate * scale < _LEAST:
        return []
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
    if passes is not None:  # by what the weights were in the end alone
        tried = tried[1:2]
    priced = partial(_priced, kept, examples, parameters, tried)
    descends = u is None and passes is None
    if kept.changed is not None:
        found += priced((1.0,), descends=descends)
    else:
        more = tuple(2 * each for each in examples.times)
        found += priced(more, descends=descends, grown=_grown(examples, rate))
        if passes is None:  # the theorem for every order, measured on the mistakes
            found += priced(more, descends=descends)
    return sorted(found, key=lambda candidate: candidate.bound)


def _priced(
    kept: KeptExamples,
    examples: Examples,
    parameters: Mapping[str, Any],
    tried: list[Floats],
    orders: tuple[float, ...],
    *,
    descends: bool,
    grown: float | None = None,
) -> Iterator[Candidate]:
    """Yield the bounds with a price until one says more than the mistakes do.

    Those of `BWIN-STEPS` if it is known what the sum of the weights has grown by.
    """
    rate, bias = float(parameters["rate"]), bool(parameters["bias"])
    for more in orders:
        priced = balanced_order(
            examples, rate, tried, more, descends=descends, grown=grown
        )
        if priced is None:
            return
        theorem, numbers = theorems.BWIN_ORDER, priced.numbers
        if grown is not None:
            left = numbers["potential"] - grown
            theorem = theorems.BWIN_STEPS
            numbers = {**numbers, "potential": left, "grown": grown}
        witness = vector(priced.v, kept.features, constant=bias)
        found = Candidate.of(theorem, witness, numbers)
        yield found
        if not found.repeats(len(kept)):
            return


def _grown(examples: Examples, rate: float) -> float:
    """Return what the logarithm of the sum of the weights grew by, or slightly more."""
    signed = examples.values * np.repeat(examples.signs, np.diff(examples.offsets))
    if not examples.width:
        return 0.0
    logs = rate * np.abs(examples.column_sums(signed))
    added = rate * examples.column_sums(np.abs(signed))
    most = float(logs.max())
    mean = np.mean(np.exp(logs - most) + np.exp(-logs - most)) / 2
    return most + math.log(mean) + 1e-9 * (1 + float(added.max()))


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
        examples.soft(hinge=examples.price)[0],
    ]
    if examples.passes is not None:
        return tried
    tried.append(examples.separator(1e-3 * examples.radius)[0])
    solved = _program(examples, rate, scale, times)
    return tried if solved is None else [*tried, solved]


def _program(
    examples: Examples,
    rate: float,
    scale: float,
    times: int,
) -> Floats | None:
    """Return the best vector, up to its scale, or None.

    Of many rounds, it is the best one for every so many of them.
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
    answer = optimize.linprog(
        costs,
        A_ub=sparse.vstack([-rows, -size]).tocsr(),
        b_ub=np.append(-np.ones(m), 0.0),
        bounds=(0, None),
        method="highs",
        options={"time_limit": 5.0},
    )
    if answer.x is None:
        return None
    return np.asarray(answer.x[:n] - answer.x[n : 2 * n], dtype=np.float64)


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
        self.squares = np.nextafter(examples.sizes**2, math.inf)

    def evaluate(self, v: Floats) -> list[Candidate]:
        """Return the bound of each theorem in the direction of v."""
        u = of_size_one(v)
        margins = self.examples.margins(u)
        witness = vector(u, self.features, constant=bool(self.bias))
        found = []
        margin = self._margin(margins)
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
