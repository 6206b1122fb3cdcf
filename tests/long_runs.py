"""Long runs, and those with advice: one or more for each theorem a proof follows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

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
from littlestone.learner import Learner
from littlestone.service._replay import _served_again
from littlestone.verifying import Late

__all__ = ["LONG_RUNS", "LongRun"]

Rng = np.random.Generator
Advised = list[tuple[dict[str, Any], Any]]

NAMES = ("ann", "bob", "cyd")
WIDE = {"ann": 1, "bob": 2, "cyd": 4}
_UNLIKELY = 1e-6
_LONGEST = 200  # characters of a number
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
    """A learner, the rounds that it plays, and the theorem to certify them by.

    In place of the learner it may be a function that makes it for so many rounds. Where
    a proof compares all rounds with each other there are at most so many of them.
    """

    theorem: str
    made: Any
    drawn: Callable[[int, Rng], list[tuple[Any, Any]]]
    scope: Literal["run", "stream"] = "run"
    most: int = 10_000
    witness: Any = None

    def __str__(self) -> str:
        drawn = self.drawn.__name__.strip("_")
        return f"{self.theorem} of the {self.scope} {drawn} {self.learner(100)!r:.40}"

    def learner(self, rounds: int) -> Any:
        """Return a newborn learner."""
        return (
            self.made.clone() if isinstance(self.made, Learner) else self.made(rounds)
        )

    def rounds(self, many: int) -> list[tuple[Any, Any]]:
        """Return so many rounds, always the same."""
        return self.drawn(min(many, self.most), np.random.default_rng(3))

    def wrong(self, many: int) -> str | None:
        """Return why the certificate of so many rounds is rejected, if it is.

        Whatever the number of rounds, its numbers are as long as those of few.
        """
        rounds = self.rounds(many)
        learner = self.learner(len(rounds))
        if isinstance(rounds[0][0], Late):
            certificate = certify(_served_again(learner, rounds), theorem=self.theorem)
        else:
            certificate = certify(
                learner,
                rounds,
                witness=self.witness,
                theorem=self.theorem,
                scope=self.scope,
            )
        if certificate.scope != self.scope or certificate.rounds != len(rounds):
            return f"it is about {certificate.rounds} rounds of the {certificate.scope}"
        texts = [certificate.bound_exact, *certificate.numbers_exact.values()]
        if max(map(len, texts)) > _LONGEST:
            return f"its numbers take {max(map(len, texts))} characters"
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
