"""AdaGrad for many classes: probabilities by softmax, and regret in log loss."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from littlestone import certify, run, streams, theorems, verify
from littlestone.errors import ExampleError, ParameterError
from littlestone.linear import AdaGrad, MulticlassAdaGrad
from littlestone.verifying import twins
from littlestone.verifying._numbers import as_number, as_text
from littlestone.verifying.proofs._bounds import softmax_bounds

MADE: list[Any] = [
    MulticlassAdaGrad(),
    MulticlassAdaGrad(0.3, normalize=False, bias=0.7),
    MulticlassAdaGrad(classes=("c", "b", "a"), bias=0),
    MulticlassAdaGrad(class_weight={"a": 5.0, "b": 0.25}),
]
every = pytest.mark.parametrize("made", MADE, ids=repr)


def rounds(many: int = 60) -> list[tuple[dict[str, float], str]]:
    rng = np.random.default_rng(5)
    weights = rng.normal(size=(3, 4))
    stream = []
    for _ in range(many):
        x = rng.choice([0.0, 1.0, -2.5, 0.3, 7.0], size=4)
        best = int(np.argmax(weights @ x + rng.normal(size=3)))
        stream.append(({f"f{j}": float(v) for j, v in enumerate(x)}, "abc"[best]))
    return stream


# What the source says ---------------------------------------------------------------


def test_a_round_by_hand() -> None:
    learner = MulticlassAdaGrad(0.5, normalize=False, classes=["a", "b"], bias=0)
    assert learner.predict_proba_one({"x": 2.0}) == {"a": 0.5, "b": 0.5}
    learner.learn_one({"x": 2.0}, "b")
    assert learner.weights_ == {"a": {"x": -0.5}, "b": {"x": 0.5}}
    assert learner.loss_ == pytest.approx(math.log(2))
    # Scores of -1 and 1: the gradient of a is 1/(1 + e^2) = 0.119 twice over.
    slope = 2 / (1 + math.exp(2))
    learner.learn_one({"x": 2.0}, "b")
    assert learner.last_loss_ == pytest.approx(math.log1p(math.exp(-2)))
    moved = 0.5 * slope / math.hypot(1.0, slope)
    assert learner.weights_["a"]["x"] == pytest.approx(-0.5 - moved)


def test_two_classes_are_ada_grad_at_twice_the_speed() -> None:
    two = MulticlassAdaGrad(0.25, normalize=False, classes=(False, True), bias=0)
    one = AdaGrad(rate=0.5, normalize=False, bias=0)
    for x, y in rounds():
        assert two.predict_proba_one(x)[True] == pytest.approx(one.probability_one(x))
        two.learn_one(x, y == "a")
        one.learn_one(x, y == "a")
    assert two.loss_ == pytest.approx(one.loss_)


def test_a_class_that_comes_later_is_priced_with_a_score_of_0() -> None:
    learner = MulticlassAdaGrad()
    learner.learn_one({"x": 1.0}, "a")
    assert (learner.loss_, learner.updates_, learner.classes_) == (0.0, 1, ("a",))
    learner.learn_one({"x": 1.0}, "b")
    assert learner.last_loss_ == pytest.approx(math.log(2))
    scores = learner.score_one({"x": 1.0})
    learner.learn_one({"x": 1.0}, "c")
    known = sum(math.exp(score) for score in scores.values())
    assert learner.last_loss_ == pytest.approx(math.log(1 + known))


def test_importance_multiplies_the_loss() -> None:
    heavy, plain = (
        MulticlassAdaGrad(classes=["a", "b"]),
        MulticlassAdaGrad(classes=["a", "b"]),
    )
    heavy.learn_one({"x": 1.0}, "a", sample_weight=2.5)
    plain.learn_one({"x": 1.0}, "a")
    assert heavy.loss_ == 2.5 * plain.loss_
    before = heavy.weights_
    heavy.learn_one({"x": 1.0}, "new", sample_weight=0)
    assert heavy.weights_ == before
    assert heavy.classes_ == ("a", "b")


# What the theorem says --------------------------------------------------------------


@every
def test_every_run_is_certified_and_accepted(made: Any) -> None:
    stream = rounds()
    certificate = certify(made, stream)
    assert certificate.theorem == "MCADAGRAD"
    assert 0 < certificate.counted <= certificate.bound
    assert verify(certificate, stream).accepted
    theorem = theorems.MCADAGRAD
    for name in ("drift", "energy"):
        number = as_number(certificate.numbers_exact[name]) * 9 / 10
        numbers = {**certificate.numbers_exact, name: as_text(number)}
        bound = theorem.bound(**{n: as_number(t) for n, t in numbers.items()})
        forged = replace(certificate, numbers_exact=numbers, bound_exact=as_text(bound))
        assert not verify(forged, stream).accepted, name
    less = as_text(as_number(certificate.counted_exact) - 1)
    assert not verify(replace(certificate, counted_exact=less), stream).accepted


def test_the_bound_is_near_on_a_class_that_never_gives_in() -> None:
    # Two classes in turn, no feature: nothing can be learned, and weights wander.
    stream: list[Any] = [({}, "ab"[t % 2]) for t in range(200)]
    certificate = certify(MulticlassAdaGrad(classes=["a", "b"]), stream)
    assert 0.93 * certificate.bound < certificate.counted <= certificate.bound


def test_bounds_of_the_loss_enclose_it() -> None:
    scores = {"a": 1.5, "b": -0.25, "c": -900.0}
    exact = {label: Fraction(score) for label, score in scores.items()}
    for label, score in scores.items():
        low, high = softmax_bounds(exact, label)
        true = math.log(sum(math.exp(s) for s in scores.values())) - score
        assert float(low) <= true * (1 + 1e-15)
        assert float(high) >= true * (1 - 1e-15)
        assert float(high - low) < 1e-9 * max(1, true)


# What the twin says, and the rooms around it ----------------------------------------


@every
def test_blocks_and_the_twin_give_the_same_bits(made: Any) -> None:
    stream = rounds()
    X = np.array([list(x.values()) for x, _ in stream])
    y = np.array([y for _, y in stream], dtype=object)
    block, twin = made.clone(), twins.MulticlassAdaGrad(**made.get_params())
    record = run(block, streams.arrays(X, y, outcome="class"))
    said = [twin.play(dict(enumerate(x)), label) for x, label in zip(X.tolist(), y)]  # noqa: B905 - as long
    assert record.mistakes == sum(a != b for a, b in zip(said, y, strict=True))
    assert block.loss_ == twin.own == record.loss
    kept = {c: {n: w for n, w in row.items() if w} for c, row in twin.weights.items()}
    assert block.weights_ == kept


def test_the_record_has_the_log_loss_of_rounds_that_count_once() -> None:
    stream = rounds()
    X = np.array([list(x.values()) for x, _ in stream])
    y = [y for _, y in stream]
    weighed, plain = MADE[3].clone(), MulticlassAdaGrad()
    record = run(plain, streams.arrays(X, y, outcome="class"))
    assert record.loss is not None
    assert record.chances is not None
    assert record.chances.log_loss == pytest.approx(record.loss / 60)
    assert "log_loss" in record.to_dict()["metrics"]
    losses = []
    by_hand = weighed.clone()
    for x, label in zip(X, y, strict=True):
        by_hand.learn_one(x, label)
        losses.append(by_hand.last_loss_ / by_hand.class_weight.get(label, 1.0))
    record = run(weighed, streams.arrays(X, y, outcome="class"))
    assert record.chances is not None
    assert record.chances.log_loss == pytest.approx(np.mean(losses))
    tested = run(weighed, streams.arrays(X, y, outcome="class"), learn=False).chances
    assert tested is not None
    chances = weighed.predict_proba(X)
    right = [chances[t, weighed.classes_.index(label)] for t, label in enumerate(y)]
    assert tested.log_loss == pytest.approx(-np.mean(np.log(right)))


def test_probabilities_are_softmax_of_the_scores() -> None:
    learner = MulticlassAdaGrad()
    for x, y in rounds():
        learner.learn_one(x, y)
    X = [list(x.values()) for x, _ in rounds(5)]
    scores = learner.decision_function(X)
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.allclose(learner.predict_proba(X), shares)


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"rate": 0}, "rate must exceed 0"),
        ({"normalize": 1}, "normalize must be True or False"),
        ({"classes": ["a", "a"]}, "classes must be"),
        ({"class_weight": {"a": 0}}, "class_weight of 'a' must exceed 0"),
        ({"class_weight": [1]}, "class_weight must map labels"),
    ],
)
def test_parameters_that_void_the_theorem(parameters: Any, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        MulticlassAdaGrad(**parameters)


def test_a_refused_round_changes_nothing() -> None:
    learner = MulticlassAdaGrad(normalize=False, classes=["a", "b"])
    learner.learn_one({"x": 1.0}, "a")
    before = learner.weights_, learner.loss_, learner.classes_
    for x in ({"x": math.nan}, {"y": math.inf}, {"x": 1e200}):
        with pytest.raises(ExampleError):
            learner.learn_one(x, "c")
        with pytest.raises(ExampleError, match="row 0"):
            learner.play([list(x.values())], ["c"])
    assert (learner.weights_, learner.loss_, learner.classes_) == before
