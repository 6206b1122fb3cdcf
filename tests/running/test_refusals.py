"""A run can skip what its learner refuses: as if it were not in the stream."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command import call
from littlestone import Record, models, run, streams
from littlestone.errors import ExampleError, FeatureError, ParameterError
from littlestone.experts import ExponentialWeights
from littlestone.linear import BalancedWinnow, Perceptron, Winnow

# Winnow refuses a value above 1.
LINES = ["+1 1:1", "-1 2:9", "-1 1:0.5 3:1", "+1 3:7", "-1 4:2", "+1 2:1 4:1", "-1 1:1"]
FINE = [LINES[0], LINES[2], LINES[5], LINES[6]]


def files(tmp_path: Path, times: int = 1) -> tuple[Path, Path]:
    """Write a file, and one without the lines that Winnow refuses."""
    both = tmp_path / "all.svm", tmp_path / "fine.svm"
    for path, lines in zip(both, (LINES, FINE), strict=True):
        path.write_text("\n".join(lines * times) + "\n")
    return both


def same(record: Record, other: Record, refused: int) -> bool:
    """Return whether records differ in nothing but what was refused."""
    facts = record.to_dict()
    assert facts.pop("refused", 0) == refused
    return facts == other.to_dict()


@pytest.mark.parametrize("one_by_one", [False, True])
def test_what_is_refused_is_left_out(tmp_path: Path, one_by_one: bool) -> None:
    whole, fine = files(tmp_path, 30)
    stream: Any = streams.svmlight(whole)
    stream = list(stream) if one_by_one else stream
    made = Winnow(threshold=2), Winnow(threshold=2)
    record = run(made[0], stream, keep="updates", on_error="skip", passes=2)
    plain = run(made[1], streams.svmlight(fine), keep="updates", passes=2)
    assert same(record, plain, 180)
    assert dict(made[0].weights_) == dict(made[1].weights_)
    assert list(record.examples or ()) == list(plain.examples or ())
    where = "example 1" if one_by_one else f"{whole}:2"
    assert str(record.first_refusal).startswith(f"{where}: Winnow: feature 2 must lie")
    assert repr(record).endswith("180 examples refused)")
    with pytest.raises(FeatureError, match="got 9.0; 1 round played"):
        run(Winnow(threshold=2), stream)


def test_advice_that_is_refused_is_left_out() -> None:
    advice = np.array([[0.1, 0.2], [0.3, 9.0], [0.5, 0.4], [7.0, 0.4], [0.2, 0.9]])
    fine = [0, 2, 4]
    outcomes = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    learner = ExponentialWeights(loss="square", range=(0, 1))
    whole, left = (
        run(learner.clone(), streams.advice(*some), digest=True, on_error="skip")
        for some in ((advice, outcomes), (advice[fine], outcomes[fine]))
    )
    assert same(whole, left, 2)


@pytest.mark.parametrize("one_by_one", [False, True])
@pytest.mark.parametrize("cut", [2, 5, 9, 20, 28])
def test_a_run_resumes_behind_what_was_refused(
    tmp_path: Path, cut: int, one_by_one: bool
) -> None:
    whole, fine = files(tmp_path, 4)
    begun, saved = tmp_path / "begun.svm", tmp_path / "run.lst"
    begun.write_text("\n".join((LINES * 4)[:cut]) + "\n")

    def resumed(path: Path, resume: bool) -> Record:
        stream: Any = streams.svmlight(path)
        return models.run(
            Winnow(threshold=2),
            list(stream) if one_by_one else stream,
            saved,
            checkpoint_every=3,
            resume=resume,
            on_error="skip",
        )

    first = resumed(begun, False)
    assert first.rounds + first.refused == cut
    plain = run(Winnow(threshold=2), streams.svmlight(fine))
    assert same(resumed(whole, True), plain, 12)


def test_a_learner_that_refuses_everything_has_no_run() -> None:
    with pytest.raises(ExampleError, match="must be a finite number"):
        run(Perceptron(), [({"a": math.nan}, True)] * 3, on_error="skip")
    with pytest.raises(ParameterError, match="on_error must be"):
        run(Perceptron(), [], on_error="stop")  # type: ignore[arg-type]


def test_the_command_line_skips_counts_and_reports_it(tmp_path: Path) -> None:
    whole, _ = files(tmp_path)
    words = ("run", whole, "-l", "balanced-winnow:rate=0.1,scale=1", "-q")
    assert "at most" in call(*words).stderr
    skipping = (*words[:-1], "--on-error", "skip", "--no-progress")
    done = call(*skipping)
    assert done.returncode == 0
    first = f"{whole}:2: BalancedWinnow: feature 2 must be at most the scale in size"
    assert f"refused   3 examples, first {first}, got 9.0; --scale" in done.stdout
    facts = json.loads(call(*skipping, "--json").stdout)
    assert (facts["rounds"], facts["refused"], facts["skipped"]) == (4, 3, 0)
    learner = BalancedWinnow(rate=0.1, scale=1)
    stream = streams.svmlight(whole)
    assert run(learner, stream, on_error="skip").mistakes == facts["mistakes"]


def test_a_report_says_that_some_are_left_out(tmp_path: Path) -> None:
    whole, _ = files(tmp_path)
    words = (whole, "-l", "winnow:threshold=2", "-q", "--on-error", "skip")
    told = call("report", *words, "--json")
    assert "left out 3 examples that the learner refuses" in told.stderr
    facts = json.loads(told.stdout)
    assert facts["certificate"]["rounds"] == facts["rounds"]
    again = call("report", *words, "--passes", "2")
    assert "and the learner refused 6" in " ".join(again.stdout.split())
    assert call("certify", *words).returncode == 0
