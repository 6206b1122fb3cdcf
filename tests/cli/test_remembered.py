"""A model file remembers how its stream was read, and `-i` reads in the same way."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from command import call
from littlestone import models, run, streams
from littlestone.boolean import DisjunctionLearner
from littlestone.errors import UnknownFeaturesWarning, UnknownLabelWarning
from littlestone.linear import AveragedPerceptron, MulticlassPerceptron, Perceptron

MAIL = "kind\ttext\nham\tSee you at ten\nspam\tFree MONEY now\n"
LEARN = ("-F", "text", "--label", "kind", "--positive", "spam", "--ngrams", "2")


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    """Write mail, and the model of a Perceptron that has learned from it."""
    path = tmp_path / "mail.tsv"
    path.write_text("kind\ttext\n" + "ham\tSee you at ten\nspam\tFree MONEY now\n" * 3)
    model = tmp_path / "mail.lst"
    done = call("run", path, *LEARN, "--keep-case", "-b", "10", "-f", model, "-q")
    assert done.returncode == 0, done.stderr
    return model


def flats(folder: Path) -> tuple[Path, Path]:
    path, model = folder / "flats.csv", folder / "flats.lst"
    path.write_text("rooms,city,let\n" + "2,Ghent,yes\n3,Bruges,no\n" * 5)
    done = call("run", path, "--label", "let", "--positive", "yes", "-f", model, "-q")
    assert done.returncode == 0, done.stderr
    return path, model


def facts(*words: object) -> Any:
    done = call(*words, "-q", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_no_option_has_to_be_given_again(mail: Path, tmp_path: Path) -> None:
    again = facts("run", tmp_path / "mail.tsv", "-t", "-i", mail)
    assert (again["rounds"], again["mistakes"]) == (6, 0)
    assert again["buckets"] > 0
    same = (*LEARN, "--keep-case", "-b", "10")
    assert facts("run", tmp_path / "mail.tsv", "-t", "-i", mail, *same)["mistakes"] == 0


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--ngrams", "3"], "--ngrams must be 2, as {model} was learned, got 3"),
        (["--label", "text"], "--label must be kind, as {model} was learned, got text"),
        (["--positive", "ham"], "--positive must be spam, as {model} was learned, got"),
        (["-b", "12"], "--hash-bits must be 10, as {model} was learned, got 12"),
        (["--counts"], "--counts must be left out, as {model} was learned, got given"),
        (["-F", "csv"], "--format must be text, as {model} was learned, got csv"),
        (["--columns", "body"], "--columns must be text, as {model} was learned, got"),
    ],
)
def test_an_option_that_disagrees_is_refused_with_both_values(
    words: list[str], what: str, mail: Path, tmp_path: Path
) -> None:
    done = call("run", tmp_path / "mail.tsv", "-t", "-i", mail, *words)
    assert done.returncode == 2
    assert what.format(model=mail) in done.stderr


def test_a_file_of_another_format_is_refused_with_both(tmp_path: Path) -> None:
    _, model = flats(tmp_path)
    (tmp_path / "a.svm").write_text("1 3:1\n")
    done = call("run", tmp_path / "a.svm", "-t", "-i", model)
    assert done.returncode == 2
    assert "a.svm must be csv, as what the model has learned from, got svmlight" in (
        done.stderr
    )


def test_renamed_columns_are_refused(tmp_path: Path) -> None:
    path, model = flats(tmp_path)
    path.write_text("n_rooms,city,let\n2,Ghent,yes\n")
    done = call("run", path, "-t", "-i", model)
    assert done.returncode == 2
    assert "must have a column 'rooms', got 'n_rooms', 'city', 'let'" in done.stderr


def test_new_columns_and_another_order_change_nothing(tmp_path: Path) -> None:
    path, model = flats(tmp_path)
    before = facts("run", path, "-t", "-i", model)["mistakes"]
    path.write_text("id,let,city,rooms\n" + "7,yes,Ghent,2\n8,no,Bruges,3\n" * 5)
    assert facts("run", path, "-t", "-i", model)["mistakes"] == before == 0


def test_a_model_that_is_saved_again_still_remembers(
    mail: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.lst"
    call("run", tmp_path / "mail.tsv", "-i", mail, "-f", again, "-q")
    assert models.reading(again) == models.reading(mail) is not None


def test_inspect_shows_how_the_stream_was_read(mail: Path) -> None:
    shown = call("inspect", mail).stdout
    assert "read as   text, label='kind', positive='spam', " in shown
    found = json.loads(call("inspect", mail, "--json").stdout)["reading"]
    assert found["format"] == "text"
    assert found["options"]["ngrams"] == 2


def test_a_model_without_a_reading_is_used_as_before(tmp_path: Path) -> None:
    path, model = flats(tmp_path)
    models.save(models.load(model), model)
    read = ("--label", "let", "--positive", "yes")
    assert facts("run", path, "-t", "-i", model, *read)["mistakes"] == 0
    done = call("run", path, "-t", "-i", model)
    assert "--format csv needs --label" in done.stderr


def test_the_command_line_warns_if_no_feature_is_known(tmp_path: Path) -> None:
    path, model = flats(tmp_path)
    models.save(models.load(model), model)
    path.write_text("n_rooms,town,let\n" + "2,Ghent,yes\n3,Bruges,no\n" * 5)
    read = ("--label", "let", "--positive", "yes")
    done = call("run", path, "-t", "-i", model, *read, "-q")
    assert done.returncode == 0
    assert done.stderr.strip() == (
        "littlestone: none of the features of the first 10 examples is known to "
        "Auto: they have 'n_rooms', 'town=Ghent', 'town=Bruges'; Auto "
        "knows 'rooms', 'city=Ghent', 'city=Bruges'"
    )


def test_a_text_model_on_a_numeric_table_is_warned_about(tmp_path: Path) -> None:
    path, model = tmp_path / "mail.tsv", tmp_path / "mail.lst"
    path.write_text(MAIL)
    call("run", "-l", "perceptron", path, *LEARN, "-f", model, "-q")
    path.write_text("kind\ttext\n" + "".join(f"ham\t{n}.5\n" for n in range(300)))
    done = call("run", path, "-t", "-i", model)
    assert "none of the features of the first 100 examples is known" in done.stderr


# In Python ------------------------------------------------------------------------


def learned() -> Perceptron:
    learner = Perceptron()
    learner.learn_one({"amount": 2.0, "age": 41.0}, False)
    return learner


def test_python_warns_too() -> None:
    renamed = [({"amt": 2.0}, True)] * 3
    with pytest.warns(UnknownFeaturesWarning, match="'amt'; Perceptron knows 'amount'"):
        run(learned(), renamed, learn=False)


def test_a_frame_with_other_columns_is_warned_of() -> None:
    renamed = pd.DataFrame({"amt": [2.0], "years": [41.0]})
    classes, rule = MulticlassPerceptron(), DisjunctionLearner()
    for label in "ab":
        classes.learn_one({"amount": 1.0}, label)
    rule.learn_one({"amount": 1, "age": 1}, False)
    for learner in (learned(), classes, rule):
        with pytest.warns(
            UnknownFeaturesWarning, match="of the frame is known .*'amt'"
        ):
            learner.predict(renamed.astype(bool))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        learned().predict(renamed.rename(columns={"amt": "amount"}))
        learned().predict(renamed.to_numpy())
        Perceptron().predict(renamed)


def test_blocks_are_looked_at_before_they_are_learned_from() -> None:
    other = streams.hashed([({"amt": 2.0}, True)] * 100, bits=20)
    with pytest.warns(UnknownFeaturesWarning, match="none of the features"):
        run(learned(), other)


def test_a_few_rows_to_learn_from_may_have_features_of_their_own() -> None:
    few = streams.hashed([({"amt": 2.0}, True)] * 99, bits=20)
    run(learned(), few, passes=2)


def test_a_learner_that_has_learned_nothing_yet_is_not_warned_about() -> None:
    learner = AveragedPerceptron()
    learner.learn_one({"amount": 1.0}, True)  # no mistake, so no weight
    run(learner, [({"age": 1.0}, True)], learn=False)


def test_every_family_of_learners_warns() -> None:
    classes, rule = MulticlassPerceptron(), DisjunctionLearner()
    for label in "abc":
        classes.learn_one({"x": 1.0}, label)
    rule.learn_one({"x": 1}, False)
    for learner in (classes, rule):
        with pytest.warns(UnknownFeaturesWarning, match="knows 'x'"):
            run(learner, [({"y": 1.0}, None)], learn=False)


def test_few_known_features_are_counted() -> None:
    stranger = {f"f{n}": 1.0 for n in range(30)}
    with pytest.warns(UnknownFeaturesWarning, match="only 1 of the 31 features"):
        run(learned(), [({"age": 1.0, **stranger}, True)], learn=False)


def test_familiar_streams_and_newborn_learners_are_not_warned_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(Perceptron(), [({"amt": 2.0}, True)], learn=False)
        run(learned(), [({"age": 2.0, "a": 1.0, "b": 1.0}, True)], learn=False)
        run(learned(), [({}, True)], learn=False)
        zeros = {f"zero{n}": 0.0 for n in range(50)}
        run(learned(), [({"age": 2.0, **zeros}, True)], learn=False)
        # Only the first examples are looked at.
        late = [({"age": 1.0}, True)] * 100 + [({"amt": 1.0}, True)] * 10_000
        run(learned(), late, learn=False)


def test_a_label_that_no_example_has_is_warned_about(tmp_path: Path) -> None:
    path = tmp_path / "mail.csv"
    path.write_text("kind,links\nspam,3\nham,0\n")
    told = "no example has the label 'Spam', which means yes"
    for command in ("run", "race", "certify"):
        done = call(command, path, "--label", "kind", "--positive", "Spam", "-q")
        assert told in done.stderr, command
    assert told not in call("run", path, "--label", "kind", "--positive", "spam").stderr
    with pytest.warns(UnknownLabelWarning, match=told):
        run(Perceptron(), streams.csv(path, label="kind", positive="Spam"))
