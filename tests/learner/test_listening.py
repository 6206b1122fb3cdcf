"""Probabilities are heard while somebody listens, and not after it."""

from __future__ import annotations

from littlestone import Auto
from littlestone.experts import Calibrator
from littlestone.linear import MulticlassAdaGrad


def test_what_is_played_after_listening_is_not_kept() -> None:
    calibrator, learner = Calibrator(1), MulticlassAdaGrad(classes=["a", "b"])
    auto = Auto()
    with (
        calibrator.listening() as one,
        learner.listening() as two,
        auto.listening() as three,
    ):
        calibrator.play([[1.0]], [True])
        learner.learn_one({"x": 1.0}, "a")
        auto.learn_one({"x": 1.0}, True)
    calibrator.play([[1.0]], [True])
    learner.learn_one({"x": 1.0}, "a")
    auto.learn_one({"x": 1.0}, True)
    assert [sum(map(len, heard)) for heard in (one, two, three)] == [1, 1, 1]
