"""Experts, one of which is good."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from littlestone.errors import ParameterError
from littlestone.learner.advice import Advice
from littlestone.learner.parameters import whole
from littlestone.outcome import Outcome
from littlestone.streams.synthetic._base import Synthetic, chance, rows_a_block
from littlestone.theorems import EWA_T, HALV, Theorem

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["experts"]


def experts(
    n: int,
    rounds: int | None,
    *,
    best: float = 0.1,
    loss: Literal["zero-one", "absolute", "square"] = "zero-one",
    seed: int = 0,
) -> ExpertsStream:
    """Stream the forecasts of experts, one of which is good.

    With the loss `"zero-one"` outcomes are fair coins, the good expert errs with the
    probability `best`, and the others toss coins of their own. With the other losses
    outcomes are uniform in [0, 1], the good expert predicts a number that is at most
    `best` away, and the others predict a random number in [0, 1].

    Parameters
    ----------
    n
        How many experts there are.
    rounds
        How many rounds; None for an endless stream.
    best
        How bad the good expert is, at most one half.
    loss
        The loss that forecasts are meant for.
    seed
        The seed of the random numbers.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.experts import WeightedMajority
    >>> from littlestone.streams import synthetic
    >>> from littlestone.theorems import WM
    >>> stream = synthetic.experts(16, 1_000, best=0.05)
    >>> stream.target, stream.best_loss
    (11, 50)
    >>> bound = WM.bound(experts=16, best=stream.best_loss, beta=0.5)
    >>> run(WeightedMajority(beta=0.5), stream).mistakes <= bound
    True
    """
    return ExpertsStream(**locals())


class ExpertsStream(Synthetic):
    """Forecasts of experts; made by `streams.synthetic.experts`.

    Attributes
    ----------
    n, best, loss
        As given.
    """

    _owner = "experts"
    of_advice = True

    def __init__(self, *, n: int, best: float, loss: str, **shared: Any) -> None:
        super().__init__(noise=0.0, **shared)
        self.n = whole(self._owner, "n", n, 1, 2**24)
        self.best = chance(self._owner, "best", best)
        if loss not in ("zero-one", "absolute", "square"):
            raise ParameterError(
                f"loss must be 'zero-one', 'absolute' or 'square', got {loss!r}",
                owner="experts",
            )
        self.loss = loss
        self.outcome = Outcome.LABEL if loss == "zero-one" else Outcome.NUMBER
        self._size = rows_a_block(self.n)

    @cached_property
    def target(self) -> int:
        """The number of the good expert."""
        return int(self._draws("target").below(self.n, 1)[0])

    @cached_property
    def best_loss(self) -> int | float:
        """The total loss of the good expert, or the number of its mistakes."""
        self._finite("the loss of the good expert")
        labels = self.loss == "zero-one"
        lost: list[float] = []
        for block in self.blocks():
            predicted = block.rows.values[: block.last, self.target]
            outcomes = block.labels[: block.last]
            away = predicted != outcomes if labels else np.abs(predicted - outcomes)
            lost += (away**2 if self.loss == "square" else away).tolist()
        return sum(lost) if labels else math.fsum(lost)

    @property
    def theorem(self) -> Theorem | None:
        """`HALV` if the good expert never errs, else `EWA-T`; None without an end."""
        if self.loss == "zero-one" and self.best == 0:
            return HALV
        return None if self.rounds is None else EWA_T

    @property
    def numbers(self) -> dict[str, Any]:
        """The experts; and the rounds, if the theorem needs them."""
        if self.theorem is EWA_T:
            return {"experts": self.n, "rounds": self.rounds}
        return {"experts": self.n}

    def _block(self, number: int) -> tuple[Advice, NDArray[Any]]:
        draws = self._draws("examples", number)
        rows, target = self._size, self.target
        if self.loss == "zero-one":
            happens = draws.coins(rows)
            says = draws.coins(rows, self.n)
            says[:, target] = happens ^ draws.events(self.best, rows)
            return Advice(says, None, may_sleep=False), happens
        outcomes = draws.words(rows) * 2.0**-32
        values = draws.words(rows, self.n) * 2.0**-32
        away = (2.0 * values[:, target] - 1.0) * self.best
        values[:, target] = np.clip(outcomes + away, 0.0, 1.0)
        return Advice(values, None, may_sleep=False), outcomes
