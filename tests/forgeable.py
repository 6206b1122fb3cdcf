"""Honest certificates of many theorems, for forgers to start from."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from typing import Any, Literal

from littlestone import (
    Auto,
    MulticlassAuto,
    Recorder,
    boolean,
    certify,
    cluster,
    conformal,
    linear,
)
from littlestone import experts as forecasters
from littlestone.concepts import Conjunction
from littlestone.errors import LittlestoneError
from littlestone.learner import Learner
from littlestone.maps import Crossed, Fourier, Mapped, Quadratic, Standardized
from littlestone.verifying import Late

Forgeable = tuple[str, dict[str, Any], list[tuple[Any, Any]]]

SCOPES: tuple[Literal["run", "stream"], ...] = ("run", "stream")
SIDES: list[tuple[Any, Any]] = [
    ({"a": 1.0, "b": (k % 5 - 2) / 4, "c": float(k % 2)}, k % 5 < 2 + (k == 7))
    for k in range(10)
]
CLASSES = [(x, "uvw"[k % 3]) for k, (x, _) in enumerate(SIDES)]
NUMBERS = [(x, x["b"] + 0.25 * (k % 3)) for k, (x, _) in enumerate(SIDES)]
BOOLEAN = [({k % 3: 1.0, 5: 1.0}, k % 3 == 0) for k in range(9)]
VOTES = [({"p": k % 2 == 0, "q": k % 3 == 0, "r": True}, k % 2 == 0) for k in range(9)]
FORECASTS = [({"p": 0.25, "q": (k % 4) / 4}, (k % 2) / 2) for k in range(9)]
SLEEPY = [({"p": 0.25, "qr"[k % 2]: (k % 4) / 4}, (k % 2) / 2) for k in range(9)]
DRIFT = [({"a": 1.0}, t < 8) for t in range(16)]
APART: list[tuple[Any, Any]] = [
    ({"a": 1.0, "b": 1.0 + k % 3}, k % 3 > 0) for k in range(9)
]
CLASSES_APART = [({"uvw"[k % 3]: 1.0, "b": k / 9}, "uvw"[k % 3]) for k in range(9)]
CONCEPTS = tuple(Conjunction(*each) for each in ((0,), (1,), (), (0, 1)))
POINTS = [({0: a, 1: b}, bool(a)) for a in (0, 1) for b in (1, 0)] * 2
FIXED_CLASSES: dict[str, Any] = {"classes": ["u", "v", "w"], "bias": 1}

# Streams, and learners that have theorems about them.
_LEARNERS: list[tuple[list[tuple[Any, Any]], list[Learner]]] = [
    (
        SIDES,
        [
            linear.Perceptron(bias=1.0),
            forecasters.Committee({"p": linear.Perceptron(), "a": linear.AROW()}),
            linear.Perceptron(strict=True),
            linear.VotedPerceptron(),
            linear.AveragedPerceptron(),
            linear.KernelPerceptron("polynomial", degree=2),
            linear.PassiveAggressive(1.0),
            linear.PassiveAggressive(1.0, mode="II"),
            linear.PassiveAggressive(mode=None),
            linear.SecondOrderPerceptron(1.0),
            linear.SecondOrderPerceptron(1.0, diagonal=False),
            linear.AROW(1.0),
            linear.AROW(1.0, diagonal=False),
            linear.BalancedWinnow(0.3, scale=2),
            linear.AdaGrad(),
            linear.CoinBetting(),
            linear.GradientDescent(),
            linear.FTRL(),
            linear.ExponentiatedGradient(),
            linear.AIOLI(),
            Mapped(linear.Perceptron(), Fourier(dim=3)),
            Mapped(linear.Perceptron(), Quadratic() | Standardized(center=True)),
            Mapped(linear.AdaGrad(), Crossed([("a", "b")])),
            forecasters.Restarting(linear.AROW(), shortest=2),
            Auto(),
        ],
    ),
    (
        APART,
        [
            linear.Perceptron(bias=1.0),
            linear.AveragedPerceptron(bias=1.0),
            linear.VotedPerceptron(bias=1.0),
            linear.KernelPerceptron("linear"),
            linear.PassiveAggressive(mode=None, bias=1.0),
            linear.BalancedWinnow(0.3, scale=2, bias=1.0),
        ],
    ),
    (
        CLASSES,
        [
            linear.MulticlassPassiveAggressive(),
            linear.MulticlassPassiveAggressive(mode="II"),
            linear.MulticlassAROW(),
            linear.MulticlassAROW(diagonal=False),
            linear.MulticlassSecondOrder(),
            linear.MulticlassAdaGrad(),
            MulticlassAuto(),
        ],
    ),
    (
        CLASSES_APART,
        [
            linear.MulticlassPerceptron(**FIXED_CLASSES),
            linear.MulticlassPassiveAggressive(**FIXED_CLASSES),
            linear.MulticlassPassiveAggressive(mode=None, **FIXED_CLASSES),
        ],
    ),
    (NUMBERS, [linear.VovkAzouryWarmuth(), linear.CoinBetting("square")]),
    (
        BOOLEAN,
        [
            linear.Winnow(threshold=2.0),
            boolean.ConjunctionLearner(),
            boolean.ConjunctionLearner(monotone=True),
            boolean.DisjunctionLearner(),
            boolean.DisjunctionLearner(monotone=True),
            boolean.KCNFLearner(2),
            boolean.KDNFLearner(2),
            boolean.DecisionListLearner(),
            boolean.WinnowDNF(2, features=6),
        ],
    ),
    (
        [*BOOLEAN, ({0: 1.0, 5: 1.0}, False)],
        [
            boolean.ConjunctionLearner(),
            boolean.DisjunctionLearner(),
            boolean.KCNFLearner(1),
            boolean.KDNFLearner(1),
            boolean.DecisionListLearner(),
        ],
    ),
    (
        POINTS,
        [
            boolean.ConsistentLearner(CONCEPTS),
            boolean.VersionSpaceLearner(CONCEPTS),
            boolean.StandardOptimalLearner(CONCEPTS, [x for x, _ in POINTS[:4]]),
            linear.Winnow(threshold=2.0),
        ],
    ),
    (
        VOTES,
        [
            forecasters.Halving(),
            forecasters.Halving(restart=True),
            forecasters.FloorWeightedMajority(),
            forecasters.RandomizedWeightedMajority(0.5),
            forecasters.BOA("zero-one", form="published", experts=3),
        ],
    ),
    (VOTES, [forecasters.FollowTheMajority(), forecasters.Cover(len(VOTES))]),
    (
        FORECASTS,
        [
            forecasters.AdaHedge(),
            forecasters.BOA(),
            forecasters.MLPoly(),
            forecasters.MLProd(),
            forecasters.MLProd(form="published", range=(0, 3)),
            forecasters.AggregatingAlgorithm("square"),
            forecasters.ExponentialWeights(0.4),
            forecasters.ExponentialWeights(0.5, "absolute", range=(0, 1)),
            forecasters.FixedShare(9.0, 0.5, "absolute"),
        ],
    ),
    (
        SLEEPY,
        [
            forecasters.ExponentialWeights(0.5, experts=["p", "q", "r"]),
            forecasters.ExponentialWeights(0.5, "absolute", experts=["p", "q", "r"]),
        ],
    ),
]


def makers() -> list[Callable[[], Iterable[Forgeable]]]:
    """Return what makes certificates without seals, and the streams they are about."""
    made = [
        partial(_certified, learner, stream)
        for stream, learners in _LEARNERS
        for learner in learners
    ]
    return [*made, _restarting, _late, _mixed, _adaptive, _fitted]


@cache
def forgeable(step: int = 1) -> list[Forgeable]:
    """Return certificates of all makers, or of some: every so many."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [each for maker in makers()[::step] for each in maker()]


def _certified(learner: Learner, stream: list[tuple[Any, Any]]) -> Iterator[Forgeable]:
    """Every theorem that a learner has, for the run and for every order."""
    for theorem in (None, *learner.guarantees):
        name = None if theorem is None else theorem.id
        for scope in SCOPES:
            try:
                made = certify(learner, stream, theorem=name, scope=scope)
            except LittlestoneError:
                continue  # no witness, or no such scope
            yield _plain(made, stream)


def _restarting() -> Iterator[Forgeable]:
    restarting = forecasters.Restarting(linear.AROW(), shortest=2)
    learner = Auto({"p": linear.Perceptron(), "r": restarting})
    yield _plain(certify(learner, DRIFT, witness="r", theorem="WM-RESTART"), DRIFT)


def _late() -> Iterator[Forgeable]:
    for learner in (linear.Perceptron(), linear.KernelPerceptron("linear")):
        recorder = Recorder(learner, late="served", keep="updates")
        tickets = [recorder.predicted(x) for x, _ in SIDES]
        for ticket, (_, y) in zip(tickets, SIDES, strict=True):
            recorder.told(ticket, y)
        stream = [(Late(x, 0), y) for x, y in SIDES]
        yield _plain(certify(recorder.record(), stream=stream), stream)


def _mixed() -> Iterator[Forgeable]:
    cases: list[tuple[Learner, list[tuple[Any, Any]]]] = [
        (linear.Perceptron(), SIDES),
        (linear.AveragedPerceptron(), SIDES),
        (linear.PassiveAggressive(0.1), SIDES),
        (linear.BalancedWinnow(0.05, scale=5.0), SIDES),
        (forecasters.ExponentialWeights(0.5), FORECASTS),
    ]
    for learner, stream in cases:
        record = cluster.run(learner, stream, shards=2, workers=0, keep="updates")
        yield _plain(cluster.certify(record, stream=stream), stream)


def _adaptive() -> Iterator[Forgeable]:
    made = conformal.Adaptive(linear.VovkAzouryWarmuth(), level=0.8)
    stream = list(made.clone().forecasts(NUMBERS))
    yield _plain(certify(made, NUMBERS), stream)


def _fitted() -> Iterator[Forgeable]:
    X, y = zip(*BOOLEAN, strict=True)
    for kind in ("conjunction", "decision-list"):
        found = boolean.fit_rule(X, y, kind)
        yield _plain(certify(found, BOOLEAN), BOOLEAN)


def _plain(certificate: Any, stream: list[tuple[Any, Any]]) -> Forgeable:
    plain = json.loads(certificate.to_json())
    del plain["seal"]
    return f"{certificate.learner['name']}, {certificate.theorem}", plain, stream
