"""Streams: examples, one after another.

Any iterable of `(x, y)` is a stream. The ones made here also come in blocks, which
`run` plays natively; the examples, their order and the results are the same.

Each is loaded when it is first used, so that the command line starts quickly.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from littlestone.streams import synthetic
    from littlestone.streams._advice import advice
    from littlestone.streams._arrays import arrays
    from littlestone.streams._arrow import arrow
    from littlestone.streams._base import Block, Stream
    from littlestone.streams._crossed import crossed
    from littlestone.streams._csv import csv
    from littlestone.streams._forecasts import forecasts
    from littlestone.streams._hashed import hashed
    from littlestone.streams._joined import joined
    from littlestone.streams._jsonl import jsonl
    from littlestone.streams._onehot import onehot
    from littlestone.streams._open import open  # noqa: A004 - `streams.open` reads best
    from littlestone.streams._reading import Reading
    from littlestone.streams._shuffled import shuffled
    from littlestone.streams._svmlight import svmlight
    from littlestone.streams._table import table
    from littlestone.streams._text import text
    from littlestone.streams._vw import vw
    from littlestone.streams._without import without
    from littlestone.weighted import Weighted

__all__ = [
    "Block",
    "Reading",
    "Stream",
    "Weighted",
    "advice",
    "arrays",
    "arrow",
    "crossed",
    "csv",
    "forecasts",
    "hashed",
    "joined",
    "jsonl",
    "onehot",
    "open",
    "shuffled",
    "svmlight",
    "synthetic",
    "table",
    "text",
    "vw",
    "without",
]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "synthetic":
        return import_module("littlestone.streams.synthetic")
    if name == "Weighted":
        return import_module("littlestone.weighted").Weighted
    home = "_base" if name in ("Block", "Stream") else f"_{name.lower()}"
    found = getattr(import_module(f"littlestone.streams.{home}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted(__all__)
