"""Learners of a finite class: every play of tiny classes, their twins, refusals."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run, streams, theorems
from littlestone.boolean import (
    ConsistentLearner,
    Dropped,
    Shown,
    StandardOptimalLearner,
    Unrealizable,
    VersionSpaceLearner,
    _finite,
    littlestone_dimension,
)
from littlestone.concepts import Conjunction, FiniteClass, Literal
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
    UnrealizableWarning,
)
from littlestone.theorems.trees import Trees
from littlestone.verifying import twins
from tries import tried

Concept = Callable[[Any], Any]


class Table:
    """A concept by its answers to the points 0, 1, 2, …; one that can be pickled."""

    def __init__(self, *answers: int) -> None:
        self.answers = answers

    def __call__(self, x: int) -> bool:
        """Look the answer up."""
        return bool(self.answers[x])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Table) and self.answers == other.answers

    def __hash__(self) -> int:
        return hash(self.answers)

    def __repr__(self) -> str:
        return f"Table{self.answers}"


def conjunctions(n: int) -> tuple[list[Concept], list[Any]]:
    literals = itertools.product((None, True, False), repeat=n)
    concepts: list[Concept] = [
        Conjunction(*(Literal(i, s) for i, s in enumerate(of) if s is not None))
        for of in literals
    ]
    return [*concepts, Conjunction.never()], list(itertools.product((0, 1), repeat=n))


def monotone(n: int) -> tuple[list[Concept], list[Any]]:
    sizes = range(n + 1)
    sets = (itertools.combinations(range(n), size) for size in sizes)
    return [Conjunction(*of) for of in itertools.chain(*sets)], list(
        itertools.product((0, 1), repeat=n)
    )


def singletons(m: int) -> tuple[list[Concept], list[Any]]:
    return [Table(*(i == j for j in range(m))) for i in range(m)], list(range(m))


def functions(m: int) -> tuple[list[Concept], list[Any]]:
    return [Table(*of) for of in itertools.product((0, 1), repeat=m)], list(range(m))


def thresholds(m: int) -> tuple[list[Concept], list[Any]]:
    return [Table(*(j >= i for j in range(m))) for i in range(m + 1)], list(range(m))


def subsets(m: int, k: int) -> tuple[list[Concept], list[Any]]:
    concepts, domain = functions(m)
    return [c for c in concepts if sum(map(c, domain)) <= k], domain


TINY = {
    "conjunctions of 1": conjunctions(1),
    "conjunctions of 2": conjunctions(2),
    "monotone of 2": monotone(2),
    "singletons of 4": singletons(4),
    "functions of 3": functions(3),
    "thresholds of 4": thresholds(4),
    "pairs of 4": subsets(4, 2),
}
SMALL = TINY | {
    "conjunctions of 3": conjunctions(3),
    "monotone of 3": monotone(3),
    "thresholds of 8": thresholds(8),
}
tiny = pytest.mark.parametrize("of", list(TINY.values()), ids=list(TINY))
small = pytest.mark.parametrize("of", list(SMALL.values()), ids=list(SMALL))

Class = tuple[list[Concept], list[Any]]
Made = Callable[[list[Concept], list[Any]], Any]
MADE: list[Made] = [
    lambda concepts, _: ConsistentLearner(concepts),
    lambda concepts, _: VersionSpaceLearner(concepts),
    StandardOptimalLearner,
]
each = pytest.mark.parametrize("made", MADE, ids=["first", "majority", "optimal"])


def bound_of(learner: Any, of: Class) -> int:
    """Return what the theorem of a learner promises for a class."""
    theorem, size = learner.guarantees[0], len(of[0])
    numbers = {
        "CONSISTENT": {"concepts": size},
        "HALV": {"experts": size},
        "SOA": {"dimension": littlestone_dimension(*of)},
    }[theorem.id]
    return int(theorem.bound(**numbers))


def plain_dimension(rows: frozenset[tuple[bool, ...]], m: int) -> int:
    """Return the dimension by its definition alone."""
    if not rows:
        return -1
    halves = (
        [frozenset(row for row in rows if row[j] == y) for y in (False, True)]
        for j in range(m)
    )
    return max(
        (1 + min(plain_dimension(h, m) for h in pair) for pair in halves if all(pair)),
        default=0,
    )


# The dimension -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("of", "dimension"),
    [
        *((singletons(m), 1) for m in (2, 3, 8, 40)),
        (singletons(1), 0),
        *((functions(m), m) for m in range(1, 11)),
        *((thresholds(m), (m + 1).bit_length() - 1) for m in range(1, 70)),
        *((conjunctions(n), n + 1) for n in (1, 2, 3, 4)),
        *((monotone(n), n) for n in (1, 2, 3, 4)),
        *((subsets(8, k), k) for k in range(5)),
        *((subsets(10, k), k) for k in (2, 3)),
    ],
)
def test_dimensions_that_are_known(of: Class, dimension: int) -> None:
    assert littlestone_dimension(*of) == dimension
    assert StandardOptimalLearner(*of).dimension_ == dimension


tables = st.integers(1, 5).flatmap(
    lambda m: st.tuples(
        st.just(m),
        st.lists(st.tuples(*[st.booleans()] * m), min_size=1, max_size=14),
    )
)


@given(tables)
def test_the_dimension_is_that_of_the_definition(of: Any) -> None:
    m, rows = of
    concepts = [Table(*row) for row in rows]  # some may be alike
    expected = plain_dimension(frozenset(rows), m)
    assert littlestone_dimension(concepts, range(m)) == expected
    assert expected <= math.log2(len(set(rows)))


@given(tables, st.data())
def test_trees_know_the_dimension_of_every_subset(of: Any, data: st.DataObject) -> None:
    m, rows = of
    points = [sum(row[j] << i for i, row in enumerate(rows)) for j in range(m)]
    trees = Trees(points, len(rows))
    for _ in range(5):
        subset = data.draw(st.integers(0, 2 ** len(rows) - 1))
        chosen = frozenset(row for i, row in enumerate(rows) if subset >> i & 1)
        expected = plain_dimension(chosen, m)
        assert trees.dimension(subset) == expected
        for depth in range(5):
            assert trees.shatters(subset, depth) == (depth <= expected)
            root = trees.root(subset, depth) if depth else None
            assert (root is not None) == (1 <= depth <= expected)


def test_a_thousand_concepts_on_sixteen_points() -> None:
    generator = np.random.default_rng(3)
    answers = generator.integers(0, 2, (1024, 16)).tolist()
    concepts = [Table(*row) for row in answers]
    dimension = littlestone_dimension(concepts, range(16))
    assert 7 <= dimension <= 10
    learner = StandardOptimalLearner(concepts, range(16))
    order = generator.integers(0, 16, 100).tolist()
    record = run(learner, [(x, concepts[77](x)) for x in order])
    assert record.mistakes <= dimension


# Every play --------------------------------------------------------------------------


@tiny
@each
def test_every_order_of_all_examples_keeps_the_bound(of: Class, made: Made) -> None:
    concepts, domain = of
    bound = bound_of(made(*of), of)
    newborn = made(*of)
    for target in concepts:
        for order in itertools.permutations(domain):
            learner = copy.copy(newborn)  # its parts are replaced, never changed
            mistakes = sum(learner.play_one(x, target(x)) != target(x) for x in order)
            assert mistakes <= bound
            left = learner.version_space_
            assert all(c(x) == target(x) for c in left for x in domain)
            assert learner.unrealizable_ is None


def worst(made: Made, of: Class) -> int:
    """Return the most mistakes on any labels that a concept gives, in any order."""
    domain = range(len(of[1]))
    concepts: list[Concept] = [Table(*map(c, of[1])) for c in of[0]]  # asked faster
    found: dict[tuple[Any, ...], int] = {}

    def most(learner: Any) -> int:
        left = learner.version_space_
        if left not in found:
            mistakes = [0]
            for x in domain:
                said = learner.predict_one(x)
                for y in (False, True):
                    # A label that drops nothing changes nothing: it is no mistake.
                    if 0 < sum(c(x) == y for c in left) < len(left):
                        after = copy.copy(learner)
                        after.learn_one(x, y)
                        mistakes.append((y != said) + most(after))
            found[left] = max(mistakes)
        return found[left]

    return most(made(concepts, list(domain)))


@small
@each
def test_no_play_exceeds_the_bound(of: Class, made: Made) -> None:
    most = worst(made, of)
    dimension = littlestone_dimension(*of)
    assert dimension <= most <= bound_of(made(*of), of)
    if made is StandardOptimalLearner:
        assert most == dimension


@pytest.mark.parametrize("m", [2, 3, 5])
def test_singletons_attain_the_bound_of_the_first_that_fits(m: int) -> None:
    assert worst(MADE[0], singletons(m)) == m - 1
    assert worst(MADE[1], singletons(m)) == 1


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_all_functions_attain_the_bound_of_halving(m: int) -> None:
    assert worst(MADE[1], functions(m)) == m


def lopsided() -> Class:
    """Return a class with more concepts, of less dimension, that say yes to point 0."""
    yes: list[Concept] = [Table(1, *(i == j for i in range(4))) for j in range(5)]
    no: list[Concept] = [
        Table(0, *row, 0, 0) for row in itertools.product((0, 1), repeat=2)
    ]
    return [*yes, *no], list(range(5))


def test_halving_is_not_optimal_where_the_majority_misleads() -> None:
    assert worst(MADE[1], lopsided()) == 3 == math.floor(math.log2(9))
    assert worst(MADE[2], lopsided()) == 2 == littlestone_dimension(*lopsided())


# The rules by hand ------------------------------------------------------------------


def test_the_first_that_fits_is_followed() -> None:
    a, b, c = Table(1, 1, 0), Table(0, 1, 1), Table(0, 0, 1)
    learner = ConsistentLearner([a, b, c])
    assert learner.concept_ == a
    assert learner.play_one(0, False) is True
    assert (learner.concept_, learner.updates_, learner.rounds_) == (b, 1, 1)
    assert learner.play_one(2, True) is True
    assert (learner.updates_, learner.rounds_) == (1, 2)
    assert learner.play_one(1, False) is True
    assert learner.version_space_ == (c,)
    assert learner.predict_one(0) is False


def test_those_not_followed_are_dropped_as_well() -> None:
    learner = ConsistentLearner([Table(1, 1), Table(0, 1), Table(1, 0)])
    assert learner.play_one(0, True) is True  # no mistake, and yet one is dropped
    assert learner.version_space_ == (Table(1, 1), Table(1, 0))
    assert learner.updates_ == 1


def test_the_majority_is_followed_and_a_tie_says_yes() -> None:
    learner = VersionSpaceLearner([Table(1, 0), Table(0, 0), Table(0, 1), Table(1, 0)])
    assert learner.predict_one(0) is True
    assert learner.predict_one(1) is False
    assert learner.play_one(0, False) is True
    assert learner.version_space_ == (Table(0, 0), Table(0, 1))
    assert learner.concept_ == Table(0, 0)
    assert learner.predict_one(1) is True


def test_the_larger_dimension_is_followed_against_the_majority() -> None:
    concepts, _ = lopsided()
    assert VersionSpaceLearner(concepts).predict_one(0) is True
    learner = StandardOptimalLearner(concepts, range(5))
    assert learner.predict_one(0) is False
    assert learner.dimension_ == 2
    learner.learn_one(0, True)
    assert learner.dimension_ == 1
    assert StandardOptimalLearner(concepts, [0]).predict_one(0) is True  # 0 and 0


def test_a_single_concept_is_followed_everywhere() -> None:
    for made in MADE:
        learner = made([Table(1, 0)], [0, 1])
        assert [learner.play_one(x, y) for x, y in ((0, True), (1, False))] == [1, 0]
        assert learner.updates_ == 0
        assert bound_of(learner, ([Table(1, 0)], [0, 1])) == 0


def test_why_tells_the_example_that_dropped_a_concept() -> None:
    a, b, c = Conjunction("a"), Conjunction("b"), Conjunction("a", "b")
    learner = VersionSpaceLearner(FiniteClass([a, b, c]))
    learner.learn_one({"a": 1, "b": 1}, True)
    learner.learn_one({"a": 1, "b": 0, "c": 1}, True)
    assert learner.why(a) is None
    assert learner.why(b) == Dropped(b, Shown(1, ("a", "c"), True))
    assert str(learner.why(c)) == "a and b: dropped in round 1, labelled yes: a, c"
    with pytest.raises(ParameterError, match="why takes one of the concepts"):
        learner.why(Conjunction("d"))


# When no concept fits ---------------------------------------------------------------


@each
def test_it_says_once_that_nothing_fits_and_goes_on(made: Made) -> None:
    concepts, domain = functions(2)
    learner = made([c for c in concepts if c(0) or c(1)], domain)
    learner.learn_one(0, False)
    learner.learn_one(0, False)
    with pytest.warns(
        UnrealizableWarning, match="no concept of the class fits since round 2"
    ) as caught:
        learner.learn_one(1, False)
    assert [warning.filename for warning in caught] == [__file__]
    found = learner.unrealizable_
    assert found == Unrealizable(
        2, (_finite.ShownPoint(0, 0, False), _finite.ShownPoint(2, 1, False))
    )
    assert str(found).endswith("\n  round 2, labelled no: 1")
    assert learner.version_space_ == (Table(0, 1),)  # as before
    assert (learner.updates_, learner.rounds_) == (1, 3)
    learner.learn_one(1, False)  # no other warning, which would be an error here
    assert learner.unrealizable_ is found
    assert learner.predict_one(1) is True


@each
def test_the_record_tells_since_when(made: Made) -> None:
    learner = made(*singletons(3))
    with pytest.warns(UnrealizableWarning):
        run(learner, [(0, True), (0, False), (0, False)])
    assert learner.unrealizable_.round == 1


@given(tables, st.integers(0, 2**32 - 1))
def test_the_examples_named_rule_the_class_out(of: Any, seed: int) -> None:
    m, rows = of
    concepts: list[Concept] = [Table(*row) for row in rows]
    order = np.random.default_rng(seed).integers(0, m, 40).tolist()
    labels = np.random.default_rng(seed + 1).integers(0, 2, 40).astype(bool).tolist()
    for made in MADE:
        learner = made(concepts, list(range(m)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(learner, zip(order, labels, strict=True))
        found = learner.unrealizable_
        fits = [
            t
            for t in range(41)
            if any(
                all(c(x) == y for x, y in zip(order[:t], labels[:t], strict=True))
                for c in concepts
            )
        ]
        assert (found is None) == (40 in fits)
        if found is not None:
            assert found.round == max(fits)
            assert len(found.examples) <= len(concepts)
            assert found.examples[-1].round == found.round
            for shown in found.examples:
                assert (shown.x, shown.y) == (order[shown.round], labels[shown.round])
            assert not any(
                all(c(shown.x) == shown.y for shown in found.examples) for c in concepts
            )


# The twins ---------------------------------------------------------------------------


@tried(2)
@given(tables, st.lists(st.tuples(st.integers(0, 99), st.booleans()), max_size=30))
def test_each_equals_its_twin(of: Any, rounds: list[tuple[int, bool]]) -> None:
    m, rows = of
    concepts, domain = [Table(*row) for row in rows], list(range(m))
    pairs: list[tuple[Any, Any]] = [
        (ConsistentLearner(concepts), twins.ConsistentLearner(concepts)),
        (VersionSpaceLearner(concepts), twins.VersionSpaceLearner(concepts)),
        (
            StandardOptimalLearner(concepts, domain),
            twins.StandardOptimalLearner(concepts, domain),
        ),
    ]
    for learner, twin in pairs:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for x, y in rounds:
                assert learner.play_one(x % m, y) == twin.play(x % m, y)
        assert learner.version_space_ == tuple(concepts[i] for i in twin.left)
        outside = learner.unrealizable_ and learner.unrealizable_.round
        assert outside == twin.outside
        assert learner.rounds_ == twin.rounds


# Examples of every kind --------------------------------------------------------------


def ways(X: Any, y: Any) -> Iterator[Callable[[Any], Any]]:
    """Yield the ways to play the rows of a matrix, each returning the predictions."""
    frame = pd.DataFrame(X, columns=range(X.shape[1]))
    yield lambda learner: learner.play(X, y)
    yield lambda learner: learner.play(X.tolist(), y.astype(int))
    yield lambda learner: learner.play(sp.csr_array(X), np.where(y, 1, -1))
    yield lambda learner: learner.play(frame, y)
    yield lambda learner: [learner.play_one(x, t) for x, t in zip(X, y, strict=True)]
    yield lambda learner: [
        learner.play_one({j: v for j, v in enumerate(x) if v}, t)
        for x, t in zip(X.tolist(), y, strict=True)
    ]
    yield lambda learner: [
        learner.play_one((np.flatnonzero(x), np.ones(int(x.sum()))), t)
        for x, t in zip(X, y, strict=True)
    ]
    yield lambda learner: [
        learner.play_one(sp.csr_array(X)[[t]], label) for t, label in enumerate(y)
    ]
    yield lambda learner: [
        learner.play_one(tuple(map(bool, x)), t) for x, t in zip(X, y, strict=True)
    ]

    def by_stream(learner: Any) -> list[bool]:
        said: list[bool] = []
        stream = streams.arrays(sp.csr_array(X), y)
        run(learner, stream, observe=lambda batch: said.extend(batch.predictions))
        return said

    yield by_stream


@each
def test_every_way_of_feeding_gives_the_same(made: Made) -> None:
    concepts, domain = conjunctions(3)
    X = np.random.default_rng(1).integers(0, 2, (30, 3)).astype(float)
    target = Conjunction(0, ~Literal(2))
    y = np.array([target(x) for x in X])
    said = None
    for way in ways(X, y):
        learner = made(concepts, domain)
        found = [bool(p) for p in way(learner)]
        said = said or found
        assert found == said
        assert target in learner.version_space_
        assert learner.predict(X).tolist() == [learner.predict_one(x) for x in X]


def test_examples_may_be_anything() -> None:
    colours: list[Concept] = [lambda x: x == "red", lambda x: x != "red"]
    learner = StandardOptimalLearner(colours, ["red", "blue", frozenset({1})])
    learner.learn_one("blue", True)
    assert learner.predict_one(frozenset({1})) is True
    cells = ConsistentLearner([lambda x: x["odor"] == "foul", lambda x: x["age"] > 3])
    cells.learn_one({"odor": "foul", "age": 2.5}, False)
    assert cells.predict_one({"odor": "foul", "age": 4}) is True
    found = cells.why(cells.concepts[0])
    assert found is not None
    missing = ConsistentLearner([lambda x: x["odor"] is pd.NA])
    assert missing.predict_one({"odor": pd.NA}) is True
    assert str(found.by) == "round 0, labelled no: {'odor': 'foul', 'age': 2.5}"


def test_concepts_are_asked_once_for_an_example() -> None:
    asked: list[Any] = []

    def concept(x: Any) -> bool:
        asked.append(x)
        return True

    learner = VersionSpaceLearner([concept, lambda _: True])
    for _ in range(3):
        learner.play_one([1, 0, 1], True)
        learner.play_one({0: 1.0, 2: True, 5: 0}, True)
    assert asked == [[1, 0, 1]]
    for x in range(5000):
        learner.play_one(x, True)
    assert len(asked) == 5001
    assert len(learner._asked) == 4096  # noqa: SLF001 - memory must not grow


def test_those_dropped_are_asked_no_more() -> None:
    asked: list[Any] = []

    def concept(x: Any) -> bool:
        asked.append(x)
        return False

    learner = ConsistentLearner([lambda _: True, concept])
    learner.learn_one(0, True)
    learner.learn_one(1, True)
    assert asked == [0]


# The contract of learners ------------------------------------------------------------


def born(made: Made) -> Any:
    return made(*functions(3))


@each
def test_a_clone_is_fresh_and_a_pickle_goes_on(made: Made) -> None:
    learner = born(made)
    before = pickle.dumps(learner)
    learner.predict_one(0)
    assert pickle.dumps(learner) == before
    learner.learn_one(0, True)
    again = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    assert again.version_space_ == learner.version_space_
    assert again.play_one(1, False) == learner.play_one(1, False)
    assert pickle.dumps(again) == pickle.dumps(learner)
    clone = learner.clone()
    assert clone.updates_ == clone.rounds_ == 0
    assert len(clone.version_space_) == 8
    assert learner.set_params() is learner
    assert pickle.dumps(learner) == before
    with pytest.raises(AttributeError, match="fixed at birth"):
        learner.concepts = []


@each
def test_fit_forgets_and_partial_fit_goes_on(made: Made) -> None:
    learner = made(*conjunctions(2))
    learner.partial_fit([[1, 1], [1, 0]], [True, False])
    left = len(learner.version_space_)
    assert learner.partial_fit([[0, 1]], [True]).rounds_ == 3
    assert len(learner.version_space_) < left
    assert learner.fit([[1, 1], [1, 0]], [True, False]).rounds_ == 2
    assert len(learner.version_space_) == left


@each
def test_a_sample_weight_repeats_the_round(made: Made) -> None:
    learner, other = born(made), born(made)
    learner.learn_one(0, True, 0)
    assert pickle.dumps(learner) == pickle.dumps(other)
    learner.learn_one(0, True, 3)
    for _ in range(3):
        other.learn_one(0, True)
    assert pickle.dumps(learner) == pickle.dumps(other)
    assert (learner.updates_, learner.rounds_) == (1, 3)
    with pytest.raises(ParameterError, match="a sample weight must be a whole"):
        learner.learn_one(0, True, -1)


@each
def test_every_guarantee_is_a_theorem_of_the_sheet(made: Made) -> None:
    assert all(theorems.get(t.id) is t for t in born(made).guarantees)


# What is refused ---------------------------------------------------------------------


BAD: list[tuple[Any, type[LittlestoneError], str]] = [
    ({"a": math.nan}, FeatureError, "feature 'a' must be a finite number, got nan"),
    ([1, math.inf], FeatureError, "feature 1 must be a finite number, got inf"),
    ({"a": [1]}, ExampleError, "an example must be .* hashable"),
    ({"a": np.ones(2)}, ExampleError, "an example must be .* hashable"),
    ({1, 2}, ExampleError, "an example must be .* hashable"),
    (([3, 3], [1, 1]), FeatureError, "each feature must appear once, got 3 twice"),
    (np.ones((2, 2)), ExampleError, "an example must be"),
    (sp.csr_array(np.ones((2, 3))), ExampleError, "an example must be"),
    (np.ma.masked_array([1.0], mask=[True]), ExampleError, "an example must be"),
]


@each
@pytest.mark.parametrize(("x", "error", "message"), BAD, ids=range(len(BAD)))
def test_a_bad_example_is_refused_and_nothing_changes(
    made: Made, x: Any, error: type[LittlestoneError], message: str
) -> None:
    learner = born(made)
    learner.learn_one(0, True)
    before = pickle.dumps(learner)
    calls: tuple[Callable[[], object], ...] = (
        lambda: learner.predict_one(x),
        lambda: learner.learn_one(x, True),
        lambda: learner.play_one(x, True),
    )
    for call in calls:
        with pytest.raises(error, match=f"{type(learner).__name__}: {message}"):
            call()
    assert pickle.dumps(learner) == before


@each
def test_a_bad_label_is_refused_and_nothing_changes(made: Made) -> None:
    learner = born(made)
    before = pickle.dumps(learner)
    for y in (2, "yes", None, math.nan):
        with pytest.raises(LabelError, match="a label must be True/1 or False/0/-1"):
            learner.learn_one(0, y)
    assert pickle.dumps(learner) == before


def test_what_is_outside_the_domain_is_refused() -> None:
    learner = StandardOptimalLearner(*functions(2))
    with pytest.raises(ExampleError, match="must be one of the domain, got 2"):
        learner.predict_one(2)
    with pytest.raises(ExampleError, match="round 1: .*, got 'a'; .*; 1 round"):
        run(learner, [(0, True), ("a", True)])
    assert learner.rounds_ == 1


def test_a_concept_that_does_not_answer_is_refused() -> None:
    learner = ConsistentLearner([lambda _: True, lambda x: x])
    with pytest.raises(ParameterError, match="say True or False, got 3 from number 1"):
        learner.learn_one(3, True)
    assert (learner.rounds_, len(learner.version_space_)) == (0, 2)
    with pytest.raises(ParameterError, match="got 'a' from number 0"):
        littlestone_dimension([lambda _: "a"], [1])


CONCEPTS: Sequence[Any] = ([], "ab", {bool}, {"a": bool}, iter([bool]), 3, None)


@each
@pytest.mark.parametrize("concepts", CONCEPTS)
def test_a_class_is_a_sequence_of_concepts(made: Made, concepts: Any) -> None:
    with pytest.raises(ParameterError, match="concepts must be a sequence of at least"):
        made(concepts, [1])


@each
def test_a_concept_is_callable(made: Made) -> None:
    with pytest.raises(ParameterError, match="callable on an example, got 3 as number"):
        made([bool, 3], [1])  # type: ignore[list-item]  # refused


def test_a_domain_holds_examples() -> None:
    with pytest.raises(ParameterError, match="domain must hold at least one example"):
        StandardOptimalLearner([bool], [])
    for domain in ("abc", 3, None):
        with pytest.raises(ParameterError, match="the examples that may come, got"):
            littlestone_dimension([bool], domain)  # type: ignore[arg-type]  # refused
