"""The base of the twins that weigh experts: a round, and the losses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from littlestone.verifying.twins._losses import kind_of, loss_of, slope_of
from littlestone.verifying.twins._sums import Exact, lanes, weighted, yes_wins

__all__ = ["Forecaster"]


class Forecaster:
    """A round with expert advice; subclasses say how experts are weighed.

    They define `start`, which takes shares that sum to one; `weigh`, which returns
    weights of any scale, 0 for experts asleep; `charge`, or `settle` if they also learn
    from the learner's own charge; and `admit`, for a new expert.
    """

    def __init__(
        self,
        loss: Any,
        limits: tuple[float, float] | None = None,
        *,
        gradient: bool = False,
        experts: Any = None,
    ) -> None:
        self.loss, self.gradient = loss, gradient
        self.low, self.high = limits or (-math.inf, math.inf)
        self.names: list[Any] = []
        self.losses: dict[Any, Exact] = {}
        self.slept: dict[Any, Exact] = {}  # the learner's losses while each slept
        self.own = Exact()
        self.updates = 0
        # The latest round as it was played: the advice, the weights and the outcome.
        self.heard: dict[Any, Any] = {}
        self.used: dict[Any, float] = {}
        self.outcome: Any = None
        if isinstance(experts, Mapping):
            self._meet(list(experts), list(experts.values()))
        elif experts is not None:
            self._meet(range(experts) if isinstance(experts, int) else experts)

    def start(self, shares: list[float]) -> None:
        """Begin with these shares."""
        raise NotImplementedError

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the weights of the experts awake."""
        raise NotImplementedError

    def charge(self, awake: list[bool], charges: list[float]) -> None:
        """Charge the experts awake."""
        raise NotImplementedError

    def admit(self, share: float) -> None:
        """Add an expert."""
        raise NotImplementedError

    def settle(self, awake: list[bool], charges: list[float], own: float) -> None:  # noqa: ARG002 - used by learners from regrets
        """Learn from a round in which the learner itself was charged `own`."""
        self.charge(awake, charges)

    def combine(self, weights: list[float], advice: list[Any]) -> Any:
        """Return the weighted mean, of numbers or of distributions."""
        if isinstance(advice[0], list):
            columns = zip(*advice, strict=True)
            sums = [weighted(weights, column) for column in columns]
            return [moment / total for total, moment in sums]
        if kind_of(self.loss) == "zero-one":
            return yes_wins(weights, advice)
        total, moment = weighted(weights, advice)
        chance = kind_of(self.loss) in ("log", "brier")
        return min(max(moment / total, 0.0), 1.0) if chance else moment / total

    def play(self, x: Any, y: Any) -> Any:
        """Predict, then charge the experts awake."""
        x = x if isinstance(x, Mapping) else dict(enumerate(x))
        if not self.names:
            self._meet(x)
        x = self._named(x)
        votes = kind_of(self.loss) == "zero-one"
        if votes:
            x, y = {name: float(f > 0) for name, f in x.items()}, float(y > 0)
        awake = [name in x for name in self.names]
        some = next(iter(x.values()))
        blank = [0.0] * len(some) if isinstance(some, list) else 0.0
        advice = [x.get(name, blank) for name in self.names]
        weights = self.weigh(awake)
        self.heard, self.outcome = dict(x), y
        self.used = dict(zip(self.names, weights, strict=True))
        said = self.combine(weights, advice)
        each = [loss_of(self.loss, x[n], y) if n in x else 0.0 for n in self.names]
        if votes:  # the expected mistakes if an expert is drawn
            total, moment = weighted(weights, each)
            own = moment / total
        else:
            own = loss_of(self.loss, said, y)
        self.own.add(own)
        for name, loss in zip(self.names, each, strict=True):
            book, entry = (self.losses, loss) if name in x else (self.slept, own)
            book[name].add(entry)
        if self.gradient:
            each = [slope_of(self.loss, said, y, f) for f in advice]
            own = slope_of(self.loss, said, y, said)
        charges = [self._rescaled(loss) for loss in each]
        self.settle(awake, charges, self._rescaled(max(own, self.low)))
        self.updates += 1
        return said

    def join(self, expert: Any, prior: float) -> None:
        """Add an expert that begins with this share."""
        self.names.append(expert)
        self.losses[expert] = Exact()
        self.slept[expert] = Exact(self.own.high, self.own.low)
        self.admit(prior)

    @property
    def expected(self) -> Exact | None:
        """The mistakes to be expected if an expert were drawn; None for numbers."""
        return self.own if kind_of(self.loss) == "zero-one" else None

    @property
    def weights(self) -> dict[Any, float]:
        """The weight of each expert."""
        weights = self.weigh([True] * len(self.names))
        total = lanes(weights)
        return {n: w / total for n, w in zip(self.names, weights, strict=True)}

    def _named(self, x: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Return the advice by name, even if it came as a row."""
        by_place = not any(name in x for name in self.names)
        if by_place and set(x) == set(range(len(self.names))):
            return {name: x[at] for at, name in enumerate(self.names)}
        return x

    def _meet(self, experts: Iterable[Any], priors: list[float] | None = None) -> None:
        self.names = list(experts)
        priors = priors or [1 / len(self.names)] * len(self.names)
        total = math.fsum(priors)
        self.start([prior / total for prior in priors])
        self.losses = {name: Exact() for name in self.names}
        self.slept = {name: Exact() for name in self.names}

    def _rescaled(self, loss: float) -> float:
        if math.isinf(self.low) or math.isinf(self.high):
            return loss
        if (self.low, self.high) == (0.0, 1.0):
            return loss
        return (loss - self.low) / (self.high - self.low)
