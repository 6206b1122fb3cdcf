"""Worlds: streams to try learners on, drawn by Hypothesis, and every learner to try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone import linear
from littlestone.learner import Learner
from littlestone.verify import twins


@dataclass(frozen=True)
class Entry:
    """A learner with parameters of its own choice, and the values it takes."""

    made: Learner
    twin: Any
    values: tuple[float, ...]

    def __str__(self) -> str:
        return repr(self.made)


_REAL = (-2.5, -1.0, -0.3, 0.0, 0.1, 1.0, 3.0)
_UNIT = (0.0, 0.1, 0.25, 0.7, 1.0)
_BOOLEAN = (0.0, 1.0)

# Every learner, in every mode that reads differently. A learner that is exported but
# not listed here fails the contract tests.
ENTRIES = [
    Entry(linear.Perceptron(), twins.Perceptron(), _REAL),
    Entry(linear.Perceptron(update="margin"), twins.Perceptron("margin"), _REAL),
    Entry(
        linear.Perceptron(normalize=True, bias=0.7),
        twins.Perceptron(normalize=True, bias=0.7),
        _REAL,
    ),
    Entry(
        linear.Perceptron(update="margin", bias=-1.5),
        twins.Perceptron("margin", bias=-1.5),
        _REAL,
    ),
    Entry(linear.Winnow(threshold=3.0), twins.Winnow(3.0), _UNIT),
    Entry(linear.Winnow(threshold=2.5, promotion=1.3), twins.Winnow(2.5, 1.3), _UNIT),
    Entry(
        linear.Winnow(threshold=4, eliminate=True),
        twins.Winnow(4.0, eliminate=True),
        _BOOLEAN,
    ),
]


@dataclass(frozen=True)
class World:
    """Rows and labels."""

    X: NDArray[np.float64]
    y: NDArray[np.bool_]

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
