"""The cells of a CSV file come as they are written, and labels as truth values."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import (
    FeatureError,
    LineError,
    LittlestoneError,
    MissingFileError,
    ParameterError,
    StreamError,
    TruncatedError,
)
from littlestone.linear import Perceptron
from littlestone.streams import cells, hashed
from tries import tried

# Where the sizes of buffers and blocks are set.
tables = import_module("littlestone.streams._tables")
records = import_module("littlestone.streams._records")

MUSHROOMS = "class,odor,root\np,foul,?\n\ne,none,\np, foul ,bulb\n"
EXAMPLES: list[Any] = [
    ({"odor": "foul", "root": "?"}, True),
    ({"odor": "none", "root": ""}, False),
    ({"odor": " foul ", "root": "bulb"}, True),
]
CHOSEN: Any = {"label": "class", "positive": "p"}


class Listener:
    """Says yes to everything, and keeps what it was told."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def predict_one(self, _: Any) -> bool:
        """Say yes."""
        return True

    def learn_one(self, x: Any, y: Any) -> None:
        """Keep the example."""
        self.told.append((x, y))


def write(folder: Path, content: str | bytes, name: str = "cells.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: Path, **options: Any) -> LineError:
    with pytest.raises(LineError) as caught:
        list(cells(path, **options))
    return caught.value


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str) -> None:
    path = write(tmp_path, MUSHROOMS.replace("\n", end))
    stream = cells(path, **CHOSEN)
    assert list(stream) == list(stream) == EXAMPLES
    assert stream.repeatable
    assert repr(stream) == f"cells({str(path)!r})"
    assert all(list(x) == ["odor", "root"] for x, _ in stream)


def test_columns_may_be_chosen_by_name_or_number(tmp_path: Path) -> None:
    path = write(tmp_path, MUSHROOMS)
    for columns in ("root", 2, ["root"], (2,)):
        kept = [x for x, _ in cells(path, columns=columns, **CHOSEN)]
        assert kept == [{"root": "?"}, {"root": ""}, {"root": "bulb"}]
    backwards: Any
    (backwards, _), *_ = cells(path, columns=["root", 1], **CHOSEN)
    assert list(backwards.items()) == [("root", "?"), ("odor", "foul")]


def test_without_a_header_columns_are_known_by_number(tmp_path: Path) -> None:
    path = write(tmp_path, "x,p,y\nz,e,w\n")
    stream = cells(path, label=1, positive="p")
    assert list(stream) == [({0: "x", 2: "y"}, True), ({0: "z", 2: "w"}, False)]
    stream = cells(path, label=1, positive="p", columns=2)
    assert [x for x, _ in stream] == [{2: "y"}, {2: "w"}]


def test_labels_may_be_several_texts_or_whole_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, "y,a\n1,x\n2,x\n3,x\n4,x\n")

    def said(**meaning: Any) -> list[bool]:
        return [y for _, y in cells(path, label="y", **meaning)]

    assert said(positive=1) == [True, False, False, False]
    assert said(positive="1") == [True, False, False, False]
    assert said(positive=["1", 3]) == [True, False, True, False]
    assert said(positive={3, 4}, negative=["1", 2]) == [False, False, True, True]


def test_blocks_hold_mappings_and_labels(tmp_path: Path) -> None:
    path = write(tmp_path, MUSHROOMS)
    (block,) = cells(path, **CHOSEN).blocks()
    assert len(block.rows) == 3
    assert [block.rows.row(row) for row in range(3)] == [x for x, _ in EXAMPLES]
    assert block.rows.nonzeros(1) == 2
    assert block.labels.dtype == np.bool_
    assert block.labels.tolist() == [True, False, True]
    assert (block.first, block.last, block.done) == (0, 3, 1.0)
    assert [block.where(row) for row in range(3)] == [f"{path}:{n}" for n in (2, 4, 5)]


def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = MUSHROOMS.encode()
    for content in (
        gzip.compress(data),
        zstandard.compress(data),
        b"\xef\xbb\xbf" + data,
        b"\n\r\n" + data,
        data.rstrip(),
    ):
        assert list(cells(write(tmp_path, content), **CHOSEN)) == EXAMPLES
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    stream = cells("-", **CHOSEN)
    assert not stream.repeatable
    assert list(stream) == EXAMPLES


def test_other_delimiters(tmp_path: Path) -> None:
    for delimiter in ("\t", ";", "|", "1", "e", "§"):
        path = write(tmp_path, f"y{delimiter}a\np{delimiter}x\n")
        stream = cells(path, label="y", positive="p", delimiter=delimiter)
        assert list(stream) == [({"a": "x"}, True)]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@tried(2)
@given(
    table=st.integers(1, 4).flatmap(
        lambda n: st.lists(
            st.tuples(st.lists(TEXTS, min_size=n, max_size=n), TEXTS),
            min_size=1,
            max_size=12,
        )
    ),
    quoting=st.sampled_from([python_csv.QUOTE_MINIMAL, python_csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
    buffer=st.sampled_from([5, 64, 1 << 18]),
    block=st.sampled_from([1, 3, 4096]),
)
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    table: list[Any],
    quoting: Any,
    end: str,
    delimiter: str,
    buffer: int,
    block: int,
) -> None:
    # Some versions of the writer put no quotation marks around a CR alone.
    unwritten = "\0\r" if quoting == python_csv.QUOTE_MINIMAL else "\0"
    kept = [
        (
            ["".join(c for c in text if c not in unwritten) for text in row],
            "".join(c for c in label if c not in unwritten) or "no",
        )
        for row, label in table
    ]
    positive = kept[0][1]
    text = io.StringIO(newline="")
    writer = python_csv.writer(
        text, quoting=quoting, lineterminator=end, delimiter=delimiter
    )
    names = [f"c{k}" for k in range(len(kept[0][0]))]
    writer.writerow([*names, "y"])
    for row, label in kept:
        writer.writerow([*row, label])
    path = write(tmp_path_factory.mktemp("cells"), text.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_BUFFER", buffer)
        patch.setattr(tables, "_RECORDS_A_BLOCK", block)
        found = list(cells(path, label="y", positive=positive, delimiter=delimiter))
    assert found == [
        (dict(zip(names, row, strict=True)), label == positive) for row, label in kept
    ]


def test_learners_are_given_the_mappings(tmp_path: Path) -> None:
    stream = cells(write(tmp_path, MUSHROOMS), **CHOSEN)
    listener = Listener()
    record = run(listener, stream, passes=2)
    assert listener.told == EXAMPLES * 2
    assert (record.rounds, record.mistakes) == (6, 2)
    what = "round 0: Perceptron: feature 'odor' must be a number, got 'foul'"
    with pytest.raises(FeatureError, match=what):
        run(Perceptron(), stream)
    with pytest.raises(FeatureError, match="feature 'odor' must be a number"):
        list(hashed(stream))


# What is refused ------------------------------------------------------------------


def test_a_label_that_is_neither_yes_nor_no(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y\nq,p\nq,e\nq,x\nq,p\n")
    options: Any = {"label": "y", "positive": "p", "negative": "e"}
    error = refused(path, **options)
    assert str(error) == f"{path}:4: label 'y' must be one of 'p', 'e', got 'x'"
    assert (error.path, error.line, error.text) == (str(path), 4, "q,x")
    assert (error.column, error.value) == ("y", "x")
    stream = cells(path, on_error="skip", **options)
    assert [y for _, y in stream] == [True, False, True]
    assert stream.skipped == 1
    error = refused(path, label="y", positive=list("abcdefghij"), negative="k")
    assert "one of 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', …, got 'p'" in str(error)


def test_a_label_is_never_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y\nq,p\nq,\n")
    error = refused(path, label="y", positive="p")
    assert str(error) == f"{path}:3: label 'y' must not be empty, got ''"
    stream = cells(path, label="y", positive="p", negative="")
    assert [y for _, y in stream] == [True, False]


@pytest.mark.parametrize("block", [1, 2, 4096])
def test_what_went_before_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(tables, "_RECORDS_A_BLOCK", block)
    path = write(tmp_path, "a,y\nq,p\nr,e\nq,x\nq\n")
    listener = Listener()
    with pytest.raises(LineError, match="csv:4: label .*; 2 rounds played"):
        run(listener, cells(path, label="y", positive="p", negative="e"))
    assert listener.told == [({"a": "q"}, True), ({"a": "r"}, False)]
    stream = cells(path, label="y", positive="p", negative="e", on_error="skip")
    assert len(list(stream)) == stream.skipped == 2


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ("p,x,x", "a record must have 2 columns, as the header has, got 3"),
        ("p", "a record must have 2 columns, as the header has, got 1"),
        (b"p,\xff", "what is read must be UTF-8"),
        ("p,\0", "a record must hold no NUL byte"),
        ('p,"x', "a quotation mark must be closed, but the file ends"),
        ('p,"x"y', "after a quoted cell must come ',' or the end of the line"),
    ],
)
def test_records_that_cannot_be_read(
    tmp_path: Path, record: str | bytes, what: str
) -> None:
    raw = record.encode() if isinstance(record, str) else record
    path = write(tmp_path, b"y,a\np,x\n" + raw + b"\n")
    error = refused(path, label="y", positive="p")
    assert str(error).startswith(f"{path}:3: {what}")
    stream = cells(path, label="y", positive="p", on_error="skip")
    assert list(stream) == [({"a": "x"}, True)]
    assert stream.skipped == 1


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "the first line must be a header, got nothing"),
        ("a,b\n1,2\n", "the header must name the column 'y', got 'a', 'b'"),
        ("y\n1\n", "there must be a column beside the label, got only 'y'"),
        ("a,y,a\n1,2,3\n", "the header must name each column once, got 'a' twice"),
    ],
)
def test_headers_that_cannot_be_read(tmp_path: Path, content: str, what: str) -> None:
    error = refused(write(tmp_path, content), label="y", positive="p")
    assert (error.what, error.line) == (what, 1)


def test_sources_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match="nothing there"):
        list(cells(tmp_path / "nothing.csv", **CHOSEN))
    with pytest.raises(StreamError, match="at least one example, got none"):
        list(cells(write(tmp_path, "class,odor\n"), **CHOSEN))
    whole = "class,odor\n" + "p,foul\n" * 50_000
    for content in (
        gzip.compress(whole.encode())[:-30],
        zstandard.compress(whole.encode())[:-3],
    ):
        stream = cells(write(tmp_path, content), **CHOSEN)
        listener = Listener()
        with pytest.raises(TruncatedError, match="end too early"):
            run(listener, stream)
        assert all(told == ({"odor": "foul"}, True) for told in listener.told)


@pytest.mark.parametrize(
    ("parameters", "what"),
    [
        ({"positive": []}, "positive must be one or more texts or whole numbers"),
        ({"positive": True}, "positive must be one or more texts"),
        ({"positive": None}, "positive must be one or more texts"),
        ({"positive": b"p"}, "positive must be one or more texts"),
        ({"positive": 1.0}, "positive must be one or more texts"),
        ({"positive": ["1", 1]}, "each once, got ['1', 1]"),
        ({"negative": ()}, "negative must be one or more texts"),
        ({"negative": ["e", "p"]}, "a label must mean either yes or no, got 'p'"),
        ({"label": True}, "label must be column numbers from 0, or names"),
        ({"label": 0, "columns": "odor"}, "columns must be column numbers from 0"),
        ({"columns": []}, "columns must be one or more, each once and none the label"),
        ({"columns": "class"}, "none the label, got 'class'"),
        ({"delimiter": '"'}, "delimiter must be one character that is no quotation"),
        ({"delimiter": ", "}, "delimiter must be one character"),
        ({"on_error": "pass"}, "on_error must be 'raise' or 'skip', got 'pass'"),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        cells("nothing.csv", **{**CHOSEN, **parameters})
    assert str(caught.value).startswith("cells: ")
    assert what in str(caught.value)
    assert isinstance(caught.value, LittlestoneError)
