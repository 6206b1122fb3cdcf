"""The proofs about mixing: those of one machine, with each round weighed.

The judge says with which share a shard counts before its rounds, and when an epoch is
over. The proofs follow the exact weights, logarithms or losses: within a shard as on
one machine, from the exact mixture of the epoch before. The potentials are convex, so
an exact mixture never exceeds the weighted mean of the shards; what rounding could
break is checked at the end for the exact mixture, as on one machine.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from littlestone.verifying.proofs._exact import Combination
from littlestone.verifying.proofs._forecast import Case
from littlestone.verifying.proofs._ledger import Ledger
from littlestone.verifying.proofs._proof import Proof, Unsound
from littlestone.verifying.proofs._spans import NOTHING, Span, up
from littlestone.verifying.proofs.balanced import Any_
from littlestone.verifying.proofs.passive_aggressive import (
    First,
    PassiveAggressiveProof,
    Second,
    Unlimited,
)
from littlestone.verifying.proofs.perceptron import TotalDeviation
from littlestone.verifying.proofs.weights import Horizon, Potential, curved

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS", "ShardLedger"]

_NONE, _ONE = Fraction(0), Fraction(1)


class _Exact:
    """The exact mixture so far, and what one shard has added to it."""

    def __init__(self, mixture: dict[Any, Fraction]) -> None:
        self.mixture, self.own = mixture, Combination()

    def add(self, times: float, x: Mapping[Any, float]) -> None:
        """Add a multiple of an example."""
        self.own.add(times, x)

    def dot(self, x: Mapping[Any, float]) -> Fraction:
        """Return the product with an example."""
        before = sum(
            (
                self.mixture[name] * Fraction(value)
                for name, value in x.items()
                if name in self.mixture
            ),
            _NONE,
        )
        return before + self.own.dot(x)

    @property
    def numbers(self) -> dict[Any, Fraction]:
        """The mixture, once all shards were added to it."""
        return self.mixture

    @property
    def square(self) -> Fraction:
        """The squared length of the mixture."""
        return sum((value**2 for value in self.mixture.values()), _NONE)


class Weighted(Proof):
    """A proof whose sums count each round with the share of its shard.

    A subclass names its sums, and the exact sum of examples that it follows.
    """

    orderless = False

    weighs: ClassVar[tuple[str, ...]] = ()
    vector: ClassVar[str] = ""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.weighed = dict.fromkeys(self.weighs, _NONE)
        self.mixture: dict[Any, Fraction] = {}
        self.changes: list[tuple[Fraction, Combination]] = []

    def begin_shard(self) -> None:
        """Begin a shard from the mixture."""
        for name in self.weighs:
            setattr(self, name, _NONE)
        setattr(self, self.vector, _Exact(self.mixture))

    def end_shard(self, share: Fraction) -> None:
        """End a shard that counts with this share."""
        for name in self.weighs:
            self.weighed[name] += share * getattr(self, name)
        self.changes.append((share, getattr(self, self.vector).own))

    def mix_shards(self) -> None:
        """Mix what the shards of an epoch have added."""
        for share, change in self.changes:
            if share:
                for name, value in change.numbers.items():
                    self.mixture[name] = self.mixture.get(name, _NONE) + share * value
        self.changes = []

    def close(self, counts: Mapping[str, Fraction]) -> None:
        """Close the proof of one machine, with weighted sums."""
        for name in self.weighs:
            setattr(self, name, self.weighed[name])
        setattr(self, self.vector, _Exact(self.mixture))
        weighed = {name: counts[f"weighted {name}"] for name in ("updates", "mistakes")}
        super().close({**counts, **weighed})  # type: ignore[safe-super]  # of the proof beside it


class MixedPerceptron(Weighted, TotalDeviation):
    """`MIX-PERC`."""

    learners = ("Perceptron", "AveragedPerceptron")
    weighs = ("updates", "total")
    vector = "w"


class _MixedAggressive(Weighted):
    weighs = ("mistakes", "progress", "losses")
    vector = "w"


class MixedUnlimited(_MixedAggressive, Unlimited):
    """`MIX-PA` with steps of any size."""


class MixedFirst(_MixedAggressive, First):
    """`MIX-PA` of PA-I."""


class MixedSecond(_MixedAggressive, Second):
    """`MIX-PA` of PA-II."""


_MODES: dict[str | None, Any] = {
    None: MixedUnlimited,
    "I": MixedFirst,
    "II": MixedSecond,
}


class MixedAggressive(PassiveAggressiveProof):
    """`MIX-PA`: the proof for the mode of the learner."""

    orderless = False

    def __new__(cls, parameters: Any, witness: Any, numbers: Any) -> Any:
        """Return the proof for the learner's mode."""
        mode = parameters.get("mode")
        if not isinstance(mode, str | None) or mode not in _MODES:
            raise Unsound(f"learner: mode must be None, 'I' or 'II', got {mode!r:.80}")
        return _MODES[mode](parameters, witness, numbers)


class MixedBalanced(Weighted, Any_):
    """`MIX-BWIN`."""

    weighs = ("mistakes", "total")
    vector = "sums"


class ShardLedger:
    """The exact losses of a cluster, each shard weighed with its share.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from littlestone.verifying.proofs.mixing import ShardLedger
    >>> from littlestone.verifying.twins import ExponentialWeights
    >>> twin, ledger = ExponentialWeights(), ShardLedger()
    >>> ledger.begin_shard()
    >>> played = ledger.of_shard.add(twin.play({"ann": 0.0, "bob": 1.0}, 1.0), twin)
    >>> ledger.end_shard(Fraction(1, 2))
    >>> ledger.regrets["bob"].high, ledger.rounds
    (Fraction(1, 8), Fraction(1, 2))
    """

    def __init__(self) -> None:
        self.rounds = self.largest = self.spread = _NONE
        self.regrets: dict[Any, Span] = {}
        self.losses: dict[Any, Fraction] = {}

    def begin_shard(self) -> None:
        """Begin a shard."""
        self.of_shard = Ledger()

    def end_shard(self, share: Fraction) -> None:
        """Add a shard that counts with this share."""
        if self.of_shard.sleepy:
            raise Unsound("no expert may sleep where shards are mixed")
        for name, account in self.of_shard.accounts.items():
            if share:
                behind = account.behind.over(1 / share).tidy()
                self.regrets[name] = self.regrets.get(name, NOTHING) + behind
                lost = up(share * account.lost.high)
                self.losses[name] = self.losses.get(name, _NONE) + lost
            self.largest = max(self.largest, account.largest)
            self.spread = max(self.spread, account.spread)
        self.rounds += share * self.of_shard.rounds

    def numbers(self, case: Case) -> dict[str, Fraction]:
        """Return the numbers of `MIX-EWA`: with rounds, unless the loss is curved."""
        found = {"eta": case.rate, "prior": case.prior}
        try:
            curved(case.ledger, case.rate, self.largest)
        except Unsound:
            return found | {"rounds": self.rounds, "scale": self.spread or _ONE}
        return found


class MixedWeights(Horizon):
    """`MIX-EWA`: mix losses, followed from the exact mixture of all losses."""

    orderless = False
    optional = ("rounds", "scale")
    names: ClassVar[tuple[str, ...]] = ("eta", "prior")

    def __init__(self, *given: Any) -> None:
        self.sums = ShardLedger()
        self.mixture: dict[Any, Fraction] = {}
        self.changes: list[tuple[Fraction, dict[Any, Fraction]]] = []
        self.weighed = dict.fromkeys(("beyond", "room"), _NONE)
        self.begun = self.paid_by_all = _NONE
        self.all_mixed = NOTHING
        super().__init__(*given)
        self.played = self.ledger, self.case

    def begin_shard(self) -> None:
        """Begin a shard from the mixture."""
        self.sums.begin_shard()
        self.ledger = self.sums.of_shard
        self.case = Case(self.parameters, self.witness, self.ledger)
        self.exact, self.mixed = None, NOTHING
        self.beyond = self.room = _NONE
        self.paid = self.begun  # what rounding of the mixture may cost

    def mix(self, played: Any) -> Span:
        """Return the mix loss of the exact weights."""
        if self.exact is None:
            shares = self.ledger.priors(self.parameters)
            self.exact = Potential(self.rate, shares)
            self.exact.totals.update(self.mixture)
        return self.exact.mix(played.charges)

    def most(self, mixed: Fraction) -> Fraction:
        """Return the most that the theorem allows in a round."""
        return super().most(mixed) if "rounds" in self.numbers else mixed

    def end_shard(self, share: Fraction) -> None:
        """End a shard that counts with this share."""
        self.sums.end_shard(share)
        if not self.ledger.rounds:
            self.ledger, self.case = self.played
            return
        self.played = self.ledger, self.case
        if not share or self.exact is None:
            return
        for name in self.weighed:
            self.weighed[name] += up(share * getattr(self, name))
        self.all_mixed += self.mixed.over(1 / share).tidy()
        self.paid_by_all += up(share * self.paid)
        self.changes.append((share, self.exact.totals))

    def mix_shards(self) -> None:
        """Mix the losses of an epoch."""
        if self.changes:
            self.mixture = {
                name: up(
                    sum((share * each[name] for share, each in self.changes), _NONE)
                )
                for name in self.changes[0][1]
            }
            self.begun, self.paid_by_all = self.paid_by_all, _NONE
        self.changes = []

    def lost(self) -> Fraction:
        """Return the weighted loss of the witness."""
        return self.sums.losses[self.witness["expert"]]

    def _close(self, stated: Fraction) -> None:
        self.mixed = self.all_mixed
        self.beyond, self.room = self.weighed["beyond"], self.weighed["room"]
        if self.witness["expert"] not in self.sums.regrets:
            raise Unsound("witness must be one of the experts")
        self.settle_numbers(
            self.sums.numbers(self.case),
            self.sums.regrets[self.witness["expert"]],
            stated,
        )


PROOFS: dict[str, type[Proof]] = {
    "MIX-PERC": MixedPerceptron,
    "MIX-PA": MixedAggressive,  # type: ignore[type-abstract]  # it makes another one
    "MIX-BWIN": MixedBalanced,
    "MIX-EWA": MixedWeights,
}
