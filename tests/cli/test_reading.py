"""Every command reads a file in the same way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import run, streams
from littlestone.experts import BOA
from littlestone.linear import Perceptron

READ = ("--label", "y")


@pytest.fixture
def numbers(tmp_path: Path) -> Path:
    """Write a table of numbers and categories, of which no learner knows the rule."""
    rng = np.random.default_rng(3)
    path = tmp_path / "numbers.csv"
    with path.open("w") as out:
        out.write("a,b,town,y\n")
        for a, b, town in zip(
            rng.normal(size=200),
            rng.normal(size=200),
            rng.choice(["Ulm", "Bonn", ""], 200),
            strict=True,
        ):
            out.write(f"{a:.3f},{b:.3f},{town},{int(a + b > 0.5 * (town == 'Ulm'))}\n")
    return path


def facts(*words: object) -> Any:
    done = call(*words, "-q", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_table_of_numbers_is_read_alike_by_every_command(numbers: Path) -> None:
    stream = streams.csv(numbers, label="y")
    mistakes = run(Perceptron(bias=1), stream).mistakes
    learner = ("-l", "perceptron:bias=1")
    assert facts("run", numbers, *READ, *learner)["mistakes"] == mistakes
    assert facts("report", numbers, *READ, *learner)["mistakes"] == mistakes
    certificate = facts("certify", numbers, *READ, *learner)
    assert certificate["mistakes"] == mistakes
    ranking = facts("race", numbers, *READ)["ranking"]
    raced = {each["name"]: each["mistakes"] for each in ranking}
    assert raced["perceptron:bias=1"] == mistakes
    advice = facts("advise", numbers, *READ)
    names = {feature for x, _ in stream for feature in x}
    assert advice["survey"]["features"] == len(names) == 4


def test_literals_are_read_alike_by_every_command(numbers: Path) -> None:
    read = (*READ, "--thresholds", "a=0,1", "--literals")
    stream = streams.csv(numbers, label="y", literals=True, thresholds={"a": [0, 1]})
    mistakes = run(Perceptron(), stream).mistakes
    assert facts("run", "-l", "perceptron", numbers, *read)["mistakes"] == mistakes
    assert facts("certify", "-l", "perceptron", numbers, *read)["mistakes"] == mistakes
    words = ("-l", "perceptron", "-l", "disjunction")
    ranking = facts("race", numbers, *read, *words)["ranking"]
    raced = {each["name"]: each["mistakes"] for each in ranking}
    # A learner of rules reads literals by itself.
    alone = facts("run", numbers, *read[:-1], "-l", "disjunction")["mistakes"]
    assert raced == {"perceptron": mistakes, "disjunction": alone}


def test_rules_and_numbers_do_not_race_over_one_reading(numbers: Path) -> None:
    words = ("-l", "perceptron", "-l", "disjunction")
    done = call("race", numbers, *READ, *words)
    assert done.returncode == 2
    assert done.stderr == (
        "littlestone: race: disjunction reads literals and perceptron numbers from "
        "CSV, so --literals must be given to read literals for all\n"
    )


def test_forecasts_are_read_alike_by_every_command(tmp_path: Path) -> None:
    path = tmp_path / "load.csv"
    path.write_text("a,b,y\n0.5,,1\n0.1,0.9,0\n,0.3,1\n0.2,0.4,1\n")
    loss = run(BOA(), streams.forecasts(path, label="y", missing="sleep")).loss
    read = (*READ, "--missing", "sleep", "-l", "boa")
    for form in ((), ("-F", "forecasts")):
        assert facts("run", path, *read, *form)["loss"] == loss
        assert facts("race", path, *read, *form)["ranking"][0]["loss"] == loss
    done = call("run", path, *read, "-F", "csv")
    assert done.returncode == 2
    assert "boa must read --format forecasts, got --format csv" in done.stderr
    done = call("run", path, *READ, "-F", "forecasts", "-l", "arow")
    assert "arow must read a --format with features" in done.stderr
