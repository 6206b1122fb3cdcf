"""Worlds of advice: what experts say, what then happens, and every learner to try."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from littlestone import experts, losses
from littlestone.experts._base import ExpertLearner
from littlestone.outcome import Outcome


def _third(prediction: float, outcome: float) -> float:
    return abs(prediction - outcome) ** 3


@dataclass(frozen=True)
class AdviceEntry:
    """A learner with parameters of its own choice, and what its experts may say."""

    made: ExpertLearner
    says: tuple[float, ...] = (0.0, 0.125, 0.3, 0.5, 0.9, 1.0)
    outcomes: tuple[float, ...] = (0.0, 0.25, 1.0)

    def __str__(self) -> str:
        return repr(self.made)

    @property
    def labels(self) -> bool:
        """Whether it predicts labels."""
        return self.made.outcome is Outcome.LABEL


_LABELS = (0.0, 1.0)


def _votes(made: ExpertLearner) -> AdviceEntry:
    return AdviceEntry(made, _LABELS, _LABELS)


# Every learner with advice, in every mode that reads differently. One that is exported
# but not listed here fails the contract tests.
ADVISED = [
    _votes(experts.Halving()),
    _votes(experts.Halving(restart=True)),
    AdviceEntry(experts.AggregatingAlgorithm("square")),
    _votes(experts.WeightedMajority()),
    _votes(experts.WeightedMajority(0.9)),
    _votes(experts.FloorWeightedMajority()),
    _votes(experts.RandomizedWeightedMajority(0.3, seed=5)),
    AdviceEntry(experts.ExponentialWeights(0.5)),
    AdviceEntry(experts.ExponentialWeights(2.0, "absolute", range=(0, 3))),
    AdviceEntry(experts.ExponentialWeights(0.7, losses.pinball(0.9), gradient=True)),
    AdviceEntry(experts.ExponentialWeights(1.0, "log"), (0.1, 0.5, 0.75), _LABELS),
    AdviceEntry(experts.ExponentialWeights(0.2, "brier"), (0.0, 0.5, 0.75), _LABELS),
    AdviceEntry(experts.ExponentialWeights(1.0, losses.custom(_third))),
    _votes(experts.ExponentialWeights(0.4, "zero-one")),
    AdviceEntry(experts.AdaHedge()),
    AdviceEntry(experts.AdaHedge("absolute", gradient=True), (-1e6, 3.0, 1e6)),
    _votes(experts.AdaHedge("zero-one")),
    AdviceEntry(experts.FixedShare(0.5, 0.05)),
    AdviceEntry(
        experts.FixedShare(0.5, 0.05, "percentage", range=(0, 10)),
        (1.0, 3.0),
        (0.5, 2.0),
    ),
    AdviceEntry(experts.MLPoly()),
    AdviceEntry(experts.MLPoly("absolute", gradient=True), (-1e6, 3.0, 1e6)),
    AdviceEntry(experts.MLPoly(form="published")),
    AdviceEntry(experts.MLProd()),
    AdviceEntry(experts.MLProd(form="published", gradient=True, range=(-2, 2))),
    AdviceEntry(experts.BOA()),
    AdviceEntry(experts.BOA(form="published")),
]


@dataclass(frozen=True)
class AdviceWorld:
    """What experts say, rounds × experts, and what then happens."""

    F: NDArray[np.float64]
    y: NDArray[Any]

    def __len__(self) -> int:
        return len(self.y)

    def rows(self) -> list[list[float]]:
        """Return the advice, round by round."""
        return [[float(f) for f in row] for row in self.F]

    def outcomes(self) -> list[Any]:
        """Return the outcomes, one by one."""
        return [y.item() for y in self.y]


def _world(F: Any, y: Any, entry: AdviceEntry, n: int) -> AdviceWorld:
    outcomes = np.array(y, dtype=np.float64)
    if entry.labels:
        outcomes = outcomes == 1
    return AdviceWorld(
        np.array(F, dtype=np.float64).reshape(len(outcomes), n), outcomes
    )


@st.composite
def advice_worlds(draw: st.DrawFn, entry: AdviceEntry) -> AdviceWorld:
    """Draw up to 30 rounds of up to 12 experts."""
    n = draw(st.integers(1, 12))
    says = st.lists(st.sampled_from(entry.says), min_size=n, max_size=n)
    rounds = draw(st.lists(says, max_size=30))
    outcome = st.sampled_from(entry.outcomes)
    y = draw(st.lists(outcome, min_size=len(rounds), max_size=len(rounds)))
    return _world(rounds, y, entry, n)


def fixed_advice(entry: AdviceEntry, rounds: int = 200, n: int = 11) -> AdviceWorld:
    """Return a larger world, the same each time; expert 3 is often right."""
    rng = np.random.default_rng(11)
    F = rng.choice(entry.says, size=(rounds, n))
    y = rng.choice(entry.outcomes, size=rounds)
    near = [min(entry.says, key=lambda says: abs(says - outcome)) for outcome in y]
    F[:, 3] = np.where(rng.random(rounds) < 0.8, near, F[:, 3])
    return _world(F, y, entry, n)
