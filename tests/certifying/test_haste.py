"""Among many examples, `certify` does not search for what cannot be the best bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from littlestone import certify, run, verify
from littlestone.certifying import _linear
from littlestone.linear import AROW, PassiveAggressive, Perceptron
from littlestone.verifying._numbers import Entries
from littlestone.verifying.proofs._exact import Direction
from littlestone.witnesses import _aggressive, _examples

if TYPE_CHECKING:
    from littlestone.running import Record

LEARNERS = [
    Perceptron(),
    Perceptron(bias=1.0),
    Perceptron(normalize=True),
    PassiveAggressive(),
    PassiveAggressive(C=0.3, mode="II", bias=0.5),
    PassiveAggressive(mode=None),
    AROW(bias=1.0),
]


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stream has few examples."""
    monkeypatch.setattr(_examples, "_FEW", -1)


def stream(noise: float, rounds: int = 300) -> list[tuple[dict[int, float], bool]]:
    """Return rounds of which a share has the wrong label."""
    rng = np.random.default_rng(4)
    u = rng.normal(size=12)
    rows = np.round(rng.normal(size=(rounds, 12)), 2)
    wrong = rng.random(rounds) < noise
    return [
        (dict(enumerate(x)), bool(said))
        for x, said in zip(rows.tolist(), (rows @ u >= 0) ^ wrong, strict=True)
    ]


def kept(learner: Any, noise: float) -> Record:
    return run(learner.clone(), stream(noise), keep="updates")


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.2])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_bound_is_as_good_and_the_judge_accepts_it(
    learner: Any, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = kept(learner, noise)
    made = certify(record)
    assert verify(made, stream(noise)).accepted
    monkeypatch.setattr(_examples, "_FEW", 10**9)
    patient = certify(record)
    assert made.theorem == patient.theorem
    if isinstance(learner, PassiveAggressive):  # which begins elsewhere
        close = _examples._CLOSE  # noqa: SLF001 - what it may lose
        assert made.bound <= patient.bound * (1 + close)
    else:
        assert made.witness == patient.witness
        assert made.bound == patient.bound


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize(
    ("learner", "theorem", "noise"),
    [
        (Perceptron(), "PERC-SEP", 0.0),
        (PassiveAggressive(), "PA1", 0.02),
        (AROW(), "AROW-DIAG", 0.02),
    ],
)
def test_a_theorem_that_is_asked_for_is_searched_for(
    learner: Any, theorem: str, noise: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = kept(learner, noise)
    beside = certify(record).others.get(theorem, {"bound": math.inf})
    asked = certify(record, theorem=theorem)
    assert beside["bound"] > asked.bound
    monkeypatch.setattr(_examples, "_FEW", 10**9)
    assert asked == certify(record, theorem=theorem)
    assert certify(record).others[theorem]["bound"] == asked.bound


@pytest.mark.usefixtures("hasty")
def test_the_largest_margin_is_found_where_it_is_best() -> None:
    examples = [({0: 3.0, t: 1.0}, True) for t in range(1, 9)]
    examples += [({0: -3.0, t: 1.0}, False) for t in range(9, 17)]
    made = certify(run(Perceptron(), examples, keep="updates"))
    assert made.theorem == "PERC-SEP"


def test_a_margin_is_searched_for_as_long_as_it_may_be_of_use() -> None:
    record = kept(Perceptron(), 0.0)
    assert record.examples is not None
    examples = _examples.Examples.of(record.examples)
    v, gap = examples.separator()
    assert gap.below > 0
    again, _ = examples.separator(useful=0.99 * gap.below)
    assert again.tolist() == v.tolist()
    some = examples.separator(useful=1.1 * gap.above)[1]
    assert some.passes < gap.passes
    assert some.above < 1.1 * gap.above


@pytest.mark.usefixtures("hasty")
def test_perc_sep_ends_where_it_cannot_be_the_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given: list[float] = []
    search = _examples.Examples.separator

    def noted(self: Any, least: float = 0.0, useful: float = 0.0) -> Any:
        given.append(useful)
        return search(self, least, useful)

    monkeypatch.setattr(_examples.Examples, "separator", noted)
    for bias, more in ((0.0, 1.0), (1.0, 4.0)):  # with a threshold it may do better
        record = kept(Perceptron(bias=bias), 0.0)
        best = certify(record)
        assert record.examples is not None
        examples = _examples.Examples.of(record.examples, bias=bias)
        square = examples.radius**2 / given.pop() ** 2
        assert square == pytest.approx(more * best.bound)


@pytest.mark.usefixtures("hasty")
def test_where_steps_say_nothing_the_other_theorem_is_searched_for() -> None:
    record = run(
        PassiveAggressive(),
        [({"a": 1.0}, t % 2 > 0) for t in range(40)],
        keep="updates",
    )
    made = certify(record)
    assert "PA1" in {made.theorem, *made.others}


def test_few_examples_have_every_theorem() -> None:
    assert "PERC-SEP" in certify(kept(Perceptron(), 0.0)).others
    assert "PA1" in certify(kept(PassiveAggressive(), 0.1)).others


def test_a_search_by_steps_begins_where_the_learner_ended() -> None:
    record = kept(PassiveAggressive(bias=1.0), 0.1)
    assert record.examples is not None
    examples = _examples.Examples.of(record.examples, bias=1.0)
    wrong = np.ones(len(examples), dtype=np.bool_)
    given = record.learner.parameters
    steps = _aggressive.Steps.replayed(examples, given, wrong, 0)
    learner = PassiveAggressive(bias=1.0)
    for x, y in stream(0.1):
        learner.learn_one(x, y)
    assert steps.weights is not None
    weights = dict(zip(record.examples.features, steps.weights, strict=False))
    assert weights == pytest.approx(learner.weights_)
    assert steps.weights[-1] == pytest.approx(learner.intercept_)


def test_only_some_searches_are_hasty() -> None:
    assert set(_linear.SEARCHES) >= _linear.HASTY


def test_entries_are_read_once() -> None:
    entries = Entries.of([("a", "0x1.8000000000000p+1"), ("b", "0x0.0p+0")])
    assert entries.doubles == [3.0, 0.0]
    known = Entries.of([("a", "not read")], doubles=[2.0])
    assert entries.joined(known).doubles == [3.0, 0.0, 2.0]
    assert known.joined(Entries.of([("c", "1/3")])).doubles is None
    for constant in (None, "0x1.0000000000000p-1", "1/3"):
        u, again = Direction(entries, constant), Direction([*entries], constant)
        assert "b" not in u
        assert u.numbers == again.numbers
        assert u.square == 9 + (Fraction(again.sum) - 3) ** 2
