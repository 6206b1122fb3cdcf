"""The online mistake rates that LIBOL and SOL publish, computed with these learners.

    python benchmarks/published.py [--orders 100]

It needs `svmguide3/svmguide3.svm.gz`, `a1a-libol/a1a.svm.gz` and `a1a.t.svm.gz`, and
the four files of MNIST in `mnist/`, in the folder that `LITTLESTONE_DATA` names (or in
`../shared/data`). Order s of the examples is the permutation that
`numpy.random.default_rng(s)` draws; every learner makes one pass over it.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from littlestone.linear import (
    AROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
)

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from data import data_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Data = tuple[NDArray[np.float64], NDArray[Any]]
DIGITS = range(10)
PIXELS = 784


@dataclass(frozen=True)
class Figure:
    """A published mean and the standard deviation over orders, in percent."""

    mean: float
    spread: float

    def __str__(self) -> str:
        return f"{self.mean:.2f} ± {self.spread:.2f}"


@dataclass(frozen=True)
class Entry:
    """A line of a published table, and the learner that recomputes it."""

    name: str
    online: Figure  # mistakes
    make: Callable[[], Any]
    test: Figure | None = None  # errors on the test set
    updates: float | None = None


def pa(mode: Any, c: float = 1.0) -> Callable[[], PassiveAggressive]:
    return lambda: PassiveAggressive(C=c, mode=mode)


def many(mode: Any, c: float = 1.0) -> Callable[[], MulticlassPassiveAggressive]:
    return lambda: MulticlassPassiveAggressive(C=c, mode=mode, classes=DIGITS)


# The manual of LIBOL, table 3, which gives three digits. No constant feature, full
# matrices. LIBOL tries C in 1/16, 1/8, ..., 16 on one order and keeps the best.
SVMGUIDE3 = [
    Entry("Perceptron", Figure(33.2, 1.2), Perceptron, updates=412.4),
    Entry("PA", Figure(31.8, 1.3), pa(None), updates=721.1),
    Entry("PA1, C = 1/16", Figure(23.6, 0.2), pa("I", 1 / 16), updates=763.4),
    Entry("PA2, C = 1/16", Figure(25.3, 0.7), pa("II", 1 / 16), updates=1131.5),
    Entry(
        "SOP, full, a = 1",
        Figure(29.7, 1.2),
        lambda: SecondOrderPerceptron(r=1.0, diagonal=False),
        updates=369.1,
    ),
    Entry(
        "AROW, full, r = 1",
        Figure(22.2, 0.4),
        lambda: AROW(r=1.0, diagonal=False),
        updates=1219.5,
    ),
]

# The README of SOL, as error = 100 % - accuracy. No constant feature, diagonals.
# SOL tries C, a and r in 1/16, 1/8, ..., 16 by cross-validation.
A1A = [
    Entry("Perceptron", Figure(22.87, 0.54), Perceptron, Figure(22.07, 1.87)),
    Entry("PA", Figure(22.41, 0.97), pa(None), Figure(22.42, 3.29)),
    Entry("PA1, C = 1/16", Figure(19.89, 0.58), pa("I", 1 / 16), Figure(18.07, 1.03)),
    Entry("PA2, C = 1/16", Figure(20.87, 0.62), pa("II", 1 / 16), Figure(19.87, 2.0)),
    Entry(
        "SOP, a = 1",
        Figure(21.84, 0.73),
        lambda: SecondOrderPerceptron(r=1.0),
        Figure(21.6, 1.89),
    ),
    Entry(
        "AROW, r = 2",
        Figure(17.89, 0.61),
        lambda: AROW(r=2.0),
        Figure(15.98, 0.09),
    ),
]

MNIST = [
    Entry(
        "Perceptron",
        Figure(15.4, 0.08),
        lambda: MulticlassPerceptron(DIGITS),
        Figure(13.29, 1.64),
    ),
    Entry("PA", Figure(14.47, 0.09), many(None), Figure(12.47, 1.64)),
    Entry("PA1, C = 1", Figure(14.47, 0.09), many("I", 1.0), Figure(12.47, 1.64)),
    Entry(
        "PA2, C = 1/16", Figure(14.15, 0.08), many("II", 1 / 16), Figure(11.89, 1.31)
    ),
]

# SOL's AROW and SOP for many classes, which this library does not have: a binary
# learner on blocks of features, one a class. See `Blocks`.
BLOCKS = [
    Entry(
        "SOP, a = 1",
        Figure(14.48, 0.07),
        lambda: Blocks(SecondOrderPerceptron(r=1.0), margin=0.0),
        Figure(11.89, 0.99),
    ),
    Entry(
        "AROW, r = 4",
        Figure(9.49, 0.04),
        lambda: Blocks(AROW(r=4.0), margin=1.0),
        Figure(7.74, 0.14),
    ),
]


class Blocks:
    """Many classes for a binary learner of weights: a block of features for each.

    The score of a class is that of the example moved into its block. To learn is to be
    told that the best rival's block minus the right one's is a no.
    """

    def __init__(self, learner: Any, margin: float) -> None:
        self.learner = learner
        self.margin = margin

    @property
    def updates_(self) -> int:
        """How many rounds have changed the learner."""
        return self.learner.updates_

    def scores(self, row: NDArray[np.float64]) -> tuple[list[dict[int, float]], Any]:
        """Return the example moved into each block, and the score of each."""
        at = np.flatnonzero(row)
        values = row[at].tolist()
        moved = [
            dict(zip((at + PIXELS * c).tolist(), values, strict=True)) for c in DIGITS
        ]
        return moved, np.array([self.learner.score_one(x) for x in moved])

    def play(self, X: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.int64]:
        """Predict each row, then learn from it; return what was predicted."""
        said = np.empty(len(y), dtype=np.int64)
        for t, (row, right) in enumerate(zip(X, y, strict=True)):
            moved, scores = self.scores(row)
            said[t] = scores.argmax()
            of_right, scores[right] = scores[right], -np.inf
            rival = int(scores.argmax())
            if said[t] != right or of_right - scores[rival] < self.margin:
                minus = {feature: -value for feature, value in moved[right].items()}
                self.learner.learn_one(moved[rival] | minus, False)
        return said

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.int64]:
        """Predict the class of each row."""
        return np.array([self.scores(row)[1].argmax() for row in X])


def svmlight(path: Path, features: int) -> Data:
    """Read a file whose labels are 1 and -1."""
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    X, y = np.zeros((len(lines), features)), np.zeros(len(lines), dtype=np.bool_)
    for t, line in enumerate(lines):
        label, *pairs = line.split()
        y[t] = float(label) > 0
        for pair in pairs:
            index, value = pair.split(":")
            X[t, int(index) - 1] = float(value)
    return X, y


def idx(path: Path) -> NDArray[np.uint8]:
    """Read a file of MNIST's format."""
    content = gzip.decompress(path.read_bytes())
    sizes = np.frombuffer(content, ">i4", count=content[3], offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * content[3]).reshape(sizes)


def digits(folder: Path, part: str) -> Data:
    """Read MNIST, pixels in [0, 1]; `part` is "train" or "t10k"."""
    images = idx(folder / f"{part}-images-idx3-ubyte.gz")
    labels = idx(folder / f"{part}-labels-idx1-ubyte.gz")
    return images.reshape(len(images), -1) / 255, labels.astype(np.int64)


@dataclass(frozen=True)
class Result:
    """What was measured over some orders; rates in percent."""

    online: Figure
    test: Figure | None
    updates: float


def measure(
    entry: Entry, data: Data, test: Data | None, orders: int, tell: Any = None
) -> Result:
    """Make one pass over each order of the examples."""
    X, y = data
    online, errors, updates = [], [], []
    for seed in range(orders):
        order = np.random.default_rng(seed).permutation(len(y))
        learner = entry.make()
        said = learner.play(X[order], y[order])
        online.append(100 * np.mean(said != y[order]))
        updates.append(learner.updates_)
        if test is not None:
            errors.append(100 * np.mean(learner.predict(test[0]) != test[1]))
        if tell is not None:
            tell(seed + 1)
    return Result(figure(online), figure(errors) if errors else None, np.mean(updates))


def figure(rates: list[Any]) -> Figure:
    spread = np.std(rates, ddof=1) if len(rates) > 1 else 0.0
    return Figure(float(np.mean(rates)), float(spread))


def tables(
    orders: int,
) -> Iterator[tuple[str, list[Entry], Data, Data | None, int]]:
    """Yield each table with its data and how many orders to play."""
    guide = svmlight(data_file("svmguide3/svmguide3.svm.gz"), 21)
    yield "LIBOL, svmguide3", SVMGUIDE3, guide, None, orders
    train, test = (
        svmlight(data_file(f"a1a-libol/{name}.svm.gz"), 123)
        for name in ("a1a", "a1a.t")
    )
    yield "SOL, a1a", A1A, train, test, orders
    folder = data_file("mnist")
    train, test = digits(folder, "train"), digits(folder, "t10k")
    yield "SOL, MNIST", MNIST, train, test, max(1, orders // 10)
    yield "SOL, MNIST, blocks", BLOCKS, train, test, max(1, orders // 30)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=100)
    asked = parser.parse_args()
    began = time.monotonic()
    for title, entries, train, test, orders in tables(asked.orders):
        print(f"\n{title}: {orders} orders; errors in percent, mean ± deviation")
        print("| learner | published | ours | published test | our test | updates |")
        print("|---|---|---|---|---|---|")
        for entry in entries:

            def tell(done: int, entry: Entry = entry, orders: int = orders) -> None:
                spent = time.monotonic() - began
                line = f"{entry.name}: {done} of {orders} orders, {spent:.0f} s"
                print(f"\r{line:<60}", end="", file=sys.stderr, flush=True)

            got = measure(entry, train, test, orders, tell)
            print(f"\r{'':<60}\r", end="", file=sys.stderr, flush=True)
            cells = [
                entry.name,
                entry.online,
                got.online,
                entry.test or "-",
                got.test or "-",
                f"{entry.updates or '-'} / {got.updates:.1f}",
            ]
            print(f"| {' | '.join(map(str, cells))} |")


if __name__ == "__main__":
    main()
