"""The front door: what is exported, the stub, and that imports stay light."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import get_origin

import pytest

import littlestone


def test_the_front_door_is_what_it_says() -> None:
    assert dir(littlestone) == sorted(littlestone.__all__)
    for name in littlestone.__all__:
        assert getattr(littlestone, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        littlestone.nonsense  # noqa: B018 - to ask is the test


def test_no_module_has_the_name_of_a_function() -> None:
    modules = {module.name for module in pkgutil.iter_modules(littlestone.__path__)}
    functions = {
        name
        for name in littlestone.__all__
        if not isinstance(getattr(littlestone, name), ModuleType)
    }
    assert not modules & functions


@pytest.mark.parametrize(
    "module",
    [
        "counsel",
        "certifying",
        "comparators",
        "compat",
        "compat.onnx",
        "compat.opera",
        "compat.river",
        "compat.sklearn",
        "display",
        "display.learned",
        "display.markup",
        "display.progress",
        "display.words",
        "errors",
        "learner",
        "learner.labels",
        "outcome",
        "linear",
        "losses",
        "maps",
        "learner.members",
        "learner.advice",
        "adversaries",
        "boolean",
        "concepts",
        "experts",
        "running.examples",
        "running.bounds",
        "models",
        "pac",
        "learner.packing",
        "learner.parameters",
        "running.notebook",
        "running.race",
        "running.ranking",
        "reporting",
        "learner.rows",
        "running",
        "client",
        "service",
        "streams",
        "testing",
        "theorems",
        "verifying",
        "verifying.proofs",
        "verifying.twins",
    ],
)
def test_every_exported_name_exists_and_is_documented(module: str) -> None:
    loaded = import_module(f"littlestone.{module}")
    assert loaded.__doc__
    for name in loaded.__all__:
        thing = getattr(loaded, name)
        alias = get_origin(thing) is not None  # such as a Literal
        assert alias or not callable(thing) or thing.__doc__, name


def test_the_stub_of_the_core_is_up_to_date(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [
        sys.executable,
        "-m",
        "nanobind.stubgen",
        "-q",
        "-m",
        "littlestone._core",
    ]
    subprocess.run([*command, "-o", str(fresh)], check=True)
    committed = Path(littlestone.__file__).with_name("_core.pyi")
    assert fresh.read_text() == committed.read_text(), "run `make stub`"


def test_importing_loads_neither_numpy_nor_the_command_line() -> None:
    script = "import sys, littlestone; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert "numpy" not in loaded
    script = "import sys, littlestone; littlestone.run; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert not {
        "typer",
        "rich",
        "scipy",
        "pandas",
        "polars",
        "plotly",
        "starlette",
        "msgspec",
    } & set(loaded)


def test_a_learner_that_is_gone_holds_no_names() -> None:
    name = str(object())  # an object of its own, shared with nobody
    before = sys.getrefcount(name)
    learner = littlestone.linear.Perceptron()
    for _ in range(3):
        learner.learn_one({name: 1.0}, y=False)
    assert sys.getrefcount(name) > before
    del learner
    assert sys.getrefcount(name) == before
