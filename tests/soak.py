"""`make soak`: many runs of every learner, random and adversarial; no bound gives way.

Each run is made from a seed of its own, so that one that fails can be made again:
`python tests/soak.py --only SEED`. Without `--seed` the seeds are new ones each time.
Each run is certified, which evaluates the theorems of its learner on it, and some are
verified with their stream. Every theorem with a proof also has a run of 10,000 rounds
for each of its learners, and the time of each is printed.
"""

from __future__ import annotations

import argparse
import os
import secrets
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.progress import track

from advice_worlds import ADVISED, AdviceEntry
from boolean_worlds import BOOLEAN_ENTRIES, COLUMNS, BooleanEntry
from littlestone import adversaries, boolean, certify, experts, run, verify
from littlestone.concepts import (
    KCNF,
    KDNF,
    Conjunction,
    DecisionList,
    Disjunction,
    FiniteClass,
    Literal,
)
from littlestone.errors import LittlestoneError, PremiseError
from long_runs import LONG_RUNS
from long_runs_of_examples import LONG_RUNS_OF_EXAMPLES
from worlds import ENTRIES, Entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone.learner import Learner

Rng = np.random.Generator
Examples = list[tuple[Any, Any]]

_TOGETHER = 250  # runs that a process makes at a time
_VERIFIED = 20  # one run in so many is verified with its stream
_LONG = 10_000  # rounds of a long run
_LONG_RUNS = [*LONG_RUNS, *LONG_RUNS_OF_EXAMPLES]
_CHOICES = 8  # examples among which an adversary looks for one that goes wrong


# Streams ------------------------------------------------------------------------------


def _chosen(
    learner: Learner, rounds: int, draw: Callable[[], tuple[Any, Any]], *, hard: bool
) -> Examples:
    """Return rounds that are drawn, or the worst of a few draws for this learner."""
    if not hard:
        return [draw() for _ in range(rounds)]
    playing, found = learner.clone(), []
    for _ in range(rounds):
        for _ in range(_CHOICES):
            x, y = draw()
            if playing.predict_one(x) != y:
                break
        playing.learn_one(x, y)
        found.append((x, y))
    return found


def _linear(entry: Entry, rng: Rng) -> tuple[Learner, Examples]:
    """Draw rows labelled by a halfspace, with noise or without, or at random."""
    columns = int(rng.integers(1, 20))
    target, noise = rng.normal(size=columns), rng.choice([0.0, 0.1, 0.5])
    shift = rng.choice([0.0, 1.0])

    def draw() -> tuple[Any, Any]:
        x = rng.choice(entry.values, size=columns)
        y = bool((x @ target > shift) ^ (rng.random() < noise))
        return {j: float(v) for j, v in enumerate(x) if v}, y

    rounds = int(rng.integers(0, 120))
    return entry.made, _chosen(entry.made, rounds, draw, hard=rng.random() < 0.5)


def _advised(entry: AdviceEntry, rng: Rng) -> tuple[Learner, Examples]:
    """Draw a crowd in which one expert is always right, often, or no better."""
    crowd, skill = int(rng.integers(1, 17)), rng.choice([1.0, 0.9, 0.0])
    if getattr(entry.made, "restart", None) is False:
        skill = 1.0  # halving promises nothing where every expert errs

    def draw() -> tuple[Any, Any]:
        y = float(rng.choice(entry.outcomes))
        says = rng.choice(entry.says, size=crowd)
        if rng.random() < skill:
            says[0] = min(entry.says, key=lambda each: abs(each - y))
        if entry.labels:
            return {i: says[i] == 1 for i in range(crowd)}, y == 1
        return {i: float(says[i]) for i in range(crowd)}, y

    hard = entry.labels and rng.random() < 0.5
    rounds = int(rng.integers(1, 100))
    return entry.made, _chosen(entry.made, rounds, draw, hard=hard)


def _rule(learner: Learner, rng: Rng) -> Any:
    """Draw a concept of the learner's class."""
    given = learner.get_params()
    k, monotone = given.get("k", 1), given.get("monotone", False)

    def literals(most: int) -> list[Any]:
        chosen = rng.choice(COLUMNS, size=int(rng.integers(0, most + 1)), replace=False)
        negated = rng.random(len(chosen)) < (0 if monotone else 0.5)
        pairs = zip(chosen.tolist(), negated, strict=True)
        return [~Literal(j) if no else Literal(j) for j, no in pairs]

    name, parts = type(learner).__name__, int(rng.integers(1, 5))
    if name == "ConjunctionLearner":
        return Conjunction(*literals(5))
    if name == "DisjunctionLearner":
        return Disjunction(*literals(5))
    if name == "KCNFLearner":
        return KCNF(*(Disjunction(*literals(k)) for _ in range(parts)))
    if name == "KDNFLearner":
        return KDNF(*(Conjunction(*literals(k)) for _ in range(parts)))
    rules = [
        (Conjunction(*literals(k)), bool(rng.random() < 0.5)) for _ in range(parts)
    ]
    return DecisionList(rules, default=bool(rng.random() < 0.5))


def _boolean(entry: BooleanEntry, rng: Rng) -> tuple[Learner, Examples]:
    """Draw examples labelled by a concept of the class."""
    target, density = _rule(entry.made, rng), rng.choice([0.2, 0.5, 0.8])

    def draw() -> tuple[Any, Any]:
        true = np.flatnonzero(rng.random(COLUMNS) < density).tolist()
        x = dict.fromkeys(true, 1.0)
        return x, bool(target(x))

    rounds = int(rng.integers(0, 60))
    return entry.made, _chosen(entry.made, rounds, draw, hard=rng.random() < 0.5)


def _finite(rng: Rng) -> tuple[Learner, Examples]:
    """Draw a small class of concepts, and examples labelled by one of them."""
    features = int(rng.integers(1, 4))
    families = (FiniteClass.conjunctions, FiniteClass.monotone_conjunctions)
    concepts = families[int(rng.integers(2))](features)
    target = concepts[int(rng.integers(len(concepts)))]
    points = [{j: 1.0 for j in range(features) if i >> j & 1} for i in range(8)]
    domain = points[: 1 << features]
    learners = (
        boolean.ConsistentLearner(concepts),
        boolean.VersionSpaceLearner(concepts),
        boolean.StandardOptimalLearner(concepts, domain),
    )
    learner = learners[int(rng.integers(3))]

    def draw() -> tuple[Any, Any]:
        x = domain[int(rng.integers(len(domain)))]
        return x, bool(target(x))

    return learner, _chosen(learner, int(rng.integers(0, 30)), draw, hard=True)


def _counting(rng: Rng) -> tuple[Learner, Examples]:
    """Draw labels alone."""
    rounds, chance = int(rng.integers(1, 30)), rng.random()
    told: Examples = [({}, bool(rng.random() < chance)) for _ in range(rounds)]
    if rng.random() < 0.5:
        return experts.FollowTheMajority(), told
    return experts.Cover(rounds, seed=int(rng.integers(1000))), told


def _duel(rng: Rng) -> tuple[Learner, Examples]:
    """Let an adversary of the library play, and keep what it showed."""
    n = int(rng.integers(1, 9))
    games: list[tuple[Learner, Any]] = [
        (ENTRIES[0].made, adversaries.PerceptronAdversary(1 / (1 + n))),
        (experts.Halving(), adversaries.HalvingAdversary(n)),
        (experts.WeightedMajority(), adversaries.HalvingAdversary(n)),
        (experts.FollowTheMajority(), adversaries.AlternatingAdversary(n)),
        (boolean.ConjunctionLearner(), adversaries.ConjunctionAdversary(n)),
        (boolean.DisjunctionLearner(), adversaries.DisjunctionAdversary(n)),
        (experts.AdaHedge("zero-one"), adversaries.RandomExperts(n + 1, 50, n)),
    ]
    learner, foe = games[int(rng.integers(len(games)))]
    playing: Any = learner.clone()
    foe.restart()
    shown: Examples = []
    while (x := foe.ask()) is not None:
        y = foe.answer(playing.predict_one(x))
        playing.learn_one(x, y)
        shown.append((x, y))
    return learner, shown


# A loss of one's own has no name, so its runs cannot be certified.
_NAMED = [entry for entry in ADVISED if "custom" not in str(entry)]


# Runs ---------------------------------------------------------------------------------


def _made(rng: Rng) -> tuple[Learner, Examples]:
    kind = int(rng.integers(12))
    if kind < 4:
        return _linear(ENTRIES[int(rng.integers(len(ENTRIES)))], rng)
    if kind < 7:
        return _advised(_NAMED[int(rng.integers(len(_NAMED)))], rng)
    if kind < 9:
        return _boolean(BOOLEAN_ENTRIES[int(rng.integers(len(BOOLEAN_ENTRIES)))], rng)
    return (_finite, _counting, _duel)[kind - 9](rng)


def _judged(seed: int) -> str:
    """Make the run of a seed; return what came of it, or what is wrong."""
    learner, examples = _made(np.random.default_rng(seed))
    name = type(learner).__name__
    try:
        record = run(learner.clone(), examples, keep="updates")
        certificate = certify(record, stream=examples)
    except PremiseError:
        return f"{name}: no premise"
    except LittlestoneError as error:
        return f"wrong: seed {seed}: {learner}: {error}"
    if not certificate.holds:
        return f"wrong: seed {seed}: {learner}: {certificate}"
    if seed % _VERIFIED == 0 and not (verdict := verify(certificate, examples)):
        return f"wrong: seed {seed}: {learner}: {verdict}"
    return f"{name}: {certificate.theorem}"


def _some(first: int) -> Counter[str]:
    return Counter(map(_judged, range(first, first + _TOGETHER)))


def _long(which: int) -> str:
    """Make a long run; return what came of it, or what is wrong."""
    each = _LONG_RUNS[which]
    begun = time.thread_time()
    wrong = each.wrong(_LONG)
    spent = time.thread_time() - begun
    rounds = min(_LONG, each.most)
    return (
        f"wrong: {each}: {wrong}"
        if wrong
        else f"{rounds:,} rounds: {each}: {spent:.1f} s"
    )


def main() -> int:
    """Make the runs, and return 1 if a bound gave way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--seed", type=int, help="of the first run (default: new)")
    parser.add_argument("--only", type=int, help="make the run of this seed alone")
    given = parser.parse_args()
    if given.only is not None:
        print(_judged(given.only))  # noqa: T201 - that is what it is for
        return 0
    seed = secrets.randbelow(2**32) if given.seed is None else given.seed
    print(f"{given.runs:,} runs, --seed {seed}")  # noqa: T201 - so that it can be repeated
    firsts = range(seed, seed + given.runs, _TOGETHER)
    came: Counter[str] = Counter()
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for some in track(pool.map(_some, firsts), "Soaking", total=len(firsts)):
            came += some
        long = pool.map(_long, range(len(_LONG_RUNS)))
        came.update(track(long, "Long runs", total=len(_LONG_RUNS)))
    for what, times in sorted(came.items()):
        print(f"{times:8,}  {what}")  # noqa: T201 - that is what it is for
    wrong = sum(times for what, times in came.items() if what.startswith("wrong"))
    print(f"{came.total() - wrong:,} runs within their bounds, {wrong:,} not.")  # noqa: T201 - that is what it is for
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
