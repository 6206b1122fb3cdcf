"""The live bound: what theorems promise of a run while it is being played."""

from __future__ import annotations

import copy
import json
import math
import warnings
from collections.abc import Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from advice_worlds import ADVISED, AdviceEntry, fixed_advice
from boolean_worlds import BOOLEAN_ENTRIES, BooleanEntry
from command import call
from littlestone import adversaries, boolean, experts, linear, run, streams, theorems
from littlestone.display.progress import Lines
from littlestone.errors import (
    ExampleError,
    NobodyLeftWarning,
    ParameterError,
    UnrealizableWarning,
)
from littlestone.learner import Learner
from littlestone.running import Batch, Point, Record
from littlestone.running.bounds import declarable, live_bound
from tries import some
from worlds import ENTRIES

ABC = ["a", "b", "c", "d"]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NobodyLeftWarning)
        warnings.simplefilter("ignore", UnrealizableWarning)
        yield


def bounds(record: Record) -> list[float | None]:
    return [point.bound for point in record.curve]


# Worked by hand ---------------------------------------------------------------


def test_halving_promises_the_logarithm_from_the_first_round_on() -> None:
    votes = [[True] * 5 + [False] * 3, [True, False] * 4]
    record = run(experts.Halving(), [(votes[0], True), (votes[1], False)])
    assert bounds(record) == [3.0, 3.0]  # lg 8
    assert (record.bound, record.theorem, record.bound_of) == (3.0, "HALV", "mistakes")
    assert repr(record) == (
        "Record(Halving: 2 rounds, 1 mistake (50.00%) of at most 3 (vacuous: says "
        "nothing about this run), regret 1 to 1)"
    )


def test_halving_that_restarts_promises_by_the_best_so_far() -> None:
    # Both are wrong once: (m + 1) (lg 2 + 1) - 1 for m = 0, 0, 1.
    stream = [([True, False], True), ([True, False], False), ([True, True], False)]
    assert bounds(run(experts.Halving(restart=True), stream)) == [1.0, 3.0, 5.0]


def test_weighted_majority_promises_by_the_best_so_far() -> None:
    stream = [([True, False], True), ([True, False], False)]
    record = run(experts.WeightedMajority(0.5), stream)
    first, second = ((m * math.log(2) + math.log(2)) / math.log(4 / 3) for m in (0, 1))
    assert bounds(record) == pytest.approx([first, second])
    assert record.theorem == "WM"


def test_priors_are_weighed_against_losses() -> None:
    # After one mistake of a, its share 8/9 is still worth more than that of b.
    prior = {"a": 8.0, "b": 1.0}
    learner = experts.WeightedMajority(0.5, experts=prior)
    record = run(learner, [({"a": True, "b": False}, False)])
    expected = (math.log(2) + math.log(9 / 8)) / math.log(4 / 3)
    assert record.bound == pytest.approx(expected)
    learner.learn_one({"a": True, "b": False}, False)
    learner.learn_one({"a": True, "b": False}, False)
    learner.learn_one({"a": True, "b": False}, False)  # now b is worth more
    found = live_bound(learner)
    assert found is not None
    assert found[1] == pytest.approx(math.log(9) / math.log(4 / 3))


def test_randomized_weighted_majority_promises_expected_mistakes() -> None:
    stream = [([True, False], True), ([True, False], False)]
    record = run(experts.RandomizedWeightedMajority(0.5), stream)
    assert record.bound_of == "expected mistakes"
    assert bounds(record) == pytest.approx([2 * math.log(2), 4 * math.log(2)])
    assert "expected of at most 2.77259 (vacuous" in repr(record)


def test_exponential_weights_promise_regret() -> None:
    # eta = 1/2 on the square loss of [0, 1]: 2 ln 2, by what is curved.
    stream = [([0.0, 1.0], 0.0), ([0.0, 1.0], 1.0)]
    record = run(experts.ExponentialWeights(0.5), stream)
    assert record.bound_of == "regret"
    assert bounds(record) == pytest.approx([2 * math.log(2)] * 2)
    # The absolute loss is not: ln 2 / eta + eta T / 8, here the smaller of the two.
    record = run(experts.ExponentialWeights(0.5, "absolute"), stream)
    assert bounds(record) == pytest.approx(
        [2 * math.log(2) + 0.5 / 8, 2 * math.log(2) + 1 / 8]
    )
    assert record.theorem == "EWA-T"
    # In the range [0, 2] the rate is half, and losses are 2 apart.
    learner = experts.ExponentialWeights(0.5, "absolute", range=(0, 2))
    assert bounds(run(learner, stream)) == pytest.approx(
        [4 * math.log(2) + 0.25 * 4 / 8, 4 * math.log(2) + 0.25 * 8 / 8]
    )


def test_a_loss_bound_is_told_as_regret() -> None:
    # One expert never loses: ln 2 / (1 - exp(-2)), which beats ln 2 / 2 + 2 T / 8.
    stream = [([0.0, 1.0], 0.0)] * 9
    record = run(experts.ExponentialWeights(2.0, "absolute"), stream)
    assert record.theorem == "EWA"
    assert record.bound == pytest.approx(math.log(2) / (1 - math.exp(-2)))


def test_ada_hedge_promises_regret_where_losses_are_bounded() -> None:
    votes = [([True, False], True), ([True, False], False)]
    record = run(experts.AdaHedge("zero-one"), votes)
    # A variance is at most 1/4 a round.
    expected = [
        2 * math.sqrt(t / 4 * math.log(2)) + 4 / 3 * math.log(2) + 2 for t in (1, 2)
    ]
    assert bounds(record) == pytest.approx(expected)
    assert record.theorem == "ADAHEDGE"
    assert run(experts.AdaHedge(), [([0.0, 1.0], 0.0)]).bound is None


def test_rules_promise_by_the_features_met() -> None:
    stream = [({"a": 1}, True), ({"a": 1, "b": 1}, True), ({"c": 1}, False)]
    assert bounds(run(boolean.ConjunctionLearner(), stream)) == [2.0, 3.0, 4.0]
    monotone = boolean.ConjunctionLearner(monotone=True)
    assert bounds(run(monotone, stream)) == [2.0, 3.0, 4.0]  # and one never met
    declared = boolean.ConjunctionLearner(features=ABC)
    assert bounds(run(declared, stream)) == [5.0] * 3
    wide = run(boolean.ConjunctionLearner(), stream, declare={"features": 100})
    assert bounds(wide) == [101.0] * 3
    few = run(boolean.ConjunctionLearner(), stream, declare={"features": 2})
    assert bounds(few) == [3.0, 3.0, 4.0]  # three were met all the same
    # 1 + 3 + 3 * C(3, 2) by the theorem.
    assert run(boolean.KDNFLearner(2), stream).bound == 13.0


def test_a_decision_list_promises_once_its_length_is_declared() -> None:
    stream = [({"a": 1}, True), ({"b": 1}, False)]
    assert run(boolean.DecisionListLearner(), stream).bound is None
    record = run(boolean.DecisionListLearner(), stream, declare={"length": 2})
    assert record.theorem == "DL"
    assert record.bound is not None
    assert not record.exceeded


def test_winnow_promises_what_is_declared() -> None:
    numbers = {"features": 8, "relevant": 1}
    stream = [({0: 1.0}, True)] * 9
    record = run(linear.Winnow(threshold=8, eliminate=True), stream, declare=numbers)
    assert (record.bound, record.theorem) == (7.0, "WIN1")  # 2 lg 8 + 1
    tuned = run(linear.Winnow.for_disjunction(8), stream, declare=numbers)
    assert tuned.theorem == "WIN2-DISJ"
    # Its theorem is of other parameters, and the sum of mu was not declared.
    assert run(linear.Winnow(threshold=8), stream, declare=numbers).bound is None
    wide = {"features": 8, "weight": 1, "gap": 1}
    assert run(linear.Winnow(threshold=8), stream, declare=wide).theorem == "WIN2-SEP"


def test_balanced_winnow_promises_for_its_own_rate() -> None:
    stream = [({0: 1.0}, True), ({0: -1.0}, False)]
    numbers = {"features": 2, "margin": 0.5}
    tuned = run(linear.BalancedWinnow.for_margin(0.5), stream, declare=numbers)
    assert tuned.bound == pytest.approx(8 * math.log(4))  # 2 (1/alpha)^2 ln 2n
    assert run(linear.BalancedWinnow(0.3), stream, declare=numbers).bound is None
    numbers["deviation"] = 0
    other = run(linear.BalancedWinnow(0.3), stream, declare=numbers)
    assert other.theorem == "BWIN-ANY"


def test_the_perceptron_promises_what_is_declared() -> None:
    stream = [([-1.0], 0), ([1.0], 1)]
    numbers = {"margin": 0.5, "radius": 1, "norm": 1}
    for learner in (linear.Perceptron(), linear.Perceptron(update="margin")):
        assert run(learner, stream, declare=numbers).bound == 4.0
    # The constant feature makes every example longer: 4 (1 + 4).
    record = run(linear.Perceptron(bias=2.0), stream, declare=numbers)
    assert record.bound == pytest.approx(20.0)
    # What the average says may be wrong without an update.
    with pytest.raises(ParameterError, match="takes nothing for AveragedPerceptron"):
        run(linear.AveragedPerceptron(), stream, declare=numbers)


def test_a_perceptron_that_scales_its_examples_knows_their_length() -> None:
    learner = linear.Perceptron(normalize=True)
    found = live_bound(learner, {"margin": 0.5})
    assert found is not None
    assert found[1] == pytest.approx(4.0)
    assert "radius" not in declarable(learner)
    # PERC-GAP is about a constant feature, and this one has none.
    assert live_bound(learner, {"gap": 0.5, "norm": 1}) is None
    biased = linear.Perceptron(normalize=True, bias=1.0)
    assert live_bound(biased, {"margin": 0.5, "gap": 0.5, "threshold": 0}) is None


def test_a_constant_feature_as_large_as_every_example_is_the_radius() -> None:
    numbers = {"gap": 1, "norm": 1, "radius": 2}
    found = live_bound(linear.Perceptron(bias=-3.0), numbers)
    assert found == (theorems.PERC_GAP, 16.0 * 9)
    assert live_bound(linear.Perceptron(bias=1.0), numbers) is None


@pytest.mark.parametrize("k", [2, 3, Fraction(3)])
def test_winnow_for_k_of_r_promises_whatever_k_is_written_as(k: Any) -> None:
    learner = linear.Winnow.for_threshold(12, int(k))
    found = live_bound(learner, {"features": 12, "relevant": 4, "k": k})
    assert found is not None
    assert found[0] is theorems.WIN2_KOFR
    assert live_bound(learner, {"features": 11, "relevant": 4, "k": k}) is None


def test_a_scale_whose_square_is_no_double_is_no_error() -> None:
    learner = linear.BalancedWinnow(rate=1e-300, scale=1e200)
    numbers = {"features": 2, "margin": 1, "norm": 1}
    assert live_bound(learner, numbers) is None


def test_many_classes_promise_only_if_they_are_given() -> None:
    numbers = {"margin": 1, "radius": 1, "norm": 1}
    given = linear.MulticlassPerceptron(classes=["a", "b"])
    assert live_bound(given, numbers) == (theorems.MCPERC_SEP, 2.0)
    assert live_bound(linear.MulticlassPerceptron(), numbers) is None


def test_labels_alone() -> None:
    stream = [(None, y) for y in (False, True, False)]
    assert bounds(run(experts.FollowTheMajority(), stream)) == [1.0, 3.0, 3.0]
    record = run(experts.Cover(3), stream)
    assert bounds(record) == [0.75, 1.75, 1.75]  # min(k, t - k) and E|S_3|/2
    assert record.expected_mistakes == record.bound


# Whoever attains it -----------------------------------------------------------


@pytest.mark.parametrize("bits", [1, 3, 5])
def test_halving_attains_its_bound(bits: int) -> None:
    record = run(experts.Halving(), adversaries.HalvingAdversary(bits))
    assert record.mistakes == record.bound == bits
    assert not record.exceeded


@pytest.mark.parametrize("n", [1, 4, 9])
def test_conjunctions_attain_their_bound(n: int) -> None:
    learner = boolean.ConjunctionLearner(monotone=True, features=n)
    record = run(learner, adversaries.ConjunctionAdversary(n))
    assert record.mistakes == record.bound == n


def test_the_perceptron_attains_its_bound() -> None:
    record = run(
        linear.Perceptron(),
        adversaries.PerceptronAdversary(0.25),
        declare={"margin": 0.25, "radius": 1},
    )
    assert record.mistakes == record.bound == 16


# Streams that some concept or expert fits ------------------------------------


def holds(record: Record) -> None:
    """Hold every point of a run against its bound."""
    for point in record.curve:
        assert point.bound is not None
        counted = point.regret if record.bound_of == "regret" else point.mistakes
        assert counted is not None
        assert counted <= point.bound + 1e-9 * max(1.0, point.loss or 0.0)
    assert not record.exceeded


@given(st.data())
def test_no_run_of_a_rule_exceeds_its_bound(data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.integers(0, 31), min_size=1, max_size=40))
    X = [{j: 1 for j in range(5) if row >> j & 1} for row in rows]
    conjunction = [(x, bool(1 in x and 3 in x)) for x in X]
    for learner in (
        boolean.ConjunctionLearner(),
        boolean.ConjunctionLearner(monotone=True),
        boolean.KCNFLearner(2),
        boolean.KDNFLearner(2),
    ):
        holds(run(learner, conjunction))
    holds(run(boolean.DecisionListLearner(), conjunction, declare={"length": 3}))
    disjunction = [(x, bool(1 in x or 3 in x)) for x in X]
    numbers = {"features": 5, "relevant": 2}
    winnow = linear.Winnow(threshold=5, eliminate=True)
    holds(run(winnow, disjunction, declare=numbers))
    holds(run(linear.Winnow.for_disjunction(5), disjunction, declare=numbers))


@given(st.data())
def test_no_run_with_experts_exceeds_its_bound(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 6))
    votes = st.lists(st.booleans(), min_size=n, max_size=n)
    rounds = data.draw(st.lists(st.tuples(votes, st.booleans()), min_size=1))
    for learner in (
        experts.Halving(restart=True),
        experts.WeightedMajority(0.7),
        experts.FloorWeightedMajority(),
        experts.ExponentialWeights(0.4, "zero-one"),
        experts.AdaHedge("zero-one"),
    ):
        holds(run(learner, rounds))
    drawn = experts.RandomizedWeightedMajority(0.3)
    assert not run(drawn, rounds).exceeded
    perfect = [([y, *votes], y) for votes, y in rounds]
    holds(run(experts.Halving(), perfect))
    numbers = [([float(v) for v in votes], float(y)) for votes, y in rounds]
    for charged in (
        experts.ExponentialWeights(0.5),
        experts.ExponentialWeights(2.0, "absolute"),
        experts.FixedShare(0.5, 0.05),
        experts.AdaHedge(range=(0, 1)),
        experts.MLPoly(form="published"),
        experts.MLProd(form="published"),
        experts.BOA(form="published"),
    ):
        holds(run(charged, numbers))


def test_who_sleeps_is_not_promised_what_needs_everyone_awake() -> None:
    stream = [({"a": True, "b": False}, True), ({"a": True}, False)]
    for learner in (
        experts.Halving(),
        experts.WeightedMajority(),
        experts.RandomizedWeightedMajority(),
    ):
        first, second = bounds(run(learner, stream))
        assert first is not None
        assert second is None
    numbers: Any = [({"a": 1.0, "b": 0.0}, 1.0), ({"a": 1.0}, 0.0)]
    record = run(experts.ExponentialWeights(0.5, "absolute"), numbers)
    assert record.theorem == "SLEEP-T"


@pytest.mark.parametrize(
    "made", [experts.Halving, experts.WeightedMajority], ids=lambda made: made.__name__
)
def test_a_sleeper_is_seen_in_a_block_once_its_round_is_played(made: Any) -> None:
    learner = made(experts=["a", "b"])
    F = [[1.0, 0.0], [1.0, 2.0], [1.0, math.nan]]
    with pytest.raises(ExampleError):
        learner.play(F, [1, 1, 1], awake=[[True, True], [True, True], [True, False]])
    assert live_bound(learner) is not None
    learner.play([[1.0, 0.0], [1.0, 0.0]], [1, 1], awake=[[True, True], [True, False]])
    assert live_bound(learner) is None
    named = made(experts=["a", "b"])
    named.play([{"a": 1}], [1])  # a block whose columns leave b out
    assert live_bound(named) is None


def test_who_joins_ends_the_promise() -> None:
    learner = experts.WeightedMajority(experts=2)
    assert live_bound(learner) is not None
    learner.join()
    assert live_bound(learner) is None


def test_a_promise_survives_being_saved() -> None:
    learner = experts.WeightedMajority(experts={"a": 3.0, "b": 1.0})
    learner.learn_one({"a": True, "b": True}, False)
    kept = copy.deepcopy(learner)
    assert live_bound(kept) == live_bound(learner) is not None
    learner.learn_one({"a": True}, False)
    kept = copy.deepcopy(learner)
    assert live_bound(kept) is None


# Premises that are broken -----------------------------------------------------


def test_a_bound_that_is_exceeded_is_told_loudly() -> None:
    stream = [([True, True], False)] * 3
    record = run(experts.Halving(), stream)
    assert record.exceeded
    assert "3 mistakes (100.00%), MORE THAN 1, so a premise of HALV is broken" in repr(
        record
    )
    assert record.to_dict()["exceeded"]


def test_where_no_concept_fits_nothing_is_promised() -> None:
    stream = [({"a": 1}, True), ({"a": 1}, False)]
    record = run(boolean.ConjunctionLearner(), stream)
    assert bounds(record) == [2.0, None]
    assert (record.bound, record.theorem, record.bound_of) == (None, None, None)


# What may be declared ---------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"relevnt": 3}, "run: declare takes features, relevant for Winnow, .*relev"),
        ({"threshold": 3}, "got 'threshold'"),
        ({"relevant": math.nan}, "declared relevant must be .*, got nan"),
        ([("relevant", 3)], "run: declare must map names to numbers"),
    ],
)
def test_what_may_not_be_declared_is_refused(declared: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        run(linear.Winnow(threshold=3, eliminate=True), [], declare=declared)


def test_only_a_newborn_learner_of_ours_may_be_declared_for() -> None:
    learner = linear.Perceptron()
    stream = [([-1.0], 0)]
    numbers = {"margin": 1, "radius": 1}
    assert run(learner, stream, declare=numbers).bound == 1.0
    with pytest.raises(ParameterError, match="learned nothing before"):
        run(learner, stream, declare=numbers)
    assert run(learner, stream).bound is None

    class Yes:
        def predict_one(self, _: Any) -> bool:
            return True

        def learn_one(self, x: Any, y: Any) -> None: ...

    assert live_bound(Yes()) is None
    with pytest.raises(ParameterError, match="takes nothing for Yes, got 'margin'"):
        run(Yes(), stream, declare=numbers)


# Everyone, every way ----------------------------------------------------------

# Who promises nothing by itself: opera's forms, losses of any size, those that learn
# by slopes without a range, and one whose theorem is of losses in [0, 1].
SILENT = {
    repr(experts.MLProd(form="published", gradient=True, range=(-2, 2))),
    "AdaHedge(loss='square', gradient=False, range=None, experts=None)",
    "AdaHedge(loss='absolute', gradient=True, range=None, experts=None)",
    "MLPoly(loss='square', form='opera', gradient=False, range=None, experts=None)",
    "MLPoly(loss='absolute', form='opera', gradient=True, range=None, experts=None)",
    "MLProd(loss='square', form='opera', gradient=False, range=None, experts=None)",
    "BOA(loss='square', form='opera', gradient=False, range=None, experts=None)",
}


@pytest.mark.parametrize("entry", some(ADVISED), ids=str)
def test_learners_with_advice_promise_the_same_each_way(
    entry: AdviceEntry, tmp_path: Path
) -> None:
    world = fixed_advice(entry, rounds=700, n=5)
    made = entry.made
    one_by_one = run(
        made.clone(), zip(world.rows(), world.outcomes(), strict=True), keep="nothing"
    )
    block = run(made.clone(), streams.advice(world.F, world.y))
    assert one_by_one.curve == block.curve
    lines = [",".join(["y", *"abcde"])]
    lines += [
        ",".join(map(repr, [float(y), *row]))
        for row, y in zip(world.rows(), world.outcomes(), strict=True)
    ]
    file = tmp_path / "advice.csv"
    file.write_text("\n".join(lines) + "\n")
    outcome: Any = "label" if entry.labels else "number"
    read = streams.forecasts(file, label="y", outcome=outcome)
    assert run(made.clone(), read).curve == block.curve
    slopes = made.get_params().get("gradient") and not made.get_params()["range"]
    promised = [bound is not None for bound in bounds(block)]
    assert set(promised) == {repr(made) not in SILENT and not slopes}
    assert all(point.regret is not None for point in block.curve)
    assert block.exceeded is (type(made) is experts.Halving and not made.restart)


@pytest.mark.parametrize("entry", BOOLEAN_ENTRIES, ids=str)
def test_bounds_of_rules_grow_with_the_features_in_every_round(
    entry: BooleanEntry,
) -> None:
    if entry.closed:
        pytest.skip("its features are declared")
    # A new feature in nearly every round, and a label that soon nothing explains.
    examples = [({9 - t % 9: 1.0, t + 10: 1.0}, t % 3 == 0) for t in range(100)]
    X = [[float(j in x) for j in range(110)] for x, _ in examples]
    block = run(entry.made.clone(), streams.arrays(X, [y for _, y in examples]))
    assert run(entry.made.clone(), examples).curve == block.curve
    one_by_one, promised = entry.made.clone(), []
    for x, y in examples:
        one_by_one.learn_one(x, y)
        promised.append(live_bound(one_by_one))
    assert bounds(block) == [found and found[1] for found in promised]


@pytest.mark.parametrize("entry", BOOLEAN_ENTRIES, ids=str)
def test_learners_of_rules_promise_the_same_each_way(
    entry: BooleanEntry, tmp_path: Path
) -> None:
    rng = np.random.default_rng(5)
    X = (rng.random((700, 12)) < 0.4).astype(float)
    y = X[:, 3] > 0
    declared = {"length": 2, "relevant": 1}  # a list of two rules, or one term
    declared = {k: v for k, v in declared.items() if k in declarable(entry.made)}
    block = run(entry.made.clone(), streams.arrays(X, y), declare=declared)
    examples = [
        (dict.fromkeys(np.flatnonzero(x).tolist(), 1.0), v)
        for x, v in zip(X, y, strict=True)
    ]
    assert run(entry.made.clone(), examples, declare=declared).curve == block.curve
    file = tmp_path / "rows.svm"
    with file.open("w") as out:
        for x, label in examples:
            out.write(f"{int(label)} {' '.join(f'{j + 1}:1' for j in x)}\n")
    if not entry.closed:
        read = streams.svmlight(file)
        assert run(entry.made.clone(), read, declare=declared).curve == block.curve
    holds(block)


@pytest.mark.parametrize("entry", ENTRIES, ids=str)
def test_no_linear_learner_promises_what_it_cannot_know(entry: Any) -> None:
    learner: Learner = entry.made.clone()
    assert live_bound(learner) is None
    assert declarable(learner).keys().isdisjoint(learner.get_params())


def test_finite_classes_promise_by_their_size() -> None:
    concepts = [lambda x, k=k: x == k for k in range(8)]
    stream = [(x, x == 5) for x in (0, 3, 5)]
    for learner, bound in (
        (boolean.ConsistentLearner(concepts), 7.0),
        (boolean.VersionSpaceLearner(concepts), 3.0),
        (boolean.StandardOptimalLearner(concepts, range(8)), 1.0),
    ):
        assert bounds(run(learner, stream)) == [bound] * 3


def test_a_committee_promises_what_its_rule_does() -> None:
    members = {"p": linear.Perceptron(), "w": linear.Winnow(threshold=2)}
    committee = experts.Committee(members, experts.WeightedMajority())
    stream = [({"a": 1}, True), ({"b": 1}, False), ({"b": 1}, False)]
    record = run(committee, stream)
    assert record.theorem == "WM"
    assert not record.exceeded


# What is shown ----------------------------------------------------------------


def test_lines_carry_the_bound_and_the_regret() -> None:
    turns: list[Batch] = []
    out = StringIO()
    stream = [([True, False], True), ([True, False], False)] + [([1, 0], 1)] * 6
    with Lines(out) as lines:

        def watch(batch: Batch) -> None:
            turns.append(batch)
            lines(batch)

        run(experts.WeightedMajority(), stream, observe=watch)
    head, under, *rows = out.getvalue().splitlines()
    assert head.split()[3:6] == ["mistakes", "at", "most"]
    assert under.split()[3:7] == ["total", "by", "now", "to"]
    assert [row.split()[4:6] for row in rows] == [
        *([["vacuous", "0"]] * 3),  # at most 4.81884 in 4 rounds
        ["4.81884", "0"],
    ]
    assert turns[0].standing(1).theorem == "WM"


def test_lines_without_a_bound_stay_as_they_were() -> None:
    out = StringIO()
    with Lines(out) as lines:
        run(linear.Perceptron(), [([1.0], 1)], observe=lines)
    assert out.getvalue().startswith(Lines.HEADER)
    assert len(out.getvalue().splitlines()[2].split()) == 7


def test_the_command_takes_what_is_declared(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 1:1\n0 2:1\n1 1:1 3:1\n" * 4)
    words = ("run", file, "-l", "winnow", "--threshold", "4", "--eliminate")
    known = ("--declare", "features=4,relevant=1")
    assert "\nbound     5 mistakes (WIN1)\n" in call(*words, *known).stdout
    apart = ("--declare", "features=4", "--declare", "relevant=1", "--json")
    facts = json.loads(call(*words, *apart).stdout)
    assert (facts["bound"], facts["theorem"]) == (5.0, "WIN1")
    assert Point(**facts["curve"][-1]).bound == 5.0
    done = call(*words, "--declare", "relevant")
    assert done.returncode != 0
    assert "--declare must be names and numbers" in done.stderr
