"""The objective of the Perceptron, which descends its gradient term by term."""

from __future__ import annotations

import numpy as np
import pytest

from littlestone import run, streams
from littlestone.comparators import hinge_objective
from littlestone.errors import LabelError, ParameterError
from littlestone.linear import Perceptron


def test_the_perceptron_steps_against_the_slope_of_each_term() -> None:
    draw = np.random.default_rng(15)
    X, y = draw.integers(-3, 4, size=(80, 4)).astype(float), draw.random(80) < 0.5
    learner, w, step = Perceptron(update="margin"), np.zeros(4), 2.0**-20
    for x, label in zip(X, y, strict=True):
        learner.learn_one(x, label)
        # Where the term is not flat, its slope by finite differences is -y x.
        here = [(x, bool(label))]
        slope = np.zeros(4)
        if (w @ x) * (1 if label else -1) <= 0:
            slope = -x if label else x
        if w @ x:
            found = [
                (hinge_objective(w + e, here) - hinge_objective(w - e, here)) / 2 / step
                for e in step * np.eye(4)
            ]
            assert np.allclose(found, slope)
        w = w - slope
        assert [learner.weights_.get(at, 0.0) for at in range(4)] == w.tolist()


def test_it_is_0_exactly_where_no_label_is_said_wrong() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 2.0]])
    stream = streams.arrays(X, [1, -1, -1])
    learner = Perceptron()
    run(learner, stream, passes=9)
    assert hinge_objective(learner.weights_, stream) == 0
    assert hinge_objective([0.0, 0.0], stream) == 0
    assert hinge_objective([1.0, 1.0], stream) == (0 + 1 + 3) / 3


def test_what_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one example"):
        hinge_objective([1.0], [])
    with pytest.raises(LabelError):
        hinge_objective([1.0], [([1.0], 7)])
