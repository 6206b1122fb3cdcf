"""The proofs for one second-order learner a class: those for two labels, joined.

A round is one for the learner of each class, all in the space that joins the classes:
the features of an example are those of that class. There they are one learner, whose
proof is that for two labels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying.proofs._exact import CONSTANT, square
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real, truth
from littlestone.verifying.proofs._vectors import with_constant
from littlestone.verifying.proofs.multiclass import classes, direction
from littlestone.verifying.proofs.second_order import (
    Arow,
    ArowSteps,
    SecondOrder,
    SecondOrderProof,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

    from littlestone.verifying.proofs._exact import Direction

__all__ = ["PROOFS"]


class _Means:
    """The means of all classes, by class and feature."""

    def __init__(self, blocks: Mapping[Any, Any]) -> None:
        self._blocks = blocks

    def __getitem__(self, feature: tuple[Any, Any]) -> float:
        label, name = feature
        block = self._blocks[label]
        mean: float = block.means[block if name is CONSTANT else name]
        return mean


class _Joined:
    """The learner of one class, as one of the joined space."""

    def __init__(self, blocks: Mapping[Any, Any], block: Any) -> None:
        self.means = _Means(blocks)
        self.step = getattr(block, "step", 0.0)


class _OneVersusRest(SecondOrderProof):
    kinds = ("classes",)
    schemas = ({"r": above_zero, "diagonal": truth, "classes": classes, "bias": real},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.constant, self.bias = self.bias, 0.0  # each class has its own
        self.strangers = 0

    def direction(self, witness: Mapping[str, Any]) -> Direction:
        """Return the vectors of all classes in one."""
        return direction(witness, self.bias)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - each class is asked
        """Take the rounds of all classes."""
        self.strangers += twin.stranger and said != y
        x = with_constant(x, self.constant)
        for label, block, yes, moved in self.concerned(x, y, said, twin):
            mine = {(label, name): value for name, value in x.items()}
            joined = _Joined(twin.blocks, block)
            super().round(mine, label == y, yes, moved, joined)  # type: ignore[safe-super]  # of the proof for two

    def concerned(self, x: Any, y: Any, said: Any, twin: Any) -> list[Any]:  # noqa: ARG002 - AROW asks
        """Return the classes that take part in a round: all."""
        latest: list[Any] = twin.latest
        return latest

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check that the mistakes are among those of the classes, and those."""
        self.at_least("strangers", self.strangers, "the mistakes on new classes")  # type: ignore[arg-type]  # a whole number
        if counts["mistakes"] > self.mistakes + self.strangers:
            raise Unsound("each mistake must be one of some class")
        super().close({**counts, "mistakes": self.mistakes})  # type: ignore[dict-item]  # a whole number


class SecondOrderClasses(_OneVersusRest, SecondOrder):
    """`MCSOP`."""

    learners = ("MulticlassSecondOrder",)
    names: ClassVar[tuple[str, ...]] = (*SecondOrder.names, "strangers")  # type: ignore[assignment]
    orderless = False


class _ArowOneVersusRest(_OneVersusRest):
    def concerned(self, x: Any, y: Any, said: Any, twin: Any) -> list[Any]:
        """Return all classes, or of an example without values the one that was said.

        Such an example teaches no class anything, so each may do without it. A mistake
        on it is one of the class that was said, if it is not the first of a new class.
        """
        if square(x):
            return super().concerned(x, y, said, twin)
        wrong = said != y and not twin.stranger
        return [each for each in twin.latest if wrong and each[0] == said]


class ArowClasses(_ArowOneVersusRest, Arow):
    """`MCAROW`."""

    learners = ("MulticlassAROW",)
    names: ClassVar[tuple[str, ...]] = (*Arow.names, "strangers")  # type: ignore[assignment]


class ArowStepsClasses(_ArowOneVersusRest, ArowSteps):
    """`MCAROW-STEPS`."""

    learners = ("MulticlassAROW",)
    names: ClassVar[tuple[str, ...]] = (*ArowSteps.names, "strangers")  # type: ignore[assignment]


PROOFS: dict[str, type[Proof]] = {
    "MCSOP": SecondOrderClasses,
    "MCAROW": ArowClasses,
    "MCAROW-STEPS": ArowStepsClasses,
}
