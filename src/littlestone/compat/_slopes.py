"""Learners that follow slopes, for scikit-learn: classifiers and regressors."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import validate_data

from littlestone import linear
from littlestone.compat._class_weights import ClassWeight, WeighingClasses
from littlestone.compat._estimators import (
    Estimator,
    LinearClassifier,
    MulticlassClassifier,
    Weights,
)
from littlestone.errors import ParameterError
from littlestone.learner import as_weights
from littlestone.learner.parameters import whole
from littlestone.linear._charged import ChargedLearner, LossSpec
from littlestone.outcome import Outcome
from littlestone.running import run
from littlestone.streams import arrays

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


__all__ = [
    "AIOLI",
    "FTRL",
    "AdaGrad",
    "AdaGradRegressor",
    "CoinBetting",
    "CoinBettingRegressor",
    "ExponentiatedGradient",
    "ExponentiatedGradientRegressor",
    "FTRLRegressor",
    "GradientDescent",
    "GradientDescentRegressor",
    "MulticlassAdaGrad",
    "VovkAzouryWarmuth",
]

Follower = TypeVar("Follower", bound=ChargedLearner)


def _gives_chances(estimator: Any) -> bool:
    return bool(estimator.loss == "logistic")


@dataclass(eq=False, repr=False)
class SlopeClassifier(WeighingClasses[Follower], LinearClassifier[Follower]):
    """A classifier of two classes by a loss of its score."""

    loss: LossSpec

    @available_if(_gives_chances)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, a row each; with logistic loss."""
        rows = self._rows(X)  # raises if not fitted
        return self.learner_.predict_proba(rows)

    @available_if(_gives_chances)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities; with logistic loss."""
        with np.errstate(divide="ignore"):
            logs: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logs

    def _parameters(self, X: Any) -> dict[str, Any]:
        given = super()._parameters(X)
        if self.loss not in ("logistic", "hinge"):
            raise ParameterError(
                f"a classifier must have loss='logistic' or 'hinge', got {self.loss!r}",
                owner=type(self).__name__,
            )
        return given


@dataclass(eq=False, repr=False)
class SlopeRegressor(RegressorMixin, BaseEstimator, Estimator[Follower], Weights):  # type: ignore[misc]  # scikit-learn has no types
    """A learner of numbers with the interface of scikit-learn."""

    _: KW_ONLY
    passes: int = 1
    keep: Literal["mistakes", "nothing", "updates"] = "nothing"

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forget everything, then play the rows in order, `passes` times.

        A sample weight is a number of at least 0, by which the loss is multiplied.
        """
        passes = whole(type(self).__name__, "passes", self.passes, low=1)
        X, y = self._numbers(X, y, reset=True)
        self.__dict__.pop("record_", None)
        learner: Any = self._learner(**self._parameters(X))
        self.learner_ = learner
        rows = self._as_rows(X)
        if sample_weight is None:
            stream = arrays(rows, y, outcome="number")
            self.record_ = run(self.learner_, stream, passes=passes, keep=self.keep)
        else:
            weights = as_weights(sample_weight, len(y))
            if not weights.any():
                raise ParameterError(
                    "some sample weight must exceed zero, got none",
                    owner=type(self).__name__,
                )
            for _ in range(passes):
                self.learner_.play(rows, y, weights)
        self.n_iter_ = passes
        return self

    def partial_fit(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Play the rows in order, and continue from what was learned before."""
        if "learner_" not in self.__dict__:
            more = () if sample_weight is None else (sample_weight,)
            return self.fit(X, y, *more)
        self.__dict__.pop("record_", None)  # it would not include these rounds
        X, y = self._numbers(X, y, reset=False)
        self.learner_.play(self._as_rows(X), y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of each row."""
        rows = self._rows(X)  # raises if not fitted
        return self.learner_.predict(rows)

    @property
    def coef_(self) -> NDArray[np.float64]:
        """The weights."""
        return self._spread(self.learner_.weights_, 0.0)

    @property
    def intercept_(self) -> float:
        """What the constant feature adds to every score."""
        return self.learner_.intercept_

    @property
    def weights_(self) -> dict[Any, float]:
        """The weights by feature: its name, or its column number."""
        return self._named(self.coef_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # One pass over a few rows that are not scaled is little to learn from.
        tags.regressor_tags.poor_score = True
        return tags

    class_weight: ClassVar[None] = None  # numbers have no classes

    def _parameters(self, X: Any) -> dict[str, Any]:
        given = super()._parameters(X)
        if self._learner(**given).outcome is not Outcome.NUMBER:
            raise ParameterError(
                "a regressor must have a loss of numbers, such as 'square', got "
                f"{self.loss!r}",
                owner=type(self).__name__,
            )
        return given

    def _numbers(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, NDArray[Any]]:
        """Return rows and outcomes."""
        self._refuse_twice(X)
        X, y = validate_data(
            self,
            X,
            y,
            reset=reset,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            y_numeric=True,
        )
        return X, y


@dataclass(eq=False, repr=False)
class GradientDescent(SlopeClassifier[linear.GradientDescent]):
    """Online gradient descent, `littlestone.linear.GradientDescent`, as a classifier.

    Parameters
    ----------
    loss
        `"logistic"`, with `predict_proba`, or `"hinge"`.
    rate
        The length of a step, above 0.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import GradientDescent
    >>> X, y = [[1.0], [-1.0]], ["ham", "spam"]
    >>> classifier = GradientDescent(passes=100).fit(X, y)
    >>> classifier.predict_proba([[1.0]]).round(1).tolist()
    [[0.9, 0.1]]
    """

    loss: LossSpec = "logistic"
    rate: float = 0.1
    _: KW_ONLY
    bias: float = 1.0
    class_weight: ClassWeight = None


@dataclass(eq=False, repr=False)
class AdaGrad(SlopeClassifier[linear.AdaGrad]):
    """AdaGrad, `littlestone.linear.AdaGrad`, as a classifier.

    Parameters
    ----------
    loss
        `"logistic"`, with `predict_proba`, or `"hinge"`.
    rate
        How far the first gradient moves a weight, above 0.
    normalize
        Divide each value by the largest of its feature so far.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import AdaGrad
    >>> X, y = [[1e6, 1.0], [-1e6, 1.0]], [0, 1]
    >>> AdaGrad(passes=5).fit(X, y).predict(X).tolist()
    [0, 1]
    """

    loss: LossSpec = "logistic"
    rate: float = 1.0
    _: KW_ONLY
    normalize: bool = True
    bias: float = 1.0
    class_weight: ClassWeight = None


@dataclass(eq=False, repr=False)
class CoinBetting(SlopeClassifier[linear.CoinBetting]):
    """Coin betting, `littlestone.linear.CoinBetting`, as a classifier: no rate.

    Parameters
    ----------
    loss
        `"logistic"`, with `predict_proba`, or `"hinge"`.
    wealth
        How much the features of an example share when they first bet.
    scale
        The largest size of a gradient; None finds out.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import CoinBetting
    >>> X, y = [[1e6, 1.0], [-1e6, 1.0]], [0, 1]
    >>> CoinBetting(passes=5).fit(X, y).predict(X).tolist()
    [0, 1]
    """

    loss: LossSpec = "logistic"
    wealth: float = 4.0
    _: KW_ONLY
    scale: float | None = None
    bias: float = 1.0
    class_weight: ClassWeight = None


@dataclass(eq=False, repr=False)
class AIOLI(SlopeClassifier[linear.AIOLI]):
    """AIOLI, `littlestone.linear.AIOLI`, as a classifier: few columns, cautious.

    Parameters
    ----------
    a
        How much the length of weights counts, above 0.
    reach
        How large scores may be where its quadratics are still below the loss.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import AIOLI
    >>> X, y = [[1.0], [-1.0]], ["ham", "spam"]
    >>> AIOLI(passes=20).fit(X, y).predict_proba([[1.0]]).round(1).tolist()
    [[1.0, 0.0]]
    """

    loss: LossSpec = field(default="logistic", init=False)
    a: float = 0.1
    reach: float = 3.0
    _: KW_ONLY
    bias: float = 1.0
    class_weight: ClassWeight = None


@dataclass(eq=False, repr=False)
class MulticlassAdaGrad(
    WeighingClasses[linear.MulticlassAdaGrad],
    MulticlassClassifier[linear.MulticlassAdaGrad],
):
    """AdaGrad for many classes, with the probability of each.

    The learner is `littlestone.linear.MulticlassAdaGrad`.

    Parameters
    ----------
    rate
        How far the first gradient moves a weight, above 0.
    normalize
        Divide each value by the largest of its feature so far.
    classes
        All classes; of equal scores, the first one wins. By default `fit` takes those
        of its labels, and `partial_fit` adds them as they appear.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import MulticlassAdaGrad
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["ant", "bird", "cat"]
    >>> classifier = MulticlassAdaGrad(passes=20).fit(X, y)
    >>> classifier.predict(X).tolist(), classifier.predict_proba(X).shape
    (['ant', 'bird', 'cat'], (3, 3))
    """

    rate: float = 1.0
    _: KW_ONLY
    normalize: bool = True
    classes: Iterable[Any] | None = None
    bias: float = 1.0
    class_weight: ClassWeight = None

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, a row an example."""
        rows = self._rows(X)  # raises if not fitted
        return self.learner_.predict_proba(rows)[:, self._places()]

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            logs: NDArray[np.float64] = np.log(self.predict_proba(X))
        return logs


@dataclass(eq=False, repr=False)
class GradientDescentRegressor(SlopeRegressor[linear.GradientDescent]):
    """Online gradient descent, `littlestone.linear.GradientDescent`, for numbers.

    Parameters
    ----------
    loss
        `"absolute"`; a `"square"` needs a rate that fits its columns; `"poisson"`,
        `losses.pinball(tau)` or `losses.huber(delta)`.
    rate
        The length of a step, above 0.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import GradientDescentRegressor
    >>> X, y = [[1.0], [2.0]], [2.0, 4.0]
    >>> regressor = GradientDescentRegressor("square", bias=0, passes=200).fit(X, y)
    >>> regressor.predict([[3.0]]).round(3).tolist()
    [6.0]
    """

    loss: LossSpec = "absolute"
    rate: float = 0.1
    _: KW_ONLY
    bias: float = 1.0


@dataclass(eq=False, repr=False)
class AdaGradRegressor(SlopeRegressor[linear.AdaGrad]):
    """AdaGrad, `littlestone.linear.AdaGrad`, for numbers.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` or
        `losses.huber(delta)`.
    rate
        How far the first gradient moves a weight, above 0.
    normalize
        Divide each value by the largest of its feature so far.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import AdaGradRegressor
    >>> X, y = [[1e6], [2e6]], [2.0, 4.0]
    >>> regressor = AdaGradRegressor(bias=0, passes=100).fit(X, y)
    >>> regressor.predict([[1.5e6]]).round(3).tolist()
    [3.0]
    """

    loss: LossSpec = "square"
    rate: float = 1.0
    _: KW_ONLY
    normalize: bool = True
    bias: float = 1.0


@dataclass(eq=False, repr=False)
class CoinBettingRegressor(SlopeRegressor[linear.CoinBetting]):
    """Coin betting, `littlestone.linear.CoinBetting`, for numbers: no rate.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` or
        `losses.huber(delta)`.
    wealth
        How much the features of an example share when they first bet.
    scale
        The largest size of a gradient; None finds out.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import CoinBettingRegressor
    >>> X, y = [[1e6], [2e6]], [2.0, 4.0]
    >>> regressor = CoinBettingRegressor(bias=0, passes=100).fit(X, y)
    >>> regressor.predict([[1.5e6]]).round(1).tolist()
    [3.0]
    """

    loss: LossSpec = "square"
    wealth: float = 4.0
    _: KW_ONLY
    scale: float | None = None
    bias: float = 1.0


@dataclass(eq=False, repr=False)
class FTRL(SlopeClassifier[linear.FTRL]):
    """Follow the regularized leader, `littlestone.linear.FTRL`, with sparse weights.

    Parameters
    ----------
    loss
        `"logistic"`, with `predict_proba`, or `"hinge"`.
    rate
        The size of steps, above 0.
    l1, l2
        The penalties of weights and of their squares; larger for sparser models.
    normalize
        Divide each value by the largest of its feature so far.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import FTRL
    >>> X, y = [[1.0, 1.0], [-1.0, 1.0]], [0, 1]
    >>> FTRL(passes=20).fit(X, y).predict(X).tolist()
    [0, 1]
    """

    loss: LossSpec = "logistic"
    rate: float = 1.0
    l1: float = 1.0
    l2: float = 0.0
    _: KW_ONLY
    normalize: bool = True
    bias: float = 1.0
    class_weight: ClassWeight = None


@dataclass(eq=False, repr=False)
class FTRLRegressor(SlopeRegressor[linear.FTRL]):
    """Follow the regularized leader, `littlestone.linear.FTRL`, for numbers.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` or
        `losses.huber(delta)`.
    rate
        The size of steps, above 0.
    l1, l2
        The penalties of weights and of their squares; larger for sparser models.
    normalize
        Divide each value by the largest of its feature so far.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import FTRLRegressor
    >>> X, y = [[1.0], [2.0]], [2.0, 4.0]
    >>> made = FTRLRegressor(l1=0, bias=0, passes=200).fit(X, y)
    >>> made.predict([[1.5]]).round(1).tolist()
    [3.0]
    """

    loss: LossSpec = "square"
    rate: float = 1.0
    l1: float = 1.0
    l2: float = 0.0
    _: KW_ONLY
    normalize: bool = True
    bias: float = 1.0


@dataclass(eq=False, repr=False)
class ExponentiatedGradient(SlopeClassifier[linear.ExponentiatedGradient]):
    """Exponentiated gradient, `littlestone.linear.ExponentiatedGradient`.

    Parameters
    ----------
    loss
        `"logistic"`, with `predict_proba`, or `"hinge"`.
    rate
        The length of a step, above 0.
    scale
        From which size on weights are multiplied, above 0.
    bias
        The value of a constant feature; 0 for none.
    class_weight
        How often rounds count by their class; `"balanced"` weighs classes alike.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import ExponentiatedGradient
    >>> X, y = [[1.0, 1.0], [-1.0, 1.0]], [0, 1]
    >>> ExponentiatedGradient(passes=20).fit(X, y).predict(X).tolist()
    [0, 1]
    """

    loss: LossSpec = "logistic"
    rate: float = 0.1
    scale: float = 0.1
    _: KW_ONLY
    bias: float = 1.0
    class_weight: ClassWeight = None


@dataclass(eq=False, repr=False)
class ExponentiatedGradientRegressor(SlopeRegressor[linear.ExponentiatedGradient]):
    """Exponentiated gradient for numbers: few of many features matter.

    Parameters
    ----------
    loss
        `"square"`, `"absolute"`, `"poisson"`, `losses.pinball(tau)` or
        `losses.huber(delta)`.
    rate
        The length of a step, above 0.
    scale
        From which size on weights are multiplied, above 0.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import ExponentiatedGradientRegressor
    >>> X, y = [[1.0], [2.0]], [2.0, 4.0]
    >>> made = ExponentiatedGradientRegressor("square", rate=0.1, bias=0, passes=200)
    >>> made.fit(X, y).predict([[3.0]]).round(0).tolist()
    [6.0]
    """

    loss: LossSpec = "absolute"
    rate: float = 0.001
    scale: float = 0.1
    _: KW_ONLY
    bias: float = 1.0


@dataclass(eq=False, repr=False)
class VovkAzouryWarmuth(SlopeRegressor[linear.VovkAzouryWarmuth]):
    """Vovk, Azoury and Warmuth, `littlestone.linear.VovkAzouryWarmuth`.

    Parameters
    ----------
    a
        How much the length of weights counts, above 0.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import VovkAzouryWarmuth
    >>> X, y = [[1.0], [2.0]], [2.0, 4.0]
    >>> made = VovkAzouryWarmuth(a=0.01, bias=0, passes=200).fit(X, y)
    >>> made.predict([[1.5]]).round(1).tolist()
    [3.0]
    """

    a: float = 1.0
    _: KW_ONLY
    bias: float = 1.0

    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # it takes no weights
        """Forget everything, then play the rows in order, `passes` times."""
        return super().fit(X, y)

    def partial_fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]  # as `fit`
        """Play the rows in order, and continue from what was learned before."""
        return super().partial_fit(X, y)
