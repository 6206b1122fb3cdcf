"""Ctrl-C ends a run or a race as if the file ended there: nothing asked for is lost."""

from __future__ import annotations

import json
import shlex
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from command import call
from littlestone import models, run, streams
from littlestone.cli import _stopping
from littlestone.cli._stopping import Stoppable
from littlestone.linear import Perceptron

LINES = 12_000


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mail.svm"
    lines = (
        f"{(-1) ** (k % 7)} {k % 5 + 1}:1 {k % 11 + 6}:0.5\n" for k in range(LINES)
    )
    path.write_text("".join(lines))
    return path


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return what makes Ctrl-C come while the given part of a block is played."""

    def after(parts: int) -> None:
        left = 2 * parts

        def monotonic() -> float:
            nonlocal left
            left -= 1
            if left == 0:
                signal.raise_signal(signal.SIGINT)
            return time.monotonic()

        monkeypatch.setattr(_stopping, "time", SimpleNamespace(monotonic=monotonic))

    return after


def test_a_run_that_is_interrupted_is_saved_and_resumes(
    file: Path, tmp_path: Path, interrupt: Callable[[int], None]
) -> None:
    model, said = tmp_path / "m.lst", tmp_path / "said.txt"
    words = ["run", file, "--save", model, "--checkpoint-every", "1m", "--json", "-q"]
    interrupt(1)
    done = call(*words, "--predictions", said)
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["rounds"], facts["interrupted"]) == (130, 1024, True)
    assert len(said.read_text().splitlines()) == 1024
    assert "stopped after 1,024 rounds" in str(models.inspect(model))
    begun, _, resume = done.stderr.partition("; to resume: ")
    assert begun == "littlestone: interrupted after 1,024 rounds"
    program, *again = shlex.split(resume)
    assert (program, again[-1], str(said) in again) == (
        "littlestone",
        "--resume",
        False,
    )
    ended = call(*again)
    whole = run(Perceptron(), streams.svmlight(file)).to_dict()
    found = json.loads(ended.stdout)
    assert ended.returncode == 0
    assert (found["rounds"], found["mistakes"]) == (LINES, whole["mistakes"])
    assert found["curve"] == whole["curve"]


def test_a_run_interrupted_while_it_reads_what_it_has_played_changes_nothing(
    file: Path, tmp_path: Path, interrupt: Callable[[int], None]
) -> None:
    model = tmp_path / "m.lst"
    words = ["run", file, "--save", model, "--checkpoint-every", "1m", "-q"]
    assert call(*words).returncode == 0
    before = model.read_bytes()
    interrupt(1)
    again = call(*words, "--resume")
    assert again.returncode == 130
    assert model.read_bytes() == before


def test_the_summary_and_the_learner_are_not_lost(
    file: Path, tmp_path: Path, interrupt: Callable[[int], None]
) -> None:
    model = tmp_path / "m.lst"
    interrupt(1)
    done = call("run", file, "--save", model, "--no-progress")
    assert "rounds    1,024\n" in done.stdout
    assert f"{model} has the learner as it was then" in done.stderr
    expected = Perceptron()
    run(expected, list(streams.svmlight(file))[:1024])
    assert models.load(model).save_state().keys() == expected.save_state().keys()
    interrupt(1)
    none = call("run", file, "-q")
    assert "nothing was saved" in none.stderr
    assert f"littlestone run {file} -q --save MODEL --resume\n" in none.stderr


def test_a_race_that_is_interrupted_is_ranked(
    file: Path, interrupt: Callable[[int], None]
) -> None:
    interrupt(2)
    words = ("race", file, "-q", "-l", "perceptron", "-l", "arow")
    done = call(*words)
    assert done.returncode == 130
    assert done.stdout.splitlines()[0].split() == [
        "learner",
        "mistakes",
        "rate",
        "F1",
        "balanced",
        "time",
    ]
    told = done.stderr.removeprefix("littlestone: interrupted after ")
    rounds = int(told.split(" rounds")[0].replace(",", ""))
    assert 1024 < rounds < LINES
    interrupt(1)
    facts = json.loads(call(*words, "--json").stdout)
    assert (facts["rounds"], facts["interrupted"]) == (1024, True)


def test_a_second_interrupt_ends_at_once(file: Path) -> None:
    with Stoppable(streams.svmlight(file)) as stream:
        parts = stream.blocks()
        next(parts)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not [*parts, *stream]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
