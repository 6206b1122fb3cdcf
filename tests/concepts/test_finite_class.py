"""Finite classes: how many concepts there are, and which of them fit."""

from __future__ import annotations

import pickle
from itertools import permutations, product
from typing import Any

import pytest

from littlestone.concepts import (
    Concept,
    Conjunction,
    Disjunction,
    FiniteClass,
    Halfspace,
)
from littlestone.errors import LabelError, NoConsistentConcept, ParameterError
from rules import all_examples


class Unhashable:
    """A function of examples that has no hash."""

    __hash__ = None  # type: ignore[assignment]  # as Python has it

    def __call__(self, x: Any) -> bool:
        """Say no."""
        return x is None


def tables(concepts: FiniteClass, n: int) -> list[tuple[bool, ...]]:
    made = []
    for concept in concepts:
        assert isinstance(concept, Concept)
        made.append(concept.truth_table(n))
    return made


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4])
def test_the_classes_have_the_sizes_of_the_theory(n: int) -> None:
    conjunctions = FiniteClass.conjunctions(n)
    assert conjunctions.size == len(conjunctions) == 3**n + 1
    assert FiniteClass.disjunctions(n).size == 3**n + 1
    assert FiniteClass.monotone_conjunctions(n).size == 2**n
    assert FiniteClass.monotone_disjunctions(n).size == 2**n
    for concepts in (
        conjunctions,
        FiniteClass.disjunctions(n),
        FiniteClass.monotone_conjunctions(n),
        FiniteClass.monotone_disjunctions(n),
    ):
        assert len(set(tables(concepts, n))) == concepts.size
    flipped = {tuple(not bit for bit in table) for table in tables(conjunctions, n)}
    assert flipped == set(tables(FiniteClass.disjunctions(n), n))


def by_hand(n: int) -> set[tuple[bool, ...]]:
    """Return what lists say that ask each feature at most once, in any order."""
    said = set()
    for size in range(n + 1):
        for order in permutations(range(n), size):
            for signs in product((True, False), repeat=size):
                for answers in product((True, False), repeat=size + 1):
                    table = []
                    for x in all_examples(range(n)):
                        fired = [i for i, f in enumerate(order) if x[f] == signs[i]]
                        table.append(answers[min(fired, default=size)])
                    said.add(tuple(table))
    return said


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_decision_lists_are_all_there_are_and_each_once(n: int) -> None:
    found = tables(FiniteClass.decision_lists(n), n)
    assert len(found) == len(set(found))
    assert set(found) == by_hand(n)


def test_of_two_features_only_equality_is_no_decision_list() -> None:
    assert FiniteClass.decision_lists(["a", "b"]).size == 16 - 2


def test_singletons_are_true_of_one_example_each() -> None:
    these = FiniteClass.singletons(5)
    for i in range(5):
        assert these.labels({i: 1}) == tuple(j == i for j in range(5))
    assert these.labels({}) == (False,) * 5


def test_a_class_is_a_sequence_and_a_value() -> None:
    a, b = Conjunction("a"), Disjunction("b")
    these = FiniteClass([a, b])
    assert list(these) == [these[0], these[1]] == [a, b]
    assert these[-1:] == (b,)
    assert these.index(b) == 1
    assert a in these
    assert these == FiniteClass((a, b)) != FiniteClass((b, a))
    assert hash(these) == hash(FiniteClass((a, b)))
    assert pickle.loads(pickle.dumps(these)) == these  # noqa: S301 - our own
    assert eval(repr(these)) == these  # noqa: S307 - our own, and that is the test
    assert str(these) == "a\nb"


def test_any_function_is_a_concept() -> None:
    def even(x: Any) -> bool:
        return bool(len(x) % 2 == 0)

    these = FiniteClass([even, Halfspace({"a": 1}, 1)])
    assert these.labels({"a": 2}) == (False, True)


def test_consistent_keeps_the_concepts_that_fit_in_their_order() -> None:
    these = FiniteClass.conjunctions(["a", "b"])
    shown: list[tuple[dict[str, int], object]]
    shown = [({"a": 1, "b": 1}, 1), ({"b": 1}, -1), ({}, 0)]
    assert list(map(str, these.consistent(shown))) == ["a", "a and b"]
    assert these.consistent([]) == these
    assert these.consistent(iter(shown)) == these.consistent(shown)


def test_where_nothing_fits_the_examples_alone_prove_it() -> None:
    these = FiniteClass.conjunctions(["a", "b"])
    shown: list[tuple[dict[str, int], object]]
    shown = [({"a": 1}, True), ({"a": 1}, 1), ({"b": 1}, True), ({}, False), ({}, True)]
    with pytest.raises(
        NoConsistentConcept, match="3 of the examples rule out"
    ) as caught:
        these.consistent(shown)
    proof: Any = caught.value.examples
    assert proof == (({"a": 1}, True), ({"b": 1}, True), ({}, False))
    with pytest.raises(NoConsistentConcept):
        these.consistent(proof)


@pytest.mark.parametrize(
    ("make", "argument", "message"),
    [
        (FiniteClass, [], "there must be at least one concept, got 0"),
        (FiniteClass, 3, "concepts must be a sequence, got 3"),
        (FiniteClass, ["a"], "a concept must be callable, got 'a'"),
        (FiniteClass, [Conjunction(1), Conjunction(1)], "distinct, got Conj.* twice"),
        (FiniteClass, [Unhashable()], "a concept must be hashable"),
        (FiniteClass.conjunctions, 13, r"at most 1,000,000 concepts, got 3\*\*13"),
        (FiniteClass.conjunctions, 10**9, r"at most 1,000,000 concepts, got 3\*\*1000"),
        (FiniteClass.monotone_conjunctions, ["a", "a"], "distinct, got 'a' twice"),
        (FiniteClass.decision_lists, 6, "at most 5 features, got 6"),
        (FiniteClass.singletons, 0, "size must be at least 1, got 0"),
        (FiniteClass.singletons, True, "size must be at least 1, got True"),
    ],
)
def test_senseless_classes_are_refused(make: Any, argument: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make(argument)


@pytest.mark.parametrize("label", [2, "yes", None, [1]])
def test_labels_are_yes_or_no(label: object) -> None:
    message = "FiniteClass: a label must be True/1 or False/0/-1, got"
    with pytest.raises(LabelError, match=message):
        FiniteClass.conjunctions(1).consistent([({}, label)])
