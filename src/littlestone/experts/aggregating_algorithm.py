"""The Aggregating Algorithm: regret at most ln N / eta, at every time."""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone import theorems
from littlestone.errors import ParameterError, refusal
from littlestone.experts._forecaster import Forecaster
from littlestone.experts._parameters import as_range
from littlestone.losses import Loss, as_loss
from littlestone.outcome import Outcome
from littlestone.theorems._rounding import float_down

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from littlestone.experts._parameters import Experts
    from littlestone.learner.advice import Advice
    from littlestone.learner.moment import Moment

__all__ = ["AggregatingAlgorithm"]

_RULES = {"brier": "substitute", "log": "mean", "square": "substitute"}


def _fastest(owner: str, low: float, high: float) -> float:
    """Return the largest rate for the square loss of numbers in an interval."""
    wide = Fraction(high) - Fraction(low) if math.isfinite(high - low) else 0
    eta = float_down(2 / Fraction(wide) ** 2) if wide else 0.0
    if not sys.float_info.min < eta < math.inf:
        raise ParameterError(
            "interval must have a width whose square a float can hold, got "
            f"{(low, high)!r}",
            owner=owner,
        )
    return eta


class AggregatingAlgorithm(Forecaster):
    r"""Mix predictions so that no outcome costs more than the mix loss.

    Experts predict distributions over outcomes, or numbers. They weigh $e^{-\eta L}$,
    $L$ their loss so far. It predicts not their mean but that whose loss is at
    most $G = -\ln(\sum w e^{-\eta \ell}) / \eta$, whatever the outcome. For log
    loss, with $\eta = 1$, that is the mean; for Brier loss, also with $\eta = 1$, it is
    $(s - G_k)_+ / 2$, with $G_k$ the mix loss at outcome $k$, and $s$ such that it sums
    to one. For the square loss of numbers in $[a, b]$, with $\eta = 2 / (b - a)^2$, it
    is $(a + b)/2 + (G_a - G_b) / (2(b - a))$.

    Parameters
    ----------
    loss
        `"brier"` or `"log"`, for distributions; `"square"`, for numbers.
    outcomes
        The outcomes by name, in the order in which experts give their probabilities.
        If not given, outcomes are numbers from 0 on.
    interval
        For square loss, the smallest and the largest number that an expert may predict
        or that may be an outcome; from 0 to 1 if not given.
    experts
        How many experts there are, or their names, or a mapping from name to prior; if
        not given, they are taken from the first advice.

    Attributes
    ----------
    weights_
        The weight of each expert; they sum to one.
    losses_
        What each expert has lost while awake.
    loss_
        What the learner itself has lost.
    regret_
        What the learner has lost more than each expert while that one was awake.
    experts_
        The experts.
    updates_
        How many rounds it has learned from.

    Guarantees
    ----------
    `AA`: regret at most $\ln N / \eta$ at every time, and $\ln(1 / \mathrm{prior}) /
    \eta$ on the rounds on which an expert was awake. So $\ln N$ for log and Brier loss,
    and $\frac12 \ln N$ for the square loss on $[0, 1]$, a quarter of what their mean
    has.

    References
    ----------
    Vovk (1998), A game of prediction with expert advice, Journal of Computer and System
    Sciences 56:153-173. Vovk, Zhdanov (2009), Prediction with expert advice for the
    Brier game, Journal of Machine Learning Research 10:2445-2471.

    Examples
    --------
    >>> from littlestone.experts import AggregatingAlgorithm
    >>> learner = AggregatingAlgorithm("brier", outcomes=("home", "draw", "away"))
    >>> advice = {"ann": [0.5, 0.3, 0.2], "bob": [0.2, 0.3, 0.5]}
    >>> learner.play_one(advice, "home").round(3).tolist()
    [0.357, 0.285, 0.357]
    >>> learner.best_expert_
    'ann'

    Numbers, the second far from the outcome:

    >>> learner = AggregatingAlgorithm("square")
    >>> round(learner.play_one([0.5, 0.0], 0.5), 4), learner.losses_[1]
    (0.3068, 0.25)
    >>> theorem, = learner.guarantees
    >>> round(theorem.bound(eta=2, experts=2), 4)
    0.3466
    """

    _pairs = True

    def __init__(
        self,
        loss: str | Loss = "brier",
        *,
        outcomes: Sequence[Hashable] | None = None,
        interval: tuple[float, float] | None = None,
        experts: Experts = None,
    ) -> None:
        owner = type(self).__name__
        charged = as_loss(loss)
        if charged.name not in _RULES:
            raise ParameterError(
                f"loss must be 'brier', 'log' or 'square', got {loss!r}", owner=owner
            )
        numbers = charged.name == "square"
        if numbers and outcomes is not None:
            raise ParameterError(
                f"outcomes must be numbers for the square loss, got {outcomes!r}",
                owner=owner,
            )
        if interval is not None and not numbers:
            raise ParameterError(
                f"interval is for the square loss, got {interval!r} for {loss!r}",
                owner=owner,
            )
        if outcomes is not None and len(set(outcomes)) < max(2, len(outcomes)):
            raise ParameterError(
                f"outcomes must be two or more different names, got {outcomes!r}",
                owner=owner,
            )
        self.loss = loss
        self.outcomes = outcomes
        self._numbered = {each: float(k) for k, each in enumerate(outcomes or ())}
        self.interval = interval
        self.experts = experts
        self._within, self._eta = (-math.inf, math.inf), 1.0
        if numbers:
            given = (0.0, 1.0) if interval is None else interval
            self._within = as_range(owner, given, name="interval")
            self._eta = _fastest(owner, *self._within)
        self._make(
            "exponential",
            (self._eta,),
            loss=loss,
            combine=_RULES[charged.name],
            interval=self._within,
            experts=experts,
        )

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its regret."""
        return (theorems.AA,)

    @property
    def spread_(self) -> float:
        """How far apart two losses may be; infinite if they are not bounded."""
        if self._charged.name != "square":
            return super().spread_
        low, high = self._within
        return (high - low) ** 2

    def known_at(self, moment: Moment) -> dict[str, theorems.Number]:
        """Return also the rate."""
        known = super().known_at(moment)
        confined = self._charged.name == "square"
        return known | {"eta": self._eta} if known and confined else known

    def _of_distributions(self, x: Any) -> bool:  # noqa: ARG002 - the loss says it
        return self.outcome is Outcome.DISTRIBUTION

    def _wide(self, said: Any) -> int:
        """Return how many outcomes an expert gives a probability; 0 if not plainly."""
        width = 2 if isinstance(said, float) else super()._wide(said)
        return width if self.outcomes is None or width == len(self.outcomes) else 0

    def _outcome(self, y: Any) -> float | None:
        """Return the number of an outcome; None if that is not plain."""
        if self.outcomes is None:
            return super()._outcome(y)
        return self._numbered.get(y) if type(y) is str else None

    def _round(self, x: Any) -> Advice:
        """Return one round in which each expert gives a probability to each outcome."""
        owner = type(self).__name__
        if hasattr(x, "keys"):
            spread: Any = {e: self._distribution(e, p) for e, p in dict(x).items()}
        elif isinstance(x, (Sequence, np.ndarray)) and not isinstance(
            x, (str, bytes, np.ma.MaskedArray)
        ):
            spread = [self._distribution(e, p) for e, p in enumerate(x)]
        else:
            raise refusal("advice", owner=owner, value=x)
        if not spread:
            raise refusal("asleep", owner=owner)
        return super()._round(spread)

    def _distribution(self, expert: object, p: Any) -> Any:
        owner = type(self).__name__
        if isinstance(p, Mapping):
            if self.outcomes is None or p.keys() != set(self.outcomes):
                raise refusal(
                    "expert_outcomes", owner=owner, feature=expert, value=[*p]
                )
            return [p[outcome] for outcome in self.outcomes]
        if isinstance(p, (int, float, np.number)):  # the probability of a yes
            try:
                no = 1.0 - p
            except OverflowError:  # of a whole number that no double can hold
                raise refusal(
                    "expert_outcomes", owner=owner, feature=expert, value=p
                ) from None
            p = [no if 0 <= p <= 1 else p, p]  # as in `_spread`
        width = len(p) if hasattr(p, "__len__") else 0
        if self.outcomes is not None and width != len(self.outcomes):
            raise refusal("expert_outcomes", owner=owner, feature=expert, value=p)
        return p

    def _shape(self, advice: Advice) -> tuple[int, ...]:
        """Return the shape of a prediction."""
        shape = super()._shape(advice)
        pairs = self.outcome is Outcome.DISTRIBUTION and not shape
        return (2,) if pairs else shape  # a number is the probability of a yes

    def _met(self, advice: Advice) -> Advice:
        """Refuse distributions over other than the outcomes that are known."""
        if self.outcome is Outcome.DISTRIBUTION:
            (width,) = self._shape(advice)
            known = 0 if self.outcomes is None else len(self.outcomes)
            if width != (known or max(2, width)):
                first = 0 if advice.names is None else advice.names[0]
                owner = type(self).__name__
                raise refusal(
                    "expert_outcomes", owner=owner, row=0, feature=first, value=width
                )
        return super()._met(advice)

    def as_outcomes(self, y: ArrayLike, length: int) -> NDArray[Any]:
        """Return the numbers of `length` outcomes."""
        if self.outcomes is None:
            return super().as_outcomes(np.asarray(y), length)
        numbers = self._numbered
        listed: list[Any] = list(np.asarray(y, dtype=object))
        if len(listed) != length:
            raise ParameterError(
                f"y must hold one outcome for each of {length} rows, got {len(listed)}"
            )
        for row, outcome in enumerate(listed):
            if outcome not in numbers:
                raise refusal(
                    "outcome_name", owner=type(self).__name__, row=row, value=outcome
                )
        return np.array([numbers[outcome] for outcome in listed])
