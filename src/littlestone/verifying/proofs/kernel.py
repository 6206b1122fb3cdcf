"""The Perceptron's proof in the space of a kernel.

The witness is a sum of examples of the stream, u = sum of c_j K(x_j, .), by the numbers
of their rounds. The proof only needs values of the kernel: exact for the linear and the
polynomial one, rounded outward for the Gaussian one. Each pair of examples is compared
once, at the end, in whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import floor, lcm
from typing import TYPE_CHECKING, Any, TypeAlias

from littlestone.theorems._rounding import exp_bounds
from littlestone.verifying._numbers import as_number
from littlestone.verifying.proofs._exact import square
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
    from collections.abc import Callable, Mapping

__all__ = ["PROOFS", "decay"]

_MOST_DEGREES = 1000
_BITS = 96  # of a value of the Gaussian kernel
_SLACK = 16  # what rounding adds up to in `decay`, as each of its steps loses below 2
_ZERO_FROM = 256  # e^-256 is below 2^-96

# A value of the kernel, as whole numbers below and above it.
_Span: TypeAlias = "tuple[int, int]"


@dataclass(slots=True)
class _Point:
    """An example, its label as 1 or -1, and what it counts for.

    It was added to the weights, is measured, has a coefficient in the witness; `begun`
    is how many had been added when it was served, of labels that come late.
    """

    x: Mapping[Any, float]
    sign: int
    added: bool
    measured: bool
    order: int  # how many were added before
    begun: int = 0
    coefficient: int = 0


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
        self.w_square = 0
        self.unit_of_k = 1
        self.rounds = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only updates matter
        """Keep an example that the learner kept, or that the witness names."""
        counts = changed or self.every
        if counts or self.rounds in self.terms:
            sign = 1 if y else -1
            point = _Point(x, sign, changed, counts, self.updates)
            self.points[self.rounds] = point
            self.updates += changed
            if counts:
                self.stretch(self.of_itself(x))
        self.rounds += 1

    def of_itself(self, x: Mapping[Any, float]) -> Fraction:
        """Return K(x, x)."""
        if self.parameters["kernel"] == "gaussian":
            return Fraction(1)
        if self.parameters["kernel"] == "linear":
            return square(x)
        return self.power(square(x))

    def power(self, product: Fraction) -> Fraction:
        """Return the polynomial kernel of examples with this product."""
        value = self.gamma * product + self.offset
        return Fraction(value ** self.parameters["degree"])

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Measure the witness, then the examples kept."""
        missing = sorted(self.terms.keys() - self.points.keys())
        if missing:
            raise Unsound(f"witness must name rounds of the stream, got {missing[0]}")
        unit = lcm(*(c.denominator for c in self.terms.values()))
        for t, c in self.terms.items():
            self.points[t].coefficient = c.numerator * (unit // c.denominator)
        points = [*self.points.values()]
        length, against = self.compare_all(points)
        self.length(Fraction(length, unit**2 * self.unit_of_k))
        for point, most in zip(points, against, strict=True):
            if point.measured:
                self.fall(Fraction(-most, unit * self.unit_of_k))
        super().close(counts)

    def compare_all(self, points: list[_Point]) -> tuple[int, list[int]]:
        """Return upper bounds on |u|^2, and on -y u.x for each point."""
        length, against = 0, [0] * len(points)
        self.unit_of_k, compare = self.kernel([point.x for point in points])
        for i, one in enumerate(points):
            c, sign = one.coefficient, one.sign
            low, high = compare(i, i)
            length += c * c * high
            against[i] += _most(-sign * c, low, high)
            if one.added:
                self.meet_itself(high)
            for j, other in enumerate(points[:i]):
                d = other.coefficient
                both = one.added and other.added
                if not (c or d or both):
                    continue
                low, high = compare(i, j)
                length += _most(2 * c * d, low, high)
                against[i] += _most(-sign * d, low, high)
                against[j] += _most(-other.sign * c, low, high)
                if both:
                    self.meet(other, one, low, high)
        return length, against

    def meet_itself(self, high: int) -> None:
        """Take K(x, x) of an example that was added."""
        self.w_square += high

    def meet(self, before: _Point, after: _Point, low: int, high: int) -> None:
        """Take K of two examples that were added."""
        self.w_square += _most(2 * before.sign * after.sign, low, high)

    def kernel(
        self, examples: list[Mapping[Any, float]]
    ) -> tuple[int, Callable[[int, int], _Span]]:
        """Return a function that compares two examples, in units of one over a number.

        That number comes first.
        """
        bits, rows = _whole(examples)

        def product(i: int, j: int) -> int:
            x, z = rows[i], rows[j]
            if len(z) < len(x):
                x, z = z, x
            return sum([value * z[name] for name, value in x.items() if name in z])

        if self.parameters["kernel"] == "gaussian":
            top, bottom = self.gamma.as_integer_ratio()  # bottom is a power of 2
            places = 2 * bits + bottom.bit_length() - 1
            lengths = [product(i, i) for i in range(len(rows))]

            def gaussian(i: int, j: int) -> _Span:
                apart = lengths[i] + lengths[j] - 2 * product(i, j)
                return decay((top * apart << _BITS) >> places)

            return 1 << _BITS, gaussian
        gamma, offset, degree = self.gamma, self.offset, self.parameters["degree"]
        if self.parameters["kernel"] == "linear":
            gamma, offset, degree = Fraction(1), Fraction(0), 1
        unit = lcm(gamma.denominator << 2 * bits, offset.denominator)
        times = int(gamma * unit) >> 2 * bits
        more = int(offset * unit)

        def polynomial(i: int, j: int) -> _Span:
            power = (times * product(i, j) + more) ** degree
            return power, power

        return unit**degree, polynomial

    def sum_square(self) -> Fraction:
        """Return |W|^2, or slightly more."""
        return Fraction(self.w_square, self.unit_of_k)


def _most(times: int, low: int, high: int) -> int:
    """Return an upper bound on a multiple of K."""
    return times * (high if times > 0 else low)


def _whole(
    examples: list[Mapping[Any, float]],
) -> tuple[int, list[dict[Any, int]]]:
    """Return how many bits all values have after the point, and them without it."""
    ratios = [
        {name: value.as_integer_ratio() for name, value in x.items() if value}
        for x in examples
    ]
    bits = max((b.bit_length() - 1 for x in ratios for _, b in x.values()), default=0)
    rows = [
        {name: a << bits - b.bit_length() + 1 for name, (a, b) in x.items()}
        for x in ratios
    ]
    return bits, rows


def decay(number: int) -> _Span:
    """Return whole numbers below and above 2^96 e^-x, where x is a number over 2^96.

    The number may have been rounded down.

    Examples
    --------
    >>> from littlestone.verifying.proofs.kernel import decay
    >>> low, high = decay(2**96)
    >>> round(low / 2**96, 6), high - low
    (0.367879, 32)
    >>> decay(10**40)
    (0, 1)
    """
    whole = number >> _BITS
    if whole >= _ZERO_FROM:
        return 0, 1
    ones, first, second, third = _tables()
    power = ones[whole] * first[number >> _BITS - 8 & 255] >> _BITS
    power = power * second[number >> _BITS - 16 & 255] >> _BITS
    power = power * third[number >> _BITS - 24 & 255] >> _BITS
    # What is left is below 2^-24, so the fourth term is below 2^-96.
    rest = number & (1 << _BITS - 24) - 1
    half = rest * rest >> _BITS + 1
    series = (1 << _BITS) - rest + half - (half * rest >> _BITS) // 3
    power = power * series >> _BITS
    return max(power - _SLACK, 0), min(power + _SLACK, 1 << _BITS)


@cache
def _tables() -> tuple[list[int], ...]:
    """Return 2^96 e^-k, e^(-k/2^8) and so on, rounded down, for k below 256."""
    return tuple(
        [floor(exp_bounds(Fraction(-k, 1 << shift))[0] * 2**_BITS) for k in range(256)]
        for shift in (0, 8, 16, 24)
    )


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
        self.q = self.against = 0
        self.begun: dict[int, int] = {}  # how many were added when a mistake was served

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Serve what was asked for, then add a mistake."""
        for number, _ in twin.served:
            self.begun[number] = self.updates
        at = self.rounds
        super().round(x, y, said, changed, twin)
        if changed:
            self.points[at].begun = self.begun.pop(twin.number)

    def meet_itself(self, high: int) -> None:
        """Add to Q."""
        self.q += high

    def meet(self, before: _Point, after: _Point, low: int, high: int) -> None:
        """Add to Q, unless the later one was served by the earlier one."""
        sign = before.sign * after.sign
        if before.order < after.begun:
            self.against += _most(sign, low, high)
        else:
            self.q += _most(2 * sign, low, high)

    def stretch(self, square_of_x: Fraction) -> None:
        """Lengths are part of Q."""

    def fall(self, margin: Fraction) -> None:
        """Add up the shortfalls."""
        self.total += max(Fraction(0), self.numbers["margin"] - margin)

    def sum_square(self) -> Fraction:
        """Return |W|^2, or slightly more."""
        return Fraction(self.q + 2 * self.against, self.unit_of_k)

    def most_square(self) -> Fraction:
        """Return what |W|^2 must not exceed."""
        return Fraction(self.q, self.unit_of_k)

    def settle(self) -> None:
        """Check the sums."""
        self.at_least("square", self.most_square(), "Q")
        self.at_least("deviation", self.total, "the shortfall from the margin")


PROOFS: dict[str, type[Proof]] = {
    "DELAY-SERVED": Served,
    "PERC-SEP": Separable,
    "PERC-TD": TotalDeviation,
    "PERC-RMS": RootMeanSquare,
    "PERC-HINGE": HingeLoss,
    "PERC-FS": FreundSchapire,
}
