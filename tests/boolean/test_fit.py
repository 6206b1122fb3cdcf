"""Rules from a batch fit, or the examples that are shown rule out every concept."""

from __future__ import annotations

import csv
import gzip
import itertools
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from data import data_file
from littlestone import _core
from littlestone.boolean import (
    Shown,
    fit_conjunction,
    fit_decision_list,
    fit_disjunction,
    fit_kcnf,
    fit_kdnf,
)
from littlestone.boolean._search import covering_terms, decision_rules, shrunk
from littlestone.boolean._table import read
from littlestone.concepts import (
    KCNF,
    KDNF,
    Conjunction,
    DecisionList,
    Disjunction,
    Literal,
)
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    NoConsistentConcept,
    ParameterError,
)

Fit = Callable[..., Any]
FITS: dict[str, Fit] = {
    "conjunction": fit_conjunction,
    "disjunction": fit_disjunction,
    "2-CNF": partial(fit_kcnf, k=2),
    "3-CNF": partial(fit_kcnf, k=3),
    "2-DNF": partial(fit_kdnf, k=2),
    "3-DNF": partial(fit_kdnf, k=3),
    "1-decision list": fit_decision_list,
    "2-decision list": partial(fit_decision_list, k=2),
}


# All concepts of a class over n columns, as sets of points: bit p stands for the point
# whose columns are the bits of p.


def points_of(n: int, term: dict[int, bool]) -> int:
    points = 0
    for point in range(1 << n):
        if all(bool(point >> f & 1) is value for f, value in term.items()):
            points |= 1 << point
    return points


def terms(n: int, k: int) -> list[int]:
    return [
        points_of(n, dict(zip(features, values, strict=True)))
        for size in range(k + 1)
        for features in itertools.combinations(range(n), size)
        for values in itertools.product((True, False), repeat=size)
    ]


@cache
def concepts(kind: str, n: int) -> frozenset[int]:
    everything = (1 << (1 << n)) - 1
    if kind == "conjunction":
        return frozenset([0, *terms(n, n)])
    if kind == "disjunction":
        return frozenset(everything ^ c for c in concepts("conjunction", n))
    k = int(kind[0])
    if kind.endswith("CNF"):
        return frozenset(everything ^ c for c in concepts(f"{k}-DNF", n))
    found = {0, everything} if kind.endswith("list") else {0}
    while True:
        grown = set(found)
        for term, rest in itertools.product(terms(n, k), found):
            grown.add(rest | term)
            if kind.endswith("list"):
                grown.add(rest & ~term)
        if grown == found:
            return frozenset(found)
        found = grown


def possible(kind: str, n: int, rows: Sequence[tuple[int, bool]]) -> bool:
    yes = sum({1 << point for point, label in rows if label})
    no = sum({1 << point for point, label in rows if not label})
    return any(not c & no and not yes & ~c for c in concepts(kind, n))


def columns(point: int, n: int) -> list[int]:
    return [point >> f & 1 for f in range(n)]


def as_point(example: Any) -> tuple[int, bool]:
    return sum(1 << f for f in example.x), example.y


def in_class(kind: str, concept: Any) -> bool:
    if kind == "conjunction":
        return isinstance(concept, Conjunction)
    if kind == "disjunction":
        return isinstance(concept, Disjunction)
    types = {"F": KCNF if "C" in kind else KDNF, "t": DecisionList}
    return isinstance(concept, types[kind[-1]]) and concept.k <= int(kind[0])


def check(kind: str, n: int, rows: Sequence[tuple[int, bool]]) -> None:
    """Hold what is found against all concepts of the class."""
    X = np.array([columns(point, n) for point, _ in rows]).reshape(-1, n)
    y = [label for _, label in rows]
    if possible(kind, n, rows):
        concept = FITS[kind](X, y)
        assert in_class(kind, concept)
        assert [concept(x) for x in X] == y
        return
    with pytest.raises(NoConsistentConcept) as caught:
        FITS[kind](X, y)
    examples: tuple[Any, ...] = caught.value.examples
    shown = [as_point(example) for example in examples]
    assert shown == [rows[example.round] for example in examples]
    assert not possible(kind, n, shown)
    for spared in range(len(shown)):
        assert possible(kind, n, shown[:spared] + shown[spared + 1 :])


@cache
def labelled(n: int) -> list[list[tuple[int, bool]]]:
    """Return every set of points of {0,1}^n with every labelling.

    Of those that differ by renaming and flipping columns there is one, as it happens.
    """
    changes = [
        [
            sum((point >> old & 1) << new for new, old in enumerate(order)) ^ flip
            for point in range(1 << n)
        ]
        for order in itertools.permutations(range(n))
        for flip in range(1 << n)
    ]
    seen: set[tuple[bool | None, ...]] = set()
    found: list[list[tuple[int, bool]]] = []
    for labels in itertools.product((None, False, True), repeat=1 << n):
        if labels in seen:
            continue
        images = [tuple(labels[p] for p in change) for change in changes]
        seen.update(images)
        image = images[len(found) % len(images)]
        found.append([(p, said) for p, said in enumerate(image) if said is not None])
    return found


@pytest.mark.parametrize("kind", FITS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_concept_is_found_exactly_if_there_is_one(kind: str, n: int) -> None:
    for rows in labelled(n):
        check(kind, n, rows)


def test_all_labellings_are_tried() -> None:
    # Counted by Burnside's lemma.
    assert [len(labelled(n)) for n in (1, 2, 3)] == [6, 21, 267]


@given(
    kind=st.sampled_from(list(FITS)),
    rows=st.lists(st.tuples(st.integers(0, 7), st.booleans()), max_size=12),
)
def test_rows_may_repeat_and_contradict_each_other(
    kind: str, rows: list[tuple[int, bool]]
) -> None:
    check(kind, 3, rows)


FEATURES = ["a", "b c", 3, 7, "x3", "not", 11, "odor=foul"]
literals = st.builds(Literal, st.sampled_from(FEATURES), st.booleans())
clauses = st.lists(literals, max_size=2)
targets = {
    "conjunction": st.builds(lambda made: Conjunction(*made), st.lists(literals)),
    "disjunction": st.builds(lambda made: Disjunction(*made), st.lists(literals)),
    "2-CNF": st.builds(lambda made: KCNF(*made), st.lists(clauses)),
    "2-DNF": st.builds(lambda made: KDNF(*made), st.lists(clauses)),
    "1-decision list": st.builds(
        DecisionList, st.lists(st.tuples(literals, st.booleans())), st.booleans()
    ),
    "2-decision list": st.builds(
        DecisionList, st.lists(st.tuples(clauses, st.booleans())), st.booleans()
    ),
}
examples = st.dictionaries(st.sampled_from(FEATURES), st.sampled_from([0, 1, True]))


@pytest.mark.parametrize("kind", targets)
@given(data=st.data(), X=st.lists(examples, max_size=40))
def test_what_a_concept_labels_is_fitted(
    kind: str, data: st.DataObject, X: list[dict[Any, int]]
) -> None:
    target = data.draw(targets[kind])
    y = [target(x) for x in X]
    concept = FITS[kind](X, y, features=FEATURES)
    assert [concept(x) for x in X] == y
    assert in_class(kind, concept)
    if kind[0] not in "12":
        textbook = FITS[kind](X, y, features=FEATURES, shorten=False)
        assert [textbook(x) for x in X] == y
        assert set(concept.literals) <= set(textbook.literals)


@pytest.mark.parametrize("kind", FITS)
@given(rows=st.lists(st.tuples(examples, st.booleans()), max_size=60))
def test_what_rules_a_class_out_does_so_alone(
    kind: str, rows: list[tuple[dict[Any, int], bool]]
) -> None:
    X, y = [x for x, _ in rows], [label for _, label in rows]
    fit = partial(FITS[kind], features=FEATURES)
    try:
        concept = fit(X, y)
    except NoConsistentConcept as error:
        shown: list[Any] = list(error.examples)
        for example in shown:
            assert {f for f, value in X[example.round].items() if value} == set(
                example.x
            )
            assert y[example.round] == example.y
        again = [dict.fromkeys(example.x, 1) for example in shown]
        labels = [example.y for example in shown]
        with pytest.raises(NoConsistentConcept):
            fit(again, labels)
        for spared in range(len(shown)):
            fewer = [x for at, x in enumerate(again) if at != spared]
            fit(fewer, [label for at, label in enumerate(labels) if at != spared])
    else:
        assert [concept(x) for x in X] == y


# Worked by hand.

BIRDS = [
    {"wings": 1, "feathers": 1, "swims": 1},
    {"wings": 1, "feathers": 1},
    {"wings": 1},
    {"swims": 1},
]


def test_all_literals_survive_that_no_yes_falsifies() -> None:
    textbook = fit_conjunction(BIRDS, [1, 1, 0, 0], shorten=False)
    assert textbook == Conjunction("wings", "feathers")
    assert fit_conjunction(BIRDS, [1, 1, 0, 0]) == Conjunction("feathers")
    textbook = fit_conjunction(BIRDS, [0, 1, 0, 0], shorten=False)
    assert textbook == Conjunction("wings", "feathers", ~Literal("swims"))
    short = fit_conjunction(BIRDS, [0, 1, 0, 0])
    assert short == Conjunction("feathers", ~Literal("swims"))


def test_all_literals_survive_that_no_no_satisfies() -> None:
    textbook = fit_disjunction(BIRDS, [1, 0, 0, 1], shorten=False)
    assert textbook == Disjunction("swims", ~Literal("wings"))
    assert fit_disjunction(BIRDS, [1, 0, 0, 1]) == Disjunction("swims")


def test_a_no_and_the_positives_that_spare_it_rule_out_every_conjunction() -> None:
    # x0, x1 and x2 are each falsified by a yes, and their negations by another.
    X = [[1, 1, 0, 1], [0, 1, 1, 1], [1, 0, 1, 1], [0, 0, 0, 1]]
    with pytest.raises(NoConsistentConcept) as caught:
        fit_conjunction(X, [1, 1, 1, 0])
    assert str(caught.value) == (
        "fit_conjunction: no conjunction fits the 4 examples: "
        "4 of them rule out all, rows 0, 1, 2 and 3"
    )
    assert caught.value.examples[-1] == Shown(3, (3,), False)


def test_the_examples_shown_are_few_of_many() -> None:
    X = np.vstack([np.eye(30, dtype=int), [[0] * 30], [[1] * 30]])
    with pytest.raises(NoConsistentConcept, match="33 examples: 3 of them") as caught:
        fit_conjunction([*X.tolist(), [1, 1] + [0] * 28], [1] * 30 + [1, 1, 0])
    assert len(caught.value.examples) == 3


def test_examples_are_shown_only_if_they_are_needed() -> None:
    # Row 1 agrees with row 0 in most columns, but rows 2 and 3 together in all.
    X = [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 0]]
    with pytest.raises(NoConsistentConcept) as caught:
        fit_disjunction(X, [1, 0, 0, 0])
    shown: tuple[Any, ...] = caught.value.examples
    assert [example.round for example in shown] == [0, 2, 3]


def test_long_lists_of_rows_are_cut() -> None:
    # A yes of zeros, and for each column a no that differs in the others only.
    X = np.vstack([np.zeros((1, 9)), 1 - np.eye(9)])
    with pytest.raises(NoConsistentConcept, match="rows 0, 1, 2, 3, 4, 5, …$"):
        fit_disjunction(X, [1] + [0] * 9)


@pytest.mark.parametrize("kind", FITS)
def test_two_examples_that_contradict_each_other_are_enough(kind: str) -> None:
    X = [[0, 0], [0, 1], [1, 0], [0, 1], [1, 1]]
    with pytest.raises(NoConsistentConcept) as caught:
        FITS[kind](X, [1, 0, 0, 1, 1])
    assert caught.value.examples == (Shown(1, (1,), False), Shown(3, (1,), True))


def test_the_term_that_covers_most_comes_first_and_the_shortest_of_equals() -> None:
    X = [[1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    # x1 covers rows 0, 1, 2; so does "x1 and ..." less; x2 and not x0 covers row 3.
    rule = fit_kdnf(X, [1, 1, 1, 1, 0], k=2)
    assert rule == KDNF([1], [2])
    everything = fit_kdnf(X, [1, 1, 1, 1, 0], k=1, shorten=False)
    assert everything == KDNF([1], [2], [~Literal(0)])


def test_all_terms_that_survive_are_kept_on_request() -> None:
    X = [[1, 1], [1, 0], [0, 1], [0, 0]]
    rule = fit_kdnf(X, [1, 0, 0, 0], k=2, shorten=False)
    assert rule == KDNF([0, 1])
    rule = fit_kdnf(X[:2], [1, 0], k=2, shorten=False)
    no = ~Literal(0)
    # No row says anything against terms with "not x0".
    assert rule == KDNF([1], [0, 1], [no], [no, 1], [no, ~Literal(1)])
    clauses = fit_kcnf(X[:2], [0, 1], k=2, shorten=False)
    assert clauses == KCNF(
        [~Literal(1)], [0], [0, 1], [0, ~Literal(1)], [no, ~Literal(1)]
    )


def test_a_term_that_the_others_do_without_is_dropped() -> None:
    # The first column covers four of six, and then needs two more, which alone do.
    X = [[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    assert fit_disjunction(X, [1, 1, 1, 1, 1, 1, 0]) == Disjunction(1, 2)


def test_a_list_takes_the_rule_that_covers_most_and_drops_what_is_not_needed() -> None:
    X = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]
    # x0 covers three noes. Then x1 and x2 cover a yes each, and a no is left.
    found = fit_decision_list(X, [0, 0, 0, 1, 1, 0])
    assert str(found) == (
        "if x0 then no, else if x1 then yes, else if x2 then yes, else no"
    )
    # The last rule says what the default says.
    assert str(fit_decision_list(X, [1, 1, 1, 0, 0, 0])) == "if x0 then yes, else no"


def test_a_list_may_have_longer_terms() -> None:
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    found = fit_decision_list(X, [1, 0, 0, 1], k=2)
    assert found == fit_decision_list(X, [1, 0, 0, 1], k=100)
    assert found.k == 2
    assert [found(x) for x in X] == [True, False, False, True]


def test_of_equal_literals_the_positive_one_is_taken() -> None:
    X = [{"bruises=t": 1}, {"bruises=f": 1}]
    assert str(fit_conjunction(X, [0, 1])) == "bruises=f"
    assert str(fit_disjunction(X, [0, 1])) == "bruises=f"
    found = fit_decision_list(X, [1, 0])
    assert str(found) == "if bruises=t then yes, else no"


@pytest.mark.parametrize("shorten", [True, False])
def test_one_label_alone_makes_a_constant(shorten: bool) -> None:
    X = [[0, 1], [1, 1]]
    assert fit_conjunction(X, [0, 0], shorten=shorten) == Conjunction.never()
    assert fit_disjunction(X, [1, 1], shorten=shorten) == Disjunction.always()
    assert fit_kcnf(X, [0, 0], 2, shorten=shorten) == KCNF([])
    assert fit_kdnf(X, [1, 1], 2, shorten=shorten) == KDNF([])
    # The literals that survive are those that say nothing, or never hold.
    always = fit_conjunction(X, [1, 1], shorten=shorten)
    assert always == (Conjunction() if shorten else Conjunction(1))
    never = fit_disjunction(X, [0, 0], shorten=shorten)
    assert never == (Disjunction() if shorten else Disjunction(~Literal(1)))


def test_lists_of_one_label_are_a_default() -> None:
    assert str(fit_decision_list([[0, 1], [1, 1]], [0, 0])) == "no"
    assert str(fit_decision_list([[0, 1], [1, 1]], [1, 1], k=2)) == "yes"


def test_no_examples_are_fitted_by_what_learners_say_at_birth() -> None:
    assert fit_conjunction([], [], features=["a"]) == Conjunction.never()
    assert fit_disjunction(np.zeros((0, 2)), []) == Disjunction.always()
    assert str(fit_kcnf([], [], 2, features=3)) == "never"
    assert str(fit_kdnf([], [], 2, features=3)) == "always"
    assert str(fit_decision_list([], [], features=3)) == "yes"


# A plain twin, which looks at every term for every rule.


def plain_list(X: list[list[bool]], y: list[bool], k: int) -> DecisionList | None:
    n = len(X[0])
    order = [Literal(f) for f in range(n)] + [~Literal(f) for f in range(n)]
    candidates = [
        Conjunction(*chosen)
        for size in range(1, k + 1)
        for chosen in itertools.combinations(order, size)
    ]
    left, rules = set(range(len(y))), []
    while len({y[row] for row in left}) > 1:
        best: tuple[Conjunction, set[int]] | None = None
        for term in candidates:
            rows = {row for row in left if term(X[row])}
            if len({y[row] for row in rows}) == 1 and (
                best is None or len(rows) > len(best[1])
            ):
                best = term, rows
        if best is None:
            return None
        term, rows = best
        rules.append((term, y[min(rows)]))
        left -= rows
    default = all(y[row] for row in left)
    for at in reversed(range(len(rules))):
        fewer = DecisionList(rules[:at] + rules[at + 1 :], default)
        if all(fewer(x) == label for x, label in zip(X, y, strict=True)):
            del rules[at]
    return DecisionList(rules, default)


@given(
    rows=st.lists(
        st.tuples(st.lists(st.booleans(), min_size=4, max_size=4), st.booleans()),
        min_size=1,
        max_size=20,
    ),
    k=st.integers(1, 4),
)
def test_a_list_is_that_of_the_plain_twin(
    rows: list[tuple[list[bool], bool]], k: int
) -> None:
    X, y = [x for x, _ in rows], [label for _, label in rows]
    expected = plain_list(X, y, k)
    if expected is None:
        with pytest.raises(NoConsistentConcept):
            fit_decision_list(X, y, k)
    else:
        assert fit_decision_list(X, y, k) == expected


@given(
    bits=st.lists(st.integers(0, 63), min_size=1, max_size=20),
    yes=st.integers(0, 2**20),
    rows=st.integers(0, 2**20),
    k=st.integers(1, 2),
)
def test_a_part_of_a_table_is_fitted_like_a_table_of_its_own(
    bits: list[int], yes: int, rows: int, k: int
) -> None:
    X = [[value >> j & 1 for j in range(6)] for value in bits]
    table = read("", X, [yes >> t & 1 for t in range(len(X))], None)
    rows &= table.everything
    part = table.only(rows)
    alone = read(
        "", [X[t] for t in part.numbers], [yes >> t & 1 for t in part.numbers], 6
    )
    rules, default, stuck = decision_rules(table, k, rows)
    expected = decision_rules(alone, k, alone.everything)
    assert (rules, default, stuck) == (*expected[:2], part.placed(expected[2]))
    terms, missed = covering_terms(table, k, rows)
    wanted = covering_terms(alone, k, alone.everything)
    assert (terms, missed) == (wanted[0], part.placed(wanted[1]))
    true = [sum(X[t][j] for t in part.numbers) for j in range(6)]
    assert table.frequencies(rows).tolist() == true
    false = [len(part.numbers) - count for count in true]
    assert table.dual().frequencies(rows).tolist() == false
    found = table.contradiction(rows)
    assert found == part.placed(alone.contradiction(alone.everything))
    if stuck and not found:
        fewer = shrunk(table, k, stuck)
        assert fewer & ~stuck == 0
        assert decision_rules(table, k, fewer)[2] == fewer


def test_native_rows_are_checked() -> None:
    offsets, columns = np.array([0, 1, 2]), np.array([0, 1], dtype=np.int32)
    rows = np.array([0, 1], dtype=np.uint8)
    assert _core.literal_rules(offsets, columns, rows, 2) == [(0, False)]
    assert rows.tolist() == [2, 1]
    for wrong in (
        (offsets[:2], columns, rows, 2),
        (offsets[::-1].copy(), columns, rows, 2),
        (offsets, columns, rows, 1),
        (offsets, -columns, rows, 2),
        (offsets, columns, rows + np.uint8(1), 2),
    ):
        with pytest.raises(ValueError, match="must"):
            _core.literal_rules(*wrong)


# Whatever holds the examples.


def test_all_containers_say_the_same() -> None:
    random = np.random.default_rng(5)
    X = random.random((200, 12)) < 0.4
    y = (X[:, 2] & ~X[:, 5]) | (X[:, 7] & X[:, 9])
    names = [f"f{column}" for column in range(12)]
    for fit in (partial(fit_kdnf, k=2), partial(fit_decision_list, k=2)):
        expected = fit(X, y)
        columns = [dict(enumerate(row)) for row in X.tolist()]
        for same in (
            X.astype(np.float32),
            X.astype(int).tolist(),
            np.asfortranarray(X),
            sparse.csr_matrix(X),
            sparse.coo_array(X.astype(np.int8)),
            pd.DataFrame(X),
            columns,
            [{f: v for f, v in x.items() if v} for x in columns],
        ):
            assert fit(same, y.tolist(), features=12) == expected
        named = fit(pd.DataFrame(X, columns=names), pd.Series(y))
        assert fit(pl.DataFrame(X, schema=names), pl.Series(y)) == named
        rows = [dict(zip(names, row, strict=True)) for row in X.tolist()]
        assert fit(tuple(rows), y) == named
        assert [named(row) for row in rows] == y.tolist()


def test_labels_are_those_of_learners() -> None:
    X = [[0], [1]]
    assert fit_disjunction(X, [-1, 1]) == fit_disjunction(X, np.array([False, True]))
    with pytest.raises(LabelError, match="row 1: a label must be"):
        fit_disjunction(X, [0, 2])
    with pytest.raises(ParameterError, match="one label for each of 2 rows"):
        fit_disjunction(X, [0])


def test_features_that_are_declared_may_be_absent() -> None:
    X = [{"a": 1}, {}]
    found = fit_conjunction(X, [1, 1], features=["b", "a"], shorten=False)
    assert found == Conjunction(~Literal("b"))
    found = fit_conjunction([[1, 0]], [1], features=3, shorten=False)
    assert found == Conjunction(0, ~Literal(1), ~Literal(2))
    assert fit_conjunction([{np.int64(4): np.True_}], [1], shorten=False) == (
        Conjunction(4)
    )


def test_explicit_zeros_and_unsorted_columns_are_fine() -> None:
    X = sparse.csr_matrix(
        (np.array([1.0, 0.0, 1.0]), np.array([2, 0, 1]), np.array([0, 2, 3])), (2, 3)
    )
    assert fit_conjunction(X, [1, 0], shorten=False) == Conjunction(
        ~Literal(0), ~Literal(1), 2
    )


@pytest.mark.parametrize(
    ("X", "feature", "value"),
    [
        ([[0, 1], [1, 2]], 1, 2.0),
        ([[0, 1], [1, float("nan")]], 1, float("nan")),
        (np.array([[0, 1], [-1, 1]]), 0, -1.0),
        (sparse.csr_matrix([[0, 1.0], [0.5, 0]]), 0, 0.5),
        (pd.DataFrame({"a": [1, 0], "b": [1, 3]}), "b", 3.0),
        ([{"a": 1}, {"a": "1"}], "a", "1"),
        ([{"a": 1}, {"a": None}], "a", None),
        ([{"a": 1}, {"b": float("nan")}], "b", float("nan")),
        ([{"a": 1}, {"a": [1]}], "a", [1]),
    ],
)
def test_only_zeros_and_ones_are_features(X: Any, feature: Any, value: Any) -> None:
    with pytest.raises(FeatureError, match="must be 0 or 1, got") as caught:
        fit_kdnf(X, [0, 1], 2)
    assert str(caught.value).startswith(f"row 1: fit_kdnf: feature {feature!r} must")
    assert (caught.value.row, caught.value.feature) == (1, feature)
    assert repr(caught.value.value) == repr(value)


@pytest.mark.parametrize(
    ("X", "features", "says"),
    [
        ([{"a": 1}, {"c": 0}], ["a", "b"], "row 1: .* one of `features`, got 'c'"),
        ([{"a": 1}, {3: 1}], 3, "row 0: .* one of `features`, got 'a'"),
        ([[0, 1], [1, 1]], 1, "one of `features`, got 1"),
        ([{"a": 1}, {1.5: 1}], None, "row 1: .* a name or a column number .* 1.5"),
        ([{0: 1}, {False: 1}], None, "row 1: .* a name or a column .* False"),
        ([{"a": 1}, {-1: 1}], None, "row 1: .* a name or a column .* -1"),
        (
            sparse.csr_matrix(
                (np.ones(2), np.array([1, 1]), np.array([0, 0, 2])), (2, 2)
            ),
            None,
            "row 1: .* each feature must appear once, got 1 twice",
        ),
        (
            pd.DataFrame([[0, 1], [1, 1]], columns=["a", "a"]),
            None,
            "each feature must appear once, got 'a' twice",
        ),
    ],
)
def test_features_must_be_known_and_stand_once(
    X: Any, features: Any, says: str
) -> None:
    with pytest.raises(FeatureError, match=says):
        fit_decision_list(X, [0, 1], features=features)


def test_an_example_must_be_a_mapping_like_the_first() -> None:
    with pytest.raises(ExampleError, match="row 1: fit_kcnf: .* got list"):
        fit_kcnf([{"a": 1}, [1]], [0, 1], 2)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"X": [[1], [0]], "k": 0}, "fit_kdnf: k must be .* at least 1, got 0"),
        ({"X": [[1], [0]], "k": 1.5}, "k must be a whole number"),
        ({"X": [[1], [0]], "features": 0}, "features must be .* at least 1, got 0"),
        ({"X": [[1], [0]], "features": []}, "features must name at least one"),
        ({"X": [[1], [0]], "features": "ab"}, "a number of columns, or names, got"),
        ({"X": [[1], [0]], "features": 1.5}, "a number of columns, or names, got"),
        ({"X": [[1], [0]], "features": ["a", "a"]}, "name each once, got 'a' twice"),
        ({"X": [[1], [0]], "features": ["a", None]}, "a name or a column .* None"),
        ({"X": [[1], [0]], "shorten": "no"}, "shorten must be True or False, got 'no'"),
        ({"X": [[], []]}, "at least one feature, got 0"),
        ({"X": [{}, {}]}, "at least one feature, got 0"),
        ({"X": [1, 0]}, "X must have two dimensions"),
        ({"X": [[1, 0], [0]]}, "row 1: rows must be equally long"),
    ],
)
def test_arguments_are_refused_that_make_no_sense(
    arguments: dict[str, Any], says: str
) -> None:
    with pytest.raises(ParameterError, match=says):
        fit_kdnf(**{"k": 1, "y": [0, 1], **arguments})


def test_many_features_and_long_terms_are_found_again() -> None:
    random = np.random.default_rng(11)
    X = random.random((3_000, 300)) < 0.5
    y = (X[:, 17] & ~X[:, 203]) | (X[:, 5] & X[:, 299])
    assert fit_kdnf(X, y, 2) == KDNF([17, ~Literal(203)], [5, 299])
    X = X[:, :60]
    y = (X[:, 0] | X[:, 1] | X[:, 2]) & (X[:, 31] | ~X[:, 8] | X[:, 59])
    assert fit_kcnf(X, y, 3) == KCNF([0, 1, 2], [31, ~Literal(8), 59])
    y = ~(X[:, 4] & X[:, 6]) & (X[:, 9] | X[:, 30])
    found = fit_decision_list(X, y, 2)
    assert found.size == 4
    assert [found(x) for x in X] == y.tolist()


# Real files, where they are at hand.


def cells(name: str, label: str, positive: str) -> tuple[list[dict[str, int]], Any]:
    """Read a CSV with nothing but Python, and name a feature after each cell."""
    path = data_file(name)
    with gzip.open(path, "rt", newline="") as file:
        records = list(csv.DictReader(file))
    y = [record.pop(label) == positive for record in records]
    return [{f"{c}={v}": 1 for c, v in r.items()} for r in records], y


def mistakes(concept: Any, X: list[dict[str, int]], y: list[bool]) -> int:
    return sum(concept(x) != label for x, label in zip(X, y, strict=True))


def test_poisonous_mushrooms_are_told_by_a_list_in_words() -> None:
    X, y = cells("agaricus/agaricus-lepiota.csv.gz", "class", "p")
    found = fit_decision_list(X, y)
    assert (len(y), mistakes(found, X, y)) == (8_124, 0)
    assert str(found) == (
        "if odor=f then yes, else if gill-color=b then yes, "
        "else if stalk-shape=t then no, else if population=n then no, "
        "else if odor=a then no, else if odor=l then no, "
        "else if not odor=n then yes, else if habitat=w then no, "
        "else if gill-attachment=a then no, else if population=s then no, "
        "else if population=y then no, else if spore-print-color=r then yes, "
        "else if stalk-surface-below-ring=y then yes, "
        "else if population=v then no, else yes"
    )
    assert DecisionList.parse(str(found)) == found


@pytest.mark.soak
def test_poisonous_mushrooms_are_told_by_a_few_pairs() -> None:
    X, y = cells("agaricus/agaricus-lepiota.csv.gz", "class", "p")
    found = fit_kdnf(X, y, 2)
    assert mistakes(found, X, y) == 0
    assert str(found) == (
        "(bruises=f and not odor=n) or (bruises=t and habitat=l) "
        "or (gill-size=n and stalk-surface-below-ring=y) "
        "or odor=f or odor=p or spore-print-color=r"
    )
    assert mistakes(fit_decision_list(X, y, 2), X, y) == 0
    for fit in (fit_conjunction, fit_disjunction):
        with pytest.raises(NoConsistentConcept, match="fits the 8124 examples"):
            fit(X, y)


def test_a_game_of_tic_tac_toe_is_won_in_eight_ways() -> None:
    X, y = cells("tic-tac-toe/tic-tac-toe.csv.gz", "class", "positive")
    found = fit_kdnf(X, y, 3)
    assert mistakes(found, X, y) == 0
    assert len(found.terms) == 8
    lines = ["tl tm tr", "ml mm mr", "bl bm br", "tl ml bl", "tm mm bm", "tr mr br"]
    lines += ["tl mm br", "tr mm bl"]
    # In each line a three of x, or, which at the end is the same, no o.
    cells_of = {tuple(sorted(f[:2] for f in t.features)) for t in found.terms}  # type: ignore[index]  # names
    assert cells_of == {tuple(sorted(line.split())) for line in lines}
    with pytest.raises(NoConsistentConcept, match="no 2-DNF fits the 958 examples"):
        fit_kdnf(X, y, 2)


def test_the_first_monk_is_found_from_its_training_rows() -> None:
    X, y = cells("monks/monks-1.train.csv.gz", "class", "1")
    found = fit_kdnf(X, y, 2)
    rest, truth = cells("monks/monks-1.test.csv.gz", "class", "1")
    assert [found(x) for x in X] == y
    everything = fit_kdnf(rest, truth, 2)
    assert everything == KDNF(
        ["a5=1"], *([f"a1={value}", f"a2={value}"] for value in (1, 2, 3))
    )


def test_the_noise_of_the_third_monk_rules_out_its_concept() -> None:
    X, y = cells("monks/monks-3.train.csv.gz", "class", "1")
    with pytest.raises(NoConsistentConcept) as caught:
        fit_decision_list(X, y)
    shown: list[Any] = list(caught.value.examples)
    with pytest.raises(NoConsistentConcept):
        fit_decision_list([dict.fromkeys(s.x, 1) for s in shown], [s.y for s in shown])


def test_a_list_whose_terms_would_not_fit_in_memory_is_refused() -> None:
    X = np.random.default_rng(0).integers(0, 2, (60, 1000))
    message = "at most 8589934592 bytes, but k = 5 and 2000 different literals need"
    with pytest.raises(ParameterError, match=message):
        fit_decision_list(X, X[:, 0], k=5)


@pytest.mark.parametrize("fit", [fit_kcnf, fit_kdnf])
def test_more_terms_than_can_be_listed_are_refused(fit: Any) -> None:
    X = np.eye(1000)
    with pytest.raises(ParameterError, match="k = 5 and 1000 features make"):
        fit(X, [True] + [False] * 999, k=5)
