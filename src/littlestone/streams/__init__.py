"""Streams: examples, one after another.

Any iterable of `(x, y)` is a stream. The ones made here also hand over whole blocks,
which `run` plays natively; the examples, their order and the results are the same.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from littlestone.streams._advice import advice
from littlestone.streams._arrays import arrays
from littlestone.streams._arrow import arrow
from littlestone.streams._base import Block, Stream
from littlestone.streams._hashed import hashed
from littlestone.streams._joined import joined
from littlestone.streams._jsonl import jsonl
from littlestone.streams._onehot import onehot
from littlestone.streams._open import open  # noqa: A004 - `streams.open` reads best
from littlestone.streams._svmlight import svmlight
from littlestone.streams._text import text
from littlestone.streams._vw import vw
from littlestone.streams.cells import cells
from littlestone.streams.csv import csv
from littlestone.streams.table import table

if TYPE_CHECKING:
    from littlestone.streams import synthetic

__all__ = [
    "Block",
    "Stream",
    "advice",
    "arrays",
    "arrow",
    "cells",
    "csv",
    "hashed",
    "joined",
    "jsonl",
    "onehot",
    "open",
    "svmlight",
    "synthetic",
    "table",
    "text",
    "vw",
]


def __getattr__(name: str) -> Any:
    if (
        name == "synthetic"
    ):  # loaded when it is first used: most streams are not made up
        return import_module("littlestone.streams.synthetic")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
