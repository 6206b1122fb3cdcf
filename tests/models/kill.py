"""Kill runs at random moments, and let them go on until they end.

Each run is a process that is ended by SIGKILL, mostly in the middle of writing its
file, and begun again with `resume`. In the end learner, record and certificate must be
those of a run that nobody disturbed:

    python tests/models/kill.py KILLS [--seed SEED]

The moments are new ones each time, unless the seed is given.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from littlestone import certify, models, run, streams
from littlestone.boolean import KDNFLearner
from littlestone.experts import (
    Committee,
    ExponentialWeights,
    RandomizedWeightedMajority,
)
from littlestone.learner import Learner
from littlestone.linear import (
    AROW,
    KernelPerceptron,
    MulticlassPerceptron,
    Perceptron,
    VotedPerceptron,
    Winnow,
)

Make = Callable[[], Learner]


def worlds(folder: Path) -> list[tuple[str, Make, Callable[[], Any], dict[str, Any]]]:
    """Return learners, their streams, and how they are to be run."""
    rng = np.random.default_rng(3)
    rows = 1500
    X = rng.choice([0.0, 0.0, 0.5, 1.0], size=(rows, 12))
    y = X @ rng.normal(size=12) + rng.normal(size=rows) / 4 > 0.3
    path = folder / "lines.svm"
    with path.open("w") as file:
        for x, label in zip(X, y, strict=True):
            cells = " ".join(f"{k + 1}:{v}" for k, v in enumerate(x) if v)
            file.write(f"{int(label)} {cells}\n")
    named = [
        ({f"f{k}": v for k, v in enumerate(x) if v}, bool(label))
        for x, label in zip(X.tolist(), y, strict=True)
    ]
    classes = [(x, "abc"[int(x.get("f1", 0) + x.get("f2", 0))]) for x, _ in named]
    truths = [(dict.fromkeys(x, 1), "f3" in x and "f5" not in x) for x, _ in named]
    F = rng.random((rows, 9))
    lines = lambda: streams.svmlight(path)  # noqa: E731 - one of several
    kept: dict[str, Any] = {"keep": "updates"}
    return [
        ("perceptron", lambda: Perceptron(bias=1.0), lines, kept | {"passes": 3}),
        ("voted", VotedPerceptron, lines, kept),
        ("winnow", lambda: Winnow(threshold=12), lines, kept | {"digest": True}),
        ("arow", lambda: AROW(diagonal=False), lambda: iter(named), {}),
        ("kernel", lambda: KernelPerceptron("gaussian", budget=20), lines, {}),
        ("classes", MulticlassPerceptron, lambda: iter(classes), kept),
        ("k-dnf", lambda: KDNFLearner(2), lambda: iter(truths), kept),
        (
            "hedge",
            lambda: ExponentialWeights(0.4),
            lambda: streams.advice(F, F[:, 3] / 2),
            {"digest": True},
        ),
        (
            "committee",
            lambda: Committee([Perceptron(), AROW()], RandomizedWeightedMajority()),
            lambda: iter(named[:400]),
            {},
        ),
    ]


def outcome(learner: Any, record: Any, path: Path) -> dict[str, Any]:
    """Return all that a run comes to, as plain data."""
    models.save(learner, path)
    certificate = None
    if record.learner.name in ("Perceptron", "VotedPerceptron"):
        certificate = certify(record).to_json()
    kept = record.examples
    return {
        "record": json.loads(json.dumps(record.to_dict(), default=repr)),
        "kept": None if kept is None else [repr(kept), [repr(e) for e in kept]],
        "certificate": certificate,
        "model": path.read_bytes().hex(),
    }


def child(
    make: Make, stream: Callable[[], Any], options: dict[str, Any], folder: Path
) -> None:
    """Play in a process of its own, and write down what came out."""
    code = 1
    try:
        learner = make()
        every = random.choice((40, 90, 250))  # noqa: S311 - any will do
        record = models.run(
            learner,
            stream(),
            folder / "run.lst",
            checkpoint_every=every,
            resume=True,
            **options,
        )
        found = outcome(learner, record, folder / "end.lst")
        (folder / "end.tmp").write_text(json.dumps(found))
        (folder / "end.tmp").replace(folder / "end.json")
        code = 0
    except BaseException:  # noqa: BLE001 - it must not go on as its parent
        traceback.print_exc()
    finally:
        os._exit(code)


def main(kills: int, seed: int) -> None:
    """Kill so many times, in all."""
    sys.stderr.write(f"{kills:,} kills, --seed {seed}\n")
    draw = random.Random(seed)  # noqa: S311 - to be drawn again
    found: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as name:
        all_worlds = worlds(Path(name))
        expected = {}
        for world, make, stream, options in all_worlds:
            learner = make()
            started = time.monotonic()
            record = run(learner, stream(), **options)
            took = time.monotonic() - started
            end = json.dumps(outcome(learner, record, Path(name) / "a.lst"))
            expected[world] = (json.loads(end), took)
        while found["kills"] < kills:
            world, make, stream, options = draw.choice(all_worlds)
            folder = Path(tempfile.mkdtemp(dir=name))
            patience = 0.02 + expected[world][1] / 4
            while True:
                pid = os.fork()
                if pid == 0:
                    random.seed(draw.random())
                    child(make, stream, options, folder)
                time.sleep(draw.random() * patience)
                os.kill(pid, signal.SIGKILL)
                _, status = os.waitpid(pid, 0)
                if not os.WIFSIGNALED(status):
                    if os.WEXITSTATUS(status):
                        raise SystemExit(f"{world}: failed, seed {seed}")
                    break
                found["kills"] += 1
                found["in the middle of writing"] += bool(list(folder.glob(".*.tmp")))
                # So that it ends at last, however slow the machine is.
                patience *= 1.05
            found["runs"] += 1
            got = json.loads((folder / "end.json").read_text())
            for part, wanted in expected[world][0].items():
                if got[part] != wanted:
                    raise SystemExit(f"{world}: the {part} differs, seed {seed}")
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kills", type=int)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(2**32))
    given = parser.parse_args()
    main(given.kills, given.seed)
