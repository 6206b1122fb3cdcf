"""Conjunctions, disjunctions, k-CNF and k-DNF, learned by elimination."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, reduce
from operator import and_
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run, theorems
from littlestone.adversaries import ConjunctionAdversary, DisjunctionAdversary
from littlestone.boolean import (
    ConjunctionLearner,
    DisjunctionLearner,
    Dropped,
    KCNFLearner,
    KDNFLearner,
    Shown,
    Unrealizable,
)
from littlestone.concepts import KCNF, KDNF, Conjunction, Disjunction, Literal
from littlestone.errors import FeatureError, ParameterError, UnrealizableWarning
from littlestone.verifying import twins
from tries import often

unfit = pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")


@dataclass(frozen=True)
class Kind:
    """One of the classes, at one size of clause."""

    learner: Callable[..., Any]
    twin: Callable[..., Any]
    given: dict[str, Any]
    bound: Callable[[int], Any]  # by the number of declared features
    dual: bool = False

    def __str__(self) -> str:
        return f"{self.learner.__name__}({self.given})"

    def born(self, features: Any = None) -> Any:
        """Return a new learner."""
        return self.learner(**self.given, features=features)

    def twinned(self, features: Any = None) -> Any:
        """Return a new twin."""
        return self.twin(**self.given, features=features)

    @property
    def signs(self) -> tuple[bool, ...]:
        """Whether literals may be positive, and negative."""
        return (True,) if self.given.get("monotone") else (True, False)

    @property
    def k(self) -> int:
        """How many literals a clause or term has at most."""
        return int(self.given.get("k", 1))

    def concepts(self, n: int) -> set[int]:
        """Return every concept over n features, as the bits of its truth table."""
        full = (1 << 2**n) - 1
        column = [sum(1 << x for x in range(2**n) if x >> j & 1) for j in range(n)]
        clauses = {
            reduce(lambda a, b: a | b, masks)
            for size in range(1, self.k + 1)
            for some in itertools.combinations(range(n), size)
            for masks in itertools.product(
                *(
                    [
                        column[j] if s is not self.dual else full ^ column[j]
                        for s in self.signs
                    ]
                    for j in some
                )
            )
        }
        found, fresh = {full}, {full}
        while fresh:
            fresh = set(itertools.starmap(and_, itertools.product(fresh, clauses)))
            fresh -= found
            found |= fresh
        return {full ^ concept for concept in found} if self.dual else found


def _clauses(k: int) -> Callable[[int], Any]:
    return lambda n: theorems.KCNF.bound(features=n, k=k)


KINDS = [
    Kind(
        ConjunctionLearner,
        twins.ConjunctionLearner,
        {},
        lambda n: theorems.CONJ.bound(features=n),
    ),
    Kind(
        ConjunctionLearner,
        twins.ConjunctionLearner,
        {"monotone": True},
        lambda n: theorems.CONJ_MONO.bound(features=n),
    ),
    Kind(
        DisjunctionLearner,
        twins.DisjunctionLearner,
        {},
        lambda n: theorems.DISJ.bound(features=n),
        dual=True,
    ),
    Kind(
        DisjunctionLearner,
        twins.DisjunctionLearner,
        {"monotone": True},
        lambda n: theorems.DISJ_MONO.bound(features=n),
        dual=True,
    ),
    *(Kind(KCNFLearner, twins.KCNFLearner, {"k": k}, _clauses(k)) for k in (1, 2, 3)),
    *(
        Kind(KDNFLearner, twins.KDNFLearner, {"k": k}, _clauses(k), dual=True)
        for k in (1, 2, 3)
    ),
]
every = pytest.mark.parametrize("kind", KINDS, ids=str)


def example(x: int, n: int) -> dict[Any, int]:
    return {j: 1 for j in range(n) if x >> j & 1}


def says(concept: int, x: int) -> bool:
    return bool(concept >> x & 1)


# What the source says -----------------------------------------------------------


def test_a_conjunction_worked_by_hand() -> None:
    learner = ConjunctionLearner(features=3)
    assert str(learner.concept_) == "x0 and not x0 and x1 and not x1 and x2 and not x2"
    assert not learner.play_one([1, 1, 0], y=True)
    assert str(learner.concept_) == "x0 and x1 and not x2"
    assert not learner.play_one([0, 1, 0], y=False)
    assert not learner.play_one([1, 0, 0], y=True)
    assert str(learner.concept_) == "x0 and not x2"
    assert learner.play_one([1, 0, 0], y=True)
    assert not learner.play_one([1, 1, 1], y=True)
    assert learner.concept_ == Conjunction(0)
    assert (learner.updates_, learner.rounds_) == (3, 5)
    assert learner.why("x1") == Dropped(Literal(1), Shown(2, (0,), True))
    assert learner.why("not x0") == Dropped(~Literal(0), Shown(0, (0, 1), True))
    assert learner.why(0) is None


def test_a_monotone_conjunction_worked_by_hand() -> None:
    learner = ConjunctionLearner(monotone=True, features=["a", "b", "c"])
    assert str(learner.concept_) == "a and b and c"
    assert learner.play_one({"a": 1, "b": 1, "c": 1}, y=True)
    assert not learner.play_one({"a": 1, "c": 1}, y=True)
    assert str(learner.concept_) == "a and c"
    assert not learner.play_one({"c": 1}, y=True)
    assert not learner.play_one({}, y=True)
    assert learner.concept_ == Conjunction()
    assert learner.updates_ == 3  # n


def test_a_disjunction_worked_by_hand() -> None:
    learner = DisjunctionLearner(features=3)
    assert learner.play_one([1, 1, 0], y=False)
    assert str(learner.concept_) == "not x0 or not x1 or x2"
    assert learner.play_one([0, 1, 0], y=False)
    assert str(learner.concept_) == "not x1 or x2"
    assert learner.play_one([1, 0, 0], y=True)
    assert learner.why("not x0") == Dropped(~Literal(0), Shown(1, (1,), False))
    assert learner.why(Literal(2)) is None


def test_clauses_worked_by_hand() -> None:
    learner = KCNFLearner(2, features=["a", "b"])
    assert not learner.play_one({"a": 1}, y=True)
    # Of the four literals a and not b are left, and imply all clauses that are left.
    assert str(learner.concept_) == "a and (not b)"
    assert not learner.play_one({"b": 1}, y=True)
    assert learner.concept_ == KCNF(
        Disjunction("a", "b"), Disjunction(~Literal("a"), ~Literal("b"))
    )
    assert str(learner.why("a or not b")) == (
        "a or not b: dropped in round 1, labelled yes: b"
    )
    assert learner.why(Disjunction("a", "b")) is None
    assert learner.why([Literal("a"), "b"]) is None


def test_terms_worked_by_hand() -> None:
    learner = KDNFLearner(2, features=["a", "b"])
    assert learner.play_one({"a": 1}, y=False)
    assert str(learner.concept_) == "(not a) or b"
    assert learner.play_one({"b": 1}, y=False)
    assert learner.concept_ == KDNF(
        Conjunction("a", "b"), Conjunction(~Literal("a"), ~Literal("b"))
    )
    assert str(learner.why("b and not a")) == (
        "not a and b: dropped in round 1, labelled no: b"
    )


def test_what_nobody_has_met_is_false_and_counts() -> None:
    conjunction, monotone = ConjunctionLearner(), ConjunctionLearner(monotone=True)
    clauses, disjunction = KCNFLearner(2), DisjunctionLearner()
    for learner in (conjunction, monotone, clauses):
        assert not learner.predict_one({})
        assert not learner.predict_one({"a": 1})
        assert not learner.concept_({})
    assert conjunction.concept_ == monotone.concept_ == Conjunction.never()
    assert clauses.concept_ == KCNF(Disjunction())
    assert disjunction.concept_ == Disjunction.always()
    assert KDNFLearner(2).concept_ == KDNF(Conjunction())
    assert disjunction.predict_one({})
    for learner in (conjunction, monotone, clauses):
        learner.learn_one({"a": 1}, y=True)
        assert learner.predict_one({"a": 1})
        assert learner.predict_one({"a": 1, "b": 1}) is (learner is monotone)
        assert learner.features_ == ("a",)
    disjunction.learn_one({"a": 1}, y=False)
    assert not disjunction.predict_one({"a": 1})
    assert disjunction.predict_one({"a": 1, "b": 1})


def test_a_monotone_disjunction_is_never_true_of_nothing() -> None:
    learner = DisjunctionLearner(monotone=True)
    assert not learner.predict_one({})
    assert learner.predict_one({"a": 1})
    assert learner.concept_ == Disjunction()
    learner.learn_one({"a": 1, "b": 1}, y=True)
    assert learner.concept_ == Disjunction("a", "b")
    with pytest.warns(UnrealizableWarning, match="no disjunction fits"):
        learner.learn_one({}, y=True)
    assert learner.unrealizable_ == Unrealizable(1, (Shown(1, (), True),))


def test_features_are_met_columns_first_when_they_are_true() -> None:
    learner = ConjunctionLearner()
    learner.learn_one({"b": 1, "z": 0, 7: 1, "a": 1, 3: 1}, y=False)
    learner.learn_one({"c": 1, "a": 1, 0: 1}, y=False)
    assert learner.features_ == (3, 7, "a", "b", 0, "c")
    assert learner.rounds_ == 2
    assert learner.updates_ == 0


# What the theorem says ------------------------------------------------------------


def _said(learner: Any, n: int) -> int:
    """Return what a learner says of every example, as the bits of a truth table."""
    return sum(1 << x for x in range(2**n) if learner.predict_one(example(x, n)))


def _worst(kind: Kind, n: int) -> int:
    """Return the most mistakes on any stream that a concept of the class labels.

    Only a mistake changes a learner, so it is enough to try every sequence of mistakes.
    What is left is all that the rule implies: who says the same will do the same.
    """
    newborn = kind.born(n)
    learners = {_said(newborn, n): newborn}

    @cache
    def after(said: int, x: int) -> int:
        learner = pickle.loads(pickle.dumps(learners[said]))  # noqa: S301 - our own
        learner.learn_one(example(x, n), not says(said, x))
        now = _said(learner, n)
        learners.setdefault(now, learner)
        return now

    @cache
    def most(said: int, truth: int) -> int:
        wrong = (x for x in range(2**n) if says(said ^ truth, x))
        return max((1 + most(after(said, x), truth) for x in wrong), default=0)

    return max(most(_said(newborn, n), truth) for truth in kind.concepts(n))


@every
@pytest.mark.parametrize("n", often([1, 2, 3], lambda n: n < 3))
def test_no_concept_and_no_order_exceeds_the_bound(kind: Kind, n: int) -> None:
    worst = _worst(kind, n)
    assert worst <= kind.bound(n)
    if kind.k == 1:
        assert worst == kind.bound(n)  # which is attained


@every
def test_all_orders_of_all_examples_are_within_the_bound(kind: Kind) -> None:
    n = 2
    for truth in kind.concepts(n):
        for order in itertools.permutations(range(2**n)):
            learner = kind.born(n)
            stream = [(example(x, n), says(truth, x)) for x in order * 2]
            assert run(learner, stream).mistakes <= kind.bound(n)
            assert [learner.predict_one(x) for x, _ in stream] == [y for _, y in stream]
            assert learner.unrealizable_ is None


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_adversaries_attain_the_bounds(n: int) -> None:
    for negations in (False, True):
        learners = (
            (ConjunctionLearner, ConjunctionAdversary, theorems.CONJ),
            (DisjunctionLearner, DisjunctionAdversary, theorems.DISJ),
        )
        for learner, adversary, theorem in learners:
            made = learner(monotone=not negations, features=n)
            mistakes = run(made, adversary(n, negations)).mistakes
            bound = made.guarantees[0].bound(features=n)
            assert mistakes == bound
            assert made.guarantees[0] is theorem or not negations
            assert made.unrealizable_ is None


def test_one_more_mistake_is_made_where_features_are_not_declared() -> None:
    n = 6
    learner = ConjunctionLearner(monotone=True)
    ones = [[int(i != j) for j in range(n)] for i in range(n)]
    stream = [([1] * n, True), *((x, True) for x in ones)]
    assert run(learner, stream).mistakes == n + 1
    assert learner.guarantees[0].bound(features=n + 1) == n + 1
    assert learner.concept_ == Conjunction()


@every
@given(data=st.data())
def test_a_stream_of_the_class_is_learned_within_the_bound(
    kind: Kind, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 8))
    sizes = st.integers(1, min(kind.k, n))
    part = st.tuples(
        st.permutations(range(n)),
        sizes,
        st.lists(st.sampled_from(kind.signs), min_size=n, max_size=n),
    )
    parts = [
        [(j, signs[j]) for j in order[:size]]
        for order, size, signs in data.draw(st.lists(part, max_size=4))
    ]

    def truth(x: int) -> bool:
        held = [[(x >> j & 1 == 1) is sign for j, sign in some] for some in parts]
        return any(map(all, held)) if kind.dual else all(map(any, held))

    examples = data.draw(st.lists(st.integers(0, 2**n - 1), max_size=60))
    stream = [(example(x, n), truth(x)) for x in examples]
    for learner in (kind.born(n), kind.born()):
        mistakes = run(learner, stream).mistakes
        # The monotone conjunction may pay for one that nobody has met.
        unmet = kind.given.get("monotone", False) and not kind.dual
        assert mistakes <= kind.bound(n + (unmet and learner.features is None))
        assert mistakes == learner.updates_
        assert learner.unrealizable_ is None


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.k == 2], ids=str)
def test_two_literals_a_clause_cost_many_mistakes(kind: Kind) -> None:
    # Everything is a yes, or for terms a no. Of the examples that would be a mistake
    # the next is one after which the most is left.
    n = 5
    learner, twin = kind.born(n), kind.twinned(n)

    def left(x: int) -> int:
        twin.lessons.append(frozenset(example(x, n)))
        parts = len(twin.parts())
        twin.lessons.pop()
        return parts

    truth = 0 if kind.dual else (1 << 2**n) - 1
    while wrong := _said(learner, n) ^ truth:
        x = max((x for x in range(2**n) if says(wrong, x)), key=left)
        assert learner.play_one(example(x, n), y=not kind.dual) is kind.dual
        twin.play(example(x, n), not kind.dual)
    assert not twin.parts()
    assert 2 * (n + 1) < learner.updates_ <= kind.bound(n)


# What the twin says ------------------------------------------------------------


def _stream(draw: st.DrawFn, most: int = 5) -> list[tuple[dict[Any, int], bool]]:
    n = draw(st.integers(1, most))
    names = draw(st.permutations(["a", "b", 3, "c", 0][:n]))
    rounds = draw(
        st.lists(st.tuples(st.integers(0, 2**n - 1), st.booleans()), max_size=25)
    )
    return [({names[j]: 1 for j in range(n) if x >> j & 1}, y) for x, y in rounds]


streams_of_names = st.composite(_stream)


@unfit
@every
@given(data=st.data())
def test_learner_and_twin_agree_in_all_they_say(
    kind: Kind, data: st.DataObject
) -> None:
    stream = data.draw(streams_of_names())
    declared = data.draw(st.sampled_from([None, ("a", "b", "c", 0, 3)]))
    learner, twin = kind.born(declared), kind.twinned(declared)
    for x, y in stream:
        assert learner.predict_one(x) == twin.play(x, y) == learner.play_one(x, y)
        proof = learner.unrealizable_
        assert (None if proof is None else proof.round) == twin.unrealizable
    assert learner.updates_ == len(twin.lessons)
    assert set(learner.features_) == set(twin.features)
    parts = twin.parts()
    shortest = {p for p in parts if not any(q < p for q in parts)}
    if learner.updates_ or (declared and not kind.given.get("k")):
        assert _parts(learner.concept_) == (shortest if kind.k > 1 else parts)
    for part in parts:
        assert learner.why([Literal(f, sign) for f, sign in part]) is None


def _parts(concept: Any) -> set[frozenset[tuple[Any, bool]]]:
    if isinstance(concept, (Conjunction, Disjunction)):
        return {frozenset([(e.feature, e.positive)]) for e in concept.literals}
    parts = concept.clauses if isinstance(concept, KCNF) else concept.terms
    return {frozenset((e.feature, e.positive) for e in p.literals) for p in parts}


@unfit
@every
@given(data=st.data())
def test_why_tells_the_first_example_that_dropped_it(
    kind: Kind, data: st.DataObject
) -> None:
    stream = data.draw(streams_of_names())
    learner = kind.born()
    lessons = []
    for t, (x, y) in enumerate(stream):
        updates = learner.updates_
        learner.learn_one(x, y)
        if learner.updates_ > updates:
            lessons.append((t, set(x), y))
    for size in range(1, kind.k + 1):
        for some in itertools.combinations(learner.features_, size):
            for signs in itertools.product(kind.signs, repeat=size):
                told = learner.why([*map(Literal, some, signs)])
                # A clause must be false to be dropped, a term true.
                by = [
                    (t, x, y)
                    for t, x, y in lessons
                    if all(
                        ((f in x) is s) is kind.dual
                        for f, s in zip(some, signs, strict=True)
                    )
                ]
                if not by:
                    assert told is None
                    continue
                shown = told.by
                assert (shown.round, set(shown.x), shown.y) == by[0]
                what = getattr(told.what, "literals", (told.what,))
                literals = {(e.feature, e.positive) for e in what}
                assert literals == set(zip(some, signs, strict=True))


@unfit
@every
@given(data=st.data())
def test_to_meet_features_late_is_to_have_known_them(
    kind: Kind, data: st.DataObject
) -> None:
    stream = data.draw(streams_of_names())
    # Known from birth, in any order, and one more that never comes.
    names = data.draw(st.permutations(["a", "b", "c", 0, 3, "never"]))
    late, early = kind.born(), kind.born(names)
    for x, y in stream:
        assert late.play_one(x, y) == early.play_one(x, y)
        assert late.updates_ == early.updates_
    proof, other = late.unrealizable_, early.unrealizable_
    assert (proof is None) == (other is None)
    if proof is not None and other is not None:
        assert proof.round == other.round
        assert [(e.round, set(e.x)) for e in proof.examples] == [
            (e.round, set(e.x)) for e in other.examples
        ]
    for size in range(4):
        for true in itertools.combinations(["a", "b", "c", 0, 3], size):
            x = dict.fromkeys(true, 1)
            assert late.predict_one(x) == early.predict_one(x)
            if set(true) <= set(late.features_):
                assert late.concept_(x) == late.predict_one(x)


# When no concept fits ------------------------------------------------------------


def _fits(concepts: Iterable[int], shown: list[tuple[int, bool]]) -> bool:
    return any(all(says(c, x) == y for x, y in shown) for c in concepts)


@unfit
@every
@given(data=st.data())
def test_it_knows_as_soon_as_what_it_learned_from_leaves_no_concept(
    kind: Kind, data: st.DataObject
) -> None:
    n = data.draw(st.integers(1, 3))
    rounds = st.tuples(st.integers(0, 2**n - 1), st.booleans())
    stream = data.draw(st.lists(rounds, max_size=20))
    learner = kind.born(n)
    for x, y in stream:
        learner.learn_one(example(x, n), y)
    concepts = kind.concepts(n)
    # It remembers every yes (every no, for a disjunction) by what it dropped, and of
    # the other label the example at hand.
    expected = None
    for t, (x, y) in enumerate(stream):
        remembered = [(v, z) for v, z in stream[:t] if z is not kind.dual]
        if y is kind.dual and not _fits(concepts, [*remembered, (x, y)]):
            expected = t
            break
    proof = learner.unrealizable_
    assert (None if proof is None else proof.round) == expected
    if proof is None:
        return
    rows = [(sum(1 << j for j in e.x), e.y) for e in proof.examples]
    assert not _fits(concepts, rows)
    assert [(stream[e.round][0], stream[e.round][1]) for e in proof.examples] == rows
    assert len(rows) <= 1 + learner.updates_


def test_the_proof_is_small_and_reads_well() -> None:
    learner = ConjunctionLearner()
    learner.learn_one({"a": 1, "b": 1}, y=True)
    learner.learn_one({"a": 1, "c": 1}, y=True)
    learner.learn_one({"c": 1}, y=False)
    learner.learn_one({"b": 1}, y=True)
    with pytest.warns(UnrealizableWarning, match="no conjunction fits .* round 4"):
        learner.learn_one({"b": 1}, y=False)
    assert str(learner.unrealizable_) == (
        "no concept fits since round 4:\n"
        "  round 3, labelled yes: b\n"
        "  round 4, labelled no: b"
    )
    assert str(learner.concept_) == "always"
    learner.learn_one({"d": 1}, y=True)  # it goes on
    assert learner.predict_one({"d": 1})


# What it costs, and what is refused ------------------------------------------------


def test_a_hundred_thousand_features() -> None:
    rng = np.random.default_rng(3)
    n, rows = 100_000, 3000
    columns = np.sort(rng.integers(0, n, (rows, 20)), axis=1)
    columns[:, 0] = np.where(rng.random(rows) < 0.5, 5, columns[:, 0])
    X = sp.csr_array(
        (np.ones(columns.size), columns.ravel(), np.arange(0, columns.size + 1, 20)),
        shape=(rows, n),
    )
    X.sum_duplicates()
    X.data[:] = 1
    X.sort_indices()
    y = X[:, [5]].toarray().ravel() > 0
    learner = DisjunctionLearner(monotone=True, features=n)
    learner.play(X, y)
    assert learner.unrealizable_ is None
    assert learner.predict(X).tolist() == y.tolist()
    assert Literal(5) in learner.concept_.literals
    assert learner.why("x5") is None


def test_as_many_clauses_as_can_be_kept() -> None:
    assert KCNFLearner(2, features=300).play([[0] * 300], [True]).tolist() == [False]
    message = "k = 3 and 10000 features make 1333133360001"
    with pytest.raises(ParameterError, match=f"at most 2\\*\\*32 clauses .* {message}"):
        KCNFLearner(3, features=10_000)
    with pytest.raises(ParameterError, match="terms .* make more than"):
        KDNFLearner(1000, features=10_000)
    learner = KCNFLearner(10**9)
    learner.learn_one({"a": 1}, y=True)
    before = pickle.dumps(learner)
    with pytest.raises(
        FeatureError, match="more with feature 0 and those beside it, after 1"
    ):
        learner.learn_one([1] * 21, y=True)
    with pytest.raises(FeatureError, match="row 1: .*; 1 round played"):
        learner.clone().play([[0] * 21, [1] * 21], [False, True])
    assert not learner.predict_one([1] * 21)
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("learner", [ConjunctionLearner, DisjunctionLearner])
def test_parameters_that_make_no_sense_are_refused(learner: Any) -> None:
    owner = learner.__name__
    for arguments, message in (
        ({"monotone": 1}, "monotone must be True or False, got 1"),
        ({"features": 0}, "features must be a whole number of at least 1, got 0"),
        ({"features": -1}, "features must be a whole number of at least 1, got -1"),
        ({"features": True}, "features must be a whole number of at least 1, got True"),
        ({"features": 2**33}, "features must be below 4294967297, got 8589934592"),
        ({"features": 2.5}, "features must be a number of columns, or names, got 2.5"),
        ({"features": "abc"}, "features must be a number of columns, or names"),
        ({"features": []}, "features must name at least one, got none"),
        ({"features": {"a"}}, "features must have an order, got {'a'}"),
        ({"features": ["a", "b", "a"]}, "features must name each once, got 'a' twice"),
        ({"features": ["a", -1]}, "a name or a column number below 2\\*\\*32, got -1"),
        ({"features": ["a", None]}, "a name or a column number .*, got None"),
        ({"features": ["a", True]}, "a name or a column number .*, got True"),
    ):
        with pytest.raises(ParameterError, match=f"^{owner}: .*{message}"):
            learner(**arguments)


@pytest.mark.parametrize("learner", [KCNFLearner, KDNFLearner])
@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2", None])
def test_k_is_a_whole_number_above_0(learner: Any, k: Any) -> None:
    with pytest.raises(ParameterError, match="k must be a whole number of at least 1"):
        learner(k)


@unfit
@given(st.data())
@pytest.mark.parametrize("label", [True, False])
def test_an_example_with_a_word_of_its_own_is_a_mistake_in_every_order(
    label: bool, data: st.DataObject
) -> None:
    words = st.frozensets(st.integers(0, 9), max_size=4)
    examples = data.draw(st.lists(st.tuples(words, st.booleans()), max_size=12))
    learner: Any = ConjunctionLearner() if label else DisjunctionLearner()
    mistakes = set()
    for x, y in examples:
        if learner.predict_one(dict.fromkeys(x, 1)) is not y:
            mistakes.add((x, y))
        learner.learn_one(dict.fromkeys(x, 1), y)
    alike = {x for x, y in examples if y is label}
    for x in alike:
        if x.difference(*(alike - {x})):
            assert (x, label) in mistakes


def test_reasons_write_features_as_rules_do() -> None:
    learner = ConjunctionLearner()
    learner.learn_one({4: 1, "x4": 1, "a, b": 1}, y=True)
    told = 'dropped in round 0, labelled yes: x4, "a, b", "x4"'
    assert str(learner.why('not "x4"')) == f'not "x4": {told}'
    odd: Any = (("a", 1), True)
    assert str(Shown(0, odd, y=True)) == "round 0, labelled yes: ('a', 1), True"


def test_why_refuses_what_never_was_there() -> None:
    learner: Any = ConjunctionLearner(monotone=True)
    learner.learn_one({"a": 1}, y=True)
    with pytest.raises(FeatureError, match="must have been seen, got 'b'"):
        learner.why("b")
    with pytest.raises(ParameterError, match="a literal must be a feature itself"):
        learner.why("not a")
    with pytest.raises(ParameterError, match="why\\(\\) takes one literal"):
        learner.why(["a", "b"])
    clauses = KCNFLearner(2, features=3)
    for part in ([], [0, 1, 2], [0, ~Literal(0)]):
        with pytest.raises(ParameterError, match="1 to 2 literals of different feat"):
            clauses.why(part)
    with pytest.raises(
        ParameterError, match="why\\(\\) takes a Literal, a Disjunction"
    ):
        clauses.why(Conjunction(0))
    with pytest.raises(ParameterError, match="why\\(\\) takes a Literal"):
        clauses.why(1.5)
