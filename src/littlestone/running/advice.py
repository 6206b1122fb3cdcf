"""The advice of a run, kept for comparisons in hindsight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from littlestone.learner.advice import Advice, as_advice
from littlestone.outcome import outcome_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AdviceNotes", "KeptAdvice"]


@dataclass(frozen=True, eq=False)
class KeptAdvice:
    """The advice and the outcome of every round.

    Attributes
    ----------
    experts
        The experts, by name or by position.
    predictions
        Rounds × experts of numbers, or rounds × experts × outcomes of distributions;
        NaN where an expert slept. Labels are 1 and 0.
    outcomes
        The outcome of each round.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.experts import WeightedMajority
    >>> stream = [({"ann": 1, "bob": 0}, 1), ({"ann": 1}, 0)]
    >>> kept = run(WeightedMajority(), stream, keep="advice").advice
    >>> kept
    KeptAdvice(2 rounds, 2 experts)
    >>> kept.experts, kept.predictions.tolist(), kept.outcomes.tolist()
    (('ann', 'bob'), [[1.0, 0.0], [1.0, nan]], [1.0, 0.0])
    """

    experts: tuple[Any, ...]
    predictions: NDArray[np.float64]
    outcomes: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.outcomes)

    def __repr__(self) -> str:
        rounds, experts = len(self), len(self.experts)
        return (
            f"KeptAdvice({rounds:,} round{'' if rounds == 1 else 's'}, "
            f"{experts:,} expert{'' if experts == 1 else 's'})"
        )


class AdviceNotes:
    """Collects the advice of a run, in blocks or round by round.

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> from littlestone.running.advice import AdviceNotes
    >>> learner = WeightedMajority(experts=["ann", "bob"])
    >>> notes = AdviceNotes(learner)
    >>> notes.add_one({"bob": True}, True)
    >>> notes.kept().predictions.tolist()
    [[nan, 1.0]]
    """

    def __init__(self, learner: Any) -> None:
        self._learner = learner
        self._advice: list[Advice] = []
        self._outcomes: list[NDArray[np.float64]] = []

    def add_one(self, x: Any, outcome: Any) -> None:
        """Note one round that was played."""
        # A pandas Series is read by name, as learners do.
        self._advice.append(as_advice([dict(x) if hasattr(x, "keys") else x]))
        self._outcomes.append(np.array([outcome], dtype=np.float64))

    def add(self, advice: Advice, outcomes: NDArray[Any], played: range) -> None:
        """Note the rounds of a block that were played."""
        here = slice(played.start, played.stop)
        values = advice.values[here].astype(np.float64)  # the block may be used again
        self._advice.append(Advice(values, advice.names, advice.may_sleep))
        self._outcomes.append(outcomes[here].astype(np.float64))

    def kept(self) -> KeptAdvice:
        """Return the rounds noted so far."""
        experts = tuple(self._learner.experts_)
        tables = [_by_expert(advice, experts) for advice in self._advice]
        values = np.concatenate(tables) if tables else np.empty((0, len(experts)))
        if not outcome_of(self._learner).charged:
            values[values == -1] = 0.0
        outcomes = np.concatenate([np.empty(0), *self._outcomes])
        self._advice = [Advice(values, experts, may_sleep=True)]
        self._outcomes = [outcomes]
        return KeptAdvice(experts, values, outcomes)


def _by_expert(advice: Advice, experts: tuple[Any, ...]) -> NDArray[np.float64]:
    """Return advice in the order of the experts; those it leaves out sleep."""
    values = np.asarray(advice.values, dtype=np.float64)
    names = tuple(range(values.shape[1])) if advice.names is None else advice.names
    if advice.names is None and len(names) == len(experts):
        names = experts
    if names == experts:
        return values
    at = {name: k for k, name in enumerate(experts)}
    table = np.full((len(values), len(experts), *values.shape[2:]), np.nan)
    table[:, [at[name] for name in names]] = values
    return table
