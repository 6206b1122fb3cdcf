"""What the command line says when something is wrong: its own name, its own options."""

from __future__ import annotations

import ast
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
from littlestone.errors import Hint, LineError, ParameterError

ROOT = Path(littlestone.__file__).parent


class Found(NamedTuple):
    """A hint as it is written in the source."""

    place: str
    argument: str
    value: object

    def __str__(self) -> str:
        return f"{self.argument}={self.value}@{self.place}"


def hints() -> Iterator[Found]:
    """Yield every hint that the source gives."""
    for path in sorted(ROOT.rglob("*.py")):
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
    text = spelled(Hint(found.argument, found.value, "helps"), options_of(run))
    option, *value, does = text.split()
    assert option in options_of(run)
    assert does == "helps"
    if isinstance(found.value, Mapping):
        assert value == [f"{key}={each}" for key, each in found.value.items()]
    elif value and (among := choices(run, found.argument)):
        assert value[0] in among
    else:
        assert bool(value) == (found.value is not None)


def test_there_are_hints_to_walk_through() -> None:
    assert {found.argument for found in hints()} >= {"range"}


def test_an_error_without_owner_or_place_is_the_commands_own() -> None:
    error = ParameterError("--learner winnow needs --threshold")
    assert worded(error, race).startswith("race: --learner")
    error = ParameterError("passes must exceed 0, got 0", owner="run")
    assert worded(error, race) == "race: passes must exceed 0, got 0"
    error = ParameterError("promotion must exceed 1, got 1", owner="Winnow")
    assert worded(error, race) == "Winnow: promotion must exceed 1, got 1"
    line = LineError("a line must be JSON", where="a.jsonl:1")
    assert worded(line, race) == "a.jsonl:1: a line must be JSON"


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
