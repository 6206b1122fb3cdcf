"""What learners with a matrix of confidence share: its damping and its form."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from littlestone.learner.parameters import finite, positive, truth
from littlestone.linear._base import BiasedLearner

if TYPE_CHECKING:
    from collections.abc import Callable

    from littlestone import _core

__all__ = ["DampedLearner"]


class DampedLearner(BiasedLearner):
    """A linear learner with a matrix, full or diagonal, that `r` damps."""

    _rule: ClassVar[Callable[..., _core.Linear]]

    def __init__(
        self, r: float = 1.0, diagonal: bool = True, *, bias: float = 0.0
    ) -> None:
        owner = type(self).__name__
        damping = positive(owner, "r", r)
        value = finite(owner, "bias", bias)
        self.r = r
        self.diagonal = truth(owner, "diagonal", diagonal)
        self.bias = bias
        self._native = type(self)._rule(  # noqa: SLF001 - its own
            owner, r=damping, diagonal=self.diagonal, bias=value
        )
