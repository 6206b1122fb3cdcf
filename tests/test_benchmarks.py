"""What the benchmarks tell is what is kept, and what is proved."""

from __future__ import annotations

import itertools
import json
from html import escape
from typing import Any

import pytest

from littlestone import boolean, experts, linear
from littlestone.learner import Learner
from scripts import script

bounds = script("benchmarks/bounds.py")
certificates = script("benchmarks/certificates.py")
losses = script("benchmarks/losses.py")
tell = script("benchmarks/tell.py")


HEART = next(s for s in certificates.TWO_CLASSES if "heart" in s.file)


# Three games of the other kinds of rules are like those that are left.
ALIKE = ("conjunction", "conjunction-negations", "disjunction-negations")


@pytest.fixture(
    scope="module",
    params=[ALIKE, pytest.param((), marks=pytest.mark.soak)],
    ids=["some", "all"],
)
def games(request: pytest.FixtureRequest) -> list[Any]:
    return list(bounds.games(*request.param))


def test_the_table_of_bounds_is_what_is_kept(games: list[Any]) -> None:
    kept = bounds.RESULTS.read_text()
    assert kept.count("## ") == 10
    for game in games:
        assert "\n".join(bounds.page([game])) in kept, (
            "if that is right, run `make bounds`"
        )


def test_every_game_lies_between_what_is_forced_and_what_is_proved(
    games: list[Any],
) -> None:
    assert len(games) >= 7
    for title, adversary, rows in games:
        for row in rows:
            assert row.holds, (title, row)
            if adversary.theorem.lower:
                assert row.mistakes >= adversary.forces, (title, row)


def test_no_learner_is_left_out(games: list[Any]) -> None:
    met = {row.learner for _, _, rows in games for row in rows}
    exported = {
        name
        for room in (linear, boolean, experts)
        for name in room.__all__
        if isinstance(cls := getattr(room, name), type) and issubclass(cls, Learner)
    }
    assert met | bounds.ELSEWHERE == exported


def test_the_page_tells_what_was_measured() -> None:
    groups = json.loads(tell.RESULTS.read_text())
    assert tell.PAGE.read_text() == tell.page(groups), "run `benchmarks/tell.py`"
    drawn = tell.PLOT.read_text()  # by any Matplotlib, so its bytes may differ
    for line in (line for group in groups.values() for line in group["lines"]):
        labels = escape(" | ".join(tell.parts(line))), f"> {line['ratio'] or 0:.3g} <"
        assert (tell.peer_of(line) is None) or all(text in drawn for text in labels)


def test_the_front_pages_tell_what_was_measured() -> None:
    groups, sets = (
        json.loads(path.read_text()) for path in (tell.RESULTS, tell.ACCURACY)
    )
    for page in tell.FRONT:
        text = page.read_text()
        assert f"| {tell.front(groups)} |" in text, "run `benchmarks/tell.py`"
        assert f"| {tell.ahead(sets)} |" in text, "run `benchmarks/tell.py`"
        for plot in (tell.PLOT, tell.PLOT.with_stem("accuracy")):
            assert f"explanation/{plot.name})" in text
    stale = text.replace(tell.front(groups), "1 to 2 times the speed of all")
    assert tell.with_front(stale, groups, sets) == text


def test_the_page_tells_what_falls_short_and_each_setting_once() -> None:
    line = {"what": "a | River", "ours": 2e-3, "peer": 1.0, "target": 600, "ratio": 500}
    alone = {"what": "b", "ours": 2e-6, "peer": None, "target": 0.1, "ratio": None}
    setting = {"Python": "3.11", "CPU": "any", "date": "2026-11-16"}
    groups: Any = {
        name: {"setting": {**setting, "load before": load}, "lines": lines}
        for name, load, lines in (
            ("first", "0.10", [{**line, "met": False}]),
            ("second", "2.00", [{**alone, "met": True}]),
        )
    }
    page = tell.page(groups)
    assert "| a | River | 2.00 ms | 1.00 s | **500.00** | 600 |" in page
    assert "| b |  | 2.00 µs |  |  | at most 0.1 s |" in page
    assert page.count("* Python: 3.11\n") == 1
    assert "| first | 2026-11-16 | 0.10 |\n| second | 2026-11-16 | 2.00 |" in page
    groups["second"]["setting"]["Python"] = "3.14"  # measured again, later
    assert "* Python: 3.14\n" in tell.page(groups)


@pytest.mark.parametrize(
    ("small", "learners"),
    [
        (certificates.Shipped(), 3),  # without any file
        (HEART, 5),
        pytest.param(HEART, None, marks=pytest.mark.soak),
    ],
    ids=str,
)
def test_the_certificates_of_small_sets_are_what_is_kept(
    small: Any, learners: int | None
) -> None:
    stream = small.read(certificates.MOST)
    lines = itertools.islice(certificates.lines(str(small), stream), learners)
    made = certificates.table(list(lines))
    kept = certificates.RESULTS.read_text().splitlines()
    for line in made:
        assert line in kept, "if that is right, run `make certificates`"


def test_the_losses_on_small_sets_are_what_is_kept() -> None:
    assert losses.check() == [], "if that is right, run `benchmarks/losses.py`"


def test_the_page_tells_the_losses_that_were_measured() -> None:
    page = (losses.HERE.parent / "docs" / "explanation" / "accuracy.md").read_text()
    for line in losses.section():
        assert line in page, "run `benchmarks/accuracy.py --tell`"
