"""A CSV file read as literals says what its cells say, and nothing else."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data import data_file
from littlestone import run
from littlestone.boolean import DecisionListLearner, DisjunctionLearner
from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.linear import AROW, Perceptron
from littlestone.streams import csv, hashed, joined, onehot
from tries import tried

# Where the size of a buffer is set, and that of what is remembered.
parser = import_module("littlestone.streams._parser")
module = import_module("littlestone.streams._csv")

MUSHROOMS = "class,odor,root,rings\np,foul,?,1\n\ne,none,,2\np, foul ,bulb,0\n"


def write(folder: Path, content: str | bytes, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def literals(path: Path, **options: Any) -> Any:
    usual: Any = {"label": "class", "positive": "p", "literals": True}
    return csv(path, **(usual | options))


def refused(path: Path, **options: Any) -> LineError:
    with pytest.raises(LineError) as caught:
        list(literals(path, **options))
    return caught.value


# What is read ---------------------------------------------------------------------


def test_every_cell_is_a_literal(tmp_path: Path) -> None:
    path = write(tmp_path, MUSHROOMS)
    stream = literals(path)
    assert [(list(x), y) for x, y in stream] == [
        (["odor=foul", "root=?", "rings=1"], True),
        (["odor=none", "root=?", "rings=2"], False),
        (["odor= foul ", "root=bulb", "rings=0"], True),
    ]
    assert all(set(x.values()) == {1.0} for x, _ in stream)
    assert stream.types == dict.fromkeys(["odor", "root", "rings"], "category")
    assert stream.feature_names() == (
        *("odor=foul", "root=?", "rings=1", "odor=none", "rings=2"),
        *("odor= foul ", "root=bulb", "rings=0"),
    )


def test_a_column_may_still_be_of_numbers(tmp_path: Path) -> None:
    stream = literals(write(tmp_path, MUSHROOMS), types={"rings": "number"})
    assert [x.get("rings") for x, _ in stream] == [1.0, 2.0, None]


def test_columns_without_a_header_are_named_by_their_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, "p,foul,3\ne,none,5\n")
    options: Any = {"label": 0, "thresholds": {2: 4}}
    assert [list(x) for x, _ in literals(path, **options)] == [
        ["x1=foul"],
        ["x1=none", "x2>=4"],
    ]
    # As in memory.
    rows = [({1: "foul", 2: "3"}, True), ({1: "none", 2: "5"}, False)]
    assert list(onehot(rows, thresholds={2: 4})) == list(literals(path, **options))


def test_missing_cells(tmp_path: Path) -> None:
    path = write(tmp_path, MUSHROOMS)
    kept = [list(x)[1] for x, _ in literals(path, missing="leave out")]
    assert kept == ["root=?", "rings=2", "root=bulb"]
    error = refused(path, missing="refuse")
    assert str(error) == (
        f"{path}:2: column 'root' must have no missing cell, got '?'; "
        "missing='leave out' leaves it out"
    )
    assert (error.line, error.column, error.value) == (2, "root", "?")
    stream = literals(path, missing="refuse", on_error="skip")
    assert [next(iter(x)) for x, _ in stream] == ["odor= foul "]
    assert stream.skipped == 2


def test_thresholds_are_literals_for_numbers(tmp_path: Path) -> None:
    cells = ["29.9", "30", " 5e1 ", "-1", "", "NA", "1e999"]
    path = write(tmp_path, "y,age,job\n" + "".join(f"1,{c},cook\n" for c in cells))
    options: Any = {"label": "y", "thresholds": {"age": [30, 50]}}
    both = ["age>=30", "age>=50"]
    expected: list[list[str]] = [[], ["age>=30"], both, [], [], [], both]
    stream = csv(path, **options)
    assert [list(x) for x, _ in stream] == [[*those, "job=cook"] for those in expected]
    assert stream.types == {"age": "number", "job": "category"}
    expected[4] = expected[5] = ["age=?"]
    stream = csv(path, literals=True, **options)
    assert [list(x) for x, _ in stream] == [[*those, "job=cook"] for those in expected]
    with pytest.raises(LineError, match=":6: column 'age' must have no missing cell"):
        list(csv(path, missing="refuse", **options))
    rest = csv(path, missing="refuse", on_error="skip", **options)
    assert (len(list(rest)), rest.skipped) == (5, 2)


def test_columns_of_numbers_keep_their_values_beside_thresholds(tmp_path: Path) -> None:
    path = write(tmp_path, "y,age,height,job\n1,41,1.8,\n0,12,0,cook\n1,20,1.5,\n")
    stream = csv(path, label="y", thresholds={"age": [20, 30]})
    assert list(stream) == [
        ({"age>=20": 1.0, "age>=30": 1.0, "height": 1.8}, True),
        ({"job=cook": 1.0}, False),
        ({"age>=20": 1.0, "height": 1.5}, True),
    ]


@given(
    st.lists(
        st.decimals(allow_nan=False, allow_infinity=False), min_size=1, max_size=8
    ),
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.integers(),
        min_size=1,
        max_size=4,
        unique_by=lambda least: Fraction(str(least)),
    ),
)
@example([Decimal("0.1"), Decimal("0.09999999999999999999999")], [0.1])
def test_numbers_are_compared_as_they_are_written(
    tmp_path_factory: pytest.TempPathFactory,
    numbers: list[Decimal],
    bounds: list[float],
) -> None:
    numbers = [n for n in numbers if -400 < n.adjusted() < 300] or [Decimal(1)]
    path = tmp_path_factory.mktemp("csv") / "numbers.csv"
    path.write_text("1,0\n" + "".join(f"1,{number}\n" for number in numbers))
    stream = csv(path, label=0, thresholds={1: bounds})
    for number, (x, _) in zip([Decimal(0), *numbers], stream, strict=True):
        reached = [b for b in bounds if Fraction(str(number)) >= Fraction(str(b))]
        written = [str(int(b)) if b == int(b) else str(b) for b in reached]
        assert list(x) == [f"x1>={text}" for text in written]


TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=6
)


@tried(2)
@given(
    table=st.integers(1, 4).flatmap(
        lambda n: st.lists(
            st.tuples(st.lists(TEXTS, min_size=n, max_size=n), st.booleans()),
            min_size=1,
            max_size=12,
        )
    ),
    quoting=st.sampled_from([python_csv.QUOTE_MINIMAL, python_csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    buffer=st.sampled_from([5, 64, 1 << 20]),
)
def test_a_file_gives_the_literals_of_its_mappings(
    tmp_path_factory: pytest.TempPathFactory,
    table: list[Any],
    quoting: Any,
    end: str,
    buffer: int,
) -> None:
    text = io.StringIO(newline="")
    writer = python_csv.writer(text, quoting=quoting, lineterminator=end)
    names = [f"c{k}" for k in range(len(table[0][0]))]
    writer.writerow([*names, "y"])
    writer.writerows([*cells, int(label)] for cells, label in table)
    path = tmp_path_factory.mktemp("csv") / "made.csv"
    path.write_bytes(text.getvalue().encode())
    mappings = [(dict(zip(names, cells, strict=True)), y) for cells, y in table]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "_BUFFER", buffer)
        found = list(csv(path, label="y", delimiter=",", literals=True))
    assert found == list(onehot(mappings))


# That it is the same whichever way it is played -----------------------------------


def many(folder: Path) -> Path:
    rows = [f"{k % 2},{'xyz'[k % 3]},{k * 7 % 5},{k}" for k in range(300)]
    return write(folder, "y,a,b,n\n" + "\n".join(rows) + "\n")


@pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")
@pytest.mark.parametrize("thresholds", [None, {"n": [10, 40], "b": 2}])
@pytest.mark.parametrize("buffer", [100, 1 << 20])
def test_file_and_examples_give_the_same_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, thresholds: Any, buffer: int
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", buffer)
    monkeypatch.setattr(module, "_MOST_KEPT", 50)
    stream = csv(many(tmp_path), label="y", literals=True, thresholds=thresholds)
    plain = list(stream)
    for make in (Perceptron, AROW, lambda: DecisionListLearner(k=1)):
        learner, single = make(), make()
        record = run(learner, stream, passes=2, digest=True)
        assert record == run(single, plain, passes=2, digest=True)
        assert (record.rounds, record.mistakes > 10) == (600, True)
    places = [b.where(row) for b in stream.blocks() for row in range(b.first, b.last)]
    assert places == [f"{tmp_path}/table.csv:{line}" for line in range(2, 302)]


def test_literals_can_be_hashed(tmp_path: Path) -> None:
    path = many(tmp_path)
    options: Any = {"label": "y", "literals": True, "thresholds": {"n": 40}}
    stream = csv(path, hash_bits=4, **options)
    outside = hashed(csv(path, **options), bits=4)
    assert list(stream) == list(outside)
    assert stream.collisions == outside.collisions > 0


def test_several_files_are_read_as_one(tmp_path: Path) -> None:
    for name, rows in (("a", "1,41\n"), ("b", "0,3\n")):
        write(tmp_path, "y,age\n" + rows, f"{name}.csv")
    options: Any = {"label": "y", "thresholds": {"age": 30}}
    stream = csv(tmp_path / "*.csv", **options)
    assert list(stream) == [({"age>=30": 1.0}, True), ({}, False)]
    parts = [csv(tmp_path / f"{name}.csv", **options) for name in "ab"]
    assert list(joined(parts)) == list(stream)


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize("buffer", [20, 1 << 20])
def test_a_number_is_needed_where_there_are_thresholds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", buffer)
    path = write(tmp_path, "y,a,age\n1,x,41\n\n0,z,29\n1,v,old\n0,x,50\n")
    options: Any = {"label": "y", "thresholds": {"age": 30}}
    learner = DisjunctionLearner()
    with pytest.raises(LineError) as caught:
        run(learner, csv(path, **options))
    error = caught.value
    assert str(error) == (
        f"{path}:5: column 'age' has thresholds and must contain numbers, got 'old'; "
        "2 rounds played"
    )
    assert (error.line, error.column, error.value) == (5, "age", "old")
    stream = csv(path, on_error="skip", **options)
    assert [list(x) for x, _ in stream] == [
        ["a=x", "age>=30"],
        ["a=z"],
        ["a=x", "age>=30"],
    ]
    assert stream.skipped == 1
    lines = [
        b.where(row).rpartition(":")[2]
        for b in stream.blocks()
        for row in range(b.last)
    ]
    assert lines == ["2", "4", "6"]


def test_a_file_in_which_every_record_is_skipped_has_no_example(tmp_path: Path) -> None:
    path = write(tmp_path, "y,age\n1,old\n0,young\n")
    stream = csv(path, label="y", thresholds={"age": 3}, on_error="skip")
    with pytest.raises(StreamError, match="got none .2 lines skipped."):
        list(stream)


@pytest.mark.parametrize(
    ("header", "options", "what"),
    [
        ("y,a,a=b", {}, "got 'a=b' and 'a'"),
        ("y,n,n>", {"thresholds": {"n": 3}}, "got 'n>=3' and 'n>'"),
        ("y,n,n>=3", {"thresholds": {"n": 3}}, "thresholds, got 'n>=3'"),
        ("y,n,a", {"thresholds": {"m": 3}}, "the header must have a column 'm'"),
        ("y,n,a", {"thresholds": {"y": 3}}, "got thresholds for 'y'"),
        ("y,n,a", {"thresholds": {"n": 3}, "columns": "a"}, "got thresholds for 'n'"),
        (
            "y,n,a",
            {"thresholds": {"n": 3}, "types": {"n": "number"}},
            "types and thresholds must be given for columns that are read, and once",
        ),
    ],
)
def test_no_two_columns_can_give_the_same_feature(
    tmp_path: Path, header: str, options: Any, what: str
) -> None:
    path = write(tmp_path, f"{header}\n1,2,3\n")
    error = refused(path, label="y", positive=1, **options)
    assert (error.line, what in str(error)) == (1, True), str(error)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"thresholds": [30]}, "thresholds must be a mapping from column to numbers"),
        ({"thresholds": {"a": "30"}}, "one or more finite numbers without duplicates"),
        ({"thresholds": {"a": [3, 3.0]}}, "without duplicates, got [3, 3.0] for 'a'"),
        ({"thresholds": {None: 3}}, "thresholds must be column numbers from 0, or"),
        ({"label": 0, "thresholds": {"a": 3}}, "thresholds must be column numbers"),
        ({"missing": "sleep"}, "missing must be 'leave out', 'refuse' or 'literal'"),
    ],
)
def test_parameters_are_checked(options: Any, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        csv("none.csv", **({"label": "y"} | options))
    assert str(caught.value).startswith("csv: ")
    assert what in str(caught.value)


# The world ------------------------------------------------------------------------


def plainly(path: Path) -> list[dict[str, str]]:
    """Read a table with nothing but Python."""
    text = gzip.decompress(path.read_bytes()).decode()
    return list(python_csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("name", "positive", "rows", "count_of_literals"),
    [
        ("agaricus/agaricus-lepiota.csv.gz", "p", 8124, 117),
        ("tic-tac-toe/tic-tac-toe.csv.gz", "positive", 958, 27),
        ("monks/monks-1.train.csv.gz", "1", 124, 17),
        ("monks/monks-2.train.csv.gz", "1", 169, 17),
        ("monks/monks-3.train.csv.gz", "1", 122, 17),
        ("monks/monks-3.test.csv.gz", "1", 432, 17),
        ("vote/house-votes-84.csv.gz", "republican", 435, 48),
    ],
)
def test_a_table_of_the_world_equals_a_plain_reading(
    name: str, positive: str, rows: int, count_of_literals: int
) -> None:
    path = data_file(name)
    stream = literals(path, positive=positive)
    expected = []
    for written in plainly(path):
        label = written.pop("class")
        x = {f"{column}={cell}": 1.0 for column, cell in written.items()}
        assert len(x) == len(written)
        expected.append((x, label == positive))
    assert len(expected) == rows
    assert list(stream) == expected
    names = stream.feature_names()
    assert names == tuple(dict.fromkeys(n for x, _ in expected for n in x))
    assert len(names) == count_of_literals
    perceptron, single = Perceptron(), Perceptron()
    record = run(perceptron, stream)
    wrong = 0
    for x, y in expected:
        wrong += single.predict_one(x) != y
        single.learn_one(x, y)
    assert record.mistakes == wrong
    assert dict(perceptron.weights_) == dict(single.weights_)


def test_missing_cells_of_the_world_are_named_by_their_place() -> None:
    path = data_file("vote/house-votes-84.csv.gz")
    error = refused(path, positive="republican", missing="refuse")
    assert error.where == f"{path}:2"
    assert (error.column, error.value) == ("synfuels-corporation-cutback", "?")
    unvoted = sum("?" in record.values() for record in plainly(path))
    stream = literals(path, positive="republican")
    with_unvoted = sum(any(n.endswith("=?") for n in x) for x, _ in stream)
    assert with_unvoted == unvoted == 203
    path = data_file("agaricus/agaricus-lepiota.csv.gz")
    assert sum("stalk-root=?" in x for x, _ in literals(path)) == 2480


def test_monks_first_problem_is_what_it_is_said_to_be() -> None:
    for part in ("train", "test"):
        path = data_file(f"monks/monks-1.{part}.csv.gz")
        for x, y in literals(path, positive=1, negative=0):
            alike = any(f"a1={v}" in x and f"a2={v}" in x for v in (1, 2, 3))
            assert y == (alike or "a5=1" in x)
