"""Disjunctions by elimination in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._elimination import Elimination

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["DisjunctionLearner"]


class DisjunctionLearner(Elimination):
    """The twin of `littlestone.boolean.DisjunctionLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import DisjunctionLearner
    >>> twin = DisjunctionLearner(features=["a", "b"])
    >>> twin.play({"a": 1}, False), twin.play({"a": 1}, False), twin.play({}, True)
    (True, False, True)
    >>> sorted(literal for part in twin.parts() for literal in part)
    [('a', False), ('b', True)]
    """

    dual = True

    def __init__(
        self, monotone: bool = False, features: int | Iterable[Any] | None = None
    ) -> None:
        super().__init__(1, features)
        self.asks = not monotone
