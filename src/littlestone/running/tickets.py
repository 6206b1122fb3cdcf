"""Tickets: predictions that wait for their labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone.errors import ExampleError, ParameterError
from littlestone.learner.parameters import whole
from littlestone.losses import as_loss

_SINGLE = (bool, int, float, str)  # to ask NumPy for the dimensions takes longer

__all__ = ["Ticket", "TicketBook", "answer", "same"]


@dataclass(slots=True)
class Ticket:
    """A prediction that waits for its label.

    Attributes
    ----------
    number
        Counts the predictions of a recorder from 0.
    x
        The example; a copy if it could change before the label comes.
    prediction
        What the learner predicted. None if it could not predict yet.
    learned
        How many labels the learner had learned from when it predicted.
    open
        Whether the label is still missing.
    mistakes
        How many predictions were known to be wrong when it predicted.
    score
        What the learner scored the example, if the rule for late labels needs it.
    """

    number: int
    x: Any
    prediction: Any
    learned: int
    open: bool = True
    mistakes: int = 0
    score: float = 0.0

    def check_open(self) -> None:
        """Refuse a ticket whose label has come."""
        if not self.open:
            raise ParameterError(
                f"ticket {self.number} must wait for its label, got one whose label "
                "has come",
                owner="Recorder",
            )

    def locate(self, error: ExampleError, rounds: int) -> None:
        """Say when and where the example was refused."""
        error.rounds = rounds
        error.where = error.where or f"ticket {self.number}"


class TicketBook:
    """Counts tickets, and what late labels cost beyond the learner's own books."""

    def __init__(self) -> None:
        self.given = self.told = self.dropped = self.late = 0
        self._total = 0.0
        self._by_expert: dict[Any, float] = {}

    def close(self, ticket: Ticket, *, late: bool) -> None:
        """Count the label of a ticket; late ones would be predicted otherwise now."""
        ticket.open = False
        self.told += 1
        self.late += late

    def surcharge(self, learner: Any, ticket: Ticket, outcome: Any) -> float:
        """Return what a prediction cost as it was given out.

        Note what it lost more than a fresh one.
        """
        loss = as_loss(learner.loss)
        of = loss.of_distribution if np.ndim(ticket.prediction) else loss.value
        served = float(of(ticket.prediction, outcome))
        extra = served - learner.last_loss_
        self._total += extra
        if hasattr(learner, "play_advice"):
            for expert in _awake(ticket.x):
                self._by_expert[expert] = self._by_expert.get(expert, 0.0) + extra
        return served

    def charge(self, facts: dict[str, Any]) -> None:
        """Add the surcharges to the facts of a record."""
        if "loss" in facts:
            facts["loss"] += self._total
        if not self._by_expert or "regrets" not in facts:
            return
        regrets = facts["regrets"] = dict(facts["regrets"])
        for expert, extra in self._by_expert.items():
            if expert in regrets:
                regrets[expert] += extra

    def save(self) -> dict[str, Any]:
        """Return what was counted."""
        return {
            "given": self.given,
            "told": self.told,
            "dropped": self.dropped,
            "late": self.late,
            "total": self._total,
            "by_expert": dict(self._by_expert),
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from what was counted before."""
        for name in ("given", "told", "dropped", "late"):
            setattr(self, name, whole("run", f"tickets {name}", saved.get(name, 0)))
        self._total = float(saved.get("total", 0.0))
        self._by_expert = dict(saved.get("by_expert", {}))


def _awake(x: Any) -> Iterator[Any]:
    """Return the experts that give advice in a round."""
    if isinstance(x, Mapping):
        return iter(x)
    return (i for i, said in enumerate(x) if not np.isnan(said).all())


def answer(said: Any) -> Any:
    """Return the answer of a prediction; a distribution gives its likeliest outcome."""
    if isinstance(said, _SINGLE):
        return said
    return int(np.argmax(said)) if np.ndim(said) else said


def same(one: Any, other: Any) -> bool:
    """Return whether two predictions are equal; they may be distributions."""
    if isinstance(one, _SINGLE):
        return bool(one == other)
    return bool(np.array_equal(one, other)) if np.ndim(one) else bool(one == other)
