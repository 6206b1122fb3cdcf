"""Cells of tables are the features that a plain twin reads, however they are played."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
import math
import os
import re
import threading
from collections import deque
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from data import data_file
from littlestone import run
from littlestone.errors import (
    LineError,
    MissingFileError,
    ParameterError,
    ReadingWarning,
    StreamError,
    TruncatedError,
)
from littlestone.linear import MulticlassPerceptron, Perceptron
from littlestone.streams import csv, hashed
from littlestone.verifying import Digest
from packing import zstd
from tries import tried

# Where the size of a buffer is set, and that of a record.
module = import_module("littlestone.streams._parser")
# And that of what tells the types of columns.
records_module = import_module("littlestone.streams._records")


FLATS = "rooms,city,let\n2,Ghent,yes\n\n3.5,Bruges,no\n,Ghent,yes\n0,,no\n"
EXAMPLES = [
    ({"rooms": 2.0, "city=Ghent": 1.0}, True),
    ({"rooms": 3.5, "city=Bruges": 1.0}, False),
    ({"city=Ghent": 1.0}, True),
    ({}, False),
]


def write(folder: Path, content: str | bytes, name: str = "flats.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def flats(path: Path | str, **options: Any) -> Any:
    return csv(path, label="let", **({"positive": "yes"} | options))


def bits(weights: Any) -> dict[Any, str]:
    return {feature: weight.hex() for feature, weight in weights.items()}


# The twin: Python's csv, and the rules of a cell ----------------------------------

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
GONE = {"", "na", "n/a", "nan", "+nan", "-nan", "null", "none", "?"}


class Row(NamedTuple):
    """An example, or a line that is none."""

    line: int
    x: dict[str, float] | None
    y: Any = None


def records(content: bytes, delimiter: str) -> Iterator[tuple[int, list[str] | None]]:
    """Yield the line and the cells of each record; no cells where that is none."""
    text = content.decode(errors="surrogateescape")
    lines = list(io.StringIO(text, newline="\n"))
    at = 0
    while at < len(lines):
        reader = python_csv.reader(
            islice(lines, at, None), delimiter=delimiter, strict=True
        )
        try:
            cells = next(reader)
        except python_csv.Error:
            yield at + 1, None
            at += 1
            continue
        raw = "".join(lines[at : at + reader.line_num])
        if re.search("[\0\udc80-\udcff]", raw):
            yield at + 1, None
        elif cells:
            yield at + 1, cells
        at += reader.line_num


def is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip(" \t")) is not None


def kind_of(cells: list[str]) -> str:
    """Tell what a column holds that nobody has told of."""
    known = all(
        is_number(cell)
        or cell.strip(" \t").lower() in GONE
        or re.fullmatch("[+-]?inf(inity)?", cell.strip(" \t"), re.IGNORECASE)
        for cell in cells
    )
    return "number" if known else "category"


def twin(  # noqa: PLR0917 - what a stream is told, and the bytes
    content: bytes,
    names: list[str],
    label: int,
    kinds: list[str],
    missing: str = "leave out",
    delimiter: str = ",",
) -> list[Row]:
    """Read records without a header, whose labels are 1 and 0."""
    rows = []
    for line, cells in records(content, delimiter):
        x: dict[str, float] | None = None
        y = None
        if cells is not None and len(cells) == len(names):
            x = {}
            for place, (name, kind, cell) in enumerate(
                zip(names, kinds, cells, strict=True)
            ):
                bare = cell.strip(" \t")
                gone = (
                    bare.lower() in GONE
                    if kind == "number"
                    else cell in ("", *"?" * (missing == "refuse"))
                )
                if place == label:
                    y = float(bare) if is_number(cell) else None
                    sound = y in (0.0, 1.0)
                elif gone:
                    sound = missing != "refuse"
                    if missing == "literal":
                        x[f"{name}=?"] = 1.0
                elif kind == "number":
                    sound = is_number(cell) and math.isfinite(float(bare))
                    if sound and float(bare) != 0.0:
                        x[name] = float(bare)
                else:
                    sound = True
                    x[f"{name}={cell}"] = 1.0
                if not sound:
                    x = None
                    break
        rows.append(Row(line, x, None if x is None else y == 1.0))
    return rows


def check_against_twin(
    path: Path, content: bytes, rows: list[Row], stream: Any, strict: Any
) -> None:
    """Compare a stream that skips, and one that does not, with what the twin read."""
    path.write_bytes(content)
    sound = [row for row in rows if row.x is not None]
    if not sound:
        with pytest.raises(StreamError, match="at least one example"):
            list(stream)
    else:
        found = []
        for block in stream.blocks():
            for row in range(block.first, block.last):
                where = int(block.where(row).rpartition(":")[2])
                x = block.rows.row(row)
                found.append((where, list(x.items()), bool(block.labels[row])))
        expected = [
            (row.line, list(row.x.items()), row.y) for row in sound if row.x is not None
        ]
        assert found == expected
    assert stream.skipped == len(rows) - len(sound)
    bad = next((row.line for row in rows if row.x is None), None)
    if bad is not None:
        got: list[Any] = []
        with pytest.raises(LineError) as caught:
            deque(map(got.append, strict))
        assert caught.value.line == bad
        assert got == [(row.x, row.y) for row in rows if row.line < bad]


PIECES = st.sampled_from(
    [
        *('"', '"', '""', ",", ",", ",", "\n", "\n", "\r", "\r\n", ";", " ", "\t"),
        *("0", "1", "1,", "\n1,", "-2.5", "1e3", "1e999", "inf", "NA", "nan", "?", "."),
        *("a", "b=c", "é", "€", "🙂", "\0", "0.1234567", "12345678.12345678", "-", "+"),
        *('"x,y"', '"x\ny"', '"a""b"', ',"\n', "0.30471707975443135", "-0", "5."),
    ]
)


@tried(5)
@given(
    pieces=st.lists(PIECES, max_size=40),
    broken=st.booleans(),
    kinds=st.tuples(*[st.sampled_from(["number", "category"])] * 2),
    missing=st.sampled_from(["leave out", "refuse", "literal"]),
    buffer=st.sampled_from([8, 32, 1 << 20]),
    delimiter=st.sampled_from([",", ";"]),
)
@example(['"a\n",c\rd\nE\n'], False, ("number", "category"), "literal", 8, ",")
@example(["1,", "\r", ',"', "\n", '",c,"', "\n"], False, ("category",) * 2, "", 8, ",")
@example(["1,2.", ",3\n1,.5,-.5\n1,+.5,-.e\n"], False, ("number",) * 2, "", 8, ",")
def test_any_bytes_are_read_as_the_twin_reads_them(  # noqa: PLR0917 - what is drawn
    tmp_path_factory: pytest.TempPathFactory,
    pieces: list[str],
    broken: bool,
    kinds: tuple[str, str],
    missing: Any,
    buffer: int,
    delimiter: str,
) -> None:
    missing = missing or "leave out"
    # A sound record first, which tells how many columns there are.
    content = f"1{delimiter}1{delimiter}x\n".encode() + "".join(pieces).encode()
    if kinds[1] == "number":
        content = content.replace(b"x\n", b"7\n", 1)
    content += b"\xff" if broken else b""
    rows = twin(content, ["x0", "x1", "x2"], 0, ["label", *kinds], missing, delimiter)
    path = tmp_path_factory.mktemp("csv") / "any.csv"
    options: Any = {
        "label": 0,
        "types": {1: kinds[0], 2: kinds[1]},
        "missing": missing,
        "delimiter": delimiter,
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BUFFER", buffer)
        skipping = csv(path, on_error="skip", **options)
        check_against_twin(path, content, rows, skipping, csv(path, **options))


CELLS = st.one_of(
    st.sampled_from(["", "NA", "NaN", "?", " 1", "2 ", "0", "-0.0", "007", "x y", "="]),
    st.integers(-(10**20), 10**20).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=3).map(str),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20
    ),
)
COLUMNS = st.lists(
    st.tuples(
        st.text(st.sampled_from('abcß"\n, '), max_size=3),
        st.booleans(),  # whether only numbers stand there
    ),
    min_size=1,
    max_size=5,
    unique_by=lambda column: column[0],
)


@tried(3)
@given(
    st.data(), COLUMNS, st.sampled_from([*python_csv.list_dialects(), "tab", "minimal"])
)
def test_any_table_is_read_as_the_twin_reads_it(
    tmp_path_factory: pytest.TempPathFactory,
    data: st.DataObject,
    columns: list[tuple[str, bool]],
    dialect: str,
) -> None:
    numbers = CELLS.filter(lambda cell: kind_of([cell]) == "number")
    one = st.tuples(*[numbers if alone else CELLS for _, alone in columns])
    cells = data.draw(st.lists(one, min_size=1, max_size=6))
    labels = [str(t % 2) for t in range(len(cells))]
    names = [*(name for name, _ in columns), "the label"]
    text = io.StringIO()
    delimiter = "\t" if dialect in ("tab", "excel-tab") else ","
    writer = python_csv.writer(
        text,
        delimiter=delimiter,
        lineterminator="\n" if dialect in ("unix", "minimal") else "\r\n",
        quoting=python_csv.QUOTE_ALL if dialect == "unix" else python_csv.QUOTE_MINIMAL,
    )
    writer.writerow(names)
    writer.writerows([*row, y] for row, y in zip(cells, labels, strict=True))
    content = text.getvalue().encode()
    _, *found = records(content, delimiter)
    sound = [read for _, read in found if read is not None]
    kinds = [kind_of([row[j] for row in sound]) for j in range(len(columns))]
    path = tmp_path_factory.mktemp("csv") / "made.csv"
    header = found[0][0] - 1
    body = b"".join(io.BytesIO(content).readlines()[header:])
    rows = [
        row._replace(line=row.line + header)
        for row in twin(
            body, names, len(columns), [*kinds, "label"], delimiter=delimiter
        )
    ]
    options: Any = {"label": "the label", "delimiter": delimiter}
    stream = csv(path, on_error="skip", **options)
    check_against_twin(path, content, rows, stream, csv(path, **options))
    assert stream.types == dict(zip(names, kinds, strict=False))


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("final", [True, False])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str, final: bool) -> None:
    text = FLATS.replace("\n", end)
    path = write(tmp_path, text if final else text.removesuffix(end))
    stream = flats(path)
    assert list(stream) == EXAMPLES
    assert stream.types == {"rooms": "number", "city": "category"}
    assert list(flats(os.fspath(path), types="category"))[1] == (
        {"rooms=3.5": 1.0, "city=Bruges": 1.0},
        False,
    )


def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = FLATS.encode()
    for content in (
        gzip.compress(data),
        zstd.compress(data),
        b"\xef\xbb\xbf" + data,
        b"\n\r\n" + data,
    ):
        assert list(flats(write(tmp_path, content))) == EXAMPLES
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    stream = flats("-")
    assert not stream.repeatable
    assert list(stream) == EXAMPLES


@pytest.mark.parametrize(
    ("name", "delimiter", "given"),
    [
        ("a.csv", ";", None),
        ("a.csv", "|", None),
        ("a.txt", "\t", None),
        ("a.tsv", "\t", None),
        ("a.TSV.gz", "\t", None),
        ("a.csv", "!", "!"),
        ("a.tsv", ",", ","),
    ],
)
def test_the_delimiter_is_given_or_recognised(
    tmp_path: Path, name: str, delimiter: str, given: str | None
) -> None:
    data = ('"a,b|c";y;z\n1;2;x\n').replace(";", delimiter).encode()
    if delimiter == "\t":
        data = data.replace(b'"a,b|c"', b'"a,,,,"')
    path = write(tmp_path, gzip.compress(data) if name.endswith("gz") else data, name)
    stream: Any = csv(path, label=2, header=True, outcome="class", delimiter=given)
    ((x, y),) = stream
    assert (list(x.values()), y) == ([1.0, 2.0], "x")


def test_columns_are_told_by_number_where_there_is_no_header(tmp_path: Path) -> None:
    path = write(tmp_path, "2,Ghent,1\n3,Bruges,0\n")
    assert list(csv(path, label=2)) == [
        ({"x0": 2.0, "x1=Ghent": 1.0}, True),
        ({"x0": 3.0, "x1=Bruges": 1.0}, False),
    ]
    named = csv(path, label="let", header=["rooms", "city", "let"], columns=[1])
    assert [x for x, _ in named] == [{"city=Ghent": 1.0}, {"city=Bruges": 1.0}]
    headed = csv(path, label=2, header=True, columns=0, positive="0")
    assert list(headed) == [({"2": 3.0}, True)]
    told = csv(path, label=2, types={0: "category"})
    assert [list(x) for x, _ in told] == [["x0=2", "x1=Ghent"], ["x0=3", "x1=Bruges"]]


def test_features_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, FLATS)
    assert list(flats(path, columns=["city", "rooms"])) == EXAMPLES
    assert list(flats(path, columns=["city", 0])) == EXAMPLES
    assert [x for x, _ in flats(path, columns="rooms")][:3] == [
        {"rooms": 2.0},
        {"rooms": 3.5},
        {},
    ]


def test_labels_of_every_kind(tmp_path: Path) -> None:
    path = write(tmp_path, "y,x\n1,a\n+1.0,b\n-1,c\n")
    assert [y for _, y in csv(path, label="y")] == [True, True, False]
    assert [y for _, y in csv(path, label="y", outcome="class")] == [1, 1.0, -1]
    (block,) = csv(path, label="y", outcome="number").blocks()
    assert block.labels.dtype == np.float64
    assert block.labels.tolist() == [1.0, 1.0, -1.0]
    assert [y for _, y in csv(path, label="y", positive=-1)] == [False, False, True]
    words = write(tmp_path, 'y,x\nyes,a\nno,b\n"maybe",c\n')
    stream = csv(words, label="y", positive=["yes", "maybe"], negative="no")
    assert [y for _, y in stream] == [True, False, True]
    classes = csv(words, label="y", outcome="class")
    learner = MulticlassPerceptron(classes=["yes", "no", "maybe"])
    assert run(learner, classes).rounds == 3


def test_what_is_missing(tmp_path: Path) -> None:
    gone = ["", "NA", "n/a", "NaN", "-nan", "NULL", "None", "?", '""', " "]
    lines = "".join(f"1,{cell},{cell}\n" for cell in gone)
    path = write(tmp_path, f"y,n,c\n1,3,x\n{lines}")
    found = [list(x) for x, _ in csv(path, label="y")]
    assert found == [["n", "c=x"]] + [
        [f"c={cell}"] if cell not in ("", '""') else [] for cell in gone
    ]
    found = [list(x) for x, _ in csv(path, label="y", missing="literal")]
    assert found[1:3] == [["n=?", "c=?"], ["n=?", "c=NA"]]
    with pytest.raises(LineError, match=":3: column 'n' must have no missing cell"):
        list(csv(path, label="y", missing="refuse"))


def test_types_are_told_by_the_first_thousand_records(tmp_path: Path) -> None:
    def column(cells: list[str]) -> dict[str, str]:
        text = "y,x\n" + "".join(f"1,{cell}\n" for cell in cells)
        stream = csv(write(tmp_path, text), label="y", on_error="skip")
        list(stream)
        return stream.types

    assert column(["1"] * 999 + ["z"]) == {"x": "category"}
    assert column(["1"] * 1000 + ["z"]) == {"x": "number"}
    # What is no record tells nothing.
    assert column(["1", 'a"b,c'] * 999 + ["z"]) == {"x": "category"}
    assert column(["", "NA"]) == {"x": "number"}
    assert column(["inf", "1e999", "2"]) == {"x": "number"}


class Trickle(io.RawIOBase):
    """A few bytes at a time; after the first record, not before somebody says so."""

    def __init__(self, content: bytes, first: int) -> None:
        self._content, self._first = content, first
        self.go_on = threading.Event()

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Hand over the next bytes."""
        if self._first <= 0:
            self.go_on.wait()
        count = min(len(buffer), 7 if self._first <= 0 else self._first)
        piece, self._content = self._content[:count], self._content[count:]
        buffer[: len(piece)] = piece
        self._first -= len(piece)
        return len(piece)


def test_a_pipe_that_trickles_tells_the_same_types(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = b"label,x\n" + b"1,2\n" * 999 + b"0,z\n" * 3
    for asked, feature in (
        ({}, "x=2"),
        ({"types": {"x": "category"}}, "x=2"),
        ({"types": "category"}, "x=2"),
        ({"literals": True}, "x=2"),
        ({"thresholds": {"x": 1}, "on_error": "skip"}, "x>=1"),
    ):
        pipe = Trickle(content, 12)
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=pipe))
        options: Any = {"columns": "x"} | asked
        rounds = iter(csv("-", label="label", **options))
        if not asked:  # 1000 records decide, of which the last has a text
            pipe.go_on.set()
        assert next(rounds) == ({feature: 1.0}, True)
        pipe.go_on.set()
        assert len(list(rounds)) == (998 if "thresholds" in asked else 1001)


def test_blank_lines_before_the_header_decide_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, "\n\r\n" * 9 + "a;let\n2;1\n")
    for size in (8, 1 << 20):
        monkeypatch.setattr(module, "_BUFFER", size)
        assert list(csv(path, label="let")) == [({"a": 2.0}, True)]
        with pytest.raises(LineError, match=":19: the header must have a column 'y'"):
            list(csv(path, label="y"))


# That it is the same whichever way it is played -----------------------------------


def many_records(rows: int) -> str:
    rng = np.random.default_rng(1)
    lines = ["y,a,b,c,d,e\n"]
    for _ in range(rows):
        a, b = rng.normal(size=2).round(int(rng.integers(0, 12)))
        word = "word" * int(rng.integers(0, 7)) + str(rng.integers(30))
        cell = '"quoted ""so"",\nand on"' if rng.random() < 0.2 else "plain"
        last = ["", "NA", "0", "5"][rng.integers(4)]
        lines.append(f"{int(a + b > 0)},{a},{b:g},{word},{cell},{last}\n")
    return "".join(lines)


def plain_cell(rng: np.random.Generator, kind: str, odd: float) -> str:
    """Return a plain cell, or with this chance an odd one."""
    if kind == "label":
        return str(
            rng.choice(["0", "1", "+1", "1.0", "5"], p=[0.5, 0.485, *[0.005] * 3])
        )
    if rng.random() < odd:
        return str(
            rng.choice(
                [
                    *("", "0", "-0.0", ".", "-", "1e-5", " 7 ", "NA", "123456789"),
                    *("0.123456789", "1.2.3", "12-3", "inf", "x", '"2.5"', '"a ""b"""'),
                    *("é", "sixteen bytes of", "sixteen bytes of 2", '"two\nlines"'),
                ]
            )
        )
    if kind == "category":
        # A few names share their places in what is known of short texts.
        return f"{rng.integers(3)}{'ab' * rng.integers(8)}{rng.integers(500)}"[:16]
    digits = f"{rng.integers(10 ** rng.integers(1, 9))}"
    at = rng.integers(len(digits) + 1) if rng.random() < 0.7 else len(digits)
    sign = "-" if rng.random() < 0.3 else ""
    return sign + digits[:at] + ("." if at < len(digits) else "") + digits[at:]


@pytest.mark.parametrize("odd", [0.0, 0.005, 0.1])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("kinds", "count"),
    [
        (["number"] * 11 + ["label"], 300),
        (["label", *["category"] * 3, *["number"] * 5, *["category"] * 2], 700),
        (["number", "category", "label"] + ["number", "number", "category"] * 2, 500),
        (["label", *["number"] * 2_000], 8),
    ],
)
def test_long_tables_are_read_as_the_twin_reads_them(
    tmp_path: Path, kinds: list[str], count: int, end: str, odd: float
) -> None:
    rng = np.random.default_rng(len(kinds))
    lines = []
    for _ in range(count):
        cells = [plain_cell(rng, kind, odd) for kind in kinds]
        if rng.random() < odd / 3:
            cells.pop()
        lines.append(",".join(cells) + ("\n" if rng.random() < odd else end))
    content = "".join(lines).encode()
    names = [f"x{place}" for place in range(len(kinds))]
    label = kinds.index("label")
    rows = twin(content, names, label, kinds)
    options: Any = {
        "label": label,
        "header": names,
        "delimiter": ",",
        "types": {at: kind for at, kind in enumerate(kinds) if kind != "label"},
    }
    path = tmp_path / "long.csv"
    skipping = csv(path, on_error="skip", **options)
    check_against_twin(path, content, rows, skipping, csv(path, **options))


@pytest.mark.parametrize("hash_bits", [None, 6])
@pytest.mark.parametrize("buffer", [100, 1 << 12, 1 << 20])
def test_file_and_examples_give_the_same_record_and_bits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    buffer: int,
    hash_bits: int | None,
) -> None:
    monkeypatch.setattr(module, "_BUFFER", buffer)
    path = write(tmp_path, many_records(1_500))
    types: Any = {"a": "number", "b": "number", "e": "number"}
    options: Any = {"label": "y", "types": types | {"c": "category", "d": "category"}}
    stream = csv(path, **options, hash_bits=hash_bits)
    learners = [Perceptron(bias=1.0, normalize=True) for _ in range(2)]
    record = run(learners[0], stream, passes=2, digest=True)
    assert record == run(learners[1], list(stream), passes=2, digest=True)
    assert bits(learners[0].weights_) == bits(learners[1].weights_)
    assert list(learners[0].weights_) == list(learners[1].weights_)
    assert (record.rounds, record.mistakes > 10) == (3_000, True)
    if hash_bits is None:
        plain = Digest()
        for x, y in list(stream) * 2:
            plain.add(x, y)
        assert record.digest == str(plain)
    else:
        outside = hashed(csv(path, **options), hash_bits)
        assert list(outside) == list(stream)
        assert outside.collisions == stream.collisions > 0


def test_a_bad_record_leaves_no_name_behind(tmp_path: Path) -> None:
    path = write(tmp_path, "y,c,n\n1,a,1\n1,b,z\n0,a,2\n")
    learner = Perceptron()
    stream = csv(path, label="y", types={"n": "number"}, on_error="skip")
    run(learner, stream)
    assert stream.skipped == 1
    block = next(stream.blocks())
    assert [block.rows.row(t) for t in range(2)] == [
        {"c=a": 1.0, "n": 1.0},
        {"c=a": 1.0, "n": 2.0},
    ]
    assert set(learner.weights_) == {"c=a", "n"}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("path", "options", "most"),
    [
        ("airlines-5pct/airlines_5pct.csv.gz", {"label": "Delay"}, 0.5),
        ("magic04/magic04.csv.gz", {"label": "class", "positive": "g"}, 0.4),
        (
            "vote/house-votes-84.csv.gz",
            {"label": "class", "positive": "democrat"},
            0.15,
        ),
        ("agaricus/agaricus-lepiota.csv.gz", {"label": "class", "positive": "p"}, 0.02),
    ],
)
def test_real_tables_are_read_as_python_reads_them(
    path: str, options: Any, most: float
) -> None:
    found = data_file(path)
    stream = csv(found, **options)
    with gzip.open(found, "rt", newline="") as file:
        reader = python_csv.reader(file, strict=True)
        names = next(reader)
        rows = list(reader)
    label = names.index(options["label"])
    kinds = [kind_of([row[j] for row in rows[:1000]]) for j in range(len(names))]
    expected = []
    for row in rows:
        x = {}
        for name, kind, cell in zip(names, kinds, row, strict=True):
            if name == names[label] or cell == "":
                continue
            if kind == "category":
                x[f"{name}={cell}"] = 1.0
            elif float(cell):
                x[name] = float(cell)
        expected.append((x, row[label] == options.get("positive", "1")))
    assert list(stream) == expected
    assert run(Perceptron(normalize=True, bias=1.0), stream).rate < most


# What is refused ------------------------------------------------------------------

TWO = (
    "column 'n' must contain numbers, as its first cells do, got 'two'; "
    "types={'n': 'category'} reads texts"
)
BAD_RECORDS = [
    ("1,2", "a record must have 3 columns, as the header has, got 2", None),
    ("1,2,c,", "a record must have 3 columns, as the header has, got 4", None),
    ("2,2,c", "label 'y' must be 1, 0 or -1, got '2'; positive= names", "y"),
    (",2,c", "label 'y' must be 1, 0 or -1, got ''", "y"),
    ("1,two,c", TWO, "n"),
    ("1,1 2,c", "column 'n' must contain numbers, as its first cells do, got", "n"),
    ("1,inf,c", "column 'n' must contain finite numbers, got 'inf'", "n"),
    ("1,-1e999,c", "column 'n' must contain finite numbers, got '-1e999'", "n"),
    ('1,2,"c"d', "a quoted cell must be followed by ',' or the end of the line", None),
    ("1,2\r,c", "a line must end in LF or CR LF, got a CR alone", None),
    ("1,2,c\0", "a record must not contain a NUL byte", None),
    ("1,2,c\udcff", "the file must be UTF-8", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "what", "column"), BAD_RECORDS)
def test_a_bad_record_is_named_and_the_rounds_before_it_are_played(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    what: str,
    column: str | None,
) -> None:
    monkeypatch.setattr(records_module, "_LOOKED_AT", 2)
    bad = line.encode(errors="surrogateescape")
    path = write(tmp_path, b'y,n,c\n0,1,"a\nb"\n\n1,2,b\n' + bad + b"\n0,3,c\n")
    learner = Perceptron()
    with pytest.raises(LineError) as caught:
        run(learner, csv(path, label="y"))
    error = caught.value
    assert str(error).startswith(f"{path}:6: {what}")
    assert str(error).endswith("; 2 rounds played")
    assert (error.path, error.line, error.column) == (str(path), 6, column)
    assert error.text.startswith(line[:2])
    assert learner.weights_ == {"n": 1.0, "c=a\nb": -1.0, "c=b": 1.0}
    stream: Any = csv(path, label="y", on_error="skip")
    assert [x["n"] for x, _ in stream] == [1.0, 2.0, 3.0]
    assert stream.skipped == 1


LINES = [
    f"{i % 2},the {i} days of the year,red,the same four words\n" for i in range(60)
]


def test_a_column_of_texts_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text("y,text,colour,again\n" + "".join(LINES))
    with pytest.warns(ReadingWarning, match="column 'text' looks like text") as all_:
        examples = list(csv(path, label="y"))
    assert len(all_) == 1
    assert "text=the 3 days of the year" in examples[3][0]


def test_numbers_that_only_people_read_are_warned_of(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "y;share;price;size;day;code;n\n"
        "1;10%;$1,000;2,5;2024-01-02;7;1\n"
        "0;2.5 %;;0,25;2024-01-03;a7;2\n",
    )
    with pytest.warns(ReadingWarning) as caught:
        examples = list(csv(path, label="y"))
    said = [str(warning.message) for warning in caught]
    told = "read as a word, which tells nothing about later ones; what matters of it"
    assert f"column 'day' has dates such as '2024-01-02', and each is {told}" in said[3]
    assert [text.split(", but")[0] for text in said[:3]] == [
        "column 'share' has numbers such as '10%'",
        "column 'price' has numbers such as '$1,000'",
        "column 'size' has numbers such as '2,5'",
    ]
    assert "share=10%" in examples[0][0]
    assert len(list(csv(path, label="y", types="category"))) == 2  # as was asked for


@pytest.mark.parametrize("options", [{"types": {"text": "category"}}, {"literals": 1}])
def test_texts_are_not_warned_of_where_they_were_asked_for(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    path = tmp_path / "mail.csv"
    path.write_text("y,text,colour,again\n" + "".join(LINES))
    assert len(list(csv(path, label="y", **options))) == 60
    path.write_text("y,text,colour,again\n" + "".join(LINES[:40]))  # too few to tell
    assert len(list(csv(path, label="y"))) == 40


def test_a_number_that_types_say_there_is(tmp_path: Path) -> None:
    path = write(tmp_path, "y,n\n1,a\n")
    with pytest.raises(
        LineError, match="'n' must contain numbers, as types says, got 'a'"
    ):
        list(csv(path, label="y", types="number"))


def test_labels_and_outcomes_that_are_none(tmp_path: Path) -> None:
    path = write(tmp_path, "y,n\nperhaps,1\n,2\n")
    with pytest.raises(
        LineError, match=":2: label 'y' must be one of 'yes', 'no', got"
    ):
        list(csv(path, label="y", positive="yes", negative="no"))
    for options in ({"positive": "yes"}, {"outcome": "class"}):
        with pytest.raises(LineError, match=":3: label 'y' must not be empty, got ''"):
            list(csv(path, label="y", **options))  # type: ignore[arg-type]  # one option at a time
    with pytest.raises(LineError, match=":2: outcome 'y' must be a finite number, got"):
        list(csv(path, label="y", outcome="number"))
    mixed = write(tmp_path, "y,n\n0,1\n1,2\n-1,3\n")
    with pytest.raises(LineError, match=":4: labels must be 0 and 1 or -1 and \\+1"):
        list(csv(mixed, label="y"))


def test_a_mark_left_open_spoils_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, 'y,n\n1,1\n1,"2\n1,3\n1,4\n')
    with pytest.raises(LineError, match=":3: a quotation mark must be closed, but the"):
        list(csv(path, label="y"))
    stream: Any = csv(path, label="y", on_error="skip")
    assert [x["n"] for x, _ in stream] == [1.0, 3.0, 4.0]
    # A file that goes on for long is not read to its end.
    monkeypatch.setattr(module, "_BUFFER", 64)
    monkeypatch.setattr(module, "LONGEST_LINE", 256)
    path = write(
        tmp_path, 'y,n\n1,1\n1,"2\n' + "1,3\n" * 500 + "1," + "9" * 999 + "\n1,4"
    )
    with pytest.raises(LineError, match=":3: a line or record must be shorter than"):
        list(csv(path, label="y", types="number"))
    stream = csv(path, label="y", types="number", on_error="skip")
    assert [x["n"] for x, _ in stream] == [1.0, *[3.0] * 500, 4.0]
    assert stream.skipped == 2


@pytest.mark.parametrize(
    ("content", "options", "what"),
    [
        ("", {}, "1: the first line must be a header, got nothing"),
        ("\n\n", {}, "1: the first line must be a header, got nothing"),
        ("a,b\n", {}, "1: the header must have a column 'y', got 'a', 'b'"),
        ("y\n1\n", {}, "1: there must be a column beside the label, got 'y'"),
        ("y,a,a\n", {}, "1: the header must name each column once, got 'a' twice"),
        ("y,a,a=b\n", {}, "1: no column name may begin with another one and '='"),
        ("y,a\n", {"columns": [2]}, "1: the header must have a column 2"),
        ("y,a\n", {"columns": [1, "a"]}, "1: columns must be without duplicates"),
        ("y,a\n", {"types": {"b": "number"}}, "1: the header must have a column 'b'"),
        ("y,a,b\n", {"columns": "a", "types": {"b": "number"}},
         "1: types and thresholds must be given for columns that are read, and once"),
        ("y,\xff\n", {}, "1: the file must be UTF-8"),
        ('\ny,"a"b\n', {}, "2: a quoted cell must be followed by ',' or the end of"),
        ('y,"a\n', {}, "1: a quotation mark must be closed, but the file ends"),
        ("1,2\n", {"label": 2}, "1: the first record must have a column 2, got 2"),
        ('1,"2"3\n', {"label": 0, "on_error": "raise"}, "1: a quoted cell must be"),
        ("1,2\n", {"label": "y", "header": ["y", "a", "b"], "on_error": "raise"},
         "1: a record must have 3 columns, as the header has, got 2"),
    ],
)  # fmt: skip
def test_a_bad_beginning(tmp_path: Path, content: str, options: Any, what: str) -> None:
    path = write(tmp_path, content.encode("latin-1"))
    with pytest.raises(LineError) as caught:
        list(csv(path, **({"label": "y", "on_error": "skip"} | options)))
    assert str(caught.value).startswith(f"{path}:{what}")


def test_what_holds_no_sound_record(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "_BUFFER", 16)
    path = write(tmp_path, '"a"b,1\n' * 20 + "1,x\n0,y\n")
    stream = csv(path, label=0, on_error="skip", types="category")
    assert list(stream) == [({"x1=x": 1.0}, True), ({"x1=y": 1.0}, False)]
    assert stream.skipped == 20
    path = write(tmp_path, "y,n\n")
    with pytest.raises(StreamError, match="must hold at least one example, got none"):
        list(csv(path, label="y"))


def test_each_reading_learns_the_columns_anew(tmp_path: Path) -> None:
    path = write(tmp_path, FLATS)
    stream = flats(path)
    assert list(stream) == EXAMPLES
    write(tmp_path, "city,let,rooms\nGhent,yes,few\n")
    assert list(stream) == [({"city=Ghent": 1.0, "rooms=few": 1.0}, True)]
    write(tmp_path, "\n")
    with pytest.raises(LineError, match="must be a header, got nothing"):
        list(stream)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        list(flats(tmp_path / "none.csv"))
    with pytest.raises(TruncatedError):
        list(flats(write(tmp_path, gzip.compress(FLATS.encode())[:-12])))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"label": -1}, "label must be column numbers from 0, or names if there is a"),
        ({"label": 0, "columns": "a"}, "columns must be column numbers from 0, or"),
        ({"columns": []}, "columns must be one or more columns without duplicates and"),
        (
            {"columns": ["y"]},
            "columns must be one or more columns without duplicates and",
        ),
        ({"types": "text"}, "types must be 'number' or 'category', for all columns"),
        ({"types": {"a": "text"}}, "types must be 'number' or 'category'"),
        ({"delimiter": ",,"}, "delimiter must be one ASCII character"),
        ({"delimiter": "1"}, "delimiter must be one ASCII character"),
        ({"delimiter": "é"}, "delimiter must be one ASCII character"),
        ({"header": False}, "label must be a column number if there is no header"),
        ({"header": "y,a"}, "header must be True, False or the names of the columns"),
        ({"header": []}, "header must be True, False or the names of the columns"),
        ({"missing": "sleep"}, "missing must be 'leave out', 'refuse' or 'literal'"),
        ({"outcome": "all"}, "outcome must be 'label', 'class' or 'number', got 'all'"),
        ({"negative": "no"}, "positive must be given if negative is, got 'no' alone"),
        ({"positive": "a", "negative": ["b", "a"]}, "a label must mean either yes or"),
        ({"positive": []}, "positive must be one or more labels without duplicates"),
        (
            {"positive": "a", "outcome": "number"},
            "positive must be left out with outcome='number', got 'a'",
        ),
        ({"on_error": "stop"}, "on_error must be 'raise' or 'skip', got 'stop'"),
        ({"hash_bits": 0}, "hash_bits must be a whole number from 1 to 24, got 0"),
    ],
)
def test_parameters_are_checked(options: Any, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        csv("none.csv", **({"label": "y"} | options))
    assert str(caught.value).startswith(f"csv: {what}")


def test_tens_of_thousands_of_columns_are_read_in_no_time(tmp_path: Path) -> None:
    # Looking each name up among all others took 15 seconds; `make soak` measures it.
    names = [f"c{column}" for column in range(40_000)]
    path = tmp_path / "wide.csv"
    path.write_text(f"{','.join(names)},y\n{'0,' * 39_999}2,1\n")
    stream = csv(path, label="y", types={"c39999": "number"})
    assert list(stream) == [({"c39999": 2.0}, True)]
    assert stream.types["c0"] == "number"


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("a,a=b,a=b=c,y", "got 'a=b' and 'a'"),
        ("b=c,b,a,y", "got 'b=c' and 'b'"),
        (f"{'=' * 50_000},a,y", ""),
    ],
)
def test_names_that_begin_with_others(tmp_path: Path, header: str, what: str) -> None:
    path = tmp_path / "names.csv"
    path.write_text(f"{header}\n{'1,' * header.count(',')}1\n")
    if not what:
        assert len(list(csv(path, label="y"))) == 1
        return
    with pytest.raises(LineError, match=what):
        list(csv(path, label="y"))


def test_a_header_that_is_read_as_an_example_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text("links,kind\n" + "3,spam\n0,ham\n" * 3)
    with pytest.warns(ReadingWarning, match="like a header.* name is perhaps 'kind'"):
        assert len(list(csv(path, label=1, positive="spam"))) == 7
    with pytest.raises(LineError, match="got 'kind'; label= by its name reads"):
        list(csv(path, label=1))
    assert len(list(csv(path, label="kind", positive="spam"))) == 6
    path.write_text("3,spam\n0,ham\n" * 3)
    assert len(list(csv(path, label=1, positive="spam"))) == 6
