"""The proofs about learners that follow slopes: their regret to the witness.

The losses of the learner follow from its scores, which are doubles, and those of the
witness from exact scores; both are exact, or rounded against the learner. So the
regret itself is compared with the bound, and rounding of the run cannot hide in it.
Rounds without a slope are left out: there the witness loses at least as much.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from littlestone.theorems.gradients import coin_regret
from littlestone.verifying.proofs._bounds import loss_bounds
from littlestone.verifying.proofs._exact import CONSTANT
from littlestone.verifying.proofs._proof import (
    Proof,
    Unsound,
    above_zero,
    brief,
    real,
    truth,
)
from littlestone.verifying.proofs._vectors import direction_of
from littlestone.verifying.twins._losses import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from littlestone.verifying.proofs._exact import Direction

__all__ = [
    "PROOFS",
    "Adaptive",
    "entropy_up",
    "gain_of",
    "jump",
    "over",
    "with_weights",
]

_PLAIN = ("logistic", "hinge", "square", "absolute", "poisson")
# Sums of doubles are taken to be off by this share of their terms.
_OFF = 1 + 2.0**-40
_SMALL = 1e-3  # a step whose hyperbolic sine is taken from its series


def _loss(value: Any) -> bool:
    """Return whether a parameter is a loss of a score."""
    kind = kind_of(value)
    if kind == "pinball":
        return above_zero(getattr(value, "tau", None)) and value.tau < 1
    return kind in _PLAIN or (kind == "huber" and above_zero(value.delta))


def _at_least_zero(value: Any) -> bool:
    """Return whether a parameter is a number of at least 0."""
    return real(value) and value >= 0


class Regret(Proof):
    """The base: the regret to a vector."""

    kinds = ("vector",)

    def __init__(
        self,
        parameters: Mapping[str, Any],
        witness: Mapping[str, Any],
        numbers: Mapping[str, Fraction],
    ) -> None:
        super().__init__(parameters, witness, numbers)
        self.u = self.direction(witness, float(parameters["bias"]))
        self.regret = Fraction(0)

    def direction(self, witness: Mapping[str, Any], bias: float) -> Direction:
        """Return u."""
        return direction_of(witness, bias)

    def counted(self, counts: Mapping[str, Fraction], what: str) -> Fraction | None:
        """Return None: only the rounds show the regret."""
        if what != "regret":
            raise Unsound(f"counts must be regret, got {what!r:.80}")
        return counts.get(what)

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:  # noqa: ARG002 - the score says more
        """Add what the learner lost more than the witness."""
        if changed:
            used = {CONSTANT if n is twin else n: v for n, v in twin.used.items()}
            self.regret += self.behind(used, y, twin)
            self.follow(twin)

    def behind(self, used: Mapping[Any, float], y: Any, twin: Any) -> Fraction:
        """Return what the learner lost more than the witness in a round, or more."""
        loss = self.parameters.get("loss", "square")
        theirs = loss_bounds(loss, self.u.dot(used), y)[0]
        more = loss_bounds(loss, Fraction(twin.scored), y)[1] - theirs
        return more * Fraction(getattr(twin, "counts", 1.0))

    @abstractmethod
    def follow(self, twin: Any) -> None:
        """Add to the numbers of the theorem what a round adds."""

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the regret."""
        if counts["counted"] < self.regret:
            raise Unsound(
                f"counted must be at least the regret, {brief(self.regret)}, "
                f"got {brief(counts['counted'])}"
            )

    def of(self, name: Any, twin: Any) -> Fraction:
        """Return the witness's weight of a feature."""
        return self.u.numbers.get(CONSTANT if name is twin else name, Fraction(0))


def with_weights(
    schema: Mapping[str, Any], label: Callable[[Any], bool] = truth
) -> tuple[Mapping[str, Any], ...]:
    """Return the parameters of a learner, without and with class weights.

    Examples
    --------
    >>> from littlestone.verifying.proofs.gradients import with_weights
    >>> with_weights({})[1]["class_weight"](((True, 2.0),))
    True
    """

    def weights(value: Any) -> bool:
        """Return whether a parameter is pairs of a label and a number above 0."""
        if not isinstance(value, tuple):
            return False
        pairs = [each for each in value if isinstance(each, tuple) and len(each) == 2]  # noqa: PLR2004 - pairs
        return len(pairs) == len(value) == len({each for each, _ in pairs}) and all(
            label(each) and above_zero(weight) for each, weight in pairs
        )

    return schema, {**schema, "class_weight": weights}


class Descent(Regret):
    """`OGD`."""

    learners = ("GradientDescent",)
    names = ("rate", "squares", "norm")
    schemas = with_weights({"loss": _loss, "rate": above_zero, "bias": real})

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.squares = Fraction(0)
        self.equal("rate", Fraction(self.parameters["rate"]), "the rate")
        self.covers("norm", self.u.square, "the length of the witness")

    def follow(self, twin: Any) -> None:
        """Add the squared length of the gradient."""
        values = math.fsum(v * v for v in twin.used.values()) * _OFF
        self.squares += Fraction(twin.slope) ** 2 * Fraction(values)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the gradients and the regret."""
        self.at_least("squares", self.squares, "the squares of the gradients")
        super().close(counts)


class Adaptive(Regret):
    """`ADAGRAD`."""

    learners = ("AdaGrad",)
    names = ("drift", "energy")
    schemas = with_weights(
        {"loss": _loss, "rate": above_zero, "normalize": truth, "bias": real}
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.damped: dict[Any, float] = {}
        self.drifts: list[float] = []
        self.energies: list[float] = []

    def follow(self, twin: Any) -> None:
        """Add what each feature of the round adds."""
        for name, value in twin.used.items():
            away = float(self.of(name, twin)) - twin.before[name]
            self.moved(name, twin.squares[name], twin.step, twin.slope * value, away)

    def moved(
        self, name: Any, squares: float, step: float, gradient: float, away: float
    ) -> None:
        """Add what one weight adds, which was this far from that of the witness."""
        if squares == 0.0:
            return
        damped = math.sqrt(squares) / step
        before = self.damped.get(name, 0.0)
        self.damped[name] = damped
        rise = max(0.0, damped - before) + damped * 2.0**-49
        self.drifts.append(rise * away * away)
        self.energies.append(gradient * gradient / damped)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums and the regret."""
        for name, terms in (("drift", self.drifts), ("energy", self.energies)):
            true = Fraction(math.fsum(terms) * _OFF)
            self.at_least(name, true, "what the rounds add up to")
        super().close(counts)


class Betting(Regret):
    """`COIN`."""

    learners = ("CoinBetting",)
    names = ("wealth", "bets", "excess")
    schemas = with_weights(
        {
            "loss": _loss,
            "wealth": above_zero,
            "scale": lambda value: value is None or above_zero(value),
            "bias": real,
        }
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.starts: dict[Any, tuple[float, float]] = {}  # wealth, largest gradient
        self.excess: list[float] = []
        self.twin: Any = None

    def follow(self, twin: Any) -> None:
        """Note the wealth of new features, and gradients beyond all before."""
        self.twin = twin
        for name, value in twin.used.items():
            if name in twin.wealth and name not in self.starts:
                first = twin.scale or abs(twin.held) * abs(value)
                if twin.scale is None:
                    first = max(first, _steepest(twin) * abs(value))
                self.starts[name] = twin.wealth[name], first
            beyond = abs(twin.slope - twin.held) * abs(value)
            if beyond:
                away = abs(twin.before[name]) + abs(float(self.of(name, twin)))
                self.excess.append(beyond * away)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the wealth, the bets and the regret."""
        start = Fraction(math.fsum(e for e, _ in self.starts.values()) * _OFF)
        self.at_least("wealth", start, "what the features started with")
        bets = Fraction(0)
        for name, (wealth, first) in self.starts.items():
            u, twin = abs(self.of(name, self.twin)), self.twin
            if u:
                most = Fraction(twin.scale or twin.steepest * twin.largest[name])
                turns = (Fraction(twin.up[name]) + Fraction(twin.down[name])) / most
                grown = max(Fraction(1), most / Fraction(first))
                bets += coin_regret(
                    u * most, turns * Fraction(_OFF), Fraction(wealth), grown
                )
        self.at_least("bets", bets, "what the features can fall behind")
        excess = Fraction(math.fsum(self.excess) * _OFF)
        self.at_least("excess", excess, "the part of gradients beyond all before")
        super().close(counts)


def _steepest(twin: Any) -> float:
    """Return the steepest slope as it was when the latest round was scored."""
    # It grows after the bets, by the slope of the round alone.
    grew = abs(twin.slope) > abs(twin.held)
    return abs(twin.held) if grew else float(twin.steepest)


class Proximal(Regret):
    """`FTRL-L1`."""

    learners = ("FTRL",)
    names = ("rate", "l1", "l2", "size", "norm", "drift", "energy")
    schemas = with_weights(
        {
            "loss": _loss,
            "rate": above_zero,
            "l1": _at_least_zero,
            "l2": _at_least_zero,
            "normalize": truth,
            "bias": real,
        }
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        for name in ("rate", "l1", "l2"):
            self.equal(name, Fraction(self.parameters[name]), f"the {name}")
        self.covers("norm", self.u.square, "the length of the witness")
        self.at_least("size", self.u.sum, "the sum of the witness's sizes")
        self.drifts: list[float] = []
        self.energies: list[float] = []

    def follow(self, twin: Any) -> None:
        """Add what each feature of the round adds."""
        for name, value in twin.used.items():
            damped = (1.0 + math.sqrt(twin.squares[name])) / twin.rate + twin.l2
            away = float(self.of(name, twin)) - twin.before[name]
            gradient = twin.slope * value
            rise = twin.steps[name] + damped * 2.0**-49
            self.drifts.append(rise * away * away)
            self.energies.append(gradient * gradient / damped)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the sums and the regret."""
        for name, terms in (("drift", self.drifts), ("energy", self.energies)):
            true = Fraction(math.fsum(terms) * _OFF)
            self.at_least(name, true, "what the rounds add up to")
        super().close(counts)


class Mirrored(Regret):
    """`EG`."""

    learners = ("ExponentiatedGradient",)
    names = ("rate", "entropy", "jumps")
    schemas = with_weights(
        {"loss": _loss, "rate": above_zero, "scale": above_zero, "bias": real}
    )

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.equal("rate", Fraction(self.parameters["rate"]), "the rate")
        beta = float(self.parameters["scale"])
        sizes = [abs(float(u)) for u in self.u.numbers.values()]
        entropy = Fraction(math.fsum(entropy_up(size, beta) for size in sizes) * _OFF)
        self.at_least("entropy", entropy, "the distance of the witness from 0")
        self.beta, self.jumps = beta, list[float]()

    def follow(self, twin: Any) -> None:
        """Add the divergences of the weights from the next."""
        self.jumps += (self.beta * jump(*twin.moves[name]) for name in twin.used)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the divergences and the regret."""
        true = Fraction(math.fsum(self.jumps) * _OFF)
        self.at_least("jumps", true, "the divergences of the weights")
        super().close(counts)


class Ridge(Regret):
    """`VAW`; the matrix is the run's own."""

    learners = ("VovkAzouryWarmuth",)
    names = ("a", "norm", "spread")
    schemas = ({"a": above_zero, "bias": real},)

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.equal("a", Fraction(self.parameters["a"]), "the parameter a")
        self.covers("norm", self.u.square, "the length of the witness")
        self.spreads: list[float] = []
        self.outcome = 0.0

    def round(self, x: Any, y: Any, said: Any, changed: bool, twin: Any) -> None:
        """Take a round that the twin has just played."""
        self.outcome = float(y)
        super().round(x, y, said, changed, twin)

    def follow(self, twin: Any) -> None:
        """Add y^2 x'A^-1 x, with the example in A."""
        share = twin.spread / (1.0 + twin.spread)
        self.spreads.append(self.outcome * self.outcome * share)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the spread and the regret."""
        true = Fraction(math.fsum(self.spreads) * _OFF)
        self.at_least("spread", true, "what the rounds add up to")
        super().close(counts)


class Cautious(Regret):
    """`AIOLI`; the matrix is the run's own."""

    learners = ("AIOLI",)
    names = ("a", "norm", "gain", "excess")
    schemas = with_weights({"a": above_zero, "reach": _at_least_zero, "bias": real})

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.equal("a", Fraction(self.parameters["a"]), "the parameter a")
        self.covers("norm", self.u.square, "the length of the witness")
        self.gains: list[float] = []
        self.excess = Fraction(0)

    def behind(self, used: Mapping[Any, float], y: Any, twin: Any) -> Fraction:
        """Return what the learner lost more than the witness in a round, or more."""
        score, theirs = Fraction(twin.scored), self.u.dot(used)
        low = loss_bounds("logistic", theirs, y)[0] * Fraction(twin.counts)
        own = loss_bounds("logistic", score, y)[1] * Fraction(twin.counts)
        self.excess += over(own, low, theirs - score, twin.slope, twin.bend)
        return own - low

    def follow(self, twin: Any) -> None:
        """Add what the round adds to the gain."""
        self.gains += gain_of(twin)

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Check the gain, the excess and the regret."""
        terms = [max(0.0, term) * _OFF + min(0.0, term) / _OFF for term in self.gains]
        self.at_least("gain", Fraction(math.fsum(terms)), "what the rounds add up to")
        self.at_least("excess", self.excess, "the quadratics above the losses")
        super().close(counts)


def gain_of(twin: Any) -> tuple[float, float]:
    """Return what the latest round of AIOLI adds to the gain, and takes from it.

    Examples
    --------
    >>> from littlestone.verifying.proofs.gradients import gain_of
    >>> from littlestone.verifying.twins import AIOLI
    >>> twin = AIOLI(1.0, reach=0.0, bias=0.0)
    >>> twin.play({"a": 1.0}, True)
    True
    >>> gain_of(twin)
    (0.1, -0.0)
    """
    half = math.tanh(twin.scored / 2)
    slope = twin.slope - half
    up = slope * slope * twin.spread / (1.0 + twin.bend * twin.spread) / 2
    return up, -half * half * twin.spread / 2


def over(
    own: Fraction, theirs: Fraction, away: Fraction, slope: float, bend: float
) -> Fraction:
    """Return by how much the quadratic of a round is above the loss of the witness.

    The quadratic has the loss `own` where the learner scored, and is asked `away`.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.gradients import over
    >>> over(Fraction(1), Fraction(2), Fraction(4), -0.5, 0.25)
    Fraction(0, 1)
    >>> over(Fraction(1), Fraction(0), Fraction(4), -0.5, 0.25)
    Fraction(1, 1)
    """
    bent = own + Fraction(slope) * away + Fraction(bend) * away * away / 2
    return max(Fraction(0), bent - theirs)


def entropy_up(size: float, beta: float) -> float:
    """Return u asinh(u/b) - sqrt(u^2 + b^2) + b for u of this size, or slightly more.

    Examples
    --------
    >>> from littlestone.verifying.proofs.gradients import entropy_up
    >>> round(entropy_up(1.0, 1.0), 6), entropy_up(0.0, 1.0)
    (0.46716, 0.0)
    """
    if size == 0.0:
        return 0.0
    first, second = size * math.asinh(size / beta), math.hypot(size, beta)
    return max(0.0, first - second + beta) + (first + second + beta) * 2.0**-48


def jump(before: float, after: float) -> float:
    """Return sinh(a) (a - a') - cosh(a) + cosh(a'), without cancellation.

    Examples
    --------
    >>> from littlestone.verifying.proofs.gradients import jump
    >>> round(jump(0.0, 1.0), 6), jump(2.0, 2.0)
    (0.543081, 0.0)
    """
    step = after - before
    half = math.sinh(step / 2)
    odd = math.sinh(step) - step
    if abs(step) < _SMALL:
        odd = step**3 / 6 + step**5 / 120
    return math.cosh(before) * 2 * half * half + math.sinh(before) * odd


PROOFS = {
    "OGD": Descent,
    "ADAGRAD": Adaptive,
    "COIN": Betting,
    "FTRL-L1": Proximal,
    "EG": Mirrored,
    "VAW": Ridge,
    "AIOLI": Cautious,
}
