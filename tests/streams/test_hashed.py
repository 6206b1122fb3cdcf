"""Hashed features fall where the plain twin says, and nothing is hidden by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from littlestone import run
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LineError,
    ParameterError,
)
from littlestone.linear import Perceptron, Winnow
from littlestone.streams import arrays, hashed, svmlight
from littlestone.streams._hashed import HashedStream
from littlestone.streams._svmlight import SvmlightStream

Features = dict[Any, float]


# The twin -------------------------------------------------------------------------


def twin_bucket(feature: str | int, bits: int) -> int:
    word = 2**64 - 1
    if isinstance(feature, int):
        h = (feature + 0x9E3779B97F4A7C15) & word
        h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & word
        h = (h ^ h >> 27) * 0x94D049BB133111EB & word
        h ^= h >> 31
    else:
        h, name = 0xCBF29CE484222325, feature.encode()
        sizes = (2 * len(name) + 1) * 0x9E3779B97F4A7C15 & word
        while len(name) > 8:
            h ^= int.from_bytes(name[:8], "little")
            h, name = twin_folded(h * 0x9E3779B97F4A7C15), name[8:]
        h = twin_folded((h ^ int.from_bytes(name, "little")) * sizes)
    return h & ((1 << bits) - 1)


def twin_folded(product: int) -> int:
    return product >> 64 ^ product & 2**64 - 1


class Twin:
    """Hashes mappings, and remembers whose each bucket is."""

    def __init__(self, bits: int) -> None:
        self.bits = bits
        self.owners: dict[int, str | int] = {}
        self.entries = self.collided = 0

    def hash(self, x: Features) -> Features:
        """Return an example hashed."""
        made: Features = {}
        for feature, value in x.items():
            if value == 0:
                continue
            bucket = twin_bucket(feature, self.bits)
            self.entries += 1
            self.collided += self.owners.setdefault(bucket, feature) != feature
            made[bucket] = made[bucket] + value if bucket in made else value
        return made

    @property
    def collisions(self) -> float:
        """The share of entries in another's bucket."""
        return self.collided / self.entries if self.entries else 0.0


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COLUMNS = st.integers(0, 2**32 - 1) | st.integers(0, 20)
VALUES = st.floats(-1e100, 1e100) | st.sampled_from([0.0, 1.0, -1.0])
ROWS = st.lists(st.dictionaries(NAMES | COLUMNS, VALUES, max_size=12), max_size=6)


def items(x: Any) -> list[tuple[int, str]]:
    """Return features in their order, values to the last bit."""
    return [(feature, float(value).hex()) for feature, value in x.items()]


@given(ROWS, st.integers(1, 24))
def test_examples_are_hashed_as_the_twin_does(rows: list[Features], bits: int) -> None:
    twin = Twin(bits)
    stream = hashed([(x, True) for x in rows], bits=bits)
    made = [items(x) for x, _ in stream]
    assert made == [items(twin.hash(x)) for x in rows]
    assert stream.buckets == len(twin.owners)
    assert stream.collisions == twin.collisions


@given(st.lists(NAMES | COLUMNS, max_size=10), st.integers(1, 24))
def test_a_bucket_can_be_asked_for(features: list[str | int], bits: int) -> None:
    stream = hashed([], bits=bits)
    for feature in features:
        assert stream.bucket(feature) == twin_bucket(feature, bits)


def random_matrix(rows: int = 300, width: int = 40) -> Any:
    rng = np.random.default_rng(3)
    dense = rng.normal(size=(rows, width)) * (rng.random((rows, width)) < 0.2)
    return dense, np.where(dense[:, 0] + dense[:, 7] > 0, 1, -1)


def svm_file(folder: Path, X: Any, y: Any) -> Path:
    path = folder / "file.svm"
    lines = [
        f"{label} " + " ".join(f"{j}:{float(x[j])!r}" for j in np.flatnonzero(x))
        for x, label in zip(X, y, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("bits", [2, 5, 18])
@pytest.mark.parametrize("kind", ["dense", "float32", "csr", "frame", "svmlight"])
def test_every_stream_is_hashed_as_the_twin_does(
    tmp_path: Path, kind: str, bits: int
) -> None:
    X, y = random_matrix()
    names: list[Any] = list(range(X.shape[1]))
    stream: HashedStream | SvmlightStream
    if kind == "frame":
        names = [f"column {j}" for j in names]
        stream = hashed(arrays(pd.DataFrame(X, columns=names), y), bits)
    elif kind == "svmlight":
        stream = svmlight(svm_file(tmp_path, X, y), hash_bits=bits)
    elif kind == "csr":
        stream = hashed(arrays(sp.csr_matrix(X), y), bits)
    else:
        X = X.astype(np.float32) if kind == "float32" else X
        stream = hashed(arrays(X, y), bits)
    twin = Twin(bits)
    expected = [
        (items(twin.hash(dict(zip(names, x.tolist(), strict=True)))), bool(label == 1))
        for x, label in zip(X, y, strict=True)
    ]
    assert [(items(x), label) for x, label in stream] == expected
    by_block, by_example = Perceptron(), Perceptron()
    assert run(by_block, stream, passes=2) == run(by_example, list(stream), passes=2)
    assert items(by_block.weights_) == items(by_example.weights_)
    assert stream.buckets == len(twin.owners)
    assert stream.collisions == twin.collisions
    assert (bits > 5) == (stream.collisions < 0.01)


def test_a_hashed_file_and_a_file_with_hash_bits_are_the_same(tmp_path: Path) -> None:
    path = svm_file(tmp_path, *random_matrix())
    inside, outside = svmlight(path, hash_bits=4), hashed(svmlight(path), 4)
    assert list(inside) == list(outside)
    assert inside.collisions == outside.collisions > 0.5
    assert inside.buckets == outside.buckets == 16


def test_a_block_begun_anywhere_is_hashed_from_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = random_matrix()
    whole = list(hashed(arrays(X, y), 6))
    monkeypatch.setitem(arrays.__globals__, "_ROWS_A_BLOCK", 7)
    assert list(hashed(arrays(X, y), 6)) == whole


def test_nothing_read_is_no_collision() -> None:
    stream = hashed([({"a": 1}, True)])
    assert (stream.collisions, stream.buckets) == (0.0, 0)
    assert (svmlight("none").collisions, svmlight("none").buckets) == (0.0, 0)
    with pytest.raises(ParameterError, match="the stream must be hashed"):
        svmlight("none").bucket("a")
    empty = hashed([({}, True), ({"a": 0.0}, True)])
    assert list(empty) == [({}, True), ({}, True)]
    assert (empty.collisions, empty.buckets) == (0.0, 0)


def test_each_reading_begins_with_free_buckets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(arrays.__globals__, "_ROWS_A_BLOCK", 1)
    X = np.eye(9)
    for stream in (
        hashed(arrays(X, [1] * 9), bits=1),
        hashed([(x, 1) for x in X], bits=1),
    ):
        assert len(list(stream)) == 9
        assert (stream.collisions, stream.buckets) == (7 / 9, 2)
        next(iter(stream))
        assert (stream.collisions, stream.buckets) == (0.0, 1)


# Any iterable ---------------------------------------------------------------------


def test_examples_of_every_shape_are_hashed() -> None:
    dense = {0: 1.0, 2: 3.0}
    expected = Twin(18).hash(dense)
    for x in (
        [1, 0, 3],
        (1.0, 0.0, 3.0),
        np.array([1, 0, 3]),
        np.array([1.0, 0.0, 3.0], dtype=np.float32),
        ([0, 2], [1, 3]),
        (np.array([0, 2]), np.array([1.0, 3.0])),
        sp.csr_matrix([[1.0, 0.0, 3.0]]),
        {np.int64(0): np.float64(1), 2: 3},
        pd.Series([1.0, 0.0, 3.0]),
    ):
        assert list(hashed([(x, 1)])) == [(expected, True)]


def test_a_stream_that_answers_the_learner_is_hashed_as_it_comes() -> None:
    learner = Perceptron()

    def answers() -> Iterator[tuple[Features, bool]]:
        for _ in range(5):
            yield {"a": 1.0}, learner.updates_ % 2 == 1

    stream = hashed(answers())
    assert run(learner, stream).mistake_rounds == pytest.approx([0, 1, 2, 3, 4])
    assert not stream.repeatable
    with pytest.raises(ParameterError, match="readable again for 2 passes"):
        run(learner, hashed(iter([])), passes=2)
    assert hashed([]).repeatable


def test_labels_of_an_iterable() -> None:
    examples = [({"a": 1}, label) for label in (np.int64(3), "x", (1, 2), 0.5)]
    assert [y for _, y in hashed(examples, outcome="class")] == [3, "x", (1, 2), 0.5]
    with pytest.raises(LabelError, match="round 1: a label must be .*, got 'x'"):
        run(Perceptron(), hashed([({"a": 1}, 1), ({"a": 1}, "x")]))
    with pytest.raises(LabelError, match="round 2: .*never mixed, got 0 as well"):
        run(Perceptron(), hashed([({}, -1), ({}, 1), ({}, 0)]))
    with pytest.raises(LabelError, match="must not be missing, got nan"):
        list(hashed([({}, float("nan"))], outcome="class"))
    with pytest.raises(ParameterError, match="given to the stream that is hashed"):
        hashed(arrays([[1.0]], [1]), outcome="class")


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize("bits", [0, 25, -1, 2.0, "18", True, None])
def test_bits_are_from_1_to_24(tmp_path: Path, bits: Any) -> None:
    with pytest.raises(ParameterError, match="hashed: bits must be a whole number"):
        hashed([], bits=bits)
    if bits is not None:
        with pytest.raises(ParameterError, match="svmlight: hash_bits must be .* 24"):
            svmlight(tmp_path, hash_bits=bits)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": float("nan")}, "feature 'a' must be a finite number, got nan"),
        ({3: float("inf")}, "feature 3 must be a finite number, got inf"),
        ({"a": "1"}, "feature 'a' must be a number, got '1'"),
        ({"a": 1j}, "feature 'a' must be a number, got 1j"),
        ({"a": 10**400}, "feature 'a' must be a number, got 1000"),
        ({-1: 1.0}, "a name or a column number below 2**32, got -1"),
        ({2**32: 1.0}, "a name or a column number below 2**32, got 4294967296"),
        ({2.5: 1.0}, "a name or a column number below 2**32, got 2.5"),
        ({"\ud800": 1.0}, "a name or a column number below 2**32, got '\\ud800'"),
        (([3, 1, 3], [1, 1, 1]), "each feature must appear once, got 3 twice"),
        (([3, 1], [1]), "an example must be a mapping"),
        ("words", "an example must be a mapping"),
        (7, "an example must be a mapping"),
        (np.eye(2), "an example must be a mapping"),
        (np.ma.masked_array([1.0], [True]), "an example must be a mapping"),
    ],
)
def test_a_bad_example_is_refused_and_the_rest_is_kept(x: Any, message: str) -> None:
    learner = Perceptron()
    stream = hashed([({"a": 1}, False), (x, True), ({"b": 1}, False)])
    with pytest.raises(ExampleError) as caught:
        run(learner, stream)
    assert message in str(caught.value)
    assert str(caught.value).startswith("round 1: ")
    assert str(caught.value).endswith("; 1 round played")
    assert dict(learner.weights_) == {stream.bucket("a"): -1.0}


@pytest.mark.parametrize("block", [1, 2, 100])
@pytest.mark.parametrize(
    "spoilt",
    [
        (np.array([0, 3, 3, 1]), [1.0, 1.0, 2.0, 1.0]),  # twice
        (np.array([0, 3, 9, 1]), [1.0, 1.0, 2.0, 1.0]),  # beyond the width
        (np.array([0, 3, -4, 1]), [1.0, 1.0, 2.0, 1.0]),
        (np.array([0, 3, 2, 1]), [1.0, 1.0, np.nan, 1.0]),
        (np.array([0, 3, 2, 1]), [1.0, -np.inf, np.inf, 1.0]),
    ],
)
def test_a_bad_row_is_refused_as_it_is_without_hashing(
    monkeypatch: pytest.MonkeyPatch, spoilt: Any, block: int
) -> None:
    monkeypatch.setitem(arrays.__globals__, "_ROWS_A_BLOCK", block)
    columns, values = spoilt
    X = sp.csr_matrix((4, 5))
    X.indptr = np.array([0, 1, 1, 3, 4])
    X.indices, X.data = columns, np.array(values)
    stream = hashed(arrays(X, [-1, 1, 1, -1]), bits=1)
    plain, learner = Perceptron(), Perceptron()
    with pytest.raises(FeatureError) as expected:
        run(plain, arrays(X, [-1, 1, 1, -1]))
    with pytest.raises(FeatureError) as caught:
        run(learner, stream)
    assert str(caught.value) == str(expected.value).replace("Perceptron: ", "")
    assert caught.value.row == expected.value.row == 2
    assert caught.value.feature == expected.value.feature
    assert learner.updates_ == plain.updates_ == 1
    assert stream.buckets == 1


def test_a_bad_cell_of_a_frame_is_named() -> None:
    frame = pd.DataFrame([[1.0, 2.0], [1.0, np.nan]], columns=["a", "b"])
    with pytest.raises(FeatureError) as caught:
        run(Perceptron(), hashed(arrays(frame, [1, -1])))
    assert str(caught.value) == (
        "row 1: feature 'b' must be a finite number, got nan; 1 round played"
    )


def test_what_a_learner_refuses_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "file.svm"
    path.write_text("# head\n1 1:1\n\n1 2:-3\n")
    bucket = twin_bucket(2, 10)
    with pytest.raises(FeatureError) as caught:
        run(Winnow(threshold=2), svmlight(path, hash_bits=10))
    assert str(caught.value) == (
        f"{path}:4: Winnow: feature {bucket} must lie in [0, 1], got -3.0; "
        "1 round played"
    )


def test_a_row_that_a_learner_refuses_keeps_its_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(arrays.__globals__, "_ROWS_A_BLOCK", 2)
    stream = hashed(arrays([[1.0], [1.0], [1.0], [-3.0]], [1, 1, 1, 1]))
    with pytest.raises(FeatureError, match="row 3: Winnow: .*; 3 rounds played"):
        run(Winnow(threshold=2), stream)


def test_a_bad_line_is_named_and_the_rounds_before_it_are_played(
    tmp_path: Path,
) -> None:
    path = tmp_path / "file.svm"
    path.write_text("-1 1:1\n+1 2:1 2:1\n-1 1:1\n")
    learner = Perceptron()
    with pytest.raises(LineError, match="file.svm:2: each index .*; 1 round played"):
        run(learner, svmlight(path, hash_bits=3))
    assert dict(learner.weights_) == {twin_bucket(1, 3): -1.0}
    stream = hashed(svmlight(path, on_error="skip"), bits=3)
    assert len(list(stream)) == 2
    assert stream.skipped == 1


def test_it_tells_what_it_is(tmp_path: Path) -> None:
    assert repr(hashed(svmlight("a.svm"), 9)) == "hashed(svmlight('a.svm'), bits=9)"
    assert not hashed(svmlight("-")).repeatable
    assert hashed(svmlight(tmp_path / "none")).repeatable
