"""Learners of scikit-learn and River, and anybody's, are met as ours are."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from river import forest, linear_model, naive_bayes, tree
from sklearn.linear_model import (
    PassiveAggressiveClassifier,
    Perceptron,
    SGDClassifier,
    SGDRegressor,
)
from sklearn.naive_bayes import BernoulliNB
from sklearn.neural_network import MLPClassifier

from littlestone import linear, run, streams
from littlestone.adversaries import (
    Adversary,
    AlternatingAdversary,
    HalvingAdversary,
    PerceptronAdversary,
    RandomExperts,
    TreeAdversary,
)
from littlestone.errors import FeatureError, LabelError, ParameterError
from littlestone.testing import adversaries


def passive_aggressive() -> Any:
    with warnings.catch_warnings():
        # scikit-learn is about to rename it.
        warnings.simplefilter("ignore", FutureWarning)
        return PassiveAggressiveClassifier(random_state=0)


STRANGERS: dict[str, Callable[[], Any]] = {
    "sklearn Perceptron": lambda: Perceptron(random_state=0),
    "sklearn SGDClassifier": lambda: SGDClassifier(random_state=0),
    "sklearn PassiveAggressiveClassifier": passive_aggressive,
    "sklearn BernoulliNB": BernoulliNB,
    "river Perceptron": linear_model.Perceptron,
    "river LogisticRegression": linear_model.LogisticRegression,
    "river PAClassifier": linear_model.PAClassifier,
    "river BernoulliNB": naive_bayes.BernoulliNB,
    "river HoeffdingTreeClassifier": tree.HoeffdingTreeClassifier,
}


@pytest.mark.parametrize("stranger", STRANGERS)
@pytest.mark.parametrize("name", adversaries())
def test_nobody_escapes(stranger: str, name: str) -> None:
    adversary = adversaries()[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        record = run(STRANGERS[stranger](), adversary)
    assert record.rounds == adversary.rounds
    assert record.learner.name == stranger.partition(" ")[2]
    if not isinstance(adversary, RandomExperts):
        assert record.mistakes >= adversary.forces
        assert adversary.best_ <= adversary.rounds // 2
    assert (record.updates, record.loss) == (None, None)


class Watched(BernoulliNB):  # type: ignore[misc]  # untyped
    """Notes what it is given."""

    def __init__(self) -> None:
        super().__init__()
        self.log: list[Any] = []

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """Note the row, the label and the classes."""
        self.log.append((X.tolist(), y.tolist(), classes.tolist()))
        return super().partial_fit(X, y, classes=classes)


def test_a_matrix_has_a_column_for_every_feature_from_the_start() -> None:
    learner = Watched()
    run(learner, PerceptronAdversary(0.5))
    # Silence means no, so the first label is yes; then it says what came more often.
    assert [row for row, _, _ in learner.log] == np.eye(4)[:, None].tolist()
    assert learner.log[0][1:] == ([1], [0, 1])
    assert learner.log[1][1:] == ([0], [0, 1])


def test_where_there_are_no_features_a_column_stays_zero() -> None:
    learner = Watched()
    run(learner, AlternatingAdversary(3))
    assert [row for row, _, _ in learner.log] == [[[0.0]]] * 3


def test_votes_are_a_row() -> None:
    learner = Watched()
    run(learner, HalvingAdversary(2))
    assert [row for row, _, _ in learner.log] == [[[0, 1, 0, 1]], [[0, 0, 1, 1]]]


def test_an_estimator_that_has_learned_keeps_its_columns() -> None:
    learner = BernoulliNB().partial_fit(np.eye(6), [-1, 1] * 3, classes=[-1, 1])
    assert run(learner, PerceptronAdversary(0.5)).mistakes == 4
    with pytest.raises(
        FeatureError, match="round 6: each feature must be one of the 6"
    ):
        run(learner, PerceptronAdversary(0.3))


class Listing:
    """Anybody's learner, which takes advice as a list and notes it."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def predict_one(self, x: Any) -> int:
        """Say yes."""
        self.seen.append(x)
        return 1

    def learn_one(self, x: Any, y: bool) -> None:
        """Learn nothing."""


def test_anybody_sees_examples_as_they_are_and_river_sees_mappings() -> None:
    learner = Listing()
    run(learner, HalvingAdversary(1))
    assert learner.seen == [[False, True]]

    class Rivers(linear_model.Perceptron):  # type: ignore[misc]  # untyped
        """Notes what it is given."""

        seen: Any = None

        def predict_one(self, x: Any) -> Any:
            """Note the example."""
            self.seen = x
            return super().predict_one(x)

    ours = Rivers()
    run(ours, HalvingAdversary(1))
    assert ours.seen == {0: False, 1: True}


def test_a_river_learner_may_say_nothing() -> None:
    silent = forest.ARFClassifier(n_models=1, seed=1)
    assert silent.predict_one({"a": 1.0}) is None
    assert run(silent, AlternatingAdversary(4)).mistakes == 4


def test_a_stream_is_played_by_an_estimator_too() -> None:
    X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    y = [True, False, True, False]
    learner, twin = BernoulliNB(), BernoulliNB()
    record = run(learner, streams.arrays(X, y))
    wrong = 1  # silence means no
    for at in range(len(y)):
        if at:
            wrong += bool(twin.predict(X[at : at + 1])[0]) != y[at]
        twin.partial_fit(X[at : at + 1], y[at : at + 1], classes=[False, True])
    assert record.mistakes == wrong
    assert np.array_equal(learner.feature_log_prob_, twin.feature_log_prob_)


# What is refused ----------------------------------------------------------------------


def test_what_is_no_learner_is_refused() -> None:
    for stream in (AlternatingAdversary(3), [({"a": 1}, True)]):
        with pytest.raises(ParameterError, match="run: the learner must have predict"):
            run(object(), stream)  # type: ignore[arg-type]  # refused
        with pytest.raises(ParameterError, match="got the class BernoulliNB; call it"):
            run(BernoulliNB, stream)


def test_a_number_is_no_prediction() -> None:
    with pytest.raises(LabelError, match="round 1: .* got "):
        run(SGDRegressor(random_state=0), PerceptronAdversary(0.5))


def test_what_has_no_features_is_no_row() -> None:
    odd: Adversary = TreeAdversary([lambda x: x > 0, lambda x: x < 0], [1, 2])
    with pytest.raises(Exception, match="round 0: "):
        run(BernoulliNB(), odd)


def test_the_loss_of_a_network_is_none_of_the_record() -> None:
    learner = MLPClassifier(hidden_layer_sizes=2, random_state=0)
    record = run(learner, PerceptronAdversary(0.5))
    assert record.loss is None
    assert record.mistakes == 4
    assert run(linear.Perceptron(), PerceptronAdversary(0.5)).mistakes == 4
