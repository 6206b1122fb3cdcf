"""How fast littlestone is beside its peers: ratios, measured in one run.

Ours and the peers take turns in one process, and the best time of each counts: what
else runs on the machine can only add to a time. A time is the CPU time of the calling
thread: by the wall clock, a busy machine would flatter whoever is done before it
interrupts, which is us, and the CPU time of the whole process would count the threads
that a peer's BLAS leaves spinning. A file is read on several threads and timed by the
wall clock, so those lines need an idle machine; the load before the run is reported.

What is measured is kept in `results/speed.json`, each group with its setting, and
`tell.py` makes a page of that. A group that is measured alone replaces its own lines.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gzip
import hashlib
import inspect
import json
import math
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import combinations, pairwise, product
from pathlib import Path
from typing import Any, TypeAlias
from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from isal import igzip
from liblinear.liblinearutil import parameter, problem, train
from numpy.ctypeslib import ndpointer
from numpy.typing import NDArray
from pyarrow.parquet import read_table, write_table
from river import base
from river.ensemble import EWARegressor
from river.linear_model import BayesianLinearRegression
from river.linear_model import Perceptron as RiverPerceptron
from river.optim.losses import Squared
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
from vowpalwabbit import Workspace

from littlestone import certify, models, run, streams
from littlestone import race as run_race
from littlestone.boolean import (
    ConjunctionLearner,
    DecisionListLearner,
    KCNFLearner,
)
from littlestone.certifying._linear import passive_aggressive, perceptron
from littlestone.experts import (
    BOA,
    AdaHedge,
    ExponentialWeights,
    Halving,
    MLPoly,
    PackedAdvice,
    WeightedMajority,
)
from littlestone.linear import (
    AROW,
    AdaGrad,
    AveragedPerceptron,
    BalancedWinnow,
    CoinBetting,
    KernelPerceptron,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    VovkAzouryWarmuth,
    Winnow,
)
from tell import amount

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "tests"))

from data import data_file  # noqa: E402 - the tests say where data are

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RESULTS = HERE / "results" / "speed.json"
FLAGS = ["-O3", "-ffp-contract=off", "-shared", "-fPIC", "-std=c++20"]
PEERS = [
    *("liblinear-official", "numpy", "pandas", "polars", "pyarrow", "river"),
    *("scikit-learn", "vowpalwabbit"),
]

FEATURES = 47_000
NONZEROS = 75
NOISE = 0.01
CLASSES = np.array([-1, 1])
ETA = 0.5

Action: TypeAlias = Callable[[], object]
Labels: TypeAlias = NDArray[np.int64]
DictStream: TypeAlias = list[tuple[dict[str, float], bool]]


@dataclass(frozen=True)
class Size:
    """How much is measured."""

    rows: int = 200_000
    dense_rows: int = 500_000
    passes: int = 20  # over the dicts
    repeats: int = 50
    file_repeats: int = 12
    slow_repeats: int = 1  # for the peers that take seconds


QUICK = Size(20_000, 50_000, 5, 5, 2, 1)


@dataclass(frozen=True)
class Line:
    """One line of the table; times in seconds, unless there is another unit.

    Beside a peer, `target` is the least ratio of the peer's time to ours; without one,
    it is the most that ours may take. Without a target it is there to be known.
    """

    what: str
    ours: float
    peer: float | None
    target: float | None
    unit: str = "s"

    @property
    def ratio(self) -> float | None:
        """How many times as fast as the peer we are."""
        return None if self.peer is None else self.peer / self.ours

    @property
    def met(self) -> bool | None:
        """Whether the target is reached, if there is one."""
        if self.target is None:
            return None
        if self.ratio is None:
            return self.ours <= self.target
        return self.ratio >= self.target

    def cells(self) -> list[str]:
        """Return what the table shows."""
        met = {True: "yes", False: "NO", None: ""}[self.met]
        target = "" if self.target is None else f"{self.target:g}"
        if self.peer is None or self.ratio is None:
            shown = ["", "", f"<= {target} {self.unit}"]
        else:
            shown = [
                amount(self.peer, self.unit),
                f"{self.ratio:.2f}",
                target and f">= {target}",
            ]
        return [self.what, amount(self.ours, self.unit), *shown, met]


def race(
    what: str,
    repeats: int,
    contenders: Mapping[str, Action],
    clock: Callable[[], float] = time.thread_time,
) -> dict[str, float]:
    """Warm each up once, then time them in turn; return the best seconds of each."""
    announce(what)
    for contender in contenders.values():
        contender()
    best = dict.fromkeys(contenders, math.inf)
    for _ in range(repeats):
        for name, contender in contenders.items():
            started = clock()
            contender()
            best[name] = min(best[name], clock() - started)
    return best


def announce(what: str) -> None:
    print(f"... {what}", file=sys.stderr, flush=True)


# The data -------------------------------------------------------------------


def zipf(features: int) -> NDArray[np.float64]:
    chance: NDArray[np.float64] = 1 / np.arange(1, features + 1)
    chance /= chance.sum()
    return chance


@functools.cache
def made_data() -> Path:
    """Return where data stay between runs, as long as what makes them is the same."""
    makers = [inspect.getsource(make) for make in (made_rows, zipf, noisy, write_text)]
    name = hashlib.sha256("".join(makers).encode()).hexdigest()[:12]
    folder = HERE.parent / "build" / "bench" / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@functools.cache
def sparse_data(rows: int) -> tuple[sparse.csr_matrix, Labels]:
    """Return rows like those of a text; they are made once, and kept."""
    path = made_data() / f"{rows}.npz"
    if not path.exists():
        X, y = made_rows(rows)
        unfinished = path.with_suffix(".part.npz")
        np.savez(unfinished, values=X.data, columns=X.indices, ends=X.indptr, y=y)
        unfinished.replace(path)
    with np.load(path) as kept:
        cells = kept["values"], kept["columns"], kept["ends"]
        return sparse.csr_matrix(cells, shape=(rows, FEATURES)), kept["y"]


def made_rows(rows: int) -> tuple[sparse.csr_matrix, Labels]:
    """Make rows like those of a text: a few words in all of them, most words in few."""
    announce(f"making {rows:,} sparse rows")
    rng = np.random.default_rng(1)
    chance = zipf(FEATURES)
    # A row keeps each word it draws once: find how many draws leave NONZEROS of them.
    draws = next(
        n
        for n in range(NONZEROS, FEATURES)
        if np.sum(1 - (1 - chance) ** n) >= NONZEROS
    )
    ranks = np.searchsorted(np.cumsum(chance)[:-1], rng.random(rows * draws))
    # Common words must not lie side by side, or the cache would flatter everyone.
    column_of = rng.permutation(FEATURES)
    cells = np.repeat(np.arange(rows), draws) * FEATURES + column_of[ranks]
    cells.sort()
    cells = cells[np.flatnonzero(np.diff(cells, prepend=-1))]
    row, column = np.divmod(cells, FEATURES)
    X = sparse.csr_matrix(
        (
            rng.uniform(0.05, 1, len(cells)).astype(np.float32),
            column.astype(np.int32),
            np.searchsorted(row, np.arange(rows + 1)).astype(np.int32),
        ),
        shape=(rows, FEATURES),
    )
    # Common words weigh more: a Perceptron then errs about as often as it does on news.
    hidden = np.empty(FEATURES)
    hidden[column_of] = rng.normal(size=FEATURES) * np.sqrt(chance)
    return X, noisy(X @ hidden, rng)


def noisy(scores: NDArray[np.float64], rng: np.random.Generator) -> Labels:
    """Label by a halfspace, but lie now and then."""
    return np.where((scores >= 0) ^ (rng.random(len(scores)) < NOISE), 1, -1)


def write_text(X: sparse.csr_matrix, y: Labels, svmlight: Path, vw: Path) -> None:
    """Write the same rows in the format of each; both count columns from 1."""
    announce("writing the files")
    with svmlight.open("w") as ours, vw.open("w") as theirs:
        for label, (first, last) in zip(y.tolist(), pairwise(X.indptr), strict=True):
            columns = (X.indices[first:last] + 1).tolist()
            pairs = zip(columns, X.data[first:last].tolist(), strict=True)
            text = " ".join(map("%d:%.6g".__mod__, pairs))
            ours.write(f"{label} {text}\n")
            theirs.write(f"{label} | {text}\n")


def text_files(rows: int) -> tuple[Path, Path]:
    """Return the sparse rows as svmlight and Vowpal Wabbit text."""
    paths = made_data() / f"{rows}.svm", made_data() / f"{rows}.vw"
    if not all(path.exists() for path in paths):
        unfinished = [path.with_suffix(f"{path.suffix}.part") for path in paths]
        write_text(*sparse_data(rows), *unfinished)
        for part, path in zip(unfinished, paths, strict=True):
            part.replace(path)
    return paths


def dict_stream(
    features: int, passes: int, *, new_names: bool, count: int = 200
) -> DictStream:
    """Make a few dicts from names to numbers, shown again and again.

    Few, so that they stay in the cache: a stream makes each dict just before it is
    learned from, and what has just been made is in the cache as well. Equal names are
    one and the same string, as where a program names its features or a CSV file has a
    header; with `new_names` every dict is new and has strings of its own, as from JSON.
    """
    rng = np.random.default_rng(features)
    names = [f"word{j}" for j in range(FEATURES)]
    hidden = rng.normal(size=FEATURES)
    chosen = [
        rng.choice(FEATURES, features, replace=False, p=zipf(FEATURES))
        for _ in range(count)
    ]
    values = rng.uniform(0.05, 1, (count, features))
    examples = [
        {
            f"word{j}" if new_names else names[j]: x
            for j, x in zip(js.tolist(), xs.tolist(), strict=True)
        }
        for _ in range(passes if new_names else 1)
        for js, xs in zip(chosen, values, strict=True)
    ]
    examples *= 1 if new_names else passes
    # The lies differ from pass to pass, so that there is always something to learn.
    scores = np.tile(np.sum(hidden[np.array(chosen)] * values, axis=1), passes)
    return list(zip(examples, (noisy(scores, rng) > 0).tolist(), strict=True))


# The peers ------------------------------------------------------------------


def sgd() -> SGDClassifier:
    """Return scikit-learn's Perceptron, told to do no more than ours does."""
    return SGDClassifier(
        loss="perceptron",
        penalty=None,
        learning_rate="constant",
        eta0=1.0,
        max_iter=1,
        tol=None,
        shuffle=False,
        fit_intercept=False,
    )


def partial_fit(X: Any, y: Labels) -> Action:
    return lambda: sgd().partial_fit(X, y, classes=CLASSES)


def play(X: Any, y: Labels) -> Action:
    return lambda: Perceptron().play(X, y)


def bare_library(folder: Path) -> Any:
    """Compile the loops written by hand."""
    library = folder / "bare.so"
    subprocess.run([compiler(), *FLAGS, HERE / "bare.cpp", "-o", library], check=True)
    return ctypes.CDLL(str(library))


def bare_loop(folder: Path, values: Any = np.float32) -> Callable[..., None]:
    library = bare_library(folder)
    single = values is np.float32
    loop = library.perceptron if single else library.perceptron_of_doubles
    loop.restype = None
    loop.argtypes = [
        ndpointer(np.int32),
        ndpointer(np.int32),
        ndpointer(values),
        ndpointer(np.int64),
        ctypes.c_size_t,
        ndpointer(np.float64),
        ndpointer(np.bool_),
    ]
    return loop


def bare_hedge(folder: Path) -> Callable[..., NDArray[np.float64]]:
    loop = bare_library(folder).hedge
    loop.restype = None
    numbers = ndpointer(np.float64, flags="C")
    loop.argtypes = [
        *(numbers, numbers, ctypes.c_size_t, ctypes.c_size_t, ctypes.c_double),
        *(numbers, numbers),
    ]

    def hedge(F: Any, y: Any, eta: float) -> NDArray[np.float64]:
        said = np.empty(len(y))
        loop(F, y, len(y), F.shape[1], eta, np.zeros(F.shape[1]), said)
        return said

    return hedge


def numpy_hedge(F: Any, y: Any, eta: float) -> NDArray[np.float64]:
    """Weigh exponentially as one would write it in NumPy."""
    losses, said = np.zeros(F.shape[1]), np.empty(len(y))
    for t, (f, outcome) in enumerate(zip(F, y, strict=True)):
        weights = np.exp(-eta * (losses - losses.min()))
        weights /= weights.sum()
        said[t] = weights @ f
        losses += (f - outcome) ** 2
    return said


def terms_of(features: int, k: int) -> NDArray[np.int64]:
    """Return the terms of at most k literals, a row each, in the order of ours.

    Feature j is 2j and its negation 2j + 1; a short row is filled up with 2n.
    """
    codes = [
        tuple(2 * j + negated for j, negated in zip(chosen, signs, strict=True))
        for size in range(k + 1)
        for chosen in combinations(range(features), size)
        for signs in product((0, 1), repeat=size)
    ]
    codes.sort(key=lambda term: term[::-1])  # by the last feature, then by the rest
    filled = [term + (2 * features,) * (k - len(term)) for term in codes]
    return np.array(filled, dtype=np.int64)


def numpy_clauses(X: Any, y: Any, clauses: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Eliminate as one would write it in NumPy: look at every clause."""
    alive, said = np.ones(len(clauses), np.bool_), np.empty(len(y), np.bool_)
    for t, x in enumerate(X):
        literals = np.append(np.column_stack([x, ~x]), False)
        holds = literals[clauses].any(axis=1)
        said[t] = bool(holds[alive].all())
        if y[t] and not said[t]:
            alive &= holds
    return said


def numpy_levels(X: Any, y: Any, terms: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Learn a decision list as one would write it in NumPy: look at every term."""
    levels = np.zeros((len(terms), 2), dtype=np.int64)  # of yes and of no
    said = np.empty(len(y), np.bool_)
    for t, x in enumerate(X):
        literals = np.append(np.column_stack([x, ~x]), True)
        fire = np.flatnonzero(literals[terms].all(axis=1))
        term, no = divmod(int(levels[fire].argmin()), 2)
        said[t] = not no
        if said[t] != y[t]:
            levels[fire[term], no] += 1
    return said


def python_sets(columns: list[list[int]], y: list[bool]) -> NDArray[np.bool_]:
    """Learn a conjunction from sparse rows as one would write it in Python."""
    asked: set[int] | None = None  # every literal, before the first update
    allowed: set[int] = set()
    said = []
    for x, label in zip(columns, y, strict=True):
        holds = asked is not None and asked.issubset(x) and allowed.issuperset(x)
        if label and not holds:
            asked = set(x) if asked is None else asked.intersection(x)
            allowed.update(x)
        said.append(holds)
    return np.array(said)


class Told(base.Regressor):
    """A regressor of River that says what is written beside its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def predict_one(self, x: dict[str, float]) -> float:  # noqa: D102 - as River asks
        return x[self.name]

    def learn_one(self, x: dict[str, float], y: float) -> None:  # noqa: D102 - as River asks
        pass


def vowpal_wabbit(path: Path, rows: int) -> None:
    """Read a whole file and learn from it; the constructor returns when it has."""
    options = "--loss_function hinge --noconstant -b 18 --quiet"
    workspace = Workspace(arg_list=["-d", str(path), *options.split()])
    examples = workspace.get_weighted_examples()
    workspace.finish()
    must_be(examples == rows, f"Vowpal Wabbit read {examples:g} rows of {rows}")


def must_be(true: bool, otherwise: str) -> None:
    """Stop where ours and the peer have not done the same work."""
    if not true:
        raise RuntimeError(otherwise)


# What is measured -----------------------------------------------------------


def memory(size: Size) -> Iterator[Line]:
    """Play sparse rows that are in memory."""
    X, y = sparse_data(size.rows)
    with tempfile.TemporaryDirectory() as folder:
        loop = bare_loop(Path(folder))
        long_loop = bare_loop(Path(folder), np.float64)

    def bare(
        loop: Callable[..., None] = loop, X: Any = X
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        weights, predictions = np.zeros(FEATURES), np.empty(len(y), np.bool_)
        loop(X.indptr, X.indices, X.data, y, len(y), weights, predictions)
        return weights, predictions

    learner = Perceptron()
    played = learner.play(X, y)
    weights, predictions = bare()
    must_be(learner.coef_.tobytes() == weights.tobytes(), "the weights differ")
    must_be(played.tobytes() == predictions.tobytes(), "the predictions differ")

    peer = "scikit-learn partial_fit"
    # All in one race read the same arrays, so that each finds the cache alike.
    contenders = {"ours": play(X, y), "bare": bare, "sklearn": partial_fit(X, y)}
    best = race("sparse rows in memory, float32", size.repeats, contenders)
    yield Line("play CSR float32 | bare C++ loop", best["ours"], best["bare"], 0.85)
    yield Line(f"play CSR float32 | {peer}", best["ours"], best["sklearn"], 1.6)
    X64 = X.astype(np.float64)
    contenders = {
        "ours": play(X64, y),
        "bare": functools.partial(bare, long_loop, X64),
        "sklearn": partial_fit(X64, y),
    }
    best = race("sparse rows in memory, float64", size.repeats, contenders)
    yield Line("play CSR float64 | bare C++ loop", best["ours"], best["bare"], 0.9)
    yield Line(f"play CSR float64 | {peer}", best["ours"], best["sklearn"], None)
    yield from other_columns(X, y, size)
    yield from many_columns(size)


def other_columns(X: sparse.csr_matrix, y: Labels, size: Size) -> Iterator[Line]:
    """Play the same cells with columns in any order, or as int64."""
    rng = np.random.default_rng(2)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    order = np.lexsort((rng.random(X.nnz), rows))
    unsorted, wide = X.copy(), X.copy()
    unsorted.indices, unsorted.data = X.indices[order], X.data[order]
    wide.indptr, wide.indices = X.indptr.astype(np.int64), X.indices.astype(np.int64)
    contenders = {
        "sorted": play(X, y),
        "unsorted": play(unsorted, y),
        "int64": play(wide, y),
    }
    best = race("columns in any order, and int64", size.repeats, contenders)
    what = "play CSR float32, columns in any order | in order"
    yield Line(what, best["unsorted"], best["sorted"], 1 / 1.3)
    what = "play CSR float32, int64 columns | int32"
    yield Line(what, best["int64"], best["sorted"], 1 / 1.2)


def many_columns(size: Size) -> Iterator[Line]:
    """Play rows whose columns are drawn evenly from ten million."""
    rows, width, nonzeros = size.rows // 2, 10_000_000, 50
    rng = np.random.default_rng(3)
    columns = rng.integers(0, width, (rows, nonzeros), np.int32)
    columns.sort(axis=1)
    columns += np.arange(nonzeros, dtype=np.int32)  # none is in a row twice
    X = sparse.csr_matrix(
        (
            rng.uniform(0.05, 1, columns.size).astype(np.float32),
            columns.ravel(),
            np.arange(0, columns.size + 1, nonzeros, dtype=np.int32),
        ),
        shape=(rows, width + nonzeros),
    )
    y = noisy(X @ rng.normal(size=X.shape[1]), rng)
    known, fitted = Perceptron(), sgd()
    known.play(X, y)
    fitted.partial_fit(X, y, CLASSES)
    with tempfile.TemporaryDirectory() as folder:
        loop = bare_loop(Path(folder))
    weights, predictions = np.zeros(X.shape[1]), np.empty(rows, np.bool_)

    def bare() -> None:
        loop(X.indptr, X.indices, X.data, y, rows, weights, predictions)

    bare()
    contenders: dict[str, Action] = {
        "new": play(X, y),
        "sklearn": partial_fit(X, y),
        "again": lambda: known.play(X, y),
        "sklearn again": lambda: fitted.partial_fit(X, y),
        "bare again": bare,
    }
    best = race("ten million columns", size.slow_repeats * 6, contenders)
    peer = "scikit-learn partial_fit"
    what = f"play CSR float32, 10,000,000 columns, new learner | {peer}"
    yield Line(what, best["new"], best["sklearn"], 1.5)
    what = "play CSR float32, 10,000,000 columns, second pass"
    yield Line(f"{what} | {peer}", best["again"], best["sklearn again"], 2)
    yield Line(f"{what} | bare C++ loop", best["again"], best["bare again"], None)


def batch(size: Size) -> Iterator[Line]:
    """Learn from rows in memory once, beside a solver that returns to them."""
    X, y = sparse_data(size.rows)
    known = size.rows * 4 // 5  # the rest tells what was learned
    shown, labels = X[:known], y[:known]
    double = shown.astype(np.float64)  # as LIBLINEAR takes them, so not its time

    def solved(kind: int) -> NDArray[np.float64]:
        made = train(problem(labels, double), parameter(f"-s {kind} -q"))
        # It speaks of the label that it met first.
        return np.array(made.get_decfun()[0]) * made.get_labels()[0]

    def right(weights: NDArray[np.float64]) -> str:
        scores = X[known:, : len(weights)] @ weights
        return f"{np.mean((scores >= 0) == (y[known:] > 0)):.1%} right"

    learner = AveragedPerceptron()
    learner.play(shown, labels)
    ours = f"AveragedPerceptron, one pass, {right(learner.coef_)}"
    solvers = {"hinge": 3, "logistic": 0}
    contenders: dict[str, Action] = {
        "ours": played_by(AveragedPerceptron, shown, labels)
    }
    for name, kind in solvers.items():
        contenders[name] = functools.partial(solved, kind)
    best = race("LIBLINEAR", 2 * size.slow_repeats, contenders)
    for name, kind in solvers.items():
        peer = f"LIBLINEAR as it comes, {name} loss, {right(solved(kind))}"
        yield Line(f"{ours} | {peer}", best["ours"], best[name], None)


def file(size: Size) -> Iterator[Line]:
    """Learn from a text file."""
    _, y = sparse_data(size.rows)
    path, vw_path = text_files(size.rows)

    def ours() -> None:
        record = run(Perceptron(), streams.svmlight(path))
        must_be(record.rounds == len(y), f"read {record.rounds} rows of {len(y)}")

    def scikit_learn() -> None:
        read, labels = load_svmlight_file(path)
        # scikit-learn 1.9 loads wider indices than its own SGDClassifier takes.
        read.indices = read.indices.astype(np.int32)
        read.indptr = read.indptr.astype(np.int32)
        sgd().partial_fit(read, labels, classes=CLASSES)

    contenders: dict[str, Action] = {
        "ours": ours,
        "vw": lambda: vowpal_wabbit(vw_path, len(y)),
    }
    what = f"run svmlight file, {path.stat().st_size / 1e6:.0f} MB"
    best = race("file, ours and VW", size.file_repeats, contenders, time.perf_counter)
    yield Line(f"{what} | Vowpal Wabbit", best["ours"], best["vw"], 8)
    contenders = {"ours": ours, "sklearn": scikit_learn}
    best = race(
        "file, and scikit-learn", size.slow_repeats, contenders, time.perf_counter
    )
    peer = "scikit-learn load, partial_fit"
    yield Line(f"{what} | {peer}", best["ours"], best["sklearn"], 20)


def slopes(size: Size) -> Iterator[Line]:
    """Learn probabilities from a text file, and numbers from few columns."""
    _, y = sparse_data(size.rows)
    path, vw_path = text_files(size.rows)

    def learn(made: type[Any]) -> None:
        record = run(made(), streams.svmlight(path))
        must_be(record.rounds == len(y), f"read {record.rounds} rows of {len(y)}")

    best = race(
        "probabilities from a file",
        size.file_repeats,
        {
            "Perceptron": lambda: learn(Perceptron),
            "AdaGrad": lambda: learn(AdaGrad),
            "CoinBetting": lambda: learn(CoinBetting),
            "vw": lambda: vowpal_wabbit(vw_path, len(y)),
        },
        time.perf_counter,
    )
    for name in ("AdaGrad", "CoinBetting"):
        what = f"run svmlight file, {name}"
        yield Line(f"{what} | Perceptron", best[name], best["Perceptron"], 0.5)
        yield Line(f"{what} | Vowpal Wabbit", best[name], best["vw"], 3)
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(2000, 64))
    numbers = rows @ rng.normal(size=64) + rng.normal(size=len(rows))
    named = [dict(enumerate(row)) for row in rows.tolist()]

    def river() -> None:
        model = BayesianLinearRegression()
        for x, number in zip(named, numbers.tolist(), strict=True):
            model.predict_one(x)
            model.learn_one(x, number)

    best = race(
        "regression on 64 columns",
        size.slow_repeats,
        {
            "ours": lambda: VovkAzouryWarmuth().play(rows, numbers),
            "river": river,
        },
    )
    what = "Vovk-Azoury-Warmuth, 64 columns | River BayesianLinearRegression"
    yield Line(what, best["ours"], best["river"], 20)


def read_all(stream: Any) -> None:
    """Read a file, and learn nothing: the least that a run over it takes."""
    for _ in stream.blocks():
        pass


def vw(size: Size) -> Iterator[Line]:
    """Learn from Vowpal Wabbit text, beside Vowpal Wabbit itself."""
    _, y = sparse_data(size.rows)
    svmlight_path, path = text_files(size.rows)

    def learn() -> dict[Any, float]:
        learner = Perceptron()
        record = run(learner, streams.vw(path))
        must_be(record.rounds == len(y), f"read {record.rounds} rows of {len(y)}")
        return dict(learner.weights_)

    learner = Perceptron()
    run(learner, streams.svmlight(svmlight_path))
    numbered = {str(column): w for column, w in learner.weights_.items()}
    must_be(learn() == numbered, "the weights are not those of svmlight")
    best = race(
        "Vowpal Wabbit text",
        size.file_repeats,
        {
            "names": lambda: run(Perceptron(), streams.vw(path)),
            "hashed": lambda: run(Perceptron(), streams.vw(path, hash_bits=18)),
            "names read": lambda: read_all(streams.vw(path)),
            "hashed read": lambda: read_all(streams.vw(path, hash_bits=18)),
            "vw": lambda: vowpal_wabbit(path, len(y)),
        },
        time.perf_counter,
    )
    what = f"Vowpal Wabbit text, {path.stat().st_size / 1e6:.0f} MB"
    for name, kind, target in (("names", "names", 4.5), ("hashed", "hash_bits=18", 7)):
        shown = f"{what}, {kind}"
        yield Line(f"run {shown} | Vowpal Wabbit", best[name], best["vw"], target)
        alone = best[f"{name} read"]
        yield Line(f"only read {shown} | Vowpal Wabbit", alone, best["vw"], None)


def compressed(size: Size) -> Iterator[Line]:
    """Learn from a compressed file, beside decompressing it in the same way."""
    path, _ = text_files(size.rows // 4)
    for name, library, compress, opened in (
        ("gzip", "isal", functools.partial(gzip.compress, compresslevel=6), igzip.open),
        ("zstd", "its library", zstd.compress, zstd.open),
    ):
        packed = path.with_suffix(f".svm.{name}")
        if not packed.exists():
            packed.write_bytes(compress(path.read_bytes()))

        def ours(packed: Path = packed) -> None:
            run(Perceptron(), streams.svmlight(packed))

        def read(packed: Path = packed, opened: Callable[..., Any] = opened) -> None:
            room = bytearray(1 << 20)
            with opened(packed) as file:
                while file.readinto(room):
                    pass

        contenders: dict[str, Action] = {"ours": ours, "read": read}
        best = race(name, size.file_repeats, contenders, time.perf_counter)
        what = f"run svmlight file, {packed.stat().st_size / 1e6:.0f} MB of {name}"
        yield Line(f"{what} | {library} alone", best["ours"], best["read"], 1 / 1.1)


NUMBERS = 30
WORDS = {"colour": 3, "city": 50, "job": 12, "state": 48, "brand": 400, "size": 5}


def write_tables(rows: int, numbers: Path, mixed: Path) -> None:
    """Write a table of numbers, and one in which categories take half the columns."""
    announce("writing the tables")
    rng = np.random.default_rng(2)
    X = rng.normal(size=(rows, NUMBERS))
    y = noisy(X @ rng.normal(size=NUMBERS), rng).tolist()
    some = NUMBERS // 5
    words = [
        [f"{name}{code}" for code in rng.integers(count, size=rows).tolist()]
        for name, count in WORDS.items()
    ]
    head = [f"x{j}" for j in range(NUMBERS)]
    with numbers.open("w") as plain, mixed.open("w") as other:
        plain.write(",".join([*head, "label"]) + "\n")
        other.write(",".join([*head[:some], *WORDS, "label"]) + "\n")
        for row, label, *cells in zip(X.tolist(), y, *words, strict=True):
            text = [f"{x:.6g}" for x in row]
            plain.write(",".join([*text, str(label)]) + "\n")
            other.write(",".join([*text[:some], *cells, str(label)]) + "\n")


def fit_codes(X: Any, codes: list[tuple[Any, int]], y: Any) -> None:
    """Fit numbers and categories as sparse rows, made in the fastest way we know."""
    rows, width = X.shape
    columns = [np.tile(np.arange(width, dtype=np.int32), (rows, 1))]
    for code, count in codes:
        columns.append((code.astype(np.int32) + width)[:, np.newaxis])
        width += count
    values = np.hstack([X, np.ones((rows, len(codes)))])
    made = sparse.csr_matrix(
        (
            values.ravel(),
            np.hstack(columns).ravel(),
            np.arange(0, values.size + 1, values.shape[1], dtype=np.int32),
        ),
        shape=(rows, width),
    )
    sgd().partial_fit(made, y, classes=CLASSES)


def with_pandas(path: Path) -> None:
    frame = pd.read_csv(path, dtype=dict.fromkeys(WORDS, "category"))
    y = frame.pop("label").to_numpy()
    words = [name for name in frame if name in WORDS]
    X = frame.drop(columns=words).to_numpy()
    if not words:
        sgd().partial_fit(X, y, classes=CLASSES)
        return
    codes = [frame[name].cat for name in words]
    fit_codes(X, [(c.codes.to_numpy(), len(c.categories)) for c in codes], y)


def with_polars(path: Path) -> None:
    words = list(WORDS) if "mixed" in path.name else []
    frame = pl.read_csv(path, schema_overrides=dict.fromkeys(words, pl.Categorical))
    y = frame["label"].to_numpy()
    X = frame.drop("label", *words).to_numpy()
    if not words:
        sgd().partial_fit(X, y, classes=CLASSES)
        return
    codes = [frame[name].to_physical().to_numpy() for name in words]
    fit_codes(X, [(code, int(code.max()) + 1) for code in codes], y)


def csv(size: Size) -> Iterator[Line]:
    """Learn from a table."""
    with tempfile.TemporaryDirectory() as folder:
        paths = {what: Path(folder) / f"{what}.csv" for what in ("numbers", "mixed")}
        write_tables(size.rows, paths["numbers"], paths["mixed"])
        for what, path in paths.items():

            def ours(path: Path = path) -> None:
                record = run(Perceptron(), streams.csv(path, label="label"))
                must_be(record.rounds == size.rows, f"read {record.rounds} rows")

            def read(path: Path = path) -> None:
                read_all(streams.csv(path, label="label"))

            contenders = {
                "ours": ours,
                "read": read,
                "pandas": functools.partial(with_pandas, path),
                "polars": functools.partial(with_polars, path),
            }
            best = race(
                f"table, {what}", size.file_repeats, contenders, time.perf_counter
            )
            peer = min(("pandas", "polars"), key=best.__getitem__)
            shown = f"CSV file of {what}, {path.stat().st_size / 1e6:.0f} MB"
            peers = f"{peer}, partial_fit"
            yield Line(f"run {shown} | {peers}", best["ours"], best[peer], 5)
            yield Line(f"only read {shown} | {peers}", best["read"], best[peer], None)
        yield rule_from_categories(Path(folder) / "categories.csv", size)


def rule_from_categories(path: Path, size: Size) -> Line:
    """Learn a rule from a table of categories, beside a Perceptron that reads it."""
    rng = np.random.default_rng(4)
    words = {**WORDS, "shape": 6, "habitat": 7}
    codes = {name: rng.integers(count, size=size.rows) for name, count in words.items()}
    y = (codes["colour"] != 1) & (codes["shape"] != 2) & (codes["size"] != 3)
    columns = [
        [f"{name}{code}" for code in drawn.tolist()] for name, drawn in codes.items()
    ]
    with path.open("w") as file:
        file.write(",".join([*words, "label"]) + "\n")
        for *cells, label in zip(*columns, y.tolist(), strict=True):
            file.write(",".join([*cells, str(int(label))]) + "\n")

    def learn(made: Callable[[], Any]) -> None:
        record = run(made(), streams.csv(path, label="label"))
        must_be(record.rounds == size.rows, f"read {record.rounds} rows")

    contenders = {
        "rule": functools.partial(learn, ConjunctionLearner),
        "Perceptron": functools.partial(learn, Perceptron),
    }
    best = race("table, categories", size.file_repeats, contenders, time.perf_counter)
    what = (
        f"run CSV file of categories, {path.stat().st_size / 1e6:.0f} MB, conjunction"
    )
    return Line(f"{what} | Perceptron", best["rule"], best["Perceptron"], 0.75)


def contest(size: Size) -> Iterator[Line]:
    """Race four learners over a file, against the slowest of them alone."""
    _, y = sparse_data(size.rows)
    path, _ = text_files(size.rows)
    makers: list[Callable[[], Any]] = [
        Perceptron,
        AveragedPerceptron,
        PassiveAggressive,
        AROW,
    ]

    def alone(make: Callable[[], Any]) -> None:
        record = run(make(), streams.svmlight(path), keep="nothing")
        must_be(record.rounds == len(y), f"read {record.rounds} rows of {len(y)}")

    def all_four() -> None:
        learners = [make() for make in makers]
        ranking = run_race(learners, streams.svmlight(path), keep="nothing")
        must_be(len(ranking) == len(makers), f"{len(ranking)} learners came in")

    contenders: dict[str, Action] = {"race": all_four}
    for make in makers:
        contenders[make.__name__] = functools.partial(alone, make)
    # Four learners want more of the cache than one, so that it counts who else uses
    # it: many repeats, to meet moments when nobody does.
    repeats = 3 * size.file_repeats
    best = race("a race", repeats, contenders, time.perf_counter)
    slowest = max(best[make.__name__] for make in makers)
    # At most 1.3 times as long as the slowest takes alone.
    yield Line(
        "race of four learners over a file | the slowest alone",
        best["race"],
        slowest,
        1 / 1.3,
    )


def two_calls(make: Callable[[], Any], stream: DictStream) -> Action:
    def learn() -> None:
        learner = make()
        for x, y in stream:
            learner.predict_one(x)
            learner.learn_one(x, y)

    return learn


def one_call(stream: DictStream) -> Action:
    def learn() -> None:
        learner = Perceptron()
        for x, y in stream:
            learner.play_one(x, y)

    return learn


def dicts(size: Size) -> Iterator[Line]:
    """Learn from one dict at a time: few of them, then many that are not cached."""
    for features, target in ((10, 12), (NONZEROS, 6)):
        stream = dict_stream(features, 1, new_names=False, count=20 * size.repeats * 4)
        contenders = {
            "one": one_call(stream),
            "river": two_calls(RiverPerceptron, stream),
        }
        best = race(f"many dicts of {features}", size.repeats // 2, contenders)
        one, river = (seconds / len(stream) for seconds in best.values())
        what = f"play_one, {len(stream):,} dicts of {features}, cold"
        yield Line(f"{what} | River, two calls", one, river, target)
    for features, in_two, in_one in ((10, 8, 17), (NONZEROS, 6, 11)):
        for new_names in (False, True):
            stream = dict_stream(features, size.passes, new_names=new_names)
            kind = f"dict of {features}{', new names' if new_names else ''}"
            best = race(
                kind,
                size.repeats,
                {
                    "two": two_calls(Perceptron, stream),
                    "one": one_call(stream),
                    "river": two_calls(RiverPerceptron, stream),
                },
            )
            two, one, river = (seconds / len(stream) for seconds in best.values())
            targets = (None, None) if new_names else (in_two, in_one)
            yield Line(
                f"predict_one, learn_one, {kind} | River", two, river, targets[0]
            )
            yield Line(f"play_one, {kind} | River, two calls", one, river, targets[1])


def dense(size: Size) -> Iterator[Line]:
    """Play dense rows that are in memory."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(size.dense_rows, 32))
    y = noisy(X @ rng.normal(size=32), rng)
    contenders = {"ours": play(X, y), "sklearn": partial_fit(X, y)}
    best = race("dense rows in memory", size.repeats, contenders)
    what = "play dense float64, 32 columns | scikit-learn partial_fit"
    yield Line(what, best["ours"], best["sklearn"], 2.2)


def learners(size: Size) -> Iterator[Line]:
    """Play the same sparse rows with every learner that is linear in them."""
    X, y = sparse_data(size.rows)
    made: dict[str, Callable[[], Any]] = {
        "Perceptron": Perceptron,
        "PassiveAggressive": PassiveAggressive,
        "AveragedPerceptron": AveragedPerceptron,
        "Winnow": lambda: Winnow.for_disjunction(FEATURES),
        "BalancedWinnow": lambda: BalancedWinnow(0.1),
        "AROW": AROW,
        "SecondOrderPerceptron": SecondOrderPerceptron,
    }
    targets = dict.fromkeys(made, 0.6) | {"AROW": 0.4, "SecondOrderPerceptron": None}
    contenders = {name: played_by(make, X, y) for name, make in made.items()}
    best = race("every learner, float32", size.repeats, contenders)
    for name in list(made)[1:]:
        what = f"play CSR float32, {name} | Perceptron"
        yield Line(what, best[name], best["Perceptron"], targets[name])


def played_by(make: Callable[[], Any], X: Any, y: Any) -> Action:
    return lambda: make().play(X, y)


def door(size: Size) -> Iterator[Line]:
    """Run what is in memory, beside `play` of the same."""
    rng = np.random.default_rng(10)
    X, y = sparse_data(size.rows)
    cases: dict[str, tuple[Callable[[], Any], Any, Any, Any]] = {
        "Perceptron over CSR": (Perceptron, X, y, streams.arrays(X, y)),
        "AROW over CSR": (AROW, X, y, streams.arrays(X, y)),
    }
    for columns in (4, 32):
        dense = rng.normal(size=(8 * size.dense_rows // columns, columns))
        labels = noisy(dense @ rng.normal(size=columns), rng)
        rows = streams.arrays(dense, labels)
        what = f"Perceptron over dense rows of {columns}"
        cases[what] = (Perceptron, dense, labels, rows)
    for learner in (PassiveAggressive, SecondOrderPerceptron, CoinBetting):
        what = f"{learner.__name__} over dense rows of 32"
        cases[what] = (learner, dense, labels, rows)
    for experts, rounds in ((16, 60_000), (256, 5_000), (100_000, 60)):
        F, outcomes = rng.random((rounds, experts)), rng.random(rounds)
        advice = streams.advice(F, outcomes)
        what = f"ExponentialWeights, {experts:,} experts"
        cases[what] = (lambda: ExponentialWeights(ETA), F, outcomes, advice)
        if experts > 16:
            continue
        for follower in (AdaHedge, MLPoly, BOA):
            cases[f"{follower.__name__}, 16 experts"] = (follower, F, outcomes, advice)
        votes, truth = F < 1 / 2, outcomes < 1 / 2
        advice = streams.advice(votes, truth)
        cases["WeightedMajority, 16 experts"] = (WeightedMajority, votes, truth, advice)
    told = rng.normal(size=(size.dense_rows // 5, 20))
    classes = np.argmax(told @ rng.normal(size=(20, 5)), axis=1)
    rows = streams.arrays(told, classes, outcome="class")
    for rule in (MulticlassPerceptron, MulticlassPassiveAggressive):
        cases[f"{rule.__name__}, 5 classes"] = (rule, told, classes, rows)
    numbers = told @ rng.normal(size=20)
    rows = streams.arrays(told, numbers > 0)
    cases["AdaGrad, with probabilities"] = (AdaGrad, told, numbers > 0, rows)
    truths = rng.random((50_000, 40)) < 1 / 2
    goal = truths[:, 3] & ~truths[:, 7]
    rows = streams.arrays(truths, goal)
    cases["ConjunctionLearner"] = (ConjunctionLearner, truths, goal, rows)
    rows = streams.arrays(truths, truths[:, 3])
    cases["DecisionListLearner"] = (DecisionListLearner, truths, truths[:, 3], rows)
    for what, (make, features, labels, stream) in cases.items():
        contenders: dict[str, Action] = {
            "run": functools.partial(lambda m, s: run(m(), s), make, stream),
            "play": played_by(make, features, labels),
        }
        best = race(f"run and play, {what}", size.repeats // 2, contenders)
        yield Line(f"run, {what} | play", best["run"], best["play"], 1 / 1.15)
    few, some = told[:100], numbers[:100] > 0
    short = streams.arrays(few, some)
    F, outcomes = rng.random((500, 16)), rng.random(500)
    advice = streams.advice(F, outcomes)
    contenders = {
        "run": lambda: run(Perceptron(), short),
        "play": played_by(Perceptron, few, some),
        "follow": lambda: run(ExponentialWeights(ETA), advice),
        "hedge": lambda: hedge(F, outcomes),
    }
    best = race("short runs", size.repeats, contenders)
    above = best["run"] - best["play"]
    yield Line("run beyond play, Perceptron, 100 rows", above, None, 0.002)
    above = best["follow"] - best["hedge"]
    what = "run beyond play, ExponentialWeights, 16 experts, 500 rounds"
    yield Line(what, above, None, 0.002)


def digest(size: Size) -> Iterator[Line]:
    """Take the digest of a stream, beside the same without, and beside hashlib."""
    X, y = sparse_data(size.rows)
    stream = streams.arrays(X, y)
    # For each entry a column and a value in 4 bytes, and 13 bytes a row.
    written = bytes(8 * X.nnz + 13 * len(y))
    contenders: dict[str, Action] = {
        "plain": lambda: run(Perceptron(), stream, keep="nothing"),
        "digest": lambda: run(Perceptron(), stream, keep="nothing", digest=True),
        "updates": lambda: run(Perceptron(), stream, keep="updates"),
        "hashlib": lambda: hashlib.sha256(written).digest(),
    }
    best = race("the digest in memory", size.file_repeats, contenders)
    alone = best["digest"] - best["plain"]
    what = f"digest of {len(written) / 1e6:.0f} MB, CSR float32"
    yield Line(f"{what} | hashlib.sha256 of as many bytes", alone, best["hashlib"], 0.8)
    what = 'run(keep="updates") over CSR float32 | plain run'
    yield Line(what, best["updates"], best["plain"], None)
    path, _ = text_files(size.rows)
    # Numbers of a text are not those of single precision, so each takes 8 bytes.
    longer = bytes(12 * X.nnz + 13 * len(y))
    contenders = {
        "plain": lambda: run(Perceptron(), streams.svmlight(path)),
        "digest": lambda: run(Perceptron(), streams.svmlight(path), digest=True),
        "hashlib": lambda: hashlib.sha256(longer).digest(),
    }
    best = race(
        "the digest of a file", size.file_repeats, contenders, time.perf_counter
    )
    what = "run svmlight file with digest | without"
    yield Line(what, best["digest"], best["plain"], 1 / 1.15)
    what = f"hashlib.sha256 of its {len(longer) / 1e6:.0f} MB, one core | run without"
    yield Line(what, best["hashlib"], best["plain"], None)


def footprint(size: Size) -> Iterator[Line]:
    """Measure memory, each in a process of its own; on Linux, which tells the peak."""
    if not Path("/proc/self/status").exists():
        return
    path, _ = text_files(size.rows)
    script = """
import sys
import numpy as np
from littlestone import run, streams
from littlestone.linear import Perceptron
def peak():  # getrusage would tell the peak of the process that started this one
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
run(Perceptron(), streams.arrays(np.eye(4), [1, 0, 1, 0]))
before = peak()
learner = Perceptron()
if sys.argv[1] == "file":
    run(learner, streams.svmlight(sys.argv[2]))
    print((peak() - before - learner.coef_.nbytes) / 1e6)
else:
    count = int(sys.argv[2])
    columns = np.arange(count, dtype=np.int32).reshape(-1, 1000)
    for some in columns:
        learner.learn_one((some, np.ones(1000)), False)
    print((peak() - before) / count)
"""
    announce("memory")
    taken = float(output(sys.executable, "-c", script, "file", str(path)))
    what = f"peak memory of a {path.stat().st_size / 1e6:.0f} MB svmlight run"
    yield Line(f"{what}, beyond the weights", taken, None, 64, "MB")
    count = 10_000_000
    each = float(output(sys.executable, "-c", script, "weights", str(count)))
    yield Line("memory of a Perceptron, a weight of 10^7", each, None, 24, "bytes")


def witnesses(size: Size) -> Iterator[Line]:
    """Find the best witnesses of a run after it, beside the run itself."""
    X, y = sparse_data(size.rows)
    stream = streams.arrays(X, y)
    found: dict[str, tuple[Callable[[], Any], Callable[..., Any]]] = {
        "Perceptron": (Perceptron, perceptron),
        "PassiveAggressive": (PassiveAggressive, passive_aggressive),
    }
    for name, (make, find) in found.items():
        record = run(make(), stream, keep="updates")
        contenders: dict[str, Action] = {
            "run": functools.partial(lambda make: run(make(), stream), make),
            "kept": functools.partial(
                lambda make: run(make(), stream, keep="updates"), make
            ),
            "search": functools.partial(
                find, record.examples, record.learner.parameters
            ),
            "certify": functools.partial(certify, record),
        }
        best = race(f"witnesses of {name}", size.file_repeats, contenders)
        what = f"find witnesses, {name} | run over CSR float32"
        yield Line(what, best["search"], best["run"], 0.125)
        what = f"certify, {name} | run over CSR float32"
        yield Line(what, best["certify"], best["run"], 1 / 8)
        yield Line(f"{what}, updates kept", best["certify"], best["kept"], 0.1)


def crowd(size: Size) -> Iterator[Line]:
    """Follow 100,000 experts."""
    rng = np.random.default_rng(6)
    F, y = rng.random((100, 100_000)), rng.random(100)
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_hedge(Path(folder))
    said = hedge(F, y)
    must_be(np.allclose(said, numpy_hedge(F, y, ETA), rtol=1e-9), "they differ")
    must_be(np.allclose(said, bare(F, y, ETA), rtol=1e-9), "they differ")
    votes, labels = rng.integers(0, 2, F.shape) == 1, rng.integers(0, 2, 100) == 1
    contenders: dict[str, Action] = {
        "ours": lambda: hedge(F, y),
        "AdaHedge": lambda: AdaHedge().play(F, y),
        "MLPoly": lambda: MLPoly().play(F, y),
        "BOA": lambda: BOA().play(F, y),
        "votes": lambda: WeightedMajority().play(votes, labels),
        "bare": lambda: bare(F, y, ETA),
        "numpy": lambda: numpy_hedge(F, y, ETA),
    }
    best = race("100,000 experts", size.repeats // 2, contenders)
    what = "hedge, 100,000 experts"
    yield Line(f"{what} | NumPy", best["ours"], best["numpy"], 3)
    yield Line(f"{what} | bare C++ loop, libm", best["ours"], best["bare"], 1)
    what = "weighted majority, 100,000 experts | NumPy hedge"
    yield Line(what, best["votes"], best["numpy"], 3)
    for name, most in (("AdaHedge", 3.5), ("MLPoly", 3.5), ("BOA", 5)):
        what = f"{name}, 100,000 experts | ExponentialWeights"
        yield Line(what, best[name], best["ours"], 1 / most)


def few(size: Size) -> Iterator[Line]:
    """Follow 16 experts: in a matrix, by name, and late."""
    rng = np.random.default_rng(7)
    F, y = rng.random((100_000, 16)), rng.random(100_000)
    with tempfile.TemporaryDirectory() as folder:
        bare = bare_hedge(Path(folder))
    old = ExponentialWeights(ETA)
    for _ in range(4):
        old.play(F, y)
    contenders: dict[str, Action] = {
        "ours": lambda: hedge(F, y),
        "late": lambda: old.play(F, y),
        "bare": lambda: bare(F, y, ETA),
        "numpy": lambda: numpy_hedge(F, y, ETA),
    }
    best = race("16 experts, a matrix", size.repeats // 5 + 1, contenders)
    what = "hedge, 16 experts, whole matrix"
    yield Line(f"{what} | NumPy", best["ours"], best["numpy"], 100)
    yield Line(f"{what} | bare C++ loop, libm", best["ours"], best["bare"], None)
    what = "hedge, 16 experts, after 400,000 rounds | the first 100,000"
    yield Line(what, best["late"], best["ours"], 0.9)

    names = [f"expert {i}" for i in range(16)]
    rounds = [dict(zip(names, row, strict=True)) for row in F[:2_000].tolist()]
    pairs = list(zip(rounds, y.tolist(), strict=False))

    def one_by_one() -> None:
        play_one = ExponentialWeights(ETA, experts=names).play_one
        for x, outcome in pairs:
            play_one(x, outcome)

    def river() -> None:
        told = [Told(name) for name in names]
        ensemble = EWARegressor(told, loss=Squared(), learning_rate=ETA)
        for x, outcome in pairs:
            ensemble.predict_one(x)
            ensemble.learn_one(x, outcome)

    contenders = {"ours": one_by_one, "river": river}
    best = race("16 experts, one round at a time", size.repeats // 5 + 1, contenders)
    what = "play_one, 16 experts by name | River EWARegressor"
    yield Line(what, best["ours"], best["river"], 20)


def halving(size: Size) -> Iterator[Line]:
    """Follow a million experts, each a bit."""
    rng = np.random.default_rng(8)
    bits = rng.integers(0, 2**64, size=(200, 2**14), dtype=np.uint64)
    rows, truth = PackedAdvice(bits, 2**20), rng.integers(0, 2, 200) == 1
    room = np.empty_like(bits)
    contenders: dict[str, Action] = {
        "ours": lambda: Halving(restart=True, keep_losses=False).play(rows, truth),
        "books": lambda: Halving(restart=True).play(rows, truth),
        "copy": lambda: np.copyto(room, bits),
    }
    best = race("2^20 experts as bits", size.repeats, contenders)
    what = "halving, 2^20 experts as bits"
    yield Line(f"{what} | plain copy", best["ours"], best["copy"], None)
    yield Line(f"{what}, losses kept | plain copy", best["books"], best["copy"], None)
    yield Line(f"{what}, losses kept | without", best["books"], best["ours"], 1 / 3)


def rules(size: Size) -> Iterator[Line]:
    """Learn Boolean rules over many features; times are those of a round."""
    rng = np.random.default_rng(9)
    yield conjunction_of_sparse_rows(rng, size)
    X = rng.random((300, 100_000)) < 1 / 2
    y = X[:, :3].all(axis=1)
    literals = np.arange(2 * X.shape[1])[:, None]
    yield rule_line(
        "ConjunctionLearner, 10^5 dense columns",
        ConjunctionLearner(features=X.shape[1]),
        (X, y),
        functools.partial(numpy_clauses, clauses=literals),
        size,
    )
    for k, features in ((2, 300), (3, 60)):
        X = rng.random((2_000, features)) < 1 / 10
        clauses = terms_of(features, k)[1:]
        yield rule_line(
            f"KCNFLearner({k}), {features} features, {len(clauses):,} clauses",
            KCNFLearner(k, features=features),
            (X, (X[:, 0] | ~X[:, 1]) & ~X[:, 2]),
            functools.partial(numpy_clauses, clauses=clauses),
            size,
        )
    X = rng.random((2_000, 200)) < 1 / 2
    terms = terms_of(200, 2)
    yield rule_line(
        f"DecisionListLearner(2), 200 features, {len(terms):,} terms",
        DecisionListLearner(2, features=200),
        (X, (X[:, 0] & X[:, 1]) | (~X[:, 2] & X[:, 3])),
        functools.partial(numpy_levels, terms=terms),
        size,
    )


def rule_line(
    what: str,
    learner: Any,
    rows: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    peer: Callable[..., NDArray[np.bool_]],
    size: Size,
) -> Line:
    """Play all rows, and let the peer, who is slow, play the first of them."""
    X, y = rows
    few, repeats = 40, max(2, size.repeats // 10)
    said = learner.clone().play(X[:few], y[:few])
    must_be(bool((said == peer(X[:few], y[:few])).all()), f"{what}: they differ")
    newborn = [learner.clone() for _ in range(repeats + 1)]
    contenders: dict[str, Action] = {
        "ours": lambda: newborn.pop().play(X, y),
        "numpy": lambda: peer(X[:few], y[:few]),
    }
    best = race(what, repeats, contenders)
    target = 100 if X.shape[1] < 1_000 else 5
    return Line(f"{what} | NumPy", best["ours"] / len(X), best["numpy"] / few, target)


def conjunction_of_sparse_rows(rng: np.random.Generator, size: Size) -> Line:
    rows, features, nonzeros = 4_000, 100_000, 50
    columns = np.array(
        [np.sort(rng.choice(features, nonzeros, replace=False)) for _ in range(rows)]
    )
    y = ~(columns < features // 100).any(axis=1)
    ends = np.arange(0, columns.size + 1, nonzeros)
    ones = np.ones(columns.size, dtype=np.float32)
    X = sparse.csr_matrix((ones, columns.ravel(), ends), shape=(rows, features))
    lists, labels = columns.tolist(), y.tolist()
    learner = ConjunctionLearner(features=features)
    said = learner.clone().play(X, y)
    must_be(bool((said == python_sets(lists, labels)).all()), "they differ")
    repeats = max(2, size.repeats // 10)
    newborn = [learner.clone() for _ in range(repeats + 1)]
    contenders: dict[str, Action] = {
        "ours": lambda: newborn.pop().play(X, y),
        "python": lambda: python_sets(lists, labels),
    }
    best = race("conjunction of sparse rows", repeats, contenders)
    what = "ConjunctionLearner, 10^5 features, rows of 50 | Python sets"
    return Line(what, best["ours"] / rows, best["python"] / rows, 5)


def hedge(F: Any, y: Any) -> NDArray[np.float64]:
    return ExponentialWeights(ETA).play(F, y)


def width(size: Size) -> Iterator[Line]:
    """Play the same rows after few and after very many features have been seen."""
    rng = np.random.default_rng(4)
    X, y = sparse_data(size.rows // 10)
    few, many = 10_000, 10_000_000
    X = sparse.csr_matrix((X.data, X.indices % few, X.indptr), shape=(X.shape[0], few))
    X.sum_duplicates()
    X.data = np.minimum(X.data, 1)

    def having_seen(make: Callable[[], Any], features: int) -> Any:
        learner = make()
        for first in range(0, features, few):
            columns = np.arange(first, first + few, dtype=np.int32)
            seen = (rng.uniform(size=few), columns, np.array([0, few], dtype=np.int32))
            one = sparse.csr_matrix(seen, shape=(1, features))
            learner.play(one, [not learner.predict_one((columns, seen[0]))])
        return learner

    for name, make in {
        "Perceptron": Perceptron,
        "AveragedPerceptron": AveragedPerceptron,
        "BalancedWinnow": lambda: BalancedWinnow(0.1),
        "AROW": AROW,
    }.items():
        seen_few, seen_many = having_seen(make, few), having_seen(make, many)
        contenders = {
            "few": functools.partial(seen_few.play, X, y),
            "many": functools.partial(seen_many.play, X, y),
        }
        best = race(f"{name} after 10^4 and 10^7 features", size.repeats, contenders)
        what = f"{name} after 10^7 features seen | after 10^4"
        yield Line(what, best["many"], best["few"], 0.9)


@functools.cache
def mnist(rows: int) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Return the first digits, pixels from 0 to 1, where the data are at hand."""
    names = [f"mnist/train-{name}-ubyte.gz" for name in ("images-idx3", "labels-idx1")]
    try:
        images, labels = (gzip.decompress(data_file(n).read_bytes()) for n in names)
    except SkipTest as missing:
        announce(f"left out: {missing}")
        return None
    X = np.frombuffer(images, np.uint8, rows * 784, 16).reshape(rows, 784) / 255
    return X, np.frombuffer(labels, np.uint8, rows, 8).astype(np.int64)


def multiclass(size: Size) -> Iterator[Line]:
    """Tell ten digits apart."""
    digits = mnist(size.rows // 10)
    if digits is None:
        return
    X, y = digits
    contenders = {
        "MulticlassPerceptron": played_by(MulticlassPerceptron, X, y),
        "MulticlassPassiveAggressive": played_by(MulticlassPassiveAggressive, X, y),
        "sklearn": lambda: sgd().partial_fit(X, y, classes=np.arange(10)),
    }
    best = race("ten digits", max(3, size.repeats // 10), contenders)
    for name in ("MulticlassPerceptron", "MulticlassPassiveAggressive"):
        what = f"play MNIST, 10 classes, {name} | scikit-learn SGDClassifier"
        yield Line(what, best[name], best["sklearn"], 3)


def kernel(size: Size) -> Iterator[Line]:
    """Keep examples and compare: odd digits against even ones."""
    digits = mnist(size.rows // 20)
    if digits is None:
        return
    X, y = digits[0], digits[1] % 2 == 1
    X = X / np.linalg.norm(X, axis=1, keepdims=True)

    def ours() -> NDArray[np.bool_]:
        return KernelPerceptron("polynomial", degree=4, offset=0.0).play(X, y)

    def by_numpy() -> NDArray[np.bool_]:
        kept, signs, count = np.empty_like(X), np.empty(len(X)), 0
        said = np.empty(len(X), dtype=np.bool_)
        for t, x in enumerate(X):
            said[t] = signs[:count] @ (kept[:count] @ x) ** 4 >= 0
            if said[t] != y[t]:
                kept[count], signs[count] = x, 1.0 if y[t] else -1.0
                count += 1
        return said

    must_be(bool((ours() == by_numpy()).all()), "the predictions differ")
    contenders = {"ours": ours, "numpy": by_numpy}
    repeats = max(2, size.repeats // 10)
    best = race("degree-4 kernel", repeats, contenders, time.perf_counter)
    what = f"KernelPerceptron degree 4, {len(X):,} digits | a NumPy loop"
    yield Line(what, best["ours"], best["numpy"], 5)


def parquet(size: Size) -> Iterator[Line]:
    """Learn from a Parquet file: of numbers, and of numbers and categories."""
    rng = np.random.default_rng(11)
    rows = size.dense_rows
    X = rng.normal(size=(rows, 32))
    labels = noisy(X @ rng.normal(size=32), rng)
    numbers = {f"c{k}": X[:, k] for k in range(32)}
    kinds = {
        f"kind{k}": pa.array(rng.integers(0, values, rows)).cast(pa.string())
        for k, values in enumerate((2, 5, 20, 100, 1000, 20_000))
    }
    some = {name: numbers[name] for name in ("c0", "c1", "c2", "c3")}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        for what, columns, peer in (
            ("32 columns of numbers", numbers, read_and_fit),
            ("4 of numbers, 6 of categories", some | kinds, read_encode_and_fit),
        ):
            write_table(pa.table(columns | {"y": labels}), path)
            best = race(
                f"Parquet, {what}",
                size.file_repeats,
                {
                    "ours": lambda: run(
                        Perceptron(), streams.arrow(path, label="y"), keep="nothing"
                    ),
                    "peer": functools.partial(peer, path),
                },
                time.perf_counter,
            )
            name = f"run Parquet, {what} | PyArrow read, scikit-learn partial_fit"
            yield Line(name, best["ours"], best["peer"], 1)


def read_and_fit(path: Path) -> None:
    """Read a table of numbers with PyArrow, and learn from it with scikit-learn."""
    read = read_table(path)
    X = np.column_stack([read[name].to_numpy() for name in read.column_names[:-1]])
    sgd().partial_fit(X, read["y"].to_numpy(), classes=CLASSES)


def read_encode_and_fit(path: Path) -> None:
    """Read a table with categories, give each a column, and learn."""
    read = read_table(path)
    names = read.column_names[:-1]
    encoded = [read[name].combine_chunks() for name in names if name[0] == "k"]
    codes = [column.dictionary_encode() for column in encoded]
    widths = np.cumsum([0, *(len(code.dictionary) for code in codes)])
    columns = np.stack(
        [code.indices.to_numpy() + w for code, w in zip(codes, widths, strict=False)], 1
    )
    offsets = np.arange(0, columns.size + 1, columns.shape[1], dtype=np.int32)
    shape = (len(read), int(widths[-1]))
    hot = sparse.csr_matrix(
        (np.ones(columns.size), columns.ravel().astype(np.int32), offsets), shape
    )
    dense = np.column_stack([read[name].to_numpy() for name in names if name[0] == "c"])
    X = sparse.hstack([sparse.csr_matrix(dense), hot], format="csr")
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    sgd().partial_fit(X, read["y"].to_numpy(), classes=CLASSES)


def row(size: Size) -> Iterator[Line]:
    """Learn from one CSR row a call; few rows, hot in the cache like the dicts."""
    few, passes = 30, 10
    count = few * passes
    X, y = sparse_data(few)
    rows = [X[t] for t in range(few)] * passes
    labels = y.tolist() * passes
    arrays = [y[t : t + 1] for t in range(few)] * passes

    def ours() -> None:
        learner = Perceptron()
        for x, label in zip(rows, labels, strict=True):
            learner.learn_one(x, label)

    def scikit_learn() -> None:
        learner = sgd()
        learner.partial_fit(rows[0], arrays[0], classes=CLASSES)
        for x, label in zip(rows[1:], arrays[1:], strict=True):
            learner.partial_fit(x, label)

    contenders = {"ours": ours, "sklearn": scikit_learn}
    best = race("one CSR row a call", size.repeats, contenders)
    what = "learn_one, a CSR row a call | scikit-learn partial_fit"
    yield Line(what, best["ours"] / count, best["sklearn"] / count, 300)


def save(size: Size) -> Iterator[Line]:
    """Save a model, beside writing as many bytes; both until they are on the disk."""
    count = 10_000_000 if size.rows == Size.rows else 1_000_000
    weights = np.random.default_rng(3).normal(size=(count, 1))
    none = np.zeros((0, 1)), np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.uint64)
    state = {
        "columns.cells": weights,
        "names.cells": none[0],
        "names.text": none[1],
        "names.ends": none[2],
        "names.kinds": none[1],
        "rule": np.zeros(1),
        "updates": 1,
        "width": count,
    }
    named = {
        "columns.cells": none[0],
        "names.cells": weights,
        "names.text": np.frombuffer(
            "".join(f"name{k:08}" for k in range(count)).encode(), dtype=np.uint8
        ),
        "names.ends": np.arange(1, count + 1, dtype=np.uint64) * 12,
        "names.kinds": np.zeros(count, dtype=np.uint8),
    }
    for what, learned in (("columns", state), ("names", state | named)):
        learner = Perceptron()
        learner.load_state(learned)
        with tempfile.TemporaryDirectory(dir=".") as name:
            path = Path(name) / "m.lst"
            models.save(learner, path)
            raw = path.read_bytes()

            def ours(learner: Any = learner, path: Path = path) -> None:
                models.save(learner, path)

            def written(raw: bytes = raw, path: Path = path) -> None:
                with path.with_name("raw").open("wb") as file:
                    file.write(raw)
                    file.flush()
                    os.fsync(file.fileno())

            contenders = {"ours": ours, "written": written}
            best = race("save", size.file_repeats, contenders, time.perf_counter)
            title = f"save {count:,} weights of {what} | to write the bytes"
            yield Line(title, best["ours"], best["written"], 0.5)


def start(size: Size) -> Iterator[Line]:
    """Start up."""
    announce("import")
    script = (
        "import numpy, time; started = time.perf_counter(); import littlestone; "
        "littlestone.run; print(time.perf_counter() - started)"
    )
    times = [
        float(output(sys.executable, "-c", script)) for _ in range(size.file_repeats)
    ]
    yield Line("import littlestone and its run, beyond NumPy", min(times), None, 0.1)
    command = str(Path(sys.executable).with_name("littlestone"))
    contenders = {"ours": lambda: output(command, "--help")}
    best = race("--help", size.file_repeats, contenders, time.perf_counter)
    yield Line("littlestone --help", best["ours"], None, 0.35)


_NAMES = {"contest": "race"}  # race is what times contenders here
GROUPS: dict[str, Callable[[Size], Iterator[Line]]] = {
    _NAMES.get(group.__name__, group.__name__): group
    for group in (
        memory,
        door,
        learners,
        witnesses,
        digest,
        width,
        multiclass,
        kernel,
        batch,
        file,
        slopes,
        vw,
        compressed,
        csv,
        contest,
        dicts,
        dense,
        parquet,
        row,
        crowd,
        few,
        halving,
        rules,
        save,
        footprint,
        start,
    )
}


# The report -----------------------------------------------------------------


def output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def compiler() -> str:
    found = shutil.which("c++")
    must_be(found is not None, "a C++20 compiler is needed, got no c++ on the path")
    return str(found)


def processor() -> str:
    """Return the model of the CPU, which Linux tells in a file of its own."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    return f"{models[0]}, {len(models)} cores" if models else platform.processor()


def setting() -> dict[str, str]:
    """Return what the numbers depend on besides our code."""
    return {
        "littlestone": version("littlestone"),
        "Python": platform.python_version(),
        **{name: version(name) for name in PEERS},
        "compiler": output(compiler(), "--version").splitlines()[0],
        "CPU": processor(),
        "load before": f"{os.getloadavg()[0]:.2f}",
        "date": datetime.now(UTC).date().isoformat(),
    }


def table(lines: list[Line]) -> str:
    """Return the lines in columns, words to the left and numbers to the right."""
    head = ["what", "ours", "peer", "ratio", "target", "met"]
    cells = [head, *(line.cells() for line in lines)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return "\n".join(
        "  ".join(
            [
                first.ljust(widths[0]),
                *(cell.rjust(w) for cell, w in zip(rest, widths[1:], strict=True)),
            ]
        )
        for first, *rest in cells
    )


def keep(group: str, facts: dict[str, str], lines: list[Line]) -> None:
    """Put what was measured in the place of what was known of the same group."""
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    found = [asdict(line) | {"ratio": line.ratio, "met": line.met} for line in lines]
    kept[group] = {"setting": facts, "lines": found}
    ordered = {name: kept[name] for name in GROUPS if name in kept}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(ordered, indent=2, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--quick", action="store_true", help="little data, to try it out; not kept"
    )
    parser.add_argument(
        "--only", choices=GROUPS, nargs="+", help="measure these groups alone"
    )
    chosen = parser.parse_args()
    size = QUICK if chosen.quick else Size()
    facts = setting()
    measured: list[Line] = []
    for name in chosen.only or GROUPS:
        load = {"load before": f"{os.getloadavg()[0]:.2f}"}
        lines = list(GROUPS[name](size))
        measured += lines
        if lines and not chosen.quick:  # there are none where the data are not at hand
            keep(name, facts | load, lines)
    for name, fact in facts.items():
        print(f"{name:18}  {fact}")
    print()
    print(table(measured))


if __name__ == "__main__":
    main()
