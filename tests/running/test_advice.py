"""A run keeps the advice of every round, if asked to, however it is played."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from littlestone import Record, Recorder, models, run, streams
from littlestone.errors import ExampleError, ParameterError
from littlestone.experts import (
    BOA,
    AdaHedge,
    Committee,
    ExponentialWeights,
    FixedShare,
    Halving,
    MLPoly,
    WeightedMajority,
)
from littlestone.learner.advice import as_advice
from littlestone.linear import Perceptron
from littlestone.running import Batch
from littlestone.running.bounds import Promises
from littlestone.running.watch import Watch
from littlestone.streams import _advice as blocks_of_advice

RNG = np.random.default_rng(3)
F, Y = RNG.random((30, 3)), RNG.random(30)
NAMES = ["ann", "bob", "cy"]
ROWS = [
    (dict(zip(NAMES, row, strict=True)), y)
    for row, y in zip(F.tolist(), Y.tolist(), strict=True)
]


@pytest.mark.parametrize(
    "stream",
    [
        streams.advice(pd.DataFrame(F, columns=NAMES), Y),
        ROWS,
        [(dict(reversed(x.items())), y) for x, y in ROWS],
        [(pd.Series(x)[::-1], y) for x, y in ROWS],
        [(list(x.values()), y) for x, y in ROWS],
    ],
    ids=["blocks", "mappings", "in another order", "series", "rows"],
)
def test_it_is_kept_in_every_way_of_playing(stream: Any) -> None:
    learner = ExponentialWeights(0.5, experts=NAMES)
    kept = run(learner, stream, keep="advice").advice
    assert kept is not None
    assert kept.experts == ("ann", "bob", "cy")
    assert kept.predictions.tolist() == F.tolist()
    assert kept.outcomes.tolist() == Y.tolist()
    assert len(kept) == 30


def test_experts_without_names_are_known_by_position() -> None:
    kept = run(ExponentialWeights(0.5), [([1.0, 2.0], 1.0)], keep="advice").advice
    assert kept is not None
    assert (kept.experts, kept.predictions.tolist()) == ((0, 1), [[1.0, 2.0]])


def test_who_is_not_there_sleeps_also_before_joining() -> None:
    learner = MLPoly(experts=["ann", "bob"])
    recorder = Recorder(learner, keep="advice")
    recorder.told(recorder.predicted({"bob": 2.0}), 1.0)
    learner.join("cy")
    recorder.told(recorder.predicted({"ann": 1.0, "cy": 3.0}), 1.0)
    kept = recorder.record().advice
    assert kept is not None
    nan = float("nan")
    expected = [[nan, 2.0, nan], [1.0, nan, 3.0]]
    np.testing.assert_array_equal(kept.predictions, expected)
    recorder.told(recorder.predicted([4.0, 5.0, 6.0]), 1.0)
    kept = recorder.record().advice
    assert kept is not None
    np.testing.assert_array_equal(kept.predictions, [*expected, [4.0, 5.0, 6.0]])
    assert kept.outcomes.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("no", [0, -1, False])
def test_labels_are_one_and_zero(no: Any) -> None:
    stream = [([1, no, -1], no), ([True, 0, 1], 1)]
    for learner in (WeightedMajority(), Halving()):
        kept = run(learner, stream, keep="advice").advice
        assert kept is not None
        assert kept.predictions.tolist() == [[1, 0, 0], [1, 0, 1]]
        assert kept.outcomes.tolist() == [0, 1]


def test_distributions_are_kept() -> None:
    P = [[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]]] * 2
    learner = ExponentialWeights(1.0, "log")
    kept = run(learner, streams.advice(P, [0, 1]), keep="advice").advice
    assert kept is not None
    assert kept.predictions.tolist() == P


def test_every_pass_is_kept() -> None:
    kept = run(ExponentialWeights(0.5), ROWS, passes=2, keep="advice").advice
    assert kept is not None
    assert kept.predictions.tolist() == [*F.tolist(), *F.tolist()]


@pytest.mark.parametrize(
    "stream",
    [streams.advice(pd.DataFrame(F, columns=NAMES), Y), ROWS],
    ids=["blocks", "rounds"],
)
def test_a_run_that_resumes_keeps_all_of_it(tmp_path: Path, stream: Any) -> None:
    def interrupt(batch: Any) -> None:
        if batch.first >= 15:
            raise KeyboardInterrupt

    path = tmp_path / "m.lst"
    options: Any = {"checkpoint_every": 5, "keep": "advice"}
    with pytest.raises(KeyboardInterrupt):
        models.run(ExponentialWeights(0.5), stream, path, **options, observe=interrupt)
    record = models.run(ExponentialWeights(0.5), stream, path, **options, resume=True)
    assert record.advice is not None
    assert record.advice.predictions.tolist() == F.tolist()
    assert record.advice.outcomes.tolist() == Y.tolist()


def test_it_is_kept_only_if_asked_for() -> None:
    assert run(ExponentialWeights(0.5), ROWS, keep="updates").advice is None


def test_the_digest_is_taken_as_with_updates() -> None:
    kept = run(ExponentialWeights(0.5), ROWS, keep="advice")
    assert kept.digest == run(ExponentialWeights(0.5), ROWS, keep="updates").digest


@pytest.mark.parametrize("learner", [Perceptron(), Committee([Perceptron()])])
def test_a_learner_without_advice_has_none_to_keep(learner: Any) -> None:
    with pytest.raises(ParameterError, match="keep='advice' needs a learner that take"):
        run(learner, [], keep="advice")


def both_ways(
    learner: Any, values: NDArray[np.float64], y: NDArray[np.float64]
) -> tuple[Record, Record]:
    """Return the records of a run over a matrix, and of one over its rows."""
    rows = [
        ({at: p for at, p in enumerate(row) if not math.isnan(p)}, outcome)
        for row, outcome in zip(values.tolist(), y.tolist(), strict=True)
    ]
    names = list(range(values.shape[1]))
    learner = learner.clone().set_params(experts=names)
    frame = pd.DataFrame(values, columns=names)
    block = run(learner.clone(), streams.advice(frame, y, missing="sleep"))
    return block, run(learner, rows)


@pytest.mark.parametrize(
    "learner",
    [
        ExponentialWeights(0.5, "square"),
        AdaHedge("absolute"),
        MLPoly("square", range=(0.0, 1.0)),
        FixedShare(0.5, 0.01, "square"),
        BOA("square", range=(0.0, 1.0)),
    ],
    ids=repr,
)
def test_looks_while_a_block_is_played_see_what_looks_between_rounds_see(
    learner: Any,
) -> None:
    rng = np.random.default_rng(0)
    values, y = rng.random((700, 3)), rng.random(700)
    values[300, 1] = math.nan  # from then on other theorems hold
    block, single = both_ways(learner, values, y)
    assert block.curve == single.curve
    assert block.weight_curve() == single.weight_curve()
    assert block == single


def test_a_crowd_is_looked_at_less_often() -> None:
    rng = np.random.default_rng(0)
    values, y = rng.random((160, 5_000)), rng.random(160)
    block, single = both_ways(ExponentialWeights(0.5, "square"), values, y)
    assert block.curve == single.curve
    seen = [point.rounds for point in block.curve if point.regret is not None]
    assert seen == [64, 128, 160]


def test_the_curve_of_a_later_run_has_the_regret_since_it_began() -> None:
    rng = np.random.default_rng(3)
    learner = ExponentialWeights(0.5, "square")
    run(learner, streams.advice(rng.random((50, 3)), np.zeros(50)))
    for rounds in (1, 40):
        later = run(learner, streams.advice(rng.random((rounds, 3)), np.ones(rounds)))
        assert later.regrets is not None
        assert later.curve[-1].regret == pytest.approx(max(later.regrets.values()))


def test_what_was_seen_before_a_refused_round_is_kept() -> None:
    rng = np.random.default_rng(0)
    values, y = rng.random((600, 3)), rng.random(600)
    y[450] = 9.0  # the loss leaves its range
    learner = ExponentialWeights(0.5, "square", range=(0.0, 1.0))
    stream = streams.advice(values, y)
    record = run(learner, stream, on_error="skip")
    rest = np.delete(np.arange(600), 450)
    clean = run(learner.clone(), streams.advice(values[rest], y[rest]))
    assert record.rounds == 599
    assert [p for p in record.curve if p.regret is not None] == [
        p for p in clean.curve if p.regret is not None
    ]


def test_a_first_round_that_is_refused_is_told_though_experts_may_sleep() -> None:
    stream = streams.advice([[0.5, math.nan]], [1.0], missing="sleep")
    with pytest.raises(ExampleError, match="expert 0 must predict True/1"):
        run(WeightedMajority(), stream)


# Looks ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: ExponentialWeights(0.5),
        lambda: AdaHedge("absolute", range=(0, 1)),
        lambda: FixedShare(0.5, 0.1),
        lambda: ExponentialWeights(0.5, experts={"a": 0.5, "b": 0.3, "c": 0.2}),
    ],
)
def test_bounds_are_those_of_their_round_whenever_they_are_read(make: Any) -> None:
    rng = np.random.default_rng(4)
    forecasts = pd.DataFrame(rng.random((3_000, 3)), columns=["a", "b", "c"])
    outcomes = rng.random(3_000)
    learner = make()
    blocks = run(learner, streams.advice(forecasts, outcomes))
    learner.join("late", 0.5)
    learner.learn_one({"a": 0.0, "late": 1.0}, 0.0)  # the others sleep
    learner.set_params()  # it forgets all
    stream = streams.advice(forecasts, outcomes)
    copy = pickle.loads(pickle.dumps(run(make(), stream)))  # noqa: S301 - our own
    one_by_one = run(make(), list(stream))
    assert blocks.curve == one_by_one.curve == copy.curve
    assert blocks.weight_curve() == one_by_one.weight_curve()
    assert any(point.bound is not None for point in blocks.curve)


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("size", [70, 700])
def test_blocks_are_looked_at_alike_whether_or_not_somebody_reads_meanwhile(
    monkeypatch: pytest.MonkeyPatch, size: int, observed: bool
) -> None:
    monkeypatch.setattr(blocks_of_advice, "_ROUNDS_A_BLOCK", size)
    rng = np.random.default_rng(4)
    values, y = rng.random((2_000, 3)), rng.random(2_000)
    learner, seen = ExponentialWeights(0.5, range=(0, 1)), []

    def observe(batch: Batch) -> None:
        if observed:
            seen.append(batch.standing(len(batch) - 1).regret)

    record = run(learner, streams.advice(values, y), observe=observe)
    one_by_one = run(learner.clone(), [*zip(values.tolist(), y.tolist(), strict=True)])
    assert record.curve == one_by_one.curve
    assert record.weight_curve() == one_by_one.weight_curve()
    assert len(seen) == (-(-2_000 // size) if observed else 0)
    assert all(regret is not None for regret in seen)


def test_looks_that_were_taken_do_not_see_later_rounds() -> None:
    rng = np.random.default_rng(4)
    values, y = rng.random((1_000, 3)), rng.random(1_000)
    learner = ExponentialWeights(0.5, range=(0, 1))
    watch = Watch(learner, Promises.of(learner))

    def play(first: int, last: int) -> None:
        some, outcomes = as_advice(values[first:last]), y[first:last]
        looks, said = watch.looks(last - first, 3), np.empty(last - first)
        learner.play_advice(
            some, outcomes, said, said.copy(), range(last - first), looks=looks
        )
        watch.seen(looks, last - first)

    play(0, 21)
    early, _ = watch.samples()
    play(21, 60)
    play(60, 1_000)
    late, _ = watch.samples()
    assert list(early) == list(range(1, 22))
    assert list(late) == [*range(8, 1_000, 8), 1_000]
    known = [early[at].known for at in (1, 21)]
    assert [k.numbers["rounds"] for k in known if k is not None] == [1, 21]


def test_a_dict_may_have_the_names_in_any_order_and_as_other_strings() -> None:
    learners = [ExponentialWeights(0.5, experts=NAMES) for _ in range(3)]
    for x, y in ROWS:
        ours, reversed_, other = learners
        said = ours.play_one(x, y)
        assert reversed_.play_one(dict(reversed(x.items())), y) == said
        assert other.play_one({"".join([*name]): p for name, p in x.items()}, y) == said
    learner = learners[0]
    before = learner.save_state()["state"]
    ann, bob, cy = NAMES
    for bad in (
        {ann: 0.1, bob: math.nan, cy: 0.2},
        {ann: 0.1, bob: "0.5", cy: 0.2},
        {ann: 0.1, "stranger": 0.5, cy: 0.2},
    ):
        with pytest.raises(ExampleError):
            learner.play_one(bad, 0.5)
    for old, new in zip(before, learner.save_state()["state"], strict=True):
        assert old.tolist() == new.tolist()
    assert 0 <= learner.play_one({ann: 0.5, bob: True, cy: 0}, 0.5) <= 1
