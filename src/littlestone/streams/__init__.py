"""Streams: examples, one after another.

Any iterable of `(x, y)` is a stream. The ones made here also hand over whole blocks,
which `run` plays natively; the examples, their order and the results are the same.
"""

from littlestone.streams._base import Block, Stream
from littlestone.streams.advice import advice
from littlestone.streams.arrays import arrays
from littlestone.streams.cells import cells
from littlestone.streams.csv import csv
from littlestone.streams.hashed import hashed
from littlestone.streams.onehot import onehot
from littlestone.streams.svmlight import svmlight
from littlestone.streams.table import table
from littlestone.streams.text import text

__all__ = [
    "Block",
    "Stream",
    "advice",
    "arrays",
    "cells",
    "csv",
    "hashed",
    "onehot",
    "svmlight",
    "table",
    "text",
]
