"""Honest certificates of many theorems, for forgers to start from."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from littlestone import Auto, Recorder, certify, cluster, conformal, linear
from littlestone import experts as forecasters
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
DRIFT = [({"a": 1.0}, t < 8) for t in range(16)]

_LEARNERS: list[tuple[Learner, list[tuple[Any, Any]]]] = [
    *(
        (learner, SIDES)
        for learner in (
            linear.Perceptron(bias=1.0),
            linear.VotedPerceptron(),
            linear.PassiveAggressive(1.0),
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
        )
    ),
    *(
        (learner, CLASSES)
        for learner in (
            linear.MulticlassPassiveAggressive(),
            linear.MulticlassAROW(),
            linear.MulticlassSecondOrder(),
            linear.MulticlassAdaGrad(),
        )
    ),
    *(
        (learner, NUMBERS)
        for learner in (linear.VovkAzouryWarmuth(), linear.CoinBetting("square"))
    ),
    (linear.Winnow(threshold=2.0), BOOLEAN),
    *(
        (learner, VOTES)
        for learner in (
            forecasters.Halving(),
            forecasters.FloorWeightedMajority(),
        )
    ),
    *(
        (learner, FORECASTS)
        for learner in (
            forecasters.AdaHedge(),
            forecasters.BOA(),
            forecasters.MLPoly(),
            forecasters.MLProd(),
            forecasters.AggregatingAlgorithm("square"),
        )
    ),
]


@cache
def forgeable() -> list[Forgeable]:
    """Return certificates without their seals, and the streams they are about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [*_certified(), *_restarting(), *_late(), *_mixed(), *_adaptive()]


def _certified() -> Iterator[Forgeable]:
    """Every theorem that a learner has, for the run and for every order."""
    for learner, stream in _LEARNERS:
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
    recorder = Recorder(linear.Perceptron(), late="served", keep="updates")
    tickets = [recorder.predicted(x) for x, _ in SIDES]
    for ticket, (_, y) in zip(tickets, SIDES, strict=True):
        recorder.told(ticket, y)
    stream = [(Late(x, 0), y) for x, y in SIDES]
    yield _plain(certify(recorder.record(), stream=stream), stream)


def _mixed() -> Iterator[Forgeable]:
    learners = (linear.Perceptron(), linear.PassiveAggressive(0.1))
    for learner in (*learners, linear.BalancedWinnow(0.05, scale=5.0)):
        record = cluster.run(learner, SIDES, shards=2, workers=0, keep="updates")
        yield _plain(cluster.certify(record, stream=SIDES), SIDES)


def _adaptive() -> Iterator[Forgeable]:
    made = conformal.Adaptive(linear.VovkAzouryWarmuth(), level=0.8)
    stream = list(made.clone().forecasts(NUMBERS))
    yield _plain(certify(made, NUMBERS), stream)


def _plain(certificate: Any, stream: list[tuple[Any, Any]]) -> Forgeable:
    plain = json.loads(certificate.to_json())
    del plain["seal"]
    return f"{certificate.learner['name']}, {certificate.theorem}", plain, stream
