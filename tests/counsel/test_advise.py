"""What is said of a stream is true of it, and the learner that wins is chosen."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import littlestone
from data import data_file
from littlestone import Auto, advise, certify, linear, run, streams
from littlestone.adversaries import PerceptronAdversary
from littlestone.counsel import Survey, Trial
from littlestone.counsel._reasons import as_good, chosen
from littlestone.counsel._sample import Sample
from littlestone.counsel._survey import Surveyor
from littlestone.errors import FeatureError, LabelError, ParameterError

rows = st.lists(
    st.tuples(
        st.lists(st.sampled_from([0.0, 1.0, 0.5, -2.0]), min_size=3, max_size=3),
        st.booleans(),
    ),
    min_size=1,
    max_size=12,
)


@given(rows)
def test_a_survey_tells_what_there_is_however_it_is_read(
    examples: list[tuple[list[float], bool]],
) -> None:
    x = np.array([row for row, _ in examples])
    labels = [label for _, label in examples]
    survey = advise(streams.arrays(x, labels)).survey
    nonzero = x[x != 0]
    assert survey == Survey(
        examples=len(x),
        positives=sum(labels),
        changes=sum(a != b for a, b in pairwise(labels)),
        features=int((x != 0).any(axis=0).sum()),
        nonzeros=len(nonzero) / len(x),
        longest=int((x != 0).sum(axis=1).max()),
        smallest=float(nonzero.min()) if len(nonzero) else 0.0,
        largest=float(nonzero.max()) if len(nonzero) else 0.0,
        boolean=set(nonzero.tolist()) <= {1.0},
        sampled=len(x),
    )
    mappings = [(dict(enumerate(row)), label) for row, label in examples]
    assert advise(mappings).to_dict() == advise(streams.arrays(x, labels)).to_dict()


@pytest.mark.soak
def test_a_survey_holds_over_many_blocks_of_examples() -> None:
    stream = [({"a": 1.0, f"b{t % 7}": 0.25}, t % 3 == 0) for t in range(2500)]
    survey = advise(stream).survey
    assert (survey.examples, survey.features, survey.longest) == (2500, 8, 2)
    assert (survey.positives, survey.changes) == (834, 1666)
    assert (survey.smallest, survey.largest, survey.boolean) == (0.25, 1.0, False)


@pytest.mark.parametrize("n", [1, 2, 9])
def test_both_margins_are_those_of_geometry(n: int) -> None:
    # Each feature has an example of its own: u = (y_1, ..., y_n), up to its measure.
    stream = [({j: 1.0}, False) for j in range(n)]
    counsel = advise(stream, bias=0.0, bounds=True)
    assert counsel.euclidean is not None
    assert counsel.absolute is not None
    assert counsel.euclidean.share == pytest.approx(1 / math.sqrt(n))
    assert counsel.absolute.share == pytest.approx(1 / n)
    assert (counsel.euclidean.separates, counsel.absolute.separates) == (True, True)
    assert counsel.euclidean.updates == counsel.absolute.updates == n


def noisy() -> streams.Stream:
    """Few columns of 0 and 1, with a few wrong labels."""
    rng = np.random.default_rng(0)
    x = (rng.random((300, 20)) < 0.3).astype(float)
    return streams.arrays(x, (x[:, 3] + x[:, 5] > 0) ^ (rng.random(300) < 0.02))


def test_each_trial_is_a_run_and_its_certificate() -> None:
    counsel = advise(noisy(), bias=0.5, bounds=True)
    assert {trial.name for trial in counsel.trials} == {
        "Auto",
        "Perceptron",
        "AveragedPerceptron",
        "PassiveAggressive",
        "AROW",
        "SecondOrderPerceptron",
        "AdaGrad",
        "CoinBetting",
        "BalancedWinnow",
        "Winnow",
    }
    for trial in counsel.trials:
        learner = (Auto if trial.name == "Auto" else getattr(linear, trial.name))(
            **trial.parameters
        )
        record = run(learner, noisy(), keep="updates")
        assert (trial.mistakes, trial.updates) == (record.mistakes, record.updates)
        if trial.bound is None:
            regret = trial.name in {"AdaGrad", "CoinBetting"}
            why = "bound its regret" if regret else "must have a witness"
            assert why in str(trial.reason)
        else:
            certificate = certify(record)
            assert trial.theorem == certificate.theorem
            assert trial.bound == certificate.bound
            assert (record.updates or 0) >= record.mistakes
    (winnow,) = (trial for trial in counsel.trials if trial.name == "Winnow")
    assert winnow.parameters["threshold"] == 20


def test_bounds_change_no_count_and_are_proved_only_if_asked_for() -> None:
    plain, proved = advise(noisy()), advise(noisy(), bounds=True)
    counts = {str(trial): trial.mistakes for trial in proved.trials}
    for trial in plain.trials:
        assert (trial.bound, trial.theorem) == (None, None)
        assert trial.name == "BalancedWinnow" or counts[str(trial)] == trial.mistakes
    assert plain.choice.mistakes == proved.choice.mistakes
    assert plain.euclidean is plain.absolute is None
    said = [t for t in proved.trials if not (t.vacuous or t.tautological)]
    smallest = min(said, key=lambda trial: trial.bound or math.inf)
    assert f"{smallest} has the smallest bound: {smallest.theorem}" in str(proved)


def test_a_full_matrix_is_tried_where_columns_are_few() -> None:
    rng = np.random.default_rng(0)
    # One direction of much noise hides the one that matters from a diagonal.
    x = rng.normal(size=(400, 2)) @ np.array([[9.0, 9.0], [1.0, -1.0]])
    counsel = advise(streams.arrays(x, x[:, 0] > x[:, 1]))
    alone = [t for t in counsel.trials if t.mistakes is not None and t.name != "Auto"]
    best = min(alone, key=lambda trial: trial.mistakes or 0)
    assert best.parameters["diagonal"] is False
    assert f"Where one small model is wanted, use {best}" in str(counsel)
    wide = [({f"w{t}": 1.0}, t % 2 == 0) for t in range(301)]
    assert all(t.parameters.get("diagonal", True) for t in advise(wide).trials)
    assert not all(t.parameters.get("diagonal", True) for t in advise(wide[1:]).trials)


def test_a_random_order_decides_in_a_sorted_stream() -> None:
    rng = np.random.default_rng(4)
    y = np.arange(2_100) >= 1_050
    x = rng.normal(size=(2_100, 6)) + np.where(y, 0.5, -0.5)[:, None]
    counsel = advise(streams.arrays(x, y))
    assert counsel.survey.sampled == 700
    played = [trial for trial in counsel.trials if trial.mistakes is not None]
    assert counsel.choice is chosen(played, shuffled=True)
    # In the order of the file, learners that remember only the last label do as well.
    chosen_mistakes = counsel.choice.mistakes or 0
    idle = [each for each in played if as_good(each.mistakes or 0, chosen_mistakes)]
    worst = max(each.shuffled or 0 for each in idle)
    assert not as_good(worst, counsel.choice.shuffled or 0)
    assert "the choice is by the mistakes in a random order" in str(counsel)


def test_members_of_auto_play_a_random_order_as_they_would_alone() -> None:
    y = np.arange(900) >= 400
    x = np.random.default_rng(4).normal(size=(900, 5)) + np.where(y, 0.3, -0.3)[:, None]
    counsel = advise(streams.arrays(x, y))
    surveyor = Surveyor()
    run(surveyor, streams.arrays(x, y))
    sample = surveyor.sample.stream(500)
    played = [trial for trial in counsel.trials if trial.shuffled is not None]
    assert {"Auto", "AROW", "Perceptron"} <= {trial.name for trial in played}
    for trial in played:
        learner = getattr(linear, trial.name, Auto)(**trial.parameters)
        assert trial.shuffled == run(learner, sample).mistakes


def test_auto_plays_a_random_order_only_where_it_decides() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(300, 4))
    y = x[:, 0] + rng.normal(size=300) > 0
    counsel = advise(streams.arrays(x, y))
    surveyor = Surveyor()
    run(surveyor, streams.arrays(x, y))
    sample = surveyor.sample.stream()
    for trial in counsel.trials:
        if trial.name in {"Auto", "Winnow"}:
            assert trial.shuffled is None
            continue
        alone = run(getattr(linear, trial.name)(**trial.parameters), sample)
        assert trial.shuffled == alone.mistakes
    singles = [trial for trial in counsel.trials if trial.shuffled is not None]
    best = min(singles, key=lambda trial: trial.mistakes or 0)
    assert f"On 300 examples in a random order {best} made" in str(counsel)
    order = np.argsort(y, kind="stable")
    counsel = advise(streams.arrays(x[order], y[order]))
    assert counsel.survey.seems_sorted
    assert all(t.shuffled is not None for t in counsel.trials if t.mistakes is not None)


def test_all_is_kept_while_there_are_few_values() -> None:
    sample = Sample(most=10, values=100)
    ends, ones = np.arange(1, 51), np.ones(50)
    for t in (0, 50):
        columns = np.arange(t, t + 50, dtype=np.int32)
        sample.add(ends, columns, ones, columns % 2 == 0)
    whole = sample.whole()
    assert whole is not None
    kept = [(int(columns[0]), y) for (columns, _), y in whole]
    assert kept == [(at, at % 2 == 0) for at in range(100)]
    sample.add(ends[:1], columns[:1], ones[:1], ones[:1] == 1)
    assert sample.whole() is None
    assert len(sample) <= 10


def test_the_sample_is_drawn_evenly_and_in_a_random_order() -> None:
    sample = Sample(most=1000)
    for t in range(0, 50_000, 500):  # the column is the number of the example
        columns = np.arange(t, t + 500, dtype=np.int32)
        ends, ones = np.arange(1, 501), np.ones(500)
        sample.add(ends, columns, ones, columns % 2 == 0)
    drawn = [(int(columns[0]), y) for (columns, _), y in sample.stream()]
    assert 500 <= len(drawn) == len(sample) <= 1000
    assert all(y == (at % 2 == 0) for at, y in drawn)
    numbers = np.array([at for at, _ in drawn])
    assert len(set(numbers.tolist())) == len(numbers)
    parts = np.bincount(numbers // 10_000, minlength=5)
    assert (abs(parts - len(drawn) / 5) < 4 * math.sqrt(len(drawn) / 5)).all()
    assert 0.4 < (np.diff(numbers) > 0).mean() < 0.6


def test_few_relevant_features_of_many_speak_for_winnow() -> None:
    rng = np.random.default_rng(1)
    stream: list[Any] = []
    for t in range(1500):
        x = {f"x{j}": 1.0 for j in rng.choice(300, 50, replace=False)}
        if t % 2:
            x[f"x{rng.integers(4)}"] = 1.0
        stream.append((x, any(f"x{j}" in x for j in range(4))))
    counsel = advise(stream)
    winnow = next(t for t in counsel.trials if t.name == "Winnow")
    assert winnow.parameters["threshold"] == counsel.survey.features
    added = [t for t in counsel.trials if t.name in {"Perceptron", "AROW", "AdaGrad"}]
    assert all(3 * (winnow.mistakes or 0) < (t.mistakes or 0) for t in added)
    assert "use CoinBetting(), with" in str(counsel)  # which needs no rate


def test_one_relevant_feature_with_a_sign_speaks_for_balanced_winnow() -> None:
    x = np.random.default_rng(3).choice([-1.0, 1.0], (600, 400))
    counsel = advise(streams.arrays(x, x[:, 3] < 0), bounds=True)
    bounded = [t for t in counsel.trials if t.bound is not None and t.name != "Auto"]
    best = min(bounded, key=lambda trial: trial.mistakes or 0)
    assert best.name == "BalancedWinnow"
    assert counsel.absolute is not None
    assert counsel.absolute.separates
    assert counsel.absolute.share == pytest.approx(1.0)
    assert best.parameters["rate"] == 1.0
    told = str(counsel)
    assert "prefer Balanced Winnow. Few of many features matter" in told


def test_signs_speak_against_winnow() -> None:
    rng = np.random.default_rng(2)
    x = rng.choice([-1.0, 1.0], (400, 15))
    counsel = advise(streams.arrays(x, x.sum(axis=1) > 0), bounds=True)
    winnow = counsel.trials[-1]
    assert (winnow.name, winnow.mistakes, winnow.bound) == ("Winnow", None, None)
    assert "Winnow was not tried: values must lie in [0, 1]" in str(counsel)
    assert "prefer the Perceptron. Many features matter" in str(counsel)
    assert counsel.survey.nonnegative is False


def test_noise_is_told() -> None:
    stream = [({"a": 1.0}, t % 3 > 0) for t in range(99)]
    counsel = advise(stream, bias=0.0, bounds=True)
    assert counsel.euclidean is not None
    assert not counsel.euclidean.separates
    assert "No hyperplane was found that separates" in str(counsel)
    assert "changed the Perceptron: labels are noisy, or features are" in str(counsel)
    assert "Always saying yes makes 33 mistakes, and no learner did" in str(counsel)
    # Winnow has a bound all the same, by what its weights fall short of.
    (winnow,) = (trial for trial in counsel.trials if trial.name == "Winnow")
    assert (winnow.theorem, winnow.reason) == ("WIN2-SLACK", None)
    # The smallest bounds say no more than the mistakes: one that says more comes first.
    (said,) = (told for told in counsel.reasons if "has the smallest bound" in told)
    first = next(trial for trial in counsel.trials if said.startswith(f"{trial} has"))
    assert not first.vacuous
    assert not first.tautological


def test_a_sorted_stream_is_told() -> None:
    stream = [({"a": float(t)}, t >= 60) for t in range(120)]
    assert "The label changes only 1 time, so the stream seems" in str(advise(stream))
    shuffled = [stream[(t * 77) % 120] for t in range(120)]
    assert "sorted" not in str(advise(shuffled))


def test_nothing_to_learn_is_told() -> None:
    counsel = advise([({}, True), ({}, True)])
    assert "All labels are the same" in str(counsel)
    assert counsel.survey.features == 0
    assert json.loads(json.dumps(counsel.to_dict()))["survey"]["share"] == 1.0


def test_where_counts_are_close_the_other_order_decides() -> None:
    assert as_good(71, 65)
    assert not as_good(49, 25)
    trials = [
        Trial("A", {}, mistakes=65, shuffled=40),
        Trial("B", {}, mistakes=71, shuffled=30),
        Trial("C", {}, mistakes=70, shuffled=30),
        Trial("D", {}, reason="why not"),
        Trial("E", {}, mistakes=490, shuffled=20),
    ]
    assert chosen(trials).name == "C"
    assert chosen(trials, shuffled=True).name == "C"  # 30 is as good as 20


def test_what_is_refused() -> None:
    for stream in (iter([({"a": 1.0}, True)]), PerceptronAdversary(0.5)):
        with pytest.raises(ParameterError, match="advise: the stream must be readable"):
            advise(stream)  # type: ignore[arg-type]  # as somebody might
    with pytest.raises(FeatureError):
        advise([({"a": math.nan}, True)])
    with pytest.raises(LabelError):
        advise([({"a": 1.0}, "spam")])


def test_what_is_done_is_told() -> None:
    told: list[str] = []
    advise([({"a": 1.0}, False)], observe=told.append)
    assert told[0].startswith("playing Perceptron, AveragedPerceptron, Pass")
    assert told[-1] == "playing a sample in a random order"
    advise([({"a": 1.0}, False)], observe=told.append, bounds=True)
    assert told.count("measuring the margins") == 1
    assert told.count("certifying BalancedWinnow") == 1


@pytest.mark.soak
def test_mushrooms() -> None:
    path = data_file("agaricus/agaricus.train.svm.gz")
    counsel = advise(streams.svmlight(path), bounds=True)
    survey = counsel.survey
    assert (survey.examples, survey.features, survey.boolean) == (6513, 117, True)
    assert survey.nonzeros == survey.longest == 22
    assert counsel.euclidean is not None
    assert counsel.euclidean.separates
    assert counsel.absolute is not None
    assert counsel.absolute.separates
    assert counsel.choice.name == "Auto"
    fewest = min(t.mistakes or 0 for t in counsel.trials)
    assert as_good(counsel.choice.mistakes or 0, fewest)
    unbounded = {trial.name for trial in counsel.trials if trial.bound is None}
    assert unbounded == {"AdaGrad", "CoinBetting"}


def test_members_of_auto_count_as_they_do_alone() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 6))
    stream = streams.arrays(X, X @ rng.normal(size=6) + rng.normal(size=400) > 0)
    members = {repr(member) for member in Auto().members_.values()}
    shared = 0
    for trial in advise(stream).trials:
        if not trial.parameters:
            continue
        learner = getattr(littlestone, trial.name, None) or getattr(linear, trial.name)
        alone = run(learner(**trial.parameters), stream)
        assert (trial.mistakes, trial.updates) == (alone.mistakes, alone.updates)
        shared += repr(learner(**trial.parameters)) in members
    assert shared == 8


def test_a_small_stream_is_read_once() -> None:
    class Counted(list[Any]):
        readings = 0

        def __iter__(self) -> Iterator[Any]:
            self.readings += 1
            return super().__iter__()

    stream = Counted([({"a": 1.0}, True), ({"b": 1.0}, False)] * 20)
    assert advise(stream).choice.mistakes == 1
    assert stream.readings == 1
