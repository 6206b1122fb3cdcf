"""The proofs of weighted votes: mistakes cost weight, and the witness keeps some.

Each mistake leaves at most (1 + beta)/2 or 7/8 of the total weight, of which the
witness has its prior times a power of beta or 1/2. Powers of beta are rounded to
doubles, which could flip a vote. So the total that is left is checked for the exact
weights, which follow from the experts' mistakes. A vote that rounding flips was nearly
tied and costs next to nothing, so this check allows one part in 2^40 of the bound; the
check that the bound holds allows nothing.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import theorems
from littlestone.theorems._premises import inverse_prior
from littlestone.theorems._rounding import ln_bounds
from littlestone.verifying.proofs._crowd import between, crowd, seed
from littlestone.verifying.proofs._exact import dot
from littlestone.verifying.proofs._proof import Proof, Unsound
from littlestone.verifying.proofs.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PROOFS", "Weights", "fallen"]

_BITS = 2048  # of powers, which are rounded up
_ALLOWED = Fraction(1, 2**40)  # of the bound, for rounded votes and probabilities


class Weights(Votes):
    """The base of weighted votes."""

    theorem: ClassVar[theorems.Theorem]  # the bound
    most: ClassVar[str]  # the largest share that may be left

    def settle(self, counts: Mapping[str, Fraction]) -> None:
        """Check that the total weight has fallen as much as the mistakes imply."""
        allowed = _ALLOWED * self.theorem.formula(**self.numbers)
        if self.rate() * (counts["counted"] - allowed) > self.fall():
            raise Unsound(
                f"the share left of the total weight must be at most {self.most}, for "
                "exact weights: the run's rounding broke the proof"
            )

    @abstractmethod
    def rate(self) -> Fraction:
        """Return how much one mistake lowers the logarithm, or slightly more."""

    @abstractmethod
    def fall(self) -> Fraction:
        """Return how much the logarithm has fallen, or slightly less."""


class Weighed(Weights):
    """`WM`."""

    learners = ("WeightedMajority",)
    names: ClassVar[tuple[str, ...]] = ("best", "beta", "experts")
    schemas = ({"beta": between, "experts": crowd},)
    theorem = theorems.WM
    most = "((1 + beta)/2)^mistakes"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.equal("beta", Fraction(self.parameters["beta"]), "the learner's")

    def rate(self) -> Fraction:
        """Return ln(2/(1 + beta))."""
        return ln_bounds(2 / (1 + self.numbers["beta"]))[1]

    def fall(self) -> Fraction:
        """Return ln(first W / last W)."""
        return fallen(self.numbers["beta"], _mistakes(self.twin))


class Floored(Weights):
    """`WM-FLOOR` and `WM-FLOOR-START`."""

    learners = ("FloorWeightedMajority",)
    names = ("best", "experts")
    schemas = ({"experts": crowd},)
    theorem = theorems.WM_FLOOR_START
    most = "(7/8)^mistakes"

    def rate(self) -> Fraction:
        """Return ln(8/7)."""
        return ln_bounds(Fraction(8, 7))[1]

    def fall(self) -> Fraction:
        """Return ln(first W / last W), as the twin has them."""
        twin = self.twin
        left = dot((weight, 1.0) for weight in twin.each.values())
        whole = dot((prior, 1.0) for prior in twin.priors.values())
        scaled: Fraction = (
            400 * twin.scaled * ln_bounds(Fraction(2))[0]
        )  # it scales them up
        return scaled + ln_bounds(whole / left)[0]


class Drawn(Weights):
    """`RWM`."""

    learners = ("RandomizedWeightedMajority",)
    names: ClassVar[tuple[str, ...]] = ("best", "epsilon", "experts")
    schemas = ({"epsilon": between, "seed": seed, "experts": crowd},)
    theorem = theorems.RWM
    most = "e^(-epsilon expected mistakes)"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        # Weights are multiplied by 1 - epsilon, rounded to a double.
        self.kept = Fraction(1 - float(self.parameters["epsilon"]))
        self.tuned()

    def tuned(self) -> None:
        """Check epsilon."""
        self.equal("epsilon", self.rate(), "the share of a weight that a mistake takes")

    def costs(self, votes: Mapping[Any, bool], y: bool, said: bool) -> bool:  # noqa: ARG002 - another expert might have been drawn
        """Return whether some expert was wrong."""
        return any(vote != y for vote in votes.values())

    def rate(self) -> Fraction:
        """Return epsilon."""
        return 1 - self.kept

    def fall(self) -> Fraction:
        """Return ln(first W / last W)."""
        return fallen(self.kept, _mistakes(self.twin))


class Tuned(Drawn):
    """`RWM-TUNED`."""

    names = ("best", "experts")
    theorem = theorems.RWM_TUNED

    def tuned(self) -> None:
        """Check that epsilon is tuned to the mistakes, up to rounding."""
        experts, prior = self.numbers.get("experts"), self.numbers.get("prior")
        low, high = ln_bounds(inverse_prior(experts, prior))
        square = Fraction(self.parameters["epsilon"]) ** 2 * self.numbers["best"]
        if not low * (1 - _ALLOWED) <= square <= high * (1 + _ALLOWED):
            raise Unsound(
                "best must be ln N/epsilon^2, or ln(1/prior)/epsilon^2, to which "
                "the learner's epsilon is tuned; RWM takes any"
            )
        plain = theorems.RWM.formula(epsilon=self.rate(), **self.numbers)
        if plain > self.theorem.formula(**self.numbers):
            raise Unsound("epsilon must be tuned to these numbers")

    def count(self) -> None:
        """Check the mistakes of the witness, which may be fewer."""
        self.at_least("best", Fraction(self.best), "the mistakes of the witness")


def fallen(beta: Fraction, weights: Iterable[tuple[float, int]]) -> Fraction:
    """Return how much the logarithm of the total weight has fallen, or slightly less.

    Each expert has a prior and its mistakes, and the weight prior * beta^mistakes.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.majorities import fallen
    >>> round(float(fallen(Fraction(1, 2), [(1.0, 0), (1.0, 2)])), 6)  # ln(8/5)
    0.470004
    """
    priors: dict[int, list[float]] = {}
    for prior, mistakes in weights:
        priors.setdefault(mistakes, []).append(prior)
    fewest, whole, left = min(priors), Fraction(0), Fraction(0)
    for mistakes, some in priors.items():
        total = dot((prior, 1.0) for prior in some)
        whole += total
        left += total * _power_up(beta, mistakes - fewest)
    return fewest * ln_bounds(1 / beta)[0] - ln_bounds(left / whole)[1]


def _mistakes(twin: Any) -> Iterable[tuple[float, int]]:
    """Return the prior and the mistakes of each expert."""
    return ((prior, twin.mistakes[expert]) for expert, prior in twin.priors.items())


def _power_up(base: Fraction, times: int) -> Fraction:
    """Return a power of a number below 1, or slightly more."""
    power, square = 1 << _BITS, math.ceil(base * (1 << _BITS))
    while times:
        if times % 2:
            power = -(-power * square >> _BITS)
        square = -(-square * square >> _BITS)
        times //= 2
    return Fraction(power, 1 << _BITS)


PROOFS: dict[str, type[Proof]] = {
    "WM": Weighed,
    "WM-FLOOR": Floored,
    "WM-FLOOR-START": Floored,
    "RWM": Drawn,
    "RWM-TUNED": Tuned,
}
