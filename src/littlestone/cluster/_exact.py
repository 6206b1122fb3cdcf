"""Merging without a loss: the state that one machine would have after all shards.

Each shard begins with a newborn learner. What these learners know are counts, or sets
from which examples only ever remove something; so the counts are added, and what a
later shard removes was removed in the order of the stream. The merged state is that of
one machine to the last bit, except for what no shard can know by itself: how often one
machine would have erred on the way. See `recounted`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from littlestone.boolean import (
    ConjunctionLearner,
    ConsistentLearner,
    DisjunctionLearner,
    KCNFLearner,
    KDNFLearner,
    StandardOptimalLearner,
    VersionSpaceLearner,
)
from littlestone.boolean._base import BooleanLearner
from littlestone.boolean._finite import FiniteClassLearner
from littlestone.errors import ParameterError
from littlestone.experts import FollowTheMajority, Halving, WeightedMajority

if TYPE_CHECKING:
    from collections.abc import Iterable

    from littlestone.learner import Learner

__all__ = ["EXACT", "Joined", "merged", "recounted"]

State: TypeAlias = dict[str, Any]

EXACT: tuple[type[Learner], ...] = (
    ConjunctionLearner,
    DisjunctionLearner,
    KCNFLearner,
    KDNFLearner,
    ConsistentLearner,
    VersionSpaceLearner,
    StandardOptimalLearner,
    Halving,
    WeightedMajority,
    FollowTheMajority,
)
"""The learners whose shards merge into what one machine would have learned."""


class Joined:
    """What a newborn learner becomes by the parts of a stream, one after another.

    Joining is associative, so that parts may be joined in a tree.

    Parameters
    ----------
    newborn
        A learner that has learned nothing.

    Attributes
    ----------
    learner
        What one machine would have learned from the parts so far.

    Examples
    --------
    >>> from littlestone.boolean import ConjunctionLearner
    >>> from littlestone.cluster._exact import Joined
    >>> one, two = ConjunctionLearner(), ConjunctionLearner()
    >>> one.learn_one({"wings": 1, "eggs": 1}, True)
    >>> two.learn_one({"wings": 1, "legs": 1}, True)
    >>> joined = Joined(ConjunctionLearner())
    >>> joined.add(one.save_state())
    >>> joined.add(two.save_state())
    >>> print(joined.learner.concept_)
    wings
    """

    def __init__(self, newborn: Learner) -> None:
        self.learner = newborn.clone()
        self._before: State | None = None

    def add(self, after: State) -> None:
        """Add what `save_state` returned after the next part that had examples."""
        if self._before is None:
            self.learner.load_state(after)
            self._before = after
        elif isinstance(self.learner, BooleanLearner):
            self.learner.join_state(after)
        else:
            made = self.learner.clone()
            self._before = _joined(made, self._before, after)
            made.load_state(self._before)
            self.learner = made


def merged(newborn: Learner, states: Iterable[State]) -> Learner:
    """Return what a newborn learner is after all parts of a stream, in order."""
    joined = Joined(newborn)
    for state in states:
        joined.add(state)
    return joined.learner


def _joined(learner: Learner, before: State, after: State) -> State:
    if isinstance(learner, FollowTheMajority):
        return {name: before[name] + after[name] for name in before}
    if isinstance(learner, FiniteClassLearner):
        return _version_spaces(type(learner).__name__, before, after)
    _check_experts(learner, before, after)
    join = _halvings if isinstance(learner, Halving) else _majorities
    return join(before, after)


def recounted(
    whole: Learner, begun: Iterable[Learner], ended: Iterable[Learner]
) -> Learner:
    """Return the merged learner, with what only one machine could count.

    Parameters
    ----------
    whole
        The learner that all shards were merged into.
    begun, ended
        The learners with which one machine would begin each shard, and what they were
        after they had played it.
    """
    made, state = whole.clone(), whole.save_state()
    pairs = [
        (one.save_state(), two.save_state())
        for one, two in zip(begun, ended, strict=True)
        if not two.newborn_
    ]
    if isinstance(whole, BooleanLearner):
        proofs = [two["proof"] for _, two in pairs if two["proof"] is not None]
        state["proof"] = proofs[0] if proofs else None
    elif isinstance(whole, WeightedMajority):
        parts = state["state"]
        for at in _OWN:
            zero = np.zeros_like(parts[at])
            added = [
                two["state"][at] - (one["state"][at] if one["state"] else zero)
                for one, two in pairs
            ]
            parts[at] = sum(added, zero)
        parts[_LAST] = pairs[-1][1]["state"][_LAST]
    elif isinstance(whole, Halving):
        own = [_own(two) - _own(one) for one, two in pairs]
        state["state"][0][_MISTAKES] = sum(own)
        state["erred"] = pairs[-1][1]["erred"]
    made.load_state(state)
    return made


# Version spaces -----------------------------------------------------------------------


def _version_spaces(owner: str, before: State, after: State) -> State:
    """Drop what the second part drops, if it is still there."""
    left, drops = before["left"], list(before["drops"])
    for dropped, number, *told in after["drops"]:
        wrong = dropped & left
        if wrong == left:
            raise ParameterError(
                f"some concept of the class must fit all shards, got none from round "
                f"{before['rounds'] + number} on; play the shards one after another on "
                "one machine",
                owner=owner,
            )
        if wrong:
            drops.append([wrong, before["rounds"] + number, *told])
            left ^= wrong
    if before["proof"] or after["proof"]:
        raise ParameterError(
            "some concept of the class must fit each shard, got one that none fits; "
            "play the shards one after another on one machine",
            owner=owner,
        )
    return {
        "left": left,
        "rounds": before["rounds"] + after["rounds"],
        "drops": drops,
        "proof": None,
    }


# Experts ------------------------------------------------------------------------------

# The places of the parts of a state of WeightedMajority: rounds, the learner's own
# losses, these while each expert slept, what no total exceeds, whether one slept, the
# loss of the latest round, the mistakes of the experts.
_ROUNDS, _OWN, _SLEPT, _SPENT, _PARTED, _LAST, _MISTAKES_OF = (
    1,
    (2, 3, 4, 5),
    (6, 7),
    10,
    11,
    12,
    13,
)
# The places of the facts of a state of Halving.
_COUNT, _MISTAKES, _PLAYED, _RESTARTS, _PLANES = 1, 2, 3, 4, 5


def _check_experts(learner: Learner, before: State, after: State) -> None:
    owner = type(learner).__name__
    if getattr(learner, "restart", False):
        raise ParameterError(
            "restart must be False to merge shards, as the order says when all are "
            "dropped, got True; play the stream on one machine",
            owner=owner,
        )
    if before["names"] != after["names"] or not np.array_equal(
        before["priors"], after["priors"]
    ):
        raise ParameterError(
            "shards must have the same experts in the same order, got "
            f"{before['names']!r:.80} and {after['names']!r:.80}",
            owner=owner,
        )


def _majorities(before: State, after: State) -> State:
    one, two = before["state"], after["state"]
    made = [np.array(part) for part in one]
    for at in (_ROUNDS, *_OWN, _SPENT, _MISTAKES_OF):
        made[at] = one[at] + two[at]
    for at in _SLEPT:
        made[at] = one[at] + two[at] if len(one[at]) and len(two[at]) else one[at]
        made[at] = made[at] if len(one[at]) else two[at]
    made[_PARTED] = np.maximum(one[_PARTED], two[_PARTED])
    made[_LAST] = two[_LAST]
    return {**before, "state": made, "slept": before["slept"] or after["slept"]}


def _halvings(before: State, after: State) -> State:
    one, two = before["state"], after["state"]
    facts = np.array(one[0])
    alive = one[1] & two[1]
    losses = _planes(_counts(one, 0) + _counts(two, 0))
    slept = _planes(_counts(one, 1) + _counts(two, 1))
    facts[_COUNT] = int(np.bitwise_count(alive).sum())
    for at in (_MISTAKES, _PLAYED):
        facts[at] = one[0][at] + two[0][at]
    facts[_PLANES] = len(losses)
    return {
        **before,
        "state": [facts, alive, *losses, *slept],
        "slept": before["slept"] or after["slept"],
        "erred": before["erred"] or after["erred"],
    }


def _counts(state: list[Any], which: int) -> Any:
    """Return the counts whose bits a state keeps in planes, one expert a bit."""
    many = int(state[0][_PLANES])
    planes = state[2 : 2 + many] if which == 0 else state[2 + many :]
    counts = np.zeros(64 * len(state[1]), dtype=np.uint64)
    for power, plane in enumerate(planes):
        bits = np.unpackbits(plane.view(np.uint8), bitorder="little")
        counts += bits.astype(np.uint64) << np.uint64(power)
    return counts


def _planes(counts: Any) -> list[Any]:
    most = int(counts.max(initial=0))
    return [
        np.packbits(
            (counts >> np.uint64(power) & np.uint64(1)).astype(np.uint8),
            bitorder="little",
        ).view(np.uint64)
        for power in range(most.bit_length())
    ]


def _own(state: State) -> int:
    return int(state["state"][0][_MISTAKES]) if state["state"] else 0
