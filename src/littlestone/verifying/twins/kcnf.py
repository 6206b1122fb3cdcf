"""k-CNF by elimination in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._elimination import Elimination

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["KCNFLearner"]


class KCNFLearner(Elimination):
    """The twin of `littlestone.boolean.KCNFLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import KCNFLearner
    >>> twin = KCNFLearner(2)
    >>> twin.play({"a": 1}, True), twin.play({"b": 1}, True), twin.play({"b": 1}, True)
    (False, False, True)
    >>> sorted(sorted(part) for part in twin.parts() if len(part) == 2)
    [[('a', False), ('b', False)], [('a', True), ('b', True)]]
    """

    def __init__(self, k: int, features: int | Iterable[Any] | None = None) -> None:
        super().__init__(k, features)
