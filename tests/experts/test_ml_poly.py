"""ML-Poly: regrets above 0, over their squares."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from littlestone import theorems
from littlestone.errors import (
    ExampleError,
    FeatureError,
    LabelError,
    LittlestoneError,
    ParameterError,
)
from littlestone.experts import MLPoly
from littlestone.verify import twins
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
    unchanged,
)

some = settings(max_examples=80, deadline=None)

# By hand ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_weights_are_regrets_above_0_over_their_squares(form: Any) -> None:
    learner = MLPoly("absolute", form=form)
    assert learner.play_one([0.0, 1.0], 1.0) == 0.5  # regrets -1/2 and 1/2
    assert dict(learner.weights_) == {0: 0.0, 1: 1.0}
    assert learner.play_one([0.0, 1.0], 0.0) == 1.0  # regrets 1 and 0
    # Both have 1/2 now, over 1 + 5/4 and 1 + 1/4: 4/9 to 4/5.
    assert [*learner.weights_.values()] == pytest.approx([5 / 14, 9 / 14], rel=1e-15)
    assert learner.loss_ == 1.5
    assert dict(learner.losses_) == {0: 1.0, 1: 1.0}
    assert dict(learner.regret_) == {0: 0.5, 1: 0.5}


def test_the_forms_differ_by_the_scale() -> None:
    opera, published = MLPoly("absolute"), MLPoly("absolute", form="published")
    for learner in (opera, published):
        learner.play([[0.0, 0.5], [0.0, 0.5]], [0.5, 0.0])
    # Regrets -1/4 + 1/2 and 1/4; squares 5/16 and 1/16; the largest so far 1/4.
    expected = {opera: [5 / 14, 9 / 14], published: [17 / 38, 21 / 38]}
    for learner, weights in expected.items():
        assert [*learner.weights_.values()] == pytest.approx(weights, rel=1e-15)


@pytest.mark.parametrize("factor", [2.0**-400, 2.0**-30, 8.0, 2.0**90, 2.0**480])
def test_operas_form_has_no_scale(factor: float) -> None:
    small, large = MLPoly("absolute"), MLPoly("absolute")
    rng = np.random.default_rng(9)
    for _ in range(30):
        x, y = rng.random(3), float(rng.random())
        said = small.play_one(x, y)
        assert large.play_one(x * factor, y * factor) == said * factor


def test_slopes_compete_with_mixtures() -> None:
    # The truth lies between two experts who are equally far from it.
    learner = MLPoly("square", gradient=True)
    said = learner.play([[0.0, 1.0]] * 300, [0.3] * 300)
    assert abs(said[-50:].mean() - 0.3) < 0.02


@pytest.mark.parametrize("form", FORMS)
def test_experts_who_agree_are_followed(form: Any) -> None:
    learner = MLPoly("absolute", form=form)
    for y in (0.5, 1.0, 0.25):
        assert learner.play_one([1.0, 1.0, 1.0], y) == 1.0
    assert dict(learner.weights_) == {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gradient", [False, True])
def test_an_expert_alone_is_followed(form: Any, gradient: bool) -> None:
    learner = MLPoly("absolute", form=form, gradient=gradient, range=(-1, 1))
    for advice in (0.5, 0.1, 0.7):
        assert learner.play_one([advice], 0.0) == advice
    assert dict(learner.weights_) == {0: 1.0}
    assert learner.regret_[0] == 0.0


@pytest.mark.parametrize("form", FORMS)
def test_one_who_was_alone_keeps_its_share_when_another_joins(form: Any) -> None:
    learner = MLPoly("absolute", form=form)
    learner.play_one([0.5], 0.0)
    learner.join(1, 0.25)
    assert dict(learner.weights_) == {0: 0.75, 1: 0.25}
    for _ in range(200):  # the old one is right, and is believed
        learner.play_one([0.0, 1.0], 0.0)
    assert learner.weights_[0] > 0.99
    assert learner.regret_[0] < 5


@pytest.mark.parametrize("form", FORMS)
def test_priors_decide_the_first_round(form: Any) -> None:
    learner = MLPoly("absolute", form=form, experts={"a": 3, "b": 1})
    assert learner.predict_one({"a": 0.0, "b": 1.0}) == 0.25


@pytest.mark.parametrize("form", FORMS)
def test_nothing_of_a_sleeper_changes(form: Any) -> None:
    learner = MLPoly("absolute", form=form)
    for y in (0.0, 0.3, 1.0, 1.0):
        learner.play_one([0.1, 0.9, 0.5], y)
    before = {i: learner.weights_[i] for i in (0, 1)}
    learner.play_one({2: 0.7}, 0.0)  # alone, and so without a regret
    after = learner.weights_
    if before[1]:
        assert after[0] / after[1] == pytest.approx(before[0] / before[1], rel=1e-12)
    assert learner.own_losses_[0] == pytest.approx(learner.loss_ - 0.7)
    assert learner.losses_[2] == pytest.approx(0.5 + 0.2 + 0.5 + 0.5 + 0.7)


@pytest.mark.parametrize(
    ("gradient", "loss", "weights"),
    [
        (True, 1522.223191103, (0.55711375379, 0.44288624621, 0.0)),
        (False, 1608.524614343, (1.0, 0.0, 0.0)),
    ],
)
def test_sleepers_among_real_forecasts(
    gradient: bool, loss: float, weights: tuple[float, ...]
) -> None:
    # Computed by a program that shares nothing with this one.
    names, advice, outcomes = real("electric")
    learner = MLPoly("square", gradient=gradient, experts=names)
    for t, (row, y) in enumerate(zip(advice, outcomes, strict=True)):
        awake = {
            n: f
            for i, (n, f) in enumerate(zip(names, row, strict=True))
            if (t + 2 * i) % 5
        }
        learner.play_one(awake, y)
    assert math.sqrt(learner.loss_ / len(advice)) == pytest.approx(loss, abs=1e-8)
    assert [*learner.weights_.values()] == pytest.approx(weights, abs=1e-10)


# What the theorem says ----------------------------------------------------------------


def test_each_form_names_its_theorem() -> None:
    assert MLPoly().guarantees == (theorems.ML_POLY,)
    assert MLPoly(form="published").guarantees == (theorems.ML_POLY,)


@some
@given(cases())
def test_the_theorem_holds_whatever_happens(case: Case) -> None:
    holds(MLPoly, case)


@pytest.mark.parametrize("kind", ADVERSARIES)
@pytest.mark.parametrize("priors", [[1.0, 1.0], [1.0] * 7, [0.9, 0.09, 0.009, 0.001]])
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
    form: str, scale: str, kind: str, priors: list[float]
) -> None:
    holds_against(MLPoly, form, kind, scale, priors)


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gradient", [False, True])
def test_the_theorem_holds_on_real_streams(
    name: str, form: str, gradient: bool
) -> None:
    holds_on_real(MLPoly, form, name, gradient=gradient)


def test_an_adversary_comes_within_a_factor_of_3_of_the_bound() -> None:
    kind = "against the heaviest"
    assert holds_against(MLPoly, "opera", kind, "steady", [1.0, 1.0]) > 0.35


# What the twin says -------------------------------------------------------------------


@settings(max_examples=250, deadline=None)
@given(cases())
def test_it_equals_its_twin(case: Case) -> None:
    equal(MLPoly(**case.parameters), twins.MLPoly(**case.parameters), case.events)


@pytest.mark.parametrize("loss", ["log", "brier"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gradient", [False, True])
def test_it_equals_its_twin_on_distributions(
    loss: str, form: Any, gradient: bool
) -> None:
    rng = np.random.default_rng(4)
    parameters = {"form": form, "gradient": gradient, "range": (-100, 100)}
    learner, twin = MLPoly(loss, **parameters), twins.MLPoly(loss, **parameters)
    for t in range(40):
        said = rng.dirichlet(np.ones(3), size=11)
        awake = [i for i in range(11) if t == 0 or rng.random() < 0.8]
        y = int(rng.integers(3))
        x = {i: said[i].tolist() for i in awake}
        assert learner.play_one(x, y).tolist() == twin.play(x, y)
        assert dict(learner.weights_) == twin.weights


@pytest.mark.parametrize("form", FORMS)
def test_it_equals_its_twin_on_many_rounds(form: Any) -> None:
    rng = np.random.default_rng(5)
    advice, outcomes = rng.random((1500, 12)), rng.random(1500)
    learner, twin = MLPoly("square", form=form), twins.MLPoly("square", form=form)
    said = learner.play(advice, outcomes)
    pairs = zip(advice.tolist(), outcomes.tolist(), strict=True)
    assert said.tolist() == [twin.play(x, y) for x, y in pairs]
    assert dict(learner.weights_) == twin.weights


@pytest.mark.parametrize("form", FORMS)
def test_it_equals_its_twin_as_experts_join(form: Any) -> None:
    rng = np.random.default_rng(10)
    learner, twin = MLPoly("absolute", form=form), twins.MLPoly("absolute", form=form)
    events: list[Any] = []
    for n in range(1, 12):
        for _ in range(40):
            x = rng.integers(0, 2, n).astype(float)
            events.append((dict(enumerate(x.tolist())), 1.0))
        events.append(float(rng.choice([0.5, 0.1, 0.01])))
    equal(learner, twin, events)


@some
@given(cases(), st.integers(0, 20))
def test_it_goes_on_from_a_pickle_as_if_nothing_had_happened(
    case: Case, at: int
) -> None:
    learner, twin = MLPoly(**case.parameters), twins.MLPoly(**case.parameters)
    equal(learner, twin, case.events[:at])
    copy = pickle.loads(pickle.dumps(learner))  # noqa: S301 - our own bytes
    equal(copy, twin, case.events[at:])


def test_a_loss_that_only_python_knows_is_charged_alike() -> None:
    rng = np.random.default_rng(6)
    known, told = MLPoly("absolute"), MLPoly(lambda p, y: abs(p - y))
    for _ in range(50):
        x, y = rng.random(4).tolist(), float(rng.random())
        assert known.play_one(x, y) == told.play_one(x, y)
    assert dict(known.weights_) == dict(told.weights_)


# Beyond what doubles can square -------------------------------------------------------


@settings(max_examples=100, deadline=None)
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
def test_losses_of_any_size_are_learned_from_as_in_decimals(drawn: Any) -> None:
    rounds = [({0: 0.25, 1: 0.5, 2: 1.0}, 0.0)]
    for experts, y, scale in drawn:
        x = {i: f * scale for i, (awake, f) in enumerate(experts) if awake}
        rounds.append((x or {1: scale}, y * scale))
    near_decimals(MLPoly("absolute"), rounds)


def test_one_loss_of_1e300_does_no_harm_to_those_who_slept() -> None:
    rng = np.random.default_rng(7)
    rounds: list[tuple[dict[int, float], float]] = []
    for t in range(60):
        x = dict(enumerate(rng.random(4).tolist()))
        if t == 20:
            x = {0: 1e300, 1: -1e300}
        elif t % 3 == 1:
            x = {2: x[2], 3: x[3]}
        rounds.append((x, 0.4))
    near_decimals(MLPoly("absolute"), rounds)


def test_a_loss_of_1e300_equals_its_twin() -> None:
    rng = np.random.default_rng(8)
    learner, twin = MLPoly("absolute"), twins.MLPoly("absolute")
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
        ({"form": "paper"}, "MLPoly: form must be 'opera' or 'published', got 'paper'"),
        ({"gradient": 1}, "MLPoly: gradient must be True or False, got 1"),
        ({"loss": "zero-one", "gradient": True}, "needs a loss with a slope"),
        ({"range": (1, 0)}, r"MLPoly: range must be a pair of numbers \(low, high\)"),
        ({"loss": "nonsense"}, "nonsense"),
        ({"experts": 0}, "MLPoly: experts must be at least one, got 0"),
        ({"experts": {"a": -1}}, "MLPoly: a prior must exceed 0, got -1"),
        (
            {"form": "published", "gradient": True},
            "MLPoly: form='published' with gradient=True needs the range of slope",
        ),
        (
            {"form": "published", "range": (0, math.inf)},
            "MLPoly: form='published' needs a finite range",
        ),
    ],
)
def test_parameters_that_would_void_the_theorem(
    parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        MLPoly(**parameters)


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
    x: Any, y: float, error: type[Exception], message: str
) -> None:
    learner = MLPoly("absolute")
    learner.play_one({"a": 0.25, "b": 0.75}, 0.0)
    unchanged(learner, error, message, x, y)


@pytest.mark.parametrize("x", [{"a": 0.5, "b": 1.5}, {"b": 1.5}])
def test_a_loss_outside_the_range_changes_nothing(x: dict[str, float]) -> None:
    learner = MLPoly("absolute", form="published")
    learner.play_one({"a": 0.25, "b": 0.75}, 0.0)
    message = r"the loss of expert 'b' must lie in \[0, 1\], got 1.5"
    unchanged(learner, ExampleError, message, x, 0.0)


def test_a_slope_outside_the_range_changes_nothing() -> None:
    learner = MLPoly("square", form="published", gradient=True, range=(-1, 1))
    learner.play_one([0.25, 0.5], 0.0)
    unchanged(learner, ExampleError, r"must lie in \[-1, 1\]", [3.0, 4.0], 0.0)


def test_a_mean_better_than_any_expert_may_be_is_charged_as_the_best() -> None:
    # Both lose 1, as the range says, and their mean nothing: that is no credit.
    learner = MLPoly("square", form="published", range=(1.0, 1.001))
    for _ in range(5):
        assert learner.play_one([-1.0, 1.0], 0.0) == 0.0
    assert dict(learner.weights_) == {0: 0.5, 1: 0.5}
    assert learner.regret_[0] == -5.0
    for _ in range(30):
        learner.play_one([1.0, math.sqrt(1.0009)], 0.0)
    assert learner.weights_[0] > 0.9


@pytest.mark.parametrize("prior", [0, 1, -0.5, math.nan])
def test_a_newcomer_must_have_a_share_that_leaves_some_to_others(prior: Any) -> None:
    learner = MLPoly(experts=2)
    with pytest.raises(ParameterError, match="prior must lie between 0 and 1"):
        learner.join(2, prior)
    assert learner.experts_ == [0, 1]
