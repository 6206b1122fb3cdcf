"""Replay, what if, certificates of a ledger, export, and the commands for them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from command import call
from littlestone import certify, models, run, theorems, verify
from littlestone.errors import LedgerError, ParameterError
from littlestone.experts import ExponentialWeights
from littlestone.linear import AROW, KernelPerceptron, Perceptron, Winnow
from littlestone.running.late import LateRule
from littlestone.service import (
    Ledger,
    ServedModel,
    arrivals,
    born,
    certify_ledger,
    replay,
    what_if,
)
from littlestone.verifying import Late, as_number, as_text


def traffic(
    path: Path,
    learner: Any,
    *,
    rows: int = 120,
    wait: int = 7,
    late: LateRule = "relearn",
    declare: Any = None,
    seed: int = 3,
) -> ServedModel:
    """Write a ledger in which labels come late, out of order, and some never."""
    draw = random.Random(seed)
    with Ledger(path, create=True) as ledger:
        born(ledger, learner, late=late, declare=declare)
        model = ServedModel(ledger, snapshot=path.with_name("snapshot.lst"))
        waiting: list[tuple[str, bool]] = []
        with ledger.commit():
            for number in range(rows):
                names = draw.sample(["a", "b", "c", "d", "e"], 2)
                x = {name: draw.choice([1, 0.5]) for name in names}
                y = "a" in x or "b" in x
                model.predict(f"p{number}", {"features": x})
                waiting.append((f"p{number}", y))
                if len(waiting) > wait:
                    model.label(*waiting.pop(draw.randrange(len(waiting))))
        model.save()
    return model


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


@pytest.mark.parametrize(
    ("learner", "late"),
    [
        (Perceptron(bias=1), "relearn"),
        (Perceptron(bias=1), "served"),
        (KernelPerceptron("gaussian"), "served"),
        (AROW(), "relearn"),
        (Winnow(threshold=2), "relearn"),
    ],
    ids=str,
)
def test_a_replay_gives_the_same_model(path: Path, learner: Any, late: Any) -> None:
    model = traffic(path, learner, late=late)
    again = replay(path)
    assert (again.rows, again.began) == (model.seq - 1, 1)
    assert again.record == model.recorder.record()
    models.save(again.learner, path.with_name("a.lst"))
    models.save(model.learner, path.with_name("b.lst"))
    assert path.with_name("a.lst").read_bytes() == path.with_name("b.lst").read_bytes()


SERVED = pytest.mark.parametrize(
    "learner",
    [
        Perceptron(bias=1),
        KernelPerceptron("gaussian"),
        KernelPerceptron("polynomial", degree=2),
    ],
    ids=str,
)


def test_the_labels_as_they_came_are_an_ordinary_run(path: Path) -> None:
    model = traffic(path, Perceptron(bias=1))
    with arrivals(path) as rounds:
        stream = list(rounds)
    record = run(Perceptron(bias=1), stream)
    assert record.rounds == model.recorder.rounds == 113
    assert record.updates == model.learner.updates_
    certificate = certify_ledger(path)
    assert certificate == certify(Perceptron(bias=1), stream)
    assert verify(certificate, stream).accepted


@SERVED
def test_what_was_served_is_certified_and_judged(path: Path, learner: Any) -> None:
    model = traffic(path, learner, late="served", rows=60)
    record = model.recorder.record()
    certificate = certify_ledger(path)
    assert certificate.theorem == "DELAY-SERVED"
    assert certificate.mistakes == record.mistakes == record.updates
    assert certificate.holds
    with arrivals(path) as rounds:
        stream = list(rounds)
    assert verify(certificate, stream).accepted
    with pytest.raises(ParameterError, match="no budget"):
        traffic(path.with_name("b.db"), AROW(), late="served")


@SERVED
def test_a_forged_certificate_or_schedule_is_rejected(path: Path, learner: Any) -> None:
    traffic(path, learner, late="served", rows=60)
    certificate = certify_ledger(path)
    with arrivals(path) as rounds:
        stream = list(rounds)
    numbers = dict(certificate.numbers_exact)
    for name, factor in (("square", 0.9), ("deviation", 0.9), ("norm", 0.9)):
        less = as_text(as_number(numbers[name]) * as_number(as_text(factor)))
        forged = {n: as_number(t) for n, t in (numbers | {name: less}).items()}
        bound = theorems.DELAY_SERVED.bound(**forged)
        changed = replace(
            certificate,
            numbers_exact=numbers | {name: less},
            bound_exact=as_text(bound),
        )
        assert not verify(changed, stream).accepted, name
    at_once = [(Late(late.x, t), y) for t, (late, y) in enumerate(stream)]
    assert not verify(certificate, at_once).accepted
    in_every_order = replace(certificate, scope="stream")  # Q is of this run
    assert "can be replayed for" in str(verify(in_every_order, stream).wrong)
    for wrong, text in (
        ([(late.x, y) for late, y in stream], "must say when each"),
        (
            [(Late(late.x, t + 1), y) for t, (late, y) in enumerate(stream)],
            "before its",
        ),
    ):
        assert text in str(verify(certificate, wrong).wrong)


@pytest.mark.parametrize("wait", [0, 1, 5, 30])
@pytest.mark.parametrize("late", ["relearn", "served"])
def test_the_live_bound_holds(path: Path, wait: int, late: Any) -> None:
    """Y = a or b, with values of at least 1/2: u = a + b - 1/4 has margin 1/4."""
    declared = {"margin": 0.25, "radius": 2, "norm": 1.5}
    model = traffic(
        path, Perceptron(bias=1), wait=wait, late=late, declare=declared, rows=400
    )
    record = model.recorder.record()
    expected = "DELAY" if late == "relearn" else "DELAY-SERVED"
    assert record.theorem == (
        expected if record.late or late == "served" else "PERC-SEP"
    )
    assert record.bound is not None
    assert record.mistakes <= record.bound
    assert not record.exceeded
    assert model.recorder.standing().bound == record.bound
    if record.theorem == "DELAY":
        assert record.numbers["delay"] == wait


def test_another_learner_on_the_same_traffic(path: Path) -> None:
    traffic(path, Perceptron())
    record, lost = what_if(path, Perceptron())
    assert (record, lost) == (replay(path).record, 0)
    record, lost = what_if(path, AROW())
    assert (record.rounds, lost) == (113, 0)
    record, lost = what_if(path, ExponentialWeights(0.5))
    assert (record.rounds, lost) == (0, 120)


def test_commands(path: Path) -> None:
    model = traffic(path, Perceptron(bias=1))
    done = call("ledger", "check", path)
    assert (done.returncode, done.stdout[:8]) == (0, "234 rows")
    done = call("replay", path, "-l", "arow", "--save", path.with_name("m.lst"))
    assert done.returncode == 0, done.stderr
    assert "233 rows played again, every answer as it was served." in done.stdout
    assert "arow: Record(AROW: 113 rounds" in done.stdout
    assert models.load(path.with_name("m.lst")).updates_ == model.learner.updates_
    done = call("certify", path, "-o", path.with_name("c.json"))
    assert done.returncode == 0, done.stderr
    assert "in the order in which they came" in done.stdout
    assert call("verify", path.with_name("c.json"), path, "-q").returncode == 0
    for name in ("rows.jsonl", "rows.parquet"):
        out = path.with_name(name)
        assert call("ledger", "export", path, "-o", out).returncode == 0
    lines = path.with_name("rows.jsonl").read_text().splitlines()
    assert len(lines) == 234
    table = pq.read_table(path.with_name("rows.parquet")).to_pylist()
    assert [row["hash"] for row in table] == [
        json.loads(line)["hash"] for line in lines
    ]
    assert json.loads(table[1]["given"]) == json.loads(lines[1])["given"]
    done = call("ledger", "forget", path, "p0", "nobody")
    assert (done.returncode, "got 'nobody'" in done.stderr) == (2, True)
    assert call("ledger", "forget", path, "p0").returncode == 0
    done = call("replay", path)
    assert "0 rows played again" in done.stdout
    assert "it began with the snapshot after row 235" in done.stdout
    with pytest.raises(LedgerError, match="was forgotten"):
        replay(path)
    assert call("ledger", "check", path).returncode == 0


def test_what_commands_refuse(path: Path) -> None:
    traffic(path, Perceptron(), rows=3)
    for words, wrong in (
        (("certify", path, "-l", "arow"), "a ledger has its own learner"),
        (("ledger", "export", path), "needs --output"),
        (("ledger", "export", path, "-o", "rows.csv"), "must end in .jsonl"),
        (("ledger", "forget", path), "needs the ids"),
        (("ledger", "check", path, "p0"), "ids are for ledger forget"),
        (("ledger", "check", path, "--head", "00"), "must have the hash 00"),
        (("replay", path.with_name("none.db")), "there is no such ledger"),
        (("replay", path, "-l", "oracle"), "a learner must be one of"),
    ):
        done = call(*words)
        assert done.returncode == 2, words
        assert wrong in done.stderr, (words, done.stderr)
        assert not done.stdout, words


def test_tokens_are_listed_in_columns(tmp_path: Path) -> None:
    where = "--data", tmp_path
    assert call("serve", "token", "add", "ops", *where).returncode == 0
    words = "--only", "clicks", "--scope", "read", *where
    secret = call("serve", "token", "add", "grafana", *words).stdout.strip()
    done = call("serve", "token", "list", *where)
    assert [line.split()[:3] for line in done.stdout.splitlines()] == [
        ["name", "scopes", "models"],
        ["ops", "predict,label,read", "all"],
        ["grafana", "read", "clicks"],
    ]
    assert secret.startswith("lst_")
    assert secret not in done.stdout
