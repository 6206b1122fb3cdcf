"""Learners that follow slopes, for River: classifiers and regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone import linear
from littlestone.compat._river import LinearClassifier, LinearRegressor

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from littlestone.linear._charged import LossSpec

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
    "VovkAzouryWarmuth",
]


class AIOLI(LinearClassifier[linear.AIOLI]):
    """AIOLI for labels, as `littlestone.linear.AIOLI`: few columns, cautious.

    Examples
    --------
    >>> from littlestone.compat.river import AIOLI
    >>> model = AIOLI()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_proba_one({"cheap": 1})[False] > 0.5
    True
    """

    def __init__(
        self,
        a: float = 0.1,
        reach: float = 3.0,
        *,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self._begin(linear.AIOLI(a, reach, bias=bias, class_weight=class_weight))
        self.class_weight = class_weight


class GradientDescent(LinearClassifier[linear.GradientDescent]):
    """Gradient descent for labels, as `littlestone.linear.GradientDescent`.

    Examples
    --------
    >>> from littlestone.compat.river import GradientDescent
    >>> model = GradientDescent()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_proba_one({"cheap": 1})[False] > 0.5
    True
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 0.1,
        *,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self._begin(
            linear.GradientDescent(loss, rate, bias=bias, class_weight=class_weight)
        )
        self.class_weight = class_weight


class GradientDescentRegressor(LinearRegressor[linear.GradientDescent]):
    """Gradient descent for numbers, as `littlestone.linear.GradientDescent`.

    A square loss needs a rate that fits its columns.

    Examples
    --------
    >>> from littlestone.compat.river import GradientDescentRegressor
    >>> model = GradientDescentRegressor("square", bias=0)
    >>> for _ in range(200):
    ...     model.learn_one({"size": 2.0}, 6.0)
    >>> round(model.predict_one({"size": 1.0}), 2)
    3.0
    """

    def __init__(
        self,
        loss: LossSpec = "absolute",
        rate: float = 0.1,
        *,
        bias: float = 1.0,
    ) -> None:
        self._begin_numbers(linear.GradientDescent(loss, rate, bias=bias))


class AdaGrad(LinearClassifier[linear.AdaGrad]):
    """AdaGrad for labels, as `littlestone.linear.AdaGrad`.

    Examples
    --------
    >>> from littlestone.compat.river import AdaGrad
    >>> model = AdaGrad()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_proba_one({"cheap": 1})[False] > 0.5
    True
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 1.0,
        *,
        normalize: bool = True,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self._begin(
            linear.AdaGrad(
                loss, rate, normalize=normalize, bias=bias, class_weight=class_weight
            )
        )
        self.class_weight = class_weight


class AdaGradRegressor(LinearRegressor[linear.AdaGrad]):
    """AdaGrad for numbers, as `littlestone.linear.AdaGrad`.

    Examples
    --------
    >>> from littlestone.compat.river import AdaGradRegressor
    >>> model = AdaGradRegressor(bias=0)
    >>> for _ in range(200):
    ...     model.learn_one({"size": 2.0}, 6.0)
    >>> round(model.predict_one({"size": 1.0}), 2)
    3.0
    """

    def __init__(
        self,
        loss: LossSpec = "square",
        rate: float = 1.0,
        *,
        normalize: bool = True,
        bias: float = 1.0,
    ) -> None:
        self._begin_numbers(linear.AdaGrad(loss, rate, normalize=normalize, bias=bias))


class CoinBetting(LinearClassifier[linear.CoinBetting]):
    """Coin betting for labels, as `littlestone.linear.CoinBetting`.

    Examples
    --------
    >>> from littlestone.compat.river import CoinBetting
    >>> model = CoinBetting()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_proba_one({"cheap": 1})[False] > 0.5
    True
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        wealth: float = 4.0,
        *,
        scale: float | None = None,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self._begin(
            linear.CoinBetting(
                loss, wealth, scale=scale, bias=bias, class_weight=class_weight
            )
        )
        self.class_weight = class_weight


class CoinBettingRegressor(LinearRegressor[linear.CoinBetting]):
    """Coin betting for numbers, as `littlestone.linear.CoinBetting`.

    Examples
    --------
    >>> from littlestone.compat.river import CoinBettingRegressor
    >>> model = CoinBettingRegressor(bias=0)
    >>> for _ in range(200):
    ...     model.learn_one({"size": 2.0}, 6.0)
    >>> round(model.predict_one({"size": 1.0}), 2)
    3.0
    """

    def __init__(
        self,
        loss: LossSpec = "square",
        wealth: float = 4.0,
        *,
        scale: float | None = None,
        bias: float = 1.0,
    ) -> None:
        self._begin_numbers(linear.CoinBetting(loss, wealth, scale=scale, bias=bias))


class FTRL(LinearClassifier[linear.FTRL]):
    """FTRL for labels, as `littlestone.linear.FTRL`.

    Examples
    --------
    >>> from littlestone.compat.river import FTRL
    >>> model = FTRL()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_proba_one({"cheap": 1})[False] > 0.5
    True
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 1.0,
        l1: float = 1.0,
        l2: float = 0.0,
        *,
        normalize: bool = True,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self._begin(
            linear.FTRL(
                loss,
                rate,
                l1,
                l2,
                normalize=normalize,
                bias=bias,
                class_weight=class_weight,
            )
        )
        self.class_weight = class_weight


class FTRLRegressor(LinearRegressor[linear.FTRL]):
    """FTRL for numbers, as `littlestone.linear.FTRL`.

    Examples
    --------
    >>> from littlestone.compat.river import FTRLRegressor
    >>> model = FTRLRegressor(l1=0, bias=0)
    >>> for _ in range(200):
    ...     model.learn_one({"size": 2.0}, 6.0)
    >>> round(model.predict_one({"size": 1.0}))
    3
    """

    def __init__(
        self,
        loss: LossSpec = "square",
        rate: float = 1.0,
        l1: float = 1.0,
        l2: float = 0.0,
        *,
        normalize: bool = True,
        bias: float = 1.0,
    ) -> None:
        self._begin_numbers(
            linear.FTRL(loss, rate, l1, l2, normalize=normalize, bias=bias)
        )


class ExponentiatedGradient(LinearClassifier[linear.ExponentiatedGradient]):
    """Exponentiated gradient, as `littlestone.linear.ExponentiatedGradient`.

    Examples
    --------
    >>> from littlestone.compat.river import ExponentiatedGradient
    >>> model = ExponentiatedGradient()
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.learn_one({"cheap": 1}, False)
    >>> model.predict_proba_one({"cheap": 1})[False] > 0.5
    True
    """

    def __init__(
        self,
        loss: LossSpec = "logistic",
        rate: float = 0.1,
        scale: float = 0.1,
        *,
        bias: float = 1.0,
        class_weight: Mapping[bool, float] | None = None,
    ) -> None:
        self._begin(
            linear.ExponentiatedGradient(
                loss, rate, scale, bias=bias, class_weight=class_weight
            )
        )
        self.class_weight = class_weight


class ExponentiatedGradientRegressor(LinearRegressor[linear.ExponentiatedGradient]):
    """For numbers, as `littlestone.linear.ExponentiatedGradient`.

    Examples
    --------
    >>> from littlestone.compat.river import ExponentiatedGradientRegressor
    >>> model = ExponentiatedGradientRegressor("square", 0.01, bias=0)
    >>> for _ in range(200):
    ...     model.learn_one({"size": 2.0}, 6.0)
    >>> round(model.predict_one({"size": 1.0}))
    3
    """

    def __init__(
        self,
        loss: LossSpec = "absolute",
        rate: float = 0.001,
        scale: float = 0.1,
        *,
        bias: float = 1.0,
    ) -> None:
        self._begin_numbers(linear.ExponentiatedGradient(loss, rate, scale, bias=bias))

    @classmethod
    def _unit_test_params(cls) -> Iterator[dict[str, Any]]:
        yield {"rate": 1e-9}  # some of River's columns are in the millions


class VovkAzouryWarmuth(LinearRegressor[linear.VovkAzouryWarmuth]):
    """The best regression, as `littlestone.linear.VovkAzouryWarmuth`.

    Examples
    --------
    >>> from littlestone.compat.river import VovkAzouryWarmuth
    >>> model = VovkAzouryWarmuth(bias=0)
    >>> for _ in range(200):
    ...     model.learn_one({"size": 2.0}, 6.0)
    >>> round(model.predict_one({"size": 1.0}))
    3
    """

    def __init__(
        self,
        a: float = 1.0,
        *,
        bias: float = 1.0,
    ) -> None:
        self._begin_numbers(linear.VovkAzouryWarmuth(a, bias=bias))
