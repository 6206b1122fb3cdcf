"""The demo runs, and its bounds hold."""

from __future__ import annotations

import re
import subprocess
import sys


def test_the_demo_prints_mistakes_beside_bounds_that_hold() -> None:
    shown = subprocess.check_output(
        [sys.executable, "-m", "littlestone", "demo"], text=True
    )
    found = re.findall(r"([\d,]+) mistakes <= +([\d,.]+) by (\S+)", shown)
    theorems = [theorem for _, _, theorem in found]
    assert theorems == ["PERC-SEP", "WIN1", "WIN2-SEP", "DL"]
    for mistakes, bound, _ in found:
        assert 0 < int(mistakes.replace(",", "")) <= float(bound.replace(",", ""))
    assert "if odor=foul then yes" in shown
