"""What a small input may cost: twice as much takes at most 2.5 times as long.

Each measure is taken at n, 2n and 4n, the best of a few times, in turn; both doublings
count together, because one of them may be where the data leaves a cache. What grows
faster is measured again, since other programs run as well.

    python tests/scaling.py
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from littlestone import experts, linear, run, streams
from littlestone.maps import Crossed, Map, Mapped, Quadratic, Standardized

MOST = 2.5  # times as long, for twice as much
TRIES, REPEATS = 5, 4
SHORT = 0.02  # seconds under which the clock says little

Work = Callable[[], Any]


def columns(n: int, folder: Path, header: str = "c{}") -> Work:
    """Read a table with many columns."""
    path = folder / f"columns-{len(header)}-{n}.csv"
    names = ",".join(header.format(c) for c in range(n))
    path.write_text(f"{names},y\n" + f"{'1,' * n}1\n" * 2)
    return lambda: run(linear.Perceptron(), streams.csv(path, label="y"))


def prefixes(n: int, folder: Path) -> Work:
    """Read a table in which names begin alike, and one is long and full of =."""
    path = folder / f"prefixes-{n}.csv"
    path.write_text(f"{'=' * n},{','.join('a' * k for k in range(1, 100))},y\n")
    stream = streams.csv(path, label="y", types="number")
    with path.open("a") as file:
        file.write("1," * 100 + "1\n")
    return lambda: list(stream)


def classes(n: int, _: Path) -> Work:
    """Learn many classes, whose examples have large columns."""
    X = [({k % 7: 1.0, 2**24 - 1 - 64 * (k % 50): 1.0}, k % n) for k in range(4000)]
    return lambda: run(linear.MulticlassPerceptron(), X)


def names(n: int, folder: Path) -> Work:
    """Read long names that differ in a few bits."""
    path = folder / f"names-{n}.txt"
    path.write_text("".join(f"{k % 2} | {k:0128b}\n" for k in range(n)))
    return lambda: run(linear.Perceptron(), streams.vw(path))


def crowd(n: int, _: Path) -> Work:
    """Follow many experts."""
    advice = np.random.default_rng(n).random((20, n))
    return lambda: experts.ExponentialWeights(0.1).play(advice, advice[:, 0])


def passes(n: int, _: Path) -> Work:
    """Play the same rows again and again."""
    X = np.random.default_rng(1).random((300, 20))
    stream = streams.arrays(X, X[:, 0] > X[:, 1])

    def play() -> None:
        learner = linear.Perceptron()
        for _ in range(n):
            run(learner, stream)

    return play


def mapped(n: int, _: Path, chosen: Map) -> Work:
    """Map examples one by one, each with a feature that is new."""
    examples = [({f"n{k}": 1.0, "a": k % 3}, k % 2) for k in range(n)]
    return lambda: run(Mapped(linear.Perceptron(), chosen), examples)


MEASURES: dict[str, tuple[Callable[[int, Path], Work], int]] = {
    "columns": (columns, 10_000),
    "columns with long names": (partial(columns, header=f"{'c' * 99}{{}}"), 10_000),
    "a name full of =": (prefixes, 1_000_000),
    "classes": (classes, 1000),
    "names": (names, 40_000),
    "experts": (crowd, 200_000),
    "passes": (passes, 20),
    "features to standardize": (
        partial(mapped, chosen=Standardized(center=False)),
        4000,
    ),
    "features to multiply": (partial(mapped, chosen=Quadratic()), 4000),
    "features to cross": (partial(mapped, chosen=Crossed([("a", "a")])), 4000),
}


def growth(make: Callable[[int, Path], Work], n: int, folder: Path) -> list[float]:
    """Return how many times as long each doubling takes."""
    works = [make(n * times, folder) for times in (1, 2, 4)]
    best = [float("inf")] * len(works)
    for _ in range(REPEATS):
        for at, work in enumerate(works):
            start = time.process_time()
            work()
            best[at] = min(best[at], time.process_time() - start)
    return [after / max(before, SHORT) for before, after in pairwise(best)]


def main() -> int:
    """Measure all; return 1 if something grew too fast every time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.parse_args()
    steep = 0
    with tempfile.TemporaryDirectory() as folder:
        for what, (make, n) in MEASURES.items():
            found: list[float] = []
            for _ in range(TRIES):
                found = growth(make, n, Path(folder))
                if prod(found) <= MOST ** len(found):
                    break
            else:
                steep += 1
            shown = ", ".join(f"{each:.2f}" for each in found)
            sys.stdout.write(f"{what}: {shown} times for twice as much\n")
    return 1 if steep else 0


if __name__ == "__main__":
    sys.exit(main())
