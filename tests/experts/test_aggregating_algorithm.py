"""AggregatingAlgorithm: by hand, as its theorem says, as its twin does, and refused."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import (
    Array,
    block,
    crowd,
    football,
    greedy,
    holds,
    refuses,
    same_as_twin,
    seeds,
    unchanged,
)
from littlestone import losses, theorems
from littlestone.errors import ExampleError, FeatureError, LabelError, ParameterError
from littlestone.experts import AggregatingAlgorithm, ExponentialWeights
from littlestone.verifying import twins

RESULTS = ("H", "D", "A")


# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_experts_who_agree_are_followed(loss: str) -> None:
    said = AggregatingAlgorithm(loss).predict_one([[0.5, 0.3, 0.2]] * 3)
    assert said == pytest.approx([0.5, 0.3, 0.2], abs=1e-15)
    said = AggregatingAlgorithm(loss).predict_one([1.0, 1.0, 1.0])
    assert said == pytest.approx([0.0, 1.0], abs=1e-15)


def test_two_who_are_sure_of_different_outcomes() -> None:
    # At 0 and 1 the mix loss is G = -ln((1 + e^-2)/2), at 2 it is 2: (s - G)/2 twice
    # makes s = 1 + G, which is below 2, so that nothing is left for outcome 2.
    learner = AggregatingAlgorithm("brier")
    assert learner.play_one([[1, 0, 0], [0, 1, 0]], 0) == pytest.approx([0.5, 0.5, 0])
    assert learner.loss_ == pytest.approx(0.5)
    assert dict(learner.losses_) == {0: 0.0, 1: 2.0}
    assert learner.weights_[1] == pytest.approx(1 / (1 + math.exp(2)))


def test_a_probability_is_that_of_a_yes() -> None:
    learner = AggregatingAlgorithm("brier")
    said = learner.play_one([0.25, 1.0], 1)
    assert (
        said.tolist()
        == AggregatingAlgorithm().predict_one([[0.75, 0.25], [0.0, 1.0]]).tolist()
    )
    assert dict(learner.losses_) == {0: 1.125, 1: 0.0}
    whole = AggregatingAlgorithm("brier")
    assert whole.play([[0.25, 1.0]], [1]).tolist() == [said.tolist()]
    assert whole.predict([[0.25, 1.0]]).tolist() == [
        learner.predict_one([0.25, 1.0]).tolist()
    ]
    assert dict(whole.weights_) == dict(learner.weights_)


def test_log_loss_is_averaged_as_bayes_would() -> None:
    learner = AggregatingAlgorithm("log", outcomes=RESULTS)
    said = learner.play_one({"a": [0.5, 0.25, 0.25], "b": [0.25, 0.25, 0.5]}, "H")
    assert said.tolist() == [0.375, 0.25, 0.375]
    assert dict(learner.weights_) == pytest.approx({"a": 2 / 3, "b": 1 / 3})


def test_outcomes_by_name() -> None:
    learner = AggregatingAlgorithm(outcomes=RESULTS)
    named = {"D": 0.3, "A": 0.2, "H": 0.5}
    said = learner.play_one({"a": named, "b": [0.2, 0.3, 0.5]}, "A")
    other = AggregatingAlgorithm()
    assert (
        other.play_one([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]], 2).tolist() == said.tolist()
    )
    assert [*learner.losses_.values()] == [*other.losses_.values()]


def test_one_expert_alone_is_followed() -> None:
    learner = AggregatingAlgorithm(experts=1)
    for p, y in (([0.5, 0.5], 0), ([0.25, 0.75], 0), ([0.0, 1.0], 1)):
        assert learner.play_one([p], y) == pytest.approx(p, abs=1e-15)
    assert learner.regret_[0] == pytest.approx(0.0, abs=1e-14)


@given(seed=seeds, k=st.integers(2, 7))
def test_what_is_said_loses_no_more_than_the_mix(seed: int, k: int) -> None:
    rounds = crowd("brier", seed, outcomes=k, rounds=20)
    learner = AggregatingAlgorithm(experts=rounds.start)
    for advice, y in rounds:
        p = np.array([*advice.values()])
        weights = np.asarray(learner.weights_)
        said = learner.predict_one(advice)
        assert said.sum() == pytest.approx(1, abs=1e-12)
        assert (said >= 0).all()
        for outcome in range(k):
            lost = losses.BRIER.of_distribution(p, outcome)
            mix = -math.log(weights @ np.exp(-lost))
            assert losses.BRIER.of_distribution(said, outcome) <= mix + 1e-12
        learner.learn_one(advice, y)


# What the theorem says ----------------------------------------------------------------


@pytest.mark.parametrize("loss", ["brier", "log"])
@pytest.mark.parametrize("outcomes", [0, 2, 5])
@given(seed=seeds)
def test_every_prefix_of_a_random_stream(loss: str, outcomes: int, seed: int) -> None:
    rounds = crowd(loss, seed, outcomes=outcomes, rounds=60)
    learner = AggregatingAlgorithm(loss)
    for advice, y in rounds:
        learner.learn_one(advice, y)
        holds(max(learner.regret_.values()), theorems.AA, experts=rounds.start)


@given(
    rows=st.lists(
        st.tuples(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.booleans()),
        max_size=25,
    )
)
def test_every_prefix_of_any_stream(rows: list[tuple[list[float], bool]]) -> None:
    learner = AggregatingAlgorithm("brier")
    for advice, y in rows:
        learner.learn_one(advice, y)
        holds(max(learner.regret_.values()), theorems.AA, experts=4)
    whole = AggregatingAlgorithm("brier")
    if rows:
        whole.play([advice for advice, _ in rows], [y for _, y in rows])
        assert dict(whole.regret_) == dict(learner.regret_)


@pytest.mark.parametrize("loss", ["brier", "log"])
@given(seed=seeds)
def test_sleepers_and_late_joiners(loss: str, seed: int) -> None:
    rounds = crowd(loss, seed, outcomes=3, sleep=True, join=True, rounds=50)
    weights = {i: float(i + 1) for i in range(rounds.start)}
    priors = [weight / sum(weights.values()) for weight in weights.values()]
    learner = AggregatingAlgorithm(loss, experts=weights)
    for t, (advice, y) in enumerate(rounds):
        if t in rounds.joins:
            learner.join(len(priors), rounds.joins[t])
            priors = [p * (1 - rounds.joins[t]) for p in priors] + [rounds.joins[t]]
        learner.learn_one(advice, y)
        for regret, prior in zip(learner.regret_.values(), priors, strict=True):
            holds(regret, theorems.AA, prior=prior * (1 - 1e-12))


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_a_greedy_adversary_comes_close(loss: str) -> None:
    # Experts sure of different outcomes: one of them will have been right.
    learner = AggregatingAlgorithm(loss, experts=4)
    rng = np.random.default_rng(6)
    most = 0.0

    def draw(_: int) -> list[list[float]]:
        p: list[list[float]] = (
            rng.dirichlet(np.full(3, 0.3), size=4).clip(1e-9).tolist()
        )
        return [[chance / sum(row) for chance in row] for row in p]

    for _ in greedy(learner, draw, [0, 1, 2], 50):
        most = max(most, *learner.regret_.values())
        holds(max(learner.regret_.values()), theorems.AA, experts=4)
    assert most > 0.5 * math.log(4)


def test_the_mean_would_regret_more() -> None:
    # Against this sequence the mean of the distributions breaks the bound at rate 1.
    advice, worst = [[0.9, 0.1], [0.1, 0.9]], []
    for learner in (
        AggregatingAlgorithm("brier"),
        ExponentialWeights(2.0, "brier"),  # losses are halved, so this is rate 1
    ):
        for t in range(400):
            y = t % 2 if t < 200 else 0
            learner.learn_one(advice, y)
        worst.append(max(learner.regret_.values()))
    assert worst[0] <= math.log(2)
    assert worst[1] > worst[0]


def _bookmakers() -> tuple[AggregatingAlgorithm, list[str], Array, list[str], int]:
    makers, chances, results, early = football()
    return (
        AggregatingAlgorithm(outcomes=RESULTS, experts=makers),
        makers,
        chances,
        results,
        early,
    )


def test_the_published_losses_of_bookmakers() -> None:
    learner, _, chances, results, early = _bookmakers()
    assert len(results) == 10_097
    assert early == 7571
    first = learner.clone()
    first.play(chances[:early], results[:early])
    assert round(first.loss_, 3) == 4724.801
    assert round(first.losses_["B365"], 4) == 4723.6998
    assert round(max(first.regret_.values()), 4) == 1.1012
    learner.play(chances, results)
    assert round(learner.loss_, 4) == 6295.5475
    assert {maker: round(loss, 4) for maker, loss in learner.losses_.items()} == {
        "B365": 6294.5861,
        "BW": 6302.8954,
        "GB": 6295.7247,
        "IW": 6309.3275,
        "LB": 6305.2767,
        "SB": 6298.1873,
        "SJ": 6297.2951,
        "VC": 6296.5997,
    }
    assert learner.best_expert_ == "B365"
    assert round(learner.regret_["B365"], 4) == 0.9615


@pytest.mark.soak
def test_every_prefix_of_the_bookmakers() -> None:
    learner, makers, chances, results, _ = _bookmakers()
    bound, most = math.log(8), 0.0
    for row, result in zip(chances.tolist(), results, strict=True):
        learner.learn_one(dict(zip(makers, row, strict=True)), result)
        regret = learner.loss_ - min(learner.losses_.values())
        assert regret <= bound
        most = max(most, regret)
    assert round(most, 4) == 1.3133


def test_the_bookmakers_with_sleepers() -> None:
    # Every third bookmaker takes every third match off.
    learner, makers, chances, results, _ = _bookmakers()
    T = 2000
    at = np.arange(T)[:, None] + np.arange(8)[None, :]
    learner.play(chances[:T], results[:T], awake=at % 3 > 0)
    holds(max(learner.regret_.values()), theorems.AA, experts=len(makers))


# What the twin does -------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["brier", losses.LOG])
@given(
    seed=seeds,
    k=st.sampled_from([0, 2, 3, 6]),
    sleep=st.booleans(),
    join=st.booleans(),
    given_priors=st.booleans(),
)
def test_it_equals_its_twin(
    *, loss: Any, seed: int, k: int, sleep: bool, join: bool, given_priors: bool
) -> None:
    rounds = crowd(loss, seed, outcomes=k, sleep=sleep, join=join)
    priors = {i: 1.0 + (seed + i) % 5 for i in range(rounds.start)}
    learner = AggregatingAlgorithm(
        loss, experts=priors if given_priors else rounds.start
    )
    same_as_twin(learner, twins.AggregatingAlgorithm(**learner.get_params()), rounds)


def test_it_equals_its_twin_on_the_bookmakers() -> None:
    learner, makers, chances, results, _ = _bookmakers()
    twin = twins.AggregatingAlgorithm(**learner.get_params())
    for row, result in zip(chances[:700].tolist(), results, strict=False):
        advice = dict(zip(makers, row, strict=True))
        assert learner.play_one(advice, result).tolist() == twin.play(advice, result)
    assert dict(learner.weights_) == twin.weights


@given(seed=seeds, sleep=st.booleans())
def test_a_block_is_its_rounds(seed: int, sleep: bool) -> None:
    rounds = crowd("brier", seed, outcomes=3, sleep=sleep)
    one = AggregatingAlgorithm(experts=rounds.start)
    said = [one.play_one(advice, y).tolist() for advice, y in rounds]
    whole = AggregatingAlgorithm(experts=rounds.start)
    assert block(whole, rounds).tolist() == said
    assert pickle.dumps(whole) == pickle.dumps(one)


FORMS: dict[str, Any] = {
    "lists": lambda row: row.tolist(),
    "tuples": lambda row: tuple(map(tuple, row.tolist())),
    "lists of NumPy's floats": lambda row: [list(p) for p in row],
    "arrays": list,
    "an array": lambda row: row,
    "an array of float32": lambda row: row.astype(np.float32),
    "a strided array": lambda row: np.repeat(row, 2, axis=1)[:, ::2],
    "numbers and lists": lambda row: [1.0, *row[1:].tolist()],
}
COUNTS = (int, float, bool, np.int64, np.float64, np.int8)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("learner", ["brier", "log", "mean"])
def test_a_round_is_the_same_in_every_form(learner: str, form: str) -> None:
    def newborn() -> Any:
        if learner == "mean":
            return ExponentialWeights(loss="brier", experts=9)
        return AggregatingAlgorithm(learner, experts=9)

    # Eighths, which every form holds exactly.
    chances = np.random.default_rng(2).integers(1, 8, size=(12, 9)) / 8.0
    F = np.stack([1 - chances, chances], axis=2)
    F[:, 0] = [0.0, 1.0]
    if learner == "mean" and form == "numbers and lists":
        with pytest.raises(FeatureError, match="expert 0 must give a probability"):
            newborn().play_one(FORMS[form](F[0]), 1)
        return
    whole, one = newborn(), newborn()
    said = [
        one.play_one(FORMS[form](row), COUNTS[t % 6](1)).tolist()
        for t, row in enumerate(F)
    ]
    assert whole.play(F, np.ones(12)).tolist() == said
    assert pickle.dumps(whole) == pickle.dumps(one)


@pytest.mark.parametrize("how", [list, tuple, np.array, dict, Counter])
@pytest.mark.parametrize("learner", ["brier", "log", "mean"])
def test_a_number_is_the_same_in_every_form(learner: str, how: Any) -> None:
    def newborn() -> Any:
        if learner == "mean":
            return ExponentialWeights(loss="log", experts=3)
        return AggregatingAlgorithm(learner, experts=3)

    F = np.array([[0.25, 0.5, 0.75], [0.0, 0.5, 0.5], [0.1, 0.2, 0.3]])
    whole, one = newborn(), newborn()
    said = []
    for t, row in enumerate(F):
        advice = how(enumerate(row)) if how is dict else how(row.tolist())
        if how is Counter:
            advice = Counter(dict(enumerate(row.tolist())))
        said.append(np.asarray(one.play_one(advice, COUNTS[t](0))).tolist())
    assert whole.play(F, np.zeros(3)).tolist() == said
    assert pickle.dumps(whole) == pickle.dumps(one)


def test_names_are_read_in_any_order() -> None:
    makers = ("ann", "bob", "cyd")
    F = np.random.default_rng(2).dirichlet(np.ones(3), (6, 3))
    whole, one = (AggregatingAlgorithm(experts=makers) for _ in range(2))
    said = []
    for t, row in enumerate(F):
        order = np.random.default_rng(t).permutation(3)
        advice = {"".join(list(makers[at])): row[at].tolist() for at in order}
        said.append(one.play_one(advice, 2).tolist())
    frame = [dict(zip(makers, row.tolist(), strict=True)) for row in F]
    assert whole.play(frame, np.full(6, 2)).tolist() == said
    assert pickle.dumps(whole) == pickle.dumps(one)
    strangers: tuple[Any, ...] = ("dan", b"ann", 0)
    for stranger in strangers:
        advice = {"ann": [1.0, 0.0, 0.0], "bob": [1.0, 0, 0], stranger: [1.0, 0.0, 0.0]}
        refuses(one, FeatureError, "each expert must be known", advice, 2)


# Numbers --------------------------------------------------------------------------


def test_two_numbers_are_mixed_by_hand() -> None:
    # At 0 the weights leave (1 + e^-2)/2, at 1 as much: the middle. After an outcome of
    # 1 the second weighs e^2 times as much; with q = 1/(1 + e^2) for the first, the
    # ends leave q + (1 - q) e^-2 and q e^-2 + 1 - q.
    learner = AggregatingAlgorithm("square")
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5
    q = 1 / (1 + math.exp(2))
    low, high = q + (1 - q) * math.exp(-2), q * math.exp(-2) + 1 - q
    expected = 0.5 + math.log(high / low) / 4
    assert learner.predict_one([0.0, 1.0]) == pytest.approx(expected)


@given(seed=seeds, width=st.sampled_from([1e-3, 1.0, 7.5]))
def test_numbers_hold_a_quarter_of_the_bound_of_their_mean(
    seed: int, width: float
) -> None:
    rng = np.random.default_rng(seed)
    learner = AggregatingAlgorithm("square", interval=(-width, width), experts=5)
    eta = learner.known_["eta"]
    assert eta * (2 * width) ** 2 == pytest.approx(2)
    for _ in range(25):
        advice = rng.choice([-width, width, rng.uniform(-width, width)], size=5)
        before = learner.weights_
        said = learner.predict_one(advice.tolist())
        for y in (-width, width, rng.uniform(-width, width)):
            mixed = sum(
                w * math.exp(-eta * (f - y) ** 2)
                for w, f in zip(before.values(), advice, strict=True)
            )
            assert (said - y) ** 2 <= -math.log(mixed) / eta + 1e-9 * width**2
        y = -width if said > 0 else width  # the worst outcome
        learner.learn_one(advice.tolist(), y)
        most = theorems.AA.bound(eta=eta, experts=5)
        assert max(learner.regret_.values()) <= most
    assert theorems.AA.bound(eta=2, experts=5) * 4 == pytest.approx(
        theorems.EWA_XC.bound(eta=0.5, experts=5)
    )


@given(
    seed=seeds, sleep=st.booleans(), join=st.booleans(), wide=st.sampled_from([1, 3])
)
def test_numbers_equal_their_twin(
    seed: int, sleep: bool, join: bool, wide: int
) -> None:
    rounds = crowd("square", seed, sleep=sleep, join=join, spread=wide)
    learner = AggregatingAlgorithm("square", interval=(-1, wide), experts=rounds.start)
    same_as_twin(learner, twins.AggregatingAlgorithm(**learner.get_params()), rounds)


def test_numbers_outside_the_interval_change_nothing() -> None:
    learner = AggregatingAlgorithm("square", interval=(-1, 2), experts=2)
    learner.learn_one([0.0, 1.0], 2.0)
    for bad, y, message in [
        ([0.0, 2.5], 1.0, r"expert 1 must predict a number in \[-1, 2\], got 2.5"),
        ([0.0, math.nan], 1.0, "expert 1 must predict a"),
        ([0.0, 1.0], -1.5, r"an outcome must be a number in \[-1, 2\], got -1.5"),
    ]:
        with unchanged(learner), pytest.raises(ExampleError, match=message):
            learner.play_one(bad, y)


# Large numbers --------------------------------------------------------------


def test_an_expert_far_behind_comes_back() -> None:
    T = 200_000
    F = np.tile([[0.75, 0.25], [0.25, 0.75]], (T, 1, 1))
    learner = AggregatingAlgorithm()
    learner.play(F, np.zeros(T))
    assert dict(learner.losses_) == {0: 25_000.0, 1: 225_000.0}
    assert learner.weights_[1] == 0.0
    learner.play(F, np.ones(T))
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}


def test_an_expert_who_was_all_but_sure_comes_back() -> None:
    # A probability of 1e-320 costs about 737, the largest loss below infinity is 744.
    learner = AggregatingAlgorithm("log")
    for _ in range(10):
        learner.learn_one([[1e-320, 1.0], [0.5, 0.5]], 0)
    assert learner.weights_[0] == 0.0
    for _ in range(11_000):
        learner.learn_one([[0.0, 1.0], [0.5, 0.5]], 1)
    assert learner.weights_[0] > 0.99
    holds(max(learner.regret_.values()), theorems.AA, experts=2)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "absolute"}, "loss must be 'brier', 'log' or 'square', got 'absol"),
        ({"loss": "pinball"}, "the pinball loss needs its level"),
        ({"loss": lambda *_: 0.0}, "'log' or 'square', got <function"),
        (
            {"loss": "square", "outcomes": (1, 2)},
            "outcomes must be numbers for the squ",
        ),
        ({"interval": (0, 1)}, r"interval is for the square loss, got \(0, 1\)"),
        ({"loss": "square", "interval": (1, 1)}, "interval must be a pair of numbers"),
        ({"loss": "square", "interval": (0, 1e200)}, "a width whose square a float"),
        ({"loss": "square", "interval": (0, math.inf)}, "a width whose square a float"),
        ({"outcomes": ()}, "outcomes must be two or more different names, got \\(\\)"),
        ({"outcomes": ("a",)}, "outcomes must be two or more different names"),
        ({"outcomes": ("a", "a")}, "outcomes must be two or more different names"),
        ({"experts": 0}, "there must be at least one expert, got 0"),
    ],
)
def test_refused_at_birth(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        AggregatingAlgorithm(**parameters)


SURE, FAIR = [1.0, 0.0, 0.0], [0.5, 0.25, 0.25]


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        (
            [SURE, [0.5, 0.5, 0.5]],
            "H",
            FeatureError,
            "expert 1 must sum to one, got .*1.5",
        ),
        ([SURE, [0.5, -0.5, 1.0]], "H", FeatureError, "expert 1 must .*, got -0.5"),
        ([SURE, [0.5, math.nan, 0.5]], "H", FeatureError, "expert 1 must"),
        ([SURE, [0.5, 0.5]], "H", FeatureError, "expert 1 must give a probability to"),
        ([SURE, {"H": 1.0}], "H", FeatureError, "expert 1 must give a probability to"),
        ([SURE, 0.5], "H", FeatureError, "expert 1 must give a probability to each"),
        ([SURE, FAIR], "X", LabelError, "must be one of `outcomes`, got 'X'"),
        ([SURE, FAIR], 0, LabelError, "must be one of `outcomes`, got 0"),
        ([FAIR], "H", FeatureError, "for each of 2 experts, got 1"),
        ({"z": FAIR}, "H", FeatureError, "each expert must be known, got 'z'"),
        ({}, "H", ExampleError, "at least one expert must be awake"),
        ([SURE, "abc"], "H", FeatureError, "expert 1 must"),
        (None, "H", ExampleError, "advice must be a sequence .*, got NoneType"),
    ],
)
@pytest.mark.parametrize("loss", ["brier", "log"])
def test_a_refused_round_changes_nothing(
    loss: str, x: Any, y: Any, error: Any, message: str
) -> None:
    learner = AggregatingAlgorithm(loss, outcomes=RESULTS, experts=2)
    learner.learn_one([FAIR, FAIR], "D")
    refuses(learner, error, message, x, y)


def test_an_impossible_outcome_is_refused() -> None:
    learner = AggregatingAlgorithm("log", experts=2)
    with (
        unchanged(learner),
        pytest.raises(ExampleError, match="expert 0 must be a fin"),
    ):
        learner.learn_one([[1.0, 0.0], [0.5, 0.5]], 1)
    for outcome in (2, -1, 0.5, math.nan, "x"):
        with unchanged(learner), pytest.raises(LabelError):
            learner.learn_one([[1.0, 0.0], [0.5, 0.5]], outcome)


@pytest.mark.parametrize("width", [1, 2, 4])
def test_a_block_with_other_outcomes_is_refused(width: int) -> None:
    learner = AggregatingAlgorithm(outcomes=RESULTS, experts=2)
    F = np.full((1, 2, width), 1 / width)
    with (
        unchanged(learner),
        pytest.raises(FeatureError, match="must give a probability"),
    ):
        learner.play(F, ["H"])
    with (
        unchanged(learner),
        pytest.raises(FeatureError, match="must give a probability"),
    ):
        learner.predict(F)


def test_a_single_outcome_is_refused() -> None:
    learner = AggregatingAlgorithm(experts=2)
    for play in (
        lambda: learner.play_one([[1.0], [1.0]], 0),
        lambda: learner.predict_one([[1.0], [1.0]]),
        lambda: learner.play(np.ones((1, 2, 1)), [0]),
    ):
        with (
            unchanged(learner),
            pytest.raises(FeatureError, match="give a probability"),
        ):
            play()


def test_a_refused_row_is_named_and_those_before_it_count() -> None:
    F = np.array([[SURE, FAIR], [FAIR, FAIR], [FAIR, [0.5, 0.5, 0.5]]])
    learner, other = AggregatingAlgorithm(), AggregatingAlgorithm()
    with pytest.raises(FeatureError, match="row 2: .* expert 1 must sum .*; 2 rounds"):
        learner.play(F, [0, 1, 2])
    other.play(F[:2], [0, 1])
    assert pickle.dumps(learner) == pickle.dumps(other)


@pytest.mark.parametrize("given", [-0.5, 1.5, 63982.0])
def test_what_is_no_probability_is_named_as_it_came(given: float) -> None:
    message = rf"expert 1 must predict probabilities in \[0, 1\], got {given}; loss="
    with pytest.raises(FeatureError, match=message):
        AggregatingAlgorithm().learn_one([0.5, given], 1)
    with pytest.raises(FeatureError, match=message):
        AggregatingAlgorithm().play([[0.5, given]], [1])


def test_advice_that_is_no_distribution_is_refused() -> None:
    learner = AggregatingAlgorithm(experts=2)
    masked = np.ma.array([0.5, 0.25], mask=[False, True])
    for advice in (masked, [10**400, 0]):
        with pytest.raises(ExampleError):
            learner.learn_one(advice, 1)
    assert learner.updates_ == 0
