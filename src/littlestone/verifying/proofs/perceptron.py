"""The Perceptron's proof: many updates make its weights long, but each adds little.

Let W be the exact sum of the U examples added. Then W.u >= gamma U - TD, and
|W|^2 <= R^2 U because an update has y w.x <= 0. The second is where rounding could
hide: the Perceptron decides by weights in doubles. So it is checked for the exact sum,
and with W.u <= |u| |W| the bound follows.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from heapq import nlargest
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.theorems import PERC_RMS
from littlestone.verifying.proofs._exact import CONSTANT, Combination, square
from littlestone.verifying.proofs._proof import Proof, Unsound, real, truth
from littlestone.verifying.proofs._vectors import direction_of, with_constant

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "PROOFS",
    "Deviating",
    "Geometry",
    "Hinged",
    "MeanSquare",
    "OnAverage",
    "Separated",
    "Squared",
    "Weighed",
    "scaled",
]

_ROUNDED = (
    "|w|^2 must be at most R^2 U (late: Q) for the exact sum w of the examples added: "
    "the run's rounding broke the proof"
)


class Geometry(Proof):
    """The base of the Perceptron's theorems, whatever the space of u, w and x."""

    unit: ClassVar[bool] = True  # whether u has length at most 1

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.updates = 0
        self.total = Fraction(0)  # of the shortfalls from the margin, or their squares

    def length(self, square_of_u: Fraction) -> None:
        """Check the length of the witness."""
        if not self.unit:
            self.covers("norm", square_of_u, "the length of the witness")
        elif square_of_u > 1:
            raise Unsound("witness must have a length of at most 1")

    def stretch(self, square_of_x: Fraction) -> None:
        """Take |x|^2."""
        self.covers("radius", square_of_x, "the length of each example added")

    def fall(self, margin: Fraction) -> None:
        """Take y u.x on an update."""

    def settle(self) -> None:
        """Check the shortfall."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sum of the examples added, in the space of the witness."""
        if counts["updates"] != self.updates:
            raise Unsound(f"updates must be {self.updates}, got {counts['updates']}")
        if self.sum_square() > self.most_square():
            raise Unsound(_ROUNDED)
        self.settle()

    @abstractmethod
    def sum_square(self) -> Fraction:
        """Return |W|^2."""

    def most_square(self) -> Fraction:
        """Return what |W|^2 must not exceed."""
        return self.radius_square() * self.updates

    def radius_square(self) -> Fraction:
        """Return R^2."""
        return self.numbers["radius"] ** 2


class Separated(Geometry):
    """No update falls short of the margin."""

    names = ("radius", "margin", "norm")
    unit = False

    def fall(self, margin: Fraction) -> None:
        """Check y u.x >= gamma."""
        self.at_most("margin", margin, "y u.x on each update")


class Deviating(Geometry):
    """Adds up the shortfalls from the margin."""

    names = ("radius", "margin", "deviation")

    def fall(self, margin: Fraction) -> None:
        """Add up."""
        self.total += max(Fraction(0), self.numbers["margin"] - margin)

    def settle(self) -> None:
        """Check the sum."""
        self.at_least("deviation", self.total, "the shortfall from the margin")


class OnAverage(Deviating):
    """Has the root mean square of the lengths in place of the largest."""

    names = ("mean_radius", "margin", "deviation")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.mean = MeanSquare()

    def stretch(self, square_of_x: Fraction) -> None:
        """Add up."""
        self.mean.add(square_of_x)

    def settle(self) -> None:
        """Also check the mean."""
        super().settle()
        bound = self.bound() if self.every else None
        self.mean.check(self, "mean_radius", bound)

    def bound(self) -> Fraction:
        """Return the theorem's bound."""
        return PERC_RMS.formula(**self.numbers)

    def radius_square(self) -> Fraction:
        """Return Q^2."""
        return self.numbers["mean_radius"] ** 2


class MeanSquare:
    """The squares of rounds, and the mean of those that may count.

    In a run these are all that were added. For every order of a stream they are the
    largest, one more than the bound: were there as many updates, or more, then their
    mean square were at most that, and the bound would hold for them.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.perceptron import MeanSquare
    >>> mean = MeanSquare()
    >>> for number in (1, 9, 4):
    ...     mean.add(Fraction(number))
    >>> mean.of(None), mean.of(Fraction(3, 2))
    (Fraction(14, 3), Fraction(13, 2))
    """

    def __init__(self) -> None:
        self._squares: list[Fraction] = []

    def add(self, number: Fraction) -> None:
        """Take the square of a round."""
        self._squares.append(number)

    def of(self, bound: Fraction | None) -> Fraction:
        """Return the mean of all, or of one more than a bound allows, the largest."""
        squares = self._squares
        if bound is not None and math.floor(bound) + 1 < len(squares):
            squares = nlargest(math.floor(bound) + 1, squares)
        return sum(squares, Fraction(0)) / max(len(squares), 1)

    def check(self, proof: Proof, name: str, bound: Fraction | None) -> None:
        """Refuse a root mean square that is stated too low."""
        proof.covers(name, self.of(bound), "the root of the mean square")


class Hinged(Deviating):
    """The same in units of the margin."""

    names = ("radius", "margin", "hinge")

    def settle(self) -> None:
        """Check the sum."""
        losses = self.total / self.numbers["margin"]
        self.at_least("hinge", losses, "the total hinge loss")


class Squared(Geometry):
    """Adds up the squares of the shortfalls."""

    names = ("radius", "margin", "deviation_norm")

    def fall(self, margin: Fraction) -> None:
        """Add up."""
        self.total += max(Fraction(0), self.numbers["margin"] - margin) ** 2

    def settle(self) -> None:
        """Check the root of the sum."""
        what = "the root of the squared shortfalls from the margin"
        self.covers("deviation_norm", self.total, what)


_OWN = {
    "update": lambda value: value in ("mistake", "margin"),
    "normalize": truth,
    "bias": real,
}


class Weighed(Geometry):
    """Examples are vectors, with a constant feature if the learner adds one."""

    learners: ClassVar[tuple[str, ...]] = (
        "Perceptron",
        "AveragedPerceptron",
        "VotedPerceptron",
    )
    kinds = ("vector",)
    orderless = True
    schemas: ClassVar[Any] = (
        _OWN,
        {**_OWN, "strict": truth},
        {"bias": real},
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.bias = float(self.parameters["bias"])
        self.u = direction_of(self.witness, self.bias)
        self.length(self.u.square)
        self.w = Combination()

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only updates matter
        """Add an example as the learner added it."""
        if not (changed or self.every):
            return
        x = scaled(x) if self.parameters.get("normalize") else x
        if changed:
            self.updates += 1
            self.w.add(1.0 if y else -1.0, with_constant(x, self.bias))
        self.measure(x, y)

    def measure(self, x: Mapping[Any, float], y: bool) -> None:
        """Measure an example without its constant feature."""
        full = with_constant(x, self.bias)
        self.stretch(square(full))
        score = self.u.dot(full)
        self.fall(score if y else -score)

    def sum_square(self) -> Fraction:
        """Return |W|^2."""
        return self.w.square


class Separable(Weighed, Separated):
    """`PERC-SEP`."""


class TotalDeviation(Weighed, Deviating):
    """`PERC-TD`."""


class RootMeanSquare(Weighed, OnAverage):
    """`PERC-RMS`."""


class HingeLoss(Weighed, Hinged):
    """`PERC-HINGE`."""


class FreundSchapire(Weighed, Squared):
    """`PERC-FS`."""


class _Threshold(Weighed):
    """R and u are without the constant feature, which learns the threshold."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.bias:
            raise Unsound(
                "learner: bias must not be 0, or nothing learns the threshold"
            )
        if CONSTANT in self.u:
            raise Unsound(
                "witness: bias must be null, as the threshold takes its place"
            )

    def measure(self, x: Mapping[Any, float], y: bool) -> None:
        """Measure the example without the constant feature."""
        self.covers("radius", square(x), "the length of each example without it")
        self.side(self.u.dot(x), y)

    def side(self, score: Fraction, y: bool) -> None:
        """Take u.x."""

    def radius_square(self) -> Fraction:
        """Return R^2 with the constant feature."""
        return super().radius_square() + Fraction(self.bias) ** 2


class Bias(_Threshold):
    """`PERC-BIAS`."""

    names = ("radius", "margin", "threshold", "bias")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.equal("bias", Fraction(self.bias), "the learner's")

    def side(self, score: Fraction, y: bool) -> None:
        """Check y (u.x - b) >= gamma."""
        above = score - self.numbers["threshold"]
        what = "y (u.x - threshold) on each update"
        self.at_most("margin", above if y else -above, what)


class Gap(_Threshold):
    """`PERC-GAP`."""

    names = ("radius", "gap", "norm")
    unit = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.equal("radius", Fraction(abs(self.bias)), "the learner's bias")
        self.classes = TwoSides()

    def side(self, score: Fraction, y: bool) -> None:
        """Keep the scores closest to the other class."""
        self.classes.add(score, y)

    def settle(self) -> None:
        """Check that both classes occur, and the gap between them."""
        self.at_most("gap", self.classes.gap(), "the gap between the classes")


class TwoSides:
    """The scores of two classes, of which the closest count.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.perceptron import TwoSides
    >>> sides = TwoSides()
    >>> for score, label in ((3, True), (1, False), (2, True)):
    ...     sides.add(Fraction(score), label)
    >>> sides.gap()
    Fraction(1, 1)
    """

    def __init__(self) -> None:
        self.nearest: dict[bool, Fraction] = {}

    def add(self, score: Fraction, y: bool) -> None:
        """Take a score."""
        best = self.nearest.get(y, score)
        self.nearest[y] = min(best, score) if y else max(best, score)

    def gap(self) -> Fraction:
        """Return the gap between the scores of yes and no."""
        if set(self.nearest) != {True, False}:
            raise Unsound("both classes must occur among the updates")
        return self.nearest[True] - self.nearest[False]


def scaled(x: Mapping[Any, float]) -> Mapping[Any, float]:
    """Return the example as the Perceptron scales it, in doubles."""
    squares = 0.0
    for value in x.values():
        squares += value * value
    length = math.sqrt(squares) or 1.0
    return {name: value / length for name, value in x.items()}


PROOFS: dict[str, type[Proof]] = {
    "PERC-SEP": Separable,
    "PERC-TD": TotalDeviation,
    "PERC-RMS": RootMeanSquare,
    "PERC-HINGE": HingeLoss,
    "PERC-FS": FreundSchapire,
    "PERC-BIAS": Bias,
    "PERC-GAP": Gap,
}
