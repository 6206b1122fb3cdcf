"""What a cluster costs: constants measured here, and a simulation made from them.

`python benchmarks/cluster.py` measures, in CPU time of one thread, how long a shard
takes and how long mixing takes, and counts the bytes that travel. From these constants
and an assumed network it computes how long an epoch takes for more workers and examples
than there are here. That part is a simulation, and is printed as one.

`--race` compares two processes with one that is pinned to one core, start-up apart. It
needs an idle machine with two cores.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import cluster, run, streams
from littlestone.boolean import DisjunctionLearner
from littlestone.cluster import merge, play_block
from littlestone.cluster._shards import shards_of
from littlestone.cluster._travel import packed
from littlestone.linear import AROW, PassiveAggressive, Perceptron

if TYPE_CHECKING:
    from collections.abc import Callable

FEATURES = 47_000
NONZEROS = 75
ROWS = 20_000
SHARDS = 8
NETWORK = 1.25e9  # bytes a second of the machine that mixes: assumed, 10 Gbit/s
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


def write_file(path: Path, rows: int, seed: int = 0) -> None:
    """Write rows with a skewed choice of features, labelled by a hidden vector."""
    rng = np.random.default_rng(seed)
    u = np.random.default_rng(99).normal(size=FEATURES + 1)
    with path.open("w") as out:
        for _ in range(rows):
            picked = np.unique((FEATURES * rng.random(NONZEROS) ** 3).astype(int) + 1)
            label = 1 if u[picked].sum() > 0 else 0
            out.write(f"{label} " + " ".join(f"{j}:1" for j in picked) + "\n")


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
    """Compare two processes with one on one core, by the wall clock."""
    files = []
    for part in range(SHARDS):
        files.append(folder / f"{part}.svm")
        write_file(files[-1], ROWS, part)
    cores = os.sched_getaffinity(0)
    learners = {"mixed": Perceptron, "aggressive": PassiveAggressive}
    with cluster.Processes(2) as pool:
        cluster.run(Perceptron(), files[:2], client=pool)  # starts the processes
        for name, make in learners.items():
            two = _wall(lambda make=make: cluster.run(make(), files, client=pool))  # type: ignore[misc]
            all_cores = _wall(lambda make=make: run(make(), streams.svmlight(files)))  # type: ignore[misc]
            os.sched_setaffinity(0, {min(cores)})
            one = _wall(lambda make=make: run(make(), streams.svmlight(files)))  # type: ignore[misc]
            os.sched_setaffinity(0, cores)
            print(f"{name}: {one / two:.2f} of one core, {all_cores / two:.2f} of both")
        rules = {"rows": files, "format": "svmlight"}
        two = _wall(
            lambda: cluster.run(DisjunctionLearner(), rules["rows"], client=pool)
        )
        raced = _wall(lambda: cluster.race([Perceptron(), AROW()], files, client=pool))
        os.sched_setaffinity(0, {min(cores)})
        one = _wall(lambda: run(DisjunctionLearner(), streams.svmlight(files)))
        alone = _wall(
            lambda: [
                run(make(), streams.svmlight(files)) for make in (Perceptron, AROW)
            ]
        )
        os.sched_setaffinity(0, cores)
        print(f"exact: {one / two:.2f}, race: {alone / raced:.2f}")


def _wall(action: Callable[[], Any], repeats: int = 3) -> float:
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        action()
        times.append(time.perf_counter() - began)
    return min(times)


def main() -> None:
    """Measure, then simulate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--race", action="store_true")
    given = parser.parse_args()
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
