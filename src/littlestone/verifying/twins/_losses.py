"""Losses in plain Python, of a number or of a distribution."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying.twins._logarithm import log

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Huber", "Pinball", "kind_of", "loss_of", "range_of", "slope_of"]


@dataclass(frozen=True, repr=False)
class Pinball:
    """The pinball loss, as a certificate states it.

    Examples
    --------
    >>> from littlestone.verifying.twins._losses import Pinball, loss_of
    >>> Pinball(0.25), loss_of(Pinball(0.25), 0.0, 1.0)
    (losses.pinball(0.25), 0.25)
    """

    tau: float
    name: ClassVar[str] = "pinball"
    native: ClassVar[int] = 5  # as the native core numbers it

    def __repr__(self) -> str:
        return f"losses.pinball({self.tau!r})"


@dataclass(frozen=True, repr=False)
class Huber:
    """The Huber loss, as a certificate states it.

    Examples
    --------
    >>> from littlestone.verifying.twins._losses import Huber
    >>> Huber(2.0)
    losses.huber(2.0)
    """

    delta: float
    name: ClassVar[str] = "huber"
    linear: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"losses.huber({self.delta!r})"


def kind_of(loss: Any) -> str:
    """Return the name of a known loss, or an empty text.

    Examples
    --------
    >>> from littlestone.verifying.twins._losses import kind_of
    >>> kind_of("square"), kind_of(lambda p, y: abs(p - y))
    ('square', '')
    """
    if isinstance(loss, str):
        return loss
    known = getattr(loss, "native", -1) >= 0 or getattr(loss, "linear", False)
    return str(loss.name) if known else ""


def range_of(loss: Any) -> tuple[float, float]:
    """Return the range of losses for the theorems of exponential weights.

    Examples
    --------
    >>> from littlestone.verifying.twins._losses import range_of
    >>> range_of("absolute"), range_of("brier")
    ((0.0, 1.0), (0.0, 2.0))
    """
    return 0.0, {"log": math.inf, "brier": 2.0}.get(kind_of(loss), 1.0)


def loss_of(loss: Any, p: Any, y: float) -> float:
    """Return the loss of a prediction.

    Examples
    --------
    >>> from littlestone.verifying.twins._losses import loss_of
    >>> loss_of("square", 3.0, 1.0), loss_of("brier", [0.5, 0.25, 0.25], 0)
    (4.0, 0.375)
    """
    kind = kind_of(loss)
    if isinstance(p, list):
        if kind == "log":
            return _surprise(p[int(y)])
        total = 0.0
        for k, chance in enumerate(p):
            miss = chance - (k == y)
            total += miss * miss
        return total
    if kind == "pinball":
        return float((y - p) * loss.tau if y >= p else (p - y) * (1.0 - loss.tau))
    if kind:
        return _LOSSES[kind](p, y)
    return float(getattr(loss, "value", loss)(p, y))


def slope_of(loss: Any, p: Any, y: float, f: Any) -> float:
    """Return the slope of the loss at p, applied to the prediction f.

    Examples
    --------
    >>> from littlestone.verifying.twins._losses import slope_of
    >>> slope_of("square", 3.0, 1.0, 10.0), slope_of("log", [0.5, 0.5], 0, [0.25, 0.75])
    (40.0, -0.5)
    """
    kind = kind_of(loss)
    if isinstance(p, list):
        if kind == "log":
            return float(-f[int(y)] / p[int(y)])
        total = 0.0
        for k, chance in enumerate(p):
            total += 2.0 * (chance - (k == y)) * f[k]
        return total
    sign = float(p > y) - float(p < y)
    match kind:
        case "absolute":
            slope = sign
        case "square":
            slope = 2.0 * (p - y)
        case "log":
            slope = -1.0 / p if y else 1.0 / (1.0 - p)
        case "brier":
            slope = 4.0 * (p - y)
        case "pinball":
            slope = float(y < p) - loss.tau
        case "percentage":
            slope = sign / abs(y)
        case _:
            slope = float(loss.slope(p, y))
    return float(slope * f)


def _surprise(p: float) -> float:
    if p < 2.2250738585072014e-308:  # noqa: PLR2004 - the smallest of full precision
        return 744.4400719213812 if p > 0 else math.inf
    return -log(p)


_LOSSES: dict[str, Callable[[float, float], float]] = {
    "zero-one": lambda p, y: float(p != y),
    "absolute": lambda p, y: abs(p - y),
    "square": lambda p, y: (p - y) * (p - y),
    "log": lambda p, y: _surprise(p if y else 1.0 - p),
    "brier": lambda p, y: 2.0 * ((p - y) * (p - y)),
    "percentage": lambda p, y: abs(p - y) / abs(y),
}
