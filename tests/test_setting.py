"""The tests themselves: they draw the same everywhere, and say which data they miss."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest import SkipTest

import pytest
from hypothesis.configuration import storage_directory

import data

HERE = Path(__file__).parent

PREPARES = """
import sys
sys.path.insert(0, sys.argv[1])
from hypothesis.configuration import set_hypothesis_home_dir
set_hypothesis_home_dir(sys.argv[2])  # where letters were sorted, for seconds
import conftest
import mine
"""
DRAWS = """
from hypothesis import given, settings, strategies as st

@settings(settings.get_profile("littlestone"))
@given(st.lists(st.integers() | st.floats() | st.text(), min_size=5))
def draw(values):
    print(ascii(values))

draw()
"""


def test_a_property_draws_the_same_examples_in_every_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Hypothesis would draw these numbers, once the module is imported.
    (tmp_path / "mine.py").write_text("NUMBERS = 12345, 23456, 1.2345, 2.3456")
    home = storage_directory().path
    there = subprocess.check_output(
        [sys.executable, "-c", PREPARES + DRAWS, str(HERE), str(home)],
        env=os.environ | {"PYTHONHASHSEED": "2"},
        cwd=tmp_path,
        text=True,
    )
    exec(DRAWS, {"__name__": "__main__"})  # noqa: S102 - our own text
    here = capsys.readouterr().out
    assert here.count("\n") == 8
    assert here == there


def test_a_data_file_is_found_or_its_test_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "FOLDER", tmp_path)
    with pytest.raises(SkipTest, match="^the data set mail is missing: there is no "):
        data.data_file("mail/mail.svm")
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "mail.svm").touch()
    assert data.data_file("mail/mail.svm") == tmp_path / "mail" / "mail.svm"


def test_a_run_ends_with_a_line_about_the_data_it_missed() -> None:
    plugins = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # which take a second
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "_hypothesis_pytestplugin"),
            HERE / "test_data.py",
        ],
        env=os.environ | plugins | {"LITTLESTONE_DATA": "nowhere"},
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert (
        "\n6 tests skipped for want of data (a9a 1, agaricus 2, heart_scale 1, "
        "reuters-moneyfx 1, svmguide3 1); set LITTLESTONE_DATA to the folder that has "
        "them\n" in done.stdout
    )


def test_a_run_that_missed_no_data_says_nothing_of_it() -> None:
    assert not data.skipped(["Skipped: needs named pipes"])
