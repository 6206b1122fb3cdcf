"""What a learner that follows experts has booked at some round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

__all__ = ["Looks", "Moment", "Seen"]


class Moment(NamedTuple):
    """What theorems ask of a learner from advice after some round.

    Attributes
    ----------
    rounds, experts
        How many rounds it has learned from, and how many experts there are.
    rival, lost
        The position of the expert to which bounds compare it, and what that one has
        lost; None if it does not count losses.
    slept
        Whether an expert has slept.

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> learner = WeightedMajority(experts=2)
    >>> learner.learn_one([True, False], False)
    >>> learner.moment()
    Moment(rounds=1, experts=2, rival=1, lost=0.0, slept=False)
    """

    rounds: int
    experts: int
    rival: int | None
    lost: float | None
    slept: bool


class Seen(NamedTuple):
    """What was seen of a learner after some rounds.

    Attributes
    ----------
    rounds
        After how many rounds.
    losses, own, weights
        For each of them the loss of each expert, the learner's own while that one was
        awake, and its weight.
    slept
        Whether an expert had slept by then.
    names
        The position of each expert by its name; None if experts have none, or nobody
        asks for them.
    """

    rounds: NDArray[np.int64]
    losses: NDArray[np.float64]
    own: NDArray[np.float64]
    weights: NDArray[np.float64]
    slept: NDArray[np.bool_]
    names: Mapping[Any, int] | None = None


class Looks:
    """After which rows of a block a learner is looked at, and what was seen.

    Parameters
    ----------
    after
        How many rows of the block are played by then, in rising order.

    Examples
    --------
    >>> import numpy as np
    >>> from littlestone.experts import WeightedMajority
    >>> from littlestone.learner.advice import as_advice
    >>> from littlestone.learner.moment import Looks
    >>> looks = Looks([2])
    >>> advice, said = as_advice([[True, False]] * 3), np.empty(3, dtype=bool)
    >>> learner = WeightedMajority(experts=2)
    >>> learner.play_advice(advice, said, said, np.empty(3), range(3), looks=looks)
    >>> [seen.rounds.tolist() for seen in looks.seen]
    [[2]]
    """

    def __init__(self, after: ArrayLike = ()) -> None:
        self.after = np.asarray(after, dtype=np.int64)
        self.seen: list[Seen] = []
        self.features: NDArray[np.int64] | None = None

    def room(self) -> NDArray[np.int64]:
        """Return where a learner of rules writes how many features it has by then.

        It writes -1 once no concept is left.
        """
        self.features = np.empty(len(self.after), dtype=np.int64)
        return self.features

    def take(
        self, before: int, last: int, books: NDArray[np.float64], sleeper: int
    ) -> None:
        """Take down what was seen until the last row that was played.

        `before` is the number of rounds before the first row of the block, and
        `sleeper` the first row by which an expert had slept.
        """
        if many := int(self.after.searchsorted(last, "right")):
            after = self.after[:many]
            losses, own, weights = books[:many].transpose(1, 0, 2)
            asleep = sleeper < after
            self.seen.append(Seen(before + after, losses, own, weights, asleep))
