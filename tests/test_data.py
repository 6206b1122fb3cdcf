"""Real files, where they are at hand: the native path equals the plain twins."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from data import data_file
from littlestone import run, streams
from littlestone.linear import Perceptron, Winnow
from littlestone.verifying import twins

FILES = [
    "a9a/a9a.train.svm.gz",
    "agaricus/agaricus.train.svm.gz",
    "heart_scale/heart_scale.svm.gz",
    "reuters-moneyfx/reuters-moneyfx.test.svm.gz",
    "svmguide3/svmguide3.svm.gz",
]


def plain(path: Path) -> list[tuple[dict[object, float], bool]]:
    """Read svmlight with nothing but Python."""
    examples = []
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        label, *pairs = line.split()
        x: dict[object, float] = {}
        for pair in pairs:
            index, value = pair.split(":")
            x[int(index)] = float(value)
        examples.append((x, float(label) == 1))
    return examples


@pytest.mark.parametrize("name", FILES)
def test_a_file_played_natively_equals_the_twin_on_the_same_lines(name: str) -> None:
    path = data_file(name)
    learner, twin = Perceptron(bias=1.0), twins.Perceptron(bias=1.0)
    record = run(learner, streams.svmlight(path))
    wrong = [t for t, (x, y) in enumerate(plain(path)) if twin.play(x, y) != y]
    assert record.mistake_rounds is not None
    assert record.mistake_rounds.tolist() == wrong
    expected = {j: w.hex() for j, w in twin.weights.items() if w}
    assert {j: w.hex() for j, w in learner.weights_.items()} == expected


def test_winnow_on_mushrooms_equals_its_twin() -> None:
    path = data_file("agaricus/agaricus.train.svm.gz")
    learner, twin = Winnow(threshold=126, promotion=1.5), twins.Winnow(126.0, 1.5)
    record = run(learner, streams.svmlight(path))
    assert record.mistakes == sum(twin.play(x, y) != y for x, y in plain(path))
    expected = {j: w for j, w in twin.weights.items() if w != 1}
    assert dict(learner.weights_) == expected
