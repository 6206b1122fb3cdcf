"""Our learners as River's classifiers, for pipelines, metrics and evaluation.

Each class has the name and the parameters of the learner that it holds, and `learner`
is that learner itself, with its weights or its rule, its theorems and its model file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from littlestone import auto, boolean, experts, linear
from littlestone.compat._river import (
    BooleanClassifier,
    LinearClassifier,
    Wrapping,
    base,
    linear_model,
)
from littlestone.compat._river_classes import (
    MulticlassAdaGrad,
    MulticlassAROW,
    MulticlassAuto,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    MulticlassSecondOrder,
)
from littlestone.compat._river_slopes import (
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
    VovkAzouryWarmuth,
)
from littlestone.errors import ParameterError
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.experts._base import ExpertLearner
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
    "CommitteeClassifier",
    "CommitteeRegressor",
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


# Linear learners of two labels --------------------------------------------------


class Auto(LinearClassifier[auto.Auto]):
    """The untuned committee of linear learners, as `littlestone.Auto`.

    Examples
    --------
    >>> from littlestone.compat.river import Auto
    >>> model = Auto()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_one({"cheap": 1})
    False
    """

    def __init__(
        self,
        members: Mapping[str, Any] | None = None,
        *,
        bias: float = 1.0,
        beta: float = 0.8,
        narrow: int = 300,
    ) -> None:
        self._begin(auto.Auto(members, bias=bias, beta=beta, narrow=narrow))

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[bool, float]:
        """Return the calibrated probabilities of no and yes."""
        return self.learner.predict_proba_one(x)

    def _chances(self, X: Any) -> NDArray[np.float64]:
        return self.learner.predict_proba(X)[:, 1]


class Perceptron(LinearClassifier[linear.Perceptron]):
    """The Perceptron; parameters as of `littlestone.linear.Perceptron`.

    Examples
    --------
    >>> from littlestone.compat.river import Perceptron
    >>> model = Perceptron()
    >>> model.learn_one({"cheap": 1, "pills": 2}, False)
    >>> model.predict_one({"pills": 1})
    False
    >>> model.learner.weights_
    {'cheap': -1.0, 'pills': -2.0}
    """

    def __init__(
        self,
        *,
        update: Literal["mistake", "margin"] = "mistake",
        normalize: bool = False,
        bias: float = 0.0,
        strict: bool = False,
    ) -> None:
        learner = linear.Perceptron(
            update=update, normalize=normalize, bias=bias, strict=strict
        )
        self._begin(learner)
        self.strict = strict  # which the learner names only if it is set


class AveragedPerceptron(LinearClassifier[linear.AveragedPerceptron]):
    """The averaged Perceptron, as `littlestone.linear.AveragedPerceptron`.

    Examples
    --------
    >>> from littlestone.compat.river import AveragedPerceptron
    >>> model = AveragedPerceptron()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_one({"cheap": 1})
    False
    """

    def __init__(self, *, bias: float = 0.0) -> None:
        self._begin(linear.AveragedPerceptron(bias=bias))


class VotedPerceptron(LinearClassifier[linear.VotedPerceptron]):
    """The voted Perceptron, as `littlestone.linear.VotedPerceptron`.

    Examples
    --------
    >>> from littlestone.compat.river import VotedPerceptron
    >>> model = VotedPerceptron()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_one({"cheap": 1})
    False
    """

    def __init__(self, *, bias: float = 0.0) -> None:
        self._begin(linear.VotedPerceptron(bias=bias))


class KernelPerceptron(LinearClassifier[linear.KernelPerceptron]):
    """The kernel Perceptron, as `littlestone.linear.KernelPerceptron`.

    Examples
    --------
    >>> from littlestone.compat.river import KernelPerceptron
    >>> model = KernelPerceptron("gaussian", budget=100)
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_one({"cheap": 1})
    False
    """

    def __init__(
        self,
        kernel: Literal["linear", "polynomial", "gaussian"] | KernelFunction = "linear",
        *,
        degree: int = 3,
        gamma: float = 1.0,
        offset: float = 1.0,
        update: Literal["mistake", "margin"] = "mistake",
        budget: int | None = None,
        seed: int = 0,
    ) -> None:
        self._begin(
            linear.KernelPerceptron(
                kernel,
                degree=degree,
                gamma=gamma,
                offset=offset,
                update=update,
                budget=budget,
                seed=seed,
            )
        )


class PassiveAggressive(LinearClassifier[linear.PassiveAggressive]):
    """The passive-aggressive learner, as `littlestone.linear.PassiveAggressive`.

    Examples
    --------
    >>> from littlestone.compat.river import PassiveAggressive
    >>> model = PassiveAggressive()
    >>> model.learn_one({"cheap": 2.0}, False)
    >>> model.learner.weights_
    {'cheap': -0.5}
    """

    def __init__(self, C: float = 1.0, mode: Mode = "I", *, bias: float = 0.0) -> None:
        self._begin(linear.PassiveAggressive(C, mode, bias=bias))


class AROW(LinearClassifier[linear.AROW]):
    """Adaptive regularization of weights, as `littlestone.linear.AROW`.

    Examples
    --------
    >>> from littlestone.compat.river import AROW
    >>> model = AROW()
    >>> model.learn_one({"cheap": 1.0}, False)
    >>> model.learner.weights_
    {'cheap': -0.5}
    """

    def __init__(
        self, r: float = 1.0, diagonal: bool = True, *, bias: float = 0.0
    ) -> None:
        self._begin(linear.AROW(r, diagonal, bias=bias))


class SecondOrderPerceptron(LinearClassifier[linear.SecondOrderPerceptron]):
    """The second-order Perceptron, as `littlestone.linear.SecondOrderPerceptron`.

    Examples
    --------
    >>> from littlestone.compat.river import SecondOrderPerceptron
    >>> model = SecondOrderPerceptron()
    >>> model.learn_one({"cheap": 1.0}, False)
    >>> model.predict_one({"cheap": 1.0})
    False
    """

    def __init__(
        self, r: float = 1.0, diagonal: bool = True, *, bias: float = 0.0
    ) -> None:
        self._begin(linear.SecondOrderPerceptron(r, diagonal, bias=bias))


class Winnow(LinearClassifier[linear.Winnow]):
    """Winnow, for features from 0 to 1, as `littlestone.linear.Winnow`.

    Examples
    --------
    >>> from littlestone.compat.river import Winnow
    >>> model = Winnow(threshold=2)
    >>> model.learn_one({"cheap": 1}, True)
    >>> model.learner.weights_
    {'cheap': 2.0}
    """

    def __init__(
        self, *, threshold: float, promotion: float = 2.0, eliminate: bool = False
    ) -> None:
        self._begin(
            linear.Winnow(threshold=threshold, promotion=promotion, eliminate=eliminate)
        )

    def _more_tags(self) -> set[str]:
        return {base.tags.POSITIVE_INPUT}

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"threshold": 4.0}


class BalancedWinnow(LinearClassifier[linear.BalancedWinnow]):
    """Balanced Winnow, as `littlestone.linear.BalancedWinnow`.

    Features lie between -`scale` and `scale`.

    Examples
    --------
    >>> from littlestone.compat.river import BalancedWinnow
    >>> model = BalancedWinnow(0.5)
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_one({"cheap": 1})
    False
    """

    def __init__(self, rate: float, scale: float = 1.0, *, bias: float = 0.0) -> None:
        self._begin(linear.BalancedWinnow(rate, scale, bias=bias))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"rate": 0.1}


# Learners of rules --------------------------------------------------------------


class ConjunctionLearner(BooleanClassifier[boolean.ConjunctionLearner]):
    """Learn "a and not b", as `littlestone.boolean.ConjunctionLearner`.

    A feature is true if its value exceeds `true_threshold`, as for River's
    `BernoulliNB`.

    Examples
    --------
    >>> from littlestone.compat.river import ConjunctionLearner
    >>> model = ConjunctionLearner()
    >>> model.learn_one({"cheap": 0.5, "pills": 1}, True)
    >>> model.learn_one({"pills": 1}, True)
    >>> print(model.learner.concept_)
    pills
    """

    def __init__(
        self,
        *,
        monotone: bool = False,
        features: int | Iterable[Feature] | None = None,
        true_threshold: float = 0.0,
    ) -> None:
        learner = boolean.ConjunctionLearner(monotone=monotone, features=features)
        self._begin_rule(learner, true_threshold)


class DisjunctionLearner(BooleanClassifier[boolean.DisjunctionLearner]):
    """Learn "a or not b", as `littlestone.boolean.DisjunctionLearner`.

    A feature is true if its value exceeds `true_threshold`.

    Examples
    --------
    >>> from littlestone.compat.river import DisjunctionLearner
    >>> model = DisjunctionLearner(monotone=True)
    >>> model.learn_one({"cheap": 1, "pills": 1}, True)
    >>> model.learn_one({"cheap": 1}, False)
    >>> print(model.learner.concept_)
    pills
    """

    def __init__(
        self,
        *,
        monotone: bool = False,
        features: int | Iterable[Feature] | None = None,
        true_threshold: float = 0.0,
    ) -> None:
        learner = boolean.DisjunctionLearner(monotone=monotone, features=features)
        self._begin_rule(learner, true_threshold)


class KCNFLearner(BooleanClassifier[boolean.KCNFLearner]):
    """Learn "(a or b) and (c or not d)", as `littlestone.boolean.KCNFLearner`.

    A feature is true if its value exceeds `true_threshold`.

    Examples
    --------
    >>> from littlestone.compat.river import KCNFLearner
    >>> model = KCNFLearner(2, features=["a", "b"])
    >>> for x in ({"a": 1}, {"b": 1}, {"a": 1, "b": 1}):
    ...     model.learn_one(x, True)
    >>> print(model.learner.concept_)
    (a or b)
    """

    def __init__(
        self,
        k: int,
        *,
        features: int | Iterable[Feature] | None = None,
        true_threshold: float = 0.0,
    ) -> None:
        self._begin_rule(boolean.KCNFLearner(k, features=features), true_threshold)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"k": 2}


class KDNFLearner(BooleanClassifier[boolean.KDNFLearner]):
    """Learn "(a and b) or (c and not d)", as `littlestone.boolean.KDNFLearner`.

    A feature is true if its value exceeds `true_threshold`.

    Examples
    --------
    >>> from littlestone.compat.river import KDNFLearner
    >>> model = KDNFLearner(2, features=["a", "b"])
    >>> for x in ({"a": 1}, {"b": 1}, {}):
    ...     model.learn_one(x, False)
    >>> print(model.learner.concept_)
    (a and b)
    """

    def __init__(
        self,
        k: int,
        *,
        features: int | Iterable[Feature] | None = None,
        true_threshold: float = 0.0,
    ) -> None:
        self._begin_rule(boolean.KDNFLearner(k, features=features), true_threshold)

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"k": 2}


class WinnowDNF(BooleanClassifier[boolean.WinnowDNF]):
    """Weigh terms, so that wrong labels do no harm, as `littlestone.boolean.WinnowDNF`.

    A feature is true if its value exceeds `true_threshold`.

    Examples
    --------
    >>> from littlestone.compat.river import WinnowDNF
    >>> model = WinnowDNF(1, features=["a", "b"])
    >>> for _ in range(4):
    ...     model.learn_one({"a": 1}, True)
    >>> model.predict_one({"a": 1}), model.learner.terms_["a"]
    (True, 2.25)
    """

    def __init__(
        self,
        k: int = 2,
        *,
        features: int | Iterable[Feature] | None = None,
        threshold: float | None = None,
        promotion: float = 1.5,
        true_threshold: float = 0.0,
    ) -> None:
        self._begin_rule(
            boolean.WinnowDNF(
                k, features=features, threshold=threshold, promotion=promotion
            ),
            true_threshold,
        )

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"k": 2}


class DecisionListLearner(BooleanClassifier[boolean.DecisionListLearner]):
    """Learn "if a then yes, else …", as `littlestone.boolean.DecisionListLearner`.

    A feature is true if its value exceeds `true_threshold`.

    Examples
    --------
    >>> from littlestone.compat.river import DecisionListLearner
    >>> model = DecisionListLearner()
    >>> for x, y in [({"a": 1}, False), ({"b": 1}, True)] * 4:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"a": 1}), model.predict_one({"b": 1})
    (False, True)
    """

    def __init__(
        self,
        k: int = 1,
        *,
        features: int | Iterable[Feature] | None = None,
        true_threshold: float = 0.0,
    ) -> None:
        learner = boolean.DecisionListLearner(k, features=features)
        self._begin_rule(learner, true_threshold)


# Committees ---------------------------------------------------------------------


class CommitteeClassifier(Wrapping[experts.Committee], base.Classifier):
    """Combine classifiers of two labels, as `littlestone.experts.Committee` does.

    With a rule for probabilities, such as `ExponentialWeights(1.0, "log")`, there is
    `predict_proba_one`, the weighted mean of the members' probabilities.

    Examples
    --------
    >>> from river import naive_bayes
    >>> from littlestone.compat.river import CommitteeClassifier, Perceptron
    >>> model = CommitteeClassifier([Perceptron(), naive_bayes.BernoulliNB()])
    >>> for x, y in [({"a": 1}, True), ({"b": 1}, False), ({"b": 1}, False)]:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"b": 1})
    False
    >>> model.learner.losses_
    {0: 1.0, 1: 1.0}
    """

    def __init__(
        self,
        learners: Mapping[Any, Any] | Sequence[Any],
        rule: ExpertLearner | None = None,
    ) -> None:
        self._begin(experts.Committee(learners, rule))
        if self.learner.outcome is Outcome.NUMBER:
            raise ParameterError(
                f"rule must be one for labels or probabilities, got {rule!r}",
                owner="CommitteeClassifier",
            )

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        """Let the rule learn from the members' predictions, then let them learn."""
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[Any, Any]) -> bool:
        """Combine the predictions of all members; change nothing."""
        return bool(self.learner.predict_one(x) >= 0.5)  # noqa: PLR2004 - more likely

    def predict_proba_one(self, x: dict[Any, Any]) -> dict[bool, float]:
        """Return the probability of each label, if the rule combines those."""
        if self.learner.outcome is Outcome.LABEL:
            raise NotImplementedError
        yes = self.learner.predict_one(x)
        return {False: 1 - yes, True: yes}

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        learners = [Perceptron(), AROW()]
        yield {"learners": learners}
        yield {"learners": learners, "rule": experts.ExponentialWeights(1.0, "log")}


class CommitteeRegressor(Wrapping[experts.Committee], base.Regressor):
    """Combine regressors, as `littlestone.experts.Committee` does.

    The default rule is `MLPoly()`: nothing to tune, and losses of any size.

    Examples
    --------
    >>> from river import dummy, stats
    >>> from littlestone.compat.river import CommitteeRegressor
    >>> members = {"mean": stats.Mean(), "sum": stats.Sum()}
    >>> model = CommitteeRegressor(
    ...     {name: dummy.StatisticRegressor(told) for name, told in members.items()}
    ... )
    >>> for y in [1.0, 1.0, 1.0]:
    ...     model.learn_one({}, y)
    >>> model.predict_one({})
    1.0
    >>> model.learner.losses_
    {'mean': 1.0, 'sum': 2.0}
    """

    rule: ExpertLearner | None

    def __init__(
        self,
        learners: Mapping[Any, Any] | Sequence[Any],
        rule: ExpertLearner | None = None,
    ) -> None:
        self._begin(experts.Committee(learners, rule or experts.MLPoly()))
        self.rule = rule  # as it was given: River compares a clone with it
        if self.learner.outcome is not Outcome.NUMBER:
            raise ParameterError(
                f"rule must be one for numbers, got {rule!r}",
                owner="CommitteeRegressor",
            )

    def learn_one(self, x: dict[Any, Any], y: float) -> None:
        """Let the rule learn from the members' predictions, then let them learn."""
        self.learner.learn_one(x, y)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """Combine the predictions of all members; change nothing."""
        return float(self.learner.predict_one(x))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"learners": [linear_model.LinearRegression(l2=l2) for l2 in (0.0, 0.1)]}
