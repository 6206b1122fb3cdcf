"""The calibrator mixes readings of scores, and its log loss obeys FS-XC."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from littlestone import Auto, theorems
from littlestone.errors import ParameterError
from littlestone.experts import Calibrator, FixedShare
from littlestone.experts.calibrator import SCALES


def world(rows: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(rows, 2)) * [1.0, 30.0]
    return scores, rng.random(rows) < 1 / (1 + np.exp(-2 * scores[:, 0]))


# What it says it does ----------------------------------------------------------------


def test_it_is_fixed_share_over_sources_and_scales() -> None:
    scores, y = world(50)
    squashed = scores / (1 + abs(scores))
    read = [1 / (1 + np.exp(-a * squashed)) for a in SCALES]
    read.append(1 / (1 + np.exp(-np.clip(scores, -16, 16))))
    by_hand = FixedShare(1.0, 0.001, "log", experts=12)
    expected = by_hand.play(np.concatenate(read, axis=1), y.astype(float))
    said = Calibrator(2).play(scores, y)
    np.testing.assert_allclose(said, expected, rtol=1e-12)


def test_rounds_may_be_played_in_blocks_or_one_by_one() -> None:
    scores, y = world(60)
    whole, single = Calibrator(2), Calibrator(2)
    said = whole.play(scores, y)
    each = [single.play(scores[t : t + 1], y[t : t + 1])[0] for t in range(60)]
    assert said.tolist() == each
    copy = Calibrator(2)
    copy.load_state(single.save_state())
    assert copy.predict(scores).tolist() == whole.predict(scores).tolist()


def test_a_model_that_read_no_log_odds_reads_none_later() -> None:
    scores, y = world(60)
    squashed = scores / (1 + abs(scores))
    read = [1 / (1 + np.exp(-a * squashed)) for a in SCALES]
    early = FixedShare(1.0, 0.001, "log", experts=10)
    expected = early.play(np.concatenate(read, axis=1), y.astype(float))
    early = FixedShare(1.0, 0.001, "log", experts=10)
    early.play(np.concatenate(read, axis=1)[:30], y[:30].astype(float))
    calibrator = Calibrator(2)
    calibrator.load_state(early.save_state())
    said = calibrator.play(scores[30:], y[30:])
    np.testing.assert_allclose(said, expected[30:], rtol=1e-12)


def test_log_odds_are_read_as_they_are() -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(size=4000) * 3
    y = rng.random(4000) < 1 / (1 + np.exp(-odds))
    calibrator = Calibrator(1)
    calibrator.play(odds[:, None], y)
    right = np.log1p(np.exp(np.where(y, -odds, odds))).sum()
    assert calibrator.loss_ < right + 15


def test_probabilities_of_auto_are_close_to_frequencies() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(4000, 3))
    chance = 1 / (1 + np.exp(-(X @ [1.5, -1.0, 0.5])))
    y = rng.random(4000) < chance
    learner = Auto()
    learner.play(X[:3000], y[:3000])
    said = learner.predict_proba(X[3000:])
    assert said.sum(axis=1) == pytest.approx(np.ones(1000))
    assert np.abs(said[:, 1] - chance[3000:]).mean() < 0.06
    one = learner.predict_proba_one(X[3000].tolist())
    assert one[True] == said[0, 1]


def test_auto_calibrates_alike_one_by_one_and_in_blocks() -> None:
    scores, y = world(600)
    blocks, single = Auto(), Auto()
    blocks.play(scores, y)
    for x, label in zip(scores.tolist(), y.tolist(), strict=True):
        single.learn_one(x, label)
    assert single.calibrator_.loss_ == blocks.calibrator_.loss_
    asked = blocks.predict_proba(scores).tolist()
    assert single.predict_proba(scores).tolist() == asked


# What the theorem says ---------------------------------------------------------------


def test_the_log_loss_obeys_the_bound() -> None:
    scores, y = world()
    calibrator = Calibrator(2)
    said = calibrator.play(scores, y)
    lost = -np.log(np.where(y, said, 1 - said)).sum()
    assert calibrator.loss_ == pytest.approx(lost)
    best = min(calibrator.rule_.losses_.values())
    bound = theorems.FS_XC.bound(
        experts=12, eta=1.0, share=0.001, rounds=300, switches=0
    )
    assert calibrator.loss_ <= best + bound
    assert calibrator.guarantees == (theorems.FS_XC,)


def test_no_round_costs_more_than_sixteen() -> None:
    calibrator = Calibrator(1)
    for label in (True, False):
        said = calibrator.play([[1e300]] * 50, [label] * 50)
        assert (-np.log(said if label else 1 - said)).max() <= 16.0
    assert math.isfinite(calibrator.loss_)


# What is refused ---------------------------------------------------------------------


@pytest.mark.parametrize("scores", [[[1.0]], [1.0, 2.0], [[1.0, math.nan]]])
def test_scores_that_do_not_fit(scores: Any) -> None:
    with pytest.raises(ParameterError, match="scores must be finite"):
        Calibrator(2).predict(scores)


def test_illegal_parameters() -> None:
    with pytest.raises(ParameterError, match="sources must be"):
        Calibrator(0)
    with pytest.raises(ParameterError, match="alpha"):
        Calibrator(1, alpha=1.5)


def test_scores_that_change_after_they_were_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scores = np.zeros((2, 1))
    check = np.isfinite

    def checked(numbers: Any) -> Any:
        found = check(numbers)
        scores[:] = math.inf  # as another thread may
        return found

    monkeypatch.setattr(np, "isfinite", checked)
    assert Calibrator(1).predict(scores).tolist() == [0.5, 0.5]
