"""Models of every version load for ever, and go on as they did then."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import saved
from littlestone import models
from models.golden import rounds_of, told

FOLDER = Path(__file__).parents[1] / "golden"
FILES = sorted(FOLDER.rglob("*.lst"))


def test_there_is_one_for_each_learner() -> None:
    names = {type(one.make()).__name__ for one in saved.every()}
    assert {path.stem for path in FILES} >= names


@pytest.mark.parametrize(
    "path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
def test_a_model_of_then_goes_on_as_it_did(path: Path) -> None:
    facts = json.loads(path.with_suffix(".json").read_text())
    learner = models.load(path)
    assert type(learner).__name__ == path.stem
    assert told(learner) == facts["before"]
    one = saved.Saved(path.stem, learner.clone, rounds_of(facts))
    _, said = one.played(0, len(one.rounds), learner)
    assert [s.hex() if isinstance(s, bytes) else repr(s) for s in said] == facts["said"]
    assert told(learner) == facts["after"]
