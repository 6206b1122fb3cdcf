"""Losses are what their formulas say, with slopes that match, and refuse the rest."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from littlestone import losses
from littlestone.errors import ExampleError, LabelError, ParameterError
from littlestone.losses import Loss, as_loss, custom, pinball
from littlestone.outcome import Outcome

NAMED = [
    losses.ZERO_ONE,
    losses.ABSOLUTE,
    losses.SQUARE,
    losses.LOG,
    losses.BRIER,
    pinball(0.9),
    losses.PERCENTAGE,
]
SLOPED = [loss for loss in NAMED if loss.slope is not None]


def identity(loss: Loss) -> str:
    return loss.name


def shortfall(prediction: Any, outcome: Any) -> Any:
    return np.maximum(np.subtract(outcome, prediction), 0)


# What the formulas say ------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "prediction", "outcome", "value", "slope"),
    [
        (losses.ABSOLUTE, 1.0, 3.0, 2.0, -1.0),
        (losses.ABSOLUTE, 3.0, 1.0, 2.0, 1.0),
        (losses.ABSOLUTE, 3.0, 3.0, 0.0, 0.0),
        (losses.SQUARE, 1.0, 3.0, 4.0, -4.0),
        (losses.SQUARE, 3, 1, 4.0, 4.0),
        (losses.LOG, 0.25, 1, math.log(4), -4.0),
        (losses.LOG, 0.75, 0, math.log(4), 4.0),
        (losses.LOG, 0.75, False, math.log(4), 4.0),
        (losses.LOG, 1.0, 1, 0.0, -1.0),
        (losses.LOG, 0.0, 0, 0.0, 1.0),
        (losses.LOG, 0.0, 1, math.inf, -math.inf),
        (losses.LOG, 1.0, 0, math.inf, math.inf),
        (losses.BRIER, 0.25, 1, 1.125, -3.0),
        (losses.BRIER, 0.25, 0, 0.125, 1.0),
        (pinball(0.75), 2.0, 6.0, 3.0, -0.75),
        (pinball(0.75), 6.0, 2.0, 1.0, 0.25),
        (pinball(0.75), 6.0, 6.0, 0.0, -0.75),
        (losses.PERCENTAGE, 3.0, 4.0, 0.25, -0.25),
        (losses.PERCENTAGE, -3.0, -4.0, 0.25, 0.25),
        (losses.PERCENTAGE, 4.0, 4.0, 0.0, 0.0),
    ],
)
def test_values_and_slopes_worked_by_hand(
    loss: Loss, prediction: float, outcome: float, value: float, slope: float
) -> None:
    assert loss.slope is not None
    assert loss.value(prediction, outcome) == value
    assert loss.slope(prediction, outcome) == slope
    assert type(loss.value(prediction, outcome)) is float
    assert type(loss.slope(prediction, outcome)) is float


def test_zero_one_counts_what_differs() -> None:
    assert losses.ZERO_ONE.value(True, 1) == 0.0
    assert losses.ZERO_ONE.value(0, 1) == 1.0
    assert losses.ZERO_ONE.value([1, 0, 1], [1, 1, 0]).tolist() == [0.0, 1.0, 1.0]
    assert losses.ZERO_ONE.slope is None


@pytest.mark.parametrize("loss", SLOPED, ids=identity)
@given(p=st.floats(0.05, 0.95), y=st.booleans())
def test_a_slope_is_the_difference_quotient(loss: Loss, p: float, y: bool) -> None:
    outcome = int(y) if loss.outcome is Outcome.DISTRIBUTION else 0.5 - y
    assume(outcome)  # a percentage of 0 is refused
    assume(abs(p - outcome) > 1e-3)
    assert loss.slope is not None
    h = 1e-6
    rise = loss.value(p + h, outcome) - loss.value(p - h, outcome)
    assert loss.slope(p, outcome) == pytest.approx(rise / (2 * h), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("loss", SLOPED, ids=identity)
@given(
    p=st.floats(0.01, 0.99), q=st.floats(0.01, 0.99), y=st.sampled_from([0.0, 0.4, 1.0])
)
def test_a_slope_supports_a_convex_loss(
    loss: Loss, p: float, q: float, y: float
) -> None:
    assume(y != 0.4 if loss.outcome is Outcome.DISTRIBUTION else y != 0.0)
    assert loss.slope is not None
    line = loss.value(p, y) + loss.slope(p, y) * (q - p)
    assert loss.value(q, y) >= line - 1e-9


@pytest.mark.parametrize("loss", NAMED, ids=identity)
def test_arrays_broadcast_and_agree_with_single_numbers(loss: Loss) -> None:
    predictions, outcomes = np.array([0.25, 0.5, 1.0]), np.array([[1], [1]])
    functions = [loss.value] if loss.slope is None else [loss.value, loss.slope]
    for function in functions:
        table = function(predictions, outcomes)
        assert table.shape == (2, 3)
        assert table[1].tolist() == [function(p.item(), 1) for p in predictions]


@pytest.mark.parametrize("loss", NAMED, ids=identity)
@given(p=st.floats(0, 1), y=st.sampled_from([0, 1]))
def test_a_loss_lies_in_its_range(loss: Loss, p: float, y: int) -> None:
    assume(y or loss.name != "percentage")
    assert loss.low <= loss.value(p, y) <= loss.high


def test_whole_numbers_without_a_sign_do_not_wrap_around() -> None:
    small, large = np.uint8(1), np.uint8(3)
    assert losses.SQUARE.value(small, large) == 4.0
    assert losses.ABSOLUTE.value(small, large) == 2.0
    assert pinball(0.5).value(small, large) == 1.0


@pytest.mark.parametrize("loss", SLOPED, ids=identity)
def test_a_missing_prediction_has_a_missing_loss(loss: Loss) -> None:
    assert loss.slope is not None
    assert np.isnan(loss.value([math.nan, 0.5], 1)).tolist() == [True, False]
    assert np.isnan(loss.slope([math.nan, 0.5], 1)).tolist() == [True, False]


# Distributions --------------------------------------------------------------


def test_losses_of_distributions_worked_by_hand() -> None:
    p = [0.5, 0.25, 0.25]
    assert losses.LOG.of_distribution(p, 1) == math.log(4)
    assert losses.BRIER.of_distribution(p, 1) == 0.25 + 0.5625 + 0.0625
    assert losses.LOG.slope_of_distribution(p, 1).tolist() == [0.0, -4.0, 0.0]
    assert losses.BRIER.slope_of_distribution(p, 1).tolist() == [1.0, -1.5, 0.5]
    assert losses.LOG.of_distribution([1.0, 0.0], 1) == math.inf
    assert losses.LOG.slope_of_distribution([1.0, 0.0], 1).tolist() == [0, -math.inf]


@pytest.mark.parametrize("loss", [losses.LOG, losses.BRIER], ids=identity)
@given(p=st.floats(0.01, 0.99), y=st.sampled_from([0, 1]))
def test_two_outcomes_are_a_yes_and_a_no(loss: Loss, p: float, y: int) -> None:
    assert loss.of_distribution([1 - p, p], y) == pytest.approx(loss.value(p, y))
    assert loss.slope is not None
    no, yes = loss.slope_of_distribution([1 - p, p], y)
    assert yes - no == pytest.approx(loss.slope(p, y))


def test_blocks_of_distributions_broadcast() -> None:
    rng = np.random.default_rng(0)
    p, y = rng.dirichlet(np.ones(4), size=(5, 3)), rng.integers(4, size=5)
    for loss in (losses.LOG, losses.BRIER):
        table = loss.of_distribution(p, y[:, None])
        slopes = loss.slope_of_distribution(p, y[:, None])
        assert table.shape == (5, 3)
        assert slopes.shape == (5, 3, 4)
        assert table[2, 1] == loss.of_distribution(p[2, 1], y[2])
        assert (slopes[2, 1] == loss.slope_of_distribution(p[2, 1], y[2])).all()


# What a loss is -------------------------------------------------------------


def test_the_native_core_knows_them_by_number() -> None:
    assert [loss.native for loss in NAMED] == [0, 1, 2, 3, 4, 5, 6]
    assert custom(shortfall).native == -1


def test_kinds_and_levels() -> None:
    assert [loss.outcome for loss in NAMED] == [
        "label",
        *["number"] * 2,
        *["distribution"] * 2,
        *["number"] * 2,
    ]
    assert pinball(0.9).tau == 0.9
    assert losses.SQUARE.tau is None
    assert (losses.BRIER.low, losses.BRIER.high) == (0.0, 2.0)


@pytest.mark.parametrize("loss", NAMED, ids=identity)
def test_a_loss_survives_pickling_copying_and_its_own_repr(loss: Loss) -> None:
    assert pickle.loads(pickle.dumps(loss)) == loss  # noqa: S301 - our own bytes
    assert copy.deepcopy(loss) == loss
    assert eval(repr(loss)) == loss  # noqa: S307 - that it evaluates is the test
    assert len({loss, copy.deepcopy(loss)}) == 1


def test_equal_losses_are_equal_and_others_are_not() -> None:
    assert pinball(0.9) == pinball(0.9)
    assert pinball(0.9) != pinball(0.8)
    assert losses.SQUARE != losses.ABSOLUTE
    assert custom(shortfall) == custom(shortfall)
    assert custom(shortfall) != custom(shortfall, shortfall)
    moved = pickle.loads(pickle.dumps(pinball(0.9)))  # noqa: S301 - our own bytes
    assert moved.value(2.0, 6.0) == pinball(0.9).value(2.0, 6.0)


def test_every_way_to_name_a_loss() -> None:
    for loss in NAMED:
        assert as_loss(loss) is loss
        if loss.tau is None:
            assert as_loss(loss.name) is loss
    assert as_loss(shortfall) == custom(shortfall)
    assert repr(as_loss(shortfall)) == "losses.custom(shortfall, name='shortfall')"
    named = custom(shortfall, shortfall, name="mine")
    assert named.name == "mine"
    assert repr(named) == "losses.custom(shortfall, slope=shortfall, name='mine')"
    assert named.value(2, 5) == 3


# What is refused ------------------------------------------------------------


@pytest.mark.parametrize("spec", ["sqaure", None, 3, "pin"])
def test_a_name_nobody_knows(spec: Any) -> None:
    message = "'zero-one', 'absolute', 'square', 'log', 'brier', 'percentage', 'logist"
    with pytest.raises(ParameterError, match=message) as caught:
        as_loss(spec)
    assert str(caught.value).endswith(f"got {spec!r}")


def test_a_pinball_loss_without_its_level() -> None:
    with pytest.raises(ParameterError, match=r"as in losses.pinball\(0.9\)"):
        as_loss("pinball")


@pytest.mark.parametrize("tau", [0, 1, -0.5, math.nan, "a", None])
def test_a_level_that_is_none(tau: Any) -> None:
    with pytest.raises(ParameterError, match="tau must lie between 0 and 1, got"):
        pinball(tau)


def test_a_custom_loss_that_is_no_function() -> None:
    bad: Any = 3
    with pytest.raises(ParameterError, match="value must be a function, got 3"):
        custom(bad)
    with pytest.raises(ParameterError, match="slope must be a function or None, got 3"):
        custom(shortfall, bad)
    with pytest.raises(ParameterError, match="name must be a text, got ''"):
        custom(shortfall, name="")


@pytest.mark.parametrize("loss", [losses.LOG, losses.BRIER], ids=identity)
def test_what_is_no_probability_or_no_outcome(loss: Loss) -> None:
    with pytest.raises(ExampleError, match=r"must lie in \[0, 1\], got 1.5"):
        loss.value([0.5, 1.5], 1)
    with pytest.raises(LabelError, match="must be 0 or 1, got 2"):
        loss.value(0.5, 2)
    with pytest.raises(LabelError, match="must be 0 or 1, got nan"):
        loss.value(0.5, math.nan)
    with pytest.raises(ExampleError, match=r"must lie in \[0, 1\], got -0.5"):
        loss.of_distribution([1.5, -0.5][::-1], 0)
    with pytest.raises(LabelError, match="a whole number from 0 to 1, got 2"):
        loss.of_distribution([[0.5, 0.5], [0.5, 0.5]], [0, 2])
    with pytest.raises(LabelError, match="a whole number from 0 to 1, got 0.5"):
        loss.of_distribution([0.5, 0.5], 0.5)
    with pytest.raises(LabelError, match="a whole number from 0 to 1, got 'rain'"):
        loss.of_distribution([0.5, 0.5], "rain")
    with pytest.raises(ParameterError, match="one probability for each outcome"):
        loss.of_distribution(0.5, 0)


def test_a_percentage_of_nothing() -> None:
    with pytest.raises(ExampleError, match="an outcome must not be 0, got 0"):
        losses.PERCENTAGE.value([1.0, 2.0], [1.0, 0.0])


def test_distributions_where_numbers_are_meant() -> None:
    with pytest.raises(ParameterError, match="only log and brier take distributions"):
        losses.SQUARE.of_distribution([0.5, 0.5], 0)
