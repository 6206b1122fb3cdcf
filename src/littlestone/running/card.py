"""A learner's name and parameters, in the place of the learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from littlestone.learner import Learner

__all__ = ["LearnerCard", "card_of"]


@dataclass(frozen=True)
class LearnerCard:
    """A learner's name and parameters, kept in the place of the learner itself.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Winnow
    >>> print(run(Winnow(threshold=3), []).learner)
    Winnow(threshold=3, promotion=2.0, eliminate=False)
    """

    name: str
    parameters: dict[str, Any]

    def __str__(self) -> str:
        given = ", ".join(
            f"{name}={value!r}" for name, value in self.parameters.items()
        )
        return f"{self.name}({given})"


def card_of(learner: object) -> LearnerCard:
    """Return a learner's name and parameters."""
    given: dict[str, Any] = {}
    if isinstance(learner, Learner):
        given = learner.get_params(deep=False)  # learners within stay as they are
    elif hasattr(learner, "get_params"):
        given = learner.get_params()
    return LearnerCard(type(learner).__name__, dict(given))
