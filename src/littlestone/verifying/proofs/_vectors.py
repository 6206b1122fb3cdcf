"""Vectors and examples with an entry for the constant feature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.proofs._exact import CONSTANT, Direction
from littlestone.verifying.proofs._proof import Unsound

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["direction_of", "with_constant"]


def direction_of(witness: Mapping[str, Any], bias: float) -> Direction:
    """Return the vector of a witness for a learner with this constant feature.

    Examples
    --------
    >>> from littlestone.verifying.proofs._vectors import direction_of
    >>> direction_of({"entries": [("a", "2")], "bias": "1"}, bias=1.0).square
    Fraction(5, 1)
    """
    u = Direction(witness["entries"], witness["bias"])
    if CONSTANT in u and not bias:
        raise Unsound("witness: bias must be null, as there is no constant feature")
    return u


def with_constant(x: Mapping[Any, float], bias: float) -> Mapping[Any, float]:
    """Return an example with its constant feature, if the learner has one.

    Examples
    --------
    >>> from littlestone.verifying.proofs._vectors import with_constant
    >>> with_constant({"a": 2.0}, bias=0.0)
    {'a': 2.0}
    """
    return {**x, CONSTANT: bias} if bias else x
