"""Data frames and arrays, handed to run and its neighbours as people hold them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from littlestone import advise, certify, models, race, run, streams, verify
from littlestone.boolean import DisjunctionLearner
from littlestone.errors import (
    LabelError,
    LineError,
    ParameterError,
    StreamError,
    UnknownLabelWarning,
)
from littlestone.experts import BOA, WeightedMajority
from littlestone.linear import AROW, MulticlassPerceptron, Perceptron
from littlestone.outcome import Outcome

CELLS: dict[str, list[Any]] = {
    "amount": [1.0, -2.0, 3.0, -1.0],
    "city": ["Ulm", None, "Bonn", "Ulm"],
    "night": [True, False, True, False],
    "fraud": [1, 0, 1, 0],
}
EXAMPLES = [
    ({"amount": 1.0, "city=Ulm": 1.0, "night": 1.0}, True),
    ({"amount": -2.0}, False),
    ({"amount": 3.0, "city=Bonn": 1.0, "night": 1.0}, True),
    ({"amount": -1.0, "city=Ulm": 1.0}, False),
]

Make = Callable[[dict[str, list[Any]]], Any]


def pandas_frame(cells: dict[str, list[Any]]) -> Any:
    """Return a frame that was filtered, so that its index is no range."""
    rows = range(10, 10 + len(next(iter(cells.values()))))
    return pd.DataFrame(cells, index=pd.Index(rows, name="id"))


MAKE: list[Make] = [pandas_frame, pl.DataFrame, pa.table]


@pytest.fixture(params=MAKE)
def frame(request: pytest.FixtureRequest) -> Any:
    return request.param(CELLS)


def test_a_table_streams_its_columns_and_not_its_index(frame: Any) -> None:
    assert list(streams.table(frame, label="fraud")) == EXAMPLES


def test_labels_may_lie_beside_the_table(frame: Any) -> None:
    bare = streams.table(frame, label="fraud", columns=["amount", "city", "night"])
    cells = {name: cells for name, cells in CELLS.items() if name != "fraud"}
    for make in MAKE:
        for y in ([1, 0, 1, 0], np.array([1, 0, 1, 0]), pl.Series([1, 0, 1, 0])):
            assert list(streams.table(make(cells), y)) == list(bare)


def test_run_takes_a_frame_and_the_name_of_its_label(frame: Any) -> None:
    learner, other = Perceptron(), Perceptron()
    record = run(learner, frame, label="fraud")
    assert record == run(other, EXAMPLES)
    assert learner.weights_ == other.weights_


def test_run_takes_a_pair_of_features_and_labels() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, -1.0]]), [1, 0]
    expected = run(Perceptron(), streams.arrays(X, y))
    for made in (X, X.tolist(), sparse.csr_matrix(X)):
        assert run(Perceptron(), (made, y)) == expected
    cells = {name: cells for name, cells in CELLS.items() if name != "fraud"}
    labels = pd.Series(CELLS["fraud"], index=range(5, 9))
    assert run(Perceptron(), (pandas_frame(cells), labels)) == run(
        Perceptron(), EXAMPLES
    )


def test_two_examples_in_a_tuple_are_still_examples() -> None:
    two = ({"a": 1.0}, True), ({"b": 1.0}, False)
    assert run(Perceptron(), two) == run(Perceptron(), list(two))


def test_each_learner_gets_what_it_reads(frame: Any) -> None:
    classes = MulticlassPerceptron()
    run(classes, frame, label="fraud")
    assert classes.classes_ == (1, 0)
    rule = DisjunctionLearner()
    run(rule, frame, label="fraud")
    assert "night=True" in rule.features_
    assert "city=?" in rule.features_


@pytest.mark.parametrize("make", MAKE)
def test_columns_are_experts_for_those_who_follow_them(make: Make) -> None:
    cells: dict[str, list[Any]] = {
        "ann": [1.0, 0.0],
        "bob": [0.0, 0.0],
        "y": [1.0, 0.0],
    }
    record = run(BOA(range=(0, 1)), make(cells), label="y")
    assert record.best_expert == "ann"
    votes = WeightedMajority()
    run(votes, (np.array([[True, False]]), [True]))
    assert len(votes.experts_) == 2


@pytest.mark.parametrize("learner", [Perceptron(), DisjunctionLearner()])
def test_the_label_that_means_yes_may_be_named(learner: Any, frame: Any) -> None:
    kinds = ["spam", "ham", "spam", "eggs"]
    expected = run(learner.clone(), frame, label="fraud")
    named = type(frame)(CELLS | {"fraud": kinds}) if hasattr(frame, "iloc") else None
    named = pa.table(CELLS | {"fraud": kinds}) if named is None else named
    for positive in ("spam", ["spam", "pork"]):
        played = run(learner.clone(), named, label="fraud", positive=positive)
        assert played == expected
    numbers = np.array([[1.0, 0.0], [0.0, 1.0]])
    both = run(learner.clone(), (numbers, [1, 0]))
    assert run(learner.clone(), (numbers, ["a", "b"]), positive="a") == both
    with pytest.warns(UnknownLabelWarning, match="no example has the label 'A'"):
        run(learner.clone(), (numbers, ["a", "b"]), positive="A")
    for missing in (None, float("nan"), pd.NA):
        with pytest.raises(LabelError, match="must not be missing|got None"):
            run(learner.clone(), (numbers, ["a", missing]), positive="a")


def test_the_neighbours_of_run_take_the_same(frame: Any, tmp_path: Path) -> None:
    ranking = race([Perceptron(), AROW()], frame, label="fraud")
    assert ranking["Perceptron"] == run(Perceptron(), EXAMPLES)
    certificate = certify(Perceptron(), frame, label="fraud")
    assert certificate == certify(Perceptron(), EXAMPLES)
    assert verify(certificate, streams.table(frame, label="fraud")).accepted
    record = run(Perceptron(), frame, label="fraud")
    assert certify(record, stream=frame, label="fraud") == certificate
    cells = pd.DataFrame(CELLS).replace({"fraud": {1: "yes", 0: "no"}})
    words: Any = {"label": "fraud", "positive": "yes"}
    assert race([Perceptron()], cells, **words)["Perceptron"] == record
    assert certify(Perceptron(), cells, **words) == certificate
    assert certify(record, stream=cells, **words) == certificate
    found = advise(frame, label="fraud").survey
    assert found == advise(EXAMPLES).survey == advise(cells, **words).survey
    path = tmp_path / "m.lst"
    kept = models.run(Perceptron(), frame, path, label="fraud")
    assert kept.mistakes == record.mistakes
    assert models.run(Perceptron(), cells, path, **words) == kept
    reading = models.reading(path)
    assert reading is not None
    assert reading.features({"amount": 2.0, "city": "Ulm"}) == {
        "amount": 2.0,
        "city=Ulm": 1.0,
    }


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize("call", [run, certify])
def test_a_frame_needs_the_name_of_its_label(call: Any, frame: Any) -> None:
    name, owner = type(frame).__name__, call.__name__
    with pytest.raises(ParameterError) as caught:
        call(Perceptron(), frame)
    assert str(caught.value) == (
        f"{owner}: a {name} needs label=, the column of its labels, one of 'amount', "
        "'city', 'night', 'fraud', or its labels beside it, as in (X, y)"
    )
    with pytest.raises(ParameterError) as caught:
        call(Perceptron(), frame, label="Fraud")
    assert str(caught.value) == (
        f"{owner}: label must be a column of the {name}, which has 'amount', 'city', "
        "'night', 'fraud', got 'Fraud': did you mean fraud?"
    )


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("mail.csv", r"got the path 'mail\.csv', which littlestone\.streams\.open can"),
        (Path("mail.csv"), r"got the path 'mail\.csv'"),
        (np.eye(2), r"must have labels, as in \(X, y\), got ndarray of shape \(2, 2\)"),
        ((np.eye(2), [1]), "2"),
        (5, "must be examples with their labels, got int"),
        (None, "must be examples with their labels, got NoneType"),
        ([5], "must hold pairs of an example and a label, got int"),
        ((pd.DataFrame({"a": [1, 2]}),), "pairs of an example .*, got DataFrame"),
        ((pd.DataFrame({"a": [1, 2]}), [1]), "one label for each of 2 rows, got 1"),
    ],
)
def test_what_is_no_stream_is_refused_by_its_type(given: Any, what: str) -> None:
    for play in (run, lambda learner, stream: race([learner], stream)):
        with pytest.raises((ParameterError, StreamError), match=what):
            play(Perceptron(), given)


def test_label_and_positive_are_for_frames() -> None:
    examples = [({"a": 1}, True)]
    with pytest.raises(ParameterError, match="label is for data frames.*'y' for list"):
        run(Perceptron(), examples, label="y")
    with pytest.raises(ParameterError, match="positive is for data.*'y' for list"):
        run(Perceptron(), examples, positive="y")
    with pytest.raises(ParameterError, match="of yes and no, not of a class, got 'y'"):
        run(MulticlassPerceptron(), (np.eye(2), [1, 2]), positive="y")


@pytest.mark.parametrize("learner", [Perceptron(), DisjunctionLearner()])
def test_labels_in_words_are_refused_with_an_argument_of_the_function(
    learner: Any, frame: Any
) -> None:
    hint = "; positive= names the label that means yes"
    with pytest.raises(ValueError, match=f"certify: .* got [^;]*{hint}$"):
        certify(learner, frame, label="city")
    numbers = np.array([[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(LabelError, match=f"row 0: run: .* got 'b'{hint}$"):
        run(learner, (numbers, ["b", "a"]))
    if learner.outcome is Outcome.LABEL:
        with pytest.raises(LineError, match=f"row 0: .* got 3{hint}; 0 rounds played$"):
            run(Perceptron(), pd.DataFrame({"a": [1], "y": [3]}), label="y")


@pytest.mark.parametrize(
    ("cells", "what"),
    [
        ({"m": [1, "x"]}, "DataFrame: table: column 'm' must .* got object of int and"),
        ({"m": pd.to_datetime(["2026-01-01"] * 2)}, "column 'm' .* got timestamp"),
        ({"m": [1 + 2j, 0j]}, "column 'm' must contain"),
    ],
)
def test_a_column_that_cannot_be_read_is_named(
    cells: dict[str, Any], what: str
) -> None:
    frame = pd.DataFrame(cells | {"y": [0, 1]})
    with pytest.raises(ParameterError, match=what):
        run(Perceptron(), frame, label="y")


def test_other_refusals_of_tables_name_them() -> None:
    frame = pd.DataFrame([[1, 2, 0]], columns=["a", "a", "y"])
    with pytest.raises(ParameterError, match="DataFrame: table: .* got 'a' twice"):
        streams.table(frame, label="y")
    words = pd.DataFrame({"a": [1], "y": ["yes"]})
    with pytest.raises(ParameterError, match="table: label 'y' must be .* positive="):
        list(streams.table(words, label="y"))
    assert [y for _, y in streams.table(words, label="y", positive="yes")] == [True]
    with pytest.raises(ParameterError, match="frame must be a pandas .* got list"):
        streams.table([{"a": 1}], label="y")
    for given, got in (({}, "neither"), ({"y": [1], "label": "y"}, "both")):
        with pytest.raises(ParameterError, match=f"must be given, got {got}"):
            streams.table(words, **given)  # type: ignore[arg-type]  # as wrong as it is
