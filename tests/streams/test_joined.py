"""Several files in order, patterns, and files told by name and content."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from command import call
from littlestone import run, streams
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import (
    EmptyStreamError,
    LineError,
    MissingFileError,
    ParameterError,
)
from littlestone.linear import Perceptron

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


def test_some_files_may_be_empty(files: Path) -> None:
    for name in ("part-0.svm", "part-2.svm", "part-5.svm"):
        (files / name).write_text("# no mail today\n" if "2" in name else "")
    whole = streams.svmlight(files / "whole.svm")
    assert list(streams.svmlight(files / "part-*")) == list(whole)
    for passes in (1, 2):
        expected = run(Perceptron(), whole, digest=True, passes=passes)
        stream = streams.open(files / "part-*")
        assert run(Perceptron(), stream, digest=True, passes=passes) == expected
    with pytest.raises(EmptyStreamError, match=r"part-0\.svm: .* got none$"):
        list(streams.svmlight([files / "part-0.svm", files / "part-5.svm"]))


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


def test_text_literals_and_forecasts_in_parts(tmp_path: Path) -> None:
    (tmp_path / "1.tsv").write_text("y\tt\n1\ta b\n")
    (tmp_path / "2.tsv").write_text("t\ty\nb c\t0\n")
    read = streams.text(tmp_path / "*.tsv", label="y")
    assert list(read) == [({"a": 1.0, "b": 1.0}, True), ({"b": 1.0, "c": 1.0}, False)]
    (tmp_path / "1.csv").write_text("y,a\n1,2\n")
    (tmp_path / "2.csv").write_text("y,a\n0,3\n")
    literals = streams.csv(tmp_path / "*.csv", label="y", literals=True)
    assert run(ConjunctionLearner(), literals).rounds == 2
    assert list(literals) == [({"a=2": 1.0}, True), ({"a=3": 1.0}, False)]
    forecasts = streams.forecasts(tmp_path / "*.csv", label="y")
    assert list(forecasts) == [({"a": 2.0}, 1.0), ({"a": 3.0}, 0.0)]
    (tmp_path / "2.csv").write_text("y,b\n0,3\n")
    with pytest.raises(LineError, match="2.csv:1: the header must have a column 'a'"):
        list(streams.csv(tmp_path / "*.csv", label="y", columns="a"))


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: streams.svmlight("no/*.svm"), MissingFileError, "no/*.svm: a pattern"),
        (lambda: streams.svmlight([]), ParameterError, "must have a path"),
        (lambda: streams.svmlight(7), ParameterError, "must have a path"),  # type: ignore[arg-type]  # refused
        (lambda: streams.joined([]), ParameterError, "must be one or more"),
        (lambda: streams.joined([[]]), ParameterError, "must be littlestone streams"),  # type: ignore[list-item]  # refused
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
