"""Long runs with expert advice, one or more for each theorem that a proof follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from littlestone import certify, losses, verify
from littlestone.experts import (
    BOA,
    AdaHedge,
    AggregatingAlgorithm,
    ExponentialWeights,
    FixedShare,
    FloorWeightedMajority,
    FollowTheMajority,
    Halving,
    MLPoly,
    MLProd,
    RandomizedWeightedMajority,
    WeightedMajority,
)

__all__ = ["LONG_RUNS", "LongRun"]

Rng = np.random.Generator
Advised = list[tuple[dict[str, Any], Any]]

NAMES = ("ann", "bob", "cyd")
WIDE = {"ann": 1, "bob": 2, "cyd": 4}
_UNLIKELY = 1e-6
_TUNED = math.sqrt(math.log(3) / 2000)  # for an expert that errs no more often


def _numbers(rounds: int, rng: Rng) -> Advised:
    """Return numbers, which bob knows best."""
    out: Advised = []
    for _ in range(rounds):
        y, *said = map(float, rng.random(4))
        said[1] = (said[1] + 3 * y) / 4
        out.append((dict(zip(NAMES, said, strict=True)), y))
    return out


def _chances(rounds: int, rng: Rng) -> Advised:
    """Return probabilities of a yes, which bob knows best."""
    return [
        ({**said, "bob": 0.25 + (y > 0.5) / 2}, float(y > 0.5))
        for said, y in _numbers(rounds, rng)
    ]


def _votes(rounds: int, rng: Rng) -> Advised:
    return [
        ({name: f > 0.5 for name, f in said.items()}, y > 0.5)
        for said, y in _numbers(rounds, rng)
    ]


def _perfect(rounds: int, rng: Rng) -> Advised:
    return [({**said, "bob": y}, y) for said, y in _votes(rounds, rng)]


def _labels(rounds: int, rng: Rng) -> Advised:
    return [({}, y) for _, y in _votes(rounds, rng)]


def _drowsy(awake: Callable[[int, Rng], Advised]) -> Callable[[int, Rng], Advised]:
    """Put experts to sleep, each on two rounds of five."""

    def made(rounds: int, rng: Rng) -> Advised:
        out: Advised = []
        for said, y in awake(rounds, rng):
            kept = [name for name in said if rng.random() < 0.6] or ["bob"]
            out.append(({name: said[name] for name in kept}, y))
        return out

    made.__name__ = f"drowsy{awake.__name__}"
    return made


def _turns(rounds: int, rng: Rng) -> Advised:
    """Return pairs of experts that are all but sure, each wrong in turn.

    The weights swing as far as they can, while the third expert sleeps.
    """
    out: Advised = []
    for t in range(rounds):
        y = float(rng.random() < 0.5)
        pair = (NAMES[t % 3], NAMES[(t + 1) % 3])
        right = abs(y - _UNLIKELY)
        said = {name: abs(1 - right) for name in pair}
        out.append(({**said, pair[t // 3 % 2]: right}, y))
    return out


@dataclass(frozen=True)
class LongRun:
    """A learner, the rounds that it plays, and the theorem to certify them by."""

    theorem: str
    made: Any
    drawn: Callable[[int, Rng], Advised]

    def __str__(self) -> str:
        return f"{self.theorem} {self.drawn.__name__.strip('_')}"

    def rounds(self, many: int) -> Advised:
        """Return so many rounds, always the same."""
        return self.drawn(many, np.random.default_rng(3))

    def wrong(self, many: int) -> str | None:
        """Return why the certificate of so many rounds is rejected, if it is."""
        rounds = self.rounds(many)
        certificate = certify(self.made.clone(), rounds, theorem=self.theorem)
        return verify(certificate, rounds).wrong


_drowsy_numbers, _drowsy_chances = _drowsy(_numbers), _drowsy(_chances)
_drowsy_votes = _drowsy(_votes)

LONG_RUNS = [
    LongRun("EWA", ExponentialWeights(0.5), _numbers),
    LongRun("EWA-TUNED", ExponentialWeights(0.05), _numbers),
    LongRun("EWA-T", ExponentialWeights(0.02, losses.pinball(0.3)), _numbers),
    LongRun("EWA-XC", ExponentialWeights(1.0, "log"), _chances),
    LongRun("SLEEP", ExponentialWeights(experts=WIDE), _drowsy_numbers),
    LongRun(
        "SLEEP-T", ExponentialWeights(0.5, "zero-one", experts=WIDE), _drowsy_votes
    ),
    LongRun("SLEEP-T", ExponentialWeights(5.0, "absolute", experts=NAMES), _turns),
    LongRun("SLEEP-XC", ExponentialWeights(0.5, experts=NAMES), _drowsy_numbers),
    LongRun("SLEEP-XC", ExponentialWeights(1.0, "log", experts=WIDE), _turns),
    LongRun("AA", AggregatingAlgorithm("log", experts=WIDE), _turns),
    LongRun("AA", AggregatingAlgorithm("brier", experts=WIDE), _drowsy_chances),
    LongRun("AA", AggregatingAlgorithm("square", experts=WIDE), _drowsy_numbers),
    LongRun("FS", FixedShare(9.0, 0.5, "absolute"), _numbers),
    LongRun("FS-XC", FixedShare(0.5, 0.7), _numbers),
    LongRun("ADAHEDGE", AdaHedge("log", experts=WIDE), _turns),
    LongRun("ADAHEDGE-FIRST", AdaHedge("absolute"), _numbers),
    LongRun("ML-POLY", MLPoly("log", experts=WIDE), _drowsy_chances),
    LongRun("ML-PROD", MLProd("percentage", experts=WIDE), _drowsy_numbers),
    LongRun(
        "ML-PROD-PUB",
        MLProd("brier", form="published", range=(0, 3), experts=WIDE),
        _drowsy_chances,
    ),
    LongRun("BOA", BOA(gradient=True, experts=WIDE), _drowsy_numbers),
    LongRun("BOA-PUB", BOA("zero-one", form="published", experts=WIDE), _drowsy_votes),
    LongRun("HALV", Halving(), _perfect),
    LongRun("HALV-R", Halving(restart=True), _votes),
    LongRun("HALV", Halving(experts=WIDE), _perfect),
    LongRun("HALV-R", Halving(restart=True, experts=WIDE), _votes),
    LongRun("WM", WeightedMajority(0.7, experts=WIDE), _votes),
    LongRun("WM-FLOOR", FloorWeightedMajority(), _votes),
    LongRun("WM-FLOOR-START", FloorWeightedMajority(experts=WIDE), _votes),
    LongRun("RWM", RandomizedWeightedMajority(0.3, experts=WIDE), _votes),
    LongRun("RWM-TUNED", RandomizedWeightedMajority(_TUNED), _votes),
    LongRun("FTM", FollowTheMajority(), _labels),
]
