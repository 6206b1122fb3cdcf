"""What is printed is what is parsed, and nothing else passes for a rule."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

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
from littlestone.errors import ParameterError
from rules import NASTY, concepts, features

CLASSES: list[Any] = [
    Literal,
    Conjunction,
    Disjunction,
    KCNF,
    KDNF,
    DecisionList,
    Halfspace,
]


@pytest.mark.parametrize(
    ("feature", "text"),
    [
        (4, "x4"),
        ("odor=foul", "odor=foul"),
        ("age>=30", "age>=30"),
        ("age<30", "age<30"),
        ("stalk-root=?", "stalk-root=?"),
        ("a.b:c/d*e", "a.b:c/d*e"),
        ("größe", "größe"),
        ("X4", "X4"),
        ("x", "x"),
        ("x4", '"x4"'),
        ("x04", '"x04"'),
        ("and", '"and"'),
        ("No", '"No"'),
        ("2", '"2"'),
        ("1st", '"1st"'),
        ("-a", '"-a"'),
        ("", '""'),
        ("two words", '"two words"'),
        ("a,b", '"a,b"'),
        ("f(a)", '"f(a)"'),
        ("it's", '"it\'s"'),
        ('say "yes"', r'"say \"yes\""'),
        ("a\\b", r'"a\\b"'),
        ("a\nb", r'"a\nb"'),
        ("a\u00a0b", r'"a\u00a0b"'),
        ("a\u202eb", r'"a\u202eb"'),
        ("\U000e0001", r'"\udb40\udc01"'),
        ("naïve mind", '"naïve mind"'),
    ],
)
def test_a_name_that_could_be_misread_stands_in_quotes(
    feature: Feature, text: str
) -> None:
    assert str(Literal(feature)) == text
    assert Literal.parse(text) == Literal(feature)
    assert Literal.parse(f" not  {text}\n") == ~Literal(feature)


@pytest.mark.parametrize(
    ("cls", "text"),
    [
        (Conjunction, "a and not b"),
        (Conjunction, "x2 and x10 and a"),
        (Disjunction, "not x8 or odor=foul"),
        (KCNF, "(a or b) and (not c)"),
        (KCNF, "a and (b or not c)"),
        (KCNF, "(never) and a"),
        (KDNF, "(a and b) or c"),
        (KDNF, "(always) or c"),
        (KDNF, "(not a)"),
        (DecisionList, "if x4 then yes, else if not x8 then no, else yes"),
        (DecisionList, "if x4 then yes, else if not x8 and a then no, else yes"),
        (DecisionList, "if always then no, else yes"),
        (DecisionList, "if never then no, else yes"),
        (DecisionList, "no"),
        (Halfspace, "- x3 + 2 a >= 1"),
        (Halfspace, "1/2 a + (a and not b) - 3 (not c) > -2/3"),
        (Halfspace, "0 >= 1"),
        (Halfspace, "4 (always) - (never) > 0"),
        *((cls, text) for cls in CLASSES[1:5] for text in ("always", "never")),
    ],
)
def test_rules_read_as_they_are_written(cls: type[Concept], text: str) -> None:
    assert str(cls.parse(text)) == text


@pytest.mark.parametrize(
    ("concept", "text"),
    [
        (Conjunction("a", ~Literal("b")), "\n a AND\tNot b "),
        (Conjunction("a", 4), "a and a and x0004"),
        (KDNF(["a", "b"], "c"), "a and b or c"),
        (KDNF(["a", "b"], "c"), "(b and a) or (c) or c"),
        (KCNF(["a", "b"], "c"), "c and (b or a)"),
        (KCNF("a"), "always and a"),
        (KDNF("a"), "a or never"),
        (DecisionList([("a", True)], default=False), "IF a THEN yes , ELSE no"),
        (Halfspace({"a": 2, 3: -1}, 1), "2 a - x3 >= 1"),
        (Halfspace({"a": 2, 3: -1}, 1), "+2 a -x3 >= +1"),
        (Halfspace({"a": 2, 3: -1}, -1), "-1 x3 + 2.0 (a) >= -1.0"),
        (Halfspace({"a": Fraction(1, 8)}, 47), "0.125 a >= 0x2f"),
        (Halfspace({"a": Fraction(1, 3)}, 0), "2/6 a + 0 b >= 0"),
    ],
)
def test_other_ways_to_write_a_rule(concept: Concept, text: str) -> None:
    assert type(concept).parse(text) == concept


@given(concepts())
def test_what_is_printed_is_parsed_back(concept: Concept) -> None:
    text = str(concept)
    assert type(concept).parse(text) == concept
    assert "\n" not in text
    assert text.isprintable()
    text.encode()


@given(features, st.booleans())
def test_literals_come_back_too(feature: Feature, positive: bool) -> None:
    literal = Literal(feature, positive)
    assert Literal.parse(str(literal)) == literal
    assert eval(repr(literal)) == literal  # noqa: S307 - our own, and that is the test


def test_long_rules_are_read() -> None:
    rules = [(i % 50, i % 3 == 0) for i in range(2_000)]
    text = str(DecisionList(rules, default=True))
    assert DecisionList.parse(text).size == 2_001
    wide = " and ".join(f"x{i}" for i in range(10_000))
    assert Conjunction.parse(wide).size == 10_000
    deep = " or ".join(f"(a and x{i})" for i in range(5_000))
    assert KDNF.parse(deep).size == 10_000
    assert Conjunction.parse(f"a and {'b' * 1_000_000}").size == 2


def test_numbers_of_any_length_are_written_and_read() -> None:
    long = Halfspace({"a": 2**20_000 + 1, "b": Fraction(-1, 3**9000)}, -(2**15_000))
    assert Halfspace.parse(str(long)) == long
    assert eval(repr(long)) == long  # noqa: S307 - our own, and that is the test
    decimal = "7" * 600
    assert str(Halfspace.parse(f"{decimal} a >= 0")) == f"{decimal} a >= 0"


@pytest.mark.parametrize(
    ("cls", "text", "message"),
    [
        (
            Literal,
            "",
            "Literal: expected 'not' or a feature at position 0, got the end",
        ),
        (Literal, "not", "Literal: expected a feature at position 3, got the end"),
        (Literal, "not not a", "expected a feature at position 4, got 'not'"),
        (Literal, "a b", "expected the end at position 2, got 'b'"),
        (Conjunction, "a or b", "expected 'and' or the end at position 2, got 'or'"),
        (
            Conjunction,
            "a and",
            "expected 'not' or a feature at position 5, got the end",
        ),
        (Conjunction, "always and a", "expected the end at position 7, got 'and'"),
        (Conjunction, "(a)", "expected 'not' or a feature at position 0, got '\\('"),
        (Disjunction, "a, b", "expected 'or' or the end at position 1, got ','"),
        (Conjunction, "age >= 30", "expected 'and' or the end at position 4, got '>='"),
        (Conjunction, "1st", "must be in double quotes at position 0, got '1st'"),
        (Conjunction, "a and 'b'", "in double quotes at position 6, got \"'b'\""),
        (Conjunction, 'a and "b', "must end in a quote at position 6, got '\"b'"),
        (Conjunction, r'"\q"', "must be a JSON string at position 0"),
        (Conjunction, r'"\ud800"', "must be text that UTF-8 can hold"),
        (Conjunction, "x" + "9" * 30, "a column has at most 20 digits at position 0"),
        (Conjunction, "x99999999999999999999", r"to 2\*\*64 - 1, got 9999"),
        (KCNF, "a or b", "expected 'and' or the end at position 2, got 'or'"),
        (KCNF, "(a or b", "expected 'or' or '\\)' at position 7, got the end"),
        (KCNF, "(a and b)", "expected 'or' or '\\)' at position 3, got 'and'"),
        (KCNF, "(always and b)", "expected '\\)' at position 8, got 'and'"),
        (KDNF, "((a))", "expected 'not' or a feature at position 1, got '\\('"),
        (KDNF, "a or", "expected 'not' or a feature at position 4, got the end"),
        (DecisionList, "", "expected 'if', 'yes' or 'no' at position 0, got the end"),
        (DecisionList, "if a then yes", "expected ',' at position 13, got the end"),
        (DecisionList, "if a yes", "expected 'and' or 'then' at position 5, got 'yes'"),
        (DecisionList, "if a then b, else no", "'yes' or 'no' at position 10, got 'b'"),
        (DecisionList, "if a then yes, no", "expected 'else' at position 15, got 'no'"),
        (DecisionList, "yes, else no", "expected the end at position 3, got ','"),
        (Halfspace, "a", "expected '\\+', '-', '>' or '>=' at position 1, got the end"),
        (Halfspace, "a >= b", "expected a number at position 5, got 'b'"),
        (Halfspace, "2 >= 1", "expected a feature or '\\(' at position 2, got '>='"),
        (Halfspace, "a >= 1/0", "a number must be .* at position 5, got '1/0'"),
        (Halfspace, "a >= 0x1.5", "a number must be .* at position 5, got '0x1.5'"),
        (Halfspace, "a >= 1e999999999", "double quotes at position 5"),
        (
            Halfspace,
            "1 a + 2 a >= 1",
            "each feature must have one weight, got 'a' twice",
        ),
        (Halfspace, f"a >= {'7' * 5000}", "and not too long at position 5, got '7777"),
        (Halfspace, "2 not a >= 1", "expected a feature or '\\(' at position 2"),
        (Conjunction, None, "the rule to parse must be text, got None"),
        (Conjunction, b"a", "the rule to parse must be text, got b'a'"),
    ],
)
def test_an_error_tells_what_was_expected_and_where(
    cls: type[Concept], text: str, message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        cls.parse(text)


def test_an_error_shows_only_the_start_of_what_it_found() -> None:
    with pytest.raises(ParameterError) as caught:
        Conjunction.parse("a " + "b" * 100_000)
    assert len(str(caught.value)) < 150


tokens = st.sampled_from(
    [
        *("and", "or", "not", "if", "then", "else", "yes", "no", "always", "never"),
        *(
            "(",
            ")",
            ",",
            "+",
            "-",
            ">=",
            ">",
            "2",
            "1/3",
            "0.5",
            "0x1f",
            "x4",
            "a",
            "b",
        ),
        *('"a', '"', "\\", "'", "AND", "x", ">=1", "1/0", "-a", "\n", "\ud800", "\0"),
    ]
)
soups = (
    st.text(st.characters(), max_size=30)
    | st.binary(max_size=30).map(lambda raw: raw.decode("latin-1"))
    | st.lists(tokens, max_size=15).map(" ".join)
    | st.lists(tokens, max_size=15).map("".join)
)


@given(soups, st.sampled_from(CLASSES))
@example('"\\ud83d\\ude00"', Conjunction)
@example("x٣ and ٣", Conjunction)
@example("٣ a >= 1", Halfspace)
def test_other_texts_are_refused_and_nothing_worse(text: str, cls: Any) -> None:
    try:
        made = cls.parse(text)
    except ParameterError as error:
        str(error).encode()
        return
    assert cls.parse(str(made)) == made


@given(concepts(), st.data())
def test_a_text_with_one_thing_wrong_is_refused_or_another_rule(
    concept: Concept, data: st.DataObject
) -> None:
    text = str(concept)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 2)))
    changed = text[:start] + data.draw(soups) + text[end:]
    for cls in CLASSES:
        try:
            made = cls.parse(changed)
        except ParameterError:
            continue
        assert cls.parse(str(made)) == made


def test_every_nasty_name_is_read_back_among_others() -> None:
    for name in NASTY:
        for cls in (Conjunction, Disjunction):
            rule = cls("b", ~Literal(name), 4)
            assert cls.parse(str(rule)) == rule
        listed = DecisionList([(name, True), ([name, "b"], False)], default=True)
        assert DecisionList.parse(str(listed)) == listed
        weighed = Halfspace({name: 2, Conjunction(name, "b"): -1}, 1)
        assert Halfspace.parse(str(weighed)) == weighed
