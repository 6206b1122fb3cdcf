"""ONNX graphs, run by onnxruntime, say what the learners say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone import boolean, linear
from littlestone.compat import sklearn
from littlestone.compat.onnx import export
from littlestone.errors import MissingPackageError, ParameterError
from littlestone.maps import Fourier, Mapped, Quadratic, Standardized
from tries import tried

TWO: list[Any] = [
    linear.Perceptron(),
    linear.Perceptron(bias=2.0),
    linear.Perceptron(normalize=True, bias=0.5),
    linear.AveragedPerceptron(bias=1.0),
    linear.PassiveAggressive(bias=1.0),
    linear.AROW(bias=1.0),
    linear.AROW(diagonal=False),
    linear.SecondOrderPerceptron(bias=1.0),
    linear.SecondOrderPerceptron(diagonal=False, bias=1.0),
    linear.Winnow(threshold=4.5),
    linear.Winnow(threshold=2, eliminate=True),
    linear.BalancedWinnow(0.1, 9.0, bias=1.0),
    linear.AdaGrad(),
    linear.FTRL(l1=0.1),
    linear.GradientDescent("hinge"),
    linear.ExponentiatedGradient(),
]
MANY: list[Any] = [
    linear.MulticlassPerceptron(bias=1.0),
    linear.MulticlassPerceptron(["c", "a", "b"]),
    linear.MulticlassPassiveAggressive(),
    linear.MulticlassAROW(bias=1.0),
    linear.MulticlassAROW(diagonal=False),
    linear.MulticlassSecondOrder(bias=1.0),
    linear.MulticlassSecondOrder(diagonal=False, bias=1.0),
    linear.MulticlassAdaGrad(),
]


def world(learner: Any, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(80, 5)) * (random.random((80, 5)) < 0.7)
    X[0] = 0.0
    if "Winnow" in type(learner).__name__ and not hasattr(learner, "rate"):
        X = (X > 0).astype(float)
    score = X[:, 0] - X[:, 1] + 0.2 * random.normal(size=80)
    if hasattr(learner, "classes"):
        return X, np.array(["c", "a", "b"])[np.digitize(score, [-0.5, 0.5])]
    return X, np.asarray(score > 0)


def said(graph: onnx.ModelProto, X: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    label, score = session.run(["label", "score"], {"X": X})
    return label, score


@pytest.mark.parametrize("loss", ["square", "poisson"])
def test_numbers_and_probabilities_are_those_of_the_learner(loss: str) -> None:
    X, yes = world(linear.AdaGrad())
    for made, y in (
        (linear.AdaGrad(loss), yes.astype(float)),
        (linear.FTRL(loss), yes + 1.0),
        (linear.AdaGrad(), yes),
    ):
        made.play(X[:40], y[:40])
        graph = export(made, features=5)
        session = onnxruntime.InferenceSession(graph.SerializeToString())
        names = [each.name for each in session.get_outputs()]
        found = dict(zip(names, session.run(None, {"X": 2 * X}), strict=True))
        if made.gives_chances:
            assert names == ["label", "score", "probability"]
            expected = made.predict_proba(2 * X)[:, 1]
            np.testing.assert_allclose(found["probability"], expected, rtol=1e-9)
        else:
            assert names == ["prediction", "score"]
            expected = made.predict(2 * X)
            np.testing.assert_allclose(found["prediction"], expected, rtol=1e-9)
    for other in (linear.VovkAzouryWarmuth(), linear.AIOLI()):
        with pytest.raises(ParameterError, match="must score by one weight a feature"):
            export(other, features=3)


def test_the_probabilities_of_classes_are_softmax() -> None:
    learner = linear.MulticlassAdaGrad()
    X, y = world(learner)
    learner.play(X, y)
    fitted = sklearn.MulticlassAdaGrad(passes=2).fit(X, y)
    for made, expected in (
        (learner, learner.predict_proba(X)),
        (fitted, fitted.predict_proba(X)),
    ):
        features = 5 if made is learner else None
        graph = export(made, features=features)
        session = onnxruntime.InferenceSession(graph.SerializeToString())
        (found,) = session.run(["probability"], {"X": X})
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def check(graph: onnx.ModelProto, learner: Any, X: NDArray[Any]) -> None:
    """Hold a graph against what it was made from."""
    label, score = said(graph, X)
    scores = learner.decision_function(X)
    assert score.shape == scores.shape
    np.testing.assert_allclose(score, scores, rtol=1e-12, atol=1e-12)
    apart = scores if scores.ndim == 1 else np.ptp(np.sort(scores)[:, -2:], axis=1)
    clear = np.abs(apart) > 1e-9  # which rounding does not decide
    assert clear.mean() > 0.9
    assert label[clear].tolist() == learner.predict(X)[clear].tolist()


@pytest.mark.parametrize("learner", [*TWO, *MANY], ids=repr)
def test_a_graph_says_what_the_learner_says(learner: Any) -> None:
    X, y = world(learner)
    learner = learner.clone().partial_fit(X, y)
    check(export(learner), learner, X)
    check(export(learner, dtype="float32"), learner, X.astype(np.float32))


@pytest.mark.parametrize(
    "within",
    [linear.AROW(r=0.1, diagonal=False), linear.MulticlassPerceptron(bias=1.0)],
    ids=repr,
)
def test_a_map_is_part_of_the_graph(within: Any) -> None:
    X, y = world(within)
    for before in (Fourier(dim=20), Standardized() | Fourier(dim=20)):
        learner = Mapped(within.clone(), before)
        learner.play(X, y)
        graph = export(learner, features=5)
        label, score = said(graph, X)
        expected = learner.decision_function(X)
        np.testing.assert_allclose(score, expected, rtol=1e-9, atol=1e-9)
        assert (label == learner.predict(X)).mean() > 0.95  # but for near ties
        told = {prop.key: prop.value for prop in graph.metadata_props}
        assert told["map"] == repr(before)


def test_maps_within_maps_are_all_in_the_graph() -> None:
    X, y = world(linear.AdaGrad())
    learner = Mapped(Mapped(linear.AdaGrad(), Quadratic()), Standardized())
    learner.play(X, y)
    graph = export(learner, features=5)
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    (probability,) = session.run(["probability"], {"X": X})
    expected = learner.predict_proba(X)[:, 1]
    np.testing.assert_allclose(probability, expected, rtol=1e-9, atol=1e-9)
    told = {prop.key: prop.value for prop in graph.metadata_props}
    assert told["map"] == repr(Standardized() | Quadratic())


@tried(0.5)
@given(st.sampled_from([*TWO, *MANY]), st.integers(0, 2**32 - 1))
def test_names_go_in_the_order_that_is_asked_for(learner: Any, seed: int) -> None:
    X, y = world(learner, seed)
    names = ["a", "b", "c", "d", "e"]
    learner = learner.clone().partial_fit(pd.DataFrame(X, columns=names), y)
    order = np.random.default_rng(seed).permutation(5)
    asked = [names[k] for k in order]
    graph = export(learner, features=[*asked, "new"])
    told = {prop.key: prop.value for prop in graph.metadata_props}
    assert json.loads(told["features"]) == [*asked, "new"]
    label, score = said(graph, np.c_[X[:, order], np.zeros(len(X))])
    frame = pd.DataFrame(X, columns=names)
    np.testing.assert_allclose(
        score, learner.decision_function(frame), rtol=1e-12, atol=1e-12
    )
    assert (label == learner.predict(frame)).mean() > 0.9


@pytest.mark.parametrize(
    "kind",
    [
        sklearn.Perceptron,
        sklearn.AROW,
        sklearn.SecondOrderPerceptron,
        sklearn.BalancedWinnow,
        sklearn.MulticlassPerceptron,
    ],
)
@pytest.mark.parametrize(
    "labels", [("ham", "spam"), (0, 1), (False, True), (1.0, 2.0), ("a", "b", "c")]
)
def test_a_classifier_gives_its_own_labels(kind: Any, labels: tuple[Any, ...]) -> None:
    many = kind is sklearn.MulticlassPerceptron
    if len(labels) > 2 and not many:
        return
    X, y = world(linear.MulticlassPerceptron() if len(labels) > 2 else linear.AROW())
    named = y if len(labels) > 2 else np.where(y, labels[1], labels[0])
    frame = pd.DataFrame(X, columns=["one", "two", "three", "four", "five"])
    check(export(kind().fit(X, named)), kind().fit(X, named), X)
    by_name = export(kind().fit(frame, named))
    check(by_name, kind().fit(X, named), X)
    told = {prop.key: prop.value for prop in by_name.metadata_props}
    assert json.loads(told["features"]) == list(frame.columns)
    assert json.loads(told["classes"]) == sorted(labels)


def test_classes_that_grew_keep_their_places() -> None:
    X, y = world(MANY[0])
    order = np.argsort(y)[::-1]
    X, y = X[order], y[order]  # "c" is met first, and is the last of the classes
    classifier = sklearn.MulticlassPerceptron().partial_fit(X, y)
    assert classifier.learner_.classes_ == ("c", "b", "a")
    check(export(classifier), classifier, X)


def test_the_scale_of_winnow_goes_along() -> None:
    X, y = world(linear.Winnow(threshold=1))
    classifier = sklearn.Winnow().fit(7 * X, y)
    check(export(classifier), classifier, 7 * X)


def test_of_equal_scores_the_first_class_is_said() -> None:
    learner = linear.MulticlassPerceptron(["z", "a"])
    graph = export(learner, features=2)
    assert said(graph, np.zeros((1, 2)))[0].tolist() == ["z"]
    graph = export(linear.Perceptron(), features=1)
    assert said(graph, np.zeros((1, 1)))[0].tolist() == [True]


@pytest.mark.parametrize("kind", [linear.Perceptron, sklearn.Perceptron])
def test_a_strict_tie_is_a_no_in_the_graph_too(kind: Any) -> None:
    X, y = np.array([[1.0, 1.0], [1.0, -1.0]]), [True, False]
    made = kind(strict=True)
    features = 2 if kind is linear.Perceptron else None
    made.play(X, y) if features else made.fit(X, y)
    labels, _ = said(export(made, features=features), X)
    assert labels.tolist() == made.predict(X).tolist() == [True, False]


def test_the_graph_is_written_and_tells_what_it_is(tmp_path: Path) -> None:
    learner = linear.PassiveAggressive(C=0.5)
    learner.learn_one([1.0, 2.0], y=False)
    graph = export(learner, tmp_path / "pa.onnx")
    assert onnx.load(tmp_path / "pa.onnx") == graph
    told = {prop.key: prop.value for prop in graph.metadata_props}
    assert told == {
        "learner": "PassiveAggressive",
        "parameters": '{"C": 0.5, "mode": "I", "bias": 0.0}',
        "features": "[0, 1]",
        "classes": "[false, true]",
    }
    assert graph.producer_name == "littlestone"


@pytest.mark.parametrize(
    "learner",
    [
        linear.KernelPerceptron(),
        linear.VotedPerceptron(),
        boolean.ConjunctionLearner(),
        sklearn.VotedPerceptron().fit([[1.0], [2.0]], [0, 1]),
        sklearn.KDNFLearner(binarize=None).fit([[0], [1]], [0, 1]),
        sklearn.Perceptron(),
        "no learner",
    ],
    ids=repr,
)
def test_what_has_no_weights_is_refused(learner: Any) -> None:
    with pytest.raises(ParameterError, match="must score by one weight a feature"):
        export(learner)


def test_features_that_do_not_fit_are_refused() -> None:
    learner = linear.Perceptron()
    with pytest.raises(ParameterError, match="features must be one or more"):
        export(learner)
    learner.learn_one({"a": 1.0, 3: 1.0}, y=False)
    told = export(learner).metadata_props[2].value
    assert json.loads(told) == [0, 1, 2, 3, "a"]
    wrong: list[Any] = [["a"], [3], 2, ["a", "a", 3], 0, "a3"]
    for features in wrong:
        with pytest.raises(ParameterError, match="features must"):
            export(learner, features=features)
    winnow = linear.Winnow(threshold=2)
    winnow.learn_one({"a": 1.0}, y=True)
    with pytest.raises(ParameterError, match="never learned from have a weight too"):
        export(winnow)
    label, score = said(export(winnow, features=["a", "b"]), np.array([[0.0, 1.0]]))
    assert (label.tolist(), score.tolist()) == ([False], [-1.0])
    fitted = sklearn.Perceptron().fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(ParameterError, match="must be None for a classifier"):
        export(fitted, features=1)
    with pytest.raises(ParameterError, match="dtype must be"):
        export(learner, dtype="int8")  # type: ignore[arg-type]  # that is the test


def test_what_a_graph_cannot_hold_is_refused() -> None:
    steep = linear.BalancedWinnow(1.0, 1000.0)
    steep.learn_one([1000.0], y=False)
    with pytest.raises(ParameterError, match="weights must be at most 1e"):
        export(steep)
    learner = linear.MulticlassPerceptron(["a", 1])
    with pytest.raises(ParameterError, match="all texts or all numbers"):
        export(learner, features=1)
    with pytest.raises(ParameterError, match="all texts or all numbers"):
        export(linear.MulticlassPerceptron(), features=1)
    with pytest.raises(ParameterError, match=r"less than 2\*\*31 bytes"):
        export(linear.MulticlassPerceptron(range(30_000)), features=10_000)


def test_without_onnx_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.delitem(sys.modules, "littlestone.compat.onnx")
    with pytest.raises(MissingPackageError, match=r"pip install 'littlestone\[onnx"):
        __import__("littlestone.compat.onnx")
