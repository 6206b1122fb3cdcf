"""The rooms: as CONTRIBUTING draws them, and with modules of a readable length."""

from __future__ import annotations

import pkgutil
import re
import tomllib
from pathlib import Path

import pytest

import littlestone

ROOT = Path(__file__).parent.parent
SOURCES = Path(littlestone.__file__).parent  # of a wheel, where that is what is tested
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
TRAVELS = (ROOT / "docs/explanation/how-an-example-travels.md").read_text()


def layers() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    rooms = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [layer.replace("littlestone.", "") for layer in rooms]


def test_the_picture_of_the_rooms_is_the_contract_of_imports() -> None:
    picture = re.search("highest first:\n\n```text\n(.*?)```", CONTRIBUTING, re.DOTALL)
    assert picture is not None
    assert picture[1].splitlines() == layers()


def test_every_module_is_in_the_picture() -> None:
    found = {module.name for module in pkgutil.iter_modules(littlestone.__path__)}
    rooms = {room for layer in layers() for room in layer.split(" | ")}
    assert {name for name in found if not name.startswith("_")} == rooms


def test_no_module_is_too_long() -> None:
    lengths = {
        path.relative_to(SOURCES): len(path.read_text().splitlines())
        for path in SOURCES.rglob("*.py")
    }
    assert max(lengths.values()) <= 700
    assert max(n for path, n in lengths.items() if path.parts[0] == "running") <= 500


@pytest.mark.parametrize("page", [CONTRIBUTING, TRAVELS], ids=["table", "travels"])
def test_the_files_that_a_page_names_exist(page: str) -> None:
    named = set(re.findall(r"`([\w/]+(?:/|\.py|\.hpp|\.cpp))`", page))
    others = [ROOT / each for each in ("cpp", "docs", "tests", "benchmarks")]
    found = [str(path) for folder in (SOURCES, *others) for path in folder.rglob("*")]
    ends = [f"/{name.removeprefix('src/').rstrip('/')}" for name in named]
    missing = [end for end in ends if not any(path.endswith(end) for path in found)]
    assert len(named) > 20
    assert missing == []
