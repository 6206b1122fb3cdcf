"""The command line plays files, reports, and says in one line what is wrong."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from littlestone import experts, linear, run, streams
from littlestone.cli.run import LearnerName
from littlestone.linear import Perceptron, Winnow

TEXT = "-1 1:1\n+1 2:1\n-1 2:1\n+1 1:0.5 3:1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    path.write_text(TEXT)
    return path


def call(*words: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "littlestone", *map(str, words)]
    # A wide terminal, so that help texts are not folded.
    return subprocess.run(
        command,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
    )


def test_a_run_prints_a_summary_and_progress_lines(file: Path) -> None:
    done = call("run", file)
    assert done.returncode == 0
    record = run(Perceptron(), streams.svmlight(file))
    assert "learner   Perceptron(update='mistake', normalize=False" in done.stdout
    assert "rounds    4\n" in done.stdout
    assert f"mistakes  {record.mistakes} (" in done.stdout
    assert [line.split()[2] for line in done.stderr.splitlines()[2:]] == ["1", "2", "4"]


def test_quiet_shows_no_progress(file: Path) -> None:
    assert call("run", file, "--quiet").stderr == ""


def test_json_is_the_record(file: Path) -> None:
    options = ("--update", "margin", "--normalize", "--bias", "0.5", "--passes", "3")
    done = call("run", file, "--json", "--quiet", *options)
    learner = Perceptron(update="margin", normalize=True, bias=0.5)
    expected = run(learner, streams.svmlight(file), passes=3).to_dict()
    del expected["mistake_rounds"]
    found = json.loads(done.stdout)
    assert {name: found[name] for name in expected} == expected
    assert found["file"] == str(file)
    assert found["skipped"] == 0


def test_winnow_runs_with_its_options(file: Path) -> None:
    options = ("--threshold", "2", "--promotion", "1.5")
    done = call("run", file, "--json", "-q", "-l", "winnow", *options)
    learner = Winnow(threshold=2, promotion=1.5)
    expected = run(learner, streams.svmlight(file)).mistakes
    assert json.loads(done.stdout)["mistakes"] == expected


def test_predictions_are_written_a_line_a_round(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    assert call("run", file, "-q", "--predictions", out).returncode == 0
    said: list[bool] = []
    run(
        Perceptron(),
        streams.svmlight(file),
        observe=lambda turn: said.extend(turn.predictions.tolist()),
    )
    assert out.read_text() == "".join(f"{int(p)}\n" for p in said)


def test_predictions_never_empty_a_file_before_there_are_any(tmp_path: Path) -> None:
    kept = tmp_path / "kept.txt"
    kept.write_text("kept")
    assert call("run", tmp_path / "none.svm", "-q", "-p", kept).returncode == 2
    assert kept.read_text() == "kept"


def test_standard_input_is_a_dash(file: Path) -> None:
    piped = json.loads(call("run", "-", "--json", stdin=TEXT).stdout)
    direct = json.loads(call("run", file, "--json").stdout)
    for name in ("rounds", "mistakes", "updates", "curve"):
        assert piped[name] == direct[name]


def test_skipped_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "bad.svm"
    path.write_text(TEXT + "nonsense\n" + TEXT)
    done = call("run", path, "--on-error", "skip")
    assert done.returncode == 0
    assert "skipped   1 lines that could not be read" in done.stdout
    assert "rounds    8\n" in done.stdout


def test_a_terminal_gets_a_bar(file: Path) -> None:
    master, slave = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "littlestone", "run", str(file)],
        stdout=subprocess.PIPE,
        stderr=slave,
        text=True,
        check=True,
    )
    os.close(slave)
    shown = b""
    while b"mistakes" not in shown:
        shown += os.read(master, 4096)
    os.close(master)
    assert "rounds    4\n" in done.stdout


NEEDED: dict[str, list[str]] = {
    "winnow": ["--threshold", "2"],
    "balanced-winnow": ["--rate", "0.5", "--scale", "2"],
}


@pytest.mark.parametrize("name", [n for n in LearnerName if not n.takes_advice])
def test_every_linear_learner_can_be_named(file: Path, name: LearnerName) -> None:
    done = call("run", file, "-q", "--json", "-l", name.value, *NEEDED.get(name, []))
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["learner"]["name"] == name.class_name
    given = {"threshold": 2.0} if name is LearnerName.WINNOW else {}
    if name is LearnerName.BALANCED_WINNOW:
        given = {"rate": 0.5, "scale": 2.0}
    learner = getattr(linear, name.class_name)(**given)
    labels: Any = "any" if learner.any_labels else "two"
    record = run(learner, streams.svmlight(file, labels=labels))
    assert (facts["mistakes"], facts["updates"]) == (record.mistakes, record.updates)


# They learn from labels alone, from distributions, or from examples.
UNNAMED = {
    "AggregatingAlgorithm",
    "Committee",
    "Cover",
    "FollowTheMajority",
    "PackedAdvice",
}


def test_every_learner_there_is_can_be_named() -> None:
    named = {name.class_name for name in LearnerName}
    assert named == set(linear.__all__) | set(experts.__all__) - UNNAMED


@pytest.fixture
def advice(tmp_path: Path) -> Path:
    path = tmp_path / "advice.csv"
    rows = ["1,0,1,1", "0,0,1,0", "1,1,0,1", "0,1,0,0", "0,1,1,0"]
    path.write_text("ann,bob,cyd,y\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize("name", [n for n in LearnerName if n.takes_advice])
def test_every_learner_that_follows_experts_can_be_named(
    advice: Path, name: LearnerName
) -> None:
    done = call("run", advice, "-q", "--json", "-l", name.value, "--label", "y")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    learner = getattr(experts, name.class_name)()
    outcome = learner.outcomes_are.removesuffix("s")
    record = run(learner, streams.csv(advice, label="y", outcome=outcome))
    assert facts["learner"]["name"] == name.class_name
    assert facts["weights"] == dict(learner.weights_)
    assert (facts["loss"], facts["regret"]) == (record.loss, record.regret)
    assert facts["best_expert"] == record.best_expert == "ann"


def test_experts_are_columns_of_a_file(advice: Path, tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    done = call(
        *("run", advice, "-l", "hedge", "--experts", "ann,bob", "--label", "y"),
        *("--eta", "0.25", "--loss", "absolute", "--predictions", said),
    )
    assert done.returncode == 0, done.stderr
    learner = experts.ExponentialWeights(0.25, "absolute")
    record = run(learner, streams.csv(advice, label="y", experts=("ann", "bob")))
    assert f"loss      {record.loss:.8g}" in done.stdout
    assert f"regret    {record.regret:.8g} to ann" in done.stdout
    assert f"weights   ann {learner.weights_['ann']:.4f}, bob" in done.stdout
    assert done.stderr.startswith("average         since")
    first = experts.ExponentialWeights(0.25, "absolute").predict_one([1.0, 0.0])
    assert said.read_text().splitlines()[0] == str(first)


def test_options_reach_the_learner_that_follows_experts(advice: Path) -> None:
    done = call(
        *("run", advice, "-q", "--json", "-l", "boa", "--label", "3"),
        *("--experts", "0,2", "--loss", "pinball:0.25", "--range=-1,4"),
        *("--gradient", "--form", "published", "--on-error", "skip"),
    )
    facts = json.loads(done.stdout)
    assert facts["learner"]["parameters"] == {
        "loss": "losses.pinball(0.25)",
        "form": "published",
        "gradient": True,
        "range": [-1.0, 4.0],
        "experts": None,
    }
    assert (facts["rounds"], facts["skipped"]) == (5, 1)  # the header is no number


def test_a_warning_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text("ann,bob,y\n1,1,0\n")
    done = call("run", path, "-q", "-l", "halving", "--label", "y")
    assert done.returncode == 0
    assert done.stderr.startswith("littlestone: Halving: every expert has been wrong")
    assert done.stderr.count("\n") == 1


def test_an_expert_without_a_prediction_may_sleep(tmp_path: Path) -> None:
    path = tmp_path / "holes.csv"
    path.write_text("ann,bob,y\n0.5,,1\n,0.25,0\n")
    arguments = ["run", path, "-q", "-l", "ada-hedge", "--label", "y"]
    assert call(*arguments).returncode == 2
    done = call(*arguments, "--missing", "sleep", "--json")
    assert json.loads(done.stdout)["expert_losses"] == {"ann": 0.25, "bob": 0.0625}


def test_options_reach_the_learner(file: Path) -> None:
    for words, expected in (
        ("-l passive-aggressive -C 0.5 --mode II", {"C": 0.5, "mode": "II"}),
        ("-l passive-aggressive --mode none", {"C": 1.0, "mode": None}),
        ("-l arow --r 3 --full", {"r": 3.0, "diagonal": False}),
        (
            (
                "-l kernel-perceptron --kernel polynomial --degree 2 --gamma 0.5 "
                "--offset 0.25 --budget 3 --seed 9 --update margin"
            ),
            {
                "kernel": "polynomial",
                "degree": 2,
                "gamma": 0.5,
                "offset": 0.25,
                "budget": 3,
                "seed": 9,
                "update": "margin",
            },
        ),
    ):
        done = call("run", file, "-q", "--json", *words.split())
        facts = json.loads(done.stdout)
        assert facts["learner"]["parameters"].items() >= expected.items()


def test_raw_text_is_learned_from_in_one_command(tmp_path: Path) -> None:
    path, out = tmp_path / "mail.tsv", tmp_path / "said"
    path.write_text("label\tto\ttext\nham\tann\tSee you\nspam\tann\tFree, see\n")
    words = ("--label", "label", "--columns", "text", "--positive", "spam")
    done = call("run", path, "-f", "text", *words, "-p", out, "--json", "-q")
    assert json.loads(done.stdout)["mistakes"] == 2
    assert out.read_text() == "1\n0\n"
    options = ("--ngrams", "2", "--counts", "--keep-case", "--hash-bits", "10")
    done = call("run", path, "-f", "text", *words, *options, "-q")
    assert "6 of 1,024 buckets used; 0.00% of the entries collided" in done.stdout


def test_classes_are_learned_and_written_as_they_are(tmp_path: Path) -> None:
    path, out = tmp_path / "news.svm", tmp_path / "said"
    path.write_text("sport 1:1\nfood 2:1\nsport 1:1\nfood 2:1 3:1\n")
    done = call("run", path, "-l", "multiclass-perceptron", "-p", out)
    assert "mistakes  2 (50.0000%)" in done.stdout
    assert out.read_text() == "\nsport\nsport\nfood\n"
    assert done.stderr.splitlines()[-1].split()[-3:-1] == ["food", "food"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["/no/such/file"], "/no/such/file: a stream must be an existing file"),
        (["{bad}"], "bad.svm:2: the label must be 1, 0 or -1"),
        (["{bad}", "--passes", "0"], "passes must be a whole number above 0, got 0"),
        (["{bad}", "-l", "winnow"], "--learner winnow needs --threshold"),
        (["{bad}", "-l", "winnow", "--threshold", "0"], "threshold must be at least 1"),
        (["{negative}", "-l", "winnow", "--threshold", "2"], "negative.svm:1: Winnow:"),
        (["{empty}"], "at least one example, got none"),
        (["{bad}", "--bias", "nan"], "bias must be a finite number, got nan"),
        (["{bad}", "-p", "/no/such/folder/out"], "--predictions must be a file"),
        (["-", "--passes", "2"], "readable again for 2 passes"),
        (["{bad}", "--nonsense"], "--nonsense"),
        (["{bad}", "--threshold", "5"], "--threshold is no option of perceptron"),
        (["{bad}", "-l", "winnow", "--bias", "1"], "--bias is no option of winnow"),
        (["{bad}", "--full"], "--full is no option of perceptron"),
        (["{bad}", "-C", "1"], "-C is no option of perceptron"),
        (["{bad}", "-l", "balanced-winnow"], "balanced-winnow needs --rate"),
        (["{bad}", "-f", "text"], "--format text needs --label"),
        (["{bad}", "--ngrams", "2"], "--ngrams is an option of --format text only"),
        (["{bad}", "--hash-bits", "25"], "from 1 to 24, got 25"),
        (["{bad}", "-l", "hedge"], "--format csv needs --label"),
        (["{bad}", "-l", "hedge", "-f", "text"], "for learners that follow experts"),
        (["{bad}", "--experts", "a"], "--experts is for learners that follow experts"),
        (["{bad}", "-l", "hedge", "--label", "y", "--ngrams", "2"], "--ngrams is no"),
        (["{bad}", "-l", "hedge", "--label", "y", "--keep-case"], "--keep-case is no"),
        (["{bad}", "-l", "boa", "--loss", "pinball"], "as in pinball:0.9"),
        (["{bad}", "-l", "boa", "--loss", "cubic"], "got 'cubic'"),
        (["{bad}", "-l", "boa", "--range", "1"], "two numbers, LOW,HIGH, got '1'"),
        (["{bad}", "-l", "hedge", "--alpha", "0.1"], "--alpha is no option of hedge"),
        (["{good}", "-f", "text", "--label", "y"], "good.svm"),
        (["{empty}", "-p", "{empty}"], "must not be the file that is read"),
        (["{cut}"], "cut.svm: the compressed data must be complete"),
        (["{good}", "-p", "/dev/full"], "No space left on device"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_exit_code_2(
    tmp_path: Path, words: list[str], message: str
) -> None:
    contents = {
        "bad": b"1 1:1\nspam 1:1\n",
        "negative": b"1 1:-1\n",
        "empty": b"",
        "cut": gzip.compress(b"1 1:1\n")[:20],
        "good": b"1 1:1\n",
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.svm").write_bytes(content)
    paths = {name: str(tmp_path / f"{name}.svm") for name in contents}
    done = call("run", "-q", *(word.format(**paths) for word in words))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("littlestone: ")
    assert done.stderr.count("\n") == 1


def test_help_teaches_and_version_tells() -> None:
    assert "run" in call("--help").stdout
    shown = call("run", "--help").stdout
    assert "littlestone run mail.svm.gz --learner perceptron --bias 1" in shown
    assert call("--version").stdout.startswith("littlestone 0.")
    assert call().stdout == call("--help").stdout
    assert call("nonsense").returncode == 2


def test_control_c_ends_a_run_in_one_line() -> None:
    command = [sys.executable, "-m", "littlestone", "run", "-", "-q"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stderr is not None
        running.stdin.write("1 1:1\n")
        running.stdin.flush()
        time.sleep(1.5)  # until it waits for more
        running.send_signal(signal.SIGINT)
        assert running.wait(20) == 130
        assert running.stderr.read() == "littlestone: interrupted\n"


def test_whoever_stops_reading_gets_no_traceback(file: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "littlestone", "run", str(file), "--json", "-q"]
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")
