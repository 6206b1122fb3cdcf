"""What the benchmarks tell is what is kept, and what is proved."""

from __future__ import annotations

from typing import Any

import pytest

from littlestone import boolean, experts, linear
from littlestone.learner import Learner
from scripts import script

bounds = script("benchmarks/bounds.py")


@pytest.fixture(scope="module")
def games() -> list[Any]:
    return list(bounds.games())


def test_the_table_of_bounds_is_what_is_kept(games: list[Any]) -> None:
    made = "\n".join(bounds.page(games)).splitlines()
    kept = bounds.RESULTS.read_text().splitlines()
    for line, was in zip(made, kept, strict=True):
        assert line == was, "if that is right, run `make bounds`"


def test_every_game_lies_between_what_is_forced_and_what_is_proved(
    games: list[Any],
) -> None:
    assert len(games) == 10
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
