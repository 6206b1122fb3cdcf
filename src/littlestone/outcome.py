"""What kind of thing is predicted: one word for learners, streams and records."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

__all__ = ["Outcome", "outcome_of"]


class Outcome(StrEnum):
    """What kind of thing a learner predicts, and what the labels of a stream are.

    Attributes
    ----------
    LABEL
        Yes or no.
    CLASS
        One of several labels of any kind.
    NUMBER
        A real number, charged by a loss.
    DISTRIBUTION
        A probability for each of several outcomes, charged by a loss. A single number
        is the probability of a yes. The label is one of the outcomes, as a number.

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
    """Return what a learner predicts: a label, unless it says otherwise.

    Learners of other libraries do not say, and predict labels.

    Examples
    --------
    >>> from littlestone.linear import MulticlassPerceptron, Perceptron
    >>> from littlestone.outcome import outcome_of
    >>> outcome_of(Perceptron()), outcome_of(MulticlassPerceptron())
    (<Outcome.LABEL: 'label'>, <Outcome.CLASS: 'class'>)
    """
    said = getattr(learner, "outcome", Outcome.LABEL)
    if type(said) is Outcome:  # as of every learner of ours, several times a run
        return said
    try:
        return Outcome(said)
    except ValueError:  # an attribute of another library that means something else
        return Outcome.LABEL
