"""The scikit-learn classifiers: scikit-learn's own checks, and the learner within."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import littlestone
from littlestone import boolean, certify, linear, run, streams
from littlestone.compat import sklearn as compat
from littlestone.compat._class_weights import WeighingClasses
from littlestone.errors import (
    ExampleError,
    LabelError,
    MissingPackageError,
    ParameterError,
    UnrealizableWarning,
)
from tries import often

EVERY: list[Any] = [getattr(compat, name) for name in compat.__all__]
NUMBERS = [
    kind
    for kind in EVERY
    if kind.__name__.endswith("Regressor") or kind is compat.VovkAzouryWarmuth
]
CLASSES = [kind for kind in EVERY if kind not in NUMBERS]
RULES = [kind for kind in CLASSES if hasattr(boolean, kind.__name__)]
MANY = [
    compat.MulticlassPerceptron,
    compat.MulticlassPassiveAggressive,
    compat.MulticlassAROW,
    compat.MulticlassSecondOrder,
    compat.MulticlassAuto,
    compat.MulticlassAdaGrad,
]
TWO = [kind for kind in CLASSES if kind not in MANY]
ELIMINATION = [kind for kind in RULES if kind is not compat.DecisionListLearner]

every_class = pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
pytestmark = pytest.mark.filterwarnings(
    "ignore::littlestone.errors.UnrealizableWarning"
)


# They shuffle the rows, so that scikit-learn's own Perceptron fails them too.
SHUFFLED = {
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


# One or two of each kind; the others differ in the learner alone.
QUICK = (
    *(compat.Winnow, compat.KernelPerceptron, compat.MulticlassPerceptron),
    *(compat.Auto, compat.CoinBetting, compat.VovkAzouryWarmuth),
    *(compat.DisjunctionLearner, compat.DecisionListLearner),
)


@pytest.mark.parametrize(
    "estimator",
    [
        *often((kind() for kind in EVERY), lambda made: type(made) in QUICK),
        compat.Perceptron(update="margin", normalize=True, bias=1.0, passes=2),
        *often(
            [
                compat.KernelPerceptron("gaussian", budget=20, keep="updates"),
                compat.AROW(diagonal=False, bias=1.0),
                compat.MulticlassPerceptron(bias=-1.0, keep="nothing"),
            ],
            lambda _: False,
        ),
    ],
    ids=repr,
)
def test_scikit_learns_own_checks(estimator: Any) -> None:
    # All in one test: there are more than sixty.
    done = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = {c["check_name"]: c["exception"] for c in done if c["status"] == "failed"}
    allowed = set() if type(estimator) in ELIMINATION else set(SHUFFLED)
    if type(estimator) is compat.Auto:  # its label is a vote, its chances are a mean
        allowed |= {"check_decision_proba_consistency"}
    assert failed.keys() <= allowed, failed
    # Eight checks are about sample weights, which only this one does not take.
    least = 47 if type(estimator) is compat.VovkAzouryWarmuth else 55
    assert sum(check["status"] == "passed" for check in done) > least


def ours(kind: type) -> type:
    if kind in (compat.Auto, compat.MulticlassAuto):
        return getattr(littlestone, kind.__name__)  # type: ignore[no-any-return]  # it has both
    return getattr(linear, kind.__name__, None) or getattr(boolean, kind.__name__)  # type: ignore[no-any-return]  # there is one


def test_every_learner_of_labels_has_a_classifier() -> None:
    finite = {"ConsistentLearner", "VersionSpaceLearner", "StandardOptimalLearner"}
    learners = {name for name in boolean.__all__ if name.endswith("Learner")} - finite
    listed = {kind.__name__ for kind in CLASSES}
    wanted = learners | {"Auto", "MulticlassAuto", "WinnowDNF", *linear.__all__}
    assert wanted == listed | {"VovkAzouryWarmuth"}


@every_class
def test_parameters_are_those_of_the_learner(kind: Any) -> None:
    theirs = inspect.signature(kind).parameters
    for name, parameter in inspect.signature(ours(kind)).parameters.items():
        assert theirs[name].kind == parameter.kind, name
        filled = {"Winnow.threshold", "BalancedWinnow.rate", "BalancedWinnow.scale"}
        filled |= {"KCNFLearner.k", "KDNFLearner.k"}
        if f"{kind.__name__}.{name}" not in filled:
            assert theirs[name].default == parameter.default, name
    more = {"passes", "keep"} | ({"binarize"} if kind in RULES else set())
    more |= {"scale"} if kind is compat.Winnow else set()
    assert theirs.keys() - inspect.signature(ours(kind)).parameters.keys() == more


def world(
    kind: type, rows: int = 200, width: int = 6, seed: int = 0
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return rows with zeros and noisy labels that the class can take as they are."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rows, width)) * (random.random((rows, width)) < 0.6)
    if kind is compat.Winnow or kind in RULES:
        X = (X > 0).astype(float)
    score = X[:, 0] - X[:, 1] + 0.1 * random.normal(size=rows)
    if kind in MANY:
        return X, np.array(["low", "mid", "top"])[np.digitize(score, [-0.5, 0.5])]
    return X, np.where(score > 0, "yes", "no")


def own(kind: type, X: Any, y: NDArray[Any], passes: int) -> tuple[Any, Any]:
    """Return the learner itself, and its record, after the same rounds."""
    needed: Any = {
        "Winnow": {"threshold": 6},
        "BalancedWinnow": {"rate": 0.1, "scale": 2.0**511},
        "KCNFLearner": {"k": 2},
        "KDNFLearner": {"k": 2},
    }.get(kind.__name__, {})
    if kind in MANY:
        learner = ours(kind)(classes=["low", "mid", "top"])
        stream = streams.arrays(X, y, outcome="class")
    else:
        learner, stream = ours(kind)(**needed), streams.arrays(X, y == "yes")
    return learner, run(learner, stream, passes=passes)


def bits(learner: Any) -> bytes:
    return pickle.dumps(learner)


@every_class
def test_it_is_the_learner_itself_to_the_last_bit(kind: Any) -> None:
    X, y = world(kind)
    learner, record = own(kind, X, y, passes=2)
    told = learner.predict(X)
    labels = told if kind in MANY else np.where(told, "yes", "no")
    for rows in (X, X.tolist(), np.asfortranarray(X), sparse.csr_array(X)):
        classifier = kind(passes=2).fit(rows, y)
        assert bits(classifier.learner_) == bits(learner)
        assert classifier.mistakes_ == record.mistakes == classifier.record_.mistakes
        assert classifier.n_iter_ == 2
        assert classifier.predict(rows).tolist() == labels.tolist()
    blocks = kind()
    for first in (0, 1, 2, 90):  # one row at a time is another way through
        last = {0: 1, 1: 2, 2: 90}.get(first, len(X))
        blocks.partial_fit(X[first:last], y[first:last], classes=sorted(set(y)))
    series = pd.Series(y, index=range(7, 7 + len(y)))
    rows = (X, sparse.csr_array(X), sparse.csr_matrix(X))
    for k in range(len(X)):
        labels = (series, y)[k % 2][k : k + 1]
        blocks.partial_fit(rows[k % 3][k : k + 1], labels)
    assert bits(blocks.learner_) == bits(learner)
    assert blocks.mistakes_ == record.mistakes
    assert not hasattr(blocks, "record_")


@every_class
def test_weights_are_repetitions(kind: Any) -> None:
    X, y = world(kind)
    weights = np.arange(len(X)) % 3
    many = kind().fit(X.repeat(weights, axis=0), y.repeat(weights))
    for rows in (X, sparse.csr_array(X)):
        weighted = kind().fit(rows, y, sample_weight=weights)
        assert bits(weighted.learner_) == bits(many.learner_)
        assert weighted.mistakes_ == many.mistakes_
    weighted.partial_fit(X, y, sample_weight=np.zeros(len(X)))
    assert bits(weighted.learner_) == bits(many.learner_)
    if issubclass(kind, WeighingClasses):  # other weights multiply the losses
        return
    with pytest.raises(ParameterError, match="row 1: a sample weight must be a whole"):
        kind().fit(X[:3], y[:3], sample_weight=[1, 0.5, 1])


WEIGHED = [kind for kind in CLASSES if issubclass(kind, WeighingClasses)]


@pytest.mark.parametrize("kind", WEIGHED)
def test_classes_and_samples_have_weights_of_any_size(kind: Any) -> None:
    X, y = world(kind)
    _, counts = np.unique(y, return_counts=True)
    shares = len(y) / (len(counts) * counts)
    balanced = kind(class_weight="balanced").fit(X, y)
    named = dict(zip(balanced.classes_.tolist(), shares.tolist(), strict=True))
    assert kind(class_weight=named).fit(X, y).weights_ == balanced.weights_
    weights = np.array([named[label] for label in y.tolist()])
    sampled = kind().fit(X, y, sample_weight=weights)
    assert sampled.weights_ == balanced.weights_ != kind().fit(X, y).weights_
    assert sampled.mistakes_ == balanced.mistakes_
    for wrong, says in (
        ({"nobody": 2.0}, "class_weight must be for classes"),
        ("even", "class_weight must be a mapping, 'balanced' or None"),
    ):
        with pytest.raises(ParameterError, match=says):
            kind(class_weight=wrong).fit(X, y)
    with pytest.raises(ParameterError, match="needs fit, which sees all labels"):
        kind(class_weight="balanced").partial_fit(X, y, classes=np.unique(y))


@pytest.mark.parametrize("kind", [*TWO, *MANY])
def test_features_are_known_by_their_names(kind: Any) -> None:
    X, y = world(kind)
    names = [f"feature {k}" for k in range(X.shape[1])]
    # Random features depend on the names, so there is no room for them.
    autos = (compat.Auto, compat.MulticlassAuto)
    given = {"narrow": 1} if kind in autos else {}
    plain = kind(**given).fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        named = kind(**given).fit(frame, y)
        assert named.feature_names_in_.tolist() == names
        assert named.predict(frame).tolist() == plain.predict(X).tolist()
        assert named.mistakes_ == plain.mistakes_
        example = dict(zip(names, X[0], strict=True))
        assert named.learner_.predict_one(example) == plain.learner_.predict_one(X[0])
        if hasattr(plain, "coef_"):
            assert named.coef_.tolist() == plain.coef_.tolist()
            weights = named.weights_ if kind in TWO else named.weights_["low"]
            assert list(weights) == names
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            said = named.predict(sparse.csr_array(X))
        assert said.tolist() == plain.predict(X).tolist()
    with pytest.raises(ExampleError, match="each feature must appear once, got 'a'"):
        kind().fit(pd.DataFrame(X[:, :2], columns=["a", "a"]), y)


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if hasattr(kind, "coef_")])
def test_scores_are_those_of_the_weights(kind: Any) -> None:
    X, y = world(kind)
    given = {"bias": 0.5} if "bias" in kind().get_params() else {"scale": 4.0}
    if kind in {compat.SecondOrderPerceptron, compat.MulticlassSecondOrder}:
        given["diagonal"] = False  # else an example counts in its own score
    classifier = kind(**given).fit(X, y)
    scores = classifier.decision_function(X)
    if kind is compat.AIOLI:  # it weighs both labels before it scores
        assert (
            (scores > 0) == (X @ classifier.coef_[0] + classifier.intercept_ > 0)
        ).all()
        return
    linearly = X @ classifier.coef_.T + classifier.intercept_
    np.testing.assert_allclose(scores, linearly.reshape(scores.shape), atol=1e-9)
    assert classifier.coef_.shape == (1 if kind in TWO else 3, X.shape[1])
    assert classifier.intercept_.shape == classifier.coef_.shape[:1]
    if kind in TWO:
        assert classifier.weights_ == dict(enumerate(classifier.coef_[0].tolist()))
    else:
        assert classifier.weights_["mid"] == dict(
            enumerate(classifier.coef_[1].tolist())
        )


@pytest.mark.parametrize("kind", MANY)
def test_two_of_many_classes_are_told_apart_by_one_score(kind: Any) -> None:
    X, y = world(compat.Perceptron)
    given = {"diagonal": False} if kind is compat.MulticlassSecondOrder else {}
    classifier = kind(bias=1.0, **given).fit(X, y)
    scores = classifier.decision_function(X)
    assert scores.shape == (len(X),)
    if hasattr(classifier, "coef_"):
        assert classifier.coef_.shape == (1, X.shape[1])
        expected = X @ classifier.coef_[0] + classifier.intercept_
        np.testing.assert_allclose(scores, expected)
    assert (np.where(scores > 0, "yes", "no") == classifier.predict(X)).all()


@pytest.mark.parametrize("kind", MANY)
def test_classes_grow_unless_they_are_told(kind: Any) -> None:
    X, y = world(kind)
    order = np.argsort(y != "top", kind="stable")
    X, y = X[order], y[order]
    growing = kind()
    learner = ours(kind)()
    for first in range(0, len(X), 7):
        growing.partial_fit(X[first : first + 7], y[first : first + 7])
        assert growing.classes_.tolist() == sorted(set(y[: first + 7]))
    record = run(learner, streams.arrays(X, y, outcome="class"))
    assert bits(growing.learner_) == bits(learner)
    assert growing.mistakes_ == record.mistakes
    assert growing.learner_.classes_[0] == "top"
    scores = growing.decision_function(X)
    assert (growing.classes_[scores.argmax(axis=1)] == growing.predict(X)).all()
    with pytest.raises(LabelError, match="all texts or all numbers, got 3 after 'low'"):
        growing.partial_fit(X[:1], [3])
    told = kind().partial_fit(X[:1], y[:1], classes=["low", "top"])
    with pytest.raises(LabelError, match="one of the classes .*'low', 'top'.*'mid'"):
        told.partial_fit(X[:2], ["low", "mid"])
    with pytest.raises(LabelError, match="'mid'"):
        kind(classes=("low", "top")).fit(X, y)
    with pytest.raises(ParameterError, match="those of the constructor"):
        kind(classes=("low", "top")).partial_fit(X, y, classes=["low", "mid"])
    first = kind(classes=("top", "mid", "low")).fit(X[:1] * 0, y[:1])
    assert first.predict(X[:1] * 0).tolist() == ["top"]  # equals: the one named first
    assert first.classes_.tolist() == ["low", "mid", "top"]


@pytest.mark.parametrize("kind", TWO)
def test_two_classes_must_be_told_at_the_first_call(kind: Any) -> None:
    X, y = world(kind)
    with pytest.raises(ParameterError, match="classes must be passed on the first"):
        kind().partial_fit(X, y)
    with pytest.raises(ParameterError, match="Only binary .* two classes, got 3"):
        kind().partial_fit(X, y, classes=["yes", "no", "maybe"])
    classifier = kind().partial_fit(X[:2], y[:2], classes=["yes", "no"])
    with pytest.raises(ParameterError, match="those of the first call"):
        classifier.partial_fit(X[:2], y[:2], classes=["yes", "maybe"])
    with pytest.raises(LabelError, match="one of the classes .*'no', 'yes'.*'maybe'"):
        classifier.partial_fit(X[:1], ["maybe"])
    for wrong in (1, [["yes", "no"]], [], ["yes", "yes"]):
        with pytest.raises((ValueError, TypeError)):
            classifier.partial_fit(X[:1], wrong)
    with pytest.raises(NotFittedError):
        kind().predict(X)


LABELS = st.sampled_from(
    [("a", "b"), (0, 1), (-1, 1), (False, True), (3.0, 7.0), ("", "ü")]
)


@given(LABELS, st.integers(0, 2**32 - 1), st.sampled_from([np.float32, np.float64]))
def test_labels_may_be_anything(labels: Any, seed: int, dtype: Any) -> None:
    X, y = world(compat.Perceptron, rows=30, seed=seed)
    X = X.astype(dtype)
    X[:2], y[:2] = 0.0, ["no", "yes"]
    named = np.where(y == "yes", labels[1], labels[0])
    classifier = compat.Perceptron().fit(X, named)
    assert classifier.classes_.tolist() == list(labels)
    plain = linear.Perceptron().fit(X, y == "yes")
    assert classifier.predict(X).tolist() == [labels[int(k)] for k in plain.predict(X)]
    many = compat.MulticlassPerceptron().fit(X, named)
    assert set(many.predict(X).tolist()) <= set(labels)


def test_at_home_in_pipelines_and_searches() -> None:
    X, y = world(compat.PassiveAggressive)
    pipeline = make_pipeline(StandardScaler(), compat.PassiveAggressive(bias=1.0))
    assert cross_val_score(pipeline, X, y, cv=3).min() > 0.8
    grid = {"passiveaggressive__bias": [0.0, 99.0], "passiveaggressive__passes": [1, 3]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["passiveaggressive__bias"] == 0.0
    assert search.best_estimator_[-1].learner_.bias == 0.0
    winnow = make_pipeline(MinMaxScaler(clip=True), compat.Winnow())
    assert not np.isnan(cross_val_score(winnow, X, y, cv=3)).any()
    mail = ["cheap pills", "dear pills", "cheap cheap", "dear friend"]
    text = make_pipeline(CountVectorizer(binary=True), compat.Winnow(passes=9))
    assert text.fit(mail, [1, 0, 1, 0]).score(mail, [1, 0, 1, 0]) == 1.0
    balanced = make_pipeline(StandardScaler(), compat.BalancedWinnow())
    assert cross_val_score(balanced, X, y, cv=3).min() > 0.8


@every_class
def test_copies_and_pickles_go_on_alike(kind: Any) -> None:
    X, y = world(kind)
    classifier = kind(passes=3).fit(X, y)
    assert clone(classifier).get_params() == classifier.get_params()
    assert not hasattr(clone(classifier), "learner_")
    copy = pickle.loads(pickle.dumps(classifier))  # noqa: S301 - our own
    for each in (classifier, copy):
        each.partial_fit(X[:1], y[:1]).partial_fit(X, y)
        assert not hasattr(each, "record_")  # it would not tell of these rounds
    assert bits(copy.learner_) == bits(classifier.learner_)
    assert copy.mistakes_ == classifier.mistakes_


def test_the_record_can_be_certified() -> None:
    X, y = world(compat.Perceptron)
    classifier = compat.Perceptron(keep="updates").fit(X, y)
    certificate = certify(classifier.record_)
    assert certificate.holds
    assert classifier.learner_.guarantees == linear.Perceptron().guarantees


def test_winnow_refuses_what_is_beyond_its_scale() -> None:
    X, y = [[0.0, 3.0], [4.0, 0.0]], [0, 1]
    classifier = compat.Winnow().fit(X, y)
    assert classifier.scale_ == 4.0
    own = linear.Winnow(threshold=2).fit(np.array(X) / 4, y)
    assert bits(classifier.learner_) == bits(own)
    with pytest.raises(ParameterError, match="at most the scale 4.0, .* got 5.0"):
        classifier.predict([[5.0, 0.0]])
    with pytest.raises(ParameterError, match="Negative values in data"):
        classifier.predict([[-1.0, 0.0]])
    assert compat.Winnow().fit([[0.5], [0.1]], y).scale_ == 1.0
    assert compat.Winnow(scale=8).fit(X, y).scale_ == 8.0
    with pytest.raises(ParameterError, match="Winnow: scale must exceed 0, got -1"):
        compat.Winnow(scale=-1).fit(X, y)
    with pytest.raises(ExampleError, match="must be at most the scale in size, got 4"):
        compat.BalancedWinnow(scale=3.0).fit(X, y)


@pytest.mark.parametrize("kind", RULES)
def test_rules_binarize_as_they_are_told(kind: Any) -> None:
    X, y = world(kind)
    learner, _ = own(kind, X, y, passes=1)
    nothing, _ = own(kind, X * 0, y, passes=1)
    for rows in (X, sparse.csr_array(X)):
        assert bits(kind(binarize=1.0).fit(rows, y).learner_) == bits(nothing)
        assert bits(kind(binarize=None).fit(rows, y).learner_) == bits(learner)
        assert bits(kind(binarize=2.5).fit(rows * 3, y).learner_) == bits(learner)
        with pytest.raises(ExampleError, match="must be 0 or 1, got 3.0"):
            kind(binarize=None).fit(rows * 3, y)
    assert bits(kind(binarize=-0.5).fit(X - 1, y).learner_) == bits(learner)
    with pytest.raises(ParameterError, match="binarize must be at least 0 for sparse"):
        kind(binarize=-0.5).fit(sparse.csr_array(X), y)
    with pytest.raises(ValueError, match="NaN"):
        kind().fit(X, y).predict(X * np.nan)


def test_a_rule_that_does_not_fit_is_told() -> None:
    with pytest.warns(UnrealizableWarning, match="no conjunction fits"):
        compat.ConjunctionLearner().fit([[1], [1]], [1, 0])


@every_class
def test_what_is_wrong_is_told_when_it_is_fitted(kind: Any) -> None:
    X, y = world(kind)
    for wrong in ({"passes": 0}, {"passes": 1.5}, {"keep": "everything"}):
        classifier = kind(**wrong)
        with pytest.raises(ParameterError, match=f"{next(iter(wrong))} must be"):
            classifier.fit(X, y)


def test_importing_compat_does_not_load_scikit_learn() -> None:
    script = "import sys, littlestone.compat; print('sklearn' in sys.modules)"
    assert (
        subprocess.check_output([sys.executable, "-c", script], text=True) == "False\n"
    )


def test_without_scikit_learn_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    for name in ("sklearn", "_estimators"):
        monkeypatch.delitem(sys.modules, f"littlestone.compat.{name}")
    with pytest.raises(MissingPackageError, match=r"pip install 'littlestone\[sklearn"):
        __import__("littlestone.compat.sklearn")
