"""Where several bounds can be compared, the smallest is named with its reason."""

from __future__ import annotations

import json
from pathlib import Path

from command import call
from littlestone import Certificate, advise, certify, linear, race, verify
from littlestone.display.bounds import Bound, smallest
from littlestone.experts import AdaHedge

STREAM = [({"a": 1.0}, True), ({"b": 1.0}, False)] * 40
KNOWN = {"features": 4, "relevant": 1, "radius": 1, "margin": 0.25}


def learners() -> dict[str, linear.Perceptron | linear.Winnow]:
    return {
        "perceptron": linear.Perceptron(),
        "winnow": linear.Winnow(threshold=4, eliminate=True),
    }


def test_a_race_says_whose_bound_is_the_smallest_and_why() -> None:
    ranking = race(learners(), STREAM, declare=KNOWN)
    told = (
        "winnow has the smallest bound: WIN1 allows 5 mistakes with features = 4, "
        "relevant = 1, threshold = 4 and promotion = 2. That of perceptron is next: "
        "PERC-SEP allows 16 mistakes with radius = 1 and margin = 0.25."
    )
    assert str(ranking).splitlines()[-1] == told
    assert "winnow has the smallest bound" in ranking._repr_html_()
    assert ranking.to_dict()["smallest_bound"] == told
    numbers = ranking.to_dict()["ranking"][0]["numbers"]
    assert json.loads(json.dumps(numbers)) == numbers


def test_one_bound_alone_is_not_compared() -> None:
    known = {"features": 4, "relevant": 1}
    ranking = race(learners(), STREAM, declare=known)
    assert "smallest" not in str(ranking) + ranking._repr_html_()
    assert ranking.to_dict()["smallest_bound"] is None


def test_only_bounds_of_the_same_count_are_compared() -> None:
    one = Bound("a", "EWA", "loss", 3.0, {})
    two = Bound("b", "BOA", "regret", 2.0, {})
    three = Bound("c", "ML-POLY", "regret", 5.0, {"scale": 1})
    assert smallest([]) is None
    assert smallest([one, two]) is None
    told = smallest([one, three, two])
    assert told is not None
    assert told.startswith("b has the smallest bound: BOA allows a regret of 2. ")
    assert told.endswith("ML-POLY allows a regret of 5 with scale = 1.")
    idle = [each._replace(vacuous=True) for each in (two, three)]
    assert smallest(idle) == "All bounds are vacuous. The smallest is that of b."
    same = two._replace(tautological=True)
    told = smallest([idle[1], same, three])
    assert told is not None
    assert told.startswith("c has the smallest bound: ML-POLY allows a regret of 5")
    assert told.endswith("b is next: BOA allows a regret of 2, which is tautological.")
    told = smallest([idle[1], same])
    assert told is not None
    assert told.startswith("Every bound is vacuous or says no more than the mistakes")


def test_the_command_says_it_too(tmp_path: Path) -> None:
    file = tmp_path / "rows.svm"
    file.write_text("1 1:1\n0 2:1\n" * 40)
    winnow = "winnow:threshold=4,eliminate"
    words = ("race", file, "-q", "-l", "perceptron", "-l", winnow)
    known = ("--declare", "features=4,relevant=1,radius=1,margin=0.25")
    assert f"\n{winnow} has the smallest bound" in call(*words, *known).stdout
    facts = json.loads(call(*words, *known, "--json").stdout)
    assert "has the smallest bound: WIN1 allows 5" in facts["smallest_bound"]


def test_advice_says_why_a_bound_is_the_smallest() -> None:
    said = "\n".join(advise(STREAM, bounds=True).reasons)
    assert "has the smallest bound: " in said
    assert "is next: " in said
    assert " = " in said.partition("has the smallest bound: ")[2]


def test_a_certificate_says_of_how_many_bounds_it_has_the_smallest() -> None:
    certificate = certify(linear.Perceptron(), STREAM)
    alike = list(certificate.others)
    assert alike
    assert (
        f"{certificate.theorem} has the smallest of {1 + len(alike)} bounds on updates"
    ) in str(certificate)
    alone = certify(linear.Perceptron(), STREAM, theorem="PERC-SEP")
    assert "the smallest of" not in str(alone)


def test_verdicts_on_numbers_speak_of_losses(tmp_path: Path) -> None:
    table, kept = tmp_path / "load.csv", tmp_path / "cert.json"
    rows = (f"{0.1 + at % 3 / 10},{0.5 - at % 2 / 10},0.3\n" for at in range(40))
    table.write_text(f"ann,bob,y\n{''.join(rows)}")
    words = ("--label", "y", "-q")
    done = call("certify", table, *words, "-l", "hedge", "-o", kept)
    assert done.returncode == 0, done.stderr
    assert "mistake" not in done.stdout
    done = call("verify", kept, table, *words)
    assert done.returncode == 0, done.stderr
    assert "mistake" not in done.stdout
    assert "40 rounds with a loss of " in done.stdout
    stream = [({"ann": 0.1, "bob": 0.5}, 0.3)] * 4
    certificate = certify(AdaHedge("square"), stream)
    assert "mistakes" not in verify(certificate, stream).checked


def test_verdicts_on_labels_still_count_mistakes(tmp_path: Path) -> None:
    file, kept = tmp_path / "rows.svm", tmp_path / "cert.json"
    file.write_text("1 1:1\n0 2:1\n" * 4)
    assert call("certify", file, "-q", "-l", "perceptron", "-o", kept).returncode == 0
    made = Certificate.load(kept)
    told = f"8 rounds with {made.mistakes} mistake and {made.updates} update, and"
    assert told in call("verify", kept, file, "-q").stdout
