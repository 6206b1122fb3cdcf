"""What a learner that follows experts has booked at some round."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["Looks", "Moment"]


class Moment(NamedTuple):
    """The books and weights of a learner from advice after some round.

    Attributes
    ----------
    rounds
        How many rounds it has learned from.
    losses, own
        The loss of each expert, and the learner's own while that one was awake; None if
        it does not count them.
    weights
        The weight of each expert.
    slept
        Whether an expert has slept.

    Examples
    --------
    >>> from littlestone.experts import WeightedMajority
    >>> learner = WeightedMajority(experts=2)
    >>> learner.learn_one([True, False], False)
    >>> moment = learner.moment()
    >>> moment.rounds, moment.losses.tolist(), moment.own.tolist()
    (1, [1.0, 0.0], [1.0, 1.0])
    """

    rounds: int
    losses: NDArray[np.float64] | None
    own: NDArray[np.float64] | None
    weights: NDArray[np.float64]
    slept: bool


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
    >>> [moment.rounds for moment in looks.moments]
    [2]
    """

    def __init__(self, after: Iterable[int] = ()) -> None:
        self.after = np.fromiter(after, np.int64)
        self.moments: list[Moment] = []

    def take(
        self, before: int, last: int, seen: NDArray[np.float64], sleeper: int
    ) -> None:
        """Take down what was seen until the last row that was played.

        `before` is the number of rounds before the first row of the block, and
        `sleeper` the first row by which somebody had slept.
        """
        for at, (losses, own, weights) in zip(self.after.tolist(), seen, strict=True):
            if at <= last:
                moment = Moment(before + at, losses, own, weights, sleeper < at)
                self.moments.append(moment)
