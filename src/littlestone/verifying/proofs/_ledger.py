"""The exact losses of a run with expert advice.

They are the losses of the predictions, taken as the doubles that they are. With slopes
in place of losses, they are the slope of the loss at the prediction times the advice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from littlestone.theorems._rounding import ln_bounds
from littlestone.verifying.proofs._proof import Unsound
from littlestone.verifying.proofs._spans import (
    NOTHING,
    Span,
    chance,
    down,
    loss,
    slope,
    up,
)
from littlestone.verifying.twins._losses import kind_of

__all__ = [
    "Account",
    "Ledger",
    "Regrets",
    "Round",
    "Variances",
    "difference",
    "priors_of",
    "width_of",
]

_JUMP = Fraction(2, 3)
_BOA_RATE = Fraction(22, 10)
_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Round:
    """What the learner and each expert awake were charged, and the weights."""

    own: Span
    charges: dict[Any, Span]
    weights: dict[Any, Fraction]

    @property
    def total(self) -> Fraction:
        """The total weight of the experts awake."""
        return sum(self.weights.values(), _ZERO)

    @property
    def spread(self) -> Fraction:
        """The difference of the largest and the smallest charge."""
        low = min(each.low for each in self.charges.values())
        return max(each.high for each in self.charges.values()) - low


@dataclass(slots=True)
class Account:
    """The sums of one expert, on the rounds on which it was awake."""

    rounds: int = 0
    own: Span = NOTHING  # what the learner was charged
    lost: Span = NOTHING
    behind: Span = NOTHING  # how much more the learner was charged
    smallest: Fraction = _ZERO  # of all charges below 0
    largest: Fraction = _ZERO
    spread: Fraction = _ZERO
    squares: Span = NOTHING  # of the regrets
    regret: Span = NOTHING  # with losses below the range raised to its lower end
    scale: Span = NOTHING  # the largest regret
    first: Fraction = _ZERO  # the first square above 0


class Ledger:
    """The losses of all rounds so far, expert by expert.

    Examples
    --------
    >>> from littlestone.verifying.proofs._ledger import Ledger
    >>> from littlestone.verifying.twins import ExponentialWeights
    >>> twin, ledger = ExponentialWeights(), Ledger()
    >>> played = ledger.add(twin.play({"ann": 0.0, "bob": 1.0}, 1.0), twin)
    >>> ledger.accounts["ann"].lost.high, ledger.accounts["ann"].own.high
    (Fraction(1, 1), Fraction(1, 4))
    """

    def __init__(self) -> None:
        self.rounds = 0
        self.accounts: dict[Any, Account] = {}
        self.sleepy = False  # whether any expert has slept
        self.kind = ""  # of the loss
        self.gradient = False
        self._priors: dict[Any, Fraction] | None = None

    def add(self, said: Any, twin: Any) -> Round:
        """Add the round that the twin has just played."""
        if not self.accounts:
            self.accounts = {name: Account() for name in twin.names}
            self.kind, self.gradient = kind_of(twin.loss), twin.gradient
        played = _round(said, twin)
        if not played.charges.keys() <= self.accounts.keys():
            raise Unsound("advice must come from one of the experts")
        self.rounds += 1
        self.sleepy |= len(played.charges) < len(self.accounts)
        smallest = min(each.low for each in played.charges.values())
        largest = max(each.high for each in played.charges.values())
        own = played.own.tidy()
        for name, lost in played.charges.items():
            account = self.accounts[name]
            account.rounds += 1
            account.own += own
            account.lost += lost.tidy()
            account.behind += difference(played.own, lost).tidy()
            account.smallest = min(account.smallest, smallest)
            account.largest = max(account.largest, largest)
            account.spread = max(account.spread, largest - smallest)
        self.learn(played, twin)
        return played

    def learn(self, played: Round, twin: Any) -> None:
        """Measure more."""

    def priors(self, parameters: Mapping[str, Any]) -> dict[Any, Fraction]:
        """Return the prior of each expert."""
        if self._priors is None:
            self._priors = priors_of(parameters["experts"], self.accounts)
        return self._priors

    def of(self, expert: Any) -> Account:
        """Return the account of an expert."""
        if expert not in self.accounts:
            raise Unsound(f"witness: {expert!r:.80} must be one of the experts")
        return self.accounts[expert]


class Variances(Ledger):
    """A ledger with the numbers of AdaHedge's theorems."""

    def __init__(self) -> None:
        super().__init__()
        self.variance = _ZERO
        self.beyond = _ZERO  # what the learner lost more than any expert, by rounding
        self.lowest = self.highest = NOTHING

    def learn(self, played: Round, twin: Any) -> None:  # noqa: ARG002 - the charges are enough
        """Add up the variances, the smallest and the largest charges."""
        charges, total = played.charges, played.total
        most = max(each.high for each in charges.values())
        self.beyond += max(_ZERO, up(played.own.high - most))
        self.lowest += _first(min, charges).tidy()
        self.highest += _first(max, charges).tidy()
        # The mean squared distance from any number is at least the variance, and from
        # one this close to the mean it is hardly more.
        mean = sum((w * charges[n].middle for n, w in played.weights.items()), _ZERO)
        near = Span.of(down(mean / total))
        square = sum(
            (w * (charges[n] - near).largest ** 2 for n, w in played.weights.items()),
            _ZERO,
        )
        self.variance += up(square / total)


class Regrets(Ledger):
    """A ledger with the numbers of theorems about regrets, in units of the range.

    Examples
    --------
    >>> from littlestone.verifying.proofs._ledger import Regrets
    >>> from littlestone.verifying.twins import MLPoly
    >>> twin, ledger = MLPoly(range=(0, 2)), Regrets()
    >>> played = ledger.add(twin.play({"ann": 0.0, "bob": 1.0}, 1.0), twin)
    >>> ledger.accounts["bob"].regret.high, ledger.scale
    (Fraction(1, 8), Fraction(3, 8))
    """

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.first = _ZERO
        self.prod_jumps = self.boa_jumps = 0
        self.begun = False
        self.vague = False  # whether it is unknown if some regret is 0

    def learn(self, played: Round, twin: Any) -> None:
        """Add up regrets and their squares, and count the jumps."""
        width = width_of(twin.low, twin.high)
        regrets = {
            name: _regret(played.own, charge, twin.low).over(width).tidy()
            for name, charge in played.charges.items()
        }
        prod = boa = False
        for name, r in regrets.items():
            account = self.accounts[name]
            prod |= self.rounds > 1 and self._falls(account, -r.low)
            boa |= bool(r.largest) and not account.first
            boa |= _falls_for_boa(account, -r.low)
            self.vague |= bool(r.largest) and not r.least
            account.regret += r
            account.squares += r.square
            account.scale = Span(
                max(account.scale.low, r.least), max(account.scale.high, r.largest)
            )
            account.first = account.first or r.square.low
        largest = max(r.largest for r in regrets.values())
        self.prod_jumps += prod
        self.boa_jumps += boa and self.begun
        if largest and not self.begun:
            self.begun, self.first = True, max(r.least for r in regrets.values())
        self.scale = max(self.scale, largest)

    def _falls(self, account: Account, size: Fraction) -> bool:
        """Return whether eta' r may be below -2/3, with the rate of ML-Prod."""
        if size <= _JUMP * 2 * account.scale.low:
            return False
        most = ln_bounds(Fraction(len(self.accounts)))[1]
        return size**2 * most > _JUMP**2 * (1 + account.squares.low)

    @property
    def growth(self) -> Fraction:
        """The largest quotient of a sum of squares and its first term."""
        return max(
            (
                up(each.squares.high / each.first)
                for each in self.accounts.values()
                if each.first
            ),
            default=Fraction(1),
        )


def _falls_for_boa(account: Account, size: Fraction) -> bool:
    known = account.squares.low > 0 and size > 0
    return known and size**2 > _JUMP**2 * _BOA_RATE * account.squares.low


def difference(own: Span, charge: Span) -> Span:
    """Return the regret, which is exactly 0 for equal losses.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs._ledger import difference
    >>> from littlestone.verifying.proofs._spans import NOTHING, logarithm
    >>> span = logarithm(Fraction(2))
    >>> difference(span, span) is NOTHING
    True
    """
    return NOTHING if own is charge else own - charge


def _regret(own: Span, charge: Span, low: float) -> Span:
    if own is charge or math.isinf(low):
        return difference(own, charge)
    return own.at_least(Fraction(low)) - charge


def _first(which: Any, charges: dict[Any, Span]) -> Span:
    """Return the smallest or the largest charge."""
    return Span(
        which(each.low for each in charges.values()),
        which(each.high for each in charges.values()),
    )


def _round(said: Any, twin: Any) -> Round:
    """Charge the learner and all experts for a round."""
    charged, y, heard = twin.loss, twin.outcome, twin.heard
    weights = {n: Fraction(twin.used[n]) for n in heard if n in twin.used}
    if twin.gradient:
        charges = {n: slope(charged, said, y, f) for n, f in heard.items()}
        return Round(slope(charged, said, y, said), charges, weights)
    if kind_of(charged) == "log":  # equal probabilities share one span
        known = {chance(said, y): loss(charged, said, y)}
        own = known[chance(said, y)]
        charges = {}
        for n, f in heard.items():
            at = chance(f, y)
            if at not in known:
                known[at] = loss(charged, f, y)
            charges[n] = known[at]
        return Round(own, charges, weights)
    charges = {n: loss(charged, f, y) for n, f in heard.items()}
    if kind_of(charged) != "zero-one":
        return Round(loss(charged, said, y), charges, weights)
    wrong = sum((w for n, w in weights.items() if charges[n].low), _ZERO)
    return Round(Span.of(wrong / sum(weights.values(), _ZERO)), charges, weights)


def width_of(low: float, high: float) -> Fraction:
    """Return the width by which charges are divided, if losses have a range.

    Examples
    --------
    >>> from littlestone.verifying.proofs._ledger import width_of
    >>> width_of(-1.0, 2.0), width_of(0.0, float("inf"))
    (Fraction(3, 1), Fraction(1, 1))
    """
    if math.isinf(low) or math.isinf(high):
        return Fraction(1)
    return Fraction(high) - Fraction(low)


def priors_of(experts: Any, names: Any) -> dict[Any, Fraction]:
    """Return the exact prior of each expert.

    Examples
    --------
    >>> from littlestone.verifying.proofs._ledger import priors_of
    >>> priors_of(None, ["ann", "bob"]), priors_of({"a": 1, "b": 3}, "ab")["b"]
    ({'ann': Fraction(1, 2), 'bob': Fraction(1, 2)}, Fraction(3, 4))
    """
    size = len(names)
    equal = dict.fromkeys(names, Fraction(1, max(1, size)))
    if not isinstance(experts, Mapping):
        return equal
    total = math.fsum(experts.values())
    shares = {name: Fraction(prior / total) for name, prior in experts.items()}
    if len(set(shares.values())) == 1:
        return equal
    whole = sum(shares.values(), _ZERO)
    return {name: share / whole for name, share in shares.items()}
