"""What MLPoly, MLProd and BOA have in common: each test runs on all three."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crowds import refuses
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.experts import BOA, MLPoly, MLProd
from littlestone.verifying import twins
from regretful import (
    ADVERSARIES,
    FORMS,
    REAL,
    Case,
    cases,
    equal,
    holds,
    holds_against,
    holds_on_real,
    near_decimals,
    real,
)
from tries import often, some

pytestmark = pytest.mark.parametrize("made", [MLPoly, MLProd, BOA])
forms = pytest.mark.parametrize("form", FORMS)
gradients = pytest.mark.parametrize("gradient", [False, True])

# The root mean square and the last weights where every fifth expert's forecast is left
# out, with slopes or without, computed by a program that shares nothing with this one.
FORECASTS = {
    (MLPoly, True): (1522.223191103, (0.55711375379, 0.44288624621, 0.0)),
    (MLPoly, False): (1608.524614343, (1.0, 0.0, 0.0)),
    (MLProd, True): (1573.453434955, (0.78573453932, 0.18187844265, 0.032387018034)),
    (MLProd, False): (
        1575.970861328,
        (0.99916426965, 0.00078406884066, 5.1661513244e-05),
    ),
    (BOA, True): (1556.050691304, (0.71234832701, 0.24665197932, 0.040999693669)),
    (BOA, False): (1603.466720805, (0.81562358047, 0.16824494634, 0.016131473192)),
}

WIDE = [0.9, 0.09, 0.009, 0.001]


def pair(made: Any, *arguments: Any, **options: Any) -> tuple[Any, Any]:
    """Return a learner and its twin."""
    twin = getattr(twins, made.__name__)
    return made(*arguments, **options), twin(*arguments, **options)


# By hand ------------------------------------------------------------------------------


@forms
def test_experts_who_agree_are_followed(made: Any, form: str) -> None:
    learner = made("absolute", form=form)
    for y in (0.5, 1.0, 0.25):
        assert learner.play_one([1.0, 1.0, 1.0], y) == 1.0
    assert dict(learner.weights_) == {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}


@forms
@gradients
def test_an_expert_alone_is_followed(made: Any, form: str, gradient: bool) -> None:
    learner = made("absolute", form=form, gradient=gradient, range=(-1, 1))
    for advice in (0.5, 0.1, 0.7):
        assert learner.play_one([advice], 0.0) == advice
    assert dict(learner.weights_) == {0: 1.0}
    assert learner.regret_[0] == 0.0


@forms
def test_one_who_was_alone_keeps_its_share_when_another_joins(
    made: Any, form: str
) -> None:
    learner = made("absolute", form=form)
    learner.play_one([0.5], 0.0)
    learner.join(1, 0.25)
    assert dict(learner.weights_) == {0: 0.75, 1: 0.25}
    for _ in range(200):  # the old one is right, and is believed
        learner.play_one([0.0, 1.0], 0.0)
    assert learner.weights_[0] > 0.99
    assert learner.regret_[0] < 5


@forms
def test_priors_decide_the_first_round(made: Any, form: str) -> None:
    learner = made("absolute", form=form, experts={"a": 3, "b": 1})
    assert learner.predict_one({"a": 0.0, "b": 1.0}) == 0.25


@forms
def test_nothing_of_a_sleeper_changes(made: Any, form: str) -> None:
    learner = made("absolute", form=form)
    for y in (0.0, 0.3, 1.0, 1.0):
        learner.play_one([0.1, 0.9, 0.5], y)
    before = {i: learner.weights_[i] for i in (0, 1)}
    learner.play_one({2: 0.7}, 0.0)  # alone, and so without a regret
    after = learner.weights_
    if before[1]:
        assert after[0] / after[1] == pytest.approx(before[0] / before[1], rel=1e-12)
    assert learner.own_losses_[0] == pytest.approx(learner.loss_ - 0.7)
    assert learner.losses_[2] == pytest.approx(0.5 + 0.2 + 0.5 + 0.5 + 0.7)


@gradients
def test_sleepers_among_real_forecasts(made: Any, gradient: bool) -> None:
    names, advice, outcomes = real("electric")
    learner = made("square", gradient=gradient, experts=names)
    for t, (row, y) in enumerate(zip(advice, outcomes, strict=True)):
        pairs = enumerate(zip(names, row, strict=True))
        learner.play_one({n: f for i, (n, f) in pairs if (t + 2 * i) % 5}, y)
    loss, weights = FORECASTS[made, gradient]
    assert math.sqrt(learner.loss_ / len(advice)) == pytest.approx(loss, abs=1e-8)
    assert [*learner.weights_.values()] == pytest.approx(weights, abs=1e-10)


# What the theorem says ----------------------------------------------------------------


@given(cases())
def test_the_theorem_holds_whatever_happens(made: Any, case: Case) -> None:
    holds(made, case)


@pytest.mark.parametrize("kind", ADVERSARIES)
@pytest.mark.parametrize(
    "priors", often([[1.0, 1.0], [1.0] * 7, WIDE], lambda priors: priors is WIDE)
)
@pytest.mark.parametrize(
    ("form", "scale"),
    [
        ("published", "steady"),
        ("opera", "steady"),
        ("opera", "growing"),
        ("opera", "spike"),
    ],
)
def test_the_theorem_holds_against_adversaries(
    made: Any, form: str, scale: str, kind: str, priors: list[float]
) -> None:
    holds_against(made, form, kind, scale, priors)


@pytest.mark.parametrize("name", some(REAL))
@forms
@gradients
def test_the_theorem_holds_on_real_streams(
    made: Any, name: str, form: str, gradient: bool
) -> None:
    holds_on_real(made, form, name, gradient=gradient)


# What the twin says -------------------------------------------------------------------


@given(cases())
def test_it_equals_its_twin(made: Any, case: Case) -> None:
    equal(*pair(made, **case.parameters), case.events)


@pytest.mark.parametrize("loss", ["log", "brier"])
@forms
@gradients
def test_it_equals_its_twin_on_distributions(
    made: Any, loss: str, form: str, gradient: bool
) -> None:
    rng = np.random.default_rng(4)
    learner, twin = pair(made, loss, form=form, gradient=gradient, range=(-100, 100))
    for t in range(40):
        said = rng.dirichlet(np.ones(3), size=11)
        awake = [i for i in range(11) if t == 0 or rng.random() < 0.8]
        y = int(rng.integers(3))
        x = {i: said[i].tolist() for i in awake}
        assert learner.play_one(x, y).tolist() == twin.play(x, y)
        assert dict(learner.weights_) == twin.weights


@forms
def test_it_equals_its_twin_on_many_rounds(made: Any, form: str) -> None:
    rng = np.random.default_rng(5)
    advice, outcomes = rng.random((1500, 12)), rng.random(1500)
    learner, twin = pair(made, "square", form=form)
    said = learner.play(advice, outcomes)
    pairs = zip(advice.tolist(), outcomes.tolist(), strict=True)
    assert said.tolist() == [twin.play(x, y) for x, y in pairs]
    assert dict(learner.weights_) == twin.weights


@forms
def test_it_equals_its_twin_as_experts_join(made: Any, form: str) -> None:
    rng = np.random.default_rng(10)
    events: list[Any] = []
    for n in range(1, 12):
        for _ in range(40):
            x = rng.integers(0, 2, n).astype(float)
            events.append((dict(enumerate(x.tolist())), 1.0))
        events.append(float(rng.choice([0.5, 0.1, 0.01])))
    equal(*pair(made, "absolute", form=form), events)


@given(cases(), st.integers(0, 20))
def test_it_goes_on_from_a_pickle_as_if_nothing_had_happened(
    made: Any, case: Case, at: int
) -> None:
    learner, twin = pair(made, **case.parameters)
    equal(learner, twin, case.events[:at])
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    equal(copy, twin, case.events[at:])


def test_a_loss_that_only_python_knows_is_charged_alike(made: Any) -> None:
    rng = np.random.default_rng(6)
    known, told = made("absolute"), made(lambda p, y: abs(p - y))
    for _ in range(50):
        x, y = rng.random(4).tolist(), float(rng.random())
        assert known.play_one(x, y) == told.play_one(x, y)
    assert dict(known.weights_) == dict(told.weights_)


# Beyond what doubles can square -------------------------------------------------------


@given(
    st.lists(
        st.tuples(
            st.lists(
                st.tuples(st.booleans(), st.integers(0, 9)), min_size=3, max_size=3
            ),
            st.integers(0, 9),
            st.sampled_from([1.0, 1.0, 1e-3, 1e9, 1e-170, 1e160, 1e300]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_losses_of_any_size_are_learned_from_as_in_decimals(
    made: Any, drawn: Any
) -> None:
    rounds = [({0: 0.25, 1: 0.5, 2: 1.0}, 0.0)]
    for experts, y, scale in drawn:
        x = {i: f * scale for i, (awake, f) in enumerate(experts) if awake}
        rounds.append((x or {1: scale}, y * scale))
    near_decimals(made("absolute"), rounds)


def test_one_loss_of_1e300_does_no_harm_to_those_who_slept(made: Any) -> None:
    rng = np.random.default_rng(7)
    rounds: list[tuple[dict[int, float], float]] = []
    for t in range(60):
        x = dict(enumerate(rng.random(4).tolist()))
        if t == 20:
            x = {0: 1e300, 1: -1e300}
        elif t % 3 == 1:
            x = {2: x[2], 3: x[3]}
        rounds.append((x, 0.4))
    near_decimals(made("absolute"), rounds)


def test_a_loss_of_1e300_equals_its_twin(made: Any) -> None:
    rng = np.random.default_rng(8)
    learner, twin = pair(made, "absolute")
    for t in range(60):
        scale = {20: 1e300, 25: 1e-200, 40: 1e307}.get(t, 1.0)
        x = {i: f * scale for i, f in enumerate(rng.random(9).tolist()) if (t + i) % 4}
        x = x if t else dict.fromkeys(range(9), 0.5)
        equal(learner, twin, [(x, 0.5 * scale)])
    assert sum(learner.weights_.values()) == pytest.approx(1.0, abs=1e-12)
    assert all(math.isfinite(w) for w in learner.weights_.values())


# What is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"form": "paper"}, "{}: form must be 'opera' or 'published', got 'paper'"),
        ({"gradient": 1}, "{}: gradient must be True or False, got 1"),
        ({"loss": "zero-one", "gradient": True}, "{}: .*needs a loss with a slope"),
        ({"range": (1, 0)}, r"{}: range must be a pair of numbers \(low, high\)"),
        ({"loss": "nonsense"}, "nonsense"),
        ({"experts": 0}, "{}: there must be at least one expert, got 0"),
        ({"experts": {"a": -1}}, "{}: a prior must exceed 0, got -1"),
        (
            {"form": "published", "gradient": True},
            "{}: form='published' with gradient=True needs the range of slope",
        ),
        (
            {"form": "published", "range": (0, math.inf)},
            "{}: form='published' needs a finite range",
        ),
    ],
)
def test_parameters_that_would_void_the_theorem(
    made: Any, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message.format(made.__name__)):
        made(**parameters)


@pytest.mark.parametrize(
    ("x", "y", "error", "message"),
    [
        ({"a": math.nan, "b": 1.0}, 0.5, FeatureError, "expert 'a'"),
        ({"a": 0.5, "b": math.inf}, 0.5, FeatureError, "expert 'b'.*got inf"),
        ({"a": 0.5, "c": 0.5}, 0.5, FeatureError, "must be known, got 'c'"),
        ([0.5], 0.5, FeatureError, "one prediction for each of 2 experts, got 1"),
        ({}, 0.5, ExampleError, "at least one expert must be awake"),
        ({"a": 0.5, "b": 0.5}, math.nan, LabelError, "an outcome must be a finite"),
        ({"a": "x", "b": 0.5}, 0.5, FeatureError, "expert 'a'"),
        ({"a": 1.7e308, "b": 1.7e308}, -1.7e308, LittlestoneError, "finite"),
    ],
)
def test_a_refused_round_changes_nothing(
    made: Any, x: Any, y: float, error: type[Exception], message: str
) -> None:
    learner = made("absolute")
    learner.play_one({"a": 0.25, "b": 0.75}, 0.0)
    refuses(learner, error, message, x, y)


@pytest.mark.parametrize("x", [{"a": 0.5, "b": 1.5}, {"b": 1.5}])
def test_a_loss_outside_the_range_changes_nothing(
    made: Any, x: dict[str, float]
) -> None:
    learner = made("absolute", form="published")
    learner.play_one({"a": 0.25, "b": 0.75}, 0.0)
    message = r"the loss of expert 'b' must lie in \[0, 1\], got 1.5"
    refuses(learner, ExampleError, message, x, 0.0)


def test_a_slope_outside_the_range_changes_nothing(made: Any) -> None:
    learner = made("square", form="published", gradient=True, range=(-1, 1))
    learner.play_one([0.25, 0.5], 0.0)
    refuses(learner, ExampleError, r"must lie in \[-1, 1\]", [3.0, 4.0], 0.0)


def test_a_mean_better_than_any_expert_may_be_is_charged_as_the_best(
    made: Any,
) -> None:
    # Both lose 1, as the range says, and their mean nothing: that is no credit.
    learner, twin = pair(made, "square", form="published", range=(1.0, 1.001))
    equal(learner, twin, [({0: -1.0, 1: 1.0}, 0.0)] * 5)
    assert learner.loss_ == 0.0
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}
    assert learner.regret_[0] == -5.0
    equal(learner, twin, [({0: 1.0, 1: math.sqrt(1.0009)}, 0.0)] * 30)
    assert learner.weights_[0] > 0.9


@pytest.mark.parametrize("prior", [0, 1, -0.5, math.nan])
def test_a_newcomer_must_have_a_share_that_leaves_some_to_others(
    made: Any, prior: Any
) -> None:
    learner = made(experts=2)
    with pytest.raises(ParameterError, match="prior must lie between 0 and 1"):
        learner.join(2, prior)
    assert learner.experts_ == [0, 1]
