"""`littlestone inspect` shows what is inside; `run` saves, loads and goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import call
from littlestone import models
from littlestone.cli.run import as_rounds
from littlestone.errors import ParameterError
from littlestone.linear import Perceptron

TEXT = "-1 1:1\n+1 2:1\n-1 1:1 3:1\n+1 2:1 3:0.5\n-1 1:0.5 2:0.25\n" * 8


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    path.write_text(TEXT)
    return path


@pytest.fixture
def model(file: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.lst"
    done = call("run", "-l", "perceptron", file, "-q", "--bias", 1, "--save", path)
    assert (done.returncode, done.stderr) == (0, "")
    return path


def test_a_model_is_shown(model: Path) -> None:
    done = call("inspect", model, "--top", 1)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "Perceptron(update='mistake', normalize=False, bias=1.0)"
    assert "  features  2" in lines
    assert lines[-2] == "  largest weights"
    found = json.loads(call("inspect", model, "--json").stdout)
    assert (found["learner"], found["features"]) == ("Perceptron", 2)
    assert len(found["largest"]) == 2
    assert found["digest"] == models.inspect(model).digest


def test_two_models_are_compared(model: Path, file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.lst"
    call("run", "-l", "perceptron", file, "-q", "--save", other)
    done = call("inspect", model, "--diff", other)
    assert done.stdout.splitlines()[-1].count("|") == 1
    found = json.loads(call("inspect", model, "--diff", other, "--json").stdout)
    assert found["facts"]["bias"] == ["1.0", "0.0"]
    assert call("inspect", model, "--diff", model).stdout == "no difference\n"


def test_a_certificate_is_shown_too(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    call("certify", "-l", "perceptron", file, "-q", "-o", path)
    shown = call("inspect", path)
    assert shown.returncode == 0
    assert "Perceptron" in shown.stdout
    told = json.loads(call("inspect", path, "--json").stdout)
    assert told == json.loads(path.read_text())


def test_what_is_no_model_is_refused_in_one_line(file: Path, tmp_path: Path) -> None:
    done = call("inspect", file)
    assert done.returncode == 2
    assert done.stderr.startswith(f"littlestone: {file}: a model file must be one of")
    assert done.stderr.count("\n") == 1
    assert call("inspect", tmp_path / "no.lst").returncode == 2


def test_a_model_goes_on_with_another_file(
    model: Path, file: Path, tmp_path: Path
) -> None:
    second = tmp_path / "second.lst"
    done = call("run", file, "-q", "--load", model, "--save", second)
    assert done.returncode == 0
    both = Perceptron(bias=1.0)
    from_file = call(
        "run",
        "-l",
        "perceptron",
        file,
        "-q",
        "--bias",
        1,
        "--passes",
        2,
        "--save",
        model,
    )
    assert from_file.returncode == 0
    assert second.read_bytes() == model.read_bytes()
    assert models.load(second).get_params() == both.get_params()


def test_a_run_goes_on(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "m.lst"
    words = ("--save", path, "--checkpoint-every", 7, "--resume", "--json", "-q")
    whole = json.loads(call("run", file, "--json", "-q").stdout)
    file.write_text("".join(TEXT.splitlines(keepends=True)[:17]))
    call("run", file, *words)
    file.write_text(TEXT)
    gone_on = json.loads(call("run", file, *words).stdout)
    for facts in (whole, gone_on):
        del facts["seconds"]
    assert gone_on == whole
    file.write_text(TEXT.replace("0.25", "0.5"))
    refused = call("run", file, *words)
    assert refused.returncode == 2
    assert "the stream must begin with the 40 rounds" in refused.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--resume",), "--resume needs --save"),
        (("--checkpoint-every", "1m"), "--checkpoint-every needs --save"),
        (("--save", "m", "--checkpoint-every", "0.5"), "must be a whole number"),
        (("--save", "m", "--resume", "-p", "p"), "--predictions must be given without"),
        (("--load", "no.lst"), "there is no such file"),
        (("--load", "no.lst", "--promotion", "3"), "without options of a learner"),
    ],
)
def test_options_that_do_not_fit(
    file: Path, words: tuple[str, ...], message: str
) -> None:
    done = call("run", file, "-q", *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_sizes_are_read() -> None:
    assert [as_rounds(x) for x in ("10k", "1M", "2.5m", "7")] == [
        *(10_000, 1_000_000, 2_500_000, 7)
    ]
    for text in ("", "k", "0", "-1", "1.5", "1e3", "0.0001k", "ten"):
        with pytest.raises(ParameterError, match="checkpoint-every must be"):
            as_rounds(text)


def test_control_characters_in_names_are_escaped(tmp_path: Path) -> None:
    file, model = tmp_path / "a.jsonl", tmp_path / "m.lst"
    file.write_text('{"pills\\u001b[2J": 1, "y": 0}\n')
    words = ("run", "-l", "perceptron", file, "--label", "y", "-q", "--save", model)
    assert call(*words).returncode == 0
    shown = call("inspect", model).stdout
    assert "\x1b" not in shown
    assert "pills\\x1b[2J" in shown
    wrong = call("inspect", tmp_path / "no\x1b[2Jfile")
    assert (wrong.returncode, "\x1b" in wrong.stderr) == (2, False)


def test_a_model_card_is_markdown(model: Path) -> None:
    done = call("inspect", model, "--card", "--top", 1)
    assert (done.returncode, done.stderr) == (0, "")
    parts = done.stdout.split("\n\n")
    assert parts[:2] == [
        "---\nlibrary_name: littlestone\ntags:\n- online-learning\n- Perceptron\n---",
        "# Perceptron",
    ]
    assert "| bias | `1.0` |" in done.stdout
    assert "| format | `svmlight` |" in done.stdout
    assert "| PERC-SEP | at most \\|u\\|^2 R^2 / gamma^2 updates |" in done.stdout
    assert f"`{models.inspect(model).digest}`" in done.stdout
    rows = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert all(line.replace(r"\|", "").count("|") == 3 for line in rows)
    assert call("inspect", model, "--card", "--json").returncode == 2
    assert call("inspect", model, "--card", "--diff", model).returncode == 2


def test_a_card_of_odd_names_stays_a_table(tmp_path: Path) -> None:
    learner = Perceptron()
    learner.learn_one({"a|b": 1, "`c`": 2, "d\x1b": 3}, False)
    models.save(learner, tmp_path / "m.lst")
    told = models.inspect(tmp_path / "m.lst").to_markdown()
    assert r"| `a\|b` | -1 |" in told
    assert "| `` `c` `` | -2 |" in told
    assert r"| `d\x1b` | -3 |" in told
