"""The logger `littlestone` says what happens to a program that listens."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from littlestone import certify, models, race, run, streams
from littlestone.linear import Perceptron, Winnow


def test_nothing_is_printed_unless_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.svm"
    path.write_text("1 1:1\nnonsense\n")
    run(Perceptron(), streams.svmlight(path, on_error="skip"))
    assert capfd.readouterr() == ("", "")
    assert any(
        isinstance(handler, logging.NullHandler)
        for handler in logging.getLogger("littlestone").handlers
    )


def test_a_program_that_listens_hears_what_happens(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG", "littlestone")
    path, saved = tmp_path / "a.svm", tmp_path / "m.lst"
    path.write_text("1 1:1\nnonsense\n-1 2:9\n-1 2:8\n1 1:1\n")
    stream = streams.svmlight(path, on_error="skip")
    models.run(Winnow(threshold=2), stream, saved, on_error="skip")
    race([Perceptron(), Winnow(threshold=2)], stream)
    certify(Perceptron(), [({"a": 1}, False)])
    heard = [
        (each.levelname, each.getMessage())
        for each in caplog.records
        if each.name == "littlestone"
    ]
    assert ("INFO", f"run begins: {Winnow(threshold=2)!r}") in heard
    assert ("WARNING", f"{path}: 1 lines skipped") in heard
    assert ("INFO", f"saved {saved} after 2 rounds") in heard
    skipped = [pair for pair in heard if pair[1].startswith("example skipped")]
    assert [level for level, _ in skipped] == ["WARNING", "DEBUG"]
    assert any(text.startswith("Winnow leaves the race: ") for _, text in heard)
    assert any(
        text.startswith("run ends: Record(Winnow: 2 rounds") for _, text in heard
    )
    assert "PERC-SEP" in heard[-1][1]
