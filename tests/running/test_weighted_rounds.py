"""Rounds that count more or less than once, in every way of playing them."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import certify, linear, models, race, run, streams, verify
from littlestone.errors import ExampleError, LabelError, LineError, ParameterError
from littlestone.learner import Learner
from littlestone.maps import Mapped, Standardized
from littlestone.outcome import Outcome
from littlestone.streams import Weighted
from littlestone.verifying import Digest
from littlestone.verifying.twins import TWINS
from littlestone.weighted import unweighted
from tries import tried

if TYPE_CHECKING:
    from pathlib import Path

    from littlestone import Record

LEARNERS: list[Any] = [
    linear.GradientDescent(rate=0.1),
    linear.GradientDescent("hinge", rate=0.1, class_weight={True: 3.0}),
    linear.AdaGrad(),
    linear.CoinBetting(),
    linear.FTRL(),
    linear.ExponentiatedGradient(rate=0.1),
    linear.AIOLI(),
    linear.AdaGrad("absolute"),
    linear.MulticlassAdaGrad(),
    linear.MulticlassAdaGrad(class_weight={"1": 0.5}),
    Mapped(linear.AdaGrad(), Standardized()),
]
every = pytest.mark.parametrize("learner", LEARNERS, ids=repr)
OTHERS: list[Any] = [
    linear.Perceptron(),
    linear.AROW(),
    linear.VovkAzouryWarmuth(),
    linear.MulticlassPerceptron(),
]
other = pytest.mark.parametrize("learner", OTHERS, ids=repr)
weights_of_rounds = st.lists(
    st.floats(1e-3, 1e3) | st.sampled_from([1.0, 1, 2, 0.5]), min_size=1, max_size=12
)


def world(rounds: int = 120) -> tuple[Any, Any, Any]:
    """Return rows, labels of 1 and -1, and weights, some of them 1."""
    rng = np.random.default_rng(26)
    X = rng.normal(size=(rounds, 3))
    y = np.where(X @ [1.0, -1.0, 0.5] + rng.normal(size=rounds) > 0, 1, -1)
    return X, y, rng.choice([1.0, 0.25, 3.0, 2.7, 1e-3], size=rounds)


def write(folder: Path, X: Any, y: Any, weights: Any) -> Path:
    path = folder / "weighted.vw"
    with path.open("w") as file:
        for row, label, weight in zip(
            X.tolist(), y.tolist(), weights.tolist(), strict=True
        ):
            cells = " ".join(f"f{at}:{value!r}" for at, value in enumerate(row))
            file.write(f"{label} {weight!r} | {cells}\n")
    return path


def read(path: Path, learner: Learner, weights: Any = "multiply") -> Any:
    return streams.vw(path, outcome=learner.outcome, weights=weights)


def figures(record: Record) -> tuple[Any, ...]:
    kept: Any = record.examples
    return (
        *(record.mistakes, record.updates, record.loss, record.digest),
        *(record.chances, record.errors, record.curve),
        *(kept.weights.tolist(), kept.labels.tolist(), list(kept)),
    )


# The same, however it is played ------------------------------------------------------


@every
def test_a_file_plays_as_examples_one_by_one(learner: Any, tmp_path: Path) -> None:
    path = write(tmp_path, *world())
    native, plain = learner.clone(), learner.clone()
    found = run(native, read(path, learner), keep="updates")
    one_by_one = run(plain, list(read(path, learner)), keep="updates")
    assert figures(found) == figures(one_by_one)
    x = {"f0": 1.0, "f1": -2.0, "f2": 0.5}
    assert native.score_one(x) == plain.score_one(x)
    assert native.loss_ == plain.loss_ == found.loss


@every
def test_a_file_plays_as_arrays_with_sample_weights(
    learner: Any, tmp_path: Path
) -> None:
    X, y, weights = world()
    path = write(tmp_path, X, y, weights)
    read_labels = [label for _, label in read(path, learner, "ignore")]
    frame = pd.DataFrame(X, columns=["f0", "f1", "f2"])
    filed, told, streamed = (learner.clone() for _ in range(3))
    run(filed, read(path, learner))
    told.play(frame, read_labels, weights)
    stream = streams.arrays(
        frame, read_labels, outcome=learner.outcome, weights=weights
    )
    run(streamed, stream)
    x = {"f0": 1.0, "f1": -2.0, "f2": 0.5}
    assert filed.score_one(x) == told.score_one(x) == streamed.score_one(x)
    assert filed.loss_ == told.loss_ == streamed.loss_


@tried(1.0)
@given(weights_of_rounds, st.integers(0, 5))
def test_blocks_play_any_weights_as_examples_do(
    weights: list[float], which: int
) -> None:
    X, y, _ = world(len(weights))
    stream = streams.arrays(X, y, weights=weights)
    blocks, single = LEARNERS[which].clone(), LEARNERS[which].clone()
    found = run(blocks, stream, digest=True)
    assert run(single, list(stream), digest=True).digest == found.digest
    assert dict(blocks.weights_) == dict(single.weights_)
    assert found.loss == single.loss_


@tried(1.0)
@given(weights_of_rounds, st.integers(0, 6))
def test_the_twin_weighs_as_the_learner_does(weights: list[float], which: int) -> None:
    X, y, _ = world(len(weights))
    learner = LEARNERS[which].clone()
    parameters = learner.get_params()
    classes = parameters.pop("class_weight", None)
    parameters |= {} if classes is None else {"class_weight": tuple(classes.items())}
    twin = TWINS[type(learner).__name__](**parameters)
    for x, label, weight in zip(X.tolist(), (y > 0).tolist(), weights, strict=True):
        scored = learner.score_one(x)
        learner.learn_one(x, label, weight)
        twin.play(dict(enumerate(x)), label, float(weight))
        assert (twin.scored, twin.paid) == (scored, learner.last_loss_)
    assert (twin.own, twin.updates) == (learner.loss_, learner.updates_)


def test_a_weight_multiplies_the_loss() -> None:
    learner = linear.GradientDescent("square", rate=0.25, bias=0)
    record = run(learner, [({"a": 1.0}, Weighted(2.0, 0.5)), ({"a": 1.0}, 2.0)])
    # The loss of 4 and its slope of -4 count half: the weight becomes 0.25 * 2.
    assert [record.loss, learner.last_loss_] == [2.0 + 1.5**2, 1.5**2]


def test_weights_are_kept_by_what_changes_a_stream(tmp_path: Path) -> None:
    X, y, weights = world(40)
    path = write(tmp_path, X, y, weights)
    stream = streams.vw(path, weights="multiply")
    plain = streams.vw(path, weights="ignore")
    order = streams.shuffled(stream, seed=3)
    shuffled = list(streams.shuffled(plain, seed=3))
    found = sorted(unlike(told) for _, told in order)
    assert found == sorted(unlike(told) for _, told in stream)
    assert [x for x, _ in order] == [x for x, _ in shuffled]
    twice = [*stream, *plain]
    joined = streams.joined([stream, plain])
    assert list(joined) == twice
    assert list(streams.without(stream, [0])) == list(stream)[1:]
    hashed = run(linear.AdaGrad(), streams.vw(path, weights="multiply", hash_bits=20))
    assert hashed.loss == run(linear.AdaGrad(), streams.hashed(stream, bits=20)).loss


def unlike(told: Any) -> tuple[float, bool]:
    label, weight = unweighted(told)
    return weight, label


def tables(folder: Path, X: Any, y: Any, weights: Any) -> tuple[Any, Any]:
    """Return the same examples from CSV and from JSON Lines."""
    names = ["w", "f0", "f1", "f2", "label"]
    rows = [
        [weight, *row, label]
        for row, label, weight in zip(
            X.tolist(), y.tolist(), weights.tolist(), strict=True
        )
    ]
    csv, jsonl = folder / "weighted.csv", folder / "weighted.jsonl"
    lines = [",".join(names), *(",".join(map(repr, row)) for row in rows)]
    csv.write_text("\n".join(lines))
    objects = (json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    jsonl.write_text("\n".join(objects))
    return (
        streams.csv(csv, label="label", weight="w"),
        streams.jsonl(jsonl, weight="w"),
    )


def test_csv_and_json_lines_have_weights_in_columns(tmp_path: Path) -> None:
    X, y, weights = world()
    csv, jsonl = tables(tmp_path, X, y, weights)
    found = [run(linear.AdaGrad(), each, keep="updates") for each in (csv, jsonl)]
    assert figures(found[0]) == figures(found[1])
    told = [unlike(told)[0] for _, told in csv]
    assert told == weights.tolist()
    assert set(next(iter(csv))[0]) == {"f0", "f1", "f2"}
    native, plain = linear.AdaGrad(), linear.AdaGrad()
    run(native, jsonl)
    run(plain, list(csv))
    assert dict(native.weights_) == dict(plain.weights_)
    certificate = certify(linear.AdaGrad(), csv)
    assert verify(certificate, jsonl)
    assert not verify(certificate, streams.jsonl(tmp_path / "weighted.jsonl"))


def test_tables_have_weights_in_a_column(tmp_path: Path) -> None:
    X, y, weights = world()
    csv, _ = tables(tmp_path, X, y, weights)
    frame = pd.DataFrame({"f0": X[:, 0], "w": weights, "f1": X[:, 1], "f2": X[:, 2]})
    frame["label"] = y
    parquet = tmp_path / "weighted.parquet"
    frame.to_parquet(parquet)
    expected = figures(run(linear.AdaGrad(), csv, keep="updates"))
    for stream in (
        streams.table(frame, label="label", weight="w"),
        streams.table(frame.drop(columns="label"), y, weight="w"),
        streams.arrow(parquet, label="label", weight="w"),
    ):
        assert figures(run(linear.AdaGrad(), stream, keep="updates")) == expected
    frame.loc[[3, 5], "w"] = 0.0
    fewer = streams.table(frame, label="label", weight="w")
    told = [unlike(told)[0] for _, told in fewer]
    assert told == [weight for weight in frame["w"] if weight]
    assert fewer.left_out == 2
    bare = frame.drop(columns=["label", "w"])
    kept = streams.table(bare, label="label", weight="w", unlabelled="keep")
    assert {told for _, told in kept} == {None}


@pytest.mark.parametrize("weight", [-1.0, math.nan, math.inf, None])
def test_a_weight_in_a_frame_must_be_a_number(weight: Any) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "w": [2.0, weight], "y": [1, 0]})
    stream = streams.table(frame, label="y", weight="w")
    with pytest.raises(LineError, match="row 1: weight 'w' must be a finite number, 0"):
        list(stream)
    for options, must in (
        ({"weight": "v"}, "there must be one column 'v'"),
        ({"weight": "y"}, "weight must be a column beside the label"),
        ({"weight": "w", "columns": ["a", "w"]}, "beside the label and the features"),
        ({"weight": 1}, "weight must be the name of a column"),
    ):
        given: Any = options
        with pytest.raises(ParameterError, match=must):
            list(streams.table(frame, label="y", **given))
    frame["w"] = ["a", "b"]
    with pytest.raises(ParameterError, match="weight 'w' must be a column of numbers"):
        list(streams.table(frame, label="y", weight="w"))


def test_a_line_of_weight_0_is_no_example(tmp_path: Path) -> None:
    path = tmp_path / "few.csv"
    path.write_text('a,w,y\n1,0,1\n2,1.0,0\n3,"2.5",1\n')
    stream = streams.csv(path, label="y", weight="w")
    expected = [({"a": 2.0}, False), ({"a": 3.0}, Weighted(True, 2.5))]
    assert list(stream) == expected
    assert (stream.left_out, stream.skipped) == (1, 0)
    lines = tmp_path / "few.jsonl"
    lines.write_text(
        '{"a": 1, "w": 0, "label": 1}\n{"a": 2, "w": null, "label": 0}\n'
        '{"w": 2.5, "label": 1, "features": {"a": 3}}\n'
    )
    jsonl = streams.jsonl(lines, weight="w")
    assert list(jsonl) == expected
    assert jsonl.left_out == 1


def test_what_is_only_predicted_needs_no_weight(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("a,b\n1,2\n")
    kept = streams.csv(path, label="y", weight="w", unlabelled="keep")
    assert list(kept) == [({"a": 1.0, "b": 2.0}, None)]
    path.write_text("a,w\n1,2\n")
    assert list(kept) == [({"a": 1.0}, Weighted(None, 2.0))]
    assert run(linear.AdaGrad(), kept, learn=False).rounds == 1
    assert kept.reading is not None
    assert kept.reading.features({"a": 3.0}) == {"a": 3.0}


# The digest -------------------------------------------------------------------------


def test_the_digest_has_the_weight_before_the_label() -> None:
    encoded = Digest().encode({"a": 1.0}, Weighted(True, 2.5))
    plain = Digest().encode({"a": 1.0}, True)
    assert encoded == plain[:-2] + b"w" + b"\0\0\0\0\0\0\x04\x40" + plain[-2:]


def test_a_weight_of_1_leaves_the_digest_as_it_was() -> None:
    X, y, _ = world(30)
    ones = streams.arrays(X, y, weights=np.ones(30))
    found = [
        run(linear.AdaGrad(), stream, digest=True).digest
        for stream in (ones, streams.arrays(X, y), list(ones))
    ]
    assert len(set(found)) == 1
    assert Digest().encode({}, Weighted(True, 1)) == Digest().encode({}, True)


@every
def test_any_other_weight_changes_the_digest(learner: Any, tmp_path: Path) -> None:
    X, y, weights = world(20)
    first = run(learner.clone(), read(write(tmp_path, X, y, weights), learner))
    assert first.rounds == 20
    found = set()
    for weight in (2.0, np.nextafter(2.0, 3.0), 1.0):
        weights[7] = weight
        stream = read(write(tmp_path, X, y, weights), learner)
        record = run(learner.clone(), stream, digest=True)
        found.add(record.digest)
        assert run(learner.clone(), list(stream), digest=True).digest == record.digest
    assert len(found) == 3


# Certificates -------------------------------------------------------------------------


@every
def test_a_run_is_certified_and_judged_by_its_weights(
    learner: Any, tmp_path: Path
) -> None:
    X, y, weights = world()
    path = write(tmp_path, X, y, weights)
    stream = read(path, learner)
    certificate = certify(learner.clone(), stream)
    record = run(learner.clone(), stream)
    assert certificate.holds
    assert math.isclose(float(certificate.loss or 0), record.loss or 0)
    assert verify(certificate, list(stream))
    weights[3] *= 2
    changed = read(write(tmp_path, X, y, weights), learner)
    assert "digest" in str(verify(certificate, changed).wrong)


def test_the_judge_adds_up_weighted_losses() -> None:
    stream = [({"a": 1.0}, Weighted(2.0, 0.5)), ({"a": 1.0}, 2.0)]
    learner = linear.GradientDescent("square", rate=0.25, bias=0)
    certificate = certify(learner, stream, witness={"a": 2.0})
    # The witness loses nothing, so that the regret is what the learner loses.
    assert certificate.counted == pytest.approx(2.0 + 1.5**2)
    # Slopes of -4 and -3, the first by half: 4 / 0.5 + 0.125 * (4 + 9).
    assert certificate.bound == pytest.approx(8 + 0.125 * 13)
    assert verify(certificate, stream)
    plain = [(x, getattr(y, "label", y)) for x, y in stream]
    assert not verify(certificate, plain)


def test_a_judge_refuses_weights_where_no_theorem_has_them() -> None:
    stream = [({"a": 1.0}, False), ({"a": 1.0}, True)] * 3
    certificate = certify(linear.Perceptron(), stream)
    weighed = [(x, Weighted(y, 2.0)) for x, y in stream]
    wrong = str(verify(certificate, weighed).wrong)
    assert "a weight must be 1 for this learner, got 2.0" in wrong


# Runs ---------------------------------------------------------------------------------


def test_figures_count_rounds_by_their_weights() -> None:
    X, y, _ = world(60)
    times = np.arange(60) % 3 + 1
    taught = linear.AdaGrad()
    run(taught, streams.arrays(X[::-1], y[::-1]))
    once: Any = run(taught, streams.arrays(X, y, weights=times), learn=False).chances
    repeated = streams.arrays(np.repeat(X, times, axis=0), np.repeat(y, times))
    often: Any = run(taught, repeated, learn=False).chances
    assert once.rounds == often.rounds == times.sum()
    assert once.log_loss == pytest.approx(often.log_loss)
    assert once.brier == pytest.approx(often.brier)
    assert once.calibration_error == pytest.approx(often.calibration_error)
    for a, b in zip(once.bins, often.bins, strict=True):
        assert a == pytest.approx(b)


def test_errors_of_numbers_count_by_weights_too() -> None:
    X, y, weights = world(60)
    stream = streams.arrays(X, y * 2.5, outcome="number", weights=weights)
    learner = linear.AdaGrad("square")
    record = run(learner, stream)
    said = linear.AdaGrad("square").play(X, y * 2.5, weights)
    off = said - y * 2.5
    errors: Any = record.errors
    assert errors.mean_absolute == pytest.approx(np.average(abs(off), weights=weights))
    mean_square = np.average(off**2, weights=weights)
    assert errors.root_mean_square == pytest.approx(math.sqrt(mean_square))
    assert record.loss == pytest.approx(float(weights @ off**2))
    tested = run(learner, stream, learn=False)
    scores = learner.decision_function(X)
    assert tested.loss == pytest.approx(float(weights @ (scores - y * 2.5) ** 2))


def test_log_losses_are_not_of_the_weights_of_classes() -> None:
    X, y, weights = world(60)
    learner = linear.AdaGrad(class_weight={True: 5.0})
    stream = streams.arrays(X, y, weights=weights)
    record: Any = run(learner, stream)
    losses = []
    again = linear.AdaGrad(class_weight={True: 5.0})
    for x, told in stream:
        label, weight = unweighted(told)
        losses.append(-math.log(again.predict_proba_one(x)[label]))
        again.learn_one(x, label, weight)
    mean = np.average(losses, weights=weights)
    assert record.chances.log_loss == pytest.approx(mean)


def test_a_run_is_resumed_with_its_weights(tmp_path: Path) -> None:
    path = write(tmp_path, *world())
    stream = streams.vw(path, weights="multiply")
    whole = run(linear.AdaGrad(), stream, keep="updates")

    def stop(batch: Any) -> None:
        if batch.first >= 60:
            raise KeyboardInterrupt

    saved = tmp_path / "run.safetensors"
    options: Any = {"checkpoint_every": 30, "keep": "updates"}
    with pytest.raises(KeyboardInterrupt):
        models.run(linear.AdaGrad(), stream, saved, observe=stop, **options)
    resumed = models.run(linear.AdaGrad(), stream, saved, resume=True, **options)
    assert figures(resumed) == figures(whole)


def test_all_in_a_race_take_the_weights(tmp_path: Path) -> None:
    path = write(tmp_path, *world())
    stream = streams.vw(path, weights="multiply")
    found = race({"a": linear.AdaGrad(), "c": linear.CoinBetting()}, stream)
    assert found["a"].loss == run(linear.AdaGrad(), stream).loss
    assert found["c"].loss == run(linear.CoinBetting(), stream).loss


# What is refused ----------------------------------------------------------------------


@other
def test_a_learner_of_whole_rounds_refuses_a_weight(
    learner: Any, tmp_path: Path
) -> None:
    X, y, weights = world(5)
    weights[:] = [1.0, 1.0, 2.5, 1.0, 1.0]
    path = write(tmp_path, X, y, weights)
    name = type(learner).__name__
    must = f"{name}: a weight must be 1, as its theorems count whole rounds, got 2.5"
    with pytest.raises(LabelError) as caught:
        run(learner.clone(), read(path, learner))
    assert str(caught.value) == f"{path}:3: {must}; 0 rounds played"
    alone = learner.clone()
    with pytest.raises(LabelError) as caught:
        run(alone, list(read(path, learner)))
    assert str(caught.value) == f"round 2: {must}; 2 rounds played"
    with pytest.raises((ExampleError, TypeError, ParameterError)):
        alone.learn_one({"f0": 1.0}, Weighted(alone.outcome is not Outcome.NUMBER, 2))
    weights[2] = 1.0
    record = run(learner.clone(), read(write(tmp_path, X, y, weights), learner))
    assert record.rounds == 5


def test_a_test_without_learning_takes_weights(tmp_path: Path) -> None:
    path = write(tmp_path, *world())
    stream = streams.vw(path, weights="multiply")
    assert run(linear.Perceptron(), stream, learn=False).rounds == 120


@pytest.mark.parametrize("weight", ["-1", "nan", "inf", "1e999", "x"])
def test_a_weight_in_a_file_must_be_a_number(weight: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.vw"
    path.write_text(f"1 2 | a\n1 {weight} | b\n")
    learner = linear.AdaGrad()
    with pytest.raises(LineError) as caught:
        run(learner, streams.vw(path, weights="multiply"))
    must = f"{path}:2: an importance weight must be a finite number, 0 or more, got "
    assert str(caught.value).startswith(must + repr(weight))
    assert learner.updates_ == 1


@pytest.mark.parametrize("weight", ["-1", '"x"', "1e999", "true", '""'])
def test_a_weight_in_a_table_must_be_a_number(weight: str, tmp_path: Path) -> None:
    csv, jsonl = tmp_path / "bad.csv", tmp_path / "bad.jsonl"
    csv.write_text(f"a,w,y\n1,2,1\n2,{weight},0\n")
    jsonl.write_text(
        '{"a": 1, "w": 2, "label": 1}\n{"a": 2, "label": 0, "w": ' + weight + "}\n"
    )
    for stream in (
        streams.csv(csv, label="y", weight="w"),
        streams.jsonl(jsonl, weight="w"),
    ):
        learner = linear.AdaGrad()
        with pytest.raises(LineError, match="must be a finite number, 0 or more, got"):
            run(learner, stream)
        assert learner.updates_ == 1
    skipping = streams.csv(csv, label="y", weight="w", on_error="skip")
    assert (len(list(skipping)), skipping.skipped) == (1, 1)


@pytest.mark.parametrize(
    ("options", "must"),
    [
        ({"weight": 1}, "weight must be the name of a column in the header, got 1"),
        ({"weight": "v"}, "the header must have a column 'v'"),
        ({"weight": "y"}, "must be without duplicates, label and weight"),
        ({"weight": "w", "columns": ["a", "w"]}, "without duplicates, label and wei"),
    ],
)
def test_a_column_of_weights_must_be_one(
    options: Any, must: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,w,y\n1,2,1\n")
    with pytest.raises((ParameterError, LineError), match=must):
        list(streams.csv(path, label="y", **options))


def test_a_key_of_weights_must_be_another_one(tmp_path: Path) -> None:
    for key in ("label", "features", 1):
        given: Any = key
        with pytest.raises(ParameterError, match="weight must be a key other than"):
            streams.jsonl(tmp_path / "a.jsonl", weight=given)
    path = tmp_path / "a.jsonl"
    path.write_text('{"label": 1, "w": 1, "w": 2}\n')
    with pytest.raises(LineError, match="must appear once"):
        list(streams.jsonl(path, weight="w"))


@pytest.mark.parametrize(
    "weight",
    [0, -1.0, math.nan, math.inf, pytest.param(10**400, id="huge"), "2", True, None],
)
def test_a_weight_must_be_a_number_above_0(weight: Any) -> None:
    with pytest.raises(ParameterError, match="must be a finite number above 0, got"):
        Weighted(True, weight)


def test_weights_of_arrays_must_be_above_0() -> None:
    for weights, must in (
        ([1.0, 0.0], r"row 1: arrays: a weight must be above 0, got 0\.0"),
        ([-1.0, 1.0], "row 0: a sample weight must be a finite number of at least 0"),
        ([1.0, 10**400], "row 1: a sample weight must be a finite number of at least"),
        ([1.0], "one weight for each of 2 rows"),
    ):
        with pytest.raises(ParameterError, match=must):
            streams.arrays([[1.0], [2.0]], [1, -1], weights=weights)


def test_a_weighted_label_is_no_class() -> None:
    label: Any = Weighted("spam", 2.0)
    with pytest.raises(LabelError, match="must be hashable"):
        linear.MulticlassPerceptron().learn_one({"a": 1.0}, label)
    assert Weighted(True, 2) == Weighted(True, 2.0) != Weighted(True, 3)
    assert Weighted(1, 2) != (1, 2)
