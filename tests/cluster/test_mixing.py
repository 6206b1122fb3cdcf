"""Mixing gives the same bits everywhere, and its theorems hold."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cluster_worlds import MIXED
from data import data_file
from littlestone import cluster, run, streams, theorems
from littlestone.boolean import ConjunctionLearner, DecisionListLearner
from littlestone.catalogue import CATALOGUE, Entry
from littlestone.cluster import _mixing, merge, play_block
from littlestone.cluster._core import other_for
from littlestone.cluster._exact import EXACT
from littlestone.cluster._shards import MemoryShard
from littlestone.cluster._travel import arrived, begun, learner_of, packed, sent
from littlestone.errors import ParameterError
from littlestone.experts import (
    AdaHedge,
    ExponentialWeights,
    RandomizedWeightedMajority,
)
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    BalancedWinnow,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    VovkAzouryWarmuth,
)


def _mixed(name: str, **options: Any) -> tuple[Any, cluster.ClusterRecord]:
    make, data = MIXED[name]
    learner = make()
    return learner, cluster.run(learner, data, **options)


# What is mixed ----------------------------------------------------------------


def test_weights_are_mixed_in_proportion_to_mistakes() -> None:
    data = [({"a": 1.0}, False), ({"a": 1.0}, False), ({"b": 4.0}, False)]
    data += [({"c": 4.0}, False)]
    learner = Perceptron()
    record = cluster.run(learner, data, shards=2, workers=0)
    # One mistake on a; one on b and one on c.
    assert [epoch.weights for epoch in record.epochs] == [(1, 2)]
    third = 1 / 3
    assert learner.weights_["a"] == -third
    assert learner.weights_["b"] == learner.weights_["c"] == -8 / 3


def test_equal_shares_are_equal() -> None:
    data = [({"a": 1.0}, False), ({"a": 1.0}, False), ({"b": 4.0}, False)]
    learner = Perceptron()
    cluster.run(learner, data, shards=3, workers=0, mix="uniform")
    assert learner.weights_ == {"a": -2 / 3, "b": -4 / 3}


def test_what_no_shard_changes_keeps_its_bits() -> None:
    learner = PassiveAggressive()
    learner.learn_one({"a": 3.0, "b": 1.0}, True)
    before = learner.weights_["a"]
    cluster.run(learner, [({"c": 1.0}, False)] * 3, shards=3, workers=0, epochs=5)
    assert learner.weights_["a"] == before


def test_logarithms_are_mixed_and_weights_follow() -> None:
    learner = BalancedWinnow(rate=0.5)
    data = [({"a": 1.0}, False), ({"b": 1.0}, False)]
    cluster.run(learner, data, shards=2, workers=0)
    assert learner.weights_["a"] == pytest.approx(math.sinh(-0.25), abs=1e-16)
    # It goes on as one that has the logarithm -1/4.
    learner.learn_one({"a": 1.0}, True)
    assert learner.weights_["a"] == pytest.approx(math.sinh(0.25), abs=1e-16)


def test_the_mean_of_all_vectors_stays_the_mean() -> None:
    """Two shards of one epoch: the mean over all rounds of both."""
    parts = [
        [({"a": 1.0}, False), ({"a": 1.0}, False)],
        [({"b": 2.0}, False), ({"b": 1.0}, True), ({"b": 1.0}, True)],
    ]
    learner = AveragedPerceptron()
    data = [part for parts_ in parts for part in parts_]
    states = [play_block(packed(learner), MemoryShard(0, part)) for part in parts]
    made = learner_of(merge([s for s, _ in states], [1, 2], packed(learner)))
    # a: -1 after each of 2 rounds; b: -2, -1, 0 after 3; 5 rounds in all.
    assert len(data) == 5
    assert made.weights_["a"] == pytest.approx(-2 / 5)  # type: ignore[attr-defined]
    assert made.weights_["b"] == pytest.approx(-3 / 5)  # type: ignore[attr-defined]


def test_losses_are_mixed() -> None:
    make, data = MIXED["hedge"]
    learner = make()
    record = cluster.run(learner, data, shards=2, workers=0, mix="uniform")
    alone = [make(), make()]
    X, y = data
    run(alone[0], list(zip(X[:40].tolist(), y[:40].tolist(), strict=True)))
    run(alone[1], list(zip(X[40:].tolist(), y[40:].tolist(), strict=True)))
    for expert in range(4):
        mean = sum(each.losses_[expert] for each in alone) / 2
        assert learner.losses_[expert] == pytest.approx(mean)
    assert learner.loss_ == pytest.approx(float(record.weighted("loss")))


# How often ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", MIXED)
def test_a_mixture_is_where_the_next_stretch_begins(name: str) -> None:
    """An epoch of two mixtures is two epochs, over one half of the data each."""
    make, data = MIXED[name]
    rows = list(zip(*data, strict=True)) if isinstance(data, tuple) else list(data)
    half = len(rows) // 6 * 3
    learner, by_hand = make(), make()
    record = cluster.run(learner, rows[: 2 * half], shards=3, mixes=2, workers=0)
    for some in (rows[:half], rows[half : 2 * half]):
        cluster.run(by_hand, some, shards=3, mixes=1, workers=0)
    assert packed(learner) == packed(by_hand)
    assert [len(epoch.tallies) for epoch in record.epochs] == [6]
    assert sum(record.epochs[0].shares[:3]) == sum(record.epochs[0].shares[3:]) == 1


def test_another_epoch_begins_another_mean() -> None:
    parts = [({"a": 1.0}, False)] * 2 + [({"b": 1.0}, False), ({"c": 1.0}, False)]
    learner = AveragedPerceptron()
    cluster.run(learner, parts, shards=2, epochs=2, workers=0)
    # One mistake on a counts once, one on b and one on c twice; then there are none, so
    # that all vectors of the second epoch are the one with which it began.
    third = 1 / 3
    expected = {"a": -third, "b": -2 * third, "c": -2 * third}
    assert learner.weights_ == pytest.approx(expected)
    alone = AveragedPerceptron()
    cluster.run(alone, parts, shards=1, epochs=2, workers=0)
    two = AveragedPerceptron()
    for _ in range(2):
        run(two, parts)
    assert packed(alone) == packed(two)  # one machine has the mean of all epochs


def test_few_examples_are_mixed_more_often_unasked() -> None:
    rows = [({k % 7: 1.0}, k % 3 > 0) for k in range(1600)]

    def often(rows: Any, **options: Any) -> tuple[int, int]:
        record = cluster.run(Perceptron(), rows, workers=0, **options)
        return record.epochs[0].mixes, len(record.shards)

    assert often(rows, shards=2) == (4, 8)
    assert often(rows, shards=2, mixes=1) == (1, 2)
    assert often(rows, shards=16) == (4, 64)
    assert often(rows, shards=17) == (1, 17)  # fewer than 100 each
    assert often(rows * 2, shards=3) == (1, 3)  # 1,000 and more
    assert often(rows) == (1, 1)  # too few for shards, unless asked


def test_the_price_says_how_many_shards_are_mixed_at_a_time() -> None:
    rows = [({k % 7: 1.0}, k % 3 > 0) for k in range(1600)]
    record = cluster.run(Perceptron(), rows, shards=2, workers=0)
    assert "2 shards at a time, mixed 4 times an epoch: at most 2 times" in record.price
    assert record.to_dict()["mixes"] == 4
    one = cluster.run(Perceptron(), rows, shards=1, mixes=4, workers=0)
    assert one.price == "4 shards: the learner is what one machine would have made"
    alone = Perceptron()
    assert run(alone, rows).mistakes == one.mistakes


def test_how_often_must_be_possible() -> None:
    rows = [({"a": 1.0}, True)] * 3
    for mixes in (0, -1, 1.5, True):
        with pytest.raises(ParameterError, match="mixes must be"):
            cluster.run(Perceptron(), rows, mixes=mixes, workers=0)  # type: ignore[arg-type]  # to be refused
    with pytest.raises(ParameterError, match=r"a shard for each mixture, got 3 shards"):
        cluster.run(Perceptron(), rows, mixes=4, workers=0)
    with pytest.raises(ParameterError, match="merges exactly, and takes no mixes"):
        cluster.run(ConjunctionLearner(), rows, mixes=1, workers=0)


@pytest.mark.parametrize(
    "learner", [PassiveAggressive(), AveragedPerceptron(bias=1.0)], ids=repr
)
def test_eight_shards_of_few_examples_do_as_well_as_one_machine(learner: Any) -> None:
    """Three epochs over a thousand rows of text, on the mean of ten random splits."""
    rows = [
        example
        for name in ("rcv1_small", "rcv1_small_test")
        for example in streams.open(data_file(f"vw-rcv1-small/{name}.vw.gz"))
    ]
    more = []
    for seed in range(10):
        order = np.random.default_rng(seed).permutation(len(rows))
        train = [rows[at] for at in order[:1000]]
        test = [rows[at] for at in order[1000:]]
        errors = []
        for shards in (8, 1):
            made = learner.clone()
            cluster.run(made, train, shards=shards, epochs=3, workers=0)
            errors.append(run(made, test, learn=False, keep="nothing").rate)
        more.append(errors[0] - errors[1])
    assert np.mean(more) <= 0.005


# The same bits everywhere ------------------------------------------------------------


@pytest.mark.parametrize("name", MIXED)
@pytest.mark.parametrize("shards", [1, 2, 7])
def test_one_shard_is_a_plain_run_and_more_separate_as_well(
    name: str, shards: int
) -> None:
    make, data = MIXED[name]
    learner, record = _mixed(name, shards=shards, workers=0, epochs=2)
    assert len(record.shards) == shards
    if shards == 1:
        alone = make()
        rows = list(zip(*data, strict=True)) if isinstance(data, tuple) else data
        run(alone, [*rows, *rows])
        assert packed(learner) == packed(alone)


def test_workers_do_not_matter(client: Any, pool: cluster.Processes) -> None:
    for name in ("perceptron, names", "averaged", "balanced winnow", "hedge"):
        states = [
            packed(_mixed(name, shards=7, epochs=2, **where)[0])
            for where in ({"workers": 0}, {"client": pool}, {"client": client})
        ]
        assert states[0] == states[1] == states[2]


def test_the_order_of_arrival_does_not_matter() -> None:
    make, data = MIXED["PA-I"]
    begun = packed(make())
    parts = [MemoryShard(k, data[k * 20 : k * 20 + 20]) for k in range(8)]
    forwards = {k: play_block(begun, parts[k]) for k in range(8)}
    backwards = {k: play_block(begun, parts[k]) for k in reversed(range(8))}
    made = [
        merge([each[k][0] for k in range(8)], [1] * 8, begun)
        for each in (forwards, backwards)
    ]
    assert made[0] == made[1]


@pytest.mark.parametrize("name", [n for n in MIXED if n not in ("hedge", "absolute")])
def test_changes_travel_as_whole_states_do(name: str) -> None:
    make, data = MIXED[name]
    rows = list(zip(*data, strict=True)) if isinstance(data, tuple) else data
    before = make()
    run(before, rows[:100])
    after = learner_of(packed(before))
    run(after, rows[100:105])
    run(after, [({"new": 1.0, 77: 2.0}, y) for y in (True, False)])
    state = arrived(begun(before), sent(begun(before), after))
    copy = make()
    copy.load_state(state)
    assert packed(copy) == packed(after)


def test_a_small_change_of_a_large_model_travels_alone() -> None:
    before = Perceptron()
    for k in range(3000):
        before.learn_one({k: 1.0, f"name{k}": 1.0}, False)
    after = learner_of(packed(before))
    after.learn_one({5: -1.0, "name7": -1.0}, False)
    raw = sent(begun(before), after)
    assert len(raw) < len(packed(after)) / 20
    copy = Perceptron()
    copy.load_state(arrived(begun(before), raw))
    assert packed(copy) == packed(after)


# What the theorems say ---------------------------------------------------------------


@settings(max_examples=20)
@given(st.integers(1, 6), st.integers(1, 5), st.sampled_from(["mistakes", "uniform"]))
def test_the_price_is_attained(n: int, shards: int, mix: Any) -> None:
    """Equal shards of unit vectors: S times the bound of one machine."""
    data = [({k: 1.0}, False) for _ in range(shards) for k in range(n)]
    record = cluster.run(Perceptron(), data, shards=shards, workers=0, mix=mix)
    bound = theorems.MIX_PERC.bound(
        radius=1, margin=1, norm=math.nextafter(math.sqrt(n), 9)
    )
    assert record.weighted("updates") == n <= bound <= n + 1e-9
    assert record.mistakes == shards * n
    aggressive = cluster.run(
        PassiveAggressive(mode=None), data, shards=shards, workers=0, mix=mix
    )
    assert aggressive.weighted("mistakes") == n
    assert aggressive.mistakes == shards * n


def test_the_price_of_forecasts_is_attained() -> None:
    advice = [([1.0 - 1e-9, 1e-9, 1e-9, 1e-9], 1.0)] * 3
    learner = ExponentialWeights(1.0, "log")
    record = cluster.run(learner, advice, shards=3, workers=0)
    assert record.bound is not None
    regret = float(record.weighted("loss")) - learner.losses_[0]
    assert 0.99 * math.log(4) < regret <= math.log(4)
    assert record.loss == pytest.approx(3 * math.log(4), rel=0.01)


_MARGIN = 0.05


@settings(max_examples=40)
@given(st.data())
def test_separable_data_obey_the_bound(data: st.DataObject) -> None:
    rows = data.draw(
        st.lists(
            st.tuples(*[st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])] * 3), max_size=30
        )
    )
    u = np.array([0.6, -0.8, 0.0])
    stream = [
        ({k: x for k, x in enumerate(row) if x}, bool(np.dot(u, row) > 0))
        for row in rows
        if abs(np.dot(u, row)) >= _MARGIN
    ]
    if not stream:
        return
    mix: Any = data.draw(st.sampled_from(["mistakes", "uniform"]))
    record = cluster.run(
        Perceptron(),
        stream,
        shards=data.draw(st.integers(1, 5)),
        epochs=data.draw(st.integers(1, 4)),
        workers=0,
        mix=mix,
        declare={"margin": _MARGIN, "radius": math.sqrt(3) + 1e-9},
    )
    assert record.bound is not None
    assert record.weighted("updates") <= record.bound
    many = sum(tally.rounds > 0 for tally in record.epochs[0].tallies)
    assert record.updates <= many * record.weighted("updates")


def test_mixing_once_may_fail_where_iterating_separates() -> None:
    """McDonald, Hall and Mann (2010), theorem 2: shards that agree on nothing else.

    Played until each is separated, the shards end with (3, -1, 1) and (0, -2, 0), and
    no mixture of the two is right on all four examples, though (1, -1, 1) is.
    """
    one = [([0.0, 1.0, 2.0], True), ([-1.0, 1.0, 1.0], False)]
    two = [([-1.0, 0.0, 2.0], True), ([0.0, 2.0, 0.0], False)]

    def errs(data: list[Any], epochs: int, mix: Any) -> int:
        learner = Perceptron()
        cluster.run(learner, data, shards=2, epochs=epochs, workers=0, mix=mix)
        return run(learner, one + two, learn=False).mistakes

    for mix in ("mistakes", "uniform"):
        assert errs(one * 20 + two * 20, 1, mix) > 0
        assert errs(one + two, 60, mix) == 0


def test_the_record_states_the_price() -> None:
    _, record = _mixed("perceptron", shards=4, workers=0, epochs=2)
    assert record.price.startswith(
        "4 shards: at most 4 times the bound of one machine; this run: "
    )
    plain = record.to_dict()
    assert plain["price"] == record.price
    assert len(plain["epochs"]) == 2
    assert plain["epochs"][0]["shards"][0]["weight"] > 0


def test_the_price_warns_of_shards_with_few_examples() -> None:
    def price(rows: int, shards: int, learner: Any) -> str:
        data = [({"a": 1.0}, True), ({"b": 1.0}, False)] * (rows // 2)
        return cluster.run(learner, data, shards=shards, workers=0).price

    few = "obeys it; fewer than 1,000 examples a shard often cost accuracy"
    assert few in price(1998, 2, Perceptron())
    assert few not in price(2000, 2, Perceptron())
    one = "1 shard: the learner is what one machine would have made"
    assert price(20, 1, Perceptron()) == one
    assert "fewer" not in price(20, 4, ConjunctionLearner())


def test_the_live_bound_names_what_is_vacuous() -> None:
    data = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 3
    declared = {"margin": 0.5, "radius": 1}
    record = cluster.run(Perceptron(), data, shards=2, workers=0, declare=declared)
    assert record.bound == 4
    assert "1 weighted updates of at most 4 (vacuous" in repr(record)
    fresh = Perceptron()
    fresh.learn_one({"a": 1.0}, False)
    later = cluster.run(fresh, data, shards=2, workers=0, declare=declared)
    assert later.bound is None


# What is refused ------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "why"),
    [
        (AROW(), "a determinant, .*; those of AveragedPerceptron can; play"),
        (SecondOrderPerceptron(), "a determinant"),
        (AdaHedge(), "its rate depends .*; those of ExponentialWeights can; play"),
        (DecisionListLearner(), "the levels .*; those of AveragedPerceptron can; play"),
        (
            RandomizedWeightedMajority(),
            "covers it; those of WeightedMajority can",
        ),
        (
            MulticlassPerceptron(),
            "no theorem covers it; play the stream on one machine",
        ),
        (VovkAzouryWarmuth(), "covers it; play the stream on one machine"),
    ],
)
def test_learners_without_a_theorem(learner: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why) as refused:
        cluster.run(learner, [({"a": 1.0}, True)], workers=0)
    assert "cluster.race" in str(refused.value)


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.class_name)
def test_what_a_refusal_names_is_not_refused(entry: Entry) -> None:
    with suppress(TypeError):  # of those that need parameters
        other = other_for(entry.load()())
        names = {each.__name__ for each in (*EXACT, *_mixing.MIXED)}
        assert other is None or other in names


def test_sleeping_experts_are_refused() -> None:
    data = [({"ann": 0.5, "bob": 0.25}, 1.0), ({"ann": 0.5}, 1.0)] * 3
    learner = ExponentialWeights(experts=["ann", "bob"])
    with pytest.raises(ParameterError, match="no expert may sleep"):
        cluster.run(learner, data, shards=2, workers=0)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"mix": "best"}, "mix must be"),
        ({"shards": 0}, "shards must be a whole number above 0, got 0"),
        ({"workers": -1}, "workers must be a whole number from 0 on, got -1"),
        ({"epochs": 0}, "epochs must be"),
        ({"on_error": "hope"}, "on_error must be"),
        ({"recount": True}, "recount is for learners that merge exactly"),
    ],
)
def test_illegal_options(options: Any, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        cluster.run(Perceptron(), [({"a": 1.0}, True)], **{"workers": 0, **options})


def test_weights_must_be_whole_numbers() -> None:
    state = packed(Perceptron())
    with pytest.raises(ParameterError, match="weights must be one whole number"):
        merge([state, state], [1, -1], state)
    with pytest.raises(ParameterError, match="at least one state"):
        merge([])
