"""Other people hold their own learners against the adversaries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from littlestone import pytest_plugin
from littlestone.adversaries import (
    AlternatingAdversary,
    HalvingAdversary,
    RandomExperts,
)
from littlestone.experts import FollowTheMajority, WeightedMajority
from littlestone.testing import adversaries, duel
from littlestone.theorems import WM


class Lazy(AlternatingAdversary):
    """Promises what it does not keep: it agrees."""

    def _label(self, at: int, prediction: Any) -> bool:
        super()._label(at, prediction)
        return bool(prediction)


def test_a_bound_that_holds_gives_the_record() -> None:
    adversary = HalvingAdversary(6)
    assert duel(WeightedMajority(), adversary, at_most=6).mistakes == 6
    assert duel(FollowTheMajority(), AlternatingAdversary(5)).rounds == 5


def test_a_bound_may_look_at_the_best() -> None:
    def bound(adversary: Any) -> float:
        return WM.bound(best=adversary.best_, experts=adversary.n)

    adversary = RandomExperts(8, rounds=100)
    assert duel(WeightedMajority(), adversary, at_most=bound).mistakes > 0
    with pytest.raises(
        AssertionError, match="at most 0 mistakes against RandomExperts"
    ):
        duel(WeightedMajority(), adversary, at_most=lambda _: 0)


def test_a_bound_that_fails_is_told() -> None:
    message = (
        r"WeightedMajority must make at most 5 mistakes against "
        r"HalvingAdversary\(bits=6\), got 6 in 6 rounds"
    )
    with pytest.raises(AssertionError, match=message):
        duel(WeightedMajority(), HalvingAdversary(6), at_most=5)


def test_an_adversary_must_keep_its_word() -> None:
    with pytest.raises(AssertionError, match="must force 4 mistakes, got 0 of Follow"):
        duel(FollowTheMajority(), Lazy(4))


def test_there_is_one_of_each_and_the_plugin_knows_them() -> None:
    made = adversaries()
    assert tuple(made) == pytest_plugin._NAMES  # noqa: SLF001 - it must not import them
    assert made["tree"] is not adversaries()["tree"]


TESTS = """
from littlestone.adversaries import HalvingAdversary

class Yes:
    def predict_one(self, x): return True
    def learn_one(self, x, y): pass

def test_each(adversary, duel):
    duel(Yes(), adversary)

def test_one(duel):
    duel(Yes(), HalvingAdversary(bits=3), at_most=2)
"""


def test_the_plugin_brings_the_fixtures(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(TESTS)
    # Whether it is installed or not: by its entry point it would be there already.
    plugin = ("-p", "no:littlestone", "-p", "littlestone.pytest_plugin")
    words = (sys.executable, "-m", "pytest", "-q", *plugin, "-p", "no:cacheprovider")
    done = subprocess.run(
        words,
        env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"1 failed, {len(adversaries())} passed" in done.stdout
    assert "Yes must make at most 2 mistakes against" in done.stdout


def test_loading_the_plugin_loads_nothing_else() -> None:
    script = "import sys, littlestone.pytest_plugin; print(*sys.modules)"
    loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split()
    assert not {"numpy", "littlestone.running", "littlestone.adversaries"} & set(loaded)
