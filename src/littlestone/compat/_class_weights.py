"""Weights of classes, for scikit-learn's classifiers that follow slopes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from littlestone.compat._estimators import AnyLearner, Classifier
from littlestone.errors import ParameterError
from littlestone.learner import as_weights

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["ClassWeight", "WeighingClasses"]

ClassWeight: TypeAlias = Mapping[Any, float] | Literal["balanced"] | None


class WeighingClasses(Classifier[AnyLearner]):
    """Adds `class_weight` and sample weights of any size to a classifier."""

    class_weight: ClassWeight
    _balance: dict[Any, float] | None = None

    _weights: NDArray[np.float64] | None = None  # of the rows at hand, if not whole

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, then play the rows in order, `passes` times.

        Whole sample weights say how often to play a row; if any is another number of at
        least 0, all multiply the losses of their rows, and there is no `record_`.
        """
        super().fit(X, y, sample_weight)
        if self._weights is not None:
            del self.record_
        return self

    def _checked(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> tuple[Any, NDArray[Any]]:
        self._weights = None
        repeats = sample_weight is None or _whole(sample_weight)
        times = sample_weight if repeats else None
        X, y = super()._checked(X, y, times, reset=reset)
        if not repeats and sample_weight is not None:
            self._weights = as_weights(sample_weight, len(y))
        return X, y

    def _play(self, X: Any, y: NDArray[Any], passes: int, keep: Any) -> Any:
        if self._weights is None:
            return super()._play(X, y, passes, keep)
        self._meet(y)
        rows, told = self._as_rows(self._prepared(X)), self._as_told(y)
        for _ in range(passes):
            said = self.learner_.play(rows, told, self._weights)
            self.mistakes_ += int((said != told).sum())
        if getattr(self, "_grows", False):
            self._know(np.unique(np.array(self.learner_.classes_)))  # type: ignore[attr-defined]  # it has many
        return None

    def _classes_of(self, y: NDArray[Any]) -> NDArray[Any]:
        classes: NDArray[Any] = super()._classes_of(y)
        if self.class_weight == "balanced" and len(y):
            found, counts = np.unique(y, return_counts=True)
            shares = counts.sum() / (len(found) * counts)
            self._balance = dict(zip(found.tolist(), shares.tolist(), strict=True))
        return classes

    def _declared(self, classes: ArrayLike | None) -> NDArray[Any]:
        if self.class_weight == "balanced":
            raise ParameterError(
                "class_weight='balanced' needs fit, which sees all labels; give "
                "partial_fit a mapping from class to weight",
                owner=type(self).__name__,
            )
        declared: NDArray[Any] = super()._declared(classes)
        return declared

    def _parameters(self, X: Any) -> dict[str, Any]:
        given: dict[str, Any] = super()._parameters(X)
        weights = self.class_weight
        if isinstance(weights, str):
            if weights != "balanced":
                raise ParameterError(
                    "class_weight must be a mapping, 'balanced' or None, got "
                    f"{weights!r}",
                    owner=type(self).__name__,
                )
            weights = self._balance
        if isinstance(weights, Mapping):
            known = set(self.classes_.tolist())
            strange = [label for label in weights if label not in known]
            if strange and known:
                raise ParameterError(
                    f"class_weight must be for classes {sorted(known)}, got "
                    f"{strange[0]!r}",
                    owner=type(self).__name__,
                )
            weights = {self._told.get(c, c): weight for c, weight in weights.items()}
        given["class_weight"] = weights
        return given


def _whole(weights: ArrayLike) -> bool:
    """Return whether weights are whole numbers, or nothing that may be a fraction."""
    try:
        numbers = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        return True  # the usual check refuses them
    return bool((numbers == np.floor(numbers)).all())
