"""k-DNF by elimination in plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.twins._elimination import Elimination

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["KDNFLearner"]


class KDNFLearner(Elimination):
    """The twin of `littlestone.boolean.KDNFLearner`.

    Examples
    --------
    >>> from littlestone.verifying.twins import KDNFLearner
    >>> twin = KDNFLearner(2)
    >>> twin.play({"a": 1}, False), twin.play({"b": 1}, False), twin.play({}, True)
    (True, True, True)
    """

    dual = True

    def __init__(self, k: int, features: int | Iterable[Any] | None = None) -> None:
        super().__init__(k, features)
