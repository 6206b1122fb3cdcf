"""Balanced Winnow is the normalised Winnow on (x, -x), and errs no more often."""

from __future__ import annotations

import itertools
import math
import pickle
import re
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone import certify
from littlestone.errors import FeatureError, ParameterError
from littlestone.linear import BalancedWinnow
from littlestone.theorems import (
    BWIN_ANY,
    BWIN_GAP,
    BWIN_ORDER,
    BWIN_RMS,
    BWIN_SEP,
    BWIN_STEPS,
)
from witness import DOWN, UP, losses, played, signs, vectors, with_constant
from worlds import World, worlds

# What the source says -----------------------------------------------------------


def test_a_mistake_moves_the_logarithms_by_the_rate() -> None:
    learner = BalancedWinnow(0.5)
    assert learner.play_one({"a": 1.0, "b": -0.5}, y=False)
    assert learner.weights_ == pytest.approx(
        {"a": math.sinh(-0.5), "b": math.sinh(0.25)}
    )
    assert not learner.play_one({"a": 1.0}, y=True)
    assert learner.weights_ == pytest.approx({"b": math.sinh(0.25)})
    assert learner.play_one({"b": 1.0}, y=True)
    assert learner.updates_ == 2


def test_a_feature_not_met_before_decides_nothing() -> None:
    learner = BalancedWinnow(0.5)
    learner.learn_one({"a": 1.0}, y=False)
    assert learner.score_one({"a": 0.5, "new": 1.0}) == learner.score_one({"a": 0.5})


@pytest.mark.parametrize("rate", [0.5, 700.0, 30_000.0])
def test_nor_does_it_where_the_others_cancel(rate: float) -> None:
    learner = BalancedWinnow(rate)
    learner.learn_one({"a": 1.0, "b": 1.0}, y=False)
    assert learner.score_one({"a": 1.0, "b": -1.0, "new": -1.0}) == 0.0
    assert learner.predict_one({"a": 1.0, "b": -1.0, "new": -1.0})


def test_small_weights_decide_where_large_ones_cancel() -> None:
    learner = BalancedWinnow(650.0, scale=2)
    learner.learn_one({"a": 1.0, "b": 1.0, "c": 1e-3, "d": -5e-4}, y=False)
    # -sinh(0.65) + 3/2 sinh(0.325) is below 0, though -e^0.65 + 3/2 e^0.325 is above.
    assert not learner.predict_one({"a": 1.0, "b": -1.0, "c": 1.0, "d": 1.5})


def test_for_margin_chooses_the_rate_of_the_theorem() -> None:
    learner = BalancedWinnow.for_margin(0.5, norm=4, scale=2)
    assert learner.get_params() == {"rate": 0.5 / 16, "scale": 2, "bias": 0.0}


@pytest.mark.parametrize("bias", [0.0, -0.8])
@pytest.mark.parametrize("rate", [0.01, 0.3, 5.0])
def test_it_says_what_normalised_weights_say(rate: float, bias: float) -> None:
    rng = np.random.default_rng(4)
    X = rng.uniform(-1, 1, size=(1_000, 6)) * (rng.random((1_000, 6)) < 0.7)
    y = X @ [1, -1, 0, 0, 0.2, 0] + 0.2 * rng.normal(size=1_000) > 0
    learner = BalancedWinnow(rate, bias=bias)
    logs = np.zeros(14)
    mistakes = 0
    for t, x in enumerate(with_constant(X, bias)):
        z = np.concatenate([x, -x])
        p = np.exp(logs - logs.max())
        p /= p.sum()
        score = float(p @ z)
        said = learner.play_one(X[t], y[t])
        assert said == (score >= 0) or abs(score) < 1e-15
        if said != y[t]:
            logs += rate * (1.0 if y[t] else -1.0) * z
            mistakes += 1
    assert learner.updates_ == mistakes > 50
    assert learner.coef_ == pytest.approx(np.sinh(logs[:6]), rel=1e-9)
    assert learner.intercept_ == pytest.approx(math.sinh(logs[6]) * bias)


def exact_sign(row: np.ndarray[Any, Any], logs: np.ndarray[Any, Any]) -> bool:
    """Tell whether the sum of x sinh(a) is at least 0, by numbers without end."""
    with localcontext(Context(prec=400, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        total = Decimal(0)
        for value, log in zip(row.tolist(), logs.tolist(), strict=True):
            a = Decimal(log)
            total += Decimal(value) * (a.exp() - (-a).exp())
        return total >= 0


@pytest.mark.soak
@pytest.mark.parametrize("rate", [2.0**16, 2.0**-40])
def test_a_million_rounds_neither_under_nor_overflow(rate: float) -> None:
    # Labels that no weights explain, so that it errs to the end; all numbers are
    # multiples of 1/4 times the rate, so the logarithms are known exactly. The last
    # feature stands alone in rows of its own, where the others must not drown it.
    rng = np.random.default_rng(9)
    rounds = 1_000_000
    X = rng.integers(-4, 5, size=(rounds, 4)) / 4
    X[:, 3] = 0.0
    X[::1000, :] = [0.0, 0.0, 0.0, 0.25]
    y = rng.random(rounds) < 0.5
    y[::1000] = False
    learner = BalancedWinnow(rate)
    wrong = learner.play(X, y) != y
    assert np.count_nonzero(wrong) > rounds / 3
    logs = rate * (signs(y)[wrong] @ X[wrong])
    assert (np.abs(logs[:3]).max() > 10_000) == (rate > 1)
    assert logs[3] == -rate / 4  # one mistake, and none after it
    few = rng.integers(-4, 5, size=(40, 4)) / 4
    few = few[few @ logs != 0]  # of a tie to first order doubles cannot tell the rest
    rows = np.vstack([few, np.eye(4), -np.eye(4)])
    assert len(few) > 30
    scores = learner.decision_function(rows)
    assert np.isfinite(scores).all()
    expected = [exact_sign(row, logs) for row in rows]
    assert (scores >= 0).tolist() == expected
    assert not learner.predict_one({3: 0.5})
    assert learner.predict_one({3: -0.5})
    assert math.isfinite(learner.weights_[0])


# What the theorem says ------------------------------------------------------------


def test_it_names_what_bounds_its_mistakes() -> None:
    named = {BWIN_SEP, BWIN_ANY, BWIN_GAP, BWIN_RMS, BWIN_STEPS, BWIN_ORDER}
    assert set(BalancedWinnow(1.0).guarantees) == named


@given(
    worlds(),
    st.sampled_from([0.0, 0.7]),
    vectors(7),
    st.floats(0.05, 3),
    st.floats(0.05, 0.95),
)
def test_mistakes_never_exceed_the_bound_of_any_vector(
    world: World, bias: float, u: np.ndarray[Any, Any], gamma: float, share: float
) -> None:
    scale = 3.0
    learner = BalancedWinnow(share * 2 * gamma / scale**2, scale=scale, bias=bias)
    wrong = played(learner, world.X, world.y).wrong
    X = with_constant(world.X, bias) if bias else world.X
    u = u[: X.shape[1]]
    assume(np.abs(u).sum() > 0.1)
    u /= np.abs(u).sum() * UP
    assert len(X[wrong]) <= BWIN_ANY.bound(
        features=X.shape[1],
        margin=gamma,
        deviation=math.fsum(losses(X[wrong], world.y[wrong], u, gamma)) * UP,
        rate=learner.rate,
        scale=scale,
    )


@given(worlds(), st.sampled_from([0.0, 0.7]), vectors(7), st.floats(0.05, 3))
def test_mistakes_never_exceed_the_bound_by_what_became_of_the_weights(
    world: World, bias: float, u: np.ndarray[Any, Any], price: float
) -> None:
    learner = BalancedWinnow(0.3, scale=3.0, bias=bias)
    wrong = played(learner, world.X, world.y).wrong
    X = with_constant(world.X, bias) if bias else world.X
    n, u = X.shape[1], u[: X.shape[1]]
    assume(np.abs(u).sum() > 0.1)
    u /= np.abs(u).sum() * UP
    signed = X[wrong] * np.where(world.y[wrong], 1, -1)[:, None]
    sizes = np.abs(u[u != 0])
    cost = np.maximum(0, 1 - price * 0.3 * (signed @ u))
    assert len(X[wrong]) <= BWIN_STEPS.bound(
        price=price,
        potential=float((sizes * np.log(2 * n * sizes)).sum()) + 1e-12,
        grown=math.log(np.mean(np.cosh(0.3 * signed.sum(axis=0)))) + 1e-12,
        owed=math.fsum(cost) * UP,
    )


def test_one_mistake_nearly_attains_the_bound_by_what_became_of_the_weights() -> None:
    stream = [({"a": 1.0}, False)]
    found = certify(BalancedWinnow(40.0), stream, theorem="BWIN-STEPS")
    assert found.mistakes == 1
    assert found.bound == pytest.approx(1)
    slow = certify(BalancedWinnow(2.0), stream, theorem="BWIN-STEPS")
    assert slow.bound == pytest.approx((math.log(2) + math.log(math.cosh(2))) / 2)


@given(worlds(), vectors(6))
def test_mistakes_never_exceed_the_bound_of_a_separator(
    world: World, u: np.ndarray[Any, Any]
) -> None:
    u = u[: world.X.shape[1]]
    scores = world.X @ u
    kept = np.abs(scores) > 0.2
    assume(kept.any())
    X, y = world.X[kept], scores[kept] > 0
    margin = float(np.abs(scores[kept]).min()) * DOWN
    numbers = {"margin": margin, "norm": float(np.abs(u).sum()) * UP, "scale": 3.0}
    learner = BalancedWinnow.for_margin(**numbers)
    mistakes = sum(int(np.count_nonzero(learner.play(X, y) != y)) for _ in range(4))
    # The rate is rounded, which BWIN-ANY allows for and the best rate hardly feels.
    assert mistakes <= BWIN_SEP.bound(features=X.shape[1], **numbers)


@given(worlds(), vectors(6), st.floats(-2, 2))
def test_mistakes_never_exceed_the_bound_of_a_gap(
    world: World, u: np.ndarray[Any, Any], threshold: float
) -> None:
    u = u[: world.X.shape[1]]
    scores = world.X @ u
    kept = np.abs(scores - threshold) > 0.2
    X, y = world.X[kept], scores[kept] > threshold
    assume(y.any() and not y.all())
    gap = float(scores[kept][y].min() - scores[kept][~y].max()) * DOWN - 1e-12
    norm = float(np.abs(u).sum()) * UP
    learner = BalancedWinnow(gap / (4 * norm * 9), scale=3, bias=3)
    mistakes = sum(int(np.count_nonzero(learner.play(X, y) != y)) for _ in range(4))
    assert mistakes <= BWIN_GAP.bound(features=X.shape[1], gap=gap, scale=3, norm=norm)


@pytest.mark.parametrize("k", [1, 3, 6, 10])
def test_halving_the_features_comes_within_seven_tenths_of_the_bound(k: int) -> None:
    # n = 2^k features and their opposites. Row t splits those that have always been
    # right into halves of equal weight, and the label goes to the half against what is
    # said: lg 2n mistakes, where the bound is 2 ln 2n. One feature stays right.
    n = 2**k
    rows = [[1.0 if i >> t & 1 else -1.0 for i in range(n)] for t in range(k)]
    rows.append([1.0] * n)
    learner = BalancedWinnow.for_margin(1.0)
    labels = []
    for row in rows:
        said = learner.predict_one(row)
        assert learner.play_one(row, not said) == said
        labels.append(not said)
    right = (np.array(rows) * signs(np.array(labels))[:, None]).sum(axis=0)
    assert np.abs(right).max() == k + 1  # of that feature or its opposite
    bound = BWIN_SEP.bound(features=n, margin=1)
    assert 0.72 * bound <= k + 1 <= bound


def greedy_mistakes(n: int, relevant: int) -> int:
    """Label against what is said while some mean of signed features is right.

    Rows are signs, so a mean of an odd number of features has a margin of 1 over it.
    """
    rng = np.random.default_rng(0)
    consistent = []
    for features in itertools.combinations(range(n), relevant):
        for sides in itertools.product([-1.0, 1.0], repeat=relevant):
            u = np.zeros(n)
            u[list(features)] = np.array(sides) / relevant
            consistent.append(u)
    left = np.array(consistent)
    learner = BalancedWinnow.for_margin(1 / relevant)
    rows = rng.choice([-1.0, 1.0], size=(300, n))
    mistakes = 0
    while True:
        against = np.where(learner.decision_function(rows) >= 0, -1.0, 1.0)
        agree = (left @ rows.T) * against > 0
        best = int(agree.sum(axis=0).argmax())
        if not agree[:, best].any():
            return mistakes
        left = left[agree[:, best]]
        learner.learn_one(rows[best], against[best] > 0)
        mistakes += 1
        assert learner.updates_ == mistakes


@pytest.mark.parametrize(("relevant", "share"), [(1, 0.72), (3, 0.36)])
def test_a_greedy_adversary_reaches_a_third_of_the_bound(
    relevant: int, share: float
) -> None:
    bound = BWIN_SEP.bound(features=16, margin=1 / relevant)
    assert share * bound <= greedy_mistakes(16, relevant) <= bound


# What is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rate": 0}, "rate must exceed 0, got 0"),
        ({"rate": math.nan}, "rate must be a finite number, got nan"),
        ({"rate": "1"}, "rate must be a finite number, got '1'"),
        ({"rate": 1, "scale": 0}, "scale must exceed 0, got 0"),
        ({"rate": 1, "scale": math.inf}, "scale must be a finite number, got inf"),
        ({"rate": 1, "bias": math.nan}, "bias must be a finite number, got nan"),
        (
            {"rate": 1, "bias": -1.5},
            "bias must be at most scale in size, got -1.5 with scale 1.0",
        ),
    ],
)
def test_illegal_parameters(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^BalancedWinnow: {message}"):
        BalancedWinnow(**parameters)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"margin": 0}, "margin must exceed 0, got 0"),
        ({"margin": 1, "norm": -1}, "norm must exceed 0, got -1"),
        ({"margin": 1, "scale": 0}, "scale must exceed 0, got 0"),
        ({"margin": 1, "scale": 1e-200}, "rate must be a finite number, got inf"),
        ({"margin": 1, "scale": 1e200}, "rate must exceed 0, got 0.0"),
    ],
)
def test_margins_that_make_no_sense(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=f"^BalancedWinnow: {message}"):
        BalancedWinnow.for_margin(**parameters)


@pytest.mark.parametrize("value", [1.0000001, -2, 1e300])
def test_a_value_beyond_the_scale_is_refused(value: float) -> None:
    learner = BalancedWinnow(0.5)
    learner.learn_one({"b": 1.0}, y=False)
    before = pickle.dumps(learner)
    shown = re.escape(str(float(value)))
    message = f"feature 'a' must be at most the scale in size, got {shown}"
    with pytest.raises(FeatureError, match=f"^BalancedWinnow: {message}"):
        learner.learn_one({"b": 1, "a": value}, y=True)
    with pytest.raises(FeatureError, match=message):
        learner.predict_one({"a": value})
    assert pickle.dumps(learner) == before
    with pytest.raises(FeatureError, match="row 1: .*feature 2 must be") as caught:
        learner.play([[1.0, 0.0, -1.0], [0.0, 1.0, value]], [True, True])
    assert (caught.value.row, caught.value.feature) == (1, 2)
    assert learner.updates_ == 1
