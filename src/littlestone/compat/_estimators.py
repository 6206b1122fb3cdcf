"""What the scikit-learn classifiers share: a learner inside, and the conventions."""

from __future__ import annotations

import inspect
from dataclasses import KW_ONLY, dataclass, field
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    Self,
    TypeVar,
    get_args,
)

import numpy as np

from littlestone import _core
from littlestone.auto import Auto, MulticlassAuto
from littlestone.errors import LabelError, MissingPackageError, ParameterError, refusal
from littlestone.learner import Learner, as_repeats
from littlestone.learner.parameters import whole
from littlestone.learner.rows import as_matrix, as_rows
from littlestone.linear._base import LinearLearner, NativeLearner
from littlestone.linear._multiclass import MulticlassLearner
from littlestone.outcome import Outcome
from littlestone.running import run
from littlestone.streams import arrays

try:
    from scipy.sparse import issparse
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError:
    raise MissingPackageError(
        "it needs scikit-learn 1.6 or later, which is not installed: pip install "
        "'littlestone[sklearn]'",
        owner="littlestone.compat.sklearn",
    ) from None

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from numpy.typing import ArrayLike, NDArray

    from littlestone.running import Record

__all__ = [
    "AnyLearner",
    "Classifier",
    "Estimator",
    "LinearClassifier",
    "ManyClassClassifier",
    "MulticlassClassifier",
    "ScoringClassifier",
    "TwoClassClassifier",
    "Weights",
]

AnyLearner = TypeVar("AnyLearner", bound=Learner)
Scorer = TypeVar("Scorer", bound=NativeLearner | Auto)
Weigher = TypeVar("Weigher", bound=LinearLearner)
ManyClasses = TypeVar("ManyClasses", bound=MulticlassLearner | MulticlassAuto)
ManyWeighed = TypeVar("ManyWeighed", bound=MulticlassLearner)

_TWO = 2  # classes


class _Fitted(Generic[AnyLearner]):
    """The attributes of a fitted classifier, which are not parameters."""

    learner_: AnyLearner
    classes_: NDArray[Any]
    mistakes_: int
    n_iter_: int
    record_: Record
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    _told: dict[Any, Any]  # the learner's label for each of ours


class Estimator(_Fitted[AnyLearner]):
    """How parameters reach a learner, and rows."""

    _learner: ClassVar[type[Learner]]

    def __init_subclass__(cls, **options: Any) -> None:
        """Store the class of the learner, which the base names in brackets."""
        super().__init_subclass__(**options)
        for base in cls.__dict__.get("__orig_bases__", ()):
            for held in get_args(base):
                if isinstance(held, type):
                    cls._learner = held

    def _parameters(self, X: Any) -> dict[str, Any]:  # noqa: ARG002 - for subclasses
        """Return the parameters of a learner for these rows."""
        names = inspect.signature(self._learner).parameters
        return {name: getattr(self, name) for name in names}

    def _prepared(self, X: Any) -> Any:
        """Return rows as the learner takes them."""
        return X

    def _fits(self, X: Any) -> bool:
        """Return whether X passes a quick check; a thorough one takes very long."""
        known = self.__dict__
        if "learner_" not in known or "feature_names_in_" in known:
            return False
        if issparse(X) and X.format == "csr":
            values = X.data
        elif type(X) is np.ndarray:
            values = X
        else:
            return False
        return (
            values.dtype.char in "df"
            and X.shape[1:] == (self.n_features_in_,)
            and X.shape[0] > 0
            and bool(np.isfinite(values).all())
        )

    def _rows(self, X: Any) -> _core.Rows:
        """Return rows to predict."""
        if not self._fits(X):
            check_is_fitted(self, "learner_")
            X = validate_data(
                self,
                X,
                reset=False,
                accept_sparse="csr",
                dtype=(np.float64, np.float32),
            )
        return self._as_rows(self._prepared(X))

    def _as_rows(self, X: Any) -> _core.Rows:
        """Return rows, with named features if those of the first rows had names."""
        if not hasattr(self, "feature_names_in_"):
            return as_rows(X)
        values = as_matrix(X.toarray() if issparse(X) else X)
        return _core.named(values, self.feature_names_in_.tolist())

    def _refuse_twice(self, X: Any) -> None:
        """Refuse two columns of one name, which scikit-learn may accept."""
        names = list(getattr(X, "columns", ()))
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise refusal("duplicate", owner=type(self).__name__, feature=twice)


@dataclass(eq=False, repr=False)
class Classifier(ClassifierMixin, BaseEstimator, Estimator[AnyLearner]):  # type: ignore[misc]  # scikit-learn has no types
    """A learner with the interface of scikit-learn.

    A subclass is a dataclass whose fields are the learner's parameters, so it has a
    real signature and a constructor that only stores its arguments. The learner checks
    them when it is made.
    """

    _: KW_ONLY
    passes: int = 1
    keep: Literal["mistakes", "nothing", "updates"] = "mistakes"

    _outcome: ClassVar[Outcome] = Outcome.LABEL

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, then play the rows in order, `passes` times.

        A sample weight is a whole number: how often to play the row.
        """
        passes = whole(type(self).__name__, "passes", self.passes, low=1)
        X, y = self._checked(X, y, sample_weight, reset=True)
        if not len(y):
            raise ParameterError(
                "some sample weight must exceed zero, got none",
                owner=type(self).__name__,
            )
        self._begin(X, self._classes_of(y))
        self.record_ = self._play(X, y, passes, self.keep)
        self.n_iter_ = passes
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Play the rows in order, and continue from what was learned before.

        Parameters that were set since then take effect in the next `fit`. A sample
        weight is a whole number: how often to play the row; 0 skips it.
        """
        self.__dict__.pop("record_", None)  # it would not include these rounds
        if classes is None and sample_weight is None and self._fits(X):
            told = self._told_one(y) if X.shape[0] == 1 else None
            if told is not None:
                row = self._prepared(X)
                said = self.learner_.play_one(row if issparse(row) else row[0], told)
                self.mistakes_ += said != told
                return self
        first = "learner_" not in self.__dict__
        X, y = self._checked(X, y, sample_weight, reset=first)
        if first:
            self._begin(X, self._declared(classes))
        elif classes is not None and set(np.unique(classes)) != set(self.classes_):
            raise ParameterError(
                f"classes must be those of the first call, {self.classes_.tolist()}, "
                f"got {classes!r}",
                owner=type(self).__name__,
            )
        if len(y):
            self._play(X, y, 1, "nothing")
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row."""
        rows = self._rows(X)  # raises if not fitted
        return self._as_said(self.learner_.predict(rows))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._outcome is Outcome.CLASS
        return tags

    def _checked(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> tuple[Any, NDArray[Any]]:
        """Return rows and labels, each as often as its weight says."""
        self._refuse_twice(X)
        X, y = validate_data(
            self, X, y, reset=reset, accept_sparse="csr", dtype=(np.float64, np.float32)
        )
        check_classification_targets(y)
        if sample_weight is not None:
            repeats = as_repeats(sample_weight, len(y))
            rows = np.repeat(np.arange(len(y)), repeats)
            X, y = X[rows], y[rows]
        return X, y

    def _begin(self, X: Any, classes: NDArray[Any]) -> None:
        """Make a new learner."""
        self.__dict__.pop("record_", None)
        self._know(classes)
        learner: Any = self._learner(**self._parameters(X))
        self.learner_ = learner
        self.mistakes_ = 0
        self.n_iter_ = 1

    def _play(
        self,
        X: Any,
        y: NDArray[Any],
        passes: int,
        keep: Literal["mistakes", "nothing", "updates"],
    ) -> Record:
        self._meet(y)
        rows = self._as_rows(self._prepared(X))
        stream = arrays(rows, self._as_told(y), outcome=self._outcome)
        record = run(self.learner_, stream, passes=passes, keep=keep)
        self.mistakes_ += record.mistakes
        return record

    def _told_one(self, y: Any) -> Any:
        """Return the learner's label for a single one of ours, if there is one."""
        try:
            (label,) = y
            return self._told.get(label)
        except (TypeError, ValueError):
            return None

    def _know(self, classes: NDArray[Any]) -> None:
        self.classes_ = classes
        told = self._as_told(classes).tolist()
        self._told = dict(zip(classes.tolist(), told, strict=True))

    def _meet(self, y: NDArray[Any]) -> None:
        """Refuse a label that is not one of the classes."""
        strange = np.setdiff1d(y, self.classes_)
        if len(strange):
            raise LabelError(
                f"each label must be one of the classes {self.classes_.tolist()}, "
                f"got {strange.tolist()[0]!r}",
                owner=type(self).__name__,
            )

    # What differs between two classes and many.

    def _classes_of(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return the classes to fit."""
        raise NotImplementedError

    def _declared(self, classes: ArrayLike | None) -> NDArray[Any]:
        """Return the classes to begin with, given those of the caller."""
        raise NotImplementedError

    def _as_told(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return labels as the learner has them."""
        raise NotImplementedError

    def _as_said(self, predictions: NDArray[Any]) -> NDArray[Any]:
        """Return labels for what the learner says."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class TwoClassClassifier(Classifier[AnyLearner]):
    """A classifier of two classes; the second one, in order, means yes."""

    def _classes_of(self, y: NDArray[Any]) -> NDArray[Any]:
        classes = np.unique(y)
        if len(classes) != _TWO:
            got = "1 class" if len(classes) == 1 else f"{len(classes)} classes"
            raise ParameterError(
                "Only binary classification is supported. "
                f"{type(self).__name__}: there must be two classes, got {got}"
            )
        return classes

    def _declared(self, classes: ArrayLike | None) -> NDArray[Any]:
        if classes is None:
            raise ParameterError(
                "classes must be passed on the first call to partial_fit, got None",
                owner=type(self).__name__,
            )
        return self._classes_of(np.asarray(classes))

    def _as_told(self, y: NDArray[Any]) -> NDArray[Any]:
        yes: NDArray[Any] = y == self.classes_[1]
        return yes

    def _as_said(self, predictions: NDArray[Any]) -> NDArray[Any]:
        return self.classes_[predictions.astype(np.intp)]


@dataclass(eq=False, repr=False)
class ScoringClassifier(TwoClassClassifier[Scorer]):
    """A classifier of two classes by a score."""

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each row; 0 and above mean the second class."""
        rows = self._rows(X)  # raises if not fitted
        return self.learner_.decision_function(rows)


class Weights:
    """The weights of a classifier by feature."""

    n_features_in_: int

    def _spread(self, weights: Mapping[Any, float], rest: float) -> NDArray[np.float64]:
        """Return weights in the order of the features, `rest` for those not listed."""
        coef = np.full(self.n_features_in_, rest)
        names = getattr(self, "feature_names_in_", None)
        where = None if names is None else {n: i for i, n in enumerate(names.tolist())}
        for feature, weight in weights.items():
            coef[feature if where is None else where[feature]] = weight
        return coef

    def _named(self, coef: NDArray[np.float64]) -> dict[Any, float]:
        names = getattr(self, "feature_names_in_", np.arange(len(coef)))
        return dict(zip(names.tolist(), coef.tolist(), strict=True))


@dataclass(eq=False, repr=False)
class LinearClassifier(ScoringClassifier[Weigher], Weights):
    """A classifier of two classes that weighs each feature."""

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, in one row."""
        weights = self.learner_.weights_
        return self._spread(weights, self.learner_.initial_weight)[np.newaxis]

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """The constant term of every score: that of the bias, or minus a threshold."""
        return np.array([self.learner_.score_one({})])

    @property
    def weights_(self) -> dict[Any, float]:
        """The weights by feature: its name, or its column number."""
        return self._named(self.coef_[0])


@dataclass(eq=False, repr=False)
class ManyClassClassifier(Classifier[ManyClasses]):
    """A classifier of many classes, which may appear at any time."""

    classes: Iterable[Hashable] | None = field(default=None, kw_only=True)

    _outcome: ClassVar[Outcome] = Outcome.CLASS

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores, a column for each class; of two classes, the difference.

        The class with the largest score is predicted; of equals, the one known first.
        """
        rows = self._rows(X)  # raises if not fitted
        scores = self.learner_.decision_function(rows)
        return self._told_apart(scores[:, self._places()].T).T

    def _told_apart(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the difference of two columns; more than two unchanged."""
        return rows[1] - rows[0] if len(rows) == _TWO else rows

    def _places(self) -> list[int]:
        """Return where the learner has the classes."""
        place = {label: i for i, label in enumerate(self.learner_.classes_)}
        return [place[label] for label in self.classes_.tolist()]

    def _parameters(self, X: Any) -> dict[str, Any]:
        given = super()._parameters(X)
        if given["classes"] is None and len(self.classes_):
            given["classes"] = self.classes_.tolist()
        return given

    def _classes_of(self, y: NDArray[Any]) -> NDArray[Any]:
        return np.unique(y if self.classes is None else list(self.classes))

    def _declared(self, classes: ArrayLike | None) -> NDArray[Any]:
        if classes is None:
            return self._classes_of(np.empty(0))
        told = np.unique(classes)
        if self.classes is not None and set(told) != set(self.classes):
            raise ParameterError(
                f"classes must be those of the constructor, {self.classes!r}, got "
                f"{classes!r}",
                owner=type(self).__name__,
            )
        return told

    def _begin(self, X: Any, classes: NDArray[Any]) -> None:
        super()._begin(X, classes)
        self._grows = not len(classes)

    def _meet(self, y: NDArray[Any]) -> None:
        if not self._grows:
            super()._meet(y)
        elif len(self.classes_) and _is_text(y) != _is_text(self.classes_):
            raise LabelError(
                f"labels must be all texts or all numbers, got {y.tolist()[0]!r} "
                f"after {self.classes_.tolist()[0]!r}",
                owner=type(self).__name__,
            )

    def _play(
        self,
        X: Any,
        y: NDArray[Any],
        passes: int,
        keep: Literal["mistakes", "nothing", "updates"],
    ) -> Record:
        try:
            return super()._play(X, y, passes, keep)
        finally:
            if self._grows and self.learner_.classes_:
                self._know(np.unique(np.array(self.learner_.classes_)))

    def _as_told(self, y: NDArray[Any]) -> NDArray[Any]:
        return y

    def _as_said(self, predictions: NDArray[Any]) -> NDArray[Any]:
        return np.array(predictions.tolist(), dtype=self.classes_.dtype)


@dataclass(eq=False, repr=False)
class MulticlassClassifier(ManyClassClassifier[ManyWeighed], Weights):
    """A classifier of many classes that weighs each feature."""

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights, a row for each class; of two classes, the difference."""
        weights = self.learner_.weights_
        rows = [self._spread(weights[label], 0.0) for label in self.classes_.tolist()]
        return np.atleast_2d(self._told_apart(np.array(rows)))

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """What the constant feature adds to the score of each row of `coef_`."""
        added = self.learner_.intercept_[self._places()]
        return np.atleast_1d(self._told_apart(added))

    @property
    def weights_(self) -> dict[Any, dict[Any, float]]:
        """The weights by class and feature: its name, or its column number."""
        weights = self.learner_.weights_
        return {
            label: self._named(self._spread(weights[label], 0.0))
            for label in self.classes_.tolist()
        }


def _is_text(labels: NDArray[Any]) -> bool:
    return isinstance(labels.tolist()[0], str)
