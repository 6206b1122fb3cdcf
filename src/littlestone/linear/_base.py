"""What all linear learners share: a native rule, its weights, and views of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from littlestone.errors import FeatureError
from littlestone.learner import Learner, RowLearner, as_labels, as_times, one_by_one
from littlestone.learner.familiar import rows_to_predict
from littlestone.learner.rows import Example, as_rows, is_mappings

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from littlestone import _core
    from littlestone.theorems import Number

__all__ = [
    "AdditiveLearner",
    "BiasedLearner",
    "LinearLearner",
    "NativeLearner",
    "QuietLearner",
    "WeightMapping",
    "dense_shape",
    "load",
]


_MOST_NUMBERS = 1 << 27  # in `coef_`, which take a gigabyte


def dense_shape(learner: Learner, rows: int, width: int) -> tuple[int, int]:
    """Return the shape of `coef_`, unless one large column makes it too wide."""
    if rows * width > _MOST_NUMBERS:
        raise FeatureError(
            f"`coef_` must have at most 2**27 numbers, got {rows} times {width}; "
            "`weights_` has those that were learned",
            owner=type(learner).__name__,
        )
    return rows, width


def load(native: _core.Linear | _core.Multiclass, state: Mapping[str, Any]) -> None:
    """Give a native newborn what `save` has returned."""
    native.load(
        state.get("columns"),
        state["columns.cells"],
        state["names.text"],
        state["names.ends"],
        state["names.kinds"],
        state["names.cells"],
        state["rule"],
        state["updates"],
        state["width"],
    )


class WeightMapping(Mapping[Any, float]):
    """The weights of a learner by feature, live and read-only.

    A feature is listed once its weight is no longer the initial one: columns in order,
    then names in the order they were learned.
    """

    def __init__(self, native: _core.Linear) -> None:
        self._native = native

    def __getitem__(self, feature: object) -> float:
        try:
            weight = self._native.weight(feature)
        except FeatureError:
            weight = None
        if weight is None:
            raise KeyError(feature)
        return weight

    def __iter__(self) -> Iterator[Any]:
        return iter([feature for feature, _ in self._native.items()])

    def __len__(self) -> int:
        return self._native.count()

    def __repr__(self) -> str:
        return repr(dict(self._native.items()))


class NativeLearner(RowLearner[np.bool_]):
    """A learner of two labels that says yes exactly when its score is at least 0.

    A subclass checks its parameters and makes its native rule; every call goes there.
    """

    scores_rows: ClassVar[bool] = True  # it can note the scores of rows it plays
    _native: _core.Linear

    @property
    def updates_(self) -> int:
        """How many rounds have changed this learner since birth."""
        return self._native.updates

    def predict_one(self, x: Example) -> bool:
        """Predict the label of one example; change nothing."""
        return self._native.predict_one(x)

    def score_one(self, x: Example) -> float:
        """Return how strongly one example is a yes; 0 and above mean yes."""
        return self._native.score_one(x)

    def learn_one(self, x: Example, y: object, sample_weight: int = 1) -> None:
        """Learn from one example and its label, `sample_weight` times over."""
        if sample_weight == 1:
            self._native.learn_one(x, y)
        else:
            self.play_one(x, y, sample_weight)

    def play_one(self, x: Example, y: object, sample_weight: int = 1) -> bool:
        """Predict, then learn; return what was predicted."""
        if sample_weight == 1:
            return self._native.play_one(x, y)
        return self._native.play_one(x, y, as_times(sample_weight))

    def _play(  # noqa: PLR0917 - what the native call takes
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[np.uint32] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        **notes: Any,
    ) -> None:
        self._native.play(
            rows, labels, predictions, repeats, first, last, changed, **notes
        )

    def play_scored(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        scores: NDArray[np.float64],
        first: int,
        last: int,
    ) -> None:
        """Play some rows of a block, and write the score that each had before."""
        self._play(rows, labels, predictions, None, first, last, None, scores=scores)

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """Predict the label of each row; change nothing."""
        return self.decision_function(X) >= 0

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row; 0 and above mean yes."""
        if is_mappings(X):
            return np.array(one_by_one(self.score_one, X))
        rows = rows_to_predict(self, X)
        scores = np.empty(len(rows))
        self._native.score(rows, scores, 0, len(rows))
        return scores

    def save_state(self) -> dict[str, Any]:
        """Return the weights and what else it has learned, as arrays."""
        return self._native.save()

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        load(self._native, state)


class AdditiveLearner(NativeLearner):
    """A native learner that adds the examples which it got wrong."""

    def add_one(self, x: Example, y: object) -> None:
        """Learn as from a mistake, whatever it would predict now.

        For labels that come late: `littlestone.Recorder(late="served")`.
        """
        self._native.add_one(x, y)


class LinearLearner(NativeLearner):
    """A native learner that weighs each feature."""

    initial_weight: ClassVar[float] = 0.0

    @property
    def weights_(self) -> WeightMapping:
        """The weights by feature; a feature not listed still has the initial weight."""
        return WeightMapping(self._native)

    def knows(self, feature: object) -> bool:
        """Return whether it has learned a weight for a feature."""
        return feature in self.weights_

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of the column-numbered features, dense."""
        coef = np.full(
            dense_shape(self, 1, self._native.width)[1:], self.initial_weight
        )
        for feature, weight in self._native.items():
            if isinstance(feature, int):
                coef[feature] = weight
        return coef


class BiasedLearner(LinearLearner):
    """A linear learner that may append a constant feature of value `bias`."""

    bias: float

    @property
    def intercept_(self) -> float:
        """What the constant feature adds to every score."""
        return self.score_one({})

    @property
    def known_(self) -> dict[str, Number]:
        """Its bias."""
        return {"bias": float(self.bias)}


class QuietLearner(BiasedLearner):
    """A learner that learns faster from blocks if predictions are not needed.

    What it says is not by what it learns by, so it may learn from a round that it got
    right. It counts also the rounds that change no weight.
    """

    @property
    def newborn_(self) -> bool:
        """Whether this learner is still as it was at birth."""
        return super().newborn_ and self._native.state == self.clone()._native.state  # noqa: SLF001 - of a copy of its own

    def partial_fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Learn from the rows, without finding out what would have been predicted."""
        if is_mappings(X) or sample_weight is not None:
            return super().partial_fit(X, y, sample_weight)
        rows = as_rows(X)
        labels = as_labels(y, len(rows))
        self._native.play(rows, labels, None, None, 0, len(rows))
        return self
