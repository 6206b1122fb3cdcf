"""The command line races learners over one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import Auto, run, streams
from littlestone.linear import PassiveAggressive, Perceptron, Winnow


@pytest.fixture
def file(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    X = rng.random((400, 20)) < 0.2
    path = tmp_path / "mail.svm"
    with path.open("w") as out:
        for x in X:
            text = " ".join(f"{j + 1}:1" for j in np.flatnonzero(x))
            out.write(f"{1 if x[:3].any() else -1} {text}\n")
    return path


WORDS = (
    *("-l", "perceptron", "-l", "winnow:threshold=20,promotion=1.5"),
    *("-l", "passive-aggressive:C=0.1"),
)
MADE: dict[str, Callable[[], Any]] = {
    "perceptron": Perceptron,
    "winnow:threshold=20,promotion=1.5": lambda: Winnow(threshold=20, promotion=1.5),
    "passive-aggressive:C=0.1": lambda: PassiveAggressive(C=0.1),
}


def test_a_race_is_ranked_by_mistakes(file: Path) -> None:
    done = call("race", file, *WORDS)
    assert done.returncode == 0
    alone = {
        name: run(make(), streams.svmlight(file)).mistakes
        for name, make in MADE.items()
    }
    head, *places = done.stdout.splitlines()[:4]
    assert head.split() == ["learner", "mistakes", "rate", "F1", "balanced", "time"]
    found = [(line.split()[1], int(line.split()[2])) for line in places]
    assert found == sorted(alone.items(), key=lambda item: item[1])
    assert f"400 rounds of {file}, read and played in" in done.stdout
    assert done.stderr.splitlines()[0].split()[:2] == ["round", "leader"]
    assert call("race", file, *WORDS, "--quiet").stderr == ""


def test_members_of_committees_stand_below_the_ranking(file: Path) -> None:
    out = call("race", file, "-q", "-l", "auto", "-l", "perceptron").stdout
    (line,) = (each for each in out.splitlines() if each.startswith("members of "))
    record = run(Auto(), streams.open(file))
    lost = record.expert_losses or {}
    pairs = line.removeprefix("members of auto: ").split(", ")
    shown = {name: float(n) for name, n in (each.rsplit(" ", 1) for each in pairs)}
    assert shown == lost
    assert [*shown.values()] == sorted(lost.values())


def test_json_has_every_record_as_run_has_it(file: Path) -> None:
    facts = json.loads(call("race", file, *WORDS, "--json", "-q").stdout)
    assert facts["rounds"] == 400
    assert facts["left"] == []
    assert len(facts["ranking"]) == len(MADE)
    for found in facts["ranking"]:
        expected = run(MADE[found["name"]](), streams.svmlight(file)).to_dict()
        del expected["mistake_rounds"]
        assert {name: found[name] for name in expected} == json.loads(
            json.dumps(expected)
        )


def test_who_leaves_is_told(file: Path) -> None:
    text = file.read_text().splitlines()
    text[100] += " 21:3"
    words = ("race", "-", *WORDS, "-q")
    done = call(*words, stdin="\n".join(text))
    assert done.returncode == 0
    gone = next(line for line in done.stdout.splitlines() if " left " in line)
    assert gone.startswith("winnow:threshold=20,promotion=1.5 left after 100 rounds: ")
    facts = json.loads(call(*words, "--json", stdin="\n".join(text)).stdout)
    assert [each["after"] for each in facts["left"]] == [100]
    assert len(facts["ranking"]) == 2


def test_who_skips_what_it_refuses_stays(file: Path) -> None:
    text = file.read_text().splitlines()
    text[100] += " 21:3"
    file.write_text("\n".join(text))
    words = ("race", file, *WORDS, "-q", "--on-error", "skip")
    for more in ((), ("--workers", 0)):
        facts = json.loads(call(*words, "--json", *more).stdout)
        assert facts["left"] == []
        assert facts["rounds"] == 400
        for found in facts["ranking"]:
            alone = run(
                MADE[found["name"]](), streams.svmlight(file), on_error="skip"
            ).to_dict()
            assert (found["mistakes"], found["rounds"]) == (
                alone["mistakes"],
                alone["rounds"],
            )
            assert found.get("refused", 0) == ("winnow" in found["name"])
    head, *places = call(*words).stdout.splitlines()[:4]
    at = head.split().index("refused") + 1
    refused = {line.split()[1].partition(":")[0]: line.split()[at] for line in places}
    assert refused == {"winnow": "1", "perceptron": "0", "passive-aggressive": "0"}


def test_a_bound_stands_beside_the_mistakes(file: Path) -> None:
    words = ("-l", "perceptron", "-l", "winnow:threshold=20,eliminate")
    known = ("--declare", "features=20,relevant=3")
    done = call("race", file, *words, *known, "-q")
    assert "at most" in done.stdout.splitlines()[0]
    facts = json.loads(call("race", file, *words, *known, "-q", "--json").stdout)
    by_name = {each["name"]: each for each in facts["ranking"]}
    winnow = by_name["winnow:threshold=20,eliminate"]
    assert winnow["mistakes"] <= winnow["bound"]
    assert "bound" not in by_name["perceptron"]


def test_learners_that_suit_the_file_race_where_nobody_is_named(
    file: Path, tmp_path: Path
) -> None:
    def names(*words: object) -> set[str]:
        done = call("race", *words, "-q", "--json")
        assert done.returncode == 0, done.stderr
        return {each["learner"]["name"] for each in json.loads(done.stdout)["ranking"]}

    assert "AROW" in names(file)
    table = tmp_path / "table.csv"
    table.write_text("odor,cap,y\nfoul,white,1\nnone,white,0\nfoul,brown,1\n")
    assert "AROW" in names(table, "--label", "y")
    assert "DisjunctionLearner" in names(table, "--label", "y", "--literals")
    loads = tmp_path / "load.csv"
    loads.write_text("y,a,b\n1,0.5,1\n2,2.5,\n")
    assert "BOA" in names(loads, "--label", "y", "--experts", "a")
    assert "BOA" in names(loads, "--label", "y", "--missing", "sleep")
    assert "BOA" in names(loads, "--label", "y", "-F", "forecasts", "--experts", "a")
    many = tmp_path / "many.svm"
    many.write_text("cat 1:1\ndog 2:1\ncat 1:1\n")
    words = ("-l", "multiclass-perceptron", "-l", "multiclass-passive-aggressive")
    assert len(names(many, *words)) == 2


def test_skipped_lines_are_told(file: Path) -> None:
    with file.open("a") as out:
        out.write("nonsense\n")
    done = call("race", file, "-q", "--on-error", "skip", "--passes", "2")
    assert "skipped 1 line that could not be read" in done.stdout
    assert "800 rounds" in done.stdout


def test_an_option_behind_a_name_is_given_once(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n0 2:1\n")
    done = call("race", path, "-l", "committee:member=arow,member=perceptron")
    assert done.returncode == 2
    assert "'member' twice; several values of one are joined by +" in done.stderr
