"""The Perceptron's proof: its weights are long if it errs often, yet never long.

Let W be the exact sum of the examples added, U of them. Then W.u >= gamma U - TD, and
|W|^2 <= R^2 U because an update has y w.x <= 0. The second is where rounding could
hide: the Perceptron decides by weights in doubles. So it is checked for the exact sum,
and with W.u <= |u| |W| the bound follows.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verify.proofs._exact import CONSTANT, Combination, Direction, square
from littlestone.verify.proofs._proof import Proof, Unsound, real, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS", "PerceptronProof"]


class PerceptronProof(Proof):
    """What all the Perceptron's theorems share."""

    learners = ("Perceptron", "AveragedPerceptron", "VotedPerceptron")
    kinds = ("vector",)
    schemas = (
        {
            "update": lambda value: value in ("mistake", "margin"),
            "normalize": truth,
            "bias": real,
        },
        {"bias": real},
    )
    unit: ClassVar[bool] = True  # u has length 1, or less

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.bias = float(parameters["bias"])
        self.u = Direction(witness["entries"], witness["bias"])
        if CONSTANT in self.u.numbers and not self.bias:
            raise Unsound("witness: bias must be null, as there is no constant feature")
        if self.unit and self.u.square > 1:
            raise Unsound("witness must be a vector of length at most 1")
        self.w = Combination()
        self.updates = 0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only updates matter
        """Add an example that was added, as it was added."""
        if not changed:
            return
        if self.parameters.get("normalize"):
            x = _scaled(x)
        self.updates += 1
        self.look(x, y)
        if self.bias:
            x = {**x, CONSTANT: self.bias}
        self.w.add(1.0 if y else -1.0, x)
        self.measure(x, y)

    def look(self, x: Mapping[Any, float], y: bool) -> None:
        """Look at an example without its constant feature."""

    def measure(self, x: Mapping[Any, float], y: bool) -> None:
        """Measure an example as it was added."""
        self.covers("radius", square(x), "the length of each example added")
        margin = self.u.dot(x) if y else -self.u.dot(x)
        self.fall(margin)

    def fall(self, margin: Fraction) -> None:
        """Hear of y u.x."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the length of the sum."""
        if counts["updates"] != self.updates:
            raise Unsound(f"updates must be {self.updates}, got {counts['updates']}")
        if self.w.square > self.radius_square() * self.updates:
            raise Unsound(
                "|w|^2 must be at most R^2 U for the exact sum w of the examples "
                "added: the run's rounding broke the proof"
            )

    def radius_square(self) -> Fraction:
        """Return the square of R, the constant feature included."""
        return self.numbers["radius"] ** 2


class Separable(PerceptronProof):
    """`PERC-SEP`."""

    names = ("radius", "margin", "norm")
    unit = False

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.covers("norm", self.u.square, "the length of the witness")

    def fall(self, margin: Fraction) -> None:
        """Check y u.x >= gamma."""
        self.at_most("margin", margin, "y u.x on each update")


class TotalDeviation(PerceptronProof):
    """`PERC-TD`."""

    names = ("radius", "margin", "deviation")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.total = Fraction(0)

    def fall(self, margin: Fraction) -> None:
        """Add up what falls short of the margin."""
        self.total += max(Fraction(0), self.numbers["margin"] - margin)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check what fell short."""
        self.at_least("deviation", self.total, "what falls short of the margin")
        super().close(counts)


class Hinge(TotalDeviation):
    """`PERC-HINGE`."""

    names = ("radius", "margin", "hinge")

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the hinge loss."""
        loss = self.total / self.numbers["margin"]
        self.at_least("hinge", loss, "the total hinge loss")
        PerceptronProof.close(self, counts)


class FreundSchapire(PerceptronProof):
    """`PERC-FS`."""

    names = ("radius", "margin", "deviation_norm")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.squares = Fraction(0)

    def fall(self, margin: Fraction) -> None:
        """Add up the squares of what falls short of the margin."""
        short = self.numbers["margin"] - margin
        if short > 0:
            self.squares += short * short

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the root of the sum of squares."""
        what = "the root of the squares of what falls short of the margin"
        self.covers("deviation_norm", self.squares, what)
        super().close(counts)


class _Threshold(PerceptronProof):
    """What `PERC-BIAS` and `PERC-GAP` share: R and u are without constant feature."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.bias:
            raise Unsound(
                "learner: bias must not be 0, or there is no constant feature"
            )
        if CONSTANT in self.u.numbers:
            raise Unsound("witness: bias must be null, as the theorem finds it itself")

    def measure(self, x: Mapping[Any, float], y: bool) -> None:
        """Leave it to `look`."""

    def look(self, x: Mapping[Any, float], y: bool) -> None:
        """Measure the example as it came."""
        what = "the length of each example, the constant feature left out"
        self.covers("radius", square(x), what)
        self.side(self.u.dot(x), y)

    def side(self, score: Fraction, y: bool) -> None:
        """Hear of u.x."""

    def radius_square(self) -> Fraction:
        """Return the square of R, the constant feature included."""
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
        self.covers("norm", self.u.square, "the length of the witness")
        self.scores: dict[bool, Fraction] = {}

    def side(self, score: Fraction, y: bool) -> None:
        """Keep the scores nearest to the other class."""
        best = self.scores.get(y, score)
        self.scores[y] = min(best, score) if y else max(best, score)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check that both classes occur, and the gap between them."""
        if len(self.scores) < len((True, False)):
            raise Unsound("both classes must occur among the updates")
        gap = self.scores[True] - self.scores[False]
        self.at_most("gap", gap, "the gap between the classes")
        super().close(counts)


def _scaled(x: Mapping[Any, float]) -> Mapping[Any, float]:
    """Return the example as the Perceptron scales it, in doubles."""
    squares = 0.0
    for value in x.values():
        squares += value * value
    length = math.sqrt(squares) or 1.0
    return {name: value / length for name, value in x.items()}


PROOFS: dict[str, type[Proof]] = {
    "PERC-SEP": Separable,
    "PERC-TD": TotalDeviation,
    "PERC-HINGE": Hinge,
    "PERC-FS": FreundSchapire,
    "PERC-BIAS": Bias,
    "PERC-GAP": Gap,
}
