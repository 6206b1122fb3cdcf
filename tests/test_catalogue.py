"""One table of learners, which every other list of them agrees with."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from advice_worlds import ADVISED
from littlestone import boolean, experts, linear, maps
from littlestone.catalogue import CATALOGUE, Entry, Reads, entry_of, of_files, of_games
from littlestone.compat import river, sklearn
from littlestone.learner import Learner
from littlestone.verifying import twins
from saved import every

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
NAMED = [entry for entry in CATALOGUE if entry.name]


def classes() -> Iterator[type[Learner]]:
    """Yield the learners that the rooms offer."""
    for room in (linear, boolean, experts, maps):
        for name in room.__all__:
            found = getattr(room, name)
            if isinstance(found, type) and issubclass(found, Learner):
                yield found


def test_every_learner_that_a_room_offers_is_listed() -> None:
    listed = {entry.load() for entry in CATALOGUE}
    assert {found.__name__ for found in listed - set(classes())} == {
        "Adaptive",
        "Auto",
        "MLEwa",
        "MulticlassAuto",
    }
    assert set(classes()) <= listed


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.path)
def test_a_class_is_where_its_entry_says(entry: Entry) -> None:
    found = entry.load()
    assert issubclass(found, Learner)
    assert found.__name__ == entry.class_name
    first = entry_of(entry.class_name)
    assert first is not None
    assert first.load() is found


def test_names_are_there_once_and_spell_the_class() -> None:
    names = [entry.name for entry in NAMED]
    assert len(set(names)) == len(names)
    for entry in NAMED:
        spelled = entry.name.replace("-", "")
        plain = entry.class_name.removesuffix("Learner").lower()
        assert spelled == plain or entry.name == "hedge"


def learners() -> Iterator[Any]:
    """Yield every learner with some parameters, and forecasters with each loss."""
    yield from (saved.make() for saved in every())
    yield from (entry.made for entry in ADVISED)


def test_an_entry_says_what_its_learner_predicts_and_reads() -> None:
    met = set()
    for learner in learners():
        entry = entry_of(type(learner).__name__)
        assert entry is not None
        met.add(entry)
        if entry.outcome is not None:
            assert learner.outcome is entry.outcome
        assert hasattr(learner, "play_advice") == (entry.reads is Reads.ADVICE)
        assert hasattr(learner, "score_one") == (entry.reads is Reads.FEATURES)
        # The one member of intervals is their forecaster.
        several = entry.reads is Reads.MEMBERS and not hasattr(learner, "forecaster_")
        members = several or "auto" in entry.path.split(".")
        assert hasattr(learner, "members_") == members
    assert {entry.class_name for entry in met} == {e.class_name for e in CATALOGUE}


def test_the_judge_has_the_same_list() -> None:
    # What a committee or opera's own learner does cannot be certified; a learner
    # behind a map is judged under its own name. A fitted rule is no learner.
    unjudged = {"Committee", "MLEwa", "Mapped"}
    assert set(twins.TWINS) - {"Fit"} == {e.class_name for e in CATALOGUE} - unjudged
    for learner in learners():
        name = type(learner).__name__
        if name == "Restarting":  # whose learner a certificate states by its name
            continue
        if name in twins.TWINS:
            told = twins.outcome_of(name, learner.get_params())
            assert told is learner.outcome
            advised = twins.reads_of(name) == "advice"
            assert advised == hasattr(learner, "play_advice")


@pytest.mark.parametrize("facade", [river, sklearn])
def test_both_libraries_have_every_learner_of_features(facade: Any) -> None:
    wanted = {Reads.FEATURES, Reads.LITERALS}
    listed = {entry.class_name for entry in NAMED if entry.reads in wanted}
    committees = {"CommitteeClassifier", "CommitteeRegressor"}
    named = {name.removesuffix("Regressor") for name in facade.__all__} - committees
    assert named - {"Committee"} == listed


@pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.path)
def test_the_documentation_lists_every_learner(entry: Entry) -> None:
    if entry.class_name == "MLEwa":  # which is opera's
        return
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    table = readme[readme.index("| learner | theorem | at most |") :]
    choose = (ROOT / "docs/how-to/choose.md").read_text(encoding="utf-8")
    for page in (table, choose):
        assert f"{entry.class_name}`" in page or f"{entry.class_name}(" in page
    room = entry.path.split(".")[1]
    reference = (ROOT / f"docs/reference/{room}.md").read_text(encoding="utf-8")
    assert f"::: {entry.path}\n" in reference


def test_the_command_line_can_name_what_it_can_play() -> None:
    files, games = of_files(), of_games()
    assert {*files, *games} == {entry.name for entry in NAMED}
    assert games.keys() - files.keys() == {
        *("consistent", "version-space", "standard-optimal"),
        *("follow-the-majority", "cover"),
    }


def test_to_list_them_needs_no_numpy() -> None:
    script = "import sys, littlestone.catalogue; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert "numpy" not in loaded
    assert "littlestone.learner" not in loaded
