"""Many classes in plain Python, each with a learner of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying._spending import spend

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

__all__ = ["OneVersusRest"]

_STEPS = 16  # for a number and a class, whose proof is played too


class OneVersusRest:
    """The twin of learners with a second-order learner a class."""

    block: ClassVar[type[Any]]  # the twin of a class

    def __init__(
        self,
        r: float = 1.0,
        diagonal: bool = True,
        classes: Iterable[Hashable] | None = None,
        bias: float = 0.0,
    ) -> None:
        self.given = r, diagonal, bias
        self.blocks = {label: type(self).block(*self.given) for label in classes or ()}
        self.updates = 0
        # Of the latest round, for the proof: whether the class was new, and for each
        # class its twin, what that said of it, and whether it changed.
        self.stranger = False
        self.latest: list[tuple[Hashable, Any, bool, bool]] = []

    @property
    def weights(self) -> dict[Hashable, dict[object, float]]:
        """The weights of each class, without the constant feature."""
        return {label: block.weights for label, block in self.blocks.items()}

    def play(self, x: Mapping[object, float], y: Hashable) -> Hashable:
        """Predict the class with the largest score, then teach every class."""
        known = list(self.blocks)
        self.stranger = y not in self.blocks
        if self.stranger:
            self.blocks[y] = type(self).block(*self.given)
        self.latest = []
        spend(_STEPS * len(self.blocks) * (1 + len(x)))
        for label, block in self.blocks.items():
            before = block.updates
            said = block.play(x, label == y)
            self.latest.append((label, block, said, block.updates > before))
        self.updates += any(changed for *_, changed in self.latest)
        scores = {label: self.blocks[label].scored for label in known}
        return max(scores, key=scores.__getitem__) if scores else None
