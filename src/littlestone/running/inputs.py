"""What `run` and its neighbours take as a stream: frames and arrays too."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from littlestone import streams
from littlestone.adversaries import Adversary
from littlestone.errors import (
    Hint,
    ParameterError,
    StreamError,
    UnknownLabelWarning,
    refusal,
)
from littlestone.learner import warn
from littlestone.learner.rows import is_mappings
from littlestone.outcome import Outcome, outcome_of
from littlestone.streams import Stream
from littlestone.streams._frames import (
    check_label,
    columns_in_words,
    is_frame,
    split,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from littlestone.learner.rows import Example

__all__ = [
    "Data",
    "Frame",
    "Meaning",
    "Needs",
    "as_stream",
    "paired",
    "unpaired",
]


class Frame(Protocol):
    """A data frame of pandas or polars, or an Arrow table."""

    @property
    def columns(self) -> Any:
        """Its columns."""


# The label that means yes, or several.
Meaning: TypeAlias = "str | float | Collection[str | float]"
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


def as_stream(
    owner: str, given: Any, label: Any, needs: Needs, positive: Any = None
) -> Any:
    """Return what was given as a stream that learners with these needs can play.

    A frame with `label`, and a pair `(X, y)`, become the stream that fits, in which
    `positive` means yes; anything else is returned as it is.

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
    if positive is not None and needs.outcome is not Outcome.LABEL:
        raise ParameterError(
            f"positive is for learners of yes and no, not of a {needs.outcome.value}, "
            f"got {positive!r}",
            owner=owner,
        )
    if is_frame(given):
        return _of_frame(owner, given, label, needs, positive)
    if label is not None:
        raise ParameterError(
            f"label is for data frames, whose column it is, got {label!r} for "
            f"{type(given).__name__}",
            owner=owner,
        )
    if _is_pair(given):
        X, y = given
        return _of_pair(owner, X, y, needs, positive)
    if positive is not None:
        raise ParameterError(
            "positive is for data frames and pairs (X, y), as a stream knows which "
            f"label means yes, got {positive!r} for {type(given).__name__}",
            owner=owner,
        )
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
    may_be_read = isinstance(given, (Iterable, Adversary))
    if not may_be_read and not hasattr(given, "__getitem__"):
        raise ParameterError(
            f"a stream must be examples with their labels, got {type(given).__name__}",
            owner=owner,
        )
    return given


def paired(example: Any) -> tuple[Any, Any]:
    """Return an example and its label, or refuse what is no pair.

    Examples
    --------
    >>> from littlestone.running.inputs import paired
    >>> paired([{"a": 1.0}, True])
    ({'a': 1.0}, True)
    """
    try:
        x, y = example
    except (TypeError, ValueError):
        raise unpaired(example) from None
    return x, y


def unpaired(example: Any) -> StreamError:
    """Return the error for what a stream holds that is no pair.

    Examples
    --------
    >>> from littlestone.running.inputs import unpaired
    >>> unpaired(7)
    StreamError('a stream must hold pairs of an example and a label, got int')
    """
    return StreamError(
        "a stream must hold pairs of an example and a label, got "
        f"{type(example).__name__}"
    )


def _of_frame(
    owner: str, frame: Any, label: Any, needs: Needs, positive: Any
) -> Stream:
    if label is None:
        names = columns_in_words(frame)
        raise ParameterError(
            f"a {type(frame).__name__} needs label=, the column of its labels, one of "
            f"{names}, or its labels beside it, as in (X, y)",
            owner=owner,
        )
    check_label(owner, frame, label)
    if needs.advice or needs.literals:
        X, y = split(frame, label)
        return _of_pair(owner, X, y, needs, positive)
    stream = streams.table(frame, label=label, outcome=needs.outcome, positive=positive)
    stream.owner = owner
    return stream


def _of_pair(owner: str, X: Any, y: Any, needs: Needs, positive: Any) -> Stream:
    if is_frame(X) and not (needs.advice or needs.literals):
        stream = streams.table(X, y, outcome=needs.outcome, positive=positive)
        stream.owner = owner
        return stream
    if positive is not None:
        y = _meant(y, positive)
    elif needs.outcome is Outcome.LABEL and isinstance(first := next(iter(y), 0), str):
        error = refusal("label", owner=owner, row=0, value=first)
        error.hints = (Hint("positive", does="names the label that means yes"),)
        raise error
    if needs.advice:
        return streams.advice(X, y)
    if needs.literals and (is_frame(X) or is_mappings(X)):
        return streams.onehot(X, y)
    return streams.arrays(X, y, outcome=needs.outcome)


def _meant(y: Any, positive: Any) -> list[bool | None]:
    """Return the meaning of labels; None of those that are missing."""
    several = not isinstance(positive, str) and isinstance(positive, Iterable)
    yes = set(positive) if several else {positive}
    labels = y.tolist() if hasattr(y, "tolist") else list(y)
    meant = [None if _is_missing(each) else each in yes for each in labels]
    if not any(meant):
        warn(
            f"no example has the label {positive!r}, which means yes",
            UnknownLabelWarning,
        )
    return meant


def _is_missing(label: Any) -> bool:
    """Return whether a label is missing: None, NaN or what pandas has for it."""
    return label is None or type(label).__name__ == "NAType" or label != label  # noqa: PLR0124 - NaN


def _is_pair(given: Any) -> bool:
    """Return whether something is `(X, y)`, not two examples with their labels."""
    pair = isinstance(given, tuple) and len(given) == 2  # noqa: PLR2004 - X and y
    return pair and not isinstance(given[0], tuple) and hasattr(given[1], "__len__")
