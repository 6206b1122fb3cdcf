"""Checks of the parameters of learners with experts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from littlestone.verifying.proofs._proof import above_zero, real

__all__ = ["between", "crowd", "seed"]

_MOST = 2**24  # more experts than anyone plays with


def crowd(value: Any) -> bool:
    """Return whether a parameter lists the experts, or leaves them to the advice.

    Examples
    --------
    >>> from littlestone.verifying.proofs._crowd import crowd
    >>> crowd(8), crowd(("ann", "bob")), crowd({"ann": 1, "bob": 0.5}), crowd(None)
    (True, True, True, True)
    >>> crowd(0), crowd(("ann", "ann")), crowd({"ann": -1})
    (False, False, False)
    """
    if value is None:
        return True
    if type(value) is int:
        return 1 <= value <= _MOST
    if not isinstance(value, (Mapping, list, tuple, range)) or not value:
        return False
    if not all(type(name) in (str, int) for name in value):
        return False
    if not isinstance(value, Mapping):
        return len(set(value)) == len(value)
    # The sum of so many numbers of this size is finite.
    return all(above_zero(prior) and prior < 2.0**990 for prior in value.values())


def seed(value: Any) -> bool:
    """Return whether a parameter is a seed.

    Examples
    --------
    >>> from littlestone.verifying.proofs._crowd import seed
    >>> seed(3), seed(-1), seed(True)
    (True, False, False)
    """
    return type(value) is int and 0 <= value < 2**64


def between(value: Any) -> bool:
    """Return whether a parameter lies between 0 and 1.

    Examples
    --------
    >>> from littlestone.verifying.proofs._crowd import between
    >>> between(0.5), between(1)
    (True, False)
    """
    return real(value) and 0 < value < 1
