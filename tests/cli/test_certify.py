"""`littlestone certify` plays, certifies, writes, and exits by what it found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from command import call
from data import data_file
from littlestone import Certificate, certify, run, streams, verify
from littlestone.cli.certify import tell
from littlestone.linear import Perceptron, Winnow

TEXT = "-1 1:1\n+1 2:1\n-1 1:1 3:1\n+1 2:1 3:0.5\n-1 1:0.5 2:0.25\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    path.write_text(TEXT)
    return path


def test_the_certificate_is_that_of_the_library(file: Path, tmp_path: Path) -> None:
    written = tmp_path / "mail.json"
    options = ("--bias", "0.5", "--passes", "3", "-o", written)
    done = call("certify", "-l", "perceptron", file, *options)
    stream = streams.svmlight(file)
    record = run(Perceptron(bias=0.5), stream, passes=3, keep="updates")
    expected = certify(record)
    assert done.returncode == 0
    assert done.stdout == f"{expected}\nWritten to {written}.\n"
    assert Certificate.load(written) == expected
    assert done.stderr.startswith("mistake     since")
    assert verify(written, stream).accepted


def test_json_is_the_certificate_and_nothing_else(file: Path, tmp_path: Path) -> None:
    written = tmp_path / "out.json"
    words = ("-l", "winnow", "--threshold", "3", "--promotion", "1.5", "--passes", "9")
    done = call("certify", file, "-q", "--json", *words, "--output", written)
    record = run(
        Winnow(threshold=3.0, promotion=1.5),
        streams.svmlight(file),
        passes=9,
        keep="updates",
    )
    assert Certificate.from_json(done.stdout) == certify(record)
    assert written.read_text() == done.stdout
    assert (done.returncode, done.stderr) == (0, "")


def test_a_theorem_may_be_asked_for(file: Path) -> None:
    done = call(
        "certify", "-l", "perceptron", file, "-q", "--json", "--theorem", "PERC-TD"
    )
    assert Certificate.from_json(done.stdout).theorem == "PERC-TD"
    other = call("certify", "-l", "perceptron", file, "-q", "--json")
    assert Certificate.from_json(other.stdout).theorem != "PERC-TD"


def test_standard_input_is_certified_too(file: Path) -> None:
    piped = call("certify", "-", "-q", "--json", stdin=TEXT)
    assert piped.stdout == call("certify", file, "-q", "--json").stdout


def test_classes_that_nobody_knew_are_asked_of_the_stream(tmp_path: Path) -> None:
    # The second example has no value, so that its mistake changes nothing.
    path = tmp_path / "news.svm"
    path.write_text("sport 1:1\nfood\nsport 1:1\nfood 2:1\n")
    words = ("-q", "--json", "-l", "multiclass-passive-aggressive")
    done = call("certify", path, *words)
    assert done.returncode == 0, done.stderr
    assert Certificate.from_json(done.stdout).theorem == "MCPA-STEPS"
    piped = call("certify", "-", *words, stdin=path.read_text())
    assert piped.returncode == 2
    assert "needs the stream" in piped.stderr
    assert "stream=" not in piped.stderr


@pytest.mark.parametrize(
    "said",
    [
        {"1": -1, "2": 1.0},
        {"kind": "vector", "entries": [[1, "-1"], [2, "1"]], "bias": None},
        {"witness": {"kind": "vector", "entries": [[1, -1], [2, "1"]]}},
    ],
)
def test_a_witness_of_ones_own(file: Path, tmp_path: Path, said: object) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(said))
    words = ("--theorem", "PERC-SEP", "--witness", path)
    done = call("certify", "-l", "perceptron", file, "-q", "--json", *words)
    assert done.returncode == 0, done.stderr
    record = run(Perceptron(), streams.svmlight(file), keep="updates")
    assert Certificate.from_json(done.stdout) == certify(
        record, {1: -1.0, 2: 1.0}, theorem="PERC-SEP"
    )


def test_a_certificate_is_a_witness_for_the_same_run(
    file: Path, tmp_path: Path
) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    words = (
        "certify",
        "-l",
        "perceptron",
        file,
        "-q",
        "--bias",
        "1",
        "--theorem",
        "PERC-TD",
    )
    assert call(*words, "-o", first).returncode == 0
    assert call(*words, "--witness", first, "-o", second).returncode == 0
    assert Certificate.load(second).bound == Certificate.load(first).bound


def test_a_certificate_that_does_not_hold_is_told_loudly(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = run(Perceptron(), [({"a": 1.0}, False)], keep="updates")
    false = certify(replace(record, updates=5, mistakes=5), theorem="PERC-SEP")
    written = tmp_path / "false.json"
    assert tell(false, written, json=False) == 1
    told = capsys.readouterr()
    assert "IT DOES NOT HOLD" in told.out
    assert told.err.startswith("littlestone: THE CERTIFICATE DOES NOT HOLD: PERC-SEP")
    assert tell(false, None, json=True) == 1
    assert "DOES NOT HOLD" in capsys.readouterr().err
    assert call("verify", written).returncode == 1


def test_skipped_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.svm"
    path.write_text(TEXT + "nonsense\n")
    done = call("certify", path, "-q", "--on-error", "skip")
    assert done.returncode == 0
    expected = "littlestone: left out 1 line that could not be read\n"
    assert done.stderr == expected


def test_what_the_learner_refuses_is_left_out_of_the_certificate(
    tmp_path: Path,
) -> None:
    path, written = tmp_path / "a.svm", tmp_path / "a.json"
    path.write_text("0 1:1\n1 1:7\n1 2:1\n0 1:1\n1 2:9\n1 2:1\n")
    words = (path, "-q", "--on-error", "skip")
    winnow = ("-l", "winnow:threshold=1")
    refused = call("certify", path, "-q", *winnow)
    assert (refused.returncode, "must lie in [0, 1]" in refused.stderr) == (2, True)
    done = call("certify", *words, *winnow, "-o", written)
    assert done.returncode == 0
    assert done.stderr == "littlestone: left out 2 examples that the learner refuses\n"
    assert "played 4 rounds" in done.stdout
    assert call("verify", written, *words).returncode == 0
    strict = call("verify", written, path, "-q")
    assert strict.returncode == 1
    piped = call("certify", "-", *words[1:], *winnow, stdin=path.read_text())
    assert (piped.returncode, "FILE must be readable again" in piped.stderr) == (
        2,
        True,
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/no/such/file"], "a stream must be an existing file"),
        (["{file}", "--theorem", "PERC-SEEP"], "PERC-SEP"),
        (["{file}", "--theorem", "WIN1"], "WIN1 must have a witness"),
        (["{file}", "-o", "/no/such/folder/c.json"], "--output must be a file that"),
        (["{file}", "-o", "{file}"], "--output must not be the file that is read"),
        (
            ["{file}", "--witness", "/no/such/w.json"],
            "--witness must be a file of JSON",
        ),
        (["{file}", "--witness", "{file}"], "--witness must be a file of JSON"),
        (["{file}", "--witness", "{list}"], "--witness must hold a number for each"),
        (["{file}", "--witness", "{text}"], "a finite number for '1', got 'x'"),
        (["{file}", "--witness", "{spelt}"], "a finite number for 1, got '2/2'"),
        (["{file}", "--witness", "{kind}"], "must be a vector, an expert or a concept"),
        (["{file}", "-l", "winnow"], "certify: --learner winnow needs --threshold"),
        (["{file}", "--ngrams", "2"], "certify: --ngrams is for text, got svmlight"),
        (["{file}", "--passes", "0"], "certify: passes must be a whole number above"),
        (
            ["{contrary}", "-lwinnow", "--threshold", "2", "--eliminate"],
            "some theorem must have a",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    file: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    paths = {"file": file}
    for name, content in {
        "list": "[1]",
        "text": '{"1": "x"}',
        "spelt": '{"kind": "vector", "entries": [[1, "2/2"]]}',
        "kind": '{"kind": "vector", "entries": 3}',
        "contrary": "1 1:1\n-1 1:1\n1 1:1\n-1 1:1\n",
    }.items():
        paths[name] = tmp_path / name
        paths[name].write_text(content)
    done = call("certify", "-q", *(word.format(**paths) for word in words))
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("littlestone: ")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
    assert file.read_text() == TEXT


def test_mushrooms_are_certified_and_verified(tmp_path: Path) -> None:
    path = data_file("agaricus/agaricus.train.svm.gz")
    written = tmp_path / "mushrooms.json"
    assert (
        call("certify", "-l", "perceptron", path, "-q", "-o", written).returncode == 0
    )
    done = call("verify", written, path)
    assert done.returncode == 0, done.stdout
    assert "6,513 rounds with 57 mistakes" in done.stdout
    assert "4,096 of 6,513 rounds checked\n" in done.stderr
