"""Learners that follow slopes, for River: classifiers and regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone import linear
from littlestone.compat._river import LinearClassifier, LinearRegressor

if TYPE_CHECKING:
    from littlestone.linear._charged import LossSpec

__all__ = [
    "AdaGrad",
    "AdaGradRegressor",
    "CoinBetting",
    "CoinBettingRegressor",
    "GradientDescent",
    "GradientDescentRegressor",
]


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
    ) -> None:
        self._begin(linear.GradientDescent(loss, rate, bias=bias))


class GradientDescentRegressor(LinearRegressor[linear.GradientDescent]):
    """Gradient descent for numbers, as `littlestone.linear.GradientDescent`.

    A square loss needs a rate that fits its columns.

    Examples
    --------
    >>> from littlestone.compat.river import GradientDescentRegressor
    >>> model = GradientDescentRegressor(bias=0)
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
    ) -> None:
        self._begin(linear.AdaGrad(loss, rate, normalize=normalize, bias=bias))


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
    ) -> None:
        self._begin(linear.CoinBetting(loss, wealth, scale=scale, bias=bias))


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
