"""What users write, with the types that their editors and type checkers tell them.

mypy reads this file in strict mode, so `assert_type` fails there; here it only runs.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import littlestone
from littlestone import (
    Certificate,
    Learner,
    Race,
    Record,
    advise,
    boolean,
    certify,
    comparators,
    experts,
    linear,
    models,
    pac,
    race,
    report,
    run,
    streams,
    theorems,
    verify,
)
from littlestone.adversaries import HalvingAdversary
from littlestone.boolean import Dropped, Unrealizable
from littlestone.compat import opera, river
from littlestone.concepts import Conjunction, DecisionList, Disjunction
from littlestone.counsel import Counsel
from littlestone.reporting import Report
from littlestone.running import Point
from littlestone.streams import Stream
from littlestone.theorems import Theorem
from littlestone.verifying import Verdict

Labels = NDArray[np.bool_]
MAIL: list[tuple[dict[str, float], bool]] = [
    ({"cheap": 1.0, "pills": 1.0}, True),
    ({"lunch": 1.0, "today": 0.5}, False),
] * 10


def test_the_package_says_that_it_is_typed() -> None:
    assert files(littlestone).joinpath("py.typed").is_file()


def test_a_run_and_its_certificate(tmp_path: Path) -> None:
    learner = linear.Perceptron(update="margin", bias=1.0)
    record = assert_type(run(learner, MAIL, keep="updates"), Record)
    assert_type(littlestone.run(learner, MAIL), Record)
    assert_type(record.mistakes, int)
    assert_type(record.updates, int | None)
    assert_type(record.rate, float)
    assert_type(record.bound, float | None)
    assert_type(record.curve, tuple[Point, ...])
    assert_type(record.mistake_rounds, NDArray[np.int64] | None)
    certificate = assert_type(certify(record), Certificate)
    assert_type(certificate.holds, bool)
    certificate.save(tmp_path / "mail.json")
    verdict = assert_type(verify(Certificate.load(tmp_path / "mail.json")), Verdict)
    assert_type(verdict.accepted, bool)
    assert_type(report(record, certificate=certificate, learner=learner), Report)


def test_a_linear_learner() -> None:
    learner = linear.Perceptron()
    assert_type(learner.predict_one({"cheap": 1}), bool)
    assert_type(learner.play_one([1.0, 0.0], True), bool)
    assert_type(learner.score_one({"cheap": 1}), float)
    learner.learn_one({"cheap": 1}, False)
    assert_type(learner.updates_, int)
    for feature, weight in learner.weights_.items():
        assert_type(feature, Any)
        assert_type(weight, float)
    assert_type(learner.coef_, NDArray[np.float64])
    assert_type(learner.predict([[1.0]]), Labels)
    assert_type(learner.play([[1.0]], [True]), Labels)
    assert_type(learner.fit([[1.0]], [True]).clone(), linear.Perceptron)
    assert_type(learner.guarantees, tuple[Theorem, ...])
    assert_type(linear.Winnow.for_disjunction(features=9), linear.Winnow)
    classes = linear.MulticlassPerceptron(classes=["a", "b"])
    assert_type(classes.score_one({"x": 1}), dict[Hashable, float])
    assert_type(classes.classes_, tuple[Hashable, ...])


def test_learners_that_follow_experts() -> None:
    votes = experts.WeightedMajority(experts=["ann", "bob"])
    assert_type(votes.play_one({"ann": True, "bob": False}, True), bool)
    assert_type(votes.predict_one({"ann": True, "bob": False}), bool)
    assert_type(experts.Halving().predict_one([True, False]), bool)
    hedge = experts.ExponentialWeights(0.5, "square", range=(0, 1))
    hedge.learn_one([0.5, 1.0], 1.0)
    shares: Mapping[Any, float] = hedge.weights_
    assert sum(shares.values()) > 0.99
    assert_type(hedge.loss_, float)
    record = run(hedge.clone(), streams.advice([[0.5, 1.0]], [1.0]))
    assert_type(record.regret, float | None)
    best = comparators.best_expert([[0.5, 1.0]], [1.0])
    assert_type(best, comparators.Comparator)
    committee = experts.Committee({"p": linear.Perceptron()})
    assert_type(committee.experts_, list[Any])


def test_learners_of_rules() -> None:
    learner = boolean.ConjunctionLearner(features=["a", "b"])
    learner.learn_one({"a": 1}, True)
    rule = assert_type(learner.concept_, Conjunction)
    assert_type(rule({"a": 1}), bool)
    assert_type(~rule, Disjunction)
    assert_type(learner.why("b"), Dropped | None)
    assert_type(learner.unrealizable_, Unrealizable | None)
    assert_type(boolean.DecisionListLearner().concept_, DecisionList)
    assert_type(boolean.fit_conjunction([{"a": 1}], [True]), Conjunction)


def test_what_is_around_them(tmp_path: Path) -> None:
    stream = assert_type(streams.arrays([[1.0, 0.0]], [True]), Stream)
    for x, y in stream:
        assert linear.Perceptron().play_one(x, y) in (True, False)
    assert_type(race([linear.Perceptron(), linear.AROW()], MAIL), Race)
    assert_type(advise(MAIL), Counsel)
    theorem = assert_type(theorems.get("PERC-SEP"), Theorem)
    assert_type(theorem.bound(radius=3, margin=1), float)
    assert_type(pac.sample_size(pac.Conjunctions(3), 0.1, 0.05), int)
    models.save(linear.Perceptron(), tmp_path / "mail.lst")
    assert_type(models.load(tmp_path / "mail.lst"), Learner)
    assert_type(models.inspect(tmp_path / "mail.lst"), models.ModelCard)
    assert_type(run(experts.Halving(), HalvingAdversary(4)), Record)


def test_those_who_come_from_elsewhere() -> None:
    model = river.Perceptron(bias=1.0)
    model.learn_one({"cheap": 1}, False)
    assert_type(model.predict_one({"cheap": 1}), bool)
    assert_type(model.predict_proba_one({"cheap": 1}), dict[bool, float])
    assert_type(model.learner, linear.Perceptron)
    rule = river.ConjunctionLearner(monotone=True)
    assert_type(rule.predict_one({"cheap": 1}), bool)
    assert_type(rule.learner.concept_, Conjunction)
    classes = river.MulticlassPerceptron()
    assert_type(classes.predict_proba_one({"cheap": 1}), dict[Hashable, float])
    mixture = opera.Mixture([1.0], [[0.5, 1.0]])
    assert_type(mixture.summary(), opera.Summary)


class Stubborn(Learner):
    """A learner of somebody's own."""

    @property
    def updates_(self) -> int:
        """How many rounds have changed it."""
        return 0

    def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - it does not look
        """Say yes."""
        return True

    def learn_one(self, x: Any, y: object, sample_weight: int = 1) -> None:
        """Learn nothing."""


def test_a_learner_of_ones_own() -> None:
    assert_type(run(Stubborn(), MAIL), Record)
    assert run(Stubborn(), MAIL).mistakes == 10
