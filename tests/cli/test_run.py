"""The command line plays files, reports, and says in one line what is wrong."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from command import call
from littlestone import Learner, boolean, concepts, experts, linear, run, streams
from littlestone.boolean import ConjunctionLearner, DecisionListLearner, KDNFLearner
from littlestone.catalogue import Reads
from littlestone.cli._auto import suited
from littlestone.cli._learner_options import LearnerOptions
from littlestone.cli._learners import LEARNERS
from littlestone.cli._options import ReadingOptions
from littlestone.cli._summary import LONGEST_RULE, facts_of
from littlestone.linear import Perceptron, Winnow

TEXT = "-1 1:1\n+1 2:1\n-1 2:1\n+1 1:0.5 3:1\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    path.write_text(TEXT)
    return path


def test_a_run_prints_a_summary_and_progress_lines(file: Path) -> None:
    done = call("run", "-l", "perceptron", file)
    assert done.returncode == 0
    record = run(Perceptron(), streams.svmlight(file))
    assert "learner   Perceptron(update='mistake', normalize=False" in done.stdout
    assert "rounds    4\n" in done.stdout
    assert f"mistakes  {record.mistakes} (" in done.stdout
    assert [line.split()[2] for line in done.stderr.splitlines()[2:]] == ["1", "2", "4"]


def test_quiet_shows_no_progress(file: Path) -> None:
    assert call("run", file, "--quiet").stderr == ""


def test_a_strict_perceptron_is_asked_for_by_an_option(file: Path) -> None:
    done = call("run", "-l", "perceptron", file, "--strict")
    assert "strict=True" in done.stdout
    assert "strict=" not in call("run", "-l", "perceptron", file).stdout


def test_json_is_the_record(file: Path) -> None:
    options = ("--update", "margin", "--normalize", "--bias", "0.5", "--passes", "3")
    done = call("run", "-l", "perceptron", file, "--json", "--quiet", *options)
    learner = Perceptron(update="margin", normalize=True, bias=0.5)
    expected = run(learner, streams.svmlight(file), passes=3, live=True).to_dict()
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
    assert (
        call("run", "-l", "perceptron", file, "-q", "--predictions", out).returncode
        == 0
    )
    said: list[bool] = []
    run(
        Perceptron(),
        streams.svmlight(file),
        observe=lambda batch: said.extend(batch.predictions.tolist()),
    )
    assert out.read_text() == "".join(f"{int(p)}\n" for p in said)


def test_predictions_go_to_standard_output(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "said.txt"
    call("run", file, "-q", "-p", out)
    told = call("run", file, "-p", "-", "--no-progress")
    assert told.stdout == out.read_text()
    assert "mistakes" in told.stderr
    facts = call("run", file, "-p", "-", "-q", "--json")
    assert facts.stdout == told.stdout
    assert json.loads(facts.stderr)["rounds"] == len(told.stdout.splitlines())


def test_the_content_tells_a_format_that_the_name_does_not(tmp_path: Path) -> None:
    (tmp_path / "monday").write_text("1 | a:1 b\n-1 | c\n")
    (tmp_path / "tuesday").write_text("1 | a\n")
    (tmp_path / "numbers").write_text("1 1:1 2:3\n-1 3:1\n")
    expected: list[tuple[list[str | Path], int]] = [
        ([tmp_path / "monday"], 2),
        ([f"{tmp_path}/*day"], 3),
        ([tmp_path / "monday", tmp_path / "tuesday"], 3),
        ([tmp_path / "numbers"], 2),
    ]
    for files, rounds in expected:
        told = call("run", *files, "-q", "--json")
        assert json.loads(told.stdout)["rounds"] == rounds, told.stderr
    mixed = call("run", tmp_path / "monday", tmp_path / "numbers")
    assert "must have the same format" in mixed.stderr


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
    assert "skipped   1 line that could not be read" in done.stdout
    assert "rounds    8\n" in done.stdout


@pytest.mark.parametrize(
    ("labels", "played"),
    [
        ("ant bee cat", True),
        ("1 2 3", True),
        ("1 0 1", False),
        ("ant bee ant", False),
        ("1 2 ant", False),
        ("1.5 2.5 3.5", False),
    ],
)
def test_a_file_of_many_classes_is_played_by_the_committee_for_them(
    tmp_path: Path, labels: str, played: bool
) -> None:
    path = tmp_path / "zoo.svm"
    path.write_text("".join(f"{label} 1:1\n" for label in 2 * labels.split()))
    chosen = suited(LearnerOptions(), str(path), ReadingOptions())
    assert (chosen.learner == "multiclass-auto") is played
    told = suited(LearnerOptions(), str(path), ReadingOptions(positive="1"))
    assert told.learner == "auto"
    if labels == "ant bee cat":
        done = call("run", path, "--json", "-q")
        assert json.loads(done.stdout)["learner"]["name"] == "MulticlassAuto"


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


@pytest.mark.parametrize(
    "name", [n for n, e in LEARNERS.items() if e.reads is Reads.FEATURES]
)
def test_every_linear_learner_can_be_named(file: Path, name: str) -> None:
    done = call("run", file, "-q", "--json", "-l", name, *NEEDED.get(name, []))
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["learner"]["name"] == LEARNERS[name].class_name
    given = {"threshold": 2.0} if name == "winnow" else {}
    if name == "balanced-winnow":
        given = {"rate": 0.5, "scale": 2.0}
    learner: Any = LEARNERS[name].load()(**given)
    record = run(learner, streams.svmlight(file, outcome=learner.outcome))
    assert (facts["mistakes"], facts["updates"]) == (
        record.to_dict()["mistakes"],
        record.updates,
    )


# They learn from labels alone, from distributions, from examples, need a class of
# concepts or a learner to restart, or turn scores into probabilities.
UNNAMED = {
    "Calibrator",
    "ConsistentLearner",
    "Cover",
    "FollowTheMajority",
    "PackedAdvice",
    "Restarting",
    "StandardOptimalLearner",
    "VersionSpaceLearner",
}


def test_every_learner_there_is_can_be_named() -> None:
    named = {entry.class_name for entry in LEARNERS.values()}
    of_rules = {
        name
        for name in boolean.__all__
        if isinstance(made := getattr(boolean, name), type)
        and issubclass(made, Learner)
    }
    known = {"Auto", "MulticlassAuto", *linear.__all__, *of_rules, *experts.__all__}
    assert named == known - UNNAMED


@pytest.fixture
def advice(tmp_path: Path) -> Path:
    path = tmp_path / "advice.csv"
    rows = ["1,0,1,1", "0,0,1,0", "1,1,0,1", "0,1,0,0", "0,1,1,0"]
    path.write_text("ann,bob,cyd,y\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    "name", [n for n, e in LEARNERS.items() if e.reads is Reads.ADVICE]
)
def test_every_learner_that_follows_experts_can_be_named(
    advice: Path, name: str
) -> None:
    done = call("run", advice, "-q", "--json", "-l", name, "--label", "y")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    learner: Any = LEARNERS[name].load()()
    outcome: Any = "number" if learner.outcome.charged else "label"
    record = run(learner, streams.forecasts(advice, label="y", outcome=outcome))
    assert facts["learner"]["name"] == LEARNERS[name].class_name
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
    record = run(learner, streams.forecasts(advice, label="y", experts=("ann", "bob")))
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


BITS = "+1 1:1 2:1\n+1 2:1\n-1 1:1\n+1 1:1 2:1 3:1\n-1\n-1 3:1\n"


@pytest.mark.parametrize(
    "name", [n for n, e in LEARNERS.items() if e.reads is Reads.LITERALS]
)
def test_every_learner_of_rules_can_be_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "bits.svm"
    path.write_text(BITS)
    has_k = "k" in inspect.signature(LEARNERS[name].load()).parameters
    words = ["--k", "2"] if has_k else []
    done = call("run", path, "-q", "--json", "-l", name, *words, "--passes", 5)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    learner: Any = LEARNERS[name].load()(**({"k": 2} if has_k else {}))
    record = run(learner, streams.svmlight(path), passes=5)
    assert facts["learner"]["name"] == LEARNERS[name].class_name
    assert (facts["mistakes"], facts["updates"]) == (record.mistakes, record.updates)
    assert facts["features"] == len(learner.features_)
    if hasattr(learner, "concept_"):
        assert type(learner.concept_).parse(facts["rule"]) == learner.concept_
        assert facts["rule_size"] == learner.concept_.size
        assert facts["features"] == 3
    else:
        assert facts["terms"] == learner.terms_


def test_options_reach_a_learner_of_rules(file: Path) -> None:
    done = call("run", file, "-l", "disjunction", "--monotone", stdin=BITS)
    assert done.returncode == 2  # 0.5 is neither true nor false
    done = call("run", "-", "-q", "--json", "-l", "decision-list", stdin=BITS)
    assert json.loads(done.stdout)["learner"]["parameters"]["k"] == 1
    words = ("-l", "disjunction", "--monotone")
    done = call("run", "-", "-q", "--json", *words, stdin=BITS)
    assert json.loads(done.stdout)["learner"]["parameters"]["monotone"] is True


# Poisonous where it is foul, or has no ring and a bulbous root.
TABLE = """class,odor,root,rings
p,foul,?,1
e,none,bulbous,2
p,none,bulbous,0
e,none,club,0
p,foul,club,2
e,almond,,1
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mushrooms.csv"
    path.write_text(TABLE)
    return path


def test_a_rule_is_learned_from_categories_in_one_command(
    table: Path, tmp_path: Path
) -> None:
    said = tmp_path / "said.txt"
    words = ("--k", 2, "--label", "class", "--positive", "p", "--passes", 9)
    done = call("run", table, "-l", "decision-list", *words, "-p", said)
    assert done.returncode == 0, done.stderr
    learner = DecisionListLearner(2)
    turns: list[bool] = []
    record = run(
        learner,
        streams.csv(table, label="class", positive="p", literals=True),
        passes=9,
        observe=lambda batch: turns.extend(batch.predictions.tolist()),
    )
    assert f"mistakes  {record.mistakes} (" in done.stdout
    assert said.read_text() == "".join(f"{int(p)}\n" for p in turns)
    told = done.stdout.partition("rule      ")[2].split("\n")
    assert concepts.DecisionList.parse(" ".join(told)) == learner.concept_
    assert "bound" not in done.stdout  # the length of the truth is not known


def test_the_bound_stands_beside_the_mistakes(table: Path) -> None:
    words = ("--label", "class", "--positive", "p", "--columns", "odor,rings")
    done = call("run", table, "-l", "k-dnf", "--k", "2", *words)
    # odor has three values and rings has three: 1 + 6 + 3 * C(6, 2)
    assert (
        "bound     52 mistakes (kDNF, 6 features met), vacuous: says nothing about "
        "this run\n"
    ) in done.stdout
    facts = json.loads(
        call("run", table, "-q", "-l", "k-dnf", "--k", "2", *words, "--json").stdout
    )
    assert (facts["bound"], facts["theorem"]) == (52, "kDNF")
    assert (facts["bound_of"], facts["exceeded"]) == ("mistakes", False)
    assert facts["vacuous"]
    assert facts["features"] == 6


def test_the_bound_of_monotone_rules_is_attained() -> None:
    # Nobody has met all features, so that the first yes is missed whatever it has.
    text = "1 1:1 2:1\n1 1:1\n1\n"
    words = ("-q", "--json", "-l", "conjunction", "--monotone")
    facts = json.loads(call("run", "-", *words, stdin=text).stdout)
    assert facts["mistakes"] == 3
    assert (facts["bound"], facts["theorem"]) == (3, "CONJ-MONO")


def test_a_rule_that_fits_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "xor.svm"
    path.write_text("1 1:1 2:1\n1\n0 1:1\n0 2:1\n")
    done = call("run", path, "--no-progress", "-l", "conjunction")
    assert "bound     none, as no concept fits since round 2\n" in done.stdout
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(
        "littlestone: ConjunctionLearner: no conjunction fits"
    )
    facts = json.loads(call("run", path, "-q", "-l", "conjunction", "--json").stdout)
    assert facts["unrealizable"] == 2
    assert "bound" not in facts


def test_a_long_rule_is_cut_in_words_and_whole_as_json() -> None:
    columns = " ".join(f"{j}:1" for j in range(1, 41))
    text = f"1 {columns}\n"
    shown = call("run", "-", "-l", "conjunction", stdin=text).stdout
    expected = ["rule      x1", *(f"          and x{j}" for j in range(2, 9))]
    assert shown.splitlines()[-9:] == [*expected, "          … and 32 more literals"]
    facts = json.loads(
        call("run", "-", "-q", "--json", "-lconjunction", stdin=text).stdout
    )
    assert facts["rule"] == " and ".join(f"x{j}" for j in range(1, 41))


@pytest.mark.parametrize(
    ("learner", "text", "expected"),
    [
        # Each yes has one feature alone: no clause but those of all of them is left.
        (
            "k-dnf",
            "".join(f"0 {j}:1\n" for j in range(1, 7)) + "0\n",
            ["(x1 and x2)", *(f"or (x1 and x{j})" for j in range(3, 7))],
        ),
        (
            "k-cnf",
            "".join(
                f"1 {' '.join(f'{i}:1' for i in range(1, 7) if i != j)}\n"
                for j in range(1, 7)
            ),
            ["(x1 or x2)", *(f"and (x1 or x{j})" for j in range(3, 7))],
        ),
    ],
)
def test_the_parts_of_a_long_rule_have_a_line_each(
    learner: str, text: str, expected: list[str]
) -> None:
    shown = call("run", "-", "-l", learner, "--k", "2", stdin=text).stdout
    lines = [line[10:] for line in shown.splitlines()]
    at = lines.index(expected[0])
    assert lines[at : at + 5] == expected
    noun = "terms" if learner == "k-dnf" else "clauses"
    assert lines[-1] == f"… and 7 more {noun}"


def test_a_rule_that_is_too_long_for_json_has_its_size_alone() -> None:
    names = [f"{j:099}" for j in range(10_001)]
    learner = ConjunctionLearner(features=names)
    record = run(learner, [({names[0]: 1}, True)])
    assert len(str(learner.concept_)) > LONGEST_RULE
    facts = facts_of(learner, record)
    assert (facts["rule"], facts["rule_size"]) == (None, 10_001)


def test_thresholds_and_missing_cells_are_as_asked(table: Path) -> None:
    words = ("-q", "-l", "k-dnf", "--k", "2", "--label", "class", "--positive", "p")
    some = ("--thresholds", "rings=1", "--thresholds", "rings=2.50")
    done = call("run", table, *words, *some, "--json", "--passes", 4)
    bounds = {"rings": [1, 2.5]}
    stream = streams.csv(
        table, label="class", positive="p", literals=True, thresholds=bounds
    )
    learner = KDNFLearner(2)
    run(learner, stream, passes=4)
    assert json.loads(done.stdout)["rule"] == str(learner.concept_)
    refused = call("run", table, *words, "--missing", "refuse")
    assert refused.returncode == 2
    assert f"{table}:2: column 'root' must have no missing cell" in refused.stderr
    kept = call("run", table, *words, "--missing", "literal", "--json")
    assert (
        kept.stdout.partition('"seconds"')[0]
        == (call("run", table, *words, "--json").stdout.partition('"seconds"')[0])
    )


def test_a_table_without_a_header_is_read_by_number() -> None:
    rows = TABLE.partition("\n")[2]
    words = ("-F", "csv", "--label", "0", "--positive", "p", "--columns", "1,3")
    some = ("-q", "--json", "-l", "disjunction", "--thresholds", "3=1")
    done = call("run", "-", *words, *some, stdin=rows)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["rounds"] == 6
    met = concepts.Disjunction.parse(facts["rule"]).features
    assert set(met) <= {"x1=foul", "x1=none", "x1=almond", "x3>=1"}
    assert facts["features"] == 4


def test_packed_tables_are_known_by_their_names(table: Path, tmp_path: Path) -> None:
    packed = tmp_path / "Mushrooms.CSV.gz"
    packed.write_bytes(gzip.compress(table.read_bytes()))
    words = ("-q", "--json", "--label", "class", "--positive", "p")
    found = [json.loads(call("run", path, *words).stdout) for path in (table, packed)]
    assert found[0]["curve"] == found[1]["curve"]


def test_linear_learners_read_numbers_and_categories(
    table: Path, tmp_path: Path
) -> None:
    words = ("-q", "--json", "--label", "class", "--positive", "p", "--passes", "3")
    facts = json.loads(call("run", "-l", "perceptron", table, *words).stdout)
    read: Any = streams.csv(table, label="class", positive="p")
    record = run(Perceptron(), read, passes=3)
    assert (facts["mistakes"], facts["rounds"]) == (record.mistakes, 18)
    facts = json.loads(
        call("run", "-l", "perceptron", table, *words, "--hash-bits", "12").stdout
    )
    features = {feature for x, _ in read for feature in x}
    assert (facts["mistakes"], facts["buckets"]) == (record.mistakes, len(features))
    # A file called .tsv is one, and --format csv reads any.
    tabs = tmp_path / "mushrooms.tsv"
    tabs.write_text(table.read_text().replace(",", "\t"))
    other = tmp_path / "mushrooms.data"
    other.write_text(table.read_text())
    for again in ([tabs], [other, "-F", "csv"]):
        assert (
            json.loads(call("run", "-l", "perceptron", *again, *words).stdout)["curve"]
            == facts["curve"]
        )
    for some, options in (
        (["--literals"], {"literals": True}),
        (["--thresholds", "rings=1"], {"thresholds": {"rings": 1}}),
    ):
        facts = json.loads(call("run", "-l", "perceptron", table, *words, *some).stdout)
        stream: Any = streams.csv(table, label="class", positive="p", **options)
        assert facts["mistakes"] == run(Perceptron(), stream, passes=3).mistakes


def test_types_and_missing_cells_of_a_table_are_as_asked(table: Path) -> None:
    words = ("-q", "--json", "--label", "class", "--positive", "p")
    for some, options in (
        (("--types", "category"), {"types": "category"}),
        (("--types", "rings=category"), {"types": {"rings": "category"}}),
        (("--missing", "literal"), {"missing": "literal"}),
        (("--missing", "leave-out"), {}),
    ):
        stream = streams.csv(table, label="class", positive="p", **options)
        facts = json.loads(call("run", table, *words, *some).stdout)
        assert facts["mistakes"] == run(Perceptron(), stream).mistakes
    rows = TABLE.partition("\n")[2]
    numbered = ("-F", "csv", "--label", "0", "--positive", "p")
    some = ("--types", "3=category")
    done = call("run", "-", "-q", "--json", *numbered, *some, stdin=rows)
    assert json.loads(done.stdout)["rounds"] == 6


def test_labels_of_a_table_are_numbers_unless_they_are_told() -> None:
    text = "y,a\n1,b\n0,c\n0,c\n+1,b\n"
    words = ("-F", "csv", "-q", "--json", "--label", "y", "-l", "disjunction")
    facts = json.loads(call("run", "-", *words, stdin=text).stdout)
    assert (facts["rounds"], facts["rule"]) == (4, "a=b or not a=c")


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
    done = call("run", path, "-F", "text", *words, "-p", out, "--json", "-q")
    assert json.loads(done.stdout)["mistakes"] == 2
    assert out.read_text() == "1\n0\n"
    options = ("--ngrams", "2", "--counts", "--keep-case", "--hash-bits", "10")
    done = call("run", path, "-F", "text", *words, *options)
    assert "6 of 1,024 buckets used; 0.00% of the entries collided" in done.stdout


def test_classes_are_learned_and_written_as_they_are(tmp_path: Path) -> None:
    path, out = tmp_path / "news.svm", tmp_path / "said"
    path.write_text("sport 1:1\nfood 2:1\nsport 1:1\nfood 2:1 3:1\n")
    done = call("run", path, "-l", "multiclass-perceptron", "-p", out)
    assert "mistakes  2 (50.0000%)" in done.stdout
    assert out.read_text() == "\nsport\nsport\nfood\n"
    assert done.stderr.splitlines()[-1].split()[-3:-1] == ["food", "food"]


VW_TEXT = "1 2 |n a b:2\n| a\n-1 |m c:x |n b\n1 |n a a\n"
JSON_TEXT = '{"y":1,"a":2,"id":9}\n{"y":null}\n{"y":0,"b":["x","x"]}\n'


@pytest.mark.parametrize("name", ["ads.vw", "ADS.VW.gz", "other"])
def test_vowpal_wabbit_text_is_told_by_its_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    packed = name.endswith("gz")
    path.write_bytes(gzip.compress(VW_TEXT.encode()) if packed else VW_TEXT.encode())
    words = ["--weights", "repeat", "--unlabelled", "skip", "--duplicates", "sum"]
    form = ["-F", "vw"] if name == "other" else []
    done = call("run", path, *form, *words, "--ignore", "m", "--json")
    facts = json.loads(done.stdout)
    stream = streams.vw(
        path, weights="repeat", unlabelled="skip", duplicates="sum", ignore="m"
    )
    record = run(Perceptron(), stream)
    assert (facts["rounds"], facts["left_out"]) == (record.rounds, 1) == (4, 1)
    assert facts["mistakes"] == record.mistakes
    hashed = call("run", path, *form, *words, "--keep", "n", "--hash-bits", "10")
    assert "left out  1 lines without a label or of weight 0" in hashed.stdout


@pytest.mark.parametrize("name", ["mail.jsonl", "mail.ndjson.gz", "other"])
def test_json_lines_are_told_by_their_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    packed = name.endswith("gz")
    path.write_bytes(
        gzip.compress(JSON_TEXT.encode()) if packed else JSON_TEXT.encode()
    )
    words = ["--label", "y", "--unlabelled", "skip", "--duplicates", "sum"]
    form = ["-F", "jsonl"] if name == "other" else []
    done = call("run", path, *form, *words, "--ignore", "id", "--json")
    facts = json.loads(done.stdout)
    stream = streams.jsonl(
        path, label="y", unlabelled="skip", duplicates="sum", ignore="id"
    )
    record = run(Perceptron(), stream)
    assert (facts["rounds"], facts["left_out"]) == (record.rounds, 1) == (2, 1)
    assert facts["mistakes"] == record.mistakes


YES = ["{table}", "--label", "y", "--positive", "no"]


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
        (["{bad}", "--threshold", "5"], "--threshold is not an option of perceptron"),
        (["{bad}", "-l", "winnow", "--bias", "1"], "--bias is not an option of winnow"),
        (["{bad}", "--full"], "--full is not an option of perceptron"),
        (["{bad}", "-C", "1"], "-C is not an option of perceptron"),
        (["{bad}", "-l", "balanced-winnow"], "balanced-winnow needs --rate"),
        (["{bad}", "-F", "text"], "--format text needs --label"),
        (["{bad}", "--ngrams", "2"], "--ngrams is for text, got svmlight"),
        (["{bad}", "--weights", "repeat"], "--weights is for vw, got svmlight"),
        (
            ["{bad}", "-F", "vw", "--label", "y"],
            "--label is for parquet, arrow, jsonl, csv",
        ),
        (["{bad}", "-F", "vw"], "bad.svm:1: the file must be vw, got what looks like"),
        (["{bad}", "-F", "jsonl"], "bad.svm:1: the file must be jsonl, got what looks"),
        (["{bad}", "-F", "jsonl", "--keep", "a"], "--keep is for vw, got jsonl"),
        (["{bad}", "--hash-bits", "25"], "from 1 to 24, got 25"),
        (["{bad}", "-l", "hedge"], "--format forecasts needs --label"),
        (
            ["{bad}", "-l", "hedge", "-F", "text"],
            "hedge must read --format forecasts, got --format text",
        ),
        (["{bad}", "--experts", "a"], "--experts is for forecasts, got svmlight"),
        (
            ["{bad}", "-l", "hedge", "--label", "y", "--ngrams", "2"],
            "--ngrams is for text",
        ),
        (["{bad}", "-l", "hedge", "--label", "y", "--keep-case"], "--keep-case is for"),
        (["{bad}", "-l", "boa", "--loss", "pinball"], "as in pinball:0.9"),
        (["{bad}", "-l", "boa", "--loss", "cubic"], "got 'cubic'"),
        (["{bad}", "-l", "boa", "--range", "1"], "two numbers, LOW,HIGH, got '1'"),
        (
            ["{bad}", "-l", "hedge", "--alpha", "0.1"],
            "--alpha is not an option of hedge",
        ),
        (["{good}", "-F", "text", "--label", "y"], "good.svm"),
        (["{bad}", "-l", "k-dnf"], "--learner k-dnf needs --k, how many literals"),
        (
            ["{bad}", "-l", "k-cnf", "--k", "0"],
            "k must be a whole number of at least 1",
        ),
        (
            ["{bad}", "-l", "k-cnf", "--k", "2", "--monotone"],
            "--monotone is not an option",
        ),
        (
            ["{bad}", "-l", "conjunction", "--k", "2"],
            "--k is not an option of conjunction",
        ),
        (["{bad}", "--k", "2"], "--k is not an option of perceptron"),
        (["{half}", "-l", "disjunction"], "half.svm:1: DisjunctionLearner:"),
        (["{good}", "-l", "decision-list", "--hash-bits", "4"], "for linear learners"),
        (
            ["{good}", "-l", "disjunction", "--label", "y"],
            "--label is for parquet",
        ),
        (
            ["{good}", "--missing", "literal"],
            "--missing is for parquet, arrow, csv, forecasts",
        ),
        (["{good}", "-F", "csv"], "--format csv needs --label"),
        (["{table}"], "--format csv needs --label"),
        (["{table}", "--label", "y", "--ngrams", "2"], "--ngrams is for text, got csv"),
        (
            ["{table}", "--label", "y", "--missing", "sleep"],
            "must be leave-out or refuse or literal",
        ),
        (
            ["{table}", "-l", "hedge", "--label", "y", "--missing", "literal"],
            "--missing must be refuse or sleep for forecasts, got literal",
        ),
        (["{table}", "--label", "z"], "'z'"),
        (["{table}", "--label", "y"], "label 'y' must be 1, 0 or -1, got 'no'"),
        (
            ["{table}", "--label", "y", "-l", "disjunction"],
            "label 'y' must be 1, 0 or -1, got 'no'",
        ),
        (
            [*YES, "--missing", "refuse"],
            "table.csv:2: column 'job' must have no missing cell, got '?'",
        ),
        (
            [*YES, "--missing", "refuse", "-l", "disjunction"],
            "table.csv:2: column 'job' must have no missing cell",
        ),
        ([*YES, "--types", "age", "--types", "job"], "as in zip=category, got 'age'"),
        ([*YES, "--types", "age=text"], "types must be 'number' or 'category'"),
        ([*YES, "--types", "age=number", "-l", "disjunction"], "'age' must be 0 or 1"),
        (["{table}", "--label", "y", "--thresholds", "age"], "as in age=30,50"),
        (["{table}", "--label", "y", "--thresholds", "age=3,x"], "as in age=30,50"),
        (["{table}", "--label", "y", "--thresholds", "=3"], "as in age=30,50"),
        (["{table}", "--label", "y", "--thresholds", "age=nan"], "finite numbers"),
        (
            [*YES, "--thresholds", "height=3"],
            "the header must have a column 'height', got",
        ),
        ([*YES, "--columns", "height"], "'height'"),
        (["{empty}", "-p", "{empty}"], "must not be the file that is read"),
        (["{cut}"], "cut.svm: the compressed data must be complete"),
        (["{good}", "-p", "/dev/full"], "must be a regular file, got a device"),
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
        "half": b"1 1:0.5\n",
    }
    for name, content in contents.items():
        (tmp_path / f"{name}.svm").write_bytes(content)
    paths = {name: str(tmp_path / f"{name}.svm") for name in contents}
    paths["table"] = str(tmp_path / "table.csv")
    (tmp_path / "table.csv").write_text("y,age,job\nno,29,?\n")
    learner = () if {"-l", "--learner"} & {*words} else ("-l", "perceptron")
    done = call("run", *learner, "-q", *(word.format(**paths) for word in words))
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


def test_a_process_of_its_own_ends_with_the_same_codes() -> None:
    command = [sys.executable, "-m", "littlestone", "run"]
    wrong = subprocess.run(
        [*command, "/no/such/file"], capture_output=True, text=True, check=False
    )
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == call("run", "/no/such/file").stderr
    right = subprocess.run(
        [*command, "-", "--json"],
        input=TEXT,
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(right.stdout) | {"seconds": 0}
    here = call("run", "-", "--json", stdin=TEXT)
    assert found == json.loads(here.stdout) | {"seconds": 0}
    assert right.stderr == here.stderr


def test_control_c_ends_a_run_in_one_line() -> None:
    command = [
        sys.executable,
        "-m",
        "littlestone",
        "run",
        "-",
        "-q",
        "-p",
        "-",
    ]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdin.write("1 1:1\n")
        running.stdin.flush()
        assert running.stdout.readline() == "1\n"  # it was played, and waits for more
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 130
        (line,) = running.stderr.read().splitlines()
        assert line.startswith("littlestone: interrupted after 1 round; nothing was")
        assert line.endswith("littlestone run - -q --save MODEL --resume")


def test_whoever_stops_reading_gets_no_traceback(file: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [
        sys.executable,
        "-m",
        "littlestone",
        "run",
        "-l",
        "perceptron",
        str(file),
        "--json",
        "-q",
    ]
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (-signal.SIGPIPE, "")
