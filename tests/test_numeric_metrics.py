"""Metrics of probabilities and numbers, as a stream flows."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as theirs

from command import call
from littlestone import linear, losses, run, streams
from littlestone.conformal import Adaptive
from littlestone.errors import ParameterError
from littlestone.learner.rows import as_rows
from littlestone.metrics.errors import ErrorCounts
from littlestone.running import Record, Recorder

RNG = np.random.default_rng(4)
X = RNG.normal(size=(3000, 4))
SCORE = X @ [1.0, -2.0, 0.5, 0.0]
YES = RNG.random(3000) < 1 / (1 + np.exp(-SCORE))
NUMBER = 3 * SCORE + RNG.normal(size=3000) + 2


def progressive(learner: Any, y: Any) -> Any:
    """Return what the learner says of each row before it learns from it."""
    if learner.gives_chances:
        scores = np.empty(len(y))
        learner.play_scored(as_rows(X), y, np.empty(len(y), bool), scores, 0, len(y))
        return 1 / (1 + np.exp(-scores))
    return learner.play(X, y)


def check_alike(one: Record, other: Record) -> None:
    assert (one.errors or ())[:5] == pytest.approx((other.errors or ())[:5])
    assert (one.chances is None) == (other.chances is None)
    if one.chances is not None and other.chances is not None:
        assert one.chances[:3] == pytest.approx(other.chances[:3])
        for mine, theirs_ in zip(one.chances.bins, other.chances.bins, strict=True):
            assert mine == pytest.approx(theirs_)


def test_probabilities_are_measured_as_scikit_learn_does() -> None:
    record = run(linear.CoinBetting(), (X, YES), metrics=("log-loss", "auc"))
    chances = progressive(linear.CoinBetting(), YES)
    found = record.chances
    assert found is not None
    assert found.rounds == len(YES)
    assert found.log_loss == pytest.approx(theirs.log_loss(YES, chances))
    assert found.brier == pytest.approx(theirs.brier_score_loss(YES, chances))
    assert record.auc is not None
    assert record.auc.value == pytest.approx(theirs.roc_auc_score(YES, chances))
    tenths = np.minimum((chances * 10).astype(int), 9)
    assert [each.rounds for each in found.bins] == np.bincount(tenths).tolist()
    first = tenths == 0
    assert found.bins[0].share == pytest.approx(YES[first].mean())
    assert found.bins[0].mean == pytest.approx(chances[first].mean())
    assert found.calibration_error < 0.1
    assert record.to_dict()["metrics"]["log_loss"] == found.log_loss


def test_numbers_are_measured_as_scikit_learn_does() -> None:
    record = run(linear.AdaGrad("square"), (X, NUMBER), metrics=("mae",))
    said = progressive(linear.AdaGrad("square"), NUMBER)
    found = record.errors
    assert found is not None
    assert found.mean_absolute == pytest.approx(
        theirs.mean_absolute_error(NUMBER, said)
    )
    square = theirs.mean_squared_error(NUMBER, said)
    assert found.root_mean_square == pytest.approx(math.sqrt(square))
    assert found.explained == pytest.approx(theirs.r2_score(NUMBER, said))
    assert found.mean == pytest.approx(np.mean(said - NUMBER))
    assert set(record.to_dict()["metrics"]) == {"mae", "rmse", "mean_error", "r2"}


@pytest.mark.parametrize("far", [1e6, -1e9, 1e12])
def test_what_is_explained_far_from_zero_is_what_scikit_learn_says(far: float) -> None:
    outcomes = NUMBER + far
    guesses = (outcomes + RNG.permutation(SCORE)).tolist()
    record = run(Adaptive(), list(zip(guesses, outcomes.tolist(), strict=True)))
    assert record.errors is not None
    expected = theirs.r2_score(outcomes, guesses)
    assert record.errors.explained == pytest.approx(expected, rel=1e-6)


def test_errors_beyond_all_numbers_are_left_out_of_the_json() -> None:
    record = run(linear.AdaGrad("absolute"), [([1.0], 1e200), ([1.0], -1e200)])
    assert record.errors is not None
    assert record.errors.explained is None
    figures = record.to_dict()["metrics"]
    assert (figures["rmse"], figures["r2"]) == (None, None)
    json.dumps(figures, allow_nan=False)
    record = run(Adaptive(), [(1e200, 1.0), (0.0, 2.0)])
    assert record.errors is not None
    assert record.errors.explained is None


def test_sums_of_earlier_versions_are_taken() -> None:
    counts = ErrorCounts()
    counts.restore([2.0, 1.0, 3.0, 5.0, 4.0, 10.0])  # of the outcomes 1 and 3
    for _ in "ab":
        found = counts.errors()
        assert found is not None
        assert found.explained == 1 - 5 / 2
        counts.restore(counts.save())
    counts.add(np.array([2.0]), np.array([2.0]))
    found = counts.errors()
    assert found is not None
    assert found.explained == 1 - 5 / 2


def test_one_by_one_and_in_tickets_gives_the_same() -> None:
    for loss, y in (("logistic", YES), (losses.huber(1.0), NUMBER)):
        whole = run(linear.CoinBetting(loss), (X, y))
        single = run(linear.CoinBetting(loss), list(zip(X, y.tolist(), strict=True)))
        recorder = Recorder(linear.CoinBetting(loss))
        for x, label in zip(X, y.tolist(), strict=True):
            recorder.told(recorder.predicted(x), label)
        for other in (single, recorder.record()):
            check_alike(other, whole)


def test_a_test_without_learning_is_measured_too() -> None:
    learner = linear.CoinBetting()
    learner.play(X[:2000], YES[:2000])
    record = run(learner, (X[2000:], YES[2000:]), learn=False)
    chances = learner.predict_proba(X[2000:])[:, 1]
    assert record.chances is not None
    expected = theirs.log_loss(YES[2000:], chances)
    assert record.chances.log_loss == pytest.approx(expected)
    assert record.updates == 0
    numbers = linear.AdaGrad("square")
    numbers.play(X[:2000], NUMBER[:2000])
    tested = run(numbers, (X[2000:], NUMBER[2000:]), learn=False)
    off = theirs.mean_absolute_error(NUMBER[2000:], numbers.predict(X[2000:]))
    assert tested.errors is not None
    assert tested.errors.mean_absolute == pytest.approx(off)
    assert numbers.updates_ <= 2000


def test_a_run_that_resumes_goes_on_counting() -> None:
    for loss, y in (("logistic", YES), ("square", NUMBER)):
        labels = y.tolist()
        whole = run(linear.CoinBetting(loss), list(zip(X, labels, strict=True)))
        learner, rest = linear.CoinBetting(loss), linear.CoinBetting(loss)
        first = Recorder(learner, saveable=True)
        for x, label in zip(X[:1000], labels[:1000], strict=True):
            first.told(first.predicted(x), label)
        rest.load_state(learner.save_state())
        second = Recorder(rest, saveable=True, resume=first.save())
        for x, label in zip(X[1000:], labels[1000:], strict=True):
            second.told(second.predicted(x), label)
        check_alike(second.record(), whole)


def test_the_command_line_shows_them(tmp_path: Path) -> None:
    numbers, labels = tmp_path / "n.csv", tmp_path / "l.csv"
    numbers.write_text("a,y\n" + "1,2\n2,4\n" * 9)
    labels.write_text("a,y\n" + "1,1\n-1,0\n" * 9)
    given = ("--label", "y", "-q")
    record = run(
        linear.AdaGrad("square"), streams.csv(numbers, label="y", outcome="number")
    )
    assert record.errors is not None
    words = ("-l", "ada-grad:loss=square", "-l", "vovk-azoury-warmuth")
    ranking = call("race", numbers, *words, *given).stdout
    assert "MAE" in ranking
    assert f"{record.errors.root_mean_square:.6g}" in ranking
    shown = call("run", numbers, "-l", "ada-grad", "--loss", "square", "--label", "y")
    assert f"errors    MAE {record.errors.mean_absolute:.6g}" in shown.stdout
    said = run(linear.AdaGrad(), streams.csv(labels, label="y")).chances
    assert said is not None
    words = ("-l", "ada-grad", "-l", "perceptron")
    ranking = call("race", labels, *words, *given).stdout
    assert "log loss" in ranking
    assert f"{said.brier:.6g}" in ranking


def test_metrics_that_there_cannot_be_are_refused() -> None:
    for name, made, needs in (
        ("log-loss", linear.Perceptron(), "gives probabilities"),
        ("brier", linear.AdaGrad("hinge"), "gives probabilities"),
        ("rmse", linear.AdaGrad(), "predicts numbers"),
        ("auc", linear.AdaGrad("square"), "scores yes and no"),
        ("f1", linear.AdaGrad("square"), "predicts labels"),
        ("coverage", linear.AdaGrad("square"), "gives intervals"),
        ("pinball:0.9", linear.AdaGrad(), "predicts numbers"),
    ):
        with pytest.raises(ParameterError, match=f"needs a learner that {needs}"):
            run(made, (X, YES), metrics=(name,))
    for name in ("gini", "pinball:1", "pinball:0"):
        with pytest.raises(ParameterError, match="metrics must be"):
            run(linear.AdaGrad(), (X, YES), metrics=(name,))


def test_the_pinball_loss_is_that_of_the_level() -> None:
    made = linear.AdaGrad(losses.pinball(0.8))
    said = made.clone().play(X, NUMBER)
    record = run(made, (X, NUMBER), metrics=iter(["pinball:0.25", "mae"]))
    assert record.errors is not None
    assert list(record.errors.pinballs) == ["pinball:0.8", "pinball:0.25"]
    for level in (0.8, 0.25):
        expected = theirs.mean_pinball_loss(NUMBER, said, alpha=level)
        assert record.errors.pinball(level) == pytest.approx(expected)
    assert record.loss == pytest.approx(3000 * record.errors.pinball(0.8))


def test_a_test_of_numbers_tells_them_all(tmp_path: Path) -> None:
    given, gaps = tmp_path / "given.jsonl", tmp_path / "gaps.jsonl"
    rows = [f'{{"a": {x[0]}, "y": {y}}}' for x, y in zip(X[:40], NUMBER, strict=False)]
    given.write_text("\n".join(rows))
    gaps.write_text("\n".join([*rows, '{"a": 1.0}']))
    model = tmp_path / "model.lst"
    words = ("-l", "vovk-azoury-warmuth", "--label", "y", "--save", model)
    assert call("run", given, *words).returncode == 0
    told = call("run", given, "-t", "-i", model, "--metrics", "pinball:0.9").stdout
    assert "loss  " in told
    assert "pinball:0.9" in told
    told = call("run", gaps, "-t", "-i", model).stdout
    assert "errors    MAE" in told
    assert "loss  " not in told
