"""Probabilities as they were before each round, for observers, metrics and files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import metrics as theirs

from command import call
from littlestone import Auto, linear, models, race, run, streams
from littlestone.adversaries import AlternatingAdversary
from littlestone.auto import MulticlassAuto
from littlestone.errors import ParameterError
from littlestone.experts import Restarting
from littlestone.learner.rows import as_rows
from littlestone.maps import Mapped, Standardized

RNG = np.random.default_rng(6)
X = RNG.normal(size=(90, 3))
YES = X @ [1.0, -2.0, 0.5] + RNG.logistic(size=90) > 0
CLASS = np.array(list("abc"), dtype=object)[
    np.clip(X[:, 0].round() + 1, 0, 2).astype(int)
]

MADE: list[tuple[Any, Any]] = [
    (linear.AdaGrad(), YES),
    (linear.CoinBetting(class_weight={True: 3.0}), YES),
    (linear.AIOLI(), YES),
    (Mapped(linear.AdaGrad(), Standardized()), YES),
    (Auto(), YES),
    (linear.MulticlassAdaGrad(), CLASS),
    (Mapped(linear.MulticlassAdaGrad(), Standardized()), CLASS),
    (MulticlassAuto(), CLASS),
    (Mapped(Auto(), Standardized()), YES),
    (Mapped(MulticlassAuto(), Standardized()), CLASS),
]
every = pytest.mark.parametrize(
    ("made", "y"), MADE, ids=[repr(made)[:30] for made, _ in MADE]
)


def inputs(y: Any) -> list[Any]:
    """Return the same stream in blocks and one example after another."""
    outcome: Any = "label" if y is YES else "class"
    examples = list(zip(X.tolist(), y.tolist(), strict=True))
    return [streams.arrays(X, y, outcome=outcome), examples]


def noting(said: list[Any]) -> Callable[[Any], None]:
    """Return an observer that collects the probabilities."""
    return lambda batch: said.extend(batch.chances.tolist())


@every
def test_batches_have_what_was_said_before_each_round(made: Any, y: Any) -> None:
    learner, expected = made.clone(), []
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        chances = learner.predict_proba_one(x)
        expected.append(chances[True] if y is YES else chances)
        learner.learn_one(x, label)
    for stream in inputs(y):
        said: list[Any] = []
        run(
            made.clone(),
            stream,
            chances=True,
            observe=noting(said),
        )
        assert said == expected
    assert run(made.clone(), inputs(y)[0]).chances == (
        None
        if hasattr(made, "calibrator_")
        else run(made.clone(), inputs(y)[0], chances=True).chances
    )


@every
def test_the_log_loss_is_that_of_these_probabilities(made: Any, y: Any) -> None:
    for stream in inputs(y):
        said: list[Any] = []
        record = run(
            made.clone(),
            stream,
            metrics=["log-loss"],
            chances=True,
            observe=noting(said),
        )
        right: list[Any] = [
            chances.get(label)
            if isinstance(chances, dict)
            else abs(chances + label - 1)
            for chances, label in zip(said, y.tolist(), strict=True)
        ]
        assert record.chances is not None
        if y is CLASS and not hasattr(made, "calibrator_"):
            # A new class is priced with a score of 0, beside probabilities that add up.
            assert record.chances.rounds == len(y)
            continue
        right = [chance for chance in right if chance is not None]
        assert record.chances.rounds == len(right)
        assert record.chances.log_loss == pytest.approx(-np.mean(np.log(right)))


@every
def test_what_was_learned_is_tested_alike_in_blocks_and_one_by_one(
    made: Any, y: Any
) -> None:
    learner = made.clone()
    learner.play(X[:60], y[:60])
    held_out: list[Any] = [
        streams.arrays(X[60:], y[60:], outcome="label" if y is YES else "class"),
        [*zip(X[60:].tolist(), y[60:].tolist(), strict=True), (X[0].tolist(), None)],
    ]
    blocks, single = (
        run(learner, stream, learn=False, metrics=["log-loss"]).chances
        for stream in held_out
    )
    assert blocks is not None
    assert blocks == single
    chances = learner.predict_proba(X[60:])
    classes = [False, True] if y is YES else sorted(learner.classes_)
    if y is CLASS:
        chances = chances[:, np.argsort(np.array(learner.classes_))]
    expected = theirs.log_loss(
        y[60:].astype(str), chances, labels=list(map(str, classes))
    )
    assert blocks.log_loss == pytest.approx(expected)


def test_a_race_measures_the_probabilities_of_committees_where_asked() -> None:
    ranking = race(
        {"auto": Auto(), "ada-grad": linear.AdaGrad()}, (X, YES), metrics=["brier"]
    )
    alone = run(Auto(), (X, YES), metrics=["brier"])
    assert alone.chances is not None
    assert ranking["auto"].chances == alone.chances
    assert "Brier" in str(ranking)


def test_the_area_of_a_committee_is_that_of_its_probabilities() -> None:
    said: list[Any] = []
    for stream in inputs(YES):
        said.clear()
        both = run(Auto(), stream, metrics=["auc"], chances=True, observe=noting(said))
        shown: list[Any] = []
        alone = run(
            Auto(),
            stream,
            metrics=["auc"],
            observe=lambda batch, shown=shown: shown.append(batch.chances),  # type: ignore[misc]  # bound here
        )
        assert set(shown) == {None}
        assert both.auc is not None
        assert both.auc == alone.auc
        assert both.auc.value == pytest.approx(theirs.roc_auc_score(YES, said))
        assert alone.chances is None
    learner = Auto()
    learner.play(X, YES)
    tested = run(learner, (X, YES), learn=False, metrics=["auc"]).auc
    assert tested is not None
    chances = learner.predict_proba(X)[:, 1]
    assert tested.value == pytest.approx(theirs.roc_auc_score(YES, chances))


def test_who_has_no_probabilities_is_refused() -> None:
    for made in (
        linear.Perceptron(),
        linear.AdaGrad("hinge"),
        linear.AdaGrad("square"),
    ):
        with pytest.raises(ParameterError, match="chances need a learner that gives"):
            run(made, (X, YES), chances=True)
    with pytest.raises(ParameterError, match="need a stream, got an adversary"):
        run(Auto(), AlternatingAdversary(3), metrics=["log-loss"])


def test_files_have_the_probabilities_that_predict_gives(tmp_path: Path) -> None:
    for y, name in ((YES, "ada-grad"), (CLASS, "multiclass-ada-grad"), (CLASS, "auto")):
        path, model, said = (tmp_path / end for end in ("f.csv", "m.lst", "said"))
        lines = [
            f"{a},{b},{int(c) if y is YES else c}"
            for (a, b, _), c in zip(X, y, strict=True)
        ]
        path.write_text("\n".join(["a,b,y", *lines]))
        words = (path, "--label", "y", "-l", name, "-q", "-p", said, "--probabilities")
        done = call("run", *words, "--save", model)
        assert done.returncode == 0, done.stderr
        learner: Any = models.load(model).clone()
        for (a, b, _), label, line in zip(
            X, y.tolist(), said.read_text().splitlines(), strict=True
        ):
            chances = learner.predict_proba_one({"a": a, "b": b})
            if y is YES:
                assert float(line) == chances[True]
            else:
                assert line == " ".join(f"{c}:{p}" for c, p in chances.items())
            learner.learn_one({"a": a, "b": b}, label)
        call("run", "-t", "-i", model, path, "-q", "-p", said, "--probabilities")
        told = call("predict", model, path, "--probabilities").stdout.splitlines()
        assert [
            line.partition("\t")[2] for line in told
        ] == said.read_text().splitlines()
        one = call("predict", model, path, "--probabilities", "--json").stdout
        shown = json.loads(one.splitlines()[0])
        if y is CLASS:
            assert list(shown["probabilities"]) == list(learner.classes_)
            assert math.isclose(sum(shown["probabilities"].values()), 1.0)


# Committees with a calibrator --------------------------------------------------------


def test_a_calibrator_is_heard_where_rounds_are_played() -> None:
    learner = Auto()
    record: Any = run(learner, streams.arrays(X, YES), metrics=["log-loss", "auc"])
    assert record.chances.rounds == len(X)
    lost = learner.calibrator_.loss_
    assert record.chances.log_loss == pytest.approx(lost / len(X), rel=1e-12)


def test_probabilities_are_of_the_round_also_where_a_member_is_dropped() -> None:
    matrix = np.eye(40) + np.eye(40, k=1) / 2  # a new feature in each round
    stream = streams.arrays(sparse.csr_matrix(matrix), [t % 3 == 0 for t in range(40)])
    members = {"p": linear.Perceptron(), "a": linear.AROW(diagonal=False)}
    found = []
    for each in (stream, list(stream)):
        seen: list[Any] = []
        learner = Auto(members, narrow=6)
        record = run(learner, each, chances=True, observe=seen.append)
        assert list(learner.dropped_) == ["a"]
        chances = [p for batch in seen for p in batch.chances.tolist()]
        found.append((chances, record.mistakes, record.chances))
    assert found[0] == found[1]
    assert len(set(found[0][0])) > 20


@every
def test_no_learner_is_asked_row_by_row_while_it_plays_an_array(
    made: Any, y: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ask(learner: Any, x: Any) -> Any:
        raise AssertionError(f"{learner!r} was asked of {x!r}")

    for kind in (type(made), type(getattr(made, "learner", made))):
        for name in ("score_one", "predict_proba_one", "play_one"):
            monkeypatch.setattr(kind, name, ask, raising=False)
    metrics = ["log-loss", "auc"] if y is YES else ["log-loss"]
    record: Any = run(made.clone(), inputs(y)[0], metrics=metrics, chances=True)
    assert record.chances.rounds > len(y) - 4


def test_copies_that_start_anew_note_their_scores_as_they_play() -> None:
    made = Restarting(linear.AROW(), shortest=7)
    seen: list[Any] = []
    record: Any = run(
        made.clone(), streams.arrays(X, YES), metrics=["auc"], observe=seen.append
    )
    learner, expected = made.clone(), []
    for x, label in zip(X.tolist(), YES.tolist(), strict=True):
        expected.append(learner.score_one(x))
        learner.learn_one(x, label)
    assert np.concatenate([batch.scores for batch in seen]).tolist() == expected
    assert record.auc.value == pytest.approx(theirs.roc_auc_score(YES, expected))


@pytest.mark.parametrize(
    "kind",
    [
        lambda: MulticlassAuto(narrow=3),  # full matrices are dropped
        lambda: Mapped(MulticlassAuto(narrow=3), Standardized()),
        linear.MulticlassAdaGrad,
        lambda: Mapped(linear.MulticlassAdaGrad(), Standardized()),
    ],
)
def test_classes_that_come_late_are_heard_as_they_are_asked_for(kind: Any) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 4))
    found = [int(rng.integers(0, 1 + t // 25)) for t in range(300)]
    classes = np.array([f"c{k}" for k in found], dtype=object)
    learner, expected = kind(), []
    for x, label in zip(X.tolist(), found, strict=True):
        expected.append(learner.predict_proba_one(x))
        learner.learn_one(x, f"c{label}")
    assert expected[0] == {}
    assert len(expected[-1]) == 12
    spoilt = np.insert(X, 150, math.nan, axis=0)
    told = np.insert(classes, 150, "c0")
    for stream in (
        streams.arrays(spoilt, told, outcome="class"),
        streams.arrays(sparse.csr_matrix(spoilt), told, outcome="class"),
        list(zip(spoilt.tolist(), told.tolist(), strict=True)),
    ):
        said: list[Any] = []
        record = run(
            kind(), stream, chances=True, observe=noting(said), on_error="skip"
        )
        assert record.rounds == 300
        assert said == expected


def test_an_example_that_is_refused_has_no_probability() -> None:
    spoilt = X.copy()
    spoilt[17, 1] = math.nan
    for stream in (streams.arrays(spoilt, YES), list(streams.arrays(spoilt, YES))):
        seen: list[Any] = []
        record: Any = run(
            Auto(), stream, chances=True, observe=seen.append, on_error="skip"
        )
        assert record.chances.rounds == record.rounds == len(X) - 1
        assert sum(len(batch.chances) for batch in seen) == len(X) - 1


# Tests without learning ---------------------------------------------------------------


def test_a_test_asks_for_each_row_of_an_array_once() -> None:
    X = np.random.default_rng(0).normal(size=(300_000, 2))
    asked = []

    class Counting(linear.AdaGrad):
        def decision_function(self, X: Any) -> Any:
            asked.append(len(X))
            return super().decision_function(X)

    learner = Counting()
    learner.partial_fit(X[:100], X[:100, 0] > 0)
    stream = streams.arrays(X, X[:, 1] > 0)
    seen: list[Any] = []
    run(learner, stream, learn=False, metrics=["auc"], observe=seen.append)
    assert len(seen) > 1  # blocks
    assert sum(asked) == 2 * len(X)  # for its answers and for its scores
    scores = np.concatenate([batch.scores for batch in seen])
    said = np.concatenate([batch.predictions for batch in seen])
    expected = linear.AdaGrad.decision_function(learner, X)
    assert scores.tolist() == expected.tolist()
    assert said.tolist() == (expected >= 0).tolist()


def test_a_test_asks_a_committee_for_each_row_of_an_array_once() -> None:
    X = np.random.default_rng(0).normal(size=(200_000, 2))
    learner = Mapped(linear.MulticlassAdaGrad(), Standardized())
    learner.partial_fit(X[:100], X[:100, 0] > 0)
    stream = streams.arrays(X, X[:, 1] > 0, outcome="class")
    seen: list[Any] = []
    run(learner, stream, learn=False, chances=True, observe=seen.append)
    found = [tuple(each.values()) for batch in seen for each in batch.chances]
    assert found == list(map(tuple, learner.predict_proba(X).tolist()))


def test_parts_of_rows_are_those_rows() -> None:
    dense = np.arange(12.0).reshape(4, 3)
    frame = pd.DataFrame(dense, columns=["a", "b", "c"])
    for made in (dense, sparse.csr_matrix(dense), frame):
        rows = as_rows(made)
        some = rows.part(1, 3).part(1, 2)
        assert len(some) == 1
        assert some.row(0) == rows.row(2)
        assert len(rows.part(4, 4)) == 0
        for first, last in ((3, 5), (2, 1)):
            with pytest.raises(ValueError, match="rows out of range"):
                rows.part(first, last)
