"""A recorder counts what run counts, and keeps its word when labels come late."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import Recorder, run
from littlestone.boolean import ConjunctionLearner
from littlestone.errors import LabelError, ParameterError
from littlestone.experts import (
    ExponentialWeights,
    Halving,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from littlestone.linear import MulticlassPerceptron, Perceptron, Winnow
from littlestone.running import Record, Ticket

MAIL = [({"cheap": 1, "win": 1}, True), ({"lunch": 1}, False), ({"cheap": 1}, True)] * 9
ADVICE = [([0.1, 0.9], 0.0), ([0.2, 0.6], 1.0), ([0.4, 0.4], 0.5)] * 9
VOTES = [([True, False, True], False), ([True, True, False], True)] * 9
CLASSES = [({"a": 1}, "x"), ({"b": 1}, "y"), ({"a": 1, "b": 1}, "z")] * 9

LEARNERS: dict[str, tuple[Any, Any]] = {
    "perceptron": (Perceptron, MAIL),
    "winnow": (lambda: Winnow(threshold=2), MAIL),
    "classes": (MulticlassPerceptron, CLASSES),
    "rules": (ConjunctionLearner, [({"a": 1, "b": 1}, True), ({"b": 1}, False)] * 9),
    "halving": (
        Halving,
        [([True, False, True], True), ([True, True, False], True)] * 9,
    ),
    "majority": (WeightedMajority, VOTES),
    "draws": (lambda: RandomizedWeightedMajority(0.5, seed=3), VOTES),
    "numbers": (lambda: ExponentialWeights(0.5, "square"), ADVICE),
}


def played(recorder: Recorder, stream: Any) -> Record:
    """Drive a recorder as `run` does: each label at once."""
    for x, y in stream:
        recorder.told(recorder.predicted(x), y)
    return recorder.record()


# What run says ------------------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("keep", ["mistakes", "nothing", "updates"])
def test_labels_that_come_at_once_give_the_record_of_run(name: str, keep: Any) -> None:
    make, stream = LEARNERS[name]
    expected = run(make(), stream, keep=keep, digest=True)
    record = played(Recorder(make(), keep=keep, digest=True), stream)
    assert record == expected
    assert record.late == 0
    if expected.examples is None:
        assert record.examples is None
    else:
        assert record.examples is not None
        assert list(record.examples) == list(expected.examples)


def test_thousands_of_rounds_give_the_same_curve() -> None:
    stream = [({f"f{t % 7}": 1.0}, t % 3 == 0) for t in range(3_000)]
    expected = run(Perceptron(), stream)
    record = played(Recorder(Perceptron()), stream)
    assert record.curve == expected.curve
    assert record == expected


def test_learners_of_other_libraries_are_recorded_too() -> None:
    class Parrot:
        """Repeats the last label; says nothing before the first."""

        last: bool | None = None

        def predict_one(self, _: Any) -> bool | None:
            return self.last

        def learn_one(self, _: Any, y: bool) -> None:
            self.last = y

    record = played(Recorder(Parrot()), MAIL)
    assert record == run(Parrot(), MAIL)
    assert record.updates is None


def test_a_test_teaches_nothing_and_needs_no_labels() -> None:
    learner = Perceptron()
    run(learner, MAIL)
    before = learner.weights_
    recorder = Recorder(learner, learn=False)
    for x, y in [*MAIL[:3], ({"cheap": 1}, None)]:
        recorder.told(recorder.predicted(x), y)
    record = recorder.record()
    assert (record.rounds, record.mistakes, record.unlabelled) == (4, 0, 1)
    assert (record.updates, learner.weights_) == (0, before)


# Labels that come late ------------------------------------------------------------


@st.composite
def delays(draw: st.DrawFn) -> list[int]:
    """In which order the labels of some predictions come, each after its own."""
    return draw(st.lists(st.integers(0, 5), min_size=1, max_size=40))


def delayed(recorder: Recorder, stream: Any, delay: list[int]) -> list[tuple[Any, Any]]:
    """Drive a recorder with labels that come late; return the order of arrival."""
    waiting: list[tuple[int, Ticket, Any]] = []
    arrived = []
    for now, ((x, y), wait) in enumerate(zip(stream, delay, strict=False)):
        waiting.append((now + wait, recorder.predicted(x), y))
        for due in [each for each in waiting if each[0] <= now]:
            waiting.remove(due)
            recorder.told(due[1], due[2])
            arrived.append((due[1].x, due[2]))
    for _, ticket, y in waiting:
        recorder.told(ticket, y)
        arrived.append((ticket.x, y))
    return arrived


@given(delays())
def test_the_learner_learns_what_came_in_the_order_in_which_it_came(
    delay: list[int],
) -> None:
    stream = [*MAIL, ({"win": 1, "lunch": 1}, False)] * 2
    learner, other = Perceptron(), Perceptron()
    recorder = Recorder(learner, digest=True)
    arrived = delayed(recorder, stream, delay)
    record, expected = recorder.record(), run(other, arrived, digest=True)
    assert learner.weights_ == other.weights_
    assert (record.rounds, record.digest) == (expected.rounds, expected.digest)
    assert recorder.waiting == 0
    # Each prediction that differs from that of the run costs one mistake at most.
    assert abs(record.mistakes - expected.mistakes) <= record.late
    if record.late == 0:
        assert record == expected


def test_a_mistake_is_what_was_given_out_not_what_would_be_said_now() -> None:
    recorder = Recorder(Perceptron(), declare={"margin": 1.0, "radius": 1})
    first, second = recorder.predicted({"a": 1}), recorder.predicted({"a": 1})
    recorder.told(first, False)
    assert recorder.standing().bound is not None
    recorder.told(second, False)  # by now the learner would have said no
    record = recorder.record()
    assert (record.mistakes, record.updates, record.late) == (2, 1, 1)
    assert recorder.late == 1


def test_the_bound_is_that_of_delay_once_a_prediction_was_late() -> None:
    recorder = Recorder(Perceptron(), declare={"margin": 1.0, "radius": 1})
    tickets = [recorder.predicted({"a": 1}) for _ in range(3)]
    for ticket in tickets:
        recorder.told(ticket, False)
    record = recorder.record()
    # More than the 1 that PERC-SEP allows if labels come at once; two others waited.
    assert record.mistakes == 3
    assert (record.theorem, record.bound, record.exceeded) == ("DELAY", 3.0, False)
    assert record.numbers == {"delay": 2, "updates": 1.0}
    assert recorder.standing().bound == 3.0
    assert record.to_dict()["late"] == 2
    assert {point.bound for point in record.curve} == {3.0}


def test_there_is_no_bound_for_a_learner_that_changes_without_a_mistake() -> None:
    recorder = Recorder(WeightedMajority(experts=2))
    tickets = [recorder.predicted([True, False]) for _ in range(2)]
    for ticket in tickets:
        recorder.told(ticket, False)
    assert recorder.late == 1
    assert (recorder.record().bound, recorder.standing().bound) == (None, None)


def test_a_label_that_changes_no_prediction_leaves_the_bound() -> None:
    recorder = Recorder(Halving(experts=2))
    first, second = recorder.predicted([True, True]), recorder.predicted([True, False])
    recorder.told(first, True)  # both were right, so nothing has changed
    recorder.told(second, True)
    record = recorder.record()
    assert (record.late, record.bound) == (0, 1.0)


def test_losses_are_those_of_the_forecasts_that_were_given_out() -> None:
    recorder = Recorder(ExponentialWeights(1.0, "square"))
    tickets = [recorder.predicted({"a": 0.0, "b": 1.0}) for _ in range(2)]
    tickets.append(recorder.predicted({"a": 0.0}))  # b sleeps
    assert [ticket.prediction for ticket in tickets] == [0.5, 0.5, 0.0]
    for ticket in tickets:
        recorder.told(ticket, 0.0)
    record = recorder.record()
    assert record.loss == pytest.approx(0.5)
    assert record.curve[-1].loss == pytest.approx(0.5)
    assert record.expert_losses == {"a": 0.0, "b": 2.0}
    assert record.regrets is not None
    assert record.regrets["a"] == pytest.approx(0.5)
    assert record.regrets["b"] == pytest.approx(0.5 - 2.0)
    assert record.late == 1


def test_an_example_may_change_after_it_was_shown() -> None:
    x: dict[str, float] = {"a": 1}
    row = np.array([1.0, 0.0])
    learner = Perceptron()
    recorder = Recorder(learner)
    ticket = recorder.predicted(x)
    x["b"] = 7
    recorder.told(ticket, False)
    assert learner.weights_ == {"a": -1.0}
    other = Perceptron()
    recorder = Recorder(other)
    ticket = recorder.predicted(row)
    row[1] = 5.0
    recorder.told(ticket, False)
    assert other.weights_ == {0: -1.0}


def test_predictions_without_labels_stay_open_and_are_not_counted() -> None:
    recorder = Recorder(Perceptron())
    for _ in range(3):
        recorder.predicted({"a": 1})
    assert (recorder.waiting, recorder.rounds) == (3, 0)
    assert recorder.record().rounds == 0


# A recorder that is interrupted ------------------------------------------------------


@pytest.mark.parametrize("name", LEARNERS)
def test_a_saved_recorder_continues_as_if_nothing_had_happened(name: str) -> None:
    make, stream = LEARNERS[name]
    whole = Recorder(make(), saveable=True, keep="updates")
    expected = played(whole, stream)
    learner = make()
    first = Recorder(learner, saveable=True, keep="updates")
    for x, y in stream[:7]:
        first.told(first.predicted(x), y)
    open_ticket = first.predicted(stream[7][0])
    copy = make()
    copy.load_state(learner.save_state())
    saved = first.save()
    second = Recorder(copy, saveable=True, keep="updates", resume=saved)
    assert second.notes is not None
    for x, y in stream[:7]:  # the digest is taken again from the stream
        second.notes.skip(x, y, y)
    assert second.waiting == 1
    second.told(open_ticket, stream[7][1])
    record = played(second, stream[8:])
    assert record == expected
    assert record.digest == expected.digest


def test_other_settings_do_not_continue_it() -> None:
    learner = Perceptron()
    saved = Recorder(learner, saveable=True).save()
    with pytest.raises(ParameterError, match="keep must be 'mistakes', as in the run"):
        Recorder(learner, saveable=True, keep="nothing", resume=saved)


def test_a_curve_with_other_points_is_refused() -> None:
    learner = Perceptron()
    recorder = Recorder(learner, saveable=True)
    for label in (False, True, True):
        recorder.told(recorder.predicted({"a": 1}), label)
    saved = recorder.save()
    assert saved["tally"]["curve"].tolist() == [[1, 1], [2, 2], [3, 2]]
    saved["tally"]["curve"][1, 0] = 3
    with pytest.raises(ParameterError, match="counts"):
        Recorder(learner, saveable=True, resume=saved)


def test_a_damaged_checkpoint_is_refused() -> None:
    learner = Perceptron()
    saved = Recorder(learner, saveable=True).save()
    with pytest.raises(ParameterError, match="the checkpoint is damaged"):
        Recorder(learner, saveable=True, resume=saved | {"tally": {}})
    with pytest.raises(ParameterError, match="tickets given"):
        Recorder(learner, saveable=True, resume=saved | {"tickets": {"given": -1}})


def test_only_a_saveable_recorder_is_saved() -> None:
    with pytest.raises(ParameterError, match="save needs saveable=True"):
        Recorder(Perceptron()).save()


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize("label", [2, None, "yes", float("nan")])
def test_a_label_that_is_refused_changes_nothing(label: Any) -> None:
    learner = Perceptron()
    recorder = Recorder(learner, digest=True)
    empty = recorder.record().digest
    ticket = recorder.predicted({"a": 1})
    with pytest.raises(LabelError):
        recorder.told(ticket, label)
    assert ticket.open
    assert (recorder.rounds, recorder.waiting) == (0, 1)
    assert (dict(learner.weights_), recorder.record().digest) == ({}, empty)
    recorder.told(ticket, False)
    assert learner.weights_ == {"a": -1.0}


def test_an_example_that_is_refused_leaves_the_digest_as_it_was() -> None:
    class Picky:
        def predict_one(self, _: Any) -> bool:
            return True

        def learn_one(self, _: Any, y: bool) -> None:
            raise LabelError(f"not {y}")

    recorder = Recorder(Picky(), digest=True)
    empty = recorder.record().digest
    with pytest.raises(LabelError, match="ticket 0: not False"):
        recorder.told(recorder.predicted({"a": 1}), False)
    assert recorder.record().digest == empty


def test_a_label_comes_once() -> None:
    recorder = Recorder(Perceptron())
    ticket = recorder.predicted({"a": 1})
    recorder.told(ticket, False)
    with pytest.raises(ParameterError, match="ticket 0 must wait for its label"):
        recorder.told(ticket, False)
    assert recorder.rounds == 1


def test_no_is_written_in_one_way_only() -> None:
    recorder = Recorder(Perceptron())
    recorder.told(recorder.predicted({"a": 1}), 0)
    with pytest.raises(LabelError, match="never mixed"):
        recorder.told(recorder.predicted({"a": 1}), -1)
