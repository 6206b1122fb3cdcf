"""What merges exactly is what one machine makes, whatever the shards and workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster_worlds import EXACT
from littlestone import cluster, run, streams
from littlestone.boolean import (
    ConjunctionLearner,
    KCNFLearner,
    VersionSpaceLearner,
    fit_rule,
)
from littlestone.cluster import _run, merge, play_block
from littlestone.cluster._engines import Here, Task
from littlestone.cluster._shards import MemoryShard
from littlestone.cluster._travel import learner_of, packed
from littlestone.concepts import Conjunction
from littlestone.errors import FeatureError, ParameterError
from littlestone.experts import Halving
from littlestone.linear import Perceptron
from littlestone.running.inputs import Needs, as_stream

_COUNT_OWN = ("halving", "weighted majority")  # mistakes of their own


def _alone(name: str) -> tuple[Any, Any]:
    make, data = EXACT[name]
    learner = make()
    record = run(learner, as_stream("run", data, None, Needs.of(learner)))
    return learner, record


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("shards", [1, 2, 7])
def test_the_model_is_that_of_one_machine(name: str, shards: int) -> None:
    one, record = _alone(name)
    make, data = EXACT[name]
    learner = make()
    found = cluster.run(learner, data, shards=shards, workers=0)
    assert found.rounds == record.rounds
    if name in _COUNT_OWN:
        assert learner.weights_ == one.weights_
        assert learner.losses_ == one.losses_
    else:
        assert packed(learner) == packed(one)


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("shards", [5])
def test_a_recount_counts_as_one_machine_does(name: str, shards: int) -> None:
    one, record = _alone(name)
    make, data = EXACT[name]
    learner = make()
    found = cluster.run(learner, data, shards=shards, workers=0, recount=True)
    assert (found.mistakes, found.rounds) == (record.mistakes, record.rounds)
    assert packed(learner) == packed(one)


def test_a_recount_finds_the_example_that_no_rule_fits() -> None:
    stream: list[tuple[Any, bool]] = [({"a": 1, "b": 1}, True), ({"a": 1}, True)]
    stream += [({"b": 1, "c": 1}, False), ({"a": 1}, False)] * 3
    with pytest.warns(Warning, match="no conjunction fits"):
        run(one := ConjunctionLearner(), stream)
    cluster.run(two := ConjunctionLearner(), stream, shards=4, workers=0, recount=True)
    assert one.unrealizable_ is not None
    assert packed(two) == packed(one)


@settings(max_examples=60)
@given(st.data())
def test_rows_may_be_cut_anywhere_and_merged_in_any_tree(data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1)
    )
    stream = [
        ({"abcd"[j]: 1 for j, x in enumerate(row) if x}, row[0] and not row[2])
        for row in rows
    ]
    cuts = data.draw(st.lists(st.integers(0, len(stream)), max_size=4).map(sorted))
    places = [0, *cuts, len(stream)]
    parts = [stream[a:b] for a, b in pairwise(places)]
    begun = packed(ConjunctionLearner())
    states = [play_block(begun, MemoryShard(0, part))[0] for part in parts]
    while len(states) > 1:
        at = data.draw(st.integers(0, len(states) - 2))
        states[at : at + 2] = [merge(states[at : at + 2])]
    run(one := ConjunctionLearner(), stream)
    assert states[0] == packed(one)


class _InOrder(Here):
    """Runs the tasks as they wait."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def results(self, tasks: deque[Task]) -> Iterator[tuple[Task, Any]]:
        while tasks:
            self.turn(tasks)
            self.names.append(tasks[0].name)
            yield from super().results(deque([tasks.popleft()]))

    def turn(self, tasks: deque[Task]) -> None:
        """Say which task is next."""


class _Shuffled(_InOrder):
    """Runs any task that waits, as if workers were of different speeds."""

    def turn(self, tasks: deque[Task]) -> None:
        rng = np.random.default_rng(len(tasks))
        tasks.rotate(int(rng.integers(len(tasks))))


@pytest.mark.parametrize("name", ["conjunction, names", "consistent", "halving"])
@pytest.mark.parametrize("shards", [7, 40])
def test_the_order_of_arrival_does_not_matter(
    name: str, shards: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, data = EXACT[name]
    learners, engines = [make(), make()], [_InOrder(), _Shuffled()]
    for learner, engine in zip(learners, engines, strict=True):
        monkeypatch.setattr(_run, "engine_for", lambda *_, found=engine: found)
        cluster.run(learner, data, shards=shards)
    assert packed(learners[0]) == packed(learners[1])
    names, shuffled = (engine.names for engine in engines)
    assert sorted(names) == sorted(shuffled) != shuffled
    merges = [at for at, name in enumerate(names) if "merge" in name]
    # Neighbours are merged while others still wait to be played.
    assert merges == ([16, 33, 42] if shards == 40 else [])


def test_shards_join_only_while_there_is_room() -> None:
    one, two = KCNFLearner(8), KCNFLearner(8)
    one.learn_one(dict.fromkeys(range(20), 1), True)
    two.learn_one(dict.fromkeys(range(20, 40), 1), True)
    before = packed(one)
    with pytest.raises(FeatureError, match=r"at most 2\*\*32 clauses"):
        one.join_state(two.save_state())
    assert packed(one) == before


def test_workers_do_not_matter(client: Any, pool: cluster.Processes) -> None:
    for name in ("k-cnf", "weighted majority"):
        make, data = EXACT[name]
        found = []
        for where in ({"workers": 0}, {"client": pool}, {"client": client}):
            learner = make()
            cluster.run(learner, data, shards=20, **where)  # more than one task merges
            found.append(packed(learner))
        assert found[0] == found[1] == found[2]


def test_a_rule_is_fitted_to_many_shards_as_to_one() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (60, 5))
    y = X[:, 0] & (1 - X[:, 3])
    y[7] ^= 1
    stream = list(streams.onehot([dict(enumerate(row)) for row in X.tolist()], y))
    for kind in ("decision-list", "conjunction"):
        one = fit_rule([x for x, _ in stream], [y for _, y in stream], kind)
        assert cluster.fit_rule(stream, kind, shards=4, workers=0) == one


def test_an_estimate_counts_mistakes_of_a_learner_that_is_not_taught() -> None:
    learner = Perceptron()
    learner.learn_one({"a": 1.0}, False)
    data = [({"a": 1.0}, False)] * 90 + [({"a": 1.0}, True)] * 10
    before = packed(learner)
    found = cluster.estimate(learner, data, shards=3, workers=0)
    assert found.low < 0.1 < found.high
    assert packed(learner) == before


# What is refused ------------------------------------------------------------


def test_what_merges_exactly_begins_with_nothing_and_needs_one_epoch() -> None:
    data = [({"a": 1}, True)] * 3
    with pytest.raises(ParameterError, match="needs one epoch, got 2"):
        cluster.run(ConjunctionLearner(), data, epochs=2, workers=0)
    learner = ConjunctionLearner()
    learner.learn_one({"a": 1}, True)
    with pytest.raises(ParameterError, match="must have learned nothing before"):
        cluster.run(learner, data, workers=0)


def test_a_version_space_without_a_concept_is_refused() -> None:
    concepts = (Conjunction("a"), Conjunction("b"))
    data = [({"a": 1}, True), ({"b": 1}, True)]
    with pytest.raises(ParameterError, match="some concept of the class must fit"):
        cluster.run(VersionSpaceLearner(concepts), data, shards=2, workers=0)


def test_halving_that_begins_again_is_refused() -> None:
    _, data = EXACT["halving"]
    with pytest.raises(ParameterError, match="restart must be False"):
        cluster.run(Halving(restart=True), data, shards=2, workers=0)


def test_shards_with_other_experts_are_refused() -> None:
    data = [({"ann": True}, True), ({"bob": True}, True)]
    with pytest.raises(ParameterError, match="the same experts in the same order"):
        cluster.run(Halving(), data, shards=2, workers=0)


def test_an_exact_learner_travels_as_a_model() -> None:
    learner = ConjunctionLearner()
    learner.learn_one({"a": 1}, True)
    assert packed(learner_of(packed(learner))) == packed(learner)
