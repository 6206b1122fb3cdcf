"""`littlestone advise` shows a table and reasons, and a command to go on with."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from command import call
from littlestone import advise, streams

TABLE = "class,odor,root\n" + "p,foul,club\ne,none,club\ne,none,bulb\np,foul,bulb\n" * 9
WORDS = ("--label", "class", "--positive", "p")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mush rooms.csv"
    path.write_text(TABLE)
    return path


def test_json_is_what_the_library_says(table: Path) -> None:
    done = call("advise", table, *WORDS, "--json", "-q", "--bias", "0.5")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    stream = streams.csv(table, label="class", positive="p")
    counsel = advise(stream, bias=0.5).to_dict()
    assert {name: found[name] for name in counsel} == json.loads(json.dumps(counsel))
    assert (found["file"], found["skipped"]) == (str(table), 0)


def test_people_are_told_in_words(table: Path) -> None:
    done = call("advise", table, *WORDS, "--bounds")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "examples  36, 50.00% of them yes"
    assert lines[1].startswith("features  4; 2.0 of them in an example on average")
    assert lines[2] == "values    0 or 1"
    assert lines[3].startswith("margins   Euclidean: 0.")
    assert lines[4].startswith("          absolute: 0.")
    whole = " SecondOrderPerceptron(diagonal=False, bias=1)  "  # which is not folded
    assert any(line.startswith(whole) for line in lines)
    words = ("--bounds", "--json", "-q")
    found = json.loads(call("advise", table, *WORDS, *words).stdout)
    for trial in found["trials"]:
        rows = [line for line in lines if line.strip().startswith(trial["name"] + "(")]
        assert any(
            f" {trial['mistakes']} " in row and row.endswith(trial["theorem"] or "none")
            for row in rows
        )
    assert done.stdout.replace("\n", " ").count(found["reasons"][0]) == 1
    playing, proving, *_ = done.stderr.splitlines()
    assert playing.startswith("playing Perceptron, AveragedPerceptron, ")
    assert proving == "certifying Perceptron"


def test_the_command_it_ends_with_makes_the_same_mistakes(table: Path) -> None:
    done = call("advise", table, *WORDS, "-q", "--hash-bits", "9", "--columns", "odor")
    command = shlex.split(done.stdout.splitlines()[-1])
    assert command[:3] == ["littlestone", "run", str(table)]
    again = json.loads(call(*command[1:], "-q", "--json").stdout)
    words = ("--hash-bits", "9", "--columns", "odor", "--json", "-q")
    found = json.loads(call("advise", table, *WORDS, *words).stdout)
    assert shlex.split(found["command"]) == command
    assert again["mistakes"] == found["choice"]["mistakes"]
    assert again["learner"]["parameters"] == found["choice"]["parameters"]


def test_a_winnow_is_told_with_its_threshold(tmp_path: Path) -> None:
    path = tmp_path / "idle.svm"
    # Whoever must say no until a feature is met makes the fewest mistakes.
    columns = " ".join(f"{j}:1" for j in range(2, 40))
    path.write_text(f"0 {columns}\n1 1:1 {columns}\n" * 20)
    done = call("advise", path, "-q")
    assert " Winnow(threshold=39, promotion=1.5) " in done.stdout


def test_lines_that_were_skipped_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.svm"
    path.write_text("1 1:1\nnonsense\n0 2:-1\n")
    done = call("advise", path, "-q", "--on-error", "skip")
    assert "skipped   1 lines that could not be read" in done.stdout
    assert " Winnow" in done.stdout
    assert "not tried" in done.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/no/such/file"], "a stream must be an existing file"),
        (["-"], "the stream must be readable again"),
        (["{news}"], "the label must be 1, 0 or -1"),
        (["{table}"], "advise: --format csv needs --label"),
        (
            ["{table}", *WORDS, "--experts", "odor"],
            "advise: --experts is for forecasts, got csv",
        ),
        (["{table}", *WORDS, "--bias", "nan"], "bias must be a finite number"),
        (["{table}", *WORDS, "-l", "winnow"], "-l"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    table: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    news = tmp_path / "news.svm"
    news.write_text("sport 1:1\n")
    paths = {"news": news, "table": table}
    done = call(
        "advise", "-q", *(word.format(**paths) for word in words), stdin="1 1:1"
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.startswith("littlestone: ")
    assert (done.stdout, done.stderr.count("\n")) == ("", 1)
