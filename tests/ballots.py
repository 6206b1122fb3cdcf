"""Ballots: what experts vote round by round, and how to hold a learner to its twin."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

# Around the eight lanes of a sum, and around the 64 bits of a word.
SIZES = (1, 2, 3, 7, 8, 9, 16, 63, 64, 65, 70)

seeds = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Ballots:
    """Votes and labels; who is awake, and with which share late experts join.

    The last columns are those who join late, one before each round named in `joins`.
    """

    votes: NDArray[np.bool_]
    awake: NDArray[np.bool_]
    labels: NDArray[np.bool_]
    joins: Mapping[int, float | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def first(self) -> int:
        """How many experts there are from the first round on."""
        return int(self.votes.shape[1]) - len(self.joins)

    def rounds(self) -> Iterator[tuple[Any, bool]]:
        """Yield advice and label; a list where everyone there is awake."""
        size = self.first
        for t, y in enumerate(self.labels.tolist()):
            size += t in self.joins
            votes, awake = self.votes[t, :size].tolist(), self.awake[t, :size].tolist()
            here = {i: votes[i] for i in range(size) if awake[i]}
            yield (votes if len(here) == size else here), y


@st.composite
def small(draw: st.DrawFn, rounds: int = 40) -> Ballots:
    """Draw every vote and every label of up to six experts."""
    n = draw(st.integers(1, 6))
    row = st.lists(st.booleans(), min_size=n + 1, max_size=n + 1)
    drawn = np.array(draw(st.lists(row, max_size=rounds)), dtype=np.bool_)
    drawn = drawn.reshape(-1, n + 1)
    return Ballots(drawn[:, 1:], np.ones_like(drawn[:, 1:]), drawn[:, 0])


@st.composite
def large(
    draw: st.DrawFn, *, sleepy: bool = False, late: bool = False, rounds: int = 40
) -> Ballots:
    """Draw a crowd of up to 70, more or less skilled; some asleep, some late."""
    n = draw(st.sampled_from(SIZES))
    rng = np.random.default_rng(draw(seeds))
    labels = rng.random(rounds) < 0.5
    skill = draw(st.sampled_from([0.3, 0.5, 0.9, 0.99]))
    votes = (rng.random((rounds, n + 3 * late)) < skill) == labels[:, None]
    awake = np.ones_like(votes)
    if sleepy:
        awake = rng.random(votes.shape) < draw(st.sampled_from([0.1, 0.5, 0.95]))
        awake[np.arange(rounds), rng.integers(n, size=rounds)] = True
    shares = st.one_of(st.none(), st.floats(0.001, 0.999))
    joins = {t: draw(shares) for t in (3, 4, 20)} if late else {}
    return Ballots(votes, awake, labels, joins)


def bits(values: Any) -> list[str]:
    """Return floats so that no two of them look alike."""
    return [float(value).hex() for value in values]


def snapshot(learner: Any) -> bytes:
    """Return everything a learner knows."""
    return pickle.dumps(learner)


def hold_to_twin(learner: Any, twin: Any, ballots: Ballots, **alike: str) -> Any:
    """Play both, and compare all they say and all they keep, bit for bit.

    Halfway the learner is replaced by what was pickled of it. `alike` names properties
    of the learner and of the twin that must be equal after each round.
    """
    own: dict[Any, int] = {}
    for t, (x, y) in enumerate(ballots.rounds()):
        if t in ballots.joins:
            share = ballots.joins[t]
            given: dict[str, Any] = {} if share is None else {"prior": share}
            if isinstance(learner.experts, dict):  # by name, and names are needed
                given["expert"] = len(learner.experts_)
            learner.join(**given)
            twin.join(**given)
        if t == len(ballots) // 2:
            learner = pickle.loads(snapshot(learner))  # noqa: S301 - our own bytes
        before = snapshot(learner)
        foreseen = learner.predict_one(x)
        assert snapshot(learner) == before  # to ask changes nothing
        said = learner.play_one(x, y)
        assert said is foreseen
        assert said is twin.play(x, y)
        for expert in range(len(learner.experts_)):
            here = expert in x if isinstance(x, dict) else True
            own[expert] = own.get(expert, 0) + (here and said != y)
        assert bits(learner.weights_.values()) == bits(twin.weights.values())
        for name, of_twin in alike.items():
            assert getattr(learner, name) == getattr(twin, of_twin), name
        assert learner.updates_ == twin.updates == t + 1
        assert learner.loss_ == twin.own
    if len(ballots):
        assert dict(learner.losses_) == twin.losses
        assert dict(learner.own_losses_) == own
        assert dict(learner.regret_) == {e: own[e] - twin.losses[e] for e in own}
    return learner


def greedy(
    learner: Any,
    rounds: int,
    advise: Callable[[int], list[bool]],
) -> Ballots:
    """Play a learner with labels against whatever it says; return what was played."""
    votes, labels = [], []
    for t in range(rounds):
        votes.append(advise(t))
        labels.append(not learner.predict_one(votes[-1]))
        learner.learn_one(votes[-1], labels[-1])
    array = np.array(votes)
    return Ballots(array, np.ones_like(array), np.array(labels))


def evenly(learner: Any) -> list[bool]:
    """Vote so that yes and no weigh nearly the same: heaviest first."""
    weights = np.asarray(learner.weights_)
    sides = [0.0, 0.0]
    votes = [False] * len(weights)
    for i in np.argsort(-weights, kind="stable"):
        lighter = int(sides[1] < sides[0])
        votes[i] = bool(lighter)
        sides[lighter] += float(weights[i])
    return votes


def mistakes_of(ballots: Ballots) -> NDArray[np.int64]:
    """Count the mistakes of each expert before every round, and after the last."""
    wrong = ballots.votes != ballots.labels[:, None]
    counts: NDArray[np.int64] = np.zeros((len(wrong) + 1, wrong.shape[1]), np.int64)
    np.cumsum(wrong, axis=0, out=counts[1:])
    return counts
