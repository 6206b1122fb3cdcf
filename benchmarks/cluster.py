"""What a cluster costs: constants measured here, and a simulation made from them.

`python benchmarks/cluster.py` measures, in CPU time of one thread, how long a shard
takes and how long mixing takes, and counts the bytes that travel. From these constants
and an assumed network it computes how long an epoch takes for more workers and examples
than there are here. That part is a simulation, and is printed as one.

`--accuracy` compares errors on held-out examples of real data, `--splits` on random
splits of few rows of text, `--few` those of shards with few examples.
`--race` compares two processes with one that is pinned to one core, start-up apart;
`--peer` two Dask workers with what dask-ml does on them. Both need an idle machine with
two cores.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import cluster, run, streams
from littlestone.boolean import DisjunctionLearner
from littlestone.cluster import merge, play_block
from littlestone.cluster._shards import shards_of
from littlestone.cluster._travel import packed
from littlestone.linear import AveragedPerceptron, PassiveAggressive, Perceptron

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from data import data_file

if TYPE_CHECKING:
    from collections.abc import Callable

FEATURES = 47_000
NONZEROS = 75
ROWS = 20_000
LARGE = 100_000  # rows of a file where processes race
LARGER = 400_000  # of a file nearly as large as those that are cut unasked
SHARDS = 8
LEARNERS: dict[str, Callable[[], Any]] = {
    "mixed": Perceptron,
    "mixed by steps": PassiveAggressive,
}
COVTYPE = "covtype/covtype.csv.gz"
RCV1 = "vw-rcv1-small/rcv1_small{}.vw.gz"
SMALL = (
    "a9a/a9a.train.svm.gz",
    "reuters-moneyfx/reuters-moneyfx.train.svm.gz",
    "spam-drift/spam_drift.svm.gz",
    "w8a/w8a.train.svm.gz",
)
ORDERS = 5
SPLITS = 40
HELD = 500  # examples for a test, at least
NETWORK = 1.25e9  # bytes a second of the machine that mixes: assumed, 10 Gbit/s
PAUSE = 0.05  # seconds, for Dask to forget what the one before has left
LATENCY = 0.01  # seconds a task, for its scheduling: assumed


class Costs(NamedTuple):
    """The constants of the cost model.

    Attributes
    ----------
    play
        Seconds to read and play an example of an svmlight file, on one core.
    shard
        Seconds for a shard without examples: to load the state and to send it back.
    mix
        Seconds to mix one weight of one shard.
    state
        Bytes of the state that each worker gets.
    change
        Bytes that come back from a shard.
    """

    play: float
    shard: float
    mix: float
    state: float
    change: float


def write_file(path: Path, rows: int, seed: int = 0, *, rule: bool = False) -> None:
    """Write rows with a skewed choice of features, labelled by a vector or a rule."""
    rng = np.random.default_rng(seed)
    u = np.random.default_rng(99).normal(size=FEATURES + 1)
    names = np.array([f" {j}:1" for j in range(FEATURES + 1)])
    picked = np.sort((FEATURES * rng.random((rows, NONZEROS)) ** 3).astype(int) + 1)
    new = np.diff(picked, prepend=0) > 0
    labels = (u[picked] * new).sum(axis=1) > 0
    if rule:  # a disjunction of a thousand features
        labels = ((picked >= 20_000) & (picked < 21_000)).any(axis=1)
    with path.open("w") as out:
        for label, row, fresh in zip(labels, picked, new, strict=True):
            out.write(f"{label:d}{''.join(names[row[fresh]])}\n")


def best_of(action: Callable[[], Any], repeats: int = 3) -> float:
    """Return the least CPU time of this process that an action takes."""
    times = []
    for _ in range(repeats):
        began = time.process_time()
        action()
        times.append(time.process_time() - began)
    return min(times)


def measured(folder: Path) -> Costs:
    """Measure the constants in this process."""
    path = folder / "one.svm"
    write_file(path, ROWS)
    parts = shards_of(path, shards=SHARDS)
    begun = packed(Perceptron())
    played = [play_block(begun, part) for part in parts]
    state = merge([raw for raw, _ in played], [1] * SHARDS, begun)
    again = [play_block(state, part) for part in parts]
    (whole,), (some, *_) = shards_of(path, shards=1), parts
    long = best_of(lambda: play_block(state, whole), 5)
    short = best_of(lambda: play_block(state, some), 5)
    fewer = again[0][1].rounds
    play = (long - short) / (ROWS - fewer)
    states = [raw for raw, _ in again]
    mixing = best_of(lambda: merge(states, [1] * SHARDS, state))
    return Costs(
        play,
        max(0.0, short - fewer * play),
        mixing / SHARDS / FEATURES,
        float(len(state)),
        float(np.mean([tally.bytes for _, tally in again])),
    )


def epoch(costs: Costs, examples: float, workers: int, shards: int) -> float:
    """Return the seconds of an epoch, by the model."""
    turns = -(-shards // workers)
    playing = turns * (examples / shards * costs.play + costs.shard + LATENCY)
    travel = (workers * costs.state + shards * costs.change) / NETWORK
    return playing + travel + shards * FEATURES * costs.mix


def simulated(costs: Costs) -> list[str]:
    """Return a table of epochs, computed and not measured."""
    lines = ["| examples | workers | epoch | times one machine |", "|---|---|---|---|"]
    for examples in (1e6, 1e9, 1e12):
        one = examples * costs.play
        for workers in (2, 10, 100, 1000):
            seconds = epoch(costs, examples, workers, workers)
            lines.append(
                f"| {examples:.0e} | {workers:,} | {_words(seconds)} | "
                f"{one / seconds:.1f} |"
            )
    return lines


def _words(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.2f} s"


def race(folder: Path) -> None:
    """Compare two processes with one on one core, by the wall clock, in turn."""
    files = []
    for part in range(SHARDS):
        files.append(folder / f"{part}.svm")
        write_file(files[-1], LARGE, part)
    size = sum(file.stat().st_size for file in files)
    print(f"{SHARDS} files, {SHARDS * LARGE:,} examples, {size / 1e6:,.0f} MB")
    with cluster.Processes(2) as pool:
        cluster.run(Perceptron(), files[:2], client=pool)  # starts the processes
        for kind, make in LEARNERS.items():
            one, both, two = _in_turn(
                lambda make=make: pinned(lambda: run(make(), streams.svmlight(files))),
                lambda make=make: run(make(), streams.svmlight(files)),
                lambda make=make: cluster.run(make(), files, client=pool),
            )
            print(
                f"{kind}, {make.__name__}: {one / two:.2f} times one core, "
                f"{both / two:.2f} times one process on both"
            )
        makes = (Perceptron, PassiveAggressive)
        alone, raced = _in_turn(
            lambda: pinned(
                lambda: [run(make(), streams.svmlight(files)) for make in makes]
            ),
            lambda: cluster.race([make() for make in makes], files, client=pool),
        )
        print(f"race of two: {alone / raced:.2f} times one core")
        for rows in (LARGE, LARGER):
            for part, file in enumerate(files):
                write_file(file, rows, part, rule=True)
            one, two = _in_turn(
                lambda: pinned(
                    lambda: run(DisjunctionLearner(), streams.svmlight(files))
                ),
                lambda: cluster.run(DisjunctionLearner(), files, client=pool),
            )
            print(
                f"exact, DisjunctionLearner, {rows:,} examples a file: "
                f"{one / two:.2f} times one core"
            )


def accuracy() -> None:
    """Compare three mixed epochs over 8 shards with three passes of one machine."""
    sets = {
        "a9a": (_file("a9a/a9a.train.svm.gz"), _file("a9a/a9a.test.svm.gz")),
        "covtype": _covtype(),
    }
    for name, (train, test) in sets.items():
        for make in (AveragedPerceptron, PassiveAggressive, Perceptron):
            given = {"C": 0.01} if make is PassiveAggressive else {}
            found = [_error(make(bias=1.0, **given), train, test, shards=1)]
            for shards, mix in product((2, 8), ("mistakes", "uniform")):
                learner = make(bias=1.0, **given)
                found.append(_error(learner, train, test, shards=shards, mix=mix))
            print(name, make.__name__, *(f"{each:.2%}" for each in found))


def splits() -> None:
    """Compare the same on random splits of few rows of text: means, standard errors."""
    rows = _file(RCV1.format("")) + _file(RCV1.format("_test"))
    learners = (
        AveragedPerceptron(),
        AveragedPerceptron(bias=1.0),
        PassiveAggressive(),
        PassiveAggressive(bias=1.0),
        Perceptron(),
        Perceptron(bias=1.0),
    )
    for learner in learners:
        found = []
        for seed in range(SPLITS):
            order = np.random.default_rng(seed).permutation(len(rows))
            parts = [[rows[at] for at in some] for some in np.split(order, [1000])]
            tries = (1, 1), (SHARDS, 1), (SHARDS, 4)
            found.append(
                [
                    _error(learner.clone(), *parts, shards=shards, mixes=mixes)
                    for shards, mixes in tries
                ]
            )
        one, *mixed = np.array(found).T
        told = [f"{one.mean():.2%}"]
        for each in mixed:
            error = (each - one).std(ddof=1) / SPLITS**0.5
            told.append(
                f"{each.mean():.2%} ({each.mean() - one.mean():+.2%} ± {error:.2%})"
            )
        print(f"rcv1, {learner}: {', '.join(told)}", flush=True)


def few() -> None:
    """Compare the same in shards of few examples, in random orders of eight sets."""
    learners: dict[str, Callable[[], Any]] = {
        "AveragedPerceptron": lambda: AveragedPerceptron(bias=1.0),
        "PassiveAggressive(C=0.01)": lambda: PassiveAggressive(C=0.01, bias=1.0),
        "PassiveAggressive(C=1)": lambda: PassiveAggressive(C=1.0, bias=1.0),
        "Perceptron": lambda: Perceptron(bias=1.0),
    }
    texts = {
        "pros-cons/pros_cons.tsv.gz": "pros",
        "subjectivity/subjectivity.tsv.gz": "subj",
    }
    sets: dict[str, list[Any]] = {name: _file(name) for name in SMALL}
    sets["rcv1"] = _file(RCV1.format("")) + _file(RCV1.format("_test"))
    for name, positive in texts.items():
        path = data_file(name)
        sets[name] = list(streams.text(path, label="label", positive=positive))
    (X, y), _ = _covtype()
    sets["covtype"] = list(zip(X, y, strict=True))
    for each, (name, make) in product(
        (60, 125, 250, 500, 1000, 2000), learners.items()
    ):
        found = {
            key: np.mean([_few(rows, make, each, order) for order in range(ORDERS)], 0)
            for key, rows in sets.items()
            if len(rows) >= SHARDS * each + HELD
        }
        one, mixed = np.array(list(found.values())).T
        worst = max(found, key=lambda key: found[key][1] - found[key][0])
        print(
            f"{each} a shard, {len(found)} sets, {name}: {np.median(one):.2%} and "
            f"{np.median(mixed):.2%}; more by {np.median(mixed - one):.2%}, "
            f"at most by {np.max(mixed - one):.2%} ({worst})",
            flush=True,
        )


def _few(
    rows: list[Any], make: Callable[[], Any], each: int, order: int
) -> tuple[float, float]:
    """Return the errors with one shard, and with shards of so many examples."""
    places = np.random.default_rng(order).permutation(len(rows))
    train = [rows[place] for place in places[: SHARDS * each]]
    test = [rows[place] for place in places[SHARDS * each :][:2000]]
    one = _error(make(), train, test, shards=1)
    return one, _error(make(), train, test, shards=SHARDS)


def _file(name: str) -> list[Any]:
    return list(streams.open(data_file(name)))


def _covtype() -> tuple[Any, Any]:
    """Return rows in a random order, since the file is sorted, in comparable units."""
    table = np.loadtxt(data_file(COVTYPE), delimiter=",", skiprows=1, dtype=np.float32)
    table = table[np.random.default_rng(0).permutation(len(table))[:120_000]]
    X, y = table[:, :-1], table[:, -1] == 2  # the largest class
    X = (X - X[:100_000].mean(axis=0)) / (X[:100_000].std(axis=0) + 1e-9)
    return (X[:100_000], y[:100_000]), (X[100_000:], y[100_000:])


def _error(learner: Any, train: Any, test: Any, **options: Any) -> float:
    cluster.run(learner, train, workers=0, epochs=3, **options)
    tested = run(learner, test, learn=False, keep="nothing")
    return tested.mistakes / tested.rounds


def pinned(action: Callable[[], Any]) -> None:
    """Do something on one core."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        action()
    finally:
        os.sched_setaffinity(0, cores)


def peer() -> None:
    """Compare with dask-ml's Incremental over the same Dask arrays, two workers."""
    from distributed import Client, LocalCluster  # noqa: PLC0415 - only here

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as local,
        Client(local) as client,
    ):
        for rows, chunk in ((400_000, 50_000), (400_000, 10_000), (2_000_000, 250_000)):
            _against_incremental(client, rows, chunk)


def _against_incremental(client: Any, rows: int, chunk: int) -> None:
    import dask.array as da  # noqa: PLC0415 - only here
    from dask.delayed import delayed  # noqa: PLC0415
    from dask_ml.wrappers import Incremental  # noqa: PLC0415
    from distributed import wait  # noqa: PLC0415
    from sklearn.linear_model import SGDClassifier  # noqa: PLC0415

    # Made on the workers, as data that a cluster plays would be.
    rng = da.random.default_rng(0)
    X = rng.normal(size=(rows, 50), chunks=(chunk, 50)).persist()
    u = np.random.default_rng(0).normal(size=50)
    y = (X @ u > 0).astype(int).persist()
    wait([X, y])
    model = SGDClassifier(loss="perceptron", learning_rate="constant", eta0=1.0)
    theirs, ours, empty = _in_turn(
        lambda: Incremental(model).fit(X, y, classes=[0, 1]),
        lambda: cluster.run(Perceptron(), (X, y), client=client),
        lambda: client.gather(
            client.compute(list(map(delayed(len), X.to_delayed()[:, 0])))
        ),
        repeats=7,
    )
    print(
        f"{rows:,} rows in {rows // chunk} chunks: dask-ml's Incremental "
        f"{theirs * 1e3:,.0f} ms, {theirs / ours:.1f} times our {ours * 1e3:,.0f} ms; "
        f"as many empty tasks {empty * 1e3:,.0f} ms"
    )


def _in_turn(*actions: Callable[[], Any], repeats: int = 3) -> list[float]:
    """Return the least seconds of each, which take turns."""
    times: list[list[float]] = [[] for _ in actions]
    for _ in range(repeats):
        for action, seconds in zip(actions, times, strict=True):
            time.sleep(PAUSE)
            began = time.perf_counter()
            action()
            seconds.append(time.perf_counter() - began)
    return [min(seconds) for seconds in times]


def main() -> None:
    """Measure, then simulate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--race", action="store_true", help="two processes and one")
    parser.add_argument("--peer", action="store_true", help="dask-ml, if it is there")
    parser.add_argument("--accuracy", action="store_true", help="on held-out examples")
    parser.add_argument("--splits", action="store_true", help="of few rows of text")
    parser.add_argument("--few", action="store_true", help="with few examples a shard")
    given = parser.parse_args()
    if given.accuracy:
        accuracy()
        return
    if given.splits:
        splits()
        return
    if given.few:
        few()
        return
    if given.peer:
        peer()
        return
    with tempfile.TemporaryDirectory() as name:
        if given.race:
            race(Path(name))
            return
        costs = measured(Path(name))
    print(
        f"measured: an example {costs.play * 1e6:.2f} µs, a shard beside its examples"
    )
    print(f"  {costs.shard * 1e3:.1f} ms, to mix a weight of a shard")
    print(f"  {costs.mix * 1e9:.1f} ns, a state {costs.state:,.0f} bytes, what comes")
    print(f"  back from a shard {costs.change:,.0f} bytes")
    print("simulated from these, one shard a worker:")
    print("\n".join(simulated(costs)))


if __name__ == "__main__":
    main()
