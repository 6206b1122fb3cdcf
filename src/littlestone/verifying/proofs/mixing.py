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
from littlestone.verifying.proofs._proof import Proof, Unsound
from littlestone.verifying.proofs.balanced import Any_
from littlestone.verifying.proofs.passive_aggressive import (
    First,
    PassiveAggressiveProof,
    Second,
    Unlimited,
)
from littlestone.verifying.proofs.perceptron import TotalDeviation

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROOFS"]

_NONE = Fraction(0)


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


PROOFS: dict[str, type[Proof]] = {
    "MIX-PERC": MixedPerceptron,
    "MIX-PA": MixedAggressive,  # type: ignore[type-abstract]  # it makes another one
    "MIX-BWIN": MixedBalanced,
}
