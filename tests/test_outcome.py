"""What is predicted has one word, on learners, records and losses."""

from __future__ import annotations

from typing import Any

import pytest
from river.linear_model import LinearRegression
from sklearn.linear_model import SGDRegressor

from littlestone import (
    adversaries,
    experts,
    linear,
    losses,
    race,
    report,
    run,
    streams,
)
from littlestone.boolean import ConjunctionLearner
from littlestone.compat.opera import MLEwa
from littlestone.errors import ParameterError
from littlestone.experts import Committee
from littlestone.learner import Learner
from littlestone.outcome import Outcome, outcome_of
from littlestone.running import Recorder


@pytest.mark.parametrize(
    ("learner", "outcome"),
    [
        (linear.Perceptron(), Outcome.LABEL),
        (linear.MulticlassPerceptron(), Outcome.CLASS),
        (ConjunctionLearner(), Outcome.LABEL),
        (experts.Halving(), Outcome.LABEL),
        (experts.WeightedMajority(), Outcome.LABEL),
        (experts.AdaHedge("zero-one"), Outcome.LABEL),
        (experts.AdaHedge("square", range=(0, 1)), Outcome.NUMBER),
        (experts.AdaHedge("log", range=(0, 1)), Outcome.DISTRIBUTION),
        (experts.AggregatingAlgorithm(), Outcome.DISTRIBUTION),
        (MLEwa(), Outcome.NUMBER),
        (Committee([linear.Perceptron()]), Outcome.LABEL),
        (Committee([SGDRegressor()], rule=experts.BOA("square")), Outcome.NUMBER),
        # Learners of other libraries are asked for labels.
        (LinearRegression(), Outcome.LABEL),
        (SGDRegressor(), Outcome.LABEL),
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_a_learner_says_what_it_predicts(learner: Any, outcome: Outcome) -> None:
    assert outcome_of(learner) is outcome


def test_an_attribute_that_means_something_else_says_nothing() -> None:
    class Stranger:
        outcome = 7.5

    assert outcome_of(Stranger()) is Outcome.LABEL


def test_a_word_is_as_good_as_the_enum() -> None:
    class Spoken:
        outcome = "number"

    assert outcome_of(Spoken()) is Outcome.NUMBER


def test_a_loss_says_what_it_charges() -> None:
    assert losses.ZERO_ONE.outcome is Outcome.LABEL
    assert losses.pinball(0.9).outcome is Outcome.NUMBER
    assert losses.BRIER.outcome is Outcome.DISTRIBUTION
    assert not Outcome.LABEL.charged
    assert not Outcome.CLASS.charged
    assert Outcome.DISTRIBUTION.charged


class _Mean(Learner):
    """Predicts the mean of the numbers so far, whatever the features."""

    outcome = Outcome.NUMBER

    def __init__(self, loss: str = "square") -> None:
        self.loss = loss
        self.total = self.loss_ = self.last_loss_ = 0.0
        self.updates = 0

    @property
    def updates_(self) -> int:
        return self.updates

    def predict_one(self, x: Any) -> float:  # noqa: ARG002 - whatever it is
        return self.total / max(1, self.updates)

    def learn_one(self, x: Any, y: Any, sample_weight: int = 1) -> None:
        charged = losses.as_loss(self.loss)
        for _ in range(sample_weight):
            self.last_loss_ = charged.value(self.predict_one(x), y)
            self.loss_ += self.last_loss_
            self.total += y
            self.updates += 1


class _MeanOfRows(_Mean):
    """The same, and plays whole blocks of rows."""

    def play_rows(  # noqa: PLR0917 - what `run` hands over
        self,
        rows: Any,
        labels: Any,
        predictions: Any,
        first: int,
        last: int,
        changed: Any = None,
    ) -> None:
        for at in range(first, last):
            predictions[at] = self.play_one(rows.row(at), labels[at])
            if changed is not None:
                changed[at] = True


X, Y = [[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]], [4.0, 2.0, 3.5]


@pytest.mark.parametrize("learner", [_Mean(), _MeanOfRows()], ids=repr)
def test_a_learner_of_numbers_needs_no_experts(
    learner: Learner, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = [(dict(enumerate(x)), y) for x, y in zip(X, Y, strict=True)]
    told = []
    for stream in (examples, streams.arrays(X, Y, outcome="number")):
        batches: list[Any] = []
        record = run(
            learner.clone(),
            stream,
            keep="updates",
            progress=True,
            observe=batches.append,
        )
        assert record.outcome is Outcome.NUMBER
        assert record.to_dict()["outcome"] == "number"
        assert record.loss == 16 + 4 + 0.25
        assert record.regrets is None
        assert ": 3 rounds, loss 20.25, 3 updates)" in repr(record)
        assert [*batches[0].predictions] == [0.0, 4.0, 3.0]
        assert [*batches[0].losses] == [16.0, 4.0, 0.25]
        assert [*batches[0].labels] == Y
        assert record.examples is not None
        assert [*record.examples.labels] == Y
        assert "20.25" in str(report(record))
        told.append((record.digest, capsys.readouterr().err))
    assert told[0] == told[1]
    assert "average         since" in told[0][1]


def test_a_learner_of_numbers_plays_rows_by_itself() -> None:
    learner = _Mean()
    assert learner.play(X, Y).tolist() == [0.0, 4.0, 3.0]
    assert learner.predict(X).tolist() == [9.5 / 3] * 3
    assert learner.play(X[:1], [1.0], sample_weight=[2]).tolist() == [9.5 / 3]
    assert learner.updates_ == 5


def test_learners_of_numbers_race_and_sit_in_a_committee() -> None:
    ranking = race(
        {"mean": _Mean(), "rows": _MeanOfRows()}, streams.arrays(X, Y, outcome="number")
    )
    assert [place.loss for place in ranking.places] == [20.25, 20.25]
    committee = Committee({"mean": _Mean()}, rule=experts.BOA("square"))
    assert run(committee, streams.arrays(X, Y, outcome="number")).loss == 20.25


def test_late_labels_of_numbers_are_charged_as_predicted() -> None:
    recorder = Recorder(_Mean(), saveable=True)
    tickets = [recorder.predicted({"a": 1}) for _ in Y]
    for ticket, y in zip(tickets, Y, strict=True):
        recorder.told(ticket, y)
    assert recorder.record().loss == sum(y * y for y in Y)
    # Features are no experts, whose losses would be booked.
    assert recorder.save()["tickets"]["by_expert"] == {}


def test_who_is_charged_is_not_tested() -> None:
    with pytest.raises(
        ParameterError, match="learn=False needs a learner from features"
    ):
        run(_Mean(), [({"a": 1}, 4.0)], learn=False)


def test_a_stream_says_what_its_labels_are_where_it_knows() -> None:
    X, y = [[1.0], [0.0]], [1, 0]
    rows, classes = streams.arrays(X, y), streams.arrays(X, y, outcome="class")
    assert rows.outcome is Outcome.LABEL
    assert classes.outcome is Outcome.CLASS
    assert streams.hashed(classes).outcome is Outcome.CLASS
    assert streams.hashed([({"a": 1}, "b")], outcome="class").outcome is Outcome.CLASS
    assert streams.joined([rows, rows]).outcome is Outcome.LABEL
    assert streams.joined([rows, classes]).outcome is None
    assert streams.advice(X, y).outcome is None
    assert streams.csv("a.csv", label=0, outcome="number").outcome is Outcome.NUMBER
    assert streams.csv("a.csv", label=0, positive="x").outcome is Outcome.LABEL
    literals = streams.csv("a.csv", label=0, literals=True, thresholds={1: 2})
    assert literals.outcome is Outcome.LABEL
    assert streams.onehot(literals).outcome is Outcome.LABEL
    assert streams.onehot([({"a": "b"}, "c")]).outcome is None
    assert streams.forecasts("a.csv", label=0).outcome is Outcome.NUMBER
    assert streams.svmlight("a.svm", outcome=Outcome.CLASS).outcome is Outcome.CLASS
    coins = streams.synthetic.experts(3, rounds=4)
    numbers = streams.synthetic.experts(3, rounds=4, loss="absolute")
    assert (coins.outcome, numbers.outcome) == (Outcome.LABEL, Outcome.NUMBER)
    assert adversaries.AlternatingAdversary(2).outcome is Outcome.LABEL


@pytest.mark.parametrize("owner", ["svmlight", "text", "vw", "jsonl", "hashed"])
def test_a_stream_refuses_outcomes_that_it_cannot_read(owner: str) -> None:
    make: Any = getattr(streams, owner)
    given = ([],) if owner == "hashed" else ("none.txt",)
    told = {"label": "y"} if owner in ("text", "jsonl") else {}
    known = (
        "'label' or 'class'" if owner == "hashed" else "'label', 'class' or 'number'"
    )
    message = f"{owner}: outcome must be {known}, got 'distribution'"
    with pytest.raises(ParameterError, match=message):
        make(*given, outcome="distribution", **told)
