"""The demo tells its story, keeps every promise, and leaves what it says."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from command import call
from littlestone import Certificate, verify
from littlestone.running import Record


def test_the_demo_tells_mistakes_beside_bounds_that_hold(tmp_path: Path) -> None:
    done = call("demo", "-o", tmp_path / "demo")
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert re.findall(r"^\d\. .*", shown, re.MULTILINE) == [
        "1. A stream, and a promise",
        "2. An adversary",
        "3. Experts",
        "4. A rule in words",
        "5. A certificate",
    ]
    pairs = re.findall(r"(\d+) mistakes.*, at most (\d+)", shown)
    assert len(pairs) >= 7
    assert all(0 < int(made) <= int(most) for made, most in pairs)
    assert ("10", "10") in pairs
    assert ("100", "100") in pairs
    assert "odor=foul then yes" in shown
    assert "Accepted: " in shown
    assert "Rejected: mistakes must be" in shown
    assert "promises were kept" in shown
    assert max(map(len, shown.splitlines())) <= 100 + len(str(tmp_path))


def test_what_it_leaves_can_be_judged(tmp_path: Path) -> None:
    folder = tmp_path / "some" / "where"
    facts = json.loads(call("demo", "-o", folder, "--json").stdout)
    assert facts["holds"] is True
    assert len(facts["facts"]) > 10
    assert {str(path) for path in folder.iterdir()} == set(facts["files"])
    certificate = Certificate.load(folder / "certificate.json")
    assert verify(certificate)
    forged = Certificate.load(folder / "forged.json")
    assert forged.mistakes == certificate.mistakes - 1
    reports = find_spec("plotly")
    assert (folder / "report.html").exists() == bool(reports)


def test_a_bound_that_is_exceeded_ends_it_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As if the library had a bug.
    monkeypatch.setattr(Record, "exceeded", property(lambda _: True))
    done = call("demo", "-o", tmp_path)
    assert done.returncode == 1
    assert "THIS DOES NOT HOLD: Winnow stays within WIN1" in done.stdout
    assert "A PROMISE WAS BROKEN" in done.stdout
