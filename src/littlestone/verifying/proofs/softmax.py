"""The proof for many classes with probabilities: that of AdaGrad, in the joined space.

The losses of the learner follow from its scores, which are doubles, and those of the
witness from exact scores; both are rounded against the learner. A class counts from the
round on in which it first comes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.verifying.proofs._bounds import softmax_bounds
from littlestone.verifying.proofs._exact import CONSTANT
from littlestone.verifying.proofs._proof import Proof, above_zero, real, truth
from littlestone.verifying.proofs.gradients import Adaptive, with_weights
from littlestone.verifying.proofs.multiclass import classes, direction

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.verifying.proofs._exact import Direction

__all__ = ["PROOFS"]


class AdaptiveClasses(Adaptive):
    """`MCADAGRAD`."""

    learners = ("MulticlassAdaGrad",)
    kinds = ("classes",)
    schemas = with_weights(
        {"rate": above_zero, "normalize": truth, "classes": classes, "bias": real},
        lambda label: isinstance(label, (str, int)),
    )

    def direction(self, witness: Mapping[str, Any], bias: float) -> Direction:
        """Return the vectors of all classes in one."""
        return direction(witness, bias)

    def behind(self, used: Mapping[Any, float], y: Any, twin: Any) -> Fraction:
        """Return what the learner lost more than the witness in a round, or more."""
        theirs = {
            label: self.u.dot({(label, name): v for name, v in used.items()})
            for label in twin.scored
        }
        own = {label: Fraction(score) for label, score in twin.scored.items()}
        more = softmax_bounds(own, y)[1] - softmax_bounds(theirs, y)[0]
        return more * Fraction(twin.counts)

    def follow(self, twin: Any) -> None:
        """Add what each class and feature of the round adds."""
        for label, slope in twin.slopes.items():
            for name, value in twin.used.items():
                here = label, CONSTANT if name is twin else name
                u = float(self.u.numbers.get(here, 0))
                away = u - twin.before[label][name]
                squares = twin.squares[label].get(name, 0.0)
                self.moved(here, squares, twin.step, slope * value, away)


PROOFS: dict[str, type[Proof]] = {"MCADAGRAD": AdaptiveClasses}
