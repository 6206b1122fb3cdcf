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

from data import data_file
from littlestone import advise, certify, run, streams
from littlestone.adversaries import PerceptronAdversary
from littlestone.counsel import Survey, Trial
from littlestone.counsel._reasons import as_good, chosen
from littlestone.errors import FeatureError, LabelError, ParameterError
from littlestone.linear import BalancedWinnow, PassiveAggressive, Perceptron, Winnow

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
    )
    mappings = [(dict(enumerate(row)), label) for row, label in examples]
    assert advise(mappings).to_dict() == advise(streams.arrays(x, labels)).to_dict()


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
    counsel = advise(stream, bias=0.0)
    assert counsel.euclidean is not None
    assert counsel.absolute is not None
    assert counsel.euclidean.share == pytest.approx(1 / math.sqrt(n))
    assert counsel.absolute.share == pytest.approx(1 / n)
    assert (counsel.euclidean.separates, counsel.absolute.separates) == (True, True)
    assert counsel.euclidean.updates == counsel.absolute.updates == n


def test_each_trial_is_a_run_and_its_certificate() -> None:
    rng = np.random.default_rng(0)
    x = (rng.random((300, 20)) < 0.3).astype(float)
    stream = streams.arrays(x, (x[:, 3] + x[:, 5] > 0) ^ (rng.random(300) < 0.02))
    counsel = advise(stream, bias=0.5)
    kinds: dict[str, Any] = {
        "Perceptron": Perceptron,
        "Winnow": Winnow,
        "BalancedWinnow": BalancedWinnow,
        "PassiveAggressive": PassiveAggressive,
    }
    assert [trial.name for trial in counsel.trials] == list(kinds)
    for trial in counsel.trials:
        record = run(kinds[trial.name](**trial.parameters), stream, keep="updates")
        assert (trial.mistakes, trial.updates) == (record.mistakes, record.updates)
        if trial.bound is None:
            assert "must have a witness" in str(trial.reason)
        else:
            certificate = certify(record)
            assert trial.theorem == certificate.theorem
            assert trial.bound == certificate.bound
            assert record.mistakes <= trial.bound
    assert counsel.trials[1].parameters["threshold"] == 20


def test_few_relevant_features_of_many_speak_for_winnow() -> None:
    rng = np.random.default_rng(1)
    stream: list[Any] = []
    for t in range(1500):
        x = {f"x{j}": 1.0 for j in rng.choice(300, 50, replace=False)}
        if t % 2:
            x[f"x{rng.integers(4)}"] = 1.0
        stream.append((x, any(f"x{j}" in x for j in range(4))))
    counsel = advise(stream)
    assert counsel.choice.name == "Winnow"
    assert counsel.choice.theorem in {"WIN2-DISJ", "WIN2-SEP"}
    assert str(counsel).startswith("Use Winnow: it made")


def test_one_relevant_feature_with_a_sign_speaks_for_balanced_winnow() -> None:
    x = np.random.default_rng(3).choice([-1.0, 1.0], (600, 400))
    counsel = advise(streams.arrays(x, x[:, 3] < 0))
    assert counsel.choice.name == "BalancedWinnow"
    assert counsel.absolute is not None
    assert counsel.absolute.separates
    assert counsel.absolute.share == pytest.approx(1.0)
    assert counsel.choice.parameters["rate"] == 1.0
    told = str(counsel)
    assert "prefer Balanced Winnow. Few of many features matter" in told


def test_signs_speak_against_winnow() -> None:
    rng = np.random.default_rng(2)
    x = rng.choice([-1.0, 1.0], (400, 15))
    counsel = advise(streams.arrays(x, x.sum(axis=1) > 0))
    winnow = counsel.trials[1]
    assert (winnow.name, winnow.mistakes, winnow.bound) == ("Winnow", None, None)
    assert "Winnow was not tried: values must lie in [0, 1]" in str(counsel)
    assert "prefer the Perceptron. Many features matter" in str(counsel)
    assert counsel.survey.nonnegative is False


def test_noise_is_told() -> None:
    stream = [({"a": 1.0}, t % 3 > 0) for t in range(99)]
    counsel = advise(stream, bias=0.0)
    assert counsel.euclidean is not None
    assert not counsel.euclidean.separates
    assert "No hyperplane was found that separates" in str(counsel)
    assert "Always saying yes makes 33 mistakes, and no learner did" in str(counsel)
    assert "The mistakes of Winnow have no bound: no nonnegative" in str(counsel)


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


def test_close_counts_are_as_good_and_then_the_bound_decides() -> None:
    assert as_good(71, 65)
    assert not as_good(49, 25)
    trials = [
        Trial("A", {}, mistakes=65, bound=2045.0),
        Trial("B", {}, mistakes=71, bound=79.0),
        Trial("C", {}, mistakes=70),
        Trial("D", {}, reason="why not"),
        Trial("E", {}, mistakes=490, bound=1.0),
    ]
    assert chosen(trials).name == "B"


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
    assert told[0] == "playing Perceptron and PassiveAggressive"
    assert told.count("measuring the margins") == 1
    assert told[-1] == "certifying BalancedWinnow"


def test_mushrooms() -> None:
    path = data_file("agaricus/agaricus.train.svm.gz")
    counsel = advise(streams.svmlight(path))
    survey = counsel.survey
    assert (survey.examples, survey.features, survey.boolean) == (6513, 117, True)
    assert survey.nonzeros == survey.longest == 22
    assert counsel.euclidean is not None
    assert counsel.euclidean.separates
    assert counsel.absolute is not None
    assert counsel.absolute.separates
    assert counsel.choice.name == "PassiveAggressive"
    bounds = [trial.bound for trial in counsel.trials]
    assert None not in bounds


def test_the_stream_is_read_twice() -> None:
    class Counted(list[Any]):
        readings = 0

        def __iter__(self) -> Iterator[Any]:
            self.readings += 1
            return super().__iter__()

    stream = Counted([({"a": 1.0}, True), ({"b": 1.0}, False)] * 20)
    assert len(advise(stream).trials) == 4
    assert stream.readings == 2
