"""The proofs for many classes: those for two, in the space that joins the classes.

An update adds x to the weights of the right class and takes it from another's. In the
joined space that is one positive example, whose squared length is twice |x|^2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from littlestone.theorems import MCPERC_RMS
from littlestone.verifying.proofs._exact import CONSTANT, Combination, Direction, square
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real
from littlestone.verifying.proofs._vectors import with_constant
from littlestone.verifying.proofs.passive_aggressive import (
    First,
    Ordered,
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


class _Rivals:
    """The margins of U over all other classes, for bounds in every order.

    A class that nobody has named may come when the scores of all others are below 0,
    and is then mistaken without a loss of 1. So classes must be given, unless there are
    two: while only one is known, its weights are 0.
    """

    every: bool
    u: Direction
    parameters: Mapping[str, Any]
    witness: Mapping[str, Any]

    def check_classes(self) -> None:
        """Check that the witness has a vector for every class."""
        if not self.every:
            return
        self.labels = [label for label, _ in self.witness["vectors"]]
        given = self.parameters["classes"]
        if given is None and len(self.labels) > _PAIR:
            raise Unsound("learner: classes must be given, or be two")
        if not set(given or ()) <= set(self.labels):
            raise Unsound("witness must have a vector for each class")

    def least(self, x: Mapping[Any, float], y: Any) -> Fraction:
        """Return the least margin of y over another class."""
        scores = {
            label: self.u.dot({(label, name): value for name, value in x.items()})
            for label in self.labels
        }
        if y not in scores:
            raise Unsound("witness must have a vector for each class")
        own = scores.pop(y)
        return own - max(scores.values(), default=own)


_PAIR = 2


class _Perceptron(_Rivals, Geometry):
    learners = ("MulticlassPerceptron",)
    kinds = ("classes",)
    orderless = True
    schemas = ({"classes": classes, "bias": real},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.check_classes()
        self.bias = float(self.parameters["bias"])
        self.u = direction(self.witness, self.bias)
        self.length(self.u.square)
        self.w = Combination()

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the prediction is enough
        """Add the update."""
        if not (changed or self.every):
            return
        x = with_constant(x, self.bias)
        self.stretch(square(x))
        if changed:
            self.updates += 1
            self.w.add(1.0, _joined(x, y, said))
        if self.every:
            self.fall(self.least(x, y))
        else:
            self.fall(self.u.dot(_joined(x, y, said)))

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

    def bound(self) -> Fraction:
        """Return the theorem's bound."""
        return MCPERC_RMS.formula(**self.numbers)


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


class OrderedClasses(_Rivals, _PassiveAggressive, Ordered):
    """`MCPA-ORDER`."""

    orderless = True

    def begin(self) -> None:
        """Also check the classes."""
        super().begin()
        self.check_classes()

    def least(self, x: Mapping[Any, float], y: Any) -> Fraction:
        """Return the least margin over the classes that may be the rival."""
        if not self.every:
            raise Unsound("scope must be 'stream'")
        return super().least(x, y)


PROOFS: dict[str, type[Proof]] = {
    "MCPA-ORDER": OrderedClasses,
    "MCPERC-SEP": Separable,
    "MCPERC-TD": TotalDeviation,
    "MCPERC-RMS": RootMeanSquare,
    "MCPA-SEP": UnlimitedClasses,
    "MCPA1": FirstClasses,
    "MCPA2": SecondClasses,
    "MCPA-STEPS": StepsOfClasses,
}
