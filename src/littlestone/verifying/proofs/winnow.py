"""Winnow's proofs: the sum of the weights stays above 0, and no weight grows for ever.

With elimination, count how often each relevant weight was promoted. With demotion,
follow the logarithms of the weights, in powers of the promotion: a promotion adds x to
them, a demotion subtracts x. In both cases the numbers of promotions and demotions must
be possible for the sum of the weights. All of it is exact, even where the run rounded.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.theorems._rounding import ceil_log, ln_bounds
from littlestone.verifying.proofs._exact import Direction
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS", "largest_power", "most_demotions"]

_MOST_PROMOTIONS = 10**5  # of one weight; more would take too long to count


def most_demotions(
    features: Fraction, theta: Fraction, beta: Fraction, promotions: int
) -> Fraction:
    """Return the most demotions that the sum of the weights allows.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.winnow import most_demotions
    >>> most_demotions(Fraction(9), Fraction(9), Fraction(3, 2), promotions=2)
    Fraction(6, 1)
    """
    return beta / (beta - 1) * features / theta + beta * promotions


def largest_power(
    theta: Fraction, beta: Fraction, smallest: Fraction = Fraction(1)
) -> Fraction:
    """Return the largest logarithm of a weight, to the base beta, or slightly more.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.winnow import largest_power
    >>> round(float(largest_power(Fraction(8), Fraction(2))), 6)  # 1 + lg 8
    4.0
    """
    ln_beta = ln_bounds(beta)[0]
    least = smallest + ln_bounds(1 / smallest)[1] / ln_beta
    return ln_bounds(theta)[1] / ln_beta + max(Fraction(1), least)


class WinnowProof(Proof):
    """The base of Winnow's theorems."""

    learners = ("Winnow",)
    kinds = ("vector",)
    schemas = (
        {
            "threshold": lambda value: above_zero(value) and value >= 1,
            "promotion": lambda value: above_zero(value) and value > 1,
            "eliminate": truth,
        },
    )

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.theta = Fraction(parameters["threshold"])
        self.beta = Fraction(parameters["promotion"])
        for name, true in (("threshold", self.theta), ("promotion", self.beta)):
            if name in numbers:
                self.equal(name, true, "the learner's")
        if witness["bias"] is not None:
            raise Unsound("witness: bias must be null, as there is no constant feature")
        self.u = Direction(witness["entries"])
        if min(self.u.numbers.values(), default=Fraction(0)) < 0:
            raise Unsound("witness must have no entry below 0")
        self.features: set[Any] = set()
        self.smallest = Fraction(numbers.get("smallest", 1))
        self.promotions = self.demotions = 0

    def of_ones(self) -> None:
        """Check a witness that names the relevant features."""
        if set(self.u.numbers.values()) != {Fraction(1)}:
            raise Unsound("witness must have the entry 1 for each relevant feature")
        relevant = Fraction(len(self.u.numbers))
        self.equal("relevant", relevant, "the number of entries of the witness")

    def usual(self, gap: Fraction) -> None:
        """Check the parameters that the theorem is about."""
        if self.beta != 1 + gap / 2:
            raise Unsound(
                "learner: promotion must be exactly the theorem's; WIN2-SEP takes any"
            )
        threshold = self.numbers.get("threshold", self.numbers["features"])
        if threshold != self.theta:
            raise Unsound("learner: threshold must be the number of features")

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - only mistakes matter
        """Count a promotion or a demotion."""
        if not changed:
            return
        self.bounded(x)
        self.features.update(x)
        self.promotions += y
        self.demotions += not y
        self.weigh(x, y, self.u.dot(x))

    def bounded(self, x: Mapping[Any, float]) -> None:
        """Refuse an example with other values."""
        for value in x.values():
            if not self.smallest <= value <= 1:
                raise Unsound(
                    f"each feature must be 0 or from {float(self.smallest):g} to 1"
                )

    @abstractmethod
    def weigh(self, x: Mapping[Any, float], y: bool, score: Fraction) -> None:
        """Take an example that changed the weights, and mu.x."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the number of features, and the sum of the weights."""
        if counts["mistakes"] != self.promotions + self.demotions:
            raise Unsound("a mistake must change the learner")
        seen = Fraction(len(self.features))
        self.at_least("features", seen, "the number of features met in mistakes")
        if self.demotions > self.most_demotions():
            raise Unsound(
                "the sum of the weights must not fall below 0: the run's rounding "
                "broke the proof"
            )

    def most_demotions(self) -> Fraction:
        """Return the most demotions that the sum of the weights allows."""
        n = self.numbers["features"]
        return most_demotions(n, self.theta, self.beta, self.promotions)


class Elimination(WinnowProof):
    """`WIN1`."""

    names = ("features", "relevant", "threshold", "promotion")

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if not self.parameters["eliminate"]:
            raise Unsound("learner: eliminate must be True")
        self.of_ones()
        most = ln_bounds(self.theta)[1] / ln_bounds(self.beta)[0]
        if most > _MOST_PROMOTIONS:
            raise Unsound("learner: promotion must be further above 1 to be judged")
        self.counts = dict.fromkeys(self.u.numbers, 0)

    def weigh(self, x: Mapping[Any, float], y: bool, score: Fraction) -> None:
        """Count the promotions of the relevant weights."""
        if (score > 0) != y:
            raise Unsound("the label must be the disjunction of the relevant features")
        for name in self.counts.keys() & x.keys():
            self.counts[name] += y

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check how often a weight was promoted."""
        super().close(counts)
        most = ceil_log(self.beta, self.theta)
        if max(self.counts.values()) > most:
            raise Unsound(f"a relevant weight must be promoted at most {most} times")

    def most_demotions(self) -> Fraction:
        """Return the most demotions that the sum of the weights allows."""
        return self.numbers["features"] / self.theta + (self.beta - 1) * self.promotions


class Demotion(WinnowProof):
    """`WIN2-SEP`."""

    names: ClassVar[tuple[str, ...]] = (
        "features",
        "weight",
        "gap",
        "threshold",
        "promotion",
        "smallest",
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        if self.parameters["eliminate"]:
            raise Unsound("learner: eliminate must be False")
        self.level, self.gap = self.target()
        self.potential = Fraction(0)  # mu times the logarithms of the weights

    def target(self) -> tuple[Fraction, Fraction]:
        """Return the level that the scores of yes reach, and the gap to those of no."""
        self.at_least("weight", self.u.sum, "the sum of the witness")
        return Fraction(1), self.numbers["gap"]

    def weigh(self, x: Mapping[Any, float], y: bool, score: Fraction) -> None:  # noqa: ARG002 - the score is enough
        """Follow the potential."""
        if y and score < self.level:
            raise Unsound("mu.x must reach the level on each missed yes")
        if not y and score > self.level - self.gap:
            raise Unsound("mu.x must leave the gap on each false alarm")
        self.potential += score if y else -score

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check that no weight has grown too large."""
        super().close(counts)
        highest = largest_power(self.theta, self.beta, self.smallest)
        if self.potential > self.u.sum * highest:
            raise Unsound(
                "no weight may grow beyond what the threshold allows: the run's "
                "rounding broke the proof"
            )


class Slack(Demotion):
    """`WIN2-SLACK`."""

    names: ClassVar[tuple[str, ...]] = (*Demotion.names, "slack")
    orderless = True

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.missed = Fraction(0)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Also measure the rounds without a mistake, for every order."""
        if self.every and not changed:
            self.bounded(x)
            self.features.update(x)
            self.miss(y, self.u.dot(x))
        super().round(x, y, said, changed, twin)

    def weigh(self, x: Mapping[Any, float], y: bool, score: Fraction) -> None:  # noqa: ARG002 - the score is enough
        """Follow the potential, and add up what is missed."""
        self.miss(y, score)
        self.potential += score if y else -score

    def miss(self, y: bool, score: Fraction) -> None:
        """Add up by how much mu.x misses the level or the gap."""
        short = self.level - score if y else score - (self.level - self.gap)
        self.missed += max(Fraction(0), short)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Also check the slack."""
        super().close(counts)
        self.at_least("slack", self.missed, "what mu.x misses")


class OfR(Demotion):
    """`WIN2-KOFR`."""

    names: ClassVar[tuple[str, ...]] = ("features", "relevant", "k")

    def target(self) -> tuple[Fraction, Fraction]:
        """Return k and 1."""
        self.of_ones()
        level = self.numbers.get("k", Fraction(1))
        if level < 1:
            raise Unsound("k must be at least 1")
        self.usual(1 / level)
        return level, Fraction(1)


class Disjunction(OfR):
    """`WIN2-DISJ`."""

    names = ("features", "relevant")


class LevelGap(Demotion):
    """`WIN2-GAP`."""

    names = ("features", "weight", "level", "gap", "threshold", "smallest")

    def target(self) -> tuple[Fraction, Fraction]:
        """Return the level and the gap."""
        self.at_least("weight", self.u.sum, "the sum of the witness")
        level, gap = self.numbers["level"], self.numbers["gap"]
        if not level > 0:
            raise Unsound("level must exceed 0")
        self.usual(gap / level)
        return level, gap


PROOFS: dict[str, type[Proof]] = {
    "WIN1": Elimination,
    "WIN2-SEP": Demotion,
    "WIN2-SLACK": Slack,
    "WIN2-DISJ": Disjunction,
    "WIN2-KOFR": OfR,
    "WIN2-GAP": LevelGap,
}
