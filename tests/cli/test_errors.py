"""What the command line says when something is wrong: its own name, its own options."""

from __future__ import annotations

import ast
import json
import pickle
import subprocess
import sys
import typing
from collections.abc import Iterator, Mapping
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import littlestone
from command import call
from littlestone.cli._errors import options_of, spelled, worded
from littlestone.cli.race import race
from littlestone.cli.run import run
from littlestone.cli.verify import verify
from littlestone.errors import Hint, LineError, ParameterError
from littlestone.experts import BOA

ROOT = Path(littlestone.__file__).parent


class Found(NamedTuple):
    """A hint as it is written in the source."""

    place: str
    argument: str
    value: object

    def __str__(self) -> str:
        return f"{self.argument}={self.value}@{self.place}"


# Hints that never get there: `compare` makes the record itself, with what it needs.
PYTHON_ONLY = ("comparators/_records.py",)


def hints() -> Iterator[Found]:
    """Yield every hint that the command line may have to show."""
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).as_posix() in PYTHON_ONLY:
            continue
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source if "Hint(" in source else "")):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Hint":
                argument, *value = node.args
                assert isinstance(argument, ast.Constant), ast.unparse(node)
                given = ast.unparse(value[0]) if value else "None"
                place = f"{path.relative_to(ROOT)}:{node.lineno}"
                # The name of a column is known only when a file is read.
                if isinstance(value[0] if value else None, ast.Dict):
                    assert isinstance(value[0], ast.Dict)
                    given = str({"a": ast.literal_eval(value[0].values[0] or argument)})
                yield Found(place, str(argument.value), ast.literal_eval(given))


def named(argument: str) -> str:
    """Return the parameter of a command that has this option."""
    return "form" if argument == "format" else argument


def choices(command: Any, name: str) -> set[str] | None:
    """Return what an option may be; None if that is not fixed."""
    for hint in typing.get_args(
        typing.get_type_hints(command, include_extras=True)[name]
    ):
        for kind in (hint, *typing.get_args(hint)):
            if isinstance(kind, type) and issubclass(kind, Enum):
                return {each.value for each in kind}
    return None


@pytest.mark.parametrize("found", [*hints()], ids=str)
def test_every_hint_names_an_option_of_the_command_line(found: Found) -> None:
    command = verify if found.place.startswith("verifying/") else run
    text = spelled(Hint(found.argument, found.value, "helps"), options_of(command))
    if found.argument == "stream":
        assert text == "a FILE that can be read twice helps"
        return
    if found.argument == "outcome":
        assert text in {
            "--learner multiclass-auto helps",
            "--learner vovk-azoury-warmuth helps",
        }
        return
    option, *value, does = text.split()
    assert option in options_of(command)
    assert does == "helps"
    if isinstance(found.value, Mapping):
        assert value == [f"{key}={each}" for key, each in found.value.items()]
    elif value and (among := choices(command, named(found.argument))):
        assert value[0] in among
    else:
        assert bool(value) == (found.value is not None)


def test_there_are_hints_to_walk_through() -> None:
    told = {"range", "positive", "missing", "unlabelled", "duplicates", "weights"}
    assert {found.argument for found in hints()} >= told | {"types", "columns"}


SHOWN: list[tuple[str, str, list[str], str]] = [
    ("a.vw", "| x\n", [], "--unlabelled skip skips lines without one"),
    ("a.vw", "1 | x x\n", ["--duplicates", "refuse"], "--duplicates sum adds them"),
    ("a.vw", "1 2 | x\n", [], "--weights repeat plays a line as often as it says"),
    ("a.jsonl", '{"label": 1, "x": 1, "x": 2}\n', [], "--duplicates sum adds"),
    ("a.jsonl", '{"x": 1}\n', [], "--unlabelled skip skips lines without one"),
    ("a.svm", "spam 1:1\n", [], "--positive names the label that means yes"),
    ("a.csv", "x,y\n1,spam\n", ["--label", "y"], "--positive names the label"),
    (
        "a.svm",
        "1 1:1\n2 1:1\n3 1:1\n",
        [],
        "--positive names the label that means yes, --learner multiclass-auto",
    ),
    (
        "a.svm",
        "1 1:9\n",
        ["-l", "balanced-winnow:rate\N{EQUALS SIGN}1"],
        "--scale declares a larger one",
    ),
    (
        "a.csv",
        "x,y\n,1\n",
        ["--label", "y", "--missing", "refuse"],
        "--missing leave-out leaves it out",
    ),
    (
        "a.csv",
        "x,y\n" + "1,1\n" * 2000 + "a,1\n",
        ["--label", "y"],
        "--types x=category reads texts",
    ),
    (
        "a.tsv",
        'y\tx\n1\tten words\n0\t"ten" words\n',
        ["--label", "y"],
        "--format text reads the words of texts",
    ),
    (
        "a.csv",
        "ann,bob,y\n0.5,0.5,1\n,,1\n",
        ["--label", "y", "-l", "ml-poly", "--missing", "sleep"],
        "--on-error skip leaves such lines out; 1 round played",
    ),
    (
        "a.csv",
        "ann,bob,y\n5,9,1\n",
        ["--label", "y", "-l", "aggregating-algorithm"],
        "--loss square is for numbers",
    ),
    (
        "a.csv",
        "ann,bob,y\n5,9,1\n",
        ["--label", "y", "-l", "aggregating-algorithm", "--loss", "square"],
        "--interval declares another interval",
    ),
    (
        "a.csv",
        "ann,bob,y\n0.5,,1\n",
        ["--label", "y", "-l", "ml-poly"],
        "--missing sleep lets the expert sleep",
    ),
]


@pytest.mark.parametrize(("name", "text", "options", "hint"), SHOWN)
def test_hints_are_shown_as_options(
    tmp_path: Path, name: str, text: str, options: list[str], hint: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    done = call("run", file, "-q", *options)
    assert done.returncode == 2
    assert f"; {hint}" in done.stderr
    assert "=" not in done.stderr.replace("x=category", "")


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("a.csv", "amount,Fraud\n1,1\n", []),
        ("a.tsv", "text\tFraud\none\t1\n", ["-F", "text"]),
        ("a.jsonl", '{"a": 1, "Fraud": 1}\n', []),
        ("a.csv", "amount,Fraud\n1,1\n", ["-l", "ml-poly"]),
    ],
)
@pytest.mark.parametrize("label", ["frau", "fruad", "FRAUD"])
def test_a_mistyped_label_gets_a_suggestion(
    tmp_path: Path, name: str, text: str, options: list[str], label: str
) -> None:
    file = tmp_path / name
    file.write_text(text)
    done = call("run", file, "-q", *options, "--label", label)
    assert done.returncode == 2
    assert ": did you mean Fraud?" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["-l", "percptron"], "got 'percptron': did you mean perceptron?"),
        (["-l", "hegde"], "got 'hegde': did you mean hedge?"),
        (["-l", "svm"], "a learner must be one of auto, perceptron, "),
        (["-l", "arow:bais=1"], "'bais' is not an option of arow: did you mean bias?"),
        (["-l", "boa:loss=squar"], "--loss must have a known name, got 'squar': did"),
        (
            ["-l", "boa:form=published,gradient", "--label", "y"],
            "BOA: --form published with --gradient needs the range of slope times adv",
        ),
    ],
)
def test_parameters_are_worded_as_options(
    tmp_path: Path, words: list[str], told: str
) -> None:
    file = tmp_path / "a.svm"
    file.write_text("1 1:1\n")
    done = call("run", file, *words)
    assert done.returncode == 2
    assert told in done.stderr


@pytest.mark.parametrize("form", ["svmlight", "vw", "jsonl", "csv", "text"])
@pytest.mark.parametrize("content", [b"PAR1\0\0", b"\x7fELF" + bytes(range(99)) * 9])
def test_a_file_of_bytes_is_not_dumped(
    tmp_path: Path, form: str, content: bytes
) -> None:
    file = tmp_path / "a.bin"
    content += bytes(64)
    file.write_bytes(content)
    words = ["--label", "y"] if form in ("csv", "text") else []
    done = call("run", file, "-F", form, *words)
    looks = "parquet" if content[:4] == b"PAR1" else "binary data"
    told = f"{file}:1: the file must be {form}, got what looks like {looks}"
    assert done.stderr == f"littlestone: {told}; 0 rounds played\n"
    assert call("run", file).returncode == 2  # recognised or not


def test_a_file_of_another_format_is_recognised(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("x,y,label\n1,2,0\n3,4,1\n")
    done = call("run", file, "-F", "svmlight")
    assert "the file must be svmlight, got what looks like csv" in done.stderr


def test_an_error_without_owner_or_place_is_the_commands_own() -> None:
    error = ParameterError("--learner winnow needs --threshold")
    assert worded(error, race).startswith("race: --learner")
    error = ParameterError("passes must exceed 0, got 0", owner="run")
    assert worded(error, race) == "race: passes must exceed 0, got 0"
    error = ParameterError("promotion must exceed 1, got 1", owner="Winnow")
    assert worded(error, race) == "Winnow: promotion must exceed 1, got 1"
    line = LineError("a line must be JSON", where="a.jsonl:1")
    assert worded(line, race) == "a.jsonl:1: a line must be JSON"


@pytest.mark.parametrize(
    ("learner", "option", "told"),
    [
        ("arow", "--scope stream", "and AROW-DIAG, with --scope run"),
        ("coin-betting", "--scope stream", "are certified with --scope run"),
    ],
)
def test_a_premise_names_the_option_that_would_help(
    tmp_path: Path, learner: str, option: str, told: str
) -> None:
    (tmp_path / "a.svm").write_text("1 1:1\n0 2:1\n" * 3)
    words = ("-l", learner, *option.split(), "-q")
    done = call("certify", tmp_path / "a.svm", *words)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_parameter_names_options_if_the_command_has_them() -> None:
    with pytest.raises(ParameterError) as refused:
        BOA(form="published", gradient=True)
    assert str(refused.value).startswith("BOA: form='published' with gradient=True")
    told = worded(refused.value, run)
    assert told.startswith("BOA: --form published with --gradient needs the range")
    assert worded(refused.value, race) == str(refused.value)
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)  # noqa: S301 - our own


@pytest.mark.parametrize("command", ["run", "certify", "report"])
def test_what_is_wrong_is_said_in_the_name_of_the_command(command: str) -> None:
    done = call(command, "mail.svm", "-l", "winnow")
    assert done.stderr == (
        f"littlestone: {command}: --learner winnow needs --threshold; the number of "
        "features is usual\n"
    )


def test_a_loss_out_of_range_names_the_option_of_the_command(tmp_path: Path) -> None:
    file = tmp_path / "loads.csv"
    file.write_text("ann,bob,y\n0,1,9\n" * 1)
    words = (file, "--label", "y", "-q")
    done = call("run", *words, "-l", "hedge", "--eta", 1, "--range", "0,1")
    assert "; --range declares another range; 0 rounds played" in done.stderr
    done = call("race", *words, "-l", "hedge:eta=1,range=0,1", "-l", "ml-poly")
    assert "range= behind the learner's name declares another range" in done.stdout


def test_what_needs_the_stream_asks_for_a_file() -> None:
    words = ("-F", "forecasts", "--label", "y", "-q", "-l", "boa")
    done = call("certify", "-", *words, stdin="ann,bob,y\n0,1,0.5\n")
    assert done.returncode == 2
    assert done.stderr.endswith("; a FILE that can be read twice gives it\n")


def test_labels_and_columns_get_the_hint_that_helps(tmp_path: Path) -> None:
    path = tmp_path / "flats.csv"
    path.write_text("rooms,rent\n2,\n")
    done = call("run", path)
    assert done.stderr == (
        "littlestone: run: --format csv needs --label, the column of the label: one of "
        "'rooms', 'rent'\n"
    )
    done = call("run", path, "--label", "rent", "-q")
    assert "got ''; --unlabelled skip leaves out examples without" in done.stderr
    path.write_text("rooms,rent\n2,650.5\n3,800\n")
    done = call("run", path, "--label", "rent", "-q")
    assert "got '650.5'; --learner vovk-azoury-warmuth is for numbers" in done.stderr
    done = call("run", path, "--label", "rent", "-l", "vovk-azoury-warmuth")
    assert done.returncode == 0
    assert done.stderr.splitlines()[1].endswith("outcome  predict features")


def test_damaged_files_are_answered_in_one_line() -> None:
    path = Path(__file__).with_name("fuzz_files.py")
    done = subprocess.run(
        [sys.executable, str(path), "9", "--seed", "5"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert sum(found.values()) == 9
    assert found["arrow: 2"] + found["model: 2"] > 2
