"""Names of strangers never control a terminal: what is shown has them escaped."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from certificates import sealed
from command import call
from littlestone import Certificate, certify, models, race, report, run, streams, verify
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import LittlestoneError
from littlestone.experts import WeightedMajority
from littlestone.linear import MulticlassPerceptron, Perceptron

# Clears the screen, rings the bell, reverses the text, goes back to the line's start.
EVIL = "\x1b[2J\x07\x9b\u202e\r\tz"
LINEAR = [({EVIL: 1.0, "b" + EVIL: k % 2 + 0.5}, k % 2 == 0) for k in range(20)]
RULE = [({EVIL: 1}, True), ({"b" + EVIL: 1}, False), ({EVIL: 1}, True)]
VOTES = [([True, False], k % 3 == 0) for k in range(9)]
CLASSES = [({EVIL: 1}, EVIL if k % 2 else "b") for k in range(8)]
PLAYED: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "linear": (Perceptron, LINEAR),
    "rule": (lambda: ConjunctionLearner(features=[EVIL, "b" + EVIL]), RULE),
    "votes": (lambda: WeightedMajority(0.5, experts=[EVIL, "b"]), VOTES),
    "classes": (MulticlassPerceptron, CLASSES),
}


def shown(*texts: str) -> str:
    """Return texts that nothing in is obeyed, and that show what is escaped."""
    for text in texts:
        odd = {each for each in text if not each.isprintable() and each != "\n"}
        assert not odd, ascii(text)
    return "".join(texts)


@pytest.mark.parametrize("name", PLAYED)
def test_what_is_learned_recorded_certified_and_reported(
    name: str, tmp_path: Path
) -> None:
    make, examples = PLAYED[name]
    learner = make()
    record = run(learner, examples, keep="updates")
    certificate = certify(record, stream=examples)
    verdict = verify(certificate, examples)
    told = report(record, learner=learner, certificate=certificate, title=EVIL)
    before, after = tmp_path / "before.lst", tmp_path / "after.lst"
    models.save(make(), before)
    models.save(learner, after)
    things = (learner, record, certificate, verdict, models.inspect(after))
    text = shown(*map(str, things), *(thing._repr_html_() for thing in things))
    text += shown(str(models.diff(before, after)), str(told), told.story.headline)
    text += shown(call("inspect", after).stdout, call("inspect", before).stdout)
    assert r"\x1b[2J" in text
    if name in ("linear", "votes"):  # the others are drawn as these are
        told.save(tmp_path / "report.svg")
        shown((tmp_path / "report.svg").read_text())
    told.save(tmp_path / "report.html")
    assert not set((tmp_path / "report.html").read_text()) & set("\x1b\x07\x9b\u202e")


def test_a_race_and_the_command_line(tmp_path: Path) -> None:
    raced = race([Perceptron(), Perceptron(bias=1.0)], LINEAR)
    shown(str(raced), raced._repr_html_())
    path = tmp_path / f"{EVIL}.jsonl"
    lines = (json.dumps({"y": int(y)} | x) for x, y in LINEAR)
    path.write_text("\n".join(lines))
    for command in ("run", "race", "certify", "report"):
        done = call(command, path, "--label", "y")
        assert done.returncode == 0, done.stderr
        shown(done.stdout)
    done = call("run", path, "--label", "none")
    assert done.returncode == 2
    assert r"\x1b[2J" in shown(done.stderr)


@pytest.mark.parametrize(
    "change",
    [
        {"theorem": EVIL},
        {"counts": EVIL},
        {"numbers": {EVIL: "1"}},
        {"others": {"PERC-SEP": {"bound": None, "reason": EVIL}}},
        {"others": {EVIL: {"bound": "1"}}},
        {"learner": {"name": EVIL, "parameters": {}}},
        {"learner": {"name": "Perceptron", "parameters": {EVIL: EVIL}}},
    ],
    ids=str,
)
def test_a_forged_certificate(change: dict[str, Any], tmp_path: Path) -> None:
    certificate = certify(run(Perceptron(), LINEAR, keep="updates"))
    text = sealed({**json.loads(certificate.to_json()), **change})
    said = ""
    try:
        forged = Certificate.from_json(text)
        said = shown(str(forged), forged._repr_html_())
        shown(str(verify(forged, LINEAR)), verify(forged)._repr_html_())
    except LittlestoneError as error:
        said += shown(str(error))
    assert r"\x1b[2J" in said
    path = tmp_path / "forged.json"
    path.write_text(text)
    for command in ("verify", "inspect"):
        done = call(command, path)
        shown(done.stdout, done.stderr)


@pytest.mark.parametrize(
    "refused",
    [
        lambda _: Perceptron().learn_one({EVIL: float("nan")}, True),
        lambda _: Perceptron().learn_one({"a": 1}, EVIL),
        lambda _: WeightedMajority(0.5, experts=2).learn_one({EVIL: True}, True),
        models.load,
        lambda path: list(streams.svmlight(path)),
        lambda path: list(streams.csv(path.parent / "cells.csv", label="y")),
    ],
)
def test_an_error(refused: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "cells.csv").write_text(f"y,a\n1,2\n{EVIL[:-3]},3\n")
    with pytest.raises(LittlestoneError) as caught:
        refused(tmp_path / EVIL)
    assert r"\x1b[2J" in shown(str(caught.value), repr(caught.value))
