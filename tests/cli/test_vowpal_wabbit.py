"""Options of Vowpal Wabbit mean to `littlestone run` what they mean to it."""

from __future__ import annotations

import inspect
import json
import random
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from command import call
from littlestone import models, run, streams
from littlestone.cli._learners import LEARNERS
from littlestone.cli._vowpal_wabbit import WITH_CONSTANT
from littlestone.linear import Perceptron

ROUNDS = 100


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go where there is a file of Vowpal Wabbit text, with some tags."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(7)  # noqa: S311 - no secret
    lines = []
    for number in range(ROUNDS):
        tag = ("", f"'no{number} ", f"no{number}")[number % 3]
        age, town = draw.randrange(6), draw.choice(["ulm", "bonn", "jena"])
        yes = (age > 2 or town == "ulm") != (number % 11 == 0)
        label = 1 if yes else -1
        lines.append(f"{label} {tag}|n age{age} height:0.{age} |m town:{town}\n")
    Path("all.vw").write_text("".join(lines))
    Path("monday.vw").write_text("".join(lines[:60]))
    Path("tuesday.vw").write_text("".join(lines[60:]))
    return tmp_path


Vw = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def vw() -> Vw:
    """Return what calls the real one."""
    if find_spec("vowpalwabbit") is None:
        pytest.skip("Vowpal Wabbit is not installed: pip install vowpalwabbit")

    def called(*words: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "vowpalwabbit", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
        )

    return called


def model(path: Path) -> Any:
    """Return the learner of a model file."""
    return models.load(path)


def reported(progress: str) -> list[str]:
    """Return the rounds that progress lines tell of, the third number in each."""
    lines = (line.split() for line in progress.splitlines())
    return [words[2] for words in lines if len(words) > 5 and words[2].isdecimal()]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", [[], ["-P", "7"], ["-P", "0.5"], ["-P", "3.0"]])
def test_progress_is_told_after_the_same_rounds(vw: Vw, words: list[str]) -> None:
    theirs = reported(vw("-d", "all.vw", *words).stderr)
    assert len(theirs) > 4
    assert reported(call("run", "-d", "all.vw", *words).stderr) == theirs


@pytest.mark.usefixtures("here")
def test_predictions_have_a_line_each_and_the_tag_behind(vw: Vw) -> None:
    words = ("-d", "all.vw", "--passes", "2", "-p")
    vw(*words, "theirs", "--binary", "--cache", "--holdout_off")
    call("run", "-l", "perceptron", *words, "ours", "-q")
    theirs = [line.split(" ") for line in Path("theirs").read_text().splitlines()]
    ours = [line.split(" ") for line in Path("ours").read_text().splitlines()]
    assert len(ours) == 2 * ROUNDS
    assert [line[1:] for line in ours] == [line[1:] for line in theirs]
    assert {line[0] for line in theirs} == {"-1", "1"}
    said: list[bool] = []
    run(
        Perceptron(),
        streams.vw("all.vw"),
        passes=2,
        observe=lambda batch: said.extend(batch.predictions.tolist()),
    )
    assert [line[0] for line in ours] == [str(int(p)) for p in said]


@pytest.mark.usefixtures("here")
def test_tags_are_written_where_features_are_hashed_and_lines_repeated() -> None:
    Path("some.vw").write_text("1 2 a|n x\n-1 'b |n y\n-1 1 |n z\n1 d|n x\n")
    for words in ([], ["-b", "12"], ["-b", "12", "--duplicates", "sum"]):
        for other in ([], ["-t"], ["-f", "m", "--checkpoint-every", "2"]):
            more = ["--weights", "repeat", "-p", "out", "-q", *words, *other]
            assert call("run", "some.vw", *more).returncode == 0
            lines = Path("out").read_text().splitlines()
            assert [line[2:] for line in lines] == ["a", "a", "b", "", "d"]
    words = ["-l", "multiclass-perceptron", "--weights", "ignore", "-p", "out", "-q"]
    assert call("run", "some.vw", *words).returncode == 0
    assert Path("out").read_text() == " a\n1 b\n1\n1 d\n"


def test_a_test_learns_nothing_and_is_reported(vw: Vw, here: Path) -> None:
    words = ("-d", "tuesday.vw", "-t", "-i")
    vw("-d", "monday.vw", "-f", "their.model", "--quiet")
    theirs = [vw(*words, "their.model", "-p", f"theirs{k}").stderr for k in (1, 2)]
    assert "number of examples = 40\n" in theirs[0]
    assert Path("theirs1").read_text() == Path("theirs2").read_text()
    assert call("run", "monday.vw", "--bias", 1, "-f", "our.model").returncode == 0
    done = call("run", *words, "our.model", "-p", "ours", "-f", "same.model", "--json")
    facts = json.loads(done.stdout)
    learner, same = (model(here / name) for name in ("our.model", "same.model"))
    labels = [label for _, label in streams.vw("tuesday.vw")]
    said = [learner.predict_one(x) for x, _ in streams.vw("tuesday.vw")]
    told = [line.split(" ")[0] for line in Path("ours").read_text().splitlines()]
    assert told == [str(int(p)) for p in said]
    wrong = sum(p != label for p, label in zip(said, labels, strict=True))
    assert (facts["rounds"], facts["mistakes"], facts["updates"]) == (40, wrong, 0)
    assert 0 < wrong < 40
    assert dict(same.weights_) == dict(learner.weights_)
    assert "updates   0\n" in call("run", *words, "our.model").stdout


@pytest.mark.usefixtures("here")
def test_a_test_predicts_lines_without_a_label(vw: Vw) -> None:
    lines = Path("tuesday.vw").read_text().splitlines(keepends=True)
    bare = "".join(
        line.partition(" ")[2] if k % 2 else line for k, line in enumerate(lines)
    )
    Path("bare.vw").write_text(bare)
    vw("-d", "monday.vw", "-f", "their.model", "--quiet")
    theirs = vw("-d", "bare.vw", "-t", "-i", "their.model", "-p", "theirs")
    assert "number of examples = 40\n" in theirs.stderr
    call("run", "monday.vw", "-f", "our.model", "-q")
    words = ("-t", "-i", "our.model", "-p")
    facts = json.loads(call("run", "bare.vw", *words, "ours", "--json").stdout)
    whole = json.loads(call("run", "tuesday.vw", *words, "all", "--json").stdout)
    assert Path("ours").read_text() == Path("all").read_text()
    tags = [
        [line.partition(" ")[2] for line in Path(p).read_text().splitlines()]
        for p in ("ours", "theirs")
    ]
    assert tags[0] == tags[1]
    assert facts["rounds"] == whole["rounds"] == len(tags[0]) == 40
    assert 0 < facts["mistakes"] < whole["mistakes"]
    assert facts["unlabelled"] == 20
    told = call("run", "bare.vw", *words, "ours", "-P", "1")
    assert "rounds    40, 20 without a label\n" in told.stdout
    assert f"({facts['mistakes'] / 20:.4%})" in told.stdout
    shown = [line.split() for line in told.stderr.splitlines()[2:42]]
    assert [line[4] == "-" for line in shown] == [False, True] * 20
    assert float(shown[-1][0]) == pytest.approx(facts["mistakes"] / 20, abs=1e-6)
    refused = call("run", "bare.vw", "-i", "our.model")
    assert refused.returncode == 2
    assert "bare.vw:2: a line must have a label" in refused.stderr


def test_learning_goes_on_where_a_model_left_off(here: Path) -> None:
    call("run", "monday.vw", "-f", "monday.model", "-q")
    call("run", "tuesday.vw", "-i", "monday.model", "-f", "tuesday.model", "-q")
    call("run", "all.vw", "--save", "all.model", "-q")
    call("run", "monday.vw", "tuesday.vw", "-f", "both.model", "-q")
    call("run", "-d", "monday.vw", "-d", "tuesday.vw", "-f", "data.model", "-q")
    names = ("all", "tuesday", "both", "data")
    weights = [dict(model(here / f"{name}.model").weights_) for name in names]
    assert weights[0]
    assert all(other == weights[0] for other in weights)


@pytest.mark.usefixtures("here")
def test_quiet_prints_nothing_but_what_is_wrong(vw: Vw) -> None:
    for done in (vw("-d", "all.vw", "--quiet"), call("run", "-d", "all.vw", "--quiet")):
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for done in (vw("-d", "gone", "--quiet"), call("run", "-d", "gone", "--quiet")):
        assert (done.returncode > 0, done.stdout) == (True, "")
        assert "gone" in done.stderr
    assert json.loads(call("run", "-d", "all.vw", "--quiet", "--json").stdout)
    done = call("run", "all.vw", "--no-progress")
    assert (done.stderr, "rounds    100\n" in done.stdout) == ("", True)


@pytest.mark.usefixtures("here")
def test_bits_are_hash_bits() -> None:
    words = ("run", "-d", "all.vw", "-q", "--json")
    facts = json.loads(call(*words, "-b", "10").stdout)
    assert facts["buckets"] == len({f for x, _ in streams.vw("all.vw") for f in x})
    assert facts["mistakes"] == json.loads(call(*words).stdout)["mistakes"]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("learner", ["perceptron", "multiclass-perceptron"])
def test_a_model_goes_on_with_features_of_its_kind(learner: str) -> None:
    for bits, other, message in (
        ([], ["-b", "9"], "has features by name, such as '"),
        (["-b", "9"], [], "-b must be as when the learner of the model file was saved"),
    ):
        words = ("-l", learner, "-f", "m", "--quiet")
        assert call("run", "monday.vw", *words, *bits).returncode == 0
        _forget_how_it_was_read("m")
        for test in ([], ["-t"]):
            again = ("run", "tuesday.vw", "-i", "m", "-q", *test)
            assert call(*again, *bits).returncode == 0
            refused = call(*again, *other)
            assert (refused.returncode, message in refused.stderr) == (2, True)


@pytest.mark.usefixtures("here")
def test_every_command_reads_several_files_as_one() -> None:
    parts = ("monday.vw", "tuesday.vw", "-q", "--json")
    assert json.loads(call("run", "-l", "perceptron", *parts).stdout)["file"] == [
        *parts[:2]
    ]
    assert (
        "stream    monday.vw, tuesday.vw\n"
        in call("run", "-l", "perceptron", *parts[:2]).stdout
    )
    assert json.loads(call("race", *parts).stdout)["rounds"] == ROUNDS
    assert json.loads(call("advise", *parts).stdout)["command"].startswith(
        "littlestone run monday.vw tuesday.vw -l "
    )
    assert (
        call(
            "certify", "-l", "perceptron", "-d", "all.vw", "-q", "-o", "cert.json"
        ).returncode
        == 0
    )
    assert (
        call("certify", "-l", "perceptron", *parts[:3], "-o", "parts.json").returncode
        == 0
    )
    assert Path("parts.json").read_text() == Path("cert.json").read_text()
    assert json.loads(call("verify", "cert.json", *parts).stdout)["accepted"]
    assert (
        call("report", "-l", "perceptron", *parts[:3], "-o", "told.html").returncode
        == 0
    )
    assert "Perceptron on monday.vw, tuesday.vw" in Path("told.html").read_text()


@pytest.mark.usefixtures("here")
def test_a_learner_may_be_given_in_one_word() -> None:
    words = ("all.vw", "-q", "--json", "-l")
    apart = ("passive-aggressive", "-C", "0.5", "--bias", "1")
    for command in ("run", "certify"):
        found = [
            json.loads(call(command, *words, *those).stdout) | {"seconds": 0}
            for those in (apart, ("passive-aggressive:C=0.5", "--bias", "1"))
        ]
        assert found[0] == found[1]


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "FILE or -d FILE must be given, got none"),
        ("all.vw -d all.vw", "FILE or -d FILE must be given, got both"),
        ("all.vw all.svm", "must have the same format, or --format must be given"),
        ("all.vw -f csv", "-f is --save, as in Vowpal Wabbit, and --format is -F, got"),
        ("all.vw -P 0", "--progress must be a whole number of rounds above 0, or a"),
        ("all.vw -P -2", "got '-2'"),
        ("all.vw -P often", "got 'often'"),
        ("all.vw -P nan", "got 'nan'"),
        (
            "all.vw -t -f m --resume",
            "--test-only must be given without --checkpoint-every",
        ),
        ("all.csv -t -l boa --label y", "--test-only is for learners of examples, got"),
        (
            "all.vw -l passive-aggressive:C=1 -C 2",
            "--aggressiveness must be given once",
        ),
        ("all.vw -l nobody:C=1", "a learner must be one of auto, perceptron"),
        ("all.vw -p tuesday.vw tuesday.vw", "must not be the file that is read"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_played(
    words: str, message: str
) -> None:
    Path("all.csv").write_text("y,a\n1,1\n")
    learner = () if "-l" in words.split() else ("-l", "perceptron")
    done = call("run", *learner, *words.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.usefixtures("here")
def test_a_model_is_asked_with_as_many_bits_as_it_has() -> None:
    call("run", "-l", "perceptron", "monday.vw", "-b", 10, "-f", "ten.model", "-q")
    for message in ("--hash-bits must be 10", "which has 1,024 columns"):
        words = ("run", "tuesday.vw", "-t", "-i", "ten.model", "-b")
        assert call(*words, 10).returncode == 0
        for bits in (9, 18):
            done = call(*words, bits)
            assert done.returncode == 2
            assert message in done.stderr
        _forget_how_it_was_read("ten.model")


def _forget_how_it_was_read(model: str) -> None:
    models.save(models.load(model), model)


@pytest.mark.usefixtures("here")
def test_where_a_model_cannot_be_written_nothing_is_played() -> None:
    done = call("run", "monday.vw", "-f", "nowhere/m.lst", "-p", "said")
    assert done.returncode == 2
    assert "nowhere/m.lst: an output must be in a folder that exists" in done.stderr
    assert not Path("said").exists()


@pytest.mark.usefixtures("here")
def test_a_duplicate_feature_is_summed(vw: Vw) -> None:
    Path("twice.vw").write_text("1 |n x:2 x y:0.5 |m x\n-1 |n y y\n")
    assert list(streams.vw("twice.vw")) == [
        ({"n^x": 3.0, "n^y": 0.5, "m^x": 1.0}, True),
        ({"n^y": 2.0}, False),
    ]
    told = vw("-d", "twice.vw", "--audit", "--noconstant", "--quiet").stdout
    assert told.count("n^x:") == 2  # two entries of one weight, which amount to one
    assert call("run", "twice.vw", "-q").returncode == 0
    assert call("run", "twice.vw", "-q", "--duplicates", "refuse").returncode == 2


@pytest.mark.usefixtures("here")
def test_a_cache_is_accepted_and_changes_nothing() -> None:
    words = ["run", "-d", "all.vw", "--passes", "2", "--json", "-q"]
    idle = ["-c", "-k", "--holdout_off", "--cache_file", "all.cache"]
    plain, cached = (json.loads(call(*words, *more).stdout) for more in ([], idle))
    assert plain | {"seconds": 0} == cached | {"seconds": 0}
    assert not Path("all.cache").exists()


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ["--link", "logistic", "-l", "arow", "-p", "said"],
            "--probabilities is for auto, learners with --loss logistic",
        ),
        (["--link", "glf1"], "--link must be identity, logistic or poisson, got 'glf1"),
        (
            ["--link", "poisson", "--coin"],
            "must come with --loss_function poisson, got",
        ),
        (
            ["--loss_function", "expectile"],
            "--loss_function must be one of squared, classic, logistic, hinge, poi",
        ),
        (
            ["--coin", "--link", "logistic"],
            "--probabilities is for auto, learners with",
        ),
        (["--coin", "--l1", "1"], "--l1 is not an option of coin-betting, but of ftrl"),
        (
            ["-l", "auto", "--member", "ada-grad", "--noconstant"],
            "--noconstant must be said of each member, as in",
        ),
        (["-q", "a:"], "or :: for all pairs, got 'a:'"),
        (
            ["-r", "raw"],
            "-r of Vowpal Wabbit is not offered: littlestone predict MODEL",
        ),
        (
            ["--interactions", "abc"],
            "must be a pair of namespaces, as in ab, or :: for all pairs, got 'abc'",
        ),
        (["-q", "ab", "-b", "18"], "--map crossed:a*b crosses features by name, so"),
        (["-q", "::", "-b", "18"], "--map quadratic:18 hashes the products too"),
        (["--oaa", "3"], "--learner multiclass-auto tells classes apart"),
        (["-l", "0.5"], "-l is --learner here: --rate sets the steps of ada-grad"),
        (["--sgd"], "is not offered: --learner gradient-descent has one rate"),
        (["--adaptive"], "is not offered: --learner ada-grad has a rate for each"),
        (["--normalized"], "is not offered: --learner ada-grad is, and"),
        (["--final_regressor", "m"], "--final_regressor of Vowpal Wabbit is not off"),
    ],
)
def test_what_is_not_offered_is_refused_by_name(words: list[str], told: str) -> None:
    done = call("run", "all.vw", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("littlestone: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_pipe_is_read_once() -> None:
    done = call("run", "-", "-F", "vw", "--passes", "2")
    assert done.returncode == 2
    assert "again for 2 passes, got one that is not: vw('<stdin>')" in done.stderr


@pytest.mark.usefixtures("here")
def test_a_file_with_a_short_name_is_read_quietly() -> None:
    Path("ab").write_text(Path("all.vw").read_text())
    assert call("run", "-q", "ab", "-F", "vw").returncode == 0


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        # Vowpal Wabbit minimizes the squared loss unless told otherwise.
        ("--coin", "-l coin-betting --loss square"),
        ("--ftrl --l1 0.5", "-l ftrl --loss square --l1 0.5"),
        ("--coin --loss absolute", "-l coin-betting --loss absolute"),
        ("--loss_function classic", "-l ada-grad --loss square"),
        ("--loss_function=hinge --noconstant", "-l ada-grad --loss hinge --bias 0"),
        ("--loss_function logistic --link identity", "-l ada-grad"),
        ("--loss_function poisson --link poisson", "-l ada-grad --loss poisson"),
        ("--noconstant", "--bias 0"),
        ("-l aioli --noconstant", "-l aioli --bias 0"),
        ("-l arow --noconstant", "-l arow"),
        (
            "--loss_function quantile --quantile_tau 0.25",
            "-l ada-grad --loss pinball:0.25",
        ),
    ],
)
def test_options_mean_what_they_mean_there(theirs: str, ours: str) -> None:
    Path("counts.vw").write_text("0 |n a:1\n1 |n b:0.5\n1 |n a:0.25 b:1\n" * 4)
    told = [
        json.loads(call("run", "counts.vw", "-q", "--json", *words.split()).stdout)
        for words in (theirs, ours)
    ]
    assert told[0] | {"seconds": 0} == told[1] | {"seconds": 0}


@pytest.mark.usefixtures("here")
def test_a_model_is_tested_with_the_words_with_which_it_was_made() -> None:
    words = ("--coin", "--loss_function", "logistic", "--noconstant")
    assert call("run", "all.vw", *words, "-f", "m.lst", "-q").returncode == 0
    tested = ("run", "-t", "-i", "m.lst", "all.vw", "-q", "-p", "said")
    assert call(*tested, "--noconstant", "--link", "logistic").returncode == 0
    assert all(
        0 < float(line.split()[0]) < 1 for line in Path("said").read_text().splitlines()
    )


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("made", "again", "told"),
    [
        ("--loss_function logistic", "--loss_function logistic", None),
        ("--loss_function squared", "--loss_function classic", None),
        ("--coin --loss_function logistic", "--coin --loss_function=logistic", None),
        ("--coin", "--coin", None),
        ("--coin", "--loss_function squared", None),
        ("--ftrl --l1 0.5", "--ftrl", None),
        (
            "--loss_function quantile --quantile_tau 0.9",
            "--loss_function quantile --quantile_tau 0.90",
            None,
        ),
        (
            "--loss_function quantile --quantile_tau 0.9",
            "--loss_function quantile",
            "--loss must be pinball:0.9, as m.lst was learned, got pinball:0.5",
        ),
        (
            "--loss_function logistic",
            "--loss_function hinge",
            "--loss must be logistic, as m.lst was learned, got hinge",
        ),
        (
            "--coin",
            "--ftrl",
            "--learner must be coin-betting, as m.lst was learned, got ftrl",
        ),
        (
            "-l perceptron",
            "--loss_function hinge",
            "--loss must be left out, as m.lst was learned, got hinge",
        ),
        ("--ftrl --l1 0.5", "--l1 0.5", "without options of a learner"),
        ("--coin --noconstant", "--coin --noconstant", None),
        ("-l perceptron", "--noconstant", None),
        (
            "-l committee --member ada-grad --member perceptron",
            "--noconstant",
            "must be left out, as m.lst has members with constants of their own",
        ),
        (
            "-l perceptron --bias 1",
            "-l perceptron --noconstant",
            "--bias must be 1, as m.lst was learned, got 0",
        ),
        (
            "--loss_function logistic",
            "--noconstant",
            "--bias must be 1, as m.lst was learned, got 0; --noconstant is --bias 0",
        ),
        (
            "-l vovk-azoury-warmuth --map standardized --intervals 0.9",
            "--noconstant",
            "--bias must be 1, as m.lst was learned, got 0",
        ),
    ],
)
def test_a_model_has_the_loss_that_it_was_made_with(
    made: str, again: str, told: str | None
) -> None:
    Path("counts.vw").write_text("0 |n a:1\n1 |n b:0.5\n1 |n a:0.25 b:1\n" * 4)
    words = made.split()
    assert call("run", "counts.vw", *words, "-f", "m.lst", "-q").returncode == 0
    for mode in ("-t", "-q"):
        done = call("run", mode, "-i", "m.lst", "counts.vw", *again.split(), "-q")
        assert done.returncode == (0 if told is None else 2), done.stderr
        assert (told or "") in done.stderr


def test_whoever_has_a_constant_feature_loses_it() -> None:
    found = {
        name
        for name, entry in LEARNERS.items()
        if getattr(inspect.signature(entry.load()).parameters.get("bias"), "default", 0)
        == 1
    }
    assert found == set(WITH_CONSTANT)
