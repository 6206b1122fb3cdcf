"""The proofs for many classes: those for two, in the space that joins the classes.

An update adds x to the weights of the right class and takes it from another's. In the
joined space that is one positive example, whose squared length is twice |x|^2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.verifying.proofs._exact import CONSTANT, Combination, Direction, square
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real
from littlestone.verifying.proofs._vectors import with_constant
from littlestone.verifying.proofs.passive_aggressive import (
    First,
    PassiveAggressiveProof,
    Second,
    Steps,
    Unlimited,
)
from littlestone.verifying.proofs.perceptron import (
    Deviating,
    Geometry,
    OnAverage,
    Separated,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction

__all__ = ["PROOFS", "classes", "direction"]


def classes(value: Any) -> bool:
    """Return whether a parameter is None, or one or more different classes.

    Examples
    --------
    >>> from littlestone.verifying.proofs.multiclass import classes
    >>> classes(("a", "b")), classes(("a", "a"))
    (True, False)
    """
    if value is None:
        return True
    known = isinstance(value, tuple) and all(isinstance(c, (str, int)) for c in value)
    return known and 0 < len(set(value)) == len(value)


def direction(witness: Mapping[str, Any], bias: float) -> Direction:
    """Return the vectors of all classes in one."""
    entries = []
    for label, vector in witness["vectors"]:
        entries += [((label, name), text) for name, text in vector["entries"]]
        if vector["bias"] is not None:
            if not bias:
                raise Unsound(
                    "witness: bias must be null, as there is no constant feature"
                )
            entries.append(((label, CONSTANT), vector["bias"]))
    return Direction(entries)


def _joined(x: Mapping[Any, float], right: Any, other: Any) -> dict[Any, float]:
    """Return what an update adds to one class and takes from another."""
    made = {(right, name): value for name, value in x.items()}
    return made | {(other, name): -value for name, value in x.items()}


class _Perceptron(Geometry):
    learners = ("MulticlassPerceptron",)
    kinds = ("classes",)
    schemas = ({"classes": classes, "bias": real},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.bias = float(self.parameters["bias"])
        self.u = direction(self.witness, self.bias)
        self.length(self.u.square)
        self.w = Combination()

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the prediction is enough
        """Add the update."""
        if not changed:
            return
        self.updates += 1
        x = with_constant(x, self.bias)
        self.stretch(square(x))
        added = _joined(x, y, said)
        self.w.add(1.0, added)
        self.fall(self.u.dot(added))

    def sum_square(self) -> Fraction:
        """Return |W|^2."""
        return self.w.square

    def radius_square(self) -> Fraction:
        """Return 2 R^2."""
        return 2 * super().radius_square()


class Separable(_Perceptron, Separated):
    """`MCPERC-SEP`."""


class TotalDeviation(_Perceptron, Deviating):
    """`MCPERC-TD`."""


class RootMeanSquare(_Perceptron, OnAverage):
    """`MCPERC-RMS`."""


class _PassiveAggressive(PassiveAggressiveProof):
    learners = ("MulticlassPassiveAggressive",)
    kinds = ("classes",)
    schemas = (
        {
            "C": above_zero,
            "mode": lambda value: value in (None, "I", "II"),
            "classes": classes,
            "bias": real,
        },
    )
    copies = 2
    orderless = False

    def direction(self, witness: Mapping[str, Any]) -> Direction:
        """Return U."""
        return direction(witness, self.bias)

    def added(self, x: Mapping[Any, float], y: Any, twin: Any) -> Mapping[Any, float]:
        """Return what an update adds to the right class and takes from its rival."""
        return _joined(x, y, twin.rival) if x else {}

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Leave out the first round if no class was known."""
        unknown = self.parameters["classes"] is None and counts["rounds"] > 0
        return counts[what] - unknown


class UnlimitedClasses(_PassiveAggressive, Unlimited):
    """`MCPA-SEP`."""


class FirstClasses(_PassiveAggressive, First):
    """`MCPA1`."""


class SecondClasses(_PassiveAggressive, Second):
    """`MCPA2`."""


class StepsOfClasses(_PassiveAggressive, Steps):
    """`MCPA-STEPS`."""


PROOFS: dict[str, type[Proof]] = {
    "MCPERC-SEP": Separable,
    "MCPERC-TD": TotalDeviation,
    "MCPERC-RMS": RootMeanSquare,
    "MCPA-SEP": UnlimitedClasses,
    "MCPA1": FirstClasses,
    "MCPA2": SecondClasses,
    "MCPA-STEPS": StepsOfClasses,
}
