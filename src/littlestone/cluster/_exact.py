"""Merging without a loss: the state that one machine would have after all shards.

Each shard begins with a newborn learner. What these learners know are counts, or sets
from which examples only ever remove something; so the counts are added, and what a
later shard removes was removed in the order of the stream. The merged state is that of
one machine to the last bit, except for what no shard can know by itself: how often one
machine would have erred on the way. See `recounted`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from littlestone import _core
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
from littlestone.learner.packing import packed_features, unpacked_features

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from littlestone.concepts import Feature
    from littlestone.learner import Learner

__all__ = ["EXACT", "merged", "recounted"]

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


def merged(newborn: Learner, states: Sequence[State]) -> Learner:
    """Return what a newborn learner is after all parts of a stream, in order.

    It is associative, so that parts may be merged in a tree.

    Parameters
    ----------
    newborn
        A learner that has learned nothing.
    states
        What `save_state` returned after each part that had examples.

    Examples
    --------
    >>> from littlestone.boolean import ConjunctionLearner
    >>> from littlestone.cluster._exact import merged
    >>> one, two = ConjunctionLearner(), ConjunctionLearner()
    >>> one.learn_one({"wings": 1, "eggs": 1}, True)
    >>> two.learn_one({"wings": 1, "legs": 1}, True)
    >>> states = [one.save_state(), two.save_state()]
    >>> print(merged(ConjunctionLearner(), states).concept_)
    wings
    """
    made = newborn.clone()
    if not states:
        return made
    before, *rest = states
    if isinstance(made, BooleanLearner) and rest:
        before = _rules(made, before, rest)
    else:
        for after in rest:
            before = _joined(made, before, after)
    made.load_state(before)
    return made


def _joined(learner: Learner, before: State, after: State) -> State:
    if isinstance(learner, FollowTheMajority):
        return {name: before[name] + after[name] for name in before}
    if isinstance(learner, FiniteClassLearner):
        return _version_spaces(type(learner).__name__, before, after)
    _check_experts(learner, before, after)
    join = _halvings if isinstance(learner, Halving) else _majorities
    return join(before, after)


def recounted(
    whole: Learner, begun: Sequence[Learner], ended: Sequence[Learner]
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


# Rules --------------------------------------------------------------------------------


class _Lessons(NamedTuple):
    """The examples that taught something, and the features that are true in each."""

    rounds: NDArray[np.uint64]
    labels: NDArray[np.uint8]
    lengths: NDArray[np.int64]
    features: NDArray[np.int64]  # their numbers, end to end

    @classmethod
    def of(cls, state: State) -> _Lessons:
        parts = _part(state, "lessons.")
        lengths = np.diff(parts["ends"].astype(np.int64), prepend=0)
        shown = parts["features"].astype(np.int64)
        return cls(parts["rounds"], parts["labels"], lengths, shown)

    def those_that_change(self, asked: BooleanLearner) -> NDArray[np.bool_]:
        """Play the lessons, with numbers as columns; return which change a learner."""
        many, columns = len(self.lengths), self.features
        offsets = np.concatenate([[0], np.cumsum(self.lengths)])
        values = np.ones(len(columns), dtype=np.float32)
        width = int(columns.max(initial=0)) + 1
        rows = _core.csr(offsets, columns, values, width=width)
        said, changed = np.empty((2, many), dtype=np.bool_)
        asked.play_rows(rows, self.labels.astype(np.bool_), said, 0, many, changed)
        return changed

    def only(self, kept: NDArray[np.bool_]) -> _Lessons:
        """Return some of the lessons, the features of each in order."""
        numbered = np.repeat(np.arange(len(kept)) << 32, self.lengths) | self.features
        shown = np.sort(numbered)[np.repeat(kept, self.lengths)] & 0xFFFFFFFF
        return _Lessons(self.rounds[kept], self.labels[kept], self.lengths[kept], shown)


def _rules(learner: BooleanLearner, before: State, states: Sequence[State]) -> State:
    """Keep each lesson of the later parts that still removes something.

    The learner that is asked knows features by their numbers alone: what a lesson
    removes does not depend on names.
    """
    owner = type(learner).__name__
    declared = learner.get_params()["features"] is not None
    features = unpacked_features(owner, _part(before, "features."))
    places = {feature: at for at, feature in enumerate(features)}
    known = len(learner.features_) if declared else len(features)
    asked = learner.clone().set_params(features=known if declared else None)
    columns = _named([] if declared else range(known))
    asked.load_state({**before, **columns, "proof": None})
    rounds, kept = before["rounds"], [_Lessons.of(before)]
    for after in states:
        lessons = _Lessons.of(after)
        if not declared:  # else all parts number them alike
            more = unpacked_features(owner, _part(after, "features."))
            numbers = [places.setdefault(feature, len(places)) for feature in more]
            shown = np.array(numbers, dtype=np.int64)[lessons.features]
            lessons = lessons._replace(features=shown)
        some = lessons.only(lessons.those_that_change(asked))
        kept.append(some._replace(rounds=some.rounds + np.uint64(rounds)))
        rounds += after["rounds"]
    joined = _Lessons(*(np.concatenate(parts) for parts in zip(*kept, strict=True)))
    return {
        "rounds": rounds,
        "updates": len(joined.rounds),
        "proof": before["proof"],
        "rule": before["rule"],
        "lessons.rounds": joined.rounds,
        "lessons.labels": joined.labels,
        "lessons.ends": np.cumsum(joined.lengths).astype(np.uint64),
        "lessons.features": joined.features.astype(np.uint32),
        **_named([] if declared else list(places)),
    }


def _named(features: Sequence[Feature]) -> State:
    return {
        f"features.{name}": part for name, part in packed_features(features).items()
    }


def _part(state: State, prefix: str) -> State:
    return {
        name.removeprefix(prefix): part
        for name, part in state.items()
        if name.startswith(prefix)
    }


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
