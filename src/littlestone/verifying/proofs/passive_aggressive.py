"""The passive-aggressive proofs: each loss brings the weights closer to u.

An update adds tau y x, tau as the run computed it. For the exact sum W of these, with
l = 1 - y W.x and l* the loss of u, |W - u|^2 falls by at least
2 tau (l - l*) - tau^2 |x|^2, and never below 0. So the sum of 2 tau l - tau^2 |x|^2 is
at most |u|^2 + 2 sum of tau l*. That this sum is also as large as the theorem says for
so many mistakes is where rounding could hide, and is checked for the exact W.

The step itself is rounded, so a run that attains the bound falls short by the square of
that rounding. The check allows `ROUNDING` of the bound.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying.proofs._exact import Combination, Direction, square
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero, real
from littlestone.verifying.proofs._spans import down, up
from littlestone.verifying.proofs._vectors import direction_of, with_constant

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "PROOFS",
    "ROUNDING",
    "First",
    "PassiveAggressiveProof",
    "Second",
    "Steps",
    "Unlimited",
]


ROUNDING = Fraction(1, 2**40)
_NONE, _ONE = Fraction(0), Fraction(1)


class PassiveAggressiveProof(Proof):
    """The base of the three modes."""

    learners = ("PassiveAggressive",)
    kinds = ("vector",)
    orderless = True
    schemas: ClassVar[Any] = (
        {
            "C": above_zero,
            "mode": lambda value: value in (None, "I", "II"),
            "bias": real,
        },
    )
    mode: ClassVar[str | None] = None
    copies: ClassVar[int] = 1  # how many times an update adds the example

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.begin()
        self.C = Fraction(parameters["C"])
        if "aggressiveness" in numbers:
            self.equal("aggressiveness", self.C, "the learner's C")
        self.bias = float(parameters["bias"])
        self.u = self.direction(witness)
        self.measure()
        self.w = Combination()
        self.mistakes = 0
        self.progress = self.losses = Fraction(0)

    def measure(self) -> None:
        """Check the length of u."""
        self.covers("norm", self.u.square, "the length of the witness")

    def begin(self) -> None:
        """Check the mode."""
        if self.parameters["mode"] != self.mode:
            raise Unsound(
                f"learner: mode must be {self.mode!r}, got {self.parameters['mode']!r}"
            )

    def direction(self, witness: Mapping[str, Any]) -> Direction:
        """Return u."""
        return direction_of(witness, self.bias)

    def added(self, x: Mapping[Any, float], y: Any, twin: Any) -> Mapping[Any, float]:  # noqa: ARG002 - used for many classes
        """Return what an update adds, as a positive example."""
        return x if y else {name: -value for name, value in x.items()}

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Follow |W - u|^2."""
        if said is None or (said == y and not (changed or self.every)):
            return
        self.mistakes += said != y
        x = with_constant(x, self.bias)
        size = square(x)
        self.stretch(size)
        if said != y and not changed and size:
            raise Unsound("a mistake must change the learner: rounding prevented it")
        x = self.added(x, y, twin)
        self.lose(max(Fraction(0), 1 - self.u.dot(x)))
        if not changed:
            # A mistake on a zero example: the formula's step would change nothing.
            self.progress += self.empty() if said != y else 0
            return
        step, loss = Fraction(twin.step), 1 - self.w.dot(x)
        self.w.add(twin.step, x)
        self.progress += self.gain(step, loss, self.copies * size)

    def stretch(self, size: Fraction) -> None:
        """Take |x|^2."""
        self.covers("radius", size, "the length of each example")

    def lose(self, loss: Fraction) -> None:
        """Take the loss of u."""

    def gain(self, step: Fraction, loss: Fraction, size: Fraction) -> Fraction:
        """Return how much closer to u an update brings the weights, less u's loss."""
        return 2 * step * loss - step**2 * size

    @abstractmethod
    def empty(self) -> Fraction:
        """Return the same for a zero example."""

    @abstractmethod
    def worth(self) -> Fraction:
        """Return the largest cost of a mistake, the inverse of its gain."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check that the mistakes have gained what they must."""
        if counts["counted"] != self.mistakes:
            raise Unsound(f"counted must be {self.mistakes}, got {counts['counted']}")
        worth = self.worth()
        allowed = ROUNDING * worth * (self.numbers["norm"] ** 2 + self.lost())
        if self.mistakes - self.progress * worth > allowed:
            raise Unsound(
                "each mistake must bring the exact weights closer to the witness: the "
                "run's rounding broke the proof"
            )

    def lost(self) -> Fraction:
        """Return what the losses of u add to its squared length."""
        return Fraction(0)

    def radius_square(self) -> Fraction:
        """Return the squared length of an update."""
        return self.copies * self.numbers["radius"] ** 2


class Unlimited(PassiveAggressiveProof):
    """`PA-SEP`."""

    names = ("radius", "norm")

    def lose(self, loss: Fraction) -> None:
        """Refuse a loss."""
        if loss:
            raise Unsound("y u.x must be at least 1 on each round with a loss")

    def empty(self) -> Fraction:
        """Return 0: u has a loss there, and was refused."""
        return Fraction(0)

    def worth(self) -> Fraction:
        """Return R^2."""
        return self.radius_square()


class First(PassiveAggressiveProof):
    """`PA1`."""

    names = ("radius", "aggressiveness", "norm", "hinge")
    mode = "I"

    def lose(self, loss: Fraction) -> None:
        """Add up."""
        self.losses += loss

    def gain(self, step: Fraction, loss: Fraction, size: Fraction) -> Fraction:
        """Refuse a step above C."""
        if step > self.C:
            raise Unsound("a step must be at most C")
        return super().gain(step, loss, size)

    def empty(self) -> Fraction:
        """Return the gain of the step C with loss 1."""
        return 2 * self.C

    def worth(self) -> Fraction:
        """Return max(R^2, 1/C)."""
        return max(self.radius_square(), 1 / self.C)

    def lost(self) -> Fraction:
        """Return 2 C H."""
        return 2 * self.C * self.numbers["hinge"]

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Also check the hinge losses."""
        self.at_least("hinge", self.losses, "the total hinge loss")
        super().close(counts)


class Second(PassiveAggressiveProof):
    """`PA2`."""

    names = ("radius", "aggressiveness", "norm", "hinge_squares")
    mode = "II"

    def lose(self, loss: Fraction) -> None:
        """Add up the squares."""
        self.losses += loss**2

    def gain(self, step: Fraction, loss: Fraction, size: Fraction) -> Fraction:
        """Also return the part that u's losses may take."""
        return super().gain(step, loss, size + 1 / (2 * self.C))

    def empty(self) -> Fraction:
        """Return the gain of the step 2C with loss 1."""
        return 2 * self.C

    def worth(self) -> Fraction:
        """Return R^2 + 1/(2C)."""
        return self.radius_square() + 1 / (2 * self.C)

    def lost(self) -> Fraction:
        """Return 2 C H2."""
        return 2 * self.C * self.numbers["hinge_squares"]

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Also check the squares of the hinge losses."""
        self.at_least("hinge_squares", self.losses, "the squares of the hinge losses")
        super().close(counts)


class Steps(PassiveAggressiveProof):
    """`PA-STEPS`: nothing of it depends on how the steps were rounded."""

    names = ("norm", "steps", "mean_loss", "gained", "gain")
    orderless = False

    def begin(self) -> None:
        """Take any mode, and add up what updates gain."""
        self.steps = self.lost_steps = self.gained = Fraction(0)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Follow |W - u|^2."""
        if said is None or (said == y and not changed):
            return
        x = with_constant(x, self.bias)
        size = square(x)
        if not changed and size:
            raise Unsound("a mistake must change the learner: rounding prevented it")
        x = self.added(x, y, twin)
        step = Fraction(twin.step) if changed else self.C
        gain = self.gain(step, 1 - self.w.dot(x), self.copies * size)
        self.steps += step
        self.lost_steps += step * max(Fraction(0), 1 - self.u.dot(x))
        if changed:
            self.w.add(twin.step, x)
        if said == y:
            self.gained += gain
        else:
            self.mistakes += 1
            self.progress += gain

    def empty(self) -> Fraction:
        """Return the gain of the step C with loss 1."""
        return 2 * self.C

    def worth(self) -> Fraction:
        """Return 1/g."""
        return 1 / self.numbers["gain"]

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums."""
        if counts["counted"] != self.mistakes:
            raise Unsound(f"counted must be {self.mistakes}, got {counts['counted']}")
        self.at_most("steps", self.steps, "the sum of the steps")
        what = "the mean loss of the witness, weighted by the steps"
        if self.numbers["steps"]:
            least = self.lost_steps / self.numbers["steps"]
            self.at_least("mean_loss", least, what)
        elif self.lost_steps:
            raise Unsound("steps must exceed 0")
        self.at_most("gained", self.gained, "what updates without a mistake gained")
        if self.mistakes:
            least = self.progress / self.mistakes
            self.at_most("gain", least, "what a mistake gained on average")


class Ordered(PassiveAggressiveProof):
    """`PA-ORDER`: what each round may cost, whatever the weights that meet it."""

    names = ("price", "potential", "owed")

    def begin(self) -> None:
        """Take any mode."""
        self.price = self.numbers["price"]
        if not self.price > 0:
            raise Unsound("price must exceed 0")
        self.owed = self.taken = Fraction(0)

    def measure(self) -> None:
        """Check the potential at first."""
        self.at_least("potential", self.u.square, "the squared length of the witness")

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Add what the round may cost, and follow |W - u|^2."""
        if said is None or (said == y and not (changed or self.every)):
            return
        full = with_constant(x, self.bias)
        size = self.copies * square(full)
        if said != y and not changed and size:
            raise Unsound("a mistake must change the learner: rounding prevented it")
        self.owed += up(self.cost(1 - self.least(full, y), size))
        self.mistakes += said != y
        if changed:
            added = self.added(full, y, twin)
            step = Fraction(twin.step)
            self.progress += down(self.gain(step, 1 - self.w.dot(added), size))
            self.taken += step * (1 - self.u.dot(added))
            self.w.add(twin.step, added)

    def least(self, x: Mapping[Any, float], y: Any) -> Fraction:
        """Return the least of u's margins on an example, if it has several."""
        return self.u.dot(self.added(x, y, None))

    def cost(self, short: Fraction, size: Fraction) -> Fraction:
        """Return the most that a round costs, if u falls so short of 1 on it.

        What an update gains is quadratic in the loss up to where the step is C, and
        rises from there; so the extremes are at the ends or at the vertex.
        """
        if not size:
            return _ONE
        if self.parameters["mode"] == "II":
            whole = size + 1 / (2 * self.C)
            bend, slope = (2 * whole - size) / whole**2, short / whole
            vertex, limit = slope / bend, None
        else:
            vertex, limit = short, self.C * size
            if self.parameters["mode"] is None:
                limit = None
        low = min(max(vertex, _NONE), _ONE)
        high = vertex
        if limit is not None:
            low, high = min(low, limit), min(high, limit)
        raised = -self._gained(low, short, size)
        least = self._gained(max(high, _ONE), short, size)
        return max(_NONE, self.price * raised, 1 - self.price * least)

    def _gained(self, loss: Fraction, short: Fraction, size: Fraction) -> Fraction:
        """Return what an update with this loss gains, what u falls short included."""
        step = loss / size
        if self.parameters["mode"] == "I":
            step = min(step, self.C)
        elif self.parameters["mode"] == "II":
            step = loss / (size + 1 / (2 * self.C))
        return self.gain(step, loss, size) - 2 * step * short

    def empty(self) -> Fraction:
        """Return 0: what a zero example costs is counted apart."""
        return _NONE

    def worth(self) -> Fraction:
        """Return the price."""
        return self.price

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check what the rounds may cost, and that those of the run cost no more."""
        if counts["counted"] != self.mistakes:
            raise Unsound(f"counted must be {self.mistakes}, got {counts['counted']}")
        self.at_least("owed", self.owed, "what the rounds may cost")
        bound = self.price * self.numbers["potential"] + self.numbers["owed"]
        cost = self.mistakes - self.price * (self.progress - 2 * self.taken)
        if cost > self.numbers["owed"] + ROUNDING * bound:
            raise Unsound(
                "each round must cost no more than the theorem says: the run's "
                "rounding broke the proof"
            )


PROOFS: dict[str, type[Proof]] = {
    "PA-ORDER": Ordered,
    "PA-SEP": Unlimited,
    "PA1": First,
    "PA2": Second,
    "PA-STEPS": Steps,
}
