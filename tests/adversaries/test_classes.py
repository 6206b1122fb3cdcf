"""The adversaries of Boolean classes: what they force, and that some concept fits."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import linear, run, theorems
from littlestone.adversaries import (
    Adversary,
    ConjunctionAdversary,
    DisjunctionAdversary,
    SingletonAdversary,
    TreeAdversary,
)
from littlestone.boolean import (
    ConsistentLearner,
    StandardOptimalLearner,
    VersionSpaceLearner,
    littlestone_dimension,
)
from littlestone.concepts import Conjunction, Disjunction, Literal
from littlestone.errors import ParameterError
from littlestone.experts import FollowTheMajority

Round = tuple[Any, bool]


def play(adversary: Any, predictions: Sequence[bool]) -> list[Round]:
    """Play by hand, see in every round that the concept fits, return the rounds."""
    adversary.restart()
    rounds: list[Round] = []
    for prediction in predictions:
        x = adversary.ask()
        rounds.append((x, adversary.answer(prediction)))
        assert all(bool(adversary.concept_(x)) == y for x, y in rounds)
    return rounds


class Elimination:
    """Elimination of literals, from the premises of `CONJ` and `DISJ` alone."""

    def __init__(self, n: int, conjunction: bool) -> None:
        self.conjunction = conjunction
        self.alive = [(i, sign) for i in range(n) for sign in (True, False)]

    def predict_one(self, x: dict[int, int]) -> bool:
        """Say what the conjunction or disjunction of the literals alive says."""
        values = [(i in x) == sign for i, sign in self.alive]
        return all(values) if self.conjunction else any(values)

    def learn_one(self, x: dict[int, int], y: bool) -> None:
        """Drop what misled it."""
        if self.predict_one(x) != y:
            self.alive = [
                (i, s) for i, s in self.alive if ((i in x) == s) == self.conjunction
            ]


def conjunctions(n: int) -> list[Conjunction]:
    signs = itertools.product((None, True, False), repeat=n)
    return [
        Conjunction(*(Literal(i, s) for i, s in enumerate(of) if s is not None))
        for of in signs
    ] + [Conjunction.never()]


def points(n: int) -> list[dict[int, int]]:
    return [
        {i: 1 for i in range(n) if bits[i]}
        for bits in itertools.product((0, 1), repeat=n)
    ]


# By hand -----------------------------------------------------------------------------


def test_one_feature_is_false_at_a_time() -> None:
    adversary = ConjunctionAdversary(3)
    assert play(adversary, [True, False, True]) == [
        ({1: 1, 2: 1}, False),
        ({0: 1, 2: 1}, True),
        ({0: 1, 1: 1}, False),
    ]
    assert adversary.concept_ == Conjunction(0, 2)
    assert adversary.ask() is None


def test_one_feature_is_true_at_a_time() -> None:
    adversary = DisjunctionAdversary(3)
    assert play(adversary, [True, False, True]) == [
        ({0: 1}, False),
        ({1: 1}, True),
        ({2: 1}, False),
    ]
    assert adversary.concept_ == Disjunction(1)


def test_negations_compare_with_the_first_example_that_is_told_yes() -> None:
    adversary = ConjunctionAdversary(4, negations=True)
    # Yes is said of 1111 and 0111; then 1011 is labelled yes, and 1 is negated.
    assert play(adversary, [True, True, False, True, False]) == [
        ({0: 1, 1: 1, 2: 1, 3: 1}, False),
        ({1: 1, 2: 1, 3: 1}, False),
        ({0: 1, 2: 1, 3: 1}, True),
        ({2: 1, 3: 1}, False),
        ({0: 1, 3: 1}, True),
    ]
    assert adversary.concept_ == Conjunction(~Literal(1), 0)


def test_negated_disjunctions_mirror_that() -> None:
    adversary = DisjunctionAdversary(2, negations=True)
    assert play(adversary, [False, True, False]) == [
        ({}, True),
        ({0: 1}, False),
        ({0: 1, 1: 1}, True),
    ]
    assert adversary.concept_ == Disjunction(~Literal(0), 1)
    adversary.restart()
    assert adversary.concept_ == Disjunction.always()


def test_a_singleton_hides_behind_no() -> None:
    adversary = SingletonAdversary(4)
    assert play(adversary, [True, False, True]) == [
        ({0: 1}, False),
        ({1: 1}, False),
        ({2: 1}, False),
    ]
    assert adversary.concept_ == Conjunction(3)
    assert play(adversary, [True, False, False])[-1] == ({2: 1}, True)
    assert adversary.concept_ == Conjunction(2)


def test_a_tree_of_thresholds_is_walked_by_bisection() -> None:
    thresholds = [lambda x, k=k: x >= k for k in range(8)]
    adversary = TreeAdversary(thresholds, range(7))
    assert adversary.rounds == 3
    assert play(adversary, [False, True, False]) == [(3, True), (1, False), (2, True)]
    assert adversary.concept_ is thresholds[2]


def test_a_class_that_says_one_thing_forces_nothing() -> None:
    adversary = TreeAdversary([Conjunction(0), Conjunction(0, 0)], points(2))
    assert adversary.rounds == 0
    assert adversary.ask() is None
    assert run(FollowTheMajority(), adversary).rounds == 0


# What is forced ----------------------------------------------------------------------


MADE = [
    *(ConjunctionAdversary(n) for n in (1, 2, 5)),
    *(ConjunctionAdversary(n, negations=True) for n in (1, 2, 5)),
    *(DisjunctionAdversary(n) for n in (1, 2, 5)),
    *(DisjunctionAdversary(n, negations=True) for n in (1, 2, 5)),
    TreeAdversary(conjunctions(2), points(2)),
    TreeAdversary(conjunctions(3), points(3)),
    SingletonAdversary(2),
    SingletonAdversary(6),
]


@pytest.mark.parametrize("adversary", MADE, ids=lambda made: repr(made)[:60])
def test_a_concept_fits_whatever_is_predicted(adversary: Any) -> None:
    for predictions in itertools.product((False, True), repeat=adversary.rounds):
        rounds = play(adversary, predictions)
        wrong = [y != said for (_, y), said in zip(rounds, predictions, strict=True)]
        least = 1 if isinstance(adversary, SingletonAdversary) else adversary.rounds
        assert sum(wrong) >= least
        assert adversary.ask() is None
        assert adversary.best_ == 0
        # No example is shown twice, so no answer could have been known.
        shown = [sorted(x) for x, _ in rounds]
        assert all(shown.count(x) == 1 for x in shown)


LEARNERS: list[Callable[[], Any]] = [
    linear.Perceptron,
    lambda: linear.Perceptron(bias=1),
    lambda: linear.Winnow(threshold=4),
    lambda: linear.Winnow(threshold=4, eliminate=True),
    linear.AROW,
    linear.PassiveAggressive,
    FollowTheMajority,
    lambda: VersionSpaceLearner(conjunctions(4)),
    lambda: ConsistentLearner(conjunctions(4)),
    lambda: StandardOptimalLearner(conjunctions(4), points(4)),
]


@pytest.mark.parametrize("made", LEARNERS)
@pytest.mark.parametrize("negations", [False, True])
def test_no_learner_escapes(made: Callable[[], Any], negations: bool) -> None:
    conjunction = ConjunctionAdversary(4, negations)
    record = run(made(), conjunction)
    assert record.mistakes == record.rounds == 4 + negations
    lower = theorems.CONJ_LB.bound(features=4, negations=negations)
    assert record.mistakes == lower
    if not hasattr(made(), "concepts"):  # which are conjunctions, not disjunctions
        record = run(made(), DisjunctionAdversary(4, negations))
        assert record.mistakes == theorems.DISJ_LB.bound(
            features=4, negations=negations
        )


@pytest.mark.parametrize("n", [1, 2, 3, 10, 100])
def test_elimination_attains_its_bound(n: int) -> None:
    for conjunction, adversary, theorem in (
        (True, ConjunctionAdversary(n, negations=True), theorems.CONJ),
        (False, DisjunctionAdversary(n, negations=True), theorems.DISJ),
    ):
        learner = Elimination(n, conjunction)
        assert run(learner, adversary).mistakes == theorem.bound(features=n)


def test_elimination_attains_its_bound_on_a_plain_stream() -> None:
    n = 6
    stream: list[Round] = [(dict.fromkeys(range(n), 1), True)]
    stream += [({j: 1 for j in range(n) if j != i}, True) for i in range(n)]
    assert run(Elimination(n, conjunction=True), stream).mistakes == n + 1


@given(size=st.integers(2, 40))
def test_singletons_defeat_the_first_that_fits(size: int) -> None:
    adversary = SingletonAdversary(size)
    consistent = ConsistentLearner(adversary.concepts)
    lower = theorems.CONSISTENT_LB.bound(concepts=size)
    assert run(consistent, adversary).mistakes == lower == size - 1
    assert consistent.version_space_ == (adversary.concept_,)
    halving = VersionSpaceLearner(adversary.concepts)
    mistakes = run(halving, adversary).mistakes
    assert mistakes == 1 <= theorems.HALV.bound(experts=size)
    assert halving.concept_ == adversary.concept_


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_tree_forces_the_dimension_from_everybody(n: int) -> None:
    concepts, domain = conjunctions(n), points(n)
    dimension = littlestone_dimension(concepts, domain)
    assert dimension == n + 1 == theorems.SOA_LB.bound(dimension=dimension)
    for learner in (
        StandardOptimalLearner(concepts, domain),
        VersionSpaceLearner(concepts),
        ConsistentLearner(concepts),
        linear.Perceptron(),
        linear.Winnow(threshold=n),
        Elimination(n, conjunction=True),
    ):
        adversary = TreeAdversary(concepts, domain)
        record = run(learner, adversary)
        assert record.mistakes == record.rounds == dimension


# What is refused ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (lambda: ConjunctionAdversary(0), "ConjunctionAdversary: n must be .* got 0"),
        (lambda: DisjunctionAdversary(1.5), "DisjunctionAdversary: n .* got 1.5"),  # type: ignore[arg-type]  # refused
        (
            lambda: ConjunctionAdversary(2, 1),  # type: ignore[arg-type]  # refused
            "negations must be True or False, got 1",
        ),
        (lambda: SingletonAdversary(1), "size must be .* of at least 2, got 1"),
        (lambda: TreeAdversary([], [1]), "concepts must not be empty, got \\(\\)"),
        (lambda: TreeAdversary([bool], []), "domain must not be empty, got \\(\\)"),
        (lambda: TreeAdversary([bool], [0, None]), "must hold examples, got None"),
    ],
)
def test_illegal_parameters(made: Callable[[], Adversary], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        made()
