"""littlestone: online learning with guarantees you can check.

The names below are loaded when they are first used, so that the command line answers
before NumPy has been imported.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone import (
        adversaries,
        boolean,
        comparators,
        compat,
        concepts,
        errors,
        experts,
        linear,
        losses,
        models,
        pac,
        streams,
        theorems,
    )
    from littlestone.advise import advise
    from littlestone.certify import certify
    from littlestone.learner import Learner
    from littlestone.race import Race, race
    from littlestone.report import report
    from littlestone.run import Record, run
    from littlestone.verify import Certificate, verify

    __version__: str

__all__ = [
    "Certificate",
    "Learner",
    "Race",
    "Record",
    "__version__",
    "adversaries",
    "advise",
    "boolean",
    "certify",
    "comparators",
    "compat",
    "concepts",
    "errors",
    "experts",
    "linear",
    "losses",
    "models",
    "pac",
    "race",
    "report",
    "run",
    "streams",
    "theorems",
    "verify",
]

_HOMES = {
    "Certificate": "littlestone.verify",
    "Learner": "littlestone.learner",
    "Race": "littlestone.race",
    "Record": "littlestone.run",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("littlestone")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"littlestone.{name}")
    raise AttributeError(f"module 'littlestone' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)


class _FrontDoor(ModuleType):
    """Keeps functions what they are, though importing sets the modules they live in."""

    @property
    def advise(self) -> Any:
        return import_module("littlestone.advise").advise

    @advise.setter
    def advise(self, module: ModuleType) -> None:
        pass

    @property
    def certify(self) -> Any:
        return import_module("littlestone.certify").certify

    @certify.setter
    def certify(self, module: ModuleType) -> None:
        pass

    @property
    def race(self) -> Any:
        return import_module("littlestone.race").race

    @race.setter
    def race(self, module: ModuleType) -> None:
        pass

    @property
    def report(self) -> Any:
        return import_module("littlestone.report").report

    @report.setter
    def report(self, module: ModuleType) -> None:
        pass

    @property
    def run(self) -> Any:
        return import_module("littlestone.run").run

    @run.setter
    def run(self, module: ModuleType) -> None:
        pass

    @property
    def verify(self) -> Any:
        return import_module("littlestone.verify").verify

    @verify.setter
    def verify(self, module: ModuleType) -> None:
        pass


sys.modules[__name__].__class__ = _FrontDoor
