"""The Perceptron's proof in the space of a kernel.

The witness is a sum of examples of the stream, u = sum of c_j K(x_j, .), by the numbers
of their rounds. The proof only needs values of the kernel: exact for the linear and the
polynomial one, rounded outward for the Gaussian one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from littlestone.theorems._rounding import exp_bounds
from littlestone.verifying._numbers import as_number
from littlestone.verifying.proofs._exact import dot, square
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real
from littlestone.verifying.proofs.perceptron import (
    Deviating,
    Geometry,
    Hinged,
    OnAverage,
    Separated,
    Squared,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]

# An example with its squared length, and bounds on a value of the kernel.
_Point: TypeAlias = "tuple[Mapping[Any, float], Fraction]"
_Span: TypeAlias = "tuple[Fraction, Fraction]"

_MOST_DEGREES = 1000


class _Kernel(Geometry):
    """Examples are points that a kernel compares."""

    learners = ("KernelPerceptron",)
    kinds = ("expansion",)
    orderless = True
    schemas = (
        {
            "kernel": lambda value: value in ("linear", "polynomial", "gaussian"),
            "degree": lambda value: type(value) is int and 1 <= value <= _MOST_DEGREES,
            "gamma": above_zero,
            "offset": lambda value: real(value) and value >= 0,
            "update": lambda value: value in ("mistake", "margin"),
            "budget": lambda value: value is None,
            "seed": lambda value: type(value) is int and 0 <= value < 2**64,
        },
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.terms = {t: as_number(text) for t, text in self.witness["terms"]}
        self.gamma = Fraction(self.parameters["gamma"])
        self.offset = Fraction(self.parameters["offset"])
        self.points: dict[int, _Point] = {}
        self.added: list[tuple[Fraction, _Point]] = []
        self.measured: list[tuple[Fraction, _Point]] = []
        self.rounds = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only updates matter
        """Keep an example that the learner kept, or that the witness names."""
        counts = changed or self.every
        if counts or self.rounds in self.terms:
            point = x, square(x)
            if self.rounds in self.terms:
                self.points[self.rounds] = point
            if changed:
                self.updates += 1
                self.added.append((Fraction(1 if y else -1), point))
            if counts:
                self.measured.append((Fraction(1 if y else -1), point))
                self.stretch(self.compare(point, point)[1])
        self.rounds += 1

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Measure the witness, then the examples kept."""
        missing = sorted(self.terms.keys() - self.points.keys())
        if missing:
            raise Unsound(f"witness must name rounds of the stream, got {missing[0]}")
        u = [(c, self.points[t]) for t, c in self.terms.items()]
        self.length(self.square_of(u))
        for sign, point in self.measured:
            against = (self.most(-sign * c, kept, point) for c, kept in u)
            self.fall(-sum(against, Fraction(0)))
        super().close(counts)

    def most(self, times: Fraction, left: _Point, right: _Point) -> Fraction:
        """Return an upper bound on a multiple of K."""
        low, high = self.compare(left, right)
        return times * (high if times > 0 else low)

    def square_of(self, terms: list[tuple[Fraction, _Point]]) -> Fraction:
        """Return an upper bound on the squared length of a sum of points."""
        total = Fraction(0)
        for i, (c, point) in enumerate(terms):
            total += self.most(c * c, point, point)
            for other, kept in terms[:i]:
                total += self.most(2 * c * other, kept, point)
        return total

    def compare(self, left: _Point, right: _Point) -> _Span:
        """Return bounds on K."""
        (x, x2), (z, z2) = left, right
        product = dot((value, z[name]) for name, value in x.items() if name in z)
        if self.parameters["kernel"] == "linear":
            return product, product
        if self.parameters["kernel"] == "polynomial":
            power = (self.gamma * product + self.offset) ** self.parameters["degree"]
            return power, power
        return exp_bounds(-self.gamma * (x2 + z2 - 2 * product))

    def sum_square(self) -> Fraction:
        """Return |W|^2, or slightly more."""
        return self.square_of(self.added)


class Separable(_Kernel, Separated):
    """`PERC-SEP`."""


class TotalDeviation(_Kernel, Deviating):
    """`PERC-TD`."""


class RootMeanSquare(_Kernel, OnAverage):
    """`PERC-RMS`."""


class HingeLoss(_Kernel, Hinged):
    """`PERC-HINGE`."""


class FreundSchapire(_Kernel, Squared):
    """`PERC-FS`."""


class Served(_Kernel):
    """`DELAY-SERVED`, as in `late.py`, with values of the kernel.

    |W|^2 is Q and twice the sum of y_t W_t.x_t, where W_t is what mistake t was served
    by: that sum must not be above 0.
    """

    names = ("square", "margin", "deviation", "norm")
    unit = False
    late = True
    orderless = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.parameters["update"] != "mistake":
            raise Unsound("learner: update must be 'mistake'")
        self.q = self.against = Fraction(0)
        self.begun: dict[int, int] = {}  # how many were added when a mistake was served

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Serve what was asked for, then add a mistake."""
        for number, _ in twin.served:
            self.begun[number] = len(self.added)
        begun = self.begun.pop(twin.number) if changed else 0
        known = list(self.added)
        super().round(x, y, said, changed, twin)
        if not changed:
            return
        sign, point = self.added[-1]
        self.q += self.compare(point, point)[1]
        for at, (other, kept) in enumerate(known):
            if at < begun:
                self.against += self.most(sign * other, kept, point)
            else:
                self.q += self.most(2 * sign * other, kept, point)

    def stretch(self, square_of_x: Fraction) -> None:
        """Lengths are part of Q."""

    def fall(self, margin: Fraction) -> None:
        """Add up the shortfalls."""
        self.total += max(Fraction(0), self.numbers["margin"] - margin)

    def sum_square(self) -> Fraction:
        """Return |W|^2, or slightly more."""
        return self.q + 2 * self.against

    def most_square(self) -> Fraction:
        """Return what |W|^2 must not exceed."""
        return self.q

    def settle(self) -> None:
        """Check the sums."""
        self.at_least("square", self.q, "Q")
        self.at_least("deviation", self.total, "the shortfall from the margin")


PROOFS: dict[str, type[Proof]] = {
    "DELAY-SERVED": Served,
    "PERC-SEP": Separable,
    "PERC-TD": TotalDeviation,
    "PERC-RMS": RootMeanSquare,
    "PERC-HINGE": HingeLoss,
    "PERC-FS": FreundSchapire,
}
