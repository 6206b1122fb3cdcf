"""PAC promises hold over thousands of draws, and what breaks them is told."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from littlestone import boolean, pac, run, theorems
from littlestone.boolean import (
    ConsistentLearner,
    StandardOptimalLearner,
    VersionSpaceLearner,
)
from littlestone.errors import ParameterError, PremiseError, StreamError
from littlestone.experts import ExponentialWeights
from littlestone.linear import (
    AROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    PassiveAggressive,
    Perceptron,
    VotedPerceptron,
    Winnow,
)
from littlestone.theorems._tails import upper_limit


def test_chances_may_be_any_numbers() -> None:
    rule = pac.Conjunctions(5)
    narrow: Any = np.float32(0.125)
    written: Any = Decimal("0.125")
    exact: Any = Fraction(1, 8)
    wanted = pac.sample_size(rule, 0.125, 0.125)
    assert pac.sample_size(rule, narrow, narrow) == wanted
    assert pac.sample_size(rule, written, exact) == wanted


def fails_less_than(delta: float, failures: int, draws: int) -> bool:
    """Tell whether a failure rate is surely below delta, at 99.9 %."""
    return upper_limit(failures, draws, Fraction(1, 1000)) < Fraction(delta)


# Sample sizes ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cls", "name", "size", "mistakes"),
    [
        (pac.Conjunctions(3), "conjunctions over 3 features", 28, 4),
        (
            pac.Conjunctions(3, monotone=True),
            "monotone conjunctions over 3 features",
            8,
            3,
        ),
        (pac.Disjunctions(1), "disjunctions over 1 feature", 4, 2),
        (pac.KCNF(3, 2), "2-CNFs over 3 features", 2**18, 1 + 3 + 9),
        (pac.KDNF(2, 1), "1-DNFs over 2 features", 16, 3),
        # N_1 = 5 terms, at most 3 rules: (10 - 3) 3 + 3
        (pac.DecisionLists(2), "1-decision lists over 2 features", 2 * 16, 24),
        # N_2 = 9 terms, in any order, each with a label: (18 - 9) 9 + 36
        (
            pac.DecisionLists(2, 2),
            "2-decision lists over 2 features",
            math.factorial(9) * 2**9,
            117,
        ),
        (pac.Finite(1), "a class of 1 concept", 1, 0),
        (pac.Finite(1025), "a class of 1,025 concepts", 1025, 10),
    ],
)
def test_a_class_knows_its_size_and_the_mistakes_of_its_learner(
    cls: pac.ConceptClass, name: str, size: int, mistakes: int
) -> None:
    assert str(cls) == name
    assert cls.size == size
    low, high = cls.log_size
    assert float(low) == pytest.approx(math.log(size))
    assert low <= high
    assert cls.mistake_bound == mistakes
    assert cls.formula


@pytest.mark.parametrize(
    "cls",
    [
        pac.Conjunctions(10**6),
        pac.Disjunctions(10**6, monotone=True),
        pac.KCNF(10**6, 3),
        pac.KDNF(10**6, 3),
        pac.DecisionLists(10**6),
        pac.DecisionLists(10**6, 3),
    ],
)
def test_a_million_features_have_a_sample_size(cls: pac.ConceptClass) -> None:
    assert cls.size is None
    enough = pac.sample_size(cls, 0.05, 0.01)
    assert enough > 10**7
    assert pac.sample_size(cls, 0.05, 0.01, agnostic=True) > 30 * enough
    assert cls.mistake_bound >= 10**6


def test_decision_lists_worked_by_hand() -> None:
    # ln 22! = 48.471181 and 22 ln 4 = 30.498476: (78.969657 + 4.605170) / 0.05
    assert pac.sample_size(pac.DecisionLists(22), 0.05, 0.01) == 1672
    # 800 (78.969657 + ln 200 = 5.298317) = 67,414.38
    assert pac.sample_size(pac.DecisionLists(22), 0.05, 0.01, agnostic=True) == 67415


def test_harder_demands_need_more_examples() -> None:
    plain = pac.sample_size(pac.KDNF(5, 2), 0.1, 0.1)
    assert plain < pac.sample_size(pac.KDNF(6, 2), 0.1, 0.1)
    assert plain < pac.sample_size(pac.KDNF(5, 3), 0.1, 0.1)
    assert plain < pac.sample_size(pac.KDNF(5, 2), 0.09, 0.1)
    assert plain < pac.sample_size(pac.KDNF(5, 2), 0.1, 0.09)


def test_senseless_classes_and_chances_are_refused() -> None:
    with pytest.raises(ParameterError, match="Conjunctions: n must be a whole number"):
        pac.Conjunctions(0)
    with pytest.raises(ParameterError, match="Disjunctions: monotone must be True"):
        pac.Disjunctions(3, monotone="yes")  # type: ignore[arg-type]  # that is the test
    with pytest.raises(ParameterError, match="KDNF: k must be a whole number"):
        pac.KDNF(3, 0)
    with pytest.raises(ParameterError, match="Finite: concepts must be a whole number"):
        pac.Finite(2.5)  # type: ignore[arg-type]  # that is the test
    with pytest.raises(
        ParameterError, match="sample_size: cls must be a class such as"
    ):
        pac.sample_size(8, 0.1, 0.1)  # type: ignore[arg-type]  # that is the test
    for wrong in (0, 1, -1, math.nan, "0.1"):
        with pytest.raises(ParameterError, match="delta must lie between 0 and 1, got"):
            pac.sample_size(pac.Finite(8), 0.1, wrong)  # type: ignore[arg-type]  # so


# The hardest class: all but the target err on a region of their own ------------------


class Region:
    """Says yes in one region; the truth says yes nowhere."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, x: int) -> bool:
        """Answer."""
        return x == self.number


EPSILON = 0.1
RISK = 0.105  # of every concept but the last one
REGIONS = 6
CONCEPTS = [*map(Region, range(REGIONS)), Region(-1)]


def draw(rng: np.random.Generator, *shape: int) -> NDArray[np.int64]:
    """Draw regions, each with the chance RISK; a larger number is no region."""
    return (rng.random(shape) / RISK).astype(np.int64)


def risk(concept: Region) -> float:
    return 0.0 if concept.number < 0 else RISK


def endless(rng: np.random.Generator) -> Any:
    """Draw examples for ever."""
    for _ in count():
        yield from ((x, False) for x in draw(rng, 64).tolist())


def test_consistent_learners_fail_less_often_than_delta() -> None:
    delta, draws = 0.3, 1000
    size = pac.sample_size(pac.Finite(len(CONCEPTS)), EPSILON, delta)
    rng = np.random.default_rng(1)
    failures = 0
    for drawn in draw(rng, draws, size).tolist():
        learner = ConsistentLearner(CONCEPTS)
        for x in drawn:
            learner.learn_one(x, y=False)
        failures += risk(learner.concept_) > EPSILON
    assert fails_less_than(delta, failures, draws)
    # A bad region stays unseen with the chance (1 - RISK)^size: it is no empty test.
    assert failures > draws * (1 - RISK) ** size


def test_the_fewest_mistakes_are_close_to_the_least_risk() -> None:
    # Every concept but one is worse than the best by just more than epsilon.
    delta, draws, noise = 0.2, 4000, 0.3
    size = pac.sample_size(pac.Finite(8), EPSILON, delta, agnostic=True)
    rng = np.random.default_rng(2)
    best = rng.binomial(size, noise, draws)
    others = rng.binomial(size, noise + RISK, (draws, 7)).min(axis=1)
    assert fails_less_than(delta, int((others <= best).sum()), draws)


@pytest.mark.soak
def test_survivors_fail_less_often_than_delta() -> None:
    delta, draws = 0.25, 700
    rng = np.random.default_rng(3)
    failures = 0
    for _ in range(draws):
        done = pac.convert(ConsistentLearner(CONCEPTS), endless(rng), EPSILON, delta)
        assert done.examples <= theorems.MB2PAC_SURVIVE.bound(
            mistakes=REGIONS, epsilon=EPSILON, delta=delta
        )
        failures += risk(done.concept) > EPSILON
    assert failures > 0
    assert fails_less_than(delta, failures, draws)


@pytest.mark.soak
def test_the_fast_conversion_fails_less_often_than_delta() -> None:
    delta, draws = 0.3, 300
    rng = np.random.default_rng(4)
    failures = 0
    for _ in range(draws):
        # A bound that is too small is found out: then nothing is promised.
        try:
            learner = ConsistentLearner(CONCEPTS)
            done = pac.convert(
                learner, endless(rng), EPSILON, delta, method="fast", mistakes=5
            )
        except PremiseError:
            continue
        failures += risk(done.concept) > EPSILON
    assert fails_less_than(delta, failures, draws)
    done = pac.convert(
        ConsistentLearner(CONCEPTS), endless(rng), EPSILON, delta, method="fast"
    )
    assert risk(done.concept) == 0
    assert done.mistakes == REGIONS
    assert done.examples == sum(theorems.fast_sizes(REGIONS, EPSILON, delta))


# Conversions -------------------------------------------------------------------------


def coins(rng: np.random.Generator, features: int = 6) -> Any:
    """Draw rows of coins for ever; the first or the second decides."""
    while True:
        row = rng.integers(2, size=features)
        yield row.astype(float), bool(row[0] or row[1])


@pytest.mark.parametrize("method", ["survive", "fast"])
@pytest.mark.parametrize(
    "learner",
    [Perceptron(bias=1.0), Winnow(threshold=6), VotedPerceptron(bias=1.0)],
    ids=lambda learner: type(learner).__name__,
)
def test_linear_learners_are_converted(learner: Any, method: Any) -> None:
    rng = np.random.default_rng(5)
    fresh = learner.clone()
    done = pac.convert(
        fresh, coins(rng), epsilon=0.1, delta=0.05, method=method, mistakes=40
    )
    assert done.promise.epsilon == 0.1
    assert done.promise.theorem.id == f"MB2PAC-{method.upper()}"
    assert done.concept is None
    assert done.weights == dict(done.learner.weights_)
    tested = [next(coins(rng)) for _ in range(2000)]
    wrong = sum(done.learner.predict_one(x) != y for x, y in tested)
    assert wrong / 2000 < 0.13
    assert f"the risk is at most 0.1 ({done.promise.theorem.id}, " in str(done)


def test_only_mistakes_are_learned_from() -> None:
    learner = Perceptron(update="margin")
    stream = [({"a": 1}, True)] * 100  # right from birth, by a tie
    done = pac.convert(learner, stream, epsilon=0.2, delta=0.1, mistakes=1)
    assert learner.updates_ == done.mistakes == 0
    assert done.examples == theorems.survival_length(1, 0.2, 0.1)


def test_many_classes_can_be_converted() -> None:
    rng = np.random.default_rng(6)
    classes = ["red", "green", "blue"]

    def stream() -> Any:
        while True:
            at = int(rng.integers(3))
            yield {at: 1.0}, classes[at]

    done = pac.convert(MulticlassPerceptron(), stream(), 0.1, 0.1, mistakes=6)
    assert [done.learner.predict_one({at: 1.0}) for at in range(3)] == classes


def test_the_stream_is_read_only_as_far_as_needed() -> None:
    stream = iter([({"a": 1}, True)] * 100)
    done = pac.convert(Perceptron(), stream, 0.2, 0.1, mistakes=1)
    assert len(list(stream)) == 100 - done.examples


def test_a_majority_is_no_concept_until_one_is_left() -> None:
    rng = np.random.default_rng(7)
    done = pac.convert(VersionSpaceLearner(CONCEPTS), endless(rng), EPSILON, 0.1)
    assert done.mistakes == 0  # most of them say no all the time
    assert done.concept is None
    stream = [(7, True)] + [(x % 9, x % 9 == 7) for x in range(1000)]
    learner = VersionSpaceLearner([Region(7), Region(-1), Region(-2)])
    done = pac.convert(learner, stream, EPSILON, 0.1)
    assert done.concept is learner.concepts[0]


def test_learners_of_a_class_know_their_bound() -> None:
    for learner, bound in (
        (ConsistentLearner(CONCEPTS), REGIONS),
        (VersionSpaceLearner(CONCEPTS), 2),
        (StandardOptimalLearner(CONCEPTS, range(REGIONS + 1)), 1),
    ):
        with pytest.raises(StreamError, match="up to [0-9,]+ more may be needed") as no:
            pac.convert(learner, [], EPSILON, 0.1)
        most = theorems.MB2PAC_SURVIVE.formula(
            mistakes=bound, epsilon=EPSILON, delta=0.1
        )
        assert f"up to {int(most):,} more" in str(no.value)


@pytest.mark.parametrize(
    ("name", "arguments", "bound"),
    [
        ("ConjunctionLearner", {"features": 6}, 7),
        ("DisjunctionLearner", {"features": 6, "monotone": True}, 6),
        ("KCNFLearner", {"k": 2, "features": 6}, 1 + 6 + 45),
        ("KDNFLearner", {"k": 2, "features": 6}, 1 + 6 + 45),
        # N_1 = 13 terms, at most 7 rules: (26 - 7) 7 + 21
        ("DecisionListLearner", {"features": 6}, 154),
    ],
)
@pytest.mark.parametrize("method", ["survive", "fast"])
def test_learners_of_rules_are_converted(
    name: str, arguments: dict[str, Any], bound: int, method: Any
) -> None:
    learner = getattr(boolean, name)(**arguments)
    truth = any if name[0] in "DK" else all
    rng = np.random.default_rng(8)

    def stream() -> Any:
        while True:
            row = rng.integers(2, size=6)
            yield row.astype(float), bool(truth(row[:2]))

    with pytest.raises(StreamError, match="may be needed"):
        pac.convert(learner.clone(), [], 0.1, 0.05)
    done = pac.convert(learner, stream(), 0.1, 0.05, method=method)
    assert done.mistakes <= bound
    wrong = 0
    for _ in range(500):
        x, y = next(stream())
        said = done.concept({j: v for j, v in enumerate(x) if v})
        assert said == done.learner.predict_one(x)
        wrong += said != y
    assert wrong / 500 < 0.15


def test_more_mistakes_than_promised_break_the_premise() -> None:
    stream = [({"a": 1.0}, label) for label in [False, True] * 50]
    learner = Perceptron()
    with pytest.raises(
        PremiseError,
        match=r"convert: Perceptron must make at most 3 mistakes, got one more",
    ):
        pac.convert(learner, stream, 0.1, 0.1, mistakes=3)
    assert learner.updates_ == 3


def test_a_stream_that_ends_tells_how_many_more_are_needed() -> None:
    length = theorems.survival_length(1, 0.1, 0.1)  # 10 ln 20: 30
    assert length == 30
    stream = [({"a": 1.0}, False)] * 10
    with pytest.raises(
        StreamError,
        match="must have more examples, got 10 examples; up to 21 more may be needed",
    ):
        pac.convert(Perceptron(), stream, 0.1, 0.1, mistakes=1)
    first, second = theorems.fast_sizes(1, 0.1, 0.1)
    with pytest.raises(StreamError, match=f"up to {first - 10 + second:,} more may be"):
        pac.convert(Perceptron(), stream, 0.1, 0.1, method="fast", mistakes=1)
    with pytest.raises(StreamError, match=f"up to {second - 5:,} more may be needed"):
        pac.convert(
            Perceptron(),
            [({"a": 1.0}, False)] * (first + 5),
            *(0.1, 0.1),
            method="fast",
            mistakes=1,
        )


def test_what_cannot_be_converted_is_refused() -> None:
    with pytest.raises(ParameterError, match="method must be 'survive' or 'fast', got"):
        pac.convert(Perceptron(), [], 0.1, 0.1, method="slow", mistakes=1)  # type: ignore[arg-type]  # so
    with pytest.raises(ParameterError, match="mistakes must be given for a learner"):
        pac.convert(Perceptron(), [], 0.1, 0.1)
    with pytest.raises(ParameterError, match="mistakes must be a whole number"):
        pac.convert(Perceptron(), [], 0.1, 0.1, mistakes=-1)
    with pytest.raises(ParameterError, match="epsilon must lie between 0 and 1"):
        pac.convert(Perceptron(), [], 1.5, 0.1, mistakes=1)
    with pytest.raises(ParameterError, match="must predict labels, got one that"):
        pac.convert(ExponentialWeights(eta=0.5), [], 0.1, 0.1, mistakes=1)


def test_a_promise_reads_as_one_says_it() -> None:
    promise = pac.Promise(0.05, 1e-9, theorems.MB2PAC_FAST, 1)
    assert str(promise) == (
        "with probability at least 0.999999999 the risk is at most 0.05 "
        "(MB2PAC-FAST, 1 example)"
    )
    fractions = pac.Promise(0.5, Fraction(1, 3), theorems.MB2PAC_FAST, 2)  # type: ignore[arg-type]  # works too
    assert "at least 2/3 the risk" in str(fractions)


# Runs that are over ------------------------------------------------------------------


@pytest.mark.soak
def test_bounds_on_runs_fail_less_often_than_delta() -> None:
    """Hold the bounds against risks that are known.

    Every example shows one feature, and every label is no. The Perceptron says yes
    until it has met the feature, so its risk is the chance of those not met.
    """
    delta, draws, rounds = 0.2, 300, 150
    rng = np.random.default_rng(9)
    shares = rng.dirichlet(np.ones(12) / 2)
    failures = {"survivors": 0, "mean": 0}
    for drawn in rng.choice(12, size=(draws, rounds), p=shares).tolist():
        record = run(Perceptron(), [(([x], [1.0]), False) for x in drawn])
        found = pac.risk_bound(record, delta)
        assert found.best is not None
        assert found.last is not None
        met: list[int] = []  # in the order of the mistakes
        risks = []
        for x in drawn:
            risks.append(1 - sum(shares[met]))
            if x not in met:
                met.append(x)
        assert record.mistakes == len(met) == found.last.before
        wrong = False
        for survivor in (found.best, found.last):
            wrong |= 1 - sum(shares[met[: survivor.before]]) > survivor.risk + 1e-12
        failures["survivors"] += int(wrong)
        failures["mean"] += float(np.mean(risks)) > found.mean
    assert fails_less_than(delta, failures["survivors"], draws)
    assert fails_less_than(delta, failures["mean"], draws)


@pytest.mark.parametrize("rate", [0.02, 0.3, 0.9])
def test_all_survivors_together_fail_less_often_than_delta(rate: float) -> None:
    # Hypotheses that all have the same risk, and luck that lasts for a while.
    delta, draws = 0.3, 3000
    rng = np.random.default_rng(10)
    survived = rng.geometric(rate, (draws, 50)) - 1
    at = np.arange(50)
    shares = delta / ((at + 1) * (at + 2))
    bound = 1 - shares ** (1 / np.maximum(survived, 1e-9))
    checked = theorems.MB2PAC_RUN.bound(
        before=7, survived=int(survived[0, 7]), delta=delta
    )
    assert checked == pytest.approx(bound[0, 7])
    failures = int((bound < rate).any(axis=1).sum())
    assert fails_less_than(delta, failures, draws)


def test_the_best_survivor_is_found() -> None:
    labels = [False, True, *[True] * 40, False, True, *[True] * 6]
    record = run(Perceptron(), [({"a": 1}, label) for label in labels])
    assert record.mistake_rounds is not None
    ends = [*record.mistake_rounds.tolist(), record.rounds]
    found = pac.risk_bound(record, 0.1)
    every, first = [], 0
    for before, end in enumerate(ends):
        bound = theorems.MB2PAC_RUN.bound(
            before=before, survived=end - first, delta=0.1
        )
        every.append(pac.Survivor(before, first, end - first, bound))
        first = end + 1
    assert found.best == min(every, key=lambda survivor: survivor.risk)
    assert found.last == every[-1]
    assert found.best != found.last
    assert f"for the hypothesis of rounds {found.best.first} to " in str(found)


def test_only_the_mean_is_told_of_learners_that_change_without_a_mistake() -> None:
    # The second example finds the passive-aggressive one right, but too close.
    wrong = [({"a": 1.0}, False), ({"a": 0.5}, False), ({"b": 1.0}, False)]
    tied = [({"a": 1.0}, True)]
    players: list[tuple[Any, Any]] = [
        (VotedPerceptron(), wrong),
        (PassiveAggressive(), wrong),
        (Perceptron(update="margin"), tied),
        (NobodyKnows(), wrong),
    ]
    for learner, stream in players:
        found = pac.risk_bound(run(learner, stream * 9), 0.1)
        assert found.best is found.last is None
        assert "MB2PAC-RUN" not in str(found)
        assert found.mean > 0
    # A right answer changes them, and a mistake on nothing does not: one of each.
    hidden = [({"a": -0.25}, True), ({}, False)]
    margins: list[Any] = [AROW(), MulticlassPassiveAggressive(), PassiveAggressive()]
    for learner in margins:
        record = run(learner, hidden)
        assert record.updates is not None
        assert record.updates <= record.mistakes
        assert pac.risk_bound(record, 0.1).best is None
    kept = run(Perceptron(), wrong, keep="nothing")
    assert pac.risk_bound(kept, 0.1).best is None


class NobodyKnows:
    """Does not tell when it changes."""

    def predict_one(self, x: Any, /) -> bool:
        """Say yes to all that shows something."""
        return bool(x)

    def learn_one(self, x: Any, y: Any, /) -> None:
        """Learn nothing."""


def test_a_mistake_in_the_last_round_leaves_nothing_to_say() -> None:
    record = run(Perceptron(), [({"a": 1.0}, False)])
    found = pac.risk_bound(record, 0.1)
    assert found.last is not None
    assert found.last.risk == found.mean == 1
    assert "  1 for the learner as it is, which survived the last 0" in str(found)
    assert "hypothesis of rounds" not in str(found)


def test_runs_that_say_nothing_are_refused() -> None:
    stream = [({"a": 1.0}, False)]
    twice = run(Perceptron(), stream, passes=2)
    with pytest.raises(ParameterError, match="must be played once, got 2 passes"):
        pac.risk_bound(twice, 0.1)
    with pytest.raises(ParameterError, match="a record must have rounds, got none"):
        pac.risk_bound(run(Perceptron(), []), 0.1)
    with pytest.raises(ParameterError, match="delta must lie between 0 and 1, got 2"):
        pac.risk_bound(run(Perceptron(), stream), 2)
    numbers = run(ExponentialWeights(eta=0.5), [([0.5, 0.7], 0.6)])
    with pytest.raises(ParameterError, match="must be of labels, got one of numbers"):
        pac.risk_bound(numbers, 0.1)


# Estimates ---------------------------------------------------------------------------


def test_both_intervals_cover_every_risk_often_enough() -> None:
    n, delta = 40, 0.1
    found = [pac.estimate(Fraction(k, n), n, delta) for k in range(n + 1)]
    for p in np.linspace(0, 1, 301):
        chances = stats.binom.pmf(np.arange(n + 1), n, p)
        for kind in ("exact", "hoeffding"):
            covers = [
                low <= p <= high for low, high in (getattr(e, kind) for e in found)
            ]
            assert chances[covers].sum() >= 1 - delta - 1e-12
    widths = [
        np.mean([high - low for low, high in (getattr(e, kind) for e in found)])
        for kind in ("exact", "hoeffding")
    ]
    assert widths[0] < widths[1]


@pytest.mark.parametrize(("k", "n"), [(7, 100), (1, 3), (123, 1000), (0, 5), (5, 5)])
def test_a_share_may_be_a_float_or_a_fraction(k: int, n: int) -> None:
    found = pac.estimate(k / n, n, 0.05)
    assert found == pac.estimate(Fraction(k, n), n, 0.05)
    low, high = (float(limit) for limit in theorems.clopper_pearson(k, n, 0.05))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.low, found.high) == found.exact
    assert Fraction(found.low) <= theorems.clopper_pearson(k, n, 0.05)[0]
    assert found.hoeffding[0] >= 0
    assert found.hoeffding[1] <= 1


def test_what_is_no_share_of_mistakes_is_refused() -> None:
    with pytest.raises(
        ParameterError, match=r"whole number of mistakes over n, such as 1/3, got 0.333"
    ):
        pac.estimate(0.333, 3, 0.1)
    for wrong in (-0.5, 1.5, math.nan, "half", None):
        with pytest.raises(ParameterError, match=r"p_hat must lie in \[0, 1\], got"):
            pac.estimate(wrong, 4, 0.1)  # type: ignore[arg-type]  # that is the test
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1"):
        pac.estimate(0, 0, 0.1)


def test_limits_are_written_outward() -> None:
    found = pac.estimate(Fraction(3, 200), 200, 0.05)
    text = str(found).split(" between ")[1]
    low, _, high, _ = text.split()
    assert float(low) <= found.low
    assert float(high) >= found.high
