"""Mixing: one state from the states of shards that all began with the same one.

What is mixed is what the learner's proof is convex in: the weights, the logarithms of
Balanced Winnow, the cumulative losses of exponential weights. The changes since the
common beginning are added in the order of the shards, each times its weight, and
divided by the sum of the weights. So nothing depends on which shard was ready first,
and what no shard changed keeps its bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from littlestone import _core, theorems
from littlestone.errors import ParameterError
from littlestone.experts import ExponentialWeights
from littlestone.linear import (
    AveragedPerceptron,
    BalancedWinnow,
    PassiveAggressive,
    Perceptron,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from littlestone.learner import Learner
    from littlestone.theorems import Theorem

__all__ = ["MIXED", "counted_by", "mixed", "renewed"]

State: TypeAlias = dict[str, Any]

_WIDE = 600.0  # beyond it, Balanced Winnow scores rows relative to their largest weight
_MARKED = 1 << 26

MIXED: dict[type[Learner], Theorem] = {
    Perceptron: theorems.MIX_PERC,
    AveragedPerceptron: theorems.MIX_PERC,
    PassiveAggressive: theorems.MIX_PA,
    BalancedWinnow: theorems.MIX_BWIN,
    ExponentialWeights: theorems.MIX_EWA,
}
"""The learners that can be mixed, and the theorem that covers it."""


def counted_by(learner: Learner) -> str:
    """Return what its theorem counts in a tally, and by what shards are weighed.

    Examples
    --------
    >>> from littlestone.cluster._mixing import counted_by
    >>> from littlestone.linear import PassiveAggressive, Perceptron
    >>> counted_by(Perceptron()), counted_by(PassiveAggressive())
    ('updates', 'mistakes')
    """
    counts = MIXED[type(learner)].counts
    return "mistakes" if counts == "weighted mistakes" else "updates"


def mixed(base: Learner, states: Sequence[State], weights: Sequence[int]) -> Learner:
    """Return the learner that shards have become together.

    One shard alone stays as it is, so that it is what one machine would have made.

    Parameters
    ----------
    base
        The learner with which each shard began.
    states
        What `save_state` returned after each shard, in the order of the shards.
    weights
        How much each counts; only their ratios matter. If all are 0, nothing was
        learned.

    Examples
    --------
    >>> from littlestone.cluster._mixing import mixed
    >>> from littlestone.linear import Perceptron
    >>> one, two = Perceptron(), Perceptron()
    >>> one.learn_one({"a": 4.0}, False)
    >>> two.learn_one({"b": 4.0}, False)
    >>> mixed(Perceptron(), [one.save_state(), two.save_state()], [1, 3]).weights_
    {'a': -1.0, 'b': -3.0}
    """
    made = base.clone()
    if isinstance(base, ExponentialWeights):
        made.load_state(_forecasters(base.save_state(), states, weights))
    else:
        made.load_state(_linear(base, base.save_state(), states, weights))
    return made


def renewed(learner: Learner) -> Learner:
    """Return a learner as it begins another epoch.

    An averaged Perceptron forgets the vectors of the epoch before, all but the latest:
    those of shards that knew little would spoil the mean.

    Examples
    --------
    >>> from littlestone.cluster._mixing import renewed
    >>> from littlestone.linear import AveragedPerceptron
    >>> learner = AveragedPerceptron()
    >>> for y in (False, True, False, False):
    ...     learner.learn_one({"a": 1.0}, y)
    >>> learner.weights_, renewed(learner).weights_
    ({'a': -0.75}, {'a': -1.0})
    """
    if not isinstance(learner, AveragedPerceptron):
        return learner
    state, made = learner.save_state(), learner.clone()
    rule = [state["rule"][0], state["rule"][0], 2.0]
    for name in ("columns.cells", "names.cells"):
        state[name] = np.repeat(state[name][:, :1], 2, axis=1)
    made.load_state(state | {"rule": np.array(rule)})
    return made


# Linear learners ----------------------------------------------------------------------


class _Names(NamedTuple):
    """The names that a state knows, as it packs them."""

    text: bytes
    ends: list[int]
    kinds: list[int]

    @classmethod
    def of(cls, state: State) -> _Names:
        ends, kinds = state["names.ends"].tolist(), state["names.kinds"].tolist()
        return cls(state["names.text"].tobytes(), ends, kinds)

    def keys(self, first: int = 0) -> list[tuple[int, bytes]]:
        begins = [0, *self.ends]
        return [
            (self.kinds[k], self.text[begins[k] : self.ends[k]])
            for k in range(first, len(self.ends))
        ]

    def starts_with(self, other: _Names) -> bool:
        count = len(other.ends)
        return (
            self.ends[:count] == other.ends
            and self.kinds[:count] == other.kinds
            and self.text.startswith(other.text)
        )


class _Space:
    """All features that any of some states knows, each with its place.

    Columns come first, in order, then names in the order of the shards that met them.
    The constant feature is last.
    """

    def __init__(self, base: State, states: Sequence[State]) -> None:
        self.columns = _union([_columns(each) for each in (base, *states)])
        self._dense = self.columns.size == 0 or self.columns[-1] < len(self.columns)
        self._begun = _Names.of(base)
        self._places = {key: at for at, key in enumerate(self._begun.keys())}
        self._tails: dict[int, list[int]] = {}
        for state in states:
            self._tails[id(state)] = self._meet(state)
        self.size = len(self.columns) + len(self._places) + 1

    def _meet(self, state: State) -> list[int]:
        """Return the places of the names that a state has beyond those of the base."""
        names = _Names.of(state)
        first = len(self._begun.ends) if names.starts_with(self._begun) else 0
        places = self._places
        return [places.setdefault(key, len(places)) for key in names.keys(first)]

    def cells(self, state: State, width: int) -> NDArray[np.float64]:
        """Return the cells of a state, by place."""
        cells = np.zeros((self.size, width))
        columns = len(self.columns)
        cells[self._among(_columns(state))] = state["columns.cells"]
        named = state["names.cells"]
        tail = self._tails.get(id(state), [])
        first = len(named) - len(tail)
        cells[columns : columns + first] = named[:first]
        if tail:
            cells[columns + np.array(tail)] = named[first:]
        cells[-1] = state["rule"][:width]
        return cells

    def _among(self, columns: NDArray[np.uint32]) -> NDArray[np.integer] | slice:
        """Return the places of a state's columns among all."""
        if len(columns) == len(self.columns):
            return slice(len(columns))
        return columns if self._dense else np.searchsorted(self.columns, columns)

    def state(self, cells: NDArray[np.float64]) -> State:
        """Return the columns and names, with these cells, as a state packs them."""
        columns, keys = len(self.columns), list(self._places)
        kept = cells[:columns].any(axis=1)  # as a learner would save them
        ends = np.cumsum([len(text) for _, text in keys], dtype=np.uint64)
        text = np.frombuffer(b"".join(text for _, text in keys), dtype=np.uint8)
        return {
            "columns": self.columns[kept],
            "columns.cells": np.ascontiguousarray(cells[:columns][kept]),
            "names.text": text,
            "names.ends": ends,
            "names.kinds": np.array([kind for kind, _ in keys], dtype=np.uint8),
            "names.cells": np.ascontiguousarray(cells[columns:-1]),
        }


def _union(columns: Sequence[NDArray[np.uint32]]) -> NDArray[np.uint32]:
    """Return all columns in order, each once."""
    widest = max((int(each[-1]) for each in columns if len(each)), default=0)
    if widest > _MARKED:  # too many to mark
        return np.unique(np.concatenate(columns))
    marks = np.zeros(widest + 1, dtype=np.bool_)
    for each in columns:
        marks[each] = True
    return np.flatnonzero(marks).astype(np.uint32)


def _columns(state: State) -> NDArray[np.uint32]:
    columns = state.get("columns")
    if columns is None:
        return np.arange(len(state["columns.cells"]), dtype=np.uint32)
    found: NDArray[np.uint32] = columns
    return found


def _linear(
    learner: Learner, base: State, states: Sequence[State], weights: Sequence[int]
) -> State:
    if len(states) == 1 and weights[0]:
        return states[0]
    averages = isinstance(learner, AveragedPerceptron)
    balanced = isinstance(learner, BalancedWinnow)
    width = 2 if averages or balanced else 1
    space = _Space(base, states)
    begun = space.cells(base, width)
    change = np.zeros(space.size)
    # The sum of all vectors so far, of which the averaged Perceptron takes the mean,
    # is n w - m after n - 1 rounds; each shard adds its own vectors to it.
    moments = np.zeros(space.size)
    for state, weight in zip(states, weights, strict=True):
        cells = space.cells(state, width)
        moved = cells[:, 0] - begun[:, 0]
        change += weight * moved
        if averages:
            moments += state["rule"][2] * moved - (cells[:, 1] - begun[:, 1])
    change /= max(sum(weights), 1)
    cells = begun.copy()
    cells[:, 0] += change
    rule: list[float] = []
    if averages:
        begins = float(base["rule"][2])
        rounds = begins + sum(float(state["rule"][2]) - begins for state in states)
        cells[:, 1] += rounds * change - moments
        rule = [rounds]
    if balanced:
        unit = float(base["rule"][3])  # what a sum is multiplied by
        logs = np.ascontiguousarray(unit * cells[:, 0])
        wide = bool((np.abs(logs) > _WIDE).any()) or any(
            state["rule"][2] for state in states
        )
        _core.sinh_in_place(logs)
        cells[:, 1] = logs
        rule = [float(wide), unit, float(np.abs(logs).max(initial=0.0))]
    return space.state(cells) | {
        "rule": np.concatenate([cells[-1], rule]),
        "updates": base["updates"]
        + sum(state["updates"] - base["updates"] for state in states),
        "width": max(base["width"], *(state["width"] for state in states)),
    }


# Exponential weights ---------------------------------------------------------------

# The places of the parts of a state that are sums of losses in two doubles.
_OWN, _EXPECTED, _SLEPT, _TRUTH, _SPENT, _PARTED, _LAST = 2, 4, 6, 8, 10, 11, 12
_TOTALS, _BASE = 13, 16


def _forecasters(base: State, states: Sequence[State], weights: Sequence[int]) -> State:
    played = [state for state in states if state["state"]]
    if not played:
        return base
    names, parts = played[0]["names"], played[0]["state"]
    begun = base["state"] or _unplayed(parts)
    for state in played:
        if state["names"] != names or len(state["state"][0]) != len(parts[0]):
            raise ParameterError(
                "shards must have the same experts in the same order, got "
                f"{_shown(names)} and {_shown(state['names'])}",
                owner="cluster",
            )
        if state["slept"]:
            raise ParameterError(
                "no expert may sleep where shards are mixed, got one that did; play "
                "the stream on one machine",
                owner="cluster",
            )
    if len(states) == 1 and weights[0]:
        return states[0]
    counted = [
        weight for state, weight in zip(states, weights, strict=True) if state["state"]
    ]
    made = [np.array(part) for part in begun]
    made[1] = begun[1] + sum(state["state"][1] - begun[1] for state in played)
    for at in (_OWN, _EXPECTED, _TRUTH, _TOTALS):
        changes = [
            (each["state"][at] - begun[at]) + (each["state"][at + 1] - begun[at + 1])
            for each in played
        ]
        change = np.zeros(len(begun[at]))
        for weight, moved in zip(counted, changes, strict=True):
            change += weight * moved
        change /= max(sum(counted), 1)
        made[at], made[at + 1] = _added(begun[at], begun[at + 1], change)
    made[_SPENT] = np.maximum.reduce([each["state"][_SPENT] for each in played])
    made[_LAST] = np.array(played[-1]["state"][_LAST])
    high, low = made[_TOTALS], made[_TOTALS + 1]
    least = np.lexsort((low, high))[0]
    made[_BASE], made[_BASE + 1] = high[[least]], low[[least]]
    return {**played[0], "state": made}


def _unplayed(parts: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Return the state of a learner that has met its experts, but played no round."""
    made = [np.zeros_like(part) for part in parts]
    made[0], made[_BASE - 1] = parts[0], parts[_BASE - 1]  # the priors
    return made


def _added(
    high: NDArray[np.float64], low: NDArray[np.float64], x: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Add numbers to sums in two doubles, as the core does."""
    total = high + x
    part = total - high
    low = low + ((high - (total - part)) + (x - part))
    high = total + low
    return high, low - (high - total)


def _shown(names: Any) -> str:
    return "numbered ones" if names is None else repr(names)[:80]
