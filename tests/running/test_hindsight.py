"""The live bound by the best witness so far: true, the same everywhere, and cheap."""

from __future__ import annotations

import io
import pickle
from typing import Any

import numpy as np
import pytest

from littlestone import Recorder, certify, models, run, streams
from littlestone.display.progress import Lines
from littlestone.linear import (
    AROW,
    AveragedPerceptron,
    BalancedWinnow,
    PassiveAggressive,
    Perceptron,
    SecondOrderPerceptron,
    Winnow,
)
from littlestone.running.hindsight import Hindsight

LEARNERS = [
    Perceptron(bias=1),
    Perceptron(update="margin"),
    Perceptron(normalize=True),
    PassiveAggressive(bias=1),
    AROW(bias=1),
    AROW(diagonal=False),
    SecondOrderPerceptron(),
    BalancedWinnow(0.1, scale=4.0),
]


def rows(many: int, wrong: float = 0.0) -> tuple[Any, Any]:
    """Return examples of a halfspace with a margin, some with the wrong label."""
    draw = np.random.default_rng(23)
    X = draw.normal(size=(3 * many, 6)).clip(-4, 4).round(2)
    score = X @ np.array([1.0, -1, 0.5, 0, 0, 0])
    X, score = X[np.abs(score) > 0.5][:many], score[np.abs(score) > 0.5][:many]
    return X, (score > 0) ^ (draw.random(many) < wrong)


def bounds(record: Any) -> list[tuple[int, float]]:
    """Return the rounds at which there is a bound, with it."""
    return [(p.rounds, p.bound) for p in record.curve if p.bound is not None]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_no_round_has_more_mistakes_than_its_bound(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hindsight, "FREE", 1e9)
    X, y = rows(700, wrong=0.02)
    record = run(learner.clone(), (X, y), live=True)
    assert {16, 64, 256, 512, 700} <= {at for at, _ in bounds(record)}
    for point in record.curve:
        assert point.bound is None or point.mistakes <= point.bound
    assert record.witnessed
    assert not record.exceeded
    assert record.numbers
    assert record.theorem in {theorem.id for theorem in learner.guarantees}


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_bounds_and_weights_are_the_same_however_the_stream_is_played(
    learner: Any,
) -> None:
    X, y = rows(300)
    one, other, plain = learner.clone(), learner.clone(), learner.clone()
    blocks = run(one, streams.arrays(X, y), live=True)
    pairs = run(other, list(zip(X, y, strict=True)), live=True)
    run(plain, streams.arrays(X, y))
    assert bounds(blocks) == bounds(pairs) != []
    assert blocks == pairs
    assert one.weights_ == plain.weights_
    tickets = Recorder(learner.clone(), live=True)
    for x, label in zip(X, y, strict=True):
        tickets.told(tickets.predicted(x), label)
    assert bounds(tickets.record()) == bounds(blocks)


@pytest.mark.parametrize("free", [Hindsight.FREE_KEPT, 2e3])
@pytest.mark.parametrize("keep", ["mistakes", "nothing", "updates", "rounds"])
def test_bounds_are_the_same_whatever_else_is_kept_or_read(
    keep: Any, free: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = rows(300, wrong=0.03)
    learner = BalancedWinnow(0.1, scale=4.0)
    # A feature that no update has must not count, though the record may keep it.
    rare = np.ones((300, 1))
    rare[run(learner.clone(), (X, y)).mistake_rounds] = 0
    X = np.hstack([rare * 1e-9, X])
    monkeypatch.setattr(Hindsight, "FREE_KEPT", free)
    whole = run(learner.clone(), (X, y), live=True)
    other = run(learner.clone(), (X, y), live=True, keep=keep)
    assert other.bound == whole.bound
    assert bounds(other) == bounds(whole) != []


@pytest.mark.parametrize("free", [Hindsight.FREE_KEPT, 2e3])
def test_a_run_that_resumes_has_the_same_bounds(
    free: float, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Hindsight, "FREE_KEPT", free)
    X, y = rows(300, wrong=0.03)
    whole = run(Perceptron(), (X, y), live=True)
    path = tmp_path / "m.lst"
    options: dict[str, Any] = {"checkpoint_every": 50, "live": True}
    models.run(Perceptron(), streams.arrays(X[:100], y[:100]), path, **options)
    again = models.run(Perceptron(), streams.arrays(X, y), path, resume=True, **options)
    assert bounds(again) == bounds(whole) != []
    assert again.bound == whole.bound


def test_nothing_is_searched_for_until_somebody_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = rows(300)
    searched: list[int] = []
    search = Hindsight._search  # noqa: SLF001 - what must not be called

    def counted(self: Any, kept: Any, wrong: Any) -> Any:
        searched.append(len(kept))
        return search(self, kept, wrong)

    monkeypatch.setattr(Hindsight, "_search", counted)
    record = run(Perceptron(), (X, y), live=True)
    assert not searched
    assert record.bound is not None
    assert record.theorem
    assert searched == [record.updates]
    assert bounds(record)
    assert len(searched) > 1
    assert searched == list(dict.fromkeys(searched)), "none is made twice"


def test_a_record_stays_that_of_its_rounds() -> None:
    X, y = rows(300, wrong=0.03)
    recorder = Recorder(Perceptron(), live=True)
    for x, label in zip(X[:100], y[:100], strict=True):
        recorder.told(recorder.predicted(x), label)
    early = recorder.record()
    for x, label in zip(X[100:], y[100:], strict=True):
        recorder.told(recorder.predicted(x), label)
    alone = run(Perceptron(), (X[:100], y[:100]), live=True)
    assert early == alone
    assert pickle.loads(pickle.dumps(early)) == alone  # noqa: S301 - our own
    assert recorder.record() == run(Perceptron(), (X, y), live=True)


def test_the_live_bound_is_close_to_that_of_a_long_search() -> None:
    X, y = rows(2000)
    record = run(Perceptron(), (X, y), live=True)
    certificate = certify(Perceptron(), streams.arrays(X, y), scope="run")
    assert record.bound is not None
    assert record.mistakes <= record.bound < 3 * certificate.bound < record.rounds
    assert not record.emptiness
    assert f"of at most {int(record.bound)}" in repr(record)


def test_a_bound_that_repeats_the_mistakes_is_called_tautological() -> None:
    draw = np.random.default_rng(5)
    X, y = draw.normal(size=(512, 4)), draw.random(512) < 0.5
    record = run(Perceptron(), (X, y), live=True)
    assert record.tautological
    assert not record.vacuous
    assert "tautological" in repr(record)
    assert record.to_dict()["tautological"]
    out = io.StringIO()
    with Lines(out) as show:
        run(Perceptron(), (X, y), live=True, observe=show)
    assert "at most" in out.getvalue().splitlines()[0]
    assert "tautological" in out.getvalue()


@pytest.mark.parametrize("learner", [Perceptron(), PassiveAggressive()], ids=str)
def test_bounds_stop_where_mistakes_are_too_many(
    learner: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng(7)
    X, y = draw.normal(size=(600, 5)), draw.random(600) < 0.5
    every = bounds(run(learner.clone(), (X, y), live=True))
    assert every[-1][0] == 600

    def fewer(**limits: float) -> list[tuple[int, float]]:
        with monkeypatch.context() as limited:
            for name, most in limits.items():
                limited.setattr(Hindsight, name, most)
            blocks = run(learner.clone(), (X, y), live=True)
            tickets = Recorder(learner.clone(), live=True)
            for x, label in zip(X, y, strict=True):
                tickets.told(tickets.predicted(x), label)
            assert bounds(tickets.record()) == bounds(blocks)
            return bounds(blocks)

    for limits in ({"FREE_KEPT": 6e3, "SHARE": 0.0}, {"LARGEST": 100}):
        first = fewer(**limits)
        assert 0 < len(first) < len(every)
        assert first == every[: len(first)]
    assert not fewer(FREE=0.0)


def test_it_is_off_unless_progress_is_shown_or_it_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    X, y = rows(40)
    assert run(Perceptron(), (X, y)).bound is None
    assert run(Perceptron(), (X, y), live=False, progress=True).bound is None
    assert "at most" not in capsys.readouterr().err
    assert run(Perceptron(), (X, y), progress=True).bound is not None
    assert "at most" in capsys.readouterr().err
    assert run(Perceptron(), (X, y), live=True).examples is None


def test_what_is_declared_goes_first_and_others_have_no_search() -> None:
    X, y = rows(40)
    declared = run(
        Perceptron(), (X, y), live=True, declare={"margin": 0.1, "radius": 9}
    )
    assert declared.theorem == "PERC-SEP"
    assert not declared.witnessed
    # The mistakes of an average are not its updates, which the theorem counts.
    assert run(AveragedPerceptron(), (X, y), live=True).bound is None
    taught = Perceptron()
    taught.learn_one(X[0], not y[0])
    assert run(taught, (X, y), live=True).bound is None


def test_winnow_finds_a_disjunction() -> None:
    draw = np.random.default_rng(3)
    X = (draw.random((400, 12)) < 0.2).astype(float)
    y = X[:, :2].any(axis=1)
    record = run(Winnow(threshold=12, eliminate=True), (X, y), live=True)
    assert record.theorem == "WIN1"
    assert record.mistakes <= (record.bound or 0) < 400
