"""Columns of categories become named literals, and nothing is lost or guessed."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from importlib import import_module
from itertools import count, islice
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import (
    ExampleError,
    FeatureError,
    ParameterError,
)
from littlestone.linear import AROW, Perceptron
from littlestone.streams import advice, arrays, hashed, onehot

module = import_module("littlestone.streams._onehot")


class OneByOne:
    """A learner that plays examples one by one only, and keeps them."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def predict_one(self, _: Any) -> bool:
        """Say yes."""
        return True

    def learn_one(self, x: Any, y: Any) -> None:
        """Keep the example."""
        self.told.append((x, y))


def literals(x: Any, **options: Any) -> list[str]:
    """Return the true literals of one example, in order."""
    made: Any
    ((made, label),) = onehot([(x, True)], **options)
    assert label is True
    assert all(type(value) is float and value == 1 for value in made.values())
    return list(made)


def refused(pairs: Any, **options: Any) -> FeatureError:
    with pytest.raises(FeatureError) as caught:
        list(onehot(pairs, **options))
    return caught.value


# What is made ---------------------------------------------------------------------


def test_the_literal_of_a_cell_is_its_column_and_its_text() -> None:
    x = {"odor": "foul", "stalk-root": "?", "a b": " c ", 4: "red", "": "x"}
    assert literals(x) == ["odor=foul", "stalk-root=?", "a b= c ", "x4=red", "=x"]
    assert literals(MappingProxyType(x)) == literals(x)
    assert literals({}) == []


class Colour(str, Enum):  # noqa: UP042 - its `str` is not its text
    """A text by another name."""

    RED = "red"


@pytest.mark.parametrize(
    ("cell", "literal"),
    [
        *(
            (3, "a=3"),
            (3.0, "a=3"),
            (-0.0, "a=0"),
            (2.5, "a=2.5"),
            (1e22, f"a={10**22}"),
        ),
        *((True, "a=True"), (False, "a=False"), (1, "a=1"), (0, "a=0")),
        *((np.int8(3), "a=3"), (np.float32(0.7), "a=0.7"), (np.float64(3), "a=3")),
        *((np.bool_(True), "a=True"), (np.str_("x"), "a=x"), (Colour.RED, "a=red")),
        *(
            (Decimal("3.0"), "a=3"),
            (Decimal("0.10"), "a=0.10"),
            (10**30, f"a={10**30}"),
        ),
        *(("3.0", "a=3.0"), ("True", "a=True"), ("=", "a=="), ("nan", "a=nan")),
    ],
)
def test_numbers_and_truth_values_are_written_plainly(cell: Any, literal: str) -> None:
    assert literals({"a": cell}) == [literal]


def test_one_and_true_are_two_categories() -> None:
    cells_ = [1, True, 1.0, "1", "True", 0, False]
    stream = onehot([({"a": cell}, True) for cell in cells_])
    assert [list(x) for x, _ in stream] == [
        *(["a=1"], ["a=True"], ["a=1"], ["a=1"], ["a=True"], ["a=0"], ["a=False"])
    ]


MISSING = [None, math.nan, np.float32("nan"), Decimal("NaN"), pd.NA, "", "?"]


@pytest.mark.parametrize("cell", MISSING)
def test_a_missing_cell_has_its_own_literal_or_is_refused(cell: Any) -> None:
    assert literals({"a": cell, "b": "x"}) == ["a=?", "b=x"]
    assert literals({"a": cell}, thresholds={"a": [-1]}) == ["a=?"]
    pairs = [({"a": "x"}, True), ({"a": cell}, True)]
    for options in ({}, {"thresholds": {"a": 3}}):
        first: Any = {"a": 1} if options else {"a": "x"}
        error = refused([(first, True), pairs[1]], missing="refuse", **options)
        assert str(error) == (
            f"example 1: onehot: column 'a' must have no missing cell, got {cell!r}; "
            "missing='literal' gives it a literal of its own"
        )
        assert error.feature == "a"
        assert error.value is cell


def test_what_means_missing_can_be_said() -> None:
    options: dict[str, Any] = {"missing_values": ["NA", -999, 0.5]}
    for cell in ("NA", -999, "-999", -999.0, 0.5, "0.5", None, "", math.nan):
        assert literals({"a": cell}, **options) == ["a=?"]
    assert literals({"a": "na"}, **options) == ["a=na"]
    assert literals({"a": -999}, thresholds={"a": -2000}, **options) == ["a=?"]
    assert literals({"a": "NA"}, missing_values="NA") == ["a=?"]
    assert literals({"a": "N"}, missing_values="NA") == ["a=N"]
    assert literals({"a": 7}, missing_values=7) == ["a=?"]
    # None and NaN may be listed, but always mean it.
    assert literals({"a": None}, missing_values=[None, math.nan]) == ["a=?"]
    assert literals({"a": "?"}, missing_values=()) == ["a=?"]


def test_thresholds_are_literals_for_numbers() -> None:
    options: dict[str, Any] = {"thresholds": {"age": [30, 50.0, 0.1], 4: 2}}
    assert literals({"age": 30, 4: 2}, **options) == ["age>=30", "age>=0.1", "x4>=2"]
    assert literals({"age": 29.9, 4: 1}, **options) == ["age>=0.1"]
    assert literals({"age": "5e1", 4: "+2.0"}, **options) == [
        *("age>=30", "age>=50", "age>=0.1", "x4>=2")
    ]
    assert literals({"age": "-1", 4: -5}, **options) == []
    assert literals({"age": "1e999", 4: "1e-999"}, **options) == [
        *("age>=30", "age>=50", "age>=0.1")
    ]
    # What a mapping leaves out is missing.
    assert literals({"age": 30}, **options) == ["age>=30", "age>=0.1", "x4=?"]
    error = refused([({"age": 30}, True)], missing="refuse", **options)
    assert "column 4 must have no missing cell, got None" in str(error)


@pytest.mark.parametrize(
    ("cell", "least", "reaches"),
    [
        *(("0.1", 0.1, True), (0.1, 0.1, True), (np.float32(0.1), 0.1, True)),
        *(("0.09999999999999999999999", 0.1, False), (Decimal("0.1"), 0.1, True)),
        *(("9007199254740993", 2**53 + 1, True), (2**53, 2**53 + 1, False)),
        *(("9007199254740992", 2**53 + 1, False), (2**53 + 1, 2.0**53, True)),
        *((10**400, 10**400, True), ("1e399", 10**400, False)),
        *(("0", 0, True), ("-0.0", 0, True), ("-1e-9999", 0, False)),
    ],
)
def test_numbers_are_compared_as_they_are_written(
    cell: Any, least: Any, reaches: bool
) -> None:
    assert bool(literals({"a": cell}, thresholds={"a": least})) is reaches


@given(
    st.lists(st.decimals(allow_nan=False, allow_infinity=False), max_size=8),
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
        min_size=1,
        max_size=4,
        unique_by=lambda least: Fraction(str(least)),
    ),
)
@example([Decimal("0.1"), Decimal("0.10000000000000000001")], [0.1])
def test_thresholds_equal_exact_fractions(
    numbers: list[Decimal], bounds: list[float]
) -> None:
    numbers = [n for n in numbers if -400 < n.adjusted() < 300]
    pairs = [({"a": str(number)}, True) for number in numbers]
    stream = onehot(pairs, thresholds={"a": bounds})
    for number, (x, _) in zip(numbers, stream, strict=True):
        reached = [b for b in bounds if Fraction(str(number)) >= Fraction(str(b))]
        written = [str(int(b)) if b == int(b) else str(b) for b in reached]
        assert list(x) == [f"a>={text}" for text in written]


def test_columns_may_be_chosen() -> None:
    x = {"a": "1", "b": "2", "c": "3"}
    assert literals(x, columns=["c", "a"]) == ["c=3", "a=1"]
    assert literals(x, columns="b") == ["b=2"]
    assert literals(x, columns=["a", "d"]) == ["a=1", "d=?"]
    assert literals(x, columns=["c", "a"], thresholds={"a": 1}) == ["c=3", "a>=1"]
    # A column that is not used may hold anything.
    assert literals({"a": "1", "b": object()}, columns="a") == ["a=1"]


def test_labels_pass_through() -> None:
    label = object()
    (_, first), (_, second) = onehot([({"a": 1}, label), ({"a": 1}, ["x"])])
    assert first is label
    assert second == ["x"]


NAMES = st.text("ab=>?", max_size=3)
CELLS = st.text("ab=>?", max_size=3) | st.integers(0, 2) | st.booleans() | st.none()


@given(st.lists(st.dictionaries(NAMES, CELLS, max_size=3), max_size=6))
def test_literals_equal_a_plain_count_or_collide(rows: list[Any]) -> None:
    owners: dict[str, set[Any]] = {}
    expected = []
    for row in rows:
        x = {}
        for column, cell in row.items():
            value = None if cell in (None, "", "?") else str(cell)
            name = f"{column}={'?' if value is None else value}"
            owners.setdefault(name, set()).add((column, value))
            x[name] = 1.0
        expected.append((x, True))
    stream = onehot([(row, True) for row in rows])
    if max(map(len, owners.values()), default=0) > 1:
        with pytest.raises(FeatureError, match="must mean one column and value"):
            list(stream)
        return
    assert list(stream) == list(stream) == expected
    assert all(
        len(x) == len(row) for (x, _), row in zip(expected, rows, strict=True)
    ), "a cell was lost"
    assert stream.feature_names() == tuple(owners)


def test_what_is_remembered_is_bounded_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = [({"a": k % 7, "b": str(k % 5), "c": k / 4}, True) for k in range(40)]
    made = list(onehot(rows, thresholds={"c": [2, 5]}))
    monkeypatch.setattr(module, "_MOST_KEPT", 2)
    assert list(onehot(rows, thresholds={"c": [2, 5]})) == made


# Where it comes from --------------------------------------------------------------


@pytest.mark.parametrize("block", [1, 2, 4096])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library: str, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(module, "_ROWS_A_BLOCK", block)
    columns: dict[str, list[Any]] = {
        "odor": ["foul", None, "none"],
        "age": [30, 20, 40],
        "size": [0.5, 1.0, None],
        "wet": [True, False, True],
    }
    frame: Any = pl.DataFrame(columns)
    labels: Any = pl.Series([True, False, True])
    if library == "pandas":
        # An index that has nothing to do with the order of rows.
        frame = pd.DataFrame(columns, index=[2.0, 0.0, 1.0])
        labels = pd.Series([True, False, True], index=[1, 0, 2])
    stream = onehot(frame, labels, thresholds={"age": [30]})
    assert list(stream) == [
        ({"odor=foul": 1, "age>=30": 1, "size=0.5": 1, "wet=True": 1}, True),
        ({"odor=?": 1, "size=1": 1, "wet=False": 1}, False),
        ({"odor=none": 1, "age>=30": 1, "size=?": 1, "wet=True": 1}, True),
    ]
    assert repr(stream) == "onehot(DataFrame of 3 rows)"
    assert stream.repeatable
    places = [b.where(row) for b in stream.blocks() for row in range(b.last)]
    assert places == ["row 0", "row 1", "row 2"]
    assert [b.done for b in stream.blocks()][-1] == 1.0
    error = refused(frame, y=np.array([1, 0, 1]), missing="refuse")
    assert error.where == "row 1"
    chosen = onehot(frame, [1, 0, 1], columns=["wet"])
    assert [list(x) for x, _ in chosen] == [["wet=True"], ["wet=False"], ["wet=True"]]


def test_kinds_of_pandas_columns() -> None:
    frame = pd.DataFrame(
        {
            0: pd.Categorical(["a", None]),
            1: pd.array([1, None], dtype="Int64"),
            2: pd.array([True, None], dtype="boolean"),
            3: pd.array(["b", None], dtype="string"),
            4: [2**60 + 1, 0],  # which a matrix of floats would round
        }
    )
    assert [list(x) for x, _ in onehot(frame, [1, 0])] == [
        ["x0=a", "x1=1", "x2=True", "x3=b", f"x4={2**60 + 1}"],
        ["x0=?", "x1=?", "x2=?", "x3=?", "x4=0"],
    ]
    dated = pd.DataFrame({"day": pd.to_datetime(["2024-01-01"])})
    assert "must contain a text, a finite number" in str(refused(dated, y=[1]))


def test_a_list_of_mappings_with_labels() -> None:
    rows = [{"a": "x"}, {"a": None}]
    stream = onehot(rows, [1, 0])
    assert list(stream) == [({"a=x": 1.0}, 1), ({"a=?": 1.0}, 0)]
    assert refused(rows, y=[1, 0], missing="refuse").where == "row 1"
    assert list(onehot([], [])) == []


def test_other_streams_and_iterators() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 0.5]})
    stream = onehot(arrays(frame, [1, 0]))
    assert list(stream) == [
        ({"a=1": 1, "b=0": 1}, True),
        ({"a=2": 1, "b=0.5": 1}, False),
    ]
    once = onehot(iter([({"a": 1}, True)]))
    assert not once.repeatable
    with pytest.raises(ParameterError, match="must be readable more than once"):
        once.feature_names()
    assert list(once) == [({"a=1": 1.0}, True)]
    # An endless stream is taken as it comes.
    endless = onehot(({"a": k}, True) for k in count())
    assert [list(x) for x, _ in islice(endless, 2)] == [["a=0"], ["a=1"]]


def test_run_plays_literals_with_every_kind_of_learner() -> None:
    rows = [{"a": "xyz"[k % 3], "b": k * 7 % 5, "n": k} for k in range(60)]
    labels = [k % 2 for k in range(60)]
    stream = onehot(rows, labels, thresholds={"n": [10, 40]})
    plain = list(stream)
    for kind in (Perceptron, AROW):
        learner, single = kind(), kind()
        record = run(learner, stream, passes=2)
        wrong = 0
        for x, y in plain * 2:
            wrong += single.predict_one(x) != y
            single.learn_one(x, y)
        assert (record.rounds, record.mistakes) == (120, wrong)
        assert 0 < wrong < 120
        assert dict(learner.weights_) == dict(single.weights_)
        assert set(learner.weights_) <= set(stream.feature_names())
    listener = OneByOne()
    run(listener, stream, passes=2)
    assert listener.told == plain * 2


def test_literals_can_be_hashed() -> None:
    pairs = [({"a": "x", "b": "y"}, True), ({"a": "z", "b": "y"}, False)]
    made = hashed(onehot(pairs), bits=20)
    assert list(made) == list(hashed(list(onehot(pairs)), bits=20))
    assert [y for _, y in hashed(onehot([({"a": 1}, "spam")]), outcome="class")] == [
        "spam"
    ]
    assert run(Perceptron(), made).rounds == 2


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ({"a": "b=c"}, {"a=b": "c"}, "a=b=c"),
        ({4: "y"}, {"x4": "y"}, "x4=y"),
        ({"a": None}, {"a": "?"}, "a=?"),
        ({"n": 3, "n>": "3"}, {}, "n>=3"),
    ],
)
def test_two_literals_never_share_a_name(first: Any, second: Any, name: str) -> None:
    options: dict[str, Any] = {"missing_values": ()}
    if "n" in first:
        options["thresholds"] = {"n": [3]}
    error = refused([(first, True), (second, True)], **options)
    assert f"must mean one column and value, got {name!r} for " in str(error)
    assert error.where == ("example 0" if "n" in first else "example 1")
    if "n" not in first:
        assert list(onehot([(first, True)], **options))
        assert list(onehot([(second, True)], **options))


def test_a_collision_names_both() -> None:
    error = refused([({"a": "b=c", "a=b": "c"}, True)])
    assert str(error) == (
        "example 0: onehot: a literal must mean one column and value, got "
        "'a=b=c' for 'b=c' of column 'a' and 'c' of column 'a=b'"
    )
    error = refused([({"a": "?"}, True), ({"a": None}, True)], missing_values=())
    assert "for '?' of column 'a' and a missing cell of column 'a'" in str(error)


@pytest.mark.parametrize(
    "cell",
    [math.inf, -math.inf, Decimal("Infinity"), b"x", [1], {}, object(), 1j, (1, 2)],
)
def test_cells_that_are_no_categories(cell: Any) -> None:
    error = refused([({"a": "x"}, True), ({"a": cell}, True)])
    assert str(error).startswith(
        "example 1: onehot: column 'a' must contain a text, a finite number or a truth "
        f"value, got {cell!r}"
    )
    assert error.value is cell


def test_a_long_cell_is_cut() -> None:
    error = refused([({"a": list(range(1000))}, True)])
    assert len(str(error)) < 250
    assert str(error).endswith("…")


@pytest.mark.parametrize(
    "cell",
    ["x", "1_0", " 1", "1 ", "inf", "nan", "0x1", "١", "1e", True, np.bool_(False)],  # noqa: RUF001 - a digit of another script
)
def test_thresholds_need_numbers(cell: Any) -> None:
    error = refused([({"age": cell}, True)], thresholds={"age": [30]})
    assert str(error) == (
        "example 0: onehot: column 'age' has thresholds and must contain numbers, "
        f"got {cell!r}"
    )


@pytest.mark.parametrize(
    "power", ["1e99999999999999999999", "-1E-99999999999999999999"]
)
def test_exponents_beyond_reason_are_no_numbers(power: str) -> None:
    error = refused([({"age": power}, True)], thresholds={"age": [0]})
    assert "must contain numbers" in str(error)


def test_examples_must_be_mappings() -> None:
    with pytest.raises(ExampleError, match="must be a mapping from column to cell"):
        list(onehot([(["x"], True)]))
    for column in (-1, True, 1.5, None, b"a"):
        error = refused([({column: "x"}, True)])
        assert "a column must be a name or a number from 0" in str(error)


def test_columns_that_a_frame_does_not_have() -> None:
    frame = pd.DataFrame({"age": [30]})
    for options in ({"thresholds": {"agee": [30]}}, {"columns": ["age", "agee"]}):
        what = "the frame must have a column 'agee', got 'age'"
        with pytest.raises(ParameterError, match=what):
            onehot(frame, [1], **options)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"missing": "sleep"}, "missing must be 'literal' or 'refuse', got 'sleep'"),
        ({"missing_values": [[]]}, "missing_values must be texts or numbers"),
        ({"missing_values": object()}, "missing_values must be texts or numbers"),
        ({"columns": []}, "columns must be one or more without duplicates, got []"),
        ({"columns": ["a", "a"]}, "without duplicates, got ['a', 'a']"),
        ({"columns": [-1]}, "a column must be a name or a number from 0, got -1"),
        ({"thresholds": [30]}, "thresholds must be a mapping from column to numbers"),
        (
            {"thresholds": {"a": []}},
            "one or more finite numbers without duplicates",
        ),
        (
            {"thresholds": {"a": "30"}},
            "without duplicates, got '30' for 'a'",
        ),
        (
            {"thresholds": {"a": True}},
            "without duplicates, got True for 'a'",
        ),
        (
            {"thresholds": {"a": [3, 3.0]}},
            "without duplicates, got [3, 3.0]",
        ),
        ({"thresholds": {"a": math.nan}}, "without duplicates, got nan"),
        (
            {"thresholds": {"a": [math.inf]}},
            "without duplicates, got [inf]",
        ),
        ({"thresholds": {None: 3}}, "a column must be a name or a number from 0"),
        ({"thresholds": {"a": 3}, "columns": "b"}, "for columns that are used"),
        ({"y": [1, 2]}, "y must be left out if the stream contains labels, got list"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        onehot([({"a": 1}, True)], **parameters)
    assert str(caught.value).startswith("onehot: ")
    assert what in str(caught.value)


def test_frames_that_are_refused() -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    with pytest.raises(ParameterError, match="a frame needs its labels as y"):
        onehot(frame)
    with pytest.raises(ParameterError, match="one label for each of 2 rows, got 3"):
        onehot(frame, [1, 2, 3])
    with pytest.raises(ParameterError, match="without duplicates, got 'a', 'a'"):
        onehot(pd.DataFrame([[1, 2]], columns=["a", "a"]), [1])
    with pytest.raises(ParameterError, match="one or more columns without duplicates"):
        onehot(frame[[]], [1, 2])
    with pytest.raises(ParameterError, match="a column must be a name or a number"):
        onehot(pd.DataFrame({("a", "b"): [1]}), [1])
    with pytest.raises(ParameterError, match="got forecasts of experts"):
        onehot(advice([[0.5]], [1]))
