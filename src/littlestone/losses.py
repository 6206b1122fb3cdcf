"""What a prediction costs once the outcome is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from littlestone.errors import ExampleError, LabelError, ParameterError
from littlestone.outcome import Outcome

__all__ = [
    "ABSOLUTE",
    "BRIER",
    "HINGE",
    "LOG",
    "LOGISTIC",
    "PERCENTAGE",
    "POISSON",
    "SQUARE",
    "ZERO_ONE",
    "Loss",
    "as_loss",
    "custom",
    "huber",
    "pinball",
]

# Takes a prediction and an outcome, numbers or arrays, and gives the same.
Charge: TypeAlias = Callable[[Any, Any], Any]


@dataclass(frozen=True, repr=False)
class Loss:
    r"""A loss: what a prediction costs once the outcome is known.

    Make one with `pinball`, `huber`, `custom` or `as_loss`, or take a constant of this
    module.

    | name | loss of $p$ at $y$ | slope in $p$ |
    |---|---|---|
    | zero-one | $1[p \ne y]$ | none |
    | absolute | $\lvert p - y \rvert$ | $\mathrm{sign}(p - y)$, 0 at a tie |
    | square | $(p - y)^2$ | $2(p - y)$ |
    | log | $-\ln p$ if $y = 1$, $-\ln(1 - p)$ if $y = 0$ | $\frac{1-y}{1-p} - \frac yp$ |
    | brier | $2(p - y)^2$ | $4(p - y)$ |
    | pinball | $\tau(y - p)$ if $y \ge p$, else $(1 - \tau)(p - y)$ | $1[y < p] - \tau$ |
    | percentage | $\lvert p - y \rvert / \lvert y \rvert$ | $\mathrm{sign}(p - y) / \lvert y \rvert$ |
    | huber | $\frac12 (p - y)^2$ up to $\lvert p - y \rvert = \delta$, then $\delta(\lvert p - y \rvert - \frac\delta2)$ | $p - y$, at most $\delta$ in size |
    | logistic | $\ln(1 + e^{-ys})$ | $-y / (1 + e^{ys})$ |
    | hinge | $\max(0, 1 - ys)$ | $-y$ if $ys < 1$, else 0 |
    | poisson | $e^s - ys$ | $e^s - y$ |

    The last three charge a score $s$ and not the prediction that follows from it, which
    is yes from 0 on, with probability $1/(1 + e^{-s})$ by logistic, and $e^s$ by
    poisson; $y$ is -1 or +1 for logistic and hinge. Learners from features take them,
    and also square, absolute, pinball and huber, where the prediction is the score.

    For log and brier $p$ is the probability of a yes. `of_distribution` takes one
    probability for each of $K$ outcomes instead.

    Attributes
    ----------
    name
        What it is called.
    value
        The loss of a prediction at an outcome; broadcasts as NumPy does.
    slope
        The derivative of `value` in the prediction, at a kink one of the subgradients;
        None where it is unknown.
    low, high
        Between which numbers a loss lies.
    outcome
        What is predicted: a label, a number or a distribution.
    tau
        The level of a pinball loss, None for others.
    native
        The number by which the native core charges experts; -1 if it cannot.
    delta
        Where a huber loss turns from a square into a line, None for others.
    of_score
        Whether it charges a score, so that experts cannot be charged by it.

    Examples
    --------
    >>> from littlestone import losses
    >>> losses.SQUARE.value(3, 1), losses.SQUARE.slope(3, 1)
    (4.0, 4.0)
    >>> losses.ABSOLUTE.value([1.0, 2.0, 5.0], 2.0).tolist()
    [1.0, 0.0, 3.0]
    """  # noqa: E501 - a row of a table is one line

    name: str
    value: Charge
    slope: Charge | None = None
    low: float = -math.inf
    high: float = math.inf
    outcome: Outcome = Outcome.NUMBER
    tau: float | None = None
    native: int = -1
    delta: float | None = None
    of_score: bool = False

    @property
    def linear(self) -> bool:
        """Whether learners from features take it.

        Examples
        --------
        >>> from littlestone import losses
        >>> losses.LOGISTIC.linear, losses.BRIER.linear
        (True, False)
        """
        known = self.native in (1, 2, _PINBALL)  # absolute, square
        return known or self.of_score or self.delta is not None

    def of_distribution(self, p: Any, y: Any) -> Any:
        r"""Return the loss of distributions over $K$ outcomes; log and brier only.

        Log is $-\ln p_y$, brier $\sum_k (p_k - 1[k = y])^2$.

        Parameters
        ----------
        p
            Probabilities, the last axis one for each outcome.
        y
            The outcomes, each a number from 0 to $K - 1$; broadcasts against the other
            axes of `p`.

        Examples
        --------
        >>> from littlestone import losses
        >>> losses.BRIER.of_distribution([0.5, 0.25, 0.25], 0)
        0.375
        >>> losses.LOG.of_distribution([[0.5, 0.5], [1.0, 0.0]], [0, 0]).tolist()
        [0.6931471805599453, 0.0]
        """
        p, hit = self._distributions(p, y)
        if self.name == "log":
            with np.errstate(divide="ignore"):  # -ln 0 is infinite, and meant to be
                return _plain(0.0 - np.log(np.sum(p * hit, axis=-1)))
        return _plain(np.sum(np.square(p - hit), axis=-1))

    def slope_of_distribution(self, p: Any, y: Any) -> Any:
        """Return the derivatives of `of_distribution`, one for each probability.

        Examples
        --------
        >>> from littlestone import losses
        >>> losses.LOG.slope_of_distribution([0.5, 0.25, 0.25], 0).tolist()
        [-2.0, 0.0, 0.0]
        >>> losses.BRIER.slope_of_distribution([0.5, 0.25, 0.25], 0).tolist()
        [-1.0, 0.5, 0.5]
        """
        p, hit = self._distributions(p, y)
        if self.name == "log":
            with np.errstate(divide="ignore"):
                return np.divide(-1.0, p, out=np.zeros(hit.shape), where=hit)
        return 2.0 * (p - hit)

    def _distributions(self, p: Any, y: Any) -> tuple[Any, Any]:
        """Return the probabilities, and which of them belongs to the outcome."""
        if self.outcome is not Outcome.DISTRIBUTION:
            raise ParameterError(
                f"only log and brier take distributions, got {self!r}", owner=self.name
            )
        p = _probabilities(self.name, p)
        if p.ndim == 0:
            raise ParameterError(
                "a distribution must have one probability for each outcome, got "
                f"{p.item()!r}",
                owner=self.name,
            )
        y = np.asarray(y)
        outside = np.ones(y.shape, dtype=bool)
        if y.dtype.kind in "biuf":
            outside = ~((y >= 0) & (y < p.shape[-1]) & (y == np.floor(y)))
        if outside.any():
            raise LabelError(
                f"an outcome must be a whole number from 0 to {p.shape[-1] - 1}, got "
                f"{y[outside].flat[0].item()!r}",
                owner=self.name,
            )
        hit = y.astype(np.int64)[..., np.newaxis] == np.arange(p.shape[-1])
        p, hit = np.broadcast_arrays(p, hit)
        return p, hit

    def __repr__(self) -> str:
        if self.native == _PINBALL:
            return f"losses.pinball({self.tau!r})"
        if self.delta is not None:
            return f"losses.huber({self.delta!r})"
        if self.native >= 0 or self.of_score:
            return f"losses.{self.name.upper().replace('-', '_')}"
        value = getattr(self.value, "__qualname__", repr(self.value))
        slope = getattr(self.slope, "__qualname__", repr(self.slope))
        given = "" if self.slope is None else f", slope={slope}"
        return f"losses.custom({value}{given}, name={self.name!r})"


def pinball(tau: float) -> Loss:
    r"""Return the pinball loss, which the $\tau$-quantile of the outcomes makes least.

    $\tau(y - p)$ if $y \ge p$, else $(1 - \tau)(p - y)$; its slope at $p = y$ is
    $-\tau$.

    Parameters
    ----------
    tau
        The level of the quantile, between 0 and 1.

    Examples
    --------
    >>> from littlestone import losses
    >>> loss = losses.pinball(0.75)
    >>> loss.value(2.0, 6.0), loss.value(6.0, 2.0)
    (3.0, 1.0)
    >>> loss
    losses.pinball(0.75)
    """
    try:
        level = float(tau)
    except (TypeError, ValueError):
        level = math.nan
    if not 0 < level < 1:
        raise ParameterError(
            f"tau must lie between 0 and 1, got {tau!r}", owner="pinball"
        )
    return Loss(
        "pinball",
        _Pinball(level),
        _PinballSlope(level),
        low=0.0,
        tau=level,
        native=_PINBALL,
    )


def huber(delta: float) -> Loss:
    r"""Return the Huber loss: a square near the outcome, a line far from it.

    $\frac12 (p - y)^2$ up to $|p - y| = \delta$, then $\delta(|p - y| - \delta/2)$, so
    that an outlier pulls no more than $\delta$.

    Parameters
    ----------
    delta
        Where the square turns into a line; above 0.

    Examples
    --------
    >>> from littlestone import losses
    >>> loss = losses.huber(2.0)
    >>> loss.value(1.0, 0.0), loss.value(10.0, 0.0), loss.slope(10.0, 0.0)
    (0.5, 18.0, 2.0)
    >>> loss
    losses.huber(2.0)
    """
    try:
        bend = float(delta)
    except (TypeError, ValueError):
        bend = math.nan
    if not 0 < bend < math.inf:
        raise ParameterError(
            f"delta must be a finite number above 0, got {delta!r}", owner="huber"
        )
    return Loss("huber", _Huber(bend), _HuberSlope(bend), low=0.0, delta=bend)


def custom(value: Charge, slope: Charge | None = None, name: str | None = None) -> Loss:
    """Return a loss of your own.

    Parameters
    ----------
    value
        The loss, a function of a prediction and an outcome. It should take arrays too.
    slope
        Its derivative in the prediction. Learners that follow gradients need it.
    name
        What to call it; the name of the function unless given.

    Examples
    --------
    >>> from littlestone import losses
    >>> def shortfall(prediction, outcome):
    ...     return (outcome - prediction) * (outcome > prediction)
    >>> losses.custom(shortfall)
    losses.custom(shortfall, name='shortfall')
    >>> losses.custom(shortfall).value(2, 5)
    3
    """
    if not callable(value):
        raise ParameterError(f"value must be a function, got {value!r}", owner="custom")
    if slope is not None and not callable(slope):
        raise ParameterError(
            f"slope must be a function or None, got {slope!r}", owner="custom"
        )
    if name is None:
        name = getattr(value, "__name__", type(value).__name__)
    if not isinstance(name, str) or not name:
        raise ParameterError(f"name must be a text, got {name!r}", owner="custom")
    return Loss(name, value, slope)


def as_loss(spec: str | Loss | Charge) -> Loss:
    """Return the loss of that name; a loss as it is; a function as a `custom` loss.

    Examples
    --------
    >>> from littlestone import losses
    >>> losses.as_loss("zero-one")
    losses.ZERO_ONE
    >>> losses.as_loss(losses.pinball(0.9))
    losses.pinball(0.9)
    """
    if isinstance(spec, Loss):
        return spec
    if isinstance(spec, str):
        if spec in _NAMED:
            return _NAMED[spec]
        if spec == "pinball":
            raise ParameterError(
                "the pinball loss needs its level, as in losses.pinball(0.9), got "
                "'pinball'",
                owner="loss",
            )
        if spec == "huber":
            raise ParameterError(
                "the huber loss needs its delta, as in losses.huber(1.0), got 'huber'",
                owner="loss",
            )
    elif callable(spec):
        return custom(spec)
    names = ", ".join(repr(name) for name in _NAMED)
    raise ParameterError(
        f"loss must be {names}, losses.pinball(tau), losses.huber(delta), "
        "losses.custom(value) or a "
        f"function of prediction and outcome, got {spec!r}"
    )


def _plain(result: Any) -> Any:
    """Give a number, not an array without axes, for a single prediction."""
    result = np.asarray(result)
    return result.item() if result.ndim == 0 else result


def _difference(prediction: Any, outcome: Any) -> Any:
    # As doubles: whole numbers without a sign would wrap around.
    return np.subtract(prediction, outcome, dtype=np.float64)


def _zero_one(prediction: Any, outcome: Any) -> Any:
    return _plain(np.not_equal(prediction, outcome).astype(np.float64))


def _absolute(prediction: Any, outcome: Any) -> Any:
    return _plain(np.abs(_difference(prediction, outcome)))


def _absolute_slope(prediction: Any, outcome: Any) -> Any:
    return _plain(np.sign(_difference(prediction, outcome)))


def _square(prediction: Any, outcome: Any) -> Any:
    return _plain(np.square(_difference(prediction, outcome)))


def _square_slope(prediction: Any, outcome: Any) -> Any:
    return _plain(2.0 * _difference(prediction, outcome))


def _log(prediction: Any, outcome: Any) -> Any:
    p, yes = _chance("log", prediction, outcome)
    with np.errstate(divide="ignore"):  # -ln 0 is infinite, and meant to be
        return _plain(0.0 - np.log(np.where(yes, p, 1.0 - p)))


def _log_slope(prediction: Any, outcome: Any) -> Any:
    p, yes = _chance("log", prediction, outcome)
    with np.errstate(divide="ignore"):
        return _plain(np.where(yes, -1.0, 1.0) / np.where(yes, p, 1.0 - p))


def _brier(prediction: Any, outcome: Any) -> Any:
    p, yes = _chance("brier", prediction, outcome)
    return _plain(2.0 * np.square(p - yes))


def _brier_slope(prediction: Any, outcome: Any) -> Any:
    p, yes = _chance("brier", prediction, outcome)
    return _plain(4.0 * (p - yes))


def _percentage(prediction: Any, outcome: Any) -> Any:
    outcome = _nonzero(outcome)
    return _plain(np.abs(_difference(prediction, outcome)) / np.abs(outcome))


def _percentage_slope(prediction: Any, outcome: Any) -> Any:
    outcome = _nonzero(outcome)
    return _plain(np.sign(_difference(prediction, outcome)) / np.abs(outcome))


# Classes, not closures: they can be pickled, and equal levels make equal losses.
@dataclass(frozen=True)
class _Pinball:
    tau: float

    def __call__(self, prediction: Any, outcome: Any) -> Any:
        under = _difference(outcome, prediction)
        return _plain(np.where(under >= 0, self.tau * under, (self.tau - 1.0) * under))


@dataclass(frozen=True)
class _PinballSlope:
    tau: float

    def __call__(self, prediction: Any, outcome: Any) -> Any:
        under = _difference(outcome, prediction)
        # The product keeps NaN where the prediction is missing.
        return _plain(np.where(under < 0, 1.0, under * 0.0) - self.tau)


@dataclass(frozen=True)
class _Huber:
    delta: float

    def __call__(self, prediction: Any, outcome: Any) -> Any:
        miss = np.abs(_difference(prediction, outcome))
        line = self.delta * (miss - 0.5 * self.delta)
        return _plain(np.where(miss <= self.delta, 0.5 * np.square(miss), line))


@dataclass(frozen=True)
class _HuberSlope:
    delta: float

    def __call__(self, prediction: Any, outcome: Any) -> Any:
        miss = _difference(prediction, outcome)
        return _plain(np.clip(miss, -self.delta, self.delta))


def _margin(name: str, score: Any, outcome: Any) -> tuple[Any, Any]:
    """Return y and ys, where y is -1 or +1."""
    y = np.asarray(outcome, dtype=np.float64)
    other = (y != 0) & (np.abs(y) != 1)
    if np.any(other):
        raise LabelError(
            f"an outcome must be 0, 1 or -1, got {y[other].flat[0].item()!r}",
            owner=name,
        )
    sign = np.where(y == 1, 1.0, -1.0)
    return sign, sign * np.asarray(score, dtype=np.float64)


def _logistic(score: Any, outcome: Any) -> Any:
    _, margin = _margin("logistic", score, outcome)
    return _plain(np.logaddexp(0.0, -margin))


def _logistic_slope(score: Any, outcome: Any) -> Any:
    sign, margin = _margin("logistic", score, outcome)
    fading = np.exp(-np.abs(margin))
    return _plain(-sign * np.where(margin >= 0, fading, 1.0) / (1.0 + fading))


def _hinge(score: Any, outcome: Any) -> Any:
    _, margin = _margin("hinge", score, outcome)
    return _plain(np.maximum(0.0, 1.0 - margin))


def _hinge_slope(score: Any, outcome: Any) -> Any:
    sign, margin = _margin("hinge", score, outcome)
    return _plain(np.where(margin < 1, -sign, 0.0))


def _poisson(score: Any, outcome: Any) -> Any:
    s, y = np.asarray(score, dtype=np.float64), _count(outcome)
    with np.errstate(over="ignore"):
        return _plain(np.exp(s) - y * s)


def _poisson_slope(score: Any, outcome: Any) -> Any:
    s, y = np.asarray(score, dtype=np.float64), _count(outcome)
    with np.errstate(over="ignore"):
        return _plain(np.exp(s) - y)


def _count(outcome: Any) -> Any:
    y = np.asarray(outcome, dtype=np.float64)
    if np.any(y < 0):
        raise LabelError(
            f"an outcome must be at least 0, got {y[y < 0].flat[0].item()!r}",
            owner="poisson",
        )
    return y


def _probabilities(name: str, prediction: Any) -> Any:
    p = np.asarray(prediction, dtype=np.float64)
    outside = (p < 0) | (p > 1)
    if outside.any():
        first = p[outside].flat[0].item()
        raise ExampleError(
            f"a probability must lie in [0, 1], got {first!r}", owner=name
        )
    return p


def _chance(name: str, prediction: Any, outcome: Any) -> tuple[Any, Any]:
    """Return the probabilities of a yes, and where the outcome is a yes."""
    p, y = _probabilities(name, prediction), np.asarray(outcome)
    other = (y != 0) & (y != 1)
    if np.any(other):
        raise LabelError(
            f"an outcome must be 0 or 1, got {y[other].flat[0].item()!r}", owner=name
        )
    return p, y == 1


def _nonzero(outcome: Any) -> Any:
    y = np.asarray(outcome, dtype=np.float64)
    if np.any(y == 0):
        raise ExampleError("an outcome must not be 0, got 0", owner="percentage")
    return y


_PINBALL = 5

ZERO_ONE = Loss(
    "zero-one", _zero_one, low=0.0, high=1.0, outcome=Outcome.LABEL, native=0
)
ABSOLUTE = Loss("absolute", _absolute, _absolute_slope, low=0.0, native=1)
SQUARE = Loss("square", _square, _square_slope, low=0.0, native=2)
LOG = Loss("log", _log, _log_slope, low=0.0, outcome=Outcome.DISTRIBUTION, native=3)
BRIER = Loss(
    "brier",
    _brier,
    _brier_slope,
    low=0.0,
    high=2.0,
    outcome=Outcome.DISTRIBUTION,
    native=4,
)
PERCENTAGE = Loss("percentage", _percentage, _percentage_slope, low=0.0, native=6)

LOGISTIC = Loss(
    "logistic",
    _logistic,
    _logistic_slope,
    low=0.0,
    outcome=Outcome.LABEL,
    of_score=True,
)
HINGE = Loss(
    "hinge", _hinge, _hinge_slope, low=0.0, outcome=Outcome.LABEL, of_score=True
)
POISSON = Loss("poisson", _poisson, _poisson_slope, of_score=True)

_NAMED = {
    loss.name: loss
    for loss in (
        ZERO_ONE,
        ABSOLUTE,
        SQUARE,
        LOG,
        BRIER,
        PERCENTAGE,
        LOGISTIC,
        HINGE,
        POISSON,
    )
}
