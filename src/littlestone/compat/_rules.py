"""Learners of rules, for scikit-learn."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import boolean
from littlestone.compat._estimators import (
    AnyLearner,
    TwoClassClassifier,
)
from littlestone.errors import ParameterError
from littlestone.learner.parameters import finite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.concepts import Feature

__all__ = [
    "ConjunctionLearner",
    "DecisionListLearner",
    "DisjunctionLearner",
    "KCNFLearner",
    "KDNFLearner",
    "WinnowDNF",
]


@dataclass(eq=False, repr=False)
class _RuleClassifier(TwoClassClassifier[AnyLearner]):
    """A classifier that learns a Boolean rule: `learner_.concept_`."""

    _: KW_ONLY
    binarize: float | None = 0.0

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # a rule fits, or it does not
        return tags

    def _prepared(self, X: Any) -> Any:
        if self.binarize is None:
            return X
        level = finite(type(self).__name__, "binarize", self.binarize)
        if not hasattr(X, "tocsr"):
            return np.greater(X, level)
        if level < 0:
            raise ParameterError(
                "binarize must be at least 0 for sparse rows, as a missing entry is "
                f"false, got {self.binarize!r}",
                owner=type(self).__name__,
            )
        X = X.copy()
        X.data = (X.data > level).astype(np.float64)
        return X


@dataclass(eq=False, repr=False)
class ConjunctionLearner(_RuleClassifier[boolean.ConjunctionLearner]):
    """Learn "a and not b and c": `littlestone.boolean.ConjunctionLearner`.

    Parameters
    ----------
    monotone
        Learn a conjunction without negations.
    features
        The number of columns, or the names of all features; None adds them as they
        appear.
    binarize
        A feature is true if its value exceeds this; None refuses values other than 0
        and 1.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> import pandas
    >>> from littlestone.compat.sklearn import ConjunctionLearner
    >>> X = pandas.DataFrame({"warm": [1, 1, 0, 1], "wet": [0, 1, 0, 0]})
    >>> y = ["no", "yes", "no", "no"]
    >>> print(ConjunctionLearner().fit(X, y).learner_.concept_)
    warm and wet
    """

    _: KW_ONLY
    monotone: bool = False
    features: int | Iterable[Feature] | None = None


@dataclass(eq=False, repr=False)
class DisjunctionLearner(_RuleClassifier[boolean.DisjunctionLearner]):
    """Learn "a or not b or c": `littlestone.boolean.DisjunctionLearner`.

    Parameters
    ----------
    monotone
        Learn a disjunction without negations.
    features
        The number of columns, or the names of all features; None adds them as they
        appear.
    binarize
        A feature is true if its value exceeds this; None refuses values other than 0
        and 1.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import DisjunctionLearner
    >>> X, y = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [1, 0, 0]
    >>> print(DisjunctionLearner(monotone=True).fit(X, y).learner_.concept_)
    x0
    """

    _: KW_ONLY
    monotone: bool = False
    features: int | Iterable[Feature] | None = None


@dataclass(eq=False, repr=False)
class KCNFLearner(_RuleClassifier[boolean.KCNFLearner]):
    """Learn a conjunction of clauses: `littlestone.boolean.KCNFLearner`.

    Parameters
    ----------
    k
        How many literals a clause has at most.
    features
        The number of columns, or the names of all features; None adds them as they
        appear.
    binarize
        A feature is true if its value exceeds this; None refuses values other than 0
        and 1.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    Either of two, and not both:

    >>> from littlestone.compat.sklearn import KCNFLearner
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KCNFLearner(k=2, passes=2).fit(X, y).predict(X).tolist()
    [0, 1, 1, 0]
    """

    k: int = 2
    _: KW_ONLY
    features: int | Iterable[Feature] | None = None


@dataclass(eq=False, repr=False)
class KDNFLearner(_RuleClassifier[boolean.KDNFLearner]):
    """Learn a disjunction of terms: `littlestone.boolean.KDNFLearner`.

    Parameters
    ----------
    k
        How many literals a term has at most.
    features
        The number of columns, or the names of all features; None adds them as they
        appear.
    binarize
        A feature is true if its value exceeds this; None refuses values other than 0
        and 1.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import KDNFLearner
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KDNFLearner(k=2, passes=2).fit(X, y).predict(X).tolist()
    [0, 1, 1, 0]
    """

    k: int = 2
    _: KW_ONLY
    features: int | Iterable[Feature] | None = None


@dataclass(eq=False, repr=False)
class WinnowDNF(_RuleClassifier[boolean.WinnowDNF]):
    """Weigh terms, so that wrong labels do no harm: `littlestone.boolean.WinnowDNF`.

    Parameters
    ----------
    k
        How many literals a term has at most.
    features
        The number of columns, or the names of all features; None adds them as they
        appear.
    threshold, promotion
        The threshold of the vote, and the factor of a weight.
    binarize
        A feature is true if its value exceeds this; None refuses values other than 0
        and 1.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import WinnowDNF
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> WinnowDNF(k=2, features=2, passes=9).fit(X, y).predict(X).tolist()
    [0, 1, 1, 0]
    """

    k: int = 2
    _: KW_ONLY
    features: int | Iterable[Feature] | None = None
    threshold: float | None = None
    promotion: float = 1.5


@dataclass(eq=False, repr=False)
class DecisionListLearner(_RuleClassifier[boolean.DecisionListLearner]):
    """Learn "if a then yes, else …": `littlestone.boolean.DecisionListLearner`.

    Parameters
    ----------
    k
        How many literals the condition of a rule has at most.
    features
        The number of columns, or the names of all features; None adds them as they
        appear.
    binarize
        A feature is true if its value exceeds this; None refuses values other than 0
        and 1.
    passes, keep
        How often `fit` plays the rows, and what `record_` keeps: see `littlestone.run`.

    Examples
    --------
    >>> from littlestone.compat.sklearn import DecisionListLearner
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 0, 0]
    >>> DecisionListLearner(passes=4).fit(X, y).predict(X).tolist()
    [0, 1, 0, 0]
    """

    k: int = 1
    _: KW_ONLY
    features: int | Iterable[Feature] | None = None
