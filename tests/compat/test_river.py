"""Our learners as River's: all of its checks, its pipelines, frames and delays."""

from __future__ import annotations

import inspect
import pickle
import random
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from river import (
    base,
    checks,
    datasets,
    dummy,
    ensemble,
    evaluate,
    metrics,
    preprocessing,
    stats,
)

from littlestone import boolean, linear, run
from littlestone.compat import river
from littlestone.errors import FeatureError, LabelError, ParameterError
from littlestone.experts import AdaHedge, ExponentialWeights, WeightedMajority

CLASSES = [getattr(river, name) for name in river.__all__]
OURS = {**vars(linear), **vars(boolean)}
SINGLE = [
    made
    for made in CLASSES
    if made.__name__ in OURS and made is not river.VovkAzouryWarmuth
]
LINEAR = [made for made in SINGLE if made.__name__ in linear.__all__]
# They take a class of concepts, or a domain, that no stream of River's brings.
FINITE = {"ConsistentLearner", "StandardOptimalLearner", "VersionSpaceLearner"}


def newborn(made: type[Any]) -> Any:
    return made(**next(iter(made._unit_test_params())))  # noqa: SLF001 - River's own name


def bits(model: Any) -> bytes:
    return pickle.dumps(model.learner)


def examples(count: int = 60) -> list[tuple[dict[str, float], bool]]:
    return list(datasets.Phishing().take(count))


every = pytest.mark.parametrize("made", SINGLE, ids=lambda made: made.__name__)
unfitting = pytest.mark.filterwarnings(
    "ignore::littlestone.errors.UnrealizableWarning"  # no rule fits River's streams
)


# River's own checks -------------------------------------------------------------


# The facades of one kind share their code: `make test` has River check one of each.
FIRST = {made.__mro__[1]: made for made in reversed(CLASSES)}.values()
GIVEN = [
    pytest.param(
        made(**given),
        id=f"{made.__name__}-{len(given)}",
        marks=() if made in FIRST else pytest.mark.soak,
    )
    for made in CLASSES
    for given in made._unit_test_params()  # noqa: SLF001 - River's own name
]


@unfitting
@pytest.mark.parametrize("model", GIVEN)
def test_river_finds_no_fault_and_skips_no_check(
    model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    random.seed(7)  # its checks shuffle
    # Of each stream a fifth: the learners themselves have been checked elsewhere.
    take = datasets.base.Dataset.take
    monkeypatch.setattr(
        datasets.base.Dataset, "take", lambda all_, k: take(all_, k // 5)
    )
    assert model._unit_test_skips() == set()  # noqa: SLF001 - River's own name
    checks.check_estimator(model)


def test_every_learner_of_labels_is_there_with_its_parameters() -> None:
    learners = {name for name in boolean.__all__ if name.endswith("Learner")} - FINITE
    learners.add("WinnowDNF")
    wanted = {*linear.__all__, *learners} - {"VovkAzouryWarmuth"}  # of numbers
    assert {made.__name__ for made in SINGLE} == wanted
    for made in SINGLE:
        theirs = dict(inspect.signature(made).parameters)
        threshold = theirs.pop("true_threshold", None)
        assert (threshold is None) == (made in LINEAR)
        ours = inspect.signature(OURS[made.__name__]).parameters
        assert theirs == dict(ours), made


# Frames -------------------------------------------------------------------------


def as_arrow(rows: list[dict[str, float]]) -> Any:
    return pa.Table.from_pylist(rows)


FRAMES: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (pd.DataFrame, pd.Series),
    (pl.DataFrame, pl.Series),
    (as_arrow, lambda values: pa.chunked_array([values])),
]


@unfitting
@every
@pytest.mark.parametrize("kind", FRAMES, ids=["pandas", "polars", "pyarrow"])
def test_many_are_one_after_another_bit_for_bit(made: type[Any], kind: Any) -> None:
    frame, series = kind
    one, many = newborn(made), newborn(made)
    for batch in (examples()[:25], examples()[25:]):
        for x, y in batch:
            one.learn_one(x, y)
        many.learn_many(frame([x for x, _ in batch]), series([y for _, y in batch]))
        assert bits(one) == bits(many)
    X = frame([x for x, _ in examples()])
    said = many.predict_many(X)
    assert type(said) is type(series([True]))
    assert list(map(bool, said.to_pylist() if kind is FRAMES[2] else said)) == [
        one.predict_one(x) for x, _ in examples()
    ]


def test_a_frame_keeps_its_index_and_the_name_of_its_labels() -> None:
    model = river.Perceptron()
    X = pd.DataFrame({"a": [1.0, 0.0], "b": [0.0, 1.0]}, index=["first", "second"])
    model.learn_many(X, pd.Series([False, True], name="spam"))
    said = model.predict_many(X)
    assert said.to_dict() == {"first": False, "second": True}
    assert said.name == "spam"
    chances = model.predict_proba_many(X)
    assert list(chances.columns) == [False, True]
    assert list(chances.index) == ["first", "second"]
    assert chances[True].tolist() == [
        model.predict_proba_one({"a": 1.0})[True],
        model.predict_proba_one({"b": 1.0})[True],
    ]
    empty = X.iloc[:0]
    model.learn_many(empty, pd.Series([], dtype=bool))
    assert len(model.predict_many(empty)) == len(model.predict_proba_many(empty)) == 0


def test_columns_may_be_numbered_with_or_without_gaps() -> None:
    for names in ([0, 1], [3, 7], ["a", 7]):
        one, many = river.Perceptron(), river.Perceptron()
        for row in ([1.0, 2.0], [0.5, 0.0]):
            one.learn_one(dict(zip(names, row, strict=True)), False)
        X = pd.DataFrame([[1.0, 2.0], [0.5, 0.0]], columns=names)
        many.learn_many(X, pd.Series([False, False]))
        assert bits(one) == bits(many)
        assert many.predict_many(X).tolist() == [False, False]


def test_a_weight_is_a_number_of_repetitions() -> None:
    once, weighed, rows = (river.PassiveAggressive(C=0.1) for _ in range(3))
    for _ in range(3):
        once.learn_one({"a": 1.0}, True)
    weighed.learn_one({"a": 1.0}, True, w=3.0)
    X, y = pd.DataFrame({"a": [1.0, 9.0]}), pd.Series([True, True])
    rows.learn_many(X, y, w=pd.Series([3, 0]))
    assert bits(once) == bits(weighed) == bits(rows)
    rows.learn_many(X, y, w=np.int64(0))
    assert bits(once) == bits(rows)
    with pytest.raises(ParameterError, match="a whole number of repetitions"):
        weighed.learn_one({"a": 1.0}, True, w=0.5)
    with pytest.raises(ParameterError, match="a whole number of repetitions"):
        rows.learn_many(X, y, w=0.5)
    assert bits(once) == bits(weighed) == bits(rows)


# Pipelines and evaluation -------------------------------------------------------


def test_a_pipeline_makes_the_mistakes_of_the_learner_itself() -> None:
    pipeline = preprocessing.StandardScaler() | river.Perceptron(bias=1.0)
    metric = evaluate.progressive_val_score(
        datasets.Phishing().take(300), pipeline, metrics.Accuracy()
    )
    scaler, scaled = preprocessing.StandardScaler(), []
    for x, y in datasets.Phishing().take(300):
        # River predicts with what the scaler knew before, and learns with the rest.
        before = scaler.transform_one(x)
        scaler.learn_one(x)
        scaled.append((before, scaler.transform_one(x), y))
    learner, right = linear.Perceptron(bias=1.0), 0
    for before, after, y in scaled:
        right += learner.predict_one(before) == y
        learner.learn_one(after, y)
    assert metric.get() == right / 300
    assert bits(pipeline["Perceptron"]) == pickle.dumps(learner)
    assert run(river.Perceptron(), examples(300)).mistakes == (
        run(linear.Perceptron(), examples(300)).mistakes
    )


@pytest.mark.parametrize("kind", FRAMES, ids=["pandas", "polars", "pyarrow"])
def test_a_pipeline_takes_frames(kind: Any) -> None:
    frame, series = kind
    X, y = frame([x for x, _ in examples()]), series([y for _, y in examples()])
    pipeline = preprocessing.StandardScaler() | river.PassiveAggressive(bias=1.0)
    pipeline.learn_many(X, y)
    said = pipeline.predict_many(X)
    assert type(said) is type(y)
    right = sum(map(int, np.asarray(said) == np.asarray(y)))
    assert right > 50
    assert len(pipeline.predict_proba_many(X)) == 60


@pytest.mark.parametrize("delay", [1, 5, 40])
def test_labels_may_come_late(delay: int) -> None:
    model, stream = river.AROW(), examples(100)
    metric = evaluate.progressive_val_score(
        stream, model, metrics.Accuracy(), moment=None, delay=delay
    )
    learner, waiting, right = linear.AROW(), deque[Any](), 0
    for x, y in stream:
        while len(waiting) >= delay:
            learner.learn_one(*waiting.popleft())
        right += learner.predict_one(x) == y
        waiting.append((x, y))
    for x, y in waiting:
        learner.learn_one(x, y)
    assert metric.get() == right / 100
    assert bits(model) == pickle.dumps(learner)


def test_labels_may_come_late_by_the_clock() -> None:
    model = preprocessing.StandardScaler() | river.MulticlassPerceptron()
    metric = evaluate.progressive_val_score(
        datasets.ImageSegments().take(300), model, metrics.Accuracy(), delay=20
    )
    assert metric.get() > 0.5
    # The moment is one of the features.
    rides = [({"at": 1000.0 * t, "a": t % 2}, t % 2 == 0) for t in range(50)]
    metric = evaluate.progressive_val_score(
        rides, river.Perceptron(), metrics.Accuracy(), moment="at", delay=2500.0
    )
    assert metric.cm.n_samples == 50


@unfitting
def test_whole_ensembles_can_be_made_of_them() -> None:
    bag = ensemble.BaggingClassifier(river.Perceptron(), n_models=3, seed=1)
    vote = ensemble.VotingClassifier(
        [river.Perceptron(), river.KDNFLearner(2)], use_probabilities=False
    )
    for model in (bag, vote, river.CommitteeClassifier([bag, vote])):
        stream = datasets.Phishing().take(200)
        score = evaluate.progressive_val_score(stream, model, metrics.Accuracy())
        assert score.get() > 0.6


def test_scores_rank_as_roc_auc_asks() -> None:
    stream = datasets.Phishing().take(400)
    model = river.AveragedPerceptron(bias=1.0)
    score = evaluate.progressive_val_score(stream, model, metrics.ROCAUC())
    assert score.get() > 0.85


# Labels, and what is told of them -------------------------------------------------


@unfitting
@every
def test_yes_and_no_may_be_written_in_every_way(made: type[Any]) -> None:
    ways: list[Callable[[bool], Any]] = [bool, np.bool_, int]
    if not made.__name__.startswith("Multiclass"):  # those take any label
        ways.append(lambda y: 1 if y else -1)
        model = newborn(made)
        before = bits(model)
        with pytest.raises(LabelError, match="got 'spam'"):
            model.learn_one({"a": 1}, "spam")
        assert bits(model) == before
    said = []
    for way in ways:
        model = newborn(made)
        for x, y in examples(30):
            model.learn_one(x, way(y))
        said.append([bool(model.predict_one(x)) for x, _ in examples(30)])
        chances = model.predict_proba_one if made in LINEAR else None
        if chances is not None:
            assert set(chances({})) == {False, True}
            assert sum(chances(examples(1)[0][0]).values()) == pytest.approx(1.0)
    assert all(each == said[0] for each in said)


def test_classes_are_any_labels_met_as_they_come() -> None:
    model = river.MulticlassPerceptron()
    assert model.predict_one({"a": 1}) is None
    assert model.predict_proba_one({"a": 1}) == {}
    X = pd.DataFrame({"a": [1.0, 0.0, 0.0], "b": [0.0, 1.0, 0.0], "c": [0.0, 0.0, 1.0]})
    assert model.predict_many(X).tolist() == [None] * 3
    assert not len(model.predict_proba_many(X).columns)
    assert model.predict_many(pl.DataFrame(X)).to_list() == [None] * 3
    model.learn_many(X, pd.Series(["cat", 7, ("big", "dog")]))
    assert model.predict_many(X).tolist() == ["cat", 7, ("big", "dog")]
    assert model.predict_proba_many(X).columns.tolist() == ["cat", 7, ("big", "dog")]
    chances = model.predict_proba_one({"a": 1.0})
    assert max(chances, key=lambda label: chances[label]) == "cat"
    words = river.MulticlassPassiveAggressive()
    words.learn_many(pl.DataFrame(X), pl.Series(["cat", "cow", "dog"]))
    assert words.predict_many(pl.DataFrame(X)).to_list() == ["cat", "cow", "dog"]
    assert words.predict_proba_many(pl.DataFrame(X)).columns == ["cat", "cow", "dog"]


def test_no_score_is_too_large_for_a_chance() -> None:
    model = river.Perceptron()
    assert model.predict_proba_one({}) == {False: 0.5, True: 0.5}
    assert model.predict_one({}) is True
    model.learn_one({"a": 1e200}, False)
    assert model.predict_proba_one({"a": 1e100}) == {False: 1.0, True: 0.0}
    assert model.predict_proba_one({"a": -1e100}) == {False: 0.0, True: 1.0}
    many = river.MulticlassPerceptron()
    many.learn_one({"a": 1e200}, "x")
    many.learn_one({"a": 1e200}, "y")
    assert many.predict_proba_one({"a": 1e100}) == {"x": 0.0, "y": 1.0}


# Rules ----------------------------------------------------------------------------


def test_a_feature_is_true_above_the_threshold() -> None:
    low, high = (river.ConjunctionLearner(true_threshold=t) for t in (0.0, 0.5))
    for model in (low, high):
        model.learn_one({"a": 1, "b": 0.5, "c": -1.0, "d": False}, True)
        with pytest.raises(NotImplementedError):
            model.predict_proba_one({"a": 1})
    assert str(low.learner.concept_) == "a and b"
    assert str(high.learner.concept_) == "a"
    assert high.clone().true_threshold == 0.5
    with pytest.raises(ParameterError, match="true_threshold must be a finite number"):
        river.KDNFLearner(2, true_threshold=float("nan"))


def test_what_is_no_number_is_refused_and_nothing_is_learned() -> None:
    model = river.DisjunctionLearner()
    before = bits(model)
    with pytest.raises(FeatureError, match="DisjunctionLearner: feature 'a' .*'yes'"):
        model.learn_one({"a": "yes"}, True)
    with pytest.raises(FeatureError, match="row 1: .*feature 'b' .*nan"):
        model.learn_many(
            pd.DataFrame({"a": [1.0, 1.0], "b": [1.0, np.nan]}), pd.Series([1, 0])
        )
    assert bits(model) == before
    assert river.Winnow(threshold=2)._tags == {base.tags.POSITIVE_INPUT}  # noqa: SLF001 - River's own name
    with pytest.raises(FeatureError, match=r"Winnow: feature 'a' must lie in \[0, 1\]"):
        river.Winnow(threshold=2).learn_one({"a": -1.0}, True)


# Committees -----------------------------------------------------------------------


class Says(dummy.StatisticRegressor):  # type: ignore[misc]  # River's classes are Any here
    """A regressor that says the same all along."""

    def __init__(self, value: float) -> None:
        super().__init__(stats.Mean())
        self.value = value

    def predict_one(self, x: dict[Any, Any]) -> float:  # noqa: ARG002 - whatever it is
        """Say it."""
        return self.value


def test_a_committee_says_what_all_say_and_survives_a_large_loss() -> None:
    model = river.CommitteeRegressor([Says(1.0), Says(1.0), Says(1.0)])
    assert model.predict_one({}) == 1.0  # River's EWARegressor says 3
    model.learn_one({}, 1000.0)  # and after this it says 0 for ever
    for _ in range(50):
        model.learn_one({}, 1.0)
    assert model.predict_one({}) == pytest.approx(1.0)


def test_a_committee_takes_the_rule_that_fits() -> None:
    model = river.CommitteeRegressor({"low": Says(0.0), "high": Says(4.0)}, AdaHedge())
    assert model.predict_one({}) == 2.0
    for _ in range(100):
        model.learn_one({}, 4.0)
    assert model.learner.best_expert_ == "high"
    assert model.predict_one({}) > 3.9
    assert model.clone().predict_one({}) == 2.0
    with pytest.raises(ParameterError, match="must be one for numbers"):
        river.CommitteeRegressor([Says(0.0)], WeightedMajority())
    with pytest.raises(ParameterError, match="must be one for labels"):
        river.CommitteeClassifier([river.Perceptron()], AdaHedge())


@unfitting
def test_chances_are_weighed_where_members_tell_them() -> None:
    members = {
        "perceptron": river.Perceptron(),
        "disjunction": river.DisjunctionLearner(monotone=True),
    }
    labels = river.CommitteeClassifier(members)
    with pytest.raises(NotImplementedError):
        labels.predict_proba_one({})
    # Of nothing the Perceptron says 1/2, and the disjunction no: evenly weighed.
    chances = river.CommitteeClassifier(members, ExponentialWeights(1.0, "brier"))
    assert chances.predict_proba_one({}) == {False: 0.75, True: 0.25}
    assert chances.predict_one({}) is False
    for x, y in examples(100):
        chances.learn_one(x, y)
    assert 0 < chances.predict_proba_one(examples()[0][0])[True] < 1


# Without River --------------------------------------------------------------------


def test_it_is_loaded_only_when_asked_for_and_says_what_is_missing() -> None:
    script = (
        "import sys, littlestone.compat; assert 'river' not in sys.modules\n"
        "sys.modules['river'] = None\n"
        "from littlestone.errors import MissingPackageError\n"
        "try: import littlestone.compat.river\n"
        "except MissingPackageError as error: print(error)"
    )
    said = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert said.strip().endswith("pip install 'littlestone[river]'")


def test_a_strict_perceptron_says_no_to_a_tie_and_so_does_its_clone() -> None:
    model = river.Perceptron(strict=True)
    assert model.predict_one({"a": 1}) is model.clone().predict_one({"a": 1}) is False
    assert river.Perceptron().predict_one({"a": 1})
