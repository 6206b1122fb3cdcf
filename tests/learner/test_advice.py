"""Advice of every kind becomes the same numbers, or is refused with its row."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.learner.advice import Advice, as_advice, as_outcomes

NAN = float("nan")
INFINITY = float("inf")
F = np.array([[1.0, 0.0, 2.0], [0.5, 1.0, 4.0]])
NAMES = ("ann", "bob", "cyd")


def array(advice: Advice) -> NDArray[Any]:
    return advice.values  # noqa: PD011 - advice is no frame


def same(advice: Advice, expected: Any, names: Any = None) -> None:
    assert array(advice).dtype == np.float64
    assert array(advice).flags.c_contiguous
    np.testing.assert_array_equal(array(advice), expected)
    assert advice.names == names


# What is taken --------------------------------------------------------------------


def test_every_kind_of_array_gives_the_same_numbers() -> None:
    for made in (
        F,
        F.tolist(),
        [tuple(row) for row in F.tolist()],
        list(F),
        F.astype(np.float32),
        F.astype(np.float16),
        F.astype(np.longdouble),
        F.astype(">f8"),
        F.astype(object),
        np.asfortranarray(F),
        F[::-1][::-1],
        pd.DataFrame(F),
    ):
        advice = as_advice(made)
        same(advice, F)
        assert not advice.may_sleep
        assert len(advice) == 2
    integers = np.array([[1, 2], [3, 4]])
    for kind in (np.int8, np.uint16, np.int64, np.uint64):
        same(as_advice(integers.astype(kind)), integers)


def test_float64_in_order_is_used_where_it_lies() -> None:
    assert array(as_advice(F)) is F
    assert array(as_advice(F, missing="sleep")) is F


def test_truth_values_stay_truth_values() -> None:
    votes = np.array([[True, False], [False, False]])
    for made in (votes, votes.tolist(), pd.DataFrame(votes), np.asfortranarray(votes)):
        advice = as_advice(made, missing="sleep")
        assert array(advice).dtype == np.bool_
        assert array(advice).flags.c_contiguous
        assert array(advice).tolist() == votes.tolist()
        assert not advice.may_sleep
    assert array(as_advice([{"a": True}, {"a": False}])).dtype == np.bool_


def test_frames_are_known_by_their_columns() -> None:
    same(as_advice(pd.DataFrame(F, columns=NAMES)), F, NAMES)
    same(as_advice(pl.DataFrame(F, schema=list(NAMES))), F, NAMES)
    same(as_advice(pd.DataFrame(F, columns=[7, 8, 9])), F, (7, 8, 9))


def test_experts_of_mappings_come_in_the_order_of_their_first_appearance() -> None:
    rounds = [{"bob": 1, "ann": 2.0}, OrderedDict(cyd=3.0), {"ann": 4.0, "bob": 5.0}]
    advice = as_advice(rounds)
    expected = [[1.0, 2.0, NAN], [NAN, NAN, 3.0], [5.0, 4.0, NAN]]
    same(advice, expected, ("bob", "ann", "cyd"))
    assert advice.may_sleep
    assert not as_advice([{"ann": 1.0}, {"ann": 2.0}]).may_sleep


def test_truth_values_become_numbers_where_an_expert_sleeps() -> None:
    same(as_advice([{"a": True}, {"b": False}]), [[1.0, NAN], [NAN, 0.0]], ("a", "b"))
    votes = np.array([[True, False]])
    advice = as_advice(votes, awake=[[False, True]])
    same(advice, [[NAN, 0.0]])
    assert votes.tolist() == [[True, False]]


@pytest.mark.parametrize("kind", [bool, int, float])
def test_who_is_not_awake_sleeps_whatever_is_predicted(kind: type) -> None:
    given = np.array([[1.0, NAN, INFINITY], [2.0, 3.0, 4.0]])
    copy = given.copy()
    awake: Any = np.array([[1, 0, 0], [0, 1, 1]]).astype(kind)
    for mask in (awake, awake.tolist(), pd.DataFrame(awake), pl.DataFrame(awake)):
        advice = as_advice(given, awake=mask)
        same(advice, [[1.0, NAN, NAN], [NAN, 3.0, 4.0]])
        assert advice.may_sleep
    np.testing.assert_array_equal(given, copy)


def test_what_cannot_be_written_to_is_copied() -> None:
    frozen = F.copy()
    frozen.flags.writeable = False
    same(as_advice(frozen, awake=[[1, 1, 0], [1, 1, 1]]), [[1, 0, NAN], [0.5, 1, 4]])
    assert np.isfinite(frozen).all()


@pytest.mark.parametrize(
    "made",
    [
        [[1.0, NAN], [2.0, 3.0]],
        [[1.0, None], [2.0, 3.0]],
        pd.DataFrame([[1.0, None], [2.0, 3.0]]),
        pd.DataFrame({0: [1, 2], 1: [pd.NA, 3]}, dtype="Int64"),
        np.array([[1.0, NAN], [2.0, 3.0]], dtype=np.float32),
    ],
)
def test_missing_predictions_are_refused_or_asleep(made: Any) -> None:
    same(as_advice(made, missing="sleep"), [[1.0, NAN], [2.0, 3.0]])
    with pytest.raises(FeatureError) as caught:
        as_advice(made)
    assert str(caught.value) == "row 0: expert 1 must predict a finite number, got nan"
    assert (caught.value.row, caught.value.feature) == (0, 1)


def test_missing_cells_of_polars_sleep() -> None:
    frame = pl.DataFrame({"a": [1.0, None], "b": [2.0, 3.0]})
    same(as_advice(frame, missing="sleep"), [[1.0, 2.0], [NAN, 3.0]], ("a", "b"))


def test_distributions() -> None:
    cube = np.arange(12.0).reshape(2, 3, 2)
    for made in (cube, cube.tolist(), cube.astype(int), np.asfortranarray(cube)):
        same(as_advice(made), cube)
    advice = as_advice(cube, awake=[[1, 0, 1], [1, 1, 1]])
    assert np.isnan(array(advice)[0, 1]).all()
    assert np.isnan(array(advice)).sum() == 2
    assert advice.row(0) == {0: [0.0, 1.0], 2: [4.0, 5.0]}
    mappings = [{"a": [0.25, 0.75]}, {"b": (0.5, 0.5), "a": [1, 0]}]
    same(
        as_advice(mappings),
        [[[0.25, 0.75], [NAN, NAN]], [[1.0, 0.0], [0.5, 0.5]]],
        ("a", "b"),
    )


def test_half_a_distribution_is_refused() -> None:
    cube = np.array([[[0.5, 0.5], [NAN, 1.0]]])
    for missing in ("sleep", "refuse"):
        with pytest.raises(FeatureError, match="row 0: expert 1 must predict .*nan"):
            as_advice(cube, missing=missing)
    cube[0, 1, 1] = NAN
    same(as_advice(cube, missing="sleep"), cube)


def test_no_rounds_are_no_advice_but_no_fault() -> None:
    assert len(as_advice(np.empty((0, 3)))) == 0
    assert len(as_advice(np.empty((0, 3)), missing="sleep")) == 0


# Rows one by one ------------------------------------------------------------------


def test_a_row_is_what_a_learner_takes() -> None:
    assert as_advice(F).row(1) == [0.5, 1.0, 4.0]
    assert as_advice(F, missing="sleep").row(1) == {0: 0.5, 1: 1.0, 2: 4.0}
    named = pd.DataFrame(F, columns=NAMES)
    assert as_advice(named).row(0) == {"ann": 1.0, "bob": 0.0, "cyd": 2.0}
    assert as_advice(named, awake=[[0, 1, 1], [1, 1, 1]]).row(0) == {
        "bob": 0.0,
        "cyd": 2.0,
    }
    (vote,) = as_advice(np.array([[True]])).row(0)
    assert vote is True


PREDICTIONS = st.floats(allow_nan=False, allow_infinity=False)


@given(
    st.lists(
        st.dictionaries(st.text(max_size=3), PREDICTIONS, min_size=1, max_size=4),
        min_size=1,
        max_size=6,
    )
)
def test_mappings_come_back_as_they_went_in(rounds: list[dict[str, float]]) -> None:
    advice = as_advice(rounds)
    back = [advice.row(t) for t in range(len(advice))]
    assert back == rounds
    assert [{name: x.hex() for name, x in dict(row).items()} for row in back] == [
        {name: x.hex() for name, x in row.items()} for row in rounds
    ]


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "where"),
    [
        ([[1.0, 2.0], [3.0, INFINITY]], "row 1: expert 1 must predict .*, got inf"),
        ([[1.0, -INFINITY]], "row 0: expert 1 must predict .*, got -inf"),
        ([[1, "2"]], "row 0: expert 1 must predict a finite number, got '2'"),
        ([[1], [b"x"]], "row 1: expert 0 must predict a finite number, got b'x'"),
        ([[1, 2j]], "row 0: expert 1 must predict a finite number, got 2j"),
        ([[1], [10**400]], "row 1: expert 0 must predict a finite number, got 1000"),
        (pd.DataFrame({"a": [1.0], "b": ["x"]}), "row 0: expert 'b' .*, got 'x'"),
        ([{"a": 1.0}, {"b": INFINITY}], "row 1: expert 'b' .*, got inf"),
        ([{"a": "x", "b": 1}, {}], "row 0: expert 'a' .*, got 'x'"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "row 0: expert 0 .*, got"),
    ],
)
def test_what_is_no_finite_number_is_named_by_row_and_expert(
    made: Any, where: str
) -> None:
    for missing in ("refuse", "sleep"):
        with pytest.raises(FeatureError, match=where):
            as_advice(made, missing=missing)


def test_a_number_beyond_float64_is_refused() -> None:
    large = np.array([[1.0, np.finfo(np.longdouble).max]], dtype=np.longdouble)
    if not np.isinf(float(large[0, 1])):
        pytest.skip("long doubles are doubles here")
    with pytest.raises(FeatureError, match="row 0: expert 1 .*, got inf"):
        as_advice(large)


def test_someone_must_be_awake() -> None:
    refused: list[tuple[Any, Any]] = [
        ([[1.0], [2.0], [3.0], [NAN]], {"missing": "sleep"}),
        ([[1.0], [2.0], [3.0], [4.0]], {"awake": [[1], [1], [1], [0]]}),
        ([[True], [True], [True], [True]], {"awake": [[1], [1], [1], [0]]}),
        ([{"a": 1.0}, {"a": 2.0}, {"b": 2.0}, {}], {}),
        (np.where(np.arange(4) == 3, NAN, 1.0).reshape(4, 1, 1), {"missing": "sleep"}),
    ]
    for made, options in refused:
        with pytest.raises(ExampleError) as caught:
            as_advice(made, **options)
        assert str(caught.value) == "row 3: at least one expert must be awake"
        assert caught.value.row == 3


@pytest.mark.parametrize(
    ("made", "what"),
    [
        ([1.0, 2.0], "must have two dimensions, rounds and experts, .* got 1;"),
        (np.empty((1, 1, 1, 1)), "must have two dimensions, .* got 4"),
        (3.0, "must have two dimensions, .* got 0"),
        ([], "must have two dimensions, .* got 1"),
        ([[], []], "at least one expert, got none"),
        ([{}, {}], "at least one expert, got none"),
        (np.empty((2, 2, 0)), "at least one outcome, got none"),
        (pd.DataFrame(index=[0, 1]), "at least one expert, got none"),
        ([[1.0], [2.0], [1.0, 2.0]], "row 2: rows must be equally long, got 2 after 1"),
        ([[1.0], 2.0], "row 1: advice must be rows of numbers"),
        ([[1.0, [1.0, 2.0]]], "every expert must predict alike"),
        ([{"a": 1.0}, [1.0]], "row 1: advice must be mappings in every row"),
        (np.ma.masked_array([[1.0]], mask=[[True]]), "must have no masked cells"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "must appear once, got 'a' twice"),
    ],
)
def test_what_is_no_advice(made: Any, what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        as_advice(made)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"missing": "wake"}, "missing must be 'refuse' or 'sleep', got 'wake'"),
        ({"awake": [[1, 1, 1]]}, "in the shape .2, 3., got .1, 3."),
        ({"awake": [[1, 1, 2], [1, 1, 1]]}, "awake must be truth values, or 0 and 1"),
        ({"awake": [[1, 1, NAN], [1, 1, 1]]}, "awake must be truth values, or 0"),
        ({"awake": [[1, 1, 1], [1]]}, "awake must have rows of equal length"),
        ({"awake": [["a", "", "b"], ["", "", ""]]}, "awake must be truth values"),
    ],
)
def test_illegal_parameters(options: Any, what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        as_advice(F, **options)


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=3)
    | st.binary(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.integers() | st.text(max_size=1), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JUNK, st.none() | JUNK, st.sampled_from(["refuse", "sleep"]))
def test_whatever_comes_is_advice_or_refused(F: Any, awake: Any, missing: Any) -> None:
    try:
        advice = as_advice(F, awake=awake, missing=missing)
    except LittlestoneError:
        return
    assert not np.isinf(array(advice)).any()
    assert advice.may_sleep or not np.isnan(array(advice)).any()
    assert all(len(advice.row(t)) for t in range(len(advice)))


# Outcomes -------------------------------------------------------------------------


def test_outcomes_are_numbers_or_truth_values() -> None:
    for y in (
        [1, 2],
        (1.0, 2.0),
        np.array([1, 2]),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
    ):
        outcomes = as_outcomes(y, 2)
        assert outcomes.dtype == np.float64
        assert outcomes.tolist() == [1.0, 2.0]
    assert as_outcomes(np.array([1.0, 2.0], dtype=object), 2).tolist() == [1.0, 2.0]
    for y in ([True, False], np.array([True, False]), pd.Series([True, False])):
        outcomes = as_outcomes(y, 2)
        assert outcomes.dtype == np.bool_
        assert outcomes.tolist() == [True, False]


@pytest.mark.parametrize(
    "outcome", [NAN, INFINITY, -INFINITY, "1", None, pd.NA, 1j, b"1"]
)
def test_an_outcome_that_is_no_finite_number_is_named_by_its_row(outcome: Any) -> None:
    with pytest.raises(
        LabelError, match="^row 1: an outcome must be a finite number, got "
    ) as caught:
        as_outcomes([1.0, outcome, 2.0], 3)
    assert caught.value.row == 1


def test_there_is_one_outcome_a_row() -> None:
    wrong: list[Any] = [[1.0], [1.0, 2.0, 3.0], [[1.0], [2.0]], [1.0, [2.0]], 1.0, []]
    for y in wrong:
        with pytest.raises(ParameterError, match="one outcome for each of 2 rows"):
            as_outcomes(y, 2)
    with pytest.raises(ParameterError, match="no masked outcomes"):
        as_outcomes(np.ma.masked_array([1.0, 2.0], mask=[True, False]), 2)
