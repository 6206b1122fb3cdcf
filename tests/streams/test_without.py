"""A stream without some of its examples is the stream of the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import certify, run, streams, verify
from littlestone.errors import ParameterError
from littlestone.experts import MLPoly
from littlestone.linear import Perceptron, Winnow

X = np.linspace(-1, 1, 40).reshape(20, 2)
Y = X[:, 0] > 0.1
ROWS = streams.arrays(X, Y)
ADVICE = streams.advice(np.abs(X), np.abs(X[:, 0]))
DICTS = streams.onehot([({"a": k % 3}, k % 2) for k in range(20)])


@given(st.sets(st.integers(0, 25)))
def test_the_others_stay_in_order(places: set[int]) -> None:
    kept = [at for at in range(20) if at not in places]
    fewer = streams.without(ROWS, sorted(places))
    assert [x.tolist() for x, _ in fewer] == X[kept].tolist()
    played = [
        block.labels[row]
        for block in fewer.blocks()
        for row in range(block.first, block.last)
    ]
    assert played == Y[kept].tolist()


@pytest.mark.parametrize("stream", [ROWS, ADVICE, DICTS])
def test_every_kind_of_stream_is_played_without_them(stream: Any) -> None:
    learner: Any = MLPoly() if stream.of_advice else Perceptron()
    fewer = streams.without(stream, [0, 3, 4, 19])
    others = [pair for at, pair in enumerate(stream) if at not in (0, 3, 4, 19)]
    assert run(learner.clone(), fewer).rounds == 16
    mistakes = run(learner.clone(), others).to_dict()["mistakes"]
    assert run(learner.clone(), fewer).to_dict()["mistakes"] == mistakes


def test_files_are_read_without_them_and_know_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\n1 1:7\n0 2:1\n1 1:9\n0 2:1\n")
    stream = streams.svmlight(path)
    record = run(Winnow(threshold=1), stream, on_error="skip")
    assert record.refused_at.tolist() == [1, 3]
    fewer = streams.without(stream, record.refused_at)
    assert [block.where(block.first) for block in fewer.blocks()][1] == f"{path}:3"
    again = run(Winnow(threshold=1), fewer, keep="updates")
    assert (again.rounds, again.mistakes) == (record.rounds, record.mistakes)
    certificate = certify(Winnow(threshold=1), fewer)
    assert verify(certificate, fewer).accepted
    assert not verify(certificate, stream).accepted


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="without: the stream must be one of"):
        streams.without([({"a": 1}, True)], [0])  # type: ignore[arg-type]  # refused
    with pytest.raises(ParameterError, match="places must be counted from 0, got -1"):
        streams.without(ROWS, [3, -1])
