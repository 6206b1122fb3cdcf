"""Conjunctions by elimination in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._elimination import Elimination

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["ConjunctionLearner"]


class ConjunctionLearner(Elimination):
    """The twin of `littlestone.boolean.ConjunctionLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import ConjunctionLearner
    >>> twin = ConjunctionLearner(features=["a", "b"])
    >>> twin.play({"a": 1}, True), twin.play({"a": 1}, True), twin.play({"b": 1}, False)
    (False, True, False)
    >>> sorted(literal for part in twin.parts() for literal in part)
    [('a', True), ('b', False)]
    """

    def __init__(
        self, monotone: bool = False, features: int | Iterable[Any] | None = None
    ) -> None:
        super().__init__(1, features)
        self.forbids = not monotone
