"""A file of any format is opened by its name or content, and by what is asked for."""

from __future__ import annotations

import gzip
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest

from command import call
from littlestone import streams
from littlestone.cli._streams import Format as CommandLineFormat
from littlestone.errors import LineError, ParameterError, StreamError
from littlestone.streams._formats import Format


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("+1 3:1 5:0.5\n-1 2:1e-3 # so\n", "svmlight"),
        ("\ufeff# head\n\nspam qid:3 3:1\nham 7:-.5\n1\n", "svmlight"),
        ("3 1:1", "svmlight"),
        ("1 |a b:2 c\n-1 2.0 'tag| d\n| e\n", "vw"),
        ('{"label": 1, "a": 2}\n{"label": 0}\n', "jsonl"),
        ("y,a\n1,2\n0,3\n", "csv"),
        ('y\ta\n1\t"2\t3"\n0\t3\n', "csv"),
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
    "csv": {"label": 0},
    "parquet": {"label": "y"},
    "arrow": {"label": "y"},
}


@pytest.mark.parametrize("each", Format)
def test_the_name_tells(each: Format) -> None:
    options = OPTIONS.get(each.value, {})
    for ending in each.facts.endings:
        for packed in ("", ".gz", ".zst", ".GZ"):
            stream = streams.open(f"a{ending}{packed}", **options)
            assert type(stream) is type(each.reader("a", **options))


def test_these_names_are_known() -> None:
    assert {each.value: each.facts.endings for each in Format} == {
        "parquet": (".parquet", ".pq"),
        "arrow": (".arrow", ".arrows", ".feather", ".ipc"),
        "svmlight": (".svm", ".svmlight", ".libsvm"),
        "vw": (".vw",),
        "jsonl": (".jsonl", ".ndjson"),
        "csv": (".csv", ".tsv", ".tab"),
        "forecasts": (),
        "text": (),
    }


def test_every_format_is_read_by_the_stream_of_its_name() -> None:
    for each in Format:
        assert each.reader is getattr(streams, each.facts.reader)
        assert "on_error" in each.options
        assert ("missing" in each.options) == bool(each.facts.missing)
        missing = each.options.get("missing")
        if missing is not None and missing.default is not None:
            assert missing.default == each.facts.missing[0]


def test_no_module_shares_its_name_with_a_stream() -> None:
    names = {each.name for each in iter_modules(streams.__path__)}
    assert not {name for name in names - {"synthetic"} if not name.startswith("_")}
    made = {each.name for each in iter_modules(streams.synthetic.__path__)}
    assert all(name.startswith("_") for name in made)


def test_the_command_line_has_the_same_formats() -> None:
    assert CommandLineFormat is Format


@pytest.mark.parametrize(
    "text", ["", "\n", "Call me Ishmael.\n", "1 2 3\n", "1 a:1\n", "\0\1\2"]
)
def test_what_is_not_told_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "examples"
    path.write_text(text)
    with pytest.raises(StreamError, match="the format must be recognisable") as caught:
        streams.open(path)
    message = str(caught.value)
    assert str(path) in message
    assert all(each in message for each in Format)
    path.write_text("1 1:1\n")
    assert list(streams.open(path, format="svmlight")) == [({1: 1.0}, True)]


def test_a_long_line_does_not_hide_the_format(tmp_path: Path) -> None:
    path = tmp_path / "examples"
    path.write_text("1 1:1\n" + "0" + "".join(f" {i}:1" for i in range(1, 20_000)))
    assert len(list(streams.open(path))) == 2


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: streams.open("-"), "format must be given for standard input, one of"),
        (lambda: streams.open("a", format="xml"), "format must be one of parquet"),
        (
            lambda: streams.open("a.svm", label=3),
            "svmlight has no option label, only",
        ),
        (lambda: streams.open("a", format="text"), "text needs label="),
        (lambda: streams.open("gone"), "gone: a stream must be an existing file"),
    ],
)
def test_what_open_refuses(make: Any, says: str) -> None:
    with pytest.raises((ParameterError, StreamError), match=says):
        make()


def test_a_folder_without_tables_is_named(tmp_path: Path) -> None:
    (tmp_path / "mail.csv").write_text("a,y\n1,1\n")
    with pytest.raises(StreamError, match=r"got none; a pattern in quotes reads other"):
        streams.open(tmp_path, label="y")
    done = call("run", tmp_path)
    assert f"{tmp_path}: a folder must have files of Arrow or Parquet" in done.stderr


def test_a_line_that_is_nested_deeply_is_an_error_of_its_format(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"label":1,"a":' + '{"b":' * 2000 + "1" + "}" * 2001 + "\n")
    with pytest.raises(LineError, match="levels deep"):
        list(streams.open(path))
