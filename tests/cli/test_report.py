"""`littlestone report` and `run --report` write and show what the library tells."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from littlestone import Certificate, certify, report, run, streams
from littlestone.experts import ExponentialWeights
from littlestone.linear import Perceptron

TEXT = "-1 1:1\n+1 2:1\n-1 1:1 3:1\n+1 2:1 3:0.5\n-1 1:0.5 2:0.25\n"
LOADS = "y,gam,ar\n1,0.9,0.1\n0.5,0.5,0.7\n1,1,0.2\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    path.write_text(TEXT)
    return path


@pytest.fixture
def loads(tmp_path: Path) -> Path:
    path = tmp_path / "loads.csv"
    path.write_text(LOADS)
    return path


def test_the_report_is_that_of_the_library(file: Path, tmp_path: Path) -> None:
    written = tmp_path / "mail.html"
    done = call(
        "report",
        "-l",
        "perceptron",
        file,
        "--bias",
        "0.5",
        "--passes",
        "3",
        "-q",
        "-o",
        written,
    )
    learner = Perceptron(bias=0.5)
    record = run(learner, streams.svmlight(file), passes=3, keep="updates")
    expected = report(
        record,
        certificate=certify(record),
        learner=learner,
        title="Perceptron on mail.svm",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{expected.story.headline}\nWritten to {written}.\n"
    assert written.read_text() == expected.html
    # Without a file, the plots are shown where the command was called.
    shown = call(
        "report", "-l", "perceptron", file, "--bias", "0.5", "--passes", "3", "-q"
    )
    assert shown.stdout == expected.text
    assert "Mistakes against the bound" in shown.stdout
    assert "The certificate holds" in shown.stdout


def test_a_name_says_what_is_written(file: Path, tmp_path: Path) -> None:
    drawing = tmp_path / "mail.png"
    done = call("report", file, "-o", drawing, "--title", "Mail")
    assert done.returncode == 0
    assert done.stderr.startswith("mistake     since")  # the progress of a run
    assert drawing.read_bytes().startswith(b"\x89PNG")


def test_json_has_the_certificate(file: Path, tmp_path: Path) -> None:
    done = call(
        "report",
        "-l",
        "perceptron",
        file,
        "-q",
        "--json",
        "--declare",
        "margin=0.1,radius=2",
    )
    told = json.loads(done.stdout)
    record = run(Perceptron(), streams.svmlight(file), keep="updates")
    certificate = Certificate.from_json(json.dumps(told["certificate"]))
    assert certificate == certify(record)
    assert told["bound"] == 400
    assert told["report"] is None
    page = tmp_path / "x.html"
    done = call(
        "report",
        "-l",
        "perceptron",
        file,
        "-q",
        "--json",
        "--no-certificate",
        "-o",
        page,
    )
    told = json.loads(done.stdout)
    assert told["certificate"] is None
    assert told["report"] == str(page)
    assert (
        "certificate" not in page.read_text().split("<script>")[0].split("</style>")[1]
    )


def test_who_is_not_certified_is_told_of_all_the_same(loads: Path) -> None:
    words = ("-l", "boa", "--label", "y", "-q")
    done = call("report", loads, *words)
    assert done.returncode == 0
    assert "The certificate holds" in done.stdout
    assert "Weights of the experts" in done.stdout
    done = call("report", "-", *words, stdin=LOADS)
    assert done.returncode == 0
    assert done.stdout.startswith("BOA on standard input\n")
    assert "There is no certificate\n  BOA needs the stream" in done.stdout
    assert "stream=" not in done.stdout


def test_why_there_is_no_certificate_is_told(file: Path) -> None:
    words = ("-l", "conjunction", "--monotone", "-q")
    done = call("report", "-", *words, stdin="1 1:1\n-1 1:1\n")
    assert done.returncode == 0
    assert "There is no certificate\n" in done.stdout
    assert "certify:" not in done.stdout
    assert "No concept of its class fits since round 1" in " ".join(done.stdout.split())
    del file


def test_run_writes_a_report_beside_its_summary(loads: Path, tmp_path: Path) -> None:
    page = tmp_path / "loads.html"
    words = ("-l", "hedge", "--label", "y", "--range", "0,1", "--eta", "0.5", "-q")
    done = call("run", loads, *words, "--report", page)
    plain = call("run", loads, *words)
    without = [line for line in done.stdout.splitlines() if "rounds/s" not in line]
    assert without == [x for x in plain.stdout.splitlines() if "rounds/s" not in x]
    learner = ExponentialWeights(0.5, range=(0.0, 1.0))
    record = run(learner, streams.forecasts(loads, label="y"), keep="nothing")
    title = "ExponentialWeights on loads.csv"
    assert page.read_text() == report(record, learner=learner, title=title).html


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mail.txt", "the name of a report must end with one of .html"),
        ("nowhere/mail.html", "must be a file that can be written"),
    ],
)
def test_where_nothing_can_be_written_nothing_is_played(
    file: Path, tmp_path: Path, name: str, message: str
) -> None:
    for words in (
        ("report", file, "-o", tmp_path / name),
        ("run", file, "--report", tmp_path / name),
    ):
        done = call(*words)
        assert (done.returncode, done.stdout) == (2, "")
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_the_file_that_is_read_is_not_written(tmp_path: Path) -> None:
    file = tmp_path / "mail.html"  # of svmlight lines, whatever its name
    file.write_text(TEXT)
    done = call("report", file, "-o", file)
    assert done.returncode == 2
    assert done.stderr.startswith("littlestone: report: --output must not be the file")
    assert file.read_text() == TEXT


@pytest.mark.parametrize("learner", ["hedge:eta=1", "ada-hedge", "ml-poly"])
def test_an_expert_may_sleep_in_the_first_round(learner: str, tmp_path: Path) -> None:
    odds, proof, page = (tmp_path / name for name in ("odds.csv", "p.json", "p.html"))
    odds.write_text("a,b,y\n0.1,,0\n0.2,0.9,0\n,0.8,1\n0.5,0.5,1\n")
    words = (odds, "--label", "y", "--missing", "sleep", "-q")
    done = call("report", *words, "-l", learner, "-o", page)
    assert (done.returncode, done.stderr) == (0, "")
    assert "on this stream, as certified" in done.stdout
    assert call("certify", *words, "-l", learner, "-o", proof).returncode == 0
    assert call("verify", proof, *words).returncode == 0
