"""What `run` and its neighbours take as a stream: frames and arrays too."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from littlestone import streams
from littlestone.adversaries import Adversary
from littlestone.errors import ParameterError
from littlestone.learner.rows import is_mappings
from littlestone.outcome import Outcome, outcome_of
from littlestone.streams import Stream
from littlestone.streams._frames import check_label, columns_of, is_frame, split

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.learner.rows import Example

__all__ = ["Data", "Frame", "Needs", "as_stream"]

_SHOWN = 200


class Frame(Protocol):
    """A data frame of pandas or polars, or an Arrow table."""

    @property
    def columns(self) -> Any:
        """Its columns."""


Data: TypeAlias = "Iterable[tuple[Example, object]] | Frame | tuple[Any, Any]"


class Needs(NamedTuple):
    """What learners need a stream to be.

    Attributes
    ----------
    outcome
        What its labels are.
    advice
        Whether its examples are the advice of experts.
    literals
        Whether its features are literals, as those of rules are.
    """

    outcome: Outcome
    advice: bool = False
    literals: bool = False

    @classmethod
    def of(cls, *learners: Any) -> Needs:
        """Return what some learners need."""
        predicted = {outcome_of(learner) for learner in learners}
        outcome = predicted.pop() if len(predicted) == 1 else Outcome.LABEL
        return cls(
            Outcome.NUMBER if outcome.charged else outcome,
            advice=any(hasattr(learner, "play_advice") for learner in learners),
            literals=any(hasattr(learner, "concept_") for learner in learners),
        )


def as_stream(owner: str, given: Any, label: Any, needs: Needs) -> Any:
    """Return what was given as a stream that learners with these needs can play.

    A frame with `label`, and a pair `(X, y)`, become the stream that fits; anything
    else is returned as it is.

    Examples
    --------
    >>> import pandas
    >>> from littlestone.linear import Perceptron
    >>> from littlestone.running.inputs import Needs, as_stream
    >>> needs = Needs.of(Perceptron())
    >>> frame = pandas.DataFrame({"a": [1.0, 2.0], "fraud": [0, 1]})
    >>> as_stream("run", frame, "fraud", needs)
    table(DataFrame of 2 rows)
    >>> as_stream("run", ([[1.0], [2.0]], [0, 1]), None, needs)
    arrays(2 rows)
    """
    if is_frame(given):
        return _of_frame(owner, given, label, needs)
    if label is not None:
        raise ParameterError(
            f"label is for data frames, whose column it is, got {label!r} for "
            f"{type(given).__name__}",
            owner=owner,
        )
    if _is_pair(given):
        X, y = given
        return _of_pair(X, y, needs)
    if isinstance(given, (str, os.PathLike)):
        raise ParameterError(
            f"a stream must be examples, got the path {os.fspath(given)!r}, which "
            "littlestone.streams.open can read",
            owner=owner,
        )
    if hasattr(given, "shape") and not isinstance(given, (Stream, Adversary)):
        raise ParameterError(
            "a stream must have labels, as in (X, y), got "
            f"{type(given).__name__} of shape {given.shape} alone",
            owner=owner,
        )
    return given


def _of_frame(owner: str, frame: Any, label: Any, needs: Needs) -> Stream:
    if label is None:
        names = ", ".join(map(repr, columns_of(frame)))[:_SHOWN]
        raise ParameterError(
            f"a {type(frame).__name__} needs label=, the column of its labels, one of "
            f"{names}, or its labels beside it, as in (X, y)",
            owner=owner,
        )
    check_label(owner, frame, label)
    if needs.advice or needs.literals:
        X, y = split(frame, label)
        return _of_pair(X, y, needs)
    return streams.table(frame, label=label, outcome=needs.outcome)


def _of_pair(X: Any, y: Any, needs: Needs) -> Stream:
    if needs.advice:
        return streams.advice(X, y)
    if needs.literals and (is_frame(X) or is_mappings(X)):
        return streams.onehot(X, y)
    if is_frame(X):
        return streams.table(X, y, outcome=needs.outcome)
    return streams.arrays(X, y, outcome=needs.outcome)


def _is_pair(given: Any) -> bool:
    """Return whether something is `(X, y)`, not two examples with their labels."""
    pair = isinstance(given, tuple) and len(given) == 2  # noqa: PLR2004 - X and y
    return pair and not isinstance(given[0], tuple) and hasattr(given[1], "__len__")
