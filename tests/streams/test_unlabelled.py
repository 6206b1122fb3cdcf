"""Examples without a label: every format refuses, skips or keeps them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from littlestone import run, streams
from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.linear import Perceptron

Make = Callable[..., Any]


def _svmlight(folder: Path, **options: Any) -> Any:
    path = folder / "a.svm"
    path.write_text("1 3:1\n3:2 4:1\nqid:7 5:1\n0 6:1\n")
    return streams.svmlight(path, **options)


def _vw(folder: Path, **options: Any) -> Any:
    path = folder / "a.vw"
    path.write_text("1 | a\n| b\n't| c\n0 | d\n")
    return streams.vw(path, **options)


def _jsonl(folder: Path, **options: Any) -> Any:
    path = folder / "a.jsonl"
    path.write_text(
        '{"label": 1, "a": 1}\n{"a": 2}\n{"label": null, "a": 3}\n{"label": 0, "a": 4}'
    )
    return streams.jsonl(path, **options)


def _csv(folder: Path, **options: Any) -> Any:
    path = folder / "a.csv"
    path.write_text("a,b,y\n1,x,1\n2,x,\n3,x,NA\n4,x,0\n")
    return streams.csv(path, label="y", **options)


def _text(folder: Path, **options: Any) -> Any:
    path = folder / "a.tsv"
    path.write_text("y\ttext\n1\ta\n\tb\nc\n0\td\n")
    return streams.text(path, label="y", **options)


def _forecasts(folder: Path, **options: Any) -> Any:
    path = folder / "f.csv"
    path.write_text("a,b,y\n1,2,1\n1,3,\n1,4,NA\n1,5,0\n")
    return streams.forecasts(path, label="y", **options)


def _arrow(folder: Path, **options: Any) -> Any:  # noqa: ARG001 - as the others
    table = pa.table({"a": [1, 2, 3, 4], "y": [1, None, None, 0]})
    return streams.arrow(table, label="y", **options)


ALL: list[Make] = [_svmlight, _vw, _jsonl, _csv, _text, _forecasts, _arrow]


@pytest.mark.parametrize("make", ALL)
def test_they_are_refused_by_default(make: Make, tmp_path: Path) -> None:
    with pytest.raises(LineError):
        list(make(tmp_path))


@pytest.mark.parametrize("make", ALL)
def test_they_can_be_skipped_and_are_counted(make: Make, tmp_path: Path) -> None:
    stream = make(tmp_path, unlabelled="skip")
    assert [y for _, y in stream] == [True, False]
    assert stream.left_out == 2
    assert stream.skipped == 0


@pytest.mark.parametrize("make", ALL)
def test_they_can_be_kept_with_the_label_none(make: Make, tmp_path: Path) -> None:
    kept = list(make(tmp_path, unlabelled="keep"))
    assert [y for _, y in kept] == [True, None, None, False]
    assert all(x for x, _ in kept)


@pytest.mark.parametrize("make", ALL)
def test_other_ways_are_refused(make: Make, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="'refuse', 'skip' or 'keep', got 'drop'"):
        make(tmp_path, unlabelled="drop")


def test_classes_may_be_missing_too(tmp_path: Path) -> None:
    stream = _text(tmp_path, unlabelled="keep", outcome="class")
    assert [y for _, y in stream] == [1, None, None, 0]


def test_the_column_of_the_label_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("b,a\nx,2\n")
    stream = streams.csv(path, label="y", columns=["a", "b"], unlabelled="keep")
    assert list(stream) == [({"b=x": 1.0, "a": 2.0}, None)]
    with pytest.raises(StreamError, match="must have a column 'y', got 'b', 'a'"):
        list(streams.csv(path, label="y"))
    table = pa.table({"a": [2.0]})
    arrow = streams.arrow(table, label="y", unlabelled="keep")
    assert list(arrow) == [({"a": 2.0}, None)]
    with pytest.raises(ParameterError, match="one column 'y'"):
        list(streams.arrow(table, label="y", unlabelled="skip"))


def test_columns_by_number_keep_their_names_without_the_label(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("7,x\n8,y\n")
    stream = streams.csv(path, label=0, columns=[1, 2], unlabelled="keep")
    assert [x for x, _ in stream] == [
        {"x1": 7.0, "x2=x": 1.0},
        {"x1": 8.0, "x2=y": 1.0},
    ]
    stream = streams.csv(path, label=2, unlabelled="keep")
    assert [x for x, _ in stream] == [
        {"x0": 7.0, "x1=x": 1.0},
        {"x0": 8.0, "x1=y": 1.0},
    ]


def test_text_without_a_header_is_one_document_a_line(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    path.write_text("Free pills!\nSee you\n")
    stream = streams.text(path, label="y", columns="text", unlabelled="keep")
    assert [x for x, _ in stream] == [
        {"free": 1.0, "pills": 1.0},
        {"see": 1.0, "you": 1.0},
    ]
    path.write_text("text\nFree pills!\n")
    assert [x for x, _ in stream] == [{"free": 1.0, "pills": 1.0}]
    path.write_text("id\ttext\n7\tFree pills!\n")
    assert [x for x, _ in stream] == [{"free": 1.0, "pills": 1.0}]


def test_run_predicts_what_has_no_label(tmp_path: Path) -> None:
    stream = _jsonl(tmp_path, unlabelled="keep")
    record = run(Perceptron(), stream, learn=False)
    assert (record.rounds, record.unlabelled, record.mistakes) == (4, 2, 1)
