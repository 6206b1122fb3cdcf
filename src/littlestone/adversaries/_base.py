"""What an adversary is: it asks, sees the prediction, and only then answers."""

from __future__ import annotations

import inspect
import operator
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from littlestone.errors import ParameterError, StreamError
from littlestone.learner import as_label
from littlestone.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from fractions import Fraction

    from littlestone.theorems import Theorem

__all__ = ["Adversary", "Numbered", "said", "whole"]


class Adversary(ABC):
    """A stream that answers the learner: the label may depend on the prediction.

    It sees predictions, never weights. `littlestone.run` plays a learner against it,
    from its first round on. What it forces is a lower bound for every learner, and it
    plays fair: the fixed choice in `comparator_` does well.

    To write your own, define `restart`, `ask`, `answer`, `best_` and `rounds`; the
    other attributes are optional.

    Attributes
    ----------
    rounds
        How many rounds it plays.
    theorem, numbers
        The theorem it proves, and the numbers that theorem takes.
    forces
        The mistakes that no learner avoids; see each adversary for exceptions.
    features
        What its examples are made of, in order; None if it does not say.
    best_, comparator_
        The fixed choice that does well, and the mistakes it makes.

    Examples
    --------
    By hand, a learner that says yes both times:

    >>> from littlestone.adversaries import AlternatingAdversary
    >>> adversary = AlternatingAdversary(2)
    >>> adversary.ask(), adversary.answer(True)
    ({}, False)
    >>> adversary.ask(), adversary.answer(True)
    ({}, False)
    >>> print(adversary.ask())
    None
    >>> adversary.forces, adversary.best_
    (2, 0)
    >>> print(adversary.theorem.id, adversary.comparator_)
    FTM-LB never
    """

    outcome = Outcome.LABEL
    rounds: int

    @property
    def theorem(self) -> Theorem | None:
        """The theorem that this adversary proves; None if it has none."""
        return None

    @property
    def numbers(self) -> Mapping[str, Any]:
        """What `theorem.bound` takes."""
        return {}

    @property
    def forces(self) -> int | Fraction:
        """The mistakes that no learner avoids, in all rounds; 0 if it does not say."""
        return 0

    @property
    def features(self) -> Sequence[Any] | None:
        """What the examples are made of, for learners that must know beforehand."""
        return None

    @property
    def comparator_(self) -> Any:
        """The fixed choice that `best_` is of, by the answers so far."""
        return None

    @property
    @abstractmethod
    def best_(self) -> int:
        """Mistakes of the best fixed choice in the rounds answered so far."""

    @abstractmethod
    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""

    @abstractmethod
    def ask(self) -> Any:
        """Return the example of this round, or None when all are played."""

    @abstractmethod
    def answer(self, prediction: Any) -> bool:
        """Take the prediction and return the label, which ends the round."""


class Numbered(Adversary):
    """An adversary that knows its rounds by number, counted from 0."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Forget what was played; the next question is that of the first round."""
        self._round = 0
        self._asked = False

    def ask(self) -> Any:
        """Return the example of this round, or None when all are played."""
        if self._round == self.rounds:
            return None
        self._asked = True
        return self._example(self._round)

    def answer(self, prediction: Any) -> bool:
        """Take the prediction and return the label, which ends the round."""
        if not self._asked:
            raise StreamError(
                "an answer must follow a question, got none asked in round "
                f"{self._round} of {self.rounds}",
                owner=type(self).__name__,
            )
        label = self._label(self._round, prediction)
        self._round += 1
        self._asked = False
        return label

    @abstractmethod
    def _example(self, at: int) -> Any:
        """Return the example of round `at`."""

    @abstractmethod
    def _label(self, at: int, prediction: Any) -> bool:
        """Return the label of round `at`, and keep what `best_` needs of it."""

    def __repr__(self) -> str:
        names = tuple(inspect.signature(type(self)).parameters)
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__name__}({given})"


def said(prediction: object) -> bool:
    """Return what a prediction says; silence means no.

    Examples
    --------
    >>> from littlestone.adversaries._base import said
    >>> said(1), said(-1), said(None)
    (True, False, False)
    """
    return prediction is not None and as_label(prediction)


def whole(
    owner: str, name: str, value: object, least: int, most: int | None = None
) -> int:
    """Return the whole number that a parameter is, or refuse it.

    Examples
    --------
    >>> from littlestone.adversaries._base import whole
    >>> whole("RandomExperts", "experts", 0, 1, 9)
    Traceback (most recent call last):
    littlestone.errors.ParameterError: RandomExperts: experts must be a whole number from 1 to 9, got 0
    """  # noqa: E501 - a message is one line
    if not isinstance(value, bool):
        with suppress(TypeError):
            number = operator.index(value)  # type: ignore[arg-type]  # that is asked
            if least <= number and (most is None or number <= most):
                return number
    range_ = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise ParameterError(
        f"{name} must be a whole number {range_}, got {value!r}", owner=owner
    )
