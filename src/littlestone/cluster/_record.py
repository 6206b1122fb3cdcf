"""What happened on a cluster: epochs, shards, and the price of playing them apart."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from littlestone import theorems
from littlestone.display.words import VACUOUS, counted
from littlestone.errors import PremiseError
from littlestone.verifying._mixtures import shares, together

if TYPE_CHECKING:
    from collections.abc import Mapping

    from littlestone.cluster._core import Tally
    from littlestone.running import LearnerCard
    from littlestone.theorems import Number

__all__ = ["FEW", "ClusterRecord", "Epoch"]

FEW = 1_000  # examples a shard: see docs/explanation/cluster-costs.md
_WARNING = (
    "; fewer than 1,000 examples a shard often cost accuracy, which AveragedPerceptron "
    "keeps best: by default few examples in memory are one shard"
)


@dataclass(frozen=True)
class Epoch:
    """One epoch: what came of each shard, and how much it counted in the mixture.

    Attributes
    ----------
    tallies
        One for each shard, in order.
    weights
        The whole numbers by which the shards were mixed; only their ratios matter.
    seconds
        How long it took.
    sent, received
        How many bytes a worker got, and how many came back from all shards.
    mixes
        How often shards were mixed; each time some of them, in order.
    """

    tallies: tuple[Tally, ...]
    weights: tuple[int, ...]
    seconds: float = 0.0
    sent: int = 0
    mixes: int = 1

    @property
    def received(self) -> int:
        """How many bytes came back from all shards."""
        return sum(tally.bytes for tally in self.tallies)

    @property
    def rounds(self) -> int:
        """The rounds of all shards."""
        return sum(tally.rounds for tally in self.tallies)

    @property
    def mistakes(self) -> int:
        """The mistakes of all shards."""
        return sum(tally.mistakes for tally in self.tallies)

    @property
    def updates(self) -> int:
        """The updates of all shards."""
        return sum(tally.updates for tally in self.tallies)

    @property
    def shares(self) -> tuple[Fraction, ...]:
        """The share of each shard in its mixture; those of a mixture sum to one."""
        return tuple(shares(self.weights, self.mixes))

    @property
    def at_once(self) -> int:
        """How many shards with examples were mixed at once, at most."""
        return max(
            sum(self.tallies[at].rounds > 0 for at in mixed)
            for mixed in together(len(self.tallies), self.mixes)
        )

    def weighted(self, name: str) -> Fraction:
        """Return the sum over shards of a number of its tally times its share."""
        pairs = zip(self.shares, self.tallies, strict=True)
        return sum(
            (share * Fraction(getattr(tally, name) or 0) for share, tally in pairs),
            Fraction(0),
        )


@dataclass(frozen=True)
class ClusterRecord:
    """What happened when shards were played by many workers.

    Attributes
    ----------
    learner
        The learner's name and parameters.
    kind
        `"exact"` if the learner is what one machine would have made; `"mixed"` if the
        states of the shards were mixed after each epoch.
    epochs
        One `Epoch` each time that the data were played.
    mix
        By what shards were weighed: `"mistakes"` or `"uniform"`.
    fresh
        Whether the learner had learned nothing before, so that theorems apply.
    theorem
        The id of the theorem that covers mixing; None where nothing was mixed.
    declared
        What was declared of the data, by the names of the theorem's numbers.
    recounted
        Whether the mistakes are those that one machine would have made.

    Examples
    --------
    >>> from littlestone import cluster
    >>> from littlestone.linear import Perceptron
    >>> examples = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 4
    >>> record = cluster.run(Perceptron(), examples, shards=2, workers=0)
    >>> record
    ClusterRecord(Perceptron: 2 shards, 1 epoch, 8 rounds, 2 mistakes (25.00%))
    >>> print(record.price)
    2 shards: at most 2 times the bound of one machine; this run: 2 times the count that obeys it; fewer than 1,000 examples a shard often cost accuracy, which AveragedPerceptron keeps best: by default few examples in memory are one shard
    """  # noqa: E501 - a sentence is one line

    learner: LearnerCard
    kind: Literal["exact", "mixed"]
    epochs: tuple[Epoch, ...]
    mix: str = "mistakes"
    fresh: bool = True
    theorem: str | None = None
    declared: Mapping[str, Number] = field(default_factory=dict)
    known: Mapping[str, Number] = field(default_factory=dict)
    recounted: bool = False
    elapsed: float = 0.0

    @property
    def shards(self) -> tuple[str, ...]:
        """The names of the shards, in order."""
        return tuple(tally.shard for tally in self.epochs[0].tallies)

    @property
    def skipped(self) -> dict[str, str]:
        """The shards that were skipped, and why."""
        return {
            tally.shard: tally.skipped
            for epoch in self.epochs
            for tally in epoch.tallies
            if tally.skipped is not None
        }

    @property
    def rounds(self) -> int:
        """The rounds of all shards and epochs."""
        return sum(epoch.rounds for epoch in self.epochs)

    @property
    def mistakes(self) -> int:
        """The mistakes that shards made, in all epochs."""
        return sum(epoch.mistakes for epoch in self.epochs)

    @property
    def updates(self) -> int:
        """The updates of all shards and epochs."""
        return sum(epoch.updates for epoch in self.epochs)

    @property
    def loss(self) -> float | None:
        """The loss of all shards and epochs; None for a learner without a loss."""
        losses = [
            tally.loss
            for epoch in self.epochs
            for tally in epoch.tallies
            if tally.loss is not None
        ]
        return math.fsum(losses) if losses else None

    @property
    def counted(self) -> str:
        """What its theorem counts: `"updates"`, or `"mistakes"`."""
        return "mistakes" if self._counts == "weighted mistakes" else "updates"

    @property
    def charged(self) -> bool:
        """Whether its theorem is about losses, which say more than mistakes."""
        return self._counts == "weighted regret"

    @property
    def _counts(self) -> str:
        return "" if self.theorem is None else theorems.get(self.theorem).counts

    @property
    def rate(self) -> float:
        """Mistakes per round."""
        return self.mistakes / self.rounds if self.rounds else 0.0

    def weighted(self, name: str = "updates") -> Fraction:
        """Return the sum over epochs and shards of a count times the shard's share.

        This is what the theorems of mixing bound.

        Examples
        --------
        >>> from littlestone import cluster
        >>> from littlestone.linear import Perceptron
        >>> examples = [({"a": 1.0}, False), ({"b": 1.0}, True)] * 2
        >>> record = cluster.run(Perceptron(), examples, shards=2, workers=0)
        >>> record.updates, record.weighted("updates")
        (2, Fraction(1, 1))
        """
        return sum((epoch.weighted(name) for epoch in self.epochs), Fraction(0))

    @property
    def bound(self) -> float | None:
        """What the theorem promises of the weighted count, from what was declared."""
        return self.bound_after(len(self.epochs))

    def bound_after(self, epochs: int) -> float | None:
        """Return the live bound after so many epochs; None if nothing was declared."""
        if self.theorem is None or not self.fresh:
            return None
        theorem = theorems.get(self.theorem)
        some = ClusterRecord(self.learner, self.kind, self.epochs[:epochs])
        numbers: dict[str, Any] = {**self.known, **self.declared}
        if "rounds" in theorem.numbers and "rounds" not in numbers:
            numbers["rounds"] = some.weighted("rounds")
        numbers = {name: numbers[name] for name in theorem.numbers if name in numbers}
        try:
            return theorem.bound(**numbers)
        except (PremiseError, TypeError):
            return None

    @property
    def price(self) -> str:
        """What it costs that the shards were played apart, in a sentence."""
        first = self.epochs[0]
        many, shards = first.at_once, counted(first.at_once, "shard")
        if self.kind == "exact" or len(self.shards) <= first.mixes:
            played = counted(sum(tally.rounds > 0 for tally in first.tallies), "shard")
            return f"{played}: the learner is what one machine would have made"
        if first.mixes > 1:
            shards = f"{shards} at a time, mixed {first.mixes} times an epoch"
        weighted = self.weighted(self.counted)
        if self.charged:
            return (
                f"{shards}: the weighted loss obeys the bound of one machine, and all "
                f"shards together lose at most {many} times as much"
                if self.mix == "uniform"
                else f"{shards}: the weighted loss obeys the bound of one machine"
            )
        made = getattr(self, self.counted)
        times = float(made / weighted) if weighted else 1.0
        few = many > 1 and first.rounds < FEW * many
        return (
            f"{shards}: at most {many} times the bound of one machine; this run: "
            f"{times:.2g} times the count that obeys it{_WARNING * few}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, fit for JSON."""
        return {
            "learner": {
                "name": self.learner.name,
                "parameters": dict(self.learner.parameters),
            },
            "kind": self.kind,
            "mix": self.mix,
            "mixes": self.epochs[0].mixes,
            "shards": list(self.shards),
            "skipped": self.skipped,
            "rounds": self.rounds,
            "mistakes": self.mistakes,
            "updates": self.updates,
            "loss": self.loss,
            f"weighted_{self.counted}": float(self.weighted(self.counted)),
            "theorem": self.theorem,
            "bound": self.bound,
            "price": self.price,
            "recounted": self.recounted,
            "elapsed": self.elapsed,
            "epochs": [
                {
                    "rounds": epoch.rounds,
                    "mistakes": epoch.mistakes,
                    "updates": epoch.updates,
                    f"weighted_{self.counted}": float(epoch.weighted(self.counted)),
                    "bound": self.bound_after(number),
                    "seconds": epoch.seconds,
                    "sent": epoch.sent,
                    "received": epoch.received,
                    "shards": [
                        {
                            "rounds": tally.rounds,
                            "mistakes": tally.mistakes,
                            "updates": tally.updates,
                            "weight": weight,
                            "digest": tally.digest,
                        }
                        for tally, weight in zip(
                            epoch.tallies, epoch.weights, strict=True
                        )
                    ],
                }
                for number, epoch in enumerate(self.epochs, 1)
            ],
        }

    def __repr__(self) -> str:
        parts = [
            counted(len(self.shards), "shard"),
            counted(len(self.epochs), "epoch"),
            counted(self.rounds, "round"),
        ]
        if self.loss is not None and self.charged:
            parts.append(f"loss {self.loss:.6g}")
        else:
            parts.append(f"{counted(self.mistakes, 'mistake')} ({self.rate:.2%})")
        if self.standing is not None:
            parts.append(self.standing)
        if self.skipped:
            parts.append(f"{len(self.skipped)} skipped")
        return f"ClusterRecord({self.learner.name}: {', '.join(parts)})"

    @property
    def standing(self) -> str | None:
        """What was counted beside the live bound, in words; None without a bound."""
        if (bound := self.bound) is None:
            return None
        vacuous = f" ({VACUOUS})" if bound >= self.weighted("rounds") else ""
        if self.charged:
            return f"weighted regret at most {bound:.6g}{vacuous}"
        made = f"{float(self.weighted(self.counted)):.6g} weighted {self.counted}"
        return f"{made} of at most {bound:.6g}{vacuous}"
