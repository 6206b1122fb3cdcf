"""Checks of parameters."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np

from littlestone.errors import ParameterError

__all__ = ["finite", "not_negative", "positive", "truth", "whole"]


def finite(owner: str, name: str, value: object) -> float:
    """Return a parameter as a finite float, or refuse it.

    Examples
    --------
    >>> from littlestone.learner.parameters import finite
    >>> finite("Winnow", "threshold", 3)
    3.0
    """
    if not isinstance(value, (str, bytes)):
        with suppress(TypeError, ValueError, OverflowError):
            number = float(value)  # type: ignore[arg-type]  # that is what is tested
            if math.isfinite(number):
                return number
    raise ParameterError(f"{name} must be a finite number, got {value!r}", owner=owner)


def positive(owner: str, name: str, value: object) -> float:
    """Return a parameter as a float above 0, or refuse it.

    Examples
    --------
    >>> from littlestone.learner.parameters import positive
    >>> positive("Winnow", "threshold", 3)
    3.0
    """
    number = finite(owner, name, value)
    if not number > 0:
        raise ParameterError(f"{name} must exceed 0, got {value!r}", owner=owner)
    return number


def not_negative(owner: str, name: str, value: object) -> float:
    """Return a number of at least 0, or refuse it.

    Examples
    --------
    >>> from littlestone.learner.parameters import not_negative
    >>> not_negative("FTRL", "l1", 0)
    0.0
    """
    number = finite(owner, name, value)
    if number < 0:
        raise ParameterError(f"{name} must be at least 0, got {value!r}", owner=owner)
    return number


def truth(owner: str, name: str, value: object) -> bool:
    """Return a parameter as a truth value, or refuse it.

    Examples
    --------
    >>> from littlestone.learner.parameters import truth
    >>> truth("AROW", "diagonal", True)
    True
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(
            f"{name} must be True or False, got {value!r}", owner=owner
        )
    return bool(value)


def whole(owner: str, name: str, value: object, low: int = 0, high: int = 2**64) -> int:
    """Return a parameter as a whole number from low to high - 1, or refuse it.

    Examples
    --------
    >>> from littlestone.learner.parameters import whole
    >>> whole("Cover", "horizon", 3, low=1)
    3
    """
    sound = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not sound or not low <= int(value):  # type: ignore[call-overload]  # checked
        raise ParameterError(
            f"{name} must be a whole number of at least {low}, got {value!r}",
            owner=owner,
        )
    number: int = int(value)  # type: ignore[call-overload]  # checked
    if number >= high:
        raise ParameterError(f"{name} must be below {high}, got {value!r}", owner=owner)
    return number
