"""How things look in a notebook: everything shows, safely, and says what matters."""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import saved
from littlestone import advise, certify, models, pac, race, run, streams, verify
from littlestone.boolean import ConjunctionLearner, KDNFLearner
from littlestone.comparators import best_expert
from littlestone.concepts import Disjunction, FiniteClass
from littlestone.experts import AdaHedge, WeightedMajority
from littlestone.learner import Learner
from littlestone.linear import MulticlassPerceptron, Perceptron, Winnow
from littlestone.theorems import get

TAGS = {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "pre", "p"}
DRAWN = {"svg", "title", "polyline"}
NASTY = '<script>alert("x")</script> & \x00\u202e\n'
RULE = [({"a": 1, "c": 1}, True), ({"a": 1, "b": 1}, False), ({"a": 1}, True)] * 9


def shown(thing: Any) -> ET.Element:
    """Return what a notebook is given, which must be small, whole and harmless."""
    html = thing._repr_html_()
    root = ET.fromstring(html)  # noqa: S314 - our own
    for element in root.iter():
        assert element.tag in TAGS | DRAWN
        assert not {name for name in element.attrib if name.startswith("on")}
        assert not {"href", "src"} & set(element.attrib)
        assert not re.search("url|background|expression", element.get("style", ""))
    assert len(html) < 20_000
    return root


def text_of(thing: Any) -> str:
    return " ".join(" ".join(shown(thing).itertext()).split())


def rows_of(thing: Any) -> dict[str, list[str]]:
    """Return the rows of all tables by their first cells."""
    rows = [["".join(c.itertext()) for c in row] for row in shown(thing).iter("tr")]
    return {row[0]: row[1:] for row in rows}


def test_a_record_is_a_table_before_anything_else_is_imported() -> None:
    script = """
import sys
from littlestone import run
from littlestone.linear import Perceptron
assert "<table" in run(Perceptron(), [({"a": 1}, False)])._repr_html_()
rooms = {name.split(".")[1] for name in sys.modules if name.startswith("littlestone.")}
print(*sorted(rooms & {"reporting", "models", "certifying", "cli", "counsel"}))
"""
    played = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    )
    assert played.stdout == "\n"


@pytest.mark.parametrize("one", saved.every(), ids=str)
def test_every_learner_shows_from_birth_on(one: saved.Saved) -> None:
    for learner in (one.make(), one.played(0, 40)[0]):
        told = rows_of(learner)
        assert str(learner.updates_) in told["learned"][0]
        assert all(told[theorem.id] for theorem in learner.guarantees)
        assert type(learner).__name__ in text_of(learner)


def test_nothing_that_is_shown_is_taken_for_html() -> None:
    learner = Perceptron()
    learner.learn_one({NASTY: 2.0}, False)
    classes = MulticlassPerceptron()
    classes.learn_one({"a": 1}, NASTY + "\ud800")
    classes.learn_one({"a": 1}, 7)
    concept = Disjunction(NASTY, "a")
    crowd = run(WeightedMajority(), [({NASTY: True, "b": False}, True)] * 3)
    for thing in (learner, classes, concept, crowd, race({NASTY: Perceptron()}, RULE)):
        assert "<script>" not in thing._repr_html_()
        assert "<script>" in text_of(thing)  # once it is read
        assert r"\u202e" in text_of(thing)  # which would turn the text around
    assert r"\ud800" in text_of(classes)


def test_a_learner_tells_its_weights_or_its_rule() -> None:
    learner = Perceptron()
    for number in range(20):
        learner.learn_one({f"f{number}": 1.0 + number}, False)
    told = rows_of(learner)
    assert told["f19"] == ["-20"]
    assert "f11" not in told  # the largest eight are shown
    assert told["features"] == ["20"]
    conjunction = ConjunctionLearner()
    run(conjunction, RULE)
    assert "a and not b" in text_of(conjunction)
    assert rows_of(conjunction)["learned"] == ["27 rounds, 2 updates"]
    classes = MulticlassPerceptron()
    run(classes, [({"a": 1}, "x"), ({"b": 1}, "y")] * 2)
    assert rows_of(classes)["b"] in (["y", "1"], ["x", "-1"])


def test_a_rule_that_takes_long_to_write_is_not_written() -> None:
    class Asked(KDNFLearner):
        """One that must not be asked for its rule."""

        @property
        def concept_(self) -> Any:
            """The rule."""
            raise AssertionError

    learner = Asked(3, features=200)  # of 10 million terms
    assert "print(learner.concept_) shows it" in text_of(learner)


def test_a_record_tells_how_the_run_went() -> None:
    record = run(ConjunctionLearner(), RULE)
    told = rows_of(record)
    assert told["mistakes"] == ["2 (7.41%)"]
    assert told["updates"] == ["2"]
    assert told["at most (CONJ)"] == ["4 mistakes"]
    svg = shown(record).find(".//svg")
    assert svg is not None
    assert svg.get("aria-label") == "mistakes in 27 rounds: 2, at most 4"
    went, bound = (line.get("points", "").split() for line in svg.iter("polyline"))
    assert went[-1] == "240.0,24.0"  # two mistakes are half way up to four
    assert bound[-1] == "240.0,1.0"
    assert shown(run(Perceptron(), [])).find(".//svg") is None


def test_numbers_are_told_by_their_regret() -> None:
    rng = np.random.default_rng(1)
    F, y = rng.random((200, 4)), rng.random(200)
    record = run(AdaHedge(range=(0, 1)), streams.advice(F, y))
    assert "at most (ADAHEDGE" in text_of(record)
    assert "regret in 200 rounds" in text_of(record)
    free = run(AdaHedge(), streams.advice(F, y))
    assert "rounds" in text_of(free)
    assert "square loss" in text_of(best_expert(F, y))


def test_a_bound_that_is_exceeded_is_told_loudly() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        record = run(
            Perceptron(),
            [({"a": 1.0}, True), ({"a": 1.0}, False)] * 20,
            declare={"radius": 1, "margin": 1},
        )
    assert record.exceeded
    assert "EXCEEDED, so a premise of PERC-SEP is broken" in text_of(record)


def test_certificates_and_verdicts_say_whether() -> None:
    record = run(Perceptron(), RULE, keep="updates")
    certificate = certify(record)
    told = rows_of(certificate)
    assert f"{certificate.theorem} holds" in text_of(certificate)
    assert told["updates"] == [str(certificate.updates)]
    assert float(told["bound"][0]) == pytest.approx(certificate.bound, rel=1e-5)
    assert "Accepted" in text_of(verify(certificate))
    broken = verify(certificate, [({"a": 1}, True)])
    assert "Rejected" in text_of(broken)
    assert rows_of(broken)["wrong"] == [str(broken.wrong)]


def test_theorems_are_stated() -> None:
    told = rows_of(get("PERC-SEP"))
    assert told["says"] == ["at most |u|^2 R^2 / gamma^2 updates"]
    assert told["radius"] == ["R, the largest |x|"]
    assert "PERC-SEP an upper bound on updates" in text_of(get("PERC-SEP"))
    assert "CONJ-LB a lower bound on mistakes" in text_of(get("CONJ-LB"))


def test_rankings_and_advice_are_tables() -> None:
    ranking = race({"first": Perceptron(), "second": Winnow(threshold=2)}, RULE)
    assert next(iter(rows_of(ranking))) == "learner"
    assert {"first", "second"} < rows_of(ranking).keys()
    gone = race({"p": Perceptron(), "w": Winnow(threshold=2)}, [({"a": -1}, True)] * 2)
    assert "w left after 0 rounds: round 0: Winnow" in text_of(gone)
    counsel = advise(RULE)
    assert f"Use {counsel.choice}" in text_of(counsel)
    assert rows_of(counsel)[str(counsel.trials[0])][0] == str(
        counsel.trials[0].mistakes
    )


def test_what_prints_well_is_shown_as_it_prints(tmp_path: Any) -> None:
    record = run(Perceptron(), [({"a": 1}, False)] * 100)
    learner = ConjunctionLearner()
    models.save(learner, tmp_path / "rule.lst")
    for thing in (
        pac.risk_bound(record, delta=0.1),
        pac.estimate(0, n=100, delta=0.05),
        models.inspect(tmp_path / "rule.lst"),
        FiniteClass.monotone_conjunctions(2),
    ):
        assert " ".join(str(thing).split()) in text_of(thing)
    assert "a or b" in text_of(Disjunction("a", "b"))


def test_a_learner_of_somebodys_own_shows_too() -> None:
    class Stubborn(Learner):
        """One that says yes."""

        updates_ = 0

        def predict_one(self, x: Any) -> bool:  # noqa: ARG002 - whatever it is
            """Say yes."""
            return True

        def learn_one(self, x: Any, y: Any, sample_weight: int = 1) -> None:
            """Learn nothing."""

    assert "Stubborn()" in text_of(Stubborn())
