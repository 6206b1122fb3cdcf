"""littlestone: online learning with guarantees you can check.

The names below are loaded when they are first used, so that the command line answers
before NumPy has been imported.
"""

from __future__ import annotations

from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone import (
        adversaries,
        boolean,
        cluster,
        comparators,
        compat,
        concepts,
        errors,
        experts,
        linear,
        losses,
        maps,
        models,
        pac,
        streams,
        theorems,
    )
    from littlestone.auto import Auto, MulticlassAuto
    from littlestone.certifying import certify
    from littlestone.counsel import advise
    from littlestone.learner import Learner
    from littlestone.reporting import report
    from littlestone.running import Record, Recorder, run
    from littlestone.running.race import Race, race
    from littlestone.verifying import Certificate, verify

    __version__: str

__all__ = [
    "Auto",
    "Certificate",
    "Learner",
    "MulticlassAuto",
    "Race",
    "Record",
    "Recorder",
    "__version__",
    "adversaries",
    "advise",
    "boolean",
    "certify",
    "cluster",
    "comparators",
    "compat",
    "concepts",
    "conformal",
    "errors",
    "experts",
    "linear",
    "losses",
    "maps",
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
    "Auto": "littlestone.auto",
    "Certificate": "littlestone.verifying",
    "Learner": "littlestone.learner",
    "MulticlassAuto": "littlestone.auto",
    "Race": "littlestone.running.race",
    "Record": "littlestone.running",
    "Recorder": "littlestone.running",
    "advise": "littlestone.counsel",
    "certify": "littlestone.certifying",
    "race": "littlestone.running.race",
    "report": "littlestone.reporting",
    "run": "littlestone.running",
    "verify": "littlestone.verifying",
}


def _refuse_other_interpreters() -> None:
    """Refuse all but the main interpreter, before NumPy is loaded.

    Once another one has loaded NumPy, the main one cannot any more.
    """
    for name in (
        "_interpreters",
        "_xxsubinterpreters",
    ):  # since Python 3.13, and before
        with suppress(ImportError):
            interpreters = import_module(name)
            if interpreters.get_current() == interpreters.get_main():
                return
            break
    else:
        return  # there is no other one
    raise ImportError(
        "littlestone must be imported in the main interpreter, got another"
    )


_refuse_other_interpreters()


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
