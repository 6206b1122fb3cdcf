"""`littlestone demo`: two learners, one file each, and what their theorems promise."""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from littlestone.learner import Learner

__all__ = ["demo"]

_SEED = 1988


def demo() -> None:
    """Learn two streams from files, and print the mistakes beside the bounds.

    Exits with 1 if a bound is exceeded: a premise is broken, or there is a bug.
    """
    import numpy as np

    from littlestone.linear import Perceptron, Winnow

    rng = np.random.default_rng(_SEED)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stream.svm"
        rows, features, relevant = 30_000, 100, 5
        typer.echo(
            f"A halfspace with a margin: {rows:,} examples, {features} features.\n"
        )
        X, y, margin = _halfspace(rng, rows, features)
        _write(path, [np.arange(features)] * rows, X, y)
        # The longest example and the margin are premises, so they are rounded outward.
        longest = float(np.linalg.norm(X, axis=1).max()) * (1 + 1e-9)
        holds = _play(Perceptron(), path, radius=longest, margin=margin)

        rows, features = 50_000, 5_000
        typer.echo(
            f"\nA disjunction of {relevant} features among {features:,}: "
            f"{rows:,} examples.\n"
        )
        active, y = _disjunction(rng, rows, features, relevant)
        _write(path, active, [np.ones(len(x)) for x in active], y)
        eliminating = Winnow(threshold=features, eliminate=True)
        holds &= _play(eliminating, path, features=features, relevant=relevant)
        demoting = Winnow(threshold=features, promotion=1.5)
        truth = {"features": features, "weight": relevant, "gap": 1}
        holds &= _play(demoting, path, **truth, threshold=features)
        _play(Perceptron(bias=1.0), path)
    raise typer.Exit(0 if holds else 1)


def _play(learner: Learner, path: Path, **numbers: float) -> bool:
    """Run and report; given numbers, hold the run against the first theorem."""
    from littlestone.run import run
    from littlestone.streams import svmlight

    record = run(learner, svmlight(path), progress=sys.stderr.isatty(), keep="nothing")
    holds = True
    line = f"  {record.mistakes:6,} mistakes"
    if numbers:
        theorem = learner.guarantees[0]
        bound = theorem.bound(**numbers)
        holds = record.mistakes <= bound
        relation = "<=" if holds else "EXCEED"
        line += f" {relation} {bound:8,.1f} by {theorem.id:9}"
    else:
        line += " " * 25
    typer.echo(f"{line} {record.learner}")
    return holds


def _halfspace(
    rng: np.random.Generator, rows: int, features: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_], float]:
    """Draw examples no closer than a margin to a random plane."""
    import numpy as np

    u = rng.normal(size=features)
    u /= np.linalg.norm(u)
    X = np.round(rng.normal(size=(4 * rows, features)) / math.sqrt(features), 3)
    scores = X @ u
    wide = np.flatnonzero(np.abs(scores) >= np.quantile(np.abs(scores), 0.75))[:rows]
    margin = float(np.abs(scores[wide]).min()) * (1 - 1e-9)
    return X[wide], scores[wide] > 0, margin


def _disjunction(
    rng: np.random.Generator, rows: int, features: int, relevant: int
) -> tuple[list[NDArray[np.int64]], NDArray[np.bool_]]:
    """Draw sets of active features; yes means that a relevant one is active."""
    import numpy as np

    active = rng.integers(relevant, features, size=(rows, 25))
    hit = rng.integers(2, size=rows) == 1
    active[hit, 0] = rng.integers(relevant, size=int(hit.sum()))
    return [np.unique(row) for row in active], hit


def _write(
    path: Path,
    columns: Sequence[NDArray[np.int64]],
    values: Sequence[NDArray[np.float64]] | NDArray[np.float64],
    y: NDArray[np.bool_],
) -> None:
    with path.open("w") as file:
        for js, xs, label in zip(columns, values, y.tolist(), strict=True):
            pairs = zip(js.tolist(), xs.tolist(), strict=True)
            text = " ".join(f"{j + 1}:{x:g}" for j, x in pairs)
            file.write(f"{1 if label else -1} {text}\n")
