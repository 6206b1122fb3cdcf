"""What the learners of many classes share: classes by number, and views of weights."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import _core
from littlestone.errors import ExampleError, ParameterError
from littlestone.learner import (
    RowLearner,
    as_class,
    as_times,
    objects,
    one_by_one,
)
from littlestone.learner.familiar import rows_to_predict
from littlestone.learner.packing import check
from littlestone.learner.rows import Example, is_mappings
from littlestone.linear._base import dense_shape, load
from littlestone.outcome import Outcome
from littlestone.theorems import Condition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from littlestone.theorems import Number

__all__ = ["MulticlassLearner", "checked_classes"]


def checked_classes(owner: str, classes: Iterable[Hashable] | None) -> list[Hashable]:
    """Return the classes known from the start, or refuse them."""
    if classes is None:
        return []
    # An iterator would be spent, and a copy of the learner could not be made from it.
    if isinstance(classes, (str, Iterator)) or not isinstance(classes, Iterable):
        raise ParameterError(
            f"classes must be a sequence of labels or None, got {classes!r}",
            owner=owner,
        )
    known = [as_class(label) for label in classes]
    if not known or len(set(known)) < len(known):
        raise ParameterError(
            f"classes must be one or more different labels, got {classes!r}",
            owner=owner,
        )
    return known


class MulticlassLearner(RowLearner[Any]):
    """A learner of classes, which are any hashable labels and may appear at any time.

    The class with the largest score is predicted, of equals the one seen first; None as
    long as no class is known. A subclass checks its parameters and makes its rule.
    """

    outcome = Outcome.CLASS
    classes: Iterable[Hashable] | None
    bias: float
    _native: _core.Multiclass
    _numbers: dict[Hashable, int]  # of the classes, in order of appearance

    @property
    def known_(self) -> dict[str, Number]:
        """Its bias."""
        return {"bias": float(self.bias)}

    @property
    def unmet_(self) -> frozenset[Condition]:
        """That the classes were given, if they were not.

        Then the first round is a mistake that updates nothing.
        """
        return frozenset({Condition.CLASSES} if self.classes is None else ())

    @property
    def updates_(self) -> int:
        """How many rounds have changed the weights since birth."""
        return self._native.updates

    @property
    def classes_(self) -> tuple[Hashable, ...]:
        """The classes known, in order of appearance."""
        return tuple(self._numbers)

    @property
    def weights_(self) -> dict[Hashable, dict[Any, float]]:
        """The weights by class and feature, as they are now; what is left out is 0."""
        weights: dict[Hashable, dict[Any, float]] = {c: {} for c in self._numbers}
        for feature, row in self._native.items():
            for label, weight in zip(self._numbers, row, strict=True):
                if weight:
                    weights[label][feature] = weight
        return weights

    def knows(self, feature: object) -> bool:
        """Return whether it has learned a weight for a feature."""
        return self._native.weight(feature) is not None

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights of the column-numbered features, a row a class."""
        native = self._native
        coef = np.zeros(dense_shape(self, native.classes, native.width))
        for feature, row in native.items():
            if isinstance(feature, int):
                coef[:, feature] = row
        return coef

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """What the constant feature adds to the score of each class."""
        return np.array(self._native.score_one({}), dtype=np.float64)

    def predict_one(self, x: Example) -> Any:
        """Predict the class of one example; change nothing."""
        return self._class(self._native.predict_one(x))

    def score_one(self, x: Example) -> dict[Hashable, float]:
        """Return the score of each class."""
        return dict(zip(self._numbers, self._native.score_one(x), strict=True))

    def learn_one(self, x: Example, y: Hashable, sample_weight: int = 1) -> None:
        """Learn from one example and its class, `sample_weight` times over."""
        self.play_one(x, y, sample_weight)

    def play_one(self, x: Example, y: Hashable, sample_weight: int = 1) -> Any:
        """Predict, then learn; return what was predicted."""
        label = as_class(y)
        times = as_times(sample_weight)
        number = self._numbers.get(label, len(self._numbers))
        predicted = self._native.play_one(x, number, times)
        said = self._class(predicted)
        if number < self._native.classes:
            self._numbers.setdefault(label, number)
        return said

    def _play(  # noqa: PLR0917 - what the native call takes
        self,
        rows: _core.Rows,
        labels: NDArray[Any],
        predictions: NDArray[Any],
        repeats: NDArray[Any] | None,
        first: int,
        last: int,
        changed: NDArray[np.bool_] | None = None,
        weights: NDArray[np.float64] | None = None,
        **notes: NDArray[np.float64],
    ) -> None:
        repeats = repeats if weights is None else weights
        # Numbers in the order of first appearance; those that are not reached, because
        # a row is refused, are forgotten again.
        numbers = dict(self._numbers)
        wanted = np.zeros(len(labels), dtype=np.int32)
        rounds: Any = slice(first, last)
        if repeats is not None:  # those without repeats are not seen
            rounds = first + np.flatnonzero(repeats[first:last])
        told = labels[rounds].astype(object, copy=False)
        numbered = np.empty(len(told), dtype=np.int64)
        _core.number_objects(told, numbers, numbered)
        wanted[rounds] = numbered
        said = np.full(len(labels), -1, dtype=np.int32)
        named = list(numbers)
        try:
            self.play_numbered(
                rows, wanted, said, first, last, named, repeats, changed, **notes
            )
        except ExampleError as error:
            last = first + (error.rounds or 0)
            raise
        finally:
            known = objects([*self._numbers, None])
            predictions[first:last] = known[said[first:last]]

    def play_numbered(  # noqa: PLR0917 - called for every block
        self,
        rows: _core.Rows,
        wanted: NDArray[np.int32],
        said: NDArray[np.int32],
        first: int,
        last: int,
        classes: list[Hashable],
        repeats: NDArray[Any] | None = None,
        changed: NDArray[np.bool_] | None = None,
        **notes: NDArray[np.float64],
    ) -> None:
        """Play some rows whose classes are numbered, in order of appearance.

        `said` takes the numbers that are predicted, -1 while no class is known.
        """
        try:
            self._play_natively(
                rows, wanted, said, first, last, changed, weights=repeats, **notes
            )
        finally:
            known = classes[: self._native.classes]
            self._numbers = {label: number for number, label in enumerate(known)}

    def _play_natively(self, *given: Any, weights: Any, **notes: Any) -> None:
        rows, wanted, said, first, last, changed = given
        self._native.play(rows, wanted, said, weights, first, last, changed, **notes)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row; change nothing."""
        if is_mappings(X):
            return objects(one_by_one(self.predict_one, X))
        scores = self.decision_function(X)
        if not self._numbers:
            return np.full(len(scores), None, dtype=object)
        best: NDArray[Any] = objects(list(self._numbers))[np.argmax(scores, axis=1)]
        return best

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores, a row an example and a column a class."""
        if is_mappings(X):
            return np.array(one_by_one(self._native.score_one, X))
        rows = rows_to_predict(self, X)
        scores = np.empty(len(rows) * self._native.classes)
        self._native.score(rows, scores, 0, len(rows))
        return scores.reshape(len(rows), self._native.classes)

    def _class(self, number: int) -> Any:
        return None if number < 0 else list(self._numbers)[number]

    def save_state(self) -> dict[str, Any]:
        """Return the weights and what else it has learned, as arrays."""
        return {"classes": list(self._numbers)} | self._native.save()

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        classes = [as_class(label) for label in state["classes"]]
        load(self._native, state)
        self._numbers = {label: number for number, label in enumerate(classes)}
        check(
            type(self).__name__,
            len(self._numbers) == len(classes) == self._native.classes,
            "weights for each class",
        )
