"""`littlestone demo`: learners, files, and what their theorems promise."""

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
    from littlestone.streams import Stream

__all__ = ["demo"]

_SEED = 1988
_LOOKS = {
    "odor": ["none", "almond", "foul"],
    "spores": ["black", "brown", "green"],
    "cap": ["white", "brown"],
    "habitat": ["woods", "grass", "leaves"],
}


def demo() -> None:
    """Learn three streams from files, and print the mistakes beside the bounds.

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

        holds &= _learn_a_rule(rng, Path(folder) / "mushrooms.csv")
    raise typer.Exit(0 if holds else 1)


def _play(learner: Learner, path: Path, **numbers: float) -> bool:
    """Run and report; given numbers, hold the run against the first theorem."""
    from littlestone.streams import svmlight

    return _report(learner, svmlight(path), numbers)


def _report(learner: Learner, stream: Stream, numbers: dict[str, float]) -> bool:
    from littlestone.run import run

    record = run(learner, stream, progress=sys.stderr.isatty(), keep="nothing")
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


def _learn_a_rule(rng: np.random.Generator, path: Path) -> bool:
    """Learn a decision list from a table of categories, and print it."""
    from littlestone.boolean import DecisionListLearner
    from littlestone.concepts import DecisionList
    from littlestone.streams import cells, onehot

    truth = DecisionList.parse(
        "if odor=foul then yes, else if spores=green then yes, "
        "else if not cap=white then no, else if habitat=leaves then yes, else no"
    )
    rows = 5_000
    typer.echo(f"\nA rule for a table of categories: {rows:,} examples.\n")
    drawn = {name: rng.choice(values, rows) for name, values in _LOOKS.items()}
    with path.open("w") as file:
        print(*drawn, "poisonous", sep=",", file=file)
        for row in zip(*drawn.values(), strict=True):
            named = zip(drawn, row, strict=True)
            label = truth({f"{name}={value}": 1 for name, value in named})
            print(*row, "yes" if label else "no", sep=",", file=file)
    stream = onehot(cells(path, label="poisonous", positive="yes", negative="no"))
    learner = DecisionListLearner()
    features = len(stream.literals())
    holds = _report(
        learner, stream, {"features": features, "k": learner.k, "length": truth.size}
    )
    lines = str(learner.concept_).split(", else")
    typer.echo("\n    " + ",\n    else".join(lines))
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
