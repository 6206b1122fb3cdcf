"""Learners, maps and files that several threads use at once.

A learner answers one thread and tells the others that it is busy; what threads share
behind our backs must be guarded. `make races` plays this under the thread sanitizer,
which notices what is not:

    python tests/use_at_once.py SECONDS [--seed SEED]
"""

from __future__ import annotations

import gzip
import json
import pickle
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import change_arrays
from advice_worlds import ADVISED
from boolean_worlds import BOOLEAN_ENTRIES
from change_arrays import EXPERTS, MAPS, ROWS, Scenario, sparse_rows
from littlestone import Auto, race, run, streams
from littlestone.errors import LittlestoneError
from littlestone.linear import PassiveAggressive, Perceptron
from littlestone.maps import Mapped
from littlestone.models._models import to_bytes
from worlds import ENTRIES

THREADS = 3
LINES = 60_000  # some megabytes, which are parsed by several threads


def at_once(*work: Callable[[], Any]) -> None:
    """Do all of this at the same time; errors of ours may come, no others."""
    with ThreadPoolExecutor(len(work)) as pool:
        for done in [pool.submit(each) for each in work]:
            with suppress(LittlestoneError):
                done.result()


def one_learner(made: Any, rng: np.random.Generator) -> None:
    """Play, predict, look at, copy and save one learner in several threads."""
    X, y = sparse_rows(rng, np.float64, np.int32)
    _use(made.clone(), X, y, {1: 1.0, 3: 0.5})


def one_forecaster(entry: Any, rng: np.random.Generator) -> None:
    """Do the same to a learner with expert advice."""
    advice = rng.choice(entry.says, (ROWS, EXPERTS))
    _use(
        entry.made.clone(), advice, rng.choice(entry.outcomes, ROWS), advice[0].tolist()
    )


def _use(learner: Any, X: Any, y: Any, x: Any) -> None:
    def look() -> None:
        for _ in range(20):
            for each in (learner.clone, partial(pickle.dumps, learner)):
                with suppress(LittlestoneError):
                    each()
            with suppress(LittlestoneError):
                to_bytes(learner)
            for name in ("weights_", "concept_", "alive_", "updates_"):
                with suppress(LittlestoneError):
                    getattr(learner, name, None)
            with suppress(LittlestoneError):
                learner.predict_one(x)

    at_once(*(partial(learner.play, X, y),) * THREADS, look)


def own_learners(rng: np.random.Generator) -> None:
    """Play the same rows with a learner for each thread."""
    X, y = sparse_rows(rng, np.float64, np.int32)
    stream = streams.arrays(X, y)
    keep = partial(run, stream=stream, keep="updates", digest=True)
    at_once(*(partial(keep, Perceptron()) for _ in range(THREADS)))


def _files(folder: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Write a file of each format, long enough for several threads."""
    numbers = range(LINES)

    def written(name: str, lines: Any, head: str = "") -> Path:
        path = folder / name
        path.write_text(head + "".join(f"{line}\n" for line in lines))
        return path

    svm = written("a.svm", (f"{k % 2} {k % 7 + 1}:1 {k % 999 + 9}:2" for k in numbers))
    yield svm, {}
    packed = folder / "a.svm.gz"
    packed.write_bytes(gzip.compress(svm.read_bytes(), 1))
    yield packed, {"format": "svmlight"}
    vw = (f"{k % 2 * 2 - 1} |w word{k % 999} n:{k % 5}" for k in numbers)
    yield written("a.vw", vw), {"format": "vw"}
    told = (
        json.dumps({"y": k % 2, f"f{k % 99}": k, "c": f"v{k % 9}"}) for k in numbers
    )
    yield written("a.jsonl", told), {"label": "y"}
    cells = (f"{k % 2},{k % 5},v{k % 999}" for k in numbers)
    yield written("a.csv", cells, "y,n,c\n"), {"label": "y"}
    words = (f"{k % 2}\tsome word{k % 999} here" for k in numbers)
    yield written("a.tsv", words, "y\ttext\n"), {"label": "y", "format": "text"}


def files(rng: np.random.Generator) -> None:
    """Run, race and leave files, which threads parse ahead."""
    with tempfile.TemporaryDirectory() as folder:
        made = list(_files(Path(folder)))
        path, options = made[rng.integers(len(made))]
        stream = partial(streams.open, path, **options)
        run(Perceptron(), stream(), digest=True)
        next(iter(stream()))  # and no more
        race([Perceptron(), PassiveAggressive(), Auto()], stream())
        at_once(*(partial(run, Perceptron(), stream()) for _ in range(THREADS)))


def scenarios() -> list[tuple[str, Scenario]]:
    """Return everything that threads may share, by name."""
    learners: list[Any] = [entry.made for entry in ENTRIES]
    learners += [entry.made for entry in BOOLEAN_ENTRIES]
    learners += [Auto(), *(Mapped(Perceptron(), each) for each in MAPS)]
    found: list[tuple[str, Scenario]] = [("own", own_learners), ("files", files)]
    found += [(repr(made), partial(one_learner, made)) for made in learners]
    found += [(repr(entry), partial(one_forecaster, entry)) for entry in ADVISED]
    return found


if __name__ == "__main__":
    change_arrays.main(given=scenarios)
