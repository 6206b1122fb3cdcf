"""Precision, recall and the like are those of scikit-learn, however rounds are cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from command import call
from littlestone import Recorder, race, report, run, streams
from littlestone.errors import ParameterError
from littlestone.experts import ExponentialWeights, FollowTheMajority
from littlestone.linear import MulticlassPerceptron, Perceptron
from littlestone.metrics import Confusion
from littlestone.metrics.auc import AucCounts
from littlestone.metrics.counting import ClassCounts, LabelCounts, counts_for
from littlestone.outcome import Outcome

scores = pytest.importorskip("sklearn.metrics")

RARE = ([([1.0, 0.5], True)] + [([-1.0, 0.5], False)] * 9) * 6


def rounds(kind: Outcome, share: float = 0.2, many: int = 900) -> tuple[Any, Any]:
    """Return labels and predictions, with a class that never comes and some silence."""
    rng = np.random.default_rng(5)
    if kind is Outcome.LABEL:
        labels = rng.random(many) < share
        return labels, labels ^ (rng.random(many) < 0.3)
    names = np.array(["ant", 3, "cat", "dog", None], dtype=object)
    labels = names[rng.choice(3, many, p=[0.7, 0.2, 0.1])]
    said = labels.copy()
    off = rng.random(many) < 0.4
    said[off] = names[rng.choice(5, off.sum())]
    return labels, said


def counted(kind: Outcome, labels: NDArray[Any], said: NDArray[Any]) -> Confusion:
    counts = counts_for(kind)
    assert counts is not None
    counts.add(labels, said, np.flatnonzero(labels != said))
    return counts.confusion()


# The figures ------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_two_classes_are_measured_as_scikit_learn_measures_them(share: float) -> None:
    labels, said = rounds(Outcome.LABEL, share)
    found = counted(Outcome.LABEL, labels, said)
    known = {"labels": [False, True]}
    assert found.counts == tuple(
        map(tuple, scores.confusion_matrix(labels, said, **known).tolist())
    )
    for name in ("precision", "recall", "f1"):
        measure = getattr(scores, f"{name}_score")
        assert getattr(found, name) == measure(labels, said, zero_division=0.0)
    assert found.rounds == len(labels)
    if 0 < share < 1:
        expected = 1 - scores.balanced_accuracy_score(labels, said)
        assert found.balanced_error == pytest.approx(expected, abs=1e-12)


def test_several_classes_are_measured_as_scikit_learn_measures_them() -> None:
    labels, said = rounds(Outcome.CLASS)
    found = counted(Outcome.CLASS, labels, said)
    assert set(found.classes) == {"ant", 3, "cat", "dog"}
    assert found.classes[-1] == "dog"  # it never came
    codes: dict[Any, int] = {label: n for n, label in enumerate(found.classes)}
    true = [codes[label] for label in labels]
    answers = [codes.get(label, -1) for label in said]
    known: dict[str, Any] = {"labels": [*codes.values()]}
    assert found.counts == tuple(
        map(tuple, scores.confusion_matrix(true, answers, **known).tolist())
    )
    for name in ("precision", "recall", "f1"):
        measure = getattr(scores, f"{name}_score")
        apart = measure(true, answers, **known, average=None, zero_division=0.0)
        mine = [getattr(each, name) for each in found.by_class]
        assert mine == pytest.approx(apart.tolist(), abs=1e-12)
        assert getattr(found, name) == pytest.approx(apart.mean(), abs=1e-12)
    recalls = [each.recall for each in found.by_class if each.rounds]
    assert found.balanced_error == pytest.approx(1 - np.mean(recalls), abs=1e-12)


def test_of_many_classes_only_the_matrix_is_missing() -> None:
    labels = np.array([f"c{n % 150}" for n in range(600)], dtype=object)
    said = np.roll(labels, 1)
    said[::2] = labels[::2]
    found = counted(Outcome.CLASS, labels, said)
    assert found.counts is None
    assert found.to_dict()["confusion"] is None
    assert [each.rounds for each in found.by_class] == [4] * 150
    assert sum(each.hits for each in found.by_class) == 300
    few = counted(Outcome.CLASS, labels[:100], said[:100])
    assert few.counts is not None
    assert few.by_class[0].rounds == 1


# The baseline -----------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 1.0])
def test_the_baseline_is_to_follow_the_majority(share: float) -> None:
    rng = np.random.default_rng(9)
    for many in (1, 7, 8, 9, 250, 3_000):
        labels = rng.random(many) < share
        record = run(FollowTheMajority(), [({}, bool(y)) for y in labels])
        found = record.confusion
        assert found is not None
        assert found.baseline == record.mistakes
        assert found.hindsight == min(labels.sum(), many - labels.sum())
        assert found.commoner is bool(2 * labels.sum() >= many)


def test_the_baseline_of_classes_keeps_the_commonest_until_another_is_commoner() -> (
    None
):
    rng = np.random.default_rng(2)
    for classes in (1, 2, 3, 8):
        labels = np.array([f"c{n}" for n in rng.integers(0, classes, 2_000)], object)
        found = counted(Outcome.CLASS, labels, labels)
        so_far: dict[str, int] = {}
        leader, mistakes = None, 0
        for label in labels:
            mistakes += label != leader
            so_far[label] = so_far.get(label, 0) + 1
            if leader is None or so_far[label] > so_far[leader]:
                leader = label
        assert found.baseline == mistakes
        assert found.hindsight == 2_000 - max(so_far.values())


# However rounds are cut ---------------------------------------------------------------


@pytest.mark.parametrize("kind", [Outcome.LABEL, Outcome.CLASS])
def test_batches_single_rounds_and_saved_counts_agree(kind: Outcome) -> None:
    labels, said = rounds(kind)
    whole = counted(kind, labels, said)
    parts, single = counts_for(kind), counts_for(kind)
    assert parts is not None
    assert single is not None
    at, rng = 0, np.random.default_rng(1)
    while at < len(labels):
        cut = slice(at, at + int(rng.integers(1, 300)))
        parts.add(labels[cut], said[cut], np.flatnonzero(labels[cut] != said[cut]))
        kept, parts = parts.save(), counts_for(kind)
        assert parts is not None
        parts.restore(kept)
        at = cut.stop
    for pair in zip(labels.tolist(), said.tolist(), strict=True):
        single.add_one(*pair)
    assert parts.confusion() == single.confusion() == whole


def test_more_labels_than_wait_at_once() -> None:
    labels = np.tile([True, False, False, True, False], 40_000)
    found = counted(Outcome.LABEL, labels, labels)
    alone = LabelCounts()
    for part in np.split(labels, 50):
        alone.add(part, part, np.arange(0))
    assert alone.confusion() == found
    # Never two more yes than no: a yes is missed, and a no at each tie.
    assert found.baseline >= found.hindsight == 80_000


def test_how_often_labels_change_is_counted() -> None:
    labels = np.repeat([True, False, True], [40, 30, 50])
    for kind in (Outcome.LABEL, Outcome.CLASS):
        found = counted(kind, labels, labels)
        assert found.changes == 2
        assert found.usual_changes == pytest.approx(2 * 90 * 30 / 120)
        assert found.seems_sorted
        assert not counted(kind, labels[:99], labels[:99]).seems_sorted  # too few
        counts = counts_for(kind)
        assert counts is not None
        counts.add(labels, labels, np.arange(0))
        older = counts.save()
        del older["changes"]
        counts.restore(older)
        assert counts.confusion().changes is None
        assert not counts.confusion().seems_sorted


@pytest.mark.parametrize(
    ("made", "damage"),
    [
        (LabelCounts, {"rounds": [1]}),
        (LabelCounts, {"missed": [5, 0]}),
        (LabelCounts, {"ties": -1}),
        (LabelCounts, {"changes": [-1, 0]}),
        (ClassCounts, {"rounds": np.zeros(7, dtype=np.int64)}),
        (ClassCounts, {"matrix": np.zeros((2, 7), dtype=np.int64)}),
        (ClassCounts, {"leader": 9}),
        (ClassCounts, {"baseline": 0.5}),
    ],
)
def test_damaged_counts_are_refused(made: Any, damage: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        made().restore(made().save() | damage)


def test_a_recorder_counts_as_a_run_does() -> None:
    for learner, stream in (
        (Perceptron(), RARE),
        (MulticlassPerceptron(), [(x, "ant" if y else "bee") for x, y in RARE]),
    ):
        recorder = Recorder(learner.clone())
        for x, y in stream:
            recorder.told(recorder.predicted(x), y)
        alone = run(learner, stream).confusion
        assert recorder.record().confusion == alone
        assert alone is not None


def test_rounds_without_a_label_are_not_counted() -> None:
    learner = Perceptron()
    run(learner, RARE)
    half = [(x, None if n % 2 else y) for n, (x, y) in enumerate(RARE)]
    found = run(learner, half, learn=False)
    assert found.confusion == run(learner, RARE[::2], learn=False).confusion
    assert found.unlabelled == 30


def test_numbers_have_errors_in_their_place() -> None:
    record = run(ExponentialWeights(), [([0.1, 0.4], 0.2)] * 3)
    assert record.confusion is None
    assert set(record.to_dict()["metrics"]) == {"mae", "rmse", "mean_error", "r2"}


# Where it is shown --------------------------------------------------------------------


def test_the_command_shows_them(tmp_path: Path) -> None:
    file = tmp_path / "rare.svm"
    file.write_text(("1 1:1 2:0.5\n" + "0 1:-1 2:0.5\n" * 9) * 6)
    done = call("run", file, "-q", "--json")
    found = run(Perceptron(), streams.svmlight(file)).confusion
    assert found is not None
    assert json.loads(done.stdout)["metrics"] == found.to_dict()
    assert found.to_dict()["baseline"] == {
        "answer": False,
        "mistakes": found.baseline,
        "hindsight": 6,
    }
    shown = call("run", file, "--no-progress").stdout
    assert "baseline  7 (11.6667%) by the commoner answer so far; 6 (10.0000%)" in shown
    assert "by no in hindsight\nmetrics   precision " in shown
    assert "confusion label  said no  said yes\n          no  " in shown
    ranked = call("race", file, "-q", "-l", "perceptron").stdout
    assert ranked.splitlines()[0].split()[3:5] == ["F1", "balanced"]
    assert "\nbaseline: 7 (11.6667%)" in ranked


def test_classes_are_shown_one_by_one() -> None:
    stream = [([1.0, 0.0], "ant"), ([0.0, 1.0], "bee"), ([1.0, 1.0], "ant")] * 4
    record = run(MulticlassPerceptron(), stream)
    made = report(record)
    titles = [table.title for table in made.story.tables]
    assert titles[:2] == ["By class", "The answers to each label"]
    assert "precision " in made.text
    assert "means of 2 classes" in record._repr_html_()
    ranking = race([MulticlassPerceptron()], stream)
    assert "by ant in hindsight" in str(ranking) + ranking._repr_html_()


# The area under the curve -------------------------------------------------------------


def scored(many: int, ties: bool) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    rng = np.random.default_rng(4)
    labels = rng.random(many) < 0.1
    found = rng.normal(size=many) + labels
    return labels, np.round(found) if ties else found


@pytest.mark.parametrize("ties", [False, True])
def test_the_area_of_kept_scores_is_exact(ties: bool) -> None:
    labels, found = scored(3_000, ties)
    counts = AucCounts()
    for cut in np.array_split(np.arange(3_000), 7):
        counts.add(labels[cut], found[cut])
    area = counts.auc()
    assert area is not None
    assert area.error == 0
    expected = scores.roc_auc_score(labels, found)
    assert area.value == pytest.approx(expected, abs=1e-12)


def test_the_area_of_many_scores_is_off_by_no_more_than_it_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(AucCounts, "MOST", 1_000)
    monkeypatch.setattr(AucCounts, "BINS", 64)
    for ties in (False, True):
        labels, found = scored(20_000, ties)
        counts = AucCounts()
        for cut in np.array_split(np.arange(20_000), 9):
            counts.add(labels[cut], found[cut])
        area = counts.auc()
        assert area is not None
        assert 0 < area.error < (0.2 if ties else 0.01)
        assert abs(area.value - scores.roc_auc_score(labels, found)) <= area.error


def test_there_is_no_area_without_both_labels() -> None:
    for labels in ([], [True, True]):
        counts = AucCounts()
        counts.add(np.array(labels, dtype=bool), np.arange(float(len(labels))))
        assert counts.auc() is None
    assert AucCounts().auc() is None


def test_the_area_of_a_run_is_that_of_the_scores_before_each_label() -> None:
    rng = np.random.default_rng(8)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + rng.normal(size=300) > 1
    learner = Perceptron(bias=1)
    found = []
    for x, label in zip(X, y, strict=True):
        found.append(learner.score_one(x))
        learner.learn_one(x, label)
    expected = scores.roc_auc_score(y, found)
    plain = run(Perceptron(bias=1), streams.arrays(X, y))
    pairs = list(zip(X, y.tolist(), strict=True))
    for stream in (streams.arrays(X, y), pairs):
        record = run(Perceptron(bias=1), stream, metrics=["auc"])
        assert record.auc is not None
        assert record.auc.value == pytest.approx(expected, abs=1e-12)
        assert record.confusion == plain.confusion
        assert record.mistakes == plain.mistakes
    tested = run(learner, streams.arrays(X, y), learn=False, metrics=["auc"])
    assert tested.auc is not None
    expected = scores.roc_auc_score(y, learner.decision_function(X))
    assert tested.auc.value == pytest.approx(expected, abs=1e-12)
    assert "AUC" in tested._repr_html_()


def test_rows_that_are_refused_have_no_score() -> None:
    X = np.array([[1.0], [np.nan], [-1.0], [2.0]])
    stream = streams.arrays(X, [1, 1, 0, 1])
    for learn in (True, False):
        record = run(
            Perceptron(), stream, on_error="skip", metrics=["auc"], learn=learn
        )
        assert record.refused == 1
        assert record.auc is not None
        kept = streams.arrays(X[[0, 2, 3]], [1, 0, 1])
        assert record.auc == run(Perceptron(), kept, metrics=["auc"], learn=learn).auc


@pytest.mark.parametrize(
    ("learner", "metrics", "said"),
    [
        (Perceptron(), ["roc"], "metrics must be"),
        (FollowTheMajority(), ["auc"], "auc needs a learner that scores"),
        (MulticlassPerceptron(), ["auc"], "auc needs a learner that scores"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    learner: Any, metrics: list[str], said: str
) -> None:
    with pytest.raises(ParameterError, match=said):
        run(learner, RARE, metrics=metrics)


def test_the_commands_measure_the_area_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "rare.svm"
    file.write_text(("1 1:1 2:0.5\n" + "0 1:-1 2:0.5\n" * 9) * 6)
    expected = run(Perceptron(), streams.svmlight(file), metrics=["auc"]).auc
    assert expected is not None
    words = ("--metrics", "auc", "-l", "perceptron")
    facts = json.loads(call("run", file, "-q", "--json", *words).stdout)
    assert facts["metrics"]["auc"] == {"value": expected.value, "error": 0.0}
    shown = call("run", file, "--no-progress", *words).stdout
    assert f"AUC {expected.value:.2%}" in shown
    ranked = call("race", file, "-q", "--metrics", "auc", "-l", "perceptron").stdout
    assert "AUC" in ranked.splitlines()[0]
    done = call("run", file, "-q", "--metrics", "auc", "-l", "disjunction")
    assert done.returncode == 2
