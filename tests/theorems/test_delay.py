"""DELAY-SERVED and DELAY-PAIRS: by hand, attained, and never exceeded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from littlestone import Recorder, certify, theorems, verify
from littlestone.errors import ParameterError, PremiseError
from littlestone.linear import AROW, KernelPerceptron, Perceptron
from littlestone.verifying import Late


def test_by_hand() -> None:
    # (2 * 3 + 1) / (1/2); (4 + sqrt(16 + 8 * 1/4 * 4 * 6)) / (1/2), the root being 8.
    served = theorems.DELAY_SERVED.bound(square=9, margin=0.5, deviation=1, norm=2)
    assert served == 14
    pairs = theorems.DELAY_PAIRS.bound(radius=2, margin=0.5, pairs=6)
    assert pairs == 24
    assert theorems.DELAY_PAIRS.bound(
        radius=2, margin=0.5, pairs=0, deviation=3
    ) == theorems.PERC_TD.bound(radius=2, margin=0.5, deviation=3)
    for numbers in ({"square": -1, "margin": 1}, {"square": 1, "margin": 0}):
        with pytest.raises(PremiseError):
            theorems.DELAY_SERVED.bound(**numbers)
    with pytest.raises(PremiseError):
        theorems.DELAY_PAIRS.bound(radius=1, margin=1, pairs=0.5)


@pytest.mark.parametrize("k", [0, 1, 4])
def test_unit_vectors_attain_both(k: int) -> None:
    n = 9
    recorder = Recorder(Perceptron(), late="served")
    for number in range(n):
        tickets = [recorder.predicted({number: 1.0}) for _ in range(k + 1)]
        for ticket in tickets:
            recorder.told(ticket, False)
    book = recorder.late_book
    assert recorder.mistakes == n * (k + 1)
    assert book.pairs == n * k * (k + 1) // 2
    assert book.square == pytest.approx(n * (k + 1) ** 2)
    margin = Fraction(1, 3)
    square = n * (k + 1) ** 2
    exactly = theorems.DELAY_SERVED.bound(square=square, margin=margin)
    assert exactly == recorder.mistakes
    paired = theorems.DELAY_PAIRS.bound(radius=1, margin=margin, pairs=book.pairs)
    assert paired == recorder.mistakes


@pytest.mark.parametrize("late", ["relearn", "served"])
def test_pairs_are_counted_by_both_rules(late: Any) -> None:
    recorder = Recorder(Perceptron(), late=late)
    together = [recorder.predicted({number: 1.0}) for number in range(3)]
    for ticket in together:
        recorder.told(ticket, False)
    recorder.told(recorder.predicted({3: 1.0}), False)  # when all others were known
    assert (recorder.late_book.pairs, recorder.late_book.outstanding) == (3, 2)


Example = st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.booleans())


@given(st.lists(st.tuples(Example, st.integers(0, 6)), max_size=30), st.integers(-2, 2))
def test_no_run_exceeds_them(
    rounds: list[tuple[tuple[int, int, bool], int]], other: int
) -> None:
    """Each label waits for some rounds; Q is added up over all pairs."""
    recorder = Recorder(Perceptron(), late="served")
    waiting: list[Any] = []
    served: list[Any] = []
    for now, ((a, b, y), delay) in enumerate(rounds):
        for _, ticket, label, number in [each for each in waiting if each[0] <= now]:
            recorder.told(ticket, label)
            served[number][3] = now
        waiting = [each for each in waiting if each[0] > now]
        ticket = recorder.predicted({"a": a, "b": b})
        served.append([(a, b), 1 if y else -1, ticket.prediction != y, None])
        waiting.append((now + delay + 1, ticket, y, now))
    known = [(t, each) for t, each in enumerate(served) if each[3] is not None]
    mistakes = [(t, x, y, told) for t, (x, y, wrong, told) in known if wrong]
    q, pairs = 0, 0
    for t, x, y, _ in mistakes:
        q += x[0] ** 2 + x[1] ** 2
        for s, z, label, told in mistakes:
            if s < t < told:
                q += 2 * y * label * (x[0] * z[0] + x[1] * z[1])
                pairs += 1
    book = recorder.late_book
    assert recorder.mistakes == len(mistakes) == recorder.record().updates
    assert book.pairs == pairs
    assert book.square == pytest.approx(q)
    assert book.square >= q
    margins = [y * (x[0] + other * x[1]) for _, x, y, _ in mistakes]
    short = sum(max(0, 1 - margin) for margin in margins)
    norm = 1 + abs(other)  # at least the length of u = (1, other)
    bound = theorems.DELAY_SERVED.bound(square=q, margin=1, deviation=short, norm=norm)
    assert len(mistakes) <= bound
    assert bound <= theorems.DELAY_PAIRS.bound(
        radius=3, margin=1, pairs=pairs, deviation=short, norm=norm
    )


def test_a_label_that_is_served_right_teaches_nothing_though_it_is_wrong_now() -> None:
    recorder = Recorder(Perceptron(), late="served")
    right = recorder.predicted({"a": 1})
    recorder.told(recorder.predicted({"a": 1}), False)
    recorder.told(right, True)
    assert recorder.late == 1
    assert recorder.record().updates == 1
    relearned = Recorder(Perceptron())
    right = relearned.predicted({"a": 1})
    relearned.told(relearned.predicted({"a": 1}), False)
    relearned.told(right, True)
    assert relearned.record().updates == 2


def test_a_kernel_may_serve_too() -> None:
    for kernel in ("gaussian", lambda x, z: float(sum(x.get(n, 0) * z[n] for n in z))):
        recorder = Recorder(KernelPerceptron(kernel), late="served")
        first, second = recorder.predicted({"a": 1}), recorder.predicted({"a": 1})
        recorder.told(first, False)
        recorder.told(second, False)
        assert recorder.record().updates == 2
        assert recorder.late_book.square == pytest.approx(4)


@pytest.mark.parametrize(
    "learner", [AROW(), Perceptron(update="margin"), KernelPerceptron(budget=3)]
)
def test_learners_that_cannot_are_refused(learner: object) -> None:
    with pytest.raises(ParameterError, match="late='served' needs a Perceptron"):
        Recorder(learner, late="served")
    with pytest.raises(ParameterError, match="late must be"):
        Recorder(Perceptron(), late="never")  # type: ignore[arg-type]


def test_late_labels_come_once_and_in_one_order() -> None:
    recorder = Recorder(Perceptron(), late="served", keep="updates")
    stream = [({"a": 1.0}, False), ({"a": 2.0}, False), ({"b": 1.0}, True)]
    tickets = [recorder.predicted(x) for x, _ in stream]
    for ticket, (_, y) in zip(tickets, stream, strict=True):
        recorder.told(ticket, y)
    certificate = certify(recorder.record())
    assert certificate.theorem == "DELAY-SERVED"
    served = [(Late(x, 0), y) for x, y in stream]
    assert verify(certificate, served).accepted
    for forged in (replace(certificate, passes=2), replace(certificate, passes=10**6)):
        assert "passes must be 1" in str(verify(forged).wrong)
    with pytest.raises(PremiseError, match="no bound for every order"):
        certify(recorder.record(), scope="stream")
