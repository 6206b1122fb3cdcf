"""A run that was killed goes on, and ends as if nobody had disturbed it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import saved
from littlestone import models, run, streams
from littlestone.adversaries import HalvingAdversary
from littlestone.errors import ModelError, ParameterError, StreamError
from littlestone.experts import ExponentialWeights, Halving
from littlestone.linear import AROW, Perceptron, Winnow

ROOT = Path(__file__).parents[2]
# One of each kind of state, so that the test stays short.
SOME = [one for at, one in enumerate(saved.every()) if at % 5 == 0]


class Killed(Exception):  # noqa: N818 - it stands for a signal
    """What happens to a process."""


def until(rounds: Iterable[Any], last: int) -> Iterator[Any]:
    for at, each in enumerate(rounds):
        if at == last:
            raise Killed
        yield each


def told(record: Any) -> dict[str, Any]:
    """Return all that a record tells; learners within are told as text."""
    kept = record.examples
    facts: dict[str, Any] = record.to_dict()
    return facts | {
        "learner": str(record.learner),
        "kept": None if kept is None else [repr(each) for each in kept],
        "rounds kept": None if kept is None else kept.rounds.tolist(),
    }


@pytest.mark.filterwarnings("ignore::littlestone.errors.UnrealizableWarning")
@pytest.mark.filterwarnings("ignore::littlestone.errors.NobodyLeftWarning")
@pytest.mark.parametrize(
    ("one", "keep"),
    [*((one, "updates") for one in SOME), *((one, "nothing") for one in SOME[::4])],
    ids=str,
)
def test_a_run_that_was_interrupted_ends_the_same(
    one: saved.Saved, keep: Any, tmp_path: Path
) -> None:
    whole = one.make()
    expected = run(whole, one.rounds, keep=keep, digest=True)
    path, size = tmp_path / "m.lst", len(one.rounds)
    for last in (5, size // 2, size - 1):
        with pytest.raises(Killed):
            models.run(
                one.make(),
                until(one.rounds, last),
                path,
                checkpoint_every=7,
                resume=True,
                keep=keep,
                digest=True,
            )
    learner = one.make()
    record = models.run(learner, one.rounds, path, resume=True, keep=keep, digest=True)
    assert told(record) == told(expected)
    models.save(learner, tmp_path / "a.lst")
    models.save(whole, tmp_path / "b.lst")
    assert (tmp_path / "a.lst").read_bytes() == (tmp_path / "b.lst").read_bytes()
    # What stands in the file is the same learner.
    models.save(models.load(path), tmp_path / "a.lst")
    assert (tmp_path / "a.lst").read_bytes() == (tmp_path / "b.lst").read_bytes()


class Parts(streams.Stream):
    """A stream whose blocks are of another size each time it is read."""

    def __init__(self, X: Any, y: Any, *, die_at: int | None = None) -> None:
        self._X, self._y, self._die_at = X, y, die_at
        self._rng = np.random.default_rng(len(y) + (die_at or 0))

    def __iter__(self) -> Iterator[Any]:
        yield from zip(self._X, self._y, strict=True)

    def blocks(self) -> Iterator[Any]:
        """Yield blocks of random sizes."""
        first = 0
        while first < len(self._y):
            last = min(len(self._y), first + int(self._rng.integers(1, 60)))
            if self._die_at is not None and last > self._die_at:
                raise Killed
            yield from streams.arrays(self._X[first:last], self._y[first:last]).blocks()
            first = last


def test_blocks_need_not_end_where_they_did(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 5))
    y = X @ rng.normal(size=5) + rng.normal(size=400) > 0
    expected = run(Perceptron(bias=1.0), streams.arrays(X, y), keep="updates", passes=2)
    path = tmp_path / "m.lst"
    more: dict[str, Any] = {"checkpoint_every": 30, "keep": "updates", "passes": 2}
    for die_at in (100, 250, 399):
        stream = Parts(X, y, die_at=die_at)
        with pytest.raises(Killed):
            models.run(Perceptron(bias=1.0), stream, path, resume=True, **more)
        assert models.inspect(path).run is not None
    record = models.run(Perceptron(bias=1.0), Parts(X, y), path, resume=True, **more)
    assert told(record) == told(expected)
    assert models.inspect(path).run is None


def test_advice_in_blocks_goes_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    F, y = rng.random((300, 6)), rng.random(300)
    expected = run(ExponentialWeights(0.4), streams.advice(F, y), digest=True)
    path = tmp_path / "m.lst"
    models.run(
        ExponentialWeights(0.4),
        streams.advice(F[:170], y[:170]),
        path,
        checkpoint_every=64,
        digest=True,
    )
    record = models.run(
        ExponentialWeights(0.4), streams.advice(F, y), path, resume=True, digest=True
    )
    assert told(record) == told(expected)


def test_checkpoints_come_as_often_as_asked(tmp_path: Path) -> None:
    seen: list[Any] = []
    path = tmp_path / "m.lst"

    def look(batch: Any) -> None:
        card = models.inspect(path).run if path.exists() else None
        seen.append((batch.first, card and card["rounds"]))

    X = np.ones((100, 1))
    stream = streams.arrays(X, np.ones(100))
    models.run(Perceptron(), stream, path, checkpoint_every=40, observe=look)
    assert seen == [(0, None), (40, 40), (80, 80)]


# What is refused ---------------------------------------------------------------------

STREAM = [({"a": 1.0}, False), ({"b": 1.0}, True), ({"a": 1.0, "b": 2.0}, False)] * 10


@pytest.fixture
def half(tmp_path: Path) -> Path:
    path = tmp_path / "m.lst"
    with pytest.raises(Killed):
        models.run(Perceptron(), until(STREAM, 17), path, checkpoint_every=5)
    return path


def test_another_stream_is_refused_and_nothing_changes(half: Path) -> None:
    before = half.read_bytes()
    other = [({"a": 2.0}, False), *STREAM[1:]]
    with pytest.raises(
        StreamError, match="must begin with the 15 rounds .* got others"
    ):
        models.run(Perceptron(), other, half, resume=True)
    with pytest.raises(StreamError, match="must begin with the 15 rounds .* 5 fewer"):
        models.run(Perceptron(), STREAM[:10], half, resume=True)
    X = np.ones((30, 2))
    with pytest.raises(StreamError, match="got others"):
        models.run(Perceptron(), streams.arrays(X, np.ones(30)), half, resume=True)
    assert half.read_bytes() == before


@pytest.mark.parametrize(
    "options", [{"keep": "nothing"}, {"passes": 2}, {"digest": True}]
)
def test_other_options_are_refused(half: Path, options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ParameterError, match=f"run: {name} must be .* to resume"):
        models.run(Perceptron(), STREAM, half, resume=True, **options)


def test_another_learner_is_refused(half: Path, tmp_path: Path) -> None:
    with pytest.raises(
        ModelError, match=r"must resume with Perceptron\(.*bias=0.0\), got"
    ):
        models.run(Perceptron(bias=1), STREAM, half, resume=True)
    with pytest.raises(ModelError, match="got AROW"):
        models.run(AROW(), STREAM, half, resume=True)
    models.save(Perceptron(), tmp_path / "alone.lst")
    with pytest.raises(ModelError, match="holds only Perceptron"):
        models.run(Perceptron(), STREAM, tmp_path / "alone.lst", resume=True)


def test_a_run_against_an_adversary_has_no_checkpoints(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="adversary has no checkpoints"):
        models.run(Halving(), HalvingAdversary(4), tmp_path / "m.lst")  # type: ignore[arg-type]  # that is refused
    with pytest.raises(ParameterError, match="checkpoint_every must be"):
        models.run(Perceptron(), STREAM, tmp_path / "m.lst", checkpoint_every=0)


def test_leftovers_of_a_killed_process_are_removed(half: Path) -> None:
    draft = half.with_name(f".{half.name}.0123abcd.tmp")
    draft.write_bytes(b"half of a file")
    models.run(Perceptron(), STREAM, half, resume=True)
    assert not draft.exists()


def test_a_run_may_begin_with_a_learner_that_has_learned(tmp_path: Path) -> None:
    def learned() -> Any:
        learner = Winnow(threshold=3)
        learner.learn_one({"a": 1, "b": 1}, True)
        return learner

    unit = [(dict.fromkeys(x, 1), y) for x, y in STREAM]
    expected = run(learned(), unit, digest=True)
    path = tmp_path / "m.lst"
    more: dict[str, Any] = {"checkpoint_every": 4, "digest": True}
    with pytest.raises(Killed):
        models.run(learned(), until(unit, 20), path, **more)
    record = models.run(learned(), unit, path, resume=True, digest=True)
    assert told(record) == told(expected)
    assert not record.fresh


# Processes ---------------------------------------------------------------------------


def script(name: str, *words: str) -> Any:
    path = Path(__file__).with_name(name)
    done = subprocess.run(
        [sys.executable, str(path), *words],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_processes_that_are_killed_at_any_moment_go_on() -> None:
    found = script("kill.py", "4", "--seed", "3")
    assert found["kills"] >= 4
    assert found["runs"] >= 1


def test_corrupt_files_are_refused_and_never_crash() -> None:
    found = script("fuzz_models.py", "200", "--seed", "9")
    assert found["refused"] > 60
    assert found["signed and refused"] > 60
