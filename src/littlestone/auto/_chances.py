"""Probabilities of classes from what the members of a committee say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from littlestone import _core, theorems
from littlestone.experts import FixedShare
from littlestone.learner.advice import Advice
from littlestone.learner.labels import stretches
from littlestone.learner.listening import Listening
from littlestone.learner.moment import Looks
from littlestone.learner.packing import check, is_array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["Chances"]

# What a share of the votes is multiplied by; so no probability is below about 1e-7.
SCALES = (1.0, 2.0, 4.0, 8.0, 16.0)
_ALPHA = 0.001  # the share of rounds in which the best reading changes
_LIGHT = 1e-300  # a weight that is as good as none


class _Mixing(NamedTuple):
    """How readings are mixed, in all rounds alike or in each by its own row."""

    members: NDArray[np.float64]  # the weight of each member in the votes
    readings: NDArray[np.float64]  # the weight of each reading
    fresh: NDArray[np.float64]  # the probability of a class that is new


class Chances(Listening):
    r"""Turn what members say into probabilities of classes, online, with a theorem.

    Each of these readings is an expert, and `FixedShare` with log loss mixes them:

    - A class has two shares of the votes: by the weights of the members, $\beta$ to the
      power of their mistakes, and by their number. A share $s$ is read as a probability
      that is proportional to $e^{as}$, for each scale $a$ of 1, 2, 4, 8 and 16; a class
      that has not been seen yet has the share 0.
    - A member's score $s$ for a class, squashed to $z = s/(1 + |s|)$, is read as one
      that is proportional to $e^{az}$, for the same scales; and the score itself as log
      odds, as it is if the member learns by the log loss. No class is more than 16
      below the best.
    - Three stacks read $\sum_m w_m z_m + v_m z'_m$ as log odds, where $z'$ is how much
      the score of a class is above the mean of all, squashed. AdaGrad learns the
      weights by the log loss, with the rates 0.1, 0.3 and 1.

    By scores, a class that is new in round $t$ has the probability $1/(t + 1)$, and the
    first one is certain.

    So by `FS-XC` the log loss is at most that of the best reading of the best member,
    plus what the theorem states.

    Examples
    --------
    Two members, one of which is always right:

    >>> import numpy as np
    >>> from littlestone.auto._chances import Chances
    >>> chances = Chances(members=2, beta=0.8)
    >>> votes, known = np.array([[0, 1], [1, 0]] * 50), np.full(100, 2)
    >>> scores = np.eye(2)[votes.T]  # by member, round and class
    >>> chances.play(votes, np.array([0, 1] * 50), known, scores)
    >>> chances.predict(votes[:1], 2, scores[:, :1]).round(2).tolist()
    [[1.0, 0.0]]
    """

    def __init__(self, members: int, beta: float, *, by_scores: bool = True) -> None:
        powers = [1.0]
        while powers[-1] > _LIGHT:
            powers.append(powers[-1] * beta)
        self._powers = np.array(powers)
        self.mistakes = np.zeros(members, dtype=np.int64)
        self._readings = _core.ClassReadings("MulticlassAuto", members)
        self.by_scores = by_scores
        size = 2 * len(SCALES) + (self._readings.size if by_scores else 0)
        self.rule_ = FixedShare(eta=1.0, alpha=_ALPHA, loss="log", experts=size)

    @property
    def guarantees(self) -> tuple[theorems.Theorem, ...]:
        """The theorem that bounds its log loss."""
        return (theorems.FS_XC,)

    @property
    def loss_(self) -> float:
        """The log loss so far."""
        return self.rule_.loss_

    def play(
        self,
        votes: NDArray[np.int64],
        classes: NDArray[np.int64],
        known: NDArray[np.int64],
        scores: NDArray[np.float64],
    ) -> None:
        """Learn from rounds in order: votes, the right class, and how many were known.

        A vote below 0 is for no class. Scores are by member, round and class.
        """
        if not len(votes):
            return
        wrong = (votes != classes[:, None]).astype(np.int64)
        after = self.mistakes + wrong.cumsum(axis=0)
        weights = self._weights(after - wrong)
        own = [np.zeros(votes.shape), np.zeros(votes.shape)]  # of the class voted for
        right = [np.zeros(len(votes)), np.zeros(len(votes))]
        # Member by member, so that the order of sums is always the same.
        for at, vote in enumerate(votes.T):
            same, hit = votes == vote[:, None], vote == classes
            own[0] += same * weights[:, at, None]
            own[1] += same
            right[0] += hit * weights[:, at]
            right[1] += hit
        said, members = votes >= 0, votes.shape[1]
        chances = []
        for share, true in (
            (own[0], right[0]),
            (own[1] / members, right[1] / members),
        ):
            for scale in SCALES:
                # Each class once, however many vote for it.
                above = np.where(said, (_exp(scale * share) - 1.0) / own[1], 0.0)
                whole = known + 1.0
                for column in above.T:
                    whole = whole + column
                chances.append(_exp(scale * true) / whole)
        said_by = np.stack(chances, axis=1)
        fresh = self._fresh(np.arange(len(votes)), known)
        earlier = self._readings
        if self._heard is not None:  # as it is before these rounds
            earlier = _core.ClassReadings("MulticlassAuto", members)
            earlier.restore(np.array(self._readings.state()))
        if self.by_scores:
            right_by = np.empty((len(votes), self._readings.size))
            self._readings.play(np.ascontiguousarray(scores), classes, known, right_by)
            right_by *= np.where(classes < known, 1.0 - fresh, fresh)[:, None]
            said_by = np.concatenate([said_by, right_by], axis=1)
        advice = Advice(np.ascontiguousarray(said_by), None, False)
        room = np.empty((2, len(votes)))
        yes, rounds = np.ones(len(votes)), range(len(votes))
        looks = Looks(() if self._heard is None else rounds[1:])
        readings = [np.asarray(self.rule_.weights_)[None]]
        self.rule_.play_advice(advice, yes, room[0], room[1], rounds, looks=looks)
        self.mistakes = after[-1].copy()
        if self._heard is not None:
            readings += [seen.weights for seen in looks.seen]
            mixing = _Mixing(weights, np.concatenate(readings), fresh)
            # Rounds with equally many classes known, so that sums have as many terms.
            self._heard += [
                self._mix(
                    votes[at:to],
                    width,
                    _Mixing(*(each[at:to] for each in mixing)),
                    earlier,
                    scores[:, at:to, :width],
                    classes[at:to],
                )
                for at, to, width in stretches(known)
            ]

    def _fresh(
        self, later: NDArray[np.int64], known: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the probability of a class that is new, so many rounds later."""
        return np.where(known > 0, 1.0 / (self.rule_.updates_ + later + 2.0), 1.0)

    def predict(
        self, votes: NDArray[np.int64], known: int, scores: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the probability of each of the classes known, a row a round."""
        mixed = _Mixing(
            self._weights(self.mistakes[None]),
            np.asarray(self.rule_.weights_)[None],
            self._fresh(np.zeros(1, np.int64), np.array([known])),
        )
        return self._mix(votes, known, mixed, self._readings, scores)

    def _mix(  # noqa: PLR0917 - what is known of some rounds
        self,
        votes: NDArray[np.int64],
        known: int,
        mixed: _Mixing,
        by_scores: _core.ClassReadings,
        scores: NDArray[np.float64],
        classes: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64]:
        """Return the probability of each of the classes known, a row a round.

        With the right classes, the readings by scores learn from each round.
        """
        found = np.zeros((len(votes), known))
        if not known:
            return found
        every = np.arange(len(votes))
        readings = iter(mixed.readings.T)
        equal = np.full((1, votes.shape[1]), 1.0 / votes.shape[1])
        for each in (mixed.members, equal):
            shares = np.zeros((len(votes), known))
            for vote, weight in zip(
                votes.T, np.broadcast_to(each, votes.shape).T, strict=True
            ):
                said = vote >= 0
                shares[every[said], vote[said]] += weight[said]
            for scale, reading in zip(SCALES, readings, strict=False):
                odds = _exp(scale * shares)
                rest = (odds.sum(axis=1) + 1.0)[:, None]
                found += reading[:, None] * odds / rest
        if self.by_scores:
            shown = mixed.readings[:, 2 * len(SCALES) :]
            rest = np.ascontiguousarray(shown * (1.0 - mixed.fresh)[:, None])
            by_scores.mix(np.ascontiguousarray(scores), rest, found, classes)
        # What was left for a class not seen yet is shared out.
        return found / found.sum(axis=1)[:, None]  # type: ignore[no-any-return]

    def _weights(self, mistakes: NDArray[np.int64]) -> NDArray[np.float64]:
        lag = mistakes - mistakes.min(axis=1)[:, None]
        weights = self._powers[np.minimum(lag, len(self._powers) - 1)]
        total = np.zeros(len(weights))
        for column in weights.T:
            total += column
        return weights / total[:, None]  # type: ignore[no-any-return]

    def save_state(self) -> dict[str, Any]:
        """Return what it has learned."""
        stacks = {"stacks": np.array(self._readings.state())} if self.by_scores else {}
        return {**self.rule_.save_state(), "mistakes": self.mistakes} | stacks

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Make this newborn what another one with the same members was."""
        if "stacks" in state:
            self._readings.restore(np.array(state["stacks"], dtype=np.float64))
        self.rule_.load_state({**state, "names": None})
        mistakes, rounds = state["mistakes"], self.rule_.updates_
        sound = (
            is_array(mistakes, np.int64)
            and mistakes.shape == self.mistakes.shape
            and bool(((mistakes >= 0) & (mistakes <= rounds)).all())
            and bool(np.isfinite(self.rule_.weights_).all())
        )
        check("MulticlassAuto", sound, "mistakes and weights of readings")
        self.mistakes = np.array(mistakes.tolist(), dtype=np.int64)


def _exp(exponents: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return exponentials, with the same bits on every machine."""
    values = np.ascontiguousarray(exponents)
    _core.exponentials(values.reshape(-1))
    return values
