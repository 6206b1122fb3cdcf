"""Long runs from examples: one for each theorem and learner that a proof follows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from littlestone import Auto, MulticlassAuto, boolean
from littlestone.concepts import FiniteClass
from littlestone.conformal import Adaptive
from littlestone.experts import Cover, FollowTheMajority, Restarting
from littlestone.linear import (
    AIOLI,
    AROW,
    FTRL,
    AdaGrad,
    AveragedPerceptron,
    BalancedWinnow,
    CoinBetting,
    ExponentiatedGradient,
    GradientDescent,
    KernelPerceptron,
    MulticlassAdaGrad,
    MulticlassAROW,
    MulticlassPassiveAggressive,
    MulticlassPerceptron,
    MulticlassSecondOrder,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    VotedPerceptron,
    VovkAzouryWarmuth,
    Winnow,
)
from littlestone.verifying import Late
from long_runs import LongRun

__all__ = ["LONG_RUNS_OF_EXAMPLES"]

Rng = np.random.Generator
Rounds = list[tuple[Any, Any]]

_COLUMNS, _FLAGS, _BITS = 8, 20, 4


def _named(row: Any) -> dict[str, float]:
    return {f"f{j}": float(v) for j, v in enumerate(row)}


def _sides(rounds: int, rng: Rng, margin: float, wrong: float) -> Rounds:
    """Return rows on the two sides of a plane, some with the wrong label."""
    u = np.linspace(1, -1, _COLUMNS)
    out: Rounds = []
    while len(out) < rounds:
        x = rng.uniform(-1, 1, _COLUMNS)
        if abs(x @ u) >= margin:
            out.append((_named(x), bool((x @ u > 0) ^ (rng.random() < wrong))))
    return out


def _apart(rounds: int, rng: Rng) -> Rounds:
    return _sides(rounds, rng, 0.3, 0.0)


def _noisy(rounds: int, rng: Rng) -> Rounds:
    return _sides(rounds, rng, 0.0, 0.05)


def _late(rounds: int, rng: Rng) -> Rounds:
    """Ask up to twenty rounds before the label comes."""
    waits = rng.integers(0, 20, rounds).tolist()
    return [
        (Late(x, max(0, t - wait)), y)
        for t, ((x, y), wait) in enumerate(zip(_noisy(rounds, rng), waits, strict=True))
    ]


def _numbers(rounds: int, rng: Rng) -> Rounds:
    u = np.linspace(0.5, -0.5, _COLUMNS)
    X = rng.uniform(-1, 1, (rounds, _COLUMNS))
    y = 0.5 + np.tanh(X @ u) / 2 + rng.normal(0, 0.05, rounds)
    return [(_named(x), float(v)) for x, v in zip(X, y, strict=True)]


def _forecasts(rounds: int, rng: Rng) -> Rounds:
    """Return what a learner of numbers said, and came to pass."""
    return list(
        Adaptive(GradientDescent("square", 0.01)).forecasts(_numbers(rounds, rng))
    )


def _drifting(rounds: int, rng: Rng) -> Rounds:
    """Exchange the labels in the second half."""
    rows = _apart(rounds, rng)
    return [(x, y != (t > rounds // 2)) for t, (x, y) in enumerate(rows)]


def _classes(rounds: int, rng: Rng, margin: float = 0.0, wrong: float = 0.05) -> Rounds:
    U = np.random.default_rng(1).normal(size=(3, _COLUMNS))
    out: Rounds = []
    while len(out) < rounds:
        x = rng.normal(size=_COLUMNS)
        *_, second, first = sorted((U @ x).tolist())
        if first - second >= margin:
            chosen = np.argmax(U @ x) if rng.random() >= wrong else rng.integers(3)
            out.append((_named(x), "abc"[int(chosen)]))
    return out


def _classes_apart(rounds: int, rng: Rng) -> Rounds:
    return _classes(rounds, rng, 1.0, 0.0)


def _flags(
    rule: Callable[[Any], bool], wrong: float = 0.0
) -> Callable[[int, Rng], Rounds]:
    """Return flags labelled by a rule of the first few of them."""

    def made(rounds: int, rng: Rng) -> Rounds:
        rows = rng.random((rounds, _FLAGS)) < 0.25
        flips = rng.random(rounds) < wrong
        return [
            (dict.fromkeys(map(str, np.flatnonzero(row)), 1.0), bool(rule(row) ^ flip))
            for row, flip in zip(rows, flips, strict=True)
        ]

    made.__name__ = f"flags {wrong:g}"
    return made


def _bits(rounds: int, rng: Rng) -> Rounds:
    rows = rng.random((rounds, _BITS)) < 0.5
    return [(_point(row), bool(row[1] and not row[2])) for row in rows]


def _point(row: Any) -> dict[int, float]:
    return {int(j): 1.0 for j in np.flatnonzero(row)}


def _coins(rounds: int, rng: Rng) -> Rounds:
    return [({}, bool(coin)) for coin in rng.random(rounds) < 0.6]


def _alternating(rounds: int, _: Rng) -> Rounds:
    return [({}, t % 2 == 1) for t in range(rounds)]


def _any_of(row: Any) -> bool:
    return bool(row[:3].any())


def _none_of(row: Any) -> bool:
    return not row[:3].any()


def _all_of(row: Any) -> bool:
    return bool(row[:2].all())


def _two_of(row: Any) -> bool:
    return bool(row[:3].sum() >= 2)


def _terms(row: Any) -> bool:
    return bool((row[0] and row[1]) or (row[2] and not row[3]))


def _clauses(row: Any) -> bool:
    return bool((row[0] or row[1]) and (row[2] or not row[3]))


def _list(row: Any) -> bool:
    return bool(not row[0] and (row[1] or not row[2]))


_CONCEPTS = FiniteClass.conjunctions(_BITS)
_POINTS = [_point([i >> j & 1 for j in range(_BITS)]) for i in range(1 << _BITS)]
_RESTARTING: dict[str, Any] = {
    "restarting": Restarting(AROW(), shortest=16),
    "perceptron": Perceptron(bias=1),
}
_DEVIATIONS = ("PERC-TD", "PERC-RMS", "PERC-HINGE", "PERC-FS")


def _in_every_order() -> list[LongRun]:
    """Return those whose witness may be measured on all rounds as well."""
    made: list[LongRun] = []
    for scope in ("run", "stream"):
        add = partial(_add, made, scope)
        for kind in (Perceptron, AveragedPerceptron, VotedPerceptron):
            add("PERC-SEP", kind(), _apart)
            add("PERC-BIAS", kind(bias=1), _apart)
            add("PERC-GAP", kind(bias=3), _apart)
            for theorem in _DEVIATIONS:
                add(theorem, kind(), _noisy)
        most = 10_000 if scope == "run" else 3000  # as many as certify compares
        add("PERC-SEP", KernelPerceptron("polynomial", degree=2), _apart, most)
        for theorem in _DEVIATIONS:
            add(theorem, KernelPerceptron("gaussian", gamma=0.5), _noisy, most)
        add("PA-SEP", PassiveAggressive(mode=None), _apart)
        add("PA1", PassiveAggressive(1.0), _noisy)
        add("PA2", PassiveAggressive(1.0, "II"), _noisy)
        labels = ("a", "b", "c")
        add("MCPERC-SEP", MulticlassPerceptron(labels), _classes_apart)
        add("MCPERC-TD", MulticlassPerceptron(labels), _classes)
        add("MCPERC-RMS", MulticlassPerceptron(labels), _classes)
        loose = Winnow(threshold=_FLAGS, promotion=1.5)
        add("WIN2-SLACK", loose, _flags(_any_of, 0.05))
        for theorem in ("BWIN-ANY", "BWIN-ORDER", "BWIN-RMS"):
            add(theorem, BalancedWinnow(0.05), _noisy)
        add("BWIN-SEP", BalancedWinnow(0.05), _apart)
        add("BWIN-GAP", BalancedWinnow(0.01, bias=1), _apart)
        add("SOP", SecondOrderPerceptron(), _noisy)
        add("SOP", SecondOrderPerceptron(diagonal=False), _noisy)
    return made


def _add(  # noqa: PLR0917 - what a run is of
    runs: list[LongRun],
    scope: Any,
    theorem: str,
    made: Any,
    drawn: Callable[[int, Rng], Rounds],
    most: int = 10_000,
) -> None:
    runs.append(LongRun(theorem, made, drawn, scope, most))


LONG_RUNS_OF_EXAMPLES = [
    *_in_every_order(),
    LongRun("BWIN-STEPS", BalancedWinnow(0.05), _noisy),
    LongRun("DELAY-SERVED", Perceptron(), _late),
    LongRun("DELAY-SERVED", KernelPerceptron("gaussian", gamma=0.5), _late),
    LongRun("PA-ORDER", PassiveAggressive(1.0), _noisy, "stream"),
    LongRun("PA-STEPS", PassiveAggressive(0.1), _noisy),
    LongRun("PA-STEPS", PassiveAggressive(1.0, "II"), _noisy),
    LongRun("MCPA-SEP", MulticlassPassiveAggressive(mode=None), _classes_apart),
    LongRun("MCPA1", MulticlassPassiveAggressive(1.0), _classes),
    LongRun("MCPA2", MulticlassPassiveAggressive(1.0, "II"), _classes),
    LongRun("MCPA-STEPS", MulticlassPassiveAggressive(0.1), _classes),
    LongRun(
        "MCPA-ORDER",
        MulticlassPassiveAggressive(0.1, classes=("a", "b", "c")),
        _classes,
        "stream",
    ),
    LongRun("WIN1", Winnow(threshold=_FLAGS, eliminate=True), _flags(_any_of)),
    LongRun("WIN2-SEP", Winnow(threshold=_FLAGS, promotion=1.3), _flags(_any_of)),
    LongRun("WIN2-DISJ", Winnow(threshold=_FLAGS, promotion=1.5), _flags(_any_of)),
    LongRun("WIN2-GAP", Winnow(threshold=_FLAGS, promotion=1.5), _flags(_any_of)),
    LongRun("WIN2-KOFR", Winnow(threshold=_FLAGS, promotion=1.25), _flags(_two_of)),
    LongRun("SOP-ORDER", SecondOrderPerceptron(), _noisy, "stream"),
    LongRun("AROW", AROW(diagonal=False), _noisy),
    LongRun("AROW-ORDER", AROW(diagonal=False), _noisy, "stream"),
    LongRun("AROW-DIAG", AROW(), _noisy),
    LongRun("AROW-STEPS", AROW(), _noisy),
    LongRun("MCSOP", MulticlassSecondOrder(), _classes),
    LongRun("MCSOP", MulticlassSecondOrder(diagonal=False), _classes),
    LongRun("MCAROW", MulticlassAROW(diagonal=False), _classes),
    LongRun("MCAROW-STEPS", MulticlassAROW(), _classes),
    LongRun("OGD", GradientDescent("square", 0.01), _numbers),
    LongRun("ADAGRAD", AdaGrad(), _noisy),
    LongRun("COIN", CoinBetting("square"), _numbers),
    LongRun("FTRL-L1", FTRL(l1=0.3, l2=0.1), _noisy),
    LongRun("EG", ExponentiatedGradient("absolute", 0.05, 1.0), _numbers),
    LongRun("VAW", VovkAzouryWarmuth(0.5), _numbers),
    LongRun("AIOLI", AIOLI(), _noisy),
    LongRun("MCADAGRAD", MulticlassAdaGrad(), _classes),
    LongRun("RESTART", Restarting(AdaGrad()), _noisy),
    LongRun("ACI", Adaptive(), _forecasts),
    LongRun("WM-RESTART", Auto(_RESTARTING), _drifting, "run", 1000, "restarting"),
    LongRun("WM", Auto(), _noisy, "run", 1000),
    LongRun("WM", MulticlassAuto(), _classes, "run", 1000),
    LongRun("CONJ", boolean.ConjunctionLearner(), _flags(_none_of)),
    LongRun("CONJ-MONO", boolean.ConjunctionLearner(monotone=True), _flags(_all_of)),
    LongRun("CONJ-EXC", boolean.ConjunctionLearner(), _flags(_none_of, 0.02)),
    LongRun("DISJ", boolean.DisjunctionLearner(), _flags(_any_of)),
    LongRun("DISJ-MONO", boolean.DisjunctionLearner(monotone=True), _flags(_any_of)),
    LongRun("DISJ-EXC", boolean.DisjunctionLearner(), _flags(_any_of, 0.02)),
    LongRun("kCNF", boolean.KCNFLearner(2), _flags(_clauses)),
    LongRun("kCNF-EXC", boolean.KCNFLearner(2), _flags(_clauses, 0.02)),
    LongRun("kDNF", boolean.KDNFLearner(2), _flags(_terms)),
    LongRun("kDNF-EXC", boolean.KDNFLearner(2), _flags(_terms, 0.02)),
    LongRun("WIN2-DNF", boolean.WinnowDNF(2, threshold=200), _flags(_terms)),
    LongRun("DL", boolean.DecisionListLearner(), _flags(_list)),
    LongRun("DL-BLOCKS", boolean.DecisionListLearner(), _flags(_list)),
    LongRun("DL-EXC", boolean.DecisionListLearner(), _flags(_list, 0.02)),
    LongRun("CONSISTENT", boolean.ConsistentLearner(_CONCEPTS), _bits),
    LongRun("HALV", boolean.VersionSpaceLearner(_CONCEPTS), _bits),
    LongRun("SOA", boolean.StandardOptimalLearner(_CONCEPTS, _POINTS), _bits),
    LongRun("FTM-LB", FollowTheMajority(), _alternating),
    LongRun("COVER", Cover, _coins),
    LongRun("COVER-PHI", lambda n: Cover(n, phi=[0.5] * (n + 1)), _coins, "run", 1000),
]
