"""A release says one version everywhere, and asks for what it needs."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any

import littlestone
from command import call

ROOT = Path(__file__).parents[1]


def _project() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def _first(pattern: str, file: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


def test_every_place_says_the_same_version() -> None:
    told = _project()["project"]["version"]
    assert version("littlestone") == told
    assert littlestone.__version__ == told
    assert call("--version").stdout == f"littlestone {told}\n"
    assert _first(r"^version: (\S+)$", "CITATION.cff") == told
    assert _first(r"^## (\d\S*)", "CHANGELOG.md") == told


def test_one_wheel_serves_every_python_that_is_promised() -> None:
    project = _project()
    oldest = project["project"]["requires-python"].removeprefix(">=")
    assert metadata("littlestone")["Requires-Python"] == f">={oldest}"
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == (
        f"cp{oldest.replace('.', '')}"
    )


def test_the_wheel_tells_type_checkers_that_it_has_types() -> None:
    package = Path(littlestone.__file__).parent
    assert (package / "py.typed").exists()
    assert (package / "_core.pyi").exists()
