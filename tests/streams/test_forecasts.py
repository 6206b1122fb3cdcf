"""Forecasts are read to the bit, and what cannot be read is named by its line."""

from __future__ import annotations

import csv as python_csv
import gzip
import io
import math
import os
import random
import threading
import zlib
from collections import deque
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import (
    LineError,
    LittlestoneError,
    MissingFileError,
    ParameterError,
    StreamError,
    TruncatedError,
)
from littlestone.learner.advice import Advice
from littlestone.streams import Stream, forecasts
from packing import zstd
from tries import tried

# Where the size of a buffer is set, and that of a line.
parser = import_module("littlestone.streams._parser")

LOAD = "day,gam,forest,load\nMonday,51.5,50,52\n\nTuesday,49,-1e1,48\n"
ROUNDS: list[Any] = [
    ({"gam": 51.5, "forest": 50.0}, 52.0),
    ({"gam": 49.0, "forest": -10.0}, 48.0),
]
CHOSEN: Any = {"label": "load", "experts": ("gam", "forest")}


class Majority:
    """Says what most of those awake say, and keeps the outcomes it was told."""

    def __init__(self) -> None:
        self.told: list[bool] = []

    def predict_one(self, advice: Any) -> bool:
        """Vote."""
        votes = list(advice.values()) if isinstance(advice, dict) else advice
        return bool(sum(votes) * 2 >= len(votes))

    def learn_one(self, advice: Any, y: Any) -> None:
        """Keep the outcome."""
        assert len(advice) > 0
        self.told.append(y)


def write(folder: Path, content: str | bytes, name: str = "load.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def refused(path: Path, **options: Any) -> LineError:
    with pytest.raises(LineError) as caught:
        list(forecasts(path, **options))
    return caught.value


def places(stream: Stream) -> list[str]:
    return [block.where(row) for block in stream.blocks() for row in range(block.last)]


# What is read ---------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_file_is_read_as_it_is_written(tmp_path: Path, end: str) -> None:
    path = write(tmp_path, LOAD.replace("\n", end))
    assert list(forecasts(path, **CHOSEN)) == ROUNDS
    assert list(forecasts(path, label="load", experts=(1, "forest"))) == ROUNDS
    backwards = forecasts(path, label="load", experts=["forest", "gam"])
    assert list(backwards) == ROUNDS
    assert list(next(iter(backwards))[0]) == ["forest", "gam"]
    assert [x for x, _ in forecasts(path, label="load", experts="gam")] == [
        {"gam": 51.5},
        {"gam": 49.0},
    ]


def test_all_columns_but_the_label_are_experts(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y,b\n1,2,3\n4,5,6\n")
    assert list(forecasts(path, label="y")) == [
        ({"a": 1.0, "b": 3.0}, 2.0),
        ({"a": 4.0, "b": 6.0}, 5.0),
    ]


def test_columns_by_number_need_no_header(tmp_path: Path) -> None:
    path = write(tmp_path, "1,2,3\n4,5,6\n")
    assert list(forecasts(path, label=1)) == [
        ({"x0": 1.0, "x2": 3.0}, 2.0),
        ({"x0": 4.0, "x2": 6.0}, 5.0),
    ]
    assert list(forecasts(path, label=0, experts=2)) == [
        ({"x2": 3.0}, 1.0),
        ({"x2": 6.0}, 4.0),
    ]
    path = write(tmp_path, "1,2,3\n,5,6\n")
    stream = forecasts(path, label=1, missing="sleep")
    assert list(stream) == [({"x0": 1.0, "x2": 3.0}, 2.0), ({"x2": 6.0}, 5.0)]
    named = forecasts(path, label="y", header=["a", "y", "b"], experts="b")
    assert [x for x, _ in named] == [{"b": 3.0}, {"b": 6.0}]


def test_blocks_hold_advice_and_outcomes(tmp_path: Path) -> None:
    path = write(tmp_path, LOAD)
    (block,) = forecasts(path, **CHOSEN).blocks()
    assert isinstance(block.rows, Advice)
    assert block.rows.names == ("gam", "forest")
    assert not block.rows.may_sleep
    assert block.rows.values.dtype == block.labels.dtype == np.float64
    assert block.rows.values.flags.c_contiguous
    assert block.rows.values.tolist() == [[51.5, 50.0], [49.0, -10.0]]
    assert block.labels.tolist() == [52.0, 48.0]
    assert (block.first, block.last, block.done) == (0, 2, 1.0)
    assert [block.where(row) for row in range(2)] == [f"{path}:2", f"{path}:4"]


def test_quoting_is_understood(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        '"a, the ""first""",note,"y\nz"\n"1","two\nlines, one ""record""",2\n3,,"4"\n5',
    )
    error = refused(path, label="y\nz", experts='a, the "first"')
    assert (error.line, error.text) == (6, "5")
    path = write(tmp_path, path.read_bytes()[:-2])
    stream = forecasts(path, label="y\nz", experts='a, the "first"')
    assert list(stream) == [
        ({'a, the "first"': 1.0}, 2.0),
        ({'a, the "first"': 3.0}, 4.0),
    ]
    assert places(stream) == [f"{path}:3", f"{path}:5"]


def test_the_delimiter_is_given_or_recognised(tmp_path: Path) -> None:
    for delimiter in ("\t", ";", "|", " "):
        path = write(tmp_path, LOAD.replace(",", delimiter))
        assert list(forecasts(path, delimiter=delimiter, **CHOSEN)) == ROUNDS
        if delimiter != " ":
            assert list(forecasts(path, **CHOSEN)) == ROUNDS


def test_files_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = LOAD.encode()
    for content in (
        gzip.compress(data),
        zstd.compress(data),
        b"\xef\xbb\xbf" + data,
        b"\n\r\n" + data,
        data.rstrip(),
        data + b"\n\r\n",
    ):
        assert list(forecasts(write(tmp_path, content), **CHOSEN)) == ROUNDS
    (x, _), _ = forecasts(write(tmp_path, b"\xef\xbb\xbfa,y\n1,2\n3,4\n"), label="y")
    assert list(x) == ["a"]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    stream = forecasts("-", **CHOSEN)
    assert not stream.repeatable
    assert list(stream) == ROUNDS


def test_a_file_can_be_read_again(tmp_path: Path) -> None:
    stream = forecasts(write(tmp_path, LOAD), **CHOSEN)
    assert stream.repeatable
    assert list(stream) == list(stream) == ROUNDS
    assert repr(stream).startswith("forecasts('")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_what_has_come_through_a_pipe_is_handed_over(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    seen = threading.Event()
    asked = []

    def send() -> None:
        with path.open("wb", buffering=0) as pipe:
            pipe.write(b"a,y\n1,2\n")
            # Only who has been given the first round can ask for the second.
            asked.append(seen.wait(60))
            pipe.write(b"3,4\n")

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    stream = forecasts(path, label="y")
    assert not stream.repeatable
    rounds = iter(stream)
    assert next(rounds) == ({"a": 1.0}, 2.0)
    seen.set()
    assert list(rounds) == [({"a": 3.0}, 4.0)]
    sender.join()
    assert asked == [True]


# Numbers --------------------------------------------------------------------------

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@tried(2)
@given(
    rounds=st.integers(1, 4).flatmap(
        lambda n: st.lists(
            st.tuples(
                st.lists(FINITE | st.none(), min_size=n, max_size=n).filter(any_awake),
                FINITE,
                st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
            ),
            min_size=1,
            max_size=12,
        )
    ),
    quoting=st.sampled_from([python_csv.QUOTE_MINIMAL, python_csv.QUOTE_ALL]),
    end=st.sampled_from(["\n", "\r\n"]),
    delimiter=st.sampled_from([",", ";", "\t"]),
    buffer=st.sampled_from([5, 64, 1 << 20]),
)
def test_what_is_written_is_read_back_to_the_bit(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    rounds: list[Any],
    quoting: Any,
    end: str,
    delimiter: str,
    buffer: int,
) -> None:
    text = io.StringIO(newline="")
    writer = python_csv.writer(
        text, quoting=quoting, lineterminator=end, delimiter=delimiter
    )
    names = [f"e{k}" for k in range(len(rounds[0][0]))]
    writer.writerow(["note", *names, "y"])
    # Some versions of the writer put no quotation marks around a CR alone.
    unwritten = "\0\r" if quoting == python_csv.QUOTE_MINIMAL else "\0"
    for predictions, outcome, note in rounds:
        kept = "".join(letter for letter in note if letter not in unwritten)
        writer.writerow([kept, *predictions, outcome])
    path = write(tmp_path_factory.mktemp("csv"), text.getvalue())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parser, "_BUFFER", buffer)
        stream = forecasts(
            path, label="y", experts=names, missing="sleep", delimiter=delimiter
        )
        found = [(bits(x), y.hex()) for x, y in stream]
        awake = all(p is not None for row, _, _ in rounds for p in row)
        if awake:
            strict = forecasts(path, label="y", experts=names, delimiter=delimiter)
            assert [(bits(x), y.hex()) for x, y in strict] == found
    assert found == [
        (
            bits({k: p for k, p in zip(names, row, strict=True) if p is not None}),
            y.hex(),
        )
        for row, y, _ in rounds
    ]


def any_awake(predictions: list[float | None]) -> bool:
    return any(p is not None for p in predictions)


def bits(x: Any) -> list[tuple[str, str]]:
    return [(name, value.hex()) for name, value in x.items()]


@pytest.mark.parametrize(
    "cell",
    [
        *("1", "-1", "+1", "1.", ".5", "-.5e-3", "1E5", "1e+5", "007", "1e-999", "-0"),
        "0.1000000000000000055511151231257827",
    ],
)
def test_numbers_are_read_as_python_reads_them(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path, f"a,y\n{cell},{cell}\n")
    x: Any
    ((x, y),) = forecasts(path, label="y")
    assert x["a"].hex() == y.hex() == float(cell).hex()


NO_NUMBERS = (
    *("x", "1x", "1 2", "1_000", "0x10", "1e", "e5", ".", "+", "--1", "1e999"),
    *("1d5", "١", "1\n", "1,5", "True", "NA!", "nil", "1-", "nane", "inf."),  # noqa: RUF001 - a digit of another script
)
MISSING = (
    *("", "nan", "NaN", "NAN", "-nan", "inf", "-inf", "+Inf", "INFINITY", "iNf"),
    *(" ", "NA", "n/a", "null", "None", "?"),
)


@pytest.mark.parametrize("cell", NO_NUMBERS)
@pytest.mark.parametrize("missing", ["refuse", "sleep"])
def test_what_is_no_finite_number_is_refused(
    tmp_path: Path, cell: str, missing: str
) -> None:
    path = write(tmp_path, f'a,b,y\n1,2,3\n1,"{cell}",3\n')
    error = refused(path, label="y", missing=missing)
    assert str(error) == (
        f"{path}:3: expert 'b' must predict a finite number, got {cell!r}"
    )
    assert (error.path, error.line) == (str(path), 3)
    assert (error.column, error.value) == ("b", cell)
    path = write(tmp_path, f'a,b,y\n1,2,3\n1,2,"{cell}"\n')
    error = refused(path, label="y", missing=missing)
    assert str(error) == f"{path}:3: outcome 'y' must be a finite number, got {cell!r}"


@pytest.mark.parametrize("cell", MISSING)
def test_missing_predictions_are_refused_or_asleep(tmp_path: Path, cell: str) -> None:
    path = write(tmp_path, f"a,b,y\n1,2,3\n1,{cell},3\n")
    error = refused(path, label="y")
    assert str(error) == (
        f"{path}:3: expert 'b' must predict a finite number, got {cell!r}; "
        "missing='sleep' lets the expert sleep"
    )
    stream = forecasts(path, label="y", missing="sleep")
    assert list(stream) == [({"a": 1.0, "b": 2.0}, 3.0), ({"a": 1.0}, 3.0)]
    (block,) = stream.blocks()
    assert block.rows.may_sleep
    assert math.isnan(block.rows.values[1, 1])
    path = write(tmp_path, f"a,b,y\n1,2,3\n1,2,{cell}\n")
    for missing in ("refuse", "sleep"):
        error = refused(path, label="y", missing=missing)
        assert "outcome 'y' must be a finite number, got" in str(error)


def test_someone_must_be_awake(tmp_path: Path) -> None:
    path = write(tmp_path, "a,b,y\n1,,3\nnan,,3\n4,4,4\n")
    rounds: list[Any] = []
    with pytest.raises(LineError) as caught:
        deque(map(rounds.append, forecasts(path, label="y", missing="sleep")))
    assert str(caught.value) == (
        f"{path}:3: at least one expert must be awake; on_error='skip' leaves such "
        "lines out"
    )
    assert rounds == [({"a": 1.0}, 3.0)]
    stream = forecasts(path, label="y", missing="sleep", on_error="skip")
    assert [y for _, y in stream] == [3.0, 4.0]
    assert stream.skipped == 1


# Labels ---------------------------------------------------------------------------


def test_outcomes_may_be_labels(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y\n1,1\n0,-1\n1,+1.0\n")
    stream = forecasts(path, label="y", outcome="label")
    assert [y for _, y in stream] == [True, False, True]
    (block,) = stream.blocks()
    assert block.labels.dtype == np.bool_
    assert [y for _, y in forecasts(path, label="y")] == [1.0, -1.0, 1.0]
    path = write(tmp_path, "a,y\n1,1\n0,2\n")
    error = refused(path, label="y", outcome="label")
    assert str(error) == f"{path}:3: outcome 'y' must be 1, 0 or -1, got '2'"
    for cell in ("", "nan", "yes", "0.5"):
        path = write(tmp_path, f"a,y\n1,1\n0,{cell}\n")
        assert "must be 1, 0 or -1" in str(refused(path, label="y", outcome="label"))


@pytest.mark.parametrize("buffer", [12, 1 << 20])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_zero_and_minus_one_are_never_mixed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int, on_error: Any
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", buffer)
    path = write(tmp_path, "a,y\n1,0\n1,1\n1,0\n1,-1\n1,1\n1,x\n")
    learner = Majority()
    with pytest.raises(LineError, match="csv:5: .*never mixed.*; 3 rounds played"):
        run(learner, forecasts(path, label="y", outcome="label", on_error=on_error))
    assert learner.told == [False, True, False]


# What cannot be read --------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("", "the first line must be a header, got nothing"),
        ("\n\r\n", "the first line must be a header, got nothing"),
        ("a,b\n1,2\n", "the header must have a column 'y', got 'a', 'b'"),
        ("y\n1\n", "there must be a column beside the label, got 'y'"),
        ("a,y,a\n1,2,3\n", "the header must name each column once, got 'a' twice"),
        ("y,a,y\n1,2,3\n", "the header must name each column once, got 'y' twice"),
        ("a,\xff,y\n".encode("latin-1"), "the file must be UTF-8"),
        ("a,y\n1,2\n".encode("utf-16"), "the file must be UTF-8"),
        ("a,\0,y\n", "a record must not contain a NUL byte"),
        ('"a,y\n1,2\n', "a quotation mark must be closed, but the file ends"),
        ("a,y\r1,2\r", "a line must end in LF or CR LF, got a CR alone"),
    ],
)
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_headers_that_cannot_be_read(
    tmp_path: Path, content: str | bytes, what: str, on_error: str
) -> None:
    path = write(tmp_path, content)
    error = refused(path, label="y", on_error=on_error)
    assert str(error).startswith(f"{path}:1: {what}")
    assert (error.path, error.line) == (str(path), 1)


def test_a_header_must_have_the_columns_that_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y,b\n1,2,3\n")
    error = refused(path, label="y", experts=("a", "c"))
    assert str(error).endswith("must have a column 'c', got 'a', 'y', 'b'")
    error = refused(path, label="y", experts=("a", 3))
    assert str(error).endswith("must have a column 3, got 'a', 'y', 'b'")
    for experts in (("a", 0), ("b", 1)):
        error = refused(path, label="y", experts=experts)
        assert "experts must be without duplicates and the label" in str(error)
    error = refused(write(tmp_path, "1,2\n"), label=2)
    assert str(error).endswith(
        ":1: the first record must have a column 2, got 2 columns"
    )


def test_names_that_are_not_asked_for_may_be_the_same(tmp_path: Path) -> None:
    path = write(tmp_path, "x,a,x,y\n?,1,?,2\n")
    assert list(forecasts(path, label="y", experts="a")) == [({"a": 1.0}, 2.0)]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("1,2", "a record must have 3 columns, as the header has, got 2"),
        ("1,2,3,4", "a record must have 3 columns, as the header has, got 4"),
        (" ", "a record must have 3 columns, as the header has, got 1"),
        ('""', "a record must have 3 columns, as the header has, got 1"),
        (b"1,\xff,3", "the file must be UTF-8"),
        (b"1,\xed\xa0\x80,3", "the file must be UTF-8"),
        (b"1,\0,3", "a record must not contain a NUL byte"),
        ('1,"2"2,3', "a quoted cell must be followed by ',' or the end of the line"),
        ("1,2\r2,3", "a line must end in LF or CR LF, got a CR alone"),
        ('1,"2\n2",x', "outcome 'y' must be a finite number, got 'x'"),
        (b'1,"2\n\xff2",3', "the file must be UTF-8"),
    ],
)
@pytest.mark.parametrize("buffer", [7, 1 << 20])
def test_a_record_that_cannot_be_read_comes_after_those_before_it(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    line: str | bytes,
    what: str,
    buffer: int,
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", buffer)
    raw = line.encode() if isinstance(line, str) else line
    path = write(tmp_path, b'a,n,y\n1,"n\nn",0\n\n1,n,1\n' + raw + b"\n0,n,1\n1,n,0\n")
    options: Any = {"label": "y", "experts": "a", "outcome": "number"}
    learner = Majority()
    with pytest.raises(LineError) as caught:
        run(learner, forecasts(path, **options))
    error = caught.value
    assert str(error).startswith(f"{path}:6: {what}")
    assert str(error).endswith("; 2 rounds played")
    assert (error.path, error.line) == (str(path), 6)
    assert len(error.text) <= 201
    assert error.text.isprintable() or "\0" in error.text or "\r" in error.text
    str(error).encode()
    assert learner.told == [False, True]
    stream = forecasts(path, on_error="skip", **options)
    assert [y for _, y in stream] == [0.0, 1.0, 1.0, 0.0]
    assert stream.skipped == 1
    assert [y for _, y in stream] == [0.0, 1.0, 1.0, 0.0]
    assert stream.skipped == 1
    after = 7 + raw.count(b"\n")
    assert places(stream) == [f"{path}:{n}" for n in (2, 5, after, after + 1)]


@pytest.mark.parametrize("buffer", [7, 1 << 20])
def test_after_an_open_quotation_mark_reading_goes_on_at_the_next_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffer: int
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", buffer)
    path = write(tmp_path, 'a,y\n1,2\n"3,4\n5,6\n7,8\n')
    error = refused(path, label="y")
    assert str(error) == (
        f"{path}:3: a quotation mark must be closed, but the file ends"
    )
    assert error.text == '"3,4'
    stream = forecasts(path, label="y", on_error="skip")
    assert [y for _, y in stream] == [2.0, 6.0, 8.0]
    assert stream.skipped == 1
    path = write(tmp_path, 'a,y\n"1,2\n' + "3,4\n" * 50_000)
    assert "a quotation mark must be closed" in str(refused(path, label="y"))
    stream = forecasts(path, label="y", on_error="skip")
    assert sum(block.last for block in stream.blocks()) == 50_000
    assert stream.skipped == 1


def test_the_earliest_of_two_faults_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y\n1,2\n1,x\n1,2\n1\n")
    assert refused(path, label="y").line == 3
    path = write(tmp_path, "a,y\n1,2\n1\n1,2\n1,x\n")
    assert refused(path, label="y").line == 3


def test_without_a_header_experts_are_named_after_their_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "1,2,3\n4,x,6\n")
    error = refused(path, label=0)
    assert str(error) == f"{path}:2: expert 'x1' must predict a finite number, got 'x'"
    assert (error.column, error.value) == ("x1", "x")
    path = write(tmp_path, "1,2,3\n4,5\n")
    error = refused(path, label=0)
    assert str(error).endswith(
        ":2: a record must have 3 columns, as the first record has, got 2"
    )


def test_without_a_header_the_first_sound_record_tells_the_columns(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, b"\xff\n1,2\n3,4\n")
    assert refused(path, label=0).line == 1
    stream = forecasts(path, label=0, on_error="skip")
    assert list(stream) == [({"x1": 2.0}, 1.0), ({"x1": 4.0}, 3.0)]
    assert stream.skipped == 1


def test_a_line_too_long(tmp_path: Path) -> None:
    path = write(tmp_path, "a,y\n1,2\n" + "1," * 5_000_000 + "\n3,4\n")
    error = refused(path, label="y")
    what = f"{path}:3: a line or record must be shorter than 8388608 bytes"
    assert str(error).startswith(what)
    stream = forecasts(path, label="y", on_error="skip")
    assert [y for _, y in stream] == [2.0, 4.0]
    assert stream.skipped == 1
    assert places(stream) == [f"{path}:2", f"{path}:4"]
    path = write(tmp_path, "1," * 5_000_000)
    assert refused(path, label="y").line == 1


def test_a_record_of_too_many_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", 64)
    monkeypatch.setattr(parser, "LONGEST_LINE", 256)
    many = ",".join(['"\n"'] * 300)
    path = write(tmp_path, f"a,y\n1,2\n{many}\n3,4\n")
    error = refused(path, label="y")
    assert str(error).startswith(f"{path}:3: a line or record must be shorter")


def test_files_without_rounds(tmp_path: Path) -> None:
    for content, label in (("a,y\n", "y"), ("a,y", "y"), ("", 0), ("\n\r\n", 0)):
        path = write(tmp_path, content)
        with pytest.raises(StreamError, match="at least one example, got none$"):
            list(forecasts(path, label=label))
    path = write(tmp_path, "a,y\n1\n2\n")
    with pytest.raises(StreamError, match="got none .2 lines skipped."):
        list(forecasts(path, label="y", on_error="skip"))
    with pytest.raises(MissingFileError):
        list(forecasts(tmp_path / "none", label=0))
    with pytest.raises(StreamError, match="the file could not be read"):
        list(forecasts(tmp_path, label=0))


def many_lines(rows: int) -> str:
    rng = random.Random(1)  # noqa: S311 - any numbers will do
    lines = [f'{rng.random()},"n\nn",{t % 2}\n' for t in range(rows)]
    return "a,n,y\n" + "".join(lines)


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_truncated_file_plays_what_is_whole(
    tmp_path: Path, pack: Any, on_error: Any
) -> None:
    packed = pack(many_lines(40_000).encode())
    path = write(tmp_path, packed[: len(packed) * 2 // 3])
    learner = Majority()
    stream = forecasts(path, label="y", experts="a", outcome="label", on_error=on_error)
    with pytest.raises(TruncatedError) as caught:
        run(learner, stream)
    assert caught.value.rounds is not None
    assert 8_000 < caught.value.rounds < 40_000
    assert learner.told == [t % 2 == 1 for t in range(caught.value.rounds)]
    assert stream.skipped == 0


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_file_truncated_within_quotation_marks_is_truncated_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_error: Any
) -> None:
    monkeypatch.setattr(parser, "_BUFFER", 7)
    packer = zlib.compressobj(wbits=31)
    packed = packer.compress(b'a,n,y\n1,n,1\n0,"n\nn\nhalf a line that is cut')
    path = write(tmp_path, packed + packer.flush(zlib.Z_FULL_FLUSH))
    stream = forecasts(path, label="y", experts="a", outcome="label", on_error=on_error)
    with pytest.raises(TruncatedError, match="; 1 round played"):
        run(Majority(), stream)
    assert stream.skipped == 0


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
def test_a_corrupt_compressed_file(tmp_path: Path, pack: Any) -> None:
    packed = bytearray(pack(many_lines(3_000).encode()))
    packed[len(packed) // 2 : len(packed) // 2 + 50] = bytes(50)
    with pytest.raises(StreamError):
        list(forecasts(write(tmp_path, bytes(packed)), label="y", experts="a"))


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"label": -1}, "label must be column numbers from 0, or names"),
        ({"label": True}, "label must be column numbers from 0, or names"),
        ({"label": None}, "label must be column numbers from 0, or names"),
        ({"label": 0, "experts": "x"}, "experts must be column numbers from 0, or"),
        ({"label": 0, "experts": (1.0,)}, "experts must be column numbers from 0, or"),
        ({"label": 0, "experts": ()}, "experts must be one or more columns without"),
        ({"label": 0, "experts": (1, 1)}, "columns without duplicates"),
        ({"label": "y", "experts": ("x", "y")}, "without the label, got ('x', 'y')"),
        (
            {"label": 0, "missing": "go"},
            "missing must be 'refuse' or 'sleep', got 'go'",
        ),
        ({"label": 0, "outcome": "text"}, "outcome must be 'number' or 'label'"),
        ({"label": 0, "on_error": "go"}, "on_error must be 'raise' or 'skip'"),
        *(
            (
                {"label": 0, "delimiter": delimiter},
                "delimiter must be one ASCII character",
            )
            for delimiter in ("", ",,", '"', "\n", "\r", "\0", "1", "e", "-", ".", 7)
        ),
    ],
)
def test_illegal_parameters(options: Any, what: str) -> None:
    with pytest.raises(ParameterError) as caught:
        forecasts("load.csv", **options)
    assert str(caught.value).startswith("forecasts: ")
    assert what in str(caught.value)


# Whatever comes -------------------------------------------------------------------

PIECES = st.lists(
    st.sampled_from(
        [
            *(b"a", b"y", b",", b"\n", b'"', b'""', b"\r", b"\r\n", b"1", b"-0.5"),
            *(b"nan", b"", b"\0", b"\xff", b"\xc3\xa9", b"\xef\xbb\xbf", b"1,2\n"),
            *(b'"1","2"\n', b"\x1f\x8b", b"\x28\xb5\x2f\xfd"),
        ]
    ),
    max_size=30,
).map(b"".join)


@tried(10)
@given(
    content=st.binary(max_size=60) | PIECES | PIECES.map(b"a,y\n1,2\n".__add__),
    label=st.sampled_from(["y", 0, 1]),
    missing=st.sampled_from(["refuse", "sleep"]),
    outcome=st.sampled_from(["number", "label"]),
    buffer=st.sampled_from([4, 7, 1 << 20]),
)
@example(content=b"\x1f\x8b", label=0, missing="refuse", outcome="number", buffer=1)
@example(
    content=gzip.compress(b"a,y\n1,2\n")[:-4],
    label="y",
    missing="refuse",
    outcome="number",
    buffer=3,
)
def test_random_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory,
    *,
    content: bytes,
    label: Any,
    missing: Any,
    outcome: Any,
    buffer: int,
) -> None:
    path = write(tmp_path_factory.mktemp("csv"), content)
    results = []
    for size in (buffer, 1 << 20):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parser, "_BUFFER", size)
            for on_error in ("raise", "skip"):
                stream = forecasts(
                    path,
                    label=label,
                    missing=missing,
                    outcome=outcome,
                    on_error=on_error,
                )
                found: list[Any] = []
                try:
                    for x, y in stream:
                        assert math.isfinite(y)
                        assert len(x) > 0
                        found.append((repr(x), y))
                    found.append(stream.skipped)
                except LittlestoneError as error:
                    found.append(str(error))
                results.append(found)
    # The size of a buffer makes no difference.
    assert results[:2] == results[2:]
