"""Load a script of the repository, so that a test can call its functions."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def script(path: str) -> Any:
    """Return the script as a module; its `main` has not run."""
    name = f"script_{Path(path).stem}"
    if name not in sys.modules:
        spec = spec_from_file_location(name, ROOT / path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module_from_spec(spec)  # dataclasses look it up there
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]
