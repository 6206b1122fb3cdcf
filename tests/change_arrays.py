"""Arrays that another thread changes while they are played, hashed and searched.

The result may be anything, or one of our errors, but nothing may be read or written
outside an array. `make sanitize` plays this under the address sanitizer, which notices:

    python tests/change_arrays.py SECONDS [--seed SEED]
"""

from __future__ import annotations

import argparse
import secrets
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from advice_worlds import ADVISED
from boolean_worlds import BOOLEAN_ENTRIES
from littlestone import Auto, MulticlassAuto, _core, cluster, run, streams
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import LittlestoneError
from littlestone.experts import Calibrator, Restarting
from littlestone.linear import MulticlassPerceptron, PassiveAggressive, Perceptron
from littlestone.maps import Crossed, Fourier, Map, Mapped, Quadratic, Standardized
from littlestone.running.recorder import Recorder
from worlds import ENTRIES

ROWS, WIDTH, NONZEROS, EXPERTS = 400, 50, 5, 40

MAPS: tuple[Map, ...] = (
    Crossed([(0, 1), (2, 2)]),
    Fourier(dim=5),
    Quadratic(),
    Standardized(),
    Standardized() | Quadratic(bits=6),
)

Scenario = Callable[[np.random.Generator], Any]


@contextmanager
def changing(rng: np.random.Generator, *arrays: NDArray[Any]) -> Iterator[None]:
    """Write nonsense and the right numbers to the arrays, in turn, in a thread.

    NumPy copies without the interpreter, so this also meets code that holds it.
    """
    pairs = [(array, array.copy(), _nonsense(rng, array)) for array in arrays]
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            for array, right, wrong in pairs:
                np.copyto(array, wrong)
                np.copyto(array, right)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _nonsense(rng: np.random.Generator, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind in "iu":
        ends = np.iinfo(array.dtype)
        wild = rng.integers(ends.min, ends.max, array.shape, array.dtype)
    elif array.dtype.kind == "b":
        return rng.integers(0, 256, array.shape, np.uint8).view(np.bool_)
    else:
        odd = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e300, 5e-324)
        with np.errstate(over="ignore"):
            wild = rng.choice(odd, array.shape).astype(array.dtype)
    # Some numbers stay, so that rows get beyond the first checks.
    return np.where(rng.random(array.shape) < 0.5, array, wild)


def sparse_rows(
    rng: np.random.Generator, kind: Any, index: Any
) -> tuple[sp.csr_matrix, NDArray[np.bool_]]:
    """Return rows of a few ones, their columns in order or not, and labels."""
    columns = np.argsort(rng.random((ROWS, WIDTH)), axis=1)[:, :NONZEROS]
    if rng.random() < 0.5:
        columns.sort(axis=1)
    X = sp.csr_matrix((ROWS, WIDTH), dtype=kind)
    X.data = np.ones(columns.size, dtype=kind)
    X.indices = columns.ravel().astype(index)
    X.indptr = np.arange(0, columns.size + 1, NONZEROS, dtype=index)
    return X, rng.random(ROWS) < 0.5


def play(made: Any, rng: np.random.Generator) -> None:
    """Play sparse rows, with every type of numbers."""
    for kind in (np.float32, np.float64):
        for index in (np.int32, np.int64):
            X, y = sparse_rows(rng, kind, index)
            with changing(rng, X.indices, X.indptr, X.data, y):
                made.clone().play(X, y)


def keep(made: Any, rng: np.random.Generator) -> None:
    """Run with a digest and the examples that a certificate needs."""
    X, y = sparse_rows(rng, np.float64, np.int32)
    with changing(rng, X.indices, X.indptr, X.data):
        run(made.clone(), streams.arrays(X, y), keep="updates", digest=True)


def keep_dense(made: Any, rng: np.random.Generator) -> None:
    """Run dense rows with a digest and the examples that a certificate needs."""
    X, y = rng.choice([0.0, 1.0], (ROWS, WIDTH)), rng.random(ROWS) < 0.5
    with changing(rng, X):
        run(made.clone(), streams.arrays(X, y), keep="updates", digest=True)


def play_outcomes(made: Any, rng: np.random.Generator) -> None:
    """Play labels of every type of numbers, which are classes to some."""
    for kind in (np.int64, np.int8, np.float64, np.float32):
        X, _ = sparse_rows(rng, np.float64, np.int32)
        y = rng.integers(0, 2, ROWS).astype(kind)
        with changing(rng, X.indices, y):
            made.clone().play(X, y)


def one_by_one(made: Any, rng: np.random.Generator) -> None:
    """Predict, learn and record rows that are arrays, one at a time."""
    learner, x = made.clone(), rng.random(WIDTH)
    recorder = Recorder(made.clone())
    with changing(rng, x):
        for label in (True, False) * 25:
            with suppress(LittlestoneError):
                learner.predict_one(x)
            with suppress(LittlestoneError):
                learner.learn_one(x, label)
            with suppress(LittlestoneError):
                recorder.told(recorder.predicted(x), label)


def merge(made: Any, rng: np.random.Generator) -> None:
    """Play shards, and merge what was learned."""
    X, y = sparse_rows(rng, np.float64, np.int32)
    with changing(rng, X.indices, X.data, y):
        cluster.run(made.clone(), (X, y), shards=3, workers=0)


def calibrate(rng: np.random.Generator) -> None:
    """Turn scores into probabilities."""
    scores, y = rng.normal(size=(ROWS, 3)), rng.random(ROWS) < 0.5
    with changing(rng, scores, y):
        Calibrator(sources=3).play(scores, y)


def hash_rows(made: Any, rng: np.random.Generator) -> None:
    """Run hashed features."""
    X, y = sparse_rows(rng, np.float64, np.int64)
    with changing(rng, X.indices, X.indptr, X.data):
        run(made.clone(), streams.hashed(streams.arrays(X, y), bits=6))


def follow(entry: Any, rng: np.random.Generator) -> None:
    """Play advice."""
    advice = rng.choice(entry.says, (ROWS, EXPERTS))
    y = rng.choice(entry.outcomes, ROWS)
    with changing(rng, advice, y):
        entry.made.clone().play(advice, y)


def keep_advice(entry: Any, rng: np.random.Generator) -> None:
    """Run advice with a digest."""
    advice = rng.choice(entry.says, (ROWS, EXPERTS))
    y = rng.choice(entry.outcomes, ROWS)
    with changing(rng, advice):
        run(entry.made.clone(), streams.advice(advice, y), digest=True)


def search(rng: np.random.Generator) -> None:
    """Search for a witness, and bound its margins."""
    X, y = sparse_rows(rng, np.float64, np.int32)
    offsets = X.indptr.astype(np.int64)
    signs, duals, v = np.where(y, 1.0, -1.0), np.zeros(ROWS), np.zeros(WIDTH)
    low, high = np.zeros(ROWS), np.zeros(ROWS)
    rows = (offsets, X.indices, X.data)
    find = partial(_core.find_margin, cap=1.0, ridge=0.0, tolerance=1e-9, work=1e5)
    with changing(rng, *rows):
        find(*rows, signs, duals, v)
        _core.score_bounds(*rows, v, low, high)
        _core.square_bounds(*rows, WIDTH, high)
        _core.scale_by_length(offsets, X.data, np.zeros_like(X.data))


def scenarios() -> list[tuple[str, Scenario]]:
    """Return everything that reads arrays of users, by name."""
    found: list[tuple[str, Scenario]] = [("search", search), ("calibrate", calibrate)]
    learners: list[Any] = [entry.made for entry in ENTRIES]
    learners += [entry.made for entry in BOOLEAN_ENTRIES]
    learners += [
        *(Auto(), Auto(narrow=2), MulticlassAuto()),
        *(Restarting(Perceptron()), Restarting(MulticlassPerceptron())),
    ]
    found += [
        (f"{what.__name__} {made!r}", partial(what, made))
        for made in learners
        for what in (play, play_outcomes, one_by_one, keep, keep_dense, hash_rows)
    ]
    found += [
        (f"merge {made!r}", partial(merge, made))
        for made in (Perceptron(), PassiveAggressive(), ConjunctionLearner())
    ]
    found += [
        (f"{what.__name__} {made!r}", partial(what, made))
        for made in (Mapped(Perceptron(), each) for each in MAPS)
        for what in (play, one_by_one, keep, keep_dense)
    ]
    found += [
        (f"{what.__name__} {entry}", partial(what, entry))
        for entry in ADVISED
        for what in (follow, keep_advice)
    ]
    return found


def outcome_of(scenario: Scenario, rng: np.random.Generator) -> str:
    """Try a scenario; return the name of what was raised, which must be ours."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scenario(rng)
    except LittlestoneError as error:
        return type(error).__name__
    except ValueError as error:
        # The native core refuses what is wrong when it is handed over.
        if "offsets of rows" not in str(error) and "below the width" not in str(error):
            raise
        return "refused"
    return "played"


def main(
    given: Callable[[], list[tuple[str, Scenario]]] = scenarios,
    arguments: Sequence[str] | None = None,
) -> None:
    """Try every scenario again and again, for so many seconds."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int, default=secrets.randbits(32))
    options = parser.parse_args(arguments)
    sys.stdout.write(f"seed {options.seed}\n")
    rng = np.random.default_rng(options.seed)
    counts: Counter[str] = Counter()
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        for name, scenario in given():
            try:
                counts[outcome_of(scenario, rng)] += 1
            except BaseException:
                sys.stderr.write(f"seed {options.seed}, {name}\n")
                raise
    what = ", ".join(f"{count} {what}" for what, count in counts.most_common())
    sys.stdout.write(f"{what}\n")


if __name__ == "__main__":
    main()
