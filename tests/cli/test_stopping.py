"""Ctrl-C ends a run or a race as if the file ended there: nothing asked for is lost."""

from __future__ import annotations

import json
import shlex
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

import littlestone
from command import call
from littlestone import comparators, models, run, streams
from littlestone.cli import _stopping
from littlestone.cli._stopping import Stoppable
from littlestone.display.progress import Steps
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
    words = [
        "run",
        "-l",
        "perceptron",
        file,
        "--save",
        model,
        "--checkpoint-every",
        "1m",
        "--json",
        "-q",
    ]
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
    whole = run(Perceptron(), streams.svmlight(file), live=True).to_dict()
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
    done = call("run", "-l", "perceptron", file, "--save", model, "--no-progress")
    assert "rounds    1,024\n" in done.stdout
    assert f"{model} has the learner as it was then" in done.stderr
    expected = Perceptron()
    run(expected, list(streams.svmlight(file))[:1024])
    assert models.load(model).save_state().keys() == expected.save_state().keys()
    interrupt(1)
    none = call("run", "-l", "perceptron", file, "-q")
    assert "nothing was saved" in none.stderr
    assert (
        f"littlestone run -l perceptron {file} -q --save MODEL --resume\n"
        in none.stderr
    )


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


def test_nothing_is_read_after_an_interrupt_in_a_round(file: Path) -> None:
    stream = streams.svmlight(file)
    waits = iter(list(stream))
    with Stoppable(stream) as stoppable:
        parts = stoppable._until_stopped(lambda: waits)  # noqa: SLF001 - as blocks does
        next(parts)
        signal.raise_signal(signal.SIGINT)  # while the part is played
        assert not list(parts)
    assert len(list(waits)) == LINES - 1  # a pipe would have been waited for


def test_a_second_interrupt_ends_at_once(file: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    with Stoppable(streams.svmlight(file)) as stream:
        parts = stream.blocks()
        next(parts)
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert not [*parts, *stream]
    assert signal.getsignal(signal.SIGINT) is before


def test_certify_says_how_far_it_came(
    file: Path, tmp_path: Path, interrupt: Callable[[int], None]
) -> None:
    output = tmp_path / "c.json"
    interrupt(1)
    done = call("certify", file, "-q", "-l", "perceptron", "-o", output)
    assert (done.returncode, done.stdout, output.exists()) == (130, "", False)
    record = run(Perceptron(), list(streams.svmlight(file))[:1024])
    assert done.stderr == (
        f"littlestone: interrupted after 1,024 rounds; {record.mistakes} mistakes by "
        "then; nothing is certified\n"
    )


def ctrl_c(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


def test_certify_says_that_it_was_searching(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(littlestone, "certify", ctrl_c)
    done = call("certify", file, "-q")
    assert done.returncode == 130
    assert "interrupted after 12,000 rounds; " in done.stderr
    assert "in the search for a witness, so nothing is certified; --wit" in done.stderr


TABLE = "a,b,y\n" + "".join(f"{k % 2},{k % 3},{k % 5 % 2}\n" for k in range(40))


def test_fit_prints_the_best_rule_so_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    whole = json.loads(call("fit", path, "--label", "y", "--json", "-q").stdout)
    show = Steps.__call__

    def stop(self: Any, done: int, total: int, text: str) -> None:
        show(self, done, total, text)
        if done == 5:
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(Steps, "__call__", stop)
    words = ("fit", path, "--label", "y")
    done = call(*words, "--json")
    facts = json.loads(done.stdout)
    assert (done.returncode, facts["interrupted"]) == (130, True)
    assert len(facts["exceptions"]) >= len(whole["exceptions"])
    assert facts["at_least"] <= whole["at_least"]
    assert "interrupted after" not in call(*words, "--budget", 4).stderr
    told = call(*words)
    assert "\nerrs on at most" in told.stdout
    assert "; more of them may find a better rule\n" in told.stderr


def test_fit_says_how_many_rows_it_has_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    read = Stoppable.__iter__

    def stop(self: Stoppable) -> Iterator[Any]:
        rows = read(self)
        yield next(rows)
        signal.raise_signal(signal.SIGINT)
        yield from rows

    monkeypatch.setattr(Stoppable, "__iter__", stop)
    done = call("fit", path, "--label", "y")
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "littlestone: interrupted after 1 row; nothing was fitted\n"


def test_compare_prints_what_it_has_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(TABLE)
    words = ("compare", path, "--label", "y", "--json")
    whole = json.loads(call(*words).stdout)
    monkeypatch.setattr(comparators, "best_linear", ctrl_c)
    done = call(*words)
    facts = json.loads(done.stdout)
    assert (done.returncode, facts.pop("interrupted")) == (130, True)
    assert facts == {
        name: whole[name] for name in ("rounds", "loss", "expert", "convex")
    }
    assert done.stderr == (
        "littlestone: interrupted after 40 rounds; compare begins anew\n"
    )


def test_a_report_is_about_what_was_played(
    file: Path, tmp_path: Path, interrupt: Callable[[int], None]
) -> None:
    page = tmp_path / "mail.html"
    interrupt(1)
    done = call("report", file, "-q", "-o", page)
    assert done.returncode == 130
    assert "interrupted after 1,024 rounds; the report is about these" in done.stderr
    assert "as the command was interrupted" in page.read_text()


def test_a_report_is_written_though_the_search_was_interrupted(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "mail.html"
    monkeypatch.setattr("littlestone.certifying.certify", ctrl_c)
    done = call("report", file, "-q", "-o", page)
    assert (done.returncode, page.exists()) == (130, True)
    assert "interrupted after 12,000 rounds" in done.stderr


def test_advice_is_about_what_was_read(
    file: Path, interrupt: Callable[[int], None]
) -> None:
    interrupt(2)
    done = call("advise", file, "-q")
    assert done.returncode == 130
    assert "Perceptron(bias=1)" in done.stdout
    told = done.stderr.removeprefix("littlestone: interrupted after ")
    rounds, _, rest = told.partition(" rounds; ")
    assert 1024 < int(rounds.replace(",", "")) < LINES
    assert rest == "the advice is about these\n"


def test_an_interrupt_while_commands_are_made_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("littlestone.cli._app.app", interrupted)
    done = call("run", "mail.svm")
    assert (done.returncode, done.stderr) == (130, "littlestone: interrupted\n")
