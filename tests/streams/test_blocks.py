"""Blocks may be kept: what was read stays as it is while the stream is read on."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from littlestone import _core, streams
from littlestone.streams import Stream
from littlestone.streams._base import examples

parser = import_module("littlestone.streams._parser")

ROWS = range(4_000)
LINES = {
    "svmlight": "".join(f"{k % 2} {k % 7}:{k + 1} {k + 10}:1\n" for k in ROWS),
    "vw": "".join(f"{k % 2} tag{k}| a{k % 7}:{k + 1} b{k}\n" for k in ROWS),
    "text": "".join(f"{k % 2}\tword{k} again{k % 7}\n" for k in ROWS),
    "jsonl": "".join(f'{{"y": {k % 2}, "a": {k + 1}, "b{k}": 2}}\n' for k in ROWS),
    "csv": "y,a,b\n" + "".join(f"{k % 2},{k + 1},word{k}\n" for k in ROWS),
    "forecasts": "y,a,b\n" + "".join(f"{k % 2},{k + 1},{k / 2}\n" for k in ROWS),
}
OPTIONS: dict[str, dict[str, Any]] = {
    "text": {"label": 0},
    "jsonl": {"label": "y"},
    "csv": {"label": "y"},
    "forecasts": {"label": "y"},
}
# What is made from the stream of a file.
MADE: dict[str, Callable[[Stream], Stream]] = {
    "as it is": lambda each: each,
    "joined": lambda each: streams.joined([each]),
}


@pytest.fixture(autouse=True)
def small_buffers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make many blocks of a small file."""
    monkeypatch.setattr(parser, "_BUFFER", 4096)
    monkeypatch.setattr(parser, "_AT_ONCE", 2048)


def stream_of(folder: Path, name: str) -> Stream:
    path = folder / f"file.{name}"
    path.write_text(LINES[name])
    made: Stream = getattr(streams, name)(path, **OPTIONS.get(name, {}))
    return made


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("how", MADE)
def test_blocks_that_are_kept_stay_as_they_were(
    tmp_path: Path, name: str, how: str
) -> None:
    stream = MADE[how](stream_of(tmp_path, name))
    kept = list(stream.blocks())
    assert len(kept) > 10
    assert [block.where(block.first) for block in kept] == [
        block.where(block.first) for block in stream.blocks()
    ]
    read = zip(examples(kept), stream, strict=True)
    assert all(dict(x) == dict(z) and y == w for (x, y), (z, w) in read)


def test_labels_and_rows_that_are_kept_stay_as_they_were(tmp_path: Path) -> None:
    stream = stream_of(tmp_path, "svmlight")
    labels = np.concatenate([block.labels for block in stream.blocks()])
    kept = [block.labels for block in stream.blocks()]
    assert np.concatenate(kept).tolist() == labels.tolist()
    rows = [block.rows for block in stream.blocks()]
    assert [row for each in rows for row in map(each.row, range(len(each)))] == [
        x for x, _ in stream
    ]


def test_tags_that_are_kept_stay_as_they_were(tmp_path: Path) -> None:
    kept = list(stream_of(tmp_path, "vw").blocks())
    tags = [
        block.where.tag(row)  # type: ignore[attr-defined]  # of this format
        for block in kept
        for row in range(block.first, block.last)
    ]
    assert tags == [f"tag{k}" for k in ROWS]


def test_the_memory_of_blocks_that_nobody_keeps_is_reused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    class Counted(_core.SvmlightBlock):
        def __init__(self) -> None:
            super().__init__()
            made.append(self.__class__)

    stream = stream_of(tmp_path, "svmlight")
    monkeypatch.setattr(type(stream), "_native", Counted)
    assert sum(1 for _ in stream.blocks()) > 10
    few = len(made)
    assert few < 10
    assert len(list(stream.blocks())) < len(made) - few
