"""Arrays and frames are streamed as they are."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from littlestone import run, streams
from littlestone.errors import FeatureError, LabelError, ParameterError
from littlestone.linear import Perceptron

# The function of the same name hides the module.
module = import_module("littlestone.streams._arrays")

X = np.array([[1.0, 0.0, 2.0], [0.5, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 1.0, 1.0]])
Y = np.array([-1, 1, 1, -1])
NAMES = ["a", "b", "c"]


def weights(X: Any, y: Any = Y) -> dict[Any, float]:
    learner = Perceptron()
    run(learner, streams.arrays(X, y))
    return dict(learner.weights_)


def test_frames_are_known_by_their_names() -> None:
    by_column = weights(X)
    by_name = {NAMES[j]: w for j, w in by_column.items()}
    assert by_name
    assert weights(pd.DataFrame(X, columns=NAMES)) == by_name
    assert weights(pd.DataFrame(X.astype(np.float32), columns=NAMES)) == by_name
    assert weights(pl.DataFrame(X, schema=NAMES)) == by_name
    assert weights(pd.DataFrame(X)) == by_column


def test_rows_of_every_kind_can_be_looked_at() -> None:
    for made, names in (
        (X, [0, 1, 2]),
        (pd.DataFrame(X, columns=NAMES), NAMES),
    ):
        (block,) = streams.arrays(made, Y).blocks()
        assert block.rows.row(0) == dict(zip(names, [1.0, 0.0, 2.0], strict=True))
        assert block.rows.entry(1, 1) == (names[1], 1.0)
        assert block.rows.nonzeros(0) == 3
        for ask in (block.rows.row, block.rows.nonzeros):
            with pytest.raises(IndexError):
                ask(4)
        with pytest.raises(IndexError):
            block.rows.entry(0, 3)
    (block,) = streams.arrays(sp.csr_matrix(X), Y).blocks()
    assert block.rows.row(0) == {0: 1.0, 2: 2.0}
    assert block.rows.entry(0, 1) == (2, 2.0)


def test_labels_may_be_series() -> None:
    assert weights(X, pd.Series(Y)) == weights(X, pl.Series(Y)) == weights(X)


def test_every_kind_of_matrix_gives_the_same() -> None:
    expected = weights(X)
    for made in (
        X.tolist(),
        X.astype(np.float32),
        X[::-1][::-1],
        np.asfortranarray(X),
        X.astype(">f8"),
        X.astype(object),
        sp.csr_matrix(X),
        sp.csr_array(X),
        sp.csc_matrix(X),
        sp.coo_array(X),
    ):
        assert weights(made) == expected
    integers = np.array([[1, 0], [2, 1]])
    assert weights(integers, [0, 1]) == weights(integers.astype(float), [0, 1])
    assert weights(integers.astype(bool), [0, 1]) == weights(
        [[1.0, 0.0], [1.0, 1.0]], [0, 1]
    )


def test_examples_equal_blocks() -> None:
    for made in (X, sp.csr_array(X), pd.DataFrame(X, columns=NAMES), X.tolist()):
        by_example = Perceptron()
        assert run(by_example, list(streams.arrays(made, Y))) == run(
            Perceptron(), streams.arrays(made, Y)
        )
        assert by_example.weights_ == weights(made)


def test_the_block_size_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    wide, labels = rng.normal(size=(1_000, 8)), rng.integers(2, size=1_000)
    records = []
    for size in (1, 7, 1_000, 10_000):
        monkeypatch.setattr(module, "_ROWS_A_BLOCK", size)
        records.append(run(Perceptron(), streams.arrays(wide, labels)))
    assert all(record == records[0] for record in records)


def test_a_stream_can_be_played_again_and_is_not_changed() -> None:
    copy = X.copy()
    stream = streams.arrays(X, Y)
    assert run(Perceptron(), stream) == run(Perceptron(), stream)
    assert (copy == X).all()


def test_bad_cells_are_named_by_row_and_column_name() -> None:
    frame = pd.DataFrame(X, columns=NAMES)
    frame.loc[2, "b"] = np.nan
    with pytest.raises(FeatureError) as caught:
        run(Perceptron(), streams.arrays(frame, Y))
    assert str(caught.value) == (
        "row 2: Perceptron: feature 'b' must be a finite number, got nan; "
        "2 rounds played"
    )
    words = pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]})
    with pytest.raises(
        FeatureError, match="row 0: feature 'b' must be a number, got 'x'"
    ):
        streams.arrays(words, [0, 1])


def test_bad_names_and_labels() -> None:
    with pytest.raises(FeatureError, match="a feature must be a name .*, got 2.5"):
        streams.arrays(pd.DataFrame(X, columns=["a", 2.5, "c"]), Y)
    with pytest.raises(
        FeatureError, match="each feature must appear once, got 'a' twice"
    ):
        streams.arrays(pd.DataFrame(X, columns=["a", "b", "a"]), Y)
    with pytest.raises(LabelError, match="row 1: a label must be .*, got 2"):
        streams.arrays(X, [1, 2, 1, 1])
    with pytest.raises(LabelError, match="row 0: .*, got 'spam'"):
        streams.arrays(X, ["spam", "ham", "ham", "ham"])
    with pytest.raises(ParameterError, match="one label for each of 4 rows"):
        streams.arrays(X, [1, 0])


# Labels of any kind ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (["a", 7, (1, 2), 0.5], ["a", 7, (1, 2), 0.5]),
        (("a", b"b", True, np.int64(3)), ["a", b"b", True, 3]),
        (np.array([3, 1, 2, 3]), [3, 1, 2, 3]),
        (np.array(["x", "y", "x", "z"]), ["x", "y", "x", "z"]),
        (np.array([0, -1, 1, 0.5], dtype=np.float32), [0.0, -1.0, 1.0, 0.5]),
        (pd.Series(["x", "y", "x", "z"]), ["x", "y", "x", "z"]),
        (pd.Series(list("xyxz"), dtype="category"), ["x", "y", "x", "z"]),
        (pl.Series([3, 1, 2, 3]), [3, 1, 2, 3]),
    ],
)
def test_any_label_is_kept_as_it_is(y: Any, expected: list[Any]) -> None:
    stream = streams.arrays(X, y, outcome="class")
    found = [label for _, label in stream]
    assert found == expected
    assert [type(label) for label in found] == [type(label) for label in expected]
    (block,) = stream.blocks()
    assert block.labels.dtype == np.object_
    assert block.labels.tolist() == found


@pytest.mark.parametrize(
    ("label", "what"),
    [
        (None, "must not be missing, got None"),
        (float("nan"), "must not be missing, got nan"),
        (pd.NA, "must not be missing, got <NA>"),
        (pd.NaT, "must not be missing, got NaT"),
        ([1], "must be hashable, such as a number or a text, got .1."),
    ],
)
def test_a_label_that_is_none_is_refused_with_its_row(label: Any, what: str) -> None:
    with pytest.raises(LabelError, match=f"row 2: a label {what}") as caught:
        streams.arrays(X, ["a", "b", label, "c"], outcome="class")
    assert caught.value.row == 2


def test_any_labels_are_one_a_row() -> None:
    for y in (["a"], np.array([["a"], ["b"], ["c"], ["d"]])):
        with pytest.raises(ParameterError, match="one label for each of 4 rows"):
            streams.arrays(X, y, outcome="class")
    with pytest.raises(ParameterError, match="y must have no masked labels"):
        streams.arrays(X, np.ma.masked_array(Y, mask=Y > 0), outcome="class")
    with pytest.raises(
        ParameterError, match="arrays: outcome must be 'label', 'class' or"
    ):
        streams.arrays(X, Y, outcome="all")  # type: ignore[arg-type]  # refused
