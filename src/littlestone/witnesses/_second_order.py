r"""Witnesses for the second-order Perceptron and AROW.

`SOP` and `AROW` add a loss of $v = u/\gamma$ to $\sqrt{E L}$, where $E$ is the square
of a length of $v$ and $L$ does not depend on it. As for the Perceptron, $v = 0$ turns
them into the number of mistakes, so the search counts a loss twice. `AROW-DIAG` also
needs how far the mean moved, so the updates are replayed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core, theorems
from littlestone.theorems._shares import NEARLY_ALL
from littlestone.witnesses._aggressive import Steps
from littlestone.witnesses._candidate import Candidate
from littlestone.witnesses._examples import (
    Examples,
    add_up,
    fall_short,
    size_up,
    squares_up,
    vector,
)
from littlestone.witnesses._orders import second_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from littlestone.running.examples import KeptExamples

    Floats = NDArray[np.float64]

__all__ = ["Path", "arow", "second_order_perceptron"]

# More than the rounding of the sums and logarithms below.
_SLACK = 1 + 1e-9
_PRICES = (0.03, 0.3, 3.0, 30.0)
_TURNS = 4
# A determinant takes the cube of this many operations.
_LARGEST = 2000


def second_order_perceptron(
    kept: KeptExamples, parameters: Mapping[str, Any], *, passes: int | None = None
) -> list[Candidate]:
    """Return the bound `SOP` on a second-order Perceptron's mistakes.

    Parameters
    ----------
    kept
        The examples of the updates, or of all rounds for a bound in every order.
    parameters
        The parameters of the learner.
    passes
        How often to go through the examples; None for as often as it is worth.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import second_order_perceptron
    >>> from littlestone.linear import SecondOrderPerceptron
    >>> stream = [({"a": 1.0, "b": 2.0}, False), ({"a": 1.0}, True)] * 4
    >>> record = run(SecondOrderPerceptron(), stream, keep="updates")
    >>> found = second_order_perceptron(record.examples, record.learner.parameters)
    >>> record.mistakes, found
    (2, [Candidate(SOP: 2.87375)])
    """
    bias, r = float(parameters["bias"]), float(parameters["r"])
    examples = Examples.of(kept, bias=bias, passes=passes)
    geometry = _Geometry(examples, r, diagonal=bool(parameters["diagonal"]))
    if not geometry.fine:
        return []
    found = []
    for times in examples.times if kept.changed is None else (0.5,):
        v = geometry.best(geometry.log_det, 2 * times)
        short = fall_short(1.0, examples.margins(v))
        numbers = {
            "margin": 1.0,
            "deviation": add_up(short),
            "energy": geometry.energy(v),
            "log_det": geometry.log_det,
        }
        witness = vector(v, kept.features, constant=bool(bias))
        found.append(Candidate.of(theorems.SOP, witness, numbers))
        if not theorems.SOP.is_tautological(numbers, len(kept)):
            break
    if kept.changed is not None and parameters["diagonal"]:
        priced = second_order(examples, r)
        if priced is not None:
            witness = vector(priced.v, kept.features, constant=bool(bias))
            found.append(Candidate.of(theorems.SOP_ORDER, witness, priced.numbers))
    return sorted(found, key=lambda candidate: candidate.bound)


def arow(
    kept: KeptExamples,
    parameters: Mapping[str, Any],
    mistakes: int,
    unmended: int = 0,
    wrong: NDArray[np.bool_] | None = None,
    *,
    passes: int | None = None,
    thorough: bool = True,
) -> list[Candidate]:
    """Return the bound `AROW`, or `AROW-STEPS` and `AROW-DIAG`, on AROW's mistakes.

    Parameters
    ----------
    kept
        The examples of the updates.
    parameters
        The parameters of the learner.
    mistakes
        How many mistakes the learner made.
    unmended
        How many of them changed nothing: those on examples without a value. Every
        vector loses 1 on them.
    wrong
        Which of the updates were mistakes, for `AROW-STEPS`.
    passes
        How often to go through the examples; None for as often as it is worth. With so
        many, there is no search for `AROW-DIAG`.
    thorough
        Whether to search for `AROW-DIAG` even among many examples, if `AROW-STEPS`
        says something: with the same vector it says more.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.certifying._linear import arow
    >>> from littlestone.linear import AROW
    >>> stream = [({"a": 1.0, "b": 2.0}, False), ({"a": 1.0}, True)] * 4
    >>> record = run(AROW(diagonal=False), stream, keep="updates")
    >>> found = arow(record.examples, record.learner.parameters, record.mistakes)
    >>> record.mistakes, [candidate.theorem.id for candidate in found]
    (2, ['AROW'])
    """
    bias, r = float(parameters["bias"]), float(parameters["r"])
    examples = Examples.of(kept, bias=bias, passes=passes)
    if parameters["diagonal"]:
        path = Path(examples, r)
        found = []
        for v, numbers in () if wrong is None else path.by_steps(wrong, unmended):
            witness = vector(v, kept.features, constant=bool(bias))
            found.append(Candidate.of(theorems.AROW_STEPS, witness, numbers))
        said = found and not found[-1].repeats(len(kept))
        if passes is None and (thorough or examples.few or not said):
            v, numbers = path.diagonal(unmended)
            witness = vector(v, kept.features, constant=bool(bias))
            found.append(Candidate.of(theorems.AROW_DIAG, witness, numbers))
        return sorted(found, key=lambda candidate: candidate.bound)
    geometry = _Geometry(examples, r, diagonal=False)
    if not geometry.fine:
        return []
    if kept.changed is not None:
        v = geometry.ridge()
        distance = 1 - examples.margins(v)
        # The margins are rounded down, which is off for those above 1.
        residual = float(distance @ distance) * _SLACK + 1e-12 * len(examples)
        numbers = {
            "r": r,
            "norm": size_up(v),
            "residual": residual,
            "log_det": geometry.log_det,
        }
        witness = vector(v, kept.features, constant=bool(bias))
        return [Candidate.of(theorems.AROW_ORDER, witness, numbers)]
    within = len(examples) - (mistakes - unmended)
    v = geometry.best(geometry.log_det + within)
    lost = np.append(fall_short(1.0, examples.margins(v)), np.ones(unmended))
    numbers = {
        "energy": geometry.energy(v),
        "log_det": geometry.log_det,
        "hinge": add_up(lost),
        "margin_updates": within,
    }
    witness = vector(v, kept.features, constant=bool(bias))
    return [Candidate.of(theorems.AROW, witness, numbers)]


class _Geometry:
    """The matrix A to which a learner adds its examples, starting from rI."""

    def __init__(self, examples: Examples, r: float, *, diagonal: bool) -> None:
        self.examples, self.r, self.diagonal = examples, r, diagonal
        self.squares = examples.column_sums(examples.values**2)
        self.fine = diagonal or min(len(examples), examples.width) <= _LARGEST
        self.log_det = 0.0
        if self.fine:
            logs = float(np.log1p(self.squares / r).sum())
            self.log_det = (logs if diagonal else self._full()) * _SLACK

    def _table(self) -> Floats:
        examples = self.examples
        rows = np.repeat(np.arange(len(examples)), np.diff(examples.offsets))
        table = np.zeros((len(examples), examples.width))
        table[rows, examples.columns] = examples.values
        return table

    def ridge(self) -> Floats:
        """Return v that minimises r |v|^2 plus the sum of (1 - y v.x)^2."""
        table, y = self._table(), self.examples.signs
        if len(table) < table.shape[1]:
            gram = table @ table.T + self.r * np.eye(len(table))
            return np.asarray(table.T @ np.linalg.solve(gram, y), dtype=np.float64)
        grown = table.T @ table + self.r * np.eye(table.shape[1])
        return np.asarray(np.linalg.solve(grown, table.T @ y), dtype=np.float64)

    def _full(self) -> float:
        """Return ln det(A/r)."""
        examples = self.examples
        if not len(examples.values):
            return 0.0
        table = self._table()
        narrow = len(examples) < examples.width
        products = table @ table.T if narrow else table.T @ table
        return float(np.linalg.slogdet(np.eye(len(products)) + products / self.r)[1])

    def energy(self, v: Floats) -> float:
        """Return v'Av, or slightly more."""
        if self.diagonal:
            return float((v**2 * (self.r + self.squares)).sum()) * _SLACK
        low, high = self.examples.scores(v)
        scores = np.maximum(np.abs(low), np.abs(high))
        return (self.r * squares_up(v) + squares_up(scores)) * _SLACK

    def best(self, growth: float, times: float = 2.0) -> Floats:
        """Return v that minimises sqrt(energy growth) plus so many times its losses.

        The root is at most E/(2a) + a growth/2 for every a, with equality for the best
        a: the search alternates between v and a.
        """
        lengths = np.sqrt(self.r + self.squares)
        whitened = self.examples.scaled(1 / lengths)
        best, least = np.zeros(self.examples.width), math.inf
        quick = self.examples.passes is not None
        for start in _PRICES[1:2] if quick else _PRICES:
            price = start
            for _ in range(_TURNS // 2 if quick else _TURNS):
                v = whitened.soft(hinge=price)[0] / lengths
                size = math.sqrt(self.energy(v) * growth)
                margins = self.examples.margins(v)
                scale = _corner(margins, size, times)
                stuck = not scale > 0  # v = 0 is better, but useless
                scale = scale or 1.0
                total = scale * size + times * float(
                    np.maximum(0.0, 1 - scale * margins).sum()
                )
                if total < least:
                    best, least = v * scale, total
                if stuck or not growth > 0:
                    break
                price = times * scale * math.sqrt(self.energy(v) / growth)
        return best


def _corner(margins: Floats, cost: float, times: float) -> float:
    """Return g that minimises cost g + times the sum of max(0, 1 - g m): 1/m, or 0."""
    falling = np.sort(margins)[::-1]
    slopes = cost - times * (falling.sum() - np.cumsum(falling))
    if cost - times * falling.sum() >= 0:
        return 0.0
    reached = np.flatnonzero((slopes >= 0) & (falling > 0))
    return float(1 / falling[reached[0]]) if len(reached) else 0.0


class Path:
    """The way of the mean, in diagonal form: the updates are replayed."""

    def __init__(self, examples: Examples, r: float) -> None:
        self.examples, self.r = examples, r
        self.squares = examples.column_sums(examples.values**2)
        self._replay()

    def _replay(self) -> None:
        """Find the mean, the steps, and sums of x^2 times the mean and its square."""
        examples = self.examples
        means, ones, twos = np.zeros((3, examples.width))
        taus, gains = np.zeros((2, len(examples)))
        _core.replay_means(
            examples.offsets,
            examples.columns,
            examples.values,
            examples.signs,
            r=self.r,
            means=means,
            ones=ones,
            twos=twos,
            steps=taus,
            gains=gains,
        )
        self.means, self.ones, self.twos = means, ones, twos
        self.taus, self.gains = taus, gains

    def drifts(self, u: Floats) -> Floats:
        """Return the sum of x^2 (mean - u)^2 by column; below 0 only by rounding."""
        return np.maximum(self.squares * u**2 - 2 * u * self.ones + self.twos, 0.0)

    def drift(self, u: Floats) -> float:
        """Return the drift of the theorems, or slightly more."""
        # Cancellation is relative to the size of these terms.
        terms = self.squares * u**2 + 2 * np.abs(u * self.ones) + self.twos
        return float((self.drifts(u) + 1e-9 * terms).sum()) / self.r * _SLACK

    def diagonal(self, unmended: int) -> tuple[Floats, dict[str, float]]:
        """Find u for `AROW-DIAG`, on the line along which the mean moved."""
        examples, r = self.examples, self.r

        def total(u: Floats) -> float:
            lost = fall_short(1.0, examples.margins(u))
            return float(u @ u + (lost @ lost + self.drifts(u).sum()) / r)

        directions = self.means, self.ones / (r + self.squares)
        tried = [np.zeros(examples.width), *(self._least(d) * d for d in directions)]
        u = min(tried, key=total)
        lost = np.append(fall_short(1.0, examples.margins(u)), np.ones(unmended))
        return u, {
            "radius": examples.radius,
            "r": r,
            "norm": size_up(u),
            "hinge_squares": squares_up(lost),
            "drift": self.drift(u),
        }

    def _least(self, direction: Floats) -> float:
        """Return where on a line the sum of `diagonal` is least, nearly."""
        margins, r = self.examples.margins(direction), self.r
        # All but the losses is a quadratic function on the line.
        curved = float(direction @ (direction * (1 + self.squares / r)))
        slope = 2 * float(direction @ self.ones) / r

        def total(at: float) -> float:
            lost = np.maximum(0.0, 1.0 - at * margins)
            return at * (curved * at - slope) + float(lost @ lost) / r

        low, high = 0.0, 4.0
        for _ in range(40):  # it is convex
            left, right = low + (high - low) / 3, high - (high - low) / 3
            if total(left) < total(right):
                high = right
            else:
                low = left
        return low

    def by_steps(
        self, wrong: NDArray[np.bool_], unmended: int
    ) -> Iterator[tuple[Floats, dict[str, float]]]:
        """Yield u for `AROW-STEPS`, with losses that count ever more.

        Its length and the drift are quadratic in u, least at a centre: the search is
        for what to add to that, in the metric of the two.
        """
        lengths = np.sqrt(1 + self.squares / self.r)
        centre = self.ones / (self.r + self.squares)
        levels = 1 - self.examples.margins(centre)
        scaled = self.examples.scaled(1 / lengths)
        steps = Steps(self.taus, self.gains, wrong, unmended, 1.0)
        for times in self.examples.times:
            u = centre + scaled.softest(times * self.taus, levels) / lengths
            lost = float(self.taus @ fall_short(1.0, self.examples.margins(u)))
            numbers = steps.numbers(lost)
            if numbers is None or not math.isfinite(self.drift(u) + size_up(u)):
                return
            yield u, {"norm": size_up(u), "drift": self.drift(u), **numbers}
            if numbers["mean_loss"] < NEARLY_ALL:
                return
