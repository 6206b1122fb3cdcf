"""A batch of rounds that have just been played."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import _core
from littlestone.outcome import Outcome
from littlestone.running.bounds import Standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from littlestone.running.bounds import Counts

__all__ = ["UNASKED", "Batch", "Said", "may_lack_labels", "unlabelled"]


class Said(NamedTuple):
    """Scores and probabilities of rounds before they were played, where asked for."""

    scores: NDArray[np.float64] | None = None
    chances: NDArray[Any] | None = None


UNASKED = Said()


@dataclass(frozen=True)
class Batch:
    """Some rounds that have just been played, for observers of a run.

    Attributes
    ----------
    first
        The number of the first of these rounds.
    labels, predictions
        One of each per round; a label is None if the example had none, which is allowed
        with `learn=False`.
    before
        The mistakes made before these rounds.
    features
        Returns the number of features of a round's example, counted from `first`.
    done
        The share of the stream that has been played, if known.
    losses, lost
        The learner's loss in each of these rounds, and its total loss before them; None
        for a learner without a loss.
    outcome
        What is predicted.
    standings
        Returns how the run compares with its bound, given the number of rounds played;
        `standing` calls it.
    bound_of
        What the bound limits.
    tag
        Returns the tag of a round, counted from `first`; None without tags. Only Vowpal
        Wabbit text has tags.
    scores
        What the learner scored each example before it saw the label, or the probability
        of a yes where a committee gives one; None unless a metric needs it.
    chances
        The probability of a yes that it gave each example before it saw the label, or
        that of each class by its name; None unless `chances` or a metric asks for them.
    live
        Whether a bound may come later, though there is none yet.
    advice
        Whether the examples are the advice of experts, which `features` counts.
    weights
        How much each round counts, by which its loss is multiplied; None if all count
        once.

    Examples
    --------
    >>> from littlestone import run
    >>> from littlestone.linear import Perceptron
    >>> def show(batch):
    ...     print(batch.first, batch.labels.tolist(), batch.wrong.tolist())
    >>> record = run(Perceptron(), [({"a": 1}, True), ({"b": 1}, False)], observe=show)
    0 [True, False] [False, True]
    """

    first: int
    labels: NDArray[Any]
    predictions: NDArray[Any]
    before: int
    features: Callable[[int], int]
    done: float | None = None
    losses: NDArray[np.float64] | None = None
    lost: float = 0.0
    outcome: Outcome = Outcome.LABEL
    standings: Callable[[int], Standing] | None = None
    bound_of: Counts = "mistakes"
    tag: Callable[[int], str] | None = None
    scores: NDArray[np.float64] | None = None
    live: bool = False
    advice: bool = False
    chances: NDArray[Any] | None = None
    weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def wrong(self) -> NDArray[np.bool_]:
        """The rounds whose prediction was not the label; False without a label.

        A distribution predicts its likeliest outcome, the first of equals.
        """
        wrong = np.zeros(len(self), dtype=np.bool_)
        wrong[self.wrong_at] = True
        return wrong

    @cached_property
    def wrong_at(self) -> NDArray[np.int64]:
        """The positions of these rounds, in order."""
        said = self.predictions
        at = _differing(self.labels, said.argmax(axis=1) if said.ndim > 1 else said)
        return at[~self.unlabelled[at]] if may_lack_labels(self.labels) else at

    @cached_property
    def unlabelled(self) -> NDArray[np.bool_]:
        """The rounds whose example has no label."""
        return unlabelled(self.labels)

    def mistakes_through(self, at: int) -> int:
        """Return the mistakes made up to and including round `first + at`."""
        return self.before + int(self.wrong_at.searchsorted(at, "right"))

    def standing(self, at: int) -> Standing:
        """Return how the run compared with its bound after round `first + at`.

        Known for the last of these rounds and after 1, 2, 4, 8, ... rounds; for most
        others it is not.
        """
        if self.standings is None:
            return Standing()
        return self.standings(self.first + at + 1)

    def loss_through(self, at: int) -> float:
        """Return the loss up to and including round `first + at`."""
        return self.lost + float(np.sum(self.losses[: at + 1]))  # type: ignore[index]  # called where there are losses


def may_lack_labels(labels: NDArray[Any]) -> bool:
    """Return whether some of these labels may be missing."""
    return labels.dtype == object


def unlabelled(labels: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which labels are missing."""
    if not may_lack_labels(labels):
        return np.zeros(len(labels), dtype=np.bool_)
    missing = np.empty(len(labels), dtype=np.bool_)
    _core.missing(labels, missing)
    return missing


def _differing(labels: NDArray[Any], said: NDArray[Any]) -> NDArray[np.int64]:
    """Return where labels and predictions differ."""
    if labels.dtype != said.dtype or labels.dtype.char not in "?dO":
        return np.flatnonzero(labels != said)
    at = np.empty(len(labels), dtype=np.int64)
    found = at[: _core.differing(labels, said, at)]
    return found if 2 * len(found) > len(at) else found.copy()  # without the rest
