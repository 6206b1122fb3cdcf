"""What learners share that have a second-order learner for each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.learner import as_class
from littlestone.learner.packing import check, packed_features, unpacked_features
from littlestone.learner.parameters import finite, positive, truth
from littlestone.linear._base import load
from littlestone.linear._multiclass import MulticlassLearner, checked_classes

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping

    from littlestone import _core
    from littlestone.theorems import Condition, Number

__all__ = ["OneVersusRestLearner"]


class OneVersusRestLearner(MulticlassLearner):
    """A learner of classes with a block of weights, and a matrix, for each class."""

    _rule: ClassVar[Callable[..., _core.OneVersusRest]]

    def __init__(
        self,
        r: float = 1.0,
        diagonal: bool = True,
        *,
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        owner = type(self).__name__
        damping = positive(owner, "r", r)
        known = checked_classes(owner, classes)
        value = finite(owner, "bias", bias)
        self.r = r
        self.diagonal = truth(owner, "diagonal", diagonal)
        self.classes = classes
        self.bias = bias
        self._numbers = {label: number for number, label in enumerate(known)}
        self._native: Any = type(self)._rule(  # noqa: SLF001 - its own
            owner, classes=len(known), r=damping, diagonal=self.diagonal, bias=value
        )

    @property
    def known_(self) -> dict[str, Number]:
        """Its bias and r."""
        return super().known_ | {"r": self.r}

    @property
    def unmet_(self) -> frozenset[Condition]:
        """Nothing: a class that comes later costs one mistake at most."""
        return frozenset()

    def save_state(self) -> dict[str, Any]:
        """Return what the learner of each class has learned, as arrays."""
        return {
            "classes": list(self._numbers),
            "features": packed_features(self._native.features()),
            "blocks": self._native.blocks(),
            "updates": self._native.updates,
            "width": self._native.width,
        }

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same parameters was."""
        owner = type(self).__name__
        classes = [as_class(label) for label in state["classes"]]
        features = unpacked_features(owner, state["features"])
        self._native.load_features(features, state["updates"], state["width"])
        for block in state["blocks"]:
            load(self._native, block)
        self._numbers = {label: number for number, label in enumerate(classes)}
        check(
            owner,
            len(self._numbers) == len(classes) == self._native.classes,
            "a learner for each class",
        )
