"""Comparators take the record of a run, and regret is the distance to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from littlestone import Record, comparators, losses, run, streams
from littlestone.comparators import (
    best_convex,
    best_expert,
    best_linear,
    best_shifting,
    regret,
)
from littlestone.errors import ExampleError, ParameterError
from littlestone.experts import (
    AggregatingAlgorithm,
    Committee,
    ExponentialWeights,
    Halving,
    MLPoly,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from littlestone.linear import Perceptron

RNG = np.random.default_rng(11)
F, Y = RNG.random((40, 3)), RNG.random(40)
VOTES, TRUTH = RNG.random((40, 3)) < 0.5, RNG.random(40) < 0.6


def played(learner: Any, values: Any = F, outcomes: Any = Y) -> Record:
    return run(learner, streams.advice(values, outcomes), keep="advice")


# What is found ----------------------------------------------------------------


@pytest.mark.parametrize("best", [best_expert, best_convex, best_linear])
def test_a_record_gives_what_its_advice_and_outcomes_give(best: Any) -> None:
    record = played(ExponentialWeights(0.5, "square"))
    assert str(best(record)) == str(best(F, Y))
    assert best(record).weights == best(F, Y).weights


def test_a_record_gives_the_best_sequence() -> None:
    record = played(WeightedMajority(), VOTES, TRUTH)
    expected = best_shifting(VOTES, TRUTH, "zero-one")
    assert best_shifting(record).losses().tolist() == expected.losses().tolist()
    assert best_shifting(record, switches=2).sequence == expected[2].sequence


def test_experts_have_their_names() -> None:
    stream = [({"ann": a, "bob": b}, y) for (a, b, _), y in zip(F, Y, strict=True)]
    record = run(ExponentialWeights(0.5), stream, keep="advice")
    assert set(best_convex(record).weights or ()) == {"ann", "bob"}


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        (ExponentialWeights(0.5, "absolute"), losses.ABSOLUTE),
        (ExponentialWeights(0.5, losses.pinball(0.9)), losses.pinball(0.9)),
        (AggregatingAlgorithm("brier"), losses.BRIER),
    ],
)
def test_the_loss_is_that_of_the_learner(learner: Any, expected: Any) -> None:
    outcomes = TRUTH.astype(float)
    assert best_expert(played(learner, F, outcomes)).charged == expected


@pytest.mark.parametrize(
    "learner", [Halving(), WeightedMajority(), RandomizedWeightedMajority(0.3)]
)
@pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning")
def test_votes_are_charged_by_zero_one_loss(learner: Any) -> None:
    assert best_expert(played(learner, VOTES, TRUTH)).charged.name == "zero-one"


def test_another_loss_may_be_asked_for() -> None:
    record = played(ExponentialWeights(0.5, "square"))
    expected = best_expert(F, Y, loss="absolute")
    assert best_expert(record, loss="absolute").loss == expected.loss


def test_who_slept_is_known() -> None:
    stream = [({"ann": 1.0, "bob": 3.0}, 1.0), ({"ann": 5.0}, 1.0), ({"bob": 1.0}, 1.0)]
    record = run(MLPoly(), stream, keep="advice")
    best = best_expert(record)
    assert (best.weights, best.rounds, best.mean) == ({"ann": 0, "bob": 1}, 2, 2.0)
    assert best_shifting(record, switches=1).sequence == ("ann", "ann", "bob")
    with pytest.raises(ExampleError, match="row 1: .*'bob' must give a finite number"):
        best_linear(record)


# Regret -----------------------------------------------------------------------


def test_regret_to_the_best_expert_is_the_regret_of_the_record() -> None:
    record = played(ExponentialWeights(0.5))
    assert regret(record, best_expert(record)) == pytest.approx(record.regret)


def test_regret_is_what_the_run_lost_more() -> None:
    record = played(ExponentialWeights(0.5))
    assert record.loss is not None
    for best in (best_convex(record), best_shifting(record, switches=3)):
        assert regret(record, best) == record.loss - best.loss > 0


def test_where_the_best_expert_slept_only_other_rounds_count() -> None:
    stream = [({"ann": 1.0, "bob": 3.0}, 3.0), ({"ann": 9.0}, 3.0), ({"ann": 9.0}, 3.0)]
    record = run(MLPoly(), stream, keep="advice")
    assert best_expert(record).rounds == 1  # bob, who was right
    assert regret(record, best_expert(record)) == 1.0  # the mean of both said 2
    assert record.regrets is not None
    assert record.regrets["bob"] == 1.0


# What is refused --------------------------------------------------------------


@pytest.mark.parametrize("best", [best_expert, best_convex, best_linear, best_shifting])
@pytest.mark.parametrize(
    "learner", [WeightedMajority(), Committee([Perceptron()]), Perceptron()], ids=str
)
def test_a_record_without_advice_says_how_to_keep_it(
    best: Callable[[Any], Any], learner: Any
) -> None:
    x: Any = [1.0, 0.0] if isinstance(learner, WeightedMajority) else {"a": 1.0}
    record = run(learner.clone(), [(x, True)])
    message = "a record must hold the advice of its rounds, got .*; keep='advice' lets"
    with pytest.raises(ParameterError, match=f"{best.__name__}: {message} run keep it"):
        best(record)


def test_a_record_has_its_outcomes() -> None:
    with pytest.raises(ParameterError, match="a record has its outcomes, so y must"):
        best_expert(played(ExponentialWeights(0.5)), Y)


def test_a_comparator_of_another_loss_or_of_other_rounds_has_no_regret() -> None:
    record = played(ExponentialWeights(0.5))
    with pytest.raises(ParameterError, match="regret: .*for square loss, as the rec"):
        regret(record, best_expert(record, loss="absolute"))
    with pytest.raises(ParameterError, match="regret: .*for the rounds of Record"):
        regret(record, best_expert(F[:7], Y[:7]))


def test_a_learner_of_numbers_must_say_its_loss() -> None:
    record = run(Unnamed(), streams.advice(F, Y), keep="advice")
    assert comparators.best_expert(record, loss="square").loss > 0
    with pytest.raises(ParameterError, match="must say by which loss .*; loss= names"):
        best_expert(record)


class Unnamed(ExponentialWeights):
    """Someone's own learner, which has no parameter that tells its loss."""

    def __init__(self) -> None:
        super().__init__(0.5)
