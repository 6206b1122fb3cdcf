"""What kind of thing is predicted: one word for learners, streams and records."""

from __future__ import annotations

from enum import Enum
from typing import Any

__all__ = ["Outcome", "outcome_of"]


class Outcome(Enum):
    """What kind of thing a learner predicts, and a stream tells.

    Attributes
    ----------
    LABEL
        Yes or no.
    CLASS
        One of several labels of any kind.
    NUMBER
        A real number, charged by a loss.
    DISTRIBUTION
        A probability for each of several outcomes, charged by a loss.

    Examples
    --------
    >>> from littlestone.outcome import Outcome
    >>> Outcome("class")
    <Outcome.CLASS: 'class'>
    >>> Outcome.NUMBER.charged
    True
    """

    LABEL = "label"
    CLASS = "class"
    NUMBER = "number"
    DISTRIBUTION = "distribution"

    @property
    def charged(self) -> bool:
        """Whether predictions are charged by a loss, which says more than mistakes."""
        return self in (Outcome.NUMBER, Outcome.DISTRIBUTION)


def outcome_of(learner: Any) -> Outcome:
    """Return what a learner predicts; learners of other libraries predict labels.

    Examples
    --------
    >>> from littlestone.linear import MulticlassPerceptron, Perceptron
    >>> from littlestone.outcome import outcome_of
    >>> outcome_of(Perceptron()), outcome_of(MulticlassPerceptron())
    (<Outcome.LABEL: 'label'>, <Outcome.CLASS: 'class'>)
    """
    if getattr(learner, "any_labels", False):
        return Outcome.CLASS
    numbers = getattr(learner, "outcomes_are", "labels") == "numbers"
    return Outcome.NUMBER if numbers else Outcome.LABEL
