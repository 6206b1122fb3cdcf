"""`littlestone predict`: a model and examples without labels."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from command import call
from littlestone import Auto, MulticlassAuto, models, run, streams
from littlestone.boolean import DisjunctionLearner
from littlestone.linear import Perceptron

MAIL = "kind\ttext\nham\tSee you at ten\nspam\tFree MONEY now\nham\tyou are late\n"


def learned(folder: Path, name: str, content: str, *words: object) -> Path:
    """Learn from a file, several times over, and return the model file."""
    path, model = folder / name, folder / "model.lst"
    path.write_text(content)
    done = call("run", path, *words, "--passes", 9, "--save", model, "-q")
    assert done.returncode == 0, done.stderr
    return model


def predicted(model: Path, *words: object, stdin: str | None = None) -> list[str]:
    done = call("predict", model, *words, stdin=stdin)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    words = ("-F", "text", "--label", "kind", "--positive", "spam", "-l", "arow")
    return learned(tmp_path, "mail.tsv", MAIL, *words)


@pytest.mark.parametrize(
    "content",
    [
        "Free money!\nSee you\n",  # documents alone
        "text\nFree money!\nSee you\n",  # a header
        "id\ttext\n1\tFree money!\n2\tSee you\n",  # other columns
        MAIL.replace("ham", "?").replace("See you at ten", "Free money!", 1),
    ],
)
def test_text_needs_no_label(content: str, mail: Path, tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    path.write_text(content)
    assert predicted(mail, path)[0] == "spam"
    assert predicted(mail, path)[-1] == "ham"


def test_without_a_file_standard_input_is_read(mail: Path) -> None:
    assert predicted(mail, stdin="free money\nsee you\n") == ["spam", "ham"]
    assert predicted(mail, "-", stdin="see you\n") == ["ham"]


@pytest.mark.parametrize(
    ("name", "lines", "words", "new"),
    [
        ("a.svm", "1 3:1\n0 4:1\n", (), "3:1\n4:1\n0 3:1\n"),
        ("a.vw", "1 | a\n0 | b\n", (), "| a\n| b\n0 | a\n"),
        (
            "a.jsonl",
            '{"label": 1, "a": 1}\n{"label": 0, "b": 1}\n',
            (),
            '{"a": 1}\n{"b": 1}\n{"label": null, "a": 1}\n',
        ),
        ("a.csv", "y,a,c\n1,1,x\n0,-1,z\n", ("--label", "y"), "c,a\nx,1\nz,-1\nx,1\n"),
        ("n.csv", "1,1,x\n0,-1,z\n", ("--label", "0"), "1,x\n-1,z\n1,x\n"),
    ],
)
def test_every_format_can_be_predicted_without_labels(
    name: str, lines: str, words: tuple[str, ...], new: str, tmp_path: Path
) -> None:
    model = learned(tmp_path, name, lines, *words)
    path = tmp_path / f"new.{name}"
    path.write_text(new)
    assert predicted(model, path) == ["1", "0", "1"]
    assert predicted(model, stdin=new) == ["1", "0", "1"]


def test_a_table_may_be_parquet(tmp_path: Path) -> None:
    words = ("--label", "let", "--positive", "yes")
    flats = "rooms,city,let\n2,Ghent,yes\n-3,Bruges,no\n"
    model = learned(tmp_path, "flats.csv", flats, *words)
    table = pa.table({"city": ["Bruges", "Ghent"], "rooms": [-3.0, 2.0]})
    parquet.write_table(table, tmp_path / "new.parquet")
    assert predicted(model, tmp_path / "new.parquet") == ["no", "yes"]


def test_scores_follow_the_prediction(mail: Path) -> None:
    learner: Any = models.load(mail)
    lines = predicted(mail, "--scores", stdin="free money\nsee you\n")
    for line, words in zip(lines, (["free", "money"], ["see", "you"]), strict=True):
        said, score = line.split("\t")
        exact = learner.score_one(dict.fromkeys(words, 1.0))
        assert float(score) == exact
        assert said == ("spam" if exact >= 0 else "ham")


def test_classes_are_called_as_they_were_given(tmp_path: Path) -> None:
    flowers = "size,kind\n1,setosa\n5,virginica\n"
    words = ("--label", "kind", "-l", "multiclass-perceptron:bias=1")
    model = learned(tmp_path, "iris.csv", flowers, *words)
    assert predicted(model, stdin="size\n1\n5\n") == ["setosa", "virginica"]
    (line,) = predicted(model, "--json", "--scores", stdin="size\n5\n")
    found = json.loads(line)
    assert found["prediction"] == max(found["scores"], key=found["scores"].get)
    assert list(found["scores"]) == ["setosa", "virginica"]
    (line,) = predicted(model, "--scores", stdin="size\n5\n")
    assert line.startswith("virginica\tsetosa:")


def test_no_is_called_as_in_the_file_unless_it_has_several_names(
    tmp_path: Path,
) -> None:
    words = ("--label", "y", "--positive", "good", "-l", "arow")
    rows = "a,y\n1,good\n-1,bad\n"
    model = learned(tmp_path, "two.csv", rows, *words)
    assert predicted(model, stdin="a\n1\n-1\n") == ["good", "bad"]
    model = learned(tmp_path, "three.csv", rows + "-2,awful\n", *words)
    assert predicted(model, stdin="a\n1\n-1\n") == ["good", "not good"]
    lines = "bad 1:1\ngood 2:1\n"
    model = learned(tmp_path, "a.svm", lines, "--positive", "good")
    assert models.reading(model) == (
        streams.Reading("svmlight", {"positive": "good"}, "bad")
    )


def test_forecasts_are_combined_without_an_outcome(tmp_path: Path) -> None:
    rounds = "day,ann,bob,y\nMo,1,0,1\nTu,0,1,0\n"
    words = ("--label", "y", "--experts", "ann,bob", "-l")
    model = learned(tmp_path, "f.csv", rounds, *words, "hedge", "--range", "0,1")
    (said,) = predicted(model, stdin="day,ann,bob\nWe,1,0\n")
    assert float(said) == models.load(model).predict_one({"ann": 1, "bob": 0}) > 0.9
    drawn = learned(tmp_path, "f.csv", rounds, *words, "randomized-weighted-majority")
    (line,) = predicted(drawn, "--probabilities", stdin="ann,bob\n1,0\n")
    assert float(line.split("\t")[1]) > 0.9


@pytest.mark.parametrize("learner", ["multiclass-auto", "multiclass-ada-grad"])
def test_probabilities_of_classes_are_those_of_each_row_alone(
    tmp_path: Path, learner: str
) -> None:
    rows = ["1,0,0\n", "0,1,0\n", "0,0,1\n"]
    flowers = "".join(f"{row[:-1]},{y}\n" for row, y in zip(rows, "abc", strict=True))
    model = learned(
        tmp_path, "m.csv", f"x,y,z,kind\n{flowers}", "--label", "kind", "-l", learner
    )
    words = "--json", "--probabilities"
    together = predicted(model, *words, stdin="x,y,z\n" + "".join(rows))
    alone = [predicted(model, *words, stdin=f"x,y,z\n{row}")[0] for row in rows]
    assert together == alone
    chances = json.loads(together[2])["probabilities"]
    assert max(chances, key=chances.get) == "c"


@pytest.mark.parametrize("learner", ["auto", "coin-betting"])
def test_probabilities_of_features(tmp_path: Path, learner: str) -> None:
    lines = "1 1:1 2:0.5\n0 1:-1 2:0.5\n"
    model = learned(tmp_path, "m.svm", lines * 20, "-l", learner)
    said = predicted(model, "--probabilities", "-F", "svmlight", stdin=lines)
    yes, no = (float(line.split("\t")[1]) for line in said)
    assert 0 < no < 0.5 < yes < 1
    (one,) = predicted(model, "--probabilities", "-F", "svmlight", stdin=lines[:11])
    assert float(one.split("\t")[1]) == yes


def test_rules_predict_literals(tmp_path: Path) -> None:
    rows = "odor,y\nfoul,1\nnone,0\n"
    model = learned(tmp_path, "m.csv", rows, "--label", "y", "-l", "disjunction")
    assert predicted(model, stdin="odor\nfoul\nnone\n") == ["1", "0"]


def test_tags_come_last(tmp_path: Path) -> None:
    model = learned(tmp_path, "a.vw", "1 | a\n0 | b\n")
    lines = predicted(model, "--scores", "-F", "vw", stdin="first| a\n| b\n")
    assert [line.split("\t")[0::2] for line in lines] == [["1", "first"], ["0"]]


def test_the_output_file_is_written_as_a_whole(mail: Path, tmp_path: Path) -> None:
    out = tmp_path / "said.txt"
    assert predicted(mail, "-o", out, stdin="free money\n") == []
    assert out.read_text() == "spam\n"
    assert [path.name for path in tmp_path.glob(".*")] == []
    for taken in (mail, tmp_path / "mail.tsv"):
        done = call("predict", mail, tmp_path / "mail.tsv", "-o", taken)
        assert done.returncode == 2
        assert "--output must not be a file that is read" in done.stderr


def test_what_a_learner_lacks_is_refused(mail: Path, tmp_path: Path) -> None:
    done = call("predict", mail, "--probabilities", stdin="free\n")
    assert "--probabilities is for auto, learners with --loss log" in done.stderr
    rule = DisjunctionLearner()
    models.save(rule, tmp_path / "rule.lst")
    done = call("predict", tmp_path / "rule.lst", "--scores", stdin="1 3:1\n")
    assert "--scores is for linear learners, got DisjunctionLearner" in done.stderr
    done = call("predict", mail, "--ngrams", "2", stdin="free\n")
    assert "--ngrams must be 1, as " in done.stderr


def test_a_stream_of_strangers_is_warned_about(mail: Path) -> None:
    done = call("predict", mail, stdin="12\n13\n")
    assert done.stdout == "spam\nspam\n"
    assert "none of the features of the first 2 examples is known" in done.stderr


def test_a_model_without_a_reading_takes_the_options(tmp_path: Path) -> None:
    learner = Perceptron()
    learner.learn_one({"a": 1.0}, False)
    models.save(learner, tmp_path / "m.lst")
    words = ("-F", "csv", "--label", "y")
    done = call("predict", tmp_path / "m.lst", *words, stdin="a\n1\n-1\n")
    assert done.stdout.split() == ["0", "1"]
    assert "needs --label" in call("predict", tmp_path / "m.lst", "-F", "csv").stderr


def test_predictions_are_those_of_run(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("".join(f"{n % 2} {n % 7}:1 {n % 5 + 9}:0.5\n" for n in range(500)))
    model = learned(tmp_path, "b.svm", path.read_text())
    said = tmp_path / "said.txt"
    call("run", path, "-t", "-i", model, "-p", said, "-q")
    assert predicted(model, path) == said.read_text().split()


def test_a_row_that_is_refused_is_named_after_those_before_it(tmp_path: Path) -> None:
    learner = DisjunctionLearner()
    run(learner, streams.arrays([[1.0, 0.0]], [1]))
    models.save(learner, tmp_path / "m.lst")
    done = call("predict", tmp_path / "m.lst", stdin="0:1\n0:0.5\n1:1\n")
    assert (done.returncode, done.stdout) == (2, "1\n")
    assert "<stdin>:2: " in done.stderr
    skip = call(
        "predict", tmp_path / "m.lst", "--on-error", "skip", stdin="0:1\n0:0.5\n"
    )
    assert (skip.returncode, skip.stdout) == (0, "1\n")


def test_each_line_is_answered_before_the_next_is_written(mail: Path) -> None:
    words = [sys.executable, "-m", "littlestone", "predict", str(mail)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line, answer in [("free money", "spam"), ("see you", "ham")] * 3:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert process.stdout.readline() == f"{answer}\n"
        process.stdin.close()
        assert process.stdout.read() == ""


@pytest.mark.parametrize("learner", [Auto(), MulticlassAuto()], ids=str)
def test_a_committee_saved_from_python_is_played(learner: Any, tmp_path: Path) -> None:
    model, file = tmp_path / "team.lst", tmp_path / "team.svm"
    file.write_text("1 0:1\n0 1:1\n")
    run(learner, [([1.0, 0.0], 1), ([0.0, 1.0], 0)])
    models.save(learner, model)
    done = call("run", file, "-t", "-i", model, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
