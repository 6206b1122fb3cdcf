"""What AdaHedge and FixedShare refuse alike: each test runs on both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from crowds import refuses
from littlestone.errors import ExampleError, FeatureError, LabelError, ParameterError
from littlestone.experts import AdaHedge, FixedShare

pytestmark = pytest.mark.parametrize("made", [AdaHedge, FixedShare])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "pinball"}, "the pinball loss needs its level"),
        ({"loss": None}, "loss must be .*, got None"),
        ({"gradient": "yes"}, "{}: gradient must be True or False, got 'yes'"),
        ({"loss": "zero-one", "gradient": True}, "{}: .*needs a loss with a slope"),
        ({"range": (1, 0)}, "{}: range must be a pair"),
        ({"experts": {}}, "{}: there must be at least one expert, got none"),
        ({"experts": -1}, "{}: there must be at least one expert, got -1"),
    ],
)
def test_refused_at_birth(made: Any, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message.format(made.__name__)):
        made(**parameters)


@pytest.mark.parametrize(
    ("parameters", "x", "y", "error", "message"),
    [
        ({}, [0.5, math.nan, 0.5], 1, FeatureError, "expert 1 must predict a finite"),
        ({"range": (0, 2)}, {0: 0.5, 1: 9.0}, 1, ExampleError, "1 must lie in \\[0, 2"),
        ({}, [0.5, 0.5], 1, FeatureError, "for each of 3 experts, got 2"),
        ({}, {"z": 0.5}, 1, FeatureError, "each expert must be known, got 'z'"),
        ({}, {}, 1, ExampleError, "at least one expert must be awake"),
        ({}, [0.5, 0.5, 0.5], math.inf, LabelError, "finite number, got inf"),
        ({"loss": "zero-one"}, [1, 0, 3], 1, FeatureError, "2 must predict True"),
        ({"loss": "zero-one"}, [1, 0, 1], "x", LabelError, "a label must be"),
    ],
)
def test_a_refused_round_changes_nothing(
    *, made: Any, parameters: dict[str, Any], x: Any, y: Any, error: Any, message: str
) -> None:
    learner = made(**parameters, experts=3)
    learner.learn_one([1, 0, 1], 1)
    refuses(learner, error, message, x, y)


def test_a_refused_row_is_named_and_those_before_it_count(made: Any) -> None:
    F = np.array([[0.5, 1.0], [0.0, 1.0], [0.5, 7.0], [0.0, 0.0]])
    learner, other = made(range=(0, 1)), made(range=(0, 1))
    message = f"row 2: {made.__name__}: .*; 2 rounds played"
    with pytest.raises(ExampleError, match=message):
        learner.play(F, [1, 1, 1, 1])
    other.play(F[:2], [1, 1])
    assert dict(learner.weights_) == dict(other.weights_)
    assert learner.updates_ == 2
