"""Rows are read as if each cell were looked at alone, however wide they are."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from littlestone import run, streams
from littlestone.boolean import ConjunctionLearner, DecisionListLearner, KCNFLearner
from littlestone.errors import BusyError, FeatureError, UnrealizableWarning

WIDTH = 150  # columns beyond a few words of marks, and no multiple of eight


def rows(seed: int, share: float) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    rng = np.random.default_rng(seed)
    return rng.random((40, WIDTH)) < share


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.97])
@pytest.mark.parametrize("dtype", [np.bool_, np.float32, np.float64])
@pytest.mark.parametrize("features", [None, WIDTH])
def test_wide_rows_teach_what_their_true_columns_teach(
    share: float, dtype: type, features: int | None
) -> None:
    X = rows(1, share)
    y = X[:, 0] | X[:, 9]
    block, alone = (DecisionListLearner(features=features) for _ in range(2))
    said = block.play(X.astype(dtype), y)
    plain = [dict.fromkeys(np.flatnonzero(x).tolist(), 1) for x in X]
    assert said.tolist() == [
        alone.play_one(x, bool(label)) for x, label in zip(plain, y, strict=True)
    ]
    assert block.features_ == alone.features_
    assert block.concept_ == alone.concept_


@pytest.mark.parametrize("share", [0.02, 0.3, 0.97])
def test_features_that_were_met_backwards_are_put_in_order(share: float) -> None:
    X = rows(2, share)
    y = ~X[:, 3]
    learner, forwards = ConjunctionLearner(), ConjunctionLearner()
    for column in range(WIDTH - 1, -1, -1):
        learner.play_one({column: 1}, False)
    assert learner.features_[0] == WIDTH - 1
    assert learner.play(X, y).tolist() == forwards.play(X, y).tolist()
    true = (learner.concept_(x.tolist()) for x in X)
    assert list(true) == learner.predict(X).tolist()


@pytest.mark.parametrize("entries", [1, 2, 3, 70])
def test_sparse_rows_met_backwards_teach_what_mappings_teach(entries: int) -> None:
    width = 40_000  # more than one row of few features is put in order by its bits
    columns = np.arange(width)[::-1]
    learners = [ConjunctionLearner(), DecisionListLearner()]
    alone: list[ConjunctionLearner | DecisionListLearner] = [
        ConjunctionLearner(),
        DecisionListLearner(),
    ]
    backwards = csr_array(
        (np.ones(width), columns, np.arange(width + 1)), shape=(width, width)
    )
    rng = np.random.default_rng(entries)
    picked = np.sort([rng.choice(width, entries, replace=False) for _ in range(30)])
    X = csr_array(
        (np.ones(picked.size), picked.ravel(), np.arange(31) * entries), (30, width)
    )
    y = rng.random(30) < 0.5
    for block, one in zip(learners, alone, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UnrealizableWarning)
            for learner in (block, one):
                learner.play(backwards, np.zeros(width, dtype=np.bool_))
            said = block.play(X, y).tolist()
            assert said == [
                one.play_one(dict.fromkeys(row.tolist(), 1), bool(label))
                for row, label in zip(picked, y, strict=True)
            ]
        for (name, made), told in zip(
            block.save_state().items(), one.save_state().values(), strict=True
        ):
            np.testing.assert_equal(made, told, name)
        lessons = block.save_state()
        for lesson in np.split(lessons["lessons.features"], lessons["lessons.ends"]):
            assert (np.diff(lesson.astype(np.int64)) > 0).all()


@pytest.mark.parametrize("value", [0.5, -1.0, 2.0, np.nan, np.inf])
@pytest.mark.parametrize("at", [0, 2])
def test_a_bad_value_of_a_sparse_row_is_named(at: int, value: float) -> None:
    learner = ConjunctionLearner()
    learner.learn_one(dict.fromkeys(range(5), 1), True)
    values = np.ones(6)
    values[3 + at] = value
    rows = csr_array((values, [0, 1, 4, 1, 2, 4], [0, 3, 6]), (2, 5))
    with pytest.raises(FeatureError) as caught:
        learner.play(rows, [True, True])
    assert caught.value.feature == (1, 2, 4)[at]
    assert learner.rounds_ == 2
    assert learner.predict_one({0: 1, 1: 1, 4: 1})


@pytest.mark.parametrize("value", [0.5, -1.0, 2.0, np.nan, np.inf])
@pytest.mark.parametrize("column", [0, 7, 8, 143, 144, 149])
def test_a_bad_cell_is_named_wherever_it_stands(column: int, value: float) -> None:
    X = np.zeros((3, WIDTH))
    X[:, ::5] = 1.0
    X[2, column] = value
    learner = ConjunctionLearner(features=WIDTH)
    with pytest.raises(FeatureError) as caught:
        learner.play(X, [True, True, True])
    assert caught.value.feature == column
    assert caught.value.rounds == 2
    assert learner.rounds_ == 2


def test_a_column_that_was_not_declared_may_be_false_only() -> None:
    X = np.zeros((2, WIDTH))
    X[1, 100] = 1.0
    learner = ConjunctionLearner(features=[*range(100), *range(101, WIDTH)])
    with pytest.raises(FeatureError) as caught:
        learner.play(X, [True, True])
    assert (caught.value.feature, caught.value.rounds) == (100, 1)


@pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")
@pytest.mark.parametrize(
    "learner",
    [ConjunctionLearner, DecisionListLearner, partial(KCNFLearner, 2)],
)
@pytest.mark.parametrize("between", [None, {"c=7": True}, {"c=3": True, "new": True}])
def test_a_file_is_read_alike_in_pieces(
    tmp_path: Path,
    learner: Callable[[], ConjunctionLearner | DecisionListLearner | KCNFLearner],
    between: dict[str, bool] | None,
) -> None:
    rng = np.random.default_rng(3)
    cells = rng.integers(9, size=(400, 2)).tolist()
    path = tmp_path / "rows.csv"
    lines = [f"{a},{b},{int(a * b % 5 < 2)}" for a, b in cells]
    path.write_text("\n".join(["c,d,y", *lines]))
    stream = streams.csv(path, label="y", types="category")
    pieces, alone = learner(), learner()
    said = np.zeros(len(cells), dtype=np.bool_)
    (block,) = stream.blocks()
    for first in range(0, len(cells), 7):
        last = min(first + 7, len(cells))
        pieces._native.play(block.rows, block.labels, said, None, first, last)  # noqa: SLF001 - in pieces
        if between is not None:  # it may bring a feature that comes later in the file
            pieces.learn_one(between, True)
    expected = []
    for t, (x, y) in enumerate(stream):
        expected.append(alone.play_one(x, y))
        if between is not None and (t % 7 == 6 or t == len(cells) - 1):
            alone.learn_one(between, True)
    assert said.tolist() == expected
    assert pieces.features_ == alone.features_
    assert pieces.concept_ == alone.concept_


def test_rows_of_a_file_leave_python_to_other_threads(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("c,d,y\n" + "1,2,1\n2,1,0\n" * 40_000)
    learner = ConjunctionLearner()
    (block,) = streams.csv(path, label="y", types="category").blocks()
    said = np.empty(len(block.labels), dtype=np.bool_)

    def play() -> None:
        for _ in range(50):
            learner.play_rows(block.rows, block.labels, said, 0, len(said))

    thread = threading.Thread(target=play)
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            learner.predict_one({})
        except BusyError:
            refused += 1
    thread.join()
    assert refused > 0


def test_a_value_that_is_not_true_is_refused_among_names_that_were_met(
    tmp_path: Path,
) -> None:
    path = tmp_path / "rows.csv"
    rows = ["1,1,1", "1,0,0"] * 100
    path.write_text("\n".join(["c,d,y", *rows, "1,1,1", "0.5,1,1", *rows]))
    learner = ConjunctionLearner()
    with pytest.raises(FeatureError, match=r"rows.csv:203: .*0\.5") as caught:
        run(learner, streams.csv(path, label="y"))
    assert caught.value.feature == "c"
    assert learner.rounds_ == 201
