"""What learners with advice promise beyond the contract: weights, losses, sleepers."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advice_worlds import ADVISED, AdviceEntry, AdviceWorld, advice_worlds, fixed_advice
from families import bits, snapshot
from families import learned_of_advice as known
from littlestone import experts, losses, run, streams
from littlestone.errors import (
    BusyError,
    ExampleError,
    LabelError,
    LittlestoneError,
    NobodyLeftWarning,
    ParameterError,
)
from littlestone.outcome import Outcome
from tries import some, tried

every = pytest.mark.parametrize("entry", ADVISED, ids=str)
every_weighing = pytest.mark.parametrize(
    "entry", [e for e in ADVISED if not isinstance(e.made, experts.Halving)], ids=str
)


@pytest.fixture(autouse=True)
def _nobody_left() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NobodyLeftWarning)
        yield


def newborn(entry: AdviceEntry, **parameters: Any) -> Any:
    return entry.made.clone().set_params(**parameters)


def played(entry: AdviceEntry, world: AdviceWorld, rounds: int | None = None) -> Any:
    learner = newborn(entry)
    learner.play(world.F[:rounds], world.y[:rounds])
    return learner


@every
def test_experts_that_agree_are_followed_from_birth(entry: AdviceEntry) -> None:
    learner = newborn(entry)
    said = learner.predict_one([entry.says[0]] * 3)
    assert said == pytest.approx(entry.says[0], rel=1e-15)
    assert learner.experts_ == []


@every
def test_a_pickle_knows_names_and_newcomers(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = newborn(entry, experts=[f"e{i}" for i in range(11)])
    learner.play(world.F[:100], world.y[:100])
    learner.join("late")
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert known(copy) == known(learner)
    F = np.column_stack([world.F, world.F[:, 0]])
    assert bits(copy.play(F, world.y)) == bits(learner.play(F, world.y))
    assert known(copy) == known(learner)


# What is played, and what is told of it ----------------------------------------


@every
@tried(0.25)
@given(data=st.data())
def test_every_way_of_feeding_gives_the_same_bits(
    entry: AdviceEntry, data: st.DataObject
) -> None:
    world = data.draw(advice_worlds(entry))
    blocks = newborn(entry)
    said = blocks.play(world.F, world.y) if len(world) else np.empty(0)
    singles, mappings, split = newborn(entry), newborn(entry), newborn(entry)
    one_by_one = [
        singles.play_one(row, y)
        for row, y in zip(world.rows(), world.outcomes(), strict=True)
    ]
    for row, y in zip(world.rows(), world.outcomes(), strict=True):
        mappings.learn_one(dict(reversed([*enumerate(row)])), y)
    middle = data.draw(st.integers(0, len(world)))
    for part in (slice(None, middle), slice(middle, None)):
        split.partial_fit(world.F[part], world.y[part])
    assert bits(one_by_one) == bits(said)
    if len(world):
        assert known(singles) == known(blocks) == known(split)
        assert sorted(mappings.experts_) == blocks.experts_


@pytest.mark.parametrize("entry", some(ADVISED, 2), ids=str)
def test_arrays_frames_and_files_give_the_same_bits(
    entry: AdviceEntry, tmp_path: Path
) -> None:
    world = fixed_advice(entry)
    names = [f"e{i}" for i in range(world.F.shape[1])]
    frame = pd.DataFrame(world.F, columns=names)
    by_array = newborn(entry, experts=names)
    said = by_array.play(np.asfortranarray(world.F), world.y)
    by_frame = newborn(entry)
    assert bits(by_frame.play(frame, world.y)) == bits(said)
    shuffled = newborn(entry, experts=names)
    assert bits(shuffled.play(frame[names[::-1]], world.y)) == bits(said)
    assert known(by_frame) == known(by_array) == known(shuffled)
    path = tmp_path / "advice.csv"
    frame.assign(y=world.y.astype(float)).to_csv(path, index=False)
    outcome: Any = "number" if entry.made.outcome.charged else "label"
    by_file, by_stream = newborn(entry), newborn(entry)
    from_file = run(by_file, streams.forecasts(path, label="y", outcome=outcome))
    from_stream = run(by_stream, streams.advice(frame, world.y))
    one_by_one = run(newborn(entry), list(streams.advice(frame, world.y)))
    assert from_file == from_stream == one_by_one
    assert known(by_file) == known(by_stream) == known(by_array)
    if entry.labels:
        by_truth = newborn(entry, experts=names)
        assert bits(by_truth.play(world.F == 1, world.y)) == bits(said)
        signs = newborn(entry, experts=names)
        assert bits(signs.play(2 * world.F - 1, 2 * world.y.astype(int) - 1)) == bits(
            said
        )
        assert known(by_truth) == known(signs) == known(by_array)


@every
def test_the_record_tells_losses_and_regret(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = newborn(entry)
    record = run(learner, streams.advice(world.F, world.y))
    assert record.loss == learner.loss_
    assert record.expert_losses == dict(learner.losses_)
    assert record.regrets == dict(learner.regret_)
    assert record.weights == dict(learner.weights_)
    assert record.regret == max(record.regrets.values())
    assert record.regrets[record.best_expert] == record.regret
    last = record.curve[-1]
    assert last.rounds == 200
    assert last.loss == pytest.approx(record.loss)
    assert last.regret == record.regret
    again = run(learner, streams.advice(world.F, world.y))
    assert again.expert_losses == pytest.approx(record.expert_losses, rel=1e-9)


@every
def test_the_experts_losses_are_those_of_the_loss(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = played(entry, world)
    charged = losses.as_loss(getattr(entry.made, "loss", "zero-one"))
    for i in range(world.F.shape[1]):
        told = [
            charged.value(f, y) for f, y in zip(world.F[:, i], world.y, strict=True)
        ]
        assert learner.losses_[i] == pytest.approx(math.fsum(told), rel=1e-13)


# Weights ------------------------------------------------------------------------


@every
@tried(0.5)
@given(data=st.data())
def test_weights_sum_to_one_on_every_round(
    entry: AdviceEntry, data: st.DataObject
) -> None:
    world = data.draw(advice_worlds(entry))
    learner = newborn(entry)
    for row, y in zip(world.rows(), world.outcomes(), strict=True):
        learner.learn_one(row, y)
        weights = list(learner.weights_.values())
        assert abs(math.fsum(weights) - 1) <= 1e-12
        assert min(weights) >= 0


@every
def test_one_expert_is_followed(entry: AdviceEntry) -> None:
    learner = newborn(entry)
    world = fixed_advice(entry, rounds=50, n=11)
    F = world.F[:, 3:4]
    said = learner.play(F, world.y)
    if not isinstance(learner, experts.Halving):  # which may drop its only expert
        assert said.tolist() == pytest.approx(F[:, 0].tolist(), rel=1e-15)
        assert dict(learner.weights_) == {0: 1.0}
    assert learner.regret_[0] <= (50 if isinstance(learner, experts.Halving) else 0)


@every_weighing
def test_shares_of_sleepers_stay_in_proportion(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = played(entry, world, 60)
    before = dict(learner.weights_)
    row = {i: world.F[60, i] for i in range(0, 11, 2)}
    learner.learn_one(row, world.y[60].item())
    after = dict(learner.weights_)
    if isinstance(learner, (experts.ExponentialWeights, experts.FixedShare)):
        for i in range(1, 11, 2):
            assert after[i] == pytest.approx(before[i], rel=1e-9, abs=1e-300)
    slept = [i for i in range(1, 11, 2) if before[i] > 1e-200]
    for i, j in pairwise(slept):
        if isinstance(learner, experts.AdaHedge):  # it has a new rate now
            assert (after[i] > after[j]) == (before[i] > before[j])
        else:
            ratio = before[i] / before[j]
            assert after[i] / after[j] == pytest.approx(ratio, rel=1e-9)


@every
def test_sleepers_lose_nothing_and_are_not_listened_to(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = played(entry, world, 60)
    lost, own = dict(learner.losses_), dict(learner.own_losses_)
    loss = learner.loss_
    row = {i: world.F[60, i] for i in range(0, 11, 2)}
    learner.learn_one(row, world.y[60].item())
    for i in range(1, 11, 2):
        assert learner.losses_[i] == lost[i]
        assert learner.own_losses_[i] == pytest.approx(own[i], rel=1e-12, abs=1e-12)
    for i in range(0, 11, 2):
        assert learner.own_losses_[i] == pytest.approx(
            own[i] + (learner.loss_ - loss), rel=1e-12, abs=1e-12
        )
    alone = learner.predict_one({5: entry.says[0]})
    if not isinstance(learner, experts.Halving):
        assert alone == pytest.approx(entry.says[0], rel=1e-15)


@every
def test_awake_masks_and_mappings_agree(entry: AdviceEntry) -> None:
    world = fixed_advice(entry, rounds=60)
    awake = np.random.default_rng(2).random(world.F.shape) < 0.6
    awake[:, 4] = True
    masked = newborn(entry)
    said = masked.play(world.F, world.y, awake=awake)
    mapped = newborn(entry, experts=11)
    one_by_one = [
        mapped.play_one({i: f for i, f in enumerate(row) if wake[i]}, y)
        for row, wake, y in zip(world.rows(), awake, world.outcomes(), strict=True)
    ]
    assert bits(one_by_one) == bits(said)
    assert known(mapped) == known(masked)
    record = run(newborn(entry), streams.advice(world.F, world.y, awake=awake))
    assert record.expert_losses == dict(masked.losses_)


@every_weighing
def test_a_newcomer_joins_with_the_share_it_is_given(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = played(entry, world, 60)
    before = dict(learner.weights_)
    assert learner.join(prior=0.25) is learner
    after = dict(learner.weights_)
    if not isinstance(learner, (experts.MLPoly, experts.MLProd, experts.BOA)):
        assert after[11] == pytest.approx(0.25)
        for i, weight in before.items():
            assert after[i] == pytest.approx(0.75 * weight, rel=1e-9, abs=1e-300)
    assert learner.losses_[11] == learner.own_losses_[11] == learner.regret_[11] == 0
    F = np.column_stack([world.F, world.F[:, 3]])
    learner.play(F[60:], world.y[60:])
    assert learner.losses_[11] == pytest.approx(learner.losses_[3] - lost_by(entry, 3))


def lost_by(entry: AdviceEntry, expert: int) -> float:
    return float(played(entry, fixed_advice(entry), 60).losses_[expert])


@every_weighing
def test_priors_are_the_first_weights(entry: AdviceEntry) -> None:
    priors = {"ann": 2.0, "bob": 1.0, "cyd": 5.0}
    learner = newborn(entry, experts=priors)
    assert dict(learner.weights_) == pytest.approx(
        {"ann": 0.25, "bob": 0.125, "cyd": 0.625}
    )


# Refusals: what is wrong is named, and nothing has changed ------------------------


def refused(
    learner: Any, call: Callable[[], object], kind: type[BaseException], *words: str
) -> None:
    before = snapshot(learner)
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
    assert snapshot(learner) == before


@every
@pytest.mark.parametrize("born", [False, True])
def test_bad_advice_is_refused(entry: AdviceEntry, born: bool) -> None:
    world = fixed_advice(entry)
    learner = played(entry, world, 30) if not born else newborn(entry)
    good, y = world.rows()[0], world.outcomes()[0]
    for bad in (math.nan, math.inf, "1", None, [1.0, 2.0], 1j):
        row = [*good[:4], bad, *good[5:]]
        with_names = dict(enumerate(row))
        for advice in (row, tuple(row), with_names):
            # Beside a distribution it is the numbers that are wrong.
            who = "expert" if isinstance(bad, list) else "4"
            refused(learner, partial(learner.play_one, advice, y), ExampleError, who)
            refused(learner, partial(learner.predict_one, advice), ExampleError, who)
    nonsenses: list[Any] = [None, 7, "advice", b"advice", {}]
    for nonsense in nonsenses:
        refused(learner, partial(learner.learn_one, nonsense, y), LittlestoneError)
    if not born:
        refused(
            learner, lambda: learner.learn_one(good[:-1], y), ExampleError, "11", "10"
        )
        refused(
            learner,
            lambda: learner.learn_one({0: good[0], "x": 1.0}, y),
            ExampleError,
            "'x'",
        )
        refused(
            learner, lambda: learner.play(world.F[:, :3], world.y), ExampleError, "11"
        )
    F = world.F[:5].copy()
    F[3, 2] = math.nan
    # Numbers are looked at as they are played, so that the rounds before it stay.
    expected = copy.deepcopy(learner)
    with pytest.raises(ExampleError, match="row 3: .*2.* got nan") as caught:
        learner.play(F, world.y[:5])
    if "3 rounds played" in str(caught.value):
        expected.play(F[:3], world.y[:3])
    assert snapshot(learner) == snapshot(expected)


@every
def test_bad_outcomes_are_refused(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = played(entry, world, 30)
    good = world.rows()[0]
    bad: list[Any] = [math.nan, math.inf, "1", None]
    if entry.labels or set(entry.outcomes) == {0.0, 1.0}:
        bad += [2, 0.5]
    for y in bad:
        refused(learner, partial(learner.play_one, good, y), LabelError, repr(y))
    refused(learner, lambda: learner.play(world.F, world.y[:-1]), ParameterError, "200")


# Of the others nothing is refused after the arrays have been looked at.
LATE = [
    entry
    for entry in ADVISED
    if not entry.labels
    and not isinstance(entry.made, (experts.MLPoly, experts.MLProd, experts.BOA))
]


@pytest.mark.parametrize("entry", LATE, ids=str)
def test_rounds_before_a_refused_one_are_kept(entry: AdviceEntry) -> None:
    world = fixed_advice(entry, rounds=10)
    learner, expected = newborn(entry), played(entry, world, 6)
    y = world.y.copy()
    y[6] = 1e308 if set(entry.outcomes) != {0.0, 1.0} else 0.5
    F = world.F.copy()
    F[6, 1] = -1e308 if set(entry.outcomes) != {0.0, 1.0} else F[6, 1]
    with pytest.raises(LittlestoneError, match="row 6: .*6 rounds played"):
        learner.play(F, y)
    assert known(learner) == known(expected)
    with pytest.raises(LittlestoneError, match="row 6: .*6 rounds played"):
        run(newborn(entry), streams.advice(F, y))


@every
def test_bad_rosters_are_refused(entry: AdviceEntry) -> None:
    for bad in (
        0,
        -3,
        [],
        {},
        ["a", "a"],
        "ab",
        {"a": 0.0},
        {"a": math.nan},
        2.5,
        True,
    ):
        with pytest.raises(ParameterError):
            newborn(entry, experts=bad)
    with pytest.raises(ParameterError, match="none yet"):
        newborn(entry).join("late")
    learner = newborn(entry, experts=["a", "b"])
    for who, prior in (("a", 0.5), (None, 0.5), ("c", 0), ("c", 1), ("c", "x")):
        refused(learner, partial(learner.join, who, prior), ParameterError)


@every
def test_experts_may_be_the_columns_of_a_frame(entry: AdviceEntry) -> None:
    for names in (pd.Index(["a", "b"]), np.array(["a", "b"])):
        learner = entry.made.clone().set_params(experts=names)
        assert learner.experts_ == ["a", "b"]
        assert learner.clone().experts_ == ["a", "b"]


@every
def test_nobody_awake_is_refused(entry: AdviceEntry) -> None:
    learner = newborn(entry, experts=3)
    refused(
        learner, lambda: learner.learn_one({}, entry.outcomes[0]), ExampleError, "awake"
    )
    F = np.full((2, 3), entry.says[0])
    awake = [[True, True, True], [False, False, False]]
    refused(
        learner,
        lambda: learner.play(F, [entry.outcomes[0]] * 2, awake=awake),
        ExampleError,
        "row 1",
    )


# What odd objects try ----------------------------------------------------------------


@every
def test_a_state_that_was_tampered_with_is_refused(entry: AdviceEntry) -> None:
    learner = played(entry, fixed_advice(entry), 30)
    state = learner.save_state()
    parts = state["state"]
    assert len(parts[0])
    for at, part in enumerate(parts):
        longer = np.append(part, part[:1] if len(part) else parts[0][:1])
        for changed in (
            [*parts[:at], longer, *parts[at + 1 :]],
            [*parts[:at], *parts[at + 1 :]],
        ):
            with pytest.raises(ParameterError, match="saved state is invalid"):
                newborn(entry).load_state(state | {"state": changed})
    for names in (["a"], [*range(12)], [[k] for k in range(11)]):
        with pytest.raises(ParameterError, match="saved state is invalid"):
            newborn(entry).load_state(state | {"names": names})
    other = newborn(entry)
    other.load_state(state)
    assert known(other) == known(learner)


@every
def test_a_name_that_cannot_be_hashed_is_refused(entry: AdviceEntry) -> None:
    with pytest.raises(ParameterError, match=r"hashable, got \[1\]"):
        newborn(entry, experts=["a", [1]])
    learner = newborn(entry, experts=["a", "b"])
    refused(learner, lambda: learner.join([1]), ParameterError, "[1]")
    learner.learn_one([entry.says[0]] * 2, entry.outcomes[0])
    assert learner.experts_ == ["a", "b"]


class Unequal:
    """A name that has the hash of another, and cannot be compared with it."""

    def __hash__(self) -> int:
        return hash("a")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")


@every
def test_a_name_that_cannot_be_compared_changes_nothing(entry: AdviceEntry) -> None:
    learner = newborn(entry, experts=["a", "b"])
    refused(learner, lambda: learner.join(Unequal()), RuntimeError, "not comparable")


@every
def test_a_series_is_read_by_its_index(entry: AdviceEntry) -> None:
    row = [entry.says[0], entry.says[1], entry.says[0]]
    series, y = pd.Series(row, index=["ann", "bob", "cyd"]), entry.outcomes[0]
    learner, expected = newborn(entry), newborn(entry)
    assert learner.play_one(series, y) == expected.play_one(series.to_dict(), y)
    assert known(learner) == known(expected)
    refused(newborn(entry), lambda: newborn(entry).play_one({1, 0}, y), ExampleError)
    refused(expected, lambda: expected.play_one({0.0, 1.0, -1.0}, y), ExampleError)


class Position:
    """A key that means an expert, and is equal to no other."""

    def __index__(self) -> int:
        return 0


@every
def test_two_keys_for_one_expert_are_refused(entry: AdviceEntry) -> None:
    learner = newborn(entry, experts=2)
    learner.learn_one([entry.says[1]] * 2, entry.outcomes[0])
    advice: dict[Any, float] = {0: entry.says[0], Position(): entry.says[0]}
    refused(learner, lambda: learner.predict_one(advice), ExampleError)


class Number:
    """A number that does something when it is read."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act

    def __float__(self) -> float:
        self.act()
        return 0.0


def stop() -> None:
    raise KeyboardInterrupt


@every
def test_numbers_that_use_the_learner_find_it_busy(entry: AdviceEntry) -> None:
    learner = newborn(entry, experts=2)
    row, y = [entry.says[0]] * 2, entry.outcomes[0]
    for act in (learner.join, partial(learner.learn_one, row, y)):
        advice = [Number(act), entry.says[0]]
        refused(learner, partial(learner.learn_one, advice, y), BusyError)
        refused(learner, partial(learner.learn_one, row, Number(act)), BusyError)
    advice = [Number(stop), entry.says[0]]
    refused(learner, partial(learner.learn_one, advice, y), KeyboardInterrupt)


@every
def test_the_latest_loss_survives_a_pickle(entry: AdviceEntry) -> None:
    world = fixed_advice(entry)
    learner = newborn(entry)
    told = set()
    for row, y in zip(world.rows()[:40], world.outcomes(), strict=False):
        learner.learn_one(row, y)
        copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
        assert copy.last_loss_ == learner.last_loss_
        told.add(learner.last_loss_)
    assert len(told) > 1


@every
def test_distributions_are_for_log_and_brier_loss(entry: AdviceEntry) -> None:
    learner = newborn(entry, experts=2)
    F, y = np.full((1, 2, 2), 0.5), [entry.outcomes[0]]
    if learner.outcome is not Outcome.DISTRIBUTION:
        for X in (F, F > 0, F[:, :, :1]):
            refused(learner, partial(learner.play, X, y), ParameterError)
            refused(learner, partial(learner.predict, X), ParameterError)
    else:
        refused(learner, lambda: learner.play(np.ones((1, 2, 1)), y), ExampleError)
        learner.play(F, y)


def test_priors_must_have_a_finite_sum() -> None:
    with pytest.raises(ParameterError, match="finite sum"):
        experts.AdaHedge(experts={"ann": 1e308, "bob": 1e308})


@every_weighing
def test_who_is_alone_awake_is_followed_however_small_its_share(
    entry: AdviceEntry,
) -> None:
    learner = newborn(entry, experts={"ann": 1e-307, "bob": 1.0})
    for said in entry.says:
        assert learner.predict_one({"ann": said}) == pytest.approx(said, rel=1e-15)
    learner.join("cyd", 1e-307)
    for said in entry.says:
        assert learner.predict_one({"cyd": said}) == pytest.approx(said, rel=1e-15)
    refused(learner, lambda: learner.join("dan", 5e-324), ParameterError, "prior")
    with pytest.raises(ParameterError, match="share of every expert"):
        newborn(entry, experts={"ann": 1e-300, "bob": 1e300})
