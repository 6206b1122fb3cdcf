"""`littlestone fit`, `why` and `compare`, and rules that `export` writes."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import Certificate, run, streams
from littlestone.boolean import fit_rule
from littlestone.comparators import best_convex, best_expert, best_shifting
from littlestone.experts import Committee, MLPoly
from littlestone.linear import AROW, Perceptron

MUSHROOMS = (
    "class,odor,ring\np,foul,one\ne,none,one\np,none,two\np,foul,two\ne,none,one\n"
)
OPTIONS = ["--label", "class", "--positive", "p"]


@pytest.fixture
def mushrooms(tmp_path: Path) -> Path:
    path = tmp_path / "mushrooms.csv"
    path.write_text(MUSHROOMS)
    return path


@pytest.fixture
def noisy(tmp_path: Path) -> Path:
    rng = np.random.default_rng(4)
    lines = ["y,a,b,c"]
    for t in range(200):
        a, b, c = (rng.random(3) < 0.5).tolist()
        y = (a and not b) != (t in (20, 90))
        lines.append(",".join("yn"[not each] for each in (y, a, b, c)))
    path = tmp_path / "noisy.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


# fit --------------------------------------------------------------------------------


def test_fit_prints_the_rule_its_exceptions_and_the_error_bound(noisy: Path) -> None:
    done = call(
        "fit", noisy, "--label", "y", "--positive", "y", "-r", "k-dnf", "--k", 2
    )
    assert done.returncode == 0, done.stderr
    rule, counted, first, second, bound = done.stdout.splitlines()
    assert rule == "(a=y and b=n)"
    assert counted == "2 exceptions of 200, and no 2-DNF has fewer:"
    assert first.startswith("  round 20, labelled ")
    assert second.startswith("  round 90, labelled ")
    assert "errs on at most " in bound
    assert "(PAC-OCCAM)" in bound


def test_fit_says_in_json_what_python_says(noisy: Path) -> None:
    arguments = ["--label", "y", "--positive", "y", "--rule", "decision-list"]
    facts = json.loads(call("fit", noisy, *arguments, "--json").stdout)
    X, y = zip(*streams.csv(noisy, label="y", positive="y", literals=True), strict=True)
    found = fit_rule(X, y, "decision-list")
    assert facts["rule"] == str(found.concept)
    rows = [shown.round for shown in found.exceptions]
    assert [each["row"] for each in facts["exceptions"]] == rows
    assert (facts["at_least"], facts["proved"]) == (found.at_least, found.proved)
    assert facts["error_bound"] == found.error_bound()


def test_fit_writes_a_certificate_that_verify_accepts(
    noisy: Path, tmp_path: Path
) -> None:
    reading = ["--label", "y", "--positive", "y"]
    written = tmp_path / "rule.json"
    done = call("fit", noisy, *reading, "--certificate", written, "--delta", 0.1)
    assert done.returncode == 0, done.stderr
    certificate = Certificate.load(written)
    assert f"at most {certificate.bound:.2%} of" in done.stdout
    assert certificate.numbers["delta"] == 0.1
    judged = call("verify", written, noisy, *reading)
    assert judged.returncode == 0, judged.stderr
    assert "200 rounds with 2 mistakes" in judged.stdout
    assert "Not checked: the examples are drawn independently" in judged.stdout
    said = json.loads(call("verify", written, noisy, *reading, "--json").stdout)
    assert said["accepted"]
    assert said["unchecked"] == list(certificate.unchecked)
    # Of a file with a line less it is not true.
    short = tmp_path / "short.csv"
    short.write_text("".join(noisy.read_text().splitlines(keepends=True)[:-1]))
    assert call("verify", written, short, *reading).returncode == 1


def test_fit_does_not_write_over_the_file_that_it_reads(noisy: Path) -> None:
    before = noisy.read_text()
    for option in ("--certificate", "--sql", "--python"):
        done = call("fit", noisy, "--label", "y", "--positive", "y", option, noisy)
        assert done.returncode == 2
        assert f"{option} must not be the file that is read" in done.stderr
    assert noisy.read_text() == before


def test_fit_calls_a_bound_vacuous_that_a_coin_keeps(mushrooms: Path) -> None:
    done = call("fit", mushrooms, *OPTIONS)
    assert done.stdout.rstrip().endswith(
        "(PAC-OCCAM), which is vacuous: so does a coin"
    )


def test_fit_ends_with_2_where_more_exceptions_are_needed(noisy: Path) -> None:
    arguments = ["--label", "y", "--positive", "y", "-r", "k-dnf", "--k", 2]
    done = call("fit", noisy, *arguments, "--exceptions", 1)
    assert done.returncode == 2
    assert "with at most 1 exceptions was found" in done.stderr
    assert call("fit", noisy, *arguments, "--exceptions", 2).returncode == 0


def test_fit_writes_sql_and_python_that_say_what_the_rule_says(
    mushrooms: Path, tmp_path: Path
) -> None:
    sql, python = tmp_path / "rule.sql", tmp_path / "rule.py"
    done = call("fit", mushrooms, *OPTIONS, "--sql", sql, "--python", python)
    assert done.returncode == 0, done.stderr
    rows = [line.split(",") for line in MUSHROOMS.splitlines()[1:]]
    scope: dict[str, Any] = {}
    exec(python.read_text(), scope)  # noqa: S102 - our own text
    base = sqlite3.connect(":memory:")
    base.execute("create table t (class, odor, ring)")
    base.executemany("insert into t values (?, ?, ?)", rows)
    asked = base.execute(f"select {sql.read_text()} from t").fetchall()  # noqa: S608 - the same
    base.close()
    for (answer,), (label, odor, ring) in zip(asked, rows, strict=True):
        x = {f"odor={odor}": 1, f"ring={ring}": 1}
        assert scope["rule"](x) is (label == "p")
        assert bool(answer) is (label == "p")


# export -----------------------------------------------------------------------------


@pytest.fixture
def model(mushrooms: Path, tmp_path: Path) -> Path:
    path = tmp_path / "rule.lst"
    learner = ["-l", "decision-list", "--passes", 9]
    done = call("run", mushrooms, *OPTIONS, *learner, "--save", path, "-q")
    assert done.returncode == 0, done.stderr
    return path


def test_export_writes_the_rule_of_a_model(model: Path, tmp_path: Path) -> None:
    sql, python = tmp_path / "rule.sql", tmp_path / "rule.py"
    done = call(
        "export", model, "--sql", sql, "--python", python, "--name", "poisonous"
    )
    assert done.returncode == 0, done.stderr
    assert "CASE" in sql.read_text()
    assert python.read_text().startswith("def poisonous(x):")
    assert done.stdout.count("the rule of DecisionListLearner") == 2


def test_export_refuses_what_is_no_rule(model: Path, tmp_path: Path) -> None:
    linear = tmp_path / "linear.lst"
    stream = "+1 1:1\n-1 2:1\n"
    assert (
        call(
            "run", "-l", "perceptron", "-", "--save", linear, "-q", stdin=stream
        ).returncode
        == 0
    )
    done = call("export", linear, "--sql", tmp_path / "x.sql")
    assert done.returncode == 2
    assert "--sql is for learners of rules, got Perceptron" in done.stderr
    assert "one of --onnx, --sql and --python" in call("export", model).stderr
    assert "must not be the model file" in call("export", model, "--sql", model).stderr


# why --------------------------------------------------------------------------------


def test_why_names_the_rule_that_fired(model: Path, mushrooms: Path) -> None:
    done = call("why", model, mushrooms)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 10
    assert lines[0] == "p"
    assert "fires: " in lines[1]
    facts = [json.loads(each) for each in _json("why", model, mushrooms)]
    assert [fact["prediction"] for fact in facts] == ["p", "e", "p", "p", "e"]


def _json(*words: object) -> list[str]:
    return call(*words, "--json").stdout.splitlines()


@pytest.mark.parametrize(
    ("learner", "reason"),
    [
        (["conjunction"], "true: "),
        (["disjunction"], "true: "),
        (["k-cnf", "--k", 2], "false: "),
        (["k-dnf", "--k", 2], "true: "),
        (["winnow-dnf", "--threshold", 9], "odor"),
        (["perceptron", "--literals"], " times 1 is "),
    ],
)
def test_why_explains_every_kind_of_rule(
    mushrooms: Path, tmp_path: Path, learner: list[Any], reason: str
) -> None:
    path = tmp_path / "model.lst"
    words = ["-l", *learner, "--passes", 4, "--save", path, "-q"]
    assert call("run", mushrooms, *OPTIONS, *words).returncode == 0
    done = call("why", path, mushrooms)
    assert done.returncode == 0, done.stderr
    assert reason in done.stdout


def test_why_tells_which_example_dropped_a_part(model: Path) -> None:
    done = call("why", model, "--part", "if always then yes")
    assert "dropped in round" in done.stdout
    assert (
        "no example has dropped it"
        in call("why", model, "--part", "if ring=two then yes").stdout
    )
    fact = json.loads(
        call("why", model, "--part", "if always then yes", "--json").stdout
    )
    assert fact["dropped"] is True
    assert call("why", model, "x.csv", "--part", "if always then yes").returncode == 2


def test_why_refuses_a_learner_without_reasons(tmp_path: Path) -> None:
    path, advice = tmp_path / "m.lst", "a,b,y\n1,0,1\n0,1,1\n"
    words = ["-l", "halving", "--label", "y", "-F", "forecasts", "-q", "--save", path]
    assert call("run", "-", *words, stdin=advice).returncode == 0
    done = call("why", path, "-", stdin=advice)
    assert done.returncode == 2
    assert "why takes a learner of rules" in done.stderr


# compare and the aggregating algorithm ------------------------------------------------


FORECASTS = "gam,ar,y\n0.2,0.7,1\n0.4,0.6,0\n0.3,0.9,1\n0.8,0.1,0\n"


def test_compare_leaves_out_what_sleepers_do_not_allow(tmp_path: Path) -> None:
    path = tmp_path / "load.csv"
    path.write_text(FORECASTS.replace("0.2,0.7", ",0.7"))
    done = call("compare", path, "--label", "y", "--missing", "sleep", "--json")
    assert json.loads(done.stdout).keys() >= {"expert", "convex", "shifting"}
    assert "linear" not in json.loads(done.stdout)
    assert "an expert sleeps, so there is no best linear combination" in done.stderr


def test_compare_finds_what_the_comparators_find(tmp_path: Path) -> None:
    path = tmp_path / "load.csv"
    path.write_text(FORECASTS)
    facts = json.loads(call("compare", path, "--label", "y", "--json").stdout)
    record = run(MLPoly(), streams.forecasts(path, label="y"), keep="advice")
    assert facts["expert"]["loss"] == best_expert(record).loss
    assert facts["convex"]["weights"] == dict(best_convex(record).weights or {})
    assert facts["shifting"]["loss"] == best_shifting(record)[2].loss
    words = call("compare", path, "--label", "y", "--switches", 1).stdout
    assert words.count("loss ") >= 4
    assert "best sequence of experts" in words
    for loss in ("zero-one", "pinball:0.9"):
        done = call("compare", "-", "--label", "y", "--loss", loss, stdin=FORECASTS)
        refused = loss == "zero-one"  # 0.2 is no label
        assert done.returncode == (2 if refused else 0), done.stderr


@pytest.mark.parametrize("loss", ["brier", "log"])
def test_the_aggregating_algorithm_runs_and_is_certified(
    tmp_path: Path, loss: str
) -> None:
    path, saved = tmp_path / "chances.csv", tmp_path / "proof.json"
    path.write_text(FORECASTS)
    words = [path, "--label", "y", "-l", f"aggregating-algorithm:loss={loss}", "-q"]
    facts = json.loads(call("run", *words, "--json").stdout)
    assert facts["learner"]["name"] == "AggregatingAlgorithm"
    assert facts["regret"] <= np.log(2)
    assert call("certify", *words, "--output", saved).returncode == 0


# Committees -------------------------------------------------------------------------


def test_a_committee_of_named_learners_plays_a_file(tmp_path: Path) -> None:
    path, saved = tmp_path / "mail.svm", tmp_path / "committee.lst"
    path.write_text("+1 1:1\n-1 2:1\n+1 1:1 3:1\n-1 2:1 3:1\n" * 5)
    words = ["-l", "committee", "--member", "perceptron", "--member", "arow:r=2", "-q"]
    done = call("run", path, *words, "--json", "--save", saved)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    members = {"perceptron": Perceptron(), "arow:r=2": AROW(r=2)}
    record = run(Committee(members), streams.svmlight(path))
    assert facts["mistakes"] == record.mistakes
    assert facts["expert_losses"] == record.expert_losses
    assert call("predict", saved, path).stdout.split() == ["1", "0"] * 10
    raced = "committee:member=perceptron+arow,combine=randomized-weighted-majority"
    assert call("race", path, "-q", "-l", raced, "-l", "arow").returncode == 0


def test_a_committee_is_certified_and_verified(tmp_path: Path) -> None:
    path, made = tmp_path / "mail.svm", tmp_path / "mail.json"
    path.write_text("+1 1:1\n-1 2:1\n+1 1:1 2:0.5\n" * 5)
    words = ["-l", "committee", "--member", "perceptron", "--member", "arow:r=2"]
    for more in ([], ["--combine", "randomized-weighted-majority", "--passes", "2"]):
        done = call("certify", path, *words, *more, "-o", made, "-q")
        assert done.returncode == 0, done.stderr
        assert "committee=<2: perceptron, arow:r=2>" in done.stdout
        assert call("verify", made, path, "-q").returncode == 0
        path.with_name("other.svm").write_text("-1 1:1\n")
        assert call("verify", made, path.with_name("other.svm"), "-q").returncode == 1
        skips = ["--on-error", "skip", "-q"]
        for task in (["verify", made, path, *skips], ["certify", path, *words, *skips]):
            done = call(*task)
            assert done.returncode == 2
            assert "--on-error must be stop" in done.stderr


@pytest.mark.parametrize("rule", ["ada-hedge", "ml-poly"])
def test_members_for_labels_under_a_rule_for_numbers_are_verified(
    tmp_path: Path, rule: str
) -> None:
    path, made = tmp_path / "mail.svm", tmp_path / "mail.json"
    path.write_text("+1 1:1\n-1 2:1\n+1 1:1 2:0.5\n" * 5)
    words = ["-l", "committee", "--member", "perceptron", "--member", "arow"]
    done = call("certify", path, *words, "--combine", rule, "-o", made, "-q")
    assert done.returncode == 0, done.stderr
    assert call("verify", made, path, "-q").returncode == 0


def test_a_committee_that_no_file_can_verify_is_not_certified(tmp_path: Path) -> None:
    path, made = tmp_path / "load.csv", tmp_path / "load.json"
    path.write_text("y,high,low\n" + "1.0,1.5,0.5\n2.0,2.5,1.5\n" * 5)
    words: list[Any] = [
        "--label",
        "y",
        "-F",
        "csv",
        "-l",
        "committee",
        "--member",
        "ml-poly",
    ]
    words += ["--combine", "ada-hedge", "-o", made, "-q"]
    done = call("certify", path, *words)
    assert done.returncode == 2
    assert "members must be learners of features" in done.stderr
    done = call("certify", "-", *words, stdin=path.read_text())
    assert done.returncode == 2
    assert "FILE must be readable again for a committee" in done.stderr
    assert not made.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["committee"], "a committee must have members"),
        (["committee", "--member", "committee"], "must be another learner"),
        (["arow", "--member", "arow"], "--member is not an option of arow"),
        (["committee", *["--member", "arow"] * 2], "must be given once"),
        (["committee", "--member", "svm"], "a learner must be one of"),
    ],
)
def test_what_makes_no_committee_is_refused(words: list[str], says: str) -> None:
    done = call("run", "-", "-l", *words, stdin="+1 1:1\n")
    assert done.returncode == 2
    assert says in done.stderr


def test_numbers_that_are_read_as_categories_are_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    rows = "".join(f"{k},{k % 7},{k / 4},{int(k > 20)}\n" for k in range(40))
    path.write_text("age,day,size,old\n" + rows)
    done = call("fit", path, "--label", "old", "-q")
    assert done.stderr == (
        "littlestone: column 'age' has 40 different numbers, each a feature of its own "
        "(and so 1 more column); --thresholds age=10,20,30 compares them with a few\n"
    )
    few = ("--thresholds", "age=10,20,30", "--thresholds", "size=5")
    assert call("fit", path, "--label", "old", "-q", *few).stderr == ""


def test_the_search_shows_its_progress(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b,y\n" + "1,0,1\n0,1,0\n1,0,0\n1,0,1\n")
    done = call("fit", path, "--label", "y")
    assert done.stderr.startswith("1 of 300 fits, no rule yet\n2 of 300 fits, ")
    assert "fits, the best rule has 1 exception\n" in done.stderr
