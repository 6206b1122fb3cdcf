"""Data for clusters: streams, and learners that can play them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from littlestone.concepts import Conjunction
from littlestone.experts import (
    ExponentialWeights,
    FollowTheMajority,
    Halving,
    WeightedMajority,
)
from littlestone.linear import (
    AveragedPerceptron,
    BalancedWinnow,
    PassiveAggressive,
    Perceptron,
)

Data = Any
World = tuple[Callable[[], Any], Data]

_RNG = np.random.default_rng(20260)
_BITS = _RNG.integers(0, 2, (120, 6))
_VOTES = _RNG.integers(0, 2, (90, 5)).astype(bool)
_ROWS = _RNG.normal(size=(160, 12))
_SIDE = (_ROWS @ _RNG.normal(size=12) + 0.8 * _RNG.normal(size=160) > 0).astype(int)
_FORECASTS = _RNG.random((80, 4))
_OUTCOMES = np.clip(_FORECASTS[:, 1] + 0.1 * _RNG.normal(size=80), 0, 1)


def named(rows: Any, labels: Any) -> list[tuple[Any, bool]]:
    """Return rows as mappings with the features that are not 0."""
    return [
        ({f"f{j}": float(x) for j, x in enumerate(row) if x}, bool(label))
        for row, label in zip(rows.tolist(), labels.tolist(), strict=True)
    ]


_AND = _BITS[:, 1] & _BITS[:, 3] & (1 - _BITS[:, 5])
_OR = _BITS[:, 1] | _BITS[:, 4]
_CLASS = tuple(Conjunction(i, j) for i in range(6) for j in range(i))
_PAIR = _BITS[:, 1] & _BITS[:, 3]


def _true(row: list[int]) -> dict[int, int]:
    return {j: 1 for j, x in enumerate(row) if x}


_POINTS = [
    (_true(row), bool(y)) for row, y in zip(_BITS.tolist(), _PAIR.tolist(), strict=True)
]
_DOMAIN = [_true(row) for row in np.unique(_BITS, axis=0).tolist()]

EXACT: dict[str, World] = {
    "conjunction": (ConjunctionLearner, (_BITS, _AND)),
    "conjunction, names": (ConjunctionLearner, named(_BITS, _AND)),
    "disjunction": (DisjunctionLearner, (_BITS, _OR)),
    "monotone": (lambda: DisjunctionLearner(monotone=True), named(_BITS, _OR)),
    "declared": (
        lambda: ConjunctionLearner(features=[f"f{j}" for j in range(_BITS.shape[1])]),
        named(_BITS, _AND),
    ),
    "k-cnf": (lambda: KCNFLearner(2), named(_BITS, _AND)),
    "k-dnf": (lambda: KDNFLearner(2), (_BITS, _OR)),
    "consistent": (lambda: ConsistentLearner(_CLASS), _POINTS),
    "version space": (lambda: VersionSpaceLearner(_CLASS), (_BITS, _PAIR)),
    "standard optimal": (lambda: StandardOptimalLearner(_CLASS, _DOMAIN), _POINTS),
    "halving": (Halving, (_VOTES, _VOTES[:, 2])),
    "weighted majority": (WeightedMajority, (_VOTES, _VOTES[:, 2] ^ _VOTES[:, 0])),
    "follow the majority": (
        FollowTheMajority,
        [(None, bool(y)) for y in _SIDE.tolist()],
    ),
}

MIXED: dict[str, World] = {
    "perceptron": (lambda: Perceptron(bias=1.0), (_ROWS, _SIDE)),
    "perceptron, names": (Perceptron, named(_ROWS, _SIDE)),
    "on margins": (lambda: Perceptron(update="margin", normalize=True), (_ROWS, _SIDE)),
    "averaged": (lambda: AveragedPerceptron(bias=0.5), named(_ROWS, _SIDE)),
    "passive-aggressive": (
        lambda: PassiveAggressive(mode=None, bias=1.0),
        (_ROWS, _SIDE),
    ),
    "PA-I": (lambda: PassiveAggressive(C=0.1), named(_ROWS, _SIDE)),
    "PA-II": (lambda: PassiveAggressive(C=0.5, mode="II"), (_ROWS, _SIDE)),
    "balanced winnow": (
        lambda: BalancedWinnow(rate=0.05, scale=5.0, bias=1.0),
        named(_ROWS, _SIDE),
    ),
    "hedge": (ExponentialWeights, (_FORECASTS, _OUTCOMES)),
    "absolute": (lambda: ExponentialWeights(1.5, "absolute"), (_FORECASTS, _OUTCOMES)),
}
