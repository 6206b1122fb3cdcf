"""The proofs about weights that fall exponentially: mix losses add up to little.

In a round with the weights q of sum 1 the mix loss is -ln(sum of q exp(-eta l))/eta.
Over a run the mix losses exceed the losses of an expert by at most ln(1/prior)/eta. In
each round the learner's loss is hardly above the mix loss; how much is where the
theorems differ. The first inequality holds for the exact weights, prior exp(-eta L),
which are followed here, rounded outward. The second is checked in each round, for the
weights of the run. These are rounded, so it may be slightly off. What is counted, the
exact loss or regret of the predictions, may not.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone import theorems
from littlestone.theorems._rounding import exp_bounds, float_down
from littlestone.verifying.proofs._forecast import (
    CHARGED,
    DRIFT,
    Forecast,
    experts,
    interval,
    known_loss,
    outcomes,
)
from littlestone.verifying.proofs._proof import Proof, Unsound, above_zero
from littlestone.verifying.proofs._spans import (
    NOTHING,
    UNIT,
    Span,
    chance,
    down,
    exponential,
    logarithm,
    up,
)
from littlestone.verifying.twins._losses import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from littlestone.verifying.proofs._forecast import Case
    from littlestone.verifying.proofs._ledger import Ledger, Round

__all__ = ["PROOFS", "Mixing", "Potential", "curved", "mix_loss"]

_NONE, _ONE = Fraction(0), Fraction(1)
_FASTEST = {"square": Fraction(1, 2), "brier": Fraction(1, 2)}  # for losses of 1
_ULP = Fraction(1, 2**50)
_STEEP = {"absolute": 1, "pinball": 1, "brier": 4}


class Mixing(Forecast):
    """The base of these proofs: adds up the mix losses."""

    def __init__(self, *given: Any) -> None:
        self.rate = _ONE
        self.price = _NONE
        self.mixed = NOTHING
        self.paid = _NONE
        self.beyond = _NONE  # how much losses exceed what the mix loss allows
        self.room = _NONE  # how much of that the rounding of the run may cause
        super().__init__(*given)

    def follow(self, played: Round, twin: Any) -> None:
        """Add up the mix losses of the rounds on which the witness is awake."""
        mixed = self.mix(played)
        if self.follows() not in played.charges:
            return
        self.mixed += mixed
        # Short numbers, so that the sums stay short.
        self.beyond += max(_NONE, up(played.own.low - self.most(mixed.high)))
        size = up(_size(played, twin))
        # Each charge is rounded, and the weights are exponentials of sums of charges.
        self.paid += size
        self.room += down(
            DRIFT * (1 / self.rate + size) + self.rate * self.paid * size * _ULP
        )

    def mix(self, played: Round) -> Span:
        """Return the mix loss of a round."""
        return mix_loss(played, self.rate)

    def follows(self) -> Any:
        """Return the expert followed in this round."""
        return self.witness["expert"]

    @abstractmethod
    def most(self, mixed: Fraction) -> Fraction:
        """Return the largest loss allowed in a round with this mix loss."""

    def lost(self) -> Fraction:
        """Return the loss of the witness."""
        return self.ledger.of(self.witness["expert"]).lost.high

    def settle(self, counted: Span) -> None:  # noqa: ARG002 - the parts are checked
        """Check both inequalities, up to rounding."""
        if self.beyond > self.room:
            raise Unsound(
                "no round may cost more than its mix loss allows: the weights are not "
                "those of the theorem"
            )
        if self.mixed.low > self.lost() + self.price / self.rate + self.room:
            raise Unsound(
                "the mix losses must not exceed the losses of the witness by more than "
                "its prior allows: the weights are not those of the theorem"
            )


class Potential:
    """The exact weights prior exp(-eta L), not those of the run.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._spans import NOTHING, Span
    >>> from littlestone.verifying.proofs.weights import Potential
    >>> half, one = Fraction(1, 2), Fraction(1)
    >>> weights = Potential(one, {"ann": half, "bob": half})
    >>> round(float(weights.mix({"ann": NOTHING, "bob": Span.of(one)}).high), 6)
    0.379885
    >>> round(float(weights.mix({"bob": Span.of(one)}).high), 6)
    1.0
    """

    def __init__(self, rate: Fraction, priors: Mapping[Any, Fraction]) -> None:
        self.rate = rate
        unit = lcm(*(prior.denominator for prior in priors.values()))
        self.shares = {name: int(prior * unit) for name, prior in priors.items()}
        self.totals = dict.fromkeys(priors, _NONE)

    def mix(self, charges: Mapping[Any, Span]) -> Span:
        """Charge the experts awake, charge the others the mix loss, and return it.

        Each total is one rational. A charge that is only known to lie between two
        rationals is taken as the larger one. For these totals the sum of the weights
        then falls at least as much as the mix loss says, and no uncertainty of one
        round is passed on to the next.
        """
        base, low, high = self._left(charges)
        for name, charge in charges.items():
            self.totals[name] += charge.tidy().high
        later, least, most = self._left(charges)
        slow = logarithm(Fraction(most, low)).high / self.rate
        fast = logarithm(Fraction(least, high)).low / self.rate
        mixed = Span(down(later - base - slow), up(later - base - fast))
        for name in self.totals.keys() - charges.keys():
            self.totals[name] += mixed.high
        return mixed

    def _left(self, names: Iterable[Any]) -> tuple[Fraction, int, int]:
        """Return the total weight awake, relative to an expert with this loss."""
        base = min(self.totals[name] for name in names)
        low = high = 0
        for name in names:
            kept = exponential(self.rate * (base - self.totals[name]))
            low += self.shares[name] * kept[0]
            high += self.shares[name] * kept[1]
        return base, low, high


def mix_loss(played: Round, rate: Fraction) -> Span:
    """Return the mix loss of a round, with the weights of the run.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._ledger import Round
    >>> from littlestone.verifying.proofs._spans import NOTHING, Span
    >>> from littlestone.verifying.proofs.weights import mix_loss
    >>> one = Fraction(1)
    >>> played = Round(NOTHING, {"a": NOTHING, "b": Span.of(one)}, {"a": one, "b": one})
    >>> round(float(mix_loss(played, one).high), 6)
    0.379885
    """
    charges = played.charges
    least = min(charges[name].low for name, weight in played.weights.items() if weight)
    # All weights are doubles, and so whole numbers over one power of two.
    bits = max(weight.denominator.bit_length() for weight in played.weights.values())
    low = high = total = 0
    for name, weight in played.weights.items():
        share = weight.numerator << bits - weight.denominator.bit_length()
        if share:
            lost = charges[name]
            kept = exponential(rate * (least - lost.high))
            total += share
            low += share * kept[0]
            if lost.low is not lost.high:
                kept = exponential(rate * min(least - lost.low, _NONE))
            high += share * kept[1]
    whole = total * UNIT
    most = logarithm(Fraction(min(high, whole), whole)).high
    fewest = logarithm(Fraction(low, whole)).low
    return Span(down(least - most / rate), up(least - fewest / rate))


def _size(played: Round, twin: Any) -> Fraction:
    """Return the size of the losses of a round, and how much they may differ."""
    size = max(each.largest for each in played.charges.values())
    kind = kind_of(twin.loss)
    if twin.gradient or kind == "zero-one":
        return size
    some = next(iter(twin.heard.values()))
    far = (
        _ONE if isinstance(some, list) else Fraction(max(map(abs, twin.heard.values())))
    )
    if kind == "log":
        likely = min(chance(f, twin.outcome) for f in twin.heard.values())
        return size + far / likely
    if kind == "percentage":
        return size + far / abs(Fraction(twin.outcome))
    if kind == "square":
        return size + 2 * (1 + size) * (1 + far)
    return size + _STEEP[kind] * far


class _Exponential(Mixing):
    """Exponential weights with a fixed rate."""

    learners = ("ExponentialWeights",)
    schemas: ClassVar[Any] = ({"eta": above_zero, **CHARGED},)
    sides: ClassVar[Mapping[str, int]] = {
        "eta": 0,
        "prior": -1,
        "best": 1,
        "scale": 1,
        "rounds": 0,
    }
    sleeps = False
    exact: Potential | None = None

    def check_parameters(self) -> None:
        """Check the rate, divided by the width of the range of losses."""
        self.rate = self.case.rate
        if "eta" in self.numbers:
            self.equal("eta", self.rate, "the learner's, over the width of the range")
        self.price = logarithm(1 / self._prior()).high

    def mix(self, played: Round) -> Span:
        """Return the mix loss of the exact weights."""
        if self.exact is None:
            shares = self.ledger.priors(self.parameters)
            self.exact = Potential(self.rate, shares)
        return self.exact.mix(played.charges)

    def _prior(self) -> Fraction:
        prior = self.numbers["prior"]
        if not 0 < prior <= 1:
            raise Unsound("prior must lie above 0 and be at most 1")
        return prior

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the rate and the prior."""
        if case.ledger.sleepy and not cls.sleeps:
            raise Unsound("no expert may sleep; SLEEP and its variants allow it")
        return {"eta": case.rate, "prior": case.prior}


class Losses(_Exponential):
    """`EWA`."""

    names: ClassVar[tuple[str, ...]] = ("eta", "best", "prior", "scale")

    def most(self, mixed: Fraction) -> Fraction:
        """Return the most that the chord of the exponential allows."""
        return mixed * theorems.EWA.formula(
            eta=self.rate, best=1, prior=1, scale=self.numbers["scale"]
        )

    @classmethod
    def count(cls, case: Case) -> Span:
        """Return the learner's loss while the witness was awake."""
        return case.account.own

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Also return the loss of the witness, and the largest loss."""
        account = case.account
        if case.ledger.gradient:
            raise Unsound("the theorem is about losses, got slopes")
        if account.smallest < 0:
            raise Unsound("no loss may be below 0")
        return super().measure(case) | {
            "best": account.lost.high,
            "scale": account.largest or _ONE,
        }


class Tuned(Losses):
    """`EWA-TUNED`."""

    names = ("best", "prior", "scale")

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the best loss to which the rate is tuned."""
        numbers = super().measure(case)
        price = logarithm(1 / numbers["prior"])
        size = numbers["scale"]
        if not price.low > 0:
            raise Unsound("the prior must be below 1, or there is nothing to tune")
        # At most exp(eta B) - 1, so the best loss is at least what eta is tuned to.
        grown = 1 / exp_bounds(-case.rate * size)[1] - 1
        if not grown > 0:
            raise Unsound("the rate must be larger to be tuned to any loss")
        best = 2 * size * price.high / grown**2
        if numbers["best"] > best * (1 + DRIFT):
            raise Unsound(
                "the witness must lose no more than the rate is tuned to, "
                f"{float(best):g}"
            )
        del numbers["eta"]
        return numbers | {"best": max(best, numbers["best"])}

    def settle(self, counted: Span) -> None:
        """Check that the stated bound is at least that of EWA for this rate."""
        given = dict(self.numbers)
        if theorems.EWA.formula(eta=self.rate, **given) > theorems.EWA_TUNED.formula(
            **given
        ):
            raise Unsound("best must be the loss that the learner's rate is tuned to")
        super().settle(counted)


class Horizon(_Exponential):
    """`EWA-T`."""

    names: ClassVar[tuple[str, ...]] = ("rounds", "eta", "prior", "scale")

    def most(self, mixed: Fraction) -> Fraction:
        """Return the most that Hoeffding's lemma allows."""
        return mixed + self.rate * self.numbers["scale"] ** 2 / 8

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Also return the rounds, and how far apart losses are."""
        account = case.account
        return super().measure(case) | {
            "rounds": Fraction(account.rounds),
            "scale": account.spread or _ONE,
        }


class Curved(_Exponential):
    """`EWA-XC`."""

    names = ("eta", "prior")

    def most(self, mixed: Fraction) -> Fraction:
        """Return the mix loss."""
        return mixed

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Check that the loss is curved enough for the rate."""
        curved(case.ledger, case.rate, case.account.largest)
        return super().measure(case)


def curved(ledger: Ledger, rate: Fraction, largest: Fraction) -> None:
    """Refuse a loss whose exponential is not concave at this rate.

    For the square of a distance d, exp(-eta d^2) is concave while 2 eta d^2 <= 1.
    """
    if ledger.gradient:
        raise Unsound("the loss must be curved, got slopes")
    if ledger.kind == "log":
        most = _ONE
    elif ledger.kind in _FASTEST:
        most = _FASTEST[ledger.kind] / largest if largest else rate
    else:
        raise Unsound(f"the loss must be curved, got {ledger.kind}")
    if rate > most:
        raise Unsound(
            f"eta must be at most {float(most):g} for losses of this size, over the "
            f"width of the range, got {float(rate):g}"
        )


class SleepingLosses(Losses):
    """`SLEEP`."""

    sleeps = True


class SleepingHorizon(Horizon):
    """`SLEEP-T`."""

    sleeps = True


class SleepingCurved(Curved):
    """`SLEEP-XC`."""

    sleeps = True


_AGGREGATED = {
    "loss": lambda value: (
        known_loss(value) and kind_of(value) in ("log", "brier", "square")
    ),
    "outcomes": outcomes,
    "experts": experts,
}


class Aggregating(Curved):
    """`AA`."""

    learners = ("AggregatingAlgorithm",)
    schemas = (
        {**_AGGREGATED, "interval": interval},
        _AGGREGATED,  # before there was an interval
    )

    def check_parameters(self) -> None:
        """Check the rate, for which every mix loss can be matched."""
        square = kind_of(self.parameters["loss"]) == "square"
        if self.parameters.get("outcomes" if square else "interval") is not None:
            raise Unsound(
                "learner: outcomes are for log and brier loss, an interval is for the "
                "square loss"
            )
        self.rate = _rate(self.parameters)
        self.equal("eta", self.rate, "the learner's")
        self.price = logarithm(1 / self._prior()).high

    @classmethod
    def measure(cls, case: Case) -> dict[str, Fraction]:
        """Return the rate and the prior, even if experts sleep."""
        if (
            len(case.ledger.accounts) == 1
        ):  # the bound is 0, and leaves nothing to rounding
            raise Unsound("there must be at least two experts")
        return {"eta": _rate(case.parameters), "prior": case.prior}


def _rate(parameters: Mapping[str, Any]) -> Fraction:
    """Return the rate: 1, or that of the square loss on the learner's interval."""
    if kind_of(parameters["loss"]) != "square":
        return _ONE
    low, high = parameters.get("interval") or (0, 1)
    return Fraction(float_down(2 / (Fraction(high) - Fraction(low)) ** 2))


PROOFS: dict[str, type[Proof]] = {
    "EWA": Losses,
    "EWA-TUNED": Tuned,
    "EWA-T": Horizon,
    "EWA-XC": Curved,
    "SLEEP": SleepingLosses,
    "SLEEP-T": SleepingHorizon,
    "SLEEP-XC": SleepingCurved,
    "AA": Aggregating,
}
