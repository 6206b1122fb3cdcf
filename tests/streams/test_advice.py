"""Advice in memory is streamed as it is."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from littlestone import streams
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    ParameterError,
)
from littlestone.learner.advice import Advice

# The function of the same name hides the module.
module = import_module("littlestone.streams._advice")

NAN = float("nan")
F = np.array([[1.0, 0.0], [0.5, 1.0], [0.25, 4.0]])
Y = [1, 0, 1]


def test_rounds_come_one_by_one() -> None:
    assert list(streams.advice(F, Y)) == [
        ([1.0, 0.0], 1.0),
        ([0.5, 1.0], 0.0),
        ([0.25, 4.0], 1.0),
    ]
    named = [({"a": f, "b": g}, float(y)) for (f, g), y in zip(F, Y, strict=True)]
    assert list(streams.advice(pd.DataFrame(F, columns=["a", "b"]), Y)) == named
    assert list(streams.advice(pl.DataFrame(F, schema=["a", "b"]), Y)) == named
    assert list(streams.advice([x for x, _ in named], Y)) == named


def test_sleepers_are_left_out() -> None:
    awake = [[1, 1], [0, 1], [1, 0]]
    by_position = [({0: 1.0, 1: 0.0}, 1.0), ({1: 1.0}, 0.0), ({0: 0.25}, 1.0)]
    assert list(streams.advice(F, Y, awake=awake)) == by_position
    holes = np.where(np.array(awake, dtype=bool), F, NAN)
    assert list(streams.advice(holes, Y, missing="sleep")) == by_position
    with pytest.raises(FeatureError, match="row 1: expert 0 must predict .*, got nan"):
        streams.advice(holes, Y)


def test_truth_values_stay_truth_values() -> None:
    stream = streams.advice(F > 0.5, np.array(Y) > 0)
    assert list(stream) == [
        ([True, False], True),
        ([False, True], False),
        ([False, True], True),
    ]
    (block,) = stream.blocks()
    assert block.labels.dtype == np.bool_
    assert block.rows.values.dtype == np.bool_  # noqa: PD011 - advice is no frame


def test_distributions_are_streamed() -> None:
    cube = np.arange(8.0).reshape(2, 2, 2)
    ((x, y), _) = streams.advice(cube, [0, 1])
    assert (x, y) == ([[0.0, 1.0], [2.0, 3.0]], 0.0)


@pytest.mark.parametrize("size", [1, 2, 4096])
def test_blocks_hold_what_the_examples_hold(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    monkeypatch.setattr(module, "_ROUNDS_A_BLOCK", size)
    stream = streams.advice(F, Y)
    found: list[Any] = []
    shares = []
    for block in stream.blocks():
        assert isinstance(block.rows, Advice)
        assert block.labels.dtype == np.float64
        assert block.where(block.first) == f"row {len(found)}"
        assert 0 < block.last - block.first <= size
        shares.append(block.done)
        rows = range(block.first, block.last)
        found += [(block.rows.row(row), block.labels[row]) for row in rows]
    assert found == list(stream)
    assert shares[-1] == 1.0
    assert len(stream) == len(found)


def test_a_stream_can_be_read_again() -> None:
    stream = streams.advice(F, Y)
    assert stream.repeatable
    assert list(stream) == list(stream)
    assert repr(stream) == "advice(3 rounds of 2 experts)"


def test_what_is_refused_is_named_by_its_row() -> None:
    with pytest.raises(LabelError, match="row 2: an outcome must be .*, got nan"):
        streams.advice(F, [1, 0, NAN])
    with pytest.raises(ParameterError, match="one outcome for each of 3 rows"):
        streams.advice(F, [1, 0])
    with pytest.raises(ExampleError, match="row 1: at least one expert must be awake"):
        streams.advice(F, Y, awake=[[1, 1], [0, 0], [1, 0]])
    with pytest.raises(ParameterError, match="missing must be 'refuse' or 'sleep'"):
        streams.advice(F, Y, missing="go")  # type: ignore[arg-type]  # refused


def test_advice_has_no_features_to_hash() -> None:
    with pytest.raises(ParameterError, match="features to hash, got forecasts of"):
        list(streams.hashed(streams.advice(F, Y)))
