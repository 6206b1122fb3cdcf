"""Balanced Winnow's proof: the relative entropy to the witness never falls below 0.

With a the exact logarithms of the weights, eta times the sum of y x over the mistakes,
and Z the mean of e^a and e^-a over the n features, the relative entropy of u to the
weights ends at no more than ln(2n) - a.u + ln Z, and is not negative. As a.u is at
least eta (gamma M - TD), the bound follows if ln Z is at most M eta^2 X^2 / 2. Each
round adds no more than its share to ln Z unless rounding decided it; so that is checked
for the exact logarithms, e^a and ln Z rounded up.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.theorems import BWIN_RMS
from littlestone.theorems._rounding import exp_bounds, ln_bounds
from littlestone.verifying.proofs._exact import CONSTANT, Combination
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real
from littlestone.verifying.proofs._spans import up
from littlestone.verifying.proofs._vectors import direction_of, with_constant
from littlestone.verifying.proofs.perceptron import MeanSquare, TwoSides

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]


class BalancedProof(Proof):
    """The base of the three theorems."""

    learners = ("BalancedWinnow",)
    kinds = ("vector",)
    orderless = True
    schemas = ({"rate": above_zero, "scale": above_zero, "bias": real},)

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.rate = Fraction(parameters["rate"])
        self.bias = float(parameters["bias"])
        self.u = direction_of(witness, self.bias)
        self.begin()
        if not self.scale > 0:
            raise Unsound("scale must exceed 0")
        self.sums = Combination()
        self.mistakes = 0
        self.met: set[Any] = set()

    @property
    def scale(self) -> Fraction:
        """X."""
        return self.numbers["scale"]

    def begin(self) -> None:
        """Check the witness."""

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only mistakes matter
        """Follow the logarithms of the weights."""
        if not (changed or self.every):
            return
        full = with_constant(x, self.bias)
        self.stretch(Fraction(max(map(abs, full.values()), default=0.0)))
        if changed:
            self.mistakes += 1
            self.sums.add(1.0 if y else -1.0, full)
        self.met.update(full)
        self.measure(x, y)

    def stretch(self, largest: Fraction) -> None:
        """Take the largest |x_i|."""
        self.at_least("scale", largest, "the size of each value")

    def measure(self, x: Mapping[Any, float], y: bool) -> None:
        """Measure an example without its constant feature."""
        score = self.u.dot(with_constant(x, self.bias))
        self.fall(score if y else -score)

    def fall(self, margin: Fraction) -> None:
        """Take y u.x on a mistake."""

    def size(self, met: set[Any]) -> Fraction:
        """Return the number of features, the constant one included."""
        n = Fraction(len(met | self.u.numbers.keys()))
        self.at_least("features", n, "the number of features met in mistakes")
        return self.numbers["features"]

    def settle(self) -> None:
        """Check the shortfall."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check ln Z."""
        if counts["mistakes"] != self.mistakes:
            raise Unsound("a mistake must change the learner")
        self.settle()
        sums = self.sums.numbers
        n = self.size(self.met)
        logs = [self.rate * abs(total) for total in sums.values()]
        most = max(logs, default=Fraction(0))
        rest = exp_bounds(-most)[1] * 2 * (n - len(logs))
        weights = sum((_up(log - most) + _up(-log - most) for log in logs), rest)
        self.grow(most + ln_bounds(weights / (2 * n))[1])

    def grow(self, grown: Fraction) -> None:
        """Check ln Z, rounded up."""
        if grown > self.limit():
            raise Unsound(
                "the logarithm of the sum of the weights must be at most "
                "M eta^2 X^2 / 2: the run's rounding broke the proof"
            )

    def limit(self) -> Fraction:
        """Return what ln Z may be."""
        return self.mistakes * (self.rate * self.scale) ** 2 / 2


class Any_(BalancedProof):  # noqa: N801 - Any is taken
    """`BWIN-ANY`."""

    names = ("features", "margin", "deviation", "rate", "scale")

    def begin(self) -> None:
        """Check the rate and the witness."""
        self.equal("rate", self.rate, "the learner's")
        if self.u.sum > 1:
            raise Unsound("witness must have entries whose sizes sum to at most 1")
        self.total = Fraction(0)

    def fall(self, margin: Fraction) -> None:
        """Add up the shortfall from the margin."""
        self.total += max(Fraction(0), self.numbers["margin"] - margin)

    def settle(self) -> None:
        """Check the sum."""
        self.at_least("deviation", self.total, "the shortfall from the margin")


class RootMeanSquare(Any_):
    """`BWIN-RMS`."""

    names = ("features", "margin", "deviation", "rate", "mean_scale")

    def begin(self) -> None:
        """Also keep the squares."""
        super().begin()
        self.mean = MeanSquare()

    @property
    def scale(self) -> Fraction:
        """Q."""
        return self.numbers["mean_scale"]

    def stretch(self, largest: Fraction) -> None:
        """Add up."""
        self.mean.add(largest**2)

    def settle(self) -> None:
        """Also check the mean."""
        super().settle()
        bound = BWIN_RMS.formula(**self.numbers) if self.every else None
        self.mean.check(self, "mean_scale", bound)


class Ordered(BalancedProof):
    """`BWIN-ORDER`: what each round may cost, whatever the weights that meet it."""

    names: ClassVar[tuple[str, ...]] = ("price", "potential", "owed")
    scale = Fraction(1)  # each round has its own

    def begin(self) -> None:
        """Check the price and the witness."""
        if not self.numbers["price"] > 0:
            raise Unsound("price must exceed 0")
        if self.u.sum > 1:
            raise Unsound("witness must have entries whose sizes sum to at most 1")
        self.owed = self.spent = self.latest = Fraction(0)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Also add up what mistakes may add to ln Z."""
        super().round(x, y, said, changed, twin)
        if changed:
            self.spent += self.latest

    def stretch(self, largest: Fraction) -> None:
        """Take what a mistake on this round may add to ln Z."""
        self.latest = (self.rate * largest) ** 2 / 2

    def fall(self, margin: Fraction) -> None:
        """Add what the round may cost."""
        gain = self.rate * margin - self.latest
        self.owed += max(Fraction(0), 1 - self.numbers["price"] * gain)

    def limit(self) -> Fraction:
        """Return what ln Z may be."""
        return self.spent

    def size(self, met: set[Any]) -> Fraction:
        """Check the relative entropy of the witness to equal weights.

        What the sizes of its entries lack to 1 goes to both sides of all features.
        """
        n = Fraction(max(len(met | self.u.numbers.keys()), 1))
        rest = (1 - self.u.sum) / (2 * n)
        entropy = (2 * n - len(self.u.numbers)) * _term(rest, n)
        for entry in self.u.numbers.values():
            entropy += up(_term(abs(entry) + rest, n))
        self.at_least("potential", entropy, "the relative entropy of the witness")
        return n

    def settle(self) -> None:
        """Check what the rounds may cost."""
        self.at_least("owed", self.owed, "what the rounds may cost")


class Steps(Ordered):
    """`BWIN-STEPS`: nothing of it depends on how the run was rounded."""

    names = ("price", "potential", "grown", "owed")
    orderless = False

    def stretch(self, largest: Fraction) -> None:
        """Take values of any size."""

    def grow(self, grown: Fraction) -> None:
        """Check that ln Z is stated on the safe side."""
        self.at_least("grown", grown, "the logarithm of the mean weight")


class Separable(BalancedProof):
    """`BWIN-SEP`."""

    names = ("features", "margin", "scale", "norm")

    def begin(self) -> None:
        """Check the rate and the witness."""
        self.at_least("norm", self.u.sum, "the sum of the sizes of the entries")
        self.tuned("margin", 1)

    def tuned(self, name: str, times: int) -> None:
        """Check that the rate is the theorem's."""
        scale = self.numbers["scale"] ** 2
        if self.numbers[name] != times * self.rate * self.numbers["norm"] * scale:
            raise Unsound(
                f"{name} must be exactly {'' if times == 1 else f'{times} '}rate norm "
                "scale^2, to which the learner's rate is tuned; BWIN-ANY takes any"
            )

    def fall(self, margin: Fraction) -> None:
        """Check y u.x >= alpha."""
        self.at_most("margin", margin, "y u.x on each mistake")


class Gap(Separable):
    """`BWIN-GAP`."""

    names = ("features", "gap", "scale", "norm")

    def begin(self) -> None:
        """Check the constant feature, the rate and the witness."""
        self.equal("scale", Fraction(abs(self.bias)), "the learner's bias")
        if CONSTANT in self.u:
            raise Unsound(
                "witness: bias must be null, as the threshold takes its place"
            )
        self.at_least("norm", self.u.sum, "the sum of the sizes of the entries")
        self.tuned("gap", 4)
        self.classes = TwoSides()

    def measure(self, x: Mapping[Any, float], y: bool) -> None:
        """Keep the scores closest to the other class."""
        self.classes.add(self.u.dot(x), y)

    def size(self, met: set[Any]) -> Fraction:
        """Return the number of features, the constant one included."""
        return super().size(met - {CONSTANT}) + 1

    def settle(self) -> None:
        """Check that both classes occur, and the gap between them."""
        self.at_most("gap", self.classes.gap(), "the gap between the classes")


def _term(share: Fraction, n: Fraction) -> Fraction:
    """Return share ln(2n share), or slightly more."""
    return share * ln_bounds(2 * n * share)[1] if share else share


def _up(number: Fraction) -> Fraction:
    return exp_bounds(number)[1]


PROOFS: dict[str, type[Proof]] = {
    "BWIN-ANY": Any_,
    "BWIN-ORDER": Ordered,
    "BWIN-RMS": RootMeanSquare,
    "BWIN-STEPS": Steps,
    "BWIN-SEP": Separable,
    "BWIN-GAP": Gap,
}
