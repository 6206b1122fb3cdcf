"""Worlds: streams to try learners on, drawn by Hypothesis, and every learner to try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone import linear, losses
from littlestone.learner import Learner
from littlestone.outcome import Outcome
from littlestone.verifying import twins


@dataclass(frozen=True)
class Entry:
    """A learner with parameters of its own choice, and the values it takes."""

    made: Learner
    twin: type[Any]
    values: tuple[float, ...]
    exact: bool = True  # small multiples of 1/4 are learned from without rounding
    latest: bool = True  # it says what it learns by, so every mistake is an update

    def __str__(self) -> str:
        return repr(self.made)

    @property
    def many(self) -> bool:
        """Whether it learns classes."""
        return self.made.outcome is Outcome.CLASS


_REAL = (-2.5, -1.0, -0.3, 0.0, 0.1, 1.0, 3.0)
_UNIT = (0.0, 0.1, 0.25, 0.7, 1.0)
_BOOLEAN = (0.0, 1.0)
_TWO = (True, False)

# Every learner, in every mode that reads differently. A learner that is exported but
# not listed here fails the contract tests.
ENTRIES = [
    Entry(linear.Perceptron(), twins.Perceptron, _REAL),
    Entry(linear.Perceptron(update="margin"), twins.Perceptron, _REAL),
    Entry(linear.Perceptron(normalize=True, bias=0.7), twins.Perceptron, _REAL, False),
    Entry(linear.Perceptron(update="margin", bias=-1.5), twins.Perceptron, _REAL),
    Entry(linear.Perceptron(strict=True), twins.Perceptron, _REAL),
    Entry(
        linear.Perceptron(normalize=True, strict=True), twins.Perceptron, _REAL, False
    ),
    Entry(linear.AveragedPerceptron(), twins.AveragedPerceptron, _REAL, latest=False),
    Entry(
        linear.AveragedPerceptron(bias=0.7),
        twins.AveragedPerceptron,
        _REAL,
        latest=False,
    ),
    Entry(linear.VotedPerceptron(), twins.VotedPerceptron, _REAL, latest=False),
    Entry(linear.VotedPerceptron(bias=0.7), twins.VotedPerceptron, _REAL, latest=False),
    Entry(linear.KernelPerceptron(), twins.KernelPerceptron, _REAL),
    Entry(
        linear.KernelPerceptron("polynomial", degree=4, gamma=0.5, budget=7, seed=3),
        twins.KernelPerceptron,
        _REAL,
        exact=False,
    ),
    Entry(
        linear.KernelPerceptron("gaussian", gamma=0.3, update="margin"),
        twins.KernelPerceptron,
        _REAL,
        exact=False,
    ),
    Entry(linear.PassiveAggressive(mode=None), twins.PassiveAggressive, _REAL, False),
    Entry(linear.PassiveAggressive(0.1), twins.PassiveAggressive, _REAL, False),
    Entry(
        linear.PassiveAggressive(0.1, "II", bias=0.7),
        twins.PassiveAggressive,
        _REAL,
        exact=False,
    ),
    Entry(linear.SecondOrderPerceptron(0.5), twins.SecondOrderPerceptron, _REAL, False),
    Entry(
        linear.SecondOrderPerceptron(2.0, diagonal=False, bias=0.7),
        twins.SecondOrderPerceptron,
        _REAL,
        exact=False,
    ),
    Entry(linear.AROW(0.5, bias=0.7), twins.AROW, _REAL, exact=False),
    Entry(linear.AROW(2.0, diagonal=False), twins.AROW, _REAL, exact=False),
    Entry(linear.Winnow(threshold=3.0), twins.Winnow, _UNIT),
    Entry(linear.Winnow(threshold=2.5, promotion=1.3), twins.Winnow, _UNIT, False),
    Entry(linear.Winnow(threshold=4, eliminate=True), twins.Winnow, _BOOLEAN),
    Entry(linear.BalancedWinnow(0.3, scale=3), twins.BalancedWinnow, _REAL, False),
    Entry(
        linear.BalancedWinnow(400.0, scale=3, bias=0.7),
        twins.BalancedWinnow,
        _REAL,
        exact=False,
    ),
    Entry(linear.GradientDescent(), twins.GradientDescent, _REAL, False),
    Entry(
        linear.GradientDescent("hinge", 0.25, bias=0),
        twins.GradientDescent,
        _REAL,
        latest=False,
    ),
    Entry(
        linear.GradientDescent("square", 0.01, bias=0.7),
        twins.GradientDescent,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.GradientDescent("poisson", 0.01),
        twins.GradientDescent,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(linear.AdaGrad(), twins.AdaGrad, _REAL, False, latest=False),
    Entry(
        linear.AdaGrad("absolute", 0.3, normalize=False, bias=0),
        twins.AdaGrad,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.AdaGrad(losses.pinball(0.9), bias=0.7),
        twins.AdaGrad,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(linear.CoinBetting(), twins.CoinBetting, _REAL, False, latest=False),
    Entry(
        linear.CoinBetting("square", 0.5, bias=0),
        twins.CoinBetting,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.CoinBetting(losses.huber(0.5), scale=2.0),
        twins.CoinBetting,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(linear.FTRL(l1=0.3, l2=0.1), twins.FTRL, _REAL, False, latest=False),
    Entry(
        linear.FTRL("square", 0.5, 0, normalize=False, bias=0),
        twins.FTRL,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.ExponentiatedGradient(),
        twins.ExponentiatedGradient,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.ExponentiatedGradient("absolute", 0.05, 1.0, bias=0.7),
        twins.ExponentiatedGradient,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.VovkAzouryWarmuth(0.5, bias=0.7),
        twins.VovkAzouryWarmuth,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.AIOLI(0.5, 2.0, bias=0.7),
        twins.AIOLI,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.MulticlassAdaGrad(classes=_TWO),
        twins.MulticlassAdaGrad,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(
        linear.MulticlassAdaGrad(0.3, normalize=False, classes=_TWO, bias=0.7),
        twins.MulticlassAdaGrad,
        _REAL,
        exact=False,
        latest=False,
    ),
    Entry(linear.MulticlassPerceptron(_TWO), twins.MulticlassPerceptron, _REAL),
    Entry(
        linear.MulticlassPerceptron(_TWO, bias=0.7), twins.MulticlassPerceptron, _REAL
    ),
    Entry(
        linear.MulticlassPassiveAggressive(0.1, classes=_TWO, bias=0.7),
        twins.MulticlassPassiveAggressive,
        _REAL,
        exact=False,
    ),
    Entry(
        linear.MulticlassPassiveAggressive(0.1, "II", classes=_TWO),
        twins.MulticlassPassiveAggressive,
        _REAL,
        exact=False,
    ),
    Entry(
        linear.MulticlassAROW(2.0, classes=_TWO, bias=0.7),
        twins.MulticlassAROW,
        _REAL,
        exact=False,
    ),
    Entry(
        linear.MulticlassAROW(diagonal=False, classes=_TWO),
        twins.MulticlassAROW,
        _REAL,
        exact=False,
    ),
    Entry(
        linear.MulticlassSecondOrder(classes=_TWO),
        twins.MulticlassSecondOrder,
        _REAL,
        exact=False,
    ),
    Entry(
        linear.MulticlassSecondOrder(0.5, diagonal=False, classes=_TWO, bias=0.7),
        twins.MulticlassSecondOrder,
        _REAL,
        exact=False,
    ),
]


@dataclass(frozen=True)
class World:
    """Rows and labels, or advice and outcomes."""

    X: NDArray[np.float64]
    y: NDArray[Any]

    def examples(self) -> list[tuple[dict[Any, float], bool]]:
        """Each row as a mapping from column number to value, zeros left out."""
        return [
            ({j: float(v) for j, v in enumerate(x) if v}, bool(label))
            for x, label in zip(self.X, self.y, strict=True)
        ]


@st.composite
def worlds(draw: st.DrawFn, values: tuple[float, ...] = _REAL) -> World:
    """Draw up to 40 rows of up to 6 columns, labelled at random."""
    n = draw(st.integers(1, 6))
    cell = st.sampled_from(values)
    rows = draw(st.lists(st.lists(cell, min_size=n, max_size=n), max_size=40))
    X = np.array(rows, dtype=np.float64).reshape(len(rows), n)
    labels = draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    return World(X, np.array(labels, dtype=np.bool_))


def fixed_world(entry: Entry, rows: int = 300, columns: int = 12) -> World:
    """Return a larger world, the same each time."""
    rng = np.random.default_rng(7)
    X = rng.choice(entry.values, size=(rows, columns))
    y = X @ rng.normal(size=columns) + rng.normal(size=rows) > 0
    return World(X, y)
