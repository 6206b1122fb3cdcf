"""Model files: save, load and inspect a learner with all it has learned.

A model file is a safetensors file: a header of JSON, then arrays of numbers. The header
holds the format number, the learner's name and parameters, the layout of its state, and
the SHA-256 of the whole file, which is checked before anything else is read. Nothing in
it is code, so a file from a stranger can at worst be refused.
"""

from __future__ import annotations

from littlestone.models._card import ModelCard, ModelDiff, Weight, diff, inspect
from littlestone.models._models import check, load, reading, save
from littlestone.models._runs import run

__all__ = [
    "ModelCard",
    "ModelDiff",
    "Weight",
    "check",
    "diff",
    "inspect",
    "load",
    "reading",
    "run",
    "save",
]
