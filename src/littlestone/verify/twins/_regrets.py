"""What the twins that learn from regrets share: a round, the books, and the priors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from littlestone.verify.twins._exponential import exp
from littlestone.verify.twins._losses import kind_of, loss_of, slope_of
from littlestone.verify.twins._sums import Exact, lanes, weighted

__all__ = ["STEP", "Regrets", "exponentials"]

STEP = 2.0**600  # the unit of regrets whose squares no double could hold


class Regrets:
    """A round with expert advice; what regrets do is for others to say.

    They define `enter`, for an expert who is new; `raw`, which returns weights of any
    scale before the priors; and `regret`, which takes one for each expert.
    """

    def __init__(
        self,
        loss: Any = "square",
        form: str = "opera",
        *,
        gradient: bool = False,
        range: tuple[float, float] | None = None,  # noqa: A002 - as the learner calls it
        experts: Any = None,
    ) -> None:
        self.loss, self.opera, self.gradient = loss, form == "opera", gradient
        self.low, self.high = (
            range or ((-math.inf, math.inf), (0.0, 1.0))[form != "opera"]
        )
        self.names: list[Any] = []
        self.shares: list[float] = []  # of all, which decide where no weight does
        self.priors: list[float] = []  # by which weights are multiplied
        self.losses: dict[Any, Exact] = {}
        self.slept: dict[Any, Exact] = {}  # what was lost while each slept
        self.own = Exact()
        if experts is not None:
            self._meet(_positions(experts) if isinstance(experts, int) else experts)

    def enter(self, share: float) -> None:
        """Let one more in, with this share of the prior."""
        raise NotImplementedError

    def raw(self, awake: list[bool]) -> list[float]:
        """Return weights of any scale before the priors, 0 for those asleep."""
        raise NotImplementedError

    def regret(self, regrets: list[float]) -> None:
        """Learn from the regrets of a round."""
        raise NotImplementedError

    def weigh(self, awake: list[bool]) -> list[float]:
        """Return the weights of those awake."""
        weights = self.prioritised(self.raw(awake), awake)
        if lanes(weights) > 0:
            return weights
        return [s if a else 0.0 for s, a in zip(self.shares, awake, strict=True)]

    def prioritised(self, raw: list[float], awake: list[bool]) -> list[float]:  # noqa: ARG002 - for those who ask
        """Return weights times priors."""
        return [w * p for w, p in zip(raw, self.priors, strict=True)]

    def play(self, x: Any, y: Any) -> Any:
        """Predict, then learn from the regrets of those awake."""
        x = x if isinstance(x, Mapping) else dict(enumerate(x))
        if not self.names:
            self._meet([*x])
        awake = [name in x for name in self.names]
        some = next(iter(x.values()))
        blank = [0.0] * len(some) if isinstance(some, list) else 0.0
        advice = [x.get(name, blank) for name in self.names]
        weights = self.weigh(awake)
        said = self._mean(weights, advice)
        losses = [
            loss_of(self.loss, f, y) if is_awake else 0.0
            for f, is_awake in zip(advice, awake, strict=True)
        ]
        own = loss_of(self.loss, said, y)
        if kind_of(self.loss) == "zero-one":  # expected, were an expert drawn
            total, moment = weighted(weights, losses)
            own = moment / total
        for name, is_awake, loss in zip(self.names, awake, losses, strict=True):
            books = self.losses if is_awake else self.slept
            books[name].add(loss if is_awake else own)
        self.own.add(own)
        if self.gradient:
            losses = [slope_of(self.loss, said, y, f) for f in advice]
            own = slope_of(self.loss, said, y, said)
        own = self._rescaled(max(own, self.low))
        charges = zip(losses, awake, strict=True)
        self.regret([own - self._rescaled(c) if a else 0.0 for c, a in charges])
        return said

    def join(self, expert: Any, prior: float) -> None:
        """Let one more expert in, who begins with this share of the prior."""
        others = 0.0
        for p in self.priors:
            others += p
        self.priors.append(prior / (1.0 - prior) * others)
        self.shares = [*(share * (1.0 - prior) for share in self.shares), prior]
        self.names.append(expert)
        self.losses[expert] = Exact()
        self.slept[expert] = Exact(self.own.high, self.own.low)
        self.enter(prior)

    @property
    def weights(self) -> dict[Any, float]:
        """The weight of each expert."""
        weights = self.weigh([True] * len(self.names))
        total = lanes(weights)
        return {n: w / total for n, w in zip(self.names, weights, strict=True)}

    def _meet(self, experts: Any) -> None:
        self.names = list(experts)
        given = [1 / len(self.names)] * len(self.names)
        if isinstance(experts, Mapping):
            given = [float(prior) for prior in experts.values()]
        total = math.fsum(given)
        self.shares = [prior / total for prior in given]
        # Equal priors are as good as none.
        same = self.shares.count(self.shares[0]) == len(self.shares)
        self.priors = [1.0] * len(self.shares) if same else list(self.shares)
        self.losses = {name: Exact() for name in self.names}
        self.slept = {name: Exact() for name in self.names}
        for share in self.shares:
            self.enter(share)

    def _mean(self, weights: list[float], advice: list[Any]) -> Any:
        if isinstance(advice[0], list):
            sums = [weighted(weights, said) for said in zip(*advice, strict=True)]
            return [moment / total for total, moment in sums]
        total, moment = weighted(weights, advice)
        kind = kind_of(self.loss)
        if kind == "zero-one":
            return 2.0 * moment >= total
        mean = moment / total
        return min(max(mean, 0.0), 1.0) if kind in ("log", "brier") else mean

    def _rescaled(self, loss: float) -> float:
        known = math.isfinite(self.low) and math.isfinite(self.high)
        if not known or (self.low, self.high) == (0.0, 1.0):
            return loss
        return (loss - self.low) / (self.high - self.low)


def exponentials(logarithms: list[float]) -> list[float]:
    """Return weights by their logarithms, of which the largest weighs 1.

    Examples
    --------
    >>> from littlestone.verify.twins._regrets import exponentials
    >>> exponentials([5.0, float("-inf"), 5.0])
    [1.0, 0.0, 1.0]
    """
    most = max(logarithms)
    return [exp(z - most) if z > -math.inf else 0.0 for z in logarithms]


def _positions(size: int) -> list[int]:
    return list(range(size))
