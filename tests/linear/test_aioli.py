"""AIOLI: second-order logistic regression, and how near its bound is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from littlestone import certify, run, verify
from littlestone.errors import ExampleError, ParameterError
from littlestone.linear import AIOLI, AdaGrad
from littlestone.verifying import twins
from littlestone.verifying.twins.aioli import settled


def rounds(many: int, columns: int = 3) -> list[tuple[dict[int, float], bool]]:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(many, columns))
    y = X @ rng.normal(size=columns) + rng.logistic(size=many) > 0
    return [
        (dict(enumerate(x)), label)
        for x, label in zip(X.tolist(), y.tolist(), strict=True)
    ]


def test_a_round_by_hand() -> None:
    learner = AIOLI(1.0, 0.0, bias=0)
    assert learner.predict_proba_one({"a": 1.0}) == {False: 0.5, True: 0.5}
    # Slope -1/2 and bend 1/4 at 0, so the least of w^2/2 - w/2 + w^2/8 is 2/5.
    learner.learn_one({"a": 1.0}, y=True)
    assert learner.weights_ == {"a": pytest.approx(0.4)}
    # The matrix is 5/4, so the score z has z + 4/5 tanh(z/2) = 2/5.
    z = learner.score_one({"a": 1.0})
    assert z + 0.8 * math.tanh(z / 2) == pytest.approx(0.4)


def test_the_score_is_least_for_both_labels() -> None:
    for r in (0.0, 1e-9, 0.3, -7.0, 800.0):
        for v in (0.0, 1e-6, 1.0, 1e6):
            z = settled(r, v)
            assert z + v * math.tanh(z / 2) == pytest.approx(
                r, rel=1e-12, abs=1e-15 * (1 + v)
            )


def test_many_rounds_find_the_weights() -> None:
    stream = rounds(4000)
    record = run(AIOLI(reach=1.0), stream)
    other = run(AdaGrad(), stream)
    assert record.chances is not None
    assert other.chances is not None
    assert record.chances.log_loss < other.chances.log_loss


def test_a_column_of_another_scale_does_not_hurt() -> None:
    stream = [({0: 1e3 * x[0], 1: 1e-1 * x[1], 2: x[2]}, y) for x, y in rounds(500)]
    plain, scaled = run(AIOLI(), rounds(500)), run(AIOLI(a=1e-3), stream)
    assert plain.chances is not None
    assert scaled.chances is not None
    assert scaled.chances.log_loss < 1.1 * plain.chances.log_loss


def test_the_bound_is_within_a_hundredth_of_the_regret() -> None:
    stream = rounds(300)
    certificate = certify(AIOLI(1.0, 0.0), stream)
    assert 0.99 * certificate.bound < certificate.counted <= certificate.bound
    assert not certificate.vacuous
    assert verify(certificate, stream).accepted


def test_within_the_reach_there_is_no_excess() -> None:
    stream = [({j: v / 8 for j, v in x.items()}, y) for x, y in rounds(60)]
    reach = max(sum(map(abs, x.values())) for x, _ in stream)
    certificate = certify(AIOLI(1.0, reach, bias=0), stream, witness={0: 1.0, 1: -1.0})
    assert certificate.numbers["excess"] < 1e-9


def test_weights_of_classes_count_as_importance() -> None:
    weighed, plain = AIOLI(class_weight={True: 2.5}), AIOLI()
    twin: Any = twins.AIOLI(class_weight={True: 2.5})
    for x, y in rounds(40):
        weighed.learn_one(x, y)
        plain.learn_one(x, y, sample_weight=2.5 if y else 1)
        twin.play(x, y)
    assert dict(weighed.weights_) == dict(plain.weights_) == twin.weights
    assert weighed.loss_ == plain.loss_ == twin.own


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"a": 0}, "AIOLI: a must exceed 0, got 0"),
        ({"reach": -1}, "AIOLI: reach must be at least 0, got -1"),
        ({"class_weight": {"x": 1}}, "class_weight must map labels"),
        ({"class_weight": {0: 1, -1: 2}}, "class_weight must have each label once"),
        ({"class_weight": {True: -1}}, "class_weight of True must exceed 0"),
    ],
)
def test_parameters_that_void_the_theorem(parameters: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        AIOLI(**parameters)


def test_what_it_refuses_changes_nothing() -> None:
    learner = AIOLI()
    learner.learn_one({"a": 1.0}, y=True)
    before = dict(learner.weights_), learner.loss_
    for x in ({"a": math.nan}, {"b": math.inf}, {"a": 1e200}):
        with pytest.raises(ExampleError):
            learner.learn_one(x, y=False)
    wide: Any = {f"f{j}": 1.0 for j in range(4097)}
    with pytest.raises(ExampleError, match="4,?096"):
        learner.learn_one(wide, y=False)
    assert (dict(learner.weights_), learner.loss_) == before
    with pytest.raises(ParameterError, match="class_weight must be None with a loss"):
        AdaGrad("square", class_weight={True: 2.0})
