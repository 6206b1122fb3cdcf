"""Concepts say the same in Python and in SQL."""

from __future__ import annotations

import sqlite3
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
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
from rules import boolean_concepts, concepts, features, halfspaces, said

# SQLite takes names that differ in case alone for one, and no name may hold a zero.
COLUMNS: list[Feature] = [
    *(
        0,
        4,
        12,
        "a",
        "odor=foul",
        "two words",
        'quote"d',
        "it's",
        "select",
        "rowid",
        "é",
    ),
    *("'; DROP TABLE t; --", "a\nb", "--", "%s", "[x]", "`", "\\", "null", "x4 "),
]
columns = st.sampled_from(COLUMNS)


def as_python(concept: Concept) -> Any:
    """Return the function that Python makes of the text."""
    space: dict[str, Any] = {}
    exec(concept.to_python("said"), space)  # noqa: S102 - our own, and that is the test
    return space["said"]


def in_sqlite(concept: Concept, x: dict[Any, Any], **options: Any) -> Any:
    """Ask SQLite, with a table whose columns are the features."""
    names = {f if isinstance(f, str) else f"x{f}": value for f, value in x.items()}
    quoted = ['"' + name.replace('"', '""') + '"' for name in ("one", *names)]
    with sqlite3.connect(":memory:") as base:
        base.execute(f"CREATE TABLE t ({', '.join(quoted)})")
        marks = ", ".join("?" * (len(names) + 1))
        base.execute(f"INSERT INTO t VALUES ({marks})", [1, *names.values()])  # noqa: S608 - a table of our own
        expression = concept.to_sql(**options)
        rows = base.execute(f"SELECT {expression}, NOT {expression} FROM t").fetchall()  # noqa: S608 - that is the test
    [(yes, no)] = rows
    assert {yes, no} == {0, 1}
    return bool(yes)


# Python


@given(concepts(), st.data())
def test_python_says_the_same(concept: Concept, data: st.DataObject) -> None:
    function = as_python(concept)
    for _ in range(4):
        some = st.sampled_from(concept.features or (0,)) | features
        x = data.draw(st.dictionaries(some, st.sampled_from([0, 1, True, False, 1.0])))
        assert function(x) is said(concept, x)


@given(halfspaces(st.sampled_from(["a", "b", 3])), st.data())
def test_python_sums_exactly(concept: Halfspace, data: st.DataObject) -> None:
    alone = {key for key in concept.weights if not isinstance(key, Conjunction)}
    free = sorted(alone.difference(*(_inside(key) for key in concept.weights)), key=str)
    floats = st.floats(-4, 4) | st.fractions(-2, 2) | st.integers(-9, 9)
    x: dict[Any, Any] = {feature: data.draw(floats) for feature in free}
    assert as_python(concept)(x) is concept(x)
    # At the threshold itself exactness shows.
    if free:
        weight = concept.weights[free[0]]
        x[free[0]] = 0
        rest = sum((concept.weights[f] * Fraction(x[f]) for f in free), Fraction(0))
        rest += sum(w for k, w in concept.weights.items() if _fires(k))
        x[free[0]] = (concept.threshold - rest) / Fraction(weight)
        assert as_python(concept)(x) is concept(x) is not concept.strict


def _inside(key: Any) -> tuple[Feature, ...]:
    return key.features if isinstance(key, Conjunction) else ()


def _fires(key: Any) -> bool:
    return isinstance(key, Conjunction) and said(key, {})


def test_python_reads_as_people_would_write_it() -> None:
    rule = DecisionList.parse("if x4 then yes, else if not a and b then no, else yes")
    assert rule.to_python() == (
        "def rule(x):\n"
        "    if x.get(4, False):\n"
        "        return True\n"
        "    if not x.get('a', False) and x.get('b', False):\n"
        "        return False\n"
        "    return True\n"
    )
    assert KCNF(["a", "b"], "c").to_python("f") == (
        "def f(x):\n"
        "    if (x.get('a', False) or x.get('b', False)) and x.get('c', False):\n"
        "        return True\n"
        "    return False\n"
    )
    assert Halfspace(
        {"a": Fraction(1, 2), Conjunction("a", "b"): -1}, 1
    ).to_python() == (
        "def rule(x):\n"
        "    from fractions import Fraction\n"
        "    total = 0\n"
        "    total += 1 * Fraction(x.get('a', 0))\n"
        "    if x.get('a', False) and x.get('b', False):\n"
        "        total += -2\n"
        "    return total >= 2\n"
    )
    assert Conjunction().to_python() == "def rule(x):\n    return True\n"


@pytest.mark.parametrize("name", ["bool", "sum", "x", "Fraction", "total", "größe"])
def test_the_function_may_have_any_name(name: str) -> None:
    for concept in (Conjunction("a"), Halfspace({"a": 2}, 1)):
        space: dict[str, Any] = {}
        exec(concept.to_python(name), space)  # noqa: S102 - our own, and that is the test
        assert space[name]({"a": 1}) is True
        assert space[name]({}) is False


def test_long_rules_compile() -> None:
    assert as_python(Conjunction(*range(5_000)))({}) is False
    rules = [(column, column % 2 == 0) for column in range(5_000)]
    assert as_python(DecisionList(rules, default=True))({4_999: 1}) is False
    halfspace = DecisionList(rules[:3000], default=True).to_halfspace()
    assert as_python(halfspace)({2999: 1}) is False
    # Python itself reads no decimals as long as these.
    large = Halfspace({"a": 2**20_000, "b": -1}, 2**20_000)
    assert as_python(large)({"a": 1}) is True
    assert as_python(large)({"a": 1, "b": 1}) is False


# SQL


@given(boolean_concepts(columns) | halfspaces(columns), st.data())
def test_sqlite_says_the_same(concept: Concept, data: st.DataObject) -> None:
    values = st.sampled_from([0, 1, None, True, False])
    x = {feature: data.draw(values) for feature in concept.features}
    # What is null, or a false that is not there, is false.
    assert in_sqlite(concept, x) is said(concept, {f: bool(v) for f, v in x.items()})


def test_sql_reads_as_people_would_write_it() -> None:
    assert Disjunction(4, ~Literal('b"c')).to_sql() == (
        '(COALESCE("x4", 0) = 1 OR COALESCE("b""c", 0) = 0)'
    )
    rule = DecisionList(
        [("odor=foul", False), (["ring=one", ~Literal("a")], True)], False
    )
    assert rule.to_sql(cells=True) == (
        "CASE\n"
        "  WHEN COALESCE(\"odor\" = 'foul', FALSE) THEN FALSE\n"
        '  WHEN COALESCE("a", 0) = 0 AND COALESCE("ring" = \'one\', FALSE) THEN TRUE\n'
        "  ELSE FALSE\n"
        "END"
    )
    assert KDNF(["a", "b"], "c").to_sql() == (
        '((COALESCE("a", 0) = 1 AND COALESCE("b", 0) = 1) OR COALESCE("c", 0) = 1)'
    )
    halfspace = Halfspace({"a": 0.5, Conjunction("a", ~Literal("b")): -1}, 1)
    assert (~halfspace).to_sql() == (
        '(-1 * COALESCE("a", 0) '
        '+ CASE WHEN COALESCE("a", 0) = 1 AND COALESCE("b", 0) = 0 THEN 2 ELSE 0 END '
        "> -2)"
    )
    assert DecisionList([], default=True).to_sql() == "TRUE"
    assert Conjunction.never().to_sql() == "FALSE"


def test_sqlite_takes_rules_deeper_than_it_allows() -> None:
    wide = dict.fromkeys(range(1500), 1)
    for concept in (
        Conjunction(*wide),
        ~Conjunction(*wide),
        KCNF(*wide),
        Halfspace(wide, 1500),
        KDNF(*([0, column] for column in wide)),
    ):
        assert in_sqlite(concept, wide) is concept(wide)
        less = wide | {1499: 0}
        assert in_sqlite(concept, less) is concept(less)


PLACES = ["home", "it's", "?", "", "30"]
CELLS: list[Feature] = [
    *(f"place={place}" for place in PLACES),
    *(
        "age>=30",
        "age<30",
        "age>29.5",
        "age<=-1e1",
        "age=30",
        "odd name=a=b",
        "plain",
        4,
    ),
]


def onehot(row: dict[str, Any]) -> dict[Feature, int]:
    """Name what is true of a row, in plain Python."""
    x: dict[Feature, int] = {4: row["x4"] or 0, "plain": row["plain"] or 0}
    if row["place"] is not None:
        x[f"place={row['place']}"] = 1
    if row["odd name"] is not None:
        x[f"odd name={row['odd name']}"] = 1
    if (age := row["age"]) is not None:
        x |= {
            "age>=30": age >= 30,
            "age<30": age < 30,
            "age>29.5": age > 29.5,
            "age<=-1e1": age <= -10,
            "age=30": age == 30,
        }
    return x


rows = st.fixed_dictionaries(
    {
        "place": st.sampled_from([*PLACES, "elsewhere", None]),
        "odd name": st.sampled_from(["a=b", "a", None]),
        "age": st.sampled_from([29, 29.75, 30, 31, -10, -9, None]),
        "plain": st.sampled_from([0, 1, None]),
        "x4": st.sampled_from([0, 1, None]),
    }
)


@given(concepts(st.sampled_from(CELLS)), rows)
def test_sql_asks_the_cells_that_names_speak_of(
    concept: Concept, row: dict[str, Any]
) -> None:
    with sqlite3.connect(":memory:") as base:
        base.execute(
            'CREATE TABLE t (place TEXT, "odd name" TEXT, age REAL, plain, x4)'
        )
        values = [row[name] for name in ("place", "odd name", "age", "plain", "x4")]
        base.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", values)
        sql = concept.to_sql(cells=True)
        [(yes,)] = base.execute(f"SELECT {sql} FROM t").fetchall()  # noqa: S608 - that is the test
    assert yes in {0, 1}
    assert bool(yes) is said(concept, onehot(row))


def test_cells_of_a_whole_table() -> None:
    edible = KCNF.parse("(odor=none or odor=almond) and (not spore=green)")
    with sqlite3.connect(":memory:") as base:
        base.execute("CREATE TABLE mushrooms (odor TEXT, spore TEXT)")
        base.executemany(
            "INSERT INTO mushrooms VALUES (?, ?)",
            [("none", "green"), ("none", None), ("foul", "black"), (None, "black")],
        )
        query = f"SELECT rowid FROM mushrooms WHERE {edible.to_sql(cells=True)}"  # noqa: S608 - that is the test
        assert base.execute(query).fetchall() == [(2,)]


@pytest.mark.parametrize(
    ("concept", "options", "message"),
    [
        (Conjunction(""), {}, "a SQL name must not be empty, got ''"),
        (Conjunction("a\0b"), {}, r"a zero byte, got 'a\\x00b'"),
        (Conjunction("a=\0"), {"cells": True}, r"a zero byte, got '\\x00'"),
        (
            Conjunction("age>=x"),
            {"cells": True},
            "a number must follow >=, got 'age>=x'",
        ),
        (Conjunction("a<1;"), {"cells": True}, "a number must follow <, got 'a<1;'"),
        (Halfspace({"a": 2**62, "b": 2**62}, 0), {}, r"less than 2\*\*63 in SQL, got"),
        (Halfspace({"a": 1e-300}, 0.3), {}, r"less than 2\*\*63 in SQL, got more than"),
    ],
)
def test_what_sql_cannot_say_is_refused(
    concept: Concept, options: dict[str, bool], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        concept.to_sql(**options)
