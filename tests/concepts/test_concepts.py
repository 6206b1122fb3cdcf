"""Concepts are values: what they say, what they equal, and what they refuse."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import errors
from littlestone.concepts import (
    KCNF,
    KDNF,
    Concept,
    Conjunction,
    DecisionList,
    Disjunction,
    Feature,
    Halfspace,
    Literal,
)
from rules import (
    all_examples,
    all_terms,
    boolean_concepts,
    concepts,
    kcnfs,
    kdnfs,
    said,
)

a, b, c = Literal("a"), Literal("b"), Literal("c")
OVER: list[Feature] = [0, 1, 7, "a", "b"]
few = st.sampled_from(OVER)

ONE_OF_EACH: list[Concept] = [
    Conjunction("a", ~b),
    Disjunction("a", ~b),
    KCNF(Disjunction("a", "b"), ~c),
    KDNF(Conjunction("a", "b"), ~c),
    DecisionList([("a", True), ([~b, "c"], False)], default=True),
    Halfspace({"a": 2, 3: -1, Conjunction("a", ~b): Fraction(1, 3)}, 1, strict=True),
]


def kind(concept: Concept) -> str:
    return type(concept).__name__


# What they say


def test_a_conjunction_asks_for_all_and_a_disjunction_for_any() -> None:
    both, either = Conjunction("a", ~b), Disjunction("a", ~b)
    examples = [{}, {"b": 1}, {"a": 1}, {"a": 1, "b": 1}]
    assert [both(x) for x in examples] == [False, False, True, False]
    assert [either(x) for x in examples] == [True, False, True, True]


def test_constants_look_at_nothing() -> None:
    for constant in (Conjunction(), Disjunction.always(), KCNF(), KDNF(Conjunction())):
        assert constant({}) is True
        assert str(constant) == "always"
        assert constant.features == ()
        assert constant.size == 0
    for constant in (Disjunction(), Conjunction.never(), KDNF(), KCNF(Disjunction())):
        assert constant({}) is False
        assert str(constant) == "never"
    assert DecisionList([], default=True)({}) is True
    assert Halfspace({}, 0)({}) is True
    assert Halfspace({}, 0, strict=True)({}) is False


def test_the_first_rule_that_fires_decides() -> None:
    rule = DecisionList.parse("if x4 then yes, else if not x8 and a then no, else yes")
    assert rule({4: 1, "a": 1})
    assert not rule({"a": 1})
    assert rule({"a": 1, 8: 1})
    assert rule({})


def test_sizes_count_what_people_count() -> None:
    assert Conjunction("a", ~b, "a").size == 2
    assert KCNF(["a", "b"], ["a", "c"], "b").size == 5
    assert KDNF(["a", "b", "c"], "b").k == 3
    assert KDNF().k == KCNF(Disjunction()).k == DecisionList([], default=True).k == 0
    assert DecisionList([("a", True), (["b", "c"], False)], default=True).size == 3
    assert DecisionList([("a", True), (["b", "c"], False)], default=True).k == 2
    assert Halfspace({"a": 1, "b": 0, 4: 2.5}, 0).size == 2


def test_a_row_is_read_by_columns_and_what_is_beyond_its_end_is_false() -> None:
    rule = Conjunction(0, ~Literal(5))
    for row in ([1, 0], (True,), np.array([1.0, 0.0]), np.array([True]), [np.int8(1)]):
        assert rule(row)
    assert not rule([1, 0, 0, 0, 0, 1])
    assert not rule([])
    assert Halfspace({0: 2, 2: 1}, 3)(np.array([1, 7, 1]))


@pytest.mark.parametrize("one", [1, True, 1.0, np.float32(1), np.True_, Fraction(1)])
def test_one_and_true_are_one(one: Any) -> None:
    assert Conjunction("a")({"a": one, "elsewhere": "foul"}) is True
    assert Conjunction("a")({"a": one - one if one is not np.True_ else False}) is False
    assert Halfspace({"a": 3}, 3)({"a": one}) is True
    assert Halfspace({"a": 3}, 3, strict=True)({"a": one}) is False


def test_a_halfspace_sums_exactly() -> None:
    # In floats 0.1 + 0.2 exceeds 0.3; so do the rationals that these floats are.
    tenths = Halfspace({"a": 0.1, "b": 0.2}, 0.3)
    assert tenths({"a": 1, "b": 1}) is (Fraction(0.1) + Fraction(0.2) >= Fraction(0.3))
    exact = Halfspace({"a": Fraction(1, 10), "b": Fraction(2, 10)}, Fraction(3, 10))
    assert exact({"a": 1, "b": 1})
    assert not (~exact)({"a": 1, "b": 1})
    # A float would lose the 1.
    large = Halfspace({"a": 2**60, "b": 1}, 2**60 + 1)
    assert not large({"a": 1})
    assert large({"a": 1.0, "b": 1.0})
    assert large({"a": Decimal(1), "b": np.float64(1)})
    assert Halfspace({0: 1}, 5e-324)([5e-324])


def test_terms_in_a_halfspace_are_asked_yes_or_no() -> None:
    rule = Halfspace({Conjunction("a", "b"): 2, Conjunction(~a): 1, "c": 1}, 2)
    assert [rule(x) for x in all_examples(["a", "b", "c"])] == [
        *(False, True, False, True),
        *(False, False, True, True),
    ]
    with pytest.raises(
        errors.FeatureError, match="feature 'a' must be 0 or 1, got 0.5"
    ):
        rule({"a": 0.5})


@given(concepts(few), st.dictionaries(few, st.booleans()))
def test_they_say_what_their_definition_says(
    concept: Concept, x: dict[Feature, bool]
) -> None:
    assert concept(x) is said(concept, x)
    if all(isinstance(feature, int) for feature in concept.features):
        row = [x.get(column, False) for column in range(8)]
        assert concept(row) is concept(np.array(row)) is said(concept, x)


# What they equal


def test_order_and_repetition_do_not_matter() -> None:
    first, second = Conjunction(~b, "a", 10, 9, "a", ~a), Conjunction(9, 10, a, ~a, ~b)
    assert first == second
    assert hash(first) == hash(second)
    assert pickle.dumps(first) == pickle.dumps(second)
    assert str(first) == "x9 and x10 and a and not a and not b"
    assert KDNF(["b"], ["a", "c"], "b") == KDNF(Conjunction("c", "a"), b)
    assert str(KDNF(["b"], ["c", "a"])) == "(a and c) or b"
    assert Halfspace({"b": 1, 3: 2.0, "a": 0}, 1.0) == Halfspace({3: 2, "b": 1}, 1)
    assert Halfspace({a: 1, Conjunction(3): 2}, 1) == Halfspace({"a": 1, 3: 2}, 1)
    assert sorted([b, ~a, a, Literal(10), Literal(9)]) == [
        Literal(9),
        Literal(10),
        a,
        ~a,
        b,
    ]


def test_what_differs_is_not_equal() -> None:
    values = [
        *ONE_OF_EACH,
        *(Conjunction(), Conjunction.never(), Disjunction(), Disjunction.always()),
        *(Conjunction("a"), Disjunction("a"), KDNF("a"), KCNF("a"), Conjunction(~a)),
        *(Conjunction("x4"), Conjunction(4), Conjunction("4")),
        *(Halfspace({"a": 1}, 1), Halfspace({"a": 1}, 1, strict=True)),
        *(DecisionList([], default=True), DecisionList([("a", True)], default=True)),
    ]
    assert len(set(values)) == len(values)
    assert a != ~a
    assert Literal(4) != Literal("x4")
    with pytest.raises(TypeError):
        sorted([a, 3])  # type: ignore[type-var]  # that is the test


@pytest.mark.parametrize("concept", ONE_OF_EACH, ids=kind)
def test_they_cannot_be_changed(concept: Concept) -> None:
    for field in dataclasses.fields(concept):  # type: ignore[arg-type]  # they are
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(concept, field.name, ())
    assert not hasattr(concept, "__dict__")
    assert copy.copy(concept) is copy.deepcopy(concept) is concept


@given(concepts())
def test_a_pickle_holds_the_value_and_nothing_else(concept: Concept) -> None:
    pickled = pickle.dumps(concept)
    again = pickle.loads(pickled)  # noqa: S301 - our own
    assert again == concept
    assert hash(again) == hash(concept)
    assert pickle.dumps(again) == pickled
    assert isinstance(concept, Concept)


@given(concepts())
def test_repr_is_python_that_makes_the_value(concept: Concept) -> None:
    made = eval(repr(concept))  # noqa: S307 - our own, and that is the test
    assert made == concept
    assert type(made) is type(concept)


# Truth tables: all concepts over a few features


def normal_forms() -> list[Concept]:
    """Return every 2-DNF over two features, and every 2-CNF."""
    terms = list(all_terms(["a", "b"]))
    chosen = [some for size in range(10) for some in combinations(terms, size)]
    return [
        *(KDNF(*some) for some in chosen),
        *(KCNF(*(~term for term in some)) for some in chosen),
    ]


def lists() -> list[DecisionList]:
    """Return the short lists over two features, and the 1-lists over three."""
    long = list(all_terms(["a", "b"]))
    short = [Conjunction(Literal(f, p)) for f in "abc" for p in (True, False)]
    made = []
    for terms, most in ((long, 2), (short, 3)):
        rules = list(product(terms, (True, False)))
        for size in range(most + 1):
            made += [
                DecisionList(some, default)
                for some in product(rules, repeat=size)
                for default in (True, False)
            ]
    return made


def small_halfspaces() -> list[Halfspace]:
    both = Conjunction("a", "c")
    sizes: list[int | Fraction] = [-1, 0, 1, Fraction(1, 2)]
    return [
        Halfspace({"a": p, "b": q, both: r}, Fraction(t, 2), strict=strict)
        for p, q, r in product(sizes, repeat=3)
        for t in range(-4, 5)
        for strict in (True, False)
    ]


SMALL: list[Concept] = [
    *all_terms(["a", "b", "c"]),
    *(~term for term in all_terms(["a", "b", "c"])),
    *(Conjunction.never(), Disjunction.always(), Conjunction("a", ~a)),
    *normal_forms(),
    *lists(),
    *small_halfspaces(),
]


@pytest.mark.soak
def test_every_small_concept_has_the_table_of_its_definition() -> None:
    over = ["a", "b", "c"]
    examples = list(all_examples(over))
    for concept in SMALL:
        table = tuple(said(concept, x) for x in examples)
        assert concept.truth_table(over) == table
        assert (~concept).truth_table(over) == tuple(not answer for answer in table)
        assert ~~concept == concept
        if isinstance(concept, DecisionList):
            assert concept.to_halfspace().truth_table(over) == table


def test_equivalent_is_to_have_one_table() -> None:
    over = ["a", "b"]
    small = [*normal_forms()[::12], *all_terms(over), Conjunction.never()]
    for one, other in product(small, repeat=2):
        same = one.truth_table(over) == other.truth_table(over)
        assert one.equivalent(other) is same


def test_tables_follow_the_order_that_is_asked_for() -> None:
    rule = Conjunction("a", ~b)
    assert rule.truth_table() == (False, False, True, False)
    assert rule.truth_table(["b", "a"]) == (False, True, False, False)
    assert rule.truth_table(["a", "z", "b"]) == tuple(
        said(rule, x) for x in all_examples(["a", "z", "b"])
    )
    assert Disjunction(1).truth_table(2) == (False, True, False, True)
    assert Conjunction().truth_table(0) == (True,)


def test_twenty_features_are_not_too_many() -> None:
    all_of_them = Conjunction(*range(20))
    assert all_of_them.equivalent(Halfspace(dict.fromkeys(range(20), 1), 20))
    assert not all_of_them.equivalent(Halfspace(dict.fromkeys(range(20), 1), 19))
    with pytest.raises(errors.ParameterError, match="at most 20 features, got 21"):
        all_of_them.equivalent(Conjunction("a"))
    with pytest.raises(
        errors.ParameterError, match="at most 20 features, got 1000000000"
    ):
        Conjunction().truth_table(10**9)


# Reduced


def test_reduced_drops_what_another_part_makes_needless() -> None:
    assert str(KDNF.parse("a or (a and b) or (b and c)").reduced()) == "a or (b and c)"
    assert str(KCNF.parse("a and (a or b) and (b or c)").reduced()) == "a and (b or c)"
    assert KDNF("a", Conjunction()).reduced() == KDNF(Conjunction())
    assert KCNF(["a", ~a]).reduced() == KCNF()
    assert KDNF(["a", ~a], "b").reduced() == KDNF("b")


def test_reduced_says_the_same_and_cannot_be_reduced_by_that_rule() -> None:
    for concept in normal_forms():
        assert isinstance(concept, (KCNF, KDNF))
        check_reduced(concept)


@given(kdnfs(few) | kcnfs(few))
def test_any_normal_form_reduces_to_an_equivalent(concept: KCNF | KDNF) -> None:
    check_reduced(concept)


def check_reduced(concept: KCNF | KDNF) -> None:
    less = concept.reduced()
    assert less.equivalent(concept)
    parts = concept.clauses if isinstance(concept, KCNF) else concept.terms
    kept = less.clauses if isinstance(less, KCNF) else less.terms
    sets = [set(part.literals) for part in parts if len(part.features) == part.size]
    least = [literals for literals in sets if not any(s < literals for s in sets)]
    assert [set(part.literals) for part in kept] == least


# Decision lists as halfspaces


def test_rules_weigh_twice_as_much_as_the_next() -> None:
    rule = DecisionList.parse(
        "if a then no, else if b then yes, else if c then no, else yes"
    )
    assert str(rule.to_halfspace()) == "- 8 a + 4 b - 2 c >= 0"
    # The negation of b weighs 4, so b takes 4 away, and 4 is left to be reached.
    rule = DecisionList.parse("if a and c then yes, else if not b then yes, else no")
    assert str(rule.to_halfspace()) == "- 2 b + 4 (a and c) >= 0"
    rule = DecisionList.parse("if always then yes, else if a then no, else no")
    assert rule.to_halfspace()({"a": 1})
    rule = DecisionList.parse(
        "if never then yes, else if a and not a then yes, else no"
    )
    assert not rule.to_halfspace()({"a": 1})


@pytest.mark.parametrize("signs", ["positive", "negated", "mixed"])
def test_a_long_list_stays_exact(signs: str) -> None:
    length = 500
    positive = [
        {"positive": True, "negated": False, "mixed": i % 3 > 0}[signs]
        for i in range(length - 1)
    ]
    answers = [i % 2 == 0 or i % 7 == 0 for i in range(length - 1)]
    rule = DecisionList(
        [(Literal(i, positive[i]), answers[i]) for i in range(length - 1)],
        default=False,
    )
    halfspace = rule.to_halfspace()
    assert abs(halfspace.weights[0]) == 2 ** (length - 1)
    assert abs(halfspace.weights[length - 2]) == 2
    # The hardest examples: rule i fires, and all that follow, whatever they say.
    for i in [*range(40), *range(40, length - 1, 97), length - 2, length - 1]:
        fires = [j >= i for j in range(length - 1)]
        x = [fires[j] == positive[j] for j in range(length - 1)]
        expected = answers[i] if i < length - 1 else False
        assert rule(x) is halfspace(x) is expected
        alone = [(j == i) == positive[j] for j in range(length - 1)]
        assert rule(alone) is halfspace(alone) is expected


@given(
    st.lists(st.tuples(few, st.booleans(), st.booleans()), max_size=12), st.booleans()
)
def test_lists_that_repeat_themselves_are_halfspaces_too(
    rules: list[tuple[Feature, bool, bool]], default: bool
) -> None:
    made = DecisionList(
        [(Literal(feature, sign), answer) for feature, sign, answer in rules], default
    )
    assert made.to_halfspace().equivalent(made)
    assert (~made).to_halfspace().equivalent(~made)


# What is refused


@given(boolean_concepts(few), few, st.sampled_from([2, -1, 0.5, "1", None, [1], b"\1"]))
def test_values_must_be_zero_or_one(
    concept: Concept, feature: Feature, bad: Any
) -> None:
    x = dict.fromkeys(OVER, False) | {feature: bad}
    if feature not in concept.features:
        assert concept(x) is said(concept, dict.fromkeys(OVER, False))
        return
    with pytest.raises(errors.FeatureError) as caught:
        concept(x)
    assert caught.value.feature == feature
    assert caught.value.value == bad
    assert f"{kind(concept)}: feature {feature!r} must be 0 or 1" in str(caught.value)


@pytest.mark.parametrize(
    "bad", [np.nan, np.array([1]), np.array([1, 0]), Decimal("sNaN"), object(), 1j, "1"]
)
def test_no_value_slips_through(bad: Any) -> None:
    for rule in (Conjunction("a"), Halfspace({"a": 1}, 0)):
        if rule.size and bad is not None:
            with pytest.raises(errors.FeatureError, match="feature 'a' must be"):
                rule({"a": bad})


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan, None, "2", [2], 2j])
def test_a_halfspace_takes_finite_numbers(bad: Any) -> None:
    with pytest.raises(
        errors.FeatureError, match="feature 'a' must be a finite number"
    ):
        Halfspace({"a": 1}, 0)({"a": bad})
    with pytest.raises(
        errors.ParameterError, match="threshold must be a finite number"
    ):
        Halfspace({"a": 1}, bad)
    with pytest.raises(
        errors.ParameterError, match="the weight of 'a' must be a finite"
    ):
        Halfspace({"a": bad}, 1)


@pytest.mark.parametrize("concept", ONE_OF_EACH, ids=kind)
@pytest.mark.parametrize("bad", ["ab", b"ab", 3, None, {"a"}, iter([1])])
def test_an_example_is_a_mapping_or_a_row(concept: Concept, bad: Any) -> None:
    message = f"{kind(concept)}: an example must be a mapping or a row of numbers, got"
    with pytest.raises(errors.ExampleError, match=message):
        concept(bad)


@pytest.mark.parametrize("concept", ONE_OF_EACH, ids=kind)
def test_names_are_not_in_a_row(concept: Concept) -> None:
    with pytest.raises(
        errors.FeatureError, match="needs an example with names, got a row"
    ):
        concept([1, 0, 1, 1])


@pytest.mark.parametrize(
    "bad", [-1, 2**64, 1.0, True, None, b"a", ("a",), "\ud800", np.True_]
)
def test_a_feature_is_a_name_or_a_column(bad: Any) -> None:
    with pytest.raises(errors.ParameterError, match="Literal: a "):
        Literal(bad)
    with pytest.raises(errors.ParameterError, match="Conjunction: a literal must be"):
        Conjunction("a", bad)
    with pytest.raises(errors.ParameterError, match="Halfspace: a "):
        Halfspace({bad: 1}, 1)


def test_numbers_and_names_of_numpy_become_plain() -> None:
    literal = Literal(np.int64(3))  # type: ignore[arg-type]  # it is as good as one
    assert type(literal.feature) is int
    assert type(Literal(np.str_("a")).feature) is str


empty = Conjunction()


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        (Literal, ("a", 1), "positive must be True or False, got 1"),
        (Conjunction, (["a", "b"],), r"a literal must be .*, got \['a', 'b'\]"),
        (KCNF, (Conjunction("a"),), "each part must be a Disjunction or literals, got"),
        (KDNF, (Disjunction("a"),), "each part must be a Conjunction or literals, got"),
        (KDNF, (None,), "KDNF: a literal must be .*, got None"),
        (DecisionList, (["ab", "c"], True), "the answer of a rule must be .*, got 'b'"),
        (DecisionList, ([3], True), r"must be a pair \(term, answer\), got 3"),
        (
            DecisionList,
            ([("a", 1)], True),
            "the answer of a rule must be True or False",
        ),
        (DecisionList, ([], 0), "default must be True or False, got 0"),
        (Halfspace, ([1], 1), r"weights must be a mapping .*, got \[1\]"),
        (Halfspace, ({"a": 1, a: 2}, 1), "must have one weight, got 'a' twice"),
        (empty.truth_table, ("ab",), "features must be a number or a sequence"),
        (empty.truth_table, (-1,), "features must be a number or a sequence"),
        (empty.truth_table, (["a", "a"],), "features must be distinct, got 'a' twice"),
        (Conjunction("b").truth_table, (["a"],), "got none that is 'b'"),
        (empty.equivalent, ("a",), "equivalent takes a concept, got 'a'"),
        (empty.to_python, ("a b",), "must be a Python identifier, got 'a b'"),
        (empty.to_python, ("if",), "must be a Python identifier, got 'if'"),
    ],
)
def test_senseless_arguments_are_refused(
    make: Any, arguments: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(errors.ParameterError, match=message):
        make(*arguments)


def test_strict_is_yes_or_no() -> None:
    with pytest.raises(errors.ParameterError, match="strict must be True or False"):
        Halfspace({}, 1, strict=1)  # type: ignore[arg-type]  # that is the test
