"""What River's classifiers over our learners share: examples, frames, and chances."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from littlestone.auto import Auto, MulticlassAuto
from littlestone.errors import MissingPackageError, ParameterError, refusal
from littlestone.learner import Learner
from littlestone.learner.parameters import finite
from littlestone.linear._base import NativeLearner
from littlestone.linear._charged import ChargedLearner
from littlestone.linear._multiclass import MulticlassLearner
from littlestone.outcome import Outcome

try:
    from river import base, linear_model
    from river.utils import dataframe
except ImportError:
    raise MissingPackageError(
        "this needs River 0.26 or later, which is not installed: pip install "
        "'littlestone[river]'",
        owner="littlestone.compat.river",
    ) from None

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = [
    "BooleanClassifier",
    "LinearClassifier",
    "LinearRegressor",
    "MulticlassClassifier",
    "Wrapping",
    "base",
    "linear_model",
]

L = TypeVar("L", bound=Learner)
Label = TypeVar("Label")
Binary = TypeVar("Binary", bound=NativeLearner | Auto)
Follower = TypeVar("Follower", bound=ChargedLearner)
Many = TypeVar("Many", bound=MulticlassLearner | MulticlassAuto)


class Wrapping(Generic[L]):
    """A River estimator with one of our learners inside."""

    learner: L

    def _begin(self, learner: L) -> None:
        """Take a new learner, and expose its parameters where River looks for them.

        River makes a clone from the attributes named as the arguments are.
        """
        vars(self).update(learner.get_params(deep=False))
        self.learner = learner


class _Estimator(Wrapping[L], Generic[L, Label]):
    """Passes every call to one of our learners.

    `learn_many` equals `learn_one` row by row, bit for bit. A weight `w` is a whole
    number: how often to learn from the example; or, for learners that follow slopes,
    any number by which its loss is multiplied.
    """

    _y_name: Hashable = None  # the name of predictions, as in River

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1) -> None:
        """Learn from one example and its label, `w` times over."""
        self.learner.learn_one(self._example(x), y, w)  # type: ignore[arg-type]  # River's weights are floats

    def learn_many(self, X: Any, y: Any, w: Any = 1) -> None:
        """Learn from the rows of a frame in order, each `w` times over."""
        frame, labels = dataframe.into_frame(X), dataframe.into_series(y)
        weights: ArrayLike | None = None
        if not isinstance(w, Real):
            weights = dataframe.into_series(w).to_numpy()
        elif w != 1:
            weights = np.full(len(frame), w)
        if len(frame):
            self.learner.partial_fit(self._rows(frame), labels, weights)
        self._y_name = labels.name

    def predict_one(self, x: dict[Any, Any]) -> Label:
        """Predict the label of one example; change nothing."""
        said: Label = self.learner.predict_one(self._example(x))
        return said

    def predict_many(self, X: Any) -> Any:
        """Predict the label of each row, as a series of the frame's own kind."""
        frame = dataframe.into_frame(X)
        said = self.learner.predict(self._rows(frame)).tolist() if len(frame) else []
        return dataframe.to_native_series(said, name=self._y_name, like=frame)

    def _example(self, x: dict[Any, Any]) -> dict[Any, Any]:
        """Return an example as the learner takes it."""
        return x

    def _rows(self, frame: Any) -> Any:
        """Return a frame as the learner takes it.

        Columns may be numbered with gaps; mappings can express that.
        """
        names = frame.columns
        plain = all(isinstance(name, str) for name in names)
        if plain or names == list(range(len(names))):
            return frame
        return frame.rows(named=True)


class _Classifier(_Estimator[L, Label], base.MiniBatchClassifier):
    """A classifier."""


class LinearRegressor(_Estimator[Follower, float], base.MiniBatchRegressor):
    """A regressor by a loss of its score."""

    def _begin_numbers(self, learner: Follower) -> None:
        """Take a new learner, unless it learns labels."""
        if learner.outcome is not Outcome.NUMBER:
            raise ParameterError(
                "a regressor must have a loss of numbers, such as 'square', got "
                f"{learner.loss!r}",
                owner=type(self).__name__,
            )
        self._begin(learner)


class LinearClassifier(_Classifier[Binary, bool]):
    """A classifier of two labels that says yes when its score is at least 0."""

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[bool, float]:
        """Return the score, squashed into the interval from 0 to 1.

        It ranks examples, as ROC AUC needs, and is at least 1/2 if the learner says
        yes. With the logistic loss it is a probability; of other learners it is not
        calibrated.
        """
        yes = float(_squashed(np.float64(self.learner.score_one(x))))
        return {False: 1 - yes, True: yes}

    def predict_proba_many(self, X: Any) -> Any:
        """Return the squashed score of each row, as a frame of its own kind."""
        frame = dataframe.into_frame(X)
        yes = np.empty(0)
        if len(frame):
            yes = self._chances(self._rows(frame))
        return dataframe.to_native_frame({False: 1 - yes, True: yes}, like=frame)

    def _chances(self, X: Any) -> NDArray[np.float64]:
        return _squashed(self.learner.decision_function(X))


class MulticlassClassifier(_Classifier[Many, Any]):
    """A classifier of any labels, which may appear at any time."""

    @property
    def _multiclass(self) -> bool:
        return True

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[Hashable, float]:
        """Return the scores of the classes met, squashed so that they sum to 1.

        They rank the classes for one example. They are not calibrated probabilities.
        """
        scores = self.learner.score_one(x)
        if not scores:
            return {}
        shares = _shares(np.array([list(scores.values())]))[0]
        return dict(zip(scores, shares.tolist(), strict=True))

    def predict_proba_many(self, X: Any) -> Any:
        """Return the squashed scores of each row, as a frame of its own kind."""
        frame = dataframe.into_frame(X)
        classes = self.learner.classes_
        if not len(frame) or not classes:
            return frame.select().to_native()
        shares = self._chances(self._rows(frame))
        columns = dict(zip(classes, shares.T, strict=True))
        return dataframe.to_native_frame(columns, like=frame)

    def _chances(self, X: Any) -> NDArray[np.float64]:
        return _shares(self.learner.decision_function(X))


class BooleanClassifier(_Classifier[L, bool]):
    """A classifier by a rule over Boolean features.

    It says only yes or no, so it has no `predict_proba_one`.
    """

    true_threshold: float

    def _begin_rule(self, learner: L, true_threshold: float) -> None:
        finite(type(self).__name__, "true_threshold", true_threshold)
        self.true_threshold = true_threshold
        self._begin(learner)

    def _example(self, x: Mapping[Any, Any], row: int | None = None) -> dict[Any, Any]:
        return {name: self._is_true(row, name, value) for name, value in x.items()}

    def _rows(self, frame: Any) -> Any:
        rows = enumerate(frame.rows(named=True))
        return [self._example(x, row) for row, x in rows]

    def _is_true(self, row: int | None, feature: Any, value: Any) -> bool:
        """Return whether a number exceeds the threshold; refuse other values."""
        owner = type(self).__name__
        try:
            known = math.isfinite(value)
        except TypeError:
            error = refusal(
                "number", owner=owner, row=row, feature=feature, value=value
            )
            raise error from None
        if not known:
            raise refusal("finite", owner=owner, row=row, feature=feature, value=value)
        return bool(value > self.true_threshold)


def _squashed(scores: NDArray[np.float64] | np.float64) -> NDArray[np.float64]:
    """Return 1 / (1 + exp(-score)), for a score of any size."""
    small = np.exp(-np.abs(scores))
    squashed: NDArray[np.float64] = np.where(scores >= 0, 1, small) / (1 + small)
    return squashed


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exp(score) over the sum of the row, for scores of any size."""
    parts = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = parts / parts.sum(axis=1, keepdims=True)
    return shares
