"""What needs no theorem: whole learners as tasks, and counts that add up."""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from littlestone.boolean import fit_rule as fit_rule_here
from littlestone.boolean._table import Table, joined, read
from littlestone.catalogue import CATALOGUE
from littlestone.cluster._engines import Task, engine_for, gathered
from littlestone.cluster._run import become, parts_of
from littlestone.cluster._shards import MemoryShard, is_paths, joined_shards
from littlestone.cluster._travel import learner_of, packed
from littlestone.errors import EmptyStreamError, ExampleError, ParameterError
from littlestone.learner import Learner
from littlestone.logs import LOG
from littlestone.pac import estimate as estimate_here
from littlestone.running import run
from littlestone.running.race import Race, named_learners

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from littlestone.boolean import Fit
    from littlestone.cluster._engines import Engine
    from littlestone.cluster._shards import Shard
    from littlestone.concepts import Feature
    from littlestone.pac import Estimate
    from littlestone.running import Record
    from littlestone.running.race import Entrant

__all__ = ["estimate", "fit_rule", "race", "search"]


def race(
    learners: Mapping[str, Learner] | Iterable[Learner],
    data: Any,
    *,
    client: Any = None,
    workers: int | None = None,
    passes: int = 1,
    label: str | int | None = None,
    format: str | None = None,  # noqa: A002 - as `streams.open` calls it
    declare: Mapping[str, Any] | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    metrics: Iterable[str] = (),
    **options: Any,
) -> Race:
    """Play one stream with several learners, one a task, and rank them.

    Each learner plays all of the data in order, so that every learner can race, and
    its record equals that of `littlestone.run` and `littlestone.race`, bit for bit.

    Parameters
    ----------
    learners
        Learners of littlestone, as in `littlestone.race`; they change as there.
    data, client, workers, label, format, options
        As in `run`.
    passes, declare, on_error, metrics
        As in `littlestone.race`; lines of files that cannot be read are skipped too.

    Examples
    --------
    >>> from littlestone import cluster
    >>> from littlestone.linear import AROW, Perceptron
    >>> examples = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 10
    >>> cluster.race([Perceptron(), AROW()], examples, workers=0)
    Race(Perceptron 1, AROW 1)
    """
    named = named_learners(learners, declare or {})
    for name, (learner, _) in named.items():
        if not isinstance(learner, Learner):
            raise ParameterError(
                f"{name} must be a learner of littlestone to travel, got {learner!r}",
                owner="cluster",
            )
    started = time.perf_counter()
    kept = {"passes": passes, "on_error": on_error, "metrics": tuple(metrics)}
    if on_error == "skip" and is_paths(data):
        options["on_error"] = on_error
    with engine_for(client, workers) as engine:
        parts, _ = parts_of(engine, data, None, label, format, options)
        shards, held = [each for each, _ in parts], [each for _, each in parts]
        tasks = {
            Task(
                f"littlestone-race-{name}",
                play_whole,
                (packed(learner), shards, {**kept, "declare": declared}, *held),
            ): name
            for name, (learner, declared) in named.items()
        }
        return _ranked(engine, tasks, named, started)


def _ranked(
    engine: Engine,
    tasks: Mapping[Task, str],
    named: Mapping[str, Entrant],
    started: float,
) -> Race:
    records: dict[str, Record] = {}
    left: dict[str, ExampleError] = {}
    seconds: dict[str, float] = {}
    for task, result in engine.results(deque(tasks)):
        name = tasks[task]
        if isinstance(result, ExampleError):
            left[name] = result
            LOG.warning("%s leaves the race: %s", name, result)
        elif isinstance(result, BaseException):
            raise result
        else:
            state, records[name], seconds[name] = result
            become(named[name].learner, learner_of(state))
    if not records:
        raise next(iter(left.values()))
    order = [name for name in named if name in records]  # as given, not as they came
    return Race(
        {name: records[name] for name in order},
        {name: left[name] for name in named if name in left},
        seconds,
        time.perf_counter() - started,
    )


def play_whole(
    state: bytes, shards: Sequence[Shard], kept: Mapping[str, Any], *held: Any
) -> tuple[bytes, Record, float]:
    """Play all shards in order, as one machine would."""
    learner = learner_of(state)
    whole = joined_shards(_filled(shards, held), learner)
    began = time.process_time()
    record = run(learner, whole, **kept)
    return packed(learner), record, time.process_time() - began


def _filled(shards: Sequence[Shard], held: Sequence[Any]) -> list[Shard]:
    """Return the shards with the data that were kept near the worker."""
    return [
        replace(shard, data=data) if isinstance(shard, MemoryShard) else shard
        for shard, data in zip(shards, held, strict=True)
    ]


def search(
    grid: Mapping[Any, Mapping[str, Iterable[Any]]], data: Any, **options: Any
) -> Race:
    """Race learners with all combinations of some parameters.

    Parameters
    ----------
    grid
        Which values to try: for each class of learners, or its name, a mapping from
        parameter to values.
    data, options
        As in `race`.

    Examples
    --------
    >>> from littlestone import cluster
    >>> from littlestone.linear import PassiveAggressive
    >>> examples = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 10
    >>> grid = {PassiveAggressive: {"C": [0.1, 1.0], "bias": [0.0, 1.0]}}
    >>> found = cluster.search(grid, examples, workers=0)
    >>> len(found), found.winner
    (4, 'PassiveAggressive(C=0.1, bias=0.0)')
    """
    return race(dict(_combinations(grid)), data, **options)


def _combinations(grid: Any) -> Iterator[tuple[str, Learner]]:
    if not isinstance(grid, Mapping) or not grid:
        raise ParameterError(
            "grid must map learners to the values of their parameters, got "
            f"{grid!r:.200}",
            owner="search",
        )
    for given, tried in grid.items():
        made = given if isinstance(given, type) else _class_of(given)
        names = list(tried)
        for values in itertools.product(*(list(tried[name]) for name in names)):
            chosen = dict(zip(names, values, strict=True))
            shown = ", ".join(f"{name}={value!r}" for name, value in chosen.items())
            yield f"{made.__name__}({shown})", made(**chosen)


def _class_of(name: object) -> type[Learner]:
    for entry in CATALOGUE:
        if name in (entry.name, entry.class_name):
            return entry.load()
    raise ParameterError(
        f"a learner must be a class or the name of one, got {name!r}", owner="search"
    )


# Counts over rows --------------------------------------------------------------------


def fit_rule(
    data: Any,
    kind: str = "decision-list",
    k: int = 1,
    *,
    client: Any = None,
    workers: int | None = None,
    shards: int | None = None,
    features: int | Iterable[Feature] | None = None,
    exceptions: int | None = None,
    budget: int = 300,
    format: str | None = None,  # noqa: A002 - as `streams.open` calls it
    **options: Any,
) -> Fit:
    """Find a rule with few exceptions in many files.

    The workers read the shards and turn them into sets of rows, one bit a row and
    feature; the rule is then found in all of them together. It is the rule that
    `boolean.fit_rule` finds in the whole stream.

    Parameters
    ----------
    data, client, workers, shards, format, options
        As in `run`. Features must be true or false: for CSV files see the options of
        `streams.csv`.
    kind, k, features, exceptions, budget
        As in `boolean.fit_rule`.

    Examples
    --------
    >>> from littlestone import cluster
    >>> rows = [({"wings": 1}, True), ({"legs": 1}, False), ({"wings": 1}, True)]
    >>> print(cluster.fit_rule(rows, "disjunction", shards=2, workers=0))
    wings
    no exception in 3 rows
    """
    if features is not None and not isinstance(features, int):
        features = list(features)
    with engine_for(client, workers) as engine:
        parts, _ = parts_of(engine, data, shards, None, format, options)
        tasks = {
            Task(f"littlestone-rows-{at}", table_of, (shard, held, features)): at
            for at, (shard, held) in enumerate(parts)
        }
        tables = gathered(engine, tasks)
    table = joined([each for each in tables if each is not None])
    if not table.features:
        raise ParameterError(
            "examples must have at least one feature, got 0", owner="fit_rule"
        )
    return fit_rule_here(table, (), kind, k, exceptions=exceptions, budget=budget)


def table_of(shard: Shard, held: Any, features: Any) -> Table | None:
    """Return the rows of a shard as sets; None if it is empty."""
    from littlestone.boolean import KDNFLearner  # noqa: PLC0415 - any learner of rules

    (filled,) = _filled([shard], [held])
    try:
        examples = list(filled.open(KDNFLearner(1)))
    except EmptyStreamError:
        return None
    if not examples:
        return None
    rows = [x for x, _ in examples]
    labels = [y for _, y in examples]
    if features is None and not any(rows):  # no feature is true in any of them
        yes = read("fit_rule", [[1]] * len(rows), labels, None).yes
        return Table((), (), yes, range(len(rows)))
    return read("fit_rule", rows, labels, features)


def estimate(
    learner: Learner,
    data: Any,
    delta: float = 0.05,
    *,
    client: Any = None,
    workers: int | None = None,
    shards: int | None = None,
    label: str | int | None = None,
    format: str | None = None,  # noqa: A002 - as `streams.open` calls it
    **options: Any,
) -> Estimate:
    """Bound the risk of a learner from its mistakes on fresh examples.

    The learner is tested, not taught. Mistakes add up, so the interval is that of one
    machine.

    Parameters
    ----------
    learner
        A learner that has learned.
    data, client, workers, shards, label, format, options
        As in `run`.
    delta
        The probability of failure.

    Examples
    --------
    >>> from littlestone import cluster
    >>> from littlestone.linear import Perceptron
    >>> examples = [({"a": 1.0}, True)] * 100
    >>> found = cluster.estimate(Perceptron(), examples, workers=0)
    >>> found.low, round(found.high, 5)
    (0.0, 0.03622)
    """
    with engine_for(client, workers) as engine:
        parts, _ = parts_of(engine, data, shards, label, format, options)
        state = engine.share(packed(learner))
        tasks = {
            Task(f"littlestone-test-{at}", test_shard, (state, shard, held)): at
            for at, (shard, held) in enumerate(parts)
        }
        counted = gathered(engine, tasks)
    rounds = sum(each[0] for each in counted)
    if not rounds:
        raise EmptyStreamError("some shard must have examples, got none")
    mistakes = sum(each[1] for each in counted)
    return estimate_here(Fraction(mistakes, rounds), n=rounds, delta=delta)


def test_shard(state: bytes, shard: Shard, held: Any) -> tuple[int, int]:
    """Return the rounds and the mistakes of a learner that is not taught."""
    learner = learner_of(state)
    (filled,) = _filled([shard], [held])
    try:
        record = run(learner, filled.open(learner), learn=False, keep="nothing")
    except EmptyStreamError:
        return 0, 0
    return record.rounds, record.mistakes
