"""The learners as scikit-learn classifiers, for pipelines, searches and scores.

Names and parameters are those of the learners themselves; if a learner requires a
number, the classifier has a default, as scikit-learn demands. Rows are played in order
and never shuffled, so dense and sparse rows give the same bits as the learner itself.
That learner is `learner_`: its theorems are `learner_.guarantees`, and it can be saved,
run and certified.

All of them have two more parameters: `passes`, how often `fit` plays the rows, and
`keep`, what `record_` keeps of that, as in `littlestone.run`. The attributes of a
fitted classifier are:

- `learner_`: the learner; it knows features by name if the columns of `X` have names;
- `classes_`: the labels, in order; the second of two is the learner's yes;
- `mistakes_`: in how many rounds the prediction was not the label, each predicted
  before it was learned from; `record_` after `fit`: the record of these rounds;
- `coef_`, `intercept_` and, by feature, `weights_`, if each feature has a weight;
- `n_features_in_`, `feature_names_in_` and `n_iter_`, as in scikit-learn.

A sample weight is a whole number: how often to play the row; learners that follow
slopes take any number, by which the loss is multiplied. The first `partial_fit` of
a classifier of two classes needs `classes`; with many classes, new ones may appear.
"""

from __future__ import annotations

import sys
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone import auto, linear
from littlestone.compat._estimators import (
    LinearClassifier,
    ManyClassClassifier,
    MulticlassClassifier,
    ScoringClassifier,
)
from littlestone.compat._rules import (
    ConjunctionLearner,
    DecisionListLearner,
    DisjunctionLearner,
    KCNFLearner,
    KDNFLearner,
    WinnowDNF,
)
from littlestone.compat._slopes import (
    AIOLI,
    FTRL,
    AdaGrad,
    AdaGradRegressor,
    CoinBetting,
    CoinBettingRegressor,
    ExponentiatedGradient,
    ExponentiatedGradientRegressor,
    FTRLRegressor,
    GradientDescent,
    GradientDescentRegressor,
    MulticlassAdaGrad,
    VovkAzouryWarmuth,
)
from littlestone.errors import ParameterError
from littlestone.learner.parameters import positive

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from littlestone.linear._aggressive import Mode
    from littlestone.linear.kernel_perceptron import KernelFunction

__all__ = [
    "AIOLI",
    "AROW",
    "FTRL",
    "AdaGrad",
    "AdaGradRegressor",
    "Auto",
    "AveragedPerceptron",
    "BalancedWinnow",
    "CoinBetting",
    "CoinBettingRegressor",
    "ConjunctionLearner",
    "DecisionListLearner",
    "DisjunctionLearner",
    "ExponentiatedGradient",
    "ExponentiatedGradientRegressor",
    "FTRLRegressor",
    "GradientDescent",
    "GradientDescentRegressor",
    "KCNFLearner",
    "KDNFLearner",
    "KernelPerceptron",
    "MulticlassAROW",
    "MulticlassAdaGrad",
    "MulticlassAuto",
    "MulticlassPassiveAggressive",
    "MulticlassPerceptron",
    "MulticlassSecondOrder",
    "PassiveAggressive",
    "Perceptron",
    "SecondOrderPerceptron",
    "VotedPerceptron",
    "VovkAzouryWarmuth",
    "Winnow",
    "WinnowDNF",
]


@dataclass(eq=False, repr=False)
class Auto(ScoringClassifier[auto.Auto]):
    """The untuned committee of linear learners, `littlestone.Auto`.

    Parameters
    ----------
    members
        A mapping from name to linear learner, in place of the pool.
    bias
        The value of the constant feature of the members in the pool.
    beta
        By what a mistake multiplies a member's weight; between 0 and 1.
    narrow
        How many features a learner with a full matrix takes at most.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import Auto
    >>> X, y = [[1.0, 0.0], [0.0, 1.0]] * 5, ["ham", "spam"] * 5
    >>> Auto().fit(X, y).predict(X[:2]).tolist()
    ['ham', 'spam']
    """

    members: Mapping[str, Any] | None = None
    _: KW_ONLY
    bias: float = 1.0
    beta: float = 0.8
    narrow: int = 300

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the calibrated probabilities of both classes, a row an example."""
        rows = self._rows(X)  # raises if not fitted
        return self.learner_.predict_proba(rows)


@dataclass(eq=False, repr=False)
class Perceptron(LinearClassifier[linear.Perceptron]):
    """The Perceptron, `littlestone.linear.Perceptron`, as a classifier.

    Parameters
    ----------
    update
        `"mistake"` updates when the prediction was wrong, `"margin"` on a correct tie
        as well.
    normalize
        Scale each example to length 1 first.
    bias
        The value of a constant feature; 0 for none, so that `intercept_` is 0.
    strict
        Say the second class only if the score exceeds 0, so that a tie is the first.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import Perceptron
    >>> X, y = [[1.0, 1.0], [-1.0, 1.0], [1.0, -1.0]], ["ham", "spam", "ham"]
    >>> classifier = Perceptron(passes=2).fit(X, y)
    >>> classifier.predict(X).tolist(), classifier.mistakes_
    (['ham', 'spam', 'ham'], 2)
    >>> classifier.coef_.tolist()
    [[-2.0, 0.0]]
    """

    _: KW_ONLY
    update: Literal["mistake", "margin"] = "mistake"
    normalize: bool = False
    bias: float = 0.0
    strict: bool = False


@dataclass(eq=False, repr=False)
class AveragedPerceptron(LinearClassifier[linear.AveragedPerceptron]):
    """The averaged Perceptron, `littlestone.linear.AveragedPerceptron`.

    Parameters
    ----------
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import AveragedPerceptron
    >>> X, y = [[1.0], [1.0], [1.0]], [1, 0, 1]
    >>> AveragedPerceptron().fit(X, y).coef_.round(3).tolist()
    [[-0.333]]
    """

    _: KW_ONLY
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class VotedPerceptron(ScoringClassifier[linear.VotedPerceptron]):
    """The voted Perceptron, `littlestone.linear.VotedPerceptron`.

    All past vectors vote, so there is no `coef_`, and predictions get slower with every
    mistake.

    Parameters
    ----------
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import VotedPerceptron
    >>> X, y = [[1.0], [1.0], [1.0], [1.0]], [1, 0, 0, 1]
    >>> VotedPerceptron().fit(X, y).decision_function([[1.0]]).tolist()
    [0.0]
    """

    _: KW_ONLY
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class KernelPerceptron(ScoringClassifier[linear.KernelPerceptron]):
    """The kernel Perceptron, `littlestone.linear.KernelPerceptron`.

    Parameters
    ----------
    kernel
        `"linear"`, `"polynomial"`, `"gaussian"`, or a function of two mappings.
    degree
        The degree of the polynomial kernel.
    gamma
        The factor in the polynomial and the Gaussian kernel.
    offset
        What the polynomial kernel adds; at least 0.
    update
        `"mistake"` updates when the prediction was wrong, `"margin"` on a correct tie
        as well.
    budget
        How many examples to keep at most; None for all of them.
    seed
        What the random choices on a budget start from.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    Exclusive or, which no line separates:

    >>> from littlestone.compat.sklearn import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KernelPerceptron("gaussian", gamma=2.0, passes=3).fit(X, y).score(X, y)
    1.0
    """

    kernel: Literal["linear", "polynomial", "gaussian"] | KernelFunction = "linear"
    _: KW_ONLY
    degree: int = 3
    gamma: float = 1.0
    offset: float = 1.0
    update: Literal["mistake", "margin"] = "mistake"
    budget: int | None = None
    seed: int = 0


@dataclass(eq=False, repr=False)
class PassiveAggressive(LinearClassifier[linear.PassiveAggressive]):
    """Passive-Aggressive, `littlestone.linear.PassiveAggressive`.

    Parameters
    ----------
    C
        How aggressive a change may be; mode None does without it.
    mode
        `"I"`, `"II"` or None.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import PassiveAggressive
    >>> X, y = [[2.0, 1.0], [-2.0, -1.0]], [1, 0]
    >>> PassiveAggressive(mode=None).fit(X, y).coef_.tolist()
    [[0.4, 0.2]]
    """

    C: float = 1.0
    mode: Mode = "I"
    _: KW_ONLY
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class AROW(LinearClassifier[linear.AROW]):
    """Adaptive regularization of weight vectors, `littlestone.linear.AROW`.

    Parameters
    ----------
    r
        How little a single example changes; above 0.
    diagonal
        Keep the diagonal of the matrix only.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import AROW
    >>> AROW().fit([[1.0, 0.0], [0.0, 1.0]], [0, 1]).coef_.tolist()
    [[-0.5, 0.5]]
    """

    r: float = 1.0
    diagonal: bool = True
    _: KW_ONLY
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class SecondOrderPerceptron(LinearClassifier[linear.SecondOrderPerceptron]):
    """The second-order Perceptron, `littlestone.linear.SecondOrderPerceptron`.

    With `diagonal` an example counts in its own score, which is then not quite that of
    `coef_`.

    Parameters
    ----------
    r
        What the matrix starts with; above 0.
    diagonal
        Keep the diagonal of the matrix only.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import SecondOrderPerceptron
    >>> X, y = [[1.0, 2.0], [-1.0, 0.0]], [0, 1]
    >>> SecondOrderPerceptron().fit(X, y).coef_.tolist()
    [[-0.5, -0.4]]
    """

    r: float = 1.0
    diagonal: bool = True
    _: KW_ONLY
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class Winnow(LinearClassifier[linear.Winnow]):
    """Winnow, `littlestone.linear.Winnow`, for nonnegative features.

    Winnow takes values from 0 to 1, so larger ones are divided by a scale. A value
    below 0 or above the scale is refused, in `predict` too: put a
    `MinMaxScaler(clip=True)` in front if that may happen.

    Parameters
    ----------
    threshold
        The score from which it says yes, at least 1; None for the number of features.
    promotion
        The factor that rewards a missed weight, above 1.
    eliminate
        Drop the active weights on a false alarm; values are then 0 or the scale.
    scale
        The divisor of the values; None for the largest in the first rows, or 1 if none
        is larger.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Attributes
    ----------
    scale_
        The divisor of the values before they reach `learner_`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import Winnow
    >>> X, y = [[1, 0, 1], [0, 0, 1], [0, 1, 0]], [1, 0, 1]
    >>> classifier = Winnow(passes=20).fit(X, y)
    >>> classifier.coef_.tolist(), classifier.intercept_.tolist()
    ([[2.0, 4.0, 2.0]], [-3.0])
    """

    _: KW_ONLY
    threshold: float | None = None
    promotion: float = 2.0
    eliminate: bool = False
    scale: float | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # more of a feature is never a no
        return tags

    @property
    def coef_(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The weights, in one row, for values that are not scaled."""
        return super().coef_ / self.scale_

    def _parameters(self, X: Any) -> dict[str, Any]:
        self.scale_ = (
            max(1.0, float(X.max()))
            if self.scale is None
            else positive("Winnow", "scale", self.scale)
        )
        given = super()._parameters(X)
        if self.threshold is None:
            given["threshold"] = self.n_features_in_
        return given

    def _prepared(self, X: Any) -> Any:
        if X.min() < 0:
            raise ParameterError(
                f"Negative values in data: each must be at least 0, got {X.min()!s}",
                owner="Winnow",
            )
        if X.max() > self.scale_:
            raise ParameterError(
                f"each value must be at most the scale {self.scale_!s}, from `scale` "
                f"or the first rows, got {X.max()!s}",
                owner="Winnow",
            )
        return X if self.scale_ == 1 else X / self.scale_


@dataclass(eq=False, repr=False)
class BalancedWinnow(LinearClassifier[linear.BalancedWinnow]):
    """Balanced Winnow, `littlestone.linear.BalancedWinnow`.

    Parameters
    ----------
    rate
        How much a mistake changes the logarithm of a weight; above 0.
    scale
        The largest size of a value; examples with larger ones are refused. None takes
        values of any size, but then no theorem holds.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import BalancedWinnow
    >>> X, y = [[1.0, -0.5], [0.0, 1.0]], [0, 1]
    >>> BalancedWinnow(rate=0.5).fit(X, y).coef_.round(3).tolist()
    [[-0.521, 0.253]]
    """

    rate: float = 0.1
    scale: float | None = None
    _: KW_ONLY
    bias: float = 0.0

    def _parameters(self, X: Any) -> dict[str, Any]:
        given = super()._parameters(X)
        return given | ({"scale": _NO_LIMIT} if self.scale is None else {})


# The largest scale whose square is finite, as theorems need it.
_NO_LIMIT = 2.0 ** (sys.float_info.max_exp // 2 - 1)


@dataclass(eq=False, repr=False)
class MulticlassPerceptron(MulticlassClassifier[linear.MulticlassPerceptron]):
    """The Perceptron for many classes, `littlestone.linear.MulticlassPerceptron`.

    Parameters
    ----------
    classes
        All classes; of equal scores, the first one wins. By default `fit` takes those
        of its labels, and `partial_fit` adds them as they appear.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import MulticlassPerceptron
    >>> classifier = MulticlassPerceptron()
    >>> classifier.partial_fit([[1.0, 0.0]], ["bird"]).classes_.tolist()
    ['bird']
    >>> classifier.partial_fit([[0.0, 1.0]], ["ant"]).classes_.tolist()
    ['ant', 'bird']
    >>> classifier.predict([[0.0, 1.0]]).tolist()
    ['ant']
    """

    classes: Iterable[Any] | None = None
    _: KW_ONLY
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class MulticlassPassiveAggressive(
    MulticlassClassifier[linear.MulticlassPassiveAggressive]
):
    """Passive-Aggressive for many classes.

    The learner is `littlestone.linear.MulticlassPassiveAggressive`.

    Parameters
    ----------
    C
        How aggressive a change may be; mode None does without it.
    mode
        `"I"`, `"II"` or None.
    classes
        All classes; of equal scores, the first one wins. By default `fit` takes those
        of its labels, and `partial_fit` adds them as they appear.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import MulticlassPassiveAggressive
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["ant", "bird", "cat"]
    >>> MulticlassPassiveAggressive(passes=10).fit(X, y).predict(X).tolist()
    ['ant', 'bird', 'cat']
    """

    C: float = 1.0
    mode: Mode = "I"
    _: KW_ONLY
    classes: Iterable[Any] | None = None
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class MulticlassAuto(ManyClassClassifier[auto.MulticlassAuto]):
    """The untuned committee of learners of classes, `littlestone.MulticlassAuto`.

    Parameters
    ----------
    members
        A mapping from name to linear learner of classes, in place of the pool.
    classes
        All classes; of equal votes, the first one wins. By default `fit` takes those
        of its labels, and `partial_fit` adds them as they appear.
    bias
        The value of the constant feature of the members in the pool.
    beta
        By what a mistake multiplies a member's weight; between 0 and 1.
    narrow
        How many features a learner with a full matrix takes at most.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import MulticlassAuto
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["ant", "bird", "cat"]
    >>> MulticlassAuto(passes=20).fit(X, y).predict(X).tolist()
    ['ant', 'bird', 'cat']
    """

    members: Mapping[str, Any] | None = None
    _: KW_ONLY
    classes: Iterable[Any] | None = None
    bias: float = 1.0
    beta: float = 0.8
    narrow: int = 300

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the calibrated probability of each class, a row an example.

        Where another class than that of `predict` is more probable, the two are
        exchanged, as scikit-learn expects the most probable one to be predicted.
        """
        rows = self._rows(X)  # raises if not fitted
        chances = self.learner_.predict_proba(rows)[:, self._places()]
        every = np.arange(len(chances))
        said = np.searchsorted(self.classes_, self.predict(X))
        best = chances.argmax(axis=1)
        low, high = chances[every, said], chances[every, best]
        chances[every, best], chances[every, said] = low, high
        return chances


@dataclass(eq=False, repr=False)
class MulticlassAROW(MulticlassClassifier[linear.MulticlassAROW]):
    """AROW for each of many classes.

    The learner is `littlestone.linear.MulticlassAROW`.

    Parameters
    ----------
    r
        How little a single example changes; above 0.
    diagonal
        Keep the diagonals of the matrices only.
    classes
        All classes; of equal scores, the first one wins. By default `fit` takes those
        of its labels, and `partial_fit` adds them as they appear.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import MulticlassAROW
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["ant", "bird", "cat"]
    >>> MulticlassAROW(0.1, passes=20, bias=1.0).fit(X, y).predict(X).tolist()
    ['ant', 'bird', 'cat']
    """

    r: float = 1.0
    diagonal: bool = True
    _: KW_ONLY
    classes: Iterable[Any] | None = None
    bias: float = 0.0


@dataclass(eq=False, repr=False)
class MulticlassSecondOrder(MulticlassClassifier[linear.MulticlassSecondOrder]):
    """A second-order Perceptron for each of many classes.

    The learner is `littlestone.linear.MulticlassSecondOrder`. With `diagonal` an
    example counts in its own scores, which are then not quite those of `coef_`.

    Parameters
    ----------
    r
        How little a single example changes; above 0.
    diagonal
        Keep the diagonals of the matrices only.
    classes
        All classes; of equal scores, the first one wins. By default `fit` takes those
        of its labels, and `partial_fit` adds them as they appear.
    bias
        The value of a constant feature; 0 for none.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import MulticlassSecondOrder
    >>> X, y = [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["ant", "bird", "cat"]
    >>> MulticlassSecondOrder(0.1, passes=20, bias=1.0).fit(X, y).predict(X).tolist()
    ['ant', 'bird', 'cat']
    """

    r: float = 1.0
    diagonal: bool = True
    _: KW_ONLY
    classes: Iterable[Any] | None = None
    bias: float = 0.0
