"""The help fits a terminal, begins with examples, and explains what is asked about."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from command import call
from littlestone.cli._errors import options_of
from littlestone.cli._learner_options import options_of as options_of_learner
from littlestone.cli._learners import LEARNERS
from littlestone.cli.run import run
from littlestone.streams._formats import Format

COMMANDS = re.findall(r"^  (\w+)   ", call("--help").stdout, re.MULTILINE)


def explained(shown: str) -> set[str]:
    """Return the options that a help explains."""
    lines = re.findall(r"^  (?:-\w, )?--([\w-]+)(?: \S+)?(?:  |$)", shown, re.MULTILINE)
    return set(lines)


@pytest.mark.parametrize("command", COMMANDS)
def test_it_fits_a_terminal_and_begins_with_examples(command: str) -> None:
    shown = call(command, "--help").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.startswith(f"Usage: littlestone {command} ")
    assert not re.search(r"\w-\n +\w", shown)  # names stay whole
    examples = shown.index(f"\n  littlestone {command}")
    assert examples < shown.index("\nOptions:\n")
    if command in ("run", "race", "certify", "report"):
        assert shown.count("\n", 0, examples) < 6


def test_there_are_commands() -> None:
    assert {"run", "race", "certify", "verify", "report"} <= {*COMMANDS}
    shown = call("--help").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.index("littlestone demo") < shown.index("Commands:")


def test_it_is_short_and_names_every_option() -> None:
    shown = call("run", "--help").stdout
    assert shown.count("\n") < 150
    for option in filter(re.compile("--").match, options_of(run)):
        assert re.search(rf"(?<![\w-]){option}(?![\w-])", shown), option
    for learner in LEARNERS:
        assert learner in shown


@pytest.mark.parametrize("learner", ["arow", "winnow:threshold=5", "k-dnf", "hedge"])
def test_the_options_of_a_learner_are_explained(learner: str) -> None:
    name = learner.partition(":")[0]
    plain, shown = (
        call("run", *words, "--help").stdout for words in ([], ["-l", learner])
    )
    own = {
        "aggressiveness" if option == "C" else option
        for option in options_of_learner(LEARNERS[name])
    }
    assert f"\nOptions of {name}:\n" in shown
    more = {"label", "experts", "missing", "unlabelled"} if name == "hedge" else set()
    assert own <= explained(shown) - explained(plain) <= own | more
    assert call("run", f"--learner={learner}", "--help").stdout == shown


@pytest.mark.parametrize("form", [Format.CSV, Format.VW, Format.TEXT])
def test_the_options_of_a_format_are_explained(form: Format) -> None:
    shown = call("run", "-F", form, "--help").stdout
    own = {name.replace("_", "-") for name in form.options} - {
        *("outcome", "delimiter", "header", "negative"),
    }
    own = {"keep-case" if name == "lowercase" else name for name in own}
    assert own <= explained(shown)
    assert ("weights" in explained(shown)) == (form is Format.VW)


def test_what_is_not_known_is_not_explained() -> None:
    plain = call("run", "--help").stdout
    assert call("run", "-l", "nonsense", "--help").stdout == plain


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"]])
def test_it_does_not_wait_for_numpy(words: list[str]) -> None:
    script = (
        "import sys\n"
        "from littlestone.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    assert 'numpy' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "Usage: littlestone" in done.stdout
