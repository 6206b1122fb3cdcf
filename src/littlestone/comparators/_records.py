"""What comparators take from the record of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from littlestone.errors import Hint, ParameterError
from littlestone.losses import Loss, as_loss
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from littlestone.comparators._comparator import Comparator
    from littlestone.running import KeptAdvice, Record

__all__ = ["advice_of", "loss_of", "regret"]


def advice_of(owner: str, record: Record) -> KeptAdvice:
    """Return the advice that a record has kept, or refuse one that has none."""
    if record.advice is None:
        keep = Hint("keep", "advice", "lets run keep it")
        raise ParameterError(
            f"a record must hold the advice of its rounds, got {record!r}",
            owner=owner,
            hints=[keep],
        )
    return record.advice


def loss_of(owner: str, record: Record) -> Loss:
    """Return the loss that the learner of a record was charged."""
    given = record.learner.parameters.get("loss")
    if given is None and record.outcome is not Outcome.LABEL:
        raise ParameterError(
            f"the learner must say by which loss it is charged, got {record!r}",
            owner=owner,
            hints=[Hint("loss", does="names it")],
        )
    return as_loss("zero-one" if given is None else given)


def regret(record: Record, comparator: Comparator) -> float:
    """Return how much more a run lost than the best fixed choice in hindsight.

    If the best expert slept in some rounds, only the other rounds count.

    Parameters
    ----------
    record
        The record of a run of a learner that follows experts.
    comparator
        The best choice for the same rounds and the same loss.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.comparators import best_expert, best_shifting, regret
    >>> from littlestone.experts import WeightedMajority
    >>> votes = [({"ann": True, "bob": False}, day > 2) for day in range(6)]
    >>> record = run(WeightedMajority(), votes, keep="advice")
    >>> record.mistakes, regret(record, best_expert(record))
    (4, 1.0)
    >>> regret(record, best_shifting(record, switches=1))
    4.0
    """
    charged = loss_of("regret", record)
    if comparator.charged != charged:
        raise ParameterError(
            f"the comparator must be the best for {charged.name} loss, as the record "
            f"is charged, got {comparator!r}",
            owner="regret",
        )
    if len(comparator.predictions) != record.rounds or record.loss is None:
        raise ParameterError(
            f"the comparator must be the best for the rounds of {record!r}, "
            f"got {comparator!r}",
            owner="regret",
        )
    if comparator.rounds < record.rounds and comparator.weights and record.regrets:
        best = max(comparator.weights, key=comparator.weights.__getitem__)
        return record.regrets[best]
    return record.loss - comparator.loss
