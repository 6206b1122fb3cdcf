"""Parquet, Arrow and tables in memory, against rows made one by one."""

from __future__ import annotations

import math
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import compute as pc
from pyarrow import dataset, feather, parquet

from command import call
from littlestone import _core, run, streams
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import (
    LineError,
    MissingFileError,
    ParameterError,
    StreamError,
)
from littlestone.linear import MulticlassPerceptron, Perceptron
from tries import tried

CELLS = "_MOST_CELLS"  # of a block, where it is set

# The same, one row at a time ----------------------------------------------------------


def twin(table: pa.Table, label: str, missing: str) -> list[tuple[dict[Any, Any], Any]]:
    """Return the examples of a table by plain Python."""
    found = []
    for row in table.to_pylist():
        y = row.pop(label)
        x: dict[str, float] = {}
        for name, cell in row.items():
            for feature, value in entries(name, cell, table.schema.field(name).type):
                if value is None or (isinstance(value, float) and math.isnan(value)):
                    if missing == "literal":
                        x[f"{feature}=?"] = 1.0
                elif isinstance(value, str):
                    x[f"{feature}={value}"] = 1.0
                elif float(value) != 0:
                    x[feature] = float(value)
        found.append((x, bool(y == 1)))
    return found


def entries(name: str, cell: Any, kind: pa.DataType) -> list[tuple[str, Any]]:
    if pa.types.is_fixed_size_list(kind):
        cells = [None] * kind.list_size if cell is None else cell
        return [(f"{name}[{at}]", each) for at, each in enumerate(cells)]
    if pa.types.is_list(kind) and cell is not None:
        # What is missing within a list is left out, also where it is a literal.
        return [
            (f"{name}[{at}]", 0.0 if each is None else each)
            for at, each in enumerate(cell)
        ]
    return [(name, cell)]


def check(stream: Any, expected: list[tuple[Any, Any]]) -> None:
    """Hold a stream against its examples, in every way it can be played."""
    got = list(stream)
    assert got == expected
    assert [list(x) for x, _ in got] == [list(x) for x, _ in expected]
    learner, other = Perceptron(), Perceptron()
    record = run(learner, stream, digest=True)
    assert record == run(other, expected, digest=True)
    assert learner.weights_ == other.weights_


NUMBERS = st.one_of(
    st.none(), st.just(0.0), st.floats(-9, 9, width=32), st.just(math.nan)
)
KINDS: dict[str, Any] = {
    "double": (pa.float64(), NUMBERS),
    "float": (pa.float32(), NUMBERS),
    "int": (pa.int16(), st.one_of(st.none(), st.integers(-3, 3))),
    "bool": (pa.bool_(), st.one_of(st.none(), st.booleans())),
    "text": (pa.string(), st.one_of(st.none(), st.sampled_from(["", "a", "é=?", "?"]))),
    "large": (pa.large_string(), st.one_of(st.none(), st.text(max_size=2))),
    "view": (pa.string_view(), st.one_of(st.none(), st.text(max_size=2))),
    "dictionary": (
        pa.dictionary(pa.int8(), pa.string()),
        st.one_of(st.none(), st.sampled_from("uvw")),
    ),
    "fixed": (
        pa.list_(pa.float32(), 2),
        st.one_of(st.none(), st.lists(NUMBERS, min_size=2, max_size=2)),
    ),
    "list": (pa.list_(pa.int64()), st.lists(st.integers(-2, 2), max_size=3)),
}


@st.composite
def tables(draw: Any) -> pa.Table:
    """Make tables in one or more chunks, maybe with a few rows cut off in front."""
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4))
    size = draw(st.integers(1, 6))
    columns = {}
    for at, kind in enumerate(kinds):
        form, cells = KINDS[kind]
        chunks = [draw(st.lists(cells, min_size=size, max_size=size)) for _ in range(2)]
        columns[f"{kind}{at}"] = pa.chunked_array(
            [
                pa.array(chunk).cast(form)
                if kind == "dictionary"
                else pa.array(chunk, form)
                for chunk in chunks
            ]
        )
    labels = draw(
        st.lists(st.sampled_from([1, -1]), min_size=2 * size, max_size=2 * size)
    )
    made = pa.table({**columns, "y": pa.array(labels, pa.int8())})
    return made.slice(draw(st.integers(0, size - 1)))


@tried(3)
@given(table=tables(), missing=st.sampled_from(["leave out", "literal"]))
def test_tables_are_read_as_row_by_row(table: pa.Table, missing: Any) -> None:
    check(streams.arrow(table, label="y", missing=missing), twin(table, "y", missing))


@pytest.fixture(scope="module")
def flats() -> pa.Table:
    """Make a table of numbers and texts, larger than a block and than a row group."""
    draws = np.random.default_rng(5)
    n = 20_000
    return pa.table(
        {
            "rooms": draws.integers(0, 5, n),
            "city": pa.array(
                draws.choice(["Ghent", "Bruges", "Liège"], n)
            ).dictionary_encode(),
            "code": [f"c{k}" for k in draws.integers(0, 3000, n)],
            "size": pa.array(draws.normal(size=n), mask=draws.random(n) < 0.1),
            "let": draws.random(n) < 0.5,
        }
    )


def test_files_folders_and_frames_are_read_alike(
    flats: pa.Table, tmp_path: Path
) -> None:
    expected = run(Perceptron(), streams.arrow(flats, label="let"), digest=True)
    assert expected.rounds == 20_000
    parquet.write_table(flats, tmp_path / "a.parquet", row_group_size=7_000)
    feather.write_feather(flats, tmp_path / "a.feather", compression="lz4")
    with pa.ipc.new_stream(tmp_path / "a.arrows", flats.schema) as sink:
        sink.write_table(flats, max_chunksize=3_000)
    folder = tmp_path / "folder"
    (folder / "b").mkdir(parents=True)
    parquet.write_table(flats[:9_000], folder / "1.parquet")
    parquet.write_table(flats[9_000:], folder / "b" / "2.parquet")
    (folder / "_SUCCESS").touch()
    feathers = tmp_path / "feathers"
    feathers.mkdir()
    feather.write_feather(flats, feathers / "1.feather")
    plain = flats.set_column(1, "city", flats["city"].cast(pa.string()))
    for source in (
        tmp_path / "a.parquet",
        str(tmp_path / "a.feather"),
        tmp_path / "a.arrows",
        folder,
        feathers,
        [folder / "1.parquet", folder / "b" / "2.parquet"],
        str(folder / "**" / "*.parquet"),
        dataset.dataset(tmp_path / "a.parquet"),
        pl.from_arrow(flats),
        plain,
        pd.DataFrame(plain.to_pandas()),
        flats.to_reader(),
    ):
        stream = streams.arrow(source, label="let")
        assert stream.repeatable == (not hasattr(source, "read_next_batch"))
        assert run(Perceptron(), stream, digest=True) == expected
    for name in ("a.parquet", "a.feather", "a.arrows", "folder"):
        opened = streams.open(tmp_path / name, label="let")
        assert run(Perceptron(), opened, digest=True) == expected
    again = streams.arrow(folder, label="let")
    assert run(Perceptron(), again, passes=2).rounds == 40_000


def test_numbers_alone_are_played_where_they_lie() -> None:
    values = np.random.default_rng(1).normal(size=(20_000, 3))
    for kind in (np.float64, np.float32):
        columns = {f"c{k}": values[:, k].astype(kind) for k in range(3)}
        table = pa.table({**columns, "y": values[:, 0] > 0.1})
        stream = streams.arrow(table, label="y")
        frame = pl.DataFrame(columns)
        expected = run(Perceptron(), streams.arrays(frame, values[:, 0] > 0.1))
        assert run(Perceptron(), stream) == expected
        assert [block.done for block in stream.blocks()][-1] == 1.0


def test_columns_are_chosen(flats: pa.Table, tmp_path: Path) -> None:
    parquet.write_table(flats, tmp_path / "a.parquet")
    few = flats.select(["size", "rooms", "let"])
    for source in (flats, tmp_path / "a.parquet"):
        stream = streams.arrow(source, label="let", columns=["size", "rooms"])
        check(stream, twin(few, "let", "leave out"))


def test_types_are_told() -> None:
    table = pa.table(
        {"zip": [94110, 7, None], "paid": [True, False, True], "sum": ["1.5", "0", "2"]}
    ).append_column("y", pa.array([1, 0, 1]))
    stream = streams.arrow(
        table, label="y", types={"zip": "category", "paid": "category", "sum": "number"}
    )
    assert list(stream) == [
        ({"zip=94110": 1.0, "paid=True": 1.0, "sum": 1.5}, True),
        ({"zip=7": 1.0, "paid=False": 1.0}, False),
        ({"paid=True": 1.0, "sum": 2.0}, True),
    ]


def test_other_numbers() -> None:
    table = pa.table(
        {
            "d": pa.array([Decimal("1.25"), None], pa.decimal128(8, 3)),
            "h": pa.array(np.array([0.5, 2], np.float16)),
            "u": pa.array([2**63, 1], pa.uint64()),
            "n": pa.nulls(2),
            "dictionary": pa.array([3, 4]).dictionary_encode(),
            "y": [True, False],
        }
    )
    assert list(streams.arrow(table, label="y")) == [
        ({"d": 1.25, "h": 0.5, "u": 2.0**63, "dictionary=3": 1.0}, True),
        ({"h": 2.0, "u": 1.0, "dictionary=4": 1.0}, False),
    ]


def test_a_dictionary_may_hold_a_text_twice_or_null() -> None:
    twice = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 2, 3, None]), pa.array(["a", "b", "a", None])
    )
    table = pa.table({"c": twice, "y": [1, 0, 1, 1, 0]})
    expected = [({"c=a": 1.0}, True), ({"c=b": 1.0}, False), ({"c=a": 1.0}, True)]
    assert list(streams.arrow(table, label="y")) == [*expected, ({}, True), ({}, False)]
    literal = streams.arrow(table, label="y", missing="literal")
    assert list(literal)[3:] == [({"c=?": 1.0}, True), ({"c=?": 1.0}, False)]


@pytest.mark.parametrize("size", [3, 200])
def test_a_dictionary_may_hold_more_than_is_used(size: int) -> None:
    texts = pa.array([*(f"t{k}" for k in range(999)), None])
    codes = pa.array([(7 * k) % 1000 for k in range(2 * size)])
    cells = pa.DictionaryArray.from_arrays(codes, texts)
    table = pa.table({"c": cells, "y": [1, -1] * size}).slice(size)
    check(streams.arrow(table, label="y"), twin(table, "y", "leave out"))


def test_what_lies_beneath_null_is_not_read() -> None:
    mask = pa.array([False, True, False])
    flat = pa.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    fixed = pa.FixedSizeListArray.from_arrays(flat, 2, mask=mask)
    lists = pa.ListArray.from_arrays(pa.array([0, 2, 4, 6]), flat, mask=mask)
    for cells in (fixed, lists):
        table = pa.table({"v": cells, "y": [1, -1, 1]})
        expected = [({"v[0]": 1.0, "v[1]": 2.0}, True), ({}, False)]
        last = ({"v[0]": 5.0, "v[1]": 6.0}, True)
        check(streams.arrow(table, label="y"), [*expected, last])


def test_features_by_number() -> None:
    lists = [[7, 2**31 + 5], [], [3]], [[1.0, 2.0], [], [0.5]]
    kinds = pa.list_(pa.int64()), pa.list_(pa.float32())
    indices, values = (
        pa.array(each, kind) for each, kind in zip(lists, kinds, strict=True)
    )
    struct = pa.StructArray.from_arrays([indices, values], ["indices", "values"])
    expected = [({7: 1.0, 2**31 + 5: 2.0}, True), ({}, False), ({3: 0.5}, True)]
    y = pa.array([1, 0, 1])
    check(streams.arrow(pa.table({"x": struct, "y": y}), label="y"), expected)
    pair = pa.table({"i": indices, "v": values, "more": ["a", "b", "c"], "y": y})
    check(streams.arrow(pair, label="y", indices="i", values="v"), expected)
    check(
        streams.arrow(pair.slice(1), label="y", indices="i", values="v"), expected[1:]
    )
    holed = pa.table(
        {
            "i": pa.array([[1, 2], None, [4]], pa.list_(pa.int32())),
            "v": pa.array([[None, 5.0], None, [6.0]], pa.list_(pa.float64())),
            "y": y,
        }
    )
    stream = streams.arrow(holed, label="y", indices="i", values="v")
    check(stream, [({2: 5.0}, True), ({}, False), ({4: 6.0}, True)])


# Labels -------------------------------------------------------------------------------

TEXTS = pa.array(["spam", "ham", "eggs"])


@pytest.mark.parametrize(
    ("labels", "options", "expected"),
    [
        (pa.array([True, False, True]), {}, [True, False, True]),
        (pa.array([1.0, -1.0, 1.0]), {}, [True, False, True]),
        (pa.array([2, 3, 2]), {"positive": 2}, [True, False, True]),
        (
            pa.array([2, 3, 4]),
            {"positive": [2, 4], "negative": "3"},
            [True, False, True],
        ),
        (TEXTS, {"positive": "spam"}, [True, False, False]),
        (TEXTS.dictionary_encode(), {"positive": ["ham", "eggs"]}, [False, True, True]),
        (TEXTS.cast(pa.string_view()), {"outcome": "class"}, ["spam", "ham", "eggs"]),
        (pa.array([7, 8, 7]), {"outcome": "class"}, [7, 8, 7]),
        (pa.array([True, False, True]), {"outcome": "class"}, [True, False, True]),
        (pa.array([7, 8, 7]), {"outcome": "number"}, [7.0, 8.0, 7.0]),
    ],
)
def test_labels(labels: pa.Array, options: Any, expected: list[Any]) -> None:
    table = pa.table({"x": [1.0, 2.0, 3.0], "y": labels})
    stream = streams.arrow(table, label="y", **options)
    got = [y for _, y in stream]
    assert got == expected
    assert [type(y) for y in got] == [type(y) for y in expected]
    if options.get("outcome") == "class":
        assert run(MulticlassPerceptron(), stream).rounds == 3


# What is refused ----------------------------------------------------------------------


def numbers(**columns: Any) -> pa.Table:
    return pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": [1, 0, 1, 0]} | columns)


@pytest.mark.parametrize(
    ("table", "options", "rows", "says"),
    [
        (numbers(x=[1.0, 2.0, math.inf, 4.0]), {}, [2], "'x' must contain finite"),
        (
            numbers(x=[1.0, None, 3.0, math.nan]),
            {"missing": "refuse"},
            [1, 3],
            "'x' must have no missing cell",
        ),
        (
            numbers(x=["a", None, "b", "c"]),
            {"missing": "refuse"},
            [1],
            "'x' must have no missing cell",
        ),
        (numbers(x=[[1.0], [2.0], [math.inf], []]), {}, [2], "'x' must contain finite"),
        (
            numbers(x=[[1.0], None, [None], []]),
            {"missing": "refuse"},
            [1, 2],
            "'x' must have",
        ),
        (numbers(y=[1, None, 1, 0]), {}, [1], "label 'y' must not be missing"),
        (
            numbers(y=[1, 0, 2, 3]),
            {},
            [2, 3],
            "label 'y' must be 1, 0 or -1, got 2; positive=",
        ),
        (
            numbers(y=["a", "b", "c", "a"]),
            {"positive": "a", "negative": "b"},
            [2],
            "must be one of 'a', 'b', got 'c'",
        ),
        (
            numbers(y=[1.0, 0.0, math.nan, 0]),
            {"outcome": "number"},
            [2],
            "outcome 'y' must be a finite number, got nan",
        ),
        (
            numbers(i=[[1], [2], [1, 2], [3]], v=[[1.0], [2.0], [1.0], [3.0]]),
            {"indices": "i", "values": "v"},
            [2],
            "as many indices as values",
        ),
        (
            numbers(i=[[1], [-2], [2**32], [3]], v=[[1.0]] * 4),
            {"indices": "i", "values": "v"},
            [1, 2],
            "an index must be from 0",
        ),
        (
            numbers(i=[[1.0], [1.5], [2.0], [3.0]], v=[[1.0]] * 4),
            {"indices": "i", "values": "v"},
            [1],
            "an index must be a whole number",
        ),
    ],
)
def test_rows_that_are_refused(
    table: pa.Table, options: Any, rows: list[int], says: str
) -> None:
    stream = streams.arrow(table, label="y", **options)
    got: list[Any] = []
    with pytest.raises(LineError) as caught:
        got.extend(stream)
    assert len(got) == rows[0]
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"Table, row {rows[0]}: ")
    lenient = streams.arrow(table, label="y", on_error="skip", **options)
    assert len(list(lenient)) == 4 - len(rows)
    assert lenient.skipped == len(rows)
    names = [block.where(block.last - 1) for block in lenient.blocks()]
    assert names[-1] == f"Table, row {max(set(range(4)) - set(rows))}"


def test_no_is_written_in_one_way() -> None:
    table = pa.table({"x": [1.0] * 4, "y": [1, 0, 1, -1]})
    for on_error in ("raise", "skip"):
        stream = streams.arrow(table, label="y", on_error=on_error)
        with pytest.raises(LineError, match="row 3: labels must be 0 and 1 or -1"):
            run(Perceptron(), stream)
    half = pa.concat_tables([table[:2], table[2:]])
    with pytest.raises(LineError, match="row 3"):
        list(streams.arrow(half, label="y"))


@pytest.mark.parametrize(
    ("table", "options", "says"),
    [
        (numbers(), {"label": "z"}, "there must be one column 'z', got 'x', 'y'"),
        (numbers(), {"columns": ["z"]}, "there must be one column 'z'"),
        (numbers(), {"columns": ["y"]}, "columns must be one or more names"),
        (numbers(), {"columns": []}, "columns must be one or more names"),
        (numbers(), {"types": {"x": "date"}}, "types must be 'number' or 'category'"),
        (numbers(), {"types": {"z": "number"}}, "there must be one column 'z'"),
        (numbers(), {"types": {"x": "category"}}, "'x' must contain texts"),
        (numbers(), {"missing": "skip"}, "missing must be 'leave out'"),
        (numbers(), {"on_error": "pass"}, "on_error must be 'raise'"),
        (numbers(), {"outcome": "x"}, "outcome must be 'label', 'class' or 'number'"),
        (numbers(), {"label": 3}, "label must be the name of a column, got 3"),
        (numbers(), {"positive": "a", "outcome": "class"}, "positive must be left out"),
        (numbers(), {"negative": "a"}, "negative needs positive"),
        (numbers(), {"positive": ["a"], "negative": "a"}, "either yes or no, got 'a'"),
        (numbers(), {"positive": []}, "positive must be one or more"),
        (numbers(), {"indices": "x"}, "indices and values must be given together"),
        (numbers(), {"indices": "x", "values": "y"}, "two columns beside the label"),
        (numbers(z=[1.0] * 4), {"indices": "x", "values": "z"}, "must contain lists"),
        (numbers(y=["a"] * 4), {}, "got string; positive= names the label"),
        (numbers(y=["a"] * 4), {"outcome": "number"}, "must be a column of numbers"),
        (
            numbers(y=[[1]] * 4),
            {"outcome": "class"},
            "must be a column of texts, numbers",
        ),
        (numbers().select(["y"]), {}, "there must be a column beside the label"),
        (numbers(x=[b"a"] * 4), {}, "'x' must contain numbers, truth values, texts or"),
        (numbers(x=pa.array([0] * 4, pa.date32())), {}, "columns= chooses others"),
        (numbers(**{"x=a": [1] * 4}), {}, "got 'x=a' and 'x'"),
        (numbers(x=[[1.0]] * 4, **{"x[0]": [1] * 4}), {}, "got 'x[0]' and 'x'"),
        (
            numbers(s=[{"indices": [1], "values": [1.0]}] * 4),
            {},
            "must be the only ones, got 'x', 's'",
        ),
        (
            numbers(s=[{"indices": [1], "values": [1.0]}] * 4),
            {"columns": "s", "missing": "literal"},
            "missing must not be 'literal'",
        ),
    ],
)
def test_what_cannot_be_read_is_refused(
    table: pa.Table, options: Any, says: str
) -> None:
    with pytest.raises(ParameterError) as caught:
        list(streams.arrow(table, **({"label": "y"} | options)))
    assert says in str(caught.value)


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.Table.from_arrays(
        [pa.array([1]), pa.array([2]), pa.array([1])], ["a", "a", "y"]
    )
    with pytest.raises(ParameterError, match="name of its own, got 'a' twice"):
        list(streams.arrow(table, label="y"))


def test_files_that_are_none(tmp_path: Path) -> None:
    for content, says in (
        (b"", "must be Parquet or Arrow, got one that starts with b''"),
        (b"1 3:1\n", "must be Parquet or Arrow"),
        (b"PAR1 but not really", "the file is damaged"),
        (b"ARROW1\0\0 but not really", "the file is damaged"),
    ):
        (tmp_path / "a").write_bytes(content)
        with pytest.raises(StreamError, match=says):
            list(streams.arrow(tmp_path / "a", label="y"))
    with pytest.raises(MissingFileError):
        list(streams.arrow(tmp_path / "gone.parquet", label="y"))
    with pytest.raises(
        ParameterError, match="source must be a path or hold Arrow data"
    ):
        streams.arrow({"x": [1]}, label="y")
    parquet.write_table(numbers()[:0], tmp_path / "none.parquet")
    with pytest.raises(StreamError, match="at least one example"):
        list(streams.arrow(tmp_path / "none.parquet", label="y"))


def test_a_truncated_file_is_refused(flats: pa.Table, tmp_path: Path) -> None:
    with pa.ipc.new_stream(tmp_path / "a.arrows", flats.schema) as sink:
        sink.write_table(flats, max_chunksize=3_000)
    whole = (tmp_path / "a.arrows").read_bytes()
    (tmp_path / "a.arrows").write_bytes(whole[: len(whole) // 2])
    stream = streams.arrow(tmp_path / "a.arrows", label="let")
    with pytest.raises(StreamError, match="9000 rounds played") as caught:
        run(Perceptron(), stream)
    assert caught.value.rounds == 9_000


def test_a_file_that_becomes_shorter_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "shrinks.arrow"
    table = pa.table({"x": np.arange(100_000.0), "y": np.arange(100_000) % 2})
    feather.write_feather(table, path, compression="uncompressed", chunksize=1_000)
    blocks = streams.arrow(path, label="y").blocks()
    assert next(blocks).last == 1_000
    with path.open("r+b") as file:
        file.truncate(100_000)
    with pytest.raises(StreamError, match="shrinks.arrow: .* too short"):
        list(blocks)


def test_codes_beyond_a_dictionary_are_refused(tmp_path: Path) -> None:
    codes = pa.array([0, 1_000_000_000], pa.int32())
    coded = pa.DictionaryArray.from_arrays(codes, ["a", "b"], safe=False)
    table = pa.table({"y": [0, 1], "c": coded})
    with pytest.raises(StreamError, match="Table: the table is damaged.*out of bounds"):
        list(streams.arrow(table, label="y"))
    path = tmp_path / "codes.arrow"
    with pa.ipc.new_file(path, table.schema) as file:
        file.write_table(table)
    with pytest.raises(StreamError, match="the file is damaged.*out of bounds"):
        list(streams.arrow(path, label="y"))


def test_places_outside_of_a_list_are_refused() -> None:
    places = pa.array([0, 1 << 30, 2], pa.int32()).buffers()[1]
    lists = pa.ListArray.from_buffers(
        pa.list_(pa.float64()), 2, [None, places], children=[pa.array([1.0, 2.0])]
    )
    table = pa.table({"y": [0, 1], "x": lists})
    with pytest.raises(StreamError, match="the table is damaged"):
        list(streams.arrow(table, label="y"))


def test_small_tables_with_large_rows_are_refused() -> None:
    most = 2**31 - 1
    fixed = pa.nulls(1, pa.list_(pa.null(), most))
    table = pa.table({"y": [1], "a": fixed, "b": fixed})
    with pytest.raises(ParameterError, match=f"at most 2\\*\\*20 .*, got {2 * most}"):
        list(streams.arrow(table, label="y"))
    lists = pa.ListArray.from_arrays([0, 1 << 25], pa.nulls(1 << 25))
    with pytest.raises(LineError, match="'a' must contain numbers, got nulls"):
        list(streams.arrow(pa.table({"y": [1], "a": lists}), label="y"))


def test_wide_rows_are_read_in_small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("littlestone.streams._arrow_columns"), CELLS, 100)
    table = pa.table({"y": [1] * 9, "a": pa.nulls(9, pa.list_(pa.float64(), 30))})
    assert [block.last for block in streams.arrow(table, label="y").blocks()] == [3] * 3


def test_a_long_text_that_many_rows_share_is_read_once() -> None:
    codes = pa.array([None, *[0] * 30_000], pa.int8())
    coded = pa.DictionaryArray.from_arrays(codes, ["x" * 1_000_000])
    table = pa.table({"y": [1] * len(codes), "a": coded})
    (block,) = streams.arrow(table, label="y").blocks()
    assert [block.rows.nonzeros(row) for row in (0, 1, 30_000)] == [0, 1, 1]


def test_a_name_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "name.arrow"
    table = pa.table({"y": [1], "four": [1.0]})
    feather.write_feather(table, path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"four", b"f\xffur"))
    with pytest.raises(StreamError, match="the file is damaged.*codec"):
        list(streams.arrow(path, label="y"))


def test_the_names_of_many_columns_are_looked_through_once() -> None:
    table = pa.table({"y": [1], **{f"x{k}": [1.0] for k in range(8_000)}})
    ((x, _),) = streams.arrow(table, label="y")
    assert len(x) == 8_000
    with pytest.raises(ParameterError, match="got 'x7=' and 'x7'"):
        list(streams.arrow(table.append_column("x7=", [[1.0]]), label="y"))


def test_hashing_and_rules(flats: pa.Table) -> None:
    plain = streams.arrow(flats, label="let")
    native = streams.arrow(flats, label="let", hash_bits=10)
    expected = streams.hashed(plain, 10)
    assert run(Perceptron(), native, digest=True) == run(
        Perceptron(), expected, digest=True
    )
    assert native.collisions == expected.collisions > 0
    some = pa.table({"city": flats["city"], "y": pc.equal(flats["city"], "Ghent")})
    record = run(ConjunctionLearner(), streams.arrow(some[:200], label="y"))
    assert record.mistakes > 0
    assert record == run(
        ConjunctionLearner(), list(streams.arrow(some[:200], label="y"))
    )


def test_reading_may_stop_early(flats: pa.Table, tmp_path: Path) -> None:
    parquet.write_table(flats, tmp_path / "a.parquet", row_group_size=1_000)
    stream = streams.arrow(tmp_path / "a.parquet", label="let")
    assert len(next(iter(stream.blocks())).labels) > 0
    assert len(list(stream)) == 20_000


def test_the_command_line_reads_parquet(flats: pa.Table, tmp_path: Path) -> None:
    parquet.write_table(flats, tmp_path / "a.parquet")
    expected = run(Perceptron(), streams.arrow(flats, label="let"))
    words = ("-l", "perceptron", "--label", "let", "--json", "-q")
    done = call("run", tmp_path / "a.parquet", *words)
    assert done.returncode == 0
    assert f'"mistakes": {expected.mistakes},' in done.stdout
    without = call("run", tmp_path / "a.parquet")
    assert without.returncode == 2
    assert "--format parquet needs --label" in without.stderr


# The border ---------------------------------------------------------------------------


def test_the_border_checks_names_and_rows() -> None:
    def texts(*words: bytes) -> Any:
        ends = np.cumsum([0, *map(len, words)], dtype=np.int32)
        return np.frombuffer(b"".join(words), dtype=np.uint8), ends

    names = _core.NameTable()
    assert names.add(*texts(b"a", b"bc")) == 0
    assert names.add(*texts(b"")) == 2
    for bad in (texts(b"d", b"a"), texts(b"d", b"d"), texts(b"\xff")):
        with pytest.raises(KeyError):
            names.add(*bad)
    assert len(names) == 3
    for ends in ([1, 0], [0, 3], [-1, 0], []):
        with pytest.raises(ValueError, match="offsets"):
            names.add(np.zeros(2, np.uint8), np.array(ends, np.int64))

    def rows(offsets: Any, ids: Any, values: Any) -> Any:
        return _core.words(
            np.array(offsets, np.uint64),
            np.array(ids, np.uint32),
            np.array(values, np.float64),
            names,
        )

    made = rows([0, 2, 2, 3], [1, 0, 2], [0.5, 2.0, 1.0])
    assert [made.row(k) for k in range(3)] == [{"bc": 0.5, "a": 2.0}, {}, {"": 1.0}]
    for offsets, ids, values in (
        ([0, 2], [0, 0], [1, 1]),
        ([0, 1], [3], [1]),
        ([0, 2], [0], [1]),
        ([1, 1], [0], [1]),
        ([0, 1, 0], [0], [1]),
        ([], [], []),
        ([0, 1], [0], [1, 2]),
    ):
        with pytest.raises(ValueError, match="row"):
            rows(offsets, ids, values)
