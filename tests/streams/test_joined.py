"""Several files in order, patterns, and files told by name and content."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from command import call
from littlestone import run, streams
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import LineError, MissingFileError, ParameterError, StreamError
from littlestone.linear import Perceptron
from littlestone.streams._open import FORMATS

LINES = [f"{t % 2} {1 + t % 7}:{t + 1} 9:0.5\n" for t in range(60)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Make three files that are one in parts, unequal and differently packed."""
    (tmp_path / "part-1.svm").write_text("".join(LINES[:10]))
    (tmp_path / "part-2.svm.gz").write_bytes(
        gzip.compress("".join(LINES[10:45]).encode())
    )
    (tmp_path / "part-3.svm").write_text("".join(LINES[45:]))
    (tmp_path / "part-4").mkdir()
    (tmp_path / "whole.svm").write_text("".join(LINES))
    return tmp_path


def test_files_in_parts_are_as_one(files: Path) -> None:
    whole = streams.svmlight(files / "whole.svm")
    several = ["part-1.svm", "part-2.svm.gz", "part-3.svm"]
    for stream in (
        streams.svmlight(files / "part-*"),
        streams.svmlight(str(files / "**" / "part-*")),
        streams.svmlight([files / name for name in several]),
        streams.svmlight([files / "part-[12]*", str(files / "part-3.svm")]),
        streams.open(files / "part-*"),
        streams.joined([streams.svmlight(files / name) for name in several]),
    ):
        assert list(stream) == list(whole)
        expected = run(Perceptron(), whole, digest=True, passes=2)
        assert run(Perceptron(), stream, digest=True, passes=2) == expected


def test_the_order_is_that_of_the_list(files: Path) -> None:
    stream = streams.svmlight([files / "part-3.svm", files / "part-1.svm"])
    assert [x for x, _ in stream] == [
        x
        for name in ("part-3.svm", "part-1.svm")
        for x, _ in streams.svmlight(files / name)
    ]


def test_one_path_is_read_as_ever(files: Path) -> None:
    for path in (files / "whole.svm", [files / "whole.svm"], files / "who*"):
        assert repr(streams.svmlight(path)).startswith("svmlight(")


def test_a_name_that_looks_like_a_pattern_is_a_name(tmp_path: Path) -> None:
    (tmp_path / "a[1].svm").write_text("1 1:1\n")
    (tmp_path / "a1.svm").write_text("0 2:1\n")
    assert list(streams.svmlight(tmp_path / "a[1].svm")) == [({1: 1.0}, True)]


def test_shares_follow_the_sizes(files: Path) -> None:
    (files / "a.svm").write_text("".join(LINES[:10]))
    (files / "b.svm").write_text("".join(LINES[:10]) * 9)
    stream = streams.svmlight([files / "a.svm", files / "b.svm"])
    assert [block.done for block in stream.blocks()] == [0.1, 1.0]
    memory = streams.arrays([[1.0]], [1])
    mixed = streams.joined([stream, memory])
    assert [block.done for block in mixed.blocks()] == [None] * 3


def test_errors_name_the_file_and_the_line(files: Path) -> None:
    (files / "part-3.svm").write_text("1 1:1\n0 2:x\n")
    stream = streams.svmlight(files / "part-*")
    with pytest.raises(LineError, match="part-3.svm:2") as caught:
        run(Perceptron(), stream)
    assert caught.value.rounds == 46
    lenient = streams.svmlight(files / "part-*", on_error="skip")
    assert run(Perceptron(), lenient).rounds == 46
    assert lenient.skipped == 1


def test_a_missing_file_is_refused_before_the_first_is_read(files: Path) -> None:
    stream = streams.svmlight([files / "part-1.svm", files / "gone.svm"])
    with pytest.raises(MissingFileError, match="gone.svm") as caught:
        run(Perceptron(), stream)
    assert caught.value.rounds == 0


def test_hashing_is_that_of_the_whole(files: Path) -> None:
    whole = streams.svmlight(files / "whole.svm", hash_bits=3)
    parts = streams.svmlight(files / "part-*", hash_bits=3)
    assert list(parts) == list(whole)
    assert (parts.buckets, parts.collisions) == (whole.buckets, whole.collisions)
    assert parts.bucket(9) == whole.bucket(9)
    assert list(parts.blocks())[-1].done == 1.0


def test_text_cells_and_advice_in_parts(tmp_path: Path) -> None:
    (tmp_path / "1.tsv").write_text("y\tt\n1\ta b\n")
    (tmp_path / "2.tsv").write_text("t\ty\nb c\t0\n")
    read = streams.text(tmp_path / "*.tsv", label="y")
    assert list(read) == [({"a": 1.0, "b": 1.0}, True), ({"b": 1.0, "c": 1.0}, False)]
    (tmp_path / "1.csv").write_text("y,a\n1,2\n")
    (tmp_path / "2.csv").write_text("y,a\n0,3\n")
    cells = streams.cells(tmp_path / "*.csv", label="y", positive="1")
    assert run(ConjunctionLearner(), streams.onehot(cells)).rounds == 2
    assert list(streams.onehot(cells)) == [({"a=2": 1.0}, True), ({"a=3": 1.0}, False)]
    advice = streams.csv(tmp_path / "*.csv", label="y")
    assert list(advice) == [({"a": 2.0}, 1.0), ({"a": 3.0}, 0.0)]
    (tmp_path / "2.csv").write_text("y,b\n0,3\n")
    with pytest.raises(ParameterError, match="the column 'a' must be there"):
        list(streams.onehot(cells, columns="a"))


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: streams.svmlight("no/*.svm"), MissingFileError, "no/*.svm: a pattern"),
        (lambda: streams.svmlight([]), ParameterError, "must have a path"),
        (lambda: streams.svmlight(7), ParameterError, "must have a path"),  # type: ignore[arg-type]  # refused
        (lambda: streams.joined([]), ParameterError, "must be one or more"),
        (lambda: streams.joined([[]]), ParameterError, "must be of littlestone"),  # type: ignore[list-item]  # refused
        (
            lambda: streams.joined(
                [streams.arrays([[1.0]], [1]), streams.advice([[1.0]], [1])]
            ),
            ParameterError,
            "all with features",
        ),
    ],
)
def test_what_cannot_be_joined_is_refused(make: Any, error: Any, says: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert says in str(caught.value)


# Telling formats ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("+1 3:1 5:0.5\n-1 2:1e-3 # so\n", "svmlight"),
        ("\ufeff# head\n\nspam qid:3 3:1\nham 7:-.5\n1\n", "svmlight"),
        ("3 1:1", "svmlight"),
        ("1 |a b:2 c\n-1 2.0 'tag| d\n| e\n", "vw"),
        ('{"label": 1, "a": 2}\n{"label": 0}\n', "jsonl"),
        ("y,a\n1,2\n0,3\n", "table"),
        ('y\ta\n1\t"2\t3"\n0\t3\n', "table"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_the_first_lines_tell(
    tmp_path: Path, text: str, name: str, packed: bool
) -> None:
    path = tmp_path / "examples"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert repr(streams.open(path, **OPTIONS.get(name, {}))).startswith(name)


OPTIONS: dict[str, dict[str, Any]] = {
    "svmlight": {"outcome": "class"},
    "text": {"label": 0},
    "table": {"label": 0},
    "parquet": {"label": "y"},
    "arrow": {"label": "y"},
}


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: each.name)
def test_the_name_tells(each: Any) -> None:
    for ending in each.endings:
        for packed in ("", ".gz", ".zst", ".GZ"):
            stream = streams.open(f"a{ending}{packed}", **OPTIONS.get(each.name, {}))
            assert type(stream) is type(each.make("a", **OPTIONS.get(each.name, {})))


@pytest.mark.parametrize(
    "text", ["", "\n", "Call me Ishmael.\n", "1 2 3\n", "1 a:1\n", "\0\1\2"]
)
def test_what_is_not_told_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "examples"
    path.write_text(text)
    with pytest.raises(StreamError, match="must tell a format") as caught:
        streams.open(path)
    message = str(caught.value)
    assert str(path) in message
    assert "format= must name one: " in message
    assert all(each.name in message for each in FORMATS)
    path.write_text("1 1:1\n")
    assert list(streams.open(path, format="svmlight")) == [({1: 1.0}, True)]


def test_a_long_line_does_not_hide_the_format(tmp_path: Path) -> None:
    path = tmp_path / "examples"
    path.write_text("1 1:1\n" + "0" + "".join(f" {i}:1" for i in range(1, 20_000)))
    assert len(list(streams.open(path))) == 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: streams.open("-"), "format must be told for standard input, one of"),
        (lambda: streams.open("a", format="xml"), "format must be one of parquet"),
        (lambda: streams.open("a.svm", label=3), "label is no option of svmlight"),
        (lambda: streams.open("a", format="text"), "text needs label="),
        (lambda: streams.open("gone"), "gone: a stream must be an existing file"),
    ],
)
def test_what_open_refuses(make: Any, says: str) -> None:
    with pytest.raises((ParameterError, StreamError), match=says):
        make()


# The command line ---------------------------------------------------------------------


def test_the_command_line_takes_patterns(files: Path) -> None:
    whole = call("run", str(files / "whole.svm"), "--json", "-q")
    parts = call("run", str(files / "part-*"), "--json", "-q")
    assert whole.returncode == parts.returncode == 0
    assert '"rounds": 60' in parts.stdout
    nothing = call("run", str(files / "nothing*"))
    assert nothing.returncode == 2
    assert "a pattern must match at least one file" in nothing.stderr
    taken = files / "part-1.svm"
    kept = taken.read_text()
    refused = call("run", str(files / "part-*"), "--predictions", str(taken))
    assert refused.returncode == 2
    assert "must not be the file that is read" in refused.stderr
    assert taken.read_text() == kept
